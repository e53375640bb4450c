"""From Program to a loaded module: with which compiler and flags; this process's own, the cache's, or a new one."""

from __future__ import annotations

import os
import sys
from linecache import getlines
from types import ModuleType
from typing import Any

from opweld.compile import cache, toolchain, trust
from opweld.compile.data import Program
from opweld.compile.holds import NotHeld, Reads
from opweld.config import Options
from opweld.errors import CompilerNotFoundError, ConfigError, EngineError
from opweld.lean import digest
from opweld.rooms import late

__all__ = ["ENGINE_ID", "Built", "Folders", "Setup", "build", "load"]

library: Any = late("opweld.library")  # where the cache has nothing

try:
    from opweld._engine_id import ENGINE_ID
except ImportError:  # a source tree
    ENGINE_ID = ""


class Setup:
    """What a Program is compiled with.

    Parameters
    ----------
    program : Program
        The Program.
    options : Options
        Those of its function.

    Attributes
    ----------
    driver : Driver
        The compiler: the ops' own, or the configured one of the language.
    lang : str
        ``"c"`` or ``"c++"``.
    """

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.options = options
        parts = program.data["types"] + program.data["kernels"]
        self.lang = "c++" if any(part["lang"] == "c++" for part in parts) else "c"  # one fragment of C++ makes it C++
        wish = next((part["build"]["compiler"] for part in parts if part.get("build", {}).get("compiler")), "")
        self._wished = bool(wish)
        self._index: dict[bool, str] = {}
        self.driver = toolchain.wished(wish) if wish else self._configured(self.lang)

    @property
    def can_build(self) -> bool:
        """Whether there is a compiler."""
        return bool(self.driver.path)

    def check(self) -> None:
        """Refuse to build where the language has no compiler, and say why it has none.

        Raises
        ------
        CompilerNotFoundError
            If so; a compiler that ops wish for is the engine's to look for.
        """
        if not self._wished and not self.driver.path:
            raise CompilerNotFoundError(
                f"{self.program.data['name']} must be built, and there is no {self.lang.upper()} compiler: "
                f"{self.driver.why}"
            )

    def index(self, spare: bool = False) -> str:
        """Give the name of the Program's index.

        Parameters
        ----------
        spare : bool
            The one that is looked up where there is no compiler.

        Returns
        -------
        str

        Raises
        ------
        EngineError
            If there is no engine.
        """
        if not ENGINE_ID:
            raise EngineError("the engine is not built: install opweld's wheel, or in a source tree run: make engine")
        if spare in self._index:
            return self._index[spare]
        options = self.options
        self._index[spare] = toolchain.index_name(
            engine=ENGINE_ID, driver=self.driver, flags=self._adjusted(self._flags(self.lang)),
            program=self.program.bytes, march=toolchain.march(options.march), spare=spare, fuse=options.fuse,
            profile=options.profile, account=options.account, faults=options.faults, fastmath=options.fastmath,
            written=self._digest_of_sources() if options.cmodule__remove_gxx_opt else "",
        )  # fmt: skip
        return self._index[spare]

    def request(self, owners: tuple[int, ...]) -> dict[str, Any]:
        """Make the request for a build, without the folders.

        Parameters
        ----------
        owners : tuple of int
            Whose modules may be loaded besides the user's.

        Returns
        -------
        dict
            As in docs/engine.md.
        """
        drivers = {lang: self._configured(lang) for lang in ("c", "c++")}
        flags = {lang: self._adjusted(drivers[lang].flags + self._flags(lang)) for lang in drivers}
        program, options = self.program, self.options
        made: dict[str, Any] = making.buildrequest.request(
            program=program.text, sources=program.sources, index=self.index(), spare=self.index(spare=True),
            root="", private="", owners=owners, cc=drivers["c"].path, cxx=drivers["c++"].path, cflags=flags["c"],
            cxxflags=flags["c++"], march=toolchain.march(options.march), lock_seconds=options.lock_seconds,
            seconds=options.compile_seconds, memory=options.compile_memory, fuse=options.fuse,
            profile=options.profile, account=options.account, faults=options.faults, fastmath=options.fastmath,
            lines=making.telling.lines_of(program.data, program.sources) if options.cmodule__remove_gxx_opt else None,
        )  # fmt: skip
        return made

    def _configured(self, lang: str) -> toolchain.Driver:
        return toolchain.driver(lang, self.options.cc if lang == "c" else self.options.cxx)

    def _flags(self, lang: str) -> list[str]:
        options = self.options
        return toolchain.flags(options.cflags if lang == "c" else options.cxxflags, options.gcc__cxxflags)

    def _digest_of_sources(self) -> str:
        """What says whether lines are still those of users' files: where fragments are, and what is in these files."""
        found = sorted([(key, place["file"], place["line"]) for key, place in self.program.sources.items()])
        texts = {file: "".join(getlines(file)) for file in dict.fromkeys([file for _, file, _ in found])}
        return digest(repr((found, texts)).encode("utf-8", "surrogatepass"))

    def _adjusted(self, flags: list[str]) -> list[str]:
        """Flags for a debugger, for sanitizers, and for the lines of a crash, where they are asked for."""
        if self.options.sanitize:
            return toolchain.sanitizing(flags, self.options.sanitize)
        if not self.options.cmodule__remove_gxx_opt:
            return [*flags, "-g1"] if self.options.isolate else flags
        return [flag for flag in flags if not flag.startswith("-O")] + ["-g"]


