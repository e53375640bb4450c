"""From a graph to Program: the fields, how often a hook is asked, and what it may answer."""

import json
import subprocess
import sys
import typing
import warnings

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, FunctionGraph, Op, Type, scalar, schema, tensor
from opweld.compile.program import make_program
from opweld.generic import Generic, generic
from opweld.hooks.reading import FAIL
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
        "program": 4,
        "name": "g",
        "types": [
            {
                "label": "Double",
                "lang": "c",
                "declare": "double opw_V;",
                "init": "opw_V = 0.0;",
                "extract": f"opw_V = PyFloat_AsDouble(py_opw_V); if (PyErr_Occurred()) {FAIL}",
                "sync": "py_opw_V = PyFloat_FromDouble(opw_V);",
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
                "declares": ["double opw_V0;", "double opw_V1;", "double opw_V2;"],
                "code": f"opw_V2 = opw_V0 + opw_V1; /* OPW_NAME {FAIL} */",
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
    }
    assert made.bytes == json.dumps(made.data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_a_question_is_asked_once():
    double, add = Double(), Add()
    x = v = double("x")
    for _ in range(5):
        v = add(v, x)
    program([x], [v])
    names = [entry[1] for entry in double.asked if entry[0] == "c_declare"]
    assert sorted(names) == ["opw_V", "opw_V0", "opw_V1", "opw_V2"]
    extracts = [entry for entry in double.asked if entry[0] == "c_extract"]
    assert extracts == [("c_extract", "opw_V", {"check_input": True})]
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
    assert argument["fit"] == result["fit"] == {"sizes": [[0, 3]], "writeable": True}
    assert "accept" not in argument and "sizes" not in type_["array"]
    assert argument["default"] is True and "name" not in argument
    assert {"init", "extract", "extract_out", "sync", "cleanup"}.isdisjoint(type_)


def test_what_the_librarys_own_say_is_known():
    """Two functions of equal types and ops are the same Program, and nobody is asked for the second."""
    asked = []

    def made():
        x = tensor.dvector("x")
        found = program([x], [x * 3 + 1])
        return found.text, found.sources

    first = made()
    types, ops = tensor.TensorType, tensor.Elemwise
    old = types.c_declare, ops.structure
    types.c_declare = lambda self, *args, **more: asked.append(self) or old[0](self, *args, **more)
    ops.structure = lambda self, node: asked.append(self) or old[1](self, node)
    try:
        assert made() == first and asked == []
        x = tensor.dvector("x")
        x.type.hung = 1  # what is asked may depend on it
        program([x], [x * 3 + 1])
        assert asked == [x.type]
    finally:
        types.c_declare, ops.structure = old
    assert {name: at["line"] for name, at in first[1].items()} == {name: at["line"] for name, at in made()[1].items()}


def test_what_a_subclass_of_the_librarys_own_says_is_asked_for():
    class Counted(tensor.Elemwise):
        def structure(self, node):
            asked.append(node)
            return super().structure(node)

    asked = []
    x = tensor.dvector("x")
    for _ in range(2):
        program([x], [Counted(scalar.exp)(x)])
    assert len(asked) == 2


def test_what_a_tensor_type_writes_itself_is_asked_for():
    class Mine(tensor.TensorType):
        def c_accept(self, name, writeable=False):
            return f"{super().c_accept(name, writeable)} && PyArray_DIM((PyArrayObject*)py_{name}, 0) > 1"

    x = Mine("float64", (3, None))("x")
    made = program([x], [Add()(x, x)], mutable=[True])
    assert made.data["inputs"][0]["accept"] == (
        "PyArray_CheckExact(py_opw_V) && PyArray_TYPE((PyArrayObject*)py_opw_V) == NPY_FLOAT64 && "
        "PyArray_NDIM((PyArrayObject*)py_opw_V) == 2 && PyArray_ISBEHAVED((PyArrayObject*)py_opw_V) && "
        "PyArray_DIM((PyArrayObject*)py_opw_V, 0) == 3 && PyArray_DIM((PyArrayObject*)py_opw_V, 0) > 1"
    )
    assert "fit" not in made.data["inputs"][0] and made.data["types"][0]["array"]["plain"]


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
    assert made.data["types"][0]["declare"] == "PyObject* opw_V;"
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
    x, first = tensor.dvector("x"), tensor.dvector("v")
    v = first
    add = Add()
    for _ in range(10_000):
        v = add(v, x)
    made = program([x, first], [v])
    assert len(made.data["kernels"]) == 1 and len(made.data["steps"]) == 10_000


class Fill(COp):
    """A vector of as many as `n` says, each element `value`."""

    __props__ = ()

    def make_node(self, x, *more):
        return Apply(self, [x, *more], [tensor.dvector()])

    def c_code(self, node, name, inputs, outputs, sub):
        self.inputs = inputs
        return f"""
            Py_CLEAR({outputs[0]});
            {{ npy_intp n = 1; {outputs[0]} = (PyArrayObject*)PyArray_ZEROS(1, &n, NPY_FLOAT64, 0); }}
            if ({outputs[0]} == NULL) {sub["fail"]}
            *(double*)PyArray_DATA({outputs[0]}) = {" + ".join(f"(double){name}" for name in inputs)};
        """

    def c_code_cache_version(self):
        return (1,)


def constant(dtype, value):
    return scalar.get_scalar_type(dtype).make_constant(np.dtype(dtype).type(value))


def test_a_constant_with_a_literal_is_no_variable():
    op, x = Fill(), scalar.float64("x")
    made = program([x], [op(constant("int32", -3), x, constant("float32", 0.1), x)])
    assert op.inputs == ["((npy_int32)-3LL)", "opw_V0", "((npy_float32)0.10000000149011612)", "opw_V0"]
    (kernel,), (step,) = made.data["kernels"], made.data["steps"]
    assert (kernel["inputs"], kernel["outputs"], step["inputs"]) == ([0], [1], [0])
    assert len(kernel["declares"]) == 2 and made.constants == []


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("bool", [True, False]),
        ("int8", [-128, 127]),
        ("int64", [-(2**63), 2**63 - 1, 0]),
        ("uint64", [2**64 - 1]),
        ("float32", [0.1, -0.0, np.float32(3.4e38), 1e-45, np.inf]),
        ("float64", [0.1, -0.0, 1e308, 5e-324, -np.inf, np.nan]),
        ("longdouble", [np.longdouble(1) / 3, np.finfo(np.longdouble).max, np.finfo(np.longdouble).tiny, -0.0]),
        ("float16", [0.1, -2.5]),
        ("complex128", [1 + 2j]),
    ],
)
def test_literals_are_exact(dtype, values, lang):
    class Keep(COp):
        __props__ = ()
        c_lang = lang
        c_float16 = True

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]};"

    results = opweld.function([], [Keep()(constant(dtype, value)) for value in values])()
    for value, result in zip(values, results):
        wanted = np.dtype(dtype).type(value)
        assert type(result) is type(wanted) and result.dtype == wanted.dtype
        assert result.tobytes()[:10] == wanted.tobytes()[:10]  # of a longdouble ten bytes count


