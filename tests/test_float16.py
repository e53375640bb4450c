"""float16 is bits to C: an op's C sees it only where the op says that it is right with it."""

import importlib
import pkgutil
import re

import kit
import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import compat, scalar
from opweld.compile.ops import view_op
from opweld.cops.op import Cop
from opweld.tensor import CAReduce, Elemwise
from opweld.tensor.basic import MakeVector
from opweld.tensor.sorting import Sort

HALF = T.TensorType("float16", (None,))
TWICE = """
    Py_XDECREF({z});
    {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
    if (!{z}) {fail}
    for (npy_intp k = 0; k < PyArray_DIM({z}, 0); k++) *(dtype_{z}*)PyArray_GETPTR1({z}, k) *= 2;
"""
ADVICE = (
    "write {method}, which runs in its place; or cast to float32 first; or, where the C converts by npy_half_to_float "
    "and npy_float_to_half or only copies elements, set c_float16 = True on the class (older name: _f16_ok)"
)


class Twice(opweld.COp):
    """C alone, written for numbers whose C type does arithmetic."""

    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return TWICE.format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    def c_code_cache_version(self):
        return (1,)


class Both(Twice):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2


def flip(cls):
    """A subclass whose C changes the sign of the bits, and says so under either name."""

    def c_code(self, node, name, inputs, outputs, sub):
        return TWICE.replace("*= 2", "^= 0x8000").format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    return type("Flip", (cls,), {"c_code": c_code})


def values(*numbers):
    return np.array(numbers, "float16")


def fails(call, error=TypeError):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def in_c(f):
    """Whether every node of a function runs in C."""
    return not f.maker.program.performs


def test_perform_runs_where_c_would_compute_on_bits():
    x = HALF("x")
    f = opweld.function([x], Both()(x))
    np.testing.assert_array_equal(f(values(1.5, 2.5, -0.0)), values(3, 5, -0.0))
    assert not in_c(f)
    wide = T.dvector("w")
    g = opweld.function([wide], Both()(wide))
    assert in_c(g) and g([1.5]).tolist() == [3.0]


def test_without_perform_it_is_an_error_that_says_what_to_write():
    x = HALF("x")
    text = fails(lambda: opweld.function([x], Twice()(x)))
    assert text == (
        "Twice: input 0, x, is float16, which C sees as bits (npy_float16 is an integer), and Twice does not say that "
        "its C is right with them: " + ADVICE.format(method="perform")
    )


def test_an_output_counts_too():
    class Narrow(Twice):
        def make_node(self, n, x):
            return opweld.Apply(self, [n, x], [T.dvector(), HALF()])

    n, x = T.dvector("n"), T.dvector("x")
    assert "Narrow: output 1 is float16" in fails(lambda: opweld.function([n, x], Narrow()(n, x)))


@pytest.mark.parametrize("name", ["c_float16", "_f16_ok"])
@pytest.mark.parametrize("where", ["class", "base", "instance"])
def test_c_runs_where_the_op_says_that_it_is_right(name, where):
    x = HALF("x")
    base = type("Base", (Both,), {name: True}) if where == "base" else Both
    cls = flip(base)
    if where == "class":
        setattr(cls, name, True)
    op = cls()
    if where == "instance":
        setattr(op, name, True)
    f = opweld.function([x], op(x))
    np.testing.assert_array_equal(f(values(1.5, 2.5)), values(-1.5, -2.5))
    assert in_c(f)


@pytest.mark.parametrize(("above", "below"), [("c_float16", "_f16_ok"), ("_f16_ok", "c_float16")])
def test_what_is_written_nearest_counts(above, below):
    x = HALF("x")
    no = type("No", (type("Yes", (Both,), {above: True}),), {below: False})
    assert opweld.function([x], no()(x))(values(1.5)).tolist() == [3.0]
    yes = type("Yes", (flip(type("No", (Both,), {above: False})),), {below: True})
    assert opweld.function([x], yes()(x))(values(1.5)).tolist() == [-1.5]
    torn = type("Torn", (flip(Both),), {above: True, below: False})
    assert opweld.function([x], torn()(x))(values(1.5)).tolist() == [3.0]


