"""What can be done with a tensor variable by operators, attributes and methods, as with NumPy's arrays.

Each is a function of `opweld.tensor` with the variable as its first argument; what is said there holds here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld import rooms
from opweld.graph.basic import Variable
from opweld.rooms import late

if TYPE_CHECKING:
    from opweld.tensor import likes
    from opweld.tensor.type import TensorType
    from opweld.tensor.variable import TensorVariable

__all__ = ["Operators", "functions"]

_OPERANDS = (Variable, int, float, complex, np.ndarray, np.generic, list, tuple)


# The one way back up: what stands below a function of the room and needs it all the same, as operators and methods do,
# finds it here, and what few graphs need is loaded by these.
functions: Any = late("opweld.tensor")
promotion: Any = late("opweld.promotion")  # few graphs have a power


def _call(name: str, *args: Any, **kwargs: Any) -> TensorVariable:
    """A function of the room."""
    return getattr(functions, name)(*args, **kwargs)  # type: ignore[no-any-return]


def _unary(name: str) -> Callable[[Operators], TensorVariable]:
    """An operator: a function of one tensor."""

    def operator(self: Operators) -> TensorVariable:
        return _call(name, self)

    operator.__doc__ = f"``opweld.tensor.{name}``."
    return operator


def _binary(name: str, reflected: bool = False) -> Callable[[Operators, likes.TensorLike], TensorVariable]:
    """An operator: a function of two tensors; other objects are left to their own operators."""

    def operator(self: Operators, other: likes.TensorLike) -> TensorVariable:
        if not isinstance(other, _OPERANDS) or getattr(other, "own_operators", False):
            return NotImplemented  # type: ignore[no-any-return]
        return _call(name, other, self) if reflected else _call(name, self, other)

    operator.__doc__ = f"``opweld.tensor.{name}``{', the other operand first' if reflected else ''}."
    return operator


def _pair(name: str, reflected: bool = False) -> Callable[[Operators, likes.TensorLike], list[TensorVariable]]:
    """As `_binary`, of a function of two results."""
    return _binary(name, reflected)  # type: ignore[return-value]


def _given(values: tuple[Any, ...]) -> Any:
    """What stands for ``f(2, 3)`` and for ``f((2, 3))`` alike."""
    return values[0] if len(values) == 1 else values


class Operators:
    """Operators and methods; a base of variables and of constants. ``==`` and ``!=`` compare identity: use `eq`."""

    type: TensorType

    if TYPE_CHECKING:
        __array_ufunc__ = None  # what an operator of an array gives is the variable's to say
    else:

        def __array_ufunc__(self, ufunc: object, method: str, *inputs: object, **keywords: object) -> Any:
            """Build what a ufunc of NumPy's computes."""
            return functions.protocol.ufunc(ufunc, method, inputs, keywords)

        def __array_function__(self, called: object, types: object, args: object, keywords: object) -> Any:
            """Build what a function of NumPy's gives."""
            return functions.protocol.function(called, args, keywords)

        def __array__(self, dtype: object = None, copy: object = None) -> Any:
            functions.protocol.valueless(self, "np.asarray")

        def __int__(self) -> int:
            return functions.protocol.valueless(self, "int()")

        def __float__(self) -> float:
            return functions.protocol.valueless(self, "float()")

        def __complex__(self) -> complex:
            return functions.protocol.valueless(self, "complex()")

    __abs__ = _unary("absolute")
    __neg__ = _unary("negative")
    __pos__ = _unary("positive")
    __invert__ = _unary("invert")
    __floor__ = _unary("floor")
    __ceil__ = _unary("ceil")
    __trunc__ = _unary("trunc")

    __add__ = _binary("add")
    __radd__ = _binary("add", True)
    __sub__ = _binary("subtract")
    __rsub__ = _binary("subtract", True)
    __mul__ = _binary("multiply")
    __rmul__ = _binary("multiply", True)
    __truediv__ = _binary("divide")
    __rtruediv__ = _binary("divide", True)
    __floordiv__ = _binary("floor_divide")
    __rfloordiv__ = _binary("floor_divide", True)
    __mod__ = _binary("remainder")
    __rmod__ = _binary("remainder", True)
    __divmod__ = _pair("divmod")
    __rdivmod__ = _pair("divmod", True)
    __rpow__ = _binary("power", True)
    __matmul__ = _binary("matmul")
    __rmatmul__ = _binary("matmul", True)
    __and__ = _binary("bitwise_and")
    __rand__ = _binary("bitwise_and", True)
    __or__ = _binary("bitwise_or")
    __ror__ = _binary("bitwise_or", True)
    __xor__ = _binary("bitwise_xor")
    __rxor__ = _binary("bitwise_xor", True)
    __lshift__ = _binary("left_shift")
    __rlshift__ = _binary("left_shift", True)
    __rshift__ = _binary("right_shift")
    __rrshift__ = _binary("right_shift", True)
    __lt__ = _binary("less")
    __le__ = _binary("less_equal")
    __gt__ = _binary("greater")
    __ge__ = _binary("greater_equal")

    def __pow__(self, other: likes.TensorLike, modulo: object = None) -> TensorVariable:
        if modulo is not None or not isinstance(other, _OPERANDS):
            return NotImplemented
        short = promotion.short_power(other, self.type.numpy_dtype.kind)
        return _call(short, self) if short else _call("power", self, other)

    def __round__(self, ndigits: int | None = None) -> TensorVariable:
        return _call("round", self, 0 if ndigits is None else ndigits)

    def __bool__(self) -> bool:
        raise TypeError("a variable of a graph has no truth value; it has a value only inside a function")

    def __len__(self) -> int:
        raise TypeError("a variable of a graph has no len(); x.shape[0] is its length inside a function")

    def __contains__(self, item: object) -> bool:
        raise TypeError("whether a value is in a variable of a graph is known only inside a function; see eq and any")

    def __iter__(self) -> Iterator[Any]:
        if not self.type.shape:
            raise TypeError("iteration over a tensor without dimensions")
        length = self.type.shape[0]
        if length is None:
            raise TypeError(
                f"iteration over {self}, whose first size is not known before a call: give its type a shape, or work "
                f"on the whole of it"
            )
        return (self[i] for i in range(length))

    def __getitem__(self, key: object) -> TensorVariable:
        """A part of the tensor, by NumPy's indexing."""
        return functions.parts.subtensor(self, key)  # type: ignore[no-any-return]

    def __setitem__(self, key: object, value: object) -> None:
        raise TypeError("a variable of a graph cannot be written into; x[key].set(value) is x with that part set")

    # -- attributes ----------------------------------------------------------------------------------------------

    @property
    def T(self) -> TensorVariable:
        """The tensor with its dimensions in reverse order."""
        return _call("transpose", self)

    @property
    def mT(self) -> TensorVariable:
        """The tensor with its last two dimensions exchanged."""
        return _call("swapaxes", self, -1, -2)

    @property
    def real(self) -> TensorVariable:
        """The real part."""
        return _call("real", self)

    @property
    def imag(self) -> TensorVariable:
        """The imaginary part."""
        return _call("imag", self)

    @property
    def size(self) -> TensorVariable:
        """The number of elements, as a variable of the graph."""
        return _call("size", self)

    # -- element by element --------------------------------------------------------------------------------------

    def astype(self, dtype: likes.DType) -> TensorVariable:
        """Convert to another dtype: `opweld.tensor.cast`."""
        return _call("cast", self, dtype)

    cast = astype

    def copy(self) -> TensorVariable:
        """Give a copy."""
        return _call("tensor_copy", self)

    def fill(self, value: likes.TensorLike) -> TensorVariable:
        """Give a tensor of this shape and dtype, filled with a value."""
        return _call("cast", _call("second", self, value), self.type.dtype)

    def clip(self, min: likes.TensorLike | None = None, max: likes.TensorLike | None = None) -> TensorVariable:
        """Limit the values: `opweld.tensor.clip`."""
        return _call("clip", self, min, max)

    def round(self, decimals: int = 0) -> TensorVariable:
        """Round, halves to even: `opweld.tensor.round`."""
        return _call("round", self, decimals)

    def conj(self) -> TensorVariable:
        """Give the complex conjugate."""
        return _call("conjugate", self)

    conjugate = conj

    # -- reductions ----------------------------------------------------------------------------------------------

    def sum(self, axis: likes.Axes = None, dtype: likes.DType = None, keepdims: bool = False) -> TensorVariable:
        """Add up over axes."""
        return _call("sum", self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: likes.Axes = None, dtype: likes.DType = None, keepdims: bool = False) -> TensorVariable:
        """Multiply over axes."""
        return _call("prod", self, axis=axis, dtype=dtype, keepdims=keepdims)

    def mean(self, axis: likes.Axes = None, dtype: likes.DType = None, keepdims: bool = False) -> TensorVariable:
        """Give the mean over axes."""
        return _call("mean", self, axis=axis, dtype=dtype, keepdims=keepdims)

    def var(
        self, axis: likes.Axes = None, dtype: likes.DType = None, ddof: likes.TensorLike = 0, keepdims: bool = False
    ) -> TensorVariable:
        """Give the variance over axes."""
        return _call("var", self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def std(
        self, axis: likes.Axes = None, dtype: likes.DType = None, ddof: likes.TensorLike = 0, keepdims: bool = False
    ) -> TensorVariable:
        """Give the standard deviation over axes."""
        return _call("std", self, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def min(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Give the smallest over axes."""
        return _call("min", self, axis=axis, keepdims=keepdims)

    def max(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Give the largest over axes."""
        return _call("max", self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Give the place of the smallest along an axis."""
        return _call("argmin", self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Give the place of the largest along an axis."""
        return _call("argmax", self, axis=axis, keepdims=keepdims)

    def any(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Say whether any is true, over axes."""
        return _call("any", self, axis=axis, keepdims=keepdims)

    def all(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Say whether all are true, over axes."""
        return _call("all", self, axis=axis, keepdims=keepdims)

    def ptp(self, axis: likes.Axes = None, keepdims: bool = False) -> TensorVariable:
        """Give the largest less the smallest, over axes."""
        return _call("ptp", self, axis=axis, keepdims=keepdims)

    def cumsum(self, axis: likes.Axes = None, dtype: likes.DType = None) -> TensorVariable:
        """Add up along an axis, keeping each sum on the way."""
        return _call("cumsum", self, axis=axis, dtype=dtype)

    def cumprod(self, axis: likes.Axes = None, dtype: likes.DType = None) -> TensorVariable:
        """Multiply along an axis, keeping each product on the way."""
        return _call("cumprod", self, axis=axis, dtype=dtype)

    def dot(self, other: likes.TensorLike) -> TensorVariable:
        """Give the matrix product, as `numpy.dot`."""
        return _call("dot", self, other)

    # -- shape and order -----------------------------------------------------------------------------------------

    def reshape(self, *shape: Any, ndim: int | None = None) -> TensorVariable:
        """Give the elements another shape: ``x.reshape(2, -1)`` or ``x.reshape((2, -1))``."""
        return _call("reshape", self, _given(shape), ndim=ndim)

    def transpose(self, *axes: Any) -> TensorVariable:
        """Exchange dimensions: ``x.transpose(1, 0)`` or ``x.transpose((1, 0))``; without axes reverse them."""
        return _call("transpose", self, _given(axes) if axes else None)

    def dimshuffle(self, *pattern: Any) -> TensorVariable:
        """Exchange, drop and insert dimensions: `opweld.tensor.dimshuffle`."""
        return _call("dimshuffle", self, *pattern)

    def flatten(self, ndim: int = 1) -> TensorVariable:
        """Join the last dimensions into one, so that `ndim` are left."""
        return _call("flatten", self, ndim)

    def ravel(self) -> TensorVariable:
        """Join all dimensions into one."""
        return _call("ravel", self)

    def squeeze(self, axis: likes.Axes = None) -> TensorVariable:
        """Drop dimensions of size 1."""
        return _call("squeeze", self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> TensorVariable:
        """Exchange two dimensions."""
        return _call("swapaxes", self, axis1, axis2)

    def sort(self, axis: likes.Axes = -1, kind: str | None = None, *, stable: bool | None = None) -> TensorVariable:
        """Sort along an axis."""
        return _call("sort", self, axis, kind, stable=stable)

    def argsort(self, axis: likes.Axes = -1, kind: str | None = None, *, stable: bool | None = None) -> TensorVariable:
        """Give the places that sort along an axis."""
        return _call("argsort", self, axis, kind, stable=stable)

    def take(self, indices: likes.TensorLike, axis: likes.Axes = None, mode: str = "raise") -> TensorVariable:
        """Give the elements at these places."""
        return _call("take", self, indices, axis, mode)

    def repeat(self, repeats: likes.TensorLike, axis: int | None = None) -> TensorVariable:
        """Give each element several times."""
        return _call("repeat", self, repeats, axis)

    def nonzero(self) -> Any:
        """Give the places of what is not zero, an array for each dimension."""
        return _call("nonzero", self)

    def set(self, value: likes.TensorLike) -> TensorVariable:
        """Of a part ``x[key]``: give ``x`` with this part set to a value."""
        return _call("set_subtensor", self, value)

    def inc(self, value: likes.TensorLike) -> TensorVariable:
        """Of a part ``x[key]``: give ``x`` with a value added to this part."""
        return _call("inc_subtensor", self, value)


class _Elsewhere:
    """A method of NumPy's arrays that variables do not have: asking for it says what is written in its place."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, variable: object, owner: type) -> Any:
        name = self._name
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {name!r}{rooms.suggest.instead(name)}", name=name
        )


for _name in (
    "diagonal trace compress choose searchsorted partition argpartition put resize flat item tolist tobytes view"
).split():
    if not hasattr(Operators, _name):
        setattr(Operators, _name, _Elsewhere(_name))
