"""Modes of one's own, and options: where each is taken from and what it changes."""

import os
import pickle
import shlex
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import modes
from opweld.compile.builder import Setup
from opweld.compile.debugmode import DebugMode
from opweld.config import KEY, NEITHER, OPTIONS, PROGRAM, Options, config
from opweld.graph.basic import Constant
from opweld.rewriting import RewriteSet, registry

x, y = T.dvector("x"), T.dvector("y")


class Interpreted:
    """Runs each node by its `perform`."""

    rewrites = None

    def __init__(self):
        self.ran = []

    def link(self, graph):
        nodes = graph.toposort()

        def run(*values):
            known = dict(zip(graph.inputs, values))

            def value(variable):
                return variable.data if isinstance(variable, Constant) else known[variable]

            for node in nodes:
                cells = [[None] for _ in node.outputs]
                node.op.perform(node, [value(v) for v in node.inputs], cells)
                known.update(zip(node.outputs, [cell[0] for cell in cells]))
                self.ran.append(str(node.op))
            return [known[output] for output in graph.outputs]

        return run


class Counting(modes.Compiled):
    """C, with its calls counted."""

    def __init__(self):
        super().__init__("fast_run")
        self.calls = 0

    def link(self, graph, options=None, name=None):
        run = super().link(graph, options, name).ready()

        def counted(*values):
            self.calls += 1
            return run(*values)

        counted.source = run.source
        return counted


def test_a_mode_that_interprets():
    mode = Interpreted()
    f = opweld.function([x, y], [x + y, T.exp(x)], mode=mode, name="both")
    total, power = f([1.0, 2.0], y=[3.0, 4.0])
    assert total.tolist() == [4.0, 6.0] and np.array_equal(power, np.exp([1.0, 2.0]))
    assert len(mode.ran) == 2
    assert isinstance(f, opweld.Function) and f.maker.name == "both"
    with pytest.raises(TypeError, match=r"both\(\) argument 'x': expected float64 of"):
        f("no", [1.0])
    with pytest.raises(TypeError, match=r"both\(\) missing"):
        f([1.0])
    out = np.empty(2)
    assert f([1.0, 2.0], [0.0, 0.0], out=[out, None])[0] is not None


def test_a_mode_that_interprets_updates_and_reads_what_is_shared():
    total = opweld.shared(np.zeros(2), name="total")
    mode = Interpreted()
    f = opweld.function([x], total * 2, updates=[(total, total + x)], mode=mode)
    assert [f([1.0, 2.0]).tolist(), f([1.0, 2.0]).tolist()] == [[0.0, 0.0], [2.0, 4.0]]
    assert total.get_value().tolist() == [2.0, 4.0] and f.get_shared() == [total]


def test_a_mode_round_c():
    mode = Counting()
    f = opweld.function([x], x * 2, mode=mode, name="twice")
    assert f([1.0]).tolist() == [2.0] and f(x=[2.0]).tolist() == [4.0]
    assert mode.calls == 2
    assert "opw" in opweld.source(f)
    again = f.copy(name="again")
    assert again([3.0]).tolist() == [6.0] and mode.calls == 3


def test_what_link_may_ask_for():
    seen = {}

    class Curious:
        rewrites = registry.rewrites.including("fast_run")
        options = {"cflags": "-O1"}

        def link(self, graph, name, options, replaced):
            seen.update(name=name, options=options, replaced=replaced, graph=graph)
            return modes.FAST_RUN.link(graph, options)

    z = T.exp(T.log(x)) * 1.0
    f = opweld.function([x], z, mode=Curious(), name="curious")
    assert f([2.0]).tolist() == pytest.approx([2.0])
    assert seen["name"] == "curious" and seen["options"].cflags == "-O1"
    why, before, after = seen["replaced"][-1]
    assert (why, before, after) == ("merging and rewriting", z, seen["graph"].outputs[0])
    assert f.maker.fgraph is seen["graph"]
    assert opweld.function([x], z, mode=Curious(), options={"cflags": "-O0"}) and seen["options"].cflags == "-O0"


def test_which_rewriters_run_is_the_modes():
    class Bare:
        rewrites = RewriteSet()
        link = staticmethod(modes.FAST_RUN.link)

    z = T.exp(T.log(x)) + 0

    def inplace(mode):
        return sum(bool(node.op.destroy_map) for node in opweld.function([x], z, mode=mode).maker.fgraph.apply_nodes)

    assert inplace(Bare()) == 0 < inplace("FAST_RUN")
    with pytest.raises(TypeError, match=r"rewrites must be an opweld.rewriting.RewriteSet or None, got"):
        opweld.function([x], z, mode=type("Wrong", (Bare,), {"rewrites": ["fast_run"]})())


def test_what_is_no_mode():
    for wrong in ("FAST", 3, object()):
        with pytest.raises(ValueError, match=r"^no mode .*; known are 'FAST_RUN', 'FAST_COMPILE', 'DebugMode'"):
            opweld.function([x], x * 2, mode=wrong)

    class Links(Interpreted):
        def __init__(self, made):
            self.made = made

        def link(self, graph):
            return self.made

    with pytest.raises(TypeError, match="link must give a callable of the values of the graph's inputs, got 3"):
        opweld.function([x], x * 2, mode=Links(3))
    for given in ([1, 2], 3.0, np.ones(1)):
        f = opweld.function([x], x * 2, mode=Links(lambda value, given=given: given))
        with pytest.raises(TypeError, match="must give a list of 1, a value for each output of the graph, got"):
            f([1.0])
    f = opweld.function([x], x * 2, mode=Links(lambda value: ["text"]))
    with pytest.raises(TypeError, match=r"what the mode has linked: perform's output_storage\[0\]\[0\]: expected fl"):
        f([1.0])
    with pytest.raises(
        opweld.ConfigError, match="no option 'speed' of a function; there are account, allow_input_downcast, "
    ):
        modes.Compiled("fast_run", options={"speed": 3})


