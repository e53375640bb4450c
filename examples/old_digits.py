"""A program of Theano's time: handwritten digits, by a convolution, pooling and softmax whose C is the program's own.

The ops are written as for Theano 0.9, and so are the gradients, by hand, and the updates of shared variables; nothing
of it was changed but for the line that puts opweld's names in Theano's place. The digits are scikit-learn's: 1,797 of
8 by 8 pixels, of which 1,500 are learnt from.

    $ pip install scikit-learn
    $ python old_digits.py digits.png
"""

import sys

import opweld.compat; opweld.compat.install("theano")  # the line that was added  # fmt: skip

import numpy
import theano
import theano.tensor as T
from theano import gof

FILTERS, SIDE, POOLED = 12, 3, 3


class Im2Col(gof.Op):
    """Every window of every image as a row: (n, rows, columns) -> (n * windows, side * side)."""

    __props__ = ("side",)

    def __init__(self, side):
        self.side = side

    def make_node(self, images):
        images = T.as_tensor_variable(images)
        if images.ndim != 3:
            raise TypeError("Im2Col: images must have 3 dimensions")
        return gof.Apply(self, [images], [T.TensorType(images.dtype, (False, False))()])

    def infer_shape(self, node, shapes):
        ((n, rows, columns),) = shapes
        return [(n * (rows - self.side + 1) * (columns - self.side + 1), self.side**2)]

    def perform(self, node, inputs, output_storage):
        (images,) = inputs
        windows = numpy.lib.stride_tricks.sliding_window_view(images, (self.side, self.side), (1, 2))
        output_storage[0][0] = windows.reshape(-1, self.side**2).copy()

    def c_code(self, node, name, inp, out, sub):
        (images,) = inp
        (cols,) = out
        side, fail = self.side, sub["fail"]
        return """
        npy_intp n = PyArray_DIM(%(images)s, 0);
        npy_intp down = PyArray_DIM(%(images)s, 1) - %(side)s + 1, right = PyArray_DIM(%(images)s, 2) - %(side)s + 1;
        npy_intp size[2] = {n * down * right, %(side)s * %(side)s};
        if (down < 1 || right < 1) {
            PyErr_SetString(PyExc_ValueError, "Im2Col: the images are smaller than a window");
            %(fail)s
        }
        if (%(cols)s == NULL || PyArray_DIM(%(cols)s, 0) != size[0] || !PyArray_ISCONTIGUOUS(%(cols)s)) {
            Py_XDECREF(%(cols)s);
            %(cols)s = (PyArrayObject*)PyArray_EMPTY(2, size, PyArray_TYPE(%(images)s), 0);
            if (!%(cols)s) { %(fail)s }
        }
        dtype_%(cols)s* to = (dtype_%(cols)s*)PyArray_DATA(%(cols)s);
        for (npy_intp k = 0; k < n; k++)
            for (npy_intp i = 0; i < down; i++)
                for (npy_intp j = 0; j < right; j++)
                    for (int a = 0; a < %(side)s; a++)
                        for (int b = 0; b < %(side)s; b++)
                            *to++ = *(dtype_%(images)s*)PyArray_GETPTR3(%(images)s, k, i + a, j + b);
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


class MaxPool(gof.Op):
    """The largest of each 2 by 2 pixels, and which of the four it is: (n, rows, columns, filters)."""

    __props__ = ()

    def make_node(self, x):
        if x.ndim != 4:
            raise TypeError("MaxPool: x must have 4 dimensions")
        return gof.Apply(self, [x], [x.type(), T.TensorType("int8", (False,) * 4)()])

    def infer_shape(self, node, shapes):
        ((n, rows, columns, filters),) = shapes
        return [(n, rows // 2, columns // 2, filters)] * 2

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        n, rows, columns, filters = x.shape
        four = x.reshape(n, rows // 2, 2, columns // 2, 2, filters).transpose(0, 1, 3, 5, 2, 4)
        four = four.reshape(n, rows // 2, columns // 2, filters, 4)
        output_storage[0][0] = four.max(-1)
        output_storage[1][0] = four.argmax(-1).astype("int8")

    def c_code(self, node, name, inp, out, sub):
        (x,) = inp
        z, which = out
        fail = sub["fail"]
        return """
        npy_intp* dims = PyArray_DIMS(%(x)s);
        npy_intp size[4] = {dims[0], dims[1] / 2, dims[2] / 2, dims[3]};
        if (dims[1] %% 2 || dims[2] %% 2) {
            PyErr_SetString(PyExc_ValueError, "MaxPool: rows and columns must be even");
            %(fail)s
        }
        Py_XDECREF(%(z)s);
        Py_XDECREF(%(which)s);
        %(z)s = (PyArrayObject*)PyArray_EMPTY(4, size, PyArray_TYPE(%(x)s), 0);
        %(which)s = (PyArrayObject*)PyArray_EMPTY(4, size, NPY_INT8, 0);
        if (!%(z)s || !%(which)s) { %(fail)s }
        dtype_%(z)s* to = (dtype_%(z)s*)PyArray_DATA(%(z)s);
        npy_int8* kept = (npy_int8*)PyArray_DATA(%(which)s);
        for (npy_intp k = 0; k < size[0]; k++)
            for (npy_intp i = 0; i < size[1]; i++)
                for (npy_intp j = 0; j < size[2]; j++)
                    for (npy_intp f = 0; f < size[3]; f++, to++, kept++) {
                        *kept = 0;
                        for (int a = 0; a < 4; a++) {
                            const npy_intp at[4] = {k, 2 * i + a / 2, 2 * j + a %% 2, f};
                            dtype_%(x)s v = *(dtype_%(x)s*)PyArray_GetPtr(%(x)s, at);
                            if (a == 0 || v > *to || (v != v && *to == *to)) { *to = v; *kept = a; }
                        }
                    }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


