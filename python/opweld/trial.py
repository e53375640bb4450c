"""A small op that `opweld doctor` builds and calls, here or in a fresh interpreter."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

import opweld
from opweld.apart import fresh

__all__ = ["trial", "trial_apart"]

_TRIAL_SECONDS = 120


def trial(root: str) -> None:
    """Build and call a small op in this process; print one JSON object: ``seconds``, or ``error``.

    Parameters
    ----------
    root : str
        The cache folder to use.
    """
    try:
        import numpy as np

        opweld.config.compiledir = root

        class Trial(opweld.COp):
            """``z = x + 1`` for a vector of doubles, by hand: no part of opweld's own ops is needed."""

            __props__ = ()

            def make_node(self, x: Any) -> Any:
                return opweld.Apply(self, [x], [x.type()])

            def c_code(self, node: Any, name: str, inputs: Any, outputs: Any, sub: Any) -> str:
                (x,), (z,) = inputs, outputs
                return f"""
                    Py_XDECREF({z});
                    {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_FLOAT64, 0);
                    if ({z} == NULL) {sub["fail"]}
                    for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                        *(double *)PyArray_GETPTR1({z}, i) = *(double *)PyArray_GETPTR1({x}, i) + 1.0;
                """

            def c_code_cache_version(self) -> tuple[int, ...]:
                return (1,)

        x = opweld.tensor.dvector("x")
        start = time.perf_counter()
        result = opweld.function([x], Trial()(x))(np.arange(3.0))
        seconds = time.perf_counter() - start
        if result.tolist() != [1.0, 2.0, 3.0]:
            raise AssertionError(f"the op gave {result!r} where [1, 2, 3] is right")
        print(json.dumps({"seconds": seconds}))
    except Exception as error:
        print(json.dumps({"error": f"{type(error).__name__}: {error}"}))


def trial_apart(root: str) -> dict[str, Any]:
    """Run `trial` in a fresh interpreter that finds the modules that this one finds.

    Parameters
    ----------
    root : str
        The cache folder to use.

    Returns
    -------
    dict
        Its answer, whatever happens.
    """
    try:
        done = subprocess.run(
            fresh(f"from opweld.trial import trial; trial({root!r})"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TRIAL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"the build did not end within {_TRIAL_SECONDS} seconds"}
    except OSError as error:
        return {"error": f"{sys.executable!r} cannot be started: {error}"}
    if done.returncode < 0:
        return {"error": f"the process that built it died of signal {-done.returncode}\n{done.stderr.strip()}"}
    try:
        answer = json.loads(done.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        said = done.stderr.strip() or "it said nothing"
        return {"error": f"the process that built it ended with code {done.returncode}: {said}"}
    return dict(answer)
