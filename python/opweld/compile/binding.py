"""The Python that a module calls: for arguments it cannot take as they are, for nodes that run in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile.io import In
from opweld.dtypes import compiled, dtype_of, rule_of
from opweld.graph.shared import SharedVariable
from opweld.hooks.reading import knows_of
from opweld.rooms import late
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node, Type

params_room: Any = late("opweld.params")  # few graphs have an op with params

__all__ = ["converter", "outs_of", "performer", "rules_of"]


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

    def make(index: int) -> Callable[[Any], Any]:
        if index >= len(specs):
            variable = shared[index - len(specs)]
            return filter_of(variable.type, variable.strict, variable.allow_downcast)
        spec = specs[index]
        rule = _rule_of(spec, keywords[index], weak)
        if rule is not None:
            return lambda value: compiled().filter(value, rule)
        named = getattr(spec.variable.type, "filter_argument", None)
        if named is not None and knows_of(spec.variable.type, "filter_argument", ("filter",)):
            name = keywords[index] or "x"
            return lambda value: named(value, spec.strict, spec.allow_downcast, spec.mutable, name)
        return filter_of(spec.variable.type, spec.strict, spec.allow_downcast)

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


def _prefix(err: Exception, where: str) -> None:
    """Say in an exception where it arose; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)


def outs_of(types: Sequence[Type]) -> list[tuple[Any, ...] | str]:
    """Give what a module needs to know to refuse an ``out=``.

    Parameters
    ----------
    types : sequence of Type
        Those of the results.

    Returns
    -------
    list of tuple or str
        Of each the rule, as `opweld.dtypes.rule_of` gives it; where values are no arrays the type's name.
    """
    return [
        rule_of(dtype_of(type_.numpy_dtype), type_.shape, writeable=True, name="out")
        if hasattr(type_, "numpy_dtype") and hasattr(type_, "shape")
        else str(type_)
        for type_ in types
    ]


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
    perform = op.perform
    params: tuple[Any, ...] = ()
    if getattr(op, "params_type", None) is not None:
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
