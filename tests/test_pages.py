"""Every block of Python on every page is run by some test, and no page is longer than one reads."""

from __future__ import annotations

import re

import pytest
from pages import BLOCK, DOCS, Page

TESTS = DOCS.parent / "tests"
PAGES = {path.relative_to(DOCS).as_posix(): path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md"))}
#: Tables that a tool writes of other packages' names.
LISTS = {"names-old.md"}


def count(text):
    return sum(block["language"] == "python" for block in BLOCK.finditer(text))


def test_each_page_with_code_has_a_test():
    tests = {path.name: path.read_text("utf-8") for path in TESTS.glob("test_*.py")}
    for name, text in PAGES.items():
        if count(text):
            short = name.rpartition("/")[2]
            where = [test for test, said in tests.items() if f'"{short}"' in said or f'"{short[:-3]}"' in said]
            if name.startswith("tutorial/"):
                where.append("test_tutorial.py")
            assert where, f"no test runs the blocks of docs/{name}"
    assert sum(map(count, PAGES.values())) > 180


def test_no_page_is_longer_than_one_reads():
    assert {name for name, text in PAGES.items() if text.count("\n") > 500} <= LISTS


@pytest.mark.parametrize("name", ["index.md"])
def test_what_the_first_page_prints(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = Page(name)
    (block,) = [block["text"] for block in BLOCK.finditer(page.text) if block["language"] == "python"]
    exec(compile(block, name, "exec"), {})
    (said,) = re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE)
    assert capsys.readouterr().out.strip() == said
