"""Shapes, axes, joining, splitting and taking are NumPy's: values, dtypes, shapes, exceptions; and views are views."""

from __future__ import annotations

import functools
import random
import warnings

import kit
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opweld
from opweld import tensor
from opweld.compile.debugmode import DebugMode
from opweld.tensor import TensorType
from opweld.tensor.joining import Join, Stack
from opweld.tensor.manipulation import BroadcastTo, Reshape
from opweld.tensor.permute import DimShuffle
from opweld.tensor.repetition import Repeat
from opweld.tensor.selection import Take
from opweld.tensor.splitting import Split

x, v, n, w = tensor.dmatrix("x"), tensor.dvector("v"), tensor.lscalar("n"), tensor.lvector("w")
MODES = [None, "DebugMode"]
DTYPES = ["float64", "int8", "bool", "complex64", "float16", "longdouble", "uint64"]
A, B = np.arange(6.0).reshape(2, 3), np.arange(24.0).reshape(2, 1, 3, 4)


def outcome(call, *args, **options):
    """What a call gives: arrays, or the class and text of its exception."""
    try:
        found = call(*args, **options)
    except Exception as err:
        return type(err), str(err).split("\n")[0]
    return [np.asarray(one) for one in found] if isinstance(found, (list, tuple)) else [np.asarray(found)]


def same(found, wanted):
    if isinstance(wanted, tuple) or isinstance(found, tuple):
        assert found == wanted
        return
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one, other)


def variable(array, known=False):
    return TensorType(array.dtype, array.shape if known else (None,) * array.ndim)()


# -- every function with every kind of argument ----------------------------------------------------------------------

CALLS = [
    ("reshape", A, ((3, 2),)), ("reshape", A, (6,)), ("reshape", A, ((-1,),)), ("reshape", A, ((2, -1, 1),)),
    ("reshape", A[:, ::2], ((4,),)), ("reshape", A.T, ((2, 3),)), ("reshape", np.array(5.0), ((1, 1),)),
    ("reshape", np.array([7]), ((),)), ("reshape", A[:0], ((0, 5),)), ("reshape", A, ((-2, 3),)),
    ("reshape", A, ((4,),)), ("reshape", A, ((-1, -1),)), ("reshape", A, ((4, -1),)), ("reshape", A, ((0, -1),)),
    ("ravel", B.T, ()), ("ravel", np.array(1), ()),
    ("transpose", B, ()), ("transpose", B, ((3, 0, -2, 1),)), ("transpose", A, ((0, 1),)), ("transpose", A, ((0, 0),)),
    ("transpose", A, ((0, 2),)), ("transpose", A, ((0,),)), ("transpose", np.array(1), ()),
    ("swapaxes", B, (0, -1)), ("swapaxes", A, (0, 2)), ("swapaxes", A, (-3, 0)), ("swapaxes", A, (1, 1)),
    ("moveaxis", B, (0, -1)), ("moveaxis", B, ([0, 1], [-1, 0])), ("moveaxis", A, (0, 5)),
    ("moveaxis", A, ([0, 1], [0, 0])),
    ("moveaxis", A, ([0], [0, 1])), ("moveaxis", A, ([0, 0], [0, 1])),
    ("expand_dims", A, (0,)), ("expand_dims", A, ((0, -1),)), ("expand_dims", A, (5,)), ("expand_dims", A, ((0, 0),)),
    ("squeeze", B, (1,)), ("squeeze", B[:1], ((0, 1),)), ("squeeze", B, (0,)),
    ("squeeze", B, (7,)), ("squeeze", B, ((1, -3),)),
    ("broadcast_to", A, ((4, 2, 3),)), ("broadcast_to", A[:1], ((5, 3),)), ("broadcast_to", np.array(2), (3,)),
    ("broadcast_to", A[:0], ((2, 0, 3),)), ("broadcast_to", A, ((3, 3),)), ("broadcast_to", A, ((3,),)),
    ("broadcast_to", A[0], ((-1, 3),)), ("broadcast_to", A[:, :1], ((2, 0),)), ("broadcast_to", np.array(2), ((),)),
    ("repeat", A, (2,)), ("repeat", A, (2, 1)), ("repeat", A, ([1, 0], 0)), ("repeat", A, ([1, 2, 3], -1)),
    ("repeat", A, ([2], 0)), ("repeat", A, ([1, 2], 1)), ("repeat", A, (-1, 0)), ("repeat", A, (1, 2)),
    ("repeat", np.array(3), (4,)),
    ("tile", A, (2,)), ("tile", A, ((3, 1),)), ("tile", A[0], ((2, 2),)), ("tile", A, ((0, 2),)), ("tile", A, ((),)),
    ("tile", np.array(1), (3,)), ("tile", A, ((2, 1, 2),)),
    ("atleast_1d", np.array(1), ()), ("atleast_2d", A[0], ()), ("atleast_2d", np.array(1), ()), ("atleast_2d", B, ()),
    ("atleast_3d", np.array(1), ()), ("atleast_3d", A[0], ()), ("atleast_3d", A, ()), ("atleast_3d", B, ()),
    ("split", A, (3, 1)), ("split", A, (2,)), ("split", A, (1, -1)), ("split", A, ([1], 1)), ("split", A, ([0, 1, 5],)),
    ("split", A, ([-1, 1], 1)), ("split", A, (2, 1)), ("split", A, (-1,)), ("split", A[:0], (3,)),
    ("take", A, ([0, 5, -1],)), ("take", A, ([[0, 1], [1, -2]], 1)), ("take", A, (1, 0)), ("take", A, ([2], 0)),
    ("take", A, ([2, -9], 0, "wrap")), ("take", A, ([2, -9], 0, "clip")), ("take", A, ([0], 2)), ("take", A, ([0, 9],)),
    ("take", A[:0], ([0], 0)), ("take", A[:0], (np.zeros((0, 2), int), 0)), ("take", A, ([True], 0)),
    ("nonzero", A > 2, ()), ("nonzero", A, ()), ("nonzero", A[:0], ()), ("nonzero", np.array(1), ()),
    ("flatnonzero", A, ()),
]  # fmt: skip
NUMPY = {
    "take": lambda x, i, axis=None, mode="raise": np.take(x, i, axis, mode=mode),
}


