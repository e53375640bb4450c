"""The choice of compilers, and the name of an index: no process is started, and all that matters is in the name."""

from __future__ import annotations

import os
import sys
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from opweld.compile import buildrequest, toolchain


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"PATH": f"{tmp_path / 'a'}:relative:{tmp_path / 'b'}"}


def test_usual_names_in_order(tmp_path: Path, env: dict[str, str]) -> None:
    none = toolchain.driver("c", "", env)
    assert none.path == ""
    assert none.why == "none of gcc, clang, cc is on PATH; install gcc or clang, or set config.cc or CC"
    cc = program(tmp_path / "a" / "cc")
    assert toolchain.driver("c", "", env).path == cc
    clang = program(tmp_path / "b" / "clang")
    assert toolchain.driver("c", "", env).path == clang
    (tmp_path / "a" / "gcc").mkdir()
    gcc = program(tmp_path / "b" / "gcc")
    assert toolchain.driver("c", "", env).path == gcc
    assert toolchain.driver("c++", "", env).path == ""
    gxx = program(tmp_path / "b" / "g++")
    assert toolchain.driver("c++", "", env).path == gxx


def test_settings_come_first(tmp_path: Path, env: dict[str, str]) -> None:
    program(tmp_path / "a" / "gcc")
    mine = program(tmp_path / "m y" / "cc")
    clang = program(tmp_path / "b" / "clang")
    env["CC"] = "clang -m64 -DA='b c'"
    chosen = toolchain.driver("c", "", env)
    assert (chosen.path, chosen.flags, chosen.why) == (clang, ["-m64", "-DA=b c"], "$CC")
    chosen = toolchain.driver("c", mine, env)
    assert (chosen.path, chosen.flags, chosen.why) == (mine, [], "config.cc")
    env["CC"] = "ccache clang"
    assert toolchain.driver("c", "", env).path == clang


def test_wrong_setting_is_not_passed_over(tmp_path: Path, env: dict[str, str]) -> None:
    program(tmp_path / "a" / "gcc")
    chosen = toolchain.driver("c", "gcc-99", env)
    assert chosen.path == ""
    assert chosen.why == "config.cc is 'gcc-99', which cannot be run; correct it, or unset it to have one chosen"


def test_flags() -> None:
    assert toolchain.flags("-O3 -Wall", "", "-DA='b c'") == ["-O3", "-Wall", "-DA=b c"]


def test_search_variables() -> None:
    found = toolchain.search_variables({"LIBRARY_PATH": "/l", "CPATH": "", "HOME": "/h"})
    assert found == {"CPATH": "", "LIBRARY_PATH": "/l"}


BASE = {
    "engine": "0.1.0 abc",
    "driver": toolchain.Driver("/usr/bin/gcc", ["-m64"], "", "gcc -m64"),
    "flags": ["-O3", "-Wall"],
    "program": b'{"program":1}',
    "python": "3.11.7 .so",
    "numpy": "2.4.6 /np",
    "env": {"CPATH": "/i"},
}


def test_index_name_is_as_documented() -> None:
    text = (
        "opweld-index 2\nengine 0.1.0 abc\npython 3.11.7 .so\nnumpy 2.4.6 /np\ndriver /usr/bin/gcc\n"
        'driver\'s ["-m64"]\nflags ["-O3", "-Wall"]\nfuse on\nmarch baseline\nenv CPATH=/i\n'
    )
    text += "program " + sha256(b'{"program":1}').hexdigest() + "\n"
    assert toolchain.index_name(**BASE) == sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("engine", "0.1.1 abc"),
        ("driver", toolchain.Driver("", [], "", "gcc -m64")),
        ("driver", toolchain.Driver("/usr/bin/gcc", ["-m32"], "", "gcc -m64")),
        ("driver", toolchain.Driver("/usr/bin/clang", ["-m64"], "", "gcc -m64")),
        ("spare", True),
        ("fuse", False),
        ("fastmath", True),
        ("flags", ["-O3 -Wall"]),
        ("flags", ["-Wall", "-O3"]),
        ("flags", ["-O3", "-Wall", "-march=native"]),
        ("env", {"CPATH": "/i", "LD_LIBRARY_PATH": "/l"}),
        ("env", {"CPATH": "/i", "SOURCE_DATE_EPOCH": "1"}),
        ("program", b"{}"),
        ("march", "x86-64-v3"),
        ("python", "3.11.8 .so"),
        ("numpy", "2.4.6 /np2"),
        ("env", {}),
        ("env", {"C_INCLUDE_PATH": "/i"}),
        ("env", {"CPATH": "/i\nenv LIBRARY_PATH=/l"}),
    ],
)
def test_index_name_changes(field: str, value: object) -> None:
    assert toolchain.index_name(**{**BASE, field: value}) != toolchain.index_name(**BASE)


def test_index_name_knows_the_python_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two releases of one minor version share the suffix of their modules, and not their modules."""
    rest = {name: value for name, value in BASE.items() if name != "python"}
    mine = toolchain.index_name(**rest)
    assert mine == toolchain.index_name(**rest, python=f"{sys.version} {EXTENSION_SUFFIXES[0]}")
    monkeypatch.setattr(sys, "version", "3.11.99 " + sys.version)
    assert toolchain.index_name(**rest) != mine


def test_index_name_keeps_lists_of_lines_apart() -> None:
    one = {**BASE, "env": {"CPATH": "/i\nenv LIBRARY_PATH=/l"}}
    two = {**BASE, "env": {"CPATH": "/i", "LIBRARY_PATH": "/l"}}
    assert toolchain.index_name(**one) != toolchain.index_name(**two)


def test_index_name_takes_any_path() -> None:
    odd = toolchain.Driver(os.fsdecode(b"/\xff/gcc"), [], "")
    assert len(toolchain.index_name(**{**BASE, "driver": odd})) == 64


def test_spare_index_is_that_of_a_driver_that_is_gone() -> None:
    gone = {**BASE, "driver": toolchain.Driver("", [], "", "gcc -m64")}
    assert toolchain.index_name(**gone) == toolchain.index_name(**BASE, spare=True)
    another = {**BASE, "driver": toolchain.Driver("", [], "", "clang")}
    assert toolchain.index_name(**another) != toolchain.index_name(**BASE, spare=True)


def test_index_knows_the_processor_where_arguments_are_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [{"flags": ["-march=native"]}, {"flags": ["@/flags"]}, {"program": b'{"args":["-mtune=native"]}'}, {}]
    names = [toolchain.index_name(**{**BASE, **case}) for case in cases]
    monkeypatch.setattr(toolchain, "processor", lambda: "another")
    others = [toolchain.index_name(**{**BASE, **case}) for case in cases]
    assert [one == two for one, two in zip(names, others)] == [False, False, False, True]


def test_request_has_the_fields_of_the_border() -> None:
    request = buildrequest.request(
        program="{}", sources={}, index="a" * 64, root="/r", private="/p", cc="/cc", cxx="", cflags=["-O3"], cxxflags=[]
    )
    assert sorted(request) == sorted(
        (
            "program sources index spare root owners private cc cxx cflags cxxflags include_dirs runtime python numpy "
            "env process cpu lock_seconds bounds march vector fuse account faults fastmath lines"
        ).split()
    )
    assert any(os.path.isfile(os.path.join(folder, "Python.h")) for folder in request["include_dirs"])
    assert os.path.isfile(os.path.join(request["include_dirs"][-1], "numpy", "arrayobject.h"))
