"""What checks have found: a table for a person, plain data, JUnit's XML."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

__all__ = ["Fault", "Report", "Row"]

_COLOURS = {"passed": "green", "failed": "red", "skipped": "yellow"}


class Fault(NamedTuple):
    """One thing that is wrong.

    Attributes
    ----------
    where : str
        The user's file and line, and what stands there; empty: it has no place.
    what : str
        In a word or two: ``leak``, ``crash``, ``lost exception`` …
    said : str
        More about it.
    """

    where: str
    what: str
    said: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}: {self.said}" if self.where else f"{self.what}: {self.said}"


class Row(NamedTuple):
    """What one check says of one function.

    Attributes
    ----------
    subject, check : str
        Their names.
    verdict : str
        ``passed``, ``failed`` or ``skipped``.
    said : str
        How much was looked at, or why nothing was.
    faults : tuple of Fault
        What is wrong.
    seconds : float
        How long it took.
    """

    subject: str
    check: str
    verdict: str
    said: str
    faults: tuple[Fault, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {**self._asdict(), "faults": [fault._asdict() for fault in self.faults]}


class Report:
    """All rows.

    Attributes
    ----------
    rows : list of Row
        By function, in the order of the checks.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, row: Row) -> None:
        """Take up a row.

        Parameters
        ----------
        row : Row
            The next.
        """
        self.rows.append(row)

    @property
    def wrong(self) -> list[Row]:
        """Those that failed."""
        return [row for row in self.rows if row.verdict == "failed"]

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        counts = {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in _COLOURS}
        return {**counts, "rows": [row.to_dict() for row in self.rows]}

    def lines(self, style: Callable[..., str]) -> Iterator[str]:
        """Tell a person.

        Parameters
        ----------
        style : callable
            As `click.style`.

        Yields
        ------
        str
        """
        widths = [max(map(len, column)) for column in zip(*[(row.subject, row.check) for row in self.rows])]
        before = ""
        for row in self.rows:
            name = row.subject if row.subject != before else ""
            before = row.subject
            verdict = style(row.verdict.ljust(7), fg=_COLOURS[row.verdict])
            yield f"{name.ljust(widths[0])}  {row.check.ljust(widths[1])}  {verdict}  {row.said}".rstrip()
        for row in self.wrong:
            yield ""
            yield style(f"{row.subject}, {row.check}:", bold=True)
            yield from (f"  {fault}" for fault in row.faults)
        wrong = len(self.wrong)
        subjects = len({row.subject for row in self.rows})
        yield ""
        said = f"{wrong} of {len(self.rows)} checks failed" if wrong else "all is well"
        yield f"{said}: {subjects} function{'s' * (subjects != 1)}, {len(self.rows)} checks"

    def write_junit(self, path: str) -> None:
        """Write JUnit's XML, which CI reads: a suite for each function, a case for each check.

        Parameters
        ----------
        path : str
            The file.
        """
        root = ElementTree.Element("testsuites", name="opweld check")
        for subject in dict.fromkeys(row.subject for row in self.rows):
            rows = [row for row in self.rows if row.subject == subject]
            suite = ElementTree.SubElement(
                root, "testsuite", name=subject, tests=str(len(rows)),
                failures=str(sum(row.verdict == "failed" for row in rows)),
                skipped=str(sum(row.verdict == "skipped" for row in rows)),
                time=f"{sum(row.seconds for row in rows):.3f}",
            )  # fmt: skip
            for row in rows:
                case = ElementTree.SubElement(
                    suite, "testcase", classname=subject, name=row.check, time=f"{row.seconds:.3f}"
                )
                if row.verdict == "skipped":
                    ElementTree.SubElement(case, "skipped", message=row.said)
                for fault in row.faults:
                    ElementTree.SubElement(case, "failure", type=fault.what, message=str(fault))
        ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
