"""Long runs of loops that do little: parts, what they ask for, and functions that compute all of a run."""

from __future__ import annotations

import numpy as np
import pytest
from kit import tensor

import opweld
import opweld.tensor as T
from opweld import scalar
from opweld.compile import toolchain

LEVELS = toolchain.LEVELS[: toolchain.LEVELS.index(toolchain.march("native")) + 1]
DTYPES = [("float64",) * 2, ("float32",) * 2, ("float32", "float64"), ("complex64", "float64"), ("int16", "int8")]
LENGTHS = [*range(70), 2047, 2048, 2049, 8191, 8192, 16383, 16384 + 77, 70001]
SPECIAL = [0.0, -0.0, 0.5, -0.5, 0.49999999999999994, -0.7, 1.5, 2.5, np.inf, -np.inf, np.nan, -np.nan, 5e-324, -5e-324]
SPECIAL += [2.0**23 - 0.5, 2.0**23 + 1, 2.0**52 - 0.5, 2.0**52 + 1, -(2.0**52) + 0.5, 1e300, -1e300]


def placed(n: int, dtype: str, offset: int) -> np.ndarray:
    """n numbers that begin so many bytes behind a line, special ones among them."""
    room = np.zeros(n * np.dtype(dtype).itemsize + 128, np.uint8)
    begin = -room.ctypes.data % 64 + offset
    array = room[begin : begin + n * np.dtype(dtype).itemsize].view(dtype)
    with np.errstate(all="ignore"):
        array[:] = np.resize(np.array([*SPECIAL, *np.linspace(-9, 9, 31)]).astype(dtype), n)
    return array


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
def test_whole_numbers(name: str, dtype: str, level: str) -> None:
    """Alone, by an instruction, and beside others; over its argument too: bits and signs of zeros are NumPy's."""
    x = tensor(dtype, 1, "x")
    alone = opweld.function([x], getattr(T, name)(x), options={"march": level})
    beside = opweld.function([x], getattr(T, name)(x + 0) + 0, options={"march": level})
    bits = f"u{np.dtype(dtype).itemsize}"
    for n in LENGTHS:
        given = placed(n, dtype, 8 * (n % 8))
        wanted, out = getattr(np, name)(given), placed(n, dtype, 16)
        numbers = ~np.isnan(given)
        for found in (alone(given), alone(given, out=out), alone(given, out=given.copy()), alone(given[::-1])[::-1]):
            assert np.array_equal(found.view(bits)[numbers], wanted.view(bits)[numbers])
            assert np.isnan(found[~numbers]).all()
        np.testing.assert_array_equal(beside(given), wanted)
        own = given.copy()
        alone(own, out=own)
        np.testing.assert_array_equal(own, wanted)


@pytest.mark.parametrize("dtypes", DTYPES)
def test_runs_in_parts(dtypes: tuple[str, str]) -> None:
    """Wherever operands begin, however long a run is: each element is of its own, and nothing else is written."""
    x, y = (tensor(dtype, 1, name) for dtype, name in zip(dtypes, "xy", strict=True))
    f = opweld.function([x, y], x * y + x)
    assert "opw_run_asking" in opweld.source(f)
    for n in [0, 1, 2047, 2048, 4095, 5000, 8192, 16384 + 77, 70001]:
        for offset in (0, 16, 24, 56):
            a, b = (np.ones(n, dtype) * (np.arange(n) % 97) for dtype in dtypes)
            a, b = a.astype(dtypes[0]), b.astype(dtypes[1])
            wanted = a * b + a
            room = np.full(wanted.nbytes + 192, 0x55, np.uint8)
            begin = -room.ctypes.data % 64 + offset - offset % wanted.itemsize
            out = room[begin : begin + wanted.nbytes].view(wanted.dtype)
            f(a, b, out=out)
            np.testing.assert_array_equal(out, wanted)
            assert (room[:begin] == 0x55).all() and (room[begin + wanted.nbytes :] == 0x55).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_number_beside_a_view(dtype: str) -> None:
    """A function of all of a run is called where operands lie as it wants them, and not for a number."""
    x, k, several = tensor(dtype, 1, "x"), tensor("int32", 0, "k"), tensor("int32", 1, "several")
    number, entry = opweld.function([x, k], T.ldexp(x[1:], k)), opweld.function([x, several], T.ldexp(x, several[0]))
    each = opweld.function([x, several], T.ldexp(x[1:], several[1:]))
    for n in (5, 3000, 70001):
        given, by = np.arange(n, dtype=dtype), np.arange(n, dtype="int32") % 5 + 1
        np.testing.assert_array_equal(number(given, np.int32(1)), given[1:] * 2)
        np.testing.assert_array_equal(entry(given, by), given * 2)
        np.testing.assert_array_equal(each(given, by), np.ldexp(given[1:], by[1:]))


