"""Mistakes in C and in what surrounds it, as new users make them: the user's line, what came, and what to do."""

from __future__ import annotations

import re
import shutil

import pytest
from mistakes import Mistake

from opweld import config

MORE = '''

class Mine(Copy):
    def more(self, name, x, y, fail):
        return f"""
            double *v = PyArray_DATA({y});
            %s
        """


function([x], Mine()(x))(v)
'''
HOOK = """

class Mine(Copy):
    %s


function([x], Mine()(x))(v)
"""
CXX = 'this is C++: write c_lang = "c++" in the class'
POINTER = "a pointer and a number are taken for one another: is a * or an index missing?"
DECLARE = "name the header that declares it in c_headers, or write it in c_support_code"
ESCAPE = "where the C is to have \\n, Python's string needs \\\\n, or an r before it"
ELEMENTS = (
    "that is the array object: its elements are *(dtype *)PyArray_GETPTR1(x, i), or ((dtype *)PyArray_DATA(x))[i] "
    "where it is contiguous"
)
LITERAL = "{x} reached C as it is: is the f before the string missing, or are there two braces for one?"

# What is wrong, the user's file, what the caret stands before, what the compiler says, what to do, further errors.
TEXTS = [
    ("another pointer", MORE % "float *w = v;", "v;", "initialization of 'float *' from incompatible pointer type "
     "'double *'", "write the pointer's own type, or a cast if it is meant", 0),
    ("sizes of int", MORE % "int *d = PyArray_DIMS({x});", "PyArray_DIMS",
     "initialization of 'int *' from incompatible "
     "pointer type 'npy_intp *' {aka 'long int *'}", "sizes and strides are npy_intp, not int", 0),
    ("a number for a pointer", MORE % "double *p = 5;", "5;", "initialization of 'double *' from 'int' makes pointer "
     "from integer without a cast", POINTER, 0),
    ("a pointer for a number", MORE % "npy_intp n = v;", "v;", "initialization of 'npy_intp' {aka 'long int'} from "
     "'double *' makes integer from pointer without a cast", POINTER, 0),
    ("a function that nothing declares", MORE % "v[0] = compute_it(v[0]);", "compute_it", "implicit declaration of "
     "function 'compute_it'", DECLARE, 0),
    ("a name that nothing declares", MORE % "v[0] = nowhere;", "nowhere", "'nowhere' undeclared (first use in this "
     "function)", "", 0),
    ("the user's name", MORE % "v[0] = {x};", "{x}", "incompatible types when assigning to type 'double' from type "
     "'PyArrayObject *' {aka 'struct tagPyArrayObject *'}", "", 0),
    ("a dtype that is no name", MORE % "v[0] = dtype_{x};", "dtype_", "expected expression before 'dtype_{x}'", "", 0),
    ("the array for its elements", MORE % "{y}[0] = 1;", "1;", "incompatible types when assigning to type "
     "'PyArrayObject' {aka 'struct tagPyArrayObject'} from type 'int'", ELEMENTS, 0),
    ("a missing semicolon", MORE % "v[0] = 1\n            v[1] = 2;", "", "expected ';' before 'v'", "", 0),
    ("a missing semicolon at the end", MORE % "v[1] = 1", "", "expected ';' before '}' token", "", 0),
    ("a missing parenthesis", MORE % "v[0] = (1 + 2;", ";", "expected ')' before ';' token", "", 1),
    ("a brace too many", MORE % "if (v[0] > 0) {{ v[0] = 1; }} }}", "}}\n", "this } closes no brace of the fragment",
     "", 0),
    ("a brace too few", MORE % "if (v[0] > 0) {{ v[0] = 1;", "{{", "this { is never closed", "", 0),
    ("a comment without end", MORE % "/* what is this\n            v[0] = 1;", "/*", "this comment is never closed",
     "", 0),
    ("a string without end", MORE % 'v[0] = strlen("abc);', '"abc', 'missing terminating " character', ESCAPE, 2),
    ("a line's end in a string", MORE % 'v[0] = strlen("abc\\n");', '"abc', 'missing terminating " character', ESCAPE,
     3),
    ("a set", MORE % "double q = { {x} };", "{ {x}",
     "'V0' is text: an f-string makes it of { {x} }, which it takes for a "
     "set; write {x}", "", 0),
    ("two braces for one", MORE % "double *w = PyArray_DATA({{x}});", "{{x}}", "expected expression before '{' token",
     LITERAL, 0),
    ("no f before the string", (MORE % "").replace('f"""', '"""'), "{y});", "expected expression before '{' token",
     LITERAL.replace("x", "y", 1), 0),
    ("C++: the library", MORE % "std::swap(v[0], v[1]);", "std", "'std' undeclared (first use in this function)", CXX,
     1),
    ("C++: auto", MORE % "auto w = v; std::swap(w[0], w[1]);", "v;", "initialization of 'int' from 'double *' makes "
     "integer from pointer without a cast", CXX, 2),
    ("C++: a reference", MORE % "double &w = v[0];", "&w", "expected identifier or '(' before '&' token", CXX, 0),
    ("C++: a cast", MORE % "v[0] = static_cast<double>(1);", "static_cast",
     "'static_cast' undeclared (first use in this "
     "function)", CXX, 1),
    ("C++: new", MORE % "double *w = new double[3];", "new", "'new' undeclared (first use in this function)", CXX, 1),
    ("C++: nullptr", MORE % "double *w = nullptr;", "nullptr", "'nullptr' undeclared (first use in this function)",
     CXX, 0),
    ("two joined strings", MORE.replace('f"""', '"int a = 1;\\n" f"{y} = nowhere;" f"""') % "",
     "nowhere", "'nowhere' undeclared (first use in this function)", "", 0),
    ("strings that are added", MORE.replace('f"""', '"int a = " + str(3) + " + nowhere;" + f"""') % "", "nowhere",
     "'nowhere' undeclared (first use in this function)", "", 0),
    ("a template of %", MORE.replace('f"""', '"double a = nowhere(%%(z)s);\\n" %% {"z": x} + f"""') % "", "nowhere",
     "implicit declaration of function 'nowhere'", DECLARE, 0),
]  # fmt: skip


