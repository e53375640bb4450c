"""What PyTensor's modules of graphs define besides ops, types and nodes: names of kinds, mixins, frozen graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from opweld.compat.bases import Kin, Op
from opweld.compat.cloning import clone, equal_computations
from opweld.graph import fgraph as _fgraph
from opweld.graph.basic import Apply, Constant, Props, Variable
from opweld.scalar.type import ScalarType
from opweld.tensor.type import TensorType

__all__ = [
    "BasicThunkType", "ComputeMapType", "FrozenFunctionGraph", "HasDataType", "HasInnerGraph", "HasShape",
    "InputStorageType", "MetaObject", "MetaType", "OfInnerGraph", "OutputStorageType", "PerformMethodType",
    "StorageCellType", "StorageMapType", "ThunkCallableType", "ThunkType", "fgraph_to_python", "is_thunk_type",
]  # fmt: skip

StorageCellType = list[Any]
StorageMapType = dict[Variable, StorageCellType]
ComputeMapType = dict[Variable, list[bool]]
InputStorageType = list[StorageCellType]
OutputStorageType = list[StorageCellType]
PerformMethodType = Callable[[Apply, list[Any], OutputStorageType], None]
BasicThunkType = Callable[[], None]
ThunkCallableType = Callable[[PerformMethodType, StorageMapType, ComputeMapType, Apply], None]

Outputs = Variable | Sequence[Variable]
Pairs = Mapping[Variable, Variable] | Iterable[tuple[Variable, Variable]] | None

C = TypeVar("C", bound=Callable[..., Any])


class ThunkType(Protocol[C]):
    """What runs a node: a callable that knows its cells."""

    inputs: list[list[list[Any]]]
    outputs: list[list[list[Any]]]
    lazy: bool
    __call__: C
    perform: PerformMethodType


def is_thunk_type(thunk: object) -> Any:
    """Give the thunk itself: it is for type checkers."""
    return thunk


class HasDataType(metaclass=Kin):
    """A mixin for types that have a ``dtype``."""

    kin = (TensorType, ScalarType)
    dtype: str


class HasShape(metaclass=Kin):
    """A mixin for types that have ``shape`` and ``ndim``."""

    kin = (TensorType, ScalarType)
    ndim: int
    shape: tuple[int | None, ...]


MetaObject = Props
MetaType = Kin


class HasInnerGraph(ABC):
    """A mixin for ops that hold a graph."""

    fgraph: Any

    @property
    @abstractmethod
    def fn(self) -> Any:
        """The function of the inner graph."""

    @property
    @abstractmethod
    def inner_inputs(self) -> list[Variable]:
        """Its inputs."""

    @property
    @abstractmethod
    def inner_outputs(self) -> list[Variable]:
        """Its outputs."""

    @abstractmethod
    def clone(self) -> Op:
        """Make an op of a copy of the graph."""


class OfInnerGraph(HasInnerGraph):
    """What `HasInnerGraph` says of the inputs and outputs of an op whose graph is ``fgraph``."""

    @property
    def inner_inputs(self) -> list[Variable]:
        """The graph's inputs."""
        return list(self.fgraph.inputs)

    @property
    def inner_outputs(self) -> list[Variable]:
        """The graph's outputs."""
        return list(self.fgraph.outputs)


class FrozenFunctionGraph(_fgraph.FunctionGraph):
    """A graph that is not changed: equal to another one that computes the same of its inputs.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        The nodes between them are copied.
    """

    def __init__(self, inputs: Sequence[Variable], outputs: Sequence[Variable]) -> None:
        super().__init__(*clone(inputs, outputs, copy_orphans=False))

    def replace(self, *_: object, **__: object) -> Any:
        """Refuse.

        Raises
        ------
        TypeError
            Always.
        """
        raise TypeError("a FrozenFunctionGraph cannot be changed; make a FunctionGraph of unfreeze()")

    def unfreeze(self) -> _fgraph.FunctionGraph:
        """Make a graph of copies that may be changed."""
        return _fgraph.FunctionGraph(*clone(self.inputs, self.outputs, copy_orphans=False))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, FrozenFunctionGraph) or len(self.inputs) != len(other.inputs):
            return False
        if len(self.outputs) != len(other.outputs):
            return False
        return equal_computations(self.outputs, other.outputs, self.inputs, other.inputs)

    def __hash__(self) -> int:
        ops = tuple([node.op for node in self.apply_nodes])
        return hash((tuple([v.type for v in self.inputs]), tuple([v.type for v in self.outputs]), ops))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenFunctionGraph, (self.inputs, self.outputs)


def fgraph_to_python(fgraph: _fgraph.FunctionGraph, op_conversion_fn: Callable[..., Any], **_: object) -> Any:
    """Make a function of Python that computes a graph.

    Parameters
    ----------
    fgraph : FunctionGraph
        What is computed.
    op_conversion_fn : callable
        ``f(op, node=node)`` gives what computes a node: of the inputs' values, the output's, or a tuple of several.

    Returns
    -------
    callable
        Of the inputs' values, a tuple of the outputs'.
    """
    steps = [(node, op_conversion_fn(node.op, node=node)) for node in fgraph.toposort()]
    outputs = list(fgraph.outputs)

    def run(*values: Any) -> tuple[Any, ...]:
        known: dict[Variable, Any] = dict(zip(fgraph.inputs, values))
        for node, compute in steps:
            found = compute(*[v.data if isinstance(v, Constant) else known[v] for v in node.inputs])
            known.update(zip(node.outputs, found if len(node.outputs) > 1 else (found,)))
        return tuple([v.data if isinstance(v, Constant) else known[v] for v in outputs])

    return run
