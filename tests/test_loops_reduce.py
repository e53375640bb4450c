"""Reductions by the engine's loops: every axis, layout and size, sums' bounds, nothing to reduce, a user's code."""

from __future__ import annotations

import itertools
import math
import os
import tracemalloc

import kit
import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import scalar
from opweld import tensor as T
from opweld.scalar import BinaryScalarOp, ScalarOp, upcast_out
from opweld.tensor import CAReduce

pytestmark = pytest.mark.usefixtures("optimized")


class Given(ScalarOp):
    """Any C: X, Y are the inputs, Z, W the outputs, of the first input's dtype. FAIL fails."""

    __props__ = ("text", "nin", "nout")
    c_float16 = True

    def __init__(self, text, nin=1, nout=1, identity=None):
        super().__init__()
        self.text, self.nin, self.nout = text, nin, nout
        if identity is not None:
            self.identity = identity

    def output_types(self, types):
        return [types[0]] * self.nout

    def c_code(self, node, name, inputs, outputs, sub):
        text = self.text.replace("FAIL", sub["fail"])
        for letter, variable in zip("XYZW", [*inputs[:2], *[""] * (2 - len(inputs)), *outputs]):
            text = text.replace(letter, variable)
        return text

    def c_code_cache_version(self):
        return (1,)


# -- reductions --------------------------------------------------------------------------------------------------

FOLDS = {
    "float64": ("sum", "prod", "max", "min", "any", "all"), "float32": ("sum", "max", "min"),
    "float16": ("sum", "prod", "max"),
    "longdouble": ("sum", "min"), "complex64": ("sum", "prod", "max"), "int8": ("sum", "max", "min", "any"),
    "uint16": ("sum", "prod", "min", "all"), "bool": ("sum", "max", "any", "all"),
}  # fmt: skip


def reducers(dtype, ndim, names, axes):
    x = tensor(dtype, ndim, "x")
    ways = [(name, axis, keep) for name in names for axis in axes for keep in (False, True)]
    return opweld.function([x], [getattr(T, n)(x, axis=a, keepdims=k) for n, a, k in ways]), ways


def close(got, wanted, eps, what):
    assert (got.dtype, got.shape) == (np.asarray(wanted).dtype, np.shape(wanted)), what
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, wanted, str(what))
    else:
        np.testing.assert_allclose(got, wanted, rtol=8 * eps, atol=8 * eps, err_msg=str(what))


@pytest.mark.parametrize("dtype", FOLDS)
@pytest.mark.parametrize("ndim", range(5))
def test_every_set_of_axes(dtype, ndim):
    axes = [axis for n in range(ndim + 1) for axis in itertools.combinations(range(ndim), n)]
    f, ways = reducers(dtype, ndim, FOLDS[dtype], axes)
    full = np.random.default_rng(4).integers(0, 3, (3, 4, 2, 5)[:ndim]).astype(dtype)
    eps = float(np.finfo(dtype).eps) if np.dtype(dtype).kind in "fc" else 0
    arrays = [full, full.T, full.copy("F")]
    if ndim:
        arrays += [full[::-1], full[..., ::2], full[:1], np.broadcast_to(full[..., :1], full.shape), full[..., 1:2].T]
    for array in arrays:
        with np.errstate(all="ignore"):
            wanted = [getattr(np, n)(array, axis=a, keepdims=k) for n, a, k in ways]
        for got, want, way in zip(f(array), wanted, ways, strict=True):
            close(got, want, eps, (way, array.shape, array.strides))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int16", "complex128"])
@pytest.mark.parametrize("columns", [1, 2, 7, 8, 127, 128, 129, 257, 300])
def test_columns(dtype, columns):
    names = ("sum", "max") if dtype != "int16" else ("sum", "min", "any")
    f, ways = reducers(dtype, 2, names, [0])
    g, more = reducers(dtype, 3, names, [0, 1, (0, 1)])
    rng = np.random.default_rng(5)
    eps = float(np.finfo(dtype).eps) if dtype != "int16" else 0
    for rows in (1, 2, 15, 16, 17, 33, 129):
        array = rng.integers(-2, 3, (rows, columns)).astype(dtype)
        for view in (array, array[:, ::-1], array[::-1], np.repeat(array, 2, 1)[:, ::2]):
            for got, (name, axis, keep) in zip(f(view), ways, strict=True):
                close(got, getattr(np, name)(view, axis=axis, keepdims=keep), eps, (rows, columns, name))
    for shape in ((3, 5, columns), (17, 2, columns)):
        cube = rng.integers(-2, 3, shape).astype(dtype)
        for got, (name, axis, keep) in zip(g(cube), more, strict=True):
            close(got, getattr(np, name)(cube, axis=axis, keepdims=keep), eps, (shape, name, axis))


