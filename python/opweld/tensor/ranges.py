"""Evenly spaced numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.errors import _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.hooks.classes import COp
from opweld.promotion import weak_kind
from opweld.sections import Beside
from opweld.tensor.convert import as_tensor_variable, constant
from opweld.tensor.likes import DType, TensorLike
from opweld.tensor.operators import functions
from opweld.tensor.outputs import OUTPUTS, by_value, checked
from opweld.tensor.type import TensorType

__all__ = ["ARange", "arange", "linspace"]

_C = Beside(__file__)


class ARange(COp):
    """Numbers from `start` up to `stop`, `step` apart, counted and computed as ``numpy.arange`` does.

    Parameters
    ----------
    dtype : str or numpy.dtype
        Their dtype.
    """

    __props__ = ("dtype",)
    c_float16 = True

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype_of(dtype).name

    def make_node(self, start: TensorLike, stop: TensorLike, step: TensorLike) -> Apply:
        """Build the node.

        Parameters
        ----------
        start, stop, step : Variable or number
            Without dimensions.

        Returns
        -------
        Apply
            One output: a vector, of known length where the inputs are constant.

        Raises
        ------
        TypeError
            If an input has dimensions.
        ZeroDivisionError
            If the step is known to be zero.
        """
        inputs = [as_tensor_variable(x) for x in (start, stop, step)]
        for name, x in zip(("start", "stop", "step"), inputs):
            if x.type.ndim != 0:
                raise TypeError(f"arange: {name} must have no dimensions, got {x} of type {x.type}")
        length = None
        if all(isinstance(x, Constant) for x in inputs):
            length = _length(*[x.data for x in inputs if isinstance(x, Constant)])
        return Apply(self, inputs, [TensorType(self.dtype, (length,))()])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Count in Python."""
        if not inputs[2]:
            raise ZeroDivisionError("division by zero")
        output_storage[0][0] = np.arange(*inputs, dtype=dtype_of(self.dtype).np)

    def c_support_code(self) -> list[str]:
        """Define what is called."""
        return [OUTPUTS.section(), _C.section()]

    def c_code(
        self, node: Apply, name: str, input_names: list[str], output_names: list[str], sub: dict[str, Any]
    ) -> str:
        """Let NumPy count."""
        out = output_names[0]
        return checked(f"opw_arange(&{out}, {', '.join(map(by_value, input_names))}, type_num_{out})", sub["fail"])

    def c_code_cache_version(self) -> tuple[Any, ...]:
        """Version of this text."""
        return (1,)


def _length(start: np.ndarray[Any, Any], stop: np.ndarray[Any, Any], step: np.ndarray[Any, Any]) -> int:
    """How many numbers an `arange` of constants has; what NumPy refuses is refused."""
    if not step:
        raise ZeroDivisionError("division by zero")
    with np.errstate(all="ignore"):
        apart = np.subtract(stop, start)
        steps = np.true_divide(apart, step)
    if np.iscomplexobj(steps) or not abs(steps) < 2**40:
        return len(np.arange(start, stop, step))  # type: ignore[call-overload]
    if steps == 0 and apart:  # the division underflowed
        return 0 if np.signbit(steps) else 1
    return max(int(np.ceil(steps)), 0)


@cache
def _arange_dtype(spec: tuple[Any, ...]) -> str:
    """The dtype that NumPy's arange gives; of Python's numbers, which are weak, `spec` holds the class."""
    parts = [entry if isinstance(entry, type) else dtype_of(entry).np.type for entry in spec]
    return dtype_of(np.arange(parts[0](0), parts[1](1), parts[2](1)).dtype).name


def _spec(x: TensorLike) -> Any:
    kind = None if isinstance(x, Variable) else weak_kind(x)
    return as_tensor_variable(x).type.dtype if kind is None else kind


def arange(
    start: TensorLike | None = None, stop: TensorLike | None = None, step: TensorLike | None = None, *,
    dtype: DType = None,
) -> Any:  # fmt: skip
    """Give evenly spaced numbers, as ``numpy.arange`` does.

    Parameters
    ----------
    start : Variable or number
        The first; with this argument alone the end, and the first is 0.
    stop : Variable or number, optional
        The end, which is not reached.
    step : Variable or number, optional
        How far apart; 1 if left out.
    dtype : str or numpy.dtype, optional
        Left out: what NumPy takes, int64 at least.

    Returns
    -------
    TensorVariable
        A vector.

    Raises
    ------
    TypeError
        If an end is missing, or an argument has dimensions.
    ZeroDivisionError
        If `step` is zero; at the call where it is not known before.
    ValueError
        If the length cannot be computed, or is too large.

    Examples
    --------
    >>> x = T.lscalar("x")
    >>> opweld.function([x], T.arange(0, x, 2))(7)
    array([0, 2, 4, 6])
    """
    if stop is None:
        start, stop = None, start
    if stop is None:
        raise TypeError("arange() requires stop to be specified.")
    given = (0 if start is None else start, stop, 1 if step is None else step)
    name = _arange_dtype(tuple([_spec(x) for x in given])) if dtype is None else dtype_of(dtype).name
    return ARange(name)(*given)


def linspace(start: TensorLike, stop: TensorLike, num: int = 50, endpoint: bool = True, *, dtype: DType = None) -> Any:
    """Give a number of evenly spaced numbers, as ``numpy.linspace`` does.

    Parameters
    ----------
    start, stop : Variable or array_like
        The first and the last; they are broadcast, and the new axis comes first.
    num : int
        How many.
    endpoint : bool
        False: `stop` would be the next after the last.
    dtype : str or numpy.dtype, optional
        Floating point if left out.

    Returns
    -------
    TensorVariable

    Raises
    ------
    ValueError
        If `num` is negative.

    Examples
    --------
    >>> x = T.dscalar("x")
    >>> opweld.function([x], T.linspace(0, x, 5))(1.0)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    if not hasattr(num, "__index__"):
        raise TypeError(f"linspace: num must be an integer, got {_what(num)}")
    num = num.__index__()
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    multiply, where = functions.multiply, functions.where
    start, stop = multiply(start, 1.0), multiply(stop, 1.0)
    apart = functions.subtract(stop, start)
    steps = num - 1 if endpoint else num
    made = dtype_of(apart.type.dtype)
    count = np.arange(num).astype(made.np).reshape((num,) + (1,) * apart.type.ndim)
    if steps > 0:
        step = functions.divide(apart, steps)
        found = where(functions.equal(step, 0), multiply(count / made.np.type(steps), apart), multiply(count, step))
    else:
        found = multiply(count, apart)
    found = functions.add(found, start)
    if endpoint and num > 1:
        found = where(constant(np.arange(num).reshape(count.shape) == num - 1), stop, found)
    if dtype is None:
        return found
    return functions.cast(functions.floor(found) if dtype_of(dtype).np.kind in "iu" else found, dtype)
