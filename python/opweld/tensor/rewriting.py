"""What the ops of this room are rewritten by: constants are computed once, shapes are found without the values."""

from __future__ import annotations

from typing import Any

from opweld.errors import OpweldWarning
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.basic import node_rewriter
from opweld.rewriting.stages import register_canonicalize
from opweld.tensor.basic import Alloc, MakeVector
from opweld.tensor.shapes import Shape, Shape_i

__all__ = ["fold_constants", "shape_without_value"]


@node_rewriter([Alloc, MakeVector])
def fold_constants(fgraph: FunctionGraph, node: Apply) -> list[Variable] | None:
    """Compute a node whose inputs are constants, if its op says that it is worth it."""
    if not all(isinstance(variable, Constant) for variable in node.inputs):
        return None
    if not node.op.do_constant_folding(fgraph, node):  # type: ignore[attr-defined]
        return None
    cells: list[list[Any]] = [[None] for _ in node.outputs]
    node.op.perform(node, [variable.data for variable in node.inputs], cells)  # type: ignore[attr-defined]
    return [output.type.make_constant(cell[0]) for output, cell in zip(node.outputs, cells)]


@node_rewriter([Shape, Shape_i])
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
    code = getattr(getattr(method, "__func__", method), "__code__", None)
    with_graph = code is not None and code.co_argcount - hasattr(method, "__func__") >= 3
    try:
        answer = method(fgraph, node, shapes) if with_graph else method(node, shapes)
        if len(answer) != len(node.outputs):
            raise ValueError(f"{len(answer)} shapes for {len(node.outputs)} outputs")
        found = answer[of.index]
        if found is None:
            return None
        if len(found) != of.type.ndim:  # type: ignore[attr-defined]
            raise ValueError(f"{len(found)} sizes for {of.type.ndim} dimensions")  # type: ignore[attr-defined]
        return tuple(found)
    except NotImplementedError:
        return None
    except Exception as err:
        from warnings import warn

        warn(f"{node.op}: infer_shape failed, so the op runs for its shape: {err}", OpweldWarning, stacklevel=2)
        return None


def _entry(size: Any) -> Any:
    """A size as an int64 variable; None: it cannot be."""
    if not isinstance(size, Variable):
        import numpy as np

        from opweld.tensor.variable import constant

        return constant(np.int64(size)) if hasattr(size, "__index__") else None
    type_ = size.type
    return size if getattr(type_, "dtype", None) == "int64" and getattr(type_, "ndim", None) == 0 else None


register_canonicalize(fold_constants)
register_canonicalize(shape_without_value)
