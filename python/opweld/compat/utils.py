"""The small things that files of ops import from ``theano.compat``, ``gof.utils`` and ``pytensor.utils``."""

from __future__ import annotations

import functools
import hashlib
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, ValuesView
from typing import Any, TypeVar

from opweld.graph.basic import Apply, Props, Variable
from opweld.graph.tag import Tag

__all__ = [
    "Callable", "DefaultOrderedDict", "Iterable", "Mapping", "OrderedDict", "PY3", "Singleton", "ValuesView",
    "add_tag_trace", "cmp", "decode", "decode_iter", "decode_with", "difference", "exc_message", "flatten",
    "from_return_values", "get_unbound_function", "get_variable_trace_string", "hash_from_code", "ifilter", "imap",
    "izip", "memoize", "object2", "operator_div", "remove", "scratchpad", "to_return_values", "uniq", "unzip",
]  # fmt: skip

T = TypeVar("T")

PY3 = True
izip, imap, ifilter = zip, map, filter
operator_div = operator.truediv
object2 = Props
scratchpad = Tag


def exc_message(e: BaseException) -> Any:
    """Give what an exception was raised with: its one argument, or all."""
    return e.args[0] if len(e.args) == 1 else e.args


def cmp(x: float, y: float) -> int:
    """Compare: -1, 0 or 1."""
    return int(x > y) - int(x < y)


def get_unbound_function(unbound: object) -> Any:
    """Give the function of a method."""
    return getattr(unbound, "__func__", unbound)


def decode(x: str | bytes) -> str:
    """Give text."""
    return x if isinstance(x, str) else x.decode()


def decode_with(x: bytes, encoding: str) -> str:
    """Give text of an encoding."""
    return x.decode(encoding)


def decode_iter(itr: Iterable[bytes]) -> Iterator[str]:
    """Give text, piece by piece."""
    for x in itr:
        yield x.decode()


class DefaultOrderedDict(OrderedDict):  # type: ignore[type-arg]
    """An ordered dict that makes what it lacks.

    Parameters
    ----------
    default_factory : callable, optional
        Makes a value; None: a key that is not there is a KeyError.
    *args, **kwargs
        As for a dict.
    """

    def __init__(self, default_factory: Callable[[], Any] | None = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default_factory = default_factory

    def __missing__(self, key: object) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        value = self[key] = self.default_factory()
        return value

    def __reduce__(self) -> Any:
        return type(self), (self.default_factory,), None, None, iter(self.items())

    def copy(self) -> DefaultOrderedDict:
        """Make a dict of the same items."""
        return type(self)(self.default_factory, self)

    __copy__ = copy


class Singleton:
    """A class whose instances are all one."""

    _instance: Any = None

    def __new__(cls) -> Any:
        """Give the one there is."""
        if not isinstance(cls._instance, cls):
            cls._instance = super().__new__(cls)
        return cls._instance

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


def add_tag_trace(thing: T, user_line: int | None = None) -> T:
    """Give the thing: a node knows where it was made without a trace."""
    return thing


def get_variable_trace_string(v: Variable | Apply) -> str:
    """Say where a variable's node was made; empty where nobody knows."""
    node = v.owner if isinstance(v, Variable) else v
    if node is None or node.made_at is None:
        return ""
    file, line, text = node.made_at
    return f'  File "{file}", line {line}\n    {text}\n'


def hash_from_code(msg: str | bytes) -> str:
    """Give a digest of a text."""
    return "m" + hashlib.sha256(msg.encode() if isinstance(msg, str) else msg).hexdigest()


def memoize(f: Callable[..., Any]) -> Callable[..., Any]:
    """Keep a function's results, by its arguments and keywords."""
    return functools.lru_cache(maxsize=None)(f)


def uniq(seq: Sequence[Any]) -> list[Any]:
    """Give the items in order, each once; they need not hash."""
    found: list[Any] = []
    for item in seq:
        if item not in found:
            found.append(item)
    return found


def difference(seq1: Iterable[Any], seq2: Iterable[Any]) -> list[Any]:
    """Give the items of the first that are not in the second, in order."""
    others = list(seq2)
    return [item for item in seq1 if item not in others]


def remove(predicate: Callable[[Any], Any], coll: Iterable[Any]) -> list[Any]:
    """Give the items of which the predicate does not hold."""
    return [item for item in coll if not predicate(item)]


def flatten(a: object) -> list[Any]:
    """Give what stands in nested lists, tuples and sets."""
    if not isinstance(a, (list, tuple, set)):
        return [a]
    return [inner for item in a for inner in flatten(item)]


def unzip(iterable: Iterable[tuple[Any, ...]], n: int, strict: bool = False) -> tuple[tuple[Any, ...], ...]:
    """Turn tuples into `n` tuples of their first items, their second …; of nothing into `n` empty ones."""
    found = tuple(zip(*iterable)) or ((),) * n
    if strict and len(found) != n:
        raise ValueError(f"expected tuples of {n}, got {len(found)}")
    return found


def to_return_values(values: Sequence[Any]) -> Any:
    """Give the one item, or all."""
    return values[0] if len(values) == 1 else values


def from_return_values(values: object) -> list[Any]:
    """Give a list of one item, or of all."""
    return list(values) if isinstance(values, (list, tuple)) else [values]
