"""Whether two values of a type are equal, up to rounding, and what is said where they are not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from opweld.graph.basic import Apply, Variable
from opweld.scalar.type import ScalarType
from opweld.tensor.type import TensorType
from opweld.tolerances import Tolerance, apart, near

__all__ = [
    "aliased", "as_it_lies", "copied", "equal", "first_apart", "nearly_equal", "same_bits", "surely_equal",
    "text_of", "tolerance_of", "where_apart",
]  # fmt: skip

_WORDS = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_IMMUTABLE = (bool, int, float, complex, str, bytes, tuple, frozenset, type, type(None), np.generic)
_APART = 8  # times as many bytes as elements take may lie between the first and the last one of a copy


def copied(value: object) -> Any:
    """Give a copy of a value, or what cannot be copied as it is.

    Elements of an array's copy lie as far apart as the array's, for the last bits of sums hang on that.

    Returns
    -------
    object
    """
    if isinstance(value, np.ndarray):
        low, high = byte_bounds(value)
        return value.copy(order="K") if high - low > _APART * value.nbytes else as_it_lies(value)
    if isinstance(value, _IMMUTABLE):
        return value
    try:
        return deepcopy(value)
    except Exception:  # what cannot be copied cannot be compared with its earlier self
        return value


def as_it_lies(array: np.ndarray) -> Any:
    """Give a copy of an array that lies in memory as it does; of one that bytes cannot hold, one in order K.

    Parameters
    ----------
    array : ndarray
        The array.

    Returns
    -------
    ndarray
        May be written.
    """
    if type(array) is not np.ndarray or array.dtype.hasobject or (array.flags.forc and array.flags.aligned):
        return array.copy(order="K")
    low, high = byte_bounds(array)
    beside = low % 64  # how it is misaligned
    room = np.empty(high - low + beside, np.uint8)
    first = array.__array_interface__["data"][0] - low + beside
    made: np.ndarray = np.ndarray(array.shape, array.dtype, room, first, array.strides)
    made[...] = array
    return made


def equal(type_: Any, a: Any, b: Any) -> bool:
    """Whether a type's values are the same; what it cannot compare counts as the same."""
    if a is b or (_own(type_, "values_eq") and same_bits(a, b)):
        return True
    try:
        return bool(type_.values_eq(a, b))
    except Exception:
        return True


def tolerance_of(node: Apply, inputs: list[Any]) -> Tolerance | None:
    """Ask a node's op how far apart its results may lie.

    Parameters
    ----------
    node : Apply
        The node.
    inputs : list
        Their values.

    Returns
    -------
    Tolerance or None
        None: it says nothing.

    Raises
    ------
    TypeError
        If its ``debug_tolerance`` gives something else.
    """
    found = node.op.debug_tolerance(node, inputs)
    if found is not None and not isinstance(found, Tolerance):
        raise TypeError(
            f"{node.op}: debug_tolerance must give an opweld.tolerances.Tolerance, such as Tolerance(4), or None, got "
            f"{found!r}"
        )
    return found


def nearly_equal(variable: Any, a: Any, b: Any, tolerance: Tolerance | None) -> bool:
    """Say whether two values of a variable are equal up to rounding.

    Parameters
    ----------
    variable : Variable
        ``values_eq_approx`` of its tag decides, where there is one, or of its type, wherever a user wrote one.
    a, b : object
        The values.
    tolerance : Tolerance or None
        What the op that made them says of it; it counts for tensors and scalars.

    Returns
    -------
    bool
    """
    if a is b:
        return True
    type_, own = variable.type, getattr(variable.tag, "values_eq_approx", None)
    if own is not None:
        return bool(own(a, b))
    if tolerance is not None and _by_table(type_):
        return near(a, b, tolerance)
    try:
        return bool(type_.values_eq_approx(a, b))
    except Exception:
        if _equal_at_all(type_, a, b):  # a tolerance that divides by the values knows no 0
            return True
        raise


def surely_equal(variable: Variable, a: object, b: object) -> bool:
    """Say whether two values of a variable are equal whatever is allowed: a quick look, before anybody is asked.

    Parameters
    ----------
    variable : Variable
        The variable.
    a, b : object
        The values.

    Returns
    -------
    bool
        False: it is not known.
    """
    if a is b:
        return True
    return not hasattr(variable.tag, "values_eq_approx") and _by_table(variable.type) and same_bits(a, b)


