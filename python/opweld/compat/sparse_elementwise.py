"""Functions of the stored elements of a sparse matrix: what it does not store stays 0."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from opweld.compat.sparse_parts import CSM, by_lines, csm_properties
from opweld.tensor.operators import functions as tensor

__all__ = ["structured_monoid"]

# The names of the packages, and of the functions where they have another one.
_NAMES: dict[str, str] = {
    **{name: name for name in (
        "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "conj", "deg2rad", "expm1", "floor", "log1p", "rad2deg",
        "rint", "sgn", "sin", "sinh", "sqr", "sqrt", "tan", "tanh", "trunc",
    )},
    "structured_add": "add", "structured_conjugate": "conj", "structured_exp": "exp", "structured_log": "log",
    "structured_maximum": "maximum", "structured_minimum": "minimum", "structured_pow": "power",
    "structured_sigmoid": "sigmoid",
}  # fmt: skip


def structured_monoid(tensor_op: Callable[..., Any]) -> Callable[[Any], Callable[..., Any]]:
    """Make a decorator that applies a function of tensors to the stored elements of a matrix.

    Parameters
    ----------
    tensor_op : callable
        Of the elements, and of what else is given.

    Returns
    -------
    callable
        Takes a function for its name and docstring alone, and gives one of a matrix.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def apply(*args: Any) -> Any:
            x = by_lines(args[0])
            data, indices, indptr, shape = csm_properties(x)
            return CSM(x.type.format)(tensor_op(data, *args[1:]), indices, indptr, shape)

        return apply

    return decorate


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = getattr(tensor, _NAMES[name])
    found = globals()[name] = structured_monoid(function)(function)
    return found
