"""Builds that cannot succeed: the compiler, the linker, files and the import of the module."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from refusals import (
    GCC,
    FromFile,
    Number,
    Pass,
    Same,
    a,
    built,
    caught,
    does_not_build,
    fault,
    in_cache,
    line_of,
    refuses,
    works,
    works_when_fixed,
)  # fmt: skip

from opweld import errors, function
from opweld.tensor import dvector

HERE = Path(__file__).resolve()
HEADER = "\n  install what it comes with, and name its folder in c_header_dirs"
LIBRARY = "\n  install what it comes with, and name its folder in c_lib_dirs"
TAGS = (
    "support_code, support_code_apply, support_code_struct, init_code, init_code_apply, init_code_struct, "
    "cleanup_code_struct, code, code_cleanup"
)


# -- the compiler refuses --------------------------------------------------------------------------------------


def test_a_compiler_error_in_c_code():
    class Bad(Same):
        def c_code(self, node, name, input_names, output_names, sub):
            good = super().c_code(node, name, input_names, output_names, sub)
            return good if self.fixed else "int n = 3;\n\tif (n) nowhere = n;"

    place, shown = fault(Bad.c_code, "nowhere = n")
    err = does_not_build(
        Bad(), f"Bad.c_code does not compile: {place}\n  'nowhere' undeclared (first use in this function)\n{shown}"
    )
    line = line_of(Bad.c_code) + 2
    assert (err.details["op"], err.details["file"], err.details["line"]) == ("Bad", str(HERE), line)


def test_a_compiler_error_in_c_support_code():
    class Bad(Same):
        def c_support_code(self):
            return "" if self.fixed else "static int\nhelp(void)\n{ return nowhere; }"

    place, shown = fault(Bad.c_support_code, "nowhere")
    does_not_build(
        Bad(),
        f"Bad.c_support_code does not compile: {place}\n  'nowhere' undeclared (first use in this function)\n{shown}",
    )


def test_a_compiler_error_in_c_init_code_apply():
    class Bad(Same):
        def c_init_code_apply(self, node, name):
            return "" if self.fixed else "nowhere = 1;"

    place, shown = fault(Bad.c_init_code_apply, "nowhere")
    does_not_build(
        Bad(),
        f"Bad.c_init_code_apply does not compile: {place}\n"
        f"  'nowhere' undeclared (first use in this function)\n{shown}",
    )


def test_a_compiler_error_in_a_hook_of_a_type():
    class Bad(Number):
        def c_extract(self, name, sub, check_input=True):
            return super().c_extract(name, sub) if self.fixed else f"{name} = nowhere;"

    place, shown = fault(Bad.c_extract, "nowhere")
    does_not_build(
        Pass(),
        f"Bad.c_extract does not compile: {place}\n  'nowhere' undeclared (first use in this function)\n{shown}",
        Bad(),
    )


def test_a_type_that_c_does_not_know():
    class Bad(Number):
        def c_declare(self, name, sub, check_input=True):
            return super().c_declare(name, sub) if self.fixed else f"nothing_of_this_name {name};"

    place, shown = fault(Bad.c_declare, "nothing_of_this_name")
    does_not_build(
        Pass(),
        f"Bad.c_declare does not compile: {place}\n  unknown type name 'nothing_of_this_name'\n{shown}",
        Bad(),
    )


def test_many_errors_and_long_lines_are_twelve_lines():
    class Bad(Same):
        def c_code(self, node, name, input_names, output_names, sub):
            good = super().c_code(node, name, input_names, output_names, sub)
            return good if self.fixed else "\n".join(f"nowhere_{i} = {i};" for i in range(40))

    place, shown = fault(Bad.c_code, "nowhere_")
    does_not_build(
        Bad(),
        f"Bad.c_code does not compile: {place}\n  'nowhere_0' undeclared (first use in this function)\n{shown}\n"
        "and 39 further errors",
    )


@pytest.mark.parametrize(
    ("hook", "wish", "compiler"),
    [
        ("c_headers", "nothing_of_this_name.h", f"nothing_of_this_name.h: No such file or directory{HEADER}"),
        ("c_headers", "<nothing_of_this_name>", f"nothing_of_this_name: No such file or directory{HEADER}"),
        ("c_libraries", "nothing_of_this_name", f"cannot find -lnothing_of_this_name{LIBRARY}"),
        ("c_compile_args", "-fnothing-of-this-name", "unrecognized command-line option '-fnothing-of-this-name'"),
    ],
)
def test_a_wish_that_cannot_be_honoured(hook, wish, compiler):
    class Bad(Same):
        def c_headers(self):
            return ["math.h"] + ([wish] if hook == "c_headers" and not self.fixed else [])

        def c_libraries(self):
            return ["m"] + ([wish] if hook == "c_libraries" and not self.fixed else [])

        def c_compile_args(self):
            return ["-DX=1"] + ([wish] if hook == "c_compile_args" and not self.fixed else [])

    line = line_of(getattr(Bad, hook))
    err = does_not_build(Bad(), f"Bad.{hook} cannot be honoured: {HERE}:{line}\n  {compiler}")
    assert (err.details["op"], err.details["file"], err.details["line"]) == ("Bad", str(HERE), line)


# -- files -----------------------------------------------------------------------------------------------------

GOOD_FILE = """\
/* A vector, copied. */
#section support_code_apply
static PyArrayObject *APPLY_SPECIFIC(copy)(PyArrayObject *x)
{
    return (PyArrayObject *)PyArray_NewCopy(x, NPY_ANYORDER);
}

