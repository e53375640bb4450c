"""Graphs at random, as NumPy computes them, node by node. Not a test; ``import reckoned`` finds it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from graphs import Node, Result, Value, bounded

Known = dict[Value, Result]


def computed(values: list[Value], known: dict[Value, Result]) -> tuple[list[Result], list[tuple[Node, Exception]]]:
    """What is known of some values, or the nodes that fail although what they read is there."""
    results: dict[tuple[Node, int], Result | None] = {(v.node, 0): r for v, r in known.items()}
    failures = []
    stack = [v.node for v in reversed(values)]
    while stack:
        node = stack[-1]
        waits = [v.node for v in node.inputs if (v.node, v.at) not in results]
        if (node, 0) in results or waits:
            stack.pop() if (node, 0) in results else stack.extend(waits)
            continue
        given = [results[v.node, v.at] for v in node.inputs]
        made: list[Result | None] = [None, None]
        if None not in [g if g is None else 0 for g in given]:
            try:
                bounded(given)
                made = list(node.compute(*given))
            except (ValueError, ArithmeticError, IndexError) as error:
                failures.append((node, error))
        results.update({(node, at): one for at, one in enumerate(made)})
        if made == [None, None]:
            results.update({(node, at): None for at in range(2)})
    return [results[v.node, v.at] for v in values], failures


def without_effect(wanted: list[Value], known: Known, said: set[str]) -> bool:
    """Whether no result depends on what the nodes give of which NumPy says these words.

    Nothing is said of such a value where a compiler finds that out (docs/functions.md). Other numbers are put in its
    place.
    """
    for text in said:
        loud = [value for value in _above(wanted) if value.node.text in text.split() and _says(value.node, known, text)]
        if not loud or any(_moves(wanted, known, value) for value in loud):
            return False
    return bool(said)


def _above(wanted: list[Value]) -> list[Value]:
    """One value of each node that leads to these."""
    found: dict[Node, Value] = {}
    stack = list(wanted)
    while stack:
        value = stack.pop()
        if value.node not in found:
            found[value.node] = value
            stack += value.node.inputs
    return list(found.values())


def _says(node: Node, known: Known, text: str) -> bool:
    """Whether NumPy says these words where it computes the node, a ufunc."""
    given, _ = computed(node.inputs, known)
    with warnings.catch_warnings(record=True) as words, np.errstate(all="warn"):
        warnings.simplefilter("always")
        getattr(np, node.text)(*(one.value for one in given))
    return text in [str(word.message) for word in words]


def _moves(wanted: list[Value], known: Known, value: Value) -> bool:
    """Whether results are others where a value is."""
    rng = np.random.default_rng(0)
    (own,), _ = computed([value], known)
    begun, _ = computed(wanted, known)
    numbers = [0, 1, 2, 7] if own.value.dtype.kind in "iub" else [0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    for _ in range(4):
        other = np.asarray(rng.choice(numbers, own.value.shape)).astype(own.value.dtype)
        changed, failures = computed(wanted, known | {value: Result(other, own.slack)})
        if failures or not all(_same(a.value, b.value) for a, b in zip(begun, changed)):
            return True
    return False


def _same(one: Any, other: Any) -> bool:
    return one.shape == other.shape and bool(np.all((one == other) | ((one != one) & (other != other))))
