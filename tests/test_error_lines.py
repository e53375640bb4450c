"""Nodes know the user's line that made them, and errors of a call say it."""

import sys
import traceback
from types import SimpleNamespace

import numpy as np
import pytest
from kit import InPlace, Python, calls, negate, split

import opweld
from opweld import Apply, COp, Op, function, shared, tensor
from opweld.compile import failure
from opweld.rewriting import node_rewriter

x, y = tensor.dvector("x"), tensor.dvector("y")
A = np.arange(3.0)
B = np.ones((4, 2))[:, 1]


def here():
    """The line that calls this."""
    return sys._getframe(1).f_lineno


def told(call, *args, kind=ValueError):
    """What an error says, with its notes."""
    with pytest.raises(kind) as caught:
        call(*args)
    return "".join(traceback.format_exception_only(kind, caught.value)).rstrip()


class Refuse(COp):
    """Fails in C, or in Python."""

    __props__ = ("text",)

    def __init__(self, text):
        self.text = text

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return f'PyErr_SetString(PyExc_ValueError, "{self.text}");\n{sub["fail"]}'


class RefuseInPython(Op):
    __props__ = ()
    make_node = Refuse.make_node

    def perform(self, node, inputs, output_storage):
        raise ValueError("no")


# -- where nodes are made ------------------------------------------------------------------------------------------


def test_the_line_of_the_call():
    z, line = negate(x), here()
    assert z.owner.made_at == (__file__, line, "test_the_line_of_the_call")
    made = [(x + y, here()), (1 + x, here()), (A + x, here()), (x[1:], here()), (x.sum(), here()), (-x, here())]
    made += [(tensor.mean(x), here()), (tensor.concatenate([x, y]), here()), (split(x)[1], here())]
    made += [(negate.make_node(x).outputs[0], here()), (Refuse("a")(x), here()), (x.T @ y, here())]
    for variable, line in made:
        assert variable.owner.made_at == (__file__, line, "test_the_line_of_the_call"), variable


def test_the_first_line_of_what_is_written_over_many():
    begin = here()
    z = tensor.concatenate(
        [
            x,
            y,
        ]
    )
    assert z.owner.made_at[1] == begin + 1


def test_every_node_of_a_library_function():
    def model(a):
        return tensor.var(a) + tensor.std(a)

    nodes = opweld.FunctionGraph([x], [model(x)]).apply_nodes
    assert {node.made_at for node in nodes} == {(__file__, model.__code__.co_firstlineno + 1, "model")}


def test_make_node_is_not_where_a_node_is_made():
    class Twice(Op):
        def make_node(self, a):
            return self.really(a + a)

        def really(self, a):
            return Apply(self, [a], [a.type()])

    z, line = Twice()(x), here()
    assert z.owner.made_at[1] == line and z.owner.inputs[0].owner.made_at[1] == line


def test_code_without_a_file():
    names = {"negate": negate, "x": x}
    exec("\n\nz = negate(x)", names)
    assert names["z"].owner.made_at == ("<string>", 3, "<module>")
    names["function"] = function
    error = told(function([x], Refuse("no")(names["z"])), A)
    assert "made at" in error
    exec("z = Refuse('no')(x)", names | {"Refuse": Refuse}, names)
    assert "made at <string>:1\n  input 0, x: float64" in told(function([x], names["z"]), A)


def test_it_costs_little():
    """One function is called, however deep the caller stands; a node takes dozens."""

    def deep(levels):
        return deep(levels - 1) if levels else opweld.graph.basic._place(1)

    once, op = calls(lambda: opweld.graph.basic._place(1)), Refuse("a")
    assert calls(lambda: deep(50)) - 51 <= once < calls(lambda: op(x)) / 4


# -- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_the_engines_own_loops(mode):
    def loss(a, b):
        return a + b  # this line

    f = function([x, y], loss(x, y) * 2, name="model", mode=mode)
    line = loss.__code__.co_firstlineno + 1
    assert told(f, A, B) == (
        "ValueError: operands could not be broadcast together with shapes (3,) (4,) \n"
        f"model(): Elemwise{{add}}(x, y), made at {__file__}:{line} in loss:\n"
        "    return a + b  # this line\n"
        "  input 0, x: float64, shape (3,), strides (8,)\n"
        "  input 1, y: float64, shape (4,), strides (16,)"
    )


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
@pytest.mark.parametrize("op", [Refuse("no"), RefuseInPython()], ids=["C", "Python"])
def test_a_users_op(op, mode):
    z, line = op(negate(x), y), here()
    f = function([x, y], z, mode=mode)
    assert told(f, A, B) == (
        "ValueError: no\n"
        f"f(): {op}(Strided{{what='negate', fresh=False}}, y), made at {__file__}:{line} in test_a_users_op:\n"
        "    z, line = op(negate(x), y), here()\n"
        "  input 0: float64, shape (3,), strides (8,)\n"
        "  input 1, y: float64, shape (4,), strides (16,)"
    )


