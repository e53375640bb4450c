"""What elementwise nodes are rewritten by: what changes no value goes, and results are written over temporaries."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from opweld.dtypes import dtype_of
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.promotion import short_power
from opweld.rewriting.inplace import is_destroyed, is_temporary
from opweld.rewriting.standard import listed
from opweld.scalar.ufuncs import Ufunc, ufunc
from opweld.tensor.elemwise import Elemwise

__all__ = [
    "cast_of_cast",
    "elemwise_in_place",
    "neutral",
    "quotient_by_power",
    "twice",
    "where_known",
    "whole_power",
]

_TWICE = {"negative": "biufc", "invert": "biu", "conjugate": "iufc", "logical_not": "b"}  # applied twice: nothing
_NEUTRAL = {  # op: (which input, its value, for results of which kinds); true of NaN, infinities and -0.0 too
    "add": ((0, 0, "biu"), (1, 0, "biu")),
    "subtract": ((1, 0, "iuf"),),
    "multiply": ((0, 1, "biuf"), (1, 1, "biuf")),
    "divide": ((1, 1, "f"),),
    "power": ((1, 1, "iuf"),),
    "bitwise_or": ((0, 0, "biu"), (1, 0, "biu")),
    "bitwise_xor": ((0, 0, "biu"), (1, 0, "biu")),
    "bitwise_and": ((0, -1, "i"), (1, -1, "i")),
    "left_shift": ((1, 0, "iu"),),
    "right_shift": ((1, 0, "iu"),),
}


def _name(node: Apply) -> str | None:
    """The ufunc that a node applies."""
    scalar_op = node.op.scalar_op
    return str(scalar_op.name) if isinstance(scalar_op, Ufunc) else None


def _choice(node: Apply) -> str | None:
    """The class of the scalar op, if it is one of `opweld.scalar.basic`, which is not loaded to ask."""
    found = type(node.op.scalar_op)
    return found.__name__ if found.__module__ == "opweld.scalar.basic" else None


def _stands(fgraph: FunctionGraph, node: Apply, position: int) -> list[Variable] | None:
    """An input in the place of the output, if its type and, for all that is known, its shape are the same."""
    found: Any = node.inputs[position]
    wanted: Any = node.outputs[0].type
    if found.type.dtype != wanted.dtype or found.type.ndim != wanted.ndim:
        return None
    for i, other in enumerate(node.inputs):
        if i != position:
            sizes = other.type.shape
            own = found.type.shape[found.type.ndim - len(sizes) :]
            if any(size != 1 and (size is None or size != mine) for size, mine in zip(sizes, own)):
                return None
    if not wanted.is_super(found.type) or is_destroyed(fgraph, node.outputs[0]):
        return None
    return [found]


def _number(variable: Variable) -> Any:
    """The one number of a constant; None: it is none, or not one."""
    if isinstance(variable, Constant) and getattr(variable.data, "size", 0) == 1:
        return variable.data.reshape(())[()]
    return None


@listed
def twice(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """``-(-x)``, ``~(~x)``, ``conj(conj(x))``, and a copy, are `x`; so is ``logical_not`` twice of bool."""
    if _choice(node) == "Identity":
        return _stands(fgraph, node, 0)
    name = _name(node)
    below = node.inputs[0].owner if name in _TWICE else None
    if below is None or below.op.destroy_map or not isinstance(below.op, Elemwise) or _name(below) != name:
        return None
    found: Any = below.inputs[0]
    wanted: Any = node.outputs[0].type
    if found.type.numpy_dtype.kind not in _TWICE[str(name)] or found.type.dtype != wanted.dtype:
        return None
    return [found] if wanted.is_super(found.type) and not is_destroyed(fgraph, node.outputs[0]) else None


@listed
def cast_of_cast(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """A cast to the dtype that is there is no cast; of two casts the first goes if it keeps every value."""
    op: Any = node.op
    if _choice(node) != "Cast" or op.destroy_map:
        return None
    source: Any = node.inputs[0]
    if source.type.dtype == op.scalar_op.dtype:
        return _stands(fgraph, node, 0)
    below = source.owner
    if below is None or not isinstance(below.op, Elemwise) or _choice(below) != "Cast":
        return None
    first: Any = below.inputs[0]
    if below.op.destroy_map or not _keeps(first.type.dtype, source.type.dtype, op.scalar_op.dtype):
        return None
    return [op(first)]


@lru_cache(maxsize=1024)
def _keeps(first: str, middle: str, last: str) -> bool:
    """Whether a cast by way of a dtype gives what the direct one gives, whatever the value."""
    a, b, c = (dtype_of(name).np for name in (first, middle, last))
    if a.kind in "iu" and b.kind in "fc":
        if c.kind in "iu":  # what does not fit wraps on one way, and is undefined on the other
            return False
        digits = np.finfo(b).nmant + 1
        return bool(a.itemsize * 8 - (a.kind == "i") <= digits and np.can_cast(a, b))
    return bool(np.can_cast(a, b)) and (b.kind == a.kind or a.kind == "b" or b.kind in "iufc")


@listed
def neutral(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """``x * 1``, ``x / 1.``, ``x - 0``, ``x ** 1``, of integers ``x + 0`` and their like are `x`.

    Only what holds for every value: ``-0.0 + 0`` is ``0.0``, so floats keep their ``+ 0``, and complex numbers all.
    """
    if node.op.destroy_map:
        return None
    for position, value, kinds in _NEUTRAL.get(_name(node) or "", ()):
        number = _number(node.inputs[position])
        if number is None or number != value or node.outputs[0].type.numpy_dtype.kind not in kinds:
            continue
        if number.dtype.kind == "f" and np.signbit(number):  # x - -0.0
            continue
        found = _stands(fgraph, node, 1 - position)
        if found is not None:
            return found
    return None


@listed
def where_known(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """``where(True, a, b)`` is `a`, ``where(False, a, b)`` is `b`, if their shapes and dtypes are known to agree."""
    if _choice(node) != "Where" or node.op.destroy_map:
        return None
    condition = _number(node.inputs[0])
    return None if condition is None else _stands(fgraph, node, 1 if condition else 2)


@listed
def whole_power(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """``x ** 2`` is ``square(x)``, as NumPy's ``**`` has it; complex numbers are left, where signs of zeros differ.

    Of integers ``x ** 3`` to ``x ** 8`` are products, which wrap to the same numbers; of floats they would round
    otherwise.
    """
    if _name(node) != "power" or node.op.destroy_map:
        return None
    base: Any = node.inputs[0]
    wanted: Any = node.outputs[0].type
    exponent: Any = node.inputs[1]
    kind = wanted.numpy_dtype.kind
    if base.type.dtype != wanted.dtype or kind == "c" or exponent.type.ndim > base.type.ndim:
        return None
    number = _number(exponent)
    if number not in (_WHOLE if kind in "iu" else (2,)) or short_power(2, kind) != "square":
        return None
    return [_power(base, int(number))]


_WHOLE = range(2, 9)


def _power(base: Variable, exponent: int) -> Variable:
    """A whole power, by squares."""
    if exponent == 1:
        return base
    root = _power(base, exponent // 2)
    return _MULTIPLY(_SQUARE(root), base) if exponent % 2 else _SQUARE(root)


_SQUARE = Elemwise(ufunc("square"))
_MULTIPLY = Elemwise(ufunc("multiply"))


@listed
def quotient_by_power(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """``x / 2`` is ``x * 0.5``, and so with all powers of two above 1: nothing is rounded otherwise, nor overflows.

    A division takes a processor several times as long as a product.
    """
    if _name(node) != "divide" or node.op.destroy_map:
        return None
    dividend: Any = node.inputs[0]
    divisor: Any = node.inputs[1]
    wanted: Any = node.outputs[0].type
    number = _number(divisor)
    if number is None or wanted.numpy_dtype.kind != "f" or {dividend.type.dtype, divisor.type.dtype} != {wanted.dtype}:
        return None
    mantissa, exponent = np.frexp(abs(number))
    if mantissa != 0.5 or not 1 < exponent < np.finfo(number.dtype).maxexp:
        return None
    inverse = np.asarray(1 / divisor.data, divisor.data.dtype)
    return [_MULTIPLY(dividend, divisor.type.constant_type(divisor.type, inverse))]


@listed
def elemwise_in_place(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Write each output over an input of its dtype and shape that is a temporary which nobody reads later."""
    op: Any = node.op
    if op.inplace:
        return None
    pattern: dict[int, int] = {}
    for out, output in enumerate(node.outputs):
        for position, variable in enumerate(node.inputs):
            if position in pattern.values() or not _may_hold(variable, output):
                continue
            if is_temporary(fgraph, node, position):
                pattern[out] = position
                break
    if not pattern:
        return None
    outputs = [output.type() for output in node.outputs]  # the types are known
    return Apply(op.over(pattern), node.inputs, outputs).outputs


def _may_hold(variable: Any, output: Any) -> bool:
    """Whether an input's array may be of the output's dtype and shape, for all that is known."""
    have, want = variable.type, output.type
    return (
        variable.owner is not None
        and have.dtype == want.dtype
        and have.ndim == want.ndim
        and all(size == wanted or (size is None and wanted != 1) for size, wanted in zip(have.shape, want.shape))
    )
