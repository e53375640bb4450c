"""Diagonals, and what lies on either side of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import DType, TensorLike
from opweld.tensor.operators import functions

__all__ = ["diag", "diagonal", "trace", "tril", "triu"]


def tril(m: TensorLike, k: int = 0) -> Any:
    """Give what lies on a diagonal and below, and zero above, as ``numpy.tril`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of one dimension at least; each matrix of the last two axes, or a vector as each row of a square one.
    k : int, optional
        The diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If `m` has no dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.tril(x))([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    below, x = _sides("tril", m)
    return functions.where(functions.ge(below, -k), x, np.zeros((), x.type.dtype))


def triu(m: TensorLike, k: int = 0) -> Any:
    """Give what lies on a diagonal and above, and zero below, as ``numpy.triu`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of one dimension at least; each matrix of the last two axes, or a vector as each row of a square one.
    k : int, optional
        The diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If `m` has no dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.triu(x))([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    below, x = _sides("triu", m)
    return functions.where(functions.le(below, -k), x, np.zeros((), x.type.dtype))


def _sides(what: str, m: TensorLike) -> tuple[Any, Any]:
    """How far below the main diagonal each place lies, and the matrix."""
    m = as_tensor_variable(m)
    if not m.ndim:
        raise ValueError(f"{what}: expected one dimension at least, got {m.type}")
    rows, columns = m.shape[max(m.ndim - 2, 0)], m.shape[m.ndim - 1]
    return functions.arange(rows)[:, None] - functions.arange(columns), m


def diagonal(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Give a diagonal, as ``numpy.diagonal`` does; a copy.

    Parameters
    ----------
    x : Variable or array_like
        Of two dimensions at least.
    offset : int, optional
        Which diagonal: above the main one if positive.
    axis1, axis2 : int, optional
        The axes of the matrices.

    Returns
    -------
    TensorVariable
        Of the same dtype; without the two axes, and with one for the diagonal at the end.

    Raises
    ------
    ValueError
        If `x` has less than two dimensions, or the axes are one.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.diagonal(x))([[1, 2], [3, 4]])
    array([1, 4])
    """
    x = as_tensor_variable(x)
    if x.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    first, second = one_axis(axis1, x.ndim), one_axis(axis2, x.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    moved: Any = functions.moveaxis(x, (first, second), (-2, -1))
    others = (slice(None),) * (x.ndim - 2)
    part = (*others, slice(max(-offset, 0), None), slice(max(offset, 0), None))
    moved = moved[part]
    places = functions.arange(functions.minimum(moved.shape[x.ndim - 2], moved.shape[x.ndim - 1]))
    part = (*others, places, places)
    return moved[part]


def diag(v: TensorLike, k: int = 0) -> Any:
    """Give the diagonal of a matrix, or a matrix with a diagonal, as ``numpy.diag`` does.

    Parameters
    ----------
    v : Variable or array_like
        A matrix, or a vector.
    k : int, optional
        Which diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype: a vector, or a square matrix that is zero elsewhere.

    Raises
    ------
    ValueError
        If `v` has neither one nor two dimensions.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.diag(x))([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    v = as_tensor_variable(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    if v.ndim == 2:
        return diagonal(v, k)
    size = v.shape[0] + abs(k)
    places = functions.arange(v.shape[0])
    target = functions.zeros((size, size), dtype=v.type.dtype)
    return functions.set_subtensor(target[places + max(-k, 0), places + max(k, 0)], v)


def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DType = None) -> Any:
    """Give the sum of a diagonal, as ``numpy.trace`` does.

    Parameters
    ----------
    x : Variable or array_like
        Of two dimensions at least.
    offset, axis1, axis2 : int, optional
        As for `diagonal`.
    dtype : dtype_like, optional
        In which it is added; as for `sum` if left out.

    Returns
    -------
    TensorVariable
        Without the two axes.

    Raises
    ------
    ValueError
        As for `diagonal`.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.trace(x))([[1, 2], [3, 4]])
    np.int64(5)
    """
    return functions.sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)
