"""function(): its arguments, its checks, and the callable that comes out."""

import gc
import inspect
import os
import shutil
import subprocess
import sys
import weakref
from types import SimpleNamespace

import kit
import numpy as np
import pytest

import opweld
from opweld import Apply, Constant, COp, In, Op, Type, scalar, tensor
from opweld.compile import builder, making
from opweld.compile.ops import DeepCopyOp
from opweld.generic import generic


class Twice(COp):
    """z = 2 x, in C; x + x in Python."""

    __props__ = ()

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, storage):
        storage[0][0] = inputs[0] + inputs[0]

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            npy_intp n = PyArray_DIM({x}, 0);
            if ({z} == NULL || PyArray_DIM({z}, 0) != n) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, &n, type_num_{z}, 0);
                if ({z} == NULL) {sub["fail"]}
            }}
            for (npy_intp i = 0; i < n; i++)
                *(dtype_{z}*)PyArray_GETPTR1({z}, i) = 2 * *(dtype_{x}*)PyArray_GETPTR1({x}, i);
        """

    def c_code_cache_version(self):
        return (1,)


class TwicePython(Op):
    __props__ = ()
    make_node = Twice.make_node
    perform = Twice.perform


twice, twice_python = Twice(), TwicePython()
x, y = tensor.dvector("x"), tensor.dvector("y")
A = np.arange(3.0)


def c_op(code, make=None, **attributes):
    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type() if make is None else make()])

    def c_code(self, node, name, inputs, outputs, sub):
        names = {f"i{k}": v for k, v in enumerate(inputs)} | {f"o{k}": v for k, v in enumerate(outputs)}
        return code % {**names, "fail": sub["fail"]}

    return type("CodeOp", (COp,), {"make_node": make_node, "c_code": c_code, **attributes})()


def message(kind, call, *args, **kwargs):
    with pytest.raises(kind) as caught:
        call(*args, **kwargs)
    return str(caught.value)


def test_single_list_and_nothing():
    assert opweld.function([x], twice(x))(A).tolist() == [0, 2, 4]
    (one,) = opweld.function([x], [twice(x)])(A)
    assert one.tolist() == [0, 2, 4]
    assert opweld.function([], [])() == []


def test_c_and_python_in_one_function():
    f = opweld.function([x], twice(twice_python(twice(x))))
    assert f(A).tolist() == [0, 8, 16]
    assert [type(node.op) for node in f.maker.fgraph.toposort()] == [Twice, TwicePython, Twice]


def test_keywords_and_defaults():
    given = np.ones(3)
    f = opweld.function([x, In(y, name="w", value=given)], [twice(x), twice(y)])
    given[:] = 7
    assert f(x=A)[1].tolist() == [2, 2, 2]
    assert f(w=[5], x=A)[1].tolist() == [10]
    assert str(inspect.signature(f)).startswith("(x, w=array(")
    assert "w : float64 array of shape (?,), optional" in f.__doc__


def test_names_that_two_arguments_share_are_positional():
    f = opweld.function([tensor.dvector("x"), x], twice(x), on_unused_input="ignore")
    assert str(inspect.signature(f)) == "(arg0, arg1, /, *, out=None)"
    assert "unexpected keyword argument 'x'" in message(TypeError, f, A, x=A)


def test_an_argument_named_out_is_positional_and_out_is_storage():
    v = tensor.dvector("out")
    f = opweld.function([v], twice(v))
    assert str(inspect.signature(f)) == "(arg0, /, *, out=None)"
    out = np.empty(3)
    assert f(A, out=out) is out and out.tolist() == [0, 2, 4]
    assert message(TypeError, f, out=A) == "f() missing required argument at position 1"


def test_attributes():
    f = opweld.function([x], twice(x), name="double_it")
    assert (f.name, f.__name__) == ("double_it", "double_it")
    assert f.__doc__.startswith(
        "double_it(x, *, out=None)\n\nCompiled function.\n\nParameters\n----------\nx : float64"
    )
    assert "Twice" in opweld.source(f) and opweld.source(f).startswith("/* Made by opweld")
    f.mine = 3
    assert f.mine == 3
    assert message(TypeError, opweld.source, len).startswith("expected what opweld.function() gave")
    seen = weakref.ref(f)
    del f
    gc.collect()
    assert seen() is None


def test_outputs_are_kept_apart_from_inputs_and_each_other():
    z = twice(x)
    f = opweld.function([x], [x, z, z, Constant(tensor.dvector, [1.0])])
    results = f(A)
    assert [r.tolist() for r in results] == [[0, 1, 2], [0, 2, 4], [0, 2, 4], [1]]
    for i, one in enumerate(results):
        assert not np.shares_memory(one, A)
        assert not any(np.shares_memory(one, other) for other in results[:i])
    results[3][0] = 9
    assert f(A)[3][0] == 1
    assert [type(node.op) for node in f.maker.fgraph.toposort()].count(DeepCopyOp) == 3


def test_a_view_of_an_input_is_copied():
    view = c_op("%(o0)s = %(i0)s; Py_INCREF(%(o0)s);", view_map={0: [0]})
    f = opweld.function([x], view(x))
    assert not np.shares_memory(f(A), A)
    assert isinstance(f.maker.fgraph.toposort()[-1].op, DeepCopyOp)


def test_destroying_a_mutable_input():
    bump = c_op(
        "Py_INCREF(%(i0)s); Py_XDECREF(%(o0)s); %(o0)s = %(i0)s; *(double*)PyArray_DATA(%(o0)s) += 1;",
        destroy_map={0: [0]},
    )
    text = message(opweld.InconsistencyError, opweld.function, [x], bump(x))
    assert text.endswith("that is the function's input x: pass In(..., mutable=True) to allow it")
    f = opweld.function([In(x, mutable=True)], bump(x))
    a = np.zeros(2)
    assert f(a).tolist() == [1, 0] and a.tolist() == [1, 0]
    assert ": in place; pass x.astype('float64')" in message(TypeError, f, a.astype("f4"))
    a.flags.writeable = False
    assert ", read-only; pass x.copy()" in message(TypeError, f, a)
    assert "exclude each other" in message(ValueError, In, x, mutable=True, value=a)


def test_arguments_name_function_and_argument():
    f = opweld.function([x, In(tensor.dvector())], [twice(x)], name="g", on_unused_input="ignore")
    assert message(TypeError, f, "a", A).startswith("g() argument 'x': expected float64 of shape (?,)")
    assert message(TypeError, f, A, "a").startswith("g() argument 2: expected float64 of")
    assert message(TypeError, f, A).startswith("g() missing required argument")


def test_an_exception_from_filter_keeps_its_class():
    class Odd(Type):
        def filter(self, value):
            raise LookupError("odd value", 3)

    v = Odd()("v")
    f = opweld.function([v], v)
    with pytest.raises(LookupError) as caught:
        f(1)
    assert caught.value.args == ("f() argument 'v': odd value", 3)


def test_strict_and_downcast():
    f = opweld.function([In(x, strict=True)], twice(x))
    assert "strict converts nothing; pass np.asarray(" in message(TypeError, f, [1.0])
    v = tensor.lvector("v")
    assert opweld.function([v], v, allow_input_downcast=True)([1.5]).tolist() == [1]
    assert opweld.function([In(v, allow_downcast=True)], v)(np.array([1.5])).tolist() == [1]
    assert "; pass v" in message(TypeError, opweld.function([v], v), np.array([1.5]))


def test_out():
    f = opweld.function([x], twice(x))
    out = np.empty(3)
    assert f(A, out=out) is out and out.tolist() == [0, 2, 4]
    assert f(out, out=out) is out and out.tolist() == [0, 4, 8]
    assert message(TypeError, f, A, out=np.empty(3, "f4")).endswith(", 'float64')")
    out.flags.writeable = False
    assert message(TypeError, f, A, out=out).count(", read-only; pass ") == 1
    assert "out= of shape (4,)" in message(ValueError, f, A, out=np.empty(4))
    known = tensor.TensorType("float64", (3,))("k")
    f = opweld.function([known], twice(known))
    assert message(ValueError, f, A, out=np.empty(4)).endswith(
        "got float64 of shape (4,); pass np.empty((3,), 'float64')"
    )


def test_out_where_the_type_takes_none():
    s = scalar.float64("s")
    f = opweld.function([s], s)
    assert message(TypeError, f, 1.0, out=np.float64(0)).startswith("f() out: an output of type float64 cannot be")


def test_perform_errors():
    class Wrong(TwicePython):
        def perform(self, node, inputs, storage):
            if inputs[0].size == 1:
                raise KeyError("mine")
            storage[0][0] = None if inputs[0].size == 2 else "text"

    f = opweld.function([x], Wrong()(x))
    with pytest.raises(KeyError, match="mine"):
        f(A[:1])
    assert message(TypeError, f, A[:2]).startswith("Wrong: perform")
    assert message(TypeError, f, A).startswith("Wrong: perform's output")


def test_fragment_errors():
    text = message(RuntimeError, opweld.function([x], c_op("%(fail)s;")(x)), A)
    assert "CodeOp" in text and "failed without setting an exception" in text
    with pytest.warns(opweld.CompileWarning, match=r"^CodeOp\.c_code: format .*\[-Wformat=\]") as seen:
        opweld.function([x], c_op('printf("%%s", 3);')(x))
    assert seen[0].filename == __file__
    text = message(opweld.LoadError, opweld.function, [x], c_op("extern int nowhere(void); nowhere();")(x))
    assert "nowhere" in text and "c_libraries" in text and "c_lib_dirs" in text


@pytest.mark.parametrize(
    ("inputs", "outputs", "kind", "text"),
    [
        (x, x, TypeError, "inputs must be a list of Variables, got x (TensorVariable); write [x]"),
        ([3], x, TypeError, "inputs[0] must be a Variable or In, got 3 (int)"),
        ([x], "z", TypeError, "outputs must be a Variable or a list of them, got 'z' (str)"),
        ([x], [x, None], TypeError, "outputs[1] must be a Variable, got None"),
        ([x, x], x, ValueError, "inputs[1] is x, and so is inputs[0]: give it once"),
        ([tensor.as_tensor_variable([1])], [], TypeError, "inputs[0] is the constant [1]; a constant cannot be given"),
        (
            [x, y], x, opweld.UnusedInputError,
            "inputs[1], y of type TensorType(float64, (?,)), is not needed by any output: leave it out, or pass "
            "on_unused_input='ignore'",
        ),
        (
            [x], [y], opweld.MissingInputError,
            "the function depends on y of type TensorType(float64, (?,)), which is an output, and it is not among the "
            "inputs: add it to the inputs",
        ),
    ],
)  # fmt: skip
def test_functions_that_make_no_sense(inputs, outputs, kind, text):
    assert message(kind, opweld.function, inputs, outputs).startswith(text)


def test_no_compiler(monkeypatch):
    monkeypatch.setattr(opweld.config, "cc", "/nowhere/gcc")
    text = message(opweld.CompilerNotFoundError, opweld.function, [x], twice(twice(x)))
    assert text == (
        "f must be built, and there is no C compiler: config.cc is '/nowhere/gcc', which cannot be run; correct it, or "
        "unset it to have one chosen"
    )


def test_progress(capsys):
    line = making.Progress("f", "on")
    line({"stage": "compile", "seconds": 0.9})
    line.end()
    assert capsys.readouterr().err == ""
    line({"stage": "compile", "seconds": 1.25})
    line.end()
    assert capsys.readouterr().err == "\r\x1b[Kopweld: f: compile 1.2 s\r\x1b[K"
    assert not making.Progress("f", "auto").active


def notebook(monkeypatch, kernel=True):
    """As where a kernel runs: IPython's shell, of which what is published is kept."""
    published = []

    def publish(data, metadata=None, *, transient=None, update=False):
        published.append((data, transient["display_id"], update))

    shell = SimpleNamespace(kernel=object() if kernel else None, display_pub=SimpleNamespace(publish=publish))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    return published


