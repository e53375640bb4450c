"""Who shares memory with whom, who is written over, and what order that leaves; docs/aliasing.md has the pictures.

A *buffer* is named by the variable that owns it: an input, a constant, or an output that views and destroys nothing. An
output that views an input holds that input's buffers; one that destroys it holds them too, one *generation* later.
Whoever reads generation g of a buffer must run before the node that makes generation g + 1 of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opweld.errors import InconsistencyError
from opweld.graph.basic import Apply, Constant, Variable
from opweld.graph.shared import SharedVariable

__all__ = ["Buffers", "alias_pairs", "check_destroyed", "check_maps", "order", "roots"]


def alias_pairs(node: Any, which: str) -> list[tuple[int, int]]:
    """Read one of the maps of a node's op.

    Parameters
    ----------
    node : Apply
        The node.
    which : {"view_map", "destroy_map"}
        The map.

    Returns
    -------
    list of (int, int)
        Output position, input position; sorted.

    Raises
    ------
    InconsistencyError
        If a position is out of range, or the map is not one of lists.
    """
    found = getattr(node.op, which, None)
    if not found:
        return []
    if type(found) is dict and len(found) == 1:  # nearly always
        out, sources = next(iter(found.items()))
        if type(sources) is list and len(sources) == 1 and type(out) is type(sources[0]) is int:
            source = sources[0]
            if 0 <= out < len(node.outputs) and 0 <= source < len(node.inputs):
                return [(out, source)]
    pairs = []
    try:
        for out, sources in found.items():
            pairs += [(int(out), int(source)) for source in sources]
    except (AttributeError, TypeError, ValueError):
        raise InconsistencyError(
            f"{node.op}: {which} must be {{output index: [input index, ...]}}, got {found!r}"
        ) from None
    for out, source in pairs:
        if not (0 <= out < len(node.outputs) and 0 <= source < len(node.inputs)):
            raise InconsistencyError(
                f"{node.op}: {which} names output {out} of input {source}, "
                f"there are {len(node.outputs)} outputs and {len(node.inputs)} inputs"
            )
    return sorted(set(pairs))


def check_maps(node: Apply, buffers: Buffers | None = None) -> None:
    """Refuse maps that contradict one another.

    Parameters
    ----------
    node : Apply
        The node.
    buffers : Buffers, optional
        Whom the maps are asked of, so that each is read once.

    Raises
    ------
    InconsistencyError
        If a map is out of range, an output both views and destroys an input, or an input that is destroyed is held by
        two outputs.
    """
    destroys, views = (buffers or Buffers()).maps(node)
    if len(destroys) + len(views) < 2:
        return
    holder: dict[int, int] = {}
    for out, source in destroys:
        if (out, source) in views:
            raise InconsistencyError(
                f"{node.op}: output {out} both views and destroys input {source}: leave it out of view_map"
            )
        if source in holder:
            raise InconsistencyError(
                f"{node.op}: destroy_map has outputs {holder[source]} and {out} both written over input {source}"
            )
        holder[source] = out
    for out, source in views:
        if source in holder:
            raise InconsistencyError(
                f"{node.op}: output {out} views input {source}, which output {holder[source]} destroys"
            )


class Buffers:
    """The buffers that variables hold, and at which generation.

    Variables are asked about in any order; what is found is kept.
    """

    def __init__(self) -> None:
        self._known: dict[Variable, dict[Variable, int]] = {}
        self._maps: dict[Apply, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}

    def maps(self, node: Apply) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Read both maps of a node's op, once.

        Parameters
        ----------
        node : Apply
            The node.

        Returns
        -------
        list of (int, int), list of (int, int)
            What `alias_pairs` gives of the ``destroy_map``, and of the ``view_map``.
        """
        found = self._maps.get(node)
        if found is None:
            found = self._maps[node] = alias_pairs(node, "destroy_map"), alias_pairs(node, "view_map")
        return found

    def of(self, variable: Variable) -> dict[Variable, int]:
        """Find what memory a variable holds.

        Parameters
        ----------
        variable : Variable
            Of a graph without cycles.

        Returns
        -------
        dict of Variable to int
            Each buffer's owner, and the generation; ``{variable: 0}`` where it shares none.
        """
        known = self._known
        held = known.get(variable)
        if held is not None:
            return held
        stack = [variable]
        while stack:
            current = stack[-1]
            if current in known:
                stack.pop()
                continue
            sources = self._sources(current)
            missing = [source for source, _ in sources if source not in known]
            if missing:
                stack.extend(missing)
                continue
            held = {}
            for source, step in sources:
                for buffer, generation in known[source].items():
                    held[buffer] = min(held.get(buffer, generation + step), generation + step)
            known[current] = held or {current: 0}
            stack.pop()
        return known[variable]

    def stop_at(self, variables: Iterable[Variable]) -> None:
        """Take variables as owners of their memory, whatever computes them."""
        for variable in variables:
            self._known[variable] = {variable: 0}

    def _sources(self, variable: Variable) -> list[tuple[Variable, int]]:
        """What a variable shares memory with, and 1 where it is written over that."""
        node = variable.owner
        if node is None or not (node.op.view_map or node.op.destroy_map):
            return []
        destroys, views = self.maps(node)
        found = [(node.inputs[source], 0) for out, source in views if out == variable.index]
        return found + [(node.inputs[source], 1) for out, source in destroys if out == variable.index]


