/* Pieces. */

#section support_code
/* Views of x, cut along an axis into as many equal pieces. */
static int opw_split(PyArrayObject** const* outs, int count, PyArrayObject* x, int axis)
{
    npy_intp dims[NPY_MAXDIMS];
    int i;
    memcpy(dims, PyArray_DIMS(x), sizeof(npy_intp) * (size_t)PyArray_NDIM(x));
    if (dims[axis] % count != 0) {
        PyErr_SetString(PyExc_ValueError, "array split does not result in an equal division");
        return -1;
    }
    dims[axis] /= count;
    for (i = 0; i < count; i++) {
        PyArrayObject* made = opw_view(x, PyArray_NDIM(x), dims, PyArray_STRIDES(x),
                                       PyArray_BYTES(x) + i * dims[axis] * PyArray_STRIDE(x, axis),
                                       PyArray_FLAGS(x) & NPY_ARRAY_WRITEABLE);
        if (opw_store(outs[i], (PyObject*)made) < 0) return -1;
    }
    return 0;
}
