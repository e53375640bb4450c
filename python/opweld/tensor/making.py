"""A variable of a dtype and a shape, in whatever order a caller says them."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld import dtypes
from opweld.tensor.type import TensorType

__all__ = ["tensor"]


def tensor(*args: Any, name: Any = None, dtype: Any = None, shape: Any = None, broadcastable: Any = None) -> Any:
    """Make a variable: ``tensor("x", dtype="float64", shape=(None, 3))``.

    Parameters
    ----------
    *args
        The name, or the dtype, and after a dtype the shape and the name. One text by itself is the dtype if it is the
        name of one, unless `dtype` is given too.
    name : str, optional
        Its name.
    dtype : str or numpy.dtype, optional
        ``config.floatX`` if left out.
    shape : sequence of (int or None)
        One entry for each dimension; None: a size that only a call knows.
    broadcastable : sequence of bool, optional
        Instead of `shape`: True is size 1, False unknown.

    Returns
    -------
    TensorVariable

    Raises
    ------
    TypeError
        If an argument is given twice, is missing, or can be meant in two ways.

    Examples
    --------
    >>> T.tensor("float32", shape=(None, 3), name="points").type
    TensorType('float32', (None, 3))
    """
    given: dict[str, Any] = {"name": name, "dtype": dtype, "shape": shape}
    for key, value in zip(_places(args, name, dtype), args):
        if given[key] is not None:
            raise TypeError(f"tensor() got {key} twice: {given[key]!r} and {value!r}")
        given[key] = value
    if given["shape"] is None and broadcastable is None:
        raise TypeError('tensor() needs a shape: tensor("x", dtype="float64", shape=(None, 3))')
    made = TensorType("floatX" if given["dtype"] is None else given["dtype"], given["shape"], broadcastable)
    return made(given["name"])


def _places(args: tuple[Any, ...], name: object, dtype: Any) -> tuple[str, ...]:
    """What each positional argument of `tensor` is: PyTensor's are (name,), Theano's (dtype, broadcastable, name)."""
    if len(args) > 3:
        raise TypeError(f"tensor() takes up to 3 positional arguments, got {len(args)}")
    first = args[0] if args else None
    if isinstance(first, str) and len(args) > 1 and isinstance(args[1], (str, type, np.dtype)):
        return ("name", "dtype", "shape")
    if isinstance(first, str) and len(args) == 1 and name is None:
        known = _dtype_named(first)
        if dtype is not None or known is None:
            return ("name",)
        if first not in (known, "floatX"):  # d, i1, half: these are names as often
            raise TypeError(
                f"tensor({first!r}): is that the name or the dtype? Write tensor(name={first!r}, ...) or "
                f"tensor(dtype={known!r}, ...)"
            )
    return ("dtype", "shape", "name")


def _dtype_named(text: str) -> str | None:
    """The name of the dtype that a text means; None: it means none."""
    try:
        return dtypes.dtype_of(text).name
    except TypeError:
        return None
