"""``opweld.cop.file``: the short forms of a ``.c`` file, whose comments hold the signatures."""

from __future__ import annotations

import os
import re
import sys
from types import SimpleNamespace
from typing import Any

from opweld.cops.reading import Place, Record, place_of
from opweld.cops.said import said_of
from opweld.cops.short import formed

__all__ = ["Piece", "file", "forms_of"]

# What a brace or a comment's end may hide in, and what begins a short form.
_TOKEN = re.compile(
    r'//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)|R"([^()\\ ]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{}]',
    re.DOTALL,
)
_MARK = re.compile(r"\s*(?://|/\*)\s*cop:(.*?)(?:\*/)?\s*\Z", re.DOTALL)


class Piece(Record):
    """A short form of a file.

    Attributes
    ----------
    line : int
        Where the comment begins.
    body_line : int
        Where the body does.
    """

    signature: str
    body: str
    line: int
    body_line: int


def file(path: str | os.PathLike[str], **options: Any) -> SimpleNamespace:
    """Make the short forms of a file.

    A comment that begins with ``cop:`` holds a signature, with a name; the braces after it hold the body. All else is
    support code.

    Parameters
    ----------
    path : str or path object
        Relative to the folder of the file that asks.
    **options
        What `opweld.cop` takes besides, for all of them.

    Returns
    -------
    types.SimpleNamespace
        The functions, by their names.

    Raises
    ------
    SignatureError
        If a signature or body is none.
    ValueError
        If the file has no signature, or two of one name, or no body after one.

    Examples
    --------
    >>> ops = opweld.cop.file("ops.c")
    >>> ops.smooth(x, 0.9)
    """
    place, _ = place_of(sys._getframe(1))
    folder = os.path.dirname(place.file) if os.path.isabs(place.file) else ""
    found = os.path.abspath(os.path.join(folder, os.fspath(path)))
    with open(found, encoding="utf-8") as opened:
        text = opened.read()
    forms = forms_of(text, found, found, **{"lang": "c" if found.endswith((".c", ".h")) else "c++", **options})
    return SimpleNamespace(**{form.__name__: form for form in forms})


def forms_of(text: str, shown: str, where: str, **options: Any) -> list[Any]:
    """Make the short forms of a text.

    Parameters
    ----------
    text : str
        As `file` says.
    shown, where : str
        What messages call it, and what the compiler's do.
    **options
        What `opweld.cop` takes.

    Returns
    -------
    list of callable
    """
    pieces, support = _pieces(text, shown)
    names = [_name(piece, shown) for piece in pieces]
    if not pieces:
        raise ValueError(f"{shown}: has no short form; a comment that begins with `cop:` holds a signature")
    given, ufunc = options.pop("support", ""), options.pop("ufunc", False)
    made = []
    for name, piece in zip(names, pieces):
        if names.count(name) > 1:
            raise ValueError(f"{shown}:{piece.line}: there are two short forms called {name}")
        known = (("body", piece.body_line), ("support", 1))
        said = said_of(piece.signature, piece.body, name=name, support=support + given, **options)
        made.append(formed(said, Place(where, piece.line, known), ufunc=ufunc))
    return made


def _name(piece: Piece, shown: str) -> str:
    found = re.match(r"\s*([A-Za-z_]\w*)\s*\(", piece.signature)
    if found is None:
        raise ValueError(f"{shown}:{piece.line}: the signature has no name: write `cop: name(x: T[n]) -> y: T[n]`")
    return found.group(1)


def _pieces(text: str, shown: str) -> tuple[list[Piece], str]:
    """The short forms of a text, and what is left of it, line for line."""
    pieces, support, at = [], "", 0
    mark = None  # the comment whose body is to come
    depth = begin = 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if mark is None:
            mark = _MARK.match(word) and token
            if mark:
                support += text[at : token.start()]
        elif not depth and word == "{" and not text[mark.end() : token.start()].strip():
            depth, begin = 1, token.end()
        elif not depth:
            raise ValueError(f"{shown}:{_line(text, mark.start())}: expected the body in braces after the signature")
        elif word in "{}":
            depth += 1 if word == "{" else -1
            if not depth:
                signature = _MARK.match(mark.group())
                assert signature is not None
                lines = _line(text, mark.start()), _line(text, begin)
                column = begin - text.rfind("\n", 0, begin) - 1  # so that the compiler's columns are the file's
                body = " " * column + text[begin : token.start()]
                pieces.append(Piece(signature.group(1).strip(), body, *lines))
                support += "\n" * text.count("\n", mark.start(), token.end())
                mark, at = None, token.end()
    if mark is not None:
        what = "its body is never closed" if depth else "expected the body in braces after the signature"
        raise ValueError(f"{shown}:{_line(text, mark.start())}: {what}")
    support += text[at:]
    return pieces, support if support.strip() else ""


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
