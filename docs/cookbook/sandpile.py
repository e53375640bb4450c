"""
A pile of sand
==============

Four grains or more on one place topple, one to each side, until none are left to (Bak, Tang and Wiesenfeld, 1987). In
which order does not matter, so the op goes where there is work: a queue of places, each at most once in it. An array at
a time, as in NumPy, looks at every place again and again.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.colors import ListedColormap

import opweld

settle = opweld.cop("""sand: inout int64[n, m]
                       -> topplings: int64, queue: work int64[n*m], waits: work bool[n, m] = 0""", """
    npy_intp first = 0, count = 0;
    npy_int64 room = NPY_MAX_INT64 / (n*m + 1);  /* no count of topplings can be more */
    for (npy_intp p = 0; p < n*m; p++) {
        if (sand[p] < 0 || sand[p] > room) fail(ValueError, "%lld grains on place %zd", (long long)sand[p], p);
        room -= sand[p];
        if (sand[p] >= 4) queue[count++] = p, waits[p] = true;
    }
    for (; count; count--) {
        npy_intp p = queue[first], to[4] = {p - m, p + m, p - 1, p + 1};
        bool inside[4] = {p >= m, p < n*m - m, p % m > 0, p % m < m - 1};
        npy_int64 falls = sand[p] / 4;
        first = (first + 1) % (n*m);
        waits[p] = false, sand[p] %= 4, topplings += falls;
        for (int k = 0; k < 4; k++) {
            if (!inside[k]) continue;
            sand[to[k]] += falls;
            if (sand[to[k]] >= 4 && !waits[to[k]]) waits[to[k]] = true, queue[(first + count++ - 1) % (n*m)] = to[k];
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
