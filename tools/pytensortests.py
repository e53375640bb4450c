"""Runs PyTensor's own tests by its C and by opweld, and compares test by test.

``python tools/pytensortests.py --tests FOLDER`` takes a folder of PyTensor's tests, as ``tests`` lies in its repository
at the tag of the version that is installed; files may be named behind it, as paths in that folder. Without ``--tests``
the source distribution is fetched (``pip download``), which holds those files that lie in ``tests`` itself, but not the
modules that most of them import: `pytensorhelp` has as much of these as they need. ``--older`` takes the tests of
Aesara, from which PyTensor's come, of which all lie in its source distribution (`pytensorolder`).

Each file runs in a process of its own with empty caches, three ways: ``stock``, by PyTensor's virtual machine in C;
``runs``, with `opweld.pytensor.install()`; ``whole``, with the mode ``OPWELD_C``. What is printed: how many tests have
the same outcome as stock, those that have not, with the reason where `WHY` has one, and the seconds of each file, all
of them and those of linking, which is what is left when PyTensor has rewritten a graph.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import resource
import shutil
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import pytensorolder

TOOLS = Path(__file__).resolve().parent
WAYS = ("stock", "runs", "whole")
FLAGS = "linker=cvm,base_compiledir={folder},warn__ignore_bug_before=all"
# Differences that stay, by a pattern of the test's name.
WHY: dict[str, str] = {
    "*::test_borrow_output": "what an output's cell holds since an earlier call is not written over",
    "*::test_perform_CheckAndRaise_scalar*": "the thunk of a whole graph is one; it has no neighbours",
    "*::test_vectorize": "without a compiler OPWELD_C is MissingGXX, as PyTensor's mode C is",
    "*::test_partial_function*cvm*": "it asks whether the machine is of PyTensor's class CVM",
    "*::test_allow_gc_cvm": "a whole graph keeps what it works with, as PyTensor's mode C does",
    "*::TestProfiling::test_profiling": "a whole graph is one step; what it holds in between no profile sees",
    "*::test_profile_info": "the thunk of a whole graph is one; it counts no nodes",
}


def fetched(folder):
    """Fetch the source distribution of the PyTensor that is installed; give its tests, with what they import."""
    wanted = f"pytensor=={version('pytensor')}"
    if not (tests := folder / "sdist" / "tests").exists():
        (folder / "sdist").mkdir(parents=True, exist_ok=True)
        pip = pytensorolder.pip_of(folder)
        needed = ["setuptools", "wheel", "versioneer", "cython", "numpy"]
        subprocess.run([*pip, "install", "--upgrade", *needed], check=True)
        only = ["--no-deps", "--no-binary", "pytensor", "--no-build-isolation", "--dest", str(folder)]
        subprocess.run([*pip, "download", *only, wanted], check=True)
        with tarfile.open(next(folder.glob("pytensor-*.tar.gz"))) as archive:
            archive.extractall(folder / "unpacked", filter="data")
        shutil.copytree(next((folder / "unpacked").glob("pytensor-*/tests")), tests)
        for path in (TOOLS / "pytensorhelp").rglob("*.py"):
            to = tests / path.relative_to(TOOLS / "pytensorhelp")
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)
    return tests


def run(tests, name, way, out, limit, every=1):
    """Run a file, of `every` tests one.

    Gives the outcome of each test, and the seconds: by the clock, of the processor, and of linking.
    """
    place = out / way / name.replace("/", "-")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    found = place / "found"
    environment = {
        **os.environ,
        "PYTENSOR_FLAGS": FLAGS.format(folder=place / "pytensor") + "," + os.environ.get("PYTENSOR_FLAGS", ""),
        "OPWELD_FLAGS": "",
        "OPWELDRC": os.devnull,
        "PYTENSOR_TESTS_WAY": way,
        "PYTENSOR_TESTS_FOUND": str(found),
        "PYTENSOR_TESTS_EVERY": str(every),
        "PYTHONPATH": os.pathsep.join([str(TOOLS), os.environ.get("PYTHONPATH", "")]),
    }
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "pytensorway", "--import-mode=importlib"]
    options += ["--rootdir", str(tests.parent), "-c", os.devnull, f"--confcutdir={tests.parent}", "-W", "ignore"]
    command = [sys.executable, "-m", "pytest", *options, str(tests / name)]
    ends = []
    began, used = time.monotonic(), processor()
    while True:
        with (place / "said").open("a") as said:
            try:
                left = max(1, limit - (time.monotonic() - began))
                done = subprocess.run(
                    command, cwd=tests.parent, env=environment, stdout=said, stderr=said, timeout=left
                )
                ends.append(done.returncode)
            except subprocess.TimeoutExpired:
                ends.append("too long")
        open_ = [test for test, (state, *_) in outcomes(found).items() if state == "began"]
        if not open_ or ends[-1] == "too long":
            break
        with found.open("a") as file:
            file.write(json.dumps([open_[0], "ends the process", 0, f"code {ends[-1]}"]) + "\n")
    rows = outcomes(found)
    linking = rows.pop("linking", ("", 0.0))[1]
    return rows, (time.monotonic() - began, processor() - used, linking)


def processor():
    """Give the processor's seconds of all processes that have ended; those of files that run at the same time too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outcomes(found):
    """Read what the plugin wrote: of each test what was said last, or the failure where its end said something else."""
    rows = {}
    for line in found.read_text("utf-8").splitlines() if found.exists() else ():
        test, *row = json.loads(line)
        rows[test] = row
    return rows


