"""Ops whose C lies in files: sections, macros, and what is wrong with a file."""

import os
import re

import kit
import numpy as np
import pytest

import opweld
from opweld import Apply, ExternalCOp, sections, tensor
from opweld.params import ParamsType

SUM = """\
// comments may stand here
/* and
   here */

#section support_code
static int shared(void) { return 1; }

#section support_code_apply
static int APPLY_SPECIFIC(add)(PyArrayObject* x, PyArrayObject* y, PyArrayObject** z)
{
    if (PyArray_DIM(x, 0) != PyArray_DIM(y, 0)) return 7 * shared();
    Py_XDECREF(*z);
    *z = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(x), TYPENUM_OUTPUT_0, 0);
    if (*z == NULL) return 1;
    for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++)
        *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(*z, i)
            = *(DTYPE_INPUT_0*)PyArray_GETPTR1(x, i) + *(DTYPE_INPUT_1*)PyArray_GETPTR1(y, i);
    return 0;
}
"""


FILL = """\
    if (OUTPUT_0 == NULL || PyArray_DIM(OUTPUT_0, 0) != PyArray_DIM(INPUT_0, 0)) {
        Py_XDECREF(OUTPUT_0);
        OUTPUT_0 = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS(INPUT_0), TYPENUM_OUTPUT_0, 0);
        if (OUTPUT_0 == NULL) FAIL
    }
    for (npy_intp i = 0; i < PyArray_DIM(OUTPUT_0, 0); i++)
        *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(OUTPUT_0, i) = VALUE;
"""


class FromFiles(ExternalCOp):
    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])


@pytest.fixture
def make(tmp_path):
    def write(text, *more, func_name=None, cls=FromFiles, newline="\n"):
        paths = []
        for number, content in enumerate((text, *more)):
            path = tmp_path / f"op{number}.c"
            path.write_bytes(content.replace("\n", newline).encode())
            paths.append(str(path))
        return cls(paths, func_name)

    return write


def code_of(op, count=2):
    inputs = [tensor.dvector(f"x{i}") for i in range(count)]
    node = op.make_node(*inputs)
    names = [f"V{i}" for i in range(count)]
    return op.c_code(node, "N", names, [f"V{count}"], {"fail": "{ f = 1;\n goto g; }"})


def test_a_function_from_a_file(make):
    op = make(SUM, func_name="APPLY_SPECIFIC(add)")
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], op(x, y))
    assert f([1, 2], [3, 4]).tolist() == [4, 6]
    with pytest.raises(RuntimeError, match=r"op0\.c: APPLY_SPECIFIC\(add\) returned 7 without setting an exception"):
        f([1, 2], [3])
    assert f.maker.built.kept  # versioned by its file


def test_macros_are_defined_and_undefined(make):
    text = code_of(make("#section code\nOUTPUT_0 = INPUT_0;\n"))
    assert text == (
        "#define APPLY_SPECIFIC(str) str##_N\n"
        "#define DTYPE_INPUT_0 npy_float64\n#define TYPENUM_INPUT_0 NPY_FLOAT64\n#define ITEMSIZE_INPUT_0 8\n"
        "#define DTYPE_INPUT_1 npy_float64\n#define TYPENUM_INPUT_1 NPY_FLOAT64\n#define ITEMSIZE_INPUT_1 8\n"
        "#define DTYPE_OUTPUT_0 npy_float64\n#define TYPENUM_OUTPUT_0 NPY_FLOAT64\n#define ITEMSIZE_OUTPUT_0 8\n"
        "#define FAIL { f = 1; goto g; }\n"
        "#define INPUT_0 V0\n#define INPUT_1 V1\n#define OUTPUT_0 V2\n"
        '#line 2 "FromFiles/op0.c"\nOUTPUT_0 = INPUT_0;\n'
        "#undef APPLY_SPECIFIC\n"
        "#undef DTYPE_INPUT_0\n#undef TYPENUM_INPUT_0\n#undef ITEMSIZE_INPUT_0\n"
        "#undef DTYPE_INPUT_1\n#undef TYPENUM_INPUT_1\n#undef ITEMSIZE_INPUT_1\n"
        "#undef DTYPE_OUTPUT_0\n#undef TYPENUM_OUTPUT_0\n#undef ITEMSIZE_OUTPUT_0\n"
        "#undef FAIL\n#undef INPUT_0\n#undef INPUT_1\n#undef OUTPUT_0\n"
    )


