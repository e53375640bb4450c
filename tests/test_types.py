"""What a type takes as it is, what it converts, what it refuses, and in which words."""

import warnings

import kit
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import opweld
from opweld import config, scalar, tensor
from opweld.dtypes import dtype_of
from opweld.generic import generic
from opweld.tensor import TensorType, as_tensor_variable

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 longdouble complex64 complex128 "
    "clongdouble"
).split()
EXPECTED = "expected float64 of shape (?,), got "


def swapped(array):
    return array.astype(array.dtype.newbyteorder())


def misaligned(array):
    return np.frombuffer(b"x" + array.tobytes(), "u1")[1:].view(array.dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (0,), (2, 3), (1, 1, 1)])
def test_the_right_array_is_taken_as_it_is(dtype, shape):
    array = np.ones(shape, dtype)
    for sizes in (shape, (None,) * len(shape)):
        assert TensorType(dtype, sizes).filter(array, strict=True) is array


@pytest.mark.parametrize("dtype", DTYPES)
def test_c_names(dtype):
    type_ = TensorType(dtype, (None,))
    assert type_.dtype == dtype
    prefix = "opw" if np.dtype(dtype).kind == "c" else "npy"  # a class in C++, NumPy's type in C
    assert f"typedef {prefix}_{dtype} dtype_V" in type_.c_declare("V", {})
    assert f"type_num_V = NPY_{dtype.upper()}" in type_.c_declare("V", {})


def test_dtypes_by_other_names():
    assert dtype_of("q").name == dtype_of("l").name == dtype_of(int).name == "int64"
    assert dtype_of(">f4").name == "float32"
    assert dtype_of("floatX").name == config.floatX
    for wrong in ("O", "M8[s]", "U3", "V8"):
        with pytest.raises(TypeError, match=r"has no C type here"):
            dtype_of(wrong)


def test_long_long_is_taken_without_a_copy():
    array = np.arange(3, dtype="q")
    taken = tensor.lvector.filter(array, strict=True)
    assert taken.dtype.num == np.dtype("int64").num and np.shares_memory(taken, array)


@pytest.mark.parametrize("spoil", [swapped, misaligned])
def test_misaligned_and_swapped_are_copied_unless_strict(spoil):
    array = np.arange(3.0)
    made = tensor.dvector.filter(spoil(array))
    assert made.flags.behaved and made.dtype.isnative and np.array_equal(made, array)
    with pytest.raises(TypeError, match=r"pass x\.astype"):
        tensor.dvector.filter(spoil(array), strict=True)
    with pytest.raises(TypeError, match=r"in place; pass arg\.astype"):
        tensor.dvector.filter_argument(spoil(array), False, None, True, "arg")


@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_arrays_are_cast_where_numpy_says_safe(have, want):
    array = np.ones(2, have)
    if np.can_cast(dtype_of(have).np, dtype_of(want).np, "safe"):
        assert TensorType(want, (None,)).filter(array).dtype == dtype_of(want).np
    else:
        with pytest.raises(
            TypeError, match=rf"^expected {want} of shape \(\?,\), got {have} of shape \(2,\); pass x\.(astype|real)"
        ):
            TensorType(want, (None,)).filter(array)


@given(st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.booleans()), st.sampled_from(DTYPES[:12]))
def test_python_numbers_pass_only_where_they_are_kept(value, dtype):
    config.floatX = "float64"
    try:
        made = TensorType(dtype, ()).filter(value, allow_downcast=False)
    except TypeError:
        return
    assert made.item() == value or (made.item() != made.item() and value != value)


class Subclass(np.ndarray):
    pass


