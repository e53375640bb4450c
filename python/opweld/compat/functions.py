"""`opweld.function` as Theano, Aesara and PyTensor have it: their rules hold for its calls."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from opweld.compat.graphs import io_toposort
from opweld.compat.modes import mode_of
from opweld.compile.function import In
from opweld.compile.function import function as _function
from opweld.graph.aliasing import alias_pairs, roots
from opweld.graph.basic import Variable
from opweld.hooks.copying import deep_copy_op

__all__ = ["function"]

_ORDER = (
    "inputs", "outputs", "mode", "updates", "givens", "no_default_updates", "accept_inplace", "name",
    "rebuild_strict", "allow_input_downcast", "profile", "on_unused_input",
)  # fmt: skip


def _listed(outputs: object) -> list[Any]:
    """The variables of outputs, as `function` takes them."""
    several = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [v for one in several if isinstance(v := getattr(one, "variable", one), Variable)]


def _destroyed(known: dict[Any, Any], wanted: list[Any]) -> set[Any]:
    """Those of some variables that a graph writes over."""
    owners: set[Any] = set()
    for node in io_toposort(known, wanted):
        for _, source in alias_pairs(node, "destroy_map"):
            owners |= roots(node.inputs[source], known)
    return owners


def _written_over(inputs: Iterable[object], outputs: object) -> list[Any]:
    """The inputs of a function, where those that an op writes over may be."""
    owners = _destroyed(dict.fromkeys([getattr(one, "variable", one) for one in inputs]), _listed(outputs))
    return [In(one, mutable=True) if isinstance(one, Variable) and one in owners else one for one in inputs]


def _copied(given: dict[str, Any]) -> dict[str, Any]:
    """Further ``givens``: a copy for each shared variable that is updated and that an op writes over.

    The packages write over the value itself there; here whoever holds it keeps what he has.
    """
    if not isinstance(given.get("updates"), (Mapping, list, tuple)):
        return {}
    try:
        updates = dict(given["updates"])
        before = dict(given.get("givens") or ())
    except (TypeError, ValueError):  # `function` says what is wrong
        return {}
    owners = _destroyed(dict.fromkeys(updates), [*_listed(given.get("outputs")), *_listed(list(updates.values()))])
    found = {shared: deep_copy_op(shared) for shared in updates if shared in owners and shared not in before}
    return {"givens": {**before, **found}} if found else {}


@functools.wraps(_function)
def function(*args: Any, **keywords: Any) -> Any:
    """Compile a graph; see `opweld.function`. The option `conventions` is "theano" unless it is given.

    Arguments without a name stand in the packages' order. A mode may have a name that it has there, such as ``"CVM"``
    or ``"py"``; see `opweld.compat.modes`. With ``accept_inplace=True`` the graph may write over its inputs.
    """
    given = dict(zip(_ORDER, args))
    for name in given.keys() & keywords.keys():
        raise TypeError(f"function() got multiple values for argument {name!r}")
    if len(args) > len(_ORDER):
        raise TypeError(f"function() takes at most {len(_ORDER)} arguments without a name, got {len(args)}")
    given.update(keywords)
    for name in ("rebuild_strict", "trust_input"):
        given.pop(name, None)  # types are always checked
    if given.pop("accept_inplace", False):
        given["inputs"] = _written_over(given.get("inputs", []), given.get("outputs"))
    given.update(_copied(given))
    if "mode" in given:
        given["mode"] = mode_of(given["mode"])
    options = given.get("options")
    if options is None or isinstance(options, Mapping):
        given["options"] = {"conventions": "theano", **(options or {})}
    return _function(**given)
