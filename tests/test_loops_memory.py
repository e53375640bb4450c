"""Loops over memory that is shared, kept or missing: in place, storage of temporaries, references, sanitizers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import threading
import tracemalloc
from pathlib import Path

import kit
import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import Apply, COp, In, scalar
from opweld import tensor as T
from opweld.scalar import ScalarOp
from opweld.tensor import Elemwise

pytestmark = pytest.mark.usefixtures("optimized")

HERE = Path(__file__).resolve().parent


class Given(ScalarOp):
    """Any C: X, Y are the inputs, Z, W the outputs, of the first input's dtype. FAIL fails."""

    __props__ = ("text", "nin", "nout")

    def __init__(self, text, nin=1, nout=1, identity=None):
        super().__init__()
        self.text, self.nin, self.nout = text, nin, nout
        if identity is not None:
            self.identity = identity

    def output_types(self, types):
        return [types[0]] * self.nout

    def c_code(self, node, name, inputs, outputs, sub):
        text = self.text.replace("FAIL", sub["fail"])
        for letter, variable in zip("XYZW", [*inputs[:2], *[""] * (2 - len(inputs)), *outputs]):
            text = text.replace(letter, variable)
        return text

    def c_code_cache_version(self):
        return (1,)


class Opaque(COp):
    """A vector, by any C; the output is Z, the input X."""

    __props__ = ("text",)

    def __init__(self, text):
        self.text = text

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return self.text.replace("X", input_names[0]).replace("Z", output_names[0])

    def c_code_cache_version(self):
        return (1,)


# -- in place ----------------------------------------------------------------------------------------------------

over = Elemwise(scalar.add, {0: 0})


def adder(ndim=1, dtype="float64", op=over, second=None):
    x, y = tensor(dtype, ndim, "x"), tensor(dtype, ndim if second is None else second, "y")
    return opweld.function([In(x, mutable=True), y], op(x, y))


def base():
    return np.arange(10.0) ** 2


SECOND = {
    "apart": lambda a: np.ones(len(a)),
    "itself": lambda a: a,
    "the same view": lambda a: a[:],
    "reversed": lambda a: a[::-1],
    "one number of it": lambda a: a[4:5],
    "the first number": lambda a: a[:1],
    "broadcast": lambda a: np.broadcast_to(a[3:4], a.shape),
}


@pytest.mark.parametrize("name", SECOND)
@pytest.mark.parametrize("first", [slice(None), slice(1, None), slice(None, None, 2), slice(None, None, -1)])
def test_an_operand_that_shares_memory_with_what_is_written_over(name, first):
    f = adder()
    given = base()[first]
    wanted = given + SECOND[name](given)
    got = f(given, SECOND[name](given))
    np.testing.assert_array_equal(got, wanted)
    if name in ("apart", "itself", "the same view"):
        np.testing.assert_array_equal(given, wanted)


def test_operands_that_overlap_by_one():
    for shift in (1, -1):
        a = base()
        x, y = (a[1:], a[:-1])[::shift]
        wanted = x + y
        np.testing.assert_array_equal(adder()(x, y), wanted)


def test_parts_of_the_number_that_is_written_over():
    z, x = tensor("complex128", 1, "z"), tensor("float64", 1, "x")
    f = opweld.function([In(z, mutable=True), x], Elemwise(scalar.add, {0: 0})(z, T.cast(x, "complex128")))
    for part in ("real", "imag"):
        a = base() + 1j * base()[::-1]
        wanted = a + getattr(a, part)
        np.testing.assert_array_equal(f(a, getattr(a, part)), wanted)
    g = opweld.function([In(x, mutable=True), z], Elemwise(Given("Z = X + (double)__real__ Y * 2;", 2), {0: 0})(x, z))
    for part in ("real", "imag"):
        a = base() + 1j * base()[::-1]
        wanted = getattr(a, part) + a.real * 2
        np.testing.assert_array_equal(g(getattr(a, part), a), wanted)


def test_what_cannot_be_written_over():
    f = adder(2)
    row, square = base()[None], np.ones((3, 10))
    kept = row.copy()
    np.testing.assert_array_equal(f(row, square), row + square)  # larger than the input
    np.testing.assert_array_equal(row, kept)
    x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
    inner = opweld.function([x, y], over(Opaque(READ_ONLY)(x), y))
    a = base()
    np.testing.assert_array_equal(inner(a, a), a + a)
    np.testing.assert_array_equal(a, base())


READ_ONLY = """
    Py_CLEAR(Z);
    Z = (PyArrayObject *)PyArray_NewCopy(X, NPY_CORDER);
    PyArray_CLEARFLAGS(Z, NPY_ARRAY_WRITEABLE);
"""


