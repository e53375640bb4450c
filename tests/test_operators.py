"""Operators, attributes and methods of tensor variables: what NumPy gives for the same expression."""

import copy
import math
import operator

import numpy as np
import pytest
from kit import values

import opweld
from opweld import tensor as T
from opweld.tensor import TensorType

x = T.dmatrix("x")
X = values("float64", (2, 3))


def check(expressions, *arrays, rounded=()):
    """Expressions of variables give what they give of arrays, those of `rounded` nearly; one function computes all."""
    inputs = [TensorType(a.dtype, (None,) * a.ndim)() for a in arrays]
    wanted, outputs, said = [], [], []
    for name, call in expressions.items():
        with np.errstate(all="ignore"):
            expected = call(*arrays)
        several = isinstance(expected, (tuple, list))
        wanted += expected if several else [expected]
        outputs += call(*inputs) if several else [call(*inputs)]
        said += [name] * (len(wanted) - len(said))
    assert len(outputs) == len(wanted)
    for name, got, want in zip(said, opweld.function(inputs, outputs)(*arrays), wanted, strict=True):
        error = 1e-14 if name in rounded else 0  # the order of additions is NumPy's own
        np.testing.assert_allclose(got, want, rtol=error, atol=error, err_msg=name)
        assert got.dtype == want.dtype, name
        assert got.shape == np.shape(want), name


def by_kind(of_array, of_variable):
    """What is written in another way for arrays than for variables."""
    return lambda a: of_array(a) if isinstance(a, np.ndarray) else of_variable(a)


ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
BITS = ["and_", "or_", "xor", "lshift", "rshift"]
COMPARISONS = ["lt", "le", "gt", "ge"]
A, B = np.array([[5, 3, -2], [4, 2, 9]], "int16"), np.array([3, 2, 1], "int16")
OTHERS = {
    "number": 2, "float": 2.5, "numpy scalar": np.int8(2), "array": np.array([[1], [2]], "int32"),
    "list": [1, 2, 3], "bool": True,
}  # fmt: skip


NAMES = ARITHMETIC + BITS + COMPARISONS


def test_two_variables():
    check({name: getattr(operator, name) for name in NAMES}, A, B)


@pytest.mark.parametrize("other", OTHERS)
def test_variable_and_other_object(other):
    value = OTHERS[other]
    names = [name for name in NAMES if name not in BITS or other != "float"]
    check({name: lambda a, name=name: getattr(operator, name)(a, value) for name in names}, np.abs(A))
    check({name: lambda a, name=name: getattr(operator, name)(value, a) for name in names}, np.abs(A))


def test_unary():
    check({name: getattr(operator, name) for name in ("neg", "pos", "abs", "invert")}, A)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "longdouble", "complex64"])
def test_powers_that_numpy_computes_otherwise(dtype):
    array = np.array([0, 1, 1] if dtype in ("bool", "int8") else [-np.inf, -0.0, 4], dtype)
    exponents = [2, -1, 0.5, 2.0, -1.0, 1, 0]
    if dtype in ("bool", "int8"):
        exponents.remove(-1)  # an error at run time; this removes the first, the integer
    if dtype == "bool" and (array**2.0).dtype == "int8":
        exponents = [e for e in exponents if type(e) is int or e != 2]  # NumPy 2.2 squares as if 2.0 were an integer
    if dtype == "complex64":
        array = np.array([-4, 4, 1j], dtype)
        exponents.remove(0)  # ones, where NumPy's power rounds
    check({str(e): lambda a, e=e: a**e for e in exponents}, array)


def test_powers_of_infinite_complex_numbers():
    array = np.array([complex(np.inf, -1), 0, complex(-0.0, -np.inf), complex(np.nan, 1)])
    check({str(e): lambda a, e=e: a**e for e in (2, -1, 0.5, 2.0)}, array)
    check({"-1.0": lambda a: a**-1.0 if isinstance(a, T.TensorVariable) else np.power(a, -1.0)}, array)


