"""PyTensor's configuration as a function's options."""

from __future__ import annotations

import os
from typing import Any

from pytensor.configdefaults import config

from opweld.config import Options
from opweld.config import config as ours

__all__ = ["options"]

#: What C that is written by the engine cannot do without.
_NEEDED = ("-fno-exceptions", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables")


def options() -> Options:
    """Read what PyTensor's configuration says of compilers, flags and folders.

    The cache lies where opweld's configuration says; where that says nothing, in PyTensor's ``compiledir``.

    Returns
    -------
    Options
    """
    given: dict[str, Any] = {}
    if not ours.compiledir:
        given["compiledir"] = os.path.join(str(config.compiledir), "opweld")
    flags = [flag for flag in config.gcc__cxxflags.split() if flag not in _NEEDED]
    if flags:
        given["gcc__cxxflags"] = " ".join(flags)
    if config.cmodule__remove_gxx_opt:
        given["cmodule__remove_gxx_opt"] = True
    if config.cxx:
        given["cxx"] = config.cxx
    return Options(given)
