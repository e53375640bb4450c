"""Rewriters as Theano, Aesara and PyTensor write them: of one node, of a pattern, of a whole graph, several at once.

What is registered runs in a stage of opweld's; see `opweld.compat.databases`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import WeakSet

from opweld.compat.bases import Kin
from opweld.compat.fgraph import FunctionGraph
from opweld.errors import _what
from opweld.graph import fgraph as _fgraph
from opweld.graph.basic import Apply, Variable
from opweld.rewriting.basic import Index, NodeRewriter
from opweld.rewriting.sets import Registration, RewriteSet
from opweld.rewriting.stages import merge_equal, rewrite_graph

__all__ = [
    "EquilibriumOptimizer", "FromFunctionOptimizer", "LocalOptGroup", "LocalOptimizer", "MergeOptimizer", "OfNodes",
    "Optimizer", "SeqOptimizer", "TopoOptimizer", "check_chain", "copy_stack_trace", "in2out", "inherit_stack_trace",
    "optimizer", "out2in", "view_roots",
]  # fmt: skip

Pattern: TypeAlias = Any  # a tuple of patterns, a name, a number, a Constant, a dict
Made: TypeAlias = Any  # a variable or several; given back


class LocalOptimizer(NodeRewriter, metaclass=Kin):
    """A rewriter of one node. A subclass writes ``transform``, and ``tracks`` where it is not for every node."""

    kin = (NodeRewriter,)

    def __hash__(self) -> int:
        return id(self)


class Optimizer(NodeRewriter, metaclass=Kin):
    """A rewriter of a whole graph. A subclass writes `apply`.

    Registered, it is shown each graph once a stage, when the first node comes, and works on a copy: what the outputs
    have become takes their place.
    """

    kin = ()
    tags: tuple[str, ...] = ()

    def __init__(self) -> None:
        self._seen: WeakSet[_fgraph.FunctionGraph] = WeakSet()

    def __hash__(self) -> int:
        return id(self)

    def apply(self, fgraph: _fgraph.FunctionGraph) -> Any:
        """Rewrite a graph in place.

        Raises
        ------
        NotImplementedError
            Where the class does not write it.
        """
        raise NotImplementedError(f"{type(self).__name__}: apply is not written")

    def optimize(self, fgraph: _fgraph.FunctionGraph, *args: Any, **kwargs: Any) -> Any:
        """Let a graph have what `apply` needs, and apply it."""
        self.add_requirements(fgraph)
        return self.apply(fgraph, *args, **kwargs)

    rewrite = optimize

    def __call__(self, fgraph: _fgraph.FunctionGraph) -> Any:
        """See `optimize`."""
        return self.optimize(fgraph)

    def begin(self, fgraph: _fgraph.FunctionGraph) -> None:
        """Hear that a stage begins: the graph is shown anew; see `opweld.rewriting.NodeRewriter`."""
        self.__dict__.setdefault("_seen", WeakSet()).discard(fgraph)

    def transform(self, fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
        """Rewrite the graph, if it has not been shown yet; see `opweld.rewriting.NodeRewriter`."""
        seen = self.__dict__.setdefault("_seen", WeakSet())  # of a subclass whose __init__ does not call this one
        if fgraph in seen:
            return None
        seen.add(fgraph)
        copy = FunctionGraph(fgraph.inputs, fgraph.outputs, clone=True)
        copy.rewrites = []
        self.optimize(copy)
        if not copy.rewrites:
            return None
        return dict(zip(fgraph.outputs, copy.outputs))


class FromFunctionOptimizer(Optimizer):
    """A function of a graph as a rewriter.

    Parameters
    ----------
    fn : callable
        Rewrites a graph in place.
    requirements : iterable of callable
        Are called with the graph before.
    """

    def __init__(self, fn: Callable[[Any], Any], requirements: Iterable[Callable[[Any], Any]] = ()) -> None:
        super().__init__()
        self.fn = fn
        self.apply = fn  # type: ignore[method-assign,assignment]
        self.requirements = tuple(requirements)
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)
        self.__module__ = getattr(fn, "__module__", __name__)

    def add_requirements(self, fgraph: _fgraph.FunctionGraph) -> None:
        """Call what was given for that."""
        for requirement in self.requirements:
            requirement(fgraph)


def optimizer(fn: Callable[[Any], Any]) -> FromFunctionOptimizer:
    """Make a rewriter of a function of a graph."""
    return FromFunctionOptimizer(fn)


class OfNodes(Optimizer):
    """Runs rewriters of nodes over a graph, until none has anything left to do."""

    def __init__(self, *rewriters: Any, name: str | None = None) -> None:
        super().__init__()
        self.rewriters = _singles(rewriters)
        self.name = name or " ".join([str(rewriter) for rewriter in self.rewriters])
        self.__name__ = self.name

    def apply(self, fgraph: _fgraph.FunctionGraph) -> Any:
        """Rewrite a graph."""
        named = {f"{rewriter!s}~{i}": rewriter for i, rewriter in enumerate(self.rewriters)}
        rewrite_graph(fgraph, RewriteSet([Registration("specialize", name, r) for name, r in named.items()]))


def _singles(rewriters: Iterable[Any]) -> list[NodeRewriter]:
    """The rewriters of nodes that some stand for."""
    found: list[NodeRewriter] = []
    for rewriter in rewriters:
        if isinstance(rewriter, (OfNodes, LocalOptGroup)):
            found += rewriter.rewriters
        elif isinstance(rewriter, NodeRewriter):
            found.append(rewriter)
        else:
            raise TypeError(f"expected a rewriter, got {_what(rewriter)}")
    return found


class TopoOptimizer(OfNodes):
    """A rewriter of nodes, run over a graph.

    Parameters
    ----------
    local_opt : NodeRewriter
        What is run.
    order, ignore_newtrees, failure_callback, name
        Accepted: a node is looked at again until nothing changes, in the order of execution.
    """

    def __init__(
        self,
        local_opt: NodeRewriter,
        order: str = "in_to_out",
        ignore_newtrees: bool = False,
        failure_callback: object = None,
        name: str | None = None,
        **kwargs: object,
    ) -> None:
        super().__init__(local_opt, name=name)

    @staticmethod
    def warn_inplace(*_: object) -> None:
        """Say nothing: a step that would write over what is still read is undone."""

    warn_ignore = warn = warn_inplace


class EquilibriumOptimizer(OfNodes):
    """Rewriters of nodes, run over a graph until nothing changes.

    Parameters
    ----------
    optimizers : sequence of NodeRewriter
        What is run.
    **kwargs
        ``max_use_ratio``, ``ignore_newtrees`` and the like are accepted; `name` is what messages say.
    """

    def __init__(self, optimizers: Iterable[NodeRewriter], *args: object, **kwargs: Any) -> None:
        super().__init__(*optimizers, name=kwargs.get("name"))


def in2out(*local_opts: NodeRewriter, name: str | None = None, **kwargs: object) -> TopoOptimizer:
    """Make a rewriter of graphs of some of nodes."""
    return TopoOptimizer(LocalOptGroup(*local_opts), name=name)


out2in = in2out


class SeqOptimizer(Optimizer, list):  # type: ignore[type-arg]
    """Rewriters of graphs, one after the other.

    Parameters
    ----------
    *opts : Optimizer, or one list of them
        What runs.
    """

    def __init__(self, *opts: Any, name: str | None = None, **kwargs: object) -> None:
        Optimizer.__init__(self)
        list.__init__(self, opts[0] if len(opts) == 1 and isinstance(opts[0], (list, tuple)) else opts)
        self.name = name

    def __hash__(self) -> int:  # type: ignore[override]  # a list that hashes by identity
        return id(self)

    def apply(self, fgraph: _fgraph.FunctionGraph) -> Any:
        """Rewrite a graph."""
        for each in self:
            each.optimize(fgraph)


class MergeOptimizer(Optimizer):
    """Lets equal ops on equal inputs, and equal constants, become one; opweld does so by itself."""

    def apply(self, fgraph: _fgraph.FunctionGraph) -> Any:
        """Rewrite a graph."""
        merge_equal(fgraph)


class LocalOptGroup(LocalOptimizer):
    """Rewriters of nodes, of which the first that has something for a node is taken.

    Parameters
    ----------
    *optimizers : NodeRewriter
        What is asked, in this order.
    """

    def __init__(self, *optimizers: NodeRewriter, **kwargs: object) -> None:
        self.rewriters = _singles(optimizers)
        self.__name__ = " ".join([str(rewriter) for rewriter in self.rewriters])
        self.opts = list(self.rewriters)

    def tracks(self) -> list[Any] | None:
        """Give what any of them wants."""
        found: list[Any] = []
        for rewriter in self.rewriters:
            tracks = rewriter.tracks()
            if tracks is None:
                return None
            found += tracks
        return found

    def transform(self, fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
        """Ask them."""
        return rewrite_one(self.rewriters, fgraph, node)


def rewrite_one(rewriters: Iterable[NodeRewriter], fgraph: _fgraph.FunctionGraph, node: Apply) -> Any:
    """Give what the first of some rewriters that wants a node puts in its place.

    Parameters
    ----------
    rewriters : iterable of NodeRewriter
        What is asked.
    fgraph : FunctionGraph
        The node's graph.
    node : Apply
        The node.

    Returns
    -------
    list of Variable, dict, None or False
    """
    for entry in Index([(str(rewriter), rewriter) for rewriter in rewriters]).wanting(node.op):
        transform: Any = entry.rewriter.transform
        found = transform(fgraph, node) if entry.takes_graph else transform(node)
        if found is not None and found is not False:
            return found
    return False


def copy_stack_trace(from_var: object, to_var: Made) -> Any:
    """Say that variables were made where others were.

    Parameters
    ----------
    from_var : Variable or sequence of Variable
        Whose place is taken.
    to_var : Variable or sequence of Variable
        What a rewriter made.

    Returns
    -------
    Variable or sequence of Variable
        `to_var`.
    """
    sources = from_var if isinstance(from_var, (list, tuple)) else [from_var]
    places = [v.owner for v in sources if isinstance(v, Variable) and v.owner is not None]
    for variable in to_var if isinstance(to_var, (list, tuple)) else [to_var]:
        if places and isinstance(variable, Variable) and variable.owner is not None:
            variable.owner.come_for(places[0])
    return to_var


@contextmanager
def inherit_stack_trace(from_var: object) -> Iterator[None]:
    """Do nothing: a node that a rewriter brings in has the place of the one that it came for."""
    yield


def check_chain(r: Variable | Apply, *chain: Any) -> Any:
    """Say whether a variable, or a node, is made by ops or classes of ops in a row, the last first."""
    node = r.owner if isinstance(r, Variable) else r
    for op in chain[:-1]:
        if node is None or not _is_op(node.op, op):
            return False
        node = next((v.owner for v in node.inputs if v.owner is not None), None)
    return node is not None and _is_op(node.op, chain[-1])


def _is_op(op: object, wanted: object) -> bool:
    return isinstance(op, wanted) if isinstance(wanted, type) else op == wanted


def view_roots(v: Variable) -> Sequence[Variable]:
    """Give the variables whose memory one may share, by what the ops view."""
    node = v.owner
    if node is None or not node.op.view_map:
        return [v]
    sources = node.op.view_map.get(v.index, [])
    return [root for i in sources for root in view_roots(node.inputs[i])] or [v]
