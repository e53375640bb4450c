"""The command ``opweld``.

Nothing but click is imported before a command runs, and ``opweld``'s door, behind which modules are loaded when they
are asked for something: so that help and completion answer at once, and so that ``opweld doctor`` can say what is
missing where something is.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

import opweld

if TYPE_CHECKING:
    from opweld.doctor import Finding

__all__ = ["main"]

EXIT_CODES = "Exit codes: 0 all is well, 1 something is wrong, 2 the command was not understood."
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
_SHELLS = ("bash", "zsh", "fish")
_INDENT = 25  # where what was found begins, in the lines of doctor


def _examples(*lines: str) -> str:
    """Give the end of a help page: examples, verbatim, and the exit codes."""
    return "\b\nExamples:\n" + "\n".join("  " + line for line in lines) + f"\n\n{EXIT_CODES}"


@click.group(
    context_settings=_SETTINGS,
    epilog=_examples(
        "opweld doctor            look for what is missing, and say what to do",
        "opweld cache path        where compiled modules lie",
        "opweld completion bash   completion of these commands",
    ),
)
@click.version_option(package_name="opweld", message="%(prog)s %(version)s")
def main() -> None:
    """Turn fragments of C into functions on NumPy arrays."""


@main.command(short_help="Show versions.", epilog=_examples("opweld version", "opweld version --json"))
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
def version(as_json: bool) -> None:
    """Show the versions of opweld, its engine, Python, NumPy and the formats."""
    facts = opweld.doctor.versions()
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.ljust(width)}  {value}")


@main.command(
    short_help="Look for what is wrong.",
    epilog=_examples("opweld doctor", "opweld doctor --json > report.json"),
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
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


@main.group(epilog=_examples("opweld cache path", "opweld cache clear --yes"))
def cache() -> None:
    """Show or empty the folder of compiled modules."""


@cache.command(epilog=_examples("opweld cache path", 'du -sh "$(opweld cache path)"'))
def path() -> None:
    """Print the folder in which compiled modules are kept."""
    root = opweld.doctor.cache_root()
    if not root:
        raise click.ClickException(
            "none of the cache's folders can be written, so each process uses a temporary one of its own; "
            "opweld doctor says which folders were tried"
        )
    click.echo(root)


@cache.command(epilog=_examples("opweld cache clear", "opweld cache clear --yes"))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def clear(yes: bool) -> None:
    """Remove all compiled modules; they are built again when they are needed.

    Safe at any time: a process that has a module loaded keeps it.
    """
    root = opweld.doctor.cache_root()
    if not root:
        raise click.ClickException("there is no cache folder that can be written")
    files, size = opweld.doctor.weigh(root)
    if not files:
        click.echo(f"nothing to clear in {root}")
        return
    if not yes:
        click.confirm(f"Remove {_count(files)}, {_size(size)}, from {root}?", abort=True)
    removed, freed = opweld.doctor.clear(root)
    click.echo(f"removed {_count(removed)}, {_size(freed)}, from {root}")
    left, still = opweld.doctor.weigh(root)
    if left:
        raise click.ClickException(f"{_count(left)}, {_size(still)}, could not be removed, or came since")


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
def completion(shell: str) -> None:
    """Print the script that completes opweld's commands and options in SHELL."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None, shell
    made: Any = kind(main, {}, "opweld", "_OPWELD_COMPLETE")
    # bash's version is asked for by click's own source(), which starts a process; the template needs no answer.
    click.echo(made.source_template % made.source_vars())


if __name__ == "__main__":
    main(prog_name=os.path.basename(sys.argv[0]) if sys.argv[0].endswith("opweld") else "opweld")
