"""``%%cop`` and short forms in IPython itself: a process of its own that runs cells."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("IPython")

RUN = """
import sys
from IPython.terminal.interactiveshell import TerminalInteractiveShell

shell = TerminalInteractiveShell.instance(simple_prompt=True, colors="NoColor")
for cell in sys.stdin.read().split("\\n====\\n"):
    print("@@@@")
    shell.run_cell(cell, store_history=True)
"""


@pytest.fixture(scope="module")
def ipython(tmp_path_factory):
    """Run cells; gives what each of them shows, without the rule over a traceback."""
    home = tmp_path_factory.mktemp("ipython")

    def run(*cells):
        given = "\n====\n".join(textwrap.dedent(cell).strip("\n") for cell in cells)
        ended = subprocess.run(
            [sys.executable, "-c", RUN], input=given, capture_output=True, text=True, timeout=300, cwd=home,
            env={**os.environ, "IPYTHONDIR": str(home)},
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        shown = ended.stdout.split("@@@@\n")[1:]
        return [one.replace("-" * 75 + "\n", "").strip("\n") for one in shown]

    return run


def test_cells_of_c(ipython):
    shown = ipython(
        "%load_ext opweld",
        """
        %%cop double_(x: T[n], k: T = 2) -> y: T[n]
        for (npy_intp i = 0; i < n; i++)
            y[i] = k * x[i];
        """,
        "double_([1.0, 2.0])",
        """
        %%cop bad(x: T[n]) -> y: T
        double a = 1;
        y = q;
        """,
        "bad([1.0])",
        """
        %%cop --ufunc --check
        // cop: f(x: T) -> y: T
        { y = 2 * x; }
        // cop: g(x: T[n]) -> y: T
        { y = x[n]; }
        """,
        "f([1, 2]), f",
        "g([1, 2])",
        "double_([1.0], [2.0])",
        "double_??",
    )
    assert shown[:2] == ["", ""] and shown[2] == "Out[3]: array([2., 4.])" and shown[3] == shown[5] == ""
    head, _, error = shown[4].partition("\n\n")
    assert head.startswith("CompileError ") and head.endswith("\nCell In[5], line 1\n----> 1 bad([1.0])")
    assert error.startswith(
        "CompileError: bad does not compile: In[4]:3:5\n  'q' undeclared (first use in this function)\n"
    )
    assert shown[6] == "Out[7]: (array([2, 4]), <ufunc 'f'>)"
    assert "IndexError: g: x[2] in line 1 of the body: x has 2 elements" in shown[7]
    assert shown[8].count("\n") == 4 and "TypeError: double_() argument 'k'" in shown[8]
    assert "double_(x: T[n], k: T = 2) -> y: T[n]" in shown[9] and "k : T, optional; 2 if left out" in shown[9]


def test_what_the_lint_finds_is_said_below_the_cell(ipython):
    """At the line of the cell, once: as in a terminal."""
    op = """
        import opweld
        class Copies(opweld.COp):
            __props__ = ()
            def make_node(self, x):
                return opweld.Apply(self, [x], [x.type()])
            def c_code(self, node, name, inputs, outputs, sub):
                (x,), (z,), fail = inputs, outputs, sub["fail"]
                return f'''
                {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
                if (!{z}) {fail}
                '''
        """
    make = "x = opweld.tensor.dvector('x')\nf = opweld.function([x], Copies()(x), lint='warn')"
    shown = ipython("import sys; sys.stderr = sys.stdout", op, make, make, make.replace("warn", "error"))
    assert shown[2].startswith("<ipython-input-2-") and ">:9: LintWarning: the array that {z} held is lost" in shown[2]
    assert "      9 | {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);" in shown[2]
    assert shown[3] == "" and "LintError: f: <ipython-input-2-" in shown[4]


def test_mistakes_are_short(ipython):
    """A call shows the user's line alone; what makes a function one line of opweld's more."""
    shown = ipython(
        "%load_ext opweld",
        "import opweld",
        "%%cop wrong(x: T[n] -> y: T\ny = 1;",
        "%%cop x: T[n] -> y: T\ny = 1;",
        "h = opweld.cop('x: T[n] -> y: T', '''\n  y = qq;\n''')\nh([1.0])",
        "opweld.cop('x: T[n] -> y: T[m]', ';')",
        "opweld.wrap('int f(int b)', signature='a: int32 -> int32')",
        "opweld.cop.file('none.c')",
    )
    assert (
        'SignatureError: wrong: signature, line 1, column 15: expected ")" after the inputs, found "->"\n' in shown[2]
    )
    assert shown[2].endswith("    wrong(x: T[n] -> y: T\n                  ^")
    assert "ValueError: %%cop: the signature needs a name" in shown[3]
    assert "CompileError: h does not compile: <ipython-input-5-" in shown[4] and ">:2:7\n" in shown[4]
    assert 'size "m" is bound by no input' in shown[5] and 'the signature has no "b"' in shown[6]
    ours = [one.replace("/opweld/build/", "/").count("/opweld/") for one in shown[2:7]]  # a checkout may be called so
    assert ours == [1, 1, 1, 1, 1] or ours == [1, 1, 0, 1, 1], shown  # of h([1.0]): where the compiler's output lies
    assert "FileNotFoundError" in shown[7]
