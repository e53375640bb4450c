"""Nothing is lost and nothing is leaked: references, blocks, memory, and each variable's life in C."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import re
import sys
import weakref

import kit
import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import Apply, COp, CType, In, generic

double_type = kit.example("double_type")
CALLS = 1000
IMMORTAL = sys.version_info >= (3, 12)  # None and small integers have no count there


# -- calls that succeed and calls that fail --------------------------------------------------------------------------


class Refusing(CType):
    """A Python object that is no string; the filter refuses."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        if isinstance(value, str):
            raise ValueError("no strings")
        return [value]

    c_declare = generic.Generic.c_declare
    c_init = generic.Generic.c_init
    c_extract = generic.Generic.c_extract
    c_sync = generic.Generic.c_sync
    c_cleanup = generic.Generic.c_cleanup


def raising(*_):
    raise KeyError("perform failed")


def example_function(name):
    """The example's function and arguments for it."""
    module = kit.example(name)
    vector = [np.arange(7.0), np.arange(7.0) + 1]
    if name == "double_type":
        x, y, z = (module.double(letter) for letter in "xyz")
        return opweld.function([x, y, z], module.mul(module.add(x, y), z)), [1.5, 2.25, float("1e300")]
    arguments = {
        "vector_times_scalar": [vector[0], np.array(2.0)],
        "fibby": [np.ones(9)[::2]],
        "drainage": [np.arange(20, dtype="int16").reshape(4, 5)],
    }.get(name, vector)
    return kit.compiled(getattr(module, name), *((a.dtype, a.ndim) for a in arguments)), arguments


def example_cases():
    """Name, function, arguments, keyword arguments, and the exception of one that fails."""
    for name in (
        "vector_times_scalar", "vector_times_vector", "vector_times_vector_file", "fibby", "drainage", "double_type",
    ):  # fmt: skip
        f, given = example_function(name)
        yield f"{name}", f, given, {}, None
        yield f"{name} wrong dtype", f, [*given[:-1], "text"], {}, TypeError
        yield f"{name} too many", f, [*given, given[0]], {}, TypeError
        yield f"{name} too few", f, given[1:], {}, TypeError
        yield f"{name} unknown keyword", f, given, {"nonsense": given[0]}, TypeError
        if name == "double_type":
            yield f"{name} converted", f, [1, 2.5, np.float64(3)], {}, None
            yield f"{name} out", f, given, {"out": 1.0}, TypeError
            continue
        result = f(*given)
        yield f"{name} out", f, given, {"out": result}, None
        yield f"{name} wrong dimensions", f, [given[0][None], *given[1:]], {}, TypeError
        yield f"{name} converted", f, [a.astype("int8") if a.ndim != 2 else a.tolist() for a in given], {}, None
        yield f"{name} swapped", f, [kit.swapped(a) for a in given], {}, None
        if type(result) is list:
            yield f"{name} half an out", f, given, {"out": [None, result[1]]}, None
            yield f"{name} wrong out", f, given, {"out": [result[0], result[0]]}, TypeError
            yield f"{name} wrong shape of out", f, given, {"out": [result[0][1:], result[1]]}, ValueError
        else:
            yield f"{name} wrong out", f, given, {"out": result[None]}, TypeError
            yield f"{name} wrong shape of out", f, given, {"out": result[1:].copy()}, ValueError
            yield f"{name} out over an input", f, given, {"out": given[0].view()}, None
        if name.startswith("vector_times_vector"):
            yield f"{name} fails in C", f, [given[0], given[1][1:]], {}, ValueError
            yield f"{name} fails in C with out", f, [given[0], given[1][1:]], {"out": result}, ValueError


