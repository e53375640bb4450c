"""All of ``opweld check`` in a process of its own: what it imports, makes and loads may crash: a row then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from opweld.addresses import Unknown, read
from opweld.checking import apart
from opweld.checking.checks import check
from opweld.checking.report import Fault, Report, Row
from opweld.checking.subjects import Subject, found
from opweld.config import config

__all__ = ["check_all", "check_apart"]

_FINDING = "found"  # stands for a check where what is to be checked is imported or run


def check_all(targets: Iterable[str], only: Iterable[str] = (), examples: int = 40, seconds: float = 60.0) -> Report:
    """Check all that is at some addresses.

    A script that crashes is run once more, its C in a process of its own, so that its functions are known.

    Parameters
    ----------
    targets : iterable of str
        Modules, names in them, scripts.
    only, examples, seconds : iterable of str, int and float
        As for `check`.

    Returns
    -------
    Report

    Raises
    ------
    Unknown
        If there is nothing at an address, or nothing that has C.
    """
    report = Report()
    for target in targets:
        find = partial(found, read(target))
        _Whole(target, find, report, tuple(only), examples, seconds).go()
    if not report.rows:
        raise Unknown(f"{' '.join(targets)}: nothing with C is named or made there")
    return report


def check_apart(
    subject: Subject, report: Report, only: Iterable[str] = (), examples: int = 40, seconds: float = 60.0
) -> list[Row]:
    """Check a function as `check` does, in a child of this process; where it is made there, a crash is a row too.

    Parameters
    ----------
    subject, report, only, examples, seconds : object
        As for `check`.

    Returns
    -------
    list of Row
        What was added.
    """
    before = len(report.rows)
    _Whole(subject.name, lambda wrong: [subject], report, tuple(only), examples, seconds).go()
    return report.rows[before:]


class _Missing(Exception):
    """There is nothing at an address: what to say of it."""


class _Whole:
    """One address on its way: a child that ends is followed by another, which leaves out what is known."""

    def __init__(
        self,
        target: str,
        find: Callable[[list[Fault]], list[Subject]],
        report: Report,
        only: tuple[str, ...],
        examples: int,
        seconds: float,
    ) -> None:
        self.target = target
        self.find = find
        self.report = report
        self.how = (only, examples, seconds)
        self.done: set[tuple[str, str]] = set()
        self.isolated = False

    def go(self) -> None:
        """Check all that is found."""
        while not self._through():
            pass

    def _through(self) -> bool:
        """Let a child go on; whether there is nothing left to do."""
        begun = (self.target, _FINDING)
        for message in apart.messages(self._work, None):
            if isinstance(message, apart.Ended):
                self._add(Row(*begun, "failed", "", (Fault("", message.how, message.what),), 0.0))
                again = begun[1] != _FINDING or not self.isolated
                self.isolated = self.isolated or begun[1] == _FINDING
                return not again
            if isinstance(message, _Missing):
                raise Unknown(str(message))
            if isinstance(message, Row):
                self._add(message)
            else:
                begun = message
        return True

    def _add(self, row: Row) -> None:
        if row[:2] not in self.done:
            self.done.add(row[:2])
            self.report.add(row)

    def _work(self, send: Callable[[Any], None]) -> None:
        """Be the child."""
        if self.isolated:
            config.isolate = True
        wrong: list[Fault] = []
        try:
            subjects = self.find(wrong)
        except Unknown as err:
            send(_Missing(str(err)))
            return
        if wrong:
            send(Row(self.target, _FINDING, "failed", f"{len(subjects)} functions", tuple(wrong), 0.0))

        def begins(subject: str, name: str) -> bool:
            if (subject, name) in self.done:
                return False
            send((subject, name))
            return True

        report = _Sent(send)
        for subject in subjects:
            check(subject, report, *self.how, begins)


class _Sent(Report):
    """A report in the child, whose rows go to the parent as they come."""

    def __init__(self, send: Callable[[Any], None]) -> None:
        super().__init__()
        self.send = send

    def add(self, row: Row) -> None:
        """Send a row."""
        self.send(row)
