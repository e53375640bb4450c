"""The ops in legacy/: C against Python on any input, in both languages, and nothing lost or leaked on the way."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

import kit
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from legacy import csr, cumulate, diagonal, horner, inplace, intervals, noise, patches, pooling, ranking

import opweld
from opweld import In
from opweld.tensor import TensorType

NATIVE = Path(__file__).resolve().parent / "legacy" / "native"
LANGS = ("c", "c++")
REALS = ("int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "longdouble")
ANY = ("bool", "float16", "complex64", "complex128", *REALS)
CALLS = 200
lang = pytest.mark.parametrize("lang", LANGS)
library: list[str] = []  # the folder of the library that Horner wants


@pytest.fixture(scope="module", autouse=True)
def _library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("horner")
    shutil.copy(NATIVE / "opwhorner.h", folder)
    driver = shutil.which("gcc") or shutil.which("clang") or "cc"
    subprocess.run(
        [driver, "-shared", "-fPIC", "-ffp-contract=off", "-o", folder / "libopwhorner.so", NATIVE / "opwhorner.c"],
        check=True,
    )
    library[:] = [str(folder)]
    yield
    library.clear()


@functools.cache
def built(make, lang, *types, mutable=False):
    """``make()`` over tensors of these (dtype, ndim), or variables of these types, in one language: op, function."""
    op = make()
    op.c_lang = lang
    inputs = [kit.tensor(*t, f"x{i}") if isinstance(t, tuple) else t(f"x{i}") for i, t in enumerate(types)]
    first = In(inputs[0], mutable=True) if mutable else inputs[0]
    return op, opweld.function([first, *inputs[1:]], op(*inputs), mode="FAST_RUN")


def native(value):
    """A copy for the reference: aligned, in native byte order."""
    return value.astype(value.dtype.newbyteorder("=")) if isinstance(value, np.ndarray) else value


def reference(op, node, arguments):
    """What the op's own Python makes of copies of the arguments: results, or the class of the exception."""
    storage = [[None] for _ in node.outputs]
    with np.errstate(all="ignore"):
        try:
            op.perform(node, [native(a) for a in arguments], storage)
        except Exception as err:
            return type(err)
    return [cell[0] for cell in storage]


def same(found, expected):
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)
    else:
        assert found == expected and type(found) is type(expected)


def agree(op, f, *arguments, node=None):
    """C and Python give the same, or raise the same, twice: fresh storage and kept."""
    node = node or op.make_node(*(spec.variable for spec in f.maker.inputs))
    expected = reference(op, node, arguments)
    for _ in range(2):
        if isinstance(expected, type):
            with pytest.raises(expected):
                f(*arguments)
        else:
            found = f(*arguments)
            for one, wanted in zip(found if isinstance(found, list) else [found], expected):
                same(one, wanted)


# -- each op, on any input -------------------------------------------------------------------------------------------


@lang
@given(st.data())
def test_patches(lang, data):
    dtype = data.draw(st.sampled_from(("bool", "float16", "int32", "float64", "complex128")))
    make = data.draw(st.sampled_from(PATCHES))
    agree(*built(make, lang, (dtype, 3)), data.draw(kit.arrays(dtype, 3)))


PATCHES = [
    lambda: patches.Patches((2, 2)),
    lambda: patches.Patches((1, 3), step=(2, 1), pad=1),
]


@lang
@given(st.data())
def test_pooling(lang, data):
    dtype = data.draw(st.sampled_from(("int8", "uint64", "float32", "longdouble")))
    make = data.draw(st.sampled_from(POOLS))
    agree(*built(make, lang, (dtype, 2)), data.draw(kit.arrays(dtype, 2)))


POOLS = [lambda: pooling.PoolArgmax((2, 2)), lambda: pooling.PoolArgmax((2, 3), ignore_border=False)]


@lang
@given(st.data())
def test_cumulate(lang, data):
    dtype, ndim = data.draw(st.sampled_from([("int8", 1), ("float64", 2), ("float32", 3), ("uint64", 2)]))
    make = data.draw(st.sampled_from(CUMULATED[: 4 if ndim > 1 else 2]))
    agree(*built(make, lang, (dtype, ndim)), data.draw(kit.arrays(dtype, ndim)))


