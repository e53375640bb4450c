"""
Distance to the coast
=====================

How far is each cell of a mask from the nearest one that is not set? Exactly, in two sweeps (Felzenszwalb and
Huttenlocher, 2012): squares of distances along each column, then in each row the lower envelope of the parabolas that
stand on them.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data
from scipy import ndimage

import opweld

distance = opweld.cop("mask: bool[n, m] -> d: float64[n, m], f: work float64[m], at: work int64[m], from: work float64[m + 1]", """
    for (npy_intp j = 0; j < m; j++) {  /* along columns: down, then up */
        double far = INFINITY;
        for (npy_intp i = 0; i < n; i++) d(i, j) = far = mask(i, j) ? far + 1 : 0;
        for (npy_intp i = n; i-- > 0;) d(i, j) = far = fmin(d(i, j), far + 1);
    }
    for (npy_intp i = 0; i < n; i++) {
        npy_intp k = -1;
        for (npy_intp j = 0; j < m; j++) {
            if (isinf(f[j] = d(i, j) * d(i, j))) continue;
            double cross = -INFINITY;
            for (; k >= 0; k--) {
                cross = (f[j] + j*j - f[at[k]] - at[k]*at[k]) / (2. * (j - at[k]));
                if (cross > from[k]) break;
            }
            at[++k] = j, from[k] = k ? cross : -INFINITY, from[k+1] = INFINITY;
        }
        if (k < 0) continue;  /* nothing in the whole mask is unset */
        for (npy_intp j = 0, k = 0; j < m; j++) {
            while (from[k+1] < j) k++;
            d(i, j) = sqrt(f[at[k]] + (j - at[k]) * (j - at[k]));
        }
    }
""")

# %%
# Vancouver Island, as matplotlib ships it: of the sea how far the land is, and of the land the sea.

with get_sample_data("topobathy.npz") as data:
    land = data["topo"][::-1] > 0
far = np.where(land, distance(land), -distance(~land))

plt.figure(figsize=(8, 5.6), layout="constrained")
image = plt.imshow(far, cmap="BrBG_r", vmin=-25, vmax=25)
plt.contour(far, [0], colors="k", linewidths=0.7)
plt.contour(far, range(-40, 41, 5), colors="k", linewidths=0.2)
plt.axis("off")
plt.colorbar(image, label="cells to the coast", shrink=0.8)
plt.show()

# %%
# A million cells
# ---------------

mask = np.random.default_rng(1).random((1000, 1000)) < 0.999
beside({"opweld": lambda: distance(mask), "scipy.ndimage": lambda: ndimage.distance_transform_edt(mask)})