def test_numbers_without_dimensions_in_place():
    f = adder(0)
    a = np.array(2.0)
    assert f(a, np.array(3.0)) == 5 and a == 5
    g = adder(0, second=1)
    got = g(a, np.ones(2))
    assert got.tolist() == [6, 6] and a == 5


def test_two_outputs_are_not_written_over_one_array():
    op = Elemwise(Given("Z = X + Y; W = X - Y;", 2, 2), {0: 0, 1: 1})
    x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
    f = opweld.function([In(x, mutable=True), In(y, mutable=True)], op(x, y))
    for index in (slice(None), slice(None, None, 2)):
        a = base()[index]
        wanted = a + a, a - a
        for got, want in zip(f(a, a), wanted, strict=True):
            np.testing.assert_array_equal(got, want)
        a, b = base()[index], np.ones(10)[index]
        wanted = a + b, a - b
        f(a, b)
        np.testing.assert_array_equal(a, wanted[0])
        np.testing.assert_array_equal(b, wanted[1])
    whole = base()
    x, y = whole[:6], whole[4:]
    wanted = x + y, x - y
    for got, want in zip(f(x, y), wanted, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("order", ["C", "F"])
def test_in_place_in_any_order(order):
    f = adder(3)
    a = np.asarray(np.arange(24.0).reshape(2, 3, 4), order=order)
    b = np.arange(24.0).reshape(2, 3, 4)
    wanted = a + b
    f(a, b)
    np.testing.assert_array_equal(a, wanted)
    part = np.zeros((4, 6, 8))[::2, 1::2, ::-2]
    f(part, b)
    np.testing.assert_array_equal(part, b)


# -- storage that is kept ----------------------------------------------------------------------------------------


def test_storage_is_kept_between_calls_of_any_shapes():
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    total = T.add(x, y)
    f = opweld.function([x, y], [T.exp(T.negative(total)), T.sum(T.square(total), 0), T.max(T.multiply(total, x))])
    rng = np.random.default_rng(3)
    for shape in [(3, 4), (3, 4), (4, 3), (1, 4), (3, 4), (3, 0), (300, 40), (3, 4)]:
        for a, b in [
            (rng.normal(size=shape), rng.normal(size=shape)), (rng.normal(size=shape[::-1]).T, rng.normal(size=shape)),
            (rng.normal(size=shape[::-1]).T, rng.normal(size=shape[::-1]).T),
            (rng.normal(size=shape), rng.normal(size=(1, 1))),
            (rng.normal(size=shape)[::-1], rng.normal(size=(shape[0], 1))),
        ]:  # fmt: skip
            if 0 in shape:
                with pytest.raises(
                    ValueError, match=r"^zero-size array to reduction operation maximum which has no identity"
                ):
                    f(a, b)
                continue
            s = a + b
            for got, want in zip(f(a, b), [np.exp(-s), np.square(s).sum(0), (s * a).max()], strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-14)


def test_what_smaller_loops_leave_for_one_another_is_kept_too():
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    f = opweld.function([x, y], T.add(T.exp(x), y))
    rng = np.random.default_rng(4)
    held, shapes = [], [((3, 1), (1, 4))] * 2 + [((1, 4), (3, 1)), ((3, 4), (3, 4)), ((2, 1), (2, 5)), ((3, 1), (1, 4))]
    for shape, other in shapes:
        for order in "CF":
            a, b = np.asarray(rng.normal(size=shape), order=order), rng.normal(size=other)
            held.append((f(a, b), np.exp(a) + b))
    for got, want in held:  # none of them was written again
        np.testing.assert_allclose(got, want, rtol=1e-14)
    a, b = rng.normal(size=(3, 1)), rng.normal(size=(1, 4))
    before = [sys.getrefcount(value) for value in (a, b)]
    blocks = sys.getallocatedblocks()
    for _ in range(200):
        f(a, b)
    assert abs(sys.getallocatedblocks() - blocks) < 100
    assert [sys.getrefcount(value) for value in (a, b)] == before


def test_what_loops_write_in_place_is_kept_where_they_become_one():
    """The mean is divided in place, by a loop that is one with the sum: it takes memory of its own, which is kept."""
    x = tensor("float64", 2, "x")
    f = opweld.function([x], (x - T.mean(x, axis=1, keepdims=True)) / 3)
    a = np.random.default_rng(5).normal(size=(1000, 8))
    want = f(a)
    tracemalloc.start()
    try:
        got = f(a)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert want.nbytes <= peak < want.nbytes + 4000  # the means are 8000
    np.testing.assert_array_equal(got, want)


def test_calls_that_overlap_share_no_storage_between_their_loops():
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    f = opweld.function([x, y], T.add(T.exp(x), y))
    a, b = np.ones((300, 1)), np.zeros((1, 700))  # long enough for other threads to run meanwhile
    wrong = []

    def run(number):
        for _ in range(20):
            if not np.allclose(f(a * number, b), np.exp(float(number))):
                wrong.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_results_are_never_written_again():
    x = tensor("float64", 1, "x")
    f = opweld.function([x], [T.negative(x), T.sum(x, keepdims=True)])
    first = f(np.ones(5))
    kept = [a.copy() for a in first]
    f(np.full(5, 7.0))
    for got, want in zip(first, kept, strict=True):
        np.testing.assert_array_equal(got, want)


# -- references and blocks ---------------------------------------------------------------------------------------


def calls():
    """Functions of loops with arguments on which they succeed, and on which they fail."""
    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    total = T.add(x, y)
    f = opweld.function([x, y], [T.exp(T.negative(total)), T.max(total, 0), T.sum(total)])
    a = np.ones((3, 4))
    yield "plain", f, (a, a), {}, None
    yield "strided", f, (a.T[::-1], a.T), {}, None
    yield "out", f, (a, a), {"out": [np.empty((3, 4), order="F"), np.empty(8)[::2], None]}, None
    yield "wrong out", f, (a, a), {"out": [np.empty((3, 3)), None, None]}, ValueError
    yield "no broadcasting", f, (a, a[:, :3]), {}, ValueError
    yield "nothing to reduce", f, (a[:0], a[:0]), {}, ValueError
    g = adder(2)
    yield "in place", g, (a.copy(), a), {}, None
    yield "not in place", g, (a[:1].copy(), a), {}, None
    n, m = tensor("int64", 1, "n"), tensor("int64", 1, "m")
    power = opweld.function([n, m], T.add(T.power(n, m), 1))
    yield "power", power, (np.arange(9), np.arange(9)), {}, None
    yield "negative power", power, (np.arange(9), np.arange(9) - 8), {}, ValueError
    v = tensor("float64", 1, "v")
    hole = opweld.function([v], T.add(T.negative(v), Opaque("Py_CLEAR(Z);")(v)))
    yield "no array", hole, (a[0],), {}, RuntimeError


CALLS = ["plain", "strided", "out", "wrong out", "no broadcasting", "nothing to reduce", "in place", "not in place",
         "power", "negative power", "no array"]  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_calls_leave_nothing_behind(name):
    ((f, given, keywords, error),) = [case[1:] for case in calls() if case[0] == name]

    def call():
        try:
            f(*given, **keywords)
        except Exception as err:
            assert type(err) is error
        else:
            assert error is None

    watched = [
        f,
        *given,
        *[a for a in keywords.get("out", ()) if a is not None],
        np.dtype("float64"),
        np.dtype("int64"),
    ]
    kit.flat(call, *watched)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_resident_memory_is_flat():
    """Arrays of 2 MiB: of any that is lost at each call, 100 calls show 200 MiB."""
    x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
    f = opweld.function([x, y], [T.exp(T.negative(T.add(x, y))), T.sum(T.square(x), keepdims=True)])
    fails = opweld.function(
        [x, y], T.max(T.add(T.negative(x), Elemwise(Given("if (X == 3) { PyErr_NoMemory(); FAIL } Z = X;"))(y)))
    )
    a, b = np.ones(1 << 18), np.ones(1 << 18)
    b[-1] = 3
    for call, given, error in (
        (f, (a, a), None),
        (f, (a[::-1], a), None),
        (f, (a, a[1:]), ValueError),
        (fails, (a, b), MemoryError),
    ):
        for measure in (False, True):
            before = resident()
            for _ in range(100 if measure else 5):
                if error is None:
                    call(*given)
                else:
                    with pytest.raises(error):
                        call(*given)
            assert not measure or resident() - before < 50 << 20


# -- no memory ---------------------------------------------------------------------------------------------------


def apart(script, **environ):
    """Run a script in a process of its own; what it prints."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in [str(HERE), *sys.path] if path), **environ}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-8000:]
    return done.stdout


NO_MEMORY = """
    import resource
    import numpy as np
    import _testcapi
    import opweld
    from opweld import tensor as T
    from kit import tensor

    x, y = tensor("float64", 2, "x"), tensor("float64", 2, "y")
    total = T.add(x, y)
    f = opweld.function([x, y], [T.exp(T.negative(total)), T.max(total, 0), T.sum(total, keepdims=True)])
    a, b = np.ones((3, 4)), np.ones((4, 3)).T
    wanted = [r.copy() for r in f(a, b)]


    def attempt(given, start, stop):  # a small function: without memory, CPython 3.11 unwinds large ones for ever
        _testcapi.set_nomemory(start, stop)
        try:
            f(*given)
        except BaseException as err:
            return type(err)
        finally:
            _testcapi.remove_mem_hooks()


    seen = set()
    for given in ((a, a), (a, b), (b, b[:1]), (a, a[:, :3])):
        for start in range(60):
            seen |= {attempt(given, start, 0), attempt(given, start, start + 1)}
    assert seen == {None, MemoryError, ValueError}, seen
    for got, want in zip(f(a, b), wanted):
        np.testing.assert_array_equal(got, want)
    assert MemoryError in seen, seen

    limit = 1 << 36
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    huge = np.broadcast_to(1.0, (1 << 17, 1 << 17))
    for _ in range(3):
        try:
            f(huge, huge)
        except MemoryError:
            pass
        else:
            raise AssertionError("128 GiB were found")
    print("done")
"""


def test_memory_that_runs_out():
    pytest.importorskip("_testcapi", reason="CPython's own test module is not installed")
    assert apart(NO_MEMORY) == "done\n"


# -- sanitizers --------------------------------------------------------------------------------------------------

SANITIZE = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
SANITIZED = """
    import itertools
    import numpy as np
    import opweld
    from opweld import In, config, scalar
    from opweld import tensor as T
    from opweld.tensor import Elemwise
    from kit import tensor, values

    config.cflags = config.cxxflags = FLAGS
    rng = np.random.default_rng(0)
    for dtype in ("int8", "int64", "uint16", "float16", "float32", "float64", "longdouble", "complex64", "complex128"):
        x, y = tensor(dtype, 2, "x"), tensor(dtype, 2, "y")
        outputs = [T.add(x, y), T.subtract(x, y), T.multiply(x, y), T.where(T.equal(x, y), x, y), T.maximum(x, y)]
        if np.dtype(dtype).kind in "iu":
            outputs += [T.floor_divide(x, y), T.remainder(x, y), T.left_shift(x, y), T.right_shift(x, y), T.gcd(x, y),
                        T.lcm(x, y), T.absolute(x), T.negative(x), T.fmod(x, y), T.bitwise_count(x)]
        elif np.dtype(dtype).kind == "f":
            outputs += [T.floor_divide(x, y), T.spacing(x), T.nextafter(x, y), *T.frexp(x), T.cast(x, "float16")]
        outputs += [T.sum(x, 0), T.sum(x, 1), T.sum(x), T.prod(x, 0), T.max(x, 0, keepdims=True), T.any(x, 1)]
        f = opweld.function([x, y], outputs)
        for shape in ((1, 700), (700, 1), (40, 30), (129, 300), (0, 5)):
            a, b = values(dtype, shape), values(dtype, shape, 1)
            for view in (lambda v: v, np.asfortranarray, lambda v: v[::-1, ::-1], lambda v: v[:, ::2], lambda v: v[1:]):
                for other in (view(b), b[:1, :1]):
                    try:
                        f(view(a), other)
                    except ValueError as err:
                        assert "zero-size" in str(err) or "broadcast" in str(err), err
        outs = [np.empty((40, 31), o.type.numpy_dtype)[:, 1:] for o in outputs[:4]]
        f(values(dtype, (40, 30)), values(dtype, (40, 30), 1), out=outs + [None] * (len(outputs) - 4))
    x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
    g = opweld.function([In(x, mutable=True), y], Elemwise(scalar.add, {0: 0})(x, y))
    a = np.arange(1000.0)
    for one, two in ((a, a), (a, a[::-1]), (a[1:], a[:-1]), (a, a[:1]), (a[:1], a)):
        g(one.copy() if one is not a else one, two)
        g(one, two)
    print("done")
"""


def test_loops_under_sanitizers(tmp_path):
    found = subprocess.run([shutil.which("gcc") or "cc", "-print-file-name=libasan.so"], capture_output=True, text=True)
    library = Path(found.stdout.strip()).resolve()
    if not library.is_absolute() or not library.exists():
        pytest.skip("the compiler has no libasan")
    script = SANITIZED.replace("FLAGS", repr(SANITIZE))
    environ = {"LD_PRELOAD": str(library), "XDG_CACHE_HOME": str(tmp_path), "PYTHONMALLOC": "malloc"}
    options = "detect_leaks=0:detect_stack_use_after_return=0:allocator_may_return_null=1"
    assert apart(script, ASAN_OPTIONS=options, UBSAN_OPTIONS="print_stacktrace=1", **environ) == "done\n"
