"""Loops read through views: transposes, slices, integers, new axes make no array, and change nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import In

GRAPHS = 120 if os.environ.get("CI") else 30


def runs(f: Any) -> list[str]:
    """What runs, in order: loops, groups of them, and views that are made."""
    text = opweld.source(f)
    steps = text[text.index("_steps[] = {") : text.index("_structs[]")]
    return [word.strip("{,") for word in steps.split() if word.startswith("{opw_run_")]


def both(inputs: list[Any], outputs: Any, **options: Any) -> tuple[Any, Any]:
    """The function, fused and not."""
    return opweld.function(inputs, outputs, **options), opweld.function(inputs, outputs, fuse=False, **options)


def said(err: Exception) -> str:
    return str(err) + "".join(getattr(err, "__notes__", []))


# -- which steps there are -----------------------------------------------------------------------------------------

x, y, v, n = T.dmatrix("x"), T.dmatrix("y"), T.dvector("v"), T.lscalar("n")
TAKEN_IN: dict[str, tuple[list[Any], Any, int]] = {
    "a transpose": ([x, y], x.T + y, 1),
    "slices of one array": ([v], v[1:] - v[:-1], 1),
    "a slice of numbers that a call gives": ([v, n], v[n:] * 2, 1),
    "an element, a new axis, a step backwards": ([x, v], x[0, ::-1][:, None] * v, 1),
    "what a sum reads": ([x, y], T.sum(x.T * y, axis=0), 1),
    "a diagonal": ([x, y], T.diagonal(x, 1) * T.diagonal(y), 1),
    "a trace": ([x], T.trace(x, offset=-1), 1),
    "a diagonal and an element": ([x], T.diagonal(x).sum() + x[0, 0], 1),
    "an axis that goes": ([x, v], T.squeeze(x, 0) + v, 1),
    "what one loop leaves another": ([v, x], (v[::2] * v[1::2])[:, None] + x, 2),
    "what C leaves": ([v], T.sort(v)[0] * v, 1),
}


@pytest.mark.parametrize("what", TAKEN_IN)
def test_loops_take_in(what: str) -> None:
    inputs, output, loops = TAKEN_IN[what]
    f, plain = both(inputs, output)
    assert runs(f) == ["opw_run_group"] * loops
    assert "opw_run_view" in runs(plain)


def test_what_more_than_loops_look_at_is_made() -> None:
    t = x.T
    assert runs(opweld.function([x], [t, t + 1])).count("opw_run_view") == 1  # the caller gets it
    assert runs(opweld.function([v], T.sort(v[1:]) + v[1:])).count("opw_run_view") == 1  # C looks at it
    f = opweld.function([In(x, mutable=True), y], T.inc_subtensor(x[1:], y))
    a = np.ones((3, 2))
    assert f(a, np.ones((2, 2))) is not None and "opw_run_view" not in runs(f)


def test_axes_that_a_fold_took_are_there_again() -> None:
    """A view with new axes lies within what was folded, as what keeps its axes does: no loop needs a second way."""
    mean = T.expand_dims(x.mean(axis=1), 1)
    d = x - mean
    outputs = [d, d / T.sqrt(T.expand_dims((d * d).mean(axis=1), 1) + 1)]
    f, plain = both([x], outputs)
    assert "where shapes differ" not in opweld.source(f) and "opw_run_view" not in runs(f)
    for shape in ((3, 4), (1, 4), (3, 1), (1, 1), (0, 2)):
        a = np.random.default_rng(5).random(shape)
        for got, want in zip(f(a), plain(a)):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=1e-12)


def test_a_column_is_a_number_along_a_row() -> None:
    """Where the innermost axis of a view is new, the loop is written out for one number there, and right anywhere."""
    cube, a, b = T.dtensor3("cube"), T.dvector("a"), T.dvector("b")
    f, plain = both([cube, a, b], cube * a[:, None, None] + b[None, :, None])
    assert "opw_s[0] == 8 && opw_s[1] == 0 && opw_s[2] == 0 && opw_s[3] == 8" in opweld.source(f)
    for shape in ((3, 4, 5), (2, 3, 47), (7, 1, 70), (1, 5, 1), (4, 40, 11), (3, 0, 2)):
        numbers = np.random.default_rng(6).random(shape)
        for of in (numbers, np.asfortranarray(numbers), numbers[..., ::-1], numbers[..., :1]):
            p, q = of[:, :1, :1].ravel() if of.size else np.ones(shape[0]), np.arange(shape[1]) + 0.5
            np.testing.assert_array_equal(f(of, p, q), plain(of, p, q))
            np.testing.assert_array_equal(f(of, p, q), of * p[:, None, None] + q[None, :, None])


def test_a_function_of_one_loop_makes_no_view() -> None:
    """It is called without a walk: there is no array but the result."""
    import tracemalloc

    f, a = opweld.function([v], v[1:] - v[:-1]), np.arange(3.0)
    f(a)
    tracemalloc.start()
    for _ in range(10):
        f(a)
    tracemalloc.clear_traces()
    kept = f(a)
    found = tracemalloc.take_snapshot().statistics("traceback")
    tracemalloc.stop()
    assert kept.tolist() == [1, 1] and sum(one.size for one in found if "numpy" not in str(one)) < 400


def test_what_became_of_views_is_shown() -> None:
    f = opweld.function([x, y], T.exp(x).T + y)
    told = opweld.fusion(f)
    assert [[str(node.op) for node in loop] for loop in told.loops] == [
        ["DimShuffle{new_order=(1, 0)}", "Elemwise{add}"],
        ["Elemwise{exp}"],
    ] or str(told)
    g = opweld.function([x, y], x.T + y)
    assert [len(loop) for loop in opweld.fusion(g).loops] == [2] and not opweld.fusion(g).apart
    assert "which reads through the views\n       0 DimShuffle" in opweld.source(g)


# -- slices --------------------------------------------------------------------------------------------------------


def test_slices_are_numpys_for_every_length() -> None:
    a, b, c = T.lscalar("a"), T.lscalar("b"), T.lscalar("c")
    f = opweld.function([v, a, b, c], v[a:b:c] * 2)
    whole = {
        (1, 0, 0): opweld.function([v, a], v[a:] * 2), (0, 1, 0): opweld.function([v, b], v[:b] * 2),
        (0, 0, 1): opweld.function([v, c], v[::c] * 2), (1, 0, 1): opweld.function([v, a, c], v[a::c] * 2),
        (0, 1, 1): opweld.function([v, b, c], v[:b:c] * 2),
    }  # fmt: skip
    assert runs(f) == ["opw_run_group"]
    far, long = 2**63 - 1, [-(2**63), -(2**40)]
    for length in (0, 1, 2, 5):
        array = np.arange(float(length))
        for start in [*range(-length - 2, length + 3), far, *long]:
            for stop in (-length - 1, -1, 0, 1, length, length + 2, far, *long):
                for step in (1, 2, -1, -3, 7, far, *long):
                    given = (start, stop, step)
                    np.testing.assert_array_equal(f(array, *given), array[start:stop:step] * 2)
                    for form, g in whole.items():
                        key = slice(*[number if here else None for number, here in zip(given, form)])
                        np.testing.assert_array_equal(g(array, *np.compress(form, given)), array[key] * 2)
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        f(np.zeros(3), 0, 1, 0)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64"])
def test_numbers_of_every_dtype(dtype: str) -> None:
    i = T.TensorType(dtype, ())("i")
    f, g = opweld.function([x, i], x[i] * 2), opweld.function([x, i], x[:, i:] * 2)
    assert runs(f) == runs(g) == ["opw_run_group"]
    a = np.arange(12.0).reshape(3, 4)
    for k in (0, 1, 2) if dtype[0] == "u" else (0, 2, -1, -3):
        number = np.array(k, dtype)
        assert f(a, number).tolist() == (a[k] * 2).tolist() and g(a, number).tolist() == (a[:, k:] * 2).tolist()
    largest = np.array(np.iinfo(dtype).max, dtype)
    with pytest.raises(OverflowError if dtype == "uint64" else IndexError):
        f(a, largest)
    assert g(a, largest).shape == (3, 0)


def test_a_number_may_be_a_view() -> None:
    i = T.lvector("i")
    f = opweld.function([x, i], x[i[0], i[1] :] * 2)
    assert runs(f) == ["opw_run_view", "opw_run_view", "opw_run_group"]
    a = np.arange(12.0).reshape(3, 4)
    assert f(a, np.array([1, -2])).tolist() == (a[1, -2:] * 2).tolist()


# -- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fuse", [True, False])
def test_errors_name_the_view_and_its_line(fuse: bool) -> None:
    row = x[n, 1:]  # here is the index
    f = opweld.function([x, n, v], T.exp(row) * v, fuse=fuse)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 3") as caught:
        f(np.zeros((3, 2)), 3, np.zeros(1))
    assert "Subtensor" in said(caught.value) and "here is the index" in said(caught.value)
    assert "input 0, x: float64, shape (3, 2)" in said(caught.value)
    flat = T.dimshuffle(x[1:].T, 0)  # one row is left
    g = opweld.function([x, v], flat + v, fuse=fuse)
    with pytest.raises(ValueError, match="cannot select an axis to squeeze out") as caught:
        g(np.zeros((3, 2)), np.zeros(2))
    assert "DimShuffle" in said(caught.value) and "one row is left" in said(caught.value)
    h = opweld.function([x, y], T.exp(x.T) + y, fuse=fuse)
    with pytest.raises(ValueError, match=r"together with shapes \(3,2\) \(3,4\)") as caught:
        h(np.zeros((2, 3)), np.zeros((3, 4)))
    assert "add" in said(caught.value)


# -- memory --------------------------------------------------------------------------------------------------------


def test_what_is_written_is_not_read_through_a_view() -> None:
    """out=, arguments that may be written over, and shared values that overlap what a loop reads."""
    f = opweld.function([v], v[::-1] * 2)
    a = np.arange(5.0)
    assert f(a, out=a) is a and a.tolist() == [8, 6, 4, 2, 0]
    buffer = np.arange(7.0)
    assert f(buffer[:5], out=buffer[2:]).tolist() == [8, 6, 4, 2, 0] and buffer[:2].tolist() == [0, 1]
    g = opweld.function([In(v, mutable=True)], v + v[::-1])
    a = np.arange(4.0)
    assert g(a).tolist() == [3, 3, 3, 3]
    h = opweld.function([In(x, mutable=True)], x + x.T)
    a = np.arange(9.0).reshape(3, 3)
    wanted = a + a.T
    assert h(a).tolist() == wanted.tolist()
    cell = opweld.shared(np.arange(4.0))
    step = opweld.function([], cell[0] * 1, updates=[(cell, cell + cell[::-1])])
    assert step() == 0 and cell.get_value().tolist() == [3, 3, 3, 3]
    whole = opweld.function([x, y], [x.T + y, x * 2])
    a, b = np.arange(4.0).reshape(2, 2), np.ones((2, 2))
    wanted = [(a.T + b).tolist(), (a * 2).tolist()]
    assert [r.tolist() for r in whole(a, b, out=[a, None])] == wanted


def test_storage_lives_as_long_as_a_view_of_it_is_read() -> None:
    a, b = T.sin(v), T.cos(v)
    e = T.sum(a) + T.exp(b)  # storage of a is free unless what follows reads it through a view
    f, plain = both([v], T.sum(e) + T.sin(a[::-1] + e))
    given = np.random.default_rng(4).random(1000)
    for _ in range(3):
        np.testing.assert_allclose(f(given), plain(given), rtol=1e-12)


# -- any graph -----------------------------------------------------------------------------------------------------

BINARY: list[tuple[Any, Any]] = [
    (lambda a, b: a + b, None), (lambda a, b: a - b, None), (T.maximum, np.maximum), (T.minimum, np.minimum),
    (lambda a, b: T.where(a > b, a, b - 1), lambda a, b: np.where(a > b, a, b - 1)),
]  # fmt: skip
UNARY: list[tuple[Any, Any]] = [
    (lambda a: -a, None), (abs, None), (lambda a: a * 2 + 1, None),
    (lambda a: T.floor(T.sqrt(abs(a))), lambda a: np.floor(np.sqrt(abs(a)))),
]  # fmt: skip


class Drawn:
    """A graph, step by step, in tensors and for arrays. All numbers are small integers: each sum is exact."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.inputs = [T.dmatrix("a"), T.dmatrix("b"), T.dvector("c"), T.dtensor3("d"), T.dscalar("e")]
        self.number = T.lscalar("k")
        self.values: list[Any] = list(self.inputs)
        self.steps: list[Callable[[list[Any], int], Any]] = []

    def pick(self) -> int:
        return int(self.rng.integers(len(self.values)))

    def add(self, make: Callable[[Any, Any, Any], Any], *sources: int) -> None:
        """Enter a step: `make` is asked with tensors, then, for each call, with arrays."""
        try:
            made = make(T, [self.values[i] for i in sources], self.number)
        except (IndexError, ValueError):  # known sizes do not fit
            return
        self.values.append(made)
        self.steps.append(lambda known, k: make(np, [known[i] for i in sources], k))

    def part(self, ndim: int) -> tuple[Any, ...]:
        """An index; "k" stands for the number that a call gives."""
        found: list[Any] = []
        for _ in range(int(self.rng.integers(1, ndim + 1))):
            kind = int(self.rng.integers(8))
            if kind < 5:
                bound = [None, None, 0, 1, 2, -1, -2, 4, "k"]
                step = [None, None, 1, 2, -1, -2, 3]
                found.append(slice(*[of[int(self.rng.integers(len(of)))] for of in (bound, bound, step)]))
            elif kind < 6:
                found.append([0, -1, 1, "k"][int(self.rng.integers(4))])
            else:
                found.append(slice(None))
        if self.rng.integers(4) == 0:
            found.insert(int(self.rng.integers(len(found) + 1)), None)
        return tuple(found)

    def view(self) -> None:
        at = self.pick()
        ndim = self.values[at].ndim
        kind = int(self.rng.integers(6))
        if kind == 0 and ndim < 4:
            axis = int(self.rng.integers(ndim + 1))
            self.add(lambda m, a, k: m.expand_dims(a[0], axis), at)
        elif kind == 1 and ndim > 1:
            axis = int(self.rng.integers(ndim))
            self.add(lambda m, a, k: m.squeeze(a[0][(*[slice(None)] * axis, slice(0, 1))], axis), at)
        elif kind == 2 and ndim:
            order = [int(i) for i in self.rng.permutation(ndim)]
            self.add(lambda m, a, k: m.transpose(a[0], order), at)
        elif ndim:
            form = self.part(ndim)

            def cut(m: Any, a: Any, k: Any) -> Any:
                def of(p: Any) -> Any:
                    return k if isinstance(p, str) else p

                key = [slice(of(p.start), of(p.stop), of(p.step)) if isinstance(p, slice) else of(p) for p in form]
                return a[0][tuple(key)]

            self.add(cut, at)

    def compute(self) -> None:
        one, other, kind = self.pick(), self.pick(), int(self.rng.integers(8))
        ndim = self.values[one].ndim
        if kind < 5:
            mine, theirs = BINARY[int(self.rng.integers(len(BINARY)))]
            self.add(lambda m, a, k: (mine if m is T else theirs or mine)(a[0], a[1]), one, other)
        elif kind < 7:
            mine, theirs = UNARY[int(self.rng.integers(len(UNARY)))]
            self.add(lambda m, a, k: (mine if m is T else theirs or mine)(a[0]), one)
        elif ndim:
            axis, keep = int(self.rng.integers(ndim)), bool(self.rng.integers(2))
            self.add(lambda m, a, k: m.sum(a[0], axis=axis, keepdims=keep), one)

    def replay(self, arguments: list[Any], number: int) -> list[Any]:
        known = list(arguments)
        for step in self.steps:
            known.append(np.asarray(step(known, number)))
        return [value.copy() for value in known]


