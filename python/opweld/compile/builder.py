"""From Program to a loaded module: this process's own, the cache's, or a new one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from opweld.compile import cache, trust
from opweld.compile.holds import NotHeld, Reads
from opweld.compile.options import Options
from opweld.compile.program import Program
from opweld.compile.setup import Folders, Setup
from opweld.errors import CacheError, CompileError, CompileWarning, LoadError, ToolError
from opweld.rooms import late

__all__ = ["Built", "build"]


class Built:
    """A module that is loaded.

    Attributes
    ----------
    module : module
        With ``make``.
    path, source, text : str
        The shared library, the C it came from, and the sha256 of that C.
    hit : bool
        The cache had it.
    kept : bool
        Another process will find it.
    key : str
        The build's key.
    seconds : dict
        What the build took: ``render``, ``compile``, ``total``; empty for a hit.
    reads : Reads or None
        What it was built from, once that has been asked.
    """

    __slots__ = ("hit", "kept", "key", "module", "path", "reads", "seconds", "source", "text")

    def __init__(
        self, module: Any, path: str, source: str, text: str, hit: bool, kept: bool, key: str, seconds: dict[str, float]
    ) -> None:
        self.module = module
        self.path = path
        self.source = source
        self.text = text
        self.hit = hit
        self.kept = kept
        self.key = key
        self.seconds = seconds
        self.reads: Reads | None = None


# What is needed only where the cache has nothing:
engine: Any = late("opweld.engine")
explain: Any = late("opweld.compile.explain")
private: Any = late("opweld.compile.private")
buildrequest: Any = late("opweld.compile.buildrequest")
store: Any = late("opweld.compile.store")

_loaded: dict[str, Built] = {}  # index -> what this process has loaded
_shown: dict[Any, Any] = {}  # the warnings that this process has seen


def build(program: Program, options: Options | None = None) -> Built:
    """Give the module of a Program, loaded.

    Parameters
    ----------
    program : Program
        What to build.
    options : Options, optional
        Those of its function; the configuration's if left out.

    Returns
    -------
    Built

    Raises
    ------
    CompilerNotFoundError, CompileError, ToolError, CacheError, EngineError
        If it must be built and cannot be.
    LoadError
        If it was built and cannot be imported.
    """
    options = Options() if options is None else options
    setup = Setup(program, options)
    index = setup.index()
    found = _loaded.get(index)
    if found is None or not _holds(found, index, setup):
        folders = Folders(options)
        found = _from_cache(index, setup, folders) or _from_engine(setup, folders)
        _loaded[index] = found
    return found


def _holds(found: Built, index: str, setup: Setup) -> bool:
    """Whether the headers and libraries that ops bring are those that a loaded module was built from.

    Of a module that is not kept nothing is known: it is built once a process. Of another the cache is asked once what
    it was built from, which is then looked at for each function.
    """
    program = setup.program
    parts = program.data["types"] + program.data["kernels"]
    if not found.kept or not ("include" in program.text or any(part.get("build") for part in parts)):
        return True
    if found.reads is not None:
        try:
            found.reads.check(tolerant=not setup.can_build)
        except NotHeld:
            return False
        return True
    folders = Folders(setup.options)
    for root in folders.roots:
        hit = cache.lookup(index, root, folders.owners, compiler=setup.can_build)
        if isinstance(hit, cache.Hit) and hit.module == found.path:
            found.reads = hit.reads(buildrequest.header_dirs())
            return True
    return False


def _from_cache(index: str, setup: Setup, folders: Folders) -> Built | None:
    program = setup.program
    for root in tuple(folders.roots):
        found = cache.lookup(index, root, folders.owners, compiler=setup.can_build)
        if isinstance(found, cache.Miss):
            if found.foreign:
                folders.leave(root, found.reason)
            continue
        module, why = _load(found.module)
        if module is None:  # damaged in a way that its digest does not show, or made for another system: build anew
            _discard(found.module)
            continue
        if why is not None:
            raise _unloadable(program, why, found.module, module) from why
        _warn(cache.map_warnings(found.warnings, program.sources))
        return Built(module, found.module, found.source, found.text, True, True, found.key, {})
    return None


def _from_engine(setup: Setup, folders: Folders) -> Built:
    setup.check()
    program, wanted = setup.program, setup.request(folders.owners)
    progress = _Progress(program.data["name"], setup.options.progress)

    def step(state: dict[str, Any]) -> None:
        private.sweep(folders.roots)  # while the compiler runs
        progress(state)

    try:
        result, root = _first_that_works(program, folders, lambda **at: engine.build({**wanted, **at}, step))
    except CompileError as err:
        raise explain.refused(err, program) from None
    except ToolError as err:
        raise explain.undone(err, program) from None
    finally:
        progress.end()
    private.sweep(folders.roots)
    path = result["module"]
    module, why = _load(path)
    if why is not None:
        if module is None:
            _discard(path)
        raise _unloadable(program, why, path, module) from why
    _warn(result["warnings"])
    if result["unkept"]:
        trust.warn(root, result["unkept"])
    facts = (result[field] for field in ("source", "text", "hit", "kept", "key", "seconds"))
    return Built(module, path, *facts)


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


def _load(path: str) -> tuple[Any, Exception | None]:
    """Import a module from its path. Many have one name, so it is not put among the process's modules.

    Gives the module, and what its init code raised; no module, and why, where it cannot be linked.
    """
    from importlib.machinery import ExtensionFileLoader, ModuleSpec

    loader = ExtensionFileLoader("opweld_module", path)
    spec = ModuleSpec("opweld_module", loader, origin=path)
    try:
        module = loader.create_module(spec)
    except ImportError as err:
        return None, err
    try:
        loader.exec_module(module)
    except MemoryError:
        raise
    except Exception as err:  # init code may raise what it likes
        return module, err
    return module, None


def _unloadable(program: Program, why: Exception, path: str, module: object) -> LoadError:
    found: LoadError = explain.unloadable(program, why, path, module)
    return found


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _warn(diagnostics: list[dict[str, Any]]) -> None:
    """Show what the compiler said of the user's fragments, at the user's own file and line.

    Each process that loads the module shows it once, whether it was built now or found in the cache: what another
    process has shown, nobody here has seen.
    """
    from warnings import warn_explicit

    for diagnostic in diagnostics:
        op, hook = diagnostic.get("op"), diagnostic.get("hook")
        if not op:
            continue
        option = f" [{diagnostic['option']}]" if diagnostic.get("option") else ""
        line = f"\n  {diagnostic['fragment_line']:4} | {diagnostic['text'].strip()}" if diagnostic.get("text") else ""
        warn_explicit(
            f"{op}{'.' + hook if hook else ''}: {diagnostic['message']}{option}{line}",
            CompileWarning,
            diagnostic.get("file") or "<fragment>",
            diagnostic.get("line") or 1,
            registry=_shown,
        )


class _Progress:
    """One line on a terminal for a build that takes longer than a second; it erases itself."""

    def __init__(self, name: str, wanted: str) -> None:
        stream = sys.stderr
        self.shown = False
        self.name = name
        self.stream = stream
        self.active = wanted == "on" or (wanted == "auto" and stream is not None and stream.isatty())

    def __call__(self, state: dict[str, Any]) -> None:
        seconds = state.get("seconds", 0.0)
        if self.active and seconds >= 1.0:
            self.shown = True
            self.stream.write(f"\r\x1b[Kopweld: {self.name}: {state.get('stage', '')} {seconds:.1f} s")
            self.stream.flush()

    def end(self) -> None:
        """Erase the line."""
        if self.shown:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
