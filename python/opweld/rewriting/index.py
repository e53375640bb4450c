"""Which rewriters of a stage are shown which nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opweld.graph.basic import Apply
from opweld.rewriting.basic import NodeRewriter

__all__ = ["Index"]

class _Wish:
    """What a rewriter tracks: everything, classes, full names of classes, ops, and ops that do not hash."""

    def __init__(self, name: str, rewriter: NodeRewriter) -> None:
        self.entry = (name, rewriter)
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
    rewriters : list of (str, NodeRewriter)
        Each with its name, in the order in which a node is shown to them.

    Attributes
    ----------
    rewriters : list of (str, NodeRewriter)
        As given.
    """

    def __init__(self, rewriters: list[tuple[str, NodeRewriter]]) -> None:
        self.rewriters = rewriters
        self._wishes = [_Wish(name, rewriter) for name, rewriter in rewriters]
        self._of_class: dict[type, list[Any] | None] = {}  # None: it depends on the op
        self._of_op: dict[int, tuple[Any, list[Any]]] = {}  # by identity; the op is kept, so that its id stays its own

    def wanting(self, op: Any) -> list[tuple[str, NodeRewriter]]:
        """Give the rewriters for nodes of an op, in the order of registration.

        Parameters
        ----------
        op : Op
            The nodes' op.

        Returns
        -------
        list of (str, NodeRewriter)
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
        for wish in self._wishes:
            if wish.all or isinstance(op, wish.classes) or not wish.paths.isdisjoint(paths):
                found.append(wish.entry)
            elif wish.hashed or wish.plain:
                by_op = True
                if _among(op, wish.hashed, wish.plain):
                    found.append(wish.entry)
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
            for _, rewriter in self.wanting(node.op):
                if rewriter.could(node):
                    return True
        return False


def _among(op: Any, hashed: set[Any], plain: list[Any]) -> bool:
    try:
        if op in hashed:
            return True
    except TypeError:
        if any(op == item for item in hashed):
            return True
    return any(op == item for item in plain)
