"""Shared variables: their values, and functions that read them."""

import copy
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import DTYPES, LAYOUTS, arrays, data_of, values

import opweld
from opweld import In, Out, SharedVariable, function, shared, tensor
from opweld.generic import generic
from opweld.scalar import ScalarType
from opweld.tensor import TensorType
from opweld.tensor.shared import TensorSharedVariable

x = tensor.dvector("x")


def message(kind, call, *args, **kwargs):
    with pytest.raises(kind) as caught:
        call(*args, **kwargs)
    assert type(caught.value) is kind
    return str(caught.value)


# -- values --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (True, "bool"),
        (3, "int64"),
        (2**63, "uint64"),
        (2.5, "float64"),
        (1j, "complex128"),
        (np.float32(2), "float32"),
    ],
)
def test_numbers_are_tensors_without_dimensions(value, dtype):
    s = shared(value, "s")
    assert type(s) is TensorSharedVariable and isinstance(s, (SharedVariable, tensor.TensorVariable))
    assert s.type == TensorType(dtype, ()) and s.name == "s" and s.owner is None
    got = s.get_value()
    assert type(got) is np.ndarray and got.dtype == dtype and got.shape == () and got == value


def test_arrays_have_unknown_sizes_unless_a_shape_is_given():
    value = np.ones((2, 1))
    assert shared(value).type == TensorType("float64", (None, None))
    assert shared(value, shape=(2, None)).type == TensorType("float64", (2, None))
    assert shared(value, broadcastable=(False, True)).type == TensorType("float64", (None, 1))
    assert "expected float64 of shape (3, 1), got float64 of shape (2, 1); pass np.pad(" in message(
        TypeError, shared, value, shape=(3, 1)
    )
    assert message(TypeError, shared, "text", shape=()) == (
        "shared: a shape was given, and the value is no array: 'text' (str)"
    )


def test_any_object_is_carried():
    value = [1, {"a": 2}]
    s = shared(value)
    assert type(s) is SharedVariable and s.type == generic
    assert s.get_value() == value and s.get_value()[1] is not value[1] and s.get_value(borrow=True) is not value
    assert shared(value, borrow=True).get_value(borrow=True) is value
    assert function([], s)() == value


def test_what_cannot_be_shared():
    assert message(TypeError, shared, x) == (
        "shared: expected a value, got x (TensorVariable): a shared variable holds no part of a graph"
    )
    assert message(TypeError, shared, np.array(["a"])).startswith("dtype '<U1' has no C type here")
    assert "got masked float64 of shape (1,); pass x.filled()" in message(
        TypeError, shared, np.ma.array([1.0], mask=[True])
    )
    message(OverflowError, shared, 2**64)


def test_values_are_copied_unless_borrowed():
    value = np.zeros(3)
    s = shared(value)
    value[:] = 1
    assert s.get_value().tolist() == [0, 0, 0]
    s.get_value()[:] = 1
    assert s.get_value().tolist() == [0, 0, 0]
    s.get_value(borrow=True)[:] = 2
    assert s.get_value(return_internal_type=True).tolist() == [2, 2, 2]
    s.set_value(value)
    assert s.get_value(borrow=True) is not value
    s.set_value(value, borrow=True)
    assert s.get_value(borrow=True) is value and shared(value, borrow=True).get_value(borrow=True) is value
    s.set_value(value.view(type("Mine", (np.ndarray,), {})))  # a view of the caller's
    assert s.get_value(borrow=True).base is None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout(dtype, layout):
    array = LAYOUTS[layout](values(dtype, (4, 3)))
    got = shared(array).get_value()
    assert got.dtype == np.dtype(dtype) and got.dtype.isnative and got.flags.aligned and got.flags.writeable
    np.testing.assert_array_equal(got, array)


def test_copies_keep_the_order_of_the_axes():
    array = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)
    s = shared(array)
    assert s.get_value(borrow=True).strides == s.get_value().strides == array.strides
    fortran = np.asfortranarray(np.ones((4, 3, 2)))
    s.set_value(fortran)
    assert s.get_value(borrow=True).strides == s.get_value().strides == fortran.strides


