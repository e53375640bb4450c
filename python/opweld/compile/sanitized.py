"""What a sanitizer said before it ended a process: its kind, and the user's lines in what it tells of addresses.

It runs only where one has found something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from linecache import getline
from typing import NamedTuple

from opweld.compile.apiece import NodeFunction
from opweld.compile.failure import place
from opweld.compile.postmortem import Frame, in_module, users, written
from opweld.errors import SanitizerError
from opweld.outside.worker import Died

__all__ = ["reported"]

_HEAD = re.compile(
    r"(?m)^(?:=+\n)?(?:==\d+==ERROR: AddressSanitizer: |WARNING: ThreadSanitizer: |\S.*: runtime error: )"
)
_SUMMARY = re.compile(r"(?m)^SUMMARY: (Address|UndefinedBehavior|Thread)Sanitizer: (.+)$")
_FRAME = re.compile(r"\s*#\d+ (.*) \((.*)\+0x([0-9a-f]+)\)$")
_LOCATION = re.compile(r"(?m)^(.+?):(\d+)(?::\d+)?: runtime error: (.*)$")
_ACCESS = re.compile(r"(?m)^(READ|WRITE) of size (\d+)")
_NEAR = re.compile(
    r"is located (\d+) bytes (to the right of|to the left of|after|before|inside of|inside) (\d+)-byte region "
    r"\[0x([0-9a-f]+),"
)
_NAMES = {"Address": "address", "UndefinedBehavior": "undefined", "Thread": "thread"}
_SIDES = {
    "to the right of": "behind the end of", "after": "behind the end of", "to the left of": "before",
    "before": "before", "inside of": "into", "inside": "into",
}  # fmt: skip
_GUARD = 64  # bytes of pattern on each side of an array: templates/runtime/guarded.c
_SAID_BEFORE = {
    "freed by": "it was released in",
    "previously allocated": "it was asked for in",
    "allocated by": "it was asked for in",
    "Previous write": "the other thread writes in",
    "Previous read": "the other thread reads in",
    "Previous atomic": "the other thread is in",
    "Location is": "it was asked for in",
}
_SHOWN = 12  # frames of each stack


class _Stack(NamedTuple):
    """Calls that led somewhere, and what the sanitizer says of them."""

    title: str
    frames: list[Frame]

    @property
    def own(self) -> Frame | None:
        """The innermost that is the user's."""
        return next((frame for frame in self.frames if frame.line), None)


def reported(died: Died, function: NodeFunction) -> SanitizerError | None:
    """Make the exception that tells what a sanitizer found.

    Parameters
    ----------
    died : Died
        How the process ended.
    function : NodeFunction
        What ran.

    Returns
    -------
    SanitizerError or None
        None: no sanitizer ended it.
    """
    head = _HEAD.search(died.said)
    if head is None:
        return None
    report = died.said[head.start() :]
    node = function.node
    sanitizer, kind, what = _what(report, died, function)
    stacks = list(_stacks(report, function))
    own = _found_at(report, stacks, function)
    lines = [f"{function.called}(): {node}{place(node)}", f"  {kind}: {what}" if what else f"  {kind}"]
    if own is not None:
        text = getline(own.file, own.line).strip() if own.exact else ""
        lines.append(f"  in {own.function}, {own.file}:{own.line}" + (f":\n    {text}" if text else ""))
    origins = [(stack.title, stack.own) for stack in stacks[1:] if stack.own is not None]
    lines += [f"  {title} {frame}" for title, frame in origins]
    lines += [f"  {_TITLES[sanitizer]} said, besides what is in details['report']:"]
    lines += [f"    {line}" for line in _telling(report, function.built.path)]
    return SanitizerError(
        "\n".join(lines),
        {
            "op": node.op, "node": node, "function": function.called, "sanitizer": sanitizer, "kind": kind,
            "file": own.file if own else "", "line": own.line if own else 0,
            "origins": [(title, frame.file, frame.line) for title, frame in origins],
            "backtrace": [str(frame) for frame in (stacks[0].frames if stacks else [])], "report": report,
        },
    )  # fmt: skip


_TITLES = {"address": "AddressSanitizer", "undefined": "UndefinedBehaviorSanitizer", "thread": "ThreadSanitizer"}


