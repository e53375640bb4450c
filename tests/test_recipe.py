"""conda/recipe.yaml says what pyproject.toml says."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.version_info < (3, 11):
    pytest.skip("needs tomllib", allow_module_level=True)
import tomllib

ROOT = Path(__file__).resolve().parent.parent
RECIPE = (ROOT / "conda" / "recipe.yaml").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def listed(*keys):
    """The items of a list of the recipe, by the names that lead to it."""
    text = RECIPE
    for depth, key in enumerate(keys):
        text = re.search(rf"(?m)^{'  ' * depth}{key}:\n((?:{'  ' * (depth + 1)}.*\n|\n)+)", text)[1]
    return re.findall(r"(?m)^\s*- (.+)$", text)


def test_it_agrees_with_the_project():
    project = PROJECT["project"]
    assert re.search(r'(?m)^  version: "(.+)"$', RECIPE)[1] == project["version"]
    assert f"summary: {project['description']}\n" in RECIPE and f"license: {project['license']}\n" in RECIPE
    run = [item.replace(" ", "") for item in listed("requirements", "run")]
    assert set(project["dependencies"]) <= set(run)
    assert any(item.startswith(f"python{project['requires-python']}") for item in run)
    assert listed("build", "python", "entry_points") == [f"{k} = {v}" for k, v in project["scripts"].items()]


def test_it_builds_with_what_the_project_is_built_with():
    wanted = {re.match(r"[\w-]+", item)[0] for item in PROJECT["build-system"]["requires"]}
    host = {re.match(r"[\w-]+", item)[0] for item in listed("requirements", "host")}
    assert wanted <= host and "pip" in host
    assert {"python", "numpy"} <= set(listed("requirements", "host")), "with a version they would be no variants"
    assert '${{ compiler("go-cgo") }}' in listed("requirements", "build")
    (command,) = [line for line in listed("build", "script") if "pip" in line]
    assert "--no-build-isolation" in command and "--no-deps" in command


def test_its_own_test_is_right(tmp_path):
    import subprocess

    (text,) = re.findall(r'python -c "(.*)"$', RECIPE, re.MULTILINE)
    subprocess.run([sys.executable, "-c", text], check=True, cwd=tmp_path)
