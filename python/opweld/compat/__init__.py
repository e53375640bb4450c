"""The names of Theano, Aesara and PyTensor, for ops and types that were written for them.

``from opweld.compat import theano``, and ``import opweld.compat.theano.tensor as T``, give a tree of modules that has
the names an owner of C ops needs; for whole files ``opweld.compat.install("theano")`` puts that tree under its real
name, so that ``import theano`` finds it. `opweld.compat.table` says what a tree holds; each name is looked up when it
is first asked for. Ops and types of classes that come from here are C++ unless they say otherwise (``c_lang``).
"""

from __future__ import annotations

import opcode
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

from opweld.compat import gone
from opweld.compat.table import ALIASES, BASIC, FALLBACKS, HOMES, TREES
from opweld.rooms import submodule

__all__ = ["TREES", "install", "uninstall"]


def __getattr__(name: str) -> Any:
    if name in TREES:
        return sys.modules[f"{__name__}.{name}"]
    return submodule(__name__, name, lambda: f"; it has {', '.join(TREES)}")


def _module(path: str, names: str, fallbacks: tuple[str, ...]) -> ModuleType:
    """A module whose names are found when they are first asked for."""
    full = f"{__name__}.{path}"
    made = ModuleType(full, f"What {path} is called by; see opweld.compat.")
    homes: dict[str, str] = {}
    for word in names.split():
        name, _, alias = word.partition("=")
        home = HOMES[alias or name]
        homes[name] = home if ":" in home else f"{home}:{alias or name}"

    def lookup(name: str) -> Any:
        found: Any = lookup
        if name in homes:
            module, _, attribute = homes[name].partition(":")
            found = getattr(import_module(module), attribute)
        elif not name.startswith("__"):
            for module in fallbacks:
                found = getattr(import_module(module), name, lookup)
                if found is not lookup and not isinstance(found, ModuleType):  # the library's own rooms are no names
                    break
                found = lookup
            if found is lookup:
                found = _borrowed(path, name, lookup)
        if found is lookup:
            if _is_import(sys._getframe(1)):  # Python would put words of its own in the place of these
                raise ImportError(f"cannot import name {name!r} from {path!r}: {_became(path, name)}", name=name)
            raise AttributeError(f"module {path!r} has no attribute {name!r} here: {_became(path, name)}")
        made.__dict__.setdefault(name, found)  # a module of this name stays
        return found

    made.__dict__.update(
        __getattr__=lookup, __dir__=lambda: sorted({*made.__dict__, *homes}), __all__=sorted(homes), __path__=[]
    )
    made.__spec__ = ModuleSpec(full, None, is_package=True)
    return made


def _borrowed(path: str, name: str, nothing: object) -> Any:
    """What a module of the packages has because it imports it: a module beside it, or a name of a basic one."""
    tree, _, inner = path.partition(".")
    for near in (f"{path.rpartition('.')[0]}.{name}", f"{tree}.{name}", name if name == tree else ""):
        if near.startswith(tree) and f"{__name__}.{near}" in sys.modules:
            return sys.modules[f"{__name__}.{near}"]
    for start, basic in BASIC[tree].items():
        if inner.startswith(start):
            for module in basic:
                place = sys.modules[f"{__name__}.{tree}{'.' if module else ''}{module}"]
                if name in place.__all__:
                    return getattr(place, name)
    return nothing


def _became(path: str, name: str) -> str:
    """What became of a name that is not here; it may be one of a module."""
    module = f"{path}.{name}".partition(".")[2]
    if module in gone.MODULES:
        return gone.MODULES[module]
    found, why = gone.state(name)
    if found == "renamed":
        return f"it has another name: write {why}"
    if found == "dead":
        return f"it is gone: {why}"
    if why:
        return f"it is not here yet: {why}"
    return (
        f"it is not here yet: opweld offers of {path.partition('.')[0]} what ops and types written in C need; "
        "docs/coming-from.md lists it"
    )


