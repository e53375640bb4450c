"""Writes docs/names-old.md: of every public name of the packages' modules that ops are written with, what became of it.

``python tools/oldnames.py theano=FOLDER aesara=FOLDER pytensor=FOLDER`` takes the folders of unpacked packages, as
`oldfiles` does; nothing of them is imported. A module is one of these if `opweld.compat` has it.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import textwrap
from pathlib import Path

from opweld.compat import gone
from opweld.compat.table import TREES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "names-old.md"
HEAD = """\
# Names of the packages, one by one

What became of the public names of those modules of Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.0.7 that ops are written
with. A name that a module only imports is counted where it is defined. `tools/oldnames.py` writes this page.

* here: the name works under its old path;
* renamed: write what stands behind it;
* gone: it has no meaning here, for the reason that stands behind it;
* not yet: it may come.

"""


def names(path):
    """Give the public names that a file defines."""
    found = {}
    for node in ast.parse(path.read_text("utf-8-sig")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = None
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        for target in targets:
            for one in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(one, ast.Name):
                    found[one.id] = None
    return [name for name in found if not name.startswith("_")]


def became(tree, module, name):
    """Say what became of a name: its state, and what stands behind it."""
    try:
        getattr(importlib.import_module(f"opweld.compat.{tree}.{module}" if module else f"opweld.compat.{tree}"), name)
    except (AttributeError, ImportError):
        return gone.state(name)
    return "here", ""


def listed(words):
    """A paragraph of names."""
    return textwrap.fill(", ".join([f"`{word}`" for word in words]), 120, break_long_words=False) + "\n"


def part(tree, folder):
    """The page's part of one package."""
    root, lines, count = Path(folder) / tree, [], dict.fromkeys(("here", "renamed", "dead", "not yet"), 0)
    for module in sorted(TREES[tree]):
        path = root.joinpath(*module.split(".")) if module else root
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not path.is_file():
            continue
        states = {}
        for name in names(path):
            state, why = became(tree, module, name)
            count[state] += 1
            states.setdefault(state, {}).setdefault(why, []).append(name)
        if not states:
            continue
        lines.append(f"### {tree}.{module}\n" if module else f"### {tree}\n")
        for state, called in (("here", "Here"), ("renamed", "Renamed"), ("dead", "Gone"), ("not yet", "Not yet")):
            for why, own in states.get(state, {}).items():
                lines.append(f"{called}{f' ({why})' if why else ''}:\n" + listed(own))
    total = sum(count.values())
    said = ", ".join(
        [
            f"{count[state]} {called}"
            for state, called in (("here", "here"), ("renamed", "renamed"), ("dead", "gone"), ("not yet", "not yet"))
        ]
    )
    return f"## {tree.capitalize()}\n\nOf {total} names: {said}.\n\n" + "\n".join(lines)


def main():
    """Write the page."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("packages", nargs="+", metavar="PACKAGE=FOLDER")
    parts = [part(*item.split("=", 1)) for item in reader.parse_args().packages]
    PAGE.write_text(HEAD + "\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
