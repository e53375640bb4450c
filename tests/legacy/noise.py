"""PyTensor: a random state for each instance of the function, in ``_struct`` code, seeded by params."""

from weakref import WeakKeyDictionary

import numpy as np

from opweld.compat import pytensor

Apply = pytensor.graph.basic.Apply
COp = pytensor.link.c.op.COp


class Jitter(COp):
    """x + noise in [0, width): another draw at each call. ``width < 0`` is refused when the function is made."""

    __props__ = ("seed", "width")
    params_type = pytensor.scalar.uint64

    def __init__(self, seed, width=1.0):
        self.seed = seed
        self.width = width
        self._states = WeakKeyDictionary()

    def get_params(self, node):
        return np.uint64(self.seed)

    def make_node(self, x):
        x = pytensor.tensor.as_tensor_variable(x)
        assert x.type.ndim == 1 and x.type.dtype in ("float32", "float64")
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        state = self._states.get(node, self.seed or 1)
        drawn = []
        for _ in x:
            for shift in (13, -7, 17):
                state ^= (state << shift if shift > 0 else state >> -shift) & (2**64 - 1)
            drawn.append((state >> 11) * 2.0**-53 * self.width)
        self._states[node] = state
        output_storage[0][0] = (x + np.array(drawn, "float64")).astype(x.dtype)

    def c_support_code_struct(self, node, name):
        return """
            npy_uint64* state;
            double draw()
            {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                return (double)(*state >> 11) * (1.0 / 9007199254740992.0);
            }
        """

    def c_init_code_struct(self, node, name, sub):
        return """
            state = NULL;
            if (%(width)r < 0) {
                PyErr_SetString(PyExc_ValueError, "the width is negative");
                %(fail)s
            }
            state = (npy_uint64*)malloc(sizeof(*state));
            if (state == NULL) {
                PyErr_NoMemory();
                %(fail)s
            }
            *state = %(params)s ? %(params)s : 1;
        """ % dict(sub, width=self.width)

    def c_cleanup_code_struct(self, node, name):
        return "free(state);"

    def c_code(self, node, name, inames, onames, sub):
        (x,), (z,) = inames, onames
        fail, width = sub["fail"], repr(self.width)
        return f"""
            if ({z} == NULL || PyArray_DIM({z}, 0) != PyArray_DIM({x}, 0)) {{
                Py_XDECREF({z});
                {z} = (PyArrayObject*)PyArray_EMPTY(1, PyArray_DIMS({x}), type_num_{z}, 0);
                if ({z} == NULL) {fail}
            }}
            for (npy_intp i = 0; i < PyArray_DIM({x}, 0); i++) {{
                const double noise = draw() * {width};
                *(dtype_{z}*)PyArray_GETPTR1({z}, i) = *(dtype_{x}*)PyArray_GETPTR1({x}, i) + noise;
            }}
        """

    def c_code_cache_version(self):
        return (1, self.width)
