"""``opweld lint`` and ``opweld check``."""

from __future__ import annotations

import contextlib
import json
import sys

import click

import opweld
from opweld.commands.base import Wrong, answer, examples, with_json

__all__ = ["check", "lint"]


@click.command(
    short_help="Look for what goes wrong in C, before it runs.",
    epilog=examples(
        "opweld lint ops.py kernel.c", "opweld lint my_ops.models", "opweld lint --sarif ops.py > lint.sarif"
    ),
)
@click.argument("targets", metavar="FILES|MODULES...", nargs=-1, required=True)
@click.option("--run", is_flag=True, help="Run files and modules as scripts, not import them.")
@click.option("--sarif", "as_sarif", is_flag=True, help="SARIF 2.1.0 instead of lines.")
@with_json
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
        answer(as_json, facts, report.lines(click.style))
    sys.exit(1 if report.wrong else 0)


@click.command(
    short_help="Try everything that can go wrong in C.",
    epilog=examples(
        "opweld check my_ops", "opweld check --sanitize my_ops:smooth", "opweld check script.py --junit check.xml"
    ),
)
@click.argument("targets", metavar="MODULE[:OP]|SCRIPT.py...", nargs=-1, required=True)
@click.option(
    "--only", metavar="CHECKS", default="", help="Some alone: lint, run, DebugMode, account, places, memory, sanitize."
)
@click.option("--sanitize", is_flag=True, help="Run under AddressSanitizer and UndefinedBehaviorSanitizer too.")
@click.option("--examples", default=40, show_default=True, help="How many inputs are drawn; 0: those given alone.")
@click.option("--seconds", default=60.0, show_default=True, help="How long one call may take.")
@click.option("--junit", type=click.Path(dir_okay=False), default="", help="Write JUnit's XML there too.")
@with_json
def check(
    targets: tuple[str, ...],
    only: str,
    sanitize: bool,
    examples: int,
    seconds: float,
    junit: str | None,
    as_json: bool,
) -> None:
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
    if sanitize:
        wanted = [*(wanted or [name for name in known if name not in checking.ASKED_FOR]), "sanitize"]
    with contextlib.redirect_stdout(sys.stderr):  # of what is run
        try:
            report = checking.check_all(targets, wanted, examples, seconds)
        except (opweld.addresses.Unknown, opweld.OpweldError) as err:
            raise Wrong(str(err)) from None
    if junit:
        report.write_junit(junit)
    answer(as_json, report.to_dict(), report.lines(click.style))
    sys.exit(1 if report.wrong else 0)
