"""The cache's reader: from the name of an index to a module that may be loaded (docs/cache.md).

It runs in every process that uses a function already built, before anything else of opweld's machinery, so it starts
no process, loads no Go and imports next to nothing. Damage and doubt are a `Miss` with a reason, never an exception.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from opweld.compile import trust
from opweld.compile.holds import NotHeld, Reads, check_absent, check_files, check_found, processor
from opweld.lean import digest, loads

__all__ = [
    "FOLDER", "FOLDERS", "KINDS", "Hit", "Miss", "Stamps", "first_line", "lookup", "map_warnings", "name_of",
    "objection", "recall", "roots", "sharded", "trusted",
]  # fmt: skip

FORMAT = 2
FOLDER = f"v{FORMAT}"
_MAGIC = f"opweld-cache {FORMAT} "
KINDS = ("index", "entry", "module", "pch", "tools", "stamp", "expr", "decl", "cop", "memo", "lock", "log", "tmp")
_HEX = frozenset("0123456789abcdef")

#: The folders below a root that are opweld's, those of earlier formats too.
FOLDERS = tuple(f"v{number}" for number in range(1, FORMAT + 1))


class Hit:
    """A module that was built before, and for which everything still holds.

    Attributes
    ----------
    module, source : str
        Paths of the shared library and of the C it came from.
    key : str
        The build's key.
    text : str
        The sha256 of the C, which is compared where the C is read.
    warnings : list of dict
        The compiler's warnings, with ``#line`` names unmapped; see `map_warnings`.
    lint : dict or None
        What the lint found, and its version; None: that is not known.
    """

    __slots__ = ("_entry", "key", "lint", "module", "source", "text", "warnings")

    def __init__(
        self,
        module: str,
        source: str,
        text: str,
        key: str,
        warnings: list[dict[str, Any]],
        entry: dict[str, Any],
        lint: dict[str, Any] | None = None,
    ) -> None:
        self.module = module
        self.source = source
        self.text = text
        self.key = key
        self.warnings = warnings
        self.lint = lint
        self._entry = entry

    def reads(self, own: list[str]) -> Reads:
        """Give what the module was built from.

        Parameters
        ----------
        own : list of str
            Folders whose files are not looked at again.

        Returns
        -------
        Reads
        """
        return Reads(self._entry["files"], self._entry["absent"], own)

    def __repr__(self) -> str:
        return f"Hit({self.module!r})"


class Miss:
    """Why there is nothing to load.

    Attributes
    ----------
    reason : str
        For people; the first thing that does not hold.
    foreign : bool
        Somebody else could have put it there: nothing of this cache folder is to be used.
    """

    __slots__ = ("foreign", "reason")

    def __init__(self, reason: str, foreign: bool = False) -> None:
        self.reason = reason
        self.foreign = foreign

    def __repr__(self) -> str:
        return f"Miss({self.reason!r})"


def lookup(
    index: str, root: str, owners: Collection[int] = (), search: str | None = None, compiler: bool = True,
    remember: Callable[..., None] | None = None,
) -> Hit | Miss:  # fmt: skip
    """Find the module that an index stands for, and check all that it depends on.

    Parameters
    ----------
    index : str
        Name of the index, 64 hexadecimal digits (`opweld.compile.toolchain.index_name`).
    root : str
        The cache folder, one of those that `trusted` gave.
    owners : collection of int, optional
        Users whose files may be loaded, besides this one and uid 0.
    search : str, optional
        Where programs are looked for; ``PATH`` if left out.
    compiler : bool, optional
        Whether there is one to build with. If not, headers and libraries that are gone hold.
    remember : callable, optional
        `opweld.compile.store.remember`, where what had to be read of files is to be kept.

    Returns
    -------
    Hit or Miss
    """
    base = os.path.join(root, FOLDER)
    try:
        pointer = _read(base, sharded("index", name_of(index)), owners)
        key = name_of(pointer["key"])
        entry = _read(base, sharded("entry", key), owners)
        if entry["key"] != key:
            raise NotHeld(f"the entry of {key} is another's")
        if entry.get("cpu") and entry["cpu"] != processor():
            raise NotHeld(f"the module of {key} is for another processor")
        check_absent(entry["absent"])
        if not entry["files"]:
            raise NotHeld(f"the entry of {key} names no files")
        stamps = Stamps(root, owners, remember)
        check_files(entry["files"], not compiler, stamps)
        check_files(entry["tools"], True, stamps)
        check_found(entry["found"], os.environ.get("PATH", os.defpath) if search is None else search)
        module, source = (_own(base, key, entry[field]) for field in ("module", "source"))
        trust.check_folders([os.path.dirname(module)], owners)
        _check_module(module, entry["size"], entry["sha256"], owners)
        warnings = entry["warnings"]
        if not (isinstance(warnings, list) and all(isinstance(w, dict) for w in warnings)):
            raise NotHeld(f"the entry of {key} has no warnings")
        return Hit(module, source, name_of(entry["text"]), key, warnings, entry, pointer.get("lint"))
    except NotHeld as why:
        return Miss(str(why))
    except trust.Distrust as why:
        return Miss(str(why), foreign=True)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as err:
        return Miss(f"index {index!r}: not of the cache's format: {err!r}")
    except OSError as err:
        return Miss(str(err))


def name_of(text: object) -> str:
    """Give a text that is a name, and refuse any other.

    Returns
    -------
    str
    """
    if not (isinstance(text, str) and len(text) == 64 and _HEX.issuperset(text)):
        raise NotHeld(f"{text!r} is not a name of 64 hexadecimal digits")
    return text


def sharded(kind: str, name: str) -> str:
    """Give the path of a name's file, below the folder of the format.

    Returns
    -------
    str
    """
    return f"{kind}/{name[:2]}/{name}"


def first_line(rel: str, body: bytes) -> bytes:
    """The first line of a file: what it is, for whom, and the sum of its body."""
    return f"{_MAGIC}{rel} {digest(body)}".encode()


def _read(base: str, rel: str, owners: Collection[int]) -> dict[str, Any]:
    place = os.path.join(base, rel)
    trust.check_folders([os.path.dirname(place)], owners)
    try:
        head, _, body = trust.read(place, owners).partition(b"\n")
    except FileNotFoundError:
        raise NotHeld(f"no {rel}") from None
    if head != first_line(rel, body):
        raise NotHeld(_misplaced(rel, head.decode(errors="replace"), body))
    value = loads(body.decode(sys.getfilesystemencoding(), "surrogateescape"))  # its strings are paths
    if not isinstance(value, dict):
        raise NotHeld(f"{rel} is no object")
    return value


def _misplaced(rel: str, head: str, body: bytes) -> str:
    name, _, sum = head.removeprefix(_MAGIC).partition(" ")
    if head.startswith(_MAGIC) and sum == digest(body):
        return f"{rel} is another's: it says it is {name}"
    return f"{rel} is damaged or of another format"


def _own(base: str, key: str, rel: str) -> str:
    if not rel.startswith(f"module/{key[:2]}/{key}-") or ".." in rel:
        raise NotHeld(f"{rel!r} is not a path of {key}")
    return os.path.join(base, rel)


def _check_module(module: str, size: int, sum: str, owners: Collection[int]) -> None:
    try:
        data = trust.read(module, owners)
    except OSError:
        raise NotHeld(f"{module} cannot be read") from None
    if len(data) != size or digest(data) != sum:
        raise NotHeld(f"{module} is damaged")


def recall(kind: str, name: str, root: str, owners: Collection[int] = ()) -> dict[str, Any] | Miss:
    """Read what `remember` kept.

    Parameters
    ----------
    kind : str
        The folder below the root.
    name : str
        64 hexadecimal digits.
    root : str
        The cache folder, one of those that `trusted` gave.
    owners : collection of int, optional
        As for `lookup`.

    Returns
    -------
    dict or Miss
    """
    try:
        return _read(os.path.join(root, FOLDER), sharded(kind, name_of(name)), owners)
    except trust.Distrust as why:
        return Miss(str(why), foreign=True)
    except (NotHeld, OSError, ValueError, RecursionError) as why:
        return Miss(str(why))


class Stamps:
    """What is remembered in a cache folder of files that had to be read, as `check_files` asks for it."""

    def __init__(self, root: str, owners: Collection[int], keep: Callable[..., None] | None) -> None:
        self.root = root
        self.owners = owners
        self.keep = keep

    def recall(self, path: str) -> list[Any] | None:
        """Give what is remembered of a file, if anything is."""
        found = recall("stamp", self.name(path), self.root, self.owners)
        if isinstance(found, Miss) or found.get("path") != path:
            return None
        known = found.get("known")
        return known if isinstance(known, list) and len(known) == 5 else None

    def remember(self, path: str, known: list[Any]) -> None:
        """Remember a file."""
        if self.keep is not None:
            self.keep("stamp", self.name(path), {"path": path, "known": known}, self.root, self.owners)

    @staticmethod
    def name(path: str) -> str:
        """Name what is remembered of a file."""
        return digest(os.fsencode(path))


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


def trusted(candidates: Iterable[str], owners: Collection[int] = ()) -> list[str]:
    """Give the folders from which code may be loaded; of each other one, one warning a process.

    Parameters
    ----------
    candidates : iterable of str
        What `roots` gave.
    owners : collection of int, optional
        Users whose files may be loaded, besides this one and uid 0.

    Returns
    -------
    list of str
        Paths without links. A folder that is not there is among them.
    """
    found = []
    for root in candidates:
        try:
            found.append(_real(root, owners))
        except trust.Distrust as why:
            trust.warn(root, str(why))
        except OSError:
            continue  # nothing can be there
    return found


def _real(root: str, owners: Collection[int]) -> str:
    real = trust.resolve(root, owners)
    base = os.path.join(real, FOLDER)
    trust.check_folders([base, *[os.path.join(base, kind) for kind in KINDS]], owners)
    return real


def objection(root: str, owners: Collection[int] = ()) -> str:
    """Say why no code may be loaded from a folder.

    Parameters
    ----------
    root : str
        The cache folder.
    owners : collection of int, optional
        As for `trusted`.

    Returns
    -------
    str
        Empty: it may.
    """
    try:
        _real(root, owners)
    except trust.Distrust as why:
        return str(why)
    except OSError:
        pass
    return ""
