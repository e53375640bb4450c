"""Sets of rewriters, as values: which rewriters there are, in which stage, and which of them are chosen."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import CodeType
from typing import Any

from opweld.errors import _what
from opweld.rewriting.basic import Deferred, Index, NodeRewriter
from opweld.signatures import code_of

__all__ = ["STAGES", "Registration", "RewriteSet"]

_TAGS: dict[str, tuple[str, ...]] = {  # stage, in the order of their runs -> tags of every rewriter in it
    "canonicalize": ("fast_run", "fast_compile"),
    "stabilize": ("fast_run",),
    "specialize": ("fast_run",),
    "inplace": ("fast_run",),
}
STAGES = tuple(_TAGS)


class Registration:
    """A rewriter's place in a set.

    Parameters
    ----------
    stage : str
        One of `STAGES`.
    name : str
        What messages call it; no other one of its stage has this name.
    rewriter : NodeRewriter
        The rewriter.
    tags : frozenset of str
        What it is chosen by; its name and its stage's are among them.
    usual : bool
        False: it has no tags of its stage, so that only a mode which names it runs it.
    """

    __slots__ = ("name", "rewriter", "stage", "tags")

    def __init__(
        self, stage: str, name: str, rewriter: NodeRewriter, tags: Iterable[str] = (), usual: bool = True
    ) -> None:
        self.stage = stage
        self.name = name
        self.rewriter = rewriter
        self.tags = frozenset((name, *((stage, *_TAGS[stage]) if usual else ()), *tags))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Registration) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((self.stage, self.name))

    def _parts(self) -> tuple[Any, ...]:
        return self.stage, self.name, self.rewriter, self.tags

    def __repr__(self) -> str:
        return f"<{self.stage}: {self.name}>"


class RewriteSet:
    """An immutable set of rewriters, in the order in which a node is shown to them.

    Every method that changes something gives another set. Of what a set holds, a part is chosen: everything, until
    `including` says by which tags, less what `excluding` names. A tag is a rewriter's name, its stage, ``"fast_run"``
    or ``"fast_compile"``, or what it was registered with.

    Parameters
    ----------
    registrations : iterable of Registration
        What it holds.
    include : collection of str, optional
        Tags of what is chosen; None: everything.
    exclude : collection of str
        Tags of what is not.

    Attributes
    ----------
    registrations : tuple of Registration
        What it holds, chosen or not.

    Examples
    --------
    >>> from opweld.rewriting import registry
    >>> fewer = registry.rewrites.without("fold_constants")
    >>> "fold_constants" in [each.name for each in fewer.query("canonicalize")]
    False
    """

    __slots__ = ("_exclude", "_include", "_made", "registrations")

    _made: dict[Any, Any]  # of it: what asking it again would give anew
    registrations: tuple[Registration, ...]
    _include: frozenset[str] | None
    _exclude: frozenset[str]

    def __init__(
        self,
        registrations: Iterable[Registration] = (),
        include: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "registrations", tuple(registrations))
        put(self, "_include", None if include is None else frozenset(include))
        put(self, "_exclude", frozenset(exclude))
        put(self, "_made", {})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a RewriteSet cannot be changed: {name}; with_(), without(), including() … give another")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return RewriteSet, (self.registrations, self._include, self._exclude)

    # -- what is chosen --

    def including(self, *tags: str) -> RewriteSet:
        """Choose what has one of these tags, besides what such tags have chosen before.

        Parameters
        ----------
        *tags : str
            The tags.

        Returns
        -------
        RewriteSet
        """
        made: RewriteSet | None = self._made.get(tags)
        if made is None:
            include = (self._include or frozenset()).union(tags)
            made = self._made[tags] = RewriteSet(self.registrations, include, self._exclude)
        return made

    def excluding(self, *tags: str) -> RewriteSet:
        """Leave out what has one of these tags.

        Parameters
        ----------
        *tags : str
            The tags.

        Returns
        -------
        RewriteSet
        """
        return RewriteSet(self.registrations, self._include, self._exclude.union(tags))

    def query(self, stage: str | None = None, op: object = None) -> list[Registration]:
        """Give what is chosen.

        Parameters
        ----------
        stage : str, optional
            Of this stage only.
        op : Op, optional
            Only those to which a node of this op is shown.

        Returns
        -------
        list of Registration
            In the order of the stages, and in each in the order in which a node is shown to them.

        Raises
        ------
        ValueError
            If there is no such stage.
        """
        if stage is not None:
            _known(stage, "query")
        found = [self._chosen(name) for name in (STAGES if stage is None else (stage,))]
        if op is not None:
            wanting = [Index((item.name, item.rewriter) for item in items).wanting(op) for items in found]
            names = [{entry.name for entry in entries} for entries in wanting]
            found = [[item for item in items if item.name in own] for items, own in zip(found, names)]
        return [item for items in found for item in items]

    def indexes(self) -> list[tuple[str, Index]]:
        """Give what tells which of the chosen rewriters want a node.

        Returns
        -------
        list of (str, Index)
            Of each stage of which some are chosen, in order; the same ones each time.
        """
        found: list[tuple[str, Index]] | None = self._made.get(Index)
        if found is None:
            chosen = [(stage, self._chosen(stage)) for stage in STAGES]
            found = [(stage, Index((item.name, item.rewriter) for item in items)) for stage, items in chosen if items]
            self._made[Index] = found
        return found

    def _chosen(self, stage: str) -> list[Registration]:
        include, exclude = self._include, self._exclude
        return [
            item
            for item in self.registrations
            if item.stage == stage
            and (include is None or not include.isdisjoint(item.tags))
            and exclude.isdisjoint(item.tags)
        ]

    def __iter__(self) -> Iterator[Registration]:
        return iter(self.query())

    def __len__(self) -> int:
        return len(self.query())

    def __contains__(self, name: str) -> bool:
        return any(item.name == name for item in self)

    # -- what is held --

    def with_(self, stage: str, rewriter: NodeRewriter, *tags: str, name: str | None = None) -> RewriteSet:
        """Put a rewriter behind those of its stage.

        Parameters
        ----------
        stage : str
            One of `STAGES`.
        rewriter : NodeRewriter
            The rewriter.
        *tags : str
            Further tags.
        name : str, optional
            What messages call it; its own name if left out.

        Returns
        -------
        RewriteSet

        Raises
        ------
        TypeError
            If it is no rewriter.
        ValueError
            If there is no such stage; if another rewriter of the name, written elsewhere, is in the stage.

        Notes
        -----
        The very same rewriter counts once. Two that one piece of code made, a factory or a class, are two: the second
        is called ``name~2``. One that was written anew, in a cell that ran again or a module that was reloaded, takes
        the place of the one before.
        """
        _known(stage, "with_")
        return self._with(f"with_({stage!r})", stage, rewriter, tags, name)

    def _with(
        self,
        who: str,
        stage: str,
        rewriter: NodeRewriter,
        tags: tuple[str, ...],
        name: str | None,
        usual: bool = True,
    ) -> RewriteSet:
        if isinstance(rewriter, type) or not isinstance(rewriter, NodeRewriter):
            raise TypeError(
                f"{who}: expected a node rewriter, got {_what(rewriter)}; put @node_rewriter([op]) under it"
            )
        called = self._called(who, stage, rewriter, name)
        fresh = Registration(stage, called, rewriter, tags, usual)
        items = list(self.registrations)
        place = next((i for i, item in enumerate(items) if (item.stage, item.name) == (stage, called)), None)
        if place is None:
            items.append(fresh)
        else:
            items[place] = fresh
        return RewriteSet(items, self._include, self._exclude)

    def without(self, *names: str, stage: str | None = None) -> RewriteSet:
        """Take rewriters out.

        Parameters
        ----------
        *names : str
            Their names.
        stage : str, optional
            The only stage to take them out of; left out: all.

        Returns
        -------
        RewriteSet

        Raises
        ------
        ValueError
            If there is none of such a name.
        """
        if stage is not None:
            _known(stage, "without")
        there = [item for item in self.registrations if stage in (None, item.stage)]
        held = {item.name for item in there}
        for name in names:
            if name not in held:
                raise ValueError(f"without: no rewriter {name!r}; there are {', '.join(sorted(held)) or 'none'}")
        gone = {id(item) for item in there if item.name in names}
        return RewriteSet([i for i in self.registrations if id(i) not in gone], self._include, self._exclude)

    def _called(self, who: str, stage: str, rewriter: NodeRewriter, name: str | None) -> str:
        """The name under which a rewriter is entered; its place is taken from whom it replaces."""
        there = {item.name: item.rewriter for item in self.registrations if item.stage == stage}
        if name is None:
            for called, other in there.items():
                if other is rewriter:
                    return called
        wanted = called = name or str(rewriter)
        number = 1
        while called in there:
            other = there[called]
            if other is rewriter or (isinstance(other, Deferred) and other.load() is rewriter):
                break
            alike = _code(other) is _code(rewriter)
            if alike and name is None:
                number += 1
                called = f"{wanted}~{number}"
                continue
            if alike or not _anew(other, rewriter, name is not None):
                raise ValueError(
                    f"{who}: there is a rewriter {called!r} already, of module {_module(other)}; "
                    f"pass {'name=...' if name is None else 'another name'}, or take that one out by "
                    f"{'registry.remove' if who.startswith('register') else 'without'}({called!r}, stage={stage!r})"
                )
            break
        return called

    # -- as a value --

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RewriteSet) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.registrations)

    def __repr__(self) -> str:
        stages = [(stage, ", ".join([item.name for item in self._chosen(stage)])) for stage in STAGES]
        return f"<rewrites: {'; '.join([f'{stage}: {names}' for stage, names in stages if names]) or 'none'}>"


def _known(stage: str, who: str) -> None:
    if stage not in _TAGS:
        raise ValueError(f"{who}: no stage {stage!r}; there are {', '.join(STAGES)}")


def _module(rewriter: NodeRewriter) -> str:
    own = getattr(rewriter, "__dict__", {}).get("__module__")
    return str(own or type(rewriter).__module__)


def _code(rewriter: NodeRewriter) -> CodeType | None:
    """What a rewriter does: the same for all that a factory makes, and for all instances of a class."""
    return code_of(getattr(rewriter, "fn", None) or type(rewriter).transform)


def _anew(one: NodeRewriter, other: NodeRewriter, named: bool) -> bool:
    """Whether the second is the first, written anew: a cell of a notebook that ran again, a module reloaded."""
    written = [getattr(rewriter, "fn", type(rewriter)) for rewriter in (one, other)]
    names = [getattr(item, "__qualname__", None) for item in written]
    if names[0] is None or names[0] != names[1] or _module(one) != _module(other):
        return False
    if names[0].endswith("<lambda>") and not named:
        return False
    return not _side_by_side(_code(one), _code(other))


def _side_by_side(one: CodeType | None, other: CodeType | None) -> bool:
    """Whether two pieces of code stand in one text that is running: it has two definitions of one name."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        if _holds(frame.f_code, other) and _holds(frame.f_code, one):
            return True
        frame = frame.f_back
    return False


def _holds(outer: CodeType, inner: CodeType | None) -> bool:
    parts = [part for part in outer.co_consts if isinstance(part, CodeType)]
    return any(part is inner or _holds(part, inner) for part in parts)
