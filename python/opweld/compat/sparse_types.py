"""Sparse matrices: types over the classes of `scipy.sparse`, their variables, constants and shared variables.

In C a variable ``x`` is four arrays that belong to it: ``_x_data``, ``_x_indices``, ``_x_indptr`` and ``_x_shape``, the
last three of int32. An op's C that makes one sets all four; the matrix is put together, without a copy, where Python
asks for it. ``dtype_x`` is the C type of an element.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np

from opweld.compat.bases import CType
from opweld.compile.sharedvalue import register_shared
from opweld.config import config
from opweld.dtypes import dtype_of
from opweld.errors import _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.shared import SharedVariable
from opweld.hooks.copying import register_view_op_c_code
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.shapes import shape as shape_of
from opweld.tensor.type import TensorType

try:
    import scipy.sparse as sp  # type: ignore[import-untyped]
except ImportError:
    raise ImportError("sparse matrices are SciPy's, and it cannot be imported: pip install scipy") from None

__all__ = [
    "Matrix", "SparseConstant", "SparseOperators", "SparseTensorSharedVariable", "SparseTensorType", "SparseType",
    "SparseVariable", "_mtype_to_str", "_mtypes", "all_dtypes", "as_sparse", "as_sparse_or_tensor_variable",
    "as_sparse_variable", "bsr_dmatrix", "bsr_fmatrix", "bsr_matrix", "complex_dtypes", "constant",
    "continuous_dtypes", "csc_dmatrix", "csc_fmatrix", "csc_matrix", "csr_dmatrix", "csr_fmatrix", "csr_matrix",
    "discrete_dtypes", "enable_sparse", "float_dtypes", "int_dtypes", "integer_dtypes", "matrix", "shared", "sp",
    "sparse_constructor", "sparse_formats", "uint_dtypes",
]  # fmt: skip

sparse_formats = ["csc", "csr"]
_DTYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip
#: A matrix, a part of one, or what becomes a variable of one: SciPy's classes have no types.
Matrix: TypeAlias = Any

enable_sparse = True
_mtype_to_str = {sp.csc_matrix: "csc", sp.csr_matrix: "csr"}
_mtypes = list(_mtype_to_str)
int_dtypes = [name for name in _DTYPES if name.startswith("int")]
uint_dtypes = [name for name in _DTYPES if name.startswith("uint")]
float_dtypes = [name for name in _DTYPES if name.startswith("float")]
complex_dtypes = [name for name in _DTYPES if name.startswith("complex")]
integer_dtypes = discrete_dtypes = int_dtypes + uint_dtypes
continuous_dtypes = complex_dtypes + float_dtypes
all_dtypes = list(_DTYPES)
_PARTS = ("data", "indices", "indptr", "shape")
_C = Beside(__file__, "sparse")


def _alike(a: Matrix, b: Matrix) -> bool:
    """Whether two values are matrices of one shape and dtype."""
    return bool(sp.issparse(a) and sp.issparse(b) and a.shape == b.shape and a.dtype == b.dtype)


class SparseOperators:
    """What variables and constants of sparse matrices can do; `opweld.compat.sparse` writes the operators."""

    own_operators = True  # those of tensors leave it to them
    type: Any
    ndim = property(lambda self: self.type.ndim)
    dtype = property(lambda self: self.type.dtype)
    format = property(lambda self: self.type.format)
    shape = property(lambda self: shape_of(self))

    def __str__(self) -> str:
        name = getattr(self, "name", None)
        return str(name) if name is not None else f"{type(self).__name__}{{{self.format},{self.dtype}}}"


class SparseVariable(SparseOperators, Variable):
    """A variable whose values are sparse matrices."""


class SparseConstant(SparseOperators, Constant):
    """A constant that is a sparse matrix."""


class SparseTensorSharedVariable(SparseOperators, SharedVariable):
    """A shared variable whose value is a sparse matrix."""


class SparseType(CType):
    """Sparse matrices of one format and dtype.

    Parameters
    ----------
    format : {"csr", "csc", "bsr"}
        Which class of `scipy.sparse`.
    dtype : str
        Of the elements.
    shape : sequence of (int or None), optional
        The two sizes, as far as they are known.
    name : str, optional
        For messages.
    broadcastable : sequence of bool, optional
        Instead of `shape`: True is size 1.
    """

    __props__ = ("format", "dtype", "shape")
    ndim = 2
    format_cls = {"csr": sp.csr_matrix, "csc": sp.csc_matrix, "bsr": sp.bsr_matrix}
    dtype_set = frozenset(_DTYPES)
    variable_type = SparseVariable
    constant_type = SparseConstant

    def __init__(
        self,
        format: str,
        dtype: object,
        shape: Iterable[int | None] | None = None,
        name: str | None = None,
        broadcastable: Iterable[bool] | None = None,
    ) -> None:
        if not isinstance(format, str) or format not in self.format_cls:
            raise NotImplementedError(f"unsupported format {format!r}: expected one of {', '.join(self.format_cls)}")
        self.format = format
        self.dtype = dtype_of(dtype).name
        if self.dtype not in self.dtype_set:
            raise NotImplementedError(f"unsupported dtype {self.dtype!r}: expected one of {', '.join(_DTYPES)}")
        if shape is None and broadcastable is None:
            shape = (None, None)
        self._elements = TensorType(self.dtype, shape, broadcastable)
        self.shape, self.name = self._elements.shape, name

    def __str__(self) -> str:
        return f"Sparse[{self.dtype}, {self.format}]"

    __repr__ = __str__

    @property
    def broadcastable(self) -> tuple[bool, ...]:
        """Which sizes are known to be 1."""
        return tuple(size == 1 for size in self.shape)

    def clone(
        self, dtype: object = None, shape: Matrix = None, broadcastable: Matrix = None, format: str | None = None
    ) -> Any:
        """Make a type that differs in what is given."""
        if shape is None and broadcastable is None:
            shape = self.shape
        return type(self)(format or self.format, dtype or self.dtype, shape, None, broadcastable)

    def filter(self, value: Matrix, strict: bool = False, allow_downcast: bool | None = None) -> Any:
        """Take a matrix of the format and dtype; unless `strict`, what can be made into one without a loss."""
        cls = self.format_cls[self.format]
        if isinstance(value, Variable):
            raise TypeError(f"expected a sparse matrix, got {_what(value)}: pass a value, not a variable")
        if not isinstance(value, cls) or value.dtype != self.dtype:
            if strict:
                got = f"{_what(value)}{f' of {value.dtype}' if hasattr(value, 'dtype') else ''}"
                raise TypeError(f"expected a {self.format} matrix of {self.dtype}, got {got}")
            value = cls(value)
            if not allow_downcast and not np.can_cast(value.dtype, self.dtype):
                raise TypeError(f"expected a matrix of {self.dtype}, got one of {value.dtype}")
            value = value.astype(self.dtype, copy=False)
        for axis, (size, known) in enumerate(zip(value.shape, self.shape)):
            if known is not None and size != known:
                raise TypeError(f"expected {known} in dimension {axis}, got {size}")
        return value

    def values_eq(self, a: Matrix, b: Matrix) -> bool:  # type: ignore[override]
        """Compare all elements, those that are not stored too."""
        return _alike(a, b) and (a != b).nnz == 0

    def values_eq_approx(self, a: Matrix, b: Matrix, eps: float = 1e-6) -> bool:
        """Compare all elements, up to `eps`."""
        if not _alike(a, b):
            return False
        apart = abs(a - b)
        return apart.nnz == 0 or bool(apart.data.max() < eps)

    @staticmethod
    def may_share_memory(a: Matrix, b: Matrix) -> bool:
        """Say whether two matrices, or a matrix and an array, may have memory in common."""
        mine, yours = ([getattr(x, part) for part in _PARTS[:3]] if sp.issparse(x) else [x] for x in (a, b))
        return any(np.may_share_memory(one, other) for one in mine for other in yours)

    def get_shape_info(self, obj: Matrix) -> Any:
        """Give shape, and how many elements are stored where."""
        obj = self.filter(obj)
        return obj.shape, obj.data.size, obj.indices.size, obj.indptr.size, obj.nnz

    def get_size(self, shape_info: Matrix) -> int:
        """Give the bytes that a matrix takes, of what `get_shape_info` gave."""
        return int(shape_info[1] * np.dtype(self.dtype).itemsize + (shape_info[2] + shape_info[3]) * 4)

    def dtype_specs(self) -> tuple[Any, str, str]:
        """Give the dtype as Python's class, the C type and the type number's name."""
        return self._elements.dtype_specs()

    def c_element_type(self) -> str:
        """Give the C type of an element."""
        return self._elements.c_element_type()

    def c_support_code(self, **kwargs: Any) -> list[str]:
        """Write how matrices are read and made."""
        complexes = self._elements.c_support_code()
        return [*([complexes] if isinstance(complexes, str) else complexes), _C.section()]

    def c_declare(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Declare the four arrays, and the C type of an element."""
        arrays = ", ".join(f"*_{name}_{part}" for part in _PARTS)
        return f"typedef {self.c_element_type()} dtype_{name};\nPyArrayObject {arrays};"

    def c_init(self, name: str, sub: dict[str, Any]) -> str:
        """Begin with nothing."""
        return "\n".join(f"_{name}_{part} = NULL;" for part in _PARTS)

    def c_extract(self, name: str, sub: dict[str, Any], check_input: bool = True, **kwargs: Any) -> str:
        """Take the matrix's arrays."""
        taken = "\n".join(f"_{name}_{part} = parts[{i}];" for i, part in enumerate(_PARTS))
        return f"""
            {{
                PyArrayObject *parts[4];
                const int failed = opweld_sparse_read(py_{name}, {self._elements.dtype_specs()[2]}, parts);
                {taken}
                if (failed) {sub["fail"]}
            }}
        """

    def c_extract_out(self, name: str, sub: dict[str, Any], check_input: bool = True) -> str:
        """Use no offered storage."""
        return self.c_init(name, sub)

    def c_sync(self, name: str, sub: dict[str, Any]) -> str:
        """Make a matrix that has the arrays."""
        parts = ", ".join(f"_{name}_{part}" for part in _PARTS)
        return f"""
            {{
                PyArrayObject *parts[4] = {{{parts}}};
                PyObject *made = opweld_sparse_make("{self.format}_matrix", parts);
                if (made == NULL) {sub["fail"]}
                Py_XSETREF(py_{name}, made);
            }}
        """

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Release the arrays."""
        return "\n".join(f"Py_XDECREF(_{name}_{part});" for part in _PARTS)

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of these texts."""
        return (1,)


