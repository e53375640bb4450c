"""What NumPy says of floating point is said of calls too, by the rules of np.errstate, and of nothing else."""

import io
import shutil
import sys
import warnings
import weakref
from contextlib import redirect_stderr

import kit
import numpy as np
import pytest

import opweld
import opweld.compat
from opweld import In, tensor
from opweld import tensor as T
from opweld.compile.data import speaks
from opweld.tensor import TensorType

nan, inf = float("nan"), float("inf")


def heard(call):
    """What a call warns of, each text as often as it comes."""
    with warnings.catch_warnings(record=True) as said, np.errstate(all="warn"):
        warnings.simplefilter("always")
        call()
    assert all(one.category is RuntimeWarning for one in said)
    return [str(one.message) for one in said]


def of(build, *arrays):
    """A function of arrays like these."""
    inputs = [TensorType(array.dtype, (None,) * array.ndim)() for array in arrays]
    return opweld.function(inputs, build(*inputs))


ONE = [  # what NumPy computes, on what, and what it says
    ("divide", np.divide, ([1.0, 2.0], [0.0, 1.0]), "d", ["divide by zero"]),
    ("divide", np.divide, ([0.0, 1.0], [0.0, 0.0]), "f", ["divide by zero", "invalid value"]),
    ("divide", np.divide, ([1e300], [1e-300]), "d", ["overflow"]),
    ("divide", np.divide, ([1, 2], [0, 1]), "l", ["divide by zero"]),
    ("multiply", np.multiply, ([1e200], [1e200]), "d", ["overflow"]),
    ("multiply", np.multiply, ([1e-200], [1e-200]), "d", ["underflow"]),
    ("multiply", np.multiply, ([inf, 1], [0, 1]), "d", ["invalid value"]),
    ("multiply", np.multiply, ([60000], [2]), "e", ["overflow"]),
    ("subtract", np.subtract, ([inf], [inf]), "f", ["invalid value"]),
    ("add", np.add, ([1e308], [1e308]), "d", ["overflow"]),
    ("floor_divide", np.floor_divide, ([7, -128], [0, -1]), "b", ["divide by zero", "overflow"]),
    ("floor_divide", np.floor_divide, ([7], [0]), "H", ["divide by zero"]),
    ("floor_divide", np.floor_divide, ([7.0], [0.0]), "d", ["divide by zero"]),
    ("remainder", np.remainder, ([7, 8], [0, 3]), "l", ["divide by zero"]),
    ("remainder", np.remainder, ([7, 8], [0, 3]), "B", ["divide by zero"]),
    ("remainder", np.remainder, ([7.0], [0.0]), "d", ["invalid value"]),
    ("fmod", np.fmod, ([7], [0]), "i", ["divide by zero"]),
    ("power", np.power, ([0.0], [-1.0]), "d", ["divide by zero"]),
    ("power", np.power, ([1e10], [100.0]), "d", ["overflow"]),
    ("log", np.log, ([0.0],), "d", ["divide by zero"]),
    ("log", np.log, ([-1.0],), "f", ["invalid value"]),
    ("sqrt", np.sqrt, ([4.0, -1.0],), "d", ["invalid value"]),
    ("exp", np.exp, ([1000.0],), "d", ["overflow"]),
    ("reciprocal", np.reciprocal, ([0.0],), "d", ["divide by zero"]),
    ("arctanh", np.arctanh, ([1.0],), "d", ["divide by zero"]),
    ("nextafter", np.nextafter, ([65504], [inf]), "e", ["overflow"]),
    ("spacing", np.spacing, ([65504],), "e", ["overflow"]),
]


@pytest.mark.parametrize(("name", "function", "given", "dtype", "kinds"), ONE)
def test_one_operation_says_what_numpys_does(name, function, given, dtype, kinds):
    arrays = [np.array(one, dtype) for one in given]
    f = of(getattr(T, name), *arrays)
    said = heard(lambda: f(*arrays))
    assert said == [f"{kind} encountered in {function.__name__}" for kind in kinds]
    assert said == heard(lambda: function(*arrays))


@pytest.mark.parametrize(
    ("build", "reference", "given", "said"),
    [
        (lambda x: x.sum(), np.sum, [1e308] * 3, "overflow encountered in reduce"),
        (lambda x: x.cumsum(), np.cumsum, [1e308] * 3, "overflow encountered in accumulate"),
        (lambda x: T.cast(x, "float32"), lambda x: x.astype("f4"), [1e300], "overflow encountered in cast"),
        (lambda x: T.cast(x, "int32"), lambda x: x.astype("i4"), [1e300], "invalid value encountered in cast"),
        (lambda x: T.cast(x, "int64"), lambda x: x.astype("i8"), [nan], "invalid value encountered in cast"),
    ],
)
def test_reductions_scans_and_casts(build, reference, given, said):
    array = np.array(given)
    f = of(build, array)
    assert heard(lambda: f(array)) == heard(lambda: reference(array)) == [said]


