"""What is said of classes whose hooks or ``__props__`` are misspelt, and of ops that cannot be applied."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, NoReturn
from warnings import warn

from opweld.errors import OpweldWarning, _what
from opweld.rooms import suggest  # difflib takes 1 ms: loaded where a name could be a hook's
from opweld.signatures import signature_of

__all__ = ["called", "name", "not_free", "signature", "unhashable", "unset"]


def name(cls: type, given: str, own: Collection[str], other: Collection[str]) -> None:
    """Look at a name that is no hook's.

    Parameters
    ----------
    cls : type
        The class.
    given : str
        The name.
    own, other : collection of str
        The hooks of such classes, and of those of the other kind.

    Raises
    ------
    TypeError
        If it is nearly a hook's.
    """
    if any([given in dir(base) for base in cls.__mro__[1:]]):
        return
    if given in other:
        who, whose = ("types", "ops") if "filter" in own else ("ops", "types")
        near = suggest.get_close_matches(given.replace("c_", "c_code_"), own, 1, 0.9)
        _tell(cls, f"{given} is a hook of {whose}" + (f"; {who} have {near[0]}" if near else ""))
        return
    plain = given.replace("_", "").lower()
    same = [hook for hook in own if hook.replace("_", "") == plain or sorted(hook) == sorted(given)]
    near = same or suggest.get_close_matches(given.lower(), own, 1, 0.86)
    if near and near[0] not in cls.__dict__:  # beside the hook it is a helper of its
        _tell(cls, f"there is no hook {given!r}; is {near[0]!r} meant?")


def signature(cls: type, hook: str, function: Callable[..., object], given: str) -> None:
    """Say what a hook is given that cannot take it.

    Parameters
    ----------
    cls : type
        The class.
    hook : str
        Its hook.
    function : function
        What the class has for it.
    given : str
        What it is given.

    Raises
    ------
    TypeError
        Unless the class is over one of the older packages'.
    """
    right = ", ".join([word for word in given.split(", ") if not word.endswith("=")])
    _tell(cls, f"{hook}{inspect.signature(function)} cannot take what it is given; write {hook}({right})")


def called(op: object, make_node: Callable[..., object], inputs: tuple[object, ...], error: Exception) -> None:
    """Say what is wrong with the inputs of an op whose `make_node` failed over them.

    Parameters
    ----------
    op : Op
        The op.
    make_node : callable
        Its method.
    inputs : tuple
        What it was applied to.
    error : Exception
        What `make_node` raised.

    Raises
    ------
    TypeError
        If there are too many or too few, or `make_node` took one for a variable that is none.
    """
    inside = error.__traceback__ and error.__traceback__.tb_next
    found = signature_of(make_node)
    if isinstance(error, TypeError) and not inside and found is not None:
        count, most = len(inputs), len(found.positional)
        if count < found.needed or (count > most and not found.many):
            wanted = f"{found.needed}{f' to {most}' if most > found.needed else ''}"
            names = f" ({', '.join(found.positional)})" if most else ""
            raise TypeError(f"{op} takes {wanted} input{'' if wanted == '1' else 's'}{names}, got {count}") from None
    for position, value in enumerate(inputs if isinstance(error, AttributeError) else ()):
        if getattr(error, "obj", error) is value and not hasattr(value, "type"):
            raise TypeError(
                f"{op}: input {position} is no Variable but {_what(value)}; apply the op to a variable, or let its "
                f"make_node call as_tensor_variable"
            ) from None


def _tell(cls: type, message: str) -> None:
    message = f"{cls.__name__}: {message}"
    if not any([base.__module__.startswith("opweld.compat") for base in cls.__mro__]):
        raise TypeError(message)
    warn(message, OpweldWarning, stacklevel=5)


def unset(of: object, names: Collection[str]) -> None:
    """Say which name of ``__props__`` nothing has set.

    Parameters
    ----------
    of : object
        An op or a type.
    names : collection of str
        Its ``__props__``.

    Raises
    ------
    AttributeError
        If there is one.
    """
    for name in names:
        if not hasattr(of, name):
            raise AttributeError(
                f"{type(of).__name__}: there is no attribute {name!r}, which its __props__ names: set it in __init__"
            ) from None


def unhashable(of: object, names: Collection[str]) -> None:
    """Say which value of ``__props__`` does not hash.

    Parameters
    ----------
    of : object
        An op or a type.
    names : collection of str
        Its ``__props__``.

    Raises
    ------
    TypeError
        If there is one.
    """
    for name in names:
        value = getattr(of, name)
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"{type(of).__name__}: {name!r} of its __props__ does not hash: {_what(value)}; take a tuple for a "
                f"list, a frozenset for a set"
            ) from None


def not_free(node: Any, position: int, fixed: bool) -> NoReturn:
    """Say why a variable cannot become an output of a node.

    Parameters
    ----------
    node : Apply
        What is made, with its `inputs` and `outputs`.
    position : int
        The output's.
    fixed : bool
        Whether it is a constant.

    Raises
    ------
    TypeError
        For a constant.
    ValueError
        For a variable that a node has already, this one or another.
    """
    output = node.outputs[position]
    what = f"{node.op}: output {position} of its Apply"
    if fixed:
        raise TypeError(f"{what} is a constant; a node computes plain variables")
    if output.owner is not None:
        raise ValueError(f"{what}, {output}, is computed by another node already; make a new one: x.type()")
    role = "input" if any([output is other for other in node.inputs]) else "output"
    raise ValueError(f"{what}, {output}, is one of its {role}s too; make a new one: x.type()")
