"""docs/adding.md: each of its changes is made in a copy of the tree, which is built; what came does what it should."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import tensor as T

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
BUILDER = ROOT / "build" / "venv-{}.{}".format(*sys.version_info) / "bin" / "python"
HEAD = "import json\nimport numpy as np\nimport opweld\nimport opweld.tensor as T\n"
AT_MOST = {"A hook": 4}  # files; other things have 3
ENVIRONMENT = dict(os.environ)  # with the user's caches of Go

pytestmark = pytest.mark.skipif(not BUILDER.exists(), reason="needs the environment that `make engine` builds in")


def sections():
    """Each section of the page: its title, and the files that it changes, as (name, hunks)."""
    found = {}
    for section in re.split(r"(?m)^## ", PAGE)[1:]:
        block = re.search(r"(?ms)^```diff\n(.*?)^```$", section)
        if block:
            parts = re.split(r"(?m)^--- (\S+)\n", block[1])[1:]
            found[section.split("\n")[0]] = list(zip(parts[::2], parts[1::2]))
    return found


SECTIONS = sections()


def apply(folder, name, hunks):
    """Change a file: what a hunk says goes or stays must stand there once."""
    path = folder / name
    text = path.read_text(encoding="utf-8")
    for hunk in re.split(r"(?m)^@@\n", hunks)[1:]:
        lines = hunk.splitlines(keepends=True)
        assert lines and {line[0] for line in lines} <= set("+- "), f"{name}: {hunk}"
        old = "".join(line[1:] for line in lines if line[0] in "- ")
        assert old and f"\n{text}".count(f"\n{old}") == 1, f"{name} has not once:\n{old}"
        text = f"\n{text}".replace(f"\n{old}", "\n" + "".join(line[1:] for line in lines if line[0] in "+ "))[1:]
    path.write_text(text, encoding="utf-8")


def left_out(folder, names):
    """What a build made, and Git's."""
    top = {"build", "dist", ".git"} if Path(folder) == ROOT else {"_gopy", "__pycache__"}
    return [name for name in names if name in top or re.match(r"_(engine|runtime)[._].*(so|o|id\.py)$", name)]


