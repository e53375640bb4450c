"""What ``opweld doctor`` looks at: each check is a function that gives findings and never raises.

The checks work, and say so, where the engine, the compiler, Python's or NumPy's headers are missing. Only `check_build`
starts a process: it compiles and calls a small op in a fresh interpreter, so that a crash there is a finding too.
"""

from __future__ import annotations

import os
import platform
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import opweld
from opweld import blaslib, engine, errors
from opweld.compat import settings as compat_settings
from opweld.compile import cache, store, trust
from opweld.compile.store import clear
from opweld.compilers import check_compilers, check_flags
from opweld.config import Config, config
from opweld.machine import Finding, first_line, install, rights
from opweld.trial import trial_apart

__all__ = [
    "CHECKS",
    "Finding",
    "cache_root",
    "check_blas",
    "check_build",
    "check_cache",
    "check_compilers",
    "check_configuration",
    "check_engine",
    "check_flags",
    "check_numpy",
    "check_python",
    "clear",
    "examine",
    "report",
    "verdict",
    "versions",
    "weigh",
]

_OLDEST, _NEWEST = (3, 10), (3, 13)


def versions() -> dict[str, str]:
    """Give the versions of everything that decides what a build is.

    Returns
    -------
    dict
        From ``opweld``, ``engine``, ``Go``, ``Program format``, ``cache format``, ``Python`` and ``NumPy`` to text.
    """
    try:
        answer = engine.version()
        formats = {key: str(answer[key]) for key in ("go", "program", "cache")}
    except Exception as error:
        formats = dict.fromkeys(("go", "program", "cache"), f"not known: {first_line(error)}")
    try:
        import numpy

        of_numpy = numpy.__version__
    except ImportError as error:
        of_numpy = f"not known: {error}"
    return {
        "opweld": opweld.__version__,
        "engine": _engine_id(),
        "Go": formats["go"],
        "Program format": formats["program"],
        "cache format": formats["cache"],
        "Python": f"{platform.python_version()} ({platform.python_implementation()}, {_abi()})",
        "NumPy": of_numpy,
    }


def cache_root() -> str:
    """Give the cache folder in use; empty where none can be written."""
    owners = trust.owners(config.compiledir_owners) if config.compiledir else ()
    return store.path(config.compiledir, owners=owners)


def weigh(root: str) -> tuple[int, int]:
    """Count what opweld keeps in a cache folder.

    Parameters
    ----------
    root : str
        The cache folder.

    Returns
    -------
    files, size : int
        How many files there are, and the sum of their bytes.
    """
    files = size = 0
    for folder, _, names in (step for base in cache.FOLDERS for step in os.walk(os.path.join(root, base))):
        for name in names:
            try:
                size += os.lstat(os.path.join(folder, name)).st_size
                files += 1
            except OSError:
                continue
    return files, size


def check_python() -> Iterator[Finding]:
    """Look at the interpreter and its headers."""
    version = sys.version_info[:2]
    found = f"{platform.python_implementation()} {platform.python_version()}, {_abi()}, {sys.executable}"
    if platform.python_implementation() != "CPython":
        yield Finding("Python", "wrong", found, advice="use CPython: opweld makes CPython extension modules")
    elif sysconfig.get_config_var("Py_GIL_DISABLED"):
        yield Finding("Python", "wrong", found, advice="use a CPython with its GIL: free-threaded builds are not tried")
    elif not _OLDEST <= version <= _NEWEST:
        advice = f"use CPython {_OLDEST[0]}.{_OLDEST[1]} to {_NEWEST[0]}.{_NEWEST[1]}; opweld is tested on those"
        yield Finding("Python", "wrong" if version < _OLDEST else "note", found, advice=advice)
    else:
        yield Finding("Python", "ok", found)
    folders = list(dict.fromkeys(filter(None, map(sysconfig.get_paths().get, ("include", "platinclude")))))
    yield _headers("Python's headers", folders, "Python.h", install("python"))


def check_numpy() -> Iterator[Finding]:
    """Look at NumPy and its headers."""
    try:
        import numpy
    except Exception as error:
        advice = f"install it: {_pip()} install 'numpy>=2.2'"
        yield Finding("NumPy", "wrong", f"cannot be imported: {first_line(error)}", advice=advice)
        return
    found = f"{numpy.__version__}, {os.path.dirname(numpy.__file__ or '')}"
    if tuple(int(part) for part in numpy.__version__.split(".")[:2]) < (2, 2):
        yield Finding("NumPy", "wrong", found, advice=f"install a newer one: {_pip()} install 'numpy>=2.2'")
    else:
        yield Finding("NumPy", "ok", found)
    advice = f"the headers are part of NumPy's wheel; install it anew: {_pip()} install --force-reinstall numpy"
    yield _headers("NumPy's headers", [numpy.get_include()], os.path.join("numpy", "arrayobject.h"), advice)


def check_configuration() -> Iterator[Finding]:
    """Look at the user's file and ``OPWELD_FLAGS``."""
    try:
        changed = [key for key in config.keys() if getattr(config, key) != getattr(Config({}), key)]
    except errors.ConfigError as error:
        advice = "correct the key or the value, in the file or the variable that is named"
        yield Finding("configuration", "wrong", str(error), advice=advice)
        return
    lines = tuple(f"{key} = {getattr(config, key)!r}" for key in changed)
    yield Finding("configuration", "ok", "changed by you:" if changed else "all defaults", lines)


