//// cast: x: array[1] -> z: array[1]
Py_XDECREF(z);
z = reinterpret_cast<PyArrayObject *>(PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0));
if (z == nullptr) FAIL
for (npy_intp i = 0; i < PyArray_DIM(x, 0); ++i)
    *static_cast<double *>(PyArray_GETPTR1(z, i)) = *static_cast<double *>(PyArray_GETPTR1(x, i));
//// vector: x: array[1] -> z: array[0]
std::vector<double> values;
for (npy_intp i = 0; i < PyArray_DIM(x, 0); ++i) values.push_back(*static_cast<double *>(PyArray_GETPTR1(x, i)));
std::sort(values.begin(), values.end());
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = values.empty() ? 0.0 : values[values.size() / 2];
//// unlikely_path: x: array[1], y: array[1] -> z: array[1]
if (NPY_UNLIKELY(PyArray_DIM(x, 0) != PyArray_DIM(y, 0))) {
    PyErr_SetString(PyExc_ValueError, "x and y differ in length");
    FAIL
}
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (NPY_UNLIKELY(!made)) FAIL
for (npy_intp i = 0; i < PyArray_DIM(x, 0); ++i)
    *(double *)PyArray_GETPTR1(made, i) = *(double *)PyArray_GETPTR1(x, i) - *(double *)PyArray_GETPTR1(y, i);
Py_XDECREF(z);
z = made;
//// scoped: x: array[1] -> z: array[1]
{
    PyObject *list = PySequence_List((PyObject *)x);
    if (!list) FAIL
    if (PyList_Reverse(list) < 0) {
        Py_DECREF(list);
        FAIL
    }
    PyObject *made = PyArray_FROM_OTF(list, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
    Py_DECREF(list);
    if (!made) FAIL
    Py_XDECREF(z);
    z = (PyArrayObject *)made;
}
//// iterated: x: array[1] -> z: array[0]
PyObject *iterator = PyObject_GetIter((PyObject *)x);
if (!iterator) FAIL
double total = 0;
while (PyObject *item = PyIter_Next(iterator)) {
    total += PyFloat_AsDouble(item);
    Py_DECREF(item);
}
Py_DECREF(iterator);
if (PyErr_Occurred()) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = total;
//// cumulative: x: array[1] -> z: array[1]
const npy_intp n = PyArray_DIM(x, 0);
if (!z || PyArray_DIM(z, 0) != n) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (!z) FAIL
}
double running = 0;
for (npy_intp i = 0; i < n; ++i) {
    running += *(double *)PyArray_GETPTR1(x, i);
    *(double *)PyArray_GETPTR1(z, i) = running;
}
//// destroyed: x: array[2] -> z: array[2]; destroys z x
if (PyArray_DIM(x, 0) != PyArray_DIM(x, 1)) {
    PyErr_Format(PyExc_ValueError, "x is %zd by %zd", PyArray_DIM(x, 0), PyArray_DIM(x, 1));
    FAIL
}
for (npy_intp i = 0; i < PyArray_DIM(x, 0); ++i) *(double *)PyArray_GETPTR2(x, i, i) = 0;
Py_INCREF(x);
Py_XDECREF(z);
z = x;
//// squeezed: x: array[2] -> z: array[1]; views z x
npy_intp n = PyArray_SIZE(x);
PyArray_Dims shape = {&n, 1};
PyArrayObject *made = (PyArrayObject *)PyArray_Newshape(x, &shape, NPY_CORDER);
if (!made) FAIL
Py_XDECREF(z);
z = made;
//// tuple_pack: x: array[1] -> z: array[0]
PyObject *low = PyLong_FromLong(0);
if (!low) FAIL
PyObject *high = PyLong_FromSsize_t(PyArray_DIM(x, 0));
if (!high) {
    Py_DECREF(low);
    FAIL
}
PyObject *pair = PyTuple_Pack(2, low, high);
Py_DECREF(low);
Py_DECREF(high);
if (!pair) FAIL
Py_ssize_t size = PyTuple_GET_SIZE(pair);
Py_DECREF(pair);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = (double)size;
//// kept_item: x: array[1] -> z: array[0]
PyObject *list = PySequence_List((PyObject *)x);
if (!list) FAIL
if (PyList_GET_SIZE(list) == 0) {
    PyErr_SetString(PyExc_ValueError, "x is empty");
    Py_DECREF(list);
    FAIL
}
PyObject *first = PyList_GET_ITEM(list, 0);
Py_INCREF(first);
Py_DECREF(list);
double value = PyFloat_AsDouble(first);
Py_DECREF(first);
if (value == -1.0 && PyErr_Occurred()) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = value;
//// filled: x: array[1] -> z: array[1]
PyArrayObject *made = (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (!made) FAIL
PyObject *one = PyFloat_FromDouble(1.0);
if (!one) {
    Py_DECREF(made);
    FAIL
}
if (PyArray_FillWithScalar(made, one) < 0) {
    Py_DECREF(one);
    Py_DECREF(made);
    FAIL
}
Py_DECREF(one);
Py_XDECREF(z);
z = made;
//// clipped: x: array[1], y: array[0] -> z: array[1]
double most = *(double *)PyArray_DATA(y);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
if (!z) FAIL
double *to = (double *)PyArray_DATA(z);
npy_intp n = PyArray_SIZE(z);
for (npy_intp i = 0; i < n; ++i)
    if (to[i] > most) to[i] = most;
