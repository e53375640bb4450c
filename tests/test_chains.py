"""Loops that hand values of rows on and run row by row: the same bits as of each row by itself."""

from __future__ import annotations

import signal
import subprocess
import sys

import numpy as np
import pytest
from kit import tensor

import opweld
import opweld.tensor as T

LENGTHS = [32, 33, 39, 40, 47, 48, 63, 64, 65, 100, 127, 128, 131, 200, 255, 256, 263, 271, 272, 300, 511, 512]
LENGTHS += [530, 777, 1000, 1023, 1536, 2047]


def centred(x, row, s):
    return (x - x.mean(axis=1, keepdims=True)) / 3


def divided(x, row, s):
    return (x - x.sum(axis=1, keepdims=True)) / s


def normed(x, row, s):
    apart = x - x.mean(axis=1, keepdims=True)
    return apart / T.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * row + row


def spread(x, row, s):
    return x.var(axis=1)


def shares(x, row, s):
    return x / T.expand_dims(x.sum(axis=1), 1)


def several(x, row, s):
    apart = x - x.mean(axis=1, keepdims=True)
    return [apart * row, (apart * apart).sum(axis=1), (apart * s).sum(axis=1)]


def power(x, row, s):
    return x / T.sqrt((x * x).mean(axis=1, keepdims=True))


GRAPHS = [centred, divided, normed, spread, shares, several, power]


def made(graph, dtype, **options):
    x, row, s = tensor(dtype, 2, "x"), tensor(dtype, 1, "row"), tensor(dtype, 0, "s")
    return opweld.function([x, row, s], graph(x, row, s), on_unused_input="ignore", options=options)


def listed(f, *given, **options):
    with np.errstate(all="ignore"):
        found = f(*given, **options)
    return [np.asarray(a) for a in (found if isinstance(found, list) else [found])]


def assert_bits(found, wanted):
    """The same bits, those of NaN too."""
    assert [a.dtype for a in found] == [a.dtype for a in wanted]
    for one, other in zip(found, wanted, strict=True):
        bits = f"u{one.dtype.itemsize}"
        np.testing.assert_array_equal(np.ascontiguousarray(one).view(bits), np.ascontiguousarray(other).view(bits))


def given(n, rows, dtype, what):
    generator = np.random.default_rng(n)
    x = generator.standard_normal((rows, n)).astype(dtype)
    least = float(np.finfo(dtype).smallest_normal)
    if what == "special":
        for row, value in enumerate([np.nan, np.inf, -np.inf, 0.0, least / 8, float(np.finfo(dtype).max)]):
            x[5 * row + 1, (37 * row) % n] = value
        x[40], x[41] = 0, -0.0
        x[50] *= dtype(least)
    return x, generator.standard_normal(n).astype(dtype), np.asarray(-2.5 if what == "special" else 7, dtype)


def by_rows(f, x, row, s):
    """What each row gives by itself, which is no chain."""
    several = [listed(f, x[k : k + 1].copy(), row, s) for k in range(len(x))]
    return [np.concatenate(of) for of in zip(*several, strict=True)]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("graph", GRAPHS)
