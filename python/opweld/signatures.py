"""What a callable can be given, whatever it is wrapped in. Hooks are called by what is read here, never by trial.

A callable says by its own signature what it takes. Only where that is open, ``*args`` or ``**kwargs``, as in most
decorators, is the function behind it asked, which ``functools.wraps`` leaves in ``__wrapped__``: what is open is handed
on to that.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["Signature", "code_of", "fitting", "signature_of"]

_VARARGS, _VARKEYWORDS = 0x04, 0x08
_DEEPEST = 100  # wrappers round one function: a chain that does not end is taken for its outer part


class Signature:
    """What a callable can be given.

    Attributes
    ----------
    positional : tuple of str
        The names of what can be given by position, in order; what a bound method is bound to does not count.
    needed : int
        How many of these must be given.
    many : bool
        Any number more may be given by position.
    named : frozenset of str
        What can be given by name.
    anything : bool
        So can any other name.
    """

    __slots__ = ("_bound", "anything", "many", "named", "needed", "positional")

    def __init__(
        self, positional: tuple[str, ...], needed: int, many: bool, named: frozenset[str], anything: bool
    ) -> None:
        self.positional = positional
        self.needed = needed
        self.many = many
        self.named = named
        self.anything = anything
        self._bound: Signature | None = None

    def takes(self, count: int) -> bool:
        """Say whether the callable can be given that many arguments by position.

        Returns
        -------
        bool
        """
        return count <= len(self.positional) or self.many

    def accepts(self, name: str) -> bool:
        """Say whether the callable can be given an argument by this name.

        Returns
        -------
        bool
        """
        return name in self.named or self.anything

    def without(self, count: int) -> Signature:
        """Give what is left when the first arguments are bound.

        Returns
        -------
        Signature
        """
        named = self.named.difference(self.positional[:count])
        return Signature(self.positional[count:], max(self.needed - count, 0), self.many, named, self.anything)

    def bound(self) -> Signature:
        """Give what is left of a function's when it is a method; the same each time.

        Returns
        -------
        Signature
        """
        if self._bound is None:
            self._bound = self.without(1)
        return self._bound


_known: WeakKeyDictionary[Any, Signature | None] = WeakKeyDictionary()  # of plain functions: what is asked most


def signature_of(function: Any) -> Signature | None:
    """Read what a callable can be given.

    Parameters
    ----------
    function : callable
        A function, a bound method, a partial, an object that can be called, or one of these in wrappers.

    Returns
    -------
    Signature or None
        None: it does not say, as some functions written in C.
    """
    if type(function) is MethodType:
        found = signature_of(function.__func__)
        return None if found is None else found.bound()
    if type(function) is not FunctionType:
        return _read(function, _DEEPEST)
    try:
        return _known[function]
    except KeyError:
        made = _known[function] = _read(function, _DEEPEST)
        return made


def fitting(function: Any, count: int, optional: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Choose of what a callable may be given what it can be given.

    Parameters
    ----------
    function : callable
        Of whom.
    count : int
        How many arguments it is given by position in any case.
    optional : dict of str to object
        What it is given besides, if it has a place for it.

    Returns
    -------
    list
        What is to be given by position, behind the others.
    dict
        What is to be given by name.
    """
    found = signature_of(function)
    if found is None:
        return [], {}
    further: list[Any] = []
    named: dict[str, Any] = {}
    for name, value in optional.items():
        if found.accepts(name):
            named[name] = value
        elif found.positional[count + len(further) :][:1] == (name,):
            further.append(value)
    return further, named


def _read(function: Any, depth: int) -> Signature | None:
    if isinstance(function, MethodType):
        found = _read(function.__func__, depth)
        return None if found is None else found.without(1)
    own = _own(function, depth)
    inner = getattr(function, "__wrapped__", None) if depth else None
    if inner is None or (own is not None and not own.many and not own.anything):
        return own
    behind = _read(inner, depth - 1)
    if own is None or behind is None:
        return own or behind
    by_place = behind if own.many else own
    named, anything = own.named, own.anything
    if anything:
        named, anything = named | behind.named, behind.anything
    return Signature(by_place.positional, by_place.needed, by_place.many, named, anything)


def _own(function: Any, depth: int) -> Signature | None:
    """What a callable says itself, without a look at what it wraps; None: nothing."""
    attributes = getattr(function, "__dict__", None) or ()
    if "__signature__" in attributes or "_partialmethod" in attributes or "__partialmethod__" in attributes:
        return _inspected(function)
    if type(function) is FunctionType:
        return _of_code(function)
    if hasattr(function, "func") and hasattr(function, "keywords") and hasattr(function, "args"):  # functools.partial
        return _of_partial(function, depth)
    if isinstance(function, type):
        return _inspected(function)
    call = type(function).__call__
    if isinstance(call, FunctionType):
        found = _read(call, depth - 1) if depth else None
        return None if found is None else found.without(1)
    if "__wrapped__" in attributes:
        return None  # written in C, as functools.lru_cache: hands on all that it is given
    return _inspected(function)


def _of_code(function: Any) -> Signature:
    code: CodeType = function.__code__
    count = code.co_argcount
    return Signature(
        code.co_varnames[:count],
        max(count - len(function.__defaults__ or ()), 0),
        bool(code.co_flags & _VARARGS),
        frozenset(code.co_varnames[code.co_posonlyargcount : count + code.co_kwonlyargcount]),
        bool(code.co_flags & _VARKEYWORDS),
    )


def _of_partial(function: Any, depth: int) -> Signature | None:
    found = _read(function.func, depth - 1) if depth else None
    if found is None:
        return None
    found = found.without(len(function.args))
    places = [found.positional.index(name) for name in function.keywords if name in found.positional]
    if not places:
        return found
    first = min(places)  # from here on by name only
    return Signature(found.positional[:first], min(found.needed, first), False, found.named, found.anything)


def _inspected(function: Any) -> Signature | None:
    """What `inspect` finds of anything else."""
    import inspect

    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return Signature(
        tuple([p.name for p in by_place]),
        sum([p.default is p.empty for p in by_place]),
        any([p.kind is p.VAR_POSITIONAL for p in parameters]),
        frozenset([p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]),
        any([p.kind is p.VAR_KEYWORD for p in parameters]),
    )


def code_of(function: Any) -> CodeType | None:
    """Find the code behind a callable: that of the innermost function, which is where its author wrote.

    Parameters
    ----------
    function : callable
        As for `signature_of`.

    Returns
    -------
    code or None
        None: it is not written in Python.
    """
    for _ in range(_DEEPEST):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            inner = getattr(function, "__func__", None)
        if inner is None and not hasattr(function, "__code__"):
            inner = getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    if code is None and not isinstance(function, type):
        code = getattr(type(function).__call__, "__code__", None) if callable(function) else None
    return code if isinstance(code, CodeType) else None


def filter_of(type_: Any, strict: bool = False, allow_downcast: bool | None = None) -> Callable[[Any], Any]:
    """Bind a type's `filter` to the keywords that it takes.

    Parameters
    ----------
    type_ : Type
        The type.
    strict : bool
        Refuse what is not of the type already.
    allow_downcast : bool, optional
        Whether a conversion may change values.

    Returns
    -------
    callable
        Of one value.
    """
    method = type_.filter
    further, named = fitting(method, 1, {"strict": strict, "allow_downcast": allow_downcast})

    def convert(value: object) -> Any:
        return method(value, *further, **named)

    return convert
