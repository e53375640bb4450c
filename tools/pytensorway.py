"""A plugin of pytest: PyTensor's tests run by PyTensor's own C, or by opweld; each outcome is a line of JSON.

`pytensortests` has pytest load it, with what it is to do in the environment: ``PYTENSOR_TESTS_WAY``, one of ``stock``
(PyTensor as it is), ``runs`` (`opweld.pytensor.install()`) and ``whole`` (``OPWELD_C`` for what names no mode, and
where modes of PyTensor's C are named), and ``PYTENSOR_TESTS_FOUND``, the file that lines are added to. A test that has
a line there is left out: a process that went down is followed by another one, which goes on behind. Of
``PYTENSOR_TESTS_EVERY`` tests one is run.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

WAY = os.environ["PYTENSOR_TESTS_WAY"]
FOUND = Path(os.environ["PYTENSOR_TESTS_FOUND"])
LINKING = [0.0]  # functions inside of functions count once


def pytest_configure(config):
    """Redirect PyTensor's modes; count the seconds in which functions are linked."""
    from pytensor.compile.maker import FunctionMaker

    create = FunctionMaker.create

    def counted(*args, **kwargs):
        began, inner = time.perf_counter(), LINKING[0]
        try:
            return create(*args, **kwargs)
        finally:
            LINKING[0] = inner + time.perf_counter() - began

    FunctionMaker.create = counted
    if WAY == "stock":
        return
    import opweld.pytensor

    opweld.pytensor.install()
    if WAY == "whole":
        import pytensor
        from pytensor.compile import mode as modes

        for name in ("cvm", "vm", "c|py"):
            modes.predefined_linkers[name] = modes.predefined_linkers["opweld_c"]
        modes.predefined_modes["CVM"] = modes.CVM = opweld.pytensor.OPWELD_C
        modes.fast_run_linkers_to_mode["cvm"] = opweld.pytensor.OPWELD_C
        pytensor.config.mode = opweld.pytensor.OPWELD_C


def say(test, state, seconds=0.0, words=""):
    """Add a line; it is there if the process ends the next moment."""
    with FOUND.open("a", encoding="utf-8") as file:
        file.write(json.dumps([test, state, round(seconds, 4), words]) + "\n")


def pytest_sessionfinish(session):
    """Enter the seconds of linking."""
    say("linking", "", LINKING[0])


def pytest_collection_modifyitems(session, config, items):
    """Leave out what is not asked for, and what an earlier process has run."""
    items[:] = items[:: int(os.environ.get("PYTENSOR_TESTS_EVERY", "1"))]
    done = {json.loads(line)[0] for line in FOUND.read_text("utf-8").splitlines()} if FOUND.exists() else set()
    left = [item for item in items if item.nodeid not in done]
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
    items[:] = left


def pytest_collectreport(report):
    """Enter a file that cannot be imported."""
    if report.failed:
        say(report.nodeid, "not collected", 0, last(report))


def pytest_runtest_logstart(nodeid, location):
    """Enter the test that begins."""
    say(nodeid, "began")


def pytest_runtest_logreport(report):
    """Enter what became of a test; what its set-up and its end say counts where it is no success."""
    if report.when == "call" or report.outcome != "passed":
        state = report.outcome
        if hasattr(report, "wasxfail"):
            state = "failed as expected" if report.skipped else "passed unexpectedly"
        elif report.when != "call" and report.failed:
            state = f"error in {report.when}"
        say(report.nodeid, state, report.duration, last(report) if report.failed else "")


def last(report):
    """Give the exception, in a line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    words = crash.message if crash is not None else str(report.longrepr)
    return (words.strip().splitlines() or [""])[0 if crash is not None else -1][:300]