def other_cases():
    a = np.arange(5.0)
    x, y = tensor("float64", name="x"), tensor("float64", name="y")
    times = kit.example("vector_times_vector").vector_times_vector
    middle = opweld.function([x, y], times(kit.Python(lambda v: v + 1)(kit.negate(x)), y))
    yield "perform", middle, [a, a], {}, None
    yield "op after perform fails", middle, [a, a[1:]], {}, ValueError
    yield "perform with out", middle, [a, a], {"out": np.empty(5)}, None
    failing = opweld.function([x, y], times(kit.Python(raising)(kit.negate(x)), y))
    yield "perform raises", failing, [a, a], {}, KeyError
    yield "perform raises with out", failing, [a, a], {"out": np.empty(5)}, KeyError
    wrong = opweld.function([x], kit.negate(kit.Python(lambda v: "text")(x)))
    yield "perform returns nonsense", wrong, [a], {}, TypeError
    identity = opweld.function([x, y], [x, x, kit.View()(y), opweld.as_tensor_variable(a)])
    yield "copies", identity, [a, a], {}, None
    yield "copies with out", identity, [a, a], {"out": (None, np.empty(5), None, np.empty(5))}, None
    yield "copies with wrong out", identity, [a, a], {"out": (None, np.empty(5), None, np.empty(4))}, ValueError
    mutable = opweld.function([In(x, mutable=True)], kit.InPlace()(x))
    yield "in place", mutable, [a.copy()], {}, None
    yield "in place, read only", mutable, [np.broadcast_to(1.0, (3,))], {}, TypeError
    default = opweld.function([x, In(y, value=a)], times(x, y))
    yield "default", default, [a], {}, None
    yield "default, fails", default, [a[1:]], {}, ValueError
    g, r = generic.generic("g"), Refusing()("r")
    objects = opweld.function([g, r], [g, kit.Python(lambda p, q: (p, q), generic.generic)(g, r)])
    yield "objects", objects, [{"a": a}, a], {}, None
    yield "filter fails", objects, [a, "text"], {}, ValueError
    s = opweld.scalar.float64("s")
    yield "scalar", opweld.function([s], s), [np.float64(1.5)], {}, None
    yield "scalar converted", opweld.function([s], s), [3], {}, None


def call_once(f, given, keywords, error):
    """One call; the exception that was asked for, and no other."""
    if error is None:
        f(*given, **keywords)
        return
    try:
        f(*given, **keywords)
    except error:
        return
    raise AssertionError(f"{error.__name__} was not raised")


def flat(f, given, keywords, error):
    """Many calls: no count moves, no block is left; a block a call would be ten times what is let pass."""
    outs = keywords.get("out", ())
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    watched = [f, error, type(f), f.maker, given, keywords, *given, *keywords.values(), *outs]
    watched += [a.base for a in watched if isinstance(a, np.ndarray) and a.base is not None]
    watched += [np.dtype("float64"), *([] if IMMORTAL else [None, True])]
    for _ in range(500):  # what CPython specialises and keeps comes in the first calls
        call_once(f, given, keywords, error)
    runs = []
    for _ in range(3):
        gc.collect()
        blocks, counts = sys.getallocatedblocks(), [sys.getrefcount(item) for item in watched]
        for _ in range(CALLS):
            call_once(f, given, keywords, error)
        gc.collect()
        after = [sys.getrefcount(item) for item in watched]
        moved = [b - a for a, b in zip(counts, after, strict=True)]
        # Other threads and the interpreter itself touch None and True; nothing else may move.
        moved = [d if item not in (None, True) or abs(d) > 100 else 0 for d, item in zip(moved, map(_plain, watched))]
        runs.append((moved, sys.getallocatedblocks() - blocks))
        if not any(moved) and runs[-1][1] <= CALLS // 10:
            return
    raise AssertionError(f"(counts, blocks) after {CALLS} calls, three times: {runs}")


def _plain(item):
    return item if item is None or item is True else ""


@pytest.mark.parametrize("cases", [example_cases, other_cases])
def test_nothing_moves(cases):
    for name, f, given, keywords, error in cases():
        try:
            flat(f, given, keywords, error)
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem}") from None


