"""Products of vectors, matrices and stacks, against NumPy."""

import functools
import itertools
import re

import numpy as np
import pytest
import refusals
from hypothesis import given
from hypothesis import strategies as st
from kit import DTYPES, LAYOUTS, tensor, values

import opweld
from opweld import tensor as T
from opweld.compile.debugmode import DebugMode

a, m, s = T.dvector("a"), T.dmatrix("m"), T.dtensor3("s")


@functools.cache
def product(what, *types):
    """An operation on tensors of these (dtype, ndim)."""
    inputs = [tensor(dtype, ndim, name) for (dtype, ndim), name in zip(types, "xy")]
    f = opweld.function(inputs, getattr(T, what)(*inputs))
    assert not f.maker.program.performs
    return f


def check(what, x, y):
    """The same dtype, shape and values; whole numbers are multiplied without error."""
    check_all([what], [(x, y)])


def check_all(whats, pairs):
    """The same of many at once, in one function."""
    types = [(v.dtype.name if v.dtype.char not in "gG" else v.dtype.char, v.ndim) for pair in pairs for v in pair]
    f = products(tuple(whats), tuple(types))
    wanted = [np.asarray(getattr(np, what)(x, y)) for x, y in pairs for what in whats]
    given_ = [v for pair in pairs for v in pair]
    for _ in range(2):  # the second time into what the first left, where that is kept
        for result, want in zip(f(*given_), wanted, strict=True):
            assert (result.dtype, result.shape) == (want.dtype, want.shape)
            np.testing.assert_array_equal(result, want)
    out = [np.ones_like(want, order="C") for want in wanted]
    for result, want, into in zip(f(*given_, out=out), wanted, out, strict=True):
        assert result is into
        np.testing.assert_array_equal(into, want)


@functools.cache
def products(whats, types):
    """Operations on pairs of tensors of these (dtype, ndim): for each pair each of them."""
    inputs = [tensor(dtype, ndim, f"x{i}") for i, (dtype, ndim) in enumerate(types)]
    pairs = list(zip(inputs[::2], inputs[1::2]))
    f = opweld.function(inputs, [getattr(T, what)(x, y) for x, y in pairs for what in whats])
    assert not f.maker.program.performs
    return f


def whole(dtype, shape, first=0):
    """Small whole numbers."""
    return ((np.arange(int(np.prod(shape))) + first) % 3).reshape(shape).astype(dtype)


# -- values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("what", ["dot", "matmul"])
def test_every_dtype(what, dtype):
    shapes = [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4))]
    check_all([what], [(whole(dtype, left), whole(dtype, right, 1)) for left, right in shapes])


def test_dtypes_are_promoted_as_numpy_does():
    pairs = list(itertools.combinations_with_replacement(DTYPES, 2))
    for what in ("dot", "matmul", "inner", "outer"):
        for left, right in pairs:
            made = getattr(T, what)(tensor(left, 1), tensor(right, 1))
            assert made.type.numpy_dtype == getattr(np, what)(np.ones(1, left), np.ones(1, right)).dtype, (what, left)
    some = pairs[3::17]
    check_all(["dot"], [(whole(left, (2, 3)), whole(right, (3, 2))) for left, right in some])
    check_all(["matmul"], [(whole(left, (2, 2, 3)), whole(right, (3, 2))) for left, right in some])


SHAPES = [
    ((), ()), ((), (3,)), ((2, 3), ()), ((3,), (3,)), ((0,), (0,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 3), (3, 2)),
    ((2, 0), (0, 3)), ((0, 3), (3, 0)), ((1, 1), (1, 1)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2)), ((4, 2, 3), (3, 5)),
    ((2, 3), (4, 3, 5)), ((4, 2, 3), (4, 3, 5)), ((1, 2, 3), (4, 3, 5)), ((4, 1, 2, 3), (6, 3, 5)),
    ((0, 2, 3), (1, 3, 5)),
    ((2, 1, 2, 3), (1, 4, 3, 2)), ((2, 3), (0, 3, 2)),
]  # fmt: skip


