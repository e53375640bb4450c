"""Indexing is NumPy's: each form of a key, read and written, against NumPy itself."""

from __future__ import annotations

import functools
import pickle
import random
from operator import getitem

import kit
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import opweld
from opweld import In, tensor
from opweld.tensor import TensorType, inc_subtensor, set_subtensor
from opweld.tensor.advanced import AdvancedIncSubtensor, AdvancedSubtensor
from opweld.tensor.indexing import key_of, numbers_in
from opweld.tensor.parts import subtensor
from opweld.tensor.subtensor import IncSubtensor, Subtensor

x, v, i, k = tensor.dmatrix("x"), tensor.dvector("v"), tensor.lscalar("i"), tensor.lvector("k")
m = TensorType("bool", (None, None))("m")
MODES = [None, "DebugMode"]
SLICES = [":", "a:", ":b", "a:b", "::c", "a:b:c", "a::c", ":b:c"]
DTYPES = ["float64", "int8", "bool", "complex64", "float16", "longdouble", "uint64"]


def outcome(call, *args):
    """What a call gives: an array, or the class and text of its exception."""
    try:
        return np.asarray(call(*args))
    except Exception as err:
        return type(err), str(err).split("\n")[0]


def same(found, wanted):
    if isinstance(wanted, tuple):
        assert found == wanted
        return
    assert not isinstance(found, tuple), (found, wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(found, wanted)


# -- any forms and values ----------------------------------------------------------------------------------------


def form(choose, advanced):
    """Number of dimensions, entries of a form, and for each of its arrays (kind, number of dimensions)."""
    ndim = choose(range(1 if advanced else 0, 6))
    entries, arrays, left = [], [], ndim
    while left:
        entry = choose(["i", "i", ":", "slice", "slice", *(["v", "v"] if advanced else []), "stop"])
        if entry == "stop":
            break
        if entry == "v":
            kind = choose("iib")
            depth = choose(range(1, (min(left, 2) if kind == "b" else 2) + 1))
            arrays.append((kind, depth))
            left -= depth if kind == "b" else 1
        else:
            left -= 1
        entries.append(choose(SLICES) if entry == "slice" else entry)
    if choose([False, True]):
        entries.insert(choose(range(len(entries) + 1)), "None")
    if advanced:
        if not arrays:
            entries[:0], arrays, ndim = ["v"], [("i", 1)], max(ndim, len(entries) + 1)
        if choose([False, True]):
            entries.insert(choose(range(len(entries) + 1)), "...")
    return ndim, tuple(entries), tuple(arrays)


@st.composite
def forms(draw, advanced):
    return form(lambda options: draw(st.sampled_from(options)), advanced)


# Some forms are compiled, each once, for all values that hypothesis draws; they are the same in each run.
FORMS = {advanced: [form(random.Random(seed).choice, advanced) for seed in range(14)] for advanced in (False, True)}
places = st.integers(0, 13)


def variables(entries, arrays):
    """A variable for each number and array of a form."""
    rest, found = iter(arrays), []
    for entry in entries:
        if entry == "v":
            kind, depth = next(rest)
            found.append(TensorType("bool" if kind == "b" else "int64", (None,) * depth)())
        else:
            found += [tensor.lscalar() for _ in range(numbers_in((entry,)))]
    return found


@st.composite
def numbers(draw, entries, arrays, shape):
    """Values for them, mostly within bounds."""
    rest, found, axis = iter(arrays), [], 0
    after = sum(1 for entry in entries if entry not in ("None", "...", "v")) + sum(
        d if t == "b" else 1 for t, d in arrays
    )
    common = draw(st.integers(0, 3))  # the length of arrays, so that most can be broadcast
    for entry in entries:
        if entry == "...":
            axis += len(shape) - after
        elif entry == "i":
            found.append(np.array(draw(st.integers(-shape[axis], shape[axis]))))
        elif entry == "v":
            kind, depth = next(rest)
            if kind == "b":
                sizes = shape[axis : axis + depth]
                if draw(st.integers(0, 9)) == 0:
                    sizes = (*sizes[:-1], sizes[-1] + 1)
                found.append(np.array(draw(st.lists(st.booleans(), min_size=int(np.prod(sizes)),
                                                    max_size=int(np.prod(sizes)))), bool).reshape(sizes))  # fmt: skip
                axis += depth - 1
            else:
                sizes = (*[draw(st.sampled_from([1, 2])) for _ in range(depth - 1)], common)
                within = st.integers(-shape[axis], max(shape[axis] - 1, 0))
                near = within if draw(st.integers(0, 9)) else st.integers(-6, 6)
                count = int(np.prod(sizes))
                found.append(np.array(draw(st.lists(near, min_size=count, max_size=count)), "int64").reshape(sizes))
        elif entry != "None":
            for letter in "abc":
                if letter in entry:
                    found.append(np.array(draw(st.integers(-3, 3) if letter == "c" else st.integers(-7, 7))))
        axis += entry not in ("None", "...")
    return found


@functools.cache
def reader(dtype, ndim, entries, arrays):
    z, given = TensorType(dtype, (None,) * ndim)("z"), variables(entries, arrays)
    op = (AdvancedSubtensor if "v" in entries else Subtensor)(", ".join(entries))
    part = op(z, *given)
    return opweld.function([z, *given], part)


@functools.cache
def writer(dtype, ndim, entries, arrays, set_):
    z, given = TensorType(dtype, (None,) * ndim)("z"), variables(entries, arrays)
    part = (AdvancedSubtensor if "v" in entries else Subtensor)(", ".join(entries))(z, *given)
    y = TensorType(dtype, (None,) * min(part.ndim, 1))("y")
    return opweld.function([z, y, *given], (set_subtensor if set_ else inc_subtensor)(part, y))


@pytest.mark.parametrize("advanced", [False, True])
@settings(deadline=None)
@given(st.data())
def test_reading(advanced, data):
    place = data.draw(places)
    ndim, entries, arrays = FORMS[advanced][place]
    dtype = DTYPES[place % len(DTYPES)]
    f = reader(dtype, ndim, entries, arrays)
    for _ in range(4):
        z = data.draw(kit.arrays(dtype, ndim)) if ndim else kit.values(dtype, ())
        given = data.draw(numbers(entries, arrays, z.shape))
        native = np.array(z, dtype)
        same(outcome(f, z, *given), outcome(getitem, native, key_of(entries, given)))


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_what_is_known_of_a_shape(data):
    """Sizes that are known are right, and of constants all are."""
    ndim, entries, arrays = data.draw(forms(data.draw(st.booleans())))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), min_size=ndim, max_size=ndim)))
    key = key_of(entries, data.draw(numbers(entries, arrays, shape)))
    wanted = outcome(getitem, np.empty(shape), key)
    if isinstance(wanted, tuple):
        return
    assert subtensor(TensorType("float64", shape)(), key).type.shape == wanted.shape
    partly = [size if data.draw(st.booleans()) else None for size in shape]
    found = subtensor(TensorType("float64", partly)(), key).type.shape
    assert len(found) == wanted.ndim
    assert all(size in (None, have) for size, have in zip(found, wanted.shape, strict=True))


