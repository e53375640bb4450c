"""What ops and types do to themselves while they are asked, and whether what is equal writes the same C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opweld.compile.apiece import NodeFunction
from opweld.compile.comparing import copied, text_of
from opweld.compile.debugerrors import BadHook, facts, made_at
from opweld.graph.basic import Apply, Constant
from opweld.hooks.fragments import Fragments
from opweld.tolerances import alike

__all__ = ["check_hooks"]


def check_hooks(nodes: Sequence[Apply], called: str) -> None:
    """Ask the hooks of nodes, and look at who was asked, before and after.

    Parameters
    ----------
    nodes : sequence of Apply
        The nodes whose C is to run.
    called : str
        The function's name.

    Raises
    ------
    BadHook
        If an op or a type changes, if an op writes another C when it is asked again, or if equal ops write different C.
    """
    told: list[tuple[Apply, list[Any]]] = []
    for node in nodes:
        state = _State(node)
        first = _kernels(node, called)
        state.compare("a hook for C")
        state.ask_make_node()
        if _kernels(node, called) != first:
            _refuse(node, "asked again, the op writes another C", {})
        told.append((node, first))
    _check_equal(told)


def _check_equal(told: Sequence[tuple[Apply, list[Any]]]) -> None:
    """Compare ops that stand side by side; where one stands for another, that was done when they were merged."""
    for i, (a, kernels) in enumerate(told):
        for b, others in told[:i]:
            if a.op is not b.op and _interchangeable(a, b) and kernels != others:
                _refuse(a, f"an equal op, that of {b}, writes other C", {"other": b})


def _interchangeable(a: Apply, b: Apply) -> bool:
    """Whether two nodes ought to have the same C: equal ops on variables of equal types, none of them a constant."""
    if type(a.op) is not type(b.op) or len(a.inputs) != len(b.inputs):
        return False
    if any(isinstance(v, Constant) for v in (*a.inputs, *b.inputs)):  # its value may stand in the C
        return False
    try:
        types = [(v.type, w.type) for v, w in zip([*a.inputs, *a.outputs], [*b.inputs, *b.outputs])]
        return bool(a.op == b.op) and all(bool(v == w) for v, w in types)
    except Exception:  # an __eq__ may raise what it likes
        return False


def _kernels(node: Apply, called: str) -> list[Any]:
    """The C that an op writes for a node, under the names that every node has."""
    return list(NodeFunction(node, called, called, Fragments()).program.data["kernels"])


class _State:
    """The op and the types of a node as they are now."""

    def __init__(self, node: Apply) -> None:
        self._node = node
        things = {id(thing): thing for thing in (node.op, *[v.type for v in (*node.inputs, *node.outputs)])}
        self._before = [(thing, _copies(thing), _hash(thing)) for thing in things.values()]

    def compare(self, asked: str) -> None:
        """Refuse what has changed."""
        for thing, before, number in self._before:
            now = getattr(thing, "__dict__", {})
            for name, (is_, value) in before.items():
                if name not in now or not (alike(value, now[name]) or (now[name] is is_ and not _tells(is_))):
                    after = text_of(now[name]) if name in now else "gone"
                    text = f"{asked} changed {name} of {thing}\n  before: {text_of(value)}\n  after: {after}"
                    _refuse(
                        self._node, text, {"thing": thing, "attribute": name, "before": value, "after": now.get(name)}
                    )
            if _hash(thing) != number:
                _refuse(self._node, f"{asked} changed the hash of {thing}", {"thing": thing})

    def ask_make_node(self) -> None:
        """Make the node once more: an op that keeps in itself what it was applied to is another one afterwards."""
        try:
            self._node.op.make_node(*self._node.inputs)
        except Exception:  # a rewriter may have made what the op itself would refuse
            return
        self.compare("make_node")


def _copies(thing: object) -> dict[str, tuple[Any, Any]]:
    """What an object has that is no cache of its own: each as it is, and a copy."""
    own = getattr(thing, "__dict__", {}).items()
    return {name: (value, copied(value)) for name, value in own if not name.startswith("_")}


def _tells(value: object) -> bool:
    """Whether a copy of a value would tell that it has changed: what is equal to itself alone is not like its copy."""
    return alike(copied(value), copied(value))


def _hash(thing: object) -> int | None:
    try:
        return hash(thing)
    except TypeError:
        return None


def _refuse(node: Apply, what: str, more: dict[str, Any]) -> None:
    raise BadHook(f"{node}: {what}{made_at(node)}", facts("hooks", node, **more))
