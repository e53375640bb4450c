"""Ops of several matrices, one at least sparse, as Theano, Aesara and PyTensor have them: in Python, by SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.sparse_ops import transpose
from opweld.compat.sparse_parts import LikeFirst, SparseOp, _is_sparse_variable, by_lines, vector_of
from opweld.compat.sparse_types import Matrix, SparseType, as_sparse_or_tensor_variable, as_sparse_variable, sp
from opweld.graph.basic import Apply
from opweld.scalar.type import upcast
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.type import TensorType

__all__ = [
    "AddSD", "AddSS", "AddSSData", "ColScaleCSC", "Dot", "HStack", "MulSD", "MulSS", "MulSV", "RowScaleCSC",
    "SamplingDot", "StructuredAddSV", "StructuredDot", "TrueDot", "Usmm", "VStack", "_dot", "_structured_dot", "add",
    "add_s_d", "add_s_s", "add_s_s_data", "col_scale", "dot", "hstack", "mul", "mul_s_d", "mul_s_s", "mul_s_v",
    "row_scale", "sampling_dot", "structured_add_s_v", "structured_dot", "sub", "true_dot", "usmm", "vstack",
]  # fmt: skip


class AddSS(SparseOp):
    """Add two sparse matrices of one format."""

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """One sparse variable."""
        x, y = by_lines(x), by_lines(y)
        return Apply(self, [x, y], [SparseType(x.type.format, upcast(x.type.dtype, y.type.dtype))()])

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Where either has elements."""
        return x + y

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Either's."""
        return [input_shapes[0]]


class AddSSData(LikeFirst):
    """Add two sparse matrices that have elements at the same places."""

    def make_node(self, *inputs: Any) -> Apply:
        """One sparse variable, of the type that both have."""
        x, y = inputs
        x, y = by_lines(x), by_lines(y)
        if x.type != y.type:
            raise TypeError(f"{self}: expected two matrices of one type, got {x.type} and {y.type}")
        return Apply(self, [x, y], [x.type()])

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Element by element."""
        found = x.copy()
        found.data = x.data + y.data
        return found


class AddSD(SparseOp):
    """Add a sparse matrix and an array; the result is an array."""

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """One matrix."""
        x, y = as_sparse_variable(x), as_tensor_variable(y, ndim=2)
        return Apply(self, [x, y], [TensorType(upcast(x.type.dtype, y.type.dtype), y.type.shape)()])

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Everywhere."""
        return x.toarray() + y

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """The array's."""
        return [input_shapes[1]]


class StructuredAddSV(LikeFirst):
    """Add a vector to each row of a sparse matrix, where that has elements."""

    def make_node(self, *inputs: Any) -> Apply:
        """One sparse variable."""
        x, y = inputs
        x, y = by_lines(x), vector_of(y)
        if x.type.dtype != y.type.dtype:
            raise NotImplementedError(f"{self}: expected one dtype, got {x.type.dtype} and {y.type.dtype}")
        return Apply(self, [x, y], [x.type()])

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Leave zeros, stored or not, zero."""
        return x + (x.toarray() != 0) * y


class MulSS(AddSS):
    """Multiply two sparse matrices element by element."""

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Where both have elements."""
        return x.multiply(y)


class MulSD(LikeFirst):
    """Multiply a sparse matrix and an array, or a number, element by element."""

    def make_node(self, *inputs: Any) -> Apply:
        """One sparse variable."""
        x, y = inputs
        x, y = by_lines(x), as_tensor_variable(y)
        if y.type.ndim not in (0, 2):
            raise TypeError(f"{self}: expected a number or a matrix, got {y.type}")
        return Apply(self, [x, y], [SparseType(x.type.format, upcast(x.type.dtype, y.type.dtype))()])

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Keep the places of the elements."""
        lines = np.repeat(np.arange(len(x.indptr) - 1), np.diff(x.indptr))
        at = (lines, x.indices) if x.format == "csr" else (x.indices, lines)
        return type(x)((x.data * (y[at] if y.ndim else y), x.indices.copy(), x.indptr.copy()), x.shape)


class MulSV(StructuredAddSV):
    """Multiply each row of a sparse matrix by a vector, element by element."""

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Where it has elements."""
        return x.multiply(y)


class ColScaleCSC(LikeFirst):
    """Multiply each column of a matrix by a number."""

    def make_node(self, *inputs: Any) -> Apply:
        """One sparse variable."""
        x, s = inputs
        x, s = by_lines(x), vector_of(s)
        return Apply(self, [x, s], [x.type()])

    def compute(self, x: Matrix, s: Matrix) -> Any:
        """By a diagonal matrix."""
        return x @ sp.diags(s)


