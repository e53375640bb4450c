"""What the calls of a function cost, by its nodes and loops: measured in C, in a build of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from opweld.compile.fusion import title, told

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node

__all__ = ["Cost", "Profile", "begun", "time_text"]

#: The profiles of functions that are made from now on, where somebody wants them all; None: nobody does.
begun: list[Profile] | None = None

#: Places of nodes; runs, nanoseconds and bytes of the step that they are. First the calls as a whole, of no nodes.
Rows = list[tuple[tuple[int, ...], int, int, int]]

_REST = "arguments, results and the call itself"


class Cost(NamedTuple):
    """What a node, or a loop of several nodes, has cost.

    Attributes
    ----------
    nodes : tuple of Apply
        Those that it computes, in order of execution.
    places : tuple of int
        Their places in that order.
    calls : int
        How often it ran.
    seconds : float
        For how long, in all.
    bytes : int
        How large the arrays were, in all, that it read and wrote. What a loop keeps in registers is no array.
    share : float
        Its part of the calls' time, from 0 to 1.
    """

    nodes: tuple[Any, ...]
    places: tuple[int, ...]
    calls: int
    seconds: float
    bytes: int
    share: float

    @property
    def what(self) -> str:
        """What it computes, in few words."""
        names = ", ".join([title(node.op) for node in self.nodes])
        return f"loop: {names}" if len(self.nodes) > 1 else names

    @property
    def lines(self) -> list[str]:
        """Where the user made its nodes: ``file:line``, each once."""
        made = [getattr(node, "made_at", None) for node in self.nodes]
        return list(dict.fromkeys([f"{at[0]}:{at[1]}" for at in made if at is not None]))


class Profile:
    """What the calls of a function have cost so far. As text, and in a notebook, a table.

    Times are those of a clock on the wall: where a step lets other threads run, or calls of several threads overlap,
    all count in full. Each step, and each call, takes some 50 ns more than without a profile: the clock is read twice.

    Parameters
    ----------
    name : str
        The function's name.
    nodes : sequence of Node
        Of its steps.
    read, forget : callable
        Of the module: gives what was measured, as `Rows`; begins anew.
    """

    def __init__(self, name: str, nodes: Sequence[Node], read: Callable[[], Rows], forget: Callable[[], None]) -> None:
        self.name = name
        self._read = read
        self._forget = forget
        self._nodes = nodes
        if begun is not None:
            begun.append(self)

    def _taken(self) -> tuple[int, float, list[Cost]]:
        """The calls, their seconds, and the costs, the largest first; all of one moment."""
        (_, calls, nanoseconds, _), *rows = self._read()
        sums: dict[tuple[int, ...], list[int]] = {}
        for places, *numbers in rows:
            known = sums.setdefault(tuple(sorted(places)), [0, 0, 0])
            known[:] = [old + new for old, new in zip(known, numbers)]
        whole = max(nanoseconds, sum([row[1] for row in sums.values()]), 1)
        found = [
            Cost(tuple([self._nodes[i] for i in places]), places, runs, took / 1e9, size, took / whole)
            for places, (runs, took, size) in sums.items()
        ]
        return calls, nanoseconds / 1e9, sorted(found, key=lambda cost: (-cost.seconds, cost.places))

    @property
    def calls(self) -> int:
        """How many calls have ended, those that failed among them."""
        return self._taken()[0]

    @property
    def seconds(self) -> float:
        """How long they took, in all."""
        return self._taken()[1]

    @property
    def costs(self) -> list[Cost]:
        """What each node, or loop of several, has cost; the largest first."""
        return self._taken()[2]

    @property
    def overhead(self) -> float:
        """How many seconds of the calls went into no node: into arguments, results and the call itself."""
        _, seconds, costs = self._taken()
        return _rest(seconds, costs)

    def reset(self) -> None:
        """Count from zero again."""
        self._forget()

    def to_dict(self) -> dict[str, Any]:
        """Give the profile as plain data.

        Returns
        -------
        dict
            ``name``, ``calls``, ``seconds``, ``overhead`` (seconds), and ``costs``, the largest first, each with
            ``what``, ``nodes`` (``place``, ``op``, ``file`` and ``line``, which may be None), ``calls``, ``seconds``,
            ``share``, ``bytes``.
        """
        calls, seconds, costs = self._taken()
        return {
            "name": self.name,
            "calls": calls,
            "seconds": seconds,
            "overhead": _rest(seconds, costs),
            "costs": [
                {
                    "what": cost.what,
                    "nodes": [told(place, node) for place, node in zip(cost.places, cost.nodes)],
                    "calls": cost.calls,
                    "seconds": cost.seconds,
                    "share": cost.share,
                    "bytes": cost.bytes,
                }
                for cost in costs
            ],
        }

    def _rows(self) -> tuple[str, list[list[str]]]:
        """A heading, and the cells of the table."""
        calls, seconds, costs = self._taken()
        heading = f"{self.name}: {calls:,} call{'' if calls == 1 else 's'}, {time_text(seconds)}"
        rows = [["share", "time", "calls", "each", "bytes", "GB/s", "what", "from"]]
        for cost in costs:
            speed = f"{cost.bytes / cost.seconds / 1e9:.1f}" if cost.seconds and cost.bytes else ""
            places = ",".join(map(str, cost.places))
            numbers = [
                f"{cost.share:.1%}",
                time_text(cost.seconds),
                f"{cost.calls:,}",
                time_text(cost.seconds / max(1, cost.calls)),
            ]
            rows.append([*numbers, _size(cost.bytes), speed, f"{places} {cost.what}", ", ".join(_short(cost.lines))])
        rest = _rest(seconds, costs)
        share = rest / seconds if seconds else 0.0
        rows.append([f"{share:.1%}", time_text(rest), f"{calls:,}", time_text(rest / max(1, calls)), "", "", _REST, ""])
        return heading, rows

    def _lines(self) -> Iterator[str]:
        heading, rows = self._rows()
        yield heading
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            cells = [cell.ljust(wide) if i > 5 else cell.rjust(wide) for i, (cell, wide) in enumerate(zip(row, widths))]
            yield "  ".join(cells).rstrip()

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        heading, (head, *rows) = self._rows()
        cells = [
            "".join(
                [
                    f'<td style="text-align:{"left" if i > 5 else "right"}">{escape(cell)}</td>'
                    for i, cell in enumerate(row)
                ]
            )
            for row in rows
        ]
        titles = "".join([f"<th>{escape(cell)}</th>" for cell in head])
        body = "".join([f"<tr>{row}</tr>" for row in cells])
        return (
            f"<table><caption>{escape(heading)}</caption><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        )


def _rest(seconds: float, costs: list[Cost]) -> float:
    """What of the calls' seconds went into no node."""
    return max(0.0, seconds - sum([cost.seconds for cost in costs]))


def _short(lines: list[str]) -> list[str]:
    """Files without their folders; of one file only the first line names it."""
    found: list[str] = []
    last = ""
    for line in lines:
        file, _, number = line.rpartition("/")[2].rpartition(":")
        found.append(number if file == last else f"{file}:{number}")
        last = file
    return found


def time_text(seconds: float) -> str:
    """Write a time in few characters.

    Parameters
    ----------
    seconds : float
        The time.

    Returns
    -------
    str
        Three digits and a unit.
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else f"{seconds / size:,.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _size(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:,.3g} TB"
