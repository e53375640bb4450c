"""The cache's reader: from the name of an index to a module that may be loaded (docs/cache.md).

It runs in every process that uses a function already built, before anything else of opweld's machinery, so it starts
no process, loads no Go and imports next to nothing. Damage and doubt are a `Miss` with a reason, never an exception.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
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

__all__ = [
    "Hit", "Miss", "clear", "lookup", "map_warnings", "path", "recall", "remember", "roots", "sha256", "writable",
]  # fmt: skip

FORMAT = 1
_FOLDER = f"v{FORMAT}"
_MAGIC = b"opweld-cache %d " % FORMAT
_KINDS = ("index", "entry", "module", "pch", "tools", "expr", "lock", "log", "tmp")
_HEX = frozenset("0123456789abcdef")


class Hit:
    """A module that was built before, and for which everything still holds.

    Attributes
    ----------
    module, source : str
        Paths of the shared library and of the C it came from.
    key : str
        The build's key.
    warnings : list of dict
        The compiler's warnings, with ``#line`` names unmapped; see `map_warnings`.
    """

    __slots__ = ("key", "module", "source", "warnings")

    def __init__(self, module: str, source: str, key: str, warnings: list[dict[str, Any]]) -> None:
        self.module = module
        self.source = source
        self.key = key
        self.warnings = warnings

    def __repr__(self) -> str:
        return f"Hit({self.module!r})"


class Miss:
    """Why there is nothing to load.

    Attributes
    ----------
    reason : str
        For people; the first thing that does not hold.
    """

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Miss({self.reason!r})"


class _NotHeld(Exception):
    """What a check found."""


def lookup(index: str, root: str) -> Hit | Miss:
    """Find the module that an index stands for, and check all that it depends on.

    Parameters
    ----------
    index : str
        Name of the index, 64 hexadecimal digits (`opweld.compile.toolchain.index_name`).
    root : str
        The cache folder.

    Returns
    -------
    Hit or Miss
    """
    base = os.path.join(root, _FOLDER)
    try:
        key = _name(_read(base, _sharded("index", _name(index)))["key"])
        entry = _read(base, _sharded("entry", key))
        if entry["key"] != key:
            raise _NotHeld(f"the entry of {key} is another's")
        _check_absent(entry["absent"])
        _check_files(entry["files"])
        module, source = (_own(base, key, entry[field]) for field in ("module", "source"))
        _check_module(module, entry["size"], entry["sha256"])
        warnings = entry["warnings"]
        if not (isinstance(warnings, list) and all(isinstance(w, dict) for w in warnings)):
            raise _NotHeld(f"the entry of {key} has no warnings")
        return Hit(module, source, key, warnings)
    except _NotHeld as why:
        return Miss(str(why))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as err:
        return Miss(f"index {index!r}: not of the cache's format: {err!r}")
    except OSError as err:
        return Miss(str(err))


def _name(text: Any) -> str:
    if not (isinstance(text, str) and len(text) == 64 and _HEX.issuperset(text)):
        raise _NotHeld(f"{text!r} is not a name of 64 hexadecimal digits")
    return text


def _sharded(kind: str, name: str) -> str:
    return f"{kind}/{name[:2]}/{name}"


def _read(base: str, rel: str) -> dict[str, Any]:
    try:
        with open(os.path.join(base, rel), "rb", buffering=0) as file:
            head, _, body = file.read().partition(b"\n")
    except FileNotFoundError:
        raise _NotHeld(f"no {rel}") from None
    if head != _MAGIC + sha256(body).hexdigest().encode():
        raise _NotHeld(f"{rel} is damaged or of another format")
    value = json.loads(body.decode())
    if not isinstance(value, dict):
        raise _NotHeld(f"{rel} is no object")
    return value


def _check_files(files: list[list[Any]]) -> None:
    if not files:
        raise _NotHeld("the entry names no files")
    stat = os.stat
    for file, size, mtime, inode, digest in files:
        try:
            now = stat(file)
        except OSError:
            raise _NotHeld(f"{file} cannot be read") from None
        if now.st_size != size:
            raise _NotHeld(f"{file} has changed")
        if now.st_mtime_ns == mtime and now.st_ino == inode:
            continue
        try:
            same = S_ISREG(now.st_mode) and _digest(file) == digest
        except OSError:
            same = False
        if not same:
            raise _NotHeld(f"{file} has changed")


def _check_absent(groups: list[list[Any]]) -> None:
    for folder, mtime, inode, names in groups:
        try:
            now = os.stat(folder)
        except FileNotFoundError:
            continue
        if now.st_mtime_ns == mtime and now.st_ino == inode:
            continue
        for name in names:
            place = os.path.join(folder, name)
            try:
                os.stat(place)
            except (FileNotFoundError, NotADirectoryError):
                continue
            raise _NotHeld(f"{place} has appeared and comes first on the search path")


def _own(base: str, key: str, rel: str) -> str:
    if not rel.startswith(f"module/{key[:2]}/{key}-") or ".." in rel:
        raise _NotHeld(f"{rel!r} is not a path of {key}")
    return os.path.join(base, rel)


def _check_module(module: str, size: int, digest: str) -> None:
    try:
        with open(module, "rb", buffering=0) as file:
            data = file.read()
    except OSError:
        raise _NotHeld(f"{module} cannot be read") from None
    if len(data) != size or sha256(data).hexdigest() != digest:
        raise _NotHeld(f"{module} is damaged")


def _digest(file: str) -> str:
    sum = sha256()
    with open(file, "rb", buffering=0) as stream:
        while block := stream.read(1 << 20):
            sum.update(block)
    return sum.hexdigest()


def recall(kind: str, name: str, root: str) -> dict[str, Any] | Miss:
    """Read what `remember` kept.

    Parameters
    ----------
    kind : str
        The folder below the root.
    name : str
        64 hexadecimal digits.
    root : str
        The cache folder.

    Returns
    -------
    dict or Miss
    """
    try:
        return _read(os.path.join(root, _FOLDER), _sharded(kind, _name(name)))
    except (_NotHeld, OSError, ValueError, RecursionError) as why:
        return Miss(str(why))


def remember(kind: str, name: str, value: dict[str, Any], root: str) -> None:
    """Keep an object for other processes; a folder that cannot be written is left as it is.

    Parameters
    ----------
    kind, name, root : str
        As for `recall`.
    value : dict
        What JSON can hold.
    """
    body = json.dumps(value, separators=(",", ":"), sort_keys=True).encode()
    base = os.path.join(root, _FOLDER)
    place = os.path.join(base, _sharded(kind, _name(name)))
    draft = os.path.join(base, "tmp", f"file-{os.getpid()}-{os.urandom(8).hex()}")
    try:
        for file in (draft, place):
            os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(draft, "xb") as stream:
            try:
                stream.write(_MAGIC + sha256(body).hexdigest().encode() + b"\n" + body)
                stream.flush()
                os.fsync(stream.fileno())
                os.rename(draft, place)
            except BaseException:
                os.unlink(draft)
                raise
    except OSError:
        pass


def map_warnings(warnings: Iterable[dict[str, Any]], sources: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Turn the ``#line`` names of diagnostics into the user's files and lines, as the engine does.

    Parameters
    ----------
    warnings : iterable of dict
        Diagnostics (docs/engine.md) as an entry holds them.
    sources : mapping
        Where the fragments lie (docs/program.md, Sources).

    Returns
    -------
    list of dict
        Copies; a diagnostic of the glue is left as it is.
    """
    mapped = []
    for warning in warnings:
        warning = dict(warning)
        source = sources.get(warning.get("file", ""))
        if source is not None:
            warning["file"], warning["exact"] = source["file"], source["exact"]
            warning["line"] = source["line"] + (warning["line"] - 1 if source["exact"] else 0)
        mapped.append(warning)
    return mapped


