"""The runtime by itself: with a unit written by hand under sanitizers, before gcc's analyzer, with every warning."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
RUNTIME = HERE.parent / "templates" / "runtime"
GCC = os.environ.get("CC", "gcc")
COMMON = ["-std=gnu17", "-g", "-fPIC", "-fvisibility=hidden", "-fno-math-errno", "-fwrapv", f"-I{RUNTIME}"]
SYSTEM = ["-Werror", "-isystem", sysconfig.get_path("include"), "-isystem", np.get_include()]
STRICT = """-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -Wpointer-arith -Wwrite-strings
-Wvla -Wdouble-promotion -Wundef -Wformat=2 -Wnull-dereference -Wlogical-op -Wduplicated-cond""".split()
SOURCES = [("runtime.c",), ("runtime.c", "-DOPW_PROFILE"), ("argument_module.c",), ("threads_module.c",)]
SOURCES += [("ufunc_module.c",)]
CHECKS = [
    line.split("(")[0].removeprefix("def check_")
    for line in (HERE / "runtime" / "checks.py").read_text().splitlines()
    if line.startswith("def check_")
]


def gcc(*arguments):
    """Run the compiler; say what it said."""
    done = subprocess.run([*GCC.split(), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def takes(*options):
    """Whether the compiler knows these options, without a remark, and can do what they ask for."""
    command = [*GCC.split(), "-Werror", *options, "-x", "c", "-shared", "-fPIC", "-o", os.devnull, "-"]
    return subprocess.run(command, input="int one;", capture_output=True, text=True).returncode == 0


@pytest.mark.parametrize("level", ["-O1", "-O3"])
@pytest.mark.parametrize("source", SOURCES)
def test_it_compiles_without_a_warning(source, level, tmp_path):
    known = [option for option in STRICT if takes(option)]
    assert len(known) > len(STRICT) // 2
    gcc(*COMMON, *SYSTEM, *known, level, *source[1:], "-c", RUNTIME / source[0], "-o", tmp_path / "made.o")


@pytest.mark.parametrize("source", ["runtime.c", "argument_module.c"])
def test_the_analyzer_finds_nothing(source, tmp_path):
    if not takes("-fanalyzer"):
        pytest.skip(f"{GCC} has no analyzer")
    gcc(*COMMON, *SYSTEM, "-O2", "-fanalyzer", "-c", RUNTIME / source, "-o", tmp_path / "made.o")


@pytest.fixture(scope="module", params=[(), ("-DOPW_PROFILE",)], ids=["plain", "profile"])
def found(request, tmp_path_factory):
    """What each check of runtime/checks.py found, all in one process under AddressSanitizer."""
    sanitizers = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
    library = gcc("-print-file-name=libasan.so")
    if not takes(*sanitizers) or not os.path.isabs(library):
        pytest.skip(f"{GCC} has no AddressSanitizer")
    module = tmp_path_factory.mktemp("runtime") / "opweld_module.so"
    gcc(*COMMON, *SYSTEM, "-Wall", "-Wextra", "-O1", *sanitizers, *request.param, "-DOPW_TAKEN_FOR=OPW_INTELS",
        "-shared", RUNTIME / "runtime.c", HERE / "runtime" / "unit.c", "-o", module)  # fmt: skip
    # CPython and NumPy keep what they have to the end: what stays too long is counted by the checks.
    environ = {**os.environ, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc", "ASAN_OPTIONS": "detect_leaks=0",
               "UBSAN_OPTIONS": "print_stacktrace=1"}  # fmt: skip

    def ran(*names):
        command = [sys.executable, HERE / "runtime" / "checks.py", module, *names]
        done = subprocess.run(command, env=environ, capture_output=True, text=True)
        return {name: wrong or "" for name, wrong in map(json.loads, done.stdout.splitlines())}, done.stderr

    by_name, said = ran()
    # ContextVar.set and reset, which np.errstate calls, leave three blocks behind where they are refused memory, in one
    # process of some twenty, as its addresses fall. What the runtime leaves, it leaves in another process too.
    again = [name for name, wrong in by_name.items() if "blocks of memory more" in wrong]
    return by_name | (ran(*again)[0] if again else {}), said


@pytest.mark.parametrize("check", CHECKS)
def test_under_sanitizers(check, found):
    by_name, said = found
    assert by_name.get(f"check_{check}", f"not reached: {said}") == ""


def test_no_sanitizer_says_anything(found):
    assert found[1] == ""
