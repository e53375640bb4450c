"""What `opweld doctor` says of compilers, of their flags, and of what modules are linked with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from opweld import engine, errors
from opweld.compile import toolchain
from opweld.compile.buildrequest import vector_folder
from opweld.config import config
from opweld.machine import Finding, first_line, install

__all__ = ["check_compilers", "check_flags"]


def check_compilers() -> Iterator[Finding]:
    """Look for the compilers of C and C++, and ask the chosen ones who they are."""
    for name, lang, key in (("C compiler", "c", "cc"), ("C++ compiler", "c++", "cxx")):
        needed = "wrong" if lang == "c" else "note"
        advice = install(lang) + ("" if lang == "c" else "; only ops written in C++ need it")
        try:
            driver = toolchain.driver(lang, getattr(config, key))
        except errors.ConfigError as error:
            yield Finding(name, needed, f"the configuration cannot be read: {error}")
            continue
        if not driver.path:
            yield Finding(name, needed, "none", (driver.why,), advice)
            continue
        flags = (f"with {' '.join(driver.flags)}",) if driver.flags else ()
        more = (f"chosen because: {driver.why}", *flags, *_others(toolchain, lang, driver.path))
        try:
            (who,) = engine.compilers([driver.path])
        except Exception as error:
            yield Finding(name, "note", f"{driver.path}: not asked who it is: {first_line(error)}", more)
            continue
        if who["error"]:
            yield Finding(name, needed, f"{driver.path}: {who['error']}", more, advice)
        else:
            yield Finding(name, "ok", f"{driver.path}: {who['version'] or who['family']}, {who['target']}", more)


def check_flags() -> Iterator[Finding]:
    """Say with which flags modules are compiled."""
    try:
        sets = {
            "C": toolchain.flags(config.cflags, config.gcc__cxxflags),
            "C++": toolchain.flags(config.cxxflags, config.gcc__cxxflags),
        }
        debug = config.cmodule__remove_gxx_opt
    except errors.ConfigError as error:
        yield Finding("flags", "wrong", f"the configuration cannot be read: {error}")
        return
    except ValueError as error:
        yield Finding("flags", "wrong", f"cannot be split: {error}", advice="close the quotes in cflags and cxxflags")
        return
    variables = tuple(f"{name}={value}" for name, value in toolchain.search_variables().items())
    more = (f"C++: {' '.join(sets['C++'])}", *variables)
    try:
        level = toolchain.march(config.march)
    except errors.ConfigError as error:
        yield Finding("flags", "wrong", str(error))
        return
    more += (f"for processors of level {level} (march={config.march})",)
    functions = _vector(level)
    if not functions:
        lacks = f"no vector functions in {vector_folder()}: what calls exp, sin or their like cannot be built"
        yield Finding("flags", "wrong", lacks, more, "install opweld again: they are part of its wheel")
        return
    more += (functions,)
    if debug:
        more += ("cmodule__remove_gxx_opt is set: no optimisation, with symbols for a debugger",)
    yield Finding("flags", "ok", f"C: {' '.join(sets['C'])}", more)


def _vector(level: str) -> str:
    """Say which vector functions modules of a level are linked with, of the highest that has its own; "": none."""
    levels = toolchain.LEVELS[: toolchain.LEVELS.index(level) + 1]
    own = [known for known in levels if os.path.isdir(os.path.join(vector_folder(), known))]
    if not own:
        return ""
    names = os.listdir(os.path.join(vector_folder(), own[-1]))
    parts = sorted(name.removesuffix(".o") for name in names if name.endswith(".o"))
    return f"vector functions of level {own[-1]}, whatever the compiler: {', '.join(parts)}"


def _others(toolchain: Any, lang: str, chosen: str) -> tuple[str, ...]:
    """List the other usual drivers that are on PATH."""
    found = {}
    for name in {"c": ("gcc", "clang", "cc"), "c++": ("g++", "clang++", "c++")}[lang]:
        path = toolchain.driver(lang, name, {"PATH": os.environ.get("PATH", os.defpath)}).path
        if path and os.path.realpath(path) != os.path.realpath(chosen):
            found[os.path.realpath(path)] = path
    return (f"also there: {', '.join(found.values())}",) if found else ()
