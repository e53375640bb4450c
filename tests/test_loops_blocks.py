"""Loops that run in blocks: short rows, transposed operands, numbers beside arrays; elements of 1 to 32 bytes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import In
from opweld.scalar import add, expr
from opweld.tensor import Elemwise

pytestmark = pytest.mark.usefixtures("optimized")

DTYPES = ["int8", "int16", "float32", "float64", "complex128", "clongdouble"]


def values(shape, dtype, seed=0):
    """Small whole numbers, each apart from its neighbours: what is taken from a wrong place shows."""
    size = int(np.prod(shape))
    return ((np.arange(size) * 7 + seed) % 61).astype(dtype).reshape(shape)


def layouts(shape, dtype, seed=0):
    """The same values as they may lie in memory."""
    given = values(shape, dtype, seed)
    yield "C", given
    yield "F", np.asfortranarray(given)
    wide = np.zeros((*shape[:-1], shape[-1] + 1), dtype)
    wide[..., :-1] = given
    yield "sliced", wide[..., :-1]
    yield "reversed", np.ascontiguousarray(given[..., ::-1])[..., ::-1]
    apart = np.zeros(tuple(2 * n for n in shape), dtype)[tuple(slice(None, None, 2) for _ in shape)]
    apart[...] = given
    yield "apart", apart
    if len(shape) > 2:
        yield "turned", np.ascontiguousarray(np.moveaxis(given, 0, -1)).transpose(-1, *range(len(shape) - 1))


def adder(dtype, ndim_x, ndim_y):
    x, y = tensor(dtype, ndim_x, "x"), tensor(dtype, ndim_y, "y")
    return opweld.function([x, y], x + y)


# Rows of few elements; blocks that come out even and that do not; more than one short axis; few elements in all.
SHAPES = [
    (700, 3), (2, 300), (300, 2), (65, 4), (90, 8), (40, 11), (33, 20),
    (400, 3, 3), (3, 3, 90), (5, 130, 2), (130, 65), (17, 16),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
def test_operands_of_every_layout(dtype):
    for ndim, shapes in itertools.groupby(sorted(SHAPES, key=len), len):
        f = adder(dtype, ndim, ndim)
        for shape in shapes:
            outs = [out for _, out in layouts(shape, dtype)]
            for (x_is, x), (y_is, y) in itertools.product(layouts(shape, dtype), layouts(shape, dtype, 3)):
                wanted = x + y
                assert np.array_equal(f(x, y), wanted), (shape, x_is, y_is)
                for out in outs:
                    out[...] = 0
                    assert f(x, y, out=out) is out and np.array_equal(out, wanted), (shape, x_is, y_is, out.strides)


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_columns_and_numbers(dtype):
    for ndim, shapes in itertools.groupby(sorted(SHAPES, key=len), len):
        f = adder(dtype, ndim, ndim)
        for shape in shapes:
            for ones in itertools.product([0, 1], repeat=ndim):
                smaller = tuple(1 if one else n for one, n in zip(ones, shape))
                for (x_is, x), (y_is, y) in itertools.product(layouts(shape, dtype), layouts(smaller, dtype, 3)):
                    assert np.array_equal(f(x, y), x + y), (shape, smaller, x_is, y_is)
                    assert np.array_equal(f(y, x), x + y), (shape, smaller, x_is, y_is)


@pytest.mark.parametrize("dtype", DTYPES)
def test_what_is_written_over(dtype):
    x, y = tensor(dtype, 2, "x"), tensor(dtype, 2, "y")
    f = opweld.function([In(x, mutable=True), y], Elemwise(add, {0: 0})(x, y))
    for shape in [(700, 3), (90, 8), (65, 66)]:
        others = [shape, (1, shape[1]), (shape[0], 1), (1, 1)]
        for (name, x), other in itertools.product(layouts(shape, dtype), others):
            for y_is, y in layouts(other, dtype, 3):
                given, wanted = x.copy(order="K") if name != "apart" else x, x + y
                assert np.array_equal(f(given, y), wanted), (shape, name, other, y_is)
                x[...] = values(shape, dtype)
        x = values((shape[0], shape[0]), dtype)
        wanted = x + x.T
        assert np.array_equal(f(x, x.T), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
@pytest.mark.parametrize("n", [255, 2047, 2048, 2049, 5000])
def test_numbers_beside_long_rows(dtype, n):
    x, a, b = tensor(dtype, 1, "x"), tensor(dtype, 0, "a"), tensor(dtype, 0, "b")
    f = opweld.function([x, a, b], expr("x*a + b")(x, a, b))
    given, two, three = values(n, dtype), np.array(2, dtype), np.array(3, dtype)
    assert np.array_equal(f(given, two, three), given * 2 + 3)
    over = opweld.function([In(x, mutable=True), a, b], Elemwise(expr("x*a + b"), {0: 0})(x, a, b))
    wanted = given * 2 + 3
    assert np.array_equal(over(given, two, three), wanted) and np.array_equal(given, wanted)
    given = np.concatenate([values(n, dtype), [2, 3]]).astype(dtype)
    assert np.array_equal(over(given[:-2], given[-2], given[-1]), wanted)
    given[-2:] = [2, 3]
    number = given[7:8].reshape(())  # it changes as it is written over
    number[...] = 2
    wanted = given * 2 + 3
    assert np.array_equal(over(given, number, three), wanted)


def beside(place, size, dtype):
    """Memory of an array that begins so many bytes behind a line of the processor's cache, and more on both sides."""
    whole = np.full(size + 256, 99, dtype)
    start = (place - whole.ctypes.data) % 64 // whole.itemsize + 64
    return whole, whole[start : start + size]


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_wherever_operands_begin_in_a_line(dtype):
    """Long operands that begin at the same place of a line begin with the elements before the next."""
    x, y = tensor(dtype, 1, "x"), tensor(dtype, 1, "y")
    f = opweld.function([x, y], x * y + x)
    size = np.dtype(dtype).itemsize
    for n in (16384 // size - 1, 16384 // size, 16384 // size + 3, 5001):
        for place in range(0, 64, size):
            for apart in (0, size) if place % 16 == 0 else (0,):
                a, b = beside(place, n, dtype)[1], beside(place + apart, n, dtype)[1]
                a[...], b[...] = values(n, dtype), values(n, dtype, 3)
                whole, out = beside(place, n, dtype)
                wanted = a * b + a
                assert np.array_equal(f(a, b, out=out), wanted), (n, place, apart)
                assert np.sum(whole == 99) == 256 + np.sum(wanted == 99), (n, place, apart)


def test_many_operands_at_once():
    names = [f"x{i}" for i in range(40)]
    xs = [tensor("float64", 2, name) for name in names]
    f = opweld.function(xs, expr("+".join(names), args=names)(*xs))
    rows = [values((1, 5) if i % 2 else (200, 5), "float64", i) for i in range(40)]
    assert np.array_equal(f(*rows), sum(rows))
    turned = [values((70, 70), "float64", i).T if i % 3 else values((70, 70), "float64", i) for i in range(40)]
    assert np.array_equal(f(*turned), sum(turned))


def test_a_loop_that_fails_in_a_block():
    from opweld.scalar import ScalarOp

    class Refuse(ScalarOp):
        __props__ = ()

        def output_types(self, types):
            return [types[0]]

        def c_code(self, node, name, inputs, outputs, sub):
            refuse = f'{{ PyErr_SetString(PyExc_ValueError, "nine"); {sub["fail"]} }}'
            return f"if ({inputs[0]} == 9) {refuse} {outputs[0]} = {inputs[0]};"

        def c_code_cache_version(self):
            return (1,)

    x, y = tensor("float32", 2, "x"), tensor("float32", 2, "y")
    f = opweld.function([x, y], Elemwise(Refuse())(x + y))
    given = np.zeros((300, 300), "f4")
    for at in [(0, 0), (299, 299), (150, 3)]:
        given[at] = 9
        four = given[:, :4] if at[1] < 4 else given[:, -4:]
        for x, y in [(given, np.zeros((300, 300), "f4").T), (four, np.zeros((1, 4), "f4"))]:
            with pytest.raises(ValueError, match="nine") as caught:
                f(x, y)
            told = [str(caught.value), *getattr(caught.value, "__notes__", [])]
            assert "input 0" in told[-1]  # of the node that failed
        given[at] = 0


@pytest.mark.parametrize("dtype", ["int8", "float64"])
def test_runs_over_more_pages_than_a_processor_knows(dtype):
    f = adder(dtype, 2, 2)
    x, y = values((70, 1700), dtype), values((1700, 1700), dtype, 3)[:, :70].T
    assert np.array_equal(f(x, y), x + y)
    out = np.zeros((1700, 70), dtype).T
    assert np.array_equal(f(x, y[:, ::-1], out=out), x + y[:, ::-1])
