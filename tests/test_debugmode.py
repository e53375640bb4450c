"""mode="DebugMode": what it finds, and what it says."""

import functools
import inspect
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, In, Op, scalar, tensor
from opweld.compile import builder
from opweld.compile.debugmode import (
    BadDestroyMap,
    BadRewrite,
    BadThunkOutput,
    BadViewMap,
    DebugMode,
    DebugModeError,
    InvalidValueError,
)
from opweld.operations import ROUNDED, ROUNDED_COMPLEX
from opweld.rewriting import node_rewriter
from opweld.tolerances import (
    ANY,
    EXACT,
    Tolerance,
    alike,
    near,
    of_operation,
    ulps_of,
)

DOCS = Path(__file__).parent.parent / "docs"

x, y = tensor.dvector("x"), tensor.dvector("y")


class Fill(COp):
    """Fill a copy of the input with one number in C, with another in Python."""

    __props__ = ("c", "py")

    def __init__(self, c=1.0, py=1.0):
        self.c, self.py = c, py

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        if isinstance(self.py, str):
            raise ValueError(self.py)
        output_storage[0][0] = np.full_like(inputs[0], self.py)

    def c_code(self, node, name, input_names, output_names, sub):
        x, z = input_names[0], output_names[0]
        fail = ""
        if isinstance(self.c, str):
            fail = f'PyErr_SetString(PyExc_ValueError, "{self.c}"); {sub["fail"]}'
        return f"""
            {fail}
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_ANYORDER));
            if ({z} == NULL) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_DIM({z}, 0); i++)
                *(dtype_{z} *)PyArray_GETPTR1({z}, i) = {0 if isinstance(self.c, str) else self.c};
        """

    def c_code_cache_version(self):
        return (1,)


class Python(Op):
    """``call(inputs)`` in Python."""

    def __init__(self, call, **maps):
        self.call = call
        self.__dict__.update(maps)

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.call(*inputs)


class InC(Python):
    """The same in C."""

    perform = Op.perform

    def c_code(self, node, name, input_names, output_names, sub):
        return self.call % {"x": input_names[0], "z": output_names[0], "fail": sub["fail"]}


def debug(inputs, outputs, **options):
    return opweld.function(inputs, outputs, mode="DebugMode", **options)


def found(error, f, *args):
    with pytest.raises(error) as caught:
        f(*args)
    assert isinstance(caught.value, DebugModeError)
    return caught.value


def told(err):
    """What is said, but for where the node was made, which is a line of this file."""
    made = f"\n  made at {err.details['file']}:{err.details['line']}"
    assert err.details["file"] == __file__ and str(err).count(made) == 1
    return str(err).replace(made, "")


# -- C against Python --------------------------------------------------------------------------------------------


def test_what_agrees_is_computed():
    f = debug([x], [Fill()(x), x, Fill()(x)], name="agree")
    results = f([3.0, 4.0])
    assert [r.tolist() for r in results] == [[1, 1], [3, 4], [1, 1]]
    assert f.name == "agree" and len(f.maker.fgraph.toposort()) == 3


def test_c_and_perform_that_do_not_agree():
    err = found(BadThunkOutput, debug([x], Fill(1.0, 2.0)(Fill()(x))), [5.0])
    assert told(err) == (
        "Fill{c=1.0, py=2.0}(Fill{c=1.0, py=1.0}): its C code and its perform do not agree on output 0 of type "
        "TensorType(float64, (?,))\n"
        "  input 0, Fill{c=1.0, py=1.0}: [1.] (float64, shape (1,), strides (8,))\n"
        "  C code: [1.] (float64, shape (1,), strides (8,))\n"
        "  perform: [2.] (float64, shape (1,), strides (8,))"
    )
    assert err.details["node"].op == Fill(1.0, 2.0) and err.details["c"][0] == 1 and err.details["perform"][0] == 2
    err = found(BadThunkOutput, debug([x], Fill(1.0, 2.0)(x)), [5.0, 6.0])
    assert str(err).endswith("\n  2 of 2 elements differ, most at [0]: 1.0 and 2.0")


