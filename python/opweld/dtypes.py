"""The dtypes that have a C type here, their names on both sides, and the one rule by which values become arrays."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from opweld.config import config

__all__ = ["DType", "convert", "describe", "dtype_of", "upcast"]


class DType:
    """One dtype.

    Attributes
    ----------
    name : str
        NumPy's name; ``longdouble`` and ``clongdouble`` whatever their width.
    np : numpy.dtype
        In native byte order.
    ctype, enum, scalar : str
        The C type, the type number's name, and the name inside ``Py…ArrType_Type``.
    """

    __slots__ = ("ctype", "enum", "name", "np", "scalar")

    def __init__(self, name: str, scalar: str) -> None:
        self.name = name
        self.np: np.dtype[Any] = np.dtype(name)
        self.ctype = "npy_" + name
        self.enum = "NPY_" + name.upper()
        self.scalar = scalar

    def __reduce__(self) -> tuple[Any, ...]:
        return dtype_of, (self.name,)


_BY_CHAR: dict[str, DType] = {}
_NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128"
for _name in _NAMES.split():
    _BY_CHAR[np.dtype(_name).char] = DType(_name, _name.title().replace("Uint", "UInt").replace("Float16", "Half"))
_BY_CHAR["g"] = DType("longdouble", "LongDouble")
_BY_CHAR["G"] = DType("clongdouble", "CLongDouble")
_BY_NAME: dict[Any, DType] = {dtype.name: dtype for dtype in _BY_CHAR.values()}


def dtype_of(spec: Any) -> DType:
    """Find a dtype.

    Parameters
    ----------
    spec : str, numpy.dtype or type
        What ``numpy.dtype`` takes, or ``"floatX"``.

    Returns
    -------
    DType
        Of native byte order; a C ``long long`` is the int64 that NumPy calls by that name.

    Raises
    ------
    TypeError
        If it is not a bool, integer, float or complex dtype.
    """
    found = _BY_NAME.get(spec) if isinstance(spec, str) else None
    if found is not None:
        return found
    if isinstance(spec, str) and spec == "floatX":
        return _BY_NAME[config.floatX]
    if spec is None:
        raise TypeError("a dtype is needed, got None")
    try:
        given = np.dtype(spec)
    except (TypeError, ValueError, SyntaxError) as err:  # SyntaxError: some texts are read as lists of fields
        raise TypeError(f"{spec!r} is no dtype: {err}; known are {', '.join(_BY_NAME)}") from None
    found = _BY_CHAR.get(given.char)
    if found is None and given.kind in "biufc":  # a second spelling, such as long long
        found = _BY_NAME.get(given.kind.replace("i", "int").replace("u", "uint") + str(8 * given.itemsize))
    if found is None:
        raise TypeError(
            f"dtype {str(given)!r} has no C type here: expected a bool, integer, float or complex dtype; "
            f"opweld.generic.generic carries any object"
        )
    return found


def upcast(*dtypes: Any) -> str:
    """Find the dtype that holds every value of all.

    Parameters
    ----------
    *dtypes : str or numpy.dtype
        At least one.

    Returns
    -------
    str
        Name of the dtype that NumPy promotes them to.
    """
    if not dtypes:
        raise TypeError("upcast needs at least one dtype")
    return dtype_of(np.result_type(*[dtype_of(dtype).np for dtype in dtypes])).name


def number_text(value: Any) -> str:
    """Write a number as docs/program.md wants it, exact to the last bit.

    Parameters
    ----------
    value : numpy.generic
        Of a dtype that opweld knows.

    Returns
    -------
    str
        A floating point number as Python writes that of its value; one that is no double in hexadecimal digits.
    """
    kind = value.dtype.kind
    if kind == "b":
        return "true" if value else "false"
    if kind in "iu":
        return str(int(value))
    if kind == "c":
        return f"{number_text(value.real)} {number_text(value.imag)}"
    near = float(value)
    if near == value or near != near:
        return repr(near)
    fraction, exponent = np.frexp(abs(value))
    digits = int(np.ldexp(fraction, 256))
    low = digits & -digits  # trailing zeros go
    whole = f"{digits // low:b}"
    rest = f"{int(whole[1:].ljust(-(-len(whole[1:]) // 4) * 4, '0') or '0', 2):0{-(-len(whole[1:]) // 4)}x}"
    return f"{'-' if value < 0 else ''}0x1.{rest}p{int(exponent) - 1:+d}"


def c_number(value: float) -> str:
    """Write one of Python's numbers as a constant expression of C.

    Parameters
    ----------
    value : int or float
        The number.

    Returns
    -------
    str
        In parentheses where it is more than one token.
    """
    if isinstance(value, int):
        if value == -(2**63):
            return f"(-{2**63 - 1}LL - 1)"
        text = f"{int(value)}{'ULL' if value >= 2**63 else 'LL' if abs(value) >= 2**31 else ''}"
    else:
        number = float(value)
        text = "NAN" if number != number else "INFINITY" if abs(number) == float("inf") else repr(abs(number))
        text = f"-{text}" if number < 0 or (number == 0 and repr(number)[0] == "-") else text
    return f"({text})" if text.startswith("-") else text


def shape_text(shape: Any) -> str:
    """Write a shape; an unknown size is ``?``."""
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def describe(value: Any) -> str:
    """Say of a value what decides whether it fits: dtype, dimensions, shape, order, alignment, byte order, writeable.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str
        For an array all of these; for others what kind of object it is.
    """
    if value is None:
        return "None"
    if not isinstance(value, np.ndarray):
        text = repr(value)
        return f"{type(value).__name__} {text if len(text) <= 40 else text[:37] + '...'}"
    flags = value.flags
    order = (
        "C and F order"
        if flags.forc and flags.c_contiguous and flags.f_contiguous
        else ("C order" if flags.c_contiguous else "F order" if flags.f_contiguous else "strided")
    )
    kind = "ndarray" if type(value) is np.ndarray else type(value).__name__
    return ", ".join((
        f"{kind} of {value.dtype.name}", f"ndim {value.ndim}", f"shape {shape_text(value.shape)}", order,
        "aligned" if flags.aligned else "misaligned",
        "native byte order" if value.dtype.isnative else "swapped byte order",
        "writeable" if flags.writeable else "read-only",
    ))  # fmt: skip


def convert(
    value: Any,
    dtype: DType,
    shape: tuple[int | None, ...],
    strict: bool = False,
    allow_downcast: bool | None = None,
    writeable: bool = False,
    name: str = "x",
) -> np.ndarray[Any, Any]:
    """Turn a value into an array of exactly this dtype and shape, aligned, in native byte order; or refuse.

    This is the one rule for arguments, constants, defaults and what a `perform` returns.

    Parameters
    ----------
    value : object
        An array, or what NumPy makes one of.
    dtype : DType
        The dtype wanted.
    shape : tuple of int or None
        The sizes wanted; None: any.
    strict : bool
        Refuse whatever would need a conversion.
    allow_downcast : bool, optional
        True: cast what is numeric. None or False: only what NumPy casts safely, and Python numbers, lists and NumPy
        scalars whose every value is kept exactly; None: a Python float too where `dtype` is ``config.floatX``.
    writeable : bool
        The array will be written into: it must be the caller's own, and writeable.
    name : str
        What to call the value in advice.

    Returns
    -------
    numpy.ndarray
        `value` itself where nothing had to be done.

    Raises
    ------
    TypeError
        Says what was expected, what came, why it does not fit, and what to call.
    """
    wanted = dtype.np
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray:
            if _is_masked(value):
                raise _refusal(
                    value, dtype, shape, writeable, f"a masked array's mask would be lost; call {name}.filled()"
                )
            array: np.ndarray[Any, Any] = value.view(np.ndarray)
        else:
            array = value
        problem = _shape_problem(array, shape, name)
        if problem:
            raise _refusal(value, dtype, shape, writeable, problem)
        have = array.dtype
        if have.num != wanted.num and have.kind == wanted.kind and have.itemsize == wanted.itemsize and have.isnative:
            array = array.view(wanted)  # long long spelled long: the same bytes
            have = wanted
        flags = array.flags
        if have.num == wanted.num:
            if have.isnative and flags.aligned:
                if writeable and not flags.writeable:
                    raise _refusal(value, dtype, shape, writeable, f"it is read-only; call {name}.copy()")
                return array
            if strict or writeable:
                fault = "misaligned" if have.isnative else "in swapped byte order"
                raise _refusal(value, dtype, shape, writeable, f"it is {fault}; call {name}.astype({dtype.name!r})")
            return np.array(array, dtype=wanted, order="K")
        if strict or writeable:
            raise _refusal(value, dtype, shape, writeable, f"its dtype differs; call {name}.astype({dtype.name!r})")
        if not np.can_cast(have, wanted, "safe") and not (allow_downcast and have.kind in "biufc"):
            raise _refusal(value, dtype, shape, writeable, _cast_advice(have, dtype, name))
        part = array.real if have.kind == "c" and wanted.kind != "c" else array
        with np.errstate(all="ignore"):
            return _spelled(part.astype(wanted, order="K"), wanted)
    return _from_other(value, dtype, shape, strict, allow_downcast, writeable, name)


def _from_other(
    value: Any, dtype: DType, shape: tuple[int | None, ...], strict: bool, allow_downcast: bool | None,
    writeable: bool, name: str,
) -> np.ndarray[Any, Any]:  # fmt: skip
    """The rule for what is no array."""
    wanted = dtype.np
    if hasattr(value, "owner") and hasattr(value, "type") and hasattr(value.type, "filter"):
        raise _refusal(value, dtype, shape, writeable, "it is a variable of a graph; pass a value")
    if strict or writeable:
        why = "strict allows arrays only" if strict else "what is written into must be an array"
        raise _refusal(value, dtype, shape, writeable, f"{why}; call np.asarray({name}, {dtype.name!r})")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as err:
        raise _refusal(value, dtype, shape, writeable, f"NumPy makes no array of it: {err}") from None
    long = array.dtype.kind == "O" and array.size > 0 and all(isinstance(item, int) for item in array.flat)
    if array.dtype.kind not in "biufc" and not long:
        raise _refusal(value, dtype, shape, writeable, "it is not numeric")
    problem = _shape_problem(array, shape, name)
    if problem:
        raise _refusal(value, dtype, shape, writeable, problem)
    with np.errstate(all="ignore"):
        if long:
            found = _from_long(array, wanted)
            if found is None:
                raise _refusal(value, dtype, shape, writeable, f"it does not fit into {dtype.name}")
            return found
        if allow_downcast:
            return _cast(array, wanted)
        made = _cast(array, wanted)
        if _same_values(array, made) or (
            allow_downcast is None and type(value) is float and dtype.name == config.floatX
        ):
            return made
    raise _refusal(
        value, dtype, shape, writeable,
        f"{dtype.name} cannot hold its value exactly; call np.asarray({name}, {dtype.name!r})",
    )  # fmt: skip


def _from_long(array: np.ndarray[Any, Any], wanted: np.dtype[Any]) -> np.ndarray[Any, Any] | None:
    """Convert Python's integers where one is beyond 64 bits; None unless floats or complex numbers keep them all."""
    if wanted.kind not in "fc":
        return None
    try:
        made = array.astype(wanted)
    except OverflowError:
        return None
    if not np.isfinite(made).all() or any(int(one.real) != given for one, given in zip(made.flat, array.flat)):
        return None
    return made


