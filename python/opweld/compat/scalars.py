"""What is computed of one element, as Theano, Aesara and PyTensor have it: classes whose C is C++."""

from __future__ import annotations

import threading
from typing import Any, TypeAlias, cast

from opweld.compat.bases import COp
from opweld.dtypes import dtype_of, upcast
from opweld.scalar import arity as _arity
from opweld.scalar import op as _op
from opweld.scalar.type import ScalarType, get_scalar_type

__all__ = [
    "BinaryBitOp",
    "BinaryScalarOp",
    "LogicalComparison",
    "FixedLogicalComparison",
    "ScalarOp",
    "UnaryBitOp",
    "UnaryScalarOp",
]

_asked = threading.local()  # ops whose make_node is being asked for types
Element: TypeAlias = Any  # a scalar's value: one of NumPy's or Python's numbers; or its variable


class ScalarOp(COp, _op.ScalarOp):
    """`opweld.scalar.ScalarOp`, with C++ in `c_code`.

    Attributes
    ----------
    commutative, associative : bool
        For rewriters of one's own; opweld reads neither.
    """

    kin = (_op.ScalarOp,)
    commutative = False
    associative = False

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the output types: as the class's own `make_node` makes them, where it writes one."""
        asked = _asked.__dict__.setdefault("ops", [])
        if type(self).make_node is _op.ScalarOp.make_node or self in asked:  # its make_node may ask in turn
            return super().output_types(types)
        asked.append(self)
        try:
            return [cast(ScalarType, made.type) for made in self.make_node(*[type_() for type_ in types]).outputs]
        finally:
            asked.pop()


def _takes(op: object, number: int) -> bool:
    """Whether an object is an op of the library's of so many inputs."""
    return isinstance(op, _op.ScalarOp) and type(op).__module__.startswith("opweld.scalar.") and op.nin == number


class UnaryScalarOp(ScalarOp, _arity.UnaryScalarOp):
    """`opweld.scalar.UnaryScalarOp`, with C++ in `c_code`."""

    kin = (_arity.UnaryScalarOp,)
    takes = staticmethod(lambda op: _takes(op, 1))


class BinaryScalarOp(ScalarOp, _arity.BinaryScalarOp):
    """`opweld.scalar.BinaryScalarOp`, with C++ in `c_code`."""

    kin = (_arity.BinaryScalarOp,)
    takes = staticmethod(lambda op: _takes(op, 2))


class LogicalComparison(BinaryScalarOp):
    """An op of two inputs whose output is bool."""

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give bool."""
        return [get_scalar_type("bool")]


class FixedLogicalComparison(UnaryScalarOp):
    """An op of one input whose output is bool."""

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give bool."""
        return [get_scalar_type("bool")]


def _bits(op: object, types: list[ScalarType]) -> list[ScalarType]:
    for type_ in types:
        if dtype_of(type_.dtype).np.kind not in "biu":
            raise TypeError(f"{op}: expected bool or integers, got {type_.dtype}")
    return [get_scalar_type(upcast(*[type_.dtype for type_ in types]))]


class UnaryBitOp(UnaryScalarOp):
    """An op of one bool or integer, whose type its output has."""

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the input's type.

        Raises
        ------
        TypeError
            Of anything but a bool or an integer.
        """
        return _bits(self, types)


class BinaryBitOp(BinaryScalarOp):
    """An op of two bools or integers, whose output holds the values of both."""

    def output_types(self, types: list[ScalarType]) -> list[ScalarType]:
        """Give the type that holds the values of both.

        Raises
        ------
        TypeError
            Of anything but bools and integers.
        """
        return _bits(self, types)
