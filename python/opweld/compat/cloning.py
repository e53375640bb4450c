"""Copies of graphs, and computations of other variables, as Theano, Aesara and PyTensor name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from opweld.compat.graphs import variable_depends_on
from opweld.graph.basic import Constant, Variable
from opweld.graph.order import depth_first

__all__ = [
    "clone", "clone_get_equiv", "clone_replace", "equal_computations", "graph_replace", "rebuild_collect_shared",
]  # fmt: skip

Outputs = Variable | Sequence[Variable]
Pairs = Mapping[Variable, Variable] | Iterable[tuple[Variable, Variable]] | None


def clone_get_equiv(
    inputs: Iterable[Variable],
    outputs: Iterable[Variable],
    copy_inputs: bool = True,
    copy_orphans: bool = True,
    memo: dict[Any, Any] | None = None,
    **_: object,
) -> dict[Any, Any]:
    """Copy what lies between variables.

    Parameters
    ----------
    inputs, outputs : iterable of Variable
        Where the graph begins and ends.
    copy_inputs, copy_orphans : bool
        Whether inputs, and other variables that no node computes, are copied too.
    memo : dict, optional
        What stands for some already.

    Returns
    -------
    dict
        What stands for each variable and each node.
    """
    found: dict[Any, Any] = {} if memo is None else memo
    inputs, outputs = list(inputs), list(outputs)
    for variable in inputs:
        found.setdefault(variable, variable.clone() if copy_inputs else variable)
    nodes = depth_first(outputs, set(found))
    for variable in [*[v for node in nodes for v in node.inputs], *outputs]:
        if variable not in found and variable.owner is None:
            found[variable] = variable.clone() if copy_orphans and not isinstance(variable, Constant) else variable
    for node in nodes:
        found[node] = node.copy([found[v] for v in node.inputs], found)
    return found


def clone(
    inputs: Iterable[Variable], outputs: Iterable[Variable], copy_inputs: bool = True, copy_orphans: bool = True,
    **_: object,
) -> tuple[list[Variable], list[Variable]]:  # fmt: skip
    """Copy what lies between variables; see `clone_get_equiv`.

    Returns
    -------
    inputs, outputs : list of Variable
        The copies.
    """
    inputs, outputs = list(inputs), list(outputs)
    found = clone_get_equiv(inputs, outputs, copy_inputs, copy_orphans)
    return [found[v] for v in inputs], [found[v] for v in outputs]


def clone_replace(output: Outputs, replace: Pairs = None, **_: object) -> Any:
    """Compute outputs of other variables.

    Parameters
    ----------
    output : Variable or sequence of Variable
        What is computed.
    replace : mapping, or iterable of pairs
        What stands for which variable.

    Returns
    -------
    Variable or list of Variable
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    outputs = [output] if isinstance(output, Variable) else list(output)
    found: dict[Variable, Variable] = dict(pairs)
    for node in depth_first(outputs, set(pairs)):
        inputs = [found.get(v, v) for v in node.inputs]
        if all(one is other for one, other in zip(inputs, node.inputs)):
            found.update(zip(node.outputs, node.outputs))
            continue
        alike = all(one.type == other.type for one, other in zip(inputs, node.inputs))
        made = node.copy(inputs, {}) if alike else node.op.make_node(*inputs)
        for old, new in zip(node.outputs, made.outputs):
            found.setdefault(old, new)
    made_of = [found.get(v, v) for v in outputs]
    return made_of[0] if isinstance(output, Variable) else made_of


def graph_replace(outputs: Outputs, replace: Pairs = None, *, strict: bool = True) -> Any:
    """Compute outputs of other variables; see `clone_replace`.

    Raises
    ------
    ValueError
        If `strict`, and an output does not depend on what is to be replaced.
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    many = [outputs] if isinstance(outputs, Variable) else list(outputs)
    if strict:
        unused = [v for v in pairs if not any(variable_depends_on(out, v) for out in many)]
        if unused:
            raise ValueError(f"some replacements were not used: {', '.join(map(str, unused))}")
    return clone_replace(outputs, pairs)


def equal_computations(
    xs: Sequence[Any], ys: Sequence[Any], in_xs: Sequence[Variable] = (), in_ys: Sequence[Variable] = (), **_: object
) -> bool:
    """Say whether some variables are computed as others are.

    Parameters
    ----------
    xs, ys : sequence of Variable
        What is computed.
    in_xs, in_ys : sequence of Variable
        Of what: the first of one for the first of the other, and so on.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there are not as many of one as of the other.
    """
    if len(xs) != len(ys) or len(in_xs) != len(in_ys):
        raise ValueError("equal_computations: expected as many variables of one as of the other")
    xs, ys = [[v for v in side if isinstance(v, Variable)] for side in (xs, ys)]
    if len(xs) != len(ys):
        return False
    same = dict(zip(in_xs, in_ys))
    if any(one.type != other.type for one, other in same.items()):
        return False
    ones, others = depth_first(xs, set(in_xs)), depth_first(ys, set(in_ys))
    if len(ones) != len(others):
        return False
    for one, other in zip(ones, others):
        if one.op != other.op or len(one.inputs) != len(other.inputs):
            return False
        if not all(_same(a, b, same) for a, b in zip(one.inputs, other.inputs)):
            return False
        same.update(zip(one.outputs, other.outputs))
    return all(_same(a, b, same) for a, b in zip(xs, ys))


def _same(one: Variable, other: Variable, known: dict[Variable, Variable]) -> bool:
    if one in known:
        return known[one] is other
    if isinstance(one, Constant) and isinstance(other, Constant):
        return bool(one.type == other.type and one.signature() == other.signature())
    return one is other


def rebuild_collect_shared(
    outputs: Outputs, inputs: Sequence[Variable] | None = None, replace: Pairs = None, *_: object, **__: object
) -> tuple[Any, Any, list[Any]]:
    """Compute outputs of other variables, and say what was copied.

    Parameters
    ----------
    outputs : Variable or sequence of Variable
        What is computed.
    inputs : sequence of Variable, optional
        Of what.
    replace : mapping, or iterable of pairs
        What stands for which variable.

    Returns
    -------
    inputs : list of Variable
        As given.
    outputs : Variable or list of Variable
        The copies.
    rest : list
        What stands for which variable, the updates, the constants and shared variables, the list of inputs: the first
        is a dict, the others are empty: shared variables have no updates here but those given to `function`.
    """
    pairs = dict(replace.items() if isinstance(replace, Mapping) else replace or ())
    return list(inputs or ()), clone_replace(outputs, pairs), [pairs, {}, [], []]
