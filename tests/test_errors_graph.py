"""Graphs, hooks, Programs and settings that make no sense: every message in full."""

from __future__ import annotations

import copy
import json

import pytest
from refusals import (
    EXPECTED,
    Number,
    Pass,
    Same,
    Times,
    a,
    built,
    caught,
    empty_cache,
    functions,
    refuses,
    temporary,
    works,
    works_when_fixed,
)

import opweld
from opweld import Apply, CType, In, Op, config, engine, errors, function
from opweld.tensor import TensorType, as_tensor_variable, dvector
from opweld.tensor import tensor as make_tensor

KEYS = ", ".join(config.keys())
VECTOR = "TensorType(float64, (?,))"


# -- hooks and nodes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "answer", "message"),
    [
        ("c_code", 3, "must return a string of C, got 3 (int)"),
        ("c_code", None, "must return a string of C, got None; is its return missing?"),
        ("c_code", b"x", "must return a string of C, got b'x' (bytes)"),
        ("c_code", ["x", 3], "must return a string of C, got ['x', 3] (list)"),
        ("c_code_cleanup", 3, "must return a string of C, got 3 (int)"),
        ("c_support_code", 3, "must return a string of C or a list of them, got 3 (int)"),
        ("c_support_code_apply", 3, "must return a string of C, got 3 (int)"),
        ("c_headers", 3, "must return a list of strings, got 3 (int)"),
        ("c_libraries", ["m", 3], "must return a list of strings, got 3 (int) in it"),
    ],
)
def test_hooks_that_give_no_text(hook, answer, message):
    op, x = Same(), dvector("x")
    setattr(op, hook, lambda *args: answer)
    refuses(lambda: function([x], op(x)), TypeError, f"Same: {hook} {message}", x)
    delattr(op, hook)
    works(function([x], op(x)))


def test_a_type_whose_hook_gives_no_text():
    class Bad(Number):
        def c_declare(self, name, sub, check_input=True):
            pass

    message = "Bad{fixed=False}: c_declare must return a string of C, got None; is its return missing?"
    refuses(lambda: built(Pass(), Bad()), TypeError, message)


@pytest.mark.parametrize(
    ("text", "why", "near"),
    [
        ("MACRO(V)", "cannot tell which variables it declares", "MACRO(V)"),
        ("double V = ;", "cannot tell which variables it declares", "double V = ;"),
        ("double V; V = 1;", "holds a statement: declare here, set values in c_init or c_extract", "V = 1;"),
    ],
)
def test_a_declaration_that_cannot_be_read(text, why, near):
    class Bad(Number):
        def c_declare(self, name, sub, check_input=True):
            return super().c_declare(name, sub) if self.fixed else text.replace("V", name)

    type_ = Bad()
    with empty_cache():
        folders = temporary()
        err = caught(lambda: built(Pass(), type_), errors.ProgramError)
        assert str(err) == f'Bad: c_declare: {why} (line 1, near "{near}"); write plain declarations, such as double V;'
        assert err.details["op"] == "Bad" and temporary() == folders
    works_when_fixed(Pass(), type_)


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("c_extract", "variables[0]: Bad: the type has no c_extract, which an input needs: write it"),
        ("c_init", "variables[1]: Bad: the type has no c_init, which an output needs: write it"),
        ("c_sync", "variables[1]: Bad: the type has no c_sync, which an output needs: write it"),
    ],
)
def test_a_type_that_lacks_a_hook(hook, message):
    bad = type("Bad", (Number,), {hook: getattr(CType, hook)})
    assert str(caught(lambda: built(Pass(), bad()), errors.ProgramError)) == message


class Node(Op):
    def __init__(self, make):
        self.make = make

    def make_node(self, x):
        return self.make(self, x)


