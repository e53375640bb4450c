"""What ``opweld lint --fix`` writes: files of C and of Python in which what has one mend is mended.

The engine changes texts, and looks at each change again; here the changed lines are put where the user wrote them. What
cannot be put back exactly is said, and left.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
import tokenize
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from linecache import checkcache, getlines
from typing import Any, NamedTuple

from opweld import engine, linting
from opweld.compile import program as programs
from opweld.compile.findings import Finding, finding_of
from opweld.compile.literals import Line, strings
from opweld.compile.written import Place, find
from opweld.hooks.reading import FAIL

__all__ = ["Mends"]

_HOME = os.path.dirname(os.path.abspath(__file__))


class _Edit(NamedTuple):
    """Columns of a line of a file, from 0, that become a text; of a whole line, with its end, where `end` is -1."""

    line: int
    start: int
    end: int
    text: str
    becomes: str  # the line of the fragment that stands there then; empty: none


class _Left(Exception):
    """Why something is not mended."""


class Mends:
    """What can be mended in files.

    Attributes
    ----------
    files : dict of str to (str, str)
        Of each file that changes the text before and after.
    fixed : list of Finding
        What is found no more.
    left : list of str
        What has one mend, and why it was not made.
    """

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, str]] = {}
        self.fixed: list[Finding] = []
        self.left: list[str] = []
        self._edits: dict[str, set[_Edit]] = {}

    def of_c(self, path: str) -> None:
        """Mend a file of C.

        Parameters
        ----------
        path : str
            The file; nothing is written.

        Raises
        ------
        OSError
            If it cannot be read.
        ValueError
            If it has a section of an unknown name, or is not UTF-8.
        """
        before = _read(path)
        lines = before.split("\n")
        fixed: list[Finding] = []
        pieces = linting.fragments_of(path)
        answer = engine.lint(fragments=[fragment for _, fragment in pieces], mend=True)
        for (first, _), found, mended in sorted(
            zip(pieces, answer["findings"], answer["mended"]), key=lambda one: -one[0][0]
        ):
            old, new = (mended[key].split("\n")[1:] for key in ("old", "new"))  # without the line that says where
            count = len(old) - (old[-1] == "")
            if old == new:
                continue
            if lines[first - 1 : first - 1 + count] != old[:count]:
                self.left.append(f"{path}:{first}: the section is not the file's text")
                continue
            lines[first - 1 : first - 1 + count] = new[: len(new) - (old[-1] == "")]
            fixed += [finding_of(found[at], {}, {}) for at in mended["fixed"]]
        if fixed:
            self.files[path] = (before, "\n".join(lines))
            self.fixed += fixed

    def of_program(self, program: programs.Program) -> None:
        """Mend what the methods of ops and types wrote, in their files.

        Parameters
        ----------
        program : Program
            Its ``sources`` say which methods those are.
        """
        answer = engine.lint(program.text, mend=True)
        for found, mended in zip(answer["findings"], answer["mended"]):
            if mended["old"] == mended["new"]:
                continue
            fixed = [finding_of(found[at], program.sources, program.data) for at in mended["fixed"]]
            try:
                self._take(*_edits_of(mended, program.sources))
            except _Left as why:
                at = fixed[0]
                self.left.append(f"{at.file}:{at.line}: {at.message} [{at.rule}] was not mended: {why}")
            else:
                self.fixed += [one for one in fixed if one not in self.fixed]

    def _take(self, file: str, edits: set[_Edit]) -> None:
        """Add edits to those of a file, if they do there what they are to do."""
        known = self._edits.get(file, set())
        before = self.files[file][0] if file in self.files else _read(file)
        after = _applied(before, known | edits)
        self.files[file] = (before, after)
        self._edits[file] = known | edits

    def diff(self) -> Iterator[str]:
        """Show what changes.

        Yields
        ------
        str
            The lines of unified diffs.
        """
        for path, (before, after) in sorted(self.files.items()):
            yield from difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")

    def write(self) -> None:
        """Write the files: each is either as it was, or whole.

        Raises
        ------
        OSError
            If one cannot be written, or was changed meanwhile.
        """
        for path, (before, after) in sorted(self.files.items()):
            if _read(path) != before:
                raise OSError(f"{path} was changed meanwhile, and is left as it is")
            _replace(os.path.realpath(path), after)
        checkcache()


def _read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read().replace("\r\n", "\n")


def _replace(path: str, text: str) -> None:
    with open(path, "rb") as file:
        ends = "\r\n" if b"\r\n" in file.readline() else "\n"
    handle, temporary = tempfile.mkstemp(prefix=".opweld-", dir=os.path.dirname(path))
    try:
        with open(handle, "w", encoding="utf-8", newline=ends) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, temporary)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


# -- strings of Python ----------------------------------------------------------------------------------------------


def _edits_of(mended: dict[str, Any], sources: Mapping[str, Any]) -> tuple[str, set[_Edit]]:
    """Find where the changed lines of a fragment were written; the file, and what changes there."""
    op, hook = mended["op"], mended["hook"]
    old, new = (mended[key].replace("opw_V", "V") for key in ("old", "new"))
    place = sources.get(f"{op}.{hook}")
    if place is None or "#line" in old:
        raise _Left("its C stands in a file of its own: lint that")
    file = place["file"]
    if os.path.abspath(file).startswith(_HOME + os.sep) or f"{os.sep}site-packages{os.sep}" in file:
        raise _Left("it is a library's")
    if not os.path.isfile(file) or place["exact"]:
        raise _Left("it was not written in a method of a file")
    fragment = _Fragment(old.split("\n"), lambda at: find(file, place["line"], op.partition("~")[0], old, at + 1))
    edits = fragment.edits(new.split("\n"))
    source = "".join(getlines(file))
    _verify(_applied(source, edits), edits)
    return file, edits


class _Fragment:
    """The lines of a fragment, and where each was written."""

    def __init__(self, lines: list[str], find_line: Callable[[int], Place | None]) -> None:
        self.lines = lines
        self.places = [find_line(at) for at in range(len(lines))]
        self.put = {
            line[start:end]: written
            for line, place in zip(lines, self.places)
            for start, end, _, put, written in (place.parts if place else ())
            if put and (re.fullmatch(r"\w+", line[start:end]) or line[start:end] == FAIL)
        }

    def edits(self, new: list[str]) -> set[_Edit]:
        """What has to change in the file for the lines to become others."""
        found: set[_Edit] = set()
        for tag, i, j, k, m in difflib.SequenceMatcher(None, self.lines, new, autojunk=False).get_opcodes():
            if tag == "insert":
                found.update(self.inserted(i, new[k:m]))
            elif tag == "delete":
                found.update([self.removed(at) for at in range(i, j)])
            elif tag == "replace" and j - i == m - k:
                found.update([self.changed(at, new[k + at - i]) for at in range(i, j)])
            elif tag == "replace":
                raise _Left("several lines change at once")
        return found

    def at(self, line: int) -> Place:
        place = self.places[line] if 0 <= line < len(self.lines) else None
        if place is None:
            raise _Left("its line in the file cannot be told")
        return place

    def written(self, text: str, place: Place) -> str:
        """C as it is written in a string."""
        names = [key for key in self.put if key == FAIL or re.search(rf"\b{key}\b", text)]
        pattern = "|".join(re.escape(key) if key == FAIL else rf"\b{key}\b" for key in sorted(names, key=len)[::-1])
        parts = re.split(f"({pattern})", text) if pattern else [text]
        own = "".join(parts[::2])
        if re.search(r"\bV\d|opw_|\\", own) or (re.search("[{}%]", own) and not place.formatted):
            raise _Left("what would be written there depends on how the string is filled")
        doubled = [part.replace("{", "{{").replace("}", "}}") if place.formatted else part for part in parts[::2]]
        filled = [self.put[part] for part in parts[1::2]]
        return "".join([piece for pair in zip(doubled, [*filled, ""]) for piece in pair])

    def inserted(self, before: int, lines: list[str]) -> Iterator[_Edit]:
        """New lines, before one, or behind the last."""
        anchor, down = before, 0
        if not (before < len(self.lines) and self.lines[before].strip() and self.places[before]):
            anchor, down = before - 1, 1
        place = self.at(anchor)
        indent = len(place.text) - len(place.text.lstrip())
        if place.parts[0][2] != indent and down == 0:
            raise _Left("something else stands before it in its line")
        more = indent - (len(self.lines[anchor]) - len(self.lines[anchor].lstrip()))
        texts = [" " * (len(one) - len(one.lstrip()) + more) + self.written(one.strip(), place) for one in lines]
        yield _Edit(place.line + down, 0, 0, "".join([text + "\n" for text in texts]), lines[0].strip())

    def removed(self, line: int) -> _Edit:
        place = self.at(line)
        if "".join([written for *_, written in place.parts]).strip() != place.text.strip():
            raise _Left("something else stands in its line")
        return _Edit(place.line, 0, -1, "", "")

    def changed(self, line: int, new: str) -> _Edit:
        """A piece of a line becomes another: as little as can be, but what is put in stays whole."""
        place, old = self.at(line), self.lines[line]
        start = _common(old, new)
        end = len(old) - min(_common(old[::-1], new[::-1]), len(old) - start, len(new) - start)
        for first, last, _, put, _ in place.parts:
            start = first if put and first < start < last else start
            end = last if put and first < end < last else end
        text = new[start : len(new) - (len(old) - end)]
        return _Edit(place.line, place.source(start), place.source(end), self.written(text, place), new.strip())


def _common(a: str, b: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (one, other) in enumerate(zip(a, b)) if one != other), min(len(a), len(b)))


def _applied(source: str, edits: set[_Edit]) -> str:
    lines = source.split("\n")
    last: _Edit | None = None
    for edit in sorted(edits, reverse=True):
        if last is not None and last.line == edit.line and (edit.end < 0 or edit.end > last.start):
            raise _Left("two things would be written at one place")
        last, at = edit, edit.line - 1
        if edit.end < 0:
            del lines[at]
        elif edit.text.endswith("\n"):
            lines[at:at] = edit.text[:-1].split("\n")
        else:
            lines[at] = lines[at][: edit.start] + edit.text + lines[at][edit.end :]
    return "\n".join(lines)


def _verify(source: str, edits: set[_Edit]) -> None:
    """Whether a file still is one of Python, and its strings have the lines that they are to have."""
    try:
        compile(source, "<mended>", "exec", dont_inherit=True)
        patterns: list[Line] = [line for string in strings(source.splitlines(keepends=True)) for line in string]
    except (SyntaxError, ValueError, tokenize.TokenError) as why:
        raise _Left(f"the file would not be Python any more ({why})") from None
    for edit in edits:
        shift = sum([_grows(other) for other in edits if other.line < edit.line])
        there = [line for line in patterns if line.number == edit.line + shift]
        if edit.becomes and not any(line.match(edit.becomes) for line in there):
            raise _Left("what would be written there does not give the same text")


def _grows(edit: _Edit) -> int:
    return -1 if edit.end < 0 else edit.text.count("\n")
