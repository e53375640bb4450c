"""Small faults of the runtime that other tests would not see, each where it shows."""

import gc
import shutil
import tracemalloc
import weakref

import kit
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import opweld
from opweld import Apply, COp, In
from opweld import tensor as T
from opweld.scalar import BinaryScalarOp, upcast_out
from opweld.scalar.ufuncs import ufunc
from opweld.tensor import Elemwise

# what is said of the numbers that are given here, test_errstate.py asks
pytestmark = pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")

x = T.dvector("x")
m = T.dmatrix("m")
READ_ONLY = {"strided": np.arange(20.0)[::2], "contiguous": np.arange(0.0, 20, 2)}
for lent in READ_ONLY.values():
    lent.flags.writeable = False


class Lends(COp):
    """Gives an array of READ_ONLY itself."""

    __props__ = ("which",)

    def __init__(self, which):
        self.which = which

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (z,) = output_names
        return f"Py_XDECREF({z}); {z} = (PyArrayObject*){id(READ_ONLY[self.which])}LL; Py_INCREF({z});"


@pytest.mark.parametrize("which", READ_ONLY)
def test_what_cannot_be_written_is_not_written_over(which):
    square = Elemwise(ufunc("square"), {0: 0})
    f = opweld.function([x], square(Lends(which)(x)))
    for _ in range(2):
        assert f([0.0]).tolist() == (np.arange(0.0, 20, 2) ** 2).tolist()
    assert READ_ONLY[which].tolist() == np.arange(0.0, 20, 2).tolist()


def test_a_number_that_lies_in_what_is_written_over():
    """It begins where the array does, and has no stride: it is not the same operand."""
    s = T.dscalar("s")
    f = opweld.function([In(x, mutable=True), s], Elemwise(ufunc("add"), {0: 0})(x, s))
    for n in (2, 3, 8, 100):
        a = np.arange(1.0, n + 1)
        assert f(a, a[:1].reshape(())).tolist() == np.arange(2.0, n + 2).tolist()


class Remembers(COp):
    """Twice its input, of which its C keeps a reference in a list that the caller gives."""

    __props__ = ()

    def make_node(self, v, kept):
        return Apply(self, [v, kept], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (v, kept), (z,) = input_names, output_names
        return f"""
            if ({z} == NULL || !PyArray_SAMESHAPE({z}, {v})) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_SimpleNew(1, PyArray_DIMS({v}), NPY_DOUBLE);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({v}, 0); i++)
                *(double*)PyArray_GETPTR1({z}, i) = 2 * *(double*)PyArray_GETPTR1({v}, i);
            if (PyList_Append({kept}, (PyObject*){z})) {sub["fail"]}
        """


def test_storage_that_somebody_else_holds_is_not_kept():
    kept = opweld.generic.generic("kept")
    f = opweld.function([x, kept], T.sum(Remembers()(x, kept)))
    seen = []
    assert [float(f([n, n], seen)) for n in (1.0, 2.0, 3.0)] == [4, 8, 12]
    assert [a.tolist() for a in seen] == [[2, 2], [4, 4], [6, 6]]


@pytest.mark.parametrize("ndim", [2, 3])
def test_axes_of_equal_strides_lie_as_numpy_lays_them(ndim):
    a = np.arange(24.0)
    windows = sliding_window_view(a, 3) if ndim == 2 else sliding_window_view(a.reshape(4, 6), 3, axis=1)
    v = T.TensorType("float64", (None,) * ndim)("v")
    f = opweld.function([v], T.negative(v))
    for given in (windows, windows.T, windows[::-1], np.swapaxes(windows, 0, ndim - 1)[..., ::-1]):
        assert f(given).strides == np.negative(given).strides and f(given).tolist() == np.negative(given).tolist()


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_are_pairwise(axis):
    """A running sum of a million of float32 is off by a thousandth and more."""
    n = 1 << 20
    values = np.full((n, 2) if axis == 0 else (2, n), 0.1, "float32")
    m = T.fmatrix("m")
    found = opweld.function([m], T.sum(m, axis=axis))(values)
    want = n * float(np.float32(0.1))
    assert np.all(np.abs(found / want - 1) < 1e-5)


def test_the_strides_of_an_array_of_fewer_dimensions_are_no_sizes():
    """Behind the one size of a vector of float64 lies its stride, 8: it has not the shape (8, 8)."""
    f = opweld.function([m, x], T.add(m, x))
    a, b = np.arange(64.0).reshape(8, 8), np.arange(8.0)
    assert f(a, b).tolist() == (a + b).tolist()
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,8\) \(3,\)"):
        f(a[:3], b[:3])


def test_an_operand_that_begins_where_the_one_that_is_written_over_does():
    """A matrix and the same memory by other strides."""
    n = T.dmatrix("n")
    f = opweld.function([In(m, mutable=True), n], Elemwise(ufunc("subtract"), {0: 0})(m, n))
    for size in (2, 3, 20):
        a = np.arange(float(size * size)).reshape(size, size) ** 2
        want = a - a.T
        assert f(a, a.T).tolist() == want.tolist()


class Never(BinaryScalarOp):
    __props__ = ()

    def c_code(self, node, name, inputs, outputs, sub):
        (a, b), (z,) = inputs, outputs
        return f'{z} = {a} + {b}; PyErr_SetString(PyExc_LookupError, "it ran"); {sub["fail"]}'


