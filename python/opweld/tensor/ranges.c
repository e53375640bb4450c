/* Counting. */

#section support_code
/* numpy.arange */
static int opw_arange(PyArrayObject** out, PyArrayObject* start, PyArrayObject* stop, PyArrayObject* step, int type_num)
{
    const int moves = PyObject_IsTrue((PyObject*)step);
    PyArray_Descr* descr;
    PyObject* numbers;
    if (moves <= 0) {
        if (moves == 0) PyErr_SetString(PyExc_ZeroDivisionError, "division by zero");
        return -1;
    }
    descr = PyArray_DescrFromType(type_num);
    if (descr == NULL) return -1;
    numbers = PyArray_ArangeObj((PyObject*)start, (PyObject*)stop, (PyObject*)step, descr);
    Py_DECREF(descr);
    return opw_store(out, numbers);
}
