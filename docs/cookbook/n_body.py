"""
N bodies
========

Positions and velocities after a time `dt`, in place: `x` and `v` are written into. In NumPy all pairs at once need
arrays of n × n × 3 numbers.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside

import opweld

step = opweld.cop("x: inout T[n, 3], v: inout T[n, 3], m: T[n], dt: T where T: float", """
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp j = 0; j < n; j++) {
            T d[3] = {x(j, 0) - x(i, 0), x(j, 1) - x(i, 1), x(j, 2) - x(i, 2)};
            T r = sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2] + 1e-9);
            for (int k = 0; k < 3; k++) v(i, k) += dt * m[j] * d[k] / (r*r*r);
        }
    for (npy_intp i = 0; i < 3*n; i++) x[i] += dt * v[i];
""")

# %%
# Three equal bodies that follow each other on an eight for ever (Chenciner and Montgomery, 2000), and the same when one
# of them is a twentieth heavier.

fig, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
for axis, mass in zip(axes, (1.0, 1.05)):
    x = np.array([[0.97000436, -0.24308753, 0], [-0.97000436, 0.24308753, 0], [0, 0, 0]])
    v = np.array([[0.466203685, 0.43236573, 0], [0.466203685, 0.43236573, 0], [-0.93240737, -0.86473146, 0]])
    m = np.array([mass, 1, 1])
    track = []
    for _ in range(20_000):
        step(x, v, m, 1e-3)
        track.append(x[:, :2].copy())
    for body in np.stack(track, axis=1):
        axis.plot(*body.T, linewidth=0.7)
    axis.plot(*x[:, :2].T, "ko", markersize=4)
    axis.set(title=f"masses {mass:g}, 1, 1", aspect="equal")
plt.show()

# %%
# A step of 500 bodies
# --------------------


def step_in_numpy(x, v, m, dt):
    """All pairs at once."""
    d = x - x[:, None]
    r = np.sqrt((d**2).sum(-1) + 1e-9)
    v = v + dt * (m[:, None] * d / r[..., None] ** 3).sum(1)
    return x + dt * v, v


@numba.njit
def step_in_numba(x, v, m, dt):
    """The same loops."""
    x, v = x.copy(), v.copy()
    for i in range(len(x)):
        for j in range(len(x)):
            d = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            r = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-9)
            for k in range(3):
                v[i, k] += dt * m[j] * d[k] / (r * r * r)
    return x + dt * v, v


def step_of_copies(x, v, m, dt):
    """What the others give."""
    x, v = x.copy(), v.copy()
    step(x, v, m, dt)
    return x, v


many = (*np.random.default_rng(5).normal(size=(2, 500, 3)), np.full(500, 1 / 500), 1e-3)
beside({
    "opweld": lambda: step_of_copies(*many),
    "Numba": lambda: step_in_numba(*many),
    "NumPy": lambda: step_in_numpy(*many),
})
