"""Compilers of the other language, as `cc = g++` in settings of Theano's: what is C is compiled as C."""

import shutil

import numpy as np
import pytest

import opweld
from opweld import COp
from opweld import tensor as T


class Twice(COp):
    """C that is no C++: what a `void *` is assigned to needs no cast."""

    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        return f"""
        void *given = PyArray_DATA({inputs[0]});
        double *from = given, *to;
        npy_intp i, n = PyArray_SIZE({inputs[0]});
        Py_XDECREF({outputs[0]});
        {outputs[0]} = (PyArrayObject *)PyArray_SimpleNew(1, PyArray_DIMS({inputs[0]}), NPY_DOUBLE);
        if (!{outputs[0]})
            {sub["fail"]}
        to = PyArray_DATA({outputs[0]});
        for (i = 0; i < n; i++)
            to[i] = 2 * from[i];
        """

    def c_code_cache_version(self):
        return (1,)


@pytest.mark.parametrize("driver", ["g++", "clang++", "gcc", "clang"])
@pytest.mark.parametrize("how", ["variable", "setting"])
def test_c_is_compiled_as_c(driver, how, tmp_path, monkeypatch):
    if not shutil.which(driver):
        pytest.skip(f"{driver} is not on this machine")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    if how == "variable":
        monkeypatch.setenv("CC", driver)
    else:
        monkeypatch.setattr(opweld.config, "cc", driver)
    x, y = T.dvector("x"), T.dvector("y")
    a, b = np.arange(7.0), np.linspace(-1, 1, 7)
    cases = [(Twice()(x) + y, 2 * a + b), (T.sum((x + y) * x), ((a + b) * a).sum()), (x[1:] * y[:-1], a[1:] * b[:-1])]
    for made, wanted in cases:
        np.testing.assert_allclose(opweld.function([x, y], made)(a, b), wanted)
