"""The engine's loops: each scalar operation in C and in C++, shapes, strides, outputs, operands that share memory."""

from __future__ import annotations

import gc
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from kit import DTYPES, tensor

import opweld
from opweld import config, scalar
from opweld import tensor as T
from opweld.dtypes import dtype_of
from opweld.operations import NAMES, PARTS, ROUNDED, ROUNDED_COMPLEX
from opweld.scalar import ScalarOp, UnaryScalarOp, upcast_out
from opweld.tensor import CAReduce, Elemwise
from opweld.tolerances import apart, of_operation

pytestmark = [
    pytest.mark.usefixtures("optimized"),
    # what is said of the numbers that are given here, test_errstate.py asks
    pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning"),
]

LOOPS = Path(__file__).parent.parent / "gen" / "scalar" / "testdata" / "loops.txt"
UNARY = sorted(name for name in NAMES if getattr(np, name).nin == 1)
BINARY = sorted(name for name in NAMES if getattr(np, name).nin == 2)


def numpys_loops():
    """Each loop of NumPy's as an instruction, a line each: its name, the dtypes of the arguments and of the result."""
    lines = {}
    for name in sorted(NAMES):
        for signature in getattr(np, name).types:
            given, made = signature.split("->")
            if set(given + made) & set("OMmSUV"):
                continue
            names = [dtype_of(np.dtype(char)).name for char in given]
            for part, char in zip(PARTS.get(name, (name,)), made, strict=True):
                lines[" ".join([part, *names, dtype_of(np.dtype(char)).name])] = None
    return "".join(f"{line}\n" for line in sorted(lines))


def test_the_engine_is_tested_with_all_of_numpys_loops():
    assert set(numpys_loops().splitlines()) <= set(LOOPS.read_text().splitlines())


# -- each operation, in C and in C++ -----------------------------------------------------------------------------

UNORDERED = ("maximum", "minimum", "fmax", "fmin")  # of zeros of both signs they give either


class Plain(UnaryScalarOp):
    """The same number. With `c_lang` C++ it makes the whole unit C++."""

    __props__ = ("c_lang",)

    def __init__(self, c_lang):
        super().__init__(upcast_out)
        self.c_lang = c_lang

    def impl(self, x):
        return x

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]};"

    def c_code_cache_version(self):
        return (1,)


def hard(dtype):
    """Numbers at the ends and edges of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [info.min, info.min + 1, info.max, info.max - 1, info.max // 2, 0, 1, 2, 3, 7, dtype.itemsize * 8, 100]
        near += [dtype.itemsize * 8 - 1] + ([-1, -2, -3, -7, info.min // 2] if dtype.kind == "i" else [])
        return np.array(near, dtype)
    if dtype.kind == "c":
        parts = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3.0]
        return np.array([complex(a, b) for a in parts for b in parts], dtype)
    info = np.finfo(dtype)
    ends = [
        info.max,
        info.tiny,
        info.smallest_subnormal,
        info.eps,
        1 + info.eps,
        1 - info.epsneg,
    ]
    found = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        7.0,
        10.0,
        88.0,
        710.0,
        np.inf,
        np.nan,
        *ends,
        info.tiny * 3,
        info.max / 2,
    ]
    found = np.array(found, dtype)
    return np.concatenate([found, -found])


def outcome(call):
    """What a call gives, or the exception that it raises."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception as err:
        return err


def several(found):
    return list(found) if isinstance(found, (tuple, list)) else [found]


def same(got, wanted, rounded=False, signed=True, what="", operands=()):
    """The same dtype, shape and values; to the sign of zero if `signed`, or as near as what is not exact must be."""
    wanted = np.asarray(wanted)
    assert dtype_of(got.dtype).name == dtype_of(wanted.dtype).name and got.shape == wanted.shape, what
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, wanted, what)
        return
    if rounded:
        name = what if what in ROUNDED else "exp"  # of complex numbers more is
        wrong = apart(got, wanted, of_operation(name, wanted.dtype, operands))
        assert not wrong.any(), (what, got[wrong], wanted[wrong])
        return
    for part in ("real", "imag") if wanted.dtype.kind == "c" else ("real",):
        a, b = getattr(got, part), getattr(wanted, part)
        np.testing.assert_array_equal(a, b, what)
        number = ~np.isnan(b) & signed
        np.testing.assert_array_equal(np.signbit(a)[number], np.signbit(b)[number], what)