@pytest.mark.parametrize("dtype", ["e", "f", "d", "g"])
def test_what_says_nothing(dtype):
    a, b = (np.array(one, dtype) for one in ([nan, 1, inf, 2], [1, nan, 1, 2]))
    operations = [T.add, T.multiply, T.subtract, T.maximum, T.minimum, T.fmax, T.equal, T.less, T.greater_equal]
    operations += [lambda x, y: T.where(T.isnan(x), y, x) * 2, lambda x, y: T.where(x > y, x, y) * 0.5]
    f = of(lambda x, y: [op(x, y) for op in operations], a, b)
    assert heard(lambda: f(a, b)) == []


def test_what_is_invalid_beside_nan_that_are_compared():
    x, y, z = np.array([nan, 1.0]), np.array([1.0, 1.0]), np.array([0.0, 2.0])
    f = of(lambda x, y, z: T.where(x > y, x, z / z), x, y, z)
    assert heard(lambda: f(x, y, z)) == ["invalid value encountered in divide"]
    assert heard(lambda: f(x, y, y)) == []
    g = of(lambda x, y: T.cast(T.where(x > y, x, y), "int64"), x, y)
    assert heard(lambda: g([2.0], [1.0])) == [] and heard(lambda: g([2.0], [nan])) == [
        "invalid value encountered in cast"
    ]
    assert heard(lambda: f(y, y, z)) == ["invalid value encountered in divide"]


def test_what_no_result_shows():
    x = np.array([0.0, 4.0])
    f = of(lambda x: T.where(x > 0, 1 / x, 0) + 1 / (1 / x), x)
    assert heard(lambda: f(x)) == ["divide by zero encountered in divide"]  # one 1 / x is left
    with np.errstate(all="ignore"):
        assert f(x).tolist() == [0.0, 4.25]


CHOICES = {
    "product": lambda np, c, x, y: np.where(c > 0, x * y, x),
    "quotient": lambda np, c, x, y: np.where(c > 0, x / y, 0),
    "root": lambda np, c, x, y: np.where(c > 0, np.sqrt(x), y),
    "nested": lambda np, c, x, y: np.where(c > 0, np.where(c > 1, x * y, y), x - y),
    "sum": lambda np, c, x, y: np.where(c > 0, x * y, 0).sum(),
    "both": lambda np, c, x, y: np.logical_and(c > 0, x / y > 0),
}


@pytest.mark.skipif(not shutil.which("gcc"), reason="clang computes what is chosen alone")
@pytest.mark.parametrize("flags", ["-O1", "-O3"])
@pytest.mark.parametrize("name", CHOICES)
def test_what_is_not_chosen_is_computed(name, flags):
    given = np.array([-1.0] * 8), np.array([inf, -1.0] * 4), np.array([0.0] * 8)
    inputs = [T.dvector(n) for n in "cxy"]
    f = opweld.function(
        inputs, CHOICES[name](T, *inputs), on_unused_input="ignore", options={"cc": "gcc", "cflags": flags}
    )
    assert len(opweld.fusion(f).loops) == 1
    assert set(heard(lambda: f(*given))) == set(heard(lambda: CHOICES[name](np, *given)))


def test_other_work_forgets_nothing_of_what_loops_met():
    """NumPy clears the status word whenever it computes."""
    x = T.dvector("x")
    once = kit.Python(lambda a: np.sqrt(a))
    for other in (once, T.argmin, lambda v: kit.Python(lambda a: opweld_again(a) + 0)(v)):
        before, between, after = other(1 / x), other(other(1 / x) * 2.0) + 1.0, other(x) + 1 / x
        for output in (before, between, after, T.sum(1 / x) + other(T.sum(x) + x[:1])):
            f = opweld.function([x], output)
            out = np.empty_like(f([2.0, 1.0]))
            for more in ({}, {"out": out}):
                assert heard(lambda f=f, more=more: f([0.0, 1.0], **more)) == ["divide by zero encountered in divide"]
                assert heard(lambda f=f, more=more: f([2.0, 1.0], **more)) == []


def opweld_again(array):
    x = T.dvector()
    return opweld.function([x], x * 2)(array)


