"""What a run leaves behind, counted round many runs."""

from __future__ import annotations

import array
import ctypes
import gc
import itertools
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opweld.checking.forcing import Outcome

__all__ = ["Ledger"]

_FEW = 3  # runs, which must leave something behind to be suspected
_KEPT = 1000
_MANY, _ROUNDS = 60, 5  # runs, in nine of ten of which it must have; and so often


class Ledger:
    """What a run leaves behind: references to what it was given, blocks of Python's, bytes of the C library's.

    What runs inside of its ``with`` may give up references that it does not have: nothing that is watched goes by
    that, neither there nor afterwards.

    Parameters
    ----------
    watched : sequence of object
        Whose references are counted.
    """

    def __init__(self, watched: Sequence[object], module: object) -> None:
        self.watched = list(watched)
        self.module: Any = module
        self.size = len(self.watched) + 2

    def __enter__(self) -> Ledger:
        """Hold what is watched often enough for what is given up too often in many runs."""
        self._kept = [one for one in self.watched for _ in range(_KEPT)]
        self._held = list(map(sys.getrefcount, self.watched))
        return self

    def __exit__(self, *_why: object) -> None:
        """Take anew what was given up too often: others hold these objects too, and go on with them."""
        lost = map(operator.sub, self._held, list(map(sys.getrefcount, self.watched)))  # as before: names hold too
        for one, times in zip(self.watched, lost):
            for _ in range(times):
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))
        self._kept.clear()

    def read(self, into: array.array[int]) -> None:
        """Write what there is now where it takes no memory."""
        for i, one in enumerate(self.watched):
            into[i] = sys.getrefcount(one)
        into[self.size - 2] = sys.getallocatedblocks()
        into[self.size - 1] = self.module.fault_heap()

    def growth(self, run: Callable[[], Any]) -> Outcome | None:
        """Say what grows with every run; None: nothing does."""
        suspect = self._steps(run, _FEW)
        sums = list(map(sum, zip(*suspect)))
        if not any(sums[:-2]) and max(sums[-2:]) <= 0:
            return None
        for _ in range(_ROUNDS):  # what Python keeps for later may be as much once
            (whole,) = self._steps(run, 1, _MANY)
            if max(map(abs, whole)) < 0.9 * _MANY:
                return None
        for i, grown in enumerate(whole):
            each = round(grown / _MANY)
            if grown >= 0.9 * _MANY:
                return Outcome("leak", self._told(i, max(each, 1)))
            if i < len(self.watched) and grown <= -0.9 * _MANY:
                return Outcome("over-release", self._told(i, min(each, -1)))
        return None

    def _steps(self, run: Callable[[], Any], steps: int, runs: int = 1) -> list[list[int]]:
        """How much more there is of each after some runs, so many times."""
        marks = [array.array("q", [0] * self.size) for _ in range(steps + 1)]
        gc.collect()
        self.read(marks[0])
        for mark in marks[1:]:
            for number in range(runs):
                run()
                if number % 10 == 9:
                    gc.collect()
            gc.collect()
            gc.collect()  # what the first has let go of
            self.read(mark)
        return [[after[i] - before[i] for i in range(self.size)] for before, after in itertools.pairwise(marks)]

    def _told(self, i: int, by: int) -> str:
        if i == self.size - 2:
            return f"{by} block{'s' * (by > 1)} of Python's memory more with each run"
        if i == self.size - 1:
            return f"{by} bytes of memory more with each run"
        one = self.watched[i]
        what = f"input {one.dtype}{list(one.shape)}" if isinstance(one, np.ndarray) else repr(one)[:40]
        return f"{abs(by)} reference{'s' * (abs(by) > 1)} to {what} {'more' if by > 0 else 'less'} with each run"
