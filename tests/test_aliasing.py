"""Who may share memory with whom, and who may write: the order that follows, and what is refused at compile time."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from kit import InPlace, Python, View, data_of

import opweld
from opweld import Apply, COp, FunctionGraph, In, InconsistencyError, Op, tensor
from opweld.compile.ops import DeepCopyOp, view_op
from opweld.graph.aliasing import Buffers

x, y = tensor.dvector("x"), tensor.dvector("y")
add_one, reverse = InPlace(), View()


class Copy(Op):
    """A new array with the same values; `tag` tells copies apart."""

    __props__ = ("tag",)

    def __init__(self, tag="copy"):
        self.tag = tag

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = sum(inputs) + 0.0


class Maps(Op):
    """Two inputs, two outputs, any maps."""

    def __init__(self, view_map=None, destroy_map=None):
        self.view_map = view_map or {}
        self.destroy_map = destroy_map or {}

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type(), inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = output_storage[1][0] = inputs[0]


copy = Copy()


def refused(inputs, outputs):
    with pytest.raises(InconsistencyError) as caught:
        opweld.function(inputs, outputs)
    return str(caught.value)


def names(f):
    return [getattr(node.op, "tag", type(node.op).__name__) for node in f.maker.fgraph.toposort()]


# -- the order ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_readers_run_before_the_destroyer_whatever_the_order_of_outputs(order):
    t = copy(x)
    outputs = [add_one(t), Copy("r1")(t), Copy("r2")(reverse(t))]
    f = opweld.function([x], [outputs[i] for i in order])
    results = dict(zip(order, f([1.0, 2.0])))
    assert results[0].tolist() == [2.0, 3.0]
    assert results[1].tolist() == [1.0, 2.0]
    assert results[2].tolist() == [2.0, 1.0]
    assert names(f)[-1] == "InPlace"


def test_readers_through_a_chain_of_views():
    t = copy(x)
    view = t
    for _ in range(5):
        view = view_op(reverse(view))
    f = opweld.function([x], [add_one(t), Copy("late")(view)])
    assert names(f)[-1] == "InPlace"
    first, second = f([1.0, 2.0])
    assert (first.tolist(), second.tolist()) == ([2.0, 3.0], [2.0, 1.0])


def test_destroying_through_a_view_waits_for_the_readers_of_the_whole():
    t = copy(x)
    f = opweld.function([x], [add_one(reverse(t)), Copy("late")(t)])
    assert names(f)[-1] == "InPlace"
    assert [r.tolist() for r in f([1.0, 2.0])] == [[3.0, 2.0], [1.0, 2.0]]


def test_each_generation_is_read_before_it_is_written_over():
    one = add_one(copy(x))
    two = add_one(one)
    f = opweld.function([x], [two, Copy("of one")(one), Copy("of two")(two)])
    assert [r.tolist() for r in f([0.0])] == [[2.0], [1.0], [2.0]]
    assert names(f).index("of one") < len(names(f)) - 1


def test_a_reader_of_the_result_runs_after():
    t = copy(x)
    done = add_one(t)
    f = opweld.function([x], Copy("sum")(done, Copy("before")(t)))
    assert f([1.0]).tolist() == [3.0]


def test_a_long_chain_of_destroyers_is_ordered_in_no_time():
    value = copy(x)
    for _ in range(2000):
        value = add_one(value)
    f = opweld.function([x], value)
    assert f([0.0]).tolist() == [2000.0]


# -- refused -----------------------------------------------------------------------------------------------------


def test_an_input_that_is_not_mutable():
    assert refused([x], add_one(x)) == (
        "InPlace(x) destroys its input 0, and that is the function's input x: pass In(..., mutable=True) to allow it"
    )
    assert refused([x], add_one(view_op(reverse(x)))) == (
        "InPlace(ViewOp) destroys its input 0, and that is the function's input x, through ViewOp: "
        "pass In(..., mutable=True) to allow it"
    )
    array = np.array([1.0, 2.0])
    f = opweld.function([In(x, mutable=True)], add_one(reverse(x)))
    assert f(array).tolist() == [3.0, 2.0] and array.tolist() == [2.0, 3.0]


def test_a_constant():
    constant = tensor.as_tensor_variable([1.0])
    assert refused([], add_one(constant)) == "InPlace([1.]) destroys its input 0, and that is the constant [1.]"
    assert "that is the constant" in refused([], add_one(reverse(constant)))


def test_one_buffer_twice():
    t = copy(x)

    class Other(InPlace):
        pass

    assert refused([x], [add_one(t), Other()(t)]) == (
        "InPlace(Copy{tag='copy'}) and Other(Copy{tag='copy'}) both destroy Copy{tag='copy'}"
    )
    assert "both destroy" in refused([x], [add_one(t), Other()(reverse(t))])
    assert "both destroy" in refused([x], [add_one(reverse(t)), Other()(view_op(t))])


def test_a_reader_that_needs_the_result():
    t = copy(x)
    done = add_one(t)
    assert refused([x], Copy("late")(t, done)) == (
        "Copy{tag='late'}(Copy{tag='copy'}, InPlace) reads Copy{tag='copy'} after InPlace(Copy{tag='copy'}) has "
        "destroyed it, and needs that result too"
    )
    assert "after InPlace(Copy{tag='copy'}) has destroyed it" in refused([x], Copy("late")(reverse(t), copy(done)))


def test_what_is_destroyed_and_returned():
    t = copy(x)
    text = refused([x], [t, add_one(t)])
    assert text == "InPlace(Copy{tag='copy'}) destroys Copy{tag='copy'}, which the function returns"
    assert "which the function returns" in refused([x], [view_op(t), add_one(t)])


def test_a_node_that_reads_what_it_destroys_twice():
    class Both(Op):
        destroy_map = {0: [0]}

        def make_node(self, *inputs):
            return Apply(self, inputs, [inputs[0].type()])

        def perform(self, node, inputs, output_storage):
            inputs[0] += inputs[1]
            output_storage[0][0] = inputs[0]

    t = copy(x)
    assert refused([x], Both()(t, t)).endswith(" destroys its input 0, and its input 1 holds the same memory")
    assert "its input 1 holds the same memory" in refused([x], Both()(t, reverse(t)))

    class Careful(Both):
        destroyhandler_tolerate_same = [(0, 1)]

    assert opweld.function([x], Careful()(t, t))([1.5]).tolist() == [3.0]
    assert refused([x, y], Careful()(t, y, t)).endswith(" destroys its input 0, and its input 2 holds the same memory")


class Three(Op):
    """Writes over its first input what it reads through all."""

    destroy_map = {0: [0]}

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node, inputs, output_storage):
        inputs[0] += inputs[1] + inputs[2]
        output_storage[0][0] = inputs[0]


@pytest.mark.parametrize("attribute", ["destroyhandler_tolerate_same", "destroyhandler_tolerate_aliased"])
def test_a_pair_that_is_tolerated_tolerates_no_other(attribute):
    t, other = copy(x), copy(y)
    op = type("Tolerant", (Three,), {attribute: [(0, 1)]})()
    run = opweld.function([x, y], op(t, t, other))
    assert run([1.0], [2.0]).tolist() == [4.0]
    assert refused([x, y], op(t, other, t)).endswith(" destroys its input 0, and its input 2 holds the same memory")
    assert refused([x], op(t, t, t)).endswith(" destroys its input 0, and its input 2 holds the same memory")
    assert refused([x], op(t, reverse(t), reverse(t))).endswith("its input 2 holds the same memory")
    turned = type("Turned", (Three,), {attribute: [(1, 0)]})()  # (destroyed, read)
    assert refused([x, y], turned(t, t, other)).endswith("its input 1 holds the same memory")


def test_an_output_over_an_input_that_it_views_through_another():
    """It counts as what it views: what it was before is gone, so nobody may read it."""

    class Over(Op):
        view_map = {0: [0]}
        destroy_map = {0: [1]}
        destroyhandler_tolerate_aliased = [(1, 0)]

        def make_node(self, *inputs):
            return Apply(self, inputs, [inputs[0].type()])

    t = copy(x)
    assert "which the function returns" in refused([x], Over()(t, t))
    assert "both destroy" in refused([x], add_one(Over()(t, t)))


@pytest.mark.parametrize(
    ("view_map", "destroy_map", "message"),
    [
        ({}, {0: [2]}, "destroy_map names output 0 of input 2, there are 2 outputs and 2 inputs"),
        ({2: [0]}, {}, "view_map names output 2 of input 0, there are 2 outputs and 2 inputs"),
        ({-1: [0]}, {}, "view_map names output -1 of input 0, there are 2 outputs and 2 inputs"),
        ({0: 0}, {}, "view_map must be {output index: [input index, ...]}, got {0: 0}"),
        ([0], {}, "view_map must be {output index: [input index, ...]}, got [0]"),
        ({0: [0]}, {0: [0]}, "output 0 both views and destroys input 0: leave it out of view_map"),
        ({}, {0: [0], 1: [0]}, "destroy_map has outputs 0 and 1 both written over input 0"),
        ({1: [0]}, {0: [0]}, "output 1 views input 0, which output 0 destroys"),
    ],
)
def test_maps_that_make_no_sense(view_map, destroy_map, message):
    op = Maps(view_map, destroy_map)
    assert refused([x, y], op(copy(x), copy(y))) == f"Maps: {message}"


# -- outputs -----------------------------------------------------------------------------------------------------


def test_outputs_share_nothing_with_inputs_nor_with_one_another():
    t = copy(x)
    f = opweld.function([x], [x, reverse(x), view_op(view_op(x)), t, reverse(t), t])
    array = np.arange(3.0)
    results = f(array)
    assert [r.tolist() for r in results] == [[0, 1, 2], [2, 1, 0], [0, 1, 2], [0, 1, 2], [2, 1, 0], [0, 1, 2]]
    for one, other in itertools.combinations([array, *results], 2):
        assert not np.shares_memory(one, other)
    assert names(f).count("DeepCopyOp") == 5


def test_a_view_of_a_temporary_is_returned_as_it_is():
    f = opweld.function([x], reverse(copy(x)))
    assert names(f) == ["copy", "View"] and f([1.0, 2.0]).tolist() == [2.0, 1.0]


def test_a_written_argument_is_not_returned():
    f = opweld.function([In(x, mutable=True)], add_one(x))
    array = np.zeros(2)
    result = f(array)
    assert array.tolist() == result.tolist() == [1.0, 1.0] and not np.shares_memory(array, result)
    assert isinstance(f.maker.fgraph.toposort()[-1].op, DeepCopyOp)


def test_views_and_destroyers_copy_nothing():
    where = Python(lambda a: np.array([float(data_of(a))]))
    t = copy(x)
    f = opweld.function([x], [where(t), where(view_op(t)), where(add_one(view_op(t)))])
    first, second, third = (r[0] for r in f([1.0, 2.0]))
    assert first == second == third


# -- buffers -----------------------------------------------------------------------------------------------------


def test_buffers_and_generations():
    class Join(COp):
        view_map = {0: [0, 1]}

        def make_node(self, *inputs):
            return Apply(self, inputs, [inputs[0].type()])

    t = copy(x)
    one = add_one(reverse(t))
    both = Join()(one, y)
    buffers = Buffers()
    assert buffers.of(t) == {t: 0}
    assert buffers.of(one) == {t: 1}
    assert buffers.of(add_one(one)) == {t: 2}
    assert buffers.of(both) == {t: 1, y: 0}


def test_an_inner_variable_that_is_given_owns_its_memory():
    t = reverse(copy(x))
    graph = FunctionGraph([t], [Copy("r")(t), add_one(copy(t))])
    assert len(graph.toposort()) == 3
    f = opweld.function([In(t, mutable=True)], add_one(t))
    assert f(np.zeros(1)).tolist() == [1.0]


def test_the_example_of_the_page(capsys):
    page = (Path(__file__).parent.parent / "docs" / "aliasing.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```python\n")[1:]]
    names = {}
    for block in blocks:
        exec(compile(block, "docs/aliasing.md", "exec"), names)
    assert capsys.readouterr().out == "[1. 1. 1.] [1. 1. 1.]\n"
    with pytest.raises(InconsistencyError) as caught:
        opweld.function([names["x"]], names["AddOne"]()(names["x"]))
    assert f"InconsistencyError: {caught.value}" in " ".join(page.split())
