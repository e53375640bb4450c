"""What the tests of errors and warnings share: ops to break, and the check that a refusal keeps nothing.

Not a test; ``import refusals`` finds it (pyproject.toml: pythonpath).
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opweld import Apply, COp, CType, ExternalCOp, In, Op, config, errors, function
from opweld.compile import builder, private
from opweld.tensor import TensorType, dvector, ivector

EXPECTED = "expected float64 of shape (?,)"
a = np.arange(3.0)


# -- ops -------------------------------------------------------------------------------------------------------


class Times(COp):
    """The product of two vectors."""

    __props__ = ()

    def make_node(self, x, y):
        return Apply(self, [x, y], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        return f"""
            npy_intp n = PyArray_DIM({x}, 0);
            if (PyArray_DIM({y}, 0) != n) {{
                PyErr_Format(PyExc_ValueError, "Times: x has %zd elements, y has %zd", n, PyArray_DIM({y}, 0));
                {sub["fail"]}
            }}
            if ({z} == NULL || PyArray_DIM({z}, 0) != n) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < n; i++)
                *(double *)PyArray_GETPTR1({z}, i) =
                    *(double *)PyArray_GETPTR1({x}, i) * *(double *)PyArray_GETPTR1({y}, i);
        """

    def c_code_cache_version(self):
        return (1,)


class Same(COp):
    """A vector, copied. Subclasses break one hook, until they are fixed."""

    fixed = False

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            Py_CLEAR({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_ANYORDER);
            if ({z} == NULL) {sub["fail"]}
        """

    def c_code_cache_version(self):
        return (1,)


class Code(Same):
    """A vector, copied by other statements."""

    def __init__(self, text):
        self.text = text

    def c_code(self, node, name, input_names, output_names, sub):
        good = super().c_code(node, name, input_names, output_names, sub)
        return good if self.fixed else self.text.replace("FAIL", sub["fail"]).replace("GOOD", good)


class Python(Op):
    """A vector, by any Python."""

    def __init__(self, perform):
        self.action = perform

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.action(inputs, output_storage)


class Number(CType):
    """A float, as a C double. Subclasses break one hook, until they are fixed."""

    __props__ = ("fixed",)
    fixed = False

    def filter(self, value, strict=False, allow_downcast=None):
        if type(value) is not float:
            raise TypeError(f"expected a float, got {value!r}")
        return value

    def c_declare(self, name, sub, check_input=True):
        return f"double {name};"

    def c_init(self, name, sub):
        return f"{name} = 0.0;"

    def c_extract(self, name, sub, check_input=True):
        return f"{name} = PyFloat_AsDouble(py_{name});"

    def c_sync(self, name, sub):
        return f"Py_XDECREF(py_{name});\npy_{name} = PyFloat_FromDouble({name});"

    def c_cleanup(self, name, sub):
        return ""

    def c_code_cache_version(self):
        return (1,)


