"""Theano: an op over a library of its own: header, folder of headers, library, folder of libraries."""

import numpy

from opweld.compat import theano

tensor = theano.tensor


class Horner(theano.gof.Op):
    """Values of a polynomial; a library does the work."""

    __props__ = ("folder",)

    def __init__(self, folder):
        self.folder = folder

    def make_node(self, coefficients, x):
        coefficients, x = tensor.as_tensor_variable(coefficients), tensor.as_tensor_variable(x)
        if coefficients.type.dtype != "float64" or x.type.dtype != "float64" or x.type.ndim != 1:
            raise TypeError("expected vectors of float64")
        return theano.gof.Apply(self, [coefficients, x], [x.type()])

    def perform(self, node, inputs, output_storage):
        coefficients, x = inputs
        if len(coefficients) > 64:
            raise ValueError("too many coefficients")
        value = numpy.zeros(len(x))
        for c in coefficients[::-1]:
            value = value * x + c
        output_storage[0][0] = value

    def c_headers(self, compiler=None):
        return ["opwhorner.h"]

    def c_header_dirs(self, compiler=None):
        return [self.folder]

    def c_libraries(self, compiler=None):
        return ["opwhorner"]

    def c_lib_dirs(self, compiler=None):
        return [self.folder]

    def c_init_code(self):
        return ['if (HORNER_MAX != 64) { PyErr_SetString(PyExc_ImportError, "another opwhorner"); return NULL; }']

    def c_code(self, node, name, inp, out, sub):
        coefficients, x = inp
        (z,) = out
        fail = sub["fail"]
        return """
            PyArrayObject* packed_%(name)s = NULL;
            if (!%(z)s || PyArray_DIM(%(z)s, 0) != PyArray_DIM(%(x)s, 0)) {
                Py_XDECREF(%(z)s);
                %(z)s = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(%(x)s), NPY_DOUBLE, 0);
                if (!%(z)s) %(fail)s;
            }
            packed_%(name)s = PyArray_GETCONTIGUOUS(%(coefficients)s);
            if (!packed_%(name)s) %(fail)s;
            for (npy_intp i = 0; i < PyArray_DIM(%(x)s, 0); ++i) {
                if (horner((double*)PyArray_DATA(packed_%(name)s), (long)PyArray_DIM(packed_%(name)s, 0),
                           *(double*)PyArray_GETPTR1(%(x)s, i), (double*)PyArray_GETPTR1(%(z)s, i))) {
                    PyErr_SetString(PyExc_ValueError, "too many coefficients");
                    %(fail)s;
                }
            }
        """ % locals()

    def c_code_cleanup(self, node, name, inp, out, sub):
        return "Py_XDECREF(packed_%(name)s);" % locals()

    def c_code_cache_version(self):
        return (1,)
