"""Calls of PyTensor's functions: what goes straight into the module is taken, refused and given as PyTensor does."""

import copy
import multiprocessing
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.pytensor.calls import Function

pt = pytest.importorskip("pytensor.tensor")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
MODES = ("OPWELD", "OPWELD_C")
UNALIGNED = np.frombuffer(b"\0" * 25, np.uint8)[1:].view("float64")


class Sub(np.ndarray):
    pass


def outcome(f, *args, **kwargs):
    """What a call gives, or the class and the first line of what it raises."""
    try:
        found = f(*args, **kwargs)
    except Exception as err:
        return type(err), str(err).split("\n")[0]
    listed = found if isinstance(found, list) else [found]
    return type(found), [(type(one), str(np.asarray(one).dtype), np.asarray(one).tolist()) for one in listed]


def graphs():
    """Inputs, outputs and how they are made a function."""
    x, y, fixed = pt.dvector("x"), pt.dvector("y"), pt.tensor("fixed", shape=(3,), dtype="float64")
    i, weight = pt.lscalar("i"), pytensor.shared(np.array([1.0, 2.0, 3.0]), "weight")
    In = pytensor.In
    return [
        ([x, y], x * 2 + y, {}),
        ([x, y], [y - x, x * y], {}),
        ([x, y], [x + y * weight], {}),
        ([fixed, x], fixed + x, {}),
        ([In(x, borrow=True, mutable=True), In(y, borrow=True)], x + y, {}),
        ([In(x, strict=True), y], x - y, {}),
        ([In(x, allow_downcast=True), y], x - y, {}),
        ([x, i], x[i:] * 2, {}),
        ([x, y], [x + 1, x + 1, y], {}),
        ([x, y], x + 1, {"on_unused_input": "ignore"}),
    ]


ONES = np.ones(3)
ARGUMENTS = [
    (ONES, np.arange(3.0)), (ONES, ONES), (np.arange(6.0)[::2], np.arange(6.0)[1:4]), ([1, 2, 3], [0.5, 1, 2]),
    (ONES, np.array(2)), (ONES, 2), (np.ones(3, "float32"), ONES), (ONES, np.ones(3, ">f8")), (np.arange(3), ONES),
    (UNALIGNED, ONES), (ONES.view(Sub), ONES), (np.ones(2), np.ones(2)), (np.ones((3, 1)), ONES), (ONES,), (),
    (ONES, ONES, ONES),
    (None, ONES), ("a", ONES), (np.ones(3, "complex128"), ONES), (np.ones(1), ONES),
]  # fmt: skip


@pytest.mark.parametrize("which", range(len(graphs())))
def test_arguments_are_taken_and_refused_as_by_pytensor(which):
    inputs, outputs, given = graphs()[which]
    reference = pytensor.function(inputs, outputs, mode=pytensor.compile.mode.Mode("py", "fast_run"), **given)
    for mode in MODES:
        f = pytensor.function(inputs, outputs, mode=mode, **given)
        assert type(f) is Function
        for args in ARGUMENTS:
            wanted = outcome(reference, *copy.deepcopy(args))
            found = outcome(f, *copy.deepcopy(args))
            assert found[0] is wanted[0], (args, found, wanted)
            if not isinstance(wanted[1], str):
                assert found == wanted, args


@pytest.mark.parametrize("mode", MODES)
def test_arguments_by_name_and_what_is_shared(mode):
    x, y = pt.dvectors("x", "y")
    scale = pytensor.shared(2.0, "scale")
    f = pytensor.function([x, y], (x - y) * scale, mode=mode)
    one, two = np.array([1.0]), np.array([2.0])
    assert f(one, two) == -2 and f(one, y=two) == -2 and f(y=one, x=two) == 2
    scale.set_value(10.0)
    assert f(one, two) == -10
    for args, kwargs in (((one, one), {"y": one}), ((one,), {"z": one}), ((), {"x": one})):
        with pytest.raises(TypeError, match="input"):
            f(*args, **kwargs)
    f.trust_input = True
    assert f(two, one) == 10


