/* What surrounds a loop that folds: which axes go, in which order memory is read, halving for pairwise sums. */
/* ---- loops that fold ----------------------------------------------------------------------------------------------- */

typedef union { char bytes[OPW_ACCUMULATORS]; npy_longdouble align; } opw_accumulators;

/* What is folded: the axes that go, and m columns t apart. */
typedef struct {
    const opw_fold *fold;
    const opw_axes *gone;
    npy_intp m;
    const npy_intp *t;
} opw_folding;

/* n operands, `count` strides on. */
static void opw_moved(char *const *p, const npy_intp *strides, npy_intp count, int n, char **q)
{
    int k;
    for (k = 0; k < n; k++)
        q[k] = p[k] + count * strides[k];
}

/* Folds count positions of axis `axis` and all of those inside it. Recursion: as deep as there are axes, times the
   logarithm of their sizes. */
static int opw_fold_axis(const opw_folding *f, int axis, char *const *p, npy_intp count, void *acc)
{
    const opw_fold *fold = f->fold;
    const opw_axes *gone = f->gone;
    npy_intp chunk = fold->chunk[f->m > 1], half, i;
    char *q[OPW_MAX_OPERANDS];
    opw_accumulators other;

    while (count == 1 && axis < gone->n - 1)
        count = gone->dims[++axis];
    if (axis == gone->n - 1 && (!chunk || count <= chunk))
        return fold->block(count, f->m, p, gone->strides[axis], f->t, acc);
    if (!chunk) { /* one after the other */
        if (opw_fold_axis(f, axis + 1, p, gone->dims[axis + 1], acc))
            return 1;
        for (i = 1; i < count; i++) {
            opw_moved(p, gone->strides[axis], i, gone->operands, q);
            if (opw_fold_axis(f, axis + 1, q, gone->dims[axis + 1], other.bytes) || fold->join(acc, other.bytes, f->m))
                return 1;
        }
        return 0;
    }
    half = count / 2;
    if (axis == gone->n - 1 && f->m == 1)
        half -= half % 8;
    opw_moved(p, gone->strides[axis], half, gone->operands, q);
    return opw_fold_axis(f, axis, p, half, acc) || opw_fold_axis(f, axis, q, count - half, other.bytes) ||
           fold->join(acc, other.bytes, f->m);
}

/* The operands of a loop that folds: inputs, what is stored of each element, its place, what is folded. */
typedef struct {
    PyArrayObject *arrays[OPW_MAX_OPERANDS]; /* NULL: the place */
    int n, inputs, blocks;                   /* all; the inputs; those of a block, without what is folded */
} opw_operands;

/* Adds an axis of the loop to those that go, or to those that are kept. at: its place in what is folded; place: from one of
   its positions to the next. */
