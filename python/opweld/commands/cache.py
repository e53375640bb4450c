"""``opweld cache``."""

from __future__ import annotations

import click

import opweld
from opweld.commands.base import Wrong, answer, examples, with_json

__all__ = ["cache"]


@click.group(epilog=examples("opweld cache path", "opweld cache clear --yes"))
def cache() -> None:
    """Show or empty the folder of compiled modules."""


@cache.command(epilog=examples("opweld cache path", 'du -sh "$(opweld cache path)"'))
@with_json
def path(as_json: bool) -> None:
    """Print the folder in which compiled modules are kept."""
    root = opweld.doctor.cache_root()
    if not root:
        raise Wrong(
            "none of the cache's folders can be written, so each process uses a temporary one of its own; "
            "opweld doctor says which folders were tried"
        )
    answer(as_json, {"path": root}, [root])


@cache.command(epilog=examples("opweld cache clear", "opweld cache clear --yes"))
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@with_json
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
        answer(as_json, facts, [f"nothing to clear in {root}"])
        return
    if not yes:
        click.confirm(f"Remove {_count(files)}, {_size(size)}, from {root}?", abort=True, err=as_json)
    removed, freed = opweld.doctor.clear(root)
    left, still = opweld.doctor.weigh(root)
    if left and as_json:
        raise Wrong(f"{_count(left)}, {_size(still)}, could not be removed, or came since")
    answer(
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
