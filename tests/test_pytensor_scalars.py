"""PyTensor's scalar ops that take part in loops by their own C: in C, where that is no C++."""

import warnings

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.pytensor import modules, plain
from opweld.pytensor.wrapping import Wrapping

pt = pytest.importorskip("pytensor.tensor")
Mode = pytest.importorskip("pytensor.compile.mode").Mode

DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def check(inputs, outputs, values):
    """Compare with Python, and hold that all is C; give the scalar ops that ran."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", opweld.errors.CompileWarning)
        f = pytensor.function(inputs, outputs, mode=Mode("opweld_c", None))
    g = pytensor.function(inputs, outputs, mode=Mode("py", None))
    for node, found, wanted in zip(outputs, f(*values), g(*values), strict=True):
        exact = 1e-5 if wanted.dtype == "float32" else 1e-8  # no better is Psi's C
        np.testing.assert_allclose(found, wanted, rtol=exact, err_msg=str(node.owner))
    nodes, wrapping = f.maker.fgraph.toposort(), Wrapping()
    assert {wrapping.node(node).op.c_lang for node in nodes} == {"c"}
    return {type(node.op.scalar_op) for node in nodes if hasattr(node.op, "scalar_op")}


@pytest.mark.parametrize("dtype", DTYPES)
def test_whole_quotients_and_remainders_are_c(dtype):
    x, y = pt.vector("x", dtype=dtype), pt.vector("y", dtype=dtype)
    signs = (1,) if dtype.startswith("u") else (1, -1)
    values = [np.array([a * s for a in (7, 100, 0, 6) for s in signs], dtype), np.array([2] * 4 * len(signs), dtype)]
    ran = check([x, y], [x // y, x % y, x // 3, (x // y) * (x % y)], values)
    if dtype[0] != "u":
        check([x, y], [x // y, x % y], [values[0], -values[1]])
    assert {cls.__name__ for cls in ran} >= {"IntDiv", "Mod"}
    if dtype[0] != "f":
        for output in (x // y, x % y):
            f = pytensor.function([x, y], output, mode="OPWELD")
            with pytest.raises(ZeroDivisionError):
                f(values[0], np.zeros_like(values[1]))


def test_scalar_ops_with_texts_of_the_whole_module_are_c():
    x, y = pt.dvectors("x", "y")
    i, j = pt.lvectors("i", "j")
    outputs = [
        i // j, i % j, pt.psi(x), pt.tri_gamma(x), pt.gammainc(x, y), pt.gammaincc(x, y), pt.gammau(x, y),
        pt.gammal(x, y),
    ]  # fmt: skip
    numbers = [np.array([0.25, 1.5, 3.0]), np.array([0.75, 2.5, 8.0]), np.array([-7, 0, 9]), np.array([2, 5, -4])]
    ran = check([x, y, i, j], outputs, numbers)
    ran |= check([x, y], [pt.betainc(x, y, x / (x + y))], numbers[:2])  # it has macros of the same names
    assert ran >= plain.SCALARS_IN_C


def test_pytensors_own_modules_are_compiled_in_c():
    for name in modules._TEXTS:
        assert Wrapping().node(modules.Module(name).make_node()).op.c_lang == "c"
        assert modules._made(name)
