"""Reductions, positions of extremes and cumulative sums, against NumPy."""

import contextlib
import functools
import math
import warnings

import kit
import numpy as np
import pytest
import refusals
from hypothesis import given
from hypothesis import strategies as st
from kit import DTYPES, INTEGERS, LAYOUTS, tensor
from numpy.exceptions import ComplexWarning
from test_vector import LEVELS

import opweld
from opweld import scalar
from opweld import tensor as T
from opweld.compile.debugmode import DebugMode
from opweld.scalar import BinaryScalarOp, upcast_out
from opweld.tensor import CAReduce

# what is said of the numbers that are given here, test_errstate.py asks
pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")

FOLDS = ("sum", "prod", "max", "min", "any", "all")
MEANS = ("mean", "var", "std")
AXES = {
    0: (None, 0, -1, ()),
    1: (None, 0, -1, (), (0,)),
    2: (None, 0, 1, -2, (), (1, 0)),
    3: (None, 1, (0, 2), (-1, 1)),
    4: (None, 2, (0, 3), (1, 2), (-1, 0, 1)),
}


def ways(ndim, what):
    """Axis and keepdims."""
    if what in MEANS and ndim == 0:
        axes = (None, ())
    elif what in ("argmax", "argmin"):
        axes = (None, 0, -1) if ndim == 0 else (None, *range(ndim), -1)
    else:
        axes = AXES[ndim]
    return [(axis, keep) for i, axis in enumerate(axes) for keep in ((False, True) if i < 2 else (i % 2 == 0,))]


@functools.cache
def reducer(names, dtype, ndim):
    """Everything over every axis as one function; and the same by NumPy."""
    x = tensor(dtype, ndim, "x")
    all_ways = [(name, *way) for name in names for way in ways(ndim, name)]
    f = opweld.function([x], [getattr(T, name)(x, axis=axis, keepdims=keep) for name, axis, keep in all_ways])

    def by_numpy(array):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return [np.asarray(getattr(np, name)(array, axis=axis, keepdims=keep)) for name, axis, keep in all_ways]

    return f, by_numpy, all_ways


def check(names, array, dtype=None):
    """The same dtype and shape; whole numbers to the last bit, others within a few."""
    dtype = array.dtype.char if array.dtype.char in "gG" else dtype or array.dtype.name
    f, by_numpy, all_ways = reducer(names, dtype, array.ndim)
    for _ in range(2):  # the second time into what the first left, where that is kept
        for result, wanted, way in zip(f(array), by_numpy(array.astype(dtype)), all_ways, strict=True):
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape), way
            close(result, wanted, way)


def close(result, wanted, way):
    if result.dtype.kind in "biu" or way[0] in ("max", "min"):
        np.testing.assert_array_equal(result, wanted, str(way))
    else:
        eps = float(np.finfo(result.dtype).eps)
        np.testing.assert_allclose(result, wanted, rtol=8 * eps, atol=8 * eps, err_msg=str(way))


def small(dtype, shape):
    """1, 2 and 0, with a few numbers that are none."""
    found = (np.arange(math.prod(shape)) % 7 == 0).reshape(shape).astype(dtype) + np.ones(shape, dtype)
    if found.size > 3:
        found.flat[3] = 0
    return found.astype(dtype)


# -- every dtype, axis, shape and layout -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    check(FOLDS + MEANS, small(dtype, (3, 4)))
    check(FOLDS + MEANS, small(dtype, (1, 1)))


@pytest.mark.parametrize("dtype", [d for d in DTYPES if np.dtype(d).kind in "fc"])
def test_numbers_that_are_not(dtype):
    array = small(dtype, (4, 5))
    array[0, 1], array[1, 1], array[1, 2], array[3, 4], array[2] = np.nan, np.inf, -np.inf, np.inf, -0.0
    kind = array.dtype.kind
    check(tuple(name for name in FOLDS + MEANS if name != "prod" or kind != "c"), array)  # inf * 1 depends on the order
    check(("argmax", "argmin"), array)
    if array.dtype.kind == "c":
        array[0, 0], array[3, 0] = complex(1, np.nan), complex(np.nan, 1)
        check(("max", "min", "any", "all", "argmax", "argmin"), array)


