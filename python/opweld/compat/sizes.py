"""What rewriters of Theano, Aesara and PyTensor ask about sizes, and the folding of constants over a whole graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from opweld.compat.fgraph import Feature, FunctionGraph
from opweld.compat.rewriters import in2out
from opweld.graph.basic import Constant, Variable
from opweld.tensor.convert import constant
from opweld.tensor.rewriting import fold_constants, shape_without_value
from opweld.tensor.shapes import Shape_i

__all__ = ["ShapeFeature", "constant_folding", "topo_constant_folding"]


class ShapeFeature(Feature):
    """Knows the sizes of a graph's variables: ``fgraph.shape_feature.shape_of[x]``."""

    def on_attach(self, fgraph: FunctionGraph) -> None:
        """Stand under ``shape_feature`` of the graph."""
        self.fgraph, self.shape_of = fgraph, Sizes(fgraph)
        fgraph.shape_feature = self  # type: ignore[attr-defined]

    def on_detach(self, fgraph: FunctionGraph) -> None:
        """Stand there no longer."""
        del fgraph.shape_feature  # type: ignore[attr-defined]

    def get_shape(self, fgraph: object, var: Variable, idx: int) -> Any:
        """Give one size, as a variable or a constant."""
        found = self.shape_of[var]
        if found is None:
            raise ValueError(f"{var} has no sizes: its type is {var.type}")
        return found[idx]

    def same_shape(self, x: Variable, y: Variable, dim_x: int | None = None, dim_y: int | None = None) -> bool:
        """Say whether two shapes, or one size of each, are known to be the same."""
        pairs = [(a, b) for a, b in zip(self._some(x, dim_x), self._some(y, dim_y))]
        return len(self._some(x, dim_x)) == len(self._some(y, dim_y)) and all(_same(a, b) for a, b in pairs)

    def _some(self, x: Variable, dim: int | None) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self.shape_of[x] or ()
        return found if dim is None else found[dim : dim + 1]


def _same(a: Variable, b: Variable) -> bool:
    if isinstance(a, Constant) and isinstance(b, Constant):
        return bool(a.data == b.data)
    if a is b:
        return True
    return (
        a.owner is not None
        and b.owner is not None
        and a.owner.op == b.owner.op
        and all(x is y for x, y in zip(a.owner.inputs, b.owner.inputs))
    )


class Sizes(dict[Variable, Any]):
    """Of each variable its sizes, found when they are first asked for; None: it has none."""

    def __init__(self, fgraph: FunctionGraph) -> None:
        super().__init__()
        self.fgraph = fgraph

    def __missing__(self, var: Variable) -> Any:
        known = getattr(var.type, "shape", None)
        if known is None or not hasattr(var.type, "ndim"):
            self[var] = None
            return None
        self[var] = found = tuple([self._size(var, i, size) for i, size in enumerate(known)])
        return found

    def _size(self, var: Variable, i: int, size: int | None) -> Variable:
        if size is not None:
            return constant(np.int64(size))
        node = Shape_i(i).make_node(var)
        found = shape_without_value.transform(self.fgraph, node)
        return found[0] if found else node.outputs[0]


constant_folding = fold_constants
topo_constant_folding = in2out(constant_folding, name="topo_constant_folding")
