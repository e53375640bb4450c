"""Whether one of two equal nodes, or types, can stand for both: what they write in C is compared, and what they read.

This is asked only where two objects are equal and an attribute of theirs differs (`opweld.hooks.standing`). An
attribute that is no prop may differ as it likes, a cache, a counter, a name, as long as nothing that runs depends on
it:

* of what runs in C, by the very texts that Program would have of each;
* of what runs in Python, by what `perform` and the methods that it calls read: an attribute that they read, that only
  ``__init__`` sets, and whose values are plain and differ, counts. What is changed on the way, or holds what can be
  changed, does not: nobody can tell a cache from a parameter there.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from opweld.graph.alike import Difference, differences, same_value
from opweld.hooks.asking import ask
from opweld.hooks.fragments import Fragments
from opweld.hooks.reading import accept, carries_c
from opweld.hooks.writer import Writer
from opweld.signatures import code_of

if TYPE_CHECKING:
    from opweld.hooks.protocols import Node, Type

__all__ = ["stands_for", "stands_for_type"]

_PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic, np.dtype)
_FIXED = (type, BuiltinFunctionType, np.ufunc)
_BASES = ("opweld.graph.", "opweld.hooks.classes")
_BEGINNING = ("__init__", "__new__", "__setstate__", "__init_subclass__")
_LABELS = {"name", "tag"}  # what messages are made of
_SHOWN = 60


def stands_for(one: Node, other: Node) -> bool:
    """Say whether a node can stand for another: their ops and the types of their variables are equal.

    Parameters
    ----------
    one, other : Node
        The nodes.

    Returns
    -------
    bool
        False where their props are equal, but not the same, and what runs depends on it: 1 and 1.0.

    Raises
    ------
    TypeError
        If what runs depends on an attribute that is no prop, and differs.
    """
    pairs = [(a.type, b.type) for a, b in zip(one.outputs, other.outputs)]
    if not all([stands_for_type(mine, yours) for mine, yours in pairs]):
        return False
    found = differences(one.op, other.op)
    if not found:
        return True
    mine, yours = _work(one), _work(other)
    if mine is None and yours is None:  # neither runs: a rewriter will put something in their place
        return not any(item.prop for item in found)
    hook = _differs(mine, yours)
    if hook is None:
        if mine is not None and not mine["perform"]:
            return True
        hook, read = "perform", _reads(type(one.op), "perform")
        read -= _LABELS
        found = [item for item in found if item.prop or (_root(item) in read and _counts(item.one, item.other))]
    else:
        read = _reads(type(one.op), "c_")
        others = [item for item in found if not item.prop]
        named = [item for item in others if _root(item) in read]
        found = named or ([item for item in found if item.prop] or others)
    if all(item.prop for item in found):
        return not found
    raise TypeError(_message(one.op, [item for item in found if not item.prop], hook))


def stands_for_type(one: Type, other: Type) -> bool:
    """Say whether a type can stand for another, which is equal.

    Parameters
    ----------
    one, other : Type
        The types.

    Returns
    -------
    bool
        As for `stands_for`.

    Raises
    ------
    TypeError
        As for `stands_for`.
    """
    found = differences(one, other)
    if not found or not carries_c(one):
        return True
    hook = _differs(_fields(one), _fields(other))
    if hook is None:
        return True
    if all(item.prop for item in found):
        return False
    raise TypeError(_message(one, [item for item in found if not item.prop], hook))


def _work(node: Node) -> dict[str, Any] | None:
    """What Program says of a node that runs, with the values of its params.

    None: nothing runs, or what would be asked for it fails, and will say so by itself.
    """
    writer = Writer(set(), stands_for_type, stands_for)
    try:
        writer.step(node, set())
    except Exception:
        return None
    found = {"perform": False, **writer.kernels[0], "types": writer.types}
    for field in ("destroys", "views"):
        found[field] = writer.steps[0].get(field)
    found["params"] = list(writer.params)
    return found


def _fields(type_: Type) -> dict[str, Any]:
    more = {"accept": (accept(type_, False), accept(type_, True)), "element_type": ask(type_, "c_element_type")}
    return {**Fragments().type_fields(type_, True), **more}


def _differs(mine: dict[str, Any] | None, yours: dict[str, Any] | None) -> str | None:
    """The hook whose answers differ; None: none."""
    if mine is None or yours is None:
        return "c_code"
    for field in ("code", *mine, *yours):
        if mine.get(field) != yours.get(field):
            return _HOOKS.get(field, f"c_{field}")
    return None


_HOOKS = {
    "build": "what it asks of the build", "destroys": "destroy_map", "lang": "c_lang", "loop": "c_code",
    "params": "get_params", "shape_only": "shape_only", "types": "c_code", "version": "c_code_cache_version",
    "view": "c_code", "views": "view_map",
}  # fmt: skip


def _root(item: Difference) -> str:
    return item.path.partition(".")[0].partition("[")[0]


def _reads(cls: type, begin: str) -> set[str]:
    """The attributes that hooks read, and the methods that they call, and nothing but the constructor sets."""
    import dis

    members: dict[str, list[CodeType]] = {}
    for base in cls.__mro__:
        if base.__module__.startswith(_BASES) or base is object:
            continue
        for name, member in base.__dict__.items():
            members.setdefault(name, []).extend(_codes(member))
    around = getattr(sys.modules.get(cls.__module__), "__dict__", {})
    read: set[str] = set()
    waiting = [name for name in members if name.startswith(begin)]
    while waiting:
        name = waiting.pop()
        beside = around.get(name)  # a function of the class's module
        codes = members.get(name) or (_codes(beside) if isinstance(beside, FunctionType) else [])
        fresh = {word for code in codes for part in _nested(code) for word in _words(part)} - read
        read |= fresh
        waiting += fresh
    changed: set[str] = set()
    for name, codes in members.items():
        if name not in _BEGINNING:
            for part in [part for code in codes for part in _nested(code)]:
                changed |= {i.argval for i in dis.get_instructions(part) if i.opname in ("STORE_ATTR", "DELETE_ATTR")}
    return read - changed


def _words(code: CodeType) -> list[str]:
    """The names that code reads, or may read by `getattr`."""
    return [*code.co_names, *[item for item in code.co_consts if isinstance(item, str)]]


def _codes(member: object) -> list[CodeType]:
    """The code behind what a class holds under a name."""
    parts = [member.fget] if isinstance(member, property) else [member]
    outer = [getattr(getattr(part, "__func__", part), "__code__", None) for part in parts]
    return [code for code in dict.fromkeys([*outer, *map(code_of, parts)]) if code is not None]


def _nested(code: CodeType) -> list[CodeType]:
    found = [code]
    for part in found:
        found += [inner for inner in part.co_consts if isinstance(inner, CodeType)]
    return found


def _counts(one: object, other: object) -> bool:
    """Whether two values that differ make a difference to who reads them, and are not changed on the way."""
    if isinstance(one, FunctionType) and isinstance(other, FunctionType) and one.__code__ == other.__code__:
        cells = [[cell.cell_contents for cell in function.__closure__ or ()] for function in (one, other)]
        return any(_counts(a, b) for a, b in zip(*cells) if not same_value(a, b))
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return any(_counts(a, b) for a, b in zip(one, other) if not same_value(a, b))
    return all(
        isinstance(value, (*_PLAIN, *_FIXED, FunctionType, tuple))
        or (isinstance(value, frozenset) and all(isinstance(part, _PLAIN) for part in value))
        for value in (one, other)
    )


def _message(owner: object, found: list[Difference], hook: str) -> str:
    item = found[0]
    of = item.owner
    name = item.path.rpartition(".")[2].partition("[")[0]
    told = "its class" if name == "__class__" else f"attribute {item.path!r}"
    others = ", ".join([repr(other.path) for other in found[1:4]])
    also = f", and so {'do' if len(found) > 2 else 'does'} {others}" if others else ""
    props = getattr(of, "__props__", None)
    if props is None or name == "__class__":
        by, advice = "__eq__", f"let __eq__ and __hash__ of {type(of).__name__} tell them apart"
    else:
        by, advice = f"__props__ = {props!r}", f"add {name!r}, or what it is made of, to those of {type(of).__name__}"
    return (
        f"{owner}: two of these are equal, by {by}, so that one stands for the other; but {told} differs{also}: "
        f"{_text(item.one)} and {_text(item.other)}, and {hook} depends on it; {advice}"
    )


def _text(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
