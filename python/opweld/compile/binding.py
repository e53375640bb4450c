"""From a module, which knows of no values, to a callable, which is bound to some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile import builder
from opweld.compile.data import Program, tie
from opweld.compile.io import In
from opweld.dtypes import compiled, dtype_of, rule_of
from opweld.errors import _prefix
from opweld.graph.shared import Cell, SharedVariable, signatures
from opweld.graph.type import knows_of
from opweld.lean import digest
from opweld.rooms import late

if TYPE_CHECKING:
    from opweld.hooks.protocols import Graph, Node, Type, Variable

__all__ = ["Code", "bind", "converter", "outs_of", "refuser", "rules_of"]

remarks: Any = late("opweld.compile.remarks")  # few calls fail, or meet what is to be remarked on


def converter(
    called: str,
    specs: list[In],
    keywords: list[str | None],
    shared: Sequence[SharedVariable] = (),
    weak: bool = False,
) -> Callable[[int, Any], Any]:
    """Make what the module calls for an argument, or a shared variable's value, that it cannot take as it is.

    Parameters
    ----------
    called : str
        The function's name.
    specs : list of In
        Its arguments.
    keywords : list of str or None
        Their names.
    shared : sequence of SharedVariable
        What comes after the arguments.
    weak : bool
        As in `rules_of`.

    Returns
    -------
    callable
        Of the argument's index and its value.
    """
    filters: list[Callable[[Any], Any] | None] = [None] * (len(specs) + len(shared))

    def make(index: int) -> Any:
        if index >= len(specs):
            variable = shared[index - len(specs)]
            return signatures.filter_of(variable.type, variable.strict, variable.allow_downcast)
        spec = specs[index]
        rule = _rule_of(spec, keywords[index], weak)
        if rule is not None:
            return lambda value: compiled().filter(value, rule)
        named = getattr(spec.variable.type, "filter_argument", None)
        if named is not None and knows_of(spec.variable.type, "filter_argument", ("filter",)):
            name = keywords[index] or "x"
            return lambda value: named(value, spec.strict, spec.allow_downcast, spec.mutable, name)
        return signatures.filter_of(spec.variable.type, spec.strict, spec.allow_downcast)

    def convert(index: int, value: object) -> Any:
        found = filters[index]
        if found is None:
            found = filters[index] = make(index)
        try:
            return found(value)
        except Exception as err:
            if index >= len(specs):
                _prefix(err, f"{called}() shared variable {shared[index - len(specs)]}")
            else:
                name = keywords[index]
                _prefix(err, f"{called}() argument {repr(name) if name is not None else index + 1}")
            raise

    return convert


def rules_of(specs: Sequence[In], keywords: Sequence[str | None], weak: bool = False) -> list[tuple[Any, ...] | None]:
    """Give the rules by which a module converts arguments itself.

    Parameters
    ----------
    specs : sequence of In
        The function's arguments.
    keywords : sequence of str or None
        Their names.
    weak : bool
        Python's numbers take the argument's dtype, where `In` does not say what may be cast.

    Returns
    -------
    list of tuple or None
        Of each argument as `opweld.dtypes.rule_of` gives it; None: its type's filter is asked.
    """
    return [_rule_of(spec, keyword, weak) for spec, keyword in zip(specs, keywords)]


def _rule_of(spec: In, keyword: str | None, weak: bool) -> tuple[Any, ...] | None:
    type_: Any = spec.variable.type
    if not knows_of(type_, "argument_rule", ("filter", "filter_argument")):
        return None
    rule: tuple[Any, ...] = type_.argument_rule(spec.strict, spec.allow_downcast, spec.mutable, keyword or "x")
    return (*rule, True) if weak and spec.allow_downcast is None else rule


def outs_of(types: Sequence[Type]) -> list[tuple[Any, ...] | str]:
    """Give what a module needs to know to refuse an ``out=``.

    Parameters
    ----------
    types : sequence of Type
        Those of the results.

    Returns
    -------
    list of tuple or str
        Of each the rule, as `opweld.dtypes.rule_of` gives it; where the type takes no ``out=`` its name.
    """
    return [
        rule_of(dtype_of(type_.numpy_dtype), type_.shape, writeable=True, name="out")
        if hasattr(type_, "numpy_dtype")
        and hasattr(type_, "shape")
        and knows_of(type_, "c_accept", ("filter", "c_declare", "c_extract"))
        else str(type_)
        for type_ in types
    ]


class Code:
    """A graph that has become a module, which can be bound any number of times.

    Attributes
    ----------
    graph : Graph or None
        What runs; None: its Program was remembered.
    program : Program
        What the engine was given.
    built : Built
        The module; None: it is not known yet.
    fused : bool
        Nodes that walk the same elements are one loop.
    perform : callable or None
        Makes of a node what is called for it where it runs in Python; None: no node does.
    """

    __slots__ = ("built", "fused", "graph", "perform", "program")

    def __init__(
        self,
        graph: Graph | None,
        program: Program,
        built: builder.Built | None,
        fused: bool,
        perform: Callable[[Node], Callable[..., tuple[Any, ...]]] | None = None,
    ) -> None:
        self.graph = graph
        self.program = program
        self.built: Any = built
        self.fused = fused
        self.perform = perform

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
            if digest(text) == self.built.text:
                return text.decode()
        except OSError:
            pass
        return str(builder.making.engine.render(self.program.text, fuse=self.fused)["text"])

    def fusion(self) -> tuple[list[list[int]], list[tuple[int, int, str]]]:
        """Ask the engine which steps are one loop, and why others are not: `opweld.compile.maker.Maker.fused`."""
        found = builder.making.engine.fusion(self.program.text)
        return found["loops"], [(pair["from"], pair["to"], pair["why"]) for pair in found["apart"]]


def bind(
    code: Code,
    called: str,
    convert: Callable[[int, Any], Any] | None = None,
    *,
    rules: Sequence[tuple[Any, ...] | None] | None = None,
    outputs: Sequence[Variable] | None = None,
    defaults: Sequence[tuple[Any] | None] | None = None,
    cells: Sequence[Cell] = (),
    perform: Callable[[Node], Callable[..., tuple[Any, ...]]] | None = None,
    explained: bool = True,
    remark: Callable[[int, tuple[Any, ...], Any], None] | None = None,
    threads: int = 1,
    failed: Callable[[int, tuple[Any, ...], BaseException], None] | None = None,
    takes: Sequence[list[Any]] | None = None,
    gives: Sequence[list[Any]] = (),
    number: int = 0,
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
    perform : callable, optional
        Makes of a node what is called for it where it runs in Python, `code.perform` if left out.
    explained : bool
        Name the node where a step fails.
    remark : callable, optional
        Of a word of NumPy's bits, the values of all inputs, and what is called: called after a call that has met such
        floating point as NumPy may warn of.
    threads : int
        On how many threads long loops run, at most.
    failed : callable, optional
        Of the number of a step, the arrays that it read, and the exception: called where a step fails, in the place of
        what `explained` says.
    takes, gives : sequence of list, optional
        A call without arguments reads them from cells, lists of one, and puts each result into one. With arguments,
        which stand for what lies in as many of the first cells, it gives its results and changes no cell.
    number : int
        Which function of the module.

    Returns
    -------
    callable
        Takes the arguments, and ``out=``; it is C from its entry to its return. A function of cells has ``capsule``.
    """
    program = code.program
    if outputs is None or convert is None:
        assert code.graph is not None, "of a Program that was remembered its user knows both"
        outputs = code.graph.outputs if outputs is None else outputs
        convert = _by_type(code.graph) if convert is None else convert
    returned = [entry for entry in program.data["outputs"] if "update" not in entry]
    assert code.built.module is not None, "it is for another process"
    runs: Any = perform or code.perform
    return tie(
        code.built.module,
        called,
        len(program.data["inputs"]) - len(cells),
        convert,
        outs_of([variable.type for variable in outputs[: len(returned)]]),
        refuser(called, program, outputs),
        rules=rules,
        performs=[runs(node) for node in program.performs],
        constants=[constant.data for constant in program.constants],
        defaults=defaults,
        cells=cells,
        failed=failed or (_failer(called, program) if explained else None),
        remark=remark,
        threads=threads,
        takes=takes,
        gives=gives,
        number=number,
    )


def _failer(called: str, program: Program) -> Callable[[int, tuple[Any, ...], BaseException], None]:
    """What the module calls when a step fails; see `opweld.compile.failure.failed`."""
    return lambda step, inputs, error: remarks.failure.failed(called, program, step, inputs, error)


def refuser(called: str, program: Program, outputs: Sequence[Variable]) -> Callable[[int, int, Any], None]:
    """Make what the module calls when an op left what a type may not allow; see `opweld.compile.failure.refuse`.

    Returns
    -------
    callable
    """
    return lambda step, position, value: remarks.failure.refuse(called, program, outputs, step, position, value)


def _by_type(graph: Graph) -> Callable[[int, Any], Any]:
    filters = [signatures.filter_of(variable.type) for variable in graph.inputs]
    return lambda index, value: filters[index](value)
