/* What surrounds a loop of stores: outputs, the order of the axes. */
/* ---- loops of stores ---------------------------------------------------------------------------------------------- */

/* Makes the output in a place an array of this shape: what is there, or a new one whose axes lie in memory as those of the loop do. */
static int opw_fit_like(PyArrayObject **place, const opw_axes *axes, int ndim, const npy_intp *dims, int type, npy_intp size)
{
    const int fits = *place && opw_has_dims(*place, ndim, dims);
    npy_intp strides[OPW_MAX_DIMS];
    int i;
    if (fits && opw_is_anothers(*place))
        return 0;
    for (i = axes->n - 1; i >= 0; i--) {
        strides[axes->axis[i]] = size;
        size *= axes->dims[i];
    }
    for (i = 0; fits && i < ndim && (dims[i] == 1 || PyArray_STRIDE(*place, i) == strides[i]); i++)
        ;
    if (fits && i == ndim)
        return 0;
    return opw_make_array(place, ndim, dims, strides, type);
}

/* Writes an operand's strides, broadcast to ndim axes, into the loop's. */
static void opw_set_strides(opw_axes *axes, int k, const opw_operand *operand, int ndim)
{
    int i, first = ndim - operand->ndim;
    for (i = 0; i < axes->n; i++) {
        int own = axes->axis[i] - first;
        axes->strides[i][k] = own < 0 || operand->dims[own] == 1 ? 0 : operand->strides[own];
    }
}

/* Makes the axes of a loop of the strides of all inputs, in the order of memory. */
static void opw_make_axes(opw_axes *axes, const opw_operand *list, int inputs, int ndim, const npy_intp *dims)
{
    int i;
    axes->n = ndim;
    axes->operands = inputs;
    for (i = 0; i < ndim; i++) {
        axes->dims[i] = dims[i];
        axes->axis[i] = i;
    }
    for (i = 0; i < inputs; i++)
        opw_set_strides(axes, i, &list[i], ndim);
    opw_order_axes(axes, inputs);
}

/* Makes the outputs, and lists them behind the inputs. */
static int opw_list_stored(const opw_loop *work, opw_places places, opw_operand *list, opw_axes *axes, int ndim,
                           const npy_intp *dims)
{
    int k;
    for (k = work->inputs; k < work->inputs + work->outputs; k++) {
        PyArrayObject **place = opw_place(places, k);
        if (opw_fit_like(place, axes, ndim, dims, work->types[k], work->sizes[k]))
            return 1;
        list[k] = opw_operand_of(*place);
        opw_set_strides(axes, k, &list[k], ndim);
        axes->operands = k + 1;
    }
    return 0;
}

/* Runs a loop of so many elements over axes, of one at least, row by row, p: where its operands begin. */
static int opw_store_rows(const opw_loop *work, const opw_axes *axes, npy_intp total, char **p)
{
    const int row = axes->n - 1;
    npy_intp at[OPW_MAX_DIMS];
    int status;
    opw_rewind(at, row - 1);
    do {
        if ((status = opw_run_rows(work, axes->dims[row], row ? axes->dims[row - 1] : 1, total, p, axes->strides[row],
                                   axes->strides[row ? row - 1 : row])))
            return status;
    } while (row && opw_next(axes, row - 1, at, p));
    return 0;
}

/* The same in blocks; OPW_AS_IT_IS: it needs none. */
static int opw_store_blocks(const opw_loop *work, opw_axes *axes, npy_intp total, char **p)
{
    return total >= OPW_PACK_WORTH ? opw_run_packed(work, axes, total, p) : OPW_AS_IT_IS;
}

/* The same in blocks, where it needs them. */
static int opw_store_axes(const opw_loop *work, opw_axes *axes, npy_intp total, char **p)
{
    const int status = opw_store_blocks(work, axes, total, p);
    return status == OPW_AS_IT_IS ? opw_store_rows(work, axes, total, p) : status;
}