def test_no_dtype_macros_where_inputs_are_not_checked(make):
    text = code_of(make("#section code\n;\n", cls=type("Unchecked", (FromFiles,), {"check_input": False})))
    assert "DTYPE" not in text and "APPLY_SPECIFIC" in text


def test_no_macros_in_support_code(make):
    op = make("#section support_code\nint a;\n#section init_code\na = 1;\n#section code\n;\n")
    assert op.c_support_code() == '#line 2 "FromFiles/op0.c"\nint a;\n'
    assert op.c_init_code() == ['#line 4 "FromFiles/op0.c"\na = 1;\n']


def test_repeated_sections_join_across_files(make):
    op = make("#section support_code\nint a;\n#section code\n;\n#section support_code\nint b;\n",
              "#section support_code  \nint c;\n", newline="\r\n")  # fmt: skip
    assert op.c_support_code() == (
        '#line 2 "FromFiles/op0.c"\nint a;\n#line 6 "FromFiles/op0.c"\nint b;\n#line 2 "FromFiles/op1.c"\nint c;\n'
    )


def test_padding_of_inputs_and_outputs(make):
    cls = type("Padded", (FromFiles,), {"_cop_num_inputs": 4, "_cop_num_outputs": 2})
    assert "work(V0, V1, NULL, NULL, &V2, NULL)" in code_of(make("#section support_code\n", func_name="work", cls=cls))
    cls = type("Narrow", (FromFiles,), {"_cop_num_inputs": 1})
    with pytest.raises(ValueError, match="Narrow: _cop_num_inputs is 1, and the node has 2"):
        code_of(make("#section support_code\n", func_name="work", cls=cls))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#section cod\n", "op0.c:1: unknown section 'cod'; known are support_code, support_code_apply, "),
        ("\nint x;\n#section code\n", "op0.c:2: 'int x;' stands before the first #section; only comments may"),
        ("/* a\n*/ int x;\n#section code\n", "op0.c:2: '*/ int x;' stands before the first #section"),
        (
            "#section support_code\nint APPLY_SPECIFIC(f)(void);\n",
            "op0.c:2: section 'support_code' has no macro APPLY_SPECIFIC; these have it: support_code_apply, "
            "support_code_struct, init_code_apply, init_code_struct, cleanup_code_struct, code, code_cleanup",
        ),
        (
            "#section support_code_apply\n\nint APPLY_SPECIFIC(f)() { return INPUT_0; }\n",
            "op0.c:3: section 'support_code_apply' has no macro INPUT_0; these have it: code, code_cleanup",
        ),
        ("#section init_code\nx = sizeof(DTYPE_INPUT_1);\n", "op0.c:2: section 'init_code' has no macro DTYPE_INPUT_1"),
        ("// nothing\n", "op0.c: has no #section; begin one of support_code, "),
        ("", "op0.c: has no #section"),
    ],
)
def test_files_that_are_wrong(make, text, message):
    with pytest.raises(ValueError) as caught:
        make(text)
    assert message in str(caught.value)


def test_macros_that_are_only_spoken_of(make):
    make(
        "#section support_code\n/* INPUT_0 */ // APPLY_SPECIFIC\n#define GET \\\n    APPLY_SPECIFIC(f)\n"
        'const char* text = "DTYPE_INPUT_0";\n#define OUTPUT_9 3\nint nine = OUTPUT_9;\n'
    )


def test_func_name_and_code_exclude_each_other(make):
    with pytest.raises(ValueError, match=r"op0\.c:1: section 'code' and func_name='f' exclude each other"):
        make("#section code\n;\n", func_name="f")


COUNTER = """\
#section support_code_struct
npy_int64 APPLY_SPECIFIC(calls);
DTYPE_INPUT_0 step;
#section init_code_struct
APPLY_SPECIFIC(calls) = 10;
step = 2;
if (0) FAIL
#section code
APPLY_SPECIFIC(calls) += step;
Py_XDECREF(OUTPUT_0);
OUTPUT_0 = (PyArrayObject*)PyArray_NewCopy(INPUT_0, NPY_CORDER);
if (OUTPUT_0 == NULL) FAIL
for (npy_intp i = 0; i < PyArray_DIM(OUTPUT_0, 0); i++)
    *(DTYPE_OUTPUT_0*)PyArray_GETPTR1(OUTPUT_0, i) += APPLY_SPECIFIC(calls);
#section cleanup_code_struct
APPLY_SPECIFIC(calls) = 0;
"""


