"""Whether what a module was built from is still as it was: the lists that an entry of the cache holds."""

from __future__ import annotations

import os
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:  # hashlib loads OpenSSL, which takes 9 ms
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

__all__ = ["NotHeld", "check_absent", "check_files", "sha256"]


class NotHeld(Exception):
    """What a check found."""


def check_files(files: list[list[Any]]) -> None:
    """Compare files with what is known of them.

    Parameters
    ----------
    files : list
        ``[path, size, mtime_ns, ctime_ns, inode, sha256]`` of each; never empty.

    Raises
    ------
    NotHeld
        If one has another content.
    """
    if not files:
        raise NotHeld("the entry names no files")
    stat = os.stat
    for file, size, mtime, ctime, inode, digest in files:
        try:
            now = stat(file)
        except OSError:
            raise NotHeld(f"{file} cannot be read") from None
        if now.st_size != size:
            raise NotHeld(f"{file} has changed")
        if now.st_mtime_ns == mtime and now.st_ctime_ns == ctime and now.st_ino == inode:
            continue
        try:
            same = S_ISREG(now.st_mode) and _digest(file) == digest
        except OSError:
            same = False
        if not same:
            raise NotHeld(f"{file} has changed")


def check_absent(groups: list[list[Any]]) -> None:
    """Look whether places where a compiler would have found something else are still empty.

    Parameters
    ----------
    groups : list
        ``[folder, mtime_ns, ctime_ns, inode, [relative path, ...]]`` of each folder.

    Raises
    ------
    NotHeld
        If one is not.
    """
    for folder, mtime, ctime, inode, names in groups:
        try:
            now = os.stat(folder)
        except FileNotFoundError:
            continue
        if now.st_mtime_ns == mtime and now.st_ctime_ns == ctime and now.st_ino == inode:
            continue
        for name in names:
            place = os.path.join(folder, name)
            try:
                os.stat(place)
            except (FileNotFoundError, NotADirectoryError):
                continue
            raise NotHeld(f"{place} has appeared and comes first on the search path")


def _digest(file: str) -> str:
    """The sum of a regular file: opened without waiting, for what was one may be a FIFO by now."""
    sum = sha256()
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(handle, "rb", buffering=0) as stream:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{file} is no regular file")
        while block := stream.read(1 << 20):
            sum.update(block)
    return sum.hexdigest()
