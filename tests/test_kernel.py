"""Jupyter's own kernel, in a process of its own: cells of C, what they show, and how long a mistake is told."""

import os
import sys

import pytest

pytest.importorskip("ipykernel")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

from opweld import scaffold  # noqa: E402  (after what may not be there)

SMOOTH = """%%cop smooth(x: T[n], a: T) -> y: T[n]
y[0] = x[0];
for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);
"""
CELLS = (
    "import numpy as np, opweld\nimport opweld.tensor as T\nfrom opweld.picture import picture\n%load_ext opweld",
    SMOOTH,
    "smooth(np.array([1., 0, 0, 2]), 0.5)",
    "%%cop wrong(x: T[n]) -> y: T\ndouble a = 1;\ny = q;",
    "wrong(np.ones(3))",
    "x = T.dvector('x')\nf = opweld.function([x], T.exp(x) * 2)\npicture(f)",
    "f(np.zeros((2, 2)))",
    "f(np.zeros(2))",
)


def run(cells, folder, fails=False):
    """Run cells; the outputs of each."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    paths = os.pathsep.join(path for path in sys.path if path)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", allow_errors=fails)
    client.execute(env={**os.environ, "PYTHONPATH": paths, "IPYTHONDIR": str(folder)}, cwd=str(folder))
    return [cell.outputs for cell in notebook.cells]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    return run(CELLS, tmp_path_factory.mktemp("kernel"), fails=True)


def results(outputs):
    return [one for one in outputs if one.output_type == "execute_result"]


def test_cells_of_c(outputs):
    assert results(outputs[1]) == [] and results(outputs[3]) == []
    (value,) = results(outputs[2])
    assert value.data["text/plain"] == "array([1.   , 0.5  , 0.25 , 1.125])"
    (value,) = results(outputs[7])
    assert value.data["text/plain"] == "array([2., 2.])"


def test_a_picture_is_shown(outputs):
    (shown,) = results(outputs[5])
    assert "<svg" in shown.data.get("image/svg+xml", shown.data.get("text/html", ""))


def test_a_mistake_is_told_in_the_cell(outputs):
    (error,) = [one for one in outputs[4] if one.output_type == "error"]
    assert error.ename == "CompileError"
    assert error.evalue.startswith("wrong does not compile: In[4]:3:5\n  'q' undeclared (first use in this function)\n")
    frames = [line for line in "\n".join(error.traceback).splitlines() if "/opweld/" in line]
    assert len(frames) <= 1, error.traceback  # where the compiler's output lies


def test_a_wrong_argument_is_told_shortly(outputs):
    (error,) = [one for one in outputs[6] if one.output_type == "error"]
    assert error.ename == "TypeError" and error.evalue.endswith("pass x[0]")
    assert len("\n".join(error.traceback).splitlines()) <= 8


def test_progress_is_one_line_that_goes(outputs):
    """What builds show is taken back when they are done: a notebook keeps nothing of it."""
    for one in outputs[2] + outputs[5]:
        assert one.output_type != "stream", one


def test_the_notebook_of_a_new_package(tmp_path):
    scaffold.write("my_ops", str(tmp_path))
    package = tmp_path / "my_ops"
    notebook = nbformat.read(package / "my_ops.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    path = [f"import sys; sys.path.insert(0, {str(package / 'src')!r})"]
    shown = run(path + code, tmp_path)
    assert any("image/svg+xml" in one.data or "text/html" in one.data for cell in shown for one in results(cell))