@pytest.mark.parametrize("known, mode", [(False, None), (True, None), (False, "DebugMode")])
def test_every_function(known, mode):
    """What NumPy refuses is refused when the graph is made, or in a call."""
    inputs, outputs, values, wanted = [], [], [], []
    for name, array, args in CALLS:
        call = (name, array.shape, args)
        expected = outcome(NUMPY.get(name, getattr(np, name)), array, *args)
        z = variable(array, known)
        try:
            found = getattr(tensor, name)(z, *args)
        except Exception as err:
            assert (type(err), str(err)) == expected, call
            continue
        found = list(found) if isinstance(found, (list, tuple)) else [found]
        if isinstance(expected, tuple):
            assert outcome(opweld.function([z], found), array) == expected, call
            continue
        for one, other in zip(found, expected, strict=True):
            assert all(size in (None, have) for size, have in zip(one.type.shape, other.shape, strict=True)), call
            assert not known or None not in one.type.shape or name in ("nonzero", "flatnonzero", "repeat"), call
        inputs.append(z)
        outputs += found
        values.append(array)
        wanted += expected
    same(opweld.function(inputs, outputs, mode=mode)(*values), wanted)


# -- any values, dtypes and strides -----------------------------------------------------------------------------------


@functools.cache
def shuffled(dtype, ndim, order):
    z = TensorType(dtype, (None,) * ndim)("z")
    return opweld.function([z], DimShuffle(order)(z))


def an_order(turn):
    ndim = turn.randint(1, 5)
    order = turn.sample(range(ndim), turn.randint(0, ndim))
    for _ in range(turn.randint(0, 2)):
        order.insert(turn.randint(0, len(order)), "x")
    return ndim, tuple(order)


ORDERS = [an_order(random.Random(seed)) for seed in range(14)]  # the same in each run: each is compiled once


