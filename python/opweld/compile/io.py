"""What is particular to one input or one output of a function."""

from __future__ import annotations

from opweld.errors import _what, _yes_or_no
from opweld.graph.basic import Variable

__all__ = ["In", "Out"]


class In:
    """An input of a function, with what is particular to it.

    Parameters
    ----------
    variable : Variable
        The input.
    name : str, optional
        The argument's name; the variable's if left out.
    value : object, optional
        A default; converted and, if it is an array, copied when the function is made.
    strict : bool
        Refuse arguments that need a conversion.
    allow_downcast : bool, optional
        Whether arguments are cast where values may change; None: as the function says.
    mutable : bool
        The function may write into the argument.
    borrow : bool
        Accepted; arguments are never copied unless they must be.

    Attributes
    ----------
    named : bool
        `name` was given: a call must be able to use it.
    """

    def __init__(
        self,
        variable: Variable,
        name: str | None = None,
        value: object = None,
        strict: bool = False,
        allow_downcast: bool | None = None,
        mutable: bool = False,
        borrow: bool = False,
    ) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"In: expected a Variable, got {_what(variable)}")
        mutable = _yes_or_no("In: mutable", mutable)
        if mutable and value is not None:
            raise ValueError(f"In({variable}): mutable and value exclude each other: a call would change the default")
        self.variable = variable
        if name is not None and not isinstance(name, str):
            raise TypeError(f"In({variable}): name must be a string, got {_what(name)}")
        self.name = variable.name if name is None else name
        self.named = name is not None
        self.value = value
        self.strict = _yes_or_no("In: strict", strict)
        self.allow_downcast = _yes_or_no("In: allow_downcast", allow_downcast, maybe=True)
        self.mutable = mutable
        self.borrow = _yes_or_no("In: borrow", borrow)

    def __repr__(self) -> str:
        return f"In({self.variable})"


class Out:
    """An output of a function, with what is particular to it.

    Parameters
    ----------
    variable : Variable
        What is computed.
    borrow : bool
        The result may share memory with an argument, with a shared variable's value, or with another result. False: it
        is copied where it would.
    """

    def __init__(self, variable: Variable, borrow: bool = False) -> None:
        if not isinstance(variable, Variable):
            raise TypeError(f"Out: expected a Variable, got {_what(variable)}")
        self.variable = variable
        self.borrow = _yes_or_no("Out: borrow", borrow)

    def __repr__(self) -> str:
        return f"Out({self.variable}{', borrow=True' if self.borrow else ''})"
