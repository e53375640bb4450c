"""What is computed of complex numbers depends on them alone: not on where they stand, nor on how many there are."""

import numpy as np
import pytest
from test_vector import LEVELS

import opweld
import opweld.tensor as T

pytestmark = pytest.mark.usefixtures("optimized")

PRODUCTS = {
    "product": lambda z, w: z * w,
    "conjugate": lambda z, w: T.conj(z) * w,
    "sum": lambda z, w: z * w + z,
    "difference": lambda z, w: w - z * w,
    "three": lambda z, w: z * w * w,
    "square": lambda z, w: T.square(z) - w,
    "power": lambda z, w: z**3 * w,
    "quotient": lambda z, w: z / w,
    "reciprocal": lambda z, w: T.reciprocal(z) * w,
    "beside": lambda z, w: z * w / (z + 1) - w,
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("level", LEVELS)
def test_alone_and_among_others_they_have_the_same_bits(level, dtype, name):
    """gcc fuses products of complex numbers where it makes vectors of them, though it is told not to contract."""
    z, w = T.vector("z", dtype=dtype), T.vector("w", dtype=dtype)
    f = opweld.function([z, w], PRODUCTS[name](z, w), options={"march": level})
    rng = np.random.default_rng(1)
    a, b = ((rng.normal(size=300) + 1j * rng.normal(size=300)).astype(dtype) for _ in range(2))
    whole = f(a, b)
    alone, few = [slice(n, n + 1) for n in range(300)], [slice(7, 7 + n) for n in range(2, 40)]
    for parts in [*alone, *few, slice(None, None, -3)]:
        assert f(a[parts], b[parts]).tobytes() == whole[parts].tobytes()


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "clongdouble"])
def test_of_several_that_are_not_numbers_the_first_counts(dtype, name):
    """Its other part tells which it was: the first along the axis, as in NumPy, however an array lies."""
    x, y = T.matrix("x", dtype=dtype), T.matrix("y", dtype=dtype)
    f = opweld.function([x, y], [getattr(T, name)(x, axis=0), getattr(T, name)(x + y, axis=1)], options={"threads": 2})
    rng = np.random.default_rng(3)
    for rows, columns in [(n, 3) for n in range(1, 40)] + [(300, 2), (2, 300), (40, 70), (5, 2000), (70_000, 2)]:
        given = rng.integers(-3, 4, (rows, columns)) + 1j * np.arange(rows * columns).reshape(rows, columns)
        given.real[rng.random((rows, columns)) < 0.2] = np.nan
        given = given.astype(dtype)
        zero = np.zeros_like(given)
        with np.errstate(invalid="ignore"):
            wanted = getattr(np, name)(given, axis=0), getattr(np, name)(given + zero, axis=1)
        for a in (given, np.asfortranarray(given), np.repeat(given, 2, axis=1)[:, ::2]):
            for found, want in zip(f(a, zero), wanted, strict=True):
                np.testing.assert_array_equal(found.imag, want.imag)
                np.testing.assert_array_equal(found.real, want.real)
