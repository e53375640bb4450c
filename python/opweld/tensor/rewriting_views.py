"""What views and indexed writing are rewritten by: views of all go, and what may be is written in place."""

from __future__ import annotations

from typing import Any

from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.inplace import is_destroyed, is_temporary
from opweld.rewriting.standard import listed
from opweld.tensor.basic import MakeVector
from opweld.tensor.indexing import key_of
from opweld.tensor.permute import DimShuffle
from opweld.tensor.shapes import Shape, Shape_i
from opweld.tensor.subtensor import Subtensor

__all__ = ["dimshuffle_of_dimshuffle", "part_of_numbers", "view_of_all", "write_in_place"]


@listed
def view_of_all(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """A view of the whole, as it is, is what it views."""
    x: Any = node.inputs[0]
    wanted: Any = node.outputs[0].type
    op: Any = node.op
    if isinstance(op, Subtensor):
        same = all(entry == ":" for entry in op.entries)
    elif isinstance(op, DimShuffle):
        same = op.new_order == tuple(range(x.type.ndim))
    else:
        same = x.type.shape == wanted.shape and None not in wanted.shape
    return [x] if same and wanted.is_super(x.type) and not is_destroyed(fgraph, node.outputs[0]) else None


@listed
def dimshuffle_of_dimshuffle(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Axes that move twice move once."""
    below = node.inputs[0].owner
    if below is None or not isinstance(below.op, DimShuffle):
        return None
    first = below.op.new_order
    order = ["x" if i == "x" else first[i] for i in node.op.new_order]
    return [DimShuffle(order)(below.inputs[0])]


@listed
def part_of_numbers(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """An entry of a vector that is made of numbers, such as a shape, is that number; a slice is a shorter vector."""
    below = node.inputs[0].owner
    op: Any = node.op
    if below is None or not isinstance(below.op, (MakeVector, Shape)) or len(op.entries) != 1 or "None" in op.entries:
        return None
    numbers = node.inputs[1:]
    if not all(isinstance(number, Constant) for number in numbers) or is_destroyed(fgraph, node.outputs[0]):
        return None
    (key,) = key_of(op.entries, [number.data for number in numbers])  # type: ignore[attr-defined]
    of: Any = below.inputs[0] if below.inputs else None
    entries: list[Any] = below.inputs
    if isinstance(below.op, Shape):
        entries = [Shape_i(i)(of) for i in range(getattr(of.type, "ndim", 0))]
    try:
        found: Any = entries[key]
    except (IndexError, ValueError):  # a call says so
        return None
    return [MakeVector(node.outputs[0].type.dtype)(*found)] if isinstance(found, list) else [found]


@listed
def write_in_place(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Write over a temporary that nobody else reads."""
    op: Any = node.op
    if op.inplace or not is_temporary(fgraph, node, 0):
        return None
    return [type(op)(op.index, op.set_instead_of_inc, True)(*node.inputs)]
