"""Which compiler, with which flags and folders; and the name of the index that follows from it. No process is started.

All functions take plain values, so that they can be used without a configuration.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES

from opweld import dtypes
from opweld.compile.holds import processor, which
from opweld.errors import ConfigError
from opweld.lean import digest, dumps

__all__ = [
    "Driver",
    "SEARCH_VARIABLES",
    "driver",
    "flags",
    "LEVELS",
    "index_name",
    "march",
    "numpy_abi",
    "python_abi",
    "sanitizing",
    "search_variables",
    "wished",
]

#: Variables of the environment that change what compilers find and make, as far as they reach one.
SEARCH_VARIABLES = (
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
    "LD_LIBRARY_PATH", "SOURCE_DATE_EPOCH",
)  # fmt: skip

#: What processors have, each all of the one before. They are x86-64's; others have the first alone.
LEVELS = ("baseline", "x86-64-v2", "x86-64-v3", "x86-64-v4")

_NAMES = {"c": ("gcc", "clang", "cc"), "c++": ("g++", "clang++", "c++")}
_VARIABLES = {"c": "CC", "c++": "CXX"}
_WRAPPERS = frozenset(("ccache", "sccache", "distcc", "env"))


class Driver:
    """A compiler driver that was chosen.

    Attributes
    ----------
    path : str
        Absolute path; empty: none found.
    flags : list of str
        What followed it in the setting (``CC="gcc -m64"``).
    why : str
        Where the choice came from, for people.
    asked : str
        The setting as it is written; empty: the usual names.
    """

    __slots__ = ("asked", "flags", "path", "why")

    def __init__(self, path: str, flags: list[str], why: str, asked: str = "") -> None:
        self.path = path
        self.flags = flags
        self.why = why
        self.asked = asked

    def __repr__(self) -> str:
        return f"Driver({self.path!r}, {self.flags!r}, {self.why!r})"


def driver(lang: str, configured: str = "", environ: Mapping[str, str] | None = None) -> Driver:
    """Choose the compiler driver of a language.

    A setting that names nothing that can be run is not passed over in silence: the choice is then "none", and `why`
    says so.

    Parameters
    ----------
    lang : str
        ``"c"`` or ``"c++"``.
    configured : str, optional
        ``config.cc`` or ``config.cxx``: a name or a path; empty: ``$CC`` or ``$CXX``, then the usual names.
    environ : mapping, optional
        The process's environment if left out.

    Returns
    -------
    Driver
    """
    env = os.environ if environ is None else environ
    search = env.get("PATH", os.defpath)
    variable = _VARIABLES[lang]
    setting = "config." + variable.lower()
    for origin, text in ((setting, configured), ("$" + variable, env.get(variable, ""))):
        if text.strip():
            return _from_setting(origin, text, search)
    for name in _NAMES[lang]:
        found = _which(name, search)
        if found:
            return Driver(found, [], f"the first of {', '.join(_NAMES[lang])} on PATH")
    names = ", ".join(_NAMES[lang])
    return Driver("", [], f"none of {names} is on PATH; install gcc or clang, or set {setting} or {variable}")


def _from_setting(origin: str, text: str, search: str) -> Driver:
    found = _which(text.strip(), search)  # a path may hold blanks
    if found:
        return Driver(found, [], origin, text)
    words = text.split()
    if '"' in text or "'" in text or "\\" in text:
        import shlex

        try:
            words = shlex.split(text)
        except ValueError:
            words = [text]
    while len(words) > 1 and os.path.basename(words[0]) in _WRAPPERS:
        words = words[1:]
    found = _which(words[0], search) if words else ""
    if found:
        return Driver(found, words[1:], origin, text)
    why = f"{origin} is {text!r}, which cannot be run; correct it, or unset it to have one chosen"
    return Driver("", [], why, text)


def _which(name: str, search: str) -> str:
    if os.sep not in name:
        return which(name, search)
    place = os.path.abspath(os.path.expanduser(name))
    return place if os.access(place, os.X_OK) and os.path.isfile(place) else ""


def wished(name: str, environ: Mapping[str, str] | None = None) -> Driver:
    """Find the compiler that ops ask for.

    Parameters
    ----------
    name : str
        A name or a path: what ``c_compiler`` gave.
    environ : mapping, optional
        The process's environment if left out.

    Returns
    -------
    Driver
    """
    env = os.environ if environ is None else environ
    return Driver(_which(name, env.get("PATH", os.defpath)), [], "an op asks for it", name)


def flags(*texts: str) -> list[str]:
    """Split flags as a shell would, and join the lists.

    Parameters
    ----------
    *texts : str
        Such as ``config.cflags``, ``config.gcc__cxxflags``.

    Returns
    -------
    list of str
    """
    found: list[str] = []
    for text in texts:
        if '"' in text or "'" in text or "\\" in text:
            import shlex

            found += shlex.split(text)
        else:
            found += text.split()
    return found


def sanitizing(given: Sequence[str], sanitizers: str) -> list[str]:
    """Give flags that build sanitizers in: lines are known, and what they find ends the process.

    Parameters
    ----------
    given : sequence of str
        The other flags; optimisation is lowered where it would hide what is looked for.
    sanitizers : str
        As ``config.sanitize`` has them.

    Returns
    -------
    list of str
    """
    kept = [flag for flag in given if not flag.startswith("-O") or flag == "-O0"]
    level = [] if "-O0" in kept else ["-O1"]
    overflow = ["-fno-wrapv"] if "signed-integer-overflow" in sanitizers else []
    watched = [f"-fsanitize={sanitizers}", "-fno-sanitize-recover=all", *overflow]
    return [*kept, *level, "-g", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", *watched]


def march(wanted: str) -> str:
    """Say for which level of processors modules are made: which instructions a compiler may use.

    Parameters
    ----------
    wanted : str
        ``config.march``: a level, or ``"native"``, the highest that this processor, and the system, has.

    Returns
    -------
    str
        One of `LEVELS`.

    Raises
    ------
    ConfigError
        If this processor lacks what is wanted.
    """
    pretended = os.environ.get("OPWELD_PROCESSOR", "")
    if pretended and pretended not in LEVELS:
        raise ConfigError(f"OPWELD_PROCESSOR is {pretended!r}: expected one of {', '.join(LEVELS)}, or nothing")
    has = dtypes.compiled().level() - 1
    if pretended:
        has = min(has, LEVELS.index(pretended))
    if wanted == "native":
        return LEVELS[has]
    if LEVELS.index(wanted) > has:
        raise ConfigError(
            f"march is {wanted!r}, which this processor lacks: it has {LEVELS[has]}; set march to that, or to "
            "'native', which is what each processor has"
        )
    return wanted


def search_variables(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Give the compiler's search variables that are set.

    Parameters
    ----------
    environ : mapping, optional
        The process's environment if left out.

    Returns
    -------
    dict
        In the order of `SEARCH_VARIABLES`.
    """
    env = os.environ if environ is None else environ
    found = [(name, env.get(name)) for name in SEARCH_VARIABLES]
    return {name: value for name, value in found if value is not None}