def test_the_measure_sees_one_reference_a_call():
    kept = []
    x = tensor("float64", name="x")
    f = opweld.function([x], kit.Python(lambda a: kept.append(a) or a.copy())(x))
    with pytest.raises(AssertionError, match="three times"):
        flat(f, [np.ones(3)], {}, None)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_resident_memory_is_flat():
    """Arrays of 2 MiB: of any that is lost at each call, 100 calls show 200 MiB."""
    n = 1 << 18
    x, y = tensor("float64", name="x"), tensor("float64", name="y")
    times = kit.example("vector_times_vector").vector_times_vector
    f = opweld.function([x, y], [times(kit.Python(np.negative)(kit.negate(x)), y), x])
    failing = opweld.function([x, y], times(kit.Python(raising)(kit.negate(x)), kit.negate(y)))
    a, out = np.ones(n), [np.ones(n), np.ones(n)]
    calls = [
        (f, [a, a], {}, None), (f, [a, a], {"out": out}, None), (f, [a, a], {"out": [out[0], a[::-1]]}, None),
        (f, [a, a[1:]], {}, ValueError), (f, [a, a], {"out": [out[0], out[1][1:]]}, ValueError),
        (f, [kit.swapped(a), a.astype("f4")], {}, None), (failing, [a, a], {}, KeyError),
    ]  # fmt: skip
    for call in calls:
        call_once(*call)
        before = resident()
        for _ in range(100):
            call_once(*call)
        assert resident() - before < 50 << 20


# -- what a function holds -------------------------------------------------------------------------------------------


class Held:
    """An object that can be watched."""


def is_freed(reference):
    gc.collect()
    return reference() is None


def test_a_function_its_python_objects_and_its_constants_are_freed():
    performed, default, constant = Held(), Held(), Held()
    x, g = generic.generic("x"), generic.generic("g")

    def call(*objects, held=performed):
        return objects

    data = opweld.Constant(generic.generic, constant)
    f = opweld.function([x, In(g, value=default)], kit.Python(call, generic.generic)(x, g, data))
    assert f(1) == (1, default, constant)
    references = [weakref.ref(item) for item in (f, performed, default, constant, call, f.maker)]
    del f, performed, default, constant, call, data, x, g
    assert [is_freed(reference) for reference in references] == [True] * 6


def test_a_function_that_is_part_of_a_cycle_is_freed():
    f = kit.example("fibby").fibby
    x = tensor("float64", name="x")
    f = opweld.function([x], f(x))
    f.me = f
    watched = weakref.ref(f)
    del f
    assert is_freed(watched)


def test_a_constant_is_held_once_and_let_go():
    data = np.arange(1000.0)
    x = tensor("float64", name="x")
    times = kit.example("vector_times_vector").vector_times_vector
    f = opweld.function([x], times(x, data))
    (constant,) = f.maker.program.constants
    kept = weakref.ref(constant.data)
    count = sys.getrefcount(constant.data)
    for _ in range(10):
        f(np.ones(1000))
    after = sys.getrefcount(constant.data)
    assert after == count
    del f, constant
    assert is_freed(kept)


# -- the life of each variable in C ----------------------------------------------------------------------------------

EXTRACT, INIT, SYNC, CLEANUP, RUN, AFTER = range(1, 7)
NAMES = {EXTRACT: "extract", INIT: "init", SYNC: "sync", CLEANUP: "cleanup", RUN: "run", AFTER: "after"}
RAISES, SILENT, GOES_ON = 1, 2, 3

# What the C below writes, at an address that its text carries: [0] how many events, [1] which of them fails, [2] how,
# [3:] the events.
BOOK = (ctypes.c_long * 4096)()
SUPPORT = f"""
static long *const book = (long *){ctypes.addressof(BOOK)}UL;
/* 1: this event is the one to fail; an exception is set, or not. 0: go on, perhaps with an exception set. */
static int note(long what, long tag)
{{
    long n = book[0]++;
    book[3 + n] = 10 * tag + what;
    if (n != book[1]) return 0;
    if (book[2] != {SILENT}) PyErr_Format(PyExc_ArithmeticError, "event %ld", n);
    return book[2] != {GOES_ON};
}}
"""


