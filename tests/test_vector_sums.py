"""logaddexp and logaddexp2: vector functions, near the truth, with NumPy's special values, quiet of infinities."""

import warnings

import mpmath
import numpy as np
import pytest
from test_vector import DTYPES, LEVELS

import opweld
import opweld.tensor as T

BASES = {"logaddexp": mpmath.e, "logaddexp2": mpmath.mpf(2)}
SPECIAL = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 30.5, 745.0, -750.0, 1e30)

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    pytest.mark.parametrize("dtype", DTYPES),
    pytest.mark.parametrize("level", LEVELS),
    pytest.mark.parametrize("name", BASES),
]


def made(name, level, dtype):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    return opweld.function([x, y], getattr(T, name)(x, y), options={"march": level})


def test_it_is_near_the_truth(name, level, dtype):
    """Within 4 units in the last place of the result or of the greater argument, of which something may be taken."""
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=500) * 20).astype(dtype), (rng.normal(size=500) * 20).astype(dtype)
    y[:100] = x[:100] + rng.normal(size=100).astype(dtype)
    found = made(name, level, dtype)(x, y)
    for a, b, have in zip(x, y, found):
        with mpmath.workprec(300):
            wanted = mpmath.log(BASES[name] ** float(a) + BASES[name] ** float(b), BASES[name])
            off = abs(float(mpmath.mpf(float(have)) - wanted))
        assert off < 4 * np.spacing(max(abs(np.dtype(dtype).type(wanted)), abs(max(a, b)))), (a, b, have)


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
def test_special_numbers_are_numpys(name, level, dtype):
    x, y = (v.ravel().astype(dtype) for v in np.meshgrid(SPECIAL, SPECIAL))
    with np.errstate(all="ignore"):
        wanted = getattr(np, name)(x, y)
    np.testing.assert_allclose(made(name, level, dtype)(x, y), wanted, rtol=1e-6)


def test_it_depends_on_its_arguments_alone(name, level, dtype):
    f = made(name, level, dtype)
    x, y = np.random.default_rng(1).normal(size=(2, 71)).astype(dtype)
    whole = f(x, y)
    for n in range(1, 71):
        assert f(x[:n], y[:n]).tobytes() == whole[:n].tobytes()
        assert f(x[n:], y[n:]).tobytes() == whole[n:].tobytes()


def test_nothing_is_said_of_infinities(name, level, dtype):
    """Of logarithms of nothing, which such sums begin with, and of what overflows."""
    f = made(name, level, dtype)
    for a, b in ((-np.inf, 1), (1, -np.inf), (-np.inf, -np.inf), (np.inf, 1), (np.inf, np.inf), (np.inf, -np.inf)):
        given = (np.full(40, a, dtype), np.full(40, b, dtype))
        with warnings.catch_warnings(), np.errstate(all="warn"):
            warnings.simplefilter("error")
            assert f(*given).tolist() == [max(a, b)] * 40


@pytest.mark.parametrize("kind", ["int8", "int64", "float16"])
def test_debugmode_compares_what_other_dtypes_give(name, level, dtype, kind):
    """Near 0 too, where what is taken from the larger argument counts."""
    x, y = T.vector("x", dtype=kind), T.vector("y", dtype=dtype)
    sums = [getattr(T, name)(x, x), getattr(T, name)(x, y)]
    f = opweld.function([x, y], sums, mode="DebugMode", options={"march": level})
    given = np.array([-1, -1, 0, 3], kind), np.array([-1, -0.63, -40, 3], dtype)
    for found, other in zip(f(*given), (given[0], given[1])):
        np.testing.assert_allclose(found, getattr(np, name)(given[0], other), rtol=1e-2, atol=1e-6)
