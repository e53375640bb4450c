"""The pages of docs/ as tests read them: blocks run section by section, links lead somewhere. Not a test."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


class Page:
    """A page, in parts: what stands before its sections, and the sections."""

    def __init__(self, name):
        self.path = DOCS / name
        self.text = self.path.read_text(encoding="utf-8")
        self.head, *self.sections = re.split(r"(?m)^(?=## )", self.text)

    def each_section(self, test):
        """Run a test for each section, under its title."""
        titles = [section.split("\n")[0][3:] for section in self.sections]
        return pytest.mark.parametrize("section", self.sections, ids=titles)(test)

    def run(self, section):
        """Run the blocks before the sections, then those of one, of which there are some."""
        names = {"__name__": self.path.stem.replace("-", "_")}
        for block in re.finditer(r"(?ms)^```python\n(.*?)^```$", self.head + section):
            line = self.text.count("\n", 0, self.text.index(block.group(1)))
            exec(compile("\n" * line + block.group(1), str(self.path), "exec"), names)
        assert "```python\n" in section

    def check_links(self):
        """See that there is a file for each link that is no address."""
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", self.text):
            assert (self.path.parent / target).exists()
