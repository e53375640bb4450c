"""Nodes that walk the same elements become one loop: what comes out is what comes out of a loop each."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import scalar

GRAPHS = 150 if os.environ.get("CI") else 40


def groups(f: Any) -> list[str]:
    """What runs, in order: the labels of a function's loops and kernels."""
    text = opweld.source(f)
    steps = text[text.index("_steps[] = {") : text.index("_structs[]")]
    return re.findall(
        r'\{(?:opw_run_\w+|opw_perform|opw_[A-Z]\w*_[0-9a-f]{10}\w*), \w+, \d+, "([^"]+)\.(?:c_code|perform)"', steps
    )


def both(inputs: list[Any], outputs: Any, **options: Any) -> tuple[Any, Any]:
    """The function, fused and not."""
    return opweld.function(inputs, outputs, **options), opweld.function(inputs, outputs, fuse=False, **options)


def agree(got: Any, want: Any, exact: bool = True) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    if exact:
        np.testing.assert_array_equal(got, want)
    else:
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def test_a_tree_is_one_loop() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f, plain = both([x, y], (x + y) * x - y * 2)
    assert groups(f) == ["Elemwise.add Elemwise.multiply Elemwise.subtract"]
    assert len(groups(plain)) == 4
    a, b = np.random.default_rng(1).random((2, 1000))
    agree(f(a, b), (a + b) * a - b * 2)
    agree(plain(a, b), (a + b) * a - b * 2)


def test_a_sum_takes_in_what_feeds_it_and_what_folds_the_same() -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f = opweld.function([x, y], [((x - y) ** 2).sum(axis=0), (x * y).sum(axis=0)])
    assert len(groups(f)) == 1
    a, b = np.random.default_rng(2).random((2, 30, 40))
    for got, want in zip(f(a, b), [((a - b) ** 2).sum(0), (a * b).sum(0)]):
        agree(got, want, exact=False)


SHAPES = [
    ((3, 4), (3, 4)), ((3, 1), (3, 4)), ((1, 4), (3, 4)), ((3, 4), (3, 1)), ((3, 1), (1, 4)), ((1, 1), (3, 4)),
    ((0, 4), (1, 4)), ((3, 4), (1, 1)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", SHAPES)
def test_shapes_are_known_when_it_runs(shapes: Any) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    e = T.exp(x)
    f, plain = both([x, y], [e, e * 3 + y, (e + y).sum(axis=1), x - y])
    a, b = (np.random.default_rng(3).random(shape) for shape in shapes)
    for got, want in zip(f(a, b), plain(a, b)):
        agree(got, want, exact=False)


def test_what_does_not_broadcast_names_its_node() -> None:
    x, y, z = (T.dvector(name) for name in "xyz")
    f = opweld.function([x, y, z], (x * 2 + y) * z)
    assert len(groups(f)) == 1
    ones = np.ones
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(4,\)") as caught:
        f(ones(3), ones(4), ones(1))
    assert "add" in str(caught.value) or any("add" in note for note in getattr(caught.value, "__notes__", []))
    with pytest.raises(ValueError, match=r"shapes \(3,\) \(5,\)") as caught:
        f(ones(3), ones(1), ones(5))
    said = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert "multiply" in said


def test_an_instruction_that_fails_names_its_node() -> None:
    x, y = T.lvector("x"), T.lvector("y")
    f = opweld.function([x, y], (x + 1) ** y * 2)
    assert len(groups(f)) == 1
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        f(np.arange(3), np.array([1, -1, 2]))
    assert "power" in str(caught.value)


def peak(f: Any, *arguments: Any) -> float:
    """How many arrays as large as the first argument a call holds at once, beyond its arguments."""
    import tracemalloc

    f(*arguments)
    tracemalloc.start()
    f(*arguments)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return float(size / arguments[0].nbytes)


@pytest.mark.parametrize("optimizer", ["default", "None"])
@pytest.mark.parametrize("fuse", [True, False])
def test_temporaries_share_storage(fuse: bool, optimizer: str) -> None:
    x = T.dvector("x")
    value = x
    for i in range(24):
        value = T.exp(value * -0.5) if i % 2 else T.sqrt(value + 0.5)
    f = opweld.function([x], value, fuse=fuse, options={"optimizer": optimizer})
    a = np.random.default_rng(5).random(2**21 + 8)  # what is kept between calls is smaller
    want = a
    for i in range(24):
        want = np.exp(want * -0.5) if i % 2 else np.sqrt(want + 0.5)
    np.testing.assert_allclose(f(a), want, rtol=1e-12)
    assert peak(f, a) < 3.1  # the result, and two that take turns


class Clipped(scalar.BinaryScalarOp):
    """Users' C: x limited by y, which must not be infinite."""

    __props__ = ()

    def impl(self, x: Any, y: Any) -> Any:
        return x if x < y else y

    def c_code(self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]) -> str:
        (x, y), (z,) = inputs, outputs
        return f"""
            if (isinf((double){y})) {{
                PyErr_SetString(PyExc_ArithmeticError, "no limit");
                {sub["fail"]}
            }}
            {z} = {x} < {y} ? {x} : {y};
        """

    def c_headers(self) -> list[str]:
        return ["<math.h>"]

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_users_c_takes_part_and_names_its_node(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clipped, "c_lang", lang, raising=False)
    x, y = T.dvector("x"), T.dvector("y")
    clipped = T.Elemwise(Clipped(scalar.upgrade_to_float))
    f = opweld.function([x, y], [clipped(x * 2, y) + 1, clipped(x * 2, y + 1)])
    assert len(groups(f)) == 1
    a = np.array([1.0, 2.0, 3.0])
    assert [v.tolist() for v in f(a, np.full(3, 5.0))] == [[3.0, 5.0, 6.0], [2.0, 4.0, 6.0]]
    with pytest.raises(ArithmeticError, match="no limit") as caught:
        f(a, np.array([1.0, np.inf, 1.0]))
    said = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert "Clipped" in said and "a value inside" in said and "input 1, y: float64, shape (3,)" in said


OPS: list[Callable[..., Any]] = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a - b,
    lambda a, b: T.maximum(a, b),
    lambda a, b: a / (b * b + 1),
    lambda a, b: T.where(a > b, a, b),
    lambda a, b: T.exp(-a * a),
    lambda a, b: T.sqrt(abs(b)),
    lambda a, b: -a,
    lambda a, b: T.cast(T.floor(a * 3), "int64") % 5,
    lambda a, b: T.sin(a),
    lambda a, b: a,
    lambda a, b: T.Elemwise(Clipped(scalar.upgrade_to_float))(a, b),
]


