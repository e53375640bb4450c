"""The larger and the smaller: of two arrays, of arrays and numbers, and of all that a fold goes over."""

import numpy as np
import pytest
from kit import heard
from test_vector import LEVELS

import opweld
import opweld.tensor as T

KINDS = ("float64", "float32", "float16", "longdouble")
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 5e-324, 1e30)
BOTH = ("maximum", "minimum", "fmax", "fmin")
pytestmark = [pytest.mark.usefixtures("optimized"), pytest.mark.parametrize("level", LEVELS)]


def special(dtype, shape, seed=0, share=0.05):
    """Numbers, and here and there what is none, or a zero of either sign."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=shape)
    with np.errstate(over="ignore", under="ignore"):
        return np.where(rng.random(shape) < share, rng.choice(SPECIAL, shape), numbers).astype(dtype)


def alike(have, want):
    """The same numbers; NaN is NaN, a zero is a zero."""
    assert np.asarray(have).dtype == want.dtype
    np.testing.assert_array_equal(have, want)


def laid_out(array):
    yield array
    yield np.asfortranarray(array)
    yield np.repeat(np.repeat(array, 2, 0), 2, 1)[::2, ::2]
    yield array[::-1, ::-1].copy()[::-1, ::-1]


SHAPES = [*((1, n) for n in range(1, 70)), *((n, 3) for n in range(1, 40)), (9, 300), (300, 9), (7, 5000), (5, 1040)]


def folds(module, x):
    return [getattr(module, name)(v, axis=a) for name in ("max", "min") for v in (x, abs(x) - 1) for a in (None, 0, 1)]


@pytest.mark.parametrize("dtype", KINDS)
def test_folds(dtype, level):
    x = T.matrix("x", dtype=dtype)
    f = opweld.function([x], folds(T, x), options={"march": level})
    for shape in SHAPES:
        for share in (0, 1 / shape[0] / shape[1], 0.02):  # none, about one, some
            values = special(dtype, shape, seed=shape[0] + shape[1], share=share)
            for array in laid_out(values):
                for have, want in zip(f(array), folds(np, array)):
                    alike(have, want)


@pytest.mark.parametrize("dtype", KINDS[:2])
def test_nan_is_found_wherever_it_is(dtype, level):
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], [T.max(x), T.min(x)], options={"march": level})
    for n in (*range(1, 68), 260, 2100):
        values = special(dtype, n, share=0)
        for at in range(n) if n < 300 else range(0, n, 37):
            with_nan = values.copy()
            with_nan[at] = np.nan
            assert all(np.isnan(found) for found in f(with_nan)), (n, at)


@pytest.mark.parametrize("dtype", KINDS)
def test_an_element_does_not_depend_on_its_place(dtype, level):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    f = opweld.function([x, y], [getattr(T, name)(x, y) for name in BOTH], options={"march": level})
    with np.errstate(over="ignore", under="ignore"):
        a, b = (each.ravel().astype(dtype) for each in np.meshgrid(SPECIAL, SPECIAL))
    many = f(a, b)
    for name, found in zip(BOTH, many):
        alike(found, getattr(np, name)(a, b))
    for i in range(len(a)):
        for name, all_, one in zip(BOTH, many, f(a[i : i + 1], b[i : i + 1])):
            assert np.signbit(all_[i]) == np.signbit(one[0]), (name, a[i], b[i])
            alike(all_[i : i + 1], one)


@pytest.mark.parametrize("dtype", KINDS[:3])
def test_where_both_are_equal_it_is_the_first(dtype, level):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    f = opweld.function([x, y], [getattr(T, name)(x, y) for name in BOTH], options={"march": level})
    for n in (1, 5, 40):
        zeros = np.zeros(n, dtype)
        for found in f(zeros, -zeros):
            assert not np.signbit(found).any()
        for found in f(-zeros, zeros):
            assert np.signbit(found).all()


@pytest.mark.parametrize("dtype", KINDS[:2])
def test_nan_is_no_reason_to_warn(dtype, level):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    outputs = [T.maximum(x, y), T.minimum(x, 0), T.max(x), T.min(y), T.clip(x, -1, 1)]
    f = opweld.function([x, y], outputs, options={"march": level})
    with np.errstate(all="raise"):
        assert not heard(lambda: f(special(dtype, 300), special(dtype, 300, 1)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_limits_that_are_numbers(dtype, level):
    """One node of an array and two numbers: its loop knows that they are."""
    x, low, high = T.matrix("x", dtype=dtype), T.scalar("low", dtype=dtype), T.scalar("high", dtype=dtype)
    f = opweld.function([x, low, high], T.clip(x, low, high), options={"march": level})
    assert "opw_s[1] == 0 && opw_s[2] == 0" in opweld.source(f)
    for array in laid_out((np.random.default_rng(0).normal(size=(7, 33)) * 3).astype(dtype)):
        wanted = np.clip(array, np.dtype(dtype).type(-1), np.dtype(dtype).type(2))
        alike(f(array, -1, 2), wanted)
        out = np.empty_like(array)
        assert f(array, -1, 2, out=out) is out
        alike(out, wanted)
        over = array.copy()
        alike(f(over, -1, 2, out=over), wanted)
