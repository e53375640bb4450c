/* What ops that make views call. */

#section support_code
/* A view of x, which it keeps alive; NULL with an exception set. */
static PyArrayObject* opw_view(PyArrayObject* x, int ndim, npy_intp* dims, npy_intp* strides, char* data, int flags)
{
    PyArray_Descr* descr = PyArray_DESCR(x);
    PyArrayObject* made;
    Py_INCREF(descr); /* the next call takes it */
    made = (PyArrayObject*)PyArray_NewFromDescr(&PyArray_Type, descr, ndim, dims, strides, data, flags, NULL);
    if (made == NULL) return NULL;
    Py_INCREF(x); /* and this one x, whatever comes of it */
    if (PyArray_SetBaseObject(made, (PyObject*)x) < 0) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}
