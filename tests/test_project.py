"""What the package's metadata says of where the project lives."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def urls(remote):
    """What setup.py's rule gives, without running its setup()."""
    text = (ROOT / "setup.py").read_text("utf-8")
    start = text.index("def urls_of")
    names = {}
    exec("import re\n" + text[start : text.index("\n\n\n", start)], names)
    return names["urls_of"](remote)


@pytest.mark.parametrize(
    "remote",
    [
        "https://github.com/someone/opweld.git",
        "https://someone:secret@github.com/someone/opweld",
        "ssh://git@github.com:22/someone/opweld.git/",
        "git@github.com:someone/opweld.git",
        "github.com:someone/opweld",
    ],
)
def test_a_public_repository_is_named_and_no_password(remote):
    home = "https://github.com/someone/opweld"
    found = urls(remote)
    assert found["Homepage"] == found["Source"] == home and found["Issues"] == f"{home}/issues"
    assert found["Changelog"] == f"{home}/blob/HEAD/CHANGELOG.md"


def test_a_host_whose_pages_are_not_known_gives_the_repository_alone():
    assert urls("https://git.example.org/group/opweld.git") == {
        "Homepage": "https://git.example.org/group/opweld",
        "Source": "https://git.example.org/group/opweld",
    }


@pytest.mark.parametrize(
    "remote", ["", "/srv/opweld.git", "../opweld", "file:///srv/opweld", "https://10.0.0.7/opweld"]
)
def test_a_place_that_is_not_public_is_not_named(remote):
    assert urls(remote) == {}


@pytest.mark.parametrize(
    "remote", ["https://localhost/opweld", "git@builder:opweld.git", "https://git.internal/opweld"]
)
def test_a_host_of_this_machine_or_house_is_not_named(remote):
    assert urls(remote) == {}


def test_an_archive_of_sources_keeps_what_its_clone_said(tmp_path):
    """The real sdist of a clone, and the metadata that is made from the archive with no repository near it."""
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        (clone / name).write_bytes((ROOT / name).read_bytes())
    (clone / "pytest_opweld.py").write_text("")
    (clone / "python" / "opweld").mkdir(parents=True)
    (clone / "python" / "opweld" / "__init__.py").write_text("")
    for command in (["init", "-q"], ["remote", "add", "origin", "git@github.com:someone/opweld.git"]):
        subprocess.run(["git", *command], cwd=clone, check=True)
    subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d", tmp_path], cwd=clone, check=True, timeout=120)
    with tarfile.open(tmp_path / "opweld-0.1.0.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / "opweld-0.1.0"
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "-e", tmp_path], cwd=unpacked, check=True, timeout=120
    )
    said = (tmp_path / "opweld.egg-info" / "PKG-INFO").read_text("utf-8")
    assert "Project-URL: Issues, https://github.com/someone/opweld/issues" in said.splitlines()
