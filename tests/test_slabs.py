"""Loops that hand values on and run slab by slab: the same bits as loop after loop, whatever lies where."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from kit import tensor

import opweld
import opweld.tensor as T
from opweld import config

SHORT = "'-DOPW_WORTH(n)=((n) ? 8 : 0)'"  # loops of eight elements are long: slabs are of a few positions


def centred(x, axis):
    return (x - x.mean(axis=axis, keepdims=True)) / 3


def normed(x, axis):
    apart = x - x.mean(axis=axis, keepdims=True)
    return apart / T.sqrt(x.var(axis=axis, keepdims=True) + 1e-5)


def softmax(x, axis):
    powers = T.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def log_sum(x, axis):
    top = x.max(axis=axis, keepdims=True)
    return T.log(T.exp(x - top).sum(axis=axis, keepdims=True)) + top


def dropped(x, axis):
    """The folded axis goes, and comes again as a view."""
    return x * T.expand_dims(x.sum(axis=axis), axis)


def farthest(x, axis):
    return x.argmax(axis=axis) + abs(x - x.mean(axis=axis, keepdims=True)).max(axis=axis)


def growing(x, axis):
    return T.cumsum(x - x.max(axis=axis, keepdims=True), axis=axis)


ONE_AXIS = [dropped, farthest, growing]
GRAPHS = [centred, normed, softmax, log_sum, dropped, farthest, growing]


def made(graph, ndim, axis, dtype="float64", **options):
    x = tensor(dtype, ndim, "x")
    return opweld.function([x], graph(x, axis), **options)


def cut(*given, short=SHORT, **options):
    """The same, in slabs of a few positions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "cflags", f"{config.cflags} {short}")
        return made(*given, **options)


def values(shape, dtype="float64"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def layouts(given):
    yield "C", given
    yield "F", np.asfortranarray(given)
    wide = np.zeros(tuple(2 * n for n in given.shape), given.dtype)[tuple(slice(None, None, 2) for _ in given.shape)]
    wide[...] = given
    yield "apart", wide
    yield "reversed", np.ascontiguousarray(given[::-1, ..., ::-1])[::-1, ..., ::-1]
    yield "turned", np.ascontiguousarray(np.moveaxis(given, 0, -1)).transpose(-1, *range(given.ndim - 1))
    yield "repeated", np.broadcast_to(given[..., :1], given.shape)


SHAPES = {
    2: [(40, 31), (257, 9), (3, 700), (1, 300), (300, 1), (0, 5), (5, 0)],
    3: [(9, 8, 70), (70, 8, 9), (16, 5, 16)],
    4: [(5, 6, 7, 8)],
}
AXES = [(2, 0), (2, 1), (3, 1), (3, 2), (3, (0, 1)), (3, (1, 2)), (4, 2)]


@pytest.mark.parametrize(("ndim", "axis"), AXES)
def test_slabs_change_no_bit(ndim, axis):
    for graph, threads in zip(GRAPHS, itertools.cycle([1, 2])):
        if isinstance(axis, tuple) and graph in ONE_AXIS:
            continue
        whole, slabs = made(graph, ndim, axis), cut(graph, ndim, axis, threads=threads)
        for shape in SHAPES[ndim]:
            if not all(shape) and graph is not centred:
                continue
            with np.errstate(all="ignore"):
                for layout, x in layouts(values(shape)):
                    want, have = whole(x), slabs(x)
                    where = (graph.__name__, shape, layout)
                    assert want.tobytes() == have.tobytes() and want.strides == have.strides, where


def test_slabs_write_into_what_is_given():
    """Also where it is what the loops read, or part of it."""
    for graph in (centred, normed, softmax):
        f, whole = cut(graph, 2, 1), made(graph, 2, 1)
        for layout, x in layouts(values((90, 33))):
            want = whole(x)
            for _, out in layouts(np.zeros(want.shape)):
                if out.flags.writeable:
                    assert f(x, out=out) is out and out.tobytes() == want.tobytes(), layout
        memory = np.zeros((91, 33))
        for x, out in [(memory[1:], memory[:-1]), (memory[:-1], memory[1:]), (memory[1:], memory[1:])]:
            x[...] = values(x.shape)
            want = whole(x)
            assert f(x, out=out) is out and out.tobytes() == want.tobytes()


def test_slabs_of_shared_values_and_of_several_results():
    x, w = tensor("float64", 2, "x"), opweld.shared(values((90, 33)), name="w")
    apart = w - w.mean(axis=1, keepdims=True)
    results = [apart * x, apart.max(axis=1), w - x.min(axis=1, keepdims=True)]
    whole = opweld.function([x], results)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "cflags", f"{config.cflags} {SHORT}")
        f = opweld.function([x], results, updates=[(w, apart * 2)], threads=2)
    given = values((90, 33))
    for _ in range(3):
        want = whole(given)
        after = (w.get_value() - w.get_value().mean(axis=1, keepdims=True)) * 2
        outs = [np.zeros_like(each) for each in want]
        have = f(given, out=outs)
        assert all(a is b and a.tobytes() == c.tobytes() for a, b, c in zip(have, outs, want))
        np.testing.assert_allclose(w.get_value(), after, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "int16", "complex128", "longdouble"])
