"""What is computed of what folds leave, and of numbers, is computed as their columns end: the same bits, one loop."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import opweld
import opweld.tensor as T

LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "sliced": lambda a: np.repeat(np.repeat(a, 2, -1), 2, -2)[..., ::2, ::2],
    "turned": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
}
SHAPES = [(1, 1), (3, 4), (32, 31), (7, 300), (300, 7), (2, 5000), (5000, 2), (40, 3000)]


def both(inputs: list[Any], outputs: Any, **options: Any) -> tuple[Any, Any]:
    """The function, fused and not."""
    return opweld.function(inputs, outputs, **options), opweld.function(inputs, outputs, fuse=False, **options)


def same(f: Any, plain: Any, *arguments: Any) -> None:
    """Compare each result of the two, bit for bit."""
    for got, want in zip(f(*arguments), plain(*arguments), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_array_equal(got, want)


def loops(f: Any) -> int:
    return len(opweld.fusion(f).loops)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_every_axis_and_layout(axis: Any, keepdims: bool, layout: str) -> None:
    x, n = T.dmatrix("x"), T.dscalar("n")
    total, most = T.sum(x, axis=axis, keepdims=keepdims), T.max(x, axis=axis, keepdims=keepdims)
    f, plain = both([x, n], [T.sqrt(total / (n - 1)) * 2, most * most + n, most])
    assert loops(f) < loops(plain)
    for i, shape in enumerate(SHAPES):
        same(f, plain, LAYOUTS[layout](np.random.default_rng(i).random(shape)), 3.5)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "int64", "uint32", "bool", "complex128", "longdouble"])
def test_every_kind_of_number(dtype: str) -> None:
    x = T.tensor(dtype, (None, None))
    total = T.sum(x, axis=1)
    small = [] if dtype == "complex128" else [T.cast(total, "int16")]
    f, plain = both([x], [total + total, total * np.float32(0.1), T.cast(total, "complex128") / 7, *small])
    rng = np.random.default_rng(2)
    for shape in SHAPES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # float16 that overflows
            same(f, plain, (rng.random(shape) * 100).astype(dtype))


def test_one_loop_of_folds_and_all_that_ends_them() -> None:
    x, n, m = T.dmatrix("x"), T.dscalar("n"), T.lscalar("m")
    mean, square = T.sum(x, axis=1) / n, T.sum(x * x, axis=1) / n
    f, plain = both([x, n, m], [mean, T.sqrt(T.abs(square - mean * mean) + 1e-9), mean / (m - 1)])
    assert loops(f) == 1 and not opweld.fusion(f).reasons()
    same(f, plain, np.random.default_rng(3).random((50, 60)), 60.0, 4)


def test_what_cannot_end_a_fold_is_a_loop_of_its_own() -> None:
    x, w, n, m = T.dmatrix("x"), T.dvector("w"), T.dscalar("n"), T.dscalar("m")
    total = T.sum(x, axis=1)
    for outputs in ([total / w], [T.exp(total / n)], [total / (n - m), n - m], [(x - total.dimshuffle(0, "x")) * n]):
        f, plain = both([x, w, n, m], outputs, on_unused_input="ignore")
        assert loops(f) >= 2
        same(f, plain, np.random.default_rng(4).random((20, 20)), np.arange(1.0, 21), 3.0, 1.0)


def test_what_scans_leave_is_read_by_another_loop() -> None:
    x = T.lmatrix("x")
    scan = T.cumsum(x * x, axis=1)
    f, plain = both([x], [scan * scan + x, T.sum(x, axis=1) * 2])
    same(f, plain, np.arange(12).reshape(3, 4))


def test_integers_that_are_divided_by_zero_name_their_node() -> None:
    x, n = T.lmatrix("x"), T.lscalar("n")
    f = opweld.function([x, n], T.sum(x, axis=1) // n)
    assert f([[7, 8]], 2).tolist() == [7]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert f([[7, 8]], 0).tolist() == (np.array([15]) // np.int64(1) * 0).tolist()
    assert ["divide by zero" in str(one.message) for one in heard] == [True]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_of_nothing(shape: tuple[int, int]) -> None:
    x, n = T.dmatrix("x"), T.dscalar("n")
    f, plain = both([x, n], [T.sum(x, axis=0) * 2 + n, T.prod(x, axis=1) - n, T.sum(x) + n])
    same(f, plain, np.empty(shape), 5.0)
    f = opweld.function([x], T.max(x, axis=0) * 2)
    if shape == (0, 3):
        with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
            f(np.empty(shape))


def test_a_mean_of_nothing_warns_as_numpys() -> None:
    x = T.dmatrix("x")
    f = opweld.function([x], T.sum(x, axis=1) / x.shape[1])
    with pytest.warns(RuntimeWarning, match="invalid value"):
        assert np.isnan(f(np.empty((2, 0)))).all()
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="invalid value"):
        f(np.empty((2, 0)))
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        f(np.empty((2, 0)))


def test_columns_that_lie_far_apart_and_threads() -> None:
    x, n = T.dmatrix("x"), T.dscalar("n")
    outputs = [T.sum(x, axis=0) / n, T.sqrt(T.sum(x * x, axis=0) / n)]
    a = np.random.default_rng(5).random((1100, 2000))
    plain = opweld.function([x, n], outputs, fuse=False)
    for threads in (1, 2):
        f = opweld.function([x, n], outputs, threads=threads)
        same(f, plain, a, 1100.0)
        same(f, plain, np.asfortranarray(a), 1100.0)


def test_out_and_shared_numbers() -> None:
    x, count = T.dmatrix("x"), opweld.shared(4.0, name="count")
    f = opweld.function([x], T.sum(x, axis=1) / count, updates={count: count + 1})
    a = np.arange(12.0).reshape(3, 4)
    out = a[:, 0]  # of the input itself
    want = a.sum(1) / 4
    assert f(a.copy(), out=np.empty(3)).tolist() == want.tolist() and count.get_value() == 5
    assert f(a, out=out).tolist() == (want * 4 / 5).tolist() and a[:, 0].tolist() == (want * 4 / 5).tolist()


def test_debugmode_compares_each_node() -> None:
    x = T.dmatrix("x")
    f = opweld.function([x], T.sqrt(T.var(x, axis=1) + 1e-5), mode="DebugMode")
    a = np.random.default_rng(6).random((5, 6))
    np.testing.assert_allclose(f(a), np.sqrt(a.var(1) + 1e-5), rtol=1e-12)
