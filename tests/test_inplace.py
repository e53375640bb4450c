"""The stage of in-place rewriters: what may be written over, what is undone, and what comes out."""

import tracemalloc

import numpy as np
import pytest
from kit import calls

import opweld
from opweld import Apply, COp, FunctionGraph, In, Op, tensor
from opweld.compat import fgraph as older
from opweld.compile.ops import DeepCopyOp, view_op
from opweld.rewriting import node_rewriter
from opweld.rewriting.inplace import is_temporary
from opweld.rewriting.stages import copy_and_merge

x, y = tensor.dvector("x"), tensor.dvector("y")
m = tensor.dmatrix("m")


class AddOne(COp):
    """Add 1 to each element of a vector of float64."""

    __props__ = ("inplace",)

    def __init__(self, inplace=False):
        self.inplace = inplace
        self.destroy_map = {0: [0]} if inplace else {}

    def make_node(self, x, *others):
        return Apply(self, [x, *others], [x.type()])

    def perform(self, node, inputs, output_storage):
        z = inputs[0] if self.inplace else inputs[0].copy()
        z += 1
        output_storage[0][0] = z

    def c_code(self, node, name, input_names, output_names, sub):
        x, (z,) = input_names[0], output_names
        made = f"(PyArrayObject*)PyArray_NewCopy({x}, NPY_CORDER)"
        if self.inplace:
            made = f"(PyArrayObject*)Py_NewRef((PyObject*){x})"
        return f"""{{
            PyArrayObject* opw_made = {made};
            npy_intp opw_i;
            if (opw_made == NULL) {{ {sub["fail"]} }}
            Py_XDECREF({z});
            {z} = opw_made;
            for (opw_i = 0; opw_i < PyArray_DIM({z}, 0); opw_i++) *(npy_float64*)PyArray_GETPTR1({z}, opw_i) += 1;
        }}"""

    def c_code_cache_version(self):
        return (1,)


plain, writes = AddOne(), AddOne(True)


@pytest.fixture
def own(own):
    """Only what a test registers is in the stage."""
    own.remove(*[item.name for item in own.rewrites.query("inplace")])
    return own


@pytest.fixture
def always(own):
    """A rewriter that takes what is there, allowed or not."""

    @own.inplace
    @node_rewriter([plain])
    def always(fgraph, node):
        return [writes(*node.inputs)]


def made(f):
    return [node.op for node in f.maker.fgraph.toposort()]


def test_temporaries_are_written_over(own, always):
    for mode in ("FAST_RUN", "DebugMode"):
        f = own.function([x], plain(plain(plain(x))), mode=mode)
        assert made(f) == [plain, writes, writes]
        given = np.arange(3.0)
        assert f(given).tolist() == [3, 4, 5] and given.tolist() == [0, 1, 2]
        assert f(given).tolist() == [3, 4, 5]
    assert made(own.function([x], plain(plain(x)), mode="FAST_COMPILE")) == [plain, plain]


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        pytest.param(lambda: [plain(x)], [plain], id="an input"),
        pytest.param(lambda: [plain(view_op(x))], [view_op, plain], id="a view of an input"),
        pytest.param(
            lambda: [plain(tensor.as_tensor_variable(np.ones(10**6)))], [plain], id="a constant too large to fold"
        ),
        pytest.param(lambda: [plain(plain(x)), plain(x)], [plain, plain], id="what is returned"),
        pytest.param(
            lambda: [plain(plain(x)), view_op(plain(x))], [plain, plain, view_op], id="what is returned as a view"
        ),
        pytest.param(lambda: [plain(plain(x), plain(x))], [plain, plain], id="what is read through another input"),
    ],
)
def test_a_step_that_is_not_allowed_is_undone(own, always, outputs, expected):
    f = own.function([x], outputs(), on_unused_input="ignore")
    assert made(f) == expected
    size = 10**6 if "too large" in str(expected) else 2
    first = [np.array(r) for r in f(np.zeros(size))]
    assert [r.tolist() for r in f(np.zeros(size))] == [r.tolist() for r in first]


