"""How each class with C of Theano's and PyTensor's own files is made and called, to be tried by `oldfiles`.

A recipe is a function of the module that a file became, and of a kit; it gives inputs, outputs, and values. What no
recipe names and is a scalar op, is applied to numbers.
"""

from __future__ import annotations

import numpy as np

RECIPES = {}


def recipe(*names):
    """Enter a function as the recipe of classes."""

    def enter(function):
        for name in names:
            RECIPES[name] = function
        return function

    return enter


class Kit:
    """What recipes have at hand: the tree, numbers, small scalar ops with C of their own."""

    def __init__(self, tree, name):
        self.tree, self.package = tree, name
        self.theano = name.split(".")[0] == "theano"
        self.T, self.scalar = tree.tensor, tree.scalar
        self.rng = np.random.default_rng(11)
        scalar = self.scalar

        class Plus(scalar.BinaryScalarOp):
            """x + y, with C."""

            __props__, identity, commutative, associative = (), 0, True, True
            nfunc_spec = ("add", 2, 1)

            def output_types(self, types):
                return types[:1]

            def impl(self, x, y):
                return x + y

            def c_code(self, node, name, inputs, outputs, sub):
                return f"{outputs[0]} = {inputs[0]} + {inputs[1]};"

            def c_code_cache_version(self):
                return (1,)

        self.plus = Plus()
        self.names = {}

    def type(self, module, dtype, ndim):
        """A tensor type: of the module's own class where it has one."""
        made = getattr(module, "TensorType", None) or self.T.TensorType
        return made(dtype, (False,) * ndim) if self.theano else made(dtype, shape=(None,) * ndim)

    def x(self, module, ndim=2, dtype="float64"):
        """A variable."""
        return self.type(module, dtype, ndim)(f"x{len(self.names)}_{self.names.setdefault(len(self.names), 0)}")

    def random(self, *shape, dtype="float64"):
        """Numbers from 0 to 1."""
        return self.rng.random(shape).astype(dtype)

    def const(self, value):
        """A constant of the tree."""
        return self.T.as_tensor_variable(value)


def registered(m, k):
    """Enter the C for tensors that ``tensor.type`` enters."""
    share = "Py_XDECREF(%(oname)s); %(oname)s = %(iname)s; Py_XINCREF(%(oname)s);"
    copy = "Py_XDECREF(%(oname)s); %(oname)s = (PyArrayObject *)PyArray_NewCopy(%(iname)s, NPY_ANYORDER);"
    sizes = (
        "npy_intp n = PyArray_NDIM(%(iname)s); Py_XDECREF(%(oname)s);"
        "%(oname)s = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_INT64);"
        "for (npy_intp i = 0; i < n; i++) ((npy_int64 *)PyArray_DATA(%(oname)s))[i] = PyArray_DIMS(%(iname)s)[i];"
    )
    one = (
        "Py_XDECREF(%(oname)s); %(oname)s = (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0);"
        "*(npy_int64 *)PyArray_DATA(%(oname)s) = PyArray_DIMS(%(iname)s)[%(i)s];"
    )
    fit = 'if (PyArray_DIMS(%(iname)s)[%(axis)s] != 1) { PyErr_SetString(PyExc_ValueError, "size"); %(fail)s }'
    kind = getattr(m, "TensorType", None) or k.T.TensorType
    for name, *code in (
        ("register_view_op_c_code", share, 1), ("register_deep_copy_op_c_code", copy, 1),
        ("register_shape_c_code", sizes, 1), ("register_shape_i_c_code", one, "", 1),
        ("register_rebroadcast_c_code", fit + share, 1), ("register_specify_shape_c_code", share, 1),
    ):  # fmt: skip
        if hasattr(m, name):
            getattr(m, name)(kind, *code)


@recipe("ViewOp", "DeepCopyOp", "TypeCastingOp", "CpuContiguous", "Shape")
def _one(m, k, name):
    registered(m, k)
    x = k.x(m)
    op = m.ViewOp() if name == "TypeCastingOp" else getattr(m, name)()
    return [x], [op(x)], [k.random(3, 4)]


@recipe("Shape_i")
def _shape_i(m, k, name):
    registered(m, k)
    x = k.x(m)
    return [x], [m.Shape_i(1)(x)], [k.random(3, 4)]


