"""Aesara: a view; the output keeps the input alive as its base."""

from opweld.compat import aesara

Apply = aesara.graph.basic.Apply


class Diagonal(aesara.link.c.op.COp):
    """A diagonal of a matrix, without a copy; one that lies outside is refused."""

    __props__ = ("offset",)
    view_map = {0: [0]}

    def __init__(self, offset=0):
        self.offset = offset

    def make_node(self, x):
        x = aesara.tensor.as_tensor_variable(x)
        return Apply(self, [x], [x.type.clone(shape=(None,))()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        if not -x.shape[0] <= self.offset <= x.shape[1]:
            raise ValueError("no such diagonal")
        view = x.diagonal(self.offset)
        if x.flags.writeable:
            view.setflags(write=True)
        output_storage[0][0] = view

    def c_support_code_apply(self, node, name):
        return """
        enum { offset_%(name)s = %(offset)d };
        """ % dict(name=name, offset=self.offset)

    def c_code(self, node, name, inputs, outputs, sub):
        return """
        {
            npy_intp rows = PyArray_DIM(%(x)s, 0), cols = PyArray_DIM(%(x)s, 1), length, stride;
            char* data = PyArray_BYTES(%(x)s);
            const int offset = offset_%(name)s;
            if (offset < -rows || offset > cols) {
                PyErr_SetString(PyExc_ValueError, "no such diagonal");
                %(fail)s
            }
            if (offset >= 0) {
                cols -= offset;
                if (cols > 0) data += offset * PyArray_STRIDE(%(x)s, 1);
            } else {
                rows += offset;
                if (rows > 0) data -= offset * PyArray_STRIDE(%(x)s, 0);
            }
            length = rows < cols ? rows : cols;
            stride = PyArray_STRIDE(%(x)s, 0) + PyArray_STRIDE(%(x)s, 1);
            Py_XDECREF(%(z)s);
            Py_INCREF(PyArray_DESCR(%(x)s));
            %(z)s = (PyArrayObject*)PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(%(x)s), 1, &length, &stride,
                                                          data, PyArray_FLAGS(%(x)s) & NPY_ARRAY_WRITEABLE, NULL);
            if (!%(z)s) %(fail)s
            Py_INCREF(%(x)s);
            if (PyArray_SetBaseObject(%(z)s, (PyObject*)%(x)s) < 0) %(fail)s
        }
        """ % dict(sub, x=inputs[0], z=outputs[0], name=name)

    def c_code_cache_version(self):
        return (1,)
