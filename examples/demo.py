"""Run every example on real arrays, C beside Python: ``make demo``.

For each: what goes in and comes out, the largest difference between C and Python, the speed of both, the time to build
cold and from the cache, each in a fresh process, and where the module lies. Cold builds use a temporary cache folder;
the functions run from yours.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import os
import shlex
import site
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import double_type
import drainage
import fibby
import gray_scott
import numpy as np
import vector_times_scalar
import vector_times_vector
import vector_times_vector_file

import opweld
from opweld.tensor import TensorType

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """One example: a function, arguments for it, and the same thing in Python.

    ``limit`` is the largest difference allowed: none of the examples may round differently in C. What each call changes
    is compared after ``calls`` of them. ``cut`` says that a corner of each argument is enough to run the function once.
    """

    name: str
    python: str  # what the reference is, in a word
    function: Callable[[], opweld.Function]
    arguments: Callable[[], tuple[Any, ...]]
    reference: Callable[..., Sequence[Any]]
    limit: float = 0.0
    calls: int = 1
    cut: bool = True


@dataclass(frozen=True)
class Figures:
    """What was found about one example; times in seconds."""

    case: Case
    taken: str
    given: str
    difference: float
    c: float
    python: float
    cold: float
    warm: float
    module: str

    @property
    def good(self) -> bool:
        return self.difference <= self.case.limit


def op_case(name: str, python: str, op: Any, arguments: Callable[[], tuple[np.ndarray, ...]]) -> Case:
    """A case of one op over arrays, whose reference is the op's own perform."""

    def inputs() -> list[Any]:
        return [TensorType(a.dtype.name, (None,) * a.ndim)(f"x{i}") for i, a in enumerate(arguments())]

    def function() -> opweld.Function:
        given = inputs()
        return opweld.function(given, op(*given))

    @functools.cache
    def node() -> opweld.Apply:
        return op.make_node(*inputs())

    def reference(*arrays: np.ndarray) -> list[np.ndarray]:
        storage: list[list[Any]] = [[None] for _ in node().outputs]
        op.perform(node(), list(arrays), storage)
        return [cell[0] for cell in storage]

    return Case(name, python, function, arguments, reference)


def double_function() -> opweld.Function:
    x, y, z = (double_type.double(name) for name in "xyz")
    return opweld.function([x, y, z], double_type.mul(double_type.add(x, y), z))


def cases() -> list[Case]:
    """The examples, in the order in which one reads them."""

    def numbers(n: int, dtype: str = "float64", seed: int = 1) -> np.ndarray:
        return np.random.default_rng(seed).uniform(-100, 100, n).astype(dtype)

    return [
        op_case(
            "vector_times_scalar",
            "NumPy",
            vector_times_scalar.vector_times_scalar,
            lambda: (numbers(1_000_000), np.array(2.5)),
        ),
        op_case(
            "vector_times_vector",
            "NumPy",
            vector_times_vector.vector_times_vector,
            lambda: (numbers(1_000_000, "float32"), numbers(1_000_000, "int16", 2)),
        ),
        op_case(
            "vector_times_vector_file",
            "NumPy",
            vector_times_vector_file.vector_times_vector_file,
            lambda: (numbers(3), numbers(3, seed=2)),
        ),
        op_case("fibby", "loop", fibby.fibby, lambda: (numbers(20_000)[::2] / 100,)),
        Case("double_type", "floats", double_function, lambda: (1.5, 2.25, 3.0), lambda x, y, z: [(x + y) * z]),
        op_case("drainage", "loop", drainage.drainage, lambda: (drainage.sample(),)),
        Case(
            "gray_scott",
            "NumPy",
            lambda: gray_scott.Dish().step(),
            gray_scott.mixtures,
            gray_scott.InNumPy(),
            calls=100,
        ),
        *old_cases(),
    ]


def old_cases() -> list[Case]:
    """The program of old code, where its data are; its import puts opweld's names in Theano's place."""
    if importlib.util.find_spec("sklearn") is None:
        return []
    old = importlib.import_module

    def images() -> tuple[np.ndarray]:
        return (old("old_digits").digits()[2],)

    def function() -> opweld.Function:
        return old("old_digits").Network().classify()

    def reference(*arrays: np.ndarray) -> list[np.ndarray]:
        return [old("old_digits").classify_in_numpy(*arrays)]

    return [Case("old_digits", "NumPy", function, images, reference, cut=False)]