def run(*argv, cwd, **environ):
    done = subprocess.run(
        [str(a) for a in argv], cwd=cwd, env={**ENVIRONMENT, **environ}, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{' '.join(map(str, argv))}\n{done.stdout}{done.stderr}"
    return done.stdout


def write_what_follows(folder):
    """``make golden`` and ``make stubs``, as far as they depend on what the page changes."""
    run("go", "test", "./gen/scalar", "-run", "TestWhatIsMadeOfTheTable", "-update", cwd=folder)
    run("go", "test", "./gen", "-run", "TestThePageHasTheTableOfHooks|TestPythonKnowsTheFields", "-update", cwd=folder)
    run(BUILDER, "tools/stubs.py", cwd=folder, PYTHONPATH=str(folder / "python"))


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree with every change of the page, built."""
    folder = tmp_path_factory.mktemp("adding") / "tree"
    shutil.copytree(ROOT, folder, ignore=left_out)

    # The row of the page stands in the table already: without it there is no such operation anywhere.
    ((name, hunks),) = SECTIONS["A scalar operation of NumPy's"]
    turned = "".join(line.replace("+", "-", 1) if line[0] == "+" else line for line in hunks.splitlines(keepends=True))
    whole = (folder / name).read_text(encoding="utf-8")
    apply(folder, name, turned)
    write_what_follows(folder)
    for made in ("python/opweld/operations.py", "python/opweld/tensor/ufuncs.py", "python/opweld/tensor/__init__.pyi"):
        assert "heaviside" not in (folder / made).read_text(encoding="utf-8")
        assert "heaviside" in (ROOT / made).read_text(encoding="utf-8")
    apply(folder, name, hunks)
    assert (folder / name).read_text(encoding="utf-8") == whole
    write_what_follows(folder)
    for made in ("python/opweld/operations.py", "python/opweld/tensor/ufuncs.py", "docs/aliasing.md"):
        assert (folder / made).read_bytes() == (ROOT / made).read_bytes()

    for title, files in SECTIONS.items():
        if title != "A scalar operation of NumPy's":
            for name, hunks in files:
                apply(folder, name, hunks)
    write_what_follows(folder)
    run(BUILDER, "setup.py", "--quiet", "build_ext", "--inplace", cwd=folder)
    return folder


def printed(tree, tmp_path, code):
    """What a program prints as JSON that uses the tree's library."""
    (tmp_path / "program.py").write_text(HEAD + code)
    out = run(
        sys.executable,
        "program.py",
        cwd=tmp_path,
        PYTHONPATH=str(tree / "python"),
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    return json.loads(out)


def test_no_change_needs_many_files():
    assert len(SECTIONS) == 5
    for title, files in SECTIONS.items():
        assert len({name for name, _ in files}) == len(files) <= AT_MOST.get(title, 3), title
        row = re.search(rf"(?m)^\| [^|]+ \| {len(files)} \|", PAGE)
        assert row, f"{title}: the table at the head knows no such number"


def test_a_scalar_operation_of_numpys(tree, tmp_path):
    code = """
from opweld.scalar import expr
x, y = T.vector("x", dtype="float32"), T.vector("y", dtype="float32")
f = opweld.function([x, y], [T.heaviside(x, y), expr("heaviside(x, y)")(x, y)])
a, b = np.float32([-1, 0, 2, np.nan]), np.float32([5, 6, 7, 8])
one, two = f(a, b)
wanted = np.heaviside(a, b)
same = [bool(np.array_equal(got, wanted, True)) for got in (one, two, opweld.scalar.heaviside.impl(a, b))]
print(json.dumps([one.dtype.name, same, T.heaviside.__doc__]))
"""
    dtype, same, doc = printed(tree, tmp_path, code)
    assert dtype == "float32" and same == [True] * 3
    assert doc.startswith("Give 0 below zero, 1 above, the second where the first is zero.\n\nParameters\n")


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_another_scalar_operation(tree, tmp_path, mode):
    code = f"""
found = []
for dtype in ("float16", "float32", "float64", "longdouble", "int32"):
    x = T.vector("x", dtype=dtype)
    a = np.arange(-20, 20).astype(dtype)
    got = opweld.function([x], T.odds(x), mode={mode!r})(a)
    exact = 1 / (1 + np.exp(-a.astype("longdouble")))
    found.append([got.dtype == np.exp(a).dtype, bool(np.allclose(got, exact, 4 * np.finfo(got.dtype).eps, 1e-7))])
print(json.dumps([found, T.odds.__doc__]))
"""
    found, doc = printed(tree, tmp_path, code)
    assert found == [[True, True]] * 5 and doc.startswith("Give exp(x) / (1 + exp(x)).") and "numpy" not in doc


def test_a_tensor_function(tree, tmp_path):
    code = """
x = T.tensor3("x")
a = np.random.default_rng(0).normal(size=(3, 4, 5))
f = opweld.function([x], [T.diff(x), T.diff(x, 0), T.diff(x > 0, axis=-2)])
wanted = [np.diff(a), np.diff(a, axis=0), np.diff(a > 0, axis=-2)]
same = [bool(np.array_equal(p, q)) and p.dtype == q.dtype for p, q in zip(f(a), wanted)]
try:
    T.diff(x, 3)
except np.exceptions.AxisError as err:
    print(json.dumps([same, str(err)]))
"""
    assert printed(tree, tmp_path, code) == [[True] * 3, "axis 3 is out of bounds for array of dimension 3"]
    names = "test_functions or in_the_stub or is_there or all_is_the_same"
    tests = ("tests/test_numpy_docs.py", "tests/test_stubs.py")
    run(sys.executable, "-m", "pytest", "-q", *tests, "-k", names, cwd=tree, PYTHONPATH=str(tree / "python"))


def test_a_rewriter(tree, tmp_path):
    code = """
x = T.vector("x")
f = opweld.function([x], T.maximum(x, x) + T.minimum(2 * x, 2 * x))
a = np.array([1.0, np.nan, -0.0])
ops = [str(node.op) for node in f.maker.fgraph.toposort()]
print(json.dumps([ops, bool(np.array_equal(f(a), np.maximum(a, a) + np.minimum(2 * a, 2 * a), True))]))
"""
    ops, same = printed(tree, tmp_path, code)
    assert same and not [op for op in ops if "imum" in op]


def test_a_mode():
    space = {}
    exec(re.search(r"(?ms)^## A mode$.*?^```python\n(.*?)^```$", PAGE)[1], space)
    mode, x = space["Counting"](), T.dmatrix("x")
    f = opweld.function([x], [T.exp(T.neg(-x)) + 1, T.sort(x, 1)], mode=mode)
    a = np.random.default_rng(1).normal(size=(3, 4))
    for _ in range(2):
        one, two = f(a)
    assert np.array_equal(one, np.exp(a) + 1) and np.array_equal(two, np.sort(a, 1))
    assert mode.counts["Elemwise{exp}"] == mode.counts["Elemwise{add}"] == 2 and not mode.counts["Elemwise{negative}"]


def test_a_hook(tree, tmp_path):
    code = """
class Last(opweld.COp):
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x, ndim=1)
        return opweld.Apply(self, [x], [T.dscalar()])

    def c_code_before(self, node, name, inputs, outputs, sub):
        return f'''if (PyArray_SIZE({inputs[0]}) == 0) {{
            PyErr_SetString(PyExc_ValueError, "nothing there");
            {sub["fail"]}
        }}'''

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,) = inputs, outputs
        return f'''Py_XDECREF({y});
        {y} = (PyArrayObject*)PyArray_SimpleNew(0, NULL, NPY_FLOAT64);
        if (!{y}) {sub["fail"]}
        *(double*)PyArray_DATA({y}) = *(double*)PyArray_GETPTR1({x}, PyArray_SIZE({x}) - 1);'''

    def c_code_cache_version(self):
        return (1,)

x = T.dvector("x")
f = opweld.function([x], Last()(x))
try:
    f(np.zeros(0))
except ValueError as err:
    print(json.dumps([float(f([1.0, 2.0])), str(err).splitlines()[0], "Last.c_code_before" in opweld.source(f)]))
"""
    assert printed(tree, tmp_path, code) == [2.0, "nothing there", True]
    assert "| `code_before`, optional |" in (tree / "docs" / "program.md").read_text(encoding="utf-8")
