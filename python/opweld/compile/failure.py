"""What is said of the node that failed in a call: op, inputs, and the line of the user's file where it was made."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.compile.data import Program
from opweld.dtypes import describe, dtype_of, expected
from opweld.hooks.reading import is_constant
from opweld.signatures import filter_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node, Type, Variable

__all__ = ["admits_none", "explain", "failed", "place", "refuse"]

_LONG = 160  # characters of a node, and of a line

# Names that NumPy 2 has no more and says nothing of, and what to write. Of the others NumPy's own message tells.
_NUMPY = {
    "MAXDIMS": "64, NumPy 2's limit", "alen": "len", "asscalar": "x.item()", "bool8": "np.bool_", "bytes0": "np.bytes_",
    "cumproduct": "np.cumprod", "in1d": "np.isin", "int0": "np.intp", "msort": "np.sort(x, axis=0)",
    "object0": "np.object_", "product": "np.prod", "rank": "np.ndim", "str0": "np.str_", "trapz": "np.trapezoid",
    "typeDict": "np.sctypeDict", "uint0": "np.uintp", "unicode": "str", "void0": "np.void", "warnings": "warnings",
}  # fmt: skip
_NO_NAME = "module 'numpy' has no attribute "
_NO_INDEX = ("only integers, slices", "setting an array element with a sequence")


def failed(called: str, program: Program, step: int, inputs: tuple[Any, ...], error: BaseException) -> None:
    """Say in an exception at which node a step failed.

    Parameters
    ----------
    called : str
        The function's name.
    program : Program
        Its steps.
    step : int
        The step's number.
    inputs : tuple
        The arrays that its inputs hold; None where one holds none; of a value that never lay in memory its dtype and
        shape.
    error : BaseException
        Takes a note.
    """
    node, place = program.steps[step]
    explain(error, called, node, {position: inputs[at] for position, at in place.items()})


def explain(error: BaseException, called: str, node: Node, values: dict[int, Any]) -> None:
    """Say in an exception at which node it arose, and on what.

    Parameters
    ----------
    error : BaseException
        Takes a note; before Python 3.11, which has none, the text is put behind its message.
    called : str
        The function's name.
    node : Node
        The node.
    values : dict of int to object
        The values of its inputs, as far as they are there.
    """
    text = f"{called}(): {_clip(str(node), _LONG)}{place(node)}"
    for position, variable in enumerate(node.inputs):
        name = f", {_clip(str(variable), 40)}" if is_constant(variable) and variable.name is None else _name(variable)
        text += f"\n  input {position}{name}: {_value(values.get(position), variable)}"
    text += _of_numpy_2(error)
    if sys.version_info >= (3, 11):
        if text not in getattr(error, "__notes__", ()):  # one object may be raised again and again
            error.add_note(text)
    elif isinstance(error, Exception) and not isinstance(error, KeyError):  # whose message is quoted
        if len(error.args) == 1 and isinstance(error.args[0], str) and text not in error.args[0]:
            error.args = (f"{error.args[0]}\n{text}",)


def _of_numpy_2(error: BaseException) -> str:
    """What to write where Python that was written for NumPy 1 fails with NumPy 2; empty: nothing is known of it."""
    said = str(error)
    if isinstance(error, AttributeError) and said.startswith(_NO_NAME):
        instead = _NUMPY.get(said[len(_NO_NAME) :].strip("'\""))
        return f"\n  in the place of that name write {instead}" if instead else ""
    if isinstance(error, (IndexError, ValueError)) and said.startswith(_NO_INDEX):
        return "\n  where an index is a list of indices, write x[tuple(index)]: NumPy takes a list for an array"
    return ""


def refuse(called: str, program: Program, outputs: Sequence[Variable], step: int, position: int, value: object) -> None:
    """Refuse what an op left that its output's type does not allow.

    Parameters
    ----------
    called : str
        The function's name.
    program : Program
        Its steps and performs.
    outputs : sequence of Variable
        The graph's outputs.
    step, position : int
        A step and an output's position, or -1 - n for its input n; -1 and a result's; -2 - n and the position of an
        input of perform n.
    value : object
        What is there; None: nothing.

    Raises
    ------
    RuntimeError, TypeError
        Unless None is a value of the type.
    """
    if step >= 0 and position < 0:
        raise _replaced(program, step, -1 - position, value)
    if step >= 0:
        variable = program.steps[step][0].outputs[position]
    elif step == -1:
        variable = outputs[position]
    else:
        variable = program.performs[-2 - step].inputs[position]
    node = variable.owner
    if value is None and step < 0 and (node is None or admits_none(variable.type)):
        return
    assert node is not None  # what came from outside passed its type's filter
    name = _name(variable)
    where = f"output {next(i for i, output in enumerate(node.outputs) if output is variable)}{name}"
    op, promised = _clip(str(node.op), 80), _promised(variable.type)
    if value is None:
        error: Exception = RuntimeError(f"{op}: c_code did not set {where}: store {promised}, or use sub['fail']")
    else:
        error = TypeError(f"{op}: c_code stored {describe(value)} in {where}; make_node promised {promised}")
    if step < 0:  # else the step says where it is
        explain(error, called, node, {})
    raise error


def _replaced(program: Program, step: int, position: int, value: object) -> Exception:
    node, place = program.steps[step]
    at = next(i for i, found in place.items() if found == position)
    variable, op = node.inputs[at], _clip(str(node.op), 80)
    name = _name(variable)
    promised = _promised(variable.type)
    if value is None:
        return RuntimeError(f"{op}: c_code gave up input {at}{name} and stored nothing there: store {promised}")
    return TypeError(f"{op}: c_code replaced input {at}{name} by {describe(value)}; store {promised}")


def admits_none(type_: Type) -> bool:
    """Say whether None is a value of a type, as its `filter` tells.

    Parameters
    ----------
    type_ : Type
        The type.

    Returns
    -------
    bool
        True where the filter gives None back for None.
    """
    try:
        return filter_of(type_)(None) is None
    except Exception:  # however it refuses
        return False


def _promised(type_: object) -> str:
    if not (hasattr(type_, "numpy_dtype") and hasattr(type_, "shape")):
        return f"a value of type {_clip(str(type_), 80)}"
    return expected(dtype_of(type_.numpy_dtype), type_.shape)


def place(node: Node) -> str:
    """Say where a node was made.

    Parameters
    ----------
    node : Node
        The node.

    Returns
    -------
    str
        Begins with a comma, and ends with the line's text where the file can be read; empty: it is not known.
    """
    made_at = getattr(node, "made_at", None)
    if made_at is None:
        return ""
    from linecache import getline

    file, line, name = made_at
    where = "" if name == "<module>" else f" in {name}"
    text = _clip(getline(file, line).strip(), _LONG)
    return f", made at {file}:{line}{where}" + (f":\n    {text}" if text else "")


def _name(variable: Variable) -> str:
    return "" if variable.name is None else f", {_clip(variable.name, 40)}"


def _value(value: Any, variable: Any) -> str:
    if value is None:
        value = getattr(variable, "data", None)
    if isinstance(value, np.ndarray):
        return f"{value.dtype.name}, shape {value.shape}, strides {value.strides}"
    if isinstance(value, tuple):
        dtype, shape = value
        return f"{dtype.name}, shape {shape}, a value inside of a fused loop"
    return str(variable.type)


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