def test_slabs_of_other_elements(dtype):
    for graph in (centred, dropped):
        whole, slabs = made(graph, 2, 1, dtype), cut(graph, 2, 1, dtype, threads=2)
        for _, x in layouts((values((90, 33)) * 9).astype(dtype)):
            assert whole(x).tolist() == slabs(x).tolist()


def scaled(x, axis):
    """Two numbers of each row."""
    return (x - x.mean(axis=axis, keepdims=True)) * x.max(axis=axis, keepdims=True)


@pytest.mark.parametrize("graph", [scaled, normed])
def test_rows_so_short_that_stores_are_packed(graph):
    """Slabs of as many elements as packing is worth: it puts axes in another order."""
    whole, slabs = made(graph, 2, 1), cut(graph, 2, 1, short="'-DOPW_WORTH(n)=((n) ? 2000 : 0)'")
    for shape in ((30000, 8), (30011, 4), (9000, 11), (5000, 2)):
        for layout, x in layouts(values(shape)):
            assert whole(x).tobytes() == slabs(x).tobytes(), (shape, layout)


class SetsAndGoesOn(opweld.COp):
    """Copies; an exception is set, and nothing fails."""

    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"""
            Py_XDECREF({outputs[0]});
            {outputs[0]} = (PyArrayObject *)PyArray_NewCopy({inputs[0]}, NPY_CORDER);
            if (!{outputs[0]}) {{ {sub["fail"]} }}
            PyErr_SetString(PyExc_IndexError, "went on");
        """

    def c_code_cache_version(self):
        return (1,)


def test_an_exception_that_a_fragment_left_is_not_lost():
    """Also where loops behind it are looked at, and cannot run in slabs."""
    x, b, c = (tensor("float64", 2, name) for name in "xbc")
    y = SetsAndGoesOn()(x)
    apart = y - y.sum(axis=1, keepdims=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "cflags", f"{config.cflags} {SHORT}")
        f = opweld.function([x, b, c], [apart, T.exp(T.exp(b) + T.sin(c)) * apart])
    with pytest.raises(IndexError, match="went on"):
        f(values((90, 33)), values((1, 33)), values((1, 33)))


def test_large_arrays_run_in_slabs_where_few_elements_are_long_too():
    x = values((3000, 800))
    for graph in (centred, normed):
        f = made(graph, 2, 1)
        want = np.concatenate([f(x[i : i + 100]) for i in range(0, len(x), 100)])
        assert f(x).tobytes() == want.tobytes()
        assert f(x[::-1])[::-1].tobytes() == want.tobytes()


def test_what_is_written_over_is_read_by_no_later_slab():
    """What a loop leaves is turned round, or shifted, before the next one reads it: these run one after the other."""
    x = tensor("float64", 2, "x")
    given = values((40, 40))

    def graphs(v, total):
        return [v - total, v * total[::-1, None], v[::-1] * total[:, None], (v * total[:, None]).T + v * total]

    sums = made(lambda v, axis: v.sum(axis=axis), 2, 1)(given)
    for graph, want in zip(graphs(x, x.sum(axis=1)), graphs(given, sums)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(config, "cflags", f"{config.cflags} {SHORT}")
            f = opweld.function([x], graph)
        assert f(given).tobytes() == want.tobytes()


def test_remarks_and_errors_name_the_node():
    f = cut(lambda v, axis: v / (v - v.max(axis=axis, keepdims=True)), 2, 1)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
        f(values((40, 31)))
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(config, "cflags", f"{config.cflags} {SHORT}")
        g = opweld.function([x, y], (x - x.sum(axis=1, keepdims=True)) * y)
    with pytest.raises(ValueError, match="could not be broadcast together"):
        g(values((40, 31)), values((40, 30)))
    assert g(values((40, 31)), np.ones((1, 31))).shape == (40, 31)


def test_nothing_is_lost_or_kept(references):
    f, x = cut(normed, 2, 1), values((40, 31))
    f(x)
    before = references(x)
    results = [f(x) for _ in range(5)]
    assert references(x) == before
    assert len({id(result) for result in results}) == 5
