"""PyTensor's DebugMode on opweld's C, its settings of what fails in rewriting, and files of its cache."""

import os
import pdb
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.pytensor.thunks import Thunk

pt = pytest.importorskip("pytensor.tensor")
Apply = pytest.importorskip("pytensor.graph.basic").Apply
COp = pytest.importorskip("pytensor.link.c.op").COp
debug = pytest.importorskip("pytensor.compile.debug.debugmode")
rewriting = pytest.importorskip("pytensor.graph.rewriting.basic")
modes = pytest.importorskip("pytensor.compile.mode")


@pytest.fixture
def installed():
    """PyTensor's own modes by opweld, for one test."""
    opweld.pytensor.install()
    yield
    opweld.pytensor.uninstall()


class Twice(COp):
    """Twice a vector; `wrong`: what its C does wrong."""

    __props__ = ("wrong",)

    def __init__(self, wrong=""):
        self.wrong = wrong

    def make_node(self, x):
        x = pt.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        factor = 3 if self.wrong == "value" else 2
        target = x if self.wrong == "destroys" else z
        return f"""
        Py_XDECREF({z});
        {z} = (PyArrayObject *) PyArray_SimpleNew(1, PyArray_DIMS({x}), NPY_DOUBLE);
        if (!{z}) {{ {sub["fail"]} }}
        for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) {{
            *(double *) PyArray_GETPTR1({z}, i) = {factor} * *(double *) PyArray_GETPTR1({x}, i);
            *(double *) PyArray_GETPTR1({target}, i) = {factor} * *(double *) PyArray_GETPTR1({x}, i);
        }}
        """

    def c_code_cache_version(self):
        return (1,)


def test_debugmode_runs_opwelds_c(installed, monkeypatch):
    """Elementwise nodes, folds, parts and a user's op; their thunks are of opweld, and what is right passes."""
    made = []
    before = COp.make_c_thunk

    def noted(*args):
        found = before(*args)
        made.append(found.thunk)
        return found

    monkeypatch.setattr(COp, "make_c_thunk", noted)
    x = pt.dvector("x")
    outputs = [x.sum() + x[1:].max() + pt.exp(x), Twice()(x)[::-1], x[np.array([0, 0])], pt.set_subtensor(x[:2], 0.0)]
    f = pytensor.function([x], outputs, mode="DebugMode")
    for wanted, found in zip([np.exp([1.0, 2.0, 3.0]) + 9, [6, 4, 2], [1, 1], [0, 0, 3]], f([1.0, 2.0, 3.0])):
        np.testing.assert_allclose(found, wanted)
    assert made and all(isinstance(thunk, Thunk) for thunk in made)


@pytest.mark.parametrize("wrong, error", [("value", "BadThunkOutput"), ("destroys", "BadDestroyMap")])
def test_debugmode_finds_what_is_wrong(installed, wrong, error):
    """A value that differs from perform's, and an input that is written over."""
    x = pt.dvector("x")
    f = pytensor.function([x], Twice(wrong)(x), mode="DebugMode")
    with pytest.raises(getattr(debug, error)):
        f([1.0, 2.0])


def test_pytensors_thunks_come_back():
    """After `uninstall` a node's thunk is PyTensor's own."""
    before = COp.make_c_thunk
    opweld.pytensor.install()
    opweld.pytensor.install()
    assert COp.make_c_thunk is not before
    opweld.pytensor.uninstall()
    assert COp.make_c_thunk is before


@pytest.mark.parametrize("mode", ["OPWELD", "OPWELD_C"])
def test_on_opt_error(mode, monkeypatch, caplog):
    """A rewriter that fails is warned of, raised, debugged or ignored as ``on_opt_error`` says, here as elsewhere."""

    @rewriting.node_rewriter([pt.exp])
    def fails(fgraph, node):
        raise ArithmeticError("this rewriter fails")

    x = pt.dvector("x")
    ours = pytensor.compile.mode.get_mode(mode)
    with_it = ours.register((rewriting.dfs_rewriter(fails, ignore_newtrees=True), 1.5))
    with pytensor.config.change_flags(on_opt_error="raise"), pytest.raises(ArithmeticError, match="this rewriter"):
        pytensor.function([x], pt.exp(x), mode=with_it)
    debugged = []
    monkeypatch.setattr(pdb, "post_mortem", debugged.append)
    for said in ("ignore", "warn", "pdb"):
        caplog.clear()
        with pytensor.config.change_flags(on_opt_error=said):
            f = pytensor.function([x], pt.exp(x), mode=with_it)
        np.testing.assert_allclose(f([0.0]), [1.0])
        assert ("this rewriter fails" in caplog.text) == (said != "ignore")
        assert len(debugged) == (said == "pdb")


