"""PyTensor's products of matrices and vectors as C, with the BLAS that is configured or else found."""

from __future__ import annotations

import shlex
from typing import Any

from pytensor.configdefaults import config
from pytensor.graph.basic import Apply
from pytensor.tensor import blas, blas_c

from opweld import blaslib
from opweld.pytensor.indexing import WRITING, Writing, Written
from opweld.pytensor.settings import options
from opweld.sections import Beside

__all__ = ["written_of"]

_C = Beside(__file__)
_VECTORS = Beside(__file__, "products_vectors")
_KINDS = {
    "product": Beside(__file__, "products_matrices"),
    "stacks": Beside(__file__, "products_stacks"),
    "gemv": _VECTORS,
    "ger": _VECTORS,
}
_LETTERS = {"float32": "s", "float64": "d"}
_HOOKS = {"-l": "c_libraries", "-L": "c_lib_dirs"}


class Product(Written):
    """A node that calls BLAS: what PyTensor writes takes the compiler three times as long.

    Parameters
    ----------
    node : Apply
        PyTensor's.
    flags : str
        Link the BLAS.
    """

    def __init__(self, node: Apply, flags: str) -> None:
        super().__init__("")
        self._op = node.op
        self._dtype: str = node.outputs[0].type.dtype
        self._flags = flags

    def code(self, inputs: list[str], outputs: list[str], fail: str) -> str:
        """Call what the support code defines."""
        given = [f"&{outputs[0]}", *self._arguments(inputs)]
        return f"if ({self._name()}({', '.join(given)})) {{ {fail} }}"

    def _arguments(self, inputs: list[str]) -> list[str]:
        op, number = self._op, f"*(npy_{self._dtype} *)PyArray_DATA({{}})".format
        if isinstance(op, blas.BatchedDot):
            return inputs
        if isinstance(op, blas.Ger):
            matrix, a, x, y = inputs
            return [matrix, number(a), x, y, str(int(op.destructive))]
        if isinstance(op, (blas.Gemm, blas.Gemv)):
            z, a, x, y, b = inputs
            return [z, number(a), x, y, number(b), str(int(op.inplace))]
        x, y, *factor = inputs
        return ["NULL", number(factor[0]) if factor else "1", x, y, "0", "0"]

    def _kind(self) -> str:
        kinds = {blas.BatchedDot: "stacks", blas.Gemv: "gemv", blas.Ger: "ger"}
        return next((kind for cls, kind in kinds.items() if isinstance(self._op, cls)), "product")

    def _name(self) -> str:
        return f"pt_{self._kind()}_{self._dtype}"

    def shared(self, hook: str, **more: Any) -> list[str]:
        """What the module needs: the BLAS, its names, and what calls it."""
        words = shlex.split(self._flags)
        if hook in _HOOKS.values():
            return [word[2:] for word in words if _HOOKS.get(word[:2]) == hook]
        if hook == "c_compile_args":
            return ["-DNDEBUG", "-w", *[word for word in words if word[:2] not in _HOOKS]]
        if hook == "c_headers":
            return ["<limits.h>"]
        if hook != "c_support_code":
            return []
        kind = self._kind()
        of_blas = f"{_LETTERS[self._dtype]}{kind if kind in ('gemv', 'ger') else 'gemm'}_"
        macro = f"PT_{kind.upper()}({self._name()}, npy_{self._dtype}, {of_blas})\n"
        return [blaslib.header(self._flags), _C.section(), _KINDS[kind].section(), macro]


def written_of(node: Apply) -> Written | None:
    """Write a node's C: of one that reads, fills or writes parts of arrays, or multiplies them by BLAS.

    Parameters
    ----------
    node : Apply
        PyTensor's.

    Returns
    -------
    Written or None
        None: it is left to the op's own, for it is another, of another dtype, or there is no BLAS.
    """
    write = _WRITING.get(type(node.op))
    return None if write is None else write(node)


def _product(node: Apply) -> Written | None:
    """Leave nodes to the op's own where there is no BLAS for their dtype."""
    dtypes = {getattr(v.type, "dtype", "") for v in (*node.inputs, *node.outputs)}
    if len(dtypes) > 1 or not dtypes <= _LETTERS.keys():
        return None
    flags = config.blas__ldflags or blaslib.found(options().cxx)
    return Product(node, flags) if flags else None


_OPS = (blas.Gemm, blas.Dot22, blas.Dot22Scalar, blas.BatchedDot, blas.Gemv, blas.Ger, blas_c.CGemv, blas_c.CGer)
_WRITING: dict[type, Writing] = {**WRITING, **dict.fromkeys(_OPS, _product)}