@settings(deadline=None)
@given(st.data())
def test_dimshuffle(data):
    place = data.draw(st.integers(0, len(ORDERS) - 1))
    (ndim, order), dtype = ORDERS[place], DTYPES[place % len(DTYPES)]
    kept = [i for i in order if i != "x"]
    f = shuffled(dtype, ndim, order)
    for _ in range(3):
        array = data.draw(kit.arrays(dtype, ndim))
        if data.draw(st.booleans()):
            array = array[tuple([slice(None) if i in kept else slice(0, 1) for i in range(ndim)])]
        gone = tuple([i for i in range(ndim) if i not in kept])
        squeezed = outcome(np.squeeze, np.array(array, dtype), gone)
        if isinstance(squeezed, list):
            left = sorted(kept)
            moved = squeezed[0].transpose([left.index(i) for i in kept])
            squeezed = [np.expand_dims(moved, tuple([at for at, i in enumerate(order) if i == "x"]))]
        same(outcome(f, array), squeezed)


@functools.cache
def reshaped(dtype, ndim, count):
    z, sizes = TensorType(dtype, (None,) * ndim)("z"), [tensor.lscalar() for _ in range(count)]
    return opweld.function([z, *sizes], [tensor.reshape(z, sizes), tensor.reshape(z, tensor.stack(sizes))])


@settings(deadline=None)
@given(st.data())
def test_reshape(data):
    ndim, count = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    dtype = DTYPES[(4 * ndim + count) % len(DTYPES)]
    f = reshaped(dtype, ndim, count)
    for _ in range(4):
        array = data.draw(kit.arrays(dtype, ndim))
        sizes, left = [], array.size
        for _ in range(count - 1):
            sizes.append(data.draw(st.sampled_from([d for d in range(1, 5) if left % d == 0] + [-1, 3])))
            left = left // sizes[-1] if sizes[-1] > 0 and left % sizes[-1] == 0 else left
        sizes.append(left)
        found, wanted = outcome(f, array, *sizes), outcome(np.reshape, np.array(array, dtype), sizes)
        same(found, wanted if isinstance(wanted, tuple) else wanted * 2)


@functools.cache
def broadcast(dtype, ndim, count):
    z, sizes = TensorType(dtype, (None,) * ndim)("z"), [tensor.lscalar() for _ in range(count)]
    return opweld.function([z, *sizes], tensor.broadcast_to(z, sizes))


@settings(deadline=None)
@given(st.data())
def test_broadcast_to(data):
    ndim, more = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 1))
    dtype, count = DTYPES[(2 * ndim + more) % len(DTYPES)], ndim + more
    f = broadcast(dtype, ndim, count)
    for _ in range(4):
        array = data.draw(kit.arrays(dtype, ndim))
        likely = [4] * (count - ndim) + [3 if size == 1 else size for size in array.shape]
        sizes = [data.draw(st.sampled_from([size, size, size, size, -1, 2])) for size in likely]
        same(outcome(f, array, *sizes), outcome(np.broadcast_to, np.array(array, dtype), sizes))


@functools.cache
def joined(dtypes, ndim, axis):
    parts = [TensorType(dtype, (None,) * ndim)() for dtype in dtypes]
    return opweld.function(parts, tensor.concatenate(parts, axis)), opweld.function(parts, tensor.stack(parts, axis))


def some_parts(turn):
    ndim = turn.randint(1, 4)
    return tuple(turn.choices([*DTYPES, "float32", "int16"], k=turn.randint(2, 4))), ndim, turn.randrange(-ndim, ndim)


PARTS = [some_parts(random.Random(seed)) for seed in range(12)]


@settings(deadline=None)
@given(st.data())
def test_joining(data):
    dtypes, ndim, axis = data.draw(st.sampled_from(PARTS))
    concatenate, stack = joined(dtypes, ndim, axis)
    shape = data.draw(st.lists(st.integers(0, 3), min_size=ndim, max_size=ndim))
    for uneven in (False, True, False):
        parts = []
        for dtype in dtypes:
            sizes = list(shape)
            if uneven:
                at = data.draw(st.sampled_from([axis % ndim, axis % ndim, axis % ndim, 0]))
                sizes[at] = data.draw(st.integers(0, 3))
            whole = kit.values(dtype, [2 * size for size in sizes], seed=len(parts))
            parts.append(whole[tuple([slice(None, None, data.draw(st.sampled_from([2, -2]))) for _ in sizes])])
        same(outcome(concatenate, *parts), outcome(np.concatenate, parts, axis))
        same(outcome(stack, *parts), outcome(np.stack, parts, axis))


