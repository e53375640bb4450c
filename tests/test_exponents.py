"""frexp, ldexp and modf are exact, for every kind of number, at each level of processors."""

import math

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import toolchain

LEVELS = toolchain.LEVELS[: toolchain.LEVELS.index(toolchain.march("native")) + 1]
DTYPES = ("float16", "float32", "float64", "longdouble")

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]


def numbers(dtype):
    """Of all sizes and signs, with those that have no exponent, and those that are not normal."""
    rng, info = np.random.default_rng(0), np.finfo(dtype)
    exponents = rng.integers(info.minexp - info.nmant, info.maxexp - 1, 300)
    made = [np.ldexp(rng.uniform(1, 2, 300).astype(dtype), exponents), rng.normal(size=200) * 9, np.arange(-9, 9) / 2]
    edges = [0, 1, 0.5, 1 - info.epsneg, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan, 1 / info.eps]
    found = np.concatenate([np.asarray(v, dtype) for v in (*made, edges)])
    return np.concatenate([found, -found, np.nextafter(found, np.zeros((), dtype))])


def same(found, wanted):
    """Zeros with their signs; NaN is NaN."""
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("march", LEVELS)
def test_in_two_parts_and_back(dtype, march):
    x, n = T.vector("x", dtype=dtype), T.ivector("n")
    f = opweld.function([x], [*T.frexp(x), *T.modf(x)], options={"march": march})
    back = opweld.function([x, n], T.ldexp(x, n), options={"march": march})
    given = numbers(dtype)
    mantissa, exponent, fraction, whole = f(given)
    same(mantissa, np.frexp(given)[0])
    finite = np.isfinite(given)
    np.testing.assert_array_equal(exponent[finite], np.frexp(given)[1][finite])
    assert not exponent[~finite].any() and exponent.dtype == np.int32
    same(back(mantissa, exponent), given)
    for found, wanted in zip((fraction, whole), np.modf(given)):
        same(found, wanted)
    if dtype == "float64":
        assert [math.frexp(v) for v in given[finite]] == list(zip(mantissa[finite], exponent[finite]))


@pytest.mark.parametrize("dtype", DTYPES[:-1])
@pytest.mark.parametrize("march", LEVELS)
def test_of_nothing_else_as_beside_others(dtype, march):
    """Frexp alone calls a function of many numbers: the same bits in any part, strided, and over what it reads."""
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], T.frexp(x), options={"march": march})
    others = opweld.function([x], [*T.frexp(x), x + 1], options={"march": march})
    turned = opweld.function([x], T.frexp(x)[::-1], options={"march": march})
    given = numbers(dtype)
    mantissa, exponent = f(given)
    finite = np.isfinite(given)
    same(mantissa, np.frexp(given)[0])
    np.testing.assert_array_equal(exponent[finite], np.frexp(given)[1][finite])
    for more in (others(given), turned(given)[::-1]):
        assert (more[0].tobytes(), more[1].tobytes()) == (mantissa.tobytes(), exponent.tobytes())
    for part in (*(slice(3, 3 + n) for n in range(71)), slice(None, None, -2), slice(5, None, 3)):
        found = f(given[part])
        assert (found[0].tobytes(), found[1].tobytes()) == (mantissa[part].tobytes(), exponent[part].tobytes())
    powers = np.full(given.size + 2, 77, "int32")
    assert f(given, out=(given, powers[1:-1]))[0] is given
    assert given.tobytes() == mantissa.tobytes()
    assert powers[1:-1].tobytes() == exponent.tobytes() and powers[0] == powers[-1] == 77


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("march", LEVELS)
def test_a_number_times_a_power_is_rounded_once(dtype, kind, march):
    """By what rounds nothing: numbers of more places, of which one conversion rounds."""
    x, n = T.vector("x", dtype=dtype), T.TensorType(kind, (None,))("n")
    f = opweld.function([x, n], T.ldexp(x, n), options={"march": march})
    given = numbers(dtype)
    span = 2 * np.finfo(dtype).maxexp + 60
    rng = np.random.default_rng(1)
    info = np.iinfo(kind)
    powers = [np.full(given.size, p, kind) for p in (0, 1, -1, span, -span, info.max // 2, info.max, info.min)]
    every = np.array_split(np.arange(-2200, 2201), range(given.size, 4401, given.size))
    powers += [np.resize(of, given.size) for of in every]
    for power in [*powers, *(rng.integers(-span, span, given.size) for _ in range(20))]:
        wanted = np.ldexp(given.astype("longdouble"), np.clip(power, -20000, 20000).astype("int32")).astype(dtype)
        found = f(given, power := power.astype(kind))
        same(found, wanted)
        for few in (slice(7, 7 + length) for length in (1, 3, 17, 70)):
            assert f(given[few], power[few]).tobytes() == found[few].tobytes()


@pytest.mark.parametrize("kind", ["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_said_of_powers(dtype, kind):
    x, n = T.vector("x", dtype=dtype), T.TensorType(kind, (None,))("n")
    f = opweld.function([x, n], T.ldexp(x, n))
    ones = np.ones(9, dtype)
    with np.errstate(all="raise"):
        for quiet, power in ((ones, 5), (ones * np.nan, 5), (ones * 0, 5000)):
            f(quiet, np.full(9, power, kind))
        for power, said in ((5000, "overflow"), (-5000, "underflow")):
            with pytest.raises(FloatingPointError, match=f"{said} encountered in ldexp"):
                f(ones, np.full(9, power, kind))
