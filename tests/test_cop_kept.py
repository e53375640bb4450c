"""A short form's function that an earlier process made is bound to its module without a graph, and is what it was."""

from __future__ import annotations

import json

import pytest

START = """
import sys
import numpy as np
import opweld
a = np.linspace(-1.0, 2.0, 12)
scale = opweld.cop("x: T[n], c: T = 2 -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = c * x[i];")
smooth = opweld.cop("x: T[n], a: T -> y: T[n]", '''
    y[0] = x[0];
    for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);''')
double = opweld.cop("x: inout T[n], y: T[n] -> s: float64", '''
    s = 0;
    for (npy_intp i = 0; i < n; i++) { x[i] *= 2; s += x[i] * y[i]; }''')
split = opweld.cop("x: int32[m, n] -> low: int32[n], high: int32[n] = 0", '''
    if (m == 0) fail(IndexError, "%d rows", (int)m);
    for (npy_intp j = 0; j < n; j++) { low[j] = x(0, j); high[j] += x(m - 1, j); }''')
ratio = opweld.cop("x: T[n], y: T[n] -> z: T[n]", "for (npy_intp i = 0; i < n; i++) z[i] = x[i] / y[i];")
def graphs():
    return "opweld.graph.basic" in sys.modules
def tell(*values):
    for value in values:
        print(np.asarray(value).tobytes().hex(), np.asarray(value).dtype, np.asarray(value).shape)
def failing(function, *args, **keywords):
    try:
        function(*args, **keywords)
    except Exception as error:
        print(type(error).__name__, error, *getattr(error, "__notes__", ()))
"""

# What needs no graph; the second process is to have none.
WITHOUT = {
    "arrays and numbers": "tell(smooth(a, 0.5), smooth(a.astype('f4'), np.float32(0.5)), smooth([1, 2.5], 0.5))",
    "defaults and names": "tell(scale(a), scale(c=3, x=a), scale(np.arange(4)))",
    "strided, of another byte order": "tell(smooth(a[::-2], 0.5), scale(a.astype('>f8')))",
    "out": "o = np.empty(12)\nr = scale(a, out=o)\ntell(o)\nprint(r is o)",
    "several outputs": "m = np.arange(12, dtype='i4').reshape(3, 4)\nx, y = split(m)\ntell(x, y, *split(m.T))",
    "what is changed": "b = a.copy()\ntell(double(b, a), b, double(b, b), b)",
    "no elements": "tell(scale(np.empty(0)), smooth(np.ones(1), 1))",
    "a configuration": "opweld.config.allow_input_downcast = True\ntell(scale(a, 2.5), split(a.reshape(3, 4)))",
    "another configuration": "opweld.config.cflags = '-O1'\nopweld.config.threads = 1\ntell(scale(a))",
    "C that fails": "failing(split, np.empty((0, 3), 'i4'))\ntell(*split(np.ones((1, 3), 'i4')))",
}
# What is said with the help of a graph, which is made for it.
WITH = {
    "arguments that do not fit": (
        "failing(smooth, a)\nfailing(smooth, a, a)\nfailing(smooth, a.reshape(3, 4), 1)\n"
        "failing(split, a.reshape(3, 4))\n"
        "failing(scale, 'text')\nfailing(scale, np.array([None]))\nfailing(double, [1.0], a)\n"
        "failing(scale, a, out=np.empty(12, 'f4'))\nfailing(scale, a, out=np.empty(3).reshape(3, 1))\n"
        "frozen = a.copy()\nfrozen.flags.writeable = False\nfailing(double, frozen, a)"
    ),
    "what is shown": (
        "scale(a)\nprint(scale, scale.__doc__, scale.op, len(scale.source()) > 1000)\n"
        "import inspect\nprint(inspect.signature(scale))\n(f,) = scale.form._functions.values()\n"
        "print(f.maker.fgraph.toposort(), f.maker.nodes(), f.name, f.__name__, f.__doc__, inspect.signature(f))\n"
        "print(opweld.fusion(f), sorted(f.maker.program.sources), f.get_shared(), f.maker.recipe.inputs)"
    ),
    "copies": (
        "import pickle\nscale(a)\n(f,) = scale.form._functions.values()\n"
        "tell(f.copy()(a, 2.0), pickle.loads(pickle.dumps(f))(a, 2.0), pickle.loads(pickle.dumps(scale))(a))"
    ),
    "nodes": (
        "import opweld.tensor as T\nv = T.dvector('v')\ntell(smooth(a, 0.5))\n"
        "tell(opweld.function([v], smooth(T.exp(v), 0.5).sum())(a), smooth(a, 0.5), scale(a))"
    ),
    "floating point": (
        "import warnings\nz = np.zeros(3)\n"
        "with warnings.catch_warnings(record=True) as said:\n    warnings.simplefilter('always')\n"
        "    tell(ratio(z + 1, z + 2), ratio(z, z), ratio(z + 1, z))\n"
        "    exp = opweld.cop('x: T[n] -> y: T[n]', 'for (npy_intp i = 0; i < n; i++) y[i] = x[i] * x[i];')\n"
        "    with np.errstate(over='raise'):\n        failing(exp, z + 1e300)\n"
        "print([(str(one.message), one.category.__name__) for one in said])"
    ),
}