class MaxPoolGrad(gof.Op):
    """What comes back through MaxPool: to each of the four pixels that was the largest what came, to the others 0."""

    __props__ = ()

    def make_node(self, g, which):
        if g.ndim != 4 or which.ndim != 4 or not which.dtype.startswith("int"):
            raise TypeError("MaxPoolGrad: g and which must have 4 dimensions, and which be integers")
        return gof.Apply(self, [g, which], [g.type()])

    def perform(self, node, inputs, output_storage):
        g, which = inputs
        n, rows, columns, filters = g.shape
        four = numpy.zeros(g.shape + (4,), g.dtype)
        numpy.put_along_axis(four, which[..., None].astype("int64"), g[..., None], -1)
        four = four.reshape(n, rows, columns, filters, 2, 2).transpose(0, 1, 4, 2, 5, 3)
        output_storage[0][0] = four.reshape(n, 2 * rows, 2 * columns, filters)

    def c_code(self, node, name, inp, out, sub):
        g, which = inp
        (z,) = out
        fail = sub["fail"]
        return """
        npy_intp* dims = PyArray_DIMS(%(g)s);
        npy_intp size[4] = {dims[0], 2 * dims[1], 2 * dims[2], dims[3]};
        if (!PyArray_CompareLists(dims, PyArray_DIMS(%(which)s), 4)) {
            PyErr_SetString(PyExc_ValueError, "MaxPoolGrad: g and which must have one shape");
            %(fail)s
        }
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*)PyArray_ZEROS(4, size, PyArray_TYPE(%(g)s), 0);
        if (!%(z)s) { %(fail)s }
        for (npy_intp k = 0; k < dims[0]; k++)
            for (npy_intp i = 0; i < dims[1]; i++)
                for (npy_intp j = 0; j < dims[2]; j++)
                    for (npy_intp f = 0; f < dims[3]; f++) {
                        const npy_intp from[4] = {k, i, j, f};
                        npy_intp a = *(dtype_%(which)s*)PyArray_GetPtr(%(which)s, from);
                        if (a < 0 || a > 3) {
                            PyErr_SetString(PyExc_IndexError, "MaxPoolGrad: which must be 0, 1, 2 or 3");
                            %(fail)s
                        }
                        const npy_intp to[4] = {k, 2 * i + a / 2, 2 * j + a %% 2, f};
                        *(dtype_%(z)s*)PyArray_GetPtr(%(z)s, to) = *(dtype_%(g)s*)PyArray_GetPtr(%(g)s, from);
                    }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


class Softmax(gof.Op):
    """Of each row of a matrix."""

    __props__ = ()

    def make_node(self, x):
        if x.ndim != 2:
            raise TypeError("Softmax: x must be a matrix")
        return gof.Apply(self, [x], [x.type()])

    def infer_shape(self, node, shapes):
        return shapes

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        e = numpy.exp(x - x.max(1)[:, None])
        output_storage[0][0] = e / e.sum(1)[:, None]

    def c_headers(self):
        return ["<cmath>"]

    def c_code(self, node, name, inp, out, sub):
        (x,) = inp
        (z,) = out
        fail = sub["fail"]
        return """
        npy_intp rows = PyArray_DIM(%(x)s, 0), columns = PyArray_DIM(%(x)s, 1);
        if (!columns) {
            PyErr_SetString(PyExc_ValueError, "Softmax: there are no columns");
            %(fail)s
        }
        Py_XDECREF(%(z)s);
        %(z)s = (PyArrayObject*)PyArray_EMPTY(2, PyArray_DIMS(%(x)s), PyArray_TYPE(%(x)s), 0);
        if (!%(z)s) { %(fail)s }
        for (npy_intp i = 0; i < rows; i++) {
            dtype_%(z)s* to = (dtype_%(z)s*)PyArray_GETPTR2(%(z)s, i, 0);
            dtype_%(x)s top = *(dtype_%(x)s*)PyArray_GETPTR2(%(x)s, i, 0), sum = 0;
            for (npy_intp j = 1; j < columns; j++) top = std::max(top, *(dtype_%(x)s*)PyArray_GETPTR2(%(x)s, i, j));
            for (npy_intp j = 0; j < columns; j++) {
                to[j] = std::exp(*(dtype_%(x)s*)PyArray_GETPTR2(%(x)s, i, j) - top);
                sum += to[j];
            }
            for (npy_intp j = 0; j < columns; j++) to[j] /= sum;
        }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


