"""Trials in children of this process: each place forced, each request for memory refused, and what comes of it."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from opweld.checking import apart
from opweld.checking.forcing import NOTHING, Outcome, Places, Trial, copies_of, names_of
from opweld.checking.ledger import Ledger

__all__ = ["forced", "refused", "telling"]

_MOST_REQUESTS = 2000
_MOST_ENDS = 20  # trials that crash or hang; after so many no more are begun


def forced(found: Places, seconds: float = 60.0) -> tuple[dict[Trial, Outcome], set[int]]:
    """Force each place that can be come to, with each of the inputs.

    Parameters
    ----------
    found : Places
        The function.
    seconds : float
        How long one place may take.

    Returns
    -------
    outcomes : dict of Trial to Outcome
        What came of each.
    covered : set of int
        The places that were forced, or, of ``fail``, come to.
    """
    covered: set[int] = set()

    def work(trials: list[Trial]) -> Callable[[Callable[[Any], None]], None]:
        return lambda send: _Forcing(found, send).all(trials, covered)

    outcomes = _through(work, seconds, covered)
    return outcomes, covered


def telling(found: Places, most: int, seconds: float = 60.0) -> list[tuple[Any, ...]]:
    """Choose inputs that come to as many places as all together.

    Parameters
    ----------
    found : Places
        The function.
    most : int
        How many, at most.
    seconds : float
        How long one call may take.

    Returns
    -------
    list of tuple
        Of its inputs; the first is always among them.
    """

    def work(send: Callable[[Any], None]) -> None:
        for i, inputs in enumerate(found.inputs):
            found.arm()
            try:
                found.run("call", inputs)
            except Exception:
                pass
            asked, reached = found.counts()
            send((i, {*np.flatnonzero(asked).tolist(), *(-1 - np.flatnonzero(reached)).tolist()}))

    seen: set[int] = set()
    chosen: list[tuple[Any, ...]] = []
    for message in apart.messages(work, seconds):
        if isinstance(message, apart.Ended):
            break
        i, places = message
        if len(chosen) < most and (not chosen or not places <= seen):
            chosen.append(found.inputs[i])
            seen |= places
    return chosen


def refused(found: Places, seconds: float = 60.0) -> dict[Trial, Outcome]:
    """Refuse each request for memory in turn, it alone and all from it on.

    Parameters
    ----------
    found : Places
        The function.
    seconds : float
        How long one may take.

    Returns
    -------
    dict of Trial to Outcome
    """
    return _through(lambda done: lambda send: _Refusing(found, send).all(done), seconds, set())


def _through(
    work: Callable[[list[Trial]], Callable[[Callable[[Any], None]], None]], seconds: float, covered: set[int]
) -> dict[Trial, Outcome]:
    """Let children do all trials: one that ends in a trial is followed by another, which goes on behind it; by few."""
    outcomes: dict[Trial, Outcome] = {}
    for _ in range(_MOST_ENDS):
        begun: Trial | None = None
        for message in apart.messages(work(list(outcomes)), seconds):
            if isinstance(message, apart.Ended):
                if begun is None:
                    raise RuntimeError(f"the function cannot be run with these inputs: {message.what}")
                outcomes[begun] = Outcome(message.how, message.what)
                break
            if isinstance(message, Trial):
                begun = message
                covered.add(message.place)
                outcomes.setdefault(begun, Outcome("crash", ""))
            elif isinstance(message, Outcome) and begun is not None:
                outcomes[begun] = message
            else:
                covered |= set(message)
        else:
            break
    return outcomes


class _Changing:
    """Stands for results that are not compared."""


class _Trials:
    """What both ways share, in the child."""

    def __init__(self, found: Places, send: Callable[[Any], None]) -> None:
        self.found = found
        self.send = send
        self.wanted: dict[tuple[str, int], Any] = {}
        sys.unraisablehook = _ignored
        warnings.simplefilter("ignore")
        np.seterr(all="ignore")  # what NumPy is asked about them is NumPy's own
        gc.collect()
        gc.freeze()  # what was there before is not looked at again

    def scenes(self) -> Iterator[tuple[str, int]]:
        """Go through the scenes, as they are without a fault."""
        others = ["make", "load", *self.found.scenes]
        for scene, i in [*(("call", i) for i in range(len(self.found.inputs))), *((one, 0) for one in others)]:
            self.found.arm()
            self.wanted[scene, i] = self._once(scene, i)
            yield scene, i
            self.found.arm()
            if not self.same(Trial(scene, i, NOTHING, 1), self._once(scene, i)):
                self.wanted[scene, i] = _Changing  # no two calls give the same

    def _once(self, scene: str, i: int) -> Any:
        """What comes of a scene, or is raised."""
        with self.ledger(i):
            try:
                return _copied(self.found.run(scene, self.inputs_of(i)))
            except Exception as err:  # inputs that it refuses
                return err.with_traceback(None)

    def inputs_of(self, i: int) -> tuple[Any, ...]:
        """The inputs of a number."""
        return self.found.inputs[i] if self.found.inputs else ()

    def ledger(self, i: int) -> Ledger:
        """What is counted round the runs with the inputs of a number."""
        inputs = self.inputs_of(i)
        arrays = [value for value in inputs if isinstance(value, np.ndarray)]
        bases = [value.base for value in arrays if value.base is not None]
        dtypes = [np.dtype(code) for code in "?bhilqBHILQefdgFDGO"]
        return Ledger([*arrays, *bases, *dtypes, None, True, False, Ellipsis], self.found.module)

    def settle(self, trial: Trial, once: Callable[[], Outcome]) -> Outcome:
        """Run a trial, and count what it leaves behind."""
        with self.ledger(trial.inputs) as ledger:
            outcome = once()
            if not outcome.good:
                return outcome
            once()  # what is made but once is there
            return ledger.growth(once) or outcome

    def same(self, trial: Trial, result: object) -> bool:
        """Whether a result is what comes without a fault."""
        wanted = self.wanted[trial.scene, trial.inputs]
        if self.found.stateful or wanted is _Changing:
            return True
        if isinstance(wanted, Exception):
            return isinstance(result, Exception)
        if isinstance(wanted, list):
            return isinstance(result, list) and all(map(_equal, result, wanted))
        return _equal(result, wanted)


def _ignored(_: object) -> None:
    """Say nothing of what a place has raised where nobody could be told."""


def _copied(result: object) -> Any:
    """A result as it is now: what it lies in may be the caller's."""
    if isinstance(result, list):
        return list(map(_copied, result))
    return result.copy(order="K") if isinstance(result, np.ndarray) else result


