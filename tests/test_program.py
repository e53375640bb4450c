"""From a graph to Program: the fields, how often a hook is asked, and what it may answer."""

import json
import warnings

import numpy as np
import pytest

from opweld import Apply, COp, CType, FunctionGraph, Op, Type, tensor
from opweld.compile.program import FAIL, make_program
from opweld.generic import Generic, generic
from opweld.tensor import as_tensor_variable


class Double(CType):
    __props__ = ()

    def __init__(self):
        self.asked = []

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def c_declare(self, name, sub):
        self.asked.append(("c_declare", name))
        return f"double {name};"

    def c_init(self, name, sub):
        self.asked.append(("c_init", name))
        return f"{name} = 0.0;"

    def c_extract(self, name, sub, **kwargs):
        self.asked.append(("c_extract", name, kwargs))
        return f"{name} = PyFloat_AsDouble(py_{name}); if (PyErr_Occurred()) {sub['fail']}"

    def c_sync(self, name, sub):
        return f"py_{name} = PyFloat_FromDouble({name});"

    def c_code_cache_version(self):
        return (1, "a", (None, 2.5))


class Add(COp):
    __props__ = ()

    def __init__(self):
        self.asked = []

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        self.asked.append("c_code")
        return f"{outputs[0]} = {inputs[0]} + {inputs[1]}; /* {name} {sub['fail']} */"

    def c_headers(self, c_compiler):
        self.asked.append("c_headers")
        return ["<math.h>", "plain.h", "<math.h>"]

    def c_code_cache_version(self):
        return (3,)


def program(inputs, outputs, **options):
    return make_program(FunctionGraph(inputs, outputs), **options)


def test_the_whole_of_a_small_program():
    double, add = Double(), Add()
    x, y = double("x"), double("y")
    made = program([x, y], [add(add(x, y), x)], name="g", single=True)
    assert made.data == {
        "program": 1,
        "name": "g",
        "types": [
            {
                "label": "Double",
                "lang": "c",
                "declare": "double V;",
                "init": "V = 0.0;",
                "extract": f"V = PyFloat_AsDouble(py_V); if (PyErr_Occurred()) {FAIL}",
                "sync": "py_V = PyFloat_FromDouble(V);",
                "cleanup": "",
                "version": "(1, 'a', (None, 2.5))",
            }
        ],
        "kernels": [
            {
                "label": "Add",
                "lang": "c",
                "inputs": [0, 0],
                "outputs": [0],
                "declares": ["double V0;", "double V1;", "double V2;"],
                "code": f"V2 = V0 + V1; /* OPW_NAME {FAIL} */",
                "build": {"headers": ["<math.h>", "plain.h"]},
                "version": "(3,)",
            }
        ],
        "variables": [
            {"type": 0, "role": "input", "name": "x"},
            {"type": 0, "role": "input", "name": "y"},
            {"type": 0, "role": "temporary"},
            {"type": 0, "role": "output"},
        ],
        "steps": [
            {"kernel": 0, "inputs": [0, 1], "outputs": [2]},
            {"kernel": 0, "inputs": [2, 0], "outputs": [3]},
        ],
        "inputs": [{"variable": 0, "name": "x"}, {"variable": 1, "name": "y"}],
        "outputs": [{"variable": 3}],
        "single": True,
        "flags": {"debug": False},
    }
    assert made.bytes == json.dumps(made.data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_a_question_is_asked_once():
    double, add = Double(), Add()
    x = v = double("x")
    for _ in range(5):
        v = add(v, x)
    program([x], [v])
    names = [entry[1] for entry in double.asked if entry[0] == "c_declare"]
    assert sorted(names) == ["V", "V0", "V1", "V2"]
    assert [entry for entry in double.asked if entry[0] == "c_extract"] == [("c_extract", "V", {"check_input": True})]
    assert add.asked.count("c_headers") == 1
    assert add.asked.count("c_code") == 5  # an apply's text may depend on the apply


def test_sources_name_the_method():
    double = Double()
    x = double("x")
    made = program([x], [Add()(x, x)])
    code = Add.c_code.__code__
    assert made.sources["Add.c_code"] == {"file": code.co_filename, "line": code.co_firstlineno, "exact": False}
    assert "Double.c_extract" in made.sources


def test_two_classes_of_one_name_have_two_labels():
    one, two = Add(), type("Add", (Add,), {})()
    x = Double()("x")
    made = program([x], [one(two(x, x), x)])
    assert [kernel["label"] for kernel in made.data["kernels"]] == ["Add", "Add~2"]


def test_tensors_have_accept_and_unchecked_extract():
    x = tensor.TensorType("float64", (3, None))("x")
    made = program([x], [Add()(x, x)], mutable=[True], defaults=[True], keywords=[None])
    (argument,), (result,), (type_,) = made.data["inputs"], made.data["outputs"], made.data["types"]
    assert argument["accept"] == (
        "PyArray_CheckExact(py_V) && PyArray_TYPE((PyArrayObject*)py_V) == NPY_FLOAT64 && "
        "PyArray_NDIM((PyArrayObject*)py_V) == 2 && PyArray_ISBEHAVED((PyArrayObject*)py_V) && "
        "PyArray_DIM((PyArrayObject*)py_V, 0) == 3"
    )
    assert result["accept"] == argument["accept"]
    assert argument["default"] is True and "name" not in argument
    assert "PyErr" not in type_["extract"] and "extract_out" in type_


def test_accept_is_not_inherited_past_a_new_extract():
    class Number(Generic):
        def c_declare(self, name, sub, check_input=True):
            return f"double {name};"

    x = Number()("x")
    assert "accept" not in program([x], [Add()(x, x)]).data["inputs"][0]
    y = generic("y")
    assert program([y], [Add()(y, y)]).data["inputs"][0]["accept"] == "1"


def test_types_without_c_are_carried_as_objects():
    class Text(Type):
        def filter(self, value, strict=False):
            return str(value)

    class Upper(Op):
        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, storage):
            storage[0][0] = inputs[0].upper()

    x = Text()("x")
    made = program([x], [Upper()(x)])
    assert made.data["types"][0]["label"] == "Text"
    assert made.data["types"][0]["declare"] == "PyObject* V;"
    assert made.data["kernels"] == [{"label": "Upper", "lang": "c", "inputs": [0], "outputs": [0], "perform": True}]
    assert "accept" not in made.data["inputs"][0]
    assert len(made.performs) == 1