def _telling(report: str, module: str) -> Iterator[str]:
    """The lines of a report without frames of others and pictures of memory."""
    for line in report.partition("\nShadow bytes")[0].splitlines():
        frame = _FRAME.match(line)
        if frame is not None and frame[2] == module:
            yield line.partition(f" ({module}+")[0]
        elif frame is None and line.strip("= "):
            yield line.rstrip()


def _what(report: str, died: Died, function: NodeFunction) -> tuple[str, str, str]:
    """Which sanitizer, its word for what it found, and what that was."""
    summary = _SUMMARY.search(report)
    which = _NAMES[summary[1]] if summary else "undefined" if "runtime error: " in report else "address"
    if which == "undefined":
        found = _LOCATION.search(report)
        kind = summary[2].split()[0] if summary else "undefined-behavior"
        return which, kind, (found[3] if found else "").removeprefix(f"{kind.replace('-', ' ')}: ")
    if which == "thread":
        words = report[report.index("ThreadSanitizer: ") + 17 :].split(" (pid", 1)[0]
        said = "two threads, one of which writes, and nothing that orders them" if words == "data race" else ""
        return which, words.replace(" ", "-"), said
    kind = summary[2].split()[0] if summary else "error"
    access, near = _ACCESS.search(report), _NEAR.search(report)
    said = f"{'reads' if access[1] == 'READ' else 'writes'} {access[2]} bytes" if access else ""
    if kind == "use-after-poison" and near is not None and said:  # what DebugMode puts round arrays
        said += f", {_beside_guarded(int(near[1]), int(near[3]) - 2 * _GUARD)}"
    elif near is not None and said:
        said += f", {near[1]} bytes {_SIDES[near[2]]} {_whose(near[4], int(near[3]), died, function)}"
    return which, kind, said


def _beside_guarded(at: int, size: int) -> str:
    """Where beside an array of so many bytes, between bytes of a pattern, something is."""
    before = at < _GUARD
    where = f"{_GUARD - at} bytes before" if before else f"{at - _GUARD - size} bytes behind the end of"
    return f"{where} an array of {size} bytes that it made"


def _whose(start: str, size: int, died: Died, function: NodeFunction) -> str:
    """What memory is, of which its begin is known."""
    for line in died.words.splitlines():
        what, _, rest = line.partition(" ")
        if what == "input" and rest.split()[1] == start.lstrip("0"):
            number = function.places[int(rest.split()[0])]
            return f"input {number}, {function.node.inputs[number]}"
    return f"{size} bytes that were asked for"


def _stacks(report: str, function: NodeFunction) -> Iterator[_Stack]:
    """The stacks of a report: what it says before each, and its frames."""
    title = ""
    frames: list[Frame] = []
    seen: set[int] = set()
    for line in [*report.splitlines(), ""]:
        found = _FRAME.match(line)
        if found is not None:
            address = int(found[3], 16)
            mine = found[2] == function.built.path
            if mine and address in seen:
                continue  # what was inlined there was told at once
            seen.add(address)
            frames += (
                in_module(address - 1 if frames else address, function) if mine else [Frame(found[1], "", 0, False)]
            )
        else:
            if frames:
                yield _Stack(title, _until_python(frames))
            frames, seen = [], set()
            title = _titled(line) or title


def _until_python(frames: list[Frame]) -> list[Frame]:
    """The frames down to the last that is the user's."""
    last = max([i for i, frame in enumerate(frames) if frame.line], default=_SHOWN - 1)
    return frames[: last + 1][:_SHOWN]


def _titled(line: str) -> str:
    """What the line before a stack says of it, for people."""
    text = line.strip()
    for sign, title in _SAID_BEFORE.items():
        if text.startswith(sign):
            return title
    return text.rstrip(":")


def _found_at(report: str, stacks: Sequence[_Stack], function: NodeFunction) -> Frame | None:
    """The user's line in which it was found."""
    location = _LOCATION.search(report)
    if location is not None:
        key = next(
            (key for key in function.program.sources if location[1] in (key,) or location[1].endswith(f"/{key}")), None
        )
        if key is not None:
            return users(key, int(location[2]), function)
    return (stacks[0].own if stacks else None) or written(function)