SIZES = (0, 1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 255, 256, 257, 1000, 1025, 4099)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "complex128"])
def test_sums_of_sizes_round_the_blocks(dtype):
    x, m = tensor(dtype, 1, "x"), tensor(dtype, 2, "m")
    f = opweld.function([x], [T.sum(x), T.sum(x[::-1]), T.sum(x[::2])])
    g = opweld.function([m], [T.sum(m, 0), T.sum(m, 1), T.sum(m)])
    eps = float(np.finfo(dtype).eps)
    rng = np.random.default_rng(6)

    def within(got, numbers):
        for part in ("real", "imag") if np.dtype(dtype).kind == "c" else ("real",):
            terms = [float(v) for v in getattr(numbers, part).ravel()]
            limit = eps * (18 + math.log2(len(terms) + 1)) * math.fsum(map(abs, terms))
            assert abs(float(getattr(got, part)) - math.fsum(terms)) <= limit, (len(terms), got)

    for size in SIZES:
        numbers = rng.normal(size=size)
        if np.dtype(dtype).kind == "c":
            numbers = numbers + 1j * rng.normal(size=size)
        numbers = numbers.astype(dtype)
        for got, view in zip(f(numbers), (numbers, numbers[::-1], numbers[::2]), strict=True):
            within(got, view)
        pair = np.stack([numbers, numbers[::-1]])
        for array in (pair, np.ascontiguousarray(pair.T).T):
            down, across, total = g(array)
            within(across[0], pair[0])
            within(across[1], pair[1])
            within(total, pair)
            np.testing.assert_array_equal(down, pair[0] + pair[1])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "int32"])
def test_long_runs(dtype):
    """Integers whose sum is exact; the largest and the smallest once, anywhere; NaN anywhere is the largest of all."""
    x = tensor(dtype, 1, "x")
    f = opweld.function([x], [T.sum(x), T.max(x), T.min(x)])
    g = opweld.function([x], T.sum(x * x))
    rng = np.random.default_rng(11)
    for size in (2047, 2048, 2049, 2048 + 255, 2 * 2048, 5000, 70001):
        numbers = rng.integers(0, 2, size).astype(dtype)
        high, low = rng.choice(size, 2, replace=False)
        numbers[high], numbers[low] = 3, -3
        for view in (numbers, numbers[::-1], np.repeat(numbers, 2)[::2]):
            total, most, least = f(view)
            with np.errstate(over="ignore"):
                assert total == np.sum(view), size
                assert g(view) == np.sum(view * view), size
            assert (most, least) == (3, -3), (size, high, low)
        if numbers.dtype.kind == "f":
            numbers[high] = np.nan
            assert np.isnan(f(numbers)[1:]).all(), (size, high)
            assert np.isnan(f(numbers[::-1])[1:]).all(), (size, high)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(7001,), (3, 2500), (300, 47)])
def test_sums_do_not_depend_on_the_place_in_memory(shape, dtype):
    """Columns before a line of the cache are folded by themselves: the same are added, in the same order."""
    x, y = tensor(dtype, len(shape), "x"), tensor(dtype, len(shape), "y")
    f = opweld.function([x, y], [((x - y) ** 2).sum(axis=-1), (x + y).max(axis=-1), (x * y).sum(axis=0)])
    values = np.random.default_rng(0).random((2, *shape)).astype(dtype)
    n, size, found = values[0].size, values.itemsize, set()
    room = [np.empty(n * size + 128, np.uint8) for _ in values]
    for offset in itertools.product(range(0, 64, size), (0, 16)):
        placed = []
        for value, bytes_, more in zip(values, room, (0, offset[1])):
            begin = -bytes_.ctypes.data % 64 + (offset[0] + more) % 64
            placed.append(bytes_[begin : begin + n * size].view(dtype).reshape(shape))
            placed[-1][...] = value
        found.add(b"".join(np.asarray(each).tobytes() for each in f(*placed)))
    assert len(found) == 1


