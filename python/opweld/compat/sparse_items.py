"""Parts of a sparse matrix, and comparisons, as Theano, Aesara and PyTensor have them: in Python, by SciPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

from opweld.compat.bases import Kin
from opweld.compat.sparse_parts import SparseOp, _is_sparse_variable, by_lines
from opweld.compat.sparse_types import Matrix, SparseType, as_sparse_or_tensor_variable, sp
from opweld.compat.values import NoneConst
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.type import TensorType

__all__ = [
    "ConstructSparseFromList", "EqualSD", "EqualSS", "GetItem2Lists", "GetItem2d", "GetItemList", "GetItemScalar",
    "GreaterEqualSD", "GreaterEqualSS", "GreaterThanSD", "GreaterThanSS", "LessEqualSD", "LessEqualSS", "LessThanSD",
    "LessThanSS", "NotEqualSD", "NotEqualSS", "construct_sparse_from_list", "eq", "equal_s_d", "equal_s_s", "ge",
    "get_item_2d", "get_item_2lists", "get_item_list", "get_item_scalar", "greater_equal_s_d", "greater_equal_s_s",
    "greater_than_s_d", "greater_than_s_s", "gt", "le", "less_equal_s_d", "less_equal_s_s", "less_than_s_d",
    "less_than_s_s", "lt", "neq", "not_equal_s_d", "not_equal_s_s",
]  # fmt: skip


Compare: TypeAlias = Callable[..., Any]
Places: TypeAlias = Any  # slices, numbers or lists, in a tuple where there are two


def _whole(x: Matrix, ndim: int, what: object) -> Any:
    """A variable of integers."""
    x = as_tensor_variable(x)
    if x.type.ndim != ndim or np.dtype(x.type.dtype).kind not in "iu":
        raise ValueError(f"{what}: an index must be {'integers' if ndim else 'an integer'}, got {x.type}")
    return x


class GetItemList(SparseOp):
    """Give rows of a matrix, by a vector of their numbers."""

    def make_node(self, x: Matrix, index: Matrix) -> Apply:
        """One sparse variable."""
        x = by_lines(x)
        return Apply(self, [x, _whole(index, 1, self)], [x.type.clone(shape=(None, x.type.shape[1]))()])

    def compute(self, x: Matrix, index: Matrix) -> Any:
        """Ask it."""
        return x[index]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """As many as there are numbers."""
        return [(input_shapes[1][0], input_shapes[0][1])]


class GetItem2Lists(SparseOp):
    """Give elements of a matrix as a vector, by their rows and columns."""

    def make_node(self, x: Matrix, ind1: Matrix, ind2: Matrix) -> Apply:
        """One vector."""
        x, ind1, ind2 = by_lines(x), _whole(ind1, 1, self), _whole(ind2, 1, self)
        return Apply(self, [x, ind1, ind2], [TensorType(x.type.dtype, (None,))()])

    def compute(self, x: Matrix, ind1: Matrix, ind2: Matrix) -> Any:
        """Ask it."""
        return np.asarray(x[ind1, ind2]).ravel()

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """As many as there are rows."""
        return [(input_shapes[1][0],)]


class GetItem2d(SparseOp):
    """Give what lies in a slice of the rows, and in one of the columns."""

    def make_node(self, x: Matrix, index: Places) -> Apply:
        """One sparse variable; the index is one slice, or two."""
        x, bounds = by_lines(x), []
        for part in (*index, slice(None))[: max(len(index), 2)]:
            if not isinstance(part, slice):
                if getattr(part, "ndim", 0) == 0:
                    raise NotImplementedError("there are no sparse vectors: write x[a:b, c:d], x[a:b, c:c+1] or x[a:b]")
                raise ValueError(f"{self}: a sparse matrix is indexed by slices, or by one list, got {_what(part)}")
            bounds += [
                NoneConst if bound is None else _whole(bound, 0, self) for bound in (part.start, part.stop, part.step)
            ]
        if len(bounds) != 6:
            raise ValueError(f"{self}: a matrix has 2 dimensions, got {len(index)} indices")
        return Apply(self, [x, *bounds], [x.type.clone(shape=(None, None))()])

    def compute(self, x: Matrix, *bounds: Any) -> Any:
        """Ask it."""
        ends = [None if bound is None else int(bound) for bound in bounds]
        return x[slice(*ends[:3]), slice(*ends[3:])]


class GetItemScalar(SparseOp):
    """Give one element of a matrix."""

    def make_node(self, x: Matrix, index: Places) -> Apply:
        """A tensor without dimensions; the index is a row and a column."""
        x = by_lines(x)
        if len(index) != 2:
            raise ValueError(f"{self}: expected a row and a column, got {len(index)} indices")
        return Apply(self, [x, *[_whole(part, 0, self) for part in index]], [TensorType(x.type.dtype, ())()])

    def compute(self, x: Matrix, row: Matrix, column: Matrix) -> Any:
        """Ask it."""
        return x[int(row), int(column)]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give no sizes: there are none."""
        return [()]


