/* Products of stacks of matrices, by NumPy's ufunc. */

#section support_code
static PyObject* opw_matmul = NULL;

/* What the ufunc stores into must have the sizes that the stacks broadcast to: where it has, it is handed on. */
static int opw_stacks(PyArrayObject** out, PyArrayObject* x, PyArrayObject* y)
{
    const int nx = PyArray_NDIM(x), ny = PyArray_NDIM(y), depth = (nx > ny ? nx : ny) - 2;
    int axis, at = depth, fits = *out != NULL;
    for (axis = 0; fits && axis < depth; axis++) {
        const int in_x = axis + nx - 2 - depth, in_y = axis + ny - 2 - depth;
        npy_intp size = in_x < 0 ? 1 : PyArray_DIM(x, in_x);
        if (size == 1 && in_y >= 0) size = PyArray_DIM(y, in_y);
        fits = PyArray_DIM(*out, axis) == size;
    }
    if (fits && nx > 1) fits = PyArray_DIM(*out, at++) == PyArray_DIM(x, nx - 2);
    if (fits && ny > 1) fits = PyArray_DIM(*out, at) == PyArray_DIM(y, ny - 1);
    /* A third argument is what it stores into. */
    return opw_store(out, PyObject_CallFunctionObjArgs(opw_matmul, (PyObject*)x, (PyObject*)y,
                                                       fits ? (PyObject*)*out : NULL, NULL));
}

/* Refuses what matmul does not take. */
static int opw_matmul_fits(PyArrayObject* x, PyArrayObject* y)
{
    const npy_intp have = PyArray_DIM(y, 0), wanted = PyArray_DIM(x, PyArray_NDIM(x) - 1);
    if (have == wanted) return 0;
    PyErr_Format(PyExc_ValueError,
                 "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
                 "(n?,k),(k,m?)->(n?,m?) (size %zd is different from %zd)", (Py_ssize_t)have, (Py_ssize_t)wanted);
    return -1;
}

#section init_code
{
    PyObject* opw_numpy = PyImport_ImportModule("numpy");
    if (opw_numpy == NULL) {
        return NULL;
    }
    Py_XSETREF(opw_matmul, PyObject_GetAttrString(opw_numpy, "matmul"));
    Py_DECREF(opw_numpy);
    if (opw_matmul == NULL) {
        return NULL;
    }
}
