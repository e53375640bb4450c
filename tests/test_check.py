"""What ``opweld check`` finds: each place that can fail forced, memory refused, odd inputs; in a process apart."""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import ClassVar
from xml.etree import ElementTree

import kit
import numpy as np
import pytest

import opweld
from opweld import compat
from opweld import tensor as T
from opweld.addresses import read
from opweld.checking import (
    ASKED_FOR,
    CHECKS,
    Call,
    Report,
    Subject,
    apart,
    check,
    check_all,
    check_apart,
    checks,
    drawing,
    forcing,
    found,
    recorded,
    recording,
    subject_of,
    trials,
)
from opweld.config import config

HERE = Path(__file__)
EXAMPLES = HERE.resolve().parent.parent / "examples"

BAD = '''
"""An op with a fault of each kind, which `{wrong}` chooses."""
import numpy as np
from opweld import Apply, COp
from opweld.tensor import as_tensor_variable, dvector

class Op(COp):
    """A copy."""
    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        if x.type.ndim != 1 or x.type.dtype != "float64":
            raise TypeError("a vector of doubles")
        return Apply(self, [x], [x.type()])

    def c_support_code(self):
        return """
            static int agrees(PyArrayObject *x)
            {{
                if (PyArray_DIM(x, 0) != 13) return 1;
                PyErr_SetString(PyExc_ValueError, "thirteen");
                return 0;
            }}
        """

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
            npy_intp i, n = PyArray_DIM({{x}}, 0);
            PyObject *list = NULL;
            double *work;
            if (!agrees({{x}})) {{fail}}
            work = (double *)malloc(8 * n + 8);
            if (!work) {{{{ PyErr_NoMemory(); {{fail}} }}}}
            Py_XDECREF({{z}});
            {{z}} = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_DOUBLE);
            if (!{{z}}) {{{{ {no_free} {{fail}} }}}}
            list = PyList_New(0);
            if (!list {no_check}) {{{{ free(work); {{fail}} }}}}
            if (PyList_Append(list, (PyObject *){{x}}) < 0) {{{{ {swallowed} free(work); {no_decref} {swallow} }}}}
            if (n == 17) {{{{ PyErr_SetNone(PyExc_ValueError); {seventeen} free(work); Py_DECREF(list); {{fail}} }}}}
            for (i = 0; i < n; i++) work[i] = *(double *)PyArray_GETPTR1({{x}}, i);
            for (i = 0; i < n; i++) *(double *)PyArray_GETPTR1({{z}}, i) = work[i];
            {leak}
            free(work);
            Py_DECREF(list);
        """

    def c_code_cache_version(self):
        return (1,)
op = Op()
'''
RIGHT = {
    "no_free": "free(work);", "no_check": "", "swallowed": "", "no_decref": "Py_DECREF(list);", "swallow": "{fail}",
    "seventeen": "", "leak": "",
}  # fmt: skip


@pytest.fixture
def ops(tmp_path, own_cache):
    """Gives the subject of an op with a fault."""

    def make(**wrong):
        path = tmp_path / f"bad_{len(list(tmp_path.iterdir()))}.py"
        path.write_text(BAD.format(wrong=", ".join(wrong), **{**RIGHT, **wrong}))
        (subject,) = found(read(f"{path}:op"))
        return subject, path

    return make


def forced(subject, *inputs):
    """What comes of each place: by what is called, the outcomes that are not good."""
    places = forcing.Places(subject.recipe, inputs)
    outcomes, covered = trials.forced(places)
    wrong = {}
    for trial, outcome in outcomes.items():
        if not outcome.good:
            wrong.setdefault(places.listed[trial.place].name, set()).add(outcome.what)
    return wrong, [place for place in places.own if place.number not in covered]


def line_of(path, text):
    (line,) = [number for number, found in enumerate(path.read_text().splitlines(), 1) if text in found]
    return line


