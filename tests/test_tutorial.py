"""The tutorial: what its pages print and draw is what stands in them, and each says what one will be able to do."""

from __future__ import annotations

import itertools
import re
import sys

import pytest
from pages import BLOCK, DOCS, Page, drawn, plain_pictures, same, same_picture

ORDER = re.findall(r"(?m)^\| \[.*?\]\((.*?)\.md\)", (DOCS / "tutorial" / "index.md").read_text("utf-8"))
PAGES = {path.stem: Page(path) for path in sorted((DOCS / "tutorial").glob("*.md")) if path.stem != "index"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the page's own; what it imports from there goes with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.mark.parametrize("name", PAGES)
def test_page(name, here):
    plain_pictures()
    page = PAGES[name]
    blocks = [block for block in BLOCK.finditer(page.text) if block["language"] in ("python", "c", "console")]
    assert page.run_blocks(page.text, here) == len(blocks)
    named = re.findall(r"!\[[^\]]+\]\(([^)/]+\.svg)\)", page.text)
    assert sorted(named) == page.check_pictures(here)


@pytest.mark.parametrize("name", PAGES)
def test_manner(name):
    """A page begins with what one will be able to do, shows what comes out, and ends with what to try."""
    page = PAGES[name]
    page.check_links()
    assert re.match(r"# .+\n\nYou will be able to: ", page.text)
    *_, last = page.sections
    assert last.startswith("## Try\n") and last.count("\n* ") >= 3
    assert len(re.findall(r"(?m)^```output\n.", page.text)) >= 2
    assert page.text.count("\n") <= 500


def test_each_page_leads_to_the_next():
    assert set(ORDER) == set(PAGES)
    for name, after in itertools.pairwise(ORDER):
        assert f"({after}.md)" in PAGES[name].sections[-1], name


def test_what_is_printed_is_compared():
    assert same("[1. 2.]\n", "[1. 2.]\n") and same("f: 1 call, ... ms\n", "f: 1 call, 0.3 ms\n")
    assert not same("[1. 2.]\n", "[1. 3.]\n") and not same("", "said\n")
    page = PAGES["first"]
    text = "```python\nprint(1)\n```\n\n```output\n2\n```\n"
    with pytest.raises(AssertionError, match=r"first\.md says:\n2\n\nbut this is printed:\n1\n"):
        page.run_blocks(text, DOCS)


def test_what_is_drawn_is_compared():
    picture = (DOCS / "tutorial" / "first.svg").read_text("utf-8")
    words, numbers = drawn(picture)
    assert "a = 0.05" in words and len(numbers) > 500
    assert same_picture(picture, picture.replace('id="', 'id="other'))
    assert not same_picture(picture, picture.replace("a = 0.05", "a = 0.06"))
    outline = re.search(r'd="(M [\d.]+)', picture)[1]
    assert not same_picture(picture, picture.replace(outline, outline.replace("M ", "M 9"), 1))
