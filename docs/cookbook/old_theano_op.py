"""
An old Theano op
================

A file of Theano's time, with its class untouched: `c_code` as a text with `%(x)s` in it, `PyArray_ZEROS`, a number of
its own for `c_code_cache_version`. The second line of the code is what was added. It does what networks for images did
in each layer: of each square of pixels the largest.
"""

import opweld.compat

opweld.compat.install("theano")  # the line that was added

import matplotlib.pyplot as plt
import theano
import theano.tensor as TT
from beside import beside
from matplotlib.cbook import get_sample_data
from scipy import ndimage
from theano import gof


class MaxPool(gof.Op):
    __props__ = ("size",)

    def __init__(self, size):
        self.size = size

    def make_node(self, x):
        x = TT.as_tensor_variable(x)
        assert x.ndim == 2
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,), s = inputs, self.size
        r, c = x.shape[0] // s, x.shape[1] // s
        output_storage[0][0] = x[: r * s, : c * s].reshape(r, s, c, s).max((1, 3))

    def c_code(self, node, name, inp, out, sub):
        x, = inp
        z, = out
        s = self.size
        fail = sub['fail']
        return """
        npy_intp dims[2] = {PyArray_DIMS(%(x)s)[0] / %(s)s, PyArray_DIMS(%(x)s)[1] / %(s)s};
        if (!%(z)s || PyArray_DIMS(%(z)s)[0] != dims[0] || PyArray_DIMS(%(z)s)[1] != dims[1]) {
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*) PyArray_ZEROS(2, dims, PyArray_TYPE(%(x)s), 0);
            if (!%(z)s) { %(fail)s; }
        }
        for (int i = 0; i < dims[0]; ++i)
            for (int j = 0; j < dims[1]; ++j) {
                dtype_%(z)s best = *(dtype_%(x)s*) PyArray_GETPTR2(%(x)s, i * %(s)s, j * %(s)s);
                for (int k = 0; k < %(s)s; ++k)
                    for (int l = 0; l < %(s)s; ++l) {
                        dtype_%(x)s v = *(dtype_%(x)s*) PyArray_GETPTR2(%(x)s, i * %(s)s + k, j * %(s)s + l);
                        if (v > best) best = v;
                    }
                *(dtype_%(z)s*) PyArray_GETPTR2(%(z)s, i, j) = best;
            }
        """ % locals()

    def c_code_cache_version(self):
        return (3,)


x = TT.fmatrix("x")
pooled = theano.function([x], [MaxPool(2)(x), MaxPool(4)(x), MaxPool(8)(x)])

# %%
# Three layers of it, on a photograph.

with get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file).mean(2).astype("float32")
fig, axes = plt.subplots(1, 4, figsize=(10, 3.4), layout="constrained")
for axis, image in zip(axes, [photo, *pooled(photo)]):
    axis.imshow(image, cmap="gray")
    axis.set_title("{} × {}".format(*image.shape))
    axis.set_axis_off()
plt.show()

# %%
# Squares of 4 × 4
# ----------------

pool = theano.function([x], MaxPool(4)(x))
image = photo[:600, :512]
beside({
    "opweld": lambda: pool(image),
    "NumPy": lambda: image.reshape(150, 4, 128, 4).max((1, 3)),
    "scipy.ndimage": lambda: ndimage.maximum_filter(image, 4, origin=-2)[::4, ::4],
})
