"""The row about PyTensor's functions that opweld runs, beside PyTensor's own C and Numba (measure_backend.py)."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from array_rows import number
from bench import Bench
from report import Raw, Section, Target, median, ratio, spread

__all__ = ["backend", "show_backend"]

SCRIPT = "measure_backend.py"
STOCK = ("C", "CVM")
NUMBA = "NUMBA"
OURS = ("OPWELD", "OPWELD_C")
TITLES = {
    "add": "x + y of {}",
    "nodes": "{} nodes of 3, nothing fused",
    "gauss": "exp(-x*x/2)*y + sin(x) of {}",
    "product": "A @ x, A of {0} by {0}",
    "model": "logp and gradient of a model, {} points",
}
MADE = ("add", "nodes", "model")  # whose builds are measured, of the smallest size
BY_BLAS = ("product",)  # of whose calls nothing is promised: most of one is a library's
#: What a build may take of another's: work, whose, with an empty cache or a full one.
BUILDS = (
    ("add", "C", "cold", 0.5), ("add", "C", "warm", 0.3), ("nodes", "C", "cold", 0.3), ("nodes", "CVM", "cold", 0.06),
    ("model", "CVM", "cold", 0.5),
)  # fmt: skip


def _works(bench: Bench) -> list[tuple[str, int]]:
    gauss = [size for size in (10**3, 10**5) if size <= bench.effort.longest] or [bench.effort.longest]
    fixed = [("add", 3), ("nodes", min(20, bench.effort.built)), *(("gauss", size) for size in gauss), ("product", 60)]
    return [*fixed, *(("model", points) for points in bench.effort.models)]


def _peers(work: str) -> tuple[str, ...]:
    """Whom a work is compared with: stock has no C of a whole model, nor of products without a BLAS."""
    numba = (NUMBA,) if importlib.util.find_spec("numba") else ()
    return (*(STOCK[1:] if work in ("product", "model") else STOCK), *numba)


def backend(bench: Bench) -> Raw:
    base = bench.pytensor()
    if base is None:
        return {}
    found: Raw = {"works": []}
    for work, size in _works(bench):
        peers = _peers(work)
        names = ",".join((*OURS, *peers))
        rounds = str(bench.effort.rounds_each(61))
        called = bench.measure_often("calls", work, str(size), names, rounds, script=SCRIPT)
        found |= {"version": called["version"]}
        made = work in MADE and work not in [one["work"] for one in found["works"]]
        built = _builds(bench, base, work, size, (OURS[0], *peers)) if made else {}
        found["works"].append({"work": work, "size": size, "calls": called["times"], "builds": built})
    return found


def _builds(bench: Bench, base: Path, work: str, size: int, modes: tuple[str, ...]) -> Raw:
    seconds: dict[str, dict[str, list[float]]] = {mode: {"cold": [], "warm": []} for mode in modes}
    for _ in range(bench.effort.rounds(3)):
        for mode, times in seconds.items():
            for folder in (base, bench.root):
                shutil.rmtree(folder, ignore_errors=True)
            bench.root.mkdir(mode=0o700)
            for state in ("cold", "warm"):
                times[state].append(bench.measure("build", work, str(size), mode, script=SCRIPT)["seconds"])
    return seconds


def show_backend(raw: Raw) -> list[Section]:
    title = "PyTensor's functions"
    if not raw:
        return [Section(title, "PyTensor is not installed here: skipped.")]
    names = (*OURS, *STOCK, NUMBA)
    calls = Section(
        title,
        f"Functions of PyTensor {raw['version']} by opweld's modes, by PyTensor's own C (the linker of a whole graph, "
        "and that of its virtual machine) and by Numba; `trust_input=True`. The model is that of "
        "examples/pytensor_model.py; of its whole graph stock has no C, nor of products where PyTensor finds no BLAS.",
        ("µs a call", *(cell for name in names for cell in (name, "±"))),
    )
    builds = Section(
        "Making PyTensor's functions",
        "Seconds from the import of what runs it to the first result, in a process of its own, with empty caches and "
        "with those that the run before left; `import pytensor` does not count.",
        ("s", *(f"{name}, {state}" for name in (OURS[0], *STOCK, NUMBA) for state in ("empty", "full"))),
    )
    for one in raw["works"]:
        _show(one, calls, builds)
    return [calls, builds]


def _show(one: Raw, calls: Section, builds: Section) -> None:
    text = TITLES[one["work"]].format(number(one["size"]))
    times = one["calls"]
    cells = [c for name in (*OURS, *STOCK, NUMBA) for c in _microseconds(times.get(name))]
    calls.lines.append((text, *cells))
    best = min((name for name in times if name not in OURS), key=lambda name: median(times[name]))
    shares = [ratio(times[name], times[best]) for name in OURS]
    if one["work"] not in BY_BLAS:
        calls.targets.append(Target("PyTensor's functions", f"{text}, a call, both modes, of {best}", shares, 0.7))
    built = one["builds"]
    if not built:
        return
    seconds = {name: [f"{median(of[state]):.2f}" for state in ("cold", "warm")] for name, of in built.items()}
    order = (OURS[0], *STOCK, NUMBA)
    builds.lines.append((text, *(cell for name in order for cell in seconds.get(name, ["", ""]))))
    for work, peer, state, limit in BUILDS:
        if work == one["work"]:
            what = f"{text}, made with {'an empty cache' if state == 'cold' else 'a full one'}, of {peer}"
            share = ratio(built[OURS[0]][state], built[peer][state])
            builds.targets.append(Target("PyTensor's functions", what, [share], limit))


def _microseconds(times: list[float] | None) -> tuple[str, str]:
    return (f"{median(times) / 1e3:.2f}", spread(times)) if times else ("", "")
