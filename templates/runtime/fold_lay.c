/* How a loop that folds is laid out: the way it goes, its outputs. */
/* ---- folds laid out ----------------------------------------------------------------------------------------------- */

/* Begins a fold's items. */
static void opw_begin_items(opw_items *o, const opw_loop *work, const opw_operands *list, const opw_axes *kept, const opw_axes *gone)
{
    static const npy_intp none[OPW_MAX_OPERANDS] = {0};
    const opw_fold *fold = work->fold;
    const opw_items begun = {{work, opw_fold_items_part, {0, NULL, NULL, NULL}}, {work, fold, gone, 0, 0, 0, 0, 0, 0, none},
                             list, kept, NULL, 0, 0, 1, fold->width, 0, 0, 0};
    *o = begun;
}

/* Decides how a fold goes, of which there is something: all of it, whatever part of its items is folded at once. How many elements
   there are. */
static npy_intp opw_plan_fold(opw_items *o, const opw_loop *work, const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept,
                              opw_axes *gone)
{
    const opw_fold *fold = work->fold;
    opw_folding *folding = &o->folding;
    npy_intp n;
    int k;

    opw_begin_items(o, work, list, kept, gone);
    if (opw_is_run(fold, list, ndim, dims))
        opw_run_axis(list, ndim, dims, kept, gone);
    else
        opw_part_axes(fold, list, ndim, dims, kept, gone);
    for (k = 0, n = 1; k < ndim; k++)
        n *= dims[k];
    folding->beside = opw_is_beside(work, list, kept, gone, n);
    if (folding->beside && fold->wide && opw_is_by_rows(work, kept, gone, n))
        folding->order |= OPW_BY_ROWS;
    folding->order |= folding->beside ? opw_asks_beside(work, kept, gone, n, folding->order) : opw_asks_ahead(work, gone, n);
    o->far = folding->beside && fold->wide && opw_is_far(work, kept, gone, n);
    if (!folding->beside && fold->wide) {
        folding->close = opw_is_wide(work, list, gone, n);
        folding->runs = !folding->close && opw_goes_in_runs(kept, gone);
    }
    if (kept->n) {
        o->outer = kept->n - 1;
        o->columns = kept->dims[o->outer];
        folding->t = kept->strides[o->outer];
        if (folding->beside && !o->far)
            o->width = opw_width(fold, o->columns);
        else if (!folding->beside)
            o->width = folding->runs || folding->close ? 1 : opw_width_of(fold, gone);
    }
    o->items = o->all = (o->columns + o->width - 1) / o->width;
    for (k = 0; k < o->outer; k++)
        o->all *= kept->dims[k];
    return n;
}

/* Notes that. */
static void opw_note_plan(opw_known *known, const opw_items *o, npy_intp n)
{
    const opw_folding *f = &o->folding;
    opw_note(known, n);
    opw_note(known, f->beside);
    opw_note(known, f->close);
    opw_note(known, f->runs);
    opw_note(known, f->order);
    opw_note(known, o->outer);
    opw_note(known, o->far);
    opw_note(known, o->columns);
    opw_note(known, o->width);
    opw_note(known, o->items);
    opw_note(known, o->all);
    opw_note_axes(known, o->kept);
    opw_note_axes(known, f->gone);
}

/* What opw_plan_fold gives, from notes. */
static npy_intp opw_read_plan(opw_reader *reader, opw_items *o, const opw_loop *work, const opw_operands *list, opw_axes *kept, opw_axes *gone)
{
    const npy_intp n = opw_read(reader);
    opw_folding *f = &o->folding;
    opw_begin_items(o, work, list, kept, gone);
    f->beside = (int)opw_read(reader);
    f->close = (int)opw_read(reader);
    f->runs = (int)opw_read(reader);
    f->order = (int)opw_read(reader);
    o->outer = (int)opw_read(reader);
    o->far = (int)opw_read(reader);
    o->columns = opw_read(reader);
    o->width = opw_read(reader);
    o->items = opw_read(reader);
    o->all = opw_read(reader);
    opw_read_axes(reader, kept, list->n);
    opw_read_axes(reader, gone, list->blocks);
    if (kept->n)
        f->t = kept->strides[o->outer];
    return n;
}

