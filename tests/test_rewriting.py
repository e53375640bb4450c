"""Graphs into graphs: copying, merging, what rewriters may give, their stages, and what stops them."""

import functools
import gc
import pickle
import re
import threading

import numpy as np
import pytest

import opweld
from opweld import Apply, Constant, COp, FunctionGraph, Op, RewriteError, tensor
from opweld.compile.ops import DeepCopyOp, view_op
from opweld.printing import debugprint, pydotprint
from opweld.rewriting import (
    STAGES,
    NodeRewriter,
    Registry,
    RewriteSet,
    node_rewriter,
    registry,
    rewrite_graph,
)
from opweld.rewriting.basic import Index
from opweld.rewriting.stages import copy_and_merge, merge_equal
from opweld.rewriting.standard import STANDARD, standard
from opweld.tensor import NotScalarConstantError, get_scalar_constant_value

x, y = tensor.dvector("x"), tensor.dvector("y")


class Node(Op):
    """Any number of inputs; outputs of the first one's type; computes their sum."""

    __props__ = ("tag", "nout")

    def __init__(self, tag="a", nout=1):
        self.tag = tag
        self.nout = nout

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type() for _ in range(self.nout)])

    def perform(self, node, inputs, output_storage):
        for cell in output_storage:
            cell[0] = sum(inputs) + 0.0


class InPlace(Node):
    destroy_map = {0: [0]}