def test_an_op_without_a_fault_passes_everything(ops):
    subject, path = ops()
    report = Report()
    rows = check(subject, report)
    names = [name for name in CHECKS if name not in ASKED_FOR]
    assert [(row.check, row.verdict, row.faults) for row in rows] == [(name, "passed", ()) for name in names]
    said = {row.check: row.said for row in rows}
    assert said["places"].startswith("10 of 10 places forced, and ")
    assert said["memory"].split()[0].isdecimal() and int(said["memory"].split()[0]) > 6
    places = forcing.Places(subject.recipe, [(np.ones(3),)])
    assert {place.file for place in places.own} == {str(path)} and all(place.exact for place in places.own)
    (memory,) = [place for place in places.own if place.kind == "memory"]
    assert memory.line == line_of(path, "malloc(") and str(memory) == f"{path}:{memory.line}: malloc"


def test_a_short_form_is_checked_as_calls_on_arrays_have_it():
    double = opweld.cop("x: inout T[n], k: T", "for (npy_intp i = 0; i < n; i++) x[i] *= k;")
    subject = subject_of(double, "double")
    assert [spec.mutable for spec in subject.recipe.inputs] == [True, False]
    inputs = (np.ones(6)[::2], 2.0)
    places = forcing.Places(subject.recipe, [inputs])
    outcomes, covered = trials.forced(places)
    assert all(outcome.good for outcome in outcomes.values())
    (back,) = [place for place in places.listed.values() if place.file == "double/glue"]
    assert back.name == "PyArray_CopyInto" and back.number in covered


@pytest.mark.parametrize(
    ("wrong", "name", "what"),
    [
        ({"no_free": ""}, "PyArray_SimpleNew", "leak"),
        ({"no_decref": ""}, "PyList_Append", "leak"),
        ({"no_check": "&& 0"}, "PyList_New", "crash"),
        ({"swallowed": "PyErr_Clear();"}, "PyList_Append", "lost exception"),
        (
            {"swallow": "PyErr_Clear(); n = 0; work = NULL; *(double *)PyArray_DATA({z}) = 9;"},
            "PyList_Append",
            "wrong result",
        ),
        ({"seventeen": "Py_INCREF(list);"}, "fail", "leak"),
        ({"seventeen": "Py_INCREF({x});"}, "fail", "leak"),
        ({"seventeen": "Py_DECREF({x});"}, "fail", "over-release"),
        ({"leak": "Py_INCREF({x});"}, "nothing is forced", "leak"),
        ({"leak": "PyMem_Malloc(100);"}, "nothing is forced", "leak"),
    ],
)
def test_each_fault_is_found_at_its_place(ops, wrong, name, what):
    subject, _ = ops(**wrong)
    found, missed = forced(subject, (np.arange(40.0),))
    assert found[name] == {what}
    assert missed == [] or "no_check" in wrong


def test_a_place_that_no_input_leads_to_is_told(ops):
    subject, path = ops(seventeen="if (i == 3) {fail}")  # nobody has set an exception that it could be forced with
    report = Report()
    (row,) = check(subject, report, ["places"], examples=3)
    line = line_of(path, "if (n == 17)")
    (fault,) = row.faults
    assert fault == (f"{path}:{line}: fail", "not come to", "no input that is known leads here: give one")
    assert row.verdict == "failed" and row.said.startswith("10 of 11 places forced")


def test_memory_that_is_refused(ops):
    subject, _ = ops()
    outcomes = trials.refused(forcing.Places(subject.recipe, [(np.arange(3.0),)]))
    assert {outcome.what for outcome in outcomes.values()} <= {"raised", "survived"}
    assert sum(outcome.said == "MemoryError" for outcome in outcomes.values()) >= 6
    subject, _ = ops(no_decref="")
    found = trials.refused(forcing.Places(subject.recipe, [(np.arange(3.0),)]))
    assert {outcome.what for outcome in found.values()} == {"raised", "survived", "leak"} or {
        outcome.what for outcome in found.values()
    } == {"raised", "leak"}


