"""From numbers, arrays, lists and variables to tensor variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from opweld.errors import _what
from opweld.graph.basic import Variable
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorConstant, TensorVariable

if TYPE_CHECKING:
    from opweld.tensor import likes

__all__ = ["as_tensor_variable", "constant"]


def constant(x: likes.TensorLike, name: str | None = None, dtype: likes.DType = None) -> TensorConstant:
    """Make a constant from an array, a number or a list.

    Parameters
    ----------
    x : array_like
        Its value; copied.
    name : str, optional
        Its name.
    dtype : str or numpy.dtype, optional
        The dtype it is cast to, where every value is kept.

    Returns
    -------
    TensorConstant
        Of the array's shape.

    Raises
    ------
    TypeError
        If NumPy makes no numeric array of it.
    """
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    try:
        type_ = TensorType(array.dtype if dtype is None else dtype, array.shape)
    except TypeError as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    return TensorConstant(type_, x if isinstance(x, np.ndarray) or dtype is not None else array, name)


def as_tensor_variable(x: likes.TensorLike, name: str | None = None, ndim: int | None = None) -> TensorVariable:
    """Give a tensor variable for `x`.

    Parameters
    ----------
    x : Variable or array_like
        A tensor variable is given back as it is; an array, number or list becomes a constant; a list that holds
        variables is stacked, as ``numpy.array`` stacks a list of arrays.
    name : str, optional
        Name of the constant.
    ndim : int, optional
        The number of dimensions it must have.

    Returns
    -------
    TensorVariable or TensorConstant

    Raises
    ------
    TypeError
        For a variable of another type, and for what is not numeric.
    ValueError
        If the number of dimensions is not `ndim`.
    """
    if isinstance(x, Variable):
        if not isinstance(x.type, TensorType):
            raise TypeError(f"expected a tensor variable, got {x} of type {x.type}")
        found: TensorVariable = x  # type: ignore[assignment]  # or a constant, which has the same to say
    elif isinstance(x, (list, tuple)) and _holds_variables(x):
        found = functions.stack([as_tensor_variable(item) for item in x])
    else:
        found = constant(x, name)  # type: ignore[assignment]
    if ndim is not None and found.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, got {found} of type {found.type}")
    return found


def _holds_variables(x: object) -> bool:
    """Whether a list, or a list in it, holds a variable."""
    return isinstance(x, (list, tuple)) and any(isinstance(item, Variable) or _holds_variables(item) for item in x)
