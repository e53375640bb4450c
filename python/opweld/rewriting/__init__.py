"""Rewriting: graphs into graphs that compute the same. Users write rewriters in Python; docs/rewriting.md."""

from opweld.rooms import door

__all__, __getattr__, __dir__ = door(
    __name__,
    {
        "basic": ("NodeRewriter", "node_rewriter"),
        "standard": (
            "Registry", "register_canonicalize", "register_inplace", "register_specialize", "register_stabilize",
            "registry",
        ),
        "sets": ("STAGES", "RewriteSet"),
        "stages": ("rewrite_graph",),
    },
)  # fmt: skip