def test_progress_in_a_notebook(monkeypatch, capsys):
    published = notebook(monkeypatch)
    bar = making.Progress("f<g>", "auto")
    bar({"stage": "render", "seconds": 0.5})
    assert bar.active and published == []
    bar({"stage": "compile", "seconds": 1.25})
    bar({"stage": "compile", "seconds": 1.5})
    bar.end()
    first, second, last = published
    assert first[0] == {
        "text/plain": "opweld: f<g>: compile 1.2 s",
        "text/html": "<progress></progress> <code>opweld: f&lt;g&gt;: compile 1.2 s</code>",
    }
    assert "1.5 s" in second[0]["text/html"] and last[0] == {"text/plain": "", "text/html": ""}
    assert [update for _, _, update in published] == [False, True, True] and len({at for _, at, _ in published}) == 1
    assert capsys.readouterr().err == ""
    assert not making.Progress("f", "off").active
    assert notebook(monkeypatch, kernel=False) == [] and not making.Progress("f", "auto").active


def test_progress_of_a_build_in_a_notebook(monkeypatch, tmp_path):
    """A real one, whose compiler takes a while."""
    slow = tmp_path / "gcc"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *-shared*) sleep 1.5;; esac\nexec {shutil.which("gcc")} "$@"\n')
    slow.chmod(0o755)
    published = notebook(monkeypatch)
    x = tensor.dvector("x")
    options = {"cc": str(slow), "compiledir": str(tmp_path / "cache"), "progress": "auto"}
    assert opweld.function([x], x * 3 + 11, options=options)([1.0]).tolist() == [14]
    assert "f: compile" in published[0][0]["text/plain"] and published[-1][0]["text/plain"] == ""


