"""The pages of the C contract say what is so."""

from __future__ import annotations

import re

from pages import BLOCK, DOCS, Page

NAMES = ("contract", "contract-call", "contract-type", "contract-build", "contract-files", "contract-graph")
PAGES = {name: Page(f"{name}.md") for name in NAMES}
ROWS = 100  # the pages would be shorter than the contract
SECTIONS = {
    f"{name}: {section.partition(chr(10))[0][3:]}": section for name, page in PAGES.items() for section in page.sections
}


def test_every_section_has_an_example():
    for title, section in SECTIONS.items():
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
