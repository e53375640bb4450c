"""Loops that call functions run in stages: each piece of C stands once, an element gives the same wherever it lies."""

import re
from typing import Any

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import scalar

pytestmark = pytest.mark.usefixtures("optimized")
#: Around whole vectors, around blocks, and beyond.
LENGTHS = (*range(1, 18), 31, 32, 33, 255, 256, 257, 511, 512, 513, 767, 768, 1000, 1003)


def pieces(f: Any) -> int:
    """How many functions of blocks a unit has written out."""
    return len(re.findall(r"^static int \w+_piece\d+\(npy_intp", opweld.source(f), re.MULTILINE))


def chain(x: Any, y: Any, turns: int) -> Any:
    value = x
    for _ in range(turns):
        value = T.log1p(T.exp(T.tanh(T.sin(value * y - y)) / 3) + 0.5)
    return value


def test_what_repeats_stands_once() -> None:
    x, y = T.dvector("x"), T.dvector("y")
    few, many = (opweld.function([x, y], chain(x, y, turns)) for turns in (2, 60))
    assert 0 < pieces(few) < 10
    assert pieces(many) <= 4 * pieces(few)  # loops end where they are long enough, and a unit has two parts
    a, b = np.linspace(0.1, 2, 700), np.linspace(-1, 1, 700)
    np.testing.assert_array_equal(many(a, b), opweld.function([x, y], chain(x, y, 60), fuse=False)(a, b))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_stages_that_divide_by_numbers(dtype: str) -> None:
    x = T.vector("x", dtype=dtype)
    number = np.dtype(dtype).type

    def steps(value: Any, larger: Any) -> Any:
        for i in range(40):
            fifth = i % 5 == 0
            value = (value * number(1.5) - number(0.25)) / number(3) if fifth else larger(value + number(0.5), -value)
        return value

    f = opweld.function([x], steps(x, T.maximum))
    assert "stages" in opweld.source(f)
    a = np.linspace(-2, 2, 1001).astype(dtype)
    np.testing.assert_array_equal(f(a), steps(a, np.maximum))


@pytest.fixture(scope="module")
def mixed() -> Any:
    """A loop of operands of many sizes, numbers among them, that stores three outputs."""
    operands = [T.TensorType(dtype, (None,))(dtype) for dtype in ("float64", "float32", "int32", "bool", "complex128")]
    x, f, i, b, z = operands
    s = T.dscalar("s")
    outputs = [
        T.exp(x) * f + T.sin(i) * s,
        T.power(T.cast(f, "float32"), T.cast(2.5, "float32")) + b,
        T.log1p(abs(x)) * z + T.logaddexp(x, s),
    ]
    return opweld.function([*operands, s], outputs)


def values(n: int) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    found = [rng.standard_normal(n), rng.random(n), rng.integers(-9, 9, n), rng.random(n) > 0.5]
    dtypes = ("float64", "float32", "int32", "bool")
    return [*(v.astype(t) for v, t in zip(found, dtypes)), rng.standard_normal(n) * 1j + 2]


@pytest.mark.parametrize("layout", ["close", "apart", "back", "one"])
def test_lengths_and_layouts(mixed: Any, layout: str) -> None:
    """The same bits as of the same elements in the middle of a long array."""
    arguments = values(1100)
    if layout == "one":
        arguments[1] = np.full(1100, arguments[1][7])
    wanted = mixed(*arguments, 1.25)
    rows = {"apart": slice(None, None, 3), "back": slice(None, None, -1)}.get(layout, slice(None))
    for n in LENGTHS:
        chosen = slice(40, 40 + n) if n < 1000 else slice(0, n)
        given = [v[chosen][rows] for v in arguments]
        if layout == "one":
            given[1] = np.broadcast_to(arguments[1][:1], (n,))
        for have, want in zip(mixed(*given, 1.25), wanted):
            np.testing.assert_array_equal(have, want[chosen][rows])


def test_what_lies_beside_an_output_stays() -> None:
    x = T.dvector("x")
    f = opweld.function([x], T.exp(x) * 2)
    for n in LENGTHS:
        for step in (1, 2, -1):
            room = np.full((n + 20) * 2, 7.0)
            out = room[10 : 10 + n * abs(step)][::step]
            f(np.zeros(len(out)), out=out)
            assert (out == 2).all() and room.sum() == 7.0 * (len(room) - len(out)) + 2 * len(out)


def test_nothing_is_computed_but_the_elements() -> None:
    """What fills a vector up is no element of another kind: nothing is warned of that the array has not."""
    x, y = T.dvector("x"), T.dvector("y")
    f = opweld.function([x, y], [T.log(x) / y + 1, T.sum(T.exp(x) / y)])
    with np.errstate(all="raise"):
        for n in LENGTHS:
            f(np.full(n, 2.0), np.full(n, 3.0))
            f(np.full(2 * n, 2.0)[::2], np.full(1, 3.0))
        with pytest.raises(FloatingPointError, match="invalid value"):
            f(np.array([1.0, 2.0, -1.0]), np.full(3, 3.0))


