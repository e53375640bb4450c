"""What rewriters, sizes, shared variables and reductions of old code lean on: of each the values that come out."""

import numpy as np
import opweld.compat.theano.tensor as T
import pytest
from opweld.compat.pytensor.tensor.rewriting.basic import topo_constant_folding
from opweld.compat.pytensor.tensor.rewriting.shape import ShapeFeature
from opweld.compat.theano.tensor.elemwise import CAReduce
from opweld.compat.theano.tensor.subtensor import Subtensor, get_constant_idx, get_idx_list

import opweld
from opweld.compat import theano
from opweld.compat.theano import gof, scalar
from opweld.errors import ConfigError, InconsistencyError, MethodNotDefined, OpweldWarning

RNG = np.random.default_rng(14)


# ---- reductions that add to their base's text ----


class Mean(CAReduce):
    """Theano's: the sum's text, and a division behind it."""

    def __init__(self, axis=None):
        CAReduce.__init__(self, scalar.add, axis)
        assert self.axis is None or len(self.axis) == 1

    def _output_dtype(self, idtype):
        return "float64"

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.asarray(np.mean(inputs[0], dtype="float64", axis=self.axis))

    def c_code(self, node, name, inames, onames, sub):
        text = CAReduce.c_code(self, node, name, inames, onames, sub)
        z, x = onames[0], inames[0]
        count = f"PyArray_SIZE({x}) / PyArray_SIZE({z})"
        return f"{text}\nfor (npy_intp i = 0; i < PyArray_SIZE({z}); i++) ((double *)PyArray_DATA({z}))[i] /= {count};"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_a_reduction_that_adds_to_the_text_of_its_base(dtype, axis):
    x = T.TensorType(dtype, (False,) * 3)("x")
    found = theano.function([x], Mean(axis)(x))
    value = (RNG.random((4, 3, 5)) * 50).astype(dtype).transpose(2, 0, 1)[::-1]
    made = found(value)
    assert made.dtype == "float64"
    np.testing.assert_allclose(made, value.mean(axis=axis, dtype="float64"), rtol=1e-6)
    np.testing.assert_allclose(theano.function([x], Mean(axis)(x), mode="DebugMode")(value), made, rtol=1e-6)


class Written(CAReduce):
    """A reduction that runs by the text alone."""

    def c_code(self, *given):
        return super().c_code(*given) + "\n/* and no more */"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("op", "function", "dtype"),
    [
        ("mul", np.multiply, "int32"), ("maximum", np.maximum, "float32"), ("minimum", np.minimum, "uint8"),
        ("maximum", np.maximum, "int64"), ("or_", np.bitwise_or, "int16"), ("xor", np.bitwise_xor, "uint64"),
        ("and_", np.bitwise_and, "int8"), ("add", np.add, "float64"),
    ],
)  # fmt: skip
def test_the_text_of_a_reduction(op, function, dtype, keepdims):
    x = T.TensorType(dtype, (False, False))("x")
    made = Written(getattr(scalar, op), 1, keepdims=keepdims)(x)
    found = theano.function([x], made)
    value = (RNG.random((6, 4)) * 7).astype(dtype).T
    wanted = function.reduce(value, axis=1, keepdims=keepdims, dtype=made.type.dtype)
    np.testing.assert_array_equal(found(value), wanted)
    if op == "maximum":
        with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
            found(np.zeros((2, 0), dtype))
        assert found(np.zeros((0, 0), dtype)).shape == ((0, 1) if keepdims else (0,))


def test_a_nan_goes_through_the_text_of_a_maximum():
    x = T.dmatrix("x")
    found = theano.function([x], Written(scalar.maximum, 0)(x))(np.array([[1.0, np.nan], [np.nan, 2.0], [-np.inf, 0]]))
    assert np.isnan(found).all()


