"""Tries the files of Theano and PyTensor that define ops with C, as they lie, through `opweld.compat`.

``python tools/oldfiles.py theano=FOLDER pytensor=FOLDER`` takes the folders of unpacked packages
(``pip download --no-deps --no-binary :all: Theano==1.0.5``, ``pip download --no-deps pytensor==3.0.7``); each package's
own folder lies in it. six and scipy help, where they are installed. ``--ledger FILE`` writes a page of what was found.
Nothing of the packages is imported but the file that is tried: every name that it asks for is opweld's.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
import textwrap
import types
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HOOKS = ("c_code", "c_extract", "c_code_reduce_add")


def files(folder, package):
    """Give the files of a package whose classes write C, and those classes: of each its name."""
    root = Path(folder) / package
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if "tests" in parts or "gpuarray" in parts:
            continue
        try:
            tree = ast.parse(path.read_text("utf-8-sig"))
        except SyntaxError:
            continue
        classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        methods = {c.name: {f.name for f in c.body if isinstance(f, ast.FunctionDef)} for c in classes}
        if any(name.startswith("c_") for found in methods.values() for name in found):
            with_c = [name for name, found in methods.items() if not found.isdisjoint(HOOKS)]
            yield path, with_c


# Why a class's own Python is not what its C is compared with, where that is known; its recipe says with what.
WHY = {"GammaIncC": "its Python hands SciPy the arguments in the other order; against scipy.special.gammaincc(k, x)"}
# What DebugMode looked for when the packages had it: C against Python, what is changed, what shares memory.
CLASSIC = ("storage", "layouts", "bounds", "unset", "deterministic", "hooks")
# What NumPy 2 asks of any code, whoever runs it.
NUMPY_2 = (
    (r"PyArray_DESCR\(((?:[^()]|\([^()]*\))+)\)->elsize", r"PyArray_ITEMSIZE(\1)", "->elsize"),
    (r"\bnp\.product\b", "np.prod", "np.product"),
    (r"\bnp\.complex\b(?!\d)", "type(1j)", "np.complex"),
    (r"\bNPY_MAXDIMS\b", "64", "NPY_MAXDIMS"),
    (r"\bmask = 0xffffffff\b", "mask = np.int64(0xffffffff)", "a number beyond int32"),
)


def mended(text):
    """Give a file's text with NumPy 2's words, and those that it had in their place."""
    words = []
    for pattern, by, word in NUMPY_2:
        text, count = re.subn(pattern, by, text)
        words += [word] if count else []
    return text, words


def load(package, folder, path):
    """Run a file as the module that it is in its package, all of whose other modules are opweld's."""
    module = module_of(package, folder, path)
    text, words = mended(Path(path).read_text("utf-8-sig"))
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module, words


def module_of(package, folder, path):
    """Make the empty module of a file, and put the package's names in place."""
    import opweld.compat

    if package not in sys.modules:
        opweld.compat.install(package)
    name = ".".join(Path(path).relative_to(folder).with_suffix("").parts)
    module = types.ModuleType(name)
    module.__file__ = str(path)
    module.__package__ = name.rpartition(".")[0]
    sys.modules[name] = module
    return module


def load_alone(package, folder, path, names):
    """Run of a file that is not imported only these classes, with what they stand on in it, and its imports.

    A name that is not here is left out of its import: a class that needs it fails by itself.
    """
    module = module_of(package, folder, path)
    tree = ast.parse(mended(Path(path).read_text("utf-8-sig"))[0])
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    wanted, left = set(), [name for name in names if name in classes]
    while left:
        name = left.pop()
        wanted.add(name)
        bases = [node.id for base in classes[name].bases for node in ast.walk(base) if isinstance(node, ast.Name)]
        left += [base for base in bases if base in classes and base not in wanted]
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                again = type(node)(**{**dict(ast.iter_fields(node)), "names": [alias]})
                try:
                    exec(compile(located(again, node), str(path), "exec"), module.__dict__)
                except ImportError:
                    continue
        elif isinstance(node, ast.ClassDef) and node.name in wanted:
            exec(compile(located(node, node), str(path), "exec"), module.__dict__)
    return module


def located(node, at):
    """A program of one statement."""
    return ast.fix_missing_locations(ast.Module([ast.copy_location(node, at)], []))


def same(found, wanted):
    """Say whether results agree: up to the rounding of another order of operations."""
    import numpy as np

    if isinstance(wanted, (list, tuple)):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, dict) or wanted is None:
        return found == wanted
    found, wanted = np.asarray(found), np.asarray(wanted)
    close = np.allclose(found, wanted, rtol=1e-5, atol=1e-8, equal_nan=True) if wanted.dtype.kind in "fc" else None
    return found.shape == wanted.shape and (bool((found == wanted).all()) if close is None else close)


def counted(op):
    """How many numbers an op takes that does not say it: as many as its Python does, two if that takes any number."""
    kinds = [p.kind for p in inspect.signature(op.impl).parameters.values()]
    return 2 if inspect.Parameter.VAR_POSITIONAL in kinds else len(kinds)


