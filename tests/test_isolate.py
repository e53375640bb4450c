"""isolate=True: C runs in a process beside this one; how it can end, and what is said of it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from kit import wait_until

import opweld
from opweld import Apply, COp, In, Op, OpCrashed, OpTimeout, OpweldWarning, OutOfBoundsError, tensor
from opweld.generic import generic
from opweld.outside.worker import Place, worker

x = tensor.dvector("x")
HERE = Path(__file__)


class Does(COp):
    """A copy of the first input, then C of one's own, over `v`, its `n` doubles, and `u`, those of the input."""

    __props__ = ("text",)

    def __init__(self, text, **maps):
        self.text = text
        self.__dict__.update(maps)

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [tensor.dvector()])

    def c_headers(self):
        return ["<errno.h>", "<signal.h>", "<stdlib.h>", "<unistd.h>"]

    def c_code(self, node, name, input_names, output_names, sub):
        (x, *_), (z,), fail = input_names, output_names, sub["fail"]
        return f"""
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy((PyArrayObject *){x}, NPY_CORDER));
            if ({z} == NULL) {fail}
            double *v = PyArray_DATA({z}), *u = PyArray_DATA({x});
            npy_intp n = PyArray_SIZE({z});
            (void)u; (void)n;
            {self.text.replace("FAIL", fail)}  /* here */
        """


LINE = 1 + next(i for i, line in enumerate(HERE.read_text().splitlines()) if line.endswith("/* here */"))


def isolated(text, *inputs, **options):
    inputs = inputs or (x,)
    return opweld.function(inputs, tensor.exp(Does(text)(*inputs)), isolate=True, name="model", **options)


ALIVE = "v[0] = 0;"

CRASHES = {
    "a null pointer": ("*(volatile double *)NULL = 1;", "SIGSEGV", "SIGSEGV (Segmentation fault) at address 0x0;"),
    "an address that is none": ("*(volatile char *)0x77 = 1;", "SIGSEGV", "at address 0x77;"),
    "abort": ("abort();", "SIGABRT", "SIGABRT (Aborted);"),
    "a double free": ("void *volatile p = malloc(100); free(p); free(p);", "SIGABRT", "double free"),
    "a trap": ("__builtin_trap();", "SIGILL", "SIGILL (Illegal instruction);"),
    "a division": ("volatile int zero = 0, one = 1; zero = one / zero;", "SIGFPE", "SIGFPE"),
    "a call to nowhere": ("((void (*)(void))16)();", "SIGSEGV", "at address 0x10;"),
    "a stack that runs over": ("volatile char *big = alloca(n << 26); big[0] = 1;", "SIGSEGV", "SIGSEGV"),
}


@pytest.mark.parametrize("text, name, said", CRASHES.values(), ids=CRASHES)
def test_a_crash_is_an_exception(text, name, said):
    f = isolated(text)
    with pytest.raises(OpCrashed) as caught:
        f([1.0, 2.0])
    err = caught.value
    assert str(err).startswith("model(): Does{text=") and f"made at {HERE}:" in str(err) and said in str(err)
    assert err.details["signal"] == name and err.details["node"].op == err.details["op"] == Does(text)
    assert (err.details["file"], err.details["line"]) == (str(HERE), LINE), str(err)
    assert f"Does.c_code, {HERE}:{LINE}" in err.details["backtrace"], str(err)
    assert type(err) is OpCrashed and not getattr(err, "__notes__", None)
    assert isolated(ALIVE)([1.0]).tolist() == [1.0]


def test_the_backtrace_shows_how_it_came_there():
    with pytest.raises(OpCrashed) as caught:
        isolated("volatile size_t at = 50; memset((void *)at, 1, (size_t)n * 100);")([1.0])
    first, *_, last = caught.value.details["backtrace"]
    assert "memset" in first and "libc" in first and last == f"Does.c_code, {HERE}:{LINE}"


def test_an_end_of_its_own():
    with pytest.raises(OpCrashed, match=r"ended its process with exit code 3: C .* must not call exit") as caught:
        isolated("exit(3);")([1.0])
    assert (caught.value.details["signal"], caught.value.details["code"]) == ("", 3)


