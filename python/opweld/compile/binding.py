"""The Python that a module calls: for arguments it cannot take as they are, for nodes that run in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from opweld.compile.io import In
from opweld.dtypes import compiled, describe, dtype_of, expected, shape_text
from opweld.hooks.protocols import Node, Type
from opweld.hooks.reading import knows_of
from opweld.rooms import late
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.graph.shared import SharedVariable

params_room: Any = late("opweld.params")  # few graphs have an op with params

__all__ = ["converter", "performer", "rejecter", "rules_of"]


def converter(
    called: str, specs: list[In], keywords: list[str | None], shared: Sequence[SharedVariable] = ()
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
        rule = _rule_of(spec, keywords[index])
        if rule is not None:
            return lambda value: compiled().filter(value, rule)
        named = getattr(spec.variable.type, "filter_argument", None)
        if named is not None and knows_of(spec.variable.type, "filter_argument", ("filter",)):
            name = keywords[index] or "x"
            return lambda value: named(value, spec.strict, spec.allow_downcast, spec.mutable, name)
        return filter_of(spec.variable.type, spec.strict, spec.allow_downcast)

    def convert(index: int, value: Any) -> Any:
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


def rules_of(specs: Sequence[In], keywords: Sequence[str | None]) -> list[tuple[Any, ...] | None]:
    """Give the rules by which a module converts arguments itself.

    Parameters
    ----------
    specs : sequence of In
        The function's arguments.
    keywords : sequence of str or None
        Their names.

    Returns
    -------
    list of tuple or None
        Of each argument as `opweld.dtypes.rule_of` gives it; None: its type's filter is asked.
    """
    return [_rule_of(spec, keyword) for spec, keyword in zip(specs, keywords)]


def _rule_of(spec: In, keyword: str | None) -> tuple[Any, ...] | None:
    type_: Any = spec.variable.type
    if not knows_of(type_, "argument_rule", ("filter", "filter_argument")):
        return None
    rule: tuple[Any, ...] = type_.argument_rule(spec.strict, spec.allow_downcast, spec.mutable, keyword or "x")
    return rule


def _prefix(err: Exception, where: str) -> None:
    """Say in an exception where it arose; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)


def rejecter(called: str, types: Sequence[Type]) -> Callable[[int, Any], None]:
    """Make what the module calls to refuse an ``out=``.

    Parameters
    ----------
    called : str
        The function's name.
    types : sequence of Type
        Those of its outputs.

    Returns
    -------
    callable
        Of the output's index and what was given for it; always raises.
    """

    def reject(position: int, value: Any) -> None:
        import numpy as np

        type_: Any = types[position]
        where = f"{called}() out" if len(types) == 1 else f"{called}() out[{position}]"
        if not (hasattr(type_, "numpy_dtype") and hasattr(type_, "shape")):  # no array's
            raise TypeError(f"{where}: an output of type {type_} cannot be written into a given object; pass None")
        message = f"{where}: expected {expected(dtype_of(type_.numpy_dtype), type_.shape, True)}; got {describe(value)}"
        advice = f"pass np.empty({shape_text(type_.shape)}, {type_.dtype!r})"
        if any(size is None for size in type_.shape):
            advice = f"pass np.empty(shape, {type_.dtype!r})"
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{message}: {advice}")
        if type(value) is not np.ndarray:
            raise TypeError(f"{message}: subclasses are not written into; pass out.view(np.ndarray)")
        if value.ndim != len(type_.shape):
            raise TypeError(f"{message}: its number of dimensions differs; {advice}")
        if any(want is not None and have != want for have, want in zip(value.shape, type_.shape)):
            raise ValueError(f"{message}: its shape differs; {advice}")
        if value.dtype.num != type_.numpy_dtype.num:
            raise TypeError(f"{message}: its dtype differs; {advice}")
        if not value.dtype.isnative:
            raise TypeError(f"{message}: it is in swapped byte order; {advice}")
        if not value.flags.aligned:
            raise TypeError(f"{message}: it is misaligned; {advice}")
        raise TypeError(f"{message}: it is read-only; {advice}")

    return reject


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
