/* Products of matrices by BLAS; behind products.c. */

#section support_code
/* A product of matrices as Fortran computes it: columns of Fortran's are rows of Python's, so where the sum lies in
   rows the second factor stands first. */
typedef struct {
    pt_matrix first, second, sum;
    int m, n, k;
} pt_product;

/* A matrix itself, or what it is spread to: one of one row or one column counts for any number of them. */
static __attribute__((noinline, unused)) PyArrayObject *pt_spread(PyArrayObject *x, npy_intp rows, npy_intp columns)
{
    npy_intp dims[2] = {rows, columns};
    PyArrayObject *wide;
    if (PyArray_DIM(x, 0) == rows && PyArray_DIM(x, 1) == columns) {
        Py_INCREF(x);
        return x;
    }
    wide = (PyArrayObject *)PyArray_SimpleNew(2, dims, PyArray_TYPE(x));
    if (wide != NULL && PyArray_CopyInto(wide, x) < 0) Py_CLEAR(wide);
    return wide;
}

static __attribute__((noinline, unused))
int pt_factor_of(pt_matrix *matrix, PyArrayObject *x, npy_intp rows, npy_intp columns)
{
    int failed;
    if ((x = pt_spread(x, rows, columns)) == NULL) return -1;
    failed = pt_matrix_of(matrix, x);
    Py_DECREF(x);
    return failed;
}

/* The array that a product is added to: z itself, or what holds a copy of it; without z what is there, if it fits. */
static __attribute__((noinline, unused))
int pt_sum_of(pt_matrix *sum, PyArrayObject **out, PyArrayObject *z, npy_intp *dims, int type, int inplace)
{
    if (inplace && PyArray_CompareLists(PyArray_DIMS(z), dims, 2)) {
        Py_INCREF(z);
        Py_XDECREF(*out);
        *out = z;
    } else {
        if (*out == NULL || !PyArray_CompareLists(PyArray_DIMS(*out), dims, 2)) {
            Py_XDECREF(*out);
            *out = (PyArrayObject *)PyArray_SimpleNew(2, dims, type);
        }
        if (*out == NULL || (z != NULL && PyArray_CopyInto(*out, z) < 0)) return -1;
    }
    if (pt_matrix_of(sum, *out)) return -1;
    pt_target_is(out, sum->held);
    return 0;
}

/* Finds what the product of x and y reads, and the array that it is written to; z, where it is not NULL, is added. */
static __attribute__((noinline, unused))
int pt_product_of(pt_product *p, PyArrayObject **out, PyArrayObject *z, PyArrayObject *x, PyArrayObject *y, int inplace)
{
    const npy_intp depth = PyArray_DIM(x, 1);
    npy_intp dims[2] = {PyArray_DIM(x, 0), PyArray_DIM(y, 1)};
    pt_matrix *of_x = &p->second, *of_y = &p->first;
    if (depth != PyArray_DIM(y, 0)) {
        PyErr_Format(PyExc_ValueError,
                     "Shape mismatch: x has %zd cols (and %zd rows) but y has %zd rows (and %zd cols)",
                     (Py_ssize_t)depth, (Py_ssize_t)dims[0], (Py_ssize_t)PyArray_DIM(y, 0), (Py_ssize_t)dims[1]);
        return -1;
    }
    if (z != NULL && PyArray_DIM(z, 0) > dims[0]) dims[0] = PyArray_DIM(z, 0);
    if (z != NULL && PyArray_DIM(z, 1) > dims[1]) dims[1] = PyArray_DIM(z, 1);
    if (pt_sum_of(&p->sum, out, z, dims, PyArray_TYPE(x), inplace)) return -1;
    p->m = (int)dims[1];
    p->n = (int)dims[0];
    p->k = (int)depth;
    if (p->sum.turn == 'T') {
        of_x = &p->first;
        of_y = &p->second;
        p->m = (int)dims[0];
        p->n = (int)dims[1];
    }
    if (pt_factor_of(of_x, x, dims[0], depth) || pt_factor_of(of_y, y, depth, dims[1])) return -1;
    if (p->sum.turn == 'T') {
        of_x->turn = of_x->turn == 'T' ? 'N' : 'T';
        of_y->turn = of_y->turn == 'T' ? 'N' : 'T';
    }
    return 0;
}

/* a of the product of x and y, and b of z. */
#define PT_PRODUCT(name, T, gemm)                                                                                     \
    static inline int name(PyArrayObject **out, PyArrayObject *z, T a, PyArrayObject *x, PyArrayObject *y, T b,       \
                           int inplace)                                                                               \
    {                                                                                                                 \
        pt_product p = {0};                                                                                           \
        const int failed = pt_product_of(&p, out, z, x, y, inplace);                                                  \
        if (!failed && p.m && p.n)                                                                                    \
            gemm(&p.first.turn, &p.second.turn, &p.m, &p.n, &p.k, &a, (T *)PyArray_DATA(p.first.held), &p.first.lead, \
                 (T *)PyArray_DATA(p.second.held), &p.second.lead, &b, (T *)PyArray_DATA(*out), &p.sum.lead);         \
        Py_XDECREF(p.first.held);                                                                                     \
        Py_XDECREF(p.second.held);                                                                                    \
        Py_XDECREF(p.sum.held);                                                                                       \
        return failed;                                                                                                \
    }
