"""The rows about vectors: what is folded along an axis, NumPy's ufuncs alone, loops on two threads."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

import array_rows
from bench import Bench
from report import Raw, Section, Target, median, ratio, spread
from works import WORKS

__all__ = ["folds", "show_folds", "show_threads", "show_ufuncs", "threads", "ufuncs"]

FOLDS = tuple(key for key, work in WORKS.items() if work.row == "folds")
SCRIPT = "measure_vector.py"
SHARED = 10**6  # elements of what two threads are to share
NONE = array_rows.NONE


def folds(bench: Bench) -> Raw:
    return array_rows.arrays(bench, FOLDS)


def show_folds(raw: Raw) -> list[Section]:
    cases = list(array_rows.cases_of(raw))
    lines = []
    for case in cases:
        title, *cells = array_rows.line(case)
        lines.append((f"{title}, {array_rows.number(case.size)}", *cells))
    about = "Logarithms of sums of powers, and variances, of the works of the arrays: the same columns, and peers."
    targets = list(array_rows.targets_of(cases))
    return [Section("Folds along an axis", about, array_rows.HEAD, lines, targets)]


def ufuncs(bench: Bench) -> Raw:
    size, rounds = min(10**5, bench.effort.longest), bench.effort.rounds_each(21)
    return bench.measure_often("ufuncs", str(size), str(rounds), str(bench.effort.alone), script=SCRIPT)


def show_ufuncs(raw: Raw) -> list[Section]:
    shares: dict[str, dict[str, float]] = {"float64": {}, "float32": {}}
    lines = []
    for name, found in raw["times"].items():
        cells = []
        for dtype, of in shares.items():
            if dtype not in found:
                cells += [NONE, NONE, NONE]
                continue
            ours, theirs = found[dtype]["opweld"], found[dtype]["NumPy"]
            of[name] = ratio(ours, theirs)
            cells += [f"{median(ours) / 1e3:.1f}", spread(ours), f"{of[name]:.2f}"]
        lines.append((name, *cells))
    lines.sort(key=lambda line: -max(of.get(line[0], 0) for of in shares.values()))
    head = ("", *(f"{dtype}, {what}" for dtype in shares for what in ("µs", "±", "of NumPy")))
    size = array_rows.number(raw["size"])
    missing = f" opweld has none by the name of {', '.join(raw['missing'])}." if raw["missing"] else ""
    about = (
        f"Each of NumPy's ufuncs that takes floats, as a function of its own, of contiguous arrays of {size} numbers "
        f"from 0.1 to 0.9 (arccosh: from 1.1), with fresh outputs; the slowest of NumPy's first.{missing}"
    )
    return [Section(f"NumPy's ufuncs alone, {size}", about, head, lines, list(_alone(shares, size)))]


def _alone(shares: dict[str, dict[str, float]], size: str) -> Iterator[Target]:
    work = f"a ufunc alone, {size}"
    for dtype, of in shares.items():
        if of:
            worst = max(of, key=lambda name: of[name])
            above = sum(share > 1.1 for share in of.values())
            what = f"{dtype}, of NumPy: {worst}, the slowest of {len(of)}; {above} above"
            yield Target(work, what, [of[worst]], 1.1)
    every = [share for of in shares.values() for share in of.values()]
    yield Target(work, "of NumPy, geometric mean of both", [statistics.geometric_mean(every)], 0.8)


def threads(bench: Bench) -> Raw:
    plan = {
        n: bench.effort.rounds(61 if n <= SHARED else 15) for n in (10**5, SHARED, 10**7) if n <= bench.effort.longest
    }
    plan = plan or {bench.effort.longest: 1}
    return bench.measure("threads", *(f"{size}:{rounds}" for size, rounds in plan.items()), script=SCRIPT)


def show_threads(raw: Raw) -> list[Section]:
    title = WORKS["gauss"].title
    lines, targets = [], []
    for name, (one, two) in raw["times"].items():
        faster = ratio(one, two)
        cells = [cell for times in (one, two) for cell in (f"{median(times) / 1e3:.1f}", spread(times))]
        lines.append((array_rows.number(int(name)), *cells, f"{faster:.2f}"))
        if int(name) == SHARED:
            what = f"2 threads, {array_rows.number(SHARED)}, times as fast as one"
            targets.append(Target(title, what, [faster], 1.8, least=True))
    head = ("elements", "one, µs", "±", "two, µs", "±", "times as fast")
    why = f" {raw['skipped']}." if "skipped" in raw else ""
    about = (
        f"`{title}` on one thread and on two (`threads=2`), of fresh outputs, on the cores that the process has.{why}"
    )
    return [Section("Two threads", about, head, lines, targets)]
