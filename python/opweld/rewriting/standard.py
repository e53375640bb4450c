"""The library's rewriters: one list of stage, rewriter and the ops that it is for.

Nothing here is loaded before a node is there that a rewriter wants, and nothing else registers a rewriter of the
library: what a graph becomes does not depend on what else has been imported.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable
from functools import partial
from typing import Any

from opweld.errors import _refuse_unknown, _what
from opweld.graph.basic import Apply, Constant
from opweld.rewriting.basic import Deferred, FromFunction
from opweld.rewriting.sets import Registration, RewriteSet, _known

__all__ = [
    "Registry", "STANDARD", "deferred", "listed", "register_canonicalize", "register_inplace",
    "register_specialize", "register_stabilize", "registry", "standard",
]  # fmt: skip


def _of_constants(node: Apply) -> bool:
    return all([isinstance(variable, Constant) for variable in node.inputs])


def _with_constant(node: Apply) -> bool:
    return any([isinstance(variable, Constant) for variable in node.inputs])


def _on_computed(node: Apply) -> bool:
    return not node.op.destroy_map and any([variable.owner is not None for variable in node.inputs])


def _elemwise(*names: str) -> tuple[str, ...]:
    """Elemwise of these scalar ops, by their names or their classes'; of all, if there are none."""
    return tuple([f"elemwise:Elemwise{{{name}}}" for name in names]) or ("elemwise:Elemwise",)


_INVOLUTIONS = _elemwise("negative", "invert", "conjugate", "logical_not", "Identity")
_WITH_NEUTRAL = _elemwise(
    "add", "subtract", "multiply", "divide", "power", "bitwise_or", "bitwise_xor", "bitwise_and", "left_shift",
    "right_shift",
)  # fmt: skip
_VIEWS = ("subtensor:Subtensor", "permute:DimShuffle", "manipulation:Reshape", "manipulation:BroadcastTo")

Row = tuple[str, str, "tuple[str, ...] | None", "Callable[[Apply], bool] | None"]

# stage, rewriter, ops that it is for, by class (None: all), what says whether it could want such a node (None: yes).
# Paths lie under opweld.tensor. Within a stage, a node is shown to them in this order, then to the user's.
STANDARD: tuple[Row, ...] = (
    ("canonicalize", "rewriting:fold_constants", None, _of_constants),
    ("canonicalize", "rewriting:shape_without_value", ("shapes:Shape", "shapes:Shape_i"), None),
    ("canonicalize", "rewriting_elemwise:twice", _INVOLUTIONS, None),
    ("canonicalize", "rewriting_elemwise:cast_of_cast", _elemwise("Cast"), None),
    ("canonicalize", "rewriting_elemwise:neutral", _WITH_NEUTRAL, _with_constant),
    ("canonicalize", "rewriting_elemwise:where_known", _elemwise("Where"), _with_constant),
    ("canonicalize", "rewriting_views:view_of_all", _VIEWS, None),
    ("canonicalize", "rewriting_views:dimshuffle_of_dimshuffle", ("permute:DimShuffle",), None),
    ("canonicalize", "rewriting_views:part_of_numbers", ("subtensor:Subtensor",), None),
    ("specialize", "rewriting_elemwise:whole_power", _elemwise("power"), _with_constant),
    ("specialize", "rewriting_elemwise:quotient_by_power", _elemwise("divide"), _with_constant),
    ("inplace", "rewriting_elemwise:elemwise_in_place", _elemwise(), _on_computed),
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


_THEIRS = ("use_db_name_as_tag", "position", "final_opt", "final_rewriter", "cleanup")


class Registry:
    """Holds a set of rewriters, and another one after each registration.

    Parameters
    ----------
    rewrites : RewriteSet, optional
        The first one; the library's own rewriters if left out.

    Attributes
    ----------
    first : RewriteSet
        What it began with.

    Examples
    --------
    >>> found = opweld.rewriting.registry.rewrites
    >>> any(entry.name == "where_known" for entry in found)
    True
    """

    def __init__(self, rewrites: RewriteSet | None = None) -> None:
        self._rewrites = self.first = standard() if rewrites is None else rewrites
        self._lock = allocate_lock()

    @property
    def rewrites(self) -> RewriteSet:
        """The set as it is now; another one may be put in its place."""
        return self._rewrites

    @rewrites.setter
    def rewrites(self, rewrites: RewriteSet) -> None:
        if not isinstance(rewrites, RewriteSet):
            raise TypeError(f"registry.rewrites: expected a RewriteSet, got {_what(rewrites)}")
        self._rewrites = rewrites

    def register(
        self, stage: str, rewriter: Any = None, *tags: str, name: str | None = None, usual: bool = True, **kwargs: Any
    ) -> Any:
        """Hold a set with this rewriter from now on; a decorator, with or without further arguments.

        Parameters
        ----------
        stage : str
            One of `opweld.rewriting.STAGES`.
        rewriter : NodeRewriter, optional
            What to register; left out, or a string (a tag): a decorator is given back.
        *tags : str
            Further tags. With ``"inplace"`` among them it runs in that stage, which undoes a step that would write
            over what is still needed.
        name : str, optional
            The name that messages give it; its own if left out.
        usual : bool
            False: it runs only where a mode names it, or one of its tags.
        **kwargs
            ``use_db_name_as_tag``, ``position``, ``final_opt``, ``final_rewriter`` and ``cleanup``, which rewriters
            of other packages give, are accepted and change nothing.

        Returns
        -------
        NodeRewriter or callable
            `rewriter` itself, or the decorator.

        Raises
        ------
        TypeError
            If it is no rewriter, or a keyword is none of anybody's.
        ValueError
            As `RewriteSet.with_` says, which also says what becomes of a name that is taken.
        """
        _known(stage, "register")
        who = f"register_{stage}"
        if kwargs:
            _refuse_unknown(who, kwargs, ("rewriter", "name", "usual"), _THEIRS)
        if rewriter is None or isinstance(rewriter, str):
            further = tags if rewriter is None else (rewriter, *tags)

            def decorate(found: object) -> Any:
                return self.register(stage, found, *further, name=name, usual=usual)

            return decorate
        stage = "inplace" if "inplace" in tags else stage
        with self._lock:
            self._rewrites = self._rewrites._with(who, stage, rewriter, tags, name, usual)
        return rewriter

    def remove(self, *names: str, stage: str | None = None) -> None:
        """Hold a set without these rewriters from now on.

        Parameters
        ----------
        *names : str
            As registered.
        stage : str, optional
            The only stage to take them out of; left out: all.

        Raises
        ------
        ValueError
            If there is none of such a name.
        """
        with self._lock:
            self._rewrites = self._rewrites.without(*names, stage=stage)

    def __repr__(self) -> str:
        return f"<registry of {len(self._rewrites)} rewriters>"


registry = Registry()

register_canonicalize: Callable[..., Any] = partial(registry.register, "canonicalize")
register_stabilize: Callable[..., Any] = partial(registry.register, "stabilize")
register_specialize: Callable[..., Any] = partial(registry.register, "specialize")
register_inplace: Callable[..., Any] = partial(registry.register, "inplace")
