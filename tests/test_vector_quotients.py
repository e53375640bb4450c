"""What is left of a division, and its whole quotient: NumPy's numbers and warnings, wherever in an array."""

from functools import partial

import numpy as np
import pytest
from kit import heard
from test_vector import DTYPES, LEVELS, numbers

import opweld
import opweld.tensor as T

NAMES = ("fmod", "remainder", "floor_divide")

pytestmark = pytest.mark.usefixtures("optimized")


def made(level, dtype):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    f = opweld.function([x, y], [getattr(T, name)(x, y) for name in NAMES], options={"march": level})
    return lambda x, y: dict(zip(NAMES, f(x, y)))


def pairs(dtype):
    """Numbers of all sizes, whole ones, multiples and what lies beside them (quotients round up), special ones."""
    kind, info = np.dtype(dtype).type, np.finfo(dtype)
    rng = np.random.default_rng(11)
    x = numbers(kind)
    y = rng.permutation(x)
    whole = rng.integers(-200, 200, (2, 2000)).astype(dtype)
    divisor = rng.uniform(0.1, 9, 2000).astype(dtype)
    with np.errstate(over="ignore"):
        multiple = (rng.integers(0, 2**20, 2000) * divisor).astype(dtype)
    beside = np.nextafter(multiple, rng.choice([-np.inf, np.inf], 2000).astype(dtype))
    small = np.array([0, 1, 2, 0.5, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, 3], dtype)
    a, b = (g.ravel() for g in np.meshgrid(np.concatenate([small, -small]), np.concatenate([small, -small])))
    left = np.concatenate([x, whole[0], multiple, beside, -beside, a])
    return left, np.concatenate([y, whole[1], divisor, divisor, divisor, b])


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_left_is_numpys(dtype, level):
    x, y = pairs(dtype)
    f = made(level, dtype)
    found = f(x, y)
    for name in NAMES:
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(x, y)
        np.testing.assert_array_equal(found[name], wanted, err_msg=name)
        plain = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[name])[plain], np.signbit(wanted)[plain], err_msg=name)
    for n in (1, 3, 17, 70, 600):
        for name, part in f(x[5 : 5 + n], y[5 : 5 + n]).items():
            assert part.tobytes() == found[name][5 : 5 + n].tobytes()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NAMES)
def test_only_what_numpy_warns_of_is_said(name, dtype):
    """Of a divisor that is 0, of infinities and quotients out of bounds: each among others that are divided."""
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    f, info = opweld.function([x, y], getattr(T, name)(x, y)), np.finfo(dtype)
    for a, b in [(7, 0), (-7, 0), (np.inf, 2), (7, np.inf), (-7, np.inf), (np.nan, 0), (3, np.nan), (7, info.tiny),
                 (info.tiny, 7), (info.smallest_subnormal, info.max)]:  # fmt: skip
        left, right = np.full(100, 7, dtype), np.full(100, 2, dtype)
        left[50], right[50] = a, b
        said, wanted = (sorted(heard(partial(of, left, right))) for of in (f, getattr(np, name)))
        assert said == wanted, (a, b)
