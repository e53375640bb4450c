/* Elements that are named by arrays, added to or set, as ops of Theano and Aesara call it. */

#section support_code
static __attribute__((unused)) int inplace_increment(PyArrayObject *array, PyObject *index, PyArrayObject *values, int inc)
{
    PyObject *numpy, *add, *done;
    if (!inc)
        return PyObject_SetItem((PyObject *)array, index, (PyObject *)values);
    numpy = PyImport_ImportModule("numpy");
    if (numpy == NULL)
        return -1;
    add = PyObject_GetAttrString(numpy, "add");
    Py_DECREF(numpy);
    if (add == NULL)
        return -1;
    done = PyObject_CallMethod(add, "at", "OOO", (PyObject *)array, index, (PyObject *)values);
    Py_DECREF(add);
    if (done == NULL)
        return -1;
    Py_DECREF(done);
    return 0;
}
