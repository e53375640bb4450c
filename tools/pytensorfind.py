"""What tests that were written for an older PyTensor import, where it lies today (`pytensorolder`)."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from typing import Any

import pytensor
import pytensor.configdefaults
from pytensor.configparser import StrParam

#: Backends, whose libraries need not be there.
_LEFT_OUT = ("numba", "jax", "pytorch", "mlx", "d3viz", "xtensor", "lazylinker")
_GONE = {"unittests__rseed": "666", "compute_test_value": "off", "compute_test_value_opt": "off"}


class Gone:
    """Something that there is no more: whoever uses it fails."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Fail."""
        raise NotImplementedError(f"gone: {self._name}")

    def __getattr__(self, name: str) -> Gone:
        if name.startswith("__"):
            raise AttributeError(name)
        return Gone(f"{self._name}.{name}")

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()


def module(name: str) -> Any:
    """Import a module; where there is none, give what its package has by that name, or `Gone`."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package, _, last = name.rpartition(".")
        return getattr(module(package), last, Gone(name)) if package else Gone(name)


def name(where: str, wanted: str) -> Any:
    """Give what a module has by a name, or another module of PyTensor's; `Gone`, if none has it."""
    home = module(where)
    if not isinstance(home, Gone) and hasattr(home, wanted):
        return getattr(home, wanted)
    try:
        return importlib.import_module(f"{where}.{wanted}")
    except ImportError:
        return Gone(wanted) if where.startswith("tests") else everything().get(wanted, Gone(wanted))


@functools.cache
def everything() -> dict[str, Any]:
    """Give all names of all modules of PyTensor's, each rather from where it is defined."""
    found: dict[str, Any] = {}
    for info in pkgutil.walk_packages(pytensor.__path__, "pytensor.", onerror=lambda _: None):
        if any(part in info.name for part in _LEFT_OUT):
            continue
        try:
            held = vars(importlib.import_module(info.name))
        except Exception:  # its library is not there
            continue
        for key, value in held.items():
            if key not in found or getattr(value, "__module__", None) == info.name:
                found[key] = value
    return found


def _settle() -> None:
    """Let the configuration have the settings that are gone, and take them as before."""
    for key, value in _GONE.items():
        if not hasattr(pytensor.config, key):
            pytensor.config.add(key, "of an older PyTensor", StrParam(value), in_c_key=False)
    kind = type(pytensor.config)
    change = kind.change_flags
    kind.change_flags = lambda self, *given, **flags: change(self, **dict(*given), **flags)
    found = module("pytensor.compile.debug.debugmode")
    if not isinstance(found, Gone):
        pytensor.compile.debugmode = found


_settle()
