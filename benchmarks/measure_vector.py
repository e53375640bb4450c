"""The measured half of vector_rows.py, in a process of its own; prints one JSON object.

python measure_vector.py ufuncs SIZE ROUNDS COUNT    nanoseconds of opweld and of NumPy, by ufunc and dtype
python measure_vector.py threads SIZE:ROUNDS…        of one thread and of two, by size
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import numpy as np
from measure import in_places, interleaved, pin
from works import WORKS

import opweld
import opweld.tensor as T

DTYPES = ("float64", "float32")


def alone() -> dict[str, np.ufunc]:
    """NumPy's ufuncs of elements that take floats, each by its own name."""
    found = {u.__name__: u for u in vars(np).values() if isinstance(u, np.ufunc) and not u.signature}
    return {name: found[name] for name in sorted(found) if inputs(found[name], "float64")}


def inputs(ufunc: np.ufunc, dtype: str) -> list[np.dtype]:
    """The dtypes of the first loop whose first argument is of that dtype; none where there is none."""
    char = np.dtype(dtype).char
    return [np.dtype(c) for c in next((t.partition("->")[0] for t in ufunc.types if t[0] == char), "")]


def values(dtype: np.dtype, size: int, seed: int, least: float) -> np.ndarray:
    """Numbers for which every function has a value."""
    generator = np.random.default_rng(seed)
    if dtype.kind != "f":
        return generator.integers(1, 9, size).astype(dtype)
    return (generator.random(size) * 0.8 + least).astype(dtype)


def one(ufunc: np.ufunc, dtype: str, size: int, rounds: int) -> dict[str, list[float]]:
    """Times of opweld's function and of NumPy's, whose results were compared."""
    kinds = inputs(ufunc, dtype)
    least = 1.1 if ufunc.__name__ == "arccosh" else 0.1
    arguments = {f"a{i}": values(kind, size, i, least) for i, kind in enumerate(kinds)}
    variables = [T.vector(name, dtype=value.dtype.name) for name, value in arguments.items()]
    made = opweld.function(variables, getattr(T, ufunc.__name__)(*variables))
    text = f"f({', '.join(arguments)})"
    found, wanted = (given(*arguments.values()) for given in (made, ufunc))
    for have, want in zip(*(v if isinstance(v, (list, tuple)) else [v] for v in (found, wanted)), strict=True):
        close = {"rtol": 1e-5 if dtype == "float32" else 1e-10, "equal_nan": True}
        if have.dtype != want.dtype or not np.allclose(have, want, **close):
            raise SystemExit(f"{ufunc.__name__}, {dtype}: not NumPy's result")

    def place() -> dict[str, tuple[str, dict[str, Any]]]:
        given = {name: value.copy() for name, value in arguments.items()}
        return {"opweld": (text, {"f": made} | given), "NumPy": (text, {"f": ufunc} | given)}

    return in_places(place, rounds)


def ufuncs(size: int, rounds: int, count: int) -> dict[str, Any]:
    pin()
    known = alone()
    missing = [name for name in known if not hasattr(T, name)]
    times: dict[str, dict] = {}
    for name in [name for name in known if name not in missing][:count]:
        times[name] = {dtype: one(known[name], dtype, size, rounds) for dtype in DTYPES if inputs(known[name], dtype)}
    return {"size": size, "times": times, "missing": missing}


def threads(plan: dict[int, int]) -> dict[str, Any]:
    if len(os.sched_getaffinity(0)) < 2:
        return {"times": {}, "skipped": "This process has one core"}
    x, y = T.dvector("x"), T.dvector("y")
    output = WORKS["gauss"].expression(T, x, y)
    made = {str(n): opweld.function([x, y], output, threads=n) for n in (1, 2)}
    times = {}
    for size, rounds in plan.items():
        a, b = WORKS["gauss"].operands(size, "C")
        assert made["1"](a, b).tobytes() == made["2"](a, b).tobytes()
        found = interleaved({n: ("f(a, b)", {"f": f, "a": a, "b": b}) for n, f in made.items()}, rounds, None)
        times[str(size)] = [found["1"], found["2"]]
    return {"times": times}


def main(what: str, *rest: str) -> None:
    if what == "ufuncs":
        answer = ufuncs(*map(int, rest))
    elif what == "threads":
        answer = threads(dict(map(int, one.split(":")) for one in rest))
    else:
        raise SystemExit(f"measure_vector.py: unknown {what!r}")
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
