"""sanitize=: what AddressSanitizer, UBSan and ThreadSanitizer find in an op's C, by the user's line."""

from __future__ import annotations

import os
import shutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from test_isolate import Does

import opweld
from opweld import Apply, COp, In, OpCrashed, OpTimeout, SanitizerError, ToolError, scalar, tensor
from opweld.compile import sanitizers
from opweld.generic import generic
from opweld.tensor import Elemwise

x = tensor.dvector("x")
HERE = Path(__file__)


def library(compiler, name):
    if shutil.which(compiler) is None:
        return False
    said = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    return os.path.isabs(said) and os.path.exists(said)


GCC = [library("gcc", f"lib{name}.so") for name in ("asan", "ubsan", "tsan")]
CLANG = library("clang", f"libclang_rt.asan-{os.uname().machine}.so")
pytestmark = pytest.mark.skipif(not all(GCC), reason="gcc's sanitizers are not installed")
on_clang = pytest.param("clang", marks=pytest.mark.skipif(not CLANG, reason="clang's sanitizers are not installed"))


class Copies(COp):
    """A copy of the input, and one of the mistakes below; the line of each ends with its name."""

    __props__ = ("mistake",)

    def __init__(self, mistake):
        self.mistake = mistake

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [tensor.dvector()])

    def c_headers(self):
        return ["<stdlib.h>", "<string.h>"]

    def c_code(self, node, name, input_names, output_names, sub):
        (x, *_), (z,), fail = input_names, output_names, sub["fail"]
        return f"""
            enum {{ nothing, over_input, over_output, under, dead, twice, stack, shift, null, overflow }};
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            if ({z} == NULL) {fail}
            volatile int chosen = {self.mistake};
            double *v = PyArray_DATA({z}), *u = PyArray_DATA({x});
            volatile double some[4] = {{0}};
            npy_intp n = PyArray_SIZE({z});
            double *p = malloc(8);
            int few = (int)n, most = 2147483647;
            if (chosen == over_input)
                v[0] = u[n];  // over_input
            if (chosen == over_output)
                v[n] = 1;  // over_output
            if (chosen == under)
                v[0] = *(float *)((char *)u - 4);  // under
            if (chosen == dead) {{
                free(p);  // released
                v[0] = *p;  // dead
            }}
            free(p);
            if (chosen == twice)
                free(p);  // twice
            if (chosen == stack)
                some[few] = 1;  // stack
            if (chosen == shift)
                v[0] = 1 << (few + 40);  // shift
            if (chosen == null)
                v[0] = *(double *)(few ? NULL : v);  // null
            if (chosen == overflow)
                v[0] = most + few;  // overflow
        """


def line(name):
    lines = HERE.read_text().splitlines()
    return 1 + next(i for i, text in enumerate(lines) if text.endswith(f"// {name}"))


def made(mistake, sanitize="address,undefined", **options):
    return opweld.function([x], Copies(mistake)(x), sanitize=sanitize, name="model", **options)


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", opweld.CompileWarning)
        warnings.simplefilter("ignore", opweld.OpweldWarning)
        yield


FOUND = {
    "over_input": ("address", "heap-buffer-overflow", "reads 8 bytes, 0 bytes behind the end of input 0, x"),
    "over_output": ("address", "heap-buffer-overflow", "writes 8 bytes, 0 bytes behind the end of 40 bytes that"),
    "under": ("address", "heap-buffer-overflow", "reads 4 bytes, 4 bytes before input 0, x"),
    "dead": ("address", "heap-use-after-free", "reads 8 bytes, 0 bytes into 8 bytes that were asked for"),
    "twice": ("address", "double-free", ""),
    "stack": ("address", "stack-buffer-overflow", "writes 8 bytes"),
    "shift": ("undefined", "invalid-shift-exponent", "shift exponent 45 is too large for 32-bit type"),
}


