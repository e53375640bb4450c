"""The row about the short form: the first result of a process, and a call, beside Numba and pybind11."""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
from pathlib import Path

from bench import Bench
from report import Raw, Section, Target

__all__ = ["short", "show_short"]

BODY = "if (n > 0) y[0] = x[0]; for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);"
COP = f"""
import numpy as np
import opweld
opweld.config.compiledir = {{folder!r}} + "/opweld"
smooth = opweld.cop("x: T[n], a: T -> y: T[n]", {BODY!r})
smooth(np.array([1.0, 0.0, 0.0, 2.0]), 0.9)
"""
PEER = """
import sys
import numpy as np
sys.path.insert(0, {folder!r})
from {module} import smooth
smooth(np.array([1.0, 0.0, 0.0, 2.0]), 0.9)
"""
NUMBA = """
import numba
import numpy as np


@numba.njit(cache=True)
def smooth(x, a):
    y = np.empty_like(x)
    if x.size > 0:
        y[0] = x[0]
    for i in range(1, x.size):
        y[i] = x[i] + a * (y[i - 1] - x[i])
    return y
"""
# What a person writes round pybind11 who compiles where nothing is compiled yet.
PYBIND = """
import os
import subprocess
import sysconfig

folder = os.path.dirname(os.path.abspath(__file__))
built = os.path.join(folder, "smooth_in_cpp" + sysconfig.get_config_var("EXT_SUFFIX"))
if not os.path.exists(built):
    import pybind11

    with open(os.path.join(folder, "smooth.cpp"), "w") as file:
        file.write('''
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
namespace py = pybind11;
static py::array_t<double> smooth(py::array_t<double, py::array::c_style | py::array::forcecast> given, double a)
{
    py::ssize_t n = given.shape(0);
    py::array_t<double> made(n);
    const double *x = given.data();
    double *y = made.mutable_data();
    if (n > 0) y[0] = x[0];
    for (py::ssize_t i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);
    return made;
}
PYBIND11_MODULE(smooth_in_cpp, module) { module.def("smooth", &smooth); }
''')
    include = [f"-I{path}" for path in (pybind11.get_include(), sysconfig.get_path("include"))]
    flags = ["-O3", "-shared", "-std=c++17", "-fPIC", "-fvisibility=hidden"]
    subprocess.run(["c++", *flags, *include, os.path.join(folder, "smooth.cpp"), "-o", built], check=True)
from smooth_in_cpp import smooth
"""


def peers(folder: Path) -> dict[str, str]:
    """The programs of those that are installed, by name; their modules are written."""
    programs = {"opweld.cop": COP.format(folder=str(folder))}
    for name, package, module, text in (
        ("Numba", "numba", "smooth_by_numba", NUMBA),
        ("pybind11", "pybind11", "smooth_by_pybind11", PYBIND),
    ):
        if importlib.util.find_spec(package) is not None:
            (folder / f"{module}.py").write_text(text)
            programs[name] = PEER.format(folder=str(folder), module=module)
    return programs


def forget(folder: Path) -> None:
    """Remove what any of them has built."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix == ".so":
            path.unlink()


def spent(bench: Bench, program: str) -> float:
    """Seconds of processors that a program takes, with the compilers and linkers that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.python("-c", program)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def short(bench: Bench) -> Raw:
    folder = bench.folder / "short"
    folder.mkdir()
    before = bench.env.get("NUMBA_CACHE_DIR")
    bench.env["NUMBA_CACHE_DIR"] = os.fspath(folder / "numba")
    programs = peers(folder)
    times: dict[str, dict[str, list[float]]] = {name: {"cold": [], "kept": []} for name in programs}
    numpy: list[float] = []
    for _ in range(bench.effort.rounds(5)):
        forget(folder)
        numpy.append(spent(bench, "import numpy"))
        for name, program in programs.items():
            times[name]["cold"].append(spent(bench, program))
    warm = bench.effort.rounds(31)
    bare = []
    for _ in range(warm):
        bare.append(spent(bench, "import numpy"))
        for name, program in programs.items():
            times[name]["kept"].append(spent(bench, program))
    calls = bench.measure(str(folder), str(bench.effort.rounds(101)), script="measure_short.py")
    if before is None:
        del bench.env["NUMBA_CACHE_DIR"]
    else:
        bench.env["NUMBA_CACHE_DIR"] = before
    return {"numpy": {"cold": numpy, "kept": bare}, "times": times, "calls": calls, "rounds": warm}


def beyond(raw: Raw, name: str, state: str) -> float:
    """Milliseconds of processors beyond `import numpy`, in the best round of each."""
    return (min(raw["times"][name][state]) - min(raw["numpy"][state])) * 1e3


def show_short(raw: Raw) -> list[Section]:
    first = {state: {name: beyond(raw, name, state) for name in raw["times"]} for state in ("cold", "kept")}
    calls = {name: min(nanoseconds) for name, nanoseconds in raw["calls"].items()}
    mine = calls["opweld.cop"]
    lines = [
        (
            name,
            *(
                f"{first[state][name]:.{digits}f}" if name in first[state] else ""
                for state, digits in (("cold", 0), ("kept", 1))
            ),
            f"{nanoseconds:.0f}",
            f"{mine / nanoseconds:.2f}",
        )
        for name, nanoseconds in calls.items()
    ]
    targets = [
        Target("the short form", "a call, of the same op by opweld.function", [mine / calls["opweld.function"]], 1.15)
    ]
    for name, cold, call in (("Numba", 0.6, 0.3), ("pybind11", 0.1, 0.5)):
        if name in first["cold"]:
            share = first["cold"]["opweld.cop"] / first["cold"][name]
            targets.append(Target("the short form", f"first result, nothing kept, of {name}'s", [share], cold))
            targets.append(Target("the short form", f"a call, of {name}'s", [mine / calls[name]], call))
    kept = first["kept"]["opweld.cop"]
    targets.append(Target("the short form", "first result, module kept, beyond import numpy", [kept], 12.0, "ms"))
    return [
        Section(
            "The short form",
            "`smooth` of the README, four lines of C, beside the same loop under Numba's decorator and in pybind11. "
            "The first result of a process beyond `import numpy`, in time of processors, compilers and linkers "
            "included: where nothing is kept yet, of the compiler's identity neither, and where all is. "
            "Numba with `cache=True`; "
            "pybind11 compiled by `c++ -O3`. Then a call on 3 elements with a Python float, the look for the dtypes' "
            "function included. The best of "
            f"{len(raw['numpy']['cold'])}, {raw['rounds']} and {len(raw['calls']['opweld.cop'])} rounds, in which all "
            "take turns.",
            ("", "cold, ms", "kept, ms", "call, ns", "opweld.cop of it"),
            lines,
            targets,
        )
    ]
