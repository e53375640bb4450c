"""The ops that come with it: copies, views, shapes, arrays made from sizes; C that users' types register for them."""

import numpy as np
import pytest
from kit import DTYPES, LAYOUTS, tensor, values

import opweld
from opweld import Apply, CType, Op, OpweldWarning, Type
from opweld import tensor as T
from opweld.compile.ops import (
    DeepCopyOp,
    ViewOp,
    deep_copy_op,
    register_deep_copy_op_c_code,
    register_view_op_c_code,
    view_op,
)
from opweld.tensor import shape, shape_i
from opweld.tensor.basic import Alloc, MakeVector
from opweld.tensor.shapes import Shape, Shape_i, register_shape_c_code, register_shape_i_c_code


class Span:
    """Two numbers, for a type of its own in C; it has a shape, as arrays do."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    shape = (2, 1)

    def copy(self):
        return Span(self.low, self.high)

    def __eq__(self, other):
        return (self.low, self.high) == (other.low, other.high)

    __hash__ = None


class SpanType(Type):
    """A `Span`; C sees the object."""

    __props__ = ()
    ndim = 2

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, Span):
            raise TypeError("expected a Span")
        return value


class Number(CType):
    """A Python float, in C a double; `version` is what the tests register C with."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def c_declare(self, name, sub, check_input=True):
        return f"double {name};"

    def c_init(self, name, sub):
        return f"{name} = 0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"{name} = PyFloat_AsDouble(py_{name});\nif (PyErr_Occurred()) {sub['fail']}"

    def c_sync(self, name, sub):
        return f"Py_XSETREF(py_{name}, PyFloat_FromDouble({name}));\nif (py_{name} == NULL) {sub['fail']}"

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


span, number = SpanType()("s"), Number()("n")


@pytest.fixture(autouse=True)
def registered():
    """What a test registers is gone after it."""
    tables = [cls.c_code_and_version for cls in (DeepCopyOp, ViewOp, Shape, Shape_i)]
    kept = [dict(table) for table in tables]
    yield
    for table, before in zip(tables, kept):
        table.clear()
        table.update(before)


def ops(f):
    return [type(node.op) for node in f.maker.fgraph.toposort()]


def in_c(f):
    return not f.maker.program.performs


# -- copies and views --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_copy_of_every_dtype(dtype):
    v = tensor(dtype, 2, "v")
    f = opweld.function([v], deep_copy_op(v))
    for layout in ("contiguous", "fortran", "reversed", "zero stride", "sliced", "empty"):
        array = LAYOUTS[layout](values(dtype, (3, 4)))
        result = f(array)
        assert in_c(f) and not np.shares_memory(result, array)
        np.testing.assert_array_equal(result, array)


def test_a_copy_into_what_is_given():
    v = T.dmatrix("v")
    f = opweld.function([v], deep_copy_op(v))
    out = np.empty((2, 3), order="F")
    assert f(np.ones((2, 3)), out=out) is out and out.sum() == 6


def test_a_copy_of_other_objects():
    f = opweld.function([span], span)
    given = Span(1, 2)
    result = f(given)
    assert ops(f) == [DeepCopyOp] and not in_c(f)
    assert result == given and result is not given

    kind = opweld.Generic()
    g = kind("g")
    f = opweld.function([g], g)
    nested = [[1], {"a": 2}]
    result = f(nested)
    assert result == nested and result is not nested  # list.copy
    unknown = f(frozenset([1]))
    assert unknown == {1}


def test_a_copy_that_is_registered():
    f = opweld.function([number], number)
    assert f(3) == 3.0 and not in_c(f)
    register_deep_copy_op_c_code(Number, "%(oname)s = %(iname)s; if (%(iname)s < 0) { %(fail)s }", version=(1,))
    f = opweld.function([number], number)
    assert f(3) == 3.0 and in_c(f)
    with pytest.raises(RuntimeError, match=r"DeepCopyOp"):
        f(-1)


@pytest.mark.parametrize(("version", "kept"), [((), False), ((2,), True), (2, True)])
def test_a_version_decides_what_is_kept(version, kept):
    mark = f"/* {version} */"
    register_deep_copy_op_c_code(Number, f"%(oname)s = %(iname)s; {mark}", version=version)
    f = opweld.function([number], number)
    assert f(1) == 1.0 and f.maker.built.kept is kept


