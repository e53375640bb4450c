"""The command ``opweld``: what it says, with which exit code, also where something is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from opweld import cli, config, doctor


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *arguments, **more: runner.invoke(cli.main, list(arguments), prog_name="opweld", **more)


@pytest.fixture
def configure():
    """A function that sets a key of the configuration until the end of the test."""
    before = {key: getattr(config, key) for key in config.keys()}
    yield lambda key, value: setattr(config, key, str(value))
    for key, value in before.items():
        setattr(config, key, value)


@pytest.fixture
def folder(tmp_path, configure):
    """A cache folder of the test's own, as config.compiledir."""
    configure("compiledir", tmp_path / "cache")
    return tmp_path / "cache"


@pytest.fixture
def no_engine(monkeypatch):
    """As where the engine was not built: its module cannot be imported."""
    import opweld

    monkeypatch.delattr(opweld, "_engine", raising=False)
    monkeypatch.setitem(sys.modules, "opweld._engine", None)


def findings(check):
    return {finding.name: finding for finding in check()}


@pytest.mark.parametrize(
    "command",
    [(), *[(name,) for name in cli.main.commands], ("cache", "path"), ("cache", "clear")],
)
def test_every_command_has_help_with_examples_and_exit_codes(run, command):
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert result.output.startswith("Usage: opweld")
    assert "Examples:" in result.output and "Exit codes: 0 all is well" in result.output


@pytest.mark.parametrize("arguments", [("nothing",), ("cache",), ("completion", "tcsh"), ("version", "--nothing"), ()])
def test_what_is_not_understood_ends_with_2(run, arguments):
    assert run(*arguments).exit_code == 2


def test_version(run):
    result = run("version")
    assert result.exit_code == 0
    assert [line.split("  ")[0] for line in result.output.splitlines()] == [
        "opweld", "engine", "Go", "Program format", "cache format", "Python", "NumPy"
    ]  # fmt: skip
    facts = json.loads(run("version", "--json").output)
    assert facts["Program format"] == "4" and facts["engine"].startswith(facts["opweld"])


def test_version_without_an_engine(run, no_engine):
    result = run("version")
    assert result.exit_code == 0
    assert "not known: the engine, which is needed to build a module, cannot be loaded" in result.output


def test_doctor_finds_all_well(run, folder):
    result = run("doctor")
    assert result.exit_code == 0, result.output
    assert "a small op was compiled and called" in result.output
    assert result.output.endswith("opweld works here\n")
    assert "vector functions of level " in result.output and "circle, error, exp, kind, log" in result.output
    assert not folder.exists(), "doctor only looks"


