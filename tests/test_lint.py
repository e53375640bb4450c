"""`opweld lint`: what it finds, where it says that it is, and in which forms."""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import textwrap

import numpy
import pytest
from click.testing import CliRunner

from opweld import cli, engine, linting

ROOT = pathlib.Path(__file__).parents[1]

C = """\
#section support_code_apply

static int APPLY_SPECIFIC(work)(PyArrayObject *x, PyArrayObject **z)
{
    PyObject *list = PyList_New(0);
    if (!list) return 1;
    Py_CLEAR(*z);
    *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (!*z) return 1;
    Py_DECREF(list);
    return 0;
}
"""

PYTHON = '''\
import opweld
from opweld import tensor as T


class Smooth(opweld.COp):
    __props__ = ()
    itypes = [T.dvector]
    otypes = [T.dvector]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,), fail = inputs, outputs, sub["fail"]
        return f"""
            {y} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{y}) {fail}
        """
'''


@pytest.fixture
def lint(tmp_path):
    """A function that lints texts of files, and gives exit code and output."""

    def run(*options, **files):
        paths = []
        for name, text in files.items():
            path = tmp_path / re.sub("_(?=[a-z]+$)", ".", name)
            path.write_text(textwrap.dedent(text))
            paths.append(str(path))
        result = CliRunner().invoke(cli.main, ["lint", *options, *paths], prog_name="opweld")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return run


def test_a_finding_in_a_file_says_where_how_and_what_to_do(lint, tmp_path):
    code, said = lint(work_c=C)
    lines = said.splitlines()
    assert code == 1
    message = "the reference that `PyList_New(0)` gave is not released at fail"
    assert lines[0] == f"{tmp_path}/work.c:9:14: error: {message} [leaked-reference]"
    assert lines[1:3] == ["      9 |     if (!*z) return 1;", "        |              ^"]
    assert lines[3:5] == [
        "    work.c:5: the reference comes from here",
        "    work.c:8: `PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0)` fails",
    ]
    assert lines[5].startswith("    -> release it with Py_DECREF")
    assert lines[-1] == "1 finding in 1 text"


def test_a_finding_in_a_method_is_at_the_line_of_its_string_with_its_names(lint, tmp_path):
    code, said = lint(smooth_py=PYTHON)
    assert code == 1
    assert said.splitlines()[0] == (
        f"{tmp_path}/smooth.py:13:13: error: the array that {{y}} held is lost: its reference is not released before "
        f"{{y}} gets another value [lost-reference]"
    )


def test_a_finding_at_a_line_that_is_only_fail_is_there(lint, tmp_path):
    failing = """            PyObject *list = PyList_New(0);
            if (!list || PyArray_NDIM({x}) != 1) {{
                {fail}
            }}
            Py_DECREF(list);
            Py_XDECREF({y});
"""
    code, said = lint(smooth_py=PYTHON.replace("            {y} = ", failing + "            {y} = "))
    assert code == 1
    assert f"{tmp_path}/smooth.py:15:17: error: the reference that `PyList_New(0)` gave is not released" in said
    assert "     15 |                 {fail}\n" in said


def test_what_is_right_is_silent(lint):
    right = PYTHON.replace("            {y} = ", "            Py_XDECREF({y});\n            {y} = ")
    assert lint(smooth_py=right) == (0, "nothing found in 1 text\n")
    right = C.replace("if (!*z) return 1;", "if (!*z) { Py_DECREF(list); return 1; }")
    assert lint(work_c=right) == (0, "nothing found in 1 text\n")


def test_json_holds_the_same(lint, tmp_path):
    code, said = lint("--json", work_c=C)
    facts = json.loads(said)
    (found,) = facts["findings"]
    assert (code, facts["fragments"]) == (1, 1)
    assert {key: found[key] for key in ("rule", "severity", "file", "line", "column", "exact")} == {
        "rule": "leaked-reference", "severity": "error", "file": f"{tmp_path}/work.c", "line": 9, "column": 14,
        "exact": True,
    }  # fmt: skip
    assert [(step["line"], step["text"][-5:]) for step in found["path"]] == [(5, " here"), (8, "fails")]


def test_sarif_has_each_rule_and_the_path(lint):
    _, said = lint("--sarif", work_c=C)
    (run,) = json.loads(said)["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == [rule["id"] for rule in engine.rules()] and len(rules) >= 18
    (result,) = run["results"]
    assert result["ruleId"] == "leaked-reference" and result["level"] == "error"
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 9, "startColumn": 14}
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 2


def test_a_comment_with_a_reason_keeps_a_finding_back_and_one_without_does_not(lint):
    reason = C.replace(
        "if (!*z) return 1;", "if (!*z) return 1; /* opweld-lint: off leaked-reference: it is the last call */"
    )
    assert lint(work_c=reason)[0] == 0
    above = C.replace("    if (!*z)", "    // opweld-lint: off leaked-reference: it is the last call\n    if (!*z)")
    assert lint(work_c=above)[0] == 0
    for kept in ("opweld-lint: off leaked-reference", "opweld-lint: off lost-reference: it is the last call"):
        assert lint(work_c=C.replace("if (!*z) return 1;", f"if (!*z) return 1; /* {kept} */"))[0] == 1