class RowScaleCSC(ColScaleCSC):
    """Multiply each row of a matrix by a number."""

    def compute(self, x: Matrix, s: Matrix) -> Any:
        """By a diagonal matrix."""
        return sp.diags(s) @ x


class HStack(SparseOp):
    """Put matrices side by side.

    Parameters
    ----------
    format : {"csc", "csr"}, optional
        Of the result.
    dtype : str
        Of the result.
    """

    __props__ = ("format", "dtype")
    axis = 1

    def __init__(self, format: str | None = None, dtype: str | None = None) -> None:
        if dtype is None:
            raise ValueError("the output's dtype must be given")
        self.format, self.dtype = format or "csc", dtype

    def make_node(self, *mat: Any) -> Apply:
        """One sparse variable."""
        if not mat:
            raise ValueError("expected at least one matrix")
        return Apply(self, [as_sparse_variable(x) for x in mat], [SparseType(self.format, self.dtype)()])

    def compute(self, *blocks: Matrix) -> Any:
        """Ask SciPy."""
        return (sp.hstack if self.axis else sp.vstack)(blocks, format=self.format, dtype=self.dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Add along one axis."""
        sizes = list(input_shapes[0])
        sizes[self.axis] = sum([shape[self.axis] for shape in input_shapes[1:]], sizes[self.axis])
        return [tuple(sizes)]


class VStack(HStack):
    """Put matrices one below the other."""

    axis = 0


class _Product(SparseOp):
    """A product of matrices, one of them sparse."""

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Ask SciPy, for either order."""
        if x.shape[-1] != y.shape[0]:
            raise ValueError(f"{self}: shapes do not match: {x.shape} and {y.shape}")
        return x @ y

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """All sizes but those in the middle."""
        return [(*input_shapes[0][:-1], *input_shapes[1][1:])]


class TrueDot(_Product):
    """Multiply a sparse matrix by another one, or by an array; the result is sparse."""

    def __init__(self, grad_preserves_dense: bool = True) -> None:
        self.grad_preserves_dense = grad_preserves_dense

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """One sparse variable."""
        x, y = by_lines(x), as_sparse_or_tensor_variable(y)
        if x.type.dtype != y.type.dtype:
            raise NotImplementedError(f"{self}: expected one dtype, got {x.type.dtype} and {y.type.dtype}")
        return Apply(self, [x, y], [SparseType(x.type.format, x.type.dtype)()])


class StructuredDot(_Product):
    """Multiply a sparse matrix by another one or by an array; the result is of the other one's kind."""

    def make_node(self, a: Matrix, b: Matrix) -> Apply:
        """A matrix, sparse or not."""
        a, b = as_sparse_variable(a), as_sparse_or_tensor_variable(b)
        if b.type.ndim != 2:
            raise NotImplementedError(f"{self}: expected a matrix, got {b.type}")
        dtype = upcast(a.type.dtype, b.type.dtype)
        made = (
            SparseType(a.type.format, dtype) if _is_sparse_variable(b) else TensorType(dtype, (None, b.type.shape[1]))
        )
        return Apply(self, [a, b], [made()])


class Dot(_Product):
    """Multiply two matrices, or a matrix and a vector, one of them sparse; the result is dense."""

    def __str__(self) -> str:
        return "SparseDot"

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """A matrix or a vector."""
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not (_is_sparse_variable(x) or _is_sparse_variable(y)):
            raise TypeError(f"{self}: one input must be sparse, got {x.type} and {y.type}")
        for at, variable in enumerate((x, y)):
            if variable.type.ndim not in (1, 2):
                raise TypeError(f"{self}: input {at} must be a vector or a matrix, got {variable.type}")
        shape = (*x.type.shape[:-1], *y.type.shape[1:])
        return Apply(self, [x, y], [TensorType(upcast(x.type.dtype, y.type.dtype), shape)()])


class SamplingDot(SparseOp):
    """Multiply arrays, ``x y.T``, where a sparse matrix has elements, and by those."""

    def make_node(self, x: Matrix, y: Matrix, p: Matrix) -> Apply:
        """One sparse variable."""
        x, y, p = as_tensor_variable(x, ndim=2), as_tensor_variable(y, ndim=2), by_lines(p)
        return Apply(self, [x, y, p], [p.type()])

    def compute(self, x: Matrix, y: Matrix, p: Matrix) -> Any:
        """All of it, then those elements."""
        return p.multiply(np.dot(x, y.T))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """The sparse matrix's."""
        return [input_shapes[2]]


class Usmm(SparseOp):
    """Compute ``alpha x y + z``; `x` or `y` is sparse, the rest dense."""

    def make_node(self, alpha: Matrix, x: Matrix, y: Matrix, z: Matrix) -> Apply:
        """One matrix."""
        alpha, z = as_tensor_variable(alpha), as_tensor_variable(z, ndim=2)
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not (_is_sparse_variable(x) or _is_sparse_variable(y)):
            raise TypeError(f"{self}: x or y must be sparse, got {x.type} and {y.type}")
        dtype = upcast(*[variable.type.dtype for variable in (alpha, x, y, z)])
        return Apply(self, [alpha, x, y, z], [TensorType(dtype, (None, None))()])

    def compute(self, alpha: Matrix, x: Matrix, y: Matrix, z: Matrix) -> Any:
        """Ask SciPy."""
        product = x @ y
        return (product.toarray() if sp.issparse(product) else product) * alpha.reshape(()) + z


add_s_s, add_s_s_data, add_s_d, structured_add_s_v = AddSS(), AddSSData(), AddSD(), StructuredAddSV()
mul_s_s, mul_s_d, mul_s_v = MulSS(), MulSD(), MulSV()
_structured_dot, _dot, sampling_dot, usmm = StructuredDot(), Dot(), SamplingDot(), Usmm()


def _pair(x: Matrix, y: Matrix, what: str) -> tuple[Any, Any, bool, bool]:
    """Two variables, and which are sparse: one at least. A number of Python's takes the other's dtype where it can."""
    x, y = _weak(x, y), _weak(y, x)
    sparse = _is_sparse_variable(x), _is_sparse_variable(y)
    if not any(sparse):
        raise TypeError(f"sparse.{what}: one input must be sparse, got {x.type} and {y.type}")
    return x, y, *sparse


def _weak(x: Matrix, other: Matrix) -> Any:
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        x = np.asarray(x, np.result_type(type(x)(0), np.empty(0, getattr(other, "dtype", None))))
    return as_sparse_or_tensor_variable(x)


def add(x: Matrix, y: Matrix) -> Any:
    """Add two matrices, one at least sparse; the result is sparse where both are."""
    x, y, left, right = _pair(x, y, "add")
    return add_s_s(x, y) if left and right else add_s_d(x, y) if left else add_s_d(y, x)


def sub(x: Matrix, y: Matrix) -> Any:
    """Subtract a matrix from another one, one at least sparse."""
    x, y, _, _ = _pair(x, y, "sub")
    return add(x, -y)


def mul(x: Matrix, y: Matrix) -> Any:
    """Multiply two matrices element by element, one at least sparse: as the result is."""
    x, y, left, right = _pair(x, y, "mul")
    return mul_s_s(x, y) if left and right else mul_s_d(x, y) if left else mul_s_d(y, x)


def dot(x: Matrix, y: Matrix) -> Any:
    """Multiply two matrices, one at least sparse; the result is dense."""
    return _dot(x, y)


def structured_dot(x: Matrix, y: Matrix) -> Any:
    """Multiply two matrices, one at least sparse; the result is sparse where both are."""
    x, y, left, _ = _pair(x, y, "structured_dot")
    return _structured_dot(x, y) if left else _structured_dot(y.T, x.T).T


def true_dot(x: Matrix, y: Matrix, grad_preserves_dense: bool = True) -> Any:
    """Multiply two matrices, one at least sparse; the result is sparse."""
    x, y, left, _ = _pair(x, y, "true_dot")
    product = TrueDot(grad_preserves_dense)
    return product(x, y) if left else transpose(product(y.T, x.T))


def col_scale(x: Matrix, s: Matrix) -> Any:
    """Multiply each column of a sparse matrix by a number."""
    return ColScaleCSC()(x, s)


def row_scale(x: Matrix, s: Matrix) -> Any:
    """Multiply each row of a sparse matrix by a number."""
    return RowScaleCSC()(x, s)


def _stacked(op: type[HStack], blocks: Matrix, format: str | None, dtype: str | None) -> Any:
    blocks = [as_sparse_variable(block) for block in blocks]
    return op(format, dtype or upcast(*[block.dtype for block in blocks]))(*blocks)


def hstack(blocks: Matrix, format: str | None = None, dtype: str | None = None) -> Any:
    """Put sparse matrices side by side; by columns unless `format` says otherwise."""
    return _stacked(HStack, blocks, format, dtype)


def vstack(blocks: Matrix, format: str | None = None, dtype: str | None = None) -> Any:
    """Put sparse matrices one below the other; by columns unless `format` says otherwise."""
    return _stacked(VStack, blocks, format, dtype)
