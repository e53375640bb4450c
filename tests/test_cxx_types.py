"""C++ types of values that are more than bytes: made once a call, never copied, and an exception is Python's."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType
from opweld.tensor import TensorType

# Counts what happens to its objects, and throws at what the variable BIG_THROWS names, from the given time on.
BIG = """
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>
struct Big {
    /* default, copy, move, assigned, destroyed, extracted */
    static double *counts() { static double of[6]; return of; }
    static void happens(int which, const char *name)
    {
        const char *throwing = getenv("BIG_THROWS");
        ++counts()[which];
        if (throwing && !strcmp(throwing, name)) {
            --counts()[which];
            throw std::runtime_error(std::string("thrown by ") + name);
        }
    }
    std::vector<double> values;
    Big() { happens(0, "default"); }
    Big(const Big &other) : values(other.values) { happens(1, "copy"); }
    Big(Big &&other) : values(std::move(other.values)) { happens(2, "move"); }
    Big &operator=(const Big &other) { happens(3, "copy assignment"); values = other.values; return *this; }
    Big &operator=(Big &&other) { happens(3, "move assignment"); values = std::move(other.values); return *this; }
    ~Big() { ++counts()[4]; }
};
"""


class BigType(CType):
    """A vector of floats, from a list."""

    __props__ = ("declared",)
    c_lang = "c++"

    def __init__(self, declared="Big {name};"):
        self.declared = declared

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def c_support_code(self):
        return BIG

    def c_declare(self, name, sub, check_input=True):
        return self.declared.format(name=name)

    def c_init(self, name, sub):
        return ""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"""
            Big::happens(5, "extract");
            for (Py_ssize_t i = 0; i < PyList_GET_SIZE(py_{name}); i++)
                {name}.values.push_back(PyFloat_AsDouble(PyList_GET_ITEM(py_{name}, i)));
            if (PyErr_Occurred()) {sub["fail"]}
        """

    def c_sync(self, name, sub):
        return f"""
            Big::happens(5, "sync");
            PyObject *list = PyList_New((Py_ssize_t){name}.values.size());
            if (list == NULL) {sub["fail"]}
            for (size_t i = 0; i < {name}.values.size(); i++)
                PyList_SET_ITEM(list, i, PyFloat_FromDouble({name}.values[i]));
            Py_XDECREF(py_{name});
            py_{name} = list;
        """

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


class Text(COp):
    """C++ of ``{x}``, ``{y}`` and ``{z}``."""

    __props__ = ("code", "out", "gil")
    c_lang = "c++"

    def __init__(self, code, out, gil="held"):
        self.code, self.out, self.gil = code, out, gil

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [self.out()])

    def c_code(self, node, name, inputs, outputs, sub):
        return self.code.format(z=outputs[0], fail=sub["fail"], **dict(zip("xy", inputs)))

    def c_code_cache_version(self):
        return (1,)


vector = TensorType("float64", (None,))
COUNTS = Text(
    """
    npy_intp n = 6;
    Py_XDECREF({z});
    {z} = (PyArrayObject *)PyArray_SimpleNew(1, &n, NPY_FLOAT64);
    if ({z} == NULL) {fail}
    memcpy(PyArray_DATA({z}), Big::counts(), 6 * sizeof(double));
    """,
    vector,
)
ADD = """
    {z}.values.resize({x}.values.size());
    for (size_t i = 0; i < {x}.values.size(); i++)
        {z}.values[i] = {x}.values[i] + 1;