CUMULATED = [
    lambda: cumulate.Cumulate(),
    lambda: cumulate.Cumulate(0, product=True),
    lambda: cumulate.Cumulate(1, strict=True),
    lambda: cumulate.Cumulate(1),
]


@lang
def test_cumulate_complex_and_params_share_a_kernel(lang):
    op, f = built(lambda: cumulate.Cumulate(0), lang, ("complex64", 2))
    agree(op, f, (np.arange(6) * (1 + 2j)).astype("complex64").reshape(2, 3))
    x = kit.tensor("float64", 2, "x")
    ops = [cumulate.Cumulate(0), cumulate.Cumulate(1, product=True)]
    for op in ops:
        op.c_lang = lang
    both = opweld.function([x], [op(x) for op in ops])
    assert len(both.maker.program.data["kernels"]) == 1
    assert [result.tolist() for result in both([[1, 2], [3, 4]])] == [[[1, 2], [4, 6]], [[1, 2], [3, 12]]]


@st.composite
def sparse(draw):
    """data, indices, indptr, dense: most fit together."""
    dtypes = draw(st.sampled_from([("float64", "float64"), ("int16", "float32"), ("float32", "int64")]))
    rows = draw(st.integers(0, 4))
    b = draw(kit.arrays(dtypes[1], 2))
    counts = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)) if len(b) else [0] * rows
    nnz = sum(counts)
    data = kit.values(dtypes[0], nnz, seed=nnz)
    indices = draw(st.lists(st.integers(0, max(len(b) - 1, 0)), min_size=nnz, max_size=nnz))
    indptr = np.cumsum([0, *counts])
    if draw(st.integers(0, 4)) == 0:  # spoil it
        indices = [i + draw(st.sampled_from([0, -1, 1, 1000])) for i in indices]
        indptr = indptr[draw(st.integers(0, len(indptr))) :]
        data = data[draw(st.integers(0, 1)) :]
    arrays = [data, np.array(indices, "int32"), np.array(indptr, "int32")]
    layout = draw(st.sampled_from(["contiguous", "record", "misaligned", "swapped", "read only"]))
    return dtypes, [*(kit.LAYOUTS[layout](array) for array in arrays), b]


@lang
@given(sparse())
def test_sparse_times_dense(lang, drawn):
    (sparse_dtype, dense_dtype), arguments = drawn
    types = [(sparse_dtype, 1), ("int32", 1), ("int32", 1), (dense_dtype, 2)]
    agree(*built(csr.CSRTimesDense, lang, *types), *arguments)


@given(kit.arrays("float64", 1), kit.arrays("float64", 1))
@lang
def test_a_library(lang, coefficients, x):
    op, f = built(make_horner, lang, ("float64", 1), ("float64", 1))
    agree(op, f, coefficients, x)


def make_horner():
    return horner.Horner(library[0])


@given(st.data())
def test_ranks(data):
    dtype = data.draw(st.sampled_from(REALS))
    agree(*built(ranking.Ranks, "c++", (dtype, 1)), data.draw(kit.arrays(dtype, 1)))


def test_a_cxx_op_in_the_c_lane_is_told_so():
    with pytest.raises(opweld.CompileError, match=r"Ranks\.c_headers .*"):
        built(ranking.Ranks, "c", ("float64", 1))


@st.composite
def additions(draw):
    dtype = draw(st.sampled_from(["int8", "float64", "complex128"]))
    x = draw(kit.arrays(dtype, 1))
    index = draw(st.lists(st.integers(-len(x) - (not len(x)), max(len(x) - 1, 0)), max_size=6))
    if draw(st.integers(0, 5)) == 0:
        index.append(len(x))
    y = kit.values(dtype, len(index) + (draw(st.integers(0, 5)) == 0), seed=len(index))
    return dtype, [x, np.array(index, "int64"), y]


@lang
@given(additions())
def test_a_copy_that_is_added_to(lang, drawn):
    dtype, arguments = drawn
    x = arguments[0].copy()
    agree(*built(inplace.AddAt, lang, (dtype, 1), ("int64", 1), (dtype, 1)), *arguments)
    np.testing.assert_array_equal(arguments[0], x)


