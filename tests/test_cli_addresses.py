"""What commands do with an address, what they print as JSON, and that docs/cli.md says so; `opweld new`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import venv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import opweld
from opweld import addresses, cli, config, scaffold

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "cli.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^### (opweld [\w ]+)\n.*?```json\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL))
MODEL = """
import sys
import numpy as np
import opweld
import opweld.tensor as T

x = T.dvector("x")
step = opweld.function([x], T.sort(T.exp(x) * 2), name="step")
twice = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = 2 * x[i];", name="twice")
graph = T.exp(x) + 1


class Inner:
    step = step


def main():
    step(np.ones(5))
    print("called")


if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        step(np.linspace(0, 1, 1000))
    print("ran", sys.argv[1:])
    if len(sys.argv) > 2:
        sys.exit(int(sys.argv[2]))
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A folder with model.py in it, which is where the test runs."""
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.split(" ")[0] in ("model", "my_ops", "beside", "broken"):
            del sys.modules[name]


@pytest.fixture
def run():
    runner = CliRunner()
    return lambda *arguments, **more: runner.invoke(cli.main, list(map(str, arguments)), prog_name="opweld", **more)


def shape(value):
    """What kinds of values an object is made of; of a list, its first member's."""
    if isinstance(value, dict):
        return {key: shape(one) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else type(value).__name__


def commands():
    """The names of all commands."""
    for name, command in cli.main.commands.items():
        inner = getattr(command, "commands", {})
        yield from [f"opweld {name} {other}" for other in inner] or [f"opweld {name}"]


def test_every_command_has_json_and_its_schema_on_the_page():
    assert set(EXAMPLES) == set(commands())
    for command in commands():
        found = cli.main
        for name in command.split()[1:]:
            found = found.commands[name]
        assert "--json" in [option for one in found.params for option in one.opts], command
        row = command if "cache" not in command else command.replace("opweld ", "`opweld ")
        assert f"`{command}" in PAGE or row in PAGE


CALLS = {
    "opweld version": (),
    "opweld doctor": (),
    "opweld new": ("my_ops",),
    "opweld source": ("model.py:step",),
    "opweld fusion": ("model.py:step",),
    "opweld picture": ("model:graph", "graph.svg"),
    "opweld profile": ("model.py", "3"),
    "opweld cache path": (),
    "opweld cache clear": ("--yes",),
    "opweld completion": ("bash",),
    "opweld gdb": ("--script",),
}


@pytest.mark.parametrize("command", CALLS)
def test_json_is_as_the_page_shows_it(run, model, command, monkeypatch):
    monkeypatch.setattr(config, "compiledir", str(model / "cache"))
    arguments = [*command.split()[1:], "--json", *CALLS[command]]
    if "profile" in command:
        done = subprocess.run([sys.executable, "-m", "opweld", *arguments], capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr.endswith("ran ['3']\n")
        found = json.loads(done.stdout)
    else:
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        found = json.loads(result.stdout)
    wanted = json.loads(EXAMPLES[command])
    if command == "opweld doctor":
        found["findings"] = [{**row, "more": ["…"]} for row in found["findings"][:1]]
    assert shape(found) == shape(wanted)


@pytest.mark.parametrize(
    "arguments",
    [
        ("source", "model.py:nothing"), ("fusion", "nowhere:step"), ("picture", "model.py:main", "x.svg"),
        ("picture", "model.py:step", "x.png"), ("profile", "nowhere.py"), ("new", "my-ops"),
    ],
)  # fmt: skip
def test_what_goes_wrong_is_one_object_too(run, model, arguments):
    command, *rest = arguments
    result = run(command, "--json", *rest)
    assert result.exit_code == 1 and set(json.loads(result.stdout)) == {"error"}
    plain = run(command, *rest)
    assert plain.exit_code == 1 and plain.stderr.startswith("Error: ") and plain.stdout == ""


@pytest.mark.parametrize("address", ["model.py:step", "model:step", "./model.py:Inner.step", "model:Inner.step"])
def test_one_form_of_address_in_every_command(run, model, address):
    source, fused = run("source", address), run("fusion", address)
    assert source.exit_code == 0 and "Made by opweld from the Program of step" in source.output
    assert fused.exit_code == 0 and fused.output.startswith("step: 1 loop of several nodes, 0 of one")
    assert run("picture", address, "a.svg").exit_code == 0
    assert ElementTree.parse(model / "a.svg").getroot().tag.endswith("svg")


REFUSED = {
    "model.py:stp": "model.py has no 'stp'; is 'step' meant?",
    "model.py:Inner.stp": "model.py:Inner has no 'stp'; is 'step' meant?",
    "modle.py:step": "there is no file modle.py",
    "modle:step": "there is no module 'modle'",
    "model.pyx:step": "there is no module 'model.pyx'",
    "mo del:step": "'mo del' is neither a module nor a file that ends in .py: write module:name or file.py:name",
    "model:1": "'model:1' is no address: write module:name or file.py:name",
    ":step": "':step' is no address: write module:name or file.py:name",
    "model.py": "model.py is no function that opweld.function made, but module",
    "model.py:main": "model.py:main is no function that opweld.function made, but function",
}


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_leads_nowhere(run, model, address):
    result = run("fusion", address)
    assert (result.exit_code, result.stderr) == (1, f"Error: {REFUSED[address]}\n")


def test_a_module_that_fails_shows_its_traceback(run, model):
    (model / "broken.py").write_text("import beside\n1 / 0\n")
    (model / "beside.py").write_text("")
    result = run("source", "broken.py:f")
    assert isinstance(result.exception, ZeroDivisionError)
    (model / "broken.py").write_text("import not_there_at_all\n")
    assert isinstance(run("source", "broken:f").exception, ModuleNotFoundError)


def test_the_source_of_a_short_form(run, model):
    assert "not called yet" in run("source", "model.py:twice").stderr
    result = run("source", "model.py:twice", "--dtypes", "float32")
    assert result.exit_code == 0 and "NPY_FLOAT" in result.output
    assert (
        "opweld.function() gave, a short form or a ufunc of one, got <function main"
        in run("source", "model.py:main").stderr
    )


def opweld_apart(*arguments):
    return subprocess.run([sys.executable, "-m", "opweld", *arguments], capture_output=True, text=True)


def test_profile_a_script(model):
    done = opweld_apart("profile", "model.py", "7")
    assert done.returncode == 0 and done.stderr == ""
    assert (
        done.stdout.startswith("ran ['7']\n\nstep: 7 calls, ") and "Sort" in done.stdout and "model.py:8" in done.stdout
    )
    failed = opweld_apart("profile", "model.py", "1", "5")
    assert failed.returncode == 5 and "step: 1 call, " in failed.stdout
    wrong = opweld_apart("profile", "model.py", "many")
    assert wrong.returncode == 1 and "ValueError" in wrong.stderr and "no function was called" in wrong.stdout
    called = opweld_apart("profile", "model:main")
    assert called.returncode == 0 and called.stdout.startswith("called\n\nstep: 1 call, ")
    module = opweld_apart("profile", "--json", "model", "2")
    assert json.loads(module.stdout)["functions"][0]["calls"] == 2
    assert config.profile is False


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command(shell):
    done = subprocess.run(
        [sys.executable, "-m", "opweld"], capture_output=True, text=True,
        env={**os.environ, "_OPWELD_COMPLETE": f"{shell}_complete", "COMP_WORDS": "opweld ",
             "COMP_CWORD": "" if shell == "fish" else "1"},
    )  # fmt: skip
    found = set(re.findall(r"\b[a-z]+\b", done.stdout))
    assert set(cli.main.commands) <= found


# -- opweld new --------------------------------------------------------------------------------------------------


BAD_NAMES = {
    "my-ops": "'my-ops' cannot be imported: a package's name is an identifier, as 'my_ops'; is 'my_ops' meant?",
    "2fast": "'2fast' cannot be imported: a package's name is an identifier, as 'my_ops'; is '_2fast' meant?",
    "class": "'class' cannot be imported: a package's name is an identifier, as 'my_ops'",
    "": "'' cannot be imported: a package's name is an identifier, as 'my_ops'",
    "über": "'über' cannot be imported: a package's name is an identifier, as 'my_ops'; is 'ber' meant?",
    "../up": "'../up' cannot be imported: a package's name is an identifier, as 'my_ops'; is 'up' meant?",
    "random": "'random' is a module of Python's, which the package would hide: choose another name",
    "numpy": "'numpy' is what the package itself needs: choose another name",
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_no_package_can_have(run, model, name):
    result = run("new", "--", name)
    assert (result.exit_code, result.stderr) == (1, f"Error: {BAD_NAMES[name]}\n")
    assert sorted(os.listdir(model)) == ["model.py"]


def test_nothing_is_written_over(run, model):
    assert run("new", "my_ops").exit_code == 0
    before = {path: path.read_bytes() for path in (model / "my_ops").rglob("*") if path.is_file()}
    result = run("new", "my_ops")
    assert result.exit_code == 1 and "there is ./my_ops already, and nothing is written over" in result.stderr
    assert {path: path.read_bytes() for path in (model / "my_ops").rglob("*") if path.is_file()} == before
    (model / "other").write_text("a file")
    assert run("new", "other").exit_code == 1 and (model / "other").read_text() == "a file"
    (model / "loose").symlink_to("nowhere")
    assert run("new", "loose").exit_code == 1
    assert run("new", "my_ops", "--into", "deeper/still").exit_code == 0
    assert (model / "deeper" / "still" / "my_ops" / "pyproject.toml").is_file()


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A package that `opweld new` has written."""
    folder = tmp_path_factory.mktemp("new")
    scaffold.write("my_ops", str(folder))
    return folder / "my_ops"


def test_its_tests_pass_and_its_notebook_runs(package):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package / "src"), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=package,
        env=env,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "7 passed" in done.stdout, done.stdout + done.stderr
    notebook = json.loads((package / "my_ops.ipynb").read_text())
    assert notebook["nbformat"] == 4 and {cell["cell_type"] for cell in notebook["cells"]} == {"markdown", "code"}
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    script = "\n".join(code) + "\nassert f.profile.calls == 100\nassert '<svg' in picture(f).svg\nprint(f.profile)"
    done = subprocess.run([sys.executable, "-c", script], cwd=package, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "Smooth" in done.stdout, done.stderr


def test_it_installs_with_pip(package, tmp_path):
    """Into a new environment, which finds what this one has."""
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    found = subprocess.run([python, "-c", "import setuptools.command.bdist_wheel"], env=env, capture_output=True)
    if found.returncode:
        pytest.skip("there is no setuptools here that makes wheels, and nothing is fetched")
    shutil.copytree(package, tmp_path / "copy")
    command = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--no-build-isolation",
        tmp_path / "copy",
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    code = "import my_ops, numpy as np; print(my_ops.__file__, my_ops.smooth(np.ones(3), 0.5))"
    done = subprocess.run([python, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0 and str(tmp_path / "env") in done.stdout and "[1. 1. 1.]" in done.stdout, done.stderr


def test_its_files_are_plain(package):
    found = sorted(
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.suffix not in (".pyc",) and path.is_file()
    )
    assert {"README.md", "my_ops.ipynb", "pyproject.toml", "src/my_ops/__init__.py", "src/my_ops/ops.py",
            "tests/test_my_ops.py"} <= set(found)  # fmt: skip
    for path in found:
        assert "NAME" not in (package / path).read_text().replace("__name__", ""), path


def test_addresses_as_values():
    assert addresses.read("a.b:c.d") == ("a.b", "c.d") and str(addresses.read("a/b.py:c")) == "a/b.py:c"
    assert addresses.read("a/b.py").is_file and not addresses.read("a.b").is_file
    assert (
        np.allclose(addresses.read("numpy:linalg.norm").load()([3.0, 4.0]), 5)
        and opweld is addresses.read("opweld").load()
    )