# -- joining and splitting --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, parts, args", [
    ("concatenate", [], ()), ("concatenate", [1, 2], ()), ("concatenate", [A, A[0]], ()), ("concatenate", [A, A], (2,)),
    ("concatenate", [A, A[:, :2]], ()), ("concatenate", [A, A, A[:, :1]], (-2,)), ("stack", [], ()),
    ("stack", [A, A[0]], ()), ("stack", [A, A[:, :2]], ()), ("stack", [A[0], A[0]], (3,)), ("hstack", [A, A[0]], ()),
    ("vstack", [A, A[0, :2]], ()), ("stack", [A], (-4,)),
])  # fmt: skip
@pytest.mark.parametrize("known", [False, True])
def test_what_cannot_be_joined(name, parts, args, known):
    expected = outcome(getattr(np, name), parts, *args)
    arrays = [np.asarray(part) for part in parts]
    variables = [variable(array, known) for array in arrays]
    try:
        made = getattr(tensor, name)(variables, *args)
    except Exception as err:
        assert (type(err), str(err)) == expected
    else:
        assert not known
        assert outcome(opweld.function(variables, made), *arrays) == expected


@pytest.mark.parametrize("mode", MODES)
def test_what_can_be_joined(mode):
    c = TensorType("float32", (None, None))("c")
    cases = [
        ("concatenate", [x, c], (0,)), ("concatenate", [x, c, x], (1,)),
        ("concatenate", [x], ()), ("hstack", [x, c], ()), ("concatenate", [x, [[1, 2, 3]]], ()),
        ("concatenate", [x, c[0]], (None,)),
        ("vstack", [x, c[1]], ()),
        ("hstack", [c[0], x[1]], ()), ("stack", [x, c], (-1,)), ("stack", [x], (1,)),
        ("stack", [x[0, 0], 1, c[1, 1]], ()),
    ]  # fmt: skip
    b = A.astype("f4") * 3
    values = [
        [A, b], [A, b, A], [A], [A, b], [A, [[1, 2, 3]]], [A, b[0]], [A, b[1]], [b[0], A[1]], [A, b], [A],
        [A[0, 0], 1, b[1, 1]],
    ]  # fmt: skip
    f = opweld.function([x, c], [getattr(tensor, name)(parts, *args) for name, parts, args in cases], mode=mode)
    wanted = []
    for (name, _, args), parts in zip(cases, values, strict=True):
        if name == "concatenate" and args == (None,):
            parts, args = [np.ravel(part) for part in parts], ()
        wanted.append(np.asarray(getattr(np, name)(parts, *args)))
    same(f(A, b), wanted)
    same(opweld.function([x, c], tensor.join(1, x, c))(A, b)[None], np.concatenate([A, b], 1)[None])


def test_joining_keeps_its_storage():
    f = opweld.function([x, v], kit.negate(tensor.concatenate([x, x, v[None]])))
    for shape in [(2, 3), (2, 3), (1, 3), (4, 2)]:
        a = kit.values("f8", shape)
        assert f(a, a[0]).tolist() == (-np.concatenate([a, a, a[:1]])).tolist()


@pytest.mark.parametrize("mode", MODES)
def test_pieces_are_views_and_results_are_not(mode):
    pieces = [*tensor.split(x, 3, 1), *tensor.split(x, [n, 2], 1)]
    if mode == "DebugMode":  # one of the ops says where its inputs lie
        mode = DebugMode(storage=False, layouts=False, deterministic=False, unset=False)
    f = opweld.function([x, n], [*pieces, kit.address(x, *pieces[:3])], mode=mode)
    a = np.arange(12.0).reshape(2, 6)
    *found, addresses = f(a, 1)
    same(found, [*np.split(a, 3, 1), *np.split(a, [1, 2], 1)])
    assert not any(np.shares_memory(one, other) for one in found for other in [a, *found] if one is not other)
    if mode is None:
        assert np.diff(addresses.astype("int64")).tolist() == [0, 16, 16]


