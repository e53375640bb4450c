"""What is computed once: nodes whose inputs are constants, and which of them are left alone."""

import numpy as np
import pytest
from kit import calls

import opweld
from opweld import Apply, Constant, Generic, Op, tensor
from opweld.compile.ops import DeepCopyOp, ViewOp, view_op

x = tensor.dvector("x")


class Count(Op):
    """The sum of the inputs; counts how often it runs."""

    __props__ = None
    ran = 0

    def make_node(self, *inputs):
        inputs = [tensor.as_tensor_variable(v) for v in inputs]
        return Apply(self, inputs, [self.output(inputs)])

    def output(self, inputs):
        return inputs[0].type() if inputs else tensor.dscalar()

    def perform(self, node, inputs, output_storage):
        self.ran += 1
        output_storage[0][0] = np.asarray(sum(inputs, np.zeros(())) + 0.0)


def made(out):
    f = opweld.function([], out)
    return f, [type(node.op) for node in f.maker.fgraph.toposort()]


def test_a_node_of_constants_is_computed_once():
    op = Count()
    f, ops = made(op(op([1.0, 2.0]), [3.0, 4.0]))
    assert ops == [DeepCopyOp] and op.ran == 2
    first, second = f(), f()
    assert first.tolist() == [4, 6] and not np.shares_memory(first, second) and op.ran == 2


def test_in_both_modes_that_rewrite_and_not_where_nothing_is():
    op = Count()
    opweld.function([], op([1.0]), mode="FAST_COMPILE")()
    assert op.ran == 1
    try:
        opweld.config.optimizer = "merge"
        f = opweld.function([], op([1.0]))
    finally:
        opweld.config.optimizer = "default"
    assert op.ran == 1 and f().tolist() == [1.0] and op.ran == 2


def test_what_a_node_without_inputs_gives_may_differ_each_time():
    op = Count()
    _, ops = made(op())
    assert ops == [Count] and op.ran == 0


def test_ops_that_destroy_are_left():
    op = Count()
    op.destroy_map = {0: [0]}
    _, ops = made(op(tensor.alloc(1.0, 3)))
    assert ops[-1] is Count and op.ran == 0


@pytest.mark.parametrize("through", [lambda v: v, view_op])
def test_what_is_written_over_stays_a_copy_of_its_own(through):
    class Over(Count):
        destroy_map = {0: [0]}

        def perform(self, node, inputs, output_storage):
            inputs[0][...] += 1
            output_storage[0][0] = inputs[0]

    f = opweld.function([], Over()(through(tensor.zeros([3]))))
    assert f().tolist() == [1, 1, 1] and f().tolist() == [1, 1, 1]


def test_what_is_large_or_of_unknown_size_is_left():
    class Long(Count):
        def output(self, inputs):
            return tensor.TensorType("float64", (10**6,))()

    class Unknown(Count):
        def output(self, inputs):
            return tensor.dvector()

    for kind in (Long, Unknown):
        op = kind()
        _, ops = made(op([1.0]))
        assert ops == [kind] and op.ran == 0


def test_an_op_decides_for_itself():
    class Never(Count):
        def do_constant_folding(self, fgraph, node):
            assert node in fgraph
            return False

    op = Never()
    assert made(op([1.0]))[1] == [Never] and op.ran == 0

    class Always(Count):
        def output(self, inputs):
            return tensor.dvector()

        def do_constant_folding(self, fgraph, node):
            return True

    op = Always()
    assert made(op([1.0]))[1] == [DeepCopyOp] and op.ran == 1


def test_what_fails_fails_in_a_call():
    class Fails(Count):
        def perform(self, node, inputs, output_storage):
            self.ran += 1
            raise ZeroDivisionError("nothing by nothing")

    op = Fails()
    f, ops = made(op([1.0]))
    assert ops == [Fails]
    with pytest.raises(ZeroDivisionError, match="nothing by nothing"):
        f()


def test_what_does_not_keep_to_its_type_is_left():
    class Other(Count):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.zeros(1, "float32")

    assert made(Other()([1.0]))[1] == [Other]


def test_values_that_are_no_arrays_are_left():
    class Thing(Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [Generic()()])

        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = [inputs[0]]

    f, ops = made(Thing()(Constant(Generic(), 3)))
    assert ops[0] is Thing and f() == [3]


def test_views_of_constants():
    assert made(view_op(tensor.as_tensor_variable([1.0, 2.0])))[1] == [DeepCopyOp]
    assert made(view_op(tensor.as_tensor_variable(np.zeros(10**6))))[1] == [ViewOp, DeepCopyOp]


def test_no_warning_of_a_value():
    class Log(Count):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = np.log(inputs[0])

    f, ops = made(Log()([0.0, -1.0]))
    assert ops == [DeepCopyOp]
    np.testing.assert_array_equal(f(), [-np.inf, np.nan])


def test_a_chain_takes_linear_time():
    def work(length):
        op = Count()
        out = op([1.0])
        for i in range(length):
            out = op(out, [float(i)])
        ops = []
        taken = calls(lambda: ops.extend(made(out)[1]))
        assert ops == [DeepCopyOp]
        return taken

    assert work(1000) < 12 * work(100)
