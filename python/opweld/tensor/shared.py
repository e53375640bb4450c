"""Shared variables whose values are arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from opweld.errors import _what
from opweld.graph.shared import SharedVariable
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable

__all__ = ["TensorSharedVariable", "tensor_shared"]


class TensorSharedVariable(SharedVariable, TensorVariable):
    """A shared variable whose value is an array."""

    def copied(self, value: Any) -> Any:
        """Copy an array; its order stays."""
        return value.copy(order="K")


def tensor_shared(
    value: object,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    shape: Iterable[int | None] | None = None,
    broadcastable: Iterable[bool] | None = None,
) -> TensorSharedVariable:
    """Make a shared variable of an array or a number; `opweld.shared` says how.

    Returns
    -------
    TensorSharedVariable
    """
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            value, borrow = np.asarray(value, "int64" if value < 1 << 63 else "uint64"), True
        except OverflowError:
            raise OverflowError(
                f"shared: {_what(value)} fits into no integer dtype; pass a float, or an array of one"
            ) from None
    elif not isinstance(value, np.ndarray):
        value, borrow = np.asarray(value), True
    if broadcastable is None and shape is None:
        shape = (None,) * value.ndim
    type_ = TensorType(value.dtype, shape, broadcastable)
    return TensorSharedVariable(type_, value, name, strict, allow_downcast, borrow)
