"""Graphs as text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from opweld.graph.basic import Apply, Constant, Variable, _what
from opweld.graph.fgraph import FunctionGraph

__all__ = ["debugprint"]


def debugprint(
    graph: Any, depth: int = -1, print_type: bool = False, file: Any = None, ids: str = "CHAR", **kwargs: Any
) -> Any:
    """Print a graph, outputs first, what they are computed from indented below them.

    Parameters
    ----------
    graph : Variable, Apply, Function, FunctionGraph, or a list of those
        What to print. Of a function, the graph that runs, with each node's place in the order of execution.
    depth : int
        How many levels; -1: all.
    print_type : bool
        Add each variable's type.
    file : file, ``"str"``, or None
        Where to; ``"str"``: the text is returned; None: standard output.
    ids : {"CHAR", "int", ""}
        How variables are told apart: by letters, by numbers, or not.
    **kwargs
        Accepted; other packages have more options.

    Returns
    -------
    str or file
        As `file` says.

    Raises
    ------
    TypeError
        If there is nothing to print in `graph`.
    """
    printer = _Printer(depth, print_type, ids)
    for variable in printer.outputs(graph):
        printer.add(variable)
    text = "\n".join(printer.lines) + "\n"
    if file == "str":
        return text
    target = sys.stdout if file is None else file
    target.write(text)
    return target


class _Printer:
    """Collects the lines."""

    def __init__(self, depth: int, types: bool, ids: str) -> None:
        self.lines: list[str] = []
        self._depth = depth
        self._types = types
        self._ids = ids
        self._names: dict[Any, str] = {}
        self._shown: set[Apply] = set()
        self._place: dict[Apply, int] = {}

    def outputs(self, graph: Any) -> list[Variable]:
        """What to begin with."""
        if isinstance(graph, Variable):
            return [graph]
        if isinstance(graph, Apply):
            return list(graph.outputs)
        maker = getattr(graph, "maker", None)
        found = maker.fgraph if maker is not None else graph
        if isinstance(found, FunctionGraph):
            self._place.update((node, i) for i, node in enumerate(found.toposort()))
            return list(found.outputs)
        if isinstance(graph, Iterable) and not isinstance(graph, str):
            return [variable for item in graph for variable in self.outputs(item)]
        raise TypeError(f"debugprint: expected a variable, a node or a function, got {_what(graph)}")

    def add(self, output: Variable) -> None:
        """Enter a variable and what it is computed from. No recursion: chains are long."""
        stack = [(output, "", "")]
        while stack:
            variable, before, branch = stack.pop()
            self.lines.append(before + branch + self._line(variable))
            node = variable.owner
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
        if self._types:
            text += f" <{variable.type}>"
        if node is not None and variable.name:
            text += f" {variable.name!r}"
        if node in self._place:
            text += f" {self._place[node]}"
        return text

    def _name(self, key: Any) -> str:
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
