"""Whether what a module was built from is still as it was: the lists that an entry of the cache holds."""

from __future__ import annotations

import os
from collections.abc import Sequence
from stat import S_ISREG
from time import time_ns
from typing import TYPE_CHECKING, Any

from opweld.lean import digest, sha256

if TYPE_CHECKING:  # what typing makes of it takes longer than all else here
    from typing import Protocol

    class Memory(Protocol):
        """What is remembered of files between processes: ``[size, mtime_ns, ctime_ns, inode, sha256]`` of each."""

        def recall(self, path: str) -> list[Any] | None:
            """Give what is remembered of a file, if anything is."""

        def remember(self, path: str, known: list[Any]) -> None:
            """Remember a file."""


try:
    from opweld._argument import unchanged  # hundreds of files: a third of the time that os.stat takes
except ImportError:  # not built: whoever needs more of it says so

    def unchanged(files: Sequence[Sequence[Any]], at: int, /) -> int:
        """Leave every file to be looked at."""
        return at


__all__ = [
    "COARSE_TICK", "NotHeld", "Reads", "check_absent", "check_files", "check_found", "processor", "sha256", "unchanged",
    "which",
]  # fmt: skip


class NotHeld(Exception):
    """What a check found."""


class Reads:
    """What a loaded module was built from, so that it can be looked at again without the module's entry.

    Each file, and each folder of an empty place, is looked at each time: a header that has changed since the last build
    of a moment ago is seen. What is spared is the cache's own (index, entry, module), the compiler that made the
    module, and files below `own`: the headers of the Python and the NumPy that are loaded.

    Parameters
    ----------
    files, absent : list of list
        As the module's entry has them; see `check_files` and `check_absent`.
    own : list of str
        Folders.
    """

    __slots__ = ("absent", "files")

    def __init__(self, files: list[list[Any]], absent: list[list[Any]], own: list[str]) -> None:
        shared = _known.setdefault  # the headers of modules are mostly the same ones
        below = tuple([os.path.join(folder, "") for folder in own])
        self.files = [shared(known, known) for known in map(tuple, files) if not known[0].startswith(below)]
        self.absent = absent

    def check(self, tolerant: bool) -> None:
        """Look again.

        Parameters
        ----------
        tolerant : bool
            As for `check_files`.

        Raises
        ------
        NotHeld
            If something has changed.
        """
        check_absent(self.absent)
        check_files(self.files, tolerant)


_known: dict[tuple[Any, ...], tuple[Any, ...]] = {}


def check_files(files: Sequence[Sequence[Any]], tolerant: bool = False, memory: Memory | None = None) -> None:
    """Compare files with what is known of them.

    A file whose times or number have changed is read, once for as long as they stay as they are then: where a cache and
    its compiler came with an image or a backup, all have.

    Parameters
    ----------
    files : sequence
        ``[path, size, mtime_ns, ctime_ns, inode, sha256]`` of each.
    tolerant : bool, optional
        A file that is gone holds.
    memory : Memory, optional
        Where it is looked up, and remembered, what files hold that had to be read.

    Raises
    ------
    NotHeld
        If one has another content.
    """
    at = unchanged(files, 0)
    while at < len(files):
        _look(files[at], tolerant, memory)
        at = unchanged(files, at + 1)


def _look(known: Sequence[Any], tolerant: bool, memory: Memory | None) -> None:
    """Compare the content of a file that is not as it was with what is known of it."""
    file, size, _, _, _, sum = known
    try:
        now = os.stat(file)
    except OSError as err:
        if tolerant and isinstance(err, (FileNotFoundError, NotADirectoryError)):
            return
        raise NotHeld(f"{file} cannot be read") from None
    if now.st_size != size:
        raise NotHeld(f"{file} has changed")
    try:
        same = S_ISREG(now.st_mode) and _content(file, now, memory) == sum
    except OSError:
        same = False
    if not same:
        raise NotHeld(f"{file} has changed")


def which(name: str, search: str) -> str:
    """Find a program by its name.

    Parameters
    ----------
    name : str
        Without a folder.
    search : str
        What ``PATH`` holds; only absolute folders count.

    Returns
    -------
    str
        Its path; empty: it is in none.
    """
    for folder in search.split(os.pathsep):
        if folder[:1] == "/":
            place = folder + name if folder[-1] == "/" else f"{folder}/{name}"
            if os.access(place, os.X_OK) and os.path.isfile(place):
                return place
    return ""


def check_found(programs: list[list[str]], search: str) -> None:
    """Look whether programs that a compiler looks for on ``PATH`` are still the first of their names there.

    Parameters
    ----------
    programs : list
        ``[name, path]`` of each; one that is nowhere holds, for then nothing can be built.
    search : str
        What ``PATH`` holds.

    Raises
    ------
    NotHeld
        If another comes first.
    """
    for name, path in programs:
        first = which(name, search)
        if first and first != path:
            raise NotHeld(f"{first} comes before {path} on PATH")


def processor() -> str:
    """Tell this processor from others, for modules that are compiled for it alone.

    Returns
    -------
    str
        A sum of what the kernel says of it; empty: it says nothing.
    """
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            text = file.read(1 << 14)  # enough for all kinds of cores that one machine has
    except OSError:
        return ""
    lines = {line.replace(b"\t", b"") for line in text[: text.rfind(b"\n")].split(b"\n")}
    kept = sorted(line for line in lines if line.partition(b":")[0].strip() in _FEATURES)
    return digest(b"\n".join(kept)) if kept else ""


_FEATURES = frozenset(
    b"vendor_id,cpu family,model,model name,stepping,cache size,flags,Features,CPU implementer,CPU architecture,"
    b"CPU variant,CPU part,CPU revision,cpu,revision,features,isa,uarch,hwcap,machine".split(b",")
)


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


_read: dict[str, list[Any]] = {}  # what files hold that this process had to read

#: How coarse a file system's clock may be: two writes within a tick can have one time. The second: of whole seconds.
_TICK, COARSE_TICK = 20_000_000, 2_000_000_000


def _content(file: str, now: os.stat_result, memory: Memory | None) -> str:
    """The sum of a file that is not as it was known to be."""
    looks = [now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino]
    known = _read.get(file) or (memory.recall(file) if memory else None)
    if known and known[:4] == looks:
        _read[file] = known
        return str(known[-1])
    begun = time_ns()
    digest = _digest(file)
    then = os.stat(file)
    slack = _TICK if now.st_mtime_ns % 1_000_000_000 or now.st_ctime_ns % 1_000_000_000 else COARSE_TICK
    settled = max(now.st_mtime_ns, now.st_ctime_ns) < begun - slack
    if settled and [then.st_size, then.st_mtime_ns, then.st_ctime_ns, then.st_ino] == looks:
        _read[file] = [*looks, digest]
        if memory:
            memory.remember(file, _read[file])
    return digest


def _digest(file: str) -> str:
    """The sum of a regular file: opened without waiting, for what was one may be a FIFO by now."""
    sum = sha256()
    handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    with open(handle, "rb", buffering=0) as stream:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{file} is no regular file")
        while block := stream.read(1 << 20):
            sum.update(block)
    return str(sum.hexdigest())
