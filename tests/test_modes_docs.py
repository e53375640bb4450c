"""docs/modes.md says what is so."""

import re

from pages import Page

from opweld.config import OPTIONS

PAGE = Page("modes.md")


def test_the_table_of_options_says_where_each_counts():
    found = {}
    rows = re.findall(r"(?m)^\| (?:Program|the key|neither).*$", PAGE.text)
    for where, row in zip(("program", "key", "neither"), rows, strict=True):
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", row), where))
    assert found == OPTIONS
