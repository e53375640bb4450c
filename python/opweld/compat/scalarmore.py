"""Scalar ops that NumPy has no ufunc for, output types, and what else ``scalar.basic`` of the packages has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from opweld.compat.ops import scalar_from_tensor
from opweld.compat.scalars import BinaryScalarOp, Element, LogicalComparison, UnaryScalarOp
from opweld.compat.small import apply_across_args
from opweld.dtypes import dtype_of
from opweld.errors import MethodNotDefined, _what
from opweld.graph.basic import Apply, Props, Variable
from opweld.scalar import type as _scalar
from opweld.scalar.basic import Cast
from opweld.scalar.preferences import upcast_out
from opweld.scalar.type import ScalarType, get_scalar_type
from opweld.scalar.ufuncs import ufunc
from opweld.tensor.type import TensorType

__all__ = [
    "Angle", "Complex", "ComplexError", "ComplexFromPolar", "InRange", "IntegerDivisionError", "RoundHalfAwayFromZero",
    "angle", "as_common_dtype", "as_scalar", "cast", "complex", "complex_from_polar", "complexs", "complexs64",
    "complexs128", "constant", "convert", "float_out_nocomplex", "floats", "floor_div", "inclosedrange",
    "inopenrange", "int_or_true_div", "int_out_nocomplex", "ints", "mod_check", "real_out",
    "round_half_away_from_zero", "same_out_min8", "same_out_nocomplex", "unary_out_lookup", "upcast_out_min8",
    "upcast_out_no_complex",
]  # fmt: skip

Types = tuple[ScalarType, ...]


class ComplexError(NotImplementedError):
    """An operation has no meaning for complex numbers."""


class IntegerDivisionError(Exception):
    """Integers are divided where that is not to be done."""


def _no_complex(*types: ScalarType) -> None:
    for type_ in types:
        if dtype_of(type_.dtype).np.kind == "c":
            raise TypeError(f"complex numbers are not supported, got {type_}")


def _at_least_8(type_: ScalarType) -> ScalarType:
    return get_scalar_type("int8") if type_.dtype == "bool" else type_


def upcast_out_min8(*types: ScalarType) -> Types:
    """Give the type that holds every value of all; int8 for bools."""
    return (_at_least_8(upcast_out(*types)[0]),)


def same_out_min8(type: ScalarType) -> Types:
    """Give the type of the one input; int8 for bool."""
    return (_at_least_8(type),)


def upcast_out_no_complex(*types: ScalarType) -> Types:
    """Give the type that holds every value of all; complex numbers are refused."""
    _no_complex(*types)
    return upcast_out(*types)


def same_out_nocomplex(type: ScalarType) -> Types:
    """Give the type of the one input; complex numbers are refused."""
    _no_complex(type)
    return (type,)


def int_out_nocomplex(*types: ScalarType) -> Types:
    """Give int64; complex numbers are refused."""
    _no_complex(*types)
    return (get_scalar_type("int64"),)


def float_out_nocomplex(*types: ScalarType) -> Types:
    """Give float64; complex numbers are refused."""
    _no_complex(*types)
    return (get_scalar_type("float64"),)


def real_out(type: ScalarType) -> Types:
    """Give the type of a complex number's parts; of another number its own."""
    return (get_scalar_type({"complex64": "float32", "complex128": "float64"}.get(type.dtype, type.dtype)),)


class unary_out_lookup(Props):  # named and used as a function
    """A table of output types.

    Parameters
    ----------
    type_table : dict
        Of types, or tuples of them.
    """

    __props__ = ("tbl",)

    def __init__(self, type_table: dict[Any, Any]) -> None:
        self.tbl = type_table

    def __call__(self, *types: ScalarType) -> Types:
        """Look types up.

        Raises
        ------
        TypeError
            If they are not in the table.
        """
        found = self.tbl.get(types[0] if len(types) == 1 else types)
        if found is None:
            raise TypeError(f"no output type for {', '.join(map(str, types))}")
        return tuple(found) if isinstance(found, (list, tuple)) else (found,)

    def __hash__(self) -> int:
        return hash((type(self), tuple(sorted(map(str, self.tbl)))))


