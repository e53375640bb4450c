/* Arrays of one value, and of numbers. */

#section support_code
/* A value in a shape; storage of the right one is kept. */
static int opw_alloc(PyArrayObject** out, PyArrayObject* value, int ndim, npy_intp* shape, int type_num)
{
    int axis, same = *out != NULL;
    for (axis = 0; axis < ndim; axis++) {
        if (shape[axis] < 0) {
            PyErr_Format(PyExc_ValueError, "alloc: size %d is negative: %zd", axis, (Py_ssize_t)shape[axis]);
            return -1;
        }
        same = same && PyArray_DIM(*out, axis) == shape[axis];
    }
    if (!same && opw_store(out, PyArray_SimpleNew(ndim, shape, type_num)) < 0) return -1;
    return PyArray_CopyInto(*out, value);
}

/* Storage for a vector. */
static int opw_vector(PyArrayObject** out, npy_intp length, int type_num)
{
    if (*out != NULL && PyArray_DIM(*out, 0) == length) return 0;
    return opw_store(out, PyArray_SimpleNew(1, &length, type_num));
}
