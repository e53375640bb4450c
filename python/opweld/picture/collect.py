"""What a picture shows of a graph: boxes with their texts, and who reads what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from opweld.compile.fusion import fusion, title
from opweld.compile.profile import Cost, Profile, time_text
from opweld.dtypes import shape_text
from opweld.errors import EngineError, _what
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.graph.order import depth_first

__all__ = ["Edge", "Item", "Scene", "collect"]

_TITLE = 34
_DETAIL = 40


@dataclass
class Item:
    """A box.

    Attributes
    ----------
    kind : {"op", "input", "constant", "shared", "output"}
        What it stands for.
    title : str
        The first line.
    lines : list of str
        Types of what comes out of it.
    where : str
        File and line of the user's code; empty: unknown.
    tip : str
        What is shown where the pointer rests.
    python : bool
        The op runs in Python.
    place : int or None
        In the order of execution.
    loops : tuple of int
        The loops of several nodes that compute it.
    share : float or None
        Of the calls' time, that of the step that computes it, where that was measured.
    nin, nout : int
        How many lines end and begin at it.
    """

    kind: str
    title: str
    lines: list[str] = field(default_factory=list)
    where: str = ""
    tip: str = ""
    python: bool = False
    place: int | None = None
    loops: tuple[int, ...] = ()
    share: float | None = None
    nin: int = 0
    nout: int = 1


@dataclass(frozen=True)
class Edge:
    """A line: an output of an item is read by another."""

    source: int
    out: int
    target: int
    into: int
    kind: str  # "reads", "views", "destroys"
    tip: str
    loops: tuple[int, ...] = ()  # that compute both


@dataclass
class Scene:
    """All of a picture. Items stand after those that they read."""

    title: str
    items: list[Item]
    edges: list[Edge]


def collect(graph: object) -> Scene:
    """Read a graph.

    Parameters
    ----------
    graph : Function, FunctionGraph, Variable, Apply, or a list of those
        What to show.

    Returns
    -------
    Scene

    Raises
    ------
    TypeError
        If it is none of these.
    """
    maker: Any = getattr(graph, "maker", None)
    found = maker.fgraph if maker is not None else graph
    reader = _Reader()
    updated: dict[int, str] = {}  # outputs that are new values of shared variables
    if isinstance(found, FunctionGraph):
        reader.python = set(getattr(getattr(maker, "program", None), "performs", ()))
        reader.place = {node: i for i, node in enumerate(found.toposort())}
        reader.given = dict.fromkeys(found.inputs)
        outputs, title = list(found.outputs), ""
        if maker is not None:
            updated = {i: str(variable) for i, variable in getattr(maker, "updates", {}).items()}
            reader.fused(graph)
            reader.measured(getattr(graph, "profile", None))
            title = f"{getattr(graph, 'name', None) or 'f'}({', '.join([str(spec.variable) for spec in maker.inputs])})"
    else:
        outputs, title = _outputs(graph), ""
    for variable in reader.given:
        reader.source(variable)
    for node in depth_first(outputs, set(reader.given)):
        reader.apply(node)
    for position, variable in enumerate(outputs):
        reader.output(position, variable, len(outputs) - len(updated), updated.get(position))
    return Scene(title, reader.items, reader.edges)


def _outputs(graph: object) -> list[Variable]:
    if isinstance(graph, Variable):
        return [graph]
    if isinstance(graph, Apply):
        return list(graph.outputs)
    maker = getattr(graph, "maker", None)
    found = maker.fgraph if maker is not None else graph
    if isinstance(found, FunctionGraph):
        return list(found.outputs)
    if isinstance(graph, Iterable) and not isinstance(graph, str):
        return [variable for item in graph for variable in _outputs(item)]
    raise TypeError(f"picture: expected a function, a graph, a variable or a node, got {_what(graph)}")


class _Reader:
    """Collects items and edges."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.edges: list[Edge] = []
        self.given: dict[Variable, None] = {}
        self.python: set[Apply] = set()
        self.place: dict[Apply, int] = {}
        self._of: dict[Variable, tuple[int, int]] = {}
        self._loops: dict[Apply, tuple[int, ...]] = {}
        self._apart: dict[tuple[Apply, Apply], str] = {}
        self._costs: dict[Apply, list[Cost]] = {}

    def fused(self, function: object) -> None:
        """Note which nodes of a function are one loop, and why others are not."""
        try:
            found = fusion(function)
        except EngineError:  # nothing else here needs the engine
            return
        self._loops = {node: tuple(found.numbers(node)) for node in self.place}
        self._apart = {(source, target): why for source, target, why in found.apart}

    def measured(self, profile: Profile | None) -> None:
        """Note what the nodes of a function have cost, where it has a profile and was called."""
        for cost in profile.costs if profile is not None and profile.calls else ():
            for node in cost.nodes:
                self._costs.setdefault(node, []).append(cost)

    def source(self, variable: Variable) -> tuple[int, int]:
        """Enter a variable that no node here computes; constants are drawn at each reader."""
        known = self._of.get(variable)
        if known is not None:
            return known
        constant = isinstance(variable, Constant)
        kind = "constant" if constant else "shared" if hasattr(variable, "get_value") else "input"
        text = _type(variable)
        title = str(variable) if variable.name is not None or constant else "(no name)"
        tip = f"{kind} {title}\n{variable.type}"
        self.items.append(Item(kind, _clip(title, _TITLE), [text], "", tip, nin=0))
        found = len(self.items) - 1, 0
        if not constant:
            self._of[variable] = found
        return found

    def apply(self, node: Apply) -> None:
        """Enter a node and what it reads."""
        sources = [self.source(variable) for variable in node.inputs]
        names = [f"{variable.name}: " if variable.name else "" for variable in node.outputs]
        lines = [_clip(name + _type(variable), _DETAIL) for name, variable in zip(names, node.outputs)]
        where, told = _where(node)
        tip = [str(node.op), *(f"-> {name}{variable.type}" for name, variable in zip(names, node.outputs)), *told]
        python = node in self.python
        if python:
            tip.append("runs in Python")
        loops = self._loops.get(node, ())
        if loops:
            tip.append(f"part of loop {' and, again, of loop '.join(map(str, loops))}")
        item = Item("op", _clip(title(node.op), _TITLE), lines, where, "\n".join(tip), python)
        item.place, item.nin, item.nout = self.place.get(node), len(sources), max(1, len(node.outputs))
        item.loops = loops
        costs = self._costs.get(node, ())
        if costs:
            item.share = sum([cost.share for cost in costs])
            whole = "its loop's " if len(costs[0].nodes) > 1 else ""
            item.lines.append(f"{item.share:.1%}  {time_text(sum([cost.seconds for cost in costs]))}")
            item.tip += "".join([f"\n{whole}{cost.calls:,} runs: {time_text(cost.seconds)}" for cost in costs])
        self.items.append(item)
        here = len(self.items) - 1
        for position, variable in enumerate(node.outputs):
            self._of.setdefault(variable, (here, position))
        kinds = {source: "views" for _, source in alias_pairs(node, "view_map")}
        kinds.update({source: "destroys" for _, source in alias_pairs(node, "destroy_map")})
        for position, ((source, out), variable) in enumerate(zip(sources, node.inputs)):
            kind = kinds.get(position, "reads")
            tip_ = f"{item.title} {kind} {_clip(str(variable), _TITLE)} (input {position})\n{variable.type}"
            why = self._apart.get((variable.owner, node)) if variable.owner is not None else None
            if why is not None:
                tip_ += f"\nnot in one loop: {why}"
            both = tuple([loop for loop in loops if loop in self.items[source].loops])
            self.edges.append(Edge(source, out, here, position, kind, tip_, both))

    def output(self, position: int, variable: Variable, count: int, updated: str | None) -> None:
        """Enter a result."""
        source, out = self.source(variable)
        title = f"new {updated}" if updated is not None else "result" if count == 1 else f"result {position}"
        if variable.name and updated is None:
            title += f": {variable.name}"
        kind = "output" if updated is None else "shared"
        tip = f"{title}\n{variable.type}"
        self.items.append(Item(kind, _clip(title, _TITLE), [_type(variable)], "", tip, nin=1, nout=0))
        self.edges.append(Edge(source, out, len(self.items) - 1, 0, "reads", tip))


def _type(variable: Variable) -> str:
    """A type in few words: dtype and shape where it has these."""
    dtype, shape = getattr(variable.type, "dtype", None), getattr(variable.type, "shape", None)
    if dtype is None:
        return _clip(str(variable.type), _DETAIL)
    if not shape:
        return str(dtype)
    return f"{dtype} {shape_text(shape)}"


def _where(node: Apply) -> tuple[str, list[str]]:
    """Where a node was made: in short, and in lines with the source."""
    if node.made_at is None:
        return "", []
    from linecache import getline

    file, line, function = node.made_at
    short = "cell" if "ipython-input" in file or "ipykernel_" in file else file.rpartition("/")[2]
    inside = "" if function.startswith("<") else f", in {function}"
    told = [f"made at {file}:{line}{inside}"]
    text = getline(file, line).strip()
    if text:
        told.append(f"    {text}")
    return _clip(f"{short}:{line}", _DETAIL), told


def _clip(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1] + "…"
