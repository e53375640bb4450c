"""The compiler, its flags and the folders of the cache for one Program, as its function's options say."""

from __future__ import annotations

from typing import Any

from opweld.compile import cache, toolchain, trust
from opweld.compile.options import Options
from opweld.compile.program import Program
from opweld.errors import CompilerNotFoundError, EngineError
from opweld.rooms import late

buildrequest: Any = late("opweld.compile.buildrequest")  # where the cache has nothing

try:
    from opweld._engine_id import ENGINE_ID
except ImportError:  # a source tree
    ENGINE_ID = ""

__all__ = ["Folders", "Setup"]


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
    """

    def __init__(self, program: Program, options: Options) -> None:
        self.program = program
        self.options = options
        parts = program.data["types"] + program.data["kernels"]
        self._lang = "c++" if any(part["lang"] == "c++" for part in parts) else "c"  # one fragment of C++ makes it C++
        wish = next((part["build"]["compiler"] for part in parts if part.get("build", {}).get("compiler")), "")
        self._wished = bool(wish)
        self.driver = toolchain.wished(wish) if wish else self._configured(self._lang)

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
                f"{self.program.data['name']} must be built, and there is no {self._lang.upper()} compiler: "
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
        return toolchain.index_name(
            engine=ENGINE_ID,
            driver=self.driver,
            flags=self._adjusted(self._flags(self._lang)),
            program=self.program.bytes,
            spare=spare,
        )

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
        options = self.options
        made: dict[str, Any] = buildrequest.request(
            program=self.program.text, sources=self.program.sources, index=self.index(), spare=self.index(spare=True),
            root="", private="", owners=owners, cc=drivers["c"].path, cxx=drivers["c++"].path, cflags=flags["c"],
            cxxflags=flags["c++"], lock_seconds=options.lock_seconds, seconds=options.compile_seconds,
            memory=options.compile_memory,
        )  # fmt: skip
        return made

    def _configured(self, lang: str) -> toolchain.Driver:
        return toolchain.driver(lang, self.options.cc if lang == "c" else self.options.cxx)

    def _flags(self, lang: str) -> list[str]:
        options = self.options
        return toolchain.flags(options.cflags if lang == "c" else options.cxxflags, options.gcc__cxxflags)

    def _adjusted(self, flags: list[str]) -> list[str]:
        """Flags for a debugger where they are asked for."""
        if not self.options.cmodule__remove_gxx_opt:
            return flags
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
