"""Whether one of two equal nodes, or types, can stand for both: answered at once where they do not differ at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opweld.rooms import late

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node

__all__ = ["one_node", "one_type"]

same: Any = late("opweld.hooks.same")  # hardly ever asked

_WHOLE = frozenset({"opweld.generic", "opweld.scalar.type", "opweld.tensor.type"})  # equality there says all


def one_type(one: object, other: object) -> bool:
    """Say whether a type can stand for another that is equal to it.

    Parameters
    ----------
    one, other : Type
        The types.

    Returns
    -------
    bool
        As `opweld.hooks.same.stands_for_type` says, which is not loaded where they do not differ.

    Raises
    ------
    TypeError
        If what they do depends on an attribute that differs.
    """
    return one is other or _agree(one, other) or bool(same.stands_for_type(one, other))


def one_node(one: Node, other: Node) -> bool:
    """Say whether a node can stand for another, whose op and inputs are equal to its own.

    Parameters
    ----------
    one, other : Node
        The nodes.

    Returns
    -------
    bool
        As `opweld.hooks.same.stands_for` says, which is not loaded where they do not differ.

    Raises
    ------
    TypeError
        As for `one_type`.
    """
    if len(one.outputs) != len(other.outputs):
        return False
    types = [(a.type, b.type) for a, b in zip(one.outputs, other.outputs) if a.type is not b.type]
    if not all([mine == yours for mine, yours in types]):
        return False
    if one.op is other.op and not types:
        return True
    if _agree(one.op, other.op) and all([_agree(*pair) for pair in types]):
        return True
    return bool(same.stands_for(one, other))


def _agree(one: object, other: object) -> bool:
    """Whether two objects that are equal are the same to all who ask, without a look at their attributes."""
    return one is other or (type(one) is type(other) and type(one).__module__ in _WHOLE)