class Folders:
    """The folders of the cache, as far as code may be loaded from them.

    Parameters
    ----------
    options : Options
        Say where they are.

    Attributes
    ----------
    owners : tuple of int
        Whose modules may be loaded besides the user's.
    roots : list of str
        The folders.
    """

    def __init__(self, options: Options) -> None:
        self.owners = trust.owners(options.compiledir_owners) if options.compiledir else ()
        self.roots = cache.trusted(cache.roots(options.compiledir), self.owners)

    def leave(self, root: str, why: str) -> None:
        """Use a folder no more, for something in it is somebody else's.

        Parameters
        ----------
        root : str
            The folder.
        why : str
            What is wrong.
        """
        self.roots.remove(root)
        trust.warn(root, why)


class Built:
    """A module that is loaded.

    Attributes
    ----------
    module : module
        With ``make``; None: it is for other processes to load.
    path, source, text : str
        The shared library, the C it came from, and the sha256 of that C.
    hit : bool
        The cache had it.
    kept : bool
        Another process will find it.
    key : str
        The build's key.
    seconds : dict
        What the build took: ``render``, ``compile``, beside it ``lint``, ``total``; empty for a hit.
    lint : dict or None
        What the lint found in the Program's texts, and its ``version``; None: they could not be looked at.
    reads : Reads or None
        What it was built from, once that has been asked.
    remembered : int
        Of how many functions it has been seen to whether they are to be remembered (`opweld.compile.keeping`).
    """

    __slots__ = ("hit", "kept", "key", "lint", "module", "path", "reads", "remembered", "seconds", "source", "text")

    def __init__(
        self,
        module: ModuleType | None,
        path: str,
        source: str,
        text: str,
        hit: bool,
        kept: bool,
        key: str,
        seconds: dict[str, float],
        lint: dict[str, Any] | None,
    ) -> None:
        self.module = module
        self.path = path
        self.source = source
        self.text = text
        self.hit = hit
        self.kept = kept
        self.key = key
        self.seconds = seconds
        self.lint = lint
        self.reads: Reads | None = None
        self.remembered = 0


making: Any = late("opweld.compile.making")  # where the cache has nothing, and for what else is seldom


def _remember(*what: Any) -> None:
    """Keep what a file holds that has other times than an entry says: seldom."""
    making.store.remember(*what)


_loaded: dict[tuple[str, bool], Built] = {}  # index, apart -> what this process has loaded, or built for others


def build(program: Program, options: Options | None = None, apart: bool = False) -> Built:
    """Give the module of a Program, loaded.

    Parameters
    ----------
    program : Program
        What to build.
    options : Options, optional
        Those of its function; the configuration's if left out.
    apart : bool
        It is for another process to load.

    Returns
    -------
    Built

    Raises
    ------
    ConfigError
        If sanitizers are asked for, and it is not `apart`: this process has not been started with them.
    CompilerNotFoundError, CompileError, ToolError, CacheError, EngineError
        If it must be built and cannot be.
    LoadError
        If it was built and cannot be imported.
    """
    options = Options() if options is None else options
    if options.sanitize and not apart:
        raise ConfigError(
            f"{program.data['name']} runs in this process, and sanitize={options.sanitize!r} is for functions whose C "
            f"runs apart: those of opweld.function"
        )
    setup = Setup(program, options)
    index = setup.index()
    found = _loaded.get((index, apart))
    if found is None or not _holds(found, index, setup):
        folders = Folders(options)
        found = _from_cache(index, setup, folders, apart) or _from_engine(setup, folders, apart)
        _loaded[index, apart] = found
    fault = sys.modules.get("faulthandler")
    if fault is not None and not apart and fault.is_enabled():
        making.telling.watch(found.path, found.source, program.data, program.sources)
    if found.lint and options.lint != "off" and found.lint["findings"]:
        making.telling.say(found.lint, program, options.lint)
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
            found.reads = hit.reads(making.buildrequest.header_dirs())
            return True
    return False


def _from_cache(index: str, setup: Setup, folders: Folders, apart: bool) -> Built | None:
    program = setup.program
    for root in tuple(folders.roots):
        found = cache.lookup(index, root, folders.owners, compiler=setup.can_build, remember=_remember)
        if isinstance(found, cache.Miss):
            if found.foreign:
                folders.leave(root, found.reason)
            continue
        module, why = (None, None) if apart else load(found.module)
        if module is None and not apart:
            # Damaged in a way that its digest does not show, or made for another system: it is built anew.
            _discard(found.module)
            continue
        if why is not None:
            raise making.telling.unloadable(program, why, found.module, module) from why
        if found.warnings:
            making.telling.warn_of(cache.map_warnings(found.warnings, program.sources), program)
        return Built(module, found.module, found.source, found.text, True, True, found.key, {}, found.lint)
    return None


def _from_engine(setup: Setup, folders: Folders, apart: bool) -> Built:
    program = setup.program
    setup.check()
    here = library.begin()
    try:
        result, root = making.make(setup, folders, here)
    finally:
        library.settle()
    path = result["module"]
    module, why = (None, None) if apart else load(path)
    if why is not None:
        if module is None:
            _discard(path)
        raise making.telling.unloadable(program, why, path, module) from why
    if result["warnings"]:
        making.telling.warn_of(result["warnings"], program)
    if result["unkept"]:
        trust.warn(root, result["unkept"])
    return Built(module, path, *(result[name] for name in ("source", "text", "hit", "kept", "key", "seconds", "lint")))


def load(path: str) -> tuple[Any, Exception | None]:
    """Import a module from its path. Many have one name, so it is not put among the process's modules.

    Parameters
    ----------
    path : str
        The module.

    Returns
    -------
    module, Exception or None
        The module, and what its init code raised; no module, and why, where it cannot be linked.
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


def _discard(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