static void opw_add_axis(opw_axes *axes, const opw_operands *list, int ndim, npy_intp dim, int axis, int at, npy_intp place)
{
    npy_intp *strides = axes->strides[axes->n];
    int k;
    for (k = 0; k < axes->operands; k++) {
        PyArrayObject *array = list->arrays[k];
        int own = k < list->blocks && array ? axis - (ndim - PyArray_NDIM(array)) : at;
        if (!array)
            strides[k] = dim == 1 ? 0 : place;
        else
            strides[k] = own < 0 || PyArray_DIM(array, own) == 1 ? 0 : PyArray_STRIDE(array, own);
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
        if (!PyArray_IS_C_CONTIGUOUS(list->arrays[k]) || !opw_same_dims(list->arrays[k], ndim, dims))
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
        gone->strides[0][i] = PyArray_ITEMSIZE(list->arrays[i]);
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

/* How far apart in memory the inputs' neighbours along an axis lie. */
static npy_intp opw_apart(const opw_axes *axes, int axis, int inputs)
{
    npy_intp sum = 0;
    int k;
    for (k = 0; k < inputs; k++)
        sum += opw_size(axes->strides[axis][k]);
    return sum;
}

/* Fills the outputs; there is something to fold. */
static int opw_fold_all(const opw_fold *fold, const opw_operands *list, int ndim, const npy_intp *dims)
{
    static const npy_intp none[OPW_MAX_OPERANDS] = {0};
    opw_accumulators acc;
    opw_axes kept, gone;
    opw_folding folding;
    npy_intp at[OPW_MAX_DIMS] = {0}, columns = 1, i;
    char *p[OPW_MAX_OPERANDS], *q[OPW_MAX_OPERANDS];
    int outer, k;

    if (opw_is_run(fold, list, ndim, dims))
        opw_run_axis(list, ndim, dims, &kept, &gone);
    else
        opw_part_axes(fold, list, ndim, dims, &kept, &gone);
    outer = kept.n;
    folding.fold = fold;
    folding.gone = &gone;
    folding.t = none;
    if (kept.n && opw_apart(&kept, kept.n - 1, list->inputs) < opw_apart(&gone, gone.n - 1, list->inputs)) {
        outer--;
        columns = kept.dims[outer];
        folding.t = kept.strides[outer];
    }
    for (k = 0; k < list->n; k++)
        p[k] = list->arrays[k] ? PyArray_BYTES(list->arrays[k]) : OPW_NO_PLACE;
    do {
        for (i = 0; i < columns; i += fold->columns) {
            folding.m = columns - i < fold->columns ? columns - i : fold->columns;
            opw_moved(p, folding.t, i, list->n, q);
            if (opw_fold_axis(&folding, 0, q, gone.dims[0], acc.bytes))
                return 1;
            fold->store(acc.bytes, folding.m, q + list->blocks, folding.t + list->blocks);
        }
    } while (opw_next(&kept, outer, at, p));
    return 0;
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
            return 1;
        }
    n = list->n > list->blocks ? PyArray_SIZE(list->arrays[list->blocks]) : 0;
    if (!n)
        return 0;
    fold->identity(acc.bytes, 1);
    for (i = 0; i < n; i++) {
        for (k = list->blocks; k < list->n; k++)
            p[k] = PyArray_BYTES(list->arrays[k]) + i * PyArray_ITEMSIZE(list->arrays[k]);
        fold->store(acc.bytes, 1, p + list->blocks, none);
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

/* Makes the outputs of one kind, and lists them. */
static int opw_list_outputs(char *frame, const uint32_t *slots, const opw_loop *work, opw_operands *list, int folded, int ndim,
                            const npy_intp *dims, int empty)
{
    int k;
    for (k = 0; k < work->outputs; k++) {
        int operand = work->inputs + k;
        char *slot = frame + slots[operand];
        if ((work->fold->kinds[k] == OPW_FOLDED) != folded)
            continue;
        if (empty && OPW_ARRAY(slot) && !PyArray_IS_C_CONTIGUOUS(OPW_ARRAY(slot)) &&
            opw_put_array(slot, (PyArrayObject *)PyArray_SimpleNew(ndim, (npy_intp *)dims, work->types[operand])))
            return 1;
        if (opw_fit_output(slot, ndim, dims, work->types[operand]))
            return 1;
        list->arrays[list->n++] = OPW_ARRAY(slot);
    }
    return 0;
}

int opw_run_folds(char *frame, const uint32_t *slots)
{
    const opw_loop *work = &OPW_HEAD(frame)->program->loop_table[*slots++];
    const opw_fold *fold = work->fold;
    npy_intp dims[OPW_MAX_DIMS], left[OPW_MAX_DIMS];
    opw_operands list;
    int i, ndim, folded, empty = 0;

    for (i = 0; i < work->inputs; i++)
        list.arrays[i] = OPW_ARRAY(frame + slots[i]);
    list.n = list.inputs = work->inputs;
    ndim = opw_broadcast(list.arrays, list.inputs, dims);
    if (ndim < 0)
        return 1;
    for (i = 0; i < ndim; i++)
        empty |= !dims[i];
    folded = opw_folded_dims(fold, ndim, dims, left);
    if (opw_list_outputs(frame, slots, work, &list, 0, ndim, dims, empty))
        return 1;
    if (fold->indexed)
        list.arrays[list.n++] = NULL;
    list.blocks = list.n;
    if (opw_list_outputs(frame, slots, work, &list, 1, folded, left, empty))
        return 1;
    return empty ? opw_fold_nothing(fold, &list, ndim, dims) : opw_fold_all(fold, &list, ndim, dims);
}
