"""Two vectors, element by element: an op with functions of its own in C.

``c_support_code`` holds what every use of the op shares; ``c_support_code_apply`` what belongs to one pair of dtypes,
so its names carry ``name``. ``vector_times_vector_file.py`` is the same op with its C in a file.

    $ python vector_times_vector.py
"""

from __future__ import annotations

import numpy as np

import opweld
from opweld import Apply, COp
from opweld.scalar import upcast
from opweld.tensor import TensorType, as_tensor_variable


class VectorTimesVector(COp):
    """``z[i] = x[i] * y[i]`` for vectors of one length; a ValueError where the lengths differ."""

    __props__ = ()

    def make_node(self, x, y):
        x, y = as_tensor_variable(x), as_tensor_variable(y)
        for name, variable in (("x", x), ("y", y)):
            if variable.type.ndim != 1:
                raise TypeError(f"VectorTimesVector: {name} must have 1 dimension, got {variable.type.ndim}")
            dtype = np.dtype(variable.type.dtype)
            # float16 is not a type of C. Complex numbers are: C multiplies them as it does any others.
            if dtype.kind not in "biufc" or dtype == np.float16:
                raise TypeError(
                    f"VectorTimesVector: {name} has dtype {dtype}; it takes every numeric dtype but float16: "
                    f"convert with {name}.astype('float32') first"
                )
        return Apply(self, [x, y], [TensorType(upcast(x.type.dtype, y.type.dtype), shape=(None,))()])

    def perform(self, node, inputs, output_storage):
        x, y = inputs
        if len(x) != len(y):
            raise ValueError(f"VectorTimesVector: x has {len(x)} elements, y has {len(y)}")
        output_storage[0][0] = np.multiply(x, y, dtype=node.outputs[0].type.dtype)

    def c_support_code(self):
        return """
            /* True if both are as long; else a ValueError is set. A npy_intp is as wide as %zd. */
            static bool vectors_match(PyArrayObject *x, PyArrayObject *y)
            {
                if (PyArray_DIM(x, 0) == PyArray_DIM(y, 0)) return true;
                PyErr_Format(PyExc_ValueError, "VectorTimesVector: x has %zd elements, y has %zd",
                             (Py_ssize_t)PyArray_DIM(x, 0), (Py_ssize_t)PyArray_DIM(y, 0));
                return false;
            }
        """

    def c_support_code_apply(self, node, name):
        x, y, z = (f"npy_{variable.type.dtype}" for variable in (*node.inputs, *node.outputs))
        times = "&&" if z == "npy_bool" else "*"
        return f"""
            static void multiply_{name}(npy_intp n, const char *x, npy_intp x_step, const char *y, npy_intp y_step,
                                        char *z, npy_intp z_step)
            {{
                if (x_step == sizeof({x}) && y_step == sizeof({y}) && z_step == sizeof({z})) {{
                    const {x} *a = (const {x} *)x;
                    const {y} *b = (const {y} *)y;
                    {z} *to = ({z} *)z;
                    for (npy_intp i = 0; i < n; i++) to[i] = ({z})a[i] {times} ({z})b[i];
                }} else {{
                    for (npy_intp i = 0; i < n; i++, x += x_step, y += y_step, z += z_step)
                        *({z} *)z = ({z})*(const {x} *)x {times} ({z})*(const {y} *)y;
                }}
            }}
        """

    def c_code(self, node, name, input_names, output_names, sub):
        (x, y), (z,) = input_names, output_names
        fail = sub["fail"]
        return f"""
            if (!vectors_match({x}, {y})) {fail}
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_CLEAR({z});
                {z} = (PyArrayObject *)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {fail}
            }}
            multiply_{name}(PyArray_DIM({x}, 0), PyArray_BYTES({x}), PyArray_STRIDE({x}, 0),
                            PyArray_BYTES({y}), PyArray_STRIDE({y}, 0), PyArray_BYTES({z}), PyArray_STRIDE({z}, 0));
        """

    def c_code_cache_version(self):
        return (1,)


vector_times_vector = VectorTimesVector()


def main() -> None:
    x, y = opweld.tensor.dvector("x"), opweld.tensor.ivector("y")
    f = opweld.function([x, y], vector_times_vector(x, y))
    print(f(np.linspace(0.0, 1.0, 5), np.arange(5, dtype="int32")))
    try:
        f(np.zeros(3), np.zeros(4, dtype="int32"))
    except ValueError as error:
        print(f"ValueError: {error}")


if __name__ == "__main__":
    main()
