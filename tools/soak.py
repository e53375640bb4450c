"""S11: every op that comes with the project called for long, every other call failing: what ``make soak`` prints.

Each function is the build whose places can be forced to fail. Half of its calls fail: those with inputs that it
refuses, and each place that its inputs come to, in turn. Sizes are drawn at random. The memory that its process has,
and Python's blocks, are read at even steps, once each call was made. Told is what has grown from then on by more than a
mebibyte, or in the second half by a block for each hundred calls: what is kept for the next time fills up in the first.
More calls show smaller leaks: fewer than a hundred blocks are none. The slope is that of the straight line through the
readings.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import resource
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import ownops

from opweld.checking import Course, Report, Subject, apart
from opweld.checking.forcing import NOTHING, Places

READINGS = 10
FEW = 100
CYCLE = 503  # after so many calls of each kind they come again in the same order
_PAGE = resource.getpagesize()


class Soaked(NamedTuple):
    """What came of one function.

    Attributes
    ----------
    name : str
        The source's and its own.
    calls : int
        How many were made.
    refused : int
        How many of them failed.
    resident : tuple of int
        Bytes that the process had, at even steps.
    blocks : tuple of int
        Python's blocks, the same.
    """

    name: str
    calls: int
    refused: int
    resident: tuple[int, ...]
    blocks: tuple[int, ...]

    def slope(self, readings: tuple[int, ...]) -> float:
        """Say how much more there is with each call."""
        at = np.linspace(0, self.calls, len(readings))
        return float(np.polyfit(at, readings, 1)[0])

    @property
    def good(self) -> bool:
        """Whether nothing grows."""
        half = len(self.blocks) // 2
        grown, blocks = self.resident[-1] - self.resident[0], self.blocks[-1] - self.blocks[half]
        return grown <= 1 << 20 and blocks <= max(FEW, self.calls // 200)

    def __str__(self) -> str:
        slopes = f"{self.slope(self.resident):+.3f} bytes and {self.slope(self.blocks):+.5f} blocks a call"
        return f"{self.name}: {self.calls} calls, {self.refused} of them failed, {slopes}"


def soaked(name: str, subject: Subject, calls: int, seconds: float, examples: int = 60) -> Soaked | None:
    """Call a function for long, in this process.

    Parameters
    ----------
    name : str
        What it is called.
    subject : Subject
        The function.
    calls : int
        How many calls, at most.
    seconds : float
        How long, at most, once each call has been made.
    examples : int
        How many inputs are drawn.

    Returns
    -------
    Soaked or None
        None: no inputs are known that it takes.
    """
    course = Course(subject, Report(), examples, 10.0)
    taken, refused, _ = course.called
    if not taken:
        return None
    found = Places(subject.recipe, taken)
    ways = [[(values, NOTHING) for values in taken], failing(found, refused)]
    draw = np.random.default_rng(1).integers
    orders = [draw(0, max(len(way), 1), CYCLE).tolist() for way in ways]
    readings = np.zeros((READINGS + 1, 2), np.int64)  # no block of Python's
    done = failed = 0
    for k in range(READINGS + 1):
        begin = time.perf_counter()
        # The first round is for what is made but once: it has each call.
        while done < 2 * CYCLE or (
            time.perf_counter() < begin + seconds / READINGS and done < (k + 1) * calls // READINGS
        ):
            odd = done % 2 if ways[1] else 0
            values, place = ways[odd][orders[odd][done // 2 % CYCLE]]
            done += 1
            found.arm(place)
            try:
                found.run("call", values)
            except Exception:
                failed += 1
        gc.collect()
        with open("/proc/self/statm") as file:
            readings[k, 0] = int(file.read().split()[1]) * _PAGE
        readings[k, 1] = sys.getallocatedblocks()
    resident, blocks = readings[1:].T.tolist()
    return Soaked(name, done, failed, tuple(resident), tuple(blocks))


def failing(found: Places, refused: list[Any]) -> list[tuple[Any, int]]:
    """Say which calls fail.

    Parameters
    ----------
    found : Places
        The function, with the inputs that it takes.
    refused : list
        Inputs that it refuses.

    Returns
    -------
    list of (tuple, int)
        Inputs, and the place that is forced; those that are refused often enough to be a fourth.
    """
    come_to: list[tuple[Any, int]] = []
    for values in found.inputs:
        found.arm()
        found.run("call", values)
        asked, _ = found.counts()
        for place in np.flatnonzero(asked).tolist():
            found.arm(place)
            try:
                found.run("call", values)
            except Exception:
                come_to.append((values, place))  # where it does not raise it has another way
    most = max(len(come_to) // 2, 1)
    return come_to + [(values, NOTHING) for values in refused] * (most // len(refused) or 1 if refused else 0)


def _work(source: ownops.Source, calls: int, seconds: float) -> Callable[[Callable[[Any], None]], None]:
    def work(send: Callable[[Any], None]) -> None:
        ownops.confine()
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")
        with contextlib.ExitStack() as stack:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                subjects = stack.enter_context(source.subjects([]))
            for subject in subjects:
                name = str(source) if source.group in ("library", "runtime") else f"{source}: {subject.name}"
                alone = partial(_alone, name, subject, calls, seconds)
                for message in apart.messages(alone, None):
                    send(message)

    return work


def _alone(name: str, subject: Subject, calls: int, seconds: float, send: Callable[[Any], None]) -> None:
    send(soaked(name, subject, calls, seconds))


def main() -> int:
    """Soak; 1 where something grows."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="sources whose names contain one of these; all if left out")
    options.add_argument("--calls", type=int, default=1_000_000, help="of each function, at most")
    options.add_argument("--seconds", type=float, default=10.0, help="for each function, at most")
    given = options.parse_args()
    good = count = 0
    for source in ownops.sources():
        if given.names and not any(name in str(source) for name in given.names):
            continue
        for message in apart.messages(_work(source, given.calls, given.seconds), None):
            if message is None:
                continue
            fine = isinstance(message, Soaked) and message.good
            told = message if isinstance(message, Soaked) else f"{source}: {message}"
            print(f"{'' if fine else '! '}{told}", flush=True)
            good, count = good + fine, count + 1
    print(f"\nS11: {good} of {count} functions grow by nothing")
    return int(good < count)


if __name__ == "__main__":
    sys.exit(main())