#section code
Py_CLEAR(OUTPUT_0);
OUTPUT_0 = APPLY_SPECIFIC(copy)(INPUT_0);
if (OUTPUT_0 == NULL) {
    FAIL;
}
"""
FUNCTION_FILE = """\
#section support_code_apply
int APPLY_SPECIFIC(copy)(PyArrayObject *x, PyArrayObject **z)
{
    return 3;
}
"""


@pytest.fixture
def write(tmp_path):
    """Write op.c; give its path."""

    def write(text):
        path = tmp_path / "op.c"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        os.utime(path, ns=(0, write.clock))  # a file that is changed has another time
        write.clock += 1_000_000
        return str(path)

    write.clock = 0
    return write


@pytest.mark.parametrize(
    ("good", "bad", "line", "column", "shown"),
    [
        ("OUTPUT_0 = APPLY_SPECIFIC(copy)(INPUT_0)", "OUTPUT_0 = nowhere", 10, 12, "OUTPUT_0 = nowhere;"),
        (
            "NewCopy(x, ",
            "NewCopy(nowhere, ",
            5,
            45,
            "    return (PyArrayObject *)PyArray_NewCopy(nowhere, NPY_ANYORDER);",
        ),
    ],
)
def test_a_compiler_error_in_a_file(write, good, bad, line, column, shown):
    path = write(GOOD_FILE.replace(good, bad))
    err = caught(lambda: built(FromFile(path)), errors.CompileError)
    assert str(err) == (
        f"FromFile does not compile: {path}:{line}:{column}\n  'nowhere' undeclared (first use in this function)\n"
        f"  {line:4} | {shown}\n       | {' ' * (column - 1)}^\nthe whole output: {err.details['log']}"
    )
    assert "nowhere" in Path(path).read_text().splitlines()[line - 1]
    works(built(FromFile(write(GOOD_FILE))))


def test_a_function_that_no_file_holds(write):
    path = write(FUNCTION_FILE)
    err = caught(lambda: built(FromFile(path, "APPLY_SPECIFIC(kopy)")), errors.CompileError)
    text = re.sub(r"kopy_\w+", "kopy_NAME", GCC.sub("", str(err)))
    assert text == (
        f"FromFile does not compile: {path}:1:37\n  implicit declaration of function 'kopy_NAME'\n"
        f"     1 | {{ int opw_returned = APPLY_SPECIFIC(kopy)(V0, &V1);\n       | {' ' * 36}^\n"
        "  name the header that declares it in c_headers, or write it in c_support_code\n"
        f"the whole output: {err.details['log']}"
    )


def test_a_function_that_fails_without_an_exception(write):
    f = built(FromFile(write(FUNCTION_FILE), "APPLY_SPECIFIC(copy)"))
    message = "op.c: APPLY_SPECIFIC(copy) returned 3 without setting an exception"
    refuses(lambda: f(a), RuntimeError, message, a)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD_FILE + "#section kode\n", f"PATH:14: unknown section 'kode'; known are {TAGS}"),
        ("#section\nint x;\n", f"PATH:1: unknown section ''; known are {TAGS}"),
        ("/* no */\nint x;\n", f"PATH: has no #section; begin one of {TAGS}"),
        ("", f"PATH: has no #section; begin one of {TAGS}"),
        ("/* a\n b */ // c\nint x;\n#section code\n", "PATH:3: 'int x;' stands before the first #section; only "
        "comments may"),
        (b"#section code\n\xff\n", "PATH: is not UTF-8: 'utf-8' codec can't decode byte 0xff in position 14: invalid "
        "start byte"),
    ],
)  # fmt: skip
def test_a_file_that_is_wrong(write, text, message):
    path = write(text)
    refuses(lambda: FromFile(path), ValueError, message.replace("PATH", path))
    works(built(FromFile(write(GOOD_FILE))))


def test_files_that_are_not_there(tmp_path, write):
    rest = "a relative path starts at the folder of the class that names it"
    path = HERE.parent / "nothing.c"
    message = f"{path}: the C file of FromFile cannot be read: No such file or directory; {rest}"
    refuses(lambda: FromFile("nothing.c"), FileNotFoundError, message)
    message = f"{tmp_path}: the C file of FromFile cannot be read: Is a directory; {rest}"
    refuses(lambda: FromFile(str(tmp_path)), IsADirectoryError, message)
    refuses(lambda: FromFile([]), ValueError, "FromFile: func_files is empty; name a C file")


def test_files_that_do_not_say_what_to_run(write):
    path = write(GOOD_FILE)
    message = f"{path}:8: section 'code' and func_name='copy' exclude each other: drop one"
    refuses(lambda: FromFile(path, "copy"), ValueError, message)
    path = write(FUNCTION_FILE)
    op, x = FromFile(path), dvector("x")
    message = (
        f"FromFile can be run neither in C nor in Python: it has no c_code (no section 'code' in {path}, and no "
        "func_name) and no perform"
    )
    refuses(lambda: function([x], op(x)), TypeError, message, x)
    op = FromFile(path, "APPLY_SPECIFIC(copy)")
    op._cop_num_inputs = 0
    message = "FromFile: _cop_num_inputs is 0, and the node has 1"
    refuses(lambda: function([x], op(x)), ValueError, message, x)


# -- the module cannot be imported -----------------------------------------------------------------------------


def test_an_undefined_symbol(own_cache):
    class Bad(Same):
        def c_support_code(self):
            return "int opw_nothing(void);"

        def c_code(self, node, name, input_names, output_names, sub):
            good = super().c_code(node, name, input_names, output_names, sub)
            return good if self.fixed else f"opw_nothing();\n{good}"

    op = Bad()
    for _ in range(2):
        err = caught(lambda: built(op, name="g"), errors.LoadError)
        assert str(err) == (
            "g: Bad uses 'opw_nothing', which nothing that it is linked with defines: write it in c_support_code, or "
            "name "
            "its library in c_libraries and the library's folder in c_lib_dirs"
        )
        assert isinstance(err, ImportError) and type(err.__cause__) is ImportError and err.details["op"] == "Bad"
        assert not [path for path in in_cache("module") if path.suffix == ".so"]
    works_when_fixed(op)


@pytest.mark.parametrize("hook", ["c_init_code", "c_init_code_apply"])
@pytest.mark.parametrize(
    ("text", "said", "cause"),
    [
        ('PyErr_SetString(PyExc_OSError, "no licence");\nreturn NULL;', "OSError: no licence", OSError),
        ('PyErr_SetString(PyExc_ImportError, "left set");', "left set", ImportError),
        ("return NULL;", "it failed without setting an exception; set one before return NULL", ImportError),
    ],
)
def test_init_code_that_fails(hook, text, said, cause):
    class Bad(Same):
        def c_init_code(self):
            return [] if self.fixed or hook != "c_init_code" else text

        def c_init_code_apply(self, node, name):
            return "" if self.fixed or hook != "c_init_code_apply" else text

    op, line = Bad(), line_of(getattr(Bad, hook))
    for _ in range(2):  # built, then from the cache
        err = caught(lambda: built(op, name="g"), errors.LoadError)
        assert str(err) == f"g: Bad.{hook} failed while the module was imported ({HERE}:{line}): {said}"
        assert type(err.__cause__) is cause and err.details["op"] == "Bad"
    works_when_fixed(op)


def test_init_code_of_a_type_that_fails():
    class Bad(Number):
        def c_init_code(self):
            return [] if self.fixed else "return NULL;"

    type_ = Bad()
    err = caught(lambda: built(Pass(), type_), errors.LoadError)
    assert str(err) == (
        f"f: Bad.c_init_code failed while the module was imported ({HERE}:{line_of(Bad.c_init_code)}): it failed "
        f"without "
        "setting an exception; set one before return NULL"
    )
    works_when_fixed(Pass(), type_)


def test_init_code_that_fails_only_now(monkeypatch, own_cache):
    class Licensed(Same):
        def c_init_code(self):
            return 'if (getenv("OPW_NO_LICENCE")) {\n  PyErr_SetString(PyExc_OSError, "no licence");\n  return NULL;\n}'

    op = Licensed()
    monkeypatch.setenv("OPW_NO_LICENCE", "1")
    caught(lambda: built(op), errors.LoadError)
    modules = in_cache("module")
    monkeypatch.delenv("OPW_NO_LICENCE")
    f = built(op)
    works(f)
    assert f.maker.built.hit and in_cache("module") == modules, "the module was sound: it is not built again"