@pytest.mark.parametrize("ndim", [0, 1, 3, 4])
@pytest.mark.parametrize("dtype", ["int8", "float64", "complex64"])
def test_every_number_of_dimensions(dtype, ndim):
    check(FOLDS + MEANS, small(dtype, (2, 3, 1, 4)[:ndim]))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "float32", "complex128"])
def test_layouts(dtype, layout):
    names = FOLDS[:2] + FOLDS[4:]
    array = LAYOUTS[layout](small(dtype, (6, 10)))
    check(names, array, dtype)
    if array.size:
        check((*FOLDS[2:4], "argmax", "argmin"), array, dtype)


@pytest.mark.parametrize("dtype", ["bool", "int16", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing(dtype, shape):
    check(("sum", "prod", "any", "all", *MEANS), np.zeros(shape, dtype))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS[:6:2], "uint8", "float16", "float64", "complex128"])
@given(st.data())
def test_any_values(dtype, data):
    array = data.draw(kit.arrays(dtype, 2))
    exact = ("any", "all") if array.dtype.kind in "fc" else ("sum", "prod", "any", "all")
    check(exact, array, dtype)
    if array.size:
        check(("max", "min", "argmax", "argmin"), array, dtype)


# -- how exact sums are ------------------------------------------------------------------------------------------


def bound(array, axis, eps):
    n = array.size if axis is None else array.shape[axis]
    return eps * (16 + math.log2(n)) * np.abs(array.astype("longdouble")).sum(axis)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_sums_are_within_the_bound_of_pairwise_summation(dtype, order):
    shape = (40, 100) if dtype == "float16" else (500, 401)
    rng = np.random.default_rng(11)
    array = np.asarray(rng.normal(size=shape) + rng.normal(size=shape) ** 5, order=order)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * rng.normal(size=shape)
    array = np.asarray(array, dtype, order=order)
    eps = float(np.finfo(dtype).eps)
    x = tensor(dtype, 2, "x")
    f = opweld.function([x], [T.sum(x), T.sum(x, 0), T.sum(x, 1), T.sum(x[::2, ::-3], 1)])
    for part in ("real", "imag") if array.dtype.kind == "c" else ("real",):
        numbers = getattr(array, part)
        total, down, across, strided = (getattr(r, part) for r in f(array))
        assert abs(total - math.fsum(numbers.flat)) <= bound(numbers, None, eps)
        assert (np.abs(down - [math.fsum(c) for c in numbers.T]) <= bound(numbers, 0, eps)).all()
        assert (np.abs(across - [math.fsum(r) for r in numbers]) <= bound(numbers, 1, eps)).all()
        few = numbers[::2, ::-3]
        assert (np.abs(strided - [math.fsum(r) for r in few]) <= bound(few, 1, eps)).all()


@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "complex128"])
def test_sums_of_rows_are_the_same_wherever_their_elements_lie(dtype, level):
    """Text for rows that lie apart is another than for those that lie close: bit for bit they add in one order."""
    x, y = tensor(dtype, 2, "x"), tensor(dtype, 2, "y")
    sums = [T.sum(x, 1), T.sum((x - y) * y, 1), T.mean(x, 1) + T.sum(x * x, 1), T.var(x, 1)]
    sums.append(T.sum(x * 2, 1) * T.max(y, 1))
    f = opweld.function([x, y], sums, options={"march": level})
    rng = np.random.default_rng(5)
    for n in (*range(1, 70), 127, 128, 129, 255, 256, 257, 511, 512, 513, 767, 768, 769, 1000, 1999):
        close = [rng.normal(size=(5, n)).astype(dtype) for _ in "xy"]
        wanted = f(*close)
        for step, there in ((2, slice(None)), (3, slice(None)), (1, slice(None, None, -1)), (2, slice(None, None, -1))):
            apart = [np.repeat(a[:, there], step, 1)[:, ::step][:, there] for a in close]
            for operands in (apart, (close[0], apart[1])):
                assert all(map(np.array_equal, f(*operands), wanted)), (n, step, there)


