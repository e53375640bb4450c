//// copy: x: array[1] -> z: array[1]
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
if (!z) FAIL
//// double_it: x: array[1] -> z: array[1]
if (z == NULL || PyArray_DIM(z, 0) != PyArray_DIM(x, 0)) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (z == NULL) FAIL
}
for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
    *(double *)PyArray_GETPTR1(z, i) = 2 * *(double *)PyArray_GETPTR1(x, i);
//// product: x: array[1], y: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0);
if (PyArray_DIM(y, 0) != n) {
    PyErr_Format(PyExc_ValueError, "x has %zd elements, y has %zd", n, PyArray_DIM(y, 0));
    FAIL
}
if (!z || PyArray_DIM(z, 0) != n) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    if (!z) FAIL
}
for (npy_intp i = 0; i < n; ++i) {
    *(double *)PyArray_GETPTR1(z, i) = *(double *)PyArray_GETPTR1(x, i) * *(double *)PyArray_GETPTR1(y, i);
}
//// contiguous_sum: x: array[1] -> z: array[0]
if (!PyArray_IS_C_CONTIGUOUS(x)) {
    PyErr_SetString(PyExc_ValueError, "x must be contiguous");
    FAIL
}
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
const double *from = (const double *)PyArray_DATA(x);
npy_intp n = PyArray_SIZE(x);
double total = 0;
for (npy_intp i = 0; i < n; i++) total += from[i];
*(double *)PyArray_DATA(z) = total;
//// strided_walk: x: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0), step = PyArray_STRIDE(x, 0);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
if (NULL == z) FAIL
char *at = PyArray_BYTES(x);
double *to = (double *)PyArray_DATA(z);
for (npy_intp i = 0; i < n; i++, at += step) to[i] = *(double *)at;
//// in_place: x: array[1] -> z: array[1]; destroys z x
Py_XDECREF(z);
Py_INCREF(x);
z = x;
for (npy_intp i = 0; i < PyArray_DIM(z, 0); i++) *(double *)PyArray_GETPTR1(z, i) += 1;
//// transposed: x: array[2] -> z: array[2]; views z x
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_Transpose(x, NULL);
if (!z) FAIL
//// as_view: x: array[1] -> z: array[1]; views z x
PyArray_Descr *descr = PyArray_DESCR(x);
Py_INCREF(descr);
PyArrayObject *view = (PyArrayObject *)PyArray_View(x, descr, NULL);
if (view == NULL) FAIL
Py_XDECREF(z);
z = view;
//// list_of_two: x: array[1] -> z: array[1]
PyObject *list = PyList_New(2);
if (!list) FAIL
for (int i = 0; i < 2; i++) {
    PyObject *item = PyFloat_FromDouble(i);
    if (!item) {
        Py_DECREF(list);
        FAIL
    }
    PyList_SET_ITEM(list, i, item);
}
PyObject *made = PyArray_FROM_OTF(list, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
Py_DECREF(list);
if (!made) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// appended: x: array[1] -> z: array[1]
PyObject *list = PyList_New(0);
if (!list) FAIL
for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) {
    PyObject *item = PyFloat_FromDouble(*(double *)PyArray_GETPTR1(x, i));
    if (!item) {
        Py_DECREF(list);
        FAIL
    }
    if (PyList_Append(list, item) < 0) {
        Py_DECREF(item);
        Py_DECREF(list);
        FAIL
    }
    Py_DECREF(item);
}
PyObject *made = PyArray_FROM_OTF(list, NPY_DOUBLE, NPY_ARRAY_DEFAULT);
Py_DECREF(list);
if (!made) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)made;
//// by_goto: x: array[1] -> z: array[1]
PyObject *module = NULL, *function = NULL, *result = NULL;
module = PyImport_ImportModule("numpy");
if (!module) goto out;
function = PyObject_GetAttrString(module, "sort");
if (!function) goto out;
result = PyObject_CallFunctionObjArgs(function, (PyObject *)x, NULL);
if (!result) goto out;
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_FROM_OTF(result, NPY_DOUBLE, NPY_ARRAY_DEFAULT | NPY_ARRAY_ENSURECOPY);
out:
Py_XDECREF(module);
Py_XDECREF(function);
Py_XDECREF(result);
if (PyErr_Occurred()) FAIL
//// buffer: x: array[1] -> z: array[0]
npy_intp n = PyArray_DIM(x, 0);
double *buffer = (double *)malloc((n + 1) * sizeof(double));
if (!buffer) {
    PyErr_NoMemory();
    FAIL
}
for (npy_intp i = 0; i < n; i++) buffer[i] = *(double *)PyArray_GETPTR1(x, i);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
if (!z) {
    free(buffer);
    FAIL
}
double best = 0;
for (npy_intp i = 0; i < n; i++) if (buffer[i] > best) best = buffer[i];
*(double *)PyArray_DATA(z) = best;
free(buffer);
//// threads: x: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (!z) FAIL
NPY_BEGIN_THREADS_DEF;
NPY_BEGIN_THREADS;
for (npy_intp i = 0; i < n; i++) *(double *)PyArray_GETPTR1(z, i) = sqrt(*(double *)PyArray_GETPTR1(x, i));
NPY_END_THREADS;
if (PyErr_CheckSignals() < 0) FAIL
//// allow_threads: x: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0);
if (z == NULL || PyArray_DIM(z, 0) != n) {
    Py_CLEAR(z);
    z = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
    if (!z) FAIL
}
Py_BEGIN_ALLOW_THREADS
for (npy_intp i = 0; i < n; i++) *(double *)PyArray_GETPTR1(z, i) = exp(*(double *)PyArray_GETPTR1(x, i));
Py_END_ALLOW_THREADS
//// dict_lookup: x: array[1] -> z: array[0]
PyObject *dict = PyDict_New();
if (!dict) FAIL
PyObject *number = PyLong_FromSsize_t(PyArray_DIM(x, 0));
if (!number) {
    Py_DECREF(dict);
    FAIL
}
if (PyDict_SetItemString(dict, "n", number) < 0) {
    Py_DECREF(number);
    Py_DECREF(dict);
    FAIL
}
Py_DECREF(number);
PyObject *found = PyDict_GetItemString(dict, "n");
double value = found ? PyFloat_AsDouble(found) : 0;
Py_DECREF(dict);
if (value == -1 && PyErr_Occurred()) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = value;
//// two_results: x: array[1] -> z: array[1], w: array[0]
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (!z) FAIL
Py_XDECREF(w);
w = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_DOUBLE, 0);
if (!w) FAIL
double sum = 0;
for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) {
    sum += *(double *)PyArray_GETPTR1(x, i);
    *(double *)PyArray_GETPTR1(z, i) = sum;
}
*(double *)PyArray_DATA(w) = sum;
//// branches: x: array[1], y: array[1] -> z: array[1]
PyArrayObject *from;
if (PyArray_DIM(x, 0) > PyArray_DIM(y, 0)) {
    from = x;
} else {
    from = y;
}
PyArrayObject *copy = (PyArrayObject *)PyArray_NewCopy(from, NPY_CORDER);
if (!copy) FAIL
Py_XDECREF(z);
z = copy;
//// owned_flag: x: array[2] -> z: array[1]
PyArrayObject *work = x;
int own = 0;
if (!PyArray_IS_C_CONTIGUOUS(x)) {
    work = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
    if (!work) FAIL
    own = 1;
}
npy_intp rows = PyArray_DIM(work, 0), columns = PyArray_DIM(work, 1);
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_ZEROS(1, &rows, NPY_DOUBLE, 0);
if (!z) {
    if (own) Py_DECREF(work);
    FAIL
}
for (npy_intp i = 0; i < rows; i++)
    for (npy_intp j = 0; j < columns; j++)
        *(double *)PyArray_GETPTR1(z, i) += *(double *)PyArray_GETPTR2(work, i, j);
