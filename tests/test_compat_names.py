"""Names that files of ops import from Theano, Aesara and PyTensor: each does what it did."""

import pickle

import numpy as np
import opweld.compat.theano.scalar as scalar
import opweld.compat.theano.tensor as T
import pytest

import opweld
from opweld import blaslib
from opweld.compat import aesara, pytensor, theano
from opweld.compat.theano import gof
from opweld.errors import MethodNotDefined


def test_lists_of_dtypes():
    assert T.int_dtypes == ("int8", "int16", "int32", "int64") and T.float_dtypes == ("float16", "float32", "float64")
    assert set(T.discrete_dtypes) == {"bool", *T.int_dtypes, *T.uint_dtypes} == {"bool", *T.integer_dtypes}
    assert set(T.all_dtypes) == {*T.discrete_dtypes, *T.continuous_dtypes}
    assert T.continuous_dtypes == (*T.float_dtypes, *T.complex_dtypes)
    assert pytensor.tensor.type.complex_dtypes is aesara.tensor.type.complex_dtypes is T.complex_dtypes
    assert all(np.dtype(name).name == name for name in T.all_dtypes)


def test_types_and_their_variables():
    vector = T.TensorType("float32", (None,), name="v")
    assert vector == T.fvector and hash(vector) == hash(T.fvector) and vector.name == "v"
    assert vector.clone(broadcastable=(True, False)).shape == (1, None) and vector.clone(shape=(3,)).shape == (3,)
    assert vector.clone(dtype="int8") == T.bvector and vector.is_super(T.TensorType("float32", (3,)))
    assert isinstance(vector(), vector.Variable) and isinstance(T.constant(np.zeros(3, "f4")), vector.Constant)
    assert pytensor.tensor.type.DenseTensorType is T.TensorType
    with pytest.raises(TypeError, match="TensorType needs shape or broadcastable, and not both"):
        vector.clone(shape=(3,), broadcastable=(False,))


def test_tags():
    x = T.dvector("x")
    x.tag.test_value = np.ones(3)
    y = x + 1
    y.owner.tag.note = "mine"
    assert x.tag.test_value.shape == (3,) and not hasattr(y.tag, "test_value")
    assert repr(y.owner.tag) == "Tag(note='mine')"
    again = pickle.loads(pickle.dumps(x))
    assert again.tag.test_value.tolist() == [1.0, 1.0, 1.0]
    x.tag = gof.utils.scratchpad()
    assert vars(x.tag) == {} and theano.function([x], y)([1.0]).tolist() == [2.0]


