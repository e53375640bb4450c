"""The command ``opweld``.

Nothing but click is imported before a command runs, and ``opweld``'s door, behind which modules are loaded when they
are asked for something: so that help and completion answer at once, and so that ``opweld doctor`` can say what is
missing where something is.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import IO, TYPE_CHECKING, Any, NoReturn

import click

import opweld

if TYPE_CHECKING:
    from opweld.doctor import Finding

__all__ = ["main"]

EXIT_CODES = "Exit codes: 0 all is well, 1 something is wrong, 2 the command was not understood."
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_SHELLS = ("bash", "zsh", "fish")
_INDENT = 25  # where what was found begins, in the lines of doctor


class Wrong(click.ClickException):
    """What a command could not do: a line on stderr, or, with ``--json``, an object with ``error``."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        context = click.get_current_context(silent=True)
        self.as_json = bool(context and context.params.get("as_json"))

    def show(self, file: IO[str] | None = None) -> None:
        """Say it."""
        if self.as_json:
            click.echo(json.dumps({"error": self.message}, indent=2))
        else:
            super().show(file)


def _examples(*lines: str) -> str:
    """Give the end of a help page: examples, verbatim, and the exit codes."""
    return "\b\nExamples:\n" + "\n".join("  " + line for line in lines) + f"\n\n{EXIT_CODES}"


def _answer(as_json: bool, facts: dict[str, Any], lines: Iterable[str]) -> None:
    """Print what a command found out: as one object, or as lines."""
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for line in lines:
        click.echo(line)


_json = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines (docs/cli.md).")
_address = click.argument("address", metavar="ADDRESS")


@click.group(
    context_settings=_SETTINGS,
    epilog=_examples(
        "opweld new my_ops             a package with an op, a test and a notebook",
        "opweld profile script.py      what the functions that a script calls cost",
        "opweld lint ops.py kernel.c   look for what goes wrong in C, before it runs",
        "opweld check my_ops           try everything that can go wrong in it",
        "opweld doctor                 look for what is missing, and say what to do",
        "opweld completion bash        completion of these commands",
    )
    + "\n\nAn ADDRESS is module:name or file.py:name.",
)
@click.version_option(package_name="opweld", message="%(prog)s %(version)s")
def main() -> None:
    """Turn fragments of C into functions on NumPy arrays."""


@main.command(short_help="Show versions.", epilog=_examples("opweld version", "opweld version --json"))
@_json
def version(as_json: bool) -> None:
    """Show the versions of opweld, its engine, Python, NumPy and the formats."""
    facts = opweld.doctor.versions()
    width = max(map(len, facts))
    _answer(as_json, dict(facts), [f"{name.ljust(width)}  {value}" for name, value in facts.items()])


@main.command(
    short_help="Look for what is wrong.",
    epilog=_examples("opweld doctor", "opweld doctor --json > report.json"),
)
@_json
def doctor(as_json: bool) -> None:
    """Check everything that opweld needs, compile and call a small op, and say what to do about what is wrong.

    The op is built in a temporary cache folder: yours is looked at, not changed.
    """
    if as_json:
        findings = list(opweld.doctor.examine())
        click.echo(json.dumps(opweld.doctor.report(findings), indent=2))
    else:
        findings = []
        for finding in opweld.doctor.examine():
            findings.append(finding)
            _show(finding)
        click.echo()
        click.echo(opweld.doctor.verdict(findings))
    sys.exit(1 if any(finding.status == "wrong" for finding in findings) else 0)


def _show(finding: Finding) -> None:
    """Print one finding: its mark, what was found, and below it the rest, indented."""
    mark, colour = {"ok": ("ok", "green"), "note": ("note", "yellow"), "wrong": ("WRONG", "red")}[finding.status]
    click.echo(f"{click.style(mark.ljust(5), fg=colour)}  {finding.name.ljust(16)}  {finding.found}")
    for line in finding.more:
        click.echo(" " * _INDENT + line)
    for line in finding.advice.splitlines():
        click.echo(" " * _INDENT + click.style("-> " + line, bold=True))


