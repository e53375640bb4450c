"""A pipe whose writing end this process alone holds: when the process is gone, the compilers that it started go too."""

from __future__ import annotations

import functools
import os
from contextlib import suppress

from opweld import errors

__all__ = ["line"]

_lifeline: tuple[int, int, int] | None = None  # both ends, its number


def line() -> int:
    """Give the reading end, for those who watch it.

    Returns
    -------
    int
        A file descriptor, the same in each call of one process as long as nobody else closes it.

    Raises
    ------
    EngineError
        If no pipe can be opened.
    """
    global _lifeline
    if _lifeline is not None and not _is_pipe(*_lifeline):  # somebody closed what is not theirs
        _lifeline = None
    if _lifeline is None:
        _watch_forks()
        try:
            reader, writer = os.pipe()
            _lifeline = reader, writer, os.fstat(writer).st_ino
        except OSError as err:
            raise errors.EngineError(f"the engine cannot open a pipe to hold its compilers by: {err}") from err
    return _lifeline[0]


@functools.cache
def _watch_forks() -> None:
    os.register_at_fork(after_in_child=_drop)


def _is_pipe(reader: int, writer: int, number: int) -> bool:
    with suppress(OSError):
        return os.fstat(reader).st_ino == os.fstat(writer).st_ino == number
    return False


def _drop() -> None:
    """Let go, in a child of a fork, of what tells that the parent lives."""
    global _lifeline
    if _lifeline is not None and _is_pipe(*_lifeline):
        for end in _lifeline[:2]:
            os.close(end)
    _lifeline = None
