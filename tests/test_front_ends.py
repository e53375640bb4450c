"""Graphs of another package: compiled and called with nothing of opweld's in them but the hooks' names."""

import ast
from pathlib import Path

import foreign
import numpy as np
import pytest
from foreign import Add, Constant, Graph, Node, Told, Twice, Variable, anything, doubles, owned

import opweld
from opweld.compile.code import bind, compile_graph
from opweld.config import Options
from opweld.graph.shared import Cell

x, y = Variable(doubles, name="x"), Variable(doubles, name="y")
PACKAGE = Path(opweld.__file__).parent


def made(inputs, outputs, called="f", **interface):
    code = compile_graph(Graph(inputs, outputs), called, **interface)
    return bind(code, called)


def test_they_are_foreign():
    ours = {cls for name in opweld.__all__ if isinstance(cls := getattr(opweld, name), type)}
    theirs = [item for item in vars(foreign).values() if isinstance(item, type)]
    assert len(theirs) >= 10
    assert not any(ours & set(cls.__mro__) - {object} for cls in theirs)


def test_c_and_python_steps_constants_and_params():
    three = Constant(doubles, [1.0, 2.0, 3.0])
    total = Twice()(Add(10.0)(Add()(x, y), three))
    f = made([x, y], [total, Add()(x, x)])
    results = f(np.arange(3.0), y=[1, 1, 1])
    assert [result.tolist() for result in results] == [[40.0, 80.0, 120.0], [0.0, 2.0, 4.0]]
    assert f([0, 0, 0], [0, 0, 0])[0].tolist() == [20.0, 40.0, 60.0]


def test_equal_nodes_share_a_kernel_whatever_their_params():
    code = compile_graph(Graph([x, y], [Add(2.0)(x, y), Add(3.0)(y, x)]))
    assert len(code.program.data["kernels"]) == 1 and len(code.program.constants) == 2
    assert [r.tolist() for r in bind(code, "f")([1], [2])] == [[6.0], [9.0]]


def test_what_c_does_not_look_into():
    to = Variable(anything, name="to")
    f = made([x, to], [Told()(Add()(x, x), to)], single=True)
    assert f([1.5], "me") == {"me": [3.0]}
    key = object()
    assert f([1.5], key) == {key: [3.0]}


def test_one_module_is_bound_as_often_as_one_likes():
    code = compile_graph(Graph([x], [Add(2.0)(x, x)]), single=True, defaults=[True])
    ten = bind(code, "ten", defaults=[(np.full(2, 10.0),)])
    one = bind(code, "one", defaults=[(np.ones(2),)], convert=lambda index, value: np.asarray(value, "f8") * 100)
    assert (ten().tolist(), one().tolist()) == ([40.0, 40.0], [400.0, 400.0])
    assert ten([1]).tolist() == [4.0] and one([1]).tolist() == [400.0]


def test_values_that_are_kept_and_updated():
    state = Variable(owned, name="state")
    cell = Cell([np.zeros(2)])
    code = compile_graph(Graph([x, state], [Add()(x, state)]), cells=1, updates=[1])
    f = bind(code, "f", cells=[cell])
    assert f([1, 2]) == [] and f([1, 2]) == []
    assert cell[0].tolist() == [2.0, 4.0]


def test_a_node_that_fails_is_named():
    f = made([x, y], [Add()(x, y)], "sums")
    with pytest.raises(ValueError, match="2 and 3 do not match") as caught:
        f([1, 2], [1, 2, 3])
    told = "".join(getattr(caught.value, "__notes__", [])) or str(caught.value)
    assert "sums(): Add(x, y)" in told and "input 1, y: " in told

    class Fails(Twice):
        def perform(self, node, inputs, output_storage):
            raise KeyError("no")

    with pytest.raises(KeyError) as caught:
        made([x], [Fails()(x)])([1])
    if hasattr(caught.value, "__notes__"):
        assert "f(): Twice(x)\n  input 0, x: float64, shape (1,), " in caught.value.__notes__[0]


def test_what_an_op_does_wrong_is_said():
    class Nothing(Twice):
        def perform(self, node, inputs, output_storage):
            pass

    with pytest.raises(TypeError, match=r"Twice: perform did not set output_storage\[0\]\[0\]: "):
        made([x], [Nothing()(x)])([1])

    class Neither:
        def __str__(self):
            return "Neither"

    node = Node(Neither(), [x], [Variable(owned)])
    with pytest.raises(TypeError, match="can be run neither in C nor in Python: it has no c_code and no perform"):
        made([x], node.outputs)


def test_arguments_that_do_not_fit():
    f = made([x], [Add()(x, x)], single=True)
    with pytest.raises(TypeError, match="doubles have one dimension, got 2"):
        f(np.ones((2, 2)))
    with pytest.raises(TypeError, match="an output of type doubles cannot be written into a given object; pass None"):
        f([1], out=np.ones(1))


def test_options_are_a_compilers_alone():
    graph = Graph([x], [Add()(x, x)])
    plain, other = compile_graph(graph), compile_graph(graph, options=Options({"cflags": "-O1"}))
    assert plain.program.bytes == other.program.bytes
    assert plain.built.key != other.built.key
    assert "double" in other.source()


def test_nothing_on_the_way_asks_for_a_class_of_ours():
    """From a graph to its callable; what comes before, `function` with its modes, is for graphs of ours."""
    way = [PACKAGE / "compile" / f"{name}.py" for name in ("code", "program", "failure", "builder", "making")]
    way += [PACKAGE / "hooks" / f"{name}.py" for name in ("writer", "fragments", "reading", "asking", "standing")]
    ours = {"Variable", "Constant", "Apply", "Op", "COp", "Type", "CType", "FunctionGraph", "TensorType", "ScalarType"}
    for path in way:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
                asked = {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
                assert not asked & ours, f"{path.name}:{node.lineno}"