#: What clang says of the same texts, and what its caret stands before. The line and what to do are as with gcc.
CLANG = {
    "another pointer": ("w = v", r"incompatible pointer types initializing 'float \*' .* 'double \*'"),
    "sizes of int": ("d = ", r"incompatible pointer types initializing 'int \*' .* 'npy_intp \*' .*"),
    "a number for a pointer": ("p = 5", r"incompatible integer to pointer conversion .* 'double \*' .* 'int'"),
    "a pointer for a number": ("n = v", r"incompatible pointer to integer conversion .* 'npy_intp' .*'double \*'"),
    "a function that nothing declares": ("compute_it", r"(implicit declaration|call to undeclared).* 'compute_it'.*"),
    "a name that nothing declares": ("nowhere", r"use of undeclared identifier 'nowhere'"),
    "the user's name": ("= {x}", r"assigning to 'double' from incompatible type 'PyArrayObject \*' .*"),
    "a dtype that is no name": ("dtype_", r"unexpected type name 'dtype_\{x\}': expected expression"),
    "the array for its elements": ("= 1;", r"assigning to 'PyArrayObject' .* from incompatible type 'int'"),
    "a missing semicolon": ("", r"expected ';' after expression"),
    "a missing semicolon at the end": ("", r"expected ';' after expression"),
    "a missing parenthesis": (";", r"expected '\)'"),
    "a string without end": ('"abc', r"expected expression"),
    "a line's end in a string": ('"abc', r"expected expression"),
    "two braces for one": ("{{x}}", r"expected expression"),
    "no f before the string": ("{y});", r"expected expression"),
    "C++: the library": (":swap", r"expected expression|use of undeclared identifier 'std'"),
    "C++: auto": ("w = v", r"incompatible pointer to integer conversion initializing 'int' .* 'double \*'"),
    "C++: a reference": ("&w", r"expected identifier or '\('"),
    "C++: a cast": ("double>", r"expected expression"),
    "C++: new": ("new", r"use of undeclared identifier 'new'"),
    "C++: nullptr": ("nullptr", r"use of undeclared identifier 'nullptr'"),
    "two joined strings": ("nowhere", r"use of undeclared identifier 'nowhere'"),
    "strings that are added": ("nowhere", r"use of undeclared identifier 'nowhere'"),
    "a template of %": ("nowhere", r"(implicit declaration of|call to undeclared) function 'nowhere'.*"),
}  # fmt: skip


@pytest.fixture(params=["gcc", "clang"])
def compiler(request, monkeypatch):
    """Each of the compilers that are installed, in turn."""
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    monkeypatch.setattr(config, "cc", request.param)
    return request.param