if (own) Py_DECREF(work);
//// matrix_rows: x: array[2] -> z: array[1]
npy_intp shape[1] = {PyArray_DIM(x, 0)};
if (z == NULL || PyArray_DIM(z, 0) != shape[0]) {
    Py_XDECREF(z);
    z = (PyArrayObject *)PyArray_SimpleNew(1, shape, NPY_DOUBLE);
    if (!z) FAIL
}
for (npy_intp i = 0; i < shape[0]; i++) {
    double most = *(double *)PyArray_GETPTR2(x, i, 0);
    for (npy_intp j = 1; j < PyArray_DIM(x, 1); j++) {
        double v = *(double *)PyArray_GETPTR2(x, i, j);
        if (v > most) most = v;
    }
    *(double *)PyArray_GETPTR1(z, i) = most;
}
//// whole_copy: x: array[1] -> z: array[1]
PyArrayObject *flat = (PyArrayObject *)PyArray_GETCONTIGUOUS(x);
if (!flat) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (!z) {
    Py_DECREF(flat);
    FAIL
}
memcpy(PyArray_DATA(z), PyArray_DATA(flat), PyArray_NBYTES(flat));
Py_DECREF(flat);
//// copy_into: x: array[1] -> z: array[1]
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
if (!z) FAIL
if (PyArray_CopyInto(z, x) < 0) FAIL
//// index_checked: x: array[1], y: array[0] -> z: array[0]
npy_intp at = *(npy_int64 *)PyArray_DATA(y), n = PyArray_DIM(x, 0);
if (at < 0) at += n;
if (at < 0 || at >= n) {
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds, x has %zd elements", at, n);
    FAIL
}
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = *(double *)PyArray_GETPTR1(x, at);
//// tuple_call: x: array[1] -> z: array[1]
PyObject *args = PyTuple_New(1);
if (!args) FAIL
Py_INCREF(x);
PyTuple_SET_ITEM(args, 0, (PyObject *)x);
PyObject *numpy = PyImport_ImportModule("numpy");
if (!numpy) {
    Py_DECREF(args);
    FAIL
}
PyObject *flip = PyObject_GetAttrString(numpy, "flip");
Py_DECREF(numpy);
if (!flip) {
    Py_DECREF(args);
    FAIL
}
PyObject *flipped = PyObject_CallObject(flip, args);
Py_DECREF(flip);
Py_DECREF(args);
if (!flipped) FAIL
PyObject *own = PyArray_FROM_OTF(flipped, NPY_DOUBLE, NPY_ARRAY_DEFAULT | NPY_ARRAY_ENSURECOPY);
Py_DECREF(flipped);
if (!own) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)own;
//// sorted: x: array[1] -> z: array[1]
PyArrayObject *copy = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
if (!copy) FAIL
if (PyArray_Sort(copy, 0, NPY_QUICKSORT) < 0) {
    Py_DECREF(copy);
    FAIL
}
Py_XDECREF(z);
z = copy;
//// switched: x: array[1], y: array[0] -> z: array[1]
Py_XDECREF(z);
switch (*(npy_int64 *)PyArray_DATA(y)) {
case 0:
    z = (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    break;
case 1:
    z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
    break;
default:
    z = NULL;
    PyErr_SetString(PyExc_ValueError, "y must be 0 or 1");
}
if (!z) FAIL
//// scratch_calloc: x: array[1] -> z: array[1]
npy_intp n = PyArray_DIM(x, 0);
npy_intp *order = (npy_intp *)PyMem_Calloc(n + 1, sizeof(npy_intp));
if (order == NULL) {
    PyErr_NoMemory();
    FAIL
}
for (npy_intp i = 0; i < n; i++) order[i] = n - 1 - i;
PyArrayObject *made = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
if (made == NULL) {
    PyMem_Free(order);
    FAIL
}
for (npy_intp i = 0; i < n; i++)
    *(double *)PyArray_GETPTR1(made, i) = *(double *)PyArray_GETPTR1(x, order[i]);
PyMem_Free(order);
Py_XDECREF(z);
z = made;
//// from_descr: x: array[1] -> z: array[1]
PyArray_Descr *descr = PyArray_DescrFromType(NPY_FLOAT);
if (!descr) FAIL
PyArrayObject *made = (PyArrayObject *)PyArray_FromArray(x, descr, NPY_ARRAY_FORCECAST | NPY_ARRAY_ENSURECOPY);
if (!made) FAIL
Py_XDECREF(z);
z = made;
//// warned: x: array[1] -> z: array[1]
if (PyArray_DIM(x, 0) == 0) {
    if (PyErr_WarnEx(PyExc_RuntimeWarning, "x is empty", 1) < 0) FAIL
}
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
if (!z) FAIL
//// reused: x: array[2] -> z: array[2]
if (z != NULL && (PyArray_DIM(z, 0) != PyArray_DIM(x, 1) || PyArray_DIM(z, 1) != PyArray_DIM(x, 0))) {
    Py_DECREF(z);
    z = NULL;
}
if (z == NULL) {
    npy_intp shape[2] = {PyArray_DIM(x, 1), PyArray_DIM(x, 0)};
    z = (PyArrayObject *)PyArray_EMPTY(2, shape, NPY_DOUBLE, 0);
    if (!z) FAIL
}
for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
    for (npy_intp j = 0; j < PyArray_DIM(x, 1); j++)
        *(double *)PyArray_GETPTR2(z, j, i) = *(double *)PyArray_GETPTR2(x, i, j);
//// attribute: x: array[1] -> z: array[0]
PyObject *sum = PyObject_CallMethod((PyObject *)x, "sum", NULL);
if (!sum) FAIL
double value = PyFloat_AsDouble(sum);
Py_DECREF(sum);
if (PyErr_Occurred()) FAIL
Py_XDECREF(z);
z = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);
if (!z) FAIL
*(double *)PyArray_DATA(z) = value;
