"""The library's rewriters: one list of stage, rewriter and the ops that it is for.

Nothing here is loaded before a node is there that a rewriter wants, and nothing else registers a rewriter of the
library: what a graph becomes does not depend on what else has been imported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from opweld.graph.basic import Apply, Constant
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.basic import NodeRewriter

__all__ = ["STANDARD", "Standard"]


def _of_constants(node: Apply) -> bool:
    return all([isinstance(variable, Constant) for variable in node.inputs])


_ROOM = "opweld.tensor"
_ELEMWISE = ("elemwise:Elemwise",)
_VIEWS = ("subtensor:Subtensor", "permute:DimShuffle", "manipulation:Reshape", "manipulation:BroadcastTo")

# stage, rewriter, classes of ops that it is for (None: all), what says whether it could want such a node (None: yes).
# Paths lie under opweld.tensor. Within a stage, a node is shown to them in this order, then to the user's.
STANDARD: tuple[tuple[str, str, tuple[str, ...] | None, Callable[[Apply], bool] | None], ...] = (
    ("canonicalize", "rewriting:fold_constants", None, _of_constants),
    ("canonicalize", "rewriting:shape_without_value", ("shapes:Shape", "shapes:Shape_i"), None),
    ("canonicalize", "rewriting_elemwise:twice", _ELEMWISE, None),
    ("canonicalize", "rewriting_elemwise:cast_of_cast", _ELEMWISE, None),
    ("canonicalize", "rewriting_elemwise:neutral", _ELEMWISE, None),
    ("canonicalize", "rewriting_elemwise:where_known", _ELEMWISE, None),
    ("canonicalize", "rewriting_views:view_of_all", _VIEWS, None),
    ("canonicalize", "rewriting_views:dimshuffle_of_dimshuffle", ("permute:DimShuffle",), None),
    ("canonicalize", "rewriting_views:part_of_numbers", ("subtensor:Subtensor",), None),
    ("specialize", "rewriting_elemwise:power_of_two", _ELEMWISE, None),
    ("inplace", "rewriting_elemwise:elemwise_in_place", _ELEMWISE, None),
    ("inplace", "rewriting_views:write_in_place", ("subtensor:Writing",), None),
)


class Standard(NodeRewriter):
    """Stands for a rewriter of the list, which is loaded when the first node comes for it.

    Parameters
    ----------
    home, tracks, when
        As the list has them.
    """

    def __init__(self, home: str, tracks: tuple[str, ...] | None, when: Callable[[Apply], bool] | None) -> None:
        module, self.__name__ = home.split(":")
        self.__module__ = f"{_ROOM}.{module}"
        self._tracks = None if tracks is None else [f"{_ROOM}.{path.replace(':', '.')}" for path in tracks]
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
            self._loaded = getattr(import_module(self.__module__), self.__name__)
        return self._loaded  # type: ignore[no-any-return]

    def could(self, node: Apply) -> bool:
        """Ask what the list has for that."""
        return self._when is None or self._when(node)

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Any:
        """Ask the rewriter."""
        return (self._loaded or self.load()).transform(fgraph, node)

    def __repr__(self) -> str:
        return f"<node rewriter {self.__name__}>"