"""


@pytest.fixture
def throws(monkeypatch):
    def set_(name):
        monkeypatch.setenv("BIG_THROWS", name)

    monkeypatch.delenv("BIG_THROWS", raising=False)
    return set_


def chain(big, steps=3):
    """x + 1 + 1 …, and the counts after that."""
    x = v = big("x")
    for _ in range(steps):
        v = Text(ADD, big)(v)
    return opweld.function([x], [v, COUNTS(v)])


def test_nothing_is_copied_or_moved():
    f = chain(BigType())
    given = [float(i) for i in range(1000)]
    before, rounds = f(given)[1], 5
    for _ in range(rounds):
        result, after = f(given)
    assert result == [i + 3 for i in given]
    default, copied, moved, assigned, destroyed, extracted = (after - before) / rounds
    assert (copied, moved, assigned) == (0, 0, 0)
    assert default == destroyed == 4  # x and the three that are computed: one object each, a call
    assert extracted == 2  # c_extract of x, c_sync of the result


def test_a_constant_is_made_once():
    big = BigType()
    constant = opweld.Constant(big, [1.0, 2.0])
    x = big("x")
    read, changed = "{y}.values[1]", "({y}.values.push_back(7), {y}.values.size())"
    for value, extracted, want in ((read, 3, 5.0), (changed, 4, 6.0)):  # what may be changed, each call has for itself
        v = Text("{z}.values.assign(1, {x}.values[0] + " + value + ");", big)(x, constant)
        f = opweld.function([x], [v, COUNTS(v)])
        (first, before), (second, after) = f([3.0]), f([3.0])
        assert first == second == [want]
        default, copied, moved, _, destroyed, given = after - before
        assert (copied, moved) == (0, 0) and default == destroyed == given
        assert given == extracted - 1


@pytest.mark.parametrize("where", ["default", "extract", "sync", "copy", "move", "copy assignment", "move assignment"])
def test_what_throws_is_an_exception_and_everything_is_released(where, throws):
    f = chain(BigType())
    given = [1.0, 2.0]
    start = f(given)[1]
    references = sys.getrefcount(given)
    throws(where)
    for _ in range(10):
        if where in ("default", "extract", "sync"):
            with pytest.raises(RuntimeError, match=f"thrown by {where}"):
                f(given)
        else:
            f(given)  # never happens
    assert sys.getrefcount(given) == references
    throws("nothing")
    end = f(given)[1]
    made, copied, moved, _, destroyed, _ = end - start
    assert made + copied + moved == destroyed


def test_a_constant_that_cannot_be_made(throws):
    big = BigType()
    x, data = big("x"), [1.0]
    references = sys.getrefcount(data)

    def build():
        v = Text("{z}.values = {y}.values;", big)(x, opweld.Constant(big, data))
        return opweld.function([x], v)

    def refused(where):
        throws(where)
        with pytest.raises(RuntimeError, match=f"thrown by {where}"):
            build()

    build()
    refused("default")
    refused("extract")
    gc.collect()
    assert sys.getrefcount(data) == references


def test_what_a_fragment_assigns_and_throws(throws):
    big = BigType()
    x = big("x")
    v = Text("{z} = {x};", big)(x)  # the op's own copy
    f = opweld.function([x], [v, COUNTS(v)])
    before, (result, after) = f([1.0])[1], f([1.0])
    assert result == [1.0] and (after - before)[1:4].tolist() == [0, 0, 1]
    throws("copy assignment")
    with pytest.raises(RuntimeError, match="thrown by copy assignment"):
        f([1.0])


# declaration, how `given` is put into it, how it is read
ODD = {
    "move-only": (
        "std::unique_ptr<double> {name};",
        "{name}.reset(new double(given));",
        "*{name}",
    ),
    "immovable": (
        "std::mutex {name}_lock; double {name};",
        "{name}_lock.lock(); {name} = given; {name}_lock.unlock();",
        "{name}",
    ),
    "immovable with a value": (
        "Pinned {name}{{3}};",
        "{name}.value = given;",
        "{name}.value",
    ),
    "parentheses": (
        "std::vector<double> {name}(2, 3.0);",
        "{name}.at(1) = given;",
        "{name}.at(1)",
    ),
    "equals": (
        "std::vector<double> {name} = {{3.0, 4.0}}; auto {name}_n = 1;",
        "{name}.at({name}_n) = given;",
        "{name}.at({name}_n)",
    ),
    "const member": (
        "Fixed {name}{{3}}; double {name}_v = 0;",
        "{name}_v = {name}.value + given - 3;",
        "{name}_v",
    ),
    "reference member": (
        "double {name}_v = 1; Refers {name}{{*new double(0)}};",
        "{name}.to = given;",
        "{name}.to",
    ),
    "aligned": (
        "alignas(64) struct {{ double of[8]; }} {name};",
        "{name}.of[7] = given;",
        "{name}.of[7]",
    ),
    "aligned object": (
        "Aligned {name};",
        "{name}.values.assign(1, given + ((size_t)&{name} % 128 != 0));",
        "{name}.values[0]",
    ),
    "array": (
        "std::vector<double> {name}[2];",
        "{name}[1].assign(1, given);",
        "{name}[1][0]",
    ),
    "array of bytes": (
        "double {name}[3] = {{1, 2, 3}};",
        "{name}[2] = given * {name}[1] / 2;",
        "{name}[2]",
    ),
    "itself": (
        "Self {name};",
        "{name}.value = given;",
        "(*{name}.self).value",
    ),
    "const": (
        'const double {name}_c = 2; const std::string {name}_s("ab"); const int {name}_n = 2; double {name}[{name}_n];',
        "{name}[1] = given * {name}_c / std::max({name}_n, 0) + (int){name}_s.size() - 2;",
        "{name}[1]",
    ),
    "types": (
        "typedef double t_{name}; enum e_{name} {{ zero_{name}, one_{name} }};\n"
        "struct s_{name} {{ t_{name} of[2]; }} {name};",
        "{name}.of[one_{name}] = given; {name}.of[zero_{name}] = 0;",
        "((struct s_{name} &){name}).of[one_{name}]",
    ),
    "function pointer": (
        "double (*{name}_f)(double) = nullptr; double {name};",
        "{name}_f = std::fabs; {name} = {name}_f(given);",
        "{name}",
    ),
    "no default": (
        "NoDefault {name}(3, 4);",
        "{name}.value = given;",
        "{name}.value",
    ),
    "long double": (
        "long double {name}; std::string {name}_text;",
        "{name}_text.assign(100, 'x'); {name} = given;",
        "({name} + 0 * {name}_text.size())",
    ),
}


class Odd(CType):
    """A float in a strange place."""

    __props__ = ("kind",)
    c_lang = "c++"

    def __init__(self, kind):
        self.kind = kind

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def c_support_code(self):
        return """
            #include <algorithm>
            #include <cmath>
            #include <memory>
            #include <mutex>
            #include <string>
            #include <vector>
            struct Pinned { double value; Pinned(double v) : value(v) {} Pinned(const Pinned &) = delete; };
            struct Fixed { const double value; };
            struct Refers { double &to; };
            struct alignas(128) Aligned { std::vector<double> values; };
            struct Self { Self *self; double value; Self() : self(this) {} Self(const Self &) = delete; };
            struct NoDefault { double value; NoDefault(int, int) noexcept(false) : value(0) {} };
        """

    def c_declare(self, name, sub, check_input=True):
        return ODD[self.kind][0].format(name=name)

    def c_init(self, name, sub):
        return f"const double given = 3;\n{ODD[self.kind][1].format(name=name)}"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        text = ODD[self.kind][1].format(name=name)
        return f"const double given = PyFloat_AsDouble(py_{name});\nif (PyErr_Occurred()) {sub['fail']}\n{{ {text} }}"

    def c_sync(self, name, sub):
        value = ODD[self.kind][2].format(name=name)
        return f"Py_XDECREF(py_{name});\npy_{name} = PyFloat_FromDouble((double)({value}));"

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("kind", ODD)
def test_odd_declarations(kind):
    odd = Odd(kind)

    class Times(COp):
        __props__ = ("kind",)
        c_lang = "c++"

        def __init__(self, kind):
            self.kind = kind

        def make_node(self, *inputs):
            return Apply(self, list(inputs), [odd()])

        def c_code(self, node, name, inputs, outputs, sub):
            _, set_, get = ODD[kind]
            values = " * ".join(f"({get.format(name=i)})" for i in inputs)
            return f"const double given = (double)({values});\n{{ {set_.format(name=outputs[0])} }}"

    x, y = odd("x"), odd("y")
    k = opweld.Constant(odd, 5.0)
    f = opweld.function([x, y], Times(kind)(Times(kind)(x, y), Times(kind)(x, k), y))
    for _ in range(3):
        assert f(2.0, 3.0) == (2 * 3) * (2 * 5) * 3
    np.testing.assert_equal(f(7.0, 1.0), 7 * 35.0)
    with pytest.raises(TypeError):
        f(2.0, "three")
