"""Where in a user's file a line of a fragment was written: found by the strings of the method that gave it.

It runs only where the compiler has said something. The strings of the file are read as patterns, in which what is put
in stands for anything; the line of the fragment is that of the pattern which it fits, and its neighbours fit best.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator, Mapping
from linecache import getlines
from typing import Any

from opweld.compile.literals import LEAST, Line, strings
from opweld.lean import tree_of

__all__ = ["Place", "find", "line_of", "lines_of", "placed", "texts_of"]

_MUCH, _FITS = 16, 2  # so many, or lines round it that fit, where it stands outside the method
_NEAR = 12  # lines round the one that is looked for


class Place:
    """A line of a user's file.

    Attributes
    ----------
    line : int
        Its number.
    text : str
        The line.
    names : dict of str to str
        How the user wrote what stands in the fragment's line.
    parts : list of (int, int, int, bool, str)
        Start and end in the fragment's line, start in the file's, whether it was put in, and how it is written there.
    formatted : bool
        Whether it is an f-string.
    """

    __slots__ = ("formatted", "line", "names", "parts", "text")

    def __init__(
        self,
        line: int,
        text: str,
        names: dict[str, str],
        parts: list[tuple[int, int, int, bool, str]],
        formatted: bool,
    ) -> None:
        self.line = line
        self.text = text
        self.names = names
        self.parts = parts
        self.formatted = formatted

    def column(self, column: int) -> int:
        """Give the column of the file's line, in characters from 0, of one of the fragment's; -1: not known."""
        for start, end, there, put, _ in self.parts:
            if start <= column < end or (column == end == self.parts[-1][1]):
                return there if put else there + column - start
        return -1

    def source(self, column: int) -> int:
        """Give the column of the file's line where a place between characters of the fragment's lies; -1: not known."""
        for start, end, there, put, written in self.parts:
            if start <= column <= end and not (put and start < column < end):
                return there + (column - start if not put else 0 if column == start else len(written))
        return -1


def texts_of(data: object, op: str, hook: str) -> Iterator[str]:
    """Give the texts of Program, or of a part of it, that a hook of an op or type wrote.

    Yields
    ------
    str
    """
    field = hook.removeprefix("c_")
    if isinstance(data, list):
        for part in data:
            yield from texts_of(part, op, hook)
    elif isinstance(data, dict):
        if data.get("label", "").partition(".")[0] == op:
            found = data.get(field, "")
            yield from [found] if isinstance(found, str) else [part for part in found if isinstance(part, str)]
        for value in data.values():
            yield from texts_of(value, op, hook)


def line_of(data: object, op: str, hook: str, number: int) -> str:
    """Give a line of a fragment.

    Parameters
    ----------
    data : dict or list
        Program, or parts of it.
    op, hook : str
        The label and the method that gave the fragment.
    number : int
        The line's, from 1.

    Returns
    -------
    str
        With the names that messages have; empty: there is no such line.
    """
    for text in texts_of(data, op, hook):
        lines = text.split("\n")
        if 0 < number <= len(lines):
            return lines[number - 1].replace("opw_V", "V")
    return ""


def find(file: str, line: int, writer: str, text: str, number: int) -> Place | None:
    """Find the line of a file that a line of a fragment comes from.

    Parameters
    ----------
    file : str
        The file; a notebook's cell is one.
    line : int
        Where the method begins that gave the fragment.
    writer : str
        The class of the op or type.
    text : str
        The fragment.
    number : int
        Of its line, from 1.

    Returns
    -------
    Place or None
        None: it stands in no string of the file, or it cannot be told in which.
    """
    wanted = [part.strip() for part in text.split("\n")]
    if not 0 < number <= len(wanted) or not wanted[number - 1]:
        return None
    source = getlines(file)
    try:
        texts = list(strings(source))
        own, others = _bounds("".join(source), line, writer)
    except (SyntaxError, tokenize.TokenError, ValueError, RecursionError):
        return None
    found: list[tuple[tuple[bool, int, int], Line]] = []
    for string in texts:
        for at, pattern in enumerate(string):
            alone = pattern.is_put and _neighbours(string, at, wanted, number - 1)
            if alone or pattern.match(wanted[number - 1]):
                within = any(pattern.number in lines for lines in own)
                fits = _fits(string, at, wanted, number - 1)
                enough = fits >= _FITS or pattern.weight >= _MUCH
                if within or (enough and any(pattern.number in lines for lines in others)):
                    found.append(((within, fits, pattern.weight), pattern))
    best = max([score for score, _ in found], default=None)
    lines = {pattern.number for score, pattern in found if score == best}
    if len(lines) != 1:
        return None
    pattern = next(pattern for score, pattern in found if score == best)
    return _place(pattern, source[pattern.number - 1].rstrip("\n"), text.split("\n")[number - 1])


def lines_of(data: dict[str, Any], sources: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Say in which lines of which files the fragments of a Program were written, for a debugger.

    Parameters
    ----------
    data, sources : dict
        The Program's.

    Returns
    -------
    dict of str to dict
        As ``lines`` of a request has it (docs/engine.md).
    """
    found = {}
    for key, place in sources.items():
        op, _, hook = key.rpartition(".")
        text = None if place.get("exact") else next(iter(texts_of(data, op, hook)), None)
        lines: list[int] = []
        names: dict[str, str] = {}
        for number, line in enumerate((text or "").replace("opw_V", "V").split("\n"), 1):
            at = find(place["file"], place["line"], op.partition("~")[0], (text or "").replace("opw_V", "V"), number)
            before = lines[-1] if lines else place["line"]
            lines.append(at.line if at else before + (not line.strip()))
            wrote = at.names.items() if at else ()
            names.update({f"opw_{name}": put.strip("{}") for name, put in wrote if name[1:].isdigit()})
        if text is not None or place.get("exact"):
            every = [] if place.get("exact") else lines
            found[key] = {"file": place["file"], "first": place["line"], "lines": every, "names": names}
    return found


