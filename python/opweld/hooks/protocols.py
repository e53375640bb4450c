"""What a graph has to offer to be compiled: this package's, or another's whose nodes have the same hooks.

Nothing on the way from such a graph to a function asks of what class something is (docs/front-ends.md). What may be
left out is asked for by name, and stands in the notes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

__all__ = ["Constant", "Graph", "Node", "Op", "Type", "Variable"]


class Type(Protocol):
    """What values a variable can take.

    Notes
    -----
    A type with ``c_declare`` carries its values in C, and writes what `opweld.CType` does; others are carried as Python
    objects. Equal types, by ``==`` and ``hash``, are one in C; one that does not hash is equal to itself alone. There
    may be ``c_accept``, ``c_array``, ``c_literal``, ``keep_storage``, ``check_input``, ``filter_argument`` and
    ``argument_rule`` (what a module converts by itself), and, for
    messages, ``numpy_dtype`` and ``shape`` where values are arrays.
    """

    def filter(self, value: object) -> Any:
        """Give a value of the type, or raise TypeError or ValueError. It may take ``strict`` and ``allow_downcast``."""


class Variable(Hashable, Protocol):
    """A value: an input of the graph, what a node makes, or a constant. It is itself alone: ``==`` is identity."""

    @property
    def type(self) -> Type:
        """What values it can take."""

    @property
    def name(self) -> str | None:
        """For messages; arguments are named by it."""

    @property
    def owner(self) -> Node | None:
        """The node that makes it; None: none does."""


class Constant(Variable, Protocol):
    """A variable whose value is known: one without an owner that has ``data``."""

    @property
    def data(self) -> Any:
        """The value, of the variable's type."""


class Op(Protocol):
    """What a node does.

    Notes
    -----
    Either ``c_code(node, name, input_names, output_names, sub)`` or ``perform(node, inputs, output_storage)`` is there,
    or both. An op whose class has ``perform`` where it writes none says so by ``has_perform()``. The further hooks are
    those of `opweld.COp`; ``view_map``, ``destroy_map``, ``check_input``, ``params_type`` with ``get_params``, ``gil``,
    ``c_lang`` and ``c_float16`` may be there. ``ready_for_c(node)`` is called before the C hooks of a node are asked,
    and says whether they are; ``runner(node)`` before it runs in Python: what it gives, if anything, stands for
    ``perform``.
    """


class Node(Hashable, Protocol):
    """An op, applied to variables.

    Notes
    -----
    ``made_at`` may be there: the file, the line and the function where it was applied, for messages.
    """

    @property
    def op(self) -> Any:
        """An `Op`."""

    @property
    def inputs(self) -> Sequence[Variable]:
        """What it reads."""

    @property
    def outputs(self) -> Sequence[Variable]:
        """What it makes."""


class Graph(Protocol):
    """What lies between inputs and outputs."""

    @property
    def inputs(self) -> Sequence[Variable]:
        """What is given, in order."""

    @property
    def outputs(self) -> Sequence[Variable]:
        """What is computed, in order: each by a node, none twice."""

    def toposort(self) -> Sequence[Node]:
        """Give the nodes as they run: each after what it reads, and after the readers of what it destroys."""
