"""Runs: nodes that have C and come one after the other, as graphs of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from pytensor.graph.fg import FunctionGraph

from opweld.pytensor.graphs import Constant, Node, Variable
from opweld.pytensor.numbers import without_axes
from opweld.pytensor.views import with_told_views

__all__ = ["Run", "clustered", "groups_of", "run_of"]


class Run:
    """Nodes that run one after the other as one function: a graph, as `opweld.compile.code.compile_graph` takes it.

    Parameters
    ----------
    nodes : list of Node
        In order.
    inputs, outputs : list of Variable
        What comes from outside, and what is wanted there.
    """

    def __init__(self, nodes: list[Node], inputs: list[Variable], outputs: list[Variable]) -> None:
        self.nodes = nodes
        self.inputs = inputs
        self.outputs = outputs
        self._steps = with_told_views(without_axes(nodes, outputs), outputs)

    def toposort(self) -> list[Node]:
        """Give what is compiled."""
        return self._steps


def foreign(nodes: Iterable[Node]) -> set[Variable]:
    """List the variables that nodes read as Python's objects.

    Parameters
    ----------
    nodes : iterable of Node
        The nodes.

    Returns
    -------
    set of Variable
    """
    return {node.inputs[i] for node in nodes for i in node.op.reads_objects()}


def run_of(group: list[Node], fgraph: FunctionGraph) -> Run:
    """Find what a run of nodes reads from outside, and what is wanted of it there.

    Parameters
    ----------
    group : list of Node
        The nodes.
    fgraph : FunctionGraph
        PyTensor's graph, of which they are.

    Returns
    -------
    Run
    """
    inside = {node.theirs for node in group}
    made = {variable for node in group for variable in node.outputs}
    inputs = {
        variable: None
        for node in group
        for variable in node.inputs
        if variable not in made and not isinstance(variable, Constant)
    }
    results = set(fgraph.outputs)
    outputs = [
        variable
        for node in group
        for variable in node.outputs
        if variable.theirs in results
        or any(client not in inside for client, _ in fgraph.clients.get(variable.theirs, ()))
    ]
    return Run(group, _in_order(inputs, fgraph.inputs), _in_order(outputs, fgraph.outputs))


def _in_order(variables: Iterable[Variable], wanted: Sequence[Any]) -> list[Variable]:
    """Put variables into the order of PyTensor's; those that are not among these come last."""
    place = {theirs: i for i, theirs in enumerate(wanted)}
    return sorted(variables, key=lambda variable: place.get(variable.theirs, len(place)))


def groups_of(nodes: list[Node], alone: bool) -> list[list[Node]]:
    """Part nodes into runs: those that have C, ask for no other compiler, and come one after the other.

    Parameters
    ----------
    nodes : list of Node
        In order.
    alone : bool
        Each is a run of its own.

    Returns
    -------
    list of list of Node
        A node without C is alone.
    """
    groups: list[list[Node]] = []
    made: set[Any] = set()  # by the run that is open
    open_ = False
    compiler = None  # that somebody in the run that is open asks for
    for node in nodes:
        asked = node.op.c_compiler() if node.op.has_c else None
        joins = open_ and node.op.has_c and not alone and made.isdisjoint(foreign([node]))
        if not joins or (asked is not None and compiler not in (None, asked)):
            groups.append([])
            made = set()
            compiler = None
        compiler = asked if compiler is None else compiler
        groups[-1].append(node)
        made.update(node.outputs)
        open_ = node.op.has_c
    return groups


def clustered(nodes: list[Node], fgraph: FunctionGraph) -> list[Node]:
    """Order nodes so that those that have C come together, as far as the graph leaves it open.

    Parameters
    ----------
    nodes : list of Node
        In an order that is right.
    fgraph : FunctionGraph
        PyTensor's graph, of which they are.

    Returns
    -------
    list of Node
    """
    if all(node.op.has_c for node in nodes):
        return nodes
    place = {node.theirs: i for i, node in enumerate(nodes)}
    before = fgraph.orderings()
    waits: list[int] = []
    readers: list[list[int]] = [[] for _ in nodes]
    for i, node in enumerate(nodes):
        needs = {variable.owner for variable in node.theirs.inputs if variable.owner is not None}
        needs.update(before.get(node.theirs, ()))
        waits.append(len(needs))
        for need in needs:
            readers[place[need]].append(i)
    ready: tuple[list[int], list[int]] = ([], [])
    for i, count in enumerate(waits):
        if not count:
            heappush(ready[nodes[i].op.has_c], i)
    found: list[Node] = []
    kind = False
    while ready[0] or ready[1]:
        if not ready[kind]:
            kind = not kind
        i = heappop(ready[kind])
        found.append(nodes[i])
        for reader in readers[i]:
            waits[reader] -= 1
            if not waits[reader]:
                heappush(ready[nodes[reader].op.has_c], reader)
    return found
