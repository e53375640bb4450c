"""``opweld.cop``: signatures, bodies and calls; what is refused, and in which words."""

from __future__ import annotations

import gc
import inspect
import json
import os
import pickle
import pydoc
import subprocess
import sys
import textwrap
import threading
import warnings
import weakref

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import SignatureError

TWICE = "for (npy_intp i = 0; i < n; i++) y[i] = 2 * x[i];"
twice = opweld.cop("x: T[n] -> y: T[n]", TWICE)


def square(x):
    return x * x


# ---- signatures ---------------------------------------------------------------------------------------------------

WRONG = {
    "x: T[n], a: T > y: T[n]": (15, "'>' has no place in a signature: write -> before the outputs"),
    "x: flaot64[n] -> y: float64[n]": (4, 'unknown dtype "flaot64"; did you mean float64?'),
    "x: Float64[n] -> y: float64[n]": (4, 'unknown dtype "Float64"; did you mean float64?'),
    "x: double[n] -> y: T[n]": (4, '"double" is no dtype: write float64'),
    "x: float[n] -> y: float64[n]": (
        4, '"float" is a bound, not a dtype: write float64, or T with `where T: float` at the end',
    ),
    "x: str[n] -> y: float64[n]": (
        4, '"str" has no C type here: dtypes are bool, int8, int16, int32, int64, uint8, uint16, uint32, uint64, '
        "float32, float64, longdouble, complex64, complex128, clongdouble and float16",
    ),
    "x: T[n] -> y: T[m]": (
        17, 'size "m" is bound by no input: an input\'s shape or an integer among the inputs must say it',
    ),
    "x: T[n*2] -> y: T[n]": (
        6, 'size "n" is bound by no input: n alone, or with a number added, must be a size of one',
    ),
    "x: T[n] -> y: U[n]": (15, 'type variable "U" is bound by no input: write a dtype, or an input of it'),
    "int: T[n] -> y: T[n]": (1, '"int" is a word of C or C++: call the argument otherwise'),
    "new: T[n] -> y: T[n]": (1, '"new" is a word of C or C++: call the argument otherwise'),
    "x: T[for] -> y: T": (6, '"for" is a word of C or C++: call the size otherwise'),
    "NULL: T[n] -> y: T[n]": (1, '"NULL" is a macro in C: call the argument otherwise'),
    "fail: T[n] -> y: T[n]": (1, '"fail" is a macro in C: call the argument otherwise'),
    "PyObject: T[n] -> y: T[n]": (
        1, 'names like "PyObject" belong to Python, NumPy, C or opweld: call the argument otherwise',
    ),
    "x: T[n] -> x: T[n]": (
        12, 'output "x" is also an input: call it otherwise, or write `x: inout` before the arrow alone',
    ),
    "x: T[n], x: T -> y: T[n]": (10, 'the name "x" occurs twice'),
    "x: T[n -> y: T[n]": (8, "expected ',' or ']' after a size, found \"->\""),
    "x: T[n],-> y: T[n]": (9, "expected an input after ',', found \"->\""),
    "x: T[n] -> y: T[n] where U: float": (26, 'no input is of type "U"'),
    "x: T[n] -> y: T[n] where T: flot": (
        29, 'expected a dtype, or float, int, signed, unsigned, complex or number, found "flot"',
    ),
    "x: T[n] -> y: T[n] where T: float, T: int": (36, 'the bound of "T" is said twice: join the two by |'),
    "x: T[n] -> y: T[n]; T: float": (
        19, "';' has no place in a signature: a bound is said by `where T: float` at the end",
    ),
    "x: T[n]": (1, "nothing comes out: write `-> y: T[n]`, or `inout` before the dtype of what is changed"),
    "x: T[:] -> y: T": (6, "a size is a name or a number: write n for ':'"),
    "x: T[n] -> y: T[n/2]": (18, "sizes are whole: write // for /"),
    "x: T[n, ] -> y: T[n]": (9, 'expected a size before "]"'),
    "x: T[n], k: float64 -> y: T[k]": (13, '"k" is a size, so it is an integer: write int64 for float64'),
    "x: T[x] -> y: T": (6, '"x" is an array and a size: call one of them otherwise'),
    "x: T[T] -> y: T": (6, '"T" is a type variable and a size'),
    "x: T[n] -> T": (12, "an output needs a name, by which the body sets it: write `-> y: T`"),
    "x: T[n], a: T = 1, b: T -> y: T[n]": (20, '"b" has no default and stands after "a", which has one'),
    "x: T[n] = 3 -> y: T[n]": (1, '"x" has a default and is an array: numbers alone have defaults'),
    "a: int32 = 0.5 -> y: int32": (1, "0.5 is no value of dtype int32"),
    "x: inout T -> y: T": (1, "'x: inout' has no sizes: a number cannot be changed in place"),
    "x: T[n] -> y: strided T[n]": (12, "'y: strided' is an output, and outputs are contiguous: leave the word out"),
    "x: T[n] -> y: inout T[n]": (12, "'y: inout' is an input: write it before the arrow"),
    "x: work T[n] -> y: T[n]": (1, "'x: work' is memory for the body: write it after the arrow"),
    "x: T[n] -> y: T, z: work T[n] = 3": (18, "'z: work' begins with 0, or with anything"),
    "x: T[n] y: T[n]": (9, "expected ',', '->', where or the end, found \"y\""),
    "ü: T[n] -> y: T": (1, "'ü' is no letter of a name in C: a to z, A to Z, digits and _ are"),
    "x T[n] -> y: T": (3, "expected ':' and a dtype after \"x\", found \"T\""),
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_signature(text):
    column, message = WRONG[text]
    with pytest.raises(SignatureError) as caught:
        opweld.cop(text, "", name="f")
    wanted = f"f: signature, line 1, column {column}: {message}\n    {text}\n    {' ' * (column - 1)}^"
    assert str(caught.value) == wanted
    assert isinstance(caught.value, ValueError)
    assert (caught.value.details["line"], caught.value.details["column"]) == (1, column)


def test_a_place_on_a_later_line():
    with pytest.raises(SignatureError) as caught:
        opweld.cop("x: T[n], # the data\n a: S -> y: Q[n]", "", name="f")
    assert "line 2, column 13: type variable" in str(caught.value)
    assert str(caught.value).endswith("\n     a: S -> y: Q[n]\n                ^")


def test_everything_of_the_grammar():
    f = opweld.cop(
        """mix(x: strided T[n, 2*m],   # two blocks
               q: T[m], k: int64, w: uint8[r + 1, 3], a: T = -1.5e0, b: bool = True)
           -> y: T[n, min(m, r) + k] = -1, s: float64 = inf, z: work int32[n*m // 2 % 7] = 0
           where T: float32 | float64, """.rstrip(", \n"),
        "y(0, 0) = a + x(n - 1, 2*m - 1); s = b ? s : w(r, 2); z[0] = 1;",
        name=None,
    )
    assert f.__name__ == "mix"
    x, q = np.ones((2, 4), "f4"), np.ones(2, "f4")
    y, s = f(x, q, 3, np.zeros((3, 3), "u1"))
    assert (y.dtype, y.shape, s) == (np.float32, (2, 5), np.inf)
    assert y.ravel().tolist() == [-0.5] + [-1] * 9
    assert f(x, q, 3, np.full((3, 3), 7, "u1"), b=False)[1] == 7


# ---- bodies -------------------------------------------------------------------------------------------------------

BODIES = {
    "double n = 3;": '"n" is a size of the signature: declare another name',
    "for (int x = 0; x < 3; x++) ;": '"x" is an input of the signature: declare another name',
    "{ int *y[3]; }": '"y" is an output of the signature: declare another name',
    "#define n 3\n": '"n" is a size of the signature: declare another name',
    "n = 4;": '"n" is a size of the signature and cannot be changed: copy it into a variable',
    "n++;": '"n" is a size of the signature and cannot be changed: copy it into a variable',
    "return 3;": "`return` of a value: a body sets its outputs by their names; `return;` ends it",
    "if (n) {": '"{" is never closed',
    "y[0] = 1;}": '"}" closes nothing, or something else',
    "y[(0] = 1;": '"]" closes nothing, or something else',
    'fail(IndexEror, "x");': 'fail: Python has no exception "IndexEror"',
    "fail(ValueError);": 'fail takes an exception and a text: fail(ValueError, "x[%zd] is negative", i)',
}


@pytest.mark.parametrize("body", BODIES)
def test_a_wrong_body(body):
    with pytest.raises(SignatureError) as caught:
        opweld.cop("x: T[n] -> y: T[n]", f"y[0] = 0;\n{body}", name="f")
    assert str(caught.value) == f"f: body, line 2: {BODIES[body]}\n    {body.splitlines()[0]}"


def test_names_inside_of_other_things_are_free():
    f = opweld.cop(
        "x: T[n], a: T -> y: T[n]",
        "struct { T x, n; } p = {a, 1}; /* double n; */ p.n++; y[0] = p.x + p.n; // n = 3\n",
    )
    assert f(np.ones(1), 2.0) == [4]


def build_error(f, *args):
    with pytest.raises(opweld.CompileError) as caught:
        f(*args)
    return str(caught.value)


def test_an_error_of_the_compiler_is_at_the_users_line():
    f = opweld.cop("x: T[n] -> y: T[n]", """
        for (npy_intp i = 0; i < n; i++)
            y[i] = q;
    """)  # fmt: skip
    line = inspect.currentframe().f_lineno - 2
    found = build_error(f, np.ones(2))
    assert found.startswith(f"f does not compile: {__file__}:{line}:20\n") and "undeclared" in found


def test_so_it_is_in_a_literal_with_escapes():
    f = opweld.cop("x: T[n] -> y: T[n]", """
        (void)"\x41\t";
        y[0] = q;
    """)  # fmt: skip
    line = inspect.currentframe().f_lineno - 2
    assert build_error(f, np.ones(2)).startswith(f"f does not compile: {__file__}:{line}:16\n")


def test_so_it_is_in_support_code():
    support = """
        static int three(void) { return tree; }
    """
    f = opweld.cop("x: T[n] -> y: T[n]", "y[0] = three();", support=support)
    line = inspect.currentframe().f_lineno - 3
    assert build_error(f, np.ones(2)).startswith(f"f does not compile: {__file__}:{line}:")


def test_so_it_is_of_two_of_one_name():
    def make(text):
        return opweld.cop("x: T[n] -> y: T[n]", text, name="same")

    right, wrong = make("y[0] = 1;"), make("y[0] =\n q;")
    v = T.dvector("v")
    with pytest.raises(opweld.CompileError, match=rf"does not compile: {__file__}:\d+ "):
        opweld.function([v], [right(v), wrong(v)])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("int *p = y;", "incompatible pointer type"),
        ("x[0] = 1;", "read-only"),
        ("y[0] = undeclared(1);", "implicit declaration of function"),
        ('fail(IndexError, "column %d", x[0]);', "type 'int'"),
        ("int *p = 3;", "int"),
    ],
)
def test_what_is_an_error_in_c(body, message):
    f = opweld.cop("x: float64[n] -> y: float64[n]", body)
    assert message in build_error(f, np.ones(2))


