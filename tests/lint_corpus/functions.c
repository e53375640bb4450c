//// twice: x: array[1] -> z: array[1]
static int twice(PyArrayObject *x, PyArrayObject **z)
{
    if (*z == NULL || PyArray_DIM(*z, 0) != PyArray_DIM(x, 0)) {
        Py_XDECREF(*z);
        *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
        if (*z == NULL) return 1;
    }
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
        *(double *)PyArray_GETPTR1(*z, i) = 2 * *(double *)PyArray_GETPTR1(x, i);
    return 0;
}
//// helped: x: array[1], y: array[1] -> z: array[1]
static double between(double a, double b) { return a + (b - a) / 2; }
static int helped(PyArrayObject *x, PyArrayObject *y, PyArrayObject **z)
{
    if (PyArray_DIM(x, 0) != PyArray_DIM(y, 0)) {
        PyErr_SetString(PyExc_ValueError, "x and y differ in length");
        return 1;
    }
    PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (!made) return 1;
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
        *(double *)PyArray_GETPTR1(made, i) =
            between(*(double *)PyArray_GETPTR1(x, i), *(double *)PyArray_GETPTR1(y, i));
    Py_XDECREF(*z);
    *z = made;
    return 0;
}
//// named: x: array[1] -> z: array[1]
static int named(PyArrayObject *x, PyArrayObject **z)
{
    PyObject *name = PyUnicode_FromString("cumsum");
    if (!name) return -1;
    PyObject *result = PyObject_CallMethodObjArgs((PyObject *)x, name, NULL);
    Py_DECREF(name);
    if (!result) return -1;
    PyObject *made = PyArray_FROM_OTF(result, NPY_DOUBLE, NPY_ARRAY_DEFAULT | NPY_ARRAY_ENSURECOPY);
    Py_DECREF(result);
    if (!made) return -1;
    Py_XDECREF(*z);
    *z = (PyArrayObject *)made;
    return 0;
}
//// last_exit: x: array[1] -> z: array[1]
static int last_exit(PyArrayObject *x, PyArrayObject **z)
{
    int failed = 1;
    PyObject *list = NULL, *made = NULL;
    list = PySequence_List((PyObject *)x);
    if (!list) goto end;
    if (PyList_Sort(list) < 0) goto end;
    made = PyArray_FROM_OTF(list, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
    if (!made) goto end;
    Py_XDECREF(*z);
    *z = (PyArrayObject *)made;
    failed = 0;
end:
    Py_XDECREF(list);
    return failed;
}
//// histogram: x: array[1], y: array[0] -> z: array[1]
static int histogram(PyArrayObject *x, PyArrayObject *y, PyArrayObject **z)
{
    npy_intp bins = *(npy_int64 *)PyArray_DATA(y);
    if (bins < 1) {
        PyErr_Format(PyExc_ValueError, "there must be at least 1 bin, not %zd", bins);
        return 1;
    }
    npy_intp *counts = (npy_intp *)calloc(bins, sizeof(npy_intp));
    if (!counts) {
        PyErr_NoMemory();
        return 1;
    }
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) {
        double v = *(double *)PyArray_GETPTR1(x, i);
        if (v >= 0 && v < 1) counts[(npy_intp)(v * bins)]++;
    }
    Py_XDECREF(*z);
    *z = (PyArrayObject *)PyArray_EMPTY(1, &bins, NPY_INT64, 0);
    if (!*z) {
        free(counts);
        return 1;
    }
    for (npy_intp i = 0; i < bins; i++) *(npy_int64 *)PyArray_GETPTR1(*z, i) = counts[i];
    free(counts);
    return 0;
}
