"""docs/functions.md says what is so: its blocks run, section by section."""

from pages import Page

PAGE = Page("functions.md")


@PAGE.each_section
def test_section(section):
    PAGE.run(section)


def test_links_lead_somewhere():
    PAGE.check_links()
