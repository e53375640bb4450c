/* How ops get and fill the storage of their outputs. */

#section support_code
/* Puts a new array, or NULL, into an output; -1 with an exception set. */
static int opw_store(PyArrayObject** out, PyObject* made)
{
    if (made == NULL) return -1;
    Py_XDECREF(*out);
    *out = (PyArrayObject*)made;
    return 0;
}

/* Keeps an output's array where it is C-contiguous and of the right sizes, and else makes one. */
static int opw_allocate(PyArrayObject** out, int ndim, npy_intp* dims, int type_num)
{
    if (*out != NULL && PyArray_IS_C_CONTIGUOUS(*out) && PyArray_CompareLists(PyArray_DIMS(*out), dims, ndim)) return 0;
    return opw_store(out, PyArray_SimpleNew(ndim, dims, type_num));
}
