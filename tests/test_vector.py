"""The vector functions: within 4 ulps, the same bits wherever an element lies, NumPy's special values and warnings."""

import itertools
import math
import platform
import warnings

import mpmath
import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import toolchain

LEVELS = [
    level
    for level in ("baseline", "x86-64-v3", "x86-64-v4")
    if toolchain.LEVELS.index(level) <= toolchain.LEVELS.index(toolchain.march("native"))
]
DTYPES = ("float64", "float32")
ONE = {
    "exp": mpmath.exp,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "expm1": mpmath.expm1,
    "log": mpmath.log,
    "log2": lambda x: mpmath.log(x, 2),
    "log10": mpmath.log10,
    "log1p": mpmath.log1p,
    "sin": mpmath.sin,
    "cos": mpmath.cos,
    "tan": mpmath.tan,
    "arcsin": mpmath.asin,
    "arccos": mpmath.acos,
    "arctan": mpmath.atan,
    "sinh": mpmath.sinh,
    "cosh": mpmath.cosh,
    "tanh": mpmath.tanh,
    "arcsinh": mpmath.asinh,
    "arccosh": mpmath.acosh,
    "arctanh": mpmath.atanh,
    "cbrt": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "erf": lambda x: mpmath.erf(min(max(x, -100), 100)),
    "erfc": lambda x: mpmath.erfc(min(max(x, -100), 100)),  # which is as little as that of more
}
#: What NumPy has no function for.
PYTHONS = {"erf": np.vectorize(math.erf, otypes=[float]), "erfc": np.vectorize(math.erfc, otypes=[float])}
TWO = {"arctan2": mpmath.atan2, "hypot": mpmath.hypot, "power": mpmath.power}
NAMES = (*ONE, *TWO)
#: Where the values of a function change their kind, and what they do there.
EDGES = (
    0.0, 1.0, 2.0, 0.5, 1e-8, 1e-3, 0.41421356, 2.41421356, 0.70710678, 1.41421356, 20.0, 40.0, 88.7, 89.4, 103.9,
    104.0, 126.0, 149.0, 708.3, 709.7, 710.4, 744.4, 745.1, 1021.9, 1073.9, 1e4, 4194304.0, 4194305.0, 1e15, 1e22,
    1e300, 0.4765, 5.9, 6.0, 9.19, 10.05, 26.5, 27.2, 28.0,
)  # fmt: skip

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]


def assert_wherever(f, x, y, wanted):
    """A function of two arrays gives what is wanted, and the same bits wherever elements lie; x is written over."""
    found = f(x, y)
    np.testing.assert_array_equal(found, wanted)
    plain = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[plain], np.signbit(wanted)[plain])
    for size in (1, 3, 17, 70, 600):
        for start in (0, 5, 1000):
            part = slice(start, start + size)
            assert f(x[part], y[part]).tobytes() == found[part].tobytes()
    assert f(x[::-2], y[::-2]).tobytes() == found[::-2].tobytes()
    assert f(x, y, out=x) is x
    assert x.tobytes() == found.tobytes()


@pytest.fixture(scope="module")
def made():
    """Functions of all: by level and dtype."""
    known = {}

    def of(level, dtype):
        if (level, dtype) not in known:
            x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
            outputs = [getattr(T, n)(x) for n in ONE] + [getattr(T, n)(x, y) for n in TWO]
            known[level, dtype] = opweld.function([x, y], outputs, options={"march": level})
        return lambda x, y: dict(zip(NAMES, known[level, dtype](x, y)))

    return of


def numbers(dtype, seed=0):
    """Edges, their neighbours, and numbers of all sizes, with signs."""
    rng = np.random.default_rng(seed)
    info = np.finfo(dtype)
    edges = np.array([e for e in EDGES if e < float(info.max)], dtype)
    edges = np.concatenate([edges, np.nextafter(edges, dtype(0)), np.nextafter(edges, info.max)])
    multiples = (np.arange(1, 30) * np.pi / 4).astype(dtype)
    sizes = np.ldexp(rng.uniform(1, 2, 60), rng.integers(info.minexp - info.nmant + 1, info.maxexp - 1, 60)).astype(
        dtype
    )
    near = (1 + rng.normal(size=60) * 10.0 ** rng.uniform(-6, -1, 60)).astype(dtype)
    found = np.concatenate([edges, multiples, sizes, near, (rng.normal(size=150) * 3).astype(dtype),
                            rng.uniform(0, 1, 60).astype(dtype), rng.uniform(0, 700, 60).astype(dtype)])  # fmt: skip
    return np.concatenate([found, -found])


