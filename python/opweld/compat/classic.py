"""``theano.gof.Op`` and ``theano.gof.Type``: every hook in C is there, which the newer packages' bases lack."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweld.compat import bases as _bases
from opweld.errors import MethodNotDefined
from opweld.graph import op as _op
from opweld.graph import type as _type
from opweld.graph.basic import Apply
from opweld.hooks.classes import CLinkerObject as _CLinkerObject
from opweld.hooks.classes import CType as _CType
from opweld.tensor.type import TensorType

__all__ = ["COp", "Op", "Type"]


class _LinkedOp(_CLinkerObject, _op.Op):
    """Has bases in the order that `COp` gives them, so that one class may derive from both."""


class _LinkedType(_CLinkerObject, _type.Type):
    """Has bases in the order that `CType` gives them, so that one class may derive from both."""


class _OfTheano(_op.Op):
    """An op whose `make_node` was written for types that know of a size no more than that it is 1.

    There ``x.type()`` is the type of whatever has as many dimensions as x, and ops say so of outputs of other sizes.
    """

    def apply_node(self, *inputs: Any, **kwargs: Any) -> Apply:
        """Ask `make_node`; what the outputs' types say of sizes other than 1 is forgotten."""
        node = super().apply_node(*inputs, **kwargs)
        for output in node.outputs:
            type_: Any = output.type
            if isinstance(type_, TensorType) and any(size not in (None, 1) for size in type_.shape):
                output.type = type_.clone(shape=[1 if size == 1 else None for size in type_.shape])
        return node


def _undefined(hook: str) -> Callable[..., Any]:
    """What a base of Theano's has for a hook that a class does not write."""

    def method(self: object, *args: object, **kwargs: object) -> Any:
        raise MethodNotDefined(f"{self} has no {hook}")

    method.__name__ = hook
    method.__qualname__ = f"Op.{hook}"
    method.__doc__ = f"Refuse: the class writes no {hook}."
    method.undefined = True  # type: ignore[attr-defined]
    return method


_BUILD = (
    "c_compile_args", "c_compiler", "c_header_dirs", "c_headers", "c_lib_dirs", "c_libraries", "c_no_compile_args",
    "c_support_code",
)  # fmt: skip


def _classic(*hooks: str) -> Callable[[type], Any]:
    """Give a class what Theano's has: each of its hooks, raising MethodNotDefined."""

    def complete(cls: type) -> type:
        for hook in (*_BUILD, *hooks):
            setattr(cls, hook, _undefined(hook))
        return cls

    return complete


@_classic("c_code", "c_code_cleanup", "c_init_code_apply", "c_init_code_struct", "c_cleanup_code_struct",
          "c_support_code_apply", "c_support_code_struct")  # fmt: skip
class Op(_OfTheano, _bases.Op, _bases.CLinkerOp, _LinkedOp):
    """``theano.gof.Op``: every C hook is there; one that is not written raises MethodNotDefined."""

    kin = (_op.Op,)

    def c_code_cache_version_apply(self, node: object) -> Any:
        """Give the version of the texts where it depends on the node."""
        return self.c_code_cache_version()


@_classic("c_declare", "c_extract", "c_init", "c_literal", "c_sync")
class Type(_bases.Type, _bases.CLinkerType, _LinkedType):
    """``theano.gof.Type``: every C hook is there; one that is not written raises MethodNotDefined."""

    kin = (_type.Type, _bases.Place)
    c_extract_out = _CType.c_extract_out

    def c_cleanup(self, name: str, sub: dict[str, Any]) -> str:
        """Free nothing."""
        return ""

    def c_is_simple(self) -> bool:
        """Say that a value is worth keeping between runs."""
        return False


class COp(_OfTheano, _bases.ExternalCOp):
    """``theano.gof.COp``: an op whose C lies in files."""

    kin = _bases.ExternalCOp.kin
