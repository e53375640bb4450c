"""What a callable can be given: read off its signature, whatever it is wrapped in; hooks are called by it."""

import functools
import gc
import operator
import weakref
from types import MethodType

import numpy as np
import pytest

import opweld
from opweld import Apply, COp, CType, Op, tensor
from opweld.hooks.asking import ABSENT, ask, ask_for_build, origin
from opweld.hooks.fragments import Fragments
from opweld.rewriting import node_rewriter
from opweld.rewriting.basic import Index
from opweld.rewriting.equilibrium import run
from opweld.signatures import code_of, fitting, signature_of

x = tensor.dvector("x")


def plain(node, inputs, storage):
    """Of three."""


def open_wrapper(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def by_place(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def with_self(function):
    @functools.wraps(function)
    def wrapper(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    return wrapper


class Decorator:
    """A decorator that is an object, and binds as functions do."""

    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __get__(self, owner, cls=None):
        return self if owner is None else MethodType(self, owner)


WRAPPERS = [
    pytest.param(lambda f: f, id="bare"),
    pytest.param(open_wrapper, id="wraps"),
    pytest.param(lambda f: open_wrapper(open_wrapper(f)), id="wraps twice"),
    pytest.param(by_place, id="by place only"),
    pytest.param(with_self, id="self by name"),
    pytest.param(Decorator, id="object"),
    pytest.param(functools.lru_cache, id="lru_cache"),
    pytest.param(functools.partialmethod, id="partialmethod"),
    pytest.param(lambda f: functools.partialmethod(Decorator(f)), id="partialmethod of an object"),
    pytest.param(lambda f: staticmethod(functools.partial(f, None)), id="staticmethod of a partial"),
    pytest.param(lambda f: functools.partialmethod(open_wrapper(f)), id="partialmethod of a wrapper"),
]


def bound(wrap, function):
    """A function as a method, wrapped, bound to an object."""
    return type("Owner", (), {"hook": wrap(function)})().hook


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_a_method_in_wrappers(wrap):
    def method(self, node, inputs, storage, params=None):
        return None

    found = signature_of(bound(wrap, method))
    assert (found.positional, found.needed, found.many) == (("node", "inputs", "storage", "params"), 3, False)
    assert found.takes(4) and not found.takes(5)


def test_what_a_wrapper_says_itself_counts():
    def method(self, node, inputs, storage, params):
        return None

    @functools.wraps(method)
    def three(self, node, inputs, storage):
        return method(self, node, inputs, storage, None)

    @functools.wraps(plain)
    def four(node, inputs, storage, params):
        return plain(node, inputs, storage)

    assert bound(lambda f: f, three).__func__.__wrapped__ is method
    assert not signature_of(bound(lambda f: f, three)).takes(4)
    assert signature_of(four).takes(4) and signature_of(four).needed == 4


@pytest.mark.parametrize(
    ("function", "positional", "needed", "many", "named"),
    [
        (plain, ("node", "inputs", "storage"), 3, False, {"node", "inputs", "storage"}),
        (functools.partial(plain, 1), ("inputs", "storage"), 2, False, {"inputs", "storage"}),
        (functools.partial(plain, inputs=1), ("node",), 1, False, {"node", "inputs", "storage"}),
        (lambda a, /, b, *rest, c: None, ("a", "b"), 2, True, {"b", "c"}),
        (lambda *, check_input=True: None, (), 0, False, {"check_input"}),
        (Decorator(plain), ("node", "inputs", "storage"), 3, False, {"node", "inputs", "storage"}),
        (Decorator, ("function",), 1, False, {"function"}),
        (operator.itemgetter(0), None, None, None, None),
        (staticmethod(plain).__func__, ("node", "inputs", "storage"), 3, False, {"node", "inputs", "storage"}),
        (classmethod(plain).__get__(None, int), ("inputs", "storage"), 2, False, {"inputs", "storage"}),
    ],
)
def test_signatures(function, positional, needed, many, named):
    found = signature_of(function)
    if positional is None:
        assert found is None or found.anything or found.takes(1)  # versions differ in what C functions say
        return
    assert (found.positional, found.needed, found.many, found.named) == (positional, needed, many, frozenset(named))
    assert not found.anything


def test_a_signature_that_is_told():
    import inspect

    def made(*args, **kwargs):
        return None

    made.__signature__ = inspect.signature(plain)
    assert signature_of(made).positional == ("node", "inputs", "storage")


def test_wrappers_without_end():
    def first(*args):
        return None

    first.__wrapped__ = first
    assert signature_of(first).many and code_of(first) is first.__code__


def test_what_fits():
    options = {"check_input": False, "c_compiler": None}
    assert fitting(lambda name, sub: None, 2, options) == ([], {})
    assert fitting(lambda name, sub, check_input: None, 2, options) == ([], {"check_input": False})
    assert fitting(lambda name, sub, **kw: None, 2, options) == ([], options)
    assert fitting(lambda name, sub, check_input, /: None, 2, options) == ([False], {})
    assert fitting(by_place(lambda name, sub, check_input: None), 2, options) == ([False], {})
    assert fitting(open_wrapper(lambda name, sub, check_input: None), 2, options) == ([], {"check_input": False})
    assert fitting(lambda name, check_input=True: None, 2, options) == ([], {"check_input": False})
    assert fitting(min, 2, {"key": None}) in (([], {}), ([], {"key": None}))


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_a_hook_of_a_type_in_wrappers(wrap):
    def declare(self, name, sub, check_input):
        return f"int {name}; /* {check_input} */"

    def bare(self, name, sub):
        return f"int {name};"

    for function, text in ((declare, "int V; /* False */"), (bare, "int V;")):
        owner = type("Owner", (), {"c_declare": wrap(function)})()
        sub = "fail"  # hashable: lru_cache wants it
        assert ask(owner, "c_declare", "V", sub, check_input=False) == text
        assert origin(owner, "c_declare") == (__file__, function.__code__.co_firstlineno)


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_hooks_about_the_build_in_wrappers(wrap):
    for function in (
        lambda self: ["a.h"],
        lambda self, c_compiler: ["a.h"],
        lambda self, c_compiler=None: ["a.h"],
        lambda self, whatever: ["a.h"],
        lambda self, **kwargs: ["a.h"],
    ):
        assert ask_for_build(type("Owner", (), {"c_headers": wrap(function)})(), "c_headers") == ["a.h"]


def test_hooks_that_are_static_or_of_the_class():
    class Owner:
        @staticmethod
        def c_headers(c_compiler):
            return ["s.h"]

        @classmethod
        def c_libraries(cls, c_compiler=None):
            return [cls.__name__]

        c_lib_dirs = list

    assert ask_for_build(Owner(), "c_headers") == ["s.h"]
    assert ask_for_build(Owner(), "c_libraries") == ["Owner"]
    assert ask_for_build(Owner(), "c_lib_dirs") == []
    assert ask_for_build(Owner(), "c_compile_args") is ABSENT


class Twice(Op):
    """Two times; its `perform` is put in by the tests."""

    __props__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def make_node(self, x):
        return Apply(self, [x], [x.type()])


@pytest.mark.parametrize("wrap", [w for w in WRAPPERS if w.id != "lru_cache"])  # lists do not hash
def test_perform_in_wrappers(wrap):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    cls = type("Wrapped", (Twice,), {"perform": wrap(perform)})
    assert opweld.function([x], cls("perform")(x))([1.5]).tolist() == [3.0]
    assert opweld.function([x], cls("perform")(x), mode="DebugMode")([1.5]).tolist() == [3.0]


@pytest.mark.parametrize("wrap", [w for w in WRAPPERS if w.id != "lru_cache"])
def test_perform_with_params_in_wrappers(wrap):
    from opweld.params import ParamsType
    from opweld.scalar import int64

    def without(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 3

    def with_params(self, node, inputs, output_storage, params):
        output_storage[0][0] = inputs[0] * params.n

    def with_default(self, node, inputs, output_storage, params=None):
        output_storage[0][0] = inputs[0] * params.n

    for function in (without, with_params, with_default):
        members = {"perform": wrap(function), "params_type": ParamsType(n=int64), "n": 3}
        op = type("WithParams", (Twice,), members)(function.__name__)
        assert opweld.function([x], op(x))([1.5]).tolist() == [4.5]


@pytest.mark.parametrize("wrap", [w for w in WRAPPERS if w.id != "lru_cache"])
def test_infer_shape_in_wrappers(wrap, recwarn):
    def shapes(self, node, input_shapes):
        return [(input_shapes[0][0],)]

    def shapes_of_graph(self, fgraph, node, input_shapes):
        assert node in fgraph
        return [(input_shapes[0][0],)]

    def perform(self, node, inputs, output_storage):
        raise AssertionError("computed for its shape")

    for function in (shapes, shapes_of_graph):
        op = type("Shaped", (Twice,), {"infer_shape": wrap(function), "perform": perform})(function.__name__)
        assert opweld.function([x], op(x).shape[0])([1.0, 2.0]) == 2
    assert not recwarn.list


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_folding_is_asked_in_wrappers(wrap):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * 2

    def asked(self, node):
        return False

    def asked_of_graph(self, fgraph, node):
        return False

    for function in (asked, asked_of_graph):
        members = {"perform": perform, "do_constant_folding": wrap(function)}
        f = opweld.function([], type("Kept", (Twice,), members)(function.__name__)(tensor.constant([1.0])))
        assert [type(node.op).__name__ for node in f.maker.fgraph.toposort()] == ["Kept"]


def test_make_node_in_wrappers():
    class Made(COp):
        @open_wrapper
        def make_node(self, x, y=None):
            return Apply(self, [x], [x.type()])

        @by_place
        def c_code(self, node, name, inputs, outputs, sub):
            return f"{outputs[0]} = {inputs[0]};"

        @functools.lru_cache  # noqa: B019
        def c_code_cache_version_apply(self, node):
            return (1,)

    node = Made()(x).owner
    fields = Fragments().kernel_fields(node, Fragments().code(node, ["V0"], ["V1"], False), ["V0"], ["V1"], False)
    assert fields["code"] == "V1 = V0;" and fields["version"] == "(1,)"


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_filter_in_wrappers(wrap):
    seen = []

    def narrow(self, value):
        seen.append(value)
        return value

    def wide(self, value, strict=False, allow_downcast=None):
        seen.append((value, strict))
        return value

    from opweld.signatures import filter_of

    for function in (narrow, wide):
        type_ = type("Kind", (CType,), {"filter": wrap(function), "__props__": ()})()
        assert filter_of(type_, strict=True)(5) == 5
    assert seen == [5, (5, True)]


@pytest.mark.parametrize("wrap", [open_wrapper, by_place, Decorator, functools.lru_cache, functools.partial])
def test_rewriters_in_wrappers(wrap):
    def of_node(node):
        return [node.inputs[0]]

    def of_graph(fgraph, node):
        assert node in fgraph
        return [node.inputs[0]]

    for function in (of_node, of_graph):
        rewriter = node_rewriter([Twice])(wrap(function))
        graph = opweld.FunctionGraph([x], [Twice("r")(x)], clone=True)
        assert run(graph, Index([("r", rewriter)]), "specialize") and graph.outputs == [x]


# -- what a hook says by an exception ------------------------------------------------------------------------------


class Unwritten(opweld.MethodNotDefined):
    pass


class Mine(NotImplementedError):
    pass


class Copies(COp):
    """Copies, in C and in Python; one of its hooks raises what the tests say."""

    __props__ = ("kind",)

    def __init__(self, kind):
        self.kind = kind

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0].copy()

    def infer_shape(self, node, shapes):
        return shapes

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER)); if ({z} == NULL) {sub['fail']}"

    def c_code_cache_version(self):
        return (1,)


def raising(hook, err):
    def method(self, *args, **kwargs):
        raise err

    return type("Copies", (Copies,), {hook: method})(f"{hook} {err!r}")


HOOKS = (
    "c_code", "c_code_cleanup", "c_support_code", "c_support_code_apply", "c_init_code", "c_init_code_apply",
    "c_headers", "c_compile_args", "c_no_compile_args", "c_libraries", "c_lib_dirs", "c_header_dirs", "c_compiler",
    "c_code_cache_version", "c_code_cache_version_apply", "c_support_code_struct",
)  # fmt: skip


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_raises_an_error_of_its_authors(hook):
    for err in (Mine("mine"), AttributeError("mine"), TypeError("mine")):
        with pytest.raises(type(err), match="mine"):
            opweld.function([x], raising(hook, err)(x))


@pytest.mark.parametrize("err", [NotImplementedError(), NotImplementedError("not yet"), Unwritten("not yet")])
def test_a_hook_that_says_it_is_not_written(err):
    f = opweld.function([x], raising("c_code", err)(x))
    assert f([1.5]).tolist() == [1.5] and f.maker.program.performs
    f = opweld.function([x], raising("c_headers", err)(x))
    assert f([1.5]).tolist() == [1.5] and not f.maker.program.performs


def test_the_hooks_of_a_type_and_of_a_scalar_op():
    from opweld import scalar

    class Kind(CType):
        def filter(self, value, strict=False, allow_downcast=None):
            return value

        def c_declare(self, name, sub, check_input=True):
            return f"int {name};"

        def c_init(self, name, sub):
            raise Mine("mine")

    class Half(scalar.UnaryScalarOp):
        def impl(self, x):
            return x / 2

        def c_code(self, *args):
            raise Mine("mine")

    given = Kind()("given")
    with pytest.raises(Mine, match="mine"):
        opweld.function([given], given)
    with pytest.raises(Mine, match="mine"):
        opweld.function([x], tensor.Elemwise(Half(scalar.upgrade_to_float))(x))


@pytest.mark.parametrize("err", [NotImplementedError(), Unwritten(), Mine("mine")])
def test_infer_shape_that_raises(err, recwarn):
    f = opweld.function([x], raising("infer_shape", err)(x).shape)
    assert f([1.0, 2.0]).tolist() == [2]
    told = [str(warning.message) for warning in recwarn]
    assert [text.partition(": ")[2] for text in told] == (
        ["infer_shape failed, so the op runs for its shape: mine"] if isinstance(err, Mine) else []
    )


def test_nothing_that_is_read_stays_alive():
    """A function, and what it closes over, goes when its owner goes."""

    class Held:
        pass

    def use():
        held = Held()

        class Owner:
            def c_headers(self, c_compiler=None):
                return [str(held)]

            def c_declare(self, name, sub, check_input=True):
                return repr(held)

        Owner.wrapped = open_wrapper(lambda self, node: held)
        owner = Owner()
        ask(owner, "c_declare", "V", {}, check_input=True)
        ask_for_build(owner, "c_headers")
        signature_of(owner.wrapped), signature_of(functools.partial(owner.wrapped))
        rewriter = node_rewriter([Twice])(lambda node: [] if held is None else None)
        run(opweld.FunctionGraph([x], [Twice("r")(x)], clone=True), Index([("r", rewriter)]), "specialize")
        return weakref.ref(held)

    gone = use()
    gc.collect()
    assert gone() is None


def test_nothing_of_a_function_stays_alive():
    """Ops, types and values of a function go with it; its module may stay, which holds none of them."""

    class Held:
        pass

    def use():
        held = Held()

        class Owned(Twice):
            def perform(self, node, inputs, output_storage):
                output_storage[0][0] = inputs[0] * 2 if held else None

            def infer_shape(self, node, shapes):
                return [shapes[0]] if held else None

        op = Owned("own")
        f = opweld.function([x], [op(x), op(x).shape])
        assert f(np.ones(1))[0].tolist() == [2.0]
        return weakref.ref(held), weakref.ref(op), weakref.ref(Owned)

    gone = use()
    gc.collect()
    assert [reference() for reference in gone] == [None, None, None]
