"""Where a compiler's sanitizers lie, and what a process is started with that runs what they were built into."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache

from opweld.errors import ToolError
from opweld.outside.worker import Place

__all__ = ["FRAME", "place"]

#: How a frame of a report looks: what stands in brackets is what names, files and lines are made of here.
FRAME = "    #%n %f %S (%m+%o)"
_ENDS = {"abort_on_error": "0", "handle_segv": "0", "handle_sigbus": "0", "handle_sigfpe": "0", "handle_sigill": "0",
         "handle_abort": "0", "use_sigaltstack": "0", "stack_trace_format": f'"{FRAME}"'}  # fmt: skip
_OPTIONS = {
    "ASAN_OPTIONS": {
        **_ENDS,
        "detect_leaks": "0",  # CPython and NumPy keep what they have to the end: accounts tell of leaks
        "detect_odr_violation": "0",  # functions of one name in several modules are none of each other's
        "allocator_may_return_null": "1",  # as it is without: a MemoryError
        "print_legend": "0",
    },
    "UBSAN_OPTIONS": {**_ENDS, "print_stacktrace": "1", "print_summary": "1", "report_error_type": "1"},
    "TSAN_OPTIONS": {
        **_ENDS,
        "halt_on_error": "1",
        "allocator_may_return_null": "1",
        "report_signal_unsafe": "0",
        "ignore_noninstrumented_modules": "1",  # CPython and NumPy are not compiled for it
    },
}  # fmt: skip
_CLANGS = {"address": "asan", "undefined": "ubsan_standalone", "thread": "tsan"}
_GCCS = {"address": "libasan.so", "undefined": "libubsan.so", "thread": "libtsan.so"}
_SECONDS = 20.0


def place(driver: str, lang: str, sanitizers: str) -> Place:
    """Say what a process is started with that runs what a compiler has built sanitizers into.

    Parameters
    ----------
    driver : str
        The compiler's path.
    lang : str
        ``"c"`` or ``"c++"``.
    sanitizers : str
        As ``config.sanitize`` has them.

    Returns
    -------
    Place

    Raises
    ------
    ToolError
        If the compiler has no such library.
    """
    words = [word for word in ("address", "thread", "undefined") if word in _needed(sanitizers)]
    libraries = [library for word in words if (library := _library(driver, word, len(words) > 1))]
    if lang == "c++":  # theirs for exceptions, which the sanitizers watch, must be there when they begin
        libraries += [path for path in [_file(driver, "libstdc++.so.6")] if os.path.isabs(path)]
    preloaded = [*libraries, *filter(None, [os.environ.get("LD_PRELOAD", "")])]
    environment = {
        "LD_PRELOAD": " ".join(preloaded),
        "PYTHONMALLOC": "malloc",
        **{name: _options(name, ours) for name, ours in _OPTIONS.items()},
    }
    return Place(tuple(sorted(environment.items())), heap=True, racing="thread" in words)


def _needed(sanitizers: str) -> set[str]:
    """Whose libraries; overflow is found by that of undefined behaviour."""
    return {"undefined" if word == "signed-integer-overflow" else word for word in sanitizers.split(",")}


def _options(name: str, ours: dict[str, str]) -> str:
    """A sanitizer's options: the caller's, and behind them those without which nothing could be told."""
    given = os.environ.get(name, "")
    return ":".join([*filter(None, [given]), *[f"{key}={value}" for key, value in ours.items()]])


def _library(driver: str, word: str, several: bool) -> str:
    """The library of a sanitizer; empty: another holds it."""
    family = _family(driver)
    if family == "clang":
        if word == "undefined" and several:
            return ""
        names = [f"libclang_rt.{_CLANGS[word]}-{platform.machine()}.so", f"libclang_rt.{_CLANGS[word]}.so"]
    else:
        names = [_GCCS[word]]
    found = next((path for name in names if os.path.isabs(path := _file(driver, name)) and os.path.exists(path)), None)
    if found is None:
        raise ToolError(f"{driver} has no {names[0]}, which sanitize={word!r} needs: {_advice(family, word)}")
    return os.path.realpath(found)


def _advice(family: str, word: str) -> str:
    if family == "clang":
        return (
            "install it: libclang-rt-dev on Debian and Ubuntu (libclang-rt-19-dev for clang 19), compiler-rt on Fedora"
        )
    name = _GCCS[word].removesuffix(".so")
    return (
        f"install it: it comes with gcc on Debian and Ubuntu (package {name}, as in apt install gcc), and is "
        f"{name} on Fedora"
    )


@lru_cache
def _family(driver: str) -> str:
    return "clang" if "clang" in _said(driver, "--version") else "gcc"


@lru_cache
def _file(driver: str, name: str) -> str:
    """Where a compiler has a library; the bare name: nowhere."""
    return _said(driver, f"-print-file-name={name}").strip()


def _said(driver: str, argument: str) -> str:
    try:
        done = subprocess.run(
            [driver, argument], capture_output=True, text=True, timeout=_SECONDS, env={**os.environ, "LC_ALL": "C"}
        )
    except (OSError, subprocess.TimeoutExpired) as err:
        raise ToolError(f"{driver or 'no compiler'} does not say where its sanitizers lie: {err}") from None
    return done.stdout
