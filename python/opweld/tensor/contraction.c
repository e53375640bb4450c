/* Products over pairs of axes, as one product of two matrices. */

#section support_code
/* The array with its axes in another order, as a matrix; NULL with an exception set. */
static PyObject* opw_as_matrix(PyArrayObject* array, npy_intp* order, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2];
    PyArray_Dims axes, dims;
    PyObject *moved, *made;
    shape[0] = rows;
    shape[1] = columns;
    axes.ptr = order;
    axes.len = PyArray_NDIM(array);
    dims.ptr = shape;
    dims.len = 2;
    moved = PyArray_Transpose(array, &axes);
    if (moved == NULL) return NULL;
    made = PyArray_Newshape((PyArrayObject*)moved, &dims, NPY_CORDER);
    Py_DECREF(moved);
    return made;
}

/* The product of x and y over pairs of axes: the last of order_x and the first of order_y, as many as are summed. */
static int opw_tensordot(PyArrayObject** out, PyArrayObject* x, PyArrayObject* y, npy_intp* order_x, npy_intp* order_y,
                         int summed, int type_num)
{
    const int free_x = PyArray_NDIM(x) - summed, ny = PyArray_NDIM(y);
    npy_intp dims[NPY_MAXDIMS], matrix[2] = {1, 1}, inner = 1;
    PyArray_Dims shape;
    PyObject *as_x, *as_y, *seen, *made;
    int i, ndim = 0;
    for (i = 0; i < summed; i++) {
        const npy_intp size = PyArray_DIM(x, (int)order_x[free_x + i]);
        if (size != PyArray_DIM(y, (int)order_y[i])) {
            PyErr_SetString(PyExc_ValueError, "shape-mismatch for sum");
            return -1;
        }
        inner *= size;
    }
    for (i = 0; i < free_x; i++) matrix[0] *= dims[ndim++] = PyArray_DIM(x, (int)order_x[i]);
    for (i = summed; i < ny; i++) matrix[1] *= dims[ndim++] = PyArray_DIM(y, (int)order_y[i]);
    if (opw_allocate(out, ndim, dims, type_num) < 0) return -1;
    shape.ptr = matrix;
    shape.len = 2;
    as_x = opw_as_matrix(x, order_x, matrix[0], inner);
    as_y = as_x ? opw_as_matrix(y, order_y, inner, matrix[1]) : NULL;
    seen = as_y ? PyArray_Newshape(*out, &shape, NPY_CORDER) : NULL;
    made = seen ? PyArray_MatrixProduct2(as_x, as_y, (PyArrayObject*)seen) : NULL;
    Py_XDECREF(as_x);
    Py_XDECREF(as_y);
    Py_XDECREF(seen);
    Py_XDECREF(made); /* the output, seen as a matrix */
    return made == NULL ? -1 : 0;
}
