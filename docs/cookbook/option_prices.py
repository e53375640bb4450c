"""
A formula: prices of options
============================

No line of C: Black and Scholes' formula in NumPy's names, on variables. What are some twenty loops and arrays in NumPy
becomes one loop over the elements, compiled for this processor, with vector functions for `exp`, `log` and `erf`.
"""

import matplotlib.pyplot as plt
import numpy as np
from beside import beside
from scipy import special

import opweld
import opweld.tensor as T

# %%
# What the right to buy at a price of 100 is worth, by today's price and the years to go.


def value(price, years, log, exp, sqrt, erf, rate=0.03, swing=0.25, at=100.0):
    """Black and Scholes, for a call."""
    spread = swing * sqrt(years)
    d = (log(price / at) + (rate + swing**2 / 2) * years) / spread
    return price * (0.5 + 0.5 * erf(d / 2**0.5)) - at * exp(-rate * years) * (0.5 + 0.5 * erf((d - spread) / 2**0.5))


price, years = T.dmatrix("price"), T.dmatrix("years")
call = opweld.function([price, years], value(price, years, T.log, T.exp, T.sqrt, T.erf), name="call")

prices, to_go = map(np.ascontiguousarray, np.meshgrid(np.linspace(50, 150, 400), np.linspace(0.01, 2, 400)))
worth = call(prices, to_go)

fig = plt.figure(figsize=(7, 5), layout="constrained")
axis = fig.add_subplot(projection="3d")
axis.plot_surface(prices, to_go, worth, cmap="viridis", rstride=10, cstride=10)
axis.set(xlabel="price", ylabel="years", zlabel="worth")
axis.view_init(25, -120)
plt.show()

# %%
# 160,000 prices
# --------------

beside({
    "opweld": lambda: call(prices, to_go),
    "NumPy, SciPy": lambda: value(prices, to_go, np.log, np.exp, np.sqrt, special.erf),
}, rtol=1e-9, atol=1e-9)