/* Fills the outputs of a fold of nothing, which are new or lie in C order. */
static int opw_fold_nothing(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims)
{
    static const npy_intp none[OPW_MAX_OPERANDS] = {0};
    opw_accumulators acc;
    char *p[OPW_MAX_OPERANDS];
    npy_intp i, n;
    int k;
    for (k = 0; !fold->identity && k < ndim; k++)
        if (!dims[k] && fold->axes >> k & 1) { /* an error, as in NumPy, also where there is no result */
            PyErr_Format(PyExc_ValueError, "zero-size array to reduction operation %s which has no identity", fold->name);
            return OPW_NOTHING;
        }
    n = list->n > list->blocks ? PyArray_SIZE(list->all[list->blocks].array) : 0;
    if (!n)
        return 0;
    fold->identity(acc.bytes, 1);
    for (i = 0; i < n; i++) {
        for (k = 0; k < list->n; k++)
            p[k] = list->all[k].data + (k < list->blocks ? 0 : i * list->all[k].size);
        fold->store(acc.bytes, 1, p, none);
    }
    return 0;
}

/* The shape of what is folded; its number of dimensions. */
static int opw_folded_dims(const opw_fold *fold, int ndim, const npy_intp *dims, npy_intp *left)
{
    int i, n = 0;
    for (i = 0; i < ndim; i++)
        if (!(fold->axes >> i & 1))
            left[n++] = dims[i];
        else if (fold->keepdims)
            left[n++] = 1;
    return n;
}

/* The axes of what is folded, as those of the loop lie in memory. */
static void opw_left_axes(const opw_fold *fold, const opw_axes *all, opw_axes *left)
{
    int i, j;
    left->n = 0;
    for (i = 0; i < all->n; i++) {
        int axis = all->axis[i], goes = (int)(fold->axes >> axis & 1), place = axis;
        if (goes && !fold->keepdims)
            continue;
        for (j = 0; !fold->keepdims && j < axis; j++)
            place -= (int)(fold->axes >> j & 1);
        left->dims[left->n] = goes ? 1 : all->dims[i];
        left->axis[left->n++] = place;
    }
}

/* Makes the outputs of one kind, and lists them. axes: in which order those of new ones lie in memory; NULL: in C order. exact: what
   lies otherwise does not fit. */
static int opw_list_outputs(const opw_loop *work, opw_places places, opw_operands *list, int folded, int ndim,
                            const npy_intp *dims, const opw_axes *axes, int exact)
{
    int k;
    for (k = 0; k < work->outputs; k++) {
        int operand = work->inputs + k, type = work->types[operand];
        PyArrayObject **place = opw_place(places, operand);
        if ((work->fold->kinds[k] == OPW_FOLDED) != folded)
            continue;
        if (exact && *place && !PyArray_IS_C_CONTIGUOUS(*place) &&
            opw_put_array(place, (PyArrayObject *)PyArray_SimpleNew(ndim, (npy_intp *)dims, type)))
            return 1;
        if (axes ? opw_fit_like(place, axes, ndim, dims, type, work->sizes[operand]) : opw_fit_output(place, ndim, dims, type))
            return 1;
        list->all[list->n++] = opw_operand_of(*place);
    }
    return 0;
}

/* Whether all inputs lie in C order: so do the outputs that are made. */
static int opw_all_in_c_order(const opw_operands *list)
{
    int k;
    for (k = 0; k < list->inputs; k++)
        if (!opw_in_c_order(&list->all[k]))
            return 0;
    return 1;
}

/* The element's place among the operands of a loop that asks for it. */
static const opw_operand opw_no_place = {OPW_NO_PLACE, 0, NULL, NULL, 0, NULL};

/* Makes all outputs, and lists them: their axes lie in memory as those of the inputs do, as NumPy's. */
static int opw_list_fold_outputs(const opw_loop *work, opw_places places, opw_operands *list, int ndim, const npy_intp *dims, int empty)
{
    const opw_fold *fold = work->fold;
    npy_intp left[OPW_MAX_DIMS];
    opw_axes axes, kept;
    int folded = opw_folded_dims(fold, ndim, dims, left), plain = empty || opw_all_in_c_order(list);
    if (!plain) {
        opw_make_axes(&axes, list->all, list->inputs, ndim, dims);
        opw_left_axes(fold, &axes, &kept);
    }
    if (opw_list_outputs(work, places, list, 0, ndim, dims, plain ? NULL : &axes, empty))
        return 1;
    if (fold->indexed)
        list->all[list->n++] = opw_no_place;
    list->blocks = list->n;
    return opw_list_outputs(work, places, list, 1, folded, left, plain ? NULL : &kept, empty);
}

