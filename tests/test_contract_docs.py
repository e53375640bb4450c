"""The pages of the C contract say what is so: their blocks run, section by section."""

from __future__ import annotations

import re

import pytest
from pages import BLOCK, DOCS, Page

NAMES = ("contract", "contract-call", "contract-type", "contract-build", "contract-files", "contract-graph")
PAGES = {name: Page(f"{name}.md") for name in NAMES}
ROWS = 100  # the pages would be shorter than the contract
SHARED = next(section for section in PAGES["contract"].sections if section.startswith("## The op of the examples\n"))
SECTIONS = {
    f"{name}: {section.partition(chr(10))[0][3:]}": (page, section)
    for name, page in PAGES.items()
    for section in page.sections
}


@pytest.mark.parametrize("title", SECTIONS)
def test_section(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page, section = SECTIONS[title]
    page.run_blocks(section if section is SHARED else SHARED + section, tmp_path)


def test_every_section_has_an_example():
    for title, (_, section) in SECTIONS.items():
        assert any(block["language"] == "python" for block in BLOCK.finditer(section)), title
    assert sum(len(re.findall(r"^\| ", page.text, re.MULTILINE)) for page in PAGES.values()) > ROWS


def test_links_lead_somewhere():
    for page in PAGES.values():
        for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.text):
            text = (DOCS / target).read_text("utf-8") if target else page.text
            titles = re.findall(r"^##+ (.+)$", text, re.MULTILINE)
            anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in anchors, (page.path.name, anchor)


def test_the_contract_opens_with_what_most_need():
    """And none of its pages is longer than one reads."""
    assert PAGES["contract"].sections[0].startswith("## What most ops need\n")
    for page in PAGES.values():
        assert page.text.count("\n") <= 500
