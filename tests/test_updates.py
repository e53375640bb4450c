"""function(): updates, givens, outputs=None, and functions that are copied."""

import copy
import functools
import gc
import os
import pickle
import signal
import threading
import time
import weakref

import kit
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit import InPlace, View, arrays

from opweld import Apply, COp, In, Op, Out, Variable, errors, function, shared, tensor
from opweld.generic import generic
from opweld.tensor import TensorType, specify_shape

x, y = tensor.dvector("x"), tensor.dvector("y")
A = np.arange(3.0)


def message(kind, call, *args, **kwargs):
    with pytest.raises(kind) as caught:
        call(*args, **kwargs)
    assert type(caught.value) is kind
    return str(caught.value)


def state(n=3, name="w"):
    return shared(np.zeros(n), name)


MODES = pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])

# -- updates -------------------------------------------------------------------------------------------------------


@MODES
def test_a_call_stores_new_values_and_returns_what_was_computed_before(mode):
    w, n = state(), shared(0, "n")
    f = function([x], w.sum(), updates=[(w, w + x), (n, n + 1)], mode=mode)
    assert [float(f(A)) for _ in range(3)] == [0, 3, 6]
    assert w.get_value().tolist() == [0, 3, 6] and n.get_value() == 3 and n.get_value().dtype == "int64"
    assert f.get_shared() == [w, n] and list(f.maker.updates.values()) == [w, n]


@MODES
def test_values_are_swapped(mode):
    a, b = shared(A, "a"), shared(-A, "b")
    f = function([], [], updates={a: b, b: a}, mode=mode)
    assert f() == [] and (a.get_value().tolist(), b.get_value().tolist()) == ((-A).tolist(), A.tolist())
    f()
    assert (a.get_value().tolist(), b.get_value().tolist()) == (A.tolist(), (-A).tolist())


@MODES
def test_without_outputs_the_result_is_none(mode):
    w = state()
    f = function([x], updates=[(w, x)], mode=mode)
    assert f(A) is None and w.get_value().tolist() == A.tolist()
    assert function([x], None, on_unused_input="ignore", mode=mode)(A) is None
    assert function([], updates=[(w, w)], mode=mode)() is None


def test_a_shared_variable_that_is_only_written():
    w = state()
    f = function([x], x + 1, updates=[(w, x * 2)])
    assert f(A).tolist() == [1, 2, 3] and w.get_value().tolist() == [0, 2, 4] and f.get_shared() == [w]


def test_new_values_share_no_memory():
    w, v, u, c = (state(name=name) for name in "wvuc")
    new = x + 1
    f = function([x], [new, Out(x, borrow=True)], updates=[(w, new), (v, new), (u, x), (c, [7.0])])
    a = A.copy()
    for _ in range(2):
        result, lent = f(a)
        held = [s.get_value(borrow=True) for s in (w, v, u, c)]
        everything = [a, result, *held]
        assert lent is a
        for i, one in enumerate(everything):
            assert not any(np.shares_memory(one, other) for other in everything[:i])
        for one in held:
            one[:] = 99
    assert f(a)[0].tolist() == [1, 2, 3] and c.get_value().tolist() == [7]


def test_views_of_the_old_value():
    w = shared(np.arange(4.0), "w")
    old = w.get_value(borrow=True)
    f = function([], updates=[(w, w[::-1])])
    f()
    assert w.get_value().tolist() == [3, 2, 1, 0] and not np.shares_memory(old, w.get_value(borrow=True))
    function([], updates=[(w, View()(w))])()
    assert w.get_value().tolist() == [0, 1, 2, 3] and old.tolist() == [0, 1, 2, 3]


def test_an_earlier_value_stays_as_it_was():
    w = state()
    f = function([x], updates=[(w, w + x)])
    kept = []
    for _ in range(4):
        f(A)
        kept.append(w.get_value(borrow=True))
    assert [k.tolist() for k in kept] == [(A * n).tolist() for n in range(1, 5)]


@MODES
def test_a_call_that_fails_stores_nothing(mode):
    w, n = state(), shared(0, "n")
    f = function([x, y], x + y, updates=[(n, n + 1), (w, w + x)], mode=mode)
    f(A, A)
    for arguments in [(A, np.ones(4)), (np.ones(4), np.ones(4)), ("text", A)]:
        with pytest.raises((ValueError, TypeError)):
            f(*arguments)
        assert n.get_value() == 1 and w.get_value().tolist() == A.tolist()


