"""Mathematics on tensors that NumPy has no ufunc for, element by element, under NumPy's names and PyTensor's.

Dtypes, broadcasting and exceptions are NumPy's; Python's numbers are weak, as in NumPy.
"""

from __future__ import annotations

from functools import cache
from operator import index
from typing import Any

from opweld.dtypes import dtype_of, upcast
from opweld.promotion import weak_kind
from opweld.scalar.basic import Cast, Clip, Identity, Imag, Real, Second, Where
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.elemwise import Elemwise, documented
from opweld.tensor.likes import DType, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.ufuncs import (
    absolute,
    add,
    arctan2,
    bitwise_and,
    bitwise_or,
    divide,
    equal,
    isfinite,
    isnan,
    less_equal,
    maximum,
    minimum,
    multiply,
    positive,
    rint,
    subtract,
)

__all__ = [
    "allclose", "angle", "cast", "clip", "fill", "imag", "isclose", "real", "round", "second", "size", "switch",
    "tensor_copy", "where",
]  # fmt: skip

where = switch = documented(
    Where(), "Give the second where the first is true, else the third.", "[1, 0]; [2, 3]; [4, 5] = array([2, 5])"
)
second = fill = documented(
    Second(), "Give the second in the shape that both broadcast to.", "[1, 2]; [7] = array([7, 7])"
)
tensor_copy = documented(Identity(), "Give a copy.", "[1, 2] = array([1, 2])", "tensor_copy")

_clip = Elemwise(Clip())
_real = Elemwise(Real())
_imag = Elemwise(Imag())


@cache
def _cast(dtype: str) -> Elemwise:
    return Elemwise(Cast(dtype))


def cast(x: TensorLike, dtype: DType) -> Any:
    """Convert to another dtype, as ``numpy.ndarray.astype`` does.

    Parameters
    ----------
    x : Variable or array_like
        What to convert.
    dtype : str or numpy.dtype
        The dtype wanted.

    Returns
    -------
    TensorVariable
        `x` itself where it has the dtype.

    Warns
    -----
    numpy.exceptions.ComplexWarning
        If imaginary parts will be lost.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.cast(x, "int32"))([1.7, -1.7])
    array([ 1, -1], dtype=int32)
    """
    x = as_tensor_variable(x)
    wanted = dtype_of(dtype)
    if wanted.name == x.type.dtype:
        return x
    if dtype_of(x.type.dtype).np.kind == "c" and wanted.np.kind not in "cb":
        from warnings import warn

        from numpy.exceptions import ComplexWarning

        warn("Casting complex values to real discards the imaginary part", ComplexWarning, stacklevel=2)
    return _cast(wanted.name)(x)


def clip(x: TensorLike, min: TensorLike | None = None, max: TensorLike | None = None) -> Any:
    """Limit values, as ``numpy.clip`` does.

    Parameters
    ----------
    x : Variable or array_like
        The values.
    min, max : Variable or array_like, optional
        The limits; None: none. One of Python's integers that is no limit for the dtype of `x` is none, either.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.clip(x, 0, 1))([-0.5, 0.5, 1.5])
    array([0. , 0.5, 1. ])
    """
    x = as_tensor_variable(x)
    kind = dtype_of(x.type.dtype).np
    if kind.kind in "iu":
        from numpy import iinfo

        limits = iinfo(kind)
        if isinstance(min, int) and weak_kind(min) is int and min <= limits.min:
            min = None
        if isinstance(max, int) and weak_kind(max) is int and max >= limits.max:
            max = None
    if min is None:
        return positive(x) if max is None else minimum(x, max)
    return maximum(x, min) if max is None else _clip(x, min, max)


