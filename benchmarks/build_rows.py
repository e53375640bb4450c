"""The rows about builds of one op, second processes, and PyTensor's for reference."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench import HERE, Bench
from report import Raw, Section, Target, median, milliseconds, ratio, spread

__all__ = [
    "SECOND",
    "build",
    "lint",
    "pytensor",
    "second",
    "show_build",
    "show_lint",
    "show_pytensor",
    "show_second",
    "user_program",
]

SECOND = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import opweld
from vector_times_vector import vector_times_vector
x, y = opweld.tensor.dvector("x"), opweld.tensor.dvector("y")
f = opweld.function([x, y], vector_times_vector(x, y))
f(np.arange(3.0), np.arange(3.0))
"""
GRAPH = """
import numpy as np
import opweld
x = opweld.tensor.dvector("x")
opweld.function([x], x * 2 + 1)(np.arange(3.0))
"""


def build(bench: Bench) -> Raw:
    rounds = bench.effort.rounds(15)
    times: dict[str, list[float]] = {name: [] for name in ("opweld", "unit", "hand")}
    for _ in range(rounds):
        bench.forget()
        times["opweld"].append(bench.measure("build")["seconds"])
        times["unit"].append(bench.compile(bench.unit))
        times["hand"].append(bench.compile(bench.hand))
    return {"rounds": rounds, "seconds": times, "loaded": bench.measure("loaded")["seconds"]}


def show_build(raw: Raw) -> list[Section]:
    times = raw["seconds"]
    shown = (
        ("opweld", "opweld"),
        ("the compiler alone, same arguments, same text", "unit"),
        ("the compiler alone on the hand-written module", "hand"),
    )
    loaded = median(raw["loaded"]) * 1e3
    return [
        Section(
            "A cold build of one op",
            "From `function()` to the end of the first call, in a fresh process that has not loaded the engine, with "
            "no module in the cache and the compiler's identity known from an earlier run. The compiler compiles and "
            f"links, in both. {raw['rounds']} rounds. In a process that has the module already, the whole of "
            f"`function()` takes {loaded:.2f} ms.",
            ("", "ms", "±", "of the compiler"),
            [
                (name, milliseconds(times[key]), spread(times[key]), f"{ratio(times[key], times['unit']):.2f}")
                for name, key in shown
            ],
            [
                Target("cold build of one op", "of the compiler", [ratio(times["opweld"], times["unit"])], 1.3),
                Target("function() of a module that is loaded", "time", [loaded], 0.5, "ms"),
            ],
        )
    ]


def lint(bench: Bench) -> Raw:
    rounds = bench.effort.rounds(15)
    found = []
    for _ in range(rounds):
        bench.forget()
        found.append(bench.measure("lint"))
    return {
        "rounds": rounds,
        "build": [one["seconds"] for one in found],
        "beside": [one["beside"] for one in found],
        "alone": [median(one["alone"]) for one in found],
    }


def show_lint(raw: Raw) -> list[Section]:
    rows = (
        ("a cold build of it, from `function()` to the end of the first call", "build"),
        ("the lint in that, beside the compiler", "beside"),
        ("the lint alone, in a process that has the engine", "alone"),
    )
    share = median([a / b for a, b in zip(raw["beside"], raw["build"], strict=True)])
    return [
        Section(
            "The lint of a fragment of 200 lines",
            "An op of two inputs with temporaries, scratch memory and ten loops (`gen/lint/testdata/long.c`). The "
            "lint runs while the compiler does, so its share is what it adds at most, where no core is free. "
            f"{raw['rounds']} rounds.",
            ("", "ms", "±"),
            [(name, milliseconds(raw[key]), spread(raw[key])) for name, key in rows],
            [
                Target("lint of 200 lines", "time", [median(raw["alone"]) * 1e3], 20, "ms"),
                Target("lint of 200 lines", "of a cold build", [share], 0.03),
            ],
        )
    ]


SET_BESIDE = 54.2  # ms that import numpy took where second processes were given their bounds


