"""The engine's library: whether it can live in this process, and its load, which only what must be built asks for."""

from __future__ import annotations

import os
from typing import Any

from opweld import errors, room

__all__ = ["begin", "is_at_home", "is_here", "load", "settle"]

_loaded_in: int | None = None  # the process that loaded the engine
_settled = False


def is_here() -> bool:
    """Say whether the engine was loaded, and by this process: in a child of a fork it does not run."""
    return _loaded_in == os.getpid()


def is_at_home() -> bool:
    """Whether the engine can be called in this process."""
    if _loaded_in is not None and _loaded_in != os.getpid():
        return False
    if room.mask() & 0o700:
        return False
    return not room.lacking(_loaded_in is not None, dear=True)


def begin() -> bool:
    """Load the engine, if it can live in this process: its start goes on while the request for a build is made.

    Returns
    -------
    bool
        Whether it lives here: for `build`, called soon. `settle` must be called whatever comes between.
    """
    here = is_at_home()
    if here:
        _library()
    return here


def settle() -> None:
    """Give back to the process what loading the engine took: the first call does, and who has begun and not called."""
    global _settled
    if _loaded_in == os.getpid() and not _settled:
        _settled = True
        _library().pyext_Settle("")


def _library() -> Any:
    global _loaded_in
    try:
        from opweld import _engine  # not before something must be built
    except (ImportError, OSError) as error:
        raise errors.EngineError(
            f"the engine, which is needed to build a module, cannot be loaded: {error}. Install opweld's wheel for "
            f"this CPython, or in a source tree run: make engine"
        ) from error
    if _loaded_in is None:
        _loaded_in = os.getpid()
    return _engine


def load() -> Any:
    """Give the bound engine, to be called."""
    library = _library()
    settle()
    return library
