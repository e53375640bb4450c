"""Elementwise loops: broadcasting, dimensions, the layout of operands and results, out=."""

from __future__ import annotations

import functools
import itertools
import sys
import warnings

import kit
import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import tensor as T
from opweld.dtypes import dtype_of
from opweld.scalar import ScalarOp
from opweld.tensor import Elemwise
from opweld.tolerances import apart, of_operation

pytestmark = pytest.mark.usefixtures("optimized")


class Given(ScalarOp):
    """Any C: X, Y are the inputs, Z, W the outputs, of the first input's dtype. FAIL fails."""

    __props__ = ("text", "nin", "nout")

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


def outcome(call):
    """What a call gives, or the exception that it raises."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as err:
        return err


def same(got, wanted, rounded=False, signed=True, what=""):
    """The same dtype, shape and values; to the sign of zero if `signed`, or within 4 units in the last place."""
    wanted = np.asarray(wanted)
    assert dtype_of(got.dtype).name == dtype_of(wanted.dtype).name and got.shape == wanted.shape, what
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, wanted, what)
        return
    if rounded:
        wrong = apart(got, wanted, of_operation("exp", wanted.dtype))
        assert not wrong.any(), (what, got[wrong], wanted[wrong])
        return
    for part in ("real", "imag") if wanted.dtype.kind == "c" else ("real",):
        a, b = getattr(got, part), getattr(wanted, part)
        np.testing.assert_array_equal(a, b, what)
        number = ~np.isnan(b) & signed
        np.testing.assert_array_equal(np.signbit(a)[number], np.signbit(b)[number], what)


# -- shapes ------------------------------------------------------------------------------------------------------


@functools.cache
def adder(ndim_x, ndim_y):
    x, y = tensor("int64", ndim_x, "x"), tensor("int64", ndim_y, "y")
    return opweld.function([x, y], [T.add(x, y), T.less(y, x)])


@pytest.mark.parametrize("ndim_x, ndim_y", [*itertools.combinations_with_replacement(range(5), 2)])
def test_every_combination_of_dimensions_and_sizes(ndim_x, ndim_y):
    f = adder(ndim_x, ndim_y)
    full = (2, 3, 1, 4)
    for which in itertools.product((None, 0, 1), repeat=ndim_y):
        for other in itertools.product((None, 0, 1), repeat=ndim_x):
            if sum(s is not None for s in which + other) > 3:
                continue
            shapes = [
                tuple(have if size is None else size for size, have in zip(sizes, full[4 - len(sizes) :], strict=True))
                for sizes in (other, which)
            ]
            x, y = (np.arange(np.prod(shape, dtype=int)).reshape(shape) for shape in shapes)
            wanted = outcome(lambda x=x, y=y: (np.add(x, y), np.less(y, x)))
            got = outcome(lambda x=x, y=y: f(x, y))
            if not isinstance(wanted, Exception):
                for a, b in zip(got, wanted, strict=True):
                    same(a, b, what=str(shapes))
                continue
            assert type(got) is type(wanted) is ValueError
            assert str(got).split("\n")[0] == str(wanted)


def test_three_operands_that_do_not_broadcast_are_all_named():
    inputs = [tensor("float64", n) for n in (1, 2, 2)]
    f = opweld.function(inputs, Elemwise(Given("Z = X + Y;", 3))(*inputs))
    with pytest.raises(
        ValueError, match=r"^operands could not be broadcast together with shapes \(3,\) \(2,3\) \(2,4\) \n"
    ):
        f(np.zeros(3), np.zeros((2, 3)), np.zeros((2, 4)))


def test_arrays_of_64_dimensions():
    ndim = kit.MAX_NDIM
    x, y = tensor("float64", ndim, "x"), tensor("float64", 1, "y")
    f = opweld.function(
        [x, y], [T.add(x, y), T.negative(x), T.sum(x), T.sum(x, (0, 31, 63), keepdims=True), T.max(x, 5)]
    )
    array = np.arange(24.0).reshape((2,) + (1,) * 20 + (3,) + (1,) * 30 + (4,) + (1,) * (ndim - 53))
    other = np.arange(3.0)
    wanted = [array + other, -array, array.sum(), array.sum((0, 31, 63), keepdims=True), array.max(5)]
    for got, want in zip(f(array, other), wanted, strict=True):
        same(got, want)
    for view in (array.T, array[::-1, ..., ::-1]):
        for got, want in zip(f(view, other[:1]), [view + other[:1], -view], strict=False):
            same(got, want)


def test_64_operands_and_no_more():
    op = Given("Z = X + Y;", 63)
    inputs = [tensor("float64", 1, f"x{i}") for i in range(64)]
    f = opweld.function(inputs[:63], Elemwise(op)(*inputs[:63]))
    given = [np.full(3, float(i)) for i in range(63)]
    assert f(*given).tolist() == [1, 1, 1]
    given[7] = np.zeros(1)
    assert f(*given).tolist() == [1, 1, 1]
    with pytest.raises(opweld.OpweldError, match="65 inputs and outputs; a loop has at most 64"):
        opweld.function(inputs, Elemwise(Given("Z = X + Y;", 64))(*inputs))


def test_too_many_elements_are_an_error():
    x, y = tensor("int8", 2), tensor("int8", 2)
    f = opweld.function([x, y], T.add(x, y))
    with pytest.raises((ValueError, MemoryError)):
        f(np.broadcast_to(np.int8(1), (1 << 40, 1)), np.broadcast_to(np.int8(1), (1, 1 << 40)))


# -- layouts -----------------------------------------------------------------------------------------------------


@functools.cache
def mixing(ndim, dtype="float64"):
    x, y = tensor(dtype, ndim, "x"), tensor(dtype, ndim, "y")
    return opweld.function([x, y], [T.subtract(x, y), T.square(x), T.where(T.less(x, y), x, y)])


VIEWS = {
    "plain": lambda a: a,
    "transposed": np.transpose,
    "fortran": np.asfortranarray,
    "swapped axes": lambda a: a.swapaxes(0, 1),
    "permuted": lambda a: np.ascontiguousarray(a.transpose(1, 2, 0)).transpose(2, 0, 1),
    "reversed": lambda a: a[::-1, :, ::-1],
    "reversed and transposed": lambda a: a[::-1].T,
    "sliced": lambda a: a[:, ::2, 1:],
    "sliced fortran": lambda a: np.asfortranarray(a)[::2, :, ::2],
    "broadcast inside": lambda a: np.broadcast_to(np.asfortranarray(a)[:, :1], a.shape),
    "broadcast outside": lambda a: np.broadcast_to(np.asfortranarray(a)[:1], a.shape),
    "all one": lambda a: np.broadcast_to(a[:1, :1, :1], a.shape),
    "empty": lambda a: a[:, :0].T,
}


def strides(array):
    """Those that matter."""
    return [stride for stride, size in zip(array.strides, array.shape) if size > 1]


@pytest.mark.parametrize("name", VIEWS)
def test_outputs_lie_in_memory_as_inputs_do(name):
    view = VIEWS[name](np.random.default_rng(0).normal(size=(4, 5, 6)))
    for other in (view, view + 1, np.asarray(7.0).reshape(1, 1, 1)):
        wanted = [view - other, view * view, np.where(view < other, view, other)]
        for place, (got, want) in enumerate(zip(mixing(3)(view, other), wanted, strict=True)):
            same(got, want)
            assert view.size == 0 or place == 2 or strides(got) == strides(want), (place, got.strides, want.strides)


@functools.cache
def folding():
    x, y = tensor("float64", 3, "x"), tensor("float64", 3, "y")
    ways = [(axis, keep) for axis in (0, 1, 2, (0, 2), ()) for keep in (False, True)]
    folded = [T.sum(T.subtract(x, y), axis=axis, keepdims=keep) for axis, keep in ways]
    return opweld.function([x, y], [*folded, T.cumsum(T.subtract(x, y), axis=1)]), ways


@pytest.mark.parametrize("name", VIEWS)
def test_what_is_folded_lies_in_memory_as_inputs_do(name):
    view = VIEWS[name](np.random.default_rng(2).integers(-9, 9, (4, 5, 6)).astype("float64"))
    f, ways = folding()
    for other in (view, view + 1, np.asarray(7.0).reshape(1, 1, 1)):
        *folded, scanned = f(view, other)
        for got, (axis, keep) in zip(folded, ways, strict=True):
            want = (view - other).sum(axis=axis, keepdims=keep)
            same(got, want)
            assert view.size == 0 or strides(got) == strides(want), (axis, keep, got.strides, want.strides)
        same(scanned, np.cumsum(view - other, axis=1))


@pytest.mark.parametrize("names", [*itertools.permutations(["plain", "transposed", "reversed", "broadcast inside"], 2)])
def test_operands_of_different_layouts(names):
    cube = np.random.default_rng(1).normal(size=(4, 4, 4))
    x, y = (VIEWS[name](cube) for name in names)
    wanted = [x - y, x * x, np.where(x < y, x, y)]
    for place, (got, want) in enumerate(zip(mixing(3)(x, y), wanted, strict=True)):
        same(got, want)
        assert place == 2 or strides(got) == strides(want)


@pytest.mark.parametrize("change", [kit.misaligned, kit.swapped, kit.inside])
@pytest.mark.parametrize("dtype", ["int16", "float32", "longdouble", "complex128"])
def test_inputs_that_are_converted(dtype, change):
    x, y = kit.values(dtype, (7, 9)), kit.values(dtype, (7, 9), 1)
    f = opweld.function([a := tensor(dtype, 2), b := tensor(dtype, 2)], [T.subtract(a, b), T.sum(T.equal(a, a), 0)])
    for given in ((change(x), y), (x, change(y)), (change(x).T[::-1], change(y).T[::-1])):
        got, count = f(*given)
        same(got, np.asarray(np.subtract(*given), dtype))
        same(count, np.equal(given[0], given[0]).sum(0))


# -- out= --------------------------------------------------------------------------------------------------------

OUTS = {
    "contiguous": lambda s: np.full(s, 7.0),
    "fortran": lambda s: np.full(s, 7.0, order="F"),
    "transposed": lambda s: np.full(s[::-1], 7.0).T,
    "every other": lambda s: np.full((s[0], s[1] * 2), 7.0)[:, ::2],
    "reversed": lambda s: np.full(s, 7.0)[::-1, ::-1],
    "inside": lambda s: np.full((s[0] + 2, s[1] + 2), 7.0)[1:-1, 1:-1],
}


@pytest.mark.parametrize("name", OUTS)
@pytest.mark.parametrize("shape", [(5, 6), (1, 6), (5, 1), (0, 6)])
def test_outputs_of_any_layout(name, shape):
    x, y = tensor("float64", 2), tensor("float64", 2)
    f = opweld.function([x, y], [T.add(x, y), T.subtract(x, y)])
    reduce = opweld.function([x], T.sum(x, 1, keepdims=True))
    a = np.random.default_rng(2).normal(size=shape)
    for given in ((a, a[:1]), (np.asfortranarray(a), a), (a[::-1], a[:, :1])):
        wanted = given[0] + given[1], given[0] - given[1]
        if wanted[0].shape != shape:
            continue
        outs = [OUTS[name](shape), OUTS[name](shape)]
        made = f(*given, out=outs)
        for got, out, want in zip(made, outs, wanted, strict=True):
            assert got is out
            np.testing.assert_array_equal(got, want)
        base = outs[0].base
        if name == "inside" and base is not None:
            assert (base[0] == 7).all() and (base[:, 0] == 7).all() and (base[-1] == 7).all()
    out = OUTS[name]((shape[0], 1))
    assert reduce(a, out=out) is out
    np.testing.assert_allclose(out, a.sum(1, keepdims=True), rtol=1e-14, atol=1e-15)


def test_outputs_that_share_memory_with_an_input():
    x, y = tensor("float64", 1), tensor("float64", 1)
    f = opweld.function([x, y], T.subtract(x, y))
    for first, second, out in itertools.product(
        (slice(0, 8), slice(7, None, -1), slice(1, 9)),
        (slice(0, 8), slice(8, 0, -1)),
        (slice(0, 8), slice(1, 9), slice(7, None, -1)),
    ):  # fmt: skip
        a = np.arange(10.0) ** 2
        wanted = a[first] - a[second]
        into = a[out]
        assert f(a[first], a[second], out=into) is into
        np.testing.assert_array_equal(into, wanted)


def test_outputs_of_a_wrong_shape():
    x = tensor("float64", 2, "x")
    f = opweld.function([x], T.add(x, x), name="f")
    given, out = np.ones((2, 3)), np.full((3, 2), 7.0)
    message = (
        r"^f\(\) got out= of shape \(3, 2\), and result 0 has shape \(2, 3\); pass np\.empty\(\(2, 3\), .float64.\)$"
    )
    with pytest.raises(ValueError, match=message):
        f(given, out=out)
    assert (out == 7).all()
    with pytest.raises(ValueError, match=r"out= of shape \(2,\), and result 0 has shape \(3,\)"):
        opweld.function([x], T.sum(x, 0), name="f")(given, out=np.zeros(2))
    assert sys.getrefcount(out) == sys.getrefcount(given) == 2