def user_program(bench: Bench) -> Path:
    """Put the op that `SECOND` imports into a folder of the user's own."""
    user = bench.folder / "user"
    user.mkdir(exist_ok=True)
    shutil.copy(HERE.parent / "examples" / "vector_times_vector.py", user)
    return user


def second(bench: Bench) -> Raw:
    programs = {
        "numpy": "import numpy",
        "import": "import numpy, opweld",
        "op": SECOND.format(folder=str(user_program(bench))),
        "graph": GRAPH,
    }
    for program in programs.values():
        bench.python("-c", program)
    facts = bench.measure("second")
    rounds = bench.effort.rounds(31)
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            times[name].append(bench.clock(program))
    return {"rounds": rounds, "seconds": times, "mapped": len(facts["engine"]), "started": len(facts["started"])}


def show_second(raw: Raw) -> list[Section]:
    times = raw["seconds"]
    beyond = {
        name: median([a - b for a, b in zip(seconds, times["numpy"], strict=True)]) * 1e3
        for name, seconds in times.items()
    }
    share = {
        name: median([a / b - 1 for a, b in zip(seconds, times["numpy"], strict=True)])
        for name, seconds in times.items()
    }
    shown = {
        "numpy": "import numpy",
        "import": "import numpy, opweld",
        "op": "import opweld, an op in C, function(), one call",
        "graph": "import opweld, x*2 + 1, function(), one call",
    }
    return [
        Section(
            "A second process",
            f"The whole process, from its start to its end, with the module in the cache. {raw['rounds']} rounds. "
            f"Engine libraries mapped: {raw['mapped']}. Processes started: {raw['started']}. The bounds in ms were set "
            f"where import numpy takes {SET_BESIDE} ms; those in shares of it are the same bounds on any machine.",
            ("", "ms", "±", "beyond import numpy", "as a share of it"),
            [
                (text, f"{median(times[key]) * 1e3:.1f}", spread(times[key]), f"{beyond[key]:.1f}", f"{share[key]:.2f}")
                for key, text in shown.items()
            ],
            [
                Target("import opweld", "beyond import numpy", [beyond["import"]], 10.0, "ms"),
                Target("second process", "an op in C, beyond import numpy", [beyond["op"]], 12.0, "ms"),
                Target("second process", "x*2 + 1, beyond import numpy", [beyond["graph"]], 12.0, "ms"),
                Target("second process", "an op in C, of import numpy", [share["op"]], 12.0 / SET_BESIDE),
                Target("second process", "x*2 + 1, of import numpy", [share["graph"]], 12.0 / SET_BESIDE),
                Target("second process", "engine libraries mapped", [raw["mapped"]], 0, ""),
                Target("second process", "processes started", [raw["started"]], 0, ""),
            ],
        )
    ]


def pytensor(bench: Bench) -> Raw:
    base = bench.pytensor()
    if base is None:
        return {}
    calls = bench.measure("pytensor-calls", str(bench.effort.rounds(31)))
    builds: dict[str, dict[str, list[float]]] = {m: {"cold": [], "warm": []} for m in ("C", "default")}
    for _ in range(bench.effort.rounds(5)):
        for mode, times in builds.items():
            shutil.rmtree(base, ignore_errors=True)
            for state in ("cold", "warm"):
                times[state].append(bench.measure("pytensor-build", mode)["seconds"])
    return {"calls": calls, "builds": builds}


def show_pytensor(raw: Raw) -> list[Section]:
    title = "PyTensor, for reference"
    if not raw:
        return [Section(title, "Not installed here: skipped.")]
    calls, builds = raw["calls"], raw["builds"]
    lines = []
    for name, nanoseconds in calls["calls"].items():
        cells = [milliseconds(builds[name][state]) if name in builds else "" for state in ("cold", "warm")]
        lines.append((name, f"{nanoseconds:.0f}", *cells))
    return [
        Section(
            title,
            f"PyTensor {calls['version']}, `x * y` of two vectors of 3 doubles. Its C mode is the linker `cvm`, its "
            f"default here is {calls['default']}. Builds are from `function()` to the end of the first call in a fresh "
            "process, with an empty cache and with the one that run left.",
            ("mode", "ns a call", "cold ms", "warm ms"),
            lines,
        )
    ]
