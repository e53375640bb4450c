"""The site's own look at its pages (tools/site.py), on pages that are wrong."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("opweld_site", ROOT / "tools" / "site.py")
site = importlib.util.module_from_spec(spec)
spec.loader.exec_module(site)

GOOD = '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="#top">up</a><a href="https://numpy.org">N</a>'
WRONG = {
    '<a href="none.html">': "a.html: nothing is at none.html",
    '<a href="b.html#nowhere">': "a.html: b.html#nowhere leads to no place in that page",
    '<a href="#nowhere">': "a.html: #nowhere leads to no place in that page",
    '<img src="none.png">': "a.html: nothing is at none.png",
    '<script src="https://cdn/x.js"></script>': "a.html: https://cdn/x.js would be fetched when it is read",
    '<link rel="stylesheet" href="//fonts/x.css">': "a.html: //fonts/x.css would be fetched when it is read",
}


def found(folder, text):
    (folder / "a.html").write_text(GOOD + text)
    (folder / "b.html").write_text('<h1 id="there">B</h1><img src="data:image/png;base64,AA==">')
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "template.html").write_text('<a href="{{ pathto() }}">')
    return list(site.faults(folder))


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_said(tmp_path, text):
    assert found(tmp_path, text) == [WRONG[text]]


def test_what_is_right_is_not(tmp_path, monkeypatch):
    assert found(tmp_path, "") == []
    monkeypatch.setattr(site, "LARGEST", 100)
    (said,) = found(tmp_path, "")
    assert said.endswith(" bytes, 100 at most")


def test_a_public_name_without_a_page_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "PACKAGES", {"opweld.enums": "constants"})
    (tmp_path / "api").mkdir()
    page = tmp_path / "api" / "opweld.enums.html"
    page.write_text("<b>CEnumType</b> <b>EnumList</b> EnumType")
    assert list(site.unnamed(tmp_path)) == []
    page.write_text("<b>CEnumType</b> <b>EnumListing</b> EnumType")
    assert list(site.unnamed(tmp_path)) == ["opweld.enums.EnumList: a public name without a page"]


def test_names_without_a_docstring_are_listed(tmp_path):
    site.write_names(tmp_path / "api")
    page = (tmp_path / "api" / "opweld.tensor.md").read_text()
    assert "| `absolute` | the same as `abs` |" in page and "| `dvector` | " in page


def test_each_public_name_has_one_page(tmp_path):
    site.write_names(tmp_path / "api")
    pages = {name: (tmp_path / "api" / f"{name}.md").read_text() for name in site.PACKAGES}
    assert ".. autofunction:: cop\n" in pages["opweld"] and ".. autoclass:: TensorType\n" in pages["opweld"]
    assert ".. autoclass:: TensorType\n" not in pages["opweld.tensor"]  # it is the same
    assert ".. autofunction:: argmax\n" in pages["opweld.tensor"]
    assert all(f"({name}.md)" in (tmp_path / "api" / "index.md").read_text() for name in site.PACKAGES)


def trees(name):
    """List the pages below a page of docs/, by the trees of the pages."""
    yield name
    page = ROOT / "docs" / f"{name}.md"
    for tree in re.findall(r"(?ms)^```\{toctree\}$(.*?)^```$", page.read_text() if page.exists() else ""):
        for line in tree.splitlines():
            if line and not line.startswith(":"):
                yield from trees(os.path.normpath(os.path.join(os.path.dirname(name), line)))


def test_each_page_is_in_the_site():
    """Every page of docs/ stands in the tree of one of the pages that list others, and is one."""
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    listed = list(trees("index"))
    assert set(listed) - {"api/index", "gallery/index"} == pages  # these two are written
    assert len(listed) == len(set(listed))
