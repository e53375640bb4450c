"""The files in examples/: what they compute, what they refuse, and that nothing is lost or leaked on the way."""

from __future__ import annotations

import gc
import importlib
import math
import os
import subprocess
import sys
import zlib

import kit
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit import EXAMPLES
from kit import example as load

import opweld
from opweld.tensor import TensorType

REALS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "longdouble"]
COMPLEX = ["complex64", "complex128", "clongdouble"]


vector_times_scalar = load("vector_times_scalar").vector_times_scalar
vector_times_vector = load("vector_times_vector").vector_times_vector
vector_times_vector_file = load("vector_times_vector_file").vector_times_vector_file
fibby = load("fibby").fibby
drainage = load("drainage").drainage
doubles = load("double_type")
gray_scott = load("gray_scott")
laplacian = gray_scott.laplacian

_functions = {}


def variable(dtype, ndim, name=None):
    return TensorType(np.dtype(dtype).name, (None,) * ndim)(name)


def compiled(op, *types):
    """``op`` over tensors of these (dtype, ndim) as a function; each is built once."""
    key = (op, types)
    if key not in _functions:
        inputs = [variable(dtype, ndim, f"x{i}") for i, (dtype, ndim) in enumerate(types)]
        _functions[key] = opweld.function(inputs, op(*inputs))
    return _functions[key]


def run(op, *arrays):
    result = compiled(op, *((a.dtype.name, a.ndim) for a in arrays))(*arrays)
    return result if isinstance(result, list) else [result]


def reference(op, *arrays):
    node = op.make_node(*(variable(a.dtype, a.ndim) for a in arrays))
    storage = [[None] for _ in node.outputs]
    op.perform(node, list(arrays), storage)
    return [cell[0] for cell in storage]


def check(op, *arrays, exact=True):
    before = [a.copy() for a in arrays]
    for ours, theirs in zip(run(op, *arrays), reference(op, *arrays), strict=True):
        assert ours.dtype == theirs.dtype
        if exact:
            np.testing.assert_array_equal(ours, theirs)
        else:
            np.testing.assert_allclose(ours, theirs, rtol=4 * np.finfo(ours.dtype).eps)
        assert not any(np.may_share_memory(ours, a) for a in arrays)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


def values(dtype, shape, seed=0):
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


LAYOUTS = {
    "contiguous": lambda a: a,
    "reversed": lambda a: a[..., ::-1],
    "sliced": lambda a: a[..., 1::3],
    "zero stride": lambda a: np.broadcast_to(a[..., :1], a.shape),
    "fortran": np.asfortranarray,
    "empty": lambda a: a[..., :0],
    "one": lambda a: a[..., :1],
    "field": lambda a: fielded(a),
}


