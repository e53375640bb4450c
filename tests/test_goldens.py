"""Every golden Program of the generator is compiled: without a warning, as C and as C++, twice to the same bytes."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import engine
from opweld.compile.builder import Setup
from opweld.compile.program import Program
from opweld.config import Options

ROOT = Path(__file__).resolve().parent.parent
TESTDATA = ROOT / "gen" / "testdata"
RUNTIME = ROOT / "templates" / "runtime" / "runtime.c"  # plain C, that any tool can read
INCLUDE = ["-iquote", str(RUNTIME.parent), "-isystem", sysconfig.get_paths()["include"], "-isystem", np.get_include()]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
DRIVERS = {
    "gcc": ["gcc", "-x", "c", "-std=gnu17", *WARNINGS],
    "g++": ["g++", "-x", "c++", "-std=gnu++17", *WARNINGS],
    "clang": ["clang", "-x", "c", "-std=gnu17", *WARNINGS],
    "clang++": ["clang++", "-x", "c++", "-std=gnu++17", *WARNINGS],
}


def section(path, name):
    """One file of a txtar archive; None where there is none."""
    parts = re.split(r"^-- (.+) --\n", path.read_text(), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2])).get(name)


GOLDENS = sorted(p for p in TESTDATA.glob("*.txtar") if section(p, "program.json") and not section(p, "error"))
MISSING = [name for path in GOLDENS for name in re.findall(r'^#include "(.+)"$', path.read_text(), flags=re.M)]
parametrized = pytest.mark.parametrize("golden", GOLDENS, ids=lambda p: p.stem)


@pytest.fixture(scope="module", autouse=True)
def headers_of_the_users(tmp_path_factory):
    """Headers that a golden names exist, without content."""
    folder = tmp_path_factory.mktemp("headers")
    for name in MISSING:
        (folder / name).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CPATH", str(folder))
        yield


@functools.cache
def program(path):
    """Program's text, in the form that Python writes."""
    data = json.loads(section(path, "program.json"))
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


@functools.cache
def texts(path):
    """The C of a Program's module: its unit, and the runtime."""
    return {"unit": engine.render(program(path), fuse=False)["text"], "runtime": RUNTIME.read_text()}


def driver(name):
    if shutil.which(DRIVERS[name][0]) is None:
        pytest.skip(f"there is no {name} on this machine")
    return DRIVERS[name]


