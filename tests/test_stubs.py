"""The stubs: what they tell mypy, and that they say what is there."""

import ast
import importlib
import inspect
import os
import re
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import opweld
from opweld import tensor
from opweld.compat.table import TREES
from opweld.dtypes import CONSTRUCTORS
from opweld.tensor.convert import Constructor

PACKAGE = Path(opweld.__file__).resolve().parent
ROOT = Path(__file__).resolve().parent.parent
TREE_STUBS = [f"opweld.compat.{tree}" for tree in TREES]
ROOMS = ("", ".compile", ".graph", ".hooks", ".picture", ".rewriting", ".scalar", ".tensor")
DOORS = [f"opweld{name}" for name in ROOMS]
STUBS = [*DOORS, "opweld.compat", *TREE_STUBS]

VARIABLE = "opweld.tensor.variable.TensorVariable"
FUNCTION = "opweld.compile.function.Function"
# expression -> what mypy reveals of it; a pattern where it ends in an asterisk
REVEALED = {
    "opweld.function": f"def (inputs: *) -> {FUNCTION}",
    "opweld.function([x], x)": FUNCTION,
    "f": FUNCTION,
    "f.name": "str | None",
    "f.maker": "opweld.compile.maker.Maker",
    "f([1.0])": "Any",
    "opweld.source(f)": "str",
    "opweld.COp": "def () -> opweld.hooks.classes.COp",
    "opweld.config": "opweld.config.Config",
    "opweld.CompileError": "def (*) -> opweld.errors.CompileError",
    "opweld.errors.CompileError": "def (*) -> opweld.errors.CompileError",
    "opweld.TensorType": "def (*) -> opweld.tensor.TensorType",
    "opweld.tensor.dvector": "opweld.tensor.TensorType",
    "T.dvector": "opweld.tensor.TensorType",
    "T.ultensor7": "opweld.tensor.TensorType",
    "T.dvector('x')": VARIABLE,
    "T.dvector.clone('float32')": "opweld.tensor.TensorType",
    "T.TensorType('float32', (None, 3))()": VARIABLE,
    "T.matrix('m', dtype='int8')": VARIABLE,
    "T.as_tensor_variable": f"def (x: *) -> {VARIABLE}",
    "opweld.as_tensor_variable(1)": VARIABLE,
    "T.constant(1)": "opweld.tensor.variable.TensorConstant",
    "T.zeros_like(x)": VARIABLE,
    "T.sin(x)": VARIABLE,
    "T.where(x > 0, x, [1.0, 2.0])": VARIABLE,
    "T.concatenate([x, np.ones(2)])": VARIABLE,
    "T.zeros((2, x.shape[0]), dtype=np.float32)": VARIABLE,
    "T.max_and_argmax(x, axis=-1)": f"tuple[{VARIABLE}, {VARIABLE}]",
    "x + 1": VARIABLE,
    "2.0 * x": VARIABLE,
    "np.ones(3) @ x": VARIABLE,
    "-x ** 2": VARIABLE,
    "x > np.ones(3)": VARIABLE,
    "divmod(x, 2)": f"list[{VARIABLE}]",
    "x[1:, None]": VARIABLE,
    "x[0].set(1)": VARIABLE,
    "x.sum(axis=(0, 1), dtype='float64').astype(np.int8)": VARIABLE,
    "x.T": VARIABLE,
    "x.type": "opweld.tensor.type.TensorType",
    "x.clone().type.shape": "tuple[int | None, ...]",
    "x.owner": "opweld.graph.basic.Apply[Any] | None",
    "opweld.Apply(op, [x], [x.type()])": "opweld.graph.basic.Apply[script.Twice]",
    "opweld.Apply(op, [x], [x.type()]).op.factor": "int",
    "x.dtype": "str",
    "x.ndim": "int",
    "x.shape": VARIABLE,
    "x.broadcastable": "tuple[bool, ...]",
    "theano.function": f"def (inputs: *) -> {FUNCTION}",
    "TT.dvector": "Any",
}
REFUSED = [
    "T.sin(object())", "x + object()", "x.sum(axis='rows')", "x.sum(axis=1.5)", "T.zeros(2.5)", "T.stack(3.0)",
    "T.cast(x, 3.5)", "x.nonexistent()", "x.type.nonexistent",
    "opweld.nonexistent", "T.nonexistent", "T.xvector", "opweld.compat.nonexistent", "opweld.function(1, x)",
]  # fmt: skip
SCRIPT = [
    "import opweld",
    "import opweld.compat.aesara.tensor",
    "import opweld.compat.pytensor.link.c.op",
    "import opweld.compat.theano.tensor as TT",
    "import opweld.tensor as T",
    "from opweld.compat import aesara, pytensor, theano",
    "from opweld.compat.theano.gof import COp",
    "import numpy as np",
    "x = T.dvector('x')",
    "class Twice(opweld.Op):",
    "    factor: int = 2",
    "op = Twice()",
    "f: opweld.Function = opweld.function([x, opweld.In(x)], [x], name='f')",
    *[f"reveal_type({expression})" for expression in REVEALED],
    *REFUSED,
]


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What mypy says of each line of SCRIPT."""
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed here")
    folder = tmp_path_factory.mktemp("mypy")
    (folder / "script.py").write_text("\n".join(SCRIPT) + "\n")
    env = {key: value for key, value in os.environ.items() if key not in ("MYPYPATH", "MYPY_FORCE_COLOR")}
    if PACKAGE.parent.name != "site-packages":  # what is installed, mypy finds, and wants no path to
        env["MYPYPATH"] = str(PACKAGE.parent)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir=cache", "script.py"],
        cwd=folder, env=env, capture_output=True, text=True,
    )  # fmt: skip
    lines = {line: [] for line in SCRIPT}
    for number, text in re.findall(r"^script\.py:(\d+): (.*)$", out.stdout, re.MULTILINE):
        lines[SCRIPT[int(number) - 1]].append(text)
    assert out.returncode == 1, out.stdout + out.stderr  # there are the lines to refuse
    assert "script.py:" in out.stdout, out.stdout + out.stderr
    return lines


@pytest.mark.parametrize("expression", REVEALED)
def test_mypy_knows_the_type(said, expression):
    (text,) = said[f"reveal_type({expression})"]
    expected = re.escape(f'note: Revealed type is "{REVEALED[expression]}"').replace(r"\*", ".*")
    assert re.fullmatch(expected, text)


@pytest.mark.parametrize("line", REFUSED)
def test_mypy_refuses(said, line):
    assert said[line] and all(text.startswith("error: ") for text in said[line])


def test_mypy_takes_the_rest(said):
    plain = [line for line in SCRIPT if not line.startswith("reveal_type(") and line not in REFUSED]
    assert {line: said[line] for line in plain} == {line: [] for line in plain}


def stub_of(module):
    """The stub's text, as a tree."""
    path = PACKAGE.joinpath(*module.split(".")[1:], "__init__.pyi")
    return ast.parse(path.read_text(encoding="utf-8"))


