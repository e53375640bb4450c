"""What the fixture and the marker of ``pytest_opweld`` do: ``opweld check`` for tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from opweld.checking.checks import CHECKS
from opweld.checking.report import Report, Row
from opweld.checking.subjects import Recorded, distinct, recorded, recording, subject_of
from opweld.checking.whole import check_all, check_apart

__all__ = ["Checker"]


class Checker:
    """Check in a test: call it with what is to be checked.

    Parameters
    ----------
    properties : list of tuple
        Of the test, which its report has: gets each row's name and verdict.
    only : str
        The checks, commas between; all if left out.
    examples : int
        How many inputs are drawn, besides those that are given.
    seconds : float
        How long a call may take.
    """

    def __init__(
        self, properties: list[tuple[str, object]], only: str = "", examples: int = 40, seconds: float = 60.0
    ) -> None:
        self._properties = properties
        self._only, self._examples, self._seconds = only, examples, seconds
        self._made: list[Recorded] = []

    def __call__(
        self,
        *targets: object,
        inputs: Sequence[tuple[Any, ...]] = (),
        only: str | None = None,
        examples: int | None = None,
        seconds: float | None = None,
    ) -> list[Row]:
        """Check, and fail the test where a check fails.

        Parameters
        ----------
        *targets : str or object
            What ``opweld check`` takes, ``"module"``, ``"module:op"`` or ``"script.py"``; or an op, a function, a
            variable that something computes, or a short form.
        inputs : list of tuple, optional
            Arguments that it is called with, besides those that are drawn; not with addresses, which have their own.
        only, examples, seconds : str, int and float, optional
            As for the marker, which says what they are if left out.

        Returns
        -------
        list of Row
            What each check said.
        """
        how = self._how(only, examples, seconds)
        report = Report()
        for target in targets:
            if isinstance(target, str):
                report.rows += check_all([target], *how).rows
                continue
            with recording():  # what is made of it is not the test's
                subject = subject_of(target, _name_of(target), inputs)
            if subject is None:
                raise TypeError(f"{target!r:.80} has no C, or takes what cannot be guessed: give inputs, or a function")
            check_apart(subject, report, *how)
        return self._judge(report)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Have functions that are made meanwhile remember what they are called with."""
        with recording() as self._made:
            yield

    def check_recorded(self, others: bool) -> None:
        """Check the functions that were made.

        Parameters
        ----------
        others : bool
            Whether something else was checked, and there need not be any.
        """
        report = Report()
        for subject in distinct([recorded(one) for one in self._made]):
            check_apart(subject, report, *self._how())
        if not report.rows and not others:
            pytest.fail("the test is marked opweld_check, and has made no function that it could check", pytrace=False)
        self._judge(report)

    def _how(
        self, only: str | None = None, examples: int | None = None, seconds: float | None = None
    ) -> tuple[list[str], int, float]:
        names = [name.strip() for name in (self._only if only is None else only).split(",") if name.strip()]
        if unknown := [name for name in names if name not in CHECKS]:
            raise ValueError(f"no check {unknown[0]!r}: known are {', '.join(CHECKS)}")
        return (
            names,
            self._examples if examples is None else examples,
            self._seconds if seconds is None else seconds,
        )

    def _judge(self, report: Report) -> list[Row]:
        for row in report.rows:
            self._properties.append((f"opweld check {row.subject} {row.check}", row.verdict))
        if report.wrong:
            pytest.fail("\n".join(report.lines(_plain)), pytrace=False)
        return report.rows


def _plain(text: str, **_: object) -> str:
    """Style as `click.style`, in one colour."""
    return text


def _name_of(value: object) -> str:
    name = getattr(value, "name", None) or getattr(value, "__name__", None) or str(value)
    return str(name)[:60]
