"""Time opweld against its peers, side by side in one run: ``make bench``.

Every figure is a median over rounds; in each round every candidate has its turn, so what slows the machine down for a
while slows all of them. Ratios are medians of the rounds' ratios. What is measured runs in processes of its own
(measure.py, measure_graphs.py); nothing of the user's cache is read or written.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import graph_rows
from bench import HERE, Bench
from report import Section, Target, document, ratio, report

DOCUMENT = HERE.parent / "docs" / "benchmarks.md"

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


def calls(bench: Bench) -> Section:
    times = bench.measure("calls", str(bench.folder), "7" if bench.quick else "61")
    shown = {
        "opweld": "opweld, f(x, y)",
        "opweld keywords": "opweld, f(x=x, y=y)",
        "opweld out": "opweld, f(x, y, out=z)",
        "handwritten": "hand-written METH_FASTCALL",
        "numpy": "np.multiply(x, y)",
        "numpy out": "np.multiply(x, y, out=z)",
        "nothing": "an empty METH_FASTCALL function",
    }
    section = Section(
        "A checked call",
        "The product of two vectors of 3 doubles. The hand-written module (benchmarks/handwritten.c) checks what "
        "opweld's checks and is compiled with the same arguments.",
        ("", "ns", "of np.multiply", "of hand-written"),
    )
    for key, name in shown.items():
        of_numpy, of_hand = ratio(times[key], times["numpy"]), ratio(times[key], times["handwritten"])
        section.lines.append((name, f"{statistics.median(times[key]):.0f}", f"{of_numpy:.2f}", f"{of_hand:.2f}"))
    section.targets = [
        Target("call: opweld of np.multiply", ratio(times["opweld"], times["numpy"]), 0.5),
        Target("call: opweld of hand-written", ratio(times["opweld"], times["handwritten"]), 1.5),
        Target("call: hand-written of np.multiply", ratio(times["handwritten"], times["numpy"]), 0.35),
    ]
    return section


def build(bench: Bench) -> Section:
    rounds = 3 if bench.quick else 15
    times: dict[str, list[float]] = {name: [] for name in ("opweld", "unit", "hand")}
    for _ in range(rounds):
        bench.forget()
        times["opweld"].append(bench.measure("build")["seconds"])
        times["unit"].append(bench.compile(bench.unit))
        times["hand"].append(bench.compile(bench.hand))
    shown = (
        ("opweld", "opweld"),
        ("the compiler alone, same arguments, same text", "unit"),
        ("the compiler alone on the hand-written module", "hand"),
    )
    lines = [
        (name, f"{statistics.median(times[key]) * 1e3:.0f}", f"{ratio(times[key], times['unit']):.2f}")
        for name, key in shown
    ]
    return Section(
        "A cold build of one op",
        "From `function()` to the end of the first call, in a fresh process that has not loaded the engine, with "
        "no module in the cache and the compiler's identity known from an earlier run. The compiler compiles and "
        f"links, in both. {rounds} rounds.",
        ("", "ms", "of the compiler"),
        lines,
        [Target("cold build, of the compiler", ratio(times["opweld"], times["unit"]), 2.0)],
    )


def user_program(bench: Bench) -> Path:
    """Put the op that `SECOND` imports into a folder of the user's own."""
    user = bench.folder / "user"
    user.mkdir(exist_ok=True)
    shutil.copy(HERE.parent / "examples" / "vector_times_vector.py", user)
    return user


