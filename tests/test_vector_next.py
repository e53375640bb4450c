"""The next number towards another: the C library's, with its warnings, wherever in an array."""

import warnings

import numpy as np
import pytest
from test_vector import DTYPES, LEVELS, numbers

import opweld
import opweld.tensor as T

pytestmark = pytest.mark.usefixtures("optimized")


def made(level, dtype):
    x, y = T.vector("x", dtype=dtype), T.vector("y", dtype=dtype)
    return opweld.function([x, y], T.nextafter(x, y), options={"march": level})


def pairs(dtype):
    """Of edges and their neighbours all, and numbers of all sizes with others and with themselves."""
    info = np.finfo(dtype)
    edges = np.array([0, 1, 2, np.inf, np.nan, info.tiny, info.smallest_subnormal, info.max], dtype)
    with np.errstate(all="ignore"):
        edges = np.concatenate([edges, np.nextafter(edges, dtype(0)), np.nextafter(edges, dtype(np.inf))])
    edges = np.concatenate([edges, -edges])
    x, y = (side.ravel() for side in np.meshgrid(edges, edges))
    more = numbers(dtype)
    return np.concatenate([x, more, more, more]), np.concatenate([y, more[::-1], more, -more])


@pytest.mark.filterwarnings("ignore:.* encountered in:RuntimeWarning")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_the_next_number_is_numpys(dtype, level):
    dtype = np.dtype(dtype).type
    f, (x, y) = made(level, dtype.__name__), pairs(dtype)
    found = f(x, y)
    with np.errstate(all="ignore"):
        wanted = np.nextafter(x, y)
    np.testing.assert_array_equal(found, wanted)
    plain = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found)[plain], np.signbit(wanted)[plain])
    for size in (1, 3, 17, 70, 600):
        for start in (0, 5, 1000):
            part = slice(start, start + size)
            np.testing.assert_array_equal(f(x[part], y[part]), wanted[part])
    np.testing.assert_array_equal(f(x[::-2], y[::-2]), wanted[::-2])
    assert f(x, y, out=x) is x
    np.testing.assert_array_equal(x, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_only_what_numpy_warns_of_is_said(dtype, level):
    dtype = np.dtype(dtype).type
    f = made(level, dtype.__name__)
    for a, b in zip(*(side[:1200] for side in pairs(dtype)), strict=True):
        if np.isnan(a) or np.isnan(b):
            continue
        said = []
        for call in (f, np.nextafter):
            with warnings.catch_warnings(record=True) as record, np.errstate(all="warn"):
                warnings.simplefilter("always")
                call(np.full(40, a), np.full(40, b))
            said.append(sorted(str(one.message).split(" encountered")[0] for one in record))
        assert said[0] == said[1], (a, b, said)
