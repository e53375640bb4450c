"""What the functions of unit.c must do: run by tests/test_runtime_c.py under AddressSanitizer, in a process of its own.

    python checks.py MODULE     one line of JSON for each check: its name, and what was wrong or null

Each check runs several times: it must leave as many blocks of memory as it found.
"""

from __future__ import annotations

import ctypes
import gc
import importlib.machinery
import importlib.util
import itertools
import json
import random
import sys
import threading
import traceback
import weakref
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import as_strided

ADD, ADD_OVER, BOTH, ROOT, SUM0, SUM1, SUM, MAX0, PERFORM, TALLY, THRICE, COUNT, TROUBLE, LARGE = range(14)
EXPAND, EXPAND_OVER, TWICE, PAIR, TOTAL, SIMPLY, NOTHING = range(14, 21)
ADD_PLAIN, BOTH_PLAIN, ROOT_PLAIN, EXPAND_PLAIN = range(21, 25)
ADD_FLOATS, SCALE = range(25, 27)
TURNED, TURNED_TOTAL, SLID, REVERSED, VIEW, AT, EVERY, SQUEEZED = range(27, 35)
FITTED, TRIPLED = range(35, 37)
PATH = sys.argv[1]
C = ctypes.PyDLL(PATH)
C.checks_blocks.restype = ctypes.c_ssize_t
C.checks_call_failing.restype = ctypes.py_object
C.checks_call_failing.argtypes = [ctypes.py_object, ctypes.c_ssize_t, ctypes.POINTER(ctypes.c_int)]


LOADER = importlib.machinery.ExtensionFileLoader("opweld_module", PATH)


def create():
    return importlib.util.module_from_spec(importlib.util.spec_from_file_location("opweld_module", PATH, loader=LOADER))


def load():
    module = create()
    LOADER.exec_module(module)
    return module


class Cell(list):
    """A list of one, as shared values lie in."""

    turn = None


def convert(index, value):
    if isinstance(value, Exception):
        raise value
    return np.asarray(value, np.float64)


def unlike(step, position, value):
    raise TypeError(f"unlike {step} {position} {type(value).__name__}")


def make(position, *, name="f", convert=convert, failed=None, unlike=unlike, remark=None, **bound):
    two = (ADD, ADD_OVER, BOTH, PERFORM, LARGE, EXPAND, EXPAND_OVER, PAIR, TOTAL, SIMPLY)
    two += (ADD_PLAIN, BOTH_PLAIN, EXPAND_PLAIN, ADD_FLOATS, TURNED, TURNED_TOTAL, SLID, VIEW, AT, EVERY, FITTED)
    arguments = {NOTHING: 0, TWICE: 3, SCALE: 3}.get(position, 2 if position in two else 1)
    defaults = bound.pop("defaults", (None,) * arguments)
    rules = bound.pop("rules", (None,) * arguments)
    results = {NOTHING: 0, TRIPLED: 0, BOTH: 2, PERFORM: 2, TWICE: 2, PAIR: 2, BOTH_PLAIN: 2}.get(position, 1)
    outs = bound.pop("outs", ("Doubles",) * results)
    performs, constants, cells = (bound.pop(which, ()) for which in ("performs", "constants", "cells"))
    assert not bound
    return MODULE.make(
        position, name, rules, convert, outs, performs, constants, defaults, cells, failed, unlike, remark
    )


@contextmanager
def refused(kind, text):
    """Expect an exception whose message is, or ends with "…" and begins with, a text."""
    try:
        yield
    except kind as err:
        said = err.args[0] if err.args else ""
        assert said == text or (text.endswith("…") and str(said).startswith(text[:-1])), said
    else:
        raise AssertionError(f"no {kind}: {text}")


def layouts(shape, rng):
    """The same values as they may lie in memory."""
    values = np.array(rng.standard_normal(shape))
    yield values
    yield np.asfortranarray(values)
    wide = np.zeros(tuple(2 * n + 1 for n in shape))
    strided = wide[(*(slice(1, None, 2) for _ in shape), ...)]
    strided[...] = values
    yield strided
    if shape:
        yield np.ascontiguousarray(values[::-1])[::-1]
        yield np.moveaxis(np.ascontiguousarray(np.moveaxis(values, 0, -1)), -1, 0)
        yield np.broadcast_to(values[:1], shape) if shape[0] else values


SHAPES = [(), (0,), (1,), (7,), (300,), (2, 3), (3, 0), (1, 5), (5, 1), (3, 1, 4), (2, 3, 4, 5), (140, 3), (3, 140)]


def check_elementwise_on_every_layout():
    add, rng = make(ADD), np.random.default_rng(1)
    for shape in SHAPES:
        for x, y in itertools.product(layouts(shape, rng), repeat=2):
            z = add(x, y)
            assert type(z) is np.ndarray and np.array_equal(z, x + y)
            assert z.strides == (x + y).strides or z.size <= 1 or 1 in shape, (x.strides, y.strides, z.strides)


def check_broadcasting():
    add, rng = make(ADD), np.random.default_rng(2)
    shapes = [(), (1,), (3,), (2, 1), (2, 3), (4, 1, 3), (4, 2, 1), (0, 3), (1, 1, 1, 1)]
    for one, other in itertools.product(shapes, repeat=2):
        for x, y in zip(layouts(one, rng), layouts(other, rng)):
            try:
                expected = x + y
            except ValueError as err:
                with refused(ValueError, str(err)):
                    add(x, y)
            else:
                z = add(x, y)
                assert z.shape == expected.shape and np.array_equal(z, expected)


def check_loops_in_blocks():
    add, floats, scale, rng = make(ADD), make(ADD_FLOATS), make(SCALE), np.random.default_rng(7)
    for shape in [(300, 3), (90, 8), (66, 70), (20, 33), (60, 3, 3), (3, 3, 60), (5, 130, 2)]:
        for ones in itertools.product([0, 1], repeat=len(shape)):
            smaller = tuple(1 if one else n for one, n in zip(ones, shape))
            for x, y in itertools.product(layouts(shape, rng), layouts(smaller, rng)):
                assert np.array_equal(add(x, y), x + y)
                x, y = (a.astype("f4") if 0 in a.strides else a.astype("f4", order="K") for a in (x, y))
                assert np.array_equal(floats(x, y), x + y) and np.array_equal(floats(x[..., ::-1], y), x[..., ::-1] + y)
        for x, y in itertools.product(layouts(shape, rng), repeat=2):
            assert np.array_equal(scale(x, np.array(2.0), y), x * 2 + y)
            for out in layouts(shape, rng):
                if 0 not in out.strides:
                    assert add(x, y, out=out) is out and np.array_equal(out, x + y)
    x = rng.random((1600, 1600))[:, :40].T
    assert np.array_equal(add(np.ascontiguousarray(x), x), x + x)
    for x in (rng.random(3001), rng.random((2, 2101))[:, 1:]):
        assert np.array_equal(scale(x, np.array(2.0), np.array(3.0)), x * 2 + 3)


def check_as_many_dimensions_as_numpy_has():
    add, x = make(ADD), np.ones((1,) * 63 + (2,))
    assert np.array_equal(add(x, np.moveaxis(x, -1, 0)), x + np.moveaxis(x, -1, 0))
    assert make(SUM)(x) == 2


