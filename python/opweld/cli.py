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
from collections.abc import Callable
from typing import Any, NoReturn

import click

import opweld
from opweld.commands.base import Wrong, answer, examples, with_address, with_json
from opweld.commands.cache import cache
from opweld.commands.checks import check, lint

__all__ = ["main"]

_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_SHELLS = ("bash", "zsh", "fish")
_INDENT = 25  # where what was found begins, in the lines of doctor


@click.group(
    context_settings=_SETTINGS,
    epilog=examples(
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


@main.command(short_help="Show versions.", epilog=examples("opweld version", "opweld version --json"))
@with_json
def version(as_json: bool) -> None:
    """Show the versions of opweld, its engine, Python, NumPy and the formats."""
    facts = opweld.doctor.versions()
    width = max(map(len, facts))
    answer(as_json, dict(facts), [f"{name.ljust(width)}  {value}" for name, value in facts.items()])


@main.command(
    short_help="Look for what is wrong.",
    epilog=examples("opweld doctor", "opweld doctor --json > report.json"),
)
@with_json
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


def _show(finding: opweld.doctor.Finding) -> None:
    """Print one finding: its mark, what was found, and below it the rest, indented."""
    mark, colour = {"ok": ("ok", "green"), "note": ("note", "yellow"), "wrong": ("WRONG", "red")}[finding.status]
    click.echo(f"{click.style(mark.ljust(5), fg=colour)}  {finding.name.ljust(16)}  {finding.found}")
    for line in finding.more:
        click.echo(" " * _INDENT + line)
    for line in finding.advice.splitlines():
        click.echo(" " * _INDENT + click.style("-> " + line, bold=True))


@main.command(
    short_help="Write a package with an op, a test and a notebook.",
    epilog=examples("opweld new my_ops", "opweld new my_ops --into ~/projects"),
)
@click.argument("name")
@click.option(
    "--into", default=".", metavar="FOLDER", help="The folder that gets the package's; the current one if left out."
)
@with_json
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
    answer(as_json, {"name": name, "folder": root, "files": written}, lines)


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
    epilog=examples("opweld source model.py:step", "opweld source my_ops:smooth --dtypes float64,float64"),
)
@with_address
@click.option("--dtypes", default="", help="Of a short form: the dtypes of its inputs, with commas between.")
@with_json
def source(address: str, dtypes: str, as_json: bool) -> None:
    """Print the C that the function or short form at ADDRESS came from."""
    found = _load(address)
    try:
        text = opweld.source(found, *filter(None, dtypes.split(",")))
    except (ValueError, TypeError) as err:
        raise Wrong(str(err)) from None
    answer(as_json, {"address": address, "source": text}, [text.rstrip("\n")])


@main.command(
    short_help="Say which nodes became one loop.",
    epilog=examples("opweld fusion model.py:step", "opweld fusion my_ops.models:step --json"),
)
@with_address
@with_json
def fusion(address: str, as_json: bool) -> None:
    """Say which nodes of the function at ADDRESS became one loop, and what keeps the others apart."""
    found = opweld.fusion(_function(address))
    answer(as_json, {"address": address, **found.to_dict()}, [str(found)])


@main.command(
    short_help="Draw a graph.",
    epilog=examples("opweld picture model.py:step step.svg", "opweld picture my_ops:graph graph.svg"),
)
@with_address
@click.argument("file", type=click.Path(dir_okay=False))
@with_json
def picture(address: str, file: str, as_json: bool) -> None:
    """Draw the function, or the graph of the variable, at ADDRESS as SVG into FILE."""
    try:
        made = opweld.picture.picture(_load(address), file)
    except (TypeError, ValueError, OSError) as err:
        raise Wrong(str(err)) from None
    facts = {"address": address, "file": file, "width": made.width, "height": made.height}
    answer(as_json, facts, [f"wrote {file}, {made.width} by {made.height} pixels"])


@main.command(
    short_help="Time the functions of a script.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples("opweld profile script.py", "opweld profile model.py:main", "opweld profile --json script.py -n 3"),
)
@with_json
@with_address
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
    answer(as_json, facts, ["", *[f"{one}\n" for one in called]] if called else ["no function was called"])
    if end is not None:
        end()


@main.command(
    short_help="Run a script under gdb.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples("opweld gdb model.py", "opweld gdb --ex 'break model.py:23' model.py", "opweld gdb --script"),
)
@click.option("--script", "as_script", is_flag=True, help="Print the path of what gdb loads, and run nothing.")
@click.option("--ex", "commands", multiple=True, metavar="COMMAND", help="Give gdb a command; may be given again.")
@click.option("--batch", is_flag=True, help="Leave gdb when its commands are done.")
@with_json
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
        answer(as_json, {"script": debugger.SCRIPT}, [debugger.SCRIPT])
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


@main.command(
    short_help="Print a script for the shell.",
    epilog=examples(
        'bash:  eval "$(opweld completion bash)"       # in ~/.bashrc',
        'zsh:   eval "$(opweld completion zsh)"        # in ~/.zshrc',
        "fish:  opweld completion fish > ~/.config/fish/completions/opweld.fish",
    ),
)
@click.argument("shell", type=click.Choice(_SHELLS))
@with_json
def completion(shell: str, as_json: bool) -> None:
    """Print the script that completes opweld's commands and options in SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, shell
    made: Any = kind(main, {}, "opweld", "_OPWELD_COMPLETE")
    # bash's version is asked for by click's own source(), which starts a process; the template needs no answer.
    text = made.source_template % made.source_vars()
    answer(as_json, {"shell": shell, "script": text}, [text])


for command in (cache, check, lint):
    main.add_command(command)


if __name__ == "__main__":
    main(prog_name=os.path.basename(sys.argv[0]) if sys.argv[0].endswith("opweld") else "opweld")
