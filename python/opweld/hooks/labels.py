"""Labels: the names of users' classes and files as they may stand in C."""

from __future__ import annotations

__all__ = ["label_of"]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_FIT = frozenset(_LETTERS + _LETTERS.upper() + "0123456789_ .,+-=~()[]{}<>|&^!@*'")  # gen/words.go refuses others
_NAME = "OPW_NAME"  # the engine writes another name in its place
_LONGEST = 80  # of four bytes at most, with what may follow


def label_of(name: str) -> str:
    """Make any name fit for ``#line``, comments and strings of C alike.

    Parameters
    ----------
    name : str
        Of a class, which `type` makes of any text, an op or a file.

    Returns
    -------
    str
        With ``_`` in the place of what cannot stand there: what would end a comment or a string, break a line, or be
        taken for the parts of a place in a diagnostic. Names that differ only there have one label.
    """
    found = "".join([c if c in _FIT or (not c.isascii() and c.isalnum()) else "_" for c in name]).strip()
    found = found.replace(_NAME, _NAME.replace("_", "-"))
    if len(found) > _LONGEST:
        found = found[: _LONGEST - 1].rstrip() + "~"
    return "_" + found if found[:1] in ("", ".", "<") else found
