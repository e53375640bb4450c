"""A crash names itself where faulthandler is enabled, and the process dies as it would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from mistakes import HEAD

TEXT = """

class Mine(Copy):
    def c_headers(self):
        return ["<stdlib.h>", "<string.h>"]

    def more(self, name, x, y, fail):
        return f"double *v = PyArray_DATA({y}); %s"


f = function([x], T.exp(Mine()(x)), name="model")
%s
f(v)
print("it lived")
"""
NULL = "volatile double *p = NULL; v[0] = *p;"
BELOW = "volatile size_t n = 100; memset((void *)(n / 50), 1, n);"
CRASHES = {
    "a null pointer": (NULL, signal.SIGSEGV, "Segmentation fault"),
    "in what it calls": (BELOW, signal.SIGSEGV, "Segmentation fault"),
    "abort": ("abort();", signal.SIGABRT, "Aborted"),
    "a trap": ("__builtin_trap();", signal.SIGILL, "Illegal instruction"),
}


def crash(folder, text, before="", enabled=True):
    """Run a file of a user's that crashes: how it ended, the lines of stderr, and the line of the class's c_code."""
    path = folder / "mine.py"
    path.write_text(HEAD + TEXT % (text, before))
    command = [sys.executable, *["-X", "faulthandler"] * enabled, "-W", "ignore", path]
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONFAULTHANDLER"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, cwd=folder)
    line = 1 + next(i for i, line in enumerate(HEAD.splitlines()) if "def c_code" in line)
    return done.returncode, done.stderr.splitlines(), f"{path}:{line}"


@pytest.mark.parametrize("text, number, fault", CRASHES.values(), ids=CRASHES)
def test_a_crash_names_function_op_and_files(tmp_path, text, number, fault):
    status, lines, place = crash(tmp_path, text)
    assert status == -number
    assert lines[0].startswith(f"opweld: {number.name} in model(), Mine ({place}), C in /") and lines[0].endswith(".c")
    assert os.path.isfile(lines[0].partition(", C in ")[2])
    assert any(line.startswith(f"Fatal Python error: {fault}") for line in lines), lines


def test_nothing_is_said_where_faulthandler_is_not_enabled(tmp_path):
    status, lines, _ = crash(tmp_path, NULL, enabled=False)
    assert (status, lines) == (-signal.SIGSEGV, [])


@pytest.mark.parametrize("enabled", [True, False])
def test_one_that_is_enabled_later_or_again(tmp_path, enabled):
    later = "import faulthandler\nfaulthandler.disable()\nfaulthandler.enable()\ng = function([x], x + 1)"
    status, lines, _ = crash(tmp_path, NULL, later, enabled)
    assert status == -signal.SIGSEGV
    assert sum(line.startswith("opweld: SIGSEGV in model(), Mine (") for line in lines) == enabled, lines
    assert any(line.startswith("Fatal Python error: Segmentation fault") for line in lines), lines


def test_a_signal_that_was_sent(tmp_path):
    status, lines, _ = crash(tmp_path, NULL, "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
    assert status == -signal.SIGSEGV
    assert lines[0].startswith("Fatal Python error: Segmentation fault"), lines


def test_a_crash_of_somebody_elses(tmp_path):
    other = "import ctypes\nctypes.string_at(8)"
    status, lines, _ = crash(tmp_path, "v[0] = 1;", other)
    assert status == -signal.SIGSEGV and not any("opweld: " in line for line in lines)
