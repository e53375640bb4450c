"""Calls that cannot succeed: every message in full, its class, and that nothing is lost or leaked by it."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
from kit import misaligned, swapped
from refusals import EXPECTED, Code, Number, Pass, Python, a, built, caught, functions, put, refuses

from opweld import function
from opweld.tensor import dvector

WRITEABLE = "expected writeable float64 of shape (?,)"
THREE = "float64 of shape (3,)"
read_only = np.arange(3.0)
read_only.flags.writeable = False


class Sub(np.ndarray):
    pass


ARGUMENTS = {
    "missing": ("times", (a,), {}, "times() missing required argument 'y' (position 2)"),
    "all missing": ("times", (), {}, "times() missing required argument 'x' (position 1)"),
    "missing, without a name": ("unnamed", (), {}, "f() missing required argument at position 1"),
    "too many": ("times", (a, a, a), {}, "times() takes 2 positional arguments but 3 were given"),
    "too many for one": ("square", (a, a), {}, "f() takes 1 positional argument but 2 were given"),
    "unknown keyword": ("times", (a,), {"z": a}, "times() got an unexpected keyword argument 'z'; it takes x, y, out"),
    "keyword of what has no name": (
        "unnamed", (a,), {"x": a},
        "f() got an unexpected keyword argument 'x'; it takes y, out, and 1 by position only, which have no name or "
        "share one: In(variable, name=...) names one",
    ),
    "twice": ("times", (a, a), {"x": a}, "times() got multiple values for argument 'x'"),
    "dtype": (
        "times", (a, a.astype("c16")), {},
        f"times() argument 'y': {EXPECTED}, got complex128 of shape (3,); pass y.real",
    ),
    "dtype that loses digits": (
        "ints", (a,), {},
        "ints() argument 'n': expected int32 of shape (?,), got float64 of shape (3,); pass n.astype('int32')",
    ),
    "dtype that is not numeric": (
        "times", (a, np.array(["a"])), {},
        f"times() argument 'y': {EXPECTED}, got str32 of shape (1,): not numeric; pass numbers",
    ),
    "dimensions": (
        "times", (a, a[None]), {}, f"times() argument 'y': {EXPECTED}, got float64 of shape (1, 3); pass y[0]",
    ),
    "size": (
        "fixed", (np.arange(4.0),), {},
        "fixed() argument 'w': expected float64 of shape (3,), got float64 of shape (4,); pass w[:3]",
    ),
    "without a name": (
        "unnamed", ("a", a), {}, f"f() argument 1: {EXPECTED}, got str 'a': not numeric; pass numbers",
    ),
    "None": ("times", (a, None), {}, f"times() argument 'y': {EXPECTED}, got None: not numeric; pass numbers"),
    "a list of anything": (
        "times", (a, [1, "x"]), {}, f"times() argument 'y': {EXPECTED}, got list [1, 'x']: not numeric; pass numbers",
    ),
    "a variable": (
        "times", (a, dvector("v")), {},
        f"times() argument 'y': {EXPECTED}, got TensorVariable v: it is a variable of a graph; pass a value",
    ),
    "a masked array": (
        "times", (a, np.ma.array(a)), {},
        f"times() argument 'y': {EXPECTED}, got masked float64 of shape (3,); pass y.filled()",
    ),
    "numbers that are not kept": (
        "ints", ([1, 2.5],), {},
        "ints() argument 'n': expected int32 of shape (?,), got list [1, 2.5]: its value would change; pass "
        "np.asarray(n).astype('int32')",
    ),
    "strict: byte order": (
        "strict", (swapped(a), a), {},
        f"strict() argument 'x': {EXPECTED}, got {THREE}, byte-swapped: strict converts nothing; pass "
        "x.astype('float64')",
    ),
    "strict: alignment": (
        "strict", (misaligned(a), a), {},
        f"strict() argument 'x': {EXPECTED}, got {THREE}, misaligned: strict converts nothing; pass "
        "x.astype('float64')",
    ),
    "strict: dtype": (
        "strict", (a.astype("f4"), a), {},
        f"strict() argument 'x': {EXPECTED}, got float32 of shape (3,): strict converts nothing; pass "
        "x.astype('float64')",
    ),
    "strict: a list": (
        "strict", ([1.0], a), {},
        f"strict() argument 'x': {EXPECTED}, got list [1.0]: strict converts nothing; pass np.asarray(x, 'float64')",
    ),
    "mutable: read-only": (
        "mutable", (read_only, a), {}, f"mutable() argument 'x': {WRITEABLE}, got {THREE}, read-only; pass x.copy()",
    ),
    "mutable: byte order": (
        "mutable", (swapped(a), a), {},
        f"mutable() argument 'x': {WRITEABLE}, got {THREE}, byte-swapped: in place; pass x.astype('float64')",
    ),
    "a type of the user's": ("number", (3,), {}, "number() argument 'x0': expected a float, got 3"),
    "out: read-only": (
        "times", (a, a), {"out": read_only},
        f"times() out: {WRITEABLE}, got {THREE}, read-only; pass np.empty((3,), 'float64')",
    ),
    "out: dtype": (
        "times", (a, a), {"out": np.empty(3, "f4")},
        f"times() out: {WRITEABLE}, got float32 of shape (3,); pass np.empty((3,), 'float64')",
    ),
    "out: dimensions": (
        "times", (a, a), {"out": np.empty((3, 1))},
        f"times() out: {WRITEABLE}, got float64 of shape (3, 1); pass None",
    ),
    "out: byte order": (
        "times", (a, a), {"out": swapped(a)},
        f"times() out: {WRITEABLE}, got {THREE}, byte-swapped; pass np.empty((3,), 'float64')",
    ),
    "out: alignment": (
        "times", (a, a), {"out": misaligned(a)},
        f"times() out: {WRITEABLE}, got {THREE}, misaligned; pass np.empty((3,), 'float64')",
    ),
    "out: a subclass": (
        "times", (a, a), {"out": a.view(Sub)},
        f"times() out: {WRITEABLE}, got Sub {THREE}; pass out.view(np.ndarray)",
    ),
    "out: no array": ("times", (a, a), {"out": 3}, f"times() out: {WRITEABLE}, got int 3; pass None"),
    "out: one of several": (
        "two", (a, a), {"out": [None, read_only]},
        f"two() out[1]: {WRITEABLE}, got {THREE}, read-only; pass np.empty((3,), 'float64')",
    ),
    "out: an array for several": (
        "two", (a, a), {"out": a},
        "two() got numpy.ndarray as out=, expected a list of 2: an array or None for each result",
    ),
    "out: too long": (
        "times", (a, a), {"out": [None, None]},
        "times() got out= of length 2, expected 1: an array or None for each result",
    ),
    "out: too short": (
        "two", (a, a), {"out": (a,)}, "two() got out= of length 1, expected 2: an array or None for each result",
    ),
    "out: a type that takes none": (
        "number", (1.0,), {"out": 2.0},
        "number() out: an output of type Number{fixed=False} cannot be written into a given object; pass None",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments(case):
    name, args, kwargs, message = ARGUMENTS[case]
    f = functions()[name]
    refuses(lambda: f(*args, **kwargs), TypeError, message, *args, *kwargs.values(), a, read_only, f)
    np.testing.assert_array_equal(functions()["times"](a, a), [0, 1, 4])
    np.testing.assert_array_equal(a, [0, 1, 2])


def test_out_of_the_wrong_shape():
    f, out, other = functions()["times"], np.empty(2), np.empty(3)
    message = "times() got out= of shape (2,), and result 0 has shape (3,); pass np.empty((3,), 'float64')"
    refuses(lambda: f(a, a, out=out), ValueError, message, a, out)
    message = (
        "fixed() out: expected writeable float64 of shape (3,), got float64 of shape (2,); pass np.empty((3,), "
        "'float64')"
    )
    refuses(lambda: functions()["fixed"](a, out=out), ValueError, message, a, out)
    message = "two() cannot write results 0 and 1 to arrays that share memory: pass two"
    refuses(lambda: functions()["two"](a, a, out=[other, other[1:]]), ValueError, message, a, other)


def test_the_check_itself_finds_what_leaks():
    kept = []

    def call():
        kept.append(a)
        raise ValueError("no")

    with pytest.raises(AssertionError, match="references to"):
        refuses(call, ValueError, "no", a)
    with pytest.raises(AssertionError, match="again and again"):
        refuses(lambda: kept.append(kept[:1]) or int("x"), ValueError, "invalid literal for int() with base 10: 'x'")


# -- a call that fails inside ----------------------------------------------------------------------------------


def test_an_error_of_a_fragment_stays_as_it_is():
    b = np.arange(2.0)
    refuses(lambda: functions()["times"](a, b), ValueError, "Times: x has 3 elements, y has 2", a, b)


def test_a_fragment_that_fails_without_an_exception():
    advice = "failed without setting an exception; set one, as by PyErr_SetString, before fail"
    f = built(Code("FAIL"), name="g")
    refuses(lambda: f(a), RuntimeError, f"g(): Code.c_code {advice}", a)

    class Deaf(Number):
        def c_extract(self, name, sub, check_input=True):
            return sub["fail"]

    g = built(Pass(), Deaf())
    refuses(lambda: g(1.5), RuntimeError, f"f(): Deaf.c_extract {advice}")
    constant = Deaf().make_constant(1.5)
    message = f"f(): Deaf.c_extract {advice.replace('failed', 'failed on a constant')}"
    refuses(lambda: function([], Pass()(constant)), RuntimeError, message, constant)


def test_an_exception_that_is_set_without_fail():
    f = built(Code('PyErr_SetString(PyExc_IndexError, "went on"); GOOD'))
    refuses(lambda: f(a), IndexError, "went on", a)


class Mute(Number):
    def c_sync(self, name, sub):
        return f"Py_CLEAR(py_{name});"


def test_a_sync_that_leaves_nothing():
    f = built(Pass(), Mute())
    message = "f(): Mute.c_sync left no object in py_<name> for result 0, and set no exception"
    refuses(lambda: f(1.5), RuntimeError, message)
    x = Mute()("x")
    g = function([x], put(2.5)(Pass()(x)))
    message = "f(): c_sync left no object in py_<name> for input 0 of a perform, and set no exception"
    refuses(lambda: g(1.5), RuntimeError, message)


def test_a_filter_that_gives_what_its_type_does_not_take():
    class Strange(Number):
        def filter(self, value):
            return 3

        def c_declare(self, name, sub, check_input=True):
            return f"double {name};"

        def c_extract(self, name, sub, check_input=True):
            return f"{name} = PyFloat_AsDouble(py_{name});"

        def c_accept(self, name, writeable=False):
            return None if writeable else f"PyFloat_CheckExact(py_{name})"

    f = built(Pass(), Strange())
    assert f(1.5) == 1.5
    refuses(lambda: f("a"), TypeError, "Strange.filter returned int, for which the type's own c_accept is false")


# -- perform ---------------------------------------------------------------------------------------------------


def boom(inputs, output_storage):
    raise KeyError("boom")


def test_an_exception_from_perform_is_the_users_own():
    f = built(Python(boom))
    refuses(lambda: f(a), KeyError, "'boom'", a)
    err = caught(lambda: f(a), KeyError)
    assert err.__cause__ is None and err.__context__ is None
    frames = [(frame.filename, frame.name) for frame in traceback.extract_tb(err.__traceback__)]
    assert [name for _, name in frames[-2:]] == ["perform", "boom"] and frames[-1][0] == boom.__code__.co_filename


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError])
def test_an_exception_from_perform_of_any_class(kind):
    def perform(inputs, output_storage):
        raise kind("mine")

    f = built(Python(perform))
    refuses(lambda: f(a), kind, "mine", a)


def replace(inputs, output_storage):
    output_storage[0] = inputs[0]


def drop(inputs, output_storage):
    del output_storage[0]


class Shown:
    """What does not copy itself into a message."""

    def __repr__(self):
        return "Shown()"


PERFORMS = {
    "nothing": (
        Python(lambda inputs, output_storage: None),
        f"Python: perform did not set output_storage[0][0]: {EXPECTED}, got None: not numeric; pass numbers",
    ),
    "no array": (
        put(Shown()),
        f"Python: perform's output_storage[0][0]: {EXPECTED}, got Shown Shown(): not numeric; pass numbers",
    ),
    "dtype": (
        put(a.astype("c16")),
        f"Python: perform's output_storage[0][0]: {EXPECTED}, got complex128 of shape (3,); pass x.real",
    ),
    "dimensions": (
        put(a[None]),
        f"Python: perform's output_storage[0][0]: {EXPECTED}, got float64 of shape (1, 3); pass x[0]",
    ),
    "the cell replaced": (
        Python(replace),
        "Python: perform put something in place of output_storage[0]; write output_storage[0][0] = …",
    ),
    "the cell dropped": (
        Python(drop),
        "Python: perform put something in place of output_storage[0]; write output_storage[0][0] = …",
    ),
}


@pytest.mark.parametrize("case", PERFORMS)
def test_performs_that_give_what_they_must_not(case):
    op, message = PERFORMS[case]
    f = built(op)
    refuses(lambda: f(a), TypeError, message, a)
