"""Users' own ops and types of PyTensor's in both modes, what fails in them, and what PyTensor is told of it."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.errors import CompileError, ProgramError
from opweld.pytensor import versions
from opweld.pytensor.thunks import Thunk

pt = pytest.importorskip("pytensor.tensor")
Apply = pytest.importorskip("pytensor.graph.basic").Apply
COp = pytest.importorskip("pytensor.link.c.op").COp
ParamsType = pytest.importorskip("pytensor.link.c.params_type").ParamsType
scalar = pytest.importorskip("pytensor.scalar")
MODES = ("OPWELD", "OPWELD_C")


class Scaled(COp):
    """The first sum of squares, times a param, with support code and state of its own: an old op as it lies."""

    __props__ = ("factor",)
    params_type = ParamsType(factor=scalar.float64)

    def __init__(self, factor):
        self.factor = float(factor)

    def make_node(self, x):
        return Apply(self, [pt.as_tensor_variable(x)], [pt.dscalar()])

    def c_support_code(self, **kwargs):
        return "static double square_of(double x) { return x * x; }"

    def c_support_code_apply(self, node, name):
        return f"static npy_intp length_{name}(PyArrayObject *x) {{ return PyArray_DIM(x, 0); }}"

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
        Py_XDECREF({z});
        {z} = (PyArrayObject *) PyArray_SimpleNew(0, NULL, NPY_DOUBLE);
        if (!{z}) {{ {sub["fail"]} }}
        if (length_{name}({x}) == 0) {{
            PyErr_SetString(PyExc_ValueError, "nothing to add");
            {sub["fail"]}
        }}
        double total = 0;
        for (npy_intp i = 0; i < length_{name}({x}); i++)
            total += square_of(*(dtype_{x} *) PyArray_GETPTR1({x}, i));
        *(dtype_{z} *) PyArray_DATA({z}) = total * {sub["params"]}->factor;
        """

    def c_code_cache_version(self):
        return (1,)

    def perform(self, node, inputs, outputs):
        raise AssertionError("Python was run")


@pytest.mark.parametrize("mode", MODES)
def test_a_users_op_inside_a_graph(mode):
    x = pt.dvector("x")
    f = pytensor.function([x], [Scaled(2.0)(pt.exp(x)) + 1, Scaled(3.0)(x)], mode=mode)
    found = f([0.0, 1.0])
    np.testing.assert_allclose(found, [2 * (1 + np.e**2) + 1, 3.0])


@pytest.mark.parametrize("mode", MODES)
def test_what_fails_is_told_with_its_node(mode):
    x = pt.dvector("x")
    f = pytensor.function([x], pt.sin(Scaled(2.0)(x[1:])), mode=mode)
    with (
        pytensor.config.change_flags(exception_verbosity="high"),
        pytest.raises(ValueError, match="nothing to add") as info,
    ):
        f([1.0])
    assert f([1.0, 2.0]) == np.sin(8.0)
    assert "Scaled" in str(info.value) and "Apply node that caused the error" in str(info.value)
    assert "Inputs shapes: [(0,)]" in str(info.value)


def test_a_capsule_is_what_a_machine_in_c_calls():
    x = pt.dvector("x")
    f = pytensor.function([x], Scaled(2.0)(x[1:]), mode="OPWELD_C")
    thunk = f.vm
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = api.PyCapsule_GetContext.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetContext.argtypes = [ctypes.py_object]
    run = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(api.PyCapsule_GetPointer(thunk.cthunk, None))
    context = api.PyCapsule_GetContext(thunk.cthunk)
    (errors,) = ctypes.cast(context, ctypes.POINTER(ctypes.py_object))[0:1]
    assert errors is thunk.error_storage
    (cell,) = thunk.inputs
    cell[0] = np.array([1.0, 2.0])
    assert run(context) == 0 and thunk.outputs[0][0] == 8
    cell[0] = np.array([1.0])
    assert run(context) == 1
    assert thunk.error_storage[0] is ValueError and str(thunk.error_storage[1]) == "nothing to add"
    assert isinstance(thunk.nodes[thunk.position_of_error].op, Scaled)
    cell[0] = None
    assert run(context) == 1 and str(thunk.error_storage[1]) == "expected an ndarray, not None"
    assert str(thunk).startswith("Thunk(") and "square_of" in thunk.source()


