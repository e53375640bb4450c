"""How output types follow from input types: what a `ScalarOp` is given as ``output_types_preference``."""

from __future__ import annotations

from typing import Any

from opweld.dtypes import dtype_of, upcast
from opweld.graph.basic import Props
from opweld.scalar.type import ScalarType, get_scalar_type

__all__ = [
    "float_out", "int_out", "same_out", "same_out_float_only", "same_out_nobool", "specific_out", "transfer_type",
    "upcast_out", "upcast_out_nobool", "upgrade_to_float", "upgrade_to_float64", "upgrade_to_float_no_complex",
]  # fmt: skip

_FLOAT_OF = {
    "bool": "float32", "int8": "float32", "int16": "float32", "int32": "float64", "int64": "float64",
    "uint8": "float32", "uint16": "float32", "uint32": "float64", "uint64": "float64",
}  # fmt: skip


def _kind(type_: ScalarType) -> str:
    return dtype_of(type_.dtype).np.kind


def same_out(type: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type of the one input.

    Examples
    --------
    >>> opweld.scalar.same_out(opweld.scalar.int8)
    (ScalarType('int8'),)
    """
    return (type,)


def same_out_nobool(type: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type of the one input, which must not be bool.

    Examples
    --------
    >>> opweld.scalar.same_out_nobool(opweld.scalar.int8)
    (ScalarType('int8'),)
    """
    if type.dtype == "bool":
        raise TypeError("bool is not supported")
    return (type,)


def same_out_float_only(type: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type of the one input, which must be a float type.

    Examples
    --------
    >>> opweld.scalar.same_out_float_only(opweld.scalar.float32)
    (ScalarType('float32'),)
    """
    if _kind(type) != "f":
        raise TypeError(f"only float types are supported, got {type}")
    return (type,)


def upcast_out(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type that holds every value of all.

    Examples
    --------
    >>> opweld.scalar.upcast_out(opweld.scalar.int8, opweld.scalar.float32)
    (ScalarType('float32'),)
    """
    return (get_scalar_type(upcast(*[type.dtype for type in types])),)


def upcast_out_nobool(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type that holds every value of all; bool is refused.

    Examples
    --------
    >>> opweld.scalar.upcast_out_nobool(opweld.scalar.int8, opweld.scalar.int64)
    (ScalarType('int64'),)
    """
    found = upcast_out(*types)
    if found[0].dtype == "bool":
        raise TypeError("bool output is not supported")
    return found


def upgrade_to_float(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give the type that holds every value of all, after integers became float32, those of 32 bits or more float64.

    Examples
    --------
    >>> opweld.scalar.upgrade_to_float(opweld.scalar.int8, opweld.scalar.int64)
    (ScalarType('float64'),)
    """
    return (get_scalar_type(upcast(*[_FLOAT_OF.get(type.dtype, type.dtype) for type in types])),)


def upgrade_to_float_no_complex(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give what `upgrade_to_float` gives; complex types are refused.

    Examples
    --------
    >>> opweld.scalar.upgrade_to_float_no_complex(opweld.scalar.int8)
    (ScalarType('float32'),)
    """
    for type in types:
        if _kind(type) == "c":
            raise TypeError(f"complex types are not supported, got {type}")
    return upgrade_to_float(*types)


def upgrade_to_float64(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give float64.

    Examples
    --------
    >>> opweld.scalar.float_out(opweld.scalar.int32)
    (ScalarType('float64'),)
    """
    return (get_scalar_type("float64"),)


float_out = upgrade_to_float64


def int_out(*types: ScalarType) -> tuple[ScalarType, ...]:
    """Give int64.

    Examples
    --------
    >>> opweld.scalar.int_out(opweld.scalar.float32)
    (ScalarType('int64'),)
    """
    return (get_scalar_type("int64"),)


class transfer_type(Props):  # named and used as a function
    """Give each output the type of an input.

    Parameters
    ----------
    *transfer : int or None
        One entry for each output: the input's position; None: the type that holds every value of all.

    Examples
    --------
    >>> opweld.scalar.transfer_type(1)(opweld.scalar.int8, opweld.scalar.float32)
    [ScalarType('float32')]
    """

    __props__ = ("transfer",)

    def __init__(self, *transfer: int | None) -> None:
        for entry in transfer:
            if entry is not None and (isinstance(entry, bool) or not isinstance(entry, int)):
                raise TypeError(f"transfer_type: expected positions of inputs or None, got {entry!r}")
        self.transfer = transfer

    def __call__(self, *types: ScalarType) -> list[ScalarType]:
        """Give the output types."""
        return [upcast_out(*types)[0] if entry is None else types[entry] for entry in self.transfer]


class specific_out(Props):  # named and used as a function
    """Give the outputs these types.

    Parameters
    ----------
    *spec : ScalarType
        One for each output.

    Examples
    --------
    >>> opweld.scalar.specific_out(opweld.scalar.int8)(opweld.scalar.float64)
    (ScalarType('int8'),)
    """

    __props__ = ("spec",)

    def __init__(self, *spec: ScalarType) -> None:
        self.spec = spec

    def __call__(self, *types: Any) -> tuple[ScalarType, ...]:
        """Give the output types."""
        return self.spec