class Traced(CType):
    """A Python int, in C a long in memory of its own; each step of its life is written down under its tag."""

    __props__ = ("tag",)

    def __init__(self, tag):
        self.tag = tag

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def c_support_code(self):
        return SUPPORT

    def c_declare(self, name, sub, check_input=True):
        return f"long *{name};"

    def note(self, what, fail):
        return f"if (note({what}, {self.tag})) {fail}\n"

    def c_init(self, name, sub):
        return f"{name} = (long *)calloc(1, sizeof(long));\n" + self.note(INIT, sub["fail"])

    def c_extract(self, name, sub, check_input=True):
        made = f"{name} = (long *)calloc(1, sizeof(long));\n" + self.note(EXTRACT, sub["fail"])
        return made + f"*{name} = PyLong_AsLong(py_{name});"

    def c_sync(self, name, sub):
        return self.note(SYNC, sub["fail"]) + f"Py_XDECREF(py_{name});\npy_{name} = PyLong_FromLong(*{name});"

    def c_cleanup(self, name, sub):
        return f"note({CLEANUP}, {self.tag});\nfree({name});\n{name} = NULL;"


class Sum(COp):
    """The sum of its inputs, of the type given; each run is written down."""

    __props__ = ("otype",)

    def __init__(self, otype):
        self.otype = otype

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [self.otype()])

    def c_support_code(self):
        return SUPPORT

    def c_code(self, node, name, input_names, output_names, sub):
        terms = " + ".join(f"*{x}" for x in input_names)
        return f"""
            char *scratch = (char *)malloc(10);
            if (note({RUN}, {self.otype.tag})) {sub["fail"]}
            *{output_names[0]} = {terms};
        """

    def c_code_cleanup(self, node, name, input_names, output_names, sub):
        return f"note({AFTER}, {self.otype.tag});\nfree(scratch);"


