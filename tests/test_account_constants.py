"""What the texts of a constant's type lose is told when the function goes: its c_cleanup runs then."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import pytest
from test_account_types import HELD, MORE, ROOM, First, Held, accounted

import opweld

TYPES = Path(__file__).with_name("test_account_types.py")  # where the texts stand


def of_a_constant(which, **texts):
    """A function with a constant of a type of such texts."""
    return accounted([x := Held("constant")("x")], First()(x, opweld.Constant(Held(which, **texts), "a constant")))


def said_as_it_goes(makes, used=True):
    """What is said when a function goes that was called, or was not."""
    f = makes()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        if used:
            f("an object")
        assert not [one for one in said if issubclass(one.category, opweld.AccountWarning)]
        del f
        gc.collect()
    return [one for one in said if issubclass(one.category, opweld.AccountWarning)]


@pytest.mark.parametrize("used", [True, False])
def test_what_constants_lose_is_told_when_the_function_goes(used):
    assert said_as_it_goes(lambda: of_a_constant("constant"), used) == []
    (one,) = said_as_it_goes(lambda: of_a_constant("constant, forgets", cleanup=HELD + ROOM), used)
    lines = TYPES.read_text().splitlines()
    assert one.filename == str(TYPES) and "/* more */" in lines[one.lineno - 1]
    assert "Held: the reference to a float that PyFloat_FromDouble gave is not released" in str(one.message)
    assert "Py_XDECREF in c_cleanup" in str(one.message)
    (one,) = said_as_it_goes(lambda: of_a_constant("constant, keeps", cleanup=HELD + MORE), used)
    assert "30 bytes of malloc are not freed" in str(one.message)
    twice = HELD + MORE + ROOM + "Py_XDECREF({v}_more); /* twice */\n"
    (one,) = said_as_it_goes(lambda: of_a_constant("constant, twice", cleanup=twice), used)
    assert "[double-release]" in str(one.message)


def test_as_an_error_it_is_one_that_nobody_can_catch(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda one: seen.append(one.exc_type))
    f = of_a_constant("constant, an error", cleanup=HELD + ROOM)
    with warnings.catch_warnings():
        warnings.simplefilter("error", opweld.AccountWarning)
        del f
        gc.collect()
    assert seen == [opweld.AccountWarning]


def test_at_the_end_of_the_process_too():
    script = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from test_account_constants import HELD, ROOM, of_a_constant
        f = of_a_constant("constant, at the end", cleanup=HELD + ROOM)
        f("an object")
        print("the end", file=sys.stderr)
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    ).stderr
    assert "AccountWarning: Held: the reference to a float" in ended.partition("the end\n")[2], ended


def test_one_that_is_garbage_and_is_called_by_garbage():
    """It has given up its constants."""
    seen = []

    class Caller:
        def __init__(self, f):
            self.f, self.me = f, self

        def __del__(self):
            try:
                seen.append(self.f("an object"))
            except RuntimeError as err:
                seen.append(str(err))

    caller = Caller(of_a_constant("constant"))
    del caller
    gc.collect()
    assert seen in (["an object"], ["f() is garbage, and has given up its constants"])
