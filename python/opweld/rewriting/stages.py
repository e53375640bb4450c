"""The stages of rewriting, who is registered in which, and their run over a graph."""

from __future__ import annotations

from typing import Any

from opweld.graph.basic import _what
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.basic import NodeRewriter

__all__ = [
    "STAGES", "Stage", "register_canonicalize", "register_inplace", "register_specialize", "register_stabilize",
    "rewrite_graph",
]  # fmt: skip


class Stage:
    """A stage: its rewriters run, in the order of their registration, until none has anything left to do.

    Parameters
    ----------
    name : str
        Its name, which is also a tag of every rewriter in it.
    tags : tuple of str
        Further tags of every rewriter in it: ``"fast_run"`` and ``"fast_compile"`` name the modes that use it.

    Attributes
    ----------
    entries : dict of str to (NodeRewriter, frozenset of str)
        Each name's rewriter and tags.
    """

    def __init__(self, name: str, *tags: str) -> None:
        self.name = name
        self.tags = (name, *tags)
        self.entries: dict[str, tuple[NodeRewriter, frozenset[str]]] = {}

    def register(self, rewriter: Any = None, *tags: str, name: str | None = None, **kwargs: Any) -> Any:
        """Put a rewriter into the stage; a decorator, with or without arguments.

        Parameters
        ----------
        rewriter : NodeRewriter, optional
            What to register; left out, or a string (a tag): a decorator is given back.
        *tags : str
            Further tags.
        name : str, optional
            The name that messages give it; its own if left out.
        **kwargs
            Accepted; rewriters written for others give them.

        Returns
        -------
        NodeRewriter or callable
            `rewriter` itself, or the decorator.

        Raises
        ------
        TypeError
            If it is no rewriter.
        ValueError
            If another one of the same name is registered.
        """
        if rewriter is None or isinstance(rewriter, str):
            further = tags if rewriter is None else (rewriter, *tags)

            def decorate(found: Any) -> Any:
                return self.register(found, *further, name=name)

            return decorate
        if isinstance(rewriter, type) or not isinstance(rewriter, NodeRewriter):
            raise TypeError(
                f"register_{self.name}: expected a node rewriter, got {_what(rewriter)}; "
                "put @node_rewriter([op]) under it"
            )
        called = name or str(rewriter)
        earlier = self.entries.get(called)
        if earlier is not None and earlier[0] is not rewriter and not _again(earlier[0], rewriter):
            raise ValueError(
                f"register_{self.name}: there is a rewriter {called!r} already, of module {_module(earlier[0])}; "
                "pass name=..."
            )
        self.entries[called] = (rewriter, frozenset((called, *self.tags, *tags)))
        return rewriter

    def remove(self, name: str) -> None:
        """Take a rewriter out.

        Parameters
        ----------
        name : str
            As registered.
        """
        del self.entries[name]

    def __repr__(self) -> str:
        return f"<stage {self.name}: {', '.join(self.entries) or 'nothing registered'}>"


def _module(rewriter: NodeRewriter) -> str:
    own = getattr(rewriter, "__dict__", {}).get("__module__")
    return str(own or type(rewriter).__module__)


def _again(one: NodeRewriter, other: NodeRewriter) -> bool:
    """Whether the second is the first, made anew: a cell of a notebook that was run twice, a module reloaded."""
    names = [getattr(getattr(r, "fn", type(r)), "__qualname__", None) for r in (one, other)]
    return names[0] == names[1] and _module(one) == _module(other)


STAGES: dict[str, Stage] = {
    "canonicalize": Stage("canonicalize", "fast_run", "fast_compile"),
    "stabilize": Stage("stabilize", "fast_run"),
    "specialize": Stage("specialize", "fast_run"),
    "inplace": Stage("inplace", "fast_run"),
}

register_canonicalize = STAGES["canonicalize"].register
register_stabilize = STAGES["stabilize"].register
register_specialize = STAGES["specialize"].register
register_inplace = STAGES["inplace"].register


def rewrite_graph(graph: FunctionGraph, tag: str = "fast_run") -> bool:
    """Run the stages over a graph, which is changed. Before the last one, equal nodes become one.

    Parameters
    ----------
    graph : FunctionGraph
        Its nodes are the caller's to change: not the user's.
    tag : str
        Only rewriters with this tag run.

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
    for stage in STAGES.values():
        chosen = [(name, rewriter) for name, (rewriter, tags) in stage.entries.items() if tag in tags]
        if not chosen:
            continue
        from opweld.rewriting.equilibrium import run

        check = None
        if stage.name == "inplace":  # who has become equal to another is not written over for that other's sake
            from opweld.rewriting.inplace import Checker
            from opweld.rewriting.merge import merge_equal

            changed = (changed and merge_equal(graph)) or changed
            check = Checker(graph)
        changed = run(graph, chosen, stage.name, check) or changed
    return changed
