"""The graph: variables, the nodes that apply ops to them, types and ops. Nothing here knows C or NumPy arrays."""

from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import COp, Op
from opweld.graph.type import CType, Type

__all__ = ["Apply", "COp", "CType", "Constant", "FunctionGraph", "Op", "Type", "Variable"]
