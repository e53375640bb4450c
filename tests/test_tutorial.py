"""The tutorial: each page says what one will be able to do, and shows it."""

from __future__ import annotations

import itertools
import re

import pytest
from pages import DOCS, Page, drawn, same, same_picture

ORDER = re.findall(r"(?m)^\| \[.*?\]\((.*?)\.md\)", (DOCS / "tutorial" / "index.md").read_text("utf-8"))
PAGES = {path.stem: Page(path) for path in sorted((DOCS / "tutorial").glob("*.md")) if path.stem != "index"}


@pytest.mark.parametrize("name", PAGES)
def test_manner(name):
    """A page begins with what one will be able to do, shows what comes out, and ends with what to try."""
    page = PAGES[name]
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
    shapes, numbers = drawn(picture)
    assert "a = 0.05" in shapes and len(numbers) > 500
    assert same_picture(picture, picture.replace('id="', 'id="other'))
    assert not same_picture(picture, picture.replace("a = 0.05", "a = 0.06"))
    outline = re.search(r'd="(M [\d.]+)', picture)[1]
    assert not same_picture(picture, picture.replace(outline, outline.replace("M ", "M 9"), 1))
    assert not same_picture(picture, re.sub(r"stroke: #\w+", "stroke: #000000", picture))


def test_what_is_drawn_of_other_pictures_is_compared():
    """Boxes, colours, and images."""
    way = (DOCS / "way.svg").read_text("utf-8")
    assert same_picture(way, way)
    assert not same_picture(way, re.sub(r"<rect [^>]*/>", "", way))
    assert not same_picture(way, way.replace('fill="#e0f2fe"', 'fill="#000000"'))
    assert not same_picture(way, way.replace('y="58"', 'y="68"'))
    wood = (DOCS / "tutorial" / "wood.svg").read_text("utf-8")
    image = re.search(r'base64,\s*([^"]+)"', wood)[1]
    assert same_picture(wood, wood)
    other = (DOCS / "tutorial" / "plate.svg").read_text("utf-8")
    assert not same_picture(wood, wood.replace(image, re.search(r'base64,\s*([^"]+)"', other)[1]))
