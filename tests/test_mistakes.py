"""Typical mistakes, in one table: the user's line, what came, what was expected, and what to do about it.

Those in C are in test_mistakes_c.py. Each row's file ends in the line that is at fault, unless it says another.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mistakes import HEAD, Mistake

import opweld
import opweld.tensor as T
from opweld import compat

CLASS = "\n\nclass Mine(Copy):\n    %s\n"
BARE = "\n\nclass Mine({}):\n    def make_node(self, x):\n        return Apply(self, [x], [x.type()])\n\n    %s\n"
OP, PYTHON = BARE.format("COp"), BARE.format("Op")
TEXT = 'def c_code(self, *args):\n        return ""\n'
NO_VALUE = "a variable of a graph has no value outside a function; make a function and call it"
HOOKS = [
    ("c_header", 'def c_header(self): return ["<math.h>"]', "there is no hook 'c_header'; is 'c_headers' meant?"),
    ("c_supportcode", 'def c_supportcode(self): return ""',
     "there is no hook 'c_supportcode'; is 'c_support_code' meant?"),
    ("c_Code", 'def c_Code(self): return ""', "there is no hook 'c_Code'; is 'c_code' meant?"),
    ("makenode", "def makenode(self, x): pass", "there is no hook 'makenode'; is 'make_node' meant?"),
    ("prefrom", "def prefrom(self, node, inputs, outputs): pass", "there is no hook 'prefrom'; is 'perform' meant?"),
    ("versions", "def c_code_cache_versions(self): return (1,)",
     "there is no hook 'c_code_cache_versions'; is 'c_code_cache_version' meant?"),
    ("a type's", 'def c_cleanup(self, name, sub): return ""', "c_cleanup is a hook of types; ops have c_code_cleanup"),
    ("__prop__", '__prop__ = ("a",)', "there is no hook '__prop__'; is '__props__' meant?"),
    ("props without a comma", '__props__ = ("a")',
     "__props__ is the string 'a', expected a tuple of names: write ('a',), with a comma"),
    ("c_code without name", 'def c_code(self, node, inputs, outputs, sub): return ""',
     "c_code(self, node, inputs, outputs, sub) cannot take what it is given; write "
     "c_code(self, node, name, input_names, output_names, sub)"),
    ("c_code without self", 'def c_code(node, name, inputs, outputs, sub): return ""',
     "c_code(node, name, inputs, outputs, sub) cannot take what it is given; write "
     "c_code(self, node, name, input_names, output_names, sub)"),
    ("perform without node", "def perform(self, inputs, outputs): pass",
     "perform(self, inputs, outputs) cannot take what it is given; write perform(self, node, inputs, output_storage)"),
    ("infer_shape without node", "def infer_shape(self, shapes): return shapes",
     "infer_shape(self, shapes) cannot take what it is given; write infer_shape(self, node, input_shapes)"),
    ("c_headers of two", "def c_headers(self, a, b): return []",
     "c_headers(self, a, b) cannot take what it is given; write c_headers(self)"),
    ("a version of a node", "def c_code_cache_version(self, node): return (1,)",
     "c_code_cache_version(self, node) cannot take what it is given; write c_code_cache_version(self)"),
    ("support code without node", 'def c_support_code_apply(self, name): return ""',
     "c_support_code_apply(self, name) cannot take what it is given; write c_support_code_apply(self, node, name)"),
]  # fmt: skip


@pytest.mark.parametrize("hook, message", [row[1:] for row in HOOKS], ids=[row[0] for row in HOOKS])
def test_a_class_is_told_when_it_is_made(tmp_path, hook, message):
    mistake = Mistake(tmp_path, CLASS % hook)
    assert type(mistake.error) is TypeError and mistake.said() == f"Mine: {message}"
    assert mistake.lines() == [mistake.line_of("class Mine")]


def test_a_type_is_told_too(tmp_path):
    mistake = Mistake(tmp_path, "\n\nclass Mine(CType):\n    def c_declares(self, name, sub): return ''\n")
    assert mistake.said() == "Mine: there is no hook 'c_declares'; is 'c_declare' meant?"


def test_helpers_are_no_mistakes():
    class Mine(opweld.COp):
        """Has what is near a hook, beside it or in a class above."""

        def c_headers(self):
            return [self.c_header]

        c_header = "<math.h>"

        def c_code(self, node, name, inputs, outputs, sub, *more):
            return ""

        def c_dtype(self, node):
            return "double"

        def performance(self):
            return 1

        c_support_code = c_init_code = lambda self: ""

    class Below(Mine):
        c_header = "<complex.h>"

    assert Below.c_header == "<complex.h>"


def test_classes_of_the_older_packages_are_warned():
    with pytest.warns(opweld.OpweldWarning, match=r"^Old: there is no hook 'c_header'; is 'c_headers' meant\?$"):

        class Old(compat.theano.Op):
            def c_header(self):
                return []


ROWS = [
    ("an op for its result", "Copy(x)", TypeError, "Copy(x) makes an op; to apply one write Copy()(x)"),
    ("a class for its result", "function([x], Copy)", TypeError,
     "outputs must be a Variable or a list of them, got <class 'mine.Copy'> (type); write Copy()(x) to apply it"),
    ("arguments that it has not", "Copy(3)", TypeError, "Copy() takes no arguments"),
    ("two inputs for one", "Copy()(x, y)", TypeError, "Copy takes 1 input (x), got 2"),
    ("no input for one", "Copy()()", TypeError, "Copy takes 1 input (x), got 0"),
    ("an array for a variable", OP % TEXT + "\nMine()(v)", TypeError,
     "Mine: input 0 is no Variable but array([0., 1., 2.]) (ndarray); apply the op to a variable, or let its make_node "
     "call as_tensor_variable"),
    ("a prop that nothing sets", CLASS % '__props__ = ("a",)' + "\nMine()(x)", AttributeError,
     "Mine: there is no attribute 'a', which its __props__ names: set it in __init__"),
    ("make_node without return", CLASS % "def make_node(self, x): Apply(self, [x], [x.type()])" + "\nMine()(x)",
     TypeError, "Mine: make_node must return an Apply, got None; is its return missing?"),
    ("make_node of a variable", CLASS % "def make_node(self, x): return x" + "\nMine()(x)", TypeError,
     "Mine: make_node must return an Apply, got x (TensorVariable)"),
    ("neither C nor Python", OP % "pass" + "\nfunction([x], Mine()(x))", TypeError,
     "Mine can be run neither in C nor in Python: it has no c_code and no perform"),
    ("c_code without return", OP % "def c_code(self, *args): f''" + "\nfunction([x], Mine()(x))", TypeError,
     "Mine: c_code must return a string of C, got None; is its return missing?"),
    ("an output that is not set", OP % TEXT + "\nfunction([x], Mine()(x))(v)", RuntimeError,
     "Mine: c_code did not set output 0: store float64 of shape (?,), or use sub['fail']"),
    ("a cell that is replaced", PYTHON % "def perform(self, node, inputs, outputs): outputs[0] = inputs[0]"
     "\n\nfunction([x], Mine()(x))(v)", TypeError,
     "Mine: perform put something in place of output_storage[0]; write output_storage[0][0] = …"),
    ("an array as an input", "function([v], x)", TypeError,
     "inputs[0] must be a Variable or In, got array([0., 1., 2.]) (ndarray); a variable is "
     "T.tensor('x', dtype='float64', shape=(None,)), a constant T.constant(array)"),
    ("an array as an output", "function([x], v)", TypeError,
     "outputs must be a Variable or a list of them, got array([0., 1., 2.]) (ndarray); a variable is "
     "T.tensor('x', dtype='float64', shape=(None,)), a constant T.constant(array)"),
    ("an input without a list", "function(x, x + 1)", TypeError,
     "inputs must be a list of Variables, got x (TensorVariable); write [x]"),
    ("inputs without a list", "function(x, y, x + y)", TypeError,
     "mode must be a name or a Mode, got Elemwise{add} (TensorVariable); several inputs or outputs are one list"),
    ("no outputs", "function([x])", opweld.UnusedInputError,
     "function([x]) has neither outputs nor updates: give what it computes"),
    ("an input that is missing", "function([x], x + y)", opweld.MissingInputError,
     "the function depends on y of type TensorType(float64, (?,)), which Elemwise{add}(x, y) reads, and it is not "
     "among the inputs: add it to the inputs"),
    ("a mode that is not there", "function([x], x, mode='FASTRUN')", ValueError,
     "no mode 'FASTRUN'; known are 'FAST_RUN', 'FAST_COMPILE', 'DebugMode'"),
    ("a key that is not there", "config.compile_dir = ''", opweld.ConfigError,
     "no configuration key 'compile_dir'; did you mean compiledir or compile_memory or compiledir_owners?"),
    ("opweld.functon", "opweld.functon", AttributeError,
     "module 'opweld' has no attribute 'functon'; is 'function' meant?"),
    ("opweld.Cop", "opweld.Cop", AttributeError, "module 'opweld' has no attribute 'Cop'; is 'cop' or 'COp' meant?"),
    ("opweld.dvector", "opweld.dvector", AttributeError,
     "module 'opweld' has no attribute 'dvector'; it is opweld.tensor.dvector"),
    ("opweld.grad", "opweld.grad", AttributeError,
     "module 'opweld' has no attribute 'grad'; opweld computes no gradients"),
    ("T.arrange", "T.arrange(3)", AttributeError,
     "module 'opweld.tensor' has no attribute 'arrange'; is 'arange' meant?"),
    ("T.Vector", "T.Vector('x')", AttributeError,
     "module 'opweld.tensor' has no attribute 'Vector'; is 'vector' meant?"),
    ("T.percentile", "T.percentile(x, 3)", AttributeError,
     "module 'opweld.tensor' has no attribute 'percentile'; here it is: T.sort, and an index (docs/numpy.md)"),
    ("T.asarray", "T.asarray([1, 2])", AttributeError,
     "module 'opweld.tensor' has no attribute 'asarray'; here it is: T.as_tensor_variable([v, w]) (docs/numpy.md)"),
    ("T.fft", "T.fft", AttributeError,
     "module 'opweld.tensor' has no attribute 'fft'; numpy.fft has no counterpart: an op whose perform calls it has "
     "(docs/numpy.md)"),
    ("x.tolist", "x.tolist()", AttributeError,
     "'TensorVariable' object has no attribute 'tolist'"),
    ("np.median", "np.median(x)", TypeError,
     "np.median does not take variables; here it is: (T.sort(s)[(s.shape[0] - 1) // 2] + T.sort(s)[s.shape[0] // 2]) / "
     "2 (docs/numpy.md)"),
    ("np.sum with where", "np.sum(x, where=v > 1)", TypeError,
     "np.sum of variables is T.sum, which has no 'where'"),
    ("np.add.at", "np.add.at(v, x, 1)", TypeError, "np.add.at is not here; write x[i].inc(value)"),
    ("a variable into an array", "v += x", TypeError,
     "np.add cannot write a variable into an array; write x = x + y for x += y, and out= where the function is called"),
    ("np.asarray", "np.asarray(x)", TypeError, f"np.asarray of x: {NO_VALUE}"),
    ("np.array of a list", "np.array([x, y])", TypeError, f"np.asarray of x: {NO_VALUE}"),
    ("int", "int(s)", TypeError, f"int() of s: {NO_VALUE}"),
    ("float", "float(s)", TypeError, f"float() of s: {NO_VALUE}"),
    ("float of a shared variable", "float(shared(3.0, name='w'))", TypeError,
     "float() of w: a variable of a graph has no value outside a function; get_value() gives it"),
    ("if", "if x > 0: pass", TypeError,
     "a variable of a graph has no truth value; it has a value only inside a function"),
    ("len", "len(x)", TypeError, "a variable of a graph has no len(); x.shape[0] is its length inside a function"),
    ("an element that is set", "x[0] = 1", TypeError,
     "a variable of a graph cannot be written into; x[key].set(value) is x with that part set"),
    ("sizes without a list", "T.zeros(3, 4)", TypeError,
     "T.zeros(3, 4): the second argument is the dtype; write T.zeros((3, 4))"),
    ("a constructor's shape", "T.dvector('x', shape=(3,))", TypeError,
     "TensorType(float64, (?,)) takes a name alone, got shape=; write T.tensor('x', dtype='float64', shape=(3,))"),
    ("two names", "T.dvector('x', 'y')", TypeError,
     "TensorType(float64, (?,)) takes a name alone, got 'y'; write T.tensor('x', dtype='float64', shape=(None,))"),
    ("a tensor without a shape", "T.tensor('x', 'float64')", TypeError,
     'tensor() needs a shape: tensor("x", dtype="float64", shape=(None, 3))'),
    ("another package's variable", "class V:\n    owner = type = None\n\n\nT.exp(V())", TypeError,
     "cannot make a constant of <mine.V object at 0x…> (V); it is a variable of mine: build the graph of "
     "opweld.tensor, or see docs/front-ends.md"),
    ("a value that is a variable", "shared(x)", TypeError,
     "shared: expected a value, got x (TensorVariable): a shared variable holds no part of a graph"),
    ("an argument that is a variable", "function([x], x + 1)(x)", TypeError,
     "f() argument 'x': expected float64 of shape (?,), got TensorVariable x: it is a variable of a graph; pass a "
     "value"),
    ("an argument too many", "function([x], x + 1)(v, v)", TypeError,
     "f() takes 1 positional argument but 2 were given"),
    ("an argument too few", "function([x, y], x + y)(v)", TypeError, "f() missing required argument 'y' (position 2)"),
    ("an argument's name", "function([x], x + 1)(xx=v)", TypeError,
     "f() got an unexpected keyword argument 'xx'; it takes x, out"),
    ("sizes that differ", "function([x, y], x + y)(v, np.ones(4))", ValueError,
     "operands could not be broadcast together with shapes (3,) (4,) "),
]  # fmt: skip


@pytest.mark.parametrize("text, kind, message", [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_mistake(tmp_path, text, kind, message):
    import re

    mistake = Mistake(tmp_path, f"\n{text.rstrip()}\n")
    said = re.sub(r"at 0x[0-9a-f]+", "at 0x…", mistake.said())
    assert type(mistake.error) is kind, mistake.error
    assert said.startswith(message) if "tolist" in text else said == message
    last = mistake.text.rstrip().count("\n") + 1
    assert mistake.lines()[0] == last


def test_there_are_many():
    from test_mistakes_c import HOOKS as BUILD
    from test_mistakes_c import TEXTS

    assert len(ROWS) + len(HOOKS) + len(TEXTS) + len(BUILD) > 100


# -- what works ------------------------------------------------------------------------------------------------


def test_functions_of_numpy_build_nodes():
    x, m, v = T.dvector("x"), T.dmatrix("m"), np.arange(3.0)
    made = {
        "sin": (np.sin(x), np.sin), "add": (np.add(x, 1), lambda a: a + 1),
        "multiply": (np.multiply(v, x), lambda a: v * a),
        "sum": (np.sum(x), np.sum), "sum of an axis": (np.sum(m, axis=0, keepdims=True), None),
        "dot": (np.dot(m, x), None), "where": (np.where(x > 1, x, 0), lambda a: np.where(a > 1, a, 0)),
        "concatenate": (np.concatenate([x, x]), lambda a: np.concatenate([a, a])), "reduce": (np.add.reduce(x), np.sum),
        "accumulate": (np.add.accumulate(x), np.cumsum), "equal": (np.equal(x, 1), lambda a: a == 1),
        "operator": (v * x, lambda a: v * a), "scalar": (np.float64(2) * x, lambda a: 2 * a),
        "reshape": (np.reshape(x, (1, -1)), lambda a: a[None]),
    }  # fmt: skip
    f = opweld.function([x, m], [variable for variable, _ in made.values()])
    a, b = np.array([0.5, 1.0, 2.5]), np.arange(6.0).reshape(2, 3)
    for (name, (_, wanted)), got in zip(made.items(), f(a, b), strict=True):
        want = {"sum of an axis": b.sum(0, keepdims=True), "dot": b @ a}.get(name)
        np.testing.assert_allclose(got, wanted(a) if want is None else want, rtol=1e-15, err_msg=name)
    assert np.ndim(m) == 2


def test_an_array_beside_equals():
    """NumPy calls the ufunc for both, and ``==`` asks for the same object."""
    x = T.dvector("x")
    with pytest.warns(opweld.OpweldWarning, match=r"write T\.eq\(array, variable\) to compare elements$"):
        assert (np.ones(3) == x) is False
    assert (np.float64(2) == x) is False and (np.float64(2) != x) is True


def test_a_variable_shows_what_it_is():
    x, n = T.dvector("x"), T.tensor("n", dtype="int32", shape=(2, None))
    assert repr(x) == "<TensorVariable x: float64, shape (?,)>"
    assert repr(x + n) == "<TensorVariable Elemwise{add}(x, n): float64, shape (2, ?)>"
    assert repr(T.dscalar()) == "<TensorVariable: float64, shape ()>"
    assert repr(opweld.shared(np.ones(2), name="w")) == "<TensorSharedVariable w: float64, shape (?,)>"
    assert repr(opweld.generic.generic("g")) == "<Variable g: Generic>"
    assert len(repr(sum([x] * 100, x))) < 200


def test_the_names_that_are_elsewhere_are_the_pages():
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
    try:
        import elsewhere
    finally:
        del sys.path[0]
    assert elsewhere.MODULE.read_text("utf-8") == elsewhere.text(), "run python tools/elsewhere.py"


# -- tracebacks ------------------------------------------------------------------------------------------------

WRONG = "\n\nclass Mine(Copy):\n    def more(self, name, x, y, fail):\n        return 'nowhere = 1;'\n\n\n"


@pytest.mark.parametrize(
    "last", ["function([x], Mine()(x))", "T.zeros(3, 4)", "T.concatenate([x, m])", "opweld.functon"]
)
def test_a_plain_traceback_ends_at_the_users_line(tmp_path, last):
    path = tmp_path / "mine.py"
    for setting, full in (("short", False), ("full", True)):
        path.write_text(f"{HEAD}config.traceback = {setting!r}{WRONG}{last}\n")
        done = subprocess.run([sys.executable, path], capture_output=True, text=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("  File ")]
        assert done.returncode == 1 and lines[0].startswith(f'  File "{path}", line ')
        assert (len(lines) > 1) is full, done.stderr


def test_what_may_be_a_defect_is_shown_in_full(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(f"{HEAD}opweld.compile.function._options = lambda *given: {{}}['no']\n"
                    f"function([x], x)\n")  # fmt: skip
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.stderr.count("  File ") > 1 and "KeyError: 'no'" in done.stderr


def test_frames_are_hidden_from_pytest(tmp_path):
    path = tmp_path / "test_mine.py"
    path.write_text(f"{HEAD}{WRONG}def test_it():\n    function([x], Mine()(x))\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", path, "-p", "no:cacheprovider"], capture_output=True, text=True
    )
    places = [line for line in done.stdout.splitlines() if line.endswith(": CompileError")]
    assert len(places) == 1 and "test_mine.py:" in places[0], done.stdout
    assert "site-packages/opweld" not in done.stdout and "opweld/compile" not in done.stdout


def test_a_hook_of_the_users_own_stays(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import sys\nsys.excepthook = print\nimport opweld\nassert sys.excepthook is print\n")
    assert subprocess.run([sys.executable, path], capture_output=True, text=True).returncode == 0
