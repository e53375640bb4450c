"""NumPy's functions on variables: what ``np.sin(x)`` and ``np.sum(x, axis=0)`` mean here, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn
from warnings import warn

import numpy as np

from opweld import _ufunc
from opweld.dtypes import CONSTRUCTORS
from opweld.errors import OpweldWarning
from opweld.graph.basic import Variable
from opweld.signatures import signature_of
from opweld.suggest import instead
from opweld.tensor.operators import functions

__all__ = ["function", "ufunc", "valueless"]

# The methods of ufuncs that are functions here, by the names of both.
_METHODS = {
    ("add", "reduce"): "sum", ("multiply", "reduce"): "prod", ("maximum", "reduce"): "max",
    ("minimum", "reduce"): "min", ("logical_and", "reduce"): "all",
    ("logical_or", "reduce"): "any", ("add", "accumulate"): "cumsum",
    ("multiply", "accumulate"): "cumprod",
}  # fmt: skip
_OF_ATTRIBUTES = {"ndim": "ndim"}


def ufunc(called: np.ufunc, method: str, inputs: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Build what a ufunc computes of variables.

    Parameters
    ----------
    called : numpy.ufunc
        The ufunc.
    method : str
        ``"__call__"``, or which of its methods.
    inputs : tuple
        Its operands.
    keywords : dict
        What it was given besides.

    Returns
    -------
    TensorVariable or list of them

    Raises
    ------
    TypeError
        If there is no such operation here, or a keyword means nothing in a graph.
    """
    name = called.__name__
    form = _ufunc.form_of(called)
    if form is not None:  # one of `opweld.cop`
        return form.applied(method, inputs, keywords)
    if "out" in keywords:
        raise TypeError(
            f"np.{name} cannot write a variable into an array; write x = x + y for x += y, and out= where the function "
            f"is called"
        )
    if method == "__call__":
        if name in ("equal", "not_equal") and not isinstance(inputs[0], Variable):
            return _identity(name, inputs[0])
        found = _counterpart(called, name)
        return _given(found, name, inputs, keywords)
    same = _METHODS.get((name, method))
    if same is None or getattr(np, name, None) is not called:
        at = "; write x[i].inc(value)" if method == "at" else "; write T.outer" if method == "outer" else ""
        raise TypeError(f"np.{name}.{method} is not here{at or '; see docs/numpy.md'}")
    return _given(getattr(functions, same), f"{name}.{method}", inputs[:1], {"axis": 0, **keywords})


def _identity(name: str, first: np.generic | np.ndarray[Any, Any]) -> bool:
    """What ``array == variable`` says, which comes here as ``np.equal(array, variable)`` does."""
    if np.ndim(first):
        warn(
            f"array {'==' if name == 'equal' else '!='} variable asks whether they are the same object; write "
            f"T.{'eq' if name == 'equal' else 'neq'}(array, variable) to compare elements",
            OpweldWarning,
            stacklevel=4,
        )
    return name == "not_equal"


def function(called: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Build what a function of NumPy's gives for variables.

    Parameters
    ----------
    called : callable
        The function.
    args, keywords : tuple, dict
        Its arguments.

    Returns
    -------
    TensorVariable or list of them

    Raises
    ------
    TypeError
        If there is no such function here.
    """
    name = getattr(called, "__name__", str(called))
    if name in _OF_ATTRIBUTES and args:
        return getattr(args[0], _OF_ATTRIBUTES[name])
    return _given(_counterpart(called, name), name, args, keywords)


def valueless(variable: object, called: str) -> NoReturn:
    """Refuse to give the value of a variable.

    Parameters
    ----------
    variable : Variable
        The variable.
    called : str
        What asked for it.

    Raises
    ------
    TypeError
        Always.
    """
    what = "get_value() gives it" if hasattr(variable, "get_value") else "make a function and call it"
    if hasattr(variable, "data"):
        what = "x.data is it"
    raise TypeError(f"{called} of {variable}: a variable of a graph has no value outside a function; {what}")


def _counterpart(called: object, name: str) -> Callable[..., Any]:
    """The function of the same name here."""
    whose = getattr(called, "__module__", None) or "numpy"
    of_numpy = getattr(np, name, None) is called or whose.startswith("numpy.linalg")
    if of_numpy and name in functions.__all__ and name not in CONSTRUCTORS:
        found: Callable[..., Any] = getattr(functions, name)
        return found
    if not of_numpy:
        raise TypeError(
            f"{whose}.{name} does not take variables; write opweld.scalar.expr, or an op whose perform calls it"
        )
    raise TypeError(f"np.{name} does not take variables{instead(name) or '; see docs/numpy.md'}")


def _given(found: Callable[..., Any], name: str, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    named = {key: value for key, value in keywords.items() if value is not np._NoValue}
    told = signature_of(found) if named else None
    if told is not None:
        for key in named:
            if not told.accepts(key):
                raise TypeError(f"np.{name} of variables is T.{name}, which has no {key!r}")
    return found(*args, **named)