/* Makes the outputs of a loop that folds, on its own or as the main one of a group. list: its inputs, then all operands. places: where
   the arrays of its outputs are, behind as many as there are inputs; it puts them there. 1: an exception is set; OPW_EMPTY: there are no
   elements. */
static int opw_lay_folds(const opw_loop *work, opw_places places, const opw_group *group, opw_operands *list, int *ndim, npy_intp *dims)
{
    int i, empty = 0;

    list->n = list->inputs = work->inputs;
    *ndim = opw_broadcast_inputs(work, list->all, dims);
    if (*ndim < 0 && group)
        return OPW_NO_SHAPE;
    if (*ndim < 0) {
        opw_refuse_shapes(list->all, list->inputs);
        return 1;
    }
    if (group && !opw_masks_hold(group, list->all, *ndim, dims))
        return OPW_BY_PARTS;
    for (i = 0; i < *ndim; i++)
        empty |= !dims[i];
    if (opw_list_fold_outputs(work, places, list, *ndim, dims, empty))
        return 1;
    return empty ? OPW_EMPTY : 0;
}

/* The same, from what is known: 1: all lie as they did; 0: they do not; -1: an exception is set. */
static int opw_recall_outputs(const opw_loop *work, opw_places places, opw_operands *list, opw_reader *reader)
{
    const opw_fold *fold = work->fold;
    int k, folded, status = 1;
    list->n = list->inputs = work->inputs;
    for (folded = 0; folded < 2; folded++) {
        for (k = 0; k < work->outputs && status > 0; k++)
            if ((fold->kinds[k] == OPW_FOLDED) == folded)
                status = opw_fit_known(reader, work, places, k, &list->all[list->n++]);
        if (!folded && fold->indexed && status > 0) {
            list->all[list->n++] = opw_no_place;
            (void)opw_read(reader);
            opw_lies_so(reader, &opw_no_place);
        }
        if (!folded)
            list->blocks = list->n;
    }
    return status;
}

/* How much a fold has: elements; where these are none, a shape. */
typedef struct {
    npy_intp n;
    int ndim;
    npy_intp dims[OPW_MAX_DIMS];
} opw_extent;

/* Lays a loop out that folds: as opw_lay_folds says, whose status it gives. */
static int opw_lay_fold(const opw_loop *work, opw_known *known, opw_places places, const opw_group *group, opw_operands *list, opw_items *o,
                        opw_axes *kept, opw_axes *gone, opw_extent *extent)
{
    opw_reader reader;
    opw_earlier earlier;
    int status = opw_knows(known, group, list->all, work->inputs, &reader) ? opw_recall_outputs(work, places, list, &reader) : 0;
    if (status < 0)
        return 1;
    if (status) {
        extent->n = opw_read_plan(&reader, o, work, list, kept, gone);
        return 0;
    }
    opw_look(&earlier, work, places);
    if ((status = opw_lay_folds(work, places, group, list, &extent->ndim, extent->dims)))
        return status;
    extent->n = opw_plan_fold(o, work, list, extent->ndim, extent->dims, kept, gone);
    opw_begin_notes(known, group, list->all, list->inputs, list->n,
                    opw_made_since(&earlier, work, list->all + list->inputs, list->n - list->inputs));
    opw_note_plan(known, o, extent->n);
    opw_end_notes(known);
    return 0;
}

/* Runs it. */
static int opw_fold_operands(const opw_loop *work, opw_places places, const opw_group *group, opw_operands *list)
{
    opw_axes kept, gone;
    opw_items o;
    opw_extent extent;
    int status = opw_lay_fold(work, &work->known->alone, places, group, list, &o, &kept, &gone, &extent);
    if (status == OPW_EMPTY)
        return opw_fold_nothing(work->fold, list, extent.ndim, extent.dims);
    if (status)
        return status;
    return opw_is_worth(work, extent.n) ? opw_fold_shared(&o, extent.n) : opw_fold_items(&o, 0, o.all);
}

static int opw_fold_arrays(const opw_loop *work, opw_places places, const opw_group *group)
{
    opw_operands list;
    int i;
    for (i = 0; i < work->inputs; i++)
        list.all[i] = opw_operand_of(*opw_place(places, i));
    return opw_fold_operands(work, places, group, &list);
}

int opw_run_folds(char *frame, const uint32_t *slots)
{
    int status = opw_fold_arrays(&OPW_HEAD(frame)->program->loop_table[*slots], opw_in_slots(frame, slots + 1), NULL);
    return status == OPW_NOTHING ? 1 : status;
}
