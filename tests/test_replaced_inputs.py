"""An op may replace what it reads: ``Py_XDECREF(x); x = copy;``, as Gemm and its like do (docs/contract.md)."""

from __future__ import annotations

import gc
import sys

import numpy as np
import pytest
from kit import tensor

import opweld
from opweld import Apply, COp, In, Op
from opweld.generic import generic
from opweld.tensor import TensorType

CALLS = 20

REPLACE = """
{{
    PyArrayObject *copy_of = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
    if (copy_of == NULL) {fail}
    Py_XDECREF({x});
    {x} = copy_of;
    {{ npy_intp i; for (i = 0; i < PyArray_SIZE({x}); i++) ((double *)PyArray_DATA({x}))[i] += 100; }}
}}
"""
TAKE = """
Py_XDECREF({z});
{z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
if ({z} == NULL) {fail}
"""
VIEW = "Py_XDECREF({z}); Py_INCREF({x}); {z} = {x};"


class Texts(COp):
    """An op of any texts: of ``{x}``, ``{y}`` …, its inputs, of ``{z}``, its first output, and of ``{fail}``."""

    __props__ = ("code", "cleanup", "views", "destroys")

    def __init__(self, code, cleanup="", views=(), destroys=(), **attributes):
        self.code, self.cleanup, self.views, self.destroys = code, cleanup, views, destroys
        if views:
            self.view_map = {0: list(views)}
        if destroys:
            self.destroy_map = {0: list(destroys)}
        self.__dict__.update(attributes)

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[0].type()])

    def _fill(self, text, inputs, outputs, sub):
        names = dict(zip("xyw", inputs))
        return text.format(z=outputs[0], fail=sub["fail"], **names)

    def c_code(self, node, name, inputs, outputs, sub):
        return self._fill(self.code, inputs, outputs, sub)

    def c_code_cleanup(self, node, name, inputs, outputs, sub):
        return self._fill(self.cleanup, inputs, outputs, sub)

    def c_code_cache_version(self):
        return (1,)


