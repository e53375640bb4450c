"""The next number towards another: the C library's, with its warnings, wherever in an array."""

from functools import partial

import numpy as np
import pytest
from kit import heard
from test_vector import DTYPES, LEVELS, assert_wherever, numbers

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
    with np.errstate(all="ignore"):
        wanted = np.nextafter(x, y)
    assert_wherever(f, x, y, wanted)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("level", LEVELS)
def test_only_what_numpy_warns_of_is_said(dtype, level):
    dtype = np.dtype(dtype).type
    f = made(level, dtype.__name__)
    for a, b in zip(*(side[:1200] for side in pairs(dtype)), strict=True):
        if np.isnan(a) or np.isnan(b):
            continue
        said, wanted = (sorted(heard(partial(of, np.full(40, a), np.full(40, b)))) for of in (f, np.nextafter))
        assert said == wanted, (a, b)
