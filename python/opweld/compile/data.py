"""A function as its user asked for it, and as the engine is given it: Program (docs/program.md), plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.compile.io import In, Out
from opweld.errors import ProgramError
from opweld.graph.basic import Variable
from opweld.graph.shared import SharedVariable
from opweld.lean import dumps

if TYPE_CHECKING:
    from opweld.hooks.protocols import Constant, Node
    from opweld.schema import ProgramFields

__all__ = ["FORMAT", "STANDARD", "Asked", "Program"]

FORMAT = 4

#: The standard modes by their names, which have no options of their own: the tag of the rewriters that run.
STANDARD = {"": "fast_run", "FAST_RUN": "fast_run", "FAST_COMPILE": "fast_compile"}


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
    ) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.updates = updates
        self.single = single
        self.name = name
        self.mode = mode
        self.options = options or {}

    @property
    def wanted(self) -> list[Variable]:
        """What is to be computed: the results, then what becomes the values of shared variables."""
        return [*[out.variable for out in self.outputs], *self.updates.values()]


class Program:
    """A function as plain data, and beside it the Python objects that its module is bound to.

    Attributes
    ----------
    data : dict
        Program, as docs/program.md describes it.
    text : str
        The same as JSON; `data` as bytes is what the cache's index is made of.
    bytes : bytes
        `text` in UTF-8.
    sources : dict
        Where the fragments were written: outside every key.
    steps : list of (Node, dict of int to int)
        The node behind each step, and where among the step's inputs each of the node's is: all but those that are
        written into the C; a variable that is given twice is one.
    performs : list of Node
        The nodes whose steps call Python, in the order of those steps.
    constants : list of Constant
        In the order of the constant variables.
    """

    def __init__(
        self,
        data: ProgramFields,
        sources: dict[str, dict[str, Any]],
        steps: list[tuple[Node, dict[int, int]]],
        performs: list[Node],
        constants: list[Constant],
    ) -> None:
        self.data = data
        self.sources = sources
        self.steps = steps
        self.performs = performs
        self.constants = constants
        self.text = dumps(data, ascii=False)
        try:
            self.bytes = self.text.encode()
        except UnicodeEncodeError as err:
            raise ProgramError(f"a fragment holds what UTF-8 cannot write: {err}") from None