def test_none_is_a_value():
    none = theano.tensor.type_other.NoneConst
    assert none.data is None and isinstance(none.type, theano.tensor.type_other.NoneTypeT)
    assert none.type == theano.tensor.type_other.none_type_t and none.type != gof.generic
    with pytest.raises(TypeError, match=r"expected None, got 3 \(int\)"):
        none.type.filter(3)

    class Takes(gof.Op):
        __props__ = ()

        def make_node(self, x, what):
            return gof.Apply(self, [x, what], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return (
                f'if ({inputs[1]} != Py_None) {{ PyErr_SetString(PyExc_ValueError, "not None"); {sub["fail"]} }}\n'
                f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({outputs[0]});"
            )

    x = T.dvector("x")
    assert theano.function([x], Takes()(x, none))([1.0]).tolist() == [1.0]


def test_values_that_are_compared_in_part():
    kind = theano.tensor.type
    a, b = np.array([1.0, np.nan, np.inf]), np.array([1.0, 2.0, 3.0])
    assert kind.values_eq_approx_remove_inf_nan(a, b) and kind.values_eq_approx_always_true(a, 3)
    assert not kind.values_eq_approx_remove_inf(a, b) and kind.values_eq_approx_remove_inf(a[[0, 2]], b[[0, 2]])
    assert not kind.values_eq_approx_remove_nan(a, b) and kind.values_eq_approx_remove_nan(a[:2], b[:2])
    assert not kind.values_eq_approx_remove_nan(a, b.astype("f4")) and not kind.values_eq_approx_remove_inf(b, b + 1)


def test_constants_that_are_found():
    x = T.dscalar("x")
    assert T.extract_constant(T.constant(3)) == 3 and T.extract_constant(x) is x
    assert T.extract_constant(T.alloc(2.0, 3)) == 2.0
    filled = T.alloc(2.0, 3)
    assert T.extract_constant(filled, only_process_constants=True) is filled
    assert theano._asarray([1, 2], dtype="float32").dtype == np.float32 and theano._asarray(3, "floatX").dtype == "f8"


@pytest.mark.parametrize(("name", "args", "wanted"), [
    ("mul", (3.0, 4.0), 12.0), ("true_div", (3.0, 4.0), 0.75), ("sgn", (-3.0,), -1.0), ("sqr", (3.0,), 9.0),
    ("neq", (3.0, 4.0), True), ("scalar_maximum", (3.0, 4.0), 4.0), ("inv", (4.0,), 0.25), ("abs_", (-2.0,), 2.0),
    ("switch", (True, 1.0, 2.0), 1.0), ("second", (1.0, 2.0), 2.0), ("identity", (5.0,), 5.0), ("exp2", (3.0,), 8.0),
    ("round_half_to_even", (2.5,), 2.0), ("convert_to_int32", (2.7,), 2),
])  # fmt: skip
def test_scalar_ops(name, args, wanted):
    inputs = [scalar.get_scalar_type("bool" if isinstance(value, bool) else "float64")() for value in args]
    found = opweld.function(inputs, getattr(scalar, name)(*inputs))(*args)
    assert found == wanted


def test_classes_of_scalar_ops():
    x, y = T.dvectors("x", "y")
    op = (x * y).owner.op.scalar_op
    assert isinstance(op, scalar.Mul) and not isinstance(op, scalar.Add) and not isinstance(3, scalar.Mul)
    assert scalar.Mul(scalar.upcast_out, name="mul") == scalar.mul and isinstance(scalar.mul, scalar.ScalarOp)
    assert isinstance((x > y).owner.op.scalar_op, scalar.GT) and isinstance(T.tanh(x).owner.op.scalar_op, scalar.Tanh)
    assert isinstance(T.switch(x > 0, x, y).owner.op.scalar_op, scalar.Switch)
    assert issubclass(scalar.Mul, scalar.ScalarOp) and scalar.ArcTan2() == scalar.arctan2
    with pytest.raises(AttributeError, match="Compositef32"):
        scalar.Compositef32  # noqa: B018


def test_functions_of_tensors():
    x = np.arange(6.0).reshape(2, 3)
    v, m = T.dvector("v"), T.dmatrix("m")
    a, b = T.dtensor3s("a", "b")
    cases = [
        (T.shape_padleft(m, 2), (1, 1, 2, 3)), (T.shape_padright(m), (2, 3, 1)), (T.shape_padaxis(m, 1), (2, 1, 3)),
        (T.shape_padaxis(m, -1), (2, 3, 1)), (T.unbroadcast(m, 0), (2, 3)),
        (T.patternbroadcast(m, (False, False)), (2, 3)),
    ]  # fmt: skip
    found = theano.function([m], [case for case, _ in cases])(x)
    assert [value.shape for value in found] == [shape for _, shape in cases]
    with pytest.raises(IndexError, match=r"axis 3 is out of range \[-3, 3\)"):
        T.shape_padaxis(m, 3)
    row = theano.function([m], T.addbroadcast(m, 0))
    assert row(x[:1]).tolist() == x[:1].tolist()
    with pytest.raises(Exception, match="1"):
        row(x)
    assert T.patternbroadcast(m, (True, False)).broadcastable == (True, False)
    assert theano.function([v], T.ceil_intdiv(T.cast(v, "int64"), 4))([7.0, 8.0, 9.0]).tolist() == [2, 2, 3]
    stacked = theano.function([v], T.stacklists([[v, v + 1], [v * 2, v]]))([1.0, 2.0])
    assert stacked.tolist() == [[[1, 2], [2, 3]], [[2, 4], [1, 2]]]
    assert theano.function([m], T.nonzero_values(m))(x).tolist() == [1, 2, 3, 4, 5]
    assert T.get_vector_length(T.constant([1, 2])) == 2 and T.get_vector_length(T.TensorType("int8", (4,))()) == 4
    with pytest.raises(ValueError, match="the length of v is not known"):
        T.get_vector_length(v)
    p, q = np.random.default_rng(0).random((2, 4, 3, 3))
    assert np.allclose(theano.function([a, b], T.batched_dot(a, b))(p, q), p @ q)
    assert np.allclose(theano.function([a, m], T.batched_dot(a, m))(p, q[:, 0]), np.einsum("nij,nj->ni", p, q[:, 0]))


def test_variables_by_the_dozen():
    x, y = T.dvectors("x", "y")
    assert (
        (x.name, y.name, x.type) == ("x", "y", T.dvector) and len(T.fmatrices(3)) == 3
        if hasattr(T, "fmatrices")
        else True
    )
    assert [s.type for s in T.lscalars(2)] == [T.lscalar] * 2 and T.tensor4s("t")[0].ndim == 4


def test_modes_by_their_old_names():
    x = T.dvector("x")

    class Both(gof.Op):
        __props__ = ()

        def make_node(self, x):
            return gof.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] + 1

        def c_code(self, node, name, inputs, outputs, sub):
            return f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({outputs[0]});"

    z = Both()(x) * 2
    for mode in ("CVM", "VM", "c|py", "C", "FAST_RUN", None, theano.Mode("cvm"), theano.Mode("c", "fast_compile")):
        assert theano.function([x], z, mode=mode)([1.0]).tolist() == [2.0], mode
    for mode in ("py", "PY", theano.Mode("py"), theano.Mode(linker="py", optimizer=None)):
        assert theano.function([x], z, mode=mode)([1.0]).tolist() == [4.0], mode
    shared = theano.shared(np.ones(2))
    step = theano.function([x], Both()(x + shared), updates=[(shared, shared + x)], mode="py")
    assert step([1.0, 2.0]).tolist() == [3.0, 4.0] and shared.get_value().tolist() == [2.0, 3.0]
    assert repr(theano.Mode("py")) == "Mode(linker='py', optimizer='default')"
    assert theano.compile.mode.get_mode("py").linker == "py" and theano.compile.get_default_mode() is not None
    with pytest.raises(ValueError, match="no linker 'jax' here: expected one of c, cvm"):
        theano.Mode("jax")

    class OnlyC(Both):
        perform = gof.Op.perform

    with pytest.raises(MethodNotDefined, match="OnlyC has no perform: it cannot be run by the linker 'py'"):
        theano.function([x], OnlyC()(x), mode="py")


