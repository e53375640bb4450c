/* Sizes that are promised. */

#section support_code
/* Refuses an array of other sizes than these; a negative one is any. */
static int opw_specify(PyArrayObject* x, const npy_intp* sizes, const char* shape)
{
    int axis;
    for (axis = 0; axis < PyArray_NDIM(x); axis++) {
        if (sizes[axis] >= 0 && PyArray_DIM(x, axis) != sizes[axis]) {
            PyErr_Format(PyExc_ValueError, "expected shape %s, but the size along axis %d is %zd", shape, axis,
                         (Py_ssize_t)PyArray_DIM(x, axis));
            return -1;
        }
    }
    return 0;
}
