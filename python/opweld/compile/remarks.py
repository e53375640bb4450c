"""What NumPy says of floating point, said of a call: at which node, and by the rules of ``np.errstate``.

A module asks for this after a call that has met an overflow, a division by zero or an invalid value somewhere. Whether
it was one of a node's, and which, is decided here: the graph is computed once more, node by node, by NumPy.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from opweld.compile import failure
from opweld.compile.data import ours
from opweld.quiet import listening

if TYPE_CHECKING:
    from opweld.hooks.protocols import Graph, Node

__all__ = ["Remark", "Remarks"]

#: What errstate calls each kind, its bit in NumPy's word, and how NumPy's message begins.
KINDS = (
    ("divide", 1, "divide by zero"),
    ("over", 2, "overflow"),
    ("under", 4, "underflow"),
    ("invalid", 8, "invalid value"),
)
_INVALID = 8


#: Takes the words of calls that are only tried.
_tried: ContextVar[list[int] | None] = ContextVar("opweld_tried", default=None)


class Remark(NamedTuple):
    """One message of NumPy's, the node that it is about, all that was met there, and what it read."""

    kind: str
    text: str
    word: int
    node: Node
    values: list[Any]


class Remarks:
    """What is remarked of one function's calls.

    Parameters
    ----------
    called : str
        The function's name.
    graph : Graph
        What runs.
    arguments : int
        How many of the graph's inputs are arguments; they come first.
    updates : bool
        A call changes shared values.
    """

    def __init__(self, called: str, graph: Graph, arguments: int, updates: bool) -> None:
        self.called = called
        self.arguments = arguments
        self._steps, self._start = _plan(graph)
        self._updates = updates

    def say(self, word: int, values: Sequence[Any], made: Callable[..., Any], level: int) -> None:
        """Say of a call what `np.errstate` wants said.

        Parameters
        ----------
        word : int
            The kinds that there may be, in NumPy's bits.
        values : sequence of object
            Those of the graph's inputs.
        made : callable
            The function.
        level : int
            Where the caller's line is, as `warnings.warn` counts from here.

        Raises
        ------
        FloatingPointError
            Where a kind is to be raised; and whatever the user's handler and filters raise.
        """
        tried = _tried.get()
        if tried is not None:
            tried.append(word)
            return
        wanted: dict[str, Any] = dict(np.geterr())
        heard = sum([bit for kind, bit, _ in KINDS if wanted[kind] != "ignore"])
        if not word & heard or (word & heard == _INVALID and self._only_compares(values, made)):
            return
        for remark in self.find(values):
            try:
                _say(remark, wanted[remark.kind], level + 2)
            except Exception as error:
                failure.explain(error, self.called, remark.node, dict(enumerate(remark.values)))
                raise

    def find(self, values: Sequence[Any]) -> list[Remark]:
        """Find what NumPy remarks where it computes the graph.

        Parameters
        ----------
        values : sequence of object
            Those of its inputs. Nothing is written into them.

        Returns
        -------
        list of Remark
            In the order of the nodes. A node of a user's op is not computed, nor what needs it.
        """
        known = [*values, *self._start]
        found: list[Remark] = []
        listener = _Listener()
        with np.errstate(all="log", call=listener), listening():
            for step in self._steps:
                inputs = [known[at] for at in step.inputs]
                if not [value for value in inputs if value is None]:
                    found += step.compute(inputs, known, listener)
                for at in step.last:
                    known[at] = None
        return found

    @cached_property
    def _computes(self) -> bool:
        """Whether no node does more than compute."""
        return all(_only_computes(step.node) for step in self._steps)

    def _only_compares(self, values: Sequence[Any], made: Callable[..., Any]) -> bool:
        """Whether what looked invalid was a comparison of NaN, of which NumPy says nothing: it is gone with them."""
        if self._updates:
            return False
        given = values[: self.arguments]
        put = [_without_nan(value) for value in given]
        if all([value is other for value, other in zip(put, given)]) or not self._computes:
            return False
        words: list[int] = []
        token = _tried.set(words)
        try:
            made(*put)
        finally:
            _tried.reset(token)
        return not any(word & _INVALID for word in words)


