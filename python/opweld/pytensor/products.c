/* Products of stacks of matrices by BLAS, one matrix after the other. */

#section support_code
/* A stack whose matrices BLAS reads: as rows that lie behind each other ('N'), or columns ('T'), `lead` elements apart. */
typedef struct {
    PyArrayObject *held;
    char turn;
    int lead;
} pt_stack;

/* Takes a stack as it lies, or else copies it. */
static inline int pt_stack_of(pt_stack *stack, PyArrayObject *x)
{
    const npy_intp size = PyArray_ITEMSIZE(x), rows = PyArray_DIM(x, 1), columns = PyArray_DIM(x, 2);
    const npy_intp down = rows < 2 ? (columns + !columns) * size : PyArray_STRIDE(x, 1);
    const npy_intp right = columns < 2 ? (rows < 2 ? size : rows * size) : PyArray_STRIDE(x, 2);
    npy_intp lead = columns;
    stack->turn = 'N';
    if ((columns < 2 || right == size) && down >= columns * size && down % size == 0) {
        lead = down / size;
    } else if (down == size && right >= rows * size && right % size == 0) {
        stack->turn = 'T';
        lead = right / size;
    } else if ((x = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER)) == NULL) {
        return -1;
    } else {
        stack->held = x;
    }
    if (stack->held == NULL) {
        Py_INCREF(x);
        stack->held = x;
    }
    if (lead > INT_MAX || rows > INT_MAX || columns > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "a matrix is too large for BLAS");
        return -1;
    }
    stack->lead = lead > 0 ? (int)lead : 1;
    return 0;
}

/* The array that a product is written to: what is there, if it fits. */
static inline int pt_stacks_out(PyArrayObject **out, PyArrayObject *x, PyArrayObject *y)
{
    npy_intp dims[3] = {PyArray_DIM(x, 0), PyArray_DIM(x, 1), PyArray_DIM(y, 2)};
    if (PyArray_DIM(y, 0) != dims[0]) {
        PyErr_Format(PyExc_ValueError, "Shape mismatch: batch sizes unequal: %zd and %zd", (Py_ssize_t)dims[0],
                     (Py_ssize_t)PyArray_DIM(y, 0));
        return -1;
    }
    if (PyArray_DIM(x, 2) != PyArray_DIM(y, 1)) {
        PyErr_Format(PyExc_ValueError, "Shape mismatch: summation axis sizes unequal: %zd and %zd",
                     (Py_ssize_t)PyArray_DIM(x, 2), (Py_ssize_t)PyArray_DIM(y, 1));
        return -1;
    }
    if (*out != NULL && PyArray_IS_C_CONTIGUOUS(*out) && PyArray_CompareLists(PyArray_DIMS(*out), dims, 3)) return 0;
    Py_XDECREF(*out);
    *out = (PyArrayObject *)PyArray_SimpleNew(3, dims, PyArray_TYPE(x));
    return *out == NULL ? -1 : 0;
}

/* The product of two stacks; rows of Python's are columns of Fortran's, so the second stands first. */
#define PT_STACKS(name, T, gemm)                                                                                      \
    static inline int name(PyArrayObject **out, PyArrayObject *x, PyArrayObject *y)                                   \
    {                                                                                                                 \
        const T one = 1, zero = 0;                                                                                    \
        pt_stack a = {0}, b = {0};                                                                                    \
        int failed = pt_stacks_out(out, x, y) || pt_stack_of(&a, x) || pt_stack_of(&b, y);                            \
        if (!failed && PyArray_SIZE(*out)) {                                                                          \
            const int m = (int)PyArray_DIM(x, 1), k = (int)PyArray_DIM(x, 2), n = (int)PyArray_DIM(y, 2);             \
            npy_intp i;                                                                                               \
            if (k == 0) memset(PyArray_DATA(*out), 0, (size_t)PyArray_NBYTES(*out));                                  \
            for (i = 0; k && i < PyArray_DIM(x, 0); i++)                                                              \
                gemm(&b.turn, &a.turn, &n, &m, &k, &one,                                                              \
                     (T *)(void *)(PyArray_BYTES(b.held) + i * PyArray_STRIDE(b.held, 0)), &b.lead,                   \
                     (T *)(void *)(PyArray_BYTES(a.held) + i * PyArray_STRIDE(a.held, 0)), &a.lead, &zero,            \
                     (T *)(void *)(PyArray_BYTES(*out) + i * PyArray_STRIDE(*out, 0)), &n);                           \
        }                                                                                                             \
        Py_XDECREF(a.held);                                                                                           \
        Py_XDECREF(b.held);                                                                                           \
        return failed ? -1 : 0;                                                                                       \
    }
