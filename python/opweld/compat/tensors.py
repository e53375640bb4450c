"""Functions of tensors that Theano, Aesara and PyTensor have, and NumPy has under another name or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from operator import mul
from typing import Any, cast

from opweld.dtypes import PREFIXES
from opweld.tensor.convert import as_tensor_variable, constructor
from opweld.tensor.diagonals import diag
from opweld.tensor.joining import stack
from opweld.tensor.likes import Sizes, TensorLike
from opweld.tensor.linalg import dot, matmul
from opweld.tensor.manipulation import reshape
from opweld.tensor.ofnumpy import inv
from opweld.tensor.selection import nonzero
from opweld.tensor.specify import specify_shape
from opweld.tensor.variable import TensorVariable
from opweld.tensor.views import sizes_of

__all__ = [
    "addbroadcast", "batched_dot", "ceil_intdiv", "extract_diag", "join_dims", "matrix_dot", "matrix_inverse",
    "nonzero_values",
    "patternbroadcast", "several", "shape_padaxis", "shape_padleft", "shape_padright", "split_dims", "stacklists",
    "unbroadcast",
]  # fmt: skip

matrix_inverse = inv
extract_diag = diag


def _sized(x: TensorVariable, ones: set[int]) -> TensorVariable:
    known = [1 if axis in ones else None for axis in range(x.type.ndim)]
    return x if all(x.type.shape[axis] == 1 for axis in ones) else specify_shape(x, known)


def addbroadcast(x: TensorLike, *axes: int) -> TensorVariable:
    """Say that sizes are 1.

    Parameters
    ----------
    x : Variable or array_like
        Any shape.
    *axes : int
        Those of size 1; another size is an error when the function is called.

    Returns
    -------
    TensorVariable
        Of the same values.
    """
    x = as_tensor_variable(x)
    return _sized(x, {axis % x.type.ndim for axis in axes})


def unbroadcast(x: TensorLike, *axes: int) -> TensorVariable:
    """Give the variable itself: a size that turns out 1 in a call is stretched whatever its type knows."""
    return as_tensor_variable(x)


def patternbroadcast(x: TensorLike, broadcastable: Iterable[bool]) -> TensorVariable:
    """Say which sizes are 1, as `addbroadcast` does.

    Parameters
    ----------
    x : Variable or array_like
        Any shape.
    broadcastable : sequence of bool
        One for each dimension.

    Returns
    -------
    TensorVariable
    """
    x = as_tensor_variable(x)
    return _sized(x, {axis for axis, one in enumerate(broadcastable) if one})


def shape_padleft(t: TensorLike, n_ones: int = 1) -> TensorVariable:
    """Give the tensor `n_ones` new dimensions of size 1 before its own."""
    t = as_tensor_variable(t)
    return t.dimshuffle(*["x"] * n_ones, *range(t.type.ndim))


def shape_padright(t: TensorLike, n_ones: int = 1) -> TensorVariable:
    """Give the tensor `n_ones` new dimensions of size 1 behind its own."""
    t = as_tensor_variable(t)
    return t.dimshuffle(*range(t.type.ndim), *["x"] * n_ones)


def shape_padaxis(t: TensorLike, axis: int) -> TensorVariable:
    """Give the tensor a new dimension of size 1 at a place.

    Raises
    ------
    IndexError
        If there is no such place.
    """
    t = as_tensor_variable(t)
    ndim = t.type.ndim + 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis {axis} is out of range [-{ndim}, {ndim})")
    order: list[Any] = list(range(t.type.ndim))
    order.insert(axis % ndim, "x")
    return t.dimshuffle(*order)


def join_dims(x: TensorLike, start_axis: int = 0, n_axes: int | None = None) -> TensorVariable:
    """Make one dimension of several that follow each other.

    Parameters
    ----------
    x : Variable or array_like
        Any shape.
    start_axis : int
        The first of them.
    n_axes : int, optional
        How many; left out: all from there on. Of none a dimension of size 1 is made.

    Returns
    -------
    TensorVariable

    Raises
    ------
    IndexError
        If there are no such dimensions.
    """
    x = as_tensor_variable(x)
    ndim = x.type.ndim
    first = start_axis + max(1, ndim) if start_axis < 0 else start_axis
    end = ndim if n_axes is None else first + n_axes
    if not 0 <= first <= end <= ndim:
        raise IndexError(f"join_dims: axes {first} to {end} are out of bounds for {x.type}")
    sizes = [x.shape[axis] if size is None else size for axis, size in enumerate(x.type.shape)]
    joined = reduce(mul, sizes[first:end], 1)
    made: TensorVariable = reshape(x, [*sizes[:first], joined, *sizes[end:]])
    return made


def split_dims(x: TensorLike, shape: Sizes, axis: int = 0) -> TensorVariable:
    """Make several dimensions of one.

    Parameters
    ----------
    x : Variable or array_like
        Any shape.
    shape : int, Variable, sequence of (int or Variable), or a vector of integers of known length
        The sizes, of which one may be -1.
    axis : int
        Which dimension.

    Returns
    -------
    TensorVariable

    Raises
    ------
    IndexError
        If there is no such dimension.
    """
    x = as_tensor_variable(x)
    ndim = x.type.ndim
    if not -ndim <= axis < ndim:
        raise IndexError(f"split_dims: axis {axis} is out of bounds for {x.type}")
    axis %= ndim
    sizes = [x.shape[i] if size is None else size for i, size in enumerate(x.type.shape)]
    made: TensorVariable = reshape(x, [*sizes[:axis], *sizes_of("split_dims", _each(shape)), *sizes[axis + 1 :]])
    return made


def _each(shape: Sizes) -> Sizes:
    """The sizes of a vector of known length, one by one."""
    if isinstance(shape, TensorVariable) and shape.type.ndim == 1 and shape.type.shape[0] is not None:
        return [shape[i] for i in range(shape.type.shape[0])]
    return shape


def ceil_intdiv(a: TensorLike, b: TensorLike) -> TensorVariable:
    """Divide integers, rounding up."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    found: TensorVariable = a // b + (a % b).astype("bool").astype(a.dtype)
    return found


