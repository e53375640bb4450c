/* Weighted means of windows of x, with weights y; z gets the means, and a log is kept meanwhile. */
npy_intp n = PyArray_DIM(x, 0), m = PyArray_DIM(y, 0);
if (m == 0 || m > n) {
    PyErr_Format(PyExc_ValueError, "%zd weights for %zd values", m, n);
    FAIL
}
PyObject *log = PyList_New(0);
if (!log) FAIL
double *scratch = (double *)malloc((size_t)n * sizeof(double));
if (!scratch) {
    Py_DECREF(log);
    PyErr_NoMemory();
    FAIL
}
PyArrayObject *weights = (PyArrayObject *)PyArray_NewCopy(y, NPY_CORDER);
if (!weights) {
    free(scratch);
    Py_DECREF(log);
    FAIL
}

/* The weights need not sum to 1, but they have to sum to something. They are a copy, whatever y's strides are,
 * and the caller's stay as they were.
 */
double total = 0;
for (npy_intp i = 0; i < m; i++) total += *(double *)PyArray_GETPTR1(weights, i);
if (total == 0) {
    PyErr_SetString(PyExc_ZeroDivisionError, "the weights sum to 0");
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
for (npy_intp i = 0; i < m; i++) *(double *)PyArray_GETPTR1(weights, i) /= total;
if (!z || PyArray_DIM(z, 0) != n || !PyArray_IS_C_CONTIGUOUS(z)) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
    if (!z) {
        Py_DECREF(weights);
        free(scratch);
        Py_DECREF(log);
        FAIL
    }
}
/* left */
for (npy_intp i = 0; i < n; i++) {
    npy_intp from = i >= m ? i - m + 1 : 0;
    npy_intp to = i;
    double sum = 0;
    int seen = 0;
    for (npy_intp k = from; k <= to && k - from < m; k++) {
        double v = *(double *)PyArray_GETPTR1(x, k);
        if (v != v) continue;
        sum += v * *(double *)PyArray_GETPTR1(weights, k - from);
        seen++;
    }
    if (seen == 0) {
        scratch[i] = 0;
    } else if (seen < m) {
        scratch[i] = sum * (double)m / seen;
    } else {
        scratch[i] = sum;
    }
}
PyObject *left = PyFloat_FromDouble(scratch[n - 1]);
if (!left || PyList_Append(log, left) < 0) {
    Py_XDECREF(left);
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
Py_DECREF(left);
/* right */
for (npy_intp i = 0; i < n; i++) {
    npy_intp from = i;
    npy_intp to = i + m <= n ? i + m - 1 : n - 1;
    double sum = 0;
    int seen = 0;
    for (npy_intp k = from; k <= to && k - from < m; k++) {
        double v = *(double *)PyArray_GETPTR1(x, k);
        if (v != v) continue;
        sum += v * *(double *)PyArray_GETPTR1(weights, k - from);
        seen++;
    }
    if (seen == 0) {
        scratch[i] = 0;
    } else if (seen < m) {
        scratch[i] = sum * (double)m / seen;
    } else {
        scratch[i] = sum;
    }
}
PyObject *right = PyFloat_FromDouble(scratch[n - 1]);
if (!right || PyList_Append(log, right) < 0) {
    Py_XDECREF(right);
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
Py_DECREF(right);
/* middle */
for (npy_intp i = 0; i < n; i++) {
    npy_intp from = i >= m / 2 ? i - m / 2 : 0;
    npy_intp to = i + m / 2 < n ? i + m / 2 : n - 1;
    double sum = 0;
    int seen = 0;
    for (npy_intp k = from; k <= to && k - from < m; k++) {
        double v = *(double *)PyArray_GETPTR1(x, k);
        if (v != v) continue;
        sum += v * *(double *)PyArray_GETPTR1(weights, k - from);
        seen++;
    }
    if (seen == 0) {
        scratch[i] = 0;
    } else if (seen < m) {
        scratch[i] = sum * (double)m / seen;
    } else {
        scratch[i] = sum;
    }
}
PyObject *middle = PyFloat_FromDouble(scratch[n - 1]);
if (!middle || PyList_Append(log, middle) < 0) {
    Py_XDECREF(middle);
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
Py_DECREF(middle);
/* wide */
for (npy_intp i = 0; i < n; i++) {
    npy_intp from = i >= m ? i - m + 1 : 0;
    npy_intp to = i + m <= n ? i + m - 1 : n - 1;
    double sum = 0;
    int seen = 0;
    for (npy_intp k = from; k <= to && k - from < m; k++) {
        double v = *(double *)PyArray_GETPTR1(x, k);
        if (v != v) continue;
        sum += v * *(double *)PyArray_GETPTR1(weights, k - from);
        seen++;
    }
    if (seen == 0) {
        scratch[i] = 0;
    } else if (seen < m) {
        scratch[i] = sum * (double)m / seen;
    } else {
        scratch[i] = sum;
    }
}
PyObject *wide = PyFloat_FromDouble(scratch[n - 1]);
if (!wide || PyList_Append(log, wide) < 0) {
    Py_XDECREF(wide);
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
Py_DECREF(wide);
/* even */
for (npy_intp i = 0; i < n; i++) {
    npy_intp from = i >= m ? (i - m + 1) / 2 * 2 : 0;
    npy_intp to = i;
    double sum = 0;
    int seen = 0;
    for (npy_intp k = from; k <= to && k - from < m; k++) {
        double v = *(double *)PyArray_GETPTR1(x, k);
        if (v != v) continue;
        sum += v * *(double *)PyArray_GETPTR1(weights, k - from);
        seen++;
    }
    if (seen == 0) {
        scratch[i] = 0;
    } else if (seen < m) {
        scratch[i] = sum * (double)m / seen;
    } else {
        scratch[i] = sum;
    }
}
PyObject *even = PyFloat_FromDouble(scratch[n - 1]);
if (!even || PyList_Append(log, even) < 0) {
    Py_XDECREF(even);
    Py_DECREF(weights);
    free(scratch);
    Py_DECREF(log);
    FAIL
}
Py_DECREF(even);
double *to = (double *)PyArray_DATA(z);
switch (PyList_GET_SIZE(log) > 3 ? 1 : 0) {
case 0:
    memcpy(to, scratch, (size_t)n * sizeof(double));
    break;
default:
    for (npy_intp i = 0; i < n; i++) to[i] = scratch[i] > 0 ? scratch[i] : 0;
}
Py_DECREF(weights);
free(scratch);
Py_DECREF(log);
