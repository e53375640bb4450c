"""The ops with C of their own that the benchmarks put into graphs: what opweld takes as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import opweld
import opweld.tensor as T

__all__ = ["blur", "shift", "smooth"]

LONG = Path(__file__).resolve().parent.parent / "gen" / "lint" / "testdata" / "long.c"  # 200 lines


class _OfVector(opweld.COp):
    """A vector of doubles to another, by a loop that opweld cannot look into: `body`, of n elements, `from` to `to`."""

    __props__ = ()
    lost = 0  # so many elements the result is shorter
    body = ""

    def make_node(self, x: Any) -> opweld.Apply:
        x = T.as_tensor_variable(x, ndim=1)
        return opweld.Apply(self, [x], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (y,), fail = inputs, outputs, sub["fail"]
        return f"""
            npy_intp n = PyArray_DIM({x}, 0) - {self.lost}, step = PyArray_STRIDE({x}, 0);
            if (n < 0) n = 0;
            if ({y} == NULL || PyArray_DIM({y}, 0) != n || !PyArray_IS_C_CONTIGUOUS({y})) {{
                Py_XDECREF({y});
                {y} = (PyArrayObject *)PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
                if ({y} == NULL) {fail}
            }}
            double *to = (double *)PyArray_DATA({y});
            const char *from = PyArray_BYTES({x});
            {self.body}
        """

    def c_code_cache_version(self):
        return (2,)


class Blur(_OfVector):
    """The mean of each element and its two neighbours, without the ends."""

    lost = 2
    body = """
            if (step == sizeof(double)) {
                const double *v = (const double *)from;
                for (npy_intp i = 0; i < n; i++) to[i] = (v[i] + v[i + 1] + v[i + 2]) / 3;
            } else {
                for (npy_intp i = 0; i < n; i++, from += step)
                    to[i] = (*(double *)from + *(double *)(from + step) + *(double *)(from + 2 * step)) / 3;
            }
    """


class Shift(_OfVector):
    """x + 1."""

    body = "for (npy_intp i = 0; i < n; i++, from += step) to[i] = *(const double *)from + 1;"


class Smooth(opweld.COp):
    """Weighted means of windows, in 200 lines that are right: the fragment of the lint's own benchmark."""

    __props__ = ()

    def make_node(self, x: Any, weights: Any) -> opweld.Apply:
        x, weights = T.as_tensor_variable(x, ndim=1), T.as_tensor_variable(weights, ndim=1)
        return opweld.Apply(self, [x, weights], [x.type()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,), text = inputs, outputs, LONG.read_text()
        return re.sub(r"\b[xyz]\b", lambda m: {"x": x, "y": y, "z": z}[m[0]], text).replace("FAIL", sub["fail"])

    def c_code_cache_version(self):
        return (1,)


blur, shift, smooth = Blur(), Shift(), Smooth()
