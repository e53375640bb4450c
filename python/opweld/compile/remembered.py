"""What is remembered of functions: how it is named, found, and taken for the Program that it is.

`opweld.compile.memo` names functions by their graphs, and short forms name theirs by what they were made of.
docs/cache.md says what lies in a cache.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from time import time_ns
from typing import Any

import numpy as np

from opweld.compile import builder, cache
from opweld.compile.data import Program
from opweld.compile.holds import unchanged
from opweld.config import Options
from opweld.dtypes import dtype_of
from opweld.errors import CacheError
from opweld.lean import digest, loads
from opweld.settings import OPTIONS, PROGRAM

__all__ = ["BEGAN", "KIND", "OWN", "Recalled", "holds", "is_own", "look", "may", "named"]

KIND = "memo"
OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # where the library lies
BEGAN = time_ns()

#: Something was looked for and not found: from then on nothing is looked for, and all that is made is remembered.
missed = False


class Recalled(Program):
    """A Program that is remembered. What of it is about nodes and users' files is found when somebody asks for it.

    Parameters
    ----------
    entry : dict
        What is remembered.
    again : callable
        Gives the Program as rewriters and hooks make it.

    Raises
    ------
    CacheError
        By `steps` and `sources`, if that is another one.
    """

    def __init__(self, entry: dict[str, Any], again: Callable[[], Program]) -> None:
        self.text = entry["program"]
        self.bytes = self.text.encode()
        self.data = loads(self.text)
        self.performs = []
        self.constants = [_Value(*written) for written in entry["constants"]]  # type: ignore[misc]
        self._again = again
        self._found: Program | None = None

    @property
    def steps(self) -> Any:  # type: ignore[override]
        """The node behind each step."""
        return self._whole().steps

    @property
    def sources(self) -> Any:  # type: ignore[override]
        """Where the fragments were written."""
        return self._whole().sources

    def _whole(self) -> Program:
        if self._found is None:
            found = self._again()
            # Names may be others by now.
            if found.data["kernels"] != self.data["kernels"] or found.data["steps"] != self.data["steps"]:
                raise CacheError(
                    f"{self.data['name']}() is not what is remembered of it: its graph was changed since it was made, "
                    f"or an op of opweld's; if it was not, run: opweld cache clear"
                )
            self._found = found
        return self._found


class _Value:
    """A constant: an array, and nothing of the graph."""

    __slots__ = ("data",)

    def __init__(self, dtype: str, shape: list[int], data: str) -> None:
        self.data = np.frombuffer(bytes.fromhex(data), dtype_of(dtype).np).reshape(shape)
        self.data.flags.writeable = False


def may(options: Options) -> bool:
    """Say whether a function of such options may be remembered: not one of which each node runs by itself."""
    return not (options.isolate or options.sanitize)


def named(text: str, options: Options) -> str:
    """Name what is remembered of a function.

    Parameters
    ----------
    text : str
        All that its Program depends on, besides its options, the engine, this library's files, Python and NumPy.
    options : Options
        Its options.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    own = [f"{option}={getattr(options, option)!r}" for option, where in OPTIONS.items() if where == PROGRAM]
    parts = [builder.ENGINE_ID, OWN, sys.version, np.__version__, *own, text]
    return digest("\n".join(parts).encode("utf-8", "surrogatepass"))


def look(name: str, options: Options) -> dict[str, Any] | None:
    """Find what is remembered.

    Parameters
    ----------
    name : str
        What `named` gave.
    options : Options
        Those of the function.

    Returns
    -------
    dict or None
        ``program`` is the text of Program, ``constants`` the values that the module is bound to.
    """
    folders = builder.Folders(options)
    for root in folders.roots:
        entry = cache.recall(KIND, name, root, folders.owners)
        if not isinstance(entry, cache.Miss) and holds(entry):
            return entry
    global missed
    missed = True
    return None


def holds(entry: dict[str, Any]) -> bool:
    """Say whether an entry is whole, and the library's files are those that it was made by."""
    try:
        seen = entry["files"]
        whole = type(entry["program"]) is str and type(entry["constants"]) is list and len(seen) > 0
        return whole and unchanged(seen, 0) == len(seen)
    except (KeyError, TypeError, ValueError):
        return False


def is_own(module: object) -> bool:
    """Say whether a module, by its name, is the library's."""
    return isinstance(module, str) and (module == "opweld" or module.startswith("opweld."))
