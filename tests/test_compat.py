"""Code written for Theano, Aesara and PyTensor: the import is the only line that changes."""

import importlib.util
import re
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import compat
from opweld.compat.table import TREES
from opweld.compile.ops import DeepCopyOp as OwnDeepCopyOp
from opweld.rewriting import registry

# An op as Theano's users write it: methods of gof.Op, C++ in the fragments, C that the apply's dtypes go into.
CLIPPED = '''
import numpy
import theano
import theano.tensor as T
from theano import gof
from theano.tensor.opt import get_scalar_constant_value, NotScalarConstantError


class Clipped(gof.Op):
    """Each element of a vector, at most as large as the bound."""

    __props__ = ("bound",)

    def __init__(self, bound):
        self.bound = bound

    def make_node(self, v):
        v = T.as_tensor_variable(v)
        if v.ndim != 1:
            raise TypeError("a vector is needed")
        kind = theano.tensor.TensorType(dtype=theano.scalar.upcast(v.dtype, "float32"), broadcastable=[False])
        return gof.Apply(self, [v], [kind()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = numpy.minimum(inputs[0], self.bound).astype(node.outputs[0].dtype)

    def c_support_code(self):
        return """
        template <typename N> static N at_most(N value, double bound) { return value < bound ? value : (N)bound; }
        """

    def c_code(self, node, name, inp, out, sub):
        v, = inp
        z, = out
        bound, fail = self.bound, sub['fail']
        return """
        npy_intp n = PyArray_DIMS(%(v)s)[0];
        if (%(z)s == NULL || PyArray_DIMS(%(z)s)[0] != n) {
            Py_XDECREF(%(z)s);
            %(z)s = (PyArrayObject*)PyArray_EMPTY(1, &n, type_num_%(z)s, 0);
            if (%(z)s == NULL) { %(fail)s; }
        }
        for (npy_intp i = 0; i < n; i++) {
            auto value = *(dtype_%(z)s*)PyArray_GETPTR1(%(v)s, i);
            *(dtype_%(z)s*)PyArray_GETPTR1(%(z)s, i) = at_most(value, %(bound)s);
        }
        """ % locals()

    def c_code_cache_version(self):
        return (1,)


clipped = Clipped(2.0)


@theano.tensor.opt.register_specialize
@theano.gof.local_optimizer([clipped])
def local_clipped_of_small(node):
    if node.op == clipped:
        try:
            if get_scalar_constant_value(node.inputs[0]) <= 2:
                return [node.inputs[0]]
        except NotScalarConstantError:
            pass
'''

LEGACY_REWRITER = "local_clipped_of_small"

# The same kind of op in a file of its own, as Aesara's and PyTensor's users write it.
DIFFERENCE = """
import {tree}
from {tree}.graph.basic import Apply
from {tree}.link.c.op import ExternalCOp
from {tree}.tensor.type import TensorType


class Difference(ExternalCOp):
    __props__ = ()
    func_file = "./difference.c"
    func_name = "APPLY_SPECIFIC(difference)"

    def __init__(self):
        super().__init__(self.func_file, self.func_name)

    def make_node(self, a, b):
        out = TensorType(dtype={tree}.scalar.upcast(a.dtype, b.dtype), shape=(None,))()
        return Apply(self, [a, b], [out])
"""
DIFFERENCE_C = """
#section support_code_apply
#include <vector>

int APPLY_SPECIFIC(difference)(PyArrayObject* a, PyArrayObject* b, PyArrayObject** out)
{
    npy_intp n = PyArray_DIMS(a)[0];
    if (PyArray_DIMS(b)[0] != n) {
        PyErr_Format(PyExc_ValueError, "lengths %zd and %zd", (Py_ssize_t)n, (Py_ssize_t)PyArray_DIMS(b)[0]);
        return 1;
    }
    std::vector<DTYPE_OUTPUT_0> kept(n);
    for (npy_intp i = 0; i < n; i++)
        kept[i] = *(DTYPE_INPUT_0*)PyArray_GETPTR1(a, i) - *(DTYPE_INPUT_1*)PyArray_GETPTR1(b, i);
    Py_XDECREF(*out);
    *out = (PyArrayObject*)PyArray_EMPTY(1, &n, TYPENUM_OUTPUT_0, 0);
    if (*out == NULL) return 1;
    for (npy_intp i = 0; i < n; i++) ((DTYPE_OUTPUT_0*)PyArray_DATA(*out))[i] = kept[i];
    return 0;
}
"""

