"""`opweld.function` as Theano, Aesara and PyTensor have it: their rules hold for its calls."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from opweld.compat.graphs import io_toposort
from opweld.compat.modes import mode_of
from opweld.compile.function import In
from opweld.compile.function import function as _function
from opweld.graph.aliasing import alias_pairs, roots
from opweld.graph.basic import Variable

__all__ = ["function"]


def _written_over(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of `function`, where the inputs that an op writes over may be."""
    names = ("inputs", "outputs")
    given: list[Any] = [args[i] if len(args) > i else keywords.get(name) for i, name in enumerate(names)]
    inputs, outputs = given
    several = [outputs] if not isinstance(outputs, (list, tuple)) else outputs
    variables = [getattr(one, "variable", one) for one in (*inputs, *several)]
    known: dict[Any, Any] = dict.fromkeys(variables[: len(inputs)])
    owners: set[Any] = set()
    for node in io_toposort(known, [v for v in variables[len(inputs) :] if isinstance(v, Variable)]):
        for _, source in alias_pairs(node, "destroy_map"):
            owners |= roots(node.inputs[source], known)
    given[0] = [In(one, mutable=True) if isinstance(one, Variable) and one in owners else one for one in inputs]
    return (*given, *args[2:]), {name: value for name, value in keywords.items() if name not in names}


@functools.wraps(_function)
def function(*args: Any, **keywords: Any) -> Any:
    """Compile a graph; see `opweld.function`. The option `conventions` is "theano" unless it is given.

    A mode may have a name that it has in the packages, such as ``"CVM"`` or ``"py"``; see `opweld.compat.modes`.
    With ``accept_inplace=True`` the graph may write over its inputs.
    """
    if keywords.pop("accept_inplace", False):
        args, keywords = _written_over(args, keywords)
    if "mode" in keywords:
        keywords["mode"] = mode_of(keywords["mode"])
    given = keywords.get("options")
    if len(args) < 10 and (given is None or isinstance(given, Mapping)):
        keywords["options"] = {"conventions": "theano", **(given or {})}
    return _function(*args, **keywords)
