"""``as_op``: a function of Python as an op, as Theano, Aesara and PyTensor have it."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from pickle import PicklingError
from typing import Any

from opweld.compat.bases import Op
from opweld.errors import _what
from opweld.graph.basic import Apply
from opweld.graph.type import Type

__all__ = ["FromFunctionOp", "as_op", "load_back"]

Types = Type | Sequence[Type]


class FromFunctionOp(Op):
    """An op that calls a function of Python.

    Parameters
    ----------
    fn : callable
        Of the inputs' values; gives the output's, or a tuple of several.
    itypes, otypes : list of Type
        Of the inputs and outputs.
    infer_shape : callable, optional
        Of the node and the inputs' shapes; gives the outputs'.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        itypes: Sequence[Type],
        otypes: Sequence[Type],
        infer_shape: Callable[..., Any] | None = None,
    ) -> None:
        self.fn = fn
        self.itypes, self.otypes = list(itypes), list(otypes)  # type: ignore[misc]  # an instance's own
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)
        if infer_shape is not None:
            self.infer_shape = infer_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FromFunctionOp) and self.fn == other.fn

    def __hash__(self) -> int:
        return hash((FromFunctionOp, self.fn))

    def __str__(self) -> str:
        return f"FromFunctionOp{{{self.__name__}}}"

    def __reduce__(self) -> Any:
        module, name = self.fn.__module__, self.__name__
        try:
            found = load_back(module, name)
        except (ImportError, AttributeError, ValueError):
            found = None
        if found is not self:
            raise PicklingError(f"{self} cannot be pickled: it is not what {module}.{name} is")
        return load_back, (module, name)

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call the function."""
        found = self.fn(*inputs)
        found = found if isinstance(found, (list, tuple)) else (found,)
        if len(found) != len(output_storage):
            raise ValueError(f"{self}: expected {len(output_storage)} results, got {len(found)}")
        for cell, value in zip(output_storage, found):
            cell[0] = value


def load_back(mod: str, name: str) -> Any:
    """Give what a module has under a name."""
    return pkgutil.resolve_name(f"{mod}:{name}")


def _types(what: str, given: Types) -> list[Type]:
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    for kind in found:
        if not isinstance(kind, Type):
            raise TypeError(f"as_op: {what} must be types, got {_what(kind)}")
    return found  # type: ignore[return-value]


def as_op(itypes: Types, otypes: Types, infer_shape: Callable[..., Any] | None = None) -> Any:
    """Make a decorator that makes an op of a function.

    Parameters
    ----------
    itypes, otypes : Type or list of Type
        Of the inputs and outputs.
    infer_shape : callable, optional
        Of the node and the inputs' shapes; gives the outputs'.

    Returns
    -------
    callable

    Raises
    ------
    TypeError
        If a type is none, or `infer_shape` cannot be called.
    """
    ins, outs = _types("itypes", itypes), _types("otypes", otypes)
    if infer_shape is not None and not callable(infer_shape):
        raise TypeError(f"as_op: infer_shape must be callable, got {_what(infer_shape)}")

    def make(fn: Callable[..., Any]) -> FromFunctionOp:
        return FromFunctionOp(fn, ins, outs, infer_shape)

    return make
