"""``opweld.wrap``: C functions that exist."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import SignatureError

SOURCE = """\
#include <stddef.h>
int differ(const int *a, long n, const int *b, int m)
{
    int k = 0;
    for (long i = 0; i < n && i < m; i++) k += a[i] != b[i];
    return k;
}
int scale(double *x, size_t n, double k, double *sum)
{
    if (k == 0) return 7;
    for (size_t i = 0; i < n; i++) *sum += x[i] *= k;
    return 0;
}
void fill(void *y, long n) { for (long i = 0; i < n; i++) ((char *)y)[i] = (char)i; }
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "some.c"
    path.write_text(SOURCE)
    return path


def test_a_value(source):
    hypot = opweld.wrap("double hypot(double x, double y)", signature="x: float64, y: float64 -> float64")
    assert hypot(3, 4) == 5 and hypot.__name__ == "hypot"
    x = T.dscalar("x")
    assert opweld.function([x], hypot(x, 4.0))(3.0) == 5
    differ = opweld.wrap(
        "int differ(const int *a, long n, const int *b, int m);", sources=[source],
        signature="a: int32[n], b: int32[m] -> int32",
    )  # fmt: skip
    a, b = np.array([1, 2, 3], "i4"), np.array([1, 5, 4, 9], "i4")
    found = differ(a[::-1], b[::-1][:3])
    assert (found, type(found)) == (3, np.int32)
    assert pickle.loads(pickle.dumps(differ))(a, b) == 2


def test_a_code(source):
    scale = opweld.wrap(
        "int scale(double *x, size_t n, double k, double *sum)", sources=[os.fspath(source)],
        signature="x: inout float64[n], k: float64 -> sum: float64", name="times",
    )  # fmt: skip
    x = np.ones(3)
    assert scale(x, 2) == 6 and x.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match=r"^scale returned 7$"):
        scale(x, 0)
    assert scale.__name__ == "times"


def test_bytes(source):
    fill = opweld.wrap("void fill(void *y, long n)", sources=[source], signature="n: int64 -> y: uint8[n]")
    assert fill(4).tolist() == [0, 1, 2, 3]


def test_a_size_that_is_too_large_for_its_parameter(source):
    tiny = opweld.wrap(
        "int tiny(const unsigned char *x, signed char n)", signature="x: uint8[n] -> int32",
        support="static int tiny(const unsigned char *x, signed char n) { return x[0] + n; }",
    )  # fmt: skip
    assert tiny(np.full(100, 3, "u1")) == 103
    with pytest.raises(OverflowError, match=r"^n is 128, which is no signed char$"):
        tiny(np.zeros(128, "u1"))


def test_an_error_in_a_source_is_at_its_line(tmp_path):
    path = tmp_path / "wrong.c"
    path.write_text("\n\nint f(int a) { return b; }\n")
    f = opweld.wrap("int f(int a)", sources=[path], signature="a: int32 -> int32")
    with pytest.raises(opweld.CompileError, match=rf"^f does not compile: {path}:3:23\n  .*undeclared"):
        f(1)


def test_what_a_header_says_otherwise():
    f = opweld.wrap("double hypot(double x, float y)", signature="x: float64, y: float32 -> float64")
    with pytest.raises(opweld.CompileError, match=r"conflicting types for 'hypot'"):
        f(1, 2)


WRONG = [
    ("int f(const int *a, long n)", "a: int64[n] -> int32",
     "parameter 1 of f, const int *a: that is int32, and the signature says int64"),
    ("int f(int *a, long n)", "a: int32[n] -> int32",
     "parameter 1 of f, int *a: the function may write into it: make it `a: inout` in the "
     "signature, or const in the prototype"),
    ("int f(const int *a, long k)", "a: int32[n] -> int32", 'parameter 2 of f, long k: the signature has no "k"'),
    ("int f(const int *a)", "a: int32[n], b: float64 -> int32", 'f has no parameter "b", which the signature has'),
    ("double f(const int *a)", "a: int32[n] -> int32", "f returns double, and the signature says int32"),
    ("double f(int *a)", "a: inout int32[n]", "f returns double: write what it is after the arrow of the signature"),
    ("char *f(int *a)", "a: inout int32[n]", "f returns char *: write what it is after the arrow of the signature"),
    ("int f(int a)", "a: int32[n] -> int32",
     "parameter 1 of f, int a: the signature has an array or output a, which is a pointer"),
    ("int f(const int *a)", "a: int32 -> int32",
     "parameter 1 of f, const int *a: the signature has a number a, which is no pointer"),
    ("int f(const int *)", "a: int32[n] -> int32",
     "parameter 1 of f, const int *: give it the name that it has in the signature"),
    ("int f(FILE *a)", "a: int32[n] -> int32", 'parameter 1 of f, FILE *a: "FILE" is no type that a dtype stands for'),
    ("int f(const int **a)", "a: int32[n] -> int32",
     "parameter 1 of f, const int **a: a pointer to pointers or a function is nothing that a signature has"),
    ("int f(const char *a, ...)", "a: int8[n] -> int32", "f takes any number of arguments, which no signature says"),
    ("int f(const int *a, const int *b)", "a: int32[n] -> b: int32[n]",
     "parameter 2 of f, const int *b: the signature has it as an output, and the function cannot write into it"),
    ("int f(const int *a)", "a: strided int32[n] -> int32",
     "parameter 1 of f, const int *a: the signature has it strided, and a pointer knows no strides"),
    ("int f(const int *a, float n)", "a: int32[n] -> int32",
     "parameter 2 of f, float n: a size is an integer, not float"),
    ("int f", "a: int32[n] -> int32", "expected one function's declaration, as `int f(const double *x, long n)`"),
    ("int f(int a); int g(int a);", "a: int32 -> int32",
     "expected one function's declaration, as `int f(const double *x, long n)`"),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_prototype_that_does_not_fit(number):
    prototype, signature, message = WRONG[number]
    with pytest.raises(SignatureError) as caught:
        opweld.wrap(prototype, signature=signature)
    assert str(caught.value) == f"wrap: prototype, line 1: {message}\n    {prototype}"


def test_mistakes(tmp_path):
    with pytest.raises(TypeError, match=r"^wrap: sources is 'a\.c' \(str\), expected a list of paths$"):
        opweld.wrap("int f(int a)", sources="a.c", signature="a: int32 -> int32")
    with pytest.raises(TypeError, match=r"^wrap: prototype must be a string, got None$"):
        opweld.wrap(None, signature="a: int32 -> int32")
    with pytest.raises(FileNotFoundError):
        opweld.wrap("int f(int a)", sources=[tmp_path / "none.c"], signature="a: int32 -> int32")
