"""Rewriters in the manner of Theano, Aesara and PyTensor: what is registered in their databases changes graphs."""

import numpy as np
import opweld.compat.theano.tensor as T
import pytest
from opweld.compat.theano.gof.opt import PatternSub, Updater, check_chain, copy_stack_trace, in2out, inherit_stack_trace

from opweld.compat import pytensor, theano
from opweld.compat.theano import gof
from opweld.rewriting import registry

optdb = theano.compile.optdb


@pytest.fixture(autouse=True)
def as_before():
    """What a test registers is gone after it."""
    before, held = registry.rewrites, dict(optdb._held)
    yield
    registry.rewrites = before
    optdb._held.clear()
    optdb._held.update(held)


class Twice(gof.Op):
    """2 x, by an op that a rewriter knows."""

    __props__ = ()

    def make_node(self, x):
        return gof.Apply(self, [T.as_tensor_variable(x)], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2


twice = Twice()


def ops_of(f):
    return [str(node.op) for node in f.maker.fgraph.toposort()]


@gof.local_optimizer([Twice])
def twice_to_sum(node):
    """Replace 2 x by x + x."""
    return [copy_stack_trace(node.outputs[0], node.inputs[0] + node.inputs[0])]


class Shift(gof.Op):
    """x + 1, in another array or in the same one."""

    __props__ = ("inplace",)

    def __init__(self, inplace):
        self.inplace = inplace
        self.destroy_map = {0: [0]} if inplace else {}

    def make_node(self, x):
        return gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] if self.inplace else inputs[0].copy()
        outputs[0][0] += 1


def test_ops_in_place_are_put_where_nothing_is_lost():
    """As the packages' files register them: with the special ones, under the tag of those in place."""

    @gof.local_optimizer([Shift(False)])
    def in_place(node):
        return [Shift(True)(*node.inputs)]

    T.opt.register_specialize(in_place, "inplace")
    x = T.dvector("x")
    f = theano.function([x], Shift(False)(Shift(False)(x)))
    assert [node.op.inplace for node in f.maker.fgraph.toposort()] == [False, True]
    value = np.zeros(2)
    assert f(value).tolist() == [2.0, 2.0] and value.tolist() == [0.0, 0.0]
    plain = theano.function(
        [x], Shift(False)(Shift(False)(x)), mode=theano.compile.get_default_mode().excluding("inplace")
    )
    assert not any(node.op.inplace for node in plain.maker.fgraph.toposort())


def test_local_rewriters_run_by_position_and_tag():
    x = T.dvector("x")
    optdb.register("twice_to_sum", in2out(twice_to_sum, ignore_newtrees=True), 2.5, "fast_run", "fast_compile")
    assert [item.stage for item in registry.rewrites if item.name == "twice_to_sum"] == ["specialize"]
    f = theano.function([x], twice(x))
    assert "Twice" not in ops_of(f) and f([1.0, 2.0]).tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="holds one of that name"):
        optdb.register("twice_to_sum", twice_to_sum, 3)
    with pytest.raises(TypeError, match="expected a rewriter or a database"):
        optdb.register("nothing", 3, 4)


def test_what_has_no_usual_tag_waits_to_be_named():
    x = T.dvector("x")
    optdb["uncanonicalize"].register("twice_when_asked", twice_to_sum)
    assert ops_of(theano.function([x], twice(x))) == ["Twice"]
    mode = theano.compile.get_default_mode().including("twice_when_asked")
    assert ops_of(theano.function([x], twice(x), mode=mode)) != ["Twice"]
    del optdb["uncanonicalize"]._held["twice_when_asked"]


def test_a_database_in_a_database():
    x = T.dvector("x")
    inner = gof.SequenceDB()
    optdb.register("inner", inner, 1.7, "fast_run")
    inner.register("twice_inside", in2out(twice_to_sum), 0, "fast_run")
    assert [item.stage for item in registry.rewrites if item.name == "twice_inside"] == ["stabilize"]
    assert "Twice" not in ops_of(theano.function([x], twice(x)))
    graph = gof.FunctionGraph([x], [twice(x)], clone=True)
    optdb.query("+fast_run").optimize(graph)
    assert [str(node.op) for node in graph.toposort()] != ["Twice"]


class WholeGraph(gof.Optimizer):
    """Replaces 2 x in a graph, by the means of such rewriters."""

    seen = 0

    def apply(self, fgraph):
        heard = []
        listener = Updater(heard.append, None, None, name="heard")
        fgraph.attach_feature(listener)
        for node in fgraph.toposort():
            if node.op == twice:
                with inherit_stack_trace(node.outputs):
                    new = node.inputs[0] + node.inputs[0]
                fgraph.replace_all_validate([(node.outputs[0], new)], reason="WholeGraph")
        fgraph.remove_feature(listener)
        type(self).seen = len(heard)


def test_rewriters_of_whole_graphs():
    x = T.dvector("x")
    optdb.register("whole", WholeGraph(), 2.01, "fast_run")
    f = theano.function([x], [twice(twice(x)), x * 3])
    assert not {"Twice"} & set(ops_of(f)) and WholeGraph.seen == 2
    assert [value.tolist() for value in f([1.0])] == [[4.0], [3.0]]

    @theano.tensor.opt.register_specialize("further_tag", name="by_a_function")
    @gof.optimizer
    def by_a_function(fgraph):
        raise LookupError("it is asked")

    with pytest.raises(LookupError, match="it is asked"):
        theano.function([x], x * 3)