def test_constants_are_variables_in_order():
    x = tensor.dvector("x")
    c = as_tensor_variable([1.0, 2.0])
    d = as_tensor_variable([3.0, 4.0])
    made = program([x], [Add()(Add()(x, d), Add()(c, d))])
    assert made.constants == [d, c]
    assert [v["role"] for v in made.data["variables"]].count("constant") == 2


def test_maps_are_pairs():
    class Both(Add):
        view_map = {0: [1]}
        destroy_map = {0: [0]}

    x, y = tensor.dvector("x"), tensor.dvector("y")
    (step,) = program([x, y], [Both()(x, y)]).data["steps"]
    assert (step["views"], step["destroys"]) == ([[0, 1]], [[0, 0]])


def test_no_perform_and_no_code():
    class Neither(COp):
        def make_node(self, x):
            return Apply(self, [x], [x.type()])

    x = tensor.dvector("x")
    with pytest.raises(TypeError) as caught:
        program([x], [Neither()(x)])
    assert str(caught.value).startswith("Neither can be run neither in C nor in Python: it has n")


@pytest.mark.parametrize(
    ("hook", "answer", "message"),
    [
        ("c_code", 3, "Add: c_code must return a string of C, got 3 (int)"),
        ("c_code", None, "Add: c_code must return a string of C, got None"),
        ("c_code_cleanup", b"x", "Add: c_code_cleanup must return a string of C, got b'x' (bytes)"),
        ("c_support_code", {}, "Add: c_support_code must return a string of C or a list of them, got {} (dict)"),
        ("c_libraries", [3], "Add: c_libraries must return a list of strings, got 3 (int) in it"),
        ("c_header_dirs", 5, "Add: c_header_dirs must return a list of strings, got 5 (int)"),
    ],
)
def test_answers_that_are_no_text(hook, answer, message):
    op = type("Add", (Add,), {hook: lambda self, *args: answer})()
    x = tensor.dvector("x")
    with pytest.raises(TypeError) as caught:
        program([x], [op(x, x)])
    assert str(caught.value).startswith(message)


def test_answers_in_the_forms_that_are_found_in_the_wild(tmp_path):
    class Wild(Add):
        def c_code(self, node, name, inputs, outputs, sub):
            return ["{", "}"]

        def c_code_cleanup(self, *args):
            return None

        def c_support_code(self, **kwargs):
            return ["int a;", "", "int b;"]

        def c_init_code(self):
            return "import_array();"

        def c_header_dirs(self, c_compiler=None):
            return (tmp_path,)

        def c_libraries(self):
            return "m"

        def c_compiler(self):
            return "clang"

        def c_support_code_apply(self, node, name):
            raise NotImplementedError

    x = tensor.dvector("x")
    (kernel,) = program([x], [Wild()(x, x)]).data["kernels"]
    assert kernel["code"] == "{\n}"
    assert kernel["support_code"] == ["int a;", "int b;"]
    assert kernel["init_code"] == ["import_array();"]
    assert kernel["build"] == {
        "headers": ["<math.h>", "plain.h"], "header_dirs": [str(tmp_path)], "libraries": ["m"], "compiler": "clang"
    }  # fmt: skip
    assert "code_cleanup" not in kernel and "support_code_apply" not in kernel


def test_an_error_inside_a_hook_is_not_taken_for_a_signature():
    class Broken(Add):
        def c_headers(self, c_compiler):
            raise TypeError("mine")

    x = tensor.dvector("x")
    with pytest.raises(TypeError, match=r"^mine$"):
        program([x], [Broken()(x, x)])


@pytest.mark.parametrize(
    ("version", "warned"), [((), False), ([1], True), ((object(),), True), ((1, np.int64(2)), True)]
)
def test_versions_that_do_not_count(version, warned):
    op = type("Add", (Add,), {"c_code_cache_version": lambda self: version})()
    x = tensor.dvector("x")
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = program([x], [op(x, x)])
    assert "version" not in made.data["kernels"][0]
    assert [str(w.message)[:42] for w in seen] == (["Add: c_code_cache_version must return a tu"] if warned else [])


def test_bytes_are_the_same_for_equal_graphs():
    def make():
        x, y = tensor.dvector("x"), tensor.fmatrix("y")
        return program([x, y], [Add()(x, x), Add()(y, y)]).bytes

    assert make() == make()


def test_two_wirings_differ():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    add = Add()
    assert program([x, y], [add(x, y)]).bytes != program([x, y], [add(y, x)]).bytes


def test_ten_thousand_nodes():
    x = v = tensor.dvector("x")
    add = Add()
    for _ in range(10_000):
        v = add(v, x)
    made = program([x], [v])
    assert len(made.data["kernels"]) == 1 and len(made.data["steps"]) == 10_000