@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_columns_of_integers(dtype, level):
    """Several rows at once, and what is left of them, whichever way they lie."""
    x, y = tensor(dtype, 2, "x"), tensor(dtype, 2, "y")

    def folds(module, x, y):
        each = [getattr(module, name)(x + y, 0) for name in ("sum", "prod", "max", "min")]
        return [*each, module.sum(x, 0) * module.max(x - y, 0), module.sum(x), module.min(x, 1)]

    f = opweld.function([x, y], folds(T, x, y), options={"march": level})
    rng = np.random.default_rng(6)
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 40, 67, 300):
        for m in (1, 3, 47, 300, 1100):
            a, b = (rng.integers(0, 100, (n, 2 * m)).astype(dtype) for _ in "xy")
            a, b = a - 50 if dtype[0] == "i" else a, b
            pairs = ((a, b), (a[:, ::2], b[:, 1::2]), (a[::-1, ::-1], b), (np.asfortranarray(a), b), (a[:1], b))
            for pair in pairs:
                wanted = folds(np, *pair)
                assert all(map(np.array_equal, f(*pair), wanted)), (n, m)


@pytest.mark.parametrize("axes", [(1, 2), (0, 1), (0, 2)])
@pytest.mark.parametrize("shape", [(10, 33), (40, 50), (200, 7), (3, 1000)])
def test_sums_over_two_axes_are_the_same_in_each_place(shape, axes):
    """The same numbers in each of so many columns that a function of 256 is called again for the last one."""
    x = T.tensor3("x")
    functions = [opweld.function([x], T.sum(e, axis=axes)) for e in (x, (x - 1) ** 2)]
    functions.append(opweld.function([x], T.mean(x, axis=axes)))
    (kept,) = {0, 1, 2} - set(axes)
    numbers = np.random.default_rng(0).normal(size=shape)
    for n in (2, 257):
        array = np.moveaxis(np.repeat(numbers[None], n, axis=0), 0, kept)
        wider = np.concatenate([array, array], axis=2)[:, :, : array.shape[2]]
        for lying in (array.copy(), wider, np.asfortranarray(array)):
            for f in functions:
                np.testing.assert_array_equal(f(lying), f(lying)[0])


def test_a_long_sum_of_float32_stays_exact():
    x = T.fvector("x")
    f = opweld.function([x], [T.sum(x), T.mean(x), T.var(x)])
    total, mean, var = f(np.full(1 << 22, 0.1, "float32"))
    assert abs(total / (0.1 * (1 << 22)) - 1) < 1e-6 and abs(mean / 0.1 - 1) < 1e-6 and var < 1e-12


def test_float16_is_summed_in_float32():
    x = tensor("float16", 1, "x")
    f = opweld.function([x], [T.sum(x), T.mean(x), T.sum(x, dtype="float32")])
    array = np.full(10000, 1.001, "float16")
    for result, wanted in zip(f(array), [np.sum(array), np.mean(array), np.sum(array, dtype="float32")]):
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result, wanted, rtol=float(np.finfo("float16").eps) / 2)
    many = np.full(70000, 1000, "float16")
    assert np.isinf(f(many)[0]) and f(many)[1] == 1000


# -- dtypes ------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
def test_the_dtypes_asked_for():
    for name in ("sum", "prod", "mean", "cumsum", "cumprod", "var", "std"):
        for have in DTYPES:
            for want in (None, "bool", "int8", "float16", "float64", "complex64", "longdouble"):
                if name in ("var", "std") and want in ("bool", "int8"):
                    continue  # in these NumPy itself is of two minds
                array = np.ones((2, 2), have)
                made = getattr(T, name)(tensor(have, 2), axis=0, dtype=want)
                assert made.type.numpy_dtype == getattr(np, name)(array, axis=0, dtype=want).dtype, (name, have, want)


