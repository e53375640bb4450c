"""The dtypes that have a C type here, names that are made of them, and the one rule by which values become arrays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from opweld.config import config

__all__ = [
    "CONSTRUCTORS", "DType", "GROUPS", "KINDS", "PREFIXES", "TYPES", "bits", "c_name", "convert",
    "describe", "dtype_of", "upcast",
]  # fmt: skip

_argument: Any = None
_missing: ImportError | None = None
try:
    from opweld import _argument
except ImportError as err:  # not built: who asks a rule is told
    _missing = err


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

    Examples
    --------
    >>> opweld.scalar.upcast("int32", "float32")
    'float64'
    """
    if not dtypes:
        raise TypeError("upcast needs at least one dtype")
    return dtype_of(np.result_type(*[dtype_of(dtype).np for dtype in dtypes])).name


def bits(value: float | complex) -> tuple[Any, ...]:
    """Give what two of Python's floats, or complex numbers, share if and only if they are the same, bit by bit.

    Parameters
    ----------
    value : float or complex
        The number.

    Returns
    -------
    tuple
        Hashable; that of one NaN is that of another.
    """
    return (float, value.hex()) if isinstance(value, float) else (complex, value.real.hex(), value.imag.hex())


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


def c_name(dtype: DType) -> str:
    """Give the C type that a fragment computes with.

    Parameters
    ----------
    dtype : DType
        The dtype.

    Returns
    -------
    str
        NumPy's name, such as ``npy_int32``; of a complex dtype one that `opweld.complexes` defines.
    """
    return dtype.ctype.replace("npy_", "opw_", 1) if dtype.np.kind == "c" else dtype.ctype


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
        text = c_integer(value, "ULL" if value >= 2**63 else "LL" if abs(value) >= 2**31 else "")
    else:
        text = c_float(value)
    return f"({text})" if text.startswith("-") else text


def c_integer(value: int, suffix: str) -> str:
    """Write an integer in C, of which the smallest has no digits of its own."""
    return f"-{2**63 - 1}LL - 1" if value == -(2**63) else f"{int(value)}{suffix}"


def c_float(value: float) -> str:
    """Write a double in C, exact to the last bit."""
    text = repr(float(value))
    sign = "-" if text.startswith("-") else ""
    return sign + {"nan": "NAN", "inf": "INFINITY"}.get(text.lstrip("-"), text.lstrip("-"))


def shape_text(shape: Iterable[object]) -> str:
    """Write a shape; an unknown size is ``?``."""
    sizes = ["?" if size is None else str(size) for size in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def describe(value: object) -> str:
    """Say of a value in few words what decides whether it fits.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    str
        Of an array dtype and shape, and whether it is misaligned or byte-swapped; of others what kind of object it is.
    """
    text: str = compiled().describe(value)
    return text


def compiled() -> Any:
    """Give what holds the rule for arguments: the C that every module has too, in a module of its own.

    Returns
    -------
    module
        Built with the package, from templates/runtime/argument_module.c.
    """
    if _argument is None:
        raise ImportError(f"a part of opweld cannot be loaded: {_missing}. Install opweld's wheel") from _missing
    return _argument


def rule_of(
    dtype: DType,
    shape: tuple[int | None, ...],
    strict: bool = False,
    allow_downcast: bool | None = None,
    writeable: bool = False,
    name: str = "x",
) -> tuple[Any, ...]:
    """Write the rule for an argument as the C reads it; see `convert` for the parameters.

    Returns
    -------
    tuple
        Plain data, but for where ``config.floatX`` is looked up.
    """
    return (dtype.np.num, shape, strict, allow_downcast, writeable, name, config)


def convert(
    value: object,
    dtype: DType,
    shape: tuple[int | None, ...],
    strict: bool = False,
    allow_downcast: bool | None = None,
    writeable: bool = False,
    name: str = "x",
) -> np.ndarray[Any, Any]:
    """Turn a value into an array of exactly this dtype and shape, aligned, in native byte order; or refuse.

    This is the one rule for arguments, constants, defaults and what a `perform` returns. It stands in C, in
    templates/runtime/argument.c, for the modules that opweld builds apply it too.

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
    rule = (dtype.np.num, shape, strict, allow_downcast, writeable, name, config)
    array: np.ndarray[Any, Any] = compiled().filter(value, rule)
    return array


def expected(dtype: DType, shape: tuple[int | None, ...], writeable: bool = False) -> str:
    """Say what an argument must be, in the terms of `describe`.

    Returns
    -------
    str
    """
    text: str = compiled().expected(rule_of(dtype, shape, writeable=writeable))
    return text


# Names that are made of a dtype: of the types of scalars and their groups, and of the constructors of variables.
TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "longdouble", "complex64", "complex128", "clongdouble",
)  # fmt: skip
GROUPS: dict[str, tuple[str, ...]] = {
    "bool_types": ("bool",),
    "int_types": ("int8", "int16", "int32", "int64"),
    "uint_types": ("uint8", "uint16", "uint32", "uint64"),
    "float_types": ("float16", "float32", "float64", "longdouble"),
    "complex_types": ("complex64", "complex128", "clongdouble"),
}
GROUPS["integer_types"] = GROUPS["int_types"] + GROUPS["uint_types"]
GROUPS["discrete_types"] = GROUPS["bool_types"] + GROUPS["integer_types"]
GROUPS["continuous_types"] = GROUPS["float_types"] + GROUPS["complex_types"]
GROUPS["all_types"] = GROUPS["discrete_types"] + GROUPS["continuous_types"]

KINDS: dict[str, tuple[int | None, ...]] = {
    "scalar": (),
    "vector": (None,),
    "matrix": (None, None),
    "row": (1, None),
    "col": (None, 1),
    "tensor3": (None,) * 3,
    "tensor4": (None,) * 4,
    "tensor5": (None,) * 5,
    "tensor6": (None,) * 6,
    "tensor7": (None,) * 7,
}
PREFIXES = {
    "b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64", "c": "complex64",
    "z": "complex128", "ub": "uint8", "uw": "uint16", "ui": "uint32", "ul": "uint64",
}  # fmt: skip
CONSTRUCTORS = tuple([prefix + kind for prefix in ("", *PREFIXES) for kind in KINDS])
