"""Variables, nodes, ops: what they are equal to, what they refuse, and the order of a graph."""

import pytest

from opweld import Apply, Constant, FunctionGraph, InconsistencyError, MissingInputError, Op, Variable, tensor
from opweld.graph.aliasing import check_destroyed
from opweld.graph.numbers import Numbers
from opweld.rewriting.stages import copy_and_merge


class Unary(Op):
    __props__ = ("tag",)

    def __init__(self, tag="u"):
        self.tag = tag

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])


class InPlace(Unary):
    destroy_map = {0: [0]}


class View(Unary):
    view_map = {0: [0]}


def test_props_make_equal_and_hash_and_text():
    assert Unary("a") == Unary("a")
    assert hash(Unary("a")) == hash(Unary("a"))
    assert Unary("a") != Unary("b")
    assert Unary("a") != InPlace("a")
    assert str(Unary("a")) == "Unary{tag='a'}"


def test_identity_without_props():
    class Plain(Op):
        pass

    one, two = Plain(), Plain()
    assert one == one and one != two
    assert len({one, two}) == 2
    assert str(one) == "Plain"


def test_apply_owns_its_outputs():
    x = tensor.dvector("x")
    node = Unary().make_node(x)
    assert node.outputs[0].owner is node and node.outputs[0].index == 0
    assert node.inputs == [x] and (node.nin, node.nout) == (1, 1)
    with pytest.raises(ValueError, match=r"output 0 of its Apply, .*, is computed by another node already"):
        Apply(Unary("b"), [x], node.outputs)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ([3], [], "Unary{tag='u'}: inputs[0] of its Apply must be a Variable, got 3 (int)"),
        ([], ["z"], "Unary{tag='u'}: outputs[0] of its Apply must be a Variable, got 'z' (str)"),
        (None, [], "Unary{tag='u'}: the inputs of an Apply must be a list of Variables, got None"),
    ],
)
def test_apply_of_things_that_are_not_variables(inputs, outputs, message):
    with pytest.raises(TypeError) as caught:
        Apply(Unary(), inputs, outputs)
    assert str(caught.value).startswith(message)


def test_make_node_must_return_an_apply():
    class Wrong(Op):
        def make_node(self, x):
            return [x]

    with pytest.raises(TypeError) as caught:
        Wrong()(tensor.dvector("x"))
    assert str(caught.value) == "Wrong: make_node must return an Apply, got [x] (list)"


def test_call_gives_one_output_or_a_list():
    class Two(Unary):
        def make_node(self, x):
            return Apply(self, [x], [x.type(), x.type()])

    x = tensor.dvector("x")
    assert isinstance(Unary()(x), Variable)
    assert len(Two()(x)) == 2
    assert Unary()(x, name="y").name == "y"
    assert isinstance(Unary()(x, return_list=True), list)


def test_make_node_from_itypes():
    class Typed(Op):
        itypes = (tensor.dvector, tensor.dscalar)
        otypes = (tensor.dvector,)

    x, s = tensor.dvector("x"), tensor.dscalar("s")
    assert Typed()(x, s).type == tensor.dvector
    with pytest.raises(TypeError, match=r"input 1 must be of type"):
        Typed()(x, x)
    with pytest.raises(TypeError, match=r"expected 2 inputs, got 1"):
        Typed()(x)


def test_gradient_is_refused():
    with pytest.raises(NotImplementedError, match=r"computes no gradients"):
        Unary().grad([], [])


def test_constant_passes_the_filter():
    constant = Constant(tensor.dvector, [1, 2])
    assert constant.data.dtype == "float64"
    with pytest.raises(TypeError):
        Constant(tensor.dvector, "a")


def test_toposort_is_depth_first_left_to_right():
    x = tensor.dvector("x")
    a, b = Unary("a")(x), Unary("b")(x)
    c = Unary("c")(b, a)
    d = Unary("d")(c, a)
    assert [node.op.tag for node in FunctionGraph([x], [d]).toposort()] == ["b", "a", "c", "d"]
    assert [node.op.tag for node in FunctionGraph([x], [a, d]).toposort()] == ["a", "b", "c", "d"]


def test_toposort_of_a_long_chain():
    x = v = tensor.dvector("x")
    for _ in range(10_000):
        v = Unary()(v)
    assert len(FunctionGraph([x], [v]).toposort()) == 10_000


def test_a_cycle_is_found():
    x = tensor.dvector("x")
    a = Unary("a")(x)
    b = Unary("b")(a)
    a.owner.inputs[0] = b
    with pytest.raises(ValueError, match=r"cycle through Unary"):
        FunctionGraph([x], [b])


