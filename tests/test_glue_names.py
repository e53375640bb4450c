"""A user's macros and names never meet the glue's: those begin with ``opw_``."""

from __future__ import annotations

import numpy as np
import pytest
from kit import tensor

import opweld
import opweld.tensor as T
from opweld import Apply, COp, CType, Op, scalar
from opweld.tensor import Elemwise

NAMES = """
    V V0 V1 V2 V3 V10 VP T0 T1 K F L C py_V py_V0 storage_V dtype_V dtype_V0 type_num_V0 n p s i j k m t
    r v v0 v1 v2 acc one other others accumulators out in self frame slots slot at head state structs
    kept keep keeping offered init run undo take give make drop box value local name label size adopt
    leave sync accept input inputs output outputs loop inner fold join store identity combine columns
    load failure fail cleanup body scope get save type steps node result results
""".split()
MACROS = "\n".join(f"#define {name} 3 +" for name in NAMES)


class Hostile(COp):
    """x + 1, behind macros of every name that comes to mind."""

    __props__ = ("lang", "struct")

    def __init__(self, lang, struct=False):
        self.lang = self.c_lang = lang
        self.struct = struct

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_support_code(self):
        return MACROS

    def c_support_code_apply(self, node, name):
        return f"static int {name}(void) {{ return 1; }}"  # the bare name is the op's to use

    def c_support_code_struct(self, node, name):
        return "double of_the_op = 0;" if self.struct else ""

    def c_init_code_struct(self, node, name, sub):
        return "of_the_op = 0;" if self.struct else ""

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            npy_intp counting;
            Py_XDECREF({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
            if ({z} == NULL) {sub["fail"]}
            for (counting = 0; counting < PyArray_SIZE({z}); counting++)
                ((double *)PyArray_DATA({z}))[counting] += {name}(){" + of_the_op" if self.struct else ""};
        """

    def c_code_cache_version(self):
        return (1,)


class Twice(scalar.UnaryScalarOp):
    """2 x, by a user's C inside of the engine's loop."""

    def __init__(self, lang):
        super().__init__(scalar.same_out, name="twice")
        self.c_lang = lang

    def impl(self, x):
        return 2 * x

    def c_support_code(self):
        return MACROS

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = 2 * {inputs[0]};"

    def c_code_cache_version(self):
        return (1,)


class Halved(Op):
    """In Python."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] / 2


class Text(CType):
    """A float whose type brings the macros."""

    __props__ = ("c_lang",)

    def __init__(self, lang):
        self.c_lang = lang

    def filter(self, given, strict=False, allow_downcast=None):
        return float(given)

    def c_support_code(self):
        return MACROS

    def c_declare(self, name, sub, check_input=True):
        return f"double {name}; int {name}_told;"

    def c_init(self, name, sub):
        return f"{name} = 0; {name}_told = 0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"{name} = PyFloat_AsDouble(py_{name}); {name}_told = storage_{name} != NULL;"

    def c_sync(self, name, sub):
        return f"Py_XDECREF(py_{name}); py_{name} = PyFloat_FromDouble({name});"

    def c_cleanup(self, name, sub):
        return f"{name}_told = 0;"

    def c_code_cache_version(self):
        return (1,)


class Sum(COp):
    """The sum of two."""

    __props__ = ("lang",)
    params_type = scalar.float64

    def __init__(self, lang):
        self.lang = self.c_lang = lang

    def get_params(self, node):
        return 0.5

    def make_node(self, a, b):
        return Apply(self, [a, b], [a.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} + {inputs[1]} + {sub['params']};"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_macros_of_all_names(lang):
    x = tensor("float64", 1, "x")
    k = opweld.Constant(x.type, np.ones(3))
    v = Hostile(lang)(x)
    w = Elemwise(Twice(lang))(v) + T.sqrt(v) * k
    f = opweld.function([x], [w.sum(), Halved()(w), Hostile(lang)(k), T.max(v)])
    given = np.arange(3.0)
    want = 2 * (given + 1) + np.sqrt(given + 1)
    for _ in range(2):
        total, half, constant, _ = f(given)
        np.testing.assert_allclose(total, want.sum())
        np.testing.assert_allclose(half, want / 2)
        assert constant.tolist() == [2, 2, 2]


def test_macros_beside_state():
    x = tensor("float64", 1, "x")
    f = opweld.function([x], Hostile("c++", struct=True)(x))
    assert [f(np.zeros(2)).tolist() for _ in range(2)] == [[1, 1]] * 2


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_macros_of_a_type(lang):
    kind = Text(lang)
    a, b = kind("a"), kind("b")
    f = opweld.function([a, b], Sum(lang)(Sum(lang)(a, b), opweld.Constant(kind, 3.0)))
    assert f(1, 2) == 1 + 2 + 3 + 2 * 0.5
    with pytest.raises(TypeError):
        f(1, [])


def test_a_kernel_may_define_its_own_name():
    x = tensor("float64", 1, "x")
    assert "static int Hostile_" in opweld.source(opweld.function([x], Hostile("c")(x)))
