/* What surrounds a loop of stores: broadcasting, outputs, the order of the axes. */
/* ---- loops of stores ---------------------------------------------------------------------------------------------- */

/* "(3,) (2,4) ": the shapes, as NumPy writes them in its message. A new reference, or NULL. */
static PyObject *opw_shapes(PyArrayObject **arrays, int n)
{
    PyObject *text = PyUnicode_FromString(""), *longer;
    int i, j, ndim;
    for (i = 0; i < n; i++) {
        ndim = PyArray_NDIM(arrays[i]);
        for (j = 0; text && j <= ndim; j++) {
            if (j < ndim)
                longer = PyUnicode_FromFormat(j ? "%U,%zd" : "%U(%zd", text, (Py_ssize_t)PyArray_DIM(arrays[i], j));
            else
                longer = PyUnicode_FromFormat(ndim > 1 ? "%U) " : ndim ? "%U,) " : "%U() ", text);
            Py_DECREF(text);
            text = longer;
        }
    }
    return text;
}

/* The shape that the inputs are broadcast to; its number of dimensions, or -1. */
static int opw_broadcast(PyArrayObject **arrays, int n, npy_intp *dims)
{
    int i, j, ndim = 0;
    for (i = 0; i < n; i++)
        if (PyArray_NDIM(arrays[i]) > ndim)
            ndim = PyArray_NDIM(arrays[i]);
    for (j = 0; j < ndim; j++)
        dims[j] = 1;
    for (i = 0; i < n; i++) {
        int own = PyArray_NDIM(arrays[i]);
        for (j = 0; j < own; j++) {
            npy_intp have = PyArray_DIM(arrays[i], j), *dim = &dims[ndim - own + j];
            if (have == 1 || have == *dim)
                continue;
            if (*dim != 1) {
                PyObject *shapes = opw_shapes(arrays, n);
                if (shapes)
                    PyErr_Format(PyExc_ValueError, "operands could not be broadcast together with shapes %U", shapes);
                Py_XDECREF(shapes);
                return -1;
            }
            *dim = have;
        }
    }
    return ndim;
}

/* Whether an output may be written over an input: of the same shape, writeable, no two elements in one place, and no other
   input partly there too. */
static int opw_may_overwrite(PyArrayObject **arrays, int inputs, int which, int ndim, const npy_intp *dims)
{
    PyArrayObject *array = arrays[which];
    int i;
    if (!opw_same_dims(array, ndim, dims) || !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE) || opw_folds(array))
        return 0;
    for (i = 0; i < inputs; i++) {
        if (i == which || arrays[i] == array || !opw_overlap((PyObject *)arrays[i], (PyObject *)array))
            continue;
        if (PyArray_BYTES(arrays[i]) != PyArray_BYTES(array) || !opw_same_dims(arrays[i], ndim, dims) ||
            !PyArray_CompareLists(PyArray_STRIDES(arrays[i]), PyArray_STRIDES(array), ndim))
            return 0;
    }
    return 1;
}

/* The same of arrays that all have one shape, in C order, or no dimensions: n elements at p, s bytes apart. */
static int opw_may_overwrite_plain(const opw_loop *work, PyArrayObject **arrays, int which, npy_intp n, char *const *p,
                                   const npy_intp *s)
{
    int i;
    if ((n != 1 && !s[which]) || !PyArray_CHKFLAGS(arrays[which], NPY_ARRAY_WRITEABLE))
        return 0;
    for (i = 0; i < work->inputs; i++)
        if ((p[i] != p[which] || s[i] != s[which]) && p[i] < p[which] + n * work->sizes[which] &&
            p[which] < p[i] + (s[i] ? n : 1) * work->sizes[i])
            return 0;
    return 1;
}

/* Whether an output before output k is written there already: two arguments may be one array. */
static int opw_taken(char *frame, const uint32_t *slots, const opw_loop *work, int k, PyArrayObject *array)
{
    int j;
    for (j = 0; j < k; j++) {
        PyArrayObject *other = OPW_ARRAY(frame + slots[work->inputs + j]);
        if (other && opw_overlap((PyObject *)other, (PyObject *)array))
            return 1;
    }
    return 0;
}

