"""What goes in and comes out: C against Python for every dtype and layout, the rules for arguments, ``out=``."""

from __future__ import annotations

import ctypes
import re

import hypothesis
import kit
import numpy as np
import pytest
from hypothesis import strategies as st
from kit import DTYPES, LAYOUTS, MAX_NDIM, compiled, data_of, reference, tensor, values

import opweld
from opweld import In, config, generic, scalar
from opweld.tensor import TensorType

vector_times_scalar = kit.example("vector_times_scalar").vector_times_scalar
vector_times_vector = kit.example("vector_times_vector").vector_times_vector
vector_times_vector_file = kit.example("vector_times_vector_file").vector_times_vector_file
fibby = kit.example("fibby").fibby
drainage = kit.example("drainage").drainage
doubles = kit.example("double_type")


def same(ours, theirs):
    """Equal dtype, shape and values; NaN equals NaN."""
    assert type(ours) is np.ndarray or (type(ours) is theirs.dtype.type and not theirs.ndim)
    assert ours.dtype == theirs.dtype and ours.dtype.isnative and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours, theirs)


def check(op, *arrays):
    """C against Python; the arguments stay as they are and nothing of them is in the result."""
    before = [a.copy() for a in arrays]
    result = compiled(op, *((a.dtype.newbyteorder("="), a.ndim) for a in arrays))(*arrays)
    with np.errstate(all="ignore"):
        expected = reference(op, *(a.astype(a.dtype.newbyteorder("=")) for a in arrays))
    for ours, theirs in zip(result if isinstance(result, list) else [result], expected, strict=True):
        same(ours, theirs)
        assert not any(np.shares_memory(ours, a) for a in arrays)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


# -- C against Python ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout(dtype):
    for ndim, shape in ((0, ()), (1, (7,)), (2, (4, 5)), (3, (3, 2, 4))):
        base = values(dtype, shape, ndim)
        for make in LAYOUTS.values():
            check(kit.negate, make(base))


@pytest.mark.parametrize("dtype", DTYPES)
@hypothesis.given(data=st.data())
def test_any_layout(dtype, data):
    check(kit.negate, data.draw(kit.arrays(dtype, data.draw(st.sampled_from([1, 2, 3])))))


@pytest.mark.parametrize("op", [vector_times_vector, vector_times_vector_file], ids=["methods", "file"])
@hypothesis.given(data=st.data())
def test_any_layout_of_two(op, data):
    x = data.draw(kit.arrays("int32", 1))
    y = values("float32", x.shape, data.draw(st.integers(0, 9)))
    check(op, x, kit.misaligned(y) if data.draw(st.booleans()) else y)
    check(vector_times_scalar, x, y.sum(keepdims=False).reshape(()))


@hypothesis.given(data=st.data())
def test_any_layout_of_the_examples(data):
    with np.errstate(all="ignore"):
        check(fibby, data.draw(kit.arrays("float64", 1)))
    check(drainage, data.draw(kit.arrays("int16", 2)))


@pytest.mark.parametrize("ndim", [4, 31, 32, 33, MAX_NDIM])
def test_many_dimensions(ndim):
    if ndim > MAX_NDIM:
        pytest.skip(f"this NumPy has {MAX_NDIM} dimensions")
    x = np.arange(6.0).reshape((2,) + (1,) * (ndim - 2) + (3,))
    f = compiled(kit.negate, ("float64", ndim))
    same(f(x), -x)
    same(f(x.T), -x.T)
    got = "shape (1, 1, 3)" if ndim == 4 else f"{ndim - 1} dimensions"
    with pytest.raises(
        TypeError, match=re.escape(f"expected float64 of {ndim} dimensions, got float64 of {got}; pass x0[None]")
    ):
        f(x[0])


def test_more_dimensions_than_numpy_has():
    with pytest.raises(ValueError, match=f"{MAX_NDIM + 1} dimensions: NumPy allows {MAX_NDIM}"):
        TensorType("float64", (None,) * (MAX_NDIM + 1))


def test_ten_million_elements():
    x = np.arange(10**7, dtype="int32")
    f = compiled(kit.negate, ("int32", 1))
    assert np.array_equal(f(x), -x)
    assert np.array_equal(f(x[::-1]), -x[::-1])
    assert np.array_equal(f(np.broadcast_to(np.int32(7), (10**7,))), np.full(10**7, -7))
    g = compiled(kit.negate, ("int32", 2))
    y = x.reshape(2500, 4000)
    assert np.array_equal(g(y.T), -y.T)
    assert np.array_equal(g(kit.swapped(y)), -y)


