"""opweld: fragments of C, welded into functions on NumPy arrays.

The names below are found on first use (PEP 562), so that ``import opweld`` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.config import config  # eager: the module of the same name must not hide the object

if TYPE_CHECKING:
    from opweld import compat, compile, generic, graph, printing, rewriting, scalar, tensor
    from opweld.compile.function import Function, In, Out, SharedVariable, function, shared, source
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

__version__ = "0.1.0"

_HOME = {
    "Apply": "graph.basic",
    "COp": "hooks.op",
    "CType": "hooks.type",
    "Constant": "graph.basic",
    "ExternalCOp": "external",
    "Function": "compile.function",
    "FunctionGraph": "graph.fgraph",
    "Generic": "generic",
    "In": "compile.function",
    "Op": "graph.op",
    "Out": "compile.io",
    "ParamsType": "params",
    "ScalarType": "scalar",
    "SharedVariable": "compile.sharedvalue",
    "TensorType": "tensor",
    "Type": "graph.type",
    "Variable": "graph.basic",
    "as_tensor_variable": "tensor",
    "function": "compile.function",
    "shared": "compile.sharedvalue",
    "source": "compile.function",
}
_ROOMS = (
    "compat", "compile", "doctor", "engine", "enums", "errors", "external", "generic", "graph", "params", "picture",
    "printing", "rewriting", "scalar", "tensor", "tolerances",
)  # fmt: skip
_ERRORS = (
    "CacheError", "CacheWarning", "CompileError", "CompileWarning", "CompilerNotFoundError", "ConfigError",
    "EngineError", "ExpressionError", "InconsistencyError", "LoadError", "MethodNotDefined", "MissingInputError",
    "OpweldError", "OpweldWarning", "ProgramError", "RewriteError", "ToolError", "UnusedInputError",
)  # fmt: skip

__all__ = [
    "Apply", "COp", "CType", "CacheError", "CacheWarning", "CompileError", "CompileWarning", "CompilerNotFoundError",
    "ConfigError", "Constant", "EngineError", "ExpressionError", "ExternalCOp", "Function", "FunctionGraph", "Generic",
    "In", "InconsistencyError", "LoadError", "MethodNotDefined", "MissingInputError", "Op", "OpweldError",
    "OpweldWarning", "Out", "ParamsType", "ProgramError", "RewriteError", "ScalarType", "SharedVariable", "TensorType",
    "ToolError",
    "Type", "UnusedInputError", "Variable", "__version__", "as_tensor_variable", "compat", "compile", "config",
    "function", "generic", "graph", "printing", "rewriting", "scalar", "shared", "source", "tensor",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME:
        value = getattr(import_module("opweld." + _HOME[name]), name)
    elif name in _ERRORS:
        value = getattr(import_module("opweld.errors"), name)
    else:
        from opweld.rooms import submodule

        return submodule(__name__, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS, *_ERRORS})