def fielded(a):
    """The same values as a field of records: the stride is no multiple of the item's size."""
    records = np.zeros(a.shape, dtype=np.dtype([("a", a.dtype), ("b", "u1")], align=True))
    records["a"] = a
    return records["a"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", REALS)
def test_vector_times_scalar(dtype, layout):
    x = LAYOUTS[layout](values(dtype, 20))
    check(vector_times_scalar, x, values(dtype, (), 1))
    check(vector_times_scalar, x, np.array(3, dtype="int16"))


@pytest.mark.parametrize("op", [vector_times_vector, vector_times_vector_file], ids=["methods", "file"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", REALS + COMPLEX)
def test_vector_times_vector(op, dtype, layout):
    x, y = values(dtype, 20), values(dtype, 20, 1)
    exact = np.dtype(dtype).kind != "c"
    check(op, LAYOUTS[layout](x), LAYOUTS[layout](y), exact=exact)
    if layout in ("contiguous", "reversed", "zero stride", "field"):
        check(op, LAYOUTS[layout](x), y, exact=exact)


@pytest.mark.parametrize(
    "pair", [("int64", "float32"), ("float32", "int16"), ("uint64", "int8"), ("complex64", "int64")]
)
@pytest.mark.parametrize("op", [vector_times_vector, vector_times_vector_file], ids=["methods", "file"])
def test_two_dtypes_are_multiplied_in_the_dtype_of_the_output(op, pair):
    """2^40 + 1 times 1 is not what float32 makes of it."""
    x = np.array([1, 2, 3]).astype(pair[0])
    if pair[0] == "int64":
        x = x + (1 << 40)
    check(op, x, np.array([1, 3, 5]).astype(pair[1]))


@pytest.mark.parametrize("pair", [("bool", "bool"), ("bool", "int32"), ("float64", "bool")])
def test_vector_times_vector_takes_bool(pair):
    check(vector_times_vector, values(pair[0], 9), values(pair[1], 9, 1))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", REALS)
def test_fibby(dtype, layout):
    check(fibby, LAYOUTS[layout](values(dtype, 30)))


def test_fibby_computes_what_its_name_says():
    (y,) = run(fibby, np.ones(6))
    assert y.tolist() == [1, 1, 2, 3, 7, 22]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", REALS)
def test_drainage(dtype, layout):
    land = values("uint8" if np.dtype(dtype).kind == "u" else "int8", (7, 9)).astype(dtype)
    check(drainage, LAYOUTS[layout](land))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_laplacian(dtype, layout):
    check(laplacian, LAYOUTS[layout](values(dtype, (7, 20))))
    check(laplacian, LAYOUTS[layout](values(dtype, (20, 7)).T))


@pytest.mark.parametrize("shape", [(0, 0), (1, 5), (2, 3), (3, 3), (5, 0)])
def test_laplacian_of_what_has_no_middle(shape):
    x = np.ones(shape)
    (y,) = run(laplacian, x)
    assert y.shape == tuple(max(size - 2, 0) for size in shape) and not y.any()


def test_laplacian_knows_its_sizes():
    assert laplacian(np.ones((5, 2))).type.shape == (3, 0)
    assert laplacian(variable("float32", 2)).type.shape == (None, None)


def test_a_reaction_goes_as_it_does_in_numpy():
    """The state is the functions' own: steps change it, looking does not."""
    dish, reference, mixtures = gray_scott.Dish(40), gray_scott.InNumPy(40), gray_scott.mixtures(40)
    step, look = dish.step(), dish.look()
    before = look()
    assert before.shape == (40, 40, 3) and before.dtype == np.uint8
    np.testing.assert_array_equal(look(), before)
    for _ in range(50):
        got, (wanted,) = step(*mixtures), reference(*mixtures)
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(dish.u.get_value(), reference.u)
    np.testing.assert_array_equal(dish.v.get_value(), reference.v)
    assert (look() != before).any()


def test_patterns_are_written(tmp_path):
    image, graph = tmp_path / "a.png", tmp_path / "b.svg"
    v = gray_scott.draw(str(image), str(graph), steps=3, size=32)
    assert v.shape == (32, 32)
    data = image.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and data[16:24] == bytes([0, 0, 0, 32] * 2)
    at = data.index(b"IDAT")
    lines = zlib.decompress(data[at + 4 : data.index(b"IEND") - 8])
    assert len(lines) == 32 * (1 + 3 * 32) and lines[0] == 0
    assert "Laplacian" in graph.read_text() and "gray_scott.py" in graph.read_text()


def test_drainage_loses_no_water():
    """What leaves over the rim is what fell: a plane tilted to one side drains wholly over it."""
    land = np.add.outer(np.arange(6.0), np.zeros(4))
    filled, area = run(drainage, land)
    assert (filled == land).all() and area[0].sum() >= 6
    (filled, area) = run(drainage, np.pad(np.zeros((3, 3)), 1, constant_values=2.0))
    assert (filled == 2.0).all()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_strides(data):
    """Views that hypothesis chooses: any start, stop and step of each array."""
    n = data.draw(st.integers(0, 12))
    dtype = data.draw(st.sampled_from(["int8", "float32", "float64"]))

    def view(seed):
        step = data.draw(st.sampled_from([-3, -2, -1, 0, 1, 2, 3]))
        base = values(dtype, max(1, n * max(1, abs(step))), seed)
        if step == 0:
            return np.broadcast_to(base[:1], (n,))
        return base[::step][:n]

    x, y = view(1), view(2)
    check(vector_times_vector, x, y)
    check(vector_times_vector_file, x, y)
    check(vector_times_scalar, x, np.array(3, dtype=dtype))
    check(fibby, x)


@pytest.mark.parametrize("op", [vector_times_vector, vector_times_vector_file], ids=["methods", "file"])
def test_ten_million_elements(op):
    x = np.arange(1e7)
    z = run(op, x[::-1], x)[0]
    np.testing.assert_array_equal(z, x[::-1] * x)


def test_out_is_kept_where_it_fits():
    f = compiled(vector_times_vector, ("float64", 1), ("float64", 1))
    x, y = np.arange(4.0), np.arange(4.0) + 1
    out = np.full(8, -1.0)[::2]
    assert f(x, y, out=out) is out
    np.testing.assert_array_equal(out, x * y)
    g = compiled(drainage, ("int16", 2))
    land = values("int16", (5, 6))
    pair = [np.asfortranarray(np.zeros((5, 6), "int16")), np.zeros((5, 6), "int64")[::-1]]
    got = g(land, out=pair)
    assert got[0] is pair[0] and got[1] is pair[1]
    for ours, theirs in zip(pair, reference(drainage, land), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("op", [vector_times_vector, vector_times_vector_file], ids=["methods", "file"])
def test_lengths_that_differ(op):
    with pytest.raises(ValueError, match=r"(?m)^VectorTimesVector(File)?: x has 3 elements, y has 4$"):
        run(op, np.zeros(3), np.zeros(4))


def test_drainage_refuses_nan():
    land = np.zeros((4, 5))
    land[2, 3] = np.nan
    with pytest.raises(ValueError, match=r"(?m)^Drainage: elevation\[2, 3\] is NaN$"):
        run(drainage, land)


@pytest.mark.parametrize(
    ("op", "types", "message"),
    [
        (vector_times_scalar, [("float64", 2), ("float64", 0)], "x must have 1 dimension, got 2"),
        (vector_times_scalar, [("float64", 1), ("float64", 1)], "y must have 0 dimensions, got 1"),
        (vector_times_scalar, [("float16", 1), ("float64", 0)], "x has dtype float16"),
        (vector_times_scalar, [("float64", 1), ("complex64", 0)], "y has dtype complex64"),
        (vector_times_vector, [("float64", 1), ("float64", 2)], "y must have 1 dimension, got 2"),
        (vector_times_vector, [("float16", 1), ("int64", 1)], "x has dtype float16"),
        (vector_times_vector_file, [("float64", 1), ("bool", 1)], "y has dtype bool"),
        (vector_times_vector_file, [("float64", 0), ("bool", 1)], "x must have 1 dimension, got 0"),
        (fibby, [("float64", 2)], "x must have 1 dimension, got 2"),
        (fibby, [("bool", 1)], "x has dtype bool"),
        (drainage, [("float64", 1)], "elevation must have 2 dimensions, got 1"),
        (drainage, [("float16", 2)], "elevation has dtype float16"),
        (laplacian, [("int64", 2)], "x has dtype int64"),
    ],
)
def test_what_an_op_cannot_do_is_refused_when_the_graph_is_made(op, types, message):
    with pytest.raises(TypeError, match=message):
        op(*(variable(dtype, ndim) for dtype, ndim in types))


@pytest.fixture(scope="module")
def f():
    x, y, z = (doubles.double(name) for name in "xyz")
    return opweld.function([x, y, z], doubles.mul(doubles.add(x, y), z))


class TestDouble:
    def test_values(self, f):
        assert f(1.0, 2.0, 3.0) == 9.0
        assert type(f(1.0, 2.0, 3.0)) is float
        assert f(1, np.float32(0.5), z=True) == 1.5
        assert math.isnan(f(math.nan, 1.0, 1.0))
        assert f(1e308, 1e308, 1.0) == math.inf

    @pytest.mark.parametrize("bad", ["1.0", None, 1j, [1.0], 2**53 + 1, 10**400])
    def test_what_is_no_double(self, f, bad):
        with pytest.raises(TypeError, match="Double: "):
            f(1.0, bad, 1.0)

    def test_a_plain_number_becomes_a_constant(self):
        x = doubles.double("x")
        f = opweld.function([x], doubles.mul(doubles.add(x, 1), 0.5))
        assert f(3.0) == 2.0

    def test_only_doubles(self):
        with pytest.raises(TypeError, match="expected double"):
            doubles.add(doubles.double("x"), opweld.tensor.dscalar("y"))

    def test_strict(self):
        with pytest.raises(TypeError):
            doubles.double.filter(1, strict=True)
        assert doubles.double.filter(1.5, strict=True) == 1.5

    def test_values_eq_approx(self):
        eq = doubles.double.values_eq_approx
        assert eq(0.0, 0.0) and eq(-1.0, -1.0 - 1e-12) and eq(math.nan, math.nan) and eq(math.inf, math.inf)
        assert not eq(1.0, -1.0) and not eq(0.0, 1.0) and not eq(math.inf, -math.inf)


GOOD = {
    "vector_times_scalar": (vector_times_scalar, lambda: (np.arange(7.0), np.array(2.0))),
    "vector_times_vector": (vector_times_vector, lambda: (np.arange(7.0), np.arange(7.0))),
    "vector_times_vector_file": (vector_times_vector_file, lambda: (np.arange(7.0), np.arange(7.0))),
    "fibby": (fibby, lambda: (np.ones(9)[::2],)),
    "drainage": (drainage, lambda: (values("float64", (6, 7)),)),
    "laplacian": (laplacian, lambda: (values("float64", (6, 7)),)),
}
BAD = {
    "vector_times_scalar": lambda: (np.arange(7.0), np.arange(2.0)),
    "vector_times_vector": lambda: (np.arange(7.0), np.arange(8.0)),
    "vector_times_vector_file": lambda: (np.arange(7.0), np.arange(8.0)),
    "fibby": lambda: (np.ones((9, 2)),),
    "drainage": lambda: (np.full((6, 7), np.nan),),
    "laplacian": lambda: (np.zeros(3),),
}


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def steady(call, watched):
    """1,000 calls move no reference count and no block; resident memory stays where it is."""
    for _ in range(200):
        call()
    gc.collect()
    counts = [sys.getrefcount(object) for object in watched]
    none = sys.getrefcount(None)
    memory = resident()
    grown = kit.left_over(call, 1000, 50)
    assert [sys.getrefcount(object) for object in watched] == counts
    if sys.version_info < (3, 12):  # None is immortal from there on
        assert abs(sys.getrefcount(None) - none) < 100
    assert grown < 50
    assert resident() - memory < 1 << 20


@pytest.mark.parametrize("name", GOOD)
def test_good_calls_leak_nothing(name):
    op, arguments = GOOD[name]
    arrays = arguments()
    f = compiled(op, *((a.dtype.name, a.ndim) for a in arrays))
    outputs = f(*arrays)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    steady(lambda: f(*arrays), [*arrays, *outputs])
    out = outputs if len(outputs) > 1 else outputs[0]
    steady(lambda: f(*arrays, out=out), [*arrays, *outputs])


@pytest.mark.parametrize("name", GOOD)
def test_failing_calls_leak_nothing(name):
    op, arguments = GOOD[name]
    f = compiled(op, *((a.dtype.name, a.ndim) for a in arguments()))
    arrays = BAD[name]()
    outputs = f(*arguments())
    outputs = outputs if isinstance(outputs, list) else [outputs]
    out = outputs if len(outputs) > 1 else outputs[0]

    def call(**more):
        try:
            f(*arrays, **more)
        except (TypeError, ValueError):
            return
        raise AssertionError("the call should have failed")

    steady(call, [*arrays, *outputs])
    steady(lambda: call(out=out), [*arrays, *outputs])


def test_double_leaks_nothing(f):
    a, b, c = 1.25, 2.5, 3.75
    steady(lambda: f(a, b, c), [a, b, c])

    def fail():
        with pytest.raises(TypeError):
            f(a, b, "c")

    steady(fail, [a, b])


@pytest.mark.parametrize("name", ["vector_times_scalar", "vector_times_vector", "vector_times_vector_file", "fibby",
                                  "double_type", "gray_scott"])  # fmt: skip
def test_each_file_runs_as_it_stands(name, tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_demo_help_and_usage():
    for arguments, code in ((["--help"], 0), (["nothing"], 2)):
        done = subprocess.run([sys.executable, str(EXAMPLES / "demo.py"), *arguments], capture_output=True, text=True)
        assert done.returncode == code, done.stderr


def test_demo_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "demo.py"), "vector_times_scalar", "double_type", "gray_scott"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "C and Python agree in every example" in done.stdout
    assert done.stdout.count("largest difference   0\n") == 3
    assert {path.name for path in (tmp_path / "demo-output").iterdir()} == {"patterns.png", "patterns-graph.svg"}
    *_, title, first, second, _, last = done.stdout.rstrip("\n").split("\n")
    assert title == "pictures:" and [first.strip(), second.strip()] == [
        str(tmp_path / "demo-output" / name) for name in ("patterns.png", "patterns-graph.svg")
    ]
    assert last.startswith("next: docs/tutorial/first.md") and (EXAMPLES.parent / "docs/tutorial/first.md").exists()


OPS_AND_TYPES = (
    "vector_times_scalar", "vector_times_vector", "vector_times_vector_file", "fibby", "double_type", "drainage",
    "gray_scott",
)  # fmt: skip
FRAGMENTS = (opweld.COp, opweld.ExternalCOp, opweld.CType)


@pytest.mark.parametrize("name", OPS_AND_TYPES)
def test_the_same_text_as_cxx(name, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    demo = importlib.import_module("demo")
    (case,) = [case for case in demo.cases() if case.name == name]
    for module in [importlib.import_module(m) for m in OPS_AND_TYPES]:
        for thing in vars(module).values():
            if isinstance(thing, type) and thing.__module__ == module.__name__ and issubclass(thing, FRAGMENTS):
                monkeypatch.setattr(thing, "c_lang", "c++")
    f = case.function()
    assert f.maker.built.path.endswith(".so") and opweld.source(f).count('"opweld.cc"') > 0
    arguments = case.arguments()
    found = f(*arguments)
    for got, wanted in zip(found if isinstance(found, list) else [found], case.reference(*arguments)):
        np.testing.assert_array_equal(got, wanted)
