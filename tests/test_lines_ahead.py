"""Whether a fold asks for lines ahead: it changes no bit, and is decided by the processor and the size."""

import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

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
opweld.config.cflags += " " + sys.argv[1]
inputs, columns = map(int, sys.argv[2:])
x, y = T.dmatrix("x"), T.dmatrix("y")
f = opweld.function([x, y][:inputs], T.sum(x * (x, y)[inputs - 1], axis=1))
f(*[np.ones((50, columns)) for _ in range(inputs)])
"""


def run(program, asked, *more):
    flag = shlex.quote(f"-DOPW_ASKED(order)=(({asked})|OPW_CLOSE)")
    return subprocess.run([sys.executable, "-c", program, flag, *more], capture_output=True, text=True)


def test_it_changes_no_bit():
    without, asking = run(ALL, "(void)(order),0"), run(ALL, "(void)(order),2048")
    assert not without.returncode and not asking.returncode, without.stderr + asking.stderr
    assert without.stdout == asking.stdout
    assert len(without.stdout.splitlines()) == 3 * 12 * 9


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no /proc/cpuinfo, which says whose processor it is")
@pytest.mark.parametrize(
    ("inputs", "columns", "near", "far"),
    [
        (1, 50, False, False),
        (1, 300, True, False),
        (1, 60_000, True, True),
        (2, 300, False, False),
        (2, 4000, True, False),
        (2, 60_000, False, False),
    ],
)
def test_where_it_is_done(inputs, columns, near, far):
    """Sums: on Intel's everywhere; elsewhere of one input but in short rows, of several in long runs in caches."""
    intel = "GenuineIntel" in Path("/proc/cpuinfo").read_text()
    lines = 6144 if far else 2048
    done = run(SUM, f"((order)&OPW_ASKING)=={lines}?{lines}:(__builtin_trap(),0)", str(inputs), str(columns))
    left = not near and not intel
    assert done.returncode in ([-signal.SIGILL, -signal.SIGTRAP] if left else [0]), done.stderr


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no /proc/cpuinfo, which says whose processor it is")
@pytest.mark.parametrize(("columns", "lines"), [(300, 2048), (60_000, 6144)])
def test_what_is_larger_asks_near(columns, lines):
    """Of what is larger Intel's processors are asked for nothing that no second cache has; others as of sums."""
    left = lines > 2048 and "GenuineIntel" in Path("/proc/cpuinfo").read_text()
    asked = f"((order)&OPW_ASKING)=={lines}?{lines}:(__builtin_trap(),0)"
    done = run(SUM.replace("T.sum", "T.max"), asked, "1", str(columns))
    assert done.returncode in ([-signal.SIGILL, -signal.SIGTRAP] if left else [0]), done.stderr


@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="no /proc/cpuinfo, which says whose processor it is")
@pytest.mark.parametrize(("inputs", "columns"), [(2, 90_000), (1, 180_000), (2, 4000)])
def test_where_columns_ask(inputs, columns):
    """What is larger, of several inputs of more than 64 MB, on Intel's."""
    asks = inputs == 2 and columns == 90_000 and "GenuineIntel" in Path("/proc/cpuinfo").read_text()
    asked = "((order)&OPW_ASKING)==1024?1024:(__builtin_trap(),0)"
    done = run(SUM.replace("T.sum", "T.max").replace("axis=1", "axis=0"), asked, str(inputs), str(columns))
    assert done.returncode in ([0] if asks else [-signal.SIGILL, -signal.SIGTRAP]), done.stderr
