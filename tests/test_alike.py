"""Ops and types that are equal, and are not the same: where one would stand for the other, what differs is said."""

import pickle
import threading
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import opweld
from opweld import Apply, Constant, COp, CType, FunctionGraph, Op, scalar, tensor
from opweld.compile.program import make_program
from opweld.generic import Generic
from opweld.graph.alike import differences, same_value
from opweld.params import ParamsType
from opweld.rewriting import node_rewriter
from opweld.rewriting.stages import copy_and_merge

x, y = tensor.dvector("x"), tensor.dvector("y")


class InC(COp):
    """`n` times the input, in C; which attributes it has besides, the tests say."""

    __props__ = ()

    def __init__(self, n=1, **more):
        self.n = n
        self.__dict__.update(more)

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def factor(self):
        return self.n

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
            Py_XSETREF({z}, (PyArrayObject *)PyArray_NewCopy({x}, NPY_CORDER));
            if ({z} == NULL) {sub["fail"]}
            for (npy_intp i = 0; i < PyArray_SIZE({z}); i++) ((double *)PyArray_DATA({z}))[i] *= {self.factor()};
        """

    def c_code_cache_version(self):
        return (1,)


class InPython(Op):
    """`n` times the input, in Python."""

    __props__ = ()

    def __init__(self, n=1, **more):
        self.n = n
        self.__dict__.update(more)

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def factor(self):
        return self.n

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * self.factor()


class Times(scalar.UnaryScalarOp):
    """`n` times a number."""

    __props__ = ()

    def __init__(self, n=1):
        super().__init__(scalar.upgrade_to_float)
        self.n = n

    def impl(self, x):
        return x * self.n

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} * {self.n};"


class OnlyImpl(Times):
    c_code = None


def by(cls, *props):
    return type(cls.__name__, (cls,), {"__props__": props})


def merged(*outputs, inputs=(x, y)):
    return copy_and_merge(FunctionGraph(inputs, outputs))


def results(*outputs):
    return [np.asarray(r).tolist() for r in opweld.function([x], list(outputs))([2.0])]


def refused(*outputs, function=opweld.function):
    with pytest.raises(TypeError) as caught:
        function([x, y], list(outputs), on_unused_input="ignore")
    return str(caught.value)


# -- what is refused ---------------------------------------------------------------------------------------------


def test_the_message():
    assert refused(InC(1)(x), InC(100)(x)) == (
        "InC: two of these are equal, by __props__ = (), so that one stands for the other; but attribute 'n' differs: "
        "1 and 100, and c_code depends on it; add 'n', or what it is made of, to those of InC"
    )
    assert refused(InPython(1)(x), InPython(100)(x)) == (
        "InPython: two of these are equal, by __props__ = (), so that one stands for the other; but attribute 'n' "
        "differs: 1 and 100, and perform depends on it; add 'n', or what it is made of, to those of InPython"
    )


@pytest.mark.parametrize("other", [x, y], ids=["merged", "one kernel"])
@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda n: tensor.Elemwise(Times(n)), id="Elemwise"),
        pytest.param(lambda n: tensor.CAReduce(Sum(n)), id="CAReduce"),
    ],
)
def test_scalar_ops_inside(make, other):
    message = refused(make(1)(x), make(100)(other))
    assert "but attribute 'scalar_op.n' differs: 1 and 100, and c_code depends on it; add 'n', or what " in message
    assert message.endswith((" to those of Times", " to those of Sum"))


class Sum(scalar.BinaryScalarOp):
    """``x + n * y``."""

    __props__ = ()
    identity = 0

    def __init__(self, n=1):
        super().__init__(scalar.upcast_out)
        self.n = n

    def impl(self, x, y):
        return x + y * self.n

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {inputs[0]} + {self.n} * {inputs[1]};"


def test_ops_that_share_nothing_need_not_agree():
    """Each node of an op with C of its own is asked; only the same node twice is one."""
    f = opweld.function([x, y], [InC(1)(x), InC(100)(y), InPython(1)(x), InPython(100)(y)])
    assert [r.tolist() for r in f([2.0], [2.0])] == [[2.0], [200.0], [2.0], [200.0]]


class WithEq(InC):
    __props__ = None

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return 7


class Slotted(Op):
    __slots__ = ("n",)
    __props__ = ()

    def __init__(self, n):
        self.n = n

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * self.n


class ByParams(InC):
    params_type = ParamsType(n=scalar.float64)

    def c_code(self, node, name, inputs, outputs, sub):
        self.params = sub["params"]
        return super().c_code(node, name, inputs, outputs, sub)

    def factor(self):
        return f"{self.params}->n"


class ByMap(InC):
    def __init__(self, destroys):
        super().__init__()
        self.destroy_map = {0: [0]} if destroys else {}


class InAnother(Op):
    """Calls another op."""

    __props__ = ("op",)

    def __init__(self, n):
        self.op = InPython(n)

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        self.op.perform(node, inputs, output_storage)
        output_storage[0][0] = output_storage[0][0] + self.op.n


def times(op, value):
    return value * op.n


class ByHelper(InPython):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = times(self, inputs[0])


class ByGetattr(InPython):
    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * getattr(self, "n")  # noqa: B009


class ByProperty(InPython):
    @property
    def double(self):
        return self.n * 2

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] * self.double


class ByName(InC):
    def c_support_code_apply(self, node, name):
        return f"static const double f_{name} = {self.n};"

    def factor(self):
        return 1


class ByBuild(ByName):
    c_support_code_apply = COp.c_support_code_apply

    def c_compile_args(self):
        return [f"-DFACTOR={self.n}"]


class ByVersion(ByBuild):
    c_compile_args = COp.c_compile_args

    def c_code_cache_version(self):
        return (self.n,)


@pytest.mark.parametrize(
    ("make", "hook"),
    [
        (WithEq, "c_code"),
        (Slotted, "perform"),
        (ByParams, "get_params"),
        (lambda n: ByMap(n == 100), "destroy_map"),
        (InAnother, "perform"),
        (ByHelper, "perform"),
        (ByGetattr, "perform"),
        (ByProperty, "perform"),
        (ByName, "c_support_code_apply"),
        (ByBuild, "what it asks of the build"),
        (ByVersion, "c_code_cache_version"),
        (lambda n: InC(f"{n}.5"), "c_code"),
        (lambda n: InC([n]), "c_code"),
        (lambda n: InPython((n, "a")[0:1] * n), "perform"),
        (lambda n: InPython(np.float32(n)), "perform"),
        (lambda n: tensor.Elemwise(OnlyImpl(n)), "perform"),
        (lambda n: InC(type("Inner", (InC,), {"__str__": lambda self: str(self.n)})(n)), "c_code"),
    ],
)
def test_what_makes_a_difference(make, hook):
    message = refused(make(1)(x), make(100)(x))
    assert f", and {hook} depends on it; " in message and " differs: " in message


def test_functions_that_differ():
    class Applies(InPython):
        def perform(self, node, inputs, output_storage):
            output_storage[0][0] = self.n(inputs[0])

    def by_factor(k):
        return lambda v: v * k

    assert "attribute 'n' differs: <function" in refused(Applies(lambda v: v + 1)(x), Applies(lambda v: v * 2)(x))
    assert "attribute 'n' differs" in refused(Applies(by_factor(2))(x), Applies(by_factor(3))(x))
    assert "attribute 'n' differs: <ufunc 'sin'> and <ufunc 'cos'>" in refused(Applies(np.sin)(x), Applies(np.cos)(x))
    assert len(merged(Applies(by_factor(2))(x), Applies(by_factor(2))(x)).apply_nodes) == 1


def test_several_attributes():
    class Sums(InC):
        def factor(self):
            return f"({self.n} + {self.m})"

    message = refused(Sums(1, m=2, other=5)(x), Sums(3, m=4, other=6)(x))
    assert "but attribute 'n' differs, and so does 'm': 1 and 3, and c_code depends on it" in message
    assert "'other'" not in message


def test_classes_that_are_equal():
    class One(WithEq):
        def __eq__(self, other):
            return isinstance(other, WithEq)

        __hash__ = WithEq.__hash__

    class Two(One):
        def factor(self):
            return 50

    message = refused(One(1)(x), Two(1)(x))
    assert "but its class differs: " in message and "let __eq__ and __hash__ of One tell them apart" in message


def test_found_after_rewriting_too(own):
    own.canonicalize(node_rewriter([InPython])(lambda node: [InC(node.op.n)(node.inputs[0])]), name="to_c")
    first = by(InPython, "n")
    assert "InC: two of these are equal" in refused(first(1)(x), first(100)(x), function=own.function)


# -- props that are equal and not the same -------------------------------------------------------------------------


@pytest.mark.parametrize("base", [InC, InPython])
def test_props_that_are_not_the_same_are_not_merged(base):
    op = by(base, "n")
    found = results(op(0.0)(x), op(-0.0)(x), op(0.0)(x))
    assert [str(r) for r in found] == ["[0.0]", "[-0.0]", "[0.0]"]
    times = by(Times, "n")
    found = results(tensor.Elemwise(times(0.0))(x), tensor.Elemwise(times(-0.0))(x))
    assert [str(r) for r in found] == ["[0.0]", "[-0.0]"]


def test_props_of_other_classes():
    class Divides(InC):
        __props__ = ("n",)

        def factor(self):
            return f"(double)(1 / {self.n})"

    assert results(Divides(2)(x), Divides(2.0)(x)) == [[0.0], [1.0]]
    assert len(merged(by(InC, "n")(2)(x), by(InC, "n")(2)(x)).apply_nodes) == 2  # two classes
    op = by(InC, "n")
    assert len(merged(op(2)(x), op(2)(x)).apply_nodes) == 1
    assert len(merged(op(True)(x), op(1)(x)).apply_nodes) == 2  # writes True and 1


# -- what may differ -------------------------------------------------------------------------------------------------


class Counts(InPython):
    def perform(self, node, inputs, output_storage):
        self.calls = self.calls + 1
        if self.name and self.seen is not None:
            self.seen[self.calls] = inputs
        self.log.append(self.calls)
        output_storage[0][0] = inputs[0] * 2.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (InC(2, cache={1: 2}), InC(2, cache={})),
        (InC(2, made_at=1.5), InC(2)),
        (InC(2, lock=threading.Lock()), InC(2, lock=threading.Lock())),
        (InC(2, key=lambda v: v), InC(2, key=lambda v: -v)),
        (InC(2, table=np.zeros(3)), InC(2, table=np.ones(4))),
        (InC(2, name="one"), InC(2, name="two")),
        (InC(2), InC(2, _bodies={}, _hash=5)),
        (Counts(calls=0, name="one", seen={}, log=[]), Counts(calls=7, name="two", seen={3: 4}, log=[1])),
        (InPython(2.0, seen=object()), InPython(2.0, seen=object())),
        (InPython(2.0, unread=5), InPython(2.0, unread=6)),
        (InPython(2.0, name="one"), InPython(2.0, name="two")),
    ],
)
def test_attributes_that_may_differ(one, other):
    assert len(merged(one(x), other(x)).apply_nodes) == 1
    assert results(one(x), other(x)) == [[4.0], [4.0]]


def test_an_attribute_that_leads_back():
    one, other = InC(2), InC(2)
    one.mine, other.mine = one, other
    one.hook, other.hook = one.factor, other.factor
    one.listed, other.listed = [one], [other]
    assert differences(one, other) == [] and len(merged(one(x), other(x)).apply_nodes) == 1


def test_ops_that_nobody_runs():
    """A rewriter puts something in their place."""

    class Placeholder(Op):
        __props__ = ()

        def __init__(self, n):
            self.n = n

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

    assert len(merged(Placeholder(1)(x), Placeholder(2)(x)).apply_nodes) == 1
    op = by(Placeholder, "n")
    assert len(merged(op(1)(x), op(1.0)(x)).apply_nodes) == 2


def test_copies_and_pickles_are_the_same():
    op = by(InC, "n")(2)
    globals()["InC_"] = type(op)
    type(op).__qualname__ = type(op).__name__ = "InC_"
    again = pickle.loads(pickle.dumps(op))
    assert again is not op and len(merged(op(x), again(x)).apply_nodes) == 1
    z = tensor.exp(x * 2.0)
    opweld.function([x], z)  # ops keep what they find out
    again_x, again_z = pickle.loads(pickle.dumps((x, z)))
    both = FunctionGraph([x], [z, tensor.exp(x * 2.0)])
    assert len(copy_and_merge(both).apply_nodes) == 2
    assert len(FunctionGraph([again_x], [again_z]).apply_nodes) == 2


def test_hooks_are_asked_again_only_where_something_differs():
    asked = Counter()

    class Asked(InC):
        def c_code(self, *args):
            asked[self.label] += 1
            return super().c_code(*args)

    one, other = Asked(2, label="a"), Asked(2, label="a")
    make_program(merged(one(x), other(x), Asked(2, label="a")(x)))
    assert asked == {"a": 1}
    other.label = "b"
    make_program(merged(one(x), other(x)))
    assert asked == {"a": 3, "b": 1}


def test_a_scalar_op_that_was_changed_is_asked_again():
    op = Times(3)
    assert results(tensor.Elemwise(op)(x)) == [[6.0]]
    op.n = 5
    assert results(tensor.Elemwise(op)(x)) == [[10.0]]


# -- types -----------------------------------------------------------------------------------------------------------


class Kind(CType):
    """A double; `n` is in its C."""

    __props__ = ()

    def __init__(self, n=1, label=None):
        self.n = n
        self.label = label

    def filter(self, value, strict=False, allow_downcast=None):
        return float(value)

    def c_declare(self, name, sub, check_input=True):
        return f"double {name};"

    def c_init(self, name, sub):
        return f"{name} = 0;"

    def c_extract(self, name, sub, check_input=True):
        return f"{name} = {self.n} * PyFloat_AsDouble(py_{name});\nif (PyErr_Occurred()) {sub['fail']}"

    def c_sync(self, name, sub):
        return f"Py_XSETREF(py_{name}, PyFloat_FromDouble({name}));\nif (py_{name} == NULL) {sub['fail']}"

    def c_code_cache_version(self):
        return (1,)


class KindByEq(Kind):
    __props__ = None

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return 5


class Add(COp):
    __props__ = ()

    def make_node(self, *inputs):
        return Apply(self, inputs, [inputs[0].type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"{outputs[0]} = {' + '.join(inputs)};"

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("kind", [Kind, KindByEq])
def test_types_that_are_equal_and_differ(kind):
    one, other = kind(1)("one"), kind(100)("other")
    with pytest.raises(TypeError) as caught:
        opweld.function([one, other], Add()(one, other))
    assert "but attribute 'n' differs: 1 and 100, and c_extract depends on it" in str(caught.value)
    one, other = kind(1, "one")("one"), kind(1, "other")("other")
    assert opweld.function([one, other], Add()(one, other))(1, 2) == 3.0


def test_types_with_props_that_are_not_the_same():
    kind = by(Kind, "n")
    one, other = kind(1)("one"), kind(1.5 - 0.5)("other")
    f = opweld.function([one, other], Add()(one, other))
    assert f(1, 2) == 3.0 and len(f.maker.program.data["types"]) >= 2


def test_constants_of_types_that_differ():
    given = Kind(1)("given")
    with pytest.raises(TypeError, match="but attribute 'n' differs: 1 and 100, and c_extract depends on it"):
        opweld.function([given], Add()(given, Constant(Kind(1), 2.0), Constant(Kind(100), 2.0)))


def test_outputs_of_types_that_differ():
    class Makes(Add):
        def make_node(self, x, n=1):
            return Apply(self, [x], [Kind(n)()])

    given, op = Kind(1)("given"), Makes()
    with pytest.raises(TypeError, match=r"Kind: two of these are equal, by .* 'n' differs: 1 and 100, and c_extract"):
        merged(op(given), op(given, n=100), inputs=[given])


# -- the comparison itself -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1, True),
        (1, True, False),
        (1, 1.0, False),
        (0.0, -0.0, False),
        (float("nan"), float("nan"), True),
        (complex(0, -0.0), complex(0, 0.0), False),
        ((1, (2.0, "a")), (1, (2.0, "a")), True),
        ((1, (2.0, "a")), (1, (2, "a")), False),
        ([1], (1,), False),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False),
        (frozenset("ab"), frozenset("ba"), True),
        (np.zeros(2), np.zeros(2), True),
        (np.zeros(2), np.zeros(3), False),
        (np.zeros(2), np.array([0.0, -0.0]), False),
        (np.zeros(2), np.zeros(2, "f4"), False),
        (np.float32(1), np.float64(1), False),
        (Fraction(1, 2), Fraction(1, 2), True),
        (len, len, True),
        (object(), object(), False),
        (tensor.dvector, tensor.TensorType("float64", (None,)), True),
        (Kind(1), Kind(1), True),
        (Kind(1), Kind(2), False),
        (Generic(), Generic(), True),
        (InC(1).factor, InC(1).factor, True),
    ],
)
def test_same_values(one, other, same):
    assert same_value(one, other) is same


def test_a_value_that_cannot_be_compared():
    class Odd:
        def __eq__(self, other):
            raise RuntimeError

        __hash__ = None

    assert not same_value(Odd(), Odd())
