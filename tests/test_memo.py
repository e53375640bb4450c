"""What is remembered of functions of the library's own ops: a later process asks no rewriter and no hook."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import cache, keeping, memo, remembered, store
from opweld.compile.holds import COARSE_TICK
from opweld.compile.recipe import Recipe
from opweld.config import Options

START = """
import sys
import numpy as np
import opweld
import opweld.tensor as T
a = np.linspace(-1.0, 2.0, 12)
m = a.reshape(3, 4)
x, y, w = T.dvector("x"), T.dvector("y"), T.dmatrix("w")
def lowered():
    return "opweld.rewriting.standard" in sys.modules or "opweld.hooks.writer" in sys.modules
def tell(*values):
    for value in values:
        print(np.asarray(value).tobytes().hex(), np.asarray(value).dtype, np.asarray(value).shape)
"""
# Each makes functions and calls `tell`; that it is remembered is told by what the second process has loaded.
REMEMBERED = {
    "arithmetic": "tell(opweld.function([x, y], x * 2 + y / 3 - 1)(a, a[::-1]))",
    "several functions": "f, g = opweld.function([x], x * 2), opweld.function([x], x * 3)\ntell(f(a), g(a))",
    "reductions": "tell(*opweld.function([w], [w.sum(axis=0), T.max(w), w.mean(axis=1)])(m))",
    "views": "tell(*opweld.function([x, w], [opweld.Out(x[::2], borrow=True), w.T[1:], x[2]])(a, m))",
    "constants": "tell(opweld.function([x], x + np.arange(12) + T.constant(np.float64(0.5)))(a))",
    "names": (
        "f = opweld.function([opweld.In(x, name='by', value=[1.0]), y], x + y, name='both')\ntell(f(y=[2.0], by=[3.0]))"
    ),
    "a scalar": "s = T.dscalar('s')\ntell(opweld.function([s], T.exp(s))(0.5))",
    "nothing but updates": (
        "n = opweld.shared(np.zeros(2), name='n')\nf = opweld.function([], updates=[(n, n + 1)])\n"
        "f(); f()\ntell(n.get_value())"
    ),
    "shared values": (
        "n = opweld.shared(a, name='n')\nf = opweld.function([x], n * x, updates={n: n + x})\n"
        "tell(f(a), f(a), n.get_value())"
    ),
    "a text of C": "tell(opweld.function([x], T.Elemwise(opweld.scalar.expr('x0 * x0 + 1'))(x))(a))",
    "a short form": (
        "f = opweld.cop('x: T[n], c: T -> y: T[n]', 'for (npy_intp i = 0; i < n; i++) y[i] = c * x[i];')\n"
        "tell(f(a, 2.0))"
    ),
    "canonical": "tell(opweld.function([x], x * 1 + 2, mode='FAST_COMPILE')(a))",
}


@pytest.fixture
def run(told):
    """``run(text)``: what a process says that runs it after `START`, and whether it has asked rewriters or hooks."""
    return lambda text, start=START, **env: told(f"{start}\n{text}", "lowered()", **env)


def test_a_second_process_asks_no_rewriter_and_no_hook(run):
    for name, text in REMEMBERED.items():
        first, lowered = run(text)
        assert lowered and first
        assert run(text) == (first, False), name


def test_one_graph_is_not_taken_for_another(run):
    """All in one cache, each beside what it would be mistaken for; the first process has asked for each."""
    graphs = [
        "[x, y], x - y", "[y, x], x - y", "[x, y], y - x", "[x, y], x - x + 0 * y", "[x, y], x - y + 1",
        "[x, y], x - y + 2", "[x, y], x - y + np.int8(1)", "[x, y], x - y + T.constant(1.0, name='c')",
        "[x, y], [x - y]", "[x, y], x + y", "[opweld.In(x, mutable=True), y], x - y", "[x, y], x - y, 'FAST_COMPILE'",
        "[x, y], opweld.Out(x[1:], borrow=True) if len(sys.argv) else y, None, None, 'ignore'",
        "[x, y], x[1:], None, None, 'ignore'", "[x, y], x[2:], None, None, 'ignore'",
        "[w], w.sum(axis=0)", "[w], w.sum(axis=1)", "[w], w.T", "[w], w.sum(axis=0, keepdims=True)",
        "[w], w.sum(axis=0, dtype='float32')", "[w], T.max(w, axis=0)",
    ]  # fmt: skip
    given = ["m" if "[w]" in graph else "a.copy(), a[::-1]" for graph in graphs]
    each = [f"tell(*np.atleast_1d(opweld.function({graph})({values})))" for graph, values in zip(graphs, given)]
    together = run("\n".join(each))[0]
    assert run("\n".join(each)) == (together, False)


def test_what_a_function_shows_is_made_when_it_is_asked_for(run):
    text = """
