"""
Local alignment
===============

Smith and Waterman's table: where two sequences are alike, whatever lies before and behind. Here they are the two chains
of human haemoglobin; their genes were one some 450 million years ago.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside

import opweld

align = opweld.cop("""a: uint8[n], b: uint8[m], match: int64 = 2, miss: int64 = -1, gap: int64 = -1
                      -> best: int64, h: int64[n + 1, m + 1] = 0""", """
    for (npy_intp i = 1; i <= n; i++)
        for (npy_intp j = 1; j <= m; j++) {
            npy_int64 s = h(i-1, j-1) + (a[i-1] == b[j-1] ? match : miss), g = PyArray_MAX(h(i-1, j), h(i, j-1)) + gap;
            h(i, j) = PyArray_MAX(PyArray_MAX(s, g), 0);
            best = PyArray_MAX(best, h(i, j));
        }
""")

# %%
# The table is made in C; the way back through it has some 150 steps and may stay Python.

alpha = np.frombuffer(
    b"MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTL"
    b"AAHLPAEFTPAVHASLDKFLASVSTVLTSKYR", "u1"
)
beta = np.frombuffer(
    b"MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNV"
    b"LVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH", "u1"
)
best, h = align(alpha, beta)
i, j = np.unravel_index(h.argmax(), h.shape)
way, same = [(i, j)], 0
while h[i, j]:
    if h[i, j] == h[i - 1, j - 1] + (2 if alpha[i - 1] == beta[j - 1] else -1):
        same += alpha[i - 1] == beta[j - 1]
        i, j = i - 1, j - 1
    elif h[i, j] == h[i - 1, j] - 1:
        i -= 1
    else:
        j -= 1
    way.append((i, j))

plt.figure(figsize=(6, 5.4), layout="constrained")
plt.imshow(h, cmap="YlGnBu")
plt.plot(*np.array(way).T[::-1], color="tab:red", linewidth=1)
plt.title(f"{same} of {len(way) - 1} places are the same")
plt.xlabel("β chain")
plt.ylabel("α chain")
plt.colorbar(label="score", shrink=0.8)
plt.show()

# %%
# Two sequences of 1,000
# ----------------------


@numba.njit
def align_in_numba(a, b, match=2, miss=-1, gap=-1):
    """The same loops."""
    h, best = np.zeros((a.size + 1, b.size + 1), np.int64), 0
    for i in range(1, a.size + 1):
        for j in range(1, b.size + 1):
            s = h[i - 1, j - 1] + (match if a[i - 1] == b[j - 1] else miss)
            h[i, j] = max(s, max(h[i - 1, j], h[i, j - 1]) + gap, 0)
            best = max(best, h[i, j])
    return best, h


one, other = np.random.default_rng(6).integers(0, 4, (2, 1000), dtype="u1")
beside({"opweld": lambda: align(one, other), "Numba": lambda: align_in_numba(one, other)})
