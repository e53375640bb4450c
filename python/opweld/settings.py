"""Which settings there are: what each is by default, how it is read, and where an option of a function counts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from opweld.errors import ConfigError

__all__ = ["KEY", "KEYS", "NEITHER", "OPTIONS", "PROGRAM", "SECTIONS"]

Parser = Callable[[str, Any], Any]

_WORDS = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off", ""), False)


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"config.{key}: expected a string, got {value!r}")
    return value


def _path(key: str, value: object) -> str:
    if not isinstance(value, (str, os.PathLike)) and value is not None:
        raise ConfigError(f"config.{key}: expected a path, got {value!r}")
    return os.path.expanduser(os.fspath(value)) if value else ""


def _flag(key: str, value: object) -> bool:
    found = value if isinstance(value, bool) else _WORDS.get(str(value).strip().lower())
    if found is None:
        raise ConfigError(f"config.{key}: expected True or False, got {value!r}")
    return found


def _maybe_flag(key: str, value: object) -> bool | None:
    return None if value is None or str(value).strip().lower() == "none" else _flag(key, value)


def _number_of(what: str, most: float = float("inf")) -> Parser:
    def parse(key: str, value: Any) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = -1.0
        if not 0.0 <= number <= most:
            raise ConfigError(f"config.{key}: expected a number of {what}, 0 or more, got {value!r}")
        return number

    return parse


_SECONDS, _MIB = _number_of("seconds"), _number_of("MiB", 2.0**40)


def _threads(key: str, value: Any) -> int:
    number = str(value).strip()
    if number == "1":
        return 1
    most = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(value, (str, int)) and number.isdecimal() and 0 < int(number) <= most:
        return int(number)
    raise ConfigError(
        f"config.{key}: expected a number of threads from 1 to {most}, as many as this process may run at once, "
        f"got {value!r}"
    )


def _one_of(*words: str) -> Parser:
    def parse(key: str, value: object) -> str:
        if value not in words:
            raise ConfigError(f"config.{key}: expected one of {', '.join(map(repr, words))}, got {value!r}")
        return str(value)

    return parse


#: What the option ``sanitize`` may name; the last has the compiler check what opweld otherwise has wrap, as NumPy does.
_SANITIZERS = ("address", "undefined", "thread", "signed-integer-overflow")


def _sanitizers(key: str, value: object) -> str:
    """Sanitizers, in an order of their own; True: those that find most."""
    if value is None or isinstance(value, bool):
        return "address,undefined" if value else ""
    words = {word.strip() for word in _text(key, value).split(",")} - {"", "off"}
    for word in sorted(words - {*_SANITIZERS}):
        why = "leaks are told by accounts: account=True" if word == "leak" else f"known are {', '.join(_SANITIZERS)}"
        raise ConfigError(f"config.{key}: no sanitizer {word!r}; {why}")
    if {"address", "thread"} <= words:
        raise ConfigError(f"config.{key}: 'address' and 'thread' cannot be built into one module: give one of them")
    return ",".join([word for word in _SANITIZERS if word in words])


# -Wall without what honest fragments set off by being fragments: a variable that one path does not need, a support
# function that one apply does not call.
_WARNINGS = "-Wall -Wno-unused"

#: Where an option of a function counts: in Program, through the graph; in the key of its module; or in neither.
PROGRAM, KEY, NEITHER = "program", "key", "neither"

KEYS: dict[str, tuple[Any, Parser, str | None, str]] = {  # default, reader, where an option counts, text
    "account": (
        False,
        _flag,
        KEY,
        "count the references and the memory that C takes and gives up, for a function's account",
    ),
    "allow_input_downcast": (
        None,
        _maybe_flag,
        NEITHER,
        "whether arguments are cast where values may change; None: Python floats only",
    ),
    "cc": ("", _path, KEY, "C compiler driver, a name or a path; empty: the first that works"),
    "cflags": (f"-O3 -fno-math-errno {_WARNINGS}", _text, KEY, "flags of the C compiler"),
    "cmodule__remove_gxx_opt": (False, _flag, KEY, "drop optimisation flags and keep symbols, for a debugger"),
    "compile_memory": (0.0, _MIB, NEITHER, "how many MiB of memory each program of a compile may have; 0: any"),
    "compile_seconds": (600.0, _SECONDS, NEITHER, "how long a compile may run; 0: as long as it likes"),
    "compiledir": ("", _path, NEITHER, "folder of the cache; empty: $XDG_CACHE_HOME/opweld"),
    "compiledir_owners": (
        "",
        _text,
        NEITHER,
        "users (names or uids, blanks between) besides you and root whose modules in compiledir may be loaded",
    ),
    "conventions": (
        "numpy",
        _one_of("numpy", "theano"),
        PROGRAM,
        "whose rules hold for a call: NumPy's, or those of Theano, Aesara and PyTensor",
    ),
    "cxx": ("", _path, KEY, "C++ compiler driver, a name or a path; empty: the first that works"),
    "cxxflags": (f"-O3 -fno-math-errno {_WARNINGS}", _text, KEY, "flags of the C++ compiler"),
    "fastmath": (
        False,
        _flag,
        KEY,
        "let compilers reorder arithmetic of floating point, divide by products, and contract products and sums",
    ),
    "faults": (False, _flag, KEY, "let every place that can fail be forced to: what opweld check makes"),
    "floatX": ("float64", _one_of("float64", "float32", "float16"), None, "dtype of vector() and its like"),
    "fuse": (True, _flag, KEY, "make one loop of nodes that walk the same elements"),
    "gcc__cxxflags": ("", _text, KEY, "further flags, for C and C++, after the others"),
    "isolate": (False, _flag, KEY, "run C in a process of its own, so that a crash there is an exception here"),
    "isolate_seconds": (60.0, _SECONDS, NEITHER, "how long an op may run in that process; 0: as long as it likes"),
    "lint": ("off", _one_of("off", "warn", "error"), NEITHER, "what function() says of what the lint finds in its C"),
    "lock_seconds": (120.0, _SECONDS, NEITHER, "how long to wait for another process that builds the same module"),
    "march": (
        "native",
        _one_of("native", "baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4"),
        KEY,
        "for which processors modules are made: native, with all that this one has; baseline, all of its kind; a level",
    ),
    "mode": ("", _text, None, "mode of functions that name none"),
    "on_unused_input": (
        "raise",
        _one_of("raise", "warn", "ignore"),
        NEITHER,
        "what function() does about an input that no output needs",
    ),
    "optimizer": ("default", _text, PROGRAM, "which rewrites run"),
    "profile": (False, _flag, KEY, "time the nodes and loops of a function, for its attribute profile"),
    "progress": ("auto", _one_of("auto", "on", "off"), NEITHER, "show a line while a build takes longer than a second"),
    "sanitize": (
        "",
        _sanitizers,
        KEY,
        "sanitizers for C, commas between: address, undefined, thread, signed-integer-overflow; it then runs apart",
    ),
    "threads": (1, _threads, NEITHER, "on how many threads long loops run, at most"),
    "traceback": (
        "short",
        _one_of("short", "full"),
        None,
        "whether tracebacks of what a user did wrong end at the user's line, or show opweld's frames too",
    ),
}

#: The keys that are options of a function, and where each counts.
OPTIONS = {key: where for key, (_, _, where, _) in KEYS.items() if where is not None}
SECTIONS = frozenset(key.split("__")[0] for key in KEYS if "__" in key)
