"""What is compiled of nodes: what has one element by its type without dimensions, sums in wider dtypes, then rounded.

PyTensor gives every operand of an `Elemwise` the same number of dimensions: a number beside an array is ``ExpandDims``
of it, and what is computed of that alone has an axis of size 1. Without it a loop knows that it reads a number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pytensor.tensor.type import TensorType

from opweld.pytensor.graphs import Constant, Node, Variable
from opweld.pytensor.scalars import Body
from opweld.pytensor.types import Array, Types

__all__ = ["without_axes"]


def without_axes(nodes: list[Node], wanted: Iterable[Variable]) -> list[Node]:
    """Give nodes that do what these do, and compute what has one element without dimensions.

    Parameters
    ----------
    nodes : list of Node
        In order.
    wanted : iterable of Variable
        What is read elsewhere: it is made as it is.

    Returns
    -------
    list of Node
        In order. Nodes of which nobody reads anything any more are left out.
    """
    pass_ = _Numbers()
    for node in nodes:
        pass_.take(node)
    for variable in wanted:
        pass_.need(variable)
    return pass_.found


class _Numbers:
    def __init__(self) -> None:
        self.found: list[Node] = []
        self._number: dict[Variable, Variable] = {}  # what has no dimensions and the same element
        self._waits: dict[Variable, Node] = {}  # what makes a variable, if it is asked for

    def take(self, node: Node) -> None:
        """Enter a node, as it is or otherwise, or leave it for who asks for what it makes."""
        view, loop = node.op.structured("view"), node.op.structured("loop")
        if view and not view["cuts"] and _is_one(node.outputs[0]) and self._has(node.inputs[0]):
            self._number[node.outputs[0]] = self._number_of(node.inputs[0])
            self._waits[node.outputs[0]] = node
        elif loop and "folds" not in loop:
            self._loop(node, loop)
        elif loop and node.op.held:
            self._rounded(node, loop, node.op.held)
        else:
            self._enter(node)

    def _loop(self, node: Node, loop: dict[str, Any]) -> None:
        shaped = [v for v in node.inputs if v.theirs.type.ndim]
        if not any(self._has(v) for v in shaped):
            self._enter(node)
            return
        if not all(self._has(v) for v in shaped):
            self._enter(_reading(node, loop, [self._number_of(v) if self._has(v) else v for v in node.inputs]))
            return
        numbers = [self._number_of(v) for v in node.inputs]
        made = [Variable(v.theirs, _number_type(v)) for v in node.outputs]
        self.found.append(node.apart({"loop": _fresh(loop)}, numbers, made))
        for output, number in zip(node.outputs, made):
            self._number[output] = number
            axes = {"view": {"axes": [], "new": list(range(output.theirs.type.ndim)), "cuts": []}}
            self._waits[output] = node.apart(axes, [number], [output], view_map={0: [0]})

    def _rounded(self, node: Node, loop: dict[str, Any], held: str) -> None:
        """Enter a node that folds in a wider dtype than its output's, and then another that rounds."""
        theirs = node.outputs[0].theirs
        wide = Variable(theirs, _array_type(held, theirs.type.ndim))
        self._enter(node.apart({"loop": loop}, node.inputs, [wide]))
        body = Body([held])
        value = body.cast(0, theirs.type.dtype)
        rounding = {"body": body.instructions, "outputs": [{"value": value}]}
        self._enter(node.apart({"loop": rounding}, [wide], node.outputs))

    def _enter(self, node: Node) -> None:
        for variable in node.inputs:
            self.need(variable)
        self.found.append(node)

    def need(self, variable: Variable) -> None:
        """See to it that a variable is made as it is."""
        node = self._waits.pop(variable, None)
        if node is not None:
            self._enter(node)

    def _has(self, variable: Variable) -> bool:
        if isinstance(variable, Constant) and variable not in self._number and _is_one(variable):
            number = Constant(variable.theirs, _number_type(variable), np.asarray(variable.data).reshape(()))
            self._number[variable] = number
        return variable in self._number or not variable.theirs.type.ndim

    def _number_of(self, variable: Variable) -> Variable:
        return self._number.get(variable, variable)


def _reading(node: Node, loop: dict[str, Any], inputs: list[Variable]) -> Node:
    """A node whose loop reads other inputs: it writes over those that are what they were."""
    same = all(inputs[pair["over"]] is node.inputs[pair["over"]] for pair in loop["outputs"] if "over" in pair)
    if same:
        return node.apart({"loop": loop}, inputs, node.outputs, destroy_map=node.op.destroy_map)
    return node.apart({"loop": _fresh(loop)}, inputs, node.outputs)


def _is_one(variable: Variable) -> bool:
    """Whether a variable's type says that it has one element."""
    return all(size == 1 for size in variable.theirs.type.shape)


def _number_type(variable: Variable) -> Array:
    return _array_type(variable.theirs.type.dtype, 0)


def _array_type(dtype: str, ndim: int) -> Array:
    found = Types().of(TensorType(dtype=dtype, shape=(None,) * ndim))
    assert isinstance(found, Array)
    return found


def _fresh(loop: dict[str, Any]) -> dict[str, Any]:
    """A loop that writes over nothing."""
    outputs = [{name: value for name, value in output.items() if name != "over"} for output in loop["outputs"]]
    return {**loop, "outputs": outputs}
