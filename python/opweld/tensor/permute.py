"""Axes that move, appear and go: one op, `DimShuffle`, and what NumPy and PyTensor call its uses."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.tensor.axis import many_axes
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Axes, Places, TensorLike
from opweld.tensor.type import TensorType

if TYPE_CHECKING:
    from opweld.schema import AccessFields

__all__ = [
    "DimShuffle",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "dimshuffle",
    "expand_dims",
    "moveaxis",
    "squeeze",
    "swapaxes",
    "transpose",
]

_SQUEEZE = "cannot select an axis to squeeze out which has size not equal to one"


class DimShuffle(Op):
    """A view with other axes: in another order, with new ones of size 1, without some of size 1.

    Parameters
    ----------
    new_order : sequence of (int or 'x')
        For each axis of the result the axis of the input, or ``'x'`` for a new one. Axes of the input that do not occur
        go; they must be of size 1.
    """

    __props__ = ("new_order",)
    view_map = {0: [0]}

    def __init__(self, new_order: Any) -> None:
        self.new_order: tuple[int | str, ...] = tuple(["x" if i == "x" else int(i) for i in new_order])
        given = [i for i in self.new_order if i != "x"]
        if len(set(given)) != len(given) or any(isinstance(i, int) and i < 0 for i in given):
            raise ValueError(f"DimShuffle: each axis at most once, from 0, or 'x': got {self.new_order}")

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is viewed.

        Returns
        -------
        Apply
            One output of the same dtype.

        Raises
        ------
        ValueError
            If an axis does not exist, or one that goes is known to be of another size than 1.
        """
        x = as_tensor_variable(x)
        shape = x.type.shape
        for i in self.new_order:
            if i != "x" and i >= len(shape):  # type: ignore[operator]
                raise ValueError(f"{self}: {x} has {len(shape)} dimensions")
        for i, size in enumerate(shape):
            if size != 1 and size is not None and i not in self.new_order:
                raise ValueError(_SQUEEZE)
        sizes = [shape[i] if isinstance(i, int) else 1 for i in self.new_order]
        return Apply(self, [x], [TensorType(x.type.dtype, sizes)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """View in Python."""
        x = inputs[0]
        axes = [i for i in self.new_order if i != "x"]
        gone = [i for i in range(x.ndim) if i not in axes]
        moved = x.transpose([*gone, *axes]).squeeze(tuple(range(len(gone))))
        output_storage[0][0] = np.expand_dims(moved, tuple([n for n, i in enumerate(self.new_order) if i == "x"]))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Move the sizes."""
        return [tuple([1 if i == "x" else input_shapes[0][i] for i in self.new_order])]

    def structure(self, node: Apply) -> dict[str, AccessFields]:
        """Give the view as data, for the engine (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict
            Under ``view``.
        """
        axes = [i for i in self.new_order if isinstance(i, int)]
        new = [place for place, i in enumerate(self.new_order) if i == "x"]
        return {"view": {"axes": axes, "new": new, "cuts": []}}

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of what `structure` says."""
        return (1,)


_shuffled = lru_cache(maxsize=1024)(DimShuffle)


def dimshuffle(x: TensorLike, *pattern: Any) -> Any:
    """View `x` with other axes.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    *pattern : int or 'x', or one sequence of them
        For each axis of the result the axis of `x`, or ``'x'`` for a new one of size 1. Axes that do not occur go; they
        must be of size 1.

    Returns
    -------
    TensorVariable
        `x` itself where nothing changes.

    Raises
    ------
    ValueError
        If an axis does not exist or occurs twice; in a call, if one that goes is not of size 1.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.dimshuffle(x, ("x", 0)))([1, 2])
    array([[1, 2]])
    """
    x = as_tensor_variable(x)
    if len(pattern) == 1 and isinstance(pattern[0], (list, tuple)):
        pattern = tuple(pattern[0])
    order: list[Any] = ["x" if isinstance(i, str) and i == "x" else normalize_axis_index(i, x.ndim) for i in pattern]
    if order == list(range(x.ndim)):
        return x
    return _shuffled(tuple(order))(x)


def transpose(x: TensorLike, axes: Any = None) -> Any:
    """View `x` with its axes in another order.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    axes : sequence of int, optional
        The order; reversed if left out.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If `axes` is no order of the axes of `x`.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.transpose(x))([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor_variable(x)
    if axes is None:
        return dimshuffle(x, *range(x.ndim - 1, -1, -1))
    order = [axes] if hasattr(axes, "__index__") else list(axes)
    if len(order) != x.ndim:
        raise ValueError("axes don't match array")
    order = [normalize_axis_index(i, x.ndim) for i in order]
    if len(set(order)) != len(order):
        raise ValueError("repeated axis in transpose")
    return dimshuffle(x, *order)


def swapaxes(x: TensorLike, axis1: int, axis2: int) -> Any:
    """View `x` with two axes exchanged.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    axis1, axis2 : int
        The axes.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.swapaxes(x, 0, 1))([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor_variable(x)
    one, other = normalize_axis_index(axis1, x.ndim, "axis1"), normalize_axis_index(axis2, x.ndim, "axis2")
    order = list(range(x.ndim))
    order[one], order[other] = other, one
    return dimshuffle(x, *order)


def moveaxis(x: TensorLike, source: Places, destination: Places) -> Any:
    """View `x` with axes moved to other places.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    source, destination : int or sequence of int
        Which axes, and where to.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.moveaxis(x, 0, 1))([[1, 2], [3, 4]])
    array([[1, 3],
           [2, 4]])
    """
    x = as_tensor_variable(x)
    from_ = normalize_axis_tuple(source, x.ndim, "source")
    to = normalize_axis_tuple(destination, x.ndim, "destination")
    if len(from_) != len(to):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [i for i in range(x.ndim) if i not in from_]
    for place, axis in sorted(zip(to, from_)):
        order.insert(place, axis)
    return dimshuffle(x, *order)


def expand_dims(x: TensorLike, axis: Places) -> Any:
    """View `x` with new axes of size 1.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    axis : int or sequence of int
        Where they stand in the result.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.expand_dims(x, 1))([1, 2])
    array([[1],
           [2]])
    """
    x = as_tensor_variable(x)
    count = 1 if hasattr(axis, "__index__") else len(axis)
    new = normalize_axis_tuple(axis, x.ndim + count)
    old = iter(range(x.ndim))
    return dimshuffle(x, *["x" if i in new else next(old) for i in range(x.ndim + count)])


def squeeze(x: TensorLike, axis: Axes = None) -> Any:
    """View `x` without axes of size 1.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    axis : int or sequence of int, optional
        Which; if left out those that are known to be of size 1 before a call.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If one of them is not of size 1; in a call, where that is not known before.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.squeeze(T.specify_shape(x, (1, None))))([[1, 2, 3]])
    array([1, 2, 3])
    """
    x = as_tensor_variable(x)
    if axis is None:
        gone: Any = [i for i, size in enumerate(x.type.shape) if size == 1]
    else:
        gone = many_axes(axis, x.ndim)
    return dimshuffle(x, *[i for i in range(x.ndim) if i not in gone])


def atleast_1d(x: TensorLike) -> Any:
    """View `x` with one dimension at least.

    Parameters
    ----------
    x : Variable or array_like
        What is viewed.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.dscalar("x")
    >>> opweld.function([x], T.atleast_1d(x))(3.0)
    array([3.])
    """
    x = as_tensor_variable(x)
    return dimshuffle(x, "x") if x.ndim == 0 else x


def atleast_2d(x: TensorLike) -> Any:
    """View `x` with two dimensions at least; new axes come first.

    Parameters
    ----------
    x : Variable or array_like
        What is viewed.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.atleast_2d(x))([1, 2])
    array([[1, 2]])
    """
    x = as_tensor_variable(x)
    return x if x.ndim >= 2 else dimshuffle(x, *["x"] * (2 - x.ndim), *range(x.ndim))


def atleast_3d(x: TensorLike) -> Any:
    """View `x` with three dimensions at least, as NumPy does: of a vector the middle one, of a matrix the first two.

    Parameters
    ----------
    x : Variable or array_like
        What is viewed.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.atleast_3d(x).shape)([1, 2])
    array([1, 2, 1])
    """
    x = as_tensor_variable(x)
    orders: dict[int, tuple[Any, ...]] = {0: ("x", "x", "x"), 1: ("x", 0, "x"), 2: (0, 1, "x")}
    return dimshuffle(x, *orders[x.ndim]) if x.ndim < 3 else x
