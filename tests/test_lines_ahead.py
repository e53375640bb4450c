"""Whether a fold asks for lines ahead: it changes no bit, and is decided by the processor and the size."""

import os
import shlex
import signal
import subprocess
import sys
import sysconfig

import numpy as np
import pytest

TEXT = "import json, opweld._engine as e; print(json.loads(e.pyext_Runtime('{}'))['text'])"
ALL = """
import sys, numpy as np, opweld, opweld.tensor as T
opweld.config.cflags += " " + sys.argv[1]
rng = np.random.default_rng(0)
for dtype in ("float64", "float32", "int64"):
    x, y = T.matrix("x", dtype=dtype), T.matrix("y", dtype=dtype)
    folds = [T.sum(x * y, axis=1), T.max(x + y, axis=1), T.sum((x - y) ** 2), T.var(x, axis=1), T.argmin(x, axis=1)]
    folds += [T.max(x + y, axis=0), T.min(abs(x) - y * 2, axis=0), T.sum(x * y, axis=0), T.any(x > y, axis=0)]
    f = opweld.function([x, y], folds)
    for n in (1, 7, 8, 15, 16, 17, 31, 33, 47, 128, 300, 2100):
        a, b = (rng.normal(size=(3, n)) * 100).astype(dtype), (rng.normal(size=(3, n)) * 100).astype(dtype)
        if dtype != "int64":
            a[1, n // 3] = b[2, n // 2] = np.nan
        for result in f(a, b):
            print(result.tobytes().hex())
"""
SUM = """
import sys, numpy as np, opweld, opweld.tensor as T
from opweld.compile import buildrequest
flag, runtime, inputs, columns = sys.argv[1:]
opweld.config.cflags += " " + flag
vectors = buildrequest.vector_folder()
buildrequest.vector_folder = lambda: vectors
buildrequest.runtime_object = lambda *kind: runtime
inputs, columns = int(inputs), int(columns)
x, y = T.dmatrix("x"), T.dmatrix("y")
f = opweld.function([x, y][:inputs], T.sum(x * (x, y)[inputs - 1], axis=1))
f(*[np.ones((50, columns)) for _ in range(inputs)])
"""


TRAPS = [-signal.SIGILL, -signal.SIGTRAP]


@pytest.fixture(scope="module", params=[False, True], ids=["others", "intels"])
def intel(request, tmp_path_factory):
    """Whether the processor is said to be Intel's, and the runtime that says so, as what -D names."""
    made = tmp_path_factory.mktemp("runtime") / "runtime.o"
    text = subprocess.run([sys.executable, "-c", TEXT], check=True, capture_output=True, text=True).stdout
    compiler = os.environ.get("CC", "gcc").split()
    options = ["-std=gnu17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-math-errno", "-fwrapv", "-fno-tree-vectorize"]
    headers = [sysconfig.get_path("include"), np.get_include()]
    options += [f"-DOPW_INTEL={request.param:d}", *(f"-I{folder}" for folder in headers)]
    subprocess.run([*compiler, *options, "-xc", "-c", "-", "-o", made], check=True, input=text, text=True)
    return request.param, made


def run(program, asked, *more):
    flag = shlex.quote(f"-DOPW_ASKED(order)=(({asked})|OPW_CLOSE)")
    return subprocess.run([sys.executable, "-c", program, flag, *more], capture_output=True, text=True)


def ends(intel, program, lines, *numbers):
    """How the program ends on such a processor, if another distance than this one ends it."""
    asked = f"((order)&OPW_ASKING)=={lines}?{lines}:(__builtin_trap(),{intel[0]:d})"  # another flag, another module
    done = run(program, asked, intel[1], *map(str, numbers))
    assert done.returncode in [0, *TRAPS], done.stderr
    return done.returncode


def test_it_changes_no_bit():
    without, asking = run(ALL, "(void)(order),0"), run(ALL, "(void)(order),2048")
    assert not without.returncode and not asking.returncode, without.stderr + asking.stderr
    assert without.stdout == asking.stdout
    assert len(without.stdout.splitlines()) == 3 * 12 * 9


@pytest.mark.parametrize(
    ("inputs", "columns", "lines", "intels"),
    [
        (1, 50, 0, 2048),
        (1, 300, 2048, 2048),
        (1, 60_000, 6144, 3072),
        (2, 300, 0, 2048),
        (2, 4000, 2048, 2048),
        (2, 60_000, 0, 2048),
    ],
)
def test_where_it_is_done(inputs, columns, lines, intels, intel):
    """Sums: on Intel's everywhere; elsewhere of one input but in short rows, of several in long runs in caches."""
    assert ends(intel, SUM, intels if intel[0] else lines, inputs, columns) == 0


@pytest.mark.parametrize(("columns", "lines", "intels"), [(300, 2048, 2048), (60_000, 6144, 0)])
def test_what_is_larger_asks_near(columns, lines, intels, intel):
    """Of what is larger Intel's processors are asked for nothing that no second cache has; others as of sums."""
    assert ends(intel, SUM.replace("T.sum", "T.max"), intels if intel[0] else lines, 1, columns) == 0


@pytest.mark.parametrize(("inputs", "columns", "intels"), [(2, 90_000, 1024), (1, 180_000, 0), (2, 4000, 0)])
def test_where_columns_ask(inputs, columns, intels, intel):
    """What is larger, of several inputs of more than 64 MB, on Intel's."""
    larger = SUM.replace("T.sum", "T.max").replace("axis=1", "axis=0")
    assert ends(intel, larger, intels if intel[0] else 0, inputs, columns) == 0


def test_another_distance_ends_the_program(intel):
    """What the tests above rest on."""
    assert ends(intel, SUM, 1, 1, 300) in TRAPS
