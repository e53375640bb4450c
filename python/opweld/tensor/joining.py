"""Several arrays into one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from opweld.dtypes import upcast
from opweld.graph.basic import Apply
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.likes import TensorList
from opweld.tensor.manipulation import flatten
from opweld.tensor.outputs import checked, table
from opweld.tensor.permute import atleast_1d, atleast_2d, expand_dims
from opweld.tensor.type import TensorType
from opweld.tensor.views import VIEW, tensors

__all__ = ["Join", "Stack", "concatenate", "hstack", "join", "stack", "vstack"]

_C = Beside(__file__)

_UNLIKE = "all input arrays must have the same shape"


class Join(COp):
    """Arrays one after another, along an axis that they have.

    Parameters
    ----------
    axis : int
        The axis, from 0.
    """

    __props__ = ("axis",)
    c_float16 = True
    _stacks = False

    def __init__(self, axis: int) -> None:
        self.axis = int(axis)

    def make_node(self, *parts: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        *parts : Variable or array_like
            At least one; all of as many dimensions.

        Returns
        -------
        Apply
            One output, of the dtype that NumPy promotes theirs to.

        Raises
        ------
        ValueError
            If they are known not to fit.
        """
        found = tensors(parts, "join", "stack" if self._stacks else "concatenate")
        first = found[0].type
        _check_dimensions(found, self._stacks)
        normalize_axis_index(self.axis, first.ndim + self._stacks)
        dtype = first.dtype if len({x.type.dtype for x in found}) == 1 else upcast(*[x.type.dtype for x in found])
        return Apply(self, found, [TensorType(dtype, self._shape([x.type.shape for x in found]))()])

    def _shape(self, shapes: list[tuple[int | None, ...]]) -> list[int | None]:
        """What is known of the result's shape."""
        found: list[int | None] = []
        for i, sizes in enumerate(zip(*shapes)):
            if i == self.axis:
                found.append(None if None in sizes else sum(sizes))
                continue
            known = [(k, size) for k, size in enumerate(sizes) if size is not None]
            found.append(known[0][1] if known else None)
            for k, size in known:
                if size != known[0][1]:
                    raise ValueError(
                        "all the input array dimensions except for the concatenation axis must match exactly, but "
                        f"along dimension {i}, the array at index {known[0][0]} has size {known[0][1]} and the array "
                        f"at index {k} has size {size}"
                    )
        return found

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Join in Python."""
        output_storage[0][0] = np.concatenate(inputs, self.axis)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the first one's sizes, where none is a sum."""
        if node.outputs[0].type.shape[self.axis] is None:
            raise NotImplementedError
        return [tuple([node.outputs[0].type.shape[i] if i == self.axis else n
                       for i, n in enumerate(input_shapes[0])])]  # fmt: skip

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [VIEW.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Call it with the arrays as a table."""
        out = output_names[0]
        arguments = f"{len(input_names)}, {self.axis}, {int(self._stacks)}, type_num_{out}"
        call = f"opw_join(&{out}, opw_parts, {arguments})"
        return f"{{\n{table('opw_parts', input_names, 'PyArrayObject*')}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class Stack(Join):
    """Arrays of one shape, along a new axis.

    Parameters
    ----------
    axis : int
        Where the new axis stands in the result, from 0.
    """

    _stacks = True

    def _shape(self, shapes: list[tuple[int | None, ...]]) -> list[int | None]:
        """What is known of the result's shape."""
        found: list[int | None] = []
        for sizes in zip(*shapes):
            known = {size for size in sizes if size is not None}
            if len(known) > 1:
                raise ValueError(_UNLIKE)
            found.append(known.pop() if known else None)
        found.insert(self.axis, len(shapes))
        return found

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Stack in Python."""
        output_storage[0][0] = np.stack(inputs, self.axis)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the first one's sizes, and the number of arrays."""
        sizes = list(input_shapes[0])
        sizes.insert(self.axis, len(input_shapes))
        return [tuple(sizes)]


def _check_dimensions(parts: list[Any], stacks: bool) -> None:
    """Refuse arrays of different numbers of dimensions, and of none where an axis is needed."""
    ndim = parts[0].type.ndim
    for i, part in enumerate(parts):
        if part.type.ndim != ndim:
            raise ValueError(
                _UNLIKE
                if stacks
                else "all the input arrays must have same number of dimensions, but the array at index 0 has "
                f"{ndim} dimension(s) and the array at index {i} has {part.type.ndim} dimension(s)"
            )
    if ndim == 0 and not stacks:
        raise ValueError("zero-dimensional arrays cannot be concatenated")


def concatenate(arrays: TensorList, axis: int | None = 0) -> Any:
    """Join arrays along an axis that they have.

    Parameters
    ----------
    arrays : sequence of (Variable or array_like)
        At least one; of equal sizes but along `axis`.
    axis : int, optional
        The axis; None: the elements of all as a vector.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes theirs to; the only array itself.

    Raises
    ------
    ValueError
        If they do not fit; in a call, where their sizes are not known before.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.concatenate([x, y]))([1, 2], [3])
    array([1, 2, 3])
    """
    found = tensors(arrays, "concatenate", "concatenate")
    if axis is None:
        found, axis = [flatten(x) for x in found], 0
    _check_dimensions(found, False)
    axis = normalize_axis_index(axis, found[0].ndim)
    return found[0] if len(found) == 1 else Join(axis)(*found)


def join(axis: int, *arrays: Any) -> Any:
    """Join arrays along an axis that they have; see `concatenate`.

    Parameters
    ----------
    axis : int
        The axis.
    *arrays : Variable or array_like
        At least one.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.join(0, x, y))([1, 2], [3])
    array([1, 2, 3])
    """
    return concatenate(arrays, axis)


def stack(arrays: TensorList, axis: int = 0) -> Any:
    """Join arrays of one shape along a new axis.

    Parameters
    ----------
    arrays : sequence of (Variable or array_like)
        At least one.
    axis : int
        Where the new axis stands in the result.

    Returns
    -------
    TensorVariable
        Of the dtype that NumPy promotes theirs to.

    Raises
    ------
    ValueError
        If they are of different shapes; in a call, where these are not known before.

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.stack([x, y]))([1, 2], [3, 4])
    array([[1, 2],
           [3, 4]])
    """
    found = tensors(arrays, "stack", "stack")
    _check_dimensions(found, True)
    axis = normalize_axis_index(axis, found[0].ndim + 1)
    return expand_dims(found[0], axis) if len(found) == 1 else Stack(axis)(*found)


def hstack(arrays: TensorList) -> Any:
    """Join arrays along their second axis, vectors along their only one.

    Parameters
    ----------
    arrays : sequence of (Variable or array_like)
        At least one.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.hstack([x, y]))([1, 2], [3])
    array([1, 2, 3])
    """
    found = [atleast_1d(x) for x in tensors(arrays, "hstack", "concatenate")]
    return concatenate(found, 0 if found[0].ndim == 1 else 1)


def vstack(arrays: TensorList) -> Any:
    """Join arrays along their first axis; vectors are rows.

    Parameters
    ----------
    arrays : sequence of (Variable or array_like)
        At least one.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x, y = T.lvector("x"), T.lvector("y")
    >>> opweld.function([x, y], T.vstack([x, y]))([1, 2], [3, 4])
    array([[1, 2],
           [3, 4]])
    """
    return concatenate([atleast_2d(x) for x in tensors(arrays, "vstack", "concatenate")], 0)
