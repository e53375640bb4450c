"""Long loops of functions: without the GIL, on several threads of one pool; the same bits, exceptions, warnings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import scalar

HERE = Path(__file__).resolve().parent
SEVERAL = len(os.sched_getaffinity(0)) > 1
several = pytest.mark.skipif(not SEVERAL, reason="one processor")
TWO = 2 if SEVERAL else 1
EDGES = (2**14 - 1, 2**14, 2**14 + 1, 2**15, 2**15 + 77, 2**16 + 1, 200_003)
rng = np.random.default_rng(0)


def pair(inputs, outputs):
    return [opweld.function(inputs, outputs, threads=threads, on_unused_input="ignore") for threads in (1, TWO)]


def same(pair, *arguments):
    one, two = (made(*arguments) for made in pair)
    for a, b in zip(*(found if isinstance(found, list) else [found] for found in (one, two))):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes() and a.dtype == b.dtype
    return two


x, y = T.dvector("x"), T.dvector("y")
m, k = T.dmatrix("m"), T.dmatrix("k")


@pytest.fixture(scope="module")
def stores():
    return pair([x, y], [T.exp(-x * x / 2) * y + T.sin(x), x + y])


@pytest.mark.parametrize("n", EDGES)
def test_bits_do_not_depend_on_threads(stores, n):
    a, b = rng.normal(size=n), rng.normal(size=n)
    found = same(stores, a, b)
    assert np.allclose(found[0], np.exp(-a * a / 2) * b + np.sin(a), rtol=1e-13, atol=1e-14)
    assert np.array_equal(found[1], a + b)
    same(stores, a[::-1], b)
    same(stores, np.repeat(a, 2)[::2], b)
    same(stores, a, b[:1])


@pytest.fixture(scope="module")
def turned():
    return pair([m, k], [T.sqrt(abs(m)) + k, m * 2 - k])


@pytest.mark.parametrize("shape", [(1, 70_001), (70_001, 1), (3, 40_000), (40_000, 3), (300, 301), (5, 65_536)])
def test_every_layout(turned, shape):
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    c = np.asfortranarray(b)
    wide = np.repeat(a, 2, axis=1)[:, ::2]
    for one, other in ((a, b), (a, c), (c, c), (wide, b), (a, b[:1]), (a, b[:, :1]), (a[::-1], c[:, ::-1])):
        found = same(turned, one, other)
        assert np.array_equal(found[0], np.sqrt(abs(one)) + other) and np.array_equal(found[1], one * 2 - other)


@pytest.fixture(scope="module")
def folds():
    results = []
    for axis in (None, 0, 1):
        results += [m.sum(axis), T.max(m, axis), T.argmin(m, axis), T.mean(m, axis), T.var(m, axis), T.prod(m, axis)]
        results += [T.cumsum(m, axis), (abs(m) + k).sum(axis), T.any(m > 5, axis)]
    return [pair([m, k], result) for result in results]


@pytest.mark.parametrize("shape", [(1, 70_001), (70_001, 1), (2, 50_000), (50_000, 2), (300, 1001), (7, 65_536)])
def test_what_folds(folds, shape):
    a, b = rng.normal(size=shape), rng.normal(size=shape)
    for made in folds:
        same(made, a, b)
        same(made, np.asfortranarray(a), b[:, ::-1])
    for axis, at in ((None, 0), (0, 9), (1, 18)):
        assert np.allclose(folds[at][1](a, b), a.sum(axis), rtol=1e-12, atol=1e-9)
        assert np.array_equal(folds[at + 1][1](a, b), a.max(axis))
        assert np.array_equal(folds[at + 2][1](a, b), a.argmin(axis))


def test_places_and_ties_are_of_the_first():
    made = pair([x], [T.argmax(x), T.argmin(x)])
    a = np.zeros(300_000)
    assert [int(v) for v in same(made, a)] == [0, 0]
    a[[99_999, 250_000]] = 1, np.nan
    assert [int(v) for v in same(made, a)] == [250_000, 250_000]
    a[250_000] = 1
    assert int(same(made, a)[0]) == 99_999


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
@pytest.mark.parametrize(
    ("number", "function", "said"),
    [
        (0, lambda v: 1 / v, "divide by zero"), (np.inf, lambda v: v - v, "invalid value"),
        ("max", lambda v: v * v, "overflow"), ("tiny", lambda v: v * v, "underflow"),
    ],
    ids=["divide", "invalid", "over", "under"],
)  # fmt: skip
def test_warnings_come_from_any_thread(dtype, number, function, said):
    """Each time, whichever thread met it: glibc's feraiseexcept raises overflow and underflow in the x87 unit alone."""
    value = T.TensorType(dtype, (None,))("value")
    made = pair([value], function(value))
    number = getattr(np.finfo(dtype), number) if isinstance(number, str) else number
    for at in (0, 70_000, 199_999) * 4:
        a = np.ones(200_000, dtype)
        a[at] = number
        for f in made:
            with np.errstate(all="warn"), pytest.warns(RuntimeWarning, match=said):
                f(a)
            with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=said):
                f(a)
    with np.errstate(all="raise"):
        made[1](np.ones(200_000, dtype))


