"""The measured halves of backend_rows.py: PyTensor's functions, by opweld and by PyTensor's own ways to run them.

    python measure_backend.py calls WORK SIZE MODES ROUNDS   nanoseconds a call by each mode, a list over rounds
    python measure_backend.py build WORK SIZE MODE           seconds from the import of what runs it to the first result

WORK is add, nodes, gauss, product or model; SIZE its elements, nodes or points; MODES names of PyTensor's, with commas
between them.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import graphs
from measure import HERE, in_places, pin
from measure_graphs import PLAIN

OURS = ("OPWELD", "OPWELD_C")


def graph_of(work: str, size: int) -> tuple[list[Any], Any, list[Any]]:
    """Give inputs, what is computed, and values to call with."""
    import numpy as np
    import pytensor
    import pytensor.tensor as pt

    if work == "add":
        x, y = pt.dvector("x"), pt.dvector("y")
        return [x, y], x + y, [np.arange(float(size)), np.full(size, 0.5)]
    if work == "nodes":
        inputs, output = graphs.chain(pt, size)
        return inputs, output, [np.linspace(0.5, 1.0, 3) for _ in inputs]
    if work == "gauss":
        x, y = pt.dvector("x"), pt.dvector("y")
        return [x, y], pt.exp(-x * x / 2) * y + pt.sin(x), [np.linspace(-1.0, 1.0, size), np.full(size, 0.5)]
    if work == "product":
        a, x = pt.dmatrix("a"), pt.dvector("x")
        return [a, x], a @ x, [np.linspace(0.0, 1.0, size * size).reshape(size, size), np.linspace(0.5, 1.0, size)]
    sys.path.insert(0, str(HERE.parent / "examples"))
    import pytensor_model as model

    q, logp = model.log_probability(*model.data(size))
    return [q], [logp, pytensor.grad(logp, q)], [np.random.default_rng(0).normal(size=model.SIZE) * 0.3]


def maker(work: str, size: int, name: str) -> tuple[Callable[[], Any], list[Any]]:
    """Give what makes the function by a mode, nodes of their own kept apart, and the values to call it with."""
    import pytensor
    from pytensor.compile.mode import get_mode

    if name in OURS:
        import opweld.pytensor  # noqa: F401  (makes the modes known)
    mode = get_mode(name)
    if work == "nodes":
        mode = mode.excluding(*PLAIN)
    inputs, wanted, values = graph_of(work, size)
    return lambda: pytensor.function(inputs, wanted, mode=mode, trust_input=True), values


def calls(work: str, size: str, modes: str, rounds: str) -> dict:
    import numpy as np
    import pytensor

    functions: dict[str, Callable[..., Any]] = {}
    first: Any = None
    for name in modes.split(","):
        make, values = maker(work, int(size), name)
        f = make()
        found = f(*values)
        first = found if first is None else first
        for got, wanted in zip(np.atleast_1d(found) if work != "model" else found, first, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9)
        functions[name] = f

    def place() -> dict[str, tuple[str, dict[str, Any]]]:
        given = {f"v{i}": value.copy() for i, value in enumerate(values)}
        return {name: (f"f({', '.join(given)})", {"f": f} | given) for name, f in functions.items()}

    pin()
    return {"version": pytensor.__version__, "times": in_places(place, int(rounds))}


def build(work: str, size: str, name: str) -> dict:
    import pytensor  # noqa: F401  (whoever compares has it)

    start = time.perf_counter()
    make, values = maker(work, int(size), name)
    make()(*values)
    return {"seconds": time.perf_counter() - start}


def main(what: str, *rest: str) -> None:
    print(json.dumps({"calls": calls, "build": build}[what](*rest)))


if __name__ == "__main__":
    main(*sys.argv[1:])
