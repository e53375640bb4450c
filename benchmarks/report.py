"""What a run reports: sections with tables, and the promises that are kept or not."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Section", "Target", "document", "ratio", "report"]


@dataclass(frozen=True)
class Target:
    """One promise: a measured value and the most it may be."""

    what: str
    value: float
    limit: float
    unit: str = "x"

    @property
    def kept(self) -> bool:
        return self.value <= self.limit

    def cells(self) -> tuple[str, ...]:
        value = f"{self.value:.{2 if self.limit > 0.1 else 3}f}" if self.unit else f"{self.value:g}"
        return self.what, f"{value} {self.unit}", f"{self.limit:g} {self.unit}", "yes" if self.kept else "NO"


@dataclass
class Section:
    """One table of the report, with what it says and what it promises."""

    title: str
    about: str
    head: tuple[str, ...] = ()
    lines: list[tuple[str, ...]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def text(self) -> str:
        parts = [f"## {self.title}", self.about]
        if self.lines:
            parts.append(table(self.head, self.lines))
        return "\n\n".join(parts)


def table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    """Markdown that also reads well on a terminal: first column left, the others right."""
    rows = [head, *lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        others = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        return "| " + " | ".join([row[0].ljust(widths[0]), *others]) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *(line(row) for row in lines)])


def ratio(a: list[float], b: list[float]) -> float:
    """The median over rounds of a's time in b's."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


def report(machine: list[tuple[str, str]], sections: list[Section]) -> Iterator[str]:
    yield "\n".join(f"* {name}: {value}" for name, value in machine)
    for section in sections:
        yield section.text()
    targets = [target.cells() for section in sections for target in section.targets]
    if targets:
        yield "## Targets"
        yield table(("", "measured", "at most", "kept"), targets)


def document(parts: list[str], command: str) -> str:
    opening = f"""# Benchmarks

Written by `{command}`; `make bench` shows the figures of your machine. Every figure is a median over
rounds in which each candidate has its turn; ratios are medians of the rounds' ratios. Calls are timed by `timeit` on
one core, with the garbage collector off; those of one op in 61 rounds of 20,000 calls each. Times say something about
this machine, ratios about opweld."""
    return "\n\n".join([opening, *parts]) + "\n"