im2col, max_pool, max_pool_grad, softmax = Im2Col(SIDE), MaxPool(), MaxPoolGrad(), Softmax()


def weights(seed=0):
    """Filters, their biases, what weighs the pooled pixels for each digit, and biases."""
    rng = numpy.random.RandomState(seed)
    pixels = POOLED * POOLED * FILTERS
    return [
        rng.normal(0, 1.0 / SIDE, (SIDE * SIDE, FILTERS)),
        numpy.zeros(FILTERS),
        rng.normal(0, pixels**-0.5, (pixels, 10)),
        numpy.zeros(10),
    ]


class Network(object):
    """The weights as shared variables, and functions of them."""

    def __init__(self, values=None):
        self.params = [theano.shared(v, name) for v, name in zip(values or weights(), ["w1", "b1", "w2", "b2"])]
        self.images, self.labels = T.dtensor3("images"), T.lvector("labels")
        w1, b1, w2, b2 = self.params
        n = self.images.shape[0]
        self.columns = im2col(self.images)
        self.before = (T.dot(self.columns, w1) + b1).reshape((n, 2 * POOLED, 2 * POOLED, FILTERS))
        pooled, self.which = max_pool(T.maximum(self.before, 0))
        self.features = pooled.reshape((n, POOLED * POOLED * FILTERS))
        self.p = softmax(T.dot(self.features, w2) + b2)
        self.loss = -T.log(self.p[T.arange(n), self.labels]).mean()

    def classify(self):
        """A function of images that gives a digit for each."""
        return theano.function([self.images], T.argmax(self.p, axis=1))

    def learn(self, rate=0.1, momentum=0.9):
        """A function of images and labels that makes one step, and gives the loss before it."""
        w2 = self.params[2]
        n = self.images.shape[0]
        g = T.inc_subtensor(self.p[T.arange(n), self.labels], -1.0) / n  # of the loss, by what softmax was given
        back = T.dot(g, w2.T).reshape((n, POOLED, POOLED, FILTERS))
        back = max_pool_grad(back, self.which) * T.gt(self.before, 0)
        back = back.reshape((-1, FILTERS))
        gradients = [T.dot(self.columns.T, back), back.sum(0), T.dot(self.features.T, g), g.sum(0)]
        updates = []
        for param, gradient in zip(self.params, gradients):
            speed = theano.shared(numpy.zeros_like(param.get_value()), "speed of " + param.name)
            step = momentum * speed - rate * gradient
            updates += [(speed, step), (param, param + step)]
        return theano.function([self.images, self.labels], self.loss, updates=updates)