def test_small_things():
    utils, compat = gof.utils, theano.compat
    assert utils.uniq([1, 2, 1, [3], [3]]) == [1, 2, [3]] and utils.difference([1, 2, 3], [2]) == [1, 3]
    assert utils.to_return_values([1]) == 1 and utils.to_return_values([1, 2]) == [1, 2]
    assert utils.from_return_values(1) == [1] and utils.from_return_values((1, 2)) == [1, 2]
    assert utils.flatten([1, [2, (3,)]]) == [1, 2, 3] and utils.remove(bool, [0, 1]) == [0]
    assert (
        list(compat.izip([1], [2])) == [(1, 2)]
        and compat.cmp(1, 2) == -1
        and compat.exc_message(ValueError("a")) == "a"
    )
    assert compat.decode(b"a") == "a" and list(compat.decode_iter([b"a"])) == ["a"]
    assert compat.decode_with(b"a", "ascii") == "a"
    kept = compat.DefaultOrderedDict(list)
    kept["b"].append(1)
    assert pickle.loads(pickle.dumps(kept)) == kept.copy() == {"b": [1]} and kept.copy()["c"] == []
    calls = []
    twice = utils.memoize(lambda x: calls.append(x) or 2 * x)
    assert (twice(3), twice(3), calls) == (6, 6, [3])
    assert pytensor.utils.unzip([(1, 2), (3, 4)], 2) == ((1, 3), (2, 4)) and pytensor.utils.unzip([], 2) == ((), ())
    assert (
        pytensor.utils.hash_from_code("a") == pytensor.utils.hash_from_code(b"a") != pytensor.utils.hash_from_code("b")
    )

    class One(pytensor.utils.Singleton):
        pass

    assert One() is One() and gof.hashtype(One()) == gof.hashtype(One())
    node = (T.dvector("x") + 1).owner
    assert utils.add_tag_trace(node) is node and __file__ in utils.get_variable_trace_string(node.outputs[0])
    assert theano.gradient.disconnected_type == theano.gradient.DisconnectedType()


