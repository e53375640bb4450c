"""docs/contract.md says what is so: its blocks run, section by section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "contract.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"// file: (\S+)\n")
ROWS = 100  # the page would be shorter than the contract


def sections():
    """Title -> the blocks under it: (language, text, number of the line that comes before its first)."""
    page = PAGE.read_text(encoding="utf-8")
    found = {"": []}
    starts = [(m.start(), m.group(1)) for m in re.finditer(r"^## (.+)$", page, re.MULTILINE)]
    for block in BLOCK.finditer(page):
        title = next((name for start, name in reversed(starts) if start < block.start()), "")
        line = page.count("\n", 0, block.start(2))
        found.setdefault(title, []).append((block.group(1), block.group(2), line))
    return found


SECTIONS = sections()


@pytest.mark.parametrize("title", SECTIONS)
def test_section(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "contract"}
    for language, text, line in SECTIONS[""] + (SECTIONS[title] if title else []):
        if language == "python":
            exec(compile("\n" * line + text, str(PAGE), "exec"), names)
        elif file := FILE.match(text):
            (tmp_path / file.group(1)).write_text(text[file.end() :])


def test_every_section_has_an_example():
    page = PAGE.read_text(encoding="utf-8")
    for title in re.findall(r"^## (.+)$", page, re.MULTILINE):
        assert any(language == "python" for language, _, _ in SECTIONS.get(title, ())), title
    assert len(re.findall(r"^\| ", page, re.MULTILINE)) > ROWS


def test_links_lead_somewhere():
    page = PAGE.read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", page, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    for anchor in re.findall(r"\]\(#([^)]+)\)", page):
        assert anchor in anchors
