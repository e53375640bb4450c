"""The rows about arrays: times of the works of works.py by size, one work at every size, and peaks of memory."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import Bench
from peers import PEERS
from report import Raw, Section, Target, median, quartiles, ratio, ratios, spread
from works import WORKS

__all__ = [
    "HEAD",
    "NONE",
    "arrays",
    "cases_of",
    "curve",
    "line",
    "memory",
    "number",
    "show_arrays",
    "show_curve",
    "show_memory",
    "targets_of",
]

COPY = "np.copyto"
NONE = "·"  # what stands where there is no figure
OURS, HAND = "opweld", "hand-written C"
UNFUSED, QUICK = "opweld, unfused", "opweld, fastmath"
OTHERS = [peer for peer in PEERS if peer != OURS]
RIVALS = [peer for peer in OTHERS if peer not in (UNFUSED, QUICK, HAND)]
FAST = "Numba, fastmath"
_EVERYWHERE = ("not installed", "no option fuse", "no option fastmath")  # why a peer is in no row
AHEAD = 1.03  # of the best of the rivals
HEAD = ("", "opweld, µs", "±", *OTHERS, "of the best", "without fastmath")
KEYS = tuple(key for key, work in WORKS.items() if work.row == "arrays")
PEAKS = ("fifty", "softmax1", "layer")
LAYOUTS = {"C": "", "F": ", Fortran order", "sliced": ", sliced"}


def _rounds(bench: Bench, size: int) -> int:
    """Of each process: the most where a second cache ends, which hangs most on places; and always some."""
    return bench.effort.rounds_each(31 if size <= 10**4 else 45 if size <= 10**6 else 11 if size <= 3 * 10**7 else 5)


def times(bench: Bench, key: str, sizes: Sequence[int], peers: Sequence[str] = tuple(PEERS), into: bool = True) -> Raw:
    """What measure_arrays.py finds about a work."""
    plan = {"sizes": sizes, "rounds": {str(n): _rounds(bench, n) for n in sizes}, "peers": peers, "into": into}
    bench.pytensor()
    return bench.measure_often("times", str(bench.folder), key, json.dumps(plan), script="measure_arrays.py")


def arrays(bench: Bench, keys: Sequence[str] = KEYS, peers: Sequence[str] = tuple(PEERS)) -> Raw:
    found = {}
    for at, key in enumerate(keys, 1):
        start = time.perf_counter()
        found[key] = times(bench, key, bench.effort.sizes, peers)
        seconds = time.perf_counter() - start
        print(f"  {at} of {len(keys)}: {WORKS[key].title} ({seconds:.0f} s)", file=sys.stderr)
    return {"sizes": list(bench.effort.sizes), "works": found}


@dataclass(frozen=True)
class Case:
    """The times of one work at one size, in one layout, with or without out=."""

    key: str
    size: int
    layout: str
    into: bool
    found: dict[str, Any]

    @property
    def title(self) -> str:
        return WORKS[self.key].title + LAYOUTS[self.layout] + (", out=" if self.into else "")

    @property
    def times(self) -> dict[str, list[float]]:
        return self.found["times"]

    def of(self, peer: str, ours: str = OURS) -> float:
        return ratio(self.times[ours], self.times[peer])

    def best(self, exact: bool = False) -> str:
        """The quickest of the rivals; exact: of those that compute what is written, in its order."""
        found = [peer for peer in RIVALS if peer in self.times and not (exact and peer == FAST)]
        return min(found, key=lambda peer: median(self.times[peer]))

    @property
    def copied(self) -> float:
        """Bytes that the copy moves: of the work's three arrays it reads one and writes one."""
        return self.found["bytes"] * 2 / 3

    def bandwidth(self, peer: str) -> float:
        """Bytes that are moved in a nanosecond."""
        return (self.copied if peer == COPY else self.found["bytes"]) / median(self.times[peer])


def cases_of(raw: Raw) -> Iterator[Case]:
    for key, work in raw["works"].items():
        for name, found in work["cases"].items():
            size, layout, variant = name.split()
            yield Case(key, int(size), layout, variant == "out", found)


def number(n: int) -> str:
    """1,000 as 10^3."""
    power = len(str(n)) - 1
    return f"10^{power}" if n == 10**power and power > 2 else f"{n:,}"


