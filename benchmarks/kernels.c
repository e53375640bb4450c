/* benchmarks/kernels.c: the loops of kernels.h as functions of a module, METH_FASTCALL: f(inputs…[, output]).
 *
 * Each checks what opweld's callables check: number of arguments, ndarray, dtype, byte order, alignment, dimensions, that
 * lengths fit; and, as a person's own module does, takes C-contiguous arrays only. The sums along an axis take any
 * strides. An output that is not given is a fresh array. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

#include "kernels.h"

enum { N, M, P, ONE, INNER, DIMS }; /* a length: the sizes n, m and p, 1, and n - 2 */

typedef struct {
    int type, ndim;
    int dims[3];
} Operand;

typedef struct {
    const char *name;
    int inputs;
    Operand operands[4]; /* the output behind the inputs */
    void (*run)(void *const *data, Sizes sizes);
} Kernel;

#define VECTOR(type) {type, 1, {N}}
#define MATRIX {NPY_DOUBLE, 2, {N, M}}
#define CUBE {NPY_DOUBLE, 3, {N, M, P}}
#define NUMBER {NPY_DOUBLE, 0, {0}}
#define D NPY_DOUBLE

/* name, number of inputs, inputs and output */
#define KERNELS(_)                                                                                                     \
    _(arithmetic, 2, VECTOR(D), VECTOR(D), VECTOR(D))                                                                  \
    _(where, 2, VECTOR(D), VECTOR(D), VECTOR(D))                                                                       \
    _(fifty, 2, VECTOR(D), VECTOR(D), VECTOR(D))                                                                       \
    _(float32, 2, VECTOR(NPY_FLOAT), VECTOR(NPY_FLOAT), VECTOR(NPY_FLOAT))                                             \
    _(mixed, 3, VECTOR(NPY_FLOAT), VECTOR(D), VECTOR(NPY_INT32), VECTOR(D))                                            \
    _(squares, 2, VECTOR(D), VECTOR(D), NUMBER)                                                                        \
    _(gauss, 2, VECTOR(D), VECTOR(D), VECTOR(D))                                                                       \
    _(tanh_log1p, 2, VECTOR(D), VECTOR(D), VECTOR(D))                                                                  \
    _(largest, 2, VECTOR(D), VECTOR(D), NUMBER)                                                                        \
    _(largest0, 2, MATRIX, MATRIX, {D, 1, {M}})                                                                        \
    _(largest1, 2, MATRIX, MATRIX, {D, 1, {N}})                                                                        \
    _(rows, 1, MATRIX, MATRIX)                                                                                         \
    _(stencil, 2, VECTOR(D), VECTOR(D), {D, 1, {INNER}})                                                               \
    _(softmax0, 1, MATRIX, MATRIX)                                                                                     \
    _(softmax1, 1, MATRIX, MATRIX)                                                                                     \
    _(layer, 3, MATRIX, {D, 1, {M}}, {D, 1, {M}}, MATRIX)                                                              \
    _(logsumexp0, 1, MATRIX, {D, 2, {ONE, M}})                                                                         \
    _(logsumexp1, 1, MATRIX, {D, 2, {N, ONE}})                                                                         \
    _(var0, 1, MATRIX, {D, 1, {M}})                                                                                    \
    _(var1, 1, MATRIX, {D, 1, {N}})                                                                                    \
    _(logistic, 2, VECTOR(D), VECTOR(D), NUMBER)                                                                       \
    _(cube, 3, CUBE, {D, 1, {N}}, {D, 1, {M}}, CUBE)                                                                   \
    _(outer, 2, {D, 2, {N, ONE}}, {D, 2, {ONE, M}}, MATRIX)

/* The array in `object` if it is what the operand says; lengths that are not known yet become so. */
static inline PyArrayObject *take(PyObject *object, const Operand *operand, npy_intp *lengths, bool written)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (!PyArray_Check(object) || PyArray_TYPE(array) != operand->type || PyArray_NDIM(array) != operand->ndim ||
        !(written ? PyArray_ISCARRAY(array) : PyArray_ISCARRAY_RO(array))) {
        PyErr_Format(PyExc_TypeError, "expected a contiguous ndarray of type %d and %d dimensions, got %R",
                     operand->type, operand->ndim, (PyObject *)Py_TYPE(object));
        return NULL;
    }
    for (int k = 0; k < operand->ndim; k++) {
        npy_intp *length = &lengths[operand->dims[k]];
        if (*length < 0) *length = PyArray_DIM(array, k);
        if (*length != PyArray_DIM(array, k)) {
            PyErr_Format(PyExc_ValueError, "axis %d has %zd elements where there should be %zd", k,
                         (Py_ssize_t)PyArray_DIM(array, k), (Py_ssize_t)*length);
            return NULL;
        }
    }
    return array;
}

static inline PyArrayObject *fresh(const Operand *operand, const npy_intp *lengths)
{
    npy_intp shape[3] = {0};
    for (int k = 0; k < operand->ndim; k++) shape[k] = lengths[operand->dims[k]];
    return (PyArrayObject *)PyArray_EMPTY(operand->ndim, shape, operand->type, 0);
}

