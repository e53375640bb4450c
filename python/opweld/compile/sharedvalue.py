"""``shared(value)``: a shared variable of the type that carries the value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np

from opweld.errors import _what
from opweld.generic import generic
from opweld.graph.basic import Variable
from opweld.graph.shared import SharedVariable

__all__ = ["SharedVariable", "register_shared", "shared"]

Constructor = Callable[..., SharedVariable]

# Classes of values, and where what makes a shared variable of one lies. The first row counts that fits; what fits none
# is carried as the object that it is. What has been imported changes nothing.
CONSTRUCTORS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((np.ndarray, np.generic, bool, int, float, complex), "opweld.tensor.shared:tensor_shared"),
)
_constructors: tuple[tuple[tuple[type, ...], Constructor | str], ...] = CONSTRUCTORS


def register_shared(*classes: type) -> Callable[[Constructor], Constructor]:
    """Say what makes shared variables of values of some classes; a decorator.

    Parameters
    ----------
    *classes : type
        The classes, their subclasses among them.

    Returns
    -------
    callable
        Takes ``f(value, name, strict, allow_downcast, borrow, shape, broadcastable)``, which gives a `SharedVariable`,
        and gives it back. It is asked before those that were registered earlier, and before the library's.

    Raises
    ------
    TypeError
        If one of `classes` is no class.
    """
    for cls in classes:
        if not isinstance(cls, type):
            raise TypeError(f"register_shared: expected classes of values, got {_what(cls)}")

    def register(constructor: Constructor) -> Constructor:
        global _constructors
        _constructors = ((classes, constructor), *_constructors)
        return constructor

    return register


def shared(
    value: object,
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

    Examples
    --------
    >>> w = opweld.shared(np.zeros(2), name="w")
    >>> step = opweld.function([], updates=[(w, w + 1)])
    >>> step()
    >>> w.get_value()
    array([1., 1.])
    """
    if isinstance(value, Variable):
        raise TypeError(f"shared: expected a value, got {_what(value)}: a shared variable holds no part of a graph")
    for classes, found in _constructors:
        if isinstance(value, classes):
            if isinstance(found, str):
                module, _, function = found.partition(":")
                found = getattr(import_module(module), function)
            return found(value, name, strict, allow_downcast, borrow, shape, broadcastable)
    if shape is not None or broadcastable is not None:
        raise TypeError(f"shared: a shape was given, and the value is no array: {_what(value)}")
    return SharedVariable(generic, value, name, strict, allow_downcast, borrow)
