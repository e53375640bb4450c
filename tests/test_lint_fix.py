"""`opweld lint --fix`: what has one mend is mended where it was written, and nothing else is changed."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import stat
import subprocess
import sysconfig
import textwrap

import numpy
import pytest
from click.testing import CliRunner

from opweld import cli, engine

ROOT = pathlib.Path(__file__).parents[1]

C = """\
#section support_code_apply

static int APPLY_SPECIFIC(work)(PyArrayObject *x, PyArrayObject **z)
{
    PyObject *list = PyList_New(0);
    if (!list) return 1;
    Py_XDECREF(*z);
    *z = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS(x), NPY_DOUBLE, 0);
    if (!*z) return 1;
    int n = PyArray_DIM(x, 0);
    if (n > 9) {
        PyErr_Format(PyExc_ValueError, "%d", PyArray_DIM(x, 0));
        Py_DECREF(list);
        return 1;
    }
    Py_DECREF(list);
    return 0;
}

#section support_code
static int odd(int n) { return n % 2; }
"""
MENDED = (
    C.replace("if (!*z) return 1;", "if (!*z) { Py_DECREF(list); return 1; }")
    .replace("int n", "npy_intp n", 1)
    .replace('"%d"', '"%zd"')
)

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
            PyObject *list = PyList_New(0);
            if (!list) {fail}
            {y} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{y}) {fail}
            for (int i = 0; i < PyArray_DIM({x}, 0); i++) {{
                *(double *)PyArray_GETPTR1({y}, i) = 0;
            }}
            Py_DECREF(list);
        """
