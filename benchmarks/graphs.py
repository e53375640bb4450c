"""The graphs that graph_rows.py measures; opweld and PyTensor build them from the same lines.

Each function takes the library's ``tensor`` module, and gives inputs and output.
"""

from __future__ import annotations

from typing import Any

__all__ = ["KINDS", "alternating", "chain", "mixed", "opaque", "wide"]

# Twenty kinds of elementwise nodes; a kind of two operands takes the graph's second input as its second one. No kind
# undoes the one before it, so that no rewrite makes the chain shorter.
KINDS = (
    "add", "exp", "mul", "sin", "sub", "sqrt", "maximum", "tanh", "true_div", "cos", "log1p", "minimum", "arctan",
    "neg", "expm1", "floor", "log", "ceil", "cosh", "arcsinh",
)  # fmt: skip
_BINARY = frozenset(("add", "maximum", "minimum", "mul", "sub", "true_div"))
_MIXED = ("tanh", "exp", "sqrt", "sin")


def _apply(tensor: Any, kind: str, value: Any, other: Any) -> Any:
    op = getattr(tensor, kind)
    return op(value, other) if kind in _BINARY else op(value)


def chain(tensor: Any, nodes: int) -> tuple[list[Any], Any]:
    """Nodes of all kinds in turn, each fed by the one before it."""
    x, y = tensor.dvector("x"), tensor.dvector("y")
    value = x
    for i in range(nodes):
        value = _apply(tensor, KINDS[i % len(KINDS)], value, y)
    return [x, y], value


def wide(tensor: Any, nodes: int) -> tuple[list[Any], Any]:
    """Branches of two nodes, no two alike, each from an input, and the additions that join them in pairs."""
    kinds = KINDS[1:]
    branches, rest = divmod(nodes + 1, 3)  # of two nodes; there is an addition less than there are branches
    starts = [tensor.dvector(f"x{i}") for i in range(-(-branches // len(kinds)))]
    y = tensor.dvector("y")
    values = []
    for k in range(branches):
        turn, first = divmod(k, len(kinds))
        value = _apply(tensor, kinds[first], starts[turn], y)
        values.append(_apply(tensor, kinds[(first + turn + 1) % len(kinds)], value, y))
    while len(values) > 1:
        joined = [tensor.add(a, b) for a, b in zip(values[::2], values[1::2])]
        values = joined + values[len(joined) * 2 :]
    value = values[0]
    for kind in kinds[:rest]:
        value = _apply(tensor, kind, value, y)
    return [*starts, y], value


def alternating(tensor: Any, nodes: int, kind: str = "dvector") -> tuple[list[Any], Any]:
    """A chain of multiplications and additions in turn, of vectors or of what else is named."""
    x, y = getattr(tensor, kind)("x"), getattr(tensor, kind)("y")
    value = x
    for i in range(nodes):
        value = tensor.add(value, y) if i % 2 else tensor.mul(value, y)
    return [x, y], value


def opaque(tensor: Any, nodes: int) -> tuple[list[Any], Any]:
    """A chain of nodes that opweld cannot look into; it adds their number."""
    from fragments import shift

    x = tensor.dvector("x")
    value = x
    for _ in range(nodes):
        value = shift(value)
    return [x], value


def mixed(tensor: Any, nodes: int) -> tuple[list[Any], Any]:
    """Elementwise nodes, reductions along both axes, views and constants, in blocks of 12 nodes."""
    import numpy as np

    x, y = tensor.dmatrix("x"), tensor.dmatrix("y")
    value = x
    for block in range(nodes // 12):
        kind = getattr(tensor, _MIXED[block % len(_MIXED)])
        weight = np.full((1, 1), 0.5 + block)
        value = kind(tensor.mul(value, y))
        value = tensor.sub(value, tensor.sum(value, axis=1).dimshuffle(0, "x"))
        value = tensor.add(value[::-1], tensor.max(value, axis=0).dimshuffle("x", 0))
        value = tensor.mul(value.dimshuffle(1, 0), weight).dimshuffle(1, 0)
    for _ in range(nodes % 12):
        value = tensor.mul(value, y)
    return [x, y], value
