r"""Put small faults into a copy of this tree, one at a time, and see whether the tests notice.

The faults are listed in ``tools/mutants/*.txt``, a file an area. One is a block of lines::

    name of the fault
      in     gen/order.go
      old    edge(reader, i)
      new    _ = reader
      tests  go ./gen -run TestOrder
      lives  why no test can see it (of those that survive and are known to)

``old`` stands exactly once in the file; in ``old`` and ``new`` ``\n`` and ``\t`` are a newline and a tab. ``tests`` are
tried in turn until one fails: ``go PACKAGE [-run ...]``, or ``py FILE [-k ...]`` of ``tests/``, before which the engine
is built anew where Go or C was changed. That all that is named passes without a fault is tested first. What was found
out is kept in ``build/mutants/found.json`` for as long as the fault, the file that it is in and the tests stay as they
are: a run that was broken off goes on where it was.

A fault that cannot be put in, or does not compile, is an error. Exit code 1: such an error, or fewer than nine in ten
faults caught in an area.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "build" / "mutants"
PYTHON = sys.executable
LIMIT = 900  # seconds that a test may take: a fault that hangs is one that is noticed
CACHE = "test-cache-{}.{}".format(*sys.version_info)
CACHING = re.compile(r"gen/(cache|build|cc)/|compile/(cache|builder|toolchain)\.py")  # may leave a cache that lies


class Unfit(Exception):
    """A fault that is none: it cannot be put in, does not compile, or has tests that fail without it."""


@dataclass
class Fault:
    """One small change, and who should notice."""

    area: str
    name: str
    file: str = ""
    old: str = ""
    new: str = ""
    tests: list[str] = field(default_factory=list)
    lives: str = ""

    @property
    def builds(self) -> bool:
        """Whether the engine or the runtime comes from the file."""
        return not self.file.startswith("python/") and not self.file.startswith("tools/")

    @cached_property
    def key(self) -> str:
        """What the finding depends on: the fault, the file, and the tests that are named."""
        files = [self.file, *(word for test in self.tests for word in shlex.split(test) if word.endswith(".py"))]
        digest = hashlib.sha256(repr((self.file, self.old, self.new, self.tests)).encode())
        for name in files:
            path = ROOT / name if "/" in name else ROOT / "tests" / name
            digest.update(path.read_bytes() if path.is_file() else b"")
        for package in (shlex.split(test)[1] for test in self.tests if test.startswith("go ")):
            for path in sorted((ROOT / package).glob("*_test.go")):
                digest.update(path.read_bytes())
        return digest.hexdigest()

    def applied(self, text: str) -> str:
        """The text of the file with the fault in it."""
        count = text.count(self.old)
        if count != 1:
            raise Unfit(f"its text stands {count} times in {self.file}, not once: {self.old!r}")
        return text.replace(self.old, self.new)


def faults() -> list[Fault]:
    """All that are listed."""
    found: list[Fault] = []
    for path in sorted((HERE / "mutants").glob("*.txt")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if not line.startswith(" "):
                found.append(Fault(path.stem, line.strip()))
                continue
            word, _, rest = line.strip().partition(" ")
            rest = rest.lstrip(" ")
            if word == "in":
                found[-1].file = rest
            elif word in ("old", "new"):
                setattr(found[-1], word, rest.replace(r"\n", "\n").replace(r"\t", "\t"))
            elif word == "tests":
                found[-1].tests.append(rest)
            elif word == "lives":
                found[-1].lives = rest
            else:
                raise SystemExit(f"{path}:{number}: unknown word {word!r}; known are in, old, new, tests, lives")
    names = [fault.name for fault in found]
    for fault in found:
        if names.count(fault.name) > 1 or not (fault.file and fault.old and fault.tests):
            raise SystemExit(f"{fault.area}: {fault.name!r} stands twice, or lacks in, old or tests")
    return found


class Tree:
    """A copy of the sources, in which one fault at a time is put."""

    def __init__(self, number: int) -> None:
        self.path = WORK / f"tree-{number}"
        self.built = False  # as its sources are

    def renew(self) -> None:
        """Make it what this tree is, but for what was built."""
        for name in ("tools", CACHE):
            if (ROOT / "build" / name).is_dir() and not (self.path / "build" / name).exists():
                shutil.copytree(ROOT / "build" / name, self.path / "build" / name)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, stdout=subprocess.PIPE, check=True,
        ).stdout  # fmt: skip
        names = {name for name in os.fsdecode(listed).split("\0") if name and (ROOT / name).is_file()}
        for path in [p for p in self.path.rglob("*") if p.is_file() or p.is_symlink()]:
            name = str(path.relative_to(self.path))
            if name not in names and not name.startswith(("build/", "pyext/_gopy/", "python/opweld/_")):
                path.unlink()
        for name in sorted(names):
            to = self.path / name
            if not to.exists() or to.read_bytes() != (ROOT / name).read_bytes():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, to)
                self.built = False

    def run(self, *command: str, limit: float = LIMIT) -> tuple[int, str]:
        """A command in the tree: its code, and what it said."""
        env = {**os.environ, "PYTHONPATH": str(self.path / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen(
            command, cwd=self.path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", start_new_session=True,
        ) as process:  # fmt: skip
            try:
                said, _ = process.communicate(timeout=limit)
            except BaseException as err:
                os.killpg(process.pid, 9)
                said, _ = process.communicate()
                if not isinstance(err, subprocess.TimeoutExpired):
                    raise
                return 124, f"{said}\nit took longer than {limit} s"
        return process.returncode, said

    def build(self) -> None:
        """Build the engine and the runtime."""
        code, said = self.run(builder(), "setup.py", "--quiet", "build_ext", "--inplace")
        if code:
            raise Unfit(f"the engine does not build:\n{said[-2000:]}")

    def notices(self, test: str) -> str:
        """What a test says that fails, or nothing."""
        kind, *words = shlex.split(test)
        if kind == "go":
            code, said = self.run("go", "test", *words)
            if "[build failed]" in said or "[setup failed]" in said:
                raise Unfit(f"it does not compile:\n{said[-2000:]}")
        else:
            name, *more = words
            command = [PYTHON, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", f"tests/{name}", *more]
            code, said = self.run(*command)
            if code in (2, 4, 5) and "Interrupted" not in said:
                raise Unfit(f"pytest ran nothing: {test}\n{said[-2000:]}")
        return said if code else ""


def builder() -> str:
    """The Python that has what building needs."""
    return str(ROOT / "build" / "venv-{}.{}".format(*sys.version_info) / "bin" / "python")


def tried(tree: Tree, fault: Fault) -> tuple[str, str]:
    """Whether the fault is caught or survives, and by which test."""
    file = tree.path / fault.file
    if not file.is_file():
        raise Unfit(f"there is no {fault.file}")
    sound = file.read_text()
    file.write_text(fault.applied(sound))
    try:
        if fault.file.endswith(".py"):
            compile(file.read_text(), fault.file, "exec")
        fresh = False
        for test in fault.tests:
            if fault.builds and test.startswith("py ") and not fresh:
                tree.built = False
                tree.build()
                fresh = True
            if tree.notices(test):
                return "caught", test
        return "survives", ""
    except SyntaxError as err:
        raise Unfit(f"it does not compile: {err}") from None
    finally:
        file.write_text(sound)
        if CACHING.search(fault.file):
            shutil.rmtree(tree.path / "build" / CACHE, ignore_errors=True)


def sound(tree: Tree, chosen: list[Fault]) -> None:
    """See that all tests that are named pass without a fault: what fails anyhow would notice nothing."""
    words = [shlex.split(test) for fault in chosen for test in fault.tests]
    packages = sorted({word for kind, *more in words if kind == "go" for word in more if word.startswith("./")})
    named = sorted({tuple(more) for kind, *more in words if kind == "py"})
    whole = [f"tests/{more[0]}" for more in named if len(more) == 1]
    parts = [more for more in named if (more[0],) not in named]
    commands = [["go", "test", *packages]] if packages else []
    commands += [[PYTHON, "-m", "pytest", "-q", "-n", "auto", *whole]] if whole else []
    commands += [[PYTHON, "-m", "pytest", "-q", f"tests/{name}", *more] for name, *more in parts]
    for command in commands:
        code, said = tree.run(*command, limit=4 * LIMIT)
        if code:
            raise SystemExit(f"the tests fail without a fault; mend them first:\n{said[-4000:]}")


def report(chosen: list[Fault], found: dict[str, list[str]]) -> int:
    """Print an area a line, then what survives and what is no fault; give the exit code."""
    code = 0
    total = [0, 0]
    print()
    for area in dict.fromkeys(fault.area for fault in chosen):
        of_area = [fault for fault in chosen if fault.area == area]
        caught = sum(found.get(fault.key, [""])[0] == "caught" for fault in of_area)
        total[0] += caught
        total[1] += len(of_area)
        code |= caught < 0.9 * len(of_area)
        print(f"  {area:12} {caught:3} of {len(of_area):3}")
    print(f"  {'all':12} {total[0]:3} of {total[1]:3}\n")
    for fault in chosen:
        kind, said = found.get(fault.key, ["not tried", ""])
        if kind == "survives":
            print(f"survives: {fault.area}: {fault.name} ({fault.file}): {fault.lives or 'no reason is given'}")
        elif kind == "caught" and fault.lives:
            print(f"caught, though it is said to live: {fault.area}: {fault.name}")
        elif kind != "caught":
            code = 1
            print(f"{kind}: {fault.area}: {fault.name} ({fault.file}): {said}")
    return code


def main() -> int:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--area", action="append", help="the faults of an area only; more than once: of several")
    parser.add_argument("--only", action="append", help="faults with this text in their names")
    parser.add_argument("--list", action="store_true", help="show the faults; try none")
    parser.add_argument("--check", action="store_true", help="see whether each can be put in; try none")
    parser.add_argument("--again", action="store_true", help="forget what was found out before")
    parser.add_argument("--unchecked", action="store_true", help="do not run the tests without a fault first")
    parser.add_argument("-j", type=int, default=2, choices=(1, 2), help="how many at once")
    given = parser.parse_args()
    chosen = [
        fault
        for fault in faults()
        if (not given.area or fault.area in given.area) and (not given.only or any(o in fault.name for o in given.only))
    ]
    if not chosen:
        raise SystemExit("no fault of that area or name; --list shows all")
    unfit = {}
    for fault in chosen:
        try:
            fault.applied((ROOT / fault.file).read_text())
        except (Unfit, OSError) as err:
            unfit[fault.key] = ["error", str(err)]
    if given.list or given.check:
        for fault in chosen:
            problem = unfit.get(fault.key)
            if given.list or problem:
                print(f"{fault.area}: {fault.name}: {fault.file}" + (f"\n  {problem[1]}" if problem else ""))
        print(f"{len(chosen)} faults, {len(unfit)} that cannot be put in")
        return bool(unfit)
    return campaign(chosen, unfit, given.j, given.again, given.unchecked)


def campaign(chosen: list[Fault], unfit: dict[str, list[str]], processes: int, again: bool, unchecked: bool) -> int:
    """Try all that have not been tried."""
    WORK.mkdir(parents=True, exist_ok=True)
    memory = WORK / "found.json"
    found: dict[str, list[str]] = {} if again or not memory.exists() else json.loads(memory.read_text())
    found |= unfit
    left = [fault for fault in chosen if found.get(fault.key, ["error"])[0] == "error" and fault.key not in unfit]
    trees = [Tree(number) for number in range(min(processes, max(len(left), 1)))]
    lock, free = threading.Lock(), list(trees)

    def remember(fault: Fault, kind: str, said: str) -> None:
        with lock:
            found[fault.key] = [kind, said]
            memory.write_text(json.dumps({key: value for key, value in found.items() if value[0] != "error"}))
            done = sum(f.key in found for f in chosen)
            by = said.splitlines()[0] if said else ""
            print(f"[{done}/{len(chosen)}] {kind:8} {fault.area}: {fault.name}  {by}", flush=True)

    def one(fault: Fault) -> None:
        with lock:
            tree = free.pop()
        try:
            if not fault.builds and not tree.built:
                tree.build()
                tree.built = True
            remember(fault, *tried(tree, fault))
        except Unfit as err:
            remember(fault, "error", str(err))
        finally:
            with lock:
                free.append(tree)

    if left:
        with ThreadPoolExecutor(len(trees)) as pool:
            print(f"· {len(left)} of {len(chosen)} faults are to be tried; copies of the tree in {WORK}", flush=True)

            def prepare(tree: Tree) -> None:
                tree.renew()
                tree.build()
                tree.built = True

            list(pool.map(prepare, trees))
            if not unchecked:
                print("· the tests without a fault", flush=True)
                sound(trees[0], left)
            # What needs no engine first: the engine of a tree is then built anew once.
            list(pool.map(one, sorted(left, key=lambda fault: fault.builds)))
    return report(chosen, found)


if __name__ == "__main__":
    sys.exit(main())