def listed(tree):
    """What ``__all__`` of a stub is; None where it has none."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return ast.literal_eval(node.value)
    return None


def exported(tree):
    """The names that a stub gives a user."""
    names = set()
    every = set(listed(tree) or ())
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            names |= {a.name for a in node.names if a.asname == a.name or (not a.asname and a.name in every)}
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            names.add(node.name)
    return names - {"__getattr__"}


def public(name):
    """The names that a module has for a user."""
    module = importlib.import_module(name)
    names = set(module.__all__)
    if name in DOORS:
        names |= set(module.__getattr__.besides)
    elif name == "opweld.compat":
        names |= set(TREES)
    return names


@pytest.mark.parametrize("name", STUBS)
def test_every_name_of_the_stub_is_there(name):
    module = importlib.import_module(name)
    assert [found for found in sorted(exported(stub_of(name))) if not hasattr(module, found)] == []


@pytest.mark.parametrize("name", STUBS)
def test_every_public_name_is_in_the_stub(name):
    assert public(name) - exported(stub_of(name)) == set()


@pytest.mark.parametrize("name", [name for name in STUBS if name not in TREE_STUBS])
def test_all_is_the_same(name):
    assert listed(stub_of(name)) == importlib.import_module(name).__all__


def test_stubs_are_made_of_the_doors():
    """`make stubs` has nothing to write."""
    tool = ROOT / "tools" / "stubs.py"
    environ = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, env=environ)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_constructors_are_what_the_stub_says():
    kinds = {"TensorType": tensor.TensorType, "_Constructor": Constructor}
    written = [node for node in stub_of("opweld.tensor").body if isinstance(node, ast.AnnAssign)]
    assert [node.target.id for node in written] == sorted(CONSTRUCTORS) and len(written) == 130
    for node in written:
        assert type(getattr(tensor, node.target.id)) is kinds[node.annotation.id], node.target.id


def functions():
    """Every function and method that a stub writes: its module, dotted name and node."""
    for name in STUBS:
        for node in stub_of(name).body:
            if isinstance(node, ast.FunctionDef) and node.name != "__getattr__":
                yield name, node.name, node
            elif isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef):
                        yield name, f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize("name, path, node", [pytest.param(*f, id=f"{f[0]}.{f[1]}") for f in functions()])
def test_parameters_are_what_the_stub_says(name, path, node):
    there = importlib.import_module(name)
    for part in path.split("."):
        there = getattr(there, part)
    text = re.sub(r"^def \w+", "def written", ast.unparse(ast.FunctionDef(**{**vars(node), "returns": None})))
    space = {"Any": None}
    exec("from __future__ import annotations\n" + text, space)
    written, real = inspect.signature(space["written"]), inspect.signature(there)
    assert [(p.name, p.kind, p.default) for p in written.parameters.values()] == [
        (p.name, p.kind, p.default) for p in real.parameters.values()
    ]


def test_trees_have_stubs_and_no_code():
    for tree in TREES:
        files = [path.name for path in (PACKAGE / "compat" / tree).iterdir() if path.name != "__pycache__"]
        assert files == ["__init__.pyi"]
        assert importlib.import_module(f"opweld.compat.{tree}").__spec__.origin is None


def test_wheel_carries_every_stub():
    root = Path(__file__).resolve().parent.parent
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    found = list((root / "dist").glob(f"opweld-*-{tag}-{tag}-*.whl"))
    if not found:
        pytest.skip("no wheel in dist/: run make wheel")
    with zipfile.ZipFile(found[0]) as archive:
        names = {name for name in archive.namelist() if name.endswith(".pyi")}
    source = root / "python"
    assert names == {path.relative_to(source).as_posix() for path in source.glob("opweld/**/*.pyi")}