def test_walks_over_graphs():
    graph, x, y = gof.graph, *T.dvectors("x", "y")
    twice = x * 2
    z = twice + y
    assert graph.io_toposort([x, y], [z])[-1] is z.owner and graph.io_toposort([twice, y], [z]) == [z.owner]
    assert set(graph.inputs([z])) >= {x, y} and graph.ancestors([z], [twice])[0] is z
    assert x not in graph.ancestors([z], [twice]) and twice in graph.variables([x, y], [z])
    assert [v.data for v in graph.orphans([x, y], [z])] == [2] and pytensor.graph.traversal.graph_inputs([x]) == [x]
    assert "int" in gof.utils.c_cpp_keywords and theano.configdefaults.local_bitwidth() == 64


@pytest.mark.parametrize(("image", "kernel", "border", "step", "apart", "wanted"), [
    (10, 3, "valid", 1, 1, 8), (10, 3, "full", 1, 1, 12), (10, 3, "half", 1, 1, 10), (10, 3, 2, 2, 1, 6),
    (10, 3, (1, 2), 1, 2, 9), (10, 3, "valid", 3, 1, 3), (None, 3, "valid", 1, 1, None), (9, 4, "half", 2, 1, 5),
])  # fmt: skip
def test_sizes_of_convolutions(image, kernel, border, step, apart, wanted):
    conv = theano.tensor.nnet.abstract_conv
    assert conv.get_conv_shape_1axis(image, kernel, border, step, apart) == wanted
    found = conv.get_conv_output_shape((5, 3, image, 7), (2, 3, kernel, 1), (border, 0), (step, 1), (apart, 1))
    assert found == (5, 2, wanted, 7)
    with pytest.raises(ValueError, match="border_mode must not be negative, got -1"):
        conv.get_conv_shape_1axis(10, 3, -1, 1)
    with pytest.raises(ValueError, match="border_mode must be 'valid', 'half', 'full' or numbers, got 'same'"):
        conv.get_conv_shape_1axis(10, 3, "same", 1)


class Product(gof.Op):
    """alpha * a' @ b', by gemm, and the first rows' product by dot."""

    __props__ = ("turns",)

    def __init__(self, turns):
        self.turns = turns

    def make_node(self, a, b):
        return gof.Apply(self, [a, b], [a.type(), T.TensorType(a.dtype, ())()])

    def c_support_code(self):
        return theano.tensor.blas_headers.blas_header_text()

    def c_libraries(self):
        return theano.tensor.blas.ldflags()

    def c_compile_args(self):
        return theano.tensor.blas.ldflags(libs=False, flags=True)

    def c_lib_dirs(self):
        return theano.tensor.blas.ldflags(libs=False, libs_dir=True)

    def c_code(self, node, name, inputs, outputs, sub):
        (a, b), (z, d) = inputs, outputs
        letter, kind = ("s", "float") if node.inputs[0].dtype == "float32" else ("d", "double")
        rows = f"PyArray_DIM({a}, {int(self.turns[0])})", f"PyArray_DIM({b}, {1 - int(self.turns[1])})"
        inner = f"PyArray_DIM({a}, {1 - int(self.turns[0])})"
        return f"""
            npy_intp dims[2] = {{{rows[0]}, {rows[1]}}};
            int m = dims[0], n = dims[1], k = {inner}, lda = PyArray_DIM({a}, 1), ldb = PyArray_DIM({b}, 1), one = 1;
            {kind} alpha = 2, beta = 0;
            char turn_a[] = "{"NT"[self.turns[0]]}", turn_b[] = "{"NT"[self.turns[1]]}";
            Py_XDECREF({z}); Py_XDECREF({d});
            {z} = (PyArrayObject *)PyArray_EMPTY(2, dims, PyArray_TYPE({a}), 0);
            {d} = (PyArrayObject *)PyArray_ZEROS(0, NULL, PyArray_TYPE({a}), 0);
            if ({z} == NULL || {d} == NULL) {sub["fail"]}
            {letter}gemm_(turn_b, turn_a, &n, &m, &k, &alpha, ({kind} *)PyArray_DATA({b}), &ldb,
                          ({kind} *)PyArray_DATA({a}), &lda, &beta, ({kind} *)PyArray_DATA({z}), &n);
            *({kind} *)PyArray_DATA({d}) = {letter}dot_(&ldb, ({kind} *)PyArray_DATA({b}), &one,
                                                        ({kind} *)PyArray_DATA({b}), &one);
        """


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("turns", [(False, False), (True, False), (False, True), (True, True)])
def test_ops_that_call_blas(dtype, turns):
    rng = np.random.default_rng(0)
    a, b = (
        rng.random((4, 3)[:: -1 if turns[0] else 1]).astype(dtype),
        rng.random((3, 5)[:: -1 if turns[1] else 1]).astype(dtype),
    )
    m, n = T.matrix("m", dtype=dtype), T.matrix("n", dtype=dtype)
    with theano.config.change_flags(**{"blas.ldflags": ""}):
        found = theano.function([m, n], Product(turns)(m, n))(a, b)
    wanted = 2 * (a.T if turns[0] else a) @ (b.T if turns[1] else b)
    assert np.allclose(found[0], wanted, rtol=1e-5) and np.allclose(found[1], b[0] @ b[0], rtol=1e-5)
    if theano.config.blas.ldflags:  # the machine has a BLAS: the same by it
        assert np.allclose(theano.function([m, n], Product(turns)(m, n))(a, b)[0], wanted, rtol=1e-5)