class Offers:
    """An object that NumPy asks for an array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array

    def __repr__(self):
        return "an offer of many words, more than forty characters"


ARGUMENTS = [
    0, 1, -1, 255, 2**31, 2**53 + 1, 2**63, 2**64, 2**70, 10**400, True, 0.1, 0.5, 1e300, float("inf"), float("nan"),
    1j, 2 + 0j, np.float64(0.1), np.float32(0.1), np.int8(3), np.uint64(2**64 - 1), np.longdouble(1) / 3,
    np.bool_(True), np.str_("a"), None, "x", b"x", object,
    [1, 2], [0.1, 2], [1, 2.5], [2**53 + 1], [2**70 + 1], [[1], [2, 3]],
    [1, "a"], [1j], [], range(2), [0.1] * 20, [2**53 + 1] * 20, [float("nan")] * 20,
    Offers(np.arange(2.0)), Offers(np.arange(2, dtype=">f8")),
    *(np.ones(2).astype(code) for code in "?bhilqBHILQefdgFDGO"), np.ones(2, ">f8"), np.ones(4)[::2], np.ones((2, 2)),
    np.ones(2).view(Subclass), np.ma.ones(2), np.zeros(2, "M8[s]"), np.zeros(2, "U1"), np.broadcast_to(1.0, (2,)),
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (None,), (3,)])
def test_a_call_takes_and_refuses_what_filter_does(dtype, shape):
    x = TensorType(dtype, shape)("x")
    f = opweld.function([x], kit.copy(x), options={"conventions": "theano"})
    for value in ARGUMENTS:
        try:
            wanted = x.type.filter(value)
        except TypeError as err:
            with pytest.raises(TypeError) as refused:
                f(value)
            assert str(refused.value) == f"f() argument 'x': {err}"
        else:
            found = f(value)
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert found.tobytes() == wanted.tobytes() or dtype.endswith("longdouble")


NOT_KEPT = [
    ("float16", 2**11 + 1), ("float32", 2**24 + 1), ("float64", 2**53 + 1), ("complex64", 2**24 + 1), ("bool", 2),
    ("uint8", 256), ("int8", -129), ("uint16", -1), ("int32", 2**31), ("uint32", 2**32), ("uint64", -1),
    ("int64", 2.0**63), ("int16", 0.5), ("float16", 0.1), ("complex64", 0.1), ("float64", 1j),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "number"), NOT_KEPT)
@pytest.mark.parametrize("times", [0, 1, 20])
def test_numbers_and_lists_that_are_not_kept(dtype, number, times):
    value, shape = ([number] * times, (None,)) if times else (number, ())
    remedy = r"(its value would change; pass np\.asarray|; pass values from -?\d+ to \d+)"
    with pytest.raises(TypeError, match=f"expected {dtype} of .*, got .*{remedy}"):
        TensorType(dtype, shape).filter(value)


@pytest.mark.parametrize(
    "value", [1e300, [1e300] * 20, [1e-300], [float("nan")], np.array([1e300, float("inf")])], ids=repr
)
@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_conversions_are_silent(value, dtype):
    type_ = TensorType(dtype, (None,) * np.ndim(value))
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        assert type_.filter(value, allow_downcast=True).dtype == dtype


def test_an_array_that_an_object_keeps_is_copied():
    offer = Offers(np.arange(2.0))
    made = tensor.dvector.filter(offer)
    assert np.array_equal(made, offer.array) and not np.shares_memory(made, offer.array)


def test_a_subclass_with_a_filter_of_its_own_is_asked():
    class Doubled(TensorType):
        def filter(self, value, strict=False, allow_downcast=None):
            return super().filter(np.multiply(value, 2), strict, allow_downcast)

    class Plain(TensorType):
        pass

    x, y = Doubled("float64", (None,))("x"), Plain("float64", (None,))("y")
    f = opweld.function([x, y], [kit.copy(x), kit.copy(y)])
    assert [one.tolist() for one in f([1], [1])] == [[2.0], [1.0]]
    with pytest.raises(TypeError, match=r"^f\(\) argument 'y': expected float64 of .*: not numeric; pass numbers$"):
        f([1], "a")


@pytest.mark.parametrize(
    ("dtype", "value"), [("float64", 2**53), ("int8", -128), ("uint64", 2**64 - 1), ("int64", 3.0), ("float32", 0.5)]
)
def test_python_numbers_that_are_kept(dtype, value):
    assert TensorType(dtype, ()).filter(value).item() == value


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("float64", 2**53 + 1), ("float64", 2**63 - 1), ("int8", 128), ("int64", 2.5), ("int64", float("inf")),
     ("float32", 0.1), ("int64", 2.0**63), ("float64", 1j), ("int64", 2**64)],
)  # fmt: skip
def test_python_numbers_that_are_not(dtype, value):
    with pytest.raises(TypeError):
        TensorType(dtype, ()).filter(value)


def test_floatx_and_downcast():
    with pytest.raises(TypeError):
        tensor.fscalar.filter(0.1)
    config.floatX = "float32"
    try:
        assert tensor.fscalar.filter(0.1) == np.float32(0.1)
        assert tensor.vector("x").dtype == "float32"
        with pytest.raises(TypeError):
            tensor.fscalar.filter(0.1, allow_downcast=False)
    finally:
        config.floatX = "float64"
    assert tensor.lvector.filter(np.array([1.5]), allow_downcast=True)[0] == 1
    assert tensor.lvector.filter([1.5], allow_downcast=True)[0] == 1
    with pytest.raises(TypeError):
        tensor.lvector.filter(np.array(["a"]), allow_downcast=True)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros(3, complex), "complex128 of shape (3,); pass x.real"),
        (np.zeros((2, 3), order="F"), "float64 of shape (2, 3); pass x[0]"),
        (1.5, "float 1.5; pass [x]"),
        ([2**53 + 1], "list [9007199254740993]: its value would change; pass np.asarray(x, 'float64')"),
        ("abc", "str 'abc': not numeric; pass numbers"),
        (None, "None: not numeric; pass numbers"),
        (tensor.dvector("v"), "TensorVariable v: it is a variable of a graph; pass a value"),
        (np.ma.zeros(3), "masked float64 of shape (3,); pass x.filled()"),
    ],
)
def test_messages(value, message):
    with pytest.raises(TypeError) as caught:
        tensor.dvector.filter(value)
    assert str(caught.value) == EXPECTED + message


def test_message_of_a_known_size():
    with pytest.raises(TypeError) as caught:
        TensorType("float64", (3, None)).filter(np.zeros((2, 2))[:, ::-1])
    assert str(caught.value) == (
        "expected float64 of shape (3, ?), got float64 of shape (2, 2); pass np.pad(x,[(0,1),(0,0)])"
    )


def test_read_only_where_it_will_be_written():
    array = np.zeros(3)
    array.flags.writeable = False
    assert tensor.dvector.filter(array) is array
    with pytest.raises(TypeError, match=r"read-only; pass arg.copy\(\)"):
        tensor.dvector.filter_argument(array, False, None, True, "arg")


def test_subclasses_of_ndarray_are_viewed():
    matrix = np.zeros((2, 2)).view(np.matrix)
    made = tensor.dmatrix.filter(matrix)
    assert type(made) is np.ndarray and np.shares_memory(made, matrix)


def test_equality():
    assert TensorType("float64", (None,)) == TensorType(float, broadcastable=[False])
    assert TensorType("float64", (1,)) == TensorType("float64", broadcastable=[True])
    assert TensorType("float64", (None,)) != TensorType("float64", (3,))
    assert hash(TensorType("float64", (3,))) == hash(TensorType("float64", [3]))
    assert scalar.ScalarType("int8") == scalar.int8 != scalar.int16


def test_shapes_that_make_no_type():
    with pytest.raises(TypeError, match=r"a size must be an integer or None, got 'a'"):
        TensorType("float64", ("a",))
    with pytest.raises(ValueError, match=r"must not be negative, got -1"):
        TensorType("float64", (-1,))
    with pytest.raises(ValueError, match=r"65 dimensions: NumPy allows 64"):
        TensorType("float64", (None,) * 65)
    with pytest.raises(TypeError, match=r"shape or broadcastable"):
        TensorType("float64")


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [("dvector", "float64", (None,)), ("lscalar", "int64", ()), ("frow", "float32", (1, None)),
     ("ubcol", "uint8", (None, 1)), ("ztensor7", "complex128", (None,) * 7), ("ulmatrix", "uint64", (None, None)),
     ("vector", "float64", (None,)), ("btensor3", "int8", (None,) * 3)],
)  # fmt: skip
def test_constructors(name, dtype, shape):
    variable = getattr(tensor, name)("v")
    assert (variable.dtype, variable.type.shape, variable.name) == (dtype, shape, "v")
    assert variable.ndim == len(shape) and variable.broadcastable == tuple(size == 1 for size in shape)


def test_tensor_by_dtype_and_shape():
    assert tensor.tensor("int8", (2, None), name="t").type == TensorType("int8", (2, None))
    assert tensor.matrix("m", dtype="int32").dtype == "int32"
    with pytest.raises(AttributeError):
        tensor.qvector  # noqa: B018


def test_as_tensor_variable():
    x = tensor.dvector("x")
    assert as_tensor_variable(x) is x
    array = np.arange(3)
    constant = as_tensor_variable(array)
    array[0] = 7
    assert constant.data.tolist() == [0, 1, 2] and constant.type == TensorType("int64", (3,))
    with pytest.raises(TypeError, match=r"expected a tensor variable, got"):
        as_tensor_variable(scalar.float64("s"))
    with pytest.raises(TypeError, match=r"cannot make a constant of 'a'"):
        as_tensor_variable("a")
    with pytest.raises(ValueError, match=r"expected 2 dimensions"):
        as_tensor_variable(x, ndim=2)
    with pytest.raises(TypeError, match=r"no truth value"):
        bool(x)


def test_scalar_filter():
    value = np.float64(2)
    assert scalar.float64.filter(value, strict=True) is value
    assert type(scalar.float32.filter(0.5)) is np.float32
    assert type(scalar.int64.filter(np.longlong(3))) is np.int64
    assert scalar.int8.filter(np.array(3, "i1")) == 3
    with pytest.raises(TypeError, match=r"expected a NumPy scalar of float64; got float 2.0: strict allows no conv"):
        scalar.float64.filter(2.0, strict=True)
    with pytest.raises(TypeError, match=r"got int 300; pass values from -128 to 127$"):
        scalar.int8.filter(300)


def test_generic_takes_anything():
    thing = object()
    assert generic.filter(thing, strict=True) is thing


@pytest.mark.parametrize(
    ("dtypes", "result"),
    [(("int8", "uint8"), "int16"), (("int64", "float32"), "float64"), (("float32", "complex64"), "complex64"),
     (("float16",), "float16"), (("longdouble", "complex64"), "clongdouble")],
)  # fmt: skip
def test_upcast(dtypes, result):
    assert scalar.upcast(*dtypes) == result


def test_values_eq():
    a = np.array([1.0, np.nan])
    assert TensorType.values_eq(a, a.copy()) and not TensorType.values_eq(a, a.astype("f4"))
    assert TensorType.values_eq_approx(a, a + 1e-12)
    for one, other in (((1,), (2,)), ((2,), (1, 2)), ((), (1,)), ((0,), (1,))):  # equal where they are broadcast
        assert not TensorType.values_eq_approx(np.ones(one), np.ones(other))


@pytest.mark.parametrize("value", [np.longlong(3), [np.longlong(3)], np.array([3], ">q"), np.array([3], "i4")])
def test_every_way_to_int64_ends_at_one_type_number(value):
    made = TensorType("int64", np.shape(value)).filter(value)
    assert made.dtype.num == np.dtype("int64").num and made.item() == 3
