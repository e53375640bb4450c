"""Shared variables: variables with a value of their own, which functions read, keep between calls and may update."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opweld.errors import _yes_or_no
from opweld.graph.basic import Variable
from opweld.graph.type import Type
from opweld.rooms import late

__all__ = ["Cell", "SharedVariable"]

signatures: Any = late("opweld.signatures")  # few values are set, few arguments converted in Python


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

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
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

    Examples
    --------
    >>> total = opweld.shared(np.zeros(2), name="total")
    >>> isinstance(total, opweld.SharedVariable)
    True
    >>> x = T.dvector("x")
    >>> add = opweld.function([x], updates=[(total, total + x)])
    >>> add([1.0, 2.0]), total.get_value()
    (None, array([1., 2.]))
    """

    default_update: Any = None

    def __init__(
        self,
        type: Type,
        value: object,
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
        return self.cell[0] if _yes_or_no("get_value: borrow", borrow) else self.copied(self.cell[0])

    def set_value(self, value: object, borrow: bool = False) -> None:
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
            kept = signatures.filter_of(self.type, self.strict, self.allow_downcast)(value)
        except (TypeError, ValueError) as err:
            name = "a shared variable" if self.name is None else f"the shared variable {self.name}"
            if len(err.args) == 1:
                err.args = (f"{name}: {err.args[0]}",)
            raise
        if not _yes_or_no("set_value: borrow", borrow) and (kept is value or getattr(kept, "base", None) is not None):
            kept = self.copied(kept)
        self.cell[0] = kept

    def copied(self, value: object) -> Any:
        """Copy a value, so that nobody else holds what it is made of.

        Parameters
        ----------
        value : object
            Of the variable's type.

        Returns
        -------
        object
        """
        from copy import deepcopy  # takes 0.2 ms to load

        return deepcopy(value)

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