@pytest.mark.parametrize("columns", [39, 41, 64, 101, 255, 257, 512, 517, 1025])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64"])
def test_rows_of_several_inputs(dtype, columns):
    """Several inputs are read row by row: whole numbers add up exactly, any as exactly as in pairs, alone or not."""
    x, y = tensor(dtype, 3, "x"), tensor(dtype, 3, "y")
    f = opweld.function([x, y], [T.sum(x * y, 1), T.sum(x * y, (0, 1)), T.var(x - y, 1)])
    g = opweld.function([x, y], T.sum(x * y, 1))
    rng, eps, wide = np.random.default_rng(columns), np.finfo(dtype).eps, np.result_type(dtype, "longdouble")
    for shape in ((1, 1, columns), (2, 7, columns), (3, 50, columns), (1, 600, columns)):
        for given in (rng.integers(-9, 9, (2, *shape)), rng.normal(size=(2, *shape))):
            a, b = given.astype(dtype)
            exact = a.astype(wide) * b.astype(wide)
            limit = eps * (20 + math.log2(shape[1] * shape[0])) * abs(exact)
            for u in (a, a.transpose(0, 2, 1).copy().transpose(0, 2, 1), np.repeat(a, 2, 2)[..., ::2]):
                rows, all_rows, variance = f(u, b)
                for got, axis in ((rows, 1), (g(u, b), 1), (all_rows, (0, 1))):
                    assert (abs(got - exact.sum(axis)) <= limit.sum(axis)).all(), (shape, axis)
                    if given.dtype.kind == "i":
                        np.testing.assert_array_equal(got, exact.sum(axis).astype(dtype))
                np.testing.assert_allclose(variance, (a - b).var(1), rtol=1e3 * eps, atol=eps)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "uint8"])
def test_many_short_runs(dtype, order):
    m, n = tensor(dtype, 2, "m"), tensor(dtype, 2, "n")
    f = opweld.function([m, n], [T.sum(m * n, 0), T.sum(m * n, 1), T.max(m, 0), T.min(m, 1), T.sum(m * n)])
    rng = np.random.default_rng(12)
    for short in (*range(1, 34), 47, 255, 257):
        for shape in ((short, 300), (300, short), (3, short), (600, 2 * short)):
            a, b = (np.asarray(rng.integers(0, 5, shape).astype(dtype), order=order) for _ in range(2))
            if shape[0] == 600:  # axes that are no one
                a, b = a[:, ::2], b[:, ::2]
            found = f(a, b)
            want = [np.sum(a * b, 0), np.sum(a * b, 1), np.max(a, 0), np.min(a, 1), np.sum(a * b)]
            for got, wanted, what in zip(found, want, ("sum 0", "sum 1", "max", "min", "sum"), strict=True):
                np.testing.assert_array_equal(got, wanted, f"{what} of {shape}")


@pytest.mark.parametrize("gap", [0, 5, 70])
@pytest.mark.parametrize("step", [1, 2, -1])
@pytest.mark.parametrize("shape", [(9000, 130), (3, 3000, 131), (5, 250_003), (1700, 700), (9, 1100, 125)])
def test_what_no_cache_holds_is_read_in_order(shape, step, gap):
    """Whole numbers add up exactly; any do as exactly as in pairs, with the same bits by one thread and by two."""
    x = tensor("float64", len(shape), "x")
    outputs = [T.sum(x * x, -2), T.sum(x * x, -1), T.sum(x), T.max(x, -2), T.min(x, -1), T.max(x)]
    f, g = (opweld.function([x], outputs, threads=threads) for threads in (1, min(2, len(os.sched_getaffinity(0)))))
    rng = np.random.default_rng(15)
    for whole in (rng.integers(-9, 9, shape).astype("float64"), rng.random(shape) - 0.3):
        wider = np.repeat(whole, abs(step), -1)
        array = np.pad(wider, [(0, 0)] * (len(shape) - 1) + [(0, gap)])[..., : wider.shape[-1]][..., ::step]
        exact = array.astype("longdouble")
        sums = [(exact**2).sum(-2), (exact**2).sum(-1), exact.sum()]
        want = [*sums, array.max(-2), array.min(-1), array.max()]
        for got, again, wanted in zip(f(array), g(array), want, strict=True):
            np.testing.assert_array_equal(got, again)
            np.testing.assert_allclose(got, wanted.astype("float64"), rtol=2e-15)