def compiles(command, text, folder):
    source = folder / "source"
    source.write_text(text)
    done = subprocess.run(
        [*command, "-O1", "-fPIC", "-fwrapv", "-fvisibility=hidden", *INCLUDE, "-c", str(source), "-o", os.devnull],
        capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done.stderr[:3000]


def test_there_are_goldens():
    assert len(GOLDENS) >= 4


@parametrized
def test_what_is_rendered_is_the_golden_text(golden):
    text = texts(golden)["unit"]
    lines = iter(re.sub(r'^#line \d+ (?="opweld\.cc?"$)', "#line - ", text, flags=re.M).splitlines())
    shown = [line for line in section(golden, "unit.c").splitlines() if not line.endswith(": as before */")]
    assert all(line in lines for line in shown)  # in this order; a type's lifecycle is shown once
    assert engine.render(program(golden), fuse=False)["text"] == text


@parametrized
@pytest.mark.parametrize("compiler", DRIVERS)
def test_no_warning_in_the_unit(golden, compiler, tmp_path):
    data = json.loads(program(golden))
    lang = "c++" if any(part["lang"] == "c++" for part in (*data["types"], *data["kernels"])) else "c"
    if lang == "c++" and "++" not in compiler:
        pytest.skip("its fragments are C++")
    text = texts(golden)["unit"]
    if "++" in compiler and lang == "c":  # the glue is C++ too; of the fragments only this is not
        text = text.replace("double* work = malloc(", "double* work = (double*)malloc(")
    compiles(driver(compiler), text, tmp_path)


@pytest.mark.parametrize("compiler", DRIVERS)
def test_no_warning_in_the_runtime(compiler, tmp_path):
    compiles(driver(compiler), texts(GOLDENS[0])["runtime"], tmp_path)


@pytest.mark.parametrize("which", ["unit", "runtime"])
def test_the_analyzer_finds_nothing(which, tmp_path):
    (golden,) = (g for g in GOLDENS if g.stem == "render_product")
    version = subprocess.run([*driver("gcc")[:1], "-dumpversion"], capture_output=True, text=True, check=True).stdout
    if int(version.split(".")[0]) < 12:
        pytest.skip("-fanalyzer is not ripe before gcc 12")
    compiles([*driver("gcc"), "-fanalyzer"], texts(golden)[which], tmp_path)


@pytest.mark.parametrize("which", ["unit", "runtime"])
def test_a_warning_would_be_seen(which, tmp_path):
    text = texts(GOLDENS[0])[which] + "\nint opw_wrong(unsigned a, int b) { return a < b; }\n"
    with pytest.raises(AssertionError, match=r"sign-compare|different signedness"):
        compiles(driver("gcc"), text, tmp_path)


def test_nothing_of_this_machine_is_in_the_text():
    for golden in GOLDENS:
        for text in texts(golden).values():
            for trace in (str(Path.cwd()), os.path.expanduser("~") + "/", sysconfig.get_paths()["include"], "/tmp"):
                assert trace not in text


def built(text, folder, name="build"):
    """Build a Program with a cache of its own; the path of the module."""
    root, private = folder / name / "root", folder / name / "private"
    root.mkdir(parents=True)
    private.mkdir()
    given = Program(json.loads(text), {}, [], [], [])
    request = Setup(given, Options()).request(())
    result = engine.build({**request, "index": "0" * 64, "spare": "", "root": str(root), "private": str(private)})
    assert not result["hit"]
    return Path(result["module"])


@parametrized
def test_two_builds_are_the_same_bytes(golden, tmp_path):
    first = built(program(golden), tmp_path, "a")
    second = built(program(golden), tmp_path, "b in another folder, with blanks")
    assert first != second and first.read_bytes() == second.read_bytes()


def test_two_builds_of_the_users_ops_are_the_same_bytes(tmp_path):
    import kit

    f = kit.compiled(kit.example("drainage").drainage, ("float32", 2))
    first = built(f.maker.program.text, tmp_path, "a")
    second = built(f.maker.program.text, tmp_path, "b")
    assert first.read_bytes() == second.read_bytes() == Path(f.maker.built.path).read_bytes()


def tool(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@parametrized
def test_what_the_module_shows_and_needs(golden, tmp_path):
    module = built(program(golden), tmp_path)
    exported = [line.split() for line in tool("nm", "-D", "--defined-only", str(module)).splitlines()]
    # Of C++, weak copies of the standard library's templates are left, whose headers make them visible.
    shown = [fields[-1] for fields in exported if not (fields[-2] in "WV" and re.match("_ZNK?S", fields[-1]))]
    assert shown == ["PyInit_opweld_module"]
    needed = re.findall(r"NEEDED.*\[(.+)\]", tool("readelf", "-d", str(module)))
    assert "libc.so.6" in needed and not [name for name in needed if "python" in name or "go" in name]
    sections = tool("readelf", "-SW", str(module))
    assert ".text" in sections and ".go.buildinfo" not in sections and ".gopclntab" not in sections
    assert b"_cgo_" not in module.read_bytes()
    assert str(tmp_path).encode() not in module.read_bytes()
    spec = importlib.util.spec_from_file_location("opweld_module", module)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    assert callable(loaded.make)


def test_a_module_with_go_in_it_would_be_seen():
    found = importlib.util.find_spec("opweld._engine")
    assert found is not None and ".gopclntab" in tool("readelf", "-SW", found.origin)


def test_the_source_of_a_function_is_what_was_rendered():
    import kit

    f = kit.compiled.__wrapped__(kit.negate, ("float64", 1))  # not to be kept for others: CPATH is in its key
    assert opweld.source(f) == engine.render(f.maker.program.text)["text"]
