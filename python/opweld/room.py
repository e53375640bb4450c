"""Whether Go's runtime gets what it needs in this process: asked before, for it ends the process where it does not."""

from __future__ import annotations

import os

try:
    from opweld._threads import startable
except ImportError:  # not built: whoever needs more of it says so

    def startable(number: int, /) -> int:
        """Take it that all can be started."""
        return number


__all__ = ["MORE_FILES", "MORE_THREADS", "lacking", "mask"]

_SPACE = 2 << 30  # bytes of address space that the runtime reserves, with what a build takes
_HEAP = 256 << 20  # bytes that a build may take
_THREADS = 16
_PLENTY = 48  # threads and processes, besides one thread for each processor: the runtime's and the compilers' together
_FILES = 64

MORE_THREADS = "raise the limit of processes and threads (ulimit -u), or end some"
MORE_FILES = "raise the limit (ulimit -n), or close some"


def lacking(loaded: bool, dear: bool = False) -> str:
    """Say what a build in this process might not get.

    Parameters
    ----------
    loaded : bool
        The engine is loaded in this process.
    dear : bool, optional
        The process must not end whatever becomes of the build. Compilers take from the same limit as threads while
        they run, so more is asked for than the runtime starts with.

    Returns
    -------
    str
        What is short and how to get more of it; empty: nothing.
    """
    return _no_space(_HEAP if loaded else _SPACE) or _no_files() or _no_threads(_wanted(dear))


def mask() -> int:
    """Tell what this process's mask takes from the modes of new files, without changing it; 0 where nobody says."""
    try:
        with open("/proc/self/status", "rb") as status:
            return next((int(line[6:], 8) for line in status if line.startswith(b"Umask:")), 0)
    except (OSError, ValueError):
        return 0


def _wanted(dear: bool) -> int:
    return _PLENTY + len(os.sched_getaffinity(0)) if dear else _THREADS


def _no_space(size: int) -> str:
    import resource

    try:
        limits = [resource.getrlimit(which)[0] for which in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    except OSError:
        return ""  # who may not ask is told by the system
    if limits == [resource.RLIM_INFINITY] * 2:
        return ""
    import mmap

    try:
        with (
            mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0),
            mmap.mmap(-1, _HEAP, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
        ):
            return ""
    except (OSError, ValueError, MemoryError):
        return f"less than {(size + _HEAP) >> 20} MiB of address space are free; raise the limit (ulimit -v, ulimit -d)"


def _no_files() -> str:
    copies: list[int] = []
    reader, writer = -1, -1
    try:
        reader, writer = os.pipe()
        copies += [reader, writer]
        while len(copies) < _FILES:
            copies.append(os.dup(reader))
    except OSError as err:
        return f"fewer than {_FILES} files can be opened ({err.strerror}); {MORE_FILES}"
    finally:
        for copy in copies:
            os.close(copy)
    return ""


def _no_threads(wanted: int) -> str:
    before = _running()
    if startable(wanted) < wanted:
        return f"fewer than {wanted} threads can be started; {MORE_THREADS}"
    if _running() > before:
        import time

        patience = time.monotonic() + 0.1
        while _running() > before and time.monotonic() < patience:  # their places are wanted
            time.sleep(0.0001)
    return ""


def _running() -> int:
    """How many threads the system counts; those of Python go a little before."""
    import _thread

    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return _thread._count()