def scalar_case(module, kit, name):
    """Apply a scalar op of the file's to numbers: the first dtype that it takes."""
    cls = getattr(module, name)
    ops = [v for v in vars(module).values() if type(v) is cls]
    if not ops:
        try:
            ops = [cls(getattr(kit.scalar, "upgrade_to_float", None), name=name.lower())]
        except TypeError:
            ops = [cls()]
    op = ops[0]
    error = None
    for dtype, pool in (
        ("float64", (0.3, 0.7, 0.2, 0.4)),
        ("int64", (5, 2, 1, 1)),
        ("bool", (True, False)),
        ("complex128", (1 + 2j, 2j)),
    ):
        kind = getattr(module, dtype, None) or getattr(kit.scalar, dtype)
        number = op.nin if getattr(op, "nin", -1) > 0 else counted(op)
        inputs = [kind(f"x{i}") for i in range(number)]
        try:
            return inputs, [op(*inputs)], list(pool[:number])
        except (TypeError, NotImplementedError, AttributeError) as err:
            error = error or err
    raise error


def has_c(node):
    """Say whether a node's op writes C for it."""
    try:
        names = [[f"{side}{i}" for i, _ in enumerate(vs)] for side, vs in (("x", node.inputs), ("z", node.outputs))]
        node.op.c_code(node, "n", *names, {"fail": "", "params": "p", "id": 0, "failure_var": "f"})
    except Exception as err:
        return type(err).__name__ != "MethodNotDefined"
    return True


def try_class(module, kit, name):
    """Make a class, run it in C and in Python, plain and in DebugMode."""
    import oldsparse  # noqa: F401  # enters recipes too
    from oldclasses import RECIPES

    function = kit.tree.function if hasattr(kit.tree, "function") else None
    make = RECIPES.get(name)
    inputs, outputs, values, *reference = make(module, kit, name) if make else scalar_case(module, kit, name)
    outputs = list(outputs)
    found = function(inputs, outputs, on_unused_input="ignore")(*values)
    note = ""
    try:
        wanted = function(inputs, outputs, mode="py", on_unused_input="ignore")(*values)
    except Exception as err:
        if not reference:
            raise
        wanted = reference[0]
        note = f"its Python does not run: {type(err).__name__}: {short(str(err), 60)}; against NumPy"
    if not same(found, wanted):
        if not (reference and name in WHY and same(found, reference[0])):
            return "differs", f"{short(str(found), 80)} in C, {short(str(wanted), 80)} in Python"
        note = WHY[name]
    if not note or "no perform" in note:  # where Python fails for another reason, DebugMode has nothing to run
        note = in_debugmode(function, inputs, outputs, values) or note
    if not has_c(outputs[0].owner):
        return "python", "its C is not defined for what was tried: it ran in Python"
    return "ran", note


def in_debugmode(function, inputs, outputs, values):
    """Run in DebugMode; what only its stricter checks find is given back, in words."""
    from opweld.compile.debugmode import DebugMode

    try:
        function(inputs, outputs, mode="DebugMode", on_unused_input="ignore")(*values)
    except Exception as err:
        classic = DebugMode(**dict.fromkeys(CLASSIC, False))
        function(inputs, outputs, mode=classic, on_unused_input="ignore")(*values)
        check = getattr(err, "details", {}).get("check")
        return f"a stricter check of DebugMode{f' ({check})' if check else ''}: {type(err).__name__}: {err}"
    return ""


def child(package, folder, path, names):
    """Try a file, and classes of it; a line of JSON for each."""
    warnings.simplefilter("ignore")
    try:
        module, words = load(package, folder, path)
        print_imported(words)
    except Exception as err:
        print(json.dumps(["", "cannot", f"{type(err).__name__}: {err}"]), flush=True)
        if not names:
            return
        module = load_alone(package, folder, path, names)
    tree = importlib.import_module(package)
    from oldclasses import Kit

    kit = Kit(tree, module.__name__)
    for name in names:
        print(json.dumps([name, "began", ""]), flush=True)
        try:
            state, why = try_class(module, kit, name)
        except Exception as err:
            state, why = "cannot", f"{type(err).__name__}: {err}"
        print(json.dumps([name, state, short(why, 300)]), flush=True)


def print_imported(words):
    """Say that a file was imported."""
    print(json.dumps(["", "imported", f"with NumPy 2's words for {', '.join(words)}" if words else ""]), flush=True)


def run(package, folder, path, names):
    """Try a file in a process; another one goes on behind a class that ended it."""
    imported, found, left = ("cannot", ""), {}, list(names)
    while True:
        command = [sys.executable, __file__, "--child", package, str(folder), str(path), *left]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        for name, state, why in lines:
            if name:
                found[name] = (state, why)
            else:
                imported = (state, why)
        if not lines:
            said = done.stderr.strip().splitlines() or ["no answer"]
            imported = ("cannot", short(said[-1], 200))
        began = [name for name, (state, _) in found.items() if state == "began"]
        for name in began:
            found[name] = ("ends the process", f"code {done.returncode}: {done.stderr.strip()[-150:]}")
        left = [name for name in left if name not in found]
        if not left or not began:
            break
    for name in left:
        found[name] = ("cannot", f"the file is not imported: {imported[1]}")
    return imported, found


