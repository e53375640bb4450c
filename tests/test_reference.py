"""The reference: hooks that stand on one page and run, every error and every setting in a table, the cheat sheet."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from importlib import import_module

import pytest
from pages import DOCS, Page, same_picture

import opweld
from opweld import errors
from opweld.compile import debugmode

HOOKS = Page("hooks.md")
ROW = re.compile(r"(?m)^\| `(\w+)` \|.*\| `(.*)` \|$")


def rows(title):
    """Hook -> its line, of a section."""
    section = next(section for section in HOOKS.sections if section.startswith(f"## {title}\n"))
    return {hook: line.replace("\\|", "|") for hook, line in ROW.findall(section)}


def test_every_hook_of_the_engine_has_a_row():
    source = (DOCS.parent / "gen" / "hooks.go").read_text("utf-8")
    fields = re.findall(r'(?m)^\t\w+:\s+\{"(\w+)", ', source)
    assert len(fields) == 15
    assert {f"c_{field}" for field in fields} <= {*rows("Of a type"), *rows("Of an op")}
    known = {name for cls in (opweld.COp, opweld.CType) for name in dir(cls) if name.startswith("c_")}
    said = {*rows("Of a type"), *rows("Of an op"), *rows("Of either, for the build")}
    assert known - said <= LEFT_OUT, known - said - LEFT_OUT


#: Switches and what only the library's own types write: the contract says them.
LEFT_OUT = {"c_float16", "c_unversioned", "c_lang", "c_accept", "c_array", "c_is_simple"}


def hook(line, names):
    """A method that gives a line, with the names of the page replaced by those of the call."""

    def method(self, *args, **kwargs):
        given = names(*args)
        return re.sub(r"\b(py_)?(V|X|Z|FAIL)\b|NAME", lambda m: (m[1] or "") + given[m[2] or "NAME"], line)

    return method


def of_type(name, sub=None, check_input=True):
    return {"V": name, "FAIL": (sub or {}).get("fail", "")}


def of_op(*args):
    """Name things by whatever the hook is called with."""
    texts = [arg for arg in args if isinstance(arg, str)]
    lists = [arg for arg in args if isinstance(arg, (list, tuple))]
    sub = next((arg for arg in args if isinstance(arg, dict)), {})
    given = {"NAME": texts[0] if texts else "", "FAIL": sub.get("fail", "")}
    return given | dict(zip("XZ", (names[0] for names in lists)))


def test_the_lines_run():
    build = {
        name: lambda self, *a, line=line, **k: eval(line) for name, line in rows("Of either, for the build").items()
    }
    pieces = {name: hook(line, of_type) for name, line in rows("Of a type").items()}
    pieces["c_literal"] = lambda self, data: rows("Of a type")["c_literal"]
    pieces["c_element_type"] = lambda self: rows("Of a type")["c_element_type"]
    number = type("Number", (opweld.CType,), {"__props__": (), "filter": lambda self, v, *a, **k: float(v), **pieces})()
    texts = {name: hook(line, of_op) for name, line in rows("Of an op").items()}
    op = type("Everything", (opweld.COp,), {"itypes": [number], "otypes": [number], "c_lang": "c++", **build, **texts})
    a = number("a")
    f = opweld.function([a], op()(a))
    assert [f(4), f(4)] == [2 * 3 + 11, 2 * 3 + 12]
    with pytest.raises(ValueError, match="negative"):
        f(-1)
    assert f(0) == 13
    g = opweld.function([], op()(opweld.Constant(number, 2.5)))
    assert g() == 1.25 * 3 + 11


def test_every_class_of_errors_has_a_row():
    page = (DOCS / "errors.md").read_text("utf-8")
    named = set(re.findall(r"(?m)^\| `(\w+)` \|", page))
    own = {name for name in dir(debugmode) if isinstance(getattr(debugmode, name), type)}
    own = {name for name in own if issubclass(getattr(debugmode, name), errors.OpweldError)}
    assert {*errors.__all__} | own <= named, {*errors.__all__} | own - named


def settings():
    """The table of docs/configuration.md."""
    yield "| key | default | counts in | |\n|---|---|---|---|\n"
    for key, (default, _, counts, text) in import_module("opweld.settings").KEYS.items():
        shown = f"`{default!r}`" if default != "" else "empty"
        where = {None: "\N{EN DASH}", "program": "Program", "key": "the key", "neither": "neither"}[counts]
        yield f"| `{key}` | {shown} | {where} | {text} |\n"


TABLE = re.compile(r"(?m)^\| key \|.*\n(?:\|.*\n)+")


def test_every_setting_has_a_row():
    """``python tests/test_reference.py`` writes them anew."""
    assert TABLE.search((DOCS / "configuration.md").read_text("utf-8")).group() == "".join(settings())


def test_the_cheat_sheet_has_ten_macros():
    page = (DOCS / "cheatsheet.md").read_text("utf-8")
    macros = re.findall(r"(?m)^\| `(PyArray_\w+)\(", page)
    assert len(macros) == 10 == len(set(macros))
    assert all(f"{macro}(" in page.split("```python")[1] for macro in macros), "each is used in the op of the page"


def module(path):
    """A tool, imported by its path."""
    spec = importlib.util.spec_from_file_location(f"opweld_{path.stem}", path)
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # dataclasses look there
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize("name", ["way", "frame", "owns", "key", "unfused", "fused"])
def test_pictures(name):
    """They look as what they show is made now (python tools/pictures.py draws them anew)."""
    pictures = module(DOCS.parent / "tools" / "pictures.py")
    assert set(pictures.PICTURES) == {"way", "frame", "owns", "key", "unfused", "fused"}
    assert same_picture((DOCS / f"{name}.svg").read_text("utf-8"), pictures.PICTURES[name]())
    assert f"]({name}.svg)" in (DOCS / "how-it-works.md").read_text("utf-8")


def test_a_picture_of_something_else_is_not_drawn(monkeypatch):
    pictures = module(DOCS.parent / "tools" / "pictures.py")
    monkeypatch.setattr(pictures, "SAYS", {**pictures.SAYS, "colour": "of the moon"})
    with pytest.raises(SystemExit, match="a key is made otherwise"):
        pictures.key()
    monkeypatch.setattr(pictures, "WAY", (("nowhere", "python/opweld/none.py", "#fff"),))
    with pytest.raises(SystemExit, match=r"there is no python/opweld/none\.py"):
        pictures.way()


DIFFERS = module(DOCS.parent / "benchmarks" / "differs.py")
REPORT = module(DOCS.parent / "benchmarks" / "report.py")


def test_figures_are_of_the_code_that_is_shown():
    page = DIFFERS.PAGE.read_text("utf-8")
    found = DIFFERS.files()
    assert {part for parts in DIFFERS.MANNERS.values() for part in parts} == set(found)
    figures = page.partition("<!-- figures")[2].partition("<!-- end -->")[0]
    assert f"code {DIFFERS.digest(found)}." in figures, "measure again: python benchmarks/differs.py"
    for name, parts in DIFFERS.MANNERS.items():
        lines = sum(1 for part in parts for line in found[part].splitlines() if line.strip())
        assert re.search(rf"(?m)^\| {name} \| {lines} \|", figures)


def test_figures_of_benchmarks_are_as_a_run_wrote_them(tmp_path):
    names = [f"benchmarks-{page}.md" if page else "benchmarks.md" for page in REPORT.PAGES]
    assert len(names) > 1 and {path.name for path in DOCS.glob("benchmarks*.md")} == set(names)
    for name in names:
        page = (DOCS / name).read_text("utf-8")
        text, _, _ = page.rpartition("\n<!-- a run wrote this: ")
        assert text and page == REPORT.signed(text, DOCS), "measure again: make bench BENCH_ARGS=--write"
        assert REPORT.signed(text.replace("1", "2", 1), DOCS) != page.replace("1", "2", 1)
    (tmp_path / "plot.svg").write_text("<svg/>")
    before = REPORT.signed("![It](plot.svg)", tmp_path)
    (tmp_path / "plot.svg").write_text("")
    assert REPORT.signed("![It](plot.svg)", tmp_path) != before


@pytest.mark.parametrize("name", ["opweld", "PyTensor"])
def test_the_manners_that_can_run_here_do_the_same(name, tmp_path):
    if name == "PyTensor":
        pytest.importorskip("pytensor")
    for part in DIFFERS.MANNERS[name]:
        (tmp_path / part).write_text(DIFFERS.files()[part])
    text = DIFFERS.FIRST.format(module=DIFFERS.MANNERS[name][-1].removesuffix(".py"))
    first, second, third = json.loads(DIFFERS.ran(sys.executable, text, tmp_path)[1].splitlines()[-1])
    assert (first, second) == (1, 0.9) and third == pytest.approx(2 + 0.9 * (0.9 - 2))


if __name__ == "__main__":
    page = DOCS / "configuration.md"
    page.write_text(TABLE.sub(lambda _: "".join(settings()), page.read_text("utf-8")), "utf-8")