def check_engine() -> Iterator[Finding]:
    """Load the engine and ask who it is."""
    start = time.perf_counter()
    try:
        answer = engine.version()
    except Exception as error:
        advice = (
            f"install opweld's wheel for this Python: {_pip()} install --force-reinstall opweld; in a source tree: "
            "make engine. Functions that are in the cache work without it"
        )
        yield Finding("engine", "wrong", first_line(error), advice=advice)
        return
    took = (time.perf_counter() - start) * 1e3
    found = f"{_engine_id()}, {answer['go']}, loaded in {took:.0f} ms"
    formats = f"Program format {answer['program']}, cache format {answer['cache']}"
    yield Finding("engine", "ok", found, (formats,))


def check_blas() -> Iterator[Finding]:
    """Say which BLAS the ops of older packages are linked with, if they call one."""
    flags = compat_settings.config.blas__ldflags
    if flags:
        yield Finding("BLAS", "ok", flags, ("for ops written for Theano, Aesara or PyTensor that call one",))
    else:
        yield Finding("BLAS", "ok", f"none: ops of older packages that call one have plain loops; {blaslib.ADVICE}")


def check_cache() -> Iterator[Finding]:
    """Look at the folders where the cache may lie, and at which is in use. None is made."""
    try:
        candidates = cache.roots(config.compiledir)
        owners = trust.owners(config.compiledir_owners) if config.compiledir else ()
    except errors.ConfigError as error:
        yield Finding("cache", "wrong", f"the configuration cannot be read: {error}")
        return
    chosen, lines, foreign = "", [], False
    for root in candidates:
        why = cache.objection(root, owners)
        state, usable = (f"not used: {why}", False) if why else rights(os.path.join(root, cache.FOLDERS[-1]))
        foreign = foreign or bool(why)
        lines.append(f"{root}: {state}")
        if usable and not chosen:
            chosen = root
    advice = "set compiledir to a folder that you can write: OPWELD_FLAGS=compiledir=/a/folder"
    if foreign:
        advice = (
            "only what nobody but you, root and config.compiledir_owners can write is loaded: make the folder yours "
            "alone (chown, chmod go-w), choose another (compiledir), or name its owner in compiledir_owners"
        )
    if not chosen:
        text = f"no folder can be {'used' if foreign else 'written'}: nothing is kept from one process to the next"
        yield Finding("cache", "note", text, tuple(lines), advice)
    else:
        files, size = weigh(chosen)
        found = f"{chosen}: {files} files, {size / 1024:.0f} KiB"
        yield Finding("cache", "note" if foreign else "ok", found, tuple(lines), advice if foreign else "")


def check_build() -> Iterator[Finding]:
    """Compile and call a small op, in a fresh interpreter and a temporary cache folder; then again from that cache."""
    with tempfile.TemporaryDirectory(prefix="opweld-doctor-") as root:
        times = []
        for _ in range(2):
            answer = trial_apart(root)
            if "error" in answer:
                lines = str(answer["error"]).splitlines() or ["it ended without a word"]
                advice = (
                    "first put right what is wrong above; if nothing is, this is a defect of opweld: please report it "
                    "with the output of opweld doctor --json"
                )
                yield Finding("test build", "wrong", lines[0], tuple(lines[1:12]), advice)
                return
            times.append(f"{answer['seconds'] * 1e3:.0f} ms")
        text = f"a small op was compiled and called in {times[0]}, and from the cache in {times[1]}"
        yield Finding("test build", "ok", text)


#: The checks in the order in which they are shown.
CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    check_python,
    check_numpy,
    check_configuration,
    check_engine,
    check_compilers,
    check_flags,
    check_blas,
    check_cache,
    check_build,
)


def examine(checks: Iterable[Callable[[], Iterator[Finding]]] = CHECKS) -> Iterator[Finding]:
    """Run the checks one after another.

    Parameters
    ----------
    checks : iterable of callable, optional
        Which; all of them if left out.

    Yields
    ------
    Finding
        As soon as it is known. A check that fails itself is a finding that is wrong.
    """
    for check in checks:
        try:
            yield from check()
        except Exception as error:
            name = check.__name__.removeprefix("check_")
            advice = "this check should not fail: please report it"
            yield Finding(name, "wrong", f"{type(error).__name__}: {first_line(error)}", advice=advice)


def report(findings: Iterable[Finding]) -> dict[str, Any]:
    """Give findings as plain data, for ``opweld doctor --json``.

    Returns
    -------
    dict
        ``ok`` (bool), ``versions`` and ``findings``: a list of objects with the fields of `Finding`.
    """
    rows = [
        {"name": f.name, "status": f.status, "found": f.found, "more": list(f.more), "advice": f.advice}
        for f in findings
    ]
    return {"ok": all(row["status"] != "wrong" for row in rows), "versions": versions(), "findings": rows}


def verdict(findings: Iterable[Finding]) -> str:
    """Sum the findings up in a line."""
    wrong = [f.name for f in findings if f.status == "wrong"]
    return f"wrong: {', '.join(wrong)}; see -> above for what to do" if wrong else "opweld works here"


def _engine_id() -> str:
    """Give the engine's version and the digest of its sources, without loading it."""
    try:
        from opweld import _engine_id as made  # may be missing, which is said
    except ImportError:
        return "not built"
    return str(getattr(made, "ENGINE_ID", "not known"))


def _abi() -> str:
    return str(sysconfig.get_config_var("SOABI") or "no ABI tag")


def _pip() -> str:
    return f"{sys.executable} -m pip"


def _headers(name: str, folders: list[str], header: str, advice: str) -> Finding:
    """Say in which folder a header is."""
    for folder in folders:
        if os.path.isfile(os.path.join(folder, header)):
            return Finding(name, "ok", os.path.join(folder, header))
    return Finding(name, "wrong", f"{header} is not in {' or '.join(folders) or 'any folder'}", advice=advice)