class RoundHalfAwayFromZero(UnaryScalarOp):
    """The nearest whole number; of two the one farther from zero."""

    __props__ = ()

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the input's type; float64 for integers."""
        return [type_ if dtype_of(type_.dtype).np.kind == "f" else get_scalar_type("float64") for type_ in types]

    def impl(self, x: Element) -> Any:
        """Round."""
        whole = np.trunc(x)
        return whole + np.copysign(abs(x - whole) >= 0.5, x)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Round.

        Raises
        ------
        MethodNotDefined
            Of float16.
        """
        if node.outputs[0].type.dtype == "float16":
            raise MethodNotDefined(f"{self} has no C for float16")
        return f"{output_names[0]} = round({input_names[0]});"

    def c_headers(self, c_compiler: object = None, **kwargs: Any) -> list[str]:
        """Name the header of functions."""
        return ["<math.h>"]

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class InRange(LogicalComparison):
    """Whether a number lies between two others.

    Parameters
    ----------
    openlow, openhi : bool
        Whether the ends do not belong to it.
    """

    __props__ = ("openlow", "openhi")
    nin = 3

    def __init__(self, openlow: bool, openhi: bool) -> None:
        self.openlow, self.openhi = openlow, openhi
        super().__init__()

    def impl(self, x: Element, low: Element, hi: Element) -> Any:
        """Compare."""
        return (x > low if self.openlow else x >= low) and (x < hi if self.openhi else x <= hi)

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Compare."""
        x, low, hi = input_names
        return (
            f"{output_names[0]} = {x} {'>' if self.openlow else '>='} {low} && {x} {'<' if self.openhi else '<='} {hi};"
        )

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class Angle(UnaryScalarOp):
    """The angle of a complex number."""

    __props__ = ()

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type of the parts; float64 for integers."""
        (found,) = real_out(types[0])
        return [found if found.dtype.startswith("float") else get_scalar_type("float64")]

    def impl(self, x: Element) -> Any:
        """Compute by NumPy."""
        return np.angle(x)


class Complex(BinaryScalarOp):
    """A complex number of its parts."""

    __props__ = ()

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give complex64 for parts of 32 bits, else complex128.

        Raises
        ------
        TypeError
            Of complex parts.
        """
        _no_complex(*types)
        short = all(
            type_.dtype in ("float32", "float16", "int8", "uint8", "int16", "uint16", "bool") for type_ in types
        )
        return [get_scalar_type("complex64" if short else "complex128")]

    def impl(self, x: Element, y: Element) -> Any:
        """Put the parts together."""
        return x + 1j * y


class ComplexFromPolar(Complex):
    """A complex number of its size and its angle."""

    def impl(self, x: Element, y: Element) -> Any:
        """Compute the parts."""
        return x * (np.cos(y) + 1j * np.sin(y))


round_half_away_from_zero = RoundHalfAwayFromZero()
inopenrange, inclosedrange = InRange(True, True), InRange(False, False)
angle, complex, complex_from_polar = Angle(), Complex(), ComplexFromPolar()
floor_div = ufunc("floor_divide")


def as_scalar(x: Element, name: str | None = None) -> Any:
    """Give a scalar for a number, a scalar, a tensor without dimensions, or the node of one.

    Raises
    ------
    TypeError
        Of anything else.
    """
    if isinstance(x, Apply):
        if len(x.outputs) != 1:
            raise ValueError(f"{x.op} has {len(x.outputs)} outputs: choose one")
        x = x.outputs[0]
    if isinstance(x, Variable) and isinstance(x.type, TensorType):
        return scalar_from_tensor(x)
    return _scalar.as_scalar(x, name)


def constant(x: Element, name: str | None = None, dtype: str | None = None) -> Any:
    """Give a number as a scalar that is known; of `dtype`, or of its own.

    Raises
    ------
    TypeError
        If it is none.
    """
    return _scalar.as_scalar(x if dtype is None else np.asarray(x, dtype)[()], name)


def convert(x: Element, dtype: str | None = None) -> Any:
    """Give a number as NumPy's: of `dtype`, or of its own."""
    return np.asarray(x) if dtype is None else np.asarray(x, dtype_of(dtype).np)


def cast(x: Element, dtype: str | np.dtype[Any]) -> Any:
    """Give a scalar of another dtype.

    Raises
    ------
    TypeError
        From complex to real numbers.
    """
    x, kind = as_scalar(x), dtype_of(dtype)
    if x.type.dtype == kind.name:
        return x
    if x.type.dtype.startswith("complex") and kind.np.kind != "c":
        raise TypeError("complex numbers are not cast to real ones: take real(), imag(), abs()")
    return Cast(kind.name)(x)


def as_common_dtype(*vars: Any) -> tuple[Any, ...]:
    """Cast scalars to the dtype that holds all."""
    (common,) = upcast_out(*[v.type for v in vars])
    return tuple([cast(v, common.dtype) for v in vars])


def int_or_true_div(x_discrete: bool, y_discrete: bool) -> Any:
    """Give the division that ``/`` is for operands that are integers or not."""
    return ufunc("divide")


def mod_check(x: Element, y: Element) -> Any:
    """Give what is left of a division.

    Raises
    ------
    ComplexError
        Of complex numbers.
    """
    for v in (x, y):
        if getattr(getattr(v, "type", None), "dtype", "").startswith("complex"):
            raise ComplexError(f"there is no remainder of complex numbers, got {_what(v)}")
    return ufunc("remainder")(x, y)


def _named(dtype: str, name: str | None = None) -> Any:
    return get_scalar_type(dtype)(name)


_several: Callable[[str], Any] = lambda dtype: apply_across_args(partial(_named, dtype))  # noqa: E731
ints, floats, complexs, complexs64, complexs128 = map(
    _several, ("int64", "float64", "complex128", "complex64", "complex128")
)
