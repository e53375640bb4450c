"""``optdb`` and its like: databases of rewriters, as Theano, Aesara and PyTensor have them, over opweld's stages.

The position under which something is registered says in which stage it runs. In a stage, rewriters run until none has
anything left to do: positions put nothing in order that lies within one. What has none of the tags of a usual mode
(``"fast_run"``, ``"fast_compile"``) runs where a mode names it: ``mode.including("name")``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from opweld.compat.rewriters import LocalOptimizer, OfNodes, Optimizer, SeqOptimizer, TopoOptimizer
from opweld.errors import _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.op import Op
from opweld.rewriting.basic import NodeRewriter
from opweld.rewriting.sets import STAGES
from opweld.rewriting.standard import registry
from opweld.tensor import ufuncs

__all__ = [
    "DB",
    "Canonizer",
    "EquilibriumDB",
    "LocalGroupDB",
    "Query",
    "SequenceDB",
    "blas_optdb",
    "optdb",
    "stage_at",
]

Held: TypeAlias = Any  # a rewriter or a database; given back

_USUAL = frozenset(("fast_run", "fast_compile"))
_BOUNDS = ((1.5, "canonicalize"), (2.0, "stabilize"), (49.5, "specialize"))


def stage_at(position: float) -> str:
    """Give the stage in which a position of ``optdb`` lies.

    Parameters
    ----------
    position : float
        There, 1 is where graphs are made canonical, 1.5 stable, 2 special, and from 49.5 on ops write over inputs.

    Returns
    -------
    str
        One of `opweld.rewriting.STAGES`.
    """
    return next((stage for bound, stage in _BOUNDS if position < bound), "inplace")


class Query:
    """Says which rewriters of a database are wanted.

    Parameters
    ----------
    include, require, exclude : iterable of str
        Tags: one of these, all of these, none of these.
    """

    def __init__(
        self,
        include: Iterable[str] = (),
        require: Iterable[str] | None = None,
        exclude: Iterable[str] | None = None,
        **_: object,
    ) -> None:
        self.include, self.require, self.exclude = set(include or ()), set(require or ()), set(exclude or ())

    def including(self, *tags: str) -> Query:
        """Give a query that wants these besides."""
        return Query(self.include | set(tags), self.require, self.exclude)

    def requiring(self, *tags: str) -> Query:
        """Give a query that wants only what has these."""
        return Query(self.include, self.require | set(tags), self.exclude)

    def excluding(self, *tags: str) -> Query:
        """Give a query that does not want these."""
        return Query(self.include, self.require, self.exclude | set(tags))

    def takes(self, tags: set[str]) -> bool:
        """Say whether something of these tags is wanted."""
        return not self.include.isdisjoint(tags) and self.require <= tags and self.exclude.isdisjoint(tags)


class DB:
    """Rewriters by their names, each with tags.

    Parameters
    ----------
    stage : str, optional
        Where what is registered runs; None: nowhere, until the database is registered in another.
    """

    def __init__(self, stage: str | None = None, **kwargs: object) -> None:
        self.stage = stage
        self.name: str | None = None
        self._held: dict[str, tuple[Any, tuple[str, ...], float | None]] = {}

    def register(self, name: str, obj: Held, *tags: Any, **kwargs: Any) -> Any:
        """Hold a rewriter, or another database.

        Parameters
        ----------
        name : str
            Nothing else here has it.
        obj : NodeRewriter, Optimizer or DB
            What is held.
        *tags : str
            What it is chosen by, besides its name; a `SequenceDB` is given the position first.

        Returns
        -------
        object
            `obj`.

        Raises
        ------
        TypeError
            If it is nothing of these.
        ValueError
            If the name is taken.
        """
        words = tuple([tag for tag in tags if isinstance(tag, str)])
        position = kwargs.get("position", next((tag for tag in tags if isinstance(tag, (int, float))), None))
        if not isinstance(obj, (NodeRewriter, DB)):
            raise TypeError(f"register({name!r}): expected a rewriter or a database, got {_what(obj)}")
        taken = self._held.get(name, (None,))[0]
        if taken is not None and not (isinstance(taken, DB) and not taken._held):  # one that holds nothing makes way
            raise ValueError(f"register({name!r}): the database holds one of that name already")
        self._held[name] = obj, words, position
        if isinstance(obj, DB):
            obj.name = obj.name or name
        self._enter(name)
        return obj

    def _stage(self, position: float | None) -> str | None:
        return self.stage

    def _enter(self, name: str) -> None:
        """Put what is held under a name into opweld's registry."""
        obj, tags, position = self._held[name]
        stage = self._stage(position)
        if stage is None:
            return
        if isinstance(obj, DB):
            if obj.stage is None:
                obj.stage = stage
                for inner in obj._held:
                    obj._enter(inner)
            return
        singles = obj.rewriters if isinstance(obj, OfNodes) else [obj]
        for number, rewriter in enumerate(singles):
            called = name if len(singles) == 1 else f"{name}_{number}"
            registry.register(stage, rewriter, *tags, name=called, usual=not _USUAL.isdisjoint(tags))

    def __getitem__(self, name: str) -> Any:
        return self._held[name][0]

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def add_tags(self, name: str, *tags: str) -> None:
        """Give what is held under a name further tags."""
        obj, old, position = self._held[name]
        self._held[name] = obj, (*old, *tags), position
        if isinstance(obj, DB):
            return
        stage = self._stage(position)
        if stage is not None:
            registry.remove(name, stage=stage)
            self._enter(name)

    def query(self, *tags: Any, **kwargs: Any) -> Any:
        """Make a rewriter of graphs of what is held.

        Parameters
        ----------
        *tags : str or Query
            ``"+tag"`` or ``"tag"``: what has it; ``"&tag"``: only what has it; ``"-tag"``: nothing that has it.

        Returns
        -------
        SeqOptimizer
            Runs what has one of the tags, in the order of positions.
        """
        return SeqOptimizer([wrapped(item) for _, item in self._wanted(_query(tags))], name=self.name)

    def _wanted(self, query: Query) -> list[tuple[float, Any]]:
        found: list[tuple[float, Any]] = []
        for name, (obj, tags, position) in self._held.items():
            place = 0.0 if position is None else float(position)
            if isinstance(obj, DB):
                found += [(place, item) for _, item in obj._wanted(query)]
            elif query.takes({name, *tags}):
                found.append((place, obj))
        return sorted(found, key=lambda item: item[0])


