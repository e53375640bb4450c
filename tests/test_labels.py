"""Names that users make up, and where they get into C: classes, ops, files, functions and variables of any name."""

import re

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import errors, scalar
from opweld.hooks.reading import label_of

NAMES = [
    "A*/B", "*/ int x = ; /*", "/*", "/*/", "//", "a\nb", "a\r\nb", "a\\", "a\\\nb", 'quo"te', "tri??/graph", "??/",
    "a:7:b", "/usr/x", "./x", "<lambda>", ".", "", " ", " a ", "%s%n", "#define x", "opweld.c", "Größe", "漢字",
    "e\u0301", "\u202eabc", "a\u2028b", "a\x85b", "a\x7fb", "\ufeff", "😀", "long" * 5000, "ж" * 300, "V0",
    "OPW_NAME", "A.c_code", "A/B.c_code", "C<int, 2>",
]  # fmt: skip
CODE = """
    Py_XDECREF({z});
    {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER);
    if (!{z}) {fail}
"""


def make_node(self, x):
    return opweld.Apply(self, [x], [x.type()])


def copying(name, code=CODE, **fields):
    """An op of a class of any name, each of whose hooks writes something."""

    def c_code(self, node, token, inputs, outputs, sub):
        return code.format(x=inputs[0], z=outputs[0], fail=sub["fail"])

    fields = {
        "make_node": make_node, "c_code": c_code, "__props__": (),
        "c_support_code": lambda self: "/* support */",
        "c_support_code_apply": lambda self, node, token: f"static int twice_{token}(int x) {{ return 2 * x; }}",
        "c_init_code": lambda self: "(void)0;",
        "c_code_cleanup": lambda self, node, token, inputs, outputs, sub: "(void)0;",
        **fields,
    }  # fmt: skip
    return type(name, (opweld.COp,), fields)


def boxed(name):
    """A type of a class of any name, and an op on it."""
    fields = {
        "filter": lambda self, value, strict=False, allow_downcast=None: float(value),
        "c_declare": lambda self, v, sub, check_input=True: f"double {v};",
        "c_init": lambda self, v, sub: f"{v} = 0;",
        "c_extract": lambda self, v, sub, check_input=True: (
            f'if (!PyFloat_Check(py_{v})) {{ PyErr_SetString(PyExc_TypeError, "no float"); {sub["fail"]} }}\n'
            f"{v} = PyFloat_AsDouble(py_{v});"
        ),
        "c_sync": lambda self, v, sub: f"Py_XDECREF(py_{v}); py_{v} = PyFloat_FromDouble({v});",
        "c_cleanup": lambda self, v, sub: "(void)0;",
        "__props__": (),
    }
    return type(name, (opweld.CType,), fields)()


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_any_names_together(lang):
    x = T.dvector("x")
    boxes = [boxed(name)(f"b{i}") for i, name in enumerate(NAMES)]
    made = [copying(name, c_lang=lang)()(x) for name in NAMES]
    doubled = [copying(name, "{z} = 2 * {x};", c_lang=lang)()(box) for name, box in zip(NAMES, boxes)]
    f = opweld.function([x, *boxes], [*made, *doubled], name=NAMES[1])
    found = f(np.ones(2), *map(float, range(len(NAMES))))
    assert all(a.tolist() == [1, 1] for a in found[: len(NAMES)])
    assert found[len(NAMES) :] == [2.0 * i for i in range(len(NAMES))]


def test_labels_are_told_apart():
    x = T.dvector("x")
    texts = {name: CODE + f"*(double*)PyArray_DATA({{z}}) = {len(name)};" for name in ("a/b", "a:b", "a_b")}
    made = [copying(name, text)()(x) for name, text in texts.items()]
    program = opweld.function([x], made).maker.program.data
    assert [kernel["label"] for kernel in program["kernels"]] == ["a_b", "a_b~2", "a_b~3"]


@pytest.mark.parametrize(
    ("name", "label"),
    [("A*/B", "A*_B"), ("<lambda>", "_<lambda>"), ("", "_"), (" a ", "a"), ("tri??/graph", "tri___graph"),
     ("Größe", "Größe"),
     ("C<int, 2>", "C<int, 2>"), ("long" * 50, ("long" * 20)[:79] + "~"), ("\u202eabc", "_abc"), ("./x", "_._x")],
)  # fmt: skip
def test_label(name, label):
    assert label_of(name) == label and label_of(label) == label


def compile_error(inputs, outputs):
    with pytest.raises(errors.CompileError) as caught:
        opweld.function(inputs, outputs)
    return caught.value