def test_set_value_converts_as_arguments_are_converted():
    s = shared(np.zeros(2, "float32"), "w")
    s.set_value([1, 2])
    assert s.get_value().dtype == "float32" and s.get_value().tolist() == [1, 2]
    text = message(TypeError, s.set_value, np.zeros(2))
    assert text.startswith("the shared variable w: expected float32 of") and "; pass x.astype('float32')" in text
    assert "got list [[1.0]]; pass np.asarray(x).astype('float32')[0]" in message(TypeError, s.set_value, [[1.0]])
    assert s.get_value().tolist() == [1, 2]
    loose = shared(np.zeros(2, "float32"), allow_downcast=True)
    loose.set_value(np.array([0.5, 1e-300]))
    assert loose.get_value().tolist() == [0.5, 0]
    strict = shared(np.zeros(2), strict=True)
    assert "strict converts nothing; pass np.asarray(" in message(TypeError, strict.set_value, [1.0, 2.0])


def test_clones_have_the_same_value():
    s = shared(1.0, "s")
    other = s.clone(name="other")
    other.set_value(2.0)
    assert (other.name, s.clone().name) == ("other", "s") and s.get_value() == 2 and other.type == s.type
    assert function([], [s, other])() == [2, 2]


def test_deep_copies_have_a_value_of_their_own():
    s = shared(np.ones(2), "s")
    other, again = copy.deepcopy([s, s])
    assert other is again and other is not s and other.type == s.type
    other.set_value([2.0, 2.0])
    assert s.get_value().tolist() == [1, 1]


# -- functions -----------------------------------------------------------------------------------------------------


def test_functions_read_the_value_at_each_call():
    w = shared(np.ones(2), "w")
    f = function([x], x * w)
    assert f([1.0, 2.0]).tolist() == [1, 2]
    w.set_value([3.0, 4.0])
    assert f(x=[1.0, 2.0]).tolist() == [3, 8]
    w.set_value([5.0])  # another size
    assert f([1.0, 2.0]).tolist() == [5, 10]
    assert f.get_shared() == [w] and f.maker.inputs[0].variable is x and len(f.maker.inputs) == 1
    assert "takes 1 positional argument but 2 were given" in message(TypeError, f, [1.0], [2.0])
    assert "got an unexpected keyword argument 'w'" in message(TypeError, f, [1.0], w=[2.0])


def test_they_come_in_the_order_in_which_the_graph_names_them():
    a, b, c = (shared(float(i), n) for i, n in enumerate("abc"))
    assert function([], [b + a, c * b])().__class__ is list
    assert function([], [b + a, c * b]).get_shared() == [b, a, c]
    assert function([], [c * b, b + a]).get_shared() == [c, b, a]


def test_results_are_copies_of_the_value():
    w = shared(np.zeros(2), "w")
    first = function([], w)()
    first[:] = 1
    assert w.get_value().tolist() == [0, 0]
    assert function([], [w, w])()[0] is not w.get_value(borrow=True)


def test_lent_results_are_not():
    w = shared(np.arange(4.0), "w")
    f = function([x], [Out(w[::2], borrow=True), Out(w, borrow=True), Out(x, borrow=True), x])
    a = np.ones(2)
    part, whole, mine, other = f(a)
    stored = w.get_value(borrow=True)
    assert np.shares_memory(part, stored) and whole is stored and mine is a and not np.shares_memory(other, a)
    twice = x + 1
    one, two, three = function([x], [twice, Out(twice, borrow=True), twice])(a)
    assert np.shares_memory(one, two) and not np.shares_memory(one, three)
    out = np.zeros(4)
    (got,) = function([], [Out(w, borrow=True)])(out=[out])
    assert got is out and out.tolist() == [0, 1, 2, 3] and w.get_value(borrow=True) is stored
    fixed = tensor.constant([1.0])
    result = function([], Out(fixed, borrow=True))()
    result[:] = 3
    assert fixed.data == 1
    assert function([x], Out(x + 1))(a).tolist() == [2, 2]
    assert repr(Out(w, borrow=True)) == "Out(w, borrow=True)"
    assert message(TypeError, Out, 3) == "Out: expected a Variable, got 3 (int)"


