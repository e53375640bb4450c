"""
Random numbers in C: a tree that grows from dust
================================================

An op that draws random numbers has its generator's state among its arguments, as `inout`: four words, written back. The
generator is SFC64, one of NumPy's, so that the op draws the very numbers that NumPy would, and NumPy can go on from the
state that it leaves.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside

import opweld

SFC64 = """
static inline double draw(npy_uint64 *s)
{
    npy_uint64 result = s[0] + s[1] + s[3]++;
    s[0] = s[1] ^ (s[1] >> 11);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 24) | (s[2] >> 40)) + result;
    return (result >> 11) * 0x1p-53;
}
"""


def state_of(seed):
    """Give the state of NumPy's generator of that seed."""
    return np.random.SFC64(seed).state["state"]["state"].copy()


uniform = opweld.cop("s: inout uint64[4], n: int64 -> x: float64[n]", """
    for (npy_intp i = 0; i < n; i++) x[i] = draw(s);
""", support=SFC64)

assert (uniform(state_of(7), 5) == np.random.Generator(np.random.SFC64(7)).random(5)).all()

# %%
# Grains of dust walk at random until they touch what has grown (Witten and Sander, 1981). How many numbers a walk takes
# nobody knows before: they must be drawn where they are used.

grow = opweld.cop("s: inout uint64[4], size: int64, grains: int64 -> age: int32[size, size] = 0", """
    const npy_intp c = size / 2;
    double reach = 1;
    if (size < 1) fail(ValueError, "a size of %zd", (npy_intp)size);
    age(c, c) = 1;
    for (npy_intp k = 2; k <= grains && 2 * reach < c - 11; k++) {
        double turn = 6.283185307179586 * draw(s);
        npy_intp i = c + (reach + 4) * sin(turn), j = c + (reach + 4) * cos(turn);
        while (!(age(i-1, j) || age(i+1, j) || age(i, j-1) || age(i, j+1))) {
            int way = 4 * draw(s);
            i += (way == 0) - (way == 1), j += (way == 2) - (way == 3);
            if (hypot(i - c, j - c) > 2 * reach + 10) {  /* too far: begin again */
                turn = 6.283185307179586 * draw(s);
                i = c + (reach + 4) * sin(turn), j = c + (reach + 4) * cos(turn);
            }
        }
        age(i, j) = k;
        reach = fmax(reach, hypot(i - c, j - c));
    }
""", support=SFC64)

state = state_of(1)
age = grow(state, 720, 6000)

plt.figure(figsize=(7, 5.6), layout="constrained")
plt.imshow(np.where(age, age, np.nan)[220:500, 190:530], cmap="viridis_r", interpolation="nearest")
plt.title(f"{(age > 0).sum():,} grains")
plt.axis("off")
plt.show()

# %%
# In a graph the state is a shared variable, and each call leaves it further on.

kept = opweld.shared(state_of(7), "state")
x, after = uniform(kept, 3)
f = opweld.function([], x, updates=[(kept, after)])
print(f(), f())
print(np.random.Generator(np.random.SFC64(7)).random(6))

# %%
# 100,000 numbers
# ---------------

s, generator = state_of(3), np.random.Generator(np.random.SFC64(3))
beside({"opweld": lambda: uniform(s, 100_000), "NumPy": lambda: generator.random(100_000)}, rtol=0)