def roots(variable: Variable, known: dict[Variable, frozenset[Variable]]) -> frozenset[Variable]:
    """Find whose memory a variable may share.

    Parameters
    ----------
    variable : Variable
        Where to begin.
    known : dict
        Variables to take as owners of their memory.

    Returns
    -------
    frozenset of Variable
        The variables that own the memory; `variable` itself where it shares none.
    """
    buffers = Buffers()
    buffers.stop_at(known)
    return frozenset(buffers.of(variable))


def check_destroyed(
    nodes: list[Apply], inputs: list[Variable], mutable: set[Variable], buffers: Buffers | None = None
) -> None:
    """Refuse the destruction of what is not the function's to destroy.

    Parameters
    ----------
    nodes : list of Apply
        The graph.
    inputs : list of Variable
        The function's inputs.
    mutable : set of Variable
        Those of them that may be written over.
    buffers : Buffers, optional
        What is known of the memory already.

    Raises
    ------
    InconsistencyError
        If a constant, or an input that is not mutable, would be written over, directly or through a view.
    """
    if buffers is None:
        buffers = Buffers()
        buffers.stop_at(inputs)
    given = set(inputs)
    for node in nodes:
        if not node.op.destroy_map:
            continue
        for _, source in buffers.maps(node)[0]:
            for buffer in buffers.of(node.inputs[source]):
                if isinstance(buffer, Constant):
                    raise InconsistencyError(f"{node} destroys its input {source}, and that is the constant {buffer}")
                if buffer in given and buffer not in mutable:
                    through = "" if buffer is node.inputs[source] else f", through {node.inputs[source]}"
                    if isinstance(buffer, SharedVariable):
                        whose, cure = "shared variable", "apply the op to opweld.compile.ops.deep_copy_op of it"
                    else:
                        whose, cure = "function's input", "pass In(..., mutable=True) to allow it"
                    raise InconsistencyError(
                        f"{node} destroys its input {source}, and that is the {whose} {buffer}{through}: {cure}"
                    )


def order(
    nodes: list[Apply], outputs: list[Variable], inputs: Iterable[Variable] = (), buffers: Buffers | None = None
) -> list[Apply]:
    """Order nodes so that whoever reads a buffer runs before its destroyer.

    Parameters
    ----------
    nodes : list of Apply
        In an order that respects what they read.
    outputs : list of Variable
        What the function reads at the end.
    inputs : iterable of Variable
        What the function is given; each holds memory of its own.
    buffers : Buffers, optional
        What is known of the memory already; the nodes' maps are known not to contradict one another, too.

    Returns
    -------
    list of Apply
        As near to the given order as can be.

    Raises
    ------
    InconsistencyError
        If there is no such order, or one buffer is destroyed twice.
    """
    checked = buffers is not None
    if buffers is None:
        buffers = Buffers()
        buffers.stop_at(inputs)
    destroyer = _destroyers(nodes, buffers, checked)
    present = set(nodes)
    before: dict[Apply, set[Apply]] = {}
    for node in nodes:
        before[node] = {v.owner for v in node.inputs if v.owner in present}
    for node in nodes:
        for variable in node.inputs:
            for item in buffers.of(variable).items():
                other = destroyer.get(item)
                if other is not None and other is not node:
                    before[other].add(node)
    for variable in outputs:
        for item in buffers.of(variable).items():
            other = destroyer.get(item)
            if other is not None:
                raise InconsistencyError(f"{other} destroys {variable}, which the function returns")
    done = _sorted(nodes, before)
    if len(done) < len(nodes):
        raise _stuck(nodes, set(done), buffers, destroyer)
    return done