def test_a_reduction_without_a_text():
    x = T.TensorType("complex128", (False,))("x")
    op = Written(scalar.add)
    with pytest.raises(MethodNotDefined, match="no text of reductions of complex128"):
        op.c_code(op(x).owner, "n", ["x"], ["z"], {"fail": "fail"})


# ---- indices ----


def test_an_index_as_the_packages_hold_it():
    x, i = T.dtensor3("x"), T.lscalar("i")
    node = x[i, 1:i:2, :3].owner
    assert isinstance(node.op, Subtensor)
    first, second, third = node.op.idx_list
    assert isinstance(first, gof.Type) and isinstance(first, int) and first == 0 and first.dtype == "int64"
    assert (second.start, second.stop, second.step, third.start, third.stop) == (1, 2, 3, None, 4)
    found = get_idx_list(node.inputs, node.op.idx_list)
    assert found[0] is node.inputs[1] and get_idx_list(node.inputs, node.op.idx_list, get_count=True) == 5
    partly = get_constant_idx(node.op.idx_list, node.inputs, allow_partial=True)
    assert partly[0] is node.inputs[1] and partly[2] == slice(None, 3, None) and partly[1].step == 2
    with pytest.raises(T.NotScalarConstantError):
        get_constant_idx(node.op.idx_list, node.inputs)
    written = T.set_subtensor(x[0, 1:], 5.0).owner
    assert [isinstance(entry, slice) for entry in written.op.idx_list] == [False, True]
    with pytest.raises(AttributeError, match="new axes"):
        x[None, 1].owner.op.idx_list  # noqa: B018


# ---- sizes and constants of a graph ----


def test_sizes_of_a_graph():
    x, y = T.dmatrix("x"), T.dvector("y")
    z = T.dot(x, y)
    graph = gof.FunctionGraph([x, y], [z], features=[ShapeFeature()], clone=False)
    sizes = graph.shape_feature.shape_of
    assert len(sizes[x]) == 2 and len(sizes[z]) == 1 and sizes[T.constant([1, 2, 3])][0].data == 3
    rows = theano.function([x], graph.shape_feature.get_shape(graph, z, 0))
    assert rows(np.zeros((7, 2))) == 7  # y is not asked for
    assert graph.shape_feature.same_shape(z, x, 0, 0) and not graph.shape_feature.same_shape(z, y)


def test_constants_of_a_whole_graph_are_computed():
    n = T.constant(3, dtype="int64")
    graph = gof.FunctionGraph(outputs=[(n + 4) * 2, T.lscalar("m") + (n - 1)], clone=True)
    topo_constant_folding.rewrite(graph)
    first, second = graph.outputs
    assert isinstance(first, gof.Constant) and first.data == 14 and first.type.dtype == "int64"
    assert [v.data for v in second.owner.inputs if isinstance(v, gof.Constant)] == [2]
    assert len(graph.inputs) == 1


# ---- functions ----


class Up(gof.Op):
    """Adds 1 where its input lies."""

    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        inputs[0][:] += 1
        outputs[0][0] = inputs[0]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return (
            f"Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});\n"
            f"for (npy_intp i = 0; i < PyArray_DIMS({x})[0]; i++) *(double *)PyArray_GETPTR1({x}, i) += 1;"
        )


@pytest.mark.parametrize("mode", [None, "py", "DebugMode"])
def test_an_op_may_write_over_a_shared_variable_that_is_updated(mode):
    held = np.zeros(3)
    s = theano.shared(held, borrow=True)
    f = theano.function([], s * 10, mode, [(s, Up()(s))])  # in the packages' order
    assert f().tolist() == [0, 0, 0] and f().tolist() == [10, 10, 10]
    assert s.get_value().tolist() == [2, 2, 2] and held.tolist() == [0, 0, 0]


def test_a_shared_variable_that_is_written_over_otherwise():
    s = opweld.shared(np.zeros(3), name="s")
    with pytest.raises(InconsistencyError, match=r"the shared variable s: apply the op to .*deep_copy_op of it"):
        theano.function([], Up()(s))