def wrapped(rewriter: NodeRewriter) -> Optimizer:
    """Give a rewriter of graphs of one of nodes."""
    return rewriter if isinstance(rewriter, Optimizer) else TopoOptimizer(rewriter)


def _query(tags: tuple[Any, ...]) -> Query:
    if tags and isinstance(tags[0], Query):
        return tags[0]
    sides: dict[str, list[str]] = {"+": [], "&": [], "-": []}
    for tag in tags:
        sides[tag[0] if tag[0] in sides else "+"].append(tag.lstrip("+&-"))
    return Query(sides["+"], sides["&"], sides["-"])


class EquilibriumDB(DB):
    """Rewriters of nodes that run until none has anything left to do."""


class LocalGroupDB(DB):
    """Rewriters of nodes, of which the first that has something is taken."""


class SequenceDB(DB):
    """Rewriters of graphs, and databases, by positions."""

    def _stage(self, position: float | None) -> str | None:
        return self.stage or (stage_at(0.0 if position is None else position) if self is optdb else None)


optdb: Any = None
optdb = SequenceDB()
for _name, _position, _where in (
    ("canonicalize", 1, STAGES[0]),
    ("stabilize", 1.5, STAGES[1]),
    ("specialize", 2, STAGES[2]),
    ("uncanonicalize", 3, STAGES[2]),
    ("specialize_device", 48.6, STAGES[2]),
):
    optdb._held[_name] = EquilibriumDB(_where), ("fast_run",), _position

