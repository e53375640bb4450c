"""The rows about graphs of many nodes: what building and rewriting them costs (measure_graphs.py)."""

from __future__ import annotations

import shutil

from bench import Bench
from report import Raw, Section, Target, median, milliseconds, ratio, spread

__all__ = ["cold", "curve", "growth", "python", "show_cold", "show_curve", "show_growth", "show_python"]

FEW = "20"  # nodes, one of each kind
LINKERS = {"c": "PyTensor, linker c", "cvm": "PyTensor, linker cvm"}
#: Who builds chains of how many nodes for the plot, by the name of the line: library, compiler or linker, nodes.
LINES = {
    "opweld": ("opweld", "", (1, 5, 20, 100, 1000)),
    "PyTensor, linker c": ("pytensor", "c", (1, 5, 20, 100)),
    "PyTensor, linker cvm": ("pytensor", "cvm", (1, 5, 20)),
    "PyTensor": ("pytensor", "default", (1, 5, 20, 100)),
}


def _measure(bench: Bench, *arguments: str) -> dict:
    return bench.measure(*arguments, script="measure_graphs.py")


def growth(bench: Bench) -> Raw:
    """Build times of many nodes of 20 kinds, beside those of 20 nodes."""
    rounds, many = bench.effort.rounds(9), str(bench.effort.nodes)
    compilers: dict[str, dict[str, list[dict]]] = {}
    for compiler in ("gcc", "clang"):
        if shutil.which(compiler) is None:
            continue
        _measure(bench, "build", "opweld", "chain", "1", compiler)  # the compiler becomes known
        found: dict[str, list[dict]] = {f"chain {FEW}": [], f"chain {many}": [], f"wide {many}": []}
        for _ in range(rounds):
            for graph, runs in found.items():
                bench.forget()
                runs.append(_measure(bench, "build", "opweld", *graph.split(), compiler))
        compilers[compiler] = found
    return {"rounds": rounds, "nodes": bench.effort.nodes, "compilers": compilers}


def show_growth(raw: Raw) -> list[Section]:
    section = Section(
        "Build time and the number of nodes",
        f"Graphs of {FEW} kinds of elementwise nodes of vectors of doubles, one node of each kind or {raw['nodes']} "
        "nodes in all: deep, each node fed by the one before it; wide, branches of two nodes joined by additions. From "
        "`function()` to the end of the first call, in a fresh process that has not loaded the engine, with no module "
        "in the cache and the compiler's identity known from an earlier run. Compilers that were found: "
        f"{', '.join(raw['compilers'])}. {raw['rounds']} rounds.",
        ("", "ms", "±", "of them the compiler", f"of {FEW} nodes", "kernels"),
    )
    for compiler, found in raw["compilers"].items():
        first = [run["seconds"] for run in found[f"chain {FEW}"]]
        for graph, runs in found.items():
            seconds = [run["seconds"] for run in runs]
            of_few = ratio(seconds, first)
            shape = "deep" if graph.startswith("chain") else "wide"
            compiling = milliseconds([run["compile"] for run in runs])
            cells = (milliseconds(seconds), spread(seconds), compiling, f"{of_few:.2f}", str(runs[0]["kernels"]))
            section.lines.append((f"{compiler}, {shape}, {graph.split()[1]} nodes", *cells))
            if runs is not found[f"chain {FEW}"]:
                section.targets.append(
                    Target(f"{raw['nodes']:,} nodes, of {FEW}", f"{compiler}, {shape}", [of_few], 2.0)
                )
    return [section]


def cold(bench: Bench) -> Raw:
    """A graph of 20 nodes built by opweld and by PyTensor."""
    base = bench.pytensor()
    if base is None:
        return {}
    rounds = bench.effort.rounds(5)
    times: dict[str, list[float]] = {name: [] for name in ("", *LINKERS)}
    for _ in range(rounds):
        times[""].append(_from_nothing(bench, "opweld", "chain", FEW, ""))
        for linker in LINKERS:
            times[linker].append(_from_nothing(bench, "pytensor", "chain", FEW, linker))
    return {"rounds": rounds, "seconds": times}


def _from_nothing(bench: Bench, library: str, *arguments: str) -> float:
    """Seconds of a build with an empty cache."""
    folder = bench.root if library == "opweld" else bench.pytensor()
    assert folder is not None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return _measure(bench, "build", library, *arguments)["seconds"]


