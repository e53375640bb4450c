"""
A pile of sand
==============

Four grains or more on one place topple, one to each side, until none are left to (Bak, Tang and Wiesenfeld, 1987). In
which order does not matter, so the op goes where there is work: a stack of places, each at most once in it. An array at
a time, as in NumPy, looks at every place again and again.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.colors import ListedColormap

import opweld

settle = opweld.cop("""sand: inout int64[n, m]
                       -> topplings: int64, stack: work int64[n*m], waits: work bool[n, m] = 0""", """
    npy_intp top = 0;
    for (npy_intp p = 0; p < n*m; p++)
        if (sand[p] >= 4) stack[top++] = p, waits[p] = true;
    while (top) {
        npy_intp p = stack[--top], to[4] = {p - m, p + m, p - 1, p + 1};
        bool inside[4] = {p >= m, p < n*m - m, p % m > 0, p % m < m - 1};
        npy_int64 grains = sand[p] / 4;
        waits[p] = false, sand[p] %= 4, topplings += grains;
        for (int k = 0; k < 4; k++) {
            if (!inside[k]) continue;
            sand[to[k]] += grains;
            if (sand[to[k]] >= 4 && !waits[to[k]]) waits[to[k]] = true, stack[top++] = to[k];
        }
    }
""")

# %%
# 40,000 grains on one place.

sand = np.zeros((175, 175), "int64")
sand[87, 87] = 40_000
topplings = settle(sand)

plt.figure(figsize=(6, 6), layout="constrained")
plt.imshow(sand, cmap=ListedColormap(["#10182b", "#28527a", "#8ac4d0", "#fbeeac"]), interpolation="nearest")
plt.title(f"{topplings:,} topplings")
plt.axis("off")
plt.show()

# %%
# 2,000 grains
# ------------


def in_numpy(grains):
    """Let every place topple at once, until none has four."""
    sand = np.zeros((61, 61), "int64")
    sand[30, 30] = grains
    while (falls := sand // 4).any():
        sand -= 4 * falls
        sand[1:] += falls[:-1]
        sand[:-1] += falls[1:]
        sand[:, 1:] += falls[:, :-1]
        sand[:, :-1] += falls[:, 1:]
    return sand


def in_opweld(grains):
    """Call the op on as much sand."""
    sand = np.zeros((61, 61), "int64")
    sand[30, 30] = grains
    settle(sand)
    return sand


beside({"opweld": lambda: in_opweld(2000), "NumPy": lambda: in_numpy(2000)}, rtol=0)
