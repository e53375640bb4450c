"""Where the largest and smallest elements are, by NumPy's own C, and sums and products so far: along one axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.hooks.classes import COp
from opweld.quiet import quiet
from opweld.sections import Beside
from opweld.tensor.axis import one_axis
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import Axes, DType, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked
from opweld.tensor.reduce import max as _max
from opweld.tensor.type import TensorType
from opweld.tolerances import magnitude, of_products, of_sums

if TYPE_CHECKING:
    from opweld.schema import LoopFields

__all__ = ["ArgExtreme", "Cumulative", "argmax", "argmin", "cumprod", "cumsum", "max_and_argmax"]

_C = Beside(__file__)


class ArgExtreme(COp):
    """Where along an axis the largest or the smallest element is; the first of equal ones, and NaN before all.

    Parameters
    ----------
    which : {"max", "min"}
        The largest, or the smallest.
    axis : int or None
        None: the array is flattened.
    keepdims : bool
        The axis stays, of size 1; without axis, all do.
    """

    __props__ = ("which", "axis", "keepdims")
    c_float16 = True

    def __init__(self, which: str, axis: int | None = None, keepdims: bool = False) -> None:
        if which not in ("max", "min"):
            raise ValueError(f"ArgExtreme: expected 'max' or 'min', got {which!r}")
        self.which = which
        self.axis = axis
        self.keepdims = bool(keepdims)

    def _result(self, sizes: Any, one: Any) -> tuple[Any, ...]:
        """What is left of sizes; `one` stands for an axis that stays."""
        ndim = len(sizes)
        gone = set(range(ndim)) if self.axis is None or ndim == 0 else {one_axis(self.axis, ndim)}
        return tuple([one if i in gone else size for i, size in enumerate(sizes) if self.keepdims or i not in gone])

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            Where to look.

        Returns
        -------
        Apply
            One output of int64.

        Raises
        ------
        ValueError
            If it is known that there is nothing to look at.
        numpy.exceptions.AxisError
            If there is no such axis.
        """
        x = as_tensor_variable(x)
        sizes = x.type.shape
        if self.axis is not None:
            one_axis(self.axis, len(sizes) or 1)
        shape = self._result(sizes, 1)
        if 0 in sizes and 0 not in shape and None not in shape:
            raise ValueError(f"attempt to get arg{self.which} of an empty sequence")
        return Apply(self, [x], [TensorType(np.intp, shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Look in Python."""
        find = np.argmax if self.which == "max" else np.argmin
        output_storage[0][0] = np.asarray(find(inputs[0], axis=self.axis, keepdims=self.keepdims))

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes that stay."""
        return [self._result(input_shapes[0], 1)]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy look."""
        axis = "NPY_RAVEL_AXIS" if self.axis is None else self.axis
        arguments = f"{by_value(input_names[0])}, {axis}, {int(self.keepdims)}, {int(self.which == 'max')}"
        return checked(f"opw_arg_extreme(&{output_names[0]}, {arguments})", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class Cumulative(Op):
    """The sum, or the product, of all elements up to each, along an axis.

    Parameters
    ----------
    which : {"sum", "prod"}
        What is computed.
    axis : int or None
        None: the array is flattened.
    dtype : str or numpy.dtype, optional
        Of the result; elements are cast to it. Left out: int64 or uint64 for bool and smaller integers, else the
        input's.
    """

    __props__ = ("which", "axis", "dtype")

    def __init__(self, which: str, axis: int | None = None, dtype: DType = None) -> None:
        if which not in ("sum", "prod"):
            raise ValueError(f"Cumulative: expected 'sum' or 'prod', got {which!r}")
        self.which = which
        self.axis = axis
        self.dtype = None if dtype is None else dtype_of(dtype).name

    def make_node(self, x: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        x : Variable or array_like
            What is added up, or multiplied; without dimensions it counts as a vector of one element.

        Returns
        -------
        Apply
            One output.

        Raises
        ------
        numpy.exceptions.AxisError
            If there is no such axis.
        """
        x = as_tensor_variable(x)
        if self.axis is not None:
            one_axis(self.axis, x.type.ndim or 1)
        if x.type.ndim == 0 or (self.axis is None and x.type.ndim > 1):
            x = x.flatten()
        return Apply(self, [x], [TensorType(self.dtype or _summed(x.type.dtype), x.type.shape)()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Compute in Python."""
        dtype = dtype_of(node.outputs[0].type.dtype).np
        compute: Any = np.cumsum if self.which == "sum" else np.cumprod
        with quiet():
            output_storage[0][0] = compute(inputs[0], axis=self._along(node), dtype=dtype)

    def _along(self, node: Apply) -> int:
        """The axis from the front."""
        return one_axis(self.axis or 0, node.inputs[0].type.ndim)

    def debug_tolerance(self, node: Apply, inputs: list[Any]) -> Any:
        """Leave the order open in which floats are added or multiplied."""
        (x,) = inputs
        dtype: str = node.outputs[0].type.dtype
        axis = self._along(node)
        if self.which == "prod":
            return of_products(x.shape[axis], dtype)
        return of_sums(x.shape[axis], np.cumsum(magnitude(x), axis=axis), dtype)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the input's shape."""
        return list(input_shapes)

    def structure(self, node: Apply) -> dict[str, LoopFields]:
        """Give the work as data, for the engine's loops (docs/program.md).

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        dict
            Under ``loop``.
        """
        dtype: str = node.outputs[0].type.dtype
        op = "add" if self.which == "sum" else "multiply"
        return {
            "loop": {
                "axes": [self._along(node)], "body": [{"op": "cast", "args": [0], "dtype": dtype}],
                "folds": [{"op": op, "values": [1], "dtypes": [dtype]}],
                "outputs": [{"fold": 0, "scan": True, "value": 0}],
            }
        }  # fmt: skip


def _summed(dtype: str) -> str:
    """What sums of a dtype are."""
    found = dtype_of(dtype).np
    if found.kind in "bi" and found.itemsize < 8:
        return "int64"
    return "uint64" if found.kind == "u" else dtype


def _axis(axis: Axes, ndim: int) -> int | None:
    """The axis from the front; an array without dimensions counts as a vector."""
    return None if axis is None else one_axis(axis, ndim or 1)


def argmax(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Find where the largest element is, as ``numpy.argmax`` does: the first of equal ones, or the first NaN.

    Parameters
    ----------
    x : Variable or array_like
        Where to look.
    axis : int or None
        None: the array is flattened.
    keepdims : bool
        The axis stays, of size 1; without axis, all do.

    Returns
    -------
    TensorVariable
        Of int64.

    Raises
    ------
    ValueError
        If there is nothing to look at; at the call where sizes are not known before.
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.argmax(x))([3, 9, 4])
    np.int64(1)
    """
    x = as_tensor_variable(x)
    return ArgExtreme("max", _axis(axis, x.type.ndim), keepdims)(x)


def argmin(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Find where the smallest element is, as ``numpy.argmin`` does: the first of equal ones, or the first NaN.

    Parameters
    ----------
    x, axis, keepdims
        As for `argmax`.

    Returns
    -------
    TensorVariable
        Of int64.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.argmin(x))([3, 9, 4])
    np.int64(0)
    """
    x = as_tensor_variable(x)
    return ArgExtreme("min", _axis(axis, x.type.ndim), keepdims)(x)


def max_and_argmax(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Find the largest element, and where it is.

    Parameters
    ----------
    x, axis, keepdims
        As for `argmax`.

    Returns
    -------
    tuple of TensorVariable
        What `max` and `argmax` give.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.max_and_argmax(x))([3, 9, 4])
    [np.int64(9), np.int64(1)]
    """
    return _max(x, axis, keepdims), argmax(x, axis, keepdims)


def _cumulative(which: str, x: TensorLike, axis: Axes, dtype: DType) -> Any:
    x = as_tensor_variable(x)
    axis = _axis(axis, x.type.ndim)
    if dtype is not None and dtype_of(x.type.dtype).np.kind == "c" and dtype_of(dtype).np.kind not in "cb":
        x = functions.cast(x, dtype)  # this warns
    return Cumulative(which, axis, dtype)(x)


def cumsum(x: TensorLike, axis: Axes = None, dtype: DType = None) -> Any:
    """Add up all elements up to each, as ``numpy.cumsum`` does.

    Parameters
    ----------
    x : Variable or array_like
        What is added up.
    axis : int or None
        None: the array is flattened.
    dtype : str or numpy.dtype, optional
        Of the sums. Left out: int64 or uint64 for bool and smaller integers, else that of `x`.

    Returns
    -------
    TensorVariable

    Raises
    ------
    numpy.exceptions.AxisError
        If there is no such axis.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.cumsum(x))([1, 2, 3])
    array([1, 3, 6])
    """
    return _cumulative("sum", x, axis, dtype)


def cumprod(x: TensorLike, axis: Axes = None, dtype: DType = None) -> Any:
    """Multiply all elements up to each, as ``numpy.cumprod`` does.

    Parameters
    ----------
    x, axis, dtype
        As for `cumsum`.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.cumprod(x))([1, 2, 3])
    array([1, 2, 6])
    """
    return _cumulative("prod", x, axis, dtype)