def test_out_does_not_overwrite_what_is_read():
    w = shared(np.arange(3.0), "w")
    f = function([], w[::-1] + w)
    stored = w.get_value(borrow=True)
    assert f(out=stored).tolist() == [2, 2, 2]


@given(st.data())
def test_borrowed_values_of_any_layout(data):
    value = data.draw(arrays("float64", 2))
    w = shared(np.zeros((1, 1)))
    w.set_value(value, borrow=True)
    np.testing.assert_array_equal(reading(w)(), value)


_readers = {}


def reading(w):
    """A function of the shared variable; one is compiled."""
    if not _readers:
        s = shared(np.zeros((1, 1)), "s")
        _readers["f"] = function([], s), s
    f, s = _readers["f"]
    return f.copy(swap={s: w})


def test_a_cell_with_a_wrong_value_is_refused_by_name():
    w = shared(np.zeros(2), "w")
    f = function([], w)
    w.cell[0] = "text"
    assert message(TypeError, f).startswith("f() shared variable w: expected float64 of shape (?,)")


def test_shared_variables_are_no_arguments():
    w = shared(1.0, "w")
    assert message(TypeError, function, [w], w) == (
        "inputs[0] is the shared variable w: a function reads it by itself; leave it out, or let an input stand for "
        "it: givens=[(w, x)]"
    )
    assert "is the shared variable w" in message(TypeError, function, [In(w)], w)


def test_scalars_of_c():
    s = SharedVariable(ScalarType("float64"), 2.0, "s")
    f = function([], s)
    assert f() == 2 and type(f()) is np.float64
    s.set_value(3)
    assert f() == 3


def test_nothing_is_kept(references):
    w = shared(np.zeros(3), "w")
    f = function([x], x + w)
    a = np.ones(3)
    value, cell = w.get_value(borrow=True), w.cell
    before = references(a, value, cell)
    for _ in range(50):
        f(a)
    with pytest.raises(ValueError):
        f(np.ones(4))
    assert references(a, value, cell) == before


def test_functions_die(references):
    import gc
    import weakref

    w = shared(np.zeros(3), "w")
    cell = w.cell
    before = references(cell)
    f = function([], w + 1, updates=[(w, w + 1)])
    f()
    g = f.copy()
    seen = weakref.ref(f), weakref.ref(g)
    del f, g
    gc.collect()
    assert [one() for one in seen] == [None, None] and references(cell) == before


def test_the_address_is_the_values():
    from kit import address

    w = shared(np.zeros(3), "w")
    assert function([], address(w))()[0] == data_of(w.get_value(borrow=True))


def test_debug_mode():
    w = shared(np.ones(3), "w")
    f = function([x], [x + w, w], mode="DebugMode")
    assert [r.tolist() for r in f([1.0, 2.0, 3.0])] == [[2, 3, 4], [1, 1, 1]]
    w.set_value([0.0, 0.0, 0.0])
    assert f([1.0, 2.0, 3.0])[0].tolist() == [1, 2, 3] and f.get_shared() == [w]


def test_names():
    assert opweld.shared is shared and opweld.SharedVariable is SharedVariable and opweld.Out is Out


# -- which type carries a value ------------------------------------------------------------------------------------


class Celsius(float):
    """A number that a package of a user's own has a type for."""


def test_a_constructor_of_ones_own():
    from opweld.compile.sharedvalue import register_shared

    @register_shared(Celsius)
    def degrees(value, name, strict, allow_downcast, borrow, shape, broadcastable):
        return opweld.shared(float(value) + 273.15, name)

    assert opweld.shared(Celsius(1), "t").get_value() == 274.15 and opweld.shared(Celsius(1), "t").name == "t"
    assert opweld.shared(1.0).get_value() == 1.0  # the library's own row
    with pytest.raises(TypeError, match=r"register_shared: expected classes of values, got 'float' \(str\)"):
        register_shared("float")


def test_the_type_of_a_value_does_not_depend_on_what_is_imported():
    program = "import opweld; print(type(opweld.shared({first})).__name__, type(opweld.shared([1.0])).__name__)"
    for first, expected in (("1.0", "TensorSharedVariable"), ("'text'", "SharedVariable")):
        told = subprocess.check_output([sys.executable, "-c", program.format(first=first)], text=True)
        assert told.split() == [expected, "SharedVariable"]
