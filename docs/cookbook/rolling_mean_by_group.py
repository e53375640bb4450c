"""
Rolling mean by group
=====================

The mean of the last `w` values of the same group, where the rows of all groups come as they come. A ring for each group
keeps what is still in its window.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from beside import beside

import opweld

rolling = opweld.cop("""x: T[n], group: int64[n], g: int64, w: int64
                        -> y: T[n], ring: work T[g, w] = 0, seen: work int64[g] = 0, sum: work T[g] = 0 where T: float""", """
    for (npy_intp i = 0, k; i < n; i++) {
        if ((k = group[i]) < 0 || k >= g || w < 1) fail(ValueError, "group %zd of %zd, window of %zd", k, (npy_intp)g, (npy_intp)w);
        T *old = &ring(k, seen[k]++ % w);
        sum[k] += x[i] - *old;
        y[i] = sum[k] / PyArray_MIN(seen[k], w), *old = x[i];
    }
""")

# %%
# Four sensors, of which one at a time reports.

rng = np.random.default_rng(8)
sensor = rng.integers(0, 4, 1600)
hour = np.linspace(0, 48, sensor.size)
reading = 15 + 2 * sensor + (5 - sensor) * np.sin(2 * np.pi * (hour - 8 - sensor) / 24) + rng.normal(0, 1.5, sensor.size)
smooth = rolling(reading, sensor, 4, 25)

plt.figure(figsize=(8, 3.6), layout="constrained")
for k in range(4):
    (line,) = plt.plot(hour[sensor == k], smooth[sensor == k], label=f"sensor {k}")
    plt.plot(hour[sensor == k], reading[sensor == k], ".", markersize=2, alpha=0.5, color=line.get_color())
plt.xlabel("hour")
plt.ylabel("°C")
plt.legend(ncols=4)
plt.show()

# %%
# 200,000 rows of 1,000 groups
# ----------------------------

x, group = rng.normal(size=200_000), rng.integers(0, 1000, 200_000)
frame = pd.DataFrame({"x": x, "group": group})


def in_pandas():
    """Give the means in the order of the rows."""
    means = frame.groupby("group")["x"].rolling(25, min_periods=1).mean()
    return means.droplevel(0).sort_index().to_numpy()


beside({"opweld": lambda: rolling(x, group, 1000, 25), "pandas": in_pandas}, rtol=1e-6, atol=1e-12)
