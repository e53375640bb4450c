"""Ops that compute a graph: `OpFromGraph`, whose graph is given, and `SymbolicOp`, which makes one for its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opweld.compat.abstract import FrozenFunctionGraph, OfInnerGraph
from opweld.compat.bases import Op
from opweld.compat.cloning import clone_replace
from opweld.compat.functions import function
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.type import fits
from opweld.tensor.convert import as_tensor_variable

__all__ = ["OpFromGraph", "SymbolicOp"]


class OpFromGraph(Op, OfInnerGraph):
    """An op that computes a graph.

    Parameters
    ----------
    inputs, outputs : list of Variable
        The graph; it is copied.
    inline : bool
        Whether a call gives the graph's own nodes, and no node of this op.
    **kwargs
        Gradients and the like are kept: opweld computes none.

    Raises
    ------
    TypeError
        If something other than a Variable stands among them.
    """

    __props__: tuple[str, ...] | None = None

    def __init__(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], *, inline: bool = False, **kwargs: Any
    ) -> None:
        for variable in (*inputs, *outputs):
            if not isinstance(variable, Variable):
                raise TypeError(f"{type(self).__name__}: expected variables, got {_what(variable)}")
        self.fgraph = FrozenFunctionGraph(inputs, outputs)
        self.is_inline = inline
        self.kwargs = kwargs
        self._fn: Callable[..., Any] | None = None

    @property
    def fn(self) -> Any:
        """The graph's function; it is made when it is first asked for."""
        if self._fn is None:
            self._fn = function(self.inner_inputs, self.inner_outputs, on_unused_input="ignore")
        return self._fn

    def clone(self) -> Any:
        """Make an op of a copy of the graph."""
        return type(self)(self.inner_inputs, self.inner_outputs, inline=self.is_inline, **self.kwargs)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(self) is type(other) and self.fgraph == other.fgraph)

    def __hash__(self) -> int:
        return hash((type(self), self.fgraph))

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Apply the op, or put its graph there; see `Op.__call__`."""
        if not self.is_inline:
            return super().__call__(*inputs, **kwargs)
        node = self.make_node(*inputs)
        made = clone_replace(self.inner_outputs, dict(zip(self.inner_inputs, node.inputs)))
        return made[0] if len(made) == 1 else made

    def make_node(self, *inputs: Any) -> Apply:
        """Build the node.

        Raises
        ------
        ValueError
            If there are not as many inputs.
        TypeError
            If one is of another type.
        """
        if len(inputs) != len(self.fgraph.inputs):
            raise ValueError(f"{self}: expected {len(self.fgraph.inputs)} inputs, got {len(inputs)}")
        given = [x if isinstance(x, Variable) else as_tensor_variable(x) for x in inputs]
        for x, inner in zip(given, self.fgraph.inputs):
            if not fits(inner.type, x.type):
                raise TypeError(f"{self}: expected {inner.type}, got {x.type}")
        return Apply(self, given, [v.type() for v in self.fgraph.outputs])

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Run the graph's function."""
        for cell, value in zip(output_storage, self.fn(*inputs)):
            cell[0] = value


class SymbolicOp(OpFromGraph):
    """An op whose graph is made for the types of what it is applied to.

    A subclass writes ``build_inner_graph(*inputs)``, which gives the outputs, and may write
    ``filter_inputs(*inputs)``, which makes variables of what a call is given. Its ``__props__`` are kept from one op to
    the next.

    Parameters
    ----------
    input_types : sequence of Type, optional
        What the graph is made for; left out: for what the op is called with.
    **kwargs
        Its ``__props__``, and what `OpFromGraph` takes.
    """

    inline = False

    def __init__(self, input_types: Sequence[Any] | None = None, **kwargs: Any) -> None:
        for name in self.__props__ or ():
            if name in kwargs:
                setattr(self, name, kwargs.pop(name))
        self._given = kwargs
        self.input_types: list[Any] | None = None if input_types is None else list(input_types)
        if input_types is not None:
            dummies = [kind() for kind in input_types]
            made = self.build_inner_graph(*dummies)
            super().__init__(dummies, made, inline=kwargs.pop("inline", self.inline), **kwargs)

    @staticmethod
    def filter_inputs(*inputs: Any) -> Any:
        """Give the inputs as they are."""
        return inputs

    def build_inner_graph(self, *inputs: Variable) -> Sequence[Variable]:
        """Refuse: a subclass writes it.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError(f"{type(self).__name__}: build_inner_graph is not written")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Apply the op that is made for these inputs."""
        inputs = tuple(self.filter_inputs(*inputs))
        kinds = [x.type for x in inputs]
        if self.input_types == kinds:
            return super().__call__(*inputs, **kwargs)
        props = {name: getattr(self, name) for name in self.__props__ or ()}
        made = type(self)(input_types=kinds, **props, **self._given)
        return made(*inputs, **kwargs)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        assert isinstance(other, SymbolicOp)
        alike = self._props() == other._props() and self.input_types == other.input_types
        return alike and (self.input_types is None or self.fgraph == other.fgraph)

    def __hash__(self) -> int:
        return hash((type(self), self._props(), None if self.input_types is None else tuple(self.input_types)))