@pytest.mark.parametrize("compiler", ["gcc", on_clang])
@pytest.mark.parametrize("name", FOUND)
def test_what_is_found_is_told_by_the_users_line(name, compiler):
    sanitizer, kind, said = FOUND[name]
    wanted = "address" if name == "stack" else "address,undefined"  # of what both see, UBSan comes first
    with pytest.raises(SanitizerError) as caught:
        made(name, wanted, options={"cc": compiler})(np.arange(5.0))
    err = caught.value
    details = err.details
    assert (details["sanitizer"], details["kind"]) == (sanitizer, kind), str(err)
    assert (details["file"], details["line"]) == (str(HERE), line(name)), str(err)
    assert said in str(err) and str(err).startswith(f"model(): Copies{{mistake='{name}'}}(x), made at {HERE}:")
    assert not isinstance(err, OpCrashed) and details["op"] == Copies(name)
    assert "Sanitizer" in details["report"] and "#0" in details["report"]
    assert made("nothing", wanted, options={"cc": compiler})(np.arange(5.0)).tolist() == [0, 1, 2, 3, 4]


def test_where_memory_was_released_is_told_too():
    with pytest.raises(SanitizerError) as caught:
        made("dead")(np.arange(5.0))
    origins = {what: (file, line) for what, file, line in caught.value.details["origins"]}
    assert origins["it was released in"] == (str(HERE), line("released"))
    assert f"it was released in Copies.c_code, {HERE}:{line('released')}" in str(caught.value)


def test_overflow_wraps_unless_it_is_asked_for():
    assert made("overflow")(np.zeros(5))[0] == -(2**31) + 4
    with pytest.raises(SanitizerError, match="signed-integer-overflow: ") as caught:
        made("overflow", "signed-integer-overflow")(np.zeros(5))
    assert caught.value.details["line"] == line("overflow")


