"""The modules that programs begin with, from one file: to find and open a file for each takes as long as what they do.

The wheel holds them compiled, ``zz_together.bin``, which tools/together.py writes. It is used where Python would find
the modules by itself and nothing else has a say in it; a module is passed over whose source is not the one that was
compiled. What comes from there is what Python would have made of the module's own file, which its loader, tracebacks
and `inspect` name.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import BuiltinImporter, FrozenImporter, ModuleSpec, PathFinder, SourceFileLoader
from marshal import loads
from types import CodeType, ModuleType
from zipimport import zipimporter

__all__ = ["FILE", "Together", "together"]

FILE = "zz_together.bin"  # installers write it last: no source of the same wheel is later
_SLACK = 0.2  # seconds: those that write several files at once
_HARMLESS = {"_distutils_hack"}  # in front of Python's own finders in many environments, and looks for no library

try:  # what importlib itself does once it has found a module; of CPython's own, and old
    from _frozen_importlib import _load_unlocked, _ModuleLockManager  # type: ignore[attr-defined]
    from _frozen_importlib_external import MAGIC_NUMBER
    from _imp import _fix_co_filename  # type: ignore[attr-defined]

    _MAGIC: bytes = MAGIC_NUMBER
except ImportError:
    _MAGIC = b""


class _Loader(SourceFileLoader):
    """Python's own, which has the code at hand."""

    code: CodeType

    def get_code(self, fullname: str) -> CodeType:
        return self.code


class Together:
    """The modules of one file.

    Parameters
    ----------
    folder : str
        The package's.

    Attributes
    ----------
    modules : dict of str to tuple
        Of each module its source's folder and name, below the folder that holds the package; its source's size; where
        its code lies behind this table and how long it is; and the names of those that it imports, NumPy among them.
        Empty: there is no such file, or it is another CPython's.
    """

    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, FILE)
        self.modules: dict[str, tuple[str, str, int, int, int, tuple[str, ...]]] = {}
        self._above = os.path.dirname(folder)
        self._tag = f".{sys.implementation.cache_tag}.pyc"
        self._newest = 0.0
        self._begin = 0
        if _MAGIC and not sys.flags.optimize and not sys.pycache_prefix:
            self._open()

    def _open(self) -> None:
        try:
            with open(self.path, "rb", 0) as file:
                head = file.read(len(_MAGIC) + 8)
                if head[: len(_MAGIC)] == _MAGIC:
                    length = int.from_bytes(head[len(_MAGIC) :], "little")
                    self.modules = loads(file.read(length))
                    self._begin = len(head) + length
                    self._newest = os.fstat(file.fileno()).st_mtime + _SLACK
        except (OSError, ValueError, EOFError, TypeError):  # none, or cut off
            self.modules = {}

    def load(self, name: str) -> ModuleType:
        """Import a module, and before it what it imports: as `importlib.import_module`.

        Parameters
        ----------
        name : str
            Its full name.

        Returns
        -------
        module
        """
        if name in self.modules and name not in sys.modules and _nobody_asks():
            if "numpy" in self.modules[name][-1]:
                import_module("numpy")  # whole before any module in C asks for a part of it: threads would meet there
            try:
                file = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError:
                return import_module(name)
            try:
                self._bring(name, file)
            finally:
                os.close(file)
        return import_module(name)

    def _bring(self, name: str, file: int) -> None:
        """Load a module and what it imports, each in its turn; what does not hold is left to who imports it."""
        below, stem, size, place, length, imports = self.modules[name]
        for other in imports:
            if other not in sys.modules and other in self.modules:
                self._bring(other, file)
        folder = f"{self._above}/{below}"
        path = f"{folder}/{stem}.py"
        above, _, last = name.rpartition(".")
        if above not in sys.modules:  # it was passed over
            import_module(above)
        try:
            found = os.stat(path)
            if found.st_size != size or found.st_mtime > self._newest:
                return
            code = loads(os.pread(file, length, self._begin + place))
        except (OSError, ValueError, EOFError, TypeError):
            return
        _fix_co_filename(code, path)
        loader = _Loader(name, path)
        loader.code = code
        spec = ModuleSpec(name, loader, origin=path, is_package=stem == "__init__")
        spec.has_location = True
        spec.cached = f"{folder}/__pycache__/{stem}{self._tag}"
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(folder)
        with _ModuleLockManager(name):
            if name in sys.modules:  # of another thread
                return
            sys.audit("import", name, None, sys.path, sys.meta_path, sys.path_hooks)
            module = _load_unlocked(spec)
        setattr(sys.modules[above], last, module)


def _nobody_asks() -> bool:
    """Whether nobody wants to be asked before Python's own finder is: a debugger's, a checker's, a test's."""
    if [hook.__module__ for hook in sys.path_hooks if hook is not zipimporter] != ["_frozen_importlib_external"]:
        return False
    for finder in sys.meta_path:
        if finder is PathFinder:
            return True
        if finder is not BuiltinImporter and finder is not FrozenImporter:
            if type(finder).__module__ not in _HARMLESS:
                return False
    return False


together = Together(os.path.dirname(os.path.abspath(__file__)))
