"""Loops of every form that Program knows: several outputs of several kinds, folds of several accumulators, scans."""

import itertools

import numpy as np
import pytest
from refusals import refuses

import opweld
import opweld.tensor as T
from opweld.graph.basic import Apply
from opweld.graph.op import Op
from opweld.tensor.type import TensorType


class Loop(Op):
    """An op whose work is given as data: the outputs are (dtype, ndim)."""

    __props__ = ("text", "outputs")

    def __init__(self, loop, outputs, lang="c"):
        self.loop, self.outputs, self.text, self.c_lang = loop, tuple(outputs), repr(loop), lang

    def make_node(self, *inputs):
        inputs = [T.as_tensor_variable(x) for x in inputs]
        return Apply(self, inputs, [TensorType(dtype, (None,) * ndim)() for dtype, ndim in self.outputs])

    def structure(self, node):
        return {"loop": self.loop}

    def c_code_cache_version(self):
        return (1,)


def run(loop, outputs, *arrays, **kwargs):
    inputs = [TensorType(a.dtype.name, (None,) * a.ndim)(f"x{i}") for i, a in enumerate(arrays)]
    made = Loop(loop, outputs, **kwargs)(*inputs)
    return opweld.function(inputs, list(made) if isinstance(made, (list, tuple)) else [made])


def binary(op, a, b, dtype):
    return {"op": op, "args": [a, b], "dtype": dtype}


def layouts(a):
    """The same numbers, as they may lie in memory."""
    yield "C", np.ascontiguousarray(a)
    yield "F", np.asfortranarray(a)
    wide = np.zeros([2 * n for n in a.shape], a.dtype)
    wide[tuple([slice(None, None, 2)] * a.ndim)] = a
    yield "strided", wide[tuple([slice(None, None, 2)] * a.ndim)]
    yield "reversed", np.ascontiguousarray(a[::-1])[::-1]
    if a.ndim > 1:
        yield "axes turned", np.ascontiguousarray(np.moveaxis(a, 0, -1)).transpose(a.ndim - 1, *range(a.ndim - 1))


def many(ndim):
    return [axes for n in range(1, ndim + 1) for axes in itertools.combinations(range(ndim), n)]


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(5,), (3, 40), (40, 3), (2, 3, 4), (3, 1, 300), (9, 130, 2)])
@pytest.mark.parametrize("dtype", ["float64", "int64", "float32"])
def test_stores_and_folds_in_one_loop(dtype, shape, keepdims):
    """What is stored of each element, its sum and its largest: one walk through memory."""
    rng = np.random.default_rng(len(shape))
    x = rng.integers(-9, 9, shape).astype(dtype)
    y = rng.integers(-9, 9, shape[-1:]).astype(dtype)
    for axes in many(len(shape)):
        left = len(shape) if keepdims else len(shape) - len(axes)
        loop = {
            "body": [binary("multiply", 0, 1, dtype)], "axes": list(axes), "keepdims": keepdims,
            "folds": [{"op": op, "values": [v], "dtypes": [dtype]} for op, v in (("add", 2), ("maximum", 0))],
            "outputs": [{"fold": 1, "value": 0}, {"value": 2}, {"fold": 0, "value": 0}],
        }  # fmt: skip
        f = run(loop, [(dtype, left), (dtype, len(shape)), (dtype, left)], x, y)
        for name, laid in layouts(x):
            largest, product, total = f(laid, y)
            assert largest.tolist() == x.max(axes, keepdims=keepdims).tolist(), (axes, name)
            assert product.tolist() == (x * y).tolist(), (axes, name)
            assert total.tolist() == (x * y).sum(axes, keepdims=keepdims).tolist(), (axes, name)  # whole numbers: exact


def extreme(dtype, axes):
    """The largest element and where the first of those is."""
    wins = [
        binary("greater", 2, 0, "bool"),  # 4: the other is larger
        binary("equal", 2, 0, "bool"),
        binary("less", 3, 1, "bool"),
        binary("logical_and", 5, 6, "bool"),  # 7: as large, and earlier
        binary("logical_or", 4, 7, "bool"),
        {"op": "where", "args": [8, 2, 0], "dtype": dtype},
        {"op": "where", "args": [8, 3, 1], "dtype": "int64"},
    ]
    fold = {"op": "body", "values": [0, 1], "dtypes": [dtype, "int64"], "body": wins, "results": [9, 10]}
    return {
        "body": [{"op": "index"}], "axes": list(axes), "folds": [fold],
        "outputs": [{"fold": 0, "value": 1}, {"fold": 0, "value": 0}],
    }  # fmt: skip