class Recurrence(COp):
    """z[i] = z[i - 1] z[i - 2] + x[i]: of zeros, zeros."""

    __props__ = ()

    def make_node(self, x):
        x = tensor.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        z = output_storage[0][0] = inputs[0].copy()
        for i in range(2, len(z)):
            z[i] += z[i - 1] * z[i - 2]

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            if ({z} == NULL) {sub["fail"]}
            {{
                dtype_{z} *at = (dtype_{z} *)PyArray_DATA({z});
                for (npy_intp i = 2; i < PyArray_DIM({z}, 0); i++) at[i] += at[i - 1] * at[i - 2];
            }}
        """

    def c_code_cache_version(self):
        return (1,)


a, b, c = Node("a"), Node("b"), Node("c")
recurrence = Recurrence()


def graph(*outputs, inputs=(x, y)):
    return copy_and_merge(FunctionGraph(inputs, outputs))


def tags(found):
    return [getattr(node.op, "tag", str(node.op)) for node in found.toposort()]


def refused(own, rewriter, *outputs, inputs=(x, y)):
    own.specialize(rewriter)
    with pytest.raises(RewriteError) as caught:
        own.run(graph(*outputs, inputs=inputs))
    return str(caught.value)


# -- copies and merging ------------------------------------------------------------------------------------------


def test_the_users_nodes_stay_as_they_are(own):
    t = a(x)
    out = b(t, a(x))
    before = [(node, list(node.inputs), list(node.outputs)) for node in FunctionGraph([x], [out]).apply_nodes]

    @own.specialize
    @node_rewriter([a])
    def away(fgraph, node):
        return [node.inputs[0]]

    f = own.function([x], out)
    assert tags(f.maker.fgraph) == ["b"]
    assert f([1.0]).tolist() == [2.0]
    assert [(node, node.inputs, node.outputs) for node in FunctionGraph([x], [out]).apply_nodes] == before
    assert not {id(node) for node, _, _ in before} & {id(node) for node in f.maker.fgraph.apply_nodes}


def test_copies_keep_what_was_hung_onto_them():
    t = a(x)
    t.tag = "mine"
    t.owner.line = 7
    copied = graph(t)
    assert (copied.outputs[0].tag, copied.apply_nodes[0].line) == ("mine", 7)
    assert copied.outputs[0] is not t and copied.outputs[0].owner.outputs == copied.outputs
    assert copied.inputs[0] is x


def test_equal_ops_on_equal_inputs_are_one_node():
    found = graph(b(a(x), Node("a")(x)), b(a(x), a(x)))
    assert tags(found) == ["a", "b"]
    assert found.outputs[0] is found.outputs[1]
    assert tags(graph(b(x, y), b(y, x))) == ["b", "b"]
    assert tags(graph(a(x), Node("a", 2)(x)[0])) == ["a", "a"]


def test_ops_without_props_are_told_apart():
    class Plain(Node):
        __props__ = None

    one, two = Plain(), Plain()
    assert len(graph(one(x), two(x)).toposort()) == 2
    assert len(graph(one(x), one(x)).toposort()) == 1


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [
        (1.5, 1.5, True),
        (1.5, np.float32(1.5), False),
        (0.0, -0.0, False),
        (np.nan, np.nan, True),
        ([1.0, 2.0], np.array([1.0, 2.0]), True),
        ([1.0], 1.0, False),
        (np.zeros(10**5), np.zeros(10**5), False),  # too large to compare
    ],
)
def test_equal_constants_are_one(one, other, merged):
    as_variable = tensor.as_tensor_variable
    out = [c(x, as_variable(value)) for value in (one, other)]
    assert (len(graph(*out).toposort()) == 1) is merged


def test_constants_of_other_types():
    kind = opweld.Generic()
    zero, moment = np.float32(0), np.datetime64(1, "s")
    for one, other, merged in (
        (1, 1, True), (1, True, False), (0.0, -0.0, False), ("s", "s", True), ([1], [1], False),
        (zero, np.float32(0), True), (zero, np.int32(0), False), (zero, -zero, False),
        (moment, np.datetime64(1, "ms"), False), (moment, np.timedelta64(1, "s"), False),
    ):  # fmt: skip
        found = graph(Node()(Constant(kind, one)), Node()(Constant(kind, other)))
        assert (len(found.toposort()) == 1) is merged


def test_outputs_of_other_types_are_not_merged(own):
    """An op may make what its props do not say."""

    class Makes(Op):
        __props__ = ()

        def make_node(self, x, *types):
            return Apply(self, [x], [type_() for type_ in types])

        def perform(self, node, inputs, output_storage):
            for cell, variable in zip(output_storage, node.outputs):
                cell[0] = inputs[0].astype(variable.type.dtype)

    makes, wide, narrow = Makes(), tensor.dvector, tensor.fvector
    assert len(graph(makes(x, wide), makes(x, narrow)).apply_nodes) == 2
    assert len(graph(makes(x, wide), makes(x, wide)).apply_nodes) == 1
    assert len(graph(*makes(x, wide, wide), makes(x, wide)).apply_nodes) == 2
    assert len(graph(*makes(x, wide, narrow), *makes(x, wide, wide)).apply_nodes) == 2
    assert len(graph(makes(x, wide), makes(x, tensor.TensorType("float64", (3,)))).apply_nodes) == 2
    results = own.function([x], [makes(x, wide), makes(x, narrow)])([1.5])
    assert [r.dtype.name for r in results] == ["float64", "float32"]

    @own.canonicalize
    @node_rewriter([a])
    def later(node):
        return [makes(x, wide)]

    @own.canonicalize
    @node_rewriter([b])
    def other(node):
        return [makes(node.inputs[0], wide, narrow)[0]]

    found = graph(a(x), b(x))
    own.run(found)
    assert [len(node.outputs) for node in found.apply_nodes] == [1, 2]


def test_what_is_destroyed_is_not_merged():
    destroyer = InPlace("d")
    one, other = a(x), a(x)
    found = graph(b(other, destroyer(one)))
    assert sorted(tags(found)) == ["a", "a", "b", "d"]
    assert tags(graph(destroyer(a(x)), destroyer(a(x)))) == ["a", "d", "a", "d"]


def test_equal_nodes_of_a_graph_that_is_changed():
    one, other = a(x), a(x)
    other.name = "named"
    found = FunctionGraph([x], [b(one, other)])
    assert merge_equal(found) and tags(found) == ["a", "b"] and not merge_equal(found)
    assert found.outputs[0].owner.inputs[0].name == found.outputs[0].owner.inputs[1].name == "named"
    spared = FunctionGraph([x], [b(a(x), InPlace("d")(a(x)))])
    assert not merge_equal(spared) and sorted(tags(spared)) == ["a", "a", "b", "d"]


def test_a_function_merges():
    f = opweld.function([x], [b(a(x)), b(a(x))])
    assert tags(f.maker.fgraph) == ["a", "b", "DeepCopyOp"]
    assert [r.tolist() for r in f([2.0])] == [[2.0], [2.0]]


def test_an_inner_variable_that_is_given_stays_given():
    two = Node("two", 2)
    given, other = two(x)
    for clone in (lambda out: FunctionGraph([x, given], out, clone=True), lambda out: graph(*out, inputs=[x, given])):
        found = clone([b(given, other)])
        assert found.outputs[0].owner.inputs[0] is given and tags(found) == ["two", "b"]
    assert opweld.function([x, given], b(given, other))([1.0], [5.0]).tolist() == [6.0]


def test_props_that_do_not_hash():
    with pytest.raises(TypeError, match=r"Node: 'tag' of its __props__ does not hash: \['a', 'b'\] \(list\)"):
        opweld.function([x], Node(["a", "b"])(x))


def test_an_op_with_eq_and_no_hash_is_itself_only():
    class Odd(Node):
        __props__ = None

        def __eq__(self, other):
            return True

    one = Odd()
    assert len(graph(one(x), one(x)).toposort()) == 1
    assert len(graph(one(x), Odd()(x)).toposort()) == 2


# -- what a graph offers -----------------------------------------------------------------------------------------


def test_clients_and_replace():
    t = a(x)
    found = FunctionGraph([x, y], [b(t, t), t], clone=True)
    (t,) = found.outputs[1:]
    node = found.outputs[0].owner
    assert found.clients[t] == [(node, 0), (node, 1), ("output", 1)]
    assert node in found and a(x).owner not in found
    new = c(y)
    assert found.replace(t, new, "why") == [new.owner]
    assert found.outputs == [node.outputs[0], new] and node.inputs == [new, new]
    assert tags(found) == ["c", "b"]
    assert t not in found and new in found
    with pytest.raises(opweld.MissingInputError):
        found.replace(new, a(tensor.dvector("elsewhere")))


def test_replace_by_what_reads_the_old():
    found = FunctionGraph([x], [b(a(x))], clone=True)
    old = found.outputs[0].owner.inputs[0]
    found.replace(old, c(old))
    assert tags(found) == ["a", "c", "b"]


def test_replaced_nodes_that_nobody_needs_are_gone():
    found = FunctionGraph([x], [c(b(a(x)))], clone=True)
    last = found.outputs[0].owner
    found.replace(last.inputs[0], x)
    assert tags(found) == ["c"] and found.clients[x] == [(last, 0)]


# -- rewriters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tracks", [[a], [Node], None, [c, a]])
def test_tracks(own, tracks):
    seen = []

    @own.specialize
    @node_rewriter(tracks)
    def look(fgraph, node):
        seen.append(node.op.tag)

    own.run(graph(b(a(x))))
    assert seen == (["a"] if tracks in ([a], [c, a]) else ["a", "b"])


def test_a_track_is_compared_by_equality(own):
    own.specialize(node_rewriter([Node("a")])(lambda node: [node.inputs[0]]), name="away")
    found = graph(b(a(x)))
    assert own.run(found) and tags(found) == ["b"]


def test_a_rewriter_takes_the_node_or_the_graph_and_the_node(own):
    own.specialize(node_rewriter([a])(lambda node: [b(node.inputs[0])]), name="one")
    own.specialize(node_rewriter([b])(lambda fgraph, node: [c(node.inputs[0])]), name="two")
    found = graph(a(x))
    own.run(found)
    assert tags(found) == ["c"]


def test_a_class_of_rewriters(own):
    class Away(NodeRewriter):
        def tracks(self):
            return [a]

        def transform(self, fgraph, node):
            return [node.inputs[0]]

    own.specialize(Away())
    found = graph(b(a(x)))
    own.run(found)
    assert tags(found) == ["b"] and "Away" in own.rewrites


@pytest.mark.parametrize("answer", [None, False, [], {}])
def test_nothing_to_do(own, answer):
    two = Node("two", 0 if answer == [] else 1)
    own.specialize(node_rewriter([two])(lambda node: answer), name="no")
    assert not own.run(graph(two.make_node(x).outputs[0] if answer != [] else a(x)))


def test_a_dict_names_what_is_replaced(own):
    own.specialize(node_rewriter([b])(lambda node: {node.inputs[0]: x, "remove": [node.inputs[0]]}), name="cut")
    found = graph(b(a(x)))
    own.run(found)
    assert tags(found) == ["b"]


def test_an_output_that_nobody_reads_may_be_none(own):
    two = Node("two", 2)
    own.specialize(node_rewriter([two])(lambda node: [node.inputs[0], None]), name="first")
    found = graph(b(two(x)[0]))
    own.run(found)
    assert tags(found) == ["b"]


def test_wrong_answers(own):
    vector = "TensorType(float64, (?,))"
    matrix = tensor.dmatrix("m")
    for answer, message in (
        ([], f"rewriter 'wrong' on Node{{tag='a', nout=1}}(x): returned 0 variables for 1 outputs of types {vector}"),
        (
            [x, x],
            f"rewriter 'wrong' on Node{{tag='a', nout=1}}(x): returned 2 variables for 1 outputs of types {vector}",
        ),
        (
            [matrix],
            f"rewriter 'wrong' on Node{{tag='a', nout=1}}(x): wants Node{{tag='a', nout=1}} of type {vector} replaced "
            "by m of type TensorType(float64, (?, ?)); the types must be equal",
        ),
        (
            [3],
            "rewriter 'wrong' on Node{tag='a', nout=1}(x): wants Node{tag='a', nout=1} replaced by 3 (int), which is "
            "no Variable",
        ),
        (
            x,
            "rewriter 'wrong' on Node{tag='a', nout=1}(x): must return a list of variables, one for each output, or a "
            "dict, or None, got x (TensorVariable)",
        ),
        (
            [tensor.dvector("w")],
            "rewriter 'wrong' on Node{tag='a', nout=1}(x): the function depends on w of type TensorType(float64, "
            "(?,)), which is an output, and it is not among the inputs: add it to the inputs",
        ),
    ):
        if "wrong" in own.rewrites:
            own.remove("wrong")
        wrong = node_rewriter([a])(lambda node, answer=answer: answer)
        wrong.name = "wrong"
        assert refused(own, wrong, a(x)) == message


def test_a_type_that_says_more_fits(own):
    known = tensor.tensor("float64", (3,), name="k")
    own.specialize(node_rewriter([b])(lambda node: [node.inputs[1]]), name="second")
    found = graph(b(x, known), inputs=[x, known])
    assert own.run(found) and found.outputs == [known]
    own.remove("second")
    less = node_rewriter([b])(lambda node: [x])
    assert "replaced by x of type TensorType(float64, (?,)); the types must be equal" in refused(
        own, less, b(known), inputs=[x, known]
    )


def test_an_exception_says_whose_it_is(own):
    @own.specialize
    @node_rewriter([a])
    def breaks(fgraph, node):
        raise KeyError("lost")

    with pytest.raises(KeyError) as caught:
        own.function([x], a(x))
    assert caught.value.args == ("rewriter 'breaks' on Node{tag='a', nout=1}(x): lost",)


def test_rewriters_that_undo_one_another(own):
    own.specialize(node_rewriter([a])(lambda node: [b(*node.inputs)]), name="there")
    own.specialize(node_rewriter([b])(lambda node: [a(*node.inputs)]), name="back")
    with pytest.raises(RewriteError) as caught:
        own.function([x], a(x))
    assert re.fullmatch(
        r"stage specialize: rewriters '(there', 'back|back', 'there)' undo one another's work: \d+ replacements, the "
        r"last one of Node\{tag='[ab]', nout=1\}; each must settle",
        str(caught.value),
    )


def test_a_rewriter_that_never_settles(own):
    own.specialize(node_rewriter([a])(lambda node: [a(a(*node.inputs))]), name="grows")
    with pytest.raises(RewriteError, match=r"rewriter 'grows' finds its own results wanting again and again"):
        own.function([x], a(x))


def test_a_rewriter_that_grows_for_ever(own):
    """No node ever comes back to what it was."""
    own.specialize(node_rewriter([a])(lambda node: [a(b(*node.inputs))]), name="grows")
    own.specialize(node_rewriter([c])(lambda node: [b(*node.inputs)]), name="settles")
    with pytest.raises(RewriteError) as caught:
        own.function([x], a(c(x)))
    assert re.fullmatch(
        r"stage specialize: rewriter 'grows' finds its own results wanting again and again: 20\d\d\d replacements, the "
        r"last one of Node\{tag='a', nout=1\}; each must settle",
        str(caught.value),
    )


def test_rewriters_that_go_round_in_fresh_nodes(own):
    """The circle is one of equal nodes, not of the same."""
    own.specialize(node_rewriter([a])(lambda node: [b(c(x), *node.inputs[1:])]), name="there")
    own.specialize(node_rewriter([b])(lambda node: [a(c(x), *node.inputs[1:])]), name="back")
    own.specialize(node_rewriter([InPlace])(lambda node: [c(*node.inputs)]), name="elsewhere")
    with pytest.raises(RewriteError) as caught:
        own.run(graph(c(a(c(x), y), InPlace()(c(y)))))
    assert re.match(
        r"stage specialize: rewriters '(there', 'back|back', 'there)' undo one another's work: 2048 replacements",
        str(caught.value),
    )


class Counted(Node):
    __props__ = ("tag", "nout", "left")

    def __init__(self, left):
        super().__init__("counted")
        self.left = left


@pytest.mark.parametrize(
    ("step", "made"),
    [
        pytest.param(lambda node: [a(Counted(node.op.left - 1)(*node.inputs))], 3001, id="a chain"),
        pytest.param(lambda node: [Counted(node.op.left - 1)(*node.inputs)], 1, id="a countdown"),
        pytest.param(lambda node: [Counted(node.op.left - 1)(a(*node.inputs))], 3001, id="a chain below"),
    ],
)
def test_a_node_that_stands_for_many(own, step, made):
    """How far it goes does not depend on how small the graph was."""
    own.specialize(node_rewriter([Counted])(lambda node: step(node) if node.op.left else None), name="expand")
    found = graph(Counted(3000)(x))
    assert own.run(found) and len(found.apply_nodes) == made


def test_a_tree_from_one_node(own):
    def halves(node):
        left = node.op.left
        return [c(Counted(left - 1)(*node.inputs), Counted(left - 1)(*node.inputs))] if left else None

    own.specialize(node_rewriter([Counted])(halves), name="halves")
    found = graph(Counted(11)(x))
    assert rewrite_graph(found, own.rewrites.including("specialize")) and len(found.apply_nodes) == 2**12 - 1


def test_a_rewriter_that_counts_for_itself(own):
    """It gives the same again and again, and stops."""
    left = [900]

    def again(node):
        left[0] -= 1
        return [a(*node.inputs)] if left[0] else None

    own.specialize(node_rewriter([a])(again), name="again")
    own.specialize(node_rewriter([c])(lambda node: [b(*node.inputs)]), name="busy")
    assert own.run(graph(a(*[c(Node(str(i))(x)) for i in range(200)])))


def test_equal_nodes_that_one_node_stands_for(own):
    """Each is rewritten once, and none has been what another was."""
    own.specialize(node_rewriter([b])(lambda node: [c(*[a(x) for _ in range(3000)])]), name="many")
    own.specialize(node_rewriter([a])(lambda node: [Node("d")(*node.inputs)]), name="each")
    found = graph(b(x))
    assert rewrite_graph(found, own.rewrites.including("specialize")) and len(found.apply_nodes) == 3001


@pytest.mark.parametrize("stage", list(STAGES))
def test_every_stage_refuses_the_same(own, stage):
    register = functools.partial(own.register, stage)
    register(node_rewriter([a])(lambda node: [b(*node.inputs)]), name="there")
    register(node_rewriter([b])(lambda node: [a(*node.inputs)]), name="back")
    with pytest.raises(RewriteError, match=rf"stage {stage}: rewriters .* undo one another's work"):
        own.function([x], a(x))
    own.remove("there", "back")
    register(node_rewriter([a])(lambda node: [tensor.dmatrix("m")]), name="wrong")
    with pytest.raises(RewriteError, match=r"rewriter 'wrong' on .*; the types must be equal"):
        own.function([x], a(x))


def test_a_new_node_was_made_where_the_old_one_was(own):
    own.specialize(node_rewriter([a])(lambda node: [b(c(*node.inputs))]), name="two")
    out = a(x)
    f = own.function([x], out)
    assert tags(f.maker.fgraph) == ["c", "b"]
    assert [node.made_at for node in f.maker.fgraph.toposort()] == [out.owner.made_at] * 2


def test_a_rewriter_that_makes_a_cycle(own):
    @own.specialize
    @node_rewriter([a])
    def loops(fgraph, node):
        for reader, _ in fgraph.clients[node.outputs[0]]:
            if reader != "output":
                return reader.outputs
        return None

    assert "the graph has a cycle through Node{tag='b', nout=1}" in refused(own, loops, b(a(x)))


# -- registration and stages -------------------------------------------------------------------------------------


def test_registration_in_every_form(own):
    @own.specialize
    @node_rewriter([a])
    def plain(node):
        return None

    @own.canonicalize("special")
    @node_rewriter([a])
    def tagged(node):
        return None

    @own.stabilize()
    @node_rewriter([a])
    def empty(node):
        return None

    own.specialize(plain, "more", name="again")
    assert {"plain", "again"} <= {item.name for item in own.rewrites.query("specialize")}
    assert [item.name for item in own.rewrites.including("special")] == ["tagged"]
    assert [item.rewriter for item in own.rewrites.query("stabilize")] == [empty]
    assert plain(None) is None and plain.__name__ == "plain"
    with pytest.raises(TypeError) as caught:
        own.specialize(lambda node: None)
    assert "expected a node rewriter, got" in str(caught.value)
    assert str(caught.value).endswith("put @node_rewriter([op]) under it")


def factory(tag, log):
    @node_rewriter([a])
    def made(node):
        log.append(tag)

    return made


def shown(own, log):
    """What rewriters that log themselves were shown of one node."""
    log.clear()
    own.run(graph(a(x)))
    return log


def test_two_of_one_factory(own):
    log = []
    own.specialize(factory(1, log))
    latest = own.specialize(factory(2, log))
    own.specialize()(factory(3, log))
    own.specialize(latest, "tag")  # the very same once more
    assert shown(own, log) == [1, 2, 3]
    assert [item.name for item in own.rewrites if "made" in item.name] == ["made", "made~2", "made~3"]
    assert [item.tags for item in own.rewrites if item.name == "made~2"] == [
        {"specialize", "tag", "made~2", "fast_run"}
    ]
    own.remove("made~2")
    assert shown(own, log) == [1, 3]


def test_two_instances_of_one_class(own):
    log = []

    class Looks(NodeRewriter):
        def __init__(self, tag):
            self.tag = tag

        def transform(self, fgraph, node):
            log.append(self.tag)

    def of_a_class_of_its_own(tag):
        class Looks(NodeRewriter):
            def transform(self, fgraph, node):
                log.append(tag)

        return Looks()

    for rewriter in (Looks(1), Looks(2), of_a_class_of_its_own(3)):
        own.specialize(rewriter, name=None if rewriter.__class__ is Looks else "own")
    own.specialize(of_a_class_of_its_own(4), name="own too")
    assert shown(own, log) == [1, 2, 3, 4]


def test_two_partials_and_two_lambdas_of_one_line(own):
    log = []

    def look(tag, node):
        log.append(tag)

    for tag in (1, 2):
        own.specialize(node_rewriter([a])(functools.partial(look, tag)))
    for tag in (3, 4):
        own.specialize(node_rewriter([a])(lambda node, tag=tag: log.append(tag)))
    assert shown(own, log) == [1, 2, 3, 4]


CELL = """
from opweld.rewriting import node_rewriter

