/* Arrays together. */

#section support_code
/* What count arrays are together along an axis, an old one or, for stacks, a new one, written into *out. */
static int opw_join(PyArrayObject** out, PyArrayObject** parts, int count, int axis, int stacks, int type_num)
{
    const int inner = PyArray_NDIM(parts[0]), ndim = inner + stacks;
    npy_intp dims[NPY_MAXDIMS];
    npy_intp *have, *first = PyArray_DIMS(parts[0]);
    char* at;
    int i, k;
    for (i = 0; i < ndim; i++) dims[i] = stacks ? (i == axis ? count : first[i - (i > axis)]) : first[i];
    for (k = 1; k < count; k++) {
        have = PyArray_DIMS(parts[k]);
        for (i = 0; i < inner; i++) {
            if (!stacks && i == axis) {
                dims[axis] += have[axis];
            } else if (have[i] != first[i]) {
                if (stacks) {
                    PyErr_SetString(PyExc_ValueError, "all input arrays must have the same shape");
                } else {
                    PyErr_Format(PyExc_ValueError, "all the input array dimensions except for the concatenation axis "
                                 "must match exactly, but along dimension %d, the array at index 0 has size %zd and "
                                 "the array at index %d has size %zd", i, (Py_ssize_t)first[i], k, (Py_ssize_t)have[i]);
                }
                return -1;
            }
        }
    }
    if (*out == NULL || !PyArray_CompareLists(PyArray_DIMS(*out), dims, ndim)) {
        Py_XDECREF(*out);
        *out = (PyArrayObject*)PyArray_SimpleNew(ndim, dims, type_num);
        if (*out == NULL) return -1;
    }
    at = PyArray_BYTES(*out);
    for (k = 0; k < count; k++) { /* each goes where a view of the result says */
        npy_intp strides[NPY_MAXDIMS];
        PyArrayObject* place;
        int failed;
        for (i = 0; i < inner; i++) strides[i] = PyArray_STRIDE(*out, i + (stacks && i >= axis));
        place = opw_view(*out, inner, PyArray_DIMS(parts[k]), strides, at, NPY_ARRAY_WRITEABLE);
        if (place == NULL) return -1;
        failed = PyArray_CopyInto(place, parts[k]);
        Py_DECREF(place);
        if (failed) return -1;
        at += (stacks ? 1 : PyArray_DIM(parts[k], axis)) * PyArray_STRIDE(*out, axis);
    }
    return 0;
}