def test_what_it_wrote_is_told():
    with pytest.raises(OpCrashed) as caught:
        isolated('fprintf(stderr, "the last thing\\n"); abort();')([1.0])
    assert caught.value.details["stderr"] == "the last thing\n" and "the last thing" in str(caught.value)


def test_what_it_writes_is_shown(capsys):
    isolated('fprintf(stderr, "a remark of C\\n");')([1.0])
    assert capsys.readouterr().err == "a remark of C\n"


HANGS = {
    "a loop": "volatile int on = 1; while (on) ;",
    "one that no signal ends but SIGKILL": "signal(SIGABRT, SIG_IGN); for (;;) pause();",
    "a process that was stopped": "raise(SIGSTOP);",
}


@pytest.mark.parametrize("text", HANGS.values(), ids=HANGS)
def test_a_hang_is_an_exception(text):
    isolated(ALIVE)([1.0])  # the process is there
    f = isolated(text, options={"isolate_seconds": 2})
    with pytest.raises(OpTimeout, match=r"did not come back within 2 s, and its process was ended") as caught:
        f([1.0])
    assert caught.value.details["seconds"] == 2 and caught.value.details["file"] == str(HERE)
    if "while" in text:
        assert caught.value.details["line"] == LINE
    assert isolated(ALIVE)([1.0]).tolist() == [1.0]


def test_one_process_is_kept_and_replaced_when_it_has_died():
    f, g = isolated(ALIVE), isolated("v[0] = -0.0;")
    f([1.0]), g([1.0])
    kept = worker()
    pid, started = kept.pid, kept.started
    f([1.0]), g([1.0])
    assert (kept.pid, kept.started) == (pid, started)
    os.kill(pid, signal.SIGKILL)
    assert f([1.0]).tolist() == [1.0] and g([1.0]).tolist() == [1.0]
    assert kept.pid != pid and kept.started == started + 1


def test_one_that_is_killed_in_a_call():
    with pytest.raises(OpCrashed, match="ended from outside by SIGKILL: by somebody, or by the system where memory"):
        isolated("kill(getpid(), SIGKILL);")([1.0])


def test_it_goes_with_its_parent():
    program = f"""
        import sys
        sys.path.insert(0, {str(HERE.parent)!r})
        import test_isolate
        from opweld.outside.worker import worker
        test_isolate.isolated(test_isolate.ALIVE)([1.0])
        print(worker().pid)
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    pid = int(ended.stdout)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}") or "Z" in Path(f"/proc/{pid}/stat").read_text().split()[2])


def test_a_process_that_was_forked_has_its_own():
    f = isolated(ALIVE)
    f([1.0])
    pid = worker().pid
    child = os.fork()
    if child == 0:
        try:
            right = f([1.0]).tolist() == [1.0] and worker().pid != pid
            worker().end()
            os._exit(0 if right else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert f([1.0]).tolist() == [1.0] and worker().pid == pid


def test_other_environments_have_other_processes():
    other = worker(place := Place((("OPWELD_TEST", "1"),)))
    try:
        environ = Path(f"/proc/{other.pid}/environ").read_bytes()
        assert b"OPWELD_TEST=1" in environ and other is worker(place) and other is not worker()
    finally:
        other.end()


def test_one_that_does_not_begin():
    broken = worker(Place((("PYTHONHOME", "/nowhere"),)))
    with pytest.raises(opweld.OpweldError, match="the process for C to run in does not begin: "):
        broken.ready()


# -- what travels ------------------------------------------------------------------------------------------------


class Layout(COp):
    """How the input lies."""

    __props__ = ()

    def make_node(self, a):
        return Apply(self, [a], [tensor.lvector()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,), fail = input_names, output_names, sub["fail"]
        return f"""
            npy_intp n = 2 + PyArray_NDIM({x});
            Py_XSETREF({z}, (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_INT64, 0));
            if ({z} == NULL) {fail}
            npy_int64 *to = PyArray_DATA({z});
            *to++ = (npy_int64)((size_t)PyArray_DATA({x}) % 64);
            *to++ = PyArray_ISWRITEABLE({x});
            for (int i = 0; i < PyArray_NDIM({x}); i++)
                *to++ = PyArray_STRIDE({x}, i);
        """


def test_arrays_lie_there_as_they_lie_here():
    m = tensor.dmatrix("m")
    f = opweld.function([m], Layout()(m), isolate=True)
    base = np.arange(600.0).reshape(20, 30)
    frozen = base.copy()
    frozen.flags.writeable = False
    for a in (base, base.T, base[::-2, 3::4], base[:, ::-1], base[1:1], frozen, np.broadcast_to(base[0], (5, 30))):
        told = f(a).tolist()
        assert told[2:] == list(a.strides) and told[1] == a.flags.writeable
        assert not a.size or told[0] == a.__array_interface__["data"][0] % 64


class InPlace(Does):
    """Adds to its input."""

    destroy_map = {0: [0]}

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++)
                *(double *)PyArray_GETPTR1({x}, i) += 1;
            Py_INCREF({x});
            Py_XSETREF({z}, {x});
        """