def show_cold(raw: Raw) -> list[Section]:
    title = f"A cold build of {FEW} nodes"
    if not raw:
        return [Section(title, "PyTensor is not installed here: skipped.")]
    times, shown = raw["seconds"], {"": "opweld"} | LINKERS
    work = f"{FEW} nodes cold"
    return [
        Section(
            title,
            f"A chain of {FEW} kinds of elementwise nodes of vectors of doubles. From `function()` to the end of the "
            "first call, in a fresh process, after the import of the library. Both caches are empty, and both "
            "libraries ask for the compiler's identity within this time; in PyTensor's is also what it builds of its "
            "own C once. Its modes are those of the two linkers, without fusion and in-place rewrites. "
            f"{raw['rounds']} rounds.",
            ("", "ms", "±", "of opweld"),
            [
                (name, milliseconds(times[key]), spread(times[key]), f"{ratio(times[key], times['']):.1f}")
                for key, name in shown.items()
            ],
            [
                Target(work, f"times as fast as {LINKERS['c']}", [ratio(times["c"], times[""])], 12.0, least=True),
                Target(work, f"times as fast as {LINKERS['cvm']}", [ratio(times["cvm"], times[""])], 40.0, least=True),
            ],
        )
    ]


def curve(bench: Bench) -> Raw:
    """Cold builds by the number of nodes, of all libraries."""
    found: dict[str, dict[str, list[float]]] = {}
    for name, (library, chosen, numbers) in LINES.items():
        if library == "pytensor" and bench.pytensor() is None:
            continue
        rounds = bench.effort.rounds(3) if library == "opweld" else 1
        found[name] = {
            str(nodes): [_from_nothing(bench, library, "chain", str(nodes), chosen) for _ in range(rounds)]
            for nodes in numbers
            if nodes <= bench.effort.built
        }
    return {"seconds": found}


def show_curve(raw: Raw) -> list[Section]:
    numbers = sorted({int(nodes) for line in raw["seconds"].values() for nodes in line})
    return [
        Section(
            "Cold builds by the number of nodes",
            "As the build of 20 nodes above, of chains of other lengths; PyTensor's default mode fuses and writes in "
            "place. Of opweld medians of a few rounds, of PyTensor single runs.",
            ("ms", *(f"{nodes} nodes" if nodes > 1 else "1 node" for nodes in numbers)),
            [
                (name, *(milliseconds(line[str(nodes)]) if str(nodes) in line else "" for nodes in numbers))
                for name, line in raw["seconds"].items()
            ],
            picture="builds",
        )
    ]


def python(bench: Bench) -> Raw:
    """The Python in function()."""
    rounds, many = bench.effort.rounds(7), str(bench.effort.nodes)
    candidates = {
        "opweld, mixed": ("opweld", "mixed", many, "default"),
        "opweld, chain of 20 elementwise kinds": ("opweld", "chain", many, "default"),
        "opweld, mixed, no rewrites": ("opweld", "mixed", many, "None"),
    }
    if bench.pytensor() is not None:
        candidates["PyTensor, mixed, no rewrites"] = ("pytensor", "mixed", many, "cvm")
    runs: dict[str, list[dict]] = {name: [] for name in candidates}
    for turn in range(rounds + 1):  # the first fills the caches
        for name, arguments in candidates.items():
            found = _measure(bench, "python", *arguments)
            if turn:
                runs[name].append(found)
    return {"rounds": rounds, "nodes": bench.effort.nodes, "runs": runs}


def show_python(raw: Raw) -> list[Section]:
    times = {name: [run["seconds"] for run in found] for name, found in raw["runs"].items()}
    mixed, chain, plain, *peers = times
    work = f"function() of {raw['nodes']:,} nodes"
    targets = [
        Target(work, name.removeprefix("opweld, "), [median(times[name]) * 1e3], 150.0, "ms") for name in (mixed, chain)
    ]
    targets += [Target(work, f"no rewrites, of {peer}", [ratio(times[plain], times[peer])], 0.5) for peer in peers]
    return [
        Section(
            "Python's share of function()",
            "function() of a graph like one that the process has made a function of: no module is built or loaded, and "
            "what is left is Python. Mixed: elementwise nodes, reductions, indexing, transposed views and constants. "
            f"PyTensor's mode is the linker `cvm` with `optimizer=None`. {raw['rounds']} rounds of processes.",
            ("", "nodes", "ms, the graph", "ms, function()", "±"),
            [
                (
                    name,
                    str(found[0]["nodes"]),
                    milliseconds([run["graph"] for run in found]),
                    milliseconds(times[name]),
                    spread(times[name]),
                )
                for name, found in raw["runs"].items()
            ],
            targets,
        )
    ]