def check_a_loop_that_fails_half_way():
    seen = []
    root = make(ROOT, failed=lambda step, inputs, error: seen.append((step, inputs, error)))
    x = np.array([[4.0, 1.0], [-1.0, 4.0]])
    for given in (x, x.T, x[:, ::-1]):
        with refused(ArithmeticError, "negative"):
            root(given)
        (step, inputs, error), seen[:] = seen[0], []
        assert step == 7 and inputs[0] is given and type(error) is ArithmeticError
    assert np.array_equal(root(np.abs(x)), np.sqrt(np.abs(x)))


def check_writing_over_an_argument():
    over = make(ADD_OVER)
    x, y = np.arange(6.0).reshape(2, 3), np.ones((2, 3))
    assert over(x, y) is y and np.array_equal(y, x + 1)
    for y in (np.ones((2, 3), order="F"), np.ones((4, 3))[::2]):
        assert over(x, y) is y and np.array_equal(y, x + 1)
    for y in (np.ones(3), np.ones((1, 3)), np.broadcast_to(np.ones(3), (2, 3))):
        before = y.copy()
        assert over(x, y) is not y and np.array_equal(y, before)
    y = np.ones((2, 3))
    y.flags.writeable = False
    assert np.array_equal(over(x, y), x + 1) and np.array_equal(y, np.ones((2, 3)))
    both = np.arange(4.0)
    assert np.array_equal(over(both[:-1], both[1:]), [1, 3, 5]) and np.array_equal(both, np.arange(4.0))
    assert np.array_equal(over(both, both), both * 2) and np.array_equal(both, np.arange(4.0))
    folded = as_strided(np.arange(4.0), (3, 2), (8, 8))
    assert np.array_equal(over(np.ones((3, 2)), folded), [[1, 2], [2, 3], [3, 4]]) and folded[2, 1] == 3
    number = np.array(3.0)
    assert over(np.array(2.0), number) is number and number == 5


def asked_parts(n, rows, elements, begins, steps, turns):
    """How many parts rows have of operands: where they begin, bytes from element to element, and from row to row."""
    each = [(ctypes.c_ssize_t * 5)(*numbers) for numbers in (begins, steps, turns)]
    return C.checks_asking(*map(ctypes.c_ssize_t, (n, rows, elements)), *each, len(steps))


def check_runs_that_ask_for_what_comes():
    """Each element is computed once, and nothing else is touched, however long a run is and wherever it begins."""
    for sizes in ((8, 8), (4,), (8, 0, 8), (4, 8, 4, 0, 8), (1, 1), (16, 16), (2, 4)):
        for n in (0, 1, 2047, 2048, 4095, 8192, 16384 + 77, 70001):
            arrays = [np.zeros(n * size + 128, np.int8) for size in sizes]
            parts = asked_parts(n, 1, n, [array.ctypes.data + 64 for array in arrays], sizes, sizes)
            assert (parts > 1) == (n * sum(sizes) >= 65536), (sizes, n, parts)
            for size, array in zip(sizes, arrays):
                before, own, behind = np.split(array, [64, 64 + n * size])
                assert (own == 1).all() and not before.any() and not behind.any()


TURNS = (lambda row: row, lambda row: row + 40, lambda row: 0, lambda row: -row - 8)


