"""
A small C library
=================

:download:`perlin.c <../cookbook/perlin.c>` and :download:`perlin.h <../cookbook/perlin.h>` know nothing of Python: they
make noise for clouds and landscapes. A prototype, as the header has it, and a signature make a function of it. The
compiler compares the prototype with the header; a code that is not 0 becomes an exception; sizes that an `int` cannot
hold are refused.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from matplotlib.colors import LightSource

import opweld

fill = opweld.wrap(
    "int perlin_fill(float *image, int rows, int columns, double scale, int octaves, unsigned seed)",
    signature="""rows: int32, columns: int32, scale: float64, octaves: int32 = 6, seed: uint32 = 0
                 -> image: float32[rows, columns]""",
    sources=["perlin.c"],
    headers=['"perlin.h"'],
    header_dirs=[Path.cwd()],  # where perlin.h lies
)

# %%
# Land and sea.

land = fill(360, 600, 1 / 120, octaves=8, seed=5)
colours = plt.get_cmap("gist_earth")(np.clip(0.36 + 0.5 * land, 0.08, 1))
colours = LightSource(315, 40).shade_rgb(colours[..., :3], np.maximum(land, 0) * 60, vert_exag=1.2, blend_mode="soft")

plt.figure(figsize=(8, 4.8), layout="constrained")
plt.imshow(colours)
plt.axis("off")
plt.show()

# %%
# No octaves are an error.

try:
    fill(3, 3, 0.1, octaves=0)
except RuntimeError as error:
    print(error)

# %%
# The same in NumPy, for whole arrays
# -----------------------------------


def scatter(seed, x, y):
    """Mix the corner's coordinates and the seed, modulo 2³²."""
    h = np.uint32(seed) + np.uint32(0x9E3779B9) * x.astype("uint32") + np.uint32(0x85EBCA6B) * y.astype("uint32")
    h = (h ^ (h >> 16)) * np.uint32(0x7FEB352D)
    h = (h ^ (h >> 15)) * np.uint32(0x846CA68B)
    return h ^ (h >> 16)


def noise(seed, x, y):
    """Perlin's noise at all points."""
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    u, v = x - i, y - j
    ways = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1], [1, 0], [-1, 0], [0, 1], [0, -1]]).T

    def slope(a, b):
        right, down = ways[:, scatter(seed, i + a, j + b) & 7]
        return right * (u - a) + down * (v - b)

    right, down = (t * t * t * (t * (t * 6 - 15) + 10) for t in (u, v))
    top = slope(0, 0) + right * (slope(1, 0) - slope(0, 0))
    bottom = slope(0, 1) + right * (slope(1, 1) - slope(0, 1))
    return (1 - down) * top + down * bottom


def fill_in_numpy(rows, columns, scale, octaves=6, seed=0):
    """Add up the octaves."""
    y, x = np.mgrid[:rows, :columns]
    return sum(noise(seed + k, x * scale * 2**k, y * scale * 2**k) / 2**k for k in range(octaves)).astype("float32")


beside({
    "opweld": lambda: fill(200, 200, 1 / 50),
    "NumPy": lambda: fill_in_numpy(200, 200, 1 / 50),
}, rtol=1e-5, atol=1e-6)
