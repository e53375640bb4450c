"""What PyTensor's modules of graphs define besides ops, types and nodes: names of kinds, mixins, frozen graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from opweld.compat.bases import Kin, Op
from opweld.compat.graphs import ancestors, graph_inputs
from opweld.graph import fgraph as _fgraph
from opweld.graph.basic import Apply, Constant, Props, Variable
from opweld.graph.order import depth_first
from opweld.graph.shared import SharedVariable
from opweld.scalar.type import ScalarType
from opweld.tensor.type import TensorType

__all__ = [
    "BasicThunkType", "ComputeMapType", "FrozenFunctionGraph", "HasDataType", "HasInnerGraph", "HasShape",
    "InputStorageType", "MetaObject", "MetaType", "OutputStorageType", "PerformMethodType", "StorageCellType",
    "StorageMapType", "ThunkCallableType", "ThunkType", "apply_depends_on", "clone", "clone_get_equiv",
    "clone_replace", "equal_computations", "explicit_graph_inputs", "fgraph_to_python",
    "graph_replace", "is_thunk_type", "list_of_nodes",
    "rebuild_collect_shared", "toposort", "truncated_graph_inputs", "variable_depends_on",
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


def toposort(graphs: Iterable[Variable], blockers: Iterable[Variable] | None = None) -> Iterator[Apply]:
    """Give the nodes that variables need, each behind those that it reads; none beyond the blockers."""
    return iter(depth_first(list(graphs), set(blockers or ())))


def explicit_graph_inputs(graph: Variable | Iterable[Variable]) -> Iterator[Variable]:
    """Give the variables on which some depend, that no node computes, and that are not constant or shared."""
    graphs = [graph] if isinstance(graph, Variable) else graph
    return iter([v for v in graph_inputs(graphs) if not isinstance(v, (Constant, SharedVariable))])


def truncated_graph_inputs(
    outputs: Sequence[Variable], ancestors_to_include: Iterable[Variable] | None = None
) -> list[Variable]:
    """Give the variables from which outputs are computed, no further back than those that shall be included.

    Parameters
    ----------
    outputs : sequence of Variable
        What is computed.
    ancestors_to_include : iterable of Variable, optional
        Where to stop. What does not depend on one of these is not taken apart either.

    Returns
    -------
    list of Variable
    """
    stops = set(ancestors_to_include or ())
    depends: set[Variable] = set()
    for node in depth_first(list(outputs), stops):
        if any(v in stops or v in depends for v in node.inputs):
            depends.update(node.outputs)
    found: dict[Variable, None] = {}
    stack, seen = list(reversed(outputs)), set()
    while stack:
        variable = stack.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if variable.owner is None or variable in stops or (stops and variable not in depends):
            found[variable] = None
        else:
            stack += reversed(variable.owner.inputs)
    return list(found)


def variable_depends_on(variable: Variable, depends_on: Variable | Iterable[Variable]) -> bool:
    """Say whether a variable is, or depends on, one of some."""
    wanted = {depends_on} if isinstance(depends_on, Variable) else set(depends_on)
    return not wanted.isdisjoint(ancestors([variable]))


def apply_depends_on(apply: Apply, depends_on: Apply | Iterable[Apply]) -> bool:
    """Say whether a node is, or depends on, one of some."""
    wanted = {depends_on} if isinstance(depends_on, Apply) else set(depends_on)
    return not wanted.isdisjoint(depth_first(list(apply.outputs), set()))


def list_of_nodes(inputs: Iterable[Variable], outputs: Iterable[Variable]) -> list[Apply]:
    """Give the nodes between variables."""
    return depth_first(list(outputs), set(inputs))


def clone_get_equiv(
    inputs: Iterable[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
    **_: object,
) -> dict[Any, Any]:
    """Copy what lies between variables.

    Parameters
    ----------
    inputs, outputs : iterable of Variable
        Where the graph begins and ends.
    copy_inputs, copy_orphans : bool
        Whether inputs, and other variables that no node computes, are copied too.
    memo : dict, optional
        What stands for some already.

    Returns
    -------
    dict
        What stands for each variable and each node.
    """
    found: dict[Any, Any] = {} if memo is None else memo
    inputs, outputs = list(inputs), list(outputs)
    for variable in inputs:
        found.setdefault(variable, variable.clone() if copy_inputs else variable)
    nodes = depth_first(outputs, set(found))
    for variable in [*[v for node in nodes for v in node.inputs], *outputs]:
        if variable not in found and variable.owner is None:
            found[variable] = variable.clone() if copy_orphans and not isinstance(variable, Constant) else variable
    for node in nodes:
        found[node] = node.copy([found[v] for v in node.inputs], found)
    return found


def clone(
    inputs: Iterable[Variable], outputs: Iterable[Variable], copy_inputs: bool = True, copy_orphans: bool = True,
    **_: object,
) -> tuple[list[Variable], list[Variable]]:  # fmt: skip
    """Copy what lies between variables; see `clone_get_equiv`.

    Returns
    -------
    inputs, outputs : list of Variable
        The copies.
    """
    inputs, outputs = list(inputs), list(outputs)
    found = clone_get_equiv(inputs, outputs, copy_inputs, copy_orphans)
    return [found[v] for v in inputs], [found[v] for v in outputs]


def clone_replace(output: Outputs, replace: Pairs = None, **_: object) -> Any:
    """Compute outputs of other variables.

    Parameters
    ----------
    output : Variable or sequence of Variable
        What is computed.
    replace : mapping, or iterable of pairs
        What stands for which variable.

    Returns
    -------
    Variable or list of Variable
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    outputs = [output] if isinstance(output, Variable) else list(output)
    found: dict[Variable, Variable] = dict(pairs)
    for node in depth_first(outputs, set(pairs)):
        inputs = [found.get(v, v) for v in node.inputs]
        if all(one is other for one, other in zip(inputs, node.inputs)):
            found.update(zip(node.outputs, node.outputs))
            continue
        alike = all(one.type == other.type for one, other in zip(inputs, node.inputs))
        made = node.copy(inputs, {}) if alike else node.op.make_node(*inputs)
        for old, new in zip(node.outputs, made.outputs):
            found.setdefault(old, new)
    made_of = [found.get(v, v) for v in outputs]
    return made_of[0] if isinstance(output, Variable) else made_of


