"""One run of the benchmarks: its folder, the processes that it starts, and what they have in common."""

from __future__ import annotations

import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import shlex
import shutil
import site
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["EFFORTS", "HERE", "PROCESSES", "Bench", "Effort", "Entry", "joined"]

HERE = Path(__file__).resolve().parent
# What the modules written by hand call: glibc's vector functions too.
LIBRARIES = ["-lmvec", "-lm"] if platform.libc_ver()[0] == "glibc" and platform.machine() == "x86_64" else ["-lm"]
HAND = ("handwritten", "kernels")  # the modules written by hand
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_MAX_THREADS")
PROCESSES = 3  # that share the rounds of what hangs on where arrays come to lie


@dataclass(frozen=True)
class Effort:
    """How much a run does: a share of the rounds of a whole one, and the lengths of its arrays."""

    share: float
    sizes: tuple[int, ...]  # of the tables
    longest: int  # of the plot
    nodes: int  # of graphs of many
    built: int  # the most nodes of the plot of builds
    peaks: int  # of how many works the memory is measured
    memory: int  # elements of the arrays whose memory is measured: more than malloc keeps for itself
    alone: int  # of how many ufuncs
    models: tuple[int, ...]  # points of the model that PyTensor writes

    def rounds(self, full: int) -> int:
        return max(1, round(full * self.share))

    @property
    def processes(self) -> int:
        """How many share rounds."""
        return self.rounds(PROCESSES)

    def rounds_each(self, full: int) -> int:
        """Rounds of each of these."""
        return -(-self.rounds(full) // self.processes)


EFFORTS = {
    "full": Effort(1.0, (10**3, 10**5, 10**7), 10**8, 1000, 1000, 3, 10**7, 1000, (200, 20_000)),
    "quick": Effort(0.15, (10**3, 10**5, 10**7), 10**7, 1000, 20, 1, 10**7, 1000, (200, 20_000)),
    "tiny": Effort(0.0, (30, 200), 100, 40, 5, 1, 5 * 10**6, 3, ()),
}


@dataclass(frozen=True)
class Entry:
    """One run of the compiler: arguments and text."""

    argv: list[str]
    text: str


def joined(parts: Sequence[Any]) -> Any:
    """What measuring programs found that were run with the same arguments: their times one after the other."""
    first = parts[0]
    if isinstance(first, dict):
        return {key: joined([part[key] for part in parts]) for key in first}
    if isinstance(first, list) and first and isinstance(first[0], float):
        return [time for part in parts for time in part]
    return first


class Bench:
    """One run of one opweld: a cache folder of its own, the processes it starts, and what they have in common."""

    def __init__(self, folder: Path, effort: Effort, interpreter: str = sys.executable):
        self.folder = folder
        self.interpreter = interpreter
        self.effort = effort
        self.root = folder / "cache"
        self.work = folder / "compile"
        self.load = os.getloadavg()[0]
        self.env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.env |= dict.fromkeys(THREADS, "1")
        flags = [self.env.get("OPWELD_FLAGS", ""), f"compiledir={shlex.quote(str(self.root))}"]
        self.env["OPWELD_FLAGS"] = ",".join(filter(None, flags))
        # Modules are also looked for where they lie by default, and none may be found there.
        self.env.setdefault("OPWELDRC", os.path.expanduser("~/.opweldrc"))
        self.env.setdefault("PYTHONUSERBASE", site.getuserbase())
        self.env["XDG_CACHE_HOME"] = self.env["HOME"] = str(folder)

    def python(self, *arguments: str) -> str:
        """Run the interpreter; its standard output."""
        done = subprocess.run([self.interpreter, *arguments], env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{HERE.name}: {' '.join(arguments[:2])} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def measure(self, *arguments: str, script: str = "measure.py") -> dict:
        """What one of the measuring programs found."""
        return json.loads(self.python(str(HERE / script), *arguments).splitlines()[-1])

    def measure_often(self, *arguments: str, script: str) -> dict:
        """The same of several processes, whose rounds are taken as those of one: arrays lie elsewhere in each."""
        return joined([self.measure(*arguments, script=script) for _ in range(self.effort.processes)])

    def pytensor(self) -> Path | None:
        """Give PyTensor a cache of this run's own: its folder; None: PyTensor is not installed."""
        if importlib.util.find_spec("pytensor") is None:
            return None
        base = self.folder / "pytensor"
        self.env["PYTENSOR_FLAGS"] = f"base_compiledir={base}"
        self.env["NUMBA_CACHE_DIR"] = str(base / "numba")
        return base

    @property
    def store(self) -> Path:
        """The cache's files; the folder is named by the version of their layout."""
        (folder,) = self.root.glob("v*")
        return folder

    def entries(self) -> Iterator[Entry]:
        """Everything that the cache holds: what was built, and how (docs/cache.md)."""
        for path in (self.store / "entry").rglob("*"):
            if path.is_file():
                fields = json.loads(path.read_text().split("\n", 1)[1])
                source = self.store / fields["source"]
                yield Entry(fields["argv"], source.read_text())

    def forget(self) -> None:
        """Empty the cache, but keep what is known of the compiler."""
        for path in self.store.iterdir():
            if path.name != "tools":
                shutil.rmtree(path)

    def compile(self, entry: Entry) -> float:
        """Seconds that the compiler alone takes, in a folder that holds nothing but what it compiles and links."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir()
        (self.work / next(a for a in entry.argv if a.endswith((".c", ".cc")))).write_text(entry.text)
        (self.work / "opweld.map").write_text("{ global: PyInit_*; local: *; };\n")
        for name in (a for a in entry.argv if a.endswith(".o")):
            shutil.copyfile(self.brought(name, entry.argv), self.work / name)
        start = time.perf_counter()
        done = subprocess.run(
            entry.argv, cwd=self.work, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            raise SystemExit(f"the compiler failed:\n{done.stderr[-2000:]}")
        return seconds

    def brought(self, name: str, argv: list[str]) -> str:
        """Where the object lies that opweld brings under a name, as a build with these arguments takes it."""
        if not name.startswith("vector-"):
            return self.runtime
        level = next((a.removeprefix("-march=") for a in argv if a.startswith("-march=")), "baseline")
        return os.path.join(os.path.dirname(self.runtime), "_vector", level, name.removeprefix("vector-"))

    def prepare(self) -> None:
        """Build the op once, so that the compiler is known, and the hand-written modules with the same arguments."""
        self.root.mkdir()
        # Where the part of every module lies that opweld brings compiled: in every revision beside its Python files.
        where = "import glob, os, opweld; print(*glob.glob(os.path.join(opweld.__path__[0], '_runtime.*.o')))"
        self.runtime = self.python("-c", where).strip()
        self.measure("build")
        (self.unit,) = self.entries()
        # What is written by hand is complete: it is compiled with the unit's arguments, but linked with no runtime.
        objects = [a for a in self.unit.argv if a.endswith(".o")]
        argv = [*(a for a in self.unit.argv if a not in objects), f"-I{HERE}", *LIBRARIES]
        output = argv[argv.index("-o") + 1]
        units = {name: Entry(argv, (HERE / f"{name}.c").read_text()) for name in HAND}
        for name, unit in units.items():
            self.compile(unit)
            (self.work / output).rename(self.folder / f"{name}.so")
        self.hand = units["handwritten"]

    def clock(self, program: str) -> float:
        start = time.perf_counter()
        self.python("-c", program)
        return time.perf_counter() - start

    def machine(self) -> dict[str, str]:
        """What the figures depend on."""
        model = platform.processor() or platform.machine()
        for line in Path("/proc/cpuinfo").read_text().splitlines() if os.path.exists("/proc/cpuinfo") else ():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        driver = self.unit.argv[0]
        version = subprocess.run([driver, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
        engine = self.python("-c", "from opweld._engine_id import ENGINE_ID; print(ENGINE_ID)").strip()
        talk = ("-fno-diagnostics", "-fdiagnostics", "-fmessage")
        flags = [a for a in self.unit.argv if a.startswith(("-O", "-f", "-m", "-std")) and not a.startswith(talk)]
        return {
            "date": datetime.date.today().isoformat(),
            "processor": f"{model}, {cores} cores, {platform.machine()}",
            "system": f"{platform.system()} {platform.release()}, {' '.join(platform.libc_ver())}",
            "Python": f"{platform.python_implementation()} {platform.python_version()}",
            "peers": ", ".join(f"{name} {version}" for name, version in _versions()),
            "compiler": version,
            "arguments": " ".join(dict.fromkeys(flags)),
            "opweld": engine,
            "load average when the run began": f"{self.load:.1f}",
        }


def _versions() -> Iterator[tuple[str, str]]:
    for name, package in {
        "NumPy": "numpy",
        "Numba": "numba",
        "numexpr": "numexpr",
        "PyTensor": "pytensor",
        "pybind11": "pybind11",
    }.items():
        try:
            yield name, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            yield name, "not installed: skipped"