def events():
    return [(NAMES[BOOK[3 + i] % 10], BOOK[3 + i] // 10) for i in range(BOOK[0])]


def run(f, *args, fail_at=-1, how=RAISES, **kwargs):
    """Call with one event that fails; what came of it, and what happened."""
    BOOK[0], BOOK[1], BOOK[2] = 0, fail_at, how
    try:
        result = f(*args, **kwargs)
    except Exception as error:
        result = error
    return result, events()


@pytest.fixture(scope="module")
def traced():
    """(x + y) + y in C, then a Python call, then + x: variables 1 to 6, of which 2 is y and 6 the result."""
    x, y = Traced(1)("x"), Traced(2)("y")
    s = Sum(Traced(4))(Sum(Traced(3))(x, y), y)
    p = kit.Python(lambda a, b: a + b, Traced(5))(s, x)
    return opweld.function([x, y], Sum(Traced(6))(p, s))


def expected_after(trace, at):
    """What must happen when event `at` fails: the op's own clean-up at once, then each variable reached, last first."""
    done = trace[: at + 1]
    what, tag = trace[at]
    rest = [("after", tag)] if what == "run" else []
    reached = [t for w, t in done if w in ("extract", "init")]
    return [*done, *rest, *(("cleanup", t) for t in reversed(reached))]


def test_the_life_of_a_call(traced):
    result, trace = run(traced, 3, 4)
    assert result == (3 + 4 + 4) + 3 + 11
    begun = [t for w, t in trace if w in ("extract", "init")]
    assert sorted(begun) == [1, 2, 3, 4, 5, 6]
    ended = [t for w, t in trace if w == "cleanup"]
    assert ended == begun[::-1]
    assert trace[-6:] == [("cleanup", t) for t in ended]
    for tag in (3, 4, 6):
        assert trace[trace.index(("run", tag)) + 1] == ("after", tag)
    assert trace.index(("sync", 4)) < trace.index(("extract", 5)) < trace.index(("run", 6)) < trace.index(("sync", 6))


def forward(traced):
    trace = run(traced, 3, 4)[1]
    return trace, [i for i, (what, _) in enumerate(trace) if what not in ("cleanup", "after")]


@pytest.mark.parametrize("how", [RAISES, SILENT], ids=["with an exception", "without one"])
def test_a_failure_at_each_place_undoes_what_was_reached(traced, how):
    trace, places = forward(traced)
    assert len(places) >= 10
    for at in places:
        error, seen = run(traced, 3, 4, fail_at=at, how=how)
        assert seen == expected_after(trace, at), trace[at]
        if how == RAISES:
            assert type(error) is ArithmeticError and str(error) == f"event {at}"
        else:
            assert type(error) is RuntimeError, error
            label = {"run": "Sum", "extract": "Traced|Python"}.get(trace[at][0], "Traced")
            assert re.search(rf"\b({label})\b.* failed without setting an exception", str(error))
        assert run(traced, 3, 4) == (25, trace)  # and the next call is as ever


def test_an_exception_that_is_set_and_passed_over_fails_the_call(traced):
    trace, places = forward(traced)
    for at in places:
        error, seen = run(traced, 3, 4, fail_at=at, how=GOES_ON)
        assert type(error) is ArithmeticError and str(error) == f"event {at}", trace[at]
        begun = [t for w, t in seen if w in ("extract", "init")]
        assert [t for w, t in seen if w == "cleanup"] == begun[::-1]
    last = len(trace) - 1
    for at in (i for i, (what, _) in enumerate(trace) if what in ("cleanup", "after")):
        error, seen = run(traced, 3, 4, fail_at=at, how=GOES_ON)
        assert type(error) is ArithmeticError and str(error) == f"event {at}", (trace[at], last)
        if trace[at][0] == "cleanup":
            assert seen == trace


def test_an_exception_in_a_clean_up_does_not_hide_the_one_that_came_first(traced):
    x = Traced(1)("x")
    f = opweld.function([x], kit.Python(raising, Traced(2))(Sum(Traced(3))(x, x)))
    trace = run(f, 1)[1]
    at = trace.index(("cleanup", 1))
    error, seen = run(f, 1, fail_at=at, how=GOES_ON)
    assert type(error) is KeyError and seen == trace


def test_no_reference_moves_at_any_place_of_failure(traced):
    first, second = 10**30, 10**31  # too large for a long: extract fails by itself
    for args in ((first, 4), (3, second)):
        before = [sys.getrefcount(item) for item in (first, second)]
        for _ in range(CALLS):
            assert type(run(traced, *args)[0]) is OverflowError
        gc.collect()
        assert [sys.getrefcount(item) for item in (first, second)] == before
    x, y = 12345678901, 23456789012
    _, places = forward(traced)
    for at, how in itertools.product(places, (RAISES, SILENT, GOES_ON)):
        run(traced, x, y, fail_at=at, how=how)
        gc.collect()
        before = [sys.getrefcount(x), sys.getrefcount(y), sys.getallocatedblocks()]
        for _ in range(50):
            BOOK[0], BOOK[1], BOOK[2] = 0, at, how
            try:
                traced(x, y)
            except (ArithmeticError, RuntimeError):
                pass
        gc.collect()
        after = [sys.getrefcount(x), sys.getrefcount(y), sys.getallocatedblocks()]
        assert after[:2] == before[:2] and after[2] - before[2] < 20


def test_constants_live_as_long_as_the_function(traced):
    x = Traced(1)("x")
    constants = [opweld.Constant(Traced(tag), tag) for tag in (7, 8)]
    BOOK[0], BOOK[1] = 0, -1
    f = opweld.function([x], Sum(Traced(9))(constants[0], x, constants[1]))
    assert events() == [("extract", 7), ("extract", 8)]
    for _ in range(3):
        result, seen = run(f, 1)
        assert result == 16 and not {t for _, t in seen} & {7, 8}
    BOOK[0] = 0
    del f
    gc.collect()
    assert events() == [("cleanup", 8), ("cleanup", 7)]


@pytest.mark.parametrize("how", [RAISES, SILENT, GOES_ON])
def test_a_constant_that_cannot_be_extracted(how):
    x = Traced(1)("x")
    graph = Sum(Traced(9))(opweld.Constant(Traced(7), 1), x, opweld.Constant(Traced(8), 2))
    BOOK[0], BOOK[1] = 0, -1
    opweld.function([x], graph)
    for at, cleaned in ((0, [7]), (1, [8, 7])):
        gc.collect()
        BOOK[0], BOOK[1], BOOK[2] = 0, at, how
        with pytest.raises(RuntimeError if how == SILENT else ArithmeticError):
            opweld.function([x], graph)
        gc.collect()
        begun = [t for w, t in events() if w == "extract"]
        assert [t for w, t in events() if w == "cleanup"] == begun[::-1]
        assert begun[::-1][: len(cleaned)] == cleaned or how == GOES_ON


# -- what a type may do wrong ----------------------------------------------------------------------------------------


class Careless(generic.Generic):
    """Whose c_sync does what `sync` says."""

    __props__ = ("sync",)

    def __init__(self, sync):
        self.sync = sync

    def c_sync(self, name, sub):
        return self.sync.replace("py_V", f"py_{name}").replace("FAIL", sub["fail"])


class Give(COp):
    """The input itself."""

    __props__ = ("otype",)

    def __init__(self, otype):
        self.otype = otype

    def make_node(self, x):
        return Apply(self, [x], [self.otype()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"Py_INCREF({x});\nPy_XSETREF({z}, {x});"


@pytest.mark.parametrize(
    ("sync", "error", "message"),
    [
        ("Py_CLEAR(py_V);", RuntimeError, "c_sync left no object"),
        ("Py_CLEAR(py_V); FAIL", RuntimeError, "Careless.* failed without setting an exception"),
        ('Py_CLEAR(py_V); PyErr_SetString(PyExc_OSError, "mine");', OSError, "(?m)^mine$"),
        ('PyErr_SetString(PyExc_OSError, "mine");', OSError, "(?m)^mine$"),
        ('PyErr_SetString(PyExc_OSError, "mine"); FAIL', OSError, "(?m)^mine$"),
    ],
)
@pytest.mark.parametrize("where", ["result", "perform"])
def test_a_c_sync_that_goes_wrong(sync, error, message, where):
    x = generic.generic("x")
    z = Give(Careless(sync))(x)
    f = opweld.function([x], z if where == "result" else kit.Python(lambda a: a, generic.generic)(z))
    given = Held()
    count = sys.getrefcount(given)
    if where == "perform" and message == "c_sync left no object":
        message = "failed without setting an exception|c_sync left no object"
    for _ in range(10):
        with pytest.raises(error, match=message):
            f(given)
    assert sys.getrefcount(given) == count


def test_an_op_that_fails_without_an_exception_is_named():
    class Mute(COp):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def c_code(self, node, name, input_names, output_names, sub):
            return f"if (PyArray_DIM({input_names[0]}, 0) == 3) {sub['fail']};\n{output_names[0]} = NULL;"

    x = tensor("float64", name="x")
    f = opweld.function([x], Mute()(x))
    with pytest.raises(RuntimeError, match=r"\bMute\b.* failed without setting an exception"):
        f(np.ones(3))
    with pytest.raises(RuntimeError, match=r"Mute.*c_code did not set output 0"):
        f(np.ones(2))


def test_an_init_code_that_fails(tmp_path):
    class Unready(kit.Strided):
        def c_init_code(self):
            return ['PyErr_SetString(PyExc_OSError, "not ready");']

    x = tensor("float64", name="x")
    with pytest.raises((OSError, opweld.LoadError), match="not ready"):
        opweld.function([x], Unready()(x))


def test_doubles_are_made_only_at_the_border():
    """Between two ops over a user's type no Python object is made: the blocks of a call are those of its result."""
    x = double_type.double("x")
    z = x
    for _ in range(50):
        z = double_type.add(z, x)
    f = opweld.function([x], z)
    f(1.0)
    gc.collect()
    before = sys.getallocatedblocks()
    kept = [f(float(i)) for i in range(100)]
    assert sys.getallocatedblocks() - before <= 2 * len(kept) + 20
