"""Sparse matrices as Theano, Aesara and PyTensor have them: the names of all modules, and the variables' operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweld.compat import sparse_items, sparse_ops, sparse_pairs, sparse_parts, sparse_types
from opweld.compat.sparse_pairs import add, mul, structured_dot, sub
from opweld.compat.sparse_types import SparseOperators

__all__ = ["NAMES"]

#: Where each name lies.
NAMES: dict[str, Any] = {
    name: module
    for module in (sparse_types, sparse_parts, sparse_ops, sparse_pairs, sparse_items)
    for name in module.__all__
}


def __getattr__(name: str) -> Any:
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(NAMES[name], name)


def _left(function: Callable[..., Any]) -> Any:
    """A method of one operand, or of two."""
    return lambda self, *others: function(self, *others)


def _right(function: Callable[..., Any]) -> Any:
    """A method whose own operand stands second."""
    return lambda self, other: function(other, self)


_BINARY = {"add": add, "sub": sub, "mul": mul, "dot": structured_dot}
_METHODS = {
    **{f"__{name}__": _left(function) for name, function in _BINARY.items()},
    **{f"__r{name}__": _right(function) for name, function in _BINARY.items()},
    **{f"__{name}__": _left(getattr(sparse_items, name)) for name in ("lt", "le", "gt", "ge")},
    "__getitem__": _left(sparse_items.item),
    "__neg__": _left(sparse_ops.neg),
    "astype": _left(sparse_ops.cast),
    "toarray": _left(sparse_parts.dense_from_sparse),
    "zeros_like": _left(sparse_parts.sp_zeros_like),
    "size": property(lambda self: sparse_parts.csm_data(self).size),
    "T": property(_left(sparse_ops.transpose)),
}
for _name, _method in _METHODS.items():
    setattr(SparseOperators, _name, _method)
