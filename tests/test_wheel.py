"""What is installed, and the wheel that it came from."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import opweld
from opweld import errors

ROOT = Path(__file__).resolve().parent.parent
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"


@pytest.fixture(scope="module")
def wheel():
    found = list((ROOT / "dist").glob(f"opweld-*-{TAG}-{TAG}-*.whl"))
    if not found:
        pytest.skip("no wheel in dist/: run make wheel")
    assert len(found) == 1
    return found[0]


@pytest.fixture(scope="module")
def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def engine_file():
    from opweld import _engine

    return _engine.__file__


def test_name_carries_the_manylinux_tag_that_the_page_says(wheel):
    said = re.search(r"manylinux_(\d+)_(\d+)", (ROOT / "docs" / "promises.md").read_text("utf-8"))
    found = re.search(r"-manylinux_(\d+)_(\d+)_(x86_64|aarch64)", wheel.name)
    assert said and found and tuple(map(int, found.groups()[:2])) <= tuple(map(int, said.groups()))


@pytest.mark.parametrize("name", ["_engine", "_argument", "_dispatch", "_threads", "_ufunc"])
def test_nothing_asks_for_a_newer_c_library_than_the_page_says(name):
    said = re.search(r"manylinux_(\d+)_(\d+)", (ROOT / "docs" / "promises.md").read_text("utf-8"))
    (file,) = Path(opweld.__file__).parent.glob(f"{name}.*.so")
    out = subprocess.run(["readelf", "-W", "--dyn-syms", file], capture_output=True, text=True, check=True).stdout
    asked = {m[0]: tuple(map(int, m[1:])) for m in re.findall(r"(\w+)@GLIBC_(\d+)\.(\d+)", out)}
    newer = {symbol for symbol, version in asked.items() if version > tuple(map(int, said.groups()))}
    assert asked and not newer


def test_what_modules_are_linked_with_asks_for_no_newer_one():
    """Objects have no versions: by the names that glibc has had since the one of the tag."""
    since = {"mallinfo2", "stat", "stat64", "fstat", "fstat64", "lstat", "lstat64", "close_range", "strlcpy"}
    strong, weak = set(), set()
    for file in Path(opweld.__file__).parent.rglob("*.o"):
        out = subprocess.run(["nm", "-u", file], capture_output=True, text=True, check=True).stdout
        for kind, name in re.findall(r"\b([Uw]) (\w+)", out):
            (strong if kind == "U" else weak).add(name)
    assert "memcpy" in strong and "mallinfo2" in weak
    assert not strong & since and not [name for name in strong if name.startswith("__isoc23")]


def test_no_libpython_is_linked(engine_file):
    out = subprocess.run(["readelf", "-d", engine_file], capture_output=True, text=True, check=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", out)
    assert needed and not [name for name in needed if "python" in name]
    assert "RPATH" not in out and "RUNPATH" not in out


def test_engine_is_stripped_and_names_no_folder_of_the_build(engine_file):
    content = Path(engine_file).read_bytes()
    assert str(ROOT).encode() not in content
    out = subprocess.run(["readelf", "-S", engine_file], capture_output=True, text=True, check=True).stdout
    assert ".debug_info" not in out and ".symtab" not in out


def test_wheel_carries_what_it_must(names):
    for name in ("py.typed", "_engine.pyi", "_engine_id.py", "engine.py", "cli.py"):
        assert f"opweld/{name}" in names
    for name in ("_engine", "_argument", "_dispatch", "_threads", "_ufunc"):
        assert [one for one in names if re.match(rf"opweld/{name}\..*\.so$", one)]
    assert [name for name in names if re.match(r"opweld-[^/]*\.dist-info/licenses/LICENSE$", name)]


def test_wheel_carries_every_template(names):
    texts = [path for path in (ROOT / "templates").rglob("*.*") if path.suffix != ".go"]
    carried = [name for name in names if name.startswith("opweld/templates/") and not name.endswith("/")]
    assert texts and sorted(carried) == sorted(f"opweld/{path.relative_to(ROOT).as_posix()}" for path in texts)


def test_wheel_carries_the_c_of_the_modules(names):
    wanted = [path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python" / "opweld").rglob("*.c")]
    assert len(wanted) > 15 and set(wanted) <= set(names)


def test_wheel_carries_the_licences_of_the_modules_linked_in(names, engine_file):
    out = subprocess.run(["go", "version", "-m", engine_file], capture_output=True, text=True, check=True).stdout
    modules = re.findall(r"^\s+dep\s+(\S+)", out, re.M)
    assert modules
    for module in modules:
        licence = rf"opweld/licenses/{re.escape(module)}/(?i:licen|copying)"
        assert [name for name in names if re.match(licence, name)], module


def test_wheel_carries_no_tests_and_no_sources_of_the_engine(names):
    rest = [name for name in names if not name.startswith("opweld/templates/")]
    assert not [name for name in rest if name.endswith((".go", ".h")) or "/tests/" in name or "__pycache__" in name]


def test_wheel_in_a_new_environment(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    # Dependencies come from this environment: what is tested is the wheel.
    with zipfile.ZipFile(wheel) as archive:
        site = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        archive.extractall(site)
    code = "from opweld import engine; import opweld; print(engine.version()['version'], opweld.__file__)"
    env = {"PATH": os.environ["PATH"]}
    out = subprocess.run([python, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout
    version, path = out.split()
    assert version == importlib.metadata.version("opweld")
    assert path.startswith(str(tmp_path))


def test_missing_engine_says_what_to_do(tmp_path):
    shutil.copytree(Path(opweld.__file__).parent, tmp_path / "opweld", ignore=shutil.ignore_patterns("*.so"))
    code = "from opweld import engine\ntry:\n    engine.version()\nexcept Exception as e:\n    print(type(e), e)"
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    out = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True).stdout
    assert out.startswith("<class 'opweld.errors.EngineError'> the engine, which is needed to build a module, cannot")
    assert "Install opweld's wheel" in out


def test_kinds_of_errors_have_their_classes():
    from opweld import engine

    assert set(engine._KINDS.values()) == {
        errors.ProgramError, errors.CompilerNotFoundError, errors.CompileError, errors.CacheError,
        errors.ExpressionError, errors.SignatureError, errors.ToolError,
    }  # fmt: skip
