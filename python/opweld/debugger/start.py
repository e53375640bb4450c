"""How gdb is started."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

from opweld.errors import ToolError

__all__ = ["SCRIPT", "command"]

#: What gdb loads.
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "show.py")


def command(
    script: str, arguments: Sequence[str] = (), further: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """Write the command that runs a script under gdb, and its environment.

    Parameters
    ----------
    script : str
        The script's path.
    arguments : sequence of str
        Its arguments.
    further : sequence of str
        What gdb is told besides: ``"-batch"``, ``"-ex"``, ``"break model.py:42"``.

    Returns
    -------
    list of str, dict of str to str

    Raises
    ------
    ToolError
        If there is no gdb.
    """
    gdb = shutil.which("gdb")
    if gdb is None:
        raise ToolError("there is no gdb on PATH: install it (gdb on Debian, Ubuntu and Fedora)")
    flags = [*filter(None, [os.environ.get("OPWELD_FLAGS", "")]), "cmodule__remove_gxx_opt=True"]
    quiet = ["-q", "-ex", "set breakpoint pending on", "-ex", "set print thread-events off"]
    told = [gdb, *quiet, "-x", SCRIPT, *further, "--args", sys.executable, script, *arguments]
    return told, {**os.environ, "OPWELD_FLAGS": ",".join(flags)}
