"""Shared variables: values that functions read by themselves, keep between calls and may update."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from opweld.compile.binding import filter_of
from opweld.generic import generic
from opweld.graph.basic import Variable, _what, _yes_or_no
from opweld.graph.type import Type
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable

__all__ = ["SharedVariable", "TensorSharedVariable", "shared"]


class Cell(list[Any]):
    """A list of one: what a variable and the functions that use it share.

    Attributes
    ----------
    turn : object
        Held by a call that updates the value; the first function that does so makes it.
    """

    __slots__ = ("turn",)

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__(values)
        self.turn: Any = None

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Cell, (), None, iter(self)  # less the turn


class SharedVariable(Variable):
    """A variable with a value of its own. Functions that use it read the value at each call; their updates set it.

    Parameters
    ----------
    type : Type
        What values it can take.
    value : object
        Its value; it passes ``type.filter``.
    name : str, optional
        A name for messages.
    strict : bool
        Refuse values that need a conversion, here and in `set_value`.
    allow_downcast : bool, optional
        Whether values are cast where they may change, here and in `set_value`.
    borrow : bool
        Keep `value` itself where it needs no conversion, not a copy.

    Attributes
    ----------
    cell : Cell
        Its one item is the value. Functions hold this list; an update puts another object into it.
    default_update : Variable or None
        What every function that uses this variable updates it with, unless the function says otherwise.
    """

    default_update: Any = None

    def __init__(
        self,
        type: Type,
        value: Any,
        name: str | None = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        borrow: bool = False,
    ) -> None:
        super().__init__(type, None, None, name)
        self.strict = _yes_or_no("a shared variable: strict", strict)
        self.allow_downcast = _yes_or_no("a shared variable: allow_downcast", allow_downcast, maybe=True)
        self.cell = Cell([None])
        self.set_value(value, borrow)

    def get_value(self, borrow: bool = False, return_internal_type: bool = False) -> Any:
        """Give the value.

        Parameters
        ----------
        borrow : bool
            Give the object itself, not a copy: what is written into it, functions see. An update puts another object
            in its place, and leaves this one as it is.
        return_internal_type : bool
            Accepted; values have one form.

        Returns
        -------
        object
            For a tensor a ``numpy.ndarray``.
        """
        return self.cell[0] if _yes_or_no("get_value: borrow", borrow) else _copied(self.cell[0])

    def set_value(self, value: Any, borrow: bool = False) -> None:
        """Set the value.

        Parameters
        ----------
        value : object
            Passes ``type.filter``.
        borrow : bool
            Keep `value` itself where it needs no conversion, not a copy.

        Raises
        ------
        TypeError
            If the value is not of the variable's type and cannot be converted.
        """
        try:
            kept = filter_of(self.type, self.strict, self.allow_downcast)(value)
        except (TypeError, ValueError) as err:
            name = "a shared variable" if self.name is None else f"the shared variable {self.name}"
            if len(err.args) == 1:
                err.args = (f"{name}: {err.args[0]}",)
            raise
        if not _yes_or_no("set_value: borrow", borrow) and (kept is value or getattr(kept, "base", None) is not None):
            kept = _copied(kept)
        self.cell[0] = kept

    def clone(self, name: str | None = None) -> SharedVariable:
        """Make another variable for the same value.

        Parameters
        ----------
        name : str, optional
            The new name; this variable's name if left out.

        Returns
        -------
        SharedVariable
            Has the same `cell`: what sets the value of one sets that of the other.
        """
        made: SharedVariable = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        if name is not None:
            made.name = name
        return made


class TensorSharedVariable(SharedVariable, TensorVariable):
    """A shared variable whose value is an array."""


def shared(
    value: Any,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    shape: Iterable[int | None] | None = None,
    broadcastable: Iterable[bool] | None = None,
) -> Any:
    """Make a shared variable.

    Parameters
    ----------
    value : object
        Its value. Arrays, numbers and NumPy scalars make a tensor of their dtype (a Python float makes float64, an
        integer int64, or uint64 where only that holds it); any other object is carried as it is.
    name : str, optional
        A name for messages.
    strict : bool
        Refuse values that need a conversion in `SharedVariable.set_value`.
    allow_downcast : bool, optional
        Whether `SharedVariable.set_value` casts where values may change.
    borrow : bool
        Keep `value` itself where it needs no conversion, not a copy.
    shape : sequence of (int or None), optional
        The sizes that every value must have; None: any. All are unknown if left out.
    broadcastable : sequence of bool, optional
        Instead of `shape`: True is size 1, False any.

    Returns
    -------
    SharedVariable
        A `TensorSharedVariable` for arrays and numbers.

    Raises
    ------
    TypeError
        If the value is a variable of a graph, or an array of a dtype that has no C type.
    OverflowError
        If it is an integer that no dtype holds.
    """
    if isinstance(value, Variable):
        raise TypeError(f"shared: expected a value, got {_what(value)}: a shared variable holds no part of a graph")
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            value, borrow = np.asarray(value, "int64" if value < 1 << 63 else "uint64"), True
        except OverflowError:
            raise OverflowError(
                f"shared: {_what(value)} fits into no integer dtype; pass a float, or an array of one"
            ) from None
    elif isinstance(value, (bool, float, complex, np.generic)):
        value, borrow = np.asarray(value), True
    if not isinstance(value, np.ndarray):
        if shape is not None or broadcastable is not None:
            raise TypeError(f"shared: a shape was given, and the value is no array: {_what(value)}")
        return SharedVariable(generic, value, name, strict, allow_downcast, borrow)
    if broadcastable is None and shape is None:
        shape = (None,) * value.ndim
    type_ = TensorType(value.dtype, shape, broadcastable)
    return TensorSharedVariable(type_, value, name, strict, allow_downcast, borrow)


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    from copy import deepcopy

    return deepcopy(value)