def _equal(a: object, b: object) -> bool:
    try:
        return bool(np.array_equal(a, b, equal_nan=True))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return True  # values that cannot be compared


class _Forcing(_Trials):
    """Places that are forced, one after the other."""

    def all(self, done: list[Trial], covered: set[int]) -> None:
        """Force each that has not been; what is covered was come to."""
        seen = set(done)
        waiting: list[Trial] = []
        come_to = set(covered)
        for scene, i in self.scenes():
            asked, reached = self.found.counts()
            come_to |= set(np.flatnonzero(reached).tolist())
            if scene == "call":
                waiting.append(Trial(scene, i, NOTHING, 1))
            for place in np.flatnonzero(asked).tolist():
                if self.found.listed[place].kind != "fail":
                    times = sorted({1, 2, int(asked[place])} & set(range(1, int(asked[place]) + 1)))
                    waiting += [Trial(scene, i, place, nth) for nth in times]
                else:
                    waiting.append(Trial(scene, i, place, 1))
        waiting.sort(key=lambda trial: self.found.listed[trial.place].kind == "fail")  # most are come to by calls
        done_places = {trial[2:] for trial in seen}
        self.send(come_to)
        for trial in waiting:  # it grows meanwhile
            place = self.found.listed[trial.place]
            again = trial.place != NOTHING and trial[2:] in done_places
            if trial in seen or again or (place.kind == "fail" and trial.place in come_to):
                continue
            done_places.add(trial[2:])
            self.send(trial)
            outcome, more = self._trial(trial)
            self.send(outcome)
            come_to |= more
            self.send({trial.place, *more})

    def _trial(self, trial: Trial) -> tuple[Outcome, set[int]]:
        inputs = self.inputs_of(trial.inputs)

        def once() -> Outcome:
            self.found.arm(trial.place, trial.nth)
            try:
                result = self.found.run(trial.scene, inputs)
            except Exception as err:
                outcome = self._raised(trial, err)
                err.__traceback__ = err.__context__ = err.__cause__ = None
            else:
                outcome = self._went_on(trial, result)
            return outcome

        outcome = self.settle(trial, once)
        _, reached = self.found.counts()
        self.found.arm()
        return outcome, set(np.flatnonzero(reached).tolist())

    def _raised(self, trial: Trial, err: Exception) -> Outcome:
        if isinstance(err, SystemError) or "without setting an exception" in str(err):
            return Outcome("lost exception", str(err).splitlines()[0])
        return Outcome("raised", type(err).__name__)

    def _went_on(self, trial: Trial, result: object) -> Outcome:
        if self.same(trial, result):
            return Outcome("survived", "the result is as it was")
        return Outcome("wrong result", "no exception comes out, and the result is another")


class _Refusing(_Trials):
    """Memory that is refused, one request after the other."""

    def all(self, done: list[Trial]) -> None:
        """Refuse each that has not been."""
        seen = set(done)
        for scene, i in list(self.scenes()):
            if scene != "call" or isinstance(self.wanted[scene, i], Exception):
                continue  # Python's own code; what is refused needs memory for words
            for nth in (1, 0):
                for number in range(_MOST_REQUESTS):
                    trial = Trial(scene, i, number, nth)
                    if trial in seen:
                        continue
                    self.send(trial)
                    outcome, more = self._trial(trial)
                    self.send(outcome)
                    if not more:
                        break

    def _trial(self, trial: Trial) -> tuple[Outcome, bool]:
        inputs = self.inputs_of(trial.inputs)
        to = trial.place + 1 if trial.nth else 2**63

        def once() -> Outcome:
            given = copies_of(inputs, self.found.mutable)
            names = names_of(inputs)
            try:
                result = self.found.module.fault_memory(self.found.function, given, trial.place, to, names)
            except MemoryError:
                return Outcome("raised", "MemoryError")
            except Exception as err:
                text = f"{type(err).__name__}: {err}"
                err.__traceback__ = err.__context__ = err.__cause__ = None
                return Outcome("wrong exception", text)
            if self.same(trial, result):
                return Outcome("survived", "the result is as it was")
            return Outcome("wrong result", "no MemoryError comes out, and the result is another")

        self.found.arm()
        outcome = self.settle(trial, once)
        return outcome, self.found.module.fault_state()[0] > trial.place
