"""Diagonals, and what lies on either side of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import DType, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable

if TYPE_CHECKING:
    from opweld.schema import AccessFields

__all__ = ["ExtractDiag", "diag", "diagonal", "trace", "tril", "triu"]

_FLAT = "diag requires an array of at least two dimensions"


class ExtractDiag(Op):
    """A view of the main diagonals of matrices, the last two axes: they go, and one for the diagonal comes last."""

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is viewed, of two dimensions at least.

        Returns
        -------
        Apply
            One output of the same dtype.

        Raises
        ------
        ValueError
            If `x` has less than two dimensions.
        """
        x = as_tensor_variable(x)
        if x.ndim < 2:
            raise ValueError(_FLAT)
        *others, rows, columns = x.type.shape
        size = None if rows is None or columns is None else min(rows, columns)
        return Apply(self, [x], [TensorType(x.type.dtype, [*others, size])()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """View in Python."""
        size = min(inputs[0].shape[-2:])
        output_storage[0][0] = np.einsum("...ii->...i", inputs[0][..., :size, :size])  # one that can be written

    def by_places(self, x: TensorVariable) -> TensorVariable:
        """Give the diagonals by integers, which can be written through.

        Parameters
        ----------
        x : TensorVariable
            Of two dimensions at least.

        Returns
        -------
        TensorVariable
        """
        places = functions.arange(functions.minimum(x.shape[x.ndim - 2], x.shape[x.ndim - 1]))
        return x[..., places, places]

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the shorter of the two sizes."""
        *others, rows, columns = input_shapes[0]
        return [(*others, functions.minimum(rows, columns))]

    def structure(self, node: Apply) -> dict[str, AccessFields]:
        """Give the view as data, for the engine (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict
            Under ``view``.
        """
        rows = node.inputs[0].type.ndim - 2
        return {"view": {"axes": list(range(rows + 1)), "new": [], "cuts": [{"axis": rows + 1, "along": rows}]}}

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of what `structure` says."""
        return (1,)


def tril(m: TensorLike, k: int = 0) -> Any:
    """Give what lies on a diagonal and below, and zero above, as ``numpy.tril`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of one dimension at least; each matrix of the last two axes, or a vector as each row of a square one.
    k : int, optional
        The diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If `m` has no dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.tril(x))([[1, 2], [3, 4]])
    array([[1, 0],
           [3, 4]])
    """
    below, x = _sides("tril", m)
    return functions.where(functions.ge(below, -k), x, np.zeros((), x.type.dtype))


def triu(m: TensorLike, k: int = 0) -> Any:
    """Give what lies on a diagonal and above, and zero below, as ``numpy.triu`` does.

    Parameters
    ----------
    m : Variable or array_like
        Of one dimension at least; each matrix of the last two axes, or a vector as each row of a square one.
    k : int, optional
        The diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype.

    Raises
    ------
    ValueError
        If `m` has no dimensions.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.triu(x))([[1, 2], [3, 4]])
    array([[1, 2],
           [0, 4]])
    """
    below, x = _sides("triu", m)
    return functions.where(functions.le(below, -k), x, np.zeros((), x.type.dtype))


def _sides(what: str, m: TensorLike) -> tuple[Any, Any]:
    """How far below the main diagonal each place lies, and the matrix."""
    m = as_tensor_variable(m)
    if not m.ndim:
        raise ValueError(f"{what}: expected one dimension at least, got {m.type}")
    rows, columns = m.shape[max(m.ndim - 2, 0)], m.shape[m.ndim - 1]
    return functions.arange(rows)[:, None] - functions.arange(columns), m


def diagonal(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Give a diagonal, as ``numpy.diagonal`` does; a copy.

    Parameters
    ----------
    x : Variable or array_like
        Of two dimensions at least.
    offset : int, optional
        Which diagonal: above the main one if positive.
    axis1, axis2 : int, optional
        The axes of the matrices.

    Returns
    -------
    TensorVariable
        Of the same dtype; without the two axes, and with one for the diagonal at the end.

    Raises
    ------
    ValueError
        If `x` has less than two dimensions, or the axes are one.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.diagonal(x))([[1, 2], [3, 4]])
    array([1, 4])
    """
    x = as_tensor_variable(x)
    if x.ndim < 2:
        raise ValueError(_FLAT)
    first, second = one_axis(axis1, x.ndim), one_axis(axis2, x.ndim)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    moved: Any = functions.moveaxis(x, (first, second), (-2, -1))
    if offset:
        moved = moved[..., max(-offset, 0) :, max(offset, 0) :]
    return ExtractDiag()(moved)


def diag(v: TensorLike, k: int = 0) -> Any:
    """Give the diagonal of a matrix, or a matrix with a diagonal, as ``numpy.diag`` does.

    Parameters
    ----------
    v : Variable or array_like
        A matrix, or a vector.
    k : int, optional
        Which diagonal: above the main one if positive.

    Returns
    -------
    TensorVariable
        Of the same dtype: a vector, or a square matrix that is zero elsewhere.

    Raises
    ------
    ValueError
        If `v` has neither one nor two dimensions.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.diag(x))([1, 2])
    array([[1, 0],
           [0, 2]])
    """
    v = as_tensor_variable(v)
    if v.ndim not in (1, 2):
        raise ValueError("Input must be 1- or 2-d.")
    if v.ndim == 2:
        return diagonal(v, k)
    size = v.shape[0] + abs(k)
    places = functions.arange(v.shape[0])
    target = functions.zeros((size, size), dtype=v.type.dtype)
    return functions.set_subtensor(target[places + max(-k, 0), places + max(k, 0)], v)


def trace(x: TensorLike, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: DType = None) -> Any:
    """Give the sum of a diagonal, as ``numpy.trace`` does.

    Parameters
    ----------
    x : Variable or array_like
        Of two dimensions at least.
    offset, axis1, axis2 : int, optional
        As for `diagonal`.
    dtype : dtype_like, optional
        In which it is added; as for `sum` if left out.

    Returns
    -------
    TensorVariable
        Without the two axes.

    Raises
    ------
    ValueError
        As for `diagonal`.

    Examples
    --------
    >>> x = T.lmatrix("x")
    >>> opweld.function([x], T.trace(x))([[1, 2], [3, 4]])
    np.int64(5)
    """
    return functions.sum(diagonal(x, offset, axis1, axis2), axis=-1, dtype=dtype)