class Counted(scalar.UnaryScalarOp):
    """Users' C that is to run once for each element, which it counts in memory that its input points to."""

    __props__ = ()

    def c_code(self, node: Any, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]) -> str:
        return f"""
            if ({inputs[0]} < 0) {{
                PyErr_SetString(PyExc_ArithmeticError, "below");
                {sub["fail"]}
            }}
            calls++;
            {outputs[0]} = calls;
        """

    def c_support_code(self) -> str:
        return "static double calls = 0;"


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_users_c_runs_once_for_each_element(lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counted, "c_lang", lang, raising=False)
    x = T.dvector("x")
    f = opweld.function([x], T.Elemwise(Counted(scalar.same_out))(T.exp(x)) * 1.0)
    first = 0
    for n in (1, 3, 8, 300):
        np.testing.assert_array_equal(f(np.ones(n)), first + 1 + np.arange(n))
        first += n
    g = opweld.function([x], T.exp(T.Elemwise(Counted(scalar.same_out))(x)))
    with pytest.raises(ArithmeticError, match="below"):
        g(np.array([1.0, 1.0, 1.0, -1.0]))


def large(dtype: str) -> tuple[list[Any], list[Any]]:
    """More arithmetic than is compiled, of vectors that may be broadcast and a number."""
    x, y, s = T.TensorType(dtype, (None,))("x"), T.TensorType(dtype, (None,))("y"), T.TensorType(dtype, ())("s")
    ops = (T.add, T.sub, T.mul, T.true_div, T.maximum, T.minimum)
    rng = np.random.default_rng(7)
    known: list[Any] = [x, y]
    for k in range(400):
        a, b = known[-1 - int(rng.integers(min(9, len(known))))], (y, s, known[-1])[k % 3]
        a, b = (b, a) if k % 5 == 0 else (a, b)
        node = ops[k % len(ops)](a, b)
        known.append((node, T.sqrt(abs(node)), -node, T.floor(node), T.ceil(node), T.exp(-(node * node)))[k % 6])
    return [x, y, s], [known[-1], known[-2], known[200]]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_large_function_is_tables_of_pieces_of_the_library(dtype: str) -> None:
    inputs, outputs = large(dtype)
    f, plain = opweld.function(inputs, outputs), opweld.function(inputs, outputs, fuse=False)
    source = opweld.source(f)
    assert not pieces(f)
    assert source.count("_stages = {") > 5
    assert re.search(r"opw_\w+_right_piece_f", source)
    rng = np.random.default_rng(3)
    for n, m in ((1, 1), (5, 1), (1, 7), (257, 257), (300, 1), (1003, 1003), (0, 0)):
        a, b = rng.random(n).astype(dtype), (rng.random(m) + 0.5).astype(dtype)
        for u, v in ((a, b), (a[::-1], b)):
            with np.errstate(all="ignore"):
                for have, want in zip(f(u, v, 0.75), plain(u, v, 0.75)):
                    np.testing.assert_array_equal(have, want)


def arranged(shape: tuple[int, int], dtype: str, layout: str, seed: int) -> np.ndarray:
    rows, columns = shape
    rng = np.random.default_rng(seed)
    if layout == "sliced":
        return rng.standard_normal((2 * rows, 2 * columns)).astype(dtype)[::2, ::2]
    found = rng.standard_normal(shape).astype(dtype, order="F" if layout == "F" else "C")
    return found[::-1, ::-1] if layout == "back" else found


@pytest.mark.parametrize("layout", ["C", "F", "sliced", "back"])
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_of_folds_several_at_once(axis: int, layout: str) -> None:
    x, y = T.dmatrix("x"), T.fmatrix("y")
    powers = T.exp(x - T.max(x, axis=axis, keepdims=True))
    waves = T.sin(y) * T.cast(2, "float32")
    outputs = [powers, T.sum(powers, axis=axis), T.sum(powers * waves + x, axis=axis), T.any(waves > 1.9, axis=axis)]
    fused, apart = (opweld.function([x, y], outputs, fuse=fuse) for fuse in (True, False))
    for columns in (1, 2, 7, 8, 16, 17, 31, 32, 33, 100, 127, 128, 129, 256, 257, 300):
        for rows in (1, 2, 3, 19, 40):
            a = arranged((rows, columns), "float64", layout, columns)
            b = arranged((rows, columns), "float32", layout, rows)
            found, wanted = fused(a, b), apart(a, b)
            np.testing.assert_array_equal(found[0], wanted[0])
            np.testing.assert_array_equal(found[3], wanted[3])
            for have, want in zip(found[1:3], wanted[1:3], strict=True):
                np.testing.assert_allclose(have, want, rtol=1e-13, atol=1e-12)