@pytest.mark.parametrize("advanced", [False, True])
@settings(deadline=None)
@given(st.data())
def test_writing(advanced, data):
    place = data.draw(places)
    ndim, entries, arrays = FORMS[advanced][place]
    dtype, set_ = DTYPES[place % len(DTYPES)], place < len(DTYPES)
    f = writer(dtype, ndim, entries, arrays, set_)
    deep = f.maker.inputs[1].variable.ndim
    for _ in range(4):
        z = data.draw(kit.arrays(dtype, ndim)) if ndim else kit.values(dtype, ())
        given = data.draw(numbers(entries, arrays, z.shape))
        wanted = np.array(z, dtype)
        key = key_of(entries, given)
        part = outcome(getitem, wanted, key)
        fits = not isinstance(part, tuple) and part.ndim and data.draw(st.booleans())
        y = kit.values(dtype, ((part.shape[-1] if fits else data.draw(st.integers(0, 3))),) * deep)
        with np.errstate(all="ignore"):
            found, expected = outcome(f, z, y, *given), outcome(write, wanted, key, y, set_)
        if isinstance(expected, tuple):  # the messages of += differ by how the operands stand
            assert isinstance(found, tuple) and found[0] is expected[0], (found, expected)
        else:
            same(found, expected)


def write(z, key, y, set_):
    if set_:
        z[key] = y
    elif any(isinstance(part, np.ndarray) for part in key):
        np.add.at(z, key, y)
    else:
        view = z[(*key, Ellipsis)]
        view += y
    return z