def test_a_literal_is_a_variable_for_perform(monkeypatch):
    monkeypatch.setattr(opweld.config, "optimizer", "merge")  # the constant is not to be folded

    class Double(Op):
        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, storage):
            storage[0][0] = inputs[0] * 2

    three = constant("float64", 3.0)
    f = opweld.function([], [Double()(three), Fill()(three)])
    assert f()[0] == 6 and f()[1].tolist() == [3]
    assert f.maker.program.constants == [three]


def test_a_view_of_a_literal_is_none():
    op = type("Viewing", (Fill,), {"view_map": {0: [0, 1]}})()
    (step,) = program([], [op(constant("int8", 1), as_tensor_variable(2.0))]).data["steps"]
    assert step["views"] == [[0, 0]]


# -- kept temporaries -------------------------------------------------------------------------------------------------


def kept(inputs, outputs):
    made = program(inputs, outputs)
    return [i for i, variable in enumerate(made.data["variables"]) if variable.get("keep")]


class OneTwo(Add):
    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return ";"


class Viewing(OneTwo):
    view_map = {0: [0]}


class Destroying(OneTwo):
    destroy_map = {0: [0]}


class InPython(Op):
    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        storage[0][0] = inputs[0] + 1


@pytest.mark.parametrize(
    ("ops", "wanted"),
    [
        ([OneTwo, OneTwo], [1]),
        ([OneTwo, OneTwo, OneTwo], [1, 2]),
        ([OneTwo, Viewing], []),  # the output is a view of it
        ([OneTwo, Viewing, OneTwo], [1]),
        ([OneTwo, Destroying, Viewing], []),
        ([OneTwo, Destroying, OneTwo], [1]),
        ([OneTwo, InPython, OneTwo], []),  # Python has seen both
        ([OneTwo, Viewing, InPython, OneTwo], []),
        ([OneTwo, OneTwo, InPython, OneTwo], [1]),
    ],
)
def test_temporaries_that_nobody_else_holds_are_kept(ops, wanted):
    x = v = tensor.dvector("x")
    for op in ops:
        v = op()(v)
    assert kept([x], [v]) == wanted


