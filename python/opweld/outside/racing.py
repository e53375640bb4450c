"""A call that two threads make at once, so that what they do to the same memory is seen to be at the same time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Sequence
from itertools import chain, compress, repeat
from typing import Any

__all__ = ["together"]

_ROUNDS = 8  # of each thread: one of them meets the other
_SWITCH = 1e-6  # seconds after which a thread that wants the lock of Python's says so
_HELD = 100_000  # steps, of some 20 ns, for which a thread keeps that lock before it calls


def together(call: Callable[..., Any], given: Sequence[Any], more: Callable[[], Sequence[Any]], **named: Any) -> Any:
    """Make a call while another thread makes its like.

    Each begins with Python's lock held for so long that the other asks for it: the lock is then handed over in the
    moment in which C releases it, and what C does without it is ordered by nothing.

    Parameters
    ----------
    call : callable
        What is called.
    given : sequence
        With these, once.
    more : callable
        Gives their like, each time of its own; with these, several times by both threads. What that raises is left.
    **named
        What else `call` is given with `given`.

    Returns
    -------
    object
        What the call with `given` gives.
    """
    met = threading.Barrier(2)

    def beside() -> None:
        for _ in range(_ROUNDS):
            _quietly(met.wait)
            _quietly(lambda: _held(call, more()))

    helper = threading.Thread(target=beside)
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    helper.start()
    try:
        for _ in range(_ROUNDS - 1):
            met.wait()
            _quietly(lambda: _held(call, more()))
        met.wait()
        return call(*given, **named)
    finally:
        helper.join()
        sys.setswitchinterval(before)


def _held(call: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Call out of a loop of the interpreter's own C, which lets nobody else have the lock."""
    if not given:
        return call()
    waits = chain(repeat(False, _HELD), [True])
    return next(map(call, compress(repeat(given[0]), waits), *map(repeat, given[1:])))


def _quietly(call: Callable[[], Any]) -> None:
    try:
        call()
    except Exception:  # the call itself raises it too
        pass
