"""Calls that work on what others hold for them hold only what their steps make: they agree with calls by the table."""

import re
import sys

import numpy as np
import pytest

import opweld
from opweld import In, tensor
from opweld.tensor import TensorType


def test_what_plain_means_in_c():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    source = opweld.source(opweld.function([x, y], x * y))
    assert '"TensorType", NPY_FLOAT64, 1, 1}' in source and '{"x", 0, NULL, &opw_f0_fit0}' in source


class Long(TensorType):
    """Says itself what it takes as it is."""

    def c_accept(self, name, writeable=False):
        return f"{super().c_accept(name, writeable)} && PyArray_DIM((PyArrayObject*)py_{name}, 0) > 2"


def test_what_a_plain_type_takes_as_it_is_may_be_a_text():
    x = Long("float64", (None,))("x")
    f = opweld.function([x], x * 2)
    assert '"Long", NPY_FLOAT64, 1, 1}' in opweld.source(f) and '{"x", 0, opw_T0_accept0, NULL}' in opweld.source(f)
    out = np.empty(3)
    assert f(np.arange(4.0)).tolist() == [0, 2, 4, 6] and f([1, 2, 3]).tolist() == [2, 4, 6]
    assert f(np.arange(3.0), out=out) is out
    with pytest.raises(TypeError, match="for which the type's own c_accept is false"):
        f(np.arange(2.0))


@pytest.mark.parametrize("kinds", ["loops", "parts", "views", "shared", "perform"])
def test_loops_alone_need_no_headers_of_python(kinds, own_cache):
    x, s = tensor.dmatrix("x"), opweld.shared(np.ones(3))
    outputs, updates = {
        "loops": ([(x * s).sum(axis=0)], []),
        "parts": ([getattr(tensor, name)(x).sum(axis=axis) for axis in (0, 1) for name in ("exp", "sin", "tanh")], []),
        "views": ([x[1:].T * 2, x[0] + 1], []),
        "shared": ([x + s], [(s, s * 2)]),
        "perform": ([tensor.sort(x, axis=0) * 2], []),
    }[kinds]
    f = opweld.function([x], outputs, updates=updates)
    entries = [path.read_text() for path in own_cache.glob("v2/entry/*/*")]
    light = "Python.h" not in "".join(entries) and "arrayobject" not in "".join(entries)
    assert len(entries) == 1 and light == (kinds != "perform"), opweld.source(f)
    a = np.arange(6.0).reshape(2, 3)
    assert all(np.isfinite(got).all() for got in f(a)) and len(f(a.tolist())) == len(outputs)


def test_sizes_of_a_type_are_compared():
    x = TensorType("float64", (2, None))("x")
    f = opweld.function([x], x * 2)
    assert "{0, 2, -1}" in opweld.source(f)
    assert f(np.ones((2, 3))).shape == (2, 3) and f(np.ones((2, 3)), out=np.empty((2, 3))).shape == (2, 3)
    with pytest.raises(TypeError, match="shape"):
        f(np.ones((3, 3)))
    with pytest.raises((TypeError, ValueError), match="shape"):
        f(np.ones((2, 3)), out=np.empty((3, 3)))


class Counted(TensorType):
    """Says that it is plain, higher up than what it does."""

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return super().c_extract(name, sub, check_input) + '\nPySys_WriteStdout("entered\\n");'


def test_a_text_of_ones_own_is_run(capsys):
    x = Counted("float64", (None,))("x")
    f = opweld.function([x], x * 2)
    assert '"Counted", NPY_FLOAT64, 1, 0}' in opweld.source(f)
    assert f([1.0]).tolist() == [2.0] and capsys.readouterr().out == "entered\n"


