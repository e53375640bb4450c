"""Ops of one sparse matrix, as Theano, Aesara and PyTensor have them: SciPy computes them, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.sparse_parts import LikeFirst, SparseOp, by_lines, vector_of
from opweld.compat.sparse_types import Matrix, SparseType, as_sparse_variable, sp
from opweld.graph.basic import Apply
from opweld.tensor.type import TensorType

__all__ = [
    "Cast", "Diag", "EnsureSortedIndices", "Neg", "Remove0", "SpSum", "SquareDiagonal", "Transpose", "cast", "clean",
    "diag", "ensure_sorted_indices", "neg", "remove0", "sp_sum", "square_diagonal", "transpose",
]  # fmt: skip


class Cast(LikeFirst):
    """Give a matrix in another dtype."""

    __props__ = ("out_type",)

    def __init__(self, out_type: str) -> None:
        self.out_type = out_type

    def make_node(self, x: Matrix) -> Apply:
        """One sparse variable."""
        x = as_sparse_variable(x)
        return Apply(self, [x], [SparseType(x.type.format, self.out_type)()])

    def compute(self, x: Matrix) -> Any:
        """Convert the elements; a copy in any case."""
        return x.astype(self.out_type)


def cast(variable: Matrix, dtype: str) -> Any:
    """Give a matrix in another dtype."""
    return Cast(dtype)(variable)


class Transpose(SparseOp):
    """Give a matrix transposed: by rows for one by columns; the elements are shared."""

    view_map = {0: [0]}
    format_map = {"csr": "csc", "csc": "csr"}

    def make_node(self, x: Matrix) -> Apply:
        """One sparse variable of the other format."""
        x = by_lines(x)
        return Apply(self, [x], [SparseType(self.format_map[x.type.format], x.type.dtype, x.type.shape[::-1])()])

    def compute(self, x: Matrix) -> Any:
        """Ask it."""
        return x.transpose()

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Swap the sizes."""
        return [input_shapes[0][::-1]]


class Neg(LikeFirst):
    """Negate the elements."""

    def compute(self, x: Matrix) -> Any:
        """Ask it."""
        return -x


class SquareDiagonal(SparseOp):
    """Make a square matrix by columns of its diagonal."""

    def make_node(self, diag: Matrix) -> Apply:
        """One sparse variable."""
        diag = vector_of(diag)
        return Apply(self, [diag], [SparseType("csc", diag.dtype)()])

    def compute(self, diag: Matrix) -> Any:
        """Leave the rest empty."""
        return sp.diags(diag, format="csc")

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Its length, twice."""
        return [(input_shapes[0][0], input_shapes[0][0])]


class Diag(SparseOp):
    """Give the diagonal of a square matrix, as an array."""

    def make_node(self, x: Matrix) -> Apply:
        """One vector."""
        x = as_sparse_variable(x)
        return Apply(self, [x], [TensorType(x.type.dtype, (None,))()])

    def compute(self, x: Matrix) -> Any:
        """Refuse another matrix."""
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"Diag: expected a square matrix, got shape {x.shape}")
        return x.diagonal()

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """The smaller size: the same."""
        return [(input_shapes[0][0],)]


class MaybeInPlace(LikeFirst):
    """An op that may write over its matrix.

    Parameters
    ----------
    inplace : bool
        Whether it does.
    """

    __props__ = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}


class EnsureSortedIndices(MaybeInPlace):
    """Give a matrix with the indices of each line in order."""

    def compute(self, x: Matrix) -> Any:
        """Sort, in place or not."""
        if self.inplace:
            x.sort_indices()
            return x
        return x.sorted_indices()


class Remove0(MaybeInPlace):
    """Give a matrix without stored zeros."""

    def compute(self, x: Matrix) -> Any:
        """Drop them, in place or not."""
        kept = x if self.inplace else x.copy()
        kept.eliminate_zeros()
        return kept


class SpSum(SparseOp):
    """Add up the elements along an axis, or all."""

    __props__ = ("axis",)

    def __init__(self, axis: int | None = None, sparse_grad: bool = True) -> None:
        if axis not in (None, 0, 1):
            raise ValueError(f"SpSum: axis must be None, 0 or 1, got {axis!r}")
        self.axis = axis
        self.structured = sparse_grad

    def make_node(self, x: Matrix) -> Apply:
        """A vector, or a number."""
        x = by_lines(x)
        return Apply(self, [x], [TensorType(x.type.dtype, () if self.axis is None else (None,))()])

    def compute(self, x: Matrix) -> Any:
        """Ask it."""
        found = np.asarray(x.sum(self.axis))
        return found if self.axis is None else found.ravel()

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """The other size."""
        return [() if self.axis is None else (input_shapes[0][1 - self.axis],)]


transpose, neg, diag, square_diagonal = Transpose(), Neg(), Diag(), SquareDiagonal()
remove0, ensure_sorted_indices = Remove0(), EnsureSortedIndices()


def clean(x: Matrix) -> Any:
    """Give a matrix without stored zeros and with indices in order."""
    return ensure_sorted_indices(remove0(x))


def sp_sum(x: Matrix, axis: int | None = None, sparse_grad: bool = False) -> Any:
    """Add up the elements along an axis, or all; the result is dense."""
    return SpSum(axis, sparse_grad)(x)
