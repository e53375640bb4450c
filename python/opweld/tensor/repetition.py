"""Elements, slices and whole arrays several times."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import COp
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Sizes, TensorLike
from opweld.tensor.manipulation import broadcast_to, flatten, reshape
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, checked
from opweld.tensor.permute import dimshuffle
from opweld.tensor.type import TensorType
from opweld.tensor.views import integer, known, sizes_of

__all__ = ["Repeat", "repeat", "tile"]


class Repeat(COp):
    """Each element, or each slice along an axis, several times.

    Parameters
    ----------
    axis : int
        The axis, from 0.
    """

    __props__ = ("axis",)
    c_float16 = True

    def __init__(self, axis: int) -> None:
        self.axis = int(axis)

    def make_node(self, x: TensorLike, repeats: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is repeated.
        repeats : Variable or array_like
            How often: an integer, or a vector of one for each slice.

        Returns
        -------
        Apply
            One output of the dtype of `x`.
        """
        x, repeats = as_tensor_variable(x), as_tensor_variable(repeats)
        if repeats.type.numpy_dtype.kind not in "iu" or not np.can_cast(repeats.dtype, np.intp):
            raise TypeError(
                f"Cannot cast array data from {repeats.type.numpy_dtype!r} to {np.dtype(np.intp)!r} "
                "according to the rule 'safe'"
            )
        if repeats.ndim > 1:
            raise ValueError("object too deep for desired array")
        sizes = list(x.type.shape)
        times = known(repeats) if repeats.ndim == 0 else None
        size = sizes[self.axis]
        sizes[self.axis] = None if times is None or times < 0 or size is None else size * times
        return Apply(self, [x, repeats], [TensorType(x.type.dtype, sizes)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Repeat in Python."""
        output_storage[0][0] = np.repeat(inputs[0], inputs[1], self.axis)

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy do it."""
        made = f"PyArray_Repeat({input_names[0]}, (PyObject*){input_names[1]}, {self.axis})"
        return checked(f"opw_store(&{output_names[0]}, {made})", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def repeat(x: TensorLike, repeats: TensorLike, axis: int | None = None) -> Any:
    """Repeat elements, or slices along an axis.

    Parameters
    ----------
    x : Variable or array_like
        What is repeated.
    repeats : int, Variable or array_like
        How often: one number, or one for each.
    axis : int, optional
        The axis; the elements of all as a vector if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.repeat(x, 2))([1, 2])
    array([1, 1, 2, 2])
    """
    x = as_tensor_variable(x)
    if axis is None or x.ndim == 0:
        if axis is not None:
            normalize_axis_index(axis, x.ndim)
        return Repeat(0)(flatten(x), repeats)
    return Repeat(normalize_axis_index(axis, x.ndim))(x, repeats)


def tile(x: TensorLike, reps: Sizes) -> Any:
    """Lay copies of an array side by side.

    Parameters
    ----------
    x : Variable or array_like
        What is copied.
    reps : int, Variable, or sequence of (int or Variable)
        How often along each axis, the last ones where there are fewer.

    Returns
    -------
    TensorVariable
        Of as many dimensions as `x` has, or as there are `reps`, if these are more.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.tile(x, 2))([1, 2])
    array([1, 2, 1, 2])
    """
    x, times = as_tensor_variable(x), sizes_of("tile", reps)
    ndim = max(x.ndim, len(times))
    times = [integer(1)] * (ndim - len(times)) + times
    x = dimshuffle(x, *["x"] * (ndim - x.ndim), *range(x.ndim))
    sizes = [_size(x, i) for i in range(ndim)]
    spread = [one for pair in zip(times, sizes) for one in pair]
    copies = broadcast_to(dimshuffle(x, *[one for i in range(ndim) for one in ("x", i)]), spread)
    return reshape(copies, [_product(count, size) for count, size in zip(times, sizes)])


def _size(x: Any, axis: int) -> Any:
    """A size of a variable, as a constant where it is known."""
    size = x.type.shape[axis]
    return functions.shape_i(x, axis) if size is None else integer(size)


def _product(count: Variable, size: Variable) -> Any:
    numbers = known(count), known(size)
    return functions.multiply(count, size) if None in numbers else integer(numbers[0] * numbers[1])  # type: ignore[operator]
