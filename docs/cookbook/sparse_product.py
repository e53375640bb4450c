"""
Sparse product: heat in a maze
==============================

A sparse matrix by a vector, with the three arrays that SciPy keeps of a CSR matrix. `I` is whatever integers the
indices are; a column that is not there is an IndexError, not a crash.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import sparse

import opweld

csr = opweld.cop("data: T[nnz], indices: I[nnz], indptr: I[r + 1], x: T[c] -> y: T[r] = 0 where I: int32 | int64", """
    for (npy_intp i = 0; i < r; i++) {
        if (indptr[i] < 0 || indptr[i+1] > nnz) fail(IndexError, "row %zd ends outside", i);
        for (npy_intp k = indptr[i]; k < indptr[i+1]; k++) {
            if (indices[k] < 0 || indices[k] >= c) fail(IndexError, "column %ld", (long)indices[k]);
            y[i] += data[k] * x[indices[k]];
        }
    }
""")

# %%
# Heat spreads from the middle through the passages of a maze: what a cell gives to each open neighbour is a fifth of
# the difference.

SIZE = 121
rng = np.random.default_rng(4)
open_ = np.zeros((SIZE, SIZE), bool)
path = [(SIZE // 2 | 1, SIZE // 2 | 1)]
open_[path[0]] = True
while path:  # a depth-first walk that breaks the walls between rooms
    i, j = path[-1]
    ways = [(i + a, j + b) for a, b in ((2, 0), (-2, 0), (0, 2), (0, -2))]
    ways = [(k, m) for k, m in ways if 0 < k < SIZE and 0 < m < SIZE and not open_[k, m]]
    if not ways:
        path.pop()
        continue
    k, m = ways[rng.integers(len(ways))]
    open_[k, m] = open_[(i + k) // 2, (j + m) // 2] = True
    path.append((k, m))

cell = np.arange(SIZE * SIZE).reshape(SIZE, SIZE)
across, down = open_[:, 1:] & open_[:, :-1], open_[1:] & open_[:-1]
one = np.concatenate([cell[:, 1:][across], cell[1:][down]])
other = np.concatenate([cell[:, :-1][across], cell[:-1][down]])
links = sparse.coo_array((np.ones(one.size), (one, other)), shape=(SIZE * SIZE,) * 2)
links = links + links.T
step = (sparse.eye_array(SIZE * SIZE) + 0.2 * (links - sparse.diags_array(links.sum(axis=0)))).tocsr()

heat = np.zeros(SIZE * SIZE)
heat[cell[SIZE // 2 | 1, SIZE // 2 | 1]] = 1
for _ in range(15_000):
    heat = csr(step.data, step.indices, step.indptr, heat)

plt.figure(figsize=(6, 6), layout="constrained")
shown = np.ma.masked_where(~open_, np.log10(heat.reshape(SIZE, SIZE) + 1e-30))
plt.gca().set_facecolor("0.15")
plt.imshow(shown, cmap="inferno", vmin=-9)
plt.axis("off")
plt.colorbar(label="log10 of heat", shrink=0.7)
plt.show()

# %%
# One step
# --------

beside({
    "opweld": lambda: csr(step.data, step.indices, step.indptr, heat),
    "scipy.sparse": lambda: step @ heat,
})
