"""From a graph to a module, which knows of no values, and from a module to a callable, which is bound to some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile import builder
from opweld.compile.binding import outs_of, performer
from opweld.compile.failure import failer, refuser
from opweld.compile.options import Options
from opweld.compile.program import Program, make_program
from opweld.digest import sha256
from opweld.graph.shared import Cell
from opweld.rooms import late
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Graph, Node, Variable

engine: Any = late("opweld.engine")  # where the C is not in the cache any more

__all__ = ["Code", "bind", "compile_graph"]


class Code:
    """A graph that has become a module, which can be bound any number of times.

    Attributes
    ----------
    graph : Graph
        What runs.
    program : Program
        What the engine was given.
    built : Built
        The module.
    """

    __slots__ = ("built", "graph", "program")

    def __init__(self, graph: Graph, program: Program, built: builder.Built) -> None:
        self.graph = graph
        self.program = program
        self.built = built

    def source(self) -> str:
        """Give the C.

        Returns
        -------
        str
            The whole translation unit.
        """
        try:
            with open(self.built.source, "rb") as file:
                text = file.read()
            if sha256(text).hexdigest() == self.built.text:
                return text.decode()
        except OSError:
            pass
        return str(engine.render(self.program.text)["text"])


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
        ``defaults``, ``mutable``, ``cells``, ``updates``.

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
    program = make_program(graph, name, **interface)
    return Code(graph, program, builder.build(program, options))


def bind(
    code: Code,
    called: str,
    convert: Callable[[int, Any], Any] | None = None,
    *,
    rules: Sequence[tuple[Any, ...] | None] | None = None,
    outputs: Sequence[Variable] | None = None,
    defaults: Sequence[tuple[Any] | None] | None = None,
    cells: Sequence[Cell] = (),
    perform: Callable[[Node], Callable[..., tuple[Any, ...]]] = performer,
    explained: bool = True,
) -> Any:
    """Bind a module to the Python objects that one function works with.

    Parameters
    ----------
    code : Code
        The module.
    called : str
        The function's name, for messages.
    convert : callable, optional
        Of the number of an argument, or, behind these, of a cell, and its value: gives a value of the variable's type.
        It is called for what the module does not take as it is. Left out: the type's ``filter``.
    rules : sequence of tuple or None, optional
        For each argument the rule, of `opweld.dtypes.rule_of`, by which the module converts it itself; None:
        `convert` is called.
    outputs : sequence of Variable, optional
        What messages say of the results; the graph's outputs if left out.
    defaults : sequence of tuple or None, optional
        Each argument's default, in a tuple; None: it must be given.
    cells : sequence of Cell
        Where the values of shared variables lie.
    perform : callable
        Makes of a node what is called for it where it runs in Python.
    explained : bool
        Name the node where a step fails.

    Returns
    -------
    callable
        Takes the arguments, and ``out=``; it is C from its entry to its return.
    """
    program = code.program
    outputs = code.graph.outputs if outputs is None else outputs
    convert = _by_type(code.graph) if convert is None else convert
    returned = [entry for entry in program.data["outputs"] if "update" not in entry]
    arguments = len(program.data["inputs"]) - len(cells)
    return code.built.module.make(
        0,  # the only one of its module
        called,
        (None,) * arguments if rules is None else tuple(rules),
        convert,
        tuple(outs_of([variable.type for variable in outputs[: len(returned)]])),
        tuple([perform(node) for node in program.performs]),
        tuple([constant.data for constant in program.constants]),
        (None,) * arguments if defaults is None else tuple(defaults),
        tuple(cells),
        failer(called, program.steps) if explained else None,
        refuser(called, program, outputs),
    )


def _by_type(graph: Graph) -> Callable[[int, Any], Any]:
    filters = [filter_of(variable.type) for variable in graph.inputs]
    return lambda index, value: filters[index](value)
