"""The row about calls in DebugMode."""

from __future__ import annotations

from bench import Bench
from report import Raw, Section, Target, median

__all__ = ["debug", "show_debug"]

NAMES = {"Shift": "`x + 1`", "Blur": "the mean of three neighbours", "Exp": "`exp(x)`"}


def debug(bench: Bench) -> Raw:
    elements = 100_000 if bench.effort.share else 200
    times = bench.measure(str(elements), str(bench.effort.rounds(31)), script="measure_debug.py")
    return {"elements": elements, "times": times}


def show_debug(raw: Raw) -> list[Section]:
    lines, slowest = [], 0.0
    for name, times in raw["times"].items():
        plain = [c + perform for c, perform in zip(times["c"], times["perform"], strict=True)]
        inside, outside = (
            median([a / b for a, b in zip(times[where], plain, strict=True)]) for where in ("inside", "outside")
        )
        slowest = max(slowest, inside)
        both = f"{median(times['c']) / 1e3:.0f}", f"{median(times['perform']) / 1e3:.0f}"
        lines.append((NAMES[name], *both, f"{inside:.0f}", f"{outside:.0f}"))
    return [
        Section(
            "A call in DebugMode",
            f"Ops that have C and `perform`, of {raw['elements']:,} doubles. All checks that are made by themselves.",
            ("", "C, µs", "perform, µs", "DebugMode of the two, without a process of its own", "with it"),
            lines,
            [Target("a call in DebugMode, without a process of its own", "of C and perform together", [slowest], 50)],
        )
    ]
