"""The string literals of a Python file, line by line, as patterns in which what is put in stands for anything."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

__all__ = ["LEAST", "Line", "Piece", "strings"]

LEAST = 3  # characters that a pattern must have of its own, besides blanks
_PREFIX = re.compile(r"([A-Za-z]*)('{3}|\"{3}|'|\")")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_INSIDE = re.compile(r"\w\w")  # of a word
_PUT = re.compile(r"%\(\w+\)[sdr]|%[sdr]|\{[A-Za-z_][\w.\[\]]*\}")  # what % and format put in


class Piece:
    """A part of a line of a string: its own text, or a place where something is put in."""

    __slots__ = ("column", "put", "text")

    def __init__(self, text: str, column: int, put: bool) -> None:
        self.text, self.column, self.put = text, column, put


class Line:
    """A line of a string, as a pattern."""

    __slots__ = ("_pattern", "first", "formatted", "last", "number", "pieces", "weight")

    def __init__(self, number: int, pieces: list[Piece], first: bool, last: bool, formatted: bool) -> None:
        self.number = number
        self.pieces = pieces
        self.formatted = formatted  # of an f-string
        self.first, self.last = first, last  # in its string: something may stand before or behind it
        self.weight = sum([len("".join(piece.text.split())) for piece in pieces if not piece.put])
        self._pattern: re.Pattern[str] | None = None

    @property
    def is_put(self) -> bool:
        """Whether one thing that is put in is the whole line, but for signs."""
        return self.weight < LEAST and sum([piece.put for piece in self.pieces]) == 1

    def match(self, text: str) -> re.Match[str] | None:
        """Match a fragment's line, without blanks at its ends."""
        if self.weight < LEAST:
            return None
        if self._pattern is None:
            parts = [_own(piece.text) if not piece.put else "(.*?)" for piece in self.pieces]
            start, end = (r"(?:.*?)" if self.first else ""), (r"(?:.*)" if self.last else "")
            self._pattern = re.compile(rf"{start}\s*{''.join(parts)}\s*{end}", re.DOTALL)
        found = self._pattern.fullmatch(text)
        if found is None:
            return None
        first, last = found.start(1), found.end(len(self.pieces))
        cut = any(_INSIDE.match(text, at - 1, at + 1) for at in (first, last) if at)
        return None if cut or 3 * (last - first) < len(text) else found  # a word of it, or a part of one, is no sign


def _own(text: str) -> str:
    return "(" + r"\s*".join(map(re.escape, re.split(r"\s+", text))) + ")"


def strings(source: list[str]) -> Iterator[list[Line]]:
    """The strings of a file. From CPython 3.12 on an f-string is several tokens."""
    depth, start = 0, (0, 0)
    for token in tokenize.generate_tokens(io.StringIO("".join(source)).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            depth += 1
            start = token.start if depth == 1 else start
        elif kind == "FSTRING_END":
            depth -= 1
            if depth == 0:
                yield _read(_between(source, start, token.end), start)
        elif kind == "STRING" and depth == 0:
            yield _read(token.string, token.start)


def _between(source: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    if start[0] == end[0]:
        return source[start[0] - 1][start[1] : end[1]]
    middle = source[start[0] : end[0] - 1]
    return "".join([source[start[0] - 1][start[1] :], *middle, source[end[0] - 1][: end[1]]])


class _Reader:
    """Reads the text of one string, prefix and quotes included."""

    def __init__(self, raw: str, start: tuple[int, int]) -> None:
        found = _PREFIX.match(raw)
        assert found is not None
        self.prefix, quote = found[1].lower(), found[2]
        self.body = raw[found.end() : len(raw) - len(quote)]
        self.line, self.column = start[0], start[1] + found.end()
        self.lines: list[Line] = []
        self.pieces: list[Piece] = []
        self.begun = self.line  # the line of the file where the line of the string begins

    def read(self) -> list[Line]:
        """Give its lines."""
        at = 0
        while at < len(self.body):
            at = self.step(at)
        self.end(True)
        return self.lines

    def step(self, at: int) -> int:
        """Read one character, or what stands for one, or what is put in; give what follows."""
        char, body = self.body[at], self.body
        if char == "\\" and "r" not in self.prefix and at + 1 < len(body):
            after = body[at + 1]
            if after == "\n":
                return self.forward(at, 2)
            value = _ESCAPES.get(after)
            if value == "\n":
                self.column += 2
                self.end(False)
                return at + 2
            self.add(value if value is not None else char + after)
            return self.forward(at, 2)
        if char == "\n":
            self.end(False)
            at = self.forward(at, 1)
            self.begun = self.line
            return at
        put = self.put(at)
        if put:
            self.pieces.append(Piece(body[at : at + put], self.column, True))
            return self.forward(at, put)
        self.add(char)
        doubled = char in "{}" and body[at + 1 : at + 2] == char and "f" in self.prefix
        return self.forward(at, 2 if doubled else 1)

    def put(self, at: int) -> int:
        """How long what is put in here is; 0: it is no such thing."""
        if "f" not in self.prefix:
            found = _PUT.match(self.body, at)
            return len(found[0]) if found else 0
        if self.body[at] != "{" or self.body[at + 1 : at + 2] == "{":
            return 0
        depth = 0
        for end in range(at, len(self.body)):
            depth += {"{": 1, "}": -1}.get(self.body[end], 0)
            if depth == 0:
                return end + 1 - at
        return 0

    def add(self, text: str) -> None:
        """Take text of the string's own: of one piece as long as it is written as it is."""
        last = self.pieces[-1] if self.pieces else None
        if last is not None and not last.put and last.column + len(last.text) == self.column:
            last.text += text
        else:
            self.pieces.append(Piece(text, self.column, False))

    def forward(self, at: int, by: int) -> int:
        """Go on, from line to line of the file."""
        skipped = self.body[at : at + by]
        self.line += skipped.count("\n")
        self.column = len(skipped) - skipped.rindex("\n") - 1 if "\n" in skipped else self.column + by
        return at + by

    def end(self, last: bool) -> None:
        """End a line of the string."""
        pieces, formatted = _stripped(self.pieces), "f" in self.prefix
        if pieces:
            self.lines.append(Line(self.begun, pieces, not self.lines, last, formatted))
        else:
            self.lines.append(Line(self.begun, [], False, False, formatted))
        self.pieces = []
        self.begun = self.line


def _stripped(pieces: list[Piece]) -> list[Piece]:
    """Pieces without the blanks at their ends."""
    while pieces and not pieces[0].put and not pieces[0].text.strip():
        pieces = pieces[1:]
    while pieces and not pieces[-1].put and not pieces[-1].text.strip():
        pieces = pieces[:-1]
    if pieces and not pieces[0].put:
        text = pieces[0].text.lstrip()
        pieces[0] = Piece(text, pieces[0].column + len(pieces[0].text) - len(text), False)
    if pieces and not pieces[-1].put:
        pieces[-1] = Piece(pieces[-1].text.rstrip(), pieces[-1].column, False)
    return pieces


def _read(raw: str, start: tuple[int, int]) -> list[Line]:
    return _Reader(raw, start).read()
