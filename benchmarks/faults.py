"""Fails one system call at a time in a cold build and in a hit, and counts what came of it. `make faults` runs it.

    python faults.py [--few] [--only SYSCALL]

Each trial is a Python process that has everything loaded; strace then lets the k-th call of a kind fail, in each thread
and in each compiler, and the process makes a function and calls it. Good are the right numbers, and one clear error:
opweld's, or an OSError that names its path. Afterwards a clean process must get the right numbers from the same cache.
Prints N of M, and what was neither; ends with 1 where N is not M, and with 0 and a word where nothing can be traced.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRIAL = """
import json, os, sys, time
import numpy as np
import opweld
from opweld import tensor as T

class Scaled(opweld.COp):
    __props__ = ("by",)

    def __init__(self, by):
        self.by = by

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f'''
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if (!{z}) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++) ((double *)PyArray_DATA({z}))[i] *= {self.by};
        '''

    def c_code_cache_version(self):
        return (1,)

def attempt(by):
    x, a = T.dvector("x"), np.arange(3.0)
    f = opweld.function([x], Scaled(by)(x) + 1)
    return "right" if np.array_equal(f(a), by * a + 1) else "wrong"

for module in ("engine", "room", "compile.explain", "compile.private", "compile.toolchain", "errors"):
    __import__("opweld." + module)
import atexit, ctypes, fcntl, mmap, multiprocessing.util, resource, shutil, subprocess, tempfile, warnings
folder, warm, gate = sys.argv[1:]
opweld.config.compiledir = warm
attempt(2)
opweld.config.compiledir = ""
os.environ["XDG_CACHE_HOME"] = folder
with open(gate, "r+b") as file:
    shared = mmap.mmap(file.fileno(), 1)
print("ready", flush=True)
while shared[0] == 0:  # none of the calls that fail
    time.sleep(0.005)
try:
    answer = [attempt(3), ""]
except opweld.errors.OpweldError as err:
    answer = ["clear", f"{type(err).__name__}: {err}"]
except MemoryError as err:
    answer = ["clear", "MemoryError"]
except OSError as err:
    answer = ["clear" if err.filename else "raw", f"{type(err).__name__}: {err}"]
except BaseException as err:
    answer = ["raw", f"{type(err).__name__}: {err}"]