@pytest.mark.parametrize("what", ["dot", "matmul", "inner", "outer"])
def test_every_shape(what):
    for dtype in ("float64", "int32"):
        good = []
        for left, right in SHAPES:
            x, y = whole(dtype, left), whole(dtype, right, 1)
            if what == "inner" and y.ndim > 1:
                y = y.swapaxes(-1, -2).copy() if x.ndim else y
            try:
                getattr(np, what)(x, y)
            except ValueError:
                with pytest.raises(ValueError):
                    product(what, (dtype, x.ndim), (dtype, y.ndim))(x, y)
            else:
                good.append((x, y))
        check_all([what], good)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in ("sliced", "empty", "one element")])
def test_layouts(layout):
    for left, right in (((3,), (3,)), ((3, 3), (3, 3)), ((2, 3, 3), (3, 3)), ((3, 3, 3), (3, 3, 3))):
        x, y = whole("float64", left), whole("float32", right, 1)
        if layout == "transposed" and len(left) == 3:
            x = x[:1]
        for what in ("dot", "matmul"):
            f = product(what, ("float64", x.ndim), ("float32", y.ndim))
            given_ = LAYOUTS[layout](x), LAYOUTS[layout](y)
            try:
                wanted = getattr(np, what)(*given_)
            except ValueError:
                continue
            np.testing.assert_array_equal(f(*given_), wanted)


@given(st.data())
def test_any_stacks(data):
    """Sizes that turn out 1 are broadcast, whatever was known before."""
    depth = st.lists(st.sampled_from([1, 1, 2]), max_size=2)
    n, k, o = (data.draw(st.integers(0, 3)) for _ in range(3))
    left, right = (*data.draw(depth), n, k), (*data.draw(depth), k, o)
    x, y = whole("float64", left), whole("float64", right, 1)
    check("matmul", x, y)
    known = [
        T.TensorType("float64", [size if data.draw(st.booleans()) else None for size in v.shape])() for v in (x, y)
    ]
    made = T.matmul(*known)
    wanted = x @ y
    assert made.type.is_super(T.TensorType("float64", wanted.shape))
    (found,) = made.owner.op.infer_shape(made.owner, [x.shape, y.shape])
    assert found is None or found == wanted.shape