@pytest.fixture
def run(told):
    """``run(text)``: what a process says that runs it after `START`, and whether it has loaded graphs."""
    return lambda text, start=START, **env: told(f"{start}\n{text}", "graphs()", **env)


@pytest.mark.parametrize("what", WITHOUT)
def test_a_second_process_makes_no_graph(run, what):
    first, graphs = run(WITHOUT[what])
    assert graphs and first
    assert run(WITHOUT[what]) == (first, False)


@pytest.mark.parametrize("what", WITH)
def test_what_a_graph_says_is_said_all_the_same(run, what):
    first, _ = run(WITH[what])
    assert first
    assert run(WITH[what])[0] == first


def test_what_the_compiler_and_the_lint_say_is_said_once(run):
    """Each process is told, and by a function that is remembered as by one that is made."""
    text = """
import faulthandler, warnings
faulthandler.enable()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    opweld.config.lint = "warn"
    odd = opweld.cop("x: T[n] -> y: T[n]", "int k = x[0] > 0 & 1 == 2; for (int i = 0; i < n; i++) y[i] = k + x[i];")
    tell(odd(a))
print([(one.category.__name__, str(one.message)) for one in said])
"""
    first, _ = run(text)
    assert "CompileWarning" in first[-1] and "LintWarning" in first[-1]
    assert run(text)[0] == first


NOT_KEPT = {
    "a profile": "opweld.config.profile = True\ntell(scale(a))\n"
    "(f,) = scale.form._functions.values()\nprint(f.profile.calls)",
    "an account": "opweld.config.account = True\ntell(scale(a))",
    "apart": "opweld.config.isolate = True\ntell(scale(a))",
    "another mode": "opweld.config.mode = 'DebugMode'\nimport warnings\n"
    "warnings.simplefilter('ignore')\ntell(scale(a))",
    "a callback": (
        "like = 'f: function, a: float64 -> float64'\n"
        "f = opweld.wrap('double twice(double (*f)(double), double a)', signature=like, "
        "support='static double twice(double (*f)(double), double a) { return f(f(a)); }')\n"
        "square = opweld.cop('v: float64 -> w: float64', 'w = v * v;').capsule('double square(double v)')\n"
        "tell(f(square, 3.0))"
    ),
}


@pytest.mark.parametrize("what", NOT_KEPT)
def test_what_is_made_otherwise_is_made_so_again(run, what):
    tell = "tell(scale(a))"  # the same short form, as it is made ordinarily, is there
    run(tell)
    first, _ = run(NOT_KEPT[what])
    assert run(NOT_KEPT[what]) == (first, True)


def test_one_is_not_taken_for_another(run):
    """All in one cache, each beside what it would be mistaken for."""
    body = "for (npy_intp i = 0; i < n; i++) y[i] = x[i] * K;"
    forms = [
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, support='#define K 2\\n')",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, support='#define K 3\\n')",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=4'])",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=5'])",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=5'], name='other')",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=5'], lang='c++')",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=5'], check=True)",
        f"opweld.cop('x: T[n] -> y: T[n]', {body!r}, args=['-DK=5'], nogil=True)",
        f"opweld.cop('x: T[n] -> y: float32[n]', {body!r}, args=['-DK=5'])",
        f"opweld.cop('x: T[n] -> y: T[n]', {'n = n; ' + body!r}, args=['-DK=0.5'])",
    ]
    values = ["a", "a.astype('f4')", "np.arange(3, dtype='i8')"]
    text = "\n".join(
        [f"f = {form}\ntell({', '.join([f'f({value})' for value in values])})\nprint(f)" for form in forms[:-1]]
    )
    first, _ = run(text)
    assert len(set(first)) >= 17
    assert run(text) == (first, False)


def test_a_class_that_was_changed_is_not_remembered(run):
    """Neither is what it makes found later by who has not changed it, nor the other way round."""
    changed = (
        "from opweld.cops.op import Cop\nold = Cop.c_code\n"
        "Cop.c_code = lambda self, *args: '/* mine */' + old(self, *args)\n"
        "tell(scale(a))\nprint('/* mine */' in scale.source())"
    )
    plain = "tell(scale(a))\nprint('/* mine */' in scale.source())"
    assert run(changed)[0][-1] == "True"
    assert run(plain)[0][-1] == "False"
    assert run(changed)[0][-1] == "True"
    assert run(plain)[0][-1] == "False"


def test_who_watches_functions_is_given_them(run):
    text = (
        "from opweld.compile import recipe\nseen = []\nrecipe.watch = lambda f: seen.append(f) or f\n"
        "scale(a)\nprint(len(seen))"
    )
    assert run("tell(scale(a))")[1]
    assert run(text)[0] == ["1"]


def test_a_header_that_changed_is_seen(run, tmp_path):
    header = tmp_path / "k.h"
    text = f"""
f = opweld.cop("x: T[n] -> y: T[n]", "for (npy_intp i = 0; i < n; i++) y[i] = K * x[i];", headers=["k.h"],
               header_dirs=[{json.dumps(str(tmp_path))}])
tell(f(a))"""
    header.write_text("#define K 2\n")
    first = run(text)[0]
    assert run(text) == (first, False)
    header.write_text("#define K 30\n")
    assert run(text)[0] != first
