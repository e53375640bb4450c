"""What NumPy's own C computes of whole arrays: counting, searching, linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Axes, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType

__all__ = [
    "OfNumPy", "bincount", "cholesky", "det", "einsum", "histogram", "inv", "norm", "searchsorted", "solve", "unique",
]  # fmt: skip


class OfNumPy(Op):
    """A function of NumPy's, called in Python.

    Parameters
    ----------
    function : str
        Its name in ``numpy``, such as ``"linalg.solve"``.
    before : tuple
        Arguments before the arrays.
    named : tuple of str
        By which names it takes the last of the arrays.
    options : tuple of (str, object)
        Other arguments by name.
    """

    __props__ = ("function", "before", "named", "options")
    sample = 1  #: Of how many elements along each axis the arrays are that tell what the function gives.

    def __init__(
        self, function: str, before: tuple[Any, ...] = (), named: tuple[str, ...] = (),
        options: tuple[tuple[str, Any], ...] = (),
    ) -> None:  # fmt: skip
        self.function = function
        self.before = before
        self.named = named
        self.options = options

    def __str__(self) -> str:
        return self.function.rpartition(".")[2]

    def make_node(self, *arrays: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        *arrays : Variable or array_like
            What the function is called with.

        Returns
        -------
        Apply
            As many outputs as it gives, of the dtypes and numbers of dimensions that it gives for small arrays of ones.

        Raises
        ------
        Exception
            What the function raises for these.
        """
        inputs = [as_tensor_variable(array) for array in arrays]
        found = self._call([np.ones((self.sample,) * x.ndim, x.type.dtype) for x in inputs])
        return Apply(self, inputs, [TensorType(one.dtype, (None,) * one.ndim)() for one in found])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Call it."""
        for storage, result in zip(output_storage, self._call(inputs), strict=True):
            storage[0] = result

    def _call(self, arrays: list[Any]) -> list[Any]:
        function: Any = np
        for part in self.function.split("."):
            function = getattr(function, part)
        first = len(arrays) - len(self.named)
        named = dict(zip(self.named, arrays[first:], strict=True))
        found = function(*self.before, *arrays[:first], **named, **dict(self.options))
        return [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]


class _Histogram(OfNumPy):
    """Edges, where they are given, are two at least."""

    sample = 2


def _call(function: str, *arrays: TensorLike, **options: Any) -> Any:
    return OfNumPy(function, options=tuple(options.items()))(*arrays)


def searchsorted(a: TensorLike, v: TensorLike, side: str = "left") -> Any:
    """Find where elements would have to be inserted to keep the order, as ``numpy.searchsorted`` does.

    Parameters
    ----------
    a : Variable or array_like
        A sorted vector.
    v : Variable or array_like
        The elements, of any shape.
    side : {"left", "right"}, optional
        Before or behind those that are equal.

    Returns
    -------
    TensorVariable
        int64, of the shape of `v`.

    Examples
    --------
    >>> x, y = T.dvector("x"), T.dvector("y")
    >>> opweld.function([x, y], T.searchsorted(x, y))([1.0, 2.0, 4.0], [3.0, 0.0])
    array([2, 0])
    """
    return _call("searchsorted", a, v, side=side)


def bincount(x: TensorLike, weights: TensorLike | None = None, minlength: int = 0) -> Any:
    """Count how often each number comes, as ``numpy.bincount`` does.

    Parameters
    ----------
    x : Variable or array_like
        A vector of integers from 0.
    weights : Variable or array_like, optional
        What is added for each, instead of 1: a vector as long.
    minlength : int, optional
        The least size of the result.

    Returns
    -------
    TensorVariable
        A vector of int64; with `weights` of float64.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.bincount(x))([0, 2, 2, 3])
    array([1, 0, 2, 1])
    """
    named = {} if weights is None else {"weights": weights}
    return OfNumPy("bincount", (), tuple(named), (("minlength", int(minlength)),))(x, *named.values())


def histogram(
    a: TensorLike, bins: int | str | TensorLike = 10, range: tuple[float, float] | None = None, density: bool = False,
    weights: TensorLike | None = None,
) -> list[Any]:  # fmt: skip
    """Count the elements between edges, as ``numpy.histogram`` does.

    Parameters
    ----------
    a : Variable or array_like
        Of any shape.
    bins : int, str, Variable or array_like, optional
        How many of one width, a rule for that (``"auto"`` and others), or a vector of the edges.
    range : tuple of float, optional
        The outermost edges; the smallest and the largest element if left out.
    density : bool, optional
        Whether the result is a density, which adds up to 1.
    weights : Variable or array_like, optional
        What is added for each element, instead of 1: of the shape of `a`.

    Returns
    -------
    list of TensorVariable
        The counts, and the edges, one more.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.histogram(x, bins=2, range=(0, 4)))([0.5, 1.0, 3.0])
    [array([2, 1]), array([0., 2., 4.])]
    """
    options: dict[str, Any] = {"range": range, "density": bool(density)}
    named: dict[str, Any] = {}
    if isinstance(bins, int | str | np.integer):
        options["bins"] = bins
    else:
        named["bins"] = bins
    if weights is not None:
        named["weights"] = weights
    counted: list[Any] = _Histogram("histogram", (), tuple(named), tuple(options.items()))(a, *named.values())
    return counted


def unique(
    ar: TensorLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False
) -> Any:
    """Give the elements that differ, sorted, as ``numpy.unique`` does.

    Parameters
    ----------
    ar : Variable or array_like
        Of any shape.
    return_index, return_inverse, return_counts : bool, optional
        Whether to give as well where each stands first, which of them each element is, and how often each comes.

    Returns
    -------
    TensorVariable or list of TensorVariable
        A vector of the same dtype; a list, where more is asked for.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.unique(x))([3, 1, 3])
    array([1, 3])
    """
    asked = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    return _call("unique", ar, **{name: True for name, wanted in asked.items() if wanted})


def einsum(subscripts: str, *operands: TensorLike) -> Any:
    """Sum products of elements over indices, as ``numpy.einsum`` does.

    Parameters
    ----------
    subscripts : str
        The indices of each operand and of the result, such as ``"ij,jk->ik"``.
    *operands : Variable or array_like
        The arrays.

    Returns
    -------
    TensorVariable
        Of the dtype to which the operands are promoted.

    Raises
    ------
    ValueError
        If the subscripts do not fit the operands.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.einsum("ij,ij->i", x, x))([[1.0, 2.0], [3.0, 4.0]])
    array([ 5., 25.])
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: expected subscripts such as 'ij,jk->ik' first, got {subscripts!r}")
    return OfNumPy("einsum", (subscripts,), (), (("optimize", True),))(*operands)