def test_unknown_names_of_an_import():
    """What became of them is said by ``from … import`` too, and for modules."""
    cases = {
        "from opweld.compat.theano.tensor.basic import Join": "cannot import name 'Join' from 'theano.tensor.basic': "
        "it has another name: write opweld.tensor.concatenate",
        "from opweld.compat.theano.gof.op import numba_basic": "it is gone: a function is one module of C",
        "from opweld.compat.pytensor.tensor import alpha, beta": "cannot import name 'alpha' from 'pytensor.tensor': "
        "it is not here yet",
        "import opweld.compat.theano.sandbox.cuda": "No module named 'theano.sandbox.cuda' here: it is gone: opweld "
        "computes on the processor",
        "from opweld.compat.theano.tensor.signal.pool import pool_2d": "see examples/old_digits.py",
        "import opweld.compat.pytensor.tensor.xlogx": "'pytensor.tensor.xlogx' here: it is not here yet",
        "import opweld.compat.pytensor.tensor.random.utils": "there are no random streams",
    }
    for text, wanted in cases.items():
        with pytest.raises(ImportError) as caught:
            exec(text)
        assert wanted in str(caught.value), text
    assert not hasattr(T, "Join") and getattr(theano, "nowhere", 3) == 3
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'opweld\.nowhere'$"):
        import opweld.nowhere  # noqa: F401


def test_names_that_modules_have_because_they_import_them():
    from opweld.compat.aesara.tensor.math import COp, TensorType
    from opweld.compat.pytensor.tensor import Apply, Op
    from opweld.compat.pytensor.tensor.basic import DisconnectedType, config
    from opweld.compat.theano.gof.cmodule import utils
    from opweld.compat.theano.tensor.blas import Apply as Same
    from opweld.compat.theano.tensor.blas import Optimizer, as_tensor_variable
    from opweld.compat.theano.tensor.blas import gof as inner
    from opweld.compat.theano.tensor.blas import scalar as kinds
    from opweld.compat.theano.tensor.nnet.nnet import Op as Classic

    assert Op is pytensor.graph.op.Op and Apply is Same is theano.Apply and Classic is theano.Op is not Op
    assert COp is aesara.link.c.op.COp and TensorType is T.TensorType and as_tensor_variable is T.as_tensor_variable
    assert inner is gof and kinds is scalar and utils is gof.utils and Optimizer is gof.Optimizer
    assert config is pytensor.config and DisconnectedType is theano.tensor.DisconnectedType
    assert theano.tensor.basic.elemwise is theano.tensor.elemwise, "not the library's own module"
    assert not hasattr(theano.gof, "dvector") and not hasattr(theano.scalar, "csr_matrix")
    assert "Op" not in dir(theano.tensor.blas) and "gof" not in theano.tensor.blas.__all__


