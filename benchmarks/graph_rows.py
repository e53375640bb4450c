"""The rows about graphs of many nodes: what building, rewriting and calling them costs (measure_graphs.py)."""

from __future__ import annotations

import shutil
import statistics

from bench import Bench
from report import Section, Target, ratio

__all__ = ["cold", "growth", "nodes", "python"]

FEW, MANY = "20", "1000"


def _measure(bench: Bench, *arguments: str) -> dict:
    return bench.measure(*arguments, script="measure_graphs.py")


def _milliseconds(seconds: list[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.0f}"


def growth(bench: Bench) -> Section:
    """Build times of 1,000 nodes of 20 kinds, of those of 20 nodes."""
    rounds = 2 if bench.quick else 9
    section = Section(
        "Build time and the number of nodes",
        f"Graphs of {FEW} kinds of elementwise nodes of vectors of doubles, one node of each kind or {MANY} nodes in "
        "all: deep, each node fed by the one before it; wide, branches of two nodes joined by additions. From "
        "`function()` to the end of the first call, in a fresh process that has not loaded the engine, with no module "
        "in the cache and the compiler's identity known from an earlier run. Nodes that write in place have kernels of "
        f"their own. {rounds} rounds.",
        ("", "ms", "of them the compiler", f"of {FEW} nodes", "kernels"),
    )
    graphs = (("chain", FEW), ("chain", MANY), ("wide", MANY))
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            section.lines.append((f"{compiler} not found", *[""] * 4))
            continue
        _measure(bench, "build", "opweld", "chain", "1", compiler)  # the compiler becomes known
        found: dict[tuple[str, str], list[dict]] = {graph: [] for graph in graphs}
        for _ in range(rounds):
            for graph, runs in found.items():
                bench.forget()
                runs.append(_measure(bench, "build", "opweld", *graph, compiler))
        first = [run["seconds"] for run in found[graphs[0]]]
        for (graph, _), runs in found.items():
            seconds = [run["seconds"] for run in runs]
            of_few, number = ratio(seconds, first), runs[0]["nodes"]
            name = f"{compiler}, {'deep' if graph == 'chain' else graph}, {number} nodes"
            compiling = _milliseconds([run["compile"] for run in runs])
            section.lines.append((name, _milliseconds(seconds), compiling, f"{of_few:.2f}", str(runs[0]["kernels"])))
            if runs is not found[graphs[0]]:
                section.targets.append(Target(f"build: {name}, of {FEW} nodes", of_few, 3.0))
    return section


def cold(bench: Bench) -> Section:
    """A graph of 20 nodes built by opweld and by PyTensor."""
    rounds = 1 if bench.quick else 5
    title = f"A cold build of {FEW} nodes"
    base = bench.pytensor()
    if base is None:
        return Section(title, "PyTensor is not installed here: skipped.")
    linkers = {"c": "PyTensor, linker c", "cvm": "PyTensor, linker cvm"}
    shown = {"": "opweld"} | linkers
    times: dict[str, list[float]] = {name: [] for name in shown}
    for _ in range(rounds):
        shutil.rmtree(bench.root)
        bench.root.mkdir()
        times[""].append(_measure(bench, "build", "opweld", "chain", FEW, "")["seconds"])
        for linker in linkers:
            shutil.rmtree(base, ignore_errors=True)
            times[linker].append(_measure(bench, "build", "pytensor", "chain", FEW, linker)["seconds"])
    return Section(
        title,
        f"A chain of {FEW} kinds of elementwise nodes of vectors of doubles. From `function()` to the end of the first "
        "call, in a fresh process, after the import of the library. Both caches are empty, and both libraries ask for "
        "the compiler's identity within this time; in PyTensor's is also what it builds of its own C once. Its modes "
        f"are those of the two linkers, without fusion and in-place rewrites. {rounds} rounds.",
        ("", "ms", "of opweld"),
        [(name, _milliseconds(times[key]), f"{ratio(times[key], times['']):.1f}") for key, name in shown.items()],
        [
            Target(f"build: {FEW} nodes, of {linkers['c']}", ratio(times[""], times["c"]), 1 / 5),
            Target(f"build: {FEW} nodes, of {linkers['cvm']}", ratio(times[""], times["cvm"]), 1 / 25),
        ],
    )


def nodes(bench: Bench) -> Section:
    """What a node costs a call."""
    rounds = "31" if bench.quick else "201"
    times = _measure(bench, "calls", "opweld", rounds)
    shown = {
        "default": "opweld",
        "merge": 'opweld, config.optimizer = "merge": nothing in place',
        "numpy": "NumPy, one ufunc after another",
    }
    if bench.pytensor() is not None:
        times |= _measure(bench, "calls", "pytensor", rounds)
        shown |= {"c": "PyTensor, linker c, checks off", "cvm": "PyTensor, linker cvm, checks off"}
    more = max(int(name.split()[1]) for name in times)
    each = {
        name: [(b - a) / (more - 1) for a, b in zip(times[f"{name} 1"], times[f"{name} {more}"], strict=True)]
        for name in shown
    }
    lines = []
    for name, label in shown.items():
        calls = [f"{statistics.median(times[f'{name} {count}']):.0f}" for count in (1, more)]
        lines.append((label, *calls, f"{statistics.median(each[name]):.1f}"))
    return Section(
        "A call of many nodes",
        "Multiplications and additions in turn, of two vectors of 3 doubles, each node fed by the one before it. A "
        f"node's cost is a {more - 1}th of what {more} nodes take longer than 1. opweld keeps the storage of "
        "temporaries; by default nodes write in place. PyTensor's modes, for reference and measured in a process of "
        f"their own, are without fusion and in-place rewrites. {rounds} rounds of few calls each.",
        ("", "ns, 1 node", f"ns, {more} nodes", "ns a node"),
        lines,
        [
            Target("call: a node more", statistics.median(each["default"]), 20.0, "ns"),
            Target("call: a node more, nothing in place", statistics.median(each["merge"]), 20.0, "ns"),
        ],
    )


def python(bench: Bench) -> Section:
    """The Python in function()."""
    rounds = 1 if bench.quick else 7
    candidates = {
        "opweld, mixed": ("opweld", "mixed", MANY, "default"),
        "opweld, chain of 20 elementwise kinds": ("opweld", "chain", MANY, "default"),
        "opweld, mixed, no rewrites": ("opweld", "mixed", MANY, "None"),
    }
    peer = "PyTensor, mixed, no rewrites"
    if bench.pytensor() is not None:
        candidates[peer] = ("pytensor", "mixed", MANY, "cvm")
    runs: dict[str, list[dict]] = {name: [] for name in candidates}
    for turn in range(rounds + 1):  # the first fills the caches
        for name, arguments in candidates.items():
            found = _measure(bench, "python", *arguments)
            if turn:
                runs[name].append(found)
    times = {name: [run["seconds"] for run in found] for name, found in runs.items()}
    mixed, chain, plain = list(times)[:3]
    targets = [
        Target(f"function() of {MANY} nodes: {name}", statistics.median(times[name]) * 1e3, 150.0, "ms")
        for name in (mixed, chain)
    ]
    if peer in times:
        name = f"function() of {MANY} nodes: {plain}, of PyTensor"
        targets.append(Target(name, ratio(times[plain], times[peer]), 0.5))
    return Section(
        "Python's share of function()",
        "function() of a graph like one that the process has made a function of: no module is built or loaded, and "
        "what is left is Python. Mixed: elementwise nodes, reductions, indexing, transposed views and constants. "
        f"PyTensor's mode is the linker `cvm` with `optimizer=None`. {rounds} rounds of processes.",
        ("", "nodes", "ms, the graph", "ms, function()"),
        [
            (name, str(found[0]["nodes"]), _milliseconds([run["graph"] for run in found]), _milliseconds(times[name]))
            for name, found in runs.items()
        ],
        targets,
    )
