/* Views that an index selects, and writing into them. */

#section support_code
/* The view of x that a form selects, with the numbers that the form needs. i: an integer, n: a new axis, a colon: a
   whole axis, a digit: a slice, of which start, stop and step are given by its bits 1, 2 and 4. */
static PyArrayObject* opw_subtensor(PyArrayObject* x, const char* form, const npy_intp* number)
{
    npy_intp dims[NPY_MAXDIMS], strides[NPY_MAXDIMS];
    char* data = PyArray_BYTES(x);
    int axis = 0, ndim = 0;
    for (; *form != 0; form++) {
        npy_intp size, stride;
        if (*form == 'n') {
            dims[ndim] = 1;
            strides[ndim++] = 0;
            continue;
        }
        size = PyArray_DIM(x, axis);
        stride = PyArray_STRIDE(x, axis);
        if (*form == 'i') {
            const npy_intp at = *number++;
            if (at < -size || at >= size) {
                PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %zd", (Py_ssize_t)at,
                             axis, (Py_ssize_t)size);
                return NULL;
            }
            data += (at < 0 ? at + size : at) * stride;
        } else if (*form == ':') {
            dims[ndim] = size;
            strides[ndim++] = stride;
        } else {
            const int given = *form - '0';
            Py_ssize_t start = given & 1 ? (Py_ssize_t)*number++ : 0;
            Py_ssize_t stop = given & 2 ? (Py_ssize_t)*number++ : PY_SSIZE_T_MAX;
            Py_ssize_t step = given & 4 ? (Py_ssize_t)*number++ : 1;
            if (step == 0) {
                PyErr_SetString(PyExc_ValueError, "slice step cannot be zero");
                return NULL;
            }
            if (step < -PY_SSIZE_T_MAX) step = -PY_SSIZE_T_MAX; /* it must have a negative */
            if (step < 0 && !(given & 1)) start = PY_SSIZE_T_MAX;
            if (step < 0 && !(given & 2)) stop = PY_SSIZE_T_MIN;
            dims[ndim] = (npy_intp)PySlice_AdjustIndices((Py_ssize_t)size, &start, &stop, step);
            if (dims[ndim] == 0) { /* as NumPy: what is empty points nowhere else */
                start = 0;
                step = 1;
            }
            data += start * stride;
            strides[ndim++] = (npy_intp)step * stride;
        }
        axis++;
    }
    for (; axis < PyArray_NDIM(x); axis++) {
        dims[ndim] = PyArray_DIM(x, axis);
        strides[ndim++] = PyArray_STRIDE(x, axis);
    }
    return opw_view(x, ndim, dims, strides, data, PyArray_FLAGS(x) & NPY_ARRAY_WRITEABLE);
}

/* Writes into the view of x that a form selects, or adds to it. */
static int opw_write(PyArrayObject* x, const char* form, const npy_intp* number, PyArrayObject* y, int sets)
{
    int failed;
    PyArrayObject* at = opw_subtensor(x, form, number);
    if (at == NULL) return -1;
    if (sets) {
        failed = PyArray_CopyInto(at, y);
    } else {
        PyObject* sum = PyNumber_InPlaceAdd((PyObject*)at, (PyObject*)y);
        failed = sum == NULL ? -1 : 0;
        Py_XDECREF(sum);
    }
    Py_DECREF(at);
    return failed;
}
