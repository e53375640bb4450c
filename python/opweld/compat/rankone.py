"""The BLAS operations of one matrix and vectors, as Theano, Aesara and PyTensor name them: in Python, by NumPy.

Old ops over them write the C.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.bases import COp, ShapeOfFirst
from opweld.graph.basic import Apply, Variable
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import TensorLike

__all__ = ["Gemv", "Ger", "gemv_inplace", "gemv_no_inplace", "ger", "ger_destructive"]


def _alike(op: object, *variables: Variable) -> None:
    kinds = {variable.type.dtype for variable in variables}
    if len(kinds) > 1:
        raise TypeError(f"{op}: expected one dtype, got {', '.join(sorted(kinds))}")
    if not next(iter(kinds)).startswith(("float", "complex")):
        raise TypeError(f"{op}: expected floats or complex numbers, got {', '.join(kinds)}")


def _dims(op: object, **wanted: tuple[Variable, int]) -> None:
    for name, (variable, ndim) in wanted.items():
        if variable.type.ndim != ndim:
            raise TypeError(f"{op}: {name} must have {ndim} dimensions, got {variable.type}")


class Ger(ShapeOfFirst, COp):
    """``A + alpha * outer(x, y)``.

    Parameters
    ----------
    destructive : bool
        Write over A.
    """

    __props__: tuple[str, ...] | None = ("destructive",)

    def __init__(self, destructive: bool) -> None:
        self.destructive = destructive
        if destructive:
            self.destroy_map = {0: [0]}

    def make_node(
        self, A: TensorLike, alpha: TensorLike, x: TensorLike, y: TensorLike
    ) -> Apply:  # the names that it had
        """Build the node.

        Raises
        ------
        TypeError
            If dtypes differ, or dimensions are not 2, 0, 1, 1.
        """
        A, alpha, x, y = map(as_tensor_variable, (A, alpha, x, y))
        _alike(self, A, alpha, x, y)
        _dims(self, A=(A, 2), alpha=(alpha, 0), x=(x, 1), y=(y, 1))
        return Apply(self, [A, alpha, x, y], [A.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]], params: object = None) -> None:
        """Compute with NumPy."""
        a, alpha, x, y = inputs
        found = a if self.destructive else a.copy()
        found += alpha * np.outer(x, y)
        output_storage[0][0] = found


class Gemv(ShapeOfFirst, COp):
    """``beta * y + alpha * dot(A, x)``.

    Parameters
    ----------
    inplace : bool
        Write over y.
    """

    __props__: tuple[str, ...] | None = ("inplace",)

    def __init__(self, inplace: bool) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, y: TensorLike, alpha: TensorLike, A: TensorLike, x: TensorLike, beta: TensorLike) -> Apply:
        """Build the node.

        Raises
        ------
        TypeError
            If dtypes differ, or dimensions are not 1, 0, 2, 1, 0.
        """
        y, alpha, A, x, beta = map(as_tensor_variable, (y, alpha, A, x, beta))
        _alike(self, y, A, x)
        _dims(self, y=(y, 1), alpha=(alpha, 0), A=(A, 2), x=(x, 1), beta=(beta, 0))
        alpha, beta = [s if s.type.dtype == y.type.dtype else s.astype(y.type.dtype) for s in (alpha, beta)]
        return Apply(self, [y, alpha, A, x, beta], [y.type()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]], params: object = None) -> None:
        """Compute with NumPy."""
        y, alpha, a, x, beta = inputs
        if a.shape != (len(y), len(x)):
            raise ValueError(
                f"Incompatible shapes for gemv (beta * y + alpha * dot(A, x)): {y.shape} {a.shape} {x.shape}"
            )
        found = alpha * np.dot(a, x) + (beta * y if beta != 0 else 0)
        if self.inplace:
            y[...] = found
        output_storage[0][0] = y if self.inplace else np.asarray(found, y.dtype)


ger, ger_destructive = Ger(destructive=False), Ger(destructive=True)
gemv_no_inplace, gemv_inplace = Gemv(inplace=False), Gemv(inplace=True)
