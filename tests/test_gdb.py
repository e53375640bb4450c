"""opweld gdb: breakpoints by the user's lines, names and arrays that can be read, in the real gdb."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap

import pytest
from click.testing import CliRunner
from pages import DOCS

import opweld
from opweld.cli import main
from opweld.debugger import SCRIPT

needs_gdb = pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
MODEL = '''
    import sys
    import numpy as np
    import opweld
    import opweld.tensor as T

    x = T.dmatrix("x")


    class Double(opweld.COp):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
                npy_intp i = 0, n = PyArray_SIZE({x});
                Py_XDECREF({z});
                {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
                if (!{z}) {fail}
                double *to = PyArray_DATA({z});
                for (i = 0; i < n; i++)
                    to[i] *= 2;  // doubled
            """


    f = opweld.function([x], Double()(x))
    print(f(np.arange(6.0).reshape(2, 3)[:, ::-1]), sys.argv[1:])
'''


def under_gdb(tmp_path, text, *commands, name="model.py", arguments=()):
    """What gdb says."""
    script = tmp_path / name
    script.write_text(textwrap.dedent(text).lstrip())
    further = [part for command in commands for part in ("--ex", command)]
    command = [sys.executable, "-m", "opweld.cli", "gdb", "--batch", *further, str(script), *arguments]
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "DEBUGINFOD_URLS": ""}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, cwd=tmp_path, timeout=300)
    return done.stdout + done.stderr


def line(text, sign):
    return 1 + next(i for i, one in enumerate(textwrap.dedent(text).lstrip().splitlines()) if sign in one)


@needs_gdb
def test_a_breakpoint_by_the_line_of_the_method(tmp_path):
    at = line(MODEL, "// doubled")
    commands = f"break model.py:{at}", "run", "print $x", "print opw_V1", "print n", "print i", "backtrace 1", "kill"
    said = under_gdb(tmp_path, MODEL, *commands, arguments=["--last"])
    assert f"model.py:{at}\n{at}\t" in said and "to[i] *= 2;  // doubled" in said, said
    assert "$1 = float64[2, 3] strides [24, -8] {2.0, 1.0, 0.0, 5.0, 4.0, 3.0}" in said, said
    assert "$2 = float64[2, 3] {2.0, 1.0, 0.0, 5.0, 4.0, 3.0}" in said, said
    assert "$3 = 6" in said and "$4 = 0" in said and "#0  Double, C of an op" in said, said


@needs_gdb
def test_a_breakpoint_in_a_file_of_c(tmp_path):
    (tmp_path / "half.c").write_text(
        "#section support_code\n\nint half(PyArrayObject *x, PyArrayObject **z)\n{\n"
        "    Py_XDECREF(*z);\n    *z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);\n"
        "    if (!*z)\n        return 1;\n"
        "    ((double *)PyArray_DATA(*z))[0] /= 2;\n    return 0;\n}\n"
    )
    model = """
        import numpy as np
        import opweld
        import opweld.tensor as T

        x = T.dvector("x")


        class Half(opweld.ExternalCOp):
            __props__ = ()

            def __init__(self):
                super().__init__(["half.c"], "half")

            def make_node(self, x):
                return opweld.Apply(self, [x], [x.type()])


        print(opweld.function([x], Half()(x))(np.array([3.0, 5.0])))
    """
    said = under_gdb(tmp_path, model, "break half.c:9", "run", "print x", "next", "print **z", "print *z", "kill")
    assert "half.c:9\n9\t" in said and "$1 = float64[2] {3.0, 5.0}" in said, said
    assert "= float64[2] {1.5, 5.0}" in said, said


@needs_gdb
def test_a_breakpoint_in_a_short_form(tmp_path):
    model = '''
        import numpy as np
        import opweld

        total = opweld.cop("x: T[n] -> y: T[n]", """
            double last = 0;
            for (npy_intp i = 0; i < n; i++)
                y[i] = last += x[i];  // added
        """)
        print(total(np.arange(4.0)))
    '''
    at = line(model, "// added")
    said = under_gdb(tmp_path, model, f"break model.py:{at}", "run", "print n", "print x[3]", "kill")
    assert f"model.py:{at}\n" in said and "$1 = 4" in said and "$2 = 3" in said, said


def test_lines_are_not_in_other_modules():
    x = opweld.tensor.dvector("x")
    plain = opweld.function([x], opweld.tensor.exp(x))
    other = opweld.function([x], opweld.tensor.exp(x), options={"cmodule__remove_gxx_opt": True})
    assert "opw_names" not in opweld.source(plain) and plain.maker.program.bytes == other.maker.program.bytes


def test_a_text_that_does_not_compile_is_told_as_ever(tmp_path):
    class Wrong(opweld.COp):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return "int wrong = nowhere;"

    x = opweld.tensor.dvector("x")
    said = []
    for debugged in (False, True):
        with pytest.raises(opweld.CompileError) as caught:
            opweld.function([x], Wrong()(x), options={"cmodule__remove_gxx_opt": debugged})
        said.append(str(caught.value).partition("the whole output")[0])
    assert said[0] == said[1] and "Wrong.c_code does not compile" in said[0]


def test_the_command(monkeypatch):
    ran = CliRunner().invoke(main, ["gdb", "--script"])
    assert ran.exit_code == 0 and ran.output.strip() == SCRIPT and os.path.exists(SCRIPT)
    assert json.loads(CliRunner().invoke(main, ["gdb", "--script", "--json"]).output) == {"script": SCRIPT}
    assert CliRunner().invoke(main, ["gdb"]).exit_code == 2
    assert "there is no file nowhere.py" in CliRunner().invoke(main, ["gdb", "nowhere.py"]).output
    monkeypatch.setenv("PATH", "/nowhere")
    ran = CliRunner().invoke(main, ["gdb", __file__])
    assert ran.exit_code == 1 and "there is no gdb on PATH: install it" in ran.output


def test_the_page_names_what_is_there():
    page = (DOCS / "gdb.md").read_text()
    for word in ("opweld gdb", "--script", "--ex", "cmodule__remove_gxx_opt"):
        assert word in page
