/* Where elements are that count. */

#section support_code
/* numpy.nonzero, which gives views of one matrix: they are copied to be apart. */
static int opw_nonzero(PyArrayObject** const* outs, int count, PyArrayObject* x)
{
    PyObject* found = PyArray_Nonzero(x);
    int i, failed = found == NULL;
    for (i = 0; i < count && !failed; i++) {
        PyArrayObject* one = (PyArrayObject*)PyTuple_GET_ITEM(found, i);
        failed = opw_store(outs[i], PyArray_NewCopy(one, NPY_CORDER)) < 0;
    }
    Py_XDECREF(found);
    return failed ? -1 : 0;
}