def test_each_node_says_its_own():
    a, b = np.array([1.0, -1.0]), np.array([0.0, 1.0])
    f = of(lambda x, y: [T.log(x) + x / y, T.sqrt(x) * (x / y)], a, b)
    wanted = [
        "divide by zero encountered in divide",
        "invalid value encountered in log",
        "invalid value encountered in sqrt",
    ]
    assert sorted(heard(lambda: f(a, b))) == wanted
    assert sorted(heard(lambda: f(a, [1.0, 1.0]))) == wanted[1:]
    assert heard(lambda: f([1.0, 1.0], [1.0, 1.0])) == []


def failing():
    x, y = T.dvector("x"), T.dvector("y")
    return opweld.function([x, y], (x + 1) / y, name="quotient")


A, B = np.array([1.0, -1.0]), np.array([0.0, 0.0])


def test_the_line_is_the_callers():
    f = failing()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f(A, B)
    assert said[0].filename == __file__ and said[0].lineno == sys._getframe().f_lineno - 1


def test_raise_names_the_node_and_gives_no_result():
    f = failing()
    out = np.full(2, 7.0)
    with np.errstate(divide="raise"):
        for call in (lambda: f(A, B), lambda: f(A, y=B), lambda: f(A, B, out=out)):
            with pytest.raises(FloatingPointError, match=r"^divide by zero encountered in divide") as caught:
                call()
            said = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
            assert "quotient(): Elemwise{divide" in said and "made at" in said and "(x + 1) / y" in said
    with np.errstate(invalid="raise", divide="ignore"):
        with pytest.raises(FloatingPointError, match=r"^invalid value encountered in divide"):
            f(A, B)


def test_warnings_that_are_errors_name_the_node_too():
    f = failing()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in divide") as caught:
            f(A, B)
    assert "made at" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


def test_the_other_ways():
    f = failing()
    reference = (A + 1, B)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(all="ignore"):
            assert np.isinf(f(A, B)[0])
        for how in ("call", "log"):
            ours, theirs = [], []
            for call, taken in ((lambda: f(A, B), ours), (lambda: np.divide(*reference), theirs)):

                class Handler:
                    def __call__(self, *what, taken=taken):
                        taken.append(what)

                    def write(self, text, taken=taken):
                        taken.append(text)

                with np.errstate(all=how, call=Handler()):
                    call()
            assert ours == theirs and len(ours) == 2
            said = []
            for call in (lambda: np.divide(*reference), lambda: f(A, B)):
                with np.errstate(all=how, call=None), pytest.raises(NameError) as caught:
                    call()
                said.append(" ".join(str(caught.value).split()))
            assert said[1].startswith(said[0])
        with np.errstate(all="print"), redirect_stderr(io.StringIO()) as printed:
            f(A, B)
    assert printed.getvalue() == (
        "Warning: divide by zero encountered in divide\nWarning: invalid value encountered in divide\n"
    )


def test_handlers_that_raise():
    f = failing()

    def handler(kind, word):
        raise KeyError(kind)

    with np.errstate(all="call", call=handler), pytest.raises(KeyError, match="divide by zero"):
        f(A, B)
    assert f([1.0], [2.0]).tolist() == [1.0]


def test_the_older_names_say_nothing():
    x, y = T.dvector("x"), T.dvector("y")
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for made in (
            opweld.compat.theano.function([x, y], x / y),
            opweld.function([x, y], x / y, options={"conventions": "theano"}),
            opweld.function([In(x, mutable=True), y], x / y),
        ):
            assert np.isinf(made(np.ones(1), np.zeros(1)))


def test_a_call_that_raises_changes_no_shared_value():
    x = T.dvector("x")
    w = opweld.shared(np.zeros(2), name="w")
    f = opweld.function([x], x / w, updates=[(w, w + 1)])
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        f([1.0, 1.0])
    assert w.get_value().tolist() == [0.0, 0.0]
    assert heard(lambda: f([1.0, 1.0])) == ["divide by zero encountered in divide"]
    assert w.get_value().tolist() == [1.0, 1.0] and heard(lambda: f([1.0, 1.0])) == []


def test_what_was_met_before_the_call_is_not_its():
    f = failing()
    huge = 1e308
    assert huge * 10 == inf
    assert heard(lambda: (huge * 10, f(A, [1.0, 1.0]))) == []


def test_users_ops_are_not_run_again():
    counted = []

    class Counted(opweld.Op):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, storage):
            counted.append(1)
            storage[0][0] = inputs[0] + 0

    x = T.dvector("x")
    f = opweld.function([x], [Counted()(x) * 2, 1 / x, T.where(x > 1, x, kit.negate(x))])
    assert heard(lambda: f([0.0])) == ["divide by zero encountered in divide"] and len(counted) == 1
    assert heard(lambda: f([nan])) == [] and len(counted) == 2


