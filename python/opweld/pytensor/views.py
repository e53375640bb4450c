"""Views that are told what they are: of functions that differ in nothing but such views one module serves all.

A view that loops read is part of them. Where something else reads it an array is made of it in any case, and what it
has of what it is of may as well be data: a vector (`templates/runtime/told.c` in the sources has its form).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pytensor.tensor.type import TensorType
from pytensor.tensor.variable import TensorConstant

from opweld.pytensor.graphs import Constant, Node, Variable
from opweld.pytensor.types import Types

__all__ = ["with_told_views"]

_VECTOR = TensorType("int64", shape=(None,))
_SLICE = 8


def with_told_views(nodes: list[Node], wanted: Iterable[Variable]) -> list[Node]:
    """Give nodes that do what these do, with views that are told what they are where no loop reads them.

    Parameters
    ----------
    nodes : list of Node
        In order.
    wanted : iterable of Variable
        What is read elsewhere.

    Returns
    -------
    list of Node
        In order. What is a view of a view, where nobody else looks at that one, is one node.
    """
    known = {node: numbers for node in nodes if (numbers := _numbers(node))}
    if not known:
        return nodes
    readers: dict[Variable, list[Node]] = {}
    for node in nodes:
        for variable in dict.fromkeys(node.inputs):
            readers.setdefault(variable, []).append(node)
    told: dict[Node, list[int]] = {}
    for node in reversed(nodes):
        if node in known and not any(_is_structure(reader, told) for reader in readers.get(node.outputs[0], ())):
            told[node] = known[node]
    makers = {node.outputs[0]: node for node in told}
    kept = set(wanted)
    found: dict[Node, Node | None] = {}  # what stands for a view; None: another one has it in itself
    for node in reversed(told):
        x, numbers = node.inputs[0], told[node]
        before = makers.get(x)
        if before is not None and len(readers[x]) == 1 and x not in kept and not _fails(before):
            stands = found[before]
            assert stands is not None
            x, numbers = stands.inputs[0], told[before] + numbers
            found[before] = None
        told[node] = numbers
        data = np.array(numbers, "int64")
        vector = Constant(TensorConstant(_VECTOR, data), Types().of(_VECTOR), data)
        found[node] = node.told([x, vector])
    steps = [found.get(node, node) for node in nodes]
    return [node for node in steps if node is not None]


def _is_structure(node: Node, told: dict[Node, Any]) -> bool:
    """Whether a node reads its inputs as a loop does, or as a view through which a loop reads."""
    return bool(node.op.structured("loop") or (node.op.structured("view") and node not in told))


def _numbers(node: Node) -> list[int]:
    """What a view is told, where all of it is known; nothing: it is not, or the node is no view."""
    view = node.op.structured("view")
    if not view or "told" in view or not all(isinstance(number, Constant) for number in node.inputs[1:]):
        return []
    axes = list(view["axes"])
    for place in view["new"]:
        axes.insert(place, -1)
    numbers = [len(axes), len(view["cuts"]), *axes]
    for cut in view["cuts"]:
        numbers += [cut["axis"], *_cut(node, cut)]
    return numbers


def _cut(node: Node, cut: dict[str, int]) -> list[int]:
    if "at" in cut:
        return [0, _value(node, cut["at"]), 0, 0]
    given = [cut.get(name) for name in ("start", "stop", "step")]
    kind = sum(1 << i for i, at in enumerate(given) if at is not None)
    return [_SLICE + kind, *[0 if at is None else _value(node, at) for at in given]]


def _value(node: Node, at: int) -> int:
    number: Any = node.inputs[at]
    return int(number.data)


def _fails(node: Node) -> bool:
    """Whether a view can be refused: it is then told of the node that it is."""
    view: Any = node.op.structured("view")
    cuts = view["cuts"]
    gone = node.inputs[0].theirs.type.ndim - len(view["axes"])
    return bool(gone or any("step" in cut and _value(node, cut["step"]) == 0 for cut in cuts))