class Forgets(COp):
    """An op whose code stores nothing."""

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return ""


def test_an_update_that_its_op_forgets_stores_nothing():
    w, n = state(), shared(0, "n")
    f = function([x], None, updates=[(n, n + 1), (w, Forgets()(x))])
    assert "Forgets: c_code did not set output 0" in message(RuntimeError, f, A)
    assert n.get_value() == 0 and w.get_value().tolist() == [0, 0, 0]


def test_an_unfit_out_stores_nothing():
    w = state()
    f = function([x], x + 1, updates=[(w, x)])
    with pytest.raises(TypeError):
        f(A, out=np.zeros(3, "int8"))
    assert w.get_value().tolist() == [0, 0, 0]
    out = np.zeros(3)
    assert f(A, out=out) is out and w.get_value().tolist() == A.tolist()


def test_an_input_that_only_an_update_needs_is_used():
    w = state()
    function([x], updates=[(w, x)])
    with pytest.raises(errors.UnusedInputError, match=r"inputs\[1\], y of type .* is not needed by any output"):
        function([x, y], updates=[(w, x)])
    with pytest.raises(errors.MissingInputError, match="depends on y of type"):
        function([x], updates=[(w, y)])


def test_sizes_may_change_where_they_are_unknown():
    w = shared(np.ones(1), "w")
    f = function([], updates=[(w, tensor.concatenate([w, w]))])
    for _ in range(3):
        f()
    assert w.get_value().shape == (8,)


def test_sizes_that_are_known_are_checked():
    w = shared(np.zeros(3), "w", shape=(3,))
    f = function([x], updates=[(w, x)])
    f(A)
    assert w.get_value().tolist() == A.tolist()
    assert message(ValueError, f, np.ones(4)).startswith("expected shape (3,), but the size along axis 0 is 4")
    assert w.get_value().tolist() == A.tolist()
    fixed = TensorType("float64", (4,))("fixed")
    assert message(TypeError, function, [fixed], updates=[(w, fixed)]) == (
        "updates[0]: w of type TensorType(float64, (3,)) cannot become fixed of type TensorType(float64, (4,)): "
        "specify_shape: the size of fixed along axis 0 is 4, not 3"
    )


@pytest.mark.parametrize(
    ("updates", "kind", "text"),
    [
        (lambda w: [(x, x)], TypeError,
         "updates[0]: expected a shared variable, got x (TensorVariable); use opweld.shared(value)"),
        (lambda w: [(w, x), (w, y)], ValueError, "updates[1] updates w, and so does an earlier one: update it once"),
        (lambda w: [(w, x.astype("float32").copy())], TypeError, None),
        (lambda w: [(w, tensor.fvector("g"))], TypeError,
         "updates[0]: w of type TensorType(float64, (?,)) cannot become g of type TensorType(float32, (?,)): its dtype "
         "differs; cast it by .astype('float64')"),
        (lambda w: [(w, tensor.dmatrix("m"))], TypeError,
         "updates[0]: w of type TensorType(float64, (?,)) cannot become m of type TensorType(float64, (?, ?)): the "
         "number of dimensions differs; reshape it, or index it"),
        (lambda w: [(w, "text")], TypeError, None),
        (lambda w: [w], TypeError, "updates[0] must be a pair (variable, new), got w (TensorSharedVariable)"),
        (lambda w: 3, TypeError, "updates must be a list of pairs or a dict, got 3 (int)"),
    ],
)  # fmt: skip
def test_what_is_no_update(updates, kind, text):
    said = message(kind, lambda: function([], updates=updates(state())))
    assert text is None or said == text