@recipe("Rebroadcast")
def _rebroadcast(m, k, name):
    registered(m, k)
    x = k.x(m)
    return [x], [m.Rebroadcast((0, True))(x)], [k.random(1, 4)]


@recipe("SpecifyShape")
def _specify(m, k, name):
    registered(m, k)
    x = k.x(m)
    if k.theano:
        return [x], [m.SpecifyShape()(x, k.const(np.array([3, 4])))], [k.random(3, 4)]
    return [x], [m.SpecifyShape()(x, k.const(np.int64(3)), k.const(np.int64(4)))], [k.random(3, 4)]


@recipe("MultinomialFromUniform")
def _multinomial(m, k, name):
    p, u = k.x(m), k.x(m, 1)
    values = k.random(4, 5)
    return [p, u], [m.MultinomialFromUniform("int64")(p, u)], [values / values.sum(1, keepdims=True), k.random(4)]


@recipe("ChoiceFromUniform")
def _choice(m, k, name):
    p, u = k.x(m), k.x(m, 1)
    values = k.random(4, 5)
    op = m.ChoiceFromUniform("int64", replace=False)
    return [p, u], [op(p, u, 2)], [values / values.sum(1, keepdims=True), k.random(8)]


@recipe("DotModulo")
def _dot_modulo(m, k, name):
    kinds = [(2, "int64"), (1, "int32"), (0, "int32"), (2, "int64"), (1, "int32"), (0, "int32")]
    xs = [k.x(m, n, dtype) for n, dtype in kinds]
    a, s = k.rng.integers(0, 9, (3, 3)), k.rng.integers(0, 9, 3).astype("int32")
    return xs, [m.DotModulo()(*xs)], [a, s, np.int32(2147483647), a, s, np.int32(2147462579)]


@recipe("mrg_uniform")
def _mrg(m, k, name):
    r, n = k.x(m, 2, "int32"), k.x(m, 1, "int64")
    op = m.mrg_uniform(k.type(m, "float64", 1))
    state = k.rng.integers(1, 99, (4, 6)).astype("int32")
    return [r, n], list(op.make_node(r, n).outputs), [state, np.array([7])]


@recipe("MaxAndArgmax")
def _max_argmax(m, k, name):
    x = k.x(m)
    return [x], list(m.MaxAndArgmax([1]).make_node(x).outputs), [k.random(3, 4)]


@recipe("Argmax")
def _argmax(m, k, name):
    x = k.x(m)
    return [x], [m.Argmax((1,))(x)], [k.random(3, 4)]


@recipe("ScalarFromTensor", "TensorFromScalar")
def _between(m, k, name):
    x = k.x(m, 0)
    if name == "ScalarFromTensor":
        return [x], [m.ScalarFromTensor()(x)], [2.5]
    s = k.scalar.float64("s")
    return [s], [m.TensorFromScalar()(s)], [2.5]


@recipe("Alloc")
def _alloc(m, k, name):
    x, n = k.x(m, 1), k.x(m, 0, "int64")
    return [x, n], [m.Alloc()(x, n, k.const(np.int64(4)))], [k.random(4), 3]


@recipe("AllocEmpty")
def _alloc_empty(m, k, name):
    n = k.x(m, 0, "int64")
    return [n], [k.T.shape(m.AllocEmpty("float64")(n, 3))], [4]


@recipe("Mean")
def _mean(m, k, name):
    x = k.x(m)
    return [x], [m.Mean(axis=None)(x)], [k.random(3, 4)]


@recipe("Split")
def _split(m, k, name):
    x, sizes = k.x(m), k.x(m, 1, "int64")
    return [x, sizes], list(m.Split(2)(x, k.const(np.int64(0)), sizes)), [k.random(3, 4), np.array([1, 2])]


@recipe("Join")
def _join(m, k, name):
    x, y = k.x(m), k.x(m)
    return [x, y], [m.Join()(k.const(np.int8(1)), x, y)], [k.random(3, 4), k.random(3, 2)]


@recipe("Reshape")
def _reshape(m, k, name):
    x, n = k.x(m), k.x(m, 1, "int64")
    return [x, n], [m.Reshape(1)(x, n)], [k.random(3, 4), np.array([12])]


