"""What DebugMode raises: each class by what was promised, with op, node, line, inputs and values as objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opweld.compile.comparing import text_of
from opweld.errors import OpweldError
from opweld.graph.basic import Apply

__all__ = [
    "BadDestroyMap", "BadHook", "BadOptimization", "BadRewrite", "BadThunkOutput", "BadViewMap", "DebugModeError",
    "InvalidValueError", "facts", "inputs_text", "made_at",
]  # fmt: skip


class DebugModeError(OpweldError):
    """Base of what DebugMode finds.

    ``details`` holds ``check``, the check's name; ``node``, ``op``, and ``file`` and ``line`` where the op was applied;
    and what else the message names, as objects: ``inputs``, both values, ``index``, the first that differs.
    """


class BadThunkOutput(DebugModeError):
    """A node's C and its `perform` do not agree, or its C does not agree with itself."""


class BadRewrite(DebugModeError):
    """What a rewriter put in place of a variable has another value."""


#: By the name that other packages have for it.
BadOptimization = BadRewrite


class BadDestroyMap(DebugModeError):
    """A node changed an input that its op's ``destroy_map`` does not name."""


class BadViewMap(DebugModeError):
    """An output shares memory with an input, and neither of the op's maps says so."""


class InvalidValueError(DebugModeError):
    """An output is not of its variable's type, or holds what a check forbids."""


class BadHook(DebugModeError):
    """An op or a type changed while it was asked, or what is equal writes different C."""


def made_at(node: Apply | None) -> str:
    """Write the line that says where a node was made; empty: it is not known."""
    place = getattr(node, "made_at", None)
    return f"\n  made at {place[0]}:{place[1]}" if place else ""


def facts(check: str, node: Apply | None, **more: Any) -> dict[str, Any]:
    """Give the details of an error.

    Parameters
    ----------
    check : str
        The check's name.
    node : Apply or None
        The node.
    **more
        What else the message names.

    Returns
    -------
    dict
    """
    place = getattr(node, "made_at", None) or ("", 0)
    op = None if node is None else node.op
    return {"check": check, "node": node, "op": op, "file": place[0], "line": place[1], **more}


def inputs_text(node: Apply, values: Sequence[object]) -> str:
    """Write what a node worked on, a line an input."""
    return "\n".join([f"  input {i}, {v}: {text_of(values[i])}" for i, v in enumerate(node.inputs)])
