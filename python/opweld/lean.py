"""JSON and SHA-256 by the functions in C behind the packages json and hashlib, which take 1 ms and 9 ms to load."""

from __future__ import annotations

import sys
from _thread import allocate_lock
from collections.abc import Callable
from typing import Any, NoReturn

__all__ = ["literals_of", "tree_of", "digest", "dumps", "loads", "sha256"]

_BLANKS = " \t\n\r"


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


class _Context:
    """What the scanner asks for."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def _by_c() -> tuple[dict[bool, Callable[[Any], str]], Callable[[str], Any]]:
    """What CPython 3.10 to 3.13 use themselves; ImportError where they are not what they are known to be."""
    import _json

    scan: Any = _json.make_scanner(_Context())  # type: ignore[arg-type]
    encodings = {False: _json.encode_basestring, True: _json.encode_basestring_ascii}
    try:
        writers = {
            ascii: _json.make_encoder(None, _refuse, encode, None, ":", ",", True, False, True)
            for ascii, encode in encodings.items()
        }
        known = "".join(writers[True]({"b": [1.5, "é"], "a": None}, 0)), scan('{"a":[1.5,"\\u00e9"]}', 0)
    except (TypeError, ValueError, StopIteration):
        raise ImportError("json is made otherwise") from None
    if known != ('{"a":null,"b":[1.5,"\\u00e9"]}', ({"a": [1.5, "é"]}, 20)):
        raise ImportError("json is made otherwise")

    def read(text: str) -> Any:
        try:
            value, end = scan(text, len(text) - len(text.lstrip(_BLANKS)))
        except StopIteration as err:
            raise ValueError(f"no JSON at character {err.value}") from None
        if text[end:].strip(_BLANKS):
            raise ValueError(f"more than one JSON value: character {end}")
        return value

    def writer(ascii: bool) -> Callable[[Any], str]:
        write = writers[ascii]
        return lambda value: "".join(write(value, 0))

    return {ascii: writer(ascii) for ascii in writers}, read


def _by_json() -> tuple[dict[bool, Callable[[Any], str]], Callable[[str], Any]]:
    import json

    def writer(ascii: bool) -> Callable[[Any], str]:
        return lambda value: json.dumps(value, ensure_ascii=ascii, sort_keys=True, separators=(",", ":"))

    return {ascii: writer(ascii) for ascii in (False, True)}, json.loads


try:
    _write, _read = _by_c()
except (ImportError, AttributeError):
    _write, _read = _by_json()


def dumps(value: object, ascii: bool = True) -> str:
    """Write a value, with nothing between its parts and the keys in order.

    Parameters
    ----------
    value : object
        Dicts whose keys are strings, lists, tuples, strings, numbers, True, False and None. Nothing holds itself.
    ascii : bool
        Escape what is not ASCII.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        For anything else.
    """
    return _write[ascii](value)


def loads(text: str) -> Any:
    """Read a value.

    Parameters
    ----------
    text : str
        JSON.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        If it is none.
    """
    return _read(text)


def sha256(data: bytes | memoryview = b"") -> Any:
    """Begin a sum of what comes in pieces: `hashlib.sha256`.

    Parameters
    ----------
    data : bytes
        The first piece.

    Returns
    -------
    hash
        With ``update`` and ``hexdigest``.
    """
    try:  # hashlib loads OpenSSL, which takes 9 ms
        if sys.version_info >= (3, 12):
            from _sha2 import sha256 as begin
        else:
            from _sha256 import sha256 as begin  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256 as begin
    return begin(data)


try:
    from opweld._argument import sha256 as digest  # ten times as fast where the processor has instructions for it
except ImportError:  # not built: whoever needs more of it says so

    def digest(data: bytes | memoryview, plainly: bool = False, /) -> str:
        """Give the SHA-256 of bytes in hexadecimal digits."""
        return str(sha256(data).hexdigest())


_ONE = allocate_lock()
_TRIES = 3


def tree_of(source: str) -> Any:
    """Parse a text.

    CPython counts the depth of the tree that it makes once an interpreter, and may raise a SystemError where two
    threads make one: ours take turns, and where somebody else's was in the way it is tried again.

    Parameters
    ----------
    source : str
        A module's text.

    Returns
    -------
    ast.Module or None
        None where it is none.
    """
    import ast  # late: where something is built

    with _ONE:
        for _ in range(_TRIES):
            try:
                return ast.parse(source)
            except SystemError:
                continue
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
    return None


def literals_of(source: str, text: str) -> list[int]:
    """Give the lines in which literals begin that are a text, and have as many lines.

    Parameters
    ----------
    source, text : str
        A module's text, and what is looked for.

    Returns
    -------
    list of int
    """
    import ast

    tree = tree_of(source)
    if tree is None:
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == text]
    return [node.lineno for node in found if node.end_lineno == node.lineno + text.count("\n")]