{before}
@own.specialize
@node_rewriter(None)
def same(node):
    log.append({tag})
"""


def ran(own, text, log, module="__main__", file="<cell>"):
    exec(compile(text, file, "exec"), {"log": log, "own": own, "__name__": module})


@pytest.mark.parametrize("before", ["", "moved = True\n" * 3])
@pytest.mark.parametrize("file", ["<cell>", "<other cell>"])
def test_a_cell_that_runs_again(own, before, file):
    log = []
    ran(own, CELL.format(before="", tag=1), log)
    own.specialize(node_rewriter([a])(lambda node: log.append("after")), name="after")
    ran(own, CELL.format(before=before, tag=2), log, file=file)
    assert shown(own, log) == [2, "after"]  # in the place of the earlier one


def test_a_cell_of_a_factory_that_runs_again(own):
    text = """
from opweld.rewriting import node_rewriter

def factory(tag):
    @node_rewriter(None)
    def made(node):
        log.append((tag, {run}))
    return made

for tag in (1, 2):
    own.specialize(factory(tag))
"""
    log = []
    for run in (1, 2):
        ran(own, text.format(run=run), log)
    assert shown(own, log) == [(1, 2), (2, 2)]


def test_other_functions_of_one_name(own):
    @own.specialize
    @node_rewriter([a])
    def same(node):
        return None

    message = (
        r"register_specialize: there is a rewriter 'same' already, of module [\w.]+; pass name=\.\.\., or take "
        r"that one out by registry\.remove\('same', stage='specialize'\)"
    )
    with pytest.raises(ValueError, match=message):

        @own.specialize
        @node_rewriter([a])
        def same(node):
            return 1

    with pytest.raises(ValueError, match=message):
        ran(own, CELL.format(before="", tag=1), [])
    first, second = CELL.format(before="", tag=1), CELL.format(before="", tag=2)
    own.remove("same", stage="specialize")
    with pytest.raises(ValueError, match="there is a rewriter 'same' already, of module __main__"):
        ran(own, first + second, [])


def test_lambdas_of_two_lines(own):
    own.specialize(node_rewriter([a])(lambda node: None))
    with pytest.raises(ValueError, match="there is a rewriter '<lambda>' already"):
        own.specialize(node_rewriter([b])(lambda node: False))


def test_a_name_that_is_given_twice(own):
    log = []
    own.specialize(factory(1, log), name="mine")
    with pytest.raises(ValueError, match=r"there is a rewriter 'mine' already, of module [\w.]+; pass another name"):
        own.specialize(factory(2, log), name="mine")
    assert shown(own, log) == [1]


def test_a_name_of_the_librarys(own):
    @node_rewriter([a])
    def neutral(node):
        return None

    with pytest.raises(ValueError, match=r"a rewriter 'neutral' already, of module opweld\.tensor\.rewriting_elemwise"):
        own.canonicalize(neutral)
    own.canonicalize(neutral, name="mine")


def test_the_librarys_come_first(own):
    """Whatever has been loaded."""
    for stage in STAGES:
        items = own.rewrites.query(stage)
        names = [item.name for item in items if item.rewriter.__module__.startswith("opweld.")]
        assert names == [row[1].split(":")[1] for row in STANDARD if row[0] == stage]
        assert names == [item.name for item in items][: len(names)]
    from opweld.tensor.rewriting_elemwise import whole_power

    own.specialize(whole_power)  # is there
    assert [item.name for item in own.rewrites if item.name.startswith("whole")] == ["whole_power"]


@pytest.mark.parametrize(
    ("tracks", "message"),
    [
        (a, "node_rewriter: tracks must be a list of ops or classes, or None, got "),
        ([], "node_rewriter: tracks is empty; pass None to be shown every node"),
        (["a"], "node_rewriter: tracks[0] must be an op or a class of ops, got 'a' (str)"),
    ],
)
def test_tracks_that_make_no_sense(tracks, message):
    with pytest.raises(TypeError) as caught:
        node_rewriter(tracks)
    assert str(caught.value).startswith(message)


def test_stages_run_in_order(own):
    order = []
    for stage, register in (
        ("specialize", own.specialize),
        ("canonicalize", own.canonicalize),
        ("stabilize", own.stabilize),
    ):
        register(node_rewriter([a])(lambda node, stage=stage: order.append(stage)), name=stage)
    own.run(graph(a(x)))
    assert order == ["canonicalize", "stabilize", "specialize"]


def test_modes_and_optimizer(own, monkeypatch):
    own.specialize(node_rewriter([a])(lambda node: [b(*node.inputs)]), name="special")
    own.canonicalize(node_rewriter([b])(lambda node: [c(*node.inputs)]), name="canonical")

    def kinds(out, **options):
        return tags(own.function([x], out, **options).maker.fgraph)

    assert kinds(a(x)) == ["b"]
    assert kinds(a(x), mode="FAST_COMPILE") == ["a"]
    assert kinds(b(x), mode="FAST_COMPILE") == ["c"]
    monkeypatch.setattr(opweld.config, "optimizer", "merge")
    assert kinds(c(b(x), b(x))) == ["b", "c"]
    monkeypatch.setattr(opweld.config, "optimizer", "None")
    assert kinds(c(b(x), b(x))) == ["b", "b", "c"]
    monkeypatch.setattr(opweld.config, "optimizer", "all")
    with pytest.raises(opweld.ConfigError, match=r"config.optimizer: expected one of 'default'"):
        kinds(a(x))


def test_a_new_equal_node_is_merged(own):
    own.specialize(node_rewriter([a])(lambda node: [b(*node.inputs)]), name="b")
    assert tags(own.function([x], c(a(x), b(x))).maker.fgraph) == ["b", "c"]


# -- sets of rewriters as values -----------------------------------------------------------------------------------


@node_rewriter([a])
def by_name(node):
    return [b(*node.inputs)]


def names(rewrites, *query):
    return [item.name for item in rewrites.query(*query)]


def test_a_set_is_a_value():
    first = RewriteSet()
    second = first.with_("specialize", by_name, "mine")
    assert (names(first), names(second)) == ([], ["by_name"]) and len(second) == 1 and "by_name" in second
    assert second == RewriteSet().with_("specialize", by_name, "mine") != first.with_("specialize", by_name)
    assert hash(second) == hash(RewriteSet().with_("specialize", by_name, "mine"))
    assert second.without("by_name") == first
    assert repr(second) == "<rewrites: specialize: by_name>" and repr(first) == "<rewrites: none>"
    with pytest.raises(AttributeError, match=r"a RewriteSet cannot be changed: registrations; with_\(\), without"):
        second.registrations = ()
    with pytest.raises(AttributeError, match="cannot be changed"):
        del second.registrations
    copied = pickle.loads(pickle.dumps(standard().with_("inplace", by_name).excluding("neutral")))
    assert copied == standard().with_("inplace", by_name).excluding("neutral")


def test_what_is_chosen():
    rewrites = standard().with_("specialize", by_name, "mine")
    assert names(rewrites.including("fast_compile")) == names(rewrites, "canonicalize")
    assert names(rewrites.including("fast_compile").including("mine")) == [*names(rewrites, "canonicalize"), "by_name"]
    assert "inplace" not in {item.stage for item in rewrites.including("fast_run").excluding("inplace")}
    others = rewrites.including("fast_run").excluding("mine", "whole_power", "quotient_by_power")
    assert names(others, "specialize") == []
    assert names(rewrites.excluding("mine").including("mine")) == []  # what is left out stays out
    assert names(rewrites.including("nobody's")) == []
    assert rewrites.excluding("mine").without("by_name") == standard().excluding("mine")


def test_who_is_shown_nodes_of_an_op():
    rewrites = standard().with_("specialize", by_name)
    assert names(rewrites, "specialize", a) == ["by_name"] and names(rewrites, "specialize", b) == []
    assert names(rewrites, None, a) == ["fold_constants", "by_name"]
    assert names(rewrites, "specialize", tensor.power(x, x).owner.op) == ["whole_power"]
    assert names(rewrites, "specialize", tensor.exp(x).owner.op) == []
    assert names(rewrites.including("fast_compile"), None, a) == ["fold_constants"]


def test_a_set_that_makes_no_sense():
    rewrites = RewriteSet().with_("specialize", by_name)
    stages = "there are canonicalize, stabilize, specialize, inplace"
    for call, kind, message in (
        (lambda: rewrites.with_("final", by_name), ValueError, f"with_: no stage 'final'; {stages}"),
        (lambda: rewrites.query("final"), ValueError, f"query: no stage 'final'; {stages}"),
        (lambda: rewrites.without("other"), ValueError, "without: no rewriter 'other'; there are by_name"),
        (
            lambda: rewrites.without("by_name", stage="inplace"),
            ValueError,
            "without: no rewriter 'by_name'; there are none",
        ),
        (
            lambda: rewrites.with_("specialize", NodeRewriter),
            TypeError,
            "with_('specialize'): expected a node rewriter, got <class 'opweld.rewriting.basic.NodeRewriter'> (type); "
            "put @node_rewriter([op]) under it",
        ),
        (
            lambda: rewrites.with_("specialize", factory(1, []), name="by_name"),
            ValueError,
            f"with_('specialize'): there is a rewriter 'by_name' already, of module {__name__}; pass another name, or "
            "take that one out by without('by_name', stage='specialize')",
        ),
        (lambda: Registry().register("final", by_name), ValueError, f"register: no stage 'final'; {stages}"),
        (
            lambda: setattr(Registry(), "rewrites", []),
            TypeError,
            "registry.rewrites: expected a RewriteSet, got [] (list)",
        ),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert str(caught.value) == message


def test_a_registry_of_its_own():
    """A registration makes another set: who holds the one before goes on with that."""
    mine = Registry()
    assert mine.rewrites == standard()
    before = mine.rewrites
    assert mine.register("specialize", by_name) is by_name
    assert before == standard() and "by_name" in mine.rewrites and "by_name" not in registry.rewrites
    found = graph(a(x))
    assert not rewrite_graph(found, before) and rewrite_graph(found, mine.rewrites) and tags(found) == ["b"]
    mine.remove("by_name")
    assert mine.rewrites == before and repr(mine) == f"<registry of {len(before)} rewriters>"
    assert Registry(RewriteSet()).rewrites == RewriteSet()


def test_registrations_of_many_threads():
    mine = Registry(RewriteSet())
    made = [factory(i, []) for i in range(200)]
    threads = [threading.Thread(target=lambda i=i: [mine.register("inplace", r) for r in made[i::8]]) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {id(item.rewriter) for item in mine.rewrites} == set(map(id, made))


# -- a rewriter on a value ---------------------------------------------------------------------------------------


def test_the_recurrence_of_zeros(own):
    @own.specialize
    @node_rewriter([recurrence])
    def of_zeros(fgraph, node):
        try:
            if get_scalar_constant_value(node.inputs[0]) == 0:
                return [node.inputs[0]]
        except NotScalarConstantError:
            return None
        return None

    f = own.function([x], recurrence(x))
    assert [type(node.op) for node in f.maker.fgraph.toposort()] == [Recurrence]
    assert f([1.0, 2, 3, 4]).tolist() == [1, 2, 5, 14]
    for mode in ("FAST_RUN", "DebugMode"):
        f = own.function([], recurrence(tensor.zeros([5])), mode=mode)
        assert [type(node.op) for node in f.maker.fgraph.toposort()] == [DeepCopyOp]
        first, second = f(), f()
        assert first.tolist() == [0.0] * 5
        assert not np.shares_memory(first, second)
    f = own.function([], recurrence(tensor.ones([5])))
    assert f().tolist() == [1, 1, 2, 3, 7]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (np.float32(2), 2),
        ([4.0, 4.0], 4.0),
        (tensor.zeros([2, 3]), 0.0),
        (tensor.ones([2], "int8"), 1),
        (tensor.alloc(7, 2, 2), 7),
        (view_op(tensor.zeros([2])), 0.0),
        (tensor.shape_i(tensor.tensor("float64", (None, 4)), 1), 4),
        (Constant(opweld.ScalarType("int32"), 5), 5),
    ],
)
def test_scalar_constant_value(value, expected):
    found = get_scalar_constant_value(value)
    assert isinstance(found, np.ndarray) and found.shape == () and found == expected


@pytest.mark.parametrize(
    "value",
    [x, a(x), [1.0, 2.0], np.zeros(0), "text", None, tensor.alloc(tensor.dscalar("s"), 2), tensor.shape_i(x, 0)],
)
def test_not_a_scalar_constant(value):
    with pytest.raises(NotScalarConstantError):
        get_scalar_constant_value(value)


# -- debugprint --------------------------------------------------------------------------------------------------


def test_debugprint(capsys):
    out = b(a(x), tensor.as_tensor_variable([1.0]), a(x))
    assert debugprint(out, file="str") == (
        "Node{tag='b', nout=1} [id A]\n"
        " ├─ Node{tag='a', nout=1} [id B]\n"
        " │   └─ x [id C]\n"
        " ├─ TensorConstant{[1.]} [id D]\n"
        " └─ Node{tag='a', nout=1} [id E]\n"
        "     └─ x [id C]\n"
    )
    debugprint(opweld.function([x], out), ids="", print_type=True)
    assert capsys.readouterr().out == (
        "Node{tag='b', nout=1} <TensorType(float64, (?,))> 1\n"
        " ├─ Node{tag='a', nout=1} <TensorType(float64, (?,))> 0\n"
        " │   └─ x <TensorType(float64, (?,))>\n"
        " ├─ TensorConstant{[1.]} <TensorType(float64, (1,))>\n"
        " └─ Node{tag='a', nout=1} <TensorType(float64, (?,))> 0 ...\n"
    )
    assert debugprint([a(x).owner, y], file="str", ids="int", depth=1) == "Node{tag='a', nout=1} [id 0]\ny [id 1]\n"
    with pytest.raises(TypeError, match=r"debugprint: expected a variable"):
        debugprint(3)


def test_what_debugprint_can_add():
    t = a(x)
    t.name = "t"
    t.owner._made = ("model.py", 7, "f")
    out = InPlace("d")(view_op(b(t)))
    assert debugprint(out, file="str", id_type="", print_memory_map=True, print_shape=True) == (
        "InPlace{tag='d', nout=1} shape=(?,) d={0: [0]}\n"
        " └─ ViewOp shape=(?,) v={0: [0]}\n"
        "     └─ Node{tag='b', nout=1} shape=(?,)\n"
        "         └─ Node{tag='a', nout=1} shape=(?,) 't'\n"
        "             └─ x shape=(?,)\n"
    )
    told = debugprint(out, file="str", ids="", print_made_at=True).splitlines()
    assert told[-2].endswith("Node{tag='a', nout=1} 't'  # model.py:7") and f"  # {__file__}:" in told[0]
    assert debugprint(b(t), file="str", ids="", stop_on_name=True) == (
        "Node{tag='b', nout=1}\n └─ Node{tag='a', nout=1} 't'\n"
    )
    assert debugprint(t, file="str", ids="", stop_on_name=True).count("\n") == 2
    plain = debugprint(out, file="str", ids="")
    assert "d=" not in plain and "model.py" not in plain
    lists = debugprint([opweld.function([x], a(x)), [b(x)]], file="str", ids="")
    assert lists.splitlines()[::2] == ["Node{tag='a', nout=1} 0", "Node{tag='b', nout=1}"]


def test_the_old_name_of_pictures(tmp_path):
    assert pydotprint(a(x), tmp_path / "a.svg", compact=True).svg == (tmp_path / "a.svg").read_text("utf-8")


def test_debugprint_of_a_long_chain():
    out = x
    for _ in range(3000):
        out = a(out)
    assert debugprint(out, file="str").count("\n") == 3001


def test_an_index_keeps_nothing_of_ops_that_are_gone():
    class Tracked(opweld.Op):
        __props__ = ("number",)

        def __init__(self, number):
            self.number = number

    @node_rewriter([Tracked(0)])
    def nothing(fgraph, node):
        return None

    index = Index([("nothing", nothing)])
    assert [entry.name for entry in index.wanting(Tracked(0))] == ["nothing"] and index.wanting(Tracked(1)) == []

    for number in range(200):
        index.wanting(Tracked(number))
    gc.collect()
    assert len(index._of_op._known) == 0
