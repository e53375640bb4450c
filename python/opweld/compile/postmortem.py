"""Whose code a process ended in: its last words, which are numbers, as names, files and lines of the user's.

It runs only where a process has died. What a module's debug information says is read by ``addr2line``, where there is
one; where there is none, the symbols of the module lead to the op, and to the method that wrote its C.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from linecache import getline
from typing import NamedTuple

from opweld.compile.apiece import NodeFunction
from opweld.compile.crashes import symbols
from opweld.compile.failure import place
from opweld.compile.written import find, texts_of
from opweld.errors import OpCrashed, OpTimeout
from opweld.outside.worker import Died

__all__ = ["Frame", "crashed", "in_module", "users", "written"]

_SHOWN = 24  # frames


class _Map(NamedTuple):
    start: int
    end: int
    offset: int
    path: str


class Frame(NamedTuple):
    """A call, as far as it is known where that stands."""

    function: str
    file: str
    line: int
    exact: bool  # the line of the file is that of the C, not that of the method which wrote it

    def __str__(self) -> str:
        where = f", {self.file}" if self.file else ""
        return f"{self.function or '?'}{where}{f':{self.line}' if self.line else ''}"


def crashed(died: Died, function: NodeFunction) -> OpCrashed:
    """Make the exception that tells how a node's C ended its process.

    Parameters
    ----------
    died : Died
        How.
    function : NodeFunction
        What ran.

    Returns
    -------
    OpCrashed
        `OpTimeout` where it did not come back.
    """
    node = function.node
    words = _Words(died.words)
    frames = words.frames(function)
    own = next((frame for frame in frames if frame.line), None) or written(function)
    name = signal.Signals(died.signal).name if died.signal else ""
    lines = [f"{function.called}(): {node}{place(node)}", f"  {_ended(died, name, words.beside(died, function))}"]
    if own is not None:
        text = getline(own.file, own.line).strip() if own.exact else ""
        lines.append(f"  in {own.function}, {own.file}:{own.line}" + (f":\n    {text}" if text else ""))
    if frames:
        lines += ["  backtrace:", *[f"    {frame}" for frame in frames]]
    if died.said.strip():
        lines += ["  it wrote:", *[f"    {line}" for line in died.said.rstrip().splitlines()[-_SHOWN:]]]
    details = {
        "op": node.op, "node": node, "function": function.called, "file": own.file if own else "",
        "line": own.line if own else 0, "signal": name, "code": died.code,
        "backtrace": [str(frame) for frame in frames], "stderr": died.said, "seconds": died.slow,
    }  # fmt: skip
    return (OpTimeout if died.slow else OpCrashed)("\n".join(lines), details)


def _ended(died: Died, name: str, address: str) -> str:
    """How the process ended, in a line."""
    if died.slow:
        return (
            f"did not come back within {died.slow:g} s, and its process was ended; config.isolate_seconds says how "
            f"long it may take"
        )
    if name == "SIGKILL":
        return "its process was ended from outside by SIGKILL: by somebody, or by the system where memory is short"
    if name:
        return f"ended its process by {name} ({signal.strsignal(died.signal)}){address}; this one lives on"
    return f"ended its process with exit code {died.code}: C that is called from Python must not call exit()"


class _Words:
    """A process's last words: templates/runtime/lastwords.c."""

    def __init__(self, text: str) -> None:
        self.numbers: dict[str, int] = {}
        self.told: list[int] = []
        self.maps: list[_Map] = []
        for line in text.splitlines():
            what, _, rest = line.partition(" ")
            if what == "frame":
                self.told.append(int(rest, 16))
            elif "-" in what and rest:
                parts = line.split(None, 5)
                start, _, end = what.partition("-")
                self.maps.append(_Map(int(start, 16), int(end, 16), int(parts[2], 16), "".join(parts[5:])))
            elif rest and what != "input":
                self.numbers[what] = int(rest, 16)

    def frames(self, function: NodeFunction) -> list[Frame]:
        """The calls that led there, innermost first."""
        if "at" not in self.numbers:
            return []
        at = self.numbers["at"]
        behind = self.told[self.told.index(at) + 1 :] if at in self.told else self.told[2:]
        if not any(one.start <= at < one.end for one in self.maps):  # a call that led nowhere
            behind = [self.numbers["back"], *behind]
        return _named([at, *[one - 1 for one in behind]], self.maps, function)

    def beside(self, died: Died, function: NodeFunction) -> str:
        """The address that could not be accessed, and what it lies beside; empty: that is not what happened."""
        address = self.numbers.get("address")
        if address is None or self.numbers.get("signal") not in (signal.SIGSEGV, signal.SIGBUS):
            return ""
        near = ""
        if "block" in self.numbers:
            start = self.numbers["block"]
            near = _beside(address, start, start + self.numbers["size"], "an array that it made")
        there = next((one for one in self.maps if one.start <= address < one.end and "opweld-arrays" in one.path), None)
        if there is not None and died.blocks:
            at = address - there.start + there.offset
            kind, i, start, end = min(died.blocks, key=lambda block: max(block[2] - at, at - block[3]))
            number = function.places[i] if kind == "input" else i
            variable = (function.node.inputs if kind == "input" else function.node.outputs)[number]
            near = _beside(at, start, end, f"{kind} {number}, {variable}")
        return f" at address {address:#x}{near}"