def test_the_values_of_the_dtypes_asked_for():
    array = np.array([[1.5, 2.75, 0.25], [3.5, -1.25, 7.0]])
    x = T.dmatrix("x")
    names = ("sum", "prod", "mean", "cumsum", "cumprod")
    dtypes = ("int8", "int32", "float16", "float32", "complex64", "bool")
    f = opweld.function([x], [getattr(T, name)(x, axis=1, dtype=d) for name in names for d in dtypes])
    wanted = [getattr(np, name)(array, axis=1, dtype=d) for name in names for d in dtypes]
    for result, expected in zip(f(array), wanted, strict=True):
        assert result.dtype == expected.dtype
        eps = float(np.finfo(expected.dtype).eps) if expected.dtype.kind in "fc" else 0
        np.testing.assert_allclose(result, expected, rtol=4 * eps)


def test_imaginary_parts_are_lost_with_a_warning():
    z = T.zvector("z")
    for name in ("sum", "prod", "cumsum", "mean"):
        with pytest.warns(ComplexWarning, match=r"^Casting complex values to real discards the imaginary part$"):
            made = getattr(T, name)(z, dtype="float64")
        assert opweld.function([z], made)(np.array([1 + 2j])) == 1


@pytest.mark.parametrize("ddof", [1, 2, 5, 0.5, 6])
def test_degrees_of_freedom(ddof):
    x, d = T.dmatrix("x"), T.dscalar("d")
    f = opweld.function([x, d], [T.var(x, 1, ddof=ddof), T.std(x, ddof=ddof), T.var(x, 1, ddof=d)])
    array = np.random.default_rng(0).normal(size=(3, 5))
    known = opweld.function([], T.var(T.constant(array), 1, ddof=ddof))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = [np.var(array, 1, ddof=ddof), np.std(array, ddof=ddof), np.var(array, 1, ddof=ddof)]
    for result, expected in zip([*f(array, ddof), known()], [*wanted, wanted[0]]):
        np.testing.assert_allclose(result, expected, rtol=1e-13)


@pytest.mark.parametrize("dtype", ["int8", "bool", "uint64"])
def test_roots_are_no_integers(dtype):
    x, array = tensor("float64"), np.array([1.0, 5, 9])
    with pytest.raises(TypeError):
        np.std(array, 0, dtype=dtype, keepdims=True)
    with pytest.raises(TypeError, match=f"std: its roots cannot be cast to {dtype}"):
        T.std(x, 0, dtype=dtype, keepdims=True)
    assert opweld.function([x], T.std(x, dtype=dtype))(array) == np.std(array, dtype=dtype)


def test_other_names():
    x = T.dmatrix("x")
    f = opweld.function([x], [T.amax(x, 0), T.amin(x, 1), T.ptp(x, 0), *T.max_and_argmax(x, 1, True)])
    array = np.random.default_rng(1).normal(size=(3, 4))
    wanted = [array.max(0), array.min(1), np.ptp(array, 0), array.max(1, keepdims=True), array.argmax(1, keepdims=True)]
    for result, expected in zip(f(array), wanted, strict=True):
        np.testing.assert_array_equal(result, expected)


# -- along an axis -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_where_extremes_are(dtype):
    for shape in ((3, 4), (1, 7), (5, 1)):
        array = np.random.default_rng(2).integers(0, 5, shape).astype(dtype)
        check(("argmax", "argmin"), array)
    f, by_numpy, _ = reducer(("argmax", "argmin"), dtype if dtype[-6:] != "double" else np.dtype(dtype).char, 2)
    with pytest.raises(ValueError, match=r"attempt to get argmax of an empty sequence"):
        f(np.zeros((0, 3), dtype))
    del by_numpy


@pytest.mark.parametrize("ndim", [0, 1, 4])
def test_where_extremes_are_in_other_shapes(ndim):
    check(("argmax", "argmin"), np.random.default_rng(4).integers(0, 3, (3, 2, 1, 4)[:ndim]))
    x = T.dmatrix("x")
    f = opweld.function([x], T.argmax(x, 1, True))
    assert f(np.zeros((0, 3))).shape == (0, 1)
    out = np.empty((4, 1), "int64", order="F")
    assert f(np.eye(4)[::-1], out=out) is out and out.ravel().tolist() == [3, 2, 1, 0]