def ulps(found, wanted):
    """How far a number lies from the truth, in units of the last place of its dtype."""
    info = np.finfo(found.dtype)
    place = max(mpmath.frexp(abs(wanted))[1] - 1 if wanted else info.minexp, info.minexp) - info.nmant
    if abs(wanted) >= mpmath.ldexp(1, info.maxexp) - mpmath.ldexp(1, info.maxexp - info.nmant - 2):
        return 0.0 if np.isinf(found) else float("inf")
    return (
        float(abs(mpmath.mpf(float(found)) - wanted) / mpmath.ldexp(1, place)) if np.isfinite(found) else float("inf")
    )


def truth(name, *numbers):
    """What it is, or None where it is no real number."""
    if name == "arctan2" and numbers[0] == 0:  # of zeros with signs only NumPy knows
        return None
    try:
        with mpmath.workprec(1200 if max(map(abs, numbers)) > 1e15 else 160):  # of large angles the sines too
            wanted = (ONE.get(name) or TWO[name])(*[mpmath.mpf(float(x)) for x in numbers])
    except (ValueError, ZeroDivisionError):
        return None
    return wanted if isinstance(wanted, mpmath.mpf) and mpmath.isfinite(wanted) else None


@pytest.mark.parametrize("dtype", DTYPES)
def test_within_four_ulps(dtype, made):
    x = numbers(np.dtype(dtype).type)
    y = np.random.default_rng(1).permutation(x)
    wanted = {n: [truth(n, *v) for v in (zip(x) if n in ONE else zip(x, y))] for n in NAMES}
    for level in LEVELS:
        for name, found in made(level, dtype)(x, y).items():
            for at, want in enumerate(wanted[name]):
                if want is not None:
                    assert ulps(found[at], want) < 4, (level, name, x[at], y[at], found[at])


@pytest.mark.parametrize("level", LEVELS)
def test_logarithms_of_float32_of_each_mantissa(level):
    """Of millions, against wider floats: where nothing hides what a polynomial lacks."""
    x = np.arange(*np.array([0.5, 2], np.float32).view(np.int32), 5, dtype=np.int32).view(np.float32)
    x = np.concatenate([x[x != 1], np.logspace(-37, 38, 10**6, dtype=np.float32)])
    most, v = {"log": 0.96, "log2": 1.85, "log10": 1.9, "log1p": 1.6}, T.fvector("v")
    run = opweld.function([v], [getattr(T, name)(v) for name in most], options={"march": level})
    for name, found in zip(most, run(x)):
        wanted = getattr(np, name)(x.astype(np.float64))
        place = 2.0 ** (np.frexp(np.abs(wanted))[1] - 1 - 23)
        assert np.max(np.abs(found - wanted) / place) < most[name], name


@pytest.mark.parametrize("level", LEVELS)
def test_powers_of_what_is_near_one(level, made):
    """Whatever the logarithm lacks counts some thousand times there."""
    rng = np.random.default_rng(6)
    x = rng.uniform(0.93, 1.07, 1000)
    y = rng.choice([-1, 1], x.size) * rng.uniform(600, 707, x.size) / np.log(x)
    found = made(level, "float64")(x, y)["power"]
    for at, want in enumerate(truth("power", *v) for v in zip(x, y)):
        assert ulps(found[at], want) < 2, (x[at], y[at], found[at])


