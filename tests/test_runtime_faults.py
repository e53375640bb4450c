"""Small faults of the runtime that other tests would not see, each where it shows."""

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import opweld
from opweld import Apply, COp, In
from opweld import tensor as T
from opweld.scalar.ufuncs import ufunc
from opweld.tensor import Elemwise

x = T.dvector("x")
READ_ONLY = np.arange(20.0)[::2]
READ_ONLY.flags.writeable = False


class Lends(COp):
    """Gives READ_ONLY itself."""

    __props__ = ()

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (z,) = output_names
        return f"Py_XDECREF({z}); {z} = (PyArrayObject*){id(READ_ONLY)}LL; Py_INCREF({z});"


def test_what_cannot_be_written_is_not_written_over():
    """By strides; in C order another test looks."""
    square = Elemwise(ufunc("square"), {0: 0})
    f = opweld.function([x], square(Lends()(x)))
    for _ in range(2):
        assert f([0.0]).tolist() == (np.arange(0.0, 20, 2) ** 2).tolist()
    assert READ_ONLY.tolist() == np.arange(0.0, 20, 2).tolist()


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