#: What becomes of products of matrices.
blas_optdb = optdb.register("BlasOpt", SequenceDB(), 1.7, "fast_run", "fast_compile")


Terms = list[Any]
Simplifier = Callable[[Terms, Terms], tuple[Terms, Terms]]


class Canonizer(LocalOptimizer):
    """Shows functions the terms of products and quotients, or of sums and differences.

    Parameters
    ----------
    main, inverse, reciprocal : Op
        Multiplication, division, reciprocal; or addition, subtraction, negation.
    name : str
        Under which it is registered, once there is a function.
    """

    def __init__(self, main: Op, inverse: Op, reciprocal: Op, name: str) -> None:
        self.main, self.inverse, self.reciprocal = main, inverse, reciprocal
        self.name = self.__name__ = name
        self.external_simplifiers: list[tuple[str, Simplifier]] = []

    def tracks(self) -> list[Any]:
        """Give the three ops."""
        return [self.main, self.inverse, self.reciprocal]

    def add_simplifier(self, simplifier: Simplifier, reason: str) -> None:
        """Show a function the terms from now on.

        Parameters
        ----------
        simplifier : callable
            Of two lists, the terms above and below; it gives two lists.
        reason : str
            What it is called.
        """
        if not self.external_simplifiers:
            registry.register("stabilize", self, name=self.name)
        self.external_simplifiers.append((reason, simplifier))

    def get_num_denum(self, variable: Variable) -> tuple[Terms, Terms]:
        """Give the terms of a variable.

        Returns
        -------
        num, denum : list of Variable
            Whose product is the variable, and by whose product it is divided.
        """
        node = variable.owner
        if node is None or node.op not in (self.main, self.inverse, self.reciprocal):
            return [variable], []
        parts = [self.get_num_denum(x) for x in node.inputs]
        if node.op == self.reciprocal:
            return parts[0][1], parts[0][0]
        if node.op == self.inverse:
            return [*parts[0][0], *parts[1][1]], [*parts[0][1], *parts[1][0]]
        return [x for num, _ in parts for x in num], [x for _, denum in parts for x in denum]

    def merge_num_denum(self, num: Terms, denum: Terms) -> Any:
        """Give a variable of terms."""
        above = self._all(num)
        below = self._all(denum)
        if below is None:
            return above
        return self.reciprocal(below) if above is None else self.inverse(above, below)

    def _all(self, terms: Terms) -> Any:
        if not terms:
            return None
        found = terms[0]
        for term in terms[1:]:
            found = self.main(found, term)
        return found

    def transform(self, fgraph: FunctionGraph, node: Apply) -> Any:
        """Let the functions change the terms of a node that is no term itself."""
        if any(
            reader != "output" and reader.op in self.tracks() for reader, _ in fgraph.clients.get(node.outputs[0], ())
        ):
            return False
        before = self.get_num_denum(node.outputs[0])
        num, denum = list(before[0]), list(before[1])
        for _, simplifier in self.external_simplifiers:
            num, denum = simplifier(num, denum)
        if [*map(id, num), *map(id, denum)] == [*map(id, before[0]), *map(id, before[1])]:
            return False
        made = self.merge_num_denum(list(num), list(denum))
        return [made] if made is not None and node.outputs[0].type == made.type else False


_CANONIZERS = {
    "local_mul_canonizer": ("multiply", "divide", "reciprocal"),
    "local_add_canonizer": ("add", "subtract", "negative"),
}


def __getattr__(name: str) -> Any:
    if name not in _CANONIZERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    main, inverse, reciprocal = [getattr(ufuncs, op) for op in _CANONIZERS[name]]
    found = globals()[name] = Canonizer(main, inverse, reciprocal, name)
    return found
