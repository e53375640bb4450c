"""Quotients by one number, which products give: those of a division to the last bit, with its warnings."""

import re
import shutil
import subprocess
from functools import partial

import kit
import numpy as np
import pytest
from test_vector import DTYPES, LEVELS

import opweld
import opweld.tensor as T

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]

LENGTHS = (1, 15, 63, 64, 65, 2047, 2048, 2049, 5000)


def made(level, dtype, build=lambda x, d: x / d, **options):
    """A function of an array and of a number that it is divided by."""
    x, d = T.vector("x", dtype=dtype), T.scalar("d", dtype=dtype)
    return opweld.function([x, d], build(x, d), options={"march": level, **options})


def bits(a):
    return np.ascontiguousarray(a).view(f"u{a.itemsize}")


def assert_divided(f, x, d, wanted=None):
    with np.errstate(all="ignore"):
        wanted = x / d if wanted is None else wanted
    for given in (x, np.repeat(x, 2)[::2]):  # apart too
        found = f(given, d)
        wrong = np.flatnonzero(bits(found) != bits(wanted))
        assert not len(wrong), (x[wrong[:3]], d, found[wrong[:3]], wanted[wrong[:3]])


def divisors(dtype):
    """Of all kinds of mantissas, all ones among them, and of both signs; those that are divided by as ever too."""
    info, rng = np.finfo(dtype), np.random.default_rng(5)
    ones = np.array([2 - info.eps, 2 - 2 * info.eps, 2 - 3 * info.eps, 1 + info.eps, 1 + 2 * info.eps], dtype)
    common = np.array([1, 2, 3, 7, 10, 0.1, 1 / 3, 255, 1e-9, -3, -0.7], dtype)
    odd = np.array([0, -0.0, np.inf, -np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max, -info.max], dtype)
    middle = np.array([2.0 ** (sign * (info.maxexp // 4 + by)) for sign in (1, -1) for by in (-1, 0, 1)], dtype)
    return np.concatenate([ones, common, odd, middle, rng.uniform(1, 2, 10).astype(dtype)])


def ties(dtype, d, n):
    """Dividends whose quotient lies by the middle of two numbers, as near as may be: v * 2**k = m * d + 1, 3 …"""
    digits = np.finfo(dtype).nmant + 1
    whole = int(np.ldexp(abs(np.frexp(float(d))[0]), digits))
    while not whole & 1:
        whole >>= 1
    found = []
    for k in (digits, digits + 1):
        inverse = pow(2, -k, whole) if whole > 1 else 0
        for unit in range(1, n, 2):
            for v in (unit * inverse % whole, -unit * inverse % whole):
                v += -((v - 2 ** (digits - 1)) // whole) * whole if v < 2 ** (digits - 1) else 0
                found.append(v)
    return np.ldexp(np.array(found, dtype), -digits + 1)


def dividends(dtype, d, n=4000):
    """Numbers that are divided by products: ties, multiples and what lies beside them, zeros, all ones, many sizes."""
    info, rng = np.finfo(dtype), np.random.default_rng(6)
    found = rng.uniform(1, 2, n).astype(dtype)
    if np.isfinite(d) and d and abs(np.log2(abs(float(d)))) < info.maxexp / 4:
        exact = (found * (np.frexp(d)[0])).astype(dtype)
        beside = np.nextafter(exact, 0), np.nextafter(exact, 9).astype(dtype)
        found = np.concatenate([found, ties(dtype, d, 64), exact, *beside])
    edge = 2 - info.eps * np.arange(40, dtype=dtype)
    found = np.concatenate([found, edge, 1 + info.eps * np.arange(40, dtype=dtype), np.zeros(40, dtype)]).astype(dtype)
    found *= rng.choice(np.array([1, -1], dtype), len(found))
    sizes = rng.integers(-info.maxexp // 2 + 2, info.maxexp // 2, len(found))
    return np.concatenate([found, np.ldexp(found, sizes).astype(dtype)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_quotients_are_those_of_a_division(dtype, level):
    f = made(level, dtype)
    for d in divisors(dtype):
        assert_divided(f, dividends(dtype, d), d)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_out_of_range_is_divided_wherever_it_is(dtype, level):
    info = np.finfo(dtype)
    half = float(info.maxexp // 2)
    odd = [np.inf, -np.inf, np.nan, info.tiny, -info.smallest_subnormal, info.max, -0.0]
    odd += [2.0 ** (sign * half + by) for sign in (1, -1) for by in (0, 1, 2)]
    f, rng = made(level, dtype), np.random.default_rng(8)
    for n in LENGTHS:
        for number in odd:
            for d in np.array([3, -1.7, info.max, 1e-5], dtype):
                x = rng.uniform(-2, 2, n).astype(dtype)
                x[rng.integers(n)] = number
                assert_divided(f, x, d)
    x = rng.integers(0, np.iinfo(f"u{info.bits // 8}").max, 100_000, f"u{info.bits // 8}").view(dtype)
    for d in np.array([3, 0, -5.5], dtype):
        assert_divided(f, x, d)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_little_behind_what_was_divided_exactly_leaves_it_as_it_is(dtype, level):
    f, d = made(level, dtype), np.dtype(dtype).type(3)
    for n in range(8 * 2048 + 1, 8 * 2048 + 40, 3):
        x = np.random.default_rng(n).uniform(-2, 2, n).astype(dtype)
        x[7] = x[8 * 2048 - 20 : 8 * 2048] = np.finfo(dtype).tiny * 5
        assert_divided(f, x, d)


@pytest.mark.parametrize("level", LEVELS)
def test_of_rows_and_of_two_divisors(level):
    """Divisors that come of what is one number in a row; numbers of two sizes; an output in the place of an input."""
    x, g = T.dmatrix("x"), T.fvector("g")
    centred = (x - T.mean(x, axis=1, keepdims=True)) / 3
    scaled = centred / T.sqrt(T.var(x, axis=1, keepdims=True))
    f = opweld.function([x, g], [scaled, (g / 7) / (x[0, 0])], options={"march": level})
    rng = np.random.default_rng(9)
    for shape in ((3, 5), (4, 70), (2, 1500)):
        a, b = rng.standard_normal(shape), rng.standard_normal(1000).astype("f4")
        first, second = f(a, b)
        np.testing.assert_allclose(first, (a - a.mean(1, keepdims=True)) / 3 / a.std(1, keepdims=True), rtol=1e-12)
        np.testing.assert_array_equal(second, (b / np.float32(7)) / a[0, 0])
    h = made(level, "float64")
    for n in LENGTHS:
        a = rng.standard_normal(n)
        wanted = a / 3
        assert h(a, 3.0, out=a) is a
        np.testing.assert_array_equal(a, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_rows_that_are_run_together_are_divided_each_by_its_own(dtype, level):
    """Whatever is out of range in whichever of them; of several axes, of rows that lie apart, and over what is read."""
    x, d = T.tensor3("x", dtype=dtype), T.tensor3("d", dtype=dtype)
    f = opweld.function([x, d], x / d, options={"march": level})
    info, rng = np.finfo(dtype), np.random.default_rng(10)
    odd = np.array([np.nan, -np.nan, np.inf, 0, -0.0, info.tiny / 4, info.max], dtype)
    for shape in ((2, 3, 5), (3, 70, 16), (2, 300, 33), (1, 5, 700), (2, 3, 3000)):
        for many in (0, 1, 20):
            a, by = rng.uniform(-2, 2, shape).astype(dtype), rng.uniform(-2, 2, (*shape[:2], 1)).astype(dtype)
            a.flat[rng.integers(a.size, size=many)] = rng.choice(odd, many)
            by.flat[rng.integers(by.size, size=many // 10)] = rng.choice(odd)
            apart = np.repeat(np.repeat(a, 2, axis=1), 2, axis=0)[::2, ::2]
            with np.errstate(all="ignore"):
                for b in (a, apart, np.asfortranarray(a), a[:, ::-1]):
                    np.testing.assert_array_equal(bits(f(b, by)), bits(b / by))
                wanted = a / by
                assert f(a, by, out=a) is a
            np.testing.assert_array_equal(bits(a), bits(wanted))


@pytest.mark.skipif(LEVELS[-1] < "x86-64-v3" or not shutil.which("objdump"), reason="no fused products")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_rows_of_any_length_wherever_they_and_what_is_written_lie(dtype, level):
    """Elements before and behind an output's lines are divided with others, some twice, and none beyond a row."""
    x, d = T.matrix("x", dtype=dtype), T.scalar("d", dtype=dtype)
    f = opweld.function([x, d], x / d, options={"march": level})
    rng = np.random.default_rng(11)
    for n in (*range(12, 70), 2047, 2063, 4095, 4097):
        whole = rng.uniform(-2, 2, (10, 2 * n + 3)).astype(dtype)
        for given in (whole[1:7, 1 : n + 1], whole[::2, 2 : 2 * n + 2 : 2], whole[5::-1, n:0:-1]):
            off, step = rng.integers(0, 16), rng.integers(1, 3)
            room = np.full(off + 16 + len(given) * (n + 5) * step, 7, dtype)
            out = np.lib.stride_tricks.as_strided(
                room[off:], given.shape, ((n + 5) * step * room.itemsize, step * room.itemsize)
            )
            wanted = room.copy()
            there = np.lib.stride_tricks.as_strided(wanted[off:], out.shape, out.strides)
            there[...] = given / np.dtype(dtype).type(3)
            assert f(given, 3, out=out) is out
            np.testing.assert_array_equal(bits(room), bits(wanted))


@pytest.mark.parametrize("made_of", ["int8", "float16", "float32", "float64", "longdouble", "complex128"])
@pytest.mark.parametrize("level", LEVELS)
def test_quotients_that_are_stored_as_something_else(made_of, level):
    x = T.dmatrix("x")
    f = opweld.function([x], T.cast(x / 3, made_of), options={"march": level})
    g = opweld.function([x], (x / 3 > 0.1, x / 3), options={"march": level})
    for n in (16, 17, 31, 40, 63, 64, 65, 130):
        whole = np.random.default_rng(n).uniform(-90, 90, (9, 2 * n))
        for given in (whole[:, 1 : n + 1], whole[:, ::2]):
            np.testing.assert_array_equal(f(given), (given / 3).astype(made_of))
            larger, thirds = g(given)
            np.testing.assert_array_equal(larger, given / 3 > 0.1)
            np.testing.assert_array_equal(thirds, given / 3)


def test_a_division_by_one_number_is_written_by_fused_products():
    """And only that: neither one by another number for each element, nor where the processor has none."""
    x, y, d = T.dvector("x"), T.dvector("y"), T.dscalar("d")
    for result, options, fused in ((x / d, {}, True), (x / (x + 1), {}, False), (x / d, {"march": "baseline"}, False)):
        f = opweld.function([x, y, d], result, on_unused_input="ignore", options=options)
        code = subprocess.run(["objdump", "-d", f.maker.built.path], capture_output=True, text=True, check=True).stdout
        assert bool(re.search(r"vfn?m(add|sub)...pd", code)) == fused


def heard(call):
    return sorted(message.split(" encountered")[0] for message in kit.heard(call))


@pytest.mark.parametrize("level", LEVELS)
def test_warnings_are_those_of_a_division(level):
    f, x = made(level, "float64"), np.linspace(1, 2, 1000)
    for number in (1.0, np.inf, np.nan, 0.0, 1e308, 1e-308, 5e-324):
        for d in (3.0, 0.0, 1e-10, 1e300, np.inf, np.nan, -1e-310):
            x[700] = number
            for given in (x, np.repeat(x, 2)[::2]):
                assert heard(partial(f, given, d)) == heard(partial(np.divide, x, d)), (number, d)


@pytest.mark.parametrize("level", LEVELS)
def test_warnings_of_rows_are_those_of_divisions(level):
    """What a loop before has met is still said, and what a row meets."""
    x, d = T.dmatrix("x"), T.dcol("d")
    f = opweld.function([x, d], [T.cumsum(1 / x[0]), x / d], options={"march": level})
    by = np.linspace(1, 2, 50)[:, None]
    for first, number, divisor in ((1, 1, 1), (0, 1, 1), (1, np.inf, np.inf), (0, 1e-308, 3), (1, 1, 0)):
        a, c = np.linspace(1, 2, 5000).reshape(50, 100), by.copy()
        a[0, 3], a[40, 7], c[30] = first, number, divisor
        wanted = heard(lambda a=a: np.cumsum(1 / a[0])) + heard(partial(np.divide, a, c))
        assert set(heard(partial(f, a, c))) == set(wanted), (first, number, divisor)


@pytest.mark.parametrize("optimized_by", ["-O0", "-O1", "-O2", "-O3", "-Os"])
def test_a_compiler_has_nothing_to_remark(optimized_by):
    """What it says of a text that is not the user's would be asked about in each process that loads the module."""
    flags = {option: f"{optimized_by} -Wall -Wextra -Wno-unused -Werror" for option in ("cflags", "cxxflags")}
    for level in LEVELS:
        for dtype in DTYPES:
            x = np.arange(1, 101, dtype=dtype)
            assert_divided(made(level, dtype, **flags), x, x[2])
