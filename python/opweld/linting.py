"""What goes wrong on the paths of users' C, found before it runs: what ``opweld lint`` says."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from opweld import engine, profiling, sections
from opweld._dispatch import Cop as Called
from opweld.addresses import Address
from opweld.compile import program as programs
from opweld.compile.findings import Finding, Step, finding_of
from opweld.cops.types import FUNCTION
from opweld.errors import OpweldError
from opweld.graph.basic import Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.order import depth_first
from opweld.hooks.reading import FAIL

__all__ = ["Finding", "Report", "Step", "of_c", "of_module", "of_program", "sarif"]

_BODIES = (
    "code",
    "code_cleanup",
    "init_code_struct",
    "cleanup_code_struct",
)  # inside a function of the glue
_NO_FAIL = ("code_cleanup", "cleanup_code_struct")
_SKIPPED = ("init_code", "init_code_apply", "support_code_struct")  # statements of a function of its own; members


_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}


class Report:
    """What was looked at, and what was found.

    Attributes
    ----------
    fragments : int
        How many texts.
    findings : list of Finding
        By file and line, each once.
    unread : list of str
        What could not be looked at because it is not there, or raises: one text each.
    """

    def __init__(self) -> None:
        self.fragments = 0
        self.findings: list[Finding] = []
        self.unread: list[str] = []

    def add(self, answer: Mapping[str, Any], sources: Mapping[str, Any], data: object) -> None:
        """Take up what the engine answers.

        Parameters
        ----------
        answer : dict
            Of `opweld.engine.lint`.
        sources : dict
            Where the texts were written (docs/program.md, Sources).
        data : dict
            Program.
        """
        self.fragments += answer["fragments"]
        seen = set(self.findings)
        for raw in (found for of_text in answer["findings"] for found in of_text):
            found = finding_of(raw, sources, data)
            if found not in seen:
                seen.add(found)
                self.findings.append(found)
        self.findings.sort(key=lambda found: (found.file, found.line, found.column, found.rule))

    @property
    def wrong(self) -> list[Finding]:
        """Those that are more than a note."""
        return [found for found in self.findings if found.severity != "note"]

    def lines(self, style: Callable[..., str]) -> Iterator[str]:
        """Tell a person.

        Parameters
        ----------
        style : callable
            As `click.style`.

        Yields
        ------
        str
        """
        for found in self.findings:
            colour = _COLOURS[found.severity]
            place = f"{found.file}:{found.line}" + (f":{found.column}" if found.column > 0 else "")
            level = style(found.severity, fg=colour, bold=True)
            yield f"{style(place, bold=True)}: {level}: {found.message} [{found.rule}]"
            yield f"  {found.line:5} | {found.source.rstrip()}"
            if found.column > 0:
                yield "        | " + found.indent() + style("^", fg=colour, bold=True)
            for step in found.path:
                yield f"    {os.path.basename(step.file)}:{step.line}: {step.text}"
            yield style(f"    -> {found.mend}", bold=True)
            yield ""
        for text in self.unread:
            yield f"{style('not looked at', fg='red', bold=True)}: {text}"
        count = len(self.wrong)
        said = f"{count} finding" + ("" if count == 1 else "s") if count else "nothing found"
        yield f"{said} in {self.fragments} text" + ("" if self.fragments == 1 else "s")
        if not self.fragments:
            yield "what a script makes when it runs is linted with --run"


def of_program(program: programs.Program, report: Report) -> None:
    """Lint the texts of a Program.

    Parameters
    ----------
    program : Program
        Nothing of it is compiled.
    report : Report
        Gets what is found.
    """
    report.add(engine.lint(program.text), program.sources, program.data)


def of_c(path: str, report: Report) -> None:
    """Lint a file of C: of sections, as `opweld.ExternalCOp` reads them, or of functions.

    What only the op knows, such as its ``destroy_map``, is taken to be right.

    Parameters
    ----------
    path : str
        The file.
    report : Report
        Gets what is found.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it has a section of an unknown name, or is not UTF-8.
    """
    report.add(engine.lint(fragments=[fragment for _, fragment in fragments_of(path)]), {}, {})


def fragments_of(path: str) -> list[tuple[int, dict[str, Any]]]:
    """Give the texts of a file of C, and the line where each begins.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    list of (int, dict)
        As `opweld.engine.lint` takes them; a text begins with a line that says where it stands.

    Raises
    ------
    OSError
        If it cannot be read.
    ValueError
        If it has a section of an unknown name, or is not UTF-8.
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "#section" in text:
        found = sections.join((sections.key_of(path, path),), path)
        pieces = [(tag, line, piece) for tag, listed in found.items() for _, line, piece in listed]
    else:
        pieces = [("support_code", 1, text)]
    support = [piece for tag, _, piece in pieces if tag.startswith("support_code")]
    cleanup = "\n".join([piece for tag, _, piece in pieces if tag == "code_cleanup"])
    cxx = path.endswith((".cpp", ".cc", ".cxx"))
    return [
        (line, {**_fragment(path, tag, line, piece, support, cxx), "cleanup": cleanup if tag == "code" else ""})
        for tag, line, piece in pieces
        if tag not in _SKIPPED
    ]


