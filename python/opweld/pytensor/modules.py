"""PyTensor's ``lazylinker_ext`` and ``cutils_ext``, built into opweld's cache, with no lock of PyTensor's."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytensor
from pytensor.configdefaults import config
from pytensor.graph.basic import Apply
from pytensor.link.c.type import generic

from opweld.errors import OpweldError
from opweld.pytensor.plain import OpInC
from opweld.pytensor.runs import Run
from opweld.pytensor.settings import options
from opweld.pytensor.thunks import link_run
from opweld.pytensor.wrapping import Wrapping
from opweld.sections import Beside

__all__ = ["Modules"]

_C = Beside(__file__)
_THEIRS = Path(next(iter(pytensor.__path__))) / "link/c/c_code"


class Module(OpInC):
    """Makes a module: its text has the function that Python calls for that.

    Parameters
    ----------
    name : str
        The module's.
    """

    __props__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def make_node(self) -> Apply:
        """Take nothing."""
        return Apply(self, [], [generic()])

    def perform(self, node: Apply, inputs: list[Any], outputs: list[list[Any]]) -> None:
        """There is C."""
        raise NotImplementedError

    def c_header_dirs(self, **kwargs: Any) -> list[str]:
        """Name the folder of PyTensor's own headers."""
        return [str(_THEIRS)]

    def c_support_code(self, **kwargs: Any) -> str:
        """Give the module's text."""
        return _TEXTS[self.name]()

    def c_code(self, node: Apply, name: str, inputs: list[str], outputs: list[str], sub: dict[str, Any]) -> str:
        """Have it made."""
        (made,) = outputs
        return f"Py_XDECREF({made});\n{made} = PyInit_{self.name}();\nif ({made} == NULL) {{ {sub['fail']} }}"


def _made(name: str) -> ModuleType:
    """Build one of the modules, or find it in the cache."""
    node = Module(name).make_node()
    wrapped = Wrapping().node(node)
    cell: list[Any] = [None]
    link_run(Run([wrapped], [], wrapped.outputs), [], [cell], options()).run()
    assert isinstance(cell[0], ModuleType)
    return cell[0]


def _lazylinker() -> str:
    return (_THEIRS / "lazylinker_c.c").read_text("utf-8")


_TEXTS = {"lazylinker_ext": _lazylinker, "cutils_ext": _C.section}


class Modules(MetaPathFinder, Loader):
    """Has `import` find the modules, each in a package of its name, as PyTensor asks for it.

    What cannot be built is left to PyTensor, which says why.
    """

    def __init__(self) -> None:
        self._made: dict[str, ModuleType] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Build a module when its package is asked for."""
        package, _, inner = fullname.partition(".")
        if package not in _TEXTS or inner not in ("", package) or not config.cxx:
            return None
        if package not in self._made:
            try:
                self._made[package] = _made(package)
            except (OpweldError, OSError):
                return None
        return spec_from_loader(fullname, self, is_package=not inner)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Give the module that was built."""
        package, _, inner = spec.name.partition(".")
        return self._made[package] if inner else None

    def exec_module(self, module: ModuleType) -> None:
        """Say of a package which version it holds."""
        made = self._made[module.__name__.partition(".")[0]]
        if module is not made and hasattr(made, "get_version"):
            module._version = made.get_version()  # type: ignore[attr-defined]