/* Gives each output of an in-place kernel its input's array, where that may be. */
static void opw_overwrite(char *frame, const uint32_t *slots, const opw_loop *work, PyArrayObject **arrays, int ndim,
                          const npy_intp *dims)
{
    int k;
    for (k = 0; k < work->outputs; k++) {
        int which = work->over[k];
        if (which < 0 || !opw_may_overwrite(arrays, work->inputs, which, ndim, dims) ||
            opw_taken(frame, slots, work, k, arrays[which]))
            continue;
        Py_INCREF(arrays[which]);
        opw_put_array(frame + slots[work->inputs + k], arrays[which]);
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
    return (PyArrayObject *)PyArray_NewFromDescr(&PyArray_Type, PyArray_DescrFromType(type), ndim, (npy_intp *)dims, strides,
                                                 NULL, 0, NULL);
}

/* Writes an array's strides, broadcast to ndim axes, into the loop's as those of one operand. */
static void opw_set_strides(opw_axes *axes, int operand, PyArrayObject *array, int ndim)
{
    int i, first = ndim - PyArray_NDIM(array);
    for (i = 0; i < axes->n; i++) {
        int own = axes->axis[i] - first;
        axes->strides[i][operand] = own < 0 || PyArray_DIM(array, own) == 1 ? 0 : PyArray_STRIDE(array, own);
    }
}

/* Any shapes and strides. */
static int opw_run_strided(char *frame, const uint32_t *slots, const opw_loop *work, PyArrayObject **arrays)
{
    npy_intp dims[OPW_MAX_DIMS], at[OPW_MAX_DIMS];
    char *p[OPW_MAX_OPERANDS];
    opw_axes axes;
    int i, k, ndim = opw_broadcast(arrays, work->inputs, dims);
    npy_intp total = 1;

    if (ndim < 0)
        return 1;
    for (i = 0; i < ndim; i++)
        total *= dims[i] != 0; /* only whether there is anything */
    if (work->over)
        opw_overwrite(frame, slots, work, arrays, ndim, dims);
    axes.n = ndim;
    axes.operands = work->inputs;
    for (i = 0; i < ndim; i++) {
        axes.dims[i] = dims[i];
        axes.axis[i] = i;
        at[i] = 0;
    }
    for (k = 0; k < work->inputs; k++)
        opw_set_strides(&axes, k, arrays[k], ndim);
    opw_order_axes(&axes, axes.operands);
    for (k = 0; k < work->outputs; k++) {
        int operand = work->inputs + k;
        char *slot = frame + slots[operand];
        PyArrayObject *array = OPW_ARRAY(slot);
        if (!array || !opw_same_dims(array, ndim, dims))
            if (opw_put_array(slot, opw_new_like(&axes, ndim, dims, work->types[operand], work->sizes[operand])))
                return 1;
        arrays[operand] = OPW_ARRAY(slot);
        opw_set_strides(&axes, operand, arrays[operand], ndim);
        axes.operands = operand + 1;
    }
    if (!total)
        return 0;
    opw_join_axes(&axes);
    for (k = 0; k < axes.operands; k++)
        p[k] = PyArray_BYTES(arrays[k]);
    if (!axes.n) {
        axes.n = 1;
        axes.dims[0] = 1;
        for (k = 0; k < axes.operands; k++)
            axes.strides[0][k] = 0;
    }
    do {
        if (work->inner(axes.dims[axes.n - 1], p, axes.strides[axes.n - 1]))
            return 1;
    } while (opw_next(&axes, axes.n - 1, at, p));
    return 0;
}

/* One shape, C order throughout, or no dimensions: one loop over all. */
int opw_run_stores(char *frame, const uint32_t *slots)
{
    const opw_loop *work = &OPW_HEAD(frame)->program->loop_table[*slots++];
    PyArrayObject *arrays[OPW_MAX_OPERANDS];
    char *p[OPW_MAX_OPERANDS];
    npy_intp s[OPW_MAX_OPERANDS], n = 1;
    const npy_intp *dims = NULL;
    int i, ndim = 0, plain = 1;

    for (i = 0; i < work->inputs; i++) {
        PyArrayObject *array = arrays[i] = OPW_ARRAY(frame + slots[i]);
        p[i] = PyArray_BYTES(array);
        s[i] = work->sizes[i];
        if (!PyArray_NDIM(array))
            s[i] = 0;
        else if (!PyArray_IS_C_CONTIGUOUS(array))
            plain = 0;
        else if (!dims)
            dims = PyArray_DIMS(array), ndim = PyArray_NDIM(array);
        else if (!opw_same_dims(array, ndim, dims))
            plain = 0;
    }
    if (!plain)
        return opw_run_strided(frame, slots, work, arrays);
    for (i = 0; i < ndim; i++)
        n *= dims[i];
    for (i = 0; i < work->outputs; i++) {
        int operand = work->inputs + i, over = work->over ? work->over[i] : -1;
        char *slot = frame + slots[operand];
        if (over >= 0 && PyArray_NDIM(arrays[over]) == ndim && opw_may_overwrite_plain(work, arrays, over, n, p, s) &&
            !opw_taken(frame, slots, work, i, arrays[over])) {
            Py_INCREF(arrays[over]);
            opw_put_array(slot, arrays[over]);
        } else if (opw_fit_output(slot, ndim, dims, work->types[operand]))
            return 1;
        if (!PyArray_IS_C_CONTIGUOUS(OPW_ARRAY(slot)))
            return opw_run_strided(frame, slots, work, arrays);
        p[operand] = PyArray_BYTES(OPW_ARRAY(slot));
        s[operand] = work->sizes[operand];
    }
    return n ? work->inner(n, p, s) : 0;
}