class Root(scalar.UnaryScalarOp):
    """A user's scalar C, which says of the GIL what it is made with."""

    __props__ = ("gil", "c_lang", "slow")

    def __init__(self, gil, c_lang="c", slow=0):
        super().__init__(scalar.upgrade_to_float, "root")
        self.gil, self.c_lang, self.slow = gil, c_lang, slow

    def impl(self, value):
        return np.sqrt(value)

    def c_headers(self):
        return ["<unistd.h>"]

    def c_code(self, node, name, inputs, outputs, sub):
        (value,), (root,), fail = inputs, outputs, sub["fail"]
        raises = f'PyErr_Format(PyExc_ValueError, "%d is negative", (int){value});'
        if self.gil == "released":
            raises = f"PyGILState_STATE held = PyGILState_Ensure(); {raises} PyGILState_Release(held);"
        if self.c_lang == "c++":
            raises, fail = f'throw std::runtime_error(std::to_string((int){value}) + " is negative");', ""
        return f"if ({value} < 0) {{ {raises} {fail} }} if ({self.slow}) usleep({self.slow}); {root} = sqrt({value});"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize(("gil", "lang"), [("held", "c"), ("released", "c"), ("released", "c++")])
def test_the_first_that_fails_is_what_is_said(gil, lang):
    op = T.Elemwise(Root(gil, lang))
    for made in (pair([x], op(x)), pair([x], op(x) + 1), pair([x], op(x).sum())):
        for first in (0, 60_000, 199_990):
            a = np.ones(200_000)
            a[[first, first + 7, 199_999]] = -2 - first, -3, -4
            for f in made:
                for _ in range(3):
                    with pytest.raises(Exception, match=f"{-2 - first} is negative"):
                        f(a)
        same(made, np.abs(a))


CRASH = """
import sys, numpy as np, opweld, opweld.tensor as T
from opweld import scalar

class Wild(scalar.UnaryScalarOp):
    gil = "released"

    def impl(self, value):
        return value

    def c_headers(self):
        return ["<unistd.h>", "<sys/syscall.h>"]

    def c_code(self, node, name, inputs, outputs, sub):
        # the first thread waits for the pool's, which dies
        return f"if (getpid() != syscall(SYS_gettid)) *(volatile int *)8 = 1; usleep(10); {outputs[0]} = {inputs[0]};"

x = T.dvector("x")
f = opweld.function([x], T.Elemwise(Wild(scalar.upgrade_to_float, "wild"))(x), threads=2, name="model")
for _ in range(1000):
    f(np.ones(200_000))
"""