def test_readers_run_first(own, always):
    t = plain(x)
    f = own.function([x, y], [plain(t), plain(t, y)])
    assert made(f) == [plain, plain, writes]  # one of the two: it runs last
    assert [r.tolist() for r in f([0.0], [0.0])] == [[2.0], [2.0]]


def test_views_of_temporaries(own, always):
    f = own.function([x], plain(view_op(plain(x))))
    assert made(f) == [plain, view_op, writes] and f([0.0]).tolist() == [2.0]


def test_what_an_input_that_is_mutable_holds_stays(own, always):
    f = own.function([In(x, mutable=True)], plain(writes(x)))
    given = np.zeros(2)
    assert f(given).tolist() == [2, 2]
    assert made(f)[0] == writes
    f = own.function([In(x, mutable=True)], plain(x))
    assert made(f) == [plain] and f(given).tolist() != given.tolist()


def test_what_the_graph_writes_over_may_be_written_over_again(own, always):
    f = own.function([In(x, mutable=True)], plain(writes(x)))
    assert made(f)[:2] == [writes, writes] and f(np.zeros(2)).tolist() == [2, 2]
    t = plain(y)
    f = own.function([In(x, mutable=True), y], [writes(x), plain(t), plain(t, y)])
    assert made(f).count(writes) == 2 and made(f).count(plain) == 2
    assert [r.tolist() for r in f(np.zeros(1), [0.0])] == [[1], [2], [2]]


def test_an_undone_step_leaves_no_trace(own, always):
    t = plain(x)
    graph = copy_and_merge(FunctionGraph([x, y], [plain(t), t]))
    graph.rewrites = []
    before = [(node, list(node.inputs)) for node in graph.apply_nodes]
    assert not own.run(graph)
    assert graph.rewrites == [] and [(node, list(node.inputs)) for node in graph.apply_nodes] == before
    t, node = graph.outputs[1], graph.outputs[0].owner
    assert graph.clients[t] == [("output", 1), (node, 0)] or graph.clients[t] == [(node, 0), ("output", 1)]


def test_undone_where_another_variable_came_in_place(own):
    """What already read the variable that came goes on reading it."""

    @own.inplace
    @node_rewriter([plain])
    def swap(fgraph, node):
        if node.inputs[0] is x:
            return None
        return [next(n.outputs[0] for n in fgraph.apply_nodes if n.inputs[0] is x)]

    f = own.function([x, y], [writes(plain(x)), plain(y)])
    assert [r.tolist() for r in f([4.0], [7.0])] == [[6.0], [8.0]]
    assert sorted(str(op) for op in made(f)) == sorted(map(str, [plain, plain, writes]))


def test_a_cycle_is_undone(own):
    @own.inplace
    @node_rewriter([plain])
    def loops(fgraph, node):
        for reader, _ in fgraph.clients[node.outputs[0]]:
            if reader != "output":
                return reader.outputs
        return None

    f = own.function([x], plain(plain(x)))
    assert made(f) == [plain, plain] and f([0.0]).tolist() == [2.0]


def test_equal_nodes_are_merged_before(own, always):
    other = AddOne()
    other.__class__ = type("Other", (AddOne,), {})
    own.specialize(node_rewriter([type(other)])(lambda node: [plain(*node.inputs)]), name="same")
    f = own.function([x], [plain(plain(x)), plain(other(x))])
    assert made(f) == [plain, writes, f.maker.fgraph.outputs[1].owner.op]
    assert isinstance(f.maker.fgraph.outputs[1].owner.op, DeepCopyOp)


def test_the_record_of_debugmode(own):
    """DebugMode computes what was there before from inputs that nobody has written over."""
    own.inplace(node_rewriter([plain])(lambda node: [writes(*node.inputs)]), name="over")
    f = own.function([x], plain(plain(plain(x))), mode="DebugMode")
    assert f([1.0]).tolist() == [4.0]


def test_a_long_chain_takes_linear_time(own, always):
    def work(length):
        out = x
        for _ in range(length):
            out = plain(out)
        graph = copy_and_merge(FunctionGraph([x], [out]))
        taken = calls(lambda: own.run(graph))
        assert sum(node.op == writes for node in graph.apply_nodes) == length - 1
        return taken

    assert work(2000) < 12 * work(200)  # were it quadratic: 100


