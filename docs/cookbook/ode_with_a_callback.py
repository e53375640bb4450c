"""
An ODE whose right side is C
============================

`opweld.wrap` calls a function of C that exists, here one that steps an ordinary differential equation by Runge and
Kutta's method and calls back for the right side. What it calls is an op too: `capsule` offers it as a pointer to a
function. From the first step to the last no Python runs.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import integrate

import opweld

RK4 = """
typedef int (*right)(const double *x, double *dx, long n);

/* path has steps + 1 rows of n; path[0] is where it begins. Not 0 is an error of f's. */
static int rk4(int (*f)(const double *, double *, long), const double *start, double *path, long n, long steps, double dt)
{
    double k[4][16], at[16];
    const double part[4] = {0, dt / 2, dt / 2, dt};
    if (n > 16) return -1;
    for (long i = 0; i < n; i++) path[i] = start[i];
    for (long s = 0; s < steps; s++, path += n) {
        for (int stage = 0; stage < 4; stage++) {
            for (long i = 0; i < n; i++) at[i] = path[i] + (stage ? part[stage] * k[stage-1][i] : 0);
            if (f(at, k[stage], n)) return -1;
        }
        for (long i = 0; i < n; i++) path[n+i] = path[i] + dt / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
    }
    return 0;
}
"""
rk4 = opweld.wrap(
    "int rk4(int (*f)(const double *, double *, long), const double *start, double *path, long n, long steps, double dt)",
    signature="f: function, start: float64[n], steps: int64, dt: float64 -> path: float64[steps + 1, n]",
    support=RK4,
)

# %%
# Lorenz' equations, as an op: called on an array it gives the right side.

lorenz = opweld.cop("x: float64[n] -> dx: float64[n]", """
    if (n != 3) fail(ValueError, "%zd numbers, expected 3", n);
    dx[0] = 10 * (x[1] - x[0]);
    dx[1] = x[0] * (28 - x[2]) - x[1];
    dx[2] = x[0] * x[1] - 8./3 * x[2];
""")
right = lorenz.capsule("int f(const double *x, double *dx, long n)", success=0)

# %%
# Two ways that begin a millionth apart.

here, there = (rk4(right, np.array([1.0, 1.0, z]), 4000, 0.01) for z in (20.0, 20.000001))

fig, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", width_ratios=[1, 1.4])
axes[0].plot(here[:, 0], here[:, 2], linewidth=0.4)
axes[0].set(xlabel="x", ylabel="z")
axes[1].plot(np.arange(4001) / 100, np.stack([here[:, 0], there[:, 0]], axis=1), linewidth=0.8)
axes[1].set(xlabel="time", ylabel="x")
plt.show()

# %%
# Its arrays hold 16 numbers: for more it returns -1, which an exception says here.

try:
    rk4(right, np.ones(17), 1, 0.01)
except RuntimeError as err:
    print(err)

# %%
# To time 2, in 2,000 steps
# -------------------------
# SciPy's solvers choose their steps themselves; asked for ten digits, they agree to six.


def in_python(t, x):
    """The same right side."""
    return np.array([10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])


start = np.array([1.0, 1.0, 20.0])
beside({
    "opweld": lambda: rk4(right, start, 2000, 0.001)[-1],
    "scipy solve_ivp": lambda: integrate.solve_ivp(in_python, (0, 2), start, "DOP853", rtol=1e-10, atol=1e-10).y[:, -1],
    "scipy odeint": lambda: integrate.odeint(in_python, start, (0, 2), tfirst=True, rtol=1e-10, atol=1e-10)[-1],
}, rtol=1e-6)