# -- keys as they are written --------------------------------------------------------------------------------------

A = np.arange(24.0).reshape(2, 3, 4)
KEYS = [
    (), 0, -1, (1, 2), (1, -3, 3), ..., (..., 0), (0, ..., 1), None, (None, ..., None), slice(None), slice(1, None),
    slice(None, None, -1), (slice(None), slice(-2, 9, 2)), (slice(5, 1), 0), (slice(None), None, 1),
    np.int8(1), np.uint64(1), np.array(1), [0, 1], [[0], [1]], [], ([0, 1], [1, 2]), ([0, 1], slice(None), [1, 2]),
    (slice(None), [0, 2], 1), (0, slice(None), [0, 1]), ([1], None, 0), True, False, np.True_, (..., True),
    (True, 0), (0, True, [0, 1]), np.array(False), [True, False], (slice(None), [True, False, True], [0, 1]),
    np.array([1, 0], np.uint8), A > 3, (A[:, :, 0] > 3, slice(1, 3)), (0, A[0] > 1), ([0, 1], ..., [1, 2]),
    (..., np.array([0, 1]), 2), ((0, 1),), (slice(None), np.zeros((0, 2), int)), (slice(-(2**70), 2**70),),
    # what is no index
    2, -3, (0, 3), (0, 0, 4), (0, 0, 0, 0), (..., ...), 1.0, "a", [1.5], np.array([]), np.array(1.0), (0, [0, 5]),
    ([0, 5],), (slice(None, None, 0),), (slice(1.5),), ([0, 1], [0, 1, 2]), (np.ones((3, 3), bool),),
    (slice(None), np.ones(2, bool)), np.ones((2, 3, 4, 1), bool), 2**70, ([0], [0], [0], [0]),
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_every_way_to_write_a_key(mode):
    z = tensor.dtensor3("z")
    parts, wanted, refused = [], [], []
    for key in KEYS:
        expected = outcome(getitem, A, key)
        try:
            part = z[key]
        except Exception as err:
            assert (type(err), str(err)) == expected, key
            refused.append(key)
            continue
        if isinstance(expected, tuple):
            assert outcome(opweld.function([z], part), A) == expected, key
            continue
        parts.append(part)
        wanted.append(expected)
    assert len(parts) > 40 and len(refused) > 10
    for found, expected in zip(opweld.function([z], parts, mode=mode)(A), wanted, strict=True):
        same(found, expected)


def test_a_truth_value_bounds_no_slice():
    """NumPy 2.2 takes it as an integer yet, and warns."""
    with pytest.raises(TypeError, match=r"^slice indices must be integers or None or have an __index__ method$"):
        x[: np.True_]


def test_what_is_known_of_a_shape_is_true():
    """Of each key, with all sizes of the array known, with none, and with some."""
    for shape in [(2, 3, 4), (None, None, None), (None, 3, None)]:
        z = TensorType("float64", shape)("z")
        for key in KEYS:
            expected = outcome(getitem, A, key)
            if isinstance(expected, tuple):
                continue
            found = z[key].type.shape
            assert len(found) == expected.ndim, (shape, key)
            assert all(size in (None, have) for size, have in zip(found, expected.shape)), (shape, key, found)
            if shape[0] == 2 and key is not None:
                assert None not in found, (key, found)


def test_what_is_known_to_be_wrong_is_refused_at_once():
    z = TensorType("float64", (2, None))("z")
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        z[2]
    with pytest.raises(IndexError, match="too many indices for array: array is 2-dimensional, but 3 were indexed"):
        z[0, 0, 0]
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        z[::0]
    with pytest.raises(IndexError, match="arrays used as indices must be of integer"):
        z[v]
    with pytest.raises(IndexError, match="only integers, slices"):
        z[opweld.generic.generic("g")]
    with pytest.raises(TypeError, match="slice indices must be integers"):
        z[v:]


def test_variables_stand_for_numbers():
    bounds = [tensor.lscalar(), tensor.bscalar(), TensorType("uint8", ())()]
    f = opweld.function([v, *bounds], v[slice(*bounds)])
    a = np.arange(10.0)
    assert f(a, 8, -9, 2).tolist() == a[8:-9:2].tolist()
    assert f(a, 2, 8, 2).tolist() == a[2:8:2].tolist()
    listed = opweld.function([v, i], v[[i, 0, i]])
    assert listed(a, 3).tolist() == [3, 0, 3]
    b = TensorType("bool", ())("b")
    g = opweld.function([v, b], v[b])
    assert g(a, True).shape == (1, 10) and g(a, False).shape == (0, 10)


@pytest.mark.parametrize("large", [2**63, 2**64 - 1])
def test_integers_beyond_the_largest_index(large):
    u = TensorType("uint64", ())("u")
    f, g = opweld.function([v, u], v[u]), opweld.function([v, u], v[:u])
    a, n = np.arange(3.0), np.uint64(large)
    same(outcome(f, a, n), outcome(getitem, a, n))
    assert g(a, n).tolist() == a[:n].tolist()


def test_constants_and_variables_share_a_kernel():
    f = opweld.function([x, i], [x[0, 1:] * 2, x[i, 2:] * 3, x[-1, i:] * 4])
    labels = [kernel["label"] for kernel in f.maker.program.data["kernels"]]
    assert labels.count("Subtensor") == 1
    a = np.arange(12.0).reshape(3, 4)
    assert [r.tolist() for r in f(a, 1)] == [(a[0, 1:] * 2).tolist(), (a[1, 2:] * 3).tolist(), (a[-1, 1:] * 4).tolist()]


# -- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_results_share_no_memory(mode):
    t = kit.negate(x)
    f = opweld.function([x, i], [x[i], x[:, i], t[i], t[::-1], t[0], t], mode=mode)
    a = np.arange(6.0).reshape(2, 3)
    results = f(a, 1)
    for at, one in enumerate(results):
        assert not np.shares_memory(one, a)
        assert not any(np.shares_memory(one, other) for other in results[:at])
        one[...] = 0
    assert f(a, 1)[2].tolist() == (-a[1]).tolist()
    assert sum(node.op.view_map == {0: [0]} for node in f.maker.fgraph.toposort()) == 5


def test_views_in_a_graph_are_views():
    base = kit.negate(x)
    f = opweld.function([x], kit.address(base, base[1:], base[:, ::-1], base[[0]]))
    at, below, back, copied = (int(address) for address in f(np.ones((3, 4))))
    assert (below - at, back - at) == (32, 24) and not at <= copied < at + 96


def test_a_view_of_what_is_read_only():
    a = np.broadcast_to(np.arange(3.0), (2, 3))
    f = opweld.function([x, i], [x[i], set_subtensor(x[i], 7.0)])
    first, second = f(a, 1)
    assert first.tolist() == [0, 1, 2] and second.tolist() == [[0, 1, 2], [7, 7, 7]] and a[1, 0] == 0


# -- writing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_set_and_inc_of_every_kind_of_key(mode):
    y = tensor.dscalar("y")
    keys = [i, (slice(None), i), (i, slice(None, None, -1)), ..., (), k, (i, k), m, (slice(None), [0, 0, 2])]
    outs = [write(x[key], y) for key in keys for write in (set_subtensor, inc_subtensor)]
    outs += [x[i].set(y), x[k].inc(y)]
    f = opweld.function([x, i, k, m, y], outs, mode=mode)
    a = np.arange(6.0).reshape(2, 3)
    numbers = {i: 1, k: np.array([1, 1]), m: a > 2}
    found = f(a, 1, [1, 1], a > 2, 10.0)
    plain = [tuple([numbers.get(p, p) if isinstance(p, opweld.Variable) else p for p in key]) if isinstance(key, tuple)
             else numbers[key] if isinstance(key, opweld.Variable) else key for key in keys]  # fmt: skip
    for at, key in enumerate([*plain, "methods"]):
        if at == len(plain):
            wanted = [a.copy(), a.copy()]
            wanted[0][1] = 10
            np.add.at(wanted[1], [1, 1], 10)
        else:
            wanted = [a.copy(), a.copy()]
            wanted[0][key] = 10
            np.add.at(wanted[1], key, 10)
        assert [r.tolist() for r in found[2 * at : 2 * at + 2]] == [w.tolist() for w in wanted], key
    assert a.tolist() == np.arange(6.0).reshape(2, 3).tolist()


def test_shapes_that_do_not_broadcast():
    f = opweld.function([x, v], set_subtensor(x[0], v))
    assert f(np.zeros((2, 3)), [4]).tolist() == [[4, 4, 4], [0, 0, 0]]
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(2,\) into shape \(3,\)"):
        f(np.zeros((2, 3)), np.ones(2))
    g = opweld.function([x, v], inc_subtensor(x[0], v))
    with pytest.raises(ValueError, match=r"operands could not be broadcast together with shapes \(3,\) \(2,\)"):
        g(np.zeros((2, 3)), np.ones(2))
    h = opweld.function([x, v, k], set_subtensor(x[k], v))
    with pytest.raises(ValueError, match=r"value array of shape \(2,\) could not be broadcast to indexing result of"):
        h(np.zeros((2, 3)), np.ones(2), [0])
    deep = tensor.dtensor3("deep")
    assert opweld.function([x, deep], set_subtensor(x[:2], deep))(np.zeros((2, 2)), np.ones((1, 1, 2))).all()


def test_dtypes_of_what_is_written():
    c, small = tensor.fmatrix("c"), tensor.bvector("small")
    f = opweld.function([c, v], [set_subtensor(c[0], v), inc_subtensor(c[0], v), set_subtensor(c[0], 2)])
    for result in f(np.zeros((1, 2), "f4"), [0.1, 1e-9]):
        assert result.dtype == "float32"
    with pytest.raises(OverflowError, match="Python integer 300 out of bounds for int8"):
        set_subtensor(small[0], 300)
    for value in (1.5, tensor.dscalar(), 1j, np.float32(1)):
        with pytest.raises(TypeError, match="into int8 with casting rule 'same_kind'"):
            inc_subtensor(small[0], value)
    assert opweld.function([small], set_subtensor(small[::2], 7))([1, 2, 3]).tolist() == [7, 2, 7]


def test_only_parts_are_written():
    for part in (x, x + 1, np.ones(2)):
        with pytest.raises(TypeError, match=r"set_subtensor: expected z\[key\], got"):
            set_subtensor(part, 1.0)
    with pytest.raises(TypeError, match=r"inc_subtensor: expected z\[key\]"):
        x.inc(1.0)


@pytest.mark.parametrize("mode", MODES)
def test_in_place(mode):
    f = opweld.function([In(x, mutable=True), i], set_subtensor(x[i], 5.0, inplace=True), mode=mode)
    a = np.zeros((2, 3))
    assert f(a, 1).tolist() == a.tolist() == [[0, 0, 0], [5, 5, 5]]
    with pytest.raises(opweld.errors.InconsistencyError, match="mutable=True"):
        opweld.function([x], set_subtensor(x[0], 5.0, inplace=True))
    with pytest.raises(IndexError, match="index 9 is out of bounds for axis 0 with size 2"):
        f(a, 9)


def test_temporaries_are_written_over():
    f = opweld.function([x, k], [inc_subtensor(set_subtensor((x + 1)[0], 0.0)[k], 2.0)])
    ops = [node.op for node in f.maker.fgraph.toposort()]
    assert [op.inplace for op in ops if isinstance(op, (IncSubtensor, AdvancedIncSubtensor))] == [True, True]
    a = np.ones((2, 2))
    for _ in range(2):
        assert f(a, [1, 1])[0].tolist() == [[0, 0], [6, 6]]
    assert a.tolist() == np.ones((2, 2)).tolist()


def test_writing_what_overlaps():
    t = kit.negate(v)
    f = opweld.function([v], set_subtensor(t[1:], t[:-1]))
    for _ in range(2):
        assert f([1, 2, 3, 4]).tolist() == [-1, -1, -2, -3]


def test_storage_that_is_kept_changes_nothing():
    """The copy that is written into stays from call to call, of the shape it had."""
    f = opweld.function([x, i], kit.negate(set_subtensor(x[i], 7.0)))
    for shape in [(2, 3), (2, 3), (3, 2), (1, 5), (2, 3)]:
        a = kit.values("f8", shape)
        wanted = a.copy()
        wanted[0] = 7
        assert f(a, 0).tolist() == (-wanted).tolist()


# -- rewriting, failing, pickling -------------------------------------------------------------------------------------


def test_views_of_all_go():
    f = opweld.function([x], [x[:] + 1, x[...] * 2, x.T.T - 1])
    assert not any(node.op.view_map for node in f.maker.fgraph.toposort())
    same(f(A[0])[2], A[0] - 1)


def test_a_shape_is_known_without_the_view():
    f = opweld.function([x], tensor.shape(kit.negate(x)[::-1, None]))
    assert f(np.ones((2, 3))).tolist() == [2, 1, 3]
    assert not any(isinstance(node.op, Subtensor) for node in f.maker.fgraph.toposort())


@pytest.mark.parametrize("mode", MODES)
def test_parts_of_a_shape_need_no_shape(mode):
    t = tensor.stack([x, x], 1)
    outs = [t.shape[0], t.shape[-1], t.shape[1:], t.shape[::-1], t.shape[5:], x.shape[1], t.shape[i], x.shape[None, 0]]
    f = opweld.function([x, i], outs, mode=mode)
    assert [r.tolist() for r in f(np.ones((4, 3)), 1)] == [4, 3, [2, 3], [3, 2, 4], [], 3, 2, [4]]
    assert not any("Stack" in str(node.op) for node in f.maker.fgraph.toposort())
    g = opweld.function([x], x.shape[0] + x.shape[1])
    assert not any("Subtensor" in str(node.op) for node in g.maker.fgraph.toposort())
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        x.shape[2]


def test_nothing_is_lost_where_an_index_is_out_of_bounds():
    outs = [x[i], x[:, :i][k], set_subtensor(x[k], 1.0), inc_subtensor(x[i, k], 2.0), x[m], set_subtensor(x[m], 0.0),
            inc_subtensor(x[k], v)]  # fmt: skip
    fs = [opweld.function([x, i, k, m, v], out, on_unused_input="ignore") for out in outs]
    a, few, mask, b, nine = np.ones((3, 4)), np.array([0, 7]), np.ones((2, 2), bool), np.ones(3), np.array(9)

    def failures():
        assert all(isinstance(outcome(f, a, nine, few, mask, b), tuple) for f in fs)

    kit.flat(failures, a, few, mask, b, nine, np.dtype("float64"), np.add)


def test_nothing_is_lost_where_all_is_well():
    f = opweld.function([x, i, k], [x[i], x[k], set_subtensor(x[i:], 1.0), inc_subtensor(x[k], 1.0), x.T[None, ::2]])
    a, one, some = np.ones((3, 4)), np.array(1), np.array([0, 1])
    kit.flat(lambda: f(a, one, some), a, one, some, np.dtype("float64"), np.add)


def test_ops_are_equal_by_their_form():
    assert x[0].owner.op == x[i].owner.op != x[:, 0].owner.op
    assert str(x[1:, None, i].owner.op) == "Subtensor{index='a:, None, i'}"
    assert pickle.loads(pickle.dumps(x[1:].owner.op)) == x[1:].owner.op
    assert subtensor(np.ones(3), 1).type.shape == ()


@pytest.mark.parametrize("build, message", [
    (lambda: Subtensor("v"), "holds more than integers, slices and None"),
    (lambda: Subtensor("q"), "'q' is no entry of an index"),
    (lambda: AdvancedSubtensor("i"), "holds no array"),
])  # fmt: skip
def test_forms_that_are_none(build, message):
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize("apply, error, message", [
    (lambda: Subtensor("i")(x), TypeError, "expected 1 numbers, got 0"),
    (lambda: Subtensor("i")(x, v), TypeError, "cannot stand for 'i'"),
    (lambda: Subtensor("i, i, i")(x, 0, 0, 0), IndexError, "too many indices"),
    (lambda: AdvancedSubtensor("v")(x, v), TypeError, "cannot stand for 'v'"),
    (lambda: AdvancedSubtensor("v, i")(x, m, 0), IndexError, "too many indices"),
])  # fmt: skip
def test_numbers_that_do_not_fit_a_form(apply, error, message):
    with pytest.raises(error, match=message):
        apply()