@pytest.mark.parametrize("shape", [(7,), (4, 50), (50, 4), (3, 4, 5), (2, 300, 3)])
@pytest.mark.parametrize("dtype", ["float64", "int8"])
def test_the_place_of_the_largest(dtype, shape):
    """Two accumulators, and an element's place among those that are folded together, however memory is walked."""
    x = np.random.default_rng(3).integers(-4, 5, shape).astype(dtype)
    for axes in many(len(shape)):
        left = len(shape) - len(axes)
        f = run(extreme(dtype, axes), [("int64", left), (dtype, left)], x)
        want = np.moveaxis(x, axes, range(left, len(shape))).reshape(
            *[n for i, n in enumerate(shape) if i not in axes], -1
        )
        for name, laid in layouts(x):
            place, value = f(laid)
            assert place.tolist() == want.argmax(-1).tolist(), (axes, name)
            assert value.tolist() == want.max(-1).tolist(), (axes, name)


def test_the_place_of_the_largest_of_nothing():
    f = run(extreme("float64", [0]), [("int64", 1), ("float64", 1)], np.zeros((1, 1)))
    refuses(
        lambda: f(np.zeros((0, 3))), ValueError, "zero-size array to reduction operation body which has no identity"
    )
    assert [a.shape for a in f(np.zeros((3, 0)))] == [(0,), (0,)]


def moments(axes, identity):
    """Count, mean, and sum of squared differences from the mean; two sets join by Chan's formula (1979)."""
    one = {"op": "constant", "dtype": "float64", "value": "1.0"}
    none = {"op": "constant", "dtype": "float64", "value": "0.0"}
    f8 = "float64"
    join = [
        binary("add", 0, 3, f8),  # 6: n
        binary("subtract", 4, 1, f8),  # 7: the means' difference
        binary("divide", 3, 6, f8),  # 8
        binary("multiply", 7, 8, f8),
        binary("add", 1, 9, f8),  # 10: mean
        binary("multiply", 7, 7, f8),
        binary("multiply", 0, 8, f8),
        binary("multiply", 11, 12, f8),
        binary("add", 2, 5, f8),
        binary("add", 14, 13, f8),  # 15: squares
    ]
    fold = {"op": "body", "values": [1, 0, 2], "dtypes": [f8] * 3, "body": join, "results": [6, 10, 15]}
    if identity:
        fold["identity"] = ["0.0", "nan", "0.0"]
    return {
        "body": [one, none], "axes": list(axes), "folds": [fold],
        "outputs": [{"fold": 0, "value": 0}, {"fold": 0, "value": 1}, {"fold": 0, "value": 2}],
    }  # fmt: skip


def test_mean_and_variance_in_one_walk():
    x = np.random.default_rng(5).normal(1e3, 1, (30, 200))
    for axes in many(2):
        f = run(moments(axes, False), [("float64", 2 - len(axes))] * 3, x)
        for name, laid in layouts(x):
            n, mean, squares = f(laid)
            np.testing.assert_array_equal(n, np.full(mean.shape, x.size / mean.size), name)
            np.testing.assert_allclose(mean, x.mean(axes), rtol=1e-13, err_msg=name)
            np.testing.assert_allclose(squares / n, x.var(axes), rtol=1e-9, err_msg=name)


def test_several_identities():
    f = run(moments([0], True), [("float64", 1)] * 3, np.zeros((1, 2)))
    n, mean, squares = f(np.zeros((0, 2)))
    assert n.tolist() == [0, 0] and np.isnan(mean).all() and squares.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("op", "whole"), [("add", np.cumsum), ("multiply", np.cumprod), ("maximum", np.maximum.accumulate)]
)
@pytest.mark.parametrize("shape", [(6,), (3, 200), (200, 3), (2, 5, 4), (4, 1, 3)])
def test_scans(op, whole, shape):
    """Each element's accumulator on the way, what is left at the end, and the elements themselves."""
    x = np.random.default_rng(7).integers(-2, 3, shape).astype("float64")
    for axis in range(len(shape)):
        loop = {
            "body": [binary("multiply", 0, 0, "float64")], "axes": [axis],
            "folds": [{"op": op, "values": [0], "dtypes": ["float64"]}],
            "outputs": [{"fold": 0, "value": 0, "scan": True}, {"fold": 0, "value": 0}, {"value": 1}],
        }  # fmt: skip
        f = run(loop, [("float64", len(shape)), ("float64", len(shape) - 1), ("float64", len(shape))], x)
        for name, laid in layouts(x):
            scanned, last, squares = f(laid)
            want = whole(x, axis=axis)
            assert scanned.tolist() == want.tolist(), (axis, name)
            assert last.tolist() == want.take(-1, axis).tolist(), (axis, name)
            assert squares.tolist() == (x * x).tolist(), (axis, name)


