"""The modes by which PyTensor's functions run here."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from pytensor.compile import mode as modes
from pytensor.link.c.op import COp

from opweld.pytensor.calls import Function
from opweld.pytensor.linkers import RunsLinker, WholeLinker, make_c_thunk
from opweld.pytensor.modules import Modules

__all__ = ["OPWELD", "OPWELD_C", "install", "installed", "uninstall"]

for _name, _linker in (("opweld", RunsLinker()), ("opweld_c", WholeLinker())):
    modes.predefined_linkers.setdefault(_name, _linker)


class Mode(modes.Mode):
    """A mode whose functions are called as `opweld.pytensor.calls.Function` is.

    Parameters
    ----------
    linker, optimizer, db
        As PyTensor's `Mode` takes them.
    """

    @property
    def function_maker(self) -> Any:
        """What makes functions."""
        return partial(super().function_maker, function_class=Function)


#: Runs of nodes in C, in a virtual machine; and a whole graph as one module.
OPWELD = Mode("opweld", "fast_run")
OPWELD_C = Mode("opweld_c", "fast_run")
modes.predefined_modes.setdefault("OPWELD", OPWELD)
modes.predefined_modes.setdefault("OPWELD_C", OPWELD_C)

_LINKERS = {"cvm": "opweld", "vm": "opweld", "c|py": "opweld", "c": "opweld_c"}
_MODES = {"CVM": "CVM", "C": "C"}
_before: dict[str, Any] = {}
_modules = Modules()


def install() -> None:
    """Let PyTensor's own modes and linkers of C, ``"CVM"``, ``"C"``, ``"c|py"``, mean those of opweld.

    What makes a thunk of a single node in C, `DebugMode` for one, has it from opweld too, and so has who asks for
    PyTensor's machine in C, ``lazylinker_ext``, or for ``cutils_ext``. Functions that were made before stay as they
    are. Again it does nothing.
    """
    if _before:
        return
    for theirs, ours in _LINKERS.items():
        _before[theirs] = modes.predefined_linkers[theirs]
        modes.predefined_linkers[theirs] = modes.predefined_linkers[ours]
    for name, mode in (("CVM", OPWELD), ("C", OPWELD_C)):
        _before[name] = modes.predefined_modes[name]
        modes.predefined_modes[name] = mode
        setattr(modes, name, mode)
    _before["fast_run"] = modes.fast_run_linkers_to_mode["cvm"]
    modes.fast_run_linkers_to_mode["cvm"] = OPWELD
    _before["thunk"], COp.make_c_thunk = COp.make_c_thunk, make_c_thunk
    sys.meta_path.insert(0, _modules)
    modes._CACHED_RUNTIME_MODES.clear()


def installed() -> bool:
    """Say whether PyTensor's own modes are opweld's.

    Returns
    -------
    bool
    """
    return bool(_before)


def uninstall() -> None:
    """Give PyTensor's modes and linkers back what they meant before `install`."""
    if not _before:
        return
    for theirs in _LINKERS:
        modes.predefined_linkers[theirs] = _before[theirs]
    for name in _MODES:
        modes.predefined_modes[name] = _before[name]
        setattr(modes, name, _before[name])
    modes.fast_run_linkers_to_mode["cvm"] = _before["fast_run"]
    COp.make_c_thunk = _before["thunk"]
    sys.meta_path.remove(_modules)
    modes._CACHED_RUNTIME_MODES.clear()
    _before.clear()
