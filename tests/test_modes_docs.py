"""docs/modes.md says what is so: its blocks run, section by section."""

import re
from pathlib import Path

import pytest

from opweld.config import OPTIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "modes.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEAD, *SECTIONS = re.split(r"(?m)^(?=## )", TEXT)


def run(text, names):
    for block in re.finditer(r"(?ms)^```python\n(.*?)^```$", text):
        line = TEXT.count("\n", 0, TEXT.index(block.group(1)))
        exec(compile("\n" * line + block.group(1), str(PAGE), "exec"), names)


@pytest.mark.parametrize("section", SECTIONS, ids=[section.split("\n")[0][3:] for section in SECTIONS])
def test_section(section):
    names = {"__name__": "modes"}
    run(HEAD, names)
    run(section, names)
    assert "```python\n" in section


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (PAGE.parent / target).exists()


def test_the_table_of_options_says_where_each_counts():
    found = {}
    rows = re.findall(r"(?m)^\| (?:Program|the key|neither).*$", TEXT)
    for where, row in zip(("program", "key", "neither"), rows, strict=True):
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", row), where))
    assert found == OPTIONS
