"""PyTensor's products of matrices and vectors as C, with the BLAS that is configured or else found."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from pytensor.configdefaults import config
from pytensor.graph.basic import Apply
from pytensor.link.c.op import COp
from pytensor.tensor import blas, blas_c

from opweld import blaslib
from opweld.hooks.reading import NAME, VARIABLE
from opweld.pytensor.indexing import WRITING, Writing, Written
from opweld.pytensor.plain import numbers_of, with_numbers
from opweld.pytensor.settings import options
from opweld.sections import Beside

__all__ = ["written_of"]

_C = Beside(__file__)
_LETTERS = {"float32": "s", "float64": "d"}
_HOOKS = {"-l": "c_libraries", "-L": "c_lib_dirs"}


class Product(Written):
    """A node that calls BLAS, by the text of PyTensor's op where that is C.

    Parameters
    ----------
    node : Apply
        PyTensor's.
    op : COp
        Writes it.
    flags : str
        Link the BLAS.
    """

    def __init__(self, node: Apply, op: COp, flags: str) -> None:
        super().__init__("")
        self._node = node
        self._op = op
        self._flags = flags

    def code(self, inputs: list[str], outputs: list[str], fail: str) -> str:
        """Ask the op, which is told that there is a BLAS."""
        op, sub = self._op, {"fail": fail, "params": f"{VARIABLE}P"}
        if type(op) is blas_c.CGemv:  # no BLAS may keep a NaN of a vector that does not count
            y, alpha, matrix, x, beta = inputs
            text = blas_c.gemv_c_code(y, matrix, x, *outputs, alpha, beta, fail, True, sub["params"])
        else:
            with config.change_flags(blas__ldflags=self._flags):
                text = op.c_code(self._node, NAME, inputs, outputs, sub)
        kind = getattr(op, "params_type", None)
        numbers = numbers_of(kind, op.get_params(self._node)) if kind is not None else None
        return with_numbers(text, numbers or {})

    def shared(self, hook: str, **more: Any) -> list[str]:
        """What the module needs: the BLAS, and its names."""
        words = shlex.split(self._flags)
        if hook in _HOOKS.values():
            return [word[2:] for word in words if _HOOKS.get(word[:2]) == hook]
        if hook == "c_compile_args":
            return ["-DNDEBUG", "-w", *[word for word in words if word[:2] not in _HOOKS]]
        if hook == "c_headers":
            return ["<limits.h>", "<stdbool.h>"]
        return [blaslib.header(self._flags), *self._beside()] if hook == "c_support_code" else []

    def _beside(self) -> list[str]:
        """What the text needs beside BLAS."""
        return []


class Matrices(Product):
    """A product of matrices, or of stacks of them: what PyTensor writes takes the compiler three times as long."""

    def code(self, inputs: list[str], outputs: list[str], fail: str) -> str:
        """Call what the support code defines."""
        given = [f"&{outputs[0]}", *self._arguments(inputs)]
        return f"if ({self._name()}({', '.join(given)})) {{ {fail} }}"

    def _arguments(self, inputs: list[str]) -> list[str]:
        if isinstance(self._op, blas.BatchedDot):
            return inputs
        if isinstance(self._op, blas.Gemm):
            z, a, x, y, b = inputs
            return [z, self._number(a), x, y, self._number(b), str(int(self._op.inplace))]
        x, y, *factor = inputs
        return ["NULL", self._number(factor[0]) if factor else "1", x, y, "0", "0"]

    def _number(self, name: str) -> str:
        return f"*(npy_{self._dtype} *)PyArray_DATA({name})"

    @property
    def _dtype(self) -> str:
        return str(self._node.outputs[0].type.dtype)

    def _name(self) -> str:
        return f"pt_{'stacks' if isinstance(self._op, blas.BatchedDot) else 'product'}_{self._dtype}"

    def _beside(self) -> list[str]:
        macro = "PT_STACKS" if isinstance(self._op, blas.BatchedDot) else "PT_PRODUCT"
        return [_C.section(), f"{macro}({self._name()}, npy_{self._dtype}, {_LETTERS[self._dtype]}gemm_)\n"]


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


def _by_blas(make: Callable[[Apply, str], Product]) -> Writing:
    """Leave nodes to the op's own where there is no BLAS for their dtype."""

    def written(node: Apply) -> Written | None:
        dtypes = {getattr(v.type, "dtype", "") for v in (*node.inputs, *node.outputs)}
        if len(dtypes) > 1 or not dtypes <= _LETTERS.keys():
            return None
        flags = config.blas__ldflags or blaslib.found(options().cxx)
        return make(node, flags) if flags else None

    return written


def _itself(node: Apply, flags: str) -> Product:
    return Product(node, node.op, flags)


def _matrices(node: Apply, flags: str) -> Product:
    return Matrices(node, node.op, flags)


_WRITING: dict[type, Writing] = {
    **WRITING,
    **dict.fromkeys((blas.Gemm, blas.Dot22, blas.Dot22Scalar, blas.BatchedDot), _by_blas(_matrices)),
    **dict.fromkeys((blas_c.CGemv, blas_c.CGer), _by_blas(_itself)),
    blas.Gemv: _by_blas(lambda node, flags: Product(node, blas_c.CGemv(node.op.inplace), flags)),
    blas.Ger: _by_blas(lambda node, flags: Product(node, blas_c.CGer(node.op.destructive), flags)),
}
