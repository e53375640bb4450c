"""
Connected components
====================

The cells of a mask that touch by a side have one number. A flood from each cell that has none yet, with a stack that
is the op's own.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import ndimage

import opweld

components = opweld.cop("mask: bool[n, m] -> label: int32[n, m] = 0, count: int32, stack: work int64[n*m]", """
    for (npy_intp s = 0, top = 0; s < n*m; s++) {
        if (!mask[s] || label[s]) continue;
        for (stack[top++] = s, label[s] = ++count; top > 0;) {
            npy_intp p = stack[--top], to[4] = {p - m, p + m, p - 1, p + 1};
            bool inside[4] = {p >= m, p < n*m - m, p % m > 0, p % m < m - 1};
            for (int k = 0; k < 4; k++)
                if (inside[k] && mask[to[k]] && !label[to[k]]) label[to[k]] = count, stack[top++] = to[k];
        }
    }
""")

# %%
# Does water get through? Where more than 59.3 % of the cells are open there is nearly always one component that reaches
# from side to side, and nearly never where fewer are. The largest is shown in white.

rng = np.random.default_rng(9)
fig, axes = plt.subplots(1, 3, figsize=(9, 3.4), layout="constrained")
for axis, share in zip(axes, (0.55, 0.593, 0.64)):
    label, count = components(rng.random((200, 200)) < share)
    size = np.bincount(label.ravel())
    size[0] = 0
    colour = rng.permutation(count + 1) / (2 * count) + 0.2
    colour[[0, size.argmax()]] = 0, 1
    axis.imshow(colour[label], cmap="gnuplot2", interpolation="nearest")
    axis.set(title=f"{share:.1%} open: {count} components", xticks=[], yticks=[])
plt.show()

# %%
# A million cells
# ---------------

mask = rng.random((1000, 1000)) < 0.55
beside({"opweld": lambda: components(mask), "scipy.ndimage.label": lambda: ndimage.label(mask)})
