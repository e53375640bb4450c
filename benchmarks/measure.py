"""The measured halves of run.py: each runs in a process of its own and prints one JSON object.

python measure.py calls FOLDER ROUNDS     time per call; FOLDER holds handwritten.so
python measure.py build                   seconds from function() to the end of the first call
python measure.py lint                    seconds of the cold build of an op of 200 lines, and of the lint in it
python measure.py loaded                  seconds of function(), of a module that the process has loaded
python measure.py second                  a whole small program; what it mapped and started
python measure.py pytensor-calls ROUNDS
python measure.py pytensor-build MODE     seconds from function() to the end of the first call
"""

from __future__ import annotations

import gc
import json
import os
import statistics
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOPS = 20_000  # calls in one timing of one candidate: a few milliseconds
FUNCTIONS = 32  # of one graph; the first loads its module
TURN = 0.002  # seconds that one timing lasts where the number of calls is found out
PLACES = 5  # where arrays lie in one process, one place after the other
MAPPED = 32 << 20  # bytes, from which on memory is asked of the system each time, and given back


def pin() -> None:
    """Stay on one core, the last of those allowed, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def that_fill(timer: timeit.Timer, seconds: float = TURN) -> int:
    """How many calls take about that long; one at least, and LOOPS at most. Calls some."""
    loops = 1
    while (taken := timer.timeit(loops)) < seconds / 4 and loops < LOOPS:
        loops *= 4
    return min(LOOPS, max(1, round(loops * seconds / taken)))


def interleaved(
    candidates: dict[str, tuple[str, dict]], rounds: int, loops: int | None = LOOPS
) -> dict[str, list[float]]:
    """Nanoseconds per call of each candidate, a list over rounds; every round times every candidate once.

    Rounds go forward and backward in turn, so that none has always the same one before it.
    ``loops`` is how many calls are timed together; None: as many as fill a turn.
    """
    timers = {name: timeit.Timer(text, globals=scope) for name, (text, scope) in candidates.items()}
    counts = {name: loops or that_fill(timer) for name, timer in timers.items()}
    for name, timer in timers.items():
        if counts[name] > 1:
            timer.timeit(counts[name])
    times: dict[str, list[float]] = {name: [] for name in timers}
    gc.disable()
    turns = list(timers.items())
    for _ in range(rounds):
        for name, timer in turns:
            times[name].append(timer.timeit(counts[name]) / counts[name] * 1e9)
        turns.reverse()
    gc.enable()
    return times


def in_places(place: Callable[[], dict[str, tuple[str, dict]]], rounds: int) -> dict[str, list[float]]:
    """The same of candidates whose arrays ``place`` puts elsewhere each time it is called: one place after the other.

    Which lines of a cache they share hangs on that, and is not the candidates' doing. A place has two rounds at
    least, forward and backward.
    """
    places = max(1, min(PLACES, rounds // 2))
    times: dict[str, list[float]] = {}
    before = []  # whose memory is not to be had again
    for at in range(places):
        candidates = place()
        share = rounds * (at + 1) // places - rounds * at // places
        for name, found in interleaved(candidates, share, None).items():
            times.setdefault(name, []).extend(found)
        scopes = [scope.values() for _, scope in candidates.values()]
        if max((getattr(value, "nbytes", 0) for scope in scopes for value in scope), default=0) < MAPPED:
            before.append(candidates)
    return times


def opweld_function():
    """The function that every row measures: the product of two vectors of doubles, from examples/."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    from vector_times_vector import vector_times_vector

    import opweld

    x, y = opweld.tensor.dvector("x"), opweld.tensor.dvector("y")
    return lambda: opweld.function([x, y], vector_times_vector(x, y))


def calls(folder: str, rounds: int) -> dict:
    import numpy as np

    sys.path.insert(0, folder)
    import handwritten

    import opweld

    f = opweld_function()()
    u, v, number = opweld.tensor.dvector("x"), opweld.tensor.dvector("y"), opweld.tensor.dscalar("s")
    product, scaled = opweld.function([u, v], u * v), opweld.function([u, number], u * number)
    x, y, z, s = np.arange(3.0), np.arange(3.0) + 1, np.empty(3), np.array(2.0)
    scope = {"x": x, "y": y, "z": z, "s": s}
    for result in (f(x, y), f(x=x, y=y), f(x, y, out=z), handwritten.multiply(x, y), product(x, y)):
        assert np.array_equal(result, x * y), result
    for result in (scaled(x, s), scaled(x, 2.0)):
        assert np.array_equal(result, x * 2), result
    pin()
    return interleaved(
        {
            "opweld": ("f(x, y)", scope | {"f": f}),
            "numpy": ("f(x, y)", scope | {"f": np.multiply}),
            "handwritten": ("f(x, y)", scope | {"f": handwritten.multiply}),
            "opweld keywords": ("f(x=x, y=y)", scope | {"f": f}),
            "opweld out": ("f(x, y, out=z)", scope | {"f": f}),
            "numpy out": ("f(x, y, out=z)", scope | {"f": np.multiply}),
            "elementwise": ("f(x, y)", scope | {"f": product}),
            "elementwise out": ("f(x, y, out=z)", scope | {"f": product}),
            "0-d": ("f(x, s)", scope | {"f": scaled}),
            "float": ("f(x, 2.0)", scope | {"f": scaled}),
            "numpy float": ("f(x, 2.0)", scope | {"f": np.multiply}),
            "nothing": ("f(x, y)", scope | {"f": handwritten.nothing}),
        },
        rounds,
    )