/* The same in parts: of one axis. */
typedef struct {
    opw_shares shares;
    const opw_axes *axes;
    char *const *p;
    int axis;
    npy_intp each, around; /* positions of a part; elements of one position */
} opw_stores;

/* Runs n positions of an axis, of so many elements each, operands at p, which it moves. The axes are copied: how blocks are packed may
   put them in another order. */
static int opw_store_some(const opw_loop *work, const opw_axes *whole, int axis, npy_intp n, npy_intp around, char **p)
{
    opw_axes axes;
    int i;
    axes.n = whole->n;
    axes.operands = whole->operands;
    for (i = 0; i < axes.n; i++) {
        axes.dims[i] = i == axis ? n : whole->dims[i];
        axes.axis[i] = 0;
        memcpy(axes.strides[i], whole->strides[i], sizeof(axes.strides[i][0]) * (size_t)axes.operands);
    }
    return opw_store_axes(work, &axes, n * around, p);
}

static int opw_store_part(opw_shares *shares, npy_intp i)
{
    const opw_stores *all = (const opw_stores *)(const void *)shares;
    const opw_axes *axes = all->axes;
    npy_intp first = i * all->each, n = axes->dims[all->axis] - first;
    char *p[OPW_MAX_OPERANDS];
    opw_moved(all->p, axes->strides[all->axis], first, axes->operands, p);
    return opw_store_some(shares->work, axes, all->axis, n < all->each ? n : all->each, all->around, p);
}

/* Parts are of the outermost axis that has enough positions, or of the longest. */
OPW_APART static int opw_store_shared(const opw_loop *work, const opw_axes *axes, npy_intp total, char *const *p)
{
    opw_stores all = {{work, opw_store_part, {0, NULL, NULL, NULL}}, axes, p, 0, 0, 0};
    int i;
    for (i = 1; i < axes->n && axes->dims[all.axis] < OPW_SHARES; i++)
        if (axes->dims[i] > axes->dims[all.axis])
            all.axis = i;
    all.around = total / axes->dims[all.axis];
    all.each = opw_share_of(work, axes->dims[all.axis], all.around);
    return opw_share_out(&all.shares, opw_parts_of(axes->dims[all.axis], all.each));
}

/* Makes the outputs of a loop of any shapes and strides, and its axes, in order. list: the inputs, then all operands. 1: an exception
   is set; OPW_EMPTY: there are no elements. */
static int opw_lay_stores(const opw_loop *work, opw_places places, const opw_group *group, opw_operand *list, opw_axes *axes)
{
    npy_intp dims[OPW_MAX_DIMS];
    int i, ndim = opw_broadcast_inputs(work, list, dims);

    if (ndim < 0 && group)
        return OPW_NO_SHAPE;
    if (ndim < 0) {
        opw_refuse_shapes(list, work->inputs);
        return 1;
    }
    if (group && !opw_masks_hold(group, list, ndim, dims))
        return OPW_BY_PARTS;
    if (work->over)
        opw_overwrite(work, opw_places_from(places, work->inputs), list, ndim, dims);
    opw_make_axes(axes, list, work->inputs, ndim, dims);
    if (opw_list_stored(work, places, list, axes, ndim, dims))
        return 1;
    for (i = 0; i < ndim; i++)
        if (!dims[i])
            return OPW_EMPTY;
    return 0;
}

/* A loop of stores that is laid out: its elements, whether it is known to need no blocks, which outputs were made for it. */
typedef struct {
    npy_intp n;
    int rows;
    npy_uint64 made;
} opw_stored;

/* Notes how a loop of stores is laid out. What may write over its inputs asks anew. */
static void opw_note_store(const opw_loop *work, opw_known *known, const opw_group *group, const opw_operand *list, const opw_axes *axes,
                           opw_stored stored)
{
    if (work->over)
        return;
    opw_begin_notes(known, group, list, work->inputs, work->inputs + work->outputs, stored.made);
    opw_note(known, stored.n);
    opw_note(known, stored.rows);
    opw_note(known, (npy_intp)stored.made);
    opw_note_axes(known, axes);
    opw_end_notes(known);
}