# -- graphs ----------------------------------------------------------------------------------------------------------


def test_one_op_on_one_dtype_is_one_kernel_and_on_two_dtypes_two():
    x, y = tensor("float64", name="x"), tensor("float32", name="y")
    f = opweld.function([x, y], [kit.negate(kit.negate(x)), kit.negate(y)])
    assert [k["label"] for k in f.maker.program.data["kernels"]] == ["Strided", "Strided"]
    assert len(f.maker.program.data["steps"]) == 3
    a, b = values("float64", 4), values("float32", 4)
    got = f(a, b)
    assert type(got) is list
    same(got[0], a)
    same(got[1], -b)


def test_a_chain_of_a_thousand_nodes():
    x = tensor("float64", name="x")
    z = x
    for _ in range(1000):
        z = kit.negate(z)
    f = opweld.function([x], kit.negate(z))
    assert len(f.maker.fgraph.toposort()) == 1001 and len(f.maker.program.data["kernels"]) == 1
    a = values("float64", 5)
    same(f(a), -a)


def test_one_output_is_bare_and_a_list_is_a_list():
    x = tensor("float64", name="x")
    a = values("float64", 3)
    assert type(opweld.function([x], kit.negate(x))(a)) is np.ndarray
    alone = opweld.function([x], [kit.negate(x)])(a)
    assert type(alone) is list and len(alone) == 1
    none = opweld.function([x], [], on_unused_input="ignore")(a)
    assert none == []


def test_several_outputs_of_one_op():
    a = values("float64", 6)
    negated, length = compiled(kit.split, ("float64", 1))(a)
    same(negated, -a)
    assert length.shape == () and length == 6


def test_an_output_that_is_an_input_is_copied():
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    f = opweld.function([x, y], [y, x, x])
    a, b = np.asfortranarray(values("float64", (3, 4))), values("float64", (2, 2))
    got = f(a, b)
    for ours, theirs in zip(got, [b, a, a], strict=True):
        same(ours, theirs)
    assert not any(np.shares_memory(p, q) for p in got for q in (a, b))
    assert not np.shares_memory(got[1], got[2])


def test_one_variable_as_two_outputs_is_two_arrays():
    x = tensor("float64", name="x")
    z = kit.negate(x)
    got = opweld.function([x], [z, z])(np.ones(3))
    assert not np.shares_memory(*got) and (got[0] == got[1]).all()


def test_an_output_that_is_a_view_is_copied():
    x = tensor("float64", name="x")
    f = opweld.function([x], kit.View()(x))
    a = np.arange(5.0)
    z = f(a)
    same(z, a[::-1])
    assert not np.shares_memory(z, a)
    # A view of what the function made itself is nobody else's.
    g = opweld.function([x], kit.View()(kit.negate(x)))
    same(g(a), -a[::-1])


def test_outputs_of_two_calls_are_two_arrays():
    f = compiled(kit.negate, ("float64", 1))
    first, second = f(np.ones(3)), f(np.zeros(3))
    assert not np.shares_memory(first, second)
    same(first, -np.ones(3))


def test_what_the_caller_holds_is_never_written_again():
    """Temporaries may be kept between calls; not where a result, or Python in the middle, holds their memory."""
    x = tensor("float64", name="x")
    shown = []

    def show(a):
        shown.append(a)
        return a

    makers = {
        "itself": lambda t: t,
        "a view": kit.View(),
        "a view of a view": lambda t: kit.View()(kit.View()(t)),
        "changed in place": kit.InPlace(),
        "shown to Python": lambda t: kit.negate(kit.Python(show)(t)),
        "given back by Python": lambda t: kit.Python(lambda a: a[::-1])(t),
        "a view, shown": lambda t: kit.negate(kit.Python(show)(kit.View()(t))),
    }
    for name, make in makers.items():
        f = opweld.function([x], make(kit.negate(kit.negate(x))))
        held = [(f(np.full(1000, float(i))), i + (name == "changed in place")) for i in range(4)]
        for z, i in held:
            assert (abs(z) == i).all(), name
        for a, i in zip(shown, (0.0, 1.0, 2.0, 3.0)):
            assert (abs(a) == i).all(), name
        sizes = [f(np.full(n, 2.0)).shape for n in (1000, 10, 0, 2000)]
        assert sizes == [(1000,), (10,), (0,), (2000,)], name
        shown.clear()


def test_no_inputs():
    c = opweld.as_tensor_variable(np.arange(3.0))
    f = opweld.function([], c)
    one = f()
    same(one, np.arange(3.0))
    one[:] = 9
    same(f(), np.arange(3.0))
    same(opweld.function([], kit.negate(c))(), -np.arange(3.0))


