"""One stage over one graph: rewriters are shown the nodes they want until none has anything left to do.

How many replacements a graph needs cannot be told from its size: one node may stand for a thousand. So a stage is
without end where a node comes back, in its own line of descent, to what it was, again and again; and, since what grows
for ever never comes back, after very many replacements.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from opweld.errors import RewriteError, _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.type import fits
from opweld.rewriting.basic import Entry, Index
from opweld.rewriting.inplace import Checker

__all__ = ["Checker", "Settling", "run"]

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


Check = Callable[[FunctionGraph, Apply, list[Apply]], bool]


def run(graph: FunctionGraph, index: Index, stage: str, check: Check | None = None) -> int:
    """Rewrite a graph until nothing changes.

    Parameters
    ----------
    graph : FunctionGraph
        Is changed.
    index : Index
        Of the stage's rewriters.
    stage : str
        The stage's name, for messages.
    check : callable, optional
        Is asked after each step, with the graph, the node and the nodes that came for it; a step that it does not
        allow is undone.

    Returns
    -------
    int
        How many replacements there were.

    Raises
    ------
    RewriteError
        As `opweld.rewriting.rewrite_graph` says.
    """
    nodes = graph.apply_nodes
    known: dict[int, tuple[object, list[Entry]]] = {}

    def wanting(op: object) -> list[Entry]:
        found = known.get(id(op))
        if found is None:
            found = known[id(op)] = op, index.wanting(op)
        return found[1]

    queue = deque([node for node in nodes if wanting(node.op)])
    if not queue:
        return 0
    for entry in index.entries:
        entry.rewriter.begin(graph)
    queued = set(queue)
    settling = Settling(stage, len(nodes), check is not None)
    while queue:
        node = queue.popleft()
        queued.discard(node)
        for entry in wanting(node.op):
            if node not in graph:
                break
            if not entry.rewriter.could(node):
                continue
            pairs = _pairs(graph, node, entry)
            if not pairs:
                continue
            entered, touched = _step(graph, pairs, entry.name, node, check)
            if entered is None:
                continue
            for other in touched:
                if other not in queued and wanting(other.op):
                    queued.add(other)
                    queue.append(other)
            settling.step(entry.name, node, entered)
    if settling.count:
        try:
            graph.apply_nodes  # noqa: B018  # puts them in order again
        except ValueError as err:
            raise RewriteError(f"stage {stage}: {err}; a rewriter made it: {', '.join(settling.names)}") from None
    return settling.count


def _step(
    graph: FunctionGraph, pairs: list[tuple[Variable, Variable]], name: str, node: Apply, check: Check | None
) -> tuple[list[Apply] | None, list[Apply]]:
    """Replace what a rewriter wants replaced; the nodes that came, None: it was undone; the nodes to look at again."""
    entered: list[Apply] = []
    touched: list[Apply] = []
    done: list[tuple[Variable, Variable, list[tuple[Any, int]]]] = []
    before = None if graph.rewrites is None else len(graph.rewrites)
    for old, new in pairs:
        readers = list(graph._readers_of(old))
        came = _replace(graph, old, new, name, node)
        for fresh in came:
            fresh.come_for(node)
        done.append((old, new, [item for item in readers if item[0] not in came]))
        entered += came
        touched += [*came, *(reader for reader, _ in readers if reader != "output" and reader in graph)]
        if new.owner is not None and new.owner in graph:
            touched.append(new.owner)
    if check is None or check(graph, node, entered):
        return entered, touched
    for old, new, readers in reversed(done):
        graph.replace(new, old, name, readers)
    if graph.rewrites is not None:
        del graph.rewrites[before:]
    return None, []


def _replace(graph: FunctionGraph, old: Variable, new: Variable, name: str, node: Apply) -> list[Apply]:
    try:
        return graph.replace(old, new, reason=name)
    except Exception as err:
        raise RewriteError(f"{_where(name, node)}: {err}") from err


def _pairs(graph: FunctionGraph, node: Apply, entry: Entry) -> list[tuple[Variable, Variable]]:
    """What a rewriter wants replaced by what; checked."""
    name, transform = entry.name, entry.rewriter.transform
    try:
        answer = transform(graph, node) if entry.takes_graph else transform(node)  # type: ignore[call-arg, arg-type]
    except Exception as err:
        _note(err, _where(name, node))
        raise
    if answer is None or answer is False:
        return []
    if isinstance(answer, dict):
        given = [(old, new) for old, new in answer.items() if old != "remove"]
    elif isinstance(answer, (list, tuple)):
        if len(answer) != len(node.outputs):
            raise RewriteError(
                f"{_where(name, node)}: returned {len(answer)} variables for {len(node.outputs)} outputs of types "
                f"{', '.join(str(output.type) for output in node.outputs)}"
            )
        given = list(zip(node.outputs, answer))
    else:
        raise RewriteError(
            f"{_where(name, node)}: must return a list of variables, one for each output, or a dict, or None, got "
            f"{_what(answer)}"
        )
    return [(old, new) for old, new in given if _wanted(graph, old, new, name, node)]


def _wanted(graph: FunctionGraph, old: object, new: object, name: str, node: Apply) -> bool:
    """Whether there is something to replace; refuse what does not fit."""
    if not isinstance(old, Variable):
        raise RewriteError(f"{_where(name, node)}: wants {_what(old)} replaced, which is no Variable")
    if new is old:
        return False
    if new is None and not graph._readers_of(old):
        return False
    if not isinstance(new, Variable):
        raise RewriteError(f"{_where(name, node)}: wants {old} replaced by {_what(new)}, which is no Variable")
    if not fits(old.type, new.type):
        raise RewriteError(
            f"{_where(name, node)}: wants {old} of type {old.type} replaced by {new} of type {new.type}; the types "
            f"must be equal"
        )
    return bool(graph._readers_of(old))


def _where(name: str, node: Apply) -> str:
    """Whose step went wrong, and on what."""
    text = str(node)
    return f"rewriter {name!r} on {text if len(text) <= 80 else text[:77] + '...'}"


def _note(err: Exception, where: str) -> None:
    """Say in an exception which rewriter raised it; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)