class PythonSecond(Op):
    """A copy of its second input, in Python."""

    __props__ = ()

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [inputs[1].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[1].copy()


replacing = Texts(REPLACE + TAKE)
second = Texts(TAKE.replace("{x}", "{y}"))


def counts(*objects):
    gc.collect()
    return [sys.getrefcount(value) for value in objects]


def blocks(call):
    """Blocks of memory that CALLS calls keep: the least of some rounds, for Python has caches of its own."""
    found = []
    for _ in range(4):
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(CALLS):
            call()
        gc.collect()
        found.append(sys.getallocatedblocks() - before)
    return min(found)


def holds(f, *given, raises=None):
    """Call many times: nothing that was given changes or gains or loses a reference, nothing is kept."""
    kept, before = [np.array(a) for a in given], counts(*given)

    def call():
        if raises is None:
            return f(*given)
        with pytest.raises(raises[0], match=raises[1]):
            f(*given)

    results = [call() for _ in range(CALLS)]
    for result in results[1:]:
        np.testing.assert_equal(result, results[0])
    first = results[0]
    del results
    assert counts(*given) == before
    for value, copy in zip(given, kept):
        np.testing.assert_array_equal(value, copy)
    assert blocks(call) < CALLS // 2
    return first


x, y = tensor("float64", 1, "x"), tensor("float64", 1, "y")
A, B = np.arange(3.0), np.arange(3.0) + 10


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("given", [A, np.arange(6.0)[::2], np.arange(3.0)[::-1]])
def test_the_callers_array_is_left_alone(lang, given):
    f = opweld.function([x], Texts(REPLACE + TAKE, c_lang=lang)(x))
    assert holds(f, given).tolist() == (given + 100).tolist()


def test_it_is_the_next_reader_that_sees_what_is_stored():
    after = replacing(x)  # + 100, and x is x + 100
    f = opweld.function([x], second(after, x))
    assert holds(f, A).tolist() == (A + 100).tolist()
    f = opweld.function([x], PythonSecond()(after, x))
    assert holds(f, A).tolist() == (A + 100).tolist()
    f = opweld.function([x], after * 0 + x)
    assert holds(f, A).tolist() == (A + 100).tolist()


def test_a_constant_keeps_its_count_and_its_value():
    constant = opweld.Constant(TensorType("float64", (None,)), B)
    stored = replacing(constant)
    f = opweld.function([], [stored, second(stored, constant)])
    assert [value.tolist() for value in holds(f)] == [(B + 100).tolist()] * 2
    kept = [c.data for c in f.maker.program.constants]
    before = counts(*kept)
    for _ in range(CALLS):
        f()
    assert counts(*kept) == before and all((c == B).all() for c in kept)


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("given", [(A, B), (A, A), (np.arange(6.0)[::2], B)])
def test_a_variable_given_twice_is_replaced_for_both(lang, given):
    both = """
        PyArrayObject *one = {x}, *other = {y};
        {z} = one == other ? (PyArrayObject *)PyArray_NewCopy({y}, NPY_CORDER) : {z};
        if ({z} == NULL) {fail}
    """
    f = opweld.function([x], Texts(REPLACE + "Py_CLEAR({z});" + both, c_lang=lang)(x, x))
    assert holds(f, given[0]).tolist() == (given[0] + 100).tolist()
    apart = Texts(REPLACE + "Py_CLEAR({z});" + both.replace("one ==", "one !="), c_lang=lang)
    f = opweld.function([x, y], apart(x, y))
    assert holds(f, *given).tolist() == given[1].tolist()
    assert len(f.maker.program.data["steps"][0]["inputs"]) == 2


def test_a_shared_value_keeps_its_count_and_its_value():
    state = opweld.shared(B.copy(), name="state")
    cell = state.get_value(borrow=True)
    f = opweld.function([x], [replacing(state), second(replacing(x), state)], updates={state: state + x})
    before, was = counts(cell), cell.copy()
    first, _ = f(A)
    assert first.tolist() == (was + 100).tolist() and (cell == was).all()
    g = opweld.function([], replacing(state))
    held = state.get_value(borrow=True)
    before = counts(held)
    for _ in range(CALLS):
        g()
    assert counts(held) == before and blocks(g) < CALLS // 2


def test_views_and_outputs_in_place_of_what_was_replaced():
    view = Texts(REPLACE + VIEW, views=(0,))
    f = opweld.function([x], view(x) + 1)
    assert holds(f, A).tolist() == (A + 101).tolist()
    f = opweld.function([x], second(view(x), x))
    assert holds(f, A).tolist() == (A + 100).tolist()
    over = Texts(REPLACE + VIEW, destroys=(0,))  # nothing of the caller's is written over
    f = opweld.function([In(x, mutable=True)], over(x) * 2)
    assert holds(f, A).tolist() == ((A + 100) * 2).tolist()
    f = opweld.function([x], over(x * 2))
    assert holds(f, A).tolist() == (A * 2 + 100).tolist()


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("made", [lambda x: x.T, lambda x: x * 3])
def test_what_was_replaced_is_there_until_the_code_has_run(lang, made):
    sizes = """
        npy_intp *sizes = PyArray_DIMS({x}), others[2] = {{7, 9}};
        PyArrayObject *copy_of = (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER);
        if (copy_of == NULL) {fail}
        Py_XDECREF({x});
        {x} = copy_of;
        Py_XDECREF({z});
        {z} = (PyArrayObject *)PyArray_ZEROS(2, others, NPY_DOUBLE, 0);
        if ({z} == NULL) {fail}
        *(double *)PyArray_GETPTR2({z}, 0, 0) = (double)sizes[0];
        *(double *)PyArray_GETPTR2({z}, 0, 1) = (double)sizes[1];
    """
    m = tensor("float64", 2)
    f = opweld.function([m], Texts(sizes, c_lang=lang)(made(m)))
    found = holds(f, np.ones((2, 3)))
    assert found[0, :2].tolist() == list(made(np.ones((2, 3))).shape)


def test_a_temporary_that_is_kept_between_runs():
    t = x * 3
    f = opweld.function([x, y], [replacing(t) + y, second(replacing(t), t + y)])
    first, _ = holds(f, A, B)
    assert first.tolist() == (A * 3 + 100 + B).tolist()
    assert holds(f, np.arange(5.0), np.zeros(5))[0].tolist() == (np.arange(5.0) * 3 + 100).tolist()


def test_a_result_that_a_later_op_replaced():
    t = Texts(TAKE)(x)
    f = opweld.function([x], [t, replacing(t)])
    first, last = holds(f, A)
    assert first.tolist() == last.tolist() == (A + 100).tolist()
    t = PythonSecond()(x, x)
    f = opweld.function([x], [t, replacing(t)])
    assert [value.tolist() for value in holds(f, A)] == [(A + 100).tolist()] * 2
    mine = np.zeros(3)
    assert f(A, out=[mine, None])[0] is mine and mine.tolist() == (A + 100).tolist()


FAILS = '{{ PyErr_SetString(PyExc_ValueError, "on purpose"); {fail} }}'
HALF = "Py_XDECREF({x}); {x} = NULL;"


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize(
    ("code", "cleanup"),
    [
        (REPLACE + FAILS, ""),
        (HALF + FAILS, ""),
        ("Py_CLEAR({x});" + FAILS, ""),
        (REPLACE + REPLACE + TAKE + FAILS, ""),
        (REPLACE + FAILS, REPLACE.replace("if (copy_of == NULL) {fail}", "")),
        (TAKE + 'PyErr_SetString(PyExc_ValueError, "on purpose");', HALF),
    ],
)
@pytest.mark.parametrize("where", ["input", "constant", "shared", "temporary", "twice", "performed"])
def test_a_failure_behind_a_replacement(code, cleanup, where, lang):
    op = Texts(code, cleanup, c_lang=lang)
    made = {
        "input": lambda: op(x),
        "constant": lambda: op(opweld.Constant(TensorType("float64", (None,)), B)),
        "shared": lambda: op(opweld.shared(B.copy())),
        "temporary": lambda: op(x * 2),
        "twice": lambda: op(x, x),
        "performed": lambda: op(PythonSecond()(x, x)),
    }[where]()
    f = opweld.function([x], [made, x + 1])
    holds(f, A, raises=(ValueError, "on purpose"))
    held = [constant.data for constant in f.maker.program.constants] + [v.cell[0] for v in f.maker.shared]
    before = counts(*held)
    for _ in range(CALLS):
        with pytest.raises(ValueError, match="on purpose"):
            f(A)
    assert counts(*held) == before


@pytest.mark.parametrize("lang", ["c", "c++"])
def test_what_is_stored_is_tested(lang):
    none = Texts(TAKE + HALF, c_lang=lang)
    message = r"c_code gave up input 0, x and stored nothing there: store .*float64"
    holds(opweld.function([x], none(x)), A, raises=(RuntimeError, message))
    wrong = REPLACE.replace("NPY_CORDER);", "NPY_CORDER); ", 1).split("{{ npy_intp")[0]
    wrong = wrong.replace("PyArray_NewCopy({x}, NPY_CORDER)", "PyArray_Cast({x}, NPY_FLOAT32)") + "}}"
    message = r"c_code replaced input 0, x by .*float32.*; store .*float64"
    holds(opweld.function([x], Texts(TAKE + wrong, c_lang=lang)(x)), A, raises=(TypeError, message))


def test_an_exception_of_cxx_behind_a_replacement():
    throwing = Texts(REPLACE + 'throw std::runtime_error("thrown");', c_lang="c++")
    for made in (throwing(x), throwing(opweld.Constant(TensorType("float64", (None,)), B)), throwing(x * 2)):
        holds(opweld.function([x], [made, x + 1]), A, raises=(RuntimeError, "thrown"))


class Kept(Texts):
    """The same with state of its own."""

    def c_support_code_struct(self, node, name):
        return "private: int calls = 0;"

    def c_code(self, *args):
        return "++calls;" + super().c_code(*args)


def test_an_op_with_state():
    assert holds(opweld.function([x], second(Kept(REPLACE + TAKE)(x), x)), A).tolist() == (A + 100).tolist()


def test_the_message_of_a_failure_shows_what_was_given():
    f = opweld.function([x], Texts(HALF + FAILS)(x))
    with pytest.raises(ValueError, match="on purpose") as caught:
        f(np.arange(4.0))
    if sys.version_info >= (3, 11):
        assert "input 0, x: float64, shape (4,), strides (8,)" in caught.value.__notes__[0]


class Swapped(COp):
    """A Python object that is given back; in its place None is left."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [generic()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"Py_XDECREF({z}); {z} = {x}; {x} = Py_None; Py_INCREF(Py_None);"


class Both(Op):
    """A list of two."""

    __props__ = ()

    def make_node(self, *inputs):
        return Apply(self, list(inputs), [generic()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = list(inputs)


def test_python_objects():
    given = object()
    v = generic("v")
    f = opweld.function([v], Both()(Swapped()(v), v))
    before = counts(given)
    for _ in range(CALLS):
        result = f(given)
        assert result == [given, None]
    del result
    assert counts(given) == before


def test_debug_mode():
    f = opweld.function([x, y], [replacing(x), Texts(REPLACE + TAKE.replace("{x}", "{y}"))(y, y)], mode="DebugMode")
    for _ in range(3):
        first, last = f(A, B)
        assert (first.tolist(), last.tolist()) == ((A + 100).tolist(), (B + 100).tolist())