def test_a_module_without_faults_is_the_same_as_ever(ops, own_cache):
    subject, _ = ops()
    plain = subject.make().maker
    built = subject.make(faults=True).maker
    assert plain.program.bytes == built.program.bytes and plain.built.path != built.built.path
    assert b"opw_forced" not in Path(plain.built.source).read_bytes()
    assert not hasattr(plain.built.module, "fault_arm") and hasattr(built.built.module, "fault_arm")
    assert built.create()(np.arange(4.0)).tolist() == [0, 1, 2, 3]


def test_calls_that_crash_are_told_with_their_inputs(ops):
    subject, _ = ops(leak="if (n == 0) *(volatile int *)0 = 1;")
    (row,) = check(subject, Report(), ["run"], examples=10)
    assert row.verdict == "failed"
    crash = row.faults[0]
    assert crash.what == "crash" and crash.said.startswith("SIGSEGV, called with (float64[0], strides [0])")
    subject, _ = ops(leak="for (;;) if (n != 1) break;")
    (row,) = check(subject, Report(), ["run"], examples=4, seconds=3)
    assert [(fault.what, fault.said) for fault in row.faults] == [
        ("hang", "nothing came back within 3 s, called with (float64[1], strides [8])")
    ]


def test_accounts_are_kept_of_each_input(ops):
    subject, path = ops(leak="if (n == 1) PyMem_Malloc(100);")
    (row,) = check(subject, Report(), ["account"], examples=5)
    where = f"{path}:{line_of(path, 'if (n == 1) PyMem_Malloc')}"
    assert [(fault.where, fault.what) for fault in row.faults] == [(where, "leaked-memory")]
    assert row.verdict == "failed" and row.said.startswith("5 inputs")


# ---- what crashes where it is made or run ----

CRASHING = """
import numpy as np, opweld
from opweld import compat
from opweld import tensor as T
boom = opweld.cop("x: T[n] -> y: T[n]", "if (n == 4) *(volatile int *)0 = 1; memcpy(y, x, n * 8);")
fine = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];")
class Starts(opweld.COp):
    __props__ = ()
    itypes = [T.dvector]
    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])
    def c_init_code(self):
        return ["*(volatile int *)0 = 1;"]
    def c_code(self, node, name, inputs, outputs, sub):
        return f"Py_XDECREF({outputs[0]}); {outputs[0]} = (PyArrayObject *)PyArray_NewCopy({inputs[0]}, NPY_CORDER);"
if __name__ == "__main__":
    x = T.dvector("x")
    f = opweld.function([x], boom(x), name="f")
    g = opweld.function([x], fine(x), name="g")
    g(np.ones(2))
    f(np.ones(4))
"""


def test_sanitizers_are_run_where_they_are_asked_for(ops):
    _, path = ops(leak="work[n + 1] = 1;")
    done = run(f"{path}:op", "--json", "--only", "run", "--sanitize", "--examples", "5")
    rows = {row["check"]: row for row in json.loads(done.stdout)["rows"]}
    assert done.returncode == 1 and [row["verdict"] for row in rows.values()] == ["passed", "failed"]
    (fault,) = rows["sanitize"]["faults"]
    assert fault["where"] == f"{path}:{line_of(path, 'work[n + 1]')}" and fault["what"] == "heap-buffer-overflow"
    assert "AddressSanitizer" in fault["said"] and rows["sanitize"]["said"].endswith("inputs, address,undefined")
    right, path = ops()
    (row,) = check(right, Report(), only=["sanitize"], examples=5)
    assert (row.verdict, row.faults) == ("passed", ())


