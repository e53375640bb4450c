"""Dtypes and sizes of a signature: what type variables stand for, and what sizes are in numbers or in a graph."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from opweld.cops.reading import Argument, Signature
from opweld.dtypes import dtype_of, shape_text

__all__ = [
    "FUNCTION",
    "WEAK",
    "check_beginnings",
    "check_untied",
    "computed",
    "decides",
    "described",
    "documented",
    "dtypes_of",
    "function_of",
    "held_by",
    "is_variable",
    "listed",
    "number_of",
    "shape_of",
    "size_text",
    "sizes_of",
    "weak_of",
]

FUNCTION = "function"  # stands where a dtype does
WEAK = (bool, int, float, complex)  # Python's numbers: what stands beside them decides the dtype

_ALL = 15  # dtypes that a type variable may be of which a signature says nothing
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
}  # fmt: skip


def function_of(value: object) -> object:
    """Give the capsule of a function of C: of a `scipy.LowLevelCallable` it is the first part."""
    if isinstance(value, tuple) and type(value).__name__ == "LowLevelCallable":
        found: object = next(iter(value))  # its own [0] refuses
        return found
    return value


def number_of(argument: Argument) -> Any:
    """Give the default of an input, or what an output begins with, as Python's number.

    Returns
    -------
    bool, int or float
    """
    text = argument.value or "0"
    if text in ("True", "False", "true", "false"):
        return text in ("True", "true")
    try:
        return int(text)
    except ValueError:
        return float(text)


def is_variable(value: object) -> bool:
    """Say whether a value is a variable of a graph; where nobody has loaded graphs, there is none."""
    basic: Any = sys.modules.get("opweld.graph.basic")
    return basic is not None and isinstance(value, basic.Variable)


def decides(argument: Argument, value: object) -> Any:
    """Say of a value what decides on dtypes: its dtype, or which of Python's numbers it is; None: it is a function."""
    if argument.dtype == FUNCTION:
        return None
    if type(value) in WEAK:
        return type(value)
    return value.dtype if hasattr(value, "dtype") else np.asarray(value).dtype


def dtypes_of(name: str, signature: Signature, given: Sequence[Any]) -> dict[str, str]:
    """Say what each type variable stands for.

    Parameters
    ----------
    name : str
        The short form's, for messages.
    signature : Signature
        The signature.
    given : list of (numpy.dtype or type)
        Of each input: its dtype, or which of Python's numbers it is.

    Returns
    -------
    dict of str to str
        What NumPy promotes a variable's inputs to, where that is within its bound; else the first of the bound that
        holds every value of it.

    Raises
    ------
    TypeError
        If there is none, or if an input that is changed would have to be another.
    """
    found = {}
    for variable, bound in signature.types.items():
        own = [(i, given[i]) for i, argument in enumerate(signature.inputs) if argument.dtype == variable]
        found[variable] = _chosen(name, signature, variable, bound, own)
    check_beginnings(name, signature, found)
    for i in signature.changed:
        argument = signature.inputs[i]
        wanted = found.get(argument.dtype, argument.dtype)
        have = given[i] if isinstance(given[i], type) else dtype_of(given[i]).name
        if isinstance(have, type) or have != wanted:
            had, remedy = f"of dtype {have}", f"{argument.name}.astype({wanted!r})"
            if isinstance(have, type):
                ndim = len(argument.dims)
                had, remedy = (
                    f"a Python {have.__name__}",
                    f"np.array({'[' * ndim}{argument.name}{']' * ndim}, {wanted!r})",
                )
            raise TypeError(
                f"{name}: {argument.name} is changed in place, so it must be an array of dtype {wanted}; it is {had}; "
                f"pass {remedy}"
            )
    return found


def check_beginnings(name: str, signature: Signature, types: Mapping[str, str]) -> None:
    """Refuse dtypes that do not hold what an output's elements begin with.

    Parameters
    ----------
    name : str
        The short form's, for messages.
    signature : Signature
        The signature.
    types : dict of str to str
        What the type variables stand for; of dtypes by name the engine has said it.

    Raises
    ------
    TypeError
        If there is one.
    """
    for argument in signature.outputs:
        dtype = types.get(argument.dtype)
        if dtype is None or argument.value is None:
            continue
        kind = dtype_of(dtype).np
        if kind.kind in "biu" and not held_by(kind, number_of(argument)):
            raise TypeError(
                f"{name}: {argument.name} begins with {argument.value}, which {dtype} does not hold; "
                f"pass a wider dtype for {argument.dtype}, or leave {dtype} out after `where {argument.dtype}:`"
            )


