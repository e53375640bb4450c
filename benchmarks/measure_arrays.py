"""The measured half of array_rows.py: the works of works.py, timed in a process of their own; prints one JSON object.

    python measure_arrays.py times FOLDER WORK PLAN    nanoseconds of each peer, by case
    python measure_arrays.py memory FOLDER WORK PEER SIZE

FOLDER holds the hand-written modules. PLAN is JSON: sizes, rounds of each size, peers, and whether out= counts.
"""

from __future__ import annotations

import contextlib
import gc
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from measure import in_places, pin
from peers import Candidate, Skipped, candidate
from works import WORKS

COPY = "np.copyto"


def available() -> int:
    """Bytes of memory that may be had without making others move."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 4 << 30


def needed(key: str, size: int) -> int:
    """About what the operands and the temporaries of the most wasteful peer take, in bytes."""
    factor = 4 if "sliced" in WORKS[key].layouts else 1
    return (len(WORKS[key].operands(4, "C")) * factor + 5) * 8 * size


def one_case(key: str, size: int, layout: str, into: bool, plan: dict[str, Any], notes: dict[str, str]) -> dict:
    """Times of every peer, a list over rounds each."""
    operands = WORKS[key].operands(size, layout)
    expected = np.asarray(WORKS[key].expression(np, *operands))
    made: dict[str, Candidate] = {}
    for peer in plan["peers"]:
        try:
            made[peer] = candidate(peer, key, layout, into, operands, expected)
        except Skipped as reason:
            notes.setdefault(f"{peer}{', out=' if into else ''}", str(reason))
            continue
        if made[peer].note:
            notes[peer] = made[peer].note

    def place() -> dict[str, tuple[str, dict[str, Any]]]:
        operands = WORKS[key].operands(size, layout)
        # One for all: an output whose address is an input's modulo 4 KB, or a little more, makes any loop wait.
        out = np.empty_like(expected) if into else None
        timed = {peer: (each.text(len(operands)), each.scope(operands, out)) for peer, each in made.items()}
        if into and WORKS[key].into:
            timed[COPY] = ("f(z, a0)", {"f": np.copyto, "a0": operands[0], "z": out})
        return timed

    moved = sum(a.nbytes for a in operands) + expected.nbytes
    elements = max(a.size for a in [*operands, expected])
    del operands
    return {"elements": elements, "bytes": moved, "times": in_places(place, plan["rounds"][str(size)])}


def times(key: str, plan: dict[str, Any]) -> dict:
    pin()
    cases, notes = {}, {}
    work = WORKS[key]
    for size in plan["sizes"]:
        if needed(key, size) > available() * 0.8:
            notes[f"{size} elements"] = "not enough memory"
            continue
        for layout in work.layouts:
            for into in (False, True) if work.into and plan["into"] else (False,):
                name = " ".join([str(size), layout, "out" if into else "fresh"])
                cases[name] = one_case(key, size, layout, into, plan, notes)
                gc.collect()
    return {"cases": cases, "notes": notes}


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise SystemExit(f"/proc/self/status says no {field}")


def memory(key: str, peer: str, size: int) -> dict:
    """How far the resident memory of the process rises above the inputs in a call, and what of that stays after it.

    The call before it, of a few elements, compiles and loads what has to be.
    """
    try:
        small = WORKS[key].operands(60, "C")
        made = candidate(peer, key, "C", False, small, np.asarray(WORKS[key].expression(np, *small)))
    except Skipped as reason:
        return {"skipped": str(reason)}
    operands = WORKS[key].operands(size, "C")
    call, scope = compile(made.text(len(operands)), "<call>", "eval"), made.scope(operands, None)
    gc.collect()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins anew
    except OSError as error:
        return {"skipped": f"the high-water mark of memory cannot be reset: {error}"}
    before = _status("VmRSS")
    result = eval(call, scope)
    peak = _status("VmHWM") - before
    given = np.asarray(result).nbytes
    del result
    gc.collect()
    return {"peak": peak, "kept": max(0, _status("VmRSS") - before), "output": given, "array": 8 * size}


def main(what: str, folder: str, key: str, *rest: str) -> None:
    sys.path.insert(0, folder)
    if what == "times":
        answer = times(key, json.loads(rest[0]))
    elif what == "memory":
        answer = memory(key, rest[0], int(rest[1]))
    else:
        raise SystemExit(f"measure_arrays.py: unknown {what!r}")
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