@pytest.mark.parametrize("threads", [1, 2])
def test_columns_far_apart_are_those_that_are_near(threads):
    """Elements of a column that lie far apart are read row by row through many columns: the sums are the same."""
    rng = np.random.default_rng(7)
    x, y = tensor("float64", 3, "x"), tensor("float64", 3, "y")
    wanted = [T.sum(x * y, axis=0), T.max(x, axis=0), T.var(y, axis=0)]
    each = [opweld.function([x, y], one, threads=threads, on_unused_input="ignore") for one in wanted]
    f = opweld.function([x, y], wanted, threads=threads)
    for shape in ((71, 9, 2003), (5, 2, 140_001), (131, 1, 9001), (65, 1, 18_001), (129, 3, 3001)):  # above 8 MiB
        a, b = rng.normal(size=shape), rng.normal(size=shape)
        turned = a.transpose(0, 2, 1), b.transpose(0, 2, 1)
        for given in ((a, b), (np.repeat(a, 2, 2)[..., ::2], b), (a[:, ::-1], b), turned):
            found = [*f(*given), *[one(*given) for one in each]]
            for first in range(0, max(1, given[0].shape[2] - 599), 1333):  # few columns, that a cache holds
                few = [v[..., first : first + 600] for v in given]
                for whole, part in zip(found, [*f(*few), *[one(*few) for one in each]], strict=True):
                    np.testing.assert_array_equal(whole[..., first : first + 600], part)


def test_what_columns_far_apart_are_folded_in_is_given_back():
    x = tensor("float64", 2, "x")
    f, array = opweld.function([x], T.sum(x, axis=0)), np.ones((65, 18_001))
    f(array)
    tracemalloc.start()
    try:
        f(array)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(5):
            f(array)
        assert tracemalloc.get_traced_memory()[0] - before < 1 << 15
        assert tracemalloc.get_traced_memory()[1] - before > 1 << 17  # there was such memory
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float64", "complex64"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_nothing_to_reduce(dtype, ndim):
    shapes = [shape for shape in itertools.product((0, 2, 3), repeat=ndim) if 0 in shape]
    f, ways = reducers(dtype, ndim, ("sum", "prod", "any", "all"), (None, 0, -1))
    for array in (np.zeros(shape, dtype) for shape in shapes):
        wanted = [np.asarray(getattr(np, n)(array, axis=a, keepdims=k)) for n, a, k in ways]
        outs = [np.full((*w.shape, 2), 7, w.dtype)[..., 0] if w.ndim else None for w in wanted]
        for got, again, want, way in zip(f(array), f(array, out=outs), wanted, ways, strict=True):
            close(got, want, 0, way)
            close(again, want, 0, way)
    for name, axis in (("max", None), ("min", 0)):
        x = tensor(dtype, ndim, "x")
        f = opweld.function([x], getattr(T, name)(x, axis=axis))
        for array in (np.zeros(shape, dtype) for shape in shapes):
            try:
                wanted = getattr(np, name)(array, axis=axis)
            except ValueError as err:
                with pytest.raises(ValueError) as info:
                    f(array)
                assert str(info.value).split("\n")[0] == str(err)
            else:
                close(f(array), wanted, 0, (name, axis))


@pytest.mark.parametrize("op", ["bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64"])
def test_bits_of_nothing_and_of_some(op, dtype):
    x = tensor(dtype, 2, "x")
    f = opweld.function([x], [CAReduce(getattr(scalar, op), axis)(x) for axis in (None, 0, 1)])
    for shape in ((0, 3), (5, 0), (5, 3)):
        array = kit.values(dtype, shape)
        for got, axis in zip(f(array), (None, 0, 1), strict=True):
            close(got, getattr(np, op).reduce(array, axis if axis is not None else (0, 1)), 0, (shape, axis))


# -- reductions by a user's code ---------------------------------------------------------------------------------

LARGER = "Z = X > Y ? X : Y;"
FAILING = 'if (Y == 3 || X == 3) { PyErr_SetString(PyExc_LookupError, "it is 3"); FAIL } Z = X + Y;'


@pytest.mark.parametrize("dtype", ["int16", "float64"])
def test_a_users_code_reduces(dtype):
    x = tensor(dtype, 3, "x")
    axes = (None, 0, 1, 2, (0, 2), (0, 1), ())
    f = opweld.function([x], [CAReduce(Given(LARGER, 2), axis, keepdims=k)(x) for axis in axes for k in (False, True)])
    array = kit.values(dtype, (3, 5, 140))
    for view in (array, array[:, ::-1, ::2], np.asfortranarray(array), array[:1, :1]):
        made = iter(f(view))
        for axis, keep in itertools.product(axes, (False, True)):
            close(next(made), np.maximum.reduce(view, axis if axis is not None else (0, 1, 2), keepdims=keep), 0, axis)
    empty = opweld.function([x], CAReduce(Given(LARGER, 2, identity=-5), 1)(x))
    np.testing.assert_array_equal(empty(np.zeros((2, 0, 3), dtype)), np.full((2, 3), -5, dtype))


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_a_users_code_that_fails_in_a_reduction(axis):
    x = tensor("float64", 3, "x")
    f = opweld.function([x], CAReduce(Given(FAILING, 2), axis)(x))
    good, bad = np.zeros((3, 4, 5)), np.zeros((3, 4, 5))
    bad[1, 2, 3] = 3

    def call():
        with pytest.raises(LookupError):
            f(bad)

    np.testing.assert_array_equal(f(good), good.sum(axis))
    kit.flat(call, bad, f)
    silent = opweld.function([x], CAReduce(Given(FAILING.replace("PyErr_", "(void)sizeof PyErr_"), 2), axis)(x))
    with pytest.raises(RuntimeError, match="c_code failed without setting an exception"):
        silent(bad)


