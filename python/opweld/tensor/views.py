"""What ops that make views have alike: their C, and how axes and sizes are read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from opweld.errors import _what
from opweld.graph.basic import Constant, Variable
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.likes import Sizes, TensorList
from opweld.tensor.type import TensorType

__all__ = ["VIEW", "integer", "known", "shape_text", "sizes_of"]

VIEW = Beside(__file__)


@lru_cache(maxsize=256)
def integer(number: int) -> Constant:
    """Give an int64 constant; small graphs are full of the same few.

    Parameters
    ----------
    number : int
        Its value.

    Returns
    -------
    TensorConstant
        Without dimensions or name.
    """
    return constant(np.int64(number))


def known(size: Variable) -> int | None:
    """Give the integer that a variable without dimensions holds; None: it is not constant.

    Parameters
    ----------
    size : Variable
        Of an integer dtype.

    Returns
    -------
    int or None
    """
    return int(size.data) if isinstance(size, Constant) else None


def sizes_of(what: str, shape: Sizes) -> list[Any]:
    """Read a shape: an integer, or a sequence of integers and of variables without dimensions.

    Parameters
    ----------
    what : str
        Who asks, for messages.
    shape : int, Variable or sequence
        The shape.

    Returns
    -------
    list of Variable
        A size each.

    Raises
    ------
    TypeError
        If an entry is no integer.
    """
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if isinstance(shape, Variable) or hasattr(shape, "__index__"):
        shape = [shape]
    try:
        entries = list(shape)
    except TypeError:
        raise TypeError(f"{what}: the shape must be integers or variables, got {_what(shape)}") from None
    return [_size(what, entry, position) for position, entry in enumerate(entries)]


def _size(what: str, size: Any, position: int) -> Any:
    if isinstance(size, Variable):
        type_: Any = size.type
        if not isinstance(type_, TensorType) or type_.ndim != 0 or type_.numpy_dtype.kind not in "iu":
            raise TypeError(
                f"{what}: size {position} must be an integer without dimensions, got {size} of type {type_}"
            )
        return size
    try:
        return integer(size.__index__())
    except (AttributeError, TypeError, OverflowError):
        raise TypeError(f"{what}: size {position} must be an integer or a variable, got {_what(size)}") from None


def shape_text(shape: Sequence[int | None]) -> str:
    """Write a shape as NumPy's messages do; a negative size is ``newaxis``, or nothing where none but such come before.

    Parameters
    ----------
    shape : sequence of int
        The sizes.

    Returns
    -------
    str
    """
    sizes = ["newaxis" if size is not None and size < 0 else str(size) for size in shape]
    while sizes[:1] == ["newaxis"]:
        del sizes[0]
    return f"({sizes[0]},)" if len(sizes) == len(shape) == 1 else f"({','.join(sizes)})"


def tensors(given: TensorList, what: str, do: str) -> list[Any]:
    """Read a sequence of tensors.

    Parameters
    ----------
    given : sequence of (Variable or array_like)
        The tensors.
    what, do : str
        Who asks, and what for.

    Returns
    -------
    list of TensorVariable
        At least one.
    """
    if isinstance(given, Variable):
        raise TypeError(f"{what}: expected a list of tensors, got the variable {given}")
    found = [as_tensor_variable(x) for x in given]
    if not found:
        raise ValueError(f"need at least one array to {do}")
    return found
