"""Numbers that are written into C: identities, literals, constants of enumerations, exact to the last bit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opweld
from opweld import Apply, COp, scalar, tensor
from opweld.dtypes import c_number, number_text
from opweld.enums import EnumType
from opweld.tensor import CAReduce

LONG = np.longdouble
WIDE = np.finfo(LONG).nmant > 52  # a long double that holds more than a double


def value_of(text):
    """The exact value of a number's text."""
    if "x" not in text:
        return Fraction(float(text))
    digits, _, exponent = text.lstrip("-").removeprefix("0x").partition("p")
    whole, _, rest = digits.partition(".")
    found = Fraction(int(whole + rest, 16), 16 ** len(rest)) * Fraction(2) ** int(exponent)
    return -found if text.startswith("-") else found


def exact(value):
    fraction, exponent = np.frexp(value)
    return Fraction(int(np.ldexp(fraction, 200))) / 2**200 * Fraction(2) ** int(exponent)


LONGS = [
    *map(LONG, ("1.1", "-1.1", "0.1", "18446744073709551615", "9223372036854775809", "3.5", "0", "-0.0", "2", "1e22")),
    *(getattr(np.finfo(LONG), name) for name in ("max", "min", "tiny", "smallest_subnormal", "eps")),
]


@pytest.mark.parametrize("value", LONGS, ids=str)
def test_long_doubles(value):
    assert value_of(number_text(value)) == exact(value)
    assert number_text(np.clongdouble(value)).split()[0] == number_text(value)


@settings(deadline=None)
@given(st.integers(-(2**64), 2**64), st.integers(-16000, 16000))
def test_any_long_double(digits, exponent):
    value = np.ldexp(LONG(digits), exponent if WIDE else exponent % 900)
    if np.isfinite(value):
        assert value_of(number_text(value)) == exact(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.float64(5e-324), "5e-324"),
        (np.float64(1.7976931348623157e308), "1.7976931348623157e+308"),
        (np.float32(0.1), "0.10000000149011612"),
        (np.float16(65504), "65504.0"),
        (np.float16(6e-8), "5.960464477539063e-08"),
        (np.float64("-0.0"), "-0.0"),
        (np.float64("inf"), "inf"),
        (LONG("-inf"), "-inf"),
        (np.float64("nan"), "nan"),
        (LONG("nan"), "nan"),
        (np.int64(-(2**63)), "-9223372036854775808"),
        (np.uint64(2**64 - 1), "18446744073709551615"),
        (np.bool_(True), "true"),
        (np.complex64(complex(-0.0, float("inf"))), "-0.0 inf"),
    ],
)
def test_the_text_of_a_number(value, text):
    assert number_text(value) == text


class First(scalar.BinaryScalarOp):
    """What stands first; a reduction of nothing gives `identity`."""

    __props__ = ("identity", "kind")
    _f16_ok = True

    def __init__(self, identity, kind):
        super().__init__(scalar.upcast_out)
        self.identity, self.kind = identity, kind

    def impl(self, x, y):
        return x

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]};"

    def c_code_cache_version(self):
        return (1,)


def bits(value):
    """What a value is: padding left out, and any NaN is one."""
    parts = [value.real, value.imag] if value.dtype.kind == "c" else [value]
    return value.dtype, [
        str(part) if part.dtype.kind in "biu" else "nan" if part != part else (np.signbit(part), str(np.frexp(part)))
        for part in parts
    ]


IDENTITIES = [
    *((value, "longdouble") for value in LONGS),
    (LONG("inf"), "longdouble"),
    (LONG("nan"), "longdouble"),
    (2**64 - 1, "longdouble"),
    (2**64 - 1, "clongdouble"),
    (np.clongdouble(LONG("1.1")) - 1j * np.clongdouble(np.finfo(LONG).tiny), "clongdouble"),
    (5e-324, "float64"),
    (-0.0, "float64"),
    (float("-inf"), "float32"),
    (1e-45, "float32"),
    (65504, "float16"),
    (6e-8, "float16"),
    (-(2**63), "int64"),
    (2**63 - 1, "int64"),
    (2**64 - 1, "uint64"),
    (-128, "int8"),
    (True, "bool"),
    (complex(-0.0, float("inf")), "complex128"),
]


