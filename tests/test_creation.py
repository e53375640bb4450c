"""Arrays made from numbers, against NumPy."""

import functools
import itertools

import numpy as np
import pytest
import refusals
from hypothesis import given
from hypothesis import strategies as st
from kit import DTYPES, INTEGERS
from numpy.exceptions import ComplexWarning

import opweld
from opweld import tensor as T
from opweld.compile.debugmode import DebugMode


def same(result, wanted):
    wanted = np.asarray(wanted)
    assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(result, wanted)


def value(variable, **given):
    """What a variable is: the inputs by name."""
    f = opweld.function([T.TensorType(np.asarray(v).dtype, ())(k) for k, v in given.items()], variable)
    return f(*given.values())


# -- full and empty ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_full_of_every_dtype(dtype):
    n, v, x = T.lscalar("n"), T.TensorType(dtype, ())("v"), T.TensorType(dtype, (None, 3))("x")
    number = np.array(3, dtype)
    f = opweld.function(
        [n, v, x],
        [T.full((n, 2), v), T.full(n, 1, dtype), T.full_like(x, 2), T.full_like(x, v.real, "float32"),
         T.full((), 7, dtype), T.full((2, n), [[1], [0]], dtype)],
    )  # fmt: skip
    assert not f.maker.program.performs
    for size in (0, 1, 4):
        array = np.zeros((size, 3), dtype)
        wanted = [
            np.full((size, 2), number), np.full(size, 1, dtype), np.full_like(array, 2),
            np.full_like(array, number.real, "float32"), np.full((), 7, dtype), np.full((2, size), [[1], [0]], dtype),
        ]  # fmt: skip
        for result, expected in zip(f(size, number, array), wanted, strict=True):
            same(result, expected)


def test_the_dtype_of_full_is_the_values():
    for given_ in (1, 2.5, True, 1j, np.float32(2), np.int8(1), [1, 2.5]):
        assert T.full((3, 2), given_).dtype == np.full((3, 2), given_).dtype
    assert T.full((2,), 3.7, int).type == T.TensorType("int64", (2,))
    same(value(T.full((2,), 3.7, int)), np.full((2,), 3.7, int))
    with pytest.warns(ComplexWarning):
        T.full(2, T.zscalar(), "float64")