def _cast(array: np.ndarray[Any, Any], wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A copy of another dtype; of a complex number that must become real, its real part."""
    part = array.real if array.dtype.kind == "c" and wanted.kind != "c" else array
    return _spelled(np.array(part, dtype=wanted), wanted)


def _spelled(array: np.ndarray[Any, Any], wanted: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The array with `wanted` itself as its dtype: NumPy leaves long long where long was asked for."""
    return array if array.dtype.num == wanted.num else array.view(wanted)


def _same_values(given: np.ndarray[Any, Any], made: np.ndarray[Any, Any]) -> bool:
    """Whether a conversion kept every value; Python compares integers with floats exactly, NumPy does not."""
    if given.dtype == made.dtype:
        return True
    a: Any = given
    b: Any = made
    if given.dtype.kind in "iu" and made.dtype.kind in "fc":
        a, b = given.astype(object), made.astype(object)
    elif made.dtype.kind in "biu":
        if given.dtype.kind in "fc":
            if given.dtype.kind == "c":
                if bool((given.imag != 0).any()):
                    return False
                a = given.real
            if not bool(np.isfinite(a).all()):
                return False
            if made.dtype.kind != "b":  # compare as Python's integers: a bound such as 2**63 is not rounded
                a, b = a.astype(object), made.astype(object)
        elif made.dtype.kind != "b":
            a, b = given.astype(object), made.astype(object)
    same = (a == b) | ((a != a) & (b != b))
    return bool(np.all(same))


def _is_masked(value: Any) -> bool:
    module = sys.modules.get("numpy.ma")
    return module is not None and isinstance(value, module.MaskedArray)


def _shape_problem(array: np.ndarray[Any, Any], shape: tuple[int | None, ...], name: str) -> str:
    """Why the array's dimensions do not fit; empty if they do."""
    if array.ndim != len(shape):
        sizes = ", ".join(["-1"] + ["1"] * (len(shape) - 1)) if len(shape) else "()"
        return f"its number of dimensions differs; call {name}.reshape({sizes}) or the like"
    for axis, (have, wanted) in enumerate(zip(array.shape, shape)):
        if wanted is not None and have != wanted:
            return f"its size along axis {axis} is {have}, not {wanted}; pass an array of shape {shape_text(shape)}"
    return ""


def _cast_advice(have: np.dtype[Any], dtype: DType, name: str) -> str:
    if have.kind not in "biufc":
        return f"{have.name} is not numeric"
    return f"{have.name} does not cast safely to {dtype.name}; call {name}.astype({dtype.name!r})"


def expected(dtype: DType, shape: tuple[int | None, ...], writeable: bool = False) -> str:
    """Say what an argument must be, in the terms of `describe`.

    Returns
    -------
    str
    """
    return ", ".join((
        f"ndarray of {dtype.name}", f"ndim {len(shape)}", f"shape {shape_text(shape)}", "any order", "aligned",
        "native byte order", *(("writeable",) if writeable else ()),
    ))  # fmt: skip


def _refusal(value: Any, dtype: DType, shape: tuple[int | None, ...], writeable: bool, reason: str) -> TypeError:
    return TypeError(f"expected {expected(dtype, shape, writeable)}; got {describe(value)}: {reason}")
