"""From the user's graph to the one that runs: copied, merged, rewritten, its outputs set apart from its inputs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from opweld.config import config
from opweld.errors import ConfigError
from opweld.graph.basic import Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.merge import copy_and_merge

if TYPE_CHECKING:
    from opweld.compile.function import In

__all__ = ["Record", "prepare"]

Record = list[tuple[str, Variable, Variable]]
_OPTIMIZERS = ("default", "fast_run", "fast_compile", "merge", "None")


def prepare(
    specs: list[In], outputs: list[Variable], tag: str = "fast_run", record: Record | None = None
) -> FunctionGraph:
    """Make the graph that runs.

    Parameters
    ----------
    specs : list of In
        The function's inputs.
    outputs : list of Variable
        Its outputs.
    tag : str
        Which rewriters run.
    record : list, optional
        Takes each replacement: who made it, the variable before, the variable after.

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
    inputs = [spec.variable for spec in specs]
    chosen = config.optimizer
    if chosen not in _OPTIMIZERS:
        raise ConfigError(f"config.optimizer: expected one of {', '.join(map(repr, _OPTIMIZERS))}, got {chosen!r}")
    graph = FunctionGraph(inputs, outputs, clone=chosen == "None")
    if chosen != "None":
        graph = copy_and_merge(graph, record)
    stages = sys.modules.get("opweld.rewriting.stages")  # not loaded: nothing is registered
    if stages is not None and chosen not in ("None", "merge"):
        graph.rewrites = record
        if stages.rewrite_graph(graph, tag if chosen == "default" else chosen):
            graph = copy_and_merge(graph, record)
    graph = _set_apart(graph)
    nodes = graph.apply_nodes
    if any(node.op.destroy_map or node.op.view_map for node in nodes):
        from opweld.graph.aliasing import check_destroyed, check_maps

        for node in nodes:
            check_maps(node)
        check_destroyed(nodes, inputs, {spec.variable for spec in specs if spec.mutable})
        graph.toposort()
    return graph


def _set_apart(graph: FunctionGraph) -> FunctionGraph:
    """Put a copy between each output and memory that an input, a constant or an earlier output holds."""
    from opweld.compile.ops import deep_copy_op
    from opweld.graph.aliasing import Buffers

    buffers = Buffers()
    buffers.stop_at(graph.inputs)
    held: set[Variable] = set(graph.inputs)
    results: list[Variable] = []
    for output in graph.outputs:
        owners = buffers.of(output)
        if held.isdisjoint(owners) and not any(isinstance(owner, Constant) for owner in owners):
            held.update(owners)
            results.append(output)
        else:
            copied: Variable = deep_copy_op(output)
            copied.name = output.name
            results.append(copied)
    return FunctionGraph(graph.inputs, results) if results != graph.outputs else graph
