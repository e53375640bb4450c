"""Time opweld against its peers, side by side in one run: ``make bench``.

Every figure is a median over rounds; in each round every candidate has its turn, so what slows the machine down for a
while slows all of them. Ratios are medians of the rounds' ratios. What is measured runs in processes of its own
(measure.py); nothing of the user's cache is read or written.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shlex
import shutil
import site
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "benchmarks.md"
ROWS = ("calls", "build", "second", "pytensor")

SECOND = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np
import opweld
from vector_times_vector import vector_times_vector
x, y = opweld.tensor.dvector("x"), opweld.tensor.dvector("y")
f = opweld.function([x, y], vector_times_vector(x, y))
f(np.arange(3.0), np.arange(3.0))
"""


@dataclass(frozen=True)
class Target:
    """One promise: a measured value and the most it may be."""

    what: str
    value: float
    limit: float
    unit: str = "x"

    @property
    def kept(self) -> bool:
        return self.value <= self.limit

    def cells(self) -> tuple[str, ...]:
        value = f"{self.value:.2f}" if self.unit else f"{self.value:g}"
        return self.what, f"{value} {self.unit}", f"{self.limit:g} {self.unit}", "yes" if self.kept else "NO"


@dataclass
class Section:
    """One table of the report, with what it says and what it promises."""

    title: str
    about: str
    head: tuple[str, ...] = ()
    lines: list[tuple[str, ...]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)

    def text(self) -> str:
        parts = [f"## {self.title}", self.about]
        if self.lines:
            parts.append(table(self.head, self.lines))
        return "\n\n".join(parts)


def table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    """Markdown that also reads well on a terminal: first column left, the others right."""
    rows = [head, *lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]

    def line(row: tuple[str, ...]) -> str:
        others = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        return "| " + " | ".join([row[0].ljust(widths[0]), *others]) + " |"

    rule = "|" + "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths)) + "|"
    return "\n".join([line(head), rule, *(line(row) for row in lines)])


def runtime_object() -> str:
    """Where the part of every module lies that opweld brings compiled."""
    from opweld.compile.toolchain import runtime_object

    return runtime_object()


