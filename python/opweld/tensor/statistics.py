"""Mean, variance and standard deviation, made of other nodes in the steps that NumPy takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opweld.dtypes import dtype_of
from opweld.graph.basic import Variable
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.likes import Axes, DType, TensorLike
from opweld.tensor.math import cast, imag, real
from opweld.tensor.reduce import sum as _sum
from opweld.tensor.shapes import shape_i
from opweld.tensor.ufuncs import add, divide, maximum, multiply, sqrt, square, subtract

__all__ = ["mean", "std", "var"]


def _count(x: Any, axis: Any) -> Any:
    """How many elements meet in one: an int where it is known, else an int64 variable."""
    given = range(x.type.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = [normalize_axis_index(each, x.type.ndim) for each in given]
    found, unknown = 1, []
    for each in axes:
        size = x.type.shape[each]
        if size is None:
            unknown.append(shape_i(x, each))
        else:
            found *= size
    if not unknown:
        return found
    product: Any = unknown[0]
    for size in unknown[1:]:
        product = multiply(product, size)
    return product if found == 1 else multiply(product, constant(np.int64(found)))


def _divided(total: Any, count: Any, dtype: str) -> Any:
    """A sum divided by a count, as NumPy does: by an int64, which may be in a wider dtype, cast back."""
    if not isinstance(count, Variable):
        count = constant(np.int64(count) if isinstance(count, int) else np.float64(count))
    return cast(divide(total, count), dtype)


def _total(x: Variable[Any], axis: Axes, dtype: DType, keepdims: bool) -> Any:
    """A sum; in float64 what is true is counted, for a count loses no bit in it, and numbers take longer."""
    if x.type.dtype == "bool" and dtype is not None and dtype_of(dtype).name == "float64":
        return cast(_sum(x, axis, "int64", keepdims), "float64")
    return _sum(x, axis, dtype, keepdims)


def mean(x: TensorLike, axis: Axes = None, dtype: DType = None, keepdims: bool = False) -> Any:
    """Give the mean, as ``numpy.mean`` does.

    Parameters
    ----------
    x : Variable or array_like
        Of what.
    axis : None, int or tuple of int
        Over which axes; None: all.
    dtype : str or numpy.dtype, optional
        In which it is computed, and of the result. Left out: float64 for bool and integers, else that of `x`; means of
        float16 are computed in float32.
    keepdims : bool
        The axes stay, of size 1.

    Returns
    -------
    TensorVariable
        NaN where there is nothing.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.mean(x, axis=0))([[1.0, 5.0], [4.0, 2.0]])
    array([2.5, 3.5])
    """
    x = as_tensor_variable(x)
    count = _count(x, axis)
    given = dtype_of(x.type.dtype)
    half = dtype is None and given.name == "float16"
    if dtype is None and given.np.kind in "biu":
        dtype = "float64"
    total = _total(x, axis, "float32" if half else dtype, keepdims)
    if half and total.type.ndim == 0:  # NumPy divides a number in float64, and an array into float32
        return _divided(total, count, "float16")
    found = _divided(total, count, total.type.dtype)
    return cast(found, "float16") if half else found


def var(x: TensorLike, axis: Axes = None, dtype: DType = None, ddof: Any = 0, keepdims: bool = False) -> Any:
    """Give the variance, the mean square of what elements differ from their mean, as ``numpy.var`` does.

    Parameters
    ----------
    x : Variable or array_like
        Of what.
    axis, keepdims
        As for `mean`.
    dtype : str or numpy.dtype, optional
        In which it is computed. Left out: float64 for bool and integers, else that of `x`.
    ddof : int, float or Variable
        The sum is divided by the number of elements less this, but not by less than 0.

    Returns
    -------
    TensorVariable
        Real, also of complex numbers.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.var(x))([1.0, 3.0])
    np.float64(1.0)
    """
    x = as_tensor_variable(x)
    count = _count(x, axis)
    kind = dtype_of(x.type.dtype).np.kind
    if dtype is None and kind in "biu":
        dtype = "float64"
    total = _total(x, axis, dtype, True)
    apart = subtract(x, _divided(total, count, total.type.dtype))
    if kind == "c" and dtype_of(apart.type.dtype).np.kind == "c":
        squares = add(square(real(apart)), square(imag(apart)))
    else:
        squares = square(apart)
    found: Any = _sum(squares, axis, dtype, keepdims)
    if isinstance(count, Variable) or isinstance(ddof, Variable):
        free: Any = maximum(subtract(count, ddof), 0)
    else:
        free = count - ddof if count > ddof else 0
    return _divided(found, free, found.type.dtype)


def std(x: TensorLike, axis: Axes = None, dtype: DType = None, ddof: object = 0, keepdims: bool = False) -> Any:
    """Give the standard deviation, the square root of `var`, as ``numpy.std`` does.

    Parameters
    ----------
    x, axis, dtype, ddof, keepdims
        As for `var`.

    Returns
    -------
    TensorVariable

    Raises
    ------
    TypeError
        If `dtype` is one of integers, and the result is not one number.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.std(x))([1.0, 3.0])
    np.float64(1.0)
    """
    found = var(x, axis, dtype, ddof, keepdims)
    if found.ndim and found.type.numpy_dtype.kind not in "fc":  # of one number NumPy casts the root
        raise TypeError(f"std: its roots cannot be cast to {found.type.dtype}; take a floating point dtype")
    return cast(sqrt(found), found.type.dtype)
