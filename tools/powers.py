"""Write templates/vector/powers.h: the tables and the polynomials of powers, a sixteenth of a power of two at a time.

From the project's folder: ``build/test-3.11/bin/python tools/powers.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy
from mpmath import exp, log, mp, mpf, nint, nstr
from polynomials import Real, nested, remez

TARGET = Path(__file__).resolve().parent.parent / "templates" / "vector" / "powers.h"
PARTS = 16
Table = tuple[str, list[mpf]]
Polynomial = tuple[str, tuple[list[mpf], mpf]]


@dataclass(frozen=True)
class Intervals:
    """Parts of all x from ``least`` to twice that, equal ones of the bits: half as wide below 1.

    Of their inverses, multiples of 1 / unit, few bits are wanted: x / c - 1 is exact. About 1 the logarithm is 0.
    """

    least: mpf
    unit: int

    def edge(self, i: int) -> mpf:
        """Give the lower edge of a part."""
        x = self.least + mpf(i) / (2 * PARTS)
        return x if x < 1 else 1 + (x - 1) * 2

    def reciprocals(self) -> list[mpf]:
        """Give 1 / c for each part."""
        found = []
        for i in range(PARTS):
            low, high = (self.edge(j) for j in (i, i + 1))
            scale = 1 if low < 1 else 2  # of the last bit of x
            near = [nint(u * 2 / (low + high)) / u for u in (scale * self.unit, scale * self.unit // 2)]
            fit = [c for u, c in zip((self.unit, self.unit // 2), near, strict=True) if self._rest(i, c) <= mpf(1) / u]
            found.append(mpf(1) if low < 1 < high else min(fit, key=lambda c, i=i: self._rest(i, c)))
        return found

    def farthest(self) -> mpf:
        """Give the largest size of x / c - 1."""
        return max(self._rest(i, c) for i, c in enumerate(self.reciprocals()))

    def _rest(self, i: int, c: mpf) -> mpf:
        return max(abs(self.edge(i + j) * c - 1) for j in (0, 1))


def best(f: Real, weight: Real, far: mpf, near: int) -> tuple[list[mpf], mpf]:
    """Give the shortest polynomial from -far to far that errs by less than 2**near."""
    found = (remez(f, weight, -far, far, degree) for degree in range(1, 30))
    return next((terms, error) for terms, error in found if error < mpf(2) ** near)


def over(f: Real, limit: mpf) -> Real:
    """Give f with what it tends to at 0."""
    return lambda r: f(r) if abs(r) > mpf(10) ** -12 else limit


def roots() -> list[mpf]:
    """Give what powers of 2 are a whole power of 2 times."""
    return [mpf(2) ** (mpf(i) / PARTS) for i in range(PARTS)]


def single(x: mpf) -> float:
    """Round to float32."""
    return float(numpy.float32(float(x)))


def lowered(i: int, x: mpf) -> mpf:
    """Give what has the bits of x less those that i makes where it stands above 19 others."""
    return mpf(float((numpy.float32(float(x)).view("uint32") - numpy.uint32(i << 19)).view("float32")))


def doubles() -> list[str]:
    """Give what powers of float64 need: natural logarithms, exact beside multiples of the upper part of ln 2."""
    parts = Intervals(mpf(float.fromhex("0x1.6aaaap-1")), 16)
    logs = [-log(c) for c in parts.reciprocals()]
    highs = [nint(x * 2**42) / 2**42 for x in logs]
    tables = {
        "inverse": ("1 / c, c near the middle of a part", parts.reciprocals()),
        "log": ("log(c), a whole number of 2**-42", highs),
        "log_low": ("what it lacks", [x - high for x, high in zip(logs, highs, strict=True)]),
        "root": ("2**(i / 16)", roots()),
        "root_low": ("what it lacks, of 1", [(x - mpf(float(x))) / x for x in roots()]),
    }
    far, half = parts.farthest(), log(2) / PARTS / 2 * mpf("1.01")
    log3 = over(lambda r: (log(1 + r) - r + r * r / 2) / r**3, mpf(1) / 3)
    exp2 = over(lambda r: (exp(r) - 1 - r) / r**2, mpf(1) / 2)
    polynomials = {
        "LOG3": ("(log(1 + r) - r + r**2 / 2) / r**3", best(log3, lambda r: r * r, far, -65)),
        "EXP3": ("(exp(r) - 1 - r) / r**2", best(exp2, lambda r: r * r, half, -60)),
    }
    return written("double", parts, tables, polynomials)


def singles() -> list[str]:
    """Give what powers of float32 need: logarithms to base 2, beside which any whole number to 128 is exact."""
    parts = Intervals(mpf(float.fromhex("0x1.64p-1")), 32)
    logs = [-log(c) / log(2) for c in parts.reciprocals()]
    highs = [nint(x * 2**17) / 2**17 for x in logs]
    tables = {
        "inverse": ("1 / c, c near the middle of a part", parts.reciprocals()),
        "log": ("log2(c), a whole number of 2**-17", highs),
        "log_low": ("what it lacks", [x - high for x, high in zip(logs, highs, strict=True)]),
        "root": ("2**(i / 16), its bits less i times 2**19", [lowered(i, x) for i, x in enumerate(roots())]),
        "root_low": ("what it lacks, of 1", [(x - mpf(single(x))) / x for x in roots()]),
    }
    log3 = over(lambda r: -2 * (log(1 + r) - r + r * r / 2) / r**3, -mpf(2) / 3)
    exp1 = over(lambda r: (2**r - 1) / r, log(2))
    polynomials = {
        "LOG3": (
            "(log(1 + r) - r + r**2 / 2) / (-r**3 / 2), of float32",
            best(log3, lambda r: r * r / 2, parts.farthest(), -34),
        ),
        "EXP1": ("(2**r - 1) / r, of float32", best(exp1, lambda r: r, mpf("0.1"), -29)),
    }
    return written("float", parts, tables, polynomials)


def written(kind: str, parts: Intervals, tables: dict[str, Table], polynomials: dict[str, Polynomial]) -> list[str]:
    """Give lines of C."""
    short = kind == "float"
    mark, ending, end = ("_f32", "_F32", "f") if short else ("", "", "")
    lines = [f"#define OPW_PARTS_LEAST{ending} {float(parts.least).hex()}{end}"]
    for name, (what, values) in tables.items():
        lines += ["", f"/* {what} */", f"static const {kind} opw_power_{name}{mark}[{PARTS}] = {{"]
        numbers = [single(x) if short else float(x) for x in values]
        texts = [x.hex().replace("0000000p", "p" if short else "0000000p") + end if x else "0" for x in numbers]
        lines += ["    " + ", ".join(texts[i : i + 4]) + "," for i in range(0, PARTS, 4)] + ["};"]
    for name, (what, (terms, error)) in polynomials.items():
        lines += ["", f"/* {what}: within {nstr(error, 2)} */"]
        values = [f"OPW_EVERY({nstr(c, 10 if short else 19)}{end})" for c in terms]
        if short:
            polynomial = nested(values, "x").replace("OPW_MADD", "OPW_MORE")
        elif name == "LOG3":  # its largest term is added last, by one operation: its rounding is that of the whole
            polynomial = f"OPW_MORE({in_pairs(values[1:])}, x, {values[0]})"
        else:
            polynomial = in_pairs(values)
        lines.append(f"#define OPW_POLY_{name}{ending}({'x' if short else 'x, square'}) {polynomial}")
    return lines


def in_pairs(values: list[str]) -> str:
    """Write a polynomial of x as C whose terms wait for one another little (Estrin's scheme).

    A power of float64 is a long chain of operations: how many wait counts as much as how many there are. What is
    left of pairs goes into the last: by that a power of x less is wanted, and nothing waits longer.
    """
    power, rest = "x", values
    while len(rest) > 1:
        if len(rest) % 2:
            rest = [*rest[:-2], f"OPW_MORE({rest[-1]}, {power}, {rest[-2]})"]
        rest = [f"OPW_MORE({b}, {power}, {a})" for a, b in zip(rest[::2], rest[1::2], strict=True)]
        power = "square" if power == "x" else f"({power} * {power})"
    return rest[0]


if __name__ == "__main__":
    mp.dps = 60
    lines = ["/* Written by tools/powers.py. */", *doubles(), "", "/* The same of float32. */", *singles()]
    TARGET.write_text("\n".join(lines) + "\n")
