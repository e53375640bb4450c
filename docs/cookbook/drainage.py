"""
Water draining off a landscape
==============================

Flood the land from its rim, lowest cell first (Priority-Flood: Barnes, Lehman and Mulla, 2014). Each cell drains to
where the flood came from; hollows fill up to where they spill over; taken in reverse, the order of the flood adds up
how many cells drain through each. Every step needs the one before it, and the front is a heap: a loop for C.
"""

import heapq

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data
from matplotlib.colors import LightSource
from scipy import ndimage

import opweld

drain = opweld.cop("""
    land: T[n, m] -> filled: T[n, m], area: int64[n, m] = 1,
    heap: work int64[n*m + 1], came: work int64[n*m], order: work int64[n*m] where T: float
""", """
    #define LESS(a, b) (filled[a] < filled[b] || (filled[a] == filled[b] && a < b))
    npy_intp size = 0, done = 0;
    #define PUSH(cell) do { \\
        npy_intp at = size++; \\
        for (; at && LESS(cell, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2]; \\
        heap[at] = cell; \\
    } while (0)
    for (npy_intp p = 0; p < n*m; p++) {
        if (land[p] != land[p]) fail(ValueError, "land[%zd, %zd] is NaN", p / m, p % m);
        bool rim = p < m || p >= n*m - m || p % m == 0 || p % m == m - 1;
        filled[p] = land[p], came[p] = rim ? p : -1;
        if (rim) PUSH(p);
    }
    while (size) {
        npy_intp p = heap[0], last = heap[--size], at = 0, child;
        for (; (child = 2*at + 1) < size; heap[at] = heap[child], at = child) {
            if (child + 1 < size && LESS(heap[child+1], heap[child])) child++;
            if (!LESS(heap[child], last)) break;
        }
        heap[at] = last, order[done++] = p;
        for (npy_intp i = PyArray_MAX(p / m - 1, 0); i <= p / m + 1 && i < n; i++)
            for (npy_intp j = PyArray_MAX(p % m - 1, 0); j <= p % m + 1 && j < m; j++) {
                npy_intp q = i * m + j;
                if (came[q] >= 0) continue;
                came[q] = p, filled[q] = fmax(land[q], filled[p]);
                PUSH(q);
            }
    }
    while (done--) if (came[order[done]] != order[done]) area[came[order[done]]] += area[order[done]];
""")

# %%
# The Jacksboro fault in Tennessee, as matplotlib ships it.

with get_sample_data("jacksboro_fault_dem.npz") as data:
    land = data["elevation"].astype("float32")
filled, area = drain(land)

fig, axes = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
shade = LightSource(azdeg=315, altdeg=45).hillshade(land, vert_exag=0.1)
axes[0].imshow(shade, cmap="gray")
axes[0].set_title(f"{land.min():.0f} to {land.max():.0f} m")
axes[1].imshow(shade, cmap="gray", alpha=0.35)
image = axes[1].imshow(np.ma.masked_less(np.log10(area), 1.5), cmap="Blues", vmin=0.5)
axes[1].set_title(f"{(filled > land).sum():,} of {land.size:,} cells lie in hollows")
fig.colorbar(image, ax=axes[1], label="log10 of the cells that drain through", shrink=0.8)
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# A part of 80 × 80 cells
# -----------------------
# In Python with `heapq`; and the filled land alone by SciPy, which erodes water that covers all until nothing changes.


def in_python(land):
    """The same way, cell by cell."""
    n, m = land.shape
    filled, area, order, came = land.copy(), np.ones(land.shape, int), [], {}
    rim = [(i, j) for i in range(n) for j in range(m) if i in (0, n - 1) or j in (0, m - 1)]
    heap = [(land[p], p) for p in rim]
    came.update(zip(rim, rim))
    heapq.heapify(heap)
    while heap:
        level, (i, j) = heapq.heappop(heap)
        order.append((i, j))
        for q in [(k, r) for k in range(max(i - 1, 0), min(i + 2, n)) for r in range(max(j - 1, 0), min(j + 2, m))]:
            if q not in came:
                came[q], filled[q] = (i, j), max(land[q], level)
                heapq.heappush(heap, (filled[q], q))
    for p in reversed(order):
        if came[p] != p:
            area[came[p]] += area[p]
    return filled, area


def filled_in_scipy(land):
    """Let water that stands as high as the highest cell run off over the rim."""
    water = np.full_like(land, land.max())
    water[[0, -1]], water[:, [0, -1]] = land[[0, -1]], land[:, [0, -1]]
    while True:
        before, water = water, np.maximum(ndimage.grey_erosion(water, (3, 3), mode="nearest"), land)
        if (water == before).all():
            return water


part = land[100:180, 200:280]
beside({"opweld": lambda: drain(part), "Python": lambda: in_python(part)}, rtol=0)
beside({"opweld": lambda: drain(part)[0], "scipy.ndimage, filled alone": lambda: filled_in_scipy(part)}, rtol=0)
