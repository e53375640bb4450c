"""Programs that are tried with the C++ compiler, to see whether it makes them and what they do."""

from __future__ import annotations

import os
import subprocess
import tempfile
from typing import NamedTuple

from opweld.compile import toolchain
from opweld.config import config as _own

__all__ = ["Attempt", "attempt", "compiles"]


class Attempt(NamedTuple):
    """What became of a program that was tried.

    Attributes
    ----------
    compiled : bool
        The compiler made it.
    ran : bool
        It ran, and gave 0; False too where it was not to run.
    out, err : str
        What the compiler wrote, or the program if it ran.
    """

    compiled: bool
    ran: bool
    out: str
    err: str


def attempt(text: str, *flags: str, run: bool = False, compiler: str = "") -> Attempt:
    """Try a program with the C++ compiler.

    Parameters
    ----------
    text : str
        C++.
    *flags : str
        Behind the compiler's own.
    run : bool
        Whether the program is run, for half a minute at most.
    compiler : str
        Another one than the configuration's.

    Returns
    -------
    Attempt
        Nothing is compiled where there is no compiler.
    """
    driver = toolchain.driver("c++", compiler or _own.cxx)
    if not driver.path:
        return Attempt(False, False, "", "there is no C++ compiler")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "try.cc"), os.path.join(folder, "try")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        done = _output([driver.path, *driver.flags, source, "-o", program, *flags], folder, None)
        if done.returncode or not run:
            return Attempt(not done.returncode, False, done.stdout, done.stderr)
        try:
            done = _output([program], folder, 30)
        except subprocess.TimeoutExpired:
            return Attempt(True, False, "", "it ran for longer than 30 s")
        return Attempt(True, not done.returncode, done.stdout, done.stderr)


def _output(command: list[str], folder: str, timeout: float | None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder, check=False, timeout=timeout
    )


def compiles(text: str, *flags: str) -> bool:
    """Say whether the C++ compiler makes a program of a text; see `attempt`."""
    return attempt(text, *flags).compiled