def test_return_ends_the_body():
    f = opweld.cop("x: T[n] -> y: T[n] = 5, s: T", "s = 1; if (n > 2) return; s = 2; y[0] = 3;")
    assert [list(map(np.ndarray.tolist, map(np.asarray, f(np.ones(k))))) for k in (2, 3)] == [[[3, 5], 2], [[5] * 3, 1]]


def test_fail_leaks_nothing():
    f = opweld.cop(
        "x: T[n, m], z: inout T[n], k: int64 -> y: T[n], w: work T[n]",
        """
        for (npy_intp i = 0; i < n; i++)
            if (i == k) fail(KeyError, "%s %zd %s", "row", i, "and a text that is longer than what is kept "
                "for texts of few letters, so that memory must be found for it; and so that it is, here are more, "
                "and more, and more, and more, and more, and more, and more, and more, and more, and more, and more, "
                "and more, and more, and more, and more, and more, the last of which is this: .");
        """,
        nogil=True,
    )
    x, z = np.ones((4, 2)).T, np.ones(4)[::2]
    f(x, z, 9)
    for _ in range(3):
        with pytest.raises(KeyError) as caught:
            f(x, z, 1)
    assert caught.value.args[0].startswith("row 1 and a text") and caught.value.args[0].endswith("this: .")
    gc.collect()
    before = sys.getrefcount(x), sys.getrefcount(z), len(gc.get_objects())
    for _ in range(50):
        with pytest.raises(KeyError):
            f(x, z, 1)
    gc.collect()
    assert (sys.getrefcount(x), sys.getrefcount(z)) == before[:2]
    assert len(gc.get_objects()) - before[2] < 50


