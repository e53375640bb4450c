"""Ops, classes of ops and helpers that files of Theano and PyTensor import: each does what it did."""

import math
import pickle
import pkgutil

import numpy as np
import opweld.compat.pytensor.tensor as pt
import opweld.compat.theano.scalar as scalar
import opweld.compat.theano.tensor as T
import pytest
from opweld.compat.pytensor.graph import vectorize_graph
from opweld.compat.pytensor.graph.basic import clone, equal_computations, explicit_graph_inputs, truncated_graph_inputs
from opweld.compat.pytensor.graph.fg import FrozenFunctionGraph, Output
from opweld.compat.pytensor.scalar.loop import ScalarLoop
from opweld.compat.pytensor.tensor.shape import specify_broadcastable
from opweld.compat.theano.tensor import elemwise_cgen as cgen
from opweld.compat.theano.tensor import opt
from opweld.compat.theano.tensor.type_other import SliceType, make_slice

from opweld.compat import aesara, pytensor, theano
from opweld.compat.theano import gof


def test_classes_of_ops_are_asked_for_and_called():
    x = T.dmatrix("x")
    assert isinstance(x.sum(axis=0).owner.op, T.Sum) and not isinstance(x.prod().owner.op, T.Sum)
    assert isinstance(x.prod().owner.op, theano.tensor.elemwise.Prod) and isinstance((x > 0).any().owner.op, T.Any)
    assert isinstance(x.T.owner.op, T.DimShuffle) and x.dimshuffle(1, "x", 0).owner.op.new_order == (1, "x", 0)
    assert isinstance(x[0].owner.op, T.Subtensor) and isinstance(T.dot(x, x).owner.op, T.Dot)
    assert isinstance(x[T.lvector()].owner.op, theano.tensor.subtensor.AdvancedSubtensor1)
    assert isinstance(T.argmax(x, axis=1).owner.op, T.MaxAndArgmax) and isinstance(T.exp, T.Elemwise)
    found = theano.function(
        [x],
        [
            T.Sum(axis=1)(x),
            T.DimShuffle((False, False), (1, "x", 0))(x),
            T.Elemwise(scalar.mul, name="times", nfunc_spec=("multiply", 2, 1))(x, x),
            T.CAReduce(scalar.maximum, axis=(0,))(x),
            T.Reshape(1)(x, [4]),
            T.Reshape(2)(x, T.as_tensor_variable([1, 4])),
            T.MaxAndArgmax((1,))(x),
        ],
    )(np.array([[1.0, 2.0], [4.0, 3.0]]))
    wanted = [[3, 7], [[[1, 4]], [[2, 3]]], [[1, 4], [16, 9]], [4, 3], [1, 2, 4, 3], [[1, 2, 4, 3]], [1, 0]]
    assert [value.tolist() for value in found] == wanted

    class Mine(T.Elemwise):
        """A subclass is a class like any other."""

    assert type(Mine(scalar.add)) is Mine and isinstance(Mine(scalar.add), T.Elemwise)
    with pytest.raises(NotImplementedError, match=r"write x\[i\]"):
        T.Subtensor([slice(None)])


def test_tensors_and_scalars():
    x, s = T.dscalar("x"), scalar.float64("s")
    y = T.tensor_from_scalar(scalar.mul(T.scalar_from_tensor(x), s))
    f = theano.function([x, s], y)
    assert f(3.0, 2.0).tolist() == 6.0 and theano.function([x, s], y, mode="DebugMode")(3.0, 2.0) == 6.0
    assert theano.function([x], T.scalar_from_tensor(x), mode="py")(3.0) == 3.0
    assert scalar.as_scalar(x).type == scalar.float64 and scalar.constant(3, dtype="int8").type == scalar.int8
    assert scalar.cast(s, "int32").type == scalar.int32 and scalar.convert(2, "float32").dtype == "float32"
    with pytest.raises(TypeError, match="without dimensions"):
        T.scalar_from_tensor(T.dvector())


