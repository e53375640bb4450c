"""The nodes of a graph as functions of one module, one a node: what runs, and checks, node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from opweld.compile import builder, sanitizers
from opweld.compile.binding import Code, bind, outs_of, refuser
from opweld.compile.failure import admits_none
from opweld.compile.program import Program, make_program
from opweld.config import Options
from opweld.dtypes import compiled
from opweld.errors import CompileError
from opweld.graph.aliasing import alias_pairs
from opweld.graph.basic import Apply, Constant
from opweld.graph.fgraph import FunctionGraph
from opweld.hooks.fragments import Fragments
from opweld.outside.function import Outside, Recipe, Refused
from opweld.outside.memory import Overrun, whose
from opweld.outside.worker import PLAIN, Place

__all__ = ["NodeFunction", "Several", "functions"]


class Several:
    """Programs that become one module: what a build asks of a `Program`.

    Attributes
    ----------
    data : dict
        Their name, types and kernels.
    text, bytes : str and bytes
        A list of their texts.
    sources : dict
        As a `Program` has it.
    """

    def __init__(self, programs: Sequence[Program]) -> None:
        self.data = {
            "name": programs[0].data["name"],
            "types": [type_ for program in programs for type_ in program.data["types"]],
            "kernels": [kernel for program in programs for kernel in program.data["kernels"]],
        }
        self.text = f"[{','.join([program.text for program in programs])}]"
        self.bytes = self.text.encode()
        self.sources = {name: place for program in programs for name, place in program.sources.items()}


class NodeFunction:
    """The C of one node as a function of its inputs that are no constants, each given once.

    Attributes
    ----------
    node : Apply
        The node.
    program : Program
        The function.
    number : int
        Which of its module.
    built : Built
        The module.
    places : list of int
        Which inputs of the node it takes.
    place : Place
        What a process is started with that runs it apart.
    threads : int
        On how many threads its loops run there, at most.
    overruns : list of (str, int, Overrun)
        What the last call here wrote beside guarded memory.
    """

    def __init__(self, node: Apply, called: str, name: str, fragments: Fragments) -> None:
        self.node = node
        self.called = called
        given = {v: i for i, v in reversed([*enumerate(node.inputs)]) if not isinstance(v, Constant)}
        self.places = list(given.values())
        variables = {v: v.type.make_variable(v.name) for v in given}
        self._copy = node.copy([variables.get(v, v) for v in node.inputs], {})
        self._graph = FunctionGraph(list(variables.values()), self._copy.outputs)
        destroyed = {source for _, source in alias_pairs(node, "destroy_map")}
        written = {node.inputs[i] for i in destroyed}
        self.program = make_program(
            self._graph,
            name,
            keywords=[None] * len(given),
            mutable=[v in written for v in given],
            fragments=fragments,
        )
        self.number = 0
        self.overruns: list[tuple[str, int, Overrun]] = []
        self.built: Any = None
        self.place: Place = PLAIN
        self.threads = 1
        self._code: Any = None
        self._run: Any = None

    @property
    def in_c(self) -> bool:
        """Whether the node has C."""
        return not self.program.performs

    def become(self, built: builder.Built, number: int) -> None:
        """Be a function of a module."""
        self.built, self.number = built, number
        self._code = Code(self._graph, self.program, built, fused=False)

    def source(self) -> str:
        """Give the module's C.

        Returns
        -------
        str
        """
        text: str = self._code.source()
        return text

    def chosen(self, values: Sequence[Any]) -> list[Any]:
        """Choose of the values of all inputs those that the function takes."""
        return [values[i] for i in self.places]

    def __call__(
        self,
        values: Sequence[Any],
        out: Sequence[Any] | None = None,
        guard: tuple[int, bool] | None = None,
    ) -> list[Any]:
        """Run in this process.

        Parameters
        ----------
        values : sequence
            Of all inputs of the node.
        out : sequence, optional
            The storage that is offered.
        guard : (int, bool), optional
            As `Outside` takes it; no pages are closed.

        Returns
        -------
        list
        """
        if self._run is None:
            convert: Callable[[int, Any], Any] = lambda index, value: value  # noqa: E731
            self._run = bind(self._code, self.called, convert, explained=False, number=self.number)
        chosen = self.chosen(values)
        offered = {} if out is None else {"out": list(out)}
        self.overruns = []
        if guard is None:
            found: list[Any] = self._run(*chosen, **offered)
            return found
        compiled().guarded(guard[0], False)
        beside = []
        try:
            found = self._run(*chosen, **offered)
        finally:
            beside = compiled().unguarded()
        self.overruns = whose(beside, found)
        return found

    def outside(self, seconds: float) -> Outside:
        """Give the function as a worker's process runs it, of the values that `chosen` gives.

        Parameters
        ----------
        seconds : float
            How long a call may take; 0: as long as it likes.

        Returns
        -------
        Outside
        """
        outs = [out if isinstance(out, str) else out[:-1] for out in outs_of([v.type for v in self._copy.outputs])]
        constants = [constant.data for constant in self.program.constants]
        arguments = len(self.places)
        nones = tuple([i for i, v in enumerate(self._copy.outputs) if admits_none(v.type)])
        made = Recipe(self.built.path, self.number, self.called, tuple(outs), constants, arguments, self.threads, nones)
        return Outside(made, seconds, self.place)

    def refused(self, err: Refused) -> Exception:
        """What is raised where the function refuses what the node's C left."""
        try:
            refuser(self.called, self.program, self._copy.outputs)(*err.args)
        except (RuntimeError, TypeError) as found:
            return found
        return err


def functions(
    nodes: Sequence[Apply], called: str, options: Options | None, apart: bool = False, name: str | None = None
) -> dict[Apply, NodeFunction]:
    """Compile nodes, each a function.

    Parameters
    ----------
    nodes : sequence of Apply
        The nodes.
    called : str
        What the function that they are of is called, for messages.
    options : Options or None
        What they are compiled with.
    apart : bool
        Each in a module of its own; else so only where they cannot stand together.
    name : str, optional
        What the module is called, for messages of its build.

    Returns
    -------
    dict of Apply to NodeFunction
        Without those that have no C.

    Raises
    ------
    CompileError, CompilerNotFoundError, ToolError, CacheError, EngineError, LoadError
        If they cannot be built or loaded.
    """
    fragments = Fragments()
    every = [NodeFunction(node, called, name or called, fragments) for node in nodes]
    found = [function for function in every if function.in_c]
    together = [[function] for function in found] if apart else [found] if found else []
    try:
        for part in together:
            _build(part, options)
    except CompileError:  # what one defines another may define too
        if apart or len(found) == 1:
            raise
        for function in found:
            _build([function], options)
    return {function.node: function for function in found}


def _build(part: Sequence[NodeFunction], options: Options | None) -> None:
    several: Any = Several([function.program for function in part])
    watched = Options() if options is None else options
    if watched.sanitize:
        setup = builder.Setup(several, watched)
        setup.check()
        place = sanitizers.place(setup.driver.path, setup.lang, watched.sanitize)
        for function in part:
            function.place, function.threads = place, watched.threads
    built = builder.build(several, options, apart=bool(watched.sanitize))
    for number, function in enumerate(part):
        function.become(built, number)