def test_a_users_code_reduces_bits_of_float16():
    x = tensor("float16", 1, "x")
    f = opweld.function([x], CAReduce(Given("Z = (npy_uint16)(X | Y);", 2))(x))
    array = np.arange(1, 200, dtype="uint16").view("float16")
    assert f(array).view("uint16") == np.bitwise_or.reduce(array.view("uint16"))


def test_cxx_code_that_throws_in_a_reduction():
    class Throwing(BinaryScalarOp):
        __props__ = ()
        c_lang = "c++"

        def c_code(self, node, name, inputs, outputs, sub):
            (x, y), (z,) = inputs, outputs
            return f'if ({x} == 3 || {y} == 3) throw std::runtime_error("three"); {z} = {x} + {y};'

        def c_code_cache_version(self):
            return (1,)

    x = tensor("int64", 2, "x")
    f = opweld.function([x], [CAReduce(Throwing(upcast_out), 0)(x), T.sum(x, 1)])
    np.testing.assert_array_equal(f(np.ones((2, 2), int))[0], [2, 2])
    for _ in range(3):
        with pytest.raises(RuntimeError, match=r"^C\+\+ exception: three"):
            f(np.array([[3, 1], [1, 1]]))


def test_more_elements_than_31_bits_count():
    x = tensor("int8", 1, "x")
    n = 2**31 + 77
    assert opweld.function([x], T.sum(x))(np.broadcast_to(np.int8(3), (n,))) == 3 * n


@pytest.mark.parametrize("shape", [(500, 3), (40, 3, 5), (15, 3), (700, 33), (300, 2, 16), (129, 8)])
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_short_runs_side_by_side(shape, dtype):
    x = tensor(dtype, len(shape), "x")
    last = len(shape) - 1
    largest, place, total = (opweld.function([x], op(x, axis=last)) for op in (T.max, T.argmax, T.sum))
    rng = np.random.default_rng(len(shape))
    given = rng.integers(0, 4, shape).astype(dtype)
    for values in (
        given,
        np.asfortranarray(given),
        given[::-1],
        given[..., ::-1],
        np.concatenate([given, given], -1)[..., : shape[-1]],
    ):
        assert np.array_equal(largest(values), values.max(-1))
        assert np.array_equal(place(values), values.argmax(-1))
        assert np.array_equal(total(values), values.sum(-1))


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int16"])
def test_columns_round_the_widths_of_what_is_held_of_them(dtype):
    """Accumulators, and what waits of a part of the body, each hold so many columns and no more."""
    x, y = tensor(dtype, 2, "x"), tensor(dtype, 2, "y")
    wanted = {
        "waits": lambda m, x, y: m.sum(m.exp(x) * 2, axis=0),
        "vector": lambda m, x, y: m.sum(m.exp(x), axis=0),
        "largest": lambda m, x, y: m.max(m.cosh(x) * y, axis=0),
        "quotient": lambda m, x, y: m.sum(x / 3, axis=0),
        "rows": lambda m, x, y: m.sum(x * y, axis=0),
        "several": lambda m, x, y: m.var(x, axis=0),
    }
    if np.dtype(dtype).kind == "c":
        del wanted["largest"]
    made = {name: opweld.function([x, y], of(T, x, y), on_unused_input="ignore") for name, of in wanted.items()}
    rng = np.random.default_rng(3)
    for columns in (255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2049, 4097):
        a, b = (rng.integers(-4, 5, (11, columns)).astype(dtype) for _ in "ab")
        for name, f in made.items():
            exact = wanted[name](np, a, b)
            np.testing.assert_allclose(f(a, b), exact, rtol=2e-4, atol=1e-4, err_msg=f"{name} of {columns}")
