"""Whose files a cache folder holds: what is loaded from it runs, so nobody else may have been able to put it there.

From the root of a cache down everything belongs to the user, to uid 0 or to an owner whom the user's configuration
names for that root, and nobody else may write it; in the folders above it, sticky ones will do (docs/cache.md).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from stat import S_ISDIR, S_ISLNK, S_ISREG, S_ISVTX

from opweld.errors import CacheWarning, ConfigError

__all__ = ["Distrust", "check_folders", "owners", "read", "resolve", "warn"]

_OTHERS = 0o022
_LINKS = 40  # as many as the kernel follows

_said: set[str] = set()  # of what this process has warned


class Distrust(Exception):
    """Something in a cache folder, or above it, that somebody else could have put there."""


def owners(text: str) -> tuple[int, ...]:
    """Read ``config.compiledir_owners``.

    Parameters
    ----------
    text : str
        Names of users or uids, with blanks between them.

    Returns
    -------
    tuple of int
        Their uids.

    Raises
    ------
    ConfigError
        If there is no such user.
    """
    found = []
    for word in text.split():
        if word.isdecimal():
            found.append(int(word))
            continue
        try:
            import pwd

            found.append(pwd.getpwnam(word).pw_uid)
        except (ImportError, KeyError):
            raise ConfigError(f"config.compiledir_owners: there is no user {word!r}; give names or uids") from None
    return tuple(found)


def _objection(status: os.stat_result, trusted: Collection[int], sticky: bool = False) -> str:
    """Who else could have made or changed this; empty: nobody."""
    if status.st_uid and status.st_uid != os.geteuid() and status.st_uid not in trusted:
        return f"belongs to {_user(status.st_uid)}"
    mode = status.st_mode
    if mode & _OTHERS and not S_ISLNK(mode) and not (sticky and mode & S_ISVTX and S_ISDIR(mode)):
        return f"can be written by others (mode {mode & 0o7777:04o})"
    return ""


def _user(uid: int) -> str:
    try:
        import pwd

        return f"{pwd.getpwuid(uid).pw_name!r} (uid {uid})"
    except (ImportError, KeyError):
        return f"uid {uid}"


def resolve(root: str, trusted: Collection[int] = ()) -> str:
    """Give a root's path without links, once nobody else can put anything there.

    It goes from the top down: what was found good cannot be exchanged by others afterwards.

    Parameters
    ----------
    root : str
        Absolute path of a cache folder; what is not there yet holds.
    trusted : collection of int, optional
        What `owners` gave.

    Returns
    -------
    str

    Raises
    ------
    Distrust
        If somebody else can.
    OSError
        If it cannot be looked at.
    """
    rest = root.split("/")[::-1]
    at, links = "", 0
    while rest:
        name = rest.pop()
        if name in ("", "."):
            continue
        if name == "..":
            at = at.rpartition("/")[0]
            continue
        place = f"{at}/{name}"
        try:
            status = os.lstat(place)
        except FileNotFoundError:
            return "/".join([place, *rest[::-1]])
        why = _objection(status, trusted, sticky=bool(rest))
        if why and not (rest and _unmapped(status.st_uid)):
            raise Distrust(f"{place} {why}")
        if not S_ISLNK(status.st_mode):
            at = place
            continue
        links += 1
        if links > _LINKS:
            raise Distrust(f"{place} is a link that leads nowhere")
        target = os.readlink(place)
        if target.startswith("/"):
            at = ""
        rest += target.split("/")[::-1]
    return at or "/"


def _unmapped(uid: int) -> bool:
    """Whether a uid stands for every user who has no number in this container.

    Above a root such an owner is let pass: there the host's root is one of them, and what lies below is looked at all
    the same.
    """
    try:
        with open("/proc/sys/kernel/overflowuid") as overflow, open("/proc/self/uid_map") as mapped:
            lengths = [int(line.split()[2]) for line in mapped]
            return uid == int(overflow.read()) and sum(lengths) < 2**32 - 1
    except (OSError, ValueError, IndexError):
        return False


def check_folders(folders: Iterable[str], trusted: Collection[int] = ()) -> None:
    """Make sure that folders of a cache, as far as they are there, are folders and nobody else's.

    Parameters
    ----------
    folders : iterable of str
        Absolute paths.
    trusted : collection of int, optional
        What `owners` gave.

    Raises
    ------
    Distrust
        If one is somebody else's, or a link.
    OSError
        If one cannot be looked at, or is no folder.
    """
    for folder in folders:
        try:
            status = os.lstat(folder)
        except FileNotFoundError:
            continue
        why = _objection(status, trusted)
        if why:
            raise Distrust(f"{folder} {why}")
        if S_ISLNK(status.st_mode):
            raise Distrust(f"{folder} is a link")
        if not S_ISDIR(status.st_mode):
            raise NotADirectoryError(f"{folder} is no folder")


def read(path: str, trusted: Collection[int] = ()) -> bytes:
    """Read a file of a cache. It follows no link and waits for nobody.

    Parameters
    ----------
    path : str
        Absolute path.
    trusted : collection of int, optional
        What `owners` gave.

    Returns
    -------
    bytes

    Raises
    ------
    Distrust
        If somebody else can have written it.
    OSError
        If it cannot be read, or is no regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    try:
        status = os.fstat(handle)
        if not S_ISREG(status.st_mode):
            raise OSError(f"{path} is no regular file")
        why = _objection(status, trusted)
        if why:
            raise Distrust(f"{path} {why}")
        data = os.read(handle, status.st_size + 1)
        while len(data) != status.st_size and (more := os.read(handle, 1 << 20)):  # who asks for no more sees no end
            data += more
        return data
    finally:
        os.close(handle)


def warn(root: str, why: str) -> None:
    """Say, once a process, that a cache folder is not used.

    Parameters
    ----------
    root : str
        The cache folder.
    why : str
        What is wrong with it.
    """
    if root in _said:
        return
    _said.add(root)
    import warnings

    warnings.warn(
        f"the cache folder {root} is not used, for others could have put code there: {why}. Make it yours alone "
        f"(chown, chmod go-w), choose another (config.compiledir), or name its owner in config.compiledir_owners; "
        f"until then another folder is used",
        CacheWarning,
        stacklevel=2,
    )
