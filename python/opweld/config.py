"""Configuration: defaults, then the user's file, then ``OPWELD_FLAGS``, then code.

The user's file is ``$OPWELDRC``, else ``~/.opweldrc``, in ini form: a section ``[global]`` for plain names, and one
section for each prefix (``[gcc]`` with ``cxxflags = …`` is ``gcc__cxxflags``). ``OPWELD_FLAGS`` is
``key=value,key=value``; a value that holds a comma is quoted. Neither is read before the first value is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from opweld.errors import ConfigError

__all__ = ["Config", "KEY", "NEITHER", "OPTIONS", "Options", "PROGRAM", "Section", "config", "read"]

Parser = Callable[[str, Any], Any]


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"config.{key}: expected a string, got {value!r}")
    return value


def _path(key: str, value: object) -> str:
    if not isinstance(value, (str, os.PathLike)) and value is not None:
        raise ConfigError(f"config.{key}: expected a path, got {value!r}")
    return os.path.expanduser(os.fspath(value)) if value else ""


def _flag(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off", ""):
        return False
    raise ConfigError(f"config.{key}: expected True or False, got {value!r}")


def _maybe_flag(key: str, value: object) -> bool | None:
    return None if value is None or str(value).strip().lower() == "none" else _flag(key, value)


def _seconds(key: str, value: Any) -> float:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        seconds = -1.0
    if not seconds >= 0.0:
        raise ConfigError(f"config.{key}: expected a number of seconds, 0 or more, got {value!r}")
    return seconds


def _megabytes(key: str, value: Any) -> float:
    try:
        size = float(value)
    except (TypeError, ValueError):
        size = -1.0
    if not 0.0 <= size < 2.0**40:
        raise ConfigError(f"config.{key}: expected a number of MiB, 0 or more, got {value!r}")
    return size


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

_KEYS: dict[str, tuple[Any, Parser, str | None, str]] = {  # default, reader, where an option counts, text
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
    "compile_memory": (0.0, _megabytes, NEITHER, "how many MiB of memory each program of a compile may have; 0: any"),
    "compile_seconds": (600.0, _seconds, NEITHER, "how long a compile may run; 0: as long as it likes"),
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
    "faults": (False, _flag, KEY, "let every place that can fail be forced to: what opweld check makes"),
    "floatX": ("float64", _one_of("float64", "float32", "float16"), None, "dtype of vector() and its like"),
    "fuse": (True, _flag, KEY, "make one loop of nodes that walk the same elements"),
    "gcc__cxxflags": ("", _text, KEY, "further flags, for C and C++, after the others"),
    "isolate": (False, _flag, KEY, "run C in a process of its own, so that a crash there is an exception here"),
    "isolate_seconds": (60.0, _seconds, NEITHER, "how long an op may run in that process; 0: as long as it likes"),
    "lint": ("off", _one_of("off", "warn", "error"), NEITHER, "what function() says of what the lint finds in its C"),
    "lock_seconds": (120.0, _seconds, NEITHER, "how long to wait for another process that builds the same module"),
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
OPTIONS = {key: where for key, (_, _, where, _) in _KEYS.items() if where is not None}
_SECTIONS = frozenset(key.split("__")[0] for key in _KEYS if "__" in key)


def read(key: str, value: object) -> Any:
    """Read a value as the configuration does that is given one.

    Parameters
    ----------
    key : str
        One of `config.keys`.
    value : object
        What is given.

    Returns
    -------
    object
        What the key holds then.

    Raises
    ------
    ConfigError
        If there is no such key, or it holds no such value.
    """
    if key not in _KEYS:
        raise ConfigError(_unknown(key))
    return _KEYS[key][1](key, value)


def _unknown(key: str) -> str:
    import difflib

    if key == "instructions":
        return f"no configuration key {key!r}: it is march now; 'processor' is 'native', 'common' is 'baseline'"
    near = difflib.get_close_matches(key, _KEYS, n=3, cutoff=0.6)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known are {', '.join(_KEYS)}"
    return f"no configuration key {key!r}{hint}"


class Section:
    """``config.gcc``: reads and writes ``config.gcc__…``.

    Parameters
    ----------
    owner : Config
        Or what else has keys as attributes.
    prefix : str
        What stands before the two underscores.
    """

    def __init__(self, owner: object, prefix: str) -> None:
        object.__setattr__(self, "_owner", owner)
        object.__setattr__(self, "_prefix", prefix)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._owner, f"{self._prefix}__{name}")

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._owner, f"{self._prefix}__{name}", value)


class Config:
    """The configuration, as attributes: ``config.floatX``, ``config.gcc__cxxflags``, also ``config.gcc.cxxflags``.

    Parameters
    ----------
    environ : mapping, optional
        Where ``OPWELD_FLAGS``, ``OPWELDRC`` and ``HOME`` are looked up; the process's environment if left out.
    """

    def __init__(self, environ: object = None) -> None:
        object.__setattr__(self, "_environ", os.environ if environ is None else environ)
        object.__setattr__(self, "_values", None)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        values = self._values
        if values is None:
            values = self._load()
        try:
            return values[name]
        except KeyError:
            if name in _SECTIONS:
                return Section(self, name)
            raise AttributeError(_unknown(name)) from None

    def __setattr__(self, name: str, value: object) -> None:
        values = self._load() if self._values is None else self._values
        values[name] = read(name, value)

    def __delattr__(self, name: str) -> None:
        """Go back to what defaults, file and flags say."""
        values = self._load() if self._values is None else self._values
        if name not in _KEYS:
            raise ConfigError(_unknown(name))
        values[name] = self._configured[name]

    def __dir__(self) -> list[str]:
        return sorted(_KEYS)

    def __repr__(self) -> str:
        return "\n".join(f"{key} = {getattr(self, key)!r}  ({_KEYS[key][3]})" for key in _KEYS)

    def keys(self) -> tuple[str, ...]:
        """Give the names of all keys.

        Returns
        -------
        tuple of str
            In alphabetical order.
        """
        return tuple(_KEYS)

    def options(self) -> dict[str, Any]:
        """Give the values of those keys that are options of functions.

        Returns
        -------
        dict of str to object
            A new one each time.
        """
        values = self._load() if self._values is None else self._values
        return {name: values[name] for name in OPTIONS}

    def _load(self) -> dict[str, Any]:
        values = {key: row[0] for key, row in _KEYS.items()}
        for origin, key, value in (*self._from_file(), *self._from_flags()):
            name = key.strip().replace(".", "__")
            if name not in _KEYS:
                raise ConfigError(f"{origin}: {_unknown(name)}")
            try:
                values[name] = _KEYS[name][1](name, value)
            except ConfigError as err:
                raise ConfigError(f"{origin}: {err}") from None
        object.__setattr__(self, "_configured", dict(values))
        object.__setattr__(self, "_values", values)
        return values

    def _from_file(self) -> list[tuple[str, str, str]]:
        path = self._environ.get("OPWELDRC") or os.path.join(self._environ.get("HOME", ""), ".opweldrc")
        if not os.path.isfile(path):
            return []
        import configparser

        parser = configparser.RawConfigParser()
        parser.optionxform = str  # type: ignore[assignment,method-assign]  # keys keep their capitals: floatX
        try:
            parser.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError, OSError) as err:
            raise ConfigError(f"{path}: {err}") from None
        found = []
        for section in parser.sections():
            prefix = "" if section == "global" else section + "__"
            found += [(path, prefix + key, value) for key, value in parser.items(section)]
        return found

    def _from_flags(self) -> list[tuple[str, str, str]]:
        text = self._environ.get("OPWELD_FLAGS", "")
        found = []
        for piece in _split(text):
            key, equals, value = piece.partition("=")
            if not equals:
                raise ConfigError(f"OPWELD_FLAGS: {piece!r} is not key=value")
            found.append(("OPWELD_FLAGS", key, value))
        return found


def _split(text: str) -> list[str]:
    """Split at commas that no quotes surround, and take those quotes away."""
    if '"' not in text and "'" not in text:
        return [piece.strip() for piece in text.split(",") if piece.strip()]
    import shlex

    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = ",", True, ""
    try:
        return [piece.strip() for piece in lexer if piece.strip()]
    except ValueError as err:
        raise ConfigError(f"OPWELD_FLAGS: {err}: {text!r}") from None


config = Config()


class Options:
    """The options of one function, each an attribute by the name of its key in the configuration. They do not change.

    An option is what the first of these says: the keyword of `opweld.function`, the function's mode, the configuration
    at the moment when the function is made. `OPTIONS`, in the module ``opweld.config``, says of each whether it counts
    in Program, in the key of the module, or in neither: flags of compilers, optimisation levels, fast maths and
    sanitizers among them, are in the key, so that they never change a byte of Program.

    Parameters
    ----------
    *given : mapping of str to object
        What is said, first come, first served; the configuration comes last by itself.

    Raises
    ------
    ConfigError
        If there is no such option, or it cannot have such a value.
    """

    __slots__ = ("_values",)

    _values: dict[str, Any]

    def __init__(self, *given: Mapping[str, Any]) -> None:
        values = {}
        for mapping in reversed(given):
            for name, value in mapping.items():
                if name not in OPTIONS:
                    raise ConfigError(f"no option {name!r} of a function; there are {', '.join(OPTIONS)}")
                values[name] = read(name, value)
        object.__setattr__(self, "_values", {**config.options(), **values})

    def but(self, **others: Any) -> Options:
        """Give the options of a function that has others in some places.

        Parameters
        ----------
        **others
            These.

        Returns
        -------
        Options
        """
        return Options(others, self._values)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"no option {name!r}; there are {', '.join(OPTIONS)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"options do not change: {name}; give others to opweld.function(options=...)")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __dir__(self) -> list[str]:
        return sorted(OPTIONS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Options) and self._values == other._values

    def __hash__(self) -> int:
        return hash(tuple([self._values[name] for name in OPTIONS]))

    def __reduce__(self) -> tuple[Any, ...]:
        return Options, (self._values,)

    def __repr__(self) -> str:
        return f"Options({', '.join([f'{name}={self._values[name]!r}' for name in OPTIONS])})"