@pytest.mark.parametrize("mode", ["FAST_RUN", "py"])
def test_checks(mode):
    x, ok = T.dvector("x"), T.bscalar("ok")
    f = theano.function([x, ok], opt.Assert("it must be so")(x, ok), mode=mode)
    assert f([1.0], 1).tolist() == [1.0]
    with pytest.raises(AssertionError, match="it must be so"):
        f([1.0], 0)
    g = theano.function([x, ok], pytensor.raise_op.CheckAndRaise(LookupError, "none")(x, ok), mode=mode)
    with pytest.raises(LookupError, match="none"):
        g([1.0], 0)
    with pytest.raises(ValueError, match="class of exceptions"):
        pytensor.raise_op.CheckAndRaise(int)


def test_known_sizes():
    x = T.dmatrix("x")
    y = theano.compile.Rebroadcast((0, True))(x)
    assert y.type.broadcastable == (True, False)
    assert theano.function([x], y)(np.ones((1, 2))).shape == (1, 2)
    with pytest.raises(ValueError, match="Dimension 0 in Rebroadcast's input was supposed to be 1"):
        theano.function([x], y)(np.ones((2, 2)))
    assert specify_broadcastable(x, 1).type.shape == (None, 1)
    assert theano.tensor.opt.Assert is T.opt.Assert and isinstance(
        pt.get_vector_length(T.as_tensor_variable([1, 2])), int
    )
    assert theano.compile.ops.expandable_types == (T.TensorType,)


def test_shapes_that_are_checked_by_what_is_registered(monkeypatch):
    from opweld.compat.ops import SpecifyShape, register_specify_shape_c_code

    monkeypatch.setattr(SpecifyShape, "c_code_and_version", {})
    x = T.dmatrix("x")
    made = SpecifyShape()(x, np.array([2, 3]))
    with pytest.raises(AssertionError, match="expected \\(2, 3\\)"):
        theano.function([x], made)(np.ones((2, 2)))  # in Python: nothing is registered yet
    text = """
        if (PyArray_DIM(%(iname)s, 0) != static_cast<npy_intp>(element(%(shape)s))) {
            PyErr_SetString(PyExc_AssertionError, "another shape");
            %(fail)s
        }
        Py_XDECREF(%(oname)s);
        %(oname)s = %(iname)s;
        Py_INCREF(%(oname)s);
    """
    support = "static npy_int64 element(PyArrayObject *shape) { return *(npy_int64 *)PyArray_DATA(shape); }"
    register_specify_shape_c_code(T.TensorType, text, 2, c_support_code_apply=support)
    f = theano.function([x], made)
    assert f(np.ones((2, 3))).shape == (2, 3)
    with pytest.raises(AssertionError, match="another shape"):
        f(np.ones((3, 3)))


def test_rank_one():
    rng = np.random.default_rng(3)
    a, x, y = rng.random((3, 4)), rng.random(4), rng.random(3)
    A, X, Y, s = T.dmatrix(), T.dvector(), T.dvector(), T.dscalar()
    blas = theano.tensor.blas
    got = theano.function([Y, s, A, X], blas.gemv_no_inplace(Y, s, A, X, s))(y, 2.0, a, x)
    assert np.allclose(got, 2 * y + 2 * a @ x)
    assert np.allclose(theano.function([A, s, Y, X], blas.ger(A, s, Y, X))(a, 2.0, y, x), a + 2 * np.outer(y, x))
    kept = y.copy()
    run = theano.function([theano.In(Y, mutable=True), s, A, X], blas.gemv_inplace(Y, s, A, X, s))
    assert np.allclose(run(kept, 1.0, a, x), y + a @ x) and blas.gemv_inplace.destroy_map == {0: [0]}
    with pytest.raises(TypeError, match="must have 2 dimensions"):
        blas.ger(X, s, Y, X)
    with pytest.raises(ValueError, match="Incompatible shapes"):
        theano.function([Y, s, A, X], blas.gemv_no_inplace(Y, s, A, X, s), mode="py")(y, 2.0, a.T.copy(), y)