@pytest.mark.parametrize("dtype", DTYPES)
def test_special_numbers_are_numpys(dtype, made):
    """NaN, infinities and zeros with their signs come where NumPy has them."""
    info = np.finfo(dtype)
    special = np.array([0.0, 1, 2, 0.5, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, 1e4, 3], dtype)
    special = np.concatenate([special, -special])
    x, y = (a.ravel() for a in np.meshgrid(special, special))
    for level in LEVELS:
        for name, found in made(level, dtype)(x, y).items():
            with np.errstate(all="ignore"):
                wanted = (PYTHONS.get(name) or getattr(np, name))(*((x,) if name in ONE else (x, y))).astype(dtype)
            for kind in (np.isnan, np.isinf, lambda a: a == 0):
                np.testing.assert_array_equal(kind(found), kind(wanted), err_msg=f"{level} {name}")
            plain = ~np.isnan(wanted)
            np.testing.assert_array_equal(
                np.signbit(found)[plain], np.signbit(wanted)[plain], err_msg=f"{level} {name}"
            )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_a_value_depends_on_its_argument_alone(dtype, level, made):
    """Whatever the length, and wherever it lies in memory."""
    f, kind = made(level, dtype), np.dtype(dtype)
    x = numbers(kind.type)[: 8 * 71 : 2]
    y = np.random.default_rng(2).permutation(x)
    wanted = f(x, y)

    def same(at, x, y):
        for name, found in f(x, y).items():
            assert found.tobytes() == wanted[name][at].tobytes(), (name, at)

    for n in range(71):
        same(slice(n, 2 * n), x[n : 2 * n], y[n : 2 * n])
    for step in (2, 3, -1, -2):
        same(slice(None, None, step), x[::step], y[::step])
    buffer = np.empty(x.nbytes + 64, np.uint8)
    for start in (kind.itemsize, 3 * kind.itemsize, 1):
        moved = buffer[start : start + x.nbytes].view(kind)
        moved[:] = x
        same(slice(None), moved, y)
    wide = np.stack([x, y], 1)
    same(slice(None), wide[:, 0], wide[:, 1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_a_value_does_not_depend_on_what_is_round_it(dtype, level, made):
    """In loops of more, in folds, in scans, without dimensions, fused and not, written over."""
    x = T.vector("x", dtype=dtype)
    x0 = T.scalar("x0", dtype=dtype)
    names = ("exp", "log1p", "sin", "arctan", "cbrt", "tanh")
    values = [getattr(T, n)(x) for n in names]
    outputs = [v * 1 for v in values] + [T.max(v) for v in values] + [T.cumsum(v)[:1] for v in values]
    outputs += [T.sum(T.stack([v, -v]), axis=0) for v in values[:1]]
    given = np.random.default_rng(3).uniform(0, 3, 300).astype(dtype)
    wanted = made(level, dtype)(given, given)
    options = {"march": level}
    for fuse in (True, False):
        f = opweld.function([x], outputs, fuse=fuse, options=options)
        found = f(given)
        for at, name in enumerate(names):
            assert found[at].tobytes() == wanted[name].tobytes()
            assert found[len(names) + at] == wanted[name].max()
            assert found[2 * len(names) + at][0] == wanted[name][0]
        over = opweld.function([opweld.In(x, mutable=True)], T.exp(x), fuse=fuse, options=options)
        assert over(given.copy()).tobytes() == wanted["exp"].tobytes()
    one = opweld.function([x0], [getattr(T, n)(x0) for n in names], options=options)
    for at in range(0, 300, 37):
        for name, number in zip(names, one(given[at])):
            assert number.tobytes() == wanted[name][at].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_what_lies_between_two_whole_powers_does_not_depend_on_what_is_beside_it(dtype, level):
    """Far numbers beside others have these go another way: ties, and exponentials that are hardly normal numbers."""
    kind = np.finfo(dtype)
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], [T.exp(x), T.exp2(x), T.tanh(x)], options={"march": level})
    halves = np.arange(kind.minexp, kind.maxexp) + 0.5
    ties = [halves, halves * np.log(2), np.linspace(kind.minexp, kind.minexp * 0.9, 20_001) * np.log(2)]
    near = np.concatenate(ties).astype(dtype)
    near = np.concatenate([near, np.nextafter(near, np.zeros(1, dtype)), np.nextafter(near, near * 2)])
    near = near[np.abs(near) < kind.maxexp * 0.69]
    for far in (np.nan, 4.0 * kind.maxexp):
        mixed = np.stack([near, np.full_like(near, far)], 1).ravel()
        with np.errstate(all="ignore"):
            for alone, beside in zip(f(near), f(mixed)):
                np.testing.assert_array_equal(alone, beside[::2])


