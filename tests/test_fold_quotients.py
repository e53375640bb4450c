"""Folds of quotients by one number: by products, with the bits and the warnings of divisions."""

import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from test_vector import LEVELS

import opweld
import opweld.tensor as T
from opweld import config

pytestmark = [
    pytest.mark.skipif("x86-64-v3" not in LEVELS, reason="products stand for divisions where the processor fuses them"),
    pytest.mark.usefixtures("optimized"),
]

GRAPHS = {
    "all": lambda x, y, m, s, c: T.sum(((x - m) / s) ** 2),
    "rows": lambda x, y, m, s, c: T.sum(((x - m) / s) ** 2, axis=1),
    "columns": lambda x, y, m, s, c: T.mean(abs(x) / s, axis=0),
    "a number a row": lambda x, y, m, s, c: [T.sum(x / c[:, None], axis=1), T.max(x / c[:, None], axis=0)],
    "largest": lambda x, y, m, s, c: [T.max(x / s + y), T.argmin(y / s, axis=1)],
    "two": lambda x, y, m, s, c: T.sum(x / s * y / m, axis=1),
    "of numbers": lambda x, y, m, s, c: T.sum(x / T.sqrt(s * s + 1) - y / 3, axis=1),
    "stored too": lambda x, y, m, s, c: [x / s, T.sum(x / s * y), x / s * m],
    "what folds leave": lambda x, y, m, s, c: (x / s - T.mean(x / s, axis=1, keepdims=True)) / m,
    "by what folds leave": lambda x, y, m, s, c: T.sum(x / T.sum(x, axis=1, keepdims=True) * y, axis=1),
}  # fmt: skip
SHAPES = [(1, 1), (3, 5), (3, 21), (1, 64), (7, 100), (300, 3), (2, 1000), (64, 64), (1, 70_000), (300, 200), (2000, 2)]
DTYPES = ["float64", "float32"]


def made(graph, dtype, flags="", **options):
    x, y = T.matrix("x", dtype=dtype), T.matrix("y", dtype=dtype)
    m, s, c = T.scalar("m", dtype=dtype), T.scalar("s", dtype=dtype), T.vector("c", dtype=dtype)
    out = GRAPHS[graph](x, y, m, s, c)
    before = config.cflags
    config.cflags += flags
    try:
        return opweld.function([x, y, m, s, c], out, on_unused_input="ignore", options=options)
    finally:
        config.cflags = before


def given(shape, dtype, kind):
    rng = np.random.default_rng(shape[1] + kind)
    x, y = (rng.normal(size=shape).astype(dtype) for _ in range(2))
    c = rng.normal(size=shape[0]).astype(dtype)
    small = float(np.finfo(dtype).smallest_normal)
    x.flat[rng.integers(x.size)] = [1, small / 8, np.inf, np.nan, 0, -0.0][kind]
    c[-1] = [1, 0, small / 4, 1, np.inf, -2][kind]
    return x, y, np.asarray(0.3, dtype), np.asarray([1.7, -3.3, 7, 0, small / 2, 1 / small][kind], dtype), c


def lying(x):
    yield x
    yield np.asfortranarray(x)
    yield np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2]
    yield x[:, ::-1].copy()[:, ::-1]


def bits(found):
    """One NaN for all: which of two an addition gives is the compiler's choice."""
    arrays = [np.array(a) for a in (found if isinstance(found, list) else [found])]
    for array in (a for a in arrays if a.dtype.kind == "f"):
        array[array != array] = np.nan
    return [a.tobytes() for a in arrays]


def told(f, *values):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = f(*values)
    return bits(found), sorted({str(one.message).split(" in ")[0] for one in said})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_they_have_the_bits_of_divisions(graph, dtype):
    """Without fused products there are none: then these divide. What is out of range divides too, and is told of."""
    f, divides = made(graph, dtype), made(graph, dtype, " -mno-fma")
    for shape in SHAPES:
        for kind in range(6):
            x, *others = given(shape, dtype, kind)
            for array in lying(x):
                assert told(f, array, *others) == told(divides, array, *others), (shape, kind)


@pytest.mark.parametrize("graph", ["rows", "stored too", "largest"])
def test_they_are_near_numpys(graph):
    f = made(graph, "float64", threads=2)
    x, y, m, s, c = given((700, 1000), "float64", 0)
    wanted = {
        "rows": lambda: [np.sum(((x - m) / s) ** 2, axis=1)],
        "stored too": lambda: [x / s, np.sum(x / s * y), x / s * m],
        "largest": lambda: [np.max(x / s + y), np.argmin(y / s, axis=1)],
    }[graph]()
    found = f(x, y, m, s, c)
    for one, other in zip(found if isinstance(found, list) else [found], wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11)


def test_what_is_written_over_what_is_read():
    x, s = T.dmatrix("x"), T.dscalar("s")
    f = opweld.function([x, s], [x / s, T.sum(x / s, axis=1)])
    values = np.random.default_rng(0).normal(size=(40, 300))
    values[7, 9] = 1e-310
    wanted = bits(f(values, np.asarray(0.7)))
    for _ in range(2):
        given = values.copy()
        sums = np.zeros(40)
        found = f(given, np.asarray(0.7), out=[given, sums])
        assert found[0] is given and bits(found) == wanted


def test_what_others_have_marked_stays_and_is_not_told():
    """A function that was called before has left marks in the processor's word: they are not this one's."""
    f = made("rows", "float64")
    x, y, m, s, c = given((3, 1000), "float64", 0)
    with np.errstate(all="ignore"):
        np.array([1e308]) * np.array([1e308])
        made("rows", "float64")(x * 1e200, y, m, s, c)
    assert told(f, x, y, m, s, c)[1] == []


PROGRAM = """
import numpy as np, opweld, opweld.tensor as T
opweld.config.cflags += " '-DOPW_FOLD_BY_PRODUCTS(...)=(__builtin_trap(),0)'"
x, y, s, c = T.dmatrix("x"), T.dmatrix("y"), T.dscalar("s"), T.dvector("c")
f = opweld.function([x, y, s, c], {graph}, on_unused_input="ignore", options={{"march": "x86-64-v3"}})
f({array}, np.ones((50, 60)), 2.0, np.ones(50))
"""
CLOSE = "np.ones((50, 60))"


@pytest.mark.parametrize(
    ("graph", "array", "runs"),
    [
        ("T.sum(x / s)", CLOSE, True),
        ("T.sum(x / s, axis=0)", CLOSE, True),
        ("T.max(x / 3 + y, axis=1)", CLOSE, True),
        ("T.sum(x / c[:, None], axis=0)", CLOSE, True),
        ("T.sum(x / c[:, None], axis=1)", CLOSE, True),
        ("T.sum(x / y)", CLOSE, False),
        ("T.sum(s / x)", CLOSE, False),
        ("T.sum(x / s)", "np.ones((50, 120))[:, ::2]", False),
    ],
)
def test_where_they_are(graph, array, runs):
    program = PROGRAM.format(graph=graph, array=array)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode in ([-signal.SIGILL, -signal.SIGTRAP] if runs else [0]), done.stderr