def test_a_class_of_modes_stands_for_what_it_makes():
    assert opweld.function([x], x * 2, mode=DebugMode)([1.0]).tolist() == [2.0]
    assert opweld.function([x], x * 2, mode=Interpreted)([1.0]).tolist() == [2.0]


def test_a_function_of_a_mode_is_pickled_as_what_it_was_made_of():
    f = opweld.function([x], x * 2, mode=modes.Compiled("fast_run", options={"cflags": "-O1"}))
    again = pickle.loads(pickle.dumps(f))
    assert again([1.0]).tolist() == [2.0] and again.maker.built is f.maker.built
    g = opweld.function([x], x * 2, options={"cflags": "-O1"})
    assert pickle.loads(pickle.dumps(g)).maker.built is f.maker.built


def test_keyword_then_mode_then_configuration(monkeypatch):
    monkeypatch.setattr(config, "cflags", "-O1")
    monkeypatch.setattr(config, "compile_seconds", 100.0)
    found = Options({"cflags": "-O3"}, {"cflags": "-O2", "lock_seconds": "7"})
    assert (found.cflags, found.lock_seconds, found.compile_seconds) == ("-O3", 7.0, 100.0)
    assert Options({}, {"cflags": "-O2"}).cflags == "-O2" and Options().cflags == "-O1"
    monkeypatch.setattr(config, "cflags", "-O0")
    assert found.compile_seconds == 100.0 and Options().cflags == "-O0"
    assert found != Options() and Options() == Options() and hash(Options()) == hash(Options())
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(AttributeError, match="options do not change: cflags"):
        found.cflags = "-O0"
    with pytest.raises(AttributeError, match="no option 'speed'; there are "):
        found.speed  # noqa: B018
    with pytest.raises(opweld.ConfigError, match="expected a number of seconds, 0 or more, got 'soon'"):
        Options({"lock_seconds": "soon"})
    with pytest.raises(opweld.ConfigError, match="no option 'floatX' of a function"):
        opweld.function([x], x * 2, options={"floatX": "float32"})
    with pytest.raises(TypeError, match="options must be a dict of settings to values, got"):
        opweld.function([x], x * 2, options="-O1")


OTHER = {
    "account": True, "allow_input_downcast": True, "cc": "/nowhere/gcc", "cflags": "-O1 -ffast-math",
    "cmodule__remove_gxx_opt": True,
    "compile_memory": 4096.0, "compile_seconds": 100.0, "compiledir": "", "compiledir_owners": "root",
    "conventions": "theano", "cxx": "/nowhere/g++", "cxxflags": "-O0 -fsanitize=undefined",
    "fastmath": True, "faults": True, "fuse": False,
    "gcc__cxxflags": "-g1", "march": "baseline", "profile": True,
    "isolate": True, "isolate_seconds": 99.0, "lint": "warn", "lock_seconds": 1.0,
    "on_unused_input": "ignore", "optimizer": "None", "progress": "on", "sanitize": "address",
    "threads": len(os.sched_getaffinity(0)),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("lang", ["c", "c++"])
def test_each_option_counts_where_it_says(name, lang):
    class Half(opweld.COp):
        __props__ = ()
        c_lang = lang

        def make_node(self, a):
            return opweld.Apply(self, [a], [a.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({inputs[0]});"

    z = Half()(T.exp(T.log(x)))
    plain = opweld.function([x], z)
    other = Options({name: OTHER[name]})
    assert OPTIONS[name] in (PROGRAM, KEY, NEITHER)
    chosen = modes.rewrites_of(modes.FAST_RUN, other.optimizer)
    same_graph = chosen == modes.rewrites_of(modes.FAST_RUN, Options().optimizer)
    assert same_graph == (OPTIONS[name] != PROGRAM or name == "conventions")  # that one is in outputs
    index = Setup(plain.maker.program, Options()).index() == Setup(plain.maker.program, other).index()
    unused = {"c": ("cxx", "cxxflags"), "c++": ("cc", "cflags")}[lang]
    assert index == (OPTIONS[name] != KEY or name in unused)


@pytest.mark.parametrize("flags", ["-O0", "-O2 -ffinite-math-only", "-O1 -fsanitize=undefined"])
def test_levels_fast_maths_and_sanitizers_change_no_byte_of_program(flags):
    plain = opweld.function([x], T.exp(x) + 1)
    other = opweld.function([x], T.exp(x) + 1, options={"cflags": flags})
    assert plain.maker.program.bytes == other.maker.program.bytes
    assert plain.maker.built.key != other.maker.built.key
    assert np.allclose(other([1.0, 2.0]), plain([1.0, 2.0]))


def test_debug_modes_nodes_are_compiled_with_the_functions_options(monkeypatch):
    from opweld.compile import builder

    seen = []
    build = builder.build
    monkeypatch.setattr(builder, "build", lambda *given, **how: seen.append(given[1].cflags) or build(*given, **how))
    opweld.function([x], T.exp(x), mode="DebugMode", options={"cflags": "-O1"})
    assert seen == ["-O1", "-O1"]


def test_an_option_may_bring_numpys_headers():
    """A unit of loops alone reads none of them and says itself what it needs; they may lie before it."""
    headers = Path(sysconfig.get_paths()["include"], "Python.h"), Path(np.get_include(), "numpy", "arrayobject.h")
    flags = " ".join([f"-include {shlex.quote(str(path))}" for path in headers])
    assert opweld.function([x], x * 3.25 + 1, options={"cflags": flags})([1.0, 2.0]).tolist() == [4.25, 7.5]
