"""Axes as NumPy counts them, and the C that keeps or makes the storage of an output."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.exceptions import AxisError

__all__ = ["many_axes", "one_axis"]


def one_axis(axis: Any, ndim: int) -> int:
    """Count an axis from the front.

    Parameters
    ----------
    axis : int
        Negative: from the back.
    ndim : int
        Number of dimensions.

    Returns
    -------
    int
        From 0.

    Raises
    ------
    TypeError
        If it is not an integer.
    numpy.exceptions.AxisError
        If there is no such axis.
    """
    if isinstance(axis, (bool, np.bool_)):
        raise TypeError("an integer is required for the axis")
    try:
        number = int(axis.__index__())
    except AttributeError:
        raise TypeError(f"'{type(axis).__name__}' object cannot be interpreted as an integer") from None
    if not -ndim <= number < ndim:
        raise AxisError(number, ndim)
    return number + ndim if number < 0 else number


def many_axes(axis: object, ndim: int) -> tuple[int, ...]:
    """Give the axes that a reduction runs over.

    Parameters
    ----------
    axis : None, int or tuple of int
        None: all of them. For an array without dimensions 0 and -1 are no error, as in NumPy.
    ndim : int
        Number of dimensions.

    Returns
    -------
    tuple of int
        Ascending, from 0.

    Raises
    ------
    TypeError
        If one is not an integer.
    ValueError
        If one is given twice.
    numpy.exceptions.AxisError
        If there is no such axis.
    """
    if axis is None:
        return tuple(range(ndim))
    if any(isinstance(each, (bool, np.bool_)) for each in (axis if isinstance(axis, tuple) else (axis,))):
        raise TypeError("an integer is required")
    if not isinstance(axis, tuple):
        try:
            return (one_axis(axis, ndim),)
        except AxisError:
            if ndim == 0 and axis in (0, -1):
                return ()
            raise
    found = sorted([one_axis(each, ndim) for each in axis])
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return tuple(found)
