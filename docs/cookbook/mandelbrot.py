"""
Mandelbrot's set
================

How many steps each point takes to leave the circle of radius 2. Each takes its own number of them, which is what makes
it slow in NumPy: there all points take as many as the last.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside

import opweld

mandelbrot = opweld.cop("re: float64[m], im: float64[n], limit: int64 = 100 -> k: int64[n, m] = 0", """
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp j = 0; j < m; j++)
            for (double x = 0, y = 0; k(i, j) < limit && x*x + y*y <= 4; k(i, j)++) {
                double t = x*x - y*y + re[j];
                y = 2*x*y + im[i], x = t;
            }
""")

# %%
# The valley of seahorses.

re, im = np.linspace(-0.77, -0.73, 800), np.linspace(0.085, 0.115, 600)
k = mandelbrot(re, im, 600)

plt.figure(figsize=(8, 6), layout="constrained")
plt.imshow(np.where(k < 600, np.log(k), np.nan), cmap="twilight_shifted", origin="lower", extent=(-0.77, -0.73, 0.085, 0.115))
plt.gca().set_facecolor("black")
plt.xlabel("real part")
plt.ylabel("imaginary part")
plt.show()

# %%
# 200 × 300 points
# ----------------


@numba.njit
def in_numba(re, im, limit):
    """The same loops."""
    k = np.zeros((im.size, re.size), np.int64)
    for i in range(im.size):
        for j in range(re.size):
            x = y = 0.0
            while k[i, j] < limit and x * x + y * y <= 4:
                x, y = x * x - y * y + re[j], 2 * x * y + im[i]
                k[i, j] += 1
    return k


def in_numpy(re, im, limit):
    """All points at once, those that have left standing still."""
    x, y, k = np.zeros((im.size, re.size)), np.zeros((im.size, re.size)), np.zeros((im.size, re.size), np.int64)
    for _ in range(limit):
        inside = x * x + y * y <= 4
        x, y = np.where(inside, x * x - y * y + re, x), np.where(inside, 2 * x * y + im[:, None], y)
        k += inside
    return k


re, im = np.linspace(-2, 1, 300), np.linspace(-1, 1, 200)
beside({
    "opweld": lambda: mandelbrot(re, im, 100),
    "Numba": lambda: in_numba(re, im, 100),
    "NumPy": lambda: in_numpy(re, im, 100),
})