# A type over a C struct's member, as PyTensor's users write it: a plain Type with C methods.
CELSIUS = '''
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.graph.type import Type
from pytensor import function


class Celsius(Type):
    def filter(self, value, strict=False, allow_downcast=None):
        if strict and not isinstance(value, float):
            raise TypeError("a float is needed")
        return float(value)

    def values_eq_approx(self, a, b, tolerance=1e-6):
        return abs(a - b) <= tolerance

    def __str__(self):
        return "celsius"

    def c_declare(self, name, sub):
        return "double %(name)s; bool known_%(name)s;" % dict(name=name)

    def c_init(self, name, sub):
        return "%(name)s = -273.15; known_%(name)s = false;" % dict(name=name)

    def c_extract(self, name, sub, **kwargs):
        return """
        if (!PyFloat_Check(py_%(name)s)) {
            PyErr_SetString(PyExc_TypeError, "a float is needed");
            %(fail)s
        }
        %(name)s = PyFloat_AS_DOUBLE(py_%(name)s);
        known_%(name)s = true;
        """ % dict(sub, name=name)

    def c_sync(self, name, sub):
        return """
        Py_XDECREF(py_%(name)s);
        py_%(name)s = PyFloat_FromDouble(%(name)s);
        if (!py_%(name)s) {
            Py_XINCREF(Py_None);
            py_%(name)s = Py_None;
        }
        """ % dict(name=name)

    def c_cleanup(self, name, sub):
        return ""


celsius = Celsius()


class Warmer(Op):
    __props__ = ()

    def make_node(self, a, b):
        return Apply(self, [a, b], [a.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = max(inputs)

    def c_code(self, node, name, inputs, outputs, sub):
        (a, b), (z,) = inputs, outputs
        return f"{z} = known_{a} && known_{b} && {a} > {b} ? {a} : {b}; known_{z} = true;"


warmer = Warmer()
'''


@pytest.fixture
def installed():
    """``installed("theano")`` puts a tree under its real name for a test, also where the package itself is loaded."""
    done, real = [], {}

    def install(*names):
        for name in names:
            done.append(name)
            for module in [module for module in sys.modules if module.partition(".")[0] == name]:
                real[module] = sys.modules.pop(module)
            compat.install(name)

    yield install
    for name in done:
        compat.uninstall(name)
    sys.modules.update(real)
    if LEGACY_REWRITER in registry.rewrites:  # old code registers what every function is rewritten by
        registry.remove(LEGACY_REWRITER)


def load(folder, text, name="legacy"):
    """A file as a module: what a user has."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"{name}_of_{folder.name}", path)
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def process(text):
    """What a fresh process prints."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# -- files of users ----------------------------------------------------------------------------------------------


def test_a_file_written_for_theano(installed, tmp_path):
    installed("theano")
    module = load(tmp_path, CLIPPED)
    theano, T = module.theano, module.T
    v = T.fvector("v")
    f = theano.function([v], module.clipped(v))
    array = np.array([1, 5, 2, -3], "f4")
    assert f(array).tolist() == [1, 2, 2, -3]
    assert [type(node.op) for node in f.maker.fgraph.toposort()] == [module.Clipped]
    assert f.maker.program.data["kernels"][0]["lang"] == "c++"
    assert theano.function([v], module.clipped(v), mode="DebugMode")(array).tolist() == [1, 2, 2, -3]

    f = theano.function([], module.clipped(T.zeros([5])))
    topo = f.maker.fgraph.toposort()
    assert len(topo) == 1 and isinstance(topo[0].op, theano.compile.ops.DeepCopyOp)
    assert isinstance(topo[0].op, OwnDeepCopyOp) and f().tolist() == [0.0] * 5
    assert theano.printing.debugprint(f, file="str").startswith("DeepCopyOp [id A] 0\n")


@pytest.mark.parametrize("tree", ["aesara", "pytensor"])
def test_a_file_with_a_file_of_c(installed, tmp_path, tree):
    installed(tree)
    (tmp_path / "difference.c").write_text(DIFFERENCE_C)
    module = load(tmp_path, DIFFERENCE.format(tree=tree), f"difference_{tree}")
    T = sys.modules[f"{tree}.tensor"]
    a, b = T.ivector("a"), T.dvector("b")
    f = opweld.function([a, b], module.Difference()(a, b))
    assert f(np.array([5, 6], "i4"), np.array([0.5, 1.5])).tolist() == [4.5, 4.5]
    with pytest.raises(ValueError, match=r"lengths 2 and 1"):
        f(np.array([5, 6], "i4"), [1.0])
    assert f.maker.program.data["kernels"][0]["lang"] == "c++"


