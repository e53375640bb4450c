"""Pickles and deep copies of variables, nodes, graphs and functions."""

import copy
import os
import pickle
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest
from kit import Python, Split, View, negate, split

import opweld
from opweld import Apply, COp, FunctionGraph, In, Op, Out, Variable, function, shared, tensor
from opweld.compile.debugmode import DebugMode
from opweld.graph import pickling

x, y = tensor.dvector("x"), tensor.dvector("y")
A = np.arange(3.0)

WAYS = {
    "C": lambda thing: pickle.loads(pickle.dumps(thing)),
    "protocol 2": lambda thing: pickle.loads(pickle.dumps(thing, 2)),
    "Python": lambda thing: pickle._loads(pickle._dumps(thing)),
    "deepcopy": copy.deepcopy,
}
every_way = pytest.mark.parametrize("again", WAYS.values(), ids=WAYS)


@pytest.fixture(autouse=True)
def nothing_is_being_written():
    yield
    assert not pickling._writing.has(None) and pickling._writing.begun == []


def depth(variable):
    count = 0
    while variable.owner is not None:
        variable = variable.owner.inputs[0]
        count += 1
    return count, variable


def chain(length, begin=x):
    z = begin
    for _ in range(length):
        z = View()(z)
    return z


# -- graphs --------------------------------------------------------------------------------------------------------


@every_way
def test_long_chains(again):
    got = again([x, chain(10_000)])
    assert depth(got[1]) == (10_000, got[0]) and got[0] is not x and got[0].type == x.type and got[0].name == "x"


@every_way
def test_wide_and_tangled_graphs(again):
    z, previous = x, y
    for _ in range(300):  # a path from the end to the beginning may take any of 2**300 ways
        z, previous = z + previous, z
    (got,) = again([z])
    assert len(FunctionGraph([x, y], [z]).apply_nodes) == 300
    inputs = {v for node in pickling.Batch([got]).nodes for v in node.inputs if v.owner is None}
    assert len(pickling.Batch([got]).nodes) == 300 and {v.name for v in inputs} == {"x", "y"} and len(inputs) == 2


@every_way
def test_what_is_one_stays_one(again):
    first = x + y
    one, two = split(first)
    got = again({"x": x, "first": first, "two": two, "node": one.owner, "one": one, "y": y, "sum": first + one})
    assert got["first"].owner.inputs == [got["x"], got["y"]]
    assert got["one"].owner is got["node"] is got["two"].owner and got["node"].outputs == [got["one"], got["two"]]
    assert got["node"].inputs == [got["first"]] and got["sum"].owner.inputs == [got["first"], got["one"]]
    assert (got["one"].index, got["two"].index) == (0, 1) and type(got["node"].op) is Split
    assert again([one.owner, x])[0].inputs[0].owner.inputs[0].name == "x"


@every_way
def test_what_hangs_on_variables_and_nodes_comes_along(again):
    z = negate(x)
    z.name, z.note, z.owner.note, x.note = "z", [x], "n", "free"
    try:
        got = again(z)
    finally:
        del x.note
    assert (got.name, got.owner.note, got.owner.inputs[0].note) == ("z", "n", "free")
    assert got.note[0] is got.owner.inputs[0] and got.owner.made_at == z.owner.made_at is not None
    assert type(got) is type(z) and got.type == z.type and got.owner.op == negate


@every_way
def test_constants_stay_as_they_are(again):
    c = tensor.constant(A, "c")
    got = again([c, x + c])
    assert got[0] is got[1].owner.inputs[1] and got[0].data.tolist() == A.tolist() and not got[0].data.flags.writeable
    assert again(opweld.Constant(opweld.generic.generic, [1])).data == [1]


@every_way
def test_function_graphs(again):
    z = chain(5000, x + y)
    graph = FunctionGraph([x, y], [z, x + y], clone=True)
    len(graph.clients)
    graph.inplace.add(graph.apply_nodes[0])
    got, same = again([graph, graph.inputs[0]])
    assert len(got.apply_nodes) == len(graph.apply_nodes) and got.inputs[0] is same
    assert [v.name for v in got.inputs] == ["x", "y"] and got.inplace == {got.apply_nodes[0]}
    got.replace(got.outputs[1], got.inputs[0])
    assert got.outputs[1] is got.inputs[0]


def test_the_nodes_of_many_results_are_written_once():
    base = chain(200)
    results = [base + i for i in range(200)]
    graph = FunctionGraph([x], results)
    assert len(pickle.dumps(graph)) < 3 * len(pickle.dumps(graph.outputs[0])) + 200 * 1000


@every_way
def test_types_and_dtypes(again):
    for dtype in ("float64", "longdouble", "clongdouble", "bool"):
        type_ = tensor.TensorType(dtype, (None, 1))
        assert again(type_) == type_ and again(type_)._dtype is type_._dtype


def test_a_node_without_outputs_and_a_free_variable():
    class Nothing(Op):
        pass

    node = Apply(Nothing(), [x], [])
    assert copy.deepcopy(node).inputs[0].name == "x"
    assert copy.deepcopy(Variable(x.type)).type == x.type
    assert copy.copy(node) is node


class Wide(Op):
    """Its parameter is a graph."""

    def __init__(self, inner):
        self.inner = inner

    def make_node(self, v):
        return Apply(self, [v], [v.type()])


