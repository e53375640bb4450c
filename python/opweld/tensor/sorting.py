"""Sorted arrays, and the order that sorts them, by NumPy's own C."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Axes, TensorLike
from opweld.tensor.outputs import OUTPUTS, checked, table
from opweld.tensor.type import TensorType

__all__ = ["ArgSort", "Sort", "argsort", "sort"]

_C_KIND = {"quicksort": "NPY_QUICKSORT", "heapsort": "NPY_HEAPSORT", "stable": "NPY_STABLESORT"}
_KINDS = {"q": "quicksort", "h": "heapsort", "m": "stable", "s": "stable"}  # NumPy reads the first letter


class _Sorting(COp):
    """What both ops have alike.

    Parameters
    ----------
    axis : int or None
        None: the array is flattened.
    kind : str, optional
        ``"quicksort"``, ``"heapsort"``, ``"mergesort"`` or ``"stable"``; the first if left out.
    """

    __props__ = ("axis", "kind")
    c_float16 = True

    def __init__(self, axis: int | None = -1, kind: str | None = None) -> None:
        self.axis = axis
        self.kind: Any = _kind(kind)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the input's shape, where it is not flattened."""
        ndim = node.inputs[0].type.ndim
        return [input_shapes[0] if node.outputs[0].type.ndim == ndim else None]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class Sort(_Sorting):
    """A sorted copy; NaN comes last."""

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What to sort.

        Returns
        -------
        Apply
            One output of the input's dtype.

        Raises
        ------
        numpy.exceptions.AxisError
            If there is no such axis.
        """
        x = as_tensor_variable(x)
        shape = x.type.shape
        if self.axis is None:
            shape = _flat(shape)
        else:
            one_axis(self.axis, len(shape))
        return Apply(self, [x], [TensorType(x.type.dtype, shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Sort in Python."""
        output_storage[0][0] = np.sort(inputs[0], axis=self.axis, kind=self.kind)

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Copy into the storage, and let NumPy sort there."""
        x, out, fail = input_names[0], output_names[0], sub["fail"]
        ndim = node.inputs[0].type.ndim
        flat = self.axis is None
        sizes = [f"PyArray_SIZE({x})"] if flat else [f"PyArray_DIM({x}, {i})" for i in range(ndim)]
        calls = (
            f"opw_allocate(&{out}, {len(sizes)}, opw_sizes, type_num_{out})",
            f"PyArray_CopyAnyInto({out}, {x})",
            f"PyArray_Sort({out}, {0 if self.axis is None else self.axis % ndim}, {_C_KIND[self.kind]})",
        )
        return f"{{\n{table('opw_sizes', sizes)}{''.join([checked(call, fail) for call in calls])}}}\n"


class ArgSort(_Sorting):
    """The positions along the axis in the order that sorts the array."""

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What to sort; without dimensions it counts as a vector of one element.

        Returns
        -------
        Apply
            One output of int64.

        Raises
        ------
        numpy.exceptions.AxisError
            If there is no such axis.
        """
        x = as_tensor_variable(x)
        shape = x.type.shape
        if self.axis is not None:
            one_axis(self.axis, max(len(shape), 1))
        return Apply(self, [x], [TensorType(np.intp, _flat(shape) if self.axis is None or not shape else shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Sort in Python."""
        output_storage[0][0] = np.argsort(inputs[0], axis=self.axis, kind=self.kind)

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy make the order."""
        axis = "NPY_RAVEL_AXIS" if self.axis is None else self.axis
        made = f"PyArray_ArgSort({input_names[0]}, {axis}, {_C_KIND[self.kind]})"
        return checked(f"opw_store(&{output_names[0]}, {made})", sub["fail"])


def _kind(kind: object) -> str:
    if kind is None:
        return "quicksort"
    if not isinstance(kind, str):
        raise TypeError(f"sort kind must be str, not {type(kind).__name__}")
    found = _KINDS.get(kind[:1].lower())
    if found is None:
        raise ValueError(f"sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})")
    return found


def _flat(shape: tuple[int | None, ...]) -> tuple[int | None]:
    """The shape of the array flattened."""
    size = 1
    for known in shape:
        if known is None:
            return (None,)
        size *= known
    return (size,)


def _of_function(x: TensorLike, axis: Axes, kind: object, stable: object, least: int) -> tuple[Any, int | None, Any]:
    """The arguments of `sort` and `argsort`, checked; `least`: of how many dimensions the array counts at least."""
    x = as_tensor_variable(x)
    if stable is not None:
        if kind is not None:
            raise ValueError("`kind` and keyword parameters can't be provided at the same time. Use only one of them.")
        kind = "stable" if stable else None
    return x, None if axis is None else one_axis(axis, max(x.ndim, least)), kind


def sort(x: TensorLike, axis: Axes = -1, kind: str | None = None, *, stable: bool | None = None) -> Any:
    """Sort as ``numpy.sort`` does.

    Parameters
    ----------
    x : Variable or array_like
        What to sort. NaN comes last; complex numbers are ordered by real part, then imaginary part.
    axis : int or None
        None: the array is flattened.
    kind : {"quicksort", "heapsort", "mergesort", "stable"}, optional
        How.
    stable : bool, optional
        Instead of `kind`.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.sort(x))([3, 1, 2])
    array([1, 2, 3])
    """
    x, axis, kind = _of_function(x, axis, kind, stable, 0)
    return Sort(axis, kind)(x)


def argsort(x: TensorLike, axis: Axes = -1, kind: str | None = None, *, stable: bool | None = None) -> Any:
    """Give the order that sorts, as ``numpy.argsort`` does.

    Parameters
    ----------
    x, axis, kind, stable
        As for `sort`.

    Returns
    -------
    TensorVariable
        Of int64.

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.argsort(x))([3, 9, 4])
    array([0, 2, 1])
    """
    x, axis, kind = _of_function(x, axis, kind, stable, 1)
    return ArgSort(axis, kind)(x)