@recipe("Flatten")
def _flatten(m, k, name):
    x = k.x(m, 3)
    return [x], [m.Flatten(2)(x)], [k.random(2, 3, 4)]


@recipe("ARange")
def _arange(m, k, name):
    a, b, c = (k.x(m, 0, "int64") for _ in range(3))
    return [a, b, c], [m.ARange("int64")(a, b, c)], [1, 9, 2]


@recipe("ExtractDiag")
def _extract(m, k, name):
    x = k.x(m)
    return [x], [m.ExtractDiag(offset=1, axis1=0, axis2=1, view=False)(x)], [k.random(3, 4)]


@recipe("Gemm")
def _gemm(m, k, name):
    z, x, y = (k.x(m) for _ in range(3))
    a, b = k.x(m, 0), k.x(m, 0)
    return [z, a, x, y, b], [m.Gemm(False)(z, a, x, y, b)], [k.random(3, 5), 2.0, k.random(3, 4), k.random(4, 5), 0.5]


@recipe("Dot22")
def _dot22(m, k, name):
    x, y = k.x(m), k.x(m)
    return [x, y], [m.Dot22()(x, y)], [k.random(3, 4), k.random(4, 5)]


@recipe("Dot22Scalar")
def _dot22scalar(m, k, name):
    x, y, a = k.x(m), k.x(m), k.x(m, 0)
    return [x, y, a], [m.Dot22Scalar()(x, y, a)], [k.random(3, 4), k.random(4, 5), 2.0]


@recipe("BatchedDot")
def _batched(m, k, name):
    x, y = k.x(m, 3), k.x(m, 3)
    return [x, y], [m.BatchedDot()(x, y)], [k.random(2, 3, 4), k.random(2, 4, 5)]


@recipe("CGer")
def _ger(m, k, name):
    a, s, x, y = k.x(m), k.x(m, 0), k.x(m, 1), k.x(m, 1)
    return [a, s, x, y], [m.CGer(False)(a, s, x, y)], [k.random(3, 4), 2.0, k.random(3), k.random(4)]


@recipe("CGemv")
def _gemv(m, k, name):
    y, s, a, x, b = k.x(m, 1), k.x(m, 0), k.x(m), k.x(m, 1), k.x(m, 0)
    return (
        [y, s, a, x, b],
        [m.CGemv(inplace=False)(y, s, a, x, b)],
        [k.random(3), 2.0, k.random(3, 4), k.random(4), 0.5],
    )


def fill(m, k):
    """Fill the places that ``tensor.elemwise`` leaves to ``tensor`` to fill."""
    for name in ("as_tensor_variable", "TensorType", "TensorVariable", "TensorConstant"):
        if k.theano and hasattr(m, name):
            setattr(m, name, getattr(k.T, name))


@recipe("Elemwise")
def _elemwise(m, k, name):
    fill(m, k)
    x, y = k.x(m), k.x(m)
    return [x, y], [m.Elemwise(k.plus)(x, y)], [k.random(3, 4), k.random(3, 4)]


@recipe("CAReduce")
def _reduce(m, k, name):
    fill(m, k)
    x = k.x(m)
    if not k.theano:
        return [x], [m.CAReduce(k.plus, axis=(0,))(x), m.CAReduce(k.plus, axis=None)(x)], [k.random(3, 4)]
    return [x], [m.CAReduce(k.plus, axis=0)(x), m.CAReduce(k.plus)(x)], [k.random(3, 4)]


@recipe("MulWithoutZeros")
def _without_zeros(m, k, name):
    fill(m, k)
    x, y = k.x(m, 1), k.x(m, 1)
    op = k.T.Elemwise(m.MulWithoutZeros(k.scalar.upcast_out))
    return [x, y], [op(x, y)], [np.array([0.0, 2.0, 3.0]), np.array([5.0, 0.0, 3.0])]


@recipe("SearchsortedOp")
def _searchsorted(m, k, name):
    x, v = k.x(m, 1), k.x(m, 1)
    return [x, v], [m.SearchsortedOp()(x, v)], [np.arange(5.0), k.random(3) * 5]


@recipe("CumOp")
def _cum(m, k, name):
    x = k.x(m)
    return [x], [m.CumOp(axis=0, mode="add")(x), m.CumOp(axis=1, mode="mul")(x)], [k.random(3, 4)]