def _beside(at: int, start: int, end: int, what: str) -> str:
    where = f"{start - at} bytes before" if at < start else f"{at - end} bytes behind the end of"
    return f", {where} {what}"


def _named(addresses: Sequence[int], maps: Sequence[_Map], function: NodeFunction) -> list[Frame]:
    bases: dict[str, int] = {}
    for one in maps:
        bases[one.path] = min(one.start, bases.get(one.path, one.start))
    module = os.path.realpath(function.built.path)
    frames: list[Frame] = []
    reached = False
    for address in addresses[:_SHOWN]:
        path = next((one.path for one in maps if one.start <= address < one.end), "")
        if os.path.realpath(path) == module:
            frames += in_module(address - bases[path], function)
            reached = True
        elif reached:
            break  # the runtime's callers: Python
        else:
            frames += (
                _elsewhere(path, address - bases[path]) if path.startswith("/") else [Frame(hex(address), "", 0, False)]
            )
    last = max([i for i, frame in enumerate(frames) if frame.line], default=len(frames) - 1)
    return frames[: last + 1]


def _lines(path: str, address: int) -> list[tuple[str, str, int]]:
    """What debug information says of an address: functions, inlined ones first, with file and line."""
    tool = shutil.which("addr2line")
    if tool is None:
        return []
    command = [tool, "-f", "-i", "-C", "-e", path, hex(address)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=20, errors="replace").stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return []
    found = []
    for name, where in zip(said[::2], said[1::2]):
        file, _, line = where.split(" (")[0].rpartition(":")
        found.append((name, file, int(line) if line.isdecimal() else 0))
    return found


def _elsewhere(path: str, address: int) -> list[Frame]:
    names = [name for name, *_ in _lines(path, address)[-1:] if name != "??"]
    return [Frame(names[0] if names else hex(address), path, 0, False)]


def in_module(address: int, function: NodeFunction) -> list[Frame]:
    """Say what in a function's module an address is.

    Parameters
    ----------
    address : int
        From where the module begins.
    function : NodeFunction
        The function.

    Returns
    -------
    list of Frame
        Inlined ones first; with the user's line, where it is in the user's C.
    """
    sources = function.program.sources
    found = []
    for _, file, line in _lines(function.built.path, address):
        key = next((key for key in sources if file == key or file.endswith(f"/{key}")), None)
        if key is not None:
            found.append(users(key, line, function))
        else:  # lines that a debugger is told are the user's themselves
            found += [Frame(key, file, line, True) for key, at in sources.items() if at["file"] == file][:1]
    if found:
        return found
    symbol = next((name for name, start, size in symbols(function.built.path) if start <= address < start + size), "")
    label = next((k["label"] for k in function.program.data["kernels"] if symbol.startswith(f"opw_{k['label']}_")), "")
    own = written(function) if label else None
    return [own or Frame(symbol, "", 0, False)]


def users(key: str, line: int, function: NodeFunction) -> Frame:
    """Say where the user wrote a line of a fragment.

    Parameters
    ----------
    key : str
        The fragment's name, of the Program's sources.
    line : int
        Its line.
    function : NodeFunction
        Whose Program it is.

    Returns
    -------
    Frame
    """
    place = function.program.sources[key]
    if place.get("exact"):
        return Frame(key, place["file"], place["line"] + line - 1, True)
    op, _, hook = key.rpartition(".")
    for text in texts_of(function.program.data, op, hook):
        found = find(place["file"], place["line"], op.partition("~")[0], text.replace("opw_V", "V"), line)
        if found is not None:
            return Frame(key, place["file"], found.line, True)
    return Frame(key, place["file"], place["line"], False)


def written(function: NodeFunction) -> Frame | None:
    """Say where a node's C was written, as far as that is known of the whole.

    Parameters
    ----------
    function : NodeFunction
        The node's C.

    Returns
    -------
    Frame or None
        None: nothing is known.
    """
    labels = [kernel["label"] for kernel in function.program.data["kernels"]]
    for label in [*labels, *[label.rpartition(".")[2] for label in labels]]:  # of a loop, that of the scalar op in it
        key = f"{label}.c_code"
        place = function.program.sources.get(key)
        if place:
            return Frame(key, place["file"], place["line"], bool(place.get("exact")))
    return None
