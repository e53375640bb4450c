"""docs/numpy.md says what of NumPy is here: no name of NumPy's is left out, and what is said of each is so."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld.dtypes import CONSTRUCTORS

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "numpy.md").read_text(encoding="utf-8")
CODE = re.compile(r"`([^`]+)`")
OF_ARRAYS = ("Methods and attributes of arrays", "Operators")
# In some releases or on some machines only.
SOMETIMES = {"in1d", "trapz", "float128", "complex256", "itemset", "newbyteorder", "tostring", "ptp"}
PROTOCOLS = re.compile(r"__(array\w*|dlpack\w*|copy|deepcopy|class_getitem|setstate|buffer|release_buffer)__")


def rows():
    """Section, the names or calls of a row, what is said of them, and the rest."""
    section = ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("| `"):
            names, here, rest = line.strip("|").split(" | ", 2)
            yield section, CODE.findall(names), here.strip(), rest


ROWS = list(rows())


def said(*sections, functions=False):
    """Each name of these sections, or of all others, and whether it is here; calls are cut to the name."""
    found = {}
    for section, names, here, _ in ROWS:
        if (section in OF_ARRAYS) if functions else (section not in sections):
            continue
        assert here in ("yes", "differs", "no"), names
        for name in names:
            name = name.partition("(")[0]
            assert name not in found, f"{name} stands twice"
            found[name] = here
    return found


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def complete(found, wanted):
    assert wanted - set(found) == set(), "left out"
    assert set(found) - wanted <= SOMETIMES, "not NumPy's"


def test_functions():
    found = said(functions=True)
    complete(found, {name for name in public(np) if callable(getattr(np, name))})
    for name, here in found.items():
        assert (name in T.__all__ and name not in CONSTRUCTORS) == (here != "no"), name  # numpy.matrix is none


def test_methods():
    found = said("Methods and attributes of arrays")
    complete(found, public(np.ndarray))
    for name, here in found.items():
        assert hasattr(T.TensorVariable, name) == hasattr(T.TensorConstant, name) == (here != "no"), name


def test_operators():
    found = said("Operators")
    special = {name for name in dir(np.ndarray) if name.startswith("__") and not PROTOCOLS.fullmatch(name)}
    wanted = (special - set(dir(object))) | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"}
    complete(found, wanted)
    x, arguments = T.dvector("x"), {"__setitem__": (0, 1), "__contains__": (1,)}
    for name, here in found.items():
        if here != "no":
            assert hasattr(x, name), name
        elif hasattr(x, name):
            with pytest.raises(TypeError):
                getattr(x, name)(*arguments.get(name, ()))


def arrays():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3, 4))
    return {
        "x": x,
        "y": x[:, ::-1].copy(),
        "m": rng.normal(size=(4, 4)),
        "n": rng.normal(size=(4, 4)),
        "v": rng.normal(size=5),
        "w": rng.uniform(1, 2, size=5).round(1),
        "s": np.sort(rng.normal(size=6)),
        "i": np.array([3, 0, 1, 3, 1]),
        "j": np.array([0, 1, 2, 0, 1]),
        "b": np.array([True, False, True, True, False]),
    }


CALLS = [
    (name, CODE.findall(rest)[0])
    for section, names, here, rest in ROWS
    for name in names
    if here == "no" and "(" in name
]


def test_what_is_to_be_written_instead():
    """Every call, and what stands beside it; where NaN counts, with some."""
    given = arrays()
    variables = {name: T.TensorType(a.dtype, (None,) * a.ndim)(name) for name, a in given.items()}
    results = [T.as_tensor_variable(eval(ours, {"T": T, "np": np}, dict(variables))) for _, ours in CALLS]
    f = opweld.function(list(variables.values()), results, on_unused_input="ignore")
    for nans in (False, True):
        given["x"][1, 2] = np.nan if nans else 0.0
        for (call, ours), got in zip(CALLS, f(*given.values()), strict=True):
            if nans and not call.startswith("nan"):
                continue
            wanted = np.asarray(eval(f"np.{call}", {"np": np}, dict(given)))
            assert got.shape == wanted.shape and got.dtype == wanted.dtype, (call, ours)
            np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-12, err_msg=f"{call}: {ours}")
    assert len(CALLS) > 60


def test_every_name_of_ours_exists():
    for name in re.findall(r"\bT\.(\w+)", PAGE):
        assert hasattr(T, name), name
    for name in re.findall(r"\bopweld(?:\.\w+)+", PAGE):
        eval(name, {"opweld": opweld}) if name != "opweld.generic.generic" else opweld.generic.generic
