"""The base classes of what comes from Theano, Aesara and PyTensor: opweld's own, with fragments in C++."""

from __future__ import annotations

from typing import Any

from opweld import generic as _generic
from opweld.external import ExternalCOp as _ExternalCOp
from opweld.graph import op as _op
from opweld.graph import type as _type
from opweld.hooks.classes import CLinkerObject as _CLinkerObject
from opweld.hooks.classes import COp as _COp
from opweld.hooks.classes import CType as _CType

__all__ = [
    "CLinkerObject", "CLinkerOp", "CLinkerType", "COp", "CType", "DisconnectedType", "ExternalCOp", "Generic",
    "NullType", "Op", "Type", "generic", "grad",
]  # fmt: skip


class CLinkerObject(_CLinkerObject):
    """What ops and types that are written in C have alike; to be mixed in."""

    c_lang: str | None = "c++"
    c_unversioned = False


class CLinkerOp(CLinkerObject):
    """What ops that are written in C have; to be mixed into `Op`."""


class CLinkerType(CLinkerObject):
    """What types that are handled in C have; to be mixed into `Type`."""


class Op(_op.Op):
    """`opweld.Op`, with C hooks in C++."""

    c_lang: str | None = "c++"
    c_unversioned = False


class COp(Op, _COp, CLinkerOp):
    """`opweld.COp`, with hooks in C++."""


class ExternalCOp(COp, _ExternalCOp):
    """`opweld.ExternalCOp`, with files in C++. Theano calls it ``gof.COp``."""


class Type(_type.Type):
    """`opweld.Type`, with C hooks in C++."""

    c_lang: str | None = "c++"
    c_unversioned = False


class CType(Type, _CType, CLinkerType):
    """`opweld.CType`, with hooks in C++."""


class Generic(CType, _generic.Generic):
    """`opweld.Generic`, for types over it whose hooks are C++."""


generic = Generic()


class DisconnectedType(Type):
    """Stands where gradients are written; nothing is ever of this type."""


class NullType(Type):
    """Stands where gradients are written; nothing is ever of this type."""

    def __init__(self, why_null: str = "") -> None:
        self.why_null = why_null


def grad(*_: Any, **__: Any) -> Any:
    """Refuse: there are no gradients.

    Raises
    ------
    NotImplementedError
        Always.
    """
    raise NotImplementedError("opweld computes no gradients")