def test_support_headers_and_args():
    f = opweld.cop(
        "x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = add(x[i]) + toupper('a') + BY;",
        support="static double add(double x) { return x + 1; }", headers=["<ctype.h>"], args=["-DBY=7"],
    )  # fmt: skip
    assert f([0.0]).tolist() == [1 + ord("A") + 7]


def test_cplusplus():
    f = opweld.cop(
        "x: T[n], k: int64 -> y: T[n]",
        """
        std::vector<T> copy(x, x + n);
        std::sort(copy.begin(), copy.end());
        std::copy(copy.begin(), copy.end(), y);
        if (k == 1) throw std::runtime_error("thrown");
        if (k == 2) fail(ValueError, "failed");
        if (k == 3) return;
        y[0] = copy.at(0) - 1;
        """,
        lang="c++", headers=["<vector>", "<algorithm>"], nogil=True,
    )  # fmt: skip
    assert f([3.0, 1.0], 0).tolist() == [0, 3] and f([3.0, 1.0], 3).tolist() == [1, 3]
    with pytest.raises(RuntimeError, match=r"^C\+\+ exception: thrown$"):
        f([3.0, 1.0], 1)
    with pytest.raises(ValueError, match=r"^failed$"):
        f([3.0, 1.0], 2)


def test_c_beside_cplusplus(own_cache):
    """One unit has both: what only C has warnings of is no word to a compiler of C++."""
    half = opweld.cop("x: float64[n] -> y: float64[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] / 2;")
    first = opweld.cop(
        "x: float64[n] -> y: float64", "y = *std::max_element(x, x + n);", lang="c++", headers=["<algorithm>"]
    )
    x = T.dvector("x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert opweld.function([x], first(half(x)))([1.0, 6.0, 2.0]) == 3


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "clongdouble"])
def test_complex(lang, dtype):
    f = opweld.cop("x: T[n], a: T -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = a * x[i] * x[i];", lang=lang)
    x = np.array([1 + 2j, 3 - 1j], dtype)
    found = f(x, 2j)
    assert found.dtype == np.dtype(dtype) and found.tolist() == (2j * x * x).tolist()


def test_float16_comes_by_its_name():
    f = opweld.cop("x: float16[n] -> y: float16[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[n - 1 - i];")
    assert f(np.array([1, 2], "f2")).tolist() == [2, 1]
    assert twice(np.array([1, 2], "f2")).dtype == np.float32


