"""The plots of the report, made of the rows' figures: SVG, the same bytes for the same figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from peers import PEERS
from report import Raw, median, quartiles
from works import WORKS

__all__ = ["PLOTS", "draw"]

COLOURS = {
    "opweld": "#d62728",
    "opweld, unfused": "#ff9896",
    "opweld, fastmath": "#e377c2",
    "hand-written C": "#222222",
    "NumPy": "#1f77b4",
    "Numba": "#2ca02c",
    "Numba, fastmath": "#98df8a",
    "numexpr": "#9467bd",
    "PyTensor, c": "#ff7f0e",
    "PyTensor": "#8c564b",
    "PyTensor, linker c": "#ff7f0e",
    "PyTensor, linker cvm": "#e7ba52",
}


def _style(name: str) -> dict[str, Any]:
    ours = name == "opweld"
    return {"color": COLOURS[name], "linewidth": 2.2 if ours else 1.2, "zorder": 3 if ours else 2, "label": name}


def calls(figure: Any, raw: Raw) -> None:
    """Time a call and time an element by size, a line a peer; the band lies between the quartiles."""
    whole, each = figure.subplots(1, 2)
    by_size = sorted((int(name.split()[0]), found["times"]) for name, found in raw["cases"].items())
    for peer in PEERS:
        points = [(size, times[peer]) for size, times in by_size if peer in times]
        if not points:
            continue
        sizes = [size for size, _ in points]
        for axes, share in ((whole, [1] * len(sizes)), (each, sizes)):
            axes.plot(sizes, [median(t) / n for (_, t), n in zip(points, share)], **_style(peer))
            bounds = [[bound / n for bound in quartiles(t)] for (_, t), n in zip(points, share)]
            axes.fill_between(sizes, *zip(*bounds), color=COLOURS[peer], alpha=0.15, linewidth=0)
    for axes, label in ((whole, "ns a call"), (each, "ns an element")):
        axes.set(xscale="log", yscale="log", xlabel="elements", ylabel=label)
        axes.grid(alpha=0.3)
    figure.legend(*whole.get_legend_handles_labels(), loc="outside right center", frameon=False, fontsize="small")
    figure.suptitle(WORKS["arithmetic"].title)


def builds(figure: Any, raw: Raw) -> None:
    """Cold builds by the number of nodes."""
    axes = figure.subplots()
    for name, line in raw["seconds"].items():
        axes.plot([int(n) for n in line], [median(s) for s in line.values()], marker="o", **_style(name))
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="seconds from function() to the end of the first call")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small")


def memory(figure: Any, raw: Raw) -> None:
    """Peaks above the inputs, a group a work and a bar a peer."""
    axes = figure.subplots()
    wide = 0.8 / len(PEERS)
    for at, peer in enumerate(PEERS):
        found = [(i, got[peer]) for i, got in enumerate(raw["works"].values()) if "peak" in got[peer]]
        places, heights = [i + (at + 0.5) * wide - 0.4 for i, _ in found], [g["peak"] / g["array"] for _, g in found]
        if found:
            axes.bar(places, heights, wide * 0.9, color=COLOURS[peer], label=peer)
    axes.set_xticks(range(len(raw["works"])), [WORKS[key].title for key in raw["works"]])
    axes.set_ylabel("arrays beyond the inputs")
    axes.grid(alpha=0.3, axis="y")
    figure.legend(loc="outside right center", frameon=False, fontsize="small")


#: A plot's name, the row that it shows, and what draws it.
PLOTS: dict[str, tuple[str, tuple[float, float], Callable[[Any, Raw], None]]] = {
    "calls": ("curve", (11, 4.5), calls),
    "builds": ("builds", (6.5, 4.5), builds),
    "memory": ("memory", (8, 4), memory),
}


def draw(rows: dict[str, Raw], beginning: Path) -> list[Path]:
    """Write the plots of the rows that are there, to files whose names begin so."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib.figure import Figure

    matplotlib.rcParams |= {"svg.hashsalt": "opweld", "svg.fonttype": "none"}
    written = []
    for name, (row, size, plot) in PLOTS.items():
        if row in rows:
            figure = Figure(figsize=size, layout="constrained")
            plot(figure, rows[row])
            path = beginning.with_name(f"{beginning.name}{name}.svg")
            figure.savefig(path, metadata={"Date": None, "Creator": None})
            written.append(path)
    return written
