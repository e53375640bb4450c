"""``exp_inplace`` and the like: functions of tensors that write over their first input."""

from __future__ import annotations

from typing import Any

from opweld.tensor.elemwise import Elemwise
from opweld.tensor.operators import functions

__all__: list[str] = []

_OTHER = {"inv": "reciprocal", "abs_": "abs"}


def __getattr__(name: str) -> Any:
    stem = name.removesuffix("_inplace")
    op = getattr(functions, _OTHER.get(stem, stem), None) if stem != name else None
    if not isinstance(op, Elemwise):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = op.over({0: 0})
    return found