@pytest.mark.parametrize("single", [True, False])
def test_results_are_the_callers_alone(single):
    x, y = tensor.dmatrix("x"), tensor.dvector("y")
    outputs = [x * y, x + y]
    f = opweld.function([x, y], outputs[0] if single else outputs)
    a, b = np.arange(6.0).reshape(2, 3), np.ones(3)
    counts = sys.getrefcount(a), sys.getrefcount(b)
    for _ in range(3):
        for one, other in ((a, b), (a.T.copy().T, b[::-1]), ([[1, 2, 3]], b), (a, [1, 2, 3])):
            found = [f(one, other)] if single else f(one, other)
            assert [sys.getrefcount(found[i]) for i in range(len(found))] == [2] * len(found)
            for result, wanted in zip(found, (np.multiply(one, other), np.add(one, other))):
                assert np.array_equal(result, wanted) and result.flags.owndata and result.flags.writeable
            del one, other
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts


def test_arguments_by_name_and_out_go_by_the_table():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, In(y, value=[1.0, 1.0])], x + y)
    a, out = np.arange(2.0), np.empty(2)
    assert f(a).tolist() == f(a, [1, 1]).tolist() == f(y=[1, 1], x=a).tolist() == [1.0, 2.0]
    assert f(a, [1, 1], out=out) is out and out.tolist() == [1.0, 2.0]