def test_a_constant_is_what_it_was_when_the_graph_was_made():
    data = np.arange(3.0)
    x = tensor("float64", name="x")
    f = opweld.function([x], vector_times_vector(x, data))
    data[:] = -1
    same(f(np.ones(3)), np.arange(3.0))


def test_python_in_the_middle_of_c():
    seen = []

    def double(a):
        seen.append(a)
        return a * 2

    x = tensor("float64", name="x")
    f = opweld.function([x], kit.negate(kit.Python(double)(kit.negate(x))))
    a = values("float64", 5)
    same(f(a), 2 * a)
    assert type(seen[0]) is np.ndarray and not np.shares_memory(seen[0], a)


def test_what_perform_returns_passes_the_filter():
    x = tensor("float64", name="x")
    f = opweld.function([x], kit.negate(kit.Python(lambda a: [1, 2])(x)))
    same(f(np.ones(1)), np.array([-1.0, -2.0]))
    g = opweld.function([x], kit.Python(lambda a: a.astype(complex))(x))
    with pytest.raises(TypeError, match=r"perform's .*expected float64 of .*complex128"):
        g(np.ones(1))
    h = opweld.function([x], kit.Python(lambda a: None)(x))
    with pytest.raises(TypeError, match=r"perform.* not set|did not set|nothing"):
        h(np.ones(1))


def test_a_type_of_the_users_between_arrays():
    x, a, b = tensor("float64", name="x"), doubles.double("a"), doubles.double("b")
    f = opweld.function([x, a, b], kit.negate(kit.Scale()(x, doubles.mul(doubles.add(a, b), 2.0))))
    v = values("float64", 4)
    same(f(v, 1, b=0.5), -3.0 * v)
    with pytest.raises(TypeError, match=r"argument 'b': Double: "):
        f(v, 1.0, "2")


class TestScalarType:
    @pytest.mark.parametrize("dtype", DTYPES)
    def test_every_dtype(self, dtype):
        x = scalar.get_scalar_type(dtype)("x")
        f = opweld.function([x], x)
        value = np.dtype(dtype).type(values(dtype, ())[()])
        got = f(value)
        assert type(got) is np.dtype(dtype).type and got == value
        assert f(np.array(value)) == value
        assert type(f(1)) is np.dtype(dtype).type and f(1) == 1
        with pytest.raises(TypeError, match="argument 'x'"):
            f("1")
        with pytest.raises(TypeError, match="argument 'x'"):
            f(np.ones(1, dtype))

    def test_what_does_not_fit(self):
        f = opweld.function([x := scalar.int8("x")], x)
        for wrong in (128, 1.5, 2**70, np.int64(1000), 1j, None):
            with pytest.raises(TypeError, match="argument 'x'"):
                f(wrong)
        assert f(np.int64(5)) == 5 and f(2.0) == 2

    def test_out_is_refused(self):
        f = opweld.function([x := scalar.float64("x")], x)
        with pytest.raises(TypeError, match="cannot be written into a given object"):
            f(1.0, out=np.zeros(()))
        assert f(1.0, out=None) == 1.0


class TestGeneric:
    def test_any_object(self):
        x, y = generic.generic("x"), tensor("float64", name="y")
        first = kit.Python(lambda d: d["a"], TensorType("float64", (None,)))(x)
        f = opweld.function([x, y], [kit.negate(first), kit.Python(lambda a: (a, 1), generic.generic)(y)])
        a, b = values("float64", 3), values("float64", 2)
        got = f({"a": a}, b)
        same(got[0], -a)
        assert got[1][1] == 1
        same(got[1][0], b)

    def test_an_output_that_is_an_input_is_a_copy(self):
        f = opweld.function([x := generic.generic("x")], x)
        given = [1, [2]]
        got = f(given)
        assert got == given and got is not given
        assert f(None) is None


# -- arguments -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def times():
    """x * y of vectors, y has a default."""
    x, y = tensor("float64", name="x"), tensor("float64", name="y")
    return opweld.function([x, In(y, value=[2.0, 3.0])], vector_times_vector(x, y), name="times")


