"""Powers: of float32 within a unit of the last place, exact where they can be, with NumPy's warnings; of float64."""

import numpy as np
import pytest
from kit import heard

import opweld
import opweld.tensor as T
from opweld.compile import remarks, toolchain

LEVELS = [
    level
    for level in ("baseline", "x86-64-v3", "x86-64-v4")
    if toolchain.LEVELS.index(level) <= toolchain.LEVELS.index(toolchain.march("native"))
]
SINGLE = np.finfo("float32")

pytestmark = pytest.mark.usefixtures("optimized")


@pytest.fixture(scope="module")
def powers():
    """Powers of float32: a function for each level."""
    x, y = T.fvector("x"), T.fvector("y")
    return {level: opweld.function([x, y], T.power(x, y), options={"march": level}) for level in LEVELS}


def near(rng, far, n=20_000):
    """Numbers so far from 1, and exponents with which normal numbers come of them, the largest among them."""
    x = (1 + rng.uniform(-far, far, n)).astype("float32")
    x[x == 1] = 1 + SINGLE.eps
    return x, (rng.uniform(-125.9, 125.9, n) / np.log2(x.astype("longdouble"))).astype("float32")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("edge", ["0x1.eaaaap-1", "0x1.0aaaap0", "0x1.6aaaap-1"])
def test_float64_at_the_edge_of_a_part(edge, level):
    """There the polynomial counts most, and where results are large or small all that the logarithm lacks does."""
    rng = np.random.default_rng(0)
    a = float.fromhex(edge) + rng.uniform(-1, 1, 300_000) * 2.0**-12
    b = rng.uniform(512, 708, a.size) * rng.choice([-1, 1], a.size) / np.log(a)
    wanted = a.astype("longdouble") ** b.astype("longdouble")
    unit = np.ldexp(np.longdouble(1), np.frexp(wanted)[1] - 1 - np.finfo("float64").nmant)
    x, y = T.dvector("x"), T.dvector("y")
    far = np.abs(opweld.function([x, y], x**y, options={"march": level})(a, b) - wanted) / unit
    assert far.max() < 1.6 and (far > 1).mean() < 0.003


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("far", [0.9, 0.3, 0.03, 0.01, 1e-3, 1e-5])
def test_within_a_unit_of_the_last_place(powers, far, level):
    """Whatever the logarithm lacks counts up to 127 times."""
    x, y = near(np.random.default_rng(0), far)
    wanted = x.astype("longdouble") ** y.astype("longdouble")
    unit = np.ldexp(np.longdouble(1), np.frexp(wanted)[1] - 1 - SINGLE.nmant)
    assert (np.abs(powers[level](x, y) - wanted) / unit).max() < 0.9


@pytest.mark.parametrize("level", LEVELS)
def test_powers_that_float32_holds_are_exact(powers, level):
    f, whole = powers[level], np.arange(1, 4097)
    for exponent in range(10):
        wanted = whole**exponent
        held = (wanted > 0) & (wanted <= 2**24) & (whole.astype(float) ** exponent <= 2**24)
        x, y = whole[held].astype("float32"), np.full(held.sum(), exponent, "float32")
        np.testing.assert_array_equal(f(x, y), wanted[held])
        np.testing.assert_array_equal(f(-x, y), wanted[held] * (-1) ** exponent)
        if exponent == 2:
            np.testing.assert_array_equal(f(wanted[held].astype("float32"), y / 4), x)
    exponents = np.arange(-149, 128, dtype="float32")
    for base, times in ((2, 1), (4, 0.5), (0.25, -0.5)):
        found = f(np.full_like(exponents, base), exponents * np.float32(times))
        np.testing.assert_array_equal(found, np.ldexp(1.0, exponents.astype(int)))
    for y in (np.inf, -np.inf, np.nan, 3e38, 0.1, 0.0):
        assert f([1.0], np.array([y], "float32")) == 1


def pairs():
    """All pairs of edges, of both signs, and powers that are hardly normal numbers, or too large."""
    edges = [0, 1, 2, 3, 0.5, 1 / 3, 1.5, 4, 100, 126, 127, 128, 149, 150, 1e-8, 1e-38, SINGLE.tiny, SINGLE.tiny * 0.75]
    edges += [SINGLE.smallest_subnormal, SINGLE.max, np.inf, 2**21 - 1, 2**21, 2**22 + 1, 2**23 + 1, 2**24, 2**24 + 2]
    edges = np.array([*edges, 1e30, 1 - SINGLE.epsneg, 1 + SINGLE.eps], "float32")
    x, y = np.meshgrid([*edges, *-edges, np.nan], [*edges, *-edges, np.nan])
    rng = np.random.default_rng(1)
    bases = np.exp2(rng.uniform(-20, 20, 300)).astype("float32")
    powers = rng.choice([-126, -127, -149, -150, 128], 300) + rng.uniform(-0.05, 0.05, 300)
    whole = np.arange(-152, -120)
    x = np.concatenate([x.ravel(), bases, whole * 0 + 2, whole * 0 + 4, whole * 0 - 2])
    y = np.concatenate([y.ravel(), powers / np.log2(bases), whole, whole / 2, whole])
    return x.astype("float32"), y.astype("float32")


@pytest.mark.parametrize("level", LEVELS)
def test_edges_and_what_is_said_of_them_are_numpys(powers, level):
    x, y = pairs()
    with np.errstate(all="ignore"):
        wanted = (x.astype("longdouble") ** y.astype("longdouble")).astype("float32")
        found = powers[level](x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[known], np.signbit(wanted)[known])
    apart = np.abs(found.view("int32").astype("int64") - wanted.view("int32"))[known]
    assert apart.max() <= 1
    for at in range(x.size):
        one = x[at : at + 1], y[at : at + 1]
        assert heard(lambda one=one: powers[level](*one)) == heard(lambda one=one: np.power(*one)), one


@pytest.mark.parametrize("level", LEVELS[1:])
def test_nothing_is_marked_where_nothing_is_said(powers, level):
    """A mark has NumPy compute the graph once more: of small exponents, of 1, of NaN there is none."""
    rng = np.random.default_rng(2)
    x, y = near(rng, 0.9)
    told = []
    with pytest.MonkeyPatch.context() as patch, np.errstate(all="raise"):
        patch.setattr(remarks.Remarks, "say", lambda *given: told.append(given[1]))
        for exponents in (y, y * np.float32(1e-30), y * 0, np.full_like(y, np.nan), np.full_like(y, SINGLE.tiny)):
            powers[level](x, exponents)
        powers[level](np.ones_like(y), y)
    assert not told
