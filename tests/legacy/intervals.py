"""Theano: a type of its own. In Python a tuple of pairs; in C a struct in memory of its own, freed by ``c_cleanup``."""

import numpy

from opweld.compat import theano

gof = theano.gof
tensor = theano.tensor

SUPPORT = """
typedef struct {
    Py_ssize_t count;
    double* edges; /* low, high, low, high, ... */
} interval_set;

static int interval_sets_alive = 0;

static interval_set* interval_set_new(Py_ssize_t count)
{
    interval_set* made = (interval_set*)malloc(sizeof(interval_set));
    if (made != NULL) {
        made->count = count;
        made->edges = (double*)malloc((2 * count + 1) * sizeof(double));
        if (made->edges != NULL) {
            interval_sets_alive++;
            return made;
        }
        free(made);
    }
    PyErr_NoMemory();
    return NULL;
}

static void interval_set_free(interval_set* s)
{
    if (s == NULL) return;
    interval_sets_alive--;
    free(s->edges);
    free(s);
}
"""


class IntervalSet(gof.Type):
    """Half-open intervals in order that do not touch: ``((0.0, 1.0), (2.5, 4.0))``."""

    def filter(self, value, strict=False, allow_downcast=None):
        if strict and not isinstance(value, tuple):
            raise TypeError("Expected a tuple!")
        made = tuple((float(low), float(high)) for low, high in value)
        edges = [edge for pair in made for edge in pair]
        if not (numpy.diff(edges) > 0).all():
            raise ValueError("the intervals are not in order")
        return made

    def __eq__(self, other):
        return type(self) == type(other)

    def __hash__(self):
        return hash(type(self))

    def __str__(self):
        return "IntervalSet"

    def c_headers(self):
        return ["<stdlib.h>"]

    def c_support_code(self):
        return SUPPORT

    def c_declare(self, name, sub, check_input=True):
        return """
        interval_set* %(name)s;
        """ % locals()

    def c_init(self, name, sub):
        return "%(name)s = NULL;" % locals()

    def c_extract(self, name, sub, check_input=True):
        fail = sub["fail"]
        return """
        %(name)s = NULL;
        if (!PyTuple_Check(py_%(name)s)) {
            PyErr_SetString(PyExc_TypeError, "Expected a tuple!");
            %(fail)s
        }
        %(name)s = interval_set_new(PyTuple_GET_SIZE(py_%(name)s));
        if (%(name)s == NULL)
            %(fail)s
        for (Py_ssize_t i = 0; i < %(name)s->count; ++i) {
            if (!PyArg_ParseTuple(PyTuple_GET_ITEM(py_%(name)s, i), "dd", &%(name)s->edges[2 * i],
                                  &%(name)s->edges[2 * i + 1]))
                %(fail)s
        }
        """ % locals()

    def c_sync(self, name, sub):
        fail = sub["fail"]
        return """
        {
            PyObject* made_%(name)s = PyTuple_New(%(name)s->count);
            Py_ssize_t i;
            if (made_%(name)s == NULL)
                %(fail)s
            for (i = 0; i < %(name)s->count; ++i) {
                PyObject* pair = Py_BuildValue("(dd)", %(name)s->edges[2 * i], %(name)s->edges[2 * i + 1]);
                if (pair == NULL) {
                    Py_DECREF(made_%(name)s);
                    %(fail)s
                }
                PyTuple_SET_ITEM(made_%(name)s, i, pair);
            }
            Py_XDECREF(py_%(name)s);
            py_%(name)s = made_%(name)s;
        }
        """ % locals()

    def c_cleanup(self, name, sub):
        return """
        interval_set_free(%(name)s);
        %(name)s = NULL;
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


interval_set = IntervalSet()

# A copy in C; without it the copy of an input that is returned goes through Python.
theano.compile.ops.register_deep_copy_op_c_code(
    IntervalSet,
    """
    interval_set_free(%(oname)s);
    %(oname)s = interval_set_new(%(iname)s->count);
    if (%(oname)s == NULL) %(fail)s
    memcpy(%(oname)s->edges, %(iname)s->edges, 2 * %(iname)s->count * sizeof(double));
    """,
    version=1,
)


class Union(gof.Op):
    """All that lies in one of two interval sets; intervals that touch become one."""

    __props__ = ()

    def make_node(self, a, b):
        assert a.type == interval_set and b.type == interval_set
        return gof.Apply(self, [a, b], [interval_set()])

    def perform(self, node, inputs, output_storage):
        found = []
        for low, high in sorted(inputs[0] + inputs[1]):
            if found and low <= found[-1][1]:
                found[-1] = (found[-1][0], max(high, found[-1][1]))
            else:
                found.append((low, high))
        output_storage[0][0] = tuple(found)

    def c_code(self, node, name, inp, out, sub):
        a, b = inp
        (z,) = out
        fail = sub["fail"]
        return """
        interval_set_free(%(z)s);
        %(z)s = interval_set_new(%(a)s->count + %(b)s->count);
        if (%(z)s == NULL)
            %(fail)s
        {
            Py_ssize_t i = 0, j = 0, n = 0;
            double* to = %(z)s->edges;
            while (i < %(a)s->count || j < %(b)s->count) {
                const int first =
                    j == %(b)s->count || (i < %(a)s->count && %(a)s->edges[2 * i] <= %(b)s->edges[2 * j]);
                const double* from = first ? &%(a)s->edges[2 * i++] : &%(b)s->edges[2 * j++];
                if (n > 0 && from[0] <= to[2 * n - 1]) {
                    if (from[1] > to[2 * n - 1]) to[2 * n - 1] = from[1];
                } else {
                    to[2 * n] = from[0];
                    to[2 * n + 1] = from[1];
                    n++;
                }
            }
            %(z)s->count = n;
        }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


class Inside(gof.Op):
    """Which elements of a vector lie in an interval set; an empty set is refused."""

    __props__ = ()

    def make_node(self, a, x):
        x = tensor.as_tensor_variable(x)
        return gof.Apply(self, [a, x], [tensor.TensorType("bool", x.type.broadcastable)()])

    def perform(self, node, inputs, output_storage):
        a, x = inputs
        if not a:
            raise ValueError("the set is empty")
        result = numpy.zeros(x.shape, bool)
        for low, high in a:
            result |= (x >= low) & (x < high)
        output_storage[0][0] = result

    def c_code(self, node, name, inp, out, sub):
        a, x = inp
        (z,) = out
        fail = sub["fail"]
        return """
        if (%(a)s->count == 0) {
            PyErr_SetString(PyExc_ValueError, "the set is empty");
            %(fail)s
        }
        if (!%(z)s || PyArray_DIMS(%(z)s)[0] != PyArray_DIMS(%(x)s)[0]) {
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(%(x)s), NPY_BOOL, 0);
            if (!%(z)s)
                %(fail)s
        }
        for (npy_intp i = 0; i < PyArray_DIMS(%(x)s)[0]; ++i) {
            const double v = (double)*(dtype_%(x)s*)PyArray_GETPTR1(%(x)s, i);
            Py_ssize_t k = 0;
            while (k < %(a)s->count && !(v >= %(a)s->edges[2 * k] && v < %(a)s->edges[2 * k + 1]))
                ++k;
            *(npy_bool*)PyArray_GETPTR1(%(z)s, i) = k < %(a)s->count;
        }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


union = Union()
inside = Inside()