def test_defaults_come_unless_they_are_refused():
    w, v = state(), shared(0, "v")
    v.default_update = v + 1
    w.default_update = w + v  # brings v, and v's own
    assert function([], w.sum()).get_shared() == [w, v]
    f = function([], w.sum())
    assert [float(f()) for _ in range(4)] == [0, 0, 3, 9] and v.get_value() == 4
    for without in (True, [w, v], (w, v)):
        assert function([], w.sum(), no_default_updates=without).maker.updates == {}
    assert list(function([], w.sum(), no_default_updates=[v]).maker.updates.values()) == [w]
    assert list(function([], v, updates=[(v, v - 1)]).maker.updates.values()) == [v]
    function([], v, updates=[(v, v * 0)])()
    assert v.get_value() == 0
    v.default_update = x
    text = message(TypeError, function, [], v)
    assert text.startswith("v.default_update: v of type TensorType(int64, ()) cannot become x of type")
    text = message(TypeError, function, [], v, no_default_updates=3)
    assert text.startswith("no_default_updates must be True, False or a list")


def test_threads():
    n = shared(0, "n")
    f = function([], updates=[(n, n + 1)])
    threads = [threading.Thread(target=lambda: [f() for _ in range(200)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 200 <= n.get_value() <= 800


def test_a_function_that_may_write_into_its_argument():
    w = state()
    f = function([In(x, mutable=True)], InPlace()(x), updates=[(w, x)])
    a = A.copy()
    assert f(a).tolist() == [1, 2, 3] and w.get_value().tolist() == A.tolist()
    with pytest.raises(errors.InconsistencyError, match="destroys its input 0"):
        function([], updates=[(w, InPlace()(w))])


@functools.cache
def stateful(dtype):
    """A function with two shared variables, and these."""
    w, n = shared(np.zeros(3, dtype), "w"), shared(0, "n")
    v = tensor.vector("v", dtype=dtype)
    return function([v], [w, w + v], updates=[(w, w + v), (n, n + 1)]), w, n


@given(st.data(), st.sampled_from(["float64", "int8", "complex64"]))
def test_any_sequence_of_calls(data, dtype):
    f, w, n = stateful(dtype)
    vectors = arrays(dtype, 1)
    value, count = np.zeros(3, dtype), 0
    w.set_value(value)
    n.set_value(count)
    for step, given_ in data.draw(st.lists(st.tuples(st.sampled_from(["call", "set", "lend"]), vectors), max_size=6)):
        if step != "call":
            w.set_value(given_, borrow=step == "lend")
            value = np.array(given_)
            continue
        try:
            with np.errstate(all="ignore"):
                new = value + given_
        except ValueError:
            with pytest.raises(ValueError):
                f(given_)
        else:
            old, result = f(given_)
            np.testing.assert_array_equal(old, value)
            np.testing.assert_array_equal(result, new)
            assert not np.shares_memory(result, w.get_value(borrow=True))
            old[...] = result[...] = 1
            value, count = new, count + 1
        np.testing.assert_array_equal(w.get_value(), value)
        assert n.get_value() == count


# -- givens --------------------------------------------------------------------------------------------------------


@MODES
def test_givens_stand_for_variables(mode):
    w = state()
    batch = shared(A, "batch")
    loss = (x * y).sum()
    f = function([y], loss, givens=[(x, batch)], updates=[(w, w + x)], mode=mode)
    assert f(np.ones(3)) == 3 and w.get_value().tolist() == A.tolist() and f.get_shared() == [batch, w]
    assert function([x], loss, givens={y: x + 1}, mode=mode)(A) == (A * (A + 1)).sum()
    assert function([], loss, givens={x: A, y: [1.0, 1.0, 1.0]}, mode=mode)() == 3
    assert loss.owner.inputs[0].owner.inputs == [x, y]  # the user's graph is as it was


def test_givens_stand_for_what_is_computed_and_for_shared_variables():
    w = state()
    middle = x + w
    top = middle * 2
    assert function([y], top, givens=[(middle, y)])(A).tolist() == [0, 2, 4]
    f = function([x, y], top, givens=[(w, y)])
    assert f(A, A).tolist() == [0, 4, 8] and f.get_shared() == []


def test_givens_of_givens():
    a, b, c = (tensor.dscalar(name) for name in "abc")
    assert function([c], a, givens=[(a, b + 1), (b, c * 2)])(3.0) == 7
    assert function([c], a, givens=[(b, c * 2), (a, b + 1)])(3.0) == 7
    assert function([a], a * 10, givens=[(a, a + 1)])(3.0) == 40  # itself is meant
    assert message(ValueError, function, [a, b], a, givens=[(a, b), (b, a + 1)]) == (
        "givens: each of a, b needs another of them: replace them one after the other"
    )


def test_givens_that_nobody_needs():
    assert function([x], x + 1, givens=[(y, x)])(A).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("givens", "kind", "text"),
    [
        ([(x, tensor.dmatrix("m"))], TypeError,
         "givens[0]: x of type TensorType(float64, (?,)) cannot be replaced by m of type TensorType(float64, (?, ?)): "
         "the number of dimensions differs; reshape it, or index it"),
        ([(3, x)], TypeError, "givens[0]: expected a Variable to replace, got 3 (int)"),
        ([(x, y), (x, y)], ValueError, "givens[1] replaces x, and so does an earlier one: replace it once"),
        ([(x, Variable(generic))], TypeError, "givens[0]: x of type TensorType(float64, (?,)) cannot be replaced by a "
         "variable without a name, of type Generic: the types must be equal"),
        ([(x, "text")], TypeError, None),
        (3, TypeError, "givens must be a list of pairs or a dict, got 3 (int)"),
    ],
)  # fmt: skip
def test_what_cannot_stand_for_a_variable(givens, kind, text):
    said = message(kind, lambda: function([y], x + y, givens=givens))
    assert text is None or said == text


def test_a_given_of_unknown_sizes_is_checked():
    row = TensorType("float64", (1, None))("row")
    m = tensor.dmatrix("m")
    f = function([m], row + 1, givens=[(row, m)])
    assert f([[1.0, 2.0]]).tolist() == [[2, 3]]
    assert message(ValueError, f, [[1.0], [2.0]]).startswith("expected shape (1, ?), but the size along axis 0 is 2")


def test_long_chains():
    z = x
    for _ in range(3000):
        z = View()(z)
    w = state()
    f = function([y], z, givens=[(x, y + 1)], updates=[(w, z)], mode="FAST_COMPILE")
    assert f(A).tolist() == [1, 2, 3]


def test_a_cycle_is_refused():
    node = View().make_node(x)
    node.inputs[0] = node.outputs[0]
    for givens in ({}, {x: y}):
        assert "has a cycle through View" in message(ValueError, function, [x, y], node.outputs[0], givens=givens)


# -- specify_shape -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_specify_shape(mode):
    z = specify_shape(x, (3,))
    assert z.type.shape == (3,) and specify_shape(z, (None,)) is z and specify_shape(z, (3,)) is z
    f = function([x], z, mode=mode)
    assert f(A).tolist() == A.tolist()
    assert message(ValueError, f, np.ones(2)).startswith("expected shape (3,), but the size along axis 0 is 2")
    assert "3 sizes for x, which has 1 dimensions" in message(TypeError, specify_shape, x, (1, 2, 3))
    with pytest.raises(ValueError, match=r"size of .* along axis 0 is 3, not 4"):
        specify_shape(z, (4,))
    assert function([x], Out(z, borrow=True))(A) is not None


# -- copies --------------------------------------------------------------------------------------------------------


def stepper(mode=None):
    w, n = state(), shared(0, "n")
    return function([x], w.sum(), updates=[(w, w + x), (n, n + 1)], name="step", mode=mode), w, n


@MODES
def test_copies_have_the_same_shared_variables(mode):
    f, w, n = stepper(mode)
    for g in (f.copy(), f.copy(share_memory=True), copy.copy(f)):
        before = int(n.get_value())
        g(A)
        assert n.get_value() == before + 1 and g.get_shared() == [w, n] and g.name == "step" and g is not f
    assert f.copy(name="other").name == "other" and "other()" in message(TypeError, f.copy(name="other"), 1, 2)


def test_copies_use_the_module_that_is_there():
    f, w, _ = stepper()
    assert f.copy().maker.built is f.maker.built is f.copy(swap={w: state(3, "v")}, name="g").maker.built


@MODES
def test_shared_variables_are_swapped(mode):
    f, w, n = stepper(mode)
    v = shared(np.ones(3), "v")
    g = f.copy(swap={w: v})
    assert g(A) == 3 and v.get_value().tolist() == [1, 2, 3] and w.get_value().tolist() == [0, 0, 0]
    assert g.get_shared() == [v, n] and n.get_value() == 1 and list(g.maker.updates.values()) == [v, n]
    assert set(g.maker.fgraph.inputs) == {x, v, n}
    h = g.copy(swap={v: w})
    h(A)
    assert w.get_value().tolist() == A.tolist() and h.get_shared() == [w, n]


def test_two_are_swapped_for_one_another():
    a, b = shared(A, "a"), shared(-A, "b")
    f = function([], a, updates=[(a, b)])
    g = f.copy(swap={a: b, b: a})
    assert g().tolist() == (-A).tolist() and b.get_value().tolist() == A.tolist()


@MODES
def test_updates_are_left_out(mode):
    f, w, n = stepper(mode)
    f(A)
    g = f.copy(delete_updates=True)
    assert g.maker.updates == {} and g.get_shared() == [w]
    assert (g(A), g(A)) == (3, 3) and n.get_value() == 1


def test_what_cannot_be_swapped():
    f, w, n = stepper()
    other = state(name="other")
    assert message(ValueError, f.copy, swap={other: w}) == (
        "swap: other (TensorSharedVariable) is not a shared variable of step()"
    )
    assert message(TypeError, f.copy, swap={w: x}) == "swap: expected a shared variable for w, got x (TensorVariable)"
    assert message(TypeError, f.copy, swap={w: n}) == (
        "swap: n of type TensorType(int64, ()) cannot stand for w of type TensorType(float64, (?,))"
    )
    a, b = shared(A, "a"), shared(A, "b")
    g = function([], a + b)
    text = message(ValueError, g.copy, swap={a: b})
    assert text == "swap: f() would have b twice: it stands for two shared variables"
    assert message(TypeError, g.copy, name=3) == "name must be a string, got 3 (int)"


def test_deep_copies_have_values_of_their_own():
    f, w, n = stepper()
    f(A)
    g, again = copy.deepcopy([f, w])
    assert again is g.get_shared()[0] and again is not w
    g(A)
    assert n.get_value() == 1 and again.get_value().tolist() == [0, 2, 4]


def test_performs_and_updates_that_python_computes():
    class Count(Op):
        def make_node(self, s):
            return Apply(self, [s], [s.type()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = {**inputs[0], "n": inputs[0]["n"] + 1}

    s = shared({"n": 0}, "s")
    f = function([], updates=[(s, Count()(s))])
    f()
    f()
    assert s.get_value() == {"n": 2}


# -- several threads, calls within calls, set_value, fork ----------------------------------------------------------


def slowly(call=None):
    """A node that lets other threads run, and calls something."""

    def perform(a):
        time.sleep(0)
        if call is not None:
            call()
        return a

    return kit.Python(perform)


def in_threads(*calls):
    threads = [threading.Thread(target=call, daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads), "they wait for one another"


def repeated(f, times):
    return lambda: [f() for _ in range(times)]


def test_no_update_is_lost():
    """One function, its copy, and others that update some of the same values, from several threads."""
    a, b = shared(np.zeros(1), "a"), shared(np.zeros(1), "b")
    step = function([], None, updates=[(a, slowly()(a) + 1)])
    other = function([], None, updates=[(a, slowly()(a) + 10)])
    both = function([], None, updates=[(b, slowly()(b) + 1), (a, slowly()(a) + 100)])
    turned = function([], None, updates=[(a, slowly()(a) + 1000), (b, slowly()(b) + 1)])
    in_threads(*(repeated(f, 200) for f in (step, step, step.copy(), other, both, turned, turned)))
    assert a.get_value().tolist() == [600 + 2000 + 20000 + 400000] and b.get_value().tolist() == [600]


def test_values_that_are_updated_together_are_seen_together():
    a, b = shared(np.zeros(1), "a"), shared(np.zeros(1), "b")
    step = function([], None, updates=[(a, slowly()(a) + 1), (b, slowly()(b) + 1)])
    look = function([], [a, b])
    seen = []
    in_threads(repeated(step, 500), lambda: seen.extend(look() for _ in range(2000)))
    assert all(one.tolist() == other.tolist() for one, other in seen)


@pytest.mark.parametrize("inner", ["itself", "another", "a copy"])
def test_a_call_from_within_that_updates_the_same(inner):
    a = shared(np.zeros(1), "a")
    calls = []
    f = function([], None, updates=[(a, slowly(lambda: calls.pop()())(a) + 1)], name="f")
    other = {"itself": f, "another": function([], None, updates=[(a, a * 2)], name="f")}.get(inner) or f.copy()
    calls.append(other)
    told = message(RuntimeError, f)
    assert "f() was called from within a call that updates one of the shared values that it updates itself" in told
    assert a.get_value().tolist() == [0]
    b = shared(0, "b")
    calls.append(function([], None, updates=[(b, b + 1)]))  # of another value
    f()
    calls.append(function([], a * 2))  # which reads what was there before
    f()
    assert a.get_value().tolist() == [2] and b.get_value() == 1


def test_a_failing_call_gives_its_turn_back():
    a, b = shared(np.zeros(1), "a"), shared(np.zeros(1), "b")
    f = function([x], None, updates=[(a, a + x.sum()), (b, x[:1] + slowly(lambda: 1 / (int(b.get_value()[0]) - 1))(b))])
    for arguments in (("text",), ()):
        with pytest.raises(TypeError):
            f(*arguments)
    b.set_value([1.0])
    with pytest.raises(ZeroDivisionError):
        f(A)
    b.set_value([0.0])
    in_threads(lambda: f(A))
    assert a.get_value().tolist() == [3]


def test_a_value_that_is_set_during_a_call_stays():
    a, b = shared(np.zeros(1), "a"), shared(np.zeros(1), "b")
    f = function([], None, updates=[(a, slowly(lambda: a.set_value([50.0]))(a) + 1), (b, b + 1)])
    f()
    assert a.get_value().tolist() == [50] and b.get_value().tolist() == [1]


class GoesOn(COp):
    """Sets an exception, and does its work all the same: the call fails when all new values are there."""

    def make_node(self, v):
        return Apply(self, [v], [v.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (v,), (z,) = input_names, output_names
        return f"""PyErr_SetString(PyExc_OSError, "went on"); Py_XDECREF({z});
            {z} = (PyArrayObject*)PyArray_SimpleNew(1, PyArray_DIMS({v}), NPY_DOUBLE);"""


def test_new_values_of_a_failing_call_are_released():
    w, n = state(), shared(np.zeros(1), "n")
    new = np.ones(3)
    held = weakref.ref(new)
    ARRAYS.append(new)
    del new
    f = function([x], None, updates=[(w, kit.Python(lambda a: ARRAYS.pop())(x)), (n, GoesOn()(n))])
    assert message(OSError, f, A) == "went on"
    assert held() is None and w.get_value().tolist() == [0, 0, 0] and n.get_value().tolist() == [0]


ARRAYS = []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_during_a_call():
    """The child's thread does not wait for one that it has not."""
    a = shared(np.zeros(1), "a")
    entered, leave = threading.Event(), threading.Event()

    def wait():
        entered.set()
        leave.wait(120)

    f = function([], None, updates=[(a, slowly(wait)(a) + 1)])
    g = function([], None, updates=[(a, a + 5)])
    thread = threading.Thread(target=f, daemon=True)
    thread.start()
    assert entered.wait(120)
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        g()
        os._exit(0 if a.get_value().tolist() == [5] else 1)
    _, status = os.waitpid(child, 0)
    leave.set()
    thread.join(120)
    assert os.waitstatus_to_exitcode(status) == 0 and a.get_value().tolist() == [1]


def test_shared_values_are_pickled_without_their_turn():
    a = shared(np.zeros(1), "a")
    f = function([], None, updates=[(a, a + 1)])
    again, value = pickle.loads(pickle.dumps([f, a]))
    again()
    assert value.get_value().tolist() == [1] and a.get_value().tolist() == [0]
    assert copy.deepcopy(a).get_value().tolist() == [0]


def test_a_cycle_through_a_shared_value_is_collected():
    class Holder:
        pass

    holder = Holder()
    h = shared(holder, borrow=True)
    holder.f = function([], kit.Python(lambda a: np.array(1.0), tensor.dscalar)(h))
    gone = weakref.ref(holder)
    del holder, h
    gc.collect()
    assert gone() is None
