"""What the ops of this room are rewritten by: constants are computed once, shapes are found without the values."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from opweld.errors import OpweldWarning, not_written
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.inplace import is_destroyed
from opweld.rewriting.standard import listed
from opweld.scalar.type import ScalarType
from opweld.signatures import signature_of
from opweld.tensor.basic import _FOLDED, MakeVector
from opweld.tensor.convert import constant
from opweld.tensor.shapes import Shape_i
from opweld.tensor.type import TensorType

__all__ = ["fold_constants", "shape_without_value"]


@listed
def fold_constants(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Compute a node once whose inputs are constants, by its `perform`, where the result is small.

    An op decides for itself by ``do_constant_folding(fgraph, node)``. What fails is left to fail in a call, and so is
    what somebody writes over.
    """
    op: Any = node.op
    for variable in node.inputs:
        if not isinstance(variable, Constant):
            return None
    asked = getattr(op, "do_constant_folding", None)
    if op.destroy_map or not op.has_perform() or (asked is None and not node.inputs):
        return None
    if any(is_destroyed(fgraph, output) for output in node.outputs):
        return None
    if not (all(map(_small, node.outputs)) if asked is None else _asked(asked, fgraph, node)):
        return None
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    try:
        with np.errstate(all="ignore"):
            op.perform(node, [variable.data for variable in node.inputs], cells)  # type: ignore[attr-defined]
        return [_constant(output, cell[0]) for output, cell in zip(node.outputs, cells)]
    except Exception:  # a call will say the same, and where the node was made
        return None


def _asked(method: Any, fgraph: FunctionGraph, node: Apply) -> Any:
    """What an op decides; older ones are shown the node only."""
    told = signature_of(method)
    return method(node) if told is not None and not told.takes(2) else method(fgraph, node)


def _small(variable: Variable) -> bool:
    """Whether a value is a number or an array of a size that is known and small."""
    shape = getattr(variable.type, "shape", () if isinstance(variable.type, ScalarType) else None)
    return shape is not None and None not in shape and prod(shape) <= _FOLDED


def _constant(variable: Variable, value: Any) -> Variable:
    """A value as a constant in the place of a variable; TypeError where its op did not keep to the type."""
    variable.type.filter(value, strict=True)
    return constant(value) if isinstance(variable.type, TensorType) else variable.type.make_constant(value)


@listed
def shape_without_value(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Take sizes from the type, or from the ``infer_shape`` of the op behind the value."""
    of = node.inputs[0]
    wanted = [node.op.i] if isinstance(node.op, Shape_i) else range(getattr(of.type, "ndim", None) or 0)
    known = getattr(of.type, "shape", None)
    if known is None or not hasattr(of.type, "ndim"):
        return None
    sizes: list[Any] = [known[i] for i in wanted]
    if any(size is None for size in sizes):
        found = _inferred(fgraph, of)
        if found is None:
            return None
        sizes = [found[i] if size is None else size for i, size in zip(wanted, sizes)]
    entries = [_entry(size) for size in sizes]
    if any(entry is None for entry in entries):
        return None
    return [entries[0]] if isinstance(node.op, Shape_i) else [MakeVector("int64")(*entries)]


def _inferred(fgraph: FunctionGraph, of: Variable) -> Any:
    """What the op behind a variable says of its shape; None: nothing."""
    node = of.owner
    method = getattr(node.op, "infer_shape", None) if node is not None else None
    if node is None or method is None:
        return None
    shapes = [
        tuple([Shape_i(i)(v) for i in range(v.type.ndim)]) if hasattr(v.type, "ndim") else None for v in node.inputs
    ]
    told = signature_of(method)
    with_graph = told is not None and told.needed >= 3
    try:
        answer = method(fgraph, node, shapes) if with_graph else method(node, shapes)
        if len(answer) != len(node.outputs):
            raise ValueError(f"{len(answer)} shapes for {len(node.outputs)} outputs")
        found = answer[of.index]
        if found is None:
            return None
        if len(found) != of.type.ndim:
            raise ValueError(f"{len(found)} sizes for {of.type.ndim} dimensions")
        return tuple(found)
    except Exception as err:
        if not_written(err):
            return None
        from warnings import warn

        warn(f"{node.op}: infer_shape failed, so the op runs for its shape: {err}", OpweldWarning, stacklevel=2)
        return None


def _entry(size: object) -> Any:
    """A size as an int64 variable; None: it cannot be."""
    if not isinstance(size, Variable):
        return constant(np.int64(size)) if hasattr(size, "__index__") else None
    type_ = size.type
    return size if getattr(type_, "dtype", None) == "int64" and getattr(type_, "ndim", None) == 0 else None
