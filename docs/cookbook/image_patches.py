"""
Image patches
=============

Every square of `s` × `s` pixels of an image as a row: what a convolution by a matrix product begins with, or a search
for what patches have in common. `strided` takes the image as it lies, a channel or a crop of it without a copy.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data
from sklearn.feature_extraction.image import extract_patches_2d

import opweld

patches = opweld.cop("image: strided T[r, c], s: int64 -> p: T[r - s + 1, c - s + 1, s, s]", """
    for (npy_intp i = 0; i <= r - s; i++)
        for (npy_intp j = 0; j <= c - s; j++)
            for (npy_intp a = 0; a < s; a++)
                for (npy_intp b = 0; b < s; b++) *p++ = image(i + a, j + b);
""")

# %%
# The 40 patterns of 12 × 12 pixels of which the patches of a photograph are made, the most frequent first: their
# principal components.

with get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)
rows = patches(photo[::2, ::2, 1].astype("float32"), 12).reshape(-1, 144)
rows -= rows.mean(1, keepdims=True)
strength, vectors = np.linalg.eigh(rows.T @ rows)
patterns = vectors.T[::-1][:40].reshape(4, 10, 12, 12)

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", width_ratios=[1, 2.2])
axes[0].imshow(photo[::2, ::2, 1], cmap="gray")
wall = np.pad(patterns, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=np.nan)
axes[1].imshow(wall.transpose(0, 2, 1, 3).reshape(4 * 14, 10 * 14), cmap="gray")
axes[0].set_title("green, every other pixel")
axes[1].set_title(f"{len(rows):,} patches: these 40 make {strength[-40:].sum() / strength.sum():.1%}")
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# 8 × 8 patches of 300 × 256 pixels
# ---------------------------------

image = np.ascontiguousarray(photo[::2, ::2, 1])
beside({
    "opweld": lambda: patches(image, 8),
    "NumPy, a copy of a view": lambda: np.lib.stride_tricks.sliding_window_view(image, (8, 8)).copy(),
    "scikit-learn": lambda: extract_patches_2d(image, (8, 8)).reshape(293, 249, 8, 8),
})
