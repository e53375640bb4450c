"""docs/pytensor.md says what is so: its blocks run, one after the other."""

import pytest
from pages import Page
from pytensors import pytensor  # noqa: F401  (skips where there is none)

PAGE = Page("pytensor.md")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_blocks():
    PAGE.run(next(section for section in PAGE.sections if "```python" in section))


def test_links_lead_somewhere():
    PAGE.check_links()
