"""Sparse matrices taken apart and put together, as Theano, Aesara and PyTensor have it: in Python, by SciPy.

An op in C takes a matrix apart by `csm_properties`, or reads its four arrays (`opweld.compat.sparse_types`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.bases import Op, ShapeOfFirst
from opweld.compat.sparse_types import Matrix, SparseType, as_sparse_variable, sp
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.type import TensorType

__all__ = [
    "CSC", "CSM", "CSMGrad", "CSMProperties", "CSR", "DenseFromSparse", "LikeFirst", "SparseFromDense", "SparseOp",
    "_is_dense", "_is_dense_variable", "_is_sparse", "_is_sparse_variable", "by_lines", "csc_from_dense", "csm_data",
    "csm_grad", "csm_indices", "csm_indptr", "csm_properties", "csm_shape", "csr_from_dense", "dense_from_sparse",
    "sp_ones_like", "sp_zeros_like", "vector_of",
]  # fmt: skip


def _is_sparse(x: object) -> bool:
    """Say whether a value is a sparse matrix."""
    return bool(sp.issparse(x))


def _is_dense(x: object) -> bool:
    """Say whether a value is an array."""
    return isinstance(x, np.ndarray)


def _is_sparse_variable(x: Matrix) -> bool:
    """Say whether a variable is one of sparse matrices."""
    return isinstance(x.type, SparseType)


def _is_dense_variable(x: Matrix) -> bool:
    """Say whether a variable is a tensor."""
    return isinstance(x.type, TensorType)


def by_lines(x: Matrix) -> Any:
    """Give the variable of a matrix by rows or by columns, or refuse."""
    x = as_sparse_variable(x)
    if x.type.format not in ("csr", "csc"):
        raise TypeError(f"expected a matrix in the format csr or csc, got {x.type}")
    return x


def vector_of(x: Matrix) -> Any:
    """Give the variable of a vector, or refuse."""
    x = as_tensor_variable(x)
    if x.type.ndim != 1:
        raise TypeError(f"expected a vector, got {x.type}")
    return x


class SparseOp(Op):
    """An op that SciPy computes; a subclass writes `make_node` and `compute`."""

    __props__: tuple[str, ...] | None = ()

    def compute(self, *values: Any) -> Any:
        """Give the output's value, of any class and dtype."""
        raise NotImplementedError

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compute, and bring the result into the output's class and dtype."""
        found, type_ = self.compute(*inputs), node.outputs[0].type
        if isinstance(type_, SparseType):
            found = type_.format_cls[type_.format](found)
            output_storage[0][0] = found.astype(type_.dtype, copy=False)
        else:
            found = found.toarray() if sp.issparse(found) else np.asarray(found)
            output_storage[0][0] = found.astype(type_.dtype, copy=False).reshape(found.shape[: type_.ndim])


class LikeFirst(ShapeOfFirst, SparseOp):
    """An op whose output has the shape of its first input, and unless it says otherwise the type."""

    def make_node(self, *inputs: Any) -> Apply:
        """One sparse variable."""
        (x,) = map(by_lines, inputs)
        return Apply(self, [x], [x.type()])