def test_what_cannot_be_read_is_said_and_the_rest_goes_on(lint):
    code, said = lint(odd_c="static int f(void) {\n    LOOP(x) }\n", work_c=C)
    assert code == 1 and "odd.c:2" in said and "[not-understood]" in said and "[leaked-reference]" in said
    assert lint(odd_c="static int f(void) {\n    LOOP(x) }\n")[0] == 0  # a note


RAISES = """
import opweld


class Raises(opweld.COp):
    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        raise KeyError("n")


x = opweld.tensor.dvector("x")
wrong = Raises()(x)
narrow = opweld.cop("x: T[n] -> y: T[n]", "for (int i = 0; i < n; i++) y[i] = x[i];")
"""


def test_what_raises_is_said_and_the_rest_goes_on(lint):
    """A name of a module, a target among others."""
    code, said = lint("--json", raises_py=RAISES)
    facts = json.loads(said)
    assert code == 1 and [one["rule"] for one in facts["findings"]] == ["narrow-int"]
    (text,) = facts["unread"]
    assert text.startswith("wrong: ") and "KeyError" in text
    code, said = lint(
        broken_py="import opweld\nopweld.cop('x: T[n] -> y: T[m]', ';')\n", odd_c="#section nonsense\n", work_c=C
    )
    assert code == 1 and "[leaked-reference]" in said and said.count("not looked at: ") == 2
    assert "nonsense" in said and 'size "m" is bound by no input' in said


def test_what_is_not_there_is_an_error(lint):
    result = CliRunner().invoke(cli.main, ["lint", "nowhere.c"], prog_name="opweld")
    assert result.exit_code == 1 and "nowhere.c" in result.output
    assert lint(odd_c="#section nonsense\n")[0] == 1


