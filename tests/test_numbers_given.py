"""Numbers as arguments: Python's are weak where NumPy's conventions hold, as beside arrays; NumPy's are not."""

import sys
import tracemalloc
import warnings

import kit
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import opweld
import opweld.compat
from opweld import In, tensor
from opweld.tensor import TensorType

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 longdouble complex64 complex128 "
    "clongdouble"
).split()
PYTHONS = [
    *(0, 1, -1, 7, 127, 128, 255, 256, -128, -129, 2049, 70000, 2**24 + 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63),
    *(-(2**63), -(2**63) - 1, 2**64 - 1, 2**64, 2**70 + 1, 10**40, -(10**40), 10**400, True, False),
    *(0.0, -0.0, 0.5, 0.1, 1e-50, 65504.0, 65520.0, 1e39, 1e300, -1e300, float("inf"), float("-inf"), float("nan")),
    *(1j, 0.1 + 2j, complex("inf"), 1e300j),
]
SCALARS = [
    *map(np.float64, (0.5, 0.1, 2, "nan", 1e300)),
    *map(np.float32, (2.5, 0.1, "inf")),
    *(np.float16(1.5), np.longdouble(1) / 3, np.complex64(1j), np.complex128(3), np.bool_(True)),
    *(np.dtype(code).type(value) for code in "bhilqBHILQ" for value in (0, 1, 100)),
    *(np.int64(-1), np.int64(2**53 + 1), np.int64(-(2**63)), np.uint64(2**64 - 1), np.uint32(2**32 - 1), np.int8(-128)),
]


def taker(dtype, conventions="numpy", **how):
    x = TensorType(dtype, ())("x")
    return opweld.function([In(x, **how)], kit.copy(x), options={"conventions": conventions})


