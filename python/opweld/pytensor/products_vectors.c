/* Products of matrices and vectors, and of vectors, by BLAS; behind products.c. */

#section support_code
/* A vector as BLAS reads it: elements `step` apart. One that lies backwards begins where its memory does. */
typedef struct {
    PyArrayObject *held;
    char *data;
    int step;
} pt_vector;

/* Takes a vector as it lies, or else copies it. */
static __attribute__((noinline, unused)) int pt_vector_of(pt_vector *vector, PyArrayObject *x)
{
    const npy_intp size = PyArray_ITEMSIZE(x), n = PyArray_DIM(x, 0);
    npy_intp apart = n < 2 ? size : PyArray_STRIDE(x, 0);
    if (n > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "a vector is too long for BLAS");
        return -1;
    }
    if (apart == 0 || apart % size || apart / size > INT_MAX || apart / size < -INT_MAX) {
        if ((x = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER)) == NULL) return -1;
        apart = size;
    } else {
        Py_INCREF(x);
    }
    vector->held = x;
    vector->data = PyArray_BYTES(x) + (apart < 0 ? (n - 1) * apart : 0);
    vector->step = (int)(apart / size);
    return 0;
}

/* The array that something is added to: x itself, or a new one, or what is there, of its shape. copied: with its elements. */
static __attribute__((noinline, unused))
int pt_target_of(PyArrayObject **out, PyArrayObject *x, int inplace, int copied)
{
    const int n = PyArray_NDIM(x);
    if (inplace) {
        Py_INCREF(x);
        Py_XDECREF(*out);
        *out = x;
        return 0;
    }
    if (*out == NULL || !PyArray_CompareLists(PyArray_DIMS(*out), PyArray_DIMS(x), n)) {
        Py_XDECREF(*out);
        *out = (PyArrayObject *)PyArray_SimpleNew(n, PyArray_DIMS(x), PyArray_TYPE(x));
    }
    return *out == NULL || (copied && PyArray_CopyInto(*out, x) < 0) ? -1 : 0;
}

/* Whether a matrix has as many rows, and as many columns, as two vectors have elements. Names are those of the op. */
static __attribute__((noinline, unused))
int pt_sizes_fit(PyArrayObject *matrix, PyArrayObject *rows, const char *by_rows, PyArrayObject *columns,
                 const char *by_columns)
{
    const int axis = PyArray_DIM(matrix, 0) == PyArray_DIM(rows, 0);
    if (axis && PyArray_DIM(matrix, 1) == PyArray_DIM(columns, 0)) return 1;
    PyErr_Format(PyExc_ValueError, "Shape mismatch: A.shape[%d] != %s.shape[0]", axis, axis ? by_columns : by_rows);
    return 0;
}

/* What a product of a matrix and a vector is written to, and what it reads. copied: the elements of y count. */
static __attribute__((noinline, unused))
int pt_gemv_of(pt_vector *sum, pt_matrix *a, pt_vector *v, PyArrayObject **out, PyArrayObject *y,
               PyArrayObject *matrix, PyArrayObject *x, int inplace, int copied)
{
    if (!pt_sizes_fit(matrix, y, "y", x, "x") || pt_target_of(out, y, inplace, copied) || pt_vector_of(sum, *out)) return -1;
    pt_target_is(out, sum->held);
    return pt_matrix_of(a, matrix) || pt_vector_of(v, x) ? -1 : 0;
}

/* b of y, and a of the product of a matrix and x. What y holds where b is 0 is nothing, not a number that is multiplied by 0. */
#define PT_GEMV(name, T, gemv)                                                                                        \
    static inline int name(PyArrayObject **out, PyArrayObject *y, T a, PyArrayObject *matrix, PyArrayObject *x, T b,  \
                           int inplace)                                                                               \
    {                                                                                                                 \
        pt_vector sum = {0}, v = {0};                                                                                 \
        pt_matrix m = {0};                                                                                            \
        const int failed = pt_gemv_of(&sum, &m, &v, out, y, matrix, x, inplace, b != 0);                              \
        const int rows = (int)PyArray_DIM(matrix, 0), columns = (int)PyArray_DIM(matrix, 1), lies = m.turn == 'N';    \
        T *to = (T *)(void *)sum.data;                                                                                \
        const int apart = sum.step < 0 ? -sum.step : sum.step;                                                        \
        npy_intp i;                                                                                                   \
        char turn = lies ? 'T' : 'N';                                                                                 \
        if (!failed && b == 0 && apart == 1) {                                                                        \
            memset(to, 0, (size_t)rows * sizeof(T));                                                                  \
        } else if (!failed && (b == 0 || !columns)) {                                                                 \
            for (i = 0; i < rows; i++) to[i * apart] = b == 0 ? 0 : b * to[i * apart];                                \
        }                                                                                                             \
        if (!failed && rows && columns)                                                                               \
            gemv(&turn, lies ? &columns : &rows, lies ? &rows : &columns, &a, (T *)PyArray_DATA(m.held), &m.lead,     \
                 (T *)(void *)v.data, &v.step, &b, to, &sum.step);                                                    \
        Py_XDECREF(sum.held);                                                                                         \
        Py_XDECREF(m.held);                                                                                           \
        Py_XDECREF(v.held);                                                                                           \
        return failed;                                                                                                \
    }

/* What an outer product is added to, and what it reads. */
static __attribute__((noinline, unused))
int pt_ger_of(pt_matrix *sum, pt_vector *u, pt_vector *v, PyArrayObject **out, PyArrayObject *matrix,
              PyArrayObject *x, PyArrayObject *y, int inplace)
{
    if (!pt_sizes_fit(matrix, x, "x", y, "y") || pt_target_of(out, matrix, inplace, 1) || pt_matrix_of(sum, *out)) return -1;
    pt_target_is(out, sum->held);
    return pt_vector_of(u, x) || pt_vector_of(v, y) ? -1 : 0;
}

/* A matrix, and a of the outer product of x and y. */
#define PT_GER(name, T, ger)                                                                                          \
    static inline int name(PyArrayObject **out, PyArrayObject *matrix, T a, PyArrayObject *x, PyArrayObject *y,       \
                           int inplace)                                                                               \
    {                                                                                                                 \
        pt_matrix sum = {0};                                                                                          \
        pt_vector u = {0}, v = {0};                                                                                   \
        const int failed = pt_ger_of(&sum, &u, &v, out, matrix, x, y, inplace);                                       \
        const int m = (int)PyArray_DIM(matrix, 0), n = (int)PyArray_DIM(matrix, 1);                                   \
        T *to = failed ? NULL : (T *)PyArray_DATA(sum.held);                                                          \
        if (!failed && m && n && sum.turn == 'N')                                                                     \
            ger(&n, &m, &a, (T *)(void *)v.data, &v.step, (T *)(void *)u.data, &u.step, to, &sum.lead);               \
        else if (!failed && m && n)                                                                                   \
            ger(&m, &n, &a, (T *)(void *)u.data, &u.step, (T *)(void *)v.data, &v.step, to, &sum.lead);               \
        Py_XDECREF(sum.held);                                                                                         \
        Py_XDECREF(u.held);                                                                                           \
        Py_XDECREF(v.held);                                                                                           \
        return failed;                                                                                                \
    }