# -- elementwise nodes -------------------------------------------------------------------------------------------


@pytest.fixture
def elementwise(own):
    from opweld.tensor.rewriting_elemwise import elemwise_in_place

    own.inplace(elemwise_in_place)
    return own


def patterns(f):
    return [getattr(node.op, "inplace_pattern", None) for node in f.maker.fgraph.toposort()]


def agree(own, inputs, outputs, *arrays):
    """What both modes give is the same, and the arguments stay as they are."""
    options = {"on_unused_input": "ignore"}
    fast = own.function(inputs, outputs, **options)
    slow = own.function(inputs, outputs, mode="FAST_COMPILE", **options)
    kept = [array.copy() for array in arrays]
    for _ in range(2):
        for one, other in zip(fast(*arrays), slow(*arrays)):
            np.testing.assert_array_equal(one, other, strict=True)
    for array, before in zip(arrays, kept):
        np.testing.assert_array_equal(array, before)
    return fast


def test_elementwise_nodes_write_over_temporaries(elementwise):
    f = agree(elementwise, [x, y], [tensor.exp(x * y) + y], np.arange(3.0), np.ones(3))
    assert patterns(f) == [{}, {0: 0}, {0: 0}]
    f = agree(elementwise, [x, y], [x + y * 2.0], np.arange(3.0), np.ones(3))
    assert patterns(f) == [{}, {0: 1}]


def test_a_temporary_that_turns_out_smaller(elementwise):
    row = tensor.dmatrix("row")
    f = agree(elementwise, [m, row], [m + tensor.exp(row)], np.ones((3, 2)), np.ones((1, 2)))
    assert patterns(f) == [{}, {0: 1}]
    agree(elementwise, [m, row], [m + tensor.exp(row)], np.ones((1, 2)), np.ones((3, 2)))


@pytest.mark.parametrize(
    "outputs",
    [
        pytest.param(lambda: [tensor.exp(x) > 1.0], id="another dtype"),
        pytest.param(lambda: [tensor.exp(x) + m], id="fewer dimensions"),
        pytest.param(lambda: (lambda t: [t * t])(tensor.exp(x)), id="read twice"),
        pytest.param(lambda: (lambda t: [t + 1.0, t])(tensor.exp(x)), id="returned"),
        pytest.param(lambda: [tensor.broadcast_to(tensor.exp(x), (3, 2)) + 1.0], id="elements that share memory"),
        pytest.param(
            lambda: (lambda parts: [parts[0] + 1.0, parts[1] + 1.0])(tensor.split(tensor.exp(x), 2)),
            id="parts of one array",
        ),
    ],
)
def test_elementwise_nodes_that_must_not(elementwise, outputs):
    f = agree(elementwise, [x, m], outputs(), np.arange(2.0), np.ones((2, 2)))
    assert not any(patterns(f))


def test_a_result_that_is_given_is_no_temporary_though_its_node_is_there(elementwise):
    quotient, rest = tensor.divmod(x, y)
    arrays = np.array([7.0, 8.0]), np.array([2.0, 3.0]), np.array([10.0, 20.0])
    f = agree(elementwise, [x, y, quotient], [quotient + tensor.exp(rest)], *arrays)
    assert patterns(f)[-1] == {0: 1}
    f = agree(elementwise, [x, y, quotient], [quotient + 1.0, rest], *arrays)
    assert not any(patterns(f))
    graph = FunctionGraph([x, y, quotient], [quotient + tensor.exp(rest)])  # no copy: the node is that of both
    elementwise.run(graph)
    assert graph.toposort()[-1].op.inplace_pattern == {0: 1}


class Table(Op):
    """Gives an array that it keeps."""

    __props__ = None

    def __init__(self):
        self.kept = np.zeros(3)

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = self.kept


