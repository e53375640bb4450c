"""Outer loops of ufuncs on several threads: the same bits, exceptions and warnings."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import opweld

BODY = "z = sin(x) * 3 + y;"
one = opweld.cop("x: T, y: T -> z: T where T: float64 | float32", BODY, ufunc=True)
two = opweld.cop("x: T, y: T -> z: T where T: float64 | float32", BODY, ufunc=True, threads=2)
plus = opweld.cop("x: T, y: T -> z: T where T: int64 | float64", "z = x + y;", ufunc=True, threads=8)
smooth = opweld.cop("x: T[n], a: T -> y: T[n], w: work T[n] where T: float64", """
    for (npy_intp i = 0; i < n; i++) y[i] = w[i] = i ? x[i] + a * (w[i-1] - x[i]) : x[i];
""", ufunc=True, threads=3)  # fmt: skip
rooted = opweld.cop(
    "x: float64 -> y: float64", 'if (x < 0) fail(ValueError, "%g is negative", x);\ny = 1 / x;', ufunc=True, threads=2
)
rng = np.random.default_rng(0)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_there_are_several():
    """Elements say which thread computed them: there are two, the caller's and always the same other."""
    who = opweld.cop(
        "x: float64 -> y: float64", "for (int k = 0; k < 20; k++) x = sin(x);\ny = syscall(SYS_gettid) + 0 * x;",
        ufunc=True, threads=2, headers=["<unistd.h>", "<sys/syscall.h>"],
    )  # fmt: skip
    met = [{int(found) for found in set(who(np.ones(400_000)))} for _ in range(3)]
    assert len(set().union(*met)) == 2 and threading.get_native_id() in met[0]


@pytest.mark.parametrize("n", [0, 1, 3, 65535, 65536, 65537, 200_003])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_bits_do_not_depend_on_threads(n, dtype):
    x, y = rng.random(n).astype(dtype), rng.random(n).astype(dtype)
    assert np.array_equal(one(x, y), two(x, y))
    assert np.array_equal(one(x[::-1], 2), two(x[::-1], 2)) and np.array_equal(one(x[::2], y[::2]), two(x[::2], y[::2]))


def test_what_depends_on_what_came_before():
    x = np.arange(300_000)
    assert plus.reduce(x) == x.sum() and np.array_equal(plus.accumulate(x), np.cumsum(x))
    assert np.array_equal(plus.reduce(x.reshape(3, -1)), x.reshape(3, -1).sum(0))
    assert np.array_equal(plus.reduceat(x, [0, 100_000]), np.add.reduceat(x, [0, 100_000]))
    same = x.copy()
    assert np.array_equal(plus(same, same, out=same), x + x)
    shifted = x.copy()
    plus(shifted[:-1], shifted[1:], out=shifted[1:])
    assert np.array_equal(shifted[1:], x[:-1] + x[1:])
    buffered = np.setbufsize(1 << 20)  # so that NumPy's loops are as long as they can be
    try:
        assert all(plus.reduce(x) == x.sum() for _ in range(20))
        assert np.array_equal(plus.accumulate(x.astype("int32"), dtype="int64"), np.cumsum(x))
    finally:
        np.setbufsize(buffered)
    at = np.zeros(2, int)
    plus.at(at, np.zeros(100_000, int), 1)
    assert at.tolist() == [100_000, 0]
    assert plus.outer(np.arange(500), np.arange(400)).sum() == np.add.outer(np.arange(500), np.arange(400)).sum()


def test_arrays_side_by_side():
    x, a = rng.random((5000, 40)), rng.random(5000)
    found = smooth(x, a)
    want = x.copy()
    for i in range(1, 40):
        want[:, i] = x[:, i] + a * (want[:, i - 1] - x[:, i])
    assert np.allclose(found, want) and np.array_equal(smooth(np.asfortranarray(x), a), found)
    assert np.array_equal(smooth(x, a, out=x), found)


@pytest.mark.parametrize("where", [0, 70_000, 199_999])
def test_exceptions_and_warnings_come_from_any_thread(where):
    x = np.ones(200_000)
    x[where] = -1
    with pytest.raises(ValueError, match=r"^-1 is negative$"):
        rooted(x)
    x[where] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in rooted"):
        rooted(x)
    x[where] = 1
    assert rooted(x).sum() == 200_000


def test_several_of_pythons_threads():
    x, y = rng.random(100_000), rng.random(100_000)
    want, wrong = one(x, y), []

    def work():
        wrong.extend(1 for _ in range(10) if not np.array_equal(two(x, y), want))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


FORK = """
import os
import numpy as np, opweld
two = opweld.cop("x: float64 -> y: float64", "y = sin(x);", name="two", ufunc=True, threads=2)
x = np.arange(200_000.0)
want = two(x)
child = os.fork()
if not child:
    os._exit(0 if np.array_equal(two(x), want) else 1)
print(os.waitpid(child, 0)[1], np.array_equal(two(x), want))
"""


def test_a_fork_has_all():
    ended = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120)
    assert ended.stdout == "0 True\n", ended.stderr


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", True])
def test_what_is_no_number_of_threads(threads):
    with pytest.raises(ValueError, match=r"^cop: threads must be a number from 1 on, got "):
        opweld.cop("x: T -> y: T", "y = x;", ufunc=True, threads=threads)


def test_threads_are_for_ufuncs():
    with pytest.raises(TypeError, match="threads are for the outer loop of a ufunc: write ufunc=True with it"):
        opweld.cop("x: T -> y: T", "y = x;", threads=2)