@every_way
def test_ops_that_hold_graphs(again):
    inner = chain(3000, y)
    z = Wide(inner)(chain(3000))
    got = again(chain(3000, z))
    count, begin = depth(got)
    assert count == 6001 and begin.name == "x"
    node = got.owner
    while not isinstance(node.op, Wide):
        node = node.inputs[0].owner
    assert depth(node.op.inner)[0] == 3000


class Refusing:
    def __call__(self, value):
        return value

    def __reduce__(self):
        raise TypeError("refuses")


def test_a_pickle_that_fails_leaves_nothing_behind():
    z = chain(5, Python(Refusing())(chain(3000)))
    base = z.owner
    while not isinstance(base.op, Python):
        base = base.inputs[0].owner
    base = base.inputs[0]
    kept = []  # tracebacks keep the pickler's frames
    for attempt in (pickle.dumps, pickle._dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="refuses") as caught:
            attempt(z)
        kept.append(caught.value)
        for way in WAYS.values():
            assert depth(way(base))[0] == 3000


def test_cycles_are_refused():
    node = View().make_node(x)
    node.inputs[0] = node.outputs[0]
    with pytest.raises(ValueError, match="has a cycle through View"):
        pickle.dumps(node)


def test_threads():
    z = chain(2000)
    got = []
    threads = [threading.Thread(target=lambda: got.append(depth(copy.deepcopy(z))[0])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [2000] * 4


# -- shared variables ----------------------------------------------------------------------------------------------


@every_way
def test_shared_variables_keep_their_values(again):
    w = shared(A, "w", strict=True)
    got, z = again([w, x + w])
    assert got.get_value().tolist() == A.tolist() and got.name == "w" and got.strict and z.owner.inputs[1] is got
    got.set_value(-A)
    assert w.get_value().tolist() == A.tolist()
    clone, same = again([w.clone(name="v"), w])
    assert clone.cell is same.cell


@every_way
def test_an_update_that_a_shared_variable_comes_with(again):
    w = shared(0, "w")
    w.default_update = chain(2000, w + 1)
    got = again(w)
    count, begin = depth(got.default_update)
    assert count == 2001 and begin is got


# -- functions -----------------------------------------------------------------------------------------------------


@every_way
def test_functions(again):
    w = shared(A, "w")
    f = function(
        [In(x, name="a"), In(y, value=[1.0, 1.0, 1.0])], [x * y, Out(w, borrow=True)], updates=[(w, w + x)], name="g"
    )
    f(A)
    g, v = again([f, w])
    assert g.get_shared() == [v] and v is not w and v.get_value().tolist() == [0, 2, 4]
    product, lent = g(a=A)
    assert product.tolist() == A.tolist() and lent.tolist() == [0, 2, 4] and v.get_value().tolist() == [0, 3, 6]
    assert w.get_value().tolist() == [0, 2, 4] and (g.name, g.__name__) == ("g", "g") and "opweld.Function g" in repr(g)
    assert g.maker.built is f.maker.built


@every_way
def test_functions_share_what_they_shared(again):
    w = shared(0, "w")
    step, read = again([function([], updates=[(w, w + 1)]), function([], w)])
    step()
    assert read() == 1 and w.get_value() == 0


@every_way
def test_long_functions(again):
    f = function([x], chain(3000), mode="FAST_COMPILE")
    assert again(f)(A).tolist() == A.tolist()


@every_way
def test_modes_come_along(again):
    f = function([x], x + 1, mode=DebugMode(check_c=False), name="checked")
    g = again(f)
    assert type(g) is type(f) and g.maker.recipe.mode.check_c is False
    assert g(A).tolist() == [1, 2, 3] and g.name == "checked"
    assert again(function([x], -x, mode="FAST_COMPILE")).maker.recipe.mode == "FAST_COMPILE"


def test_what_does_not_pickle_says_what_it_is():
    class Local(COp):
        __props__ = ()
        make_node = View.make_node
        c_code = View.c_code

    with pytest.raises((pickle.PicklingError, AttributeError), match="Local"):
        pickle.dumps(function([x], Local()(x)))
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(function([x], Python(lambda v: -v)(x)))


def test_another_process_takes_the_module_from_the_cache(tmp_path, cache_of_the_session):
    (tmp_path / "mine.py").write_text(
        textwrap.dedent("""
            import opweld
            from kit import Strided

            class Mine(Strided):
                pass
        """)
    )
    folders = [str(tmp_path), str(Path(__file__).parent), str(Path(opweld.__file__).parent.parent)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(folders), "OPWELD_FLAGS": f"compiledir={cache_of_the_session}"}
    write = """
        import pickle, sys, numpy as np, opweld, mine
        x, w = opweld.tensor.dvector("x"), opweld.shared(np.ones(2), "w")
        f = opweld.function([x], mine.Mine()(x) + w, updates=[(w, w + x)])
        f([1.0, 1.0])
        pickle.dump((f, w), sys.stdout.buffer)
    """
    read = """
        import pickle, sys
        f, w = pickle.load(sys.stdin.buffer)
        print(f([1.0, 1.0]).tolist(), w.get_value().tolist(), f.maker.built.hit, "opweld._engine" in sys.modules)
    """
    made = subprocess.run([sys.executable, "-c", textwrap.dedent(write)], env=env, capture_output=True, check=True)
    got = subprocess.run([sys.executable, "-c", textwrap.dedent(read)], env=env, input=made.stdout, capture_output=True)
    assert got.stdout.decode().strip() == "[1.0, 1.0] [3.0, 3.0] True False", got.stderr.decode()
