"""The special functions of tensors that Theano, Aesara and PyTensor have: their scalar ops, for each element."""

from __future__ import annotations

from typing import Any

from opweld.compat import specials
from opweld.tensor.elemwise import Elemwise

__all__ = ["expit"]


def __getattr__(name: str) -> Any:
    if name not in specials.FUNCTIONS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = Elemwise(getattr(specials, name), name=name)
    return found


expit = __getattr__("sigmoid")
