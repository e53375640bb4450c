"""Profiles of all functions that a script makes: what ``opweld profile`` runs."""

from __future__ import annotations

import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from opweld.addresses import Address, Unknown
from opweld.compile import profile
from opweld.config import config

__all__ = ["everything", "run"]


@contextmanager
def everything(into: list[profile.Profile]) -> Iterator[None]:
    """Have every function that is made meanwhile profiled.

    Parameters
    ----------
    into : list
        Gets the profiles.
    """
    profile.begun = into
    config.profile = True
    try:
        yield
    finally:
        profile.begun = None
        del config.profile


def run(address: Address, arguments: Sequence[str]) -> Callable[[], NoReturn] | None:
    """Run a script or a module as ``python`` does, or call what an address names.

    Parameters
    ----------
    address : Address
        Where it is.
    arguments : sequence of str
        What the script finds behind its name in ``sys.argv``.

    Returns
    -------
    callable or None
        Ends the process as the script wanted, where it did not simply return. What it raised is shown already.

    Raises
    ------
    Unknown
        If there is nothing at the address.
    """
    before = sys.argv
    sys.argv = [address.module, *arguments]
    try:
        if address.name:
            address.load()()
        elif address.is_file:
            address.check()
            runpy.run_path(address.module, run_name="__main__")
        else:
            sys.path.insert(0, "")
            runpy.run_module(address.module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
        return lambda: sys.exit(code)
    except Unknown:
        raise
    except Exception:
        traceback.print_exc()
        return lambda: sys.exit(1)
    finally:
        sys.argv = before
    return None