@lang
@given(additions())
def test_in_place(lang, drawn):
    dtype, (x, *rest) = drawn
    make = functools.partial(inplace.AddAt, True)
    op, f = built(in_place, lang, (dtype, 1), ("int64", 1), (dtype, 1), mutable=True)
    node = make().make_node(*(spec.variable for spec in f.maker.inputs))
    x = np.array(x, dtype)  # writeable, native
    expected = reference(op, node, [x.copy(), *rest])
    if isinstance(expected, type):
        with pytest.raises(expected):
            f(x, *rest)
        return
    found = f(x, *rest)
    same(x, expected[0])
    same(found, x)
    assert not np.shares_memory(found, x)


def in_place():
    return inplace.AddAt(inplace=True)


def test_in_place_needs_leave():
    x, i, y = kit.tensor("float64", 1, "x"), kit.tensor("int64", 1, "i"), kit.tensor("float64", 1, "y")
    with pytest.raises(opweld.InconsistencyError, match=r"mutable=True"):
        opweld.function([x, i, y], in_place()(x, i, y))


@lang
@given(st.data())
def test_a_view(lang, data):
    dtype = data.draw(st.sampled_from(("bool", "float16", "float64", "complex64")))
    x = data.draw(kit.arrays(dtype, 2))
    f = built(data.draw(st.sampled_from(DIAGONALS)), lang, (dtype, 2))
    agree(*f, x)


DIAGONALS = [diagonal.Diagonal, lambda: diagonal.Diagonal(1), lambda: diagonal.Diagonal(-2)]


@lang
def test_a_view_is_written_through(lang):
    """A diagonal of the argument, added to in place: the argument changes there, and only there."""
    x, i, y = kit.tensor("float64", 2, "x"), kit.tensor("int64", 1, "i"), kit.tensor("float64", 1, "y")
    view, add = diagonal.Diagonal(1), in_place()
    view.c_lang = add.c_lang = lang
    f = opweld.function([In(x, mutable=True), i, y], add(view(x), i, y))
    value = np.zeros((3, 4))
    assert f(value, [0, -1, -1], [1.0, 2.0, 3.0]).tolist() == [1, 0, 5]
    assert value.tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 5]]


edges = st.lists(st.floats(-1e6, 1e6), max_size=8, unique=True).map(sorted)
interval_sets = edges.map(lambda found: tuple(zip(found[::2], found[1::2])))


@functools.cache
def over_intervals(lang):
    """a, a or b, which of x lie in a or b."""
    of_lang = type("IntervalSet", (intervals.IntervalSet,), {"c_lang": lang})()
    a, b, x = of_lang("a"), of_lang("b"), kit.tensor("float64", 1, "x")
    union, inside = intervals.Union(), intervals.Inside()
    union.c_lang = inside.c_lang = lang

    def joined(a, b):  # the op wants its own type by ==, which compares classes
        return opweld.Apply(union, [a, b], [of_lang()]).outputs[0]

    c = joined(a, b)
    return opweld.function([a, b, x], [a, c, inside(c, x)])


@lang
@given(interval_sets, interval_sets, kit.arrays("float64", 1))
def test_a_type_of_its_own(lang, a, b, x):
    f = over_intervals(lang)
    storage = [[None]]
    intervals.union.perform(None, [a, b], storage)
    (c,) = storage[0]
    if not c:
        with pytest.raises(ValueError, match="the set is empty"):
            f(a, b, x)
        return
    storage = [[None]]
    intervals.inside.perform(None, [c, native(x)], storage)
    found = f(a, b, x)
    same(found[0], a)
    same(found[1], c)
    same(found[2], storage[0][0])


@lang
def test_a_type_of_its_own_around_python(lang):
    """What a ``perform`` reads is made from the struct, and what it gives becomes one."""
    f = over_intervals(lang)
    a, b, _ = (spec.variable for spec in f.maker.inputs)
    shifted = kit.Python(lambda s: [(low + 1, high + 1) for low, high in s], a.type)(a)
    union = opweld.Apply(intervals.union, [shifted, b], [a.type()]).outputs[0]
    g = opweld.function([a, b], union)
    assert g([(0, 1)], ((0.5, 1), (2, 3))) == ((0.5, 3.0),)
    assert g([], []) == ()
    with pytest.raises(ValueError, match="not in order"):
        g(((1, 0),), ())


