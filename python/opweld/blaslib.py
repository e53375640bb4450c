"""Finds a BLAS: in a wheel that is installed, or on the machine."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterator
from importlib.util import find_spec

from opweld.compile.attempts import compiles
from opweld.sections import Beside

__all__ = ["ADVICE", "WHEELS", "found", "header", "wheel"]

_LIBRARY = Beside(__file__, "blas")
_LOOPS = Beside(__file__, "blas_loops")
_RENAMED = Beside(__file__, "blas_wheel")
_OF_64_BITS = Beside(__file__, "blas_wheel64")

#: Packages of the registry that bring a BLAS, and what each one's library is called.
WHEELS = {"scipy_openblas32": "scipy_openblas", "scipy_openblas64": "scipy_openblas64_"}
#: What to do where there is none.
ADVICE = "pip install scipy-openblas32, or a library of the system's (libopenblas-dev), or set config.blas.ldflags"


def wheel(*packages: str) -> str:
    """Give the flags that link the BLAS of the first of some wheels, or of all known; empty: none is installed."""
    for package in packages or WHEELS:
        library = WHEELS[package]
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            if os.path.isdir(os.path.join(folder, "lib")):
                return f"'-L{os.path.join(folder, 'lib')}' -l{library}"
    return ""


@functools.lru_cache(maxsize=1)
def found(compiler: str) -> str:
    """Give the flags that link a BLAS with its names in Fortran: of a wheel, or of this machine.

    Parameters
    ----------
    compiler : str
        The path of the C++ compiler: another one may find another library.

    Returns
    -------
    str
        Empty: there is none.
    """
    name = "float sdot_(int *, float *, int *, float *, int *)"
    text = f'extern "C" {name};\nint main() {{ return sdot_(0, 0, 0, 0, 0) > 0; }}\n'
    there: Iterator[str] = (flag for flag in ("-lopenblas", "-lblas", "-lcblas") if compiles(text, flag))
    return wheel() or next(there, "")


def header(flags: str) -> str:
    """Give the C that declares the BLAS that some flags link, by its names in Fortran, with integers of C's ``int``.

    Parameters
    ----------
    flags : str
        As `found` gives them.

    Returns
    -------
    str
        Without flags it defines some functions itself: gemm, gemv, ger, dot, axpy and scal of float and double.
    """
    words = shlex.split(flags)
    if f"-l{WHEELS['scipy_openblas64']}" in words:
        return _text(_OF_64_BITS)
    if f"-l{WHEELS['scipy_openblas32']}" in words:
        return _text(_RENAMED) + _text(_LIBRARY)
    return _text(_LIBRARY if words else _LOOPS)


def _text(file: Beside) -> str:
    """A file's C without its ``#line``: what an op writes behind it is not said to stand there."""
    return file.section().partition("\n")[2]
