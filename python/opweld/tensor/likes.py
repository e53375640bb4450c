"""What the arguments of tensor functions may be: names for annotations, which say something to a type checker alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.graph.basic import Variable

__all__ = ["Axes", "DType", "Numbers", "Places", "Sizes", "Size", "TensorLike", "TensorList"]

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import SupportsIndex, TypeAlias

    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike

    TensorLike: TypeAlias = Variable | ArrayLike | Sequence["TensorLike"]
    TensorList: TypeAlias = Sequence[TensorLike] | np.ndarray[Any, Any]
    Axes: TypeAlias = SupportsIndex | tuple[SupportsIndex, ...] | None
    Places: TypeAlias = int | Sequence[int]
    DType: TypeAlias = DTypeLike | None
    Numbers: TypeAlias = ArrayLike
    Size: TypeAlias = SupportsIndex | Variable
    Sizes: TypeAlias = Size | Sequence[Size] | np.ndarray[Any, Any]
else:
    TensorLike = TensorList = Axes = Places = DType = Numbers = Size = Sizes = Any
