# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.compile.function import Function as Function, In as In, Out as Out, function as function
from opweld.compile.sharedvalue import SharedVariable as SharedVariable, shared as shared

__all__ = [
    "Function", "In", "Out", "SharedVariable", "function", "shared",
]  # fmt: skip
