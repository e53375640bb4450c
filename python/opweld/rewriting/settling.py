"""Whether rewriters settle: who goes round in a circle, and who goes on without one.

How many replacements a graph needs cannot be told from its size: one node may stand for a thousand. So a stage is
without end where a node comes back, in its own line of descent, to what it was, again and again; and, since what grows
for ever never comes back, after very many replacements.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from opweld.errors import RewriteError
from opweld.graph.basic import Apply, Constant, Variable

__all__ = ["Settling"]

_AT_LEAST, _PER_NODE = 20_000, 100  # replacements that a stage has in any case
_AT_LEAST_CHECKED, _PER_NODE_CHECKED = 1000, 10  # where each step is checked against the whole graph, and none grows it
_RETURNS = 1000  # times that a node may come back to what it was: who counts for himself may want some
_LOOK = 2048  # the first time that lines of descent are looked at; then whenever there are twice as many


class _Step:
    """A replacement, and the one that brought in the node which it replaced."""

    __slots__ = ("before", "inputs", "name", "op")

    def __init__(self, name: str, node: Apply, before: _Step | None) -> None:
        self.name = name
        self.op = node.op
        self.inputs = tuple(node.inputs)
        self.before = before


class Settling:
    """Follows the replacements of a stage.

    Parameters
    ----------
    stage : str
        Its name, for messages.
    nodes : int
        How many nodes its graph has at the beginning.
    checked : bool
        Each step is checked, and one node put in the place of another.
    """

    def __init__(self, stage: str, nodes: int, checked: bool = False) -> None:
        self._stage = stage
        self._bound = _AT_LEAST + _PER_NODE * nodes
        if checked:
            self._bound = _AT_LEAST_CHECKED + _PER_NODE_CHECKED * nodes
        self._by: dict[Apply, _Step] = {}  # node -> the last replacement in its line
        self._names: Counter[str] = Counter()
        self.count = 0

    @property
    def names(self) -> list[str]:
        """Who has replaced anything, first those who did most."""
        return [name for name, _ in self._names.most_common()]

    def step(self, name: str, node: Apply, entered: list[Apply]) -> None:
        """Take note of a replacement.

        Parameters
        ----------
        name : str
            Whose it was.
        node : Apply
            The node that was replaced.
        entered : list of Apply
            What came for it.

        Raises
        ------
        RewriteError
            If there will be no end.
        """
        self.count += 1
        self._names[name] += 1
        step = self._by[node] = _Step(name, node, self._by.get(node))
        for fresh in entered:
            self._by[fresh] = step
        if self.count >= _LOOK and self.count & (self.count - 1) == 0:
            circle = _circle(step)
            if circle:
                raise self._endless(circle, node)
        if self.count > self._bound:
            most = self._names.most_common(1)[0][1]
            raise self._endless([name for name in self.names if self._names[name] * 10 >= most], node)

    def _endless(self, names: list[str], node: Apply) -> RewriteError:
        who = (
            f"rewriter {names[0]!r} finds its own results wanting again and again"
            if len(names) == 1
            else f"rewriters {', '.join(map(repr, names))} undo one another's work"
        )
        return RewriteError(
            f"stage {self._stage}: {who}: {self.count} replacements, the last one of {node.op}; each must settle"
        )


def _circle(last: _Step) -> list[str]:
    """The rewriters between two returns of the state that a line of descent comes back to most; none: it does not."""
    numbers = _Numbers()
    states: list[tuple[str, Any]] = []
    step: _Step | None = last
    while step is not None:
        states.append((step.name, numbers.of_step(step)))
        step = step.before
    state, times = Counter(states).most_common(1)[0]
    if times < _RETURNS:
        return []
    first = states.index(state)
    between = states[first : states.index(state, first + 1)]
    return list(dict.fromkeys(name for name, _ in reversed(between)))


class _Numbers:
    """Numbers for what is computed: the same for equal ops on what has the same numbers."""

    def __init__(self) -> None:
        self._of: dict[Variable, int] = {}
        self._known: dict[Any, int] = {}

    def _number(self, key: Any) -> int:
        try:
            return self._known.setdefault(key, len(self._known))
        except TypeError:  # an op that does not hash
            return self._known.setdefault((id(key[0]), *key[1:]), len(self._known))

    def of_step(self, step: _Step) -> int:
        """What a replaced node computed."""
        return self._number((step.op, None, *map(self.of, step.inputs)))

    def of(self, variable: Variable) -> int:
        """What a variable is."""
        known = self._of
        stack = [variable]
        begun: set[Variable] = set()
        while stack:
            current = stack[-1]
            node = current.owner
            if current in known:
                stack.pop()
            elif node is None:
                signature = current.signature() if isinstance(current, Constant) else None
                known[current] = self._number((current if signature is None else signature,))
            else:
                missing = [source for source in node.inputs if source not in known]
                if missing and current not in begun:
                    begun.add(current)
                    stack += missing
                elif missing:  # a rewriter made a cycle: that will be said
                    known[current] = self._number((current,))
                else:
                    known[current] = self._number((node.op, current.index, *[known[v] for v in node.inputs]))
        return known[variable]
