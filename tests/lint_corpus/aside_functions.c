//// aside_scaled: x: array[1], y: array[0] -> z: array[1]
static int aside_scaled(PyArrayObject *x, PyArrayObject *y, PyArrayObject **z)
{
    const double by = *(double *)PyArray_DATA(y);
    PyArrayObject *made = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
    if (made == NULL) return 1;
    double *to = (double *)PyArray_DATA(made);
    for (npy_intp k = 0; k < PyArray_SIZE(made); k++) to[k] *= by;
    Py_XDECREF(*z);
    *z = made;
    return 0;
}
//// aside_checked: x: array[1] -> z: array[1]
static int finite(double v) { return isfinite(v); }
static int aside_checked(PyArrayObject *x, PyArrayObject **z)
{
    for (npy_intp k = 0; k < PyArray_DIM(x, 0); k++) {
        if (!finite(*(double *)PyArray_GETPTR1(x, k))) {
            PyErr_Format(PyExc_ValueError, "element %zd is not finite", k);
            return 1;
        }
    }
    Py_CLEAR(*z);
    *z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
    return *z ? 0 : 1;
}
