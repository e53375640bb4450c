"""What the texts of types take and give up is counted from the one that enters a variable to the one that leaves it."""

from __future__ import annotations

import inspect
import sys
import warnings

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, TensorType

#: What a type's hooks say, each on a line of its own; {v} is the variable.
DECLARE = "PyObject *{v}, *{v}_more; char *{v}_room;"
INIT = "{v} = {v}_more = NULL; {v}_room = NULL;"
EXTRACT = """
{v} = py_{v}; Py_INCREF({v}); /* held */
{v}_more = PyFloat_FromDouble(777.5); /* more */
if (!{v}_more) {fail}
{v}_room = (char *)malloc(30); /* room */
if (!{v}_room) {fail}
"""
SYNC = """
Py_XDECREF(py_{v});
py_{v} = {v} ? {v} : Py_None;
Py_INCREF(py_{v}); /* sync */
"""
HELD, MORE, ROOM = "Py_XDECREF({v}); /* gone */\n", "Py_XDECREF({v}_more);\n", "free({v}_room);\n"
ONE = {"declare": "PyObject *{v};", "init": "{v} = NULL;", "extract": "{v} = py_{v}; Py_INCREF({v}); /* held */"}
BOXED = {
    "declare": "struct box { PyObject *object; } *{v}_box; PyObject *{v};",
    "init": "{v}_box = NULL; {v} = NULL;",
    "extract": "{v} = py_{v}; Py_INCREF({v});\n{v}_box = (struct box *)malloc(sizeof(struct box)); /* room */\n"
    "if (!{v}_box) {fail}\n{v}_box->object = PyFloat_FromDouble(3.5); /* more */\n",
}


class Held(CType):
    """Any object, by texts that are given."""

    __props__ = ("texts", "which")

    def __init__(self, which, **texts):
        self.which = which
        all_of_it = {"declare": DECLARE, "init": INIT, "extract": EXTRACT, "sync": SYNC, "cleanup": HELD + MORE + ROOM}
        self.texts = tuple({**all_of_it, **texts}.items())

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def _text(self, hook, name, sub):
        return dict(self.texts)[hook].replace("{v}", name).replace("{fail}", sub.get("fail", ""))

    def c_declare(self, name, sub, check_input=True):
        return self._text("declare", name, sub)

    def c_init(self, name, sub):
        return self._text("init", name, sub)

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return self._text("extract", name, sub)

    def c_sync(self, name, sub):
        return self._text("sync", name, sub)

    def c_cleanup(self, name, sub):
        return self._text("cleanup", name, sub)

    def c_code_cache_version(self):
        return (1, self.texts)


class Same(COp):
    """Its input, one reference more."""

    __props__ = ("cxx",)

    def __init__(self, cxx=False):
        self.cxx = cxx

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    @property
    def c_language(self):
        return "c++" if self.cxx else "c"

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]}; Py_XINCREF({outputs[0]}); /* same */"

    def c_code_cache_version(self):
        return (1,)


