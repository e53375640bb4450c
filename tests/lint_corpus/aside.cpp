//// aside_template: x: array[1] -> z: array[1]
const npy_intp count = PyArray_DIM(x, 0);
Py_XDECREF(z);
z = reinterpret_cast<PyArrayObject *>(PyArray_ZEROS(1, PyArray_DIMS(x), NPY_DOUBLE, 0));
if (!z) FAIL
for (npy_intp k = 0; k < count; ++k) {
    const double v = *static_cast<const double *>(PyArray_GETPTR1(x, k));
    *static_cast<double *>(PyArray_GETPTR1(z, k)) = std::max(v, 0.0);
}
//// aside_format: x: array[1], y: array[1] -> z: array[1]
if (PyArray_DIM(x, 0) < PyArray_DIM(y, 0)) {
    PyErr_Format(PyExc_ValueError, "%s: %zd < %zd, of %d dimension", "aside", PyArray_DIM(x, 0), PyArray_DIM(y, 0), PyArray_NDIM(x));
    FAIL
}
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_NewCopy(y, NPY_CORDER);
if (!z) FAIL
//// aside_nested: x: array[2] -> z: array[0]
auto *rows = (PyArrayObject *)PyArray_Sum(x, 0, NPY_DOUBLE, NULL);
if (!rows) FAIL
auto *all = (PyArrayObject *)PyArray_EnsureArray(PyArray_Sum(rows, 0, NPY_DOUBLE, NULL));
Py_DECREF(rows);
if (!all) FAIL
Py_XDECREF(z);
z = all;