print(json.dumps(answer), flush=True)
"""

#: Calls, errors, and which of the calls after the start fail.
COLD = [
    ("openat", ("EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR"), (1, 3, 6)),
    ("write", ("EIO", "ENOSPC", "EDQUOT", "EINTR"), (1, 2, 4)),
    ("fsync", ("EIO", "ENOSPC", "EDQUOT", "EINTR"), (1, 2)),
    ("renameat", ("EIO", "ENOSPC", "EDQUOT", "EACCES"), (1, 2)),
    ("flock", ("EIO", "EINTR", "ENOLCK", "EAGAIN"), (1, 2)),
    ("mkdirat", ("EIO", "ENOSPC", "EDQUOT", "EACCES"), (1, 2)),
    ("mkdir", ("EIO", "ENOSPC", "EDQUOT", "EACCES"), (1, 2)),
    ("unlinkat", ("EIO", "EACCES"), (1, 2)),
    ("newfstatat", ("EIO", "EACCES", "ENOMEM"), (1, 4, 9)),
    ("read", ("EIO", "EINTR"), (1, 3, 6)),
    ("execve", ("ENOENT", "EACCES", "ENOMEM"), (1,)),
    ("pipe2", ("EMFILE", "ENFILE"), (1, 2)),
    ("dup3", ("EMFILE",), (1,)),
    ("prlimit64", ("EPERM",), (1,)),
]
HIT = [
    ("openat", ("EIO", "EACCES", "EMFILE", "EINTR"), (1, 2, 3)),
    ("read", ("EIO", "EINTR"), (1, 2, 4)),
    ("newfstatat", ("EIO", "EACCES", "ENOMEM"), (1, 5, 40)),
    ("mmap", ("ENOMEM",), (1, 2)),
]


def begin(folder: Path, warm: Path, gate: Path) -> subprocess.Popen[str]:
    """Start a process and wait until it has everything loaded."""
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "HOME": str(folder.parent / "home"), "TMPDIR": str(folder.parent)}
    gate.write_bytes(b"\0")
    argv = [sys.executable, "-W", "ignore", "-c", TRIAL, str(folder), str(warm), str(gate)]
    process = subprocess.Popen(
        argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    if process.stdout.readline() != "ready\n":
        raise SystemExit(f"the process did not come up: {process.communicate()[1]}")
    return process


def finish(process: subprocess.Popen[str], gate: Path) -> tuple[str, str]:
    """Let a process go on; give what came of it."""
    try:
        with open(gate, "r+b") as file:  # in place: it is mapped
            file.write(b"1")
        out, said = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        return "hangs", process.communicate()[1]
    if process.returncode != 0 or not out.strip():
        return "fatal", f"code {process.returncode}: {said.strip().splitlines()[-1:] or out}"
    what, why = json.loads(out.splitlines()[-1])
    return what, why


def trace(
    process: subprocess.Popen[str], kind: str, call: str, error: str, k: int, log: Path
) -> subprocess.Popen[bytes]:
    """Let the k-th call fail in a process and in all that it starts; in a hit, in the thread that looks for it."""
    inject = f"inject={call}:error={error}:when={k}"
    argv = ["strace", *(["-f"] if kind == "cold" else []), "-y", "-qq", "-o", str(log), "-e", f"trace={call}"]
    argv += ["-e", inject, "-p", str(process.pid)]
    tracer = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    tasks = Path(f"/proc/{process.pid}/task")
    while tracer.poll() is None:
        wanted = tasks.iterdir() if kind == "cold" else [tasks / str(process.pid)]
        states = [(task / "status").read_text() for task in wanted]
        if not any(re.search(r"TracerPid:\t0\n", state) for state in states):
            return tracer
        time.sleep(0.005)
    process.kill()
    raise SystemExit(f"strace ended: {tracer.communicate()[1].decode()}")


def trial(kind: str, call: str, error: str, k: int, base: Path) -> tuple[str, str] | None:
    """Make one trial; None: no such call was made."""
    place = Path(tempfile.mkdtemp(prefix="trial-", dir=base))
    (place / "home").mkdir()
    folder, warm = place / "cache", base / "warm"
    if kind == "hit":
        shutil.copytree(base / "built", folder, symlinks=True)
    process = begin(folder, warm, place / "gate")
    tracer = trace(process, kind, call, error, k, place / "log")
    what, why = finish(process, place / "gate")
    tracer.wait()
    hits = [line for line in (place / "log").read_text().splitlines() if line.endswith("(INJECTED)")]
    if not hits or any("[eventfd]" in line for line in hits):  # to the runtime's own counter: no kernel fails there
        return None
    after, because = finish(begin(folder, warm, place / "gate"), place / "gate")
    shutil.rmtree(place, ignore_errors=True)
    if after != "right":
        return "spoilt", f"{what} ({why}), and a clean process afterwards: {after} ({because})"
    return what, why


def main() -> int:
    """Run the trials and print the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--few", action="store_true", help="one error and one place of each call")
    parser.add_argument("--only", default="", help="one system call")
    options = parser.parse_args()
    if not shutil.which("strace") or subprocess.run(["strace", "-qq", "-e", "trace=none", "true"]).returncode:
        print("strace is not installed, or may trace no process here: nothing was tried")
        return 0
    count: dict[str, int] = {}
    with tempfile.TemporaryDirectory(prefix="opweld-faults-") as name:
        base = Path(name)
        (base / "home").mkdir()
        finish(begin(base / "built", base / "warm", base / "gate"), base / "gate")
        for kind, calls in (("cold", COLD), ("hit", HIT)):
            for call, errors, places in calls:
                if options.only not in ("", call):
                    continue
                for error in errors[:1] if options.few else errors:
                    for k in places[:1] if options.few else places:
                        found = trial(kind, call, error, k, base)
                        if found is None:
                            continue
                        what, why = found
                        count[what] = count.get(what, 0) + 1
                        if what not in ("right", "clear"):
                            print(f"{kind}: {call} {k} fails with {error}: {what}: {why}", flush=True)
    good, all_ = count.get("right", 0) + count.get("clear", 0), sum(count.values())
    print(f"{good} of {all_} right ({count.get('right', 0)}) or clear ({count.get('clear', 0)})")
    return int(good != all_)


if __name__ == "__main__":
    sys.exit(main())