@pytest.mark.skipif(not WIDE, reason="long double is double here")
def test_identities():
    """One module for all: in C, in Python, and as NumPy makes it."""
    inputs = [tensor.tensor(dtype, (None,), name=f"x{i}") for i, (_, dtype) in enumerate(IDENTITIES)]
    ops = [CAReduce(First(identity, f"{i}{identity!r}")) for i, (identity, _) in enumerate(IDENTITIES)]
    f = opweld.function(inputs, [op(x) for op, x in zip(ops, inputs)])
    assert not f.maker.program.performs
    made = f(*[np.empty(0, x.type.numpy_dtype) for x in inputs])
    for (identity, dtype), op, x, found in zip(IDENTITIES, ops, inputs, made):
        wanted = op._identity(dtype)
        assert bits(found[()]) == bits(wanted), (identity, dtype)
        cell = [None]
        op.perform(op(x).owner, [np.empty(0, x.type.numpy_dtype)], [cell])
        assert bits(cell[0][()]) == bits(wanted)
    assert int(op_value(2**64 - 1, "clongdouble").real) == 2**64 - 1


def op_value(identity, dtype):
    return CAReduce(First(identity, "value"))._identity(dtype)


@pytest.mark.skipif(not WIDE, reason="long double is double here")
def test_literals_of_expressions():
    x = tensor.tensor("longdouble", (None,), name="x")
    texts = ("x + 18446744073709551615", "x * 0.1", "x - 9223372036854775809")
    ops = [tensor.Elemwise(scalar.expr(text)) for text in texts]
    values = opweld.function([x], [op(x) for op in ops])(np.ones(1, LONG))
    given = np.ones(1, LONG)
    wanted = [given + LONG(2**64 - 1), given * 0.1, given - LONG(9223372036854775809)]
    assert [bits(value[0]) for value in values] == [bits(value[0]) for value in wanted]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (7, "7"),
        (-1, "(-1)"),
        (2**31, "2147483648LL"),
        (2**63 - 1, "9223372036854775807LL"),
        (-(2**63), "(-9223372036854775807LL - 1)"),
        (2**64 - 1, "18446744073709551615ULL"),
        (1.5, "1.5"),
        (np.float64(1.5), "1.5"),
        (-0.0, "(-0.0)"),
        (float("inf"), "INFINITY"),
        (float("-inf"), "(-INFINITY)"),
        (float("nan"), "NAN"),
        (5e-324, "5e-324"),
    ],
)
def test_numbers_in_c(value, text):
    assert c_number(value) == text


def test_constants_of_an_enumeration():
    kind = EnumType(
        ctype="double", LOWEST=-(2**63), LARGEST=2**63 - 1, MINUS=-1, END=float("inf"), BEGIN=float("-inf"),
        HALF=np.float64(0.5), NOTHING=-0.0,
    )  # fmt: skip

    class Constants(COp):
        params_type = kind
        __props__ = ("which",)

        def __init__(self, which):
            self.which = which

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def get_params(self, node):
            return kind[self.which]

        def c_code(self, node, name, inputs, outputs, sub):
            (z,) = outputs
            texts = [f"1.0 * {constant}" for constant in kind] + [f"1.0 - {constant}" for constant in ("MINUS",)]
            return f"""
                const double all[] = {{{", ".join(texts)}}};
                npy_intp size = {len(texts)};
                Py_XDECREF({z});
                {z} = (PyArrayObject *)PyArray_SimpleNew(1, &size, NPY_DOUBLE);
                if ({z} == NULL) {sub["fail"]}
                memcpy(PyArray_DATA({z}), all, sizeof all);
            """

    x = tensor.dvector("x")
    found = opweld.function([x], Constants("HALF")(x))([0.0])
    wanted = [float(value) for value in kind.values()] + [2.0]
    assert [value.hex() for value in found.tolist()] == [value.hex() for value in wanted]