def drawn(rng: np.random.Generator, a: Any, b: Any) -> Any:
    """One more node: mostly elementwise, else a fold, kept or not, or a view."""
    kind = int(rng.integers(10))
    real = [T.cast(v, "float32") if v.dtype == "bool" else v for v in (a, b)]
    if kind < 7 or a.ndim == 0:
        return OPS[int(rng.integers(len(OPS)))](*real)
    if kind == 8:
        return real[0].sum() * 0.25
    if kind == 9:
        return a[::-1] if a.ndim == 1 else a[:, ::-1]
    fold = [real[0].sum, real[0].max, real[0].mean][int(rng.integers(3))]
    return fold(axis=int(rng.integers(a.ndim)), keepdims=a.ndim == 2)


def random_graph(seed: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Inputs, outputs and arguments: elementwise nodes, sums along axes kept or not, views, scalars."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(1, 40)), int(rng.integers(1, 40))
    shapes = [(rows, columns), (rows, 1), (1, columns), (columns,), (), (rows, columns)]
    dtypes = ["float64", "float32", "int64", "float64", "float64", "bool"]
    inputs = [
        T.TensorType(dtype, (None,) * len(shape))(f"x{i}") for i, (dtype, shape) in enumerate(zip(dtypes, shapes))
    ]
    arguments = [(rng.standard_normal(shape) * 2).astype(dtype) for dtype, shape in zip(dtypes, shapes)]
    arguments[0] = [arguments[0], np.asfortranarray(arguments[0]), np.repeat(arguments[0], 2, axis=1)[:, ::2]][seed % 3]
    values = list(inputs)
    for _ in range(int(rng.integers(2, 14))):
        a, b = (values[int(rng.integers(len(values)))] for _ in range(2))
        values.append(drawn(rng, a, b))
    count = int(rng.integers(1, 4))
    return inputs, values[-count:], arguments


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_random_graphs(seed: int) -> None:
    inputs, outputs, arguments = random_graph(seed)
    f, plain = both(inputs, outputs, on_unused_input="ignore")
    before = [argument.copy() for argument in arguments]
    with np.errstate(all="ignore"):
        results = [(f(*arguments), plain(*arguments)) for _ in range(2)]
    for got, want in results:
        for mine, theirs in zip(got, want):
            assert mine.dtype == theirs.dtype and mine.shape == theirs.shape
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9, equal_nan=True)
    for argument, kept in zip(arguments, before):
        np.testing.assert_array_equal(argument, kept)


def test_a_call_whose_result_nobody_reads_has_its_place() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    f, plain = both([x, y], T.imag(T.hypot(x, y)) + T.sin(y))
    a, b = np.random.default_rng(5).random((2, 300))
    agree(f(a, b), plain(a, b))


def test_many_ways_lead_to_one_shape() -> None:
    x = T.dmatrix("x")
    a, b = x.sum(axis=0, keepdims=True), x.max(axis=0, keepdims=True)
    for _ in range(60):  # each is made of two before it: there are 2**40 ways back to x
        a, b = b, (a - b).sum(axis=0, keepdims=True)
    f, plain = both([x], x + b)
    agree(f(np.ones((3, 4))), plain(np.ones((3, 4))))


@pytest.mark.parametrize("shapes", [((0, 3), (0, 3)), ((1, 1), (0, 3)), ((1, 3), (0, 1))])
def test_a_fold_of_nothing_names_its_node(shapes: Any) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f = opweld.function([x, y], [(T.exp(x) * y).sum(axis=0), (T.exp(x) - y).max(axis=0)])
    assert len(groups(f)) == 1
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum") as caught:
        f(*(np.ones(shape) for shape in shapes))
    assert "CAReduce{maximum" in str(caught.value) + "".join(getattr(caught.value, "__notes__", []))