def check_rows_that_ask_for_what_comes():
    """The same of rows: that follow one another, lie apart or backwards, or are one row again and again."""
    ways, lengths = itertools.product(range(len(TURNS)), repeat=2), (1, 20, 63, 64, 127, 128, 316, 1200)
    for n, rows, way, elements in itertools.product(lengths, (1, 2, 47), ways, (1, 1 << 20)):
        sizes = (8, 4, 0)
        turns = [*(TURNS[of](n * size) for of, size in zip(way, sizes)), 8]
        arrays = [np.zeros(rows * (n * size + 40) + 128, np.int8) for size in sizes]
        begins = [array.ctypes.data + 64 + max(0, -turn) * (rows - 1) for array, turn in zip(arrays, turns)]
        wanted = [np.zeros_like(array) for array in arrays]
        for array, begin, whole, size, turn in zip(arrays, begins, wanted, sizes, turns):
            for row in range(rows):
                first = begin - array.ctypes.data + row * turn
                whole[first : first + n * size] += 1
        parts = asked_parts(n, rows, elements, begins, sizes, turns)
        assert parts == rows * (n // 64 if n >= 128 and elements > 1 else 1), (n, rows, elements, parts)
        assert all(np.array_equal(array, whole) for array, whole in zip(arrays, wanted)), (n, rows, way, elements)


def check_reductions_on_every_layout():
    rng = np.random.default_rng(3)
    functions = {0: make(SUM0), 1: make(SUM1), None: make(SUM)}
    maximum = make(MAX0)
    for shape in [*SHAPES, (9, 9, 9), (2, 300), (300, 2), (1, 17, 1), (4103,), (3, 2100)]:
        for x in layouts(shape, rng):
            for axis, f in functions.items():
                here = axis if axis is None or axis < x.ndim else ()
                found = f(x)
                assert found.shape == np.shape(x.sum(here)) and np.allclose(found, x.sum(here))
            if not x.ndim or x.shape[0]:
                assert np.array_equal(maximum(x), x.max(axis=0, keepdims=True) if x.ndim else x)
            else:
                with refused(ValueError, "zero-size array to reduction operation maximum which has no identity"):
                    maximum(x)


def check_columns_whose_elements_lie_far_apart():
    """What no near cache holds is read row by row through many columns: whole groups of sets, and what is left."""
    f, x = make(SUM0), np.random.default_rng(4).normal(size=(71, 16_001))
    for given in (x, x[::-1], np.repeat(x, 2, axis=1)[:, ::2], x[:, ::-1]):
        assert np.allclose(f(given), given.sum(0))


def check_reductions_into_given_arrays():
    f, x = make(SUM0), np.arange(12.0).reshape(3, 4)
    for out in (np.empty(4), np.empty(8)[::2], np.empty(4)[::-1]):
        assert f(x, out=out) is out and np.array_equal(out, x.sum(0))
    for out in (np.ones(4), np.ones(8)[::2]):
        assert f(np.empty((0, 4)), out=out) is out and not out.any()
    assert f(x, out=x[1]) is not None and np.array_equal(x[1], np.arange(12.0).reshape(3, 4).sum(0))
    with refused(ValueError, "f() got out= of shape (5,), and result 0 has shape (4,); pass np.empty((4,), 'float64')"):
        f(x, out=np.empty(5))


def check_groups_on_every_layout():
    expand, total, rng = make(EXPAND), make(TOTAL), np.random.default_rng(4)
    for shape in SHAPES:
        for x, y in itertools.product(layouts(shape, rng), repeat=2):
            x = np.abs(x, out=np.empty_like(x)) if 0 not in x.strides else np.broadcast_to(abs(x[:1]), x.shape)
            C.checks_roots()
            z = expand(x, y)
            assert C.checks_roots() == x.size and np.array_equal(z, np.sqrt(x) + y)
            assert z.strides == (x + y).strides or 1 in shape or z.size <= 1
            assert np.allclose(total(x, y), z.sum(0 if shape else None)) and C.checks_roots() == x.size


def told(what):
    """What failing calls told: which node, the exception, and of each input its shape and whether it lay in memory."""

    def shown(value):
        return (value.shape, True) if isinstance(value, np.ndarray) else (value[1], False)

    return [(node, type(error), [shown(value) for value in inputs]) for node, inputs, error in what]


SMALL = [(), (1,), (3,), (2, 1), (2, 3), (1, 3), (4, 1, 3), (4, 2, 1), (0, 3), (0, 1), (2, 2)]


def check_groups_of_other_shapes():
    seen, rng = [], np.random.default_rng(5)
    expand, total, simply = (make(which, failed=lambda *what: seen.append(what)) for which in (EXPAND, TOTAL, SIMPLY))
    for one, other in itertools.product(SMALL, repeat=2):
        for x, y in zip(layouts(one, rng), layouts(other, rng)):
            x = np.abs(x)
            try:
                wanted = np.sqrt(x) + y
            except ValueError as err:
                for f in (expand, total, simply):
                    with refused(ValueError, str(err)):
                        f(x, y)
                assert told(seen) == [(11, ValueError, [(one, False), (other, True)])] * 3 and not C.checks_roots()
                assert all(inputs[0][0] == np.dtype("f8") and inputs[1] is y for _, inputs, _ in seen)
                seen.clear()
                continue
            C.checks_roots()
            z = expand(x, y)
            assert z.shape == wanted.shape and np.array_equal(z, wanted) and C.checks_roots() == x.size
            assert np.allclose(total(x, y), wanted.sum(0 if wanted.ndim else None)) and C.checks_roots() == x.size
            assert np.array_equal(simply(x, y), wanted) and C.checks_roots() == wanted.size
            out = np.empty(wanted.shape)
            assert expand(x, y, out=out) is out and np.array_equal(out, wanted)
            C.checks_roots()


def check_groups_of_several_outputs():
    seen, rng = [], np.random.default_rng(6)
    twice, pair = (make(which, failed=lambda *what: seen.append(what)) for which in (TWICE, PAIR))
    for shapes in itertools.product(SMALL, repeat=3):
        x, y, z = (rng.random(shape) for shape in shapes)
        C.checks_roots()
        for one, other in ((x, y), (y[()], z)):
            assert all(np.array_equal(*both) for both in zip(pair(one, other), (np.sqrt(one), np.sqrt(other))))
            assert C.checks_roots() == one.size + other.size
        first = np.broadcast_shapes(x.shape, y.shape) if broadcast(x, y) else None
        if broadcast(x, y, z) is None:
            where = [(11, ValueError, [(first, False), (z.shape, True)])]
            if first is None:
                where = [(10, ValueError, [(x.shape, True), (y.shape, True)])]
            shown = " ".join(str(shape).replace(", ", ",") for shape, _ in where[0][2])
            with refused(ValueError, f"operands could not be broadcast together with shapes {shown} "):
                twice(x, y, z)
            assert told(seen) == where
            seen.clear()
            continue
        wanted = x + y, np.sqrt(x + y + z)
        outs = [np.empty_like(w) for w in wanted]
        for found in (twice(x, y, z), twice(x, y, z, out=outs), twice(x, y, z, out=[None, outs[1]])):
            assert all(f.shape == w.shape and np.array_equal(f, w) for f, w in zip(found, wanted))
        assert found[1] is outs[1]


def broadcast(*arrays):
    """The shape of arrays together, or None."""
    try:
        return np.broadcast(*arrays)
    except ValueError:
        return None


def check_groups_that_fail():
    seen = []
    functions = [make(which, failed=lambda *what: seen.append(what)) for which in (EXPAND, TWICE, PAIR, TOTAL)]
    expand, twice, pair, total = functions
    good, column, bad = np.ones((2, 3)), np.ones((2, 1)), -np.ones((2, 3))
    two, three, narrow = ((2, 3), True), ((3,), True), -np.ones(3)
    for f, given, node, inputs in [
        (expand, (bad, good), 10, [two]),
        (expand, (narrow, good), 10, [three]),
        (total, (bad, good), 10, [two]),
        (total, (narrow, good), 10, [three]),
        (total, (np.r_[np.ones((99, 4)), -np.ones((1, 4))], np.ones(4)), 10, [((100, 4), True)]),
        (pair, (bad, bad), 10, [two]),
        (pair, (good, bad), 11, [two]),
        (pair, (good, narrow), 11, [three]),
        (pair, (np.ones(7), narrow), 11, [three]),
        (twice, (good, good, 3 * bad), 12, [((2, 3), False)]),
        (twice, (column, good, 3 * bad), 12, [((2, 3), False)]),
        (twice, (column, column, 3 * bad), 12, [((2, 3), False)]),
        (twice, (column, column, -3 * column[0]), 12, [((2, 1), False)]),
    ]:
        with refused(ArithmeticError, "negative"):
            f(*given)
        assert told(seen) == [(node, ArithmeticError, inputs)], seen
        seen.clear()


def check_groups_that_write_over_an_argument():
    over = make(EXPAND_OVER)
    x, y = np.full((2, 3), 4.0), np.ones((2, 3))
    assert over(x, y) is y and (y == 3).all()
    for y in (np.ones((2, 3), order="F"), np.ones((4, 3))[::2]):
        assert over(x, y) is y and (y == 3).all()
    for given, y in ((x[:1], np.ones((2, 3))), (x, np.ones((1, 3))), (x[0], np.ones((2, 3), order="F"))):
        before = y.copy()
        z = over(given, y)  # as two loops: over nothing; or y is smaller
        assert z is not y and (z == 3).all() and z.shape == (2, 3) and np.array_equal(y, before)


def check_groups_that_read_through_views():
    seen, rng = [], np.random.default_rng(7)
    turned, total = (make(which, failed=lambda *what: seen.append(what)) for which in (TURNED, TURNED_TOTAL))
    for one, other in itertools.product([shape for shape in [*SMALL, (140, 3), (1, 140)] if len(shape) == 2], repeat=2):
        for x, y in zip(layouts(one, rng), layouts(other, rng)):
            x = np.abs(x, out=np.empty_like(x))
            try:
                wanted = np.sqrt(x.T) + y
            except ValueError as err:
                for f in (turned, total):
                    with refused(ValueError, str(err)):
                        f(x, y)
                assert told(seen) == [(11, ValueError, [(x.T.shape, False), (other, True)])] * 2
                assert not C.checks_roots()
                seen.clear()
                continue
            C.checks_roots()
            assert np.array_equal(turned(x, y), wanted) and C.checks_roots() == x.size
            assert np.allclose(total(x, y), wanted.sum(0)) and C.checks_roots() == x.size
            out = np.empty(wanted.shape, order="F")
            assert turned(x, y, out=out) is out and np.array_equal(out, wanted)
            C.checks_roots()
            if y.shape == wanted.shape and y.flags.writeable and np.ndim(y) and 0 not in y.strides:
                assert turned(x, y, out=y) is y and np.array_equal(y, wanted)
                C.checks_roots()
    for x, y in ((-np.ones((2, 3)), np.ones((3, 2))), (-np.ones((1, 3)), np.ones((3, 2)))):
        for f in (turned, total):
            with refused(ArithmeticError, "negative"):
                f(x, y)
            ((node, (value,), _),) = seen
            assert node == 10 and value.shape == x.T.shape and np.shares_memory(value, x)
            seen.clear()
    C.checks_roots()


def check_views_of_views():
    seen, x = [], np.abs(np.random.default_rng(8).standard_normal((3, 4)))
    slid = make(SLID, failed=lambda *what: seen.append(what))
    for n in range(-4, 4):
        for kind in "bhilqBHILQ" if n >= 0 else "bhilq":
            assert np.array_equal(slid(x, np.array(n, kind)), np.sqrt(x.T[n:]) + x.T[n])
    for n in (4, -5, 2**62, -(2**63)):
        with refused(IndexError, f"index {n} is out of bounds for axis 0 with size 4"):
            slid(x, np.array(n))
        assert told(seen) == [(22, IndexError, [((4, 3), True), ((), True)])]
        assert np.shares_memory(seen[0][1][0], x)
        seen.clear()
    with refused(OverflowError, "Python int too large to convert to C long"):
        slid(x, np.array(2**63, "u8"))
    with refused(IndexError, "index 0 is out of bounds for axis 0 with size 0"):
        slid(np.empty((3, 0)), np.array(0))
    C.checks_roots()


def check_views_written_over():
    over = make(REVERSED)
    x = np.arange(9.0).reshape(3, 3)
    wanted = np.sqrt(x.T) + x
    z = over(x)  # reads what it would write over
    assert z is not x and np.array_equal(z, wanted) and np.array_equal(x, np.arange(9.0).reshape(3, 3))
    x = np.full((1, 1), 4.0)
    assert np.array_equal(over(x), [[6.0]])
    C.checks_roots()


def check_views_as_arrays():
    seen = []
    functions = [make(which, failed=lambda *what: seen.append(what)) for which in (VIEW, AT, EVERY, SQUEEZED)]
    view, at, every, squeezed = functions
    x = np.arange(12.0).reshape(3, 4)[:, ::-1]
    for n in [*range(-5, 6), 2**63 - 1, -(2**63)]:
        for f, wanted in ((view, x[n:]), (every, x[::n] if n else None)):
            if wanted is not None:
                made = f(x, np.array(n))
                assert np.array_equal(made, wanted) and made.flags.writeable
                assert np.shares_memory(made, x) == (made.size > 0)
                assert made.strides == wanted.strides or not made.size or made.shape[0] == 1
    assert every(x, np.array(2**64 - 1, "u8")).shape == (1, 4) and view(x, np.array(2**64 - 1, "u8")).shape == (0, 4)
    x.flags.writeable = False
    assert not at(x, np.array(-1)).flags.writeable and np.array_equal(at(x, np.array(1, "i1")), x[1])
    with refused(ValueError, "slice step cannot be zero"):
        every(x, np.array(0))
    with refused(ValueError, "cannot select an axis to squeeze out which has size not equal to one"):
        squeezed(x)
    assert told(seen) == [(30, ValueError, [((3, 4), True), ((), True)]), (31, ValueError, [((3, 4), True)])]
    assert squeezed(x[:1]).shape == (4,)


def check_binding_of_arguments():
    x, y = np.ones(2), np.arange(2.0)
    f = make(ADD)
    name = "".join(["x"])  # equal, another object
    assert np.array_equal(f(y=y, x=x), x + y) and np.array_equal(f(x, **{"".join(["y"]): y}), x + y)
    with refused(TypeError, "f() missing required argument 'y' (position 2)"):
        f(x)
    with refused(TypeError, "f() missing required argument 'x' (position 1)"):
        f(y=y)
    with refused(TypeError, "f() takes 2 positional arguments but 3 were given"):
        f(x, y, y)
    with refused(TypeError, "f() got multiple values for argument 'x'"):
        f(x, y, **{name: x})
    with refused(TypeError, "f() got an unexpected keyword argument 'w'; it takes x, y, out"):
        f(x, y, w=x)
    f = make(ADD, defaults=(None, (y,)), name="g")
    assert np.array_equal(f(x), x + y) and np.array_equal(f(x, x), x + x) and np.array_equal(f(x=x, out=None), x + y)
    p = make(PERFORM, performs=(lambda a, b: (a, b),))
    with refused(TypeError, "f() missing required argument at position 1"):
        p(y=y)
    with refused(TypeError, "f() got an unexpected keyword argument 'x'; it takes y, out, and 1 by position only, …"):
        p(x, x=y)
    assert make(NOTHING)() is None
    with refused(TypeError, "f() takes 0 positional arguments but 1 was given"):
        make(NOTHING)(x)


class Text(str):
    __slots__ = ()

    def __eq__(self, other):
        raise OSError("compared")

    __hash__ = str.__hash__


def check_keywords_that_cannot_be_compared():
    with refused(OSError, "compared"):
        make(ADD)(np.ones(2), **{Text("y"): np.ones(2)})


def check_conversion_of_arguments():
    f, x = make(ADD), np.ones(2)
    assert np.array_equal(f([1, 2], x), [2, 3]) and f(1, 2) == 3
    error = KeyError("mine")
    with refused(KeyError, "mine"):
        f(x, error)
    f = make(ADD, convert=lambda index, value: index)
    with refused(TypeError, "Doubles.filter returned int, for which the type's own c_accept is false"):
        f(x, "y")


class Config:
    floatX = "float32"


def rule(dtype="f8", shape=(None,), strict=False, downcast=None, writeable=False, name="x", config=None):
    return (np.dtype(dtype).num, shape, strict, downcast, writeable, name, config)


def check_rules_for_arguments():
    f = make(ADD, rules=(rule(), rule(shape=(2,), name="y")), convert=None)
    x = np.ones(2)
    for one in ([1, 2], (1.0, 2.0), [True, False], np.array([1, 2], "i2"), np.array([1, 2], ">f8")):
        for other in (x, [np.float32(2), 3], np.ones(4)[::2].astype("f4")):
            assert np.array_equal(f(one, other), np.add(one, other))
    expected = "float64 of shape (?,)"
    for given, said in [
        ("ab", "str 'ab': not numeric; pass numbers"),
        (None, "None: not numeric; pass numbers"),
        (1, "int 1; pass [x]"),
        ([2**53 + 1], f"list [{2**53 + 1}]: its value would change; pass np.asarray(x, 'float64')"),
        ([2**64 + 1], f"list [{2**64 + 1}]; pass smaller numbers"),
        ([10**400], f"list [{str(10**400)[:20]}...; pass smaller numbers"),
        ([[1], [1, 2]], "list [[1], [1, 2]]: NumPy refuses it; pass rows of one length"),
        (np.ones(2, "c16"), "complex128 of shape (2,); pass x.real"),
        (np.ma.array([1.0], mask=[1]), "masked float64 of shape (1,); pass x.filled()"),
    ]:
        with refused(TypeError, f"f() argument 'x': expected {expected}, got {said}"):
            f(given, x)
    with refused(
        TypeError,
        "f() argument 'y': expected float64 of shape (2,), got list [1, 2, 3]; pass np.asarray(y, 'float64')[:2]",
    ):
        f(x, [1, 2, 3])
    assert np.array_equal(f([2**64], x), [2.0**64 + 1] * 2)


class Wrong:
    """An object of which NumPy can make nothing, or that cannot even be shown."""

    def __init__(self, error, shown="Wrong"):
        self.error, self.shown = error, shown

    def __array__(self, dtype=None, copy=None):
        raise self.error

    def __repr__(self):
        if self.shown is None:
            raise self.error
        return self.shown


def check_errors_of_arguments_themselves():
    f = make(ADD, rules=(rule(), rule()), convert=None)
    for error, args in [
        (OSError(1, "mine"), (1, "mine")),
        (KeyError("mine", 2), ("f() argument 'x': mine", 2)),
        (KeyError(), ("f() argument 'x'",)),
    ]:
        try:
            f(Wrong(error), 1)
        except Exception as err:
            assert err is error and err.args == args, err.args
            err.args = ()
    with refused(TypeError, "f() argument 'x': expected …"):
        f(Wrong(ValueError("mine")), 1)
    with refused(ValueError, "f() argument 'x': mine"):
        f(Wrong(ValueError("mine"), None), 1)
    try:
        f(Wrong(KeyboardInterrupt("mine")), 1)
    except KeyboardInterrupt as err:
        assert err.args == ("mine",)


def check_rules_of_every_kind():
    f = make(ADD, rules=(rule("f4", (), False, None, False, "x", Config), rule("f8", ())), convert=None)
    with refused(TypeError, "Doubles.filter returned numpy.ndarray, for which the type's own c_accept is false"):
        f(0.1, 1)  # it is of float32, which unit.c does not take
    with refused(TypeError, "f() argument 'x': expected float32 of shape (), got …"):
        f(np.float64(0.1), 1)
    for config in (object(), type("C", (), {"floatX": property(lambda self: 1 / 0)})()):
        with refused((AttributeError, ZeroDivisionError), "f() argument 'x': …"):
            make(ADD, rules=(rule("f4", (), config=config), None))(0.1, 1)
    f = make(ADD, rules=(rule(strict=True), rule(writeable=True, name="y")), convert=None)
    x = np.ones(2)
    for given, other, said in [
        ([1.0], x, "list [1.0]: strict converts nothing; pass np.asarray(x, 'float64')"),
        (np.ones(2, ">f8"), x, "byte-swapped: strict converts nothing; pass x.astype('float64')"),
        (np.ones(2, "i4"), x, "int32 of shape (2,): strict converts nothing; pass x.astype('float64')"),
        (x, [1.0], "list [1.0]: in place; pass np.asarray(y, 'float64')"),
        (x, np.broadcast_to(1.0, 2), "float64 of shape (2,), read-only; pass y.copy()"),
    ]:
        try:
            f(given, other)
        except TypeError as err:
            assert str(err).endswith(f" {said}"), err
    f = make(ADD, rules=((*rule("f8", ()), True), (*rule("f8", ()), True)), convert=None)
    for one, other in [
        (2**53 + 1, 1.5),
        (np.float32(2.5), True),
        (np.int64(3), 2**70),
        (np.uint8(7), np.float64("inf")),
    ]:
        for _ in range(3):
            assert f(one, other) == float(one) + float(other)
    with refused(OverflowError, "f() argument 'x': expected …"):
        f(10**400, 1)
    owner = type("V", (), {"owner": None, "type": type("T", (), {"filter": None})})
    f = make(ADD, rules=(rule("f8", (), downcast=True), rule("f8", (), downcast=True)), convert=None)
    assert f(2**53 + 1, 1.5) == 2.0**53 + 2 and f(1j, np.clongdouble(2)) == 2
    with refused(TypeError, "f() argument 'x': expected …"):
        f(owner(), 1)
    rest = (False, None, False, "x", None)
    for wrong in ((), (1,), (1000, (), *rest), (12, (None,) * 65, *rest), (12, (1.5,), *rest), (12, (2**70,), *rest)):
        try:
            make(ADD, rules=(wrong, None))("a", 1)
        except (TypeError, ValueError, OverflowError):
            continue
        raise AssertionError(wrong)


def check_calls_without_a_walk():
    seen = []
    add = make(ADD_PLAIN, name="g", failed=lambda *what: seen.append(what))
    both, root = make(BOTH_PLAIN), make(ROOT_PLAIN, failed=lambda *what: seen.append(what))
    x, y = np.arange(6.0).reshape(2, 3), np.ones(3)
    count = sys.getrefcount(x)
    for one, other in [(x, y), (x.T, x.T), (x, [1, 1, 1]), ([1], [2]), (1, np.float32(2)), (x[:0], y), (x, x)]:
        z = add(one, other)
        assert np.array_equal(z, np.add(one, other)) and z.flags.owndata and sys.getrefcount(z) == 2
    first, second = both(x, [1, 1, 1])
    assert np.array_equal(first, x + y) and np.array_equal(second, x + y) and first is not second
    assert root(x).tolist() == np.sqrt(x).tolist() and root(np.array(4.0)).shape == ()
    assert np.array_equal(add(y=y, x=x), x + y) and add(x, y, out=(out := np.empty((2, 3)))) is out
    with refused(ValueError, "operands could not be broadcast together with shapes (2,3) (2,) "):
        add(x, [1, 2])
    assert seen[-1][0] == 0 and seen[-1][1][0] is x
    with refused(ArithmeticError, "negative"):
        root(-x)
    assert seen[-1][0] == 7
    expand = make(EXPAND_PLAIN, failed=lambda *what: seen.append(what))
    assert np.array_equal(expand(x, y), np.sqrt(x) + y) and np.array_equal(expand(y, x), np.sqrt(y) + x)
    with refused(ArithmeticError, "negative"):
        expand(-x, y)
    for wrong in (lambda: add(x), lambda: add(x, y, y), lambda: add(x, z=y)):
        with refused(TypeError, "g() …"):
            wrong()
    for given in (ValueError("mine"), KeyError("mine")):
        try:
            add([1], given)
        except (ValueError, KeyError) as err:
            assert err is given
            err.__traceback__ = None
    seen.clear()
    strange = make(ADD_PLAIN, convert=lambda index, value: value)
    with refused(TypeError, "Plain.filter returned str, for which the type's own c_accept is false"):
        strange(x, "a")
    del one, other
    assert sys.getrefcount(x) == count


def check_remarks_about_floating_point():
    seen, large = [], np.array([1e308, 1.0])

    def remark(word, values, function):
        seen.append((word, values, function))
        if values[0] is large:
            raise FloatingPointError("asked for")

    for position in (ADD, ADD_PLAIN):
        f = make(position, remark=remark)
        assert f([1.0], [2.0]) == 3 and f([np.nan], [np.inf]).shape == (1,) and not seen
        assert np.isinf(f([1e308], 1e308)) and seen[0][0] == 2 and seen[0][2] is f and float(seen[0][1][0][0]) == 1e308
        out = np.zeros(2)
        for call in (
            lambda f=f: f(large, large),
            lambda f=f, out=out: f(large, large, out=out),
            lambda f=f: f(large, y=large),
        ):
            with refused(FloatingPointError, "asked for"):
                call()
        assert np.isinf(out[0]) and f(large, 1.0).tolist() == [1e308, 2.0]
        assert len(seen) == 4
        del f, call
        seen.clear()
    f = make(ROOT, remark=remark)
    with refused(ArithmeticError, "negative"):
        f(-large)
    assert 1e308 * 10 == np.inf and f([4.0]) == 2 and not seen


def check_storage_for_results():
    f, x, y = make(ADD), np.arange(3.0), np.ones(3)
    for out in (np.empty(3), np.empty(6)[::2], np.empty(3)[::-1], x.copy(), y.copy()):
        assert f(x, y, out=out) is out and np.array_equal(out, x + y)
    both = np.arange(5.0)
    assert f(both[:3], y, out=both[2:]) is not None and np.array_equal(both, [0, 1, 1, 2, 3])
    square = np.arange(9.0).reshape(3, 3)
    assert f(square, square.T, out=square) is square and np.array_equal(square[0], [0, 4, 8])
    with refused(ValueError, "f() got out= of shape (4,), and result 0 has shape (3,); pass np.empty((3,), 'float64')"):
        f(x, y, out=np.empty(4))
    with refused(ValueError, "f() cannot write result 0 to an array whose elements share memory with one another: …"):
        f(x, y, out=as_strided(np.empty(3), (3,), (0,)))
    with refused(TypeError, "f() out: an output of type Doubles cannot be written into a given object; pass None"):
        f(x, y, out="z")
    f = make(ADD, outs=(rule(shape=(3,), writeable=True),))
    expected = "writeable float64 of shape (3,)"
    advice = "pass np.empty((3,), 'float64')"
    for wrong, kind, fault in [
        ("z", TypeError, f"str 'z'; {advice}"),
        (np.empty(3, "f4"), TypeError, f"float32 of shape (3,); {advice}"),
        (np.empty(3, ">f8"), TypeError, f", byte-swapped; {advice}"),
        (np.broadcast_to(x, (3,)), TypeError, f", read-only; {advice}"),
        (np.empty(25, "i1")[1:].view("f8"), TypeError, f", misaligned; {advice}"),
        (np.empty(3).view(np.recarray), TypeError, "recarray float64 of shape (3,); pass out.view(np.ndarray)"),
        (np.empty((3, 1), "f4"), TypeError, f"float32 of shape (3, 1); {advice}"),
        (np.empty(4, "f4"), ValueError, f"float32 of shape (4,); {advice}"),
    ]:
        try:
            f(x, y, out=wrong)
        except kind as err:
            assert str(err).startswith(f"f() out: expected {expected}, got ") and str(err).endswith(fault), err
        else:
            raise AssertionError(fault)
    rules = (rule(shape=(None, 2), writeable=True),) * 2
    with refused(TypeError, "f() out[1]: expected writeable float64 of shape (?, 2), got int 3; pass None"):
        make(BOTH, outs=rules)(x, y, out=[None, 3])
    with refused(TypeError, "…"):
        make(ADD, outs=(("a",),))(x, y, out=3)
    with refused(TypeError, "f() got out= of length 2, expected 1: an array or None for each result"):
        f(x, y, out=[None, None])
    assert np.array_equal(f(x, y, out=[None]), x + y)


def check_storage_for_several_results():
    f, x, y = make(BOTH), np.arange(3.0), np.ones(3)
    one, other = np.empty(3), np.empty(3)
    found = f(x, y, out=(one, other))
    assert type(found) is list and found[0] is one and found[1] is other and np.array_equal(one, other)
    found = f(x, y, out=[None, other])
    assert found[0] is not other and found[1] is other
    with refused(ValueError, "f() cannot write results 0 and 1 to arrays that share memory: pass two"):
        f(x, y, out=[one, one])
    apart = np.empty(6)
    assert f(x, y, out=[apart[::2], apart[1::2]]) is not None and np.array_equal(apart, [1, 1, 2, 2, 3, 3])
    with refused(TypeError, "f() got numpy.ndarray as out=, expected a list of 2: an array or None for each result"):
        f(x, y, out=one)
    x, y = np.arange(3.0), np.ones(3)
    found = f(x, y, out=[x, y])  # what is still read is copied to only at the end
    assert found[0] is x and np.array_equal(x, [1, 2, 3]) and np.array_equal(y, [1, 2, 3])


def check_calls_of_python():
    seen = []

    def perform(x, y):
        seen.append((x, y))
        return x * 2, y

    f, x = make(PERFORM, performs=(perform,)), np.arange(3.0)
    y = np.ones((2, 2))
    doubled, same = f(x, y)
    assert np.array_equal(doubled, x * 2) and same is y and seen[0][0] is x and seen[0][1] is y
    for given, kind, text in [
        ((x,), SystemError, "a perform gave tuple, expected a tuple of 2"),
        (x, SystemError, "a perform gave numpy.ndarray, expected a tuple of 2"),
        ((1, x), TypeError, "no array"),
        (("1", x), TypeError, "no array"),
        ((np.ones((2, 2)), x), TypeError, "Careful.c_extract took an array of dtype float64 and ndim 2, or one …"),
        ((np.ones(2, "i4"), x), TypeError, "Careful.c_extract took an array of dtype int32 and ndim 1, or one …"),
    ]:
        with refused(kind, text):
            make(PERFORM, performs=(lambda a, b, given=given: given,))(x, y)
    with refused(ZeroDivisionError, "division by zero"):
        make(PERFORM, performs=(lambda a, b: 1 / 0,))(x, y)


def check_one_function_within_another():
    inner, tally = make(ADD), make(TALLY, cells=(Cell([np.zeros(3)]),))
    f = make(PERFORM, performs=(lambda a, b: (inner(a, b), tally(a)),))
    x = np.arange(3.0)
    assert np.array_equal(f(x, x)[0], x + x) and np.array_equal(f(x, x)[1], x)


def check_shared_values():
    x, cell = np.ones(2), Cell([np.zeros(2)])
    first = cell[0]
    f, g = make(TALLY, cells=(cell,)), make(TALLY, cells=(cell,), name="g")
    assert f(x) is first and np.array_equal(cell[0], x) and np.array_equal(g(x), x) and np.array_equal(cell[0], x * 2)
    kept = cell[0]
    with refused(ValueError, "operands could not be broadcast together with shapes (3,) (2,) "):
        f(np.ones(3))
    assert cell[0] is kept
    cell.append(1)
    with refused(RuntimeError, "f(): the cell of a shared value holds 2 objects, not one"):
        f(x)
    del cell[1:]

    def nested(index, value):
        return f(x) if isinstance(value, str) else np.asarray(value, float)

    f = make(TALLY, cells=(cell,), convert=nested)
    with refused(RuntimeError, "f() was called from within a call that updates one of the shared values that it …"):
        f("again")
    assert cell[0] is kept

    def sets(index, value):
        if index == 1:
            cell[0] = x
            return np.zeros(2)
        return np.ones(2)

    cell[0] = [1]
    make(TALLY, cells=(cell,), convert=sets)(x)  # set while the call runs: it stays
    assert cell[0] is x


def check_turns_of_threads():
    cell, x = Cell([np.zeros(2)]), np.ones(2)
    functions = [make(TALLY, cells=(cell,), convert=lambda index, value: np.array(value, float)) for _ in range(3)]
    threads = [threading.Thread(target=lambda f=f: [f([1, 1]) for _ in range(50)]) for f in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(cell[0], x * 150)


def check_kept_storage():
    f = make(THRICE)
    for n in (3, 3, 5, 0, 3):
        x = np.arange(float(n))
        assert np.array_equal(f(x), x * 3)
    with refused(KeyError, "mine"):
        f(KeyError("mine"))
    assert np.array_equal(f(np.ones(1 << 22)[:2]), [3, 3]) and f(np.ones(1 << 22))[0] == 3  # more than is kept

    def nested(index, value):
        return f(np.asarray(value, float))

    assert make(THRICE, convert=nested)([1.0]) == 9


def check_types_that_hold_an_array():
    x, y, out = np.arange(3.0), np.ones(3), np.empty(3)
    counts = sys.getrefcount(x), sys.getrefcount(y)
    f = make(FITTED)
    assert np.array_equal(f(x, y), x + 1) and f(x, y=y, out=out) is out and np.array_equal(out, x + 1)
    assert np.array_equal(f([1, 2, 3], y), [2, 3, 4]) and np.array_equal(f(x[::-1], [1, 2, 3]), [3, 3, 3])
    loose, text = make(FITTED, convert=lambda index, value: value), "z"
    for wrong in (
        np.ones(4),
        np.ones((3, 1)),
        np.ones(3, "f4"),
        np.ones(3, ">f8"),
        np.empty(25, "i1")[1:].view("f8"),
        text,
    ):
        with refused(TypeError, f"Fitting.filter returned {'str' if wrong is text else 'numpy.ndarray'}, for which…"):
            loose(wrong, y)
        with refused((TypeError, ValueError), "f() …"):
            f(x, y, out=wrong)
    with refused(TypeError, "…"):
        loose(x, np.ones((3, 1)))
    with refused(TypeError, "…"):
        f(x, y, out=np.broadcast_to(1.0, (3,)))
    del f, loose
    assert (sys.getrefcount(x), sys.getrefcount(y)) == counts
    cell = Cell([np.zeros(3)])
    g = make(TRIPLED, cells=(cell,))
    for n in range(1, 4):
        assert g(x) is None and np.array_equal(cell[0], n * 2 * x)
    before = cell[0]
    with refused(KeyError, "mine"):
        g(KeyError("mine"))
    assert cell[0] is before
    cell[0] = "no array"
    with refused(TypeError, "…"):
        make(TRIPLED, cells=(cell,), convert=lambda index, value: value)(x)


def check_state_of_ops():
    gc.collect()
    start, x = np.array([5.0]), np.zeros(2)
    f, g = make(COUNT, constants=(start,)), make(COUNT, constants=(start,))
    assert f(x)[0] == 6 and f(x)[0] == 7 and g(x)[0] == 6 and C.checks_structs() == 2
    out = np.empty(2)
    assert f(x, out=out) is out and out[0] == 8
    del f, g
    assert C.checks_structs() == 0
    with refused(ValueError, "counts from 0"):
        make(COUNT, constants=(-np.ones(1),))
    with refused(RuntimeError, "f(): Counter.c_init_code_struct failed without setting an exception; …"):
        make(COUNT, constants=(-2 * np.ones(1),))
    for wrong in ("1", 1):
        with refused(TypeError, "no array"):
            make(COUNT, constants=(wrong,))
    with refused(TypeError, "Careful.c_extract took an array of dtype int64 and ndim 1, or one that is …"):
        make(COUNT, constants=(np.ones(1, "i8"),))
    again = make(COUNT, constants=(start,), convert=lambda index, value: again(x))
    with refused(RuntimeError, "f() was called from within a call of its own; an op in it keeps state, …"):
        again("again")


def check_ops_that_fail():
    told = []

    def failed(step, inputs, error):
        told.append((step, [type(value).__name__ for value in inputs], error))

    f = make(TROUBLE, failed=failed)
    with refused(KeyError, "asked for"):
        f(np.ones(2))
    assert told[0][:2] == (5, ["ndarray"]) and type(told[0][2]) is KeyError
    with refused(KeyError, "asked for"):  # set, and gone on
        f(2 * np.ones(2))
    out = np.zeros(2)
    with refused(KeyError, "asked for"):
        f(2 * np.ones(2), out=out)
    with refused(RuntimeError, "f(): Trouble.c_code failed without setting an exception; set one, …"):
        f(3 * np.ones(2))
    with refused(TypeError, "unlike 5 0 ndarray"):
        f(4 * np.ones(2))
    with refused(TypeError, "unlike 5 -1 ndarray"):
        f(5 * np.ones(2))
    x = 6 * np.ones(2)
    assert np.array_equal(f(x), x) and f(np.empty(0)).shape == (0,)
    told.clear()


def check_a_reporter_that_fails():
    seen, hook = [], sys.unraisablehook
    sys.unraisablehook = lambda args: seen.append(args.exc_type)
    try:
        with refused(KeyError, "asked for"):
            make(TROUBLE, failed=lambda *_: 1 / 0)(np.ones(2))
    finally:
        sys.unraisablehook = hook
    assert seen == [ZeroDivisionError]


def check_frames_that_are_large():
    f, x = make(LARGE), np.arange(3.0)
    assert np.array_equal(f(x, x), x + x)
    with refused(ValueError, "operands could not be broadcast together with shapes (3,) (2,) "):
        f(x, x[:2])


def check_what_make_refuses():
    for position in (-1, 37):
        with refused(ValueError, f"make() got {position} as function, the module has 37"):
            MODULE.make(position, "f", (), None, (), (), (), (), (), None, None)
    counts = "0 rules, 0 outs, 1 performs, 0 constants, 0 defaults and 0 cells, expected 2, 1, 0, 0, 2 and 0"
    with refused(ValueError, f"make() got {counts}"):
        MODULE.make(ADD, "f", (), None, (), (1,), (), (), (), None, None)
    with refused(TypeError, "make() got int as rule 1, expected a tuple or None"):
        MODULE.make(ADD, "f", (None, 1), None, ("",), (), (), (None, None), (), None, None)
    with refused(TypeError, "make() got NoneType as out 0, expected a tuple or a str"):
        MODULE.make(ADD, "f", (None, None), None, (None,), (), (), (None, None), (), None, None)
    with refused(TypeError, "make() got tuple as cell 0, expected a list of one"):
        MODULE.make(TALLY, "f", (None,), None, ("",), (), (), (None,), ((),), None, None)


def check_the_function_object():
    f = make(ADD, name="größe")
    assert repr(f).startswith("<opweld.Function größe at ") and type(f) is type(make(SUM)) and callable(f)
    f.maker = type("M", (), {"signature": lambda self: "(x)", "reduce": lambda self, f: (str, ("f",))})()
    assert f.__signature__ == "(x)" and f.__reduce__() == (str, ("f",))
    f.itself = f
    seen = weakref.ref(f)
    del f
    gc.collect()
    assert seen() is None
    f = make(ADD)
    with refused(AttributeError, "…"):
        f.__reduce__()


def check_init_code():
    for how, kind, text in ((1, OSError, "asked for"), (2, ImportError, "it failed without setting an exception; …")):
        C.checks_fail_init(how)
        try:
            with refused(kind, text):
                load()
        finally:
            C.checks_fail_init(0)


def check_modules_apart():
    other = load()
    f = other.make(ADD, "f", (None, None), convert, ("",), (), (), (None, None), (), None, unlike)
    assert type(f) is not type(make(ADD)) and np.array_equal(f([1], [2]), [3])
    del other
    gc.collect()
    assert np.array_equal(f([1], [2]), [3])


def failing(call, right, as_before=lambda: True):
    """Fail each allocation of a call in turn: it raises MemoryError, or is right all the same. Gives their number."""
    reached, n = ctypes.c_int(1), 0
    while reached.value:
        n += 1
        try:
            result = C.checks_call_failing(call, n, ctypes.byref(reached))
        except MemoryError:
            assert as_before()
            continue
        assert right(result), (call, n, result)
    return n


def raising(f, *args):
    """Whether a call refuses its arguments by an error that is not of memory."""
    try:
        f(*args)
    except (ValueError, ArithmeticError, IndexError):
        return True
    return False


def check_memory_that_is_refused():
    x, y, cell = np.arange(6.0).reshape(2, 3), np.ones(3), Cell([np.zeros(2)])
    start, out = np.zeros(1), np.empty((2, 3))
    add, over, both, root = make(ADD), make(ADD_OVER), make(BOTH), make(ROOT)
    perform = make(PERFORM, performs=(lambda a, b: (a, b),))
    total, tally, thrice = make(SUM0), make(TALLY, cells=(cell,)), make(THRICE)
    count, large = make(COUNT, constants=(start,)), make(LARGE)
    assert failing(lambda: add(x, y), lambda z: np.array_equal(z, x + y)) > 2
    failing(lambda: add(x, [1, 1, 1]), lambda z: np.array_equal(z, x + y))
    ruled = make(ADD, rules=(rule(shape=(2, 3)), rule()), convert=None, outs=(rule(writeable=True),))
    for given in ([1, 1, 1], [1.0, True, 1], np.ones(3, "f4"), np.ones(3, ">f8"), np.ones(3).view(np.recarray)):
        failing(partial(ruled, x, given), lambda z: np.array_equal(z, x + y))
    failing(partial(ruled, x, [2**64, 1, 1]), lambda z: np.array_equal(z, np.add(x, [2.0**64, 1, 1])))

    def refusing(given, given_out):
        with suppress(TypeError, AttributeError, SystemError):  # NumPy and CPython take a MemoryError for another
            ruled(x, given, out=given_out)
            return False
        return True

    for given in ("a", [2**53 + 1], [2**64 + 1], np.ones((3, 3), "f4"), np.ones(3, "c8"), np.ma.ones(3)):
        failing(partial(refusing, given, None), bool)
    failing(partial(refusing, y, np.empty((2, 3), "f4")), bool)
    failing(lambda: add(x.T, y[:2]), lambda z: np.array_equal(z, x.T + y[:2]))
    failing(lambda: add(x, y, out=out), lambda z: z is out and np.array_equal(z, x + y))
    failing(lambda: add(x=x, **{"".join(["y"]): y}), lambda z: np.array_equal(z, x + y))
    failing(lambda: over(x, y), lambda z: np.array_equal(z, x + y))
    failing(lambda: both(y, y, out=[None, y]), lambda z: z[1] is y)
    y[...] = 1
    failing(lambda: root(x), lambda z: np.array_equal(z, np.sqrt(x)))
    failing(lambda: total(x), lambda z: np.array_equal(z, x.sum(0)))
    expand, twice, joined = make(EXPAND), make(TWICE), make(TOTAL)
    failing(lambda: expand(x, y), lambda z: np.array_equal(z, np.sqrt(x) + y))
    assert failing(lambda: expand(y, x), lambda z: np.array_equal(z, np.sqrt(y) + x)) > 3
    assert failing(lambda: joined(y, x), lambda z: np.allclose(z, (np.sqrt(y) + x).sum(0))) > 4
    assert failing(lambda: twice(y, y, x), lambda z: np.array_equal(z[1], np.sqrt(y + y + x))) > 5
    turned, slid, view = make(TURNED), make(SLID), make(VIEW)
    failing(lambda: turned(x, x.T), lambda z: np.array_equal(z, np.sqrt(x.T) + x.T))
    assert failing(lambda: turned(x[:1], x.T), lambda z: np.array_equal(z, np.sqrt(x[:1].T) + x.T)) > 4
    failing(lambda: slid(x, start.astype(int)[0, ...]), lambda z: np.array_equal(z, np.sqrt(x.T) + x.T[0]))
    failing(lambda: view(x, start.astype(int)[0, ...]), lambda z: np.array_equal(z, x))
    hook, sys.unraisablehook = sys.unraisablehook, bool  # a reporter without memory
    failing(partial(raising, make(TURNED, failed=slice), x, y), bool)
    failing(partial(raising, make(SLID, failed=slice), x, np.array(7)), bool)
    failing(partial(raising, make(EXPAND, failed=slice), y, x.T), bool)
    failing(partial(raising, make(EXPAND, failed=slice), -y, x), bool)
    failing(partial(raising, make(TWICE, failed=slice), y, y, -3 * x[1:]), bool)
    sys.unraisablehook = hook
    failing(lambda: perform(y, x), lambda z: z[0] is y and z[1] is x)
    failing(lambda: thrice(x), lambda z: np.array_equal(z, 3 * x))
    failing(lambda: count(x), lambda z: z.shape == x.shape)
    failing(lambda: large(x, y), lambda z: np.array_equal(z, x + y))
    plain, plain_both = make(ADD_PLAIN, rules=(rule(shape=()), rule(shape=()))), make(BOTH_PLAIN)
    assert failing(lambda: plain(x, y), lambda z: np.array_equal(z, x + y)) > 2
    failing(lambda: plain(1.5, np.float32(2)), lambda z: z == 3.5)
    failing(lambda: plain_both(x, [1, 1, 1]), lambda z: np.array_equal(z[1], x + y))

    def forget():
        cell.turn = None
        return True

    before = cell[0]
    failing(lambda: tally(y[:2]), lambda z: np.array_equal(cell[0], z + 1), lambda: cell[0] is before)

    def made(position, constants=(), cells=()):  # no code in Python: where a call of that has no memory, CPython leaks
        return partial(MODULE.make, position, "f", (None,), convert, ("",), (), constants, (None,), cells, None, unlike)

    assert failing(made(TALLY, cells=(cell,)), lambda f: f(y[:2]).shape == (2,), forget) > 5
    assert failing(made(COUNT, (start,)), lambda f: np.array_equal(f(y), y + 1)) > 5
    assert failing(made(THRICE), lambda f: np.array_equal(f(y), 3 * y)) > 1
    assert C.checks_structs() == 1


def check_an_import_without_memory():
    if sys.version_info >= (3, 13):  # it dies itself where it has none for a type's dict
        return
    modules = [create() for _ in range(1000)]
    done = failing(lambda: LOADER.exec_module(modules.pop()), lambda none: none is None)
    assert modules and done > 30


# CPython leaks where it has no memory for a type.
check_an_import_without_memory.leaks = True


def settled():
    """How many blocks there are when caches hold nothing of what has gone."""
    gc.collect()
    sys._clear_type_cache()
    return C.checks_blocks()


def growth(check, times):
    """By how many blocks memory grows in so many runs."""
    before = settled()
    for _ in range(times):
        check()
    return settled() - before


def run(check):
    random.seed(1)
    check()
    if hasattr(check, "leaks"):
        return
    for _ in range(8):  # caches fill, and what others keep grows now and then: a leak grows on
        grown = growth(check, 3)
        if grown < 3:
            return
    raise AssertionError(f"{grown} blocks of memory more after 3 runs")


CHECKS = [name for name in globals() if name.startswith("check_")]

if __name__ == "__main__":
    MODULE = load()
    assert C.checks_watch() == 0
    for name in sys.argv[2:] or CHECKS:
        try:
            run(globals()[name])
            wrong = None
        except Exception:
            wrong = traceback.format_exc()
        print(json.dumps([name, wrong]), flush=True)