HEAD = """\
# The packages' own files, one by one

Each file of Theano 1.0.5 and PyTensor 3.0.7 that defines ops or types with C was run as it lies, through
`opweld.compat`, as the module that it is in its package; all its other modules were opweld's. Each class with C was
made and called: in C against its own Python, or NumPy where it has none that runs, plain and in DebugMode.
`tools/oldfiles.py` does it, and writes this page; six, SciPy, SymPy and the wheel scipy-openblas32 lay beside.

* ran: as it lies; where words of NumPy 1 stand in a file's row, they were replaced by NumPy 2's, as any code needs it.
  Classes of a file that is not imported were tried by themselves: their text as it lies, and the file's imports;
* "a stricter check of DebugMode" stands where only the checks that DebugMode made in the packages pass (C against
  Python, inputs that change, memory that is shared, types), and one that it has only here finds something;
* python: right, but its C is not defined for what was tried, or adds to a text that the engine does not have;
* cannot, differs: for the reason that stands there. No process ended.

"""


def page(rows):
    """The page: of each file the classes, and a table of those of which there is more to say than that they ran."""
    lines = [HEAD]
    for package in sorted({where.split("/")[0] for where in rows}, reverse=True):
        own = {where: row for where, row in rows.items() if where.startswith(package)}
        states = [state for _, found in own.values() for state, _ in found.values()]
        whole = sum(imported[0] == "imported" for imported, _ in own.values())
        lines.append(
            f"## {package.capitalize()}\n\n{whole} of {len(own)} files are imported; of {len(states)} classes "
            f"{states.count('ran')} ran, {states.count('python')} ran in Python, "
            f"{len(states) - states.count('ran') - states.count('python')} did not.\n"
        )
        for where, (imported, found) in own.items():
            ran = [name for name, (state, _) in found.items() if state == "ran"]
            note = f": {cell(imported[1])}" if imported[1] else ""
            lines.append(f"### {where}\n\n{imported[0].capitalize()}{note}.\n")
            if ran:
                lines.append(textwrap.fill("Ran: " + ", ".join([f"`{name}`" for name in ran]) + ".", 120) + "\n")
            rest = [(name, state, why) for name, (state, why) in found.items() if state != "ran" or why]
            if rest:
                lines.append("| class | | |\n|---|---|---|")
                lines += [f"| `{name}` | {state} | {cell(why)} |" for name, state, why in rest] + [""]
    return "\n".join(lines)


def cell(text):
    """A message on one line, without paths and addresses."""
    text = re.sub(r" at 0x[0-9a-f]+", "", text)
    return short(re.sub(r"/[\w./-]+/(?=[\w-]+\.\w+)", "", text), 160).replace("|", "\\|").rstrip(".")


def short(text, most):
    """A message on one line, of whole words."""
    return textwrap.shorten(text, most, placeholder=" …")


def main():
    """Try all, print a line for each, and write the page."""
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5], sys.argv[5:])
        return
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("packages", nargs="+", metavar="PACKAGE=FOLDER")
    reader.add_argument("--only", default="", help="files whose path contains one of these, with commas between them")
    reader.add_argument("--jobs", type=int, default=1, help="files that are tried at the same time")
    reader.add_argument("--ledger", help="where the page is written")
    reader.add_argument("--json", help="where what was found is written as JSON")
    given = reader.parse_args()
    rows = {}
    tried = []
    for item in given.packages:
        package, _, folder = item.partition("=")
        for path, names in files(folder, package):
            where = str(path.relative_to(folder))
            if any(part in where for part in given.only.split(",")):
                tried.append((where, (package, Path(folder), path, names)))
    with ThreadPoolExecutor(given.jobs) as pool:
        for (where, _), (imported, found) in zip(tried, pool.map(lambda one: run(*one[1]), tried)):
            rows[where] = (imported, found)
            print(f"{imported[0]:9} {where} {short(imported[1], 120)}", flush=True)
            for name, (state, why) in found.items():
                print(f"    {state:9} {name}  {short(why, 220)}", flush=True)
    if given.ledger:
        Path(given.ledger).write_text(page(rows), encoding="utf-8")
    if given.json:
        Path(given.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")
    for package in sorted({where.split("/")[0] for where in rows}):
        own = {where: row for where, row in rows.items() if where.startswith(package)}
        states = [state for _, found in own.values() for state, _ in found.values()]
        whole = sum(imported[0] == "imported" for imported, _ in own.values())
        print(
            f"{package}: {whole} of {len(own)} files are imported; {states.count('ran')} of {len(states)} classes run"
        )


if __name__ == "__main__":
    main()