def test_what_the_library_says_of_its_c_is_not_said_of_another():
    class Mine(Sort):
        def c_code(self, node, name, inputs, outputs, sub):
            return TWICE.format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    x = HALF("x")
    assert opweld.function([x], Mine(0, "quicksort")(x))(values(2.5, 1.5)).tolist() == [1.5, 2.5]
    Mine.c_float16 = True
    doubled = opweld.function([x], Mine(0, "quicksort")(x))(values(2.5, 1.5))
    assert doubled.view("uint16").tolist() == (values(2.5, 1.5).view("uint16") * 2).tolist()


@pytest.mark.parametrize("package", ["theano", "aesara", "pytensor"])
def test_old_ops(package):
    tree = getattr(compat, package)
    base = tree.Op if package == "theano" else importlib.import_module(f"opweld.compat.{package}.graph.op").Op

    class Old(base):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 2

        def c_code(self, node, name, inputs, outputs, sub):
            return TWICE.format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    x = HALF("x")
    np.testing.assert_array_equal(opweld.function([x], Old()(x))(values(1.5, 2.5)), values(3, 5))
    Old._f16_ok = True
    assert in_c(opweld.function([x], Old()(x)))
    Old._f16_ok = False
    del Old.perform
    assert "set c_float16 = True" in fails(lambda: opweld.function([x], Old()(x)))


def test_ops_from_files(tmp_path, monkeypatch):
    path = tmp_path / "twice.c"
    path.write_text(
        "#section support_code_apply\n"
        "static int APPLY_SPECIFIC(twice)(PyArrayObject* x, PyArrayObject** z)\n{\n"
        "    Py_XSETREF(*z, (PyArrayObject*)PyArray_NewCopy(x, NPY_CORDER));\n"
        "    if (*z == NULL) return -1;\n"
        "    for (npy_intp k = 0; k < PyArray_DIM(*z, 0); k++) *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(*z, k) *= 2;\n"
        "    return 0;\n}\n"
    )

    class File(opweld.ExternalCOp):
        __props__ = ()

        def __init__(self):
            super().__init__(str(path), "APPLY_SPECIFIC(twice)")

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

    class FileBoth(File):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] * 2

    x, w = HALF("x"), T.dvector("w")
    assert "File: input 0, x, is float16" in fails(lambda: opweld.function([x], File()(x)))
    assert opweld.function([w], File()(w))([1.5]).tolist() == [3.0]
    assert opweld.function([x], FileBoth()(x))(values(1.5, 2.5)).tolist() == [3.0, 5.0]
    FileBoth.c_float16 = True
    assert opweld.function([x], FileBoth()(x))(values(1.5)).view("uint16").tolist() == [0x3E00 * 2]


class Scalar(scalar.UnaryScalarOp):
    """A user's C that knows numbers."""

    __props__ = ()

    def output_types(self, types):
        return [types[0]]

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} * 2;"

    def c_code_cache_version(self):
        return (1,)


class ScalarBoth(Scalar):
    def impl(self, x):
        return x * 2


class Larger(scalar.BinaryScalarOp):
    """A user's C for a reduction."""

    __props__ = ()

    def output_types(self, types):
        return [types[0]]

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"{z} = (npy_int16){x} > (npy_int16){y} ? {x} : {y};" if self.bits else f"{z} = {x} > {y} ? {x} : {y};"

    bits = False

    def c_code_cache_version(self):
        return (1,)


class LargerBoth(Larger):
    def impl(self, x, y):
        return max(x, y)


def test_scalar_ops_in_elementwise_loops():
    x = HALF("x")
    f = opweld.function([x], Elemwise(ScalarBoth())(x))
    np.testing.assert_array_equal(f(values(1.5, 2.5)), values(3, 5))
    assert not in_c(f)
    assert fails(lambda: opweld.function([x], Elemwise(Scalar())(x))).endswith(ADVICE.format(method="impl"))
    saying = type("Saying", (ScalarBoth,), {"_f16_ok": True})
    assert opweld.function([x], Elemwise(saying())(x))(values(1.5)).view("uint16").tolist() == [0x3E00 * 2]


