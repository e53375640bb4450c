/* What surrounds a loop of stores: outputs, the order of the axes. */
/* ---- loops of stores ---------------------------------------------------------------------------------------------- */

/* Whether an output may be written over an input: of the same shape, writeable, no two elements in one place, and no other
   input partly there too. */
static int opw_may_overwrite(const opw_operand *list, int inputs, int which, int ndim, const npy_intp *dims)
{
    const opw_operand *over = &list[which];
    int i;
    if (!over->array || !opw_same_dims(over, ndim, dims) || !PyArray_CHKFLAGS(over->array, NPY_ARRAY_WRITEABLE) ||
        opw_folds(over->array))
        return 0;
    for (i = 0; i < inputs; i++) {
        if (i == which || list[i].array == over->array || !opw_meet(&list[i], over))
            continue;
        if (list[i].data != over->data || !opw_same_dims(&list[i], ndim, dims) ||
            !PyArray_CompareLists(list[i].strides, over->strides, ndim))
            return 0;
    }
    return 1;
}

/* The same of arrays that all have one shape, in C order, or no dimensions: n elements at p, s bytes apart. */
OPW_INLINE int opw_may_overwrite_plain(const opw_loop *work, PyArrayObject *array, int which, npy_intp n, char *const *p,
                                   const npy_intp *s)
{
    int i;
    if ((n != 1 && !s[which]) || !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE))
        return 0;
    for (i = 0; i < work->inputs; i++)
        if ((p[i] != p[which] || s[i] != s[which]) && p[i] < p[which] + n * work->sizes[which] &&
            p[which] < p[i] + (s[i] ? n : 1) * work->sizes[i])
            return 0;
    return 1;
}

/* Whether one of the first n outputs is written there already: two arguments may be one array. */
OPW_INLINE int opw_taken(opw_places outputs, int n, PyArrayObject *array)
{
    int j;
    for (j = 0; j < n; j++) {
        PyArrayObject *other = *opw_place(outputs, j);
        if (other && opw_overlap((PyObject *)other, (PyObject *)array))
            return 1;
    }
    return 0;
}

/* Whether an output that may be written over an input rather is not: the caller gave an array for it; or division by products, which
   read again what they have written, pays for memory of its own, of which there are so many elements in a near cache. */
#define OPW_APART_ELEMENTS 8192
OPW_INLINE int opw_stays_apart(const opw_loop *work, PyArrayObject *given, npy_intp n)
{
    return given || (work->rows && n <= OPW_APART_ELEMENTS);
}

/* Gives each output of an in-place kernel its input's array, where that may be. */
static void opw_overwrite(const opw_loop *work, opw_places outputs, const opw_operand *list, int ndim, const npy_intp *dims)
{
    npy_intp n = 1;
    int k;
    for (k = 0; k < ndim; k++)
        n *= dims[k];
    for (k = 0; k < work->outputs; k++) {
        int which = work->over[k];
        if (which < 0 || opw_stays_apart(work, *opw_place(outputs, k), n) || !opw_may_overwrite(list, work->inputs, which, ndim, dims) ||
            opw_taken(outputs, k, list[which].array))
            continue;
        Py_INCREF(list[which].array);
        opw_put_array(opw_place(outputs, k), list[which].array);
    }
}

/* A new array whose axes lie in memory as those of the loop do. */
static PyArrayObject *opw_new_like(const opw_axes *axes, int ndim, const npy_intp *dims, int type, npy_intp size)
{
    npy_intp strides[OPW_MAX_DIMS];
    int i;
    for (i = axes->n - 1; i >= 0; i--) {
        strides[axes->axis[i]] = size;
        size *= axes->dims[i];
    }
    Py_INCREF(opw_dtypes[type]); /* NumPy takes it */
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, opw_dtypes[type], ndim, (npy_intp *)dims, strides, NULL, 0, NULL);
}

/* Makes the output in a place an array of this shape: what is there, or a new one. */
static int opw_fit_like(PyArrayObject **place, const opw_axes *axes, int ndim, const npy_intp *dims, int type, npy_intp size)
{
    return (!*place || !opw_has_dims(*place, ndim, dims)) && opw_put_array(place, opw_new_like(axes, ndim, dims, type, size));
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

/* Runs a loop over axes, of one at least, p: where its operands begin. */
static int opw_store_axes(const opw_loop *work, opw_axes *axes, npy_intp total, char **p)
{
    npy_intp at[OPW_MAX_DIMS];
    int status, row;
    if (total >= OPW_PACK_WORTH && (status = opw_run_packed(work, axes, p)) != OPW_AS_IT_IS)
        return status;
    row = axes->n - 1;
    opw_rewind(at, row - 1);
    do {
        if ((status = opw_run_rows(work, axes->dims[row], row ? axes->dims[row - 1] : 1, p, axes->strides[row],
                                   axes->strides[row ? row - 1 : row])))
            return status;
    } while (row && opw_next(axes, row - 1, at, p));
    return 0;
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
    int k;
    for (k = 0; k < axes->operands; k++)
        p[k] = all->p[k] + first * axes->strides[all->axis][k];
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

/* Runs a loop over axes that are in order. */
static int opw_store_over(const opw_loop *work, opw_axes *axes, const opw_operand *list)
{
    npy_intp total = 1;
    char *p[OPW_MAX_OPERANDS];
    int i, k;

    opw_join_axes(axes);
    for (i = 0; i < axes->n; i++)
        total *= axes->dims[i];
    for (k = 0; k < axes->operands; k++)
        p[k] = list[k].data;
    if (!axes->n) {
        axes->n = 1;
        axes->dims[0] = 1;
        for (k = 0; k < axes->operands; k++)
            axes->strides[0][k] = 0;
    }
    return opw_is_worth(work, total) ? opw_store_shared(work, axes, total, p) : opw_store_axes(work, axes, total, p);
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

/* Any shapes and strides. list: the inputs. */
static int opw_store_listed(const opw_loop *work, opw_places places, const opw_group *group, opw_operand *list)
{
    opw_axes axes;
    int status = opw_lay_stores(work, places, group, list, &axes);
    return status ? (status == OPW_EMPTY ? 0 : status) : opw_store_over(work, &axes, list);
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
