"""The rows about calls of few elements: what a call costs beside its work, and each node in it."""

from __future__ import annotations

from bench import Bench
from report import Raw, Section, Target, median, ratio, spread

__all__ = ["calls", "nodes", "show_calls", "show_nodes"]


def calls(bench: Bench) -> Raw:
    rounds = bench.effort.rounds(61)
    return {"rounds": rounds, "times": bench.measure("calls", str(bench.folder), str(rounds))}


def show_calls(raw: Raw) -> list[Section]:
    times = raw["times"]
    shown = {
        "opweld": "opweld, C of one's own, f(x, y)",
        "opweld keywords": "the same, f(x=x, y=y)",
        "opweld out": "the same, f(x, y, out=z)",
        "elementwise": "opweld, x*y, f(x, y)",
        "elementwise out": "the same, f(x, y, out=z)",
        "handwritten": "hand-written METH_FASTCALL",
        "numpy": "np.multiply(x, y)",
        "numpy out": "np.multiply(x, y, out=z)",
        "0-d": "opweld, x*s, f(x, s): s 0-d array",
        "float": "the same, f(x, 2.0)",
        "numpy float": "np.multiply(x, 2.0)",
        "nothing": "an empty METH_FASTCALL function",
    }
    section = Section(
        "A checked call",
        "The product of two vectors of 3 doubles, by C of one's own (examples/vector_times_vector.py) and as a node of "
        "the library's; and of a vector by a number. The hand-written module (benchmarks/handwritten.c) checks what "
        f"opweld's checks and is compiled with the same arguments. {raw['rounds']} rounds of 20,000 calls each.",
        ("", "ns", "±", "of np.multiply", "of hand-written"),
    )
    for key, name in shown.items():
        of_numpy, of_hand = ratio(times[key], times["numpy"]), ratio(times[key], times["handwritten"])
        own = (f"{median(times[key]):.0f}", spread(times[key]))
        section.lines.append((name, *own, f"{of_numpy:.2f}", f"{of_hand:.2f}"))
    work = "checked call, 3 elements, 2 inputs"
    for key, which in (("opweld", "C of one's own"), ("elementwise", "x*y")):
        section.targets += [
            Target(work, f"{which}, of np.multiply", [ratio(times[key], times["numpy"])], 0.35),
            Target(work, f"{which}, of hand-written C", [ratio(times[key], times["handwritten"])], 1.25),
        ]
    section.targets.append(
        Target("the same with a Python float for one", "of a 0-d array", [ratio(times["float"], times["0-d"])], 1.3)
    )
    return [section]


def nodes(bench: Bench) -> Raw:
    rounds = bench.effort.rounds(201)
    times = bench.measure("calls", "opweld", str(rounds), script="measure_graphs.py")
    if bench.pytensor() is not None:
        times |= bench.measure("calls", "pytensor", str(rounds), script="measure_graphs.py")
    return {"rounds": rounds, "times": times}


def show_nodes(raw: Raw) -> list[Section]:
    times = raw["times"]
    shown = {
        "default": "opweld, elementwise",
        "merge": 'the same, config.optimizer = "merge": nothing in place',
        "scalar": "opweld, elementwise, 0-d",
        "opaque": "opweld, C of one's own",
        "numpy": "NumPy, one ufunc after another",
        "c": "PyTensor, linker c, checks off",
        "cvm": "PyTensor, linker cvm, checks off",
    }
    more = max(int(name.split()[1]) for name in times)
    lines, each = [], {}
    for name, label in shown.items():
        if f"{name} 1" not in times:
            continue
        one, many = times[f"{name} 1"], times[f"{name} {more}"]
        node = [(b - a) / (more - 1) for a, b in zip(one, many, strict=True)]
        each[name] = median(node)
        lines.append((label, f"{median(one):.0f}", f"{median(many):.0f}", f"{each[name]:.1f}", spread(node)))
    work = "a node more in a call"
    return [
        Section(
            "A call of many nodes",
            "Multiplications and additions in turn, of two vectors of 3 doubles or of two 0-d arrays, each node fed by "
            "the one before it; and loops of one's own that add 1 to 3 doubles, which opweld cannot look into. A "
            f"node's cost is a {more - 1}th of what {more} nodes take longer than 1. PyTensor's modes, for reference "
            "and measured in a process of their own, are without fusion and in-place rewrites. "
            f"{raw['rounds']} rounds of few calls each.",
            ("", "ns, 1 node", f"ns, {more} nodes", "ns a node", "±"),
            lines,
            [
                Target(work, "elementwise, 3 elements", [each["default"]], 3.0, "ns"),
                Target(work, "the same, nothing in place", [each["merge"]], 3.0, "ns"),
                Target(work, "scalar (0-d)", [each["scalar"]], 3.0, "ns"),
                Target(work, "opaque fragment", [each["opaque"]], 20.0, "ns"),
            ],
        )
    ]
