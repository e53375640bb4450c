"""Scalar ops by the number of their inputs, for users' classes."""

from __future__ import annotations

from opweld.scalar.op import ScalarOp

__all__ = ["BinaryScalarOp", "UnaryScalarOp"]


class UnaryScalarOp(ScalarOp):
    """A `ScalarOp` of one input."""

    nin = 1


class BinaryScalarOp(ScalarOp):
    """A `ScalarOp` of two inputs."""

    nin = 2
