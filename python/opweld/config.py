"""Configuration: defaults, then the user's file, then ``OPWELD_FLAGS``, then code.

The user's file is ``$OPWELDRC``, else ``~/.opweldrc``, in ini form: a section ``[global]`` for plain names, and one
section for each prefix (``[gcc]`` with ``cxxflags = …`` is ``gcc__cxxflags``). ``OPWELD_FLAGS`` is
``key=value,key=value``; a value that holds a comma is quoted. Neither is read before the first value is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from opweld.errors import ConfigError
from opweld.settings import KEY, KEYS, NEITHER, OPTIONS, PROGRAM, SECTIONS

__all__ = ["Config", "KEY", "NEITHER", "OPTIONS", "Options", "PROGRAM", "Section", "config", "read"]


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
    if key not in KEYS:
        raise ConfigError(_unknown(key))
    return KEYS[key][1](key, value)


def _unknown(key: str) -> str:
    import difflib

    if key == "instructions":
        return f"no configuration key {key!r}: it is march now; 'processor' is 'native', 'common' is 'baseline'"
    near = difflib.get_close_matches(key, KEYS, n=3, cutoff=0.6)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known are {', '.join(KEYS)}"
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
            if name in SECTIONS:
                return Section(self, name)
            raise AttributeError(_unknown(name)) from None

    def __setattr__(self, name: str, value: object) -> None:
        values = self._load() if self._values is None else self._values
        values[name] = read(name, value)

    def __delattr__(self, name: str) -> None:
        """Go back to what defaults, file and flags say."""
        values = self._load() if self._values is None else self._values
        if name not in KEYS:
            raise ConfigError(_unknown(name))
        values[name] = self._configured[name]

    def __dir__(self) -> list[str]:
        return sorted(KEYS)

    def __repr__(self) -> str:
        return "\n".join(f"{key} = {getattr(self, key)!r}  ({KEYS[key][3]})" for key in KEYS)

    def keys(self) -> tuple[str, ...]:
        """Give the names of all keys.

        Returns
        -------
        tuple of str
            In alphabetical order.
        """
        return tuple(KEYS)

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
        values = {key: row[0] for key, row in KEYS.items()}
        for origin, key, value in (*self._from_file(), *self._from_flags()):
            name = key.strip().replace(".", "__")
            if name not in KEYS:
                raise ConfigError(f"{origin}: {_unknown(name)}")
            try:
                values[name] = KEYS[name][1](name, value)
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
