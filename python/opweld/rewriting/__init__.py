"""Rewriting: graphs into graphs that compute the same. Users write rewriters in Python; docs/rewriting.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opweld.rewriting.basic import NodeRewriter, node_rewriter
    from opweld.rewriting.registering import (
        Registry,
        register_canonicalize,
        register_inplace,
        register_specialize,
        register_stabilize,
        registry,
    )
    from opweld.rewriting.sets import STAGES, RewriteSet
    from opweld.rewriting.stages import rewrite_graph

__all__ = [
    "STAGES", "NodeRewriter", "Registry", "RewriteSet", "node_rewriter", "register_canonicalize", "register_inplace",
    "register_specialize", "register_stabilize", "registry", "rewrite_graph",
]  # fmt: skip

_HOME = {
    "NodeRewriter": "basic", "RewriteSet": "sets", "STAGES": "sets", "node_rewriter": "basic",
    "rewrite_graph": "stages",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        from opweld.rooms import submodule

        return submodule(__name__, name)
    from importlib import import_module

    value = getattr(import_module("opweld.rewriting." + _HOME.get(name, "registering")), name)
    globals()[name] = value
    return value
