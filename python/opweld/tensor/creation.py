"""Arrays made from sizes: filled, unfilled, with a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.dtypes import dtype_of, shape_text
from opweld.graph.basic import Apply, Variable
from opweld.hooks.classes import COp
from opweld.sections import Beside
from opweld.tensor.basic import alloc
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.likes import DType, Size, Sizes, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, checked, integer_in, table
from opweld.tensor.shapes import shape_i
from opweld.tensor.type import TensorType
from opweld.tensor.views import known, sizes_of

__all__ = [
    "AllocEmpty",
    "Eye",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "identity",
]

_C = Beside(__file__)


def _anything_goes(a: object, b: object) -> bool:
    """Whether two arrays that nobody has filled are as good as equal: any are."""
    return True


class AllocEmpty(COp):
    """A new array of given sizes that holds anything.

    There is no `perform`: what it gave could not be compared with what C gives.

    Parameters
    ----------
    dtype : str or numpy.dtype
        The dtype.
    """

    __props__ = ("dtype",)
    c_float16 = True

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype_of(dtype).name

    def make_node(self, *shape: Any) -> Apply:
        """Build the node.

        Parameters
        ----------
        *shape : Variable or int
            The sizes.

        Returns
        -------
        Apply
            One output.

        Raises
        ------
        TypeError
            If a size is not an integer.
        ValueError
            If one is known to be negative.
        """
        sizes = sizes_of("empty", shape)
        made = TensorType(self.dtype, [_known(size) for size in sizes])()
        made.tag.values_eq_approx = _anything_goes
        return Apply(self, sizes, [made])

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes."""
        return [tuple(node.inputs)]

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Say no: there is nothing to compute."""
        return False

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Keep storage of the right shape, or make it."""
        out = output_names[0]
        call = f"opw_allocate(&{out}, {len(input_names)}, opw_shape, type_num_{out})"
        return f"{{\n{table('opw_shape', map(integer_in, input_names))}{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


