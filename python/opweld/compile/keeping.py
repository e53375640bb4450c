"""What is remembered of a function, for `opweld.compile.memo`: written where it was not found."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from opweld.compile import cache, memo, remembered
from opweld.compile import program as programs
from opweld.compile.asked import Asked
from opweld.compile.binding import Code
from opweld.compile.builder import Folders, making
from opweld.compile.data import Program
from opweld.compile.holds import COARSE_TICK
from opweld.config import Options
from opweld.dtypes import dtype_of
from opweld.graph.basic import Variable
from opweld.graph.shared import SharedVariable
from opweld.rewriting.standard import registry

__all__ = ["keep"]

_GRAPHS = 8  # that have one module, as x - y and y - x: whoever makes functions in a loop waits for no more of them


def keep(
    name: str,
    recipe: Asked,
    options: Options,
    shared: Sequence[SharedVariable],
    outputs: Sequence[Variable],
    code: Code,
) -> None:
    """Remember a function, if all that a call of it needs can be written down.

    Parameters
    ----------
    name : str
        What `opweld.compile.memo.recall` gave; empty: it was not looked for.
    recipe, options, shared
        As for `recall`.
    outputs : list of Variable
        Those of the graph that runs.
    code : Code
        Its Program, and its module. Where the cache had that, and what was made before it is of others, nothing is
        written: so it would be in the next process.
    """
    program, built = code.program, code.built
    built.remembered += 1
    if built.remembered > _GRAPHS:
        return
    if not built.kept or (built.hit and not remembered.missed) or not memo.worth(recipe) or program.performs:
        return
    if registry.rewrites != registry.first or programs.written is not None:
        return
    if any([_told_apart(*pair) for pair in zip(recipe.wanted, outputs)]):
        return
    constants = [_written(constant.data) for constant in program.constants]
    name = name or memo.described(recipe, options, shared)
    if not name or None in constants:
        return
    seen = _files(program)
    if not seen:
        return
    folders = Folders(options)
    store = making.store  # loaded where something was built, and it is here where something is written
    root = store.writable(folders.roots)
    if not root:
        return
    entry = cache.recall(remembered.KIND, name, root, folders.owners)
    if isinstance(entry, cache.Miss) or not remembered.holds(entry):
        entry = {"program": program.text, "constants": constants, "files": seen}
        store.remember(remembered.KIND, name, entry, root, folders.owners)


def _told_apart(wanted: Variable, output: Variable) -> bool:
    """Whether a message would speak otherwise of what a rewriter put for an output."""
    same = type(wanted.type) is type(output.type) and wanted.type == output.type and wanted.name == output.name
    return not same


def _written(value: object) -> list[Any] | None:
    """An array as text; None: it is something else, or lies otherwise."""
    if type(value) is not np.ndarray or not value.flags.c_contiguous or not value.dtype.isnative:
        return None
    try:
        if dtype_of(value.dtype.name).np != value.dtype:
            return None
    except TypeError:
        return None
    return [value.dtype.name, list(value.shape), value.tobytes().hex()]


def _files(program: Program) -> list[list[Any]]:
    """The library's own files, as far as they are loaded or their C is in Program; none where one cannot be seen.

    A module without a file is made by one that has one. Of a file that was changed when the library was loaded already,
    or a moment before, nobody knows whether it is what was loaded: it counts as not seen.
    """
    modules = [module for name, module in tuple(sys.modules.items()) if remembered.is_own(name)]
    paths = [getattr(module, "__file__", None) for module in modules]
    paths += [place["file"] for place in program.sources.values() if str(place["file"]).startswith(remembered.OWN)]
    found = []
    for path in dict.fromkeys(filter(None, paths)):
        try:
            now = os.stat(path)
        except OSError:
            return []
        if max(now.st_ctime_ns, now.st_mtime_ns) > remembered.BEGAN - COARSE_TICK:
            return []
        found.append([path, now.st_size, now.st_mtime_ns, now.st_ctime_ns, now.st_ino, ""])
    return found
