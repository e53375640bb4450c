/* How an op that writes into its input begins. */

#section support_code
/* Makes the output what is written into: x itself, or a copy of it. */
static int opw_begin(PyArrayObject** out, PyArrayObject* x, int inplace)
{
    if (inplace) {
        Py_INCREF(x);
        return opw_store(out, (PyObject*)x);
    }
    if (*out != NULL && PyArray_SAMESHAPE(*out, x)) return PyArray_CopyInto(*out, x);
    return opw_store(out, PyArray_NewCopy(x, NPY_ANYORDER));
}