def test_small_arrays_that_are_gone_are_seen():
    """NumPy keeps small ones; there it gives them back."""

    class Gone(Does):
        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
                PyArrayObject *w = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
                if (w == NULL) {fail}
                double *gone = PyArray_DATA(w);
                Py_DECREF(w);
                Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
                if ({z} == NULL) {fail}
                *(double *)PyArray_DATA({z}) = gone[1];
            """

    with pytest.raises(SanitizerError, match="heap-use-after-free"):
        opweld.function([x], Gone("")(x), sanitize="address")([1.0, 2.0])


@pytest.mark.parametrize("name", ["over_input", "over_output", "shift"])
def test_in_debug_mode(name):
    f = opweld.function([x], Copies(name)(x), mode="DebugMode", sanitize=True)
    with pytest.raises(SanitizerError) as caught:
        f(np.arange(5.0))
    assert caught.value.details["line"] == line(name), str(caught.value)
    if name == "over_output":
        assert "writes 8 bytes, 0 bytes behind the end of an array of 40 bytes that it made" in str(caught.value)
    g = opweld.function([x], Copies("nothing")(x), mode="DebugMode", sanitize=True)
    assert g(np.arange(5.0)).tolist() == [0, 1, 2, 3, 4]


def test_a_short_form(monkeypatch):
    monkeypatch.setattr(opweld.config, "sanitize", "address")
    last = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i <= n; i++) y[i] = x[i];", name="last")
    with pytest.raises(SanitizerError) as caught:
        last(np.arange(3.0))
    assert caught.value.details["file"] == str(HERE) and "0 bytes behind the end of input 0" in str(caught.value)
    good = opweld.cop("x: T[n], a: T -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = a * x[i];")
    assert good(np.arange(3.0), 2.0).tolist() == [0, 2, 4]


def test_an_op_in_cxx_that_throws():
    class Throws(Does):
        c_lang = "c++"

        def c_headers(self):
            return ["<stdexcept>", "<vector>"]

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,), fail = inputs, outputs, sub["fail"]
            return f"""
                Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
                if ({z} == NULL) {fail}
                std::vector<double> three(3);
                double *v = (double *)PyArray_DATA({z}), *w = three.data();
                try {{ three.at(PyArray_SIZE({z})); }} catch (const std::out_of_range &) {{ v[0] = 9; }}
                if (PyArray_SIZE({z}) > 3) v[0] = w[3];
            """

    f = opweld.function([x], Throws("")(x), sanitize=True)
    assert f(np.zeros(3)).tolist() == [9, 0, 0]
    with pytest.raises(SanitizerError, match="reads 8 bytes, 0 bytes behind the end of 24 bytes"):
        f(np.zeros(4))


# -- threads -----------------------------------------------------------------------------------------------------

TALLY = """static double tally;
{begin}
for (int i = 0; i < 20000; i++) tally += i;
{end}
v[0] = u[0];"""


@pytest.mark.skipif(not GCC[2], reason="gcc's ThreadSanitizer is not installed")
def test_code_without_the_lock_is_called_by_two_threads():
    free = TALLY.format(begin="Py_BEGIN_ALLOW_THREADS", end="Py_END_ALLOW_THREADS")
    f = opweld.function([x], Does(free)(x), sanitize="thread")
    with pytest.raises(SanitizerError) as caught:
        for _ in range(100):  # one that is never seen would be; a machine may be too busy for two threads to meet once
            f(np.ones(3))
    details = caught.value.details
    assert (details["sanitizer"], details["kind"]) == ("thread", "data-race") and "test_isolate" in details["file"]
    assert any("the other thread" in what for what, *_ in details["origins"]), str(caught.value)
    held = opweld.function([x], Does(TALLY.format(begin="{", end="}"))(x), sanitize="thread")
    for _ in range(5):
        assert held(np.ones(3)).tolist() == [1, 1, 1]


class Shares(scalar.ScalarOp):
    """Scalar C that runs without the lock, and shares a static."""

    gil = "released"

    def output_types(self, types):
        return [types[0]]

    def c_support_code(self):
        return "static double last;"

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} + last;\nlast = {inputs[0]};"


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")
def test_loops_on_several_threads():
    f = opweld.function([x], Elemwise(Shares())(x), sanitize="thread", threads=2)
    with pytest.raises(SanitizerError) as caught:
        f(np.ones(300_000))
    assert caught.value.details["kind"] == "data-race" and caught.value.details["file"] == str(HERE)
    own = opweld.function([x], tensor.exp(x) * x + tensor.sin(x), sanitize="thread", threads=2)
    a = np.linspace(0, 1, 300_000)
    np.testing.assert_allclose(own(a), np.exp(a) * a + np.sin(a))


# -- what travels, and how it ends -------------------------------------------------------------------------------


def test_arrays_lie_there_as_they_lie_here():
    text = "for (npy_intp i = 0; i < n; i++) v[i] = *(double *)PyArray_GETPTR1((PyArrayObject *){x}, i) + 1;"

    class Reads(Does):
        def c_code(self, node, name, inputs, outputs, sub):
            return super().c_code(node, name, inputs, outputs, sub).replace("{x}", inputs[0])

    f = opweld.function([x], Reads(text)(x), sanitize=True)
    base = np.arange(40.0)
    for a in (base, base[::-3], base[3:4], base[:0], np.broadcast_to(base[2], (4,))):
        assert f(a).tolist() == (a + 1).tolist()
    assert base.tolist() == np.arange(40.0).tolist()


def test_what_is_written_into_an_argument_is_written_here():
    class InPlace(Does):
        destroy_map = {0: [0]}

        def c_code(self, node, name, inputs, outputs, sub):
            (x,), (z,) = inputs, outputs
            return f"""
                for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) *(double *)PyArray_GETPTR1({x}, i) += 1;
                Py_INCREF({x});
                Py_XSETREF({z}, {x});
            """

    f = opweld.function([In(x, mutable=True)], InPlace("")(x), sanitize="address")
    for a in (np.zeros(4), np.zeros(8)[::-2]):
        assert f(a).tolist() == [1.0] * 4 and a.tolist() == [1.0] * 4


def test_crashes_hangs_and_exceptions_are_what_they_are_without():
    def go(text, **options):
        return opweld.function([x], Does(text)(x), sanitize="address", options=options)([1.0])

    with pytest.raises(OpCrashed) as caught:
        go("__builtin_trap();")
    assert caught.value.details["signal"] == "SIGILL"
    with pytest.raises(OpTimeout):
        go("volatile int on = 1; while (on) ;", isolate_seconds=2)
    with pytest.raises(OpCrashed, match="SIGKILL"):
        opweld.function([x], KILLED(x), sanitize="address")([1.0])
    with pytest.raises(ValueError, match="no such thing"):
        go('PyErr_SetString(PyExc_ValueError, "no such thing"); FAIL')


@pytest.mark.parametrize("sanitizers", ["address,undefined", "thread"])
@pytest.mark.parametrize("bits", [42, 50], ids=["more than there is", "more than any"])
def test_too_much_memory_is_a_memory_error(sanitizers, bits):
    text = f"npy_intp big = (npy_intp)1 << {bits}; PyObject *w = PyArray_SimpleNew(1, &big, NPY_INT8); if (!w) FAIL"
    f = opweld.function([x], Does(text)(x), sanitize=sanitizers)
    with pytest.raises(MemoryError):
        f([1.0])


class Killed(Does):
    def c_headers(self):
        return ["<signal.h>", "<unistd.h>"]


KILLED = Killed("kill(getpid(), SIGKILL);")


def test_a_value_that_cannot_travel_is_named():
    class Own(list):
        pass

    class Size(COp):
        __props__ = ()

        def make_node(self, thing):
            return Apply(self, [thing], [tensor.lscalar()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"""Py_XSETREF({outputs[0]}, (PyArrayObject *)PyArray_ZEROS(0, NULL, NPY_INT64, 0));
                       if (!{outputs[0]}) {sub["fail"]}"""

    thing = generic("thing")
    f = opweld.function([thing], Size()(thing), sanitize="address")
    assert f([1]) == 0
    with pytest.raises(
        opweld.OpweldError, match=r"cannot run in the process that has its sanitizers .*input 0 does not pickle"
    ):
        f(Own())


# -- how it is asked for -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given, said",
    [
        ("adress", "no sanitizer 'adress'; known are address, undefined, thread, signed-integer-overflow"),
        ("address,thread", "'address' and 'thread' cannot be built into one module"),
        ("leak", "no sanitizer 'leak'; leaks are told by accounts: account=True"),
        (3, "expected a string, got 3"),
    ],
)
def test_what_cannot_be_asked_for(given, said):
    with pytest.raises(opweld.ConfigError, match=said):
        made("nothing", given)


def test_ways_to_say_it(monkeypatch):
    assert opweld.config.sanitize == ""
    monkeypatch.setattr(opweld.config, "sanitize", True)
    assert opweld.config.sanitize == "address,undefined"
    monkeypatch.setattr(opweld.config, "sanitize", "undefined, address")
    assert opweld.config.sanitize == "address,undefined"
    assert type(opweld.function([x], x + 1, sanitize=False).maker.linked).__name__ == "InC"
    assert type(opweld.function([x], x + 1).maker.linked).__name__ == "Isolated"


def test_a_compiler_without_the_library_says_what_to_install(tmp_path):
    for name, version, said in (
        ("gcc", "gcc (GCC) 99", "has no libasan.so, which sanitize='address' needs: install it: .* libasan on Fedora"),
        ("clang", "clang version 99", "has no libclang_rt.asan.*: libclang-rt-dev on Debian and Ubuntu"),
    ):
        driver = tmp_path / name
        driver.write_text(f'#!/bin/sh\ncase $1 in --version) echo "{version}";; *) echo "${{1#*=}}";; esac\n')
        driver.chmod(0o755)
        with pytest.raises(ToolError, match=said):
            sanitizers.place(str(driver), "c", "address")


def test_what_runs_in_this_process_says_that_it_cannot():
    from opweld.compile.code import compile_graph
    from opweld.config import Options
    from opweld.graph.fgraph import FunctionGraph

    with pytest.raises(opweld.ConfigError, match="runs in this process, and sanitize='address' is for functions"):
        compile_graph(FunctionGraph([x], [x + 1]), options=Options({"sanitize": "address"}))


def test_the_users_own_options_stay(monkeypatch):
    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=9")
    monkeypatch.setenv("LD_PRELOAD", "/lib/x86_64-linux-gnu/libm.so.6")
    place = dict(sanitizers.place(shutil.which("gcc"), "c", "address").environment)
    assert place["ASAN_OPTIONS"].startswith("quarantine_size_mb=9:") and place["LD_PRELOAD"].endswith("libm.so.6")
