"""Write templates/vector/powers.h: the tables and the polynomials of powers, a sixteenth of a power of two at a time.

From the project's folder: ``build/test-3.11/bin/python tools/powers.py``.
"""

from __future__ import annotations

from pathlib import Path

from mpmath import exp, log, mp, mpf, nint, nstr
from polynomials import Real, nested, remez

TARGET = Path(__file__).resolve().parent.parent / "templates" / "vector" / "powers.h"
PARTS = 16
#: Intervals of x begin here: two thirds of one lie above 1, a third of a shorter one below it: its logarithm is 0.
LEAST = mpf(float.fromhex("0x1.6aaaap-1"))
#: Of logarithms, beside which any multiple of the upper part of ln 2 is exact.
UNIT = mpf(2) ** 42


def reciprocals() -> list[mpf]:
    """Give 1 / c for each interval, of so few bits that x / c - 1 is exact."""
    found = []
    for i in range(PARTS):
        low, high = (_edge(j) for j in (i, i + 1))
        middle = (low + high) / 2
        unit = PARTS if middle < 1 else 2 * PARTS
        found.append(mpf(1) if low < 1 < high else nint(unit / middle) / unit)
    return found


def farthest() -> mpf:
    """Give the largest size of x / c - 1."""
    return max(abs(_edge(i + j) * c - 1) for i, c in enumerate(reciprocals()) for j in (0, 1))


def _edge(i: int) -> mpf:
    # Intervals are equal parts of the bits: half as wide below 1.
    x = LEAST + mpf(i) / (2 * PARTS)
    return x if x < 1 else 1 + (x - 1) * 2


def best(f: Real, weight: Real, far: mpf, near: int) -> tuple[list[mpf], mpf]:
    """Give the shortest polynomial from -far to far that errs by less than 2**near."""
    found = (remez(f, weight, -far, far, degree) for degree in range(1, 30))
    return next((terms, error) for terms, error in found if error < mpf(2) ** near)


def text() -> str:
    """Give the header."""
    invs = reciprocals()
    logs = [-log(c) for c in invs]
    highs = [nint(x * UNIT) / UNIT for x in logs]
    roots = [mpf(2) ** (mpf(i) / PARTS) for i in range(PARTS)]
    tables = {
        "inverse": ("1 / c, c near the middle of a part", invs),
        "log": ("log(c), a whole number of 2**-42", highs),
        "log_low": ("what it lacks", [x - high for x, high in zip(logs, highs, strict=True)]),
        "root": ("2**(i / 16)", roots),
        "root_low": ("what it lacks, of 1", [(x - mpf(float(x))) / x for x in roots]),
    }
    lines = ["/* Written by tools/powers.py. */", f"#define OPW_PARTS_LEAST {float(LEAST).hex()}"]
    for name, (what, values) in tables.items():
        lines += ["", f"/* {what} */", f"static const double opw_power_{name}[{PARTS}] = {{"]
        written = [float(x).hex().replace("0x0.0p+0", "0") for x in values]
        lines += ["    " + ", ".join(written[i : i + 4]) + "," for i in range(0, PARTS, 4)] + ["};"]
    far, half = farthest(), log(2) / PARTS / 2 * mpf("1.01")
    tiny = mpf(10) ** -12

    def log3(r: mpf) -> mpf:
        return (log(1 + r) - r + r * r / 2) / r**3 if abs(r) > tiny else mpf(1) / 3

    def exp2(r: mpf) -> mpf:
        return (exp(r) - 1 - r) / r**2 if abs(r) > tiny else mpf(1) / 2

    polynomials = {
        "LOG3": ("(log(1 + r) - r + r**2 / 2) / r**3", best(log3, lambda r: r * r, far, -65)),
        "EXP3": ("(exp(r) - 1 - r) / r**2", best(exp2, lambda r: r * r, half, -60)),
    }
    for name, (what, (terms, error)) in polynomials.items():
        lines += ["", f"/* {what}: within {nstr(error, 2)} */"]
        values = [f"OPW_EVERY({nstr(c, 19)})" for c in terms]
        value = nested(values, "x").replace("OPW_MADD", "OPW_MORE")
        lines.append(f"#define OPW_POLY_{name}(x) {value}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    mp.dps = 60
    TARGET.write_text(text())
