"""Scalar ops by the number of their inputs, for users' classes."""

from __future__ import annotations

from opweld.scalar.op import ScalarOp

__all__ = ["BinaryScalarOp", "UnaryScalarOp"]


class UnaryScalarOp(ScalarOp):
    """A `ScalarOp` of one input.

    Examples
    --------
    >>> class Cube(opweld.scalar.UnaryScalarOp):
    ...     def output_types(self, types):
    ...         return types
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = {inputs[0]} * {inputs[0]} * {inputs[0]};"
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.Elemwise(Cube())(x))([2.0, 3.0])
    array([ 8., 27.])
    """

    nin = 1


class BinaryScalarOp(ScalarOp):
    """A `ScalarOp` of two inputs.

    Examples
    --------
    >>> class Hypot(opweld.scalar.BinaryScalarOp):
    ...     def output_types(self, types):
    ...         return [opweld.scalar.float64]
    ...     def c_code(self, node, name, inputs, outputs, sub):
    ...         return f"{outputs[0]} = sqrt({inputs[0]} * {inputs[0]} + {inputs[1]} * {inputs[1]});"
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.Elemwise(Hypot())(x, y))([3.0], [4.0])
    array([5.])
    """

    nin = 2
