"""Whether ratios are what they were, roughly: ``make bench-check``, in about a minute.

Measures a part of what ``make bench`` does, in few rounds, and compares ratios with bounds that are generous: a target
and half as much again, or what BOUNDS says. What fails here has become slower by far more than a busy machine explains.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import array_rows
import call_rows
from bench import EFFORTS, Bench
from report import Section, Target, table

SLACK = 1.5
WORKS = ("arithmetic", "where", "squares", "sum2", "rows", "outer", "fifty")
PEERS = ("opweld", "opweld, unfused", "hand-written C", "NumPy", "Numba", "numexpr")
SIZES = (10**3, 10**5, 10**6)
#: Patterns of names of targets whose bound is another one than the target's with the slack.
BOUNDS: dict[str, float] = {
    r"copy bandwidth": 0.4,
}


def bound(target: Target) -> float:
    for pattern, value in BOUNDS.items():
        if re.search(pattern, target.name):
            return value
    return target.limit / SLACK if target.least else target.limit * SLACK


def verdict(targets: Iterable[Target]) -> list[tuple[Target, float, bool]]:
    """Each target that is a ratio, its bound, and whether it is within it."""
    judged = [replace(target, limit=bound(target)) for target in targets if target.unit == "x"]
    return [(target, target.limit, target.kept()) for target in judged]


def sections(folder: Path, tiny: bool) -> list[Section]:
    bench = Bench(folder, EFFORTS["tiny"] if tiny else replace(EFFORTS["full"], share=0.5, sizes=SIZES))
    bench.prepare()
    print("calls", file=sys.stderr)
    found = call_rows.show_calls(call_rows.calls(bench))
    print("arrays", file=sys.stderr)
    return found + array_rows.show_arrays(array_rows.arrays(bench, WORKS, PEERS))


def lines(judged: Sequence[tuple[Target, float, bool]]) -> list[tuple[str, ...]]:
    rows = []
    for target, limit, within in judged:
        values = ", ".join(f"{value:.2f}" for value in target.values)
        rows.append((target.name, values, f"{'≥' if target.least else '≤'} {limit:.2f}", "ok" if within else "SLOW"))
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="benchmarks/check.py",
        description=(__doc__ or "").split("\n\n")[0],
        epilog="Exit codes: 0 every ratio is within its bound, 1 one is not, or something failed, 2 usage.",
    )
    parser.add_argument("--tiny", action="store_true", help="one round of short arrays: whether it can be measured")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="opweld-check-") as folder:
        found = sections(Path(folder), options.tiny)
    judged = verdict(target for section in found for target in section.targets)
    print(table(("", "measured", "bound", ""), lines(judged)))
    slow = [target.name for target, _, within in judged if not within]
    print(f"\n{len(judged) - len(slow)} of {len(judged)} within their bounds")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