def test_scans_of_nothing():
    loop = {
        "body": [], "axes": [0], "folds": [{"op": "maximum", "values": [0], "dtypes": ["float64"]}],
        "outputs": [{"fold": 0, "value": 0, "scan": True}],
    }  # fmt: skip
    f = run(loop, [("float64", 2)], np.zeros((1, 1)))
    assert f(np.zeros((2, 0)))[0].shape == (2, 0)


@pytest.mark.parametrize("out", ["none", "C", "F", "strided", "the input"])
def test_outputs_of_every_kind_into_what_is_given(out):
    x = np.random.default_rng(2).integers(-9, 9, (6, 7)).astype("float64")
    loop = {
        "body": [binary("add", 0, 0, "float64")], "axes": [1],
        "folds": [{"op": "add", "values": [0], "dtypes": ["float64"]}],
        "outputs": [{"value": 1}, {"fold": 0, "value": 0}, {"fold": 0, "value": 0, "scan": True}],
    }  # fmt: skip
    f = run(loop, [("float64", 2), ("float64", 1), ("float64", 2)], x)
    given = {
        "none": [None, None, None],
        "C": [np.empty((6, 7)), np.empty(6), np.empty((6, 7))],
        "F": [np.empty((6, 7), order="F"), np.empty(6), np.empty((6, 7), order="F")],
        "strided": [np.empty((6, 14))[:, ::2], np.empty(12)[::-2], np.empty((12, 7))[::2]],
    }
    source = x.copy()
    places = [source, np.empty(6), np.empty((6, 7))] if out == "the input" else given[out]
    double, total, so_far = f(source, out=places)
    assert [a is b for a, b in zip((double, total, so_far), places) if b is not None] == [True] * (
        0 if out == "none" else 3
    )
    assert double.tolist() == (x + x).tolist() and total.tolist() == x.sum(1).tolist()
    assert so_far.tolist() == x.cumsum(1).tolist()


CAREFUL = """
if (opw_V0 < 0) {
    PyErr_SetString(PyExc_ArithmeticError, "negative");
    { opw_failure = 1; goto opw_fail; }
}
opw_V1 = opw_V0 + 1;
"""


@pytest.mark.parametrize("lang", ["c", "c++"])
@pytest.mark.parametrize("where", ["body", "fold"])
def test_code_of_a_users_that_fails(lang, where):
    code = {"op": "code", "label": "Careful", "args": [0], "dtypes": ["float64"], "code": CAREFUL}
    fold = {"op": "add", "values": [1], "dtypes": ["float64"]}
    body, want = [code], lambda x: (x + 1).sum(0)
    if where == "fold":
        fold = {"op": "body", "values": [0], "dtypes": ["float64"], "results": [3],
                "body": [binary("add", 0, 1, "float64"), {**code, "args": [2]}]}  # fmt: skip
        body, want = [], lambda x: x.sum(0) + len(x) - 1
    loop = {"body": body, "axes": [0], "folds": [fold], "outputs": [{"fold": 0, "value": 0}]}
    x = np.arange(12.0).reshape(4, 3)
    f = run(loop, [("float64", 1)], x, lang=lang)
    for _name, laid in layouts(x):
        assert f(laid)[0].tolist() == want(x).tolist()
    bad = x.copy()
    bad[2, 1] = -100.0
    refuses(lambda: f(bad), ArithmeticError, "negative")