@recipe("ConvOp")
def _conv(m, k, name):
    x, w = k.x(m, 4), k.x(m, 4)
    a, b = k.random(2, 3, 7, 8), k.random(4, 3, 3, 2)
    wanted = _correlated(2, a.shape, b.shape, a, b[:, :, ::-1, ::-1], False, False)
    return [x, w], [m.ConvOp(output_mode="valid")(x, w)], [a, b], [wanted]


def _correlated(dims, image, kernel, a, b, weights, inputs):
    """What correlations and their gradients give, by NumPy."""
    found = np.zeros(
        kernel if weights else image if inputs else (image[0], kernel[0], *np.subtract(image[2:], kernel[2:]) + 1)
    )
    for index in np.ndindex(*kernel[2:]):
        at = (slice(None),) * 2 + index
        steps = tuple([slice(i, i + n - w + 1) for i, n, w in zip(index, image[2:], kernel[2:])])
        window = (slice(None),) * 2 + steps
        if weights:
            rest = [0, *range(2, 2 + dims)]
            found[at] = np.tensordot(b, a[window], axes=(rest, rest))
        elif inputs:
            found[window] += np.einsum("oc,bo...->bc...", a[at], b)
        else:
            found += np.einsum("bc...,oc->bo...", a[window], b[at])
    return found


def _correlation(dims, weights, inputs):
    def make(m, k, name):
        image, kernel = (2, 3, 7, 8, 6)[: dims + 2], (4, 3, 3, 2, 2)[: dims + 2]
        top = (2, 4, *[i - j + 1 for i, j in zip(image[2:], kernel[2:])])
        op = getattr(m, name)(border_mode="valid", subsample=(1,) * dims)
        sizes = (image, kernel) if not (weights or inputs) else (image, top) if weights else (kernel, top)
        x, y = k.x(m, dims + 2), k.x(m, dims + 2)
        values = [k.random(*sizes[0]), k.random(*sizes[1])]
        return [x, y], [op(x, y)], values, [_correlated(dims, image, kernel, *values, weights, inputs)]

    return make


for _dims, _stem in ((2, "CorrMM"), (3, "Corr3dMM")):
    RECIPES[_stem] = _correlation(_dims, False, False)
    RECIPES[_stem + "_gradWeights"] = _correlation(_dims, True, False)
    RECIPES[_stem + "_gradInputs"] = _correlation(_dims, False, True)


@recipe("Images2Neibs")
def _neighbours(m, k, name):
    x = k.x(m, 4)
    two = k.const(np.array([2, 2]))
    return [x], [m.Images2Neibs("valid")(x, two, two)], [k.random(2, 3, 6, 8)]


@recipe("SoftmaxWithBias")
def _softmax_bias(m, k, name):
    x, b = k.x(m), k.x(m, 1)
    return [x, b], [m.SoftmaxWithBias()(x, b)], [k.random(3, 4), k.random(4)]


@recipe("SoftmaxGrad")
def _softmax_grad(m, k, name):
    x, y = k.x(m), k.x(m)
    return [x, y], [m.SoftmaxGrad()(x, y)], [k.random(3, 4), k.random(3, 4)]


@recipe("Softmax", "LogSoftmax")
def _softmax(m, k, name):
    x = k.x(m)
    return [x], [getattr(m, name)()(x)], [k.random(3, 4)]


@recipe("CrossentropySoftmaxArgmax1HotWithBias")
def _entropy(m, k, name):
    x, b, y = k.x(m), k.x(m, 1), k.x(m, 1, "int64")
    op = m.CrossentropySoftmaxArgmax1HotWithBias()
    return [x, b, y], list(op(x, b, y)), [k.random(3, 4), k.random(4), np.array([0, 3, 1])]


@recipe("CrossentropySoftmax1HotWithBiasDx")
def _entropy_dx(m, k, name):
    d, s, y = k.x(m, 1), k.x(m), k.x(m, 1, "int64")
    op = m.CrossentropySoftmax1HotWithBiasDx()
    return [d, s, y], [op(d, s, y)], [k.random(3), k.random(3, 4), np.array([0, 3, 1])]


@recipe("MakeVector")
def _make_vector(m, k, name):
    x, y = k.x(m, 0), k.x(m, 0)
    return [x, y], [m.MakeVector("float64")(x, y)], [1.0, 2.0]


