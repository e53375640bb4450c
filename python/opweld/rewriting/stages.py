"""A graph is copied and its equal nodes become one; then a set of rewriters runs over it, stage by stage."""

from __future__ import annotations

from typing import Any

from opweld.graph.aliasing import Buffers, alias_pairs
from opweld.graph.basic import Apply, Constant, Variable, rewriting
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.numbers import Numbers
from opweld.hooks.standing import one_node, one_type
from opweld.rewriting.sets import RewriteSet
from opweld.rooms import late

__all__ = ["copy_and_merge", "merge", "merge_equal", "rewrite", "rewrite_graph"]

equilibrium: Any = late("opweld.rewriting.equilibrium")  # a graph that no rewriter is for does without


def copy_and_merge(graph: FunctionGraph, record: list[tuple[str, Variable, Variable]] | None = None) -> FunctionGraph:
    """Copy a graph; equal ops on equal inputs become one node, equal constants one constant.

    A node whose output another node destroys is left alone: two of them may be two on purpose.

    Parameters
    ----------
    graph : FunctionGraph
        Whose nodes stay as they are.
    record : list, optional
        Takes ``("merge", variable, what stands for it)`` for each output of a node that is merged into another.

    Returns
    -------
    FunctionGraph
        Of the same inputs; what it computes are its own variables.

    Raises
    ------
    TypeError
        If an op's ``__props__`` do not hash; if two ops are equal, and what they do depends on an attribute that
        differs.
    """
    found = {variable: variable for variable in graph.inputs}  # variable of `graph` -> what stands for it
    constants: dict[Any, Constant] = {}
    ops, nodes = Numbers(), dict[Any, Apply]()
    kept: list[Apply] = []
    spared = _destroyed(graph)
    for node in graph.apply_nodes:
        inputs = [found[v] if v in found else _constant(v, found, constants) for v in node.inputs]
        key: Any = None
        if not spared or spared.isdisjoint(node.outputs):
            key = (ops.of(node.op), *inputs)
            earlier = nodes.get(key)
            if earlier is not None and one_node(earlier, node):
                for mine, other in zip(node.outputs, earlier.outputs):
                    found.setdefault(mine, other)
                    if other.name is None:
                        other.name = mine.name
                    if record is not None:
                        record.append(("merge", mine, other))
                continue
        made = node.copy(inputs, found)
        kept.append(made)
        if key is not None:
            nodes[key] = made
    outputs = [found[v] if v in found else _constant(v, found, constants) for v in graph.outputs]
    return FunctionGraph._of_nodes(list(graph.inputs), outputs, kept)


merge = copy_and_merge


def merge_equal(graph: FunctionGraph) -> bool:
    """Let equal ops on equal inputs become one node, equal constants one constant, in a graph that is changed.

    A node whose output another node destroys is left alone.

    Parameters
    ----------
    graph : FunctionGraph
        Its nodes are the caller's to change.

    Returns
    -------
    bool
        Whether anything was merged.
    """
    constants: dict[Any, Constant] = {}
    ops, nodes = Numbers(), dict[Any, Apply]()
    spared = _destroyed(graph)
    merged = False
    for node in graph.apply_nodes:
        for variable in node.inputs:
            if isinstance(variable, Constant):
                stands = _constant(variable, {}, constants)
                if stands is not variable:
                    graph.replace(variable, stands, "merge")
        if spared and not spared.isdisjoint(node.outputs):
            continue
        earlier = nodes.setdefault((ops.of(node.op), *node.inputs), node)
        if earlier is not node and one_node(earlier, node):
            for mine, other in zip(node.outputs, earlier.outputs):
                if other.name is None:
                    other.name = mine.name
                graph.replace(mine, other, "merge")
            merged = True
    return merged


def _constant(variable: Variable, found: dict[Variable, Variable], constants: dict[Any, Constant]) -> Variable:
    """What stands for a variable that no node computes."""
    stands = variable
    if isinstance(variable, Constant):
        signature = variable.signature()
        if signature is not None:
            try:
                stands = constants.setdefault(signature, variable)
            except TypeError:  # a type that does not hash
                stands = variable
            if stands is not variable and not one_type(stands.type, variable.type):
                stands = variable
    found[variable] = stands
    return stands


def _destroyed(graph: FunctionGraph) -> set[Variable]:
    """The variables that own a buffer which a node destroys."""
    found: set[Variable] = set()
    if any(node.op.destroy_map for node in graph.apply_nodes):
        buffers = Buffers()
        buffers.stop_at(graph.inputs)
        for node in graph.apply_nodes:
            for _, source in alias_pairs(node, "destroy_map"):
                found.update(buffers.of(node.inputs[source]))
    return found


def rewrite_graph(graph: FunctionGraph, rewrites: RewriteSet) -> bool:
    """Run rewriters over a graph, which is changed. Before the last stage, equal nodes become one.

    Parameters
    ----------
    graph : FunctionGraph
        Its nodes are the caller's to change: not the user's.
    rewrites : RewriteSet
        What it chooses runs, in each stage until none has anything left to do.

    Returns
    -------
    bool
        Whether anything was replaced.

    Raises
    ------
    RewriteError
        If a rewriter gives what cannot stand in a node's place, or rewriters undo one another's work.

    Examples
    --------
    >>> from opweld.rewriting import registry, rewrite_graph
    >>> x = T.dmatrix("x")
    >>> graph = opweld.FunctionGraph([x], [x.T.T * 1])
    >>> rewrite_graph(graph, registry.rewrites)
    True
    >>> graph.toposort(), graph.outputs
    ([], [<TensorVariable x: float64, shape (?, ?)>])
    """
    return rewrite(graph, rewrites)[0]


def rewrite(graph: FunctionGraph, rewrites: RewriteSet) -> tuple[bool, bool]:
    """Do as `rewrite_graph`, and say what may be left to do.

    Parameters
    ----------
    graph, rewrites
        As for `rewrite_graph`.

    Returns
    -------
    bool, bool
        Whether anything was replaced; whether nodes may have become equal that are two.
    """
    before, rewriting.graph = rewriting.graph, graph
    try:
        return _in_stages(graph, rewrites)
    finally:
        rewriting.graph = before


def _in_stages(graph: FunctionGraph, rewrites: RewriteSet) -> tuple[bool, bool]:
    changed = alike = False
    for stage, index in rewrites.indexes():
        inplace = stage == "inplace"
        if inplace and alike:  # who has become equal to another is not written over for that other's sake
            merge_equal(graph)
            alike = False
        if not index.any_for(graph.apply_nodes):  # and nothing more is loaded
            continue
        check = equilibrium.Checker(graph) if inplace else None
        steps = equilibrium.run(graph, index, stage, check)
        changed = changed or steps > 0
        alike = alike or steps > (0 if check is None else check.twins)
    return changed, alike
