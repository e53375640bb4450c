"""Variables and constants whose values are arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Constant, Variable, _what
from opweld.tensor.operators import Operators

__all__ = ["TensorConstant", "TensorVariable", "as_tensor_variable", "constant"]

_COMPARED = 1 << 16  # bytes: larger constants are not compared


class _Tensor(Operators):
    """What tensors say of themselves."""

    @property
    def dtype(self) -> str:
        """Name of the dtype."""
        return str(self.type.dtype)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self.type.ndim)

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """Which sizes are known to be 1."""
        return tuple(self.type.broadcastable)

    @property
    def shape(self) -> Any:
        """The sizes, as a variable of the graph; what is known of them without a call is ``type.shape``."""
        from opweld.tensor.shapes import Shape

        return Shape()(self)


class TensorVariable(_Tensor, Variable):
    """A variable whose value is an array."""


class TensorConstant(_Tensor, Constant):
    """An array that is known. It is copied, and made read-only."""

    def __init__(self, type: Any, data: Any, name: str | None = None) -> None:
        super().__init__(type, data, name)
        kept = np.array(self.data, order="K")
        kept.flags.writeable = False
        self.data = kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.data.flags.writeable = False  # pickles do not keep that

    def signature(self) -> Any:
        """Give type, shape and bytes; a large constant is equal to itself only."""
        return (self.type, self.data.shape, self.data.tobytes()) if self.data.nbytes <= _COMPARED else None


def constant(x: Any, name: str | None = None, dtype: Any = None) -> TensorConstant:
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
    from opweld.tensor.type import TensorType

    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    try:
        type_ = TensorType(array.dtype if dtype is None else dtype, array.shape)
    except TypeError as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    return TensorConstant(type_, x if isinstance(x, np.ndarray) or dtype is not None else array, name)


def as_tensor_variable(x: Any, name: str | None = None, ndim: int | None = None) -> Any:
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
    from opweld.tensor.type import TensorType

    if isinstance(x, Variable):
        if not isinstance(x.type, TensorType):
            raise TypeError(f"expected a tensor variable, got {x} of type {x.type}")
        found: Any = x
    elif _holds_variables(x):
        from opweld.tensor.joining import stack

        found = stack([as_tensor_variable(item) for item in x])
    else:
        found = constant(x, name)
    if ndim is not None and found.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, got {found} of type {found.type}")
    return found


def _holds_variables(x: Any) -> bool:
    """Whether a list, or a list in it, holds a variable."""
    return isinstance(x, (list, tuple)) and any(isinstance(item, Variable) or _holds_variables(item) for item in x)