def python_abi() -> str:
    """Name this Python: its version and the suffix of its extension modules.

    Returns
    -------
    str
    """
    return f"{sys.version} {EXTENSION_SUFFIXES[0]}"


@lru_cache
def numpy_abi() -> str:
    """Name this NumPy: its version and the folder of its headers.

    Returns
    -------
    str
    """
    import numpy

    return f"{numpy.__version__} {numpy.get_include()}"


def index_name(
    *,
    engine: str,
    driver: Driver,
    flags: Sequence[str],
    program: bytes,
    march: str = "baseline",
    spare: bool = False,
    fuse: bool = True,
    profile: bool = False,
    account: bool = False,
    faults: bool = False,
    fastmath: bool = False,
    written: str = "",
    python: str | None = None,
    numpy: str | None = None,
    env: Mapping[str, str] | None = None,
) -> str:
    """Make the name of the index that stands for a Program, here and now (docs/cache.md).

    Parameters
    ----------
    engine : str
        The engine's id.
    driver : Driver
        The compiler of Program's language. One that is not found stands for whatever was last found by its setting.
    flags : sequence of str
        The configured flags.
    program : bytes
        Program's text.
    march : str, optional
        What `march` gives.
    spare : bool, optional
        The name that is looked up where the driver is not found.
    fuse : bool, optional
        One loop is made of nodes that walk the same elements.
    profile : bool, optional
        There are clocks in the module.
    account : bool, optional
        References and memory are counted in the module.
    faults : bool, optional
        Its places can be forced to fail.
    fastmath : bool, optional
        Its arithmetic of floating point may be reordered.
    written : str, optional
        What stands for the lines of users' files that are in the module, for a debugger.
    python, numpy : str, optional
        What `python_abi` and `numpy_abi` give.
    env : mapping, optional
        What `search_variables` gives.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    env = search_variables() if env is None else env
    if spare or not driver.path:
        compiler = [_line("asked", driver.asked)]
    else:
        compiler = [_line("driver", driver.path), _line("driver's", _words(driver.flags))]
    lines = [
        "opweld-index 2",
        _line("engine", engine),
        _line("python", python_abi() if python is None else python),
        _line("numpy", numpy_abi() if numpy is None else numpy),
        *compiler,
        _line("flags", _words(flags)),
        _line("fuse", "on" if fuse else "off"),
        *(_line("profile", "on") for _ in range(profile)),
        *(_line("account", "on") for _ in range(account)),
        *(_line("faults", "on") for _ in range(faults)),
        *(_line("fastmath", "on") for _ in range(fastmath)),
        *(_line("written", written) for _ in range(bool(written))),
        _line("march", march),
        *(_line("env", f"{name}={env[name]}") for name in SEARCH_VARIABLES if name in env),
        *(_line("cpu", processor()) for _ in range(_for_this_processor([driver.asked, *flags], program))),
        _line("program", digest(program)),
    ]
    text = "\n".join(lines) + "\n"
    return digest(text.encode("utf-8", "surrogateescape"))


def _for_this_processor(flags: Sequence[str], program: bytes) -> bool:
    """Whether arguments say, or may say in a file of theirs, that a module is for this processor alone.

    It keeps the modules of several processors apart where they share a cache. Whether one is for another processor is
    known to its entry, however it came to be.
    """
    return b"native" in program or any(sign in flag for flag in flags for sign in ("native", "@", "specs="))


def _words(words: Sequence[str]) -> str:
    """A list of words as JSON."""
    return f"[{', '.join([dumps(word) for word in words])}]"


def _line(label: str, value: str) -> str:
    """Escape backslashes and newlines, so that two different lists of lines never are one text."""
    return f"{label} {value}".replace("\\", "\\\\").replace("\n", "\\n")