def _microseconds(nanoseconds: float) -> str:
    value = nanoseconds / 1e3
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def line(case: Case) -> tuple[str, ...]:
    ours = case.times[OURS]
    cells = [f"{ratio(case.times[peer], ours):.2f}" if peer in case.times else NONE for peer in OTHERS]
    best = case.best()
    low, high = quartiles(ratios(ours, case.times[best]))
    ahead = f"{case.of(best):.2f} ({low:.2f} to {high:.2f})"
    exact = f"{case.of(case.best(exact=True)):.2f}"
    return (case.title, _microseconds(median(ours)), spread(ours), *cells, ahead, exact)


def show_arrays(raw: Raw) -> list[Section]:
    cases = list(cases_of(raw))
    sections = []
    for size in raw["sizes"]:
        about = (
            f"Works on arrays of about {number(size)} elements where they are largest. Of opweld the time in µs, and "
            "half of the distance between its quartiles; of the others times of opweld's: above 1 opweld is quicker. "
            "At the end opweld's time of that of the quickest library, with the quartiles; and of that of the quickest "
            "but for Numba's fastmath."
        )
        sections.append(
            Section(f"Arrays of {number(size)}", about, HEAD, [line(case) for case in cases if case.size == size])
        )
    sections[-1].targets = list(targets_of(cases))
    notes = {
        f"{WORKS[key].title}: {peer}: {reason}"
        for key, work in raw["works"].items()
        for peer, reason in work["notes"].items()
        if "out=" not in peer
    }
    everywhere = {note.split(": ", 1)[1] for note in notes if note.endswith(_EVERYWHERE)}
    told = sorted(everywhere | {note for note in notes if note.split(": ", 1)[1] not in everywhere})
    about = (
        "The same words say the work to NumPy, opweld and PyTensor (benchmarks/works.py); numexpr's texts are in "
        "peers.py, Numba's loops in numba_loops.py, the loops by hand in kernels.h, compiled with opweld's arguments. "
        "`blur` is C of the user's, in PyTensor slices. PyTensor has no `out=`; its C writes over an earlier output "
        "that nobody holds: what is fresh memory to others is not to it. Numba's fastmath reorders sums, and knows no "
        "NaN."
    )
    sections.append(Section("What was compared", " ".join([about, *(f"{note}." for note in told)])))
    sections.append(_traffic(cases))
    return sections


def _traffic(cases: Sequence[Case]) -> Section:
    lines = []
    for case in cases:
        if COPY in case.times:
            shown = (COPY, OURS, HAND, "NumPy", "Numba", "numexpr")
            cells = [f"{case.bandwidth(peer):.1f}" if peer in case.times else NONE for peer in shown]
            lines.append((f"{case.title}, {number(case.size)}", *cells))
    about = "Bytes of inputs and output in a nanosecond, that is GB/s; the copy is of an array of the same length."
    head = ("", "np.copyto", "opweld", HAND, "NumPy", "Numba", "numexpr")
    return Section("Memory traffic with out=", about, head, lines)


