"""PyTensor's ops on parts of arrays, by C of opweld's own, and numbers beside arrays, against PyTensor's Python."""

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.pytensor.graphs import Constant
from opweld.pytensor.indexing import Written
from opweld.pytensor.numbers import without_axes
from opweld.pytensor.wrapping import Wrapping

pt = pytest.importorskip("pytensor.tensor")
MODES = ("OPWELD", "OPWELD_C")


def both(inputs, outputs, *calls, mode="OPWELD_C"):
    """Compare with PyTensor's Python, and want every node in C."""
    ours = pytensor.function(inputs, outputs, mode=mode)
    theirs = pytensor.function(inputs, outputs, mode=pytensor.compile.mode.Mode("py", "fast_run"))
    for values in calls:
        for mine, wanted in zip(ours(*values), theirs(*values), strict=True):
            assert mine.dtype == wanted.dtype
            np.testing.assert_array_equal(mine, wanted)
    return ours


def written(function):
    """The ops whose C is opweld's own."""
    nodes = [Wrapping().node(node) for node in function.maker.fgraph.toposort()]
    return {type(node.theirs.op).__name__ for node in nodes if isinstance(node.op._ours, Written)}


@pytest.mark.parametrize("dtype", ["int16", "int64", "uint8"])
def test_rows_are_gathered_and_scattered(dtype):
    """By numbers that the graph knows and those of a call, negative ones too, of vectors and of rows, as they lie."""
    x, m, i = pt.dvector("x"), pt.fmatrix("m"), pt.vector("i", dtype=dtype)
    known = np.array([1, 0, 2, 1], dtype)
    outputs = [
        x[known], x[i], m[i], m.T[i], m[known], pt.zeros(x.shape[0])[known].inc(x[known] * 3),
        pt.inc_subtensor(x[i], x[i] * 2), pt.set_subtensor(x[i], x[i] + 1),
    ]  # fmt: skip
    rng = np.random.default_rng(3)
    for step in (1, 2):
        a, b = rng.normal(size=4 * step)[::step], rng.normal(size=(4, 4 * step)).astype("f4")[:, ::step]
        numbers = np.array([0, 2, 2, 3, 1] * step, dtype)[::step]
        found = both([x, m, i], outputs, (a, b, numbers), (a, b, numbers[:0]))
        if dtype != "uint8":
            both([x, m, i], outputs[1:4], (a, b, -numbers))
    assert written(found) >= {"AdvancedSubtensor1", "AdvancedIncSubtensor1"}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "uint32"])
def test_many_numbers_are_added_to_few_places(dtype):
    """In sums of their own: what is nothing stays as it is, and so does the sign of a zero that nothing is added to."""
    x, y = pt.vector("x", dtype=dtype), pt.vector("y", dtype=dtype)
    rng = np.random.default_rng(5)
    for n, places in ((8, 1), (61, 5), (64, 8), (515, 64), (600, 65), (700, 300)):
        known = rng.integers(0, places, n)
        known[known == 2] = 0
        a, b = rng.integers(0, 100, places).astype(dtype), rng.integers(0, 100, n).astype(dtype)
        f = pytensor.function([x, y], pt.inc_subtensor(x[known], y), mode="OPWELD", trust_input=True)
        expected = a.copy()
        np.add.at(expected, known, b)
        np.testing.assert_array_equal(f(a, b), expected)
        if places > 2 and a.dtype.kind == "f":
            a[:], b[:] = -0.0, -0.0
            assert np.signbit(f(a, b)).all()
            b[0] = np.inf
            np.testing.assert_array_equal(f(a, b), np.where(np.arange(places) == known[0], np.inf, 0))


def test_what_has_few_elements_is_gathered_whatever_its_length():
    """Eight of eight bytes lie in one register, where the processor has such; small numbers are held as bytes."""
    rng = np.random.default_rng(5)
    cases = ("float64", 1, 9), ("float64", 7, 64), ("int64", 8, 203), ("float64", 9, 64), ("float32", 8, 50)
    for dtype, places, n in (*cases, ("float64", 256, 31), ("int8", 257, 31)):
        x, known = pt.vector("x", dtype=dtype), np.append(rng.integers(0, places, n), places - 1)
        f = pytensor.function([x], x[known], mode="OPWELD", trust_input=True)
        value = rng.normal(size=places + 2).astype(dtype)
        for given in (value, value[:places], np.repeat(value, 2)[::2]):
            np.testing.assert_array_equal(f(given), given[known])