def test_the_hook_for_pre_commit(tmp_path):
    """What the page and the repository offer is one command, which takes the files of a commit."""
    facts = []
    for path in (ROOT / "docs/lint.md", ROOT / ".pre-commit-hooks.yaml"):
        lines = path.read_text().partition("- id: opweld-lint")[2].splitlines()[1:]
        facts.append(dict(re.findall(r"(entry|language|types_or): (.*)", "\n".join(lines))))
    assert facts[0] == facts[1] == {"entry": "opweld lint", "language": "system", "types_or": "[c, c++]"}
    (tmp_path / "wrong.c").write_text(C)
    (tmp_path / "right.c").write_text(C.replace("if (!*z) return 1;", "if (!*z) { Py_DECREF(list); return 1; }"))
    command = [sys.executable, "-m", *facts[0]["entry"].split()]
    for files, code in ((["right.c"], 0), (["right.c", "wrong.c"], 1)):
        done = subprocess.run([*command, *files], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == code and ("wrong.c:9:14" in done.stdout) == bool(code), done.stderr


def test_every_rule_has_its_part_of_the_page():
    page = (ROOT / "docs/lint.md").read_text()
    assert re.findall(r"^### `([\w-]+)`", page, re.M) == [rule["id"] for rule in engine.rules()]


def test_what_is_known_of_the_c_api_is_in_the_headers():
    names = re.findall(r'^\t"(\w+)":', (ROOT / "npyapi/functions.go").read_text(), re.M)
    words: set[str] = set()
    for root in (sysconfig.get_path("include"), numpy.get_include()):
        for path in pathlib.Path(root).rglob("*.h"):
            words.update(re.findall(r"\w+", path.read_text(errors="replace")))
    since_3_12 = {"PyErr_GetRaisedException", "PyErr_SetRaisedException"}
    assert len(names) > 600
    assert set(names) - words <= since_3_12


@pytest.fixture(scope="module")
def score():
    """The module that `make score` runs."""
    spec = importlib.util.spec_from_file_location("score", ROOT / "tools/score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_right_fragments_are_silent(score):
    fragments = score.corpus()
    assert len(fragments) >= 60 and sum(f.name.startswith("aside_") for f in fragments) == 15
    found = {f.name: one for f, one in zip(fragments, score.linted(fragments)) if one}
    assert not found


def test_faults_are_found(score):
    made = score.mutants(score.corpus())
    rows = list(zip(made, map(bool, score.linted([mutant.fragment for mutant in made]))))
    assert len(score.KINDS) >= 15 and len(score.EQUIVALENT) <= 0.05 * len(made)
    for _, part in score.parts(rows):
        assert sum(hit for _, hit in part) >= 0.85 * len(part)
        for kind, (hits, count) in score.score(part).items():
            assert 2 * hits >= count, kind


def test_the_librarys_own_c_is_silent():
    report = linting.Report()
    for path in [*sorted((ROOT / "python/opweld").rglob("*.c")), *(ROOT / "examples").glob("*.c")]:
        linting.of_c(str(path), report)
    assert report.fragments > 20 and not report.wrong
    assert not report.findings


def test_short_forms_are_read(lint):
    """What is wrong in one is found at its line; what is found where it ends, where that begins."""
    text = """
        import opweld

        narrow = opweld.cop("x: T[n] -> y: T[n]", "for (int i = 0; i < n; i++) y[i] = x[i];")
        leak = opweld.cop("x: T[n] -> y: T[n]", '''
            PyObject *k = PyLong_FromLong(3);
            for (npy_intp i = 0; i < n; i++) y[i] = x[i];
        ''')
        sound = opweld.cop("x: T[n] -> y: T[n]", '''
            PyObject *k = PyLong_FromLong(3);
            if (!k) fail(MemoryError, "no k");
            for (npy_intp i = 0; i < n; i++) y[i] = x[i];
            Py_DECREF(k);
        ''')
        each = opweld.cop("x: T, y: T -> z: T", "z = x > y ? x : y;", ufunc=True)
    """
    _, said = lint("--json", forms_py=text)
    found = [(pathlib.Path(one["file"]).name, one["line"], one["rule"]) for one in json.loads(said)["findings"]]
    assert sorted(found) == [("forms.py", 4, "narrow-int"), ("forms.py", 6, "leaked-reference")]


REPRS = '''\
import opweld


class Repr(opweld.CType):
    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def c_declare(self, name, sub, check_input=True):
        return f"PyObject *{name};"

    def c_init(self, name, sub):
        return f"{name} = NULL;"

    def c_extract(self, name, sub, check_input=True, **kw):
        return f"""
            PyObject *text = PyObject_Repr(py_{name});
            if (!text) {sub['fail']}
            {name} = PyUnicode_AsUTF8(text) ? PyList_New(0) : NULL;
            if (!{name}) {sub['fail']}
            Py_DECREF(text);
        """

    def c_sync(self, name, sub):
        return ""

    def c_cleanup(self, name, sub):
        return f"Py_XDECREF({name});"



given = opweld.compile.ops.ViewOp()(Repr()("x"))
'''


def test_messages_of_types_have_the_names_of_their_methods(lint):
    _, said = lint("--json", reprs_py=REPRS)
    (found,) = json.loads(said)["findings"]
    assert found["message"] == "the reference that `PyObject_Repr(py_{name})` gave is not released at fail"
    assert found["source"].strip() == "if (!{name}) {sub['fail']}"


HANDED = '''\
import opweld
from opweld import tensor as T


class Both(opweld.COp):
    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [T.dvector(), T.dvector()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y, z), fail = inputs, outputs, sub["fail"]
        return f"""
            void *room = malloc(8);
            if (!room) {{ PyErr_NoMemory(); {fail} }}
            Py_XDECREF({y});
            {y} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{y}) {fail}
            if (PyArray_DIM({x}, 0) > 0) {{
                Py_XDECREF({z});
                Py_INCREF({y});
                {z} = {y};
            }}
        """

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return "free(room);"


both = Both()(T.dvector("x"))
'''


def test_what_cleanups_free_and_what_lists_of_variables_compute(lint):
    """Messages name variables as the user does, those too that do not stand in the line."""
    _, said = lint("--json", both_py=HANDED)
    found = {(one["rule"], one["message"]) for one in json.loads(said)["findings"]}
    assert found == {
        ("undeclared-view", "the outputs {y} and {z} are one array"),
        ("unset-output", "the output {z} is given no array, and holds NULL or what an earlier call left"),
    }
    _, said = lint("--json", both_py=HANDED.replace('return "free(room);"', 'return ""'))
    assert "leaked-memory" in {one["rule"] for one in json.loads(said)["findings"]}


def test_what_a_section_frees_that_runs_behind_another(lint):
    code = "#section code\nvoid *a = malloc(8);\nif (!a) { PyErr_NoMemory(); FAIL }\n"
    assert lint(code_c=code)[0] == 1
    assert lint(code_c=code + "#section code_cleanup\nfree(a);\n") == (0, "nothing found in 2 texts\n")


def test_what_short_forms_and_library_ops_become_is_silent(lint):
    text = """
        import opweld
        from opweld import tensor as T

        smooth = opweld.cop(
            "x: T[n], a: T -> y: T[n]", "y[0] = x[0]; for (npy_intp i = 1; i < n; i++) y[i] = a * x[i];"
        )
        best = opweld.cop("x: T[n, m] -> i: int64, v: T", "i = 0; v = x[0];")
        grow = opweld.cop("x: inout float64[n], k: float64", "for (npy_intp i = 0; i < n; i++) x[i] += k;")
        x, m, i = T.dvector("x"), T.dmatrix("m"), T.lscalar("i")
        both = T.sort(T.concatenate([x, x[1:]]))[i]
        products = T.dot(m, m)
        more = T.argsort(m, axis=1)
        made = T.set_subtensor(x[1:3], x[i])
    """
    code, said = lint("--json", forms_py=text)
    facts = json.loads(said)
    assert (code, facts["findings"]) == (0, []) and facts["fragments"] > 8
