"""Node rewriters: what a user writes to replace a node by something that computes the same; who wants which nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from weakref import ref

from opweld.errors import _what
from opweld.graph.basic import Apply
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.signatures import signature_of

__all__ = ["Deferred", "Entry", "FromFunction", "Index", "NodeRewriter", "node_rewriter"]


class NodeRewriter:
    """Something that looks at one node and may say what to put in its place.

    A subclass writes `transform`, and `tracks` where it does not want to be shown every node.

    Examples
    --------
    >>> class Doubled(opweld.rewriting.NodeRewriter):
    ...     def tracks(self):
    ...         return [T.add]
    ...     def transform(self, fgraph, node):
    ...         a, b = node.inputs
    ...         return [a * 2] if a is b else None
    >>> x = T.dvector("x")
    >>> graph = opweld.FunctionGraph([x], [x + x])
    >>> [str(v.owner.op) for v in Doubled().transform(graph, graph.outputs[0].owner)]
    ['Elemwise{multiply}']
    """

    name: str | None = None

    def tracks(self) -> list[Any] | None:
        """Say which nodes are wanted.

        Returns
        -------
        list of (Op, type or str), or None
            Ops that ``node.op`` equals, and classes that it is an instance of, or their full names, where a class need
            not be loaded before there is an op of it; None: every node.
        """
        return None

    def could(self, node: Apply) -> bool:
        """Say quickly whether a node of those that are wanted could be replaced at all.

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        bool
            False: `transform` would do nothing, so it is not called.
        """
        return True

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Any:
        """Look at a node.

        Parameters
        ----------
        fgraph : FunctionGraph
            Its graph; a `transform` that takes only `node` is called without it.
        node : Apply
            The node.

        Returns
        -------
        list of Variable, dict, or None or False
            What stands for each output, of the same types; or what stands for which variable; or nothing to do.
        """
        raise NotImplementedError(f"{type(self).__name__}: transform is not written")

    def add_requirements(self, fgraph: FunctionGraph) -> None:
        """Do nothing; older rewriters override it."""

    def begin(self, fgraph: FunctionGraph) -> None:
        """Hear that a stage begins to run over a graph.

        Parameters
        ----------
        fgraph : FunctionGraph
            The graph; `add_requirements` is called with it.
        """
        self.add_requirements(fgraph)

    def __str__(self) -> str:
        return self.name or getattr(self, "__name__", None) or type(self).__name__


class Deferred(NodeRewriter):
    """Stands for a rewriter that is loaded when the first node comes for it.

    Parameters
    ----------
    home : str
        Where it lies: ``"package.module:name"``.
    tracks : list of str, or None
        Full names of the classes of ops that it is for; None: all. Behind one may stand, in braces, the name, or the
        class's, of the scalar op that it is about.
    when : callable, optional
        Says whether it could want a node of such an op.
    """

    def __init__(self, home: str, tracks: list[str] | None, when: Callable[[Apply], bool] | None = None) -> None:
        self.__module__, self.__name__ = home.split(":")
        self._tracks = tracks
        self._when = when
        self._loaded: Any = None

    def tracks(self) -> list[Any] | None:
        """Give the full names of the classes."""
        return self._tracks

    def load(self) -> NodeRewriter:
        """Give the rewriter itself.

        Returns
        -------
        NodeRewriter
        """
        if self._loaded is None:
            from importlib import import_module

            self._loaded = getattr(import_module(self.__module__), self.__name__)
        return self._loaded  # type: ignore[no-any-return]

    def could(self, node: Apply) -> bool:
        """Ask what was given for that."""
        return self._when is None or self._when(node)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Any:
        """Ask the rewriter."""
        return (self._loaded or self.load()).transform(fgraph, node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deferred) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash((self.__module__, self.__name__))

    def __reduce__(self) -> tuple[Any, ...]:
        return Deferred, (f"{self.__module__}:{self.__name__}", self._tracks, self._when)

    def __repr__(self) -> str:
        return f"<node rewriter {self.__name__}>"


class FromFunction(NodeRewriter):
    """A function as a rewriter.

    Parameters
    ----------
    function : callable
        Of a node, or of a graph and a node, as `node_rewriter` says.
    tracks : list of (Op, type or str), or None
        As `NodeRewriter.tracks` gives it.
    """

    def __init__(self, function: Callable[..., Any], tracks: list[Any] | None) -> None:
        self.fn = function
        self._tracks = tracks
        self.transform = function  # type: ignore[method-assign]
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__module__ = getattr(function, "__module__", __name__)
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def tracks(self) -> list[Any] | None:
        """Give what was given."""
        return self._tracks

    def __call__(self, *args: Any) -> Any:
        """Ask the function."""
        return self.fn(*args)

    def __reduce__(self) -> str:  # the name of the function is the rewriter's
        return str(getattr(self.fn, "__qualname__", self.__name__))

    def __repr__(self) -> str:
        return f"<node rewriter {self.__name__}>"


def node_rewriter(
    tracks: Iterable[Any] | None, inplace: bool = False, requirements: Iterable[Any] = ()
) -> Callable[[Callable[..., Any]], NodeRewriter]:
    """Make a rewriter of a function of one node.

    Parameters
    ----------
    tracks : list of (Op or type), or None
        Which nodes the function is shown: those whose op equals one of these ops or is an instance of one of these
        classes; None: all.
    inplace, requirements
        Accepted; rewriters written for others give them.

    Returns
    -------
    callable
        Turns ``f(node)`` or ``f(fgraph, node)`` into a rewriter. It returns a list of variables that stand for the
        node's outputs, of their types; or a dict of variable to variable; or None or False.

    Raises
    ------
    TypeError
        If `tracks` holds what is neither an op nor a class.

    Examples
    --------
    >>> from opweld.rewriting import RewriteSet, node_rewriter, rewrite_graph
    >>> @node_rewriter([T.exp])
    ... def exp_of_log(fgraph, node):
    ...     below = node.inputs[0].owner
    ...     return [below.inputs[0]] if below is not None and below.op == T.log else None
    ...
    >>> x = T.dvector("x")
    >>> graph = opweld.FunctionGraph([x], [T.exp(T.log(x)) + 1])
    >>> rewrite_graph(graph, RewriteSet().with_("canonicalize", exp_of_log))
    True
    >>> [str(node.op) for node in graph.toposort()]
    ['Elemwise{add}']
    """
    wanted = None if tracks is None else list(_listed(tracks))
    for position, item in enumerate(wanted or ()):
        if not isinstance(item, (Op, type)):
            raise TypeError(f"node_rewriter: tracks[{position}] must be an op or a class of ops, got {_what(item)}")
    if wanted is not None and not wanted:
        raise TypeError("node_rewriter: tracks is empty; pass None to be shown every node")

    def decorate(function: Callable[..., Any]) -> NodeRewriter:
        if not callable(function):
            raise TypeError(f"node_rewriter: expected a function of a node, got {_what(function)}")
        return FromFunction(function, wanted)

    return decorate


def _listed(tracks: Any) -> Iterable[Any]:
    try:
        return list(tracks)
    except TypeError:
        raise TypeError(
            f"node_rewriter: tracks must be a list of ops or classes, or None, got {_what(tracks)}; "
            "is the list missing, as in @node_rewriter([op])?"
        ) from None


class Entry:
    """A rewriter in an index, and what it tracks: everything, classes, full names of classes, ops.

    Parameters
    ----------
    name : str
        As registered.
    rewriter : NodeRewriter
        The rewriter.

    Attributes
    ----------
    name, rewriter
        As given.
    takes_graph : bool
        Its `transform` takes the graph before the node.
    """

    def __init__(self, name: str, rewriter: NodeRewriter) -> None:
        self.name = name
        self.rewriter = rewriter
        found = signature_of(rewriter.transform)
        self.takes_graph = found is None or found.needed >= 2 or found.many
        tracks = rewriter.tracks()
        self.all = tracks is None
        self.classes = tuple([item for item in tracks or () if isinstance(item, type)])
        self.by_op = any(hasattr(item, "takes") for item in self.classes)  # classes of which some ops are instances
        self.paths = {item for item in tracks or () if isinstance(item, str)}
        self.narrow = {path.partition("{")[0] for path in self.paths if path.endswith("}")}  # of some ops of a class
        self.hashed: set[Any] = set()
        self.plain: list[Any] = []
        for item in tracks or ():
            if not isinstance(item, (type, str)):
                try:
                    self.hashed.add(item)
                except TypeError:
                    self.plain.append(item)


class _Found:
    """What was found of objects by identity, as long as they live: an index outlives the graphs that it met."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[ref[Any], list[Entry] | None]] = {}

    def get(self, item: object) -> tuple[ref[Any], list[Entry] | None] | None:
        known = self._known.get(id(item))
        return known if known is not None and known[0]() is item else None

    def put(self, item: object, found: list[Entry] | None) -> None:
        known, key = self._known, id(item)
        try:
            known[key] = ref(item, lambda _: known.pop(key, None)), found
        except TypeError:  # no room for a weak reference: it is looked for each time
            pass


