/* The loop round a reduction: which axes go, in which order memory is read, halving for pairwise sums. */
/* ---- reductions ---------------------------------------------------------------------------------------------------- */

#define OPW_COLUMNS 128 /* accumulators at once, where those lie closer in memory than what is folded */
#define OPW_MAX_ACCUMULATOR 32

/* What is folded: the axes that go, and m accumulators t bytes apart. */
typedef struct {
    const opw_reduce *work;
    const opw_axes *gone;
    npy_intp m, t;
} opw_folding;

/* Folds count positions of axis `axis` and all of those inside it. Recursion: as deep as there are axes, times the
   logarithm of their sizes. */
static int opw_fold(const opw_folding *f, int axis, const char *p, npy_intp count, void *acc)
{
    const opw_reduce *work = f->work;
    npy_intp stride = f->gone->strides[axis][0], chunk = work->chunk[f->m > 1], half;
    union { char bytes[OPW_COLUMNS * OPW_MAX_ACCUMULATOR]; npy_longdouble align; } other;
    int last = axis == f->gone->n - 1;

    if (last && (!chunk || count <= chunk))
        return work->fold(p, count, stride, f->m, f->t, acc);
    if (!last && count == 1)
        return opw_fold(f, axis + 1, p, f->gone->dims[axis + 1], acc);
    if (!chunk) { /* one after the other */
        npy_intp i;
        if (opw_fold(f, axis + 1, p, f->gone->dims[axis + 1], acc))
            return 1;
        for (i = 1; i < count; i++)
            if (opw_fold(f, axis + 1, p + i * stride, f->gone->dims[axis + 1], other.bytes) ||
                work->join(acc, other.bytes, f->m))
                return 1;
        return 0;
    }
    half = count / 2;
    if (last && f->m == 1)
        half -= half % 8;
    return opw_fold(f, axis, p, half, acc) || opw_fold(f, axis, p + half * stride, count - half, other.bytes) ||
           work->join(acc, other.bytes, f->m);
}

/* Parts the axes: operand 0 of each is the input, operand 1 of the kept ones the output. */
static void opw_part_axes(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out, opw_axes *kept, opw_axes *gone)
{
    int i, j = 0;
    kept->n = gone->n = 0;
    kept->operands = 2;
    gone->operands = 1;
    for (i = 0; i < PyArray_NDIM(in); i++) {
        int goes = (int)(work->axes >> i & 1);
        opw_axes *axes = goes ? gone : kept;
        axes->dims[axes->n] = PyArray_DIM(in, i);
        axes->axis[axes->n] = i;
        axes->strides[axes->n][0] = PyArray_DIM(in, i) == 1 ? 0 : PyArray_STRIDE(in, i);
        if (!goes)
            axes->strides[axes->n][1] = PyArray_DIM(in, i) == 1 ? 0 : PyArray_STRIDE(out, j);
        axes->n++;
        j += !goes || work->keepdims;
    }
    opw_order_axes(kept, 1);
    opw_join_axes(kept);
    opw_order_axes(gone, 1);
    opw_join_axes(gone);
    if (!gone->n) { /* nothing but sizes of 1 */
        gone->n = 1;
        gone->dims[0] = 1;
        gone->strides[0][0] = 0;
    }
}

/* Fills the output; there is something to fold. */
static int opw_reduce_all(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out)
{
    union { char bytes[OPW_COLUMNS * OPW_MAX_ACCUMULATOR]; npy_longdouble align; } acc;
    opw_axes kept, gone;
    opw_folding folding;
    npy_intp at[OPW_MAX_DIMS] = {0}, columns = 1, t = 0, u = 0, i;
    char *p[2];
    int outer;

    opw_part_axes(work, in, out, &kept, &gone);
    outer = kept.n;
    if (kept.n && opw_size(kept.strides[kept.n - 1][0]) < opw_size(gone.strides[gone.n - 1][0])) {
        outer--;
        columns = kept.dims[outer];
        t = kept.strides[outer][0];
        u = kept.strides[outer][1];
    }
    folding.work = work;
    folding.gone = &gone;
    folding.t = t;
    p[0] = PyArray_BYTES(in);
    p[1] = PyArray_BYTES(out);
    do {
        for (i = 0; i < columns; i += OPW_COLUMNS) {
            folding.m = columns - i < OPW_COLUMNS ? columns - i : OPW_COLUMNS;
            if (opw_fold(&folding, 0, p[0] + i * t, gone.dims[0], acc.bytes))
                return 1;
            work->store(acc.bytes, folding.m, p[1] + i * u, u);
        }
    } while (opw_next(&kept, outer, at, p));
    return 0;
}

/* Fills the output of a reduction of nothing, which is new. */
static int opw_reduce_nothing(const opw_reduce *work, PyArrayObject *in, PyArrayObject *out)
{
    union { char bytes[OPW_MAX_ACCUMULATOR]; npy_longdouble align; } acc;
    npy_intp i, n = PyArray_SIZE(out);
    int axis;
    for (axis = 0; !work->identity && axis < PyArray_NDIM(in); axis++)
        if (!PyArray_DIM(in, axis) && work->axes >> axis & 1) { /* an error, as in NumPy, also where there is no result */
            PyErr_Format(PyExc_ValueError, "zero-size array to reduction operation %s which has no identity", work->name);
            return 1;
        }
    if (!n)
        return 0;
    work->identity(acc.bytes, 1);
    for (i = 0; i < n; i++)
        work->store(acc.bytes, 1, PyArray_BYTES(out) + i * PyArray_ITEMSIZE(out), 0);
    return 0;
}

int opw_run_reduce(char *frame, const uint32_t *slots)
{
    const opw_reduce *work = &OPW_HEAD(frame)->program->reduce_table[*slots++];
    PyArrayObject *in = OPW_ARRAY(frame + slots[0]);
    char *slot = frame + slots[1];
    npy_intp dims[OPW_MAX_DIMS];
    int i, ndim = 0;

    for (i = 0; i < PyArray_NDIM(in); i++)
        if (!(work->axes >> i & 1))
            dims[ndim++] = PyArray_DIM(in, i);
        else if (work->keepdims)
            dims[ndim++] = 1;
    if (OPW_ARRAY(slot) && !PyArray_IS_C_CONTIGUOUS(OPW_ARRAY(slot)) && !PyArray_SIZE(in) &&
        opw_put_array(slot, (PyArrayObject *)PyArray_SimpleNew(ndim, dims, work->type)))
        return 1;
    if (opw_fit_output(slot, ndim, dims, work->type))
        return 1;
    if (!PyArray_SIZE(in))
        return opw_reduce_nothing(work, in, OPW_ARRAY(slot));
    return opw_reduce_all(work, in, OPW_ARRAY(slot));
}