SparseTensorType = SparseType

register_view_op_c_code(
    SparseType, "\n".join(f"Py_XINCREF(_%(iname)s_{p}); _%(oname)s_{p} = _%(iname)s_{p};" for p in _PARTS), (1,)
)


def constant(x: Matrix, name: str | None = None) -> SparseConstant:
    """Make a constant of a matrix, which is copied.

    Raises
    ------
    TypeError
        If `x` is no sparse matrix.
    """
    if not sp.issparse(x):
        raise TypeError(f"sparse.constant: expected a matrix of scipy.sparse, got {_what(x)}")
    return SparseConstant(SparseType(x.format, x.dtype), x.copy(), name)


def as_sparse_variable(x: Matrix, name: str | None = None) -> Any:
    """Give a variable of a sparse matrix: a variable itself, a constant of a matrix.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(x, Apply):
        x = x.default_output()
    if isinstance(x, Variable):
        if not isinstance(x.type, SparseType):
            raise TypeError(f"expected a variable of a sparse matrix, got {x} of type {x.type}")
        return x
    if not sp.issparse(x):
        raise TypeError(f"expected a sparse matrix, got {_what(x)}")
    return constant(x, name)


as_sparse = as_sparse_variable


def as_sparse_or_tensor_variable(x: Matrix, name: str | None = None) -> Any:
    """Give a variable of a sparse matrix where `x` is one, else of a tensor."""
    try:
        return as_sparse_variable(x, name)
    except (TypeError, ValueError):
        return as_tensor_variable(x, name)


def matrix(format: str, name: str | None = None, dtype: object = None, shape: Matrix = None) -> Any:
    """Make a variable of a sparse matrix; of dtype ``config.floatX`` where none is given."""
    return SparseType(format, config.floatX if dtype is None else dtype, shape)(name)


def csc_matrix(name: str | None = None, dtype: object = None, shape: Matrix = None) -> Any:
    """Make a variable of a matrix by columns."""
    return matrix("csc", name, dtype, shape)


def csr_matrix(name: str | None = None, dtype: object = None, shape: Matrix = None) -> Any:
    """Make a variable of a matrix by rows."""
    return matrix("csr", name, dtype, shape)


def bsr_matrix(name: str | None = None, dtype: object = None, shape: Matrix = None) -> Any:
    """Make a variable of a matrix by rows of blocks."""
    return matrix("bsr", name, dtype, shape)


csc_dmatrix, csr_dmatrix, bsr_dmatrix = (SparseType(format, "float64") for format in ("csc", "csr", "bsr"))
csc_fmatrix, csr_fmatrix, bsr_fmatrix = (SparseType(format, "float32") for format in ("csc", "csr", "bsr"))


def sparse_constructor(
    value: Matrix,
    name: str | None = None,
    strict: bool = False,
    allow_downcast: bool | None = None,
    borrow: bool = False,
    format: str | None = None,
    broadcastable: object = None,
) -> SparseTensorSharedVariable:
    """Make a shared variable of a sparse matrix.

    Raises
    ------
    TypeError
        If `value` is none.
    """
    if not sp.issparse(value):
        raise TypeError(f"expected a matrix of scipy.sparse, got {_what(value)}")
    type_ = SparseType(format or value.format, value.dtype)
    return SparseTensorSharedVariable(type_, value, name, strict, allow_downcast, borrow)


shared = sparse_constructor
register_shared(*SparseType.format_cls.values())(sparse_constructor)
