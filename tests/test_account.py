"""References and memory are counted: what C loses or gives up too often is told by its line, what is right is not."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import COp, ExternalCOp

x = T.dvector("x")
COPY = """
Py_XDECREF({z});
{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
if (!{z}) {fail}
"""
LIST = COPY + "PyObject *l = PyList_New(0); if (!l) {fail} /* came */\n"
ITEM = COPY + (
    "PyObject *l = PyList_New(1); if (!l) {fail}\n"
    "PyList_SET_ITEM(l, 0, PyFloat_FromDouble(1234.5));\n"
    "PyObject *item = PyList_GetItem(l, 0); /* came */\n"
)
RULES = ("leaked-reference", "double-release", "borrowed-release", "use-after-release", "leaked-memory")

#: Text, the rule, and the type of the object; the line that is told has /* here */.
WRONG = {
    "lost": (COPY + "PyObject *l = PyList_New(0); if (!l) {fail} /* here */\n", "leaked-reference", "list"),
    "taken": (COPY + "Py_INCREF({x}); /* here */\n", "leaked-reference", "numpy.ndarray"),
    "output": (
        "{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);\nif (!{z}) {fail}\nPy_INCREF({z}); /* here */\n",
        "leaked-reference",
        "numpy.ndarray",
    ),
    "None is taken": (COPY + "Py_INCREF(Py_None); /* here */\n", "leaked-reference", "NoneType"),
    "dtype": (COPY + "PyArray_DescrFromType(NPY_INT); /* here */\n", "leaked-reference", "numpy.dtype"),
    "appended": (
        LIST + "if (PyList_Append(l, PyFloat_FromDouble(5.5))) {fail} /* here */\nPy_DECREF(l);\n",
        "leaked-reference",
        "float",
    ),
    "twice": (LIST + "Py_DECREF(l);\nPy_DECREF(l); /* here */\n", "double-release", "list"),
    "an input": (COPY + "Py_DECREF({x}); /* here */\n", "borrowed-release", "numpy.ndarray"),
    "None": (COPY + "Py_DECREF(Py_None); /* here */\n", "borrowed-release", "NoneType"),
    "a borrowed item": (
        ITEM + "Py_INCREF(item);\nPy_DECREF(l);\nPy_DECREF(item);\nPy_DECREF(item); /* here */\n",
        "double-release",
        "float",
    ),
    "stolen": (
        LIST
        + "PyObject *t = PyTuple_New(1);\nif (!t) {fail}\n"
        + "PyTuple_SET_ITEM(t, 0, l);\nPy_DECREF(t);\nPy_DECREF(l); /* here */\n",
        "double-release",
        "list",
    ),
    "aliased": ("Py_XDECREF({z});\n{z} = {x};\n", "borrowed-release", "numpy.ndarray"),
    "dead with its list": (
        ITEM + "Py_DECREF(l);\nif (PyFloat_AsDouble(item) < 0) {fail} /* here */\n",
        "use-after-release",
        "float",
    ),
    "replaced in its list": (
        ITEM + "if (PyList_SetItem(l, 0, PyFloat_FromDouble(2.5))) {fail}\n"
        "if (PyFloat_AsDouble(item) < 0) {fail} /* here */\nPy_DECREF(l);\n",
        "use-after-release",
        "float",
    ),
    "dead": (LIST + "Py_DECREF(l);\nif (PyList_Size(l) != 0) {fail} /* here */\n", "use-after-release", "list"),
    "memory": (COPY + "char *p = (char *)malloc(100); if (!p) {fail} /* here */\np[0] = 1;\n", "leaked-memory", ""),
    "Python's memory": (
        COPY + "char *p = (char *)PyMem_Malloc(100); if (!p) {fail} /* here */\np[0] = 1;\n",
        "leaked-memory",
        "",
    ),
    "grown": (
        COPY + "char *p = (char *)malloc(10); if (!p) {fail}\np = (char *)realloc(p, 100); if (!p) {fail} /* here */\n",
        "leaked-memory",
        "",
    ),
    "freed twice": (
        COPY + "char *p = (char *)malloc(100); if (!p) {fail}\nfree(p);\nfree(p); /* here */\n",
        "double-release",
        "",
    ),
}

RIGHT = {
    "a copy": COPY,
    "its input": "Py_XDECREF({z});\n{z} = {x};\nPy_INCREF({z});\n",
    "storage that is reused": "if (!{z})\n{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);\nif (!{z}) {fail}\n",
    "a static": COPY + 'static PyObject *m; if (!m) m = PyImport_ImportModule("math");\nif (!m) {fail}\n',
    "static memory": COPY + "static double *p; if (!p) p = (double *)malloc(80);\nif (!p) {fail}\np[3] = 1;\n",
    "a chain of memory": COPY
    + "struct link { struct link *next; }; static struct link *first;\n"
    + "struct link *more = (struct link *)malloc(sizeof(struct link));\nif (!more) {fail}\n"
    + "more->next = first; first = more;\n",
    "memory that grew": COPY
    + "char *p = (char *)malloc(10);\nif (!p) {fail}\np = (char *)realloc(p, 100);\nfree(p);\n",
    "memory of an array": "npy_intp n = 3; double *p = (double *)malloc(24); if (!p) {fail} p[0] = p[1] = p[2] = 1;\n"
    "Py_XDECREF({z});\n{z} = (PyArrayObject *)PyArray_SimpleNewFromData(1, &n, NPY_DOUBLE, p);\n"
    "if (!{z}) { free(p); {fail} }\nPyArray_ENABLEFLAGS({z}, NPY_ARRAY_OWNDATA);\n",
    "a tuple": COPY + 'PyObject *t = Py_BuildValue("(iNd)", 1, PyFloat_FromDouble(2.5), 3.0);\nif (!t) {fail}\n'
    "PyObject *i = PyTuple_GET_ITEM(t, 1);\nif (PyFloat_AsDouble(i) < 0) {fail}\nPy_DECREF(t);\n",
    "a dtype that is taken": "Py_XDECREF({z});\n{z} = (PyArrayObject *)PyArray_FromAny((PyObject *){x}, "
    "PyArray_DescrFromType(NPY_DOUBLE), 1, 1, NPY_ARRAY_ENSURECOPY, NULL);\nif (!{z}) {fail}\n",
    "an exception that is kept": COPY + 'PyObject *a, *b, *c;\nPyErr_SetString(PyExc_ValueError, "no");\n'
    "PyErr_Fetch(&a, &b, &c);\nPyErr_NormalizeException(&a, &b, &c);\nPyErr_Restore(a, b, c);\nPyErr_Clear();\n",
    "a dict": COPY + "PyObject *d = PyDict_New(), *k, *v; Py_ssize_t at = 0;\nif (!d) {fail}\n"
    'PyObject *n = PyLong_FromLong(12345);\nif (PyDict_SetItemString(d, "n", n)) {fail}\nPy_DECREF(n);\n'
    "while (PyDict_Next(d, &at, &k, &v)) if (PyLong_AsLong(v) != 12345) {fail}\nPy_CLEAR(d);\n",
    "a tuple that grows": COPY + "PyObject *t = PyTuple_New(2);\nif (!t || _PyTuple_Resize(&t, 1)) {fail}\n"
    "PyTuple_SET_ITEM(t, 0, Py_NewRef(Py_None));\nPy_DECREF(t);\n",
}


class Texts(COp):
    """An op of a text."""

    __props__ = ("name",)

    def __init__(self, name, text, cxx=False):
        self.name, self.text, self.cxx = name, text, cxx

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    @property
    def c_language(self):
        return "c++" if self.cxx else "c"

    def c_code_cache_version(self):
        return (1, self.name, self.text)

    def c_code(self, node, name, inputs, outputs, sub):
        text = self.text.replace("{x}", inputs[0]).replace("{z}", outputs[0]).replace("{fail}", sub["fail"])
        return "{" + text + "}"


def accounted(inputs, outputs, **more):
    return opweld.function(inputs, outputs, options={"account": True}, **more)


def called(f, times=1):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", opweld.AccountWarning)
        for _ in range(times):
            f(np.arange(3.0))
    return f.account.findings


@pytest.fixture(scope="module", params=["c", "c++"])
def wrong(request):
    """All that is wrong, of one module each; what is told of each."""
    cxx = request.param == "c++"
    f = accounted([x], [Texts(name, text, cxx)(x) for name, (text, _, _) in WRONG.items()])
    found = called(f, 2)
    return {name: [loss for loss in found if loss.node.op.name == name] for name in WRONG}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_by_its_line(wrong, name):
    _, rule, kind = WRONG[name]
    (loss,) = wrong[name]
    assert (loss.rule, loss.times) == (rule, 2)
    assert loss.type == kind or loss.type.startswith(kind + "s.")  # dtypes have classes of their own from NumPy 1.25 on
    assert loss.op.startswith("Texts")
    assert ("/* here */" in loss.source) == (name != "aliased")


def test_where_the_object_came_from_is_told(wrong):
    (loss,) = wrong["replaced in its list"]
    assert loss.origin.what == "PyList_SET_ITEM"
    (loss,) = wrong["freed twice"]
    assert loss.origin.what == "free"


def test_how_much_memory_is_told(wrong):
    assert wrong["memory"][0].bytes == 200
    assert "100 bytes of malloc are not freed" in str(wrong["memory"][0])


@pytest.mark.parametrize("cxx", [False, True], ids=["c", "c++"])
def test_of_what_is_right_nothing_is_told(cxx):
    f = accounted([x], [Texts(name, text, cxx)(x) for name, text in RIGHT.items()])
    assert called(f, 3) == [] and len(f.account) == 0
    assert str(f.account) == "nothing is lost"


class OnTwoWays(COp):
    """Leaks where it fails, and not where it succeeds."""

    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code_cache_version(self):
        return (1,)

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,), fail = inputs, outputs, sub["fail"]
        return f"""
        PyObject *kept = PyFloat_FromDouble(77.5);
        if (!kept) {fail}
        Py_XDECREF({z});
        {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
        if (!{z} || PyArray_DIM({x}, 0) == 0) {{
            PyErr_SetString(PyExc_ValueError, "it is empty");
            {fail}
        }}
        Py_DECREF(kept);
        """


def test_what_a_failing_call_loses_is_told_by_the_users_line():
    f = accounted([x], OnTwoWays()(x))
    assert f(np.arange(3.0)).tolist() == [0, 1, 2] and len(f.account) == 0
    with (
        pytest.raises(ValueError, match="it is empty"),
        pytest.warns(opweld.AccountWarning, match="float that") as seen,
    ):
        f(np.zeros(0))
    (loss,) = f.account.findings
    lines = open(__file__).read().splitlines()
    assert loss.exact and "PyFloat_FromDouble(77.5)" in lines[loss.line - 1] and loss.file == __file__
    assert (seen[0].filename, seen[0].lineno) == (__file__, loss.line)


def test_each_is_said_once_and_counted():
    f = accounted([x], Texts("lost", WRONG["lost"][0])(x))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(5):
            f(np.arange(3.0))
    assert [w.category for w in seen] == [opweld.AccountWarning]
    assert [loss.times for loss in f.account] == [5]
    f.account.reset()
    assert len(f.account) == 0
    with pytest.warns(opweld.AccountWarning):
        f(np.arange(3.0))


def test_as_an_error_it_ends_the_call():
    f = accounted([x], Texts("lost too", WRONG["lost"][0] + "/* again */")(x))
    with warnings.catch_warnings():
        warnings.simplefilter("error", opweld.AccountWarning)
        with pytest.raises(opweld.AccountWarning, match=r"\[leaked-reference\]"):
            f(np.arange(3.0))


def test_the_process_outlives_what_is_given_up_too_often():
    """Objects that a text gave up once too often are still there afterwards."""
    f = accounted([x], [Texts(name, WRONG[name][0])(x) for name in ("twice", "an input", "aliased", "freed twice")])
    given = np.arange(3.0)
    before = sys.getrefcount(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(50):
            f(given)
    gc.collect()
    assert sys.getrefcount(given) >= before and given.tolist() == [0, 1, 2]


def test_a_file_of_c_is_told_by_its_own_lines(tmp_path):
    path = tmp_path / "filed.c"
    path.write_text(
        textwrap.dedent(
            """\
            #section support_code_apply

            static int APPLY_SPECIFIC(run)(PyArrayObject *x, PyArrayObject **z)
            {
                PyObject *lost = PyUnicode_FromString("of line five");
                Py_XDECREF(*z);
                *z = (PyArrayObject *)PyArray_NewCopy(x, NPY_CORDER);
                return !*z || !lost;
            }
            """
        )
    )

    class Filed(ExternalCOp):
        __props__ = ()

        def __init__(self):
            super().__init__([str(path)], "APPLY_SPECIFIC(run)")

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

    f = accounted([x], Filed()(x))
    (loss,) = called(f)
    assert (loss.file, loss.line, loss.exact, loss.what) == (str(path), 5, True, "PyUnicode_FromString")
    assert loss.to_dict()["type"] == "str"


def test_a_build_that_is_accounted_is_one_of_its_own():
    op = Texts("apart", COPY + "/* apart */")
    plain, counted = opweld.function([x], op(x)), accounted([x], op(x))
    assert plain.maker.built.key != counted.maker.built.key
    text = open(plain.maker.built.source).read()
    assert "opw_took" not in text and "opw_took" in open(counted.maker.built.source).read()
    assert not hasattr(plain, "account") and not hasattr(counted, "profile")
    module = open(plain.maker.built.path, "rb").read()
    assert opweld.function([x], op(x)).maker.built.path == plain.maker.built.path
    assert open(plain.maker.built.path, "rb").read() == module


def test_time_and_accounts_are_not_asked_for_together():
    with pytest.raises(opweld.ConfigError, match="profiled or accounted, not both"):
        accounted([x], x * 2, profile=True)


@pytest.mark.parametrize("more", [{"isolate": True}, {"mode": "DebugMode"}])
def test_what_would_not_be_counted_is_refused(more):
    with pytest.raises(opweld.ConfigError, match="run as one module of C in this process: leave out isolate"):
        accounted([x], Texts("apart", COPY)(x), **more)


def test_a_copy_and_a_pickle_have_accounts_of_their_own():
    f = accounted([x], Texts("copied", WRONG["lost"][0])(x))
    twin, loaded = f.copy(), pickle.loads(pickle.dumps(f))
    assert (len(called(f)), len(twin.account), len(loaded.account)) == (1, 0, 0)
    assert len(called(loaded)) == 1


def test_what_is_of_the_library_loses_nothing():
    m = T.dmatrix("m")
    f = accounted([m], [T.sort(m), T.exp(m * 2).sum(axis=0), m[1:, ::2].T, T.argmax(m, axis=1), T.cumsum(m, axis=0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", opweld.AccountWarning)
        for _ in range(3):
            f(np.arange(12.0).reshape(3, 4))
    assert len(f.account) == 0


HEADERS = """
#include <structmember.h>
#include <datetime.h>
#include <frameobject.h>
#include <marshal.h>
#include <numpy/ufuncobject.h>
#include <stdlib.h>
#include <string.h>
static PyObject *PyFloat_FromLongDouble(long double x) { return PyFloat_FromDouble((double)x); }
static inline int opw_test_compat(void) { return 1; }
"""


class Included(Texts):
    """A text that includes headers, and has functions of its own under the API's names."""

    def c_support_code(self):
        return HEADERS + "static PyObject *PyErr_GetRaisedException2(void) {{ return NULL; }}".replace(
            "{{", "{"
        ).replace("}}", "}")


@pytest.mark.parametrize("cxx", [False, True], ids=["c", "c++"])
def test_headers_come_after_it_as_well(cxx):
    text = COPY + "PyObject *l = PyFloat_FromLongDouble(2.5L);\nif (!l) {fail}\nPy_DECREF(l);\n"
    assert called(accounted([x], Included("headers", text, cxx)(x))) == []


def test_a_second_process_finds_what_was_built(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np, opweld, opweld.tensor as T\n"
        "x = T.dvector('x')\n"
        "f = opweld.function([x], T.sort(x), options={'account': True})\n"
        "f(np.arange(3.0))\n"
        "print(f.maker.built.hit, f.account)\n"
    )
    said = [
        subprocess.run([sys.executable, script], check=True, capture_output=True, text=True).stdout for _ in range(2)
    ]
    assert said[1] == "True nothing is lost\n"
