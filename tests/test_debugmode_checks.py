"""DebugMode's checks of C against itself, which need no `perform`: each finds its fault, and can be switched off."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, OpCrashed, OpTimeout, OpweldWarning, OutOfBoundsError, tensor
from opweld.compile import debugmode
from opweld.compile.debugmode import (
    CHECKS,
    BadHook,
    BadOptimization,
    BadRewrite,
    BadThunkOutput,
    DebugMode,
    InvalidValueError,
)

x, m = tensor.dvector("x"), tensor.dmatrix("m")

pytestmark = pytest.mark.filterwarnings("ignore:.*no perform")


class Doubles(COp):
    """Twice its input; where it gets storage, how it walks and what more it does is said."""

    __props__ = ("fits", "walk", "more")

    FITS = "PyArray_SAMESHAPE({z}, {x})"
    WALK = "*(double *)PyArray_GetPtr({z}, at) = 2 * *(double *)PyArray_GetPtr({x}, at);"

    def __init__(self, fits=FITS, walk=WALK, more=""):
        self.fits, self.walk, self.more = fits, walk, more

    def make_node(self, a):
        return Apply(self, [a], [a.type()])

    def c_headers(self):
        return ["<math.h>", "<stdlib.h>"]

    def c_code(self, node, name, input_names, output_names, sub):
        names = {"x": input_names[0], "z": output_names[0]}
        (x,), (z,), fail = input_names, output_names, sub["fail"]
        return f"""
            if ({z} == NULL || !({self.fits.format(**names)})) {{
                Py_XSETREF({z}, (PyArrayObject *)PyArray_EMPTY(PyArray_NDIM({x}), PyArray_DIMS({x}), NPY_FLOAT64, 0));
                if ({z} == NULL) {fail}
            }}
            npy_intp cols = PyArray_NDIM({x}) > 1 ? PyArray_DIM({x}, 1) : 1;
            for (npy_intp k = 0; k < PyArray_SIZE({x}); k++) {{
                npy_intp at[2] = {{k / cols, k % cols}};
                (void)at;
                {self.walk.format(**names)}
            }}
            {self.more.format(**names)}
        """


def run(op, *values, isolate=True, **checks):
    v = m if values and np.ndim(values[0]) == 2 else x
    return opweld.function([v], op(v), mode=DebugMode(isolate=isolate, **checks), name="checked")(*values)


VECTOR, MATRIX = np.arange(1.0, 6.0), np.arange(1.0, 13.0).reshape(3, 4)
RAW = "((double *)PyArray_DATA({z}))[k] = 2 * *(double *)PyArray_GetPtr({x}, at);"
COPIED = "*(double *)PyArray_GetPtr({z}, at) = 2 * ((double *)PyArray_DATA({x}))[k];"
FAULTS = {
    "it adds to what was there": (
        "storage", Doubles(walk="*(double *)PyArray_GetPtr({z}, at) += 2 * *(double *)PyArray_GetPtr({x}, at);"),
        VECTOR, "with storage of an earlier call",
    ),
    "it ignores the strides of its storage": ("storage", Doubles(walk=RAW), VECTOR, "with strided storage"),
    "it ignores their order": ("storage", Doubles(walk=RAW), MATRIX, "with storage in Fortran order"),
    "it does not look at the shape of its storage": (
        "storage", Doubles(fits="PyArray_DIM({z}, 0) >= PyArray_DIM({x}, 0)"), VECTOR, "with larger storage",
    ),
    "it ignores the strides of its input": ("layouts", Doubles(walk=COPIED), VECTOR, "on strided inputs"),
    "it ignores the order of its input": ("layouts", Doubles(walk=COPIED), MATRIX, "on inputs in the other order"),
    "it ignores that its input goes backwards": (
        "layouts",
        Doubles(
            walk="*(double *)PyArray_GetPtr({z}, at) = 2 * ((double *)PyArray_DATA({x}))"
            "[k * llabs(PyArray_STRIDE({x}, 0)) / 8];"
        ),
        VECTOR, "on reversed inputs",
    ),
    "it leaves an element unset": (
        "unset", Doubles(walk="if (k != 2) " + Doubles.WALK), VECTOR, "with other bytes in fresh memory",
    ),
    "it counts its calls": (
        "deterministic", Doubles(more="static double calls; *(double *)PyArray_DATA({z}) += calls++;"), VECTOR,
        "again on the same inputs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("check, op, value, how", FAULTS.values(), ids=FAULTS)
def test_each_fault_is_found_and_each_check_can_be_left_out(check, op, value, how, isolate):
    others = {name: False for name in ("storage", "layouts", "bounds", "unset", "deterministic") if name != check}
    with pytest.raises(BadThunkOutput) as caught:
        run(op, value, isolate=isolate, **others)
    err = caught.value
    assert f"its C code gives another output 0 when run {how}" in str(err)
    details = err.details
    assert (details["check"], details["op"], details["file"], details["output"]) == (check, op, __file__, 0)
    assert details["node"].op == op and f"made at {__file__}:{details['line']}" in str(err)
    assert np.array_equal(details["inputs"][0], value)
    index, first, then = (details[name] for name in ("index", "first", "then"))
    if first.shape == then.shape:
        assert index == np.unravel_index(np.flatnonzero(first != then)[0], first.shape)
        assert f"the first that differ are at [{', '.join(map(str, index))}]: {first[index]} and" in str(err)
    assert run(op, value, isolate=isolate, **others, **{check: False}) is not None


BESIDE = {
    "a write behind its output": ("((double *)PyArray_DATA({z}))[PyArray_SIZE({z})] = 1;", "output 0, "),
    "a byte before its output": ("((char *)PyArray_DATA({z}))[-1] = 1;", "output 0, "),
    "a write beside an array of its own": (
        "PyObject *own = PyArray_SimpleNew(1, PyArray_DIMS({x}), NPY_FLOAT64);"
        "((double *)PyArray_DATA((PyArrayObject *)own))[PyArray_SIZE({x})] = 1; Py_DECREF(own);",
        "an array that it made: ",
    ),
}


@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("more, said", BESIDE.values(), ids=BESIDE)
def test_what_is_written_beside_memory_of_its_own(more, said, isolate):
    op = Doubles(more=more)
    try:
        run(op, VECTOR, isolate=isolate)
        pytest.fail("it was not found")
    except OutOfBoundsError as err:
        assert said in str(err) and err.details["node"].op == op and __file__ in str(err)
    except OpCrashed as err:  # it met the page behind it
        assert isolate and "0 bytes behind the end of an array that it made" in str(err)
    assert run(op, VECTOR, bounds=False).tolist() == (2 * VECTOR).tolist()


READS = {
    "behind its input": (
        "v = ((double *)PyArray_DATA({x}))[PyArray_SIZE({x})];",
        "0 bytes behind the end of input 0, x",
    ),
    "far before its input": ("v = ((double *)PyArray_DATA({x}))[-600];", "4800 bytes before input 0, x"),
    "behind its output": ("v = ((double *)PyArray_DATA({z}))[PyArray_SIZE({z}) + 1];", "bytes behind the end of "),
}


@pytest.mark.parametrize("more, said", READS.values(), ids=READS)
def test_what_is_read_beside_an_array_meets_a_closed_page(more, said):
    for n in (1, 5, 600, 100_000):
        if n == 100_000 and "before" in said:
            continue
        with pytest.raises(OpCrashed) as caught:
            run(Doubles(more="volatile double v; " + more + " (void)v;"), np.arange(float(n)))
        assert said in str(caught.value) and caught.value.details["signal"] == "SIGSEGV"
        assert caught.value.details["file"] == __file__


def test_a_sound_op_passes_every_check():
    for isolate in (True, False):
        for value in (VECTOR, MATRIX, MATRIX.T, VECTOR[::-2], np.zeros(0), np.zeros((0, 3)), np.zeros(1)):
            assert np.array_equal(run(Doubles(), value, isolate=isolate, finite=True), 2 * value)


def test_an_op_that_raises_in_another_way_only():
    class Picky(Doubles):
        def c_code(self, node, name, input_names, output_names, sub):
            test = f'if (PyArray_STRIDE({input_names[0]}, 0) < 0) {{ PyErr_SetString(PyExc_ValueError, "turn it");'
            return f"{test} {sub['fail']} }} {super().c_code(node, name, input_names, output_names, sub)}"

    with pytest.raises(BadThunkOutput, match=r"its C code raises when run on reversed inputs, and") as caught:
        run(Picky(), VECTOR)
    assert str(caught.value).endswith("then: ValueError: turn it")


def test_what_is_not_finite():
    op = Doubles(more="*(double *)PyArray_DATA({z}) = INFINITY;")
    assert run(op, VECTOR)[0] == np.inf
    with pytest.raises(InvalidValueError, match="that is not finite, of inputs that are") as caught:
        run(op, VECTOR, finite=True)
    assert caught.value.details["index"] == (0,) and caught.value.details["check"] == "finite"
    assert run(op, np.array([1.0, np.nan]), finite=True)[0] == np.inf


class Counts(Doubles):
    """Its C keeps a count."""

    def c_support_code_struct(self, node, name):
        return "int calls;"

    def c_init_code_struct(self, node, name, sub):
        return "calls = 0;"


def test_an_op_that_keeps_state_runs_once_a_call():
    op = Counts(more="*(double *)PyArray_DATA({z}) = ++calls;")
    f = opweld.function([x], op(x), mode="DebugMode")
    assert [f(VECTOR)[0] for _ in range(3)] == [1, 2, 3]


def test_it_is_said_once_that_nothing_was_compared():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        f = opweld.function([x], tensor.exp(Doubles()(x)), mode="DebugMode", name="alone")
        f(VECTOR), f(VECTOR)
    mine = [one for one in said if "no perform" in str(one.message)]
    assert len(mine) == 1 and mine[0].category is OpweldWarning
    assert str(mine[0].message).startswith("alone(): no perform: results were not compared: Doubles{")


def test_a_crash_and_a_hang_are_exceptions_here_too():
    with pytest.raises(OpCrashed) as caught:
        run(Doubles(more="abort();"), VECTOR)
    assert caught.value.details["signal"] == "SIGABRT" and caught.value.details["file"] == __file__
    op = Doubles(more="volatile int on = 1; while (on) ;")
    with pytest.raises(OpTimeout):
        opweld.function([x], op(x), mode="DebugMode", options={"isolate_seconds": 2})(VECTOR)


def test_a_crash_in_another_way_only_says_which():
    op = Doubles(more="if (PyArray_STRIDE({x}, 0) < 0) abort();")
    with pytest.raises(OpCrashed) as caught:
        run(op, VECTOR)
    assert caught.value.details["variation"] == "on reversed inputs" and "on reversed inputs; not before" in str(
        caught.value
    )


def test_where_c_runs_can_be_said():
    op = Doubles()
    for mode, options, outside in (
        ("DebugMode", {}, True), ("DebugMode", {"isolate": False}, False), (DebugMode(isolate=False), {}, False),
        (DebugMode(apart=True), {}, False), (DebugMode(isolate=False), {"isolate": True}, True),
    ):  # fmt: skip
        f = opweld.function([x], op(x), mode=mode, **options)
        runners = [node.runner.outside for node in f.maker.linked.nodes if node.runner]
        assert all((outer is not None) is outside for outer in runners) and runners


class Remembers(Doubles):
    """It keeps what it was applied to."""

    __props__ = ()

    def __init__(self):
        super().__init__()

    def make_node(self, a):
        self.ndim = a.type.ndim
        return super().make_node(a)


class Asked(Doubles):
    """It counts who asks."""

    asked = 0

    def __init__(self, count):
        super().__init__()
        self.asked, self.count = 0, count

    def c_code(self, *args):
        self.asked += self.count
        return super().c_code(*args) + f"/* {self.asked} */"


class Unlike(Doubles):
    """Ops that are equal, and are not."""

    __props__ = ()

    def __init__(self, factor):
        super().__init__(walk=Doubles.WALK.replace("2", str(factor)))


def test_what_changes_while_it_is_asked():
    op = Remembers()
    with pytest.raises(BadHook, match="make_node changed ndim of Remembers") as caught:
        opweld.function([x, m], [op(x), op(m)], mode="DebugMode")
    assert caught.value.details["attribute"] == "ndim" and caught.value.details["check"] == "hooks"
    assert caught.value.details["file"] == __file__
    with pytest.raises(BadHook, match="a hook for C changed asked of Asked"):
        opweld.function([x], Asked(1)(x), mode="DebugMode")
    assert opweld.function([x], Asked(0)(x), mode="DebugMode")(VECTOR).tolist() == (2 * VECTOR).tolist()
    assert opweld.function([x], Asked(1)(x), mode=DebugMode(hooks=False))(VECTOR).tolist() == (2 * VECTOR).tolist()


def test_equal_ops_that_write_different_c():
    y = tensor.dvector("y")
    with pytest.raises(BadHook, match=r"an equal op, that of Unlike.*, writes other C"):
        opweld.function([x, y], [Unlike(2)(x), Unlike(3)(y)], mode="DebugMode")
    with pytest.raises(TypeError, match="two of these are equal, by __props__"):  # in any mode
        opweld.function([x], [Unlike(2)(x), Unlike(3)(x)], mode="DebugMode")
    f = opweld.function([x, y], [Unlike(2)(x), Unlike(2)(y)], mode="DebugMode")
    assert f(VECTOR, VECTOR)[1].tolist() == (2 * VECTOR).tolist()


def test_names_and_switches():
    assert BadOptimization is BadRewrite
    with pytest.raises(TypeError, match=r"'layout'; is 'layouts' meant\?"):
        DebugMode(layout=False)
    with pytest.raises(TypeError, match="DebugMode: storage must be True or False"):
        DebugMode(storage="no")


def test_the_page_names_every_check_and_every_error():
    page = (Path(__file__).parent.parent / "docs" / "debugmode.md").read_text()
    rows = dict(re.findall(r"(?m)^\| `(\w+)` \| (yes|no) \|", page))
    assert rows == {name: "yes" if wanted else "no" for name, (wanted, _) in CHECKS.items()}
    errors = {name for name in debugmode.__all__ if name[:3] in ("Bad", "Inv")} | {"OpCrashed", "OpTimeout"}
    assert errors <= set(re.findall(r"`(\w+)`", page))


@pytest.mark.parametrize("lies", ["[:, ::-2]", "[::2, 1::2]", "[::-1]", ".T"])
def test_sums_run_again_on_elements_that_lie_as_they_did(lies):
    f = opweld.function([m], m.sum(), mode="DebugMode")
    for seed in range(20):
        given = eval(f"given{lies}", {"given": np.random.default_rng(seed).standard_normal((6, 8))})
        np.testing.assert_allclose(f(given), given.sum(), rtol=1e-12, atol=1e-12)
