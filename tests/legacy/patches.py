"""Theano, first manner: equality by hand, ``% locals()``, a helper function for each apply, numbers in the text."""

import numpy

from opweld.compat import theano

gof = theano.gof
tensor = theano.tensor


class Patches(gof.Op):
    """Each window of an image as a row: (channels, rows, cols) -> (windows, channels * height * width)."""

    def __init__(self, window, step=(1, 1), pad=0):
        self.window = tuple(window)
        self.step = tuple(step)
        self.pad = pad

    def __eq__(self, other):
        return (
            type(self) == type(other)
            and self.window == other.window
            and self.step == other.step
            and self.pad == other.pad
        )

    def __hash__(self):
        return hash(type(self)) ^ hash(self.window) ^ hash(self.step) ^ hash(self.pad)

    def __str__(self):
        return "%s{%s,%s,%s}" % (self.__class__.__name__, self.window, self.step, self.pad)

    def make_node(self, image):
        image = tensor.as_tensor_variable(image)
        if image.type.ndim != 3:
            raise TypeError("image must be (channels, rows, cols)", image.type)
        rows = tensor.TensorType(dtype=image.dtype, broadcastable=(False, False))
        return theano.Apply(self, [image], [rows()])

    def perform(self, node, inp, out):
        (image,) = inp
        (z,) = out
        (height, width), (down, right), pad = self.window, self.step, self.pad
        padded = numpy.pad(image, ((0, 0), (pad, pad), (pad, pad)))
        if padded.shape[1] < height or padded.shape[2] < width:
            raise ValueError("the window is larger than the image")
        rows = (padded.shape[1] - height) // down + 1
        cols = (padded.shape[2] - width) // right + 1
        z[0] = numpy.empty((rows * cols, image.shape[0] * height * width), image.dtype)
        for r in range(rows):
            for c in range(cols):
                piece = padded[:, r * down : r * down + height, c * right : c * right + width]
                z[0][r * cols + c] = piece.reshape(-1)

    def c_code_cache_version(self):
        return (2, self.window, self.step, self.pad)

    def c_support_code_apply(self, node, nodename):
        ctype = node.inputs[0].type.dtype_specs()[1]
        return """
        /* one channel's share of one row; what lies outside of the image stays zero */
        static void fill_%(nodename)s(%(ctype)s* to, const char* from, npy_intp rows, npy_intp cols, npy_intp rstride,
                                      npy_intp cstride, npy_intp top, npy_intp left, int height, int width)
        {
            for (int i = 0; i < height; ++i)
                for (int j = 0; j < width; ++j) {
                    npy_intp r = top + i, c = left + j;
                    if (r >= 0 && r < rows && c >= 0 && c < cols)
                        to[i * width + j] = *(const %(ctype)s*)(from + r * rstride + c * cstride);
                }
        }
        """ % locals()

    def c_code(self, node, name, inp, out, sub):
        (x,) = inp
        (z,) = out
        fail = sub["fail"]
        height, width = self.window
        down, right = self.step
        pad = self.pad
        return """
        {
            npy_intp channels = PyArray_DIMS(%(x)s)[0];
            npy_intp rows = PyArray_DIMS(%(x)s)[1], cols = PyArray_DIMS(%(x)s)[2];
            npy_intp dims[2], r, c, k, cols_out;
            if (rows + 2 * %(pad)d < %(height)d || cols + 2 * %(pad)d < %(width)d) {
                PyErr_SetString(PyExc_ValueError, "the window is larger than the image");
                %(fail)s
            }
            cols_out = (cols + 2 * %(pad)d - %(width)d) / %(right)d + 1;
            dims[0] = ((rows + 2 * %(pad)d - %(height)d) / %(down)d + 1) * cols_out;
            dims[1] = channels * %(height)d * %(width)d;
            if (%(z)s == NULL || PyArray_DIMS(%(z)s)[0] != dims[0] || PyArray_DIMS(%(z)s)[1] != dims[1]
                || !PyArray_IS_C_CONTIGUOUS(%(z)s)) {
                Py_XDECREF(%(z)s);
                %(z)s = (PyArrayObject*)PyArray_ZEROS(2, dims, type_num_%(z)s, 0);
                if (!%(z)s)
                    %(fail)s;
            }
            else {
                memset(PyArray_DATA(%(z)s), 0, PyArray_NBYTES(%(z)s));
            }
            for (r = 0; r < dims[0]; ++r)
                for (k = 0; k < channels; ++k) {
                    c = r %% cols_out;
                    fill_%(name)s((dtype_%(z)s*)PyArray_DATA(%(z)s) + r * dims[1] + k * %(height)d * %(width)d,
                                  PyArray_BYTES(%(x)s) + k * PyArray_STRIDES(%(x)s)[0], rows, cols,
                                  PyArray_STRIDES(%(x)s)[1], PyArray_STRIDES(%(x)s)[2],
                                  r / cols_out * %(down)d - %(pad)d, c * %(right)d - %(pad)d, %(height)d, %(width)d);
                }
        }
        """ % locals()
