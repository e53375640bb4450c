"""Files of C in sections: what they may hold, read once however many ops they serve."""

from __future__ import annotations

import os
import re

__all__ = ["SECTIONS", "Beside", "Key", "Sections", "join", "key_of", "written_in"]

SECTIONS = (
    "support_code", "support_code_apply", "support_code_struct", "init_code", "init_code_apply", "init_code_struct",
    "cleanup_code_struct", "code", "code_cleanup",
)  # fmt: skip

# The macros of the sections that have not all of them.
_MACROS = {
    "support_code": "", "init_code": "", "support_code_apply": "APPLY DTYPES", "support_code_struct": "APPLY DTYPES",
    "init_code_apply": "APPLY DTYPES", "init_code_struct": "APPLY DTYPES", "cleanup_code_struct": "APPLY DTYPES",
}  # fmt: skip
_MACRO = r"\b(APPLY_SPECIFIC|(?:(?:DTYPE_|TYPENUM_|ITEMSIZE_)?(?:INPUT|OUTPUT)_\d+))\b"  # compiled by who reads a file
_QUOTED = r'"(?:[^"\\]|\\.)*"'

Key = tuple[str, int, int, int, int]  # a file: path, size, mtime and ctime in ns, inode
Sections = dict[str, list[tuple[str, int, str]]]  # tag -> path, first line and text of each piece

_files: dict[Key, dict[str, list[tuple[int, str]]]] = {}  # a file is read once however many ops it serves
_joined: dict[tuple[Key, ...], Sections] = {}


def key_of(path: str, who: str) -> Key:
    """Ask for what tells one content of a file from another.

    Parameters
    ----------
    path : str
        The file.
    who : str
        The class that names it, for messages.

    Returns
    -------
    Key

    Raises
    ------
    OSError
        If the file is not there, or may not be read.
    """
    try:
        status = os.stat(path)
    except OSError as err:
        raise _unreadable(path, who, err) from None
    return path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _unreadable(path: str, who: str, err: OSError) -> OSError:
    return type(err)(
        f"{path}: the C file of {who} cannot be read: {err.strerror}; a relative path starts at the folder of the "
        f"class that names it"
    )


def _read(key: Key, who: str) -> dict[str, list[tuple[int, str]]]:
    """The sections of a file: for each tag its pieces, with the number of their first line."""
    path = key[0]
    found = _files.get(key)
    if found is None:
        try:
            with open(path, encoding="utf-8", newline=None) as file:
                found = _files[key] = _parse(path, file.read())
        except OSError as err:
            raise _unreadable(path, who, err) from None
        except UnicodeDecodeError as err:
            raise ValueError(f"{path}: is not UTF-8: {err}") from None
    return found


def join(keys: tuple[Key, ...], who: str) -> Sections:
    """Read the sections of several files; those of one tag follow each other.

    Parameters
    ----------
    keys : tuple of Key
        The files, in order.
    who : str
        The class that names them, for messages.

    Returns
    -------
    Sections
        The same object for the same files.

    Raises
    ------
    ValueError
        If a file has no section, one of an unknown tag, text before the first, or a macro where there is none.
    """
    sections = _joined.get(keys)
    if sections is None:
        sections = {}
        for key in keys:
            for tag, pieces in _read(key, who).items():
                sections.setdefault(tag, []).extend((key[0], line, piece) for line, piece in pieces)
        _joined[keys] = sections
    return sections


class Beside:
    """The C of one of the library's modules: sections of a file beside it, read when one is first asked for.

    A test has `join` read each; here, on the way of a hit, they are trusted.

    Parameters
    ----------
    module : str
        The module's ``__file__``.
    name : str, optional
        The file's name, without ending; that of the module if left out.
    """

    def __init__(self, module: str, name: str = "") -> None:
        stem = os.path.splitext(module)[0]
        self.path = (os.path.join(os.path.dirname(stem), name) if name else stem) + ".c"
        self.name = _OURS + os.path.basename(self.path)
        self._texts: dict[str, str] = {}
        _beside[self.name] = self.path

    def section(self, tag: str = "support_code") -> str:
        """Give a section, under a ``#line`` that names the file.

        Parameters
        ----------
        tag : str
            Of `SECTIONS`.

        Returns
        -------
        str
            The same for every op, so that a unit holds it once.
        """
        if not self._texts:
            with open(self.path, "rb") as file:
                head, *parts = file.read().decode().split("\n#section ")
            line = head.count("\n") + 3  # of the first line after the mark
            for part in parts:
                tag_found, _, piece = part.partition("\n")
                self._texts[tag_found] = f'#line {line} "{self.name}"\n{piece}\n'
                line += piece.count("\n") + 2
        return self._texts[tag]