def test_views():
    v = T.dvector("v")
    where = Addressed()
    f = opweld.function([v], [where(v), where(view_op(v))])
    first, second = f(np.ones(3))
    assert first == second
    kind = opweld.Generic()("g")
    f = opweld.function([kind], view_op(kind))
    assert ops(f) == [ViewOp, DeepCopyOp]
    register_view_op_c_code(Number, "%(oname)s = %(iname)s;", (1,))
    register_deep_copy_op_c_code(Number, "%(oname)s = %(iname)s;", (1,))
    f = opweld.function([number], view_op(number))
    assert f(4) == 4.0 and in_c(f)


class Addressed(Op):
    """Where an array's data lies."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [T.TensorType("uint64", ())()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.array(inputs[0].__array_interface__["data"][0], "uint64")


@pytest.mark.parametrize(
    "register", [register_deep_copy_op_c_code, register_view_op_c_code, register_shape_c_code, register_shape_i_c_code]
)
def test_what_cannot_be_registered(register):
    with pytest.raises(TypeError, match=r"expected a class of types, got .*; pass type\(t\), not t"):
        register(Number(), "")
    with pytest.raises(TypeError, match=r"the C code for Number must be a string, got None"):
        register(Number, None)


# -- shapes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ndim", [0, 1, 3])
def test_the_shape_of_an_array(ndim):
    v = tensor("float32", ndim, "v")
    f = opweld.function([v], [v.shape, *(shape_i(v, i) for i in range(ndim))])
    for sizes in ((4, 0, 2)[:ndim], (1, 2, 3)[:ndim]):
        whole, *each = f(np.zeros(sizes, "f4"))
        assert whole.dtype == np.int64 and tuple(whole) == sizes and in_c(f)
        assert [(int(size), size.dtype, size.shape) for size in each] == [(n, np.int64, ()) for n in sizes]


def test_known_sizes_need_no_node():
    v = T.tensor("float64", (None, 3), name="v")
    f = opweld.function([v], shape_i(v, 1))
    assert ops(f) == [DeepCopyOp] and f(np.zeros((2, 3))) == 3
    f = opweld.function([v], v.shape)
    assert ops(f) == [Shape] and f(np.zeros((2, 3))).tolist() == [2, 3]
    w = T.tensor("float64", (2, 3), name="w")
    f = opweld.function([w], shape(w))
    assert ops(f) == [DeepCopyOp] and f(np.zeros((2, 3))).tolist() == [2, 3]


class Padded(Op):
    """Two longer; `infer_shape` is what the test says."""

    def __init__(self, infer=None):
        self.ran = 0
        if infer is not None:
            self.infer_shape = infer

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.ran += 1
        output_storage[0][0] = np.pad(inputs[0], (0, 2))


def test_infer_shape_spares_the_op():
    v = T.dvector("v")
    plain = Padded()
    f = opweld.function([v], plain(v).shape)
    assert f([1.0]).tolist() == [3] and plain.ran == 1

    for infer in (
        lambda node, shapes: [(shapes[0][0],)],
        lambda fgraph, node, shapes: [(shapes[0][0],)],
        lambda fgraph, node, shapes: [shapes[0]],
    ):
        op = Padded(infer)
        f = opweld.function([v], [op(v).shape, shape_i(op(v), 0)])
        assert [r.tolist() for r in f([1.0, 2.0])] == [[2], 2] and op.ran == 0
    op = Padded(lambda node, shapes: [(7,)])
    f = opweld.function([v], op(v).shape, on_unused_input="ignore")
    assert f([1.0]).tolist() == [7] and op.ran == 0


def test_infer_shape_of_the_library():
    n = T.lscalar("n")
    v = view_op(deep_copy_op(T.zeros([n, 3])))
    f = opweld.function([n], [v.shape, shape_i(v, 0)])
    assert Alloc not in ops(f) and [r.tolist() for r in f(5)] == [[5, 3], 5]


@pytest.mark.parametrize(
    ("infer", "said"),
    [
        (lambda node, shapes: 1 / 0, "Padded: infer_shape failed, so the op runs for its shape: division by zero"),
        (lambda node, shapes: [], "0 shapes for 1 outputs"),
        (lambda node, shapes: [(1, 2)], "2 sizes for 1 dimensions"),
    ],
)
def test_infer_shape_that_fails(infer, said):
    v = T.dvector("v")
    op = Padded(infer)
    with pytest.warns(OpweldWarning, match=said):
        f = opweld.function([v], op(v).shape)
    assert f([1.0]).tolist() == [3] and op.ran == 1


def test_infer_shape_that_does_not_know():
    v = T.dvector("v")

    def unknown(node, shapes):
        raise NotImplementedError

    for infer in (unknown, lambda node, shapes: [None]):
        op = Padded(infer)
        assert opweld.function([v], op(v).shape)([1.0]).tolist() == [3]


def test_the_shape_of_other_objects():
    f = opweld.function([span], [shape(span), shape_i(span, 1)])
    assert [r.tolist() for r in f(Span(1, 2))] == [[2, 1], 1] and not in_c(f)
    code = """
        if (%(oname)s == NULL) { npy_intp n = 2; %(oname)s = (PyArrayObject*)PyArray_EMPTY(1, &n, NPY_INT64, 0); }
        if (%(oname)s == NULL) { %(fail)s }
        (void)%(iname)s;
        ((npy_int64*)PyArray_DATA(%(oname)s))[0] = ((npy_int64*)PyArray_DATA(%(oname)s))[1] = 5;
    """
    register_shape_c_code(SpanType, code, (1,))
    one = """
        if (%(oname)s == NULL) %(oname)s = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_INT64, 0);
        if (%(oname)s == NULL) { %(fail)s }
        *(npy_int64*)PyArray_DATA(%(oname)s) = 10 + %(i)s;
    """
    check = 'if (%(iname)s == Py_None || %(i)s > 5) { PyErr_SetString(PyExc_TypeError, "no size %(i)s"); %(fail)s }'
    register_shape_i_c_code(SpanType, one, check, (1,))
    f = opweld.function([span], [shape(span), shape_i(span, 0), shape_i(span, 1)])
    assert [r.tolist() for r in f(Span(1, 2))] == [[5, 5], 10, 11] and in_c(f)


def test_the_check_of_shape_i():
    class Flat(SpanType):
        ndim = None

    register_shape_i_c_code(
        Flat, "(void)%(oname)s;", 'PyErr_SetString(PyExc_TypeError, "no size %(i)s"); (void)%(iname)s; %(fail)s', (1,)
    )
    v = Flat()("v")
    f = opweld.function([v], shape_i(v, 9))
    with pytest.raises(TypeError, match=r"no size 9"):
        f(Span(1, 2))


def test_sizes_that_do_not_exist():
    v = T.dvector("v")
    with pytest.raises(TypeError, match=r"Shape_i\{i=1\}: v has 1 dimensions"):
        shape_i(v, 1)
    for wrong in (-1, 1.5, True, None):
        with pytest.raises(TypeError, match=r"Shape_i: expected a dimension, 0 or more, got"):
            Shape_i(wrong)
    assert Shape_i(np.int8(1)) == Shape_i(1)


# -- arrays from sizes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_and_ones(dtype):
    n = T.iscalar("n")
    f = opweld.function([n], [T.zeros([n, 2], dtype), T.ones((3, n), dtype)])
    assert in_c(f)
    for size in (0, 1, 4):
        zeros, ones = f(size)
        np.testing.assert_array_equal(zeros, np.zeros((size, 2), dtype), strict=True)
        np.testing.assert_array_equal(ones, np.ones((3, size), dtype), strict=True)


def test_forms_of_a_shape():
    assert T.zeros(3).type == T.TensorType("float64", (3,))
    assert T.zeros((3, 4), "int8").type == T.TensorType("int8", (3, 4))
    assert T.zeros([]).type == T.TensorType("float64", ())
    assert T.zeros(np.int64(2)).type.shape == (2,)
    assert T.zeros([T.lscalar("n"), 2]).type.shape == (None, 2)
    assert T.zeros(T.lscalar("n")).type.shape == (None,)


def test_alloc_broadcasts():
    v, n = T.dvector("v"), T.lscalar("n")
    f = opweld.function([v, n], T.alloc(v, n, 3))
    assert f([1.0, 2.0, 3.0], 2).tolist() == [[1, 2, 3], [1, 2, 3]]
    assert f([7.0], 1).tolist() == [[7, 7, 7]]
    with pytest.raises(ValueError, match=r"could not broadcast"):
        f([1.0, 2.0], 1)
    with pytest.raises(ValueError, match=r"alloc: size 0 is negative: -2"):
        f([1.0], -2)


def test_alloc_keeps_storage_of_the_right_shape():
    n = T.lscalar("n")
    f = opweld.function([n], T.zeros([n]))
    out = np.ones(3)
    assert f(3, out=out) is out and out.tolist() == [0, 0, 0]
    with pytest.raises(ValueError):
        f(4, out=out)


def test_alloc_that_makes_no_sense():
    for wrong, message in (
        (lambda: T.zeros([1.5]), "alloc: size 0 must be an integer or a variable, got 1.5 (float)"),
        (lambda: T.zeros([2, True]), "alloc: size 1 must be an integer or a variable, got True (bool)"),
        (
            lambda: T.zeros([T.dscalar("d")]),
            "alloc: size 0 must be an integer without dimensions, got d of type TensorType(float64, ())",
        ),
        (lambda: T.alloc([1.0, 2.0]), "alloc: a value of 1 dimensions does not fit into 0"),
        (
            lambda: T.zeros(T.lvector("s")),
            "the shape must be a list of sizes, got s of type TensorType(int64, (?,)); pass [size, ...]",
        ),
    ):
        with pytest.raises(TypeError) as caught:
            wrong()
        assert str(caught.value) == message
    with pytest.raises(ValueError, match=r"alloc: size 0 is negative: -1"):
        T.zeros([-1])


def test_likes():
    m = T.tensor("float32", (None, 2), name="m")
    f = opweld.function([m], [T.zeros_like(m), T.ones_like(m, "int16")])
    zeros, ones = f(np.full((3, 2), 5, "f4"))
    np.testing.assert_array_equal(zeros, np.zeros((3, 2), "f4"), strict=True)
    np.testing.assert_array_equal(ones, np.ones((3, 2), "i2"), strict=True)


def test_constants_are_folded_where_it_pays():
    f = opweld.function([], view_op(T.zeros([3])))
    assert ops(f) == [DeepCopyOp] and f().tolist() == [0, 0, 0]
    assert ops(opweld.function([], T.zeros([3]))) == [Alloc]
    assert ops(opweld.function([], view_op(T.zeros([10**6])))) == [Alloc, ViewOp]
    assert ops(opweld.function([], MakeVector()(1, 2))) == [DeepCopyOp]


def test_make_vector():
    n = T.lscalar("n")
    f = opweld.function([n], MakeVector("int64")(n, 5, n))
    assert f(3).tolist() == [3, 5, 3] and in_c(f)
    with pytest.raises(TypeError, match=r"MakeVector\{dtype='int64'\}: entry 0 must be a int64 without dimensions"):
        MakeVector("int64")(T.iscalar("i"))


@pytest.mark.parametrize("op", [Alloc(), MakeVector("int64"), Shape(), Shape_i(0), deep_copy_op, view_op])
def test_c_against_python(op):
    v, n = T.dvector("v"), T.lscalar("n")
    inputs = {Alloc: [v, n, n], MakeVector: [n, n]}.get(type(op), [v])
    given = {Alloc: [np.array([2.5]), 4, 4], MakeVector: [3, 3]}.get(type(op), [np.arange(3.0)])
    distinct = list(dict.fromkeys(inputs))
    f = opweld.function(distinct, op(*inputs), mode="DebugMode")
    f(*[given[inputs.index(variable)] for variable in distinct])


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_both_languages(lang):
    class Neighbour(Op):
        """Nothing, in the language that the whole unit then has."""

        c_lang = lang
        view_map = {0: [0]}

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            return f"Py_INCREF({input_names[0]}); Py_XSETREF({output_names[0]}, {input_names[0]});"

        def c_code_cache_version(self):
            return (1,)

    n = T.lscalar("n")
    m = Neighbour()(T.zeros([n, 2], "complex64"))
    f = opweld.function([n], [deep_copy_op(m), view_op(m), m.shape, MakeVector()(shape_i(m, 0), n)])
    results = f(3)
    assert in_c(f) and [r.shape for r in results] == [(3, 2), (3, 2), (2,), (2,)]
    assert results[2].tolist() == [3, 2] and results[3].tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"alloc: size 0 is negative: -1"):
        f(-1)


def test_one_text_over_arrays_of_other_dimensions():
    """The ends of the two functions test other arrays, so they are two."""
    x, z = T.dmatrix("x"), T.dmatrix("z")
    a = np.arange(6.0).reshape(2, 3)
    first, second = opweld.function([x, z], [T.take(x, [0, 5, -1]), T.take(z, 1, 0)])(a, a)
    assert first.tolist() == [0, 5, 5] and second.tolist() == [3, 4, 5]
