"""Division by one number beside functions: a stage of its own, by products, with a division's bits and warnings."""

from functools import partial

import numpy as np
import pytest
from kit import heard
from test_vector import DTYPES, LEVELS

import opweld
import opweld.tensor as T

pytestmark = [pytest.mark.usefixtures("optimized"), pytest.mark.parametrize("level", LEVELS)]


def made(level, dtype, out):
    x, s = T.vector("x", dtype=dtype), T.scalar("s", dtype=dtype)
    return opweld.function([x, s], out(x, s), options={"march": level})


def kinds(call):
    return {one.split(" in ")[0] for one in heard(call)}


def powers(dtype):
    info = np.finfo(dtype)
    return np.ldexp(np.ones(1, dtype), np.arange(info.minexp - info.nmant, info.maxexp)).astype(dtype)


def divisors(dtype):
    rng = np.random.default_rng(2)
    middle = -np.finfo(dtype).minexp // 4
    near = np.ldexp(rng.uniform(1, 2, 8).astype(dtype), np.repeat([-middle - 1, -middle, middle - 1, middle], 2))
    special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 3, -7, 1 / 3], dtype)
    return np.concatenate([special, near, -near, rng.choice(powers(dtype), 30), rng.normal(size=30).astype(dtype)])


def dividends(dtype, n, rng):
    """Usual ones, ones of all sizes, and some of which a few are special."""
    usual = rng.normal(size=n).astype(dtype)
    yield usual
    yield rng.choice(powers(dtype), n) * rng.uniform(-1, 1, n).astype(dtype)
    for value in (0.0, -0.0, np.inf, np.nan, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max):
        some = usual.copy()
        some[rng.integers(n)] = value
        yield some


@pytest.mark.parametrize("dtype", DTYPES)
def test_it_has_numpys_bits(level, dtype):
    """IEEE 754 fixes them. An output may be where the input was."""
    f = made(level, dtype, lambda x, s: [x / s, T.exp(x / s)])
    rng = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        for s in divisors(dtype):
            for n in (1, 7, 8, 71, 300):
                for x in dividends(dtype, n, rng):
                    wanted = x / s
                    np.testing.assert_array_equal(f(x, s)[0], wanted)
                    np.testing.assert_array_equal(np.signbit(f(x, s)[0]), np.signbit(wanted), strict=True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_waits_is_divided_where_it_lies(level, dtype):
    f = made(level, dtype, lambda x, s: T.exp((T.log(x) + x) / s))
    x = np.random.default_rng(3).uniform(0.5, 2, 1000).astype(dtype)
    divisors = np.array([1.7, -3, 0.1], dtype)
    for s in divisors:
        np.testing.assert_allclose(f(x, s), np.exp((np.log(x) + x) / s), rtol=2e-5 if dtype == "float32" else 1e-13)
    out = x.copy()
    assert f(out, divisors[0], out=out) is out
    assert out.tobytes() == f(x, divisors[0]).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_it_warns_as_a_division(level, dtype):
    f = made(level, dtype, lambda x, s: T.tanh(x / s))
    usual, tiny = np.linspace(-1, 1, 100).astype(dtype), np.finfo(dtype).tiny
    several = [(usual, by) for by in (0, 1.5, tiny / 4, np.inf, np.nan)]
    for x, by in [*several, (usual * 0, 0), (usual * tiny, 1e5)]:
        s = np.asarray(by, dtype)
        assert kinds(partial(f, x, s)) == kinds(partial(lambda x, s: np.tanh(x / s), x, s)), (x[:2], s)
