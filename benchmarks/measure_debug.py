"""The measured half of the row about DebugMode: prints one JSON object.

python measure_debug.py ELEMENTS ROUNDS   nanoseconds of a call in C, of perform, and of calls in DebugMode
"""

from __future__ import annotations

import json
import sys
import warnings

import fragments
import numpy as np
from measure import interleaved, pin

import opweld
from opweld.compile.debugmode import DebugMode


class Shift(fragments.Shift):
    """x + 1, in Python too: of all ops the one for which the checks are the most."""

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = inputs[0] + 1


class Blur(fragments.Blur):
    """The mean of three neighbours, in Python too."""

    def perform(self, node, inputs, output_storage):
        x = inputs[0]
        output_storage[0][0] = (x[:-2] + x[1:-1] + x[2:]) / 3


class Exp(fragments.Shift):
    """The exponential function, in Python too."""

    body = "for (npy_intp i = 0; i < n; i++, from += step) to[i] = exp(*(const double *)from);"

    def perform(self, node, inputs, output_storage):
        output_storage[0][0] = np.exp(inputs[0])


def main(elements: int, rounds: int) -> None:
    x, values = opweld.tensor.dvector("x"), np.linspace(0.0, 1.0, elements)
    found = {}
    for op in (Shift(), Blur(), Exp()):
        plain = opweld.function([x], op(x))
        inside = opweld.function([x], op(x), mode=DebugMode(isolate=False))
        outside = opweld.function([x], op(x), mode="DebugMode")
        for f in (inside, outside):
            assert np.allclose(f(values), plain(values))
        scope = {"values": values, "op": op}
        found[type(op).__name__] = {
            "c": ("f(values)", scope | {"f": plain}),
            "perform": ("op.perform(None, [values], [[None]])", scope),
            "inside": ("f(values)", scope | {"f": inside}),
            "outside": ("f(values)", scope | {"f": outside}),
        }
    pin()
    print(json.dumps({name: interleaved(candidates, rounds, None) for name, candidates in found.items()}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(*map(int, sys.argv[1:]))