@functools.cache
def accumulator(dtype, ndim):
    x = tensor(dtype, ndim, "x")
    axes = (None, 0, -1) if ndim == 0 else (None, *range(-ndim, ndim))
    f = opweld.function([x], [g(x, axis) for g in (T.cumsum, T.cumprod) for axis in axes])
    assert not f.maker.program.performs

    def by_numpy(array):
        with np.errstate(all="ignore"):
            return [g(array.astype(dtype), axis) for g in (np.cumsum, np.cumprod) for axis in axes]

    return f, by_numpy, axes


def nearly_products(result, wanted, array, axis):
    """Cumulative products of complex numbers: NumPy fuses products and sums of parts in some of its loops, not in all.

    What overflows on the way, or comes near to nothing, is left out.
    """
    whole = array.ndim == 0 or axis is None
    sizes = np.abs(array.astype("clongdouble"))
    sizes = sizes.ravel() if whole else np.moveaxis(sizes, axis, 0)
    result, wanted = ((v.ravel() if whole else np.moveaxis(v, axis, 0)).astype("clongdouble") for v in (result, wanted))
    info = np.finfo(array.dtype)
    with np.errstate(all="ignore"):
        sizes = np.cumprod(sizes, 0)
        tame = (sizes == 0) | ((sizes < info.max / 4) & (sizes > info.tiny / info.eps))
        tame = np.logical_and.accumulate(tame, 0)
        near = np.abs(result - wanted) <= 8 * info.eps * (len(sizes) + 1) * sizes
    assert near[tame].all(), (result, wanted)


def check_accumulated(array, dtype):
    f, by_numpy, axes = accumulator(dtype, array.ndim)
    native = array.astype(dtype)
    for _ in range(2):
        with np.errstate(all="ignore"):
            results = f(array)
        for place, (result, wanted) in enumerate(zip(results, by_numpy(array), strict=True)):
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
            if place >= len(axes) and wanted.dtype.kind == "c":
                nearly_products(result, wanted, native, axes[place % len(axes)])
            else:
                np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_cumulative_of_every_dtype(dtype):
    for shape in ((3, 4), (0, 4), (1, 1)):
        check_accumulated(small(dtype, shape), dtype)


@pytest.mark.parametrize("ndim", [0, 1, 4])
def test_cumulative_of_other_shapes(ndim):
    check_accumulated(small("float32", (2, 3, 1, 4)[:ndim]), "float32")


@pytest.mark.parametrize("dtype", ["int8", "float64", "complex64"])
@given(st.data())
def test_cumulative_of_any_values(dtype, data):
    check_accumulated(data.draw(kit.arrays(dtype, 2)), dtype)


# -- a user's op -------------------------------------------------------------------------------------------------


class Longer(BinaryScalarOp):
    """sqrt(x**2 + y**2), of floats."""

    __props__ = ()
    identity = 0

    def impl(self, x, y):
        return np.sqrt(x * x + y * y)

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"{z} = sqrt({x} * {x} + {y} * {y});"

    def c_headers(self):
        return ["<math.h>"]

    def c_code_cache_version(self):
        return (1,)


class Odd(BinaryScalarOp):
    """The parity of a count; it gives nothing for nothing, and is written in Python only."""

    __props__ = ()

    def impl(self, x, y):
        return x ^ y