def round(x: TensorLike, decimals: int = 0) -> Any:
    """Round to a number of decimals, halves to even, as ``numpy.round`` does.

    Parameters
    ----------
    x : Variable or array_like
        The values.
    decimals : int
        How many; of a negative number that many places before the point.

    Returns
    -------
    TensorVariable
        `x` itself where there is nothing to round.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.round(x, 1))([0.16, 2.5])
    array([0.2, 2.5])
    """
    x = as_tensor_variable(x)
    decimals = index(decimals)  # as NumPy refuses what is none
    kind = dtype_of(x.type.dtype).np.kind
    if decimals == 0 and kind not in "iu":
        return rint(x)
    factor = 10.0 ** max(decimals, -decimals) if -309 < decimals < 309 else float("inf")
    if decimals >= 0:
        return x if kind in "iu" else divide(rint(multiply(x, factor)), factor)
    return cast(multiply(rint(divide(x, factor)), factor), x.type.dtype)


def isclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Say where two tensors are equal within a tolerance, as ``numpy.isclose`` does.

    Parameters
    ----------
    a, b : Variable or array_like
        What is compared.
    rtol, atol : float
        They may differ by ``atol + rtol * abs(b)``.
    equal_nan : bool
        NaN is equal to NaN.

    Returns
    -------
    TensorVariable
        Of bool.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.isclose(x, y))([1.0, 2.0], [1.0, 2.1])
    array([ True, False])
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if dtype_of(b.type.dtype).np.kind in "biu":
        b = cast(b, upcast(b.type.dtype, "float64"))
    near = less_equal(absolute(subtract(a, b)), add(atol, multiply(rtol, absolute(b))))
    found = bitwise_or(bitwise_and(near, isfinite(b)), equal(a, b))
    return bitwise_or(found, bitwise_and(isnan(a), isnan(b))) if equal_nan else found


def allclose(a: TensorLike, b: TensorLike, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Say whether two tensors are equal throughout, within a tolerance.

    Parameters
    ----------
    a, b, rtol, atol, equal_nan
        As for `isclose`.

    Returns
    -------
    TensorVariable
        A bool without dimensions.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.allclose(x, y))([1.0, 2.0], [1.0, 2.0000001])
    np.True_
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def size(x: TensorLike) -> Any:
    """Count the elements.

    Parameters
    ----------
    x : Variable or array_like
        Whose.

    Returns
    -------
    TensorVariable
        An int64 without dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.size(x))([[1, 2, 3]])
    np.int64(3)
    """
    x = as_tensor_variable(x)
    found: Any = constant(1, dtype="int64")
    for axis in range(x.type.ndim):
        one = functions.shape_i(x, axis)
        found = multiply(found, one) if axis else one
    return found


def real(z: TensorLike) -> Any:
    """Give the real part.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.

    Returns
    -------
    TensorVariable
        `z` itself where it is real.

    Examples
    --------
    >>> x = T.zvector("x")
    >>> opweld.function([x], T.real(x))([1 + 2j, 3j])
    array([1., 0.])
    """
    z = as_tensor_variable(z)
    return _real(z) if dtype_of(z.type.dtype).np.kind == "c" else z


def imag(z: TensorLike) -> Any:
    """Give the imaginary part: of real numbers zeros.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.zvector("x")
    >>> opweld.function([x], T.imag(x))([1 + 2j, 3j])
    array([2., 3.])
    """
    return _imag(z)


def angle(z: TensorLike, deg: bool = False) -> Any:
    """Give the angle of complex numbers, counter-clockwise from the real axis.

    Parameters
    ----------
    z : Variable or array_like
        Any numbers.
    deg : bool
        In degrees; else in radians.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.zvector("x")
    >>> opweld.function([x], T.angle(x, deg=True))([1j, -1.0])
    array([ 90., 180.])
    """
    z = as_tensor_variable(z)
    complex_ = dtype_of(z.type.dtype).np.kind == "c"
    found = arctan2(_imag(z) if complex_ else 0, real(z))
    if not deg:
        return found
    from math import pi

    return multiply(found, 180 / pi)