def test_a_loop_of_nothing_does_not_run():
    n = T.dmatrix("n")
    f = opweld.function([m, n], Elemwise(Never(upcast_out))(m, n))
    row, column = np.ones((1, 4)), np.ones((4, 1))
    for a, b in [(row[:0], row), (row, row[:0]), (column[:, :0], column), (row[:0], row[:, :1]), (row[:0], row[:0])]:
        assert f(a, b).shape == (a + b).shape
    with pytest.raises(LookupError, match="it ran"):
        f(row, column)


def test_a_call_within_a_call_has_storage_of_its_own():
    """What a call has computed stays while Python, in the middle of it, calls the function again."""
    kept = kit.negate(x)

    def inner(a):
        if a[0] > -3:
            f(1 - a)
        return a + 0

    f = opweld.function([x], T.subtract(kit.Python(inner)(T.add(kept, 0)), T.multiply(kept, 3)))
    for _ in range(3):
        assert f([1.0, 5.0]).tolist() == [2.0, 10.0]


def test_a_function_that_its_own_python_code_calls_is_freed():
    """Its performs are how the collector finds the way back to it."""

    def make():
        f = opweld.function([x], kit.Python(lambda a: a if a[0] < 0 else f(-a))(x))
        assert f([1.0]).tolist() == [-1]
        return weakref.ref(f)

    watched = make()
    gc.collect()
    assert watched() is None


def test_storage_that_is_kept_goes_with_the_function():
    n = 1 << 19
    total = T.sum(kit.negate(kit.negate(x)))
    tracemalloc.start()
    try:
        for _ in range(2):  # the first run makes and loads the module
            before = tracemalloc.get_traced_memory()[0]
            f = opweld.function([x], total)
            f(np.ones(n))
            held = tracemalloc.get_traced_memory()[0] - before
            del f
            gc.collect()
            left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert held >= 8 * n and left < 4 * n


@pytest.mark.parametrize(
    "fuse", [True, False]
)  # in one loop compilers know of the remainder what they tested for the quotient
@pytest.mark.parametrize("dtype", ["int32", "int64", "float64"])
def test_quotients_and_remainders_have_numpys_signs(dtype, fuse):
    v, w = T.TensorType(dtype, (None,))("v"), T.TensorType(dtype, (None,))("w")
    f = opweld.function([v, w], [T.floor_divide(v, w), T.remainder(v, w)], fuse=fuse)
    numbers = [-7, -6, -1, 0, 1, 6, 7, 1e300 if dtype == "float64" else np.iinfo(dtype).min]
    divisors = [-3, -1, 1, 3] if dtype == "float64" else [-3, -1, 1, 3, 0]
    a, b = (grid.ravel().astype(dtype) for grid in np.meshgrid(numbers, divisors))
    with np.errstate(all="ignore"):
        wanted = np.floor_divide(a, b), np.remainder(a, b)
    for got, want in zip(f(a, b), wanted, strict=True):
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(want))


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_one_over_integers(compiler):
    """NumPy converts the infinity that is one over zero."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    inputs = [T.TensorType(dtype, (None,))() for dtype in kit.INTEGERS]
    f = opweld.function(inputs, [T.reciprocal(v) for v in inputs], options={"cc": compiler})
    given = [np.array([0, 1, 2, 3, 100] * 9).astype(dtype) for dtype in kit.INTEGERS]
    given = [array if array.dtype.kind == "u" else np.concatenate([array, -array]) for array in given]
    with np.errstate(all="ignore"):
        for got, array in zip(f(*given), given, strict=True):
            assert got.tolist() == np.reciprocal(array).tolist()


def test_rounding_to_float16():
    """Ties go to even; what lies above half of the smallest number, 2**-24, becomes that number."""
    f = opweld.function([x], T.cast(x, "float16"))
    whole = np.arange(2048, 2080, 1.0)
    small = 2.0**-24 * np.array([0.25, 0.5, 0.5000001, 0.75, 1, 1.5, 2.5, 3.5])
    edges = np.array([65504, 65519.99, 65520, 2.0**-14 - 2.0**-25, np.inf, 0])
    given = np.concatenate([whole, small, edges])
    with np.errstate(over="ignore"):
        for sign in (1, -1):
            want = (sign * given).astype("float16")
            assert f(sign * given).view("uint16").tolist() == want.view("uint16").tolist()


class Twins(COp):
    """Twice the same new array."""

    __props__ = ()

    def make_node(self, v):
        return Apply(self, [v], [v.type(), v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (v,), (a, b) = input_names, output_names
        return f"""
            Py_XDECREF({a});
            {a} = (PyArrayObject*)PyArray_NewCopy({v}, NPY_KEEPORDER);
            if ({a} == NULL) {sub["fail"]}
            Py_INCREF({a});
            Py_XSETREF({b}, {a});
        """


class SumAndProduct(BinaryScalarOp):
    __props__ = ()
    nout = 2

    def output_types(self, types):
        return [types[0], types[0]]

    def c_code(self, node, name, inputs, outputs, sub):
        (a, b), (z, w) = inputs, outputs
        return f"{z} = {a} + {b}; {w} = {a} * {b};"


def test_two_outputs_do_not_go_over_one_array():
    f = opweld.function([x], Elemwise(SumAndProduct(upcast_out), {0: 0, 1: 1})(*Twins()(x)))
    for given in (np.array([3.0, 5.0]), np.arange(6.0)[::-2]):
        total, product = f(given)
        assert total.tolist() == (given + given).tolist() and product.tolist() == (given * given).tolist()