@main.command(
    short_help="Write a package with an op, a test and a notebook.",
    epilog=_examples("opweld new my_ops", "opweld new my_ops --into ~/projects"),
)
@click.argument("name")
@click.option(
    "--into", default=".", metavar="FOLDER", help="The folder that gets the package's; the current one if left out."
)
@_json
def new(name: str, into: str, as_json: bool) -> None:
    """Write the package NAME: pyproject.toml, an op in the short form and as a class, a test, a notebook.

    Nothing is written over.
    """
    try:
        written = opweld.scaffold.write(name, into)
    except (ValueError, OSError) as err:
        raise Wrong(str(err)) from None
    root = os.path.join(into, name)
    lines = [f"wrote {path}" for path in written] + ["", f"cd {root} && pip install -e '.[test]' && pytest"]
    _answer(as_json, {"name": name, "folder": root, "files": written}, lines)


# -- what an address names ---------------------------------------------------------------------------------------


def _load(text: str) -> Any:
    """Load what an address names. What its module raises is shown as Python shows it."""
    try:
        return opweld.addresses.read(text).load()
    except opweld.addresses.Unknown as err:
        raise Wrong(str(err)) from None


def _function(text: str) -> Any:
    """Load a function that `opweld.function` made."""
    found = _load(text)
    if not isinstance(found, opweld.Function):
        raise Wrong(f"{text} is no function that opweld.function made, but {type(found).__name__}")
    return found


@main.command(
    short_help="Print the C of a function.",
    epilog=_examples("opweld source model.py:step", "opweld source my_ops:smooth --dtypes float64,float64"),
)
@_address
@click.option("--dtypes", default="", help="Of a short form: the dtypes of its inputs, with commas between.")
@_json
def source(address: str, dtypes: str, as_json: bool) -> None:
    """Print the C that the function or short form at ADDRESS came from."""
    found = _load(address)
    try:
        text = opweld.source(found, *filter(None, dtypes.split(",")))
    except (ValueError, TypeError) as err:
        raise Wrong(str(err)) from None
    _answer(as_json, {"address": address, "source": text}, [text.rstrip("\n")])


@main.command(
    short_help="Say which nodes became one loop.",
    epilog=_examples("opweld fusion model.py:step", "opweld fusion my_ops.models:step --json"),
)
@_address
@_json
def fusion(address: str, as_json: bool) -> None:
    """Say which nodes of the function at ADDRESS became one loop, and what keeps the others apart."""
    found = opweld.fusion(_function(address))
    _answer(as_json, {"address": address, **found.to_dict()}, [str(found)])


@main.command(
    short_help="Draw a graph.",
    epilog=_examples("opweld picture model.py:step step.svg", "opweld picture my_ops:graph graph.svg"),
)
@_address
@click.argument("file", type=click.Path(dir_okay=False))
@_json
def picture(address: str, file: str, as_json: bool) -> None:
    """Draw the function, or the graph of the variable, at ADDRESS as SVG into FILE."""
    try:
        made = opweld.picture.picture(_load(address), file)
    except (TypeError, ValueError, OSError) as err:
        raise Wrong(str(err)) from None
    facts = {"address": address, "file": file, "width": made.width, "height": made.height}
    _answer(as_json, facts, [f"wrote {file}, {made.width} by {made.height} pixels"])


@main.command(
    short_help="Time the functions of a script.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=_examples(
        "opweld profile script.py", "opweld profile model.py:main", "opweld profile --json script.py -n 3"
    ),
)
@_json
@_address
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def profile(address: str, arguments: tuple[str, ...], as_json: bool) -> None:
    """Run the script or module at ADDRESS, or call what the address names, and print what its functions cost.

    Each function that is made and called meanwhile is timed, node by node. With --json, what the script prints goes to
    stderr. ARGUMENTS are the script's.
    """
    profiles: list[Any] = []
    end: Callable[[], NoReturn] | None = None
    with opweld.profiling.everything(profiles), contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout):
        try:
            end = opweld.profiling.run(opweld.addresses.read(address), arguments)
        except opweld.addresses.Unknown as err:
            raise Wrong(str(err)) from None
    called = sorted([one for one in profiles if one.calls], key=lambda one: -one.seconds)
    facts = {"address": address, "functions": [one.to_dict() for one in called]}
    _answer(as_json, facts, ["", *[f"{one}\n" for one in called]] if called else ["no function was called"])
    if end is not None:
        end()