def test_many_loops_of_every_kind_are_compiled_in_two_parts():
    x = T.dmatrix("x")
    outputs = []
    for n in range(1, 7):
        scale = {"op": "constant", "dtype": "float64", "value": f"{n}.0"}
        loop = {
            "body": [scale, binary("multiply", 0, 1, "float64")], "axes": [0],
            "folds": [{"op": "add", "values": [2], "dtypes": ["float64"]}],
            "outputs": [{"fold": 0, "value": 0}, {"value": 2}],
        }  # fmt: skip
        outputs += Loop(loop, [("float64", 1), ("float64", 2)])(x)
        outputs += [Loop({"body": loop["body"], "outputs": [{"value": 2}]}, [("float64", 2)])(x)]
    f = opweld.function([x], outputs, fuse=False)
    assert "OPW_PART" in opweld.source(f)
    a = np.arange(6.0).reshape(2, 3)
    made = f(a)
    for n in range(1, 7):
        total, scaled, alone = made[3 * n - 3 : 3 * n]
        assert total.tolist() == (n * a).sum(0).tolist() and scaled.tolist() == alone.tolist() == (n * a).tolist()


def test_sums_of_float16_round_once():
    x = np.full((3, 4000), 0.1, "float16")
    loop = {
        "body": [], "axes": [1], "folds": [{"op": "add", "values": [0], "dtypes": ["float16"]}],
        "outputs": [{"fold": 0, "value": 0}],
    }  # fmt: skip
    assert run(loop, [("float16", 1)], x)(x)[0].tolist() == x.sum(1).tolist()


def laid(rng, a):
    """The same numbers, somehow in memory."""
    if a.ndim == 0 or rng.random() < 0.2:
        return a
    order = rng.permutation(a.ndim)
    if rng.random() < 0.4:
        return np.ascontiguousarray(a.transpose(order)).transpose(np.argsort(order))
    wide = np.zeros([2 * n + 1 for n in a.shape], a.dtype)
    part = tuple([slice(1, None, 2)] * a.ndim)
    wide[part] = a
    backwards = tuple([slice(None, None, int(rng.choice([1, -1]))) for _ in a.shape])
    return np.ascontiguousarray(wide[part][backwards])[backwards] if rng.random() < 0.4 else wide[part]


REDUCING = {"add": np.add, "maximum": np.maximum, "minimum": np.minimum, "bitwise_xor": np.bitwise_xor}


@pytest.mark.parametrize("seed", range(24))
def test_any_structure(seed):
    """Inputs that broadcast, some instructions, folds and scans along some axes, outputs of all kinds in some order."""
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    shape = [int(rng.choice([1, 2, 5, 17, 130] if ndim < 3 else [1, 2, 3, 9])) for _ in range(ndim)]
    own = [ndim, *rng.integers(0, ndim + 1, int(rng.integers(0, 3)))]
    sizes = [[n if d == ndim or rng.random() < 0.7 else 1 for n in shape[ndim - d :]] for d in own]
    arrays = [rng.integers(-9, 10, size) for size in sizes]
    values = [np.broadcast_to(a, shape) for a in arrays]
    body = []
    for _ in range(int(rng.integers(0, 3))):
        op, a, b = str(rng.choice(["add", "subtract", "maximum"])), *map(int, rng.integers(len(values), size=2))
        body.append(binary(op, a, b, "int64"))
        values.append(getattr(np, op)(values[a], values[b]))
    scanned, keepdims = rng.random() < 0.3, bool(rng.random() < 0.5)
    axes = tuple(sorted(rng.choice(ndim, 1 if scanned else int(rng.integers(1, ndim + 1)), replace=False).tolist()))
    folds, outputs = [], []
    for i in range(int(rng.integers(1, 4))):
        op, v = str(rng.choice(list(REDUCING))), int(rng.integers(len(values)))
        folds.append({"op": op, "values": [v], "dtypes": ["int64"]})
        if scanned and rng.random() < 0.6:
            outputs.append(({"fold": i, "value": 0, "scan": True}, REDUCING[op].accumulate(values[v], axis=axes[0])))
        else:
            outputs.append(({"fold": i, "value": 0}, REDUCING[op].reduce(values[v], axis=axes, keepdims=keepdims)))
    for v in rng.integers(len(values), size=int(rng.integers(0, 3))).tolist():
        outputs.append(({"value": v}, values[v]))
    outputs = [outputs[i] for i in rng.permutation(len(outputs))]
    want = [np.asarray(w) for _, w in outputs]
    loop = {"body": body, "axes": list(axes), "keepdims": keepdims, "folds": folds, "outputs": [o for o, _ in outputs]}
    f = run(loop, [("int64", w.ndim) for w in want], *arrays)
    for _ in range(4):
        out = [None if rng.random() < 0.5 else laid(rng, np.empty_like(w)) for w in want]
        for got, w in zip(f(*[laid(rng, a) for a in arrays], out=out), want):
            assert got.tolist() == w.tolist()
