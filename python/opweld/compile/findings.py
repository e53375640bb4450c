"""What the lint and the compiler have found in a function's C, as it is kept beside its module, and how it is said."""

from __future__ import annotations

from collections.abc import Mapping
from linecache import getline
from typing import Any, NamedTuple
from warnings import warn_explicit

from opweld.compile.cache import map_warnings
from opweld.compile.data import Program
from opweld.compile.written import placed
from opweld.errors import CompileWarning, LintError, LintWarning

__all__ = ["Finding", "Step", "finding_of", "say", "warn_of"]

_shown: dict[Any, Any] = {}  # the warnings that this process has seen


class Step(NamedTuple):
    """A place on the way to a finding.

    Attributes
    ----------
    file : str
        The user's file.
    line : int
        From 1.
    text : str
        What is so there.
    """

    file: str
    line: int
    text: str


class Finding(NamedTuple):
    """One thing that goes wrong.

    Attributes
    ----------
    rule : str
        Its page's name in docs/lint.md.
    severity : str
        ``error``, ``warning`` or ``note``.
    file : str
        The user's file; where it is not known, the op and its method.
    line : int
        From 1; where ``exact`` is false, where the method begins.
    column : int
        From 1, in bytes; 0: not known.
    exact : bool
        Whether ``line`` is the line itself.
    source : str
        The line.
    message : str
        What goes wrong.
    mend : str
        What to do about it.
    path : tuple of Step
        What is taken for granted on the way there.
    """

    rule: str
    severity: str
    file: str
    line: int
    column: int
    exact: bool
    source: str
    message: str
    mend: str
    path: tuple[Step, ...]

    def __str__(self) -> str:
        steps = "".join([f"\n    {step.file}:{step.line}: {step.text}" for step in self.path])
        return f"{self.message} [{self.rule}]\n  {self.line:5} | {self.source.strip()}{steps}\n    -> {self.mend}"

    def indent(self) -> str:
        """Blanks, and tabs, as wide as what stands before the column."""
        before = self.source.encode()[: self.column - 1].decode(errors="ignore")
        return "".join("\t" if c == "\t" else " " for c in before)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {**self._asdict(), "path": [step._asdict() for step in self.path]}


def finding_of(raw: Mapping[str, Any], sources: Mapping[str, Any], data: object) -> Finding:
    """Give a finding at the user's line, in the user's names.

    Parameters
    ----------
    raw : dict
        As the engine gives it.
    sources : dict
        Where the texts were written (docs/program.md, Sources).
    data : dict
        Program.

    Returns
    -------
    Finding
    """
    here = _here({**raw, "hint": raw["mend"]}, sources, data)
    steps = []
    for step in raw["path"]:
        there = _here({**raw, **step, "message": step["text"], "column": 1}, sources, data)
        steps.append(Step(there["file"], there["line"], there["message"]))
    path = tuple([step for i, step in enumerate(steps) if step not in steps[:i]])
    if raw["file"] not in sources and path and path[0].file != here["file"]:
        here = _begun(here, path[0])
    return Finding(
        raw["rule"], raw["severity"], here["file"], here["line"], here["column"], here["exact"], here["text"],
        here["message"], raw["mend"], path,
    )  # fmt: skip


def _begun(here: dict[str, Any], step: Step) -> dict[str, Any]:
    """What is found where the user's text has ended stands where the way there begins: the end is in nobody's file."""
    source = getline(step.file, step.line).rstrip("\n")
    column = len(source) - len(source.lstrip()) + 1
    return {**here, "file": step.file, "line": step.line, "column": column, "exact": True, "text": source}


def _here(raw: dict[str, Any], sources: Mapping[str, Any], data: object) -> dict[str, Any]:
    text = raw["source"]
    before = text.encode()[: max(raw["column"] - 1, 0)]
    said: dict[str, Any] = {key: raw[key].replace("opw_V", "V") for key in ("message", "hint") if key in raw}
    shown = {**raw, **said, "text": text.replace("opw_V", "V"), "column": raw["column"] - 4 * before.count(b"opw_V")}
    found = map_warnings([shown], sources)[0]
    found.setdefault("exact", raw["file"] not in (raw["op"] + "." + raw["hook"],))
    return placed(found, data, every=True) or found


def say(lint: Mapping[str, Any], program: Program, how: str) -> None:
    """Say what the lint has found in the C of a function: each process says each once.

    Parameters
    ----------
    lint : dict
        What is kept: ``version`` and ``findings``.
    program : Program
        The function's.
    how : {"warn", "error"}
        Whether it is a warning, or ends the making of the function.

    Raises
    ------
    LintError
        If so. Notes are not said.
    """
    found = [finding_of(raw, program.sources, program.data) for raw in lint["findings"] if raw["severity"] != "note"]
    found = list(dict.fromkeys(found))
    if found and how == "error":
        details = {"kind": "lint", "findings": [finding.to_dict() for finding in found]}
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise LintError(f"{program.data['name']}: {found[0].file}:{found[0].line}: {found[0]}{more}", details)
    for finding in found:
        warn_explicit(str(finding), LintWarning, finding.file, finding.line or 1, registry=_shown)


def warn_of(diagnostics: list[dict[str, Any]], program: Program) -> None:
    """Show what the compiler said of the user's fragments, at the user's own file and line.

    Each process that loads the module shows it once, whether it was built now or found in the cache: what another
    process has shown, nobody here has seen.

    Parameters
    ----------
    diagnostics : list of dict
        As in docs/engine.md.
    program : Program
        What was compiled.
    """
    for given in diagnostics:
        diagnostic = (placed(given, program.data) if given.get("op") else None) or given
        op, hook = diagnostic.get("op"), diagnostic.get("hook")
        if not op:
            continue
        option = f" [{diagnostic['option']}]" if diagnostic.get("option") else ""
        line = f"\n  {given['fragment_line']:4} | {given['text'].strip()}" if given.get("text") else ""
        warn_explicit(
            f"{op}{'.' + hook if hook else ''}: {diagnostic['message']}{option}{line}",
            CompileWarning,
            diagnostic.get("file") or "<fragment>",
            diagnostic.get("line") or 1,
            registry=_shown,
        )