def norm(x: TensorLike, ord: float | str | None = None, axis: Axes = None, keepdims: bool = False) -> Any:
    """Give the norm of vectors or matrices, as ``numpy.linalg.norm`` does.

    Parameters
    ----------
    x : Variable or array_like
        Of one or two dimensions, unless `ord` is left out or `axis` is given.
    ord : int, float or str, optional
        Which norm; the root of the sum of squares if left out.
    axis : int or tuple of int, optional
        Of vectors along an axis, of matrices along two; all if left out.
    keepdims : bool, optional
        Whether these axes stay, with one element.

    Returns
    -------
    TensorVariable
        Of floats.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.norm(x))([3.0, 4.0])
    np.float64(5.0)
    """
    if ord is not None:
        return _call("linalg.norm", x, ord=ord, axis=axis, keepdims=keepdims)
    x = as_tensor_variable(x)
    if x.type.numpy_dtype.kind not in "fc":
        x = functions.cast(x, "float64")
    square = functions.square(functions.abs(x))
    return functions.sqrt(functions.sum(square, axis=axis, keepdims=keepdims))


def solve(a: TensorLike, b: TensorLike) -> Any:
    """Solve linear equations, as ``numpy.linalg.solve`` does: ``a @ x = b``.

    Parameters
    ----------
    a : Variable or array_like
        Square matrices, in the last two axes.
    b : Variable or array_like
        A vector, or matrices.

    Returns
    -------
    TensorVariable
        Of the shape of `b`.

    Raises
    ------
    numpy.linalg.LinAlgError
        In a call, if a matrix is singular.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> y = T.dvector("y")
    >>> opweld.function([x, y], T.solve(x, y))([[2.0, 0.0], [0.0, 4.0]], [1.0, 1.0])
    array([0.5 , 0.25])
    """
    return _call("linalg.solve", a, b)


def inv(a: TensorLike) -> Any:
    """Invert matrices, as ``numpy.linalg.inv`` does.

    Parameters
    ----------
    a : Variable or array_like
        Square matrices, in the last two axes.

    Returns
    -------
    TensorVariable
        Of the same shape.

    Raises
    ------
    numpy.linalg.LinAlgError
        In a call, if a matrix is singular.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.inv(x))([[2.0, 0.0], [0.0, 4.0]])
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _call("linalg.inv", a)


def det(a: TensorLike) -> Any:
    """Give the determinants of matrices, as ``numpy.linalg.det`` does.

    Parameters
    ----------
    a : Variable or array_like
        Square matrices, in the last two axes.

    Returns
    -------
    TensorVariable
        Without these axes.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.det(x))([[2.0, 0.0], [0.0, 3.0]])
    np.float64(6.0)
    """
    return _call("linalg.det", a)


def cholesky(a: TensorLike) -> Any:
    """Give the lower triangle ``c`` with ``c @ c.T.conj() = a``, as ``numpy.linalg.cholesky`` does.

    Parameters
    ----------
    a : Variable or array_like
        Positive definite matrices, in the last two axes.

    Returns
    -------
    TensorVariable
        Of the same shape.

    Raises
    ------
    numpy.linalg.LinAlgError
        In a call, if a matrix is not positive definite.

    Examples
    --------
    >>> x = T.dmatrix("x")
    >>> opweld.function([x], T.cholesky(x))([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    return _call("linalg.cholesky", a)
