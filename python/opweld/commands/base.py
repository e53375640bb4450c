"""What every command does alike: how it says what it found, what it could not do, and what its help ends with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import IO, Any

import click

__all__ = ["EXIT_CODES", "Wrong", "answer", "examples", "with_address", "with_json"]

EXIT_CODES = "Exit codes: 0 all is well, 1 something is wrong, 2 the command was not understood."


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


def examples(*lines: str) -> str:
    """Give the end of a help page: examples, verbatim, and the exit codes."""
    return "\b\nExamples:\n" + "\n".join("  " + line for line in lines) + f"\n\n{EXIT_CODES}"


def answer(as_json: bool, facts: dict[str, Any], lines: Iterable[str]) -> None:
    """Print what a command found out: as one object, or as lines."""
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    for line in lines:
        click.echo(line)


with_json = click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines (docs/cli.md).")
with_address = click.argument("address", metavar="ADDRESS")
