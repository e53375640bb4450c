"""How long calls take beside each other: they run in turn, so that what disturbs one disturbs all, and medians count."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

SECONDS = 0.5  # that one comparison may take, and its calls are repeated; 0: each is called once


def beside(calls: dict[str, Callable[[], Any]], rtol: float = 1e-9, atol: float = 0.0) -> None:
    """Print the time of each call and how many times the first one's it is.

    Parameters
    ----------
    calls : dict of callables
        By the name to print; the first is what the others are compared with.
    rtol, atol : float
        How far results may be apart: ``|result - first| <= atol + rtol * |first|``.

    Raises
    ------
    AssertionError
        If a call gives something else than the first.
    """
    first = None
    for name, call in calls.items():
        result = call()  # what is compiled at the first call is compiled here
        first = result if first is None else first
        _same(name, first, result, rtol, atol)
    times: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or min(map(len, times.values())) < min(3, SECONDS * 3):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begin)
    if SECONDS:
        _show({name: statistics.median(each) for name, each in times.items()})


def _same(name: str, first: Any, result: Any, rtol: float, atol: float) -> None:
    pairs = zip(first, result, strict=True) if isinstance(first, tuple) else [(first, result)]
    for ours, theirs in pairs:
        np.testing.assert_allclose(theirs, ours, rtol=rtol, atol=atol, err_msg=name)


def _show(times: dict[str, float]) -> None:
    width = max(map(len, times))
    (first, *_) = times.values()
    for name, each in times.items():
        unit, scale = ("s", 1) if each >= 1 else ("ms", 1e3) if each >= 1e-3 else ("µs", 1e6)
        ratio = "" if name == next(iter(times)) else f"  {each / first:6.3g} x"
        print(f"{name:{width}}  {each * scale:7.3g} {unit:2}{ratio}")
