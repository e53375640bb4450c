"""The pages: what their blocks print and draw is what stands in them, links lead somewhere, and none is too long."""

from __future__ import annotations

import re
import sys
import textwrap

import pytest
from pages import BLOCK, DOCS, NOT_RUN, Page, plain_pictures

from opweld.rewriting import registry

PAGES = {path.relative_to(DOCS).as_posix(): Page(path) for path in sorted(DOCS.rglob("*.md"))}
#: One task in six manners: benchmarks/differs.py takes the blocks from the page, runs them and signs the figures.
SIX = "differs.md"
CONTRACT = next(
    section for section in PAGES["contract.md"].sections if section.startswith("## The op of the examples\n")
)
#: Pages of which each section can be read alone, and what stands before it: the page's head, or what it leads to.
ALONE = {
    **{name: CONTRACT for name in PAGES if name.startswith("contract")},
    **{name: PAGES[name].head for name in ("cop.md", "front-ends.md", "functions.md", "modes.md", "tensors.md")},
}
#: What pages take for granted.
GIVEN = {
    "elementwise.md": """
        import numpy as np
        import opweld
        import opweld.tensor as T
        """,
    "check.md": """
        import numpy as np
        """,
    "rewriting.md": """
        import opweld
        import opweld.tensor as T
        from opweld.graph.fgraph import FunctionGraph

        smooth = opweld.cop("x: T[n], a: T -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] * a;").op
        x = T.dvector("x")
        fgraph = FunctionGraph([x], [smooth(T.ones(3), 0.5) + x])
        """,
}


def runnable(text):
    """The blocks that are run."""
    blocks = [block for block in BLOCK.finditer(text) if not NOT_RUN.search(text, 0, block.start())]
    return [block for block in blocks if block["language"] in ("python", "console") or "// file:" in block["text"]]


def parts():
    """Each part of a page that is run by itself: the page's name, and the text."""
    for name, page in PAGES.items():
        if name in ALONE:
            for section in page.sections:
                if runnable(section):
                    before = "" if section is CONTRACT else ALONE[name]
                    yield pytest.param(name, before + section, id=f"{name[:-3]}: {section.partition(chr(10))[0][3:]}")
        elif name != SIX and runnable(page.text):
            yield pytest.param(name, page.text, id=name[:-3])


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder of the page's own; what it imports from there, and what it registers, goes with it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(registry, "rewrites", registry.rewrites)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.mark.parametrize(("name", "text"), [*parts()])
def test_blocks(name, text, here):
    if name == "pytensor.md":
        pytest.importorskip("pytensors")
    plain_pictures()
    page = PAGES[name]
    given = f"```python\n{textwrap.dedent(GIVEN[name])}```\n\n" if name in GIVEN else ""
    assert page.run_blocks(given + text, here) == len(runnable(given + text))
    if name.startswith("tutorial/"):
        assert page.check_pictures(here) == sorted(re.findall(r"!\[[^\]]+\]\(([^)/]+\.svg)\)", page.text))


def test_every_block_is_run():
    run = {name: [] for name in PAGES}
    for part in parts():
        name, text = part.values
        run[name] += [block["text"] for block in runnable(text)]
    run[SIX] = [block["text"] for block in runnable(PAGES[SIX].text)]
    left_out = 0
    for name, page in PAGES.items():
        blocks = [block["text"] for block in BLOCK.finditer(page.text) if block["language"] in ("python", "console")]
        left_out += len([text for text in blocks if text not in run[name]])
    assert sum(map(len, run.values())) > 180
    assert left_out <= 2, "a block that is not run says why, and there are few"


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    PAGES[name].check_links()


def test_no_page_is_longer_than_one_reads():
    assert [name for name, page in PAGES.items() if page.text.count("\n") > 500] == []
