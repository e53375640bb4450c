"""Scalars: one number, without an array around it; and what is computed of one element of an array.

The types by name (``float64``), NumPy's elementwise functions as ops (``add``), and the classes that ops are made of.
"""

from opweld.dtypes import GROUPS, TYPES
from opweld.operations import NAMES
from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__,
    {
        "basic": ("Cast", "Clip", "Erf", "Erfc", "Identity", "Imag", "Real", "Second", "Where"),
        "expression": ("expr",),
        "arity": ("BinaryScalarOp", "UnaryScalarOp"),
        "op": ("ScalarOp",),
        "preferences": (
            "float_out", "int_out", "same_out", "same_out_float_only", "same_out_nobool", "specific_out",
            "transfer_type", "upcast_out", "upcast_out_nobool", "upgrade_to_float", "upgrade_to_float64",
            "upgrade_to_float_no_complex",
        ),
        "ufuncs": ("Ufunc", "ufunc"),
        "type": ("ScalarConstant", "ScalarType", "ScalarVariable", "as_scalar", "get_scalar_type"),
        "opweld.dtypes": ("upcast",),
    },
    {"type:get_scalar_type": TYPES, "type:group": GROUPS, "ufuncs:ufunc": NAMES},
)  # fmt: skip
