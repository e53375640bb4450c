"""The operators of scalar variables: ``x + y`` of two scalars is a node of a scalar op.

They are given to opweld's own variables when the packages' modules of scalars are first asked for a name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweld.compat import scalarmore
from opweld.scalar.type import ScalarConstant, ScalarVariable
from opweld.scalar.ufuncs import ufunc

__all__: list[str] = []

_ONE = {"neg": "negative", "abs": "absolute", "invert": "invert"}
_TWO = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "remainder", "pow": "power", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
}  # fmt: skip
_COMPARED = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}


def _left(name: str) -> Callable[..., Any]:
    return lambda self, *other: ufunc(name)(self, *other)


def _right(name: str) -> Callable[..., Any]:
    return lambda self, other: ufunc(name)(other, self)


def _zeros_like(self: Any, dtype: str | None = None) -> Any:
    return scalarmore.constant(0, dtype=dtype or str(self.type.dtype))


_METHODS: dict[str, Callable[..., Any]] = {
    **{f"__{name}__": _left(op) for name, op in {**_ONE, **_TWO, **_COMPARED}.items()},
    **{f"__r{name}__": _right(op) for name, op in _TWO.items()},
    "astype": lambda self, dtype: scalarmore.cast(self, dtype),
    "zeros_like": _zeros_like,
}
for _name, _method in _METHODS.items():
    for _cls in (ScalarVariable, ScalarConstant):
        setattr(_cls, _name, _method)
