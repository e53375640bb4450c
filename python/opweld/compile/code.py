"""From a graph to a module, which knows of no values; what the module calls for nodes that run in Python; `bind`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opweld.compile import builder
from opweld.compile.binding import Code, bind
from opweld.compile.program import make_program
from opweld.config import Options
from opweld.errors import _prefix
from opweld.hooks.asking import attribute
from opweld.hooks.reading import params_room
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Graph, Node

__all__ = ["Code", "bind", "compile_graph", "performer"]


def compile_graph(graph: Graph, name: str = "f", options: Options | None = None, **interface: Any) -> Code:
    """Compile a graph to a module.

    Parameters
    ----------
    graph : Graph
        Each output is computed by a node of its own: no input, constant or repeated output among them. It need not be
        this package's: `opweld.hooks.protocols` says what it has to offer.
    name : str
        The function's name, for messages.
    options : Options, optional
        The configuration's if left out.
    **interface
        What a call looks like, as `opweld.compile.program.make_program` takes it: ``single``, ``keywords``,
        ``defaults``, ``mutable``, ``cells``, ``updates``, ``scalars``.

    Returns
    -------
    Code

    Raises
    ------
    TypeError
        If a hook gave something that is not C, or an op can be run neither in C nor in Python.
    CompileError, CompilerNotFoundError, ToolError, CacheError, EngineError, LoadError
        If the module cannot be built or loaded.
    """
    options = Options() if options is None else options
    program = make_program(graph, name, **interface)
    return Code(graph, program, builder.build(program, options), options.fuse, performer)


def performer(node: Node) -> Callable[..., tuple[Any, ...]]:
    """Make what the module calls for a node that runs in Python.

    Parameters
    ----------
    node : Node
        Its op writes `perform`.

    Returns
    -------
    callable
        Of the inputs' values; gives a tuple of the outputs', filtered.
    """
    op = node.op
    own = getattr(op, "runner", None)
    perform = (own and own(node)) or op.perform
    params: tuple[Any, ...] = ()
    if attribute(op, "params_type") is not None:
        params = params_room.perform_params(node)
    filters = [filter_of(output.type) for output in node.outputs]

    def run(*values: Any) -> tuple[Any, ...]:
        cells: list[list[Any]] = [[None] for _ in filters]
        storage = list(cells)
        perform(node, list(values), storage, *params)
        results = []
        for position, convert in enumerate(filters):
            cell = f"output_storage[{position}]"
            if len(storage) <= position or storage[position] is not cells[position] or len(cells[position]) != 1:
                raise TypeError(f"{op}: perform put something in place of {cell}; write {cell}[0] = …")
            value = cells[position][0]
            try:
                results.append(convert(value))
            except (TypeError, ValueError) as err:
                _prefix(err, f"{op}: perform did not set {cell}[0]" if value is None else f"{op}: perform's {cell}[0]")
                raise
        return tuple(results)

    return run
