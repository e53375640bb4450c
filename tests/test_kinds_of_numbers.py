"""Signbit, isnan, isinf and isfinite: for every kind of number, wherever it lies, at each level of processors."""

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.compile import toolchain

LEVELS = toolchain.LEVELS[: toolchain.LEVELS.index(toolchain.march("native")) + 1]
NAMES = ("signbit", "isnan", "isinf", "isfinite")

pytestmark = pytest.mark.usefixtures("optimized")


def numbers(dtype, size):
    """All kinds, in no order that repeats with a vector's length."""
    info = np.finfo(dtype)
    kinds = [0, 1, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan, np.nan]
    found = np.asarray([*kinds, *(-v for v in kinds)], dtype)
    return np.random.default_rng(0).choice(found, size)


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64", "longdouble"))
@pytest.mark.parametrize("march", LEVELS)
@pytest.mark.parametrize("name", NAMES)
def test_of_nothing_else_as_beside_others(name, march, dtype):
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], getattr(T, name)(x), options={"march": march})
    others = opweld.function([x], [getattr(T, name)(x), x > 0], options={"march": march})
    given = numbers(dtype, 400)
    wanted = getattr(np, name)(given)
    assert 0 < wanted.sum() < wanted.size
    for part in (*(slice(3, 3 + n) for n in range(140)), slice(0), slice(None, None, -1), slice(5, None, 3)):
        found = f(given[part])
        assert found.dtype == bool
        assert found.tobytes() == wanted[part].tobytes() == others(given[part])[0].tobytes(), part


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("march", LEVELS)
@pytest.mark.parametrize("name", NAMES)
def test_into_arrays_at_any_place(name, march, dtype):
    """What lies round them stays, and what lies over the argument is the result all the same."""
    x = T.vector("x", dtype=dtype)
    f = opweld.function([x], getattr(T, name)(x), options={"march": march})
    given = numbers(dtype, 300)
    wanted = getattr(np, name)(given)
    room = np.full(300 + 70, 77, "uint8")
    for at in range(1, 66):
        room[:] = 77
        f(given, out=room[at : at + 300].view(bool))
        assert room[at : at + 300].tobytes() == wanted.tobytes()
        assert (room[:at] == 77).all() and (room[at + 300 :] == 77).all()
    for at in (0, 1, 300, given.nbytes - 300):
        over = given.copy()
        f(over, out=over.view(bool)[at : at + 300])
        assert over.view(bool)[at : at + 300].tobytes() == wanted.tobytes(), at