class CSMProperties(Op):
    """Take a matrix apart: data, indices, indptr and shape, the last three int32."""

    __props__ = ()
    view_map = {0: [0], 1: [0], 2: [0]}

    def make_node(self, csm: Matrix) -> Apply:
        """Four vectors."""
        csm = by_lines(csm)
        whole = TensorType("int32", (None,))
        return Apply(
            self, [csm], [TensorType(csm.type.dtype, (None,))(), whole(), whole(), TensorType("int32", (2,))()]
        )

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Ask the matrix."""
        csm = inputs[0]
        output_storage[0][0] = csm.data
        for cell, part in zip(output_storage[1:], (csm.indices, csm.indptr, csm.shape)):
            cell[0] = np.asarray(part, "int32")


csm_properties = CSMProperties()


def csm_data(csm: Matrix) -> Any:
    """Give the stored elements of a matrix."""
    return csm_properties(csm)[0]


def csm_indices(csm: Matrix) -> Any:
    """Give in which column, or row, each stored element of a matrix is."""
    return csm_properties(csm)[1]


def csm_indptr(csm: Matrix) -> Any:
    """Give where the rows, or columns, of a matrix begin."""
    return csm_properties(csm)[2]


def csm_shape(csm: Matrix) -> Any:
    """Give the two sizes of a matrix, as int32."""
    return csm_properties(csm)[3]


class CSM(Op):
    """Put a matrix together from data, indices, indptr and shape.

    Parameters
    ----------
    format : {"csr", "csc"}
        Which class of `scipy.sparse`.
    """

    __props__ = ("format",)
    view_map = {0: [0]}

    def __init__(self, format: str) -> None:
        if format not in ("csr", "csc"):
            raise ValueError(f"format must be 'csr' or 'csc', got {format!r}")
        self.format = format

    def make_node(self, data: Matrix, indices: Matrix, indptr: Matrix, shape: Matrix) -> Apply:
        """One sparse variable; what is no variable among the last three becomes a constant of int32."""
        data, parts = vector_of(data), []
        for part in (indices, indptr, shape):
            if not isinstance(part, Variable):
                whole = np.asarray(part)
                part = whole.astype("int32")
                if (whole != part).any():
                    raise ValueError("indices, indptr and shape must fit into int32")
            part = vector_of(part)
            if np.dtype(part.dtype).kind not in "iu":
                raise TypeError(f"indices, indptr and shape must be vectors of integers, got {part.type}")
            parts.append(part)
        return Apply(self, [data, *parts], [SparseType(self.format, data.dtype)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Let the matrix have the data itself, and copies of the rest."""
        data, indices, indptr, shape = inputs
        if len(shape) != 2:
            raise ValueError(f"{self}: shape must have 2 elements, got {len(shape)}")
        if data.shape != indices.shape:
            raise ValueError(f"{self}: data and indices differ in length: {len(data)} and {len(indices)}")
        cls = SparseType.format_cls[self.format]
        output_storage[0][0] = cls((data, indices.copy(), indptr.copy()), tuple(map(int, shape)), copy=False)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give what the last input says."""
        shape: Matrix = node.inputs[3]
        return [(shape[0], shape[1])]


CSC, CSR = CSM("csc"), CSM("csr")


class CSMGrad(SparseOp):
    """Give what a matrix, taken apart, holds at the places of another's elements.

    Parameters
    ----------
    kmap : None
        There is none.
    """

    def __init__(self, kmap: None = None) -> None:
        if kmap is not None:
            raise ValueError(f"{type(self).__name__}: kmap is gone, got {_what(kmap)}")

    def make_node(self, *parts: Any) -> Apply:
        """Four vectors of each; the second's data sets the dtype."""
        if len(parts) != 8:
            raise TypeError(f"{self}: expected 8 inputs, got {len(parts)}")
        return Apply(self, parts, [parts[4].type()])

    def compute(self, x_data: Matrix, x_indices: Matrix, x_indptr: Matrix, x_shape: Matrix, *g: Any) -> Any:
        """Line by line."""
        g_data, g_indices, g_indptr, _ = g
        line = np.zeros(x_shape[1] if len(x_indptr) - 1 == x_shape[0] else x_shape[0], g_data.dtype)
        found = np.zeros(x_data.shape, g_data.dtype)
        for x0, x1, g0, g1 in zip(x_indptr, x_indptr[1:], g_indptr, g_indptr[1:]):
            np.add.at(line, g_indices[g0:g1], g_data[g0:g1])
            found[x0:x1] = line[x_indices[x0:x1]]
            line[g_indices[g0:g1]] = 0
        return found

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """As many as the first has indices."""
        return [input_shapes[1]]


csm_grad = CSMGrad


def sp_ones_like(x: Matrix) -> Any:
    """Give a matrix of ones where `x` has elements."""
    data, indices, indptr, shape = csm_properties(x)
    return CSM(x.format)(data * 0 + 1, indices, indptr, shape)


def sp_zeros_like(x: Matrix) -> Any:
    """Give a matrix of the shape of `x` without elements."""
    _, _, indptr, shape = csm_properties(x)
    return CSM(x.format)(np.array([], x.type.dtype), np.array([], "int32"), indptr * 0, shape)


class DenseFromSparse(LikeFirst):
    """Give a matrix as an array."""

    def __init__(self, structured: bool = True) -> None:
        self.sparse_grad = structured

    def make_node(self, x: Matrix) -> Apply:
        """One matrix."""
        x = as_sparse_variable(x)
        return Apply(self, [x], [TensorType(x.type.dtype, x.type.shape)()])

    def compute(self, x: Matrix) -> Any:
        """Ask it."""
        return x.toarray()


dense_from_sparse = DenseFromSparse()


class SparseFromDense(LikeFirst):
    """Make a sparse matrix of an array of two dimensions at most.

    Parameters
    ----------
    format : {"csr", "csc", "bsr"}
        Which.
    """

    __props__ = ("format",)

    def __init__(self, format: str) -> None:
        self.format = format

    def make_node(self, x: Matrix) -> Apply:
        """One sparse variable."""
        x = as_tensor_variable(x)
        if x.type.ndim > 2:
            raise TypeError(f"a sparse matrix has 2 dimensions, got {x.type}")
        if x.type.ndim < 2:
            x = x.dimshuffle(*"xx"[x.type.ndim :], *range(x.type.ndim))
        return Apply(self, [x], [SparseType(self.format, x.type.dtype)()])

    def compute(self, x: Matrix) -> Any:
        """Leave it to the output's class."""
        return x


csr_from_dense, csc_from_dense = SparseFromDense("csr"), SparseFromDense("csc")