def targets_of(cases: Sequence[Case]) -> Iterator[Target]:
    """The promises about arrays; the figures of one stand for the sizes."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.title, []).append(case)
    for title, group in groups.items():
        key, into = group[0].key, group[0].into
        if key in ("arithmetic", "where"):
            yield Target(title, f"of {HAND}", [case.of(HAND) for case in group], 1.05)
        if key in ("arithmetic", "where", "squares", "sum0", "sum1", "sum2", "rows"):
            yield Target(title, "of the best library", [case.of(case.best()) for case in group], AHEAD)
            if any(case.best() == FAST for case in group):
                exact = [case.of(case.best(exact=True)) for case in group]
                yield Target(title, "of the best library without fastmath", exact, AHEAD)
            if all(QUICK in case.times for case in group):
                quick = [case.of(case.best(), QUICK) for case in group]
                yield Target(title, "fastmath=True, of the best library", quick, AHEAD)
        if key in ("gauss", "tanh_log1p"):
            wanted = {"NumPy": [4, 4, 4] if key == "gauss" else [1.5, 2, 1.5]}
            for peer in RIVALS:
                if peer in group[0].times:
                    times = wanted.get(peer, [4] * len(group))
                    shares = [case.of(peer) * each for case, each in zip(group, times)]
                    yield Target(title, f"of {peer}, {' '.join(map(str, times))} times as fast", shares, 1.0)
            if key == "gauss":
                yield Target(title, f"of {HAND}, by libmvec", [case.of(HAND) for case in group], 1.1)
        if key in ("largest", "softmax0", "softmax1", "layer") or WORKS[key].row == "folds":
            yield Target(title, "of the best library", [case.of(case.best()) for case in group], AHEAD)
        if key in ("arithmetic", "where") and into:
            last = group[-1]
            share = last.found["bytes"] / last.copied * ratio(last.times[COPY], last.times[OURS])
            yield Target(title, f"of copy bandwidth, {number(last.size)}", [share], 0.9, least=True)
        if key == "outer" and UNFUSED in group[0].times:
            yield Target(title, "of unfused", [case.of(UNFUSED) for case in group], 1.05)
        if key == "fifty" and not into:
            last = group[-1]
            yield Target("50-node elementwise graph", f"of {HAND}, {number(last.size)}", [last.of(HAND)], 1.3)


def curve(bench: Bench) -> Raw:
    """One work at sizes from 1 on."""
    sizes = [n for power in range(9) for n in (10**power, 3 * 10**power) if n <= bench.effort.longest]
    return times(bench, "arithmetic", sizes, into=False)


def show_curve(raw: Raw) -> list[Section]:
    cases = [Case("arithmetic", int(name.split()[0]), "C", False, found) for name, found in raw["cases"].items()]
    peers = [peer for peer in PEERS if peer in cases[0].times]
    lines = []
    for case in cases:
        if str(case.size).startswith("1"):
            each = (f"{median(case.times[peer]) / case.size:.3g}" for peer in peers)
            lines.append((number(case.size), *each))
    skipped = "".join(f" {name}: {why}." for name, why in raw["notes"].items() if name.endswith("elements"))
    about = f"Nanoseconds an element of `{WORKS['arithmetic'].title}`, of fresh outputs.{skipped}"
    return [Section("From 1 element on", about, ("elements", *peers), lines, picture="calls")]


def memory(bench: Bench) -> Raw:
    found: dict[str, dict[str, Any]] = {}
    size = str(bench.effort.memory)
    bench.pytensor()
    for key in PEAKS[: bench.effort.peaks]:
        found[key] = {
            peer: bench.measure("memory", str(bench.folder), key, peer, size, script="measure_arrays.py")
            for peer in PEERS
        }
    return {"size": bench.effort.memory, "works": found}


def peaks(raw: Raw, key: str) -> dict[str, float]:
    """The peak above the inputs of each peer, in arrays of the work's size."""
    return {peer: got["peak"] / got["array"] for peer, got in raw["works"][key].items() if "peak" in got}


def show_memory(raw: Raw) -> list[Section]:
    peers = [peer for peer in PEERS if peer in peaks(raw, PEAKS[0])]
    lines = []
    for key in raw["works"]:
        above = peaks(raw, key)
        lines.append((WORKS[key].title, *(f"{above[peer]:.2f}" if peer in above else NONE for peer in peers)))
        kept = {peer: got["kept"] / got["array"] for peer, got in raw["works"][key].items() if "kept" in got}
        lines.append(("kept afterwards", *(f"{kept[peer]:.2f}" if peer in kept else NONE for peer in peers)))
    what = "peak of outputs and buffers, in arrays (0.05 for the allocator)"
    ours = peaks(raw, PEAKS[0]).get(OURS)
    reasons = {peer: got["skipped"] for peer, got in raw["works"][PEAKS[0]].items() if "skipped" in got}
    skipped = "".join(f" {peer}: {reason}." for peer, reason in reasons.items())
    targets = [] if ours is None else [Target("50-node elementwise graph", what, [ours], 2.05, "")]
    return [
        Section(
            "Peaks of memory",
            f"How far the resident memory of a fresh process rises above the inputs during a call, in arrays of "
            f"{number(raw['size'])} doubles, the output among them; and what of it is still there when the result is "
            f"gone. A call of a few elements was made before.{skipped}",
            ("", *peers),
            lines,
            targets,
            "memory",
        )
    ]
