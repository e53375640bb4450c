"""The request for a build, which is only made where the cache has nothing, and the folders of headers."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Collection, Mapping, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from typing import Any

import numpy

from opweld.compile.holds import processor
from opweld.compile.toolchain import numpy_abi, python_abi, search_variables
from opweld.errors import CompilerNotFoundError

__all__ = ["header_dirs", "include_dirs", "request", "runtime_object"]


def include_dirs() -> list[str]:
    """List the folders of Python's and NumPy's headers.

    Returns
    -------
    list of str
        In the order of the search.

    Raises
    ------
    CompilerNotFoundError
        If this Python's headers are not installed.
    """
    *found, numpy = header_dirs()
    if not any(os.path.isfile(os.path.join(folder, "Python.h")) for folder in found):
        raise CompilerNotFoundError(
            f"Python.h is not in {' or '.join(found)}: install the headers of this Python "
            f"(python{sys.version_info[0]}.{sys.version_info[1]}-dev on Debian and Ubuntu, python3-devel on Fedora)"
        )
    return [*found, numpy]


def header_dirs() -> list[str]:
    """Say where the headers of Python and NumPy lie, or would lie.

    Returns
    -------
    list of str
        As `include_dirs`; nothing is looked for.
    """
    paths = sysconfig.get_paths()
    found = list(dict.fromkeys(paths[name] for name in ("include", "platinclude") if paths.get(name)))
    return [*found, numpy.get_include()]


def runtime_object(profile: bool = False, account: bool = False, faults: bool = False) -> str:
    """Say where the object lies that every module is linked with.

    Parameters
    ----------
    profile : bool
        The one that has clocks.
    account : bool
        The one that counts references and memory.
    faults : bool
        The one whose places can be forced to fail.

    Returns
    -------
    str
        Its path: beside the engine, for this CPython. Nothing looks whether it is there.
    """
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    kind = "_faults" if faults else "_account" if account else "_profile" if profile else ""
    return os.path.join(package, f"_runtime{kind}{EXTENSION_SUFFIXES[0][: -len('.so')]}.o")


def vector_folder() -> str:
    """Say where the objects of the vector library lie, a folder for each level of processors.

    Returns
    -------
    str
        Its path.
    """
    return os.path.join(os.path.dirname(runtime_object()), "_vector")


def request(
    *,
    program: str,
    sources: Mapping[str, Any],
    index: str,
    root: str,
    private: str,
    cc: str,
    cxx: str,
    cflags: Sequence[str],
    cxxflags: Sequence[str],
    march: str = "baseline",
    python: str | None = None,
    numpy: str | None = None,
    env: Mapping[str, str] | None = None,
    lock_seconds: float = 120.0,
    seconds: float = 600.0,
    memory: float = 0.0,
    owners: Collection[int] = (),
    spare: str = "",
    fuse: bool = True,
    profile: bool = False,
    account: bool = False,
    faults: bool = False,
    fastmath: bool = False,
    lines: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the request for a build (docs/engine.md). It is only needed where the cache has nothing.

    Parameters
    ----------
    program, sources, index, root, private, cc, cxx, cflags, cxxflags, march, python, numpy, env, lock_seconds,
    owners, spare, fuse
        The request's fields; `march`, `python`, `numpy` and `env` must be those that made `index`.
    seconds, memory : float
        How long a compile may run, and how many MiB each of its programs may have; 0: as they like.
    profile : bool
        Link the runtime that has clocks.
    account : bool
        Count references and memory.
    faults : bool
        Have every place that can fail ask whether it is to; then there are no clocks.
    fastmath : bool
        Let the compiler reorder and contract arithmetic of floating point, and divide by multiplying.
    lines : mapping, optional
        In which files and lines fragments were written, for a debugger.

    Returns
    -------
    dict
        Plain data.

    Raises
    ------
    CompilerNotFoundError
        If this Python's headers are not installed.
    """
    return {
        "program": program,
        "fuse": fuse,
        "account": account,
        "faults": faults,
        "sources": {name: dict(source) for name, source in sources.items()},
        "lines": dict(lines or {}),
        "index": index,
        "spare": spare,
        "root": root,
        "owners": list(owners),
        "private": private,
        "cc": cc,
        "cxx": cxx,
        "cflags": list(cflags),
        "cxxflags": list(cxxflags),
        "march": march,
        "fastmath": fastmath,
        "include_dirs": include_dirs(),
        "runtime": runtime_object(profile, account, faults),
        "vector": vector_folder(),
        "python": python_abi() if python is None else python,
        "numpy": numpy_abi() if numpy is None else numpy,
        "env": dict(search_variables() if env is None else env),
        "process": {
            "PATH": os.defpath,  # as `driver` has it; gcc finds no linker without one
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
        },
        "cpu": processor(),
        "lock_seconds": lock_seconds,
        "bounds": {"seconds": min(seconds, 1e9), "memory": int(memory * 2**20)},
    }