class Eye(COp):
    """A matrix of zeros, with ones on a diagonal.

    Parameters
    ----------
    dtype : str or numpy.dtype
        The dtype.
    """

    __props__ = ("dtype",)
    c_float16 = True

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype_of(dtype).name

    def make_node(self, n: Size, m: Size, k: Size) -> Apply:
        """Build the node.

        Parameters
        ----------
        n, m : Variable or int
            The numbers of rows and of columns.
        k : Variable or int
            Which diagonal; above 0: further to the right.

        Returns
        -------
        Apply
            One output.

        Raises
        ------
        TypeError
            If one is no integer.
        ValueError
            If a size is known to be negative.
        """
        inputs = sizes_of("eye", [n, m, k])
        return Apply(self, inputs, [TensorType(self.dtype, [_known(size) for size in inputs[:2]])()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Fill in Python."""
        n, m, k = (int(x) for x in inputs)
        output_storage[0][0] = np.eye(n, m, k, dtype=dtype_of(self.dtype).np)

    def infer_shape(self, node: Apply, input_shapes: list[Any]) -> list[Any]:
        """Give the sizes."""
        return [tuple(node.inputs[:2])]

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Write zeros, then walk down the diagonal."""
        (n, m, k), out = input_names, output_names[0]
        number = dtype_of(self.dtype)
        ctype, one = number.ctype, "1"
        if number.name == "float16":
            one = "0x3C00"
        elif number.np.kind == "c":  # the real part comes first
            ctype = dtype_of(np.zeros(0, number.np).real.dtype).ctype
        sizes = ", ".join(map(integer_in, (n, m, k)))
        call = f"opw_eye(&{out}, {sizes}, type_num_{out}, &opw_one, sizeof opw_one)"
        return f"{{\nconst {ctype} opw_one = {one};\n{checked(call, sub['fail'])}}}\n"

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def _known(size: Any) -> int | None:
    """A size, where it is known."""
    found = known(size)
    if found is not None and found < 0:
        raise ValueError("negative dimensions are not allowed")
    return found


def empty(shape: Sizes, dtype: DType = None) -> Any:
    """Make an array that holds anything.

    Parameters
    ----------
    shape : sequence of (int or Variable), or one
        The sizes.
    dtype : str or numpy.dtype, optional
        ``config.floatX`` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.empty((x, 3)).shape)(2)
    array([2, 3])
    """
    return AllocEmpty("floatX" if dtype is None else dtype)(*sizes_of("empty", shape))


def _sizes(x: Variable) -> list[Any]:
    """The sizes of a tensor: integers where they are known."""
    return [shape_i(x, i) if size is None else size for i, size in enumerate(x.type.shape)]


def empty_like(x: TensorLike, dtype: DType = None) -> Any:
    """Make an array of the shape of another that holds anything.

    Parameters
    ----------
    x : Variable or array_like
        Whose shape.
    dtype : str or numpy.dtype, optional
        That of `x` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.empty_like(x).shape)([1, 2])
    array([2])
    """
    x = as_tensor_variable(x)
    return empty(_sizes(x), x.type.dtype if dtype is None else dtype)


def full(shape: Sizes, fill_value: TensorLike, dtype: DType = None) -> Any:
    """Make an array filled with a value, as ``numpy.full`` does.

    Parameters
    ----------
    shape : sequence of (int or Variable), or one
        The sizes.
    fill_value : Variable or array_like
        Broadcast to the shape.
    dtype : str or numpy.dtype, optional
        That of the value if left out; else it is cast.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If the value has more dimensions than the shape.
    OverflowError
        If one of Python's integers does not fit into `dtype`.

    Examples
    --------
    >>> x = T.dscalar("x")
    >>> opweld.function([x], T.full((2, 2), x))(7.0)
    array([[7., 7.],
           [7., 7.]])
    """
    sizes = sizes_of("full", shape)
    if not isinstance(fill_value, Variable) and dtype is not None:
        array: Any = fill_value
        fill_value = np.full(np.shape(array), array, dtype_of(dtype).np)
    value = as_tensor_variable(fill_value)
    if dtype is not None:
        value = functions.cast(value, dtype)
    if value.type.ndim > len(sizes):
        have, want = (shape_text(s).replace(" ", "") for s in (value.type.shape, [known(size) for size in sizes]))
        raise ValueError(f"could not broadcast input array from shape {have} into shape {want}")
    return alloc(value, *sizes)


def full_like(x: TensorLike, fill_value: TensorLike, dtype: DType = None) -> Any:
    """Make an array of the shape of another, filled with a value, as ``numpy.full_like`` does.

    Parameters
    ----------
    x : Variable or array_like
        Whose shape.
    fill_value : Variable or array_like
        Cast to the dtype, and broadcast to the shape.
    dtype : str or numpy.dtype, optional
        That of `x` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], T.full_like(x, 7))([1, 2])
    array([7, 7])
    """
    x = as_tensor_variable(x)
    return full(_sizes(x), fill_value, x.type.dtype if dtype is None else dtype)


def eye(n: Size, m: Size | None = None, k: Size = 0, dtype: DType = None) -> Any:
    """Make a matrix with ones on a diagonal, as ``numpy.eye`` does.

    Parameters
    ----------
    n, m : int or Variable
        The numbers of rows and of columns; as many columns as rows if left out.
    k : int or Variable
        Which diagonal; above 0: further to the right.
    dtype : str or numpy.dtype, optional
        ``config.floatX`` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.eye(x))(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return Eye("floatX" if dtype is None else dtype)(n, n if m is None else m, k)


def identity(n: Size, dtype: DType = None) -> Any:
    """Make the identity matrix.

    Parameters
    ----------
    n : int or Variable
        The number of rows and columns.
    dtype : str or numpy.dtype, optional
        ``config.floatX`` if left out.

    Returns
    -------
    TensorVariable

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.identity(x))(2)
    array([[1., 0.],
           [0., 1.]])
    """
    return eye(n, dtype=dtype)
