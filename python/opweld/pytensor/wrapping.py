"""A graph of PyTensor's as what is compiled: each variable and node stands for one of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from pytensor.graph.basic import Apply
from pytensor.graph.basic import Constant as TheirConstant
from pytensor.graph.basic import Variable as TheirVariable
from pytensor.tensor.type import TensorType, lscalar

from opweld.pytensor.graphs import Constant, Node, Variable
from opweld.pytensor.indexing import is_narrow
from opweld.pytensor.structure import is_part
from opweld.pytensor.types import Types

__all__ = ["Wrapping"]

_BYTES = TensorType("uint8", shape=(None,))


class Wrapping:
    """What stands for the variables and nodes of one of PyTensor's graphs, each made once.

    Parameters
    ----------
    inputs : iterable of Variable, optional
        PyTensor's, which are read from their cells, constants too.
    """

    def __init__(self, inputs: Iterable[TheirVariable] = ()) -> None:
        self.types = Types()
        self._inputs = set(map(id, inputs))
        self._variables: dict[Any, Variable] = {}
        self._held: dict[Any, Constant] = {}  # as bytes
        self._nodes: dict[Any, Node] = {}

    def variable(self, theirs: TheirVariable) -> Variable:
        """Find what stands for a variable."""
        found = self._variables.get(theirs)
        if found is None:
            kind = self.types.of(theirs.type)
            known = isinstance(theirs, TheirConstant) and id(theirs) not in self._inputs
            found = Constant(theirs, kind) if known else Variable(theirs, kind)
            self._variables[theirs] = found
        return found

    def _number(self, theirs: TheirVariable) -> Variable:
        """Give what stands for an index that is known: an array without dimensions."""
        return Constant(theirs, self.types.of(lscalar), np.asarray(theirs.data, "int64"))

    def _bytes(self, theirs: TheirVariable) -> Variable:
        """Give what stands for small numbers that are known: an array of bytes."""
        found = self._held.get(theirs)
        if found is None:
            found = self._held[theirs] = Constant(theirs, self.types.of(_BYTES), np.asarray(theirs.data, "uint8"))
        return found

    def node(self, theirs: Apply) -> Node:
        """Find what stands for a node."""
        found = self._nodes.get(theirs)
        if found is None:
            other = self._number if is_part(theirs) else self.variable
            inputs = [
                self._bytes(variable) if is_narrow(theirs, i) else (other if i else self.variable)(variable)
                for i, variable in enumerate(theirs.inputs)
            ]
            outputs = [self.variable(variable) for variable in theirs.outputs]
            found = self._nodes[theirs] = Node(theirs, inputs, outputs, self.types)
        return found
