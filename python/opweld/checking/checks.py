"""The checks of one function, one after the other; what each says is a row of the report."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from opweld import linting
from opweld.checking import apart, drawing, forcing, trials, watched
from opweld.checking.report import Fault, Report, Row
from opweld.checking.subjects import Subject
from opweld.config import config
from opweld.errors import OpCrashed, OpTimeout, OpweldError, SanitizerError

__all__ = ["ASKED_FOR", "CHECKS", "Course", "check"]

_CHOSEN = 60  # inputs with which places are forced
_SPREAD = 2  # inputs, of those given and of those drawn, which come in other layouts too where they are written over
_REFUSED = 2  # inputs with which memory is refused
_DEBUGGED = 10  # inputs that DebugMode is given
_SANITIZED = 20  # inputs with which it runs under sanitizers
_WATCHED = 8  # inputs that it takes with which it runs under valgrind
_SLOWER = 50  # times, under valgrind
_ENOUGH = 5  # faults that sanitizers find: each ends a process
_OFTEN = 200  # calls that another check may make with an input in the time that one may take


def check(
    subject: Subject,
    report: Report,
    only: Iterable[str] = (),
    examples: int = 40,
    seconds: float = 60.0,
    begins: Callable[[str, str], bool] | None = None,
) -> list[Row]:
    """Check a function, in this process: what is called and forced is in children of it, but the function is made here.

    `check_all` and `check_apart` do all of it in a child.

    Parameters
    ----------
    subject : Subject
        The function.
    report : Report
        Gets the rows.
    only : iterable of str
        The checks, of `CHECKS`; if left out all but `ASKED_FOR`.
    examples : int
        How many inputs are drawn, besides those that are given; 0: none.
    seconds : float
        How long a call may take.
    begins : callable, optional
        Is given the names of function and check before each, and says whether it is to be done.

    Returns
    -------
    list of Row
        What it has added.
    """
    one = Course(subject, report, examples, seconds)
    for name in CHECKS:
        if (name in only if only else name not in ASKED_FOR) and (begins is None or begins(subject.name, name)):
            one.go(name)
    return one.rows


class Course:
    """One function on its way through the checks.

    Parameters
    ----------
    subject, report, examples, seconds : Subject, Report, int and float
        As for `check`.

    Attributes
    ----------
    rows : list of Row
        What was found.
    covered : set of int
        The places that were forced, or come to.
    outcomes : dict of str to dict
        By check, ``places`` and ``memory``, what came of each trial.
    """

    def __init__(self, subject: Subject, report: Report, examples: int = 40, seconds: float = 60.0) -> None:
        self.subject = subject
        self.report = report
        self.examples = examples
        self.seconds = seconds
        self.rows: list[Row] = []
        self.covered: set[int] = set()
        self.outcomes: dict[str, dict[forcing.Trial, forcing.Outcome]] = {}
        self.counts = 0, 0  # inputs that are taken, and refused
        self._why = ""  # what the last refusal said
        self._called: tuple[list[Any], list[Any], list[Fault]] | None = None
        self._forced: forcing.Places | None = None
        self._made: Any = None

    def go(self, name: str) -> None:
        """Do one check."""
        begin = time.perf_counter()
        try:
            verdict, said, faults = CHECKS[name](self)
        except (OpweldError, RuntimeError, NotImplementedError) as err:
            first = (str(err).splitlines() or [""])[0]
            verdict, said, faults = "failed", "it cannot be done", [Fault("", type(err).__name__, first)]
        row = Row(self.subject.name, name, verdict, said, tuple(faults), time.perf_counter() - begin)
        self.rows.append(row)
        self.report.add(row)

    # ---- what checks share ----

    @property
    def made(self) -> Any:
        """The function as its user runs it."""
        if self._made is None:
            self._made = self.subject.make()
        return self._made

    @property
    def called(self) -> tuple[list[Any], list[Any], list[Fault]]:
        """Inputs that the function takes, soon enough to be called often; that it refuses; what else went wrong."""
        if self._called is None:
            self._called = self._call()
        return self._called

    def _call(self) -> tuple[list[Any], list[Any], list[Fault]]:
        drawn = drawing.drawn(self.subject.types, self.examples) if self.examples else []
        mutable = [spec.mutable for spec in self.subject.recipe.inputs]
        again = [*self.subject.given[:_SPREAD], *drawn[:_SPREAD]] if self.examples and any(mutable) else []
        inputs = [*self.subject.given, *drawn, *(_laid(one, order) for one in again for order in "AF")]
        function = self.made
        taken: list[Any] = []
        slow: list[Any] = []
        refused: list[Any] = []
        faults: list[Fault] = []
        at = 0
        while at < len(inputs):

            def work(send: Callable[[Any], None], first: int = at) -> None:
                warnings.simplefilter("ignore")
                for values in inputs[first:]:
                    begin = time.perf_counter()
                    try:
                        forcing.called(function, values, mutable)
                    except Exception as err:
                        send((f"{type(err).__name__}: {(str(err).splitlines() or [''])[0]}", 0.0))
                    else:
                        send(("", time.perf_counter() - begin))

            for message in apart.messages(work, self.seconds):
                if isinstance(message, apart.Ended):
                    faults.append(Fault("", message.how, f"{message.what}, called with {_shown(inputs[at])}"))
                elif message[0]:
                    refused.append(inputs[at])
                    self._why = message[0]
                else:
                    (taken if message[1] < self.seconds / _OFTEN else slow).append(inputs[at])
                at += 1
        self.counts = len(taken) + len(slow), len(refused)
        return taken or slow, refused, faults

    @property
    def forced(self) -> forcing.Places:
        """The function with places that can be forced, and inputs that come to as many as all do."""
        if self._forced is None:
            taken, refused, _ = self.called
            subject = self.subject
            found = forcing.Places(subject.recipe, [*taken, *refused], subject.scenes, subject.options)
            found.inputs = trials.telling(found, _CHOSEN, self.seconds)
            self._forced = found
        return self._forced

    def nothing(self) -> bool:
        """Whether there are no inputs that it takes."""
        return not self.called[0]

    # ---- the checks ----

    def lint(self) -> tuple[str, str, list[Fault]]:
        """Every path through the C."""
        report = linting.Report()
        linting.of_program(self.made.maker.program, report)
        faults = [Fault(f"{f.file}:{f.line}", f.rule, f.message) for f in report.wrong]
        count = report.fragments
        return _verdict(faults), f"{count} text{'s' * (count != 1)}", faults

    def run(self) -> tuple[str, str, list[Fault]]:
        """Calls with all inputs: each returns or raises."""
        taken, _, faults = self.called
        said = f"{self.counts[0]} inputs taken, {self.counts[1]} refused"
        if not taken and not faults:
            text = "no inputs are known that it takes: give some (docs/check.md)"
            faults = [Fault("", "nothing was checked", f"{text}; the last one: {self._why}" if self._why else text)]
        return _verdict(faults), said, faults

    def debug(self) -> tuple[str, str, list[Fault]]:
        """DebugMode."""
        if self.nothing():
            return "skipped", "no inputs", []
        inputs = self.called[0][:_DEBUGGED]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            function = self.subject.make(mode="DebugMode")
        alone = ", no perform to compare with" if any("no perform" in str(one.message) for one in said) else ""

        def work(send: Callable[[Any], None]) -> None:
            warnings.simplefilter("ignore")
            for values in inputs:
                try:
                    forcing.called(function, values)
                except Exception as err:
                    send(Fault("", type(err).__name__, " ".join(str(err).split())[:600]))
                    return
                send(None)

        faults: list[Fault] = []
        for values, message in zip([*inputs, None], apart.messages(work, self.seconds)):
            if isinstance(message, apart.Ended):
                faults.append(Fault("", message.how, f"{message.what}, called with {_shown(values)}"))
            elif message is not None:
                faults.append(message)
        return _verdict(faults), f"{len(inputs)} inputs{alone}", faults

    def account(self) -> tuple[str, str, list[Fault]]:
        """References and memory, counted by line while it runs."""
        taken, refused, _ = self.called
        inputs = [*taken, *refused]
        if not inputs:
            return "skipped", "no inputs", []
        function = self.subject.make(account=True)

        def work(send: Callable[[Any], None]) -> None:
            warnings.simplefilter("ignore")
            for values in inputs:
                try:
                    forcing.called(function, values)
                except Exception:
                    pass  # inputs that it refuses
                losses = function.account.findings
                function.account.reset()
                send([Fault(f"{loss.file}:{loss.line}", loss.rule, loss.message) for loss in losses])

        faults: list[Fault] = []
        for values, message in zip([*inputs, None], apart.messages(work, self.seconds)):
            if isinstance(message, apart.Ended):
                faults.append(Fault("", message.how, f"{message.what}, called with {_shown(values)}"))
            else:
                faults += [fault for fault in message if fault not in faults]
        return _verdict(faults), f"{len(inputs)} inputs", faults

    def sanitize(self) -> tuple[str, str, list[Fault]]:
        """Calls under sanitizers: those of the configuration, else those that find most."""
        taken, refused, _ = self.called
        inputs = [*taken, *refused][:_SANITIZED]
        if not inputs:
            return "skipped", "no inputs", []
        sanitizers = config.sanitize or "address,undefined"
        function = self.subject.make(sanitize=sanitizers, isolate=True, isolate_seconds=self.seconds)
        faults: list[Fault] = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for values in inputs:
                try:
                    forcing.called(function, values)
                except SanitizerError as err:
                    details = err.details
                    told = " ".join(str(err).split())[:600]
                    fault = Fault(f"{details['file']}:{details['line']}", details["kind"], told)
                    if not any(fault[:2] == other[:2] for other in faults):
                        faults.append(fault)
                except (OpCrashed, OpTimeout) as err:
                    told = f"{' '.join(str(err).split())[:300]}, called with {_shown(values)}"
                    faults.append(Fault("", type(err).__name__, told))
                except Exception:
                    pass  # inputs that it refuses
                if len(faults) == _ENOUGH:
                    break
        return _verdict(faults), f"{len(inputs)} inputs, {sanitizers}", faults

    def valgrind(self) -> tuple[str, str, list[Fault]]:
        """Calls under valgrind."""
        if not watched.installed():
            return "skipped", "not installed", []
        taken, refused, _ = self.called
        inputs = [*taken[:_WATCHED], *refused[: _WATCHED - min(len(taken), _WATCHED) + 1]]
        if not inputs:
            return "skipped", "no inputs", []
        march = watched.level(self.subject.recipe.options.get("march", config.march))
        function = self.subject.make(isolate=True, isolate_seconds=_SLOWER * self.seconds, march=march)
        faults: list[Fault] = []
        with watched.Watched(function.maker.linked) as under, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for values in inputs:
                try:
                    forcing.called(function, values)
                except (OpCrashed, OpTimeout) as err:
                    told = f"{' '.join(str(err).split())[:300]}, called with {_shown(values)}"
                    faults.append(Fault("", type(err).__name__, told))
                    break
                except Exception:
                    pass  # inputs that it refuses
            faults = under.faults() + faults
        return _verdict(faults), f"{len(inputs)} inputs", faults

    def places(self) -> tuple[str, str, list[Fault]]:
        """Each place that can fail is made to."""
        if self.nothing():
            return "skipped", "no inputs", []
        outcomes, covered = self.outcomes["places"], self.covered = trials.forced(self.forced, self.seconds)
        faults = _faults(outcomes, lambda trial: _where(self.forced.listed[trial.place]))
        own = self.forced.own
        missed = [place for place in own if place.number not in covered]
        faults += [Fault(str(place), "not come to", "no input that is known leads here: give one") for place in missed]
        glue = len([number for number in covered if 0 <= number < forcing.FIRST_OF_UNIT])
        said = f"{len(own) - len(missed)} of {len(own)} places forced, and {glue} of the glue"
        return _verdict(faults), said, faults

    def memory(self) -> tuple[str, str, list[Fault]]:
        """Each request for memory is refused."""
        if self.nothing():
            return "skipped", "no inputs", []
        found = self.forced
        before, found.inputs = (
            found.inputs,
            self.called[0][:1]
            + [values for values in found.inputs if any(values is one for one in self.called[0][1:])][: _REFUSED - 1],
        )
        try:
            outcomes = self.outcomes["memory"] = trials.refused(found, self.seconds)
        finally:
            found.inputs = before
        faults = _faults(outcomes, lambda trial: f"request {trial.place}{'' if trial.nth else ' and all after it'}")
        return _verdict(faults), f"{len(outcomes)} requests refused", faults


#: What is checked, in this order.
CHECKS: dict[str, Callable[[Course], tuple[str, str, list[Fault]]]] = {
    "lint": Course.lint,
    "run": Course.run,
    "DebugMode": Course.debug,
    "account": Course.account,
    "places": Course.places,
    "memory": Course.memory,
    "sanitize": Course.sanitize,
    "valgrind": Course.valgrind,
}
#: Those that are done only where they are named: a process that is watched is slow to start.
ASKED_FOR = ("sanitize", "valgrind")


def _verdict(faults: Sequence[Fault]) -> str:
    return "failed" if faults else "passed"


def _where(place: forcing.Place) -> str:
    return str(place) if place.number != forcing.NOTHING else ""


def _faults(outcomes: dict[forcing.Trial, forcing.Outcome], where: Callable[[forcing.Trial], str]) -> list[Fault]:
    """What went wrong, each place once."""
    faults: list[Fault] = []
    for trial, outcome in outcomes.items():
        fault = Fault(where(trial), outcome.what, outcome.said)
        if not outcome.good and not any(fault[:2] == other[:2] for other in faults):
            faults.append(fault)
    return faults


def _laid(values: tuple[Any, ...], order: str) -> tuple[Any, ...]:
    """The same inputs, their arrays in Fortran's order; where that is not what is asked for, with gaps."""

    def apart(value: object) -> object:
        if type(value) is not np.ndarray or not value.ndim or value.dtype.hasobject:
            return value
        if order == "F":
            return np.asfortranarray(value)
        room = np.zeros((*value.shape[:-1], 2 * value.shape[-1]), value.dtype)[..., ::2]
        room[...] = value
        return room

    return forcing.Call(*map(apart, values), **forcing.names_of(values))


def _shown(values: tuple[Any, ...] | None) -> str:
    """Inputs as a message has them."""
    if values is None:
        return "no inputs"
    shown = [
        f"{v.dtype}{list(v.shape)}, strides {list(v.strides)}" if isinstance(v, np.ndarray) else repr(v)[:60]
        for v in [*values, *forcing.names_of(values).values()]
    ]
    return "(" + "; ".join(shown) + ")"
