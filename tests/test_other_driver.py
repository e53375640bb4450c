"""Compilers of the other language, as `cc = g++` in settings of Theano's: what is C is compiled as C."""

import shutil

import numpy as np
import pytest

import opweld
from opweld import tensor as T

# C that is no C++: what a `void *` is assigned to needs no cast.
twice = opweld.cop("x: float64[n] -> y: float64[n]", """
    const void *given = x;
    const double *from = given;
    for (npy_intp i = 0; i < n; i++) y[i] = 2 * from[i];
""")


@pytest.mark.parametrize("driver", ["g++", "clang++", "gcc", "clang"])
@pytest.mark.parametrize("how", ["variable", "setting"])
def test_c_is_compiled_as_c(driver, how, own_cache, monkeypatch):
    if not shutil.which(driver):
        pytest.skip(f"{driver} is not on this machine")
    if how == "variable":
        monkeypatch.setenv("CC", driver)
    else:
        monkeypatch.setattr(opweld.config, "cc", driver)
    x, y = T.dvector("x"), T.dvector("y")
    a, b = np.arange(7.0), np.linspace(-1, 1, 7)
    cases = [(twice(x) + y, 2 * a + b), (T.sum((x + y) * x), ((a + b) * a).sum()), (x[1:] * y[:-1], a[1:] * b[:-1])]
    for made, wanted in cases:
        np.testing.assert_allclose(opweld.function([x, y], made)(a, b), wanted)
