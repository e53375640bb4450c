"""What a call of the short form costs, beside its peers: ``python measure_short.py FOLDER ROUNDS`` prints JSON."""

from __future__ import annotations

import importlib.util
import json
import sys

import numpy as np
from measure import interleaved, pin
from short_rows import BODY

import opweld
import opweld.tensor as T


def main(folder: str, rounds: int) -> dict[str, list[float]]:
    pin()
    opweld.config.compiledir = f"{folder}/opweld"
    smooth = opweld.cop("x: T[n], a: T -> y: T[n]", BODY)
    x, a = T.dvector("x"), T.dscalar("a")
    candidates = {"opweld.cop": smooth, "opweld.function": opweld.function([x, a], smooth(x, a))}
    sys.path.insert(0, folder)
    for name, module in (("Numba", "smooth_by_numba"), ("pybind11", "smooth_by_pybind11")):
        if importlib.util.find_spec(module) is not None:
            candidates[name] = importlib.import_module(module).smooth
    data = np.array([1.0, 0.0, 2.0])
    wanted = smooth(data, 0.9)
    for name, call in candidates.items():
        assert np.array_equal(call(data, 0.9), wanted), name
    texts = {name: ("call(data, 0.9)", {"call": call, "data": data}) for name, call in candidates.items()}
    return interleaved(texts, rounds, loops=5000)


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], int(sys.argv[2]))))