def graph_replace(outputs: Outputs, replace: Pairs = None, *, strict: bool = True) -> Any:
    """Compute outputs of other variables; see `clone_replace`.

    Raises
    ------
    ValueError
        If `strict`, and an output does not depend on what is to be replaced.
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    many = [outputs] if isinstance(outputs, Variable) else list(outputs)
    if strict:
        unused = [v for v in pairs if not any(variable_depends_on(out, v) for out in many)]
        if unused:
            raise ValueError(f"some replacements were not used: {', '.join(map(str, unused))}")
    return clone_replace(outputs, pairs)


def equal_computations(
    xs: Sequence[Any], ys: Sequence[Any], in_xs: Sequence[Variable] = (), in_ys: Sequence[Variable] = (), **_: object
) -> bool:
    """Say whether some variables are computed as others are.

    Parameters
    ----------
    xs, ys : sequence of Variable
        What is computed.
    in_xs, in_ys : sequence of Variable
        Of what: the first of one for the first of the other, and so on.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there are not as many of one as of the other.
    """
    if len(xs) != len(ys) or len(in_xs) != len(in_ys):
        raise ValueError("equal_computations: expected as many variables of one as of the other")
    xs, ys = [[v for v in side if isinstance(v, Variable)] for side in (xs, ys)]
    if len(xs) != len(ys):
        return False
    same = dict(zip(in_xs, in_ys))
    if any(one.type != other.type for one, other in same.items()):
        return False
    ones, others = depth_first(xs, set(in_xs)), depth_first(ys, set(in_ys))
    if len(ones) != len(others):
        return False
    for one, other in zip(ones, others):
        if one.op != other.op or len(one.inputs) != len(other.inputs):
            return False
        if not all(_same(a, b, same) for a, b in zip(one.inputs, other.inputs)):
            return False
        same.update(zip(one.outputs, other.outputs))
    return all(_same(a, b, same) for a, b in zip(xs, ys))


def _same(one: Variable, other: Variable, known: dict[Variable, Variable]) -> bool:
    if one in known:
        return known[one] is other
    if isinstance(one, Constant) and isinstance(other, Constant):
        return bool(one.type == other.type and one.signature() == other.signature())
    return one is other


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


def rebuild_collect_shared(
    outputs: Outputs, inputs: Sequence[Variable] | None = None, replace: Pairs = None, *_: object, **__: object
) -> tuple[Any, Any, list[Any]]:
    """Compute outputs of other variables, and say what was copied.

    Parameters
    ----------
    outputs : Variable or sequence of Variable
        What is computed.
    inputs : sequence of Variable, optional
        Of what.
    replace : mapping, or iterable of pairs
        What stands for which variable.

    Returns
    -------
    inputs : list of Variable
        As given.
    outputs : Variable or list of Variable
        The copies.
    rest : list
        What stands for which variable, the updates, the constants and shared variables, the list of inputs: the first
        is a dict, the others are empty: shared variables have no updates here but those given to `function`.
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    return list(inputs or ()), clone_replace(outputs, pairs), [pairs, {}, [], []]
