"""Modes by the names and arguments that Theano, Aesara and PyTensor have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opweld.compat.settings import OPTIMIZERS
from opweld.compile.code import performer
from opweld.compile.modes import FAST_RUN, read_mode, rewrites_of
from opweld.config import Options, config
from opweld.errors import MethodNotDefined
from opweld.graph.basic import Constant, Variable
from opweld.graph.fgraph import FunctionGraph

__all__ = ["Mode", "get_default_mode", "get_mode", "mode_of"]

_IN_C = ("c", "cvm", "cvm_nogc", "c|py", "c|py_nogc", "vm", "vm_nogc")


class Mode:
    """How a function is made of its graph.

    Parameters
    ----------
    linker : {None, "cvm", "vm", "c", "c|py", "cvm_nogc", "vm_nogc", "c|py_nogc", "py"}
        ``"py"`` runs every node's `perform`; the others are one: a module of C.
    optimizer : {"default", "fast_run", "fast_compile", "merge", "None", "o4" to "o0"}, optional
        Which rewriters run.

    Raises
    ------
    ValueError
        If there is no such linker or optimizer.
    """

    def __init__(self, linker: str | None = None, optimizer: str | None = "default", db: None = None) -> None:
        if linker is not None and linker not in (*_IN_C, "py"):
            raise ValueError(f"no linker {linker!r} here: expected one of {', '.join([*_IN_C, 'py'])}")
        self.linker = linker or "cvm"
        self.optimizer = str(optimizer)
        self.rewrites = rewrites_of(FAST_RUN, OPTIMIZERS.get(self.optimizer, self.optimizer))

    def __repr__(self) -> str:
        return f"Mode(linker={self.linker!r}, optimizer={self.optimizer!r})"

    def link(self, graph: FunctionGraph, options: Options | None = None, name: str | None = None) -> Callable[..., Any]:
        """Make what runs a graph; see `opweld.compile.modes.Mode`."""
        if self.linker != "py":
            return FAST_RUN.link(graph, options, name)
        order = graph.toposort()
        for node in order:
            if not node.op.has_perform():
                raise MethodNotDefined(f"{node.op} has no perform: it cannot be run by the linker 'py'")
        steps = [(node, performer(node)) for node in order]

        def run(*values: Any) -> list[Any]:
            known: dict[Variable, Any] = dict(zip(graph.inputs, values))
            for node, perform in steps:
                found = perform(*[v.data if isinstance(v, Constant) else known[v] for v in node.inputs])
                known.update(zip(node.outputs, found))
            return [v.data if isinstance(v, Constant) else known[v] for v in graph.outputs]

        return run


def mode_of(mode: object) -> Any:
    """Find what a user of the packages means by a mode.

    Parameters
    ----------
    mode : str or Mode or None
        A name, of a mode or of a linker, or a mode.

    Returns
    -------
    Mode or str or None
        What `opweld.function` takes.
    """
    if not isinstance(mode, str):
        return mode
    if mode.lower() in _IN_C or mode == "Mode":
        return "FAST_RUN"
    return Mode("py") if mode.lower() == "py" else mode


def get_mode(orig_string: object) -> Any:
    """Give a mode by its name; None: the one that is configured."""
    return read_mode(mode_of(config.mode if orig_string is None else orig_string))


def get_default_mode() -> Any:
    """Give the mode that is configured."""
    return get_mode(None)
