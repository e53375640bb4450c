//// rows_by_number: x: array[2], y: array[1] -> z: array[2]
npy_intp shape[2] = {PyArray_DIM(y, 0), PyArray_DIM(x, 1)};
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(2, shape, NPY_DOUBLE, 0);
if (!made) FAIL
for (npy_intp i = 0; i < shape[0]; i++) {
    npy_int64 row = *(npy_int64 *)PyArray_GETPTR1(y, i);
    if (row < 0 || row >= PyArray_DIM(x, 0)) {
        PyErr_Format(PyExc_IndexError, "row %lld of %zd", (long long)row, PyArray_DIM(x, 0));
        Py_DECREF(made);
        FAIL
    }
    for (npy_intp j = 0; j < shape[1]; j++)
        *(double *)PyArray_GETPTR2(made, i, j) = *(double *)PyArray_GETPTR2(x, row, j);
}
Py_XDECREF(z);
z = made;
//// behaved: x: array[1] -> z: array[1]
PyArrayObject *from = (PyArrayObject *)PyArray_FROM_OTF((PyObject *)x, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY);
if (!from) FAIL
const double *v = (const double *)PyArray_DATA(from);
npy_intp n = PyArray_SIZE(from);
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
if (!made) {
    Py_DECREF(from);
    FAIL
}
double *to = (double *)PyArray_DATA(made);
for (npy_intp i = 0; i < n; i++) to[i] = v[i] * v[i];
Py_DECREF(from);
Py_XDECREF(z);
z = made;
//// string_key: x: array[1] -> z: array[0]
PyObject *text = PyUnicode_FromFormat("%zd", PyArray_DIM(x, 0));
if (!text) FAIL
Py_ssize_t length = PyUnicode_GET_LENGTH(text);
Py_DECREF(text);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
if (!z) FAIL
*(npy_int64 *)PyArray_DATA(z) = length;
//// cleared: x: array[1] -> z: array[1]
PyObject *hook = PyObject_GetAttrString((PyObject *)x, "hook");
if (!hook) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) FAIL
    PyErr_Clear();
}
Py_XDECREF(hook);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
if (!z) FAIL
//// grown: x: array[1] -> z: array[0]
npy_intp room = 4, used = 0;
double *kept = (double *)malloc(room * sizeof(double));
if (!kept) {
    PyErr_NoMemory();
    FAIL
}
for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) {
    if (used == room) {
        double *more = (double *)realloc(kept, 2 * room * sizeof(double));
        if (!more) {
            free(kept);
            PyErr_NoMemory();
            FAIL
        }
        kept = more;
        room *= 2;
    }
    kept[used++] = *(double *)PyArray_GETPTR1(x, i);
}
free(kept);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
if (!z) FAIL
*(npy_int64 *)PyArray_DATA(z) = used;
//// fallback: x: array[1] -> z: array[1]
PyObject *made = PyObject_CallMethod((PyObject *)x, "copy", "s", "C");
if (!made) {
    PyErr_Clear();
    made = PyArray_NewCopy(x, NPY_CORDER);
    if (!made) FAIL
}
if (!PyArray_Check(made)) {
    PyErr_SetString(PyExc_TypeError, "copy gave no array");
    Py_DECREF(made);
    FAIL
}
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// shifted: x: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0);
if (z && (PyArray_DIM(z, 0) != n || !PyArray_IS_C_CONTIGUOUS(z))) Py_CLEAR(z);
if (!z) {
    z = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (!z) FAIL
}
double *to = (double *)PyArray_DATA(z);
for (npy_intp i = 0; i + 1 < n; i++) to[i] = *(double *)PyArray_GETPTR1(x, i + 1);
if (n > 0) to[n - 1] = 0;
//// slice_call: x: array[1] -> z: array[1]
PyObject *start = PyLong_FromLong(1);
if (!start) FAIL
PyObject *slice = PySlice_New(start, NULL, NULL);
Py_DECREF(start);
if (!slice) FAIL
PyObject *part = PyObject_GetItem((PyObject *)x, slice);
Py_DECREF(slice);
if (!part) FAIL
PyObject *made = PyArray_NewCopy((PyArrayObject *)part, NPY_CORDER);
Py_DECREF(part);
if (!made) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// zero_filled: x: array[1] -> z: array[1]
if (z == NULL || PyArray_DIM(z, 0) != PyArray_DIM(x, 0)) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (!z) FAIL
}
if (PyArray_IS_C_CONTIGUOUS(z)) {
    memset(PyArray_DATA(z), 0, PyArray_NBYTES(z));
} else {
    for (npy_intp i = 0; i < PyArray_DIM(z, 0); i++) *(double *)PyArray_GETPTR1(z, i) = 0;
}