#: Texts, and of each finding: the rule, what stands on its line, the object's type, and whether c_cleanup is told
#: beside it.
CASES = {
    "right": ({}, []),
    "an object lost in c_extract": (
        {"extract": EXTRACT + "PyObject *lost = PyList_New(0); (void)lost; /* lost */\n"},
        [("leaked-reference", "/* lost */", "list", False)],
    ),
    "one that c_cleanup forgets": (
        {"cleanup": HELD + ROOM},
        [("leaked-reference", "/* more */", "float", True)],
    ),
    "the variable's own": (
        {"cleanup": MORE + ROOM},
        [("leaked-reference", "/* same */", "str", True), ("leaked-reference", "/* held */", "str", True)],
    ),
    "memory that c_cleanup forgets": ({"cleanup": HELD + MORE}, [("leaked-memory", "/* room */", "", True)]),
    "released twice": (
        {"cleanup": HELD + MORE + ROOM + "Py_XDECREF({v}_more); /* twice */\n"},
        [("double-release", "/* twice */", "float", False)],
    ),
    "the glue's released": (
        {"cleanup": HELD + MORE + ROOM + "Py_XDECREF({v}); /* twice */\n"},
        [("borrowed-release", "/* twice */", "str", False)],
    ),
    "freed twice": (
        {"cleanup": HELD + MORE + ROOM + "free({v}_room); /* twice */\n"},
        [("double-release", "/* twice */", "", False)],
    ),
    "c_extract that takes none": (
        {"extract": EXTRACT.replace("Py_INCREF({v});", "")},
        [("borrowed-release", "/* gone */", "str", False)],
    ),
    "c_sync that gives away": (
        {"sync": "Py_XDECREF(py_{v}); py_{v} = {v};\n"},
        [("borrowed-release", "/* gone */", "str", False)],
    ),
    "c_sync that overwrites": (
        {"sync": SYNC.replace("Py_XDECREF(py_{v});", "")},
        [("leaked-reference", "", "NoneType", False)],
    ),
    "c_init that takes what c_cleanup forgets": (
        {"init": INIT + "\n{v}_more = PyLong_FromLong(99999); /* begun */\n", "extract": EXTRACT.replace(
            "PyFloat_FromDouble(777.5)", "NULL").replace("if (!{v}_more) {fail}", ""), "cleanup": HELD + ROOM},
        [("leaked-reference", "/* begun */", "int", True)],
    ),
    "used when it is gone": (
        {"cleanup": HELD + MORE + ROOM + "if ({v}_more) (void)PyFloat_AsDouble({v}_more); /* used */\n"},
        [("use-after-release", "/* used */", "float", False)],
    ),
    "one word": ({**ONE, "cleanup": HELD}, []),
    "one word that c_cleanup forgets": (
        {**ONE, "cleanup": ""},
        [("leaked-reference", "/* same */", "str", True), ("leaked-reference", "/* held */", "str", True)],
    ),
    "one word that is lent and given away": (
        {**ONE, "extract": "{v} = py_{v};", "sync": "Py_XDECREF(py_{v}); py_{v} = {v};", "cleanup": ""},
        [],
    ),
    "a box": ({**BOXED, "cleanup": "if ({v}_box) { Py_XDECREF({v}_box->object); free({v}_box); }\n" + HELD}, []),
    "a box that is not emptied": (
        {**BOXED, "cleanup": "free({v}_box);\n" + HELD},
        [("leaked-reference", "/* more */", "float", False)],
    ),
    "a box that is not freed": (
        {**BOXED, "cleanup": "if ({v}_box) Py_XDECREF({v}_box->object);\n" + HELD},
        [("leaked-memory", "/* room */", "", True)],
    ),
    "kept in a static": (
        {"extract": EXTRACT + "static PyObject *kept; if (!kept) { kept = {v}_more; Py_INCREF(kept); }\n"},
        [],
    ),
    "moved to a static": (
        {"cleanup": HELD + ROOM + "static PyObject *kept; Py_XDECREF(kept); kept = {v}_more;\n"},
        [],
    ),
}  # fmt: skip


def accounted(inputs, outputs, **more):
    return opweld.function(inputs, outputs, options={"account": True}, **more)


def found_in(f, *values, times=2):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", opweld.AccountWarning)
        for _ in range(times):
            f(*values)
    return f.account.findings


@pytest.mark.parametrize("cxx", [False, True], ids=["c", "c++"])
@pytest.mark.parametrize("name", CASES)
def test_what_a_types_texts_lose_is_told_by_its_line(name, cxx):
    texts, wanted = CASES[name]
    x = Held(name, **texts)("x")
    f = accounted([x], Same(cxx)(x))
    losses = found_in(f, f"an object of {name}")
    told = [(loss.rule, mark in loss.source, loss.type, loss.origin is not None and loss.origin.what == "c_cleanup")
            for loss, (_, mark, *_) in zip(losses, wanted)]  # fmt: skip
    assert told == [(rule, True, kind, left) for rule, _, kind, left in wanted]
    assert len(losses) == len(wanted), str(f.account)
    assert {loss.times for loss in losses} <= {2, 4}  # calls, and variables
    for loss in losses:
        assert (loss.op, loss.node is None) in (("Held", True), ("Same", False))
        assert loss.file == __file__


def test_the_method_is_told_where_no_line_is():
    x = Held("sync alone", sync=SYNC.replace("Py_XDECREF(py_{v});", "/* alone */"))("x")
    (loss,) = found_in(accounted([x], Same()(x)), "an object")
    assert loss.line == inspect.getsourcelines(Held.c_sync)[1]
    assert "the reference to a NoneType that the variable held is overwritten" in loss.message