def test_what_an_op_in_python_keeps_stays(elementwise):
    op = Table()
    f = elementwise.function([x], op(x) + 1.0)
    assert f(np.ones(3)).tolist() == f(np.ones(3)).tolist() == [1, 1, 1] and op.kept.tolist() == [0, 0, 0]


def test_several_outputs_go_to_several_inputs(elementwise):
    quotient, rest = tensor.divmod(x * 3.0, y + 1.0)
    f = agree(elementwise, [x, y], [quotient, rest], np.arange(4.0), np.arange(4.0))
    assert patterns(f)[-1] == {0: 0, 1: 1}


def test_a_graph_of_which_results_were_but_written_over_temporaries_is_not_merged_anew():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    f = opweld.function([x, y], tensor.exp(x * y) + y)
    assert len(f.maker.fgraph.inplace & set(f.maker.fgraph.apply_nodes)) == 2
    g = opweld.function([x, y], [tensor.exp(x * y) + y * 1, tensor.sin(x) ** 2 + tensor.square(tensor.sin(x))])
    squares = [node for node in g.maker.fgraph.apply_nodes if str(node.op).startswith("Elemwise{square")]
    assert len(squares) == 1  # equal since a rewriter


class Keeps(Op):
    """Sum in Python, and keep what was summed."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [tensor.dscalar()])

    def perform(self, node, inputs, output_storage):
        self.kept = inputs[0]
        output_storage[0][0] = np.asarray(inputs[0].sum())


@pytest.mark.parametrize(
    ("result", "over"),
    [
        pytest.param(lambda e: e / tensor.sum(e), True, id="waits for who reads it"),
        pytest.param(lambda e: e / (tensor.sum(e) + tensor.max(e)), True, id="waits for both"),
        pytest.param(lambda e: [e / tensor.sum(e), e * 2.0], False, id="somebody reads it later"),
        pytest.param(lambda e: e / tensor.sum(e) / tensor.max(e), False, id="somebody may read it later"),
        pytest.param(lambda e: [e / tensor.sum(e), e], False, id="it is returned"),
        pytest.param(lambda e: e / tensor.sum(e[::-1]), False, id="a view is read"),
        pytest.param(lambda e: e / Keeps()(e), False, id="Python may keep it"),
    ],
)
def test_who_reads_a_temporary_and_has_run_keeps_nobody_from_writing_over_it(elementwise, result, over):
    outputs = result(tensor.exp(x))
    f = elementwise.function([x], outputs)
    divisions = [n.op for n in f.maker.fgraph.toposort() if getattr(n.op, "scalar_op", None) == tensor.divide.scalar_op]
    assert (divisions[0].inplace == ((0, 0),)) is over
    agree(elementwise, [x], outputs, np.linspace(-1, 1, 10000))


def test_softmax_needs_the_memory_of_its_result():
    powers = tensor.exp(m - tensor.max(m, axis=1, keepdims=True))
    f = opweld.function([m], powers / tensor.sum(powers, axis=1, keepdims=True))
    given, out = np.linspace(-1, 1, 10**6).reshape(1000, 1000), np.empty((1000, 1000))
    np.testing.assert_allclose(f(given).sum(axis=1), 1, rtol=1e-12)
    tracemalloc.start()
    made = f(given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.1 * made.nbytes
    assert f(given, out=out) is out
    np.testing.assert_array_equal(out, made)


@pytest.mark.parametrize("graph", [FunctionGraph, older.FunctionGraph])
@pytest.mark.parametrize("clone", [False, True])
def test_an_input_that_a_node_of_the_graph_makes_too_is_no_temporary(graph, clone):
    x = tensor.dvector("x")
    fraction, whole = tensor.modf(x)
    fgraph = graph([x, fraction], [whole, tensor.exp(fraction)], clone=clone)
    (node,) = [node for node in fgraph.apply_nodes if node.op == tensor.exp]
    assert node.inputs[0] is fraction and fraction.owner is not None
    assert not is_temporary(fgraph, node, 0)
    fgraph = graph([x], [tensor.exp(tensor.sin(x))], clone=clone)
    (node,) = [node for node in fgraph.apply_nodes if node.op == tensor.exp]
    assert is_temporary(fgraph, node, 0)
