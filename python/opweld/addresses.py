"""What a command is told to work on: ``module:name`` or ``file.py:name``."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, NamedTuple

from opweld.suggest import meant

__all__ = ["Address", "Unknown", "read"]


class Unknown(LookupError):
    """There is nothing at an address, or it is none."""


class Address(NamedTuple):
    """Where something is.

    Attributes
    ----------
    module : str
        The name of a module, or the path of a file that ends in ``.py``.
    name : str
        What in it: names with dots between; empty: the module itself.
    """

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}:{self.name}" if self.name else self.module

    @property
    def is_file(self) -> bool:
        """Whether it is a file, not the name of a module."""
        return self.module.endswith(".py")

    def load(self) -> Any:
        """Import the module, and find the object.

        Returns
        -------
        object

        Raises
        ------
        Unknown
            If there is no such file, module or name; it says what may have been meant.
        """
        return self.within(self._file() if self.is_file else self._module())

    def within(self, module: ModuleType) -> Any:
        """Find the object in its module, which is loaded.

        Parameters
        ----------
        module : module
            That of the address.

        Returns
        -------
        object

        Raises
        ------
        Unknown
            If there is no such name; it says what may have been meant.
        """
        found: Any = module
        path = self.module
        for name in filter(None, self.name.split(".")):
            try:
                found = getattr(found, name)
            except AttributeError:
                raise Unknown(f"{path} has no {name!r}{meant(name, dir(found))}") from None
            path = f"{path}:{name}" if path == self.module else f"{path}.{name}"
        return found

    def check(self) -> None:
        """Look whether a file is there.

        Raises
        ------
        Unknown
            If it is not.
        """
        if not os.path.isfile(self.module):
            raise Unknown(f"there is no file {self.module}")

    def _file(self) -> ModuleType:
        self.check()
        path = os.path.abspath(self.module)
        stem = os.path.splitext(os.path.basename(path))[0]
        name = stem if stem not in sys.modules else f"{stem} ({path})"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # for pickles and dataclasses
        sys.path.insert(0, os.path.dirname(path))  # what lies beside it can be imported, as by a script
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        return module

    def _module(self) -> ModuleType:
        sys.path.insert(0, os.getcwd())
        try:
            return importlib.import_module(self.module)
        except ModuleNotFoundError as err:
            if err.name is None or not f"{self.module}.".startswith(f"{err.name}."):
                raise  # of what it imports
        hint = f"; a file is {self.module}.py" if os.path.isfile(f"{self.module}.py") else ""
        raise Unknown(f"there is no module {self.module!r}{hint}")


def read(text: str) -> Address:
    """Read an address.

    Parameters
    ----------
    text : str
        ``module``, ``module:name``, ``file.py`` or ``file.py:name``.

    Returns
    -------
    Address

    Raises
    ------
    Unknown
        If it is none.
    """
    module, colon, name = text.rpartition(":") if ".py:" in text or text.count(":") == 1 else (text, "", "")
    if not module or (colon and not all(part.isidentifier() for part in name.split("."))):
        raise Unknown(f"{text!r} is no address: write module:name or file.py:name")
    if not module.endswith(".py") and not all(part.isidentifier() for part in module.split(".")):
        raise Unknown(f"{module!r} is neither a module nor a file that ends in .py: write module:name or file.py:name")
    return Address(module, name)
