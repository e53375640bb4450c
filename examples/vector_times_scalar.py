"""A vector times a scalar: the smallest useful op.

One method holds the C (``c_code``), one says what the op accepts (``make_node``), one is the same thing in NumPy
(``perform``), which is what the C is compared with.

    $ python vector_times_scalar.py
"""

from __future__ import annotations

import numpy as np

import opweld
from opweld import Apply, COp
from opweld.scalar import upcast
from opweld.tensor import TensorType, as_tensor_variable


class VectorTimesScalar(COp):
    """``z[i] = x[i] * y`` in the dtype that NumPy would choose for the product of two arrays."""

    __props__ = ()

    def make_node(self, x, y):
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        if x.type.ndim != 1:
            raise TypeError(f"VectorTimesScalar: x must have 1 dimension, got {x.type.ndim}")
        if y.type.ndim != 0:
            raise TypeError(f"VectorTimesScalar: y must have 0 dimensions, got {y.type.ndim}")
        for name, variable in (("x", x), ("y", y)):
            dtype = np.dtype(variable.type.dtype)
            # float16 is not a type of C: its bits would be multiplied as an integer's.
            if dtype.kind not in "iuf" or dtype == np.float16:
                raise TypeError(
                    f"VectorTimesScalar: {name} has dtype {dtype}; it takes integers, float32, float64 "
                    f"and longdouble: convert with {name}.astype(...) first"
                )
        dtype = upcast(x.type.dtype, y.type.dtype)
        return Apply(self, [x, y], [TensorType(dtype, shape=x.type.shape)()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        output_storage[0][0] = np.multiply(x, y, dtype=node.outputs[0].type.dtype)

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        fail = sub["fail"]
        return f"""
            /* Keep the output of an earlier call where it fits, else make a new one. */
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {fail}
            }}
            {{
                /* Strides are bytes, may be negative or zero, and need not be a multiple of the item's size. */
                const npy_intp n = PyArray_DIM({x}, 0);
                const npy_intp x_step = PyArray_STRIDE({x}, 0), z_step = PyArray_STRIDE({z}, 0);
                const char *x_at = PyArray_BYTES({x});
                char *z_at = PyArray_BYTES({z});
                const dtype_{z} factor = (dtype_{z})*(const dtype_{y} *)PyArray_DATA({y});

                if (x_step == sizeof(dtype_{x}) && z_step == sizeof(dtype_{z})) {{
                    /* Neighbours in memory: the compiler turns this loop into vector instructions. */
                    const dtype_{x} *from = (const dtype_{x} *)x_at;
                    dtype_{z} *to = (dtype_{z} *)z_at;
                    for (npy_intp i = 0; i < n; i++) to[i] = (dtype_{z})from[i] * factor;
                }} else {{
                    for (npy_intp i = 0; i < n; i++, x_at += x_step, z_at += z_step)
                        *(dtype_{z} *)z_at = (dtype_{z})*(const dtype_{x} *)x_at * factor;
                }}
            }}
        """

    def c_code_cache_version(self):
        return (1,)


vector_times_scalar = VectorTimesScalar()


def main() -> None:
    x, y = opweld.tensor.dvector("x"), opweld.tensor.dscalar("y")
    f = opweld.function([x, y], vector_times_scalar(x, y))
    print(f(np.arange(5.0), 2.5))


if __name__ == "__main__":
    main()
