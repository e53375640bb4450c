"""Products with powers of two: NumPy's numbers and warnings, of any exponents, wherever in an array."""

from functools import partial

import numpy as np
import pytest
from kit import heard
from test_vector import DTYPES, LEVELS, assert_wherever, numbers

import opweld
import opweld.tensor as T

EXPONENTS = ("int32", "int64")

pytestmark = pytest.mark.usefixtures("optimized")


def made(level, dtype, exponents):
    x, n = T.vector("x", dtype=dtype), T.vector("n", dtype=exponents)
    return opweld.function([x, n], T.ldexp(x, n), options={"march": level})


def pairs(dtype, exponents):
    """Numbers and exponents of all sizes, those whose product is hardly normal or hardly finite among them."""
    info, whole, rng = np.finfo(dtype), np.iinfo(exponents), np.random.default_rng(12)
    special = np.array([0, 1, 1.5, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max], dtype)
    x = np.concatenate([special, -special, numbers(np.dtype(dtype).type)])
    own = np.frexp(np.where(np.isfinite(x), x, 1))[1].astype(exponents)
    least = info.minexp - info.nmant + rng.integers(-3, info.nmant + 4, x.size)
    rounds = [least - own, info.maxexp + rng.integers(-2, 3, x.size) - own]
    far = [rng.integers(-9, 10, x.size), rng.integers(whole.min, whole.max, x.size)]
    ends = np.resize([whole.min, whole.min + 1, whole.max - 1, whole.max, 3 * info.minexp, 3 * info.maxexp, 0], x.size)
    all_ = [n.astype(exponents) for n in (*rounds, *far, ends)]
    return np.tile(x, len(all_)), np.concatenate(all_)


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
@pytest.mark.parametrize("exponents", EXPONENTS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_products_with_powers_of_two_are_numpys(dtype, level, exponents):
    x, n = pairs(dtype, exponents)
    with np.errstate(all="ignore"):
        wanted = np.ldexp(x, n)
    assert_wherever(made(level, dtype, exponents), x, n, wanted)


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
@pytest.mark.parametrize("dtype", DTYPES)
def test_in_a_loop_with_others_and_of_one_exponent(dtype):
    x, n, one = T.vector("x", dtype=dtype), T.vector("n", dtype="int32"), T.scalar("one", dtype="int32")
    f = opweld.function([x, n, one], [T.ldexp(x + 1, n) * 3, T.ldexp(x, one), T.ldexp(x, one).sum()])
    a, e = pairs(dtype, "int32")
    a, e = a[:999], e[:999]
    with np.errstate(all="ignore"):
        wanted = np.ldexp(a + 1, e) * 3, np.ldexp(a, np.int32(-5))
    found = f(a, e, np.int32(-5))
    for got, want in zip(found, wanted, strict=False):
        np.testing.assert_array_equal(got, want)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("exponents", EXPONENTS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_only_what_numpy_warns_of_is_said(dtype, exponents):
    f, info = made("native", dtype, exponents), np.finfo(dtype)
    tiny, least = info.tiny, info.smallest_subnormal
    for a, e in [
        (1, 3), (1, 9999), (1, -9999), (info.max, 1), (tiny, -1), (tiny * 1.5, -info.nmant), (0, 9999), (np.inf, -9999),
        (np.nan, 5), (least, 9), (least, -1),
    ]:  # fmt: skip
        x, n = np.full(100, 7, dtype), np.full(100, 2, exponents)
        x[50], n[50] = a, e
        said, wanted = (sorted(heard(partial(of, x, n))) for of in (f, np.ldexp))
        assert said == wanted, (a, e)