def second(bench: Bench) -> Section:
    rounds = 5 if bench.quick else 31
    program = SECOND.format(folder=str(user_program(bench)))
    bench.python("-c", program)
    facts = bench.measure("second")
    ours, numpy = [], []
    for _ in range(rounds):
        numpy.append(bench.clock("import numpy"))
        ours.append(bench.clock(program))
    beyond = statistics.median(a - b for a, b in zip(ours, numpy, strict=True))
    lines = [
        ("import numpy", f"{statistics.median(numpy) * 1e3:.1f}"),
        ("import opweld, graph, function(), one call", f"{statistics.median(ours) * 1e3:.1f}"),
        ("beyond import numpy", f"{beyond * 1e3:.1f}"),
    ]
    mapped, started = len(facts["engine"]), len(facts["started"])
    return Section(
        "A second process",
        f"The whole process, from its start to its end, with the module in the cache. {rounds} rounds. Engine "
        f"libraries mapped: {mapped}. Processes started: {started}.",
        ("", "ms"),
        lines,
        [
            Target("second process beyond import numpy", beyond * 1e3, 20.0, "ms"),
            Target("engine libraries mapped", mapped, 0, ""),
            Target("processes started", started, 0, ""),
        ],
    )


def pytensor(bench: Bench) -> Section:
    base = bench.pytensor()
    if base is None:
        return Section("PyTensor", "Not installed here: skipped.")
    calls = bench.measure("pytensor-calls", "5" if bench.quick else "31")
    builds: dict[str, dict[str, list[float]]] = {m: {"cold": [], "warm": []} for m in ("C", "default")}
    for _ in range(1 if bench.quick else 5):
        for mode, times in builds.items():
            shutil.rmtree(base, ignore_errors=True)
            for state in ("cold", "warm"):
                times[state].append(bench.measure("pytensor-build", mode)["seconds"])
    lines = []
    for name, nanoseconds in calls["calls"].items():
        cells = [f"{nanoseconds:.0f}"]
        for state in ("cold", "warm"):
            cells.append(f"{statistics.median(builds[name][state]) * 1e3:.0f}" if name in builds else "")
        lines.append((name, *cells))
    return Section(
        "PyTensor, for reference",
        f"PyTensor {calls['version']}, `x * y` of two vectors of 3 doubles. Its C mode is the linker `cvm`, its "
        f"default here is {calls['default']}. Builds are from `function()` to the end of the first call in a fresh "
        "process, with an empty cache and with the one that run left.",
        ("mode", "ns a call", "cold ms", "warm ms"),
        lines,
    )


ROWS = {
    "calls": calls,
    "build": build,
    "second": second,
    "graphs": graph_rows.growth,
    "cold": graph_rows.cold,
    "nodes": graph_rows.nodes,
    "python": graph_rows.python,
    "pytensor": pytensor,
}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run.py",
        description=(__doc__ or "").split("\n\n")[0],
        epilog="example: python benchmarks/run.py --quick --rows calls,second. Exit codes: 0 all measured, 1 something "
        "failed, or a target was missed with --check, 2 usage.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a look, not a figure to quote")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"what to measure, of {', '.join(ROWS)}")
    parser.add_argument("--write", action="store_true", help="also write docs/benchmarks.md")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    options.rows = [row for row in options.rows.split(",") if row]
    unknown = sorted(set(options.rows) - set(ROWS))
    if unknown or not options.rows:
        parser.error(f"--rows: unknown {', '.join(unknown) or 'nothing'}; known are {', '.join(ROWS)}")
    if options.write and (options.quick or set(options.rows) != set(ROWS)):
        parser.error("--write takes a whole run: leave out --quick and --rows")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="opweld-bench-") as folder:
        bench = Bench(Path(folder), options.quick)
        print("preparing", file=sys.stderr)
        bench.prepare()
        sections = []
        for row in ROWS:
            if row in options.rows:
                print(f"measuring {row}", file=sys.stderr)
                sections.append(ROWS[row](bench))
        parts = list(report(bench.machine(), sections))
    print("\n" + "\n\n".join(parts))
    if options.write:
        DOCUMENT.write_text(document(parts, "make bench BENCH_ARGS=--write"))
        print(f"\nwritten: {DOCUMENT}")
    missed = [target for section in sections for target in section.targets if not target.kept]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