@pytest.mark.parametrize(
    "what, error", [(0, ValueError), (-1, ValueError), (n, TypeError), ([0.5], TypeError), (2.5, TypeError)]
)
def test_what_says_not_how_to_split(what, error):
    with pytest.raises(error):
        tensor.split(x, what)
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds for array of dimension 2"):
        tensor.split(x, 2, 2)


def test_shapes_and_places_that_numpy_takes_besides():
    x = tensor.dmatrix("x")
    shape, a = np.array([2, 3]), np.arange(6.0).reshape(2, 3)
    outs = [
        tensor.reshape(x, shape), tensor.broadcast_to(x[0], shape), tensor.tile(x, shape), tensor.take(x, [], 0),
        tensor.take(x, ()),
    ]  # fmt: skip
    wanted = [a, np.broadcast_to(a[0], shape), np.tile(a, shape), np.take(a, [], 0), np.take(a, ())]
    same(opweld.function([x], outs)(a), wanted)
    with pytest.raises(TypeError, match=r"broadcast_to: size 0 must be an integer or a variable, got 2\.0"):
        tensor.broadcast_to(x, np.array([2.0, 3.0]))


# -- shapes from variables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_sizes_may_be_variables(mode):
    small = tensor.bscalar("small")
    three = TensorType("int32", (3,))("three")
    outs = [
        x.reshape(n, -1), x.reshape((small, n, 1)), tensor.reshape(x, three), tensor.reshape(x, w, ndim=2),
        tensor.reshape(x, tensor.shape(x.T)), tensor.broadcast_to(x[:, :1], (n, small)), tensor.repeat(x, n, 1),
        tensor.repeat(x, w, 0), tensor.tile(x, (n, 2)), x.flatten(), tensor.flatten(x.reshape(1, 3, 2), 2),
    ]  # fmt: skip
    f = opweld.function([x, n, small, three, w], outs, mode=mode)
    wanted = [
        A.reshape(2, -1), A.reshape(3, 2, 1), A.reshape(3, 1, 2), A.reshape(2, 3), A.reshape(3, 2),
        np.broadcast_to(A[:, :1], (2, 3)), np.repeat(A, 2, 1), np.repeat(A, [2, 3], 0), np.tile(A, (2, 2)),
        A.ravel(), A.reshape(1, 6),
    ]  # fmt: skip
    same(f(A, 2, 3, [3, 1, 2], [2, 3]), wanted)


def test_flatten_where_a_size_is_zero():
    z = tensor.dtensor3("z")
    f = opweld.function([z], [tensor.flatten(z, 2), tensor.flatten(z, 3), z.flatten()])
    assert [r.shape for r in f(np.empty((0, 3, 2)))] == [(0, 6), (0, 3, 2), (0,)]
    for ndim in (0, 4):
        with pytest.raises(ValueError, match="flatten: ndim is"):
            tensor.flatten(z, ndim)


def test_a_vector_of_another_length_than_promised():
    f = opweld.function([x, w], tensor.reshape(x, w, ndim=2))
    with pytest.raises(ValueError, match="reshape: expected a shape of 2 sizes, got 1"):
        f(A, [6])
    with pytest.raises(TypeError, match=r"the length of w is not known; pass ndim="):
        tensor.reshape(x, w)