def test_struct_sections_keep_a_value_for_each_instance(make):
    op = make(COUNTER)
    x = tensor.dvector("x")
    f, g = (opweld.function([x], op(x)) for _ in range(2))
    assert [f([0]).tolist(), f([0]).tolist(), g([0]).tolist(), f([1]).tolist()] == [[12], [14], [12], [17]]
    kernel = f.maker.program.data["kernels"][0]
    assert kernel["lang"] == "c++"
    assert "#define INPUT_0 " not in kernel["init_code_struct"] and "#define FAIL" in kernel["init_code_struct"]
    assert "FAIL" not in kernel["support_code_struct"] + kernel["cleanup_code_struct"]


def test_every_macro_is_undefined_after_its_section(make):
    tags = ["support_code_apply", "support_code_struct", "init_code_apply", "init_code_struct",
            "cleanup_code_struct", "code", "code_cleanup"]  # fmt: skip
    op = make("".join(f"#section {tag}\nint {tag};\n" for tag in tags))
    x = tensor.dvector("x")
    node = op.make_node(x)
    sub, names = {"fail": "{ goto f; }", "params": "VP"}, (["V0"], ["V1"])
    given = {"code": (*names, sub), "code_cleanup": (*names, sub), "init_code_struct": (sub,)}
    for tag in tags:
        text = getattr(op, f"c_{tag}")(node, "N", *given.get(tag, ()))
        defined = [line.split()[1].partition("(")[0] for line in text.splitlines() if line.startswith("#define")]
        assert [line.split()[1] for line in text.splitlines() if line.startswith("#undef")] == defined
        assert {"APPLY_SPECIFIC", "DTYPE_INPUT_0", "TYPENUM_OUTPUT_0", "ITEMSIZE_OUTPUT_0"} <= set(defined)
        assert ({"FAIL", "PARAMS", "CONTEXT"} <= set(defined)) == (tag in given)
        assert ({"INPUT_0", "OUTPUT_0"} <= set(defined)) == (tag in ("code", "code_cleanup"))


SCALED = """\
#section support_code_apply
int APPLY_SPECIFIC(scale)(PyArrayObject* x, PyArrayObject** z, PARAMS_TYPE* params)
{
    DTYPE_PARAM_factor factor = params->factor;
    Py_XDECREF(*z);
    *z = (PyArrayObject*)PyArray_NewCopy(x, NPY_CORDER);
    if (*z == NULL) return 1;
    for (npy_intp i = 0; i < PyArray_DIM(*z, 0); i++) *(double*)PyArray_GETPTR1(*z, i) *= factor;
    return 0;
}
"""


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_params_come_last(make, lang):
    class Scaled(FromFiles):
        params_type = ParamsType(factor=opweld.scalar.float64)
        c_lang = lang
        factor = 3.0

    op = make(SCALED, func_name="APPLY_SPECIFIC(scale)", cls=Scaled)
    x = tensor.dvector("x")
    assert opweld.function([x], op(x))([1, 2]).tolist() == [3, 6]


def test_context_is_the_older_name_of_params(make):
    class Old(FromFiles):
        params_type = opweld.scalar.float64

        def get_params(self, node):
            return 7.0

    op = make("#section code\n" + FILL.replace("VALUE", "(CONTEXT + PARAMS)"), cls=Old)
    x = tensor.dvector("x")
    assert opweld.function([x], op(x))([1, 2]).tolist() == [14, 14]


