"""The one order in which graphs are walked: each node after those that it reads, those from left to right."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opweld.graph.basic import Apply, Variable

__all__ = ["depth_first"]


def depth_first(
    variables: Iterable[Variable],
    known: Container[Any] = (),
    missing: Callable[[Variable, Apply | None], Exception | None] | None = None,
    nodes: Iterable[Apply] = (),
) -> list[Apply]:
    """Order what variables are computed by. No recursion: chains are long.

    Parameters
    ----------
    variables : iterable of Variable
        Below these.
    known : container of Variable
        Where to stop.
    missing : callable, optional
        Is asked about each variable that neither a node computes nor anybody knows, and its reader: an exception that
        is raised, or None.
    nodes : iterable of Apply
        Below these too.

    Returns
    -------
    list of Apply
        Each once.

    Raises
    ------
    ValueError
        If the graph has a cycle.
    """
    done: dict[Apply, None] = {}
    begun: set[Apply] = set()
    for root, top in [*[(v, v.owner) for v in variables if v not in known], *[(None, node) for node in nodes]]:
        stack: list[tuple[Any, Any, Apply | None]] = [(root, top, None)]
        while stack:
            variable, node, reader = stack.pop()
            if node is None:
                refused = None if missing is None else missing(variable, reader)
                if refused is not None:
                    raise refused
                continue
            if node in done:
                continue
            if node in begun:  # all that it reads is done, for whoever reads what is begun and not done is told below
                done[node] = None
                continue
            waiting = [(v, v.owner, node) for v in node.inputs if v not in known and v.owner not in done]
            if missing is None:
                waiting = [item for item in waiting if item[1] is not None]
            if not waiting:
                done[node] = None
                continue
            begun.add(node)
            for _, before, _ in waiting:
                if before in begun:
                    raise ValueError(f"the graph has a cycle through {before.op}: it needs its own output")
            stack.append((variable, node, reader))
            if len(waiting) > 1:
                waiting.reverse()
            stack += waiting
    return list(done)
