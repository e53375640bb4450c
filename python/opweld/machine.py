"""What `opweld doctor` finds, and what it knows of machines: what brings what is missing, what folders are good for."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass, field

__all__ = ["Finding", "first_line", "install", "rights"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    name : str
        What it is, in a word or two.
    status : str
        ``"ok"``; ``"note"``: not what one expects, but opweld works; ``"wrong"``: it does not.
    found : str
        What was found, one line.
    more : tuple of str
        Further lines.
    advice : str
        What to do; empty if nothing need be done.
    """

    name: str
    status: str
    found: str
    more: tuple[str, ...] = field(default=())
    advice: str = ""


def rights(folder: str) -> tuple[str, bool]:
    """Say what can be done with a folder, or could be once it is made.

    Parameters
    ----------
    folder : str
        Its path.

    Returns
    -------
    str, bool
        Words, and whether the cache can lie there.
    """
    at = folder
    while not os.path.lexists(at) and os.path.dirname(at) != at:
        at = os.path.dirname(at)
    state = "exists" if at == folder else "not there yet"
    if not os.path.isdir(at):
        return f"{at} is no folder", False
    if not os.access(at, os.W_OK | os.X_OK):
        return f"{state}, {at} cannot be written", False
    try:
        disk = os.statvfs(at)
    except OSError as error:
        return f"{state}, {error.strerror}", False
    if disk.f_flag & os.ST_NOEXEC:
        return f"{state}, modules cannot be loaded from it (noexec)", False
    free = disk.f_bavail * disk.f_frsize
    return f"{state}, can be written, {free / 2**20:.0f} MiB free", True


def install(what: str) -> str:
    """Say what to install.

    Parameters
    ----------
    what : {"c", "c++", "python"}
        A compiler, or Python's headers.

    Returns
    -------
    str
        With the command of this Linux, where that is known.
    """
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    packages = {
        "debian": ("apt-get install", {"c": "gcc libc6-dev", "c++": "g++", "python": f"python{version}-dev"}),
        "fedora": ("dnf install", {"c": "gcc", "c++": "gcc-c++", "python": f"python{version}-devel"}),
        "rhel": ("dnf install", {"c": "gcc", "c++": "gcc-c++", "python": f"python{version}-devel"}),
        "suse": ("zypper install", {"c": "gcc", "c++": "gcc-c++", "python": f"python{version.replace('.', '')}-devel"}),
        "arch": ("pacman -S", {"c": "gcc", "c++": "gcc", "python": "python"}),
        "alpine": ("apk add", {"c": "gcc musl-dev", "c++": "g++", "python": "python3-dev"}),
    }
    thing = {"c": "a C compiler", "c++": "a C++ compiler", "python": "the headers of this Python"}[what]
    for name in _system():
        if name in packages:
            command, names = packages[name]
            return f"install {thing}: {command} {names[what]}"
    return f"install {thing} (gcc or clang)" if what != "python" else f"install {thing}"


def first_line(error: BaseException) -> str:
    """Give the first line of what an error says, or its kind."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _system() -> list[str]:
    """Name this Linux and those it is like, nearest first."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return []
    return [release.get("ID", ""), *release.get("ID_LIKE", "").split()]