def test_rounding():
    check({"round": by_kind(np.round, round), "2": by_kind(lambda a: np.round(a, 2), lambda a: round(a, 2))}, X)
    names = ("floor", "ceil", "trunc")
    check({name: by_kind(getattr(np, name), getattr(math, name)) for name in names}, X)


def test_divmod_and_matmul():
    check({"both": divmod}, A, B)
    check({"right": lambda a: divmod(a, 4), "left": lambda a: divmod(7, a)}, A)
    check({"both": operator.matmul}, X, X.T.copy(), rounded=["both"])
    sides = {"right": lambda a: a @ np.ones((3, 2)), "left": lambda a: np.ones((3, 2)) @ a}
    check(sides, X, rounded=sides)


def test_in_place_operators_give_a_new_variable():
    y = x
    y += 1
    assert y is not x
    np.testing.assert_array_equal(opweld.function([x], y)(X), X + 1)


def test_what_is_left_to_other_objects():
    class Other:
        def __radd__(self, variable):
            return "theirs"

        def __rpow__(self, variable):
            return "theirs too"

    assert x + Other() == "theirs"
    assert x ** Other() == "theirs too"
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'TensorVariable' and 'str'"):
        x + "a"
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = None - x
    with pytest.raises(TypeError, match="'<' not supported"):
        _ = x < None
    with pytest.raises(TypeError):
        pow(x, 2, 3)


def test_numpys_exceptions():
    flag = T.TensorType("bool", (None,))()
    with pytest.raises(TypeError, match="numpy boolean subtract, the `-` operator, is not supported"):
        flag - flag
    with pytest.raises(TypeError, match="The numpy boolean negative"):
        operator.neg(flag)
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for int8"):
        T.bvector() + 300
    for call in (operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift):
        with pytest.raises(TypeError, match="not supported for the input types"):
            call(x, 2.5)


def test_equality_is_identity():
    y = T.dmatrix("y")
    assert x == x
    assert x != y
    assert len({x, y, x}) == 2
    assert (np.float64(2) == x) is False
    np.testing.assert_array_equal(opweld.function([x], T.eq(x, 1))(np.ones((1, 1))), [[True]])


def test_no_truth_no_length():
    with pytest.raises(TypeError, match="no truth value"):
        bool(x > 0)
    with pytest.raises(TypeError, match=r"x\.shape\[0\] is its length"):
        len(x)
    with pytest.raises(TypeError, match="known only inside a function"):
        _ = 1 in x
    with pytest.raises(TypeError, match=r"x\[key\]\.set\(value\)"):
        x[0] = 1


def test_iteration():
    with pytest.raises(TypeError, match="iteration over x, whose first size is not known before a call"):
        iter(x)
    with pytest.raises(TypeError, match="iteration over a tensor without dimensions"):
        iter(T.dscalar())
    pair = TensorType("float64", (2, None))()
    first, second = pair
    found = opweld.function([pair], [second, first])(X)
    np.testing.assert_array_equal(found[0], X[1])
    np.testing.assert_array_equal(found[1], X[0])


def test_attributes():
    cube = values("float64", (2, 3, 4))
    of_cube = {
        "T": lambda a: a.T,
        "mT": by_kind(lambda a: np.swapaxes(a, -1, -2), lambda a: a.mT),
        "size": by_kind(lambda a: np.int64(a.size), lambda a: a.size),
    }
    check(of_cube, cube)
    check({"real": lambda a: a.real, "imag": lambda a: a.imag}, values("complex64", (3,)))
    assert x.real is x


