"""Functions of cells: a run of nodes, called as PyTensor calls what it has linked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from pytensor.graph.basic import Apply, Variable

from opweld.compile.code import Code, bind, compile_graph
from opweld.config import Options
from opweld.errors import CompileError, CompilerNotFoundError
from opweld.pytensor.graphs import Node
from opweld.pytensor.runs import Run
from opweld.rooms import late

__all__ = ["Failed", "Thunk", "link_run"]

refused: Any = late("opweld.pytensor.refused")  # PyTensor's module of errors loads setuptools

Cell = list[Any]


class Thunk:
    """What runs some nodes: it reads its inputs from cells, and puts its outputs into cells.

    Attributes
    ----------
    nodes : list of Apply
        PyTensor's, in order.
    inputs, outputs : list of list
        The cells.
    position_of_error : int
        Which of the nodes failed last.
    storage_map : dict of Variable to list
        The cells of the whole graph, where it is one.
    error_storage : list
        Type, value and traceback of what a call through `cthunk` raised.
    """

    lazy = False
    allow_gc = False

    def __init__(
        self,
        run: Callable[[], None],
        code: Code,
        nodes: list[Any],
        inputs: list[Cell],
        outputs: list[Cell],
        at: list[Any],
    ) -> None:
        self.run = run
        self.nodes = nodes
        self.inputs = inputs
        self.outputs = outputs
        self.error_storage: list[Any] = [None, None, None]
        self._code = code
        self._at = at
        self._capsule: Any = None
        self.storage_map: dict[Any, Cell] = {}

    @property
    def position_of_error(self) -> int:
        """Which of the nodes failed last."""
        return int(self._at[0])

    @property
    def read(self) -> list[Cell]:
        """What the node that failed last had read."""
        return [[value] for value in self._at[1]]

    @property
    def thunks(self) -> list[Failed]:
        """What messages are told of each node, where this runs a whole graph."""
        return [Failed(self, node) for node in self.nodes]

    @property
    def module(self) -> Any:
        """The module that was compiled."""
        return self._code.built.module

    @property
    def cthunk(self) -> Any:
        """The capsule that PyTensor's virtual machine in C calls: ``int (*)(void *)``, with its context."""
        if self._capsule is None:
            self._capsule = self.run.capsule(self.error_storage)  # type: ignore[attr-defined]
        return self._capsule

    def source(self) -> str:
        """Give the C.

        Returns
        -------
        str
        """
        return str(self._code.source())

    def __call__(self) -> None:
        """Run."""
        self.run()

    def __str__(self) -> str:
        return f"{type(self).__name__}({len(self.nodes)} nodes: {', '.join(str(node.op) for node in self.nodes[:3])})"


class Failed:
    """What a message is told of a node: the cells that it reads, or what it has read, if it is the one that failed.

    Parameters
    ----------
    thunk : Thunk
        What ran it.
    node : Apply
        PyTensor's.
    """

    def __init__(self, thunk: Thunk, node: Apply) -> None:
        storage = thunk.storage_map
        cells = [storage.get(variable, [None]) for variable in node.inputs]
        read = thunk.read if node is thunk.nodes[thunk.position_of_error] else []
        self.inputs = [old if new[0] is None else new for old, new in zip(cells, read)] or cells
        self.outputs = [storage.get(variable, [None]) for variable in node.outputs]


def link_run(run: Run, inputs: list[Cell], outputs: list[Cell], options: Options) -> Thunk:
    """Compile nodes, and bind them to cells.

    Parameters
    ----------
    run : Run
        The nodes.
    inputs, outputs : list of list
        The cells of its inputs and outputs.
    options : Options
        What it is compiled with.

    Returns
    -------
    Thunk

    Raises
    ------
    pytensor.link.c.exceptions.CompileError, MissingGXX
        If it cannot be compiled, or there is no compiler.
    """
    try:
        code = compile_graph(run, "opweld", options, keywords=[None] * len(inputs), single=len(outputs) == 1)
    except CompileError as err:
        raise refused.RefusedError(str(err), err.details) from err
    except CompilerNotFoundError as err:
        raise refused.MissingError(str(err), err.details) from err
    at: list[Any] = [0, ()]
    steps: list[Any] = [node for node, _ in code.program.steps]
    places = [place for _, place in code.program.steps]
    order = [node.theirs for node in run.nodes]

    def failed(step: int, read: tuple[Any, ...], error: BaseException) -> None:
        place = places[step]
        node = steps[step].theirs
        values = [_as_read(read[place[i]], v) if i in place else None for i, v in enumerate(node.inputs)]
        at[:] = order.index(node), values

    made = bind(
        code,
        "opweld",
        perform=performer,  # type: ignore[arg-type]
        explained=False,
        failed=failed,
        takes=inputs,
        gives=outputs,
        threads=options.threads,
    )
    return Thunk(made, code, order, inputs, outputs, at)


def _as_read(value: object, theirs: Variable) -> Any:
    """Give what a step read as its node reads it: numbers are read without axes."""
    ndim = getattr(theirs.type, "ndim", None)
    return value.reshape((1,) * ndim) if isinstance(value, np.ndarray) and not value.ndim and ndim else value


def performer(node: Node) -> Callable[..., tuple[Any, ...]]:
    """Make what a module calls for a node that runs in Python: PyTensor's own thunk, over cells of its own.

    Parameters
    ----------
    node : Node
        The node.

    Returns
    -------
    callable
        Of the inputs' values; gives those of the outputs.
    """
    theirs = node.theirs
    cells: dict[Any, Cell] = {variable: [None] for variable in (*theirs.inputs, *theirs.outputs)}
    computed = {variable: [True] for variable in cells}
    thunk = theirs.op.make_thunk(theirs, cells, computed, [], impl="py")
    takes, gives = [cells[v] for v in theirs.inputs], [cells[v] for v in theirs.outputs]

    def run(*values: Any) -> tuple[Any, ...]:
        _fill(takes, values)
        for variable in theirs.outputs:
            computed[variable][0] = False
        try:
            while thunk():  # what it asks for is there
                pass
            return tuple([cell[0] for cell in gives])
        finally:
            _fill(takes, [None] * len(takes))
            _fill(gives, [None] * len(gives))

    return run


def _fill(cells: Sequence[Cell], values: Sequence[Any]) -> None:
    for cell, value in zip(cells, values):
        cell[0] = value
