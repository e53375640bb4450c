/* What surrounds a loop that folds: its operands, which axes go and which are kept, outputs. */
/* ---- loops that fold ----------------------------------------------------------------------------------------------- */

/* Adds an axis of the loop to those that go, or to those that are kept. at: its place in what is folded; place: from one of
   its positions to the next. */
static void opw_add_axis(opw_axes *axes, const opw_operands *list, int ndim, npy_intp dim, int axis, int at, npy_intp place)
{
    npy_intp *strides = axes->strides[axes->n];
    int k;
    for (k = 0; k < axes->operands; k++) {
        const opw_operand *operand = &list->all[k];
        int own = k < list->blocks ? axis - (ndim - operand->ndim) : at;
        if (operand->data == OPW_NO_PLACE)
            strides[k] = dim == 1 ? 0 : place;
        else
            strides[k] = own < 0 || operand->dims[own] == 1 ? 0 : operand->strides[own];
    }
    axes->dims[axes->n] = dim;
    axes->axis[axes->n++] = axis;
}

/* Whether all axes go, of inputs alone that have one shape and lie in C order: one run. */
static int opw_is_run(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims)
{
    npy_uint64 all = ndim < 64 ? ((npy_uint64)1 << ndim) - 1 : ~(npy_uint64)0;
    int k;
    if ((fold->axes & all) != all || list->blocks != list->inputs)
        return 0;
    for (k = 0; k < list->inputs; k++)
        if (!opw_in_c_order(&list->all[k]) || !opw_same_dims(&list->all[k], ndim, dims))
            return 0;
    return 1;
}

/* Makes one axis of all. */
static void opw_run_axis(const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept, opw_axes *gone)
{
    int i;
    kept->n = 0;
    kept->operands = list->n;
    gone->n = 1;
    gone->operands = list->blocks;
    gone->dims[0] = 1;
    for (i = 0; i < ndim; i++)
        gone->dims[0] *= dims[i];
    for (i = 0; i < list->inputs; i++)
        gone->strides[0][i] = list->all[i].size;
}

/* Parts the axes of the loop. */
static void opw_part_axes(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept,
                          opw_axes *gone)
{
    npy_intp place = 1;
    int i, at = 0;
    kept->n = gone->n = 0;
    kept->operands = list->n;
    gone->operands = list->blocks;
    for (i = 0; fold->indexed && i < ndim; i++)
        if (fold->axes >> i & 1)
            place *= dims[i];
    for (i = 0; i < ndim; i++) {
        int goes = (int)(fold->axes >> i & 1);
        if (goes && fold->indexed)
            place /= dims[i];
        opw_add_axis(goes ? gone : kept, list, ndim, dims[i], i, at, goes ? place : 0);
        at += !goes || fold->keepdims;
    }
    opw_order_axes(kept, list->inputs);
    opw_join_axes(kept);
    opw_order_axes(gone, list->inputs);
    opw_join_axes(gone);
    if (!gone->n) { /* nothing but sizes of 1 */
        gone->n = 1;
        gone->dims[0] = 1;
        memset(gone->strides[0], 0, sizeof(npy_intp) * (size_t)gone->operands);
    }
}

/* Whether an output has what folds have made so far: in order, that is. */
static int opw_scans(const opw_loop *work)
{
    int k;
    for (k = 0; k < work->outputs; k++)
        if (work->fold->kinds[k] == OPW_SCANNED)
            return 1;
    return 0;
}

/* What is kept, as items: of the innermost kept axis as many columns as are folded at once. */
typedef struct {
    opw_shares shares;
    opw_folding folding;
    const opw_operands *list;
    const opw_axes *kept;
    char *const *p;                /* where operands begin; NULL: where they are */
    int outer;                     /* axes round the columns */
    int far;                       /* whether many items are best folded at once */
    npy_intp columns, width, each; /* each: items of a part */
    npy_intp items, all;           /* of one position of the axes round the columns; of all */
} opw_items;

/* Folds an item, and fills the outputs there. far: takes it, and those before it when they are many; NULL: it is folded now. */
static int opw_fold_item(const opw_folding *f, const opw_operands *list, char *const *p, opw_far *far)
{
    opw_wide_room room;
    void *acc;
    int status;
    if (far)
        return opw_add_far(far, f->m, p, list->n) ? opw_fill_far(far) : 0;
    acc = opw_room_beside(f, &room, p[0]);
    if (!(status = opw_fold_axis(f, 0, p, f->gone->dims[0], acc)))
        f->fold->store(acc, f->m, p, f->t);
    return status;
}

/* Folds n items from `first` on, and fills the outputs there. */
static int opw_fold_items(const opw_items *o, npy_intp first, npy_intp n)
{
    const opw_operands *list = o->list;
    opw_folding folding = o->folding;
    npy_intp at[OPW_MAX_DIMS], i = 0;
    char *p[OPW_MAX_OPERANDS], *q[OPW_MAX_OPERANDS];
    opw_far *far = o->far && n > 1 ? opw_new_far(&folding, n) : NULL; /* without room each is folded by itself */
    int k, status = 0;
    for (k = 0; k < list->n; k++)
        p[k] = o->p ? o->p[k] : list->all[k].data;
    opw_rewind(at, o->outer);
    if (first) {
        i = first % o->items * o->width;
        opw_seek(o->kept, o->outer, first / o->items, at, p);
    }
    do {
        for (; n && i < o->columns && !status; i += o->width, n--) {
            folding.m = o->columns - i < o->width ? o->columns - i : o->width;
            opw_moved(p, folding.t, i, list->n, q);
            status = opw_fold_item(&folding, list, q, far);
        }
        i = 0;
    } while (n && !status && opw_next(o->kept, o->outer, at, p));
    if (far && !status)
        status = opw_fill_far(far);
    PyMem_RawFree(far);
    return status;
}