def test_inputs_that_are_constants_shared_or_no_arrays():
    w = shared(A, "w")
    s, g = opweld.scalar.ScalarType("float64")("s"), opweld.generic.generic("g")
    f = function([s, g], Refuse("no")(w, s, g, tensor.constant([[1, 2]])))
    lines = told(f, 1.0, "text").splitlines()
    assert lines[3:] == [
        "  input 0, w: float64, shape (3,), strides (8,)",
        "  input 1, s: float64",
        "  input 2, g: Generic",
        "  input 3, [[1 2]]: int64, shape (1, 2), strides (16, 8)",
    ]


def test_an_index_out_of_bounds():
    i = tensor.lscalar("i")
    f = function([x, i], x[i])
    error = told(f, A, 7, kind=IndexError)
    assert "made at" in error and "input 0, x: float64, shape (3,), strides (8,)" in error


def test_arguments_are_no_nodes():
    f = function([x], negate(x))
    assert "made at" not in told(f, "text", kind=TypeError)


def test_what_a_rewriter_brings_in_has_the_place_of_what_it_came_for(own):
    wanted = Refuse("replaced")

    @own.canonicalize(name="put_refuse")
    @node_rewriter([wanted])
    def put(node):
        return [Refuse("in its place")(negate(node.inputs[0]))]

    z, line = wanted(x), here()
    f = own.function([x], z)
    assert {node.made_at[1] for node in f.maker.fgraph.apply_nodes} == {line}
    assert f"{__file__}:{line} in test_what" in told(f, A)


def test_equal_nodes_have_the_place_of_the_first():
    first, line = Refuse("no")(x), here()
    second = Refuse("no")(x)
    f = function([x], [first, second])
    assert f"{__file__}:{line} " in told(f, A)


def test_copies_and_other_inputs():
    z, line = x + y, here()
    assert z.owner.clone_with_new_inputs([y, x]).made_at[1] == line
    f = function([x], z, givens=[(y, x * 2)])
    assert {node.made_at[1] for node in f.maker.fgraph.apply_nodes if len(node.inputs) == 2} <= {line, line + 2}


def test_what_is_written_over_has_kept_its_shape():
    f = function([x, y], Refuse("no")(InPlace()(negate(x)), y))
    assert "input 0: float64, shape (3,), strides (8,)" in told(f, A, B)


def test_the_exception_stays_the_users():
    mine = ValueError("mine", {"more": 1})

    def fail(a):
        raise mine

    f = function([x], Python(fail)(x))
    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            f(A)
        assert caught.value is mine and mine.args == ("mine", {"more": 1}) and mine.__cause__ is None
    if sys.version_info >= (3, 11):
        assert len(mine.__notes__) == 1 and mine.__notes__[0].startswith("f(): Python(x), made at ")
    assert traceback.extract_tb(mine.__traceback__)[-1].name == "fail"


def test_a_value_that_never_lay_in_memory():
    error = ValueError("no")
    program = SimpleNamespace(steps=[((x + y).owner, {0: 0, 1: 1})])
    failure.failed("f", program, 0, ((np.dtype("f8"), (3, 4)), A), error)
    text = error.__notes__[0] if sys.version_info >= (3, 11) else error.args[0]
    assert (
        "\n  input 0, x: float64, shape (3, 4), a value inside of a fused loop\n  input 1, y: float64, shape (3,)"
        in text
    )


def test_long_names_are_cut():
    z = Refuse("no")(*[x] * 100)
    line = next(line for line in told(function([x], z), A).splitlines() if line.startswith("f(): "))
    assert "..., made at" in line


def test_long_lines_are_cut(tmp_path):
    path = tmp_path / "long.py"
    path.write_text(f"z = x + y  # {'x' * 1000}\n")
    names = {"x": x, "y": tensor.dvector("y")}
    exec(compile(path.read_text(), str(path), "exec"), names)
    lines = told(function([x, names["y"]], names["z"]), np.ones(2), np.ones(3)).splitlines()
    assert max(map(len, lines[1:])) < 200
    assert any(line.strip().startswith("z = x + y  # xxx") and line.endswith("xxx...") for line in lines)


def test_nothing_is_kept(references):
    f = function([x, y], x + y)
    a, b = np.ones(3), np.ones(4)
    before = references(a, b)
    for _ in range(20):
        with pytest.raises(ValueError):
            f(a, b)
    assert references(a, b) == before
