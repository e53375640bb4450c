"""Write templates/vector/polynomials.h: the polynomials of the vector functions, best in the sense of Chebyshev.

From the project's folder: ``build/test-3.11/bin/python tools/polynomials.py``. Each is found by Remez's exchange in 60
digits, with as many terms as its error's part of the function's value needs to vanish beside rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mpmath import asin, atan, cbrt, cos, erf, erfc, exp, log, lu_solve, matrix, mp, mpf, nstr, pi, sin, sqrt, tan, tanh

TARGET = Path(__file__).resolve().parent.parent / "templates" / "vector" / "polynomials.h"
ENOUGH = {"f64": mpf(2) ** -57, "f32": mpf(2) ** -28}
#: Of one type alone: powers of float32 are computed in float64 where no products are fused; where float64 divides,
#: float32 has more terms.
ONE = dict.fromkeys(("logf", "expf", "root"), "f64") | dict.fromkeys(("log1", "log2", "log10", "cbrt"), "f32")
#: Of two chains, of even and of odd powers: half as many steps wait for another. So many terms come behind them, one
#: after the other, where what chains round would be seen.
HALVED = {"exp": 0, "exp2": 0, "log1": 1, "log10": 1}
#: How near others come.
NEAR = {"logf": -33, "expf": -28, "log1": -27.8, "log2": -27.8, "log10": -25, "cbrt": -26, "root": -19}
Real = Callable[[mpf], mpf]


def remez(f: Real, weight: Real, low: mpf, high: mpf, degree: int) -> tuple[list[mpf], mpf]:
    """Give the coefficients, the constant first, and the largest weighted error on a grid."""
    points = degree + 2
    many = 40 * points
    grid = [(low + high) / 2 + (high - low) / 2 * cos(pi * (many - i - mpf(1) / 2) / many) for i in range(many)]
    wanted = {x: (f(x), weight(x)) for x in grid}
    chosen = [grid[min(many - 1, i * many // points + many // (2 * points))] for i in range(points)]
    for _ in range(20):
        a, b = matrix(points, points), matrix(points, 1)
        for i, x in enumerate(chosen):
            for j in range(degree + 1):
                a[i, j] = x**j
            a[i, points - 1] = (-1) ** i / wanted[x][1]
            b[i] = wanted[x][0]
        solved = lu_solve(a, b)
        terms = [solved[j] for j in range(degree + 1)]
        errors = [(horner(terms, x) - wanted[x][0]) * wanted[x][1] for x in grid]
        peaks: list[int] = []
        for i, e in enumerate(errors):
            if not peaks or (errors[peaks[-1]] > 0) != (e > 0):
                peaks.append(i)
            elif abs(e) > abs(errors[peaks[-1]]):
                peaks[-1] = i
        while len(peaks) > points:
            peaks.pop(0 if abs(errors[peaks[0]]) < abs(errors[peaks[-1]]) else -1)
        if len(peaks) < points or [grid[i] for i in peaks] == chosen:
            break
        chosen = [grid[i] for i in peaks]
    return terms, max(map(abs, errors))


def horner(terms: list[mpf], x: mpf) -> mpf:
    """Evaluate a polynomial."""
    value = mpf(0)
    for c in reversed(terms):
        value = value * x + c
    return value


def wanted() -> dict[str, tuple[str, Real, Real, mpf, mpf]]:
    """Name, what it is, the function, its weight in the result, and where."""
    tiny = mpf(10) ** -18
    root = mpf(2).sqrt()
    more = mpf("1.0001")  # rounding of the reduced argument leads beyond its bounds

    def of_root(f: Real) -> Real:  # (f(x) - x) / x**3 of z = x**2, for odd f
        return lambda z: (f(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3

    def odd(f: Real) -> Real:
        return lambda z: sqrt(z) ** 3 / f(sqrt(z))

    def left(t: mpf) -> mpf:
        x = 4 * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)

    def over(f: Real) -> Real:
        return lambda x: f(x if abs(x) > tiny else tiny) / (x if abs(x) > tiny else tiny)

    half = log(2) / 2 * more
    near_one = (1 / root - 1) * more, (root - 1) * more
    eighth = tan(pi / 8) * more
    s = (root - 1) / (root + 1) * more
    return {
        "exp": (
            "(exp(r) - 1 - r) / r**2",
            lambda r: (exp(r) - 1 - r) / r**2,
            lambda r: r * r / (exp(r) - 1),
            -half,
            half,
        ),
        "exp2": ("(2**r - 1) / r", lambda r: (2**r - 1) / r, lambda r: r / 2**r, -more / 2, more / 2),
        "coth": (
            "(r / tanh(r) - 1) / r**2 of z = r**2, to ln 2 / 4",
            lambda z: (sqrt(z) / tanh(sqrt(z)) - 1) / z,
            lambda z: z,
            mpf(10) ** -12,
            (half / 2) ** 2,
        ),
        "log": (
            "(log((1 + s) / (1 - s)) / s - 2) / s**2 of z = s**2",
            lambda z: (log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z,
            lambda z: z / 2,
            tiny,
            s * s,
        ),
        "sin": ("(sin(r) - r) / r**3 of z = r**2, to pi / 2", of_root(sin), odd(sin), tiny, (pi / 2 * more) ** 2),
        "sin4": ("the same to pi / 4", of_root(sin), odd(sin), tiny, (pi / 4 * more) ** 2),
        "cos4": (
            "(cos(r) - 1 + r**2 / 2) / r**4 of z = r**2, to pi / 4",
            lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2,
            lambda z: z * z / cos(sqrt(z)),
            tiny,
            (pi / 4 * more) ** 2,
        ),
        "asin": ("(asin(r) - r) / r**3 of z = r**2, to 1 / 2", of_root(asin), odd(asin), tiny, more / 4),
        "logf": (
            "log2((1 + s) / (1 - s)) / s of z = s**2, as powers of float32 need it",
            lambda z: log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) / log(2),
            lambda z: log(2) / 2,
            tiny,
            s * s,
        ),
        "expf": ("2**r, as powers of float32 need it", lambda r: 2**r, lambda r: 1 / 2**r, -more / 2, more / 2),
        "log1": (
            "(log(1 + f) - f) / f**2, of float32",
            lambda f: (log(1 + f) - f) / f**2 if abs(f) > tiny else -mpf(1) / 2,
            lambda f: f * f / log(1 + f) if abs(f) > tiny else mpf(0),
            *near_one,
        ),
        "log2": ("log2(1 + f) / f, of float32", over(lambda f: log(1 + f) / log(2)), lambda f: mpf(1) / 2, *near_one),
        "log10": ("log10(1 + f) / f, of float32", over(lambda f: log(1 + f) / log(10)), lambda f: mpf(2), *near_one),
        "cbrt": (
            "the cube root of m + 3 / 2 from 1 to 2, of float32",
            lambda m: cbrt(m + mpf(3) / 2),
            lambda m: 1 / cbrt(m + mpf(3) / 2),
            -mpf(1) / 2,
            mpf(1) / 2,
        ),
        "root": ("the cube root from 1 to 2, to a third of the places", cbrt, lambda x: 1 / cbrt(x), mpf(1), mpf(2)),
        "erf": (
            "erf(r) / r - 1 of z = r**2, to 1",
            lambda z: erf(sqrt(z)) / sqrt(z) - 1,
            lambda z: sqrt(z) / erf(sqrt(z)),
            tiny,
            mpf(1),
        ),
        "erfc": (
            "(1 + 2 * x) * exp(x**2) * erfc(x) of t = (x - 4) / (x + 4), for x from 0 to 28",
            left,
            lambda t: 1 / left(t),
            mpf(-1),
            mpf(3) / 4,
        ),
        "atan": ("(atan(r) - r) / r**3 of z = r**2, to tan(pi / 8)", of_root(atan), odd(atan), tiny, eighth**2),
    }


def nested(values: list[str], x: str) -> str:
    """Write a polynomial as C."""
    text = values[-1]
    for c in reversed(values[:-1]):
        text = f"OPW_MADD({text}, {x}, {c})"
    return text


def text() -> str:
    """Give the header."""
    lines = ["/* Written by tools/polynomials.py. */"]
    for name, (what, f, weight, low, high) in wanted().items():
        lines += ["", f"/* {what} */"]
        for dtype, enough in ENOUGH.items():
            if ONE.get(name, dtype) != dtype:
                continue
            for degree in range(1, 30):
                terms, error = remez(f, weight, low, high, degree)
                if error < (mpf(2) ** NEAR[name] if name in NEAR else enough):
                    break
            suffix = "f" if dtype == "f32" else ""
            values = [f"{nstr(c, 10 if suffix else 19)}{suffix}" for c in terms]
            value, arguments = nested(values, "x"), "x"
            if name in HALVED:
                last, chains = values[: HALVED[name]], values[HALVED[name] :]
                value = f"OPW_MADD({nested(chains[1::2], 'square')}, x, {nested(chains[::2], 'square')})"
                value, arguments = nested([*last, value], "x"), "x, square"
            lines.append(f"#define OPW_POLY_{name.upper()}_{dtype.upper()}({arguments}) {value}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    mp.dps = 60
    TARGET.write_text(text())