class Pass(COp):
    """A number of any C type, handed on."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        return f"{output_names[0]} = {input_names[0]};"

    def c_code_cache_version(self):
        return (1,)


class FromFile(ExternalCOp):
    def make_node(self, x):
        return Apply(self, [x], [x.type()])


def built(op, *types, **options):
    """``op`` over one vector, or over variables of `types`, as a function."""
    inputs = [type_(f"x{i}") for i, type_ in enumerate(types or [dvector])]
    return function(inputs, op(*inputs), **options)


def put(value):
    """A `perform` that gives `value`."""

    def perform(inputs, output_storage):
        output_storage[0][0] = value

    return Python(perform)


@cache
def functions():
    """The functions that the tests of calls share."""
    x, y, unnamed = dvector("x"), dvector("y"), dvector()
    fixed, numbers = TensorType("float64", (3,))("w"), ivector("n")
    times = Times()
    return {
        "times": function([x, y], times(x, y), name="times"),
        "square": function([x], times(x, x)),
        "unnamed": function([unnamed, y], times(unnamed, y)),
        "fixed": function([fixed], times(fixed, fixed), name="fixed"),
        "strict": function([In(x, strict=True), y], times(x, y), name="strict"),
        "mutable": function([In(x, mutable=True), y], times(x, y), name="mutable"),
        "two": function([x, y], [times(x, y), times(y, x)], name="two"),
        "number": built(Pass(), Number(), name="number"),
        "ints": function([numbers], Same()(numbers), name="ints"),
    }


# -- what is checked -------------------------------------------------------------------------------------------


def caught(call, kind):
    """What a call raises: an exception of exactly this class."""
    with pytest.raises(kind) as info:
        call()
    assert type(info.value) is kind
    return info.value


def refuses(call, kind, message, *held):
    """A call fails with this message, each time, and keeps no reference and no memory."""
    err = caught(call, kind)
    assert re.split(r"\n\w+\(\): ", str(err))[0] == message  # before 3.11 the node stands behind it
    del err
    if sys.version_info < (3, 12):  # later, None is immortal
        held = (*held, None)
    gc.collect()
    counts, growth = _references(held), []
    while len(growth) < 12 and (not growth or growth[-1] >= 10):  # a leak grows on, a cache becomes full
        gc.collect()
        blocks = sys.getallocatedblocks()
        for _ in range(100):
            try:
                call()
            except kind:
                pass
        gc.collect()
        growth.append(sys.getallocatedblocks() - blocks)
    assert growth[-1] < 10, f"blocks in 100 calls, again and again: {growth}"
    for thing, before, after in zip(held, counts, _references(held)):
        if thing is None or isinstance(thing, (int, str)):  # others of the process hold the same object
            assert abs(after - before) < 50 * len(growth)
        else:
            assert after == before, f"{after - before} references to {thing!r}"


def _references(held):
    return [sys.getrefcount(thing) for thing in held]


@contextlib.contextmanager
def empty_cache():
    """Build into a new folder, which goes with the block; what is known of the compilers goes with us."""
    kept = Path(config.compiledir, "v2", "tools")
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        if kept.is_dir():
            shutil.copytree(kept, Path(folder, "v2", "tools"))
        patch.setattr(config, "compiledir", folder)
        patch.setattr(builder, "_loaded", {})
        yield


def in_cache(*kinds):
    """The files of these kinds in the cache: of one that nobody else builds into."""
    return {path for kind in kinds for path in Path(config.compiledir, "v2", kind).rglob("*") if path.is_file()}


def temporary():
    """Folders of builds: in the cache, and in the folder that this process has for itself."""
    own = [Path(config.compiledir, "v2", "tmp"), *map(Path, private._made)]
    return {path for folder in own for path in folder.glob("*") if path.is_dir()}


GCC = re.compile(r"; did you mean [^\n]*|(?<=-lnothing_of_this_name): No such file or directory")


def does_not_build(op, message, *types):
    """A build fails with this message, twice; nothing stays behind, and the op can be put right."""
    with empty_cache():
        folders = temporary()
        for _ in range(2):
            err = caught(lambda: built(op, *types), errors.CompileError)
            log = Path(err.details["log"])
            assert log.parent == Path(config.compiledir, "v2", "log") and log.stat().st_size > 0
            lines = GCC.sub("", str(err)).split("\n")
            assert lines[-1] == f"the whole output: {log}"
            assert "\n".join(lines[:-1]) == message
            assert len(lines) <= 12
        assert in_cache("index", "entry", "module") == set()
        assert temporary() == folders
    works_when_fixed(op, *types)
    return err


def works_when_fixed(op, *types):
    if types:
        types[0].fixed = True
        assert built(op, *types)(2.5) == 2.5
    else:
        op.fixed = True
        works(built(op))


def works(f):
    a = np.arange(3.0)
    np.testing.assert_array_equal(f(a), a)


def line_of(method):
    """The line of a hook, as an editor shows it."""
    code = method.__code__
    assert f"def {method.__name__}(" in Path(code.co_filename).read_text().splitlines()[code.co_firstlineno - 1]
    return code.co_firstlineno


def fault(method, text, column=0):
    """What a message says of the place of a text in a hook: the file, line and column, and how it shows the line."""
    lines = Path(method.__code__.co_filename).read_text().splitlines()
    line = next(i for i in range(line_of(method), len(lines) + 1) if text in lines[i - 1])
    at = lines[line - 1].index(text) + column
    return f"{method.__code__.co_filename}:{line}:{at + 1}", f"  {line:4} | {lines[line - 1]}\n       | {' ' * at}^"


# -- other machines --------------------------------------------------------------------------------------------

SCRIPT = '''
import json
import os
import sys

import numpy as np

from opweld import Apply, COp, function
from opweld.tensor import dvector


class Copy(COp):
    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            Py_CLEAR({z});
            {z} = (PyArrayObject *)PyArray_NewCopy({x}, NPY_ANYORDER);
            if ({z} == NULL) {sub["fail"]}
        """

    def c_code_cache_version(self):
        return (1,)


def attempt(op=Copy()):
    x = dvector("x")
    try:
        f = function([x], op(x), name="g")
    except Exception as err:
        return [type(err).__name__, str(err)]
    assert f(np.arange(3.0)).tolist() == [0, 1, 2]
    return [f.maker.built.path, f.maker.built.hit, f.maker.built.kept]


'''


def run_apart(tmp_path, body, **environ):
    """Run a script in a fresh process with a cache, a home and a temporary folder of its own.

    It has what `SCRIPT` defines; nothing may be left in its temporary folder. Gives what it prints, read as JSON, and
    its stderr.
    """
    for name in ("home", "temporary", "cache"):
        (tmp_path / name).mkdir(exist_ok=True)
    env = {
        key: value for key, value in os.environ.items() if key not in ("CC", "CXX", "OPWELD_FLAGS", "PYTHONWARNINGS")
    }
    env |= {"HOME": f"{tmp_path}/home", "TMPDIR": f"{tmp_path}/temporary", "XDG_CACHE_HOME": f"{tmp_path}/cache"}
    env |= {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), **environ}
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + textwrap.dedent(body))
    done = subprocess.run([sys.executable, script], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "temporary").iterdir())
    return json.loads(done.stdout), done.stderr
