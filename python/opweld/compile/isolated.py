"""A graph whose nodes run one by one, their C in a process beside this one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from warnings import warn

from opweld.compile.apiece import NodeFunction, functions
from opweld.compile.code import performer
from opweld.compile.failure import explain, place
from opweld.compile.postmortem import crashed
from opweld.compile.sanitized import reported
from opweld.config import Options
from opweld.errors import OpCrashed, OpweldError, OpweldWarning, OutOfBoundsError, SanitizerError
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.outside.function import Inside, Outside, Refused
from opweld.outside.memory import Overrun
from opweld.outside.worker import Died

__all__ = ["Isolated", "Runner"]


class Runner:
    """How the C of one node is run: in a worker's process, and inside where its values cannot travel.

    Parameters
    ----------
    function : NodeFunction
        The node's C.
    options : Options
        Say how long it may take.
    isolate : bool
        False: it runs inside anyway.
    bounds : bool
        What is written beside arrays is refused.
    """

    def __init__(self, function: NodeFunction, options: Options, isolate: bool = True, bounds: bool = True) -> None:
        self.function = function
        self.bounds = bounds
        self.sanitize = options.sanitize
        apart = isolate or bool(options.sanitize)
        self.outside: Outside | None = function.outside(options.isolate_seconds) if apart else None

    def __call__(
        self,
        values: Sequence[Any],
        out: Sequence[Any] | None = None,
        guard: tuple[int, bool] | None = None,
    ) -> list[Any]:
        """Run the node.

        Parameters
        ----------
        values : sequence
            What its inputs are.
        out : sequence of (ndarray or None), optional
            The storage that is offered for its outputs.
        guard : (int, bool), optional
            As `Outside` takes it.

        Returns
        -------
        list
            Its outputs.

        Raises
        ------
        OpCrashed
            If the process ends, `OpTimeout` if it does not come back.
        SanitizerError
            If a sanitizer ended it.
        OutOfBoundsError
            If it wrote beside an array.
        """
        if self.outside is not None:
            try:
                return self._within(self.outside(self.function.chosen(values), out, guard), self.outside.overruns)
            except Inside as err:
                self._stay_inside(str(err))
            except Refused as err:
                raise self.function.refused(err) from None
            except Died as died:
                raise reported(died, self.function) or crashed(died, self.function) from None
        return self._within(self.function(values, out, guard), self.function.overruns)

    def _within(self, found: list[Any], overruns: Sequence[tuple[str, int, Overrun]]) -> list[Any]:
        """What came out, where nothing was written beside it, or nobody minds."""
        if overruns and self.bounds:
            raise self._overran(overruns)
        return found

    def _overran(self, overruns: Sequence[tuple[str, int, Overrun]]) -> OutOfBoundsError:
        """What is raised where the node's C wrote beside what it was given."""
        function, node = self.function, self.function.node
        every = [(kind, function.places[i] if kind == "input" else i, over) for kind, i, over in overruns]
        names = {"input": node.inputs, "output": node.outputs}
        told = [
            f"  {kind} {i}, {names[kind][i]}: {over}" if kind in names else f"  an array that it made: {over}"
            for kind, i, over in every
        ]
        return OutOfBoundsError(
            "\n".join([f"{function.called}(): {node}{place(node)}", "  its C code wrote beside an array", *told]),
            {
                "op": node.op, "node": node, "function": function.called,
                "beside": [(kind, i, over.number, over.at) for kind, i, over in every],
            },
        )  # fmt: skip

    def _stay_inside(self, why: str) -> None:
        function = self.function
        if self.sanitize:
            raise OpweldError(
                f"{function.called}(): {function.node} cannot run in the process that has its sanitizers "
                f"(sanitize={self.sanitize!r}): {why}"
            )
        self.outside = None
        warn(
            f"{function.called}(): {function.node} runs in this process, where a crash is one of the whole: {why}",
            OpweldWarning,
            stacklevel=2,
        )


class Isolated:
    """What runs a graph node by node: the C of each in a worker's process, what has none in Python here.

    Parameters
    ----------
    graph : FunctionGraph
        The graph.
    options : Options
        What it is compiled with.
    name : str, optional
        Its name, for messages.

    Attributes
    ----------
    unfused : str
        What `opweld.fusion` says.
    """

    unfused = "isolate=True runs each node by itself"

    def __init__(self, graph: FunctionGraph, options: Options, name: str | None = None) -> None:
        self.graph = graph
        self.called = name or "f"
        self._nodes = graph.toposort()
        in_c = functions(self._nodes, self.called, options)
        self._runners: dict[Apply, Any] = {
            node: Runner(in_c[node], options) if node in in_c else _in_python(node) for node in self._nodes
        }
        self._done = _last_uses(self._nodes, set(graph.outputs))
        self._source = "\n".join(dict.fromkeys([function.source() for function in in_c.values()]))

    def runners(self) -> list[Runner]:
        """Give what runs the nodes that have C.

        Returns
        -------
        list of Runner
        """
        return [runner for runner in self._runners.values() if isinstance(runner, Runner)]

    def source(self) -> str:
        """Give the C of the nodes.

        Returns
        -------
        str
        """
        return self._source

    def __call__(self, *given: Any) -> list[Any]:
        """Run.

        Parameters
        ----------
        *given
            What the inputs of the graph are.

        Returns
        -------
        list
            What its outputs are.
        """
        values: dict[Variable, Any] = dict(zip(self.graph.inputs, given))
        for node, over in zip(self._nodes, self._done):
            inputs = [v.data if isinstance(v, Constant) else values[v] for v in node.inputs]
            try:
                found = self._runners[node](inputs)
            except (MemoryError, OpCrashed, OutOfBoundsError, SanitizerError):  # which says where it was
                raise
            except Exception as err:
                explain(err, self.called, node, dict(enumerate(inputs)))
                raise
            values.update(zip(node.outputs, found))
            for variable in over:
                values.pop(variable, None)
        return [values[variable] for variable in self.graph.outputs]


def _in_python(node: Apply) -> Any:
    run = performer(node)
    return lambda values: run(*values)


def _last_uses(nodes: Sequence[Apply], kept: set[Variable]) -> list[list[Variable]]:
    """The variables that no node reads any more behind each."""
    seen = set(kept)
    found: list[list[Variable]] = []
    for node in reversed(nodes):
        over = [
            v for v in dict.fromkeys([*node.inputs, *node.outputs]) if v not in seen and not isinstance(v, Constant)
        ]
        seen.update(over)
        found.append(over)
    return found[::-1]
