"""What is imported when it is first asked for: the names of a package, and a module that another may do without.

`door` and `late` are the library's two ways to import later than at its beginning; tests/test_house.py counts them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import update_wrapper
from types import ModuleType
from typing import Any, TypeVar

from opweld.together import together

__all__ = ["Late", "door", "ending", "late", "loaded", "submodule"]


def door(
    package: str,
    homes: Mapping[str, Iterable[str]],
    made: Mapping[str, Iterable[str]] | None = None,
    besides: Iterable[str] = (),
    hidden: Iterable[str] = (),
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """Make what a package's ``__init__`` has: every name of the package is in one table, and nothing is imported yet.

    Parameters
    ----------
    package : str
        Its full name.
    homes : dict of str to (iterable of str)
        The names that each module has for it; the module's path is written from the package on, or in full.
    made : dict of str to (iterable of str), optional
        The names whose values a function of the name gives: ``"module:function"``.
    besides : iterable of str
        Modules, and names that the ``__init__`` itself has, that count as its names.
    hidden : iterable of str
        Names of these that completion shows and ``import *`` leaves out.

    Returns
    -------
    list of str, callable, callable
        For ``__all__``, ``__getattr__`` and ``__dir__``.
    """
    room = sys.modules[package]
    home = {name: module for module, names in homes.items() for name in names}
    maker = {name: place for place, names in (made or {}).items() for name in names}
    every = {*home, *maker, *besides}

    def find(name: str) -> Any:
        if name in home:
            path = home[name] if home[name].startswith("opweld.") else f"{package}.{home[name]}"
            value = getattr(_load(path), name)
        elif name in maker:
            module, function = maker[name].split(":")
            value = getattr(_load(f"{package}.{module}"), function)(name)
        else:
            return submodule(package, name, lambda: suggest.attribute(package, name, every))
        setattr(room, name, value)
        return value

    def listed() -> list[str]:
        return sorted({*room.__dict__, *every, *hidden} - {"door"})

    find.homes, find.made, find.besides = homes, made or {}, [*besides, *hidden]  # type: ignore[attr-defined]
    return sorted(every), find, listed


def submodule(package: str, name: str, known: Callable[[], str]) -> ModuleType:
    """Import a module of a package, as the last resort of the package's ``__getattr__``.

    Parameters
    ----------
    package, name : str
        The package's full name, and the attribute that it does not have.
    known : callable
        Gives what a message says besides.

    Returns
    -------
    module

    Raises
    ------
    AttributeError
        If there is no module of that name.
    """
    path = f"{package}.{name}"
    said = ""
    if name.isidentifier() and not name.startswith("_"):  # an import asks here for modules that are to be imported
        try:
            return _load(path)
        except ModuleNotFoundError as err:
            if err.name != path:
                raise
        said = known()
    raise AttributeError(f"module {package!r} has no attribute {name!r}{said}", name=name)


def _load(path: str) -> ModuleType:
    """Import a module without looking for cycles: what modules are made of stays, and the looks take 1 ms a process.

    Afterwards it counts as old, as does what else is young; nothing is touched where the user has frozen what there is.
    """
    looks = gc.isenabled()
    gc.disable()
    try:
        return together.load(path)
    finally:
        if looks:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class Late:
    """A module that is imported when something of it is first asked for; what is asked for is not kept.

    Parameters
    ----------
    name : str
        The module's full name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        module = sys.modules.get(self._name)
        if module is None or getattr(module.__spec__, "_initializing", False):  # another thread is at it: wait for it
            module = _load(self._name)
        return getattr(module, name)

    def __repr__(self) -> str:
        return f"<module {self._name!r}, when it is asked for something>"


def late(name: str) -> Any:
    """Give a module that is imported when something of it is first asked for.

    Parameters
    ----------
    name : str
        Its full name.

    Returns
    -------
    Late
        To be used as the module.
    """
    return Late(name)


def loaded(module: Late) -> Any:
    """Give a module that is imported late where it has been, by whomever; None: not yet.

    Parameters
    ----------
    module : Late
        What `late` gave.

    Returns
    -------
    module or None
        Another thread may still be at it: what is asked of the `Late` itself waits for that.
    """
    return sys.modules.get(module._name)


Called = TypeVar("Called", bound=Callable[..., Any])


def ending(function: Called) -> Called:
    """Decorate a function that users call: the traceback of what they did wrong ends where they called it.

    Parameters
    ----------
    function : callable
        The function.

    Returns
    -------
    callable
    """

    def ends(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*args, **keywords)
        except Exception as error:
            tracebacks.shorten(error)
            raise error

    return update_wrapper(ends, function)  # type: ignore[return-value]


# What several need where something went wrong: a name that does not exist, an exception to be shown.
suggest: Any = late("opweld.suggest")
tracebacks: Any = late("opweld.tracebacks")
