# What the names of __init__.py are, which finds them on first use.

from collections.abc import Sequence
from typing import Any

from opweld import compat, compile, generic, graph, printing, rewriting, scalar, tensor
from opweld import doctor as doctor
from opweld import engine as engine
from opweld import enums as enums
from opweld import errors as errors
from opweld import external as external
from opweld import params as params
from opweld import picture as picture
from opweld import tolerances as tolerances
from opweld.compile.function import Function, In, Out, SharedVariable, shared
from opweld.config import config
from opweld.errors import (
    CacheError,
    CacheWarning,
    CompileError,
    CompilerNotFoundError,
    CompileWarning,
    ConfigError,
    EngineError,
    ExpressionError,
    InconsistencyError,
    LoadError,
    MethodNotDefined,
    MissingInputError,
    OpweldError,
    OpweldWarning,
    ProgramError,
    RewriteError,
    ToolError,
    UnusedInputError,
)
from opweld.external import ExternalCOp
from opweld.generic import Generic
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.graph.type import Type
from opweld.hooks.op import COp
from opweld.hooks.type import CType
from opweld.params import ParamsType
from opweld.scalar import ScalarType
from opweld.tensor import TensorType, as_tensor_variable

__all__ = [
    "Apply", "COp", "CType", "CacheError", "CacheWarning", "CompileError", "CompileWarning", "CompilerNotFoundError",
    "ConfigError", "Constant", "EngineError", "ExpressionError", "ExternalCOp", "Function", "FunctionGraph", "Generic",
    "In", "InconsistencyError", "LoadError", "MethodNotDefined", "MissingInputError", "Op", "OpweldError",
    "OpweldWarning", "Out", "ParamsType", "ProgramError", "RewriteError", "ScalarType", "SharedVariable", "TensorType",
    "ToolError",
    "Type", "UnusedInputError", "Variable", "__version__", "as_tensor_variable", "compat", "compile", "config",
    "function", "generic", "graph", "printing", "rewriting", "scalar", "shared", "source", "tensor",
]  # fmt: skip

__version__: str

def function(
    inputs: Sequence[Variable | In],
    outputs: Variable | Out | Sequence[Variable | Out] | None = None,
    mode: Any = None,
    name: str | None = None,
    on_unused_input: str | None = None,
    allow_input_downcast: bool | None = None,
    givens: Any = None,
    updates: Any = None,
    no_default_updates: Any = False,
) -> Function: ...
def source(made: Function) -> str: ...