def stacklists(tensors: TensorLike | Sequence[object]) -> TensorVariable:
    """Make one tensor of nested lists of tensors of one shape."""
    if isinstance(tensors, (list, tuple)):
        made: TensorVariable = stack([stacklists(cast(TensorLike, tensor)) for tensor in tensors])
        return made
    return as_tensor_variable(cast(TensorLike, tensors))


def batched_dot(a: TensorLike, b: TensorLike) -> TensorVariable:
    """Multiply the matrices, or vectors, of two stacks, one with one.

    Parameters
    ----------
    a, b : Variable or array_like
        Two or three dimensions; the first is that of the stack.

    Returns
    -------
    TensorVariable
    """
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if not 2 <= a.type.ndim <= 3 or not 2 <= b.type.ndim <= 3:
        raise TypeError(f"batched_dot: expected stacks of vectors or matrices, got {a.type} and {b.type}")
    left = a if a.type.ndim == 3 else a.dimshuffle(0, "x", 1)
    right = b if b.type.ndim == 3 else b.dimshuffle(0, 1, "x")
    made: TensorVariable = matmul(left, right)
    kept = [0, *([1] if a.type.ndim == 3 else []), *([2] if b.type.ndim == 3 else [])]
    return made if len(kept) == 3 else made.dimshuffle(*kept)


def matrix_dot(*args: TensorLike) -> TensorVariable:
    """Multiply matrices, the first by the second and so on."""
    made: TensorVariable = reduce(dot, [as_tensor_variable(x) for x in args])
    return made


def nonzero_values(a: TensorLike) -> TensorVariable:
    """Give the elements that are not zero, in order."""
    flat = as_tensor_variable(a).flatten()
    found: TensorVariable = flat[nonzero(flat)[0]]
    return found


def several(constructor: Callable[..., Any]) -> Callable[..., list[TensorVariable]]:
    """Make what makes several variables: ``dvectors("x", "y")``, ``dvectors(2)``."""

    def make(*names: Any) -> list[TensorVariable]:
        if len(names) == 1 and isinstance(names[0], int):
            return [constructor() for _ in range(names[0])]
        return [constructor(name) for name in names]

    return make


_PLURALS = {"scalar": "scalars", "vector": "vectors", "matrix": "matrices", "row": "rows", "col": "cols"}
_PLURALS |= {f"tensor{n}": f"tensor{n}s" for n in (3, 4, 5, 6, 7)}
_MADE = {prefix + many: prefix + one for prefix in ("", *PREFIXES) for one, many in _PLURALS.items()}


def __getattr__(name: str) -> Any:
    if name not in _MADE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = several(constructor(_MADE[name]))
    return found