def _is_import(frame: FrameType) -> bool:
    """Whether a frame is at ``from … import``."""
    return frame.f_code.co_code[frame.f_lasti] == opcode.opmap["IMPORT_FROM"]


class _Unknown:
    """What is asked last for a module of a tree: it says what became of it."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Refuse a module of a tree, by its real name or under this package; leave others alone.

        Raises
        ------
        ModuleNotFoundError
            With what became of it.
        """
        inner = name.removeprefix(f"{__name__}.")
        tree, _, rest = inner.partition(".")
        if rest and tree in TREES and sys.modules.get(name[: -len(rest) - 1]) is sys.modules[f"{__name__}.{tree}"]:
            raise ModuleNotFoundError(f"No module named {inner!r} here: {_became_of_module(rest, inner)}", name=name)


def _became_of_module(path: str, whole: str) -> str:
    """What became of a module that is not here."""
    for start, why in gone.MODULES.items():
        if path == start or path.startswith(f"{start}."):
            return why
    return _became(whole, path.rpartition(".")[2])


class _Called(ModuleType):
    """A module that has the name of a function of its parent's, and is called as that."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        parent, _, name = self.__name__.rpartition(".")
        return sys.modules[parent].__dict__["__getattr__"](name)(*args, **kwargs)


def _grow() -> None:
    """Make the modules of all trees; they are small, and import nothing."""
    for tree, modules in TREES.items():
        paths = {tree, *(f"{tree}.{path}" for path in modules if path)}
        paths.update(
            ".".join(path.split(".")[:depth]) for path in list(paths) for depth in range(1, path.count(".") + 1)
        )
        for path in sorted(paths):  # parents before children
            inner = path.partition(".")[2]
            made = _module(path, modules.get(inner, ""), FALLBACKS.get(inner, ()))
            sys.modules[made.__name__] = made
            parent, _, last = made.__name__.rpartition(".")
            if last in modules.get(parent[len(f"{__name__}.{tree}.") :], "").split():  # a function's name too
                made.__class__ = _Called
            setattr(sys.modules[parent], last, made)
    for path, module in ALIASES.items():
        parent, _, last = path.rpartition(".")
        setattr(sys.modules[f"{__name__}.{parent}"], last, sys.modules[f"{__name__}.{module}"])


def _tree(name: str) -> dict[str, ModuleType]:
    """Every module of a tree, by the name it has in the real package."""
    if name not in TREES:
        raise ValueError(f"no tree {name!r}; there are {', '.join(TREES)}")
    start = f"{__name__}."
    return {
        key[len(start) :]: module
        for key, module in sys.modules.items()
        if key == start + name or key.startswith(f"{start}{name}.")
    }


def install(name: str) -> ModuleType:
    """Put a tree under its real name, so that ``import theano`` and the like find it.

    Parameters
    ----------
    name : {"theano", "aesara", "pytensor"}
        Which.

    Returns
    -------
    module
        The tree.

    Raises
    ------
    ValueError
        If there is no such tree.
    ImportError
        If a package of that name, the real one or another, is imported already.
    """
    tree = _tree(name)
    for key, module in list(sys.modules.items()):
        if (key == name or key.startswith(name + ".")) and tree.get(key) is not module:
            place = getattr(module, "__file__", None) or "an unknown place"
            raise ImportError(
                f"opweld.compat.install({name!r}): {key} is imported already, from {place}; call install before "
                f"anything imports {name}, or write: from opweld.compat import {name}"
            )
    sys.modules.update(tree)
    return tree[name]


def uninstall(name: str) -> None:
    """Take a tree away from its real name; what has been imported from it stays good.

    Parameters
    ----------
    name : {"theano", "aesara", "pytensor"}
        Which.
    """
    for key, module in _tree(name).items():
        if sys.modules.get(key) is module:
            del sys.modules[key]


_grow()
sys.meta_path.append(_Unknown)  # type: ignore[arg-type]  # a class will do