def test_macros_of_half_and_complex(make):
    op = make("#section code\n;\n")
    node = op.make_node(tensor.TensorType("float16", (None,))(), tensor.TensorType("complex64", ())())
    text = op.c_code(node, "N", ["V0", "V1"], ["V2"], {"fail": "{ f = 1; goto g; }"})
    assert "#define DTYPE_INPUT_0 npy_float16\n#define TYPENUM_INPUT_0 NPY_FLOAT16\n" in text
    assert "#define ITEMSIZE_INPUT_0 2\n" in text
    assert "#define TYPENUM_INPUT_1 NPY_COMPLEX64\n#define ITEMSIZE_INPUT_1 8\n" in text


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize(
    ("head", "message"),
    [
        ("int work(PyArrayObject* x)", "too many arguments|no matching"),
        ("int work(PyArrayObject* x, PyArrayObject* y, double* z)", "incompatible pointer|cannot convert|no match"),
        ("int work(PyArrayObject* x, PyArrayObject* y, PyArrayObject** z, void* p)", "too few arguments|no matching"),
        ("void work(PyArrayObject* x, PyArrayObject* y, PyArrayObject** z)", "void value|incompatible type 'void'"),
    ],
)
def test_a_function_whose_signature_does_not_fit(make, head, message, lang):
    cls = type("Unfit", (FromFiles,), {"c_lang": lang})
    end = "" if head.startswith("void") else "return 0;"
    op = make(f"#section support_code\n\n{head}\n{{ {end} }}\n", func_name="work", cls=cls)
    x = tensor.dvector("x")
    with pytest.raises(opweld.CompileError) as caught:
        opweld.function([x], op(x, x))
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"Unfit does not compile: {op.func_files[0]}:3:")
    assert re.search(message, lines[1])
    assert len(lines) <= 12


def test_a_function_that_does_not_exist(make):
    op = make("#section support_code\n\nint wrk(void) { return 0; }\n", func_name="work")
    x = tensor.dvector("x")
    with pytest.raises(opweld.CompileError, match="'work'"):
        opweld.function([x], op(x))


def test_a_file_is_read_once_for_many_instances(make, tmp_path):
    """Reading 500 lines is hundreds of calls; an instance of a file that is known is a few, whatever its length."""
    text = "#section support_code\n" + "int x;\n" * 500 + "#section code\n;\n"
    (tmp_path / "new.c").write_text(text)
    op = make(text)
    assert kit.calls(lambda: FromFiles(str(tmp_path / "new.c"))) > 500
    assert kit.calls(lambda: [FromFiles(op.func_files) for _ in range(100)]) < 100 * 20


def test_a_list_of_files_may_not_be_empty():
    with pytest.raises(ValueError, match="FromFiles: func_files is empty; name a C file"):
        FromFiles([])


def test_a_missing_file():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.c: the C file of .* cannot be read: No such file"):
        FromFiles("nowhere.c")


def test_files_are_relative_to_the_class():
    here = os.path.dirname(os.path.abspath(__file__))
    with pytest.raises(FileNotFoundError, match=os.path.join(here, "no.c")):
        FromFiles("./no.c")


def test_a_file_is_read_once(make, monkeypatch):
    op = make("#section code\n;\n")
    monkeypatch.setattr(sections, "_parse", None)
    for _ in range(10):
        FromFiles(op.func_files)


def test_a_changed_file_is_read_again_and_changes_the_version(make):
    one = make("#section code\n;\n")
    two = make("#section code\n;;\n")
    assert one.c_code_cache_version() != two.c_code_cache_version()


def test_two_classes_of_one_name_keep_their_lines(make):
    one = make("#section code\nOUTPUT_0 = INPUT_0; Py_INCREF(OUTPUT_0);\n")
    two = make("#section code\nOUTPUT_0 = INPUT_0; Py_INCREF(OUTPUT_0);\n", cls=type("FromFiles", (FromFiles,), {}))
    x = tensor.dvector("x")
    made = opweld.compile.program.make_program(opweld.FunctionGraph([x], [two(one(x))]))
    assert '"FromFiles~2/op0.c"' in made.data["kernels"][1]["code"]
    assert made.sources["FromFiles~2/op0.c"] == {"file": two.func_files[0], "line": 1, "exact": True}


def test_a_compiler_error_names_the_line_of_the_file(make):
    op = make("// a comment\n#section code\n\nOUTPUT_0 = nothing_of_that_name;\n")
    x = tensor.dvector("x")
    with pytest.raises(opweld.CompileError) as caught:
        opweld.function([x], op(x))
    assert f"{op.func_files[0]}:4" in str(caught.value)
    assert len(str(caught.value).splitlines()) <= 12


def test_sums_of_every_dtype(make):
    op = make(SUM, func_name="APPLY_SPECIFIC(add)")
    for dtype in "int8 uint16 int64 float32 float64 longdouble complex128".split():
        x, y = (tensor.TensorType(dtype, (None,))(name) for name in "xy")
        f = opweld.function([x, y], op(x, y))
        a = np.arange(4).astype(dtype)
        assert np.array_equal(f(a, a[::-1]), a + a[::-1])