def jitters(seed, width=1.0):
    x = kit.tensor("float64", 1, "x")
    return opweld.function([x], noise.Jitter(seed, width)(x))


@given(st.sampled_from([0, 1, 2**64 - 1, 12345]), st.lists(kit.arrays("float64", 1), max_size=4))
def test_a_state_of_each_instance(seed, draws):
    op = noise.Jitter(seed)
    node = op.make_node(kit.tensor("float64"))
    f, other = jitters(seed), jitters(seed)
    for x in draws:  # the state goes on from call to call
        (expected,) = reference(op, node, [x])
        same(f(x), expected)
    op = noise.Jitter(seed)
    node = op.make_node(kit.tensor("float64"))
    for x in draws:  # and the other instance has not moved
        (expected,) = reference(op, node, [x])
        same(other(x), expected)


def test_a_state_of_each_apply():
    x = kit.tensor("float64", 1, "x")
    f = opweld.function([x], [noise.Jitter(3)(x), noise.Jitter(3, 2.0)(x), noise.Jitter(4)(noise.Jitter(3)(x))])
    first, twice, _ = f([0.0] * 4)
    assert (twice == 2 * first).all()
    again, _, _ = f([0.0] * 4)
    assert (first != again).all()


# -- nothing is lost -------------------------------------------------------------------------------------------------


def cases():
    """Name, what builds the function in a language, good arguments, arguments that fail, the exception."""
    f8 = ("float64", 1), ("float64", 2), ("float64", 3)
    vector, matrix, cube = np.arange(6.0), np.arange(12.0).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
    index = np.array([0, -1, 2])
    i4 = ("int32", 1)
    pair = ("int64", 1), ("float64", 1)
    csr_good = [np.ones(2), np.array([0, 3], "i4"), np.array([0, 1, 2], "i4"), np.ones((4, 5))]
    csr_bad = [*csr_good[:1], np.array([0, 4], "i4"), *csr_good[2:]]

    def plain(make, *types, **options):
        return lambda lang: built(make, lang, *types, **options)[1]

    yield "patches", plain(PATCHES[0], f8[2]), [cube], [cube[:, :1]], ValueError
    yield "pooling", plain(POOLS[0], f8[1]), [matrix], [matrix[:1]], ValueError
    yield "cumulate", plain(CUMULATED[2], f8[1]), [matrix], [np.full((2, 2), np.nan)], ValueError
    yield "csr", plain(csr.CSRTimesDense, f8[0], i4, i4, f8[1]), csr_good, csr_bad, IndexError
    yield "library", plain(make_horner, f8[0], f8[0]), [vector, vector], [np.ones(65), vector], ValueError
    yield "ranks", plain(ranking.Ranks, f8[0]), [vector], [np.array([1.0, np.nan])], ValueError
    yield "add at", plain(inplace.AddAt, f8[0], *pair), [vector, index, vector[:3]], [vector, index, vector], ValueError
    yield (
        "in place", plain(in_place, f8[0], *pair, mutable=True), [vector.copy(), index, vector[:3]],
        [vector.copy(), index + 9, vector[:3]], IndexError,
    )  # fmt: skip
    yield "view", plain(DIAGONALS[2], f8[1]), [matrix], [matrix[:1]], ValueError
    yield "intervals", over_intervals, [((0, 1),), ((1, 2.5),), vector], [(), (), vector], ValueError
    yield "intervals, late", over_intervals, [((0, 1),), ((1, 2.5),), vector], [((0, 1),), (), "x"], TypeError
    yield "noise", lambda lang: jitters(5), [vector], [matrix], TypeError


CASES = {name: rest for name, *rest in cases()}
CXX_ONLY = ("ranks", "noise")