@pytest.mark.parametrize("name, text, at, message, hint, further", TEXTS, ids=[row[0] for row in TEXTS])
def test_a_text_that_does_not_compile(tmp_path, compiler, name, text, at, message, hint, further):
    words = re.escape(message)
    if compiler == "clang" and name in CLANG:
        at, words = CLANG[name]
    mistake = Mistake(tmp_path, text)
    said = mistake.said().split("\n")
    rest = [f"  {hint}"] * bool(hint)
    if compiler == "gcc":
        rest += [f"and {further} further error{'s' * (further > 1)}"] * bool(further)
    head, place = said[0].rsplit(" ", 1)
    number, column = place.removeprefix("mine.py:").split(":")
    line = mistake.text.splitlines(keepends=True)[int(number) - 1]
    assert head == "Mine.c_code does not compile:"
    assert re.fullmatch(f"  (?:{words})", said[1])
    assert line[int(column) - 1 :].startswith(at) if at else line[int(column) - 1 :] == "\n"
    if compiler == "clang" and re.fullmatch(r"and \d+ further errors?", said[-1]):
        del said[-1]  # how far it comes is its own affair
    assert said[2:] == [f"  {int(number):4} | {line.rstrip()}", f"       | {' ' * (int(column) - 1)}^", *rest]


HOOKS = [
    ("C++: a template", 'def c_support_code(self): return "template <class T> T f(T x) { return x; }"',
     "Mine.c_support_code does not compile: mine.py:{}:48",
     "  expected '=', ',', ';', 'asm' or '__attribute__' before '<' "
     "token", f"  {CXX}"),
    ("C++: a class", 'def c_support_code(self): return "class A { int x; };"',
     "Mine.c_support_code does not compile: mine.py:{}:39", "  unknown type name 'class'", f"  {CXX}"),
    ("C++: a header", 'def c_headers(self): return ["<vector>"]', "Mine.c_headers cannot be honoured: mine.py:{}",
     "  vector: No such file or directory", f"  {CXX}"),
    ("a header that is not there", 'def c_headers(self): return ["<nothing_of_it.h>"]',
     "Mine.c_headers cannot be honoured: mine.py:{}", "  nothing_of_it.h: No such file or directory",
     "  install what it comes with, and name its folder in c_header_dirs"),
    ("a library that is not there", 'def c_libraries(self): return ["nothing_of_it"]',
     "Mine.c_libraries cannot be honoured: mine.py:{}", "  cannot find -lnothing_of_it: No such file or directory",
     "  install what it comes with, and name its folder in c_lib_dirs"),
    ("a header with its #include", 'def c_headers(self): return ["#include <math.h>"]',
     "Mine: c_headers gives '#include <math.h>'; write the bare name, '<math.h>'"),
    ("a library as an argument", 'def c_libraries(self): return ["-lm"]',
     "Mine: c_libraries gives '-lm'; write the bare name, 'm'"),
    ("a library's file", 'def c_libraries(self): return ["libm.so"]',
     "Mine: c_libraries gives 'libm.so'; write the bare name, 'm'"),
]  # fmt: skip


#: What clang says of a hook's text, where it is not what gcc says.
CLANG_HOOKS = {
    "C++: a template": "  unknown type name 'template'", "C++: a header": "  'vector' file not found",
    "a header that is not there": "  'nothing_of_it.h' file not found",
}  # fmt: skip


@pytest.mark.parametrize("name, hook, said", [(*row[:2], row[2:]) for row in HOOKS], ids=[row[0] for row in HOOKS])
def test_a_hook_that_cannot_be_honoured(tmp_path, compiler, name, hook, said):
    if compiler == "clang" and name in CLANG_HOOKS:
        said = (said[0].replace(":48", ":39"), CLANG_HOOKS[name], *said[2:])
    mistake = Mistake(tmp_path, HOOK % hook)
    line = mistake.line_of(hook)
    lines = [text for text in mistake.said().split("\n") if not text.startswith(("     ", f"  {line:4} |", "and "))]
    assert lines == [text.replace("{}", str(line)) for text in said]


def test_two_functions_of_one_name(tmp_path, compiler):
    text = """
class A(Copy):
    def c_support_code(self):
        return "static double helper(double a) { return a; }"


class B(Copy):
    def c_support_code(self):
        return "static double helper(double a) { return 2 * a; }"


function([x], B()(A()(x)))
"""
    mistake = Mistake(tmp_path, text)
    line = mistake.line_of("2 * a")
    assert mistake.said().split("\n")[:2] + mistake.said().split("\n")[4:] == [
        f"B.c_support_code does not compile: mine.py:{line}:31",
        "  redefinition of 'helper'",
        "  the texts of all ops share one file: give helper another name, or write it in c_support_code_apply as "
        "helper_{name}",
    ]
