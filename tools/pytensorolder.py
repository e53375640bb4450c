"""Makes tests for PyTensor of Aesara's, from which PyTensor's own come: its source distribution has all of them.

Names are PyTensor's, and what a test imports is found where PyTensor has it today (`pytensorfind`). A test of what
there is no more fails, by PyTensor's C as by opweld; what is compared is the rest.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
WANTED = "aesara==2.9.4"
NAMES = {"aesara": "pytensor", "Aesara": "PyTensor", r"\bAESARA": "PYTENSOR", r"np\.product\b": "np.prod"}
NAMES |= {r"np\.bool8\b": "np.bool_", r"np\.alltrue\b": "np.all"}
WITHOUT = ("link/jax", "link/numba", "d3viz")


def pip_of(folder: Path) -> list[str]:
    """Give pip, of an environment of its own: the one that runs the tests may have none."""
    builder = folder / "builder"
    subprocess.run([sys.executable, "-m", "venv", str(builder)], check=True)
    return [str(builder / "bin" / "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]


def fetched(folder: Path) -> Path:
    """Fetch the source distribution, and give the folder of its tests as PyTensor's."""
    tests = folder / "older" / "tests"
    if not tests.exists():
        only = ["--no-deps", "--no-binary", ":all:", "--dest", str(folder)]
        subprocess.run([*pip_of(folder), "download", *only, WANTED], check=True)
        with tarfile.open(next(folder.glob("aesara-*.tar.gz"))) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        new = folder / "older" / "new"
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(next((folder / "unpacked").glob("aesara-*/tests")), new)
        for part in WITHOUT:
            shutil.rmtree(new / part, ignore_errors=True)
        for path in new.rglob("*.py"):
            path.write_text(translated(path.read_text("utf-8")), "utf-8")
        shutil.copy(TOOLS / "pytensorfind.py", new / "pytensorfind.py")
        new.rename(tests)
    return tests


def translated(text: str) -> str:
    """Write a module's text with PyTensor's names, each import of PyTensor's or of the tests as a search."""
    for old, name in NAMES.items():
        text = re.sub(old, name, text)
    lines, found = text.split("\n"), []
    for node in ast.walk(ast.parse(text)):
        words = imports(node)
        if words:
            found.append((node.lineno, node.end_lineno, " " * node.col_offset + words))
    for first, last, words in sorted(found, reverse=True):
        lines[first - 1 : last] = [words]
    if found:
        lines.insert(head(ast.parse("\n".join(lines))), "from tests import pytensorfind")
    return "\n".join(lines)


def imports(node: ast.AST) -> str:
    """Write what does the work of an import; empty: it stays."""
    package = (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) and not node.level else ""
    if isinstance(node, ast.ImportFrom) and package in ("pytensor", "tests"):
        names = [(a.asname or a.name, a.name) for a in node.names]
        return "; ".join([f"{to} = pytensorfind.name({node.module!r}, {name!r})" for to, name in names])
    if isinstance(node, ast.Import) and any(a.name.split(".")[0] == "pytensor" for a in node.names):
        words = []
        for a in node.names:
            theirs = a.name.split(".")[0] == "pytensor"
            to, whole = a.asname or a.name.split(".")[0], a.name if a.asname else a.name.split(".")[0]
            words += [f"pytensorfind.module({a.name!r})", f"{to} = pytensorfind.module({whole!r})"] if theirs else []
            words += [] if theirs else [f"import {a.name}" + (f" as {a.asname}" if a.asname else "")]
        return "; ".join(words)
    return ""


def head(tree: ast.Module) -> int:
    """Give the line behind a module's docstring and what is imported from the future."""
    last = 0
    for node in tree.body:
        said = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not said and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        last = node.end_lineno or 0
    return last