_OURS = "opweld/"
_beside: dict[str, str] = {}  # name in #line -> path


def written_in(text: str) -> tuple[str, str] | None:
    """Find the library's file that a text was read from.

    Parameters
    ----------
    text : str
        What a hook gave.

    Returns
    -------
    tuple of (str, str) or None
        Its name in ``#line``, and its path.
    """
    if not text.startswith("#line "):
        return None
    name = text.split('"', 2)[1]
    path = _beside.get(name)
    return None if path is None else (name, path)


def _parse(path: str, text: str) -> dict[str, list[tuple[int, str]]]:
    sections: dict[str, list[tuple[int, str]]] = {}
    tag, first, piece = "", 1, [""]
    in_comment = False
    lines = text.splitlines()
    if not any(map(_is_tag, lines)):
        raise ValueError(f"{path}: has no #section; begin one of {', '.join(SECTIONS)}")
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if _is_tag(line):
            if tag:
                sections.setdefault(tag, []).append((first, "\n".join(piece)))
            tag, first, piece = stripped[8:].strip(), number + 1, []
            if tag not in SECTIONS:
                raise ValueError(f"{path}:{number}: unknown section {tag!r}; known are {', '.join(SECTIONS)}")
        elif tag:
            piece.append(line)
        else:
            outside, in_comment = _without_comments(line, in_comment)
            if outside.strip():
                raise ValueError(f"{path}:{number}: {stripped!r} stands before the first #section; only comments may")
    sections.setdefault(tag, []).append((first, "\n".join(piece)))
    for tag, allowed in _MACROS.items():
        for first, whole in sections.get(tag, ()):
            _check_macros(path, tag, first, whole, allowed, text)
    return sections


def _check_macros(path: str, tag: str, first: int, piece: str, allowed: str, text: str) -> None:
    """Refuse a macro in a section that has not got it. What a ``#define`` holds is expanded elsewhere, perhaps."""
    if not re.search(_MACRO, piece):
        return
    in_comment = continued = False
    for number, line in enumerate(piece.split("\n"), first):
        outside, in_comment = _without_comments(line, in_comment)
        directive = continued or outside.lstrip().startswith("#")
        continued = directive and line.endswith("\\")
        for found in () if directive else re.findall(_MACRO, re.sub(_QUOTED, '""', outside)):
            kind = "APPLY" if found.startswith("APPLY") else "NAMES" if found.startswith(("IN", "OUT")) else "DTYPES"
            if kind not in allowed and not re.search(rf"#\s*define\s+{found}\b", text):
                having = ", ".join(other for other in SECTIONS if kind in _MACROS.get(other, "APPLY DTYPES NAMES"))
                raise ValueError(f"{path}:{number}: section {tag!r} has no macro {found}; these have it: {having}")


def _is_tag(line: str) -> bool:
    stripped = line.strip()
    return stripped.startswith("#section") and not stripped[8:9].strip()


def _without_comments(line: str, inside: bool) -> tuple[str, bool]:
    """A line without its comments, and whether a comment goes on behind it."""
    kept = []
    while line:
        if inside:
            _, closed, line = line.partition("*/")
            inside = not closed
            if inside:
                break
        else:
            block, slashes = line.find("/*"), line.find("//")
            if slashes >= 0 and (block < 0 or slashes < block):
                kept.append(line[:slashes])
                break
            if block < 0:
                kept.append(line)
                break
            kept.append(line[:block])
            line, inside = line[block + 2 :], True
    return "".join(kept), inside
