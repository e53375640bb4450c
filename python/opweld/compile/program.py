"""From a graph to Program (docs/program.md): every hook asked for its text, once, under canonical names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opweld.compile.data import FORMAT, Program
from opweld.hooks.fragments import Fragments
from opweld.hooks.standing import one_node, one_type
from opweld.hooks.writer import Writer

if TYPE_CHECKING:
    from opweld.hooks.protocols import Graph, Node, Variable
    from opweld.schema import ProgramFields

__all__ = ["FORMAT", "Program", "make_program"]

#: The Programs that are written from now on, where somebody wants them all; None: nobody does.
written: list[Program] | None = None


def make_program(
    graph: Graph,
    name: str = "f",
    single: bool = False,
    keywords: list[str | None] | None = None,
    defaults: list[bool] | None = None,
    mutable: list[bool] | None = None,
    cells: int = 0,
    updates: Sequence[int] = (),
    scalars: bool = False,
    fragments: Fragments | None = None,
) -> Program:
    """Ask every hook of a graph and write Program.

    Parameters
    ----------
    graph : Graph
        Each output is computed by a node of its own: no input, constant or repeated output among them.
    name : str
        The function's name, for messages.
    single : bool
        The one output is returned bare.
    keywords : list of str or None, optional
        The name of each argument; None: positional only. The variables' names if left out.
    defaults, mutable : list of bool, optional
        Which arguments have a default, and which may be written into.
    cells : int
        How many inputs, the last ones, are no arguments but shared variables.
    updates : sequence of int
        Which input takes the value of each of the last outputs.
    scalars : bool
        Arrays without dimensions are returned as NumPy's scalars.
    fragments : Fragments, optional
        Who asked the hooks of other functions of the module: then no two classes have one label in it.

    Returns
    -------
    Program

    Raises
    ------
    TypeError
        If a hook gave something that is not C, or an op can be run neither in C nor in Python.
    """
    nodes = graph.toposort()
    writer = Writer(_unchecked(nodes), one_type, one_node, fragments)
    count = len(graph.inputs) - cells
    keywords = [variable.name for variable in graph.inputs] if keywords is None else keywords
    defaults = [False] * count if defaults is None else defaults
    mutable = [False] * count if mutable is None else mutable
    for variable in graph.inputs:
        writer.variable(variable, "input")
    results = set(graph.outputs)
    for node in nodes:
        writer.step(node, results)
    writer.keep(nodes, graph.outputs)
    inputs = [
        writer.argument(variable, keywords[i], defaults[i], mutable[i])
        for i, variable in enumerate(graph.inputs[:count])
    ]
    inputs += [writer.shared(variable) for variable in graph.inputs[count:]]
    returned = len(graph.outputs) - len(updates)
    outputs = [writer.result(variable, scalars) for variable in graph.outputs[:returned]]
    outputs += [writer.update(variable, source) for variable, source in zip(graph.outputs[returned:], updates)]
    data: ProgramFields = {
        "program": FORMAT,
        "name": name,
        "types": writer.types,
        "kernels": writer.kernels,
        "variables": writer.variables,
        "steps": writer.steps,
        "inputs": inputs,
        "outputs": outputs,
        "single": single,
    }
    program = Program(data, writer.fragments.sources, writer.nodes, writer.performs, writer.constants)
    if written is not None:
        written.append(program)
    return program


def _unchecked(nodes: Sequence[Node]) -> set[Variable]:
    """The variables that only ops with ``check_input = False`` use."""
    loose: set[Variable] = set()
    for node in nodes:
        if getattr(node.op, "check_input", True) is False:
            loose.update(node.inputs, node.outputs)
    if loose:
        for node in nodes:
            if getattr(node.op, "check_input", True) is not False:
                loose.difference_update(node.inputs, node.outputs)
    return loose
