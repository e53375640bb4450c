"""Which nodes of a function became one loop, and what keeps the others apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from opweld.errors import _what
from opweld.graph.basic import Apply

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node

__all__ = ["Fusion", "Parted", "fusion", "title", "told"]


class Parted(NamedTuple):
    """Why a node is not in the loop of one that reads its result.

    Attributes
    ----------
    source, target : Apply
        The node, and the one that reads.
    why : str
        What keeps them apart.
    """

    source: Apply
    target: Apply
    why: str


class Fusion:
    """Which nodes became one loop. As text, a table.

    Attributes
    ----------
    loops : tuple of (tuple of Apply)
        The nodes of each loop, in order of execution: first the loops of several nodes, then those of one. A node that
        takes little may be in several, each of which computes it. What is C of its own, or runs in Python, is in none.
    apart : tuple of Parted
        For each node that reads another's result and is not in a loop with it, where at least one of them is a loop,
        both nodes and the reason: ``source``, ``target``, ``why``.
    note : str
        Where nothing is fused, or nothing is known of it, why. Else empty.
    """

    def __init__(
        self,
        name: str,
        nodes: list[Apply],
        loops: list[list[int]],
        apart: list[tuple[int, int, str]],
        note: str = "",
    ) -> None:
        self._name = name
        self._place = {node: place for place, node in enumerate(nodes)}
        self.loops = tuple([tuple([nodes[i] for i in loop]) for loop in sorted(loops, key=lambda loop: len(loop) < 2)])
        self.apart = tuple([Parted(nodes[source], nodes[target], why) for source, target, why in apart])
        self.note = note
        self._in: dict[Apply, list[int]] = {}
        for number, loop in enumerate(self.loops):
            if len(loop) > 1:
                for node in loop:
                    self._in.setdefault(node, []).append(number)

    def numbers(self, node: Apply) -> list[int]:
        """Give the loops of several nodes that compute a node.

        Parameters
        ----------
        node : Apply
            One of the graph that runs.

        Returns
        -------
        list of int
            Their places in `loops`; of most nodes none or one.
        """
        return self._in.get(node, [])

    def reasons(self) -> list[str]:
        """Say in lines what keeps nodes apart.

        Returns
        -------
        list of str
            A line for each reader and reason: the nodes, by their places in the order of execution, and the reason.
        """
        sources: dict[tuple[Apply, str], list[str]] = {}
        for source, target, why in self.apart:
            sources.setdefault((target, why), []).append(f"{self._place[source]} {source.op}")
        return [
            f"{', '.join(found)} -> {self._place[target]} {target.op}: {why}"
            for (target, why), found in sources.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data.

        Returns
        -------
        dict
            ``name``; ``loops``, each a list of nodes; ``apart``, each with ``source``, ``target`` and ``why``;
            ``note``. A node is as `told` gives it.
        """
        return {
            "name": self._name,
            "loops": [[self._told(node) for node in loop] for loop in self.loops],
            "apart": [
                {"source": self._told(one.source), "target": self._told(one.target), "why": one.why}
                for one in self.apart
            ],
            "note": self.note,
        }

    def _told(self, node: Apply) -> dict[str, Any]:
        return told(self._place[node], node)

    def _lines(self) -> Iterator[str]:
        if self.note:
            yield f"{self._name}: {self.note}"
            return
        several = sum([len(loop) > 1 for loop in self.loops])
        counted = f"{several} loop{'' if several == 1 else 's'} of several nodes"
        yield f"{self._name}: {counted}, {len(self.loops) - several} of one"
        for number, loop in enumerate(self.loops):
            if len(loop) == 1:
                yield f"loop {number}: {self._place[loop[0]]} {loop[0]}"
                continue
            yield f"loop {number}"
            for node in loop:
                others = [str(other) for other in self.numbers(node) if other != number]
                again = f"  (in loop {', '.join(others)} too)" if others else ""
                yield f"  {self._place[node]:>3} {node}{again}"
        if self.apart:
            yield "apart"
        for line in self.reasons():
            yield f"  {line}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return str(self)


def fusion(made: object) -> Fusion:
    """Show which nodes of a function became one loop, and why others did not.

    Parameters
    ----------
    made : Function
        What `opweld.function` gave.

    Returns
    -------
    Fusion
        ``loops``, ``apart`` and ``note``; printed, it is a table.

    Raises
    ------
    TypeError
        If it is not such a function.
    EngineError
        If the engine, which decides it, cannot be asked.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> f = opweld.function([x], T.exp(x) * 2 + x.sum())
    >>> [[str(node.op) for node in loop] for loop in opweld.fusion(f).loops]
    [['Elemwise{exp}', 'Elemwise{multiply, inplace}', 'Elemwise{add, inplace}'], ['CAReduce{add, axis=(0,)}']]
    """
    maker: Any = getattr(made, "maker", None)
    if not hasattr(maker, "fused"):
        raise TypeError(f"expected what opweld.function() gave, got {_what(made)}")
    return Fusion(maker.called, *maker.fused())


_REDUCTIONS = {
    "add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min", "logical_and": "all", "logical_or": "any",
}  # fmt: skip


def title(op: object) -> str:
    """Name an op in few words.

    Parameters
    ----------
    op : Op
        The op.

    Returns
    -------
    str
        Of an elementwise one what it computes, of a reduction also along which axes.
    """
    scalar_op = getattr(op, "scalar_op", None)
    if scalar_op is None:
        return str(op)
    text = str(scalar_op)
    if hasattr(op, "axis"):
        axes = op.axis
        text = _REDUCTIONS.get(text, f"reduce {text}")
        if axes is not None:
            text += f" axis={axes[0] if isinstance(axes, tuple) and len(axes) == 1 else axes}"
    return text


def told(place: int, node: Node) -> dict[str, Any]:
    """Give a node as plain data.

    Parameters
    ----------
    place : int
        Its place in the order of execution.
    node : Node
        The node.

    Returns
    -------
    dict
        ``place``, ``op``, and the ``file`` and ``line`` that made it, which may be None.
    """
    file, line, _ = getattr(node, "made_at", None) or (None, None, None)
    return {"place": place, "op": str(node.op), "file": file, "line": line}
