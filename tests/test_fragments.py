"""What a fragment may not do is told before a compiler runs, with the user's file and line."""

import inspect

import numpy as np
import pytest

import opweld
import opweld.tensor as T

FILE = __file__


class Body(opweld.COp):
    """Runs any text; `%(x)s`, `%(z)s` and `%(fail)s` are filled in."""

    __props__ = ("text", "cleanup", "lang")

    def __init__(self, text, cleanup="", lang="c"):
        self.text, self.cleanup, self.lang = text, cleanup, lang

    @property
    def c_lang(self):
        return self.lang

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def fill(self, text, inputs, outputs, sub):
        return text % {"x": inputs[0], "z": outputs[0], "fail": sub.get("fail", "")}

    def c_code(self, node, name, inputs, outputs, sub):
        return self.fill(self.text, inputs, outputs, sub)

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self.fill(self.cleanup, inputs, outputs, sub)

    def c_code_cache_version(self):
        return (1,)


COPY = "Py_XDECREF(%(z)s); %(z)s = (PyArrayObject *)PyArray_NewCopy(%(x)s, NPY_CORDER); if (!%(z)s) %(fail)s\n"
CODE_LINE = inspect.getsourcelines(Body.c_code)[1]
CLEANUP_LINE = inspect.getsourcelines(Body.c_code_cleanup)[1]


def refusal(*args, **kwargs):
    x = T.dvector("x")
    with pytest.raises(opweld.CompileError) as caught:
        opweld.function([x], Body(*args, **kwargs)(x))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "column", "message", "line"),
    [
        (
            COPY + "return;", 0,
            "`return` would leave without clean-up: use fail after setting an exception, or let the fragment end",
            "return;",
        ),
        (
            COPY + "goto done;", 0,
            "`goto done` leads out of the fragment: only labels of its own may be jumped to", "goto done;",
        ),
        (COPY + "break;", 0, "`break` stands outside a loop or switch of the fragment", "break;"),
        (COPY + "continue;", 0, "`continue` stands outside a loop of the fragment", "continue;"),
        (
            COPY + "end: ; end: ;", 7,
            "the label end is defined twice: give each fragment's labels names of their own", "end: ; end: ;",
        ),
        (COPY + "opw_fail: ;", 0, "the label opw_fail is the glue's: choose another name", "opw_fail: ;"),
        (
            COPY + "int f = NPY_ARRAY_UPDATEIFCOPY;", 8,
            "NumPy 2 has no NPY_ARRAY_UPDATEIFCOPY: write NPY_ARRAY_WRITEBACKIFCOPY, and "
            "PyArray_ResolveWritebackIfCopy before the array is released",
            "int f = NPY_ARRAY_UPDATEIFCOPY;",
        ),
        (
            COPY + "if (!%(x)s) %(fail)s; else { }", 9,
            "`if (...) fail; else` does not compile, for fail is a statement in braces: leave the semicolon out",
            "if (!V0) { opw_failure = 1; goto opw_fail; }; else { }",
        ),
        (
            COPY + "int f = %(fail)s;", 8, "fail is a statement and may not stand inside an expression",
            "int f = { opw_failure = 1; goto opw_fail; };",
        ),
    ],
)  # fmt: skip
def test_what_a_fragment_may_not_do(text, column, message, line):
    assert refusal(text) == (
        f"Body.c_code does not compile: {FILE}:{CODE_LINE} (line 2 of the fragment)\n"
        f"  {message}\n"
        f"     2 | {line}\n"
        f"       | {' ' * column}^"
    )


def test_fail_in_a_clean_up():
    assert refusal(COPY, "if (0) %(fail)s") == (
        f"Body.c_code_cleanup does not compile: {FILE}:{CLEANUP_LINE} (line 1 of the fragment)\n"
        "  fail may not stand here: this text runs where nothing can fail any more\n"
        "     1 | if (0) { opw_failure = 1; goto opw_fail; }\n"
        "       |        ^"
    )


def test_fail_before_a_declaration_in_cxx():
    assert "which C++ forbids: declare it before the first fail, or open a brace" in refusal(
        COPY + "int n = 3;", "(void)n;", lang="c++"
    )
    x = T.dvector("x")
    f = opweld.function([x], Body(COPY + "{ int n = 3; (void)n; }", "(void)0;", lang="c++")(x))
    assert f(np.arange(2.0)).tolist() == [0.0, 1.0]


def test_what_looks_alike_is_let_pass():
    x = T.dvector("x")
    text = COPY + (
        "/* return; */ const char *s = \"goto x; break;\"; (void)s;\n"
        "for (int i = 0; i < 3; i++) { if (i == 1) continue; if (i == 2) break; }\n"
        "again: if (0) goto again;\n"
        "switch (1) { case 1: break; default: break; }\n"
        "if (!%(z)s) %(fail)s else { }"
    )  # fmt: skip
    assert opweld.function([x], Body(text)(x))(np.ones(1)).tolist() == [1.0]


class Takes(opweld.CType):
    """A type whose declaration takes a name that the glue has."""

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def c_declare(self, name, sub, check_input=True):
        return f"double {name}; PyObject *py_{name};"

    def c_init(self, name, sub):
        return f"{name} = 0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f"{name} = PyFloat_AsDouble(py_{name});"

    def c_sync(self, name, sub):
        return ""

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


def test_a_declaration_of_the_glues_names():
    x = Takes()("x")
    message = "^Takes: c_declare: py_V exists already; declare a variable of another name$"
    with pytest.raises(opweld.ProgramError, match=message):
        opweld.function([x], [], on_unused_input="ignore")