def _fragment(path: str, tag: str, line: int, text: str, support: list[str], cxx: bool) -> dict[str, Any]:
    body = tag in _BODIES
    fails = body and tag not in _NO_FAIL
    return {
        "name": path, "op": os.path.basename(path), "hook": tag, "text": f'#line {line} "{path}"\n{text}', "cxx": cxx,
        "file": not body, "support": support, "open": True, "fail": FAIL if fails else "",
        "label": "opw_fail" if fails else "",
    }  # fmt: skip


@contextmanager
def watching() -> Iterator[list[programs.Program]]:
    """Have every Program listed that is written meanwhile."""
    before, programs.written = programs.written, []
    try:
        yield programs.written
    finally:
        programs.written = before


def of_module(address: Address, report: Report, run: bool = False) -> list[programs.Program]:
    """Import a module, and lint the C of what it makes and names: functions, graphs, short forms, ops with ``itypes``.

    Parameters
    ----------
    address : Address
        A module, a file that ends in ``.py``, or a name in one.
    report : Report
        Gets what is found.
    run : bool
        Run it as ``python`` does instead; what its functions are made of is linted.

    Returns
    -------
    list of Program
        What was linted.

    Raises
    ------
    Unknown
        If there is nothing at the address.
    """
    with watching() as found:
        if run:
            profiling.run(address, ())
            named: list[tuple[str, Any]] = []
        else:
            loaded = address.load()
            named = [(address.name, loaded)] if address.name else list(vars(loaded).items())
        for name, value in named:
            try:
                _write(value)
            except Exception as err:  # the others are linted all the same
                report.unread.append(f"{name}: {type(err).__name__}: {err}")
    for program in found:
        of_program(program, report)
    return found


def _write(value: object) -> None:
    """Have Program written of what has C, if it was not yet."""
    found: Any = value
    if isinstance(value, (list, tuple)) and all([isinstance(one, Variable) for one in value]):
        found = [one for one in value if one.owner is not None]
        if found:
            _graph(found)
    elif isinstance(value, Variable):
        _write([value])
    elif isinstance(getattr(value, "itypes", None), (list, tuple)) and hasattr(value, "make_node"):
        try:
            op = found() if isinstance(value, type) else found
            _graph(op.make_node(*[type_() for type_ in op.itypes]).outputs)
        except (OpweldError, TypeError, NotImplementedError):
            pass  # it takes something, or has no C: what it computes is linted where it is applied
    elif isinstance(value, Called) and not value.form._functions:
        signature = value.form.reading.signature
        usual = {name: "float64" if "float64" in bound else bound[0] for name, bound in signature.types.items()}
        dtypes = [usual.get(a.dtype, a.dtype) for a in signature.inputs]
        try:
            value.form.function_of([None if dtype == FUNCTION else np.dtype(dtype) for dtype in dtypes])
        except (OpweldError, TypeError, ValueError):
            pass  # it is not C yet, or takes other dtypes: linted where it is called


def _graph(outputs: Sequence[Variable]) -> None:
    """Write Program of what computes some variables."""
    read = [v for node in depth_first(outputs) for v in node.inputs]
    free = [v for v in dict.fromkeys([*outputs, *read]) if v.owner is None and not isinstance(v, Constant)]
    programs.make_program(FunctionGraph(free, list(outputs)))


def sarif(findings: Iterable[Finding], version: str) -> dict[str, Any]:
    """Give findings as SARIF 2.1.0, which code review reads.

    Parameters
    ----------
    findings : iterable of Finding
        What was found.
    version : str
        Of opweld.

    Returns
    -------
    dict
    """
    rules = [
        {
            "id": rule["id"],
            "shortDescription": {"text": rule["title"]},
            "help": {"text": rule["mend"]},
            "defaultConfiguration": {"level": rule["severity"]},
        }
        for rule in engine.rules()
    ]
    driver = {"name": "opweld", "version": version, "rules": rules}
    results = [_result(found) for found in findings]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return {"$schema": schema, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(found: Finding) -> dict[str, Any]:
    result = {
        "ruleId": found.rule,
        "level": found.severity,
        "message": {"text": f"{found.message}. {found.mend}"},
        "locations": [_location(found.file, found.line, found.column)],
    }
    if found.path:
        steps = [
            {"location": {**_location(step.file, step.line, 0), "message": {"text": step.text}}} for step in found.path
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return result


def _location(file: str, line: int, column: int) -> dict[str, Any]:
    region = {"startLine": line, **({"startColumn": column} if column > 0 else {})}
    uri = os.path.relpath(file) if os.path.isabs(file) and os.path.exists(file) else file
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}