def every_operation(dtype, lang):
    """All of NumPy's functions of x and of x, y, in one unit; beside it what NumPy itself gives."""
    x, y = tensor(dtype, 1, "x"), tensor(dtype, 1, "y")
    names, outputs = [], []
    for name in UNARY + BINARY:
        nin = getattr(np, name).nin
        found = outcome(lambda name=name, nin=nin: getattr(T, name)(*(x, y)[:nin]))
        if not isinstance(found, Exception):
            names.append((name, nin))
            outputs += several(found)
    f = opweld.function([x, y], [Elemwise(Plain(lang))(x), *outputs])
    return f, names


def strict(monkeypatch):
    """A remark of the compiler is an error. The text of the loops is the same in C++: it is not optimised again."""
    monkeypatch.setattr(config, "cflags", f"{config.cflags} -Wextra -Werror")
    monkeypatch.setattr(config, "cxxflags", f"{config.cxxflags} -O1 -Wextra -Werror")


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_operation_of_hard_numbers(dtype, lang, monkeypatch):
    strict(monkeypatch)
    numbers = hard(dtype)
    x, y = (a.ravel() for a in np.meshgrid(numbers, numbers))
    f, names = every_operation(dtype, lang)
    if np.dtype(dtype).kind == "i":
        with pytest.raises(ValueError, match=r"Integers to negative integer powers are not allowed\."):
            f(x, y)
        x, y = x[y >= 0], y[y >= 0]
    first, *made = f(x, y)
    same(first, x)
    made = iter(made)
    failed = []
    for name, nin in names:
        for wanted in several(outcome(lambda name=name, nin=nin: getattr(np, name)(*(x, y)[:nin]))):
            got = next(made)
            if name == "spacing" and dtype == "longdouble":
                wanted[np.isnan(wanted) & np.isfinite(x)] = 0  # NumPy gives NaN where all bits of the mantissa are 1
                got = np.where(wanted == 0, 0, got)
            if name in ("arccosh", "arcsin", "arcsinh") and np.isnan(np.arccosh(complex(0, np.nan)).imag):
                settled = ~np.isnan(x)  # of NaN wheels of NumPy 2.2 give something else than the C library does
                got, wanted = got[settled], wanted[settled]
            rounded = name in (ROUNDED_COMPLEX if x.dtype.kind == "c" else ROUNDED)
            try:
                same(got, wanted, rounded, name not in UNORDERED, name, (x, y)[:nin])
            except AssertionError as err:
                failed.append(f"{name} {err!s}")
    assert not failed, "\n".join(failed)


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_cast_where_parts_and_reduction(dtype, lang, monkeypatch):
    strict(monkeypatch)
    numbers = hard(dtype)
    fits = numbers if numbers.dtype.kind not in "fc" else numbers[np.isfinite(numbers) & (np.abs(numbers) < 100)]
    x, y, small = tensor(dtype, 1, "x"), tensor(dtype, 1, "y"), tensor(dtype, 1, "small")
    whole = [d for d in DTYPES if np.dtype(d).kind in "iu"]
    others = [d for d in DTYPES if d not in whole]
    outputs = [Elemwise(Plain(lang))(x), T.where(x, x, y), T.real(x), T.imag(x)]
    folds = [n for n in ("sum", "prod", "max", "min", "any", "all")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        outputs += [T.cast(x, d) for d in others] + [T.cast(small, d) for d in whole]
    bits = [n for n in ("bitwise_and", "bitwise_or", "bitwise_xor") if numbers.dtype.kind in "biu"]
    outputs += [getattr(T, n)(small) for n in folds] + [CAReduce(getattr(scalar, n))(small) for n in bits]
    f = opweld.function([x, y, small], outputs)
    other = numbers[::-1].copy()
    if numbers.dtype.kind == "f":
        fits = fits[fits >= 0] if dtype != "float16" else fits  # to unsigned integers: what the processor gives
        fits = np.abs(fits)
    elif numbers.dtype.kind == "c":
        fits = fits[fits.real >= 0]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = [numbers, np.where(numbers, numbers, other), np.real(numbers), np.imag(numbers)]
        wanted += [numbers.astype(d) for d in others] + [fits.astype(d) for d in whole]
        wanted += [getattr(np, n)(fits) for n in folds] + [getattr(np, n).reduce(fits) for n in bits]
    exact = len(wanted) - len(folds) - len(bits)
    for place, (got, want) in enumerate(zip(f(numbers, other, fits), wanted, strict=True)):
        rounded = place in (exact, exact + 1) and numbers.dtype.kind in "fc"
        same(got, want, rounded, place < exact, f"result {place}")


# -- a user's op -------------------------------------------------------------------------------------------------


class Given(ScalarOp):
    """Any C: X, Y are the inputs, Z, W the outputs, of the first input's dtype. FAIL fails."""

    __props__ = ("text", "nin", "nout", "support", "c_lang")

    c_float16 = True

    def __init__(self, text, nin=1, nout=1, support="", c_lang="c"):
        super().__init__()
        self.text, self.nin, self.nout, self.support, self.c_lang = text, nin, nout, support, c_lang

    def output_types(self, types):
        return [types[0]] * self.nout

    def c_code(self, node, name, inputs, outputs, sub):
        text = self.text.replace("FAIL", sub["fail"])
        for letter, variable in zip("XY", inputs):
            text = text.replace(letter, variable)
        for letter, variable in zip("ZW", outputs):
            text = text.replace(letter, variable)
        return text

    def c_support_code(self):
        return self.support

    def c_code_cache_version(self):
        return (1,)


def built(op, *dtypes, ndim=1, **options):
    inputs = [tensor(dtype, ndim, f"x{i}") for i, dtype in enumerate(dtypes)]
    return opweld.function(inputs, Elemwise(op)(*inputs), **options)


def refuses_after(f, given, kind, message):
    """A call fails with this message at the end of it or before the node's own lines, and keeps nothing."""
    with pytest.raises(kind) as info:
        f(*given)
    assert type(info.value) is kind and str(info.value).split("\n")[0] == message
    del info
    gc.collect()
    counts = [sys.getrefcount(a) for a in given]
    for _ in range(100):
        with pytest.raises(kind):
            f(*given)
    gc.collect()
    assert [sys.getrefcount(a) for a in given] == counts


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_code_that_fails_in_the_middle(lang):
    text = 'if (X == 3) { PyErr_SetString(PyExc_LookupError, "it is 3"); FAIL }\nZ = X + 1;'
    f = built(Given(text, c_lang=lang), "float64")
    np.testing.assert_array_equal(f(np.zeros(5)), np.ones(5))
    refuses_after(f, [np.arange(300.0)], LookupError, "it is 3")
    refuses_after(f, [np.arange(300.0)[::-2]], LookupError, "it is 3")
    out = np.zeros(300)
    with pytest.raises(LookupError):
        f(np.arange(300.0), out=out)
    assert sys.getrefcount(out) == 2
    np.testing.assert_array_equal(f(np.arange(4.0, 304.0), out=out), np.arange(5.0, 305.0))


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_code_that_fails_and_says_nothing(lang):
    f = built(Given("if (X == 3) FAIL\nZ = X;", c_lang=lang), "int16", name="silent")
    with pytest.raises(RuntimeError) as info:
        f(np.arange(5, dtype="int16"))
    assert str(info.value).startswith("silent(): Elemwise.Given{")
    assert "c_code failed without setting an exception; set one, as by PyErr_SetString, before fail" in str(info.value)
    assert f(np.zeros(2, "int16")).tolist() == [0, 0]


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_code_that_sets_an_exception_and_goes_on(lang):
    f = built(Given('if (X == 3) PyErr_SetString(PyExc_KeyError, "three");\nZ = X;', c_lang=lang), "float32")
    refuses_after(f, [np.arange(5, dtype="float32")], KeyError, "'three'")
    out = np.full(5, 7, "float32")
    with pytest.raises(KeyError):
        f(np.arange(5, dtype="float32"), out=out)


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_two_outputs_and_support_code(lang):
    op = Given("Z = twice(X); W = X * Y;", 2, 2, "static double twice(double x) { return 2 * x; }", lang)
    double, product = built(op, "float64", "float64", ndim=2)(np.arange(6.0).reshape(2, 3), np.array([[2.0], [3.0]]))
    np.testing.assert_array_equal(double, [[0, 2, 4], [6, 8, 10]])
    np.testing.assert_array_equal(product, [[0, 2, 4], [9, 12, 15]])


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_float16_is_bits_to_a_users_code(lang):
    f = built(Given("Z = (npy_uint16)(X ^ 0x8000u);", c_lang=lang), "float16")
    everything = np.arange(1 << 16, dtype="uint16").view("float16")
    made = f(everything)
    np.testing.assert_array_equal(made, -everything)
    number = ~np.isnan(everything)
    np.testing.assert_array_equal(made.view("uint16")[number], everything.view("uint16")[number] ^ 0x8000)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_are_parts_to_a_users_code(dtype):
    x = hard(dtype)
    wanted = np.empty_like(x)
    wanted.real, wanted.imag = x.imag, x.real
    same(built(Given("__real__ Z = __imag__ X; __imag__ Z = __real__ X;"), dtype)(x), wanted)
    same(built(Given("Z.real = X.imag; Z.imag = X.real;", c_lang="c++"), dtype)(x), wanted)
    for lang in ("c", "c++"):
        same(built(Given("Z = X;\nZ += X;", c_lang=lang), dtype)(x), x + x)


def test_cxx_code_that_throws():
    f = built(Given('if (X == 3) throw std::runtime_error("three"); Z = X;', c_lang="c++"), "int64", ndim=2)
    given = [np.arange(600).reshape(30, 20)[:, ::2]]
    assert f(given[0] + 4).shape == (30, 10)
    refuses_after(f, [given[0] + 1], RuntimeError, "C++ exception: three")
    odd = built(Given("std::vector<double> v(3, X); if (X == 3) throw 1; Z = v.at((size_t)X);",
                      support="#include <vector>\n", c_lang="c++"), "float64")  # fmt: skip
    refuses_after(odd, [np.arange(6.0)], RuntimeError, "C++ exception of an unknown type")
    assert odd(np.ones(2)).tolist() == [1, 1]


BREACHES = {
    "Z = X;\nreturn;": (2, "`return` would leave without clean-up"),
    "if (X) goto out;\nZ = X;": (1, "`goto out` leads out of the fragment"),
    "Z = X;\n\ngoto opw_fail;": (3, "`goto opw_fail` by hand looks like success"),
    "if (X > 1) continue;\nZ = X;": (1, "`continue` stands outside a loop"),
    "Z = X;\nif (X) break;": (2, "`break` stands outside a loop or switch"),
    "}\nZ = X; {": (None, ""),
}


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("text", BREACHES)
@pytest.mark.parametrize("reduction", [False, True])
def test_what_code_may_not_do(text, lang, reduction):
    line, message = BREACHES[text]
    op = Given(text, 1 + reduction, c_lang=lang)
    x = tensor("float64", 1, "x")
    with pytest.raises(opweld.CompileError) as info:
        opweld.function([x], CAReduce(op)(x) if reduction else Elemwise(op)(x))
    first = Given.c_code.__code__.co_firstlineno
    assert f"Given.c_code does not compile: {__file__}:{first}" in str(info.value)
    assert line is None or f"(line {line} of the fragment)\n  {message}" in str(info.value)


def test_labels_loops_and_state_of_ones_own():
    text = "int i = 0;\nagain: if (i++ < 3) goto again;\nfor (;;) { switch (i) { default: break; } break; }\nZ = i + X;"
    assert built(Given(text), "float64")(np.arange(3.0)).tolist() == [4, 5, 6]
    count = Elemwise(Given("static double n = 0;\nZ = X + n++;"))
    x = tensor("float64", 1, "x")
    y = tensor("float64", 1, "y")
    # Beside another op's text, and with one text twice: each node counts for itself.
    first, second = opweld.function([x], [count(x), count(T.negative(x))])(np.zeros(3))
    assert first.tolist() == second.tolist() == [0, 1, 2]
    first, second = opweld.function([x, y], [count(x), count(y)])(np.zeros(3), np.zeros(3))
    assert first.tolist() == second.tolist() == [0, 1, 2]