def test_what_is_written_into_an_argument_is_written_here():
    f = opweld.function([In(x, mutable=True)], InPlace("")(x), isolate=True)
    for a in (np.zeros(4), np.zeros(8)[::-2]):
        assert f(a).tolist() == [1.0] * 4 and a.tolist() == [1.0] * 4


class Halves(COp):
    """Two views of one new array, or of the input."""

    __props__ = ("own",)

    def __init__(self, own):
        self.own = own
        if not own:
            self.view_map = {0: [0], 1: [0]}

    def make_node(self, a):
        return Apply(self, [a], [a.type(), a.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (y, z), fail = input_names, output_names, sub["fail"]
        whole = f"(PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER)" if self.own else f"(Py_INCREF({x}), {x})"
        return f"""
            PyArrayObject *whole = {whole};
            if (whole == NULL) {fail}
            PyObject *part = PySequence_GetSlice((PyObject *)whole, 1, PyArray_DIM(whole, 0));
            if (part == NULL) {{ Py_DECREF(whole); {fail} }}
            Py_XSETREF({y}, (PyArrayObject *)part);
            Py_XSETREF({z}, whole);
        """


def test_views_are_views_here():
    f = opweld.function([x], Halves(False)(x), isolate=True)
    nodes = [node for node in f.maker.fgraph.toposort() if isinstance(node.op, Halves)]
    assert len(nodes) == 1
    (node,) = nodes
    runner = f.maker.linked._runners[node]
    a = np.arange(4.0)
    part, whole = runner([a])
    assert whole is a and np.shares_memory(part, a) and part.tolist() == [1, 2, 3]
    g = opweld.function([x], Halves(True)(x), isolate=True)
    (node,) = [node for node in g.maker.fgraph.toposort() if isinstance(node.op, Halves)]
    part, whole = g.maker.linked._runners[node]([a])
    assert np.shares_memory(part, whole) and not np.shares_memory(part, a)
    whole[1] = 9
    assert part.tolist() == [9, 2, 3] and a.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "text, said",
    [
        ("u[n] = 7;", "8 bytes, the first 0 bytes behind its end"),
        ("((char *)u)[-3] = 7;", "1 byte, the first 3 bytes before it"),
        ("u[n + 1] = 7;", "8 bytes, the first 8 bytes behind its end"),
    ],
)
def test_what_is_written_beside_an_array_is_found(text, said):
    with pytest.raises(OutOfBoundsError) as caught:
        isolated(text)(np.zeros(5))
    assert f"its C code wrote beside an array\n  input 0, x: {said}" in str(caught.value)
    assert caught.value.details["beside"][0][:2] == ("input", 0) and str(HERE) in str(caught.value)


def test_exceptions_and_warnings_travel():
    with pytest.raises(ValueError, match="no such thing") as caught:
        isolated('PyErr_SetString(PyExc_ValueError, "no such thing"); FAIL')([1.0])
    told = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
    assert told.startswith("no such thing\nmodel(): Does{")
    with pytest.raises(OSError) as caught:
        isolated("errno = ENOENT; PyErr_SetFromErrno(PyExc_OSError); FAIL")([1.0])
    assert type(caught.value) is FileNotFoundError
    with pytest.warns(RuntimeWarning, match="take care"):
        isolated('if (PyErr_WarnEx(PyExc_RuntimeWarning, "take care", 1)) FAIL')([1.0])


def test_what_is_refused_is_refused_as_ever():
    class Leaves(Does):
        def c_code(self, node, name, input_names, output_names, sub):
            return self.text % output_names[0]

    for text in ("(void)%s;", "Py_XSETREF(%s, (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT8, 0));"):
        said = []
        for isolate in (False, True):
            with pytest.raises((RuntimeError, TypeError)) as caught:
                opweld.function([x], Leaves(text)(x), isolate=isolate)([1.0])
            said.append((type(caught.value), str(caught.value)))
        assert said[0] == said[1]


class Length(COp):
    """The length of any object."""

    __props__ = ()

    def make_node(self, thing):
        return Apply(self, [thing], [tensor.lscalar()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,), fail = input_names, output_names, sub["fail"]
        return f"""
            Py_ssize_t n = PyObject_Size({x});
            if (n < 0) {fail}
            Py_XSETREF({z}, (PyArrayObject *)PyArray_EMPTY(0, NULL, NPY_INT64, 0));
            if ({z} == NULL) {fail}
            *(npy_int64 *)PyArray_DATA({z}) = n;
        """


def test_a_value_that_does_not_pickle_is_named_and_its_node_runs_inside():
    class Own(list):
        pass

    thing = generic("thing")
    f = opweld.function([thing], Length()(thing), isolate=True, name="model")
    assert f([1, 2, 3]) == 3
    with pytest.warns(
        OpweldWarning, match=r"^model\(\): Length.*runs in this process.*: its input 0 does not pickle \("
    ):
        assert f(Own([1, 2])) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(Own([1])) == 1  # it is said once


def test_ops_and_values_of_a_program_itself(tmp_path):
    """A class of __main__ is isolated; a value of one is named."""
    program = tmp_path / "mine.py"
    program.write_text(
        HERE.read_text().partition("CRASHES = {")[0].replace("from kit import wait_until\n", "")
        + textwrap.dedent(
            """
            try:
                isolated("abort();")([1.0])
            except OpCrashed as err:
                print(err.details["op"].__class__.__module__, err.details["line"], err.details["signal"])

            class Thing(list):
                pass

            class Length(COp):
                def make_node(self, thing):
                    return Apply(self, [thing], [tensor.lscalar()])

                def c_code(self, node, name, inputs, outputs, sub):
                    return f'''Py_XSETREF({outputs[0]}, (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0));'''

            thing = generic("thing")
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                print(opweld.function([thing], Length()(thing), isolate=True)(Thing()))
            print(said[0].message)
            """
        )
    )
    ended = subprocess.run([sys.executable, program], capture_output=True, text=True, check=True)
    first, second, third = ended.stdout.splitlines()
    assert (first, second) == (f"__main__ {LINE - 1} SIGABRT", "0")
    assert "its input 0 cannot be unpickled in another process (AttributeError: " in third


def test_shared_memory_that_is_full():
    f = isolated(ALIVE)
    f([1.0])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 22, hard))
    try:
        with pytest.warns(OpweldWarning, match=r"its arrays find no room in shared memory \(File too large\)"):
            assert f(np.zeros(1 << 20)).sum() == 1 << 20
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