def test_a_type_of_ones_own_over_generic():
    """A c_extract that knows no check_input, a filter that takes no options, and the extract_out made of both."""

    class Number(type(generic)):
        def filter(self, value):
            return float(value)

        def c_declare(self, name, sub):
            return f"double {name};"

        def c_init(self, name, sub):
            return f"{name} = 0;"

        def c_extract(self, name, sub, **kwargs):
            return f"{name} = PyFloat_AsDouble(py_{name}); if (PyErr_Occurred()) {{ {sub['fail']} }}"

        def c_sync(self, name, sub):
            return f"Py_XDECREF(py_{name}); py_{name} = PyFloat_FromDouble({name}); if (!py_{name}) {sub['fail']}"

        def c_cleanup(self, name, sub):
            return ""

    number = Number()
    a, b = number("a"), number("b")
    f = opweld.function([a, b], c_op("%(o0)s = %(i0)s * %(i1)s;")(a, b))
    assert f(2, b="3") == 6.0
    assert message(ValueError, f, "q", 1) == "f() argument 'a': could not convert string to float: 'q'"
    out = number.c_extract_out("V", {"fail": "F"})
    assert out.startswith("if (py_V == Py_None) {\nV = 0;\n} else {\nV = PyFloat_AsDouble(py_V);")