# ---- calls --------------------------------------------------------------------------------------------------------


def test_dtypes():
    small = opweld.cop("x: T[n], a: T -> y: T[n] where T: float32 | float64", TWICE)
    i1, f4, f8 = (np.ones(2, dtype) for dtype in ("i1", "f4", "f8"))
    for args, wanted in [
        ((f4, 1), "f4"), ((f4, 1.5), "f4"), ((f8, 1), "f8"), ((f4, np.float64(1)), "f8"), ((f4, np.float32(1)), "f4"),
        ((i1, 1), "f4"), ((i1, 1.5), "f8"), (([1, 2], 1), "f8"), ((f4, np.ones((), "f8")), "f8"),
        ((f4.astype(">f4"), True), "f4"),
    ]:  # fmt: skip
        for _ in range(2):  # at first, and when it is known
            found = small(*args)
            assert found.dtype == np.dtype(wanted), args
            assert found.tolist() == [2 * float(v) for v in np.asarray(args[0])]
    assert twice(np.array([True])).dtype == bool
    assert twice([1, 2]).dtype == np.int64


OUTSIDE = {
    "object": (
        lambda: np.array([1, None]),
        "x is of dtype object, and T may be float32, float64 or longdouble; pass numbers",
    ),
    "text": (lambda: ["a"], "x is of dtype <U1, and T may be float32, float64 or longdouble; pass numbers"),
    "time": (
        lambda: np.array(["2020"], "M8[Y]"),
        "x is of dtype datetime64[Y], and T may be float32, float64 or longdouble; pass numbers",
    ),
    "complex": (
        lambda: np.ones(1, complex),
        "x is of dtype complex128, and T may be float32, float64 or longdouble; pass np.asarray(x).real",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OUTSIDE)
def test_a_dtype_outside_of_the_bound(case):
    f = opweld.cop("x: T[n] -> y: T[n] where T: float", TWICE)
    make, message = OUTSIDE[case]
    with pytest.raises(TypeError) as caught:
        f(make())
    assert str(caught.value) == f"f: {message}"


def test_a_masked_array_is_refused():
    with pytest.raises(TypeError, match=r"got masked float64 of shape \(2,\); pass x\.filled\(\)"):
        twice(np.ma.masked_array([1.0, 2.0], [True, False]))


SIZES = {
    "differs": (
        lambda f: f(np.ones(2), np.ones((3, 3)), 1), "f: y.shape[0] is 3, but n is 2",
    ),
    "computed": (
        lambda f: f(np.ones(2), np.ones((2, 4)), 1), "f: y.shape[1] is 4, but n + 1 is 3",
    ),
    "negative": (lambda f: f(np.ones(2), np.ones((2, 3)), 5), "f: z.shape[0], which is n - k, would be -3"),
    "too large": (
        lambda f: f(np.ones(2), np.ones((2, 3)), -(2**63)),
        "f: z.shape[0], which is n - k, is too large, or divides by zero",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SIZES)
def test_sizes_that_do_not_agree(case):
    f = opweld.cop("x: T[n], y: T[n, n + 1], k: int64 -> z: T[n - k]", "")
    call, message = SIZES[case]
    with pytest.raises(ValueError) as caught:
        call(f)
    assert str(caught.value) == message


def test_a_size_that_is_less_than_nothing():
    f = opweld.cop("p: int64[r + 1] -> y: int64[r]", "")
    assert f(np.zeros(1, int)).shape == (0,)
    with pytest.raises(ValueError, match=r"^f: p\.shape\[0\] is 0, but the least that r \+ 1 can be is 1$"):
        f(np.zeros(0, int))


@pytest.mark.parametrize(("a", "b"), [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 3), (6, 3), (-6, -1), (5, 0)])
def test_sizes_are_computed_as_python_computes(a, b):
    f = opweld.cop(
        "a: int64, b: int64 -> y: int8[a // b + 20], z: int8[a % b + 20], w: int8[min(a, b) + max(a, b) + 20]", ""
    )
    if b == 0:
        with pytest.raises(ValueError, match="is too large, or divides by zero"):
            f(a, b)
        return
    assert [one.size for one in f(a, b)] == [a // b + 20, a % b + 20, a + b + 20]


ARGUMENTS = {
    "missing": (lambda: twice(), "twice() is missing argument 'x'"),
    "too many": (lambda: twice(1, 2, 3), "twice() takes 1 argument, got 3"),
    "unknown": (lambda: twice(np.ones(1), q=1), "twice() has no argument 'q'; it has ('x',)"),
    "twice": (lambda: twice(np.ones(1), x=1), "twice() got two values for argument 'x'"),
    "an array of objects": (
        lambda: twice([None]),
        "twice: x is of dtype object, and T may be bool or any number but float16; pass numbers",
    ),
    "a variable with out": (
        lambda: twice(T.dvector("v"), out=np.ones(1)), "twice() of variables is a node of a graph and has no out=",
    ),
    "variables too few": (lambda: twice.op(), "twice() takes 1 inputs (x), got 0"),
    "of other dimensions": (lambda: twice(T.dmatrix("v")), "twice: x has 2 dimensions, and the signature 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments_that_do_not_fit(case):
    call, message = ARGUMENTS[case]
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


def test_arguments_by_name_and_defaults():
    f = opweld.cop("x: T[n], a: T = 2, b: int64 = -3, c: bool = True -> y: T[n]", "y[0] = a * x[0] + b + c;")
    x = np.array([10.0])
    for _ in range(2):
        assert f(x) == 18 and f(x, b=0) == 21 and f(a=3, x=x) == 28 and f(x, 1, 1, False) == 11
    assert str(inspect.signature(f)) == "(x, a=2, b=-3, c=True, *, out=None)"


def test_out():
    several = opweld.cop("x: T[n] -> y: T[n], s: T", "s = 0; for (npy_intp i = 0; i < n; i++) s += y[i] = x[i];")
    out = np.empty(2)
    for _ in range(2):
        assert twice(np.array([1.0, 2.0]), out=out) is out and out.tolist() == [2, 4]
    y, s = several(np.array([1.0, 2.0]), out=[out, None])
    assert y is out and out.tolist() == [1, 2] and s == 3
    assert isinstance(several([1.0])[1], np.float64)
    x = np.arange(4.0)
    assert twice(x[1:], out=x[:-1]).tolist() == [2, 4, 6]  # it overlaps
    with pytest.raises((TypeError, ValueError)):
        twice(np.ones(2), out=np.ones(2, "f4"))


def test_layouts_are_copied_only_where_they_must_be():
    where = opweld.cop("x: T[n, m] -> y: T[n, m], p: uint64", "p = (npy_uint64)x; memcpy(y, x, n*m*sizeof(T));")
    x = np.arange(6.0).reshape(2, 3)
    y, p = where(x)
    assert p == x.ctypes.data and y.tolist() == x.tolist()
    y, p = where(x.T)
    assert p != x.ctypes.data and y.tolist() == x.T.tolist()
    strided = opweld.cop("x: strided T[n, m] -> y: T[n, m]", """
        for (npy_intp i = 0; i < n; i++) for (npy_intp j = 0; j < m; j++) y(i, j) = x(i, j);
    """)  # fmt: skip
    for view in (x, x.T, x[:, ::-2], np.broadcast_to(x[0], (4, 3)), x.astype(">f8"), x[:0]):
        assert strided(view).tolist() == view.tolist()


def test_what_is_changed_in_place():
    scale = opweld.cop("x: inout T[n], k: T = 2", "for (npy_intp i = 0; i < n; i++) x[i] *= k;")
    x = np.arange(6.0)
    for _ in range(2):
        assert scale(x[::2]) is None
    assert x.tolist() == [0, 1, 8, 3, 16, 5]
    strided = opweld.cop("x: inout strided T[n], k: T = 2 -> s: T", "for (npy_intp i = 0; i < n; i++) s += x(i) *= k;")
    assert strided(x[1::2], -1) == -9 and x.tolist() == [0, -1, 8, -3, 16, -5]


REFUSED = {
    "a list": (lambda f: f([1.0, 2.0]), "argument 'x': expected"),
    "read-only": (lambda f: f(np.broadcast_to(1.0, 2)), ", read-only; pass x.copy()"),
    "another dtype": (
        lambda f: f(np.ones(2, "f4"), np.float64(1)),
        "f: x is changed in place, so it must be an array of dtype float64; it is of dtype float32; pass "
        "x.astype('float64')",
    ),
    "a number": (
        lambda f: f(1.0), "f: x is changed in place, so it must be an array of dtype float64; it is a Python float; "
        "pass np.array([x], 'float64')",
    ),
    "swapped": (lambda f: f(np.ones(2, ">f8")), "byte-swapped: in place; pass x.astype("),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_changed_in_place(case):
    f = opweld.cop("x: inout T[n], k: T = 2", "for (npy_intp i = 0; i < n; i++) x[i] *= k;")
    call, message = REFUSED[case]
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            call(f)
        assert message in str(caught.value)


def test_what_is_changed_and_overlaps_is_copied():
    turn = opweld.cop("x: inout T[n], y: T[n]", "for (npy_intp i = 0; i < n; i++) x[i] = y[n-1-i];")
    for _ in range(2):
        a = np.arange(4.0)
        turn(a, a)
        assert a.tolist() == [3, 2, 1, 0]
        a = np.arange(4.0)
        turn(a[1:], a[:-1])
        assert a.tolist() == [0, 2, 1, 0]
    both = opweld.cop("x: inout T[n], y: inout T[n]", "for (npy_intp i = 0; i < n; i++) x[i]++, y[i]--;")
    a, b = np.zeros(3), np.zeros(3)
    both(a, b)
    assert (a.tolist(), b.tolist()) == ([1] * 3, [-1] * 3)


def test_what_fails_changes_no_copy():
    f = opweld.cop("x: inout T[n]", 'x[0] = 7; if (n > 1) fail(ValueError, "late");')
    x = np.zeros(4)
    with pytest.raises(ValueError, match=r"^late$"):
        f(x[::2])
    assert x.tolist() == [0] * 4


class Offers:
    """An array of another library."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Elsewhere(Offers):
    def __dlpack__(self, **kwargs):
        raise BufferError("on another device")


def test_arrays_of_other_libraries():
    class Series:
        def __array__(self, dtype=None, copy=None):
            return np.array([1.0, 2.0])

    assert twice(Offers(np.array([1.0, 2.0], "f4"))).dtype == np.float32
    assert twice(Series()).tolist() == [2, 4]
    assert twice((1.0, 2.0)).tolist() == [2, 4]
    assert type(twice(np.ones(2).view(type("Sub", (np.ndarray,), {})))) is np.ndarray
    with pytest.raises(TypeError, match=r"^twice: NumPy makes no array of x, .*: on another device$"):
        twice(Elsewhere(np.ones(2)))
    where = opweld.cop("x: T[n] -> p: uint64", "p = (npy_uint64)x;")
    array = np.ones(3)
    assert where(Offers(array)) == array.ctypes.data  # without a copy


def test_check():
    f = opweld.cop("x: T[n], k: T[m], i: int64 -> y: T[2]", "y[0] = x[(int)k[i]];\ny[1] = x(i + 1);", check=True)
    x, k = np.arange(3.0), np.array([2.0, 5.0])
    assert f(x, k, 0).tolist() == [2, 1]
    for i, message in [
        (1, "f: x[5] in line 1 of the body: x has 3 elements"),
        (2, "f: k[2] in line 1 of the body: k has 2 elements"),
        (-1, "f: k[-1] in line 1 of the body: k has 2 elements"),
    ]:
        with pytest.raises(IndexError) as caught:
            f(x, k, i)
        assert str(caught.value) == message
    g = opweld.cop(
        "x: strided T[n, m], z: inout T[n, m], i: int64, j: int64 -> y: T", "y = x(i, j); z(j, i) = y;", check=True
    )
    x, z = np.arange(6.0).reshape(2, 3), np.zeros((2, 3))
    assert g(x, z, 1, 1) == 4 and z[1, 1] == 4
    with pytest.raises(IndexError, match=r"^g: index 3 of x in line 1 of the body: its axis 1 has 3 elements$"):
        g(x, z, 0, 3)
    with pytest.raises(IndexError, match=r"^g: index 2 of z in line 1 of the body: its axis 0 has 2 elements$"):
        g(x, z, 1, 2)


def test_check_names_what_it_cannot_see():
    with pytest.warns(opweld.OpweldWarning) as caught:
        opweld.cop("x: T[n] -> y: T[n]", "const T *p = x;\ny[0] = p[9] + *x;", check=True, name="f")
    assert str(caught[0].message) == (
        "f: check=True cannot test indices that go another way than x[i]: x in line 1: const T *p = x;; "
        "x in line 2: y[0] = p[9] + *x;"
    )
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opweld.cop("x: T[n] -> y: T[n]", "y[0] = x[0] * sizeof(x) + sizeof x[0];", check=True)
    with pytest.raises(SignatureError, match=r"f: body, line 2: check=True cannot follow the text from here"):
        opweld.cop("x: T[n] -> y: T[n]", "y[0] = 0;\nEACH(i, n) y[i] = 3;;\n", check=True, name="f")


def test_nogil_lets_others_run():
    f = opweld.cop(
        "x: inout int64[n] -> k: int64", """
        while (__atomic_load_n(&x[0], __ATOMIC_SEQ_CST) == 0 && k < 20000000000) k++;
        """, nogil=True,
    )  # fmt: skip
    x = np.zeros(1, "i8")
    f(np.ones(1, "i8"))
    timer = threading.Timer(0.05, lambda: x.__setitem__(0, 1))
    timer.start()
    assert 0 < f(x) < 20_000_000_000
    timer.join()


# ---- what it is ----------------------------------------------------------------------------------------------------


def test_names():
    assert opweld.cop("g(x: T[n]) -> y: T[n]", "").__name__ == "g"
    assert opweld.cop("x: T[n] -> y: T[n]", "", name="h").__name__ == "h"
    found = opweld.cop("x: T[n] -> y: T[n]", "")
    assert found.__name__ == "found"
    assert [opweld.cop("x: T[n] -> y: T[n]", "")][0].__name__ == "cop"
    for name in ("a b", "ä", 3, ""):
        with pytest.raises(ValueError, match=r"^cop: name must be one that C can have"):
            opweld.cop("x: T[n] -> y: T[n]", "", name=name)


MISTAKES = [
    (lambda: opweld.cop(3, ""), TypeError, "cop: signature must be a string, got 3 (int)"),
    (lambda: opweld.cop("x: T[n] -> y: T", None), TypeError, "cop: body must be a string, got None"),
    (lambda: opweld.cop("x: T[n] -> y: T", "", lang="rust"), ValueError, "cop: lang must be 'c' or 'c++', got 'rust'"),
    (
        lambda: opweld.cop("x: T[n] -> y: T", "", headers="<a.h>"), TypeError,
        "cop: headers is the string '<a.h>', expected a list of them: ['<a.h>']",
    ),
    (lambda: opweld.cop("x: T[n] -> y: T", "", perform=3), TypeError, "cop: perform must be callable, got 3 (int)"),
    (
        lambda: opweld.cop("x: T[n] -> y: T", "", name="f").source(), ValueError,
        "f was not called yet: call it, or give the dtypes of its inputs",
    ),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_mistakes(number):
    call, kind, message = MISTAKES[number]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


def test_how_it_is_shown():
    assert repr(twice) == "<opweld.cop twice(x: T[n]) -> y: T[n]>"
    text = pydoc.plain(pydoc.render_doc(twice))
    assert (
        "twice(x, *, out=None)" in text and "x : T array of shape (n,)" in text and "y : T array of shape (n,)" in text
    )
    assert "opw_cop_twice" in twice.source("float64")
    f = opweld.cop("x: T[2*(n + 1), n] -> y: T[min(n, 3)]", "")
    assert "x : T array of shape (2*(n + 1), n)" in f.__doc__ and "y : T array of shape (min(n, 3),)" in f.__doc__


def test_without_inputs():
    f = opweld.cop("-> y: float64[2], k: int32 = 4", "y[0] = y[1] = k;")
    for _ in range(2):
        y, k = f()
        assert y.tolist() == [4, 4] and k == 4
    assert str(inspect.signature(f)) == "(*, out=None)" and f.__doc__.startswith("f(*, out=None)\n")


def test_pickles():
    found = pickle.loads(pickle.dumps(twice))
    assert found.op == twice.op and hash(found.op) == hash(twice.op) and found([1.0]) == [2]
    v = T.dvector("v")
    f = opweld.function([v], [twice(v), found(v)])
    assert [node.op for node in f.maker.fgraph.toposort()].count(twice.op) == 1
    assert pickle.loads(pickle.dumps(f))([2.0])[0].tolist() == [4]
    assert twice.op != opweld.cop("x: T[n] -> y: T[n]", TWICE + " ").op


def test_it_lives_as_long_as_it_is_held():
    f = opweld.cop("x: T[n] -> y: T[n]", TWICE)
    f([1.0])
    alive = weakref.ref(f)
    del f
    gc.collect()
    assert alive() is None


# ---- graphs -------------------------------------------------------------------------------------------------------


def test_a_node_of_a_graph():
    v, i = T.fvector("v"), T.lvector("i")
    assert twice(v).type.dtype == "float32"
    f = opweld.cop("x: T[n], y: T[n] -> z: T[n, 3], s: T", "z(0, 0) = s = x[0] + y[0];")
    z, s = f(v, i)
    assert (z.type.dtype, z.type.shape, s.type.shape) == ("float64", (None, 3), ())
    found = opweld.function([v, i], [z.sum(), s])(np.ones(1, "f4"), [2])
    assert found[1] == 3
    assert f(T.TensorType("float64", (4,))("x"), np.ones(4))[0].type.shape == (4, 3)
    with pytest.raises(TypeError, match=r"^f: x is of dtype complex128, which is not cast safely to float64"):
        g = opweld.cop("x: float64[n] -> y: T[n], z: T".replace("T", "float64"), "", name="f")
        g(T.zvector("c"))


def test_shapes_are_inferred():
    v, k = T.dvector("v"), T.lscalar("k")
    f = opweld.cop("x: T[n], k: int64 -> y: T[max(n, k) // 2, n % 3 + 1]", "y[0] = *(int *)0;")
    g = opweld.function([v, k], [f(v, k).shape[0], f(v, k).shape[1]])
    assert g(np.ones(8), 11) == [5, 3] and not any(node.op == f.op for node in g.maker.fgraph.toposort())


def test_a_node_changes_nothing_of_its_callers():
    scale = opweld.cop("x: inout T[n], k: T = 2 -> s: T", "for (npy_intp i = 0; i < n; i++) s += x[i] *= k;")
    v = T.dvector("v")
    s, new = scale(v)
    f = opweld.function([v], [s, new, v])
    x = np.array([1.0, 2.0])
    assert [np.asarray(one).tolist() for one in f(x)] == [6, [2, 4], [1, 2]] and x.tolist() == [1, 2]
    for out in (np.full(4, 9.0)[::2], np.full(4, 9.0)[::-2], np.full(2, 9.0)):  # where it lies, or a copy
        assert f(x, out=[None, out, None])[1] is out and out.tolist() == [2, 4] and x.tolist() == [1, 2]
        assert out.base is None or 9 in out.base.tolist()


def test_debugmode_compares_it_with_python():
    right = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] * x[i];", perform=square)
    wrong = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i] * 3;", perform=square)
    v = T.dvector("v")
    assert opweld.function([v], right(v), mode="DebugMode")([3.0]) == [9]
    with pytest.raises(Exception, match=r"^wrong\(v\): its C code and its perform do not agree"):
        opweld.function([v], wrong(v), mode="DebugMode")([4.0])
    assert pickle.loads(pickle.dumps(right)).op.python is square

    def both(x, k):
        x *= k
        return x.sum()

    scale = opweld.cop("x: inout T[n], k: T -> s: T", "for (npy_intp i = 0; i < n; i++) s += x[i] *= k;", perform=both)
    found = opweld.function([v], scale(v, 3.0), mode="DebugMode")([1.0, 2.0])
    assert [np.asarray(one).tolist() for one in found] == [9, [3, 6]]


# ---- processes ----------------------------------------------------------------------------------------------------


def test_a_second_process_starts_no_engine(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent('''
        import json, sys
        import numpy as np
        import opweld

        triple = opweld.cop("x: T[n], a: T = 3 -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = a * x[i];")
        found = triple(np.array([1.0, 2.0])).tolist()
        print(json.dumps([found, "opweld._engine" in sys.modules, "opweld.engine" in sys.modules]))
    '''))  # fmt: skip
    env = {**os.environ, "OPWELD_FLAGS": f"compiledir={tmp_path / 'cache'}"}

    def run():
        out = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, check=True)
        return json.loads(out.stdout)

    assert run() == [[3, 6], True, True]
    assert run() == [[3, 6], False, False]


def test_import_loads_nothing_of_it():
    code = "import opweld, sys; print([m for m in sys.modules if m.startswith(('opweld.cops', 'opweld._dispatch'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_perform_may_give_what_it_was_given():
    """A view of an input, or the input: it is copied, for outputs share no memory with inputs."""
    v = T.dvector("v")
    same = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];", perform=lambda x: x)
    assert opweld.function([v], same(v), mode="DebugMode")([1.0, 2.0]).tolist() == [1, 2]
    cut = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];", perform=lambda x: x[:1])
    with pytest.raises(Exception, match="its C code and its perform do not agree"):
        opweld.function([v], cut(v), mode="DebugMode")([1.0, 2.0])


def test_a_strided_array_is_no_pointer():
    with pytest.raises(opweld.SignatureError) as caught:
        opweld.cop("x: strided T[n, m] -> y: T", "y = 0;\ny += x[0];", name="f")
    said = 'f: body, line 2: "x" is strided, so it is no block of memory: its elements are x(i, j)\n    y += x[0];'
    assert str(caught.value) == said


@pytest.mark.parametrize("option", ["nogil", "check", "ufunc"])
def test_options_that_are_yes_or_no(option):
    with pytest.raises(TypeError, match=rf"^cop: {option} must be True or False, got 'no' \(str\)$"):
        opweld.cop("x: T -> y: T", "y = x;", **{option: "no"})


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_a_header_that_is_not_there_is_named(own_cache, lang):
    """In the words of a short form, at its place in this file."""
    f = opweld.cop("x: T[n] -> y: T[n]", "{ y[0] = x[0]; }", headers=['"not_there.h"'], lang=lang)
    with pytest.raises(opweld.CompileError) as caught:
        f(np.ones(3))
    first, second, third, *_ = str(caught.value).splitlines()
    assert first.startswith(f"f: headers= cannot be honoured: {__file__}:")
    assert "not_there.h: No such file" in second or "'not_there.h' file not found" in second
    assert third == "  install what it comes with, and name its folder in header_dirs="


def test_a_function_that_nothing_declares(own_cache):
    f = opweld.cop("x: T[n] -> y: T[n]", "y[0] = nowhere(x[0]);")
    mend = "name the header that declares it in headers=, or write it in support="
    with pytest.raises(opweld.CompileError, match=mend):
        f(np.ones(3))


def test_what_nothing_defines_and_arguments_that_no_compiler_knows_are_told_in_its_words(own_cache):
    f = opweld.cop("x: T[n] -> y: T[n]", "y[0] = nowhere(x[0]);", support="double nowhere(double);")
    mend = "write it in support=, or name its library in libraries= and the library's folder in lib_dirs="
    with pytest.raises(opweld.LoadError, match=f"f: f uses 'nowhere', which nothing .* defines: {mend}"):
        f(np.ones(3))
    g = opweld.cop("x: T[n] -> y: T[n]", "y[0] = x[0];", args=["-fno-such-thing"])
    with pytest.raises(opweld.CompileError, match="g: args= cannot be honoured"):
        g(np.ones(3))


def test_two_arrays_that_are_written_into_have_no_memory_in_common():
    f = opweld.cop(
        "x: inout float64[n], y: inout float64[n]", "for (npy_intp i = 0; i < n; i++) { x[i] += 1; y[i] *= 2; }"
    )
    a = np.ones(4)
    for met in (False, True):  # such arguments were met before
        if met:
            f(np.ones(3), np.ones(4)[1:]), f(np.ones(6)[::2], np.ones(3)), f(np.ones(3), np.ones(3)[::-1])
        for x, y in ((a, a), (a[:3], a[1:]), (a[1:], a[:3]), (a, a[::-1]), (a[:2], a[1::-1]), (a[:2], a[2:0:-1])):
            with pytest.raises(ValueError, match=r"^f: x and y are both written into.* in common; pass y.copy"):
                f(x, y)
            assert a.tolist() == [1, 1, 1, 1]
    f(a[::2], a[1::2])
    assert a.tolist() == [2, 2, 2, 2]
    f(a[:2], a[2:])
    assert a.tolist() == [3, 3, 4, 4]
    f(a[:0], a[:0])
    v = T.dvector("v")
    assert [x.tolist() for x in opweld.function([v], f(v, v))([1.0])] == [[2.0], [2.0]]