def as_list(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list) else [result]


def difference(ours: Sequence[Any], theirs: Sequence[Any]) -> float:
    """The largest absolute difference; infinite where dtype, shape or a NaN does not agree."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return float("inf")
        odd = (a == b) | ((a != a) & (b != b))
        gap = np.abs(a[~odd].astype(np.longdouble) - b[~odd].astype(np.longdouble))
        if gap.size:
            worst = max(worst, float("inf") if np.isnan(gap).any() else float(gap.max()))
    return worst


def seconds(call: Callable[[], object], budget: float = 0.3) -> float:
    """The median time of one call, over as many calls as fit the budget."""
    call()
    start = time.perf_counter()
    call()
    once = max(time.perf_counter() - start, 1e-8)
    loops = max(1, int(2e-3 / once))  # a round lasts at least 2 ms, so that the clock does not count
    rounds = max(1, min(101, int(budget / (once * loops))))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(loops):
            call()
        times.append((time.perf_counter() - start) / loops)
    return statistics.median(times)


def describe(values: Sequence[Any]) -> str:
    """``float64 (3,)`` for an array, the type's name for anything else."""
    return ", ".join(f"{v.dtype} {v.shape}" if isinstance(v, np.ndarray) else type(v).__name__ for v in values)


def small(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The corner of each array: enough to run the function once."""
    return tuple(a[(slice(3),) * a.ndim] if isinstance(a, np.ndarray) else a for a in arguments)


def build_once(name: str) -> float:
    """Seconds from making the graph to the end of the first call, in this process; without a name, of a copy."""
    if name:
        case = next(case for case in cases() if case.name == name)
        function, arguments = case.function, case.arguments()
        arguments = small(arguments) if case.cut else arguments
    else:
        x = opweld.tensor.dvector("x")
        function, arguments = lambda: opweld.function([x], x), (np.zeros(3),)
    start = time.perf_counter()
    function()(*arguments)
    return time.perf_counter() - start


def build_apart(name: str, root: str) -> float:
    """The same in a fresh process, with its cache in ``root``."""
    flags = ",".join(filter(None, (os.environ.get("OPWELD_FLAGS"), f"compiledir={shlex.quote(root)}")))
    # Modules are also looked for where they lie by default: a cold build must not find one there.
    apart = {"OPWELD_FLAGS": flags, "XDG_CACHE_HOME": root, "HOME": root}
    kept = {"OPWELDRC": os.path.expanduser("~/.opweldrc"), "PYTHONUSERBASE": site.getuserbase()}
    done = subprocess.run(
        [sys.executable, __file__, "--build", name],
        env={**kept, **os.environ, **apart},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"demo.py: the build of {name} in a process of its own failed:\n{done.stdout}{done.stderr}")
    return float(json.loads(done.stdout.splitlines()[-1]))


def measure(case: Case, root: str) -> tuple[Figures, list[Any]]:
    """Everything about one example, and what its C gave."""
    cold, warm = build_apart(case.name, root), build_apart(case.name, root)
    f, arguments = case.function(), case.arguments()
    for _ in range(case.calls):
        ours, theirs = as_list(f(*arguments)), list(case.reference(*arguments))
    figures = Figures(
        case=case,
        taken=describe(arguments),
        given=describe(ours),
        difference=difference(ours, theirs),
        c=seconds(lambda: f(*arguments)),
        python=seconds(lambda: case.reference(*arguments)),
        cold=cold,
        warm=warm,
        module=f.maker.built.path,
    )
    return figures, ours


def draw(case: Case, results: list[Any], folder: str) -> list[str]:
    """The pictures of an example, if it has any: where they lie."""
    drawn = {
        "drainage": ["rivers.png"],
        "gray_scott": ["patterns.png", "patterns-graph.svg"],
        "old_digits": ["digits.png"],
    }
    names = drawn.get(case.name, [])
    paths = [os.path.join(folder, name) for name in names]
    if paths:
        os.makedirs(folder, exist_ok=True)
    if case.name == "drainage":
        drainage.draw(case.arguments()[0], results[1], paths[0])
    elif case.name == "gray_scott":
        gray_scott.draw(*paths)
    elif case.name == "old_digits":
        importlib.import_module("old_digits").main(paths)
    return paths


def spell(value: float) -> str:
    """A time with three digits and its unit."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            number = value / scale
            return f"{number:.0f} {unit}" if number >= 99.5 else f"{number:#.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def home(path: str) -> str:
    """The path, with the home folder as ``~``."""
    prefix = os.path.expanduser("~") + os.sep
    return "~" + os.sep + path[len(prefix) :] if path.startswith(prefix) else path


def lines(figures: Figures) -> Iterator[str]:
    verdict = "" if figures.good else f"   TOO LARGE, at most {figures.case.limit:g} is allowed"
    yield f"{figures.case.name}: {figures.taken} -> {figures.given}"
    yield f"  largest difference   {figures.difference:g}{verdict}"
    faster = figures.python / figures.c
    yield f"  speed                C {spell(figures.c)}, {figures.case.python} {spell(figures.python)}, {faster:.3g} x"
    yield f"  build                {spell(figures.cold)} cold, {spell(figures.warm)} from the cache"
    yield f"  module               {home(figures.module)}"


def summary(found: Sequence[Figures]) -> Iterator[str]:
    head = ("example", "difference", "C", "Python", "", "cold", "cached")
    rows = [
        (
            f.case.name,
            f"{f.difference:g}",
            spell(f.c),
            f"{spell(f.python)} ({f.case.python})",
            f"{f.python / f.c:.3g} x",
            spell(f.cold),
            spell(f.warm),
        )
        for f in found
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, tuple("-" * w for w in widths), *rows):
        yield "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])


#: What to look at when the examples have run.
NEXT = "docs/tutorial/first.md, your first C function in five minutes; the examples themselves are in examples/"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    names = [case.name for case in cases()]
    parser = argparse.ArgumentParser(
        prog="demo.py",
        description=(__doc__ or "").strip(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit codes: 0 C and Python agree everywhere, 1 they do not or something failed, 2 usage.",
    )
    parser.add_argument("examples", nargs="*", metavar="example", help=f"which to run, of {', '.join(names)}; all")
    parser.add_argument("--output", default="demo-output", help="folder for the pictures (%(default)s)")
    parser.add_argument("--no-pictures", action="store_true", help="draw nothing")
    parser.add_argument("--build", choices=["", *names], help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.examples) - set(names))
    if unknown:
        parser.error(f"no example {', '.join(unknown)}; known are {', '.join(names)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.build is not None:
        print(json.dumps(build_once(options.build)))
        return 0
    chosen = [case for case in cases() if not options.examples or case.name in options.examples]
    if any(case.name == "drainage" for case in chosen) and importlib.util.find_spec("matplotlib") is None:
        print("demo.py: drainage takes its data from matplotlib: pip install matplotlib", file=sys.stderr)
        return 1
    if not options.examples and importlib.util.find_spec("sklearn") is None:
        print("old_digits is left out, it takes its data from scikit-learn: pip install scikit-learn\n")
    print(f"opweld {opweld.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}\n")
    found: list[Figures] = []
    pictures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="opweld-demo-") as root:
        first = build_apart("", root)
        print(f"first build in an empty cache, which looks at the compiler too: {spell(first)}\n")
        for case in chosen:
            figures, results = measure(case, root)
            found.append(figures)
            print("\n".join(lines(figures)), end="\n\n", flush=True)
            if not options.no_pictures:
                pictures += draw(case, results, options.output)
    print("\n".join(summary(found)))
    bad = [figures.case.name for figures in found if not figures.good]
    print(f"\nC and Python differ in {', '.join(bad)}" if bad else "\nC and Python agree in every example")
    if pictures:
        print("\npictures:", *(os.path.abspath(picture) for picture in pictures), sep="\n  ")
    print(f"\nnext: {NEXT}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