@main.command(
    short_help="Run a script under gdb.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=_examples("opweld gdb model.py", "opweld gdb --ex 'break model.py:23' model.py", "opweld gdb --script"),
)
@click.option("--script", "as_script", is_flag=True, help="Print the path of what gdb loads, and run nothing.")
@click.option("--ex", "commands", multiple=True, metavar="COMMAND", help="Give gdb a command; may be given again.")
@click.option("--batch", is_flag=True, help="Leave gdb when its commands are done.")
@_json
@click.argument("script", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def gdb(
    script: str | None,
    arguments: tuple[str, ...],
    commands: tuple[str, ...],
    batch: bool,
    as_script: bool,
    as_json: bool,
) -> None:
    """Run SCRIPT under gdb: breakpoints by the lines of your files, arrays that can be read (docs/gdb.md)."""
    debugger = opweld.debugger
    if as_script:
        _answer(as_json, {"script": debugger.SCRIPT}, [debugger.SCRIPT])
        return
    if script is None:
        raise click.UsageError("missing argument SCRIPT")
    if not os.path.isfile(script):
        raise Wrong(f"there is no file {script}")
    further = [*(["-batch"] if batch else []), *[part for one in commands for part in ("-ex", one)]]
    try:
        command, environment = debugger.command(script, arguments, further)
    except opweld.ToolError as err:
        raise Wrong(str(err)) from None
    sys.stdout.flush()
    os.execve(command[0], command, environment)


# -- the lint ----------------------------------------------------------------------------------------------------


@main.command(
    short_help="Look for what goes wrong in C, before it runs.",
    epilog=_examples(
        "opweld lint ops.py kernel.c", "opweld lint my_ops.models", "opweld lint --sarif ops.py > lint.sarif"
    ),
)
@click.argument("targets", metavar="FILES|MODULES...", nargs=-1, required=True)
@click.option("--run", is_flag=True, help="Run files and modules as scripts, not import them.")
@click.option("--sarif", "as_sarif", is_flag=True, help="SARIF 2.1.0 instead of lines.")
@_json
def lint(targets: tuple[str, ...], run: bool, as_sarif: bool, as_json: bool) -> None:
    """Follow every path through the C of FILES and MODULES, and say what goes wrong on one (docs/lint.md).

    A file of C is read. A module, or a file that ends in .py, is imported: the C of all functions, graphs, short forms
    and ops with itypes that it has is linted. Exit code 1: something was found that is more than a note.
    """
    linting = opweld.linting
    report = linting.Report()
    with contextlib.redirect_stdout(sys.stderr):  # of what is imported
        for target in targets:
            try:
                if target.endswith((".c", ".cc", ".cpp", ".cxx", ".h")):
                    linting.of_c(target, report)
                else:
                    linting.of_module(opweld.addresses.read(target), report, run)
            except (opweld.addresses.Unknown, ValueError, OSError, opweld.OpweldError) as err:
                raise Wrong(str(err)) from None
    if as_sarif:
        click.echo(json.dumps(linting.sarif(report.findings, opweld.__version__), indent=2))
    else:
        facts = {"fragments": report.fragments, "findings": [found.to_dict() for found in report.findings]}
        _answer(as_json, facts, report.lines(click.style))
    sys.exit(1 if report.wrong else 0)


# -- checks ------------------------------------------------------------------------------------------------------


@main.command(
    short_help="Try everything that can go wrong in C.",
    epilog=_examples("opweld check my_ops", "opweld check my_ops:smooth", "opweld check script.py --junit check.xml"),
)
@click.argument("targets", metavar="MODULE[:OP]|SCRIPT.py...", nargs=-1, required=True)
@click.option("--only", metavar="CHECKS", default="", help="Some alone: lint, run, DebugMode, account, places, memory.")
@click.option("--examples", default=40, show_default=True, help="How many inputs are drawn; 0: those given alone.")
@click.option("--seconds", default=60.0, show_default=True, help="How long one call may take.")
@click.option("--junit", type=click.Path(dir_okay=False), default="", help="Write JUnit's XML there too.")
@_json
def check(targets: tuple[str, ...], only: str, examples: int, seconds: float, junit: str | None, as_json: bool) -> None:
    """Check the ops and functions of modules, and what scripts make, in a process apart (docs/check.md).

    Lint; calls with inputs that are drawn from the types; DebugMode; every place that can fail is forced to, and every
    request for memory refused: what leaks, crashes or loses its exception is told by the user's line.
    """
    checking = opweld.checking
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    try:
        known = checking.CHECKS
    except ModuleNotFoundError as err:
        raise Wrong(f"{err}: inputs are drawn with hypothesis: pip install hypothesis") from None
    if unknown := [name for name in wanted if name not in known]:
        raise click.UsageError(f"no check {unknown[0]!r}: known are {', '.join(known)}")
    with contextlib.redirect_stdout(sys.stderr):  # of what is run
        try:
            report = checking.check_all(targets, wanted, examples, seconds)
        except (opweld.addresses.Unknown, opweld.OpweldError) as err:
            raise Wrong(str(err)) from None
    if junit:
        report.write_junit(junit)
    _answer(as_json, report.to_dict(), report.lines(click.style))
    sys.exit(1 if report.wrong else 0)


# -- the cache ---------------------------------------------------------------------------------------------------


@main.group(epilog=_examples("opweld cache path", "opweld cache clear --yes"))
def cache() -> None:
    """Show or empty the folder of compiled modules."""


@cache.command(epilog=_examples("opweld cache path", 'du -sh "$(opweld cache path)"'))
@_json
def path(as_json: bool) -> None:
    """Print the folder in which compiled modules are kept."""
    root = opweld.doctor.cache_root()
    if not root:
        raise Wrong(
            "none of the cache's folders can be written, so each process uses a temporary one of its own; "
            "opweld doctor says which folders were tried"
        )
    _answer(as_json, {"path": root}, [root])


@cache.command(epilog=_examples("opweld cache clear", "opweld cache clear --yes"))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@_json
def clear(yes: bool, as_json: bool) -> None:
    """Remove all compiled modules; they are built again when they are needed.

    Safe at any time: a process that has a module loaded keeps it.
    """
    root = opweld.doctor.cache_root()
    if not root:
        raise Wrong("there is no cache folder that can be written")
    files, size = opweld.doctor.weigh(root)
    facts = {"path": root, "files": 0, "bytes": 0}
    if not files:
        _answer(as_json, facts, [f"nothing to clear in {root}"])
        return
    if not yes:
        click.confirm(f"Remove {_count(files)}, {_size(size)}, from {root}?", abort=True, err=as_json)
    removed, freed = opweld.doctor.clear(root)
    left, still = opweld.doctor.weigh(root)
    if left and as_json:
        raise Wrong(f"{_count(left)}, {_size(still)}, could not be removed, or came since")
    _answer(
        as_json,
        {**facts, "files": removed, "bytes": freed},
        [f"removed {_count(removed)}, {_size(freed)}, from {root}"],
    )
    if left:
        raise Wrong(f"{_count(left)}, {_size(still)}, could not be removed, or came since")


def _count(files: int) -> str:
    return f"{files} file" + ("" if files == 1 else "s")


def _size(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


@main.command(
    short_help="Print a script for the shell.",
    epilog=_examples(
        'bash:  eval "$(opweld completion bash)"       # in ~/.bashrc',
        'zsh:   eval "$(opweld completion zsh)"        # in ~/.zshrc',
        "fish:  opweld completion fish > ~/.config/fish/completions/opweld.fish",
    ),
)
@click.argument("shell", type=click.Choice(_SHELLS))
@_json
def completion(shell: str, as_json: bool) -> None:
    """Print the script that completes opweld's commands and options in SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, shell
    made: Any = kind(main, {}, "opweld", "_OPWELD_COMPLETE")
    # bash's version is asked for by click's own source(), which starts a process; the template needs no answer.
    text = made.source_template % made.source_vars()
    _answer(as_json, {"shell": shell, "script": text}, [text])


if __name__ == "__main__":
    main(prog_name=os.path.basename(sys.argv[0]) if sys.argv[0].endswith("opweld") else "opweld")