@recipe("Assert")
def _assert(m, k, name):
    x, ok = k.x(m, 1), k.x(m, 0, "int8")
    return [x, ok], [m.Assert("so")(x, ok)], [k.random(3), 1]


@recipe("CheckAndRaise")
def _check(m, k, name):
    x, ok = k.x(m, 1), k.x(m, 0, "bool")
    return [x, ok], [m.CheckAndRaise(ValueError, "so")(x, ok)], [k.random(3), True]


@recipe("Pool")
def _pool(m, k, name):
    x = k.x(m, 4)
    outs = [m.Pool(ignore_border=True, mode=mode, ndim=2)(x, (2, 2), (2, 2), (0, 0)) for mode in ("max", "sum")]
    value = k.random(2, 3, 6, 8)
    parts = _parts(value)
    return [x], outs, [value], [parts.max(axis=(3, 5)), parts.sum(axis=(3, 5))]


def _parts(value):
    """Windows of 2 by 2."""
    return value.reshape(2, 3, 3, 2, 4, 2)


def _spread(value):
    """Each element of a pooled array, over its window."""
    return value.repeat(2, axis=2).repeat(2, axis=3)


def _pooled(m, k):
    x = k.x(m, 4)
    value = k.random(2, 3, 6, 8)
    top = m.Pool(ignore_border=True, mode="max", ndim=2)(x, (2, 2), (2, 2), (0, 0))
    return x, value, top


@recipe("MaxPoolGrad", "DownsampleFactorMaxGradGrad")
def _pool_grad(m, k, name):
    x, value, top = _pooled(m, k)
    g = k.x(m, 4)
    op = getattr(m, name)(ignore_border=True, ndim=2)
    given = k.random(*((2, 3, 3, 4) if name == "MaxPoolGrad" else value.shape))
    most = value == _spread(_parts(value).max(axis=(3, 5)))
    wanted = most * _spread(given) if name == "MaxPoolGrad" else _parts(most * given).sum(axis=(3, 5))
    return [x, g], [op(x, top, g, (2, 2), (2, 2), (0, 0))], [value, given], [wanted]


@recipe("AveragePoolGrad")
def _average_grad(m, k, name):
    x, g = k.x(m, 4), k.x(m, 4)
    op = m.AveragePoolGrad(ignore_border=True, mode="average_inc_pad", ndim=2)
    given = k.random(2, 3, 3, 4)
    return [x, g], [op(x, g, (2, 2), (2, 2), (0, 0))], [k.random(2, 3, 6, 8), given], [_spread(given) / 4]


@recipe("MaxPoolRop")
def _pool_rop(m, k, name):
    x, e = k.x(m, 4), k.x(m, 4)
    op = m.MaxPoolRop(ignore_border=True, ndim=2)
    value, given = k.random(2, 3, 6, 8), k.random(2, 3, 6, 8)
    most = value == _spread(_parts(value).max(axis=(3, 5)))
    return [x, e], [op(x, e, (2, 2), (2, 2), (0, 0))], [value, given], [_parts(most * given).sum(axis=(3, 5))]


@recipe("Subtensor")
def _subtensor(m, k, name):
    x, i = k.x(m), k.scalar.int64("i")
    if k.theano:
        return [x, i], [m.Subtensor([slice(k.scalar.int64, None)])(x, i)], [k.random(4, 3), 1]
    return (
        [x, i],
        [m.Subtensor([slice(0, None), 1])(x, i, k.scalar.int64("j"))][:0] or [m.Subtensor([slice(0, None)])(x, i)],
        [k.random(4, 3), 1],
    )


@recipe("IncSubtensor")
def _inc_subtensor(m, k, name):
    x, y, i = k.x(m), k.x(m), k.scalar.int64("i")
    index = [slice(k.scalar.int64, None)] if k.theano else [slice(0, None)]
    return [x, y, i], [m.IncSubtensor(index)(x, y, i)], [k.random(4, 3), k.random(3, 3), 1]


@recipe("AdvancedSubtensor1")
def _advanced(m, k, name):
    x, i = k.x(m), k.x(m, 1, "int64")
    return [x, i], [m.AdvancedSubtensor1()(x, i)], [k.random(4, 3), np.array([2, 0, 2])]