def _without_nan(value: Any) -> Any:
    """An array with another number in the place of each NaN; itself where it has none."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fc":
        return value
    there = np.isnan(value)
    return np.where(there, value.dtype.type(1), value) if there.any() else value


def _only_computes(node: Any) -> bool:
    """Whether a node has no effect but its results, and takes NaN for valid: a cast to integers does not."""
    if not ours(node.op):
        return False
    structure = getattr(node.op, "structure", None)
    found = structure(node) if structure is not None else None
    if not found or "loop" not in found:
        return True
    return not any(step["op"] == "cast" and np.dtype(step["dtype"]).kind in "iu" for step in found["loop"]["body"])


class _Step:
    """A node, and where its values lie in the list of all."""

    __slots__ = ("inputs", "last", "node", "outputs", "over", "perform")

    def __init__(self, node: Node, inputs: list[int], outputs: list[int], known: tuple[Any, frozenset[int]]) -> None:
        self.node = node
        self.inputs = inputs
        self.outputs = outputs
        self.last: list[int] = []  # what nobody reads later
        self.perform, self.over = known

    def compute(self, inputs: list[Any], known: list[Any], listener: _Listener) -> list[Remark]:
        """Compute the node, and take down what NumPy says; one that cannot be computed here gives nothing."""
        if self.perform is None:
            return []
        cells: list[list[Any]] = [[None] for _ in self.outputs]
        given = [value.copy() if at in self.over else value for at, value in enumerate(inputs)]
        listener.said.clear()
        try:
            self.perform(self.node, given, cells)
        except Exception:  # the call itself has succeeded
            return []
        for at, cell in zip(self.outputs, cells):
            known[at] = cell[0]
        if not listener.said:
            return []
        kinds = [next(entry for entry in KINDS if text.startswith(entry[2])) for text in listener.said]
        word = sum({bit for _, bit, _ in kinds})
        return [Remark(kind, text, word, self.node, inputs) for (kind, _, _), text in zip(kinds, listener.said)]


def _known(op: object) -> tuple[Any, frozenset[int]]:
    """What computes an op's nodes, None: it may do more than compute, and the inputs that it writes over."""
    over = (getattr(op, "destroy_map", None) or {}).values()
    return getattr(op, "perform", None) if ours(op) else None, frozenset([at for sources in over for at in sources])


class _Listener:
    """Takes NumPy's messages, as `np.seterrcall` wants it for what is to be logged."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def write(self, text: str) -> None:
        """Take one message."""
        self.said.append(text.removeprefix("Warning: ").rstrip("\n"))


def _plan(graph: Graph) -> tuple[list[_Step], list[Any]]:
    """The steps of a graph, and what stands behind its inputs in the list of values: constants, room for the rest."""
    place: dict[Any, int] = {variable: at for at, variable in enumerate(graph.inputs)}
    start: list[Any] = []

    def at(variable: Any) -> int:
        if variable not in place:
            place[variable] = len(place)
            start.append(getattr(variable, "data", None))
        return place[variable]

    known: dict[int, tuple[Any, frozenset[int]]] = {}  # large graphs have few ops
    steps: list[_Step] = []
    for node in graph.toposort():
        found = known.get(id(node.op))
        if found is None:
            found = known[id(node.op)] = _known(node.op)
        steps.append(_Step(node, [at(x) for x in node.inputs], [at(x) for x in node.outputs], found))
    seen: set[int] = set()
    for step in reversed(steps):
        for used in (*step.inputs, *step.outputs):
            if used not in seen:
                seen.add(used)
                step.last.append(used)
    return steps, start


def _say(remark: Remark, how: str, level: int) -> None:
    """Say one remark in one of the six ways of `np.errstate`."""
    if how == "warn":
        warnings.warn(remark.text, RuntimeWarning, stacklevel=level)
    elif how == "raise":
        raise FloatingPointError(remark.text)
    elif how == "print":
        print(f"Warning: {remark.text}", file=sys.stderr)
    elif how == "call":
        _handler("python callback", "function", remark)(remark.text.partition(" encountered in ")[0], remark.word)
    elif how == "log":
        _handler("log", "object with write method", remark).write(f"Warning: {remark.text}\n")


def _handler(called: str, wanted: str, remark: Remark) -> Any:
    """What the user has set to be told; as NumPy, a NameError where that is nothing."""
    handler: Any = np.geterrcall()
    if handler is None:
        what, _, where = remark.text.partition(" encountered in ")
        raise NameError(f"{called} specified for {what} (in {where}) but no {wanted} found.")
    return handler
