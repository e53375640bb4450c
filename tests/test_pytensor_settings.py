"""What PyTensor's configuration and who calls its linkers ask for: checks, flags, folders, cells, what ops lack."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from pytensors import pytensor

from opweld import blaslib
from opweld.pytensor import products
from opweld.pytensor.thunks import Thunk

pt = pytest.importorskip("pytensor.tensor")
Apply = pytest.importorskip("pytensor.graph.basic").Apply
FunctionGraph = pytest.importorskip("pytensor.graph.fg").FunctionGraph
COp = pytest.importorskip("pytensor.link.c.op").COp
modes = pytest.importorskip("pytensor.compile.mode")
ParamsType = pytest.importorskip("pytensor.link.c.params_type").ParamsType
scalar = pytest.importorskip("pytensor.scalar")
MODES = ("OPWELD", "OPWELD_C")
LINKERS = ("opweld", "opweld_c")


class Plus(COp):
    """A vector, and a number of Python's, added; it may say that nothing needs to be checked."""

    __props__ = ("extra",)

    def __init__(self, extra="", **said):
        self.extra = extra
        self.__dict__.update(said)

    def make_node(self, x, s):
        return Apply(self, [pt.as_tensor_variable(x), s], [pt.dvector()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] + inputs[1]

    def c_code(self, node, name, inputs, outputs, sub):
        (x, s), (z,) = inputs, outputs
        return f"""
        {self.extra}
        Py_XDECREF({z});
        {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
        if (!{z}) {{ {sub["fail"]} }}
        for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++) ((double *)PyArray_DATA({z}))[i] += {s};
        """

    def c_code_cache_version(self):
        return (1,)


def sources(f):
    """The C of a function's modules."""
    vm = f.vm
    return "".join([thunk.source() for thunk in ([vm] if isinstance(vm, Thunk) else vm.thunks)])


def argv_of(f):
    """What a function's module was compiled with."""
    module = Path(f.vm._code.built.path)
    key = module.name.split("-")[0]
    entry = module.parents[2] / "entry" / key[:2] / key
    return json.loads(entry.read_text().split("\n", 1)[1])["argv"]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("said", [None, False, True])
def test_check_input(mode, said):
    """Numbers that come from outside are tested unless the configuration says otherwise, and ops say nothing."""
    x, s = pt.dvector("x"), scalar.float64("s")
    op = Plus() if said is None else Plus(check_input=said)
    for checks in (True, False):
        with pytensor.config.change_flags(check_input=checks):
            f = pytensor.function([x, s], op(x, s), mode=mode)
            assert f([1.0, 2.0], 3.0).tolist() == [4, 5]
            assert ("Scalar check failed" in sources(f)) == checks
            f.trust_input = True
            if checks:
                with pytest.raises(ValueError, match="Scalar check failed"):
                    f(np.ones(1), "text")
            with pytest.raises(TypeError, match="expected"):  # arrays always are
                f(np.ones(1, "float32"), np.float64(1))


def test_the_dtype_of_a_number_is_declared_where_somebody_checks_what_he_reads():
    x, s = pt.dvector("x"), scalar.float64("s")
    for checks in (True, False):
        f = pytensor.function([x, s], Plus(check_input=checks)(x, s), mode="OPWELD")
        assert f([1.0], 2.0) == 3
        assert bool(re.search(r"typedef \w+ dtype_opw_V1;", sources(f))) == checks


@pytest.mark.parametrize("mode", MODES)
def test_flags(mode):
    """Processors, macros and levels of optimisation are the configuration's; exceptions stay in C++."""
    x, s = pt.dvector("x"), scalar.float64("s")
    flags = "-march=x86-64 -O1 -DOF_MINE=2 -fno-exceptions"
    with pytensor.config.change_flags(gcc__cxxflags=flags):
        f = pytensor.function([x, s], Plus("#if OF_MINE != 2\n#error\n#endif")(x, s), mode=mode)
        g = pytensor.function([x], pt.exp(x) + 1, mode=mode)
    assert f([1.0], 2.0) == 3 and g([0.0]) == 2
    for made in (argv_of(f), argv_of(g)):
        assert [word for word in made if word.startswith("-march")] == ["-march=x86-64"]
        assert [word for word in made if word.startswith("-O")][-1] == "-O1" and "-DOF_MINE=2" in made
        assert "-fno-exceptions" not in made
    with pytensor.config.change_flags(cmodule__remove_gxx_opt=True):
        made = argv_of(pytensor.function([x, s], Plus("/* slow */")(x, s), mode=mode))
    assert not [word for word in made if word.startswith("-O")] and "-g" in made


FOLDERS = """
import os, sys
import numpy as np, pytensor, pytensor.tensor as pt
import opweld.pytensor
x = pt.dvector("x")
f = pytensor.function([x], pt.exp(x) * 7, mode="OPWELD")
assert f([0.0]) == 7
print(os.path.relpath(f.vm._code.built.path, sys.argv[1]))
"""


@pytest.mark.parametrize("flags, inner", [("", "theirs/opweld/"), ("compiledir={}/ours", "ours/")])
def test_modules_lie_in_pytensors_folder_unless_opweld_has_one(tmp_path, flags, inner):
    env = {**os.environ, "PYTENSOR_FLAGS": f"compiledir={tmp_path}/theirs,blas__ldflags="}
    env["OPWELD_FLAGS"] = flags.format(tmp_path)
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(FOLDERS), str(tmp_path)],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(inner + "v2/module/")


