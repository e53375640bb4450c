"""Work in a child of this process, which may crash or hang without harm: it has all objects, and says what it found."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import pickle
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from io import FileIO
from typing import Any, NamedTuple

__all__ = ["Ended", "messages"]

_LENGTH = struct.Struct("<Q")


class Ended(NamedTuple):
    """How a child ended, where it did not simply return.

    Attributes
    ----------
    how : str
        ``crash``, ``hang`` or ``error``.
    what : str
        The signal's name, the seconds, or what was raised.
    """

    how: str
    what: str


def messages(work: Callable[[Callable[[Any], None]], None], seconds: float | None) -> Iterator[Any]:
    """Do work in a child, and give what it says.

    Parameters
    ----------
    work : callable
        Is given a function that sends an object, and called in the child.
    seconds : float or None
        How long the child may say nothing; None: for ever.

    Yields
    ------
    object
        What was sent; at last an `Ended`, where the child did not return.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _inside(work, writer)
    os.close(writer)
    late = False
    try:
        with open(reader, "rb", buffering=0) as pipe:
            while True:
                raw = _read(pipe, _LENGTH.size, seconds)
                raw = raw and _read(pipe, _LENGTH.unpack(raw)[0], seconds)
                if not raw:
                    late = raw is None
                    break
                yield pickle.loads(raw)
    finally:
        with contextlib.suppress(ProcessLookupError):
            if late or sys.exc_info()[0] is not None:
                os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if late:
        yield Ended("hang", f"nothing came back within {seconds:g} s")
    elif os.WIFSIGNALED(status):
        yield Ended("crash", signal.Signals(os.WTERMSIG(status)).name)
    elif os.WEXITSTATUS(status):
        yield Ended("crash", f"exit code {os.WEXITSTATUS(status)}")


def _inside(work: Callable[[Callable[[Any], None]], None], writer: int) -> None:
    """Be the child: do the work and end, whatever comes, without what the parent does at its end."""
    code = 70
    faulthandler.disable()  # how it ended is told
    _keep_to_one_thread()
    try:
        with open(writer, "wb") as pipe:

            def send(message: object) -> None:
                raw = pickle.dumps(message)
                pipe.write(_LENGTH.pack(len(raw)) + raw)
                pipe.flush()

            try:
                work(send)
            except Exception as err:
                send(Ended("error", f"{type(err).__name__}: {err}"))
        code = 0
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(code)


def _keep_to_one_thread() -> None:
    """Have OpenMP start no threads: GCC's would wait for those of the parent, which the fork has left behind."""
    os.environ["OMP_NUM_THREADS"] = "1"  # where it is loaded later
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL("libgomp.so.1", mode=os.RTLD_NOLOAD).omp_set_num_threads(1)


def _read(pipe: FileIO, size: int, seconds: float | None) -> bytes | None:
    """So many bytes; none: the other end is closed; None: it says nothing."""
    found = b""
    until = None if seconds is None else time.monotonic() + seconds
    while len(found) < size:
        ready, _, _ = select.select([pipe], [], [], until and max(until - time.monotonic(), 0))
        if not ready:
            return None
        piece = pipe.read(size - len(found))
        if not piece:
            return b""
        found += piece
    return found
