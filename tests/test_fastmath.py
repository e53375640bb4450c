"""``fastmath=True``: what a compiler may then do to arithmetic, and what stays as it was."""

import ctypes
import shutil

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import toolchain
from opweld.config import config

VALUES = np.random.default_rng(7).standard_normal((64, 65))


def third(**options):
    x = T.dmatrix("x")
    return opweld.function([x], (x - x.mean(axis=1, keepdims=True)) / 3, **options)


@pytest.mark.parametrize("cc", ["gcc", "clang"])
def test_division_by_one_number_is_a_product(cc):
    if not shutil.which(cc):
        pytest.skip(f"{cc} is not installed")
    exact, quick = (third(fastmath=fastmath, options={"cc": cc}) for fastmath in (False, True))
    wanted = (VALUES - VALUES.mean(axis=1, keepdims=True)) / 3
    apart, back = np.repeat(VALUES, 2, axis=1)[:, ::2], VALUES[:, ::-1].copy()[:, ::-1]
    for given in (VALUES, apart, back, np.asfortranarray(VALUES)):
        np.testing.assert_allclose(quick(given), wanted, rtol=1e-11, atol=1e-15)
    assert not np.array_equal(quick(VALUES), exact(VALUES))
    sums = VALUES[:, :64] - VALUES[:, 1:]  # a division of what IEEE 754 fixes
    x = T.dmatrix("x")
    assert np.array_equal(opweld.function([x], x / 3, options={"cc": cc})(sums), sums / 3)


def test_products_and_sums_are_contracted_where_it_is_asked_for():
    if toolchain.march(config.march) < "x86-64-v3":
        pytest.skip("this processor has no fused products")
    x, y, z = T.dvector("x"), T.dvector("y"), T.dvector("z")
    a, b = np.full(40, 1 + 2.0**-30), np.full(40, 1 - 2.0**-30)
    more = {"cflags": "-O2"}  # the tests' -O1 contracts nothing
    exact, quick = (opweld.function([x, y, z], x * y - z, fastmath=fast, options=more) for fast in (False, True))
    assert np.array_equal(exact(a, b, np.ones(40)), np.zeros(40))
    assert np.array_equal(quick(a, b, np.ones(40)), np.full(40, -(2.0**-60)))


def test_nan_infinities_and_warnings_stay():
    x, y = T.dvector("x"), T.dvector("y")
    f = opweld.function([x, y], [x / y, T.isnan(x + y), T.isfinite(x * 1), T.maximum(x, y)], fastmath=True)
    given = np.array([1.0, 0.0, np.nan, -np.inf, 2.0]), np.array([0.0, 0.0, 1.0, 1.0, 4.0])
    with np.errstate(all="ignore"):
        quotients, nans, finite, larger = f(*given)
    np.testing.assert_array_equal(quotients, [np.inf, np.nan, np.nan, -np.inf, 0.5])
    np.testing.assert_array_equal(nans, [False, False, True, False, False])
    np.testing.assert_array_equal(finite, [True, True, False, False, True])
    np.testing.assert_array_equal(larger, [1, 0, np.nan, 1, 4])
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in divide"):
        f([1.0], [0.0])


def test_subnormal_numbers_of_the_process_stay():
    f = third(fastmath=True)
    f(VALUES)
    tiny = ctypes.c_double(5e-324)
    assert tiny.value + tiny.value == 1e-323
    assert np.array_equal(np.full(9, 5e-324) * 2, np.full(9, 1e-323))
    x = T.dvector("x")
    assert np.array_equal(opweld.function([x], x + x, fastmath=True)(np.full(9, 5e-324)), np.full(9, 1e-323))


def test_a_users_c_is_compiled_so_too_and_is_another_module():
    total = opweld.cop("x: float64[n] -> s: float64", "s = 0; for (npy_intp i = 0; i < n; i++) s += x[i] / 10;")
    x = T.dvector("x")
    exact, quick = (opweld.function([x], total(x), fastmath=fast) for fast in (False, True))
    values = np.random.default_rng(3).standard_normal(1001)
    written = 0.0
    for value in values.tolist():
        written += value / 10
    assert exact(values) == written
    assert quick(values) != written
    assert quick(values) == pytest.approx(written, rel=1e-12)


def test_it_is_a_setting_too(monkeypatch):
    monkeypatch.setattr(config, "fastmath", True)
    quick = third()
    monkeypatch.setattr(config, "fastmath", False)
    np.testing.assert_array_equal(quick(VALUES), third(fastmath=True)(VALUES))
    with pytest.raises(TypeError, match="fastmath must be True, False or None, got 'yes'"):
        third(fastmath="yes")


@pytest.mark.parametrize("kind", ["add", "var", "cumsum", "prod"])
def test_folds_and_scans_come_near(kind):
    x = T.dmatrix("x")
    products = (1 + x / 100).prod(axis=1)
    made = {"add": x.sum(axis=0), "var": x.var(axis=1), "cumsum": x.cumsum(axis=1), "prod": products}
    exact, quick = (opweld.function([x], made[kind], fastmath=fast) for fast in (False, True))
    np.testing.assert_allclose(quick(VALUES), exact(VALUES), rtol=1e-10, atol=1e-12)
