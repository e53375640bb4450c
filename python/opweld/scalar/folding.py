"""What the parts of an expression that hold no arguments come to: Python's own numbers, by Python's own rules."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Number", "Step", "fold", "located"]

_BITS = 4096  # an integer that needs more is not meant
_SHOWN = 100  # characters of a line that a message shows


class Number(NamedTuple):
    """One of Python's numbers as text: unlike the numbers themselves, 1, 1.0 and True differ, and nan equals nan."""

    kind: str
    text: str

    @property
    def value(self) -> Any:
        """The number."""
        if self.kind == "bool":
            return self.text == "True"
        return {"int": int, "float": float, "complex": complex}[self.kind](self.text)


Operand = Any  # the number of a value, or a Number


class Step(NamedTuple):
    """One operation: arguments come first in the count of values, then what each step makes."""

    op: str
    operands: tuple[Operand, ...]


Place = tuple[int, int]  # line and column, both from 1

_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "pow": operator.pow, "<<": operator.lshift, ">>": operator.rshift,
    "&": operator.and_, "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "min": min, "max": max,
}  # fmt: skip
_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "+": operator.pos, "-": operator.neg, "~": lambda x: ~(int(x) if isinstance(x, bool) else x), "abs": abs,
    "round": round, "not": operator.not_,
}  # fmt: skip


def fold(answer: dict[str, Any], text: str) -> tuple[tuple[Step, ...], tuple[Place, ...], tuple[Operand, ...]]:
    """Compute what Python computes without arrays, and keep the rest.

    Parameters
    ----------
    answer : dict
        What `opweld.engine.parse` gives for `text`.
    text : str
        The expression.

    Returns
    -------
    steps : tuple of Step
        What is to be computed of arrays; equal steps occur once, unused ones not at all.
    places : tuple of (int, int)
        Where each step stands in the text.
    results : tuple
        What comes out: numbers of values, or `Number`.

    Raises
    ------
    TypeError, ValueError, ZeroDivisionError, OverflowError
        Where Python raises them.
    """
    nargs = len(answer["args"])
    operands: list[Operand] = list(range(nargs))  # of each value of the answer
    steps: list[Step] = []
    places: list[Place] = []
    seen: dict[Step, int] = {}
    for made in answer["body"]:
        place = made["line"], made["column"]
        if made["op"] == "constant":
            operands.append(_literal(made["kind"], made["value"]))
            continue
        step = Step(made["op"], tuple([operands[arg] for arg in made["args"]]))
        try:
            known = _known(step)
        except (ArithmeticError, TypeError, ValueError) as err:
            # OverflowError's text is behind a number
            raise type(err)(located(text, place, str(err.args[-1] if err.args else err))) from None
        if known is None:
            known = seen.get(step)
        if known is None:
            known = seen[step] = nargs + len(steps)
            steps.append(step)
            places.append(place)
        operands.append(known)
    return _needed(nargs, steps, places, [operands[result] for result in answer["results"]])


def _needed(
    nargs: int, steps: list[Step], places: list[Place], results: list[Operand]
) -> tuple[tuple[Step, ...], tuple[Place, ...], tuple[Operand, ...]]:
    """Leave out what no result needs, and count again."""
    wanted = {result for result in results if isinstance(result, int)}
    for number in range(nargs + len(steps) - 1, nargs - 1, -1):
        if number in wanted:
            wanted.update([x for x in steps[number - nargs].operands if isinstance(x, int)])
    new: dict[Operand, int] = {number: number for number in range(nargs)}
    kept = [i for i in range(len(steps)) if nargs + i in wanted]
    for place, i in enumerate(kept):
        new[nargs + i] = nargs + place
    return (
        tuple([Step(steps[i].op, tuple([new.get(x, x) for x in steps[i].operands])) for i in kept]),
        tuple([places[i] for i in kept]),
        tuple([new.get(result, result) for result in results]),
    )


def _literal(kind: str, text: str) -> Number:
    if kind == "imaginary":
        return _number(complex(0.0, float(text)))
    if kind == "int" and len(text) > _BITS // 4:
        raise OverflowError(f"opweld.scalar.expr: an integer of {len(text)} digits is too large")
    return Number(kind, text) if kind == "bool" else _number({"int": int, "float": float}[kind](text))


def _number(value: object) -> Number:
    return Number(type(value).__name__, repr(value))


def _known(step: Step) -> Operand | None:
    """What a step comes to before anything is known of the arguments: a number of Python's, or one of its operands."""
    op, operands = step
    first = operands[0]
    if op in ("and", "or", "if") and isinstance(first, Number):
        taken = bool(first.value) == (op != "or")
        return operands[1 if taken else 2] if op == "if" else operands[1] if taken else first
    call: Any = _OF_ONE.get(op) if len(operands) == 1 else _OF_TWO.get(op)
    if call is None or not all([isinstance(operand, Number) for operand in operands]):
        return None
    values = [operand.value for operand in operands]
    _check_size(op, values)
    value = call(*values)
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise OverflowError("the integer is too large")
    return _number(value)


def _check_size(op: str, values: list[Any]) -> None:
    """Refuse to begin what would take all memory."""
    if op not in ("**", "pow", "<<") or not all([isinstance(value, int) for value in values]):
        return
    base, by = values
    if by > 0 and (base.bit_length() * by if op != "<<" else by) > _BITS:
        raise OverflowError("the integer is too large")


def located(text: str, place: Place, message: str) -> str:
    """Say where in an expression something is wrong.

    Parameters
    ----------
    text : str
        The expression.
    place : tuple of int
        Line and column, both from 1.
    message : str
        What is wrong.

    Returns
    -------
    str
        The message with the line and, below it, a caret under the column.
    """
    line, column = place
    rows = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    row = "".join([char if char.isprintable() or char == "\t" else "?" for char in rows[line - 1]])
    begin = max(0, column - _SHOWN + 20) if len(row) > _SHOWN else 0
    shown = ("..." if begin else "") + row[begin : begin + _SHOWN] + ("..." if len(row) > begin + _SHOWN else "")
    before = ("..." if begin else "") + row[begin : column - 1]
    caret = "".join(["\t" if char == "\t" else " " for char in before]) + "^"
    return f"opweld.scalar.expr: line {line}, column {column}: {message}\n    {shown}\n    {caret}"