'''
PYTHON_MENDED = (
    PYTHON.replace("            {y} = ", "            Py_XDECREF({y});\n            {y} = ")
    .replace("if (!{y}) {fail}", "if (!{y}) {{ Py_DECREF(list); {fail} }}")
    .replace("for (int i", "for (npy_intp i")
)


@pytest.fixture
def lint(tmp_path):
    """A function that lints a file, and gives exit code and output."""

    def run(path, *options):
        result = CliRunner().invoke(cli.main, ["lint", *options, str(path)], prog_name="opweld")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result.exit_code, result.output

    return run


@pytest.fixture
def write(tmp_path):
    """A function that writes a file."""

    def put(name, text):
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return put


def test_a_file_of_c_is_mended_where_it_stands(lint, write):
    path = write("work.c", C)
    path.chmod(0o640)
    code, said = lint(path, "--fix")
    assert path.read_text() == MENDED
    assert code == 0 and said.count("mended: ") == 3 and said.endswith("nothing found in 2 texts\n")
    assert (
        f"{path}:9: mended: the reference that `PyList_New(0)` gave is not released at fail [leaked-reference]" in said
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o640 and os.listdir(path.parent) == ["work.c"]
    assert lint(path, "--fix") == (0, "nothing found in 2 texts\n") and path.read_text() == MENDED


def test_diff_shows_it_and_writes_nothing(lint, write):
    path = write("work.c", C)
    code, said = lint(path, "--diff")
    assert code == 0 and path.read_text() == C
    assert f"--- {path}\n+++ {path}\n" in said
    assert "-    if (!*z) return 1;\n" in said and "+    if (!*z) { Py_DECREF(list); return 1; }\n" in said
    patched = write("patched.c", C)
    diff = said[: said.index("nothing found")].replace(str(path), str(patched))
    subprocess.run(["patch", "-s", str(patched)], input=diff, text=True, check=True)
    assert patched.read_text() == MENDED


def test_json_says_what_was_mended_and_what_is_left(lint, write):
    path = write("work.c", C.replace("Py_XDECREF(*z);", "Py_XDECREF(*z); x = NULL;").replace("PyArray_DIMS(x)", "0"))
    code, said = lint(path, "--fix", "--json")
    facts = json.loads(said)
    assert facts["files"] == [str(path)] and facts["left"] == []
    assert {one["rule"] for one in facts["mended"]} >= {"leaked-reference"}
    assert code == int(any(one["severity"] != "note" for one in facts["findings"]))


def test_ends_of_lines_and_links_stay(lint, tmp_path):
    path, link = tmp_path / "work.c", tmp_path / "link.c"
    path.write_bytes(C.replace("\n", "\r\n").encode())
    link.symlink_to(path)
    lint(link, "--fix")
    assert link.is_symlink() and path.read_bytes() == MENDED.replace("\n", "\r\n").encode()


def test_strings_of_a_method_are_mended_with_its_names(lint, write):
    path = write("smooth.py", PYTHON)
    code, said = lint(path, "--fix")
    assert path.read_text() == PYTHON_MENDED
    assert (code, said.count("mended: ")) == (0, 3)
    assert lint(path, "--fix") == (0, "nothing found in 1 text\n")


def test_a_plain_string_is_mended_too_where_nothing_depends_on_how_it_is_filled(lint, write):
    plain = PYTHON.replace('f"""', '"""').replace('        """\n', '        """ % {"x": x, "y": y, "fail": fail}\n')
    plain = plain.replace("{x}", "%(x)s").replace("{y}", "%(y)s").replace("{fail}", "%(fail)s")
    plain = plain.replace("{{", "{").replace("}}", "}")
    path = write("smooth.py", plain)
    code, said = lint(path, "--fix")
    assert code == 1 and path.read_text() == plain  # braces in a string that % fills: said, and left
    assert "was not mended: what would be written there depends on how the string is filled" in said
    path = write("less.py", plain.replace("if (!%(y)s) %(fail)s", "if (!%(y)s) { Py_DECREF(list); %(fail)s }"))
    code, said = lint(path, "--fix")
    assert (code, said.count("mended: ")) == (0, 2)
    assert "            Py_XDECREF(%(y)s);\n" in path.read_text() and "for (npy_intp i" in path.read_text()


def test_what_is_put_together_is_said_and_left(lint, write):
    text = PYTHON.replace("PyArray_DIM", "PA_DIM").replace('        """\n', '        """.replace("PA_", "PyArray_")\n')
    path = write("smooth.py", text)
    code, said = lint(path, "--fix")
    assert code == 1 and path.read_text() == text
    assert "was not mended: its line in the file cannot be told" in said


def test_what_is_right_and_what_has_no_single_mend_stay(lint, write):
    kept = "static int f(PyObject *x)\n{\n    if (PyObject_Size(x) > 3) return 1;\n    return 0;\n}\n"
    path = write("f.c", kept)
    lint(path, "--fix")
    assert path.read_text() == kept


@pytest.fixture(scope="module")
def score():
    """The module that `make score` runs."""
    spec = importlib.util.spec_from_file_location("score", ROOT / "tools/score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


#: Of the kinds of `tools/score.py` those that --fix mends, and the least share of what the lint finds of each.
FIXABLE = {
    "release left out": 0.9, "output's release left out": 1, "release twice": 0.9, "NULL test left out": 0.9,
    "failed early": 1, "int for npy_intp": 1, "past the end": 1, "free left out": 1, "failure ignored": 0.6,
    "wrong format": 0.5, "fail left out": 0.4, "exception left out": 0.2, "inverted test": 0,
}  # fmt: skip


@pytest.fixture(scope="module")
def mended(score):
    """Mutants of the kinds that can be mended, and what becomes of each."""
    made = [mutant for mutant in score.mutants(score.corpus()) if mutant.kind in FIXABLE]
    answer = engine.lint(fragments=[mutant.fragment.request() for mutant in made], mend=True)
    rows = []
    for mutant, found, after in zip(made, answer["findings"], answer["mended"]):
        if any(one["severity"] != "note" for one in found):
            rows.append((mutant, after["new"], len(after["fixed"]) == len(found)))
    return rows


def test_faults_of_these_kinds_are_mended(score, mended):
    for kind, least in FIXABLE.items():
        of_kind = [(mutant, clean) for mutant, _, clean in mended if mutant.kind == kind]
        assert sum(clean for _, clean in of_kind) >= least * len(of_kind), kind
        assert least or not any(clean for _, clean in of_kind), kind
    again = score.linted([mutant.fragment._replace(text=text) for mutant, text, clean in mended if clean])
    assert not any(again)


def test_what_was_mended_compiles(mended, tmp_path):
    head = "#include <Python.h>\n#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION\n#include <numpy/arrayobject.h>\n"
    head += "#define FAIL { opw_failure = 1; goto opw_fail; }\n#include <math.h>\n#include <float.h>\n"
    for suffix, command in (".c", ["gcc", "-std=gnu17"]), (".cpp", ["g++", "-std=c++17"]):
        text = head + ("#include <vector>\n#include <memory>\n#include <algorithm>\n" if suffix == ".cpp" else "")
        for at, (mutant, new, clean) in enumerate(mended):
            if clean and mutant.fragment.cxx == (suffix == ".cpp"):
                text += f"/* {mutant.name} */\n" + _function(mutant.fragment, new, at)
        path = tmp_path / f"all{suffix}"
        path.write_text(text)
        includes = [f"-I{sysconfig.get_path('include')}", f"-I{numpy.get_include()}"]
        argv = [*command, "-fsyntax-only", "-w", "-Werror=incompatible-pointer-types", *includes, str(path)]
        if suffix == ".cpp":
            argv.remove("-Werror=incompatible-pointer-types")
        done = subprocess.run(argv, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]


def _function(fragment, text, at):
    """A function, or a namespace's worth of them, of which each has names of its own."""
    if fragment.file:
        defined = [line.split("(")[0].split()[-1] for line in text.splitlines() if line.startswith("static ")]
        for name in dict.fromkeys([*defined, fragment.name]):
            text = text.replace(f"{name}(", f"{name}_{at}(")
        return text + "\n"
    inputs = "".join(f", PyArrayObject *{name}" for name, _ in (*fragment.inputs, *fragment.outputs))
    return f"int f_{at}(int opw_failure{inputs}) {{ {{\n{text}\n; }}\nopw_fail: return opw_failure; }}\n"