@several
def test_a_crash_in_the_pool_names_itself(tmp_path):
    path = tmp_path / "wild.py"
    path.write_text(CRASH)
    done = subprocess.run([sys.executable, "-X", "faulthandler", path], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == -signal.SIGSEGV, done.stderr
    assert done.stderr.startswith("opweld: SIGSEGV in model(), "), done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr


def ticks(work, times=1):
    """How often another thread of Python's came to run while `work` did: once, or until that is 4, `times` at most."""
    seen, ended = [0], threading.Event()

    def tick():
        while not ended.wait(0.001):
            seen[0] += 1

    other = threading.Thread(target=tick)
    other.start()
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e9)  # nobody asks for the GIL: it must be given up
    try:
        before = seen[0]
        for _ in range(times):
            work()
            if seen[0] - before > 3:
                break
        return seen[0] - before
    finally:
        sys.setswitchinterval(switch)
        ended.set()
        other.join()


def test_who_gives_up_the_gil():
    a = np.linspace(0, 1, 3_000_000)
    pure = opweld.function([x], [T.exp(T.sin(T.exp(x))), T.tanh(x).sum()])
    assert ticks(lambda: pure(a), 1000) > 3  # a quick processor is through before the other wakes, a busy one later
    b = np.ones(20_000)
    held, released = (opweld.function([x], T.Elemwise(Root(gil, slow=2))(x)) for gil in ("held", "released"))
    assert ticks(lambda: released(b), 1000) > 3
    assert ticks(lambda: held(b), 5) <= 2


def test_several_of_pythons_threads(stores):
    a, b = rng.normal(size=100_000), rng.normal(size=100_000)
    want, wrong = stores[0](a, b), []

    def work():
        for _ in range(20):
            wrong.extend(1 for found, wanted in zip(stores[1](a, b), want) if not np.array_equal(found, wanted))

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


class Who(scalar.UnaryScalarOp):
    """The thread that computes an element, and takes its time."""

    __props__ = ()
    gil = "released"

    def impl(self, value):
        return value

    def c_headers(self):
        return ["<unistd.h>", "<sys/syscall.h>"]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"double a = {x}; for (int k = 0; k < 20; k++) a = sin(a); {z} = syscall(SYS_gettid) + 0 * a;"

    def c_code_cache_version(self):
        return (1,)


@several
def test_there_is_one_pool():
    """Whatever the functions, modules and callers: of the pool there is one thread."""
    who = T.Elemwise(Who(scalar.upgrade_to_float))
    made = [opweld.function([x], who(x), threads=2), opweld.function([x, y], who(x * y) + 1, threads=2)]
    cop = opweld.cop(
        "x: float64 -> y: float64", "for (int k = 0; k < 20; k++) x = sin(x);\ny = syscall(SYS_gettid) + 0 * x;",
        ufunc=True, threads=2, headers=["<unistd.h>", "<sys/syscall.h>"],
    )  # fmt: skip
    a, met, callers = np.ones(300_000), set(), set()

    def work():
        callers.add(threading.get_native_id())
        for _ in range(3):
            met.update(made[0](a), made[1](a, a) - 1, cop(a))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(met - callers) == 1


