"""The constructors of variables: ``vector``, ``dmatrix``, ``ultensor3`` and their like."""

from __future__ import annotations

from typing import Any

from opweld.kinds import KINDS, PREFIXES
from opweld.tensor.type import TensorType
from opweld.tensor.variable import TensorVariable

__all__ = ["Constructor", "constructor"]


class Constructor:
    """``vector("x")``: a variable of ``config.floatX``, or of the dtype given.

    Parameters
    ----------
    kind : str
        One of `opweld.kinds.KINDS`.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __call__(self, name: str | None = None, dtype: Any = None, shape: Any = None) -> TensorVariable:
        """Make a variable."""
        sizes = KINDS[self._kind]
        if shape is not None:
            if len(tuple(shape)) != len(sizes):
                raise ValueError(f"{self._kind}: expected {len(sizes)} sizes, got shape {tuple(shape)}")
            sizes = tuple(shape)
        return TensorType("floatX" if dtype is None else dtype, sizes)(name)  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"<constructor of a {self._kind} of config.floatX>"


def constructor(name: str) -> Any:
    """Make what is called by the name of a constructor.

    Parameters
    ----------
    name : str
        One of `opweld.kinds.CONSTRUCTORS`.

    Returns
    -------
    Constructor or TensorType
    """
    if name in KINDS:
        return Constructor(name)
    kind = next(kind for kind in KINDS if name.endswith(kind) and name[: -len(kind)] in PREFIXES)
    return TensorType(PREFIXES[name[: -len(kind)]], KINDS[kind])