def test_cells_hold_one_object():
    x = pt.dvector("x")
    thunk = pytensor.function([x], x + 1, mode="OPWELD_C").vm
    thunk.inputs[0].clear()
    with pytest.raises(RuntimeError, match="a cell holds 0 objects, not one"):
        thunk()
    with pytest.raises(TypeError, match="takes 1 arguments at most, for its first cells, and none by name"):
        thunk.run(1, 2)
    with pytest.raises(TypeError, match="list of three"):
        thunk.run.capsule([])


@pytest.mark.parametrize(
    "value, kind",
    [("text", ValueError), (np.ones((2, 2)), TypeError), (np.ones(2, "float32"), TypeError),
     (np.frombuffer(b"\0" * 17, np.uint8)[1:].view("float64"), NotImplementedError)],
    ids=["text", "ndim", "dtype", "unaligned"],
)  # fmt: skip
def test_what_lies_in_a_cell_is_tested(value, kind):
    x = pt.dvector("x")
    f = pytensor.function([x], x + 1, mode="OPWELD")
    f.trust_input = True
    with pytest.raises(kind, match="expected"):
        f(value)


class Wrong(Scaled):
    def c_code(self, node, name, inputs, outputs, sub):
        return "this is no C;"


@pytest.mark.parametrize("mode", MODES)
def test_what_the_compiler_refuses_is_pytensors_error_with_the_users_line(mode):
    theirs = pytest.importorskip("pytensor.link.c.exceptions").CompileError
    x = pt.dvector("x")
    with pytest.raises(theirs) as info:
        pytensor.function([x], Wrong(2.0)(x), mode=mode)
    assert isinstance(info.value, CompileError)
    assert "this is no C;" in str(info.value) and "test_pytensor_ops.py" in str(info.value)


class Silent(Scaled):
    def c_code(self, node, name, inputs, outputs, sub):
        return sub["fail"]


def test_an_op_that_fails_without_an_exception():
    x = pt.dvector("x")
    with pytest.raises(RuntimeError, match=r"Silent.*without setting an exception"):
        pytensor.function([x], Silent(2.0)(x), mode="OPWELD")([1.0])


class Elsewhere(Scaled):
    __props__ = ("factor", "driver")

    def __init__(self, factor, driver):
        super().__init__(factor)
        self.driver = driver

    def c_compiler(self):
        return self.driver


def test_an_op_that_asks_for_a_compiler():
    missing = pytest.importorskip("pytensor.link.c.exceptions").MissingGXX
    theirs = pytest.importorskip("pytensor.link.c.cmodule").GCC_compiler
    x = pt.dvector("x")
    assert pytensor.function([x], Elsewhere(2.0, theirs)(x), mode="OPWELD")([1.0, 2.0]) == 10
    with pytest.raises(missing, match="no-such-compiler"):
        pytensor.function([x], Elsewhere(2.0, "no-such-compiler")(x), mode="OPWELD")


def test_ops_that_ask_for_different_compilers():
    """Each is compiled by its own, in a run of its own; one module has one compiler, and says whose wishes differ."""
    x = pt.dvector("x")
    total = Elsewhere(2.0, shutil.which("g++"))(x) + Elsewhere(3.0, shutil.which("c++"))(x)
    f = pytensor.function([x], total, mode="OPWELD")
    assert f([1.0, 2.0]) == 25 and len(f.vm.thunks) == 2
    with pytest.raises(ProgramError, match=r'Elsewhere: asks for the compiler ".*", but Elsewhere asks for'):
        pytensor.function([x], total, mode="OPWELD_C")


@pytest.mark.parametrize("mode", MODES)
def test_indexing_what_the_graph_computes(mode):
    """In a module of a whole graph PyTensor's Subtensor ends the process: what it reads is no object there."""
    x, k = pt.dvector("x"), pt.lscalar("k")
    y = pt.exp(x)[k:] * 2
    f = pytensor.function([x, k], [y[k : k + 2], pt.cumsum(y)[k:], pt.sort(x)[::-1][k]], mode=mode)
    value = np.arange(6.0)
    wanted = 2 * np.exp(value)[1:]
    for mine, theirs in zip(f(value, 1), (wanted[1:3], wanted.cumsum()[1:], 4.0)):
        np.testing.assert_allclose(mine, theirs)