static int opw_fold_items_part(opw_shares *shares, npy_intp i)
{
    const opw_items *o = (const opw_items *)(const void *)shares;
    npy_intp first = i * o->each;
    return opw_fold_items(o, first, o->all - first < o->each ? o->all - first : o->each);
}

/* How often a stretch of so many elements is halved. */
static int opw_halvings(const opw_loop *work, npy_intp n)
{
    int halvings = 0;
    while (n / 2 >= work->worth && 1 << halvings < OPW_SHARES)
        n /= 2, halvings++;
    return halvings;
}

/* A long fold: parts are of many items, or, where there are few, of one; what is folded of an item does not depend on it. What stops
   early is folded at one go. */
OPW_APART static int opw_fold_shared(opw_items *o, npy_intp n)
{
    const opw_loop *work = o->shares.work;
    npy_intp least = opw_threads ? OPW_FAR_ITEMS / 4 : OPW_FAR_ITEMS;
    if (o->all < OPW_SHARES / 4 && !work->fold->settled && !opw_scans(work) && (opw_threads || !o->far)) {
        o->folding.halvings = opw_halvings(work, n / o->all);
        if (o->folding.halvings) {
            o->far = 0;
            return opw_fold_items(o, 0, o->all);
        }
    }
    o->each = opw_share_of(work, o->all, n / o->all > 1 ? n / o->all : 2);
    if (o->far && o->each < least)
        o->each = least;
    return opw_share_out(&o->shares, opw_parts_of(o->all, o->each));
}

/* Decides how a fold goes, of which there is something: all of it, whatever part of its items is folded at once. How many elements
   there are. */
static npy_intp opw_plan_fold(opw_items *o, const opw_loop *work, const opw_operands *list, int ndim, const npy_intp *dims, opw_axes *kept,
                              opw_axes *gone)
{
    static const npy_intp none[OPW_MAX_OPERANDS] = {0};
    const opw_fold *fold = work->fold;
    const opw_items begun = {{work, opw_fold_items_part, {0, NULL, NULL, NULL}}, {work, fold, gone, 0, 0, 0, 0, 0, 0, none},
                             list, kept, NULL, 0, 0, 1, fold->width, 0, 0, 0};
    opw_folding *folding = &o->folding;
    npy_intp n;
    int k;

    *o = begun;
    if (opw_is_run(fold, list, ndim, dims))
        opw_run_axis(list, ndim, dims, kept, gone);
    else
        opw_part_axes(fold, list, ndim, dims, kept, gone);
    for (k = 0, n = 1; k < ndim; k++)
        n *= dims[k];
    folding->beside = opw_is_beside(work, list, kept, gone, n);
    folding->runs = fold->wide && !folding->beside;
    if (folding->beside && fold->wide && opw_is_by_rows(work, kept, gone, n))
        folding->order |= OPW_BY_ROWS;
    folding->order |= opw_asks_ahead(work, gone, n);
    o->far = folding->beside && fold->wide && opw_is_far(work, kept, gone, n);
    folding->close = folding->runs && opw_is_wide(work, list, gone, n);
    if (kept->n) {
        o->outer = kept->n - 1;
        o->columns = kept->dims[o->outer];
        folding->t = kept->strides[o->outer];
        if (folding->beside && !o->far)
            o->width = opw_width(fold, o->columns);
    }
    if (folding->close) {
        folding->runs = 0;
        o->width = 1;
    }
    o->items = o->all = (o->columns + o->width - 1) / o->width;
    for (k = 0; k < o->outer; k++)
        o->all *= kept->dims[k];
    return n;
}

/* Fills the outputs; there is something to fold. */
static int opw_fold_all(const opw_loop *work, const opw_operands *list, int ndim, const npy_intp *dims)
{
    opw_axes kept, gone;
    opw_items o;
    npy_intp n = opw_plan_fold(&o, work, list, ndim, dims, &kept, &gone);
    return opw_is_worth(work, n) ? opw_fold_shared(&o, n) : opw_fold_items(&o, 0, o.all);
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

/* Makes all outputs, and lists them: their axes lie in memory as those of the inputs do, as NumPy's. */
static int opw_list_fold_outputs(const opw_loop *work, opw_places places, opw_operands *list, int ndim, const npy_intp *dims, int empty)
{
    static const opw_operand place = {OPW_NO_PLACE, 0, NULL, NULL, 0, NULL};
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
        list->all[list->n++] = place;
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

/* Runs it. */
static int opw_fold_operands(const opw_loop *work, opw_places places, const opw_group *group, opw_operands *list)
{
    npy_intp dims[OPW_MAX_DIMS];
    int ndim, status = opw_lay_folds(work, places, group, list, &ndim, dims);
    if (status == OPW_EMPTY)
        return opw_fold_nothing(work->fold, list, ndim, dims);
    return status ? status : opw_fold_all(work, list, ndim, dims);
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
