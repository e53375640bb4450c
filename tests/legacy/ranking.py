"""Aesara: C++ through and through: std::vector, std::sort, a template, an exception that is caught."""

import numpy as np

from opweld.compat import aesara

COp = aesara.link.c.op.COp
TensorType = aesara.tensor.type.TensorType


class Ranks(COp):
    """Of a vector: its distinct values in order, and for each element the number of its value. NaN is refused."""

    __props__ = ()
    c_lang = "c++"

    def make_node(self, x):
        x = aesara.tensor.as_tensor_variable(x)
        assert x.ndim == 1
        return aesara.graph.basic.Apply(self, [x], [TensorType(x.dtype, (None,))(), TensorType("int64", (None,))()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        if (x != x).any():
            raise ValueError("cannot rank NaN")
        values, ranks = np.unique(x, return_inverse=True)
        output_storage[0][0] = values
        output_storage[1][0] = ranks.astype("int64")

    def c_headers(self):
        return ["<algorithm>", "<stdexcept>", "<vector>"]

    def c_support_code(self):
        return """
        template <typename T>
        static std::vector<T> sorted_values(PyArrayObject* x)
        {
            std::vector<T> values;
            values.reserve(PyArray_DIM(x, 0));
            for (npy_intp i = 0; i < PyArray_DIM(x, 0); i++) {
                const T v = *(const T*)PyArray_GETPTR1(x, i);
                if (v != v)
                    throw std::invalid_argument("cannot rank NaN");
                values.push_back(v);
            }
            std::sort(values.begin(), values.end());
            values.erase(std::unique(values.begin(), values.end()), values.end());
            return values;
        }

        static PyArrayObject* vector_of(npy_intp n, int type_num)
        {
            return (PyArrayObject*)PyArray_EMPTY(1, &n, type_num, 0);
        }
        """

    def c_code(self, node, name, inames, onames, sub):
        (x,) = inames
        values, ranks = onames
        fail = sub["fail"]
        return f"""
        try {{
            std::vector<dtype_{x}> found = sorted_values<dtype_{x}>({x});
            Py_XDECREF({values});
            {values} = vector_of(found.size(), type_num_{values});
            Py_XDECREF({ranks});
            {ranks} = vector_of(PyArray_DIM({x}, 0), NPY_INT64);
            if (!{values} || !{ranks}) {fail}
            std::copy(found.begin(), found.end(), (dtype_{values}*)PyArray_DATA({values}));
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) {{
                const dtype_{x} v = *(dtype_{x}*)PyArray_GETPTR1({x}, i);
                *(npy_int64*)PyArray_GETPTR1({ranks}, i) =
                    std::lower_bound(found.begin(), found.end(), v) - found.begin();
            }}
        }} catch (const std::invalid_argument& error) {{
            PyErr_SetString(PyExc_ValueError, error.what());
            {fail}
        }}
        """

    def c_code_cache_version(self):
        return (1,)
