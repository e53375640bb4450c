"""What the library rewrites of tensors: every value stays as it is, NaN, infinities and the sign of zero among them."""

import re
from pathlib import Path

import numpy as np
import pytest
from kit import INTEGERS, calls

import opweld
from opweld import FunctionGraph, tensor
from opweld.compile.ops import DeepCopyOp
from opweld.rewriting import STAGES, registry, rewrite_graph
from opweld.rewriting.stages import copy_and_merge
from opweld.scalar import Cast, Identity
from opweld.tensor import Elemwise, TensorType

FLOATS, SIGNED, UNSIGNED = ("float16", "float32", "float64", "longdouble"), ("int8", "int64"), ("uint8", "uint64")
COMPLEX = ("complex64", "clongdouble")
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -7.25, np.inf, -np.inf, np.nan]
identity = Elemwise(Identity())


def values(dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return np.array([True, False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, info.max, info.min, info.max - 1], dtype)
    if kind == "f":
        return np.array([*SPECIAL, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    found = np.empty((len(SPECIAL), len(SPECIAL)), dtype)
    found.real, found.imag = np.array(SPECIAL)[:, None], np.array(SPECIAL)
    return found.ravel()


def number(value, dtype):
    return tensor.as_tensor_variable(np.array(value, dtype))


def same(one, other):
    """Bit by bit, but for what NaNs carry."""
    one, other = np.asarray(one), np.asarray(other)
    np.testing.assert_array_equal(one, other, strict=True)
    if one.dtype.kind in "fc":
        for part in ("real", "imag"):
            a, b = getattr(one, part), getattr(other, part)
            zero = a == 0
            np.testing.assert_array_equal(np.signbit(a[zero]), np.signbit(b[zero]))


def elementwise(f):
    return [node.op for node in f.maker.fgraph.toposort() if isinstance(node.op, Elemwise)]


def left(output):
    """How many elementwise nodes a chain of them has."""
    count = 0
    while output.owner is not None:
        count += isinstance(output.owner.op, Elemwise)
        output = max(output.owner.inputs, key=lambda v: v.owner is not None)
    return count


def check(inputs, outputs, expected):
    """Each output is computed by as many elementwise nodes as said, and is what it is without rewriting."""
    f = opweld.function(inputs, list(outputs.values()))
    assert dict(zip(outputs, map(left, f.maker.fgraph.outputs))) == dict.fromkeys(outputs, expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opweld.config, "optimizer", "merge")
        plain = opweld.function(inputs, list(outputs.values()))
    given = [values(x.type.dtype) for x in inputs]
    with np.errstate(all="ignore"):
        for one, other in zip(f(*given), plain(*given)):
            same(one, other)


def cases(table, dtype):
    return {name: make for name, make, dtypes in table if dtype in dtypes}


GOES = [
    ("multiply by 1", lambda x, one, zero: x * one, (*FLOATS, *SIGNED, *UNSIGNED, "bool")),
    ("1 multiplied", lambda x, one, zero: one * x, (*FLOATS, *SIGNED, *UNSIGNED, "bool")),
    ("divide by 1", lambda x, one, zero: x / one, FLOATS),
    ("subtract 0", lambda x, one, zero: x - zero, (*FLOATS, *SIGNED, *UNSIGNED)),
    ("add 0", lambda x, one, zero: x + zero, (*SIGNED, *UNSIGNED, "bool")),
    ("to the power of 1", lambda x, one, zero: x**one, (*FLOATS, *SIGNED, *UNSIGNED)),
    ("or 0", lambda x, one, zero: zero | x, (*SIGNED, *UNSIGNED, "bool")),
    ("xor 0", lambda x, one, zero: x ^ zero, (*SIGNED, *UNSIGNED, "bool")),
    ("and all", lambda x, one, zero: x & number(-1, x.dtype), SIGNED),
    ("shift by 0", lambda x, one, zero: (x << zero) >> zero, (*SIGNED, *UNSIGNED)),
    ("minus minus", lambda x, one, zero: tensor.neg(-x), (*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX)),
    ("~(~x)", lambda x, one, zero: ~(~x), (*SIGNED, *UNSIGNED, "bool")),
    ("not not", lambda x, one, zero: tensor.logical_not(tensor.logical_not(x)), ("bool",)),
    ("conj conj", lambda x, one, zero: tensor.conj(tensor.conj(x)), COMPLEX),
    ("a copy", lambda x, one, zero: identity(identity(x)), (*FLOATS, *COMPLEX, "bool")),
    ("a cast to what it is", lambda x, one, zero: Elemwise(Cast(x.dtype))(x), (*FLOATS, *SIGNED, *COMPLEX)),
    ("where True", lambda x, one, zero: tensor.where(number(True, "bool"), x, one), (*FLOATS, *SIGNED, *COMPLEX)),
    ("where False", lambda x, one, zero: tensor.where(number(0, "int8"), zero, x), (*FLOATS, *SIGNED)),
]


@pytest.mark.parametrize("dtype", [*FLOATS, *SIGNED, *UNSIGNED, *COMPLEX, "bool"])
def test_what_changes_nothing_goes(dtype):
    x = TensorType(dtype, (None,))("x")
    outputs = {n: make(x, number(1, dtype), number(0, dtype)) for n, make in cases(GOES, dtype).items()}
    assert {out.type.dtype for out in outputs.values()} == {dtype}
    check([x], outputs, 0)


STAYS = [
    ("add 0", lambda x: x + number(0, x.dtype), (*FLOATS, *COMPLEX)),
    ("add 0 of an integer", lambda x: x + number(0, "int8"), ("float32",)),
    ("subtract -0", lambda x: x - number(-0.0, x.dtype), FLOATS),
    ("multiply by 1", lambda x: x * number(1, x.dtype), COMPLEX),
    ("multiply by 2", lambda x: x * number(2, x.dtype), FLOATS),
    ("multiply by a wider 1", lambda x: x * number(1, "float64"), ("float32", "int8")),
    ("divide by 1", lambda x: x / number(1, x.dtype), ("int8", "complex64")),
    ("from 0", lambda x: number(0, x.dtype) - x, FLOATS),
    ("1 divided", lambda x: number(1, x.dtype) / x, FLOATS),
    ("1 to the power", lambda x: number(1, x.dtype) ** x, FLOATS),
    ("not of numbers", lambda x: tensor.logical_not(x), ("float64", "int8")),
    ("two dimensions for one", lambda x: x * tensor.as_tensor_variable(np.ones((1, 1), x.dtype)), FLOATS),
]


@pytest.mark.parametrize("dtype", [*FLOATS, "int8", *COMPLEX])
def test_what_changes_something_stays(dtype):
    x = TensorType(dtype, (None,))("x")
    check([x], {name: make(x) for name, make in cases(STAYS, dtype).items()}, 1)


def test_what_is_enlarged_stays():
    x, ones = tensor.dvector("x"), tensor.as_tensor_variable(np.ones(3))
    f = opweld.function([x], x * ones)
    assert len(elementwise(f)) == 1 and f([2.0]).tolist() == [2.0] * 3
    y = tensor.dvector("y")
    f = opweld.function([x, y], tensor.where(number(True, "bool"), x, y))
    assert len(elementwise(f)) == 1
    with pytest.raises(ValueError, match="broadcast"):
        f([1.0, 2.0], [1.0, 2.0, 3.0])
    one, other = TensorType("float64", (3,))("one"), TensorType("float64", (3,))("other")
    f = opweld.function([one, other], tensor.where(number(True, "bool"), one, other), on_unused_input="ignore")
    assert not elementwise(f) and f([1.0, 2, 3], [4.0, 5, 6]).tolist() == [1, 2, 3]


CASTS = {
    0: ["uint8 int16 uint8", "float16 float64 float16", "bool int8 bool"],
    1: [
        "int8 int32 int64", "int32 float64 longdouble", "float32 float64 float16", "float32 complex64 float64",
        "float32 complex64 complex128", "bool int8 float32", "float64 complex128 bool",
    ],
    2: [  # of -1e9 to int8 by way of float64 nothing is defined
        "int64 int8 int64", "int32 float64 int8", "int64 float64 longdouble", "int64 float32 float64",
        "float32 float16 float64", "complex64 float32 float64", "int8 bool int8",
    ],
}  # fmt: skip


@pytest.mark.parametrize("count", CASTS)
def test_casts(count):
    inputs, outputs = [], {}
    for chain in CASTS[count]:
        first, *others = chain.split()
        out = TensorType(first, (None,))()
        inputs.append(out)
        for dtype in others:
            out = Elemwise(Cast(dtype))(out)
        outputs[chain] = out
    check(inputs, outputs, count)


@pytest.mark.parametrize("dtype", [*FLOATS, *SIGNED, *UNSIGNED])
def test_square(dtype):
    x = TensorType(dtype, (None,))("x")
    f = opweld.function([x], x ** number(2, dtype))
    assert [str(op.scalar_op) for op in elementwise(f)] == ["square"]
    given = values(dtype)
    with np.errstate(all="ignore"):
        same(f(given), given**2)


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_whole_powers_of_integers(dtype):
    """They wrap as NumPy's do; longer products are left to the function that counts its squares."""
    x = TensorType(dtype, (None,))("x")
    given = values(dtype)
    for exponent in range(3, 10):
        f = opweld.function([x], x ** number(exponent, dtype))
        ops = [str(op.scalar_op) for op in elementwise(f)]
        assert ("power" in ops) == (exponent == 9) and len(ops) <= 4, ops
        same(f(given), given ** np.dtype(dtype).type(exponent))
    for exponent in (0, 1):
        same(opweld.function([x], x ** number(exponent, dtype))(given), given ** np.dtype(dtype).type(exponent))


def test_powers_that_are_no_square():
    x = tensor.zvector("x")
    for out in (x ** number(2, "complex128"), tensor.dvector("x") ** number(3, "float64")):
        variable = next(v for v in out.owner.inputs if v.name == "x")
        assert [str(op.scalar_op) for op in elementwise(opweld.function([variable], out))] == ["power"]


@pytest.mark.parametrize("dtype", FLOATS)
def test_quotients_by_powers_of_two(dtype):
    x = TensorType(dtype, (None,))("x")
    divisors = [np.ldexp(np.ones((), dtype), exponent) for exponent in (1, 2, 5, np.finfo(dtype).maxexp - 2)]
    given = values(dtype)
    given = np.concatenate([given, np.nextafter(np.zeros(4, dtype), np.array([1, -1, 1, -1], dtype)) * [1, 1, 3, 5]])
    given = given.astype(dtype)
    for divisor in [*divisors, *(-divisor for divisor in divisors)]:
        f = opweld.function([x], x / number(divisor, dtype))
        assert [str(op.scalar_op) for op in elementwise(f)] == ["multiply"]
        with np.errstate(all="ignore"):
            same(f(given), given / divisor)
    for divisor in (3, 0.5, -0.25, 0, np.inf, np.nan, np.ldexp(np.ones(1, dtype)[0], np.finfo(dtype).maxexp - 1)):
        f = opweld.function([x], x / number(divisor, dtype))
        assert [str(op.scalar_op) for op in elementwise(f)] == ["divide"], divisor
    for out in (number(2, dtype) / x, x / np.array([2, 4, 8], dtype)):
        assert [str(op.scalar_op) for op in elementwise(opweld.function([x], out))] == ["divide"]


def test_quotients_of_other_dtypes_are_left():
    z, i = tensor.zvector("z"), tensor.ivector("i")
    for variable in (z, i):
        f = opweld.function([variable], variable / 2)
        assert "divide" in [str(op.scalar_op) for op in elementwise(f)]


def test_what_somebody_writes_over_stays_a_copy():
    from opweld import Apply, Op

    class Over(Op):
        __props__ = ()
        destroy_map = {0: [0]}

        def make_node(self, x):
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            inputs[0][...] = 5
            output_storage[0][0] = inputs[0]

    x = tensor.dvector("x")
    for out in (identity(x), tensor.neg(-x), x * number(1, "float64"), Elemwise(Cast("float64"))(x)):
        given = np.arange(3.0)
        assert opweld.function([x], Over()(out))(given).tolist() == [5] * 3 and given.tolist() == [0, 1, 2]


def test_equal_results_are_copies():
    x = tensor.dvector("x")
    f = opweld.function([x], [x * number(1, "float64"), tensor.neg(-x)])
    assert [type(node.op) for node in f.maker.fgraph.toposort()] == [DeepCopyOp, DeepCopyOp]


def test_shapes_without_values():
    x = tensor.dmatrix("x")
    f = opweld.function([x], tensor.exp(x * 2.0).T.shape)
    assert not elementwise(f) and f(np.zeros((2, 3))).tolist() == [3, 2]


def test_views():
    x = tensor.dmatrix("x")
    for out in (x.T.T, x[:], x[:, :], x.dimshuffle(0, 1)):
        f = opweld.function([x], out)
        assert [type(node.op) for node in f.maker.fgraph.toposort()] == [DeepCopyOp]
        same(f(np.arange(6.0).reshape(2, 3)), np.arange(6.0).reshape(2, 3))
    f = opweld.function([x], x.dimshuffle(1, "x", 0).dimshuffle(0, 2))
    assert len(f.maker.fgraph.toposort()) == 2 and f([[1.0, 2.0]]).tolist() == [[1.0], [2.0]]


def test_parts_of_shapes():
    x = tensor.dmatrix("x")
    rows, columns, both, last = x.shape[0], x.shape[-1], x.shape[::-1], x.shape[1:]
    f = opweld.function([x], [rows, columns, both, last])
    kinds = [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    assert sorted(kinds) == ["MakeVector", "MakeVector", "Shape_i", "Shape_i"]
    assert [np.asarray(r).tolist() for r in f(np.zeros((2, 3)))] == [2, 3, [3, 2], [3]]


STEPS = [
    lambda a, b: a + b,
    lambda a, b: a * b,
    lambda a, b: a * 1.0,
    lambda a, b: tensor.neg(tensor.neg(a)),
    lambda a, b: tensor.sqrt(a * a),
    lambda a, b: a.T,
    lambda a, b: a[::-1],
    lambda a, b: a[:],
    lambda a, b: tensor.set_subtensor(a[0], 1.5),
    lambda a, b: tensor.inc_subtensor(a[:2], a[1:]),
    lambda a, b: a**2,
    lambda a, b: tensor.where(a > b, a, b),
    lambda a, b: tensor.maximum(a, 2.0) - 0.0,
]


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed):
    """Rewritten or not: the same values, the same each time, and the arguments stay as they are."""
    random = np.random.default_rng(seed)
    inputs = [tensor.dvector("x"), tensor.dvector("y"), tensor.dmatrix("m")]
    pool = list(inputs)
    while len(pool) < 28:
        one, other = (pool[int(i)] for i in random.integers(len(pool), size=2))
        if one.ndim < other.ndim:
            one, other = other, one
        pool.append(STEPS[int(random.integers(len(STEPS)))](one, other))
    given = [random.normal(size=(3,) * x.ndim) for x in inputs]
    kept = [array.copy() for array in given]
    functions = []
    for optimizer in ("merge", "default"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(opweld.config, "optimizer", optimizer)
            functions.append(opweld.function(inputs, pool[-4:], on_unused_input="ignore"))
    with np.errstate(all="ignore"):
        for one, *others in zip(*[f(*given) for f in (*functions, functions[1])]):
            for other in others:
                same(one, other)
    for array, before in zip(given, kept):
        np.testing.assert_array_equal(array, before)


def test_many_readers_of_one_variable_take_linear_time():
    def work(count):
        x = tensor.dvector("x")
        out = x
        for i in range(count):
            out = tensor.maximum(out, tensor.neg(tensor.neg(x * number(1, "float64"))) + float(i))
        graph = copy_and_merge(FunctionGraph([x], [out]))
        taken = calls(lambda: rewrite_graph(graph, registry.rewrites))
        assert len(graph.apply_nodes) == 2 * count
        return taken

    assert work(1000) < 12 * work(100)


def test_a_thousand_nodes():
    x, y = tensor.dvector("x"), tensor.dvector("y")
    out = x
    for _ in range(200):
        out = tensor.exp(-(out * 2.5 + y)) / 1.5
    graph = copy_and_merge(FunctionGraph([x, y], [out]))
    rewrite_graph(graph, registry.rewrites)
    assert len(graph.apply_nodes) == 1000


# -- docs/rewriting.md ---------------------------------------------------------------------------------------------

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "rewriting.md").read_text("utf-8")


def test_the_page_names_every_rewriter():
    told = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", PAGE, re.MULTILINE)
    library = [(item.name, item.stage) for item in registry.rewrites if item.rewriter.__module__.startswith("opweld.")]
    assert sorted(told) == sorted(library)
    assert [name for name in re.findall(r"^\| `(\w+)` \| [^`|]+ \| FAST", PAGE, re.MULTILINE)] == list(STAGES)


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("first", INTEGERS)
@pytest.mark.parametrize("middle", ["float16", "float32", "float64", "longdouble", "complex64", "complex128"])
@pytest.mark.parametrize("last", ["float32", "longdouble", "complex64", "bool", "int64"])
def test_a_cast_by_way_of_floats_is_left_out_where_it_keeps_every_integer(first, middle, last):
    """Said by the numbers: each float keeps the ends of what it keeps, and the odd number below them."""
    x = TensorType(first, (None,))("x")
    graph = FunctionGraph([x], [tensor.cast(tensor.cast(x, middle), last)], clone=True)
    rewrite_graph(graph, registry.rewrites.including("fast_run"))
    casts = [node for node in graph.toposort() if isinstance(node.op, Elemwise)]
    info = np.iinfo(first)
    ends = np.array([info.min, info.min + 1, info.max - 1, info.max], first)
    with np.errstate(all="ignore"):
        by_way = ends.astype(middle)
    parts = by_way.real if by_way.dtype.kind == "c" else by_way
    kept = bool(np.isfinite(parts).all()) and [int(number) for number in parts] == [int(number) for number in ends]
    if last == "int64":
        kept = False  # what does not fit is undefined on one way
    assert len(casts) == (1 if middle == last or (kept and np.can_cast(first, middle)) else 2)