def _neighbours(string: list[Line], at: int, wanted: list[str], number: int) -> bool:
    """Whether the lines above and below one that is all put in fit, one of them by more than a sign."""
    sure = 0
    for step in (-1, 1):
        if not (0 <= at + step < len(string) and 0 <= number + step < len(wanted)):
            return False
        line, text = string[at + step], wanted[number + step]
        if line.match(text):
            sure += 1
        elif line.weight >= LEAST or "".join([piece.text for piece in line.pieces if not piece.put]).strip() != text:
            return False
    return sure > 0


def _fits(string: list[Line], at: int, wanted: list[str], number: int) -> int:
    """How many lines round this one fit as well: without a gap, blank ones aside."""
    count = 0
    for step in (-1, 1):
        for by in range(1, _NEAR):
            mine, theirs = at + step * by, number + step * by
            if not (0 <= mine < len(string) and 0 <= theirs < len(wanted)):
                break
            if wanted[theirs] and not string[mine].match(wanted[theirs]):
                break
            count += bool(wanted[theirs])
    return count


def _place(pattern: Line, source: str, text: str) -> Place:
    indent = len(text) - len(text.lstrip())
    match = pattern.match(text.strip())
    if match is None:  # all of it was put in
        (column,) = [piece.column for piece in pattern.pieces if piece.put]
        written = "".join([piece.text for piece in pattern.pieces if piece.put])
        return Place(pattern.number, source, {}, [(indent, len(text), column, True, written)], pattern.formatted)
    names: dict[str, str] = {}
    parts = []
    for group, piece in enumerate(pattern.pieces, 1):
        start, end = match.span(group)
        parts.append((start + indent, end + indent, piece.column, piece.put, piece.text))
        if piece.put and re.fullmatch(r"[A-Za-z_]\w*", match[group]):
            names[match[group]] = piece.text
    return Place(pattern.number, source, names, parts, pattern.formatted)


def _bounds(source: str, line: int, writer: str) -> tuple[list[range], list[range]]:
    """The lines of the method that begins here and of the op's class; those of functions and classes that may help."""
    tree = tree_of(source)
    if tree is None:
        return [], []
    own: list[range] = []
    classes: list[range] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", ())
            if line in (node.lineno, *[decorator.lineno for decorator in decorators]):
                own.append(_lines(node))
        elif isinstance(node, ast.ClassDef):
            (own if node.name == writer else classes).append(_lines(node))
    others = [_lines(node) for node in tree.body if isinstance(node, (ast.FunctionDef, ast.Assign, ast.AnnAssign))]
    return own, [*others, *[lines for lines in classes if line in lines]]


def _lines(node: ast.stmt | ast.Lambda) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def placed(diagnostic: dict[str, Any], data: object, every: bool = False) -> dict[str, Any] | None:
    """Give a diagnostic the line of the user's file where its line of the fragment was written, and the user's names.

    Parameters
    ----------
    diagnostic : dict
        As in docs/engine.md, with the file and the line of the method.
    data : dict
        Program.
    every : bool
        Names that do not stand in the line are the user's too.

    Returns
    -------
    dict or None
        A copy; None: nothing is known beyond what it says.
    """
    number = diagnostic.get("fragment_line", 0)
    if diagnostic.get("exact") or not diagnostic.get("op") or not diagnostic.get("hook") or not number:
        return None
    for text in texts_of(data, diagnostic["op"], diagnostic["hook"]):
        text = text.replace("opw_V", "V")
        lines = text.split("\n")
        if not (number <= len(lines) and lines[number - 1] == diagnostic["text"]):
            continue
        place = find(diagnostic["file"], diagnostic["line"], diagnostic["op"].partition("~")[0], text, number)
        if place is None:
            continue
        before = diagnostic["text"].encode()[: max(diagnostic["column"] - 1, 0)].decode(errors="ignore")
        column = place.column(len(before)) if diagnostic["column"] else -1
        found = {**diagnostic, "exact": True, "line": place.line, "fragment_line": place.line, "text": place.text}
        found["column"] = len(place.text[:column].encode()) + 1 if column >= 0 else 0
        names = {**_names(diagnostic, text), **place.names} if every else place.names
        for key in ("message", "hint"):
            if key in found:
                found[key] = _renamed(found[key], names)
        return found
    return None


def _names(diagnostic: dict[str, Any], text: str) -> dict[str, str]:
    """The user's names of what a message names: they stand in some line of the fragment."""
    found: dict[str, str] = {}
    wanted = set(re.findall(r"\bV\d+\b", f"{diagnostic.get('message', '')} {diagnostic.get('hint', '')}"))
    for number, line in enumerate(text.split("\n"), 1):
        if (wanted - set(found)) & set(re.findall(r"\bV\d+\b", line)):
            place = find(diagnostic["file"], diagnostic["line"], diagnostic["op"].partition("~")[0], text, number)
            found.update(place.names if place else {})
        if wanted <= set(found):
            break
    return found


def _renamed(message: str, names: dict[str, str]) -> str:
    """A message with the user's names."""
    for name, written in names.items():
        if re.fullmatch(r"V\w*", name):
            message = re.sub(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9_])", lambda _, to=written: to, message)  # type: ignore[misc]
    return message