class Watches(opweld.COp):
    """What it does to memory of its own, of which none but valgrind sees it all."""

    __props__ = ("how",)
    parts: ClassVar[dict[str, str]] = {
        "reads": "at = work[n];",
        "decides": "if (work[n-1] > 3) PyErr_Clear();",
        "loses": "work = NULL;",
        "right": "",
    }

    def __init__(self, how):
        self.how = how

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_headers(self):
        return ["<stdlib.h>"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
            npy_intp n = PyArray_DIM({x}, 0) + 1;
            double *volatile work = (double *)malloc(n * sizeof(double)); /* asked for */
            volatile double at = 0;
            if (!work) {{ PyErr_NoMemory(); {fail} }}
            for (npy_intp i = 0; i < n - 1; i++) work[i] = at;
            {self.parts[self.how]}
            free(work);
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_ZEROS(1, PyArray_DIMS({x}), NPY_DOUBLE, 0);
            if (!{z}) {fail}
        """


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_what_valgrind_sees_is_told_by_the_users_line():
    x = T.dvector("x")
    subject = subject_of(sum([Watches(how)(x) for how in Watches.parts]), "watches")  # one process: it is slow to start
    (row,) = check(subject, Report(), ["valgrind"], examples=4)
    found = {fault.what: fault for fault in row.faults}
    assert sorted(found) == ["invalid read", "memory lost", "uninitialised value"] and len(row.faults) == 3
    line = line_of(HERE, "            {self." + "parts[self.how]}")
    assert found["invalid read"].where == found["uninitialised value"].where == f"{HERE}:{line}"
    assert "0 bytes after a block of size" in found["invalid read"].said
    asked = line_of(HERE, "/* asked" + " for */")
    assert found["invalid read"].said.endswith(f"{HERE}:{asked}") and found["memory lost"].where == f"{HERE}:{asked}"
    assert row.verdict == "failed" and row.said == "4 inputs"


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_loops_for_any_processor_run_under_valgrind():
    """It has none of the instructions of the highest level."""
    x = T.dvector("x")
    (row,) = check(subject_of(opweld.function([x], T.exp(x) + x), "loop"), Report(), ["valgrind"], examples=4)
    assert (row.verdict, row.faults) == ("passed", ())


def test_without_valgrind_nothing_is_checked(monkeypatch, ops):
    subject, _ = ops()
    monkeypatch.setenv("PATH", "/nowhere")
    (row,) = check(subject, Report(), ["valgrind"], examples=4)
    assert (row.verdict, row.said) == ("skipped", "not installed")


def test_a_crash_ends_nothing(tmp_path, own_cache):
    path = tmp_path / "crashing.py"
    path.write_text(CRASHING)
    report = check_all([str(path)], ["run"], examples=3)
    assert [(row.subject, row.check, row.verdict) for row in report.rows] == [
        (str(path), "found", "failed"), ("f", "run", "failed"), ("g", "run", "passed"),
    ]  # fmt: skip
    assert report.rows[0].faults == (("", "crash", "SIGSEGV"),)
    assert "called with (float64[4]" in report.rows[1].faults[0].said
    report = check_all([f"{path}:Starts", f"{path}:fine"], ["run"], examples=3)
    assert [(row.check, row.verdict, [fault[1:] for fault in row.faults]) for row in report.rows] == [
        ("found", "failed", [("crash", "SIGSEGV")]), ("run", "passed", []),
    ]  # fmt: skip


def test_ops_in_place_are_given_inputs_that_they_may_write_over():
    """By their destroy_map: the op, and what it computes."""
    x = T.dvector("x")
    for value in (kit.InPlace(), kit.InPlace()(x), kit.InPlace()(T.exp(x) * 2)):
        subject = subject_of(value, "in place")
        assert [spec.mutable for spec in subject.recipe.inputs] == [getattr(value, "owner", None) is None
                                                                    or value.owner.inputs[0] is x]  # fmt: skip
        rows = check(subject, Report(), ["run", "DebugMode", "account"], examples=3)
        assert [row.verdict for row in rows] == ["passed"] * 3, rows


class Another(opweld.COp):
    """It stores what it has not promised."""

    __props__ = ()
    itypes: ClassVar = [T.dvector]
    otypes: ClassVar = [T.fvector]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
        Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
        if (!{z}) {fail}
        """


def test_why_no_inputs_are_taken_is_told():
    (row,) = check(subject_of(Another(), "another"), Report(), ["run"], examples=3)
    (fault,) = row.faults
    said = (
        "TypeError: Another: c_code stored float64 of shape (3,) in output 0; make_node promised float32 of shape (?,)"
    )
    assert fault.what == "nothing was checked" and said in fault.said


def test_one_that_does_not_compile_leaves_the_others(tmp_path, own_cache):
    path = tmp_path / "ops_two.py"
    path.write_text(
        "import opweld\n\n"
        'wrong = opweld.cop("x: T[n] -> y: T[n]", "y[0] = nowhere;")\n'
        'fine = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];")\n'
        "x = opweld.tensor.dvector('x')\nfirst = wrong(x)\n"
    )
    report = check_all([str(path)], ["run"], examples=3)
    (found, *rows) = report.rows
    assert (found.check, found.verdict, found.said) == ("found", "failed", "1 functions")
    assert {(fault.where, fault.what) for fault in found.faults} == {
        ("wrong", "CompileError"),
        ("first", "CompileError"),
    }
    assert all("nowhere" in fault.said for fault in found.faults)
    assert [(row.subject, row.verdict) for row in rows] == [("fine", "passed")]
    (row,) = check_all([f"{path}:wrong"], ["run"], examples=3).rows
    assert row.verdict == "failed" and row.faults[0].what == "CompileError"


def test_a_script_that_raises_is_checked_up_to_there(tmp_path, own_cache):
    path = tmp_path / "raises.py"
    path.write_text(CRASHING.replace("np.ones(4)", "np.ones(3)") + "    raise ValueError('too far')\n")
    report = check_all([str(path)], ["run"], examples=3)
    line = len(path.read_text().splitlines())
    assert report.rows[0].faults == ((f"{path}:{line}", "ValueError", "too far"),)
    assert {row.subject for row in report.rows[1:]} == {"f", "g"}
    with pytest.raises(opweld.addresses.Unknown, match="ended with 3"):
        path.write_text("raise SystemExit(3)")
        check_all([str(path)])


def test_a_function_that_crashes_as_it_is_made(tmp_path, own_cache, monkeypatch):
    monkeypatch.setattr(Subject, "make", lambda *_, **__: ctypes.string_at(0))
    x = T.dvector("x")
    report = Report()
    rows = check_apart(Subject("made", opweld.function([x], x * 2).maker.recipe), report, ["lint", "run"])
    assert [(row.check, row.faults) for row in rows] == [
        (name, (("", "crash", "SIGSEGV"),)) for name in ("lint", "run")
    ] and rows == report.rows


# ---- what is checked, and with what ----


def test_inputs_are_drawn_from_types():
    drawn = drawing.drawn([T.dmatrix().type, T.TensorType("int8", shape=(2,))], 30)
    assert drawing.drawn([T.dvector().type], 9)[0][0].tolist() == [1, 2, 3]
    assert len(drawn) > 20 and all(m.dtype == float and m.ndim == 2 and v.shape == (2,) for m, v in drawn)
    assert any(not m.flags.c_contiguous for m, _ in drawn) and any(m.size == 0 for m, _ in drawn)
    assert drawing.drawn([], 5) == [()]


def test_one_size_alone_is_zero():
    points, count, word = T.dmatrix().type, T.iscalar().type, T.TensorType("float64", shape=(4, None))
    drawn = [tuple(a.shape for a in one) for one in drawing.drawn([points, points], 40)]
    plain = [((n, n), (n, n)) for n in (3, 1, 0)]
    one = [((0, 3), (3, 3)), ((3, 0), (3, 3)), ((3, 3), (0, 3)), ((3, 3), (3, 0))]
    both = [((0, 3), (0, 3)), ((3, 0), (3, 0))]
    assert drawn[:11] == [*plain, *one, *both, ((0, 0), (3, 3)), ((0, 3), (3, 0))]
    few = drawing.drawn([points, count, word], 20)[3:8]
    assert [(m.shape, int(n), w.shape) for m, n, w in few] == [
        ((0, 3), 1, (4, 3)), ((3, 0), 1, (4, 3)), ((3, 3), 0, (4, 3)), ((3, 3), 1, (4, 0)), ((3, 0), 1, (4, 0)),
    ]  # fmt: skip
    assert len(drawing.drawn([points, points], 40)) == 40 and len(drawing.drawn([T.dscalar().type], 20)) <= 20


def test_what_only_no_centres_bring_down(own_cache):
    body = "for (npy_intp i = 0; i < n; i++) y[i] = c[i % k * d];"
    turns = opweld.cop("x: float64[n, d], c: float64[k, d] -> y: float64[n]", body)
    (row,) = check(subject_of(turns, "turns"), Report(), ["run"], examples=20)
    assert row.faults[0].what == "crash"
    assert row.faults[0].said.startswith("SIGFPE, called with (float64[3, 3], strides [24, 8]; float64[0, 3]")


def test_what_a_module_names_is_found(tmp_path):
    path = tmp_path / "named.py"
    path.write_text(
        "import opweld\nfrom opweld import tensor as T\n"
        "square = opweld.cop('x: T[n] -> y: T[n]', 'for (npy_intp i = 0; i < n; i++) y[i] = x[i] * x[i];')\n"
        "x = T.dvector('x')\nf = opweld.function([x], x + 1, name='f')\ngraph = x * 2\n_hidden = x * 3\n"
        "if __name__ == '__main__':\n    f([1.0, 2.0])\n"
    )
    named = {subject.name: subject for subject in found(read(str(path)))}
    assert sorted(named) == ["f", "graph", "square"]
    assert named["f"].given == [([1.0, 2.0],)] and named["square"].types == [T.TensorType("float64", (None,))]
    with pytest.raises(opweld.addresses.Unknown, match="expected a function"):
        found(read(f"{path}:x"))


def test_inputs_that_a_module_gives(tmp_path):
    path = tmp_path / "gives.py"
    path.write_text(
        "import numpy as np\nfrom opweld import cop\n"
        "pick = cop('x: float64[n], i: int64 -> y: float64', '''\n"
        "    if (i < 0 || i >= n) fail(IndexError, \"no\");\n    y = x[i];''')\n"
        "opweld_check_inputs = {'pick': [(np.arange(3.0), 1), (np.arange(3.0), 7)]}\n"
    )
    (subject,) = found(read(str(path)))
    assert [values[1] for values in subject.given] == [1, 7]
    rows = check(subject, Report(), ["run", "places"], examples=0)
    assert [row.verdict for row in rows] == ["passed", "passed"]
    assert rows[0].said == "1 inputs taken, 1 refused"
    forced, _, all_of_them, *_ = rows[1].said.split()
    assert forced == all_of_them != "0"


def test_arguments_by_name_and_out():
    """A call may have them; so have those that a script makes."""
    x, k = T.dvector("x"), T.dscalar("k")
    f = opweld.function([x, opweld.In(k, value=2.0)], x * k, name="f")
    given = [(np.ones(3),), Call(np.ones(3), k=3, out=np.empty(3)), Call(np.ones(3), out=np.empty(2)), Call(x="a")]
    one = checks.Course(Subject("f", f.maker.recipe, given), Report(), 0, 60.0)
    for name in ("run", "places", "memory"):
        one.go(name)
    assert [row.verdict for row in one.rows] == ["passed"] * 3 and one.rows[0].said == "2 inputs taken, 2 refused"
    of_words = {number for number, place in one.forced.listed.items() if place.name == "PyArray_CopyInto"}
    assert len(one.covered) > 40 and of_words
    with recording() as made:
        g = opweld.function([x], x + 1)
        g(x=np.arange(2.0), out=np.empty(2))
    (call,) = made[0].calls
    assert call == () and call.names["x"].tolist() == [0, 1] and list(call.names) == ["x", "out"]


def test_what_else_is_done_with_a_function():
    """Scenes of its own: their places are forced too."""
    x = T.dvector("x")
    f = opweld.function([x], x + 1)
    subject = Subject("f", f.maker.recipe, [(np.ones(2),)], {"shown": repr})
    one = checks.Course(subject, Report(), 0, 60.0)
    one.go("places")
    shown = [trial for trial, outcome in one.outcomes["places"].items() if trial.scene == "shown" and outcome.good]
    assert [one.forced.listed[trial.place].name for trial in shown] == ["PyUnicode_FromFormat"]


def test_an_exception_that_does_not_come_is_a_wrong_result(ops, monkeypatch):
    """Where a call raises without a fault, it must with one."""
    x = T.dvector("x")
    found = forcing.Places(opweld.function([x], x + 1).maker.recipe, [("a",), (np.ones(2),)])
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)  # what is the child's own alone elsewhere
    with np.errstate(), warnings.catch_warnings():
        one = trials._Trials(found, print)
        gc.unfreeze()
        list(one.scenes())
    refused, taken = (forcing.Trial("call", i, forcing.NOTHING, 1) for i in (0, 1))
    assert not one.same(refused, np.ones(2)) and one.same(taken, np.full(2, 2.0)) and not one.same(taken, np.ones(2))


