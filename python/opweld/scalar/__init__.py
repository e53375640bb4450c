"""Scalars: one number, without an array around it; and what is computed of one element of an array.

The types by name (``float64``), NumPy's elementwise functions as ops (``add``), and the classes that ops are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.dtypes import upcast
from opweld.operations import NAMES
from opweld.scalar.type import ScalarConstant, ScalarType, ScalarVariable, get_scalar_type

if TYPE_CHECKING:
    from opweld.scalar.basic import Cast, Clip, Identity, Imag, Real, Second, Where
    from opweld.scalar.expression import expr
    from opweld.scalar.op import BinaryScalarOp, ScalarOp, UnaryScalarOp, as_scalar
    from opweld.scalar.preferences import (
        float_out,
        int_out,
        same_out,
        same_out_float_only,
        same_out_nobool,
        specific_out,
        transfer_type,
        upcast_out,
        upcast_out_nobool,
        upgrade_to_float,
        upgrade_to_float64,
        upgrade_to_float_no_complex,
    )
    from opweld.scalar.ufuncs import Ufunc, ufunc

_LAZY: dict[str, tuple[str, ...]] = {  # module -> what is found there on first use
    "basic": ("Cast", "Clip", "Identity", "Imag", "Real", "Second", "Where"),
    "expression": ("expr",),
    "op": ("BinaryScalarOp", "ScalarOp", "UnaryScalarOp", "as_scalar"),
    "preferences": (
        "float_out", "int_out", "same_out", "same_out_float_only", "same_out_nobool", "specific_out", "transfer_type",
        "upcast_out", "upcast_out_nobool", "upgrade_to_float", "upgrade_to_float64", "upgrade_to_float_no_complex",
    ),
    "ufuncs": ("Ufunc", "ufunc"),
}  # fmt: skip
_HOME = {name: module for module, names in _LAZY.items() for name in names}
_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "longdouble", "complex64", "complex128", "clongdouble",
)  # fmt: skip
_GROUPS: dict[str, tuple[str, ...]] = {
    "bool_types": ("bool",),
    "int_types": ("int8", "int16", "int32", "int64"),
    "uint_types": ("uint8", "uint16", "uint32", "uint64"),
    "float_types": ("float16", "float32", "float64", "longdouble"),
    "complex_types": ("complex64", "complex128", "clongdouble"),
}
_GROUPS["integer_types"] = _GROUPS["int_types"] + _GROUPS["uint_types"]
_GROUPS["discrete_types"] = _GROUPS["bool_types"] + _GROUPS["integer_types"]
_GROUPS["continuous_types"] = _GROUPS["float_types"] + _GROUPS["complex_types"]
_GROUPS["all_types"] = _GROUPS["discrete_types"] + _GROUPS["continuous_types"]

__all__ = [
    "BinaryScalarOp", "Cast", "Clip", "Identity", "Imag", "Real", "ScalarConstant", "ScalarOp", "ScalarType",
    "ScalarVariable", "Second", "Ufunc", "UnaryScalarOp", "Where", "as_scalar", "expr", "float_out", "get_scalar_type",
    "int_out", "same_out", "same_out_float_only", "same_out_nobool", "specific_out", "transfer_type", "ufunc",
    "upcast", "upcast_out", "upcast_out_nobool", "upgrade_to_float", "upgrade_to_float64",
    "upgrade_to_float_no_complex",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is loaded when first asked for; ``float64`` and its like; ``float_types`` and its like; ``add``, ``sin``."""
    if name in _TYPES:
        return get_scalar_type(name)  # not kept here: one of the names is bool, and this module uses Python's
    if name in _GROUPS:
        return tuple([get_scalar_type(dtype) for dtype in _GROUPS[name]])
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module("opweld.scalar." + _HOME[name]), name)
    if name in NAMES:
        from opweld.scalar.ufuncs import ufunc

        return ufunc(name)
    from opweld.rooms import submodule

    return submodule(__name__, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_TYPES, *_GROUPS, *_HOME, *NAMES})
