"""Folders for modules that no other process may use: made when one is needed, gone with the process.

A folder is locked for as long as its process, or one forked from it, lives. What a killed process left behind is
nobody's, and the next build takes it away.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator

from opweld.compile import store, trust

__all__ = ["folders", "sweep"]

_PREFIX = "opweld-private-"
_SWEEPS = 10  # how often somebody who tidies may take away what has just been made

_made: dict[str, int] = {}  # folder -> the open file that holds its lock; -1: there are no locks
_swept = False


def folders(refused: list[tuple[str, str]], roots: Iterable[str]) -> Iterator[str]:
    """Give folders of this process, best first: those that are there, then new ones, each in another place.

    Parameters
    ----------
    refused : list of (str, str)
        Where places in which none can be made are added, and why.
    roots : iterable of str
        The cache's folders: for machines where nothing else can be written.

    Yields
    ------
    str
        Of another one than the last, if it did not do.
    """
    tried = set()
    for folder in list(_made):
        if os.path.isdir(folder):
            tried.add(os.path.dirname(folder))
            yield folder
    for place in _places(roots):
        if place in tried or place in dict(refused):
            continue
        why = store.unusable(place) or _shared(place)
        if not why:
            try:
                folder = _make(place)
            except OSError as err:
                why = store.words(err)
            else:
                yield folder
                _forget_empty(folder)
                continue
        refused.append((place, why))


def _places(roots: Iterable[str]) -> list[str]:
    """Where temporary files may go, as the module tempfile has it, and in the cache."""
    chosen = getattr(sys.modules.get("tempfile"), "tempdir", None)
    named = [chosen, *(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))]
    found = [os.path.abspath(os.fsdecode(place)) for place in named if place]
    try:
        here = [os.getcwd()]
    except OSError:
        here = []
    usual = [place for place in ("/tmp", "/var/tmp", "/usr/tmp") if os.path.isdir(place)]
    return list(dict.fromkeys([*found, *usual, *here, *filter(os.path.isdir, map(store.passing, roots))]))


def _shared(place: str) -> str:
    """Why modules that lie below a place could be exchanged by somebody else; empty: they cannot."""
    try:
        trust.resolve(os.path.join(place, _PREFIX))  # the folder's name will be another, which nobody has yet
    except trust.Distrust as why:
        return f"others could put code there: {why}"
    except OSError as err:
        return str(err)
    return ""


def _make(place: str) -> str:
    import atexit
    import shutil

    folder, file = _new(place)
    _made[folder] = file
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a child that was forked
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    util = sys.modules.get("multiprocessing.util")
    if util is not None:  # its processes end without atexit
        util.Finalize(None, remove, exitpriority=-100)
    return folder


def _new(place: str) -> tuple[str, int]:
    """Make a folder and lock it; whoever tidies may take it away in between."""
    import tempfile

    for _ in range(_SWEEPS):
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=place)
        try:
            os.chmod(folder, 0o700)  # the process's mask may have kept it from us
            file = _held(folder)
        except (FileNotFoundError, BlockingIOError):
            continue
        if file < 0 or os.fstat(file).st_nlink:
            return folder, file
        os.close(file)
    raise FileNotFoundError(errno.ENOENT, "somebody takes new folders away at once", place)


def _held(folder: str) -> int:
    """Lock a folder; -1: its file system has no locks. BlockingIOError: it is somebody else's."""
    import fcntl

    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise
    except OSError:
        os.close(file)
        return -1
    return file


def _forget_empty(folder: str) -> None:
    """Remove a new folder in which nothing could be built."""
    try:
        os.rmdir(folder)
    except OSError:
        return
    file = _made.pop(folder)
    if file >= 0:
        os.close(file)


def sweep(roots: Iterable[str]) -> None:
    """Remove the folders of processes that are dead; once a process.

    Parameters
    ----------
    roots : iterable of str
        As for `folders`.
    """
    global _swept
    if _swept:
        return
    _swept = True
    for place in _places(roots):
        try:
            with os.scandir(place) as entries:
                found = [entry.path for entry in entries if entry.name.startswith(_PREFIX)]
        except OSError:
            continue
        for folder in found:
            if folder not in _made:
                _remove_dead(folder)


def _remove_dead(folder: str) -> None:
    import shutil

    try:
        if os.lstat(folder).st_uid != os.getuid():
            return
        file = _held(folder)
    except OSError:
        return
    if file >= 0:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(file)
