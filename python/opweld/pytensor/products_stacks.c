/* Products of stacks of matrices by BLAS, one matrix after the other; behind products.c. */

#section support_code
/* The array that a product is written to: what is there, if it fits. */
static __attribute__((noinline, unused)) int pt_stacks_out(PyArrayObject **out, PyArrayObject *x, PyArrayObject *y)
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
        pt_matrix a = {0}, b = {0};                                                                                   \
        int failed = pt_stacks_out(out, x, y) || pt_matrix_of(&a, x) || pt_matrix_of(&b, y);                          \
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
