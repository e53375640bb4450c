"""Writes docs/names-*.md: of every public name of the packages' modules that ops are written with, what became of it.

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

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """\
# Names of the packages, one by one

What became of the public names of those modules of Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.0.7 that ops are written
with. A name that a module only imports is counted where it is defined. `tools/oldnames.py` writes this page.

* here: the name works under its old path;
* renamed: write what stands behind it;
* gone: it has no meaning here, for the reason that stands behind it;
* not yet: it may come.

| package | names | here | renamed | gone | not yet | modules |
|---|---|---|---|---|---|---|
"""
CALLED = {"theano": "Theano", "aesara": "Aesara", "pytensor": "PyTensor"}
TOC = """
```{toctree}
:hidden:

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
    """Of one package: how many names became what, and of each module the text."""
    root, texts, count = Path(folder) / tree, {}, dict.fromkeys(("here", "renamed", "dead", "not yet"), 0)
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
        lines = []
        for state, called in (("here", "Here"), ("renamed", "Renamed"), ("dead", "Gone"), ("not yet", "Not yet")):
            for why, own in states.get(state, {}).items():
                lines.append(f"{called}{f' ({why})' if why else ''}:\n" + listed(own))
        texts[f"{tree}.{module}" if module else tree] = "\n".join(lines)
    return list(count.values()), texts


def write(packages):
    """Write a page of each package's tensor modules, one of its others, and one that leads to these."""
    rows, pages = [], {}
    for tree, (counts, texts) in packages.items():
        tensors = [module for module in texts if module.startswith(f"{tree}.tensor")]
        others = [module for module in texts if module not in tensors]
        for title, modules in ((tree, others), (f"{tree}.tensor", tensors)):
            parts = [f"# Names of {title}\n", *[f"## {module}\n\n{texts[module]}" for module in modules]]
            pages[f"names-{title.replace('.', '-')}"] = "\n".join(parts)
        cells = " | ".join(map(str, [sum(counts), *counts]))
        where = f"[{tree}](names-{tree}.md), [{tree}.tensor](names-{tree}-tensor.md)"
        rows.append(f"| {CALLED[tree]} | {cells} | {where} |\n")
    pages["names-old"] = "".join([HEAD, *rows, TOC, *[f"{page}\n" for page in pages], "```\n"])
    for page, text in pages.items():
        (DOCS / f"{page}.md").write_text(text, encoding="utf-8")


def main():
    """Write the pages."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("packages", nargs="+", metavar="PACKAGE=FOLDER")
    write({item.partition("=")[0]: part(*item.split("=", 1)) for item in reader.parse_args().packages})


if __name__ == "__main__":
    main()
