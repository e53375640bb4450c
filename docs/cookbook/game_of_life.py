"""
Game of Life
============

One step of Conway's game on a torus. Of a cell and its eight neighbours three are alive, or the cell is alive and has
two: it lives.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import signal

import opweld

life = opweld.cop("a: uint8[n, m] -> b: uint8[n, m]", """
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp j = 0; j < m; j++) {
            int alive = -a(i, j);
            for (int k = 0; k < 9; k++) alive += a((i + k / 3 + n - 1) % n, (j + k % 3 + m - 1) % m);
            b(i, j) = alive == 3 || (alive == 2 && a(i, j));
        }
""")

# %%
# That is short, and divides four times for each neighbour. Where it matters, the edges are set apart, so that the inner
# loop runs along three rows and a compiler makes it go through sixteen cells or more at once, as NumPy's loops do:

life_by_rows = opweld.cop("a: uint8[n, m] -> b: uint8[n, m], r: work uint8[3, m + 2]", """
    for (npy_intp i = 0; i < n && m > 0; i++) {
        for (int k = 0; k < 3; k++) {  /* the row above, this one, the one below, each with a cell of the other edge */
            const npy_uint8 *row = a + (i + k + n - 1) % n * m;
            memcpy(&r(k, 1), row, m);
            r(k, 0) = row[m-1], r(k, m + 1) = row[0];
        }
        npy_uint8 *up = r, *here = up + m + 2, *down = here + m + 2, *to = b + i * m;
        for (npy_intp j = 0; j < m; j++) {
            npy_uint8 around = up[j] + up[j+1] + up[j+2] + here[j] + here[j+2] + down[j] + down[j+1] + down[j+2];
            to[j] = (around | here[j+1]) == 3;
        }
    }
""")

# %%
# Five cells, the R pentomino, after 1,103 steps, and how often each cell was alive on the way. The straight lines are
# gliders: they leave over one edge and come back over the other.

cells = np.zeros((300, 300), "uint8")
cells[149:152, 149:152] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]
often = np.zeros(cells.shape, int)
for _ in range(1103):
    cells = life_by_rows(cells)
    often += cells

fig, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
axes[0].imshow(np.log1p(often), cmap="inferno")
axes[0].set_title("how often alive")
axes[1].imshow(cells, cmap="gray_r", interpolation="nearest")
axes[1].set_title(f"step 1,103: {cells.sum()} cells")
for axis in axes:
    axis.set(xticks=[], yticks=[])
plt.show()

# %%
# Half a million cells
# --------------------


def in_scipy(a):
    """Count the neighbours by a convolution."""
    around = signal.convolve2d(a, np.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]], "uint8"), "same", "wrap")
    return ((around == 3) | ((around == 2) & (a == 1))).astype("uint8")


def in_numpy(a):
    """Count the neighbours in shifted copies."""
    around = sum(np.roll(a, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
    return ((around == 3) | ((around == 2) & (a == 1))).astype("uint8")


soup = (np.random.default_rng(1).random((500, 1000)) < 0.4).astype("uint8")
beside({
    "life_by_rows": lambda: life_by_rows(soup),
    "life": lambda: life(soup),
    "NumPy": lambda: in_numpy(soup),
    "scipy.signal.convolve2d": lambda: in_scipy(soup),
})