/* The same, from what is known: 1: all lie as they did; 0: they do not; -1: an exception is set. */
static int opw_recall_store(const opw_loop *work, const opw_known *known, opw_places places, const opw_group *group, opw_operand *list,
                            opw_axes *axes, opw_stored *stored)
{
    const int operands = work->inputs + work->outputs;
    opw_reader reader;
    int k, status = opw_knows(known, group, list, work->inputs, &reader);
    for (k = 0; k < work->outputs && status > 0; k++)
        status = opw_fit_known(&reader, work, places, k, &list[work->inputs + k]);
    if (status <= 0)
        return status;
    stored->n = opw_read(&reader);
    stored->rows = (int)opw_read(&reader);
    stored->made = (npy_uint64)opw_read(&reader);
    opw_read_axes(&reader, axes, operands);
    return 1;
}

/* Lays a loop of stores out, neighbouring axes joined: as opw_lay_stores says, whose status it gives. */
static int opw_lay_store(const opw_loop *work, opw_known *known, opw_places places, const opw_group *group, opw_operand *list, opw_axes *axes,
                         opw_stored *stored)
{
    opw_earlier earlier;
    int i, status = opw_recall_store(work, known, places, group, list, axes, stored);
    if (status)
        return status < 0;
    opw_look(&earlier, work, places);
    if ((status = opw_lay_stores(work, places, group, list, axes)))
        return status;
    opw_join_axes(axes);
    stored->made = opw_made_since(&earlier, work, list + work->inputs, work->outputs);
    stored->rows = 0;
    for (i = 0, stored->n = 1; i < axes->n; i++)
        stored->n *= axes->dims[i];
    opw_note_store(work, known, group, list, axes, *stored);
    return 0;
}

/* Runs a loop that is laid out. That it needs no blocks is known then, and in which order its axes are best. */
static int opw_store_over(const opw_loop *work, const opw_group *group, opw_axes *axes, const opw_operand *list, opw_stored stored)
{
    char *p[OPW_MAX_OPERANDS];
    int k, status;

    for (k = 0; k < axes->operands; k++)
        p[k] = list[k].data;
    if (!axes->n) {
        axes->n = 1;
        axes->dims[0] = 1;
        for (k = 0; k < axes->operands; k++)
            axes->strides[0][k] = 0;
    }
    if (opw_is_worth(work, stored.n))
        return opw_store_shared(work, axes, stored.n, p);
    if (!stored.rows) {
        status = opw_store_blocks(work, axes, stored.n, p);
        if (status != OPW_AS_IT_IS)
            return status;
        stored.rows = 1;
        opw_note_store(work, &work->known->alone, group, list, axes, stored);
    }
    return opw_store_rows(work, axes, stored.n, p);
}

/* Any shapes and strides. list: the inputs. */
static int opw_store_listed(const opw_loop *work, opw_places places, const opw_group *group, opw_operand *list)
{
    opw_axes axes;
    opw_stored stored;
    int status = opw_lay_store(work, &work->known->alone, places, group, list, &axes, &stored);
    return status ? (status == OPW_EMPTY ? 0 : status) : opw_store_over(work, group, &axes, list, stored);
}

static int opw_store_strided(const opw_loop *work, opw_places places, const opw_group *group)
{
    opw_operand list[OPW_MAX_OPERANDS];
    int i;
    for (i = 0; i < work->inputs; i++)
        list[i] = opw_operand_of(*opw_place(places, i));
    return opw_store_listed(work, places, group, list);
}

/* Runs a loop of stores whose inputs have one shape, C order throughout, or no dimensions: one loop over all. Those of dims are
   `shaped`, a bit for each; p, s: of the inputs, and room for the outputs. list: the inputs as operands, NULL: they are arrays. */