@pytest.mark.parametrize("linker", LINKERS)
@pytest.mark.parametrize("given", [False, True])
def test_cells_are_those_that_are_given_or_else_new(linker, given):
    x, y = pt.dvectors("x", "y")
    between = x * y
    graph = FunctionGraph([x, y], [between + x, pt.cumsum(between)], clone=False)
    inputs, outputs = [[np.array([1.0, 2.0])], [np.array([3.0, 4.0])]], [[None], [None]]
    kept = {x: inputs[0]} if linker == "opweld_c" else {}
    more = {"input_storage": inputs, "output_storage": outputs, "storage_map": kept} if given else {}
    thunk, takes, gives = modes.predefined_linkers[linker].accept(graph).make_thunk(**more)
    if given:
        assert [c.storage is cell for c, cell in zip([*takes, *gives], [*inputs, *outputs])] == [True] * 4
        assert kept[graph.outputs[0]] is outputs[0] and kept[y] is inputs[1]
    for container, value in zip(takes, ([1.0, 2.0], [3.0, 4.0])):
        container.storage[0] = np.array(value)
    thunk()
    assert [c.data.tolist() for c in gives] == [[4, 10], [3, 11]]


class Marks(COp):
    """Says whether something lay in its output's place."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [pt.lvector()])

    def perform(self, node, inputs, outputs):
        raise AssertionError("Python was run")

    def c_code(self, node, name, inputs, outputs, sub):
        (z,) = outputs
        return f"""
        npy_intp n = 1;
        const npy_int64 there = {z} != NULL;
        Py_XDECREF({z});
        {z} = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_INT64);
        if (!{z}) {{ {sub["fail"]} }}
        *(npy_int64 *)PyArray_DATA({z}) = there;
        """


@pytest.mark.parametrize("linker", LINKERS)
def test_what_is_not_to_be_used_again_is_not(linker):
    """Neither for an op to write over, nor as what a failed call leaves in a cell."""
    x = pt.dvector("x")
    graph = FunctionGraph([x], [Marks()(x)], clone=False)
    accepted = modes.predefined_linkers[linker].accept(graph, no_recycling=list(graph.outputs))
    thunk, (takes,), (gives,) = accepted.make_thunk()
    takes.data = np.ones(1)
    found = []
    for _ in range(3):
        thunk()
        found.append(gives.data)
    assert [one.tolist() for one in found] == [[0]] * 3 and len({id(one) for one in found}) == 3


@pytest.mark.parametrize("mode", MODES)
def test_c_of_float16_runs_where_the_op_says_that_it_is_right(mode):
    class Copy(Marks):
        __props__ = ("ok",)

        def __init__(self, ok):
            self.ok = ok
            if ok:
                self._f16_ok = True

        def make_node(self, x):
            return Apply(self, [x], [pt.vector(dtype="float16")])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + np.float16(1)

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            copy = f"{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);"
            return f"Py_XDECREF({z});\n{copy}\nif (!{z}) {{ {sub['fail']} }}"

    x = pt.vector("x", dtype="float16")
    value = np.ones(2, "float16")
    assert pytensor.function([x], Copy(True)(x), mode=mode)(value).tolist() == [1, 1]
    assert pytensor.function([x], Copy(False)(x), mode=mode)(value).tolist() == [2, 2]


@pytest.mark.parametrize("mode", MODES)
def test_what_an_op_is_asked_and_when(mode):
    """Its preparation comes first; its params go through their type; it may say, late, that it has no C."""
    said = []

    class Late(Marks):
        __props__ = ()
        params_type = ParamsType(by=scalar.int64)
        ready = False

        @property
        def by(self):
            return 2.0  # no int64: the type makes it one

        def make_node(self, x):
            return Apply(self, [x], [pt.dvector()])

        def prepare_node(self, node, storage_map, compute_map, impl):
            said.append(impl)
            self.ready = True

        def perform(self, node, inputs, outputs, params=None):
            outputs[0][0] = inputs[0] * 2

        def c_code(self, node, name, inputs, outputs, sub):
            assert self.ready
            (x,), (z,) = inputs, outputs
            copy = f"{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);"
            twice = f"*(double *)PyArray_DATA({z}) *= {sub['params']}->by;"
            return f"Py_XDECREF({z});\n{copy}\nif (!{z}) {{ {sub['fail']} }}\n{twice}"

    class InPython(Late):
        def c_support_code_apply(self, node, name):
            raise NotImplementedError

        def c_code(self, node, name, inputs, outputs, sub):
            raise NotImplementedError

    x = pt.dvector("x")
    assert pytensor.function([x], Late()(x), mode=mode)([3.0]) == 6 and said[0] == "c"
    assert pytensor.function([x], InPython()(x), mode=mode)([3.0]) == 6


@pytest.mark.parametrize("mode", MODES)
def test_a_type_that_does_not_write_what_it_must_is_told(mode):
    """An op that does not write C is run in Python; a type that says it has C and does not is an error, as in stock."""
    type_ = pytest.importorskip("pytensor.link.c.type").CType

    class Odd(type_):
        __props__ = ()

        def filter(self, value, strict=False, allow_downcast=None):
            return value

        def c_declare(self, name, sub, check_input=True):
            raise NotImplementedError("Odd has no c_declare")

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return hash(type(self))

    class Reads(Marks):
        def make_node(self, x, odd):
            return Apply(self, [x, odd], [pt.lvector()])

    x, odd = pt.dvector("x"), Odd()("odd")
    with pytest.raises(NotImplementedError):
        pytensor.function([x, odd], Reads()(x, odd), mode=mode)


def test_the_blas_that_is_configured_counts(monkeypatch):
    flags = blaslib.wheel()
    if not flags:
        pytest.skip("no wheel of a BLAS is installed")
    monkeypatch.setattr(blaslib, "found", lambda compiler: "")
    blas = pytest.importorskip("pytensor.tensor.blas")
    A = pt.dmatrix("A")
    node = Apply(blas.Dot22(), [A, A], [pt.dmatrix()])
    assert products.written_of(node) is None
    with pytensor.config.change_flags(blas__ldflags=flags):
        assert products.written_of(node).shared("c_libraries")
        f = pytensor.function([A], blas.Dot22()(A, A), mode=modes.Mode("opweld_c", None))
    np.testing.assert_allclose(f(2 * np.eye(2)), 4 * np.eye(2))