f = opweld.function([x, y], x * 2 + y, name="f")
tell(f(a, a))
print([str(node.op) for node in f.maker.fgraph.toposort()], [str(op) for op in f.maker.nodes()])
print(len(opweld.source(f)) > 1000, opweld.fusion(f), sorted(f.maker.program.sources))
import pickle
tell(pickle.loads(pickle.dumps(f))(a, a), f.copy()(a, a))
"""
    first, _ = run(text)
    assert run(text)[0] == first


def test_a_call_that_fails_names_the_node(run):
    text = """
f = opweld.function([x, y], x * 2 + y)
try:
    f(a, a[:3])
except ValueError as err:
    print(repr(str(err)), getattr(err, "__notes__", None))
n = T.lvector("n")
g = opweld.function([n], 1 // n)
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    g([0, 1])
print([str(warning.message) for warning in said])
"""
    first, _ = run(text)
    assert run(text)[0] == first and any("divide by zero" in line for line in first)


def test_a_profile_and_an_account_name_their_nodes(run):
    text = """
f = opweld.function([x], x * 2 + 1, profile=True)
f(a)
print([line.split()[-1] for line in str(f.profile).splitlines() if "Elemwise" in line])
g = opweld.function([x], x * 2 + 1, options={"account": True})
g(a)
print(g.account)
"""
    first, _ = run(text)
    assert run(text)[0] == first


NOT_REMEMBERED = {
    "an op of the user's": """
class Twice(opweld.Op):
    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2
tell(opweld.function([x], Twice()(x))(a))
""",
    "a rewriter of the user's": """
from opweld.rewriting import registry
@registry.register("canonicalize")
@opweld.rewriting.node_rewriter([T.Elemwise])
def nothing(fgraph, node):
    return None
tell(opweld.function([x], x * 2)(a))
""",
    "a method that was put into an op": """
T.Elemwise.c_code_cache_version_apply = lambda self, node: ("mine",)
tell(opweld.function([x], x * 2)(a))
""",
    "a method of one op": """
op = T.Elemwise(opweld.scalar.exp)
op.infer_shape = lambda fgraph, node, shapes: shapes
tell(opweld.function([x], op(x))(a))
""",
    "a method of one scalar op, which is pickled by its name": """
opweld.scalar.exp.c_support_code = lambda **kwargs: "#define MINE 1"
tell(opweld.function([x], T.exp(x) * 2)(a))
""",
    "a method that was put into scalar ops": """
old = opweld.scalar.Ufunc.make_body
opweld.scalar.Ufunc.make_body = lambda self, dtypes: old(self, dtypes)
tell(opweld.function([x], T.exp(x) * 2)(a))
""",
    "a large constant": "tell(opweld.function([x], x + np.ones((1000, 12)))(a))",
    "nodes apart": "tell(opweld.function([x], x * 2, isolate=True)(a))",
    "DebugMode": "tell(opweld.function([x], x * 2, mode='DebugMode')(a))",
}


@pytest.mark.parametrize("what", NOT_REMEMBERED)
def test_what_is_not_the_librarys_alone_is_not_remembered(run, own_cache, what):
    first, _ = run(NOT_REMEMBERED[what])
    assert not list(own_cache.glob(f"{cache.FOLDER}/memo/*/*"))
    assert run(NOT_REMEMBERED[what]) == (first, True)


def entries(own_cache):
    return list(own_cache.glob(f"{cache.FOLDER}/memo/*/*"))


def test_a_damaged_entry_is_a_miss_and_is_written_anew(run, own_cache):
    text = "tell(opweld.function([x], x * 5)(a))"
    first, _ = run(text)
    (entry,) = entries(own_cache)
    whole = entry.read_bytes()
    for damaged in (whole[:-7], whole.replace(b"multiply", b"subtract"), b""):
        entry.write_bytes(damaged)
        assert run(text) == (first, True)
        assert run(text) == (first, False)


def test_a_library_that_has_changed_is_asked_again(run, own_cache):
    text = "tell(opweld.function([x], x * 6)(a))"
    first, _ = run(text)
    (entry,) = entries(own_cache)
    head, _, body = entry.read_bytes().partition(b"\n")
    name = head.split()[2].decode()
    import json

    held = json.loads(body)
    assert any(file[0].endswith("rewriting/standard.py") for file in held["files"])
    held["files"][0][2] += 1
    body = json.dumps(held).encode()
    entry.write_bytes(cache.first_line(name, body) + b"\n" + body)
    assert run(text) == (first, True)
    assert run(text) == (first, False)  # it was written anew


def test_another_library_of_the_same_engine_has_its_own(run, own_cache, tmp_path):
    text = "tell(opweld.function([x], x * 7)(a))"
    first, _ = run(text)
    shutil.copytree(remembered.OWN, tmp_path / "opweld", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "opweld" / "rewriting" / "standard.py", "a") as file:
        file.write("# changed\n")
    assert run(text) == (first, True)  # the script lies beside it
    shutil.rmtree(tmp_path / "opweld")
    assert run(text) == (first, False)


def test_nothing_is_remembered_of_a_library_that_was_changed_when_it_was_loaded(own_cache, monkeypatch):
    x = T.dvector("x")
    changed = max(os.stat(module.__file__).st_ctime_ns for module in (memo, keeping, opweld))
    monkeypatch.setattr(remembered, "BEGAN", changed)
    opweld.function([x], x * 11 + 1)
    assert not entries(own_cache)
    monkeypatch.setattr(remembered, "BEGAN", time.time_ns() + 10**10)
    opweld.function([x], x * 11 + 2)
    assert len(entries(own_cache)) == 1


def test_a_rewriter_that_is_registered_later_is_none_of_what_is_remembered(run):
    text = """
f = opweld.function([x], x * 2, options={"optimizer": "fast_run"})
before = lowered()
from opweld.rewriting import registry
@registry.register("canonicalize")
@opweld.rewriting.node_rewriter([T.Elemwise])
def doubled(fgraph, node):
    return [node.inputs[0] + node.inputs[0]] if node.op.scalar_op is opweld.scalar.multiply else None
tell(f(a))
print([str(node.op) for node in f.maker.fgraph.toposort()], f.maker.nodes())
lowered = lambda: before
"""
    first, _ = run(text)
    assert run(text) == (first, False)


PUT_IN_LATER = {
    "a method": "T.Elemwise.structure = structure",
    "a method that says it is opweld's": "T.Elemwise.structure = functools.wraps(old)(structure)",
    "a partial": "T.Elemwise.structure = functools.partialmethod(structure)",
    "a property": "T.Elemwise.nin = property(lambda self: self.scalar_op.nin)",
    "a value": "T.Elemwise.gil_of_mine = 'held'",
}


@pytest.mark.parametrize("what", PUT_IN_LATER)
def test_a_class_is_looked_at_for_each_function(run, own_cache, what):
    """What was put into it after a first function was remembered is not taken for the library's own."""
    text = f"""
tell(opweld.function([x], x * 2)(a))
import functools
old = T.Elemwise.structure
def structure(self, node):
    return old(self, node)
if len(sys.argv) == 1:
    {PUT_IN_LATER[what]}
tell(opweld.function([y], T.exp(y) * 2)(a))
"""
    first, _ = run(text)
    plain = run(text.replace("len(sys.argv) == 1", "False"))
    assert plain == (first, True)  # the second function was not found
    assert run(text.replace("len(sys.argv) == 1", "False")) == (first, False)


OTHERWISE = {
    "a method of another hook": "T.Elemwise.structure = T.Elemwise.infer_shape",
    "a method less": "del T.Elemwise.structure",
    "a method with an argument": "T.Elemwise.structure = functools.partialmethod(T.Elemwise.structure)",
    "a property of another": "T.Elemwise.nin = T.Elemwise.nout",
    "a dict": "T.Elemwise.view_map = {0: [0]}",
    "a dict that was changed": "opweld.Op.view_map[0] = [0]",
    "a tuple": "T.TensorType.__props__ += ('ndim',)",
    "a class of the library's": "T.TensorType.variable_type = opweld.Variable",
    "a class of the user's": "T.Elemwise.of_mine = type('Mine', (), {})",
    "an array": "T.Elemwise.of_mine = np.ones(2)",
    "a function of Python's": "T.Elemwise.c_code_cache_version = staticmethod(print)",
    "a method of scalar ops": "opweld.scalar.Ufunc.make_body = opweld.scalar.Ufunc.impl",
    "a method of a base of theirs": "del opweld.scalar.ScalarOp.scalar_node",
    "a value of an op in C": "opweld.COp.of_mine = 1",
    "a rule of dtypes": "promotion.Rule.loop = promotion.Rule.output_dtypes",
    "a name of one scalar op": "op.scalar_op.name = 'expm1'",
    "another of the library's scalar ops": "op.scalar_op = opweld.scalar.tanh",
}
CHANGED = """(
    T.Elemwise, T.TensorType, opweld.Op, opweld.COp, opweld.scalar.Ufunc, opweld.scalar.ScalarOp, promotion.Rule
)"""
AS_IT_WAS = {
    "nothing": "pass",
    "scalar ops that nobody asked for are loaded": "opweld.scalar.exp",
    "the scalar op is asked for": "op.scalar_op.scalar_node(('float64',))",
}


COPIED = {
    "nothing": ("pass", False),
    "loaded": ("from opweld.hooks import copying", False),
    "a type of the user's": (
        "opweld.hooks.copying.register_deep_copy_op_c_code(type('Mine', (T.TensorType,), {}), 'mine', (1,))", False
    ),
    "a text that is registered": (
        "opweld.hooks.copying.register_deep_copy_op_c_code(T.TensorType, old[0] + ' /* mine */', (99,))", True
    ),
    "a version": ("opweld.hooks.copying.register_view_op_c_code(T.TensorType, old[0], (99,))", True),
    "a hook of the user's": ("opweld.hooks.copying.DeepCopyOp.c_code = lambda self, *args: plain(self, *args)", True),
    "other texts": ("opweld.hooks.copying.DeepCopyOp.c_code_and_version = {**registered.COPIES}", True),
    "other texts of one op": ("opweld.hooks.copying.view_op.c_code_and_version = {**registered.VIEWS}", True),
    "a hook of one op": (
        "op = opweld.hooks.copying.deep_copy_op; op.c_code = lambda *args: plain(op, *args)", True
    ),
    "an op of the user's": (
        "opweld.hooks.copying.deep_copy_op = type('Own', (opweld.hooks.copying.DeepCopyOp,), {})()", True
    ),
    "another hook of the user's": ("opweld.hooks.copying.ViewOp.c_code = lambda self, *args: plain(self, *args)", True),
}  # fmt: skip


def test_how_results_are_copied_is_part_of_what_is_remembered(run):
    """An output that is an input is copied by an op that is in no graph of the user's."""
    text = """
from opweld.hooks import registered
old = registered.COPIES[T.TensorType]
def plain(self, node, name, ins, outs, sub):
    return old[0] % self.fields(ins[0], outs[0], sub)
CHANGE
tell(*opweld.function([x, y], [x * 2 + y, x])(a, a))
"""
    first, lowered = run(text.replace("CHANGE", "pass"))
    assert lowered
    for what, (change, anew) in COPIED.items():
        said, lowered = run(text.replace("CHANGE", change))
        assert (said, lowered) == (first, anew), what


def test_a_class_that_is_otherwise_has_another_name(own_cache):
    """Whether what was put into it, or taken out, is the library's own, Python's or the user's."""
    text = f"""
import functools
from opweld import promotion
from opweld.compile import memo
from opweld.compile.asked import Asked
from opweld.config import Options
def name():
    memo._seen.clear()
    recipe = Asked([opweld.In(x)], [opweld.Out(out)], {{}}, True, None, "", None)
    return memo.described(recipe, Options({{}}), [])
op = T.exp
out = op(x) * 2
first = name()
assert "opweld.scalar" not in sys.modules
for what, change in {AS_IT_WAS!r}.items():
    exec(change)
    assert name() == first, what
for what, change in {OTHERWISE!r}.items():
    classes = [(cls, dict(vars(cls))) for cls in {CHANGED}]
    held, plain = dict(opweld.Op.view_map), name()
    exec(change)
    assert plain and name() != plain, what
    opweld.Op.view_map.clear()
    opweld.Op.view_map.update(held)
    op.scalar_op = opweld.scalar.exp
    op.scalar_op.name = "exp"
    for cls, before in classes:
        for key in set(vars(cls)) - set(before):
            delattr(cls, key)
        for key, value in before.items():
            if vars(cls).get(key) is not value and key != "__dict__":
                setattr(cls, key, value)
"""
    done = subprocess.run([sys.executable, "-c", START + text], text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_classes_of_short_forms_are_not_held(own_cache):
    f = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = 3 * x[i];")
    f(np.arange(3.0))
    assert any(cls.__qualname__ == "Cop" for cls in memo._seen)
    assert not any(cls.__qualname__ == "f" for cls in memo._seen)


def test_a_name_says_what_program_depends_on_and_no_more():
    x = T.dvector("x")

    def name(outputs, options=None, **kwargs):
        recipe = Recipe([opweld.In(x)], [opweld.Out(v) for v in outputs], {}, True, None, "", None)
        return memo.described(recipe, Options(options or {}), [])

    one = name([x * 2])
    assert one and one == name([x * 2]) == name([x * 2], {"cflags": "-O1", "threads": 2})
    others = [name([x * 3]), name([2 * x]), name([x * 2, x]), name([x * 2], {"conventions": "theano"})]
    assert len({one, *others}) == 5

    class Own(T.Elemwise):
        pass

    assert name([Own(opweld.scalar.exp)(x)]) == ""


def test_what_is_kept_is_what_is_made(own_cache, monkeypatch):
    """An entry's Program is, byte by byte, the one that rewriters and hooks make."""
    written = []
    monkeypatch.setattr(store, "remember", lambda kind, name, value, *where: written.append((kind, value)))
    # Of a library that was installed a moment before this process loaded it nothing would be written.
    monkeypatch.setattr(remembered, "BEGAN", time.time_ns() + COARSE_TICK)
    w = T.dmatrix("w")
    f = opweld.function([w], T.exp(w).sum(axis=0) * np.arange(3.0))
    ((_, value),) = [entry for entry in written if entry[0] == remembered.KIND]
    recalled = remembered.Recalled(value, lambda: f.maker.program)
    assert recalled.text == f.maker.program.text and recalled.bytes == f.maker.program.bytes
    assert recalled.steps is f.maker.program.steps
    given = [constant.data for constant in f.maker.program.constants]
    for mine, theirs in zip([constant.data for constant in recalled.constants], given, strict=True):
        assert mine.dtype == theirs.dtype and mine.tobytes() == theirs.tobytes() and mine.shape == theirs.shape
    value["program"] = value["program"].replace("multiply", "subtract")
    with pytest.raises(opweld.CacheError, match="opweld cache clear"):
        remembered.Recalled(value, lambda: f.maker.program).steps  # noqa: B018


def test_of_a_loaded_module_few_functions_are_written_down(own_cache, monkeypatch):
    asked = []
    described = memo.described
    monkeypatch.setattr(memo, "described", lambda *args: asked.append(1) or described(*args))
    x = T.dvector("x")
    for _ in range(12):
        opweld.function([x], x * 9)
    assert len(asked) == 8


def test_the_lint_sees_what_is_remembered(run, own_cache, tmp_path):
    text = """
f = opweld.cop("x: T[n] -> y: T[n]", "for (int i = 0; i < n; i++) y[i] = x[i];")
tell(f(a))
"""
    run(text)
    assert run(text)[1] is False
    env = {**os.environ, "XDG_CACHE_HOME": str(own_cache.parent)}
    command = [sys.executable, "-m", "opweld", "lint", str(tmp_path / "script.py")]
    done = subprocess.run(command, env=env, text=True, capture_output=True, timeout=120)
    assert "npy_intp" in done.stdout, (done.stdout, done.stderr)
