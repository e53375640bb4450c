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
@click.option("--fix", is_flag=True, help="Mend what has one mend, in the files.")
@click.option("--diff", is_flag=True, help="Show what --fix would write, and write nothing.")
@click.option("--sarif", "as_sarif", is_flag=True, help="SARIF 2.1.0 instead of lines.")
@with_json
def lint(targets: tuple[str, ...], run: bool, fix: bool, diff: bool, as_sarif: bool, as_json: bool) -> None:
    """Follow every path through the C of FILES and MODULES, and say what goes wrong on one (docs/lint.md).

    A file of C is read. A module, or a file that ends in .py, is imported: the C of all functions, graphs, short forms
    and ops with itypes that it has is linted. Exit code 1: something was found that is more than a note; with --fix, or
    --diff: something is left, or would be.
    """
    linting = opweld.linting
    report = linting.Report()
    mends = opweld.mending.Mends() if fix or diff else None
    with contextlib.redirect_stdout(sys.stderr):  # of what is imported
        for target in targets:
            try:
                if target.endswith((".c", ".cc", ".cpp", ".cxx", ".h")):
                    linting.of_c(target, report)
                    if mends:
                        mends.of_c(target)
                else:
                    for program in linting.of_module(opweld.addresses.read(target), report, run):
                        if mends:
                            mends.of_program(program)
            except (opweld.addresses.Unknown, ValueError, OSError, opweld.OpweldError) as err:
                if len(targets) == 1:
                    raise Wrong(str(err)) from None
                report.unread.append(str(err))
    if mends:
        _mend(mends, report, diff, as_json or as_sarif)
    if as_sarif:
        click.echo(json.dumps(linting.sarif(report.findings, opweld.__version__), indent=2))
    else:
        listed = [found.to_dict() for found in report.findings]
        facts = {"fragments": report.fragments, "findings": listed, "unread": report.unread}
        if mends:
            fixed = [found.to_dict() for found in mends.fixed]
            facts |= {"mended": fixed, "files": sorted(mends.files), "left": mends.left}
        answer(as_json, facts, report.lines(click.style))
    sys.exit(1 if report.wrong or report.unread else 0)


def _mend(mends: opweld.mending.Mends, report: opweld.linting.Report, diff: bool, silent: bool) -> None:
    """Write what is mended, or show it; what is left of the report is what is left."""
    report.findings = [found for found in report.findings if found not in mends.fixed]
    if not diff:
        try:
            mends.write()
        except OSError as err:
            raise Wrong(str(err)) from None
    if silent:
        return
    for line in mends.diff() if diff else ():
        click.echo(line)
    for found in mends.fixed if not diff else ():
        click.echo(f"{found.file}:{found.line}: mended: {found.message} [{found.rule}]")
    for line in mends.left:
        click.echo(line)


@click.command(
    short_help="Try everything that can go wrong in C.",
    epilog=examples(
        "opweld check my_ops", "opweld check --sanitize my_ops:smooth", "opweld check script.py --junit check.xml"
    ),
)
@click.argument("targets", metavar="MODULE[:OP]|SCRIPT.py...", nargs=-1, required=True)
@click.option(
    "--only",
    metavar="CHECKS",
    default="",
    help="Some alone: lint, run, DebugMode, account, places, memory, sanitize, valgrind.",
)
@click.option("--sanitize", is_flag=True, help="Run under AddressSanitizer and UndefinedBehaviorSanitizer too.")
@click.option("--valgrind", is_flag=True, help="Run under valgrind too, where it is installed.")
@click.option("--examples", default=40, show_default=True, help="How many inputs are drawn; 0: those given alone.")
@click.option("--seconds", default=60.0, show_default=True, help="How long one call may take.")
@click.option("--junit", type=click.Path(dir_okay=False), default="", help="Write JUnit's XML there too.")
@with_json
def check(
    targets: tuple[str, ...],
    only: str,
    sanitize: bool,
    valgrind: bool,
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
    if asked := [name for name, is_asked in (("sanitize", sanitize), ("valgrind", valgrind)) if is_asked]:
        wanted = [*(wanted or [name for name in known if name not in checking.ASKED_FOR]), *asked]
    with contextlib.redirect_stdout(sys.stderr):  # of what is run
        try:
            report = checking.check_all(targets, wanted, examples, seconds)
        except (opweld.addresses.Unknown, opweld.OpweldError) as err:
            raise Wrong(str(err)) from None
    if junit:
        report.write_junit(junit)
    answer(as_json, report.to_dict(), report.lines(click.style))
    sys.exit(1 if report.wrong else 0)
