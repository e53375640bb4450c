"""What may be written over: read off a node's neighbours where they show it, off the whole graph where not."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opweld.errors import InconsistencyError
from opweld.graph.aliasing import Buffers, alias_pairs, check_destroyed, check_maps
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph

__all__ = ["Checker", "is_destroyed", "is_temporary"]

_NEAR = 64  # nodes


def is_temporary(fgraph: FunctionGraph, node: Apply, position: int) -> bool:
    """Say whether a node may write over one of its inputs, as far as the nodes around it show.

    It may if a node computes that input, and nobody else reads it, or what it is a view of, but loops of the
    engine's that the node itself waits for: they have run; if the memory is none of an input or a constant, nor of
    an op that has no C, which may give what it keeps; and if its elements share none among themselves, which an op
    says that makes such views by an attribute ``overlaps = True``.

    Parameters
    ----------
    fgraph : FunctionGraph
        The node's graph.
    node : Apply
        The node.
    position : int
        Which input.

    Returns
    -------
    bool
        False also where more than that must be known.
    """
    index, members = fgraph._index(), fgraph._members
    stack: list[tuple[Variable, Apply | None, int]] = [(node.inputs[position], node, position)]
    while stack:
        variable, reader, place = stack.pop()
        if reader is not None:
            more = index.get(variable, {}).keys() - {(reader, place)}
            if more and not _have_run(more, node):
                return False
        owner = variable.owner
        if owner is None or isinstance(variable, Constant) or owner not in members or variable in fgraph.inputs:
            return False
        if owner in fgraph.inplace:  # written over a temporary
            continue
        found = len(stack)
        if owner.op.destroy_map:  # who reads what was there before runs before `owner`
            pairs = alias_pairs(owner, "destroy_map")
            stack += [(owner.inputs[i], None, i) for out, i in pairs if out == variable.index]
        if owner.op.view_map:
            pairs = alias_pairs(owner, "view_map")
            sources = {i for out, i in pairs if out == variable.index}
            if sources and getattr(owner.op, "overlaps", False):
                return False
            others = [owner.outputs[out] for out, i in pairs if i in sources and out != variable.index]
            if any([fgraph._readers_of(other) for other in others]):
                return False
            stack += [(owner.inputs[i], owner, i) for i in sources]
        if len(stack) == found and not (hasattr(owner.op, "c_code") or hasattr(owner.op, "structure")):
            return False
    return True


def _have_run(readers: Collection[tuple[Any, int]], node: Apply) -> bool:
    """Say whether all that read an array, each as one of its inputs, have run.

    They have if they are loops of the engine's, which give it to nobody, and the node waits for each. Of the nodes that
    it waits for the nearest are looked at.
    """
    for reader, place in readers:
        if reader == "output" or not hasattr(reader.op, "structure"):
            return False
        if any([place == i for which in ("view_map", "destroy_map") for _, i in alias_pairs(reader, which)]):
            return False
    left, seen, stack = {reader for reader, _ in readers}, {node}, [node]
    while stack and left and len(seen) < _NEAR:
        for variable in stack.pop().inputs:
            owner = variable.owner
            if owner is not None and owner not in seen:
                seen.add(owner)
                left.discard(owner)
                stack.append(owner)
    return not left


def is_destroyed(fgraph: FunctionGraph, variable: Variable) -> bool:
    """Say whether somebody writes over a variable, directly or through views: then it must stay a copy of its own.

    Parameters
    ----------
    fgraph : FunctionGraph
        Its graph.
    variable : Variable
        What may be destroyed.

    Returns
    -------
    bool
    """
    stack = [variable]
    while stack:
        current = stack.pop()
        for reader, position in fgraph._readers_of(current):
            if reader == "output":
                continue
            if reader.op.destroy_map and any(position == i for _, i in alias_pairs(reader, "destroy_map")):
                return True
            if reader.op.view_map:
                stack += [reader.outputs[o] for o, i in alias_pairs(reader, "view_map") if i == position]
    return False


class Checker:
    """What the stage of in-place rewriters asks after each step.

    Parameters
    ----------
    graph : FunctionGraph
        As it is when the stage begins. Inputs that are written over then may be; no others.

    Attributes
    ----------
    twins : int
        How many steps have put a node in the place of one that reads the same, and write over a temporary.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.twins = 0
        self._mutable: set[Variable] = set()
        destroyers = [node for node in graph.apply_nodes if node.op.destroy_map]
        if destroyers:
            buffers = Buffers()
            buffers.stop_at(graph.inputs)
            given = set(graph.inputs)
            for node in destroyers:
                for _, source in alias_pairs(node, "destroy_map"):
                    self._mutable.update(given.intersection(buffers.of(node.inputs[source])))

    def __call__(self, graph: FunctionGraph, node: Apply, entered: list[Apply]) -> bool:
        """Say whether a step leaves a graph that can be run.

        Parameters
        ----------
        graph : FunctionGraph
            After the step.
        node : Apply
            The node that was replaced.
        entered : list of Apply
            What came for it.

        Returns
        -------
        bool
        """
        if len(entered) == 1 and _in_its_place(graph, node, entered[0]):
            graph.inplace.add(entered[0])
            self.twins += 1
            return True
        try:
            for fresh in entered:
                check_maps(fresh)
            check_destroyed(graph.apply_nodes, graph.inputs, self._mutable)
            graph.toposort()
        except (InconsistencyError, ValueError):  # no order, or a cycle
            return False
        return True


def _in_its_place(graph: FunctionGraph, node: Apply, fresh: Apply) -> bool:
    """Whether a node reads what the one before it read, and writes over nothing but temporaries."""
    views = fresh.op.view_map
    if fresh.inputs != node.inputs or (views and views != node.op.view_map):
        return False
    pairs = alias_pairs(fresh, "destroy_map")
    sources = {source for _, source in pairs}
    return len(sources) == len(pairs) > 0 and all(is_temporary(graph, fresh, source) for source in sources)
