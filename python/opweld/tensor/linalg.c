/* One product of two matrices or vectors, by NumPy's BLAS. */

#section support_code
/* The product over the last axis of x and an axis of y. */
static int opw_product(PyArrayObject** out, PyArrayObject* x, PyArrayObject* y, int axis, int type_num)
{
    const size_t rows = (size_t)PyArray_NDIM(x) - 1, behind = (size_t)(PyArray_NDIM(y) - axis) - 1;
    npy_intp dims[2 * NPY_MAXDIMS];
    PyObject* made;
    memcpy(dims, PyArray_DIMS(x), rows * sizeof *dims);
    memcpy(dims + rows, PyArray_DIMS(y), (size_t)axis * sizeof *dims);
    memcpy(dims + rows + axis, PyArray_DIMS(y) + axis + 1, behind * sizeof *dims);
    if (opw_allocate(out, (int)(rows + behind) + axis, dims, type_num) < 0) return -1;
    made = PyArray_MatrixProduct2((PyObject*)x, (PyObject*)y, *out);
    Py_XDECREF(made); /* it is the output */
    return made == NULL ? -1 : 0;
}
