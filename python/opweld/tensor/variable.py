"""Variables and constants whose values are arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.graph.basic import Constant, Variable
from opweld.tensor.operators import Operators, functions

if TYPE_CHECKING:
    from opweld.tensor.type import TensorType

    _Variable = Variable[TensorType]
    _Constant = Constant[TensorType]
else:  # who runs the library need not wait for names of types
    _Variable, _Constant = Variable, Constant

__all__ = ["TensorConstant", "TensorVariable"]

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
    def shape(self) -> TensorVariable:
        """The sizes, as a variable of the graph; what is known of them without a call is ``type.shape``."""
        return functions.shape(self)  # type: ignore[no-any-return]


class TensorVariable(_Tensor, _Variable):
    """A variable whose value is an array.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> isinstance(x, T.TensorVariable), x.ndim, x.dtype
    (True, 2, 'float64')
    >>> opweld.function([x], x.T[0] * 2)([[1.0, 2.0], [3.0, 4.0]])
    array([2., 6.])
    """


class TensorConstant(_Tensor, _Constant):
    """An array that is known. It is copied, and made read-only.

    Examples
    --------
    >>> c = T.constant([1.0, 2.0])
    >>> isinstance(c, T.TensorConstant), c.data, c.type.shape
    (True, array([1., 2.]), (2,))
    """

    def __init__(self, type: TensorType, data: object, name: str | None = None) -> None:
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
