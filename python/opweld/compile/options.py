"""Options of a function: what it is compiled and run with, beside its graph and its mode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from opweld.config import OPTIONS, config, read
from opweld.errors import ConfigError

__all__ = ["Options"]


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
        for name in OPTIONS:
            if name not in values:
                values[name] = getattr(config, name)
        object.__setattr__(self, "_values", values)

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