def test_arguments_stay_as_they_are():
    x, y = T.dvector("x"), T.dvector("y")
    z = x / y
    for step in range(6):
        z = (z * x if step % 2 else z + y) - x
    f = opweld.function([x, y], [z, T.sqrt(x - 3)])
    a, b = np.array([1.0, 2.0]), np.array([0.0, 1.0])
    said = heard(lambda: f(a, b))
    assert "divide by zero encountered in divide" in said and "invalid value encountered in sqrt" in said
    assert a.tolist() == [1.0, 2.0] and b.tolist() == [0.0, 1.0]


def test_numbers_and_debugmode():
    s = tensor.dscalar("s")
    f = opweld.function([s], 1 / s)
    assert heard(lambda: f(0.0)) == heard(lambda: f(0)) == ["divide by zero encountered in divide"]
    assert heard(lambda: opweld.function([s], 1 / s, mode="DebugMode")(0.0)) == []


def test_a_function_that_has_spoken_dies_as_before():
    f = failing()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f(A, B)
    assert said
    seen = weakref.ref(f)
    del f
    assert seen() is None


FIXED = {  # what IEEE 754 fixes, flags included
    1: ("negative", "sqrt", "square", "absolute"),
    2: ("add", "subtract", "multiply", "divide", "maximum", "floor_divide"),
}


@pytest.mark.parametrize("seed", range(6))
def test_graphs_at_random_say_what_numpy_says(seed):
    """In loops of many nodes, of which each result is seen and each may be the first that speaks."""
    random = np.random.RandomState(seed)
    steps = []
    for at in range(3, 11):
        arity = random.randint(1, 3)
        steps.append((random.choice(FIXED[arity]), [int(i) for i in random.randint(0, at, arity)]))

    def build(library, values):
        for name, places in steps:
            values.append(getattr(library, name)(*[values[i] for i in places]))
        return values[3:]

    inputs = [T.dvector(name) for name in "abc"]
    f = opweld.function(inputs, build(T, list(inputs)), on_unused_input="ignore")
    for _ in range(4):
        given = [random.choice([0.0, -0.0, 1.0, -2.5, 1e200, -1e-200, inf, nan, 0.5], size=6) for _ in inputs]
        wanted = set(heard(lambda given=given: build(np, list(given))))
        assert set(heard(lambda given=given: f(*given))) == wanted


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_spacing_and_signbit_are_those_of_any_bits(dtype):
    """Of numbers of all bits, in long runs; what the distances overflow to is spoken of."""
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], [T.spacing(x), T.signbit(x)])
    kind = np.dtype(dtype)
    bits = np.random.default_rng(0).integers(0, 2 ** (8 * kind.itemsize) - 1, 2000, dtype=f"u{kind.itemsize}")
    values = np.concatenate([bits.view(kind), np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -2], kind)])
    with np.errstate(all="ignore"):
        found, signs = f(values)
        np.testing.assert_array_equal(found, np.spacing(values))
        np.testing.assert_array_equal(signs, np.signbit(values))
    for most in (np.finfo(dtype).max, -np.finfo(dtype).max):
        with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="overflow encountered in spacing"):
            f(np.array([most], kind))


@pytest.mark.parametrize("n", [1, 3, 1000, 1024, 1025, 5000])
def test_what_was_met_before_is_told_apart_in_calls_of_any_length(n):
    x, y = T.dvector("x"), T.dvector("y")
    f = opweld.function([x, y], x / y)
    huge, good, bad, out = 1e308, np.ones(n), np.ones(n), np.empty(n)
    bad[-1] = 0.0
    assert heard(lambda: (huge * 10, f(good, good))) == []
    assert heard(lambda: (huge * 10, f(good, good, out=out))) == []
    assert heard(lambda: (huge * 10, f(good, bad, out=out))) == ["divide by zero encountered in divide"]
    assert heard(lambda: f(good, bad)) == ["divide by zero encountered in divide"]
    assert out[-1] == inf and (out[:-1] == 1).all()


def test_of_users_ops_alone_nothing_can_be_said():
    class Mine(opweld.COp):
        __props__ = ()

        def make_node(self, x):
            return opweld.Apply(self, [x], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            return f"Py_XDECREF({z}); {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);"

    x = T.dvector("x")
    assert not speaks(Mine()(x).owner.outputs) and not speaks([kit.negate(x)])
    assert speaks([Mine()(1 / x)]) and speaks([x * 2])
    assert heard(lambda: opweld.function([x], Mine()(x))([0.0])) == []
    assert heard(lambda: opweld.function([x], Mine()(1 / x))([0.0])) == ["divide by zero encountered in divide"]
