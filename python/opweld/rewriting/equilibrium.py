"""One stage over one graph: rewriters are shown the nodes they want until none has anything left to do."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from opweld.errors import RewriteError, _what
from opweld.graph.basic import Apply, Variable
from opweld.graph.fgraph import FunctionGraph
from opweld.rewriting.index import Entry, Index
from opweld.rewriting.inplace import Checker
from opweld.rewriting.settling import Settling

__all__ = ["Checker", "run"]

Check = Callable[[FunctionGraph, Apply, list[Apply]], bool]


def run(graph: FunctionGraph, index: Index, stage: str, check: Check | None = None) -> bool:
    """Rewrite a graph until nothing changes.

    Parameters
    ----------
    graph : FunctionGraph
        Is changed.
    index : Index
        Of the stage's rewriters.
    stage : str
        The stage's name, for messages.
    check : callable, optional
        Is asked after each step, with the graph, the node and the nodes that came for it; a step that it does not
        allow is undone.

    Returns
    -------
    bool
        Whether anything was replaced.

    Raises
    ------
    RewriteError
        As `opweld.rewriting.rewrite_graph` says.
    """
    nodes = graph.apply_nodes
    queue = deque(node for node in nodes if index.wanting(node.op))
    if not queue:
        return False
    for entry in index.entries:
        entry.rewriter.add_requirements(graph)
    queued = set(queue)
    settling = Settling(stage, len(nodes), check is not None)
    while queue:
        node = queue.popleft()
        queued.discard(node)
        for entry in index.wanting(node.op):
            if node not in graph:
                break
            if not entry.rewriter.could(node):
                continue
            pairs = _pairs(graph, node, entry)
            if not pairs:
                continue
            entered, touched = _step(graph, pairs, entry.name, node, check)
            if entered is None:
                continue
            for other in touched:
                if other not in queued and index.wanting(other.op):
                    queued.add(other)
                    queue.append(other)
            settling.step(entry.name, node, entered)
    if settling.count:
        try:
            graph.apply_nodes  # noqa: B018  # puts them in order again
        except ValueError as err:
            raise RewriteError(f"stage {stage}: {err}; a rewriter made it: {', '.join(settling.names)}") from None
    return settling.count > 0


def _step(
    graph: FunctionGraph, pairs: list[tuple[Variable, Variable]], name: str, node: Apply, check: Check | None
) -> tuple[list[Apply] | None, list[Apply]]:
    """Replace what a rewriter wants replaced; the nodes that came, None: it was undone; the nodes to look at again."""
    entered: list[Apply] = []
    touched: list[Apply] = []
    done: list[tuple[Variable, Variable, list[tuple[Any, int]]]] = []
    before = None if graph.rewrites is None else len(graph.rewrites)
    for old, new in pairs:
        readers = graph.clients.get(old, [])
        came = _replace(graph, old, new, name, node)
        for fresh in came:
            fresh.come_for(node)
        done.append((old, new, [item for item in readers if item[0] not in came]))
        entered += came
        touched += [*came, *(reader for reader, _ in readers if reader != "output" and reader in graph)]
        if new.owner is not None and new.owner in graph:
            touched.append(new.owner)
    if check is None or check(graph, node, entered):
        return entered, touched
    for old, new, readers in reversed(done):
        graph.replace(new, old, name, readers)
    if graph.rewrites is not None:
        del graph.rewrites[before:]
    return None, []


def _replace(graph: FunctionGraph, old: Variable, new: Variable, name: str, node: Apply) -> list[Apply]:
    try:
        return graph.replace(old, new, reason=name)
    except Exception as err:
        raise RewriteError(f"rewriter {name!r} on {_shown(node)}: {err}") from err


def _pairs(graph: FunctionGraph, node: Apply, entry: Entry) -> list[tuple[Variable, Variable]]:
    """What a rewriter wants replaced by what; checked."""
    name, transform = entry.name, entry.rewriter.transform
    try:
        answer = transform(graph, node) if entry.takes_graph else transform(node)  # type: ignore[call-arg, arg-type]
    except Exception as err:
        _note(err, f"rewriter {name!r} on {_shown(node)}")
        raise
    if answer is None or answer is False:
        return []
    where = f"rewriter {name!r} on {_shown(node)}"
    if isinstance(answer, dict):
        given = [(old, new) for old, new in answer.items() if old != "remove"]
    elif isinstance(answer, (list, tuple)):
        if len(answer) != len(node.outputs):
            raise RewriteError(
                f"{where}: returned {len(answer)} variables for {len(node.outputs)} outputs of types "
                f"{', '.join(str(output.type) for output in node.outputs)}"
            )
        given = list(zip(node.outputs, answer))
    else:
        raise RewriteError(
            f"{where}: must return a list of variables, one for each output, or a dict, or None, got {_what(answer)}"
        )
    return [(old, new) for old, new in given if _wanted(graph, old, new, where)]


def _wanted(graph: FunctionGraph, old: object, new: object, where: str) -> bool:
    """Whether there is something to replace; refuse what does not fit."""
    if not isinstance(old, Variable):
        raise RewriteError(f"{where}: wants {_what(old)} replaced, which is no Variable")
    if new is old:
        return False
    if new is None and not graph.clients.get(old):
        return False
    if not isinstance(new, Variable):
        raise RewriteError(f"{where}: wants {old} replaced by {_what(new)}, which is no Variable")
    if not _fits(old.type, new.type):
        raise RewriteError(
            f"{where}: wants {old} of type {old.type} replaced by {new} of type {new.type}; the types must be equal"
        )
    return bool(graph.clients.get(old))


def _fits(old: object, new: object) -> bool:
    """Whether values of the second type are values of the first, with the same C."""
    if old == new:
        return True
    wider = getattr(old, "is_super", None)
    return wider is not None and bool(wider(new))


def _shown(node: Apply) -> str:
    text = str(node)
    return text if len(text) <= 80 else text[:77] + "..."


def _note(err: Exception, where: str) -> None:
    """Say in an exception which rewriter raised it; its class stays."""
    if err.args and isinstance(err.args[0], str):
        err.args = (f"{where}: {err.args[0]}", *err.args[1:])
    elif not err.args:
        err.args = (where,)