def test_numbers_that_are_held_as_bytes_are_held_once():
    """Whoever reads rows by them, and whoever adds to these."""
    x, y, known = pt.dvector("x"), pt.dmatrix("y"), np.array([2, 0, 1, 2])
    outputs = [x[known], y[known], x[known[:3] - 1], pt.zeros(3)[known].inc(x[known]), pt.ones(3)[known].inc(-x[known])]
    f = both([x, y], outputs, (np.arange(3.0), np.arange(6.0).reshape(3, 2)))
    wrapping = Wrapping()
    inputs = [v for node in f.maker.fgraph.toposort() for v in wrapping.node(node).inputs]
    held = [v for v in inputs if isinstance(v, Constant) and v.data.dtype == "uint8"]
    assert len(held) == 4
    assert len(set(map(id, held))) == 1


def test_rows_that_are_added_to_by_pytensors_c():
    """Of matrices, or in another dtype: numbers that are known stay what they are."""
    m, x, y = pt.dmatrix("m"), pt.dvector("x"), pt.fvector("y")
    known = np.array([2, 0, 2])
    both([m, x, y], [m[known].inc(m[:3]), x[known].inc(y)], (np.ones((4, 2)), np.ones(4), np.ones(3, "f4")))


def test_parts_are_written():
    """By slices and numbers, known and computed, with steps of both signs, of one and of more dimensions, broadcast."""
    x, y, m, k = pt.dvector("x"), pt.dvector("y"), pt.dmatrix("m"), pt.lscalar("k")
    outputs = [
        x[1:3].inc(y[:2]), x[k].set(7.0), x[k:].inc(1.0), x[::-2].set(y[:3]), x[-1].inc(y[0]), x[5:2].inc(y[:0]),
        x[: k - 1 : -1].inc(y[: 6 - k]), m[1:, 0].set(y[:2]), m[:, k].inc(y[:3]), m[::2].inc(y[:4]), m[k].set(m[0]),
        m[1:, ::-1].inc(m[1:]), m.T[k:].set(2.0), x[:].inc(x), m[-10:2, k:10].inc(1.0),
    ]  # fmt: skip
    x_, y_, m_ = np.arange(6.0), np.arange(10.0, 16.0), np.arange(12.0).reshape(3, 4)
    found = both([x, y, m, k], outputs, (x_, y_, m_, 1), (x_, y_, m_.copy("F"), 2))
    assert "IncSubtensor" in written(found)
    np.testing.assert_array_equal(x_, np.arange(6.0))


def test_arrays_are_filled():
    """With numbers, of any number of dimensions, also none and of size 0; each call has its own shape."""
    x, n = pt.dscalar("x"), pt.iscalar("n")
    outputs = [pt.alloc(x, n, 2) * 1, pt.alloc(np.float32(2), n), pt.zeros((n, n), "int8"), pt.alloc(x, 3, n, 1)]
    found = both([x, n], outputs, (2.5, 3), (2.5, 0), (-1.0, 4))
    assert "Alloc" in written(found)
    with pytest.raises(ValueError, match="negative dimensions"):
        found(1.0, -1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda x, i: x[i], IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        (lambda x, i: x[np.array([0, 7, 1])], IndexError, "index 7 is out of bounds for axis 0 with size 3"),
        (lambda x, i: x[np.array([0, -4])], IndexError, "index -4 is out of bounds for axis 0 with size 3"),
        (lambda x, i: x[i].inc(x[:2]), IndexError, "index 7 out of bounds for array with shape 3"),
        (lambda x, i: x[np.array([1, 2])].inc(x), ValueError, "do not match: 3, 2"),
        (lambda x, i: x[i].inc(x[:1]), ValueError, "Runtime broadcasting not allowed"),
        (lambda x, i: x[i[1]].set(1.0), IndexError, "index out of bounds"),
        (lambda x, i: x[-4].set(1.0), IndexError, "index out of bounds"),
        (lambda x, i: x[:2].inc(x), ValueError, "broadcast"),
        (lambda x, i: x[:: i[0]].inc(1.0), ValueError, "slice step cannot be zero"),
    ],
)
def test_what_is_not_there_is_refused(mode, make, error, says):
    """As stock's C does, and the node is named; what was given is as it was."""
    x, i = pt.dvector("x"), pt.lvector("i")
    f = pytensor.function([x, i], make(x, i), mode=mode, on_unused_input="ignore")
    value = np.arange(3.0)
    with pytensor.config.change_flags(exception_verbosity="medium"), pytest.raises(error, match=says) as raised:
        f(value, [0, 7])
    assert "Apply node that caused the error" in str(raised.value) + "".join(getattr(raised.value, "__notes__", ()))
    np.testing.assert_array_equal(value, np.arange(3.0))