def test_theanos_cop_is_the_one_with_files(installed, tmp_path):
    installed("theano")
    (tmp_path / "difference.c").write_text(DIFFERENCE_C)
    module = load(
        tmp_path,
        """
import theano
from theano import gof

class Difference(gof.COp):
    __props__ = ()

    def __init__(self):
        super(Difference, self).__init__("difference.c", "APPLY_SPECIFIC(difference)")

    def make_node(self, a, b):
        return gof.Apply(self, [a, b], [a.type()])
""",
        "classic",
    )
    a = module.theano.tensor.dvector("a")
    assert opweld.function([a], module.Difference()(a, a))([3.0]).tolist() == [0.0]


def test_a_type_written_for_pytensor(installed, tmp_path):
    installed("pytensor")
    module = load(tmp_path, CELSIUS)
    a, b, c = module.celsius("a"), module.celsius("b"), module.celsius("c")
    warmest = module.warmer(module.warmer(a, b), c)
    for mode in (None, "DebugMode"):
        f = module.function([a, b, c], [warmest, a], mode=mode)
        assert f(1, 2.5, 2) == [2.5, 1.0]
        with pytest.raises(ValueError):
            f(1, "warm", 2)
    f = opweld.function([a, b], module.warmer(a, b))
    assert {part["lang"] for part in f.maker.program.data["types"] + f.maker.program.data["kernels"]} == {"c++"}


def test_a_type_over_generic():
    from opweld.compat.pytensor.link.c.type import Generic

    class Count(Generic):
        def filter(self, value, strict=False, allow_downcast=None):
            return int(value)

        def c_declare(self, name, sub, check_input=True):
            return f"long {name};"

        def c_init(self, name, sub):
            return f"{name} = 0;"

        def c_extract(self, name, sub, check_input=True, **kwargs):
            return f"{name} = PyLong_AsLong(py_{name});"

        def c_sync(self, name, sub):
            return f"Py_XDECREF(py_{name}); py_{name} = PyLong_FromLong({name});"

        def c_cleanup(self, name, sub):
            return ""

    n = Count()("n")
    pytensor = compat.pytensor

    class Next(pytensor.graph.op.Op):
        def make_node(self, n):
            return pytensor.graph.basic.Apply(self, [n], [n.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]} + 1;"

    assert pytensor.function([n], Next()(n))(41) == 42
    pytensor.compile.ops.register_deep_copy_op_c_code(Count, "%(oname)s = %(iname)s;", version=())
    f = pytensor.function([n], n)
    assert f(3) == 3 and not f.maker.program.performs
    del OwnDeepCopyOp.c_code_and_version[Count]


# -- the trees ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tree", TREES)
def test_every_name_of_the_table_is_there(tree):
    for path in TREES[tree]:
        module = sys.modules[f"opweld.compat.{tree}{'.' + path if path else ''}"]
        for name in module.__all__:
            try:
                assert getattr(module, name) is not None
            except ImportError as err:  # of sparse matrices, which are SciPy's
                assert "pip install scipy" in str(err) and find_spec("scipy") is None
        assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("tree", TREES)
def test_elementwise_ops_are_where_they_were(tree):
    root = f"opweld.compat.{tree}"
    scalar, math, elemwise = [
        importlib.import_module(f"{root}.{path}") for path in ("scalar", "tensor.math", "tensor.elemwise")
    ]

    class Half(scalar.UnaryScalarOp):
        def impl(self, x):
            return x / 2

    x = importlib.import_module(f"{root}.tensor").dvector("x")
    run = opweld.function([x], elemwise.Elemwise(Half(scalar.upgrade_to_float))(math.exp(x)))
    assert run([0.0]) == [0.5]
    assert scalar.add.name == "add"


def test_the_names_of_the_page():
    page = (Path(__file__).parent.parent / "docs" / "coming-from.md").read_text(encoding="utf-8")
    table = page.partition("| old | new |")[2]
    found = re.findall(r"`((?:opweld|theano|aesara|pytensor)\.[\w.]+)`", table)
    assert len(found) > 60
    for name in found:
        head, *rest = name.split(".")
        value = opweld if head == "opweld" else getattr(compat, head)
        for word in rest:
            if not hasattr(value, word):
                importlib.import_module(f"{value.__name__}.{word}")
            value = getattr(value, word)


def test_a_tree_is_imported_in_every_form():
    import opweld.compat.theano.tensor as T
    from opweld.compat.pytensor.graph.rewriting.basic import node_rewriter

    from opweld.compat import aesara, pytensor, theano

    assert T is theano.tensor and T.dvector == opweld.tensor.dvector
    assert node_rewriter is theano.gof.local_optimizer
    assert aesara.graph.basic.Apply is pytensor.graph.basic.Apply is theano.gof.Apply is opweld.Apply
    assert theano.config is aesara.config and theano.config.floatX == opweld.config.floatX
    assert theano.scalar.float32 == opweld.scalar.float32


