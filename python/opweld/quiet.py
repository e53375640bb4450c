"""What NumPy says of floating point where an op computes in Python: nothing, unless somebody listens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

import numpy as np

__all__ = ["listening", "quiet"]

_listens: ContextVar[bool] = ContextVar("opweld_listens", default=False)
_NOTHING = nullcontext()


def quiet() -> AbstractContextManager[object]:
    """Keep NumPy from speaking of floating point, unless what it says is listened to.

    Returns
    -------
    context manager
        ``numpy.errstate(all="ignore")``, or nothing.
    """
    return _NOTHING if _listens.get() else np.errstate(all="ignore")


@contextmanager
def listening() -> Iterator[None]:
    """Let what is computed inside speak, by the `numpy.errstate` that holds.

    Yields
    ------
    None
    """
    token = _listens.set(True)
    try:
        yield
    finally:
        _listens.reset(token)
