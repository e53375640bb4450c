"""From the user's graph to the one that runs: copied, merged, rewritten, its outputs set apart from its inputs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from opweld.graph.aliasing import Buffers, check_destroyed, check_maps
from opweld.graph.basic import Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.sets import RewriteSet
from opweld.rewriting.stages import copy_and_merge, rewrite
from opweld.rooms import late

__all__ = ["Replaced", "prepare"]

copying: Any = late("opweld.hooks.copying")  # few results are copied

#: What was put for what: who did it, the variable before, the variable after.
Replaced = list[tuple[str, Variable, Variable]]


def prepare(
    inputs: list[Variable],
    outputs: list[Variable],
    rewrites: RewriteSet | None,
    record: Replaced | None = None,
    mutable: Collection[Variable] = (),
    borrowed: Collection[int] = (),
) -> FunctionGraph:
    """Make the graph that runs.

    Parameters
    ----------
    inputs : list of Variable
        What the function is given, and the shared variables that it reads.
    outputs : list of Variable
        What it returns, and the new values of shared variables.
    rewrites : RewriteSet, or None
        Which rewriters run, on a graph whose equal nodes are merged; None: it is only copied.
    record : list, optional
        Takes each replacement: who made it, the variable before, the variable after.
    mutable : collection of Variable
        The inputs that may be written over.
    borrowed : collection of int
        Which outputs may share memory with inputs and other outputs.

    Returns
    -------
    FunctionGraph
        Its nodes are its own: the user's stay as they are.

    Raises
    ------
    MissingInputError
        If an output depends on a variable that is not given.
    InconsistencyError
        If what the ops destroy and view cannot be honoured.
    RewriteError
        If a rewriter does what it must not.
    """
    graph = FunctionGraph(inputs, outputs, clone=rewrites is None)
    if rewrites is not None:
        graph = copy_and_merge(graph, record)
        graph.rewrites = record
        if rewrite(graph, rewrites)[1]:
            graph = copy_and_merge(graph, record)
        graph.rewrites = None
    buffers = Buffers()
    buffers.stop_at(graph.inputs)
    graph = _set_apart(graph, borrowed, buffers)
    nodes = graph.apply_nodes
    sharing = [node for node in nodes if node.op.destroy_map or node.op.view_map]
    if sharing:
        for node in sharing:
            check_maps(node, buffers)
        check_destroyed(nodes, inputs, set(mutable), buffers)
        if any([node.op.destroy_map for node in sharing]):
            graph._order_by(buffers)
    return graph


def _set_apart(graph: FunctionGraph, borrowed: Collection[int], buffers: Buffers) -> FunctionGraph:
    """Put a copy between each output and memory that an input, a constant or an earlier output holds.

    A borrowed output is copied from constants only; a node computes it all the same.
    """
    held: set[Variable] = set(graph.inputs)
    results: list[Variable] = []
    for position, output in enumerate(graph.outputs):
        owners = buffers.of(output)
        constant = any(isinstance(owner, Constant) for owner in owners)
        if not constant and (position in borrowed or held.isdisjoint(owners)):
            held.update(owners)
            bare = output.owner is None or output in graph.inputs or output in results
            results.append(_through(copying.view_op, output) if bare else output)
        else:
            results.append(_through(copying.deep_copy_op, output))
    return FunctionGraph(graph.inputs, results) if results != graph.outputs else graph


def _through(op: Any, output: Variable) -> Variable:
    """The output of a node that copies or views another's."""
    made: Variable = op(output)
    made.name = output.name
    return made
