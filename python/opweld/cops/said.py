"""What a short form is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opweld.cops.reading import Record, Text, read
from opweld.errors import _what, _yes_or_no

__all__ = ["Said", "said_of", "text_of"]

_LANGS = ("c", "c++")


class Said(Record):
    """What a short form was made of: two that are equal are one op."""

    signature: str
    body: str
    name: str
    support: str
    headers: tuple[str, ...]
    header_dirs: tuple[str, ...]
    libraries: tuple[str, ...]
    lib_dirs: tuple[str, ...]
    args: tuple[str, ...]
    lang: str
    nogil: bool
    check: bool
    functions: tuple[tuple[str, str], ...] = ()


def said_of(
    signature: str,
    body: str,
    *,
    name: str | None,
    support: str = "",
    headers: Iterable[str] = (),
    header_dirs: Iterable[Any] = (),
    libraries: Iterable[str] = (),
    lib_dirs: Iterable[Any] = (),
    args: Iterable[str] = (),
    lang: str = "c",
    nogil: bool = False,
    check: bool = False,
    functions: Iterable[tuple[str, str]] = (),
) -> Said:
    """Read what a short form is made of.

    Parameters
    ----------
    signature, body, name, support, headers, header_dirs, libraries, lib_dirs, args, lang, nogil, check
        As for `cop`.
    functions : iterable of (str, str)
        The arguments that are functions of C, and their types.

    Returns
    -------
    Said

    Raises
    ------
    TypeError, ValueError
        If one is not what it must be.
    """
    for what, text in (("signature", signature), ("body", body), ("support", support)):
        if not isinstance(text, str):
            raise TypeError(f"cop: {what} must be a string, got {_what(text)}")
    if lang not in _LANGS:
        raise ValueError(f"cop: lang must be 'c' or 'c++', got {lang!r}")
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise ValueError(f"cop: name must be one that C can have, got {name!r}")
    return Said(
        signature, body, name, support, _words("headers", headers), _words("header_dirs", header_dirs),
        _words("libraries", libraries), _words("lib_dirs", lib_dirs), _words("args", args), lang,
        _yes_or_no("cop: nogil", nogil), _yes_or_no("cop: check", check), tuple(functions),
    )  # fmt: skip


def _words(what: str, given: Iterable[Any]) -> tuple[str, ...]:
    if isinstance(given, str):
        raise TypeError(f"cop: {what} is the string {given!r}, expected a list of them: [{given!r}]")
    return tuple([str(word) for word in given])


def text_of(said: Said, **more: Any) -> Text:
    """Have a short form read; as the loop of a ufunc, or as a callback, where `more` says so."""
    if said.functions:
        more["functions"] = dict(said.functions)
    return read(said.signature, said.body, said.name, said.check, said.lang == "c++", said.nogil, **more)