class Added(opweld.COp):
    """``x + step``, with a failing path; its text may do more than read its input."""

    __props__ = ("step", "before", "after")

    def __init__(self, step=1.0, before="", after=""):
        self.step, self.before, self.after = step, before, after

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_support_code(self):
        return "static int is_long(PyArrayObject *x) { return PyArray_DIM(x, 0) > 3; }"

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            {self.before.format(x=x, z=z)}
            if (is_long({x})) {{
                PyErr_SetString(PyExc_ArithmeticError, "too long");
                {sub["fail"]}
            }}
            if (!{z} || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), NPY_FLOAT64, 0);
                if (!{z}) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double *)PyArray_GETPTR1({z}, i) = *(double *)PyArray_GETPTR1({x}, i) + {self.step};
            {self.after.format(x=x, z=z)}"""

    def c_code_cache_version(self):
        return (1,)


def lends(f):
    """Whether the function works on what others hold for it."""
    return re.search(r"^     1, 1,$", opweld.source(f), re.MULTILINE) is not None


def test_c_of_ones_own_with_temporaries():
    """The second of three fails: what was made before it is given up, and what was kept serves the next call."""
    x = tensor.dvector("x")
    f = opweld.function([x], Added(3.0)(Added(2.0)(Added()(x))) * 2)
    assert lends(f)
    a, b, long = np.arange(3.0), np.arange(2.0), np.arange(4.0)
    with pytest.raises(ArithmeticError, match="too long"):  # the first error imports what says it
        f(long)
    counts = [sys.getrefcount(v) for v in (a, b, long, None)]
    for _ in range(3):
        for given in (a, a, b, a):
            result = f(given)
            references = sys.getrefcount(result)
            assert references == 2 and result.tolist() == ((given + 6) * 2).tolist()
        with pytest.raises(ArithmeticError, match="too long"):
            f(long)
    del result, given
    after = [sys.getrefcount(v) for v in (a, b, long, None)]
    assert after[:3] == counts[:3] and abs(after[3] - counts[3]) < 20


@pytest.mark.parametrize(
    ("before", "after", "lent"),
    [
        ("", "", True),
        ("Py_INCREF({x}); Py_DECREF({x});", "", False),  # for what one reads, it may be given up for good
        ("", "{x} = {x};", False),
        ("Py_INCREF({x}); Py_XDECREF({z}); {z} = {x}; if (0) {{", "}}", True),
    ],
)
def test_what_an_op_may_replace_goes_by_the_table(before, after, lent):
    x = tensor.dvector("x")
    f = opweld.function([x], Added(0.0, before, after)(x))
    assert lends(f) == lent
    a = np.arange(3.0)
    count = sys.getrefcount(a)
    for _ in range(3):
        assert f(a).tolist() == [0, 1, 2]
    assert sys.getrefcount(a) == count


def test_out_of_one_loop():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x * y + 1.0)
    a, b, out = np.arange(4.0), np.arange(4.0) + 1, np.empty(4)
    wanted = a * b + 1
    count = sys.getrefcount(out)
    assert f(a, b, out=out) is out and np.array_equal(out, wanted)
    assert f(a, 2.0 * np.ones(4), out=out) is out and np.array_equal(out, a * 2 + 1)
    assert f(a, b, out=None) is not out
    strided = np.empty(8)[::2]
    assert f(a, b, out=strided) is strided and np.array_equal(strided, wanted)
    for shift in (slice(0, 4), slice(1, 5)):  # over an input, and beside it
        whole = np.arange(5.0)
        assert np.array_equal(f(whole[:4], b, out=whole[shift]), wanted) and np.array_equal(whole[shift], wanted)
    for first in range(9):  # before an input, over its parts, behind it; and over the other one
        whole = np.arange(12.0)
        assert np.array_equal(f(whole[4:8], b, out=whole[first : first + 4]), wanted + 4 * b), first
        whole = np.arange(12.0)
        assert np.array_equal(f(a, whole[4:8], out=whole[first : first + 4]), a * (a + 4) + 1), first
        beside = [i for i in range(12) if not first <= i < first + 4]
        assert whole[beside].tolist() == beside
    nothing = np.empty(0)
    assert f(nothing, nothing, out=nothing) is nothing and f(a[:0], b[:0], out=nothing) is nothing
    with pytest.raises(ValueError, match=r"out= of shape \(3,\), and result 0 has shape \(4,\)"):
        f(a, b, out=np.empty(3))
    with pytest.raises(TypeError, match=r"got float32 of shape \(4,\); pass np\.empty\(\(4,\), 'float64'\)"):
        f(a, b, out=np.empty(4, "float32"))
    out.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        f(a, b, out=out)
    with pytest.raises(ValueError, match="could not be broadcast"):
        f(a, b[:3], out=np.empty(4))
    with pytest.raises(TypeError, match="unexpected keyword argument 'into'"):
        f(a, b, into=np.empty(4))
    assert sys.getrefcount(out) == count


def test_numbers_where_one_loop_is_all():
    x, s, n = tensor.dvector("x"), tensor.dscalar("s"), tensor.lscalar("n")
    f = opweld.function([x, s, n], [x * s, x + n])
    a, out = np.arange(3.0), [np.empty(3), np.empty(3)]
    for _ in range(3):
        product, shifted = f(a, 2.5, np.int64(3))
        assert np.array_equal(product, a * 2.5) and np.array_equal(shifted, a + 3)
        assert f(a, np.float64(2.5), 3, out=out)[1] is out[1] and np.array_equal(out[1], a + 3)
    with pytest.raises(TypeError, match="argument 'n'"):
        f(a, 2.5, 3.5)
    with pytest.raises((TypeError, OverflowError), match="argument 'n'"):
        f(a, 2.5, 2**70)


def test_what_is_raised_of_floats_after_one_loop():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x / y)
    a, zero, out = np.ones(3), np.zeros(3), np.zeros(3)
    count = sys.getrefcount(out)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        f(a, zero, out=out)
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        f(a, zero)
    with np.errstate(divide="ignore"):
        assert np.isinf(f(a, zero)).all() and f(a, zero, out=out) is out
    assert sys.getrefcount(out) == count


def test_one_array_for_all():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x * y)
    a = np.arange(3.0)
    assert f(a, a).tolist() == [0, 1, 4] and f(a, a[::-1]).tolist() == [0, 1, 0]


def test_what_a_failing_loop_says():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], x * y, name="product")
    a, b = np.ones(3), np.ones(2)
    counts = sys.getrefcount(a), sys.getrefcount(b)
    for args in ((a, b), (a, [1, 2])):
        with pytest.raises(
            ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(2,\)"
        ) as caught:
            f(*args)
        assert "multiply" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    del caught, args
    assert (sys.getrefcount(a), sys.getrefcount(b)) == counts


def test_a_users_scalar_that_fails_after_some_elements():
    class Root(opweld.scalar.UnaryScalarOp):
        __props__ = ()

        def output_types(self, types):
            return types

        def impl(self, x):
            return x**0.5

        def c_code(self, node, name, inputs, outputs, sub):
            return f"""if ({inputs[0]} < 0) {{
                PyErr_SetString(PyExc_ArithmeticError, "negative");
                {sub["fail"]}
            }}
            {outputs[0]} = sqrt({inputs[0]});"""

    x = tensor.dvector("x")
    f = opweld.function([x], tensor.Elemwise(Root())(x))
    assert f([4.0, 9.0]).tolist() == [2.0, 3.0]
    given = np.array([4.0, -1.0])
    count = sys.getrefcount(given)
    with pytest.raises(ArithmeticError, match="negative"):
        f(given)
    assert sys.getrefcount(given) == count


def test_constants_and_more_arguments_than_a_word_has_bits():
    x = tensor.dvector("x")
    assert opweld.function([x], x * np.array([1.0, 2.0]))([3, 4]).tolist() == [3, 8]
    for n in (31, 60, 65):
        many = [tensor.dscalar(f"x{i}") for i in range(n)]
        f = opweld.function(many, sum(many[1:], many[0]))
        assert f(*range(n)) == n * (n - 1) / 2


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "longdouble"])
@pytest.mark.parametrize("inputs", [1, 2, 3])
@pytest.mark.parametrize("told", [None, 2048, "constant"])
def test_vectors_of_every_length(dtype, inputs, told):
    """The shortest way is theirs, where all lengths are free and what else is read are numbers."""
    n = told if told != "constant" else None
    names = [tensor.tensor(dtype=dtype, shape=(n,), name=f"x{i}") for i in range(inputs)]
    by = np.array(1, dtype) if told != "constant" else np.arange(2048).astype(dtype)

    def say(first, *others):
        for other in others:
            first = first | other if dtype == "bool" else first + other
        return first & by if dtype in ("bool", "int64") else first * by

    f = opweld.function(names, say(*names))
    for length in (0, 1, 3, 64, 2047, 2048, 2049):
        given = [np.resize(np.arange(5) + i, length).astype(dtype) for i in range(inputs)]
        out = np.empty(length, dtype)
        if told and length != 2048:
            if told == "constant" and length == 1:  # which broadcasts
                continue
            with pytest.raises((TypeError, ValueError), match=r"shape|broadcast"):
                f(*given, out=out)
            continue
        wanted, count = say(*given), sys.getrefcount(out)
        for _ in range(2):
            result = f(*given)
            assert result.dtype == wanted.dtype and np.array_equal(result, wanted)
            assert f(*given, out=out) is out and np.array_equal(out, wanted)
            assert np.array_equal(f(*[np.repeat(v, 2)[::2] for v in given]), wanted)
            assert np.array_equal(f(*given, out=np.empty(2 * length, dtype)[::2]), wanted)
            assert np.array_equal(f(*[v.tolist() for v in given]), wanted)
        assert sys.getrefcount(out) == count
        for wrong in (np.empty((length, 1), dtype), np.empty((), dtype), np.empty(length + 1, dtype)):
            with pytest.raises((TypeError, ValueError), match=r"shape|dimension"):
                f(*given, out=wrong)
            if wrong.ndim != 1 or (inputs > 1 and length > 1):
                with pytest.raises((TypeError, ValueError), match=r"shape|dimension|broadcast"):
                    f(wrong, *given[1:])


@pytest.mark.parametrize("kinds", ["float64 float64", "float32 float32", "float32 complex128"])
@pytest.mark.parametrize("inputs", [1, 2])
def test_some_begin_at_a_line_of_the_output(kinds, inputs):
    """And nothing is written beside it, wherever it and the inputs lie."""
    dtype, gives = kinds.split()
    names = [tensor.tensor(dtype=dtype, shape=(None,), name=f"x{i}") for i in range(inputs)]

    def say(first, *others):
        value = first * others[0] if others else first * first
        return value + np.array(3, dtype) if gives == dtype else value.astype(gives)

    f = opweld.function(names, say(*names))
    step = 64 // np.dtype(gives).itemsize
    for length in (255, 256, 511, 512, 513, 1023, 1024, 1025, 2047, 2048):
        for shift in range(0, step + 1, max(1, step // 8)):
            given = [np.arange(length + 16, dtype=dtype)[i * shift :][:length] + i for i in range(inputs)]
            room = np.full(length + 3 * step, -7, gives)
            first = step + shift
            out, wanted = room[first : first + length], say(*given)
            assert f(*given, out=out) is out and np.array_equal(out, wanted), (length, shift)
            assert (room[:first] == -7).all() and (room[first + length :] == -7).all(), (length, shift)
            assert np.array_equal(f(*given), wanted)
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow"):
        f(*[np.full(1000, np.finfo(dtype).max)] * inputs)


@pytest.mark.parametrize("reads", ["all", "turned", "one", "twice", "vector"])
def test_what_one_loop_reads_and_how_it_lies(reads):
    x, y, c, d = tensor.dmatrix("x"), tensor.dmatrix("y"), np.array([[1.0, 2, 3], [4, 5, 6]]), np.array([2.0, 3, 4])
    say = {
        "all": lambda x, y: (x + y) * c - 2,
        "turned": lambda x, y: (y - c) / (x + 3),
        "one": lambda x, y: y * c + y,
        "twice": lambda x, y: x * x + y * x * c.T.copy().T,
        "vector": lambda x, y: (x - y) * d,
    }[reads]
    f = opweld.function([x, y], say(x, y), on_unused_input="ignore")
    wide = np.arange(24.0).reshape(4, 6)
    given = [
        c + 1,
        wide[:2, :3],
        wide[::2, ::2],
        np.asfortranarray(c),
        np.ones((2, 3), np.dtype("f8", metadata={"a": 1})),
    ]
    for a in given:
        for b in given:
            out = np.full((2, 3), np.nan)
            assert np.array_equal(f(a, b), say(a, b)) and f(a, b, out=out) is out and np.array_equal(out, say(a, b))
            assert np.array_equal(f(a.tolist(), b, out=out.T.copy().T), say(a, b))
    memory = np.arange(12.0)
    a, b, wanted = memory[:6].reshape(2, 3), c, say(memory[:6].reshape(2, 3), c)
    for shift in (0, 2, 5, 6):  # over an argument, over some of it, behind it
        memory[:] = np.arange(12.0)
        assert np.array_equal(f(a, b, out=memory[shift : shift + 6].reshape(2, 3)), wanted), shift
    for bad in (np.ones((3, 3)), np.ones((2, 4)), np.ones(3)):
        if reads in ("all", "turned", "twice", "vector"):
            with pytest.raises((ValueError, TypeError), match=r"broadcast|shape"):
                f(bad, b)
        with pytest.raises((ValueError, TypeError), match=r"shape|dimension"):
            f(a, b, out=bad)
    if reads == "vector":
        empty = np.empty((0, 3))
        assert f(empty, empty).shape == (0, 3) and f(empty, empty, out=empty) is empty


def test_shared_values_and_updates_go_by_the_table():
    x = tensor.dvector("x")
    w = opweld.shared(np.zeros(2))
    f = opweld.function([x], x + w, updates=[(w, w + x)])
    assert f([1, 2]).tolist() == [1, 2] and f([1, 2]).tolist() == [2, 4] and w.get_value().tolist() == [2, 4]


def test_one_long_loop_is_compiled_in_one_part():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    one = x
    for i in range(48):
        one = one * y if i % 2 else one + y
    several = [kind(x) * y for kind in (tensor.sqrt, tensor.floor, tensor.ceil, tensor.neg)]
    z = tensor.dmatrix("z")
    assert "OPW_PART" not in opweld.source(opweld.function([x, y], one))
    f = opweld.function([x, y, z], [*several, z.sum(axis=0), (z * 2).max(axis=1)])
    assert "#if OPW_PART != 2" in opweld.source(f)
    a, b = np.arange(1.0, 4.0), np.ones((2, 3))
    for got, right in zip(f(a, a, b), [np.sqrt(a) * a, a * a, a * a, -a * a, b.sum(axis=0), b.max(axis=1) * 2]):
        assert np.array_equal(got, right)
