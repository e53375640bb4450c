"""A new package of ops: what ``opweld new`` writes."""

from __future__ import annotations

import json
import keyword
import os
import re
import sys
from collections.abc import Mapping

__all__ = ["check", "files", "write"]

_PROJECT = """\
[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "NAME"
version = "0.1.0"
description = "Operations on NumPy arrays, in C"
requires-python = ">=3.10"
dependencies = ["numpy", "opweld"]

[project.optional-dependencies]
test = ["pytest"]

[tool.setuptools.packages.find]
where = ["src"]

[tool.pytest.ini_options]
testpaths = ["tests"]
"""

_README = """\
# NAME

Operations on NumPy arrays, written in C and welded to Python by opweld.

```
pip install -e .[test]
pytest
```

* `src/NAME/ops.py`: an op in the short form, and the same as a class, which can say more.
* `tests/test_NAME.py`: both, against Python.
* `NAME.ipynb`: how they are called, and what they cost.

The first call compiles; later processes find the module in opweld's cache.
"""

_INIT = '''\
"""Operations on NumPy arrays, in C."""

from NAME.ops import Smooth, smooth

__all__ = ["Smooth", "smooth"]
'''

_OPS = '''\
"""y[i] = x[i] + a * (y[i-1] - x[i]): a recurrence, which NumPy cannot vectorise."""

import opweld
import opweld.tensor as T

#: In the short form: a signature and a loop. It is called on arrays, or on variables of a graph.
smooth = opweld.cop(
    "smooth(x: T[n], a: T) -> y: T[n] where T: float",
    """
    if (n > 0) y[0] = x[0];
    for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);
    """,
)


class Smooth(opweld.COp):
    """The same as a class, in which every hook of a C op can be written.

    Parameters
    ----------
    a : float
        How much of what came before stays, from 0 to 1.
    """

    __props__ = ("a",)

    def __init__(self, a):
        self.a = float(a)

    def make_node(self, x):
        x = T.as_tensor_variable(x, ndim=1)
        return opweld.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        """Run in Python: what DebugMode compares with."""
        y = inputs[0].copy()
        for i in range(1, len(y)):
            y[i] += self.a * (y[i - 1] - y[i])
        output_storage[0][0] = y

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,), fail, a = inputs, outputs, sub["fail"], self.a
        return f"""
            Py_XDECREF({y});
            {y} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{y}) {fail}
            dtype_{y} *v = PyArray_DATA({y});
            for (npy_intp i = 1; i < PyArray_DIM({y}, 0); i++)
                v[i] += {a} * (v[i - 1] - v[i]);
        """

    def c_code_cache_version(self):
        return (1,)
'''

_TEST = '''\
"""The ops against Python."""

import numpy as np
import opweld
import opweld.tensor as T
import pytest
from NAME import Smooth, smooth


def expected(x, a):
    y = np.array(x, dtype=float)
    for i in range(1, len(y)):
        y[i] += a * (y[i - 1] - y[i])
    return y


@pytest.mark.parametrize("n", [0, 1, 2, 100])
def test_the_short_form(n):
    x = np.sin(np.arange(n))
    np.testing.assert_allclose(smooth(x, 0.9), expected(x, 0.9))


def test_other_dtypes():
    assert smooth(np.ones(3, "float32"), 0.5).dtype == "float32"


def test_the_op_in_a_graph():
    x = T.dvector("x")
    f = opweld.function([x], T.exp(Smooth(0.9)(x)))
    data = np.array([1.0, 0.0, 0.0, 2.0])
    np.testing.assert_allclose(f(data), np.exp(expected(data, 0.9)))


def test_c_does_what_python_does():
    x = T.dvector("x")
    f = opweld.function([x], Smooth(0.5)(x), mode="DebugMode")
    f(np.arange(5.0))
'''

_CELLS = (
    ("markdown", "# NAME\n\nAn op in C, called on arrays and as a node of a graph."),
    ("code", "import numpy as np\nimport opweld\nimport opweld.tensor as T\nfrom opweld.picture import picture\n\n"
     "from NAME import Smooth, smooth"),
    ("code", "smooth(np.array([1.0, 0.0, 0.0, 2.0]), 0.9)"),
    ("markdown", "In a graph, with what each step costs:"),
    ("code", "x = T.dvector('x')\nf = opweld.function([x], T.exp(Smooth(0.9)(x)).sum(), profile=True, name='f')\n"
     "data = np.sin(np.arange(10_000.0))\nfor _ in range(100):\n    f(data)\nf.profile"),
    ("code", "picture(f)"),
)  # fmt: skip


def check(name: str) -> None:
    """Refuse a name that a package cannot have.

    Parameters
    ----------
    name : str
        The name.

    Raises
    ------
    ValueError
        If it is no identifier, or hides a module of Python's or one that the package needs.
    """
    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name):
        near = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
        near = f"_{near}" if near[:1].isdigit() else near
        hint = f"; is {near!r} meant?" if near.isidentifier() and not keyword.iskeyword(near) else ""
        raise ValueError(f"{name!r} cannot be imported: a package's name is an identifier, as 'my_ops'{hint}")
    if name in sys.stdlib_module_names:
        raise ValueError(f"{name!r} is a module of Python's, which the package would hide: choose another name")
    if name in ("numpy", "opweld", "pytest", "src", "tests"):
        raise ValueError(f"{name!r} is what the package itself needs: choose another name")


def files(name: str) -> Mapping[str, str]:
    """Give the files of a package.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    dict of str to str
        Of each path, relative to the package's folder, the text.
    """
    cells: list[dict[str, object]] = [
        {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text.replace("NAME", name).splitlines(True)}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for i, (kind, text) in enumerate(_CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    texts = {
        "pyproject.toml": _PROJECT,
        "README.md": _README,
        f"src/{name}/__init__.py": _INIT,
        f"src/{name}/ops.py": _OPS,
        f"tests/test_{name}.py": _TEST,
    }
    return {path: text.replace("NAME", name) for path, text in texts.items()} | {
        f"{name}.ipynb": json.dumps(notebook, indent=1) + "\n"
    }


def write(name: str, into: str = ".") -> list[str]:
    """Write a new package.

    Parameters
    ----------
    name : str
        Its name, and that of its folder.
    into : str
        The folder that gets the package's.

    Returns
    -------
    list of str
        The paths that were written.

    Raises
    ------
    ValueError
        If the name cannot be a package's.
    FileExistsError
        If there is something of that name.
    OSError
        If it cannot be written.
    """
    check(name)
    root = os.path.join(into, name)
    if os.path.lexists(root):
        raise FileExistsError(f"there is {root} already, and nothing is written over: choose another name, or move it")
    written = []
    for path, text in files(name).items():
        target = os.path.join(root, *path.split("/"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "x", encoding="utf-8") as file:
            file.write(text)
        written.append(target)
    return written