class Bounded(scalar.BinaryScalarOp):
    """A sum that must not become too large."""

    __props__ = ("limit",)
    identity = 0
    commutative = associative = True

    def __init__(self, limit: float) -> None:
        super().__init__(scalar.upcast_out)
        self.limit = limit

    def impl(self, x: Any, y: Any) -> Any:
        return x + y

    def c_code(self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]) -> str:
        (x, y), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
            if ({x} + {y} > {self.limit}) {{
                PyErr_SetString(PyExc_ArithmeticError, "too large");
                {fail}
            }}
            {z} = {x} + {y};
        """

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


@pytest.mark.parametrize("axis, shape", [(0, (100, 2)), (1, (2, 100)), (0, (100_000, 1)), (None, (20, 30))])
@pytest.mark.parametrize("lang", ["c", "c++"])
def test_a_fold_that_fails_names_its_node(lang: str, axis: Any, shape: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bounded, "c_lang", lang, raising=False)
    x = T.dmatrix("x")
    first, second = (T.CAReduce(Bounded(limit), axis=axis) for limit in (10.0, 30.0))
    f = opweld.function([x], [first(x * 2), second(x * 3)])
    assert len(groups(f)) == 1
    size = np.prod(shape if axis is None else shape[axis])
    for value, limit in ((7 / size, 10.0), (4.9 / size, None), (-1.0, None)):
        if limit is None:
            assert [v.shape for v in f(np.full(shape, value))] == [np.ones(shape).sum(axis=axis).shape] * 2
            continue
        with pytest.raises(ArithmeticError, match="too large") as caught:
            f(np.full(shape, value))
        said = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
        assert f"Bounded{{limit={limit}}}" in said
    with pytest.raises(ArithmeticError, match="too large") as caught:
        g = opweld.function([x], [first(x * 0.1), second(x * 3)])
        g(np.full(shape, 11 / size))
    assert "Bounded{limit=30.0}" in str(caught.value) + "".join(getattr(caught.value, "__notes__", []))


def test_stores_of_other_sizes_or_of_many_arrays_stay_apart() -> None:
    b, x, y = T.vector("b", dtype="int8"), T.dvector("x"), T.dvector("y")
    f = opweld.function([b], [b > 3, b < 5, T.sqrt(T.cast(b, "float32"))])
    assert len(groups(f)) == 2
    f = opweld.function([x, y], [x + y, x - y, x * y, x / y])
    assert len(groups(f)) == 1
    f = opweld.function([x, y], [x + y, x - y, x * y, x / y, T.maximum(x, y), T.minimum(x, y)])
    assert len(groups(f)) == 2


def test_what_is_known_to_be_a_column_is_computed_once() -> None:
    column, row, matrix = T.dcol("column"), T.drow("row"), T.dmatrix("matrix")
    many = T.tensor("many", dtype="float64", shape=(1, None, 1))
    a, b, c, d = (np.random.default_rng(7).random(shape) for shape in ((5, 1), (1, 6), (5, 6), (1, 5, 1)))
    for inputs, output, loops, values in (
        ([column, row], T.exp(column) + row, 2, (a, b)),  # a plan of two ways would always go the second
        ([column, matrix], T.exp(column) + matrix, 2, (a, c)),
        ([many, matrix], T.exp(many) + matrix, 2, (d, c)),
        ([column, matrix], column * 2 + matrix, 1, (a, c)),  # next to nothing
        ([matrix, row], T.exp(matrix) + row, 1, (c, b)),  # the matrix is as large as the result, as a rule
        ([column, row], T.exp(column + row) * 2, 1, (a, b)),
    ):
        f, plain = both(inputs, output)
        assert len(groups(f)) == loops, output
        agree(f(*values), plain(*values), exact=False)
    f, plain = both([column, row], T.exp(column) + row)
    for shapes in (((1, 1), (1, 6)), ((5, 1), (1, 1)), ((1, 1), (1, 1)), ((0, 1), (1, 6))):
        values = [np.random.default_rng(8).random(shape) for shape in shapes]
        agree(f(*values), plain(*values))


@pytest.mark.parametrize("column", ["x", "y"])
def test_a_number_along_the_run_has_a_loop_of_its_own(column: str) -> None:
    x, y = T.dmatrix("x"), T.dmatrix("y")
    f, plain = both([x, y], (x * 2 + 1) * (x - 3) + y)
    assert len(groups(f)) == 1
    numbers = re.findall(r"if \((.*)\) {\n(?:\s+OPW_HELD.*\n)*\s+return \w+_loop\(", opweld.source(f))
    assert sum(line.count("== 0") for line in numbers) == 3 * numbers[0].count("== 0") + 2
    a, b = (np.random.default_rng(6).random((50, 1 if name == column else 60)) for name in "xy")
    agree(f(a, b), plain(a, b))
