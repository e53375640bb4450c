"""A function as the engine is given it: Program (docs/program.md), plain data; and what its module is bound to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from opweld.errors import ProgramError
from opweld.lean import dumps

if TYPE_CHECKING:
    from opweld.hooks.protocols import Constant, Node
    from opweld.schema import ProgramFields

__all__ = ["FORMAT", "STANDARD", "Program", "ours", "remarker", "speaks", "tie"]

FORMAT = 4

#: The standard modes by their names, which have no options of their own: the tag of the rewriters that run.
STANDARD = {"": "fast_run", "FAST_RUN": "fast_run", "FAST_COMPILE": "fast_compile"}


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


def tie(
    module: ModuleType,
    called: str,
    arguments: int,
    convert: Callable[[int, Any], Any],
    outs: Sequence[tuple[Any, ...] | str],
    refuse: Callable[[int, int, Any], None],
    *,
    rules: Sequence[tuple[Any, ...] | None] | None = None,
    performs: Sequence[Callable[..., tuple[Any, ...]]] = (),
    constants: Sequence[Any] = (),
    defaults: Sequence[tuple[Any] | None] | None = None,
    cells: Sequence[Any] = (),
    failed: Callable[[int, tuple[Any, ...], BaseException], None] | None = None,
    remark: Callable[[int, tuple[Any, ...], Any], None] | None = None,
    threads: int = 1,
    takes: Sequence[list[Any]] | None = None,
    gives: Sequence[list[Any]] = (),
    number: int = 0,
) -> Any:
    """Make a function of a module.

    Parameters
    ----------
    module : module
        What was built.
    called : str
        The function's name, for messages.
    arguments : int
        How many it takes.
    outs : sequence of (tuple or str)
        Of each result the rule for an ``out=``; where its type takes none, its name.
    refuse : callable
        Of the number of a step, that of its output, and the value: called where an op left what a type may not allow.
    performs : sequence of callable
        What is called for the steps that run in Python, in order.
    constants : sequence of object
        The values of the constants, in order.
    convert, rules, defaults, cells, failed, remark, threads, takes, gives, number
        As for `opweld.compile.code.bind`.

    Returns
    -------
    callable
    """
    return module.make(
        number,
        called,
        (None,) * arguments if rules is None else tuple(rules),
        convert,
        tuple(outs),
        tuple(performs),
        tuple(constants),
        (None,) * arguments if defaults is None else tuple(defaults),
        tuple(cells),
        failed,
        refuse,
        remark,
        threads,
        *(() if takes is None else (tuple(takes), tuple(gives))),
    )


def ours(op: object) -> bool:
    """Say whether an op is the library's, and so is what it applies: it computes, and does nothing else.

    Parameters
    ----------
    op : Op
        The op.

    Returns
    -------
    bool
    """
    applied = getattr(op, "applied", None) or getattr(op, "scalar_op", op)
    return all([type(part).__module__.startswith("opweld.") for part in (op, applied)])


def speaks(outputs: Sequence[Any]) -> bool:
    """Say whether anything could be said of a graph's floating point: whether NumPy computes any of its nodes too.

    Parameters
    ----------
    outputs : sequence of Variable
        The graph's.

    Returns
    -------
    bool
        False: what there is, its users wrote.
    """
    stack, seen = [variable.owner for variable in outputs], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if ours(node.op) and node.op.has_perform():
            return True
        stack += [variable.owner for variable in node.inputs]
    return False


def remarker(made: Callable[[], Any]) -> Callable[[int, tuple[Any, ...], Any], None]:
    """Make what a module calls after a call that has met such floating point as NumPy may warn of.

    Parameters
    ----------
    made : callable
        Gives the `opweld.compile.remarks.Remarks`, when they are first wanted.

    Returns
    -------
    callable
    """
    remarks: Any = None

    def say(word: int, values: tuple[Any, ...], function: Any) -> None:
        nonlocal remarks
        if remarks is None:
            remarks = made()
        remarks.say(word, values, function, 2)

    return say
