"""The notebooks run in Jupyter's own kernel: what they compare agrees, what fails is what should, and pictures come."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")
pytest.importorskip("nbclient")
pytest.importorskip("pandas")
nbformat = pytest.importorskip("nbformat")

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
spec = importlib.util.spec_from_file_location("opweld_notebooks", ROOT / "tools" / "notebooks.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


@pytest.fixture(scope="module", params=NOTEBOOKS)
def ran(request):
    """A notebook that has been run, and the folder in which."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
        return request.param, *tool.run(ROOT / "notebooks" / f"{request.param}.ipynb")


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_of(cells):
    return "".join(output.get("text", "") for cell in cells for output in cell.outputs)


def errors(cells):
    return [f"{one.ename}: {one.evalue}" for cell in cells for one in cell.outputs if one.output_type == "error"]


TOLD = {
    "tour": [
        r"TypeError: smooth\(\) argument 'x': .* got float64 of shape \(2, 2\)",
        r"(?s)CompileError: total does not compile: In\[\d+\]:3:10.*'y' undeclared",
        r"IndexError: steps: x\[400\] in line 1 of the body: x has 400 elements",
    ],
    "old_op": [r"(?s)BadThunkOutput: Ewma\{a=0.05\}\(x\): its C code and its perform do not agree on output 0"],
}
PICTURES = {"tour": 6, "old_op": 1}
PRINTED = {
    "tour": [r"opw_v\d+ \* opw_v\d+|opw_v\d+ = opw_v\d+ \+ opw_v\d+"],
    "old_op": [
        r"\[leaked-reference\]",
        r"\[strides-ignored\]",
        r"2 findings",
        r"nothing found",
        r"short form +[\d.]+ µs",
    ],
}


def test_what_fails_is_what_should(ran):
    name, notebook, _ = ran
    found = errors(code(notebook))
    assert len(found) == len(TOLD[name])
    for said, wanted in zip(found, TOLD[name]):
        assert re.match(wanted, said), said


def test_pictures_and_words(ran):
    name, notebook, _ = ran
    kinds = [kind for cell in code(notebook) for output in cell.outputs for kind in output.get("data", ())]
    assert kinds.count("image/png") + kinds.count("image/svg+xml") == PICTURES[name], kinds
    for wanted in PRINTED[name]:
        assert re.search(wanted, text_of(code(notebook)))


def test_nothing_is_said_to_stderr(ran):
    _, notebook, _ = ran
    said = [output.text for cell in code(notebook) for output in cell.outputs if output.get("name") == "stderr"]
    assert said == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_as_stored(name):
    """Without outputs, so that a difference in the history is one of the text; short enough to read."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None for cell in code(notebook))
    assert notebook.cells[0].cell_type == "markdown" and notebook.cells[0].source.startswith("# ")
    assert 10 <= len(notebook.cells) <= 40


def test_a_page_of_it(tmp_path, ran, monkeypatch):
    name, notebook, folder = ran
    monkeypatch.setattr(tool, "run", lambda path: (notebook, folder))
    source = tmp_path / "from"
    source.mkdir()
    (source / f"{name}.ipynb").write_text("{}")
    tool.pages(source, tmp_path / "to")
    page = (tmp_path / "to" / f"{name}.md").read_text(encoding="utf-8")
    assert folder not in page and "\x1b" not in page
    shown = re.findall(r"!\[.*?\]\((.*?)\)", page)
    assert len(shown) == PICTURES[name] and all((tmp_path / "to" / file).stat().st_size > 1000 for file in shown)
    for error in errors(code(notebook)):
        assert error.splitlines()[0] in page
