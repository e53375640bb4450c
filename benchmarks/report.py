"""What a run reports: sections with tables and pictures, and the promises that are kept or not."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "PAGES",
    "Section",
    "Shown",
    "Target",
    "document",
    "median",
    "milliseconds",
    "quartiles",
    "ratio",
    "ratios",
    "report",
    "signed",
    "spread",
    "table",
]


@dataclass(frozen=True)
class Target:
    """One promise: measured values, of which the worst counts, and the most (or the least) that it may be."""

    work: str  # whose promise it is: its row of the table of promises
    what: str
    values: Sequence[float]
    limit: float
    unit: str = "x"
    least: bool = False  # the limit is a lower one

    @property
    def worst(self) -> float:
        return min(self.values) if self.least else max(self.values)

    @property
    def name(self) -> str:
        return f"{self.work}: {self.what}"

    def kept(self, slack: float = 1.0) -> bool:
        return self.worst >= self.limit / slack if self.least else self.worst <= self.limit * slack

    def cells(self) -> tuple[str, ...]:
        digits = 2 if self.limit > 0.1 else 3
        values = ", ".join(str(v) if isinstance(v, int) else f"{v:.{digits}f}" for v in self.values)
        limit = f"{'≥' if self.least else '≤'} {self.limit:.3g}"
        unit = f" {self.unit}" if self.unit else ""
        return self.work, self.what, values + unit, limit + unit, "yes" if self.kept() else "NO"


PAGES = {
    "": "Benchmarks",
    "vector": "Benchmarks: vector math and threads",
    "builds": "Benchmarks: builds and processes",
    "pytensor": "Benchmarks: PyTensor's functions",
}
"""What the pages of the document are named after it by, and their titles; the first has the promises of all."""


@dataclass
class Section:
    """One table of the report, with what it says, shows and promises."""

    title: str
    about: str
    head: tuple[str, ...] = ()
    lines: list[tuple[str, ...]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    picture: str = ""  # the name of a plot (plots.py)

    def text(self, pictures: str | None) -> str:
        parts = [f"## {self.title}", self.about]
        if self.picture and pictures is not None:
            parts.append(f"![{self.title}]({pictures}{self.picture}.svg)")
        if self.lines:
            parts.append(table(self.head, self.lines))
        return "\n\n".join(parts)


class Shown(NamedTuple):
    """What one row has for the report: on what it was measured, and where its sections stand."""

    facts: dict[str, str]
    sections: list[Section]
    page: str = ""

    @property
    def targets(self) -> Iterator[Target]:
        return (target for section in self.sections for target in section.targets)


def table(head: tuple[str, ...], lines: Sequence[tuple[str, ...]], left: int = 1) -> str:
    """Markdown that also reads well on a terminal: the first columns left, the others right."""
    rows = [head, *lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        pairs = enumerate(zip(row, widths, strict=True))
        return "| " + " | ".join(cell.ljust(w) if i < left else cell.rjust(w) for i, (cell, w) in pairs) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i < left else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *(line(row) for row in lines)])


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def milliseconds(seconds: Sequence[float]) -> str:
    return f"{median(seconds) * 1e3:.0f}"


def quartiles(values: Sequence[float]) -> tuple[float, float]:
    """The middle half of the values lies between them."""
    if len(values) < 2:
        return values[0], values[0]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper


def spread(values: Sequence[float]) -> str:
    """Half of the distance between the quartiles, in percent of the median."""
    lower, upper = quartiles(values)
    return f"{(upper - lower) / 2 / median(values):.0%}"


def ratios(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Of each round a's time in b's."""
    return [x / y for x, y in zip(a, b, strict=True)]


def ratio(a: Sequence[float], b: Sequence[float]) -> float:
    """The median over rounds of a's time in b's."""
    return median(ratios(a, b))


def _common(rows: Sequence[Shown]) -> dict[str, str]:
    first, *others = [row.facts for row in rows] or [{}]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _facts(rows: Sequence[Shown]) -> str:
    return "\n".join(f"* {name}: {value}" for name, value in _common(rows).items())


def promises(rows: Sequence[Shown]) -> Iterator[str]:
    """The table of what each figure should be; nothing where nobody promised anything."""
    targets = [target.cells() for row in rows for target in row.targets]
    if targets:
        yield "## How well"
        yield (
            "What each figure should be at most (≤) or at least (≥). Several figures stand for the sizes of the tables "
            "of its row, the smallest first: the worst counts."
        )
        yield table(("", "figure", "measured", "target", "met"), targets, left=2)


def tables(rows: Sequence[Shown], pictures: str | None = None, page: str | None = None) -> Iterator[str]:
    """The sections of a page (None: of all), each with those facts in which the rows differ.

    ``pictures`` is what the names of the plots begin with; None: there are none.
    """
    common = _common(rows)
    for row in rows:
        own = [f"{name}: {value}" for name, value in row.facts.items() if name not in common]
        for section in row.sections if page in (None, row.page) else ():
            text = section.text(pictures)
            yield f"{text}\n\n({'; '.join(own)})" if own else text


def report(rows: Sequence[Shown]) -> Iterator[str]:
    """The parts of what a terminal shows."""
    yield _facts(rows)
    yield from promises(rows)
    yield from tables(rows)


def document(rows: Sequence[Shown], command: str, stem: str) -> dict[str, str]:
    """The texts of the pages, by what their files are called, of files and plots whose names begin with the stem."""
    others = [f"[{title}]({stem}-{page}.md)" for page, title in PAGES.items() if page]
    opening = f"""# {PAGES[""]}

Written by `{command}`; `make bench` shows the figures of your machine. Every figure is a median over
rounds in which each candidate has its turn; ratios are medians of the rounds' ratios; ± is half of the distance between
the quartiles of the rounds. Calls are timed by `timeit` on one core and in one thread, with the garbage collector off.
What hangs on where arrays come to lie, loops of arrays and calls of PyTensor's functions, has its rounds in several
processes, and in each of these at several places. Each result was compared with NumPy's before it was timed. Times say
something about this machine, ratios about opweld.

The figures of each round are kept in `build/bench`: `make bench BENCH_ARGS="--rows arrays"` measures one row again,
`make bench BENCH_ARGS="--again --write"` writes these pages of what is kept. `make bench-check` compares some of the
ratios with generous bounds, in a minute. More tables of the same run: {", ".join(others)}."""
    found = {f"{stem}.md": [opening, _facts(rows), *promises(rows), *tables(rows, f"{stem}-", "")]}
    for page, title in PAGES.items():
        if page:
            head = (
                f"# {title}\n\nTables of the run of which [{PAGES['']}]({stem}.md) tells on what it ran, and how well."
            )
            found[f"{stem}-{page}.md"] = [head, *tables(rows, f"{stem}-", page)]
    return {name: "\n\n".join(parts) + "\n" for name, parts in found.items()}


def signed(text: str, folder: Path) -> str:
    """Say of a text, and the plots that it shows, that a run wrote them, in a way that an edit by hand makes wrong."""
    plots = [(folder / name).read_bytes() for name in re.findall(r"\]\(([^)/]+\.svg)\)", text)]
    return f"{text}\n<!-- a run wrote this: {sha256(b''.join([text.encode(), *plots])).hexdigest()[:16]} -->\n"


Raw = dict[str, Any]
