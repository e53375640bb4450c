"""The graph of one function, and the order of its nodes."""

from __future__ import annotations

from collections.abc import Iterable

from opweld.errors import MissingInputError
from opweld.graph.basic import Apply, Constant, Variable, _named

__all__ = ["FunctionGraph"]


class FunctionGraph:
    """What lies between the inputs and the outputs of a function.

    Parameters
    ----------
    inputs, outputs : sequence of Variable
        The outputs are computed from the inputs and from constants only.

    Attributes
    ----------
    inputs, outputs : list of Variable
        As given.
    apply_nodes : list of Apply
        Every node that an output needs, each after those that it reads, in an order that depends on the graph alone.

    Raises
    ------
    MissingInputError
        If an output depends on a variable that is none of these.
    """

    def __init__(self, inputs: Iterable[Variable], outputs: Iterable[Variable]) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.apply_nodes = _depth_first(self.inputs, self.outputs)
        self._order: list[Apply] | None = None

    def toposort(self) -> list[Apply]:
        """Order the nodes for execution.

        Returns
        -------
        list of Apply
            Each node after those it reads, and after the readers of what it destroys; the same for every equal graph.

        Raises
        ------
        InconsistencyError
            If no order honours what the ops destroy.
        """
        if self._order is None:
            if any(node.op.destroy_map for node in self.apply_nodes):
                from opweld.graph.aliasing import order

                self._order = order(self.apply_nodes, self.outputs)
            else:
                self._order = self.apply_nodes
        return list(self._order)

    @property
    def variables(self) -> list[Variable]:
        """Every variable, inputs first, then in order of execution."""
        found = dict.fromkeys(self.inputs)
        for node in self.apply_nodes:
            found.update(dict.fromkeys(node.inputs))
            found.update(dict.fromkeys(node.outputs))
        found.update(dict.fromkeys(self.outputs))
        return list(found)

    @property
    def clients(self) -> dict[Variable, list[tuple[Apply, int]]]:
        """Who reads each variable, and as which of its inputs."""
        readers: dict[Variable, list[tuple[Apply, int]]] = {variable: [] for variable in self.variables}
        for node in self.apply_nodes:
            for position, variable in enumerate(node.inputs):
                readers[variable].append((node, position))
        return readers

    def __repr__(self) -> str:
        return f"FunctionGraph({', '.join(map(str, self.inputs))} -> {', '.join(map(str, self.outputs))})"


def _depth_first(inputs: list[Variable], outputs: list[Variable]) -> list[Apply]:
    """Order the nodes below `outputs`: inputs before readers, left before right. No recursion: chains are long."""
    given = set(inputs)
    done: set[Apply] = set()
    begun: set[Apply] = set()
    order: list[Apply] = []
    for output in outputs:
        stack: list[tuple[Variable, Apply | None]] = [(output, None)]
        while stack:
            variable, reader = stack.pop()
            if variable in given or isinstance(variable, Constant):
                continue
            node = variable.owner
            if node is None:
                raise _missing(variable, reader)
            if node in done:
                continue
            waiting = [v for v in node.inputs if v not in given and (v.owner is None or v.owner not in done)]
            waiting = [v for v in waiting if not isinstance(v, Constant)]
            if waiting:
                if node in begun:
                    raise ValueError(f"the graph has a cycle through {node.op}: it needs its own output")
                begun.add(node)
                stack.append((variable, reader))
                stack.extend((v, node) for v in reversed(waiting))
            else:
                done.add(node)
                order.append(node)
    return order


def _missing(variable: Variable, reader: Apply | None) -> MissingInputError:
    where = "which is an output" if reader is None else f"which {reader} reads"
    return MissingInputError(
        f"the function depends on {_named(variable)}, {where}, and it is not among the inputs: add it to the inputs"
    )
