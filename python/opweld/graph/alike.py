"""In what two ops, or two types, differ that are equal.

``__props__``, or an ``__eq__``, says that one may stand for the other. Whether that is true is asked only where one
does: of two objects, and it is over where their attributes agree.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

from opweld.dtypes import bits
from opweld.graph.basic import Props

__all__ = ["Difference", "differences", "same_value"]

_REMEMBERED = frozenset({"_bodies", "_hash", "_nodes", "_over"})  # what the library's classes find out and keep


class Difference:
    """An attribute that differs.

    Attributes
    ----------
    path : str
        Its name; of an op within the op ``scalar_op.factor``.
    owner : object
        Whose it is: an op or a type.
    one, other : object
        Its values.
    prop : bool
        It is one of the ``__props__``, and its values are equal but not the same: 1 and 1.0, 0.0 and -0.0.
    """

    __slots__ = ("one", "other", "owner", "path", "prop")

    def __init__(self, path: str, owner: object, one: object, other: object, prop: bool) -> None:
        self.path = path
        self.owner = owner
        self.one = one
        self.other = other
        self.prop = prop


def differences(one: object, other: object) -> list[Difference]:
    """Find in what two objects differ that are equal.

    Parameters
    ----------
    one, other : Op or Type
        Of the library's own classes only the ``__props__`` are looked at.

    Returns
    -------
    list of Difference
        Empty where one may stand for the other, as far as attributes tell.
    """
    if one is other:
        return []
    found: list[Difference] = []
    _compare(one, other, "", found, set())
    return found


def same_value(one: object, other: object) -> bool:
    """Say whether two values are the same to whatever is made of them: 1 is not 1.0, and 0.0 not -0.0.

    Returns
    -------
    bool
    """
    found: list[Difference] = []
    return _same(one, other, found, "", set()) and not found


def _compare(one: object, other: object, path: str, found: list[Difference], seen: set[tuple[int, int]]) -> None:
    if type(one) is not type(other):
        found.append(Difference(f"{path}__class__", one, type(one), type(other), False))
        return
    pair = (id(one), id(other))
    if pair in seen:  # they lead back to themselves
        return
    seen.add(pair)
    props = getattr(one, "__props__", None) or ()
    names = props if props and type(one).__module__.startswith("opweld.") else (*props, *_attributes(one, other, props))
    for name in names:
        mine, yours = getattr(one, name, _MISSING), getattr(other, name, _MISSING)
        if mine is yours:
            continue
        if isinstance(mine, Props) and isinstance(yours, Props) and mine == yours:
            _compare(mine, yours, f"{path}{name}.", found, seen)
        elif not _same(mine, yours, found, f"{path}{name}", seen):
            found.append(Difference(path + name, one, mine, yours, name in props))


def _attributes(one: object, other: object, props: tuple[str, ...]) -> list[str]:
    """The names of what two objects of a class hold, props and what the library keeps there left out."""
    names = dict.fromkeys([*getattr(one, "__dict__", ()), *getattr(other, "__dict__", ())])
    for cls in type(one).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        names.update(dict.fromkeys([slots] if isinstance(slots, str) else slots))
    return [name for name in names if name not in props and name not in _REMEMBERED]


class _Missing:
    def __repr__(self) -> str:
        return "not there"


_MISSING = _Missing()


def _same(one: Any, other: Any, found: list[Difference], path: str, seen: set[tuple[int, int]]) -> bool:
    """Whether two values are the same; ops in them go into `found` where they are equal and differ."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, (float, complex)):
        return bool(bits(one) == bits(other))
    if isinstance(one, (tuple, list)):
        pairs = enumerate(zip(one, other))
        return len(one) == len(other) and all([_same(a, b, found, f"{path}[{i}]", seen) for i, (a, b) in pairs])
    if isinstance(one, dict):
        return list(one) == list(other) and all([_same(one[key], other[key], found, path, seen) for key in one])
    if isinstance(one, Props):
        equal = bool(one == other)
        if equal:
            _compare(one, other, f"{path}.", found, seen)
        return equal
    if hasattr(one, "tobytes") and hasattr(one, "dtype"):
        return bool(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes())
    if isinstance(one, MethodType):  # what it is bound to is compared where that is an op
        one, other = one.__func__, other.__func__
    if getattr(one, "__code__", None) is not None:
        return _same_function(one, other, found, path, seen)
    try:
        return bool(one == other)
    except Exception:  # a value that cannot be compared: what is made of it can
        return False


def _same_function(one: Any, other: Any, found: list[Difference], path: str, seen: set[tuple[int, int]]) -> bool:
    """Whether two functions are one text over the same values."""
    if one.__code__ != other.__code__:
        return False
    pair = (id(one), id(other))
    if pair in seen:
        return True
    seen.add(pair)
    cells = [getattr(function, "__closure__", None) or () for function in (one, other)]
    held = [[cell.cell_contents for cell in given if _filled(cell)] for given in cells]
    told = [(getattr(f, "__defaults__", None), getattr(f, "__kwdefaults__", None)) for f in (one, other)]
    return _same(held[0], held[1], found, path, seen) and _same(told[0], told[1], found, path, seen)


def _filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