class ConstructSparseFromList(SparseOp):
    """Make a matrix by columns, of the shape of `x`, whose rows of some numbers are those of an array."""

    def make_node(self, x: Matrix, values: Matrix, ilist: Matrix) -> Apply:
        """One sparse variable of the dtype of `x`."""
        x, values = as_tensor_variable(x, ndim=2), as_tensor_variable(values, ndim=2)
        return Apply(self, [x.shape, values, _whole(ilist, 1, self)], [SparseType("csc", x.type.dtype)()])

    def compute(self, shape: Matrix, values: Matrix, ilist: Matrix) -> Any:
        """Write all elements of those rows, zeros too."""
        rows, columns = values.shape
        if rows != len(ilist):
            raise ValueError(f"{self}: {rows} rows for {len(ilist)} numbers")
        ends = np.arange(columns + 1) * rows
        return sp.csc_matrix((values.T.ravel(), np.tile(ilist, columns), ends), tuple(map(int, shape)))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give what the first input says."""
        shape: Matrix = node.inputs[0]
        return [(shape[0], shape[1])]


class _Compared(SparseOp):
    """A comparison of a sparse matrix and another one, or an array: 1 where it is so, as uint8."""

    comparison: Callable[[Any, Any], Any]

    def compute(self, x: Matrix, y: Matrix) -> Any:
        """Ask SciPy."""
        if x.shape != y.shape:
            raise ValueError(f"{self}: shapes do not match: {x.shape} and {y.shape}")
        if sp.issparse(y) and bool(self.comparison(0, 0)):  # it holds nearly everywhere: SciPy warns of the work
            return self.comparison(x.toarray(), y.toarray())
        return self.comparison(x, y)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Either's."""
        return [input_shapes[0]]


class _ComparedSS(_Compared):
    """A comparison of two sparse matrices; the result is sparse."""

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """One sparse variable."""
        x, y = by_lines(x), by_lines(y)
        if x.type.format != y.type.format:
            raise NotImplementedError(f"{self}: expected one format, got {x.type.format} and {y.type.format}")
        return Apply(self, [x, y], [SparseType(x.type.format, "uint8")()])


class _ComparedSD(_Compared):
    """A comparison of a sparse matrix and an array; the result is an array."""

    def make_node(self, x: Matrix, y: Matrix) -> Apply:
        """One matrix."""
        return Apply(self, [by_lines(x), as_tensor_variable(y, ndim=2)], [TensorType("uint8", (None, None))()])


def _classes(name: str, compare: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """The classes of a comparison: of two sparse matrices, of one and an array."""

    def comparison(self: object, x: Matrix, y: Matrix) -> Any:
        return compare(x, y)

    def make(kind: str, base: type) -> Any:
        doc = f"Says where {name}{kind} holds; see `{base.__name__}`."
        return Kin(name + kind, (base,), {"comparison": comparison, "__module__": __name__, "__doc__": doc})

    return make("SS", _ComparedSS), make("SD", _ComparedSD)


EqualSS, EqualSD = _classes("Equal", operator.eq)
NotEqualSS, NotEqualSD = _classes("NotEqual", operator.ne)
LessThanSS, LessThanSD = _classes("LessThan", operator.lt)
GreaterThanSS, GreaterThanSD = _classes("GreaterThan", operator.gt)
LessEqualSS, LessEqualSD = _classes("LessEqual", operator.le)
GreaterEqualSS, GreaterEqualSD = _classes("GreaterEqual", operator.ge)
equal_s_s, equal_s_d, not_equal_s_s, not_equal_s_d = EqualSS(), EqualSD(), NotEqualSS(), NotEqualSD()
less_than_s_s, less_than_s_d, greater_than_s_s, greater_than_s_d = (
    LessThanSS(), LessThanSD(), GreaterThanSS(), GreaterThanSD(),
)  # fmt: skip
less_equal_s_s, less_equal_s_d, greater_equal_s_s, greater_equal_s_d = (
    LessEqualSS(), LessEqualSD(), GreaterEqualSS(), GreaterEqualSD(),
)  # fmt: skip
get_item_list, get_item_2lists, get_item_2d, get_item_scalar = (
    GetItemList(), GetItem2Lists(), GetItem2d(), GetItemScalar(),
)  # fmt: skip
construct_sparse_from_list = ConstructSparseFromList()


def _comparison(both: Compare, left: Compare, right: Compare, doc: str) -> Any:
    """A function of two matrices, one at least sparse: `right` compares them the other way round."""

    def compare(x: Matrix, y: Matrix) -> Any:
        x, y = as_sparse_or_tensor_variable(x), as_sparse_or_tensor_variable(y)
        if not _is_sparse_variable(x):
            if not _is_sparse_variable(y):
                raise TypeError(f"a comparison of sparse matrices: one input must be sparse, got {x.type} and {y.type}")
            return right(y, x)
        return both(x, y) if _is_sparse_variable(y) else left(x, y)

    compare.__doc__ = doc
    return compare


eq = _comparison(equal_s_s, equal_s_d, equal_s_d, "Say where two matrices are equal.")
neq = _comparison(not_equal_s_s, not_equal_s_d, not_equal_s_d, "Say where two matrices differ.")
lt = _comparison(less_than_s_s, less_than_s_d, greater_than_s_d, "Say where the first matrix is less.")
gt = _comparison(greater_than_s_s, greater_than_s_d, less_than_s_d, "Say where the first matrix is greater.")
le = _comparison(less_equal_s_s, less_equal_s_d, greater_equal_s_d, "Say where the first matrix is not greater.")
ge = _comparison(greater_equal_s_s, greater_equal_s_d, less_equal_s_d, "Say where the first matrix is not less.")


def item(x: Matrix, index: Places) -> Any:
    """Give a part of a matrix: ``x[i, j]``, ``x[a:b, c:d]``, ``x[[i, …]]``, ``x[[i, …], [j, …]]``."""
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) == 2 and all(isinstance(p, Integral) or _is_place(p) for p in parts):
        return get_item_scalar(x, parts)
    if any(isinstance(p, (list, np.ndarray)) for p in parts) and len(parts) <= 2:
        return get_item_list(x, *parts) if len(parts) == 1 else get_item_2lists(x, *parts)
    return get_item_2d(x, parts)


def _is_place(part: object) -> bool:
    return isinstance(part, Variable) and getattr(part.type, "ndim", None) == 0
