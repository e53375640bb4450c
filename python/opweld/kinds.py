"""Names that are made of a dtype: of the types of scalars and their groups, and of the constructors of variables."""

from __future__ import annotations

__all__ = ["CONSTRUCTORS", "GROUPS", "KINDS", "PREFIXES", "TYPES"]

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