static inline __attribute__((always_inline)) PyObject *call(const Kernel *kernel, PyObject *const *arguments,
                                                            Py_ssize_t count)
{
    if (count != kernel->inputs && count != kernel->inputs + 1) {
        PyErr_Format(PyExc_TypeError, "%s takes %d arguments, got %zd", kernel->name, kernel->inputs, count);
        return NULL;
    }
    npy_intp lengths[DIMS] = {-1, -1, -1, 1, -1};
    void *data[4];
    for (int i = 0; i < kernel->inputs; i++) {
        PyArrayObject *array = take(arguments[i], &kernel->operands[i], lengths, false);
        if (array == NULL) return NULL;
        data[i] = PyArray_DATA(array);
    }
    lengths[INNER] = lengths[N] > 2 ? lengths[N] - 2 : 0;
    const Operand *result = &kernel->operands[kernel->inputs];
    PyArrayObject *output;
    if (count == kernel->inputs)
        output = fresh(result, lengths);
    else {
        output = take(arguments[kernel->inputs], result, lengths, true);
        Py_XINCREF(output);
    }
    if (output == NULL) return NULL;
    data[kernel->inputs] = PyArray_DATA(output);
    kernel->run(data, (Sizes){lengths[N], lengths[M], lengths[P]});
    return (PyObject *)output;
}

#define FUNCTION(called, count, ...)                                                                                   \
    static PyObject *call_##called(PyObject *module, PyObject *const *arguments, Py_ssize_t number)                    \
    {                                                                                                                  \
        (void)module;                                                                                                  \
        static const Kernel kernel = {#called, count, {__VA_ARGS__}, called};                                          \
        return call(&kernel, arguments, number);                                                                       \
    }
KERNELS(FUNCTION)

static bool is_cube(PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_NDIM(array) == 3 &&
        PyArray_ISBEHAVED_RO(array))
        return true;
    PyErr_SetString(PyExc_TypeError, "expected an aligned ndarray of float64 and 3 dimensions");
    return false;
}

/* Sum x*y along an axis: the axes in the order of x's strides, the largest first. */
static PyObject *sum_along(PyObject *const *arguments, Py_ssize_t count, int axis)
{
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "expected 2 arguments, got %zd", count);
        return NULL;
    }
    if (!is_cube(arguments[0]) || !is_cube(arguments[1])) return NULL;
    PyArrayObject *x = (PyArrayObject *)arguments[0], *y = (PyArrayObject *)arguments[1];
    if (!PyArray_SAMESHAPE(x, y)) {
        PyErr_SetString(PyExc_ValueError, "the shapes differ");
        return NULL;
    }
    const bool turned = PyArray_STRIDE(x, 0) < PyArray_STRIDE(x, 2);
    npy_intp shape[2];
    Cube cube;
    for (int k = 0, at = 0; k < 3; k++) {
        const int from = turned ? 2 - k : k;
        cube.length[k] = PyArray_DIM(x, from);
        cube.x[k] = PyArray_STRIDE(x, from) / (npy_intp)sizeof(double);
        cube.y[k] = PyArray_STRIDE(y, from) / (npy_intp)sizeof(double);
        if (k != axis) shape[at++] = PyArray_DIM(x, k);
    }
    const int along = turned ? 2 - axis : axis;
    PyArrayObject *z = (PyArrayObject *)(along == 2 ? PyArray_EMPTY(2, shape, NPY_DOUBLE, turned)
                                                    : PyArray_ZEROS(2, shape, NPY_DOUBLE, turned));
    if (z == NULL) return NULL;
    sum_product(PyArray_DATA(x), PyArray_DATA(y), PyArray_DATA(z), cube, along);
    return (PyObject *)z;
}

#define SUM_ALONG(axis)                                                                                                \
    static PyObject *sum##axis(PyObject *module, PyObject *const *arguments, Py_ssize_t number)                        \
    {                                                                                                                  \
        (void)module;                                                                                                  \
        return sum_along(arguments, number, axis);                                                                     \
    }
SUM_ALONG(0)
SUM_ALONG(1)
SUM_ALONG(2)

#define METHOD(called, ...) {#called, (PyCFunction)(void (*)(void))call_##called, METH_FASTCALL, NULL},
static PyMethodDef methods[] = {
    KERNELS(METHOD)
    {"sum0", (PyCFunction)(void (*)(void))sum0, METH_FASTCALL, NULL},
    {"sum1", (PyCFunction)(void (*)(void))sum1, METH_FASTCALL, NULL},
    {"sum2", (PyCFunction)(void (*)(void))sum2, METH_FASTCALL, NULL},
    {NULL, NULL, 0, NULL},
};

static int execute(PyObject *module)
{
    (void)module;
    import_array1(-1);
    return 0;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "kernels", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit_kernels(void);
PyMODINIT_FUNC PyInit_kernels(void) { return PyModuleDef_Init(&definition); }
