/* benchmarks/handwritten.c: what a careful person writes by hand, the peer of opweld's figures.
 *
 * multiply(x, y): the product of two vectors of doubles as a METH_FASTCALL function. It checks what opweld's callable
 * checks: number of arguments, ndarray, dtype, native byte order, alignment, number of dimensions, equal lengths. A
 * fresh output each call; any strides. nothing(): an empty call, the floor. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdbool.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

/* True if object is what multiply takes; else a TypeError is set. */
static bool is_vector(PyObject *object, const char *name)
{
    if (!PyArray_Check(object)) {
        PyErr_Format(PyExc_TypeError, "%s: expected an ndarray, got %s", name, Py_TYPE(object)->tp_name);
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_TYPE(array) != NPY_FLOAT64) {
        PyErr_Format(PyExc_TypeError, "%s: expected dtype float64, got %S", name, (PyObject *)PyArray_DESCR(array));
        return false;
    }
    if (PyArray_NDIM(array) != 1) {
        PyErr_Format(PyExc_TypeError, "%s: expected 1 dimension, got %d", name, PyArray_NDIM(array));
        return false;
    }
    if (!PyArray_ISALIGNED(array) || !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_TypeError, "%s: expected an aligned array in native byte order", name);
        return false;
    }
    return true;
}

static PyObject *multiply(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module;
    if (count != 2) {
        PyErr_Format(PyExc_TypeError, "multiply takes 2 arguments, got %zd", count);
        return NULL;
    }
    if (!is_vector(arguments[0], "x") || !is_vector(arguments[1], "y")) return NULL;

    PyArrayObject *x = (PyArrayObject *)arguments[0], *y = (PyArrayObject *)arguments[1];
    const npy_intp n = PyArray_DIM(x, 0);
    if (n != PyArray_DIM(y, 0)) {
        PyErr_Format(PyExc_ValueError, "x has %zd elements, y has %zd", (Py_ssize_t)n, (Py_ssize_t)PyArray_DIM(y, 0));
        return NULL;
    }
    PyArrayObject *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_FLOAT64, 0);
    if (z == NULL) return NULL;

    const npy_intp x_step = PyArray_STRIDE(x, 0), y_step = PyArray_STRIDE(y, 0);
    const char *x_at = PyArray_BYTES(x), *y_at = PyArray_BYTES(y);
    double *to = (double *)PyArray_DATA(z);
    if (x_step == sizeof(double) && y_step == sizeof(double)) {
        const double *a = (const double *)x_at, *b = (const double *)y_at;
        for (npy_intp i = 0; i < n; i++) to[i] = a[i] * b[i];
    } else {
        for (npy_intp i = 0; i < n; i++, x_at += x_step, y_at += y_step)
            to[i] = *(const double *)x_at * *(const double *)y_at;
    }
    return (PyObject *)z;
}

static PyObject *nothing(PyObject *module, PyObject *const *arguments, Py_ssize_t count)
{
    (void)module, (void)arguments, (void)count;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"multiply", (PyCFunction)(void (*)(void))multiply, METH_FASTCALL, "Product of two vectors of doubles."},
    {"nothing", (PyCFunction)(void (*)(void))nothing, METH_FASTCALL, "An empty call."},
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
    PyModuleDef_HEAD_INIT, .m_name = "handwritten", .m_methods = methods, .m_slots = slots,
};

PyMODINIT_FUNC PyInit_handwritten(void);
PyMODINIT_FUNC PyInit_handwritten(void) { return PyModuleDef_Init(&definition); }