METHODS = {
    "sum": lambda a: a.sum(axis=0),
    "sum keepdims": lambda a: a.sum(1, keepdims=True),
    "prod": lambda a: a.prod(),
    "mean": lambda a: a.mean(axis=1),
    "min": lambda a: a.min(),
    "max": lambda a: a.max(axis=1),
    "argmin": lambda a: a.argmin(),
    "argmax": lambda a: a.argmax(axis=0),
    "any": lambda a: a.any(),
    "all": lambda a: a.all(axis=1),
    "cumsum": lambda a: a.cumsum(axis=1),
    "cumprod": lambda a: a.cumprod(),
    "dot": lambda a: a.dot(np.ones(3)),
    "reshape": lambda a: a.reshape(3, 2),
    "reshape tuple": lambda a: a.reshape((-1,)),
    "transpose": lambda a: a.transpose(),
    "transpose axes": lambda a: a.transpose(1, 0),
    "transpose tuple": lambda a: a.transpose((1, 0)),
    "flatten": lambda a: a.flatten(),
    "ravel": lambda a: a.ravel(),
    "squeeze": lambda a: a[:, :1].squeeze(1),
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "astype": lambda a: a.astype("float32"),
    "copy": lambda a: a.copy(),
    "clip": lambda a: a.clip(-0.5, 0.5),
    "clip low": lambda a: a.clip(min=0),
    "round": lambda a: a.round(1),
    "conj": lambda a: a.conj(),
    "take": lambda a: a.take([0, 2], axis=1),
    "repeat": lambda a: a.repeat(2, axis=0),
    "nonzero": lambda a: (a > 0).nonzero(),
    "argsort": lambda a: a.argsort(axis=1),
    "item": lambda a: a[1],
    "newaxis": lambda a: a[:, None, ::-1],
    "mask": lambda a: a[a > 0],
}


def test_methods():
    check(METHODS, X, rounded=["sum", "sum keepdims", "prod", "mean", "dot"])


def test_methods_that_differ_from_numpys():
    run = opweld.function(
        [x], [x.fill(3), x.sort(axis=0), x.dimshuffle(1, "x", 0), x.ptp(), x.cast("int8"), x.var(ddof=1)]
    )
    filled, ordered, shuffled, spread, small, variance = run(X)
    np.testing.assert_array_equal(filled, np.full((2, 3), 3.0))
    np.testing.assert_array_equal(ordered, np.sort(X, 0))
    np.testing.assert_array_equal(shuffled, X.T[:, None, :])
    np.testing.assert_allclose(spread, np.ptp(X))
    np.testing.assert_array_equal(small, X.astype("int8"))
    np.testing.assert_allclose(variance, X.var(ddof=1))
    np.testing.assert_allclose(opweld.function([x], x.std())(X), X.std())


def test_set_and_inc():
    run = opweld.function([x], [x[0].set(1), x[:, 1].inc(2)])
    found = run(X)
    wanted = [X.copy(), X.copy()]
    wanted[0][0] = 1
    wanted[1][:, 1] += 2
    for got, want in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_constants_have_operators_too():
    c = T.constant([1.0, 2.0])
    np.testing.assert_array_equal(opweld.function([], (c + 1).sum())(), 5.0)


def test_variables_are_copied_as_objects():
    assert copy.copy(x).type == x.type


def test_lists_of_variables_are_stacked():
    a, b = T.fscalar(), T.dvector()
    run = opweld.function(
        [a, b], [T.as_tensor_variable([a, 1]), T.add(b, [[a, 2], [3, 4]]), T.as_tensor_variable([b, b])]
    )
    vector, total, matrix = run(np.float32(0.5), [1.0, 2.0])
    np.testing.assert_array_equal(vector, np.array([np.float32(0.5), 1]))
    assert vector.dtype == np.array([np.float32(0.5), 1]).dtype
    np.testing.assert_array_equal(total, [[1.5, 4.0], [4.0, 6.0]])
    np.testing.assert_array_equal(matrix, [[1.0, 2.0]] * 2)
    with pytest.raises(ValueError):
        T.as_tensor_variable([a, b])