def build() -> dict:
    import numpy as np

    make = opweld_function()
    x = np.arange(3.0)
    start = time.perf_counter()
    make()(x, x)
    return {"seconds": time.perf_counter() - start}


def lint() -> dict:
    import numpy as np
    from fragments import smooth

    import opweld

    x, y = opweld.tensor.dvector("x"), opweld.tensor.dvector("y")
    values, weights = np.arange(9.0), np.ones(3)
    start = time.perf_counter()
    f = opweld.function([x, y], smooth(x, y))
    f(values, weights)
    seconds = time.perf_counter() - start
    built = f.maker.built
    assert not built.hit and built.lint["findings"] == []
    program = f.maker.program.text
    alone = []
    for _ in range(15):
        start = time.perf_counter()
        opweld.engine.lint(program)
        alone.append(time.perf_counter() - start)
    return {"seconds": seconds, "beside": built.seconds["lint"], "alone": alone}


def loaded() -> dict:
    import opweld

    seconds, kept = [], []
    for _ in range(FUNCTIONS):
        x = opweld.tensor.dvector("x")
        y = x * 2 + 1
        start = time.perf_counter()
        kept.append(opweld.function([x], y))
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds[1:]}


def second() -> dict:
    started: list[str] = []
    watched = ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "pty.spawn")
    sys.addaudithook(lambda event, _: started.append(event) if event in watched else None)
    import numpy as np

    x = np.arange(3.0)
    opweld_function()()(x, x)
    with open("/proc/self/maps") as maps:
        mapped = sorted({line.split()[-1] for line in maps if "_engine" in line})
    return {"started": started, "engine": mapped}


def pytensor_graph(mode: str):
    import pytensor
    import pytensor.tensor as pt
    from pytensor.compile.mode import Mode

    x, y = pt.dvector("x"), pt.dvector("y")
    chosen = Mode(linker="cvm", optimizer="fast_run") if mode == "C" else None
    return pytensor, lambda: pytensor.function([x, y], x * y, mode=chosen)


def pytensor_calls(rounds: int) -> dict:
    import numpy as np

    x, y = np.arange(3.0), np.arange(3.0) + 1
    candidates: dict[str, tuple[str, dict]] = {}
    for mode in ("C", "default"):
        pytensor, make = pytensor_graph(mode)
        f, trusting = make(), make()
        trusting.trust_input = True
        f(x, y), trusting(x, y)
        scope = {"x": x, "y": y}
        candidates[mode] = ("f(x, y)", scope | {"f": f})
        candidates[mode + ", checks off"] = ("f(x, y)", scope | {"f": trusting})
    pin()
    found = interleaved(candidates, rounds, LOOPS // 4)
    linker = type(pytensor.compile.mode.get_default_mode().linker).__name__
    return {
        "version": pytensor.__version__,
        "default": linker,
        "calls": {name: statistics.median(times) for name, times in found.items()},
    }


def pytensor_build(mode: str) -> dict:
    import numpy as np

    _, make = pytensor_graph(mode)
    x = np.arange(3.0)
    start = time.perf_counter()
    make()(x, x)
    return {"seconds": time.perf_counter() - start}


def main(what: str, *rest: str) -> None:
    if what == "calls":
        answer = calls(rest[0], int(rest[1]))
    elif what == "build":
        answer = build()
    elif what == "lint":
        answer = lint()
    elif what == "loaded":
        answer = loaded()
    elif what == "second":
        answer = second()
    elif what == "pytensor-calls":
        answer = pytensor_calls(int(rest[0]))
    elif what == "pytensor-build":
        answer = pytensor_build(*rest)
    else:
        raise SystemExit(f"measure.py: unknown row {what!r}")
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