@pytest.mark.skipif("x86-64-v4" not in LEVELS, reason="this processor has one level with fused products alone")
@pytest.mark.parametrize("dtype", DTYPES)
def test_levels_with_fused_products_give_the_same_bits(dtype, made):
    x = numbers(np.dtype(dtype).type, seed=5)
    three, four = (made(level, dtype)(x, x[::-1].copy()) for level in LEVELS[1:])
    for name in NAMES:
        np.testing.assert_array_equal(three[name], four[name])


SAID = {
    "exp": (1e4, "overflow"), "exp2": (1e4, "overflow"), "expm1": (1e4, "overflow"), "sinh": (1e4, "overflow"),
    "cosh": (-1e4, "overflow"), "log": (0.0, "divide by zero"), "log2": (-1.0, "invalid value"),
    "log10": (0.0, "divide by zero"),
    "log1p": (-1.0, "divide by zero"), "sin": (np.inf, "invalid value"), "cos": (-np.inf, "invalid value"),
    "tan": (np.inf, "invalid value"), "arcsin": (1.5, "invalid value"), "arccos": (-2.0, "invalid value"),
    "arccosh": (0.5, "invalid value"), "arctanh": (1.0, "divide by zero"),
}  # fmt: skip


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", SAID)
def test_what_numpy_warns_of_is_said(name, level, dtype):
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], getattr(T, name)(x), options={"march": level})
    bad, said = SAID[name]
    for n in (1, 5, 40, 700):
        for at in {0, n // 2, n - 1}:
            given = np.full(n, 0.75 if name != "arccosh" else 2, dtype)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                f(given)
                assert not caught
                given[at] = np.nan
                f(given)
                assert not caught
                given[at] = bad
                f(given)
            assert [str(w.message) for w in caught] == [f"{said} encountered in {name}"]


@pytest.mark.parametrize("axis", [0, 1, None])
def test_folds_read_arguments_where_they_lie(axis):
    """Close, apart, across and one number: the largest value has the bits of a value."""
    x = T.dmatrix("x")
    each = opweld.function([x], T.sinh(x))
    both = opweld.function([x], [T.max(T.sinh(x), axis=axis), T.min(T.sinh(x) * 2 + x, axis=axis)])
    given = np.random.default_rng(4).normal(size=(40, 300))
    turned = (lambda v: v, np.asfortranarray, lambda v: v[::2, ::3], lambda v: v[:3], lambda v: v[:, :5], np.transpose)
    for turn in (*turned, lambda v: np.broadcast_to(v[:1], v.shape), lambda v: np.broadcast_to(v[:, :1], v.shape)):
        at = turn(given)
        values = each(at)
        largest, least = both(at)
        np.testing.assert_array_equal(largest, values.max(axis=axis))
        np.testing.assert_array_equal(least, (values * 2 + at).min(axis=axis))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the status word of other processors")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_between_is_subnormal(dtype, level):
    """Some processors take as long for one such number as for a hundred others. A mark says that one was read."""
    clear = opweld.cop("-> w: uint32", "w = __builtin_ia32_stmxcsr(); __builtin_ia32_ldmxcsr(w & ~63u);")
    read = opweld.cop("-> w: uint32", "w = __builtin_ia32_stmxcsr() & 2u;")
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    functions = {name: opweld.function([x], getattr(T, name)(x), options={"march": level}) for name in ONE}
    for name in (*TWO, "logaddexp", "logaddexp2"):
        functions[name] = opweld.function([x, y], getattr(T, name)(x, y), options={"march": level})
    plain = [np.full(70, number, dtype) for number in (0, -0.0, 0.25, 0.5, 1, -1, 2, 3)]
    met = []
    for name, f in functions.items():
        for given in itertools.product(plain, repeat=1 if name in ONE else 2):
            clear()
            with np.errstate(all="ignore"):
                f(*given)
            if read():
                met.append((name, *(a[0] for a in given)))
    assert not met, len(met)
