"""Arrays made from sizes, and what is known of values before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.errors import _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.hooks.classes import COp
from opweld.hooks.copying import DeepCopyOp, ViewOp
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.likes import DType, Sizes, TensorLike
from opweld.tensor.outputs import OUTPUTS, by_value, checked, integer_in, table
from opweld.tensor.shapes import Shape_i, shape_i
from opweld.tensor.type import TensorType

__all__ = [
    "Alloc",
    "EmptyConstantError",
    "MakeVector",
    "NotScalarConstantError",
    "alloc",
    "get_scalar_constant_value",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]

_C = Beside(__file__)

_FOLDED = 1 << 16  # elements: a larger constant costs more than the call that fills it


class NotScalarConstantError(Exception):
    """A variable is not known to hold one number throughout."""


class EmptyConstantError(NotScalarConstantError):
    """A constant holds no number at all."""


class Alloc(COp):
    """A new array of given sizes, filled with a value that is broadcast to them."""

    __props__ = ()
    c_float16 = True

    def make_node(self, value: TensorLike, *shape: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        value : Variable or array_like
            What the array is filled with.
        *shape : Variable or int
            The sizes.

        Returns
        -------
        Apply
            One output of the value's dtype.

        Raises
        ------
        TypeError
            If a size is not an integer, or there are fewer sizes than the value has dimensions.
        """
        value = as_tensor_variable(value)
        sizes = [_size(size, position) for position, size in enumerate(shape)]
        if value.ndim > len(sizes):
            raise TypeError(f"alloc: a value of {value.ndim} dimensions does not fit into {len(sizes)}")
        known = tuple([int(size.data) if isinstance(size, Constant) else None for size in sizes])
        for position, number in enumerate(known):
            if number is not None and number < 0:
                raise ValueError(f"alloc: size {position} is negative: {number}")
        return Apply(self, [value, *sizes], [TensorType(value.dtype, known)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Fill in Python."""
        value, *sizes = inputs
        made = np.empty([int(size) for size in sizes], value.dtype)
        made[...] = value
        output_storage[0][0] = made

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes."""
        return [tuple(node.inputs[1:])]

    def do_constant_folding(self, fgraph: FunctionGraph, node: Apply) -> bool:
        """Say whether the array is best made once: not where it is only returned, nor where it is large."""
        if all(reader == "output" for reader, _ in fgraph.clients[node.outputs[0]]):
            return False
        size = 1
        for known in node.outputs[0].type.shape:
            size *= _FOLDED + 1 if known is None else known
        return size <= _FOLDED

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Keep storage of the right shape, and let NumPy broadcast into it."""
        value, *sizes = input_names
        out = output_names[0]
        call = f"opw_alloc(&{out}, {by_value(value)}, {len(sizes)}, opw_shape, type_num_{out})"
        return f"{{\n{table('opw_shape', map(integer_in, sizes))}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class MakeVector(COp):
    """A vector of the numbers given.

    Parameters
    ----------
    dtype : str
        Their dtype.
    """

    __props__ = ("dtype",)
    c_float16 = True

    def __init__(self, dtype: str = "int64") -> None:
        self.dtype = dtype

    def make_node(self, *entries: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        *entries : Variable or number
            Without dimensions, of the op's dtype.

        Returns
        -------
        Apply
            One output: a vector.
        """
        found: list[Any] = [
            as_tensor_variable(x) if isinstance(x, Variable) else constant(x, dtype=self.dtype) for x in entries
        ]
        for position, entry in enumerate(found):
            if entry.ndim != 0 or entry.dtype != self.dtype:
                raise TypeError(f"{self}: entry {position} must be a {self.dtype} without dimensions, got {entry.type}")
        return Apply(self, found, [TensorType(self.dtype, (len(found),))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Join in Python."""
        output_storage[0][0] = np.array([x[()] for x in inputs], self.dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the number of entries."""
        return [(len(node.inputs),)]

    def do_constant_folding(self, fgraph: FunctionGraph, node: Apply) -> bool:
        """Say yes: it is small."""
        return True

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write the entries one by one."""
        out = output_names[0]
        entries = "".join(
            f"*(dtype_{out}*)PyArray_GETPTR1({out}, {i}) = *(dtype_{x}*)PyArray_DATA({x});\n"
            for i, x in enumerate(input_names)
        )
        return checked(f"opw_vector(&{out}, {len(input_names)}, type_num_{out})", sub["fail"]) + entries

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def _size(size: object, position: int) -> Any:
    """A size as a variable."""
    if not isinstance(size, Variable):
        if isinstance(size, (bool, np.bool_)) or not hasattr(size, "__index__"):
            raise TypeError(f"alloc: size {position} must be an integer or a variable, got {_what(size)}")
        return constant(np.int64(size.__index__()))
    if not isinstance(size.type, TensorType) or size.type.ndim != 0 or np.dtype(size.type.dtype).kind not in "iu":
        raise TypeError(f"alloc: size {position} must be an integer without dimensions, got {size} of type {size.type}")
    return size


_alloc = Alloc()


def alloc(value: TensorLike, *shape: Any) -> Any:
    """Make an array filled with a value.

    Parameters
    ----------
    value : Variable or array_like
        Broadcast to the shape.
    *shape : Variable or int
        The sizes.

    Returns
    -------
    TensorVariable
        Of the value's dtype.

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.alloc(1.5, 2, x))(3)
    array([[1.5, 1.5, 1.5],
           [1.5, 1.5, 1.5]])
    """
    return _alloc(value, *shape)


def _filled(value: int, shape: Sizes, dtype: DType) -> Any:
    if hasattr(type(dtype), "__index__"):
        name = ("zeros", "ones")[value]
        raise TypeError(
            f"T.{name}({shape}, {dtype}): the second argument is the dtype; write T.{name}(({shape}, {dtype}))"
        )
    if isinstance(shape, Variable):
        if getattr(shape.type, "ndim", None) != 0:
            raise TypeError(f"the shape must be a list of sizes, got {shape} of type {shape.type}; pass [size, ...]")
        sizes: Any = [shape]
    else:
        sizes = [shape] if hasattr(shape, "__index__") else list(shape)
    return alloc(constant(np.array(value, dtype_of("floatX" if dtype is None else dtype).np)), *sizes)


def zeros(shape: Sizes, dtype: DType = None) -> Any:
    """Make an array of zeros.

    Parameters
    ----------
    shape : sequence of (int or Variable), or one
        The sizes.
    dtype : str or numpy.dtype, optional
        ``config.floatX`` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.zeros((2, x)))(3)
    array([[0., 0., 0.],
           [0., 0., 0.]])
    """
    return _filled(0, shape, dtype)


def ones(shape: Sizes, dtype: DType = None) -> Any:
    """Make an array of ones.

    Parameters
    ----------
    shape, dtype
        As for `zeros`.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.ones((2, x)))(3)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    return _filled(1, shape, dtype)


def zeros_like(x: TensorLike, dtype: DType = None) -> Any:
    """Make an array of zeros of the shape of another.

    Parameters
    ----------
    x : Variable or array_like
        Whose shape.
    dtype : str or numpy.dtype, optional
        That of `x` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.zeros_like(x))([5, 6])
    array([0, 0])
    """
    return _filled_like(0, x, dtype)


def ones_like(x: TensorLike, dtype: DType = None) -> Any:
    """Make an array of ones of the shape of another.

    Parameters
    ----------
    x, dtype
        As for `zeros_like`.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.ones_like(x))([5, 6])
    array([1, 1])
    """
    return _filled_like(1, x, dtype)


def _filled_like(value: int, x: TensorLike, dtype: DType) -> Any:
    x = as_tensor_variable(x)
    known: Any = x.type.shape
    sizes = [shape_i(x, i) if known[i] is None else known[i] for i in range(x.ndim)]
    return _filled(value, sizes, x.dtype if dtype is None else dtype)


def get_scalar_constant_value(v: TensorLike) -> Any:
    """Find the one number that a variable is known to hold throughout.

    It is known of numbers, of constants whose elements are equal, and of arrays that are filled with, or are copies or
    views of, such a value.

    Parameters
    ----------
    v : Variable or array_like
        What to look at.

    Returns
    -------
    numpy.ndarray
        Without dimensions.

    Raises
    ------
    NotScalarConstantError
        If it is not known.

    Examples
    --------
    >>> T.get_scalar_constant_value(T.constant(3.0))
    array(3.)
    """
    while isinstance(v, Variable):
        node = v.owner
        if isinstance(v, Constant):
            v = v.data
        elif node is not None and isinstance(node.op, (Alloc, DeepCopyOp, ViewOp)):
            v = node.inputs[0]
        elif node is not None and isinstance(node.op, Shape_i):
            sizes = getattr(node.inputs[0].type, "shape", ())
            if node.op.i >= len(sizes) or sizes[node.op.i] is None:
                raise NotScalarConstantError(f"{v} is not known before a call")
            v = sizes[node.op.i]
        else:
            raise NotScalarConstantError(f"{v} is not known to be constant")
    try:
        array = np.asarray(v)
    except (TypeError, ValueError):
        raise NotScalarConstantError(f"{_what(v)} is no number") from None
    if array.dtype.kind not in "biufc":
        raise NotScalarConstantError(f"{_what(v)} is no number")
    if array.size == 0:
        raise EmptyConstantError("the constant has no element")
    first = array[(0,) * array.ndim]
    if array.size > 1 and not np.all(array == first):
        raise NotScalarConstantError("the constant holds different numbers")
    return np.array(first)
