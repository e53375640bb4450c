"""The library's rewriters: one list of stage, rewriter and the ops that it is for.

Nothing here is loaded before a node is there that a rewriter wants, and nothing else registers a rewriter of the
library: what a graph becomes does not depend on what else has been imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from opweld.graph.basic import Apply, Constant
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.basic import NodeRewriter

__all__ = ["STANDARD", "Standard"]


def _of_constants(node: Apply) -> bool:
    return all([isinstance(variable, Constant) for variable in node.inputs])


class Row(NamedTuple):
    """A rewriter of the library.

    Attributes
    ----------
    stage : str
        Its stage.
    home : str
        ``module:name`` under ``opweld.tensor``.
    tracks : tuple of str, or None
        The classes of ops that it is for, ``module:name`` likewise; None: all.
    when : callable, optional
        Says of a node of these whether the rewriter could want it; asked before the rewriter is loaded.
    """

    stage: str
    home: str
    tracks: tuple[str, ...] | None
    when: Callable[[Apply], bool] | None = None


_ROOM = "opweld.tensor"
_ELEMWISE = ("elemwise:Elemwise",)
_VIEWS = ("subtensor:Subtensor", "permute:DimShuffle", "manipulation:Reshape", "manipulation:BroadcastTo")

STANDARD = (  # within a stage, a node is shown to them in this order, then to the user's
    Row("canonicalize", "rewriting:fold_constants", None, _of_constants),
    Row("canonicalize", "rewriting:shape_without_value", ("shapes:Shape", "shapes:Shape_i")),
    Row("canonicalize", "rewriting_elemwise:twice", _ELEMWISE),
    Row("canonicalize", "rewriting_elemwise:cast_of_cast", _ELEMWISE),
    Row("canonicalize", "rewriting_elemwise:neutral", _ELEMWISE),
    Row("canonicalize", "rewriting_elemwise:where_known", _ELEMWISE),
    Row("canonicalize", "rewriting_views:view_of_all", _VIEWS),
    Row("canonicalize", "rewriting_views:dimshuffle_of_dimshuffle", ("permute:DimShuffle",)),
    Row("canonicalize", "rewriting_views:part_of_numbers", ("subtensor:Subtensor",)),
    Row("specialize", "rewriting_elemwise:power_of_two", _ELEMWISE),
    Row("inplace", "rewriting_elemwise:elemwise_in_place", _ELEMWISE),
    Row("inplace", "rewriting_views:write_in_place", ("subtensor:Writing",)),
)


class Standard(NodeRewriter):
    """Stands for a rewriter of the list, which is loaded when the first node comes for it.

    Parameters
    ----------
    row : Row
        Its entry.
    """

    def __init__(self, row: Row) -> None:
        module, self.__name__ = row.home.split(":")
        self.__module__ = f"{_ROOM}.{module}"
        self._tracks = None
        if row.tracks is not None:
            self._tracks = [f"{_ROOM}.{path.replace(':', '.')}" for path in row.tracks]
        self._when = row.when
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
            self._loaded = getattr(import_module(self.__module__), self.__name__)
        return self._loaded  # type: ignore[no-any-return]

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Any:
        """Ask the rewriter."""
        if self._when is not None and not self._when(node):
            return None
        return (self._loaded or self.load()).transform(fgraph, node)

    def __repr__(self) -> str:
        return f"<node rewriter {self.__name__}>"