def test_scalars_and_users_types_are_not_kept():
    for type_ in (scalar.float64, Double(), generic):
        x = type_("x")
        assert kept([x], [OneTwo()(OneTwo()(x))]) == []


def test_a_users_type_may_be_kept():
    class Own(tensor.TensorType):
        keep_storage = True

    x = Own("float64", (None,))("x")
    assert kept([x], [OneTwo()(OneTwo()(x))]) == [1]
    Own.c_is_simple = lambda self: True
    assert kept([x], [OneTwo()(OneTwo()(x))]) == []


# -- what attributes say ----------------------------------------------------------------------------------------------


def test_check_input_is_handed_on():
    class Checked(Double):
        def c_declare(self, name, sub, check_input=True):
            return f"double {name}; {f'typedef double dtype_{name};' if check_input else ''}"

        def c_extract(self, name, sub, check_input=True):
            return f"/* {check_input} */"

    class Loose(OneTwo):
        check_input = False

    x = Checked()("x")
    loose = program([x], [Loose()(x)]).data
    assert [t["extract"] for t in loose["types"]] == ["/* False */"] and "typedef" not in loose["types"][0]["declare"]
    assert loose["kernels"][0]["declares"] == ["double opw_V0; ", "double opw_V1; "]
    both = program([x], [Loose()(x), OneTwo()(x)]).data
    assert [t["extract"] for t in both["types"]] == ["/* True */", "/* False */"]
    assert [v["type"] for v in both["variables"]] == [0, 1, 0]
    y = type("Trusting", (Checked,), {"check_input": False})()("y")
    assert [t["extract"] for t in program([y], [OneTwo()(y)]).data["types"]] == ["/* False */"]


def test_gil():
    x = tensor.dvector("x")

    def field(gil):
        return program([x], [type("Threads", (OneTwo,), {"gil": gil})()(x)]).data["kernels"][0].get("gil")

    assert [field("held"), field("released"), field("free-threaded")] == [None, "released", "free-threaded"]
    with pytest.raises(TypeError) as caught:
        field("gone")
    assert str(caught.value) == "Threads: gil must be one of 'held', 'released', 'free-threaded', got 'gone'"


def test_the_language():
    x = tensor.dvector("x")

    def lang(**hooks):
        return program([x], [type("Spoken", (OneTwo,), hooks)()(x)]).data["kernels"][0]["lang"]

    def struct(self, node, name):
        return "int a;"

    assert [lang(), lang(c_lang="c"), lang(c_lang="c++")] == ["c", "c", "c++"]
    assert lang(c_support_code_struct=struct) == "c++"
    with pytest.raises(TypeError) as caught:
        lang(c_lang="C")
    assert str(caught.value) == "Spoken: c_lang must be 'c' or 'c++', got 'C'"
    with pytest.raises(TypeError) as caught:
        lang(c_lang="c", c_cleanup_code_struct=struct)
    assert str(caught.value) == (
        "Spoken: c_cleanup_code_struct needs C++, and c_lang is 'c': take c_lang away, or make it 'c++'"
    )
    y = type("Odd", (Double,), {"c_lang": "rust"})()("y")
    with pytest.raises(TypeError, match=r"^Odd: c_lang must be 'c' or 'c\+\+', got 'rust'$"):
        program([y], [OneTwo()(y)])


def test_the_compiler():
    class Named:
        command = "clang"

    class Unnamed:
        pass

    x = tensor.dvector("x")

    def wish(answer):
        op = type("Choosy", (OneTwo,), {"c_compiler": lambda self: answer})()
        return program([x], [op(x)]).data["kernels"][0]["build"].get("compiler")

    assert [wish(None), wish("tcc"), wish(Named), wish(Unnamed), wish("")] == [None, "tcc", "clang", None, None]
    with pytest.raises(TypeError) as caught:
        wish(3)
    assert str(caught.value) == (
        "Choosy: c_compiler must return None, the name or path of a driver, or a class, got 3 (int)"
    )


