"""The graph: variables, the nodes that apply ops to them, types and ops. Nothing here knows C or NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.graph.type import Type

__all__ = ["Apply", "Constant", "FunctionGraph", "Op", "Type", "Variable"]

if not TYPE_CHECKING:  # which would take every name for one that is there

    def __getattr__(name: str) -> Any:
        from opweld.rooms import submodule

        return submodule(__name__, name)