@pytest.mark.parametrize("build, error, message", [
    (lambda: tensor.reshape(x, 1.5), TypeError, "reshape: the shape must be integers or variables"),
    (lambda: tensor.reshape(x, (1.5, 2)), TypeError, "reshape: size 0 must be an integer or a variable"),
    (lambda: tensor.reshape(x, (2, v[0])), TypeError, "reshape: size 1 must be an integer without dimensions"),
    (lambda: tensor.reshape(x, v, ndim=2), TypeError, "expected 2 integers, got v"),
    (lambda: tensor.reshape(x, (2, 3), ndim=1), ValueError, "reshape: ndim is 1, and there are 2 sizes"),
    (lambda: tensor.reshape(x, (-1, -1)), ValueError, "can only specify one unknown dimension"),
    (lambda: tensor.reshape(A, (4,)), ValueError, r"cannot reshape array of size 6 into shape \(4,\)"),
    (lambda: tensor.reshape(A, (4, -1)), ValueError, r"cannot reshape array of size 6 into shape \(4,newaxis\)"),
    (lambda: tensor.reshape(A, (-1, 4)), ValueError, r"cannot reshape array of size 6 into shape \(4\)"),
    (lambda: tensor.reshape(A, (-1, 4, 3)), ValueError, r"cannot reshape array of size 6 into shape \(4,3\)"),
    (lambda: Reshape(2)(x, 6), TypeError, "expected 2 sizes, got 1"),
    (lambda: BroadcastTo()(x, 6), ValueError, "input operand has more dimensions than allowed"),
    (lambda: DimShuffle([0, 0]), ValueError, "each axis at most once"),
    (lambda: DimShuffle([0, 2])(x), ValueError, "x has 2 dimensions"),
    (lambda: DimShuffle([0])(TensorType("int8", (1, 2))()), ValueError, "cannot select an axis to squeeze out"),
    (lambda: x.dimshuffle(0, 5), np.exceptions.AxisError, "axis 5 is out of bounds"),
    (lambda: Repeat(0)(x, v), TypeError, "according to the rule 'safe'"),
    (lambda: Repeat(0)(x, [[1]]), ValueError, "object too deep for desired array"),
    (lambda: Take(0, "round"), ValueError, "clipmode must be one of 'clip', 'raise', or 'wrap'"),
    (lambda: tensor.take(x, v), TypeError, "according to the rule 'same_kind'"),
    (lambda: Join(0)(), ValueError, "need at least one array to concatenate"),
    (lambda: Stack(1)(x[0, 0]), np.exceptions.AxisError, "axis 1 is out of bounds"),
    (lambda: tensor.concatenate(x), TypeError, "concatenate: expected a list of tensors, got the variable x"),
    (lambda: Split(0, 2)(TensorType("int8", (3,))()), ValueError, "array split does not result in an equal division"),
])  # fmt: skip
def test_what_is_refused(build, error, message):
    with pytest.raises(error, match=message):
        build()


# -- memory, rewriting ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_results_share_no_memory(mode):
    t = kit.negate(x)
    outs = [
        x.T,
        x.reshape(-1),
        x[None],
        tensor.broadcast_to(x, (2, 2, 3)),
        t.T,
        t.reshape(-1),
        tensor.broadcast_to(t, (2, 2, 3)),
    ]
    f = opweld.function([x], outs, mode=mode)
    a = A.copy()
    results = f(a)
    for at, one in enumerate(results):
        assert not any(np.shares_memory(one, other) for other in [a, *results[:at]])
        one[...] = 0
    assert f(a)[4].tolist() == (-A.T).tolist() and a.tolist() == A.tolist()


def test_a_temporary_is_viewed():
    t = kit.negate(x)
    f = opweld.function(
        [x], kit.address(t, t.T, t[:, None], t.reshape(-1), tensor.broadcast_to(t, (4, 2, 3)), t.T.reshape(-1))
    )
    first, *views, copied = (int(address) for address in f(A))
    assert views == [first] * 4 and copied != first


def test_what_is_spread_is_not_written_over():
    t = tensor.broadcast_to(kit.negate(v), (2, 3))
    f = opweld.function([v], [tensor.set_subtensor(t[0, 1], 9.0), t * 2.0 + 1.0])
    for _ in range(2):
        same(f([1, 2, 3]), [np.array([[-1, 9.0, -3], [-1, -2, -3]]), np.array([[-1.0, -3, -5]] * 2)])
    g = opweld.function([v], tensor.broadcast_to(kit.negate(v), (2, 3)) * 2.0)
    assert g([1, 2, 3]).tolist() == [[-2, -4, -6]] * 2


def test_axes_that_move_twice_move_once():
    f = opweld.function([x], kit.negate(tensor.expand_dims(x.T, 0).dimshuffle(2, 1)))
    ops = [node.op for node in f.maker.fgraph.toposort()]
    assert not any(isinstance(op, DimShuffle) for op in ops) and f(A).tolist() == (-A).tolist()


def test_shapes_are_known_without_values():
    t = kit.negate(x)
    outs = [t.T, t[None], tensor.broadcast_to(t, (n, 2, 3)), tensor.stack([t, t]), tensor.take(t, w, 1)]
    f = opweld.function([x, n, w], [tensor.shape(out) for out in outs])
    assert [r.tolist() for r in f(A, 4, [0, 1])] == [[3, 2], [1, 2, 3], [4, 2, 3], [2, 2, 3], [2, 2]]
    assert not any(isinstance(node.op, (Stack, Take, BroadcastTo, DimShuffle)) for node in f.maker.fgraph.toposort())


