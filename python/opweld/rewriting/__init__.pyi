# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.rewriting.basic import NodeRewriter as NodeRewriter, node_rewriter as node_rewriter
from opweld.rewriting.sets import RewriteSet as RewriteSet, STAGES as STAGES
from opweld.rewriting.stages import rewrite_graph as rewrite_graph
from opweld.rewriting.standard import (
    Registry as Registry,
    register_canonicalize as register_canonicalize,
    register_inplace as register_inplace,
    register_specialize as register_specialize,
    register_stabilize as register_stabilize,
    registry as registry,
)

__all__ = [
    "NodeRewriter", "Registry", "RewriteSet", "STAGES", "node_rewriter", "register_canonicalize", "register_inplace",
    "register_specialize", "register_stabilize", "registry", "rewrite_graph",
]  # fmt: skip
