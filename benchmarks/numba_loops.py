"""Numba's side: the loops that a person writes who uses Numba, without threads, under the keys of works.py.

`jitted` gives one of them, compiled; ``key_into`` is the loop that takes its output as its last argument.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["jitted"]


def arithmetic_into(x, y, z):
    for i in range(x.size):
        z[i] = (x[i] + y[i]) * x[i] - y[i] * 2.0
    return z


def where_into(x, y, z):
    for i in range(x.size):
        z[i] = (x[i] if x[i] > y[i] else y[i]) * 0.5
    return z


def fifty_into(x, y, z):
    for i in range(x.size):
        value = x[i]
        for _ in range(10):
            value = abs((value * y[i] + x[i]) * 0.5 - y[i])
        z[i] = value
    return z


def float32_into(x, y, z):
    for i in range(x.size):
        z[i] = (x[i] + y[i]) * x[i] - y[i] * np.float32(2)
    return z


def mixed(x, y, i):
    z = np.empty(x.size)
    for k in range(x.size):
        z[k] = x[k] * np.float32(2) + y[k] * i[k]
    return z


def squares(x, y):
    total = 0.0
    for i in range(x.size):
        total += (x[i] - y[i]) ** 2
    return total


def gauss(x, y):
    z = np.empty(x.size)
    for i in range(x.size):
        z[i] = math.exp(-x[i] * x[i] / 2) * y[i] + math.sin(x[i])
    return z


def tanh_log1p(x, y):
    z = np.empty(x.size)
    for i in range(x.size):
        z[i] = math.tanh(x[i]) * math.log1p(y[i] * y[i])
    return z


def largest(x, y):
    found = -math.inf
    for i in range(x.size):
        value = abs(x[i]) + y[i]
        if value > found or value != value:
            found = value
    return found


def largest0(x, y):
    n, m = x.shape
    z = np.full(m, -math.inf)
    for i in range(n):
        for j in range(m):
            value = abs(x[i, j]) + y[i, j]
            if value > z[j] or value != value:
                z[j] = value
    return z


def largest1(x, y):
    z = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        found = -math.inf
        for j in range(x.shape[1]):
            value = abs(x[i, j]) + y[i, j]
            if value > found or value != value:
                found = value
        z[i] = found
    return z


def sum0(x, y):
    p, q, r = x.shape
    z = np.zeros((q, r))
    for i in range(p):
        for j in range(q):
            for k in range(r):
                z[j, k] += x[i, j, k] * y[i, j, k]
    return z


def sum1(x, y):
    p, q, r = x.shape
    z = np.zeros((p, r))
    for i in range(p):
        for j in range(q):
            for k in range(r):
                z[i, k] += x[i, j, k] * y[i, j, k]
    return z


def sum2(x, y):
    p, q, r = x.shape
    z = np.empty((p, q))
    for i in range(p):
        for j in range(q):
            total = 0.0
            for k in range(r):
                total += x[i, j, k] * y[i, j, k]
            z[i, j] = total
    return z


def rows(x):
    z = np.empty(x.shape)
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total / x.shape[1]
        for j in range(x.shape[1]):
            z[i, j] = (x[i, j] - mean) / 3.0
    return z


def rows_turned(x):
    """Of an array that lies column by column, transposed: the sums of all rows grow together."""
    m, n = x.shape
    z, total = np.empty(x.shape), np.zeros(n)
    for j in range(m):
        for i in range(n):
            total[i] += x[j, i]
    for j in range(m):
        for i in range(n):
            z[j, i] = (x[j, i] - total[i] / m) / 3.0
    return z


def stencil(x, y):
    n = x.size - 2
    z = np.empty(n)
    for i in range(n):
        left, middle, right = x[i] * 2.0 + 1.0, x[i + 1] * 2.0 + 1.0, x[i + 2] * 2.0 + 1.0
        z[i] = (left + middle + right) / 3.0 * y[i + 1] - x[i + 1]
    return z


def softmax0(x):
    n, m = x.shape
    z, top, total = np.empty(x.shape), x[0].copy(), np.zeros(m)
    for i in range(1, n):
        for j in range(m):
            top[j] = max(top[j], x[i, j])
    for i in range(n):
        for j in range(m):
            z[i, j] = math.exp(x[i, j] - top[j])
            total[j] += z[i, j]
    for i in range(n):
        for j in range(m):
            z[i, j] /= total[j]
    return z


def softmax1(x):
    z = np.empty(x.shape)
    for i in range(x.shape[0]):
        top, total = x[i, 0], 0.0
        for j in range(1, x.shape[1]):
            top = max(top, x[i, j])
        for j in range(x.shape[1]):
            z[i, j] = math.exp(x[i, j] - top)
            total += z[i, j]
        for j in range(x.shape[1]):
            z[i, j] /= total
    return z


def logsumexp0(x):
    n, m = x.shape
    z, top, total = np.empty((1, m)), x[0].copy(), np.zeros(m)
    for i in range(1, n):
        for j in range(m):
            top[j] = max(top[j], x[i, j])
    for i in range(n):
        for j in range(m):
            total[j] += math.exp(x[i, j] - top[j])
    for j in range(m):
        z[0, j] = math.log(total[j]) + top[j]
    return z


def logsumexp1(x):
    z = np.empty((x.shape[0], 1))
    for i in range(x.shape[0]):
        top, total = x[i, 0], 0.0
        for j in range(1, x.shape[1]):
            top = max(top, x[i, j])
        for j in range(x.shape[1]):
            total += math.exp(x[i, j] - top)
        z[i, 0] = math.log(total) + top
    return z


def var0(x):
    n, m = x.shape
    mean, z = np.zeros(m), np.zeros(m)
    for i in range(n):
        for j in range(m):
            mean[j] += x[i, j]
    for j in range(m):
        mean[j] /= n
    for i in range(n):
        for j in range(m):
            z[j] += (x[i, j] - mean[j]) ** 2
    for j in range(m):
        z[j] /= n
    return z


def var1(x):
    z = np.empty(x.shape[0])
    m = x.shape[1]
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(m):
            total += x[i, j]
        mean, spread = total / m, 0.0
        for j in range(m):
            spread += (x[i, j] - mean) ** 2
        z[i] = spread / m
    return z


def layer(x, gain, bias):
    z = np.empty(x.shape)
    m = x.shape[1]
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(m):
            total += x[i, j]
        mean, spread = total / m, 0.0
        for j in range(m):
            spread += (x[i, j] - mean) ** 2
        root = math.sqrt(spread / m + 1e-5)
        for j in range(m):
            z[i, j] = (x[i, j] - mean) / root * gain[j] + bias[j]
    return z


def logistic(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] * y[i] - math.log1p(math.exp(x[i]))
    return total


def cube(x, a, b):
    z = np.empty(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            for k in range(x.shape[2]):
                z[i, j, k] = x[i, j, k] * a[i] + b[j]
    return z


def outer(x, y):
    z = np.empty((x.shape[0], y.shape[1]))
    for i in range(x.shape[0]):
        value = math.exp(x[i, 0])
        for j in range(y.shape[1]):
            z[i, j] = value + y[0, j]
    return z


def _fresh(loop: Callable[..., Any], jit: Callable[..., Any]) -> Callable[..., Any]:
    inner = jit(loop)
    return jit(lambda x, y: inner(x, y, np.empty_like(x)))


def jitted(key: str, layout: str, into: bool, fastmath: bool) -> Callable[..., Any]:
    """The loop of a work; where arrays lie in Fortran order, it runs over the transposed ones."""
    import numba

    jit = numba.njit(fastmath=fastmath)
    if into:
        return jit(globals()[f"{key}_into"])
    if f"{key}_into" in globals():
        return _fresh(globals()[f"{key}_into"], jit)
    if key.startswith("sum") and layout == "F":
        turned = jit(globals()[f"sum{2 - int(key[3:])}"])
        return jit(lambda x, y: turned(x.T, y.T).T)
    if key == "rows" and layout == "F":
        turned = jit(rows_turned)
        return jit(lambda x: turned(x.T).T)
    return jit(globals()[key])