def outcome(call, *args):
    """What a call gives, what it warns of, or what it raises."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            value = call(*args)
        except (TypeError, OverflowError) as err:
            return type(err)
    assert value.shape == ()
    return value.dtype, "nan" if value != value else value.item(), [str(one.message) for one in said]


def beside(value, dtype):
    """What NumPy makes of one of Python's numbers beside an array of the dtype: an array of it, or another dtype's."""
    if np.result_type(np.empty(1, dtype), value) != dtype:
        raise TypeError
    return np.asarray(value, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_number_of_pythons_is_what_it_is_beside_an_array(dtype):
    f, exact = taker(dtype), taker(dtype, "theano")
    for value in PYTHONS:
        found, wanted = outcome(f, value), outcome(beside, value, dtype)
        if wanted is TypeError:  # another dtype's: as for those who know no weak numbers
            wanted = outcome(exact, value)
        if wanted is OverflowError and dtype == "bool":
            wanted = TypeError
        assert found == wanted, value


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_of_numpys_is_taken_where_no_value_changes(dtype):
    f, exact, type_ = taker(dtype), taker(dtype, "theano"), TensorType(dtype, ())
    for value in SCALARS:
        found = outcome(f, value)
        assert found == outcome(exact, value) == outcome(type_.filter, value), value
        if found is TypeError:
            assert not np.can_cast(value.dtype, dtype, "safe") or value.dtype.kind in "iu", value
        else:
            assert found[1:] == ("nan" if value != value else value.item(), []) or dtype in ("float16", "longdouble"), (
                value
            )


@given(st.one_of(st.integers(-(2**66), 2**66), st.floats()), st.sampled_from(DTYPES[1:12]))
@example(2**63 - 1, "float32")
def test_any_number(value, dtype):
    f = FUNCTIONS.setdefault(dtype, taker(dtype) if dtype not in FUNCTIONS else None)
    if isinstance(value, int) or np.dtype(dtype).kind == "f":
        assert outcome(f, value) == outcome(beside, value, dtype)


FUNCTIONS = {}


def test_words():
    f = taker("uint8")
    with pytest.raises(OverflowError) as caught:
        f(300)
    assert str(caught.value) == "f() argument 'x': expected uint8 of shape (), got int 300; pass values from 0 to 255"
    with pytest.raises(TypeError, match=r"got float 2\.5: its value would change; pass np\.asarray"):
        f(2.5)
    with pytest.raises(OverflowError, match=r"; pass smaller numbers$"):
        taker("float64")(10**400)
    with (
        np.errstate(over="raise"),
        pytest.raises(FloatingPointError, match="argument 'x': overflow encountered in cast"),
    ):
        taker("float32")(1e300)
    with np.errstate(over="ignore"):
        assert np.isinf(taker("float32")(1e300))


def test_who_knows_no_weak_numbers():
    s = tensor.fscalar("s")
    for made in (
        opweld.compat.theano.function([s], s),
        opweld.compat.pytensor.compile.function.function([s], s, options={"cflags": "-O1"}),
        opweld.function([In(s, allow_downcast=False)], s),
        opweld.function([s], s, allow_input_downcast=False),
    ):
        with pytest.raises(TypeError, match=r"got float 0\.1: its value would change"):
            made(0.1)
        assert made(0.5) == 0.5
    assert opweld.compat.theano.function([s], s, options={"conventions": "numpy"})(0.1) == np.float32(0.1)
    with pytest.raises(TypeError, match="options must be a dict"):
        opweld.compat.theano.function([s], s, options=3)


def test_conventions_stay_with_what_is_made_of_a_function():
    import pickle

    s = tensor.fscalar("s")
    w = opweld.shared(np.float32(2))
    f, g = (module.function([s], s * w) for module in (opweld, opweld.compat.aesara))
    for made, weak in ((f, True), (g, False)):
        for one in (made, made.copy(name="other"), pickle.loads(pickle.dumps(made))):
            if weak:
                assert one(0.1) == np.float32(0.1) * np.float32(2)
            else:
                with pytest.raises(TypeError, match="its value would change"):
                    one(0.1)


def test_defaults_are_arguments():
    s = tensor.fscalar("s")
    assert opweld.function([In(s, value=0.1)], s)() == np.float32(0.1)
    with pytest.raises(TypeError, match="its value would change"):
        opweld.compat.theano.function([In(s, value=0.1)], s)


def test_debugmode_takes_them_too():
    s = tensor.fscalar("s")
    assert opweld.function([s], s * 2, mode="DebugMode")(0.1) == np.float32(0.1) * 2


class Holds(opweld.Op):
    """Keeps what it was given, and may change what that is."""

    __props__ = ("spoil",)

    def __init__(self, spoil=None):
        self.spoil = spoil

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        storage[0][0] = inputs[0].copy()
        SEEN.append(inputs[0])
        if self.spoil:
            SEEN.pop()
            self.spoil(inputs[0])


SEEN = []


def test_what_somebody_holds_of_a_number_stays():
    s = tensor.dscalar("s")
    f = opweld.function([s], Holds()(s))
    assert [f(float(number)) for number in range(5)] == [0, 1, 2, 3, 4]
    assert [float(one) for one in SEEN] == [0, 1, 2, 3, 4]
    SEEN.clear()


def test_a_number_lies_in_a_fresh_array_where_the_last_was_changed():
    def reshape(array):
        array.shape = (1,)

    def freeze(array):
        array.flags.writeable = False

    def redo(array):
        array.dtype = "i8"

    s = tensor.dscalar("s")
    for spoil in (reshape, freeze, redo):
        f = opweld.function([s], Holds(spoil)(s))
        assert [f(1.5), f(2.5), f(3)] == [1.5, 2.5, 3]


def test_calls_within_calls():
    s = tensor.dscalar("s")

    class Calls(opweld.Op):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, storage):
            deeper = f(float(inputs[0]) - 1) if inputs[0] > 0 else 0.0
            storage[0][0] = inputs[0] + deeper

    f = opweld.function([s], Calls()(s))
    assert f(4.0) == 10


def test_nothing_is_left_behind():
    x, s = tensor.dvector("x"), tensor.dscalar("s")
    f = opweld.function([x, s], x * s)
    ones, number = np.ones(3), 2.25
    before = sys.getrefcount(number), sys.getrefcount(np.dtype("f8"))
    tracemalloc.start()
    for _ in range(100):
        f(ones, number), f(ones, np.float32(2)), f(ones, 3), f([1, 2], True)
    held = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        f(ones, number), f(ones, np.float32(2)), f(ones, 3), f([1, 2], True)
    grown = tracemalloc.get_traced_memory()[0] - held
    tracemalloc.stop()
    assert grown < 1000
    del f
    assert (sys.getrefcount(number), sys.getrefcount(np.dtype("f8"))) == before
