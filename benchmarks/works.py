"""What is computed on arrays: each work in the words that NumPy, opweld and PyTensor have in common.

The same work in numexpr's words is in peers.py, as loops for Numba in numba_loops.py, by hand in kernels.h; each under
the work's key.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

__all__ = ["WORKS", "Work"]

EVERY = ("C", "F", "sliced")
Operands = Callable[[int, str], list[np.ndarray]]


@dataclass(frozen=True)
class Work:
    """One computation, and what it is given.

    ``expression(T, *inputs)`` gives the result, where ``T`` is NumPy or a library's ``tensor`` module;
    ``operands(size, layout)`` gives the arrays, of about ``size`` elements where they are largest.
    """

    title: str
    operands: Operands
    expression: Callable[..., Any]
    layouts: tuple[str, ...] = ("C",)
    into: bool = False  # measured with out= too
    row: str = "arrays"  # of the run


def _values(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    numbers = np.random.default_rng(seed).random(shape, dtype=np.float32 if dtype == "float32" else np.float64)
    return numbers + numbers.dtype.type(0.5) if dtype.startswith("float") else (numbers * 100).astype(dtype)


def _laid_out(shape: tuple[int, ...], dtype: str, layout: str, seed: int) -> np.ndarray:
    """Numbers from 0.5 to 1.5 in C order, in Fortran order, or in every second place of the last two dimensions."""
    if layout == "F":
        return np.asfortranarray(_values(shape, dtype, seed))
    if layout == "sliced":
        wider = (*shape[:-2], 2 * shape[-2], 2 * shape[-1])
        return _values(wider, dtype, seed)[..., ::2, ::2]
    return _values(shape, dtype, seed)


def _shape(size: int, ndim: int) -> tuple[int, ...]:
    """Lengths that are about alike, and whose product is about the size."""
    if ndim == 1:
        return (size,)
    first = max(1, round(size ** (1 / ndim)))
    return (first, *_shape(max(1, size // first), ndim - 1))


def _alike(ndim: int, *dtypes: str) -> Operands:
    """Arrays of one shape."""
    return lambda size, layout: [
        _laid_out(_shape(size, ndim), dtype, layout, seed) for seed, dtype in enumerate(dtypes)
    ]


def _of_rows(size: int, layout: str) -> list[np.ndarray]:
    """A matrix, and two vectors as long as its rows."""
    matrix = _laid_out(_shape(size, 2), "float64", layout, 0)
    return [matrix, _values(matrix.shape[1:], "float64", 1), _values(matrix.shape[1:], "float64", 2)]


def _of_cube(size: int, layout: str) -> list[np.ndarray]:
    """Three dimensions, and vectors along the first and the second of them."""
    cube = _laid_out(_shape(size, 3), "float64", layout, 0)
    return [cube, _values(cube.shape[:1], "float64", 1), _values(cube.shape[1:2], "float64", 2)]


def _column_and_row(size: int, layout: str) -> list[np.ndarray]:
    rows, columns = _shape(size, 2)
    return [_values((rows, 1), "float64", 0), _values((1, columns), "float64", 1)]


def _labelled(size: int, layout: str) -> list[np.ndarray]:
    """Numbers of both signs, and labels that are 0 or 1."""
    generator = np.random.default_rng(0)
    return [generator.standard_normal(size), (generator.random(size) < 0.5).astype("float64")]


def arithmetic(T: Any, x: Any, y: Any) -> Any:
    return (x + y) * x - y * 2


def product_sum(axis: int, T: Any, x: Any, y: Any) -> Any:
    return T.sum(x * y, axis=axis)


def stencil(T: Any, x: Any, y: Any) -> Any:
    between = x * 2 + 1
    if T.__name__.startswith("opweld"):
        from fragments import blur

        mean = blur(between)
    else:
        mean = (between[:-2] + between[1:-1] + between[2:]) / 3
    return mean * y[1:-1] - x[1:-1]


def fifty(T: Any, x: Any, y: Any) -> Any:
    value = x
    for _ in range(10):
        value = abs((value * y + x) * 0.5 - y)
    return value


def softmax(axis: int, T: Any, x: Any) -> Any:
    powers = T.exp(x - T.max(x, axis=axis, keepdims=True))
    return powers / T.sum(powers, axis=axis, keepdims=True)


def logsumexp(axis: int, T: Any, x: Any) -> Any:
    top = T.max(x, axis=axis, keepdims=True)
    return T.log(T.sum(T.exp(x - top), axis=axis, keepdims=True)) + top


def variance(axis: int, T: Any, x: Any) -> Any:
    return T.var(x, axis=axis)


def layer_norm(T: Any, x: Any, gain: Any, bias: Any) -> Any:
    centred = x - T.mean(x, axis=1, keepdims=True)
    return centred / T.sqrt(T.var(x, axis=1, keepdims=True) + 1e-5) * gain + bias


WORKS: dict[str, Work] = {
    "arithmetic": Work("(x + y)*x - y*2", _alike(1, "float64", "float64"), arithmetic, into=True),
    "where": Work(
        "where(x > y, x, y)*0.5",
        _alike(1, "float64", "float64"),
        lambda T, x, y: T.where(x > y, x, y) * 0.5,
        into=True,
    ),
    "squares": Work(
        "sum((x - y)**2)", _alike(1, "float64", "float64"), lambda T, x, y: T.sum((x - y) ** 2)
    ),
    **{
        f"sum{axis}": Work(
            f"sum(x*y, axis={axis})", _alike(3, "float64", "float64"), partial(product_sum, axis), EVERY
        )
        for axis in range(3)
    },
    "rows": Work(
        "(x - mean)/3 by row",
        _alike(2, "float64"),
        lambda T, x: (x - T.mean(x, axis=1, keepdims=True)) / 3,
        EVERY,
    ),
    "stencil": Work("blur(x*2 + 1)*y - x", _alike(1, "float64", "float64"), stencil),
    "gauss": Work(
        "exp(-x*x/2)*y + sin(x)",
        _alike(1, "float64", "float64"),
        lambda T, x, y: T.exp(-x * x / 2) * y + T.sin(x),
    ),
    "tanh_log1p": Work(
        "tanh(x)*log1p(y*y)", _alike(1, "float64", "float64"), lambda T, x, y: T.tanh(x) * T.log1p(y * y)
    ),
    "largest": Work("max(abs(x) + y)", _alike(1, "float64", "float64"), lambda T, x, y: T.max(abs(x) + y)),
    "fifty": Work("50 nodes", _alike(1, "float64", "float64"), fifty, into=True),
    "softmax0": Work("softmax, axis 0", _alike(2, "float64"), partial(softmax, 0)),
    "softmax1": Work("softmax, axis 1", _alike(2, "float64"), partial(softmax, 1)),
    "layer": Work("layer norm", _of_rows, layer_norm),
    **{
        f"{name}{axis}": Work(f"{name}, axis {axis}", _alike(2, "float64"), partial(expression, axis), row="folds")
        for name, expression in (("logsumexp", logsumexp), ("var", variance))
        for axis in (0, 1)
    },
    **{
        f"largest{axis}": Work(
            f"max(abs(x) + y), axis {axis}",
            _alike(2, "float64", "float64"),
            partial(lambda axis, T, x, y: T.max(abs(x) + y, axis=axis), axis),
            row="folds",
        )
        for axis in (0, 1)
    },
    "logistic": Work(
        "logistic log-likelihood", _labelled, lambda T, x, y: T.sum(x * y - T.log1p(T.exp(x)))
    ),
    "cube": Work(
        "3-D broadcast, x*a + b",
        _of_cube,
        lambda T, x, a, b: x * a[:, None, None] + b[None, :, None],
    ),
    "outer": Work("exp(column) + row", _column_and_row, lambda T, x, y: T.exp(x) + y),
    "float32": Work("(x + y)*x - y*2, float32", _alike(1, "float32", "float32"), arithmetic),
    "mixed": Work(
        "x*2 + y*i, of float32, float64, int32",
        _alike(1, "float32", "float64", "int32"),
        lambda T, x, y, i: x * 2 + y * i,
    ),
}  # fmt: skip
