"""Reductions: axes that go, by adding up, by the largest, and what else NumPy has."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from opweld.dtypes import dtype_of
from opweld.scalar.ufuncs import ufunc
from opweld.tensor.axis import many_axes
from opweld.tensor.careduce import CAReduce
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Axes, DType, TensorLike
from opweld.tensor.operators import functions

__all__ = [
    "CAReduce",
    "all",
    "amax",
    "amin",
    "any",
    "max",
    "min",
    "prod",
    "ptp",
    "sum",
]


@lru_cache(maxsize=1024)
def _reduction(name: str, axes: tuple[int, ...], dtype: str | None, keepdims: bool) -> CAReduce:
    """The op; one that is asked for again is the same."""
    return CAReduce(ufunc(name), axes, dtype, keepdims)


def _reduce(name: str, x: TensorLike, axis: Axes, keepdims: bool, dtype: DType = None) -> Any:
    """Reduce by one of NumPy's ops; the axes are those of `x`, from 0, so equal reductions are equal nodes."""
    x = as_tensor_variable(x)
    axes = many_axes(axis, x.type.ndim)
    if dtype is None:
        wanted = None
    else:
        wanted = dtype_of(dtype).name
        if dtype_of(x.type.dtype).np.kind == "c" and dtype_of(wanted).np.kind not in "cb":
            x = functions.cast(x, wanted)  # this warns
    return _reduction(name, axes, wanted, bool(keepdims))(x)


def sum(x: TensorLike, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Any:
    """Add up, as ``numpy.sum`` does. Floating point and complex numbers are added pairwise.

    Parameters
    ----------
    x : Variable or array_like
        What is added up.
    axis : None, int or tuple of int
        Over which axes; None: all.
    dtype : str or numpy.dtype, optional
        Of the sum; elements are cast to it. Left out: int64 or uint64 for bool and smaller integers, else that of `x`.
    keepdims : bool
        The axes stay, of size 1.

    Returns
    -------
    TensorVariable

    Raises
    ------
    TypeError
        If an axis is no integer.
    ValueError
        If an axis is given twice.
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.sum(x, axis=1))([[1.0, 2.0], [3.0, 4.0]])
    array([3., 7.])
    """
    return _reduce("add", x, axis, keepdims, dtype)


def prod(x: TensorLike, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Any:
    """Multiply, as ``numpy.prod`` does.

    Parameters
    ----------
    x, axis, dtype, keepdims
        As for `sum`.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.prod(x))([2, 3, 4])
    np.int64(24)
    """
    return _reduce("multiply", x, axis, keepdims, dtype)


def max(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Find the largest, as ``numpy.max`` does: NaN where there is one.

    Parameters
    ----------
    x : Variable or array_like
        Where to look. Complex numbers are ordered by real part, then imaginary part.
    axis, keepdims
        As for `sum`.

    Returns
    -------
    TensorVariable
        Of the dtype of `x`.

    Raises
    ------
    ValueError
        If there is nothing to find; at the call where sizes are not known before.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.amax(x, axis=0))([[1.0, 5.0], [4.0, 2.0]])
    array([4., 5.])
    """
    return _reduce("maximum", x, axis, keepdims)


def min(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Find the smallest, as ``numpy.min`` does: NaN where there is one.

    Parameters
    ----------
    x, axis, keepdims
        As for `max`.

    Returns
    -------
    TensorVariable
        Of the dtype of `x`.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.amin(x, axis=0))([[1.0, 5.0], [4.0, 2.0]])
    array([1., 2.])
    """
    return _reduce("minimum", x, axis, keepdims)


amax = max
amin = min


def all(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Say whether all are true, that is not zero, as ``numpy.all`` does.

    Parameters
    ----------
    x, axis, keepdims
        As for `sum`.

    Returns
    -------
    TensorVariable
        Of bool.

    Examples
    --------
    >>> x = T.tensor("bool", shape=(None,), name="x")
    >>> opweld.function([x], T.all(x))([True, False])
    np.False_
    """
    return _reduce("logical_and", x, axis, keepdims)


def any(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Say whether one is true, that is not zero, as ``numpy.any`` does.

    Parameters
    ----------
    x, axis, keepdims
        As for `sum`.

    Returns
    -------
    TensorVariable
        Of bool.

    Examples
    --------
    >>> x = T.tensor("bool", shape=(None,), name="x")
    >>> opweld.function([x], T.any(x))([True, False])
    np.True_
    """
    return _reduce("logical_or", x, axis, keepdims)


def ptp(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Give the largest less the smallest, as ``numpy.ptp`` does.

    Parameters
    ----------
    x, axis, keepdims
        As for `max`.

    Returns
    -------
    TensorVariable
        Of the dtype of `x`.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.ptp(x))([3, 9, 4])
    np.int64(6)
    """
    return functions.subtract(max(x, axis, keepdims), min(x, axis, keepdims))
