"""Machines without a compiler, with a damaged cache, with no place to write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from refusals import run_apart


def quietly(tmp_path, body, **environ):
    """Run a script that may not say anything but its answer."""
    answer, said = run_apart(tmp_path, body, **environ)
    assert said == ""
    return answer


def test_no_compiler(tmp_path):
    body = """
        first = attempt()
        os.environ["PATH"] = os.environ["KEPT"]
        print(json.dumps([first, attempt()[1:]]))
    """
    first, second = quietly(tmp_path, body, PATH=str(tmp_path), KEPT=os.environ["PATH"])
    assert first == [
        "CompilerNotFoundError",
        "g must be built, and there is no C compiler: none of gcc, clang, cc is on PATH; install gcc or clang, or set "
        "config.cc or CC",
    ]
    assert second == [False, True]


@pytest.mark.parametrize(
    ("variable", "value", "origin", "name"),
    [("CC", "nothing-cc", "$CC", "nothing-cc"), ("OPWELD_FLAGS", "cc=nothing-cc", "config.cc", "nothing-cc")],
)
def test_a_compiler_that_is_not_there_is_not_replaced_by_another(tmp_path, variable, value, origin, name):
    assert quietly(tmp_path, "print(json.dumps(attempt()))", **{variable: value}) == [
        "CompilerNotFoundError",
        f"g must be built, and there is no C compiler: {origin} is {name!r}, which cannot be run; correct it, or "
        f"unset it "
        "to have one chosen",
    ]


@pytest.mark.parametrize("victim", ["module", "index", "entry"])
def test_damage_in_the_cache_is_mended_in_silence(tmp_path, victim):
    path, hit, _ = quietly(tmp_path, "print(json.dumps(attempt()))")
    assert not hit and str(tmp_path) in path
    good = Path(path).read_bytes()
    for file in (tmp_path / "cache/opweld/v2" / victim).rglob("*"):
        if file.is_file() and file.suffix != ".c":
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 0x40
            file.write_bytes(data)
    again, hit, kept = quietly(tmp_path, "print(json.dumps(attempt()))")
    assert kept and Path(again).read_bytes() == good
    assert quietly(tmp_path, "print(json.dumps(attempt()))") == [again, True, True]


@pytest.mark.parametrize("flags", ["", "compiledir=FILE/cache"])
def test_no_cache_can_be_written(tmp_path, flags):
    file = tmp_path / "file"
    file.write_text("not a folder")
    environ = {
        "HOME": f"{file}/home",
        "XDG_CACHE_HOME": f"{file}/cache",
        "OPWELD_FLAGS": flags.replace("FILE", str(file)),
    }
    path, hit, kept = quietly(tmp_path, "print(json.dumps(attempt()))", **environ)
    assert path.startswith(f"{tmp_path}/temporary/opweld-") and (hit, kept) == (False, False)