@pytest.mark.parametrize(("name", "lang"), [(n, to) for n in CASES for to in LANGS if to != "c" or n not in CXX_ONLY])
def test_references_and_blocks_stay(name, lang, references):
    make, good, bad, exception = CASES[name]
    f = make(lang)

    def call():
        f(*good)
        try:
            f(*bad)
        except exception:
            return
        raise AssertionError("did not fail")

    call()
    held = [item for item in good + bad if isinstance(item, np.ndarray)]
    before = references(*held)
    assert kit.left_over(call, CALLS, 20) < 20
    assert references(*held) == before


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="Linux")
@pytest.mark.parametrize("name", ["pooling", "intervals", "noise"])
def test_memory_of_the_fragments_own_is_given_back(name):
    """What ``malloc`` gave: 100 KB a call would be 100 MB."""
    many = tuple((float(i), i + 0.5) for i in range(6000))
    if name == "pooling":
        f, good, bad = built(POOLS[0], "c", ("float64", 2))[1], [np.zeros((2, 25000))], [np.zeros((2, 1))]
    elif name == "intervals":
        f, good, bad = over_intervals("c"), [many, many, np.zeros(1)], [many, many, "x"]
    else:
        x = kit.tensor("float64", 1, "x")
        made = opweld.function([x], noise.Jitter(5)(x)).maker

        def f(*_):
            for _ in range(20):
                made.create()

        good = bad = []

    def call():
        f(*good)
        if bad:
            with pytest.raises((ValueError, TypeError)):
                f(*bad)

    times = 100 if name == "intervals" else 300
    for _ in range(times // 4):
        call()
    before = resident()
    for _ in range(times):
        call()
    assert resident() - before < 4 << 20


def test_a_failure_while_the_state_is_made():
    with pytest.raises(ValueError, match=r"^the width is negative$"):
        jitters(1, -1.0)


# -- together --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_debug_mode_finds_nothing(name):
    make, good, bad, exception = CASES[name]
    f = make("c++")
    g = opweld.function(f.maker.inputs, originals(f), mode="DebugMode")
    found = g(*map(native, good))
    expected = f(*map(native, good))  # a state begins anew in each
    for one, wanted in zip(found, expected if isinstance(expected, list) else [expected]):
        same(one, wanted)
    with pytest.raises(exception):
        g(*bad)


def originals(f):
    """The outputs of a case's function before it was prepared, over the same inputs."""
    inputs = [spec.variable for spec in f.maker.inputs]
    if len(f.maker.fgraph.outputs) == 3:  # `over_intervals`
        c = opweld.Apply(intervals.union, inputs[:2], [inputs[0].type()]).outputs[0]
        return [inputs[0], c, intervals.inside(c, inputs[2])]
    node = next(n for n in f.maker.fgraph.toposort() if type(n.op).__module__.startswith("legacy"))
    return node.op.make_node(*inputs).outputs


@lang
def test_several_in_one_function(lang):
    """A chain over kept temporaries: patches, times a sparse matrix, cumulated, its diagonal."""
    x = kit.tensor("float64", 3, "x")
    data, indices, indptr = kit.tensor("float64", 1, "d"), kit.tensor("int32", 1, "i"), kit.tensor("int32", 1, "p")
    ops = [patches.Patches((2, 2)), csr.CSRTimesDense(), cumulate.Cumulate(0), diagonal.Diagonal()]
    for op in ops:
        op.c_lang = lang
    gather, times, running, diag = ops
    total = running(times(data, indices, indptr, gather(x)))
    f = opweld.function([x, data, indices, indptr], [total, diag(total)])
    for seed in range(3):
        value = kit.values("float64", (1, 3, 3), seed)
        matrix = np.diag([1.0, 2.0, 3.0, 4.0])
        windows = np.array([value[0, r : r + 2, c : c + 2].reshape(-1) for r in range(2) for c in range(2)])
        expected = np.cumsum(matrix @ windows, axis=0)
        found = f(value, np.diag(matrix), np.arange(4, dtype="i4"), np.arange(5, dtype="i4"))
        np.testing.assert_allclose(found[0], expected)
        np.testing.assert_array_equal(found[1], found[0].diagonal())


def test_the_file_is_found_beside_its_class():
    assert Path(cumulate.Cumulate(0).func_files[0]) == NATIVE.parent / "cumulate.c"
    assert TensorType("float64", (None,)) == cumulate.Cumulate().make_node(kit.tensor("float64", 2)).outputs[0].type
