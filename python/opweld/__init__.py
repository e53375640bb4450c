"""opweld: fragments of C, welded into functions on NumPy arrays.

The names below are found on first use (PEP 562), so that ``import opweld`` costs next to nothing.
"""

import sys as _sys

from opweld.together import together as _together

_together.load("opweld.config")
_together.load("opweld.rooms")

from opweld.config import config as config  # noqa: E402  # eager: the module of the same name must not hide the object
from opweld.rooms import door  # noqa: E402
from opweld.rooms import tracebacks as _tracebacks  # noqa: E402


def _show(*error):  # type: ignore[no-untyped-def]
    _tracebacks.show(*error)


if _sys.excepthook is _sys.__excepthook__:  # else somebody shows them already
    _sys.excepthook = _show

__version__ = "0.1.0"

__all__, __getattr__, __dir__ = door(
    __name__,
    {
        "compile.function": ("Function", "function"),
        "compile.fusion": ("fusion",),
        "compile.io": ("In", "Out"),
        "compile.sharedvalue": ("SharedVariable", "shared"),
        "config": ("config",),
        "cops.entry": ("cop",),
        "cops.notebook": ("load_ipython_extension",),
        "cops.wrap": ("wrap",),
        "errors": (
            "AccountWarning", "CacheError", "CacheWarning", "CompileError", "CompileWarning", "CompilerNotFoundError",
            "ConfigError", "EngineError", "ExpressionError", "InconsistencyError", "LintError", "LintWarning",
            "LoadError", "MethodNotDefined", "MissingInputError", "OpCrashed", "OpTimeout", "OpweldError",
            "OpweldWarning", "OutOfBoundsError", "ProgramError", "RewriteError", "SanitizerError", "SignatureError",
            "ToolError", "UnusedInputError",
        ),
        "external": ("ExternalCOp",),
        "generic": ("Generic",),
        "graph.basic": ("Apply", "Constant", "Variable"),
        "graph.fgraph": ("FunctionGraph",),
        "graph.op": ("Op",),
        "graph.type": ("Type",),
        "hooks.classes": ("COp", "CType"),
        "params": ("ParamsType",),
        "scalar.type": ("ScalarType",),
        "sources": ("source",),
        "tensor.convert": ("as_tensor_variable",),
        "tensor.type": ("TensorType",),
    },
    besides=(
        "__version__", "compat", "compile", "generic", "graph", "printing", "rewriting", "scalar", "tensor",
    ),
    hidden=(
        "addresses", "checking", "debugger", "doctor", "engine", "enums", "errors", "external", "linting", "mending",
        "params", "picture", "profiling", "scaffold", "sources", "tolerances",
    ),
)  # fmt: skip
