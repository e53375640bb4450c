"""Sorted arrays and the order that sorts them, against NumPy."""

import functools
import warnings

import kit
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import DTYPES, LAYOUTS, tensor
from numpy.exceptions import AxisError

import opweld
from opweld import tensor as T

KINDS = (None, "quicksort", "heapsort", "mergesort", "stable")


def samples(dtype, shape):
    """Values with repeats, and with NaN, infinities and both zeros where there are such."""
    found = np.random.default_rng(5).integers(0, 7, shape).astype(dtype)
    if found.dtype.kind in "fc" and found.size > 6:
        found.flat[:: max(found.size // 5, 1)] = np.nan
        found.flat[1], found.flat[3], found.flat[4] = np.inf, -np.inf, -0.0
        if found.dtype.kind == "c":
            found.flat[2] = complex(1, np.nan)
            found.flat[5] = complex(np.nan, 1)
    return found


@functools.cache
def sorter(dtype, ndim):
    """Everything along every axis, in every way, as one function; and the same by NumPy."""
    x = tensor(dtype, ndim, "x")
    ways = [(axis, kind) for axis in (None, *range(-ndim, ndim)) for kind in KINDS]
    f = opweld.function([x], [g(x, axis, kind) for g in (T.sort, T.argsort) for axis, kind in ways])
    assert not f.maker.program.performs
    return f, lambda a: [g(a.astype(dtype), axis, kind) for g in (np.sort, np.argsort) for axis, kind in ways]


def same(results, expected):
    for result, wanted in zip(results, expected, strict=True):
        assert result.dtype == wanted.dtype
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_axis_and_kind(dtype):
    f, by_numpy = sorter(dtype, 2)
    for shape in ((5, 7), (0, 3), (3, 0), (1, 1)):
        array = samples(dtype, shape)
        same(f(array), by_numpy(array))
        same(f(array), by_numpy(array))  # into what the first call left


@pytest.mark.parametrize("dtype", ["bool", "int16", "float64", "complex64"])
@pytest.mark.parametrize("ndim", [1, 4])
@given(st.data())
def test_values_and_layouts(dtype, ndim, data):
    f, by_numpy = sorter(dtype, ndim)
    array = data.draw(kit.arrays(dtype, ndim))
    same(f(array), by_numpy(array))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_input_is_left_as_it_was(layout):
    f, by_numpy = sorter("float32", 2)
    array = LAYOUTS[layout](samples("float32", (4, 6)))
    kept = array.copy()
    same(f(array), by_numpy(array))
    np.testing.assert_array_equal(array, kept)


def test_no_dimensions():
    x = T.dscalar("x")
    f = opweld.function([x], [T.sort(x, None), T.argsort(x), T.argsort(x, 0), T.argsort(x, None)])
    same(f(3.0), [np.array([3.0]), *[np.array([0])] * 3])
    for axis in (-1, 0):
        with pytest.raises(AxisError, match=rf"^axis {axis} is out of bounds for array of dimension 0$"):
            T.sort(x, axis)
    with pytest.raises(AxisError, match=r"^axis 1 is out of bounds for array of dimension 1$"):
        T.argsort(x, 1)


def test_a_longer_one_and_out():
    x = T.dvector("x")
    f = opweld.function([x], [T.sort(x), T.argsort(x, stable=True)])
    array = np.random.default_rng(1).integers(0, 99, 5000).astype(float)
    out = [np.empty(5000), np.empty(5000, np.int64)]
    result = f(array, out=out)
    assert result[0] is out[0] and result[1] is out[1]
    same(result, [np.sort(array), np.argsort(array, stable=True)])
    wanted = np.sort(array)
    g = opweld.function([x], T.sort(x))
    assert g(array, out=array) is array
    np.testing.assert_array_equal(array, wanted)


def test_shapes_are_known():
    x = T.TensorType("int8", (2, None, 3))("x")
    assert T.sort(x, 1).type == x.type
    assert T.sort(x, None).type.shape == (None,)
    assert T.argsort(x).type == T.TensorType("int64", (2, None, 3))
    assert T.argsort(T.TensorType("int8", (2, 3))(), None).type.shape == (6,)
    f = opweld.function([x], [T.shape_i(T.sort(x), 1), T.shape_i(T.argsort(x), 1), T.shape(T.sort(x, None))])
    assert [int(r) if r.ndim == 0 else r.tolist() for r in f(np.zeros((2, 4, 3), "int8"))] == [4, 4, [24]]
    assert sum(isinstance(node.op, (T.sort(x).owner.op.__class__,)) for node in f.maker.fgraph.toposort()) == 1


def test_equal_sorts_are_one():
    x = T.dmatrix("x")
    f = opweld.function([x], [T.sort(x), T.sort(x, 1), T.sort(x, -1, "quick"), T.sort(x, kind=None)])
    assert sum(type(node.op).__name__ == "Sort" for node in f.maker.fgraph.toposort()) == 1


WRONG = [
    (lambda sort, x: sort(x, 2), AxisError, "axis 2 is out of bounds for array of dimension 2"),
    (lambda sort, x: sort(x, -3), AxisError, "axis -3 is out of bounds for array of dimension 2"),
    (lambda sort, x: sort(x, kind="foo"), ValueError,
     "sort kind must be one of 'quick', 'heap', or 'stable' (got 'foo')"),
    (lambda sort, x: sort(x, kind=3), TypeError, "sort kind must be str, not int"),
    (lambda sort, x: sort(x, kind="stable", stable=True), ValueError,
     "`kind` and keyword parameters can't be provided at the same time. Use only one of them."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), WRONG)
@pytest.mark.parametrize("which", ["sort", "argsort"])
def test_refusals_are_numpys(which, call, kind, message):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sort, x in ((getattr(T, which), T.dmatrix("x")), (getattr(np, which), np.ones((2, 2)))):
            with pytest.raises(kind) as info:
                call(sort, x)
            said = str(info.value).replace("`stable` parameters", "keyword parameters")  # so NumPy 2.2
            assert type(info.value) is kind and said == message


def test_an_axis_that_is_no_integer():
    for axis in (1.5, "a", [0], (0,)):
        with pytest.raises(TypeError, match=r"object cannot be interpreted as an integer"):
            T.sort(T.dmatrix(), axis)
    with pytest.raises(TypeError, match=r"an integer is required for the axis"):
        T.argsort(T.dmatrix(), True)