@pytest.mark.parametrize("mode", MODES)
def test_one_array_given_twice_is_written_over_only_where_it_was_given_to_be(mode):
    x, y = pt.dvectors("x", "y")
    f = pytensor.function([pytensor.In(x, mutable=True), pytensor.In(y, borrow=True)], [x + 1, x + y], mode=mode)
    value = np.arange(3.0)
    assert [part.tolist() for part in f(value, value)] == [[1, 2, 3], [0, 2, 4]]
    value = np.arange(6.0)
    assert [part.tolist() for part in f(value[:3], value[1:4])] == [[1, 2, 3], [1, 3, 5]]


@pytest.mark.parametrize("mode", MODES)
def test_results_are_new_each_time(mode):
    x = pt.dvector("x")
    f = pytensor.function([x], [x + 1, pt.exp(x)[1:]], mode=mode)
    first = f(np.zeros(3))
    second = f(np.ones(3))
    assert first[0].tolist() == [1, 1, 1] and second[0].tolist() == [2, 2, 2] and first[1].tolist() == [1, 1]


@pytest.mark.parametrize("mode", MODES)
def test_what_fails_names_node_and_values(mode):
    x, y = pt.dvectors("x", "y")
    f = pytensor.function([x, y], pt.exp(x) + y, mode=mode)
    with pytensor.config.change_flags(exception_verbosity="high"), pytest.raises(ValueError) as info:
        f(np.ones(3), np.ones(2))
    assert "Apply node that caused the error" in str(info.value) and "(3,)" in str(info.value)
    assert f(np.zeros(1), np.ones(1)) == 2


def test_copies_and_pickles_are_of_the_same_kind():
    x = pt.dvector("x")
    state = pytensor.shared(np.ones(1))
    f = pytensor.function([x], x + state, mode="OPWELD")
    f.trust_input = True
    for other in (
        f.copy(),
        copy.copy(f),
        pickle.loads(pickle.dumps(f)),
        f.copy(swap={state: pytensor.shared(np.ones(1))}),
    ):
        assert type(other) is Function and other(np.ones(1)) == 2 and other.trust_input
    changed = opweld.pytensor.OPWELD.excluding("fusion")
    assert type(pytensor.function([x], x + 1, mode=changed)) is Function


def test_one_function_is_called_from_threads():
    x, y = pt.dvectors("x", "y")
    f = pytensor.function([x, y], pt.exp(x) * y, mode="OPWELD")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda i: f(np.zeros(50), np.full(50, float(i)))[0], range(200)))
    assert found == list(range(200))


@pytest.mark.parametrize("mode", MODES)
def test_processes_that_were_forked_call_and_compile(mode):
    x = pt.dvector("x")
    f = pytensor.function([x], pt.exp(x).sum(), mode=mode)
    f(np.ones(3))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert [float(found) for found in pool.map(f, [np.zeros(2), np.zeros(5)])] == [2, 5]
    there, here = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(here, b"%d" % pytensor.function([x], (pt.exp(x) * 2).sum() + x[0], mode=mode)(np.zeros(3)))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(there, 9) == b"6"


@pytest.mark.filterwarnings("ignore:Shared variable 'None' will still be mutated:UserWarning")
def test_updates_of_copies_pickles_and_freed_functions():
    def story(mode):
        x = pt.dvector("x")
        one, other = pytensor.shared(np.ones(2)), pytensor.shared(np.zeros(2))
        f = pytensor.function([x], x + one, updates={one: one * 2}, mode=mode)
        swapped, still = f.copy(swap={one: other}, share_memory=True), f.copy(delete_updates=True)
        found = [g(np.ones(2)).tolist() for g in (f, swapped, still, still, f)]
        again = pickle.loads(pickle.dumps(f))
        found += [again(np.ones(2)).tolist(), f(np.ones(2)).tolist()]
        f.free()
        found += [f(np.ones(2)).tolist(), copy.deepcopy(f)(np.ones(2)).tolist()]
        return found, one.get_value().tolist(), other.get_value().tolist()

    wanted = story(pytensor.compile.mode.Mode("py", "fast_run"))
    for mode in MODES:
        assert story(mode) == wanted
