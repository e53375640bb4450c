"""docs/front-ends.md says what is so: its blocks run, section by section."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "front-ends.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEAD, *SECTIONS = re.split(r"(?m)^(?=## )", TEXT)


def run(text, names):
    for block in re.finditer(r"(?ms)^```python\n(.*?)^```$", text):
        line = TEXT.count("\n", 0, TEXT.index(block.group(1)))
        exec(compile("\n" * line + block.group(1), str(PAGE), "exec"), names)


@pytest.mark.parametrize("section", SECTIONS, ids=[section.split("\n")[0][3:] for section in SECTIONS])
def test_section(section):
    names = {"__name__": "front_ends"}
    run(HEAD, names)
    run(section, names)
    assert "```python\n" in section


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (PAGE.parent / target).exists()