def test_what_full_refuses():
    with pytest.raises(OverflowError, match=r"^Python integer 300 out of bounds for int8$"):
        T.full((), 300, "int8")
    message = r"(?m)^could not broadcast input array from shape (\(2,3\)|\(3,\)) into shape \(2,\)$"
    with pytest.raises(ValueError, match=message):
        T.full((2,), np.ones((2, 3)))
    with pytest.raises(ValueError, match=message):
        value(T.full((2,), [1, 2, 3]))
    with pytest.raises(ValueError, match=r"negative"):
        value(T.full((T.as_tensor_variable(1), -1), 1))
    with pytest.raises(TypeError, match=r"size 0 must be an integer"):
        T.full((2.5,), 1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_empty(dtype):
    n, x = T.lscalar("n"), T.TensorType("int8", (None, 3))("x")
    f = opweld.function([n, x], [T.empty((n, 2), dtype), T.empty((), dtype), T.empty_like(x, dtype), T.empty_like(x)])
    for size in (0, 3):
        results = f(size, np.zeros((size, 3), "int8"))
        assert [r.shape for r in results] == [(size, 2), (), (size, 3), (size, 3)]
        assert [r.dtype for r in results] == [dtype] * 3 + ["int8"]
    assert T.empty(3).dtype == opweld.config.floatX
    out = np.empty((3, 2), dtype)
    assert opweld.function([n], T.empty((n, 2), dtype))(3, out=out) is out


def test_negative_sizes():
    n = T.lscalar("n")
    with pytest.raises(ValueError, match=r"^negative dimensions are not allowed$"):
        T.empty((2, -1))
    with pytest.raises(ValueError, match=r"^negative dimensions are not allowed$"):
        T.eye(-1)
    for made in (T.empty((n, 2)), T.eye(n), T.eye(2, n)):
        f = opweld.function([n], made)
        with pytest.raises(ValueError, match=r"negative dimensions are not allowed"):
            f(-1)
        assert f(2).shape == (2, 2)


def test_an_unfilled_array_passes_debugmode():
    n = T.lscalar("n")
    f = opweld.function([n], T.shape(T.empty((n, 2))), mode=DebugMode())
    assert f(3).tolist() == [3, 2]
    assert opweld.function([n], T.empty(n), mode=DebugMode())(3).shape == (3,)


# -- eye ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_eye_of_every_dtype(dtype):
    n, m, k = T.lscalar("n"), T.iscalar("m"), T.bscalar("k")
    f = opweld.function([n, m, k], [T.eye(n, m, k, dtype), T.identity(n, dtype), T.eye(2, 3, -1, dtype)])
    assert not f.maker.program.performs
    for n_, m_, k_ in itertools.product((0, 1, 4), (0, 3, 5), (-128, -3, 0, 1, 3, 127)):
        wanted = [np.eye(n_, m_, k_, dtype), np.identity(n_, dtype), np.eye(2, 3, -1, dtype)]
        for result, expected in zip(f(n_, m_, k_), wanted, strict=True):
            same(result, expected)


def test_eye_into_what_is_there_and_far_away():
    k = T.lscalar("k")
    f = opweld.function([k], T.eye(3, 4, k))
    out = np.full((3, 4), 9.0)
    assert f(1, out=out) is out
    same(out, np.eye(3, 4, 1))
    other = np.full((3, 4), 9.0, order="F")
    f(-1, out=other)
    same(other, np.eye(3, 4, -1))
    for far in (2**63 - 1, -(2**63), 1 << 40):
        same(f(far), np.zeros((3, 4)))
    assert T.eye(3).dtype == opweld.config.floatX and T.eye(3, 4).type.shape == (3, 4)
    with pytest.raises(TypeError, match=r"size 0 must be an integer"):
        T.eye(2.5)


# -- arange ------------------------------------------------------------------------------------------------------

NUMBERS = [d for d in DTYPES if d != "bool" and np.dtype(d).kind != "c"]


@functools.cache
def ranger(*dtypes, dtype=None):
    a, b, c = (T.TensorType(d, ())(name) for d, name in zip(dtypes, "abc"))
    f = opweld.function([a, b, c], T.arange(a, b, c, dtype=dtype))
    assert not f.maker.program.performs
    return f


@pytest.mark.parametrize("dtype", NUMBERS)
def test_arange_of_every_dtype(dtype):
    for others in ("int64", "float32", dtype):
        f = ranger(dtype, others, dtype)
        for numbers in ((0, 5, 1), (2, 11, 3), (5, 5, 1), (1, 7, 7)):
            given_ = [np.array(v, d) for v, d in zip(numbers, (dtype, others, dtype))]
            same(f(*given_), np.arange(*given_))


def test_arange_of_python_numbers():
    cases = [
        (5,), (0,), (-3,), (2, 7), (2, 7, 2), (7, 2, -2), (7, 2), (1.5,), (0, 1, 0.1), (0, 1, 0.3), (1, 0, -0.25),
        (0.1, 0.4, 0.1), (1, 1.3, 0.1), (np.float32(3),), (np.int8(3),), (np.uint8(3),), (np.uint64(3),),
        (1e-300, 1e-300),
        (0, 5e-324, 1e300), (True,),
    ]  # fmt: skip
    for case in cases:
        made = T.arange(*case)
        wanted = np.arange(*case)
        assert (made.dtype, made.type.shape) == (wanted.dtype, wanted.shape), case
        same(value(made), wanted)
    for name in ("int8", "float16", "longdouble", "complex64", "uint64"):
        same(value(T.arange(1, 4, dtype=name)), np.arange(1, 4, dtype=name))
    same(value(T.arange(2, dtype="bool")), np.arange(2, dtype="bool"))
    same(value(T.arange(stop=3)), np.arange(3))


@given(st.tuples(*[st.floats(-50, 50, width=32)] * 2, st.floats(0.5, 20, width=32)), st.booleans())
def test_arange_of_any_floats(numbers, down):
    start, stop, step = numbers
    if down:
        step = -step
    for dtypes in (("float64",) * 3, ("float32",) * 3, ("float64", "float32", "float64")):
        given_ = [np.array(v, d) for v, d in zip((start, stop, step), dtypes)]
        same(ranger(*dtypes)(*given_), np.arange(*given_))
        assert T.arange(*given_).type.shape == np.arange(*given_).shape


@given(st.tuples(*[st.integers(-50, 50)] * 2, st.integers(1, 9)), st.sampled_from([i for i in INTEGERS if i[0] == "i"]))
def test_arange_of_any_integers(numbers, dtype):
    given_ = [np.array(v, dtype) for v in numbers]
    same(ranger(dtype, dtype, dtype)(*given_), np.arange(*given_))
    same(ranger(dtype, dtype, dtype, dtype="float32")(*given_), np.arange(*given_, dtype="float32"))


def test_what_arange_refuses():
    s = T.dscalar("s")
    with pytest.raises(TypeError, match=r"^arange\(\) requires stop to be specified\.$"):
        T.arange()
    with pytest.raises(TypeError, match=r"^arange: stop must have no dimensions"):
        T.arange([1])
    for step in (0, 0.0):
        with pytest.raises(ZeroDivisionError):
            T.arange(0, 5, step)
    for stop, message in ((np.nan, "arange: cannot compute length"), (np.inf, "Maximum allowed size exceeded")):
        with pytest.raises(ValueError, match=f"^{message}$"):
            T.arange(stop)
        with pytest.raises(ValueError, match=message):
            opweld.function([s], T.arange(s))(stop)
    with pytest.raises(TypeError, match=r"only supported for booleans"):
        value(T.arange(5, dtype="bool"))


def test_what_fails_in_a_call_leaks_nothing():
    s, n = T.dscalar("s"), T.lscalar("n")
    step = opweld.function([s], T.arange(0, 5, s), name="f")
    sizes = opweld.function([n], [T.eye(n), T.empty(n)], name="f")
    zero, minus = np.array(0.0), np.array(-1)
    for f, given_, kind in ((step, zero, ZeroDivisionError), (sizes, minus, ValueError)):
        message = str(refusals.caught(lambda f=f, given_=given_: f(given_), kind))
        refusals.refuses(lambda f=f, given_=given_: f(given_), kind, message.split("\n")[0], given_, f)


# -- linspace ----------------------------------------------------------------------------------------------------


def test_linspace():
    a, b, v = T.dscalar("a"), T.fscalar("b"), T.dvector("v")
    ways = [
        dict(num=num, endpoint=endpoint, dtype=dtype)
        for num, endpoint, dtype in itertools.product((0, 1, 2, 7), (True, False), (None, "float32", "int64"))
    ]
    f = opweld.function(
        [a, b, v], [made for way in ways for made in (T.linspace(a, b, **way), T.linspace(v, a, **way))]
    )
    for numbers in ((1.0, 3.5), (3.0, -0.25), (2.0, 2.0)):
        given_ = [np.float64(numbers[0]), np.float32(numbers[1]), np.array([0.0, 1.5, 2.0])]
        results = iter(f(*given_))
        for way in ways:
            for wanted in (np.linspace(given_[0], given_[1], **way), np.linspace(given_[2], given_[0], **way)):
                result = next(results)
                assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)
                np.testing.assert_allclose(result, wanted, rtol=1e-15)
    same(value(T.linspace(0, 1, 5)), np.linspace(0, 1, 5))
    a, b = np.meshgrid([0.1, -0.3, 1e-3], [0.7, 0.9, 3.3])
    u, w = T.dmatrix("u"), T.dmatrix("w")
    for num, ends in zip((3, 7, 11), opweld.function([u, w], [T.linspace(u, w, n) for n in (3, 7, 11)])(a, b)):
        same(ends[-1], b)  # exactly, where start + step * (num - 1) is rounded
        assert ends.shape == (num, 3, 3)
    with pytest.raises(ValueError, match=r"^Number of samples, -1, must be non-negative\.$"):
        T.linspace(0, 1, -1)