@pytest.mark.parametrize("name", NAMES)
def test_errors_of_the_compiler_are_led_back_whatever_the_name(name):
    x = T.dvector("x")
    err = compile_error([x], copying(name, CODE + "\nnowhere = 1;")()(x))
    (found, *_) = [d for d in err.details["diagnostics"] if d["severity"] == "error"]
    assert (found["op"], found["hook"], found["fragment_line"]) == (label_of(name), "c_code", 6)
    assert found["file"] == __file__ and "nowhere" in found["message"]


@pytest.mark.parametrize("name", NAMES)
def test_refusals_before_the_compiler_are_led_back_whatever_the_name(name):
    x = T.dvector("x")
    with pytest.raises(errors.CompileError) as caught:
        opweld.function([x], copying(name, CODE + "\nreturn 1;")()(x))
    assert "`return` would leave without clean-up" in str(caught.value)
    assert __file__ in str(caught.value)


def test_messages_in_a_call():
    x = boxed("Box")("x")
    for name in NAMES:
        f = opweld.function([x], copying(name, "{fail}\n{z} = {x};")()(x))
        message = label_of(name) + ".c_code failed without setting an exception"
        with pytest.raises(RuntimeError, match=re.escape(message)):
            f(1)


class Given(scalar.UnaryScalarOp):
    def __init__(self, name):
        super().__init__(scalar.same_out, name)

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = nowhere;" if self.name == "wrong*/" else f"{outputs[0]} = {inputs[0]} * 2;"

    def c_support_code_apply(self, node, name):
        return f"static int twice_{name}(int x) {{ return 2 * x; }}"


def test_scalar_ops_of_any_name_and_class():
    x = T.dvector("x")
    ops = [Given(name or None) for name in NAMES] + [type(name, (Given,), {})(name) for name in NAMES]
    f = opweld.function([x], [T.Elemwise(op)(x) for op in ops])
    assert all(a.tolist() == [2.0] for a in f([1.0]))
    err = compile_error([x], T.Elemwise(type("A*/\n", (Given,), {})("wrong*/"))(x))
    (found, *_) = err.details["diagnostics"]
    assert (found["op"], found["hook"], found["file"]) == ("A*__", "c_code", __file__)


def test_scalar_ops_of_one_class_name_are_told_apart():
    x = T.dvector("x")
    one = type("Same", (Given,), {})("one")
    code = {"c_code": lambda self, node, name, inputs, outputs, sub: f"{outputs[0]} = nowhere;"}
    other = type("Same", (Given,), code)("two")
    err = compile_error([x], [T.Elemwise(one)(x), T.Elemwise(other)(x)])
    (found, *_) = err.details["diagnostics"]
    assert found["op"] == "Same~2" and found["line"] == other.c_code.__code__.co_firstlineno


@pytest.mark.parametrize("name", [n for n in NAMES if "/" not in n and n not in ("", ".") and len(n) < 90])
def test_files_of_any_name(name, tmp_path):
    path = tmp_path / name
    text = "#section code\nPy_XSETREF(OUTPUT_0, (PyArrayObject*)PyArray_NewCopy(INPUT_0, NPY_CORDER));\n{}"
    path.write_text(text.format("if (OUTPUT_0 == NULL) { FAIL }\n"), encoding="utf-8")
    fields = {"__init__": lambda self: opweld.ExternalCOp.__init__(self, str(path)), "make_node": make_node}
    x = T.dvector("x")
    assert opweld.function([x], type(name, (opweld.ExternalCOp,), fields)()(x))([1.0]).tolist() == [1.0]
    path.write_text(text.format("nowhere = 1;\n"), encoding="utf-8")
    (found, *_) = compile_error([x], type(name, (opweld.ExternalCOp,), fields)()(x)).details["diagnostics"]
    assert (found["file"], found["line"], found["exact"]) == (str(path), 3, True)


def test_variables_and_functions_of_any_name():
    inputs = [T.dvector(name) for name in NAMES]
    op = copying("Copy")()
    named = [opweld.In(v, name=f"v{i}") for i, v in enumerate(inputs)]
    f = opweld.function(named, [op(v) for v in inputs], name="*/\n\\")
    assert all(a.tolist() == [1.0] for a in f(*[[1.0]] * len(inputs)))
    for name in NAMES:
        assert opweld.function([inputs[0]], op(inputs[0]), name=name or None)([1.0]).tolist() == [1.0]


def test_trigraphs_that_the_compiler_was_asked_to_read():
    x = T.dvector("x")
    cls = copying("tri??/", c_compile_args=lambda self: ["-trigraphs"])
    assert opweld.function([x], cls()(x), name="f??/")([1.0]).tolist() == [1.0]


def test_a_header_is_one_line():
    x = T.dvector("x")
    for header in ('a.h"\nint n;', " ", "<math.h>\r"):
        with pytest.raises(errors.ProgramError, match="is no header: give the names of headers, one an item"):
            opweld.function([x], copying("A", c_headers=lambda self, header=header: [header])()(x))
