"""What all tests share: the cache and its modules, the compilers' flags, hypothesis profiles, the count of references.

Tests run in any order, in several processes at once, with modules that an earlier run has built. So:

* ``config.compiledir`` is one folder for all of them, kept under ``build/`` for the next run (``--empty-cache``: it is
  emptied first). A test that is about building, or counts or damages what the cache holds, asks for ``own_cache``.
* What is compiled is compiled with ``-O1``, here and in processes that tests start. Tests of what the optimiser makes
  of loops ask for ``optimized``; a test about flags sets its own.
* A graph is built once for all examples of a hypothesis test, or once for each dtype and number of dimensions
  (``kit.compiled``, ``functools.cache``): a compile costs more than a thousand calls.
* No test looks at a clock, but to give up (``kit.wait_until``); it counts calls, builds or events.
* NumPy picks its loops by the processor: products of complex numbers, functions, sums, means and norms are compared
  within ulps (``kit.close``), or with what IEEE 754 fixes.
* ``make test-quick`` runs the files that `QUICK` names, and what is marked ``quick`` in others.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # half of what a process takes to load NumPy is to start threads

import pytest
from hypothesis import HealthCheck, settings
from kit import Own

from opweld import config
from opweld.compile import builder
from opweld.compile.cache import objection

settings.register_profile("quick", max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("quick"), max_examples=300, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "quick"))

FLAGS = "-fno-math-errno -Wall -Wno-unused"
QUICK = """aliasing cache config debugmode errors function graph inplace params program shared struct toolchain types
updates warnings""".split()
KEPT_AT_MOST = 1 << 30  # bytes of modules; what hypothesis thinks of adds some with each run


def pytest_addoption(parser):
    parser.addoption("--empty-cache", action="store_true", help="build every module anew")
    parser.addoption("--shuffle", metavar="SEED", type=int, help="files, and the tests of each, in another order")


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.path.stem.removeprefix("test_") in QUICK:
            item.add_marker("quick")
    seed = config.getoption("shuffle")
    if seed is not None:
        turn = random.Random(seed)
        place = {item.path: turn.random() for item in sorted(items, key=lambda item: item.path)}
        items.sort(key=lambda item: (place[item.path], turn.random()))


def pytest_configure(config):
    config.addinivalue_line("markers", "quick: belongs to the cross-section that `make test-quick` runs")
    if hasattr(config, "workerinput"):
        return
    folder = _folder(config)  # emptied before there are other processes that use it
    if config.getoption("empty_cache") or _size(folder) > KEPT_AT_MOST:
        shutil.rmtree(folder, ignore_errors=True)


def _folder(config) -> Path:
    return config.rootpath / "build" / "test-cache-{}.{}".format(*sys.version_info)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("opweld/v2/module/*/*"))


@pytest.fixture(scope="session", autouse=True)
def mask():
    """Nobody else may write what tests make: only such a folder can be a cache."""
    os.umask(os.umask(0o077) | 0o022)


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_session(request, tmp_path_factory, mask):
    """Modules are built into a folder of the tests, here and in processes that tests start; the user's is untouched."""
    folder = _folder(request.config)
    if objection(str(folder / "opweld")):  # others can write the checkout
        folder = tmp_path_factory.mktemp("cache")
    flags = tmp_path_factory.mktemp("home") / "opweldrc"
    flags.write_text(f"[global]\ncflags = -O1 {FLAGS}\ncxxflags = -O1 {FLAGS}\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        patch.setenv("OPWELDRC", str(flags))
        patch.setattr(config, "cflags", f"-O1 {FLAGS}")
        patch.setattr(config, "cxxflags", f"-O1 {FLAGS}")
        patch.setattr(config, "compiledir", folder / "opweld")
        yield folder / "opweld"


@pytest.fixture
def own_cache(tmp_path, monkeypatch, cache_of_the_session):
    """Build into an empty folder, and load nothing that this process has loaded; so do processes that are started."""
    folder = tmp_path / "own" / "opweld"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    monkeypatch.setattr(config, "compiledir", str(folder))
    monkeypatch.setattr(builder, "_loaded", {})
    return folder


@pytest.fixture
def told(own_cache, tmp_path):
    """``told(text, last)``: what a process says that runs the text, and whether `last` is true at its end."""

    def go(text, last, **env):
        script = tmp_path / "script.py"
        script.write_text(f"{text}\nprint({last})\n")
        env = os.environ | env
        done = subprocess.run([sys.executable, script], env=env, text=True, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr
        *said, final = done.stdout.splitlines()
        return said, final == "True"

    return go


@pytest.fixture(scope="module")
def optimized(cache_of_the_session):
    """Compile as users do, where the optimiser's work is what is tested."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("cflags", "cxxflags"):
            patch.setattr(config, name, f"-O3 {FLAGS}")
        yield


@pytest.fixture(scope="module", autouse=True)
def _what_others_left():
    """Take it out of the collector's sight: tests of leaks collect often, and all that was ever built is still held."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def references():
    """``references(*objects)``: their counts, less what the question itself holds."""

    def count(*objects):
        gc.collect()
        return [sys.getrefcount(item) for item in objects]

    return count


@pytest.fixture
def own():
    """The library's rewriters, in a registry of the test's own; functions that are made by it are rewritten by it."""
    return Own()