def roots(compiledir: str = "", environ: Mapping[str, str] | None = None) -> list[str]:
    """List the folders where a cache may lie, best first. Nothing is created.

    Parameters
    ----------
    compiledir : str, optional
        ``config.compiledir``; empty: not set.
    environ : mapping, optional
        Where ``XDG_CACHE_HOME`` and ``HOME`` are looked up; the process's environment if left out.

    Returns
    -------
    list of str
        Absolute paths, without duplicates.
    """
    env = os.environ if environ is None else environ
    if compiledir:  # what is asked for is asked for alone: no other folder answers in its place
        return [os.path.abspath(os.path.expanduser(compiledir))]
    found = []
    xdg = env.get("XDG_CACHE_HOME", "")
    if os.path.isabs(xdg):  # the standard says to ignore a relative one
        found.append(os.path.join(xdg, "opweld"))
    home = env.get("HOME") or (os.path.expanduser("~") if environ is None else "")
    if os.path.isabs(home):
        found.append(os.path.join(home, ".cache", "opweld"))
    return list(dict.fromkeys(found))


def writable(candidates: Iterable[str]) -> str:
    """Choose the first folder that can be written and from which modules can be loaded, and make it.

    Parameters
    ----------
    candidates : iterable of str
        What `roots` gave.

    Returns
    -------
    str
        The folder; empty where there is none.
    """
    for root in candidates:
        base = os.path.join(root, _FOLDER)
        try:
            os.makedirs(base, exist_ok=True)
            noexec = os.statvfs(base).f_flag & os.ST_NOEXEC
        except OSError:
            continue
        if not noexec and os.access(base, os.W_OK | os.X_OK):
            return root
    return ""


def path(compiledir: str = "", environ: Mapping[str, str] | None = None) -> str:
    """Give the cache folder in use; see `roots` for the parameters.

    Returns
    -------
    str
        Empty where no folder can be written.
    """
    return writable(roots(compiledir, environ))


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
    base = os.path.join(root, _FOLDER)
    for kind in _KINDS:
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
        if os.path.islink(folder):
            return
        os.rmdir(folder)
    except OSError:
        pass  # somebody else's files are in it, or it is gone