def _equal_at_all(type_: Any, a: Any, b: Any) -> bool:
    try:
        return bool(type_.values_eq(a, b))
    except Exception:  # the question before this one is answered by its own exception
        return False


def _by_table(type_: object) -> bool:
    """Whether a type compares values as tensors and scalars do."""
    return _own(type_, "values_eq") and _own(type_, "values_eq_approx")


def _own(type_: object, name: str) -> bool:
    """Whether a method of a type is that of tensors or scalars."""
    for base in (TensorType, ScalarType):
        if isinstance(type_, base):
            return getattr(type(type_), name) is getattr(base, name) and name not in vars(type_)
    return False


def aliased(a: object, b: object) -> bool:
    """Say whether two values share memory, or may: where it is too hard to tell.

    Returns
    -------
    bool
    """
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if not np.may_share_memory(a, b):
            return False
        try:
            return bool(np.shares_memory(a, b, max_work=100_000))  # type: ignore[arg-type]
        except (RuntimeError, OverflowError):  # too hard to tell
            return True
    return a is b and not isinstance(a, _IMMUTABLE)


def where_apart(a: object, b: object, tolerance: Tolerance | None = None) -> str:
    """Write a line that says how many elements of two arrays lie too far apart, and which most.

    Parameters
    ----------
    a, b : object
        The values.
    tolerance : Tolerance, optional
        What is allowed.

    Returns
    -------
    str
        Empty for what is no array, or has another shape or dtype.
    """
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.size < 2:
        return ""
    differ = _differ(a, b, tolerance)
    if differ is None or not differ.any():
        return ""
    with np.errstate(all="ignore"):
        gap = np.where(differ, np.abs(np.subtract(a, b, dtype=np.result_type(a, b, np.float64))), -1)
    at = np.unravel_index(int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), a.shape)
    place = ", ".join(map(str, at))
    start = tuple([int(i) for i in np.argwhere(differ)[0]])
    first = f"\n  the first that differ are at [{', '.join(map(str, start))}]: {a[start]} and {b[start]}"
    return f"{first}\n  {int(differ.sum())} of {a.size} elements differ, most at [{place}]: {a[at]} and {b[at]}"


def first_apart(a: object, b: object, tolerance: Tolerance | None = None) -> tuple[int, ...] | None:
    """Give the index of the first elements that lie too far apart.

    Parameters
    ----------
    a, b : object
        The values.
    tolerance : Tolerance, optional
        What is allowed.

    Returns
    -------
    tuple of int or None
        None for what is no array of numbers, or has another shape or dtype.
    """
    differ = _differ(a, b, tolerance)
    return None if differ is None or not differ.any() else tuple([int(i) for i in np.argwhere(differ)[0]])


def _differ(a: object, b: object, tolerance: Tolerance | None) -> np.ndarray[Any, Any] | None:
    """Which elements lie too far apart; None: that cannot be asked."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.shape != b.shape:
        return None
    if a.dtype != b.dtype or a.dtype.kind not in "biufc":
        return None
    differ = apart(a, b, tolerance)
    if not differ.any():  # a type's own tolerance is narrower
        differ = ~((a == b) | ((a != a) & (b != b)))
    return differ


def same_bits(a: object, b: object) -> bool:
    """Say whether two arrays have shape, dtype and every bit in common; whatever else they are, False."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.shape != b.shape or a.dtype != b.dtype:
        return False
    word = _WORDS.get(a.dtype.itemsize)
    return word is not None and not a.dtype.hasobject and bool((a.view(word) == b.view(word)).all())


def text_of(value: object) -> str:
    """Write a value in a few words.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str
        Of an array dtype, shape and strides too.
    """
    if isinstance(value, Exception):
        return f"{type(value).__name__}: {value}"
    text = np.array2string(value, threshold=20) if isinstance(value, np.ndarray) else repr(value)
    text = " ".join(text.split())
    if len(text) > 300:
        text = text[:297] + "..."
    if isinstance(value, np.ndarray):
        return f"{text} ({value.dtype}, shape {value.shape}, strides {value.strides})"
    return text
