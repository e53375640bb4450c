# Names of __init__.py, which finds them on first use; written by `make stubs`.
from opweld.hooks.classes import CLinkerObject as CLinkerObject, COp as COp, CType as CType

__all__ = [
    "CLinkerObject", "COp", "CType",
]  # fmt: skip
