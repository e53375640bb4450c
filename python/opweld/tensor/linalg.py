"""Products of vectors, matrices and stacks of them, by NumPy's own C."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from opweld.dtypes import shape_text, upcast
from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked
from opweld.tensor.type import TensorType
from opweld.tolerances import magnitude, of_sums

__all__ = ["Dot", "MatMul", "dot", "matmul"]

_C = Beside(__file__)
_MATMUL = Beside(__file__, "matmul")

_promoted = cache(upcast)
_MISMATCH = (
    "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
    "(size {} is different from {})"
)
_FEW = (
    "matmul: Input operand {} does not have enough dimensions (has 0, gufunc core with signature "
    "(n?,k),(k,m?)->(n?,m?) requires 1)"
)


class Dot(COp):
    """The product over the last axis of one array and the last but one of another, as ``numpy.dot`` has it."""

    __props__ = ()
    c_float16 = True

    def make_node(self, x: TensorLike, y: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x, y : Variable or array_like
            Of one dimension or more.

        Returns
        -------
        Apply
            One output, of the dtype that NumPy promotes the inputs' to.

        Raises
        ------
        TypeError
            If an input has no dimensions.
        ValueError
            If the sizes are known and differ.
        """
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        left, right = x.type.shape, y.type.shape
        if not left or not right:
            raise TypeError(f"Dot: both inputs need dimensions, got {x.type} and {y.type}")
        at = max(len(right) - 2, 0)
        if left[-1] is not None and right[at] is not None and left[-1] != right[at]:
            raise ValueError(
                f"shapes {_tight(left)} and {_tight(right)} not aligned: {left[-1]} (dim {len(left) - 1}) != "
                f"{right[at]} (dim {at})"
            )
        shape = left[:-1] + right[:at] + right[at + 1 :]
        return Apply(self, [x, y], [TensorType(_promoted(x.type.dtype, y.type.dtype), shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Multiply in Python."""
        output_storage[0][0] = np.asarray(np.dot(inputs[0], inputs[1]))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which products are added."""
        x, y = map(magnitude, inputs)
        return of_sums(x.shape[-1], np.dot(x, y), node.outputs[0].type.dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes that are not summed over."""
        left, right = input_shapes
        at = max(len(right) - 2, 0)
        return [left[:-1] + right[:at] + right[at + 1 :]]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Hand it to NumPy, with the storage that is there."""
        (x, y), out = input_names, output_names[0]
        axis = max(node.inputs[1].type.ndim - 2, 0)
        return checked(f"opw_product(&{out}, {by_value(x)}, {by_value(y)}, {axis}, type_num_{out})", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class MatMul(COp):
    """The product of matrices, or of stacks of them that are broadcast, as ``numpy.matmul`` has it."""

    __props__ = ()
    c_float16 = True

    def make_node(self, x: TensorLike, y: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x, y : Variable or array_like
            Of one dimension or more. Vectors stand for a matrix of one row, or one column.

        Returns
        -------
        Apply
            One output, of the dtype that NumPy promotes the inputs' to.

        Raises
        ------
        ValueError
            If an input has no dimensions, or sizes are known and do not fit.
        """
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        left, right = x.type.shape, y.type.shape
        for position, shape in enumerate((left, right)):
            if not shape:
                raise ValueError(_FEW.format(position))
        inner = right[max(len(right) - 2, 0)]
        if left[-1] is not None and inner is not None and left[-1] != inner:
            raise ValueError(_MISMATCH.format(inner, left[-1]))
        shape = _stack(left, right) + left[-2:-1] + (right[-1:] if len(right) > 1 else ())
        return Apply(self, [x, y], [TensorType(_promoted(x.type.dtype, y.type.dtype), shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Multiply in Python."""
        output_storage[0][0] = np.asarray(np.matmul(inputs[0], inputs[1]))

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which products are added."""
        x, y = map(magnitude, inputs)
        return of_sums(x.shape[-1], np.matmul(x, y), node.outputs[0].type.dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes, but where it is open which of two is broadcast to the other."""
        left, right = input_shapes
        known = [v.type.shape for v in node.inputs]
        depth = max(len(left), len(right), 2) - 2
        stack = []
        for axis in range(-depth - 2, -2):
            if -axis > len(left) or (-axis <= len(right) and known[0][axis] == 1):
                stack.append(right[axis])
            elif -axis > len(right) or known[1][axis] == 1 or known[0][axis] is not None:
                stack.append(left[axis])
            elif known[1][axis] is not None:
                stack.append(right[axis])
            else:
                return [None]
        return [(*stack, *left[-2:-1], *(right[-1:] if len(right) > 1 else ()))]

    def c_init_code(self) -> list[str]:
        """Find the ufunc."""
        return [_MATMUL.section("init_code")]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section(), _MATMUL.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Hand it to NumPy: one product to its BLAS directly, a stack to the ufunc."""
        (x, y), out, fail = input_names, output_names[0], sub["fail"]
        if any(v.type.ndim > 2 for v in node.inputs):
            return checked(f"opw_stacks(&{out}, {by_value(x)}, {by_value(y)})", fail)
        fits = checked(f"opw_matmul_fits({by_value(x)}, {by_value(y)})", fail)
        return fits + checked(f"opw_product(&{out}, {by_value(x)}, {by_value(y)}, 0, type_num_{out})", fail)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


def _tight(shape: tuple[int | None, ...]) -> str:
    """A shape as ``numpy.dot`` writes it."""
    return shape_text(shape).replace(" ", "")


def _stack(left: tuple[int | None, ...], right: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The sizes that the stacks broadcast to, as far as they are known."""
    if len(left) < 3 and len(right) < 3:
        return ()
    a, b = left[:-2], right[:-2]
    depth = max(len(a), len(b))
    a, b = (1,) * (depth - len(a)) + a, (1,) * (depth - len(b)) + b
    found: list[int | None] = []
    for one, other in zip(a, b):
        if one is not None and other is not None and one != other and 1 not in (one, other):
            raise ValueError(
                f"operands could not be broadcast together with shapes {_tight(left)} {_tight(right)} : matmul of "
                f"stacks of sizes {one} and {other}"
            )
        if one == 1:
            found.append(other)
        elif other == 1 or one is not None:
            found.append(one)
        else:
            found.append(other)
    return tuple(found)


_dot = Dot()
_matmul = MatMul()


def dot(x: TensorLike, y: TensorLike) -> Any:
    """Multiply as ``numpy.dot`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Vectors, matrices or arrays of more dimensions: summed over the last axis of `x` and the last but one of `y`.
        A number multiplies every element.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes the inputs' to.

    Raises
    ------
    ValueError
        If the sizes that are summed over differ; at the call where they are not known before.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.dot(x, y))([1.0, 2.0], [3.0, 4.0])
    np.float64(11.0)
    """
    left, right = as_tensor_variable(x), as_tensor_variable(y)
    if left.ndim == 0 or right.ndim == 0:
        return functions.mul(x, y)
    return _dot(left, right)


def matmul(x: TensorLike, y: TensorLike) -> Any:
    """Multiply as ``numpy.matmul`` does.

    Parameters
    ----------
    x, y : Variable or array_like
        Vectors, matrices, or stacks of matrices whose leading axes are broadcast.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes the inputs' to.

    Raises
    ------
    ValueError
        If an input has no dimensions, or sizes do not fit; at the call where they are not known before.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> y = T.lvector("y")
    >>> opweld.function([x, y], T.matmul(x, y))([[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    return _matmul(x, y)
