"""The same elements in other shapes: reshape and broadcast."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any

import numpy as np

from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Sizes, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked, integer_in, table
from opweld.tensor.type import TensorType
from opweld.tensor.views import VIEW, integer, known, shape_text, sizes_of

__all__ = [
    "BroadcastTo",
    "Reshape",
    "broadcast_to",
    "flatten",
    "ravel",
    "reshape",
]

_C = Beside(__file__)


class Reshape(COp):
    """The same elements in another shape: a view where NumPy makes one, else a copy.

    Parameters
    ----------
    ndim : int
        The number of dimensions of the result.
    """

    __props__ = ("ndim",)
    c_float16 = True
    view_map = {0: [0]}

    def __init__(self, ndim: int) -> None:
        self.ndim = int(ndim)

    def make_node(self, x: TensorLike, *shape: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Whose elements.
        *shape : Variable or int
            The sizes, of which one may be -1; or one vector of all.

        Returns
        -------
        Apply
            One output of the same dtype.
        """
        x = as_tensor_variable(x)
        if len(shape) == 1 and getattr(getattr(shape[0], "type", None), "ndim", 0) == 1:
            vector = shape[0]
            if vector.type.numpy_dtype.kind not in "iu" or vector.type.shape[0] not in (None, self.ndim):
                raise TypeError(f"{self}: expected {self.ndim} integers, got {vector} of type {vector.type}")
            return Apply(self, [x, vector], [TensorType(x.type.dtype, (None,) * self.ndim)()])
        sizes = sizes_of("reshape", shape)
        if len(sizes) != self.ndim:
            raise TypeError(f"{self}: expected {self.ndim} sizes, got {len(sizes)}")
        return Apply(self, [x, *sizes], [TensorType(x.type.dtype, _reshaped(x, [known(size) for size in sizes]))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Reshape in Python."""
        x, *sizes = inputs
        whole = len(sizes) == 1 and sizes[0].ndim == 1
        if whole and len(sizes[0]) != self.ndim:
            raise ValueError(f"reshape: expected a shape of {self.ndim} sizes, got {len(sizes[0])}")
        output_storage[0][0] = x.reshape(tuple([int(size) for size in (sizes[0] if whole else sizes)]))

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), VIEW.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy find out whether a view will do."""
        x, *sizes = input_names
        fits, entries = "", map(integer_in, sizes)
        if len(sizes) == 1 and node.inputs[1].type.ndim == 1:
            fits = checked(f"opw_as_many({by_value(sizes[0])}, {self.ndim})", sub["fail"])
            at = f"(npy_intp)*(dtype_{sizes[0]}*)PyArray_GETPTR1({sizes[0]}"
            entries = map(f"{at}, {{}})".format, range(self.ndim))
        call = f"opw_reshape(&{output_names[0]}, {by_value(x)}, {self.ndim}, opw_sizes)"
        return f"{fits}{{\n{table('opw_sizes', entries)}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def _reshaped(x: Any, sizes: list[int | None]) -> list[int | None]:
    """What is known of the sizes after a reshape."""
    if None in sizes:
        return [None if size is None or size < 0 else size for size in sizes]
    have = x.type.shape
    rest = prod([size for size in sizes if size >= 0])  # type: ignore[operator,misc]
    total = None if None in have or not rest else prod(have) // rest
    return [total if size < 0 else size for size in sizes]  # type: ignore[operator]


class BroadcastTo(COp):
    """A read-only view of a larger shape, whose elements share memory."""

    __props__ = ()
    c_float16 = True
    view_map = {0: [0]}
    overlaps = True

    def make_node(self, x: TensorLike, *shape: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is viewed.
        *shape : Variable or int
            The sizes.

        Returns
        -------
        Apply
            One output of the same dtype.

        Raises
        ------
        ValueError
            If there are fewer sizes than dimensions.
        """
        x = as_tensor_variable(x)
        sizes = sizes_of("broadcast_to", shape)
        have = x.type.shape
        if len(have) > len(sizes):
            raise ValueError("input operand has more dimensions than allowed by the axis remapping")
        found = [known(size) for size in sizes]
        lead = len(sizes) - len(have)
        for i, size in enumerate(have):
            if found[lead + i] is None and size != 1:
                found[lead + i] = size
        return Apply(
            self, [x, *sizes], [TensorType(x.type.dtype, [None if n is not None and n < 0 else n for n in found])()]
        )

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """View in Python."""
        x, *sizes = inputs
        output_storage[0][0] = np.broadcast_to(x, tuple([int(size) for size in sizes]))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes."""
        return [tuple(node.inputs[1:])]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), VIEW.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Call it with the sizes as a table."""
        x, *sizes = input_names
        call = f"opw_store(&{output_names[0]}, (PyObject*)opw_broadcast_to({by_value(x)}, {len(sizes)}, opw_sizes))"
        return f"{{\n{table('opw_sizes', map(integer_in, sizes))}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


_broadcast_to = BroadcastTo()


def reshape(x: TensorLike, shape: Sizes, ndim: int | None = None) -> Any:
    """Give the elements of `x`, last axis fastest, another shape.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    shape : int, Variable, sequence of (int or Variable), or a vector of integers
        The sizes. One of them may be -1: it is what remains.
    ndim : int, optional
        The number of dimensions of the result; needed where `shape` is a vector of unknown length.

    Returns
    -------
    TensorVariable
        A view where NumPy makes one.

    Raises
    ------
    ValueError
        If the sizes do not fit; in a call, where they are not known before.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.reshape(x, (2, 2)))([1, 2, 3, 4])
    array([[1, 2],
           [3, 4]])
    """
    x = as_tensor_variable(x)
    if isinstance(shape, Variable) and getattr(shape.type, "ndim", 0) == 1:
        length = shape.type.shape[0] if ndim is None else ndim
        if length is None:
            raise TypeError(f"reshape: the length of {shape} is not known; pass ndim=")
        return Reshape(length)(x, shape)
    sizes = sizes_of("reshape", shape)
    if ndim is not None and ndim != len(sizes):
        raise ValueError(f"reshape: ndim is {ndim}, and there are {len(sizes)} sizes")
    _check_sizes(x.type.shape, [known(size) for size in sizes])
    return Reshape(len(sizes))(x, *sizes)


def _check_sizes(have: tuple[int | None, ...], sizes: list[int | None]) -> None:
    """Refuse sizes that are known to be wrong."""
    if None in sizes:
        return
    negative = [size for size in sizes if size < 0]  # type: ignore[operator]
    if len(negative) > 1:
        raise ValueError("can only specify one unknown dimension")
    if None in have:
        return
    total, wanted = prod(have), prod([size for size in sizes if size >= 0])  # type: ignore[arg-type,operator,misc]
    if (total % wanted if wanted else True) if negative else total != wanted:
        raise ValueError(f"cannot reshape array of size {total} into shape {shape_text(sizes)}")


def flatten(x: TensorLike, ndim: int = 1) -> Any:
    """Join the last dimensions of `x` into one, last axis fastest.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.
    ndim : int
        How many are left.

    Returns
    -------
    TensorVariable
        `x` itself where it has as many.

    Raises
    ------
    ValueError
        If `x` has fewer, and not none.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.flatten(x))([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    x = as_tensor_variable(x)
    if ndim < 1 or ndim > max(x.ndim, 1):
        raise ValueError(f"flatten: ndim is {ndim}, and {x} has {x.ndim} dimensions")
    if x.ndim == ndim:
        return x
    if ndim == 1:
        return Reshape(1)(x, integer(-1))
    sizes = [functions.shape_i(x, i) if size is None else integer(size) for i, size in enumerate(x.type.shape)]
    rest: Any = x.type.shape[ndim - 1 :]  # -1 would not do: beside a size 0 it could be any
    last = reduce(functions.multiply, sizes[ndim - 1 :]) if None in rest else integer(prod(rest))
    return Reshape(ndim)(x, *sizes[: ndim - 1], last)


def ravel(x: TensorLike) -> Any:
    """Join all dimensions of `x` into one, last axis fastest.

    Parameters
    ----------
    x : Variable or array_like
        Of any number of dimensions.

    Returns
    -------
    TensorVariable
        `x` itself where it is a vector.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.ravel(x))([[1, 2], [3, 4]])
    array([1, 2, 3, 4])
    """
    return flatten(x)


def broadcast_to(x: TensorLike, shape: Sizes) -> Any:
    """View `x` as if it were of another shape.

    Parameters
    ----------
    x : Variable or array_like
        Its sizes are those of `shape`, at the end, or 1.
    shape : int, Variable, or sequence of (int or Variable)
        The sizes.

    Returns
    -------
    TensorVariable
        Read-only, with elements that share memory.

    Raises
    ------
    ValueError
        If `x` has more dimensions; in a call, if a size does not fit.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.broadcast_to(x, (2, 3)))([1, 2, 3])
    array([[1, 2, 3],
           [1, 2, 3]])
    """
    return _broadcast_to(x, *sizes_of("broadcast_to", shape))