class TestBinding:
    def test_positions_names_and_defaults(self, times):
        a, b = np.array([1.0, 2.0]), np.array([5.0, 7.0])
        for got in (times(a, b), times(a, y=b), times(y=b, x=a), times(**{"y": b, "x": a}), times(*[a, b])):
            same(got, a * b)
        same(times(a), a * [2.0, 3.0])
        same(times(x=a), a * [2.0, 3.0])

    def test_a_name_that_is_not_interned(self, times):
        name = "".join(["x"])
        same(times(**{name: np.ones(2)}), np.array([2.0, 3.0]))
        same(times(np.ones(2), **{"".join(["o", "ut"]): None}), np.array([2.0, 3.0]))

    def test_a_default_is_a_copy(self):
        y = tensor("float64", name="y")
        given = np.ones(2)
        f = opweld.function([In(y, value=given)], kit.negate(y))
        given[:] = 5
        same(f(), -np.ones(2))

    def test_a_default_passes_the_filter_when_the_function_is_made(self):
        y = tensor("int8", name="y")
        with pytest.raises(TypeError, match=r"argument 'y'"):
            opweld.function([In(y, value=[1000])], kit.negate(y))

    @pytest.mark.parametrize(
        ("args", "kwargs", "message"),
        [
            ((1, 2, 3), {}, "times() takes 2 positional arguments but 3 were given"),
            ((), {}, "times() missing required argument 'x' (position 1)"),
            ((), {"y": [1.0]}, "times() missing required argument 'x' (position 1)"),
            (([1.0],), {"x": [1.0]}, "times() got multiple values for argument 'x'"),
            (([1.0],), {"z": 1}, "times() got an unexpected keyword argument 'z'; it takes x, y, out"),
        ],
    )
    def test_wrong_counts_and_names(self, times, args, kwargs, message):
        with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
            times(*args, **kwargs)

    def test_inputs_without_a_name(self):
        x, y = tensor("float64"), tensor("float64")
        f = opweld.function([x, y], vector_times_vector(x, y))
        same(f([1.0], [2.0]), np.array([2.0]))
        with pytest.raises(TypeError, match=r"^f\(\) missing required argument at position 2$"):
            f([1.0])
        with pytest.raises(TypeError, match="argument 2: expected float64 of"):
            f([1.0], "a")


