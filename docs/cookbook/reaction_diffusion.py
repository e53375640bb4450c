"""
Reaction and diffusion
======================

Gray and Scott's chemicals: `u` is fed, `v` eats it, is taken away, and spreads half as fast. A graph: an op for what
each place gets from its neighbours, NumPy's operators on variables for the reaction, which become one loop, and two
shared variables that each call updates.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside

import opweld

around = opweld.cop("x: T[n, m] -> d: T[n, m] where T: float", """
    for (npy_intp i = 0; i < n; i++) {  /* over the rim lies what lies on it */
        const T *here = x + i * m, *up = i > 0 ? here - m : here, *down = i < n - 1 ? here + m : here;
        for (npy_intp j = 1; j < m - 1; j++) d(i, j) = up[j] + down[j] + here[j-1] + here[j+1] - 4 * here[j];
        for (npy_intp j = 0; j < m; j += PyArray_MAX(m - 1, 1))
            d(i, j) = up[j] + down[j] + here[j - (j > 0)] + here[j + (j < m - 1)] - 4 * here[j];
    }
""")

SIZE = 240
FEED = np.linspace(0.016, 0.066, SIZE, dtype="float32")[:, None]
KILL = np.linspace(0.056, 0.0655, SIZE, dtype="float32")[None]
A, B = np.float32(0.16), np.float32(0.08)


def start():
    """Give `u` everywhere, and drops of `v` here and there."""
    u, v = np.ones((SIZE, SIZE), "float32"), np.zeros((SIZE, SIZE), "float32")
    for i, j in np.random.default_rng(5).integers(1, SIZE - 4, (SIZE * SIZE // 400, 2)):
        u[i : i + 3, j : j + 3], v[i : i + 3, j : j + 3] = 0.5, 0.5
    return u, v


u, v = map(opweld.shared, start(), "uv")
eaten = u * v * v
step = opweld.function([], updates=[
    (u, u + A * around(u) - eaten + FEED * (1 - u)),
    (v, v + B * around(v) + eaten - (FEED + KILL) * v),
])  # fmt: skip

# %%
# Fed more from top to bottom, taken away faster from left to right: spots, stripes and mazes after 6,000 steps.

for _ in range(6000):
    step()

plt.figure(figsize=(6.4, 6), layout="constrained")
plt.imshow(v.get_value(), cmap="cividis", extent=(KILL.min(), KILL.max(), FEED.max(), FEED.min()), aspect="auto")
plt.xlabel("taken away")
plt.ylabel("fed")
plt.colorbar(label="v", shrink=0.8)
plt.show()

# %%
# 100 steps
# ---------


def in_numpy(u, v):
    """One step."""

    def around(x):
        y = np.pad(x, 1, "edge")
        return y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:] - 4 * x

    eaten = u * v * v
    return u + A * around(u) - eaten + FEED * (1 - u), v + B * around(v) + eaten - (FEED + KILL) * v


def hundred_of_opweld():
    """From the start."""
    for variable, value in zip((u, v), start()):
        variable.set_value(value, borrow=True)
    for _ in range(100):
        step()
    return v.get_value()


def hundred_of_numpy():
    """From the start."""
    state = start()
    for _ in range(100):
        state = in_numpy(*state)
    return state[1]


beside({"opweld": hundred_of_opweld, "NumPy": hundred_of_numpy}, rtol=1e-3, atol=1e-5)
