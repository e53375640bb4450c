"""Write the file from which the modules that programs begin with are loaded together (python/opweld/together.py).

Run by setup.py with the folder of a built package. The modules are imported in a process of their own, which notes what
each imports; of whatever else a program needs Python finds the files by itself.
"""

from __future__ import annotations

import builtins
import graphlib
import importlib
import importlib.util
import marshal
import sys
from pathlib import Path
from typing import Any

# What programs begin with: arrays and functions of them, NumPy's functions, views and sums, an op in C, short forms.
FIRST = (
    "opweld.tensor.convert", "opweld.compile.function", "opweld.tensor.ufuncs", "opweld.tensor.reduce",
    "opweld.tensor.math", "opweld.tensor.parts", "opweld.tensor.shared", "opweld.compile.sharedvalue",
    "opweld.graph.misspelt", "opweld.scalar.type", "opweld.compile.modes", "opweld.rewriting.equilibrium",
    "opweld.hooks.writer", "opweld.hooks.float16", "opweld.cops.entry", "opweld.cops.kept",
)  # fmt: skip


def imports_of(first: tuple[str, ...]) -> dict[str, list[str]]:
    """Import modules, and give what each module of the package that is loaded then imports, in that order.

    All but what ``import opweld`` loads need NumPy, which is said first.
    """
    wanted: dict[str, list[str]] = {}
    plain = builtins.__import__

    def noted(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        made = plain(name, globals, locals, fromlist, level)
        importer = (globals or {}).get("__name__", "")
        if importer.startswith("opweld.") and name.partition(".")[0] == "opweld":
            asked = [name, *[f"{name}.{item}" for item in fromlist or ()]]
            wanted.setdefault(importer, []).extend(module for module in asked if module in sys.modules)
        return made

    builtins.__import__ = noted
    try:
        importlib.import_module("opweld")
        light = set() if "numpy" in sys.modules else set(sys.modules)
        for name in first:
            importlib.import_module(name)
    finally:
        builtins.__import__ = plain
    loaded = [name for name, module in sys.modules.items() if name.startswith("opweld.") and _source(module)]
    imports = {name: _once([name.rpartition(".")[0], *wanted.get(name, [])], name, loaded) for name in loaded}
    made = {name: others if name in light else ["numpy", *others] for name, others in imports.items()}
    graphlib.TopologicalSorter(made).prepare()  # a ring is an error: each is loaded after what it imports
    return made


def _source(module: Any) -> str:
    path = getattr(module, "__file__", None) or ""
    return path if path.endswith(".py") else ""


def _once(names: list[str], own: str, loaded: list[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name != own and name in loaded]


def content(imports: dict[str, list[str]]) -> bytes:
    """Compile the modules, and lay them one behind the other, after a table of them."""
    codes, table = [], {}
    place = 0
    for name, others in imports.items():
        path = _source(sys.modules[name])
        source = Path(path).read_bytes()
        code = marshal.dumps(compile(source, Path(path).name, "exec", dont_inherit=True, optimize=0))
        below = name if path.endswith("__init__.py") else name.rpartition(".")[0]
        table[name] = (below.replace(".", "/"), Path(path).stem, len(source), place, len(code), tuple(others))
        place += len(code)
        codes.append(code)
    index = marshal.dumps(table)
    return b"".join([importlib.util.MAGIC_NUMBER, len(index).to_bytes(8, "little"), index, *codes])


def main(package: Path) -> None:
    """Write the file into a package's folder."""
    sys.dont_write_bytecode = True  # wheels carry sources; who installs them compiles
    sys.path.insert(0, str(package.parent))
    made = content(imports_of(FIRST))
    (package / sys.modules["opweld.together"].FILE).write_bytes(made)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
