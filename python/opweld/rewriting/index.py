"""Which rewriters of a stage are shown which nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opweld.graph.basic import Apply
from opweld.rewriting.basic import NodeRewriter
from opweld.signatures import signature_of

__all__ = ["Entry", "Index"]


class Entry:
    """A rewriter in an index, and what it tracks: everything, classes, full names of classes, ops.

    Parameters
    ----------
    name : str
        As registered.
    rewriter : NodeRewriter
        The rewriter.

    Attributes
    ----------
    name, rewriter
        As given.
    takes_graph : bool
        Its `transform` takes the graph before the node.
    """

    def __init__(self, name: str, rewriter: NodeRewriter) -> None:
        self.name = name
        self.rewriter = rewriter
        found = signature_of(rewriter.transform)
        self.takes_graph = found is None or found.needed >= 2 or found.many
        tracks = rewriter.tracks()
        self.all = tracks is None
        self.classes = tuple([item for item in tracks or () if isinstance(item, type)])
        self.paths = {item for item in tracks or () if isinstance(item, str)}
        self.hashed: set[Any] = set()
        self.plain: list[Any] = []
        for item in tracks or ():
            if not isinstance(item, (type, str)):
                try:
                    self.hashed.add(item)
                except TypeError:
                    self.plain.append(item)


class Index:
    """Which rewriters want a node.

    Parameters
    ----------
    rewriters : iterable of (str, NodeRewriter)
        Each with its name, in the order in which a node is shown to them.

    Attributes
    ----------
    entries : list of Entry
        In that order.
    """

    def __init__(self, rewriters: Iterable[tuple[str, NodeRewriter]]) -> None:
        self.entries = [Entry(name, rewriter) for name, rewriter in rewriters]
        self._of_class: dict[type, list[Entry] | None] = {}  # None: it depends on the op
        self._of_op: dict[int, tuple[Any, list[Entry]]] = {}  # by identity; the op is kept, so its id stays its own

    def wanting(self, op: object) -> list[Entry]:
        """Give the rewriters for nodes of an op, in the order of registration.

        Parameters
        ----------
        op : Op
            The nodes' op.

        Returns
        -------
        list of Entry
        """
        cls = type(op)
        known = self._of_class.get(cls)
        if known is not None:
            return known
        own = self._of_op.get(id(op)) if cls in self._of_class else None
        if own is not None:
            return own[1]
        found, by_op = [], False
        paths = {f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__}
        for entry in self.entries:
            if entry.all or isinstance(op, entry.classes) or not entry.paths.isdisjoint(paths):
                found.append(entry)
            elif entry.hashed or entry.plain:
                by_op = True
                if _among(op, entry.hashed, entry.plain):
                    found.append(entry)
        self._of_class[cls] = None if by_op else found
        if by_op:
            self._of_op[id(op)] = (op, found)
        return found

    def any_for(self, nodes: Iterable[Apply]) -> bool:
        """Say whether a rewriter could do something to one of these nodes as they are.

        Parameters
        ----------
        nodes : iterable of Apply
            A graph's nodes.

        Returns
        -------
        bool
            False: there is nothing to do for the whole graph.
        """
        for node in nodes:
            for entry in self.wanting(node.op):
                if entry.rewriter.could(node):
                    return True
        return False


def _among(op: object, hashed: set[Any], plain: list[Any]) -> bool:
    try:
        if op in hashed:
            return True
    except TypeError:
        if any(op == item for item in hashed):
            return True
    return any(op == item for item in plain)