def test_stacks():
    x, w = pt.dvector("x"), pt.dmatrix("w")
    y = pt.exp(x) / pt.exp(x).sum() + pt.dot(w, x)[0]
    xs = pt.dmatrix("xs")
    values, weights = np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3)
    got = pytensor.function([xs, w], vectorize_graph(y, {x: xs}))(values, weights)
    wanted = [np.exp(v) / np.exp(v).sum() + (weights @ v)[0] for v in values]
    assert np.allclose(got, wanted)
    turned = vectorize_graph(pt.DimShuffle(input_ndim=1, new_order=(0, "x"))(x) * 2, {x: xs})
    assert pytensor.function([xs], turned)(values).shape == (2, 3, 1)

    class Largest(pytensor.graph.op.Op):
        gufunc_signature = "(n)->()"
        __props__ = ()

        def make_node(self, v):
            return pytensor.graph.basic.Apply(self, [v], [pt.dscalar()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.asarray(inputs[0].max())

    stacked = pytensor.tensor.blockwise.Blockwise(Largest())(xs)
    assert stacked.type.ndim == 1 and pytensor.function([xs], stacked)(values).tolist() == [2.0, 5.0]
    assert pytensor.function([xs], stacked)(np.ones((0, 3))).shape == (0,)
    with pytest.raises(ValueError, match="1 dimensions or more"):
        pytensor.tensor.blockwise.Blockwise(Largest())(pt.dscalar())


def test_graphs_as_values():
    x, y = pt.dvector("x"), pt.dvector("y")
    one, other = FrozenFunctionGraph([x], [pt.exp(x) * 2]), FrozenFunctionGraph([y], [pt.exp(y) * 2])
    assert one == other and hash(one) == hash(other) and one != FrozenFunctionGraph([x], [pt.exp(x) * 3])
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(TypeError, match="cannot be changed"):
        one.replace(x, y)
    (copy,), (out,) = clone([x], [pt.exp(x)])
    assert copy is not x and equal_computations([out], [pt.exp(x)], [copy], [x]) and not equal_computations([out], [x])
    z = pt.exp(x) + y
    assert (
        set(explicit_graph_inputs([z])) == {x, y}
        and truncated_graph_inputs([z], [z.owner.inputs[0]])[0].owner.op == pt.exp
    )
    graph = pytensor.graph.fg.FunctionGraph([x, y], [z])
    assert all(isinstance(reader.op, Output) for reader, _ in graph.clients[z]) and graph.clients[z] == [("output", 0)]
    op = pytensor.compile.builders.OpFromGraph([x, y], [z, x * 2])
    found = pytensor.function([x, y], op(x, y))([0.0], [3.0])
    assert [value.tolist() for value in found] == [[4.0], [0.0]]
    assert pytensor.compile.builders.OpFromGraph([x], [pt.exp(x)], inline=True)(y).owner.op == pt.exp


def test_ops_whose_graph_is_made_for_their_inputs():
    class Grow(pytensor.compile.builders.SymbolicOp):
        __props__ = ("by",)

        def build_inner_graph(self, x):
            return [x * self.by]

    x, y = pt.dvector("x"), pt.dmatrix("y")
    f = pytensor.function([x, y], [Grow(by=2)(x), Grow(by=3)(y)])
    assert [value.tolist() for value in f([1.0], [[1.0]])] == [[2.0], [[3.0]]]
    assert Grow(by=2)(x).owner.op == Grow(by=2)(x).owner.op != Grow(by=3)(x).owner.op


class Cubed(scalar.UnaryScalarOp):
    """x**3 in C."""

    __props__ = ()

    def output_types(self, types):
        return types

    def impl(self, x):
        return x * x * x

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} * {inputs[0]} * {inputs[0]};"

    def c_code_cache_version(self):
        return (1,)


cubed = Cubed()


def test_scalar_graphs():
    x, y = scalar.float64("x"), scalar.float64("y")
    both = scalar.Composite([x, y], [cubed(cubed(x)), cubed(y)])
    a, b = T.dvector("a"), T.dvector("b")
    first, second = T.Elemwise(both)(a, b)
    for mode in ("FAST_RUN", "py", "DebugMode"):
        found = theano.function([a, b], [first, second], mode=mode)([2.0], [3.0])
        assert [value.tolist() for value in found] == [[512.0], [27.0]], mode
    assert both == scalar.Composite([y, x], [cubed(cubed(y)), cubed(x)]) and both.impl(2.0, 3.0) == (512.0, 27.0)
    known = scalar.Composite(
        [x], [scalar.add(scalar.mul(x, x), 1.0)]
    )  # ops of NumPy's have no C text: it runs in Python
    assert theano.function([a], T.Elemwise(known)(a))([2.0, 3.0]).tolist() == [5.0, 10.0]
    with pytest.raises(TypeError, match="no scalar op"):
        scalar.Composite([given := T.dscalar()], [T.exp(given)])

    loop = ScalarLoop([x], [cubed(x)], name="again")
    n = T.lscalar("n")
    for mode in ("FAST_RUN", "py", "DebugMode"):
        assert theano.function([n, a], T.Elemwise(loop)(n, a), mode=mode)(2, [2.0, 1.0]).tolist() == [512.0, 1.0]
    until = ScalarLoop([x], [scalar.mul(x, 2.0)], until=scalar.gt(x, 5.0))
    assert until.impl(10, 1.0) == (16.0, True) and until.impl(0, 1.0) == (1.0, True)
    with pytest.raises(TypeError, match="until must be a bool"):
        ScalarLoop([x], [cubed(x)], until=x)


@pytest.mark.parametrize(
    "name, args, wanted",
    [
        ("erf", (0.3,), math.erf(0.3)), ("gammaln", (4.5,), math.lgamma(4.5)), ("gamma", (4.5,), math.gamma(4.5)),
        ("sigmoid", (-800.0,), 0.0), ("softplus", (0.0,), math.log(2)),
        ("log1mexp", (-1.0,), math.log1p(-math.exp(-1))),
        ("erfc", (0.3,), math.erfc(0.3)),
    ],
)  # fmt: skip
def test_special_functions(name, args, wanted):
    op = getattr(pytensor.scalar.math, name)
    xs = [T.dvector() for _ in args]
    out = T.Elemwise(op)(*xs)
    values = [[value] for value in args]
    for mode in ("FAST_RUN", "py", "DebugMode"):
        assert np.allclose(theano.function(xs, out, mode=mode)(*values), [wanted], rtol=1e-14, atol=0), mode
    assert pickle.loads(pickle.dumps(op)) == op and op.make_node(scalar.int8()).outputs[0].type == scalar.float32
    cls = theano.scalar.basic_scipy.Erf
    assert isinstance(theano.scalar.basic_scipy.erf, cls) and not isinstance(theano.scalar.basic_scipy.gamma, cls)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
def test_special_functions_of_tensors(dtype):
    """They are ops for each element, which rewriters know; where a formula is known the engine's loops compute it."""
    special = pytest.importorskip("scipy.special")
    nnet = theano.tensor.nnet
    x = T.TensorType(dtype, (False,))("x")
    values = np.array([-40, -3, 0, 1, 2, 30]).astype(dtype)
    cases = [
        (nnet.sigmoid, special.expit), (nnet.softplus, lambda v: np.logaddexp(v, 0)), (T.erfcx, special.erfcx),
        (pt.expit, special.expit), (T.psi, special.psi), (pytensor.tensor.math.softplus, special.softplus),
    ]  # fmt: skip
    found = theano.function([x], [op(x) for op, _ in cases])(values)
    for value, (_, reference) in zip(found, cases):
        eps = np.finfo(value.dtype).eps
        np.testing.assert_allclose(value, reference(values.astype("f8")), rtol=16 * eps, atol=16 * eps)
    assert nnet.sigmoid(x).owner.op == nnet.sigmoid and isinstance(nnet.sigmoid, T.Elemwise)
    assert nnet.sigmoid.scalar_op.nin == 1 and nnet.sigmoid is theano.tensor.nnet.sigm.sigmoid


def test_dimensions_that_are_joined_and_split():
    x = pt.tensor("x", shape=(2, None, 4))
    value = np.arange(24.0).reshape(2, 3, 4)
    n = pt.lscalar("n")
    join, split = pytensor.tensor.reshape.join_dims, pytensor.tensor.reshape.split_dims
    outs = [join(x), join(x, 1), join(x, 0, 2), join(x, -1, 0), join(x, 1, 1), split(x, (2, 2), axis=-1),
            split(x, (n, -1), 1), split(x, 3, 1), split(x, np.array([1, 2]))]  # fmt: skip
    shapes = [value.shape for value in pytensor.function([x, n], outs)(value, 3)]
    assert shapes == [
        (24,),
        (2, 12),
        (6, 4),
        (2, 3, 1, 4),
        (2, 3, 4),
        (2, 3, 2, 2),
        (2, 3, 1, 4),
        (2, 3, 4),
        (1, 2, 3, 4),
    ]
    assert join(x, 2).type.shape == (2, None, 4) and split(x, (2, 2), 2).type.shape[-2:] == (2, 2)
    with pytest.raises(IndexError, match="axes 2 to 4 are out of bounds"):
        join(x, 2, 2)
    with pytest.raises(IndexError, match="axis 3 is out of bounds"):
        split(x, 2, 3)


def test_scalar_ops_that_numpy_has_not():
    x = T.dvector("x")
    rounded = theano.function([x], T.Elemwise(scalar.round_half_away_from_zero)(x), mode="DebugMode")
    assert rounded([0.5, -0.5, 1.5, 2.4, -2.6]).tolist() == [1.0, -1.0, 2.0, 2.0, -3.0]
    inside = theano.function([x], [T.Elemwise(op)(x, 0.0, 1.0) for op in (scalar.inopenrange, scalar.inclosedrange)])
    assert [value.tolist() for value in inside([0.0, 0.5, 1.0])] == [[False, True, False], [True, True, True]]
    assert scalar.complex.impl(1.0, 2.0) == 1 + 2j and scalar.angle.impl(1j) == math.pi / 2
    assert scalar.upcast_out_min8(scalar.bool) == (scalar.int8,) and scalar.real_out(scalar.complex64) == (
        scalar.float32,
    )
    assert scalar.unary_out_lookup({scalar.int8: scalar.float32})(scalar.int8) == (scalar.float32,)
    with pytest.raises(TypeError, match="complex numbers are not supported"):
        scalar.same_out_nocomplex(scalar.complex64)
    with pytest.raises(scalar.ComplexError):
        scalar.mod_check(scalar.complex64(), scalar.float64())


class Loops(gof.Op):
    """Loops that `elemwise_cgen` writes: x * y + row, or a sum over an axis, by any means it has."""

    __props__ = ("how",)

    def __init__(self, how):
        self.how = how

    def make_node(self, *inputs):
        if self.how in ("all", "axis", "nested"):
            return gof.Apply(self, list(inputs), [T.dscalar() if self.how == "all" else T.dvector()])
        return gof.Apply(self, list(inputs), [T.dmatrix()])

    def perform(self, node, inputs, outputs):
        if self.how == "all":
            outputs[0][0] = np.asarray(inputs[0].sum())
        elif self.how in ("axis", "nested"):
            outputs[0][0] = inputs[0].sum(axis=0)
        else:
            outputs[0][0] = inputs[0] * inputs[1]

    def c_code(self, node, name, inputs, outputs, sub):
        kinds = ["npy_float64"] * 3
        (z,) = outputs
        if self.how == "all":
            (x,) = inputs
            subs = dict(sub, lv0=x, lv1=z, olv=z)
            return (
                cgen.make_declare([[0, 1]], kinds[:1], subs, compute_stride_jump=False)
                + cgen.make_checks([[0, 1]], kinds[:1], subs, compute_stride_jump=False)
                + cgen.make_declare([[]], kinds[:1], dict(sub, lv0=z))
                + cgen.make_alloc([[]], "npy_float64", subs)
                + cgen.make_complete_loop_careduce(
                    x, z, "npy_float64", "npy_float64", f"{z}_i = 0;", f"{z}_i += {x}_i;", sub["fail"]
                )
            )
        if self.how in ("axis", "nested"):
            return self.along(inputs[0], z, sub)
        x, y = inputs
        orders = [[0, 1], ["x", 1], [0, 1]]
        subs = dict(sub, lv0=x, lv1=y, lv2=z, olv=z)
        head = (
            cgen.make_declare(orders[:2], kinds, subs)
            + cgen.make_checks(orders[:2], kinds, subs)
            + cgen.make_declare([[0, 1]], kinds[:1], dict(sub, lv0=z))
            + cgen.make_alloc(orders[:2], "npy_float64", subs, fortran=f"PyArray_ISFORTRAN({x})")
            + cgen.make_checks([[0, 1]], kinds[:1], dict(sub, lv0=z))
        )
        task = f"{z}_i = {x}_i * {y}_i;"
        if self.how == "loop":
            return head + cgen.make_loop(orders, kinds, [("", ""), ("", task), ""], subs)
        return head + cgen.make_reordered_loop(orders, 2, kinds, task, subs)

    def along(self, x, z, sub):
        subs = dict(sub, lv0=x, lv1=z, olv=z)
        kinds = ["npy_float64"] * 2
        if self.how == "axis":
            return (
                cgen.make_declare([[0, 1]], kinds[:1], subs, compute_stride_jump=False)
                + cgen.make_checks([[0, 1]], kinds[:1], subs, compute_stride_jump=False)
                + cgen.make_declare([["x", 0]], kinds[:1], dict(sub, lv0=z), compute_stride_jump=False)
                + cgen.make_alloc([[1]], "npy_float64", subs)
                + cgen.make_checks([["x", 0]], kinds[:1], dict(sub, lv0=z), compute_stride_jump=False)
                + cgen.make_reordered_loop_careduce(x, z, *kinds, 2, [0], f"{z}_i = 0;", f"{z}_i += {x}_i;")
            )
        tasks = [("", ""), (f"npy_float64 &{z}_i = *{z}_iter; {z}_i = 0;", f"{z}_i += {x}_i;"), ""]
        return (
            cgen.make_declare([[1, 0]], kinds[:1], subs)
            + cgen.make_checks([[1, 0]], kinds[:1], subs)
            + cgen.make_declare([[0, "x"]], kinds[:1], dict(sub, lv0=z))
            + cgen.make_alloc([[1]], "npy_float64", subs)
            + cgen.make_checks([[0, "x"]], kinds[:1], dict(sub, lv0=z))
            + cgen.make_loop_careduce([[1, 0], [0, "x"]], kinds, tasks, subs)
        )


@pytest.mark.parametrize("how", ["loop", "reordered", "all", "axis", "nested"])
def test_loops_in_c(how):
    rng = np.random.default_rng(5)
    x, y = T.dmatrix("x"), T.drow("y")
    given = [x, y] if how in ("loop", "reordered") else [x]
    f = theano.function(given, Loops(how)(*given), mode="DebugMode")
    for shape in ((3, 4), (1, 4), (0, 4), (5, 1)):
        whole = rng.random((2 * shape[0], 2 * shape[1]))
        for value in (
            np.ascontiguousarray(whole[: shape[0], : shape[1]]),
            whole[::-2, ::2],
            np.asfortranarray(whole[::2, ::2]),
        ):
            f(*[value, rng.random((1, shape[1]))][: len(given)])
    if len(given) == 2:
        with pytest.raises(
            ValueError, match=r"Input dimension mismatch: \(input\[0\].shape\[1\] = 4, input\[1\].shape\[1\] = 3\)"
        ):
            theano.function(given, Loops(how)(*given))(np.ones((2, 4)), np.ones((1, 3)))


class Adds(gof.Op):
    """What `inc_code` defines, called."""

    __props__ = ("inc",)

    def __init__(self, inc):
        self.inc = inc

    def make_node(self, x, i, y):
        return gof.Apply(self, [x, i, y], [x.type()])

    def perform(self, node, inputs, outputs):
        x, i, y = inputs
        outputs[0][0] = x.copy()
        if self.inc:
            np.add.at(outputs[0][0], i, y)
        else:
            outputs[0][0][i] = y

    def c_support_code(self):
        return theano.tensor.inc_code.inc_code()

    def c_code(self, node, name, inputs, outputs, sub):
        (x, i, y), (z,), fail = inputs, outputs, sub["fail"]
        return (
            f"Py_XDECREF({z}); {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_ANYORDER); if (!{z}) {{ {fail} }}\n"
            f"if (inplace_increment({z}, (PyObject *){i}, {y}, {int(self.inc)})) {{ {fail} }}"
        )


def test_elements_that_are_named():
    x, i, y = T.dvector("x"), T.lvector("i"), T.dvector("y")
    for inc, wanted in ((True, [0.0, 5.0, 3.0]), (False, [0.0, 3.0, 3.0])):
        f = theano.function([x, i, y], Adds(inc)(x, i, y), mode="DebugMode")
        assert f([0.0, 0.0, 0.0], [1, 2, 1], [2.0, 3.0, 3.0]).tolist() == wanted
        with pytest.raises(IndexError):
            theano.function([x, i, y], Adds(inc)(x, i, y))([0.0], [3], [1.0])
    assert theano.tensor.subtensor.advanced_inc_subtensor1(x, y, i).type == x.type


def test_programs_that_are_tried():
    compiler = theano.gof.cmodule.GCC_compiler
    assert compiler.try_compile_tmp("int main() { return 0; }", try_run=True) == (True, True)
    assert compiler.try_compile_tmp("int main() { return 3; }", try_run=True) == (True, False)
    assert compiler.try_compile_tmp("int main() { return x; }") is False
    done, _, err = compiler.try_flags(["-Wall"], preambule="#include <nothing_of_this_name.h>", output=True)
    assert not done and "nothing_of_this_name" in err
    assert compiler.try_flags([], "#include <cmath>", "double x = std::sqrt(2.0); (void)x;")


def test_modules_on_cells():
    x, y = T.dvector("x"), T.dvector("y")
    graph = gof.FunctionGraph([x, y], [x * y])
    reads, writes = [[np.array([2.0])], [np.array([3.0])]], [[None]]
    thunk, _, _ = theano.gof.cc.CLinker().accept(graph).make_thunk(reads, writes)
    thunk()
    assert writes[0][0].tolist() == [6.0]
    theano.gof.compilelock.get_lock()
    with pytensor.compile.compilelock.lock_ctx():
        theano.gof.compilelock.release_lock()


def test_slices_and_shared_scalars():
    made = make_slice(slice(T.lscalar("i"), None, 2))
    assert isinstance(made.type, SliceType)
    assert theano.function([made.owner.inputs[0]], made)(3) == slice(3, None, 2)
    with pytest.raises(TypeError, match="expected a slice"):
        made.type.filter(3)
    shared = theano.scalar.sharedvar.shared(2.5, name="s")
    assert shared.type == scalar.float64 and shared.get_value() == 2.5
    assert isinstance(T.dvector(), theano.tensor.var._tensor_py_operators) and issubclass(
        T.var.AsTensorError, TypeError
    )


def test_names_that_mean_something_else_elsewhere():
    x = T.dvector("x")
    assert theano.function([x], T.inv(x))([4.0]).tolist() == [0.25] and aesara.tensor.inv == T.inv
    assert callable(pt.pad) and pytensor.tensor.pad([1], 1) is not None and callable(theano.function)
    rows = theano.sandbox.multinomial.MultinomialFromUniform("int64")(T.dmatrix("p"), x)
    counts = theano.function([rows.owner.inputs[0], x], rows)([[0.2, 0.8], [1.0, 0.0]], [0.1, 0.9])
    assert counts.tolist() == [[1, 0], [1, 0]]
    drawn = theano.sandbox.multinomial.ChoiceFromUniform("int64")(rows.owner.inputs[0], x, 2)
    assert theano.function([rows.owner.inputs[0], x], drawn)([[0.2, 0.8]], [0.1, 0.9]).tolist() == [[0, 1]]


def test_products_of_blocks():
    rng = np.random.default_rng(7)
    w, h, b = rng.random((3, 4, 2, 5)), rng.random((6, 2, 2)), rng.random((4, 5))
    rows, columns = rng.integers(0, 3, (6, 2)), rng.integers(0, 4, (6, 3))
    given = [T.dtensor4("w"), T.dtensor3("h"), T.lmatrix("i"), T.dmatrix("b"), T.lmatrix("o")]
    got = theano.function(given, theano.tensor.nnet.blocksparse.sparse_block_dot(*given))(w, h, rows, b, columns)
    wanted = [[b[o] + sum(h[n, k] @ w[i, o] for k, i in enumerate(rows[n])) for o in columns[n]] for n in range(6)]
    assert np.allclose(got, wanted)


def test_formulas_in_words():
    x = T.dvector("x")
    assert theano.printing.min_informative_str(T.exp(x + 1)).splitlines()[0].startswith("A. ")
    assert theano.printing.special["middle_dot"] == "\u00b7"


def test_what_became_of_names():
    from opweld.compat import gone

    assert gone.state("grad_clip")[0] == "dead" and gone.state("nothing_of_this_kind") == ("not yet", "")
    for written in gone.RENAMED.values():
        for path in written.split(", "):
            if path.startswith("opweld.") and " " not in path:
                pkgutil.resolve_name(path)


def test_variables_know_their_readers_while_a_graph_is_rewritten():
    seen = []

    @gof.local_optimizer([T.exp.__class__])
    def note(node):
        seen.append([str(reader) for reader, _ in node.inputs[0].clients])

    x = T.dvector("x")
    graph = gof.FunctionGraph([x], [T.exp(x), T.log(x)], clone=True)
    gof.TopoOptimizer(note).optimize(graph)
    assert sorted(seen[0]) == ["Elemwise{exp}(x)", "Elemwise{log}(x)"]
    with pytest.raises(AttributeError, match="readers are a graph's"):
        x.clients  # noqa: B018


def test_variables_of_a_graph_know_their_readers():
    """Of one that a file makes for itself; no other graph has them."""
    x = scalar.float64("x")
    out = scalar.exp(x + 1) * (x + 2)
    graph = gof.FunctionGraph([x], [out], clone=True)
    first = next(node.outputs[0] for node in graph.toposort())
    assert [node.op for node, _ in first.clients] in ([scalar.exp], [scalar.mul]) and first not in (out, x)
    (own,) = gof.FunctionGraph(*gof.graph.clone([x], [out])).inputs
    for variable in (x, out, own):  # of none, of none, of one that is gone
        with pytest.raises(AttributeError, match="readers are a graph's"):
            _ = variable.clients
    graph.replace(graph.outputs[0], graph.inputs[0])
    assert out.owner.op == scalar.mul, "a graph changes copies"


def test_values_that_a_tag_compares():
    class Anything(gof.Op):
        """Its C and its Python differ, and that does not matter."""

        __props__ = ("tagged",)

        def __init__(self, tagged):
            self.tagged = tagged

        def make_node(self, x):
            out = x.type()
            if self.tagged:
                out.tag.values_eq_approx = T.type.values_eq_approx_always_true
            return gof.Apply(self, [x], [out])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            return f"Py_XDECREF({z}); {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);"

        def c_code_cache_version(self):
            return (1,)

    x = T.dvector("x")
    assert theano.function([x], Anything(True)(x), mode="DebugMode")([1.0]).tolist() == [1.0]
    with pytest.raises(theano.compile.debugmode.BadThunkOutput):
        theano.function([x], Anything(False)(x), mode="DebugMode")([1.0])


def test_a_perform_that_says_there_is_none():
    """DebugMode has nothing to compare with then, as it was."""

    class Native(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            raise NotImplementedError("only C")

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = (PyArrayObject *)PyArray_NewCopy({inputs[0]}, NPY_CORDER);"

    x = T.dvector("x")
    assert theano.function([x], Native()(x), mode="DebugMode")([1.0]).tolist() == [1.0]
    with pytest.raises(NotImplementedError, match="only C"):
        theano.function([x], Native()(x), mode="py")([1.0])


def test_ops_over_the_librarys_own_that_write_their_own_work():
    class Mean(theano.tensor.elemwise.CAReduce):
        """A mean, whose C adds to that of a sum."""

        def __init__(self, axis=None):
            super().__init__(scalar.add, axis)

        def perform(self, node, inputs, outputs):
            outputs[0][0] = np.asarray(inputs[0].mean())

        def c_code(self, node, name, inputs, outputs, sub):
            divided = f"*(double *)PyArray_DATA({outputs[0]}) /= PyArray_SIZE({inputs[0]});"
            return super().c_code(node, name, inputs, outputs, sub) + divided

    x = T.dvector("x")
    for mode in ("FAST_RUN", "DebugMode", "py"):
        assert theano.function([x], Mean()(x), mode=mode)([1.0, 3.0]) == 2.0
    with pytest.raises(gof.utils.MethodNotDefined, match="c_code, Mean"):
        raise gof.utils.MethodNotDefined("c_code", "Mean")