class Grows(Does):
    """Far more than it is given."""

    __props__ = ()

    def __init__(self):
        pass

    def c_code(self, node, name, input_names, output_names, sub):
        (z,), fail = output_names, sub["fail"]
        return f"""
            npy_intp more = 1 << 20;
            Py_XSETREF({z}, (PyArrayObject *)PyArray_ZEROS(1, &more, NPY_DOUBLE, 0));
            if ({z} == NULL) {fail}
        """


def test_shared_memory_that_is_full_where_the_results_are_written():
    f = opweld.function([x], Grows()(x), isolate=True)
    isolated(ALIVE)([1.0])
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.prlimit(worker().pid, resource.RLIMIT_FSIZE, (1 << 22, hard))
    try:
        with pytest.warns(
            OpweldWarning, match=r"what it computes cannot travel \(there is no room in shared memory: File"
        ):
            assert f([1.0]).shape == (1 << 20,)
    finally:
        worker().end()


def test_large_and_small_calls_take_turns():
    f = isolated("for (npy_intp i = 0; i < n; i++) v[i] = 0;")
    for size in (10, 5_000_000, 3, 6_000_000, 0, 40_000_000, 7):
        assert f(np.full(size, 3.0)).sum() == size


# -- how it is asked for -----------------------------------------------------------------------------------------


