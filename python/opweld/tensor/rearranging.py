"""The same elements in another order, with others round them, or combined with another array's."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Numbers, Places, Size, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.variable import TensorVariable

__all__ = ["flip", "kron", "meshgrid", "pad", "roll", "rot90"]


def flip(m: TensorLike, axis: int | tuple[int, ...] | None = None) -> Any:
    """Give the elements in the opposite order, as ``numpy.flip`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of any shape.
    axis : int or tuple of int, optional
        Along which; all if left out.

    Returns
    -------
    TensorVariable
        Of the same dtype and shape.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.flip(x))([1, 2, 3])
    array([3, 2, 1])
    """
    m = as_tensor_variable(m)
    axes = range(m.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    places = [one_axis(one, m.ndim) for one in axes]
    return m[tuple([slice(None, None, -1 if i in places else None) for i in range(m.ndim)])]


def rot90(m: TensorLike, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Turn by right angles in the plane of two axes, from the first towards the second, as ``numpy.rot90`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of two dimensions at least.
    k : int, optional
        How many right angles.
    axes : tuple of int, optional
        The plane.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If there are not two axes, or they are one.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.rot90(x))([[1, 2], [3, 4]])
    array([[2, 4],
           [1, 3]])
    """
    m = as_tensor_variable(m)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    first, second = (one_axis(axis, m.ndim) for axis in axes)
    if first == second:
        raise ValueError("Axes must be different.")
    if k % 4 == 0:
        return m[:]
    if k % 4 == 2:
        return flip(m, (first, second))
    turned = functions.swapaxes(flip(m, second) if k % 4 == 1 else m, first, second)
    return turned if k % 4 == 1 else flip(turned, second)


def roll(a: TensorLike, shift: Size | tuple[Size, ...], axis: Places | None = None) -> Any:
    """Move elements along axes, those that leave at the end to the beginning, as ``numpy.roll`` does.

    Parameters
    ----------
    a : Variable or array_like
        Of any shape.
    shift : int, Variable or tuple of these
        By how many places; several, one after the other, with as many axes.
    axis : int or sequence of int, optional
        Along which; along all as one if left out.

    Returns
    -------
    TensorVariable
        Of the same dtype and shape.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.
    ValueError
        If there are neither as many shifts as axes nor one.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.roll(x, 1))([1, 2, 3])
    array([3, 1, 2])
    """
    x: Any = as_tensor_variable(a)
    if axis is None:
        return functions.reshape(roll(functions.ravel(x), shift, 0), x.shape, ndim=x.ndim)
    axes = list(axis) if isinstance(axis, Sequence) else [axis]
    shifts = list(shift) if isinstance(shift, tuple | list) else [shift]
    many = max(len(axes), len(shifts))
    if len(axes) not in (1, many) or len(shifts) not in (1, many):
        raise ValueError("'shift' and 'axis' should be scalars or 1D sequences")
    for by, along in zip(shifts * (many // len(shifts)), axes * (many // len(axes)), strict=True):
        place = one_axis(along, x.ndim)
        before = (slice(None),) * place
        size = x.shape[place]
        cut = size - by % functions.maximum(size, 1)
        last, first = (*before, slice(cut, None)), (*before, slice(None, cut))
        x = functions.concatenate([x[last], x[first]], axis=place)
    return x


def pad(array: TensorLike, pad_width: Numbers, mode: str = "constant", constant_values: Numbers = 0) -> Any:
    """Put elements round an array, as ``numpy.pad`` does.

    Parameters
    ----------
    array : Variable or array_like
        Of any shape; of one element at least along an axis that is padded, unless by a constant.
    pad_width : int, or sequence of int or of pairs of int
        How many before and after, along each axis: one for all, one pair for all, or a pair each.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}, optional
        What they are: a constant, the last element, what lies on the other side of it, the same with it, or what lies
        at the other end.
    constant_values : scalar, or sequence of scalars or of pairs of scalars, optional
        The constants, as `pad_width`.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If `mode` is none of these, or a width is negative.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.pad(x, 1, mode="edge"))([1, 2])
    array([1, 1, 2, 2])
    """
    x: Any = as_tensor_variable(array)
    if mode not in ("constant", *_SOURCES):
        raise ValueError(f"pad: mode is {mode!r}, expected one of 'constant', {', '.join(map(repr, _SOURCES))}")
    widths = [[index(width) for width in pair] for pair in np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()]
    if any(width < 0 for pair in widths for width in pair):
        raise ValueError("index can't contain negative values")
    values = np.broadcast_to(np.asarray(constant_values), (x.ndim, 2)).astype(x.type.dtype)
    for axis, (before, after) in enumerate(widths):
        if mode == "constant":
            x = _with_blocks(x, axis, widths[axis], values[axis])
        elif before or after:
            size = x.shape[axis]
            x = functions.take(x, _SOURCES[mode](functions.arange(-before, size + after), size), axis=axis)
    return x


def _with_blocks(x: TensorVariable, axis: int, widths: Sequence[int], values: np.ndarray[Any, Any]) -> Any:
    """An array between two blocks of a constant."""
    parts = [x]
    for width, value, place in zip(widths, values, (0, 2), strict=True):
        if width:
            shape = [width if i == axis else x.shape[i] for i in range(x.ndim)]
            parts.insert(place, functions.full(shape, value, dtype=x.type.dtype))
    return functions.concatenate(parts, axis=axis) if len(parts) > 1 else x


def _reflected(places: TensorVariable, size: TensorVariable) -> Any:
    period = functions.maximum(2 * (size - 1), 1)
    places = places % period
    return functions.minimum(places, period - places) % functions.maximum(size, 1)


def _mirrored(places: TensorVariable, size: TensorVariable) -> Any:
    places = places % functions.maximum(2 * size, 1)
    return functions.minimum(places, 2 * size - 1 - places)


# Where the element comes from that stands at a place, counted from the first of the array.
_SOURCES: dict[str, Any] = {
    "edge": lambda places, size: functions.clip(places, 0, size - 1),
    "reflect": _reflected,
    "symmetric": _mirrored,
    "wrap": lambda places, size: places % functions.maximum(size, 1),
}


def meshgrid(*xi: TensorLike, indexing: str = "xy", sparse: bool = False) -> list[Any]:
    """Give the coordinates of a grid, as ``numpy.meshgrid`` does.

    Parameters
    ----------
    *xi : Variable or array_like
        The coordinates along each axis: vectors, or numbers.
    indexing : {"xy", "ij"}, optional
        Whether the first two axes are exchanged, as in a picture.
    sparse : bool, optional
        Whether each stays of one element along the axes of the others, to be broadcast.

    Returns
    -------
    list of TensorVariable
        As many as `xi`.

    Raises
    ------
    ValueError
        If `indexing` is neither.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.meshgrid(x, y))([1, 2], [3, 4, 5])
    [array([[1, 2],
           [1, 2],
           [1, 2]]), array([[3, 3],
           [4, 4],
           [5, 5]])]
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    given = [functions.ravel(as_tensor_variable(x)) for x in xi]
    many = len(given)
    order = list(range(many))
    if indexing == "xy" and many > 1:
        order[:2] = [1, 0]
    grid = [x[tuple([slice(None) if axis == order[i] else None for axis in range(many)])] for i, x in enumerate(given)]
    if sparse:
        return grid
    shape = [given[order.index(axis)].shape[0] for axis in range(many)]
    return [functions.broadcast_to(x, shape).copy() for x in grid]


def kron(a: TensorLike, b: TensorLike) -> Any:
    """Give the Kronecker product: `b`, times each element of `a`, in its place; as ``numpy.kron`` does.

    Parameters
    ----------
    a, b : Variable or array_like
        Of any shape; one of fewer dimensions has others of one element before them.

    Returns
    -------
    TensorVariable
        Along each axis as long as both together, multiplied.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.kron(x, y))([1, 10], [1, 2])
    array([ 1,  2, 10, 20])
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    ndim = max(a.ndim, b.ndim)
    a, b = (x[(None,) * (ndim - x.ndim) + (...,)] for x in (a, b))
    whole = slice(None)
    product = a[(whole, None) * ndim] * b[(None, whole) * ndim]
    return functions.reshape(product, [a.shape[i] * b.shape[i] for i in range(ndim)], ndim=ndim)