def test_large_ones_and_numbers_that_are_not():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(70, 130)), rng.normal(size=(130, 40))
    for what in ("dot", "matmul"):
        f = product(what, ("float64", 2), ("float64", 2))
        np.testing.assert_allclose(f(x, y), x @ y, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(f(y.T, x.T), y.T @ x.T, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(f(x, x.T), x @ x.T, rtol=1e-12, atol=1e-12)
    bad = np.array([[np.nan, 1], [np.inf, 2]])
    for what in ("dot", "matmul"):
        np.testing.assert_array_equal(
            product(what, ("float64", 2), ("float64", 2))(bad, np.ones((2, 2))), bad @ np.ones((2, 2))
        )


def test_an_output_over_an_input():
    f = product("matmul", ("float64", 2), ("float64", 2))
    x = values("float64", (3, 3))
    wanted = x @ x
    assert f(x, x, out=x) is x
    np.testing.assert_allclose(x, wanted)
    other = np.zeros((3, 3), order="F")
    assert f(wanted, wanted, out=other) is other
    np.testing.assert_allclose(other, wanted @ wanted)


def test_numbers_are_weak():
    x = tensor("float32", 1, "x")
    assert T.dot(x, 2.5).dtype == "float32" and T.inner(2, x).dtype == "float32"
    np.testing.assert_array_equal(opweld.function([x], T.dot(x, 2))(np.ones(3, "f4")), np.full(3, 2, "f4"))


def test_operators():
    f = opweld.function([m, a], [m @ a, a @ m.T, m.dot(a)])
    x, v = values("float64", (2, 3)), values("float64", (3,))
    for result, wanted in zip(f(x, v), (x @ v, v @ x.T, x.dot(v))):
        np.testing.assert_allclose(result, wanted)


# -- over other axes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "longdouble", "complex64"])
def test_vdot_and_tensordot(dtype):
    x, y = whole(dtype, (2, 3, 4)), whole(dtype, (4, 3, 2), 1)
    if np.dtype(dtype).kind == "c":
        x = x + 1j
    v, w = tensor(dtype, 3, "v"), tensor(dtype, 3, "w")
    ways = [0, 1, (1, 1), (-1, 0), ([0, 1], [2, 1]), ([2, 0, 1], [0, 2, 1]), ([], [])]
    f = opweld.function([v, w], [T.vdot(v, w), *(T.tensordot(v, w, way) for way in ways)])
    assert not f.maker.program.performs
    for shape_x, shape_y in (((2, 3, 4), (4, 3, 2)), ((0, 3, 4), (4, 3, 0)), ((2, 0, 3), (3, 0, 2))):
        p, q = np.resize(x, shape_x), np.resize(y, shape_y)
        for result, wanted in zip(f(p, q), [np.vdot(p, q), *(np.tensordot(p, q, way) for way in ways)], strict=True):
            wanted = np.asarray(wanted)
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
            np.testing.assert_array_equal(result, wanted)


def test_tensordot_refuses():
    with pytest.raises(ValueError, match=r"^shape-mismatch for sum$"):
        T.tensordot(np.ones((2, 3)), np.ones((2, 3)), 1)
    with pytest.raises(ValueError, match=r"^shape-mismatch for sum$"):
        T.tensordot(m, m, ([0, 1], [0]))
    with pytest.raises(IndexError, match=r"out of bounds"):
        T.tensordot(a, a, 2)
    with pytest.raises(ValueError, match=r"shape-mismatch for sum"):  # as many elements, of other shape
        opweld.function([m, s], T.tensordot(m, s[0], ([0, 1], [0, 1])))(np.ones((2, 3)), np.ones((1, 3, 2)))


# -- what does not fit -------------------------------------------------------------------------------------------

MISFITS = [
    ("dot", (2, 3), (2, 3)), ("dot", (2, 3), (2,)), ("dot", (2,), (3,)), ("dot", (2, 4, 5), (3, 4, 6)),
    ("matmul", (2, 3), (2, 3)), ("matmul", (2, 3), (2,)), ("matmul", (2,), (3,)), ("matmul", (2,), (3, 2)),
    ("matmul", (2, 4, 5), (3, 4, 6)), ("matmul", (3, 2, 4), (3,)), ("matmul", (2, 4, 5), (3, 5, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("what", "left", "right"), MISFITS)
def test_sizes_that_do_not_fit(what, left, right):
    x, y = np.ones(left), np.ones(right)
    with pytest.raises(ValueError) as info:
        getattr(np, what)(x, y)
    message = str(info.value)
    f = product(what, ("float64", x.ndim), ("float64", y.ndim))
    err = refusals.caught(lambda: f(x, y), ValueError)
    assert message in str(err)
    refusals.refuses(lambda: f(x, y), ValueError, str(err).split("\n")[0], x, y, f)
    with pytest.raises(ValueError, match=re.escape(message[:40])):
        getattr(T, what)(T.TensorType("float64", left)(), T.TensorType("float64", right)())


def test_matmul_of_numbers():
    for position, pair in enumerate([(T.dscalar(), m), (m, T.dscalar())]):
        message = f"matmul: Input operand {position} does not have enough dimensions (has 0, gufunc core with signature"
        with pytest.raises(ValueError, match=re.escape(message)):
            T.matmul(*pair)


def test_shapes_are_found_without_values():
    f = opweld.function([m, s], [T.shape(T.dot(m, s)), T.shape(T.matmul(m, s)), T.shape(T.tensordot(s, m, 1))])
    assert [r.tolist() for r in f(np.ones((5, 3)), np.ones((4, 3, 5)))] == [[5, 4, 5], [4, 5, 5], [4, 3, 3]]
    assert not {"Dot", "MatMul", "TensorDot"} & {type(node.op).__name__ for node in f.maker.fgraph.toposort()}


def test_debugmode_agrees():
    f = opweld.function([m, s], [T.dot(m, m), T.matmul(s, m), T.tensordot(s, m, 1)], mode=DebugMode())
    f(np.ones((3, 3)), np.ones((2, 3, 3)))
