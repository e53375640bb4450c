"""The measured halves of graph_rows.py: each runs in a process of its own and prints one JSON object.

    python measure_graphs.py build LIBRARY GRAPH NODES WITH   from function() to the end of the first call
    python measure_graphs.py calls LIBRARY ROUNDS             time per call of chains of 1 and of MORE nodes
    python measure_graphs.py python LIBRARY GRAPH NODES WITH  function() of a graph like one before it

LIBRARY is opweld or pytensor. WITH is for opweld's builds the compiler driver, else ``config.optimizer``; for PyTensor
the linker.
"""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import graphs
from measure import interleaved, pin

MORE = 101  # nodes of the longer chain
LOOPS = 200  # calls in one timing: little enough to be over before another process gets the core
REPEATS = 5  # functions of equal graphs in one process
PLAIN = ("fusion", "inplace")  # PyTensor's rewrites that make one node of many, and that opweld's peer does without


def pytensor_function(linker: str, optimizer: str | None = "fast_run") -> Callable[..., Any]:
    """``pytensor.function`` in a mode of one C thunk for each node; "default": as it is."""
    import pytensor
    from pytensor.compile.mode import Mode

    if linker == "default":
        return pytensor.function
    mode = Mode(linker=linker, optimizer=optimizer)
    if optimizer is not None:
        mode = mode.excluding(*PLAIN)
    return lambda inputs, output: pytensor.function(inputs, output, mode=mode)


def tensor_of(library: str) -> Any:
    """The module whose names graphs.py uses; its import is in no figure."""
    if library == "opweld":
        import opweld

        return opweld.tensor
    import pytensor.tensor

    return pytensor.tensor


def build(library: str, graph: str, nodes: str, chosen: str) -> dict:
    import numpy as np

    tensor = tensor_of(library)
    if library == "opweld":
        import opweld

        opweld.config.cc = chosen
        function: Callable[..., Any] = opweld.function
    else:
        function = pytensor_function(chosen)
    inputs, output = getattr(graphs, graph)(tensor, int(nodes))
    values = [np.linspace(0.5, 1.0, 3) for _ in inputs]
    start = time.perf_counter()
    made = function(inputs, output)
    made(*values)
    seconds = time.perf_counter() - start
    answer = {"seconds": seconds, "nodes": len(made.maker.fgraph.toposort())}
    if library == "opweld":
        program = made.maker.program
        answer |= {"kernels": len(program.data["kernels"]), "compile": made.maker.built.seconds["compile"]}
    return answer


def calls(library: str, rounds: str) -> dict:
    import numpy as np

    tensor = tensor_of(library)
    vectors = {"x": np.linspace(0.5, 1.0, 3), "y": np.full(3, 0.5)}
    candidates: dict[str, tuple[str, dict]] = {}

    def enter(name: str, make: Callable[[int], Any], scope: dict[str, Any] = vectors, text: str = "f(x, y)") -> None:
        for nodes in (1, MORE):
            f = make(nodes)
            if text == "f(x)":
                assert np.allclose(f(scope["x"]), scope["x"] + nodes), name
            else:
                assert np.array_equal(f(scope["x"], scope["y"]), by_numpy(nodes)(scope["x"], scope["y"])), name
            candidates[f"{name} {nodes}"] = (text, scope | {"f": f})

    if library == "opweld":
        import opweld

        for optimizer in ("default", "merge"):
            opweld.config.optimizer = optimizer
            enter(optimizer, lambda nodes: opweld.function(*graphs.alternating(tensor, nodes)))
        opweld.config.optimizer = "default"
        numbers = {"x": np.array(0.75), "y": np.array(0.5)}
        enter("scalar", lambda nodes: opweld.function(*graphs.alternating(tensor, nodes, "dscalar")), numbers)
        enter("opaque", lambda nodes: opweld.function(*graphs.opaque(tensor, nodes)), {"x": vectors["x"]}, "f(x)")
        enter("numpy", by_numpy)
    else:
        for linker in ("c", "cvm"):
            function = pytensor_function(linker)

            def make(nodes: int, function: Callable[..., Any] = function) -> Any:
                made = function(*graphs.alternating(tensor, nodes))
                made.trust_input = True
                return made

            enter(linker, make)
    pin()
    return interleaved(candidates, int(rounds), LOOPS)


def by_numpy(nodes: int) -> Callable[[Any, Any], Any]:
    """The nodes of `graphs.alternating` as calls of NumPy's, with no loop and no look-up of attributes."""
    import numpy as np

    lines = [f"    x = {'add' if i % 2 else 'multiply'}(x, y)" for i in range(nodes)]
    scope = {"add": np.add, "multiply": np.multiply}
    exec("\n".join(["def f(x, y):", *lines, "    return x"]), scope)
    return scope["f"]  # type: ignore[return-value]


def python(library: str, graph: str, nodes: str, chosen: str) -> dict:
    tensor = tensor_of(library)
    if library == "opweld":
        import opweld

        opweld.config.optimizer = chosen
        function: Callable[..., Any] = opweld.function
    else:
        function = pytensor_function(chosen, None)
    make = getattr(graphs, graph)
    made = function(*make(tensor, int(nodes)))
    found = len(made.maker.fgraph.toposort())
    del made
    graph_seconds, seconds = [], []
    for _ in range(REPEATS):
        gc.collect()
        start = time.perf_counter()
        inputs, output = make(tensor, int(nodes))
        between = time.perf_counter()
        function(inputs, output)
        seconds.append(time.perf_counter() - between)
        graph_seconds.append(between - start)
    return {"seconds": statistics.median(seconds), "graph": statistics.median(graph_seconds), "nodes": found}


def main(what: str, *rest: str) -> None:
    answer = {"build": build, "calls": calls, "python": python}[what](*rest)
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