def test_names_that_have_a_meaning_still():
    from opweld.compat.theano.gof.python25 import all, any, partial
    from opweld.compat.theano.misc.strutil import render_string
    from opweld.compat.theano.sandbox.linalg import matrix_dot, matrix_inverse

    assert all([1]) and any([0, 1]) and partial(max, 1)(2) == 2 and render_string("a %(b)s", {"b": 1}) == "a 1"
    with pytest.raises(Exception, match=r"a %\(c\)<<<< caused exception 'c'"):
        render_string("a %(c)s d", {})
    x, y, m = T.dvector("x"), T.lvector("y"), T.dmatrix("m")
    p = np.array([[0.25, 0.75], [0.5, 0.5]])
    nnet = theano.tensor.nnet
    outs = [
        T.abs_(x), theano.gradient.consider_constant(x), nnet.binary_crossentropy(x, x), nnet.hard_sigmoid(x * 4 - 3),
        nnet.categorical_crossentropy(m, y), nnet.categorical_crossentropy(m, m), matrix_dot(m, m, matrix_inverse(m)),
        T.ones_like(x, dtype=np.int8), T.zeros((2,), np.float32), theano.tensor.sort.argsort(x),
    ]  # fmt: skip
    v = np.array([0.75, 0.25])
    found = theano.function([x, y, m], outs)(v, [1, 0], p)
    entropy = -(v * np.log(v) + (1 - v) * np.log(1 - v))
    wanted = [
        v,
        v,
        entropy,
        [0.5, 0.1],
        [-np.log(0.75), -np.log(0.5)],
        -(p * np.log(p)).sum(1),
        p,
        [1, 1],
        [0, 0],
        [1, 0],
    ]
    for value, right in zip(found, wanted):
        np.testing.assert_allclose(value, right)
    assert found[7].dtype == "int8" and found[8].dtype == "float32"
    over = theano.tensor.inplace.exp_inplace
    assert over.destroy_map == {0: [0]} and over.scalar_op == T.exp.scalar_op
    with pytest.raises(TypeError, match="do not fit"):
        nnet.categorical_crossentropy(x, m)


@theano.compile.ops.as_op(
    [T.dvector, T.dvector], [T.dvector, T.dscalar], infer_shape=lambda node, shapes: [shapes[0], ()]
)
def apart(a, b):
    """What two vectors differ by, and how far that is."""
    return a - b, np.asarray(np.abs(a - b).sum())


def test_functions_as_ops():
    x = T.dvector("x")
    one = T.as_tensor_variable(np.array([1.0, 2.0]))  # a constant's size is known
    f = theano.function([x], apart(x, one))
    found = f([3.0, 1.0])
    assert found[0].tolist() == [2.0, -1.0] and found[1] == 3.0
    assert pickle.loads(pickle.dumps(apart)) is apart and str(apart) == "FromFunctionOp{apart}"
    assert apart.infer_shape(None, [(3,), (3,)]) == [(3,), ()]
    double = pytensor.wrap_py(pytensor.tensor.dvector, pytensor.tensor.dvector)(lambda a: 2 * a)
    assert theano.function([x], double(x))([4.0]).tolist() == [8.0] and aesara.compile.ops.as_op is theano.as_op
    with pytest.raises(pickle.PicklingError, match="it is not what"):
        pickle.dumps(double)
    with pytest.raises(TypeError, match="itypes must be types, got 3"):
        theano.as_op([3], [T.dvector])
    with pytest.raises(TypeError, match="expected 2 inputs, got 1"):
        apart(x)
    with pytest.raises(ValueError, match="expected 2 results, got 1"):
        theano.function([x], theano.as_op(T.dvector, [T.dvector] * 2)(lambda a: [a])(x))([1.0])


def test_operators_of_scalars():
    x, y, n = scalar.float64("x"), scalar.float64("y"), scalar.int64("n")
    values = (7.5, 2.0, 5)
    outs = [x + y, 1 - x, x * 2, x / y, n // 2, 9 % n, x**y, -x, abs(-x), x < y, x >= y, n & 4, 3 | n, n ^ 1, ~n,
            n.astype("float32") / 2, x.zeros_like() + y]  # fmt: skip
    wanted = [9.5, -6.5, 15.0, 3.75, 2, 4, 56.25, -7.5, 7.5, False, True, 4, 7, 4, -6, 2.5, 2.0]
    for mode in (None, "py"):
        assert theano.function([x, y, n], outs, mode=mode)(*values) == wanted
    whole = scalar.Composite([x, y], [(x + y) * (x - y)])
    z = T.dvector("z")
    assert np.allclose(theano.function([z], T.Elemwise(whole)(z, 2 * z))(np.arange(3.0)), -3 * np.arange(3.0) ** 2)