def test_scalar_ops_written_over_their_input():
    x = HALF("x")
    f = opweld.function([opweld.In(x, mutable=True)], Elemwise(ScalarBoth(), {0: 0})(x))
    array = values(1.5, 2.5)
    np.testing.assert_array_equal(f(array), values(3, 5))


def test_scalar_ops_that_give_float16_of_other_dtypes():
    class Halve(ScalarBoth):
        def output_types(self, types):
            return [scalar.float16]

    x = T.dvector("x")
    f = opweld.function([x], Elemwise(Halve())(x))
    assert f([1.5]).dtype == np.float16 and f([1.5]).tolist() == [3.0]
    alone = type("Alone", (Scalar,), {"output_types": Halve.output_types})
    assert "Alone: output 0 is float16" in fails(lambda: opweld.function([x], Elemwise(alone())(x)))


def test_scalar_ops_in_reductions():
    x = HALF("x")
    array = values(-1, -2, -3)
    f = opweld.function([x], CAReduce(LargerBoth())(x))
    assert f(array) == -1 and not in_c(f)
    assert "Larger: input 0 is float16" in fails(lambda: opweld.function([x], CAReduce(Larger())(x)))
    g = opweld.function([x], CAReduce(Larger(), dtype="float32")(x))  # its C sees float32 alone
    assert g(array) == -1 and in_c(g)


def test_scalar_ops_on_scalars():
    s = scalar.float16("s")
    assert opweld.function([s], ScalarBoth()(s))(np.float16(1.5)) == 3.0
    assert "Scalar: input 0, s, is float16" in fails(lambda: opweld.function([s], Scalar()(s)))
    d = scalar.float64("d")
    assert opweld.function([d], Scalar()(d))(1.5) == 3.0


def test_a_scalar_op_that_can_do_nothing_is_refused_when_the_function_is_made():
    empty = type("Empty", (scalar.UnaryScalarOp,), {"output_types": lambda self, types: [types[0]]})
    for dtype in ("float16", "float64"):
        x = T.TensorType(dtype, (None,))("x")
        message = "Elemwise{Empty} can be run neither in C nor in Python: it has no c_code and no perform"
        assert fails(lambda x=x: opweld.function([x], Elemwise(empty())(x))) == message


def test_what_the_engine_writes_knows_half():
    x = HALF("x")
    f = opweld.function([x], [scalar.expr("1 + 2 * x")(x), T.exp(x), x.sum()])
    assert in_c(f) and [made.tolist() for made in f(values(0, 0))] == [[1, 1], [1, 1], 0]


@pytest.mark.parametrize("op", [Both(), Elemwise(ScalarBoth()), CAReduce(LargerBoth())])
def test_debugmode_has_one_way_to_compare(op):
    x = HALF("x")
    f = opweld.function([x], op(x), mode="DebugMode")
    plain = opweld.function([x], op(x))
    np.testing.assert_array_equal(f(values(1.5, 2.5)), plain(values(1.5, 2.5)))
    found = [node for node in f.maker.linked.nodes if node.node.op == op]
    assert found and all(not node.in_c and node.perform is not None for node in found)


def test_debugmode_of_c_alone():
    for op in (Elemwise(Scalar()), Twice()):
        w = T.dvector("w")
        assert opweld.function([w], op(w), mode="DebugMode")([1.5]).tolist() == [3.0]


