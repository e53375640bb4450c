"""Functions of statistics and learning, made of others so that no step on the way overflows."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.scalar.basic import Erf, Erfc
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.elemwise import documented
from opweld.tensor.likes import Axes, TensorLike
from opweld.tensor.operators import functions

__all__ = ["erf", "erfc", "logsumexp", "relu", "sigmoid", "softmax", "softplus"]


erf = documented(
    Erf(),
    "Give the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.",
    "[0.0, 1.0] = array([0.        , 0.84270079])",
)
erfc = documented(
    Erfc(), "Give 1 - erf(x), exact where that is small.", "[0.0, 10.0] = array([1.00000000e+00, 2.08848758e-45])"
)


def relu(x: TensorLike) -> Any:
    """Give what is above zero, and zero for the rest: ``maximum(x, 0)``.

    Parameters
    ----------
    x : Variable or array_like
        Of any shape.

    Returns
    -------
    TensorVariable
        Of the same dtype and shape.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.relu(x))([-1.0, 2.0])
    array([0., 2.])
    """
    x = as_tensor_variable(x)
    return functions.maximum(x, np.zeros((), x.type.dtype))


def sigmoid(x: TensorLike) -> Any:
    """Give ``1 / (1 + exp(-x))``, as ``scipy.special.expit`` does.

    Parameters
    ----------
    x : Variable or array_like
        Real, of any shape.

    Returns
    -------
    TensorVariable
        Of the dtype of ``exp(x)``, and the same shape.

    Notes
    -----
    Computed with ``exp(-abs(x))``, which does not overflow.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.sigmoid(x))([0.0, 800.0])
    array([0.5, 1. ])
    """
    x = _real("sigmoid", x)
    small = functions.exp(-functions.abs(x))
    return functions.where(functions.ge(x, 0), 1, small) / (small + 1)


def softplus(x: TensorLike) -> Any:
    """Give ``log(1 + exp(x))``, a smooth `relu`: ``logaddexp(x, 0)``.

    Parameters
    ----------
    x : Variable or array_like
        Real, of any shape.

    Returns
    -------
    TensorVariable
        Of the dtype of ``exp(x)``, and the same shape.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.softplus(x))([-800.0, 800.0])
    array([  0., 800.])
    """
    return functions.logaddexp(_real("softplus", x), 0)


def softmax(x: TensorLike, axis: Axes = None) -> Any:
    """Give ``exp(x) / sum(exp(x))``, as ``scipy.special.softmax`` does.

    Parameters
    ----------
    x : Variable or array_like
        Real, of any shape; along `axis` it has one element at least.
    axis : int or tuple of int, optional
        Along which the results add up to 1; all if left out.

    Returns
    -------
    TensorVariable
        Of the dtype of ``exp(x)``, and the same shape.

    Notes
    -----
    The largest element is subtracted first, so that nothing overflows.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.softmax(x, axis=0))([1.0, 1.0])
    array([0.5, 0.5])
    """
    x = _real("softmax", x)
    power = functions.exp(x - functions.max(x, axis=axis, keepdims=True))
    return power / functions.sum(power, axis=axis, keepdims=True)


def logsumexp(x: TensorLike, axis: Axes = None, keepdims: bool = False) -> Any:
    """Give ``log(sum(exp(x)))``, as ``scipy.special.logsumexp`` does.

    Parameters
    ----------
    x : Variable or array_like
        Real, of any shape; along `axis` it has one element at least.
    axis : int or tuple of int, optional
        Along which it is summed; all if left out.
    keepdims : bool, optional
        Whether these axes stay, with one element.

    Returns
    -------
    TensorVariable
        Of the dtype of ``exp(x)``.

    Notes
    -----
    The largest element is subtracted first where it is finite, so that nothing overflows.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.function([x], T.logsumexp(x))([1000.0, -1000.0])
    np.float64(1000.0)
    """
    x = _real("logsumexp", x)
    most = functions.max(x, axis=axis, keepdims=True)
    most = functions.where(functions.isfinite(most), most, 0)
    total = functions.sum(functions.exp(x - most), axis=axis, keepdims=True)
    none = functions.eq(total, 0)  # of which the logarithm would warn
    found = functions.where(none, -np.inf, functions.log(functions.where(none, 1, total)) + most)
    return found if keepdims else functions.sum(found, axis=axis)


def _real(what: str, x: TensorLike) -> Any:
    """A variable whose exponential is a float, of the dtype that this has."""
    x = as_tensor_variable(x)
    kind = x.type.numpy_dtype.kind
    if kind == "c":
        raise TypeError(f"{what}: expected real numbers, got {x.type}: give the function of T.real(x)")
    return x if kind == "f" else functions.cast(x, np.exp(np.zeros(1, x.type.dtype)).dtype)