def test_arguments_without_a_name():
    x = T.dvector("x")
    f = theano.function([x], x, None, None, {}, False, False, "called")
    assert f.name == "called" and f([1.0]).tolist() == [1.0]
    with pytest.raises(TypeError, match="multiple values for argument 'mode'"):
        theano.function([x], x, None, mode="FAST_RUN")


def test_classes_that_stand_for_the_librarys_own():
    for one in (T.elemwise.Elemwise, T.elemwise.CAReduce, T.elemwise.DimShuffle, T.Subtensor, T.elemwise.Sum):
        assert issubclass(one, gof.Op)
    assert issubclass(T.TensorType, gof.Type) and not issubclass(Up, T.elemwise.Elemwise)


def test_every_key_of_the_packages_configuration():
    config = type(theano.config)()
    assert config.optdb.max_use_ratio == 10 and config.DebugMode.check_strides == 0
    with pytest.warns(
        OpweldWarning, match=r"config.warn__sum_sum_bug has no meaning here: there is nothing to warn of"
    ):
        config.warn.sum_sum_bug = False
    assert config.warn.sum_sum_bug is False
    with pytest.raises(ConfigError, match=r"config\.profiling__n_ops: expected a number, got 'many'"):
        config.profiling.n_ops = "many"


def test_a_type_of_ones_own_says_that_it_takes_no_out():
    class Plain(gof.Type):
        dtype, shape, ndim = "float64", (None,), 1
        numpy_dtype = np.dtype("float64")

        def filter(self, value, strict=False, allow_downcast=None):
            return np.asarray(value, "float64")

        def c_declare(self, name, sub, check_input=True):
            return f"PyArrayObject *{name};"

        def c_init(self, name, sub):
            return f"{name} = NULL;"

        def c_extract(self, name, sub, check_input=True):
            return f"{name} = (PyArrayObject *)py_{name}; Py_XINCREF({name});"

        def c_cleanup(self, name, sub):
            return f"Py_XDECREF({name});"

        def c_sync(self, name, sub):
            return f"Py_XDECREF(py_{name}); py_{name} = (PyObject *){name}; Py_XINCREF(py_{name});"

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return hash(type(self))

    class Handed(gof.Op):
        __props__, view_map = (), {0: [0]}

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0]

        def c_code(self, node, name, inputs, outputs, sub):
            return f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({outputs[0]});"

    x = Plain()("x")
    assert theano.function([x], Handed()(x), mode="DebugMode")([1.0, 2.0]).tolist() == [1, 2]
    with pytest.raises(TypeError, match="out"):
        theano.function([x], Handed()(x))([1.0], out=np.empty(1))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("from theano.tensor.nnet import conv2d", "not here yet: convolution and pooling are ops of one's own"),
        ("from theano.tensor.signal.pool import pool_2d", "not here yet: convolution and pooling are ops of one's own"),
        ("from theano.tensor.signal import pool", "not here yet: convolution and pooling are ops of one's own"),
        ("from theano.tensor import raw_random", "there are no random streams: draw with numpy.random"),
        ("from theano.tensor.shared_randomstreams import RandomStreams", "there are no random streams: draw with"),
        ("from theano.ifelse import ifelse", "it is gone: there is no scan, and no lazy node"),
        ("from theano import scan", "it is gone: there is no scan"),
        ("from theano.printing import Print", "not here yet: mode=.py. runs every perform"),
        ("from theano.compile.nanguardmode import NanGuardMode", "not here yet"),
        ("from theano.tensor import nothing", "not here yet: opweld offers of theano what ops and types"),
    ],
)
def test_what_is_not_here_says_what_to_write(line, words):
    with pytest.raises(ImportError, match=words):
        exec(line.replace("from theano", "from opweld.compat.theano"))
