"""Graphs as text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from opweld.compile.fusion import fusion
from opweld.dtypes import shape_text
from opweld.errors import EngineError, _refuse_unknown, _what
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rooms import late

__all__ = ["debugprint", "pydotprint"]

show: Any = late("opweld.picture.show")  # who prints need not draw

_OPTIONS = tuple(
    """depth print_type print_shape file ids stop_on_name print_destroy_map print_view_map print_memory_map
    print_made_at id_type""".split()
)
_IDS = ("CHAR", "int", "auto", "")
_THEIRS = tuple(
    """done print_storage used_ids print_clients scan_inner_to_outer_inputs print_op_info print_fgraph_inputs
    print_default_updates print_inner_graphs profile smap order topo_order""".split()
)
_THEIRS_DRAWN = tuple(
    """compact format with_ids high_contrast cond_highlight colorCodes max_label_size scan_graphs var_with_name_simple
    print_output_file assert_nb_all_strings return_image""".split()
)


def debugprint(
    graph: object,
    depth: int = -1,
    print_type: bool = False,
    print_shape: bool = False,
    file: object = None,
    ids: str = "CHAR",
    stop_on_name: bool = False,
    print_destroy_map: bool = False,
    print_view_map: bool = False,
    print_memory_map: bool = False,
    print_made_at: bool = False,
    id_type: str | None = None,
    **kwargs: Any,
) -> Any:
    """Print a graph, outputs first, what they are computed from indented below them.

    Parameters
    ----------
    graph : Variable, Apply, Function, FunctionGraph, or a list of those
        What to print. Of a function, the graph that runs, with each node's place in the order of execution, and ``loop
        0`` where it is part of a loop of several nodes; below, what keeps nodes apart (`opweld.fusion`).
    depth : int
        How many levels; -1: all.
    print_type : bool
        Add each variable's type.
    print_shape : bool
        Add what is known of each variable's shape.
    file : file, ``"str"``, or None
        Where to; ``"str"``: the text is returned; None: standard output.
    ids : {"CHAR", "int", ""}
        How variables are told apart: by letters (``"auto"`` too), by numbers, or not.
    stop_on_name : bool
        Go no further than to variables that have a name.
    print_destroy_map, print_view_map, print_memory_map : bool
        Add which outputs are written over inputs, as ``d={0: [0]}``; which view them, as ``v={0: [0]}``; both.
    print_made_at : bool
        Add file and line where a node was made.
    id_type : {"CHAR", "int", ""}, optional
        PyTensor's name of `ids`.
    **kwargs
        The options that only Theano and PyTensor have are accepted and change nothing.

    Returns
    -------
    str or file
        As `file` says.

    Raises
    ------
    TypeError
        If there is nothing to print in `graph`, or an option is none of anybody's.
    ValueError
        If `ids` is none of these.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> shown = opweld.printing.debugprint(T.exp(x).sum())
    CAReduce{add, axis=(0,)} [id A]
     └─ Elemwise{exp} [id B]
         └─ x [id C]
    """
    if kwargs:
        _refuse_unknown("debugprint", kwargs, _OPTIONS, _THEIRS)
    maps = [
        (letter, name)
        for letter, name, wanted in (("d", "destroy_map", print_destroy_map), ("v", "view_map", print_view_map))
        if wanted or print_memory_map
    ]
    named = ids if id_type is None else id_type
    if named not in _IDS:
        raise ValueError(f"debugprint: ids must be one of {', '.join(map(repr, _IDS))}, got {named!r}")
    if not isinstance(depth, int):
        raise TypeError(f"debugprint: depth must be an integer, got {_what(depth)}")
    if file not in (None, "str") and not hasattr(file, "write"):
        raise TypeError(f"debugprint: file must be an open file, 'str' or None, got {_what(file)}")
    printer = _Printer(depth, named, stop_on_name)
    printer.types, printer.shapes, printer.maps, printer.made_at = print_type, print_shape, maps, print_made_at
    for variable in printer.outputs(graph):
        printer.add(variable)
    text = "\n".join(printer.lines + printer.below) + "\n"
    if file == "str":
        return text
    target = sys.stdout if file is None else file
    target.write(text)
    return target


def pydotprint(graph: object, outfile: object = None, **kwargs: Any) -> Any:
    """Draw a graph: the name by which Theano and PyTensor know `opweld.picture.picture`.

    Parameters
    ----------
    graph : Function, FunctionGraph, Variable, Apply, or a list of those
        What to draw.
    outfile : str, os.PathLike or file, optional
        Where the picture is written too, as SVG.
    **kwargs
        The options that only Theano and PyTensor have are accepted and change nothing.

    Returns
    -------
    Picture
        A notebook shows it.

    Raises
    ------
    TypeError
        If an option is none of anybody's.

    Examples
    --------
    >>> x = T.dvector("x")
    >>> opweld.printing.pydotprint(T.exp(x), "graph.svg")
    <picture of a graph, 409 by 318 pixels; .save(file) writes SVG>
    >>> open("graph.svg").read().startswith("<svg")
    True
    """
    if kwargs:
        _refuse_unknown("pydotprint", kwargs, ("outfile",), _THEIRS_DRAWN)
    return show.picture(graph, outfile)


class _Printer:
    """Collects the lines."""

    def __init__(self, depth: int, ids: str, stop_on_name: bool) -> None:
        self.lines: list[str] = []
        self.below: list[str] = []  # why nodes are not one loop
        self.types = self.shapes = self.made_at = False
        self.maps: list[tuple[str, str]] = []
        self._depth = depth
        self._ids = ids
        self._stop = stop_on_name
        self._names: dict[Any, str] = {}
        self._shown: set[Apply] = set()
        self._place: dict[Apply, int] = {}
        self._loops: dict[Apply, list[int]] = {}

    def outputs(self, graph: object) -> list[Variable]:
        """What to begin with."""
        if isinstance(graph, Variable):
            return [graph]
        if isinstance(graph, Apply):
            return list(graph.outputs)
        maker = getattr(graph, "maker", None)
        found = maker.fgraph if maker is not None else graph
        if isinstance(found, FunctionGraph):
            self._place.update((node, i) for i, node in enumerate(found.toposort()))
            if maker is not None:
                self._fused(graph, found)
            return list(found.outputs)
        if isinstance(graph, Iterable) and not isinstance(graph, str):
            return [variable for item in graph for variable in self.outputs(item)]
        raise TypeError(f"debugprint: expected a variable, a node or a function, got {_what(graph)}")

    def _fused(self, function: object, graph: FunctionGraph) -> None:
        """Note which nodes of a function are one loop, and what is to be said of the others."""
        try:
            found = fusion(function)
        except EngineError as err:  # nothing else here needs the engine
            self.below.append(f"loops are not known: {err}")
            return
        self._loops.update((node, found.numbers(node)) for node in graph.apply_nodes)
        self.below += [found.note] if found.note else [f"apart: {line}" for line in found.reasons()]

    def add(self, output: Variable) -> None:
        """Enter a variable and what it is computed from. No recursion: chains are long."""
        stack = [(output, "", "")]
        while stack:
            variable, before, branch = stack.pop()
            self.lines.append(before + branch + self._line(variable))
            node = variable.owner
            if self._stop and variable.name and branch:
                continue
            if node is None or node in self._shown:
                if node is not None and node.inputs:
                    self.lines[-1] += " ..."
                continue
            self._shown.add(node)
            below = before + {"": "", " ├─ ": " │  ", " └─ ": "    "}[branch]
            level = len(below) // 4 + 1
            if self._depth < 0 or level < self._depth:
                last = len(node.inputs) - 1
                branches = [(source, below, " └─ " if i == last else " ├─ ") for i, source in enumerate(node.inputs)]
                stack.extend(reversed(branches))

    def _line(self, variable: Variable) -> str:
        node = variable.owner
        if node is None:
            key: Any = variable
            text = f"{type(variable).__name__}{{{variable}}}" if isinstance(variable, Constant) else str(variable)
        else:
            key = node
            text = f"{node.op}{f'.{variable.index}' if len(node.outputs) > 1 else ''}"
        if self._ids:
            text += f" [id {self._name(key)}]"
        if self.types:
            text += f" <{variable.type}>"
        if self.shapes and getattr(variable.type, "shape", None) is not None:
            text += f" shape={shape_text(variable.type.shape)}"
        if node is None:
            return text
        if variable.name:
            text += f" {variable.name!r}"
        for letter, name in self.maps:
            if getattr(node.op, name):
                text += f" {letter}={getattr(node.op, name)}"
        if node in self._place:
            text += f" {self._place[node]}"
        if self._loops.get(node):
            text += f" loop {', '.join(map(str, self._loops[node]))}"
        made_at = node.made_at if self.made_at else None
        return text if made_at is None else f"{text}  # {made_at[0]}:{made_at[1]}"

    def _name(self, key: object) -> str:
        found = self._names.get(key)
        if found is None:
            number = len(self._names)
            found = str(number)
            if self._ids != "int":
                found = ""
                number += 1
                while number:
                    number, rest = divmod(number - 1, 26)
                    found = chr(ord("A") + rest) + found
            self._names[key] = found
        return found
