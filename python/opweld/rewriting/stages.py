"""The stages of rewriting, who is registered in which, and their run over a graph."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from opweld.graph.basic import _refuse_unknown, _what
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.basic import NodeRewriter
from opweld.rewriting.index import Index
from opweld.rewriting.merge import merge_equal
from opweld.rewriting.standard import STANDARD, Standard
from opweld.signatures import code_of

__all__ = [
    "STAGES", "Stage", "register_canonicalize", "register_inplace", "register_specialize", "register_stabilize",
    "rewrite_graph",
]  # fmt: skip


_THEIRS = ("use_db_name_as_tag", "position", "final_opt", "final_rewriter", "cleanup")


class Stage:
    """A stage: its rewriters run, in the order of their registration, until none has anything left to do.

    The library's own are there from the beginning, as `opweld.rewriting.standard` lists them.

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
        for stage, home, tracks, when in STANDARD:
            if stage == name:
                self.register(Standard(home, tracks, when))

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
            ``use_db_name_as_tag``, ``position``, ``final_opt``, ``final_rewriter`` and ``cleanup``, which rewriters
            of other packages give, are accepted and change nothing.

        Returns
        -------
        NodeRewriter or callable
            `rewriter` itself, or the decorator.

        Raises
        ------
        TypeError
            If it is no rewriter, or a keyword is none of anybody's.
        ValueError
            If another one of the same name is registered, written elsewhere.

        Notes
        -----
        A node is shown to the library's rewriters first, then to these in the order of their registration. The very
        same rewriter counts once. Two that one piece of code made, a factory or a class, are two: the second is
        called ``name~2``. One that was written anew, in a cell that ran again or a module that was reloaded, takes
        the place of the one before.
        """
        if kwargs:
            _refuse_unknown(f"register_{self.name}", kwargs, ("rewriter", "name"), _THEIRS)
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
        called = self._called(rewriter, name)
        self.entries[called] = (rewriter, frozenset((called, *self.tags, *tags)))
        return rewriter

    def _called(self, rewriter: NodeRewriter, name: str | None) -> str:
        """The name under which a rewriter is entered; its place is taken from whom it replaces."""
        if name is None:
            for called, (other, _) in self.entries.items():
                if other is rewriter:
                    return called
        wanted = called = name or str(rewriter)
        number = 1
        while called in self.entries:
            other = self.entries[called][0]
            if other is rewriter or (isinstance(other, Standard) and other.load() is rewriter):
                break
            alike = _code(other) is _code(rewriter)
            if alike and name is None:
                number += 1
                called = f"{wanted}~{number}"
                continue
            if alike or not _anew(other, rewriter, name is not None):
                raise ValueError(
                    f"register_{self.name}: there is a rewriter {called!r} already, of module {_module(other)}; "
                    f"pass {'name=...' if name is None else 'another name'}, or take that one out by "
                    f"STAGES[{self.name!r}].remove({called!r})"
                )
            break
        return called

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


def _code(rewriter: NodeRewriter) -> CodeType | None:
    """What a rewriter does: the same for all that a factory makes, and for all instances of a class."""
    return code_of(getattr(rewriter, "fn", None) or type(rewriter).transform)


def _anew(one: NodeRewriter, other: NodeRewriter, named: bool) -> bool:
    """Whether the second is the first, written anew: a cell of a notebook that ran again, a module reloaded."""
    written = [getattr(rewriter, "fn", type(rewriter)) for rewriter in (one, other)]
    names = [getattr(item, "__qualname__", None) for item in written]
    if names[0] is None or names[0] != names[1] or _module(one) != _module(other):
        return False
    if names[0].endswith("<lambda>") and not named:
        return False
    return not _side_by_side(_code(one), _code(other))


def _side_by_side(one: CodeType | None, other: CodeType | None) -> bool:
    """Whether two pieces of code stand in one text that is running: it has two definitions of one name."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _holds(frame.f_code, other) and _holds(frame.f_code, one):
            return True
        frame = frame.f_back
    return False


def _holds(outer: CodeType, inner: CodeType | None) -> bool:
    parts = [part for part in outer.co_consts if isinstance(part, CodeType)]
    return any(part is inner or _holds(part, inner) for part in parts)


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
        inplace = stage.name == "inplace"
        if inplace and changed:  # who has become equal to another is not written over for that other's sake
            merge_equal(graph)
        index = Index(chosen)
        if not index.any_for(graph.apply_nodes):  # and nothing more is loaded
            continue
        from opweld.rewriting.equilibrium import run

        check = None
        if inplace:
            from opweld.rewriting.inplace import Checker

            check = Checker(graph)
        changed = run(graph, index, stage.name, check) or changed
    return changed