@recipe("AdvancedIncSubtensor1")
def _advanced_inc(m, k, name):
    x, y, i = k.x(m), k.x(m), k.x(m, 1, "int64")
    return [x, y, i], [m.AdvancedIncSubtensor1()(x, y, i)], [k.random(4, 3), k.random(3, 3), np.array([2, 0, 2])]


@recipe("Convolve1d")
def _convolve(m, k, name):
    x, y = k.x(m, 1), k.x(m, 1)
    return [x, y], [m.Convolve1d()(x, y, k.const(np.bool_(True)))], [k.random(7), k.random(3)]


@recipe("Blockwise")
def _blockwise(m, k, name):
    from opweld.compat import pytensor

    class Outer(pytensor.link.c.op.COp):
        """An op of one element, with C."""

        __props__, gufunc_signature = (), "(n)->(n)"

        def make_node(self, x):
            return pytensor.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * 2

    x = k.x(m)
    return [x], [m.Blockwise(Outer(), signature="(n)->(n)")(x)], [k.random(3, 4)]


@recipe("TypedListType", "TensorType", "CLinkerType", "CLinkerOp", "COp", "ExternalCOp", "Generic")
def _kind(m, k, name):
    """An op and a type of the file's own classes: x + x in C."""
    if name == "TensorType":
        kind = k.type(m, "float64", 1)
    elif name == "Generic":
        kind = m.Generic()
    elif name == "TypedListType":
        kind = m.TypedListType(k.type(m, "float64", 1))
    else:
        kind = k.type(m, "float64", 1)
    bases = {"CLinkerOp": (m.CLinkerOp, k.tree.graph.op.Op)} if name == "CLinkerOp" else {}
    base = bases.get(name, (k.tree.gof.op.Op,) if k.theano else (k.tree.link.c.op.COp,))

    class Held(*base):
        """Hands its input on."""

        __props__, view_map = (), {0: [0]}

        def make_node(self, x):
            return k.tree.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]

        def c_code(self, node, name, inputs, outputs, sub):
            return f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({outputs[0]});"

        def c_code_cache_version(self):
            return (1,)

    x = kind("x") if name != "Generic" else kind()
    value = {"Generic": {"any": 1}, "TypedListType": [k.random(3), k.random(2)]}.get(name, k.random(3))
    return [x], [Held()(x)], [value]


@recipe("ParamsType", "EnumType", "CEnumType")
def _params(m, k, name):
    kinds = {
        "ParamsType": lambda: m.ParamsType(factor=k.scalar.float64),
        "EnumType": lambda: m.EnumType(ONE=1, FACTOR=3),
        "CEnumType": lambda: m.CEnumType("RAND_MAX", ctype="int"),
    }
    base = k.tree.gof.op.Op if k.theano else k.tree.link.c.op.COp

    class Scaled(base):
        """x times what params say."""

        __props__ = ("factor",)
        params_type = kinds[name]()

        def __init__(self):
            self.factor = 3.0

        def get_params(self, node):
            if name == "CEnumType":
                return self.params_type.RAND_MAX
            return self.params_type.get_params(self) if name == "ParamsType" else self.params_type.FACTOR

        def make_node(self, x):
            return k.tree.graph.basic.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs, params):
            outputs[0][0] = inputs[0] * (params.factor if name == "ParamsType" else 3)

        def c_code(self, node, name_, inputs, outputs, sub):
            p = (
                f"{sub['params']}->factor"
                if name == "ParamsType"
                else f"({sub['params']} == RAND_MAX ? 3 : {sub['params']})"
            )
            (x,), (z,) = inputs, outputs
            return (
                f"Py_XDECREF({z}); {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);\n"
                f"if (!{z}) {{ {sub['fail']} }}\n"
                f"for (npy_intp i = 0; i < PyArray_SIZE({z}); i++) ((double *)PyArray_DATA({z}))[i] *= {p};"
            )

        def c_code_cache_version(self):
            return (1,)

    x = k.x(m, 1)
    return [x], [Scaled()(x)], [k.random(3)]