class Square(scalar.UnaryScalarOp):
    """C of a user's that cannot fail."""

    __props__ = ("c_lang",)

    def __init__(self, c_lang: str) -> None:
        self.c_lang = c_lang
        super().__init__(scalar.upgrade_to_float)

    def impl(self, x: float) -> float:
        return x * x

    def c_code(self, node: object, name: str, inputs: list[str], outputs: list[str], sub: dict[str, str]) -> str:
        return f"{outputs[0]} = {inputs[0]} * {inputs[0]};"

    def c_code_cache_version(self) -> tuple[int, ...]:
        return (1,)


@pytest.mark.parametrize("c_lang", ["c", "c++"])
def test_a_users_text_runs_whole(c_lang: str) -> None:
    """Alone and beside others, with several members or one: how much it does is not known, nor whether it throws."""
    square, x = T.Elemwise(Square(c_lang)), tensor("float64", 1, "x")
    given = placed(70001, "float64", 16)
    given = np.where(abs(given) < 1e9, given, 1)
    for output, wanted in (
        (square(x), given**2), (square(x) + 1, given**2 + 1), (square(square(x)), (given**2) ** 2),
        ([square(x), x + 1], [given**2, given + 1]), (-square(x + 1) * x, -((given + 1) ** 2) * given),
    ):  # fmt: skip
        f = opweld.function([x], output)
        assert "opw_run_asking(opw_n" not in opweld.source(f)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(f(given), wanted)


ROWS = [(1, 1), (3, 20), (400, 20), (3000, 63), (200, 64), (70, 127), (40, 128), (47, 316), (5, 5000)]
WORKS = {
    "a row": lambda x, row, column: x * row + row,
    "a column": lambda x, row, column: x * column,
    "a column and a row": lambda x, row, column: row - column,
    "two columns": lambda x, row, column: x * column - column,
    "divided by a number": lambda x, row, column: (x - row) / 3,
    "divided by a column": lambda x, row, column: (x - row) / column,
}


def guarded(shape: tuple[int, int], offset: int) -> tuple[np.ndarray, np.ndarray]:
    """Room that is marked, and an array in it that begins so many bytes behind a line."""
    room = np.full(shape[0] * shape[1] * 8 + 192, 0x55, np.uint8)
    begin = 64 - room.ctypes.data % 64 + offset
    return room, room[begin : begin + shape[0] * shape[1] * 8].view("float64").reshape(shape)


@pytest.mark.parametrize("fastmath", [False, True])
@pytest.mark.parametrize("name", WORKS)
def test_rows_in_parts(name: str, fastmath: bool) -> None:
    """Of every length, however they lie, over an input too: each element is of its own, and no other is written."""
    shapes = {"x": (None, None), "row": (1, None), "column": (None, 1)}
    x, row, column = (opweld.TensorType("float64", shape)(key) for key, shape in shapes.items())
    work, rng, within = WORKS[name], np.random.default_rng(1), 1e-15 if fastmath else 0
    f = opweld.function([x, row, column], work(x, row, column), fastmath=fastmath, on_unused_input="ignore")
    assert "opw_run_asking(opw_n" in opweld.source(f) or "OPW_BY_PRODUCTS(opw_n" in opweld.source(f)
    for shape in ROWS:
        r, c = rng.integers(1, 9, (1, shape[1])).astype("f8"), rng.integers(1, 9, (shape[0], 1)).astype("f8")
        wide = rng.integers(-9, 9, (2 * shape[0], 2 * shape[1])).astype("f8")
        part = wide[: shape[0], : shape[1]]
        for given in (part.copy(), np.asfortranarray(wide[::2, ::2]), wide[::2, ::2], part[::-1]):
            wanted = work(given, r, c)
            np.testing.assert_allclose(f(given, r, c), wanted, rtol=within)
            for offset in (0, 16, 56):
                room, out = guarded(shape, offset)
                np.testing.assert_allclose(f(given, r, c, out=out), wanted, rtol=within)
                out[:] = 0
                assert np.count_nonzero(room != 0x55) == np.count_nonzero(room == 0) == out.nbytes
            own = given.copy()
            np.testing.assert_allclose(f(own, r, c, out=own), wanted, rtol=within)