class Twice(Op):
    """In Python alone."""

    def make_node(self, a):
        return Apply(self, [a], [a.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2
        self.pid = os.getpid()


def test_what_has_no_c_runs_here():
    twice = Twice()
    w = opweld.shared(np.ones(2), "w")
    f = opweld.function([x], twice(tensor.exp(x) * w), updates=[(w, w + 1)], isolate=True)
    assert f([0.0, 0.0]).tolist() == [2, 2] and f([0.0, 0.0]).tolist() == [4, 4] and twice.pid == os.getpid()
    assert (
        opweld.fusion(f).note == "isolate=True runs each node by itself" if hasattr(opweld.fusion(f), "note") else True
    )


class Gives(Does):
    """How many elements there are, None where there are none; or nothing."""

    __props__ = ("sets", "type")

    def __init__(self, sets, type):
        self.sets, self.type = sets, type

    def make_node(self, a):
        return Apply(self, [a], [self.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (a,), (z,), fail = input_names, output_names, sub["fail"]
        if not self.sets:
            return f"Py_XDECREF({z}); {z} = NULL;"
        return f"""
            PyObject *given = PyArray_SIZE({a}) ? PyLong_FromSsize_t(PyArray_SIZE({a})) : Py_NewRef(Py_None);
            if (given == NULL) {fail}
            Py_XSETREF({z}, given);
        """


@pytest.mark.parametrize("options", [{"isolate": True}, {"mode": "DebugMode"}], ids=["isolate", "DebugMode"])
def test_none_is_a_value_where_a_type_says_so(options):
    """As in this process: None of any object, nothing of an array."""
    any_object, array = opweld.generic.generic, tensor.dvector
    for more in ({}, options):
        f = opweld.function([x], Gives(True, any_object)(x), **more)
        assert f(np.zeros(0)) is None and f([2.0]) == 1
        assert opweld.function([x], Gives(False, any_object)(x), **more)([1.0]) is None
        with pytest.raises(RuntimeError, match="c_code did not set output 0: store float64 of shape"):
            opweld.function([x], Gives(False, array)(x), **more)([1.0])


def test_two_classes_of_one_name():
    def made(text):
        class Same(Does):
            pass

        return Same(text)

    f = opweld.function([x], [made("v[0] = 1;")(x), made("abort();")(x)], isolate=True)
    with pytest.raises(OpCrashed) as caught:
        f([1.0])
    assert caught.value.details["op"].text == "abort();"


def test_it_is_an_option(monkeypatch):
    monkeypatch.setattr(opweld.config, "isolate", True)
    with pytest.raises(OpCrashed):
        opweld.function([x], Does("abort();")(x))([1.0])
    assert opweld.function([x], Does(ALIVE)(x), isolate=False).maker.linked.__class__.__name__ == "InC"
    with pytest.raises(TypeError, match="isolate must be True"):
        opweld.function([x], Does(ALIVE)(x), isolate="yes")


def test_ctrl_c_ends_the_call_and_not_the_function():
    f = isolated("if (u[0] > 0) for (;;) pause();")
    f([0.0])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests may ignore it
    pid = os.getpid()
    helper = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(1); os.kill({pid}, 2)"])
    try:
        with pytest.raises(KeyboardInterrupt):
            f([1.0])
            time.sleep(60)
    finally:
        helper.wait()
        signal.signal(signal.SIGINT, before)
    assert f([0.0]).tolist() == [1.0]
