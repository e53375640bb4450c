"""A recurrence: every element needs the two before it, so NumPy alone cannot say it and a Python loop is slow.

$ python fibby.py
"""

from __future__ import annotations

import numpy as np

import opweld
from opweld import Apply, COp
from opweld.tensor import TensorType, as_tensor_variable


class Fibby(COp):
    """``y[i] = y[i-1] * y[i-2] + x[i]``, where ``y[0] = x[0]`` and ``y[1] = x[1]``."""

    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        dtype = np.dtype(x.type.dtype)
        if x.type.ndim != 1:
            raise TypeError(f"Fibby: x must have 1 dimension, got {x.type.ndim}")
        if dtype.kind not in "iuf" or dtype == np.float16:
            raise TypeError(
                f"Fibby: x has dtype {dtype}; it takes integers, float32, float64 and longdouble: "
                "convert with x.astype(...) first"
            )
        return Apply(self, [x], [TensorType(dtype.name, shape=x.type.shape)()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        y = x.copy()
        with np.errstate(over="ignore", invalid="ignore"):
            for i in range(2, len(x)):
                y[i] = y[i - 1] * y[i - 2] + x[i]
        output_storage[0][0] = y

    def c_code(self, node, name, input_names, output_names, sub):
        (x,), (y,) = input_names, output_names
        fail = sub["fail"]
        return f"""
            if ({y} == NULL || PyArray_DIM({y}, 0) != PyArray_DIM({x}, 0)) {{
                Py_CLEAR({y});
                {y} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{y}, 0);
                if ({y} == NULL) {fail}
            }}
            {{
                const npy_intp n = PyArray_DIM({x}, 0);
                const npy_intp x_step = PyArray_STRIDE({x}, 0), y_step = PyArray_STRIDE({y}, 0);
                const char *from = PyArray_BYTES({x});
                char *to = PyArray_BYTES({y});
                dtype_{y} before = 0, last = 0;

                for (npy_intp i = 0; i < n; i++, from += x_step, to += y_step) {{
                    dtype_{y} value = *(const dtype_{x} *)from;
                    if (i >= 2) value = (dtype_{y})(last * before + value);
                    *(dtype_{y} *)to = value;
                    before = last;
                    last = value;
                }}
            }}
        """

    def c_compile_args(self):
        return ["-ffp-contract=off"]  # the product is rounded, then the sum, as in Python

    def c_code_cache_version(self):
        return (1,)


fibby = Fibby()


def main() -> None:
    x = opweld.tensor.dvector("x")
    f = opweld.function([x], fibby(x))
    print(f(np.ones(8)))
    print(f(np.linspace(0.0, 1.0, 16)[::-2]))  # any strides


if __name__ == "__main__":
    main()
