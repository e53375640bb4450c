"""Short forms of a ``.c`` file, and of a notebook's cells."""

from __future__ import annotations

import pickle
import textwrap

import numpy as np
import pytest

import opweld

FILE = """\
// What is here stands at file scope. { "
#include <math.h>
static double half(double x) { return x / 2; } /* cop is a word */

/* cop: smooth(x: T[n],
               a: T = 0.5) -> y: T[n] */
{
    const char *text = "}"; // }
    if (n > 0) { y[0] = x[0]; }
    for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]) + (text[0] != '}');
}

static int three(void) { return 3; }

// cop: halves(x: float64[n]) -> y: float64[n]
{ for (npy_intp i = 0; i < n; i++) y[i] = half(x[i]) + three(); }
"""


def written(tmp_path, text, name="ops.c"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_a_file(tmp_path):
    ops = opweld.cop.file(written(tmp_path, FILE))
    assert sorted(vars(ops)) == ["halves", "smooth"]
    assert ops.smooth(np.array([1.0, 0, 0])).tolist() == [1, 0.5, 0.25]
    assert ops.smooth(np.array([1.0, 0], "f4"), a=0.25).dtype == np.float32
    assert ops.halves([4.0]).tolist() == [5]
    assert pickle.loads(pickle.dumps(ops.smooth))([2.0]) == [2]


def test_a_path_is_relative_to_the_file_that_asks(tmp_path):
    written(tmp_path, FILE)
    script = written(tmp_path, "import opweld\nops = opweld.cop.file('ops.c')\n", "user.py")
    names = {}
    exec(compile(script.read_text(), str(script), "exec"), names)
    assert names["ops"].halves([2.0]) == [4]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [("y[0] = x[0];", "y[0] = q;", 9), ("half(x[i])", "q", 16), ("return x / 2;", "return q / 2;", 3)],
)
def test_errors_are_at_the_files_line(tmp_path, old, new, line):
    ops = opweld.cop.file(written(tmp_path, FILE.replace(old, new)))
    with pytest.raises(opweld.CompileError, match=rf"ops\.c:{line}:\d+\n  .*undeclared"):
        (ops.halves if line != 9 else ops.smooth)(np.ones(2))


WRONG = {
    "int x;": "ops.c: has no short form; a comment that begins with `cop:` holds a signature",
    "\n// cop: f(x: T[n]) -> y: T\nint x; {}": "ops.c:2: expected the body in braces after the signature",
    "\n// cop: f(x: T[n]) -> y: T\n": "ops.c:2: expected the body in braces after the signature",
    "// cop: f(x: T[n]) -> y: T\n{ {": "ops.c:1: its body is never closed",
    "// cop: x: T[n] -> y: T\n{ }": "ops.c:1: the signature has no name: write `cop: name(x: T[n]) -> y: T[n]`",
    "// cop: f(x: T) -> y: T\n{ }\n\n// cop: f(x: T[n]) -> y: T\n{ }": "ops.c:1: there are two short forms called f",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_file(tmp_path, text):
    path = written(tmp_path, text)
    with pytest.raises(ValueError) as caught:
        opweld.cop.file(path)
    assert str(caught.value) == WRONG[text].replace("ops.c", str(path))


def test_options_are_for_all(tmp_path):
    text = "// cop: f(x: T[n], i: int64) -> y: T\n{ y = x[i] + TWO; }\n// cop: g(x: T[n]) -> y: T\n{ y = x[0]; }\n"
    ops = opweld.cop.file(written(tmp_path, text), check=True, args=["-DTWO=2"])
    assert ops.f([1.0], 0) == 3
    with pytest.raises(IndexError, match=r"^f: x\[1\] in line 1 of the body"):
        ops.f([1.0], 1)
    text = "// cop: f(x: T[n]) -> y: T\n{ auto z = x[0]; y = z; }\n"
    assert opweld.cop.file(written(tmp_path, text, "ops.cpp")).f([1.0]) == 1


class Shell:
    """What `load_ipython_extension` and a magic need of IPython's InteractiveShell."""

    def __init__(self):
        self.user_ns, self.magics, self.execution_count = {}, {}, 7

    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        self.magics[magic_kind, magic_name] = func


@pytest.fixture
def magic():
    shell = Shell()
    opweld.load_ipython_extension(shell)

    def run(line, cell):
        shell.magics["cell", "cop"](line, textwrap.dedent(cell))
        return shell.user_ns

    return run


def test_a_cell_is_a_body(magic):
    names = magic("double_(x: T[n], k: T = 2) -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = k * x[i];\n")
    assert names["double_"]([1.0, 2.0]).tolist() == [2, 4]
    names = magic("--nogil --check pick(x: T[n], i: int64) -> y: T", "y = x[i];\n")
    with pytest.raises(IndexError, match=r"pick: x\[3\] in line 1 of the body"):
        names["pick"]([1.0], 3)
    assert magic("--c++ one(x: T[n]) -> y: T", "auto z = x[0]; y = z;\n")["one"]([1.0]) == 1


def test_a_cell_is_a_file(magic):
    names = magic("", "// cop: f(x: T[n]) -> y: T\n{ y = x[0]; }\n// cop: g(x: T[n]) -> y: T\n{ y = q; }\n")
    assert names["f"]([3.0]) == 3
    with pytest.raises(opweld.CompileError, match=r"^g does not compile: In\[7\]:5:7\n"):
        names["g"]([3.0])


def test_errors_are_at_the_cells_line(magic):
    names = magic("f(x: T[n]) -> y: T", "\ny = 1;\ny = q;\n")
    with pytest.raises(opweld.CompileError, match=r"^f does not compile: In\[7\]:4:5\n"):
        names["f"]([3.0])
    with pytest.raises(
        ValueError, match=r"^%%cop: the signature needs a name: write `%%cop name\(x: T\[n\]\) -> y: T\[n\]`$"
    ):
        magic("x: T[n] -> y: T", "y = 1;")
    with pytest.raises(
        ValueError, match=r"^%%cop: unknown option --fast; there are --check, --nogil, --ufunc, --c\+\+$"
    ):
        magic("--fast f(x: T[n]) -> y: T", "y = 1;")
