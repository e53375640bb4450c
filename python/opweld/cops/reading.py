"""What the engine says of a short form's texts, and where in a user's file they stand."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from opweld.answers import answer, engine
from opweld.errors import SignatureError
from opweld.lean import dumps, literals_of

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Argument", "Place", "Record", "Signature", "Source", "Text", "module_of", "place_of", "read", "wrapped"]

_VERSION = 3
_WRAPPED = frozenset(("name", "signature", "body", "functions"))
_ANSWERED = frozenset(("signature", "shared", "text", "call", "unseen", "core", "dims", "types"))


class Record:
    """A tuple with names for its parts, which costs less to define than one of `typing`'s.

    A class annotates its parts, in order; the last may have values there.
    """

    _names: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)

    def __init__(self, *parts: Any) -> None:
        self.__dict__.update(zip(self._names, parts))

    def parts(self) -> tuple[Any, ...]:
        """Give the parts, in order."""
        return tuple([getattr(self, name) for name in self._names])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.parts() == other.parts()

    def __hash__(self) -> int:
        return hash(self.parts())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.parts()


class Argument(Record):
    """An input or output.

    Attributes
    ----------
    dtype : str
        A dtype, or a type variable of the signature's.
    dims : tuple of dict
        Each size as the engine has read it (docs/engine.md).
    value : str or None
        An input's default, or what an output's elements begin with.
    """

    name: str
    dtype: str
    dims: tuple[dict[str, Any], ...]
    inout: bool
    strided: bool
    value: str | None


class Signature(Record):
    """What the text of a signature says; the memory for a body alone is left out.

    Attributes
    ----------
    types : dict of str to (tuple of str)
        The type variables, and what each may be.
    sizes : tuple of (str, int, int, int)
        A name, the input that binds it, its axis (-1: its value), and what is taken away from that.
    """

    name: str
    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    types: dict[str, tuple[str, ...]]
    sizes: tuple[tuple[str, int, int, int], ...]

    @property
    def changed(self) -> tuple[int, ...]:
        """The inputs that are written into."""
        return tuple([i for i, argument in enumerate(self.inputs) if argument.inout])


class Text(Record):
    """What a short form becomes.

    Attributes
    ----------
    shared : tuple of str
        C that others have as well: each stands once.
    text, call : str
        The C of this one, and what calls it.
    unseen : tuple of (str, int, str)
        Uses of arrays that ``check=True`` cannot test: name, line of the body, that line.
    core : str
        Of a ufunc: what NumPy calls its signature; empty: element by element. Of a callback: its types.
    dims : tuple of dict
        The sizes that it names, in its order.
    types : dict of str to str
        Of a callback: what type variables are.
    """

    signature: Signature
    shared: tuple[str, ...]
    text: str
    call: str
    unseen: tuple[tuple[str, int, str], ...]
    core: str
    dims: tuple[dict[str, Any], ...]
    types: dict[str, str]


def read(signature: str, body: str, name: str, check: bool, cxx: bool, nogil: bool, **more: Any) -> Text:
    """Read a short form; the engine is asked where no folder of the cache has its answer.

    `more`: ``ufunc``, or ``callback`` and ``success``, as docs/engine.md says.

    Raises
    ------
    SignatureError
        If one of the texts is none, with the line that it shows.
    """
    request = {"signature": signature, "body": body, "name": name, "check": check, "cxx": cxx, "nogil": nogil, **more}

    def ask() -> dict[str, Any]:
        try:
            return engine.cop(request)  # type: ignore[no-any-return]
        except SignatureError as err:
            other = more["callback"] if err.details["in"] == "prototype" else body
            raise SignatureError(_shown(name, err, signature, other), err.details) from None

    found = answer("cop", _VERSION, {"request": dumps(request)}, _ANSWERED, ask)
    unseen = tuple([(use["name"], use["line"], use["text"]) for use in found["unseen"] or ()])
    texts = tuple(found["shared"]), found["text"], found["call"]
    return Text(
        _signature(found["signature"]), *texts, unseen, found["core"], tuple(found["dims"] or ()), found["types"] or {}
    )


def _signature(said: dict[str, Any]) -> Signature:
    return Signature(
        said["name"],
        tuple([_argument(one) for one in said["inputs"]]),
        tuple([_argument(one) for one in said["outputs"] if not one["work"]]),
        {one["name"]: tuple(one["dtypes"]) for one in said["types"]},
        tuple([(one["name"], one["input"], one["axis"], one["less"]) for one in said["sizes"]]),
    )


def _argument(said: dict[str, Any]) -> Argument:
    return Argument(said["name"], said["dtype"], tuple(said["dims"]), said["inout"], said["strided"], said["value"])


def wrapped(prototype: str, signature: str) -> dict[str, Any]:
    """Read a prototype beside its signature; as `read`."""

    def ask() -> dict[str, Any]:
        try:
            return engine.wrap(prototype, signature)  # type: ignore[no-any-return]
        except SignatureError as err:
            raise SignatureError(_shown("wrap", err, signature, prototype), err.details) from None

    request = {"prototype": prototype, "signature": signature}
    return answer("cop", _VERSION, {"wrap": dumps(request)}, _WRAPPED, ask)


def _shown(name: str, err: SignatureError, signature: str, other: str) -> str:
    """The message with its line, and a caret under the column."""
    text = signature if err.details["in"] == "signature" else other
    line, column = err.details["line"], err.details["column"]
    lines = text.splitlines() or [""]
    shown = lines[min(line, len(lines)) - 1]
    where = f"line {line}, column {column}" if column else f"line {line}"
    caret = "\n    " + " " * (column - 1) + "^" if column else ""
    return f"{name}: {err.details['in']}, {where}: {err}\n    {shown.expandtabs(1)}{caret}"


class Place(Record):
    """Where a short form was made: the file, the line of the call, those of texts where they are known; other files."""

    beside_program = True  # nothing of it is in a Program (`opweld.compile.memo`)

    file: str
    line: int
    known: tuple[tuple[str, int], ...] = ()
    files: tuple[tuple[str, str], ...] = ()


class Source(Mapping[str, Any]):
    """Where a text of a short form stands, as ``sources`` of docs/program.md; looked for when somebody asks.

    Parameters
    ----------
    place : Place
        Where the short form was made.
    part, text : str
        Which of its texts, and that.
    """

    def __init__(self, place: Place, part: str, text: str) -> None:
        self._asked = place, part, text
        self._found: dict[str, Any] | None = None

    def __getitem__(self, key: str) -> Any:
        if self._found is None:
            file, line, exact = _found(*self._asked)
            self._found = {"file": file, "line": line, "exact": exact}
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(("file", "line", "exact"))

    def __len__(self) -> int:
        return 3


def _found(place: Place, part: str, text: str) -> tuple[str, int, bool]:
    """File, line, and whether the text begins there; else the line is that of the call."""
    for name, line in place.known:
        if name == part:
            return place.file, line, True
    source = _source(place.file)
    lines = [source.count("\n", 0, at) + 1 for at in _occurrences(source, text)] if text.strip() else []
    lines = lines or _literals(source, text)
    if not lines:
        return place.file, place.line, False
    after = [line for line in lines if line >= place.line]
    return place.file, min(after) if after else max(lines), True


def _occurrences(source: str, text: str) -> list[int]:
    found, at = [], source.find(text)
    while at >= 0:
        found.append(at)
        at = source.find(text, at + 1)
    return found


def _literals(source: str, text: str) -> list[int]:
    """The lines of the literals that are a text, written with escapes, and have as many lines."""
    return literals_of(source, text)


def _source(file: str) -> str:
    """The text of a file, or of what was typed, where something keeps that."""
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, UnicodeDecodeError):
        kept: Any = sys.modules.get("linecache")  # IPython and doctest keep cells there
        return "" if kept is None else "".join(kept.getlines(file))


_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def place_of(frame: FrameType | None) -> tuple[Place, str | None]:
    """Say where a call stands, and what name its result is given.

    Parameters
    ----------
    frame : frame
        That of the caller; opweld's own are passed over.

    Returns
    -------
    Place
    str or None
        The name that the very next instruction stores into.
    """
    frame = _users(frame)
    if frame is None:
        return Place("<unknown>", 1), None
    stored = _stored(frame)
    return Place(frame.f_code.co_filename, frame.f_lineno), stored if stored and stored.isidentifier() else None


def _users(frame: FrameType | None) -> FrameType | None:
    while frame is not None and frame.f_code.co_filename.startswith(_OURS):
        frame = frame.f_back
    return frame


def module_of(frame: FrameType | None) -> str | None:
    """Say in which module a call stands; None: in none.

    Parameters
    ----------
    frame : frame
        As for `place_of`.

    Returns
    -------
    str or None
    """
    found = _users(frame)
    return found and found.f_globals.get("__name__")


def _stored(frame: FrameType) -> str | None:
    """The name in ``name = call(…)``, of the caller's bytecode."""
    from opcode import HAVE_ARGUMENT, opmap  # late: one table, which a process may never need

    code, at, high = frame.f_code, frame.f_lasti + 2, 0
    raw = code.co_code
    extended, cache = opmap["EXTENDED_ARG"], opmap.get("CACHE")
    while at < len(raw) and (raw[at] == extended or raw[at] == cache):
        high = (high << 8 | raw[at + 1]) if raw[at] == extended else 0
        at += 2
    if at >= len(raw) or raw[at] < HAVE_ARGUMENT:
        return None
    number = high << 8 | raw[at + 1]
    if raw[at] in (opmap["STORE_NAME"], opmap["STORE_GLOBAL"]):
        return code.co_names[number]
    if raw[at] in (opmap.get("STORE_FAST_LOAD_FAST"), opmap.get("STORE_FAST_STORE_FAST")):  # CPython 3.13
        return code.co_varnames[number >> 4]
    return code.co_varnames[number] if raw[at] == opmap["STORE_FAST"] and number < len(code.co_varnames) else None
