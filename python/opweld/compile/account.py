"""What the C of ops and types does to references and memory: counted in a build of its own, by the user's lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn_explicit

from opweld.compile.cache import map_warnings
from opweld.compile.data import Program
from opweld.compile.profile import Profile  # whoever is measured loads both
from opweld.compile.written import line_of, placed
from opweld.errors import AccountWarning

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node

__all__ = ["Account", "Loss", "Origin", "Profile"]

_MENDS = {
    "leaked-reference": "release it with Py_DECREF, or Py_XDECREF where it may be NULL, before the text ends here",
    "double-release": "release each reference once; Py_CLEAR leaves NULL, which is released no more",
    "borrowed-release": "take a reference of its own before: Py_INCREF",
    "use-after-release": "take a reference with Py_INCREF for as long as it is used",
    "leaked-memory": "free it before the text ends on this path",
}
_MENDS_OF_LEFT = {
    "leaked-reference": "release it with Py_XDECREF in c_cleanup, which leaves the variable that holds it",
    "leaked-memory": "free it in c_cleanup, which leaves the variable that holds it",
}
#: Rule, node, or -1 - type; what was called, file and line; of where the object came from the same; its type; how
#: often; bytes.
Row = tuple[str, int, str | None, str | None, int, str | None, str | None, int, str | None, int, int]

_shown: dict[Any, Any] = {}  # the warnings that this process has seen


class Origin(NamedTuple):
    """Where an object came from, or was given up.

    Attributes
    ----------
    file : str
        The user's file.
    line : int
        From 1.
    what : str
        What was called there.
    """

    file: str
    line: int
    what: str


class Loss(NamedTuple):
    """A thing that the C of an op, or of a type, did to references or memory.

    Attributes
    ----------
    rule : str
        Of those of docs/lint.md: ``leaked-reference``, ``double-release``, ``borrowed-release``,
        ``use-after-release`` or ``leaked-memory``.
    op : str
        The op's name, or the type's.
    node : Apply or None
        The node that it is applied in; None: it is a type's.
    file : str
        The user's file; where it is not known, the op or type and its method.
    line : int
        From 1.
    exact : bool
        Whether it is the line itself; else it is where the method begins.
    source : str
        The line, where it is known.
    what : str
        What was called there; empty: no call, the text has ended so.
    message : str
        What is wrong.
    mend : str
        What to do about it.
    origin : Origin or None
        Where the object came from, or was given up.
    type : str
        The object's class; empty: memory.
    times : int
        How often.
    bytes : int
        Of memory, how much in all.
    """

    rule: str
    op: str
    node: Any
    file: str
    line: int
    exact: bool
    source: str
    what: str
    message: str
    mend: str
    origin: Origin | None
    type: str
    times: int
    bytes: int

    def __str__(self) -> str:
        origin = self.origin
        came = f"\n    {origin.file}:{origin.line}: {origin.what}" if origin else ""
        line = f"\n  {self.line:5} | {self.source.rstrip()}" if self.source else ""
        return f"{self.op}: {self.message} [{self.rule}]{line}{came}\n    -> {self.mend}"

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data.

        Returns
        -------
        dict
            Of all but the node.
        """
        found = {**self._asdict(), "origin": self.origin._asdict() if self.origin else None}
        del found["node"]
        return found


class Account:
    """What the calls of a function have lost, or given up too often. As text, a list.

    Parameters
    ----------
    nodes : sequence of Node
        Of the function's steps.
    program : Program
        What it was built from.
    read, forget : callable
        Of the module: gives what was found, as `Row`; begins anew.
    """

    def __init__(
        self, nodes: Sequence[Node], program: Program, read: Callable[[], list[Row]], forget: Callable[[], None]
    ) -> None:
        self._read, self._forget = read, forget
        self._nodes = nodes
        self._program = program
        self._said = 0

    @property
    def findings(self) -> list[Loss]:
        """What was found, in the order in which it was met."""
        return [self._loss(*row) for row in self._read()]

    def say(self) -> None:
        """Warn of what was found and not yet said, at the user's lines. A call does so when it is over."""
        found = self.findings
        new, self._said = found[self._said :], len(found)
        for loss in new:
            warn_explicit(str(loss), AccountWarning, loss.file, loss.line or 1, registry=_shown)

    def reset(self) -> None:
        """Begin anew."""
        self._said = 0
        self._forget()

    def __iter__(self) -> Iterator[Loss]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self._read())

    def __str__(self) -> str:
        found = self.findings
        return "\n".join([f"{loss.file}:{loss.line}: {loss}" for loss in found]) or "nothing is lost"

    __repr__ = __str__

    def _loss(
        self, rule: str, place: int, what: str | None, file: str | None, line: int, other: str | None,
        other_file: str | None, other_line: int, kind: str | None, times: int, size: int,
    ) -> Loss:  # fmt: skip
        node = self._nodes[place] if place >= 0 else None
        data = self._program.data
        writer = data["kernels"][data["steps"][place]["kernel"]] if place >= 0 else data["types"][-1 - place]
        label = writer["label"]
        message = _message(rule, what or "", kind or "", size // times, "an output" if node else "the variable")
        here = self._here(file or f"{label}.c_code", line, message, writer)
        there = self._here(other_file, other_line, "", writer) if other_file else None
        origin = Origin(there["file"], there["line"], other or "") if there else None
        mends = _MENDS_OF_LEFT if other == "c_cleanup" else _MENDS
        return Loss(
            rule, label, node, here["file"], here["line"], bool(here.get("exact")), here.get("text", ""), what or "",
            here["message"], mends[rule], origin, kind or "", times, size,
        )  # fmt: skip

    def _here(self, file: str, line: int, message: str, writer: Mapping[str, Any]) -> Mapping[str, Any]:
        """A place of the C as one of the user's: its own texts before others' of the same name."""
        op, _, hook = file.rpartition(".")
        texts = [writer, self._program.data]
        text = line_of(texts, op, hook, line)
        raw = {"op": op, "hook": hook, "file": file, "line": line, "fragment_line": line, "text": text, "column": 0,
               "message": message}  # fmt: skip
        (found,) = map_warnings([raw], self._program.sources)
        if line == 0 and file in self._program.sources:  # no line of it: the text as a whole
            found["line"] = self._program.sources[file]["line"]
        try:
            return placed(found, texts, every=True) or found
        except ImportError:  # the process ends, and nothing can be imported any more: the method is told
            return found


def _message(rule: str, what: str, kind: str, size: int, holder: str) -> str:
    if rule == "leaked-memory":
        return f"{size:,} bytes of {what} are not freed, and nothing that is left holds them"
    if rule == "leaked-reference":
        if not what:
            return f"the reference to a {kind} that {holder} held is overwritten, and was not released"
        return f"the reference to a {kind} that {what} {'took' if 'REF' in what.upper() else 'gave'} is not released"
    if rule == "double-release":
        return (
            f"{what} gives up a {kind} that was given up before"
            if kind
            else f"{what} is given memory that was freed before"
        )
    if rule == "use-after-release":
        return f"{what} is given a {kind} that is no more"
    if not what:
        return f"{holder} holds a {kind}, and nothing took the reference that it holds"
    return f"{what} gives up the reference to a {kind} that somebody else owns"
