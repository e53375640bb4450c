"""Pickles and deep copies of graphs, whose depth may be any: nodes are pickled after those that they read.

A pickler follows references by recursion, and a chain of nodes is deeper than Python's stack. So a node that is pickled
for itself is pickled as the last of a `Batch`: a list of it and of those behind it, each after those it reads. While
the list is written, its nodes refer to those before them, which the pickler knows by then. Nothing is written twice,
and what was one object stays one, within whatever is pickled together.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from opweld.graph.order import depth_first

if TYPE_CHECKING:
    from opweld.graph.basic import Apply, Variable

__all__ = ["Batch", "reduce_node", "reduce_variable"]


class _Writing(threading.local):
    """The batches that this thread is writing."""

    def __init__(self) -> None:
        self.begun: list[_End] = []

    def has(self, node: Apply) -> bool:
        """Whether a node belongs to one. Those are forgotten whose writer has failed: it runs no more."""
        if not self.begun:
            return False
        running = set()
        frame: Any = sys._getframe(1)
        while frame is not None:
            running.add(frame)
            frame = frame.f_back
        self.begun = [end for end in self.begun if end.writer in running]
        return any(node in end.nodes for end in self.begun)

    def end(self, end: _End) -> None:
        """Forget a batch."""
        self.begun = [other for other in self.begun if other is not end]


_writing = _Writing()


class Batch:
    """Nodes and those behind them, each after those that it reads.

    Parameters
    ----------
    variables : iterable of Variable
        Whose nodes are wanted.
    nodes : iterable of Apply
        Which are wanted besides.
    """

    def __init__(self, variables: Iterable[Variable] = (), nodes: Iterable[Apply] = ()) -> None:
        self.nodes = depth_first(variables, nodes=nodes)

    def append(self, node: Apply) -> None:
        """Take a node: how a pickle is read."""
        self.nodes.append(node)

    def extend(self, nodes: Iterable[Apply]) -> None:
        """Take nodes: how a pickle is read."""
        self.nodes.extend(nodes)

    def __setstate__(self, state: object) -> None:
        """Do nothing: what is written as the state is written for its own sake."""

    def __reduce__(self) -> tuple[Any, ...]:
        end = _End(self.nodes, sys._getframe(1))
        return Batch, (), end, self._items(end)

    def _items(self, end: _End) -> Iterator[Apply]:
        """The nodes, one by one, as the pickler asks for them."""
        _writing.begun.append(end)
        finished = False
        try:
            yield from self.nodes
            finished = True
        finally:  # where not all were written, the state will not be written either
            if end.early or not finished:
                _writing.end(end)


class _End:
    """Written after a batch, because some picklers fetch items long before they write them.

    ``copy.deepcopy`` looks at the state before the items, and handles each as it fetches it.
    """

    def __init__(self, nodes: list[Apply], writer: object) -> None:
        self.nodes = set(nodes)
        self.writer = writer
        self.early = False

    def __reduce__(self) -> tuple[Any, ...]:
        _writing.end(self)
        return int, ()

    def __deepcopy__(self, memo: object) -> int:
        self.early = True
        return 0


def reduce_variable(variable: Variable) -> tuple[Any, ...]:
    """Say how a variable is pickled.

    Parameters
    ----------
    variable : Variable
        Any.

    Returns
    -------
    tuple
        As ``__reduce__`` gives it.
    """
    if variable.owner is None:
        return _blank, (type(variable),), variable.__dict__
    return _output, (variable.owner, variable.index)


def reduce_node(node: Apply) -> tuple[Any, ...]:
    """Say how a node is pickled.

    Parameters
    ----------
    node : Apply
        Any.

    Returns
    -------
    tuple
        As ``__reduce__`` gives it.
    """
    if not _writing.has(node):
        return _last, (Batch(nodes=[node]),)
    inputs = [v if v.owner is None else (v.owner, v.index) for v in node.inputs]
    outputs = [(type(v), _without(v, "owner", "index")) for v in node.outputs]
    state = _without(node, "inputs", "outputs")
    state["_made"] = node.made_at  # code objects do not pickle
    return _node, (type(node), inputs, outputs, state)


def _without(thing: object, *names: str) -> dict[str, Any]:
    return {key: value for key, value in thing.__dict__.items() if key not in names}


def _blank(cls: type) -> Any:
    return object.__new__(cls)


def _output(node: Apply, index: int) -> Variable:
    return node.outputs[index]


def _last(batch: Batch) -> Apply:
    return batch.nodes[-1]


def _node(cls: type[Apply], inputs: list[Any], outputs: list[Any], state: dict[str, Any]) -> Apply:
    made: Apply = object.__new__(cls)
    made.__dict__.update(state)
    made.inputs = [item[0].outputs[item[1]] if isinstance(item, tuple) else item for item in inputs]
    made.outputs = []
    for index, (kind, attributes) in enumerate(outputs):
        output: Variable = object.__new__(kind)
        output.__dict__.update(attributes, owner=made, index=index)
        made.outputs.append(output)
    return made
