"""Time opweld against its peers, side by side in one run: ``make bench``.

Every figure is a median over rounds; in each round every candidate has its turn, so what slows the machine down for a
while slows all of them. Ratios are medians of the rounds' ratios. What is measured runs in processes of its own
(measure*.py); nothing of the user's cache is read or written. The figures themselves are kept as JSON, row by row: a
run may measure some of the rows, and docs/benchmarks*.md are made of all that are kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import EFFORTS, HERE, Bench
from plots import draw
from report import Shown, document, report, signed
from rows import ROWS

DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
KEPT = HERE.parent / "build" / "bench"

Kept = dict[str, dict[str, Any]]  # of each row what it was measured on, and its figures


def measure(rows: Sequence[str], effort: str, figures: Path) -> None:
    """Measure rows, and put each into the file of figures as soon as it is there."""
    with tempfile.TemporaryDirectory(prefix="opweld-bench-") as folder:
        bench = Bench(Path(folder), EFFORTS[effort])
        print("preparing", file=sys.stderr)
        bench.prepare()
        facts = bench.machine()
        for at, row in enumerate(rows, 1):
            print(f"{at} of {len(rows)}: {row}", file=sys.stderr)
            start = time.perf_counter()
            raw = ROWS[row].measure(bench)
            print(f"  {time.perf_counter() - start:.0f} s", file=sys.stderr)
            kept = load(figures)
            kept[row] = {"facts": facts, "figures": raw}
            figures.parent.mkdir(parents=True, exist_ok=True)
            figures.write_text(json.dumps(kept, indent=1))


def load(figures: Path) -> Kept:
    return json.loads(figures.read_text()) if figures.exists() else {}


def shown(kept: Kept) -> list[Shown]:
    """What the report has of each row that is kept, in the order of ROWS."""
    return [
        Shown(kept[name]["facts"], row.show(kept[name]["figures"]), row.page)
        for name, row in ROWS.items()
        if name in kept
    ]


def write(kept: Kept, path: Path) -> None:
    """Write the document, and beside it its other pages and the plots that they show."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draw({row: entry["figures"] for row, entry in kept.items()}, path.with_name(f"{path.stem}-"))
    for name, text in document(shown(kept), "make bench BENCH_ARGS=--write", path.stem).items():
        path.with_name(name).write_text(signed(text, path.parent))


def names(text: str, known: Sequence[str]) -> list[str]:
    """The names of a list with commas, in the order in which they are known."""
    given = [name for name in text.split(",") if name]
    unknown = sorted(set(given) - set(known))
    if unknown or not given:
        raise argparse.ArgumentTypeError(f"unknown {', '.join(unknown) or 'nothing'}; known are {', '.join(known)}")
    return [name for name in known if name in given]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run.py",
        description=(__doc__ or "").split("\n\n")[0],
        epilog="example: python benchmarks/run.py --quick --rows calls,second. Exit codes: 0 all measured, 1 something "
        "failed, or a target was missed with --check, 2 usage.",
    )
    effort = parser.add_mutually_exclusive_group()
    effort.add_argument("--quick", action="store_true", help="fewer rounds: a look, not a figure to quote")
    effort.add_argument(
        "--tiny", action="store_true", help="one round of short arrays: whether every row can be measured"
    )
    parser.add_argument(
        "--rows", type=lambda text: names(text, list(ROWS)), default=list(ROWS), help=f"of {', '.join(ROWS)}"
    )
    parser.add_argument("--again", action="store_true", help="measure nothing: report the figures that are kept")
    parser.add_argument("--write", action="store_true", help="also write docs/benchmarks*.md and plots, of all rows")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--figures", type=Path, help="the file that keeps the figures (default: one in build/bench)")
    parser.add_argument("--document", type=Path, default=DOCUMENT, help="what --write writes")
    options = parser.parse_args(arguments)
    options.effort = "quick" if options.quick else "tiny" if options.tiny else "full"
    options.figures = options.figures or KEPT / f"{options.effort}.json"
    if options.write and options.effort != "full" and options.document == DOCUMENT:
        parser.error("--write takes a whole run: leave out --quick and --tiny, or name another --document")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if not options.again:
        measure(options.rows, options.effort, options.figures)
    kept = load(options.figures)
    missing = [row for row in (ROWS if options.write else options.rows) if row not in kept]
    if missing:
        print(f"{options.figures}: holds no figures of {', '.join(missing)}: measure them first", file=sys.stderr)
        return 1
    chosen = shown({row: kept[row] for row in options.rows})
    print("\n" + "\n\n".join(report(chosen)))
    if options.write:
        write(kept, options.document)
        print(f"\nwritten: {options.document}")
    missed = [target for row in chosen for target in row.targets if not target.kept()]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
