"""Results without dimensions: scalars of NumPy's in every way of a call; arrays for ops, `out=` and older names."""

import gc
import sys
import threading

import kit
import numpy as np
import pytest

import opweld
from opweld import COp, In, Op, Out
from opweld.compat import theano
from opweld.compile.modes import InC
from opweld.graph.basic import Apply
from opweld.graph.fgraph import FunctionGraph
from opweld.tensor import TensorType


class Total(COp):
    """The sum of a vector in C; it says in `offered` whether it was given an array to write into."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [TensorType(x.type.dtype, ())(), TensorType("bool", ())()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z, offered) = inputs, outputs
        return f"""
            const int was = {z} != NULL;
            if ({z} == NULL) {z} = (PyArrayObject*)PyArray_EMPTY(0, NULL, type_num_{z}, 0);
            if ({offered} == NULL) {offered} = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_BOOL, 0);
            if ({z} == NULL || {offered} == NULL) {sub["fail"]}
            dtype_{z} s = 0;
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) s += *(dtype_{x}*)PyArray_GETPTR1({x}, i);
            *(dtype_{z}*)PyArray_DATA({z}) = s;
            *(npy_bool*)PyArray_DATA({offered}) = was;
        """


class Kept(COp):
    """A view of its input: the very object."""

    __props__ = ()
    view_map = {0: [0]}

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z}); {z} = {x}; Py_INCREF({z});"


class Seen(Op):
    """In Python; says what it was given."""

    __props__ = ()

    def __init__(self):
        self.given = []

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        self.given.append(type(inputs[0]))
        storage[0][0] = inputs[0] * 2


@pytest.fixture(scope="module")
def every():
    """Of each dtype a number, itself and a sum; a loop without a frame, and one that folds."""
    made = {}
    for dtype in kit.DTYPES:
        x, v = kit.tensor(dtype, 0, "x"), kit.tensor(dtype, 1, "v")
        made[dtype] = (
            opweld.function([x], abs(x) if dtype != "bool" else ~x, name="lane"),
            opweld.function([v], v.prod(dtype=dtype) if dtype != "bool" else v.any(), name="fold"),
        )
    return made


@pytest.mark.parametrize("dtype", kit.DTYPES)
def test_every_dtype(every, dtype):
    lane, fold = every[dtype]
    value = np.array(-3 if np.dtype(dtype).kind not in "bu" else 1).astype(dtype)
    for _ in range(3):  # the second finds what the first has kept
        found = lane(value)
        wanted = abs(value) if dtype != "bool" else ~value
        assert type(found) is type(wanted) and found == wanted
        found = fold(np.array([value, 1]).astype(dtype))
        assert type(found) is np.dtype(dtype).type and found == value
    assert (
        lane(value) != lane(lane(value)) if dtype == "bool" else lane(lane(value)) == lane(value)
    )  # and as an argument


def test_true_and_false_are_numpys():
    x = opweld.tensor.dscalar("x")
    f = opweld.function([x], [x < 1, x > 1, x])
    assert f(0.5)[:2] == [np.True_, np.False_] and f(0.5)[0] is np.True_ and f(0.5)[1] is np.False_
    assert type(f(0.5)[2]) is np.float64
    below = opweld.function([x], x < 1)  # one loop, without a frame
    assert below(0.5) is np.True_ and below(np.array(1.5)) is np.False_
    both = opweld.function([x], [x < 1, x > 1])
    assert both(2.0) == [np.False_, np.True_] and both(2.0)[0] is np.False_


def test_every_way_of_a_call():
    """By position, by name, with numbers, in lists, with defaults; by the table and past it."""
    x, y = opweld.tensor.dscalar("x"), opweld.tensor.fscalar("y")
    f = opweld.function([x, In(y, value=2.0)], [x * y, (x + y).astype("int32")])
    for found in (f(3.0), f(np.array(3.0)), f(x=3.0), f(3, y=np.float32(2)), f(np.array(3.0), np.array(2, "float32"))):
        assert [type(one) for one in found] == [np.float64, np.int32] and found == [6, 5]
    assert type(opweld.function([x], x)(1.5)) is np.float64  # itself, copied
    assert type(opweld.function([x], Out(x, borrow=True))(1.5)) is np.float64
    assert type(opweld.function([], opweld.tensor.constant(2.5))()) is np.float64
    assert type(opweld.function([x], x, mode="DebugMode")(1.5)) is np.float64
    assert type(opweld.function([x], x * 2, mode="FAST_COMPILE")(1.5)) is np.float64


def test_others_stay_arrays():
    x, v = opweld.tensor.dscalar("x"), opweld.tensor.dvector("v")
    f = opweld.function([x, v], [x * 2, v * x, v[None] * x])
    one, two, three = f(2.0, [1.0])
    assert (
        type(one) is np.float64
        and type(two) is type(three) is np.ndarray
        and (two.shape, three.shape) == ((1,), (1, 1))
    )
    out = [np.zeros(()), None, None]
    one, two, three = f(2.0, [1.0], out=out)
    assert one is out[0] and one == 4 and type(two) is np.ndarray
    one = f(2.0, [1.0], out=[None, two, None])[0]
    assert type(one) is np.float64
    single = opweld.function([x], x * 2)
    assert single(2.0, out=out[0]) is out[0] and single(np.array(5.0), out=out[0]) is out[0] and out[0] == 10
    assert type(single(2.0, out=None)) is np.float64


def test_ops_and_shared_values_see_arrays():
    x = opweld.tensor.dscalar("x")
    seen = Seen()
    count = opweld.shared(np.array(1.0), "count")
    f = opweld.function([x], seen(x + count), updates={count: count + x})
    assert type(f(2.0)) is np.float64 and f(1.0) == 8 and seen.given == [np.ndarray, np.ndarray]
    assert type(count.get_value(borrow=True)) is np.ndarray and count.get_value() == 4
    checked = opweld.function([x], seen(x), mode="DebugMode")
    assert type(checked(2.0)) is np.float64 and {*seen.given} == {np.ndarray}
    assert (
        type(InC(FunctionGraph([x], [x * 2]))(2.0)[0]) is np.ndarray
    )  # what a mode links works on values of variables


def test_older_names_give_arrays():
    x = theano.tensor.dscalar("x")
    f = theano.function([x], [x * 2, x < 1])
    g = opweld.function([x], [x * 2, x < 1], options={"conventions": "theano"})
    for found in (f(2.0), g(2.0), f(x=2.0)):
        assert [type(one) for one in found] == [np.ndarray] * 2 and [one.shape for one in found] == [(), ()]
    assert f.maker.program.bytes == g.maker.program.bytes
    own = opweld.function([x], [x * 2, x < 1])
    assert [entry.get("scalar") for entry in own.maker.program.data["outputs"]] == [True, True]
    assert own.maker.program.bytes != f.maker.program.bytes
    v = theano.tensor.dvector("v")  # nothing without dimensions: one module for both
    assert theano.function([v], v * 2).maker.built.path == opweld.function([v], v * 2).maker.built.path


def test_storage_comes_back_where_nobody_else_knows_it():
    x = opweld.tensor.dvector("x")
    f = opweld.function([x], Total()(x))
    assert f(np.ones(3)) == [3, False] and f(np.ones(2)) == [2, True]
    first = f(np.ones(4))[0]
    assert f(np.ones(5))[0] == 5 and first == 4  # a value, not the array


def test_what_is_the_callers_stays_the_callers():
    x = opweld.tensor.dscalar("x")
    f = opweld.function([x], Out(Kept()(x), borrow=True))
    mine, other = np.array(1.0), np.array(2.0)
    before = sys.getrefcount(mine)
    assert [f(mine), f(other), f(mine)] == [1, 2, 1] and (mine, other) == (1, 2)
    assert sys.getrefcount(mine) == before
    twice = opweld.function([x], [Out(Kept()(x), borrow=True), Kept()(x) + 1])
    assert [twice(mine), twice(other)] == [[1, 2], [2, 3]] and mine == 1


class Fails(COp):
    __props__ = ()

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"""
            if ({z} == NULL) {z} = (PyArrayObject*)PyArray_EMPTY(0, NULL, NPY_FLOAT64, 0);
            if (*(double*)PyArray_DATA({x}) < 0) {{ PyErr_SetString(PyExc_ValueError, "below 0"); {sub["fail"]} }}
            *(double*)PyArray_DATA({z}) = *(double*)PyArray_DATA({x}) + *(double*)PyArray_DATA({y});
        """


def test_nothing_leaks_and_failures_leave_nothing():
    x, y = opweld.tensor.dscalar("x"), opweld.tensor.dscalar("y")
    f = opweld.function([x, y], [Fails()(x, y), x < y])
    one, two = np.array(1.0), np.array(-2.0)
    blocks = []
    for _ in range(5):
        for _ in range(100):
            assert f(one, two) == [-1, False] and f(x=one, y=two) == [-1, False]
            try:
                f(two, one)
            except ValueError as err:
                assert "below 0" in str(err)
        gc.collect()
        blocks.append(sys.getallocatedblocks())
    assert blocks[-1] - blocks[1] < 50


def test_threads_share_a_function():
    v = opweld.tensor.dvector("v")
    f = opweld.function([v], Total()(v)[0])
    wrong = []

    def work(k):
        values = np.full(100, float(k))
        wrong.extend(k for _ in range(2000) if f(values) != 100 * k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_cop(monkeypatch):
    both = opweld.cop(
        "x: T[n] -> s: T, big: bool, y: T[n]", "for (npy_intp i = 0; i < n; i++) s += y[i] = x[i];\nbig = s > 1;"
    )
    s, big, y = both(np.ones(2, "float32"))
    assert (type(s), type(big), type(y)) == (np.float32, np.bool_, np.ndarray) and big is np.True_
    total = opweld.cop("x: T[n] -> s: T", "for (npy_intp i = 0; i < n; i++) s += x[i];")
    assert type(total([1.0, 2.0])) is np.float64 and type(total([1, 2])) is np.int64
    out = np.zeros(())
    assert total(np.ones(3), out=out) is out and out == 3
    monkeypatch.setattr(opweld.config, "conventions", "theano")  # is for functions of graphs
    assert type(total(np.ones(3, "int16"))) is np.int16