ALONE = """
import os, sys, threading, time
import numpy as np, opweld, opweld.tensor as T
x = T.dvector("x")
f = opweld.function([x], T.exp(T.sin(x)), threads=2)
a = np.linspace(0, 1, 2_000_000)
want = f(a)
"""
ENDS = {
    "after a call": "",
    "while a thread computes": """
threading.Thread(target=lambda: [f(a) for _ in range(1000)], daemon=True).start()
time.sleep(0.05)
""",
    "in a fork": """
for _ in range(5):
    child = os.fork()
    if not child:
        g = opweld.function([x], T.exp(T.sin(x)) + 0.0, threads=2)
        os._exit(0 if np.array_equal(f(a), want) and np.array_equal(g(a), want) else 1)
    assert os.waitpid(child, 0)[1] == 0 and np.array_equal(f(a), want)
""",
    "in a fork, while a thread computes": """
threading.Thread(target=lambda: [f(a) for _ in range(1000)], daemon=True).start()
for _ in range(10):
    time.sleep(0.01)
    child = os.fork()
    if not child:
        os._exit(0 if all(np.array_equal(f(a), want) for _ in range(3)) else 1)
    assert os.waitpid(child, 0)[1] == 0
""",
    "in a fork of a thread": """
def work():
    child = os.fork()
    if not child:
        os._exit(0 if np.array_equal(f(a), want) else 1)
    assert os.waitpid(child, 0)[1] == 0
worker = threading.Thread(target=work)
worker.start()
worker.join()
""",
    "by multiprocessing": """
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert [np.array_equal(found, want) for found in pool.map(f, [a] * 4)] == [True] * 4
""",
}


@several
@pytest.mark.parametrize("how", ENDS)
def test_a_process_ends(how):
    quiet = ("-W", "ignore::DeprecationWarning")  # of forks beside threads, since CPython 3.12
    argv = [sys.executable, *quiet, "-c", ALONE + ENDS[how] + "print('ended')"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ended\n", "")


def test_what_is_no_number_of_threads(monkeypatch):
    most = len(os.sched_getaffinity(0))
    for threads in (0, -1, 1.5, True, "two", most + 1, "", 10**30):
        said = (
            f"config.threads: expected a number of threads from 1 to {most}, as many as this process may run at once, "
            f"got {threads!r}"
        )
        with pytest.raises(opweld.errors.ConfigError) as caught:
            opweld.function([x], x + 1, threads=threads)
        assert str(caught.value) == said
        with pytest.raises(opweld.errors.ConfigError) as caught:
            opweld.config.threads = threads
        assert str(caught.value) == said
    assert opweld.config.threads == 1 and opweld.function([x], x + 1).maker.threads == 1
    monkeypatch.setattr(opweld.config, "threads", str(TWO))
    assert opweld.function([x], x + 1).maker.threads == TWO
    assert opweld.function([x], x + 1, threads=1).maker.threads == 1
    assert opweld.function([x], x + 1, options={"threads": TWO}).maker.threads == TWO


def test_scalar_c_that_needs_the_gil_is_refused():
    class Careless(Root):
        def c_code(self, node, name, inputs, outputs, sub):
            return f'if ({inputs[0]} < 0) PyErr_SetString(PyExc_ValueError, ""); {outputs[0]} = 1;'

    with pytest.raises(
        opweld.CompileError, match="`PyErr_SetString` needs the GIL, which gil = 'released' has given up"
    ):
        opweld.function([x], T.Elemwise(Careless("released"))(x))
    assert opweld.function([x], T.Elemwise(Careless("held"))(x))([1.0]).tolist() == [1]


def test_threads_are_no_part_of_a_module():
    one, two = pair([x], T.exp(x) + 1)
    assert one.maker.built.path == two.maker.built.path
    assert two.copy().maker.threads == TWO


@pytest.mark.parametrize("sanitized", [True, False])
def test_the_pool_by_itself(sanitized, tmp_path):
    flags = ["-O1", "-fsanitize=thread"] if sanitized else ["-O2"]
    made = tmp_path / "callers"
    command = [
        "gcc",
        "-std=gnu17",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        *flags,
        f"-I{HERE.parent / 'templates' / 'runtime'}",
    ]
    done = subprocess.run(
        [*command, HERE / "runtime" / "callers.c", "-o", made, "-lm", "-lpthread"], capture_output=True, text=True
    )
    if sanitized and "libtsan" in done.stderr:
        pytest.skip("gcc has no ThreadSanitizer")
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([made, *([] if sanitized else ["fork"])], capture_output=True, text=True, timeout=120)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
