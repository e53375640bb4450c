"""Products of tensors beside `dot` and `matmul`: over any axes, over the last, over all, over none."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from opweld.dtypes import dtype_of, upcast
from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.linalg import dot
from opweld.tensor.manipulation import ravel
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked, table
from opweld.tensor.permute import expand_dims, swapaxes
from opweld.tensor.type import TensorType
from opweld.tolerances import magnitude, of_sums

__all__ = ["TensorDot", "inner", "outer", "tensordot", "vdot"]

_C = Beside(__file__)

_promoted = cache(upcast)


class TensorDot(COp):
    """The product summed over pairs of axes, as ``numpy.tensordot`` has it.

    Parameters
    ----------
    left, right : tuple of int
        The axes of the first and of the second that are summed over, from 0.
    """

    __props__ = ("left", "right")
    c_float16 = True

    def __init__(self, left: tuple[int, ...], right: tuple[int, ...]) -> None:
        if len(left) != len(right):
            raise ValueError("shape-mismatch for sum")
        self.left = tuple(left)
        self.right = tuple(right)

    def make_node(self, x: TensorLike, y: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x, y : Variable or array_like
            What is multiplied.

        Returns
        -------
        Apply
            One output: the axes of the first that stay, then those of the second.

        Raises
        ------
        ValueError
            If sizes that meet are known and differ.
        """
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        for i, j in zip(self.left, self.right):
            one, other = x.type.shape[i], y.type.shape[j]
            if one is not None and other is not None and one != other:
                raise ValueError("shape-mismatch for sum")
        (shape,) = self.infer_shape(None, [x.type.shape, y.type.shape])
        return Apply(self, [x, y], [TensorType(_promoted(x.type.dtype, y.type.dtype), shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Multiply in Python."""
        output_storage[0][0] = np.asarray(np.tensordot(inputs[0], inputs[1], (self.left, self.right)))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which products are added."""
        x, y = map(magnitude, inputs)
        terms = int(np.prod([x.shape[axis] for axis in self.left], dtype=np.int64))
        added = np.tensordot(x, y, (self.left, self.right))
        return of_sums(terms, added, node.outputs[0].type.dtype)

    def infer_shape(self, node: Apply | None, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes that stay."""
        left, right = input_shapes
        stay = [size for i, size in enumerate(left) if i not in self.left]
        return [tuple(stay + [size for i, size in enumerate(right) if i not in self.right])]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Hand NumPy two matrices, and the output as a third."""
        (x, y), out = input_names, output_names[0]
        nx, ny = (v.type.ndim for v in node.inputs)
        order_x = [*[i for i in range(nx) if i not in self.left], *self.left]
        order_y = [*self.right, *[i for i in range(ny) if i not in self.right]]
        tables = table("opw_order_x", map(str, order_x)) + table("opw_order_y", map(str, order_y))
        arguments = f"{by_value(x)}, {by_value(y)}, opw_order_x, opw_order_y, {len(self.left)}, type_num_{out}"
        call = f"opw_tensordot(&{out}, {arguments})"
        return f"{{\n{tables}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


def tensordot(x: TensorLike, y: TensorLike, axes: Any = 2) -> Any:
    """Multiply and sum over pairs of axes, as ``numpy.tensordot`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        What is multiplied.
    axes : int, or a pair of (int or sequence of int)
        A number: so many of the last axes of `x` and the first of `y`. Else which axes of `x`, and which of `y`.

    Returns
    -------
    TensorVariable
        The axes of `x` that stay, then those of `y`.

    Raises
    ------
    ValueError
        If sizes that meet differ; at the call where they are not known before.
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> y = T.lvector("y")
    >>> opweld.function([x, y], T.tensordot(x, y, axes=1))([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    left: Any
    right: Any
    if hasattr(axes, "__index__"):
        count = axes.__index__()
        left, right = range(-count, 0), range(count)
    else:
        left, right = ([each] if hasattr(each, "__index__") else list(each) for each in axes)
    if len(left) != len(right):
        raise ValueError("shape-mismatch for sum")
    return TensorDot(
        tuple([one_axis(axis, x.type.ndim) for axis in left]), tuple([one_axis(axis, y.type.ndim) for axis in right])
    )(x, y)


def inner(x: TensorLike, y: TensorLike) -> Any:
    """Multiply and sum over the last axes of both, as ``numpy.inner`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        What is multiplied; a number multiplies every element.

    Returns
    -------
    TensorVariable
        The axes of `x` but for the last, then those of `y`.

    Raises
    ------
    ValueError
        If the last sizes differ; at the call where they are not known before.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.inner(x, y))([1, 2], [3, 4])
    np.int64(11)
    """
    left, right = as_tensor_variable(x), as_tensor_variable(y)
    if left.type.ndim == 0 or right.type.ndim < 2:
        return dot(x, y)
    return dot(left, swapaxes(right, -1, -2))


def outer(x: TensorLike, y: TensorLike) -> Any:
    """Multiply each element of one with each of the other, as ``numpy.outer`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Flattened.

    Returns
    -------
    TensorVariable
        A matrix.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.outer(x, y))([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    return functions.multiply(expand_dims(ravel(x), 1), expand_dims(ravel(y), 0))


def vdot(x: TensorLike, y: TensorLike) -> Any:
    """Multiply the complex conjugate of one with the other and sum over all, as ``numpy.vdot`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Flattened.

    Returns
    -------
    TensorVariable
        Without dimensions.

    Raises
    ------
    ValueError
        If they are not of one size; at the call where it is not known before.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.vdot(x, y))([1.0, 2.0], [3.0, 4.0])
    np.float64(11.0)
    """
    left = ravel(x)
    return dot(functions.conjugate(left) if dtype_of(left.type.dtype).np.kind == "c" else left, ravel(y))