OPW_INLINE int opw_store_plain(const opw_loop *work, opw_places places, const opw_group *group, opw_operand *list, int ndim,
                               const npy_intp *dims, npy_uint64 shaped, char **p, npy_intp *s)
{
    npy_intp n = 1;
    uint32_t m;
    int i;
    for (m = 0; group && shaped && m < group->masks; m++)
        if (!(group->mask_table[m] & shaped))
            return OPW_BY_PARTS;
    for (i = 0; i < ndim; i++)
        n *= dims[i];
    for (i = 0; i < work->outputs; i++) {
        int operand = work->inputs + i, over = work->over ? work->over[i] : -1;
        PyArrayObject **place = opw_place(places, operand), *array = over < 0 ? NULL : *opw_place(places, over);
        if (array && PyArray_NDIM(array) == ndim && !opw_stays_apart(work, *place, n) && opw_may_overwrite_plain(work, array, over, n, p, s) &&
            !opw_taken(opw_places_from(places, work->inputs), i, array)) {
            Py_INCREF(array);
            opw_put_array(place, array);
        } else if (opw_fit_output(place, ndim, dims, work->types[operand]))
            return 1;
        if (!PyArray_IS_C_CONTIGUOUS(*place))
            return list ? opw_store_listed(work, places, group, list) : opw_store_strided(work, places, group);
        p[operand] = PyArray_BYTES(*place);
        s[operand] = work->sizes[operand];
    }
    return opw_run_numbers(work, n, shaped, p, s);
}

/* Runs a loop of stores, on its own or as the main one of a group. places: where the arrays of its inputs are, then of its
   outputs, which it puts there. */
OPW_INLINE int opw_store(const opw_loop *work, opw_places places, const opw_group *group)
{
    char *p[OPW_MAX_OPERANDS];
    npy_intp s[OPW_MAX_OPERANDS];
    const npy_intp *dims = NULL;
    npy_uint64 shaped = 0;
    int i, ndim = 0;

    for (i = 0; i < work->inputs; i++) {
        PyArrayObject *array = *opw_place(places, i);
        p[i] = PyArray_BYTES(array);
        s[i] = work->sizes[i];
        if (!PyArray_NDIM(array))
            s[i] = 0;
        else if (!PyArray_IS_C_CONTIGUOUS(array))
            return opw_store_strided(work, places, group);
        else if (!dims)
            dims = PyArray_DIMS(array), ndim = PyArray_NDIM(array);
        else if (!opw_has_dims(array, ndim, dims))
            return opw_store_strided(work, places, group);
        shaped |= (npy_uint64)(s[i] != 0) << i;
    }
    return opw_store_plain(work, places, group, NULL, ndim, dims, shaped, p, s);
}

/* The same of inputs that are listed as operands. */
static int opw_store_operands(const opw_loop *work, opw_places places, const opw_group *group, opw_operand *list)
{
    char *p[OPW_MAX_OPERANDS];
    npy_intp s[OPW_MAX_OPERANDS];
    const opw_operand *first = NULL;
    npy_uint64 shaped = 0;
    int i;
    for (i = 0; i < work->inputs; i++) {
        p[i] = list[i].data;
        s[i] = list[i].ndim ? work->sizes[i] : 0;
        if (list[i].ndim && (!opw_in_c_order(&list[i]) || (first && !opw_same_dims(&list[i], first->ndim, first->dims))))
            return opw_store_listed(work, places, group, list);
        if (list[i].ndim && !first)
            first = &list[i];
        shaped |= (npy_uint64)(s[i] != 0) << i;
    }
    return opw_store_plain(work, places, group, list, first ? first->ndim : 0, first ? first->dims : NULL, shaped, p, s);
}

int opw_run_stores(char *frame, const uint32_t *slots)
{
    return opw_store(&OPW_HEAD(frame)->program->loop_table[*slots], opw_in_slots(frame, slots + 1), NULL);
}