class InPython(Scaled):
    def c_code(self, node, name, inputs, outputs, sub):
        raise NotImplementedError

    def perform(self, node, inputs, outputs):
        outputs[0][0] = np.asarray((inputs[0] ** 2).sum() * self.factor)


@pytest.mark.parametrize("mode", MODES)
def test_an_op_without_c_runs_in_python(mode):
    x = pt.dvector("x")
    assert pytensor.function([x], InPython(2.0)(x * 2) + 1, mode=mode)([1.0, 2.0]) == 41


def test_pytensors_own_modes_are_redirected_and_given_back():
    x = pt.dvector("x")
    opweld.pytensor.install()
    try:
        opweld.pytensor.install()
        assert opweld.pytensor.installed()
        for mode in ("CVM", "C", pytensor.compile.mode.Mode("c|py"), pytensor.compile.mode.Mode("cvm")):
            f = pytensor.function([x], x + 1, mode=mode)
            assert type(f.maker.linker).__module__ == "opweld.pytensor.linkers" and f([1.0]) == 2
    finally:
        opweld.pytensor.uninstall()
    assert not opweld.pytensor.installed()
    assert pytensor.compile.mode.predefined_linkers["c"].__module__.startswith("pytensor.")


def test_without_a_compiler_there_is_python():
    missing = pytest.importorskip("pytensor.link.c.exceptions").MissingGXX
    x = pt.dvector("x")
    with pytensor.config.change_flags(cxx=""):
        linker = opweld.pytensor.OPWELD.linker.__class__()
        f = pytensor.function([x], x + 1, mode=pytensor.compile.mode.Mode(linker, "fast_compile"))
        assert f([1.0]) == 2
        g = pytensor.function([x], x + 1, mode="OPWELD")  # its linker was made when there was a compiler
        assert g([1.0]) == 2 and not any(isinstance(thunk, Thunk) for thunk in g.vm.thunks)
        with pytest.raises(missing, match=r"config\.cxx is empty"):
            pytensor.function([x], x + 1, mode="OPWELD_C")


@pytest.mark.parametrize("version", ["2.34.0", "3.0.6", "4.0.0", "0+untagged"])
def test_other_versions_are_refused(version, monkeypatch):
    monkeypatch.setattr(pytensor, "__version__", version)
    with pytest.raises(
        ImportError, match=rf"works with PyTensor 3\.0\.7 or newer, before 4; this is {re.escape(version)}"
    ):
        versions.check()


@pytest.mark.parametrize("version", ["3.0.7", "3.1.0", "3.12.1+3.gabc"])
def test_these_versions_are_taken(version, monkeypatch):
    monkeypatch.setattr(pytensor, "__version__", version)
    versions.check()


def test_nothing_of_it_loads_unless_it_is_imported():
    code = "import sys, opweld, opweld.tensor; assert not [m for m in sys.modules if 'pytensor' in m]"
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ})


def test_a_second_process_compiles_nothing():
    code = textwrap.dedent("""
        import numpy as np, pytensor, pytensor.tensor as pt, opweld.pytensor
        x = pt.dvector("x")
        f = pytensor.function([x], pt.exp(x) * 3 + x[0], mode="OPWELD_C")
        print(f([0.0]), f.vm._code.built.hit)
    """)
    folder = str(opweld.config.compiledir)
    env = {**os.environ, "OPWELD_FLAGS": f"compiledir={folder}"}
    done = [
        subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True)
        for _ in range(2)
    ]
    assert [run.stdout.split() for run in done][1] == ["[3.]", "True"], done[1].stderr


def test_what_few_graphs_need_is_not_loaded():
    """PyTensor's module of errors loads setuptools, which takes longer than all of opweld's own."""
    code = textwrap.dedent("""
        import sys, pytensor
        before = set(sys.modules)
        import opweld.pytensor
        seldom = ("setuptools", "pytensor.link.c.exceptions", "opweld.compat", "opweld.pytensor.refused")
        print([name for name in seldom if name in set(sys.modules) - before])
    """)
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