class Index:
    """Which rewriters want a node.

    Parameters
    ----------
    rewriters : iterable of (str, NodeRewriter)
        Each with its name, in the order in which a node is shown to them.

    Attributes
    ----------
    entries : list of Entry
        In that order.
    """

    def __init__(self, rewriters: Iterable[tuple[str, NodeRewriter]]) -> None:
        self.entries = [Entry(name, rewriter) for name, rewriter in rewriters]
        self._of_class = _Found()  # None: it depends on the op
        self._of_op = _Found()

    def wanting(self, op: object) -> list[Entry]:
        """Give the rewriters for nodes of an op, in the order of registration.

        Parameters
        ----------
        op : Op
            The nodes' op.

        Returns
        -------
        list of Entry
        """
        cls = type(op)
        known = self._of_class.get(cls)
        if known is not None and known[1] is None:
            known = self._of_op.get(op)
        if known is not None and known[1] is not None:
            return known[1]
        found, by_op = [], False
        paths = {f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__}
        scalar_op = getattr(op, "scalar_op", None)
        inner = {getattr(scalar_op, "name", None), type(scalar_op).__name__}
        named = paths.union([f"{path}{{{name}}}" for path in paths for name in inner])
        for entry in self.entries:
            by_op = by_op or entry.by_op or not entry.narrow.isdisjoint(paths)
            if entry.all or isinstance(op, entry.classes) or not entry.paths.isdisjoint(named):
                found.append(entry)
            elif entry.hashed or entry.plain:
                by_op = True
                if _among(op, entry.hashed, entry.plain):
                    found.append(entry)
        self._of_class.put(cls, None if by_op else found)
        if by_op:
            self._of_op.put(op, found)
        return found

    def any_for(self, nodes: Iterable[Apply]) -> bool:
        """Say whether a rewriter could do something to one of these nodes as they are.

        Parameters
        ----------
        nodes : iterable of Apply
            A graph's nodes.

        Returns
        -------
        bool
            False: there is nothing to do for the whole graph.
        """
        known: dict[int, list[Entry]] = {}  # by id of the nodes' ops
        for node in nodes:
            wanted = known.get(id(node.op))
            if wanted is None:
                wanted = known[id(node.op)] = self.wanting(node.op)
            for entry in wanted:
                if entry.rewriter.could(node):
                    return True
        return False


def _among(op: object, hashed: set[Any], plain: list[Any]) -> bool:
    try:
        if op in hashed:
            return True
    except TypeError:
        if any(op == item for item in hashed):
            return True
    return any(op == item for item in plain)
