"""
IIR filter
==========

Each sample that comes out needs those before it: a loop that NumPy cannot vectorise. This is `scipy.signal.lfilter` for
an `a[0]` of 1, as transposed direct form II; `z` is memory of the op's own.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import signal

import opweld

iir = opweld.cop("b: T[k], a: T[k], x: T[n] -> y: T[n], z: work T[k + 1] = 0 where T: float", """
    for (npy_intp i = 0; i < n; i++) {
        y[i] = z[0] + b[0] * x[i];
        for (npy_intp j = 1; j < k; j++)
            z[j-1] = z[j] + b[j] * x[i] - a[j] * y[i];
    }
""")

# %%
# A chirp under noise, and what a Butterworth filter of the fourth order leaves of it.

t = np.linspace(0, 4, 4000)
x = signal.chirp(t, 0.5, 4, 4) + np.random.default_rng(1).normal(0, 0.7, t.size)
b, a = signal.butter(4, 6, fs=1000)
y = iir(b, a, x)

plt.figure(figsize=(8, 3.2), layout="constrained")
plt.plot(t, x, color="0.8", linewidth=0.6, label="x")
plt.plot(t, y, label="iir(b, a, x)")
plt.xlabel("seconds")
plt.legend(loc="upper right")
plt.show()

# %%
# A million samples
# -----------------

long = np.random.default_rng(2).normal(size=1_000_000)
beside({
    "opweld": lambda: iir(b, a, long),
    "scipy.signal.lfilter": lambda: signal.lfilter(b, a, long),
}, rtol=1e-6, atol=1e-9)
