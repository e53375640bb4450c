"""The same graph is the same Program, byte by byte, whatever was imported, made or hashed before it."""

import os
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest
from programs import GRAPHS

import opweld
from opweld import Op
from opweld.operations import NAMES
from opweld.rewriting.standard import STANDARD, deferred, listed
from opweld.scalar import ScalarOp
from opweld.scalar import basic as scalar_basic
from opweld.tensor import rewriting_elemwise

HERE = Path(__file__).resolve().parent
PACKAGE = Path(opweld.__file__).resolve().parent
MODULES = sorted(
    ".".join(("opweld", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if path.name not in ("__main__.py", "cli.py", "show.py")  # the last is for gdb's own Python
)


def programs(names, first=(), seed=0):
    """Each graph's hash, made in this order in a fresh process that imports these modules first."""
    done = subprocess.run(
        [sys.executable, str(HERE / "programs.py"), *names, "--first", *first],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.fixture(scope="module")
def known():
    """Each graph's hash where everything was imported before."""
    return programs(list(GRAPHS), MODULES)


@pytest.mark.parametrize("name", list(GRAPHS))
def test_a_graph_alone(name, known):
    assert programs([name], seed=7) == {name: known[name]}


@pytest.mark.parametrize("seed", range(1, 5))
def test_graphs_after_one_another(seed, known):
    chance = random.Random(seed)
    names = chance.sample(list(GRAPHS), len(GRAPHS))
    modules = chance.sample(MODULES, len(MODULES) * (seed - 1) // 3)  # none, some, all
    assert programs(names, modules, seed) == known


@pytest.mark.parametrize("module", ["tensor.basic", "tensor.subtensor", "tensor.shapes", "tensor.elemwise", "scalar"])
def test_one_module_before(module, known):
    assert programs(list(GRAPHS), [f"opweld.{module}"], 3) == known


@pytest.mark.parametrize("row", STANDARD, ids=lambda row: row[1])
def test_the_list_is_the_one_place_of_a_rewriter(row):
    """Each row names a rewriter, which is for the ops of the row, and these are there."""
    known = deferred(*row[1:])
    assert known.load().tracks() == known.tracks()
    assert (str(known.load()), known.load().__module__) == (str(known), known.__module__)
    for path in known.tracks() or ():
        module, _, name = path.partition("{")[0].rpartition(".")
        assert issubclass(getattr(import_module(module), name), Op)


@pytest.mark.parametrize("row", [row for row in STANDARD if row[2] and "{" in row[2][0]], ids=lambda row: row[1])
def test_scalar_ops_that_a_rewriter_is_for_are_there(row):
    names = {path.partition("{")[2].rstrip("}") for path in row[2]}
    classes = {name for name in names if name[0].isupper()}
    assert all(issubclass(getattr(scalar_basic, name), ScalarOp) for name in classes)
    assert names - classes <= set(NAMES)


def test_a_rewriter_is_for_all_that_it_knows():
    of = {row[1]: {path.partition("{")[2].rstrip("}") for path in row[2] or ()} for row in STANDARD}
    assert of["rewriting_elemwise:twice"] == {*rewriting_elemwise._TWICE, "Identity"}
    assert of["rewriting_elemwise:neutral"] == set(rewriting_elemwise._NEUTRAL)


def test_a_function_that_the_list_does_not_name():
    with pytest.raises(LookupError, match=r"rewriting_elemwise:no_row is no row of opweld\.rewriting\.standard"):
        listed(FunctionType((lambda node: None).__code__, {"__name__": "opweld.tensor.rewriting_elemwise"}, "no_row"))


def test_ops_import_no_rewriters():
    script = """
import sys
import opweld.tensor
for name in ("basic", "elemwise", "subtensor", "permute", "manipulation", "shapes", "reduce", "linalg", "math"):
    __import__("opweld.tensor." + name)
print(sorted(name for name in sys.modules if "rewriting" in name))
"""
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"
