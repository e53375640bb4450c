/* Sparse matrices in C: their arrays taken, and a matrix made of arrays; opweld.compat.sparse_types writes this into
   modules. */

#section support_code
static PyArrayObject *opweld_sparse_part(PyObject *matrix, const char *name, int type) {
    PyObject *part = PyObject_GetAttrString(matrix, name), *made;
    if (part == NULL) return NULL;
    made = PyArray_FromAny(part, PyArray_DescrFromType(type), 1, 3, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, NULL);
    Py_DECREF(part);
    return (PyArrayObject *)made;
}

/* New references; fails where int32 does not hold a size. */
static int opweld_sparse_read(PyObject *matrix, int type, PyArrayObject *parts[4]) {
    static const char *const names[4] = {"data", "indices", "indptr", "shape"};
    for (int i = 0; i < 4; i++) parts[i] = NULL;
    for (int i = 0; i < 4; i++) {
        parts[i] = opweld_sparse_part(matrix, names[i], i == 0 ? type : i == 3 ? NPY_INT64 : NPY_INT32);
        if (parts[i] == NULL) return -1;
        if (i == 0 && PyArray_SIZE(parts[0]) > NPY_MAX_INT32) {
            PyErr_SetString(PyExc_ValueError, "the matrix has more elements than int32 counts");
            return -1;
        }
    }
    if (PyArray_SIZE(parts[3]) == 2) {
        const npy_int64 *shape = (const npy_int64 *)PyArray_DATA(parts[3]);
        if (shape[0] <= NPY_MAX_INT32 && shape[1] <= NPY_MAX_INT32) {
            PyArrayObject *small = (PyArrayObject *)PyArray_Cast(parts[3], NPY_INT32);
            if (small == NULL) return -1;
            Py_DECREF(parts[3]);
            parts[3] = small;
            return 0;
        }
    }
    PyErr_SetString(PyExc_ValueError, "the matrix does not have two sizes that fit into int32");
    return -1;
}

/* The matrix of a class of scipy.sparse that has these arrays. */
static PyObject *opweld_sparse_make(const char *cls, PyArrayObject *parts[4]) {
    PyObject *module, *sizes, *made = NULL;
    for (int i = 0; i < 4; i++)
        if (parts[i] == NULL) {
            PyErr_SetString(PyExc_ValueError, "a sparse output needs its four arrays: data, indices, indptr, shape");
            return NULL;
        }
    module = PyImport_ImportModule("scipy.sparse");
    sizes = module == NULL ? NULL : PyArray_ToList(parts[3]);
    if (sizes != NULL) made = PyObject_CallMethod(module, cls, "(OOO)O", parts[0], parts[1], parts[2], sizes);
    Py_XDECREF(sizes);
    Py_XDECREF(module);
    return made;
}