class Says(COp):
    """One value in C, another in Python, of any type: `c` is an expression."""

    _f16_ok = True  # the bits are meant

    def __init__(self, c, py, out, more=""):
        self.c, self.py, self.out, self.more = c, py, out, more

    def make_node(self, *inputs):
        return Apply(self, inputs, [self.out()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.out.filter(self.py)

    def c_headers(self):
        return ["<math.h>"]

    def c_code(self, node, name, input_names, output_names, sub):
        if isinstance(self.out, tensor.TensorType):
            z, ndim = output_names[0], self.out.ndim
            sizes = ", ".join(map(str, self.out.shape)) or "0"
            return f"""
                npy_intp opw_sizes[] = {{{sizes}}};
                Py_XSETREF({z}, (PyArrayObject *)PyArray_SimpleNew({ndim}, opw_sizes, type_num_{z}));
                if ({z} == NULL) {sub["fail"]}
                for (npy_intp i = 0; i < PyArray_SIZE({z}); i++)
                    ((dtype_{z} *)PyArray_DATA({z}))[i] = {self.c};
            """
        return f"{output_names[0]} = {self.c};"


def array(dtype, *shape):
    return tensor.TensorType(dtype, shape)


def half(value):
    return int(np.float16(value).view("u2"))


INF, NAN = float("inf"), float("nan")
# Name, type, C, Python, whether they agree.
PAIRS = [
    ("inf for a number", scalar.float64, "INFINITY", 1.0, False),
    ("a number for inf", scalar.float64, "1.0", INF, False),
    ("inf for the largest", scalar.float64, "INFINITY", np.finfo("f8").max, False),
    ("inf for -inf", scalar.float32, "-INFINITY", INF, False),
    ("inf for inf", scalar.float32, "INFINITY", INF, True),
    ("nan for a number", scalar.float64, "NAN", 1.0, False),
    ("a number for nan", scalar.float64, "1.0", NAN, False),
    ("nan for inf", scalar.float64, "NAN", INF, False),
    ("nan for nan", scalar.float64, "NAN", NAN, True),
    ("a zero for the other", scalar.float64, "-0.0", 0.0, True),
    ("a tiny number for 0", scalar.float64, "1e-300", 0.0, False),
    ("off by one", scalar.int64, "1000001", 10**6, False),
    ("off by one at the end", scalar.uint64, "18446744073709551614ULL", 2**64 - 1, False),
    ("an integer", scalar.int8, "-128", -128, True),
    ("true for false", scalar.bool, "1", False, False),
    ("true for true", scalar.bool, "1", True, True),
    ("as a float32 would be", scalar.float64, "(float)0.1", 0.1, False),
    ("some units", scalar.float64, "1.0 + 1e-12", 1.0, True),
    ("as a float16 would be", scalar.float32, "0.0999755859375f", np.float32(0.1), False),
    ("some units of a float32", scalar.float32, "1.00001f", 1.0, True),
    ("as a float64 would be", scalar.longdouble, "0.1", np.longdouble("0.1"), False),
    ("8 units of a float16", scalar.float16, str(half(1.0) + 8), 1.0, True),
    ("80 units of a float16", scalar.float16, str(half(1.0) + 80), 1.0, False),
    ("0-d", array("float64"), "INFINITY", np.array(1.0), False),
    ("0-d int", array("int64"), "1000001", np.array(10**6), False),
    ("0-d bool", array("bool"), "1", np.array(False), False),
    ("empty", array("float64", 0), "INFINITY", np.zeros(0), True),
    ("one element of several", array("float32", 3), "i == 1 ? 1.5f : 1.0f", np.ones(3, "f4"), False),
    ("a large one beside it", array("float64", 2), "i ? 1e9 : 1.001", np.array([1.0, 1e9]), False),
    ("another float16", array("float16", 2), str(half(3.0)), np.full(2, 3.01, "f2"), True),
    ("nan in the same places", array("float64", 2), "i ? NAN : INFINITY", np.array([INF, NAN]), True),
    ("nan in other places", array("float64", 2), "i ? NAN : INFINITY", np.array([NAN, INF]), False),
]  # fmt: skip


@functools.cache
def told_apart():
    """Which pairs DebugMode passes; where several disagree, the first is told, so each has a function."""
    found = {}
    n = scalar.int64("n")
    for name, out, c, py, _ in PAIRS:
        f = debug([n], Says(c, py, out)(n))
        try:
            f(0)
            found[name] = True
        except BadThunkOutput as err:
            assert "its C code and its perform do not agree on output 0" in str(err)
            found[name] = False
    return found


@pytest.mark.parametrize("name", [name for name, *_ in PAIRS])
def test_what_counts_as_agreeing(name):
    assert told_apart()[name] is {pair[0]: pair[-1] for pair in PAIRS}[name]


def test_near_is_enough():
    assert debug([x], Fill(1.0, 1.0 + 1e-9)(x))([0.0]).tolist() == [1.0]
    found(BadThunkOutput, debug([x], Fill(1.0, 1.01)(x)), [0.0])


def test_one_that_raises():
    err = found(BadThunkOutput, debug([x], Fill(1.0, "not in Python")(x)), [0.0])
    assert "its perform raises and its C code does not" in str(err)
    assert str(err).endswith("perform: ValueError: not in Python")
    err = found(BadThunkOutput, debug([x], Fill("not in C", 1.0)(x)), [0.0])
    assert "its C code raises and its perform does not" in str(err)
    with pytest.raises(ValueError, match=r"not in C"):
        debug([x], Fill("not in C", "not in Python")(x))([0.0])


def test_what_is_switched_off():
    wrong = Fill(1.0, 2.0)(x)
    assert opweld.function([x], wrong, mode=DebugMode(check_py=False))([0.0]).tolist() == [1.0]
    assert opweld.function([x], wrong, mode=DebugMode(check_c=False))([0.0]).tolist() == [2.0]


def test_a_tolerance_that_divides_by_zero():
    class Number(opweld.Type):
        def filter(self, value, strict=False, allow_downcast=None):
            return float(value)

        def values_eq_approx(self, a, b):
            return abs(a - b) / (a + b) < 1e-4

        def c_declare(self, name, sub):
            return f"double {name};"

        def c_init(self, name, sub):
            return f"{name} = 0;"

        def c_extract(self, name, sub, **kwargs):
            return f"{name} = PyFloat_AsDouble(py_{name});"

        def c_sync(self, name, sub):
            return f"Py_XSETREF(py_{name}, PyFloat_FromDouble({name}));"

        def c_cleanup(self, name, sub):
            return ""

    class Half(COp):
        def make_node(self, n):
            return Apply(self, [n], [n.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = inputs[0] / 2

        def c_code(self, node, name, input_names, output_names, sub):
            return f"{output_names[0]} = {input_names[0]} / 2;"

    n = Number()("n")
    f = debug([n], Half()(n))
    assert (f(0), f(3)) == (0.0, 1.5)


# -- inputs and outputs ------------------------------------------------------------------------------------------


def test_an_input_that_is_changed():
    def change(a):
        a += 1
        return a.copy()

    err = found(BadDestroyMap, debug([x], Python(change)(x)), [1.0])
    assert str(err).startswith("Python(x): its perform changed input 0, x, and destroy_map is {}\n  before: [1.] (")
    in_c = InC(
        "*(double *)PyArray_DATA(%(x)s) = 9; Py_XSETREF(%(z)s, (PyArrayObject *)PyArray_NewCopy(%(x)s, NPY_CORDER));"
    )
    assert "its C code changed input 0, x" in str(found(BadDestroyMap, debug([x], in_c(x)), [1.0]))
    err = found(
        BadDestroyMap, debug([x, y], Python(lambda a, b: change(b), destroy_map={0: [0]})(Fill()(x), y)), [1.0], [2]
    )
    assert "changed input 1, y, and destroy_map is {0: [0]}" in str(err)


def test_an_output_that_shares_memory():
    err = found(BadViewMap, debug([x], Python(lambda a: a[::-1])(x)), [1.0, 2.0])
    assert told(err) == (
        "Python(x): its perform gave an output 0 that shares memory with input 0, x, and view_map is {}, destroy_map {}"
    )
    in_c = InC("Py_INCREF(%(x)s); Py_XSETREF(%(z)s, %(x)s);")
    assert "its C code gave an output 0 that shares" in str(found(BadViewMap, debug([x], in_c(x)), [1.0]))
    kind = opweld.Generic()("g")
    found(BadViewMap, debug([kind], Python(lambda a: a)(kind)), [1])
    assert debug([kind], Python(lambda a: a)(kind))("a string") == "a string"


def test_what_is_declared_is_allowed():
    view = Python(lambda a: a[::-1], view_map={0: [0]})
    assert debug([x], view(x))([1.0, 2.0]).tolist() == [2.0, 1.0]

    def change(a):
        a += 1
        return a

    destroyer = Python(change, destroy_map={0: [0]})
    t = Fill()(x)
    f = debug([x], [Fill(2.0, 2.0)(t), destroyer(t)])
    assert [r.tolist() for r in f([5.0])] == [[2.0], [2.0]]
    array = np.zeros(2)
    assert debug([In(x, mutable=True)], destroyer(x))(array).tolist() == [1.0, 1.0]
    assert array.tolist() == [1.0, 1.0]


def test_an_output_of_another_type():
    def three(self, v):
        return Apply(self, [v], [tensor.TensorType("float64", (3,))()])

    class WrongC(InC):
        make_node = three

    class WrongPython(Python):
        make_node = three

    copy = "Py_XSETREF(%(z)s, (PyArrayObject *)PyArray_NewCopy(%(x)s, NPY_CORDER));"
    assert "its C code gave an output 0 that is not of type TensorType(float64, (3,)): " in str(
        found(InvalidValueError, debug([x], WrongC(copy)(x)), [1.0])
    )
    with pytest.raises(TypeError, match=r"WrongPython: perform's output_storage\[0\]\[0\]: expected"):
        debug([x], WrongPython(lambda a: a.copy())(x))([1.0])


class Two(Op):
    """Two outputs: ``call(*inputs)`` gives both."""

    def __init__(self, call, **maps):
        self.call = call
        self.__dict__.update(maps)

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type(), inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0], output_storage[1][0] = self.call(*inputs)


class TwoInC(Two):
    """A copy and, in C, a copy plus one."""

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (y, z), fail = input_names, output_names, sub["fail"]
        return f"""
            Py_XSETREF({y}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            if ({y} == NULL || {z} == NULL) {fail}
            *(double *)PyArray_DATA({z}) += 1;
        """


def test_a_later_output_that_differs():
    err = found(BadThunkOutput, debug([x], TwoInC(lambda a: (a.copy(), a + 2))(x)), [1.0])
    assert "do not agree on output 1 of type" in str(err) and err.details["output"] == 1
    assert [r.tolist() for r in debug([x], TwoInC(lambda a: (a.copy(), a + 1))(x))([1.0])] == [[1], [2]]


def test_a_later_output_that_shares_memory():
    err = found(BadViewMap, debug([x], Two(lambda a: (a, a[:]), view_map={0: [0]})(x)), [1.0])
    assert "gave an output 1 that shares memory with input 0, x, and view_map is {0: [0]}" in str(err)
    both = Two(lambda a: (a, a[:]), view_map={0: [0], 1: [0]})
    assert [r.tolist() for r in debug([x], both(x))([1.0])] == [[1], [1]]


def test_outputs_that_share_memory_with_each_other():
    def twice(a):
        made = a + 1
        return made, made[:]

    err = found(BadViewMap, debug([x], Two(twice)(x)), [1.0])
    assert told(err) == (
        "Two(x): its perform gave outputs 0 and 1 that share memory with each other and with no input that both may "
        "view: view_map is {}, destroy_map {}"
    )
    assert (err.details["output"], err.details["other"]) == (1, 0)


def test_a_view_of_an_input_that_shares_its_memory_with_another():
    view = Python(lambda a, b: a[:], view_map={0: [0]})
    assert debug([x], view(x, x))([1.0]).tolist() == [1.0]
    assert debug([x], view(x[:1], x[::-1]))([1.0]).tolist() == [1.0]


# -- what the caller gave ----------------------------------------------------------------------------------------


def plus_one(a):
    a += 1
    return a


def test_an_argument_is_written_into_through_a_view():
    add = Python(plus_one, destroy_map={0: [0]})
    for mode in ("FAST_RUN", "DebugMode"):
        array = np.arange(4.0)
        f = opweld.function([In(x, mutable=True)], add(add(x)[1:]), mode=mode)
        assert f(array).tolist() == [3, 4, 5] and array.tolist() == [1, 3, 4, 5], mode


def test_an_object_is_written_into():
    thing = opweld.Generic()("thing")

    def append(given):
        given.append(1)
        return given

    for mode in ("FAST_RUN", "DebugMode"):
        given = [0]
        f = opweld.function([In(thing, mutable=True)], Python(append, destroy_map={0: [0]})(thing), mode=mode)
        assert f(given) == [0, 1] and given == [0, 1], mode


def test_updates_share_no_memory():
    w = opweld.shared(np.zeros(2), "w")
    f = debug([x], [w + x, w], updates=[(w, w + x)])
    given = np.ones(2)
    first, before = f(given)
    kept = w.get_value(borrow=True)
    first[:] = before[:] = given[:] = 9
    assert kept.tolist() == w.get_value().tolist() == [1, 1]
    f(np.ones(2))
    assert kept.tolist() == [1, 1] and w.get_value().tolist() == [2, 2]  # another object, not the same one changed


def test_updates_are_all_or_none():
    w, v = opweld.shared(np.zeros(2), "w"), opweld.shared(np.zeros(2), "v")
    f = debug([x], [], updates=[(w, w + x), (v, Fill(1.0, 2.0)(v))])
    found(BadThunkOutput, f, [0.0])
    assert w.get_value().tolist() == v.get_value().tolist() == [0, 0]


def test_copies_and_swaps():
    w, v = opweld.shared(np.zeros(1), "w"), opweld.shared(np.full(1, 5.0), "v")
    f = debug([x], w + x, updates=[(w, w + x)])
    g = f.copy(swap={w: v}, name="g")
    assert g([1.0]).tolist() == [6] and (v.get_value(), w.get_value()) == (6, 0) and g.name == "g"
    assert f.copy(delete_updates=True)([1.0]).tolist() == [1] and w.get_value() == 0


# -- what is compared by whom ------------------------------------------------------------------------------------


def test_a_users_own_tolerance():
    class Loose(tensor.TensorType):
        @staticmethod
        def values_eq_approx(a, b):
            return bool(np.all(abs(a - b) < 1))

    class Strict(tensor.TensorType):
        def values_eq_approx(self, a, b):
            return a.tobytes() == b.tobytes()

    n = scalar.int64("n")
    assert debug([n], Says("1.5", np.ones(2), Loose("float64", (2,)))(n))(0).tolist() == [1.5, 1.5]
    found(BadThunkOutput, debug([n], Says("-0.0", np.zeros(2), Strict("float64", (2,)))(n)), 0)
    loose, strict = Loose("float64", (2,))("a"), Strict("float64", (2,))("b")
    add = tensor.Elemwise(scalar.add)
    assert debug([loose], WithTypes(add, loose.type)(loose, loose))([1.0, 2.0]).tolist() == [2, 4]
    assert debug([strict], WithTypes(add, strict.type)(strict, strict))([0.0, 1.0])[1] == 2


class WithTypes:
    """Another op's node with an output of a type of one's own."""

    def __init__(self, op, out):
        self.op, self.out = op, out

    def __call__(self, *inputs):
        return Apply(self.op, inputs, [self.out()]).outputs[0]


def test_an_op_says_what_its_results_may_differ_by():
    class Sums(Says):
        def debug_tolerance(self, node, inputs):
            return self.more

    n = scalar.int64("n")
    out = array("float64", 2)
    for allowed, agree in (
        (None, False),
        (EXACT, False),
        (Tolerance(None, 1e-3), True),
        (Tolerance(0, np.array([0, 1e-3])), False),
        (Tolerance(2**60), True),
        (ANY, True),
    ):
        f = debug([n], Sums("1.0001", np.ones(2), out, allowed)(n))
        if agree:
            assert f(0).tolist() == [1.0001] * 2
        else:
            found(BadThunkOutput, f, 0)
    with pytest.raises(TypeError, match=r"debug_tolerance must give an opweld\.tolerances\.Tolerance, .* got 4$"):
        debug([n], Sums("1.0", np.ones(2), out, 4)(n))(0)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "complex128"])
def test_the_librarys_ops_agree(dtype):
    """Of any order of additions, within what the table says, and where terms cancel."""
    v = tensor.TensorType(dtype, (None, None))("v")
    outputs = [tensor.exp(v), tensor.sin(v), v * v / 3, v.sum(), v.sum(0), v.prod(1), v.cumsum(1), tensor.dot(v, v.T)]
    outputs += [tensor.tensordot(v, v, 2), abs(v), v.mean(), -v]
    if "complex" not in dtype:
        outputs += [tensor.cbrt(v), scalar.expr("1 - cos(a)*cos(a)", args=["a"])(v), v.max(0)]
    f = debug([v], outputs)
    rng = np.random.default_rng(5)
    for scale in (1e-3, 1.0, 7.0):
        a = (scale * rng.standard_normal((12, 9))).astype(dtype)
        f(np.concatenate([a, -a]))
    f(np.zeros((3, 0), dtype))


class Carried:
    """No __eq__: compared by its attributes."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


@pytest.mark.parametrize(
    "a, b, agree",
    [
        (NAN, NAN, True),
        (1.0, 1.0 + 1e-12, True),
        (1.0, 1, False),
        ([1.0, {"k": np.array([1.0, NAN])}], [1.0 + 1e-12, {"k": np.array([1.0, NAN])}], True),
        ({"k": np.array([1, 2])}, {"k": np.array([1, 3])}, False),
        (np.array([[1.0], None], object), np.array([[1.0], None], object), True),
        (np.array([[1.0], None], object), np.array([[1.5], None], object), False),
        (np.array(["a", "b"]), np.array(["a", "c"]), False),
        (Carried(x=1.0), Carried(x=1.0), True),
        (Carried(x=1.0), Carried(x=2.0), False),
        (Carried(), Carried(), True),
        (range(3), range(4), False),
    ],
)
def test_objects(a, b, agree):
    assert alike(a, b, approx=True) is agree and opweld.Generic().values_eq_approx(a, b) is agree


def test_objects_that_hold_themselves():
    a, b = [1.0], [1.0]
    a.append(a), b.append(b)
    assert alike(a, b)


# -- one module --------------------------------------------------------------------------------------------------


def test_all_nodes_lie_in_one_module(monkeypatch):
    built = []
    build = builder.build
    monkeypatch.setattr(builder, "build", lambda *a, **k: built.append(a[0].data["name"]) or build(*a, **k))
    outputs = [Fill(float(i), float(i))(x) for i in range(5)] + [Python(lambda a: a.copy())(x), tensor.exp(x)]
    assert [r.tolist() for r in debug([x], outputs, name="m")([2.0])][:5] == [[0], [1], [2], [3], [4]]
    assert built == ["DebugMode of m", "m"]
    del built[:]
    debug([x], Python(lambda a: a.copy())(x), name="m")
    assert built == ["m"]  # there is no C


class Helper(Fill):
    """With a helper in C whose name does not tell two of them apart."""

    def c_support_code(self):
        return f"static double opw_test_helper(void) {{ return {self.c}; }}"

    def c_code(self, *args):
        return super().c_code(*args).replace(f"= {self.c};", "= opw_test_helper();")


def test_nodes_that_cannot_lie_in_one_module():
    two = [Helper(1.0, 1.0)(x), Helper(2.0, 2.0)(x)]
    with pytest.raises(opweld.CompileError):
        opweld.function([x], two)
    f = debug([x], two)
    assert [r.tolist() for r in f([5.0])] == [[1], [2]]
    assert opweld.source(f).count("static double opw_test_helper") == 2
    with pytest.raises(opweld.CompileError, match="Fill"):
        debug([x], [Fill()(x), Fill(Bad(), 1.0)(x)])


class Bad:
    def __repr__(self):
        return "not_declared_anywhere"


def test_a_step_in_the_middle_raises():
    """What stands before it has run, and the next call begins anew."""
    wrong = Fill("only in C", "only in Python")(Fill(2.0, 2.0)(x))
    f = debug([x], [wrong, Fill(3.0, 3.0)(wrong)])
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^only in C") as caught:
            f([0.0])
        told = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert told.count("f(): Fill{c='only in C', py='only in Python'}(Fill{c=2.0, py=2.0})") == 1


def test_a_function_that_its_own_op_calls():
    def again(a):
        return f(a - 1) + 1 if a[0] > 0 else a.copy()

    f = debug([x], tensor.exp(Python(again)(x) * 0) * Python(again)(x))
    assert f([3.0]).tolist() == [3.0]


def test_the_op_that_crashes_is_named():
    program = textwrap.dedent(
        """
        from opweld import Apply, COp, function, tensor
        from opweld.compile.debugmode import DebugMode

        class Boom(COp):
            def make_node(self, x):
                return Apply(self, [x], [x.type()])

            def c_code(self, node, name, inputs, outputs, sub):
                return "raise(SIGSEGV);"

            def c_headers(self):
                return ["<signal.h>"]

        x = tensor.dvector("x")
        y = Boom()(tensor.exp(x))
        function([x], y, mode=DebugMode(apart=True))([1.0])
        """
    )
    ended = subprocess.run([sys.executable, "-X", "faulthandler", "-c", program], capture_output=True, text=True)
    assert ended.returncode < 0 and 'File "<string>", line 16 in Boom' in ended.stderr


# -- the table ---------------------------------------------------------------------------------------------------


def test_the_table_of_the_documents():
    rows = re.findall(r"^\| (\w+) \| ([\d,]+) \| ([\d,]+) \|", (DOCS / "aliasing.md").read_text(), re.M)
    assert {row[0] for row in rows} == {"float16", "float32", "float64", "longdouble"}
    for dtype, rounded, any_op in rows:
        if dtype == "longdouble" and np.finfo("longdouble").nmant != 63:
            continue
        assert of_operation("exp", dtype).ulps == int(rounded) and ulps_of(dtype) == int(any_op.replace(",", ""))
    text = " ".join((DOCS / "aliasing.md").read_text().split())
    assert ", ".join(f"`{name}`" for name in sorted(ROUNDED)) in text
    assert ", ".join(f"`{name}`" for name in sorted(ROUNDED_COMPLEX - ROUNDED)) in text
    for page in ("elementwise.md", "numpy.md"):
        assert "within 4 units in the last place" in " ".join((DOCS / page).read_text().split())
    assert {of_operation(name, "float64").ulps for name in ROUNDED} == {4}


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "complex64", "clongdouble"])
def test_units_in_the_last_place(dtype):
    info = np.finfo(dtype)
    for start in (info.smallest_subnormal, info.tiny, 1, 1.5, 3, info.max / 32):
        one = np.array(start, info.dtype)
        next_ = np.nextafter(one, np.array(np.inf, info.dtype))
        a, b = one.astype(dtype), next_.astype(dtype)
        assert near(a, b, Tolerance(1)) and near(b, a, Tolerance(1)) and not near(a, b, EXACT)
        assert not near(a, np.array(start * 8, dtype), Tolerance(4))
    largest = np.array(info.max, dtype)
    assert not near(largest, np.array(np.inf, dtype), Tolerance(2**60)) and not near(largest, -largest, Tolerance(99))
    assert not near(np.zeros(2, dtype), np.zeros(3, dtype)) and not near(np.zeros(2, dtype), np.zeros(2, int))


# -- rewrites ----------------------------------------------------------------------------------------------------


def test_a_rewriter_that_changes_the_value(own):
    own.specialize(node_rewriter([Fill(1.0, 1.0)])(lambda node: [Fill(3.0, 3.0)(*node.inputs)]), name="three")
    err = found(BadRewrite, own.function([x], Fill()(x), mode="DebugMode"), [5.0])
    assert told(err) == (
        "rewriter 'three' changed the value of Fill{c=1.0, py=1.0}\n"
        "  node: Fill{c=1.0, py=1.0}(x)\n"
        "  input 0, x: [5.] (float64, shape (1,), strides (8,))\n"
        "  before: Fill{c=1.0, py=1.0} = [1.] (float64, shape (1,), strides (8,))\n"
        "  after: Fill{c=3.0, py=3.0} = [3.] (float64, shape (1,), strides (8,))"
    )
    assert own.function([x], Fill()(x), mode=own.mode("DebugMode", check_rewrites=False))([5.0]).tolist() == [3.0]


def test_a_rewriter_inside_a_graph(own):
    own.specialize(node_rewriter([Fill(2.0, 2.0)])(lambda node: [node.inputs[0]]), name="away")
    f = own.function([x], Fill()(Fill(2.0, 2.0)(x)), mode="DebugMode")
    assert f([2.0]).tolist() == [1.0]  # on 2, it is right
    assert "rewriter 'away' changed" in str(found(BadRewrite, f, [5.0]))


def test_ops_that_are_equal_and_compute_different_things():
    """No attribute tells them apart: that would be seen where they are merged."""
    calls = {}

    class Claims(Python):
        def __init__(self, call):
            calls[id(self)] = call

        def __eq__(self, other):
            return type(self) is type(other)

        def __hash__(self):
            return 1

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = calls[id(self)](*inputs)

    one, two = Claims(lambda a: a + 1), Claims(lambda a: a + 2)
    err = found(BadRewrite, debug([x], [one(x), two(x)]), [0.0])
    assert str(err).startswith("rewriter 'merge' changed the value of Claims\n  node: Claims(x)")


# -- the call ----------------------------------------------------------------------------------------------------


def test_arguments():
    f = debug([x, In(y, value=[7.0])], [Fill()(x), Fill()(y), y])
    assert [r.tolist() for r in f([1.0])] == [[1], [1], [7]]
    assert [r.tolist() for r in f(y=[2.0], x=[1.0])] == [[1], [1], [2]]
    plain = opweld.function([x, In(y, value=[7.0])], [Fill()(x), Fill()(y), y])
    for args, kwargs, message in (
        ((), {}, "f() missing required argument 'x' (position 1)"),
        (([1.0],), {"x": [1.0]}, "f() got multiple values for argument 'x'"),
        (([1.0],), {"z": 1}, "f() got an unexpected keyword argument 'z'; it takes x, y, out"),
        (([1.0], [1.0], [1.0]), {}, "f() takes 2 positional arguments but 3 were given"),
    ):
        for function in (f, plain):
            with pytest.raises(TypeError) as caught:
                function(*args, **kwargs)
            assert str(caught.value) == message
    assert inspect.signature(f) == inspect.signature(plain) and f.__doc__ == plain.__doc__
    with pytest.raises(TypeError, match=r"f\(\) argument 'x': "):
        f(["a"])


def test_out():
    out = np.zeros(2)
    assert debug([x], Fill()(x))([1.0, 2.0], out=out) is out and out.tolist() == [1.0, 1.0]
    first, second = debug([x], [Fill()(x), x])([1.0, 2.0], out=[None, out])
    assert second is out and out.tolist() == [1.0, 2.0] and first.tolist() == [1.0, 1.0]


OUTS = {
    "no array": [1.0, 2.0],
    "too few": [],
    "another dtype": np.zeros(2, "f4"),
    "another number of dimensions": np.zeros((2, 1)),
    "another shape": np.zeros(3),
    "read-only": np.broadcast_to(0.0, (2,)),
    "swapped": np.zeros(2, ">f8"),
    "a subclass": np.ma.zeros(2),
}


@pytest.mark.parametrize("out", OUTS.values(), ids=OUTS)
def test_out_that_the_ordinary_function_refuses(out):
    told = []
    for mode in ("FAST_RUN", "DebugMode"):
        with pytest.raises((TypeError, ValueError)) as caught:
            opweld.function([x], Fill()(x), mode=mode)([1.0, 2.0], out=out)
        told.append((type(caught.value), str(caught.value)))
    assert told[0] == told[1]


def test_source_and_class():
    f = debug([x], [Fill()(x), Fill(2.0, 2.0)(x)])
    text = opweld.source(f)
    assert "= 1.0;" in text and "= 2.0;" in text  # the C of its nodes
    without = opweld.source(debug([x], Python(lambda a: a.copy())(x)))
    assert "from the Program of f" in without  # that of the function itself
    assert isinstance(f, opweld.Function) and type(f).__name__ == "Function"


def test_ways_to_name_it(monkeypatch):
    wrong = Fill(1.0, 2.0)(x)
    for mode in ("DebugMode", "DEBUG_MODE", DebugMode, DebugMode()):
        found(BadThunkOutput, opweld.function([x], wrong, mode=mode), [0.0])
    monkeypatch.setattr(opweld.config, "mode", "DebugMode")
    found(BadThunkOutput, opweld.function([x], wrong), [0.0])
    assert opweld.function([x], wrong, mode="FAST_RUN")([0.0]).tolist() == [1.0]


def test_compile_time_checks_stay():
    with pytest.raises(opweld.UnusedInputError):
        debug([x, y], Fill()(x))
    with pytest.raises(opweld.InconsistencyError):
        debug([x], Python(lambda a: a, destroy_map={0: [0]})(x))
