"""
Dynamic time warping
====================

How alike are two curves, where one may run faster here and slower there? The least sum of differences over all ways to
go through both, and the table from which the way is read.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside

import opweld

warp = opweld.cop("a: T[n], b: T[m] -> cost: T, d: T[n + 1, m + 1] where T: float", """
    for (npy_intp i = 0; i <= n; i++)
        for (npy_intp j = 0; j <= m; j++)
            if (i && j)
                d(i, j) = fabs(a[i-1] - b[j-1]) + fmin(fmin(d(i-1, j), d(i, j-1)), d(i-1, j-1));
            else
                d(i, j) = i || j ? INFINITY : 0;
    cost = d(n, m);
""")

# %%
# One melody, played at an even and at a changing pace.

t = np.linspace(0, 1, 240)
melody = np.interp(np.arange(16 * 15) / 15, np.arange(17), [0, 4, 7, 4, 5, 9, 7, 7, 4, 5, 2, 4, 0, 2, -1, 0, 0])
late = np.interp(t + 0.07 * np.sin(9 * t) - 0.008 * np.sin(30 * t), t, melody)
cost, d = warp(melody, late)

i, j = len(melody), len(late)
way = []
while i and j:
    way.append((i - 1, j - 1))
    i, j = min([(i - 1, j - 1), (i - 1, j), (i, j - 1)], key=lambda place: d[place])
way = np.array(way[::-1])

fig, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained", width_ratios=[2, 1])
axes[0].plot(melody + 14)
axes[0].plot(late)
for i, j in way[::6]:
    axes[0].plot([i, j], [melody[i] + 14, late[j]], color="0.75", linewidth=0.6, zorder=0)
axes[0].set(yticks=[], title=f"sum of differences: {cost:.1f}; note for note: {np.abs(melody - late).sum():.1f}")
axes[1].imshow(d[1:, 1:], cmap="YlGnBu", origin="lower")
axes[1].plot(way[:, 1], way[:, 0], color="tab:red")
plt.show()

# %%
# Two curves of 1,000 points
# --------------------------


@numba.njit
def in_numba(a, b):
    """The same loops."""
    d = np.full((a.size + 1, b.size + 1), np.inf)
    d[0, 0] = 0
    for i in range(1, a.size + 1):
        for j in range(1, b.size + 1):
            d[i, j] = abs(a[i - 1] - b[j - 1]) + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[a.size, b.size], d


one, other = np.random.default_rng(2).normal(size=(2, 1000)).cumsum(1)
beside({"opweld": lambda: warp(one, other), "Numba": lambda: in_numba(one, other)})