def _listed(*further):
    def make(m, k, name):
        lists = k.tree.typed_list.type.TypedListType(k.type(m, "float64", 1))
        x = lists("x")
        e, i = k.x(m, 1), k.x(m, 0, "int64")
        given = {"e": (e, k.random(2)), "i": (i, 1), "l": (lists("y"), [k.random(4)])}
        op = getattr(m, name)()
        picked = [given[letter] for letter in further]
        return (
            [x, *[p[0] for p in picked]],
            [op(x, *[p[0] for p in picked])],
            [[k.random(3), k.random(2)], *[p[1] for p in picked]],
        )

    return make


for _name, _given in {
    "GetItem": "i",
    "Append": "e",
    "Extend": "l",
    "Insert": "ie",
    "Reverse": "",
    "Length": "",
}.items():
    RECIPES[_name] = _listed(*_given)


@recipe("CDataType", "_make_cdata")
def _cdata(m, k, name):
    """A pointer that one op makes and another reads."""
    base = k.tree.gof.op.Op if k.theano else k.tree.link.c.op.COp
    apply, scalar = k.tree.graph.basic.Apply, k.type(m, "float64", 0)
    kind = m.CDataType("double *", "free", headers=["stdlib.h"]) if name == "CDataType" else m.CDataType("double *")

    class Makes(base):
        __props__ = ()

        def make_node(self, x):
            return apply(self, [x], [kind()])

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            return f"{z} = (double *)malloc(sizeof(double)); *{z} = *(double *)PyArray_DATA({x});"

    class Reads(base):
        __props__ = ()

        def make_node(self, p):
            return apply(self, [p], [scalar()])

        def c_code(self, node, name, inputs, outputs, sub):
            (p,), (z,) = inputs, outputs
            return (
                f"Py_XDECREF({z}); {z} = (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_DOUBLE, 0);\n"
                f"*(double *)PyArray_DATA({z}) = *{p};"
            )

    if name == "CDataType":
        x = scalar("x")
        return [x], [Reads()(Makes()(x))], [2.5], [np.array(2.5)]
    k.held = np.array(3.5)
    address = k.scalar.uint64("address")
    return [address], [Reads()(m._make_cdata(kind)(address))], [np.uint64(k.held.ctypes.data)], [np.array(3.5)]


@recipe("ArcCosh")
def _arccosh(m, k, name):
    x = m.float64("x")
    return [x], [m.arccosh(x)], [1.5]


@recipe("InRange")
def _in_range(m, k, name):
    xs = [m.float64(letter) for letter in "xyz"]
    return xs, [m.InRange(True, False)(*xs)], [0.5, 0.0, 1.0]


@recipe("Cast")
def _cast(m, k, name):
    x = m.float64("x")
    return [x], [m.convert_to_int32(x)], [2.7]


@recipe("Scalar", "ScalarType")
def _scalar_type(m, k, name):
    x = m.float64("x")
    return [x], [m.identity(x)], [2.5]


@recipe("Composite")
def _composite(m, k, name):
    x, y = m.float64("x"), m.float64("y")
    return [x, y], [m.Composite([x, y], [m.mul(m.add(x, y), x)])(x, y)], [2.5, 3.5]


@recipe("ScalarLoop")
def _scalar_loop(m, k, name):
    x, n = k.scalar.float64("x"), k.scalar.int64("n")

    from opweld.compat.pytensor.scalar.basic import UnaryScalarOp

    class Twice(UnaryScalarOp):
        """2 x, with C."""

        __props__ = ()

        def output_types(self, types):
            return types

        def impl(self, x):
            return 2 * x

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = 2 * {inputs[0]};"

        def c_code_cache_version(self):
            return (1,)

    twice = Twice()
    return [n, x], [m.ScalarLoop([x], [twice(x)])(n, x)], [3, 1.5]


@recipe("GammaIncC")
def _gammaincc(m, k, name):
    from scipy.special import gammaincc

    a, x = (k.scalar.float64(letter) for letter in "ax")
    return [a, x], [m.GammaIncC(k.scalar.upgrade_to_float, name="gammaincc")(a, x)], [0.3, 0.7], [gammaincc(0.3, 0.7)]


@recipe("SymPyCCode")
def _sympy(m, k, name):
    import sympy

    xs = [k.scalar.float64(letter) for letter in "xy"]
    a, b = sympy.symbols("a b")
    return xs, [m.SymPyCCode([a, b], a**2 + b, name="formula")(*xs)], [2.0, 3.0], [7.0]