def test_missing_input():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    with pytest.raises(MissingInputError) as caught:
        FunctionGraph([x], [Unary()(x, y)])
    assert str(caught.value) == (
        "the function depends on y of type TensorType(float64, (?,)), which Unary{tag='u'}(x, y) reads, and it is not "
        "among the inputs: add it to the inputs"
    )


def test_inner_variable_as_input_cuts_the_graph():
    x = tensor.dvector("x")
    a = Unary("a")(x)
    assert [node.op.tag for node in FunctionGraph([a], [Unary("b")(a)]).toposort()] == ["b"]
    assert FunctionGraph([a], [a]).toposort() == []
    assert [node.op.tag for node in FunctionGraph([x, a], [a, Unary("b")(a)]).toposort()] == ["b"]


def test_readers_run_before_the_destroyer():
    x = tensor.dvector("x")
    t = Unary("t")(x)
    d = InPlace("d")(t)
    r = Unary("r")(t)
    order = [node.op.tag for node in FunctionGraph([x], [d, r]).toposort()]
    assert order == ["t", "r", "d"]


def test_readers_of_a_view_run_before_the_destroyer():
    x = tensor.dvector("x")
    t = Unary("t")(x)
    v = View("v")(t)
    d = InPlace("d")(t)
    r = Unary("r")(v)
    assert [node.op.tag for node in FunctionGraph([x], [d, r]).toposort()] == ["t", "v", "r", "d"]


def test_two_destroyers_of_one_buffer():
    x = tensor.dvector("x")
    t = Unary("t")(x)
    with pytest.raises(InconsistencyError, match=r"both destroy"):
        FunctionGraph([x], [InPlace("a")(t), InPlace("b")(t)]).toposort()


def test_a_reader_that_needs_the_destroyers_result():
    x = tensor.dvector("x")
    t = Unary("t")(x)
    d = InPlace("d")(t)
    with pytest.raises(InconsistencyError, match=r"after .* has destroyed it"):
        FunctionGraph([x], [Unary("r")(t, d)]).toposort()


def test_destroying_in_turn_is_allowed():
    x = tensor.dvector("x")
    t = Unary("t")(x)
    assert len(FunctionGraph([x], [InPlace("b")(InPlace("a")(t))]).toposort()) == 3


def test_destroying_inputs_and_constants():
    x = tensor.dvector("x")
    graph = FunctionGraph([x], [InPlace("d")(x)])
    with pytest.raises(InconsistencyError, match=r"that is the function's input x: pass In\(..., mutable=True\)"):
        check_destroyed(graph.apply_nodes, [x], set())
    check_destroyed(graph.apply_nodes, [x], {x})
    graph = FunctionGraph([], [InPlace("d")(tensor.as_tensor_variable([1.0]))])
    with pytest.raises(InconsistencyError, match=r"constant"):
        check_destroyed(graph.apply_nodes, [], set())


def test_maps_out_of_range():
    class Wild(Unary):
        destroy_map = {0: [1]}

    x = tensor.dvector("x")
    with pytest.raises(InconsistencyError, match=r"destroy_map names output 0 of input 1, there are 1 outputs and 1"):
        FunctionGraph([x], [Wild()(Unary()(x))]).toposort()


def test_props_that_lack_their_comma():
    message = r"^Careless: __props__ is the string 'axis', expected a tuple of names: write \('axis',\), with a comma$"
    with pytest.raises(TypeError, match=message):
        type("Careless", (Op,), {"__props__": "axis"})


def test_what_is_merged_has_the_order_that_a_graph_of_it_has():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    values = [x, y]
    for i in range(60):  # many equal ones, some of several readers
        values.append(Unary("abc"[i % 3])(*values[i * 7 % len(values) :][: 1 + i % 2]))
    outputs = [values[-1], values[30], values[12]]
    merged = copy_and_merge(FunctionGraph([x, y], outputs))
    assert merged.apply_nodes == FunctionGraph([x, y], merged.outputs).apply_nodes
    assert len(merged.apply_nodes) < len(FunctionGraph([x, y], outputs).apply_nodes)


def test_equal_objects_have_one_number_and_are_asked_for_their_hash_once():
    asked = []

    class Hashed(Unary):
        def __hash__(self):
            asked.append(self)
            return super().__hash__()

    class Alone:
        __hash__ = None

        def __eq__(self, other):
            return True

    class Fails:
        def __hash__(self):
            raise TypeError("no hash")

    numbers, one, other, alone = Numbers(), Hashed("a"), Hashed("a"), Alone()
    assert numbers.of(one) == numbers.of(other) == numbers.of(one) != numbers.of(Hashed("b"))
    assert len(asked) == 3
    assert numbers.of(alone) == numbers.of(alone) != numbers.of(Alone())
    with pytest.raises(TypeError, match="no hash"):
        numbers.of(Fails())
