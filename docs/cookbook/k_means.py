"""
k-means: a photograph in eight colours
======================================

Which centre is nearest to each point, and the mean of what is nearest to each, without the array of n × k distances.
Called until the means no longer move.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data
from scipy.cluster import vq

import opweld

kmeans = opweld.cop("x: T[n, d], c: T[k, d] -> label: int64[n] = 0, mean: T[k, d] = 0, size: int64[k] = 0 where T: float", """
    if (!k) fail(ValueError, "no centres");
    for (npy_intp i = 0; i < n; i++) {
        T best = INFINITY;
        for (npy_intp j = 0; j < k; j++) {
            T s = 0;
            for (npy_intp l = 0; l < d; l++) s += (x(i, l) - c(j, l)) * (x(i, l) - c(j, l));
            if (s < best) best = s, label[i] = j;
        }
        size[label[i]]++;
        for (npy_intp l = 0; l < d; l++) mean(label[i], l) += (x(i, l) - mean(label[i], l)) / size[label[i]];
    }
""")

# %%
# The points are the pixels of a photograph, its three colours their coordinates.

with get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)
x = photo.reshape(-1, 3).astype("float64")
centre = x[np.random.default_rng(2).choice(len(x), 8, replace=False)]
before, steps = np.zeros_like(centre), 0
while np.abs(centre - before).max() > 0.5:
    before, steps = centre, steps + 1
    label, centre, size = kmeans(x, before)

fig, axes = plt.subplots(1, 3, figsize=(9, 4.2), layout="constrained", width_ratios=[3, 3, 1])
axes[0].imshow(photo)
axes[0].set_title(f"{len(np.unique(photo.reshape(-1, 3), axis=0)):,} colours")
axes[1].imshow(centre[label].reshape(photo.shape).astype("uint8"))
axes[1].set_title(f"8 colours, after {steps} steps")
order = size.argsort()[::-1]
axes[2].barh(range(8), size[order], color=centre[order] / 255)
axes[2].invert_yaxis()
axes[2].set_title("pixels")
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# One step
# --------


def in_scipy():
    """Label each point, then take the means."""
    label, _ = vq.vq(x, before)
    size = np.bincount(label, minlength=8)
    return label, np.stack([np.bincount(label, each, 8) for each in x.T], axis=1) / size[:, None], size


beside({"opweld": lambda: kmeans(x, before), "scipy.cluster.vq": in_scipy})
