# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld import (
    addresses as addresses,
    checking as checking,
    compat as compat,
    compile as compile,
    debugger as debugger,
    doctor as doctor,
    engine as engine,
    enums as enums,
    errors as errors,
    external as external,
    generic as generic,
    graph as graph,
    linting as linting,
    mending as mending,
    params as params,
    picture as picture,
    printing as printing,
    profiling as profiling,
    rewriting as rewriting,
    scaffold as scaffold,
    scalar as scalar,
    sources as sources,
    tensor as tensor,
    tolerances as tolerances,
)
from opweld.compile.fusion import fusion as fusion
from opweld.compile.sharedvalue import SharedVariable as SharedVariable, shared as shared
from opweld.config import config as config
from opweld.cops.entry import cop as cop
from opweld.cops.notebook import load_ipython_extension as load_ipython_extension
from opweld.cops.wrap import wrap as wrap
from opweld.errors import (
    AccountWarning as AccountWarning,
    CacheError as CacheError,
    CacheWarning as CacheWarning,
    CompileError as CompileError,
    CompileWarning as CompileWarning,
    CompilerNotFoundError as CompilerNotFoundError,
    ConfigError as ConfigError,
    EngineError as EngineError,
    ExpressionError as ExpressionError,
    InconsistencyError as InconsistencyError,
    LintError as LintError,
    LintWarning as LintWarning,
    LoadError as LoadError,
    MethodNotDefined as MethodNotDefined,
    MissingInputError as MissingInputError,
    OpCrashed as OpCrashed,
    OpTimeout as OpTimeout,
    OpweldError as OpweldError,
    OpweldWarning as OpweldWarning,
    OutOfBoundsError as OutOfBoundsError,
    ProgramError as ProgramError,
    RewriteError as RewriteError,
    SanitizerError as SanitizerError,
    SignatureError as SignatureError,
    ToolError as ToolError,
    UnusedInputError as UnusedInputError,
)
from opweld.external import ExternalCOp as ExternalCOp
from opweld.generic import Generic as Generic
from opweld.graph.basic import Apply as Apply, Constant as Constant
from opweld.graph.fgraph import FunctionGraph as FunctionGraph
from opweld.graph.op import Op as Op
from opweld.graph.type import Type as Type
from opweld.hooks.classes import COp as COp, CType as CType
from opweld.params import ParamsType as ParamsType
from opweld.scalar.type import ScalarType as ScalarType

__all__ = [
    "AccountWarning", "Apply", "COp", "CType", "CacheError", "CacheWarning", "CompileError", "CompileWarning",
    "CompilerNotFoundError", "ConfigError", "Constant", "EngineError", "ExpressionError", "ExternalCOp", "Function",
    "FunctionGraph", "Generic", "In", "InconsistencyError", "LintError", "LintWarning", "LoadError", "MethodNotDefined",
    "MissingInputError", "Op", "OpCrashed", "OpTimeout", "OpweldError", "OpweldWarning", "Out", "OutOfBoundsError",
    "ParamsType", "ProgramError", "RewriteError", "SanitizerError", "ScalarType", "SharedVariable", "SignatureError",
    "TensorType", "ToolError", "Type", "UnusedInputError", "Variable", "__version__", "as_tensor_variable", "compat",
    "compile", "config", "cop", "function", "fusion", "generic", "graph", "load_ipython_extension", "printing",
    "rewriting", "scalar", "shared", "source", "tensor", "wrap",
]  # fmt: skip

# -- by hand --
from collections.abc import Mapping, Sequence
from typing import Any

from opweld.compile.function import Function, In, Out
from opweld.graph.basic import Variable
from opweld.tensor import TensorType, as_tensor_variable

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
    fuse: bool | None = None,
    options: Mapping[str, Any] | None = None,
    profile: bool | None = None,
    threads: int | None = None,
    isolate: bool | None = None,
    lint: str | None = None,
    sanitize: str | bool | None = None,
    fastmath: bool | None = None,
) -> Function: ...
def source(made: object, *dtypes: Any) -> str: ...