def test_modes():
    assert opweld.function([x], twice(x), mode="FAST_RUN")(A).tolist() == [0, 2, 4]
    assert message(ValueError, opweld.function, [x], x, mode="FAST") == (
        "no mode 'FAST'; known are 'FAST_RUN', 'FAST_COMPILE', 'DebugMode'"
    )


def test_a_damaged_module_is_built_anew(own_cache):
    first = opweld.function([x], twice(twice(twice(x))))
    builder._loaded.clear()
    again = opweld.function([x], twice(twice(twice(x))))
    assert (first.maker.built.hit, again.maker.built.hit) == (False, True)
    path = again.maker.built.path
    os.rename(path, path + ".away")  # the mapped file stays as it is
    with open(path, "wb") as file:
        file.write(b"no module")
    builder._loaded.clear()
    f = opweld.function([x], twice(twice(twice(x))))
    assert f(A).tolist() == [0, 8, 16]


def test_refcounts_stay():
    g = generic("g")
    c = tensor.as_tensor_variable([1.0, 2.0])
    f = opweld.function([x, g], [twice(x), twice_python(twice(x)), x, c, g])
    thing, out = Exception("thing"), np.empty(3)
    held = [A, thing, out, c.data]

    def run():
        f(A, thing, out=[out, None, None, None, None])
        f([1, 2], thing)
        for bad in ((A, thing, 1), ("a", thing), (A,)):
            with pytest.raises(TypeError):
                f(*bad)

    for _ in range(5):
        run()
    gc.collect()
    counts = [sys.getrefcount(v) for v in held]
    grown = kit.left_over(run, 300, 30)
    assert [sys.getrefcount(v) for v in held] == counts
    assert grown < 30


def test_a_second_process_loads_no_engine_and_starts_none(tmp_path):
    script = tmp_path / "second.py"
    script.write_text(
        "import os, sys\n"
        "os.fork = os.posix_spawn = None\n"
        "import numpy\n"
        "before = set(sys.modules)\n"
        "import opweld\n"
        "x = opweld.tensor.dvector('x')\n"
        "f = opweld.function([x], x)\n"
        "assert f([1.0]).tolist() == [1.0]\n"
        "heavy = {'subprocess', 'dataclasses', 'pathlib', 'logging', 'sysconfig', 'hashlib', 'tempfile', 'difflib',\n"
        "         'configparser', 'opweld._engine', 'opweld.engine'}\n"
        "print(f.maker.built.hit, sorted((set(sys.modules) - before) & heavy))\n"
    )
    env = {**os.environ, "OPWELD_FLAGS": f"compiledir={opweld.config.compiledir}"}
    del env["OPWELDRC"]  # reading it needs configparser
    env["PYTHONPATH"] = os.pathsep.join([os.path.dirname(os.path.dirname(opweld.__file__)), env.get("PYTHONPATH", "")])
    runs = [subprocess.run([sys.executable, script], env=env, capture_output=True, text=True) for _ in range(2)]
    assert runs[1].stdout.strip() == "True []", runs[1].stderr