def test_numbers_beside_arrays_have_no_axes():
    """What has one element by its type is computed without dimensions, and made with them for who wants them so."""
    x, a, r = pt.dmatrix("x"), pt.dscalar("a"), pt.drow("r")
    level = pt.log(pt.exp(a)[None, None] + 1)
    outputs = [x * level + 2 * r, level, (x - level).sum(0), level.sum(), pt.concatenate([level, level]), level.T[0]]
    found = both([x, a, r], outputs, (np.arange(6.0).reshape(2, 3), 0.5, np.ones((1, 3))))
    wrapping = Wrapping()
    nodes = [wrapping.node(node) for node in found.maker.fgraph.toposort()]
    steps = without_axes(nodes, [wrapping.variable(v) for v in found.maker.fgraph.outputs])
    loops = [node for node in steps if node.op.structured("loop")]
    assert [v.type.ndim for v in loops[0].outputs] == [0]
    beside = [node for node in loops if any(v.theirs.type.ndim == 2 and v.type.ndim == 0 for v in node.inputs)]
    made = [node.outputs[0].type.ndim for node in beside]
    assert made == [2, 2, 0]  # the last is the copy of an output


def test_a_number_that_is_written_over_stays_for_who_reads_it():
    """PyTensor computes numbers in place; here each has a place of its own."""
    s = pytensor.shared(np.array([1.0]), shape=(1,))
    x = pt.dvector("x")
    new = pt.exp(s) + 1
    f = pytensor.function([x], [x * s, s * 2, x * new], updates={s: new}, mode="OPWELD_C")
    for _ in range(2):
        before = s.get_value()[0]
        one, two, three = f([1.0, 2.0])
        after = np.exp(before) + 1
        np.testing.assert_allclose(one, [before, 2 * before])
        np.testing.assert_allclose(two, [2 * before])
        np.testing.assert_allclose(three, [after, 2 * after])
        np.testing.assert_allclose(s.get_value(), [after])


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool"])
def test_arrays_are_joined_along_any_axis(dtype):
    x, y, z = (pt.tensor3(dtype=dtype) for _ in range(3))
    f = pytensor.function([x, y, z], [pt.join(axis, x, y, z, x) for axis in range(3)], mode=opweld.pytensor.OPWELD_C)
    rng = np.random.default_rng(2)
    for layout in (np.ascontiguousarray, np.asfortranarray, lambda v: np.repeat(v, 2, axis=1)[:, ::-2]):
        for size in (0, 1, 3):
            given = [layout(rng.integers(0, 2, (size, 3, 2)).astype(dtype)) for _ in range(3)]
            for axis, found in enumerate(f(*given)):
                right = np.concatenate([*given, given[0]], axis=axis)
                assert found.dtype == dtype and found.flags.c_contiguous
                np.testing.assert_array_equal(found, right)
    longer = np.zeros((3, 4, 2), dtype)
    g = pytensor.function([x, y], pt.join(1, x, y), mode="OPWELD")
    np.testing.assert_array_equal(g(given[0], longer), np.concatenate([given[0], longer], axis=1))
    with pytest.raises(ValueError, match=r"must match exactly, but along dimension 0, .* size 3 .* index 1 has size 2"):
        g(given[0], longer[:2])


def test_what_is_split_is_read_in_c():
    x, sizes = pt.dmatrix(), pt.lvector()
    f = pytensor.function([x, sizes], [part * 2 for part in pt.split(x, sizes, n_splits=3)], mode="OPWELD_C")
    assert {kernel["lang"] for kernel in f.vm._code.program.data["kernels"]} == {"c"}
    given = np.arange(12.0).reshape(6, 2)
    for found, right in zip(f(given, [1, 2, 3]), np.split(given, [1, 3]), strict=True):
        np.testing.assert_array_equal(found, right * 2)
    with pytest.raises(ValueError, match="splits sums to 7"):
        f(given, [1, 2, 4])


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "bool"])
def test_numbers_become_a_vector_and_sizes_numbers(dtype):
    from pytensor.tensor.basic import MakeVector

    a, b, x = pt.scalar(dtype=dtype), pt.scalar(dtype=dtype), pt.tensor3(dtype=dtype)
    vector = MakeVector(dtype)
    one = np.asarray(1, dtype)
    calls = [[one, one, np.ones((2, 0, 3), dtype)], [0 * one, one, np.ones((1, 2, 4), dtype)]]
    f = both([a, b, x], [vector(a, b, a), vector(b), vector(), *x.shape], *calls)
    assert written(f) >= {"MakeVector", "Shape_i"}
    assert {kernel["lang"] for kernel in f.vm._code.program.data["kernels"]} == {"c"}


@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_complex_numbers_are_copied_and_viewed_by_the_engine(dtype):
    x = pt.matrix(dtype=dtype)
    given = [np.arange(12).reshape(3, 4).astype(dtype) * 1j, np.asfortranarray(np.ones((2, 3), dtype))[:, ::-1]]
    f = both([x], [x, x.T, x[1:], x[:, None, ::-2], x[0], x[-1, 0]], *[[value] for value in given])
    kernels = f.vm._code.program.data["kernels"]
    assert all("loop" in kernel or "view" in kernel for kernel in kernels) and len(kernels) > 3
    with pytest.raises(IndexError):
        f(np.ones((0, 1), dtype))
