"""A module that the cache does not have: built by the engine, in the first folder where that can be done."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opweld import engine
from opweld.compile import buildrequest, private, store
from opweld.compile.data import Program
from opweld.errors import CacheError, CompileError, ToolError
from opweld.rooms import late

if TYPE_CHECKING:
    from opweld.compile.builder import Folders, Setup

__all__ = ["Progress", "buildrequest", "make", "telling"]

telling: Any = late("opweld.compile.telling")  # most builds leave nothing to say


def make(setup: Setup, folders: Folders, here: bool) -> tuple[dict[str, Any], str]:
    """Have a module built.

    Parameters
    ----------
    setup : Setup
        Its Program, and what it is compiled with.
    folders : Folders
        Where it is kept.
    here : bool
        What `opweld.library.begin` has just said.

    Returns
    -------
    dict, str
        The result, as docs/engine.md has it, and the folder of the cache that was asked last.

    Raises
    ------
    CompilerNotFoundError, CompileError, ToolError, CacheError, EngineError
        If it cannot be.
    """
    program, wanted = setup.program, setup.request(folders.owners)
    progress = Progress(program.data["name"], setup.options.progress)

    def step(state: dict[str, Any]) -> None:
        private.sweep(folders.roots)  # while the compiler runs
        progress(state)

    def build(**at: Any) -> dict[str, Any]:
        return engine.build({**wanted, **at}, step, here)

    try:
        try:
            return _first_that_works(program, folders, build)
        except CompileError:
            if not wanted["lines"]:
                raise
            wanted["lines"] = {}  # what is said of fragments by their names is led back to their authors with more care
            return _first_that_works(program, folders, build)
    except CompileError as err:
        raise telling.refused(err, program) from None
    except ToolError as err:
        raise telling.undone(err, program) from None
    finally:
        progress.end()
        private.sweep(folders.roots)


def _first_that_works(
    program: Program, folders: Folders, build: Callable[..., dict[str, Any]]
) -> tuple[dict[str, Any], str]:
    """Build in the first folder where that can be done: one of the cache's, else one of this process's own.

    Gives the result, and the folder of the cache that was asked last.
    """
    failed: list[tuple[str, str]] = []
    root = ""
    for root in folders.roots:
        why = store.unwritable(root)
        if not why:
            try:
                return build(root=root), root
            except CacheError as err:
                if err.details.get("kind") == "private":
                    break
                why = _reason(err)
        failed.append((root, why))
        root = ""
    for folder in private.folders(failed, [place for place in folders.roots if place not in dict(failed)]):
        try:
            return build(root=root, private=folder), root
        except CacheError as err:
            failed.append((os.path.dirname(folder), _reason(err)))
    lines = "".join(f"\n  {folder}: {why}" for folder, why in failed)
    raise CacheError(
        f"{program.data['name']} can be built nowhere:{lines}\nmake one of these folders fit, or set config.compiledir "
        f"or TMPDIR to one that can be written",
        {"kind": "cache", "folder": failed[0][0], "reason": failed[0][1], "folders": failed},
    )


def _reason(err: CacheError) -> str:
    return str(err).removeprefix(f"{err.details.get('folder')}: ")


class Progress:
    """What is shown of a build that takes longer than a second: a line on a terminal, a bar in a notebook. It vanishes.

    Parameters
    ----------
    name : str
        The function's name.
    wanted : {"auto", "on", "off"}
        Whether it is shown; by itself where somebody looks.
    """

    def __init__(self, name: str, wanted: str) -> None:
        stream = sys.stderr
        self.shown = False
        self.name = name
        self.stream = stream
        self.publish = _publisher() if wanted != "off" else None
        on_terminal = stream is not None and stream.isatty()
        self.active = wanted == "on" or (wanted == "auto" and (on_terminal or self.publish is not None))

    def __call__(self, state: dict[str, Any]) -> None:
        """Show how far the build is."""
        seconds = state.get("seconds", 0.0)
        if self.active and seconds >= 1.0:
            self._show(f"opweld: {self.name}: {state.get('stage', '')} {seconds:.1f} s")

    def end(self) -> None:
        """Have it vanish."""
        if self.shown:
            self._show("")

    def _show(self, text: str) -> None:
        if self.publish is not None:
            from html import escape

            bar = f"<progress></progress> <code>{escape(text)}</code>" if text else ""
            place = {"display_id": f"opweld-{id(self)}"}
            self.publish({"text/plain": text, "text/html": bar}, transient=place, update=self.shown)
        else:
            self.stream.write(f"\r\x1b[K{text}")
            self.stream.flush()
        self.shown = True


def _publisher() -> Callable[..., Any] | None:
    """What IPython shows things by, where a kernel runs this process's cells; None: nobody has a notebook open."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    found: Callable[..., Any] = shell.display_pub.publish
    return found
