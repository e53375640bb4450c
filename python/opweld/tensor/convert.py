"""What makes variables and constants: the constructors of each dtype and number of dimensions, and values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.dtypes import KINDS, PREFIXES
from opweld.errors import _instead, _what
from opweld.graph.basic import Variable
from opweld.tensor.operators import functions
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorConstant, TensorVariable

if TYPE_CHECKING:
    from opweld.tensor import likes

__all__ = ["Constructor", "as_tensor_variable", "constant", "constructor"]


def constant(x: likes.TensorLike, name: str | None = None, dtype: likes.DType = None) -> TensorConstant:
    """Make a constant from an array, a number or a list.

    Parameters
    ----------
    x : array_like
        Its value; copied.
    name : str, optional
        Its name.
    dtype : str or numpy.dtype, optional
        The dtype it is cast to, where every value is kept.

    Returns
    -------
    TensorConstant
        Of the array's shape.

    Raises
    ------
    TypeError
        If NumPy makes no numeric array of it.

    Examples
    --------
    >>> x = T.lvector("x")
    >>> opweld.function([x], x + T.constant(2))([1, 2])
    array([3, 4])
    """
    if hasattr(x, "owner") and hasattr(x, "type"):
        raise TypeError(f"cannot make a constant of {_what(x)}{_instead(x)}")
    try:
        array = np.asarray(x)
    except (TypeError, ValueError) as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    try:
        type_ = TensorType(array.dtype if dtype is None else dtype, array.shape)
    except TypeError as err:
        raise TypeError(f"cannot make a constant of {_what(x)}: {err}") from None
    return TensorConstant(type_, x if isinstance(x, np.ndarray) or dtype is not None else array, name)


def as_tensor_variable(x: likes.TensorLike, name: str | None = None, ndim: int | None = None) -> TensorVariable:
    """Give a tensor variable for `x`.

    Parameters
    ----------
    x : Variable or array_like
        A tensor variable is given back as it is; an array, number or list becomes a constant; a list that holds
        variables is stacked, as ``numpy.array`` stacks a list of arrays.
    name : str, optional
        Name of the constant.
    ndim : int, optional
        The number of dimensions it must have.

    Returns
    -------
    TensorVariable or TensorConstant

    Raises
    ------
    TypeError
        For a variable of another type, and for what is not numeric.
    ValueError
        If the number of dimensions is not `ndim`.

    Examples
    --------
    >>> opweld.as_tensor_variable([1, 2]).type
    TensorType('int64', (2,))
    >>> x = T.dvector("x")
    >>> opweld.as_tensor_variable(x) is x
    True
    >>> opweld.as_tensor_variable([x[0], 1.0]).ndim
    1
    """
    found: TensorVariable
    if isinstance(x, Variable):
        if not isinstance(x.type, TensorType):
            raise TypeError(f"expected a tensor variable, got {x} of type {x.type}")
        found = x  # type: ignore[assignment]  # or a constant, which has the same to say
    elif isinstance(x, (list, tuple)) and _holds_variables(x):
        found = functions.stack([as_tensor_variable(item) for item in x])
    else:
        found = constant(x, name)  # type: ignore[assignment]
    if ndim is not None and found.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, got {found} of type {found.type}")
    return found


def _holds_variables(x: object) -> bool:
    """Whether a list, or a list in it, holds a variable."""
    return isinstance(x, (list, tuple)) and any(isinstance(item, Variable) or _holds_variables(item) for item in x)


class Constructor:
    """``vector("x")``: a variable of ``config.floatX``, or of the dtype given.

    Parameters
    ----------
    kind : str
        One of `opweld.dtypes.KINDS`.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __call__(self, name: str | None = None, dtype: Any = None, shape: Any = None) -> TensorVariable:
        """Make a variable."""
        sizes = KINDS[self._kind]
        if shape is not None:
            if len(tuple(shape)) != len(sizes):
                raise ValueError(f"{self._kind}: expected {len(sizes)} sizes, got shape {tuple(shape)}")
            sizes = tuple(shape)
        return TensorType("floatX" if dtype is None else dtype, sizes)(name)  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"<constructor of a {self._kind} of config.floatX>"


def constructor(name: str) -> Any:
    """Make what is called by the name of a constructor.

    Parameters
    ----------
    name : str
        One of `opweld.dtypes.CONSTRUCTORS`.

    Returns
    -------
    Constructor or TensorType
    """
    if name in KINDS:
        return Constructor(name)
    kind = next(kind for kind in KINDS if name.endswith(kind) and name[: -len(kind)] in PREFIXES)
    return TensorType(PREFIXES[name[: -len(kind)]], KINDS[kind])
