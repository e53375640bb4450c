"""A function as its user asked for it."""

from __future__ import annotations

from typing import Any

from opweld.compile.io import In, Out
from opweld.graph.basic import Variable
from opweld.graph.shared import SharedVariable

__all__ = ["Asked"]


class Asked:
    """What a user asks for.

    Parameters
    ----------
    inputs : list of In
        The arguments.
    outputs : list of Out
        The results; givens stand in their places.
    updates : dict of SharedVariable to Variable
        What becomes the value of which shared variable.
    single : bool
        There is no list of results, but one result, or None.
    name : str or None
        The function's name.
    mode : str or Mode
        How it runs.
    options : dict of str to object
        The options that its user gave.
    known_by : str
        A text that says all that the graph says, by which it may be remembered; empty: the graph is written down.
    """

    def __init__(
        self,
        inputs: list[In],
        outputs: list[Out],
        updates: dict[SharedVariable, Variable],
        single: bool,
        name: str | None,
        mode: object,
        options: dict[str, Any] | None = None,
        known_by: str = "",
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.updates = updates
        self.single = single
        self.name = name
        self.mode = mode
        self.options = options or {}
        self.known_by = known_by

    @property
    def wanted(self) -> list[Variable]:
        """What is to be computed: the results, then what becomes the values of shared variables."""
        return [*[out.variable for out in self.outputs], *self.updates.values()]
