"""A tensor whose sizes are known, though nothing that computes it says so: they are checked when it is computed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from opweld.dtypes import shape_text
from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.likes import TensorLike
from opweld.tensor.outputs import by_value, checked, table
from opweld.tensor.type import TensorType

__all__ = ["SpecifyShape", "specify_shape"]

_C = Beside(__file__)


class SpecifyShape(COp):
    """Give the array itself, and fail where a size is another.

    Parameters
    ----------
    shape : sequence of (int or None)
        One entry for each dimension; None: any size.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> rows = T.specify_shape(x, (None, 3))
    >>> isinstance(rows.owner.op, T.SpecifyShape), rows.type.shape
    (True, (None, 3))
    """

    __props__ = ("shape",)
    c_float16 = True
    view_map = {0: [0]}

    def __init__(self, shape: Iterable[int | None]) -> None:
        self.shape = TensorType("bool", tuple(shape)).shape

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Of as many dimensions.

        Returns
        -------
        Apply
            One output of the same dtype; its sizes are known where either is.

        Raises
        ------
        TypeError
            If the number of dimensions is another.
        ValueError
            If it is known that a size is another.
        """
        x = as_tensor_variable(x)
        if x.ndim != len(self.shape):
            raise TypeError(f"specify_shape: {len(self.shape)} sizes for {x}, which has {x.ndim} dimensions")
        for axis, (have, wanted) in enumerate(zip(x.type.shape, self.shape)):
            if have is not None and wanted is not None and have != wanted:
                raise ValueError(f"specify_shape: the size of {x} along axis {axis} is {have}, not {wanted}")
        sizes = [have if wanted is None else wanted for have, wanted in zip(x.type.shape, self.shape)]
        return Apply(self, [x], [TensorType(x.type.dtype, sizes)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Check in Python."""
        x: np.ndarray[Any, Any] = inputs[0]
        for axis, wanted in enumerate(self.shape):
            if wanted is not None and x.shape[axis] != wanted:
                raise ValueError(
                    f"expected shape {shape_text(self.shape)}, but the size along axis {axis} is {x.shape[axis]}"
                )
        output_storage[0][0] = x

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give what is known, else the input's sizes."""
        (sizes,) = input_shapes
        return [tuple(s if n is None else constant(n, dtype="int64") for s, n in zip(sizes, self.shape))]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [_C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Check in C."""
        (x,), (z,) = input_names, output_names
        sizes = table("opw_sizes", ["-1" if size is None else str(size) for size in self.shape])
        call = f'opw_specify({by_value(x)}, opw_sizes, "{shape_text(self.shape)}")'
        return f"{{\n{sizes}{checked(call, sub['fail'])}}}\nPy_INCREF({x});\nPy_XDECREF({z});\n{z} = {x};"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def specify_shape(x: TensorLike, shape: Iterable[int | None]) -> Any:
    """Say what sizes a tensor has; that is checked when it is computed.

    Parameters
    ----------
    x : Variable or array_like
        The tensor.
    shape : sequence of (int or None)
        One entry for each dimension; None: any size.

    Returns
    -------
    TensorVariable
        Shares its memory with `x`; `x` itself where all that is known already.

    Raises
    ------
    TypeError
        If the number of dimensions is another.
    ValueError
        If it is known that a size is another; when it is computed, if a size is.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.specify_shape(x, (2,)))([1, 2])
    array([1, 2])
    """
    x = as_tensor_variable(x)
    found = SpecifyShape(shape)(x)
    return x if found.type == x.type else found