def weak_of(name: str, argument: str, value: complex, dtype: str) -> np.ndarray[Any, Any]:
    """Make one of Python's numbers an array of a dtype beside variables, by the rule of calls.

    Returns
    -------
    numpy.ndarray

    Raises
    ------
    TypeError
        If the dtype does not hold the number; digits alone may be lost.
    """
    kind = dtype_of(dtype).np
    made = np.asarray(value)
    if kind.kind in "fc":
        if made.dtype.kind == "c" and kind.kind == "f":
            raise TypeError(f"{name}: {argument} is {value!r}, which is no {dtype}; pass its real part")
        return made.astype(kind)
    if not (made.dtype.kind in "biuf" and np.isfinite(made) and int(value) == value and held_by(kind, int(value))):  # type: ignore[call-overload]
        raise TypeError(f"{name}: {argument} is {value!r}, which is no value of dtype {dtype}")
    return np.asarray(int(value), kind)  # type: ignore[call-overload]


def held_by(kind: np.dtype[Any], number: float) -> bool:
    """Say whether a dtype of whole numbers, or of True and False, holds a number."""
    if kind.kind == "b":
        return number in (0, 1)
    return bool(number == number // 1 and np.iinfo(kind).min <= number <= np.iinfo(kind).max)


def _chosen(name: str, signature: Signature, variable: str, bound: tuple[str, ...], own: list[tuple[int, Any]]) -> str:
    """The dtype of one type variable."""
    wanted = [np.zeros((), entry).item() if isinstance(entry, type) else entry for _, entry in own]
    for (i, entry), _ in zip(own, wanted):
        if not isinstance(entry, type) and entry.kind not in "biufc":
            raise TypeError(_outside(name, signature.inputs[i].name, entry, variable, bound))
    found = np.result_type(*wanted)
    chosen = dtype_of(found).name
    if chosen not in bound:
        fits = [other for other in bound if np.can_cast(found, dtype_of(other).np, "safe")]
        if not fits:
            i, entry = next(pair for pair in own if _is_from(pair[1], found)) if len(own) > 1 else own[0]
            raise TypeError(_outside(name, signature.inputs[i].name, entry, variable, bound))
        chosen = fits[0]
    return chosen


def _is_from(entry: type | np.dtype[Any], found: np.dtype[Any]) -> bool:
    """Whether an input may be what makes a promoted dtype what it is."""
    return isinstance(entry, type) or entry == found or entry.kind == found.kind


def _outside(name: str, argument: str, entry: type | np.dtype[Any], variable: str, bound: tuple[str, ...]) -> str:
    """What is said of an input of a dtype that a type variable cannot be, with what to pass in its place."""
    said = f"a Python {entry.__name__}" if isinstance(entry, type) else f"of dtype {entry}"
    have = np.result_type(entry()) if isinstance(entry, type) else entry
    remedy = f"np.asarray({argument})"
    if have.kind not in "biufc":
        remedy = "numbers"
    elif have.kind == "c":
        remedy += ".real"
        have = np.zeros((), have).real.dtype
    if remedy != "numbers" and not any([np.can_cast(have, dtype_of(other).np, "safe") for other in bound]):
        near = [other for other in bound if np.can_cast(have, dtype_of(other).np, "same_kind")] or list(bound)
        remedy += f".astype({max(near, key=lambda other: dtype_of(other).np.itemsize)!r})"
    return f"{name}: {argument} is {said}, and {variable} may be {listed(bound)}; pass {remedy}"


def listed(bound: tuple[str, ...]) -> str:
    """Write what a type variable may be."""
    if len(bound) == _ALL:
        return "bool or any number but float16"
    return f"{', '.join(bound[:-1])} or {bound[-1]}" if len(bound) > 1 else bound[0]


def computed(
    dim: Mapping[str, Any],
    known: Mapping[str, Any],
    least: Callable[..., Any] = min,
    most: Callable[..., Any] = max,
) -> Any:
    """Compute a size.

    Parameters
    ----------
    dim : dict
        As the engine has read it.
    known : dict
        What names stand for: numbers, variables, or None for what is not known.
    least, most : callable
        The functions min and max of these.

    Returns
    -------
    object
        None where something is not known.
    """
    op = dim["op"]
    if op == "name":
        return known[dim["name"]]
    if op == "number":
        return dim.get("number", 0)
    a, b = [computed(arg, known, least, most) for arg in dim["args"]]
    if a is None or b is None:
        return None
    if op in ("min", "max"):
        return (least if op == "min" else most)(a, b)
    if op in ("//", "%") and isinstance(b, int) and b == 0:
        return None  # refused in the call
    return _OPERATIONS[op](a, b)


def sizes_of(signature: Signature, shapes: Sequence[Sequence[Any]], values: Callable[[int], Any]) -> dict[str, Any]:
    """Bind the names of sizes.

    Parameters
    ----------
    signature : Signature
        The signature.
    shapes : list
        Of each input: sizes, of which one may be None.
    values : callable
        Gives the value of an input that is a size; None: not known.

    Returns
    -------
    dict
    """
    known: dict[str, Any] = {}
    for name, source, axis, less in signature.sizes:
        size = values(source) if axis < 0 else shapes[source][axis]
        known[name] = size - less if less and size is not None else size
    return known


def shape_of(argument: Argument, known: Mapping[str, Any]) -> tuple[int | None, ...]:
    """Give a shape, as far as it is known in numbers; one that cannot be is refused in the call.

    Returns
    -------
    tuple of (int or None)
    """
    sizes = [computed(dim, known) for dim in argument.dims]
    return tuple([size if size is not None and size >= 0 else None for size in sizes])


def described(argument: Argument) -> str:
    """Write what an argument is."""
    if not argument.dims:
        return argument.dtype
    return f"{argument.dtype} array of shape {shape_text([size_text(dim) for dim in argument.dims])}"


def size_text(dim: dict[str, Any]) -> str:
    """A size as a person writes it."""
    op = dim["op"]
    if op in ("name", "number"):
        return str(dim["name"] if op == "name" else dim.get("number", 0))
    a, b = [
        f"({text})" if inner["op"] in ("+", "-") and op in ("*", "//", "%") else text
        for inner in dim["args"]
        for text in [size_text(inner)]
    ]
    return f"{op}({a}, {b})" if op in ("min", "max") else f"{a}{op}{b}" if op == "*" else f"{a} {op} {b}"


def check_untied(name: str, signature: Signature, arrays: Sequence[Any]) -> None:
    """Refuse two arrays that are written into and have memory in common: of one, the new values would be lost.

    Parameters
    ----------
    name : str
        What is called.
    signature : Signature
        The signature.
    arrays : sequence
        All inputs, in order.

    Raises
    ------
    ValueError
        If so, or if NumPy does not find out soon.
    """
    changed = [(signature.inputs[i].name, arrays[i]) for i in signature.changed if isinstance(arrays[i], np.ndarray)]
    for i, (one, array) in enumerate(changed):
        for other, earlier in changed[:i]:
            if _share(earlier, array):
                raise ValueError(
                    f"{name}: {other} and {one} are both written into, and have memory in common; pass {one}.copy()"
                )


def _share(one: np.ndarray, other: np.ndarray) -> bool:
    try:
        return np.shares_memory(one, other, max_work=100_000)  # type: ignore[arg-type] # its stubs know 0 and -1
    except np.exceptions.TooHardError:
        return True


def documented(name: str, said: str, signature: Signature) -> str:
    """Write the docstring of what is called.

    Parameters
    ----------
    name : str
        What it is called.
    said : str
        The signature, as it was written.
    signature : Signature
        What it says.

    Returns
    -------
    str
    """
    given = [a.name if a.value is None else f"{a.name}={a.value}" for a in signature.inputs]
    lines = [f"{name}({', '.join([*given, '*', 'out=None'])})", "", said.strip(), "", "Parameters", "----------"]
    for a in signature.inputs:
        lines.append(f"{a.name} : {described(a)}{'' if a.value is None else f', optional; {a.value} if left out'}")
        if a.inout:
            lines.append("    Is written into.")
    lines += ["out : array or list, optional", "    Where to put the outputs.", "", "Returns", "-------"]
    lines += [f"{a.name} : {described(a)}" for a in signature.outputs] or ["None"]
    if signature.types:
        lines += ["", "Notes", "-----"]
        lines += [f"{variable} is {listed(bound)}." for variable, bound in signature.types.items()]
    return "\n".join(lines) + "\n"
