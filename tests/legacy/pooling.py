"""Aesara: ``__props__``, two outputs, scratch memory that ``c_code_cleanup`` gives back."""

import numpy as np

from opweld.compat import aesara

Apply = aesara.graph.basic.Apply
COp = aesara.link.c.op.COp
TensorType = aesara.tensor.type.TensorType


class PoolArgmax(COp):
    """The largest element of each window of a matrix, and where in the matrix it is; windows do not overlap."""

    __props__ = ("ws", "ignore_border")

    def __init__(self, ws, ignore_border=True):
        self.ws = (int(ws[0]), int(ws[1]))
        self.ignore_border = ignore_border

    def make_node(self, x):
        x = aesara.tensor.as_tensor_variable(x)
        if x.ndim != 2:
            raise TypeError("expected a matrix")
        return Apply(self, [x], [x.type.clone(shape=(None, None))(), TensorType("int64", shape=(None, None))()])

    def sizes(self, shape):
        rest = 0 if self.ignore_border else 1
        return tuple((size + rest * (w - 1)) // w for size, w in zip(shape, self.ws))

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        rows, cols = self.sizes(x.shape)
        if not rows or not cols:
            raise ValueError("pooling leaves nothing")
        best, where = np.empty((rows, cols), x.dtype), np.empty((rows, cols), "int64")
        for r in range(rows):
            for c in range(cols):
                top, left = r * self.ws[0], c * self.ws[1]
                piece = x[top : top + self.ws[0], left : left + self.ws[1]]
                i, j = np.unravel_index(np.argmax(piece), piece.shape)
                best[r, c], where[r, c] = piece[i, j], (top + i) * x.shape[1] + left + j
        output_storage[0][0], output_storage[1][0] = best, where

    def c_headers(self, **kwargs):
        return ["<stdlib.h>", "<string.h>"]

    def c_compile_args(self, **kwargs):
        return ["-Wno-tautological-compare"]  # of an integer with itself

    def c_code(self, node, name, inames, onames, sub):
        variables = dict(sub, x=inames[0], best=onames[0], where=onames[1])
        variables.update(h=self.ws[0], w=self.ws[1], rest=int(not self.ignore_border))
        # the matrix is walked row by row; where each window's best lies is kept by column
        return (
            """
            npy_intp *cells_{name} = NULL;
            npy_intp dims_{name}[2];
            dims_{name}[0] = (PyArray_DIM(%(x)s, 0) + %(rest)d * (%(h)d - 1)) / %(h)d;
            dims_{name}[1] = (PyArray_DIM(%(x)s, 1) + %(rest)d * (%(w)d - 1)) / %(w)d;
            if (dims_{name}[0] == 0 || dims_{name}[1] == 0) {
                PyErr_SetString(PyExc_ValueError, "pooling leaves nothing");
                %(fail)s;
            }
            cells_{name} = (npy_intp *)malloc(dims_{name}[1] * sizeof(npy_intp));
            if (cells_{name} == NULL) {
                PyErr_NoMemory();
                %(fail)s;
            }
            """.replace("{name}", name)
            + "".join(self._prepared(output, name) for output in ("best", "where"))
            + """
            for (npy_intp r = 0; r < dims_{name}[0]; ++r) {
                npy_intp bottom = (r + 1) * %(h)d, cols = PyArray_DIM(%(x)s, 1);
                if (bottom > PyArray_DIM(%(x)s, 0)) bottom = PyArray_DIM(%(x)s, 0);
                memset(cells_{name}, -1, dims_{name}[1] * sizeof(npy_intp));
                for (npy_intp i = r * %(h)d; i < bottom; ++i)
                    for (npy_intp j = 0; j < cols && j / %(w)d < dims_{name}[1]; ++j) {
                        npy_intp *cell = &cells_{name}[j / %(w)d];
                        dtype_%(x)s v = *(dtype_%(x)s *)PyArray_GETPTR2(%(x)s, i, j), old = v;
                        if (*cell >= 0)
                            old = *(dtype_%(x)s *)PyArray_GETPTR2(%(x)s, *cell / cols, *cell %% cols);
                        if (*cell < 0 || v > old || (v != v && old == old)) *cell = i * cols + j;
                    }
                for (npy_intp c = 0; c < dims_{name}[1]; ++c) {
                    npy_intp at = cells_{name}[c];
                    *(npy_int64 *)PyArray_GETPTR2(%(where)s, r, c) = at;
                    *(dtype_%(best)s *)PyArray_GETPTR2(%(best)s, r, c) =
                        *(dtype_%(x)s *)PyArray_GETPTR2(%(x)s, at / cols, at %% cols);
                }
            }
            """.replace("{name}", name)
        ) % variables

    @staticmethod
    def _prepared(output, name):
        return """
            if (%({0})s == NULL || PyArray_DIM(%({0})s, 0) != dims_{1}[0] || PyArray_DIM(%({0})s, 1) != dims_{1}[1]) {{
                Py_XDECREF(%({0})s);
                %({0})s = (PyArrayObject *)PyArray_EMPTY(2, dims_{1}, type_num_%({0})s, 0);
                if (%({0})s == NULL) %(fail)s;
            }}
        """.format(output, name)

    def c_code_cleanup(self, node, name, inames, onames, sub):
        return f"free(cells_{name});"

    def c_code_cache_version(self):
        return (1, 3)