def test_graphs_are_as_before_where_a_replacement_is_refused():
    x = T.dvector("x")
    y = twice(x)
    graph = gof.FunctionGraph([x], [y + 1, y * 3], clone=True)
    (old,) = [node for node in graph.toposort() if node.op == twice]
    before = [str(node) for node in graph.toposort()]
    with pytest.raises(gof.ReplacementDidntRemovedError):
        graph.replace_all_validate_remove([(graph.outputs[0], T.exp(x))], [old], reason="test")
    assert [str(node) for node in graph.toposort()] == before and graph.outputs[0].owner.inputs[0] is old.outputs[0]
    with pytest.raises(TypeError, match="cannot be replaced"):
        graph.replace_validate(graph.outputs[0], T.dmatrix("m"))
    graph.replace_all_validate_remove([(old.outputs[0], x + x)], [old])
    assert old not in graph and graph.consistent()


def test_patterns():
    x, y = T.dvector("x"), T.dvector("y")
    one = {"pattern": "c", "constraint": lambda v: gof.graph.Constant in type(v).__mro__ and (v.data == 1).all()}
    rule = PatternSub((T.log, (T.add, one, (T.exp, "x"))), (twice, "x"), allow_multiple_clients=False, name="rule")
    graph = gof.FunctionGraph([x, y], [T.log(1 + T.exp(x)), T.log(2 + T.exp(y))], clone=True)
    gof.TopoOptimizer(rule).optimize(graph)
    assert graph.outputs[0].owner.op == twice and graph.outputs[1].owner.op == T.log
    assert str(rule) == "rule" and rule.tracks() == [T.log]
    shared = T.exp(x)
    graph = gof.FunctionGraph([x], [T.log(1 + shared), shared], clone=True)
    gof.TopoOptimizer(rule).optimize(graph)
    assert graph.outputs[0].owner.op == T.log  # exp(x) is read elsewhere too
    same = PatternSub((T.add, "x", "x"), (twice, "x"))
    graph = gof.FunctionGraph([x, y], [x + x, x + y], clone=True)
    gof.TopoOptimizer(same).optimize(graph)
    assert [v.owner.op for v in graph.outputs] == [twice, T.add]
    with pytest.raises(TypeError, match="must begin with an op"):
        PatternSub("x", "x")


def test_one_op_for_another():
    x = T.dvector("x")
    graph = gof.FunctionGraph([x], [twice(T.exp(twice(x)))], clone=True)
    gof.EquilibriumOptimizer([gof.OpRemove(twice), gof.OpSub(T.exp, T.log)]).optimize(graph)
    assert [node.op for node in graph.toposort()] == [T.log]
    group = gof.LocalOptGroup(gof.OpSub(T.log, T.exp), gof.OpRemove(T.exp))
    assert group.tracks() == [T.log, T.exp]
    gof.SeqOptimizer(gof.MergeOptimizer(), in2out(group)).optimize(graph)
    assert graph.toposort() == []


def test_terms_of_products():
    x, y = T.dvector("x"), T.dvector("y")

    def cancel(above, below):
        for term in list(above):
            if term in below:
                above.remove(term), below.remove(term)
        return above, below

    canonizer = theano.tensor.opt.local_mul_canonizer
    held = list(canonizer.external_simplifiers)
    canonizer.add_simplifier(cancel, "cancel")
    try:
        f = theano.function([x, y], x * y / x, mode="FAST_RUN", on_unused_input="ignore")
        assert ops_of(f) == ["DeepCopyOp"] and f([0.0], [2.0]).tolist() == [2.0]
    finally:
        canonizer.external_simplifiers[:] = held


def test_chains_and_roots():
    x = T.dmatrix("x")
    y = T.exp(T.log(x).T)
    assert check_chain(y, T.exp, T.DimShuffle, T.log) and not check_chain(y, T.exp, T.log)
    assert gof.view_roots(y.owner.inputs[0]) == [y.owner.inputs[0].owner.inputs[0]] and gof.view_roots(y) == [y]


def test_rewriters_track_classes_of_ops():
    seen = []

    @pytensor.graph.rewriting.basic.node_rewriter([T.Sum, T.DimShuffle])
    def note(fgraph, node):
        seen.append(str(node.op))

    x = T.dmatrix("x")
    graph = gof.FunctionGraph([x], [T.exp(x.T.sum()), x.prod()], clone=True)
    pytensor.graph.rewriting.basic.WalkingGraphRewriter(note).rewrite(graph)
    assert len(seen) == 2 and "DimShuffle" in seen[0] and "add" in seen[1]
    assert isinstance(note, theano.gof.LocalOptimizer) and isinstance(note, pytensor.graph.rewriting.basic.NodeRewriter)


def test_functions_are_right_after_all_this():
    x = T.dvector("x")
    assert np.allclose(theano.function([x], twice(T.exp(x)))([0.0, 1.0]), 2 * np.exp([0.0, 1.0]))
