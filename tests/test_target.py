"""A module of several functions, under a name of its own: what is rendered is linked with the runtime and imported."""

import importlib.util
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import engine
from opweld.compile import buildrequest, toolchain
from opweld.compile.code import Code
from opweld.errors import ProgramError
from opweld.external import ExternalCOp
from opweld.graph.basic import Apply


class Half(opweld.COp):
    """One half of a vector, by C that has a type of its own to print."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
Py_XDECREF({z});
{z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
if (!{z}) {{ {sub["fail"]} }}
for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++)
    *(double*)PyArray_GETPTR1({z}, i) /= 2;
"""

    def c_code_cache_version(self):
        return (1,)


def built(name, functions, folder):
    """A module of some functions, compiled as the text says and imported under its name."""
    answer = engine.render(*[f.maker.program.text for f in functions], module=name)
    source, made = folder / f"{name}.{'cc' if answer['lang'] == 'c++' else 'c'}", folder / f"{name}.so"
    source.write_text(answer["text"])
    driver = toolchain.driver(answer["lang"])
    include = [f"-I{path}" for path in buildrequest.include_dirs()]
    subprocess.run(
        [driver.path, "-shared", "-fPIC", "-O1", "-fwrapv", "-fvisibility=hidden", *include, str(source),
         buildrequest.runtime_object(), "-lm", "-o", str(made)],
        check=True,
    )  # fmt: skip
    spec = importlib.util.spec_from_file_location(name, made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, answer["text"]


def bind(module, index, f):
    """The function at a place in a module, with the objects of one that was made alone."""
    maker, whole = f.maker, f.maker.code

    class Placed:
        @staticmethod
        def make(_first, *objects):
            return module.make(index, *objects)

    try:
        maker.code = Code(whole.graph, whole.program, SimpleNamespace(module=Placed), whole.fused)
        return maker.create()
    finally:
        maker.code = whole


def graphs():
    x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
    total = opweld.shared(np.float64(0), "total")
    half = Half()
    return [
        opweld.function([x, y], half(x) + y * 3.0, name="mixed"),
        opweld.function([m], [m.sum(0), half(m[0])], name="rows"),
        opweld.function([x], total + x.sum(), updates={total: total + x.sum()}, name="tally"),
        opweld.function([y], half(half(y)) + 1.0, name="quarter"),
    ]


def test_a_module_of_several_functions(tmp_path):
    alone = graphs()
    module, text = built("ours", alone, tmp_path)
    assert "PyInit_ours" in text and module.__name__ == "ours"
    assert text.count('#line 1 "Half.c_code"') == 1  # four nodes of three functions share the op's C
    mixed, rows, tally, quarter = [bind(module, i, f) for i, f in enumerate(alone)]
    x, y, m = np.array([1.0, 2.0]), np.array([10.0, 20.0]), np.arange(6.0).reshape(2, 3)
    for _ in range(2):
        assert mixed(x, y).tolist() == (x / 2 + y * 3).tolist()
        assert [a.tolist() for a in rows(m)] == [[3.0, 5.0, 7.0], [0.0, 0.5, 1.0]]
        assert quarter(y=y).tolist() == [3.5, 6.0]
    assert [float(tally(x)) for _ in range(3)] == [3.0, 6.0, 9.0]
    assert float(alone[2](x)) == 12.0  # the same cell
    with pytest.raises(TypeError, match=r"rows\(\)"):
        rows()
    with pytest.raises(ValueError, match="could not be broadcast"):
        mixed(x, np.zeros(3))
    for i, f in enumerate((mixed, rows, tally, quarter)):
        assert f.__name__ == alone[i].__name__


def test_the_order_of_functions_is_that_of_programs(tmp_path):
    alone = graphs()[:2]
    module, _ = built("turned", alone[::-1], tmp_path)
    assert bind(module, 1, alone[0])([2.0], [1.0]).tolist() == [4.0]
    assert [a.tolist() for a in bind(module, 0, alone[1])([[2.0]])] == [[2.0], [1.0]]


def test_an_op_that_keeps_state_has_a_function_in_each(tmp_path):
    """Two functions of one module share no counter."""
    counter = tmp_path / "counter.c"
    counter.write_text("""#section support_code_apply
static double APPLY_SPECIFIC(calls) = 0;
int APPLY_SPECIFIC(count)(double* out) { *out = ++APPLY_SPECIFIC(calls); return 0; }
""")

    class Counter(ExternalCOp):
        __props__ = ()

        def __init__(self):
            super().__init__(str(counter))

        def make_node(self, x):
            return Apply(self, [T.as_tensor_variable(x)], [T.dscalar()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"""
{outputs[0]} = {outputs[0]} ? {outputs[0]} : (PyArrayObject*)PyArray_SimpleNew(0, NULL, NPY_DOUBLE);
if (!{outputs[0]}) {{ {sub["fail"]} }}
count_{name}((double*)PyArray_DATA({outputs[0]}));
"""

    x = T.dvector("x")
    alone = [opweld.function([x], Counter()(x), name=name) for name in ("one", "other")]
    module, _ = built("counting", alone, tmp_path)
    one, other = [bind(module, i, f) for i, f in enumerate(alone)]
    assert [float(one([0.0])), float(one([0.0])), float(other([0.0]))] == [1.0, 2.0, 1.0]


@pytest.mark.parametrize("name", ["", "two words", "a-b", "1st", 'x"; #error'])
def test_names_that_no_module_can_have(name):
    with pytest.raises(ProgramError, match="module: expected an identifier"):
        engine.render(graphs()[0].maker.program.text, module=name)


def test_a_module_without_functions():
    with pytest.raises(ProgramError, match="programs: a module has one function at least, got none"):
        engine.render()
