"""Theano: one class, in place or not; ``destroy_map`` is set by the constructor, and the C text differs."""

from opweld.compat import theano

tensor = theano.tensor


class AddAt(theano.gof.Op):
    """x with y[k] added at x[index[k]], for each k in turn; an index may occur again."""

    __props__ = ("inplace",)

    def __init__(self, inplace=False):
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x, index, y):
        x, index, y = map(tensor.as_tensor_variable, (x, index, y))
        if index.type.dtype != "int64" or y.type.dtype != x.type.dtype:
            raise TypeError("expected x and y of one dtype, and an index of int64")
        return theano.gof.Apply(self, [x, index, y], [x.type()])

    def perform(self, node, inputs, outputs):
        x, index, y = inputs
        if len(index) != len(y):
            raise ValueError("index and y differ in length")
        if ((index < -len(x)) | (index >= len(x))).any():
            raise IndexError("index out of bounds")
        if not self.inplace:
            x = x.copy()
        for k, at in enumerate(index):
            x[at] = (x[at : at + 1 or None] + y[k : k + 1])[0]
        outputs[0][0] = x

    def c_code(self, node, name, input_names, output_names, sub):
        x, index, y = input_names
        (z,) = output_names
        fail = sub["fail"]
        if self.inplace:
            take = """
            if (%(x)s != %(z)s) {
                Py_XDECREF(%(z)s);
                Py_INCREF(%(x)s);
                %(z)s = %(x)s;
            }
            """
        else:
            take = """
            if (%(z)s && PyArray_SAMESHAPE(%(z)s, %(x)s)) {
                if (PyArray_CopyInto(%(z)s, %(x)s) < 0) %(fail)s
            }
            else {
                Py_XDECREF(%(z)s);
                %(z)s = (PyArrayObject*)PyArray_FromArray(%(x)s, NULL, NPY_ARRAY_ENSURECOPY);
                if (!%(z)s) %(fail)s
            }
            """
        check = """
        if (PyArray_DIM(%(index)s, 0) != PyArray_DIM(%(y)s, 0)) {
            PyErr_SetString(PyExc_ValueError, "index and y differ in length");
            %(fail)s
        }
        for (npy_intp k = 0; k < PyArray_DIM(%(index)s, 0); ++k) {
            npy_int64 at = *(npy_int64*)PyArray_GETPTR1(%(index)s, k);
            if (at < -PyArray_DIM(%(x)s, 0) || at >= PyArray_DIM(%(x)s, 0)) {
                PyErr_SetString(PyExc_IndexError, "index out of bounds");
                %(fail)s
            }
        }
        """
        work = """
        for (npy_intp k = 0; k < PyArray_DIM(%(index)s, 0); ++k) {
            npy_int64 at = *(npy_int64*)PyArray_GETPTR1(%(index)s, k);
            if (at < 0) at += PyArray_DIM(%(z)s, 0);
            *(dtype_%(z)s*)PyArray_GETPTR1(%(z)s, at) += *(dtype_%(y)s*)PyArray_GETPTR1(%(y)s, k);
        }
        """
        return (check + take + work) % locals()

    def c_code_cache_version(self):
        return (1, self.inplace)
