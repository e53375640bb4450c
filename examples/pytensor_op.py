"""An op as PyTensor's users wrote it, with C, inside a graph of PyTensor's that runs here.

The op is unmodified: base class, hooks and cache version are PyTensor's. One word makes the difference,
``mode="OPWELD"``. Run it: python examples/pytensor_op.py
"""

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.link.c.op import COp

import opweld.pytensor  # noqa: F401  (makes the modes known)


class Smooth(COp):
    """An exponentially weighted mean that runs along a vector."""

    __props__ = ("weight",)

    def __init__(self, weight):
        self.weight = float(weight)

    def make_node(self, x):
        x = pt.as_tensor_variable(x)
        return Apply(self, [x], [pt.dvector()])

    def perform(self, node, inputs, outputs):
        found = np.array(inputs[0], "float64")
        for i in range(1, len(found)):
            found[i] = self.weight * found[i - 1] + (1 - self.weight) * found[i]
        outputs[0][0] = found

    def c_code(self, node, name, inputs, outputs, sub):
        (x,), (z,) = inputs, outputs
        return f"""
        npy_intp n = PyArray_DIM({x}, 0);
        if ({z} == NULL || PyArray_DIM({z}, 0) != n) {{
            Py_XDECREF({z});
            {z} = (PyArrayObject *) PyArray_EMPTY(1, &n, NPY_DOUBLE, 0);
            if ({z} == NULL) {{ {sub["fail"]} }}
        }}
        double mean = 0;
        for (npy_intp i = 0; i < n; i++) {{
            dtype_{x} one = *(dtype_{x} *) PyArray_GETPTR1({x}, i);
            mean = i ? {self.weight!r} * mean + (1 - {self.weight!r}) * one : one;
            *(dtype_{z} *) PyArray_GETPTR1({z}, i) = mean;
        }}
        """

    def c_code_cache_version(self):
        return (1,)


def residual(mode):
    """What is left of a signal, squared and scaled, when its running mean is taken away."""
    x = pt.dvector("x")
    rest = x - Smooth(0.9)(pt.log1p(x * x))
    return pytensor.function([x], [rest, (rest**2).mean()], mode=mode)


if __name__ == "__main__":
    signal = np.sin(np.linspace(0, 20, 1000)) + 1
    ours = residual("OPWELD")
    rest, mean = ours(signal)
    wanted, _ = residual("FAST_COMPILE")(signal)
    np.testing.assert_allclose(rest, wanted, rtol=1e-10, atol=1e-12)
    print(f"{len(ours.maker.fgraph.toposort())} nodes run as one function; the mean of squares is {mean:.6f}")
