"""The fixture and the marker of the plugin for pytest: what ``opweld check`` says fails a test; unused it is free."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import opweld
from opweld.config import config

pytest_plugins = ["pytester"]

PYTHON = Path(opweld.__file__).resolve().parent.parent
OPS = '''
import numpy as np, opweld
from opweld import tensor as T

smooth = opweld.cop("x: T[n], a: T -> y: T[n]", """
    for (npy_intp i = 0; i < n; i++) y[i] = a * x[i];
""")
pick = opweld.cop("x: T[n], i: int64 -> y: T", """
    if (i < 0 || i >= n) fail(IndexError, "no");
    y = x[i];
""")
boom = opweld.cop("x: float64[n] -> y: float64[n]", """
    if (n == 3) *(volatile int *)0 = 1;
    for (npy_intp i = 0; i < n; i++) y[i] = x[i];
""")


class Leaks(opweld.COp):
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"""
            PyObject *lost = PyList_New(0);
            if (!lost) {sub["fail"]}
            Py_XDECREF({outputs[0]});
            {outputs[0]} = (PyArrayObject *)PyArray_NewCopy({inputs[0]}, NPY_CORDER);
            if (!{outputs[0]}) {{ Py_DECREF(lost); {sub["fail"]} }}
        """
'''


# What PYTHONPATH holds beside the plugin counts as a part of it, for pytest.
_IMPORTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a file of tests beside OPS in a pytest of its own, which has the plugin."""
    flags = f"compiledir={config.compiledir},cflags={config.cflags},cxxflags={config.cxxflags}"
    monkeypatch.setenv("OPWELD_FLAGS", flags)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PYTHON), str(pytester.path)]))
    pytester.makepyfile(ops=OPS)

    def go(text, *arguments):
        pytester.makepyfile(test_it="import numpy as np, opweld, pytest, ops\nfrom opweld import tensor as T\n" + text)
        found = ("-p", "pytest_opweld", "-p", "no:cacheprovider", "-W", "error", *_IMPORTED, *arguments)
        return pytester.runpytest_subprocess(*found)

    return go


def test_the_fixture(run):
    done = run("""
def test_all_is_well(opweld_check):
    rows = opweld_check(ops.smooth, ops.pick, examples=4)
    assert [row.check for row in rows[:6]] == ["lint", "run", "DebugMode", "account", "places", "memory"]
    assert {row.subject for row in rows} == {"smooth", "pick"}

def test_a_leak(opweld_check):
    opweld_check(ops.Leaks()(T.dvector("x")), only="places", examples=3)

def test_a_crash(opweld_check):
    opweld_check("ops:boom", only="run", examples=3)

def test_inputs_that_are_given(opweld_check):
    (row,) = opweld_check(ops.pick, inputs=[(np.ones(3), 2), (np.ones(3), 7)], only="run", examples=0)
    assert row.said == "1 inputs taken, 1 refused"

def test_what_cannot_be_checked(opweld_check):
    with pytest.raises(TypeError, match="^3 has no C"):
        opweld_check(3)
    with pytest.raises(ValueError, match="no check 'luck': known are lint, run"):
        opweld_check(ops.smooth, only="luck")
""")
    done.assert_outcomes(passed=3, failed=2)
    done.stdout.fnmatch_lines_random([
        "*leak: 1 block of Python's memory more with each run*",
        "*crash: SIGSEGV, called with (float64*3*",
    ])  # fmt: skip


def test_the_marker(run, tmp_path):
    done = run(
        """
x = T.dvector("x")

@pytest.mark.opweld_check(only="run,places", examples=3)
def test_right():
    f = opweld.function([x], ops.smooth(x, 0.5), name="f")
    assert f(np.ones(3)).tolist() == [0.5, 0.5, 0.5]

@pytest.mark.opweld_check(only="places", examples=3)
def test_wrong():
    f = opweld.function([x], ops.Leaks()(x), name="leaky")
    f(np.ones(3))

@pytest.mark.opweld_check(only="places")
def test_that_fails_itself():
    opweld.function([x], ops.Leaks()(x))
    assert False, "of its own"

@pytest.mark.opweld_check
def test_none():
    pass

def test_unmarked():
    opweld.function([x], ops.Leaks()(x))(np.ones(2))

@pytest.mark.opweld_check("places")
def test_misspelt():
    pass
""",
        "--strict-markers",
        f"--junitxml={tmp_path / 'found.xml'}",
    )
    done.assert_outcomes(passed=2, failed=4)
    done.stdout.fnmatch_lines_random([
        "leaky  places  failed*",
        "*leak: 1 block of Python's memory more with each run*",
        "*AssertionError: of its own*",
        "the test is marked opweld_check, and has made no function that it could check",
        "*takes only=, examples= and seconds=, and nothing else*",
    ])  # fmt: skip
    said = (tmp_path / "found.xml").read_text()
    assert 'name="opweld check leaky places" value="failed"' in said
    assert 'name="opweld check f run" value="passed"' in said


def test_unused_it_costs_nothing(pytester):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pytest_opweld", "--markers"],
        env={**os.environ, "PYTHONPATH": str(PYTHON)}, cwd=pytester.path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "@pytest.mark.opweld_check(only='', examples=40, seconds=60.0): check each opweld function" in done.stdout
    script = "import sys, pytest_opweld; print([n for n in ('opweld', 'numpy', 'hypothesis') if n in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
