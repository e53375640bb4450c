"""Node rewriters: what a user writes to replace a node by something that computes the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from opweld.errors import _what
from opweld.graph.basic import Apply
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op

__all__ = ["Deferred", "FromFunction", "NodeRewriter", "node_rewriter"]


class NodeRewriter:
    """Something that looks at one node and may say what to put in its place.

    A subclass writes `transform`, and `tracks` where it does not want to be shown every node.
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

    def __str__(self) -> str:
        return self.name or getattr(self, "__name__", None) or type(self).__name__


class Deferred(NodeRewriter):
    """Stands for a rewriter that is loaded when the first node comes for it.

    Parameters
    ----------
    home : str
        Where it lies: ``"package.module:name"``.
    tracks : list of str, or None
        Full names of the classes of ops that it is for; None: all.
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
