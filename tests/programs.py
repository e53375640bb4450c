"""Graphs of every kind, and what Program becomes of each. Not a test: test_same_program.py runs this file.

``python programs.py NAME … [--first MODULE …]`` imports the modules, makes the graphs in the order given, and prints a
line for each: its name, and the hash of Program. Nothing is imported here that a graph does not ask for.
"""

import sys

GRAPHS = {}


def graph(make):
    GRAPHS[make.__name__] = make
    return make


@graph
def arithmetic(T):
    x, y = T.dvector("x"), T.dvector("y")
    return [x, y], [(x * 2 + 1) ** 2 - y / 1.0, T.neg(-x) * 1.0 + 0.0, x**2]


@graph
def sizes(T):
    x, m = T.dvector("x"), T.dmatrix("m")
    return [x, m], [(x + x).shape, m.T.shape[0] + 1, T.exp(m).shape]


@graph
def sizes_first(T):
    x = T.dmatrix("x")
    return [x], [x.shape[1], (x * 2).shape]


@graph
def constants(T):
    x = T.dvector("x")
    return [x], [x + T.as_tensor_variable([1.0, 2.0]) * 3.0, T.exp(T.constant(1.5)) * x]


@graph
def zeros(T):
    n, x = T.lscalar("n"), T.dvector("x")
    return [n, x], [T.zeros((n, 3)) + 1.0, T.ones(4) * x, T.zeros_like(x) + x]


@graph
def views(T):
    x, m = T.dvector("x"), T.dmatrix("m")
    parts = [m.dimshuffle(1, "x", 0)[::2], m.reshape((2, 3))[1], T.broadcast_to(x, (2, 3))]
    return [x, m], [x[:] + 1.0, m.T.T * 2.0, *parts]


@graph
def writing(T):
    x, m = T.dvector("x"), T.dmatrix("m")
    return [x, m], [T.set_subtensor((x * 2.0)[1:], 0.0), T.inc_subtensor(m[0], x), T.exp(m)[T.constant([0, 1])]]


@graph
def casts(T):
    i, f = T.ivector("i"), T.fvector("f")
    return [i, f], [T.cast(T.cast(i, "float64"), "float64"), T.cast(T.cast(f, "float64"), "float32"), i + f]


@graph
def choices(T):
    x, y = T.dvector("x"), T.dvector("y")
    return [x, y], [T.where(True, x, y), T.where(x > y, x, y), T.clip(x, 0.0, 1.0), T.maximum(x, 0.0), ~(~(x > y))]


@graph
def reductions(T):
    m = T.fmatrix("m")
    further = [T.argmax(m, axis=0), T.cumsum(m, axis=1), T.var(m), T.any(m > 1)]
    return [m], [m.sum(), m.mean(axis=0), m.max(axis=1), *further]


@graph
def products(T):
    m, x = T.dmatrix("m"), T.dvector("x")
    return [m, x], [T.dot(m, x), T.outer(x, x), T.tensordot(m, m, axes=1), m @ m.T]


@graph
def putting_together(T):
    x, y = T.dvector("x"), T.dvector("y")
    parts = [*T.split(x, 2), T.repeat(x, 2), T.tile(y, 3), T.sort(x), T.argsort(y)]
    return [x, y], [T.concatenate([x, y]), T.stack([x, x]), *parts]


@graph
def ranges(T):
    n = T.lscalar("n")
    return [n], [T.arange(n), T.linspace(0.0, 1.0, 5), T.eye(3), T.full((2, n), 1.5), T.nonzero(T.arange(n))[0]]


@graph
def several(T):
    x = T.dvector("x")
    return [x], [*T.modf(x), *T.frexp(x), *T.divmod(x, 2.0), T.round(x), T.angle(x), T.isclose(x, x)]


@graph
def equal_parts(T):
    x = T.dvector("x")
    return [x], [T.exp(x * 2.0), T.exp(x * 2.0) + 1.0, T.exp(x * 2.0)]


@graph
def nothing_but_an_input(T):
    x = T.dvector("x")
    return [x], [x]


def _ops():
    from opweld import Apply, COp, Op, scalar

    class Scaled(scalar.UnaryScalarOp):
        __props__ = ("factors", "how")

        def __init__(self, factors, how=None):
            super().__init__(scalar.upgrade_to_float)
            self.factors, self.how = frozenset(factors), how

        def impl(self, x):
            return x * len(self.factors)

        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]} * {len(self.factors)};"

    class Both(COp):
        __props__ = ()

        def make_node(self, x, y):
            return Apply(self, [x, y], [x.type()])

        def c_code(self, node, name, inputs, outputs, sub):
            return f"Py_XDECREF({outputs[0]}); {outputs[0]} = {inputs[0]}; Py_INCREF({outputs[0]});"

        def c_headers(self):
            return {"zeta.h", "alpha.h", "mid.h", "beta.h"}

        def c_support_code(self):
            return ["static int one;", "static int two;"]

    class InPython(Op):
        __props__ = ("names",)

        def __init__(self, names):
            self.names = frozenset(names)

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] + 1.0

    return Scaled, Both, InPython


@graph
def users_ops(T):
    Scaled, Both, InPython = _ops()
    x, y = T.dvector("x"), T.dvector("y")
    words = ["one", "two", "three", "four", "five"]
    scaled = T.Elemwise(Scaled(words, len))
    return [x, y], [Both()(scaled(x), y), InPython(words)(x) * 1.0, scaled(y) + T.Elemwise(Scaled(words, _ops))(x)]


@graph
def rewritten(T):
    """A user's rewriter brings in ops that nothing has asked for before."""
    from opweld import Apply, Op
    from opweld.rewriting import node_rewriter, register_canonicalize, registry

    class Start(Op):
        __props__ = ()

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

    @node_rewriter([Start])
    def begin(fgraph, node):
        (x,) = node.inputs
        return [(T.exp(T.neg(-x) * 1.0) + 1.0) * T.zeros_like(x)[:].reshape(x.shape) ** 2]

    if "begin" in registry.rewrites:
        registry.remove("begin")
    register_canonicalize(begin)
    x = T.dvector("x")
    return [x], [Start()(x)]


@graph
def scalars(T):
    from opweld import scalar

    a, b = scalar.float64("a"), scalar.int32("b")
    return [a, b], [scalar.add(a, b), scalar.exp(a), scalar.multiply(a, 2)]


@graph
def objects(T):
    from opweld import Apply, Op
    from opweld.generic import Generic

    class Pair(Op):
        __props__ = ()

        def make_node(self, x, y):
            return Apply(self, [x, y], [Generic()()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = tuple(inputs)

    a, b = Generic()("a"), Generic()("b")
    return [a, b], [Pair()(a, Pair()(b, a))]


@graph
def shared_values(T):
    import numpy as np

    import opweld

    w, x = opweld.shared(np.zeros(3), name="w"), T.dvector("x")
    return [x, w], [w * x + 0.0, w - 0.1 * x]


def program(name):
    """Program of a graph, made as `opweld.function` makes it."""
    from opweld import tensor
    from opweld.compile.prepare import prepare
    from opweld.compile.program import make_program
    from opweld.rewriting import registry

    inputs, outputs = GRAPHS[name](tensor)
    return make_program(prepare(inputs, outputs, registry.rewrites.including("fast_run"))).bytes


if __name__ == "__main__":
    from hashlib import sha256
    from importlib import import_module

    names, _, modules = " ".join(sys.argv[1:]).partition("--first")
    for module in modules.split():
        import_module(module)
    for name in names.split():
        print(name, sha256(program(name)).hexdigest())