def test_shapes_are_found_without_values():
    n = T.lscalar("n")
    f = opweld.function([n], [T.shape(T.empty((n, 3))), T.shape(T.eye(n, 4)), T.shape(T.full((2, n), 1))])
    assert [r.tolist() for r in f(5)] == [[5, 3], [5, 4], [2, 5]]
    assert {type(node.op).__name__ for node in f.maker.fgraph.toposort()} == {"MakeVector"}


# -- in C++ ------------------------------------------------------------------------------------------------------


class Cxx(opweld.COp):
    """A copy of a number, in C++: all other C beside it is compiled as C++ too."""

    __props__ = ()
    c_lang = "c++"

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"Py_XDECREF({z}); {z} = (PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER); if (!{z}) {sub['fail']}"


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "longdouble", "complex64"])
def test_the_texts_are_cpp_too(dtype):
    x, n = T.TensorType(dtype, (None, None))("x"), T.lscalar("n")
    f = opweld.function(
        [x, n],
        [Cxx()(n), T.eye(n, dtype=dtype), T.arange(n), T.shape(T.empty((n, 2), dtype)), T.full((n, 2), 1, dtype),
         T.sort(x), T.argsort(x, None), T.argmax(x, 0, True), T.argmin(x), T.cumsum(x, 0), T.cumprod(x), T.dot(x, x),
         T.matmul(x, x), T.matmul(T.full((2, 3, 3), 1, dtype), x), T.tensordot(x, x, ([0], [1]))],
    )  # fmt: skip
    assert f.maker.program.data["kernels"] and not f.maker.program.performs
    a = np.arange(9).reshape(3, 3).astype(dtype)
    wanted = [
        3, np.eye(3, dtype=dtype), np.arange(3), np.array([3, 2]), np.full((3, 2), 1, dtype), np.sort(a),
        np.argsort(a, None), np.argmax(a, 0, keepdims=True), np.argmin(a), np.cumsum(a, 0), np.cumprod(a), np.dot(a, a),
        a @ a, np.full((2, 3, 3), 1, dtype) @ a, np.tensordot(a, a, ([0], [1])),
    ]  # fmt: skip
    for result, expected in zip(f(a, 3), wanted, strict=True):
        same(result, expected)
