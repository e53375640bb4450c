"""PyTensor's graphs, run by opweld: ``pytensor.function(..., mode="OPWELD")``. docs/pytensor.md.

Importing it makes two modes known to PyTensor, ``"OPWELD"`` and ``"OPWELD_C"``; nothing else of PyTensor changes
before `install` is called.
"""

from __future__ import annotations

from opweld.pytensor.versions import check
from opweld.rooms import submodule

check()

from opweld.pytensor.modes import OPWELD, OPWELD_C, install, installed, uninstall  # noqa: E402

__all__ = ["OPWELD", "OPWELD_C", "install", "installed", "uninstall"]


def __getattr__(name: str) -> object:
    return submodule(__name__, name, lambda: f"; it has {', '.join(__all__)}")
