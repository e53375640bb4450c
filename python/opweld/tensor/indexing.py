"""What stands between brackets: its form, which ops carry as a text, and its numbers and arrays, which are inputs.

A form lists entries with ", " between them: ``i`` an integer, ``v`` an array, ``None`` a new axis, ``...``, and slices,
where ``a``, ``b`` and ``c`` say that start, stop and step are given. ``x[1, ::2]`` and ``x[n, ::m]`` are both
``i, ::c``.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from opweld.graph.basic import Constant, Variable
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType
from opweld.tensor.views import integer, known

__all__ = ["check_numbers", "entries_of", "key_of", "numbers_in", "read_key", "selected_shape", "viewed_shape"]

_ONLY = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices"
)
_KINDS = "arrays used as indices must be of integer (or boolean) type"
_PART = "slice indices must be integers or None or have an __index__ method"
_LARGEST = (1 << 63) - 1


@lru_cache(maxsize=1024)
def entries_of(index: str) -> tuple[str, ...]:
    """Take a form apart.

    Parameters
    ----------
    index : str
        The form.

    Returns
    -------
    tuple of str
        Its entries.
    """
    found = tuple(index.split(", ")) if index else ()
    slices = {f"{a}:{b}{c}" for a in ("", "a") for b in ("", "b") for c in ("", ":c")}
    wrong = [entry for entry in found if entry not in slices and entry not in ("i", "v", "None", "...")]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is no entry of an index: expected i, v, None, ... or a slice such as a:b:c")
    return found


@lru_cache(maxsize=1024)
def numbers_in(entries: tuple[str, ...]) -> int:
    """Count the inputs that a form needs.

    Parameters
    ----------
    entries : tuple of str
        Of the form.

    Returns
    -------
    int
    """
    return sum([1 if entry in ("i", "v") else sum(map(entry.count, "abc")) for entry in entries])


def check_numbers(what: object, entries: tuple[str, ...], numbers: tuple[Any, ...]) -> list[Any]:
    """Read the inputs of a form.

    Parameters
    ----------
    what : Op
        Who asks.
    entries : tuple of str
        Of the form.
    numbers : tuple of (Variable or array_like)
        As many as it needs.

    Returns
    -------
    list of TensorVariable

    Raises
    ------
    TypeError
        If there are more or fewer, or one of a wrong kind.
    """
    if len(numbers) != numbers_in(entries):
        raise TypeError(f"{what}: expected {numbers_in(entries)} numbers, got {len(numbers)}")
    found = [as_tensor_variable(number) for number in numbers]
    place = 0
    for entry in entries:
        for _ in range(numbers_in((entry,))):
            type_ = found[place].type
            kind = type_.numpy_dtype.kind
            if (kind not in "iub") if entry == "v" else (kind not in "iu" or type_.ndim):
                raise TypeError(f"{what}: {found[place]} of type {type_} cannot stand for {entry!r}")
            place += 1
    return found


def read_key(x: Any, key: Any) -> tuple[str, list[Any], bool]:
    """Read what stands between brackets.

    Parameters
    ----------
    x : TensorVariable
        What is indexed.
    key : object
        As NumPy takes it, with variables among it.

    Returns
    -------
    index : str
        The form; where it is basic without ``...``, and without whole axes at its end.
    numbers : list of Variable
        The inputs.
    advanced : bool
        Whether there are arrays among them.

    Raises
    ------
    IndexError
        For what is no index, for too many, and for integers that are known to be out of bounds.
    """
    entries: list[str] = []
    numbers: list[Any] = []
    used = 0  # axes of x
    for part in key if isinstance(key, tuple) else (key,):
        if part is None:
            entries.append("None")
        elif part is Ellipsis:
            if "..." in entries:
                raise IndexError("an index can only have a single ellipsis ('...')")
            entries.append("...")
        elif isinstance(part, slice):
            entries.append(_slice(part, numbers))
            used += 1
        else:
            found = _number(part)
            bare = found.type.ndim == 0 and found.type.numpy_dtype.kind != "b"
            entries.append("i" if bare else "v")
            numbers.append(found)
            used += found.type.ndim if found.type.numpy_dtype.kind == "b" else 1
    if used > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {used} were indexed")
    if "v" in entries:
        return ", ".join(entries), numbers, True
    if "..." in entries:
        at = entries.index("...")
        entries[at : at + 1] = [":"] * (x.ndim - used)
    while entries and entries[-1] == ":":
        entries.pop()
    _check_bounds(x.type.shape, entries, numbers)
    return ", ".join(entries), numbers, False


def _number(part: object) -> Any:
    """An integer or an array that is an index, as a variable."""
    if isinstance(part, Variable):
        if not isinstance(part.type, TensorType):
            raise IndexError(_ONLY)
        if part.type.numpy_dtype.kind not in "iub":
            raise IndexError(_KINDS)
        return part
    if type(part) is int or (hasattr(part, "__index__") and not isinstance(part, (bool, np.bool_, np.ndarray))):
        number = part.__index__()
        if not -_LARGEST - 1 <= number <= _LARGEST:
            raise IndexError(_ONLY)
        return integer(number)
    if isinstance(part, (list, tuple)):
        if _holds_variables(part):
            return _number(functions.stack([_number(one) for one in part]))
    elif not isinstance(part, (np.ndarray, bool, np.bool_)):
        raise IndexError(_ONLY)
    array = np.asarray(part, np.intp if isinstance(part, (list, tuple)) and not part else None)
    if array.dtype.kind not in "iub":
        raise IndexError(_KINDS if isinstance(part, np.ndarray) else _ONLY)
    return constant(array)


def _holds_variables(part: Any) -> bool:
    return any(isinstance(one, Variable) or (isinstance(one, (list, tuple)) and _holds_variables(one)) for one in part)


def _slice(part: slice, numbers: list[Any]) -> str:
    """Enter the numbers of a slice; its form."""
    letters = []
    for letter, number in zip("abc", (part.start, part.stop, part.step)):
        letters.append("" if number is None else letter)
        if number is None:
            continue
        if isinstance(number, Variable):
            type_ = number.type
            if not isinstance(type_, TensorType) or type_.ndim or type_.numpy_dtype.kind not in "iu":
                raise TypeError(f"{_PART}, got {number} of type {type_}")
            numbers.append(number)
        else:
            if not hasattr(number, "__index__") or isinstance(number, np.bool_):
                raise TypeError(_PART)
            numbers.append(integer(min(max(number.__index__(), -_LARGEST - 1), _LARGEST)))
        if letter == "c" and known(numbers[-1]) == 0:
            raise ValueError("slice step cannot be zero")
    start, stop, step = letters
    return f"{start}:{stop}:{step}" if step else f"{start}:{stop}"


def _check_bounds(shape: tuple[int | None, ...], entries: list[str], numbers: list[Any]) -> None:
    """Refuse integers that are known to be out of bounds."""
    axis = place = 0
    for entry in entries:
        if entry == "i":
            at, size = known(numbers[place]), shape[axis]
            if at is not None and size is not None and not -size <= at < size:
                raise IndexError(f"index {at} is out of bounds for axis {axis} with size {size}")
        axis += entry != "None"
        place += numbers_in((entry,))


def key_of(entries: tuple[str, ...], numbers: list[Any]) -> tuple[Any, ...]:
    """Put values into a form.

    Parameters
    ----------
    entries : tuple of str
        Of the form.
    numbers : list of ndarray
        The values.

    Returns
    -------
    tuple
        What NumPy takes.
    """
    rest = iter(numbers)
    key: list[Any] = []
    for entry in entries:
        if entry in ("i", "v"):
            value = next(rest)
            key.append(int(value) if entry == "i" else value)
        elif entry in ("None", "..."):
            key.append(None if entry == "None" else Ellipsis)
        else:
            key.append(slice(*[int(next(rest)) if letter in entry else None for letter in "abc"]))
    return tuple(key)


def viewed_shape(shape: tuple[Any, ...], entries: tuple[str, ...], numbers: list[Any]) -> list[Any]:
    """Find the shape of a view.

    Parameters
    ----------
    shape : tuple of (int, Variable or None)
        The shape of what is viewed.
    entries : tuple of str
        Of a basic form.
    numbers : list of Variable
        Its inputs.

    Returns
    -------
    list of (int, Variable or None)
        None: unknown.
    """
    sizes: list[Any] = []
    axis = place = 0
    for entry in entries:
        if entry == "None":
            sizes.append(1)
            continue
        if entry != "i":
            sizes.append(_sliced(shape[axis], entry, numbers, place))
        axis += 1
        place += numbers_in((entry,))
    return [*sizes, *shape[axis:]]


def _sliced(size: object, entry: str, numbers: list[Any], place: int) -> Any:
    """The size of a slice; None: unknown."""
    if entry == ":":
        return size
    parts: list[int | None] = []
    for letter in "abc":
        if letter in entry:
            number = known(numbers[place])
            if number is None:
                return None
            parts.append(number)
            place += 1
        else:
            parts.append(None)
    if parts[:2] == [None, None] and parts[2] in (1, -1):
        return size
    if not isinstance(size, int) or parts[2] == 0:
        return None
    return len(range(*slice(*parts).indices(size)))


def selected_shape(shape: tuple[int | None, ...], entries: tuple[str, ...], numbers: list[Any]) -> list[int | None]:
    """Find what is known of the shape that an index with arrays gives.

    Parameters
    ----------
    shape : tuple of (int or None)
        Of what is indexed.
    entries : tuple of str
        Of the form.
    numbers : list of Variable
        Its inputs.

    Returns
    -------
    list of (int or None)
    """
    sizes: list[int | None] = []  # of the axes that arrays do not index
    shapes: list[tuple[int | None, ...]] = []  # of the arrays
    at: int | None = None  # where the arrays' axes stand among the others
    apart = closed = False
    used = sum([numbers[i].type.ndim if numbers[i].type.numpy_dtype.kind == "b" else 1 for i in _arrays(entries)])
    whole = len(shape) - used - sum([entry not in ("v", "None", "...") for entry in entries])
    axis = place = 0
    for entry in entries:
        if entry in ("i", "v"):
            number = numbers[place]
            step, found = _array_shape(number) if entry == "v" else (1, ())
            shapes.append(found)
            apart = apart or closed
            at = len(sizes) if at is None else at
        else:
            closed = at is not None
            step = 0 if entry == "None" else whole if entry == "..." else 1
            if entry == "None":
                sizes.append(1)
            elif entry == "...":
                sizes += shape[axis : axis + whole]
            else:
                sizes.append(_sliced(shape[axis], entry, numbers, place))
        axis += step
        place += numbers_in((entry,))
    sizes += shape[axis:]
    at = 0 if apart or at is None else at
    return [*sizes[:at], *_together(shapes), *sizes[at:]]


def _arrays(entries: tuple[str, ...]) -> list[int]:
    """Which of the inputs are arrays."""
    found, place = [], 0
    for entry in entries:
        if entry == "v":
            found.append(place)
        place += numbers_in((entry,))
    return found


def _array_shape(array: Any) -> tuple[int, tuple[int | None, ...]]:
    """How many axes an array indexes, and of which shape the integers are that it stands for."""
    if array.type.numpy_dtype.kind != "b":
        return 1, array.type.shape
    count = int(np.count_nonzero(array.data)) if isinstance(array, Constant) else None
    return array.type.ndim, (count,)


def _together(shapes: list[tuple[int | None, ...]]) -> list[int | None]:
    """The shape that several are broadcast to."""
    found: list[int | None] = []
    for back in range(max(map(len, shapes)), 0, -1):
        sizes = [shape[-back] for shape in shapes if len(shape) >= back]
        fixed = [size for size in sizes if size not in (1, None)]
        found.append(fixed[0] if fixed else None if None in sizes else prod(size for size in sizes if size))
    return found
