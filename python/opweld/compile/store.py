"""The cache's writer: which folder can be written, what is kept there for other processes, and how it is emptied.

It is loaded where something is written, never on the way to a module that is there.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from stat import S_IMODE
from typing import Any

from opweld.compile import trust
from opweld.compile.cache import FOLDER, FOLDERS, KINDS, first_line, name_of, roots, sharded, trusted
from opweld.lean import dumps

__all__ = ["clear", "passing", "path", "remember", "unusable", "unwritable", "words", "writable"]


def remember(kind: str, name: str, value: dict[str, Any], root: str, owners: Collection[int] = ()) -> None:
    """Keep an object for other processes; a folder that cannot be written is left as it is.

    Parameters
    ----------
    kind, name, root, owners
        As for `recall`.
    value : dict
        What JSON can hold.
    """
    body = dumps(value).encode()
    base = os.path.join(root, FOLDER)
    rel = sharded(kind, name_of(name))
    place = os.path.join(base, rel)
    name = f"file-{os.getpid()}-{os.urandom(8).hex()}"
    fresh, draft = os.path.join(base, "tmp", f"new-{name}"), os.path.join(base, "tmp", name)
    try:
        for file in (draft, place):
            _make(os.path.dirname(file))
        trust.check_folders([os.path.dirname(place)], owners)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        with open(handle, "wb") as stream:
            try:
                _lock(stream.fileno())
                os.rename(fresh, draft)  # a name that those who tidy look at only once it is locked
                _keep_own(stream.fileno())
                stream.write(first_line(rel, body) + b"\n" + body)
                stream.flush()
                os.fsync(stream.fileno())
                os.rename(draft, place)
            except BaseException:
                os.unlink(fresh if os.path.lexists(fresh) else draft)
                raise
    except (OSError, trust.Distrust):
        pass


def _make(folder: str) -> None:
    """Make a folder, and those above it, which nobody else may write whatever the process's mask says."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
        if folder == os.path.dirname(folder):
            break
    for folder in reversed(missing):
        try:
            os.mkdir(folder, 0o755)
        except FileExistsError:
            if not os.path.isdir(folder):
                raise
        else:
            _keep_own(folder)


def _keep_own(file: str | int) -> None:
    """Let the user read and write what was just made, whatever the process's mask says."""
    mode = S_IMODE(os.stat(file).st_mode)
    wanted = mode | (0o600 if isinstance(file, int) else 0o700)
    if mode != wanted:
        os.chmod(file, wanted)


def _lock(file: int) -> None:
    """Keep those who tidy away; what nobody holds is a dead process's."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass  # a file system without locks


def writable(candidates: Iterable[str]) -> str:
    """Choose the first folder that can be written and from which modules can be loaded, and make it.

    Parameters
    ----------
    candidates : iterable of str
        What `trusted` gave.

    Returns
    -------
    str
        The folder; empty where there is none.
    """
    return next((root for root in candidates if not unwritable(root)), "")


def passing(root: str) -> str:
    """Give the folder of a cache where things are on their way.

    Parameters
    ----------
    root : str
        One of `roots`.

    Returns
    -------
    str
        A path.
    """
    return os.path.join(root, FOLDER, "tmp")


def unwritable(root: str) -> str:
    """Say why a cache folder cannot be made and written, or modules not be loaded from it.

    Parameters
    ----------
    root : str
        One of `roots`; it is made.

    Returns
    -------
    str
        Empty: it can.
    """
    base = os.path.join(root, FOLDER)
    try:
        _make(base)
    except (OSError, UnicodeError) as err:
        return words(err)
    return unusable(base)


def unusable(folder: str) -> str:
    """Say why a folder that exists cannot be written, or modules not be loaded from it.

    Parameters
    ----------
    folder : str
        Its path.

    Returns
    -------
    str
        Empty: it can.
    """
    try:
        flags = os.statvfs(folder).f_flag
    except OSError as err:
        return words(err)
    if flags & os.ST_NOEXEC:
        return "modules may not be run from there (it is mounted noexec)"
    if flags & os.ST_RDONLY:
        return "read-only file system"
    return "" if os.access(folder, os.W_OK | os.X_OK) else "permission denied"


def words(err: Exception) -> str:
    """Give the words of an error of the system.

    Parameters
    ----------
    err : exception
        What a call raised.

    Returns
    -------
    str
        In small letters, without number and path.
    """
    return (getattr(err, "strerror", None) or str(err)).lower()


def path(compiledir: str = "", environ: Mapping[str, str] | None = None, owners: Collection[int] = ()) -> str:
    """Give the cache folder in use; see `roots` and `trusted` for the parameters.

    Returns
    -------
    str
        Empty where no folder can be written.
    """
    return writable(trusted(roots(compiledir, environ), owners))


def clear(root: str) -> tuple[int, int]:
    """Remove what opweld put into a cache folder, and nothing else.

    Functions that are loaded go on working. A build that runs meanwhile may find its folder gone and build again.

    Parameters
    ----------
    root : str
        The cache folder.

    Returns
    -------
    files, size : int
        How many files were removed, and the sum of their bytes.
    """
    files = size = 0
    for base in (os.path.join(root, folder) for folder in FOLDERS):
        for kind in KINDS:
            for folder, folders, names in os.walk(os.path.join(base, kind), topdown=False):
                for name in names:
                    victim = os.path.join(folder, name)
                    try:
                        length = os.lstat(victim).st_size
                        os.unlink(victim)
                    except OSError:
                        continue
                    files, size = files + 1, size + length
                for name in folders:
                    _remove_empty(os.path.join(folder, name))
            _remove_empty(os.path.join(base, kind))
        _remove_empty(base)
    return files, size


def _remove_empty(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError:
        pass  # somebody else's files are in it, it is a link, or it is gone
