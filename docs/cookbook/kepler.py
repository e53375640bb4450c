"""
Kepler's equation
=================

Where is a planet at a time? Its mean anomaly `M` grows evenly; the angle `E` that says where it is solves
`E - e sin E = M`. Newton's method takes another number of steps for each element. With `ufunc=True` the few lines
become one of NumPy's ufuncs: it broadcasts, and takes `out=` and `where=`.
"""

import matplotlib.pyplot as plt
import numba
import numpy as np
from beside import beside
from scipy import optimize

import opweld

kepler = opweld.cop("M: T, e: T -> E: T where T: float", """
    E = e < 0.8 ? M : copysign(3.14159265358979323846, M);
    for (int k = 0; k < 60; k++) {
        double change = (E - e * sin(E) - M) / (1 - e * cos(E));
        E -= change;
        if (fabs(change) < 1e-15 * (1 + fabs(E))) break;
    }
""", ufunc=True)

# %%
# Forty equal parts of a year, on orbits from the Earth's to Halley's comet's: near the Sun it is quick.

e = np.array([0.017, 0.206, 0.6, 0.967])
E = kepler(np.linspace(-np.pi, np.pi, 41)[:, None], e)  # (41, 4)
x, y = np.cos(E) - e, np.sqrt(1 - e**2) * np.sin(E)

fig, axes = plt.subplots(1, 4, figsize=(10, 2.9), layout="constrained")
for axis, *orbit, name in zip(axes, x.T, y.T, e, ("Earth", "Mercury", "in between", "Halley")):
    axis.plot(orbit[0], orbit[1], "-o", markersize=3, linewidth=0.6)
    axis.plot(0, 0, "o", color="orange")
    axis.set(title=f"{name}: e = {orbit[2]}", aspect="equal", xlim=(-2.1, 1.2), ylim=(-1.2, 1.2))
plt.show()

# %%
# 100,000 planets
# ---------------


@numba.vectorize(["float64(float64, float64)"])
def in_numba(M, e):
    """The same loop."""
    E = M if e < 0.8 else np.copysign(np.pi, M)
    for _ in range(60):
        change = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= change
        if abs(change) < 1e-15 * (1 + abs(E)):
            break
    return E


def in_scipy(M, e):
    """Take all planets through Newton's method together."""
    start = np.where(e < 0.8, M, np.copysign(np.pi, M))
    return optimize.newton(lambda E: E - e * np.sin(E) - M, start, lambda E: 1 - e * np.cos(E), tol=1e-14)


rng = np.random.default_rng(1)
M, e = rng.uniform(-np.pi, np.pi, 100_000), rng.uniform(0, 0.9, 100_000)
beside({
    "opweld": lambda: kepler(M, e),
    "Numba": lambda: in_numba(M, e),
    "scipy.optimize.newton": lambda: in_scipy(M, e),
}, rtol=1e-10, atol=1e-12)
