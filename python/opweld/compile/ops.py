"""The ops that are the same for every type, under the name that users of Theano, Aesara and PyTensor know."""

from __future__ import annotations

from opweld.hooks.copying import (
    DeepCopyOp,
    ViewOp,
    deep_copy_op,
    register_deep_copy_op_c_code,
    register_view_op_c_code,
    view_op,
)

__all__ = [
    "DeepCopyOp", "ViewOp", "deep_copy_op", "register_deep_copy_op_c_code", "register_view_op_c_code", "view_op",
]  # fmt: skip
