"""``opweld.source``: the C of whatever was made, for those who look at it."""

from __future__ import annotations

from typing import Any

from opweld import _ufunc
from opweld.compile.maker import Maker
from opweld.errors import _what

__all__ = ["source"]


def source(made: object, *dtypes: Any) -> str:
    """Show the C that a function came from.

    Parameters
    ----------
    made : Function, short form or numpy.ufunc
        What `function`, `cop` or `wrap` gave.
    *dtypes : str or numpy.dtype
        Of a short form or a ufunc: of its inputs. Left out: those of the first that was made.

    Returns
    -------
    str
        The whole translation unit.

    Raises
    ------
    TypeError
        If it is nothing of that kind.
    ValueError
        If nothing was made of a short form or ufunc yet, and no dtypes are given.

    Examples
    --------
    >>> halves = opweld.cop("x: float64[n] -> y: float64[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] / 2;")
    >>> "y[i] = x[i] / 2;" in opweld.source(halves, "float64")
    True
    """
    maker = getattr(made, "maker", None)
    if isinstance(maker, Maker):
        if dtypes:
            raise TypeError(f"dtypes are given for a short form or ufunc, not for {_what(made)}")
        return maker.source()
    give = getattr(_ufunc.form_of(made), "source", None) or getattr(made, "source", None)
    if not callable(give):
        raise TypeError(f"expected what opweld.function() gave, a short form or a ufunc of one, got {_what(made)}")
    return str(give(*dtypes))
