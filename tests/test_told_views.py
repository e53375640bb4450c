"""Views that are told what they are by a vector (templates/runtime/told.c): Python's, and nothing is believed."""

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.graph import Apply
from opweld.tensor import TensorType


class Told(opweld.COp):
    """A view of `x` that a vector of int64 describes."""

    view_map = {0: [0]}

    def __init__(self, ndim):
        self.ndim = ndim

    def make_node(self, x, told):
        return Apply(self, [x, told], [TensorType(x.type.dtype, (None,) * self.ndim)()])

    def structure(self, node):
        return {"view": {"told": True}}

    def c_code_cache_version(self):
        return (1, self.ndim)


def view(ndim, of):
    x, told = TensorType("float64", (None,) * of)("x"), T.lvector("told")
    return opweld.function([x, told], Told(ndim)(x, told))


x = np.arange(60.0).reshape(3, 4, 5)


@pytest.fixture(scope="module")
def of():
    functions = {}
    return lambda ndim, of: functions.get((ndim, of)) or functions.setdefault((ndim, of), view(ndim, of))


S = 8
RIGHT = {
    "transposed": ([3, 0, 2, 0, 1], x.transpose(2, 0, 1)),
    "new axes": ([5, 0, -1, 0, 1, -1, 2], x[None, :, :, None]),
    "an element": ([2, 1, 0, 2, 1, 0, -1, 0, 0], x[:, -1]),
    "slices": ([3, 2, 0, 1, 2, 0, S + 7, 2, -9, -1, 2, S + 4, 0, 0, 2], x[2::-1, :, ::2]),
    "nothing": ([3, 1, 0, 1, 2, 1, S + 1, 9, 0, 0], x[:, 9:]),
    "a slice along an axis that moved": ([3, 1, 2, 1, 0, 0, S + 1, 1, 0, 0], x[1:].transpose(2, 1, 0)),
    "one after the other": ([3, 1, 0, 1, 2, 1, S + 1, 1, 0, 0, 2, 1, 2, 0, 1, 0, 2, 0, 0], x[:, 1:][:, 2].T),
    "nothing is told": ([], x),
}


@pytest.mark.parametrize("case", RIGHT)
def test_what_is_told_is_pythons(case, of):
    told, right = RIGHT[case]
    found = of(right.ndim, 3)(x, np.array(told, "int64"))
    np.testing.assert_array_equal(found, right)
    assert found.shape == right.shape


WRONG = {
    "too many dimensions": [4, 0, 0, 1, 2, -1],
    "an axis that is not there": [3, 0, 0, 1, 3],
    "an axis below": [3, 0, 0, 1, -2],
    "an axis twice": [3, 0, 0, 1, 1],
    "a part": [3, 0, 0, 1],
    "a head alone": [3],
    "many axes": [2**40, 0, 0],
    "fewer than none": [-1, 0],
    "many cuts": [3, 2**40, 0, 1, 2],
    "cuts below": [3, -1, 0, 1, 2],
    "a part of a cut": [3, 1, 0, 1, 2, 0, S],
    "a cut of no axis": [3, 1, 0, 1, 2, 3, S, 0, 0, 0],
    "a cut of an axis below": [3, 1, 0, 1, 2, -1, S, 0, 0, 0],
    "an element of an axis that stays": [3, 1, 0, 1, 2, 0, 0, 1, 0, 0],
    "a slice of an axis that goes": [3, 1, -1, 1, 2, 0, S, 0, 0, 0],
    "cuts in another order": [3, 2, 0, 1, 2, 1, S, 0, 0, 0, 0, S, 0, 0, 0],
    "a cut twice": [3, 2, 0, 1, 2, 1, S, 0, 0, 0, 1, S, 0, 0, 0],
    "another kind": [3, 1, 0, 1, 2, 0, 16, 0, 0, 0],
    "no kind": [3, 1, 0, 1, 2, 0, 3, 0, 0, 0],
    "something behind": [3, 0, 0, 1, 2, 7],
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_view_is_refused(case, of):
    with pytest.raises(ValueError, match="what a view is told is no view of 3 dimensions of an array of 3"):
        of(3, 3)(x, np.array(WRONG[case], "int64"))


def test_what_python_refuses(of):
    for told, error, words in (
        ([2, 1, 0, 2, 1, 0, 4, 0, 0], IndexError, "index 4 is out of bounds for axis 1 with size 4"),
        ([3, 1, 0, 1, 2, 0, S + 4, 0, 0, 0], ValueError, "slice step cannot be zero"),
        ([2, 0, 0, 1], ValueError, "size not equal to one"),
    ):
        with pytest.raises(error, match=words):
            of(2 if error is not ValueError or "size" in words else 3, 3)(x, np.array(told, "int64"))


def test_a_vector_that_lies_otherwise_is_refused(of):
    told = np.repeat(np.array([3, 0, 2, 0, 1], "int64"), 2)
    with pytest.raises(ValueError, match="no view of 3 dimensions"):
        of(3, 3)(x, told[::2])


def test_loops_read_it_as_an_array():
    a, told = T.dmatrix("a"), T.lvector("told")
    f = opweld.function([a, told], Told(2)(a, told) * 2 + a)
    given = np.arange(9.0).reshape(3, 3)
    np.testing.assert_array_equal(f(given, np.array([2, 0, 1, 0])), given.T * 2 + given)
    np.testing.assert_array_equal(f(given, np.array([2, 1, 0, 1, 0, S + 4, 0, 0, -1])), given[::-1] * 2 + given)