def test_two_compilers_in_one_function():
    one = type("Withgcc", (OneTwo,), {"c_compiler": lambda self: "gcc"})()
    two = type("Withcc", (OneTwo,), {"c_compiler": lambda self: "cc"})()
    x = tensor.dvector("x")
    with pytest.raises(opweld.ProgramError) as caught:
        opweld.function([x], two(one(x)))
    assert str(caught.value) == (
        'Withcc: asks for the compiler "cc", but Withgcc asks for "gcc": a function has one compiler'
    )


def test_props_that_do_not_hash():
    class Axes(OneTwo):
        __props__ = ("tag", "axes")
        tag, axes = 1, [0, 1]

    x = tensor.dvector("x")
    with pytest.raises(TypeError) as caught:
        program([x], [Axes()(x)])
    assert str(caught.value) == (
        "Axes: 'axes' of its __props__ does not hash: [0, 1] (list); take a tuple for a list, a frozenset for a set"
    )


def test_what_sub_holds():
    seen = {}

    class Looking(OneTwo):
        def c_code(self, node, name, inputs, outputs, sub):
            seen["op"] = sub
            return ";"

    class Looked(Double):
        def c_extract(self, name, sub):
            seen["type"] = sub
            return ";"

    x = Looked()("x")
    program([x], [Looking()(x)])
    op = {"fail": FAIL, "failure_var": "opw_failure", "id": 0}
    assert seen == {"op": op, "type": {**op, "py_ptr": "py_opw_V", "stor_ptr": "storage_opw_V"}}


def test_old_spellings():
    class Old(OneTwo):
        def c_headers(self, compiler):
            return ["one.h"]

        def c_compile_args(self, c_compiler, more=()):
            return ["-DA"]

        def c_libraries(self, **kwargs):
            return ["m"]

        def c_lib_dirs(self, *args):
            return []

        def c_code_cache_version_apply(self, node):
            return (7, node.inputs[0].type.ndim)

        def c_code_cache_version(self):
            raise AssertionError

    x = tensor.dvector("x")
    (kernel,) = program([x], [Old()(x)]).data["kernels"]
    assert kernel["build"] == {"headers": ["one.h"], "compile_args": ["-DA"], "libraries": ["m"]}
    assert kernel["version"] == "(7, 1)"


def fits(value, kind):
    """Hold a value to an annotation of `opweld.schema`: what may be there, and what must."""
    of, args = typing.get_origin(kind), typing.get_args(kind)
    if of is list:
        assert isinstance(value, list)
        for item in value:
            fits(item, args[0])
    elif of is typing.Literal:
        assert value in args
    elif typing.is_typeddict(kind):
        known = typing.get_type_hints(kind)
        assert kind.__required_keys__ <= value.keys() <= known.keys(), value
        for key, item in value.items():
            fits(item, known[key])
    else:
        assert type(value) is kind


def test_what_is_written_is_what_the_schema_says():
    """The schema is made of the engine's decoder, and mypy holds what writes Program to it; here, what is written."""
    x, s = tensor.dvector("x"), opweld.shared(np.ones(3), name="s")
    add = Add()
    a = Double()("a")
    programs = [
        make_program(FunctionGraph([a], [add(a, a)])),
        opweld.function([x], [x.sum(), tensor.sort(x), x.cumsum()], updates=[(s, s * x)]).maker.program,
        opweld.function([opweld.In(x, value=np.ones(2))], tensor.where(x > 0, x, 2) * 3 + 1).maker.program,
    ]
    for program in programs:
        fits(program.data, schema.ProgramFields)
        assert json.loads(program.text) == program.data
    with pytest.raises(AssertionError):
        fits({**programs[0].data, "more": 1}, schema.ProgramFields)
    with pytest.raises(AssertionError):
        fits({"type": 0, "role": "lent"}, schema.VariableFields)


def test_a_process_does_without_the_schema():
    code = "import sys, opweld; opweld.tensor.exp(opweld.tensor.dvector()); sys.exit('opweld.schema' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
