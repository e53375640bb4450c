"""The run of a set of rewriters over a graph, stage by stage."""

from __future__ import annotations

from typing import Any

from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.index import Index
from opweld.rewriting.merge import merge_equal
from opweld.rewriting.sets import STAGES, RewriteSet
from opweld.rooms import late

__all__ = ["rewrite_graph"]

equilibrium: Any = late("opweld.rewriting.equilibrium")  # in many graphs there is nothing to rewrite


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
    """
    changed = False
    for stage in STAGES:
        chosen = [(item.name, item.rewriter) for item in rewrites.query(stage)]
        if not chosen:
            continue
        inplace = stage == "inplace"
        if inplace and changed:  # who has become equal to another is not written over for that other's sake
            merge_equal(graph)
        index = Index(chosen)
        if not index.any_for(graph.apply_nodes):  # and nothing more is loaded
            continue
        check = equilibrium.Checker(graph) if inplace else None
        changed = equilibrium.run(graph, index, stage, check) or changed
    return changed
