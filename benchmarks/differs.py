"""Measure the task of docs/differs.md in each of its manners, and write the table into the page.

python benchmarks/differs.py [--python PYTHON] [--rounds N]

The code is the page's. PYTHON has opweld, Cython, cffi, Numba, pybind11 and PyTensor (the extra `bench`); what it lacks
is left out, and said.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "differs.md"
FILE = re.compile(r"(?ms)^```\w+\n(?://|#) file: (\S+)\n(.*?)^```$")
MANNERS = {
    "opweld": ("by_opweld.py",),
    "Cython": ("smooth_cython.pyx", "by_cython.py"),
    "pybind11": ("smooth_pybind11.cpp", "by_pybind11.py"),
    "cffi": ("by_cffi.py",),
    "Numba": ("by_numba.py",),
    "PyTensor": ("by_pytensor.py",),
}
FIRST = "import numpy as np\nfrom {module} import smooth\nprint(smooth(np.array([1.0, 0.0, 2.0]), 0.9).tolist())"
CALLS = """
import timeit
import numpy as np
from {module} import smooth
small, large = np.array([1.0, 0.0, 2.0]), np.random.default_rng(1).random(1_000_000)
got = smooth(large[:100], 0.9)
back = [large[0]]
for value in large[1:100]:
    back.append(value + 0.9 * (back[-1] - value))
assert np.allclose(got, back)
number = 500
told = {{"smooth": smooth, "small": small, "large": large}}
print(min(timeit.repeat("smooth(small, 0.9)", globals=told, number=number, repeat=50)) / number,
      min(timeit.repeat("smooth(large, 0.9)", globals=told, number=1, repeat=20)) / large.size)
"""


def files() -> dict[str, str]:
    """Give the files of the page."""
    return {name: text for name, text in FILE.findall(PAGE.read_text("utf-8"))}


def digest(found: dict[str, str]) -> str:
    """Say which code it is."""
    return hashlib.sha256("".join(f"{name}\n{text}" for name, text in found.items()).encode()).hexdigest()[:16]


def ran(python: str, text: str, folder: Path) -> tuple[float, str]:
    """Run a text in a new process; how long it and its compilers worked, and what it printed."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]),
        "OPWELD_FLAGS": f"compiledir={folder}/cache",
        "PYTENSOR_FLAGS": f"base_compiledir={folder}/pytensor",
        "NUMBA_CACHE_DIR": str(folder / "numba"),
    }
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([python, "-c", text], cwd=folder, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        raise SystemExit(f"differs: {text}\n{done.stderr}")
    return seconds, done.stdout


def measure(python: str, rounds: int) -> dict[str, dict[str, float]]:
    """Measure each manner: rounds go through all of them, so that each has its share of what disturbs."""
    found = files()
    spent: dict[str, dict[str, list[float]]] = {
        name: {"first": [], "again": [], "call": [], "element": []} for name in MANNERS
    }
    bare = []
    with tempfile.TemporaryDirectory() as root:
        for turn in range(rounds):
            for name, parts in MANNERS.items():
                folder = Path(root) / f"{name}{turn}"
                folder.mkdir()
                for part in parts:
                    (folder / part).write_text(found[part])
                module = parts[-1].removesuffix(".py")
                seconds, said = ran(python, FIRST.format(module=module), folder)
                assert json.loads(said.splitlines()[-1])[:2] == [1.0, 0.9], said
                spent[name]["first"].append(seconds)
                for _ in range(5):
                    bare.append(ran(python, "import numpy", folder)[0])
                    spent[name]["again"].append(ran(python, FIRST.format(module=module), folder)[0])
                call, element = map(float, ran(python, CALLS.format(module=module), folder)[1].split())
                spent[name]["call"].append(call)
                spent[name]["element"].append(element)
    base = min(bare)
    return {
        name: {
            "lines": sum(1 for part in MANNERS[name] for line in found[part].splitlines() if line.strip()),
            "first": statistics.median(of["first"]),
            "again": min(of["again"]) - base,
            "call": min(of["call"]),
            "element": min(of["element"]),
        }
        for name, of in spent.items()
    }


def table(figures: dict[str, dict[str, float]]) -> str:
    """Write the figures as a table."""
    lines = ["| | lines | first, s | again, ms | call, ns | element, ns |", "|---|---|---|---|---|---|"]
    for name, of in figures.items():
        lines.append(
            f"| {name} | {of['lines']:.0f} | {of['first']:.2f} | {1e3 * of['again']:.0f} | {1e9 * of['call']:.0f} | "
            f"{1e9 * of['element']:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    figures = measure(arguments.python, arguments.rounds)
    _, said = ran(
        arguments.python,
        "import importlib.metadata as m\nprint(', '.join(f'{n} {m.version(n)}' for n in "
        "('Cython', 'pybind11', 'cffi', 'numba', 'pytensor', 'numpy')))",
        ROOT,
    )
    page = PAGE.read_text("utf-8")
    head, rest = page.split("<!-- figures: python benchmarks/differs.py -->\n")
    _, tail = rest.split("<!-- end -->")
    note = f"With {said.strip()}, gcc, on one core; code {digest(files())}."
    PAGE.write_text(
        f"{head}<!-- figures: python benchmarks/differs.py -->\n{table(figures)}\n\n{note}\n<!-- end -->{tail}", "utf-8"
    )
    print(table(figures))


if __name__ == "__main__":
    main()