class TestArguments:
    """Which array is taken as it is, what is converted, what is refused."""

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_the_right_array_is_not_copied(self, dtype):
        f = compiled(kit.address, (dtype, 2))
        base = values(dtype, (6, 8))
        for name in set(LAYOUTS) - {"misaligned", "swapped"}:
            x = LAYOUTS[name](base)
            assert f(x)[0] == data_of(x), name

    @pytest.mark.parametrize("dtype", sorted(set(DTYPES) - {"bool", "int8", "uint8"}))
    def test_misaligned_and_swapped_are_copied(self, dtype):
        f = compiled(kit.address, (dtype, 1))
        x = values(dtype, 5)
        strict = opweld.function([In(v := tensor(dtype, name="v"), strict=True)], kit.address(v))
        mutable = opweld.function([In(v := tensor(dtype, name="v"), mutable=True)], kit.address(v))
        for spoiled, word in ((kit.misaligned(x), "misaligned"), (kit.swapped(x), "byte-swapped")):
            assert f(spoiled)[0] != data_of(spoiled)
            for refusing, why in ((strict, "strict converts nothing"), (mutable, "in place")):
                with pytest.raises(TypeError, match=rf"'v': expected .*, {word}: {why}; pass v\.astype"):
                    refusing(spoiled)
        assert strict(x)[0] == mutable(x)[0] == data_of(x)

    def test_a_copy_keeps_the_order_of_the_axes(self):
        shown = []
        x = tensor("float64", 2, "x")
        f = opweld.function([x], kit.Python(lambda a: shown.append(a.flags.f_contiguous) or a.copy())(x))
        f(np.asfortranarray(values("int32", (3, 4))))
        f(values("int32", (3, 4)))
        f(kit.swapped(np.asfortranarray(values("float64", (3, 4)))))
        assert shown == [True, False, True]

    @pytest.mark.parametrize("wanted", DTYPES)
    def test_what_numpy_casts_safely_is_converted_and_no_other(self, wanted):
        f = compiled(kit.copy, (wanted, 1))
        strict = opweld.function([In(v := tensor(wanted, name="v"), strict=True)], kit.copy(v))
        for given in DTYPES:
            x = values(given, 3)
            if given == wanted:
                same(strict(x), x)
                continue
            if np.dtype(given) != np.dtype(wanted):
                with pytest.raises(
                    TypeError, match=r"argument 'v': .*: strict converts nothing; pass v\.(astype|real)"
                ):
                    strict(x)
            if np.can_cast(given, wanted, "safe"):
                same(f(x), x.astype(wanted))
            else:
                with pytest.raises(
                    TypeError, match=f"'x0': expected {wanted} of .*, got {given} of .*; pass x0.(astype|real)"
                ):
                    f(x)

    @pytest.mark.parametrize(
        ("dtype", "value", "kept"),
        [
            ("float64", 3, True), ("float64", 2**53, True), ("float64", 2**53 + 1, False), ("float64", True, True),
            ("float64", 2**1023, True), ("float64", 10**400, False), ("float64", float("nan"), True),
            ("float64", 1j, False), ("float64", "1", False), ("float64", None, False), ("float64", b"1", False),
            ("float32", 0.5, True), ("float32", 0.1, False), ("float32", float("inf"), True), ("float32", 1e300, False),
            ("float32", 2**24 + 1, False), ("float16", 2048, True), ("float16", 2049, False), ("float16", 70000, False),
            ("longdouble", 2**64 - 1, True), ("longdouble", 0.1, True),
            ("int8", 127, True), ("int8", 128, False), ("int8", -128, True), ("int8", 1.0, True), ("int8", 1.5, False),
            ("int8", float("nan"), False), ("int8", 2**70, False), ("int64", -(2**63), True), ("int64", 2**63, False),
            ("int64", 2**63 - 1, True), ("longdouble", 2**70, True), ("longdouble", 2**70 + 1, False),
            ("int64", 2.0**62, True), ("int64", 2.0**63, False), ("uint64", 2**64 - 1, True), ("uint64", 2**64, False),
            ("uint64", -1, False), ("uint8", -1, False), ("bool", 1, True), ("bool", 2, False), ("bool", 0.0, True),
            ("complex64", 1 + 0.5j, True), ("complex64", 0.1j, False), ("complex128", 0.1, True),
        ],
    )  # fmt: skip
    def test_python_numbers_where_every_value_is_kept(self, dtype, value, kept):
        for ndim, given in ((0, value), (1, [value, value])):
            x = tensor(dtype, ndim, "x0")
            f = opweld.function([x], kit.copy(x), options={"conventions": "theano"})
            if kept:
                same(f(given), np.array(given, dtype))
                same(f(tuple(given) if ndim else given), np.array(given, dtype))
            else:
                with pytest.raises(TypeError, match=rf"^f\(\) argument 'x0': expected {dtype} of"):
                    f(given)

    def test_a_python_float_becomes_floatx(self, monkeypatch):
        x, y = tensor("float32", 0, "x"), tensor("float32", 0, "y")
        outputs, options = [kit.copy(x), kit.copy(y)], {"conventions": "theano"}
        f = opweld.function([x, In(y, allow_downcast=False)], outputs, options=options)
        with pytest.raises(TypeError, match=r"argument 'x'.*got float 0\.1: its value would change"):
            f(0.1, 0.5)
        monkeypatch.setattr(config, "floatX", "float32")
        assert f(0.1, 0.5)[0] == np.float32(0.1)
        with pytest.raises(TypeError, match=r"argument 'y'.*got float 0\.1: its value would change"):
            f(0.5, 0.1)

    def test_allow_downcast(self):
        x = tensor("int8", name="x")
        f = opweld.function([x], kit.copy(x), allow_input_downcast=True)
        same(f(np.array([1.7, -2.2])), np.array([1, -2], "int8"))
        same(f([3.9]), np.array([3], "int8"))
        g = opweld.function([In(x, allow_downcast=False)], kit.copy(x), allow_input_downcast=True)
        with pytest.raises(TypeError, match=r"expected int8 of .*, got .*; pass "):
            g(np.array([1.0]))
        with pytest.raises(TypeError, match="not numeric"):
            f(["a"])

    def test_dimensions_are_never_added(self):
        f = compiled(kit.copy, ("float64", 1))
        for wrong in (np.zeros((1, 2)), np.zeros(()), 1.0, [[1.0]]):
            with pytest.raises(
                TypeError,
                match=r"expected float64 of shape \(\?,\), got .*; pass (x0\[0\]|x0\[None\]|\[x0\]|np\.asarray)",
            ):
                f(wrong)
        with pytest.raises(TypeError, match="NumPy refuses it; pass rows of one length"):
            f([[1.0], [1.0, 2.0]])

    def test_scalars_and_arrays_without_dimensions_are_the_same(self):
        f = compiled(kit.copy, ("float64", 0))
        for given in (2, 2.0, np.float32(2), np.array(2), np.array(2.0), np.int8(2)):
            same(f(given), np.array(2.0))

    def test_known_sizes(self):
        x = TensorType("float64", (3, None))("x")
        f = opweld.function([x], [kit.copy(x), kit.address(x)])
        a = np.ones((3, 2))
        assert f(a)[1][0] == data_of(a)
        same(f(np.ones((3, 0), "int8"))[0], np.ones((3, 0)))
        for wrong in (np.ones((2, 3)), np.ones((2, 3), "int8"), [[1.0, 2.0]]):
            with pytest.raises(TypeError, match=r"shape \(3, \?\), got .*; pass np\.pad\(x,\[\(0,[12]\),\(0,0\)\]\)"):
                f(wrong)
        row = TensorType("float64", broadcastable=(True, False))("x")
        with pytest.raises(TypeError, match=r"shape \(1, \?\)"):
            opweld.function([row], kit.copy(row))(np.ones((2, 2)))

    @pytest.mark.parametrize("char", ["l", "q", "L", "Q"])
    def test_int64_has_two_names_in_c(self, char):
        x = np.arange(4).astype(char)
        dtype = "int64" if char in "lq" else "uint64"
        for options in ({}, {"strict": True}, {"mutable": True}):
            v = tensor(dtype, name="v")
            assert opweld.function([In(v, **options)], kit.address(v))(x)[0] == data_of(x)
        assert compiled(kit.address, ("float64", 1))(x)[0] != data_of(x)
        typed = np.zeros(3, ctypes.c_longlong)
        assert compiled(kit.address, ("int64", 1))(typed)[0] == data_of(typed)

    def test_what_is_a_longlong_may_be_written_into(self):
        x = tensor("int64", name="x")
        f = opweld.function([In(x, mutable=True)], kit.InPlace()(x))
        a = np.arange(3).astype("q")
        same(f(a), np.array([1, 2, 3]))
        assert a.tolist() == [1, 2, 3]

    def test_mutable(self):
        x = tensor("float64", name="x")
        f = opweld.function([In(x, mutable=True)], kit.InPlace()(x))
        a = np.zeros(4)
        z = f(a[::2])
        assert a.tolist() == [1, 0, 1, 0] and z.tolist() == [1, 1]
        assert not np.shares_memory(z, a)
        readonly = np.zeros(3)
        readonly.flags.writeable = False
        with pytest.raises(TypeError, match=r"read-only; pass x\.copy\(\)"):
            f(readonly)
        for wrong in (np.zeros(3, "int8"), [1.0]):
            with pytest.raises(TypeError, match=r"argument 'x': expected writeable float64.*: in place; pass "):
                f(wrong)

    def test_a_read_only_input_is_taken_as_it_is(self):
        x = np.arange(3.0)
        x.flags.writeable = False
        assert compiled(kit.address, ("float64", 1))(x)[0] == data_of(x)
        same(compiled(kit.negate, ("float64", 1))(x), -x)

    @pytest.mark.filterwarnings("ignore:the matrix subclass")
    def test_subclasses_of_ndarray(self):
        class Mine(np.ndarray):
            pass

        f = compiled(kit.address, ("float64", 1))
        x = np.arange(3.0).view(Mine)
        assert f(x)[0] == data_of(x)
        assert type(compiled(kit.negate, ("float64", 1))(x)) is np.ndarray
        with pytest.raises(TypeError, match=r"got masked float64 of shape \(2,\); pass x0\.filled\(\)"):
            f(np.ma.masked_array([1.0, 2.0], [True, False]))
        with pytest.raises(TypeError, match=r"got matrix float64 of shape \(1, 2\); pass np\.asarray\(x0\)\[0\]"):
            f(np.asmatrix("1.0 2.0"))
        same(compiled(kit.negate, ("float64", 2))(np.asmatrix("1.0 2.0")), np.array([[-1.0, -2.0]]))

    def test_dtypes_that_are_no_numbers(self):
        f = compiled(kit.copy, ("float64", 1))
        for wrong in (
            np.array(["a"]), np.array([None]), np.array([1], "M8[s]"), np.zeros(2, [("a", "f8")]),
            np.array([1], "m8[s]"),
        ):  # fmt: skip
            with pytest.raises(TypeError, match="not numeric"):
                f(wrong)

    def test_objects_that_numpy_reads(self):
        f = compiled(kit.negate, ("int32", 1))
        for given in (range(3), memoryview(np.arange(3, dtype="int32")), [np.int64(0), 1, 2]):
            same(f(given), -np.arange(3, dtype="int32"))
        with pytest.raises(TypeError, match="variable of a graph"):
            f(tensor("int32"))