class InCxx(opweld.COp):
    """A copy, by C++."""

    __props__ = ()
    c_lang = "c++"

    def make_node(self, x):
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (z,) = input_names, output_names
        return f"""
            Py_CLEAR({z});
            {z} = reinterpret_cast<PyArrayObject*>(PyArray_NewCopy({x}, NPY_ANYORDER));
            if ({z} == nullptr) {sub["fail"]}
        """

    def c_code_cache_version(self):
        return (1,)


def test_the_texts_are_cxx_too():
    """One op in C++ makes the unit C++."""
    u, m = TensorType("uint64", ())("u"), TensorType("bool", (None, None))("m")
    outs = [
        InCxx()(x), x.T[None], tensor.reshape(x, (n, -1)), tensor.reshape(x, w, ndim=2),
        tensor.broadcast_to(x, (n, 12, 3)),
        tensor.repeat(x, n, 0), tensor.concatenate([x, x]), tensor.stack([x, x]), *tensor.split(x, 3, 1),
        tensor.take(x, w), *tensor.nonzero(x), x[n:], x[u, :u], x[w], x[m], x[w, n:], tensor.set_subtensor(x[n:], 1.0),
        tensor.inc_subtensor(x[0], 1.0), tensor.set_subtensor(x[w], 1.0), tensor.inc_subtensor(x[m], 1.0),
        tensor.set_subtensor((x + 1)[0], 2.0),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = opweld.function([x, n, w, u, m], outs)
    wanted = opweld.function([x, n, w, u, m], [x, *outs[1:]])
    a = np.arange(36.0).reshape(12, 3)
    found = outcome(f, a, 1, [4, 9], 0, a > 2)
    assert isinstance(found, list)
    same(found, outcome(wanted, a, 1, [4, 9], 0, a > 2))


def test_nothing_is_lost():
    outs = [
        tensor.reshape(x, (n, 2)), tensor.squeeze(x, 0), tensor.broadcast_to(x, (n, 3)),
        tensor.concatenate([x, x[:, :n]]), tensor.stack([x, x[:, :n]]), tensor.split(x, 2, 1), tensor.take(x, w),
        tensor.repeat(x, w, 0), tensor.nonzero(x),
    ]  # fmt: skip
    fs = [opweld.function([x, n, w], list(out) if isinstance(out, (list, tuple)) else out, on_unused_input="ignore")
          for out in outs]  # fmt: skip
    good = [[A, 3, [0, 1]], [A[:1], 0, [0]], [A, 2, [0]], [A, 3, [0]], [A, 3, [0]], [A[:, :2], 0, [0]]]
    good += [[A, 3, [0, 1]]] * 3
    bad = [[A, 4, [0]], [A, 0, [0]], [A, 5, [0]], [A, 2, [0]], [A, 2, [0]], [A, 0, [0]], [A, 0, [9]], [A, 0, [1, 2, 3]]]
    good, bad = [[np.array(one) for one in args] for args in good], [[np.array(one) for one in args] for args in bad]

    def calls():
        assert all(isinstance(outcome(f, *args), list) for f, args in zip(fs, good, strict=True))
        assert all(isinstance(outcome(f, *args), tuple) for f, args in zip(fs, bad))

    kit.flat(calls, *(one for args in good + bad for one in args), np.dtype("float64"), np.dtype("int64"))


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_taking_round_an_axis_without_elements_ends(mode):
    """NumPy's own take goes round it for ever, where the result has no elements either."""
    x, i = tensor.dmatrix("x"), tensor.lscalar("i")
    f = opweld.function([x, i], tensor.take(x, i, 0, "wrap"), mode=mode)
    assert f(np.ones((0, 0)), 1).shape == (0,)
    assert f(np.ones((2, 1)), -3) == [1.0]
    with pytest.raises(IndexError, match="cannot do a non-empty take from an empty axes"):
        f(np.ones((0, 3)), 1)