@pytest.mark.parametrize("axis", [None, 0, (1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_a_users_op(axis, keepdims):
    x = T.dtensor3("x")
    f = opweld.function([x], CAReduce(Longer(upcast_out), axis, keepdims=keepdims)(x))
    for shape in ((2, 3, 4), (0, 3, 4), (2, 0, 1), (1, 1, 1)):
        array = np.random.default_rng(6).normal(size=shape)
        wanted = array if axis == () else np.sqrt(np.sum(array**2, axis, keepdims=keepdims))
        result = f(array)
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=1e-14)


def test_a_users_op_in_python_and_without_identity():
    n = tensor("uint8", 1, "n")
    f = opweld.function([n], CAReduce(Odd(upcast_out, name="odd"))(n))
    assert f(np.array([1, 2, 4, 1], "uint8")) == 6
    with pytest.raises(ValueError, match=r"zero-size array to reduction operation odd which has no identity"):
        f(np.zeros(0, "uint8"))


def test_what_a_users_op_must_be():
    with pytest.raises(TypeError, match=r"^CAReduce: expected a ScalarOp, got "):
        CAReduce(T.add)
    with pytest.raises(TypeError, match=r"^CAReduce: subtract does not reduce here; add, "):
        CAReduce(scalar.subtract)
    with pytest.raises(TypeError, match=r"expected a ScalarOp of two inputs and one output, got sqrt|does not reduce"):
        CAReduce(scalar.sqrt)
    with pytest.raises(TypeError, match=r"bitwise_and"):
        CAReduce(scalar.bitwise_and)(T.dvector())


def test_numpys_other_ops():
    x = tensor("int16", 2, "x")
    ops = ("bitwise_and", "bitwise_or", "bitwise_xor")
    f = opweld.function([x], [CAReduce(getattr(scalar, op), 0)(x) for op in ops])
    array = np.random.default_rng(7).integers(-300, 300, (5, 4)).astype("int16")
    for result, op in zip(f(array), ops):
        np.testing.assert_array_equal(result, getattr(np, op).reduce(array, 0))


# -- what is refused ---------------------------------------------------------------------------------------------


def refused_alike(name, axis, ndim=2):
    """NumPy refuses an axis, and so it is here: the same class, the same text."""
    with pytest.raises((TypeError, ValueError)) as by_numpy:
        getattr(np, name)(np.ones((2,) * ndim), axis=axis)
    with pytest.raises(type(by_numpy.value)) as info:
        getattr(T, name)(tensor("float64", ndim), axis=axis)
    assert type(info.value) is type(by_numpy.value) and str(info.value) == str(by_numpy.value)


@pytest.mark.parametrize("name", FOLDS + MEANS)
def test_refusals_are_numpys(name):
    for axis in (2, -3, (0, 5), (0, 0), (0, -2), 1.5, [0, 1], "a", (0, 0.5), True, (0, True), np.array([1])):
        refused_alike(name, axis)
    for axis in (1, (0,)):
        refused_alike(name, axis, 0)
    assert name in FOLDS or refused_alike(name, 0, 0) is None


@pytest.mark.parametrize("name", ["argmax", "argmin", "cumsum", "cumprod"])
def test_refusals_along_an_axis_are_numpys(name):
    for axis in (2, -3, 1.5, True, (0, 1), "a", np.array([1])):
        refused_alike(name, axis)
    refused_alike(name, 1, 0)


EMPTY = {
    "max": "zero-size array to reduction operation maximum which has no identity",
    "min": "zero-size array to reduction operation minimum which has no identity",
    "argmax": "attempt to get argmax of an empty sequence",
    "argmin": "attempt to get argmin of an empty sequence",
}


@pytest.mark.parametrize("name", EMPTY)
def test_the_largest_of_nothing(name):
    x = T.dmatrix("x")
    known = T.TensorType("float64", (0, 3))("x")
    for axis in (None, 0):
        f = opweld.function([x], getattr(T, name)(x, axis))
        empty = np.zeros((0, 3))
        err = refusals.caught(lambda f=f, empty=empty: f(empty), ValueError)
        assert str(err).startswith(EMPTY[name])
        refusals.refuses(lambda f=f, empty=empty: f(empty), ValueError, str(err).split("\n")[0], empty, f)
        with pytest.raises(ValueError, match=f"^{EMPTY[name]}$"):
            getattr(T, name)(known, axis)
    over_the_others = opweld.function([x], getattr(T, name)(x, 1))
    assert over_the_others(np.zeros((0, 3))).shape == (0,)
    assert getattr(T, name)(known, 1).type.shape == (0,)


# -- graphs ------------------------------------------------------------------------------------------------------


def test_equal_reductions_are_one():
    x = T.dmatrix("x")
    f = opweld.function([x], [T.sum(x), T.sum(x, (0, 1)), T.sum(x, (-1, 0)), x.sum(), T.argmax(x, -1), x.argmax(1)])
    kinds = [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    assert (kinds.count("CAReduce"), kinds.count("ArgExtreme")) == (1, 1)


def test_shapes_are_known():
    x = T.TensorType("float32", (2, None, 3))("x")
    for name in (*FOLDS, *MEANS):
        assert getattr(T, name)(x, 0).type.shape == (None, 3)
        assert getattr(T, name)(x, (0, 1), keepdims=True).type.shape == (1, 1, 3)
    assert T.argmax(x, 1).type.shape == (2, 3) and T.argmax(x, keepdims=True).type.shape == (1, 1, 1)
    assert T.cumsum(x, 1).type.shape == (2, None, 3) and T.cumsum(x).type.shape == (None,)
    assert T.cumsum(T.TensorType("int8", (2, 3))()).type.shape == (6,)
    f = opweld.function([x], [T.shape(T.sum(x, 0)), T.shape(T.max(x, 2, keepdims=True)), T.shape(T.cumsum(x, 0))])
    assert [r.tolist() for r in f(np.zeros((2, 5, 3), "f4"))] == [[5, 3], [2, 5, 1], [2, 5, 3]]
    assert not {"CAReduce", "Cumulative"} & {type(node.op).__name__ for node in f.maker.fgraph.toposort()}


def test_debugmode_agrees():
    x = T.fmatrix("x")
    names = (*FOLDS, *MEANS, "argmax", "argmin", "cumsum", "cumprod")
    f = opweld.function([x], [getattr(T, name)(x, axis=1) for name in names], mode=DebugMode())
    f(np.random.default_rng(8).normal(size=(4, 5)).astype("f4"))


def test_methods():
    x = T.dmatrix("x")
    names = ("sum", "prod", "mean", "var", "std", "max", "min", "any", "all", "argmax", "argmin", "cumsum", "cumprod")
    f = opweld.function([x], [getattr(x, name)(axis=1) for name in names])
    array = np.random.default_rng(9).normal(size=(3, 4))
    for result, name in zip(f(array), names, strict=True):
        np.testing.assert_allclose(result, getattr(array, name)(axis=1), rtol=1e-14, atol=1e-14)


SETTLED = {
    "bool": (lambda np, x, y: np.any(x), True),
    "compared": (lambda np, x, y: np.all(x < y, axis=0), True),
    "by row": (lambda np, x, y: np.all(x < y, axis=1), True),
    "most": (lambda np, x, y: np.max(x > y, axis=1), True),
    "least": (lambda np, x, y: np.min(x < y), True),
    "both": (lambda np, x, y: np.logical_and(np.any(x > y), np.all(np.isfinite(x * 0 + y))), False),
    "quotient": (lambda np, x, y: np.any(x / y > 2), False),
    "of NaN": (lambda np, x, y: np.any(np.isnan(abs(x)), axis=1), True),
}


@pytest.mark.parametrize("name", SETTLED)
def test_any_and_all_stop_where_nothing_changes(name):
    """Wherever the element lies that decides, in every layout; not where the elements behind it may be warned of."""
    work, stops = SETTLED[name]
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f = opweld.function([x, y], work(T, x, y), on_unused_input="ignore")
    assert ("_settled(" in opweld.source(f)) == stops
    for shape in ((3, 5000), (5000, 3), (130, 131), (1, 1), (70, 1)):
        for at in (None, 0, -1, shape[0] * shape[1] // 2):
            a, b = np.full(shape, 0.5), np.ones(shape)
            if at is not None:
                a.flat[at] = np.nan if name == "of NaN" else 3
            for turn in (lambda v: v, np.asfortranarray, lambda v: np.repeat(v, 2, 1)[:, ::2], lambda v: v[::-1, ::-1]):
                given = turn(a), turn(b)
                np.testing.assert_array_equal(f(*given), work(np, *given))
    with pytest.warns(RuntimeWarning, match="divide by zero") if name == "quotient" else contextlib.nullcontext():
        ones, zeros = np.full((9, 900), 5.0), np.ones((9, 900))
        zeros[-1, -1] = 0
        f(ones, zeros)
