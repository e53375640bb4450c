"""Elements by their numbers along an axis, and the numbers of those that are not zero."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike
from opweld.tensor.manipulation import flatten
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked, table
from opweld.tensor.type import TensorType

__all__ = ["NonZero", "Take", "flatnonzero", "nonzero", "take"]

_C = Beside(__file__)

_MODES = {"raise": "NPY_RAISE", "wrap": "NPY_WRAP", "clip": "NPY_CLIP"}
_ENDLESS = {"wrap": "clip"}  # NumPy goes round an axis without elements for ever; what it refuses there it always does


class Take(COp):
    """Slices along an axis, by their numbers.

    Parameters
    ----------
    axis : int
        The axis, from 0.
    mode : {"raise", "wrap", "clip"}
        What becomes of numbers out of bounds.
    """

    __props__ = ("axis", "mode")
    c_float16 = True

    def __init__(self, axis: int, mode: str = "raise") -> None:
        self.axis = int(axis)
        self.mode = mode
        if mode not in _MODES:
            raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")

    def make_node(self, x: TensorLike, indices: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is taken from.
        indices : Variable or array_like
            Integers, of any shape.

        Returns
        -------
        Apply
            One output of the dtype of `x`.

        Raises
        ------
        TypeError
            If `indices` are no integers.
        """
        x, indices = as_tensor_variable(x), as_tensor_variable(indices)
        if not np.can_cast(indices.type.numpy_dtype, np.intp, "same_kind"):
            raise TypeError(
                f"Cannot cast array data from {indices.type.numpy_dtype!r} to {np.dtype(np.intp)!r} "
                "according to the rule 'same_kind'"
            )
        shape = x.type.shape
        normalize_axis_index(self.axis, len(shape))
        found = (*shape[: self.axis], *indices.type.shape, *shape[self.axis + 1 :])
        return Apply(self, [x, indices], [TensorType(x.type.dtype, found)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Take in Python."""
        x, indices = inputs
        mode = self.mode if x.shape[self.axis] else _ENDLESS.get(self.mode, self.mode)
        output_storage[0][0] = np.asarray(np.take(x, indices, self.axis, mode=mode))  # type: ignore[call-overload]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Put the shape of the indices in the place of the axis."""
        x, indices = input_shapes
        return [(*x[: self.axis], *indices, *x[self.axis + 1 :])]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy do it."""
        x, indices = input_names
        mode = _MODES[self.mode]
        if instead := _ENDLESS.get(self.mode):
            mode = f"PyArray_DIM({x}, {self.axis}) ? {mode} : {_MODES[instead]}"
        made = f"PyArray_TakeFrom({x}, (PyObject*){indices}, {self.axis}, NULL, {mode})"
        return checked(f"opw_store(&{output_names[0]}, {made})", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class NonZero(COp):
    """Where the elements are that are not zero: for each axis a vector of numbers along it."""

    __props__ = ()
    c_float16 = True

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Of at least one dimension.

        Returns
        -------
        Apply
            An output for each axis: a vector of int64.

        Raises
        ------
        ValueError
            If `x` has no dimensions.
        """
        x = as_tensor_variable(x)
        if x.ndim == 0:
            raise ValueError(
                "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead."
            )
        return Apply(self, [x], [TensorType("int64", (None,))() for _ in range(x.ndim)])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look in Python."""
        for cell, found in zip(output_storage, np.nonzero(inputs[0])):
            cell[0] = found.copy()

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy look."""
        outs = table("opw_outs", [f"&{out}" for out in output_names], "PyArrayObject** const")
        call = f"opw_nonzero(opw_outs, {len(output_names)}, {by_value(input_names[0])})"
        return f"{{\n{outs}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (2,)


_nonzero = NonZero()


def take(x: TensorLike, indices: TensorLike, axis: int | None = None, mode: str = "raise") -> Any:
    """Take elements, or slices along an axis, by their numbers.

    Parameters
    ----------
    x : Variable or array_like
        What is taken from.
    indices : Variable or array_like
        Integers, of any shape.
    axis : int, optional
        The axis; the elements of all, last axis fastest, if left out.
    mode : {"raise", "wrap", "clip"}
        What becomes of numbers out of bounds.

    Returns
    -------
    TensorVariable
        With the shape of `indices` in the place of the axis.

    Raises
    ------
    IndexError
        In a call, if a number is out of bounds and `mode` is ``"raise"``.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.take(x, [2, 0]))([5, 6, 7])
    array([7, 5])
    """
    x = as_tensor_variable(x)
    if isinstance(indices, (list, tuple)) and not indices:  # NumPy makes floats of nothing, and takes them here
        indices = np.empty(0, np.intp)
    if axis is None:
        return Take(0, mode)(flatten(x), indices)
    return Take(normalize_axis_index(axis, x.ndim), mode)(x, indices)


def nonzero(x: TensorLike, return_matrix: bool = False) -> Any:
    """Find the elements that are not zero.

    Parameters
    ----------
    x : Variable or array_like
        Of at least one dimension.
    return_matrix : bool
        Give the vectors as the rows of a matrix.

    Returns
    -------
    tuple of TensorVariable, or TensorVariable
        For each axis a vector of int64.

    Raises
    ------
    ValueError
        If `x` has no dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.nonzero(x))([[0, 7], [8, 0]])
    [array([0, 1]), array([1, 0])]
    """
    found = tuple(_nonzero(x, return_list=True))
    if not return_matrix:
        return found
    return functions.stack(found)


def flatnonzero(x: TensorLike) -> Any:
    """Find the elements that are not zero, counted with the last axis fastest.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.

    Returns
    -------
    TensorVariable
        A vector of int64.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.flatnonzero(x))([0, 7, 0, 8])
    array([1, 3])
    """
    return nonzero(flatten(x))[0]
