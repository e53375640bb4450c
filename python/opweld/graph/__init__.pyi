# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.graph.basic import Apply as Apply, Constant as Constant, Variable as Variable
from opweld.graph.fgraph import FunctionGraph as FunctionGraph
from opweld.graph.op import Op as Op
from opweld.graph.type import Type as Type
from opweld.hooks.classes import COp as COp, CType as CType

__all__ = [
    "Apply", "COp", "CType", "Constant", "FunctionGraph", "Op", "Type", "Variable",
]  # fmt: skip
