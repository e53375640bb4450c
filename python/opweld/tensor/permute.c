/* Other axes. */

#section support_code
/* x with its axes in another order; -1 in order is a new axis. An axis that order leaves out must be of size 1. */
static PyArrayObject* opw_dimshuffle(PyArrayObject* x, int ndim, const int* order)
{
    npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    char kept[NPY_MAXDIMS] = {0};
    int i;
    for (i = 0; i < ndim; i++) {
        dims[i] = order[i] < 0 ? 1 : PyArray_DIM(x, order[i]);
        strides[i] = order[i] < 0 ? 0 : PyArray_STRIDE(x, order[i]);
        if (order[i] >= 0) kept[order[i]] = 1;
    }
    for (i = 0; i < PyArray_NDIM(x); i++) {
        if (!kept[i] && PyArray_DIM(x, i) != 1) {
            PyErr_SetString(PyExc_ValueError, "cannot select an axis to squeeze out which has size not equal to one");
            return NULL;
        }
    }
    return opw_view(x, ndim, dims, strides, PyArray_BYTES(x), PyArray_FLAGS(x) & NPY_ARRAY_WRITEABLE);
}
