"""Time this tree's opweld against an earlier one, side by side in one run: ``make bench-compare BASE=<revision>``.

Both are installed, each in an environment of its own. In each round every row is measured once with the one and once
with the other, in turn first and second, so what slows the machine down for a while slows both; a row's figure is the
median of its rounds' ratios. The measuring programs are this tree's (measure.py, measure_graphs.py).
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import array_rows
from bench import EFFORTS, Bench
from build_rows import SECOND, user_program
from report import ratio, table
from works import WORKS

ALLOWED = 1.05  # of the earlier one
SIZES = (10**3, 10**5)  # of arrays


def call(bench: Bench) -> dict[str, float]:
    found = bench.measure("calls", str(bench.folder), "9")
    shown = {"opweld": "f(x, y)", "opweld keywords": "f(x=x, y=y)", "opweld out": "f(x, y, out=z)"}
    return {f"call: {name}, ns": statistics.median(found[key]) for key, name in shown.items()}


def graph(bench: Bench, *arguments: str) -> dict:
    return bench.measure(*arguments, script="measure_graphs.py")


def nodes(bench: Bench) -> dict[str, float]:
    found = graph(bench, "calls", "opweld", "41")
    more = max(int(name.split()[1]) for name in found)
    names = {"default": "in place", "merge": "nothing in place"}
    return {
        f"call: a node more, {name}, ns": statistics.median(
            (b - a) / (more - 1) for a, b in zip(found[f"{key} 1"], found[f"{key} {more}"], strict=True)
        )
        for key, name in names.items()
    }


def build(bench: Bench) -> dict[str, float]:
    bench.forget()
    return {"cold build of one op, ms": bench.measure("build")["seconds"] * 1e3}


def graphs(bench: Bench) -> dict[str, float]:
    answer = {}
    for shape, count in (("chain", "20"), ("chain", "1000"), ("wide", "1000")):
        bench.forget()
        seconds = graph(bench, "build", "opweld", shape, count, "gcc")["seconds"]
        answer[f"build: {shape}, {count} nodes, ms"] = seconds * 1e3
    return answer


def cold(bench: Bench) -> dict[str, float]:
    shutil.rmtree(bench.root)
    bench.root.mkdir(mode=0o700)
    seconds = graph(bench, "build", "opweld", "chain", "20", "")["seconds"]
    return {"cold build of 20 nodes, compiler not known, ms": seconds * 1e3}


def second(bench: Bench) -> dict[str, float]:
    program = SECOND.format(folder=str(user_program(bench)))
    bench.python("-c", program)
    rounds = [(bench.clock(program), bench.clock("import numpy")) for _ in range(5)]
    return {"second process beyond import numpy, ms": statistics.median(a - b for a, b in rounds) * 1e3}


def arrays(bench: Bench) -> dict[str, float]:
    answer = {}
    for key, work in WORKS.items():
        found = array_rows.times(bench, key, SIZES, ("opweld",))
        for case, measured in found["cases"].items():
            answer[f"{work.title}, {case}, us"] = statistics.median(measured["times"]["opweld"]) / 1e3
    return answer


def python(bench: Bench) -> dict[str, float]:
    answer = {}
    for shape, chosen in (("mixed", "default"), ("chain", "default"), ("mixed", "None")):
        found = graph(bench, "python", "opweld", shape, "1000", chosen)
        answer[f"function() of 1000 nodes: {shape}, {chosen}, ms"] = found["seconds"] * 1e3
    return answer


ROWS: dict[str, Callable[[Bench], dict[str, float]]] = {
    "call": call, "nodes": nodes, "second": second, "build": build, "graphs": graphs, "cold": cold, "python": python,
    "arrays": arrays,
}  # fmt: skip


def compare(benches: list[Bench], rows: list[str], rounds: int) -> dict[str, list[list[float]]]:
    """Measure every row: its name -> of the earlier opweld and of this one a list over rounds."""
    found: dict[str, list[list[float]]] = {}
    for turn in range(rounds):
        for row in rows:
            print(f"round {turn + 1} of {rounds}: {row}", file=sys.stderr)
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                for name, value in ROWS[row](benches[which]).items():
                    found.setdefault(name, [[], []])[which].append(value)
    return found


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/compare.py",
        description=(__doc__ or "").split("\n\n")[0],
        epilog=f"Exit codes: 0 nothing is more than {ALLOWED - 1:.0%} slower, 1 something is, or failed, 2 usage.",
    )
    parser.add_argument("base", help="the interpreter of an environment that holds the earlier opweld")
    parser.add_argument("--rounds", type=int, default=9, help="how often each row is measured (default: 9)")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"what to measure, of {', '.join(ROWS)}")
    options = parser.parse_args(arguments)
    options.rows = [row for row in options.rows.split(",") if row]
    unknown = sorted(set(options.rows) - set(ROWS))
    if unknown or not options.rows:
        parser.error(f"--rows: unknown {', '.join(unknown) or 'nothing'}; known are {', '.join(ROWS)}")
    if options.rounds < 1:
        parser.error(f"--rounds: expected 1 or more, got {options.rounds}")
    if shutil.which(options.base) is None:
        parser.error(f"no interpreter {options.base!r}")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="opweld-compare-") as folder:
        benches = []
        for name, interpreter in (("base", options.base), ("this", sys.executable)):
            own = Path(folder) / name
            own.mkdir(mode=0o700)
            benches.append(Bench(own, EFFORTS["full"], interpreter))
            benches[-1].prepare()
        found = compare(benches, options.rows, options.rounds)
    lines, slower = [], []
    for name, (base, this) in found.items():
        of_base = ratio(this, base)
        lines.append((name, f"{statistics.median(base):.4g}", f"{statistics.median(this):.4g}", f"{of_base:.2f}"))
        if of_base > ALLOWED:
            slower.append(name)
    print(table(("", "earlier", "now", "of earlier"), lines))
    if slower:
        print(f"\nmore than {ALLOWED - 1:.0%} slower: {'; '.join(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
