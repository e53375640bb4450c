"""What calls cost: which steps are told of, how often they ran, on how much, and that the dearest comes first."""

from __future__ import annotations

import gc
import json
import pickle
import subprocess
import threading
import weakref
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.picture import picture

x, m = T.dvector("x"), T.dmatrix("m")


class Slow(opweld.Op):
    """In Python: adds up some numbers, many times."""

    __props__ = ()

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (given,) = inputs
        for _ in range(300):
            given.cumsum()
        output_storage[0][0] = given + 1


@pytest.fixture(scope="module")
def made():
    """A loop, C of its own kind, and Python, which takes longest by far."""
    ordered = T.sort(T.exp(x * 2) + 1)
    return opweld.function([x], [ordered, Slow()(x)], profile=True, name="model")


@pytest.fixture
def called(made):
    made.profile.reset()
    for _ in range(5):
        made(np.linspace(0, 1, 2_000))
    return made.profile


def test_the_dearest_comes_first(called):
    first = called.costs[0]
    assert first.what == "Slow" and first.share > 0.5
    assert [cost.seconds for cost in called.costs] == sorted((cost.seconds for cost in called.costs), reverse=True)


def test_each_step_is_told_of_once(called):
    costs = {cost.what: cost for cost in called.costs}
    assert set(costs) == {"Slow", "loop: multiply, exp, add", "Sort{axis=0, kind='quicksort'}"}
    assert sorted(place for cost in called.costs for place in cost.places) == list(range(5))
    assert [cost.calls for cost in called.costs] == [5, 5, 5] and called.calls == 5
    assert costs["Slow"].bytes == 5 * 2 * 2_000 * 8
    assert costs["loop: multiply, exp, add"].bytes >= 5 * 2 * 2_000 * 8  # constants are read too
    assert all(line.rpartition("/")[2].startswith("test_profile.py:") for cost in called.costs for line in cost.lines)
    assert all(cost.lines for cost in called.costs)


def test_what_the_call_takes_besides(called):
    inside = sum(cost.seconds for cost in called.costs)
    assert inside < called.seconds and called.overhead == pytest.approx(called.seconds - inside)
    assert sum(cost.share for cost in called.costs) <= 1


def test_as_text_and_in_a_notebook(called):
    head, titles, *rows = str(called).splitlines()
    assert head.startswith("model: 5 calls, ") and repr(called) == str(called)
    assert titles.split() == ["share", "time", "calls", "each", "bytes", "GB/s", "what", "from"]
    assert len(rows) == 4 and "Slow" in rows[0] and "test_profile.py" in rows[0]
    assert rows[-1].endswith("arguments, results and the call itself")
    table = ElementTree.fromstring(called._repr_html_())
    assert table.findtext("caption").startswith("model: 5 calls")
    assert [len(row) for row in table.iter("tr")] == [8] * 5


def test_as_data(called):
    data = json.loads(json.dumps(called.to_dict()))
    assert {"name": data["name"], "calls": data["calls"]} == {"name": "model", "calls": 5}
    assert [set(cost) for cost in data["costs"]] == [{"what", "nodes", "calls", "seconds", "share", "bytes"}] * 3
    assert data["costs"][0]["nodes"][0]["op"] == "Slow" and data["costs"][0]["nodes"][0]["file"] == __file__
    assert data["overhead"] == pytest.approx(data["seconds"] - sum(cost["seconds"] for cost in data["costs"]))


def test_in_the_picture(made, called):
    drawn = ElementTree.fromstring(picture(made).svg)
    bars = [element for element in drawn.iter("{http://www.w3.org/2000/svg}rect") if element.get("class") == "heat"]
    assert len(bars) == 5 + 1  # one a node, and the legend
    words = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert "share of the time" in words and sum("%" in (word or "") for word in words) == 5
    made.profile.reset()
    assert "heat" not in picture(made).svg


@pytest.mark.parametrize("fuse", [True, False])
def test_a_node_that_does_a_hundred_times_the_work(fuse):
    f = opweld.function([m, x], [T.dot(m, m), x + 1], profile=True, fuse=fuse)
    for _ in range(3):
        f(np.ones((200, 200)), np.ones(100))
    assert f.profile.costs[0].what.startswith(("Dot", "dot", "Matmul", "matmul")), f.profile
    assert f.profile.costs[-1].what == "add"


