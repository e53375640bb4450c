"""What is said of the node that failed in a call: op, inputs, and the line of the user's file where it was made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from opweld.graph.basic import Apply, Constant

__all__ = ["explain", "failer", "place"]

_LONG = 160  # characters of a node, and of a line


def failer(
    called: str, steps: Sequence[tuple[Apply, list[int]]]
) -> Callable[[int, tuple[Any, ...], BaseException], None]:
    """Make what the module calls when a step fails.

    Parameters
    ----------
    called : str
        The function's name.
    steps : sequence of (Apply, list of int)
        The node behind each step, and which of its inputs the step reads.

    Returns
    -------
    callable
        Of the step's number, the arrays that its inputs hold (None where one holds none) and the exception, to which it
        adds a note.
    """

    def failed(step: int, inputs: tuple[Any, ...], error: BaseException) -> None:
        node, read = steps[step]
        explain(error, called, node, dict(zip(read, inputs)))

    return failed


def explain(error: BaseException, called: str, node: Apply, values: dict[int, Any]) -> None:
    """Say in an exception at which node it arose, and on what.

    Parameters
    ----------
    error : BaseException
        Takes a note; before Python 3.11, which has none, the text is put behind its message.
    called : str
        The function's name.
    node : Apply
        The node.
    values : dict of int to object
        The values of its inputs, as far as they are there.
    """
    text = f"{called}(): {_clip(str(node), _LONG)}{place(node)}"
    for position, variable in enumerate(node.inputs):
        named = variable.name is not None or isinstance(variable, Constant)
        name = f", {_clip(str(variable), 40)}" if named else ""
        text += f"\n  input {position}{name}: {_value(values.get(position), variable)}"
    if sys.version_info >= (3, 11):
        if text not in getattr(error, "__notes__", ()):  # one object may be raised again and again
            error.add_note(text)
    elif isinstance(error, Exception) and not isinstance(error, KeyError):  # whose message is quoted
        if len(error.args) == 1 and isinstance(error.args[0], str) and text not in error.args[0]:
            error.args = (f"{error.args[0]}\n{text}",)


def place(node: Apply) -> str:
    """Say where a node was made.

    Parameters
    ----------
    node : Apply
        The node.

    Returns
    -------
    str
        Begins with a comma, and ends with the line's text where the file can be read; empty: it is not known.
    """
    if node.made_at is None:
        return ""
    from linecache import getline

    file, line, name = node.made_at
    where = "" if name == "<module>" else f" in {name}"
    text = _clip(getline(file, line).strip(), _LONG)
    return f", made at {file}:{line}{where}" + (f":\n    {text}" if text else "")


def _value(value: Any, variable: Any) -> str:
    if value is None:
        value = getattr(variable, "data", None)
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}, shape {value.shape}, strides {value.strides}"
    return str(variable.type)


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