# -- out= --------------------------------------------------------------------------------------------------------------


class TestOut:
    @pytest.mark.parametrize("op", [kit.negate, kit.fresh], ids=["kept", "copied"])
    def test_the_result_is_the_object_given(self, op):
        f = compiled(op, ("float64", 2))
        x = values("float64", (4, 6))
        for out in (
            np.empty((4, 6)), np.empty((6, 4)).T, np.empty((8, 12))[::2, ::2], np.empty((4, 6))[::-1, ::-1],
            kit.inside(np.empty((4, 6))),
        ):  # fmt: skip
            out[...] = np.nan
            assert f(x, out=out) is out
            np.testing.assert_array_equal(out, -x)

    def test_nothing_is_written_beside_a_slice(self):
        f = compiled(kit.negate, ("float64", 1))
        whole = np.full(9, 5.0)
        f(np.ones(3), out=whole[1:7:2])
        assert whole.tolist() == [5, -1, 5, -1, 5, -1, 5, 5, 5]

    @pytest.mark.parametrize("op", [kit.negate, kit.fresh], ids=["kept", "copied"])
    def test_a_wrong_shape_is_a_value_error(self, op):
        f = compiled(op, ("float64", 1))
        with pytest.raises(ValueError, match=r"^f\(\) got out= of shape \(4,\), .*result 0 has shape \(3,\)"):
            f(np.ones(3), out=np.empty(4))
        with pytest.raises(ValueError, match="shape"):
            f(np.ones(1), out=np.empty(4))  # never broadcast

    def test_known_sizes(self):
        x = TensorType("float64", (3,))("x")
        f = opweld.function([x], kit.negate(x))
        with pytest.raises(ValueError, match=r"got float64 of shape \(4,\); pass np\.empty\(\(3,\), 'float64'\)"):
            f(np.ones(3), out=np.empty(4))
        out = np.empty(3)
        assert f(np.ones(3), out=out) is out

    def test_what_is_refused(self):
        f = compiled(kit.negate, ("float64", 1))
        x = np.ones(3)
        readonly = np.empty(3)
        readonly.flags.writeable = False
        for wrong in (
            np.empty(3, "float32"), np.empty((3, 1)), np.empty(3, ">f8"), readonly, kit.misaligned(np.empty(3)),
            np.broadcast_to(1.0, (3,)), [1.0, 2.0, 3.0], 5, "out", np.empty(3, "O"), np.ma.masked_array(np.empty(3)),
            [np.empty(3, "float32")], (5,),
        ):  # fmt: skip
            with pytest.raises(TypeError, match=r"^f\(\) (out|got out=)"):
                f(x, out=wrong)
        assert readonly.base is None and f(x, out=[None]).tolist() == [-1, -1, -1]

    def test_read_only_says_so(self):
        out = np.empty(3)
        out.flags.writeable = False
        with pytest.raises(TypeError, match=r"^f\(\) out: expected writeable .*, got .*, read-only; pass np\.empty"):
            compiled(kit.negate, ("float64", 1))(np.ones(3), out=out)

    @pytest.mark.parametrize("op", [kit.negate, kit.fresh], ids=["kept", "copied"])
    @hypothesis.given(
        starts=st.tuples(st.integers(0, 6), st.integers(0, 6)),
        steps=st.sampled_from([(1, 1), (1, -1), (2, 1), (-1, 2)]),
    )
    def test_out_may_overlap_inputs(self, op, starts, steps):
        memory = np.arange(20.0)
        x, out = (memory[at:][:12][::step][:6] for at, step in zip(starts, steps))
        expected = -x
        assert compiled(op, ("float64", 1))(x, out=out) is out
        np.testing.assert_array_equal(out, expected)

    def test_out_may_be_an_input(self):
        f = compiled(vector_times_vector, ("float64", 1), ("float64", 1))
        x, y = np.arange(5.0), np.arange(5.0) + 2
        expected = x * y
        assert f(x, y, out=y) is y
        same(y, expected)
        z = np.arange(5.0)
        assert f(z, z, out=z) is z and z.tolist() == [0, 1, 4, 9, 16]

    def test_fibby_over_its_own_input(self):
        """A recurrence reads what it wrote: a copy must stand between."""
        x = np.ones(6)
        assert compiled(fibby, ("float64", 1))(x[::-1], out=x) is x
        assert x.tolist() == [1, 1, 2, 3, 7, 22]

    def test_out_that_shares_memory_with_a_default(self):
        y = tensor("float64", name="y")
        seen = []
        f = opweld.function([In(y, value=np.ones(2))], kit.negate(kit.Python(lambda a: seen.append(a) or a * 2)(y)))
        same(f(), -2 * np.ones(2))
        assert f(out=seen[0]) is seen[0]
        same(seen[0], -2 * np.ones(2))

    def test_a_list(self):
        f = compiled(kit.split, ("float64", 1))
        x = np.arange(3.0)
        a, n = np.empty(3), np.empty((), "int64")
        got = f(x, out=[a, n])
        assert type(got) is list and got[0] is a and got[1] is n and n == 3
        got = f(x, out=(None, n))
        assert got[0] is not a and got[1] is n
        same(got[0], -x)
        got = f(x, out=[None, None])
        same(got[0], -x)
        same(f(x, out=None)[0], -x)

    def test_a_list_of_the_wrong_length(self):
        f = compiled(kit.split, ("float64", 1))
        for wrong in ([], [None], [None] * 3, (None,)):
            with pytest.raises(TypeError, match=rf"^f\(\) got out= .*{len(wrong)}.*, expected 2"):
                f(np.ones(1), out=wrong)
        with pytest.raises(TypeError, match=r"^f\(\) got numpy.ndarray as out=, expected a list of 2"):
            f(np.ones(1), out=np.empty(1))
        with pytest.raises(TypeError, match=r"^f\(\) out\[1\]: expected writeable int64"):
            f(np.ones(1), out=[None, np.empty(())])

    def test_outs_that_share_memory(self):
        x, y = tensor("float64", name="x"), tensor("float64", name="y")
        f = opweld.function([x, y], [kit.negate(x), kit.copy(y)])
        memory = np.zeros(8)
        a, b = np.ones(4), np.full(4, 2.0)
        with pytest.raises(ValueError, match="cannot write results 0 and 1 to arrays that share memory"):
            f(a, b, out=[memory[:4], memory[3:7]])
        with pytest.raises(ValueError, match="share memory"):
            f(a, b, out=[memory[:4], memory[:4][::-1]])
        f(a, b, out=[memory[:4], memory[4:]])
        assert memory.tolist() == [-1] * 4 + [2] * 4
        empty = np.ones(0)
        got = f(a, empty, out=[memory[:4], memory[2:2]])  # nothing is shared with what is empty
        assert got[1].shape == (0,)

    def test_each_result_over_the_other_ones_input(self):
        x, y = tensor("float64", name="x"), tensor("float64", name="y")
        f = opweld.function([x, y], [kit.negate(x), kit.negate(y)])
        a, b = np.ones(3), np.full(3, 2.0)
        f(a, b, out=[b, a])
        assert a.tolist() == [-2] * 3 and b.tolist() == [-1] * 3

    @pytest.mark.parametrize("dtype", DTYPES)
    def test_every_dtype(self, dtype):
        x = values(dtype, (2, 3))
        out = np.zeros((2, 3), dtype)
        assert compiled(kit.copy, (dtype, 2))(x, out=out) is out
        np.testing.assert_array_equal(out, x)

    def test_of_what_python_computed(self):
        x = tensor("float64", name="x")
        f = opweld.function([x], kit.Python(lambda a: a + 1)(x))
        out = np.empty(3)
        assert f(np.ones(3), out=out) is out and out.tolist() == [2, 2, 2]
        with pytest.raises(ValueError, match="shape"):
            f(np.ones(3), out=np.empty(2))

    def test_of_an_input_and_of_a_constant(self):
        x = tensor("float64", name="x")
        f = opweld.function([x], [x, opweld.as_tensor_variable([4.0])])
        a, out = np.arange(3.0), [np.empty(3), np.empty(1)]
        got = f(a, out=out)
        assert got[0] is out[0] and got[1] is out[1] and out[0].tolist() == [0, 1, 2] and out[1] == [4]
        assert f(a, out=[a, None])[0] is a and a.tolist() == [0, 1, 2]

    def test_the_list_may_change_while_the_function_runs(self):
        out = [np.empty(3)]
        x = tensor("float64", name="x")
        f = opweld.function([x], kit.fresh(kit.Python(lambda a: out.clear() or a * 2)(x)))
        assert f(np.ones(3), out=out).tolist() == [-2, -2, -2]

    def test_after_a_failure_the_array_can_be_used_again(self):
        f = compiled(vector_times_vector, ("float64", 1), ("float64", 1))
        out = np.empty(3)
        with pytest.raises(ValueError, match="x has 3 elements, y has 4"):
            f(np.ones(3), np.ones(4), out=out)
        assert f(np.ones(3), np.full(3, 2.0), out=out) is out and out.tolist() == [2, 2, 2]
