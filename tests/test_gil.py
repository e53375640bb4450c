"""gil = "released" and "free-threaded": what a text without the GIL may call, and an interpreter without one does."""

import re
import sysconfig
import threading
import warnings

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import errors
from opweld.hooks import reading

ADVICE = (
    "put it between PyGILState_STATE s = PyGILState_Ensure(); and PyGILState_Release(s);, or leave gil = 'released' out"
)


class Released(opweld.COp):
    """Any C without the GIL; X is the input, Z the output, a number."""

    __props__ = ("code", "support", "gil", "c_lang")

    def __init__(self, code, support="", gil="released", c_lang="c"):
        self.code, self.support, self.gil, self.c_lang = code, support, gil, c_lang

    def make_node(self, x):
        return opweld.Apply(self, [x], [opweld.scalar.float64()])

    def c_support_code(self):
        return self.support

    def c_code(self, node, name, inputs, outputs, sub):
        return re.sub(r"\bX\b", inputs[0], re.sub(r"\bZ\b", outputs[0], self.code)).replace("FAIL", sub["fail"])

    def c_code_cache_version(self):
        return (1,)


def refusal(op):
    with pytest.raises(errors.CompileError) as caught:
        x = T.dvector("x")
        opweld.function([x], op(x))
    return str(caught.value)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_what_needs_the_gil_is_refused_by_line_before_it_compiles(lang):
    text = refusal(Released("Z = 0;\n\nPyArray_NewCopy(X, NPY_CORDER);", c_lang=lang))
    assert f"`PyArray_NewCopy` needs the GIL, which gil = 'released' has given up: {ADVICE}" in text
    assert "(line 3 of the fragment)" in text and __file__ in text
    assert "`Py_XDECREF` needs the GIL" in refusal(Released("Py_XDECREF(X); Z = 0;", c_lang=lang))
    assert "`PyErr_SetString` needs" in refusal(Released('PyErr_SetString(PyExc_ValueError, "x"); FAIL', c_lang=lang))


def test_functions_and_macros_that_it_calls_are_looked_into():
    support = "static void drop(void* x) { Py_XDECREF((PyObject*)x); }\n#define DROP(x) drop(x)"
    text = refusal(Released("DROP(X);", support))
    assert "`DROP` runs without the GIL here, and in it `drop` runs without the GIL here, and in it `Py_XD" in text


def test_the_same_text_with_the_gil_passes():
    x = T.dvector("x")
    code = "Py_INCREF(X); Py_DECREF(X); Z = 1;"
    assert opweld.function([x], Released(code, gil="held")(x))([1.0]) == 1.0
    with pytest.raises(errors.CompileError):
        opweld.function([x], [Released(code, gil="held")(x), Released(code)(x)])


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_what_takes_the_gil_for_a_while_runs(lang):
    x = T.dvector("x")
    code = """
        Z = 0;
        for (npy_intp i = 0; i < PyArray_DIM(X, 0); i++) Z += *(double*)PyArray_GETPTR1(X, i);
        if (Z < 0) {
            PyGILState_STATE state = PyGILState_Ensure();
            PyErr_Format(PyExc_ValueError, "negative by %d", (int)-Z);
            PyGILState_Release(state);
            FAIL
        }
        if (Z > 100) FAIL
    """
    f = opweld.function([x], Released(code, c_lang=lang)(x))
    assert f([1.0, 2.0]) == 3.0
    for _ in range(3):
        with pytest.raises(ValueError, match="negative by 3"):
            f([-3.0])
        with pytest.raises(RuntimeError, match="failed without setting an exception"):
            f([101.0])
    assert f([1.0]) == 1.0


def test_what_takes_the_gil_through_functions_macros_and_objects_runs():
    support = """
        struct Gil {
            PyGILState_STATE state;
            Gil() : state(PyGILState_Ensure()) {}
            ~Gil() { PyGILState_Release(state); }
        };
        static PyGILState_STATE lock() { return PyGILState_Ensure(); }
        #define UNLOCK(state) PyGILState_Release(state)
    """
    code = """
        #if 0
        Py_DECREF(X);
        #endif
        Z = PyArray_DIM(X, 0);
        if (Z == 0) { Gil held; PyErr_SetString(PyExc_ValueError, "nothing"); FAIL }
        PyGILState_STATE state = lock();
        PyErr_Clear();
        UNLOCK(state);
    """
    x = T.dvector("x")
    f = opweld.function([x], Released("{" + code + "}", support, c_lang="c++")(x))
    for _ in range(3):
        assert f([1.0, 2.0]) == 2.0
        with pytest.raises(ValueError, match="nothing"):
            f([])
    code = "{ Gil held; }\nPyErr_Clear();"
    assert "`PyErr_Clear` needs the GIL" in refusal(Released(code, support, c_lang="c++"))


def test_released_functions_of_files(tmp_path):
    path = tmp_path / "work.c"
    path.write_text(
        "#section support_code_apply\n"
        "static int APPLY_SPECIFIC(work)(PyArrayObject* x, npy_float64* z)\n{\n"
        "    *z = *(double*)PyArray_DATA(x);\n    return *z < 0 ? 7 : 0;\n}\n"
        "static int APPLY_SPECIFIC(worse)(PyArrayObject* x, npy_float64* z)\n{\n"
        "    Py_INCREF(x);\n    return 0;\n}\n"
    )

    class Work(opweld.ExternalCOp):
        gil = "released"
        __props__ = ("func_name",)

        def __init__(self, name):
            super().__init__(str(path), f"APPLY_SPECIFIC({name})")

        def make_node(self, x):
            return opweld.Apply(self, [x], [opweld.scalar.float64()])

    x = T.dvector("x")
    f = opweld.function([x], Work("work")(x))
    assert f([2.0]) == 2.0
    with pytest.raises(RuntimeError, match="returned 7 without setting an exception"):
        f([-1.0])  # the glue looks for an exception, with the GIL
    with pytest.raises(errors.CompileError, match="in it `Py_INCREF` needs the GIL"):
        opweld.function([x], Work("worse")(x))


def test_threads_in_released_code_and_the_gil_in_turns():
    x = T.dvector("x")
    code = """
        PyGILState_STATE state = PyGILState_Ensure();
        PyObject* made = PyFloat_FromDouble(1);
        if (made == NULL) {
            PyGILState_Release(state);
            FAIL
        }
        Z = PyFloat_AsDouble(made);
        Py_DECREF(made);
        PyGILState_Release(state);
    """
    f = opweld.function([x], Released(code)(x))
    wrong = []

    def run():
        wrong.extend(1 for _ in range(2000) if f(np.ones(1)) != 1.0)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_interpreter_without_a_gil_is_told_once_that_it_has_one(monkeypatch):
    monkeypatch.setattr(reading, "_told_of_gil", [])
    read = sysconfig.get_config_var
    x = T.dvector("x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opweld.function([x], Released("Z = 1;", gil="free-threaded")(x))  # this one has a GIL: nothing to say
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: 1 if name == "Py_GIL_DISABLED" else read(name))
    with pytest.warns(opweld.errors.OpweldWarning, match="gil = 'free-threaded' has no effect yet") as caught:
        for code in ("Z = 2;", "Z = 3;"):
            assert opweld.function([x], Released(code, gil="free-threaded")(x))([1.0]) == float(code[4])
    assert len(caught) == 1