NODES = {
    "nothing": (lambda op, x: None, TypeError, "Node: make_node must return an Apply, got None; is its return "
    "missing?"),
    "a variable": (lambda op, x: x, TypeError, "Node: make_node must return an Apply, got x (TensorVariable)"),
    "a number among the inputs": (
        lambda op, x: Apply(op, [x, 3], [x.type()]), TypeError,
        "Node: inputs[1] of its Apply must be a Variable, got 3 (int)",
    ),
    "a type among the outputs": (
        lambda op, x: Apply(op, [x], [x.type(), x.type]), TypeError,
        "Node: outputs[1] of its Apply must be a Variable, got TensorType('float64', (None,)) (TensorType)",
    ),
    "no list": (
        lambda op, x: Apply(op, [x], x), TypeError,
        "Node: the outputs of an Apply must be a list of Variables, got x (TensorVariable)",
    ),
    "a constant among the outputs": (
        lambda op, x: Apply(op, [x], [as_tensor_variable(2.5)]), TypeError,
        "Node: output 0 of its Apply is a constant; a node computes plain variables",
    ),
    "an input among the outputs": (
        lambda op, x: Apply(op, [x], [x]), ValueError,
        "Node: output 0 of its Apply, x, is one of its inputs too; make a new one: x.type()",
    ),
    "an output twice": (
        lambda op, x: Apply(op, [x], [dvector("y")] * 2), ValueError,
        "Node: output 1 of its Apply, y, is one of its outputs too; make a new one: x.type()",
    ),
    "another's output": (
        lambda op, x: Apply(op, [x], [x.type(), Same()(x)]), ValueError,
        "Node: output 1 of its Apply, Same, is computed by another node already; make a new one: x.type()",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", NODES)
def test_nodes(case):
    make, kind, message = NODES[case]
    op, x = Node(make), dvector("x")
    refuses(lambda: op(x), kind, message, x)
    assert x.owner is None and x.index is None


def test_a_node_that_is_refused_takes_no_variable():
    x, first = dvector("x"), dvector("first")
    with pytest.raises(ValueError):
        Apply(Same(), [x], [first, x])
    assert first.owner is None


def test_ops_that_write_too_little():
    x = dvector("x")
    refuses(lambda: Op()(x), NotImplementedError, "Op: write make_node, or set itypes and otypes", x)
    op = Node(lambda op, x: Apply(op, [x], [x.type()]))
    message = "Node can be run neither in C nor in Python: it has no c_code and no perform"
    refuses(lambda: function([x], op(x)), TypeError, message, x)


# -- function() ------------------------------------------------------------------------------------------------

x, y, nameless = dvector("x"), dvector("y"), dvector()
square = Times()(x, x)
FUNCTIONS = {
    "inputs that are no list": ((x, square), {}, TypeError, "inputs must be a list of Variables, got x "
    "(TensorVariable); write [x]"),
    "an input that is no variable": (([x, 3], square), {}, TypeError, "inputs[1] must be a Variable or In, got 3 "
    "(int)"),
    "a constant": (
        ([as_tensor_variable(2.5)], square), {}, TypeError,
        "inputs[0] is the constant 2.5; a constant cannot be given",
    ),
    "an input twice": (([x, In(x)], square), {}, ValueError, "inputs[1] is x, and so is inputs[0]: give it once"),
    "an unused input": (
        ([x, y], square), {}, errors.UnusedInputError,
        f"inputs[1], y of type {VECTOR}, is not needed by any output: leave it out, or pass on_unused_input='ignore'",
    ),
    "an unused input without a name": (
        ([x, nameless], square), {}, errors.UnusedInputError,
        f"inputs[1], a variable without a name, of type {VECTOR}, is not needed by any output: leave it out, or pass "
        "on_unused_input='ignore'",
    ),
    "a missing input": (
        ([x], Times()(x, y)), {}, errors.MissingInputError,
        f"the function depends on y of type {VECTOR}, which Times(x, y) reads, and it is not among the inputs: add "
        f"it to "
        "the inputs",
    ),
    "a missing input that is an output": (
        ([x], [square, nameless]), {}, errors.MissingInputError,
        f"the function depends on a variable without a name, of type {VECTOR}, which is an output, and it is not "
        f"among the "
        "inputs: add it to the inputs",
    ),
    "outputs that are no list": (([x], 3), {}, TypeError, "outputs must be a Variable or a list of them, got 3 (int)"),
    "an output that is no variable": (([x], [square, 3]), {}, TypeError, "outputs[1] must be a Variable, got 3 (int)"),
    "a mode": (([x], square), {"mode": "FAST"}, ValueError,
     "no mode 'FAST'; known are 'FAST_RUN', 'FAST_COMPILE', 'DebugMode'"),
    "a name": (([x], square), {"name": 3}, TypeError, "name must be a string, got 3 (int)"),
    "what to do about unused inputs": (
        ([x], square), {"on_unused_input": "error"}, ValueError,
        "on_unused_input must be 'raise', 'warn' or 'ignore', got 'error'",
    ),
    "a default that does not fit": (
        ([In(x, value="a")], square), {}, TypeError,
        f"f() argument 'x': {EXPECTED}, got str 'a': not numeric; pass numbers",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FUNCTIONS)
def test_function(case):
    args, kwargs, kind, message = FUNCTIONS[case]
    functions()  # what a failing function() would build is there
    refuses(lambda: function(*args, **kwargs), kind, message, x, y, nameless, square)


def test_in():
    refuses(lambda: In(3), TypeError, "In: expected a Variable, got 3 (int)")
    message = "In(x): mutable and value exclude each other: a call would change the default"
    refuses(lambda: In(x, mutable=True, value=a), ValueError, message, x, a)
    refuses(
        lambda: opweld.source(len),
        TypeError,
        "expected what opweld.function() gave, a short form or a ufunc of one, got "
        + repr(len)
        + " (builtin_function_or_method)",
    )


def no_c_type(name):
    return (
        f"dtype {name!r} has no C type here: expected a bool, integer, float or complex dtype; opweld.generic.generic "
        "carries any object"
    )


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: TensorType("O", ()), TypeError, no_c_type("object")),
        (lambda: TensorType("M8[s]", ()), TypeError, no_c_type("datetime64[s]")),
        (lambda: TensorType("U3", ()), TypeError, no_c_type("<U3")),
        (
            lambda: TensorType("flaot64", ()),
            TypeError,
            "'flaot64' is no dtype: data type 'flaot64' not understood; known are bool, int8, int16, int32, int64, "
            "uint8, "
            "uint16, uint32, uint64, float16, float32, float64, complex64, complex128, longdouble, clongdouble",
        ),
        (lambda: TensorType("float64"), TypeError, "TensorType needs shape or broadcastable, and not both"),
        (
            lambda: TensorType("float64", 3),
            TypeError,
            "shape must be a sequence of sizes, got 3 (int); of one dimension: (n,)",
        ),
        (lambda: make_tensor("float64", ("a",)), TypeError, "a size must be an integer or None, got 'a'"),
        (lambda: TensorType("float64", (-2,)), ValueError, "a size must not be negative, got -2"),
    ],
)
def test_tensor_types(make, kind, message):
    refuses(make, kind, message)