def digits():
    """Images and labels to learn from, and others to try: the 1,797 of scikit-learn, in an order of their own."""
    try:
        from sklearn.datasets import load_digits
    except ImportError:
        sys.exit("old_digits.py takes its digits from scikit-learn: pip install scikit-learn")
    data = load_digits()
    order = numpy.random.RandomState(1).permutation(len(data.images))
    images, labels = data.images[order] / 16.0, data.target[order].astype("int64")
    return images[:1500], labels[:1500], images[1500:], labels[1500:]


def classify_in_numpy(images, values=None):
    """What `Network.classify` computes, by the ops' own Python."""
    w1, b1, w2, b2 = values or weights()

    def run(op, *arrays):
        node = op.make_node(*[T.TensorType(a.dtype, (False,) * a.ndim)() for a in arrays])
        storage = [[None] for _ in node.outputs]
        op.perform(node, list(arrays), storage)
        return storage[0][0]

    x = (run(im2col, images).dot(w1) + b1).reshape(len(images), 2 * POOLED, 2 * POOLED, FILTERS)
    features = run(max_pool, numpy.maximum(x, 0)).reshape(len(images), -1)
    return run(softmax, features.dot(w2) + b2).argmax(1)


def train(network, epochs=12, batch=50):
    """Learn, and say after each time through the digits how many of the others are known."""
    images, labels, others, wanted = digits()
    learn, classify = network.learn(), network.classify()
    for epoch in range(epochs):
        losses = [learn(images[i : i + batch], labels[i : i + batch]) for i in range(0, len(images), batch)]
        right = (classify(others) == wanted).mean()
        print("epoch %2d   loss %.4f   right %.1f %%" % (epoch + 1, numpy.mean(losses), 100 * right))
    return right


def draw(network, path, across=27):
    """Write the digits that were not learnt from as a PNG: known ones in white, the others in red."""
    from gray_scott import save

    _, _, images, labels = digits()
    right = network.classify()(images) == labels
    down = len(images) // across
    pixels = numpy.zeros((down * 20, across * 20, 3), "uint8")
    for at in range(down * across):
        i, j = 20 * (at // across) + 2, 20 * (at % across) + 2
        large = numpy.kron(images[at], numpy.ones((2, 2))) * 255
        pixels[i : i + 16, j : j + 16] = large[..., None] * ([1, 1, 1] if right[at] else [1, 0.2, 0.2])
    save(pixels, path)


def main(paths=("digits.png",)):
    network = Network()
    train(network)
    draw(network, *paths)


if __name__ == "__main__":
    main(sys.argv[1:] or ("digits.png",))
