"""
Running median
==============

The median of the last `w` values, which are kept sorted: it takes spikes away and leaves edges where they are. NaN and
a window of 0 are a ValueError.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from beside import beside
from scipy import ndimage

import opweld

median = opweld.cop("x: T[n], w: int64 -> y: T[n - w + 1], s: work T[w + 1] where T: float", """
    if (w < 1) fail(ValueError, "a window of %zd", (npy_intp)w);
    for (npy_intp i = 0, k = 0; i < n; i++, k++) {
        if (x[i] != x[i]) fail(ValueError, "x[%zd] is NaN", i);
        npy_intp j = k;
        for (; j > 0 && s[j-1] > x[i]; j--) s[j] = s[j-1];
        s[j] = x[i];
        if (i < w - 1) continue;
        y[i-w+1] = (s[(w-1) / 2] + s[w / 2]) / 2;
        for (j = 0; s[j] != x[i-w+1]; j++) ;
        memmove(s + j, s + j + 1, (k-- - j) * sizeof(T));
    }
""")

# %%
# A signal with steps and spikes, its running mean and its running median.

rng = np.random.default_rng(7)
x = np.repeat([1.0, 3.0, 2.0, 4.0], 100) + rng.normal(0, 0.08, 400)
spikes = rng.choice(400, 25, replace=False)
x[spikes] += rng.normal(0, 3, 25)

plt.figure(figsize=(8, 3.2), layout="constrained")
plt.plot(x, color="0.75", linewidth=0.8, label="x")
plt.plot(np.arange(5, 395), np.convolve(x, np.ones(11) / 11, "valid"), label="mean of 11")
plt.plot(np.arange(5, 395), median(x, 11), label="median of 11")
plt.ylim(-1, 7)
plt.legend(loc="upper left", ncols=3)
plt.show()

# %%
# A window of 25 over 200,000 values
# ----------------------------------

long = rng.normal(size=200_000)
series = pd.Series(long)
beside({
    "opweld": lambda: median(long, 25),
    "pandas": lambda: series.rolling(25).median().to_numpy()[24:],
    "scipy.ndimage": lambda: ndimage.median_filter(long, 25)[12:-12],
})
