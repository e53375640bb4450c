"""The modules of a package as its attributes, each imported when it is first asked for."""

from __future__ import annotations

from types import ModuleType

__all__ = ["submodule"]


def submodule(package: str, name: str, known: str = "") -> ModuleType:
    """Import a module of a package, as the last resort of the package's ``__getattr__``.

    Parameters
    ----------
    package, name : str
        The package's full name, and the attribute that it does not have.
    known : str
        What a message says besides.

    Returns
    -------
    module

    Raises
    ------
    AttributeError
        If there is no module of that name.
    """
    from importlib import import_module

    path = f"{package}.{name}"
    if name.isidentifier() and not name.startswith("_"):
        try:
            return import_module(path)
        except ModuleNotFoundError as err:
            if err.name != path:
                raise
    raise AttributeError(f"module {package!r} has no attribute {name!r}{known}", name=name)
