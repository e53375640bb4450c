//// aside_mean: x: array[1] -> z: array[0]
npy_intp count = PyArray_DIM(x, 0);
if (count == 0) {
    PyErr_SetString(PyExc_ZeroDivisionError, "no elements");
    FAIL
}
double sum = 0;
for (npy_intp k = 0; k < count; k++) sum += *(double *)PyArray_GETPTR1(x, k);
PyObject *number = PyFloat_FromDouble(sum / count);
if (number == NULL) FAIL
PyObject *made = PyArray_FROM_OTF(number, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
Py_DECREF(number);
if (made == NULL) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// aside_concatenate: x: array[1], y: array[1] -> z: array[1]
PyObject *parts = PyTuple_New(2);
if (parts == NULL) FAIL
Py_INCREF(x);
PyTuple_SET_ITEM(parts, 0, (PyObject *)x);
Py_INCREF(y);
PyTuple_SET_ITEM(parts, 1, (PyObject *)y);
PyObject *joined = PyArray_Concatenate(parts, 0);
Py_DECREF(parts);
if (joined == NULL) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)joined;
//// aside_reverse: x: array[1] -> z: array[1]
npy_intp len = PyArray_DIM(x, 0);
if (!(z && PyArray_DIM(z, 0) == len)) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_SimpleNew(1, &len, NPY_DOUBLE);
    if (!z) {
        FAIL
    }
}
for (npy_intp k = 0; k < len; k++)
    *(double *)PyArray_GETPTR1(z, len - 1 - k) = *(double *)PyArray_GETPTR1(x, k);
//// aside_diagonal: x: array[2] -> z: array[1]; views z x
PyObject *made = PyArray_Diagonal(x, 0, 0, 1);
if (!made) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// aside_negated: x: array[1] -> z: array[1]; destroys z x
for (npy_intp k = 0; k < PyArray_DIM(x, 0); k++) {
    double *at = (double *)PyArray_GETPTR1(x, k);
    *at = -*at;
}
Py_XDECREF(z);
z = x;
Py_INCREF(z);
//// aside_outer: x: array[1], y: array[1] -> z: array[2]
npy_intp shape[2] = {PyArray_DIM(x, 0), PyArray_DIM(y, 0)};
PyArrayObject *made = (PyArrayObject *)PyArray_ZEROS(2, shape, NPY_DOUBLE, 0);
if (!made) FAIL
Py_BEGIN_ALLOW_THREADS
for (npy_intp i = 0; i < shape[0]; i++)
    for (npy_intp j = 0; j < shape[1]; j++)
        *(double *)PyArray_GETPTR2(made, i, j) = *(double *)PyArray_GETPTR1(x, i) * *(double *)PyArray_GETPTR1(y, j);
Py_END_ALLOW_THREADS
Py_XDECREF(z);
z = made;
//// aside_lookup: x: array[1] -> z: array[0]
PyObject *sys = PyImport_ImportModule("sys");
if (!sys) FAIL
PyObject *limit = PyObject_GetAttrString(sys, "maxsize");
Py_DECREF(sys);
if (!limit) FAIL
Py_ssize_t most = PyLong_AsSsize_t(limit);
Py_DECREF(limit);
if (most == -1 && PyErr_Occurred()) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
if (!z) FAIL
*(npy_int64 *)PyArray_DATA(z) = most < PyArray_DIM(x, 0);
//// aside_ranks: x: array[1] -> z: array[1]
PyObject *order = PyArray_ArgSort(x, 0, NPY_QUICKSORT);
if (!order) FAIL
npy_intp count = PyArray_DIM((PyArrayObject *)order, 0);
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, &count, NPY_INT64, 0);
if (!made) {
    Py_DECREF(order);
    FAIL
}
for (npy_intp k = 0; k < count; k++) {
    npy_intp at = *(npy_intp *)PyArray_GETPTR1((PyArrayObject *)order, k);
    *(npy_int64 *)PyArray_GETPTR1(made, at) = k;
}
Py_DECREF(order);
Py_XDECREF(z);
z = made;
//// aside_two_buffers: x: array[1] -> z: array[1]
npy_intp count = PyArray_DIM(x, 0);
double *low = NULL, *high = NULL;
low = (double *)malloc((count + 1) * sizeof(double));
high = (double *)malloc((count + 1) * sizeof(double));
if (!low || !high) {
    free(low);
    free(high);
    PyErr_NoMemory();
    FAIL
}
for (npy_intp k = 0; k < count; k++) {
    double v = *(double *)PyArray_GETPTR1(x, k);
    low[k] = floor(v);
    high[k] = ceil(v);
}
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, &count, NPY_DOUBLE, 0);
if (!made) {
    free(low);
    free(high);
    FAIL
}
for (npy_intp k = 0; k < count; k++) *(double *)PyArray_GETPTR1(made, k) = high[k] - low[k];
free(low);
free(high);
Py_XDECREF(z);
z = made;
//// aside_set: x: array[1] -> z: array[0]
PyObject *set = PySet_New(NULL);
if (!set) FAIL
for (npy_intp k = 0; k < PyArray_DIM(x, 0); k++) {
    PyObject *v = PyFloat_FromDouble(*(double *)PyArray_GETPTR1(x, k));
    if (!v) {
        Py_DECREF(set);
        FAIL
    }
    int failed = PySet_Add(set, v);
    Py_DECREF(v);
    if (failed < 0) {
        Py_DECREF(set);
        FAIL
    }
}
Py_ssize_t size = PySet_Size(set);
Py_DECREF(set);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0);
if (!z) FAIL
*(npy_int64 *)PyArray_DATA(z) = size;