def test_calls_of_one_loop_have_no_frame_and_are_timed_too():
    f = opweld.function([x], x * 2 + 1, profile=True)
    out = np.empty(4)
    f(np.ones(4)), f(np.ones(4), out=out), f([1, 2, 3, 4]), f(x=np.ones(4)), f(np.ones(8)[::2])
    (cost,) = f.profile.costs
    assert (cost.calls, f.profile.calls) == (5, 5)
    assert cost.what == "loop: multiply, add" and cost.places == (0, 1)


@pytest.mark.parametrize("threads", [4])
def test_calls_of_many_threads_are_all_counted(threads):
    smooth = opweld.cop("x: float64[n] -> y: float64[n]", "for (npy_intp i = 0; i < n; i++) y[i] = x[i];", nogil=True)
    f = opweld.function([x], T.sort(smooth(x)), profile=True)
    data, each = np.arange(500.0), 400

    def run():
        for _ in range(each):
            f(data)

    crowd = [threading.Thread(target=run) for _ in range(threads)]
    for thread in crowd:
        thread.start()
    for thread in crowd:
        thread.join()
    assert f.profile.calls == threads * each
    assert [(cost.calls, cost.bytes) for cost in f.profile.costs] == [(threads * each, threads * each * 8_000)] * 2


def test_shared_values_and_the_second_way():
    total = opweld.shared(np.zeros(3), name="total")
    f = opweld.function([x, m], [total, (x + m) * x], updates=[(total, total + x)], profile=True)
    f(np.ones(3), np.ones((2, 3)))
    f(np.ones(3), np.ones((2, 3)))
    assert {cost.calls for cost in f.profile.costs} == {2}
    assert "add, multiply" in str(f.profile)


def test_failed_calls_count():
    y = T.dvector("y")
    f = opweld.function([x, y], x + y, profile=True)
    with pytest.raises(ValueError):
        f(np.ones(2), np.ones(3))
    with pytest.raises(TypeError):
        f("no", np.ones(3))
    assert f.profile.calls == 2


def test_copies_and_pickles_have_their_own(made):
    made(np.ones(3))
    twin = made.copy()
    assert twin.profile.calls == 0 and twin.profile is not made.profile
    twin(np.ones(3))
    assert twin.profile.calls == 1
    s = opweld.shared(np.ones(2))
    f = opweld.function([x], x * s, profile=True)
    again = pickle.loads(pickle.dumps(f))
    again(np.ones(2))
    assert (again.profile.calls, f.profile.calls) == (1, 0)
    assert again.profile.costs[0].what == "multiply"


def test_in_debug_mode_and_other_modes():
    f = opweld.function([x], T.exp(x) + 1, mode="DebugMode", profile=True)
    f(np.ones(2))
    assert f.profile.calls == 1 and f.profile.costs[0].what == "what the mode has linked"


def test_by_configuration_and_options():
    assert opweld.config.profile is False
    opweld.config.profile = True
    try:
        f = opweld.function([x], x - 1)
    finally:
        del opweld.config.profile
    assert f.profile.calls == 0
    assert opweld.function([x], x - 1, options={"profile": True}).profile.calls == 0
    with pytest.raises(TypeError, match="profile"):
        opweld.function([x], x - 1, profile="no")


def symbols(path):
    return subprocess.run(["nm", "-a", str(path)], capture_output=True, text=True, check=True).stdout


def test_an_ordinary_module_knows_nothing_of_it():
    z = T.dvector("z")
    before = opweld.function([z], z * 3 - 7)
    path, key = before.maker.built.path, before.maker.built.key
    with open(path, "rb") as file:
        text = file.read()
    measured = opweld.function([z], z * 3 - 7, profile=True)
    assert measured.maker.built.key != key and measured.maker.built.path != path
    assert measured.maker.program.bytes == before.maker.program.bytes
    assert opweld.source(measured) == opweld.source(before)
    after = opweld.function([z], z * 3 - 7)
    assert (after.maker.built.path, after.maker.built.key) == (path, key)
    with open(path, "rb") as file:
        assert file.read() == text
    assert "clock_gettime" in symbols(measured.maker.built.path) and "clock_gettime" not in symbols(path)
    assert not hasattr(before, "profile") and not hasattr(before, "_costs")


def test_a_function_and_its_profile_are_collected():
    f = opweld.function([x], x * 2 + 1, profile=True)
    f(np.ones(3)), f.profile.costs
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None
