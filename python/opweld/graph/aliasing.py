"""Who shares memory with whom, who is written over, and what order that leaves."""

from __future__ import annotations

from opweld.errors import InconsistencyError
from opweld.graph.basic import Apply, Constant, Variable

__all__ = ["alias_pairs", "check_destroyed", "order", "roots"]


def alias_pairs(node: Apply, which: str) -> list[tuple[int, int]]:
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


def roots(variable: Variable, known: dict[Variable, frozenset[Variable]]) -> frozenset[Variable]:
    """Find whose memory a variable may share.

    Parameters
    ----------
    variable : Variable
        Where to begin.
    known : dict
        Answers found earlier; added to.

    Returns
    -------
    frozenset of Variable
        The variables that own the memory; `variable` itself where it shares none.
    """
    stack = [variable]
    while stack:
        current = stack[-1]
        if current in known:
            stack.pop()
            continue
        node = current.owner
        sources: list[Variable] = []
        if node is not None:
            pairs = alias_pairs(node, "view_map") + alias_pairs(node, "destroy_map")
            sources = [node.inputs[source] for out, source in pairs if out == current.index]
        missing = [source for source in sources if source not in known]
        if missing:
            stack.extend(missing)
            continue
        known[current] = frozenset().union(*(known[s] for s in sources)) if sources else frozenset((current,))
        stack.pop()
    return known[variable]


def check_destroyed(nodes: list[Apply], inputs: list[Variable], mutable: set[Variable]) -> None:
    """Refuse the destruction of what is not the function's to destroy.

    Parameters
    ----------
    nodes : list of Apply
        The graph.
    inputs : list of Variable
        The function's inputs.
    mutable : set of Variable
        Those of them that may be written over.

    Raises
    ------
    InconsistencyError
        If a constant, or an input that is not mutable, would be written over.
    """
    known: dict[Variable, frozenset[Variable]] = {}
    given = set(inputs)
    for node in nodes:
        for _, source in alias_pairs(node, "destroy_map"):
            for root in sorted(roots(node.inputs[source], known), key=str):
                if isinstance(root, Constant):
                    raise InconsistencyError(f"{node} destroys its input {source}, and that is the constant {root}")
                if root in given and root not in mutable:
                    raise InconsistencyError(
                        f"{node} destroys its input {source}, and that is the function's input {root}: "
                        "pass In(..., mutable=True) to allow it"
                    )


def order(nodes: list[Apply], outputs: list[Variable]) -> list[Apply]:
    """Order nodes so that whoever reads a buffer runs before its destroyer.

    Parameters
    ----------
    nodes : list of Apply
        In an order that respects what they read.
    outputs : list of Variable
        What the function reads at the end.

    Returns
    -------
    list of Apply
        As near to the given order as can be.

    Raises
    ------
    InconsistencyError
        If there is no such order, or one buffer is destroyed twice.
    """
    from heapq import heapify, heappop, heappush

    known: dict[Variable, frozenset[Variable]] = {}
    place = {node: i for i, node in enumerate(nodes)}
    before: dict[Apply, set[Apply]] = {node: {v.owner for v in node.inputs if v.owner in place} for node in nodes}
    for destroyer, spared, buffer in _destroyers(nodes, known):
        later = _descendants(destroyer, nodes)
        for node in nodes:
            if node is destroyer:
                continue
            for variable in node.inputs:
                if variable not in spared and buffer in roots(variable, known):
                    if node in later and variable.owner not in later and variable.owner is not destroyer:
                        raise InconsistencyError(
                            f"{node} reads {variable} after {destroyer} has destroyed it, and needs that result too"
                        )
                    if node not in later:
                        before[destroyer].add(node)
        for variable in outputs:
            if variable not in spared and buffer in roots(variable, known):
                owner = variable.owner
                if owner is not destroyer and owner not in later:
                    raise InconsistencyError(f"{destroyer} destroys {variable}, which the function returns")
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
    if len(done) < len(nodes):
        stuck = [node for node in nodes if waiting[node]]
        raise InconsistencyError(
            "no order lets every reader run before what it reads is destroyed: " + "; ".join(map(str, stuck[:5]))
        )
    return done


def _destroyers(
    nodes: list[Apply], known: dict[Variable, frozenset[Variable]]
) -> list[tuple[Apply, set[Variable], Variable]]:
    """Each destroyed buffer with its destroyer and the variables that hold the result."""
    found: list[tuple[Apply, set[Variable], Variable]] = []
    owner: dict[Variable, Apply] = {}
    for node in nodes:
        for out, source in alias_pairs(node, "destroy_map"):
            for buffer in sorted(roots(node.inputs[source], known), key=str):
                earlier = owner.get(buffer)
                if earlier is not None and earlier is not node and node not in _descendants(earlier, nodes):
                    raise InconsistencyError(f"{earlier} and {node} both destroy {buffer}")
                owner[buffer] = node
                found.append((node, {node.outputs[out]}, buffer))
    return found


def _descendants(node: Apply, nodes: list[Apply]) -> set[Apply]:
    """The nodes that need what `node` computes; `nodes` are in an order that respects what they read."""
    found = {node}
    for other in nodes:
        if any(v.owner in found for v in other.inputs):
            found.add(other)
    found.discard(node)
    return found
