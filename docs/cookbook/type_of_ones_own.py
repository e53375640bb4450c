"""
A type of one's own: intervals
==============================

What an op takes need not be an array. An `Interval` is a pair of Python floats outside, in C two doubles; between two
ops of one graph no Python object is made. Ends are rounded outwards, so that the true result lies within, whatever was
rounded on the way.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from mpmath import iv

import opweld


class Interval(opweld.CType):
    """A pair of floats, the lower first; in C an array of two doubles."""

    __props__ = ()

    def filter(self, value, strict=False, allow_downcast=None):
        low, high = map(float, value)
        if not low <= high:
            raise ValueError(f"Interval: {low} to {high}")
        return low, high

    def values_eq(self, a, b):
        return a == b

    def c_declare(self, name, sub, check_input=True):
        return f"double {name}[2];"

    def c_init(self, name, sub):
        return f"{name}[0] = {name}[1] = 0;"

    def c_extract(self, name, sub, check_input=True, **kwargs):
        return f'if (!PyArg_ParseTuple(py_{name}, "dd", {name}, {name} + 1)) {sub["fail"]}'

    def c_sync(self, name, sub):
        return f"""
            Py_XSETREF(py_{name}, Py_BuildValue("(dd)", {name}[0], {name}[1]));
            if (!py_{name}) {sub["fail"]}
        """

    def c_cleanup(self, name, sub):
        return ""  # doubles own nothing

    def c_code_cache_version(self):
        return (1,)


interval = Interval()


class IntervalOp(opweld.COp):
    """An operation on two intervals; numbers are intervals of width 0."""

    __props__ = ("symbol",)
    CODE = {
        "+": "double low = x[0] + y[0], high = x[1] + y[1];",
        "-": "double low = x[0] - y[1], high = x[1] - y[0];",
        "*": """double a = x[0] * y[0], b = x[0] * y[1], c = x[1] * y[0], d = x[1] * y[1];
                double low = fmin(fmin(a, b), fmin(c, d)), high = fmax(fmax(a, b), fmax(c, d));""",
    }

    def __init__(self, symbol):
        self.symbol = symbol

    def make_node(self, *inputs):
        inputs = [v if isinstance(v, opweld.Variable) else opweld.Constant(interval, (float(v),) * 2) for v in inputs]
        return opweld.Apply(self, inputs, [interval()])

    def c_code(self, node, name, inputs, outputs, sub):
        (x, y), (z,) = inputs, outputs
        return f"""
            const double *x = {x}, *y = {y};
            {self.CODE[self.symbol]}
            {z}[0] = nextafter(low, -INFINITY), {z}[1] = nextafter(high, INFINITY);
        """

    def c_code_cache_version(self):
        return (1,)


add, sub, mul = map(IntervalOp, "+-*")

# %%
# One polynomial, written in two ways: x³ - 3x² + x + 1, and (x - 1)((x - 1)² - 2). They are the same for numbers; of an
# interval they say different things, both true, and the second says more.

x = interval("x")
expanded = add(add(sub(mul(mul(x, x), x), mul(3, mul(x, x))), x), 1)
d = sub(x, 1)
factored = mul(d, sub(mul(d, d), 2))
f = opweld.function([x], [expanded, factored])

edges = np.linspace(-0.8, 2.8, 37)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for low, high in pairwise(edges):
    for axis, (bottom, top) in zip(axes, f((low, high))):
        axis.fill_between([low, high], bottom, top, color="tab:blue", alpha=0.4)
for axis, title in zip(axes, ("x³ - 3x² + x + 1", "(x - 1)((x - 1)² - 2)")):
    t = np.linspace(-0.8, 2.8, 200)
    axis.plot(t, t**3 - 3 * t**2 + t + 1, "k", linewidth=0.8)
    axis.set_title(title)
plt.show()

# %%
# Beside mpmath's intervals
# -------------------------


def in_mpmath(low, high):
    """The same two, with 53 bits."""
    x = iv.mpf([low, high])
    d = x - 1
    both = x * x * x - 3 * (x * x) + x + 1, d * (d * d - 2)
    return tuple((float(each.a), float(each.b)) for each in both)


beside({"opweld": lambda: tuple(f((0.1, 0.2))), "mpmath.iv": lambda: in_mpmath(0.1, 0.2)}, rtol=1e-14)
