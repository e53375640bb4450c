"""
SciPy calls C: integrals and filters
====================================

Some functions of SciPy's take a `LowLevelCallable`, a pointer to a function of C, where they would call Python for
each point or pixel. `capsule` makes one of an op; the prototype is what SciPy's page asks for.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.cbook import get_sample_data
from scipy import LowLevelCallable, integrate, ndimage, special

import opweld

# %%
# Euler's spiral: the integrals of cos and sin of πt²/2, each by `scipy.integrate.quad`.

cosine = opweld.cop("t: float64 -> y: float64", "y = cos(1.5707963267948966 * t * t);")
sine = opweld.cop("t: float64 -> y: float64", "y = sin(1.5707963267948966 * t * t);")
c, s = (LowLevelCallable(f.capsule("double f(double t)")) for f in (cosine, sine))

to = np.linspace(-5, 5, 600)
spiral = np.array([[integrate.quad(f, 0, t, limit=200)[0] for t in to] for f in (c, s)])

# %%
# The span of brightness round each pixel, by `scipy.ndimage.generic_filter`: it gives the op the pixels of a window,
# one after the other.

span = opweld.cop("x: float64[n] -> y: float64", """
    if (n < 1) fail(ValueError, "no pixels");
    double low = x[0], high = x[0];
    for (npy_intp i = 1; i < n; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
    y = high - low;
""")
window = LowLevelCallable(span.capsule("int f(const double *x, npy_intp n, double *y, void *data)"))

with get_sample_data("grace_hopper.jpg") as file:
    photo = plt.imread(file)[::2, ::2].mean(2)
edges = ndimage.generic_filter(photo, window, 3)

fig, axes = plt.subplots(1, 3, figsize=(10, 3.8), layout="constrained", width_ratios=[1.2, 1, 1])
axes[0].plot(*spiral, linewidth=0.9)
axes[0].set(title="integrate.quad", aspect="equal")
axes[1].imshow(photo, cmap="gray")
axes[2].imshow(edges, cmap="gray_r", vmax=150)
axes[2].set_title("ndimage.generic_filter")
for axis in axes[1:]:
    axis.set_axis_off()
plt.show()

# %%
# The integral, and what SciPy has for it by name
# -----------------------------------------------

beside({
    "op, called by quad": lambda: integrate.quad(c, 0, 3)[0],
    "Python, called by quad": lambda: integrate.quad(lambda t: np.cos(np.pi / 2 * t * t), 0, 3)[0],
    "scipy.special.fresnel": lambda: special.fresnel(3)[1],
})

# %%
# The filter, and what SciPy has for it by name
# ---------------------------------------------

small = photo[:100, :100]
beside({
    "op, called by generic_filter": lambda: ndimage.generic_filter(small, window, 3),
    "Python, called by generic_filter": lambda: ndimage.generic_filter(small, np.ptp, 3),
    "maximum_filter - minimum_filter": lambda: ndimage.maximum_filter(small, 3) - ndimage.minimum_filter(small, 3),
})
