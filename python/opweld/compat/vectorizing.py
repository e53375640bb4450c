"""PyTensor's graphs of one element made graphs of stacks: `vectorize_graph`, what it asks of each op, `Blockwise`."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from opweld.compat.bases import Op
from opweld.compat.graphs import truncated_graph_inputs
from opweld.compat.small import _parse_gufunc_signature, safe_signature
from opweld.compile.code import performer
from opweld.errors import _what
from opweld.graph import op as _op
from opweld.graph.basic import Apply, Variable
from opweld.graph.order import depth_first
from opweld.tensor.careduce import CAReduce
from opweld.tensor.convert import as_tensor_variable
from opweld.tensor.elemwise import Elemwise
from opweld.tensor.likes import TensorLike
from opweld.tensor.permute import DimShuffle
from opweld.tensor.type import TensorType

__all__ = [
    "Blockwise",
    "_vectorize_node",
    "_vectorize_not_needed",
    "vectorize_graph",
    "vectorize_node_fallback",
]


@singledispatch
def _vectorize_node(op: _op.Op, node: Apply, *batched_inputs: Variable) -> Any:
    """Apply a node to stacks of what it reads; a rule for a class of ops is registered with ``.register(cls)``.

    Parameters
    ----------
    op : Op
        The node's.
    node : Apply
        The node.
    *batched_inputs : Variable
        What stands for its inputs: with more dimensions in front.

    Returns
    -------
    Apply or sequence of Variable
    """
    return vectorize_node_fallback(op, node, *batched_inputs)


def _vectorize_not_needed(op: _op.Op, node: Apply, *batched_inputs: Variable) -> Any:
    """Apply an op to stacks as they are: it takes any number of dimensions in front."""
    return op.make_node(*batched_inputs).outputs


def vectorize_node_fallback(op: _op.Op, node: Apply, *batched_inputs: Variable) -> Apply:
    """Apply an op to each element of the stacks, by `Blockwise`.

    Raises
    ------
    NotImplementedError
        If an input is no tensor.
    """
    for variable in (*node.inputs, *node.outputs):
        if not isinstance(variable.type, TensorType):
            raise NotImplementedError(f"{node} cannot be applied to stacks: {variable.type} is no tensor")
    signature = getattr(op, "gufunc_signature", None) or safe_signature(
        [v.type.ndim for v in node.inputs], [v.type.ndim for v in node.outputs]
    )
    made: Apply = Blockwise(op, signature).make_node(*batched_inputs)
    return made


def vectorize_graph(outputs: Variable | Sequence[Variable], replace: Mapping[Variable, Variable]) -> Any:
    """Compute outputs of stacks.

    Parameters
    ----------
    outputs : Variable or sequence of Variable
        What is computed of one element.
    replace : mapping
        What stands for which variable: with more dimensions in front.

    Returns
    -------
    Variable or list of Variable

    Raises
    ------
    ValueError
        If something other than variables is given.
    """
    if not all(isinstance(v, Variable) for pair in replace.items() for v in pair):
        raise ValueError(f"vectorize_graph: expected variables for variables, got {dict(replace)}")
    many = [outputs] if isinstance(outputs, Variable) else list(outputs)
    inputs = truncated_graph_inputs(many, replace.keys())
    found = {variable: replace.get(variable, variable) for variable in inputs}
    for node in depth_first(many, set(inputs)):
        given = [found.get(v, v) for v in node.inputs]
        made = _vectorize_node(node.op, node, *given)
        for old, new in zip(node.outputs, made.outputs if isinstance(made, Apply) else made):
            found.setdefault(old, new)
    made_of = [found[v] for v in many]
    return made_of[0] if isinstance(outputs, Variable) else made_of


@_vectorize_node.register(Elemwise)
def _of_elemwise(op: Elemwise, node: Apply, *batched: Any) -> Any:
    most = max([new.type.ndim - old.type.ndim for old, new in zip(node.inputs, batched)], default=0)
    core = node.outputs[0].type.ndim
    spread = []
    for old, x in zip(node.inputs, batched):
        own = old.type.ndim
        extra = x.type.ndim - own
        if extra:  # dimensions of size 1 between those of the stack and the element's, which lie at the end
            order = [*["x"] * (most - extra), *range(extra), *["x"] * (core - own), *range(extra, extra + own)]
            x = x.dimshuffle(*order)
        spread.append(x)
    return op.make_node(*spread)


@_vectorize_node.register(DimShuffle)
def _of_dimshuffle(op: DimShuffle, node: Apply, x: Variable) -> Any:
    extra = x.type.ndim - node.inputs[0].type.ndim
    order = [*range(extra), *["x" if i == "x" else i + extra for i in op.new_order]]
    return DimShuffle(order).make_node(x)


@_vectorize_node.register(CAReduce)
def _of_reduction(op: CAReduce, node: Apply, x: Variable) -> Any:
    core = node.inputs[0].type.ndim
    axes = range(core) if op.axis is None else op.axis if isinstance(op.axis, tuple) else (op.axis,)
    extra = x.type.ndim - core
    return CAReduce(op.scalar_op, tuple([int(axis) % core + extra for axis in axes]), op.dtype, op.keepdims).make_node(
        x
    )


class Blockwise(Op):
    """An op applied to each element of stacks.

    Parameters
    ----------
    core_op : Op
        What is applied; it has `perform`.
    signature : str, optional
        Of core dimensions, such as ``"(m,n),(n)->(m)"``; the op's ``gufunc_signature`` if left out.
    name, gufunc_spec, destroy_map
        Accepted: ``name`` is what messages say.

    Raises
    ------
    TypeError
        If it is no op, or there is no signature.
    """

    __props__: tuple[str, ...] | None = ("core_op", "signature")

    def __init__(
        self,
        core_op: _op.Op,
        signature: str | None = None,
        name: str | None = None,
        gufunc_spec: object = None,
        destroy_map: object = None,
        **_: object,
    ) -> None:
        if not isinstance(core_op, _op.Op):
            raise TypeError(f"Blockwise: expected an op, got {_what(core_op)}")
        signature = signature or getattr(core_op, "gufunc_signature", None)
        if signature is None:
            raise TypeError(f"Blockwise: {core_op} has no gufunc_signature: pass signature=")
        self.core_op, self.signature, self.name = core_op, signature, name
        self.inputs_sig, self.outputs_sig = _parse_gufunc_signature(signature)

    def _core(self, inputs: Sequence[Any]) -> Apply:
        """The node of one element."""
        if len(inputs) != len(self.inputs_sig):
            raise ValueError(f"{self}: expected {len(self.inputs_sig)} inputs, got {len(inputs)}")
        kinds = []
        for x, names in zip(inputs, self.inputs_sig):
            if x.type.ndim < len(names):
                raise ValueError(f"{self}: expected {len(names)} dimensions or more, got {x.type}")
            kinds.append(TensorType(x.type.dtype, x.type.shape[x.type.ndim - len(names) :])())
        made: Apply = self.core_op.make_node(*kinds)
        return made

    def make_node(self, *inputs: TensorLike) -> Apply:
        """Build the node.

        Raises
        ------
        ValueError
            If there are not as many inputs, or an input has fewer dimensions than an element.
        """
        given = [as_tensor_variable(x) for x in inputs]
        core = self._core(given)
        stacks = [x.type.shape[: x.type.ndim - len(names)] for x, names in zip(given, self.inputs_sig)]
        depth = max(map(len, stacks), default=0)
        padded = [(1,) * (depth - len(stack)) + tuple(stack) for stack in stacks]
        batch = [_size(sizes) for sizes in zip(*padded)] if padded else []
        kinds = [TensorType(v.type.dtype, (*batch, *v.type.shape)) for v in core.outputs]
        return Apply(self, given, [kind() for kind in kinds])

    def batch_ndim(self, node: Apply) -> int:
        """Give how many dimensions of a node's outputs are those of stacks."""
        return int(node.outputs[0].type.ndim - len(self.outputs_sig[0]))

    def perform(self, node: Apply, inputs: list[Any], output_storage: list[list[Any]]) -> None:
        """Apply the op to each element.

        Raises
        ------
        ValueError
            If stacks do not fit, or the elements' results differ in shape.
        """
        core = self._core(node.inputs)
        run = performer(core)
        stacks = [x.shape[: x.ndim - len(names)] for x, names in zip(inputs, self.inputs_sig)]
        batch = np.broadcast_shapes(*stacks)
        whole = [np.broadcast_to(x, batch + x.shape[len(stack) :]) for x, stack in zip(inputs, stacks)]
        found: list[Any] = [None] * len(node.outputs)
        for index in itertools.product(*map(range, batch)):
            results = run(*[np.asarray(x[index]) for x in whole])
            for place, result in enumerate(results):
                if found[place] is None:
                    found[place] = np.empty(batch + np.shape(result), node.outputs[place].type.dtype)
                found[place][index] = result
        for place, (cell, names) in enumerate(zip(output_storage, self.outputs_sig)):
            empty = found[place] is None  # no element: sizes of core dimensions are not known but by their names
            cell[0] = (
                np.empty((*batch, *self._sizes(names, inputs)), node.outputs[place].type.dtype)
                if empty
                else found[place]
            )

    def _sizes(self, names: tuple[str, ...], inputs: list[Any]) -> list[int]:
        known = {
            name: size
            for x, own in zip(inputs, self.inputs_sig)
            for name, size in zip(own, x.shape[x.ndim - len(own) :])
        }
        return [known.get(name, 0) for name in names]

    def __str__(self) -> str:
        return self.name or f"Blockwise{{{self.core_op}, {self.signature}}}"


_vectorize_node.register(Blockwise, _vectorize_not_needed)


def _size(sizes: Sequence[int | None]) -> int | None:
    known = [size for size in sizes if size not in (None, 1)]
    if known:
        return known[0]
    return None if None in sizes else 1