def test_doctor_as_json(run, folder):
    result = run("doctor", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    assert report["ok"] is True
    assert {"Python", "NumPy", "engine", "C compiler", "flags", "BLAS", "cache", "test build"} <= {
        row["name"] for row in report["findings"]
    }


def test_doctor_as_a_program(tmp_path):
    """As a person starts it, where no compiler is on PATH."""
    environment = {**os.environ, "PATH": str(tmp_path), "OPWELD_FLAGS": f"compiledir={tmp_path}/cache"}
    for name in ("CC", "CXX"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-m", "opweld.cli", "doctor"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1, done.stderr
    assert "WRONG  C compiler" in done.stdout and "none of gcc, clang, cc is on PATH" in done.stdout
    assert "note   C++ compiler" in done.stdout
    assert "WRONG  test build        CompilerNotFoundError" in done.stdout
    assert "-> install a C compiler" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_compiler_that_is_set_and_cannot_run(configure):
    configure("cc", "/nowhere/gcc")
    found = findings(doctor.check_compilers)["C compiler"]
    assert found.status == "wrong"
    assert found.more == (
        "config.cc is '/nowhere/gcc', which cannot be run; correct it, or unset it to have one chosen",
    )


def test_a_compiler_that_is_none(configure, tmp_path):
    fake = tmp_path / "gcc"
    fake.write_text("#!/bin/sh\nexit 3\n")
    fake.chmod(0o755)
    configure("cc", fake)
    found = findings(doctor.check_compilers)["C compiler"]
    assert found.status == "wrong" and found.found.startswith(f"{fake}: ")
    assert found.advice.startswith("install a C compiler")


def test_no_engine(no_engine):
    found = findings(doctor.check_engine)["engine"]
    assert found.status == "wrong" and "cannot be loaded" in found.found
    assert "make engine" in found.advice
    compilers = findings(doctor.check_compilers)["C compiler"]
    assert compilers.status == "note" and "not asked who it is" in compilers.found


def test_no_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    found = findings(doctor.check_numpy)["NumPy"]
    assert found.status == "wrong" and "pip install 'numpy>=2.2'" in found.advice


def test_no_headers(monkeypatch, tmp_path):
    import numpy

    monkeypatch.setattr(numpy, "get_include", lambda: str(tmp_path))
    found = findings(doctor.check_numpy)["NumPy's headers"]
    assert found.status == "wrong" and found.found == f"numpy/arrayobject.h is not in {tmp_path}"
    monkeypatch.setattr(doctor.sysconfig, "get_paths", lambda: {"include": str(tmp_path), "platinclude": str(tmp_path)})
    found = findings(doctor.check_python)["Python's headers"]
    assert found.status == "wrong" and found.found == f"Python.h is not in {tmp_path}"
    assert found.advice.startswith("install the headers of this Python")


def test_a_key_that_does_not_exist(tmp_path):
    environment = {**os.environ, "OPWELD_FLAGS": "compiledirr=/tmp"}
    done = subprocess.run(
        [sys.executable, "-m", "opweld.cli", "doctor"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "WRONG  configuration" in done.stdout and "did you mean compiledir" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_a_cache_that_cannot_be_written(configure, monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    configure("compiledir", tmp_path / "file" / "cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    found = findings(doctor.check_cache)["cache"]  # no other folder is taken in place of the one that is set
    assert (found.status, found.found) == (
        "note",
        "no folder can be written: nothing is kept from one process to the next",
    )
    (line,) = found.more
    assert line.endswith(f"{tmp_path}/file is no folder")


def test_a_check_that_fails_is_a_finding():
    def check_something():
        raise RuntimeError("surprise")
        yield

    (found,) = doctor.examine([check_something])
    assert (found.name, found.status, found.found) == ("something", "wrong", "RuntimeError: surprise")


def test_cache_path(run, folder):
    result = run("cache", "path")
    assert (result.exit_code, result.output) == (0, f"{folder}\n")


def fill(folder):
    module = folder / "v2" / "module" / "ab"
    module.mkdir(parents=True)
    (module / "ab-1.so").write_bytes(b"x" * 2048)
    (folder / "mine.txt").write_text("not opweld's")


def test_cache_clear_asks(run, folder):
    fill(folder)
    result = run("cache", "clear", input="n\n")
    assert result.exit_code == 1
    assert f"Remove 1 file, 2.0 KiB, from {folder}?" in result.output
    assert doctor.weigh(str(folder)) == (1, 2048)
    result = run("cache", "clear", input="y\n")
    assert result.exit_code == 0
    assert result.output.endswith(f"removed 1 file, 2.0 KiB, from {folder}\n")
    assert (folder / "mine.txt").exists()


def test_cache_clear_yes(run, folder):
    fill(folder)
    result = run("cache", "clear", "--yes")
    assert (result.exit_code, result.output) == (0, f"removed 1 file, 2.0 KiB, from {folder}\n")
    result = run("cache", "clear", "--yes")
    assert (result.exit_code, result.output) == (0, f"nothing to clear in {folder}\n")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(run, shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_OPWELD_COMPLETE" in result.output
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=result.output, text=True).returncode == 0


def test_the_command_by_its_module(run):
    done = subprocess.run([sys.executable, "-m", "opweld", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("opweld ") and done.stdout == run("--version").output.replace("main", "opweld")