def test_classes_are_opwelds_with_cpp():
    from opweld.compat.pytensor.link.c.type import CLinkerObject, CLinkerOp, CLinkerType

    theano, aesara = compat.theano, compat.aesara
    for cls, own in (
        (theano.Op, opweld.Op),
        (theano.gof.COp, opweld.ExternalCOp),
        (aesara.link.c.op.COp, opweld.COp),
        (aesara.link.c.op.ExternalCOp, opweld.ExternalCOp),
        (theano.gof.Type, opweld.Type),
        (aesara.link.c.type.CType, opweld.CType),
        (aesara.link.c.type.Generic, opweld.Generic),
    ):
        assert issubclass(cls, own) and cls.c_lang == "c++"
    assert issubclass(aesara.link.c.op.ExternalCOp, aesara.link.c.op.COp)
    assert issubclass(aesara.link.c.op.COp, (aesara.graph.op.Op, CLinkerOp))
    assert issubclass(aesara.link.c.type.CType, CLinkerType)
    assert CLinkerObject().c_headers() == []

    class Mixed(aesara.graph.op.Op, CLinkerOp):
        c_lang = "c"

    assert Mixed().c_libraries() == [] and isinstance(Mixed(), opweld.Op)


def test_what_is_not_there_says_so():
    theano = compat.theano
    for name in ("grad", "Rop"):
        with pytest.raises(NotImplementedError, match=r"opweld computes no gradients"):
            getattr(theano.gradient, name)(1, 2)
    with pytest.raises(AttributeError) as caught:
        theano.tensor.nothing  # noqa: B018
    assert str(caught.value) == (
        "module 'theano.tensor' has no attribute 'nothing' here: it is not here yet: opweld offers of theano what ops "
        "and types written in C need; docs/coming-from.md lists it"
    )
    with pytest.raises(
        AttributeError, match=r"no attribute 'Tile' here: it has another name: write opweld.tensor.tile"
    ):
        theano.tensor.Tile  # noqa: B018
    with pytest.raises(
        AttributeError, match=r"'autocast_float' here: it is gone: Python's numbers are weak \(NEP 50\)"
    ):
        theano.scalar.autocast_float  # noqa: B018
    with pytest.raises(ModuleNotFoundError):
        import opweld.compat.theano.gpuarray  # noqa: F401
    with pytest.raises(AttributeError, match=r"it has theano, aesara, pytensor"):
        compat.tensorflow  # noqa: B018


def test_shared_variables_are_the_same():
    theano = compat.theano
    state = theano.shared(3, name="state")
    assert isinstance(state, opweld.SharedVariable) and theano.compile.SharedVariable is opweld.SharedVariable
    count = theano.function([], state, updates=[(state, state)], givens={})
    assert count() == 3 and theano.Out is opweld.Out


# -- install -----------------------------------------------------------------------------------------------------


def test_install_and_uninstall(installed):
    assert "theano" not in sys.modules
    installed("theano")
    import theano
    import theano.tensor as T
    from theano import gof

    assert theano is compat.theano and T is theano.tensor and gof is theano.gof
    assert compat.install("theano") is theano  # again: nothing happens
    compat.uninstall("theano")
    assert not [name for name in sys.modules if name.partition(".")[0] == "theano"]
    compat.uninstall("theano")
    with pytest.raises(ValueError, match=r"no tree 'torch'; there are theano, aesara, pytensor"):
        compat.install("torch")


def test_install_where_another_is_imported(tmp_path):
    (tmp_path / "theano").mkdir()
    (tmp_path / "theano" / "__init__.py").write_text("")
    (tmp_path / "theano" / "tensor.py").write_text("")
    out = process(
        f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        import theano.tensor
        from opweld import compat
        try:
            compat.install("theano")
        except ImportError as err:
            print(err)
        print("opweld" in theano.__name__, "aesara" in sys.modules)
        compat.install("aesara")
        import aesara
        print(aesara.__name__)
        """
    ).splitlines()
    assert out[0] == (
        f"opweld.compat.install('theano'): theano is imported already, from {tmp_path}/theano/__init__.py; call "
        "install before anything imports theano, or write: from opweld.compat import theano"
    )
    assert out[1:] == ["False False", "opweld.compat.aesara"]


def test_a_tree_imports_nothing_before_it_is_used():
    out = process(
        """
        import sys
        from opweld.compat import theano, pytensor
        import opweld.compat.theano.tensor as T
        print(sorted(name for name in sys.modules if name.startswith("opweld.") and "compat" not in name))
        print("numpy" in sys.modules)
        """
    )
    assert out.splitlines() == [
        "['opweld.config', 'opweld.errors', 'opweld.rooms', 'opweld.settings', 'opweld.together']", "False"
    ]  # fmt: skip
