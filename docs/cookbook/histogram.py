"""
Histogram in two dimensions
===========================

As `numpy.histogram2d` over one range, whose upper end is left out. The points are those that Peter de Jong's map jumps
to, one after the other: two ops, since both are loops.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside

import opweld

hist = opweld.cop("x: T[n], y: T[n], lo: T, hi: T, bins: int64 -> h: int64[bins, bins] = 0 where T: float", """
    if (bins < 1) fail(ValueError, "%zd bins", (npy_intp)bins);
    for (npy_intp k = 0; k < n; k++)
        if (x[k] >= lo && x[k] < hi && y[k] >= lo && y[k] < hi) {
            npy_intp i = (x[k] - lo) * bins / (hi - lo), j = (y[k] - lo) * bins / (hi - lo);
            h(PyArray_MIN(i, bins - 1), PyArray_MIN(j, bins - 1))++;
        }
""")

jumps = opweld.cop("a: float64, b: float64, c: float64, d: float64, n: int64 -> x: float64[n], y: float64[n]", """
    for (npy_intp i = 0; i < n; i++) {
        double u = i ? x[i-1] : 0, v = i ? y[i-1] : 0;
        x[i] = sin(a * v) - cos(b * u), y[i] = sin(c * u) - cos(d * v);
    }
""")

# %%
# Two million jumps.

x, y = jumps(1.4, -2.3, 2.4, -2.1, 2_000_000)
h = hist(x, y, -2, 2, 500)

plt.figure(figsize=(6, 6), layout="constrained")
plt.imshow(np.log1p(h.T), cmap="magma", origin="lower")
plt.axis("off")
plt.show()

# %%
# Beside NumPy
# ------------

beside({
    "opweld": lambda: hist(x, y, -2, 2, 500),
    "numpy.histogram2d": lambda: np.histogram2d(x, y, 500, [[-2, 2], [-2, 2]])[0],
})