@pytest.mark.parametrize("package", blaslib.WHEELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blas_of_a_wheel(package, dtype):
    pytest.importorskip(package)
    flags = blaslib.wheel(package)
    rng = np.random.default_rng(0)
    a, b = rng.random((200, 300)).astype(dtype), rng.random((300, 100)).astype(dtype)
    m, n = T.matrix("m", dtype=dtype), T.matrix("n", dtype=dtype)
    headers = theano.tensor.blas_headers

    class Alone(Product):
        def c_support_code(self, **kwargs):
            return headers.blas_header_text() + headers.openblas_threads_text() + headers.mkl_threads_text()

        def c_code(self, *args):
            inner = super().c_code(*args)
            return f"int before = openblas_get_num_threads(); openblas_set_num_threads(1);{inner}" + (
                "openblas_set_num_threads(before);"
            )

    with theano.config.change_flags(**{"blas.ldflags": flags}):
        assert theano.tensor.blas.ldflags() == [blaslib.WHEELS[package]]
        f = theano.function([m, n], Alone((False, False))(m, n))
        found = f(a, b)
    assert np.allclose(found[0], 2 * a @ b, rtol=1e-4) and np.allclose(found[1], b[0] @ b[0], rtol=1e-4)
    with open("/proc/self/maps") as maps:  # the library itself is there, not the loops
        assert f"/{package}/" in maps.read()


class Copied(Product):
    """Calls what no loops stand in for."""

    def c_code(self, node, name, inputs, outputs, sub):
        a, b = inputs
        return f"int n = 0; zcopy_(&n, PyArray_DATA({a}), &n, PyArray_DATA({b}), &n);"


def test_a_blas_that_is_not_there():
    """It is said what to install, at the line that calls it; a library that is none is the linker's to tell."""
    m, n = T.dmatrices("m", "n")
    with theano.config.change_flags(**{"blas.ldflags": ""}):
        with pytest.raises(opweld.CompileError, match=r"(?s)Copied.c_code.*zcopy_.*pip install scipy-openblas32"):
            theano.function([m, n], Copied((False, False))(m, n))
    with theano.config.change_flags(**{"blas.ldflags": "-lnowhere_blas"}):
        with pytest.raises(opweld.CompileError, match="nowhere_blas"):
            theano.function([m, n], Product((False, False))(m, n))


def test_what_links_blas():
    flags = "-L/opt/blas -lmine -lgfortran -fopenmp -I/opt/include"
    with theano.config.change_flags(**{"blas.ldflags": flags}):
        ldflags = theano.tensor.blas.ldflags
        assert (ldflags(), ldflags(libs=False, flags=True)) == (["mine", "gfortran"], ["-fopenmp"])
        assert (ldflags(False, libs_dir=True), ldflags(False, include_dir=True)) == (["/opt/blas"], ["/opt/include"])
        assert 'extern "C"' in theano.tensor.blas_headers.blas_header_text()


def test_formulas():
    printing, (x, y) = theano.printing, T.dvectors("x", "y")
    pprint = printing.pprint.clone()
    cases = {
        "x + y * 2.0": x + y * 2, "(x + y) * 2.0": (x + y) * 2, "x - (y - x)": x - (y - x), "x - y - x": x - y - x,
        "(x ** y) ** 2.5": (x**y) ** 2.5, "x ** y ** 2.5": x ** (y**2.5), "-(x + y)": -(x + y), "exp(-x)": T.exp(-x),
        "x / (y / x)": x / (y / x), "maximum(x, y) > x": T.maximum(x, y) > x,
    }  # fmt: skip
    assert {text: pprint(z) for text, z in cases.items()} == {text: text for text in cases}
    op = Product((False, False))
    a, b = T.dmatrices("a", "b")
    first, second = op(a, b)
    assert pprint(first) == "Product{turns=(False, False)}(a, b)" and pprint([a, x + 1]) == "a, x + 1.0"
    pprint.assign(Product, printing.FunctionPrinter("gemm", "dot", keywords=["turns"]))
    assert pprint(second) == "dot(a, b, turns=(False, False))"
    assert pprint.clone_assign(op, printing.OperatorPrinter("@", -1))(first * (a + 1)) == "a @ b * (a + 1.0)"
    pprint.assign(lambda pstate, r: r.name == "x", printing.LeafPrinter())
    pprint.assign(scalar.absolute, printing.PatternPrinter(("|%(0)s|", -1000)))
    pprint.assign(T.exp, printing.IgnorePrinter())
    assert pprint(abs(x + y) * 2) == "|x + y| * 2.0" and pprint(T.exp(x + y) * 2) == "(x + y) * 2.0"