def _destroyers(nodes: list[Apply], buffers: Buffers, checked: bool) -> dict[tuple[Variable, int], Apply]:
    """Who destroys which generation of each buffer."""
    found: dict[tuple[Variable, int], Apply] = {}
    for node in nodes:
        if not node.op.destroy_map:
            continue
        if not checked:
            check_maps(node, buffers)
        for _, source in buffers.maps(node)[0]:
            held = buffers.of(node.inputs[source])
            for item in held.items():
                earlier = found.get(item)
                if earlier is not None and earlier is not node:
                    raise InconsistencyError(f"{earlier} and {node} both destroy {item[0]}")
                found[item] = node
            _check_other_inputs(node, source, held, buffers)
    return found


def _check_other_inputs(node: Apply, source: int, held: dict[Variable, int], buffers: Buffers) -> None:
    """Refuse a node that reads what it destroys through another of its inputs, unless its op says that it can."""
    for position, variable in enumerate(node.inputs):
        if position == source or held.keys().isdisjoint(buffers.of(variable)):
            continue
        allowed = (
            *getattr(node.op, "destroyhandler_tolerate_same", ()),
            *getattr(node.op, "destroyhandler_tolerate_aliased", ()),
        )
        if (source, position) not in map(tuple, allowed):
            raise InconsistencyError(
                f"{node} destroys its input {source}, and its input {position} holds the same memory"
            )


def _sorted(nodes: list[Apply], before: dict[Apply, set[Apply]]) -> list[Apply]:
    """Order nodes after what must run before them, else as given; what waits for itself is left out."""
    place = {node: i for i, node in enumerate(nodes)}
    if all([place[other] < place[node] for node, earlier in before.items() for other in earlier]):  # nearly always
        return list(nodes)
    from heapq import heapify, heappop, heappush

    after: dict[Apply, list[Apply]] = {node: [] for node in nodes}
    for node, earlier in before.items():
        for other in earlier:
            after[other].append(node)
    waiting = {node: len(earlier) for node, earlier in before.items()}
    ready = [place[node] for node in nodes if not waiting[node]]
    heapify(ready)
    done: list[Apply] = []
    while ready:
        node = nodes[heappop(ready)]
        done.append(node)
        for other in after[node]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, place[other])
    return done


def _stuck(
    nodes: list[Apply], done: set[Apply], buffers: Buffers, destroyer: dict[tuple[Variable, int], Apply]
) -> InconsistencyError:
    """Say which reader needs the result of the node that destroys what it reads."""
    left = [node for node in nodes if node not in done]
    for node in left:
        for variable in node.inputs:
            for item in buffers.of(variable).items():
                other = destroyer.get(item)
                if other is not None and other is not node and _needs(node, other):
                    return InconsistencyError(
                        f"{node} reads {variable} after {other} has destroyed it, and needs that result too"
                    )
    return InconsistencyError(
        "no order lets every reader run before what it reads is destroyed: " + "; ".join(map(str, left[:5]))
    )


def _needs(node: Apply, other: Apply) -> bool:
    """Whether a node needs, however far below, what another computes."""
    stack, seen = [node], {node}
    while stack:
        current = stack.pop()
        if current is other:
            return True
        for variable in current.inputs:
            if variable.owner is not None and variable.owner not in seen:
                seen.add(variable.owner)
                stack.append(variable.owner)
    return False
