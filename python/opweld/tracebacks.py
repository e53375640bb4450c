"""Tracebacks that end at the user's line: opweld's own frames are left out of what a user did wrong.

``config.traceback = "full"`` shows them. What may be a defect of opweld's is always shown in full.
"""

from __future__ import annotations

import os
import sys
from types import CodeType, TracebackType

from opweld.config import config
from opweld.errors import ConfigError, EngineError, OpweldError

__all__ = ["shorten", "show"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def shorten(error: BaseException, ran: CodeType | None = None) -> None:
    """Leave opweld's frames out of an exception's traceback.

    Parameters
    ----------
    error : BaseException
        To be raised again.
    ran : code, optional
        A function of opweld's that calls what a user wrote: whatever is raised in C below it is the user's.
    """
    if _is_users(error) or (ran is not None and _last(error) is ran and _are_short()):
        error.__traceback__ = _without(error.__traceback__)


def _is_users(error: BaseException) -> bool:
    """Whether an exception is of a kind that says what a user did wrong, and is to be short."""
    kinds = (OpweldError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, FileNotFoundError)
    return isinstance(error, kinds) and not isinstance(error, EngineError) and _are_short()


def _are_short() -> bool:
    """Whether tracebacks are to be short: they are where the configuration is what is wrong."""
    try:
        return bool(config.traceback == "short")
    except ConfigError:
        return True


def _last(error: BaseException) -> CodeType | None:
    """The Python code that an exception comes from."""
    found, traceback = None, error.__traceback__
    while traceback is not None:
        found, traceback = traceback.tb_frame.f_code, traceback.tb_next
    return found


def _without(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without opweld's frames."""
    kept = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE):
            kept.append(traceback)
        traceback = traceback.tb_next
    made = None
    for entry in reversed(kept):
        made = TracebackType(made, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return made


def show(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Show an exception that nobody caught, as Python does.

    Parameters
    ----------
    kind, error, traceback
        As `sys.excepthook` is given them.
    """
    left = _without(traceback) if _is_users(error) else None
    if left is not None:
        error.__traceback__ = traceback = left
    sys.__excepthook__(kind, error, traceback)