def test_types_of_a_users_own():
    class Vector(T.TensorType):
        """A tensor under another class."""

    class Named(opweld.Type):
        dtype = np.dtype("float16")

        def filter(self, value, strict=False, allow_downcast=None):
            return np.asarray(value, "float16")

    class Strange(opweld.Type):
        dtype = "of another kind"

        def filter(self, value, strict=False, allow_downcast=None):
            return value

    class Length(opweld.COp):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [T.lscalar()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.asarray(len(inputs[0]))

        def c_code(self, node, name, inputs, outputs, sub):
            return f'PyErr_SetString(PyExc_LookupError, "in C"); {sub["fail"]}'

    for type_ in (Vector("float16", (None,)), Named()):
        x = type_("x")
        assert opweld.function([x], Length()(x))(values(1, 2)) == 2
    x = Strange()("x")
    assert fails(lambda: opweld.function([x], Length()(x))([1, 2]), LookupError).startswith("in C")


def test_beside_ops_in_c():
    """A node in Python between two in C; views and what is written over go with it."""
    x = HALF("x")
    f = opweld.function([x], [T.sort(Both()(x[::-1] + 1))[:2], Both()(x).sum()])
    array = values(3, 1, 2)
    sorted_, total = f(array)
    assert sorted_.tolist() == [4.0, 6.0] and total == 12.0
    kit.flat(lambda: f(array), f)


# -- the library's own ops ---------------------------------------------------------------------------------------


def everywhere(cls):
    return {cls}.union(*map(everywhere, cls.__subclasses__()))


def library():
    """The classes of the library that write C and can be made; those under older names are old code's."""
    for module in pkgutil.walk_packages(opweld.__path__, "opweld."):
        if not re.search(r"compat|pytensor|__main__|_engine|doctor|picture|debugger", module.name):
            importlib.import_module(module.name)
    bases = {"RegisteredCOp", "OfOneType"}  # write C for those below
    found = {c for c in everywhere(opweld.COp) if c.make_node is not opweld.Op.make_node and c.__name__ not in bases}
    own = re.compile(r"opweld\.(?!compat\b)")
    return {c for c in found if own.match(c.__module__) and not issubclass(c, (scalar.ScalarOp, Cop))}


def expressions():
    """Float16 through each of them."""
    x, y, m = HALF("x"), HALF("y"), T.TensorType("float16", (None, None))("m")
    i, n = T.lvector("i"), T.lscalar("n")
    given = {"x": values(1.5, -2.5, 3.25, 0.125), "y": values(2, 0.5, -1, 65504), "n": 2, "i": np.array([2, 0, 2])}
    given["m"] = values(1, 2, -3, 4, 5, 6, 7, 8).reshape(4, 2)
    for made in (
        T.specify_shape(x, (4,)), T.sort(x), T.argsort(x), T.argmax(x), T.cumsum(x), T.alloc(x[0], n, n),
        T.stack([x[0], y[1]]), T.concatenate([x, y]), T.stack([x, y]), T.take(x, i), T.nonzero(x)[0],
        T.empty((n,), "float16"), T.eye(n, dtype="float16"), x[1:n], T.set_subtensor(x[:n], y[:n]),
        T.inc_subtensor(x[:n], y[:n]), m.T, T.split(x, 2)[1], T.repeat(x, 2), T.tensordot(m, x, ([0], [0])),
        T.dot(x, y), T.matmul(x, m), x[i], T.inc_subtensor(x[i], y[i]), T.reshape(m, (2, 4)),
        T.broadcast_to(x, (3, 4)), T.arange(x[3], y[0], dtype="float16"), T.shape(x), T.shape(x)[0], x, view_op(x),
        MakeVector("float16")(x[0], y[1]),
    ):  # fmt: skip
        yield made, [v for v in (x, y, m, i, n) if v in opweld.FunctionGraph([x, y, m, i, n], [made]).variables], given


def test_the_librarys_own_ops_are_right_and_say_so():
    seen = set()
    for made, inputs, given in expressions():
        taken = [given[v.name] for v in inputs]
        if made.owner is None or made.owner.op.has_perform():
            opweld.function(inputs, made, mode="DebugMode", on_unused_input="ignore")(*taken)  # compares C with perform
        f = opweld.function(inputs, made, on_unused_input="ignore")
        f(*taken)
        assert in_c(f), made.owner
        seen |= {type(node.op) for node in f.maker.fgraph.toposort()}
        seen |= {type(node.op) for node in opweld.FunctionGraph(inputs, [made]).toposort()}
    missing = library() - seen
    assert {c.__name__ for c in missing} == set(), "ops of the library that no line here runs with float16"