def test_each_row_has_the_bits_that_it_has_alone(graph, dtype):
    f, threaded, unfused = made(graph, dtype), made(graph, dtype, threads=2), made(graph, dtype, fuse=False)
    assert "_chain0(" in opweld.source(f)
    for n in LENGTHS:
        for what in ("usual", "special"):
            x, row, s = given(n, max(64, 30000 // n), dtype, what)
            found = listed(f, x, row, s)
            assert_bits(found, by_rows(f, x, row, s))
            assert_bits(listed(threaded, x, row, s), found)
            assert_bits(listed(f, np.asfortranarray(x).copy(order="C"), row, s), found)
            if graph in (centred, divided, shares):  # nothing of their sums is computed otherwise
                assert_bits(listed(unfused, x, row, s), found)


@pytest.mark.parametrize("graph", GRAPHS)
def test_large_arrays_and_few_rows(graph):
    f = made(graph, np.float64)
    shapes = [(2000, 700), (128, 6000), (32, 9000), (45, 7001), (100, 123), (2047, 6), (2047, 7), (2047, 12)]
    for n, rows in [*shapes, (2047, 13), (1000, 25), (1000, 26)]:
        x, row, s = given(n, rows, np.float64, "usual")
        assert_bits(listed(f, x, row, s), by_rows(f, x, row, s))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("graph", [centred, divided, shares, normed])
def test_long_rows(graph, dtype):
    """Rows of many blocks: these are joined in the pairs in which a run by itself joins them."""
    f, threaded, unfused = made(graph, dtype), made(graph, dtype, threads=2), made(graph, dtype, fuse=False)
    for n in (2048, 2049, 2303, 2304, 2560, 3162, 4095, 4096, 4352, 8191, 8192, 15000, 16384, 32767, 32768):
        for what in ("usual", "special"):
            x, row, s = given(n, max(64, 300000 // n), dtype, what)
            found = listed(f, x, row, s)
            assert_bits(listed(threaded, x, row, s), found)
            if graph is not normed:
                assert_bits(listed(unfused, x, row, s), found)


def test_what_is_out_of_range_again_and_again():
    f, (x, row, s) = made(centred, np.float64), given(300, 3000, np.float64, "usual")
    x[::7] *= 1e-308
    x[5::11, 3] = np.inf
    assert_bits(listed(f, x, row, s), by_rows(f, x, row, s))


@pytest.mark.parametrize("value", [np.inf, 1e308])
def test_warnings_are_those_of_the_quotients(value):
    f, (x, row, s) = made(centred, np.float64), given(300, 100, np.float64, "usual")
    x[-1] = 5e-324  # divided by products, that would be marked
    with np.errstate(all="raise", under="ignore"):
        f(x, row, s)
    x[77, :2] = value
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        f(x, row, s)


def test_rows_that_lie_otherwise():
    f, (x, row, s) = made(normed, np.float64), given(300, 200, np.float64, "usual")
    wanted = listed(f, x, row, s)
    wide = np.zeros((400, 600))
    wide[::2, ::2], wide[1::2, :300] = x, x
    for lying in (x[::-1].copy()[::-1], wide[1::2, :300]):
        assert_bits(listed(f, lying, row, s), wanted)
    for lying in (np.asfortranarray(x), wide[::2, ::2], x[:, ::-1].copy()[:, ::-1]):
        for found, want in zip(listed(f, lying, row, s), wanted, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)
    out = np.zeros((200, 700))[:, 3:303]
    assert f(x, row, s, out=out) is out
    assert_bits([out], wanted)
    assert f(x, row, s, out=x) is x  # what it is computed of
    assert_bits([x], wanted)


def test_what_is_out_of_range_where_the_rows_that_were_folded_are_written_over():
    x, y = tensor(np.float64, 2, "x"), tensor(np.float64, 2, "y")
    f = opweld.function([x, y], (y - x.sum(axis=1, keepdims=True)) / 3)
    folded, read = given(300, 200, np.float64, "usual")[0], given(301, 200, np.float64, "special")[0][:, :300].copy()
    wanted = listed(f, folded, read)
    assert f(folded, read, out=folded) is folded
    assert_bits([folded], wanted)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [37, 64, 131, 300, 530])
def test_outputs_that_begin_anywhere_in_a_line(n, dtype):
    """Whole lines are written, and nothing beside the rows."""
    x, row, s = given(n, 26000 // n, dtype, "usual")
    f = made(normed, dtype)
    wanted = listed(f, x, row, s)
    for off in range(64 // x.itemsize):
        room = np.full(x.size + off + 64, 7, dtype)
        out = room[off : off + x.size].reshape(x.shape)
        assert f(x, row, s, out=out) is out
        assert_bits([out], wanted)
        assert (room[:off] == 7).all() and (room[off + x.size :] == 7).all()


PROGRAM = """
import numpy as np, opweld, opweld.tensor as T
from opweld import config
config.cflags += " -DOPW_CHAIN_BEGINS=__builtin_trap()"
x = T.dmatrix("x")
f = opweld.function([x], (x - x.mean(axis=1, keepdims=True)) / 3)
f({given})
"""


@pytest.mark.parametrize(
    ("lying", "runs"),
    [
        ("np.ones((200, 200))", True),
        ("np.ones((200, 300))[:, :200]", True),
        ("np.ones((200, 2047))", True),
        ("np.ones((200, 200)).T", False),
        ("np.ones((200, 400))[:, ::2]", False),
        ("np.ones((384, 32))", True),
        ("np.ones((383, 32))", False),
        ("np.ones((500, 31))", False),
        ("np.ones((20, 200))", False),
        ("np.ones((64, 2048))", False),  # so few, which a near cache holds, are added up as columns
        ("np.ones((65, 2048))", True),
        ("np.ones((20, 32767))", True),
        ("np.ones((20, 32768))", False),
        ("np.ones((200, 257))", True),
    ],
)
def test_where_a_chain_runs(lying, runs):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(given=lying)], capture_output=True, text=True)
    assert done.returncode in ([-signal.SIGILL, -signal.SIGTRAP] if runs else [0]), done.stderr