def test_no_file_of_pytensors_cache_is_opened(tmp_path):
    """Neither its modules `cutils_ext` and `lazylinker_ext` nor its lock; not for Scan and lazy ops either."""
    script = textwrap.dedent("""
        import os, sys
        opened = []
        names = ("open", "os.remove", "os.rename", "os.mkdir", "import")
        sys.addaudithook(lambda name, args: opened.append(str(args[0])) if name in names else None)
        import numpy as np, pytensor, pytensor.tensor as pt
        from pytensor.ifelse import ifelse
        import opweld.pytensor
        x = pt.dvector("x")
        sums = pytensor.scan(lambda a, b: a + b, sequences=[x], outputs_info=[pt.zeros(())], return_updates=False)
        f = pytensor.function([x], [pt.exp(x).sum(), sums, ifelse(x[0] > 0, x * 2, x * 3)], mode="OPWELD")
        assert f([1.0, 2.0])[2][1] == 4
        folder = str(pytensor.config.compiledir)
        ours = os.path.join(folder, "opweld")
        theirs = [path for path in opened if path.startswith(folder + os.sep) and not path.startswith(ours)]
        print([os.path.relpath(path, folder) for path in theirs])
        print([name for name in sys.modules if "cutils_ext" in name or "lazylinker" in name])
    """)
    env = {**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={tmp_path},blas__ldflags="}
    for found in ("['__init__.py']", "[]"):  # the folder is made once, by PyTensor's configuration
        run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.splitlines() == [found, "[]"]


MACHINES = """
import os, sys
import numpy as np, pytensor, pytensor.tensor as pt
import opweld.pytensor
from pytensor.compile.mode import Mode
from pytensor.link.vm import VMLinker
opweld.pytensor.install()
x = pt.dvector("x")
for mode in (Mode(VMLinker(use_cloop=True), "fast_run"), "FAST_COMPILE", "CVM"):
    f = pytensor.function([x], [pt.exp(x) * 2, pt.cumsum(x)], mode=mode)
    np.testing.assert_allclose(f([0.0, 1.0]), [[2, 2 * np.e], [0, 1]])
    print(type(f.vm).__name__)
from pytensor.link.c import cutils, lazylinker_c
assert lazylinker_c.version == lazylinker_c.get_version() == sys.modules["lazylinker_ext"]._version
g = pytensor.function([x], x + 1, mode="OPWELD_C")
assert cutils.run_cthunk(g.vm.cthunk) != 0  # nothing lies in its cells
opweld.pytensor.uninstall()
assert not any(type(finder).__name__ == "Modules" for finder in sys.meta_path)
folder = str(pytensor.config.compiledir)
left = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
print(sorted(os.path.relpath(path, folder) for path in left if not path.startswith(folder + "/opweld/")))
print(sum(path.endswith(".so") for path in left))
"""


def test_pytensors_own_modules_are_built_in_opwelds_cache(tmp_path):
    """PyTensor's machine in C runs opweld's thunks; neither a lock nor a module of PyTensor's lies in its folder."""
    env = {**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={tmp_path},blas__ldflags="}
    said = []
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", MACHINES], env=env, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        said.append(run.stdout.splitlines())
    assert said[0] == said[1] and said[0][0] == "CVM"
    assert said[0][3] == "['__init__.py', 'cutils_ext/__init__.py', 'lazylinker_ext/__init__.py']"


def test_pytensors_own_modules_are_left_to_it_where_they_cannot_be_built(monkeypatch):
    from opweld.pytensor import modules

    finder = modules.Modules()
    assert finder.find_spec("lazylinker") is None and finder.find_spec("lazylinker_ext.other") is None
    monkeypatch.setitem(modules._TEXTS, "lazylinker_ext", lambda: "no C\n")
    assert finder.find_spec("lazylinker_ext") is None
    with pytensor.config.change_flags(cxx=""):
        assert finder.find_spec("cutils_ext") is None


@pytest.mark.parametrize("linker", ["opweld", "opweld_c", "cvm"])
def test_constants_that_are_inputs_are_read_from_their_cells(linker, installed):
    x, one = pt.constant(np.float64(999)), pt.constant(np.float64(1))
    graph = pytensor.graph.fg.FunctionGraph([x, one], [x - one], clone=False)
    made = pytensor.link.vm.VMLinker(use_cloop=True) if linker == "cvm" else modes.predefined_linkers[linker]
    thunk, inputs, outputs = made.accept(graph).make_thunk()
    for given, wanted in (((10, 1), 9), ((10, 0), 10)):
        for cell, value in zip(inputs, given, strict=True):
            cell.data = np.asarray(float(value))
        thunk()
        assert outputs[0].data == wanted
