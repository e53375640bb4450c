"""
Dithering
=========

A photograph in black and white alone, by Floyd and Steinberg's rule: what a pixel is made too light or too dark is
shared out among those that come after it. Errors run on from pixel to pixel, so no part of it can be computed alone.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data

import opweld

dither = opweld.cop("grey: float32[n, m] -> white: bool[n, m], x: work float32[n + 1, m + 2] = 0", """
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp j = 0; j < m; j++) {
            float value = grey(i, j) + x(i, j + 1), error = value - (value < 0.5f ? 0 : 1);
            white(i, j) = value >= 0.5f;
            x(i, j + 2) += error * 7 / 16;
            x(i + 1, j) += error * 3 / 16;
            x(i + 1, j + 1) += error * 5 / 16;
            x(i + 1, j + 2) += error * 1 / 16;
        }
""")

with get_sample_data("grace_hopper.jpg") as file:
    grey = (plt.imread(file)[:440, 40:480].mean(2) / 255).astype("float32")

fig, axes = plt.subplots(1, 3, figsize=(10, 3.6), layout="constrained")
for axis, image, title in zip(axes, (grey, grey > 0.5, dither(grey)), ("256 greys", "above one half", "dithered")):
    axis.imshow(image, cmap="gray", interpolation="none")
    axis.set_title(title)
    axis.set_axis_off()
plt.show()

# %%
# Beside Numba
# ------------


@numba.njit
def in_numba(grey):
    """The same loops."""
    n, m = grey.shape
    white, x = np.empty((n, m), np.bool_), np.zeros((n + 1, m + 2), np.float32)
    for i in range(n):
        for j in range(m):
            value = np.float32(grey[i, j] + x[i, j + 1])
            white[i, j] = value >= np.float32(0.5)
            error = np.float32(value - np.float32(white[i, j]))
            x[i, j + 2] += error * np.float32(7) / np.float32(16)
            x[i + 1, j] += error * np.float32(3) / np.float32(16)
            x[i + 1, j + 1] += error * np.float32(5) / np.float32(16)
            x[i + 1, j + 2] += error * np.float32(1) / np.float32(16)
    return white


beside({"opweld": lambda: dither(grey), "Numba": lambda: in_numba(grey)}, rtol=0)