class Refusing(Held):
    """Refuses what is no list, having taken."""


def test_what_a_refusal_loses_is_told():
    """A variable that was not entered whole is left as others are."""
    refuse = 'if (!PyList_Check({v})) { PyErr_SetString(PyExc_TypeError, "no list"); {fail} }\n'
    right = Refusing("right", extract=EXTRACT + refuse)("x")
    wrong = Refusing("wrong", extract=EXTRACT + refuse, cleanup=HELD + ROOM)("x")
    for x, lost in ((right, []), (wrong, ["/* more */"])):
        f = accounted([x], Same()(x))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", opweld.AccountWarning)
            with pytest.raises(TypeError, match="no list"):
                f("a str")
        assert (
            [mark in loss.source for loss, mark in zip(f.account, lost)]
            == [True] * len(f.account)
            == [True] * len(lost)
        )


class Python(opweld.Op):
    """Between objects, in Python."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0]


def test_what_python_gives_is_entered_and_left():
    right, wrong = Held("Python's")("x"), Held("Python's, wrong", cleanup=HELD + ROOM)("y")
    assert found_in(accounted([right], Same()(Python()(Same()(right)))), "an object") == []
    losses = found_in(accounted([wrong], Python()(Same()(wrong))), "an object", times=1)
    assert [(loss.rule, loss.type, loss.times) for loss in losses] == [
        ("leaked-reference", "float", 2)
    ]  # two variables


def test_constants_are_held_by_the_instance():
    kind = Held("constant")
    x = kind("x")

    for made in (kind, Held("constant, wrong", extract=EXTRACT + "PyList_New(0); /* lost */\n")):
        f = accounted([x], First()(x, opweld.Constant(made, "a constant")))
        losses = found_in(f, "an object")
        assert [("/* lost */" in loss.source, loss.times) for loss in losses] == ([] if made == kind else [(True, 1)])


class First(Same):
    """The first of two."""

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])


class Array(TensorType):
    """Double vectors by texts of its own, one of which may be wrong."""

    __props__ = ("dtype", "shape", "wrong")

    def __init__(self, wrong=""):
        super().__init__("float64", (None,))
        self.wrong = wrong

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return (
            super().c_extract(name, sub, check_input, **kwargs) + f"\n{self.wrong.replace('V', name)} /* of arrays */"
        )

    def c_code_cache_version(self):
        return (1, self.wrong)


@pytest.mark.parametrize("wrong", ["", "Py_INCREF(V);", "Py_DECREF(V);"])
def test_types_of_arrays(wrong):
    x = Array(wrong)("x")

    class Copy(Same):
        def c_code(self, node, name, inputs, outputs, sub):
            return (
                f"Py_XDECREF({outputs[0]});\n"
                f"{outputs[0]} = (PyArrayObject *)PyArray_NewCopy({inputs[0]}, NPY_CORDER);\n"
                f"if (!{outputs[0]}) {sub['fail']}"
            )

    f = accounted([x], Copy()(x))
    array = np.arange(3.0)
    before = sys.getrefcount(array)
    losses = found_in(f, array)
    rule = {"": [], "Py_INCREF(V);": ["leaked-reference"], "Py_DECREF(V);": ["borrowed-release"]}[wrong]
    assert [loss.rule for loss in losses] == rule and all(["/* of arrays */" in loss.source for loss in losses])
    assert sys.getrefcount(array) >= before


def test_the_projects_own_types_lose_nothing():
    g = opweld.generic.generic("g")
    k = opweld.tensor.lvector("k")

    class Kept(COp):
        __props__ = ()

        def make_node(self, g):
            return Apply(self, [g], [g.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            return f"Py_XDECREF({z});\n{z} = PyObject_Repr({x});\nif (!{z}) {sub['fail']}"

        def c_code_cache_version(self):
            return (1,)

    f = accounted([g, k], [Kept()(g), Kept()(Kept()(g)), k * 2])
    assert found_in(f, [1, 2], np.arange(3)) == []
    text, again, twice = f([1], [2])
    assert (text, again, twice.tolist()) == ("[1]", "'[1]'", [4])