def test_results_that_are_never_the_same_are_not_compared():
    calls = itertools.count()
    x = T.dvector("x")
    f = opweld.function([x], kit.Python(lambda a: a + next(calls))(x))
    rows = check(Subject("f", f.maker.recipe, [(np.ones(2),)]), Report(), ["run", "places", "memory"], examples=0)
    assert [row.verdict for row in rows] == ["passed"] * 3, rows


def test_copies_lie_in_memory_as_what_they_are_of():
    m = np.arange(24.0).reshape(4, 6)
    read_only = np.arange(3.0)
    read_only.flags.writeable = False
    for array in (m, m.T, m[::-2, ::2], kit.misaligned(m), read_only, np.broadcast_to(1.0, (3, 4)), m[:0, ::2],
                  np.array([1, "a"], object)[::-1], np.ma.masked_array([1.0, 2.0], [True, False])):  # fmt: skip
        made = forcing.copy_of(array)
        assert type(made) is type(array) and made.shape == array.shape and not np.shares_memory(made, array)
        assert np.array_equal(made, array) and made.flags.aligned == array.flags.aligned
        assert array.dtype.hasobject or not array.size or made.strides == array.strides
        assert made.flags.writeable == array.flags.writeable


def test_arguments_that_are_written_come_with_gaps():
    """A body that wants them contiguous copies back: a place of its own."""
    scale = opweld.cop("x: inout T[n], k: T = 2", "for (npy_intp i = 0; i < n; i++) x[i] *= k;")
    with recording() as made:
        scale(np.ones(3))
    one = checks.Course(recorded(made[0]), Report(), 3, 60.0)
    one.go("places")
    (back,) = [p for p in one.forced.listed.values() if p.name == "PyArray_CopyInto" and p.file.endswith("/glue")]
    assert back.number in one.covered


