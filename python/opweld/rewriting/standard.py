"""The library's rewriters: one list of stage, rewriter and the ops that it is for.

Nothing here is loaded before a node is there that a rewriter wants, and nothing else registers a rewriter of the
library: what a graph becomes does not depend on what else has been imported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweld.graph.basic import Apply, Constant
from opweld.rewriting.basic import Deferred, FromFunction
from opweld.rewriting.sets import Registration, RewriteSet

__all__ = ["STANDARD", "deferred", "listed", "standard"]


def _of_constants(node: Apply) -> bool:
    return all([isinstance(variable, Constant) for variable in node.inputs])


_ELEMWISE = ("elemwise:Elemwise",)
_VIEWS = ("subtensor:Subtensor", "permute:DimShuffle", "manipulation:Reshape", "manipulation:BroadcastTo")

Row = tuple[str, str, "tuple[str, ...] | None", "Callable[[Apply], bool] | None"]

# stage, rewriter, classes of ops that it is for (None: all), what says whether it could want such a node (None: yes).
# Paths lie under opweld.tensor. Within a stage, a node is shown to them in this order, then to the user's.
STANDARD: tuple[Row, ...] = (
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


def listed(function: Callable[..., Any]) -> FromFunction:
    """Make a rewriter of a function that the list names; it is for the ops of its row.

    Parameters
    ----------
    function : callable
        As `node_rewriter` takes it.

    Returns
    -------
    FromFunction

    Raises
    ------
    LookupError
        If the list does not name it.
    """
    home = f"{function.__module__.removeprefix('opweld.tensor.')}:{function.__name__}"
    for _, place, tracks, _ in STANDARD:
        if place == home:
            return FromFunction(function, _paths(tracks))
    raise LookupError(f"{home} is no row of opweld.rewriting.standard.STANDARD")


def _paths(tracks: tuple[str, ...] | None) -> list[str] | None:
    """The full names of the classes of a row."""
    return None if tracks is None else [f"opweld.tensor.{path.replace(':', '.')}" for path in tracks]


def deferred(home: str, tracks: tuple[str, ...] | None, when: Callable[[Apply], bool] | None) -> Deferred:
    """Make what stands for a rewriter of the list.

    Parameters
    ----------
    home, tracks, when
        As the list has them.

    Returns
    -------
    Deferred
    """
    return Deferred(f"opweld.tensor.{home}", _paths(tracks), when)


def standard() -> RewriteSet:
    """Give the set of the library's rewriters.

    Returns
    -------
    RewriteSet
    """
    return RewriteSet(
        [
            Registration(stage, home.split(":")[1], deferred(home, tracks, when))
            for stage, home, tracks, when in STANDARD
        ]
    )