def ratio(a: list[float], b: list[float]) -> float:
    """The median over rounds of a's time in b's."""
    return statistics.median(x / y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Entry:
    """One run of the compiler: arguments and text."""

    argv: list[str]
    text: str


class Bench:
    """One run: a cache folder of its own, the processes it starts, and what they have in common."""

    def __init__(self, folder: Path, quick: bool):
        self.folder = folder
        self.quick = quick
        self.root = folder / "cache"
        self.work = folder / "compile"
        self.load = os.getloadavg()[0]
        self.env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        flags = [self.env.get("OPWELD_FLAGS", ""), f"compiledir={shlex.quote(str(self.root))}"]
        self.env["OPWELD_FLAGS"] = ",".join(filter(None, flags))
        # Modules are also looked for where they lie by default, and none may be found there.
        self.env.setdefault("OPWELDRC", os.path.expanduser("~/.opweldrc"))
        self.env.setdefault("PYTHONUSERBASE", site.getuserbase())
        self.env["XDG_CACHE_HOME"] = self.env["HOME"] = str(folder)

    def python(self, *arguments: str) -> str:
        """Run this interpreter; its standard output."""
        done = subprocess.run([sys.executable, *arguments], env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"benchmarks/run.py: {' '.join(arguments[:2])} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def measure(self, *arguments: str) -> dict:
        return json.loads(self.python(str(HERE / "measure.py"), *arguments).splitlines()[-1])

    def entries(self) -> Iterator[Entry]:
        """Everything that the cache holds: what was built, and how (docs/cache.md)."""
        for path in (self.root / "v1" / "entry").rglob("*"):
            if path.is_file():
                fields = json.loads(path.read_text().split("\n", 1)[1])
                source = self.root / "v1" / fields["source"]
                yield Entry(fields["argv"], source.read_text())

    def forget(self) -> None:
        """Empty the cache, but keep what is known of the compiler."""
        for path in (self.root / "v1").iterdir():
            if path.name != "tools":
                shutil.rmtree(path)

    def compile(self, entry: Entry) -> float:
        """Seconds that the compiler alone takes, in a folder that holds nothing but what it compiles and links."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        (self.work / next(a for a in entry.argv if a.endswith((".c", ".cc")))).write_text(entry.text)
        (self.work / "opweld.map").write_text("{ global: PyInit_*; local: *; };\n")
        for name in (a for a in entry.argv if a.endswith(".o")):
            shutil.copyfile(runtime_object(), self.work / name)
        start = time.perf_counter()
        done = subprocess.run(
            entry.argv, cwd=self.work, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"benchmarks/run.py: the compiler failed:\n{done.stderr[-2000:]}")
        return seconds

    def prepare(self) -> None:
        """Build the op once, so that the compiler is known, and the hand-written module with the same arguments."""
        self.root.mkdir()
        self.measure("build")
        (self.unit,) = self.entries()
        # The hand-written module is complete: it is compiled with the unit's arguments, but linked with no runtime.
        objects = [a for a in self.unit.argv if a.endswith(".o")]
        argv = [a for a in self.unit.argv if a not in objects]
        self.hand = Entry(argv, (HERE / "handwritten.c").read_text())
        self.compile(self.hand)
        output = argv[argv.index("-o") + 1]
        (self.work / output).rename(self.folder / "handwritten.so")
        user = self.folder / "user"
        user.mkdir()
        shutil.copy(HERE.parent / "examples" / "vector_times_vector.py", user)
        self.second = SECOND.format(folder=str(user))

    def calls(self) -> Section:
        times = self.measure("calls", str(self.folder), "7" if self.quick else "61")
        shown = {
            "opweld": "opweld, f(x, y)",
            "opweld keywords": "opweld, f(x=x, y=y)",
            "opweld out": "opweld, f(x, y, out=z)",
            "handwritten": "hand-written METH_FASTCALL",
            "numpy": "np.multiply(x, y)",
            "numpy out": "np.multiply(x, y, out=z)",
            "nothing": "an empty METH_FASTCALL function",
        }
        section = Section(
            "A checked call",
            "The product of two vectors of 3 doubles. The hand-written module (benchmarks/handwritten.c) checks what "
            "opweld's checks and is compiled with the same arguments.",
            ("", "ns", "of np.multiply", "of hand-written"),
        )
        for key, name in shown.items():
            of_numpy, of_hand = ratio(times[key], times["numpy"]), ratio(times[key], times["handwritten"])
            section.lines.append((name, f"{statistics.median(times[key]):.0f}", f"{of_numpy:.2f}", f"{of_hand:.2f}"))
        section.targets = [
            Target("call: opweld of np.multiply", ratio(times["opweld"], times["numpy"]), 0.5),
            Target("call: opweld of hand-written", ratio(times["opweld"], times["handwritten"]), 1.5),
            Target("call: hand-written of np.multiply", ratio(times["handwritten"], times["numpy"]), 0.35),
        ]
        return section

    def build(self) -> Section:
        rounds = 3 if self.quick else 15
        times: dict[str, list[float]] = {name: [] for name in ("opweld", "unit", "hand")}
        for _ in range(rounds):
            self.forget()
            times["opweld"].append(self.measure("build")["seconds"])
            times["unit"].append(self.compile(self.unit))
            times["hand"].append(self.compile(self.hand))
        shown = (
            ("opweld", "opweld"),
            ("the compiler alone, same arguments, same text", "unit"),
            ("the compiler alone on the hand-written module", "hand"),
        )
        lines = [
            (name, f"{statistics.median(times[key]) * 1e3:.0f}", f"{ratio(times[key], times['unit']):.2f}")
            for name, key in shown
        ]
        return Section(
            "A cold build of one op",
            "From `function()` to the end of the first call, in a fresh process that has not loaded the engine, with "
            "no module in the cache and the compiler's identity known from an earlier run. The compiler compiles and "
            f"links, in both. {rounds} rounds.",
            ("", "ms", "of the compiler"),
            lines,
            [Target("cold build, of the compiler", ratio(times["opweld"], times["unit"]), 2.0)],
        )

    def second_process(self) -> Section:
        rounds = 5 if self.quick else 31
        self.python("-c", self.second)
        facts = self.measure("second")
        ours, numpy = [], []
        for _ in range(rounds):
            numpy.append(self.clock("import numpy"))
            ours.append(self.clock(self.second))
        beyond = statistics.median(a - b for a, b in zip(ours, numpy, strict=True))
        lines = [
            ("import numpy", f"{statistics.median(numpy) * 1e3:.1f}"),
            ("import opweld, graph, function(), one call", f"{statistics.median(ours) * 1e3:.1f}"),
            ("beyond import numpy", f"{beyond * 1e3:.1f}"),
        ]
        mapped, started = len(facts["engine"]), len(facts["started"])
        return Section(
            "A second process",
            f"The whole process, from its start to its end, with the module in the cache. {rounds} rounds. Engine "
            f"libraries mapped: {mapped}. Processes started: {started}.",
            ("", "ms"),
            lines,
            [
                Target("second process beyond import numpy", beyond * 1e3, 20.0, "ms"),
                Target("engine libraries mapped", mapped, 0, ""),
                Target("processes started", started, 0, ""),
            ],
        )

    def clock(self, program: str) -> float:
        start = time.perf_counter()
        self.python("-c", program)
        return time.perf_counter() - start

    def pytensor(self) -> Section:
        found = subprocess.run(
            [sys.executable, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('pytensor') is None)"]
        )
        if found.returncode:
            return Section("PyTensor", "Not installed here: skipped.")
        base = self.folder / "pytensor"
        self.env["PYTENSOR_FLAGS"] = f"base_compiledir={base}"
        self.env["NUMBA_CACHE_DIR"] = str(base / "numba")
        calls = self.measure("pytensor-calls", "5" if self.quick else "31")
        builds: dict[str, dict[str, list[float]]] = {m: {"cold": [], "warm": []} for m in ("C", "default")}
        for _ in range(1 if self.quick else 5):
            for mode, times in builds.items():
                shutil.rmtree(base, ignore_errors=True)
                for state in ("cold", "warm"):
                    times[state].append(self.measure("pytensor-build", mode)["seconds"])
        lines = []
        for name, nanoseconds in calls["calls"].items():
            cells = [f"{nanoseconds:.0f}"]
            for state in ("cold", "warm"):
                cells.append(f"{statistics.median(builds[name][state]) * 1e3:.0f}" if name in builds else "")
            lines.append((name, *cells))
        return Section(
            "PyTensor, for reference",
            f"PyTensor {calls['version']}, `x * y` of two vectors of 3 doubles. Its C mode is the linker `cvm`, its "
            f"default here is {calls['default']}. Builds are from `function()` to the end of the first call in a fresh "
            "process, with an empty cache and with the one that run left.",
            ("mode", "ns a call", "cold ms", "warm ms"),
            lines,
        )

    def machine(self) -> list[tuple[str, str]]:
        model = platform.processor() or platform.machine()
        for line in Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else ():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        driver = self.unit.argv[0]
        version = subprocess.run([driver, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        numpy, opweld = self.python(
            "-c", "import numpy, opweld; print(numpy.__version__); print(opweld.__version__)"
        ).split()
        talk = ("-fno-diagnostics", "-fdiagnostics", "-fmessage")
        flags = [a for a in self.unit.argv if a.startswith(("-O", "-f", "-m", "-std")) and not a.startswith(talk)]
        return [
            ("date", datetime.date.today().isoformat()),
            ("processor", f"{model}, {cores} cores, {platform.machine()}"),
            ("system", f"{platform.system()} {platform.release()}, {' '.join(platform.libc_ver())}"),
            ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
            ("NumPy", numpy),
            ("compiler", version),
            ("arguments", " ".join(dict.fromkeys(flags))),
            ("opweld", opweld),
            ("load average when the run began", f"{self.load:.1f}"),
        ]


def report(machine: list[tuple[str, str]], sections: list[Section]) -> Iterator[str]:
    yield "\n".join(f"* {name}: {value}" for name, value in machine)
    for section in sections:
        yield section.text()
    targets = [target.cells() for section in sections for target in section.targets]
    if targets:
        yield "## Targets"
        yield table(("", "measured", "at most", "kept"), targets)


def document(parts: list[str], command: str) -> str:
    opening = f"""# Benchmarks

Written by `{command}`; `make bench` shows the figures of your machine. Every figure is a median over
rounds in which each candidate has its turn; ratios are medians of the rounds' ratios. Calls are timed by `timeit` on
one core, with the garbage collector off, 61 rounds of 20,000 calls each. Times say something about this machine, ratios
about opweld."""
    return "\n\n".join([opening, *parts]) + "\n"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run.py",
        description=(__doc__ or "").split("\n\n")[0],
        epilog="example: python benchmarks/run.py --quick --rows calls,second. Exit codes: 0 all measured, 1 something "
        "failed, or a target was missed with --check, 2 usage.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds: a look, not a figure to quote")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"what to measure, of {', '.join(ROWS)}")
    parser.add_argument("--write", action="store_true", help="also write docs/benchmarks.md")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    options = parser.parse_args(arguments)
    options.rows = [row for row in options.rows.split(",") if row]
    unknown = sorted(set(options.rows) - set(ROWS))
    if unknown or not options.rows:
        parser.error(f"--rows: unknown {', '.join(unknown) or 'nothing'}; known are {', '.join(ROWS)}")
    if options.write and (options.quick or set(options.rows) != set(ROWS)):
        parser.error("--write takes a whole run: leave out --quick and --rows")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="opweld-bench-") as folder:
        bench = Bench(Path(folder), options.quick)
        print("preparing", file=sys.stderr)
        bench.prepare()
        measured = {
            "calls": bench.calls,
            "build": bench.build,
            "second": bench.second_process,
            "pytensor": bench.pytensor,
        }
        sections = []
        for row in ROWS:
            if row in options.rows:
                print(f"measuring {row}", file=sys.stderr)
                sections.append(measured[row]())
        parts = list(report(bench.machine(), sections))
    print("\n" + "\n\n".join(parts))
    if options.write:
        DOCUMENT.write_text(document(parts, "make bench BENCH_ARGS=--write"))
        print(f"\nwritten: {DOCUMENT}")
    missed = [target for section in sections for target in section.targets if not target.kept]
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