@pytest.mark.skipif(shutil.which("gcc") is None, reason="OpenMP of GCC's")
def test_openmp_does_not_hang_in_a_child():
    """The parent's threads are gone there; libgomp would wait for them."""
    x = T.dvector("x")
    f = opweld.function([x], Norm()(x))
    assert f(np.ones(1000)) == 1000  # starts the threads
    subject = Subject("norm", f.maker.recipe, [(np.ones(1000),)])
    rows = check(subject, Report(), ["run", "places"], examples=0, seconds=20.0)
    assert [row.verdict for row in rows] == ["passed"] * 2, rows


class Norm(opweld.COp):
    """The sum of squares, on several threads."""

    __props__ = ()
    itypes, otypes = (T.dvector,), (opweld.scalar.float64,)

    def c_compile_args(self):
        return ["-fopenmp"]

    def c_libraries(self):
        return ["gomp"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            double sum = 0;
            #pragma omp parallel for reduction(+ : sum)
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                sum += *(double *)PyArray_GETPTR1({x}, i);
            {z} = sum;
        """


def test_nothing_checked_is_no_pass(ops):
    subject, _ = ops()
    rows = check(subject, Report(), examples=0)
    assert [(row.check, row.verdict) for row in rows] == [
        ("lint", "passed"), ("run", "failed"), ("DebugMode", "skipped"), ("account", "skipped"), ("places", "skipped"),
        ("memory", "skipped"),
    ]  # fmt: skip
    assert rows[1].faults[0].said == "no inputs are known that it takes: give some (docs/check.md)"


def test_a_child_that_dies_says_how():
    def dies(send):
        send(1)
        import os

        os.abort()

    assert list(apart.messages(dies, 20)) == [1, apart.Ended("crash", "SIGABRT")]
    assert list(apart.messages(lambda send: send({"a": 2}), 20)) == [{"a": 2}]
    assert list(apart.messages(lambda send: 1 / 0, 20)) == [apart.Ended("error", "ZeroDivisionError: division by zero")]


# ---- the command ----


def run(*arguments, **more):
    flags = f"compiledir={config.compiledir},cflags={config.cflags},cxxflags={config.cxxflags}"
    import os

    environment = {**os.environ, "OPWELD_FLAGS": flags}
    command = [sys.executable, "-m", "opweld", "check", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, **more)


def test_the_command(ops, tmp_path):
    _, path = ops(no_decref="")
    done = run(f"{path}:op", "--junit", tmp_path / "check.xml", "--examples", "5")
    assert done.returncode == 1, done.stderr
    line = line_of(path, "PyList_Append")
    assert f"{path}:{line}: PyList_Append: leak: " in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].endswith("checks failed: 1 function, 6 checks")
    (suite,) = ElementTree.parse(tmp_path / "check.xml").getroot()
    assert (suite.get("name"), suite.get("tests")) == ("op", "6") and int(suite.get("failures")) >= 2
    assert any(case.find("failure") is not None and case.get("name") == "places" for case in suite)
    done = run(f"{path}:op", "--json", "--only", "run", "--examples", "5")
    facts = json.loads(done.stdout)
    assert done.returncode == 0 and facts["passed"] == 1 and facts["rows"][0]["check"] == "run"
    assert run("nowhere.py").returncode == 1 and run(path, "--only", "luck").returncode == 2


# ---- all that comes with the project ----


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_examples_pass(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    if path.stem in ("demo", "pytensor_op", "pytensor_model", "gray_scott"):
        pytest.skip("it runs the others, or its ops are another package's, or its grids take minutes")
    monkeypatch.setattr(sys, "path", [str(EXAMPLES), *sys.path])
    names = {"old_digits": ("im2col", "max_pool", "max_pool_grad", "softmax")}.get(path.stem)  # not the whole network
    report = Report()
    try:
        for address in [f"{path}:{name}" for name in names] if names else [str(path)]:
            for subject in found(read(address)):
                check(subject, report, examples=20)
    finally:
        compat.uninstall("theano")  # which old_digits installs
    assert report.rows and [str(fault) for row in report.wrong for fault in row.faults] == []
    assert all(row.verdict == "passed" for row in report.rows)
