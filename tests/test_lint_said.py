"""What the lint finds is kept with the module, and said by function() as the user wants, on a hit as well."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile.builder import build

x = T.dvector("x")


class Leaks(opweld.COp):
    __props__ = ("which",)

    def __init__(self, which):
        self.which = which

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code_cache_version(self):
        return (1,)

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
        /* {self.which} */
        PyObject *lost = PyList_New(0);
        if (!lost) {fail}
        Py_XDECREF({z});
        {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
        if (!{z}) {{
            Py_DECREF(lost);
            {fail}
        }}
        """


def line_of(text):
    return 1 + next(i for i, line in enumerate(Path(__file__).read_text().splitlines()) if text in line)


def said(which, **more):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = opweld.function([x], Leaks(which)(x), **more)
    return made, [w for w in seen if issubclass(w.category, opweld.LintWarning)]


def test_it_is_said_at_the_users_line():
    _, (seen,) = said("at the line", lint="warn")
    assert seen.category is opweld.LintWarning and seen.filename == __file__
    text = str(seen.message)
    assert "the reference that `PyList_New(0)` gave is not released at the end [leaked-reference]" in text
    assert f"test_lint_said.py:{line_of('lost = PyList' + '_New(0)')}: the reference comes from here" in text
    assert "-> release it with Py_DECREF" in text


def test_nothing_is_said_unless_it_is_asked_for():
    made, seen = said("unasked")
    assert seen == [] and made(np.arange(2.0)).tolist() == [0, 1]
    (found,) = made.maker.built.lint["findings"]
    assert found["rule"] == "leaked-reference" and made.maker.built.lint["version"] >= 1


def test_of_a_module_that_is_loaded_it_is_said_as_well():
    said("loaded")
    with pytest.raises(opweld.LintError, match=r"\[leaked-reference\]") as raised:
        said("loaded", lint="error")
    (found,) = raised.value.details["findings"]
    assert found["rule"] == "leaked-reference" and found["file"] == __file__ and found["exact"]


def test_an_option_says_so_too():
    assert len(said("option", options={"lint": "warn"})[1]) == 1
    with pytest.raises(ValueError, match="lint must be 'off', 'warn' or 'error', got 'loud'"):
        said("option", lint="loud")


def test_what_is_right_is_not_spoken_of():
    made = opweld.function([x], T.sort(x) * 2, lint="error")
    assert made.maker.built.lint["findings"] == []


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
import warnings, opweld
from test_lint_said import Leaks, x
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    f = opweld.function([x], Leaks("second")(x), lint={lint!r})
print(f.maker.built.hit, [str(w.category.__name__) for w in seen], "opweld._engine" in sys.modules)
"""


def test_a_hit_says_it_without_the_engine():
    """In a second process, of what the first one kept."""
    out = []
    for lint in ("off", "warn", "off"):
        script = SCRIPT.format(folder=str(Path(__file__).parent), lint=lint)
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
        out.append(done.stdout.strip())
    assert out[1:] == ["True ['LintWarning'] False", "True [] False"]


def test_it_lies_beside_the_entry_with_the_lints_version():
    made, _ = said("beside")
    root = Path(made.maker.built.path).parents[2]
    pointers = [
        json.loads(path.read_text().partition("\n")[2]) for path in (root / "index").rglob("*") if path.is_file()
    ]
    (kept,) = {json.dumps(one["lint"]) for one in pointers if one["key"] == made.maker.built.key}
    assert json.loads(kept) == made.maker.built.lint and build(made.maker.program).lint == made.maker.built.lint


def test_two_leaks_at_one_fail_are_two(tmp_path):
    path = tmp_path / "two.c"
    path.write_text(
        "int APPLY_SPECIFIC(run)(PyArrayObject *x, PyArrayObject **z)\n"
        "{\n"
        "    PyObject *a = PyList_New(0);\n"
        "    if (!a)\n"
        "        return 1;\n"
        "    PyObject *b = PyList_New(0);\n"
        "    if (!b) {\n"
        "        Py_DECREF(a);\n"
        "        return 1;\n"
        "    }\n"
        "    Py_XDECREF(*z);\n"
        "    *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);\n"
        "    if (!*z)\n"
        "        return 1;\n"
        "    Py_DECREF(a);\n"
        "    Py_DECREF(b);\n"
        "    return 0;\n"
        "}\n"
    )
    done = subprocess.run([sys.executable, "-m", "opweld", "lint", "--json", path], capture_output=True, text=True)
    found = json.loads(done.stdout)["findings"]
    assert [(one["line"], one["path"][0]["line"]) for one in found] == [(14, 3), (14, 6)]