def differences(rows):
    """Compare a file's outcomes with stock's; give the count of tests, and what differs by way."""
    stock = rows["stock"]
    tests = sorted(set().union(*rows.values()))
    differ = {way: [] for way in WAYS[1:] if way in rows}
    none = ("not run", 0, "")
    for test in tests:
        for way, found in differ.items():
            theirs, ours = stock.get(test, none), rows[way].get(test, none)
            if theirs[0] != ours[0]:
                found.append((test, theirs, ours))
    return len(tests), differ


def reason(test):
    """Say why a test may differ, where that is known."""
    return next((why for pattern, why in WHY.items() if fnmatch.fnmatch(test, pattern)), "")


def report(table):
    """Print what was found: a line a file, what differs, the sums."""
    ways = [way for way in WAYS[1:] if any(way in rows for rows, *_ in table.values())]
    total, same = 0, dict.fromkeys(ways, 0)
    sums = {way: [0.0] * 3 for way in ("stock", *ways)}
    print(f"{'seconds, of the processor, of linking':40} tests " + " ".join(f"{way:>20}" for way in sums))
    for name, (rows, seconds) in table.items():
        count, differ = differences(rows)
        total += count
        cells = [f"{whole:7.1f}{used:7.1f}{linking:6.1f}" for whole, used, linking in map(seconds.get, sums)]
        print(f"{name:40} {count:5} " + " ".join(cells))
        for way in sums:
            sums[way] = [before + more for before, more in zip(sums[way], seconds[way])]
        for way in ways:
            same[way] += count - len(differ[way])
    for way in ways:
        shares = [f"{ours / max(theirs, 1e-9):.2f}" for ours, theirs in zip(sums[way], sums["stock"])]
        print(f"{way}: {same[way]} of {total} the same, in {' / '.join(shares)} of stock's seconds")
        for rows, _ in table.values():
            for test, theirs, ours in differences(rows)[1][way]:
                print(f"  {test}\n      stock: {theirs[0]} {theirs[2]}\n      {way}: {ours[0]} {ours[2]}")
                if reason(test):
                    print(f"      why: {reason(test)}")


def main():
    """Run what was asked for."""
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("files", nargs="*", help="paths in the folder of tests; all that it has, otherwise")
    reader.add_argument("--tests", type=Path, help="PyTensor's tests; those of its source distribution, otherwise")
    reader.add_argument("--older", action="store_true", help="Aesara's tests, from which PyTensor's come")
    reader.add_argument("--ways", default=",".join(WAYS), help="how to run them, with commas between")
    reader.add_argument("--out", type=Path, default=Path("build/pytensor-tests"), help="where everything is kept")
    reader.add_argument("--jobs", type=int, default=1, help="files that run at the same time")
    reader.add_argument("--limit", type=float, default=1800, help="seconds for a file")
    reader.add_argument("--every", type=int, default=1, help="of so many tests of a file one is run")
    reader.add_argument("--json", type=Path, help="where what was found is written as JSON")
    given = reader.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    tests = given.tests.resolve() if given.tests else pytensorolder.fetched(out) if given.older else fetched(out)
    names = given.files or sorted(str(path.relative_to(tests)) for path in tests.rglob("test_*.py"))
    ways = given.ways.split(",")
    table = {}

    def one(name):
        rows, seconds = {}, {}
        for way in ways:
            rows[way], seconds[way] = run(tests, name, way, out, given.limit, given.every)
            states = [state for state, *_ in rows[way].values()]
            counts = ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))
            whole, used, linking = seconds[way]
            times = f"{whole:.1f} s, {used:.1f} of the processor, {linking:.1f} linking"
            print(f"{way:6} {name} {times}: {counts}", flush=True)
        return rows, seconds

    with ThreadPoolExecutor(given.jobs) as pool:
        for name, found in zip(names, pool.map(one, names)):
            table[name] = found
    if given.json:
        given.json.write_text(json.dumps(table, indent=1), encoding="utf-8")
    if "stock" in ways:
        print(f"PyTensor {version('pytensor')}")
        report(table)


if __name__ == "__main__":
    main()