def lying(rng: np.random.Generator, values: Any) -> Any:
    """The same values as they may lie in memory; or, of zero strides, others."""
    kind = int(rng.integers(6)) if values.ndim else 0
    if kind == 1:
        return np.asfortranarray(values)
    if kind == 2:
        wide = np.full(tuple(2 * size + 1 for size in values.shape), 9.0)
        wide[(*[slice(1, None, 2)] * values.ndim, ...)] = values
        return wide[(*[slice(1, None, 2)] * values.ndim, ...)]
    if kind == 3:
        key = (*[slice(None, None, -1)] * values.ndim, ...)
        return np.ascontiguousarray(values[key])[key]
    if kind == 4 and values.ndim and values.shape[0]:
        return np.broadcast_to(values[:1], values.shape)
    return values


def given(rng: np.random.Generator) -> list[Any]:
    size = [0, 1, 2, 3, 5]
    rows, columns, deep = (size[int(i)] for i in rng.choice(5, 3, p=[0.06, 0.2, 0.2, 0.24, 0.3]))
    shapes = [(rows, columns), (columns, rows) if rng.integers(2) else (rows, 1), (columns,), (deep, rows, columns), ()]
    return [lying(rng, np.asarray(rng.integers(-3, 4, shape), float)) for shape in shapes]


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_random_graphs(seed: int) -> None:
    drawn = Drawn(seed)
    rng = drawn.rng
    while len(drawn.steps) < 4 + seed % 9:
        (drawn.view if rng.integers(2) else drawn.compute)()
    first = len(drawn.inputs)
    picked = sorted({len(drawn.values) - 1, *(int(i) for i in rng.integers(first, len(drawn.values), 2))})
    outputs = [drawn.values[i] for i in picked]
    f, plain = both([*drawn.inputs, drawn.number], outputs, on_unused_input="ignore")
    right = 0
    for _ in range(12):
        arguments, number = given(rng), int(rng.integers(-2, 3))
        before = [argument.copy() for argument in arguments]
        try:
            wanted = drawn.replay(arguments, number)
        except (ValueError, IndexError):
            continue  # what nobody reads may be wrong, and of two faults either may be told
        right += 1
        out: list[Any] = [None] * len(picked)
        if rng.integers(3) == 0:  # over what is read
            for place, at in enumerate(picked):
                found = [a for a in arguments if a.shape == wanted[at].shape and a.flags.writeable and a.ndim]
                if found and not any(np.shares_memory(found[0], o) for o in out if o is not None):
                    out[place] = found[0]
        for g in (plain, f):
            results = g(*arguments, number, out=out) if any(o is not None for o in out) else g(*arguments, number)
            for got, at in zip(results, picked):
                assert got.dtype == wanted[at].dtype
                np.testing.assert_array_equal(got, wanted[at])
            for argument, kept in zip(arguments, before):
                if argument.flags.writeable:
                    argument[...] = kept
                np.testing.assert_array_equal(argument, kept)
    if not right:
        pytest.skip("no arguments fit this graph")


@pytest.mark.parametrize("seed", range(GRAPHS // 3))
def test_shapes_and_numbers_that_do_not_fit(seed: int) -> None:
    """Whatever is wrong is an error of NumPy's kinds, fused or not; both functions fail, or neither."""
    drawn = Drawn(1000 + seed)
    rng = drawn.rng
    while len(drawn.steps) < 6:
        (drawn.view if rng.integers(2) else drawn.compute)()
    f, plain = both([*drawn.inputs, drawn.number], drawn.values[-1], on_unused_input="ignore")
    for _ in range(20):
        arguments, number = given(rng), int(rng.integers(-4, 5))
        try:
            wanted = plain(*arguments, number)
        except (ValueError, IndexError) as err:
            with pytest.raises((ValueError, IndexError)) as caught:
                f(*arguments, number)
            assert "made at" in said(err) and "made at" in said(caught.value)
            continue
        np.testing.assert_array_equal(f(*arguments, number), wanted)
