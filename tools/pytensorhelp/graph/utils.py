"""What PyTensor's tests ask of their ``graph.utils``, for tests that come without it."""

from __future__ import annotations

import numpy as np
from pytensor.graph.basic import Apply, Constant, NominalVariable, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.op import HasInnerGraph, Op
from pytensor.graph.replace import clone_replace
from pytensor.graph.type import Type


class MyType(Type):
    """Takes what comes."""

    def filter(self, data):
        """Take it."""
        return data

    def __eq__(self, other):
        return isinstance(other, MyType)

    def __hash__(self):
        return hash(MyType)

    def __repr__(self):
        return "MyType()"


def MyVariable(name):
    """Give a variable that takes what comes."""
    return Variable(MyType(), None, None, name=name)


class MyOp(Op):
    """An op of a name."""

    def __init__(self, name, dmap=None, x=None, n_outs=1):
        self.name, self.destroy_map, self.x, self.n_outs = name, dmap or {}, x, n_outs

    def make_node(self, *inputs):
        """Take variables of `MyType`."""
        for variable in inputs:
            assert isinstance(variable.type, MyType), variable
        return Apply(self, list(inputs), [MyType()() for _ in range(self.n_outs)])

    def perform(self, node, inputs, outputs):
        """Give the inputs."""
        outputs[0] = np.array(inputs, dtype=object)

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __eq__(self, other):
        same = isinstance(other, MyOp) and self.x is not None and (self.x, self.n_outs) == (other.x, other.n_outs)
        return self is other or same

    def __hash__(self):
        return hash((id(self) if self.x is None else self.x, self.n_outs))


class MyInnerGraphOp(Op, HasInnerGraph):
    """An op that has a graph."""

    __props__ = ()

    def __init__(self, inner_inputs, inner_outputs):
        given = [v for v in inner_inputs if not isinstance(v, Constant)]
        inner = {v: NominalVariable(i, v.type) for i, v in enumerate(inner_inputs) if v in given}
        outputs = clone_replace(inner_outputs, replace=list(inner.items()))
        self.fgraph = FunctionGraph(list(inner.values()), outputs, clone=False)

    def make_node(self, *inputs):
        """Give an output as the first input is."""
        return Apply(self, list(inputs), [inputs[0].type()])

    def perform(self, *args, **kwargs):
        """Nobody runs it."""
        raise NotImplementedError("No Python implementation available.")

    @property
    def fn(self):
        """Nobody asks for it."""
        raise NotImplementedError("No Python implementation available.")

    @property
    def inner_inputs(self):
        """Of the graph."""
        return self.fgraph.inputs

    @property
    def inner_outputs(self):
        """Of the graph."""
        return self.fgraph.outputs

    def clone(self):
        """Give another one."""
        return type(self)(self.fgraph.inputs, self.fgraph.outputs)
