"""Calls of a function under valgrind: its nodes run in a process that valgrind watches, and what it saw is read.

Only what has a frame of the function's own module is told, by the user's line: what CPython, NumPy and the loader do,
of which valgrind has much to say, is theirs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from xml.etree import ElementTree

from opweld.checking.report import Fault
from opweld.compile import toolchain
from opweld.compile.apiece import NodeFunction
from opweld.compile.isolated import Isolated, Runner
from opweld.compile.postmortem import Frame, users, written
from opweld.outside.worker import Place, worker

__all__ = ["TOOL", "Watched", "installed"]

TOOL = "valgrind"
_KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cpython.supp")
_TELLING = (
    "--quiet", "--xml=yes", "--num-callers=40", "--error-limit=no", "--leak-check=full", "--show-leak-kinds=definite",
    "--keep-debuginfo=yes", f"--suppressions={_KNOWN}",
)  # fmt: skip
#: Threads that libraries keep, such as OpenBLAS's, would be waited for at the end.
_ENVIRONMENT = (("OMP_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1"), ("PYTHONMALLOC", "malloc"))
_END = 60.0  # seconds that it is given to look for memory that is lost
_WHATS = {
    "InvalidRead": "invalid read", "InvalidWrite": "invalid write", "UninitCondition": "uninitialised value",
    "UninitValue": "uninitialised value", "InvalidFree": "invalid free", "MismatchedFree": "mismatched free",
    "Leak_DefinitelyLost": "memory lost", "Overlap": "overlap", "SyscallParam": "system call",
}  # fmt: skip


def installed() -> bool:
    """Say whether there is a valgrind.

    Returns
    -------
    bool
    """
    return shutil.which(TOOL) is not None


def level(wanted: str) -> str:
    """Give the level of processors that a module is made for which valgrind runs: it knows none above x86-64-v3.

    Parameters
    ----------
    wanted : str
        ``march``, as the function has it.

    Returns
    -------
    str
    """
    return min(toolchain.march(wanted), "x86-64-v3", key=toolchain.LEVELS.index)


class Watched:
    """A function whose nodes run under valgrind, until it is left.

    Parameters
    ----------
    linked : Isolated
        What a function runs that is isolated.
    """

    def __init__(self, linked: Isolated) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="opweld-valgrind-")
        self._path = os.path.join(self._folder.name, "said.xml")
        before = (shutil.which(TOOL) or TOOL, f"--xml-file={self._path}", *_TELLING)
        self._place = Place(_ENVIRONMENT, before, heap=True)
        self._runners: list[Runner] = linked.runners()
        for runner in self._runners:
            if runner.outside is not None:
                runner.outside.place = self._place

    def __enter__(self) -> Watched:
        """Begin: the process starts with the first call."""
        return self

    def __exit__(self, *_: object) -> None:
        """End its process, if it has not ended itself."""
        worker(self._place).end()
        self._folder.cleanup()

    def faults(self) -> list[Fault]:
        """Let the process end, and say what valgrind saw in it.

        Returns
        -------
        list of Fault
            Each kind at each line once.
        """
        worker(self._place).finish(_END)
        found: list[Fault] = []
        for error in _errors(self._path):
            fault = self._fault(error)
            if fault is not None and not any(fault[:2] == other[:2] for other in found):
                found.append(fault)
        return found

    def _fault(self, error: ElementTree.Element) -> Fault | None:
        """What it says, at the user's line; None: no frame of it lies in the function's module."""
        kind = error.findtext("kind") or ""
        stacks = error.findall("stack")
        own = self._own(stacks[0]) if stacks else None
        if own is None:
            return None
        said = (error.findtext("what") or error.findtext("xwhat/text") or kind).split(" in loss record")[0]
        beside = [text for text in (aux.text for aux in error.findall("auxwhat")) if text]
        for text, stack in zip(beside, stacks[1:]):
            there = self._own(stack)
            said += f"; {text.strip()}" + (f", {there.file}:{there.line}" if there is not None and there.line else "")
        where = f"{own.file}:{own.line}" if own.line else own.function
        return Fault(where, _WHATS.get(kind, kind), " ".join(said.split()))

    def _own(self, stack: ElementTree.Element) -> Frame | None:
        """The innermost frame of a stack that is the user's; else, if one lies in the module, the op's method."""
        among: NodeFunction | None = None
        for frame in stack.findall("frame"):
            path = frame.findtext("obj") or ""
            function = next((r.function for r in self._runners if _same(path, r.function.built.path)), None)
            if function is None:
                continue
            among = among or function
            file = os.path.join(frame.findtext("dir") or "", frame.findtext("file") or "")
            line = int(frame.findtext("line") or 0)
            sources = function.program.sources
            key = next((key for key in sources if file == key or file.endswith(f"/{key}")), None)
            if key is not None:
                return users(key, line, function)
            if any(at["file"] == file for at in sources.values()):
                return Frame(frame.findtext("fn") or "", file, line, True)
        return None if among is None else written(among) or Frame(str(among.node.op), "", 0, False)


def _same(path: str, other: str) -> bool:
    return path == other or (os.path.basename(path) == os.path.basename(other) and os.path.realpath(path) == other)


def _errors(path: str) -> Iterator[ElementTree.Element]:
    """The errors of a report, also of one that was cut off where its process was killed."""
    with suppress(OSError, ElementTree.ParseError):
        for _, element in ElementTree.iterparse(path):
            if element.tag == "error":
                yield element
