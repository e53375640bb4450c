/* Matrices as BLAS reads them. */

#section support_code
/* A matrix, or a stack of them, as BLAS reads it: rows that lie behind each other ('N'), or columns ('T'), `lead`
   elements apart. */
typedef struct {
    PyArrayObject *held;
    char turn;
    int lead;
} pt_matrix;

/* Takes a matrix as it lies, or else copies it. Written once: where such a function is called twice, optimising it there takes the
   compiler longer than anything else. */
static __attribute__((noinline, unused)) int pt_matrix_of(pt_matrix *matrix, PyArrayObject *x)
{
    const int axis = PyArray_NDIM(x) - 2;
    const npy_intp size = PyArray_ITEMSIZE(x), rows = PyArray_DIM(x, axis), columns = PyArray_DIM(x, axis + 1);
    const npy_intp down = rows < 2 ? (columns + !columns) * size : PyArray_STRIDE(x, axis);
    const npy_intp right = columns < 2 ? (rows < 2 ? size : rows * size) : PyArray_STRIDE(x, axis + 1);
    npy_intp lead = columns;
    matrix->turn = 'N';
    if ((columns < 2 || right == size) && down >= columns * size && down % size == 0) {
        lead = down / size;
    } else if ((rows < 2 || down == size) && right >= rows * size && right % size == 0) {
        matrix->turn = 'T';
        lead = right / size;
    } else if ((x = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER)) == NULL) {
        return -1;
    } else {
        matrix->held = x;
    }
    if (matrix->held == NULL) {
        Py_INCREF(x);
        matrix->held = x;
    }
    if (lead > INT_MAX || rows > INT_MAX || columns > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "a matrix is too large for BLAS");
        return -1;
    }
    matrix->lead = lead > 0 ? (int)lead : 1;
    return 0;
}

/* What BLAS writes to is the result: it may be a copy. */
static __attribute__((noinline, unused)) void pt_target_is(PyArrayObject **out, PyArrayObject *held)
{
    Py_INCREF(held);
    Py_DECREF(*out);
    *out = held;
}
