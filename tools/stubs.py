"""Write the names of the packages' stubs from their doors: ``make stubs``; ``--check`` only says what differs.

The one list of a package's names is the table in its ``__init__.py``. In the stub beside it stand, above the line
`HAND`, the imports that say what each name is, ``__all__`` and the constructors; below it, by hand, what says more than
the functions themselves do. A name that is written by hand is not imported.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent / "python"
PACKAGES = (
    "opweld", "opweld.compile", "opweld.graph", "opweld.hooks", "opweld.picture", "opweld.rewriting", "opweld.scalar",
    "opweld.tensor",
)  # fmt: skip
HEAD = "# Names of __init__.py, which finds them on first use; written by `make stubs`.\n"
HAND = "# -- by hand --\n"
WIDTH = 120


def written(package: str, hand: str) -> str:
    """The text of a stub.

    Parameters
    ----------
    package : str
        The package.
    hand : str
        What stands below `HAND`.

    Returns
    -------
    str
    """
    room = import_module(package)
    tree = ast.parse(hand)
    own = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    targets = [node.target for node in tree.body if isinstance(node, ast.AnnAssign)]
    own |= {target.id for target in targets if isinstance(target, ast.Name)}
    own |= {a.asname or a.name for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    lines = [HEAD]
    table: dict[str, set[str]] = {}
    for module, names in room.__getattr__.homes.items():
        path = module if module.startswith("opweld.") else f"{package}.{module}"
        table.setdefault(path, set()).update(set(names) - own)
    table.setdefault(package, set()).update(set(room.__getattr__.besides) - own)
    values = [line for names in room.__getattr__.made.values() for line in _values(room, names, own, table)]
    for module in sorted(table):
        lines += [_imported(module, sorted(table[module]))] if table[module] else []
    lines += ["\n__all__ = [\n", *fill([f'"{name}",' for name in room.__all__]), "]  # fmt: skip\n"]
    if values:
        lines += ["\n", *values]
    return "".join(lines) + (f"\n{HAND}{hand}" if hand else "")


def _values(room: Any, names: Iterable[str], own: set[str], table: dict[str, set[str]]) -> list[str]:
    """Names whose values a function gives: what class each is of."""
    found = []
    for name in sorted(names):
        value = getattr(room, name)
        kind = type(value[0] if isinstance(value, tuple) else value)
        called = kind.__name__
        if called not in own:
            table.setdefault(kind.__module__, set()).add(f"{called} as _{called}")
            called = f"_{called}"
        found.append(f"{name}: tuple[{called}, ...]\n" if isinstance(value, tuple) else f"{name}: {called}\n")
    return found


def _imported(module: str, names: list[str]) -> str:
    """The import of some names, exported unless they are private."""
    words = [name if " as " in name else f"{name} as {name}" for name in names]
    line = f"from {module} import {', '.join(words)}\n"
    if len(line) <= WIDTH:
        return line
    return f"from {module} import (\n" + "".join([f"    {word},\n" for word in words]) + ")\n"


def fill(words: list[str]) -> list[str]:
    """Words in lines, with a margin."""
    lines, line = [], "   "
    for word in words:
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line + "\n")
            line = "   "
        line += " " + word
    return [*lines, line + "\n"]


def hand_of(path: Path) -> str:
    """What stands by hand in a stub that is there."""
    return path.read_text("utf-8").partition(HAND)[2] if path.exists() else ""


def main() -> int:
    """Write the stubs, or compare them."""
    stale = []
    for package in PACKAGES:
        path = ROOT.joinpath(*package.split("."), "__init__.pyi")
        text = written(package, hand_of(path))
        if not path.exists() or path.read_text("utf-8") != text:
            stale.append(str(path.relative_to(ROOT.parent)))
            if "--check" not in sys.argv:
                path.write_text(text, "utf-8")
    print(*stale, sep="\n")
    return bool(stale) and "--check" in sys.argv


if __name__ == "__main__":
    sys.exit(main())
