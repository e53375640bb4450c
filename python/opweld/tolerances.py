"""How far two results may lie apart and still count as equal: one table, for DebugMode, the documents and the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.operations import ROUNDED, ROUNDED_COMPLEX

__all__ = [
    "ANY", "EXACT", "Tolerance", "alike", "apart", "magnitude", "near", "of_operation",
    "of_products", "of_sums", "ulps_of",
]  # fmt: skip

_ROUNDED_ULPS = 4
_TAKES_FROM = ("logaddexp", "logaddexp2")
_NARROWER = {"float32": "float16", "float64": "float32", "longdouble": "float64"}  # the next type with fewer digits
_PARTS = {"complex64": "float32", "complex128": "float64", "clongdouble": "longdouble"}


class Tolerance:
    """How far two results may lie apart.

    Parameters
    ----------
    ulps : float, optional
        In units in the last place of the larger of two elements; None: `ulps_of` the dtype; infinite: values are not
        compared.
    floor : float or numpy.ndarray
        What may lie between them besides, however small they are: what sums of large terms leave.
    """

    __slots__ = ("floor", "ulps")

    def __init__(self, ulps: float | None = None, floor: Any = 0) -> None:
        self.ulps = ulps
        self.floor = floor

    def __repr__(self) -> str:
        return f"Tolerance({self.ulps!r}, {self.floor!r})"


EXACT = Tolerance(0)
ANY = Tolerance(float("inf"))


def ulps_of(dtype: Any) -> int:
    """Give the units in the last place that any op's results of a dtype may differ by: where nothing more is known.

    It is a sixteenth of what rounding to the next narrower float would do, so that a result which took the way through
    a narrower type is seen; of float16, which has none, 16.

    Parameters
    ----------
    dtype : str or numpy.dtype
        The dtype.

    Returns
    -------
    int
        0 for integers and bools.
    """
    name = dtype_of(dtype).name
    name = _PARTS.get(name, name)
    if np.dtype(name).kind != "f":
        return 0
    if name not in _NARROWER:
        return 16
    lost = int(np.finfo(name).nmant - np.finfo(_NARROWER[name]).nmant)  # bits; the half of the last of them is an error
    return 1 << max(lost - 5, 2)


def of_operation(name: str, dtype: Any, operands: Sequence[Any] = ()) -> Tolerance:
    """Give what the elementwise operations of NumPy's may differ by.

    Parameters
    ----------
    name : str
        As the ufunc calls itself.
    dtype : str or numpy.dtype
        That of the loop.
    operands : sequence of numpy.ndarray
        These, if they are known: `logaddexp` is the larger and a logarithm, which may be as large and take from it.

    Returns
    -------
    Tolerance
    """
    rounded = ROUNDED_COMPLEX if np.dtype(dtype).kind == "c" else ROUNDED
    if name in _TAKES_FROM and operands:
        size = np.maximum.reduce(np.broadcast_arrays(*map(magnitude, operands)))
        return Tolerance(_ROUNDED_ULPS, 2 * _ROUNDED_ULPS * np.finfo(dtype).eps * size)
    return Tolerance(_ROUNDED_ULPS) if name in rounded else EXACT


def of_sums(terms: int, magnitude: object, dtype: Any) -> Tolerance:
    """Give what sums may differ by whose terms are added in another order.

    Parameters
    ----------
    terms : int
        How many.
    magnitude : array_like
        The sum of their absolute values.
    dtype : str or numpy.dtype
        Of the sums.

    Returns
    -------
    Tolerance
        Twice the bound of one order: ``terms * eps * magnitude`` (Higham, Accuracy and Stability of Numerical
        Algorithms, 4.2).
    """
    found = dtype_of(dtype).np
    if found.kind not in "fc":
        return EXACT
    with np.errstate(all="ignore"):
        return Tolerance(_ROUNDED_ULPS, terms * np.finfo(found).eps * np.asarray(magnitude, np.longdouble))


def of_products(factors: int, dtype: Any) -> Tolerance:
    """Give what products may differ by whose factors are multiplied in another order.

    Parameters
    ----------
    factors : int
        How many.
    dtype : str or numpy.dtype
        Of the products.

    Returns
    -------
    Tolerance
    """
    return Tolerance(_ROUNDED_ULPS * max(factors, 1)) if dtype_of(dtype).np.kind in "fc" else EXACT


def magnitude(x: Any) -> np.ndarray[Any, Any]:
    """Give the absolute values of an array in the widest float, as what sums are bounded by.

    Parameters
    ----------
    x : numpy.ndarray
        Of any dtype.

    Returns
    -------
    numpy.ndarray
        Of longdouble.
    """
    with np.errstate(all="ignore"):
        return np.abs(np.asarray(x).astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble))


def near(a: object, b: object, tolerance: Tolerance | None = None) -> bool:
    """Say whether two arrays, or numbers, are of one dtype and shape and nearly equal.

    Integers and bools must be equal. NaN is equal to NaN alone, an infinity to the same infinity alone, and zeros of
    either sign are equal. Of complex numbers both parts are compared, in units of the whole.

    Parameters
    ----------
    a, b : numpy.ndarray or numpy.generic
        What is compared.
    tolerance : Tolerance, optional
        What is allowed; what the dtype allows if left out.

    Returns
    -------
    bool
    """
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return _close_at_first_sight(a, b, tolerance) or not bool(np.any(apart(a, b, tolerance)))


def _close_at_first_sight(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], tolerance: Tolerance | None) -> bool:
    """Whether all elements are real, finite and nearer than half of what is allowed."""
    if a.dtype.char not in "fd":
        return False
    ulps = ulps_of(a.dtype) if tolerance is None or tolerance.ulps is None else tolerance.ulps
    with np.errstate(all="ignore"):
        gap = np.abs(a - b)
        return bool(((gap <= np.abs(a) * (0.49 * ulps * np.finfo(a.dtype).eps)) & (gap < np.inf)).all())


def alike(a: object, b: object, approx: bool = False) -> bool:
    """Say whether two objects of any class are equal.

    Arrays and numbers are compared as by `near`, lists, tuples and dicts member by member. What has no ``__eq__`` of
    its own is compared by its attributes, where it has some: of one that has none nothing can be said, and it counts as
    equal to another of its class. What cannot be compared is not equal.

    Parameters
    ----------
    a, b : object
        What is compared.
    approx : bool
        Floats may differ as `ulps_of` their dtypes allows.

    Returns
    -------
    bool
    """
    return _alike(a, b, None if approx else EXACT, set())


def _alike(a: Any, b: Any, tolerance: Tolerance | None, begun: set[tuple[int, int]]) -> bool:
    if a is b or (id(a), id(b)) in begun:  # a cycle: what is round it decides
        return True
    if type(a) is not type(b):
        return False
    begun.add((id(a), id(b)))
    if isinstance(a, (np.ndarray, np.generic, float, complex)):
        x, y = np.asarray(a), np.asarray(b)
        if x.dtype.kind in "biufc":
            return near(x, y, tolerance)
        if x.dtype.kind == "O" and x.ndim:
            return x.shape == y.shape and all(_alike(p, q, tolerance, begun) for p, q in zip(x.flat, y.flat))
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(_alike(p, q, tolerance, begun) for p, q in zip(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_alike(a[key], b[key], tolerance, begun) for key in a)
    if type(a).__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
        return _alike(getattr(a, "__dict__", {}), getattr(b, "__dict__", {}), tolerance, begun)
    try:
        return bool(np.all(a == b))
    except Exception:  # an __eq__ may raise what it likes
        return False


def apart(a: Any, b: Any, tolerance: Tolerance | None = None) -> np.ndarray[Any, Any]:
    """Say which elements of two arrays of one dtype and shape lie too far apart.

    Parameters
    ----------
    a, b : numpy.ndarray
        What is compared.
    tolerance : Tolerance, optional
        What is allowed; what the dtype allows if left out.

    Returns
    -------
    numpy.ndarray
        Of bools.
    """
    ulps, floor = (None, 0) if tolerance is None else (tolerance.ulps, tolerance.floor)
    if ulps is None:
        ulps = ulps_of(a.dtype)
    if ulps == float("inf"):
        return np.zeros(a.shape, bool)
    if a.dtype.kind not in "fc":
        return np.asarray(a != b)
    with np.errstate(all="ignore"):
        parts = [(a.real, b.real), (a.imag, b.imag)] if a.dtype.kind == "c" else [(a, b)]
        sizes = [np.where(np.isfinite(part), np.abs(part), 0) for pair in parts for part in pair]
        unit = _unit(np.maximum.reduce(sizes))
        limit = ulps * unit + np.where(np.isfinite(floor), floor, 0).astype(unit.dtype)
        found: Any = False
        for x, y in parts:
            same = (x == y) | ((x != x) & (y != y))
            close = np.isfinite(x) & np.isfinite(y) & (np.abs(x - y) <= limit)
            found = found | ~(same | close)
    return np.asarray(found)


def _unit(size: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The unit in the last place of numbers that are finite and not negative."""
    info = np.finfo(size.dtype)
    lowest = info.minexp - info.nmant  # the exponent of the smallest number above 0
    _, exponent = np.frexp(size)
    exponent = np.where(size == 0, lowest, np.maximum(exponent - 1 - info.nmant, lowest))
    return np.asarray(np.ldexp(size.dtype.type(1), exponent))