# -- Program ---------------------------------------------------------------------------------------------------


def newer(p):
    p["program"] = 5


def unknown(p):
    p["inputs"][0]["speed"] = 9


def missing(p):
    del p["kernels"][0]["label"]


def cycle(p):
    p["steps"][0]["inputs"][1] = p["steps"][0]["outputs"][0]


def arity(p):
    p["steps"][0]["inputs"].append(0)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            newer,
            "program: this is a Program of format 5; this engine reads format 4: use the opweld that wrote it, or "
            "write it "
            "again with this one",
        ),
        (unknown, 'inputs[0]: unknown field "speed"; known are accept, default, fit, name, shared, variable'),
        (missing, 'kernels[0]: field "label" is missing'),
        (cycle, "steps[0]: a cycle: steps[0] Times -> steps[0] Times"),
        (arity, "steps[0].inputs: Times: the kernel takes 2, the step gives 3"),
    ],
)
def test_program(damage, message):
    program = functions()["times"].maker.program
    assert "Times" in engine.render(program.text)["text"]
    data = copy.deepcopy(program.data)
    damage(data)
    text = json.dumps(data)
    err = caught(lambda: engine.render(text), errors.ProgramError)
    assert str(err) == message and err.details["kind"] == "program"
    assert "Times" in engine.render(program.text)["text"]


# -- configuration ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("flotX=float32", "no configuration key 'flotX'; did you mean floatX?"),
        ("zzz=3", f"no configuration key 'zzz'; known are {KEYS}"),
        ("floatX", "'floatX' is not key=value"),
        ("floatX=float33", "config.floatX: expected one of 'float64', 'float32', 'float16', got 'float33'"),
        ("lock_seconds=soon", "config.lock_seconds: expected a number of seconds, 0 or more, got 'soon'"),
        ("cmodule.remove_gxx_opt=maybe", "config.cmodule__remove_gxx_opt: expected True or False, got 'maybe'"),
        ("cc='gcc", 'No closing quotation: "cc=\'gcc"'),
    ],
)
def test_flags(flags, message):
    fresh = type(config)({"OPWELD_FLAGS": flags})
    err = caught(lambda: fresh.floatX, errors.ConfigError)
    assert str(err) == f"OPWELD_FLAGS: {message}" and isinstance(err, ValueError)
    assert str(caught(lambda: fresh.cc, errors.ConfigError)) == str(err)  # not half read


def test_config_in_code():
    message = "no configuration key 'flotX'; did you mean floatX?"
    refuses(lambda: config.flotX, AttributeError, message)
    refuses(lambda: setattr(config, "flotX", 3), errors.ConfigError, message)
    message = "config.floatX: expected one of 'float64', 'float32', 'float16', got 3"
    refuses(lambda: setattr(config, "floatX", 3), errors.ConfigError, message)
    assert config.floatX == "float64"
