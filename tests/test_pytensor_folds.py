"""PyTensor's reductions as loops of the engine's: of integers and bools, and of float32 in float64."""

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld.pytensor.wrapping import Wrapping

pt = pytest.importorskip("pytensor.tensor")
ps = pytest.importorskip("pytensor.scalar")
CAReduce = pytest.importorskip("pytensor.tensor.elemwise").CAReduce
Mode = pytest.importorskip("pytensor.compile.mode").Mode

OPS = (ps.add, ps.mul, ps.maximum, ps.minimum, ps.or_, ps.and_, ps.xor)
DTYPES = ("bool", "int8", "uint8", "int32", "uint16", "int64", "float32", "float64")


def values(dtype, shape):
    rng = np.random.default_rng(7)
    if dtype == "bool":
        return rng.random(shape) < 0.9
    return rng.random(shape).astype(dtype) if dtype[0] == "f" else rng.integers(-90, 200, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_folds_are_what_they_are_in_python(dtype):
    inputs, outputs, given = [], [], []
    for op in OPS[: 4 if dtype[0] == "f" else None]:
        for axis in ((0,), (1,), None):
            for shape in ((5, 7), (300, 2), (0, 3)):
                if 0 in shape and op in (ps.maximum, ps.minimum):
                    continue
                x = pt.TensorType(dtype, (None, None))()
                inputs.append(x)
                outputs.append(CAReduce(op, axis=axis)(x))
                given.append(values(dtype, shape))
    f = pytensor.function(inputs, outputs, mode=opweld.pytensor.OPWELD_C)
    g = pytensor.function(inputs, outputs, mode=Mode("py", "fast_run"))
    for node, found, wanted in zip(outputs, f(*given), g(*given), strict=True):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape, node.owner
        np.testing.assert_allclose(found, wanted, rtol=1e-6, err_msg=str(node.owner))
    wrapping = Wrapping()
    foreign = {str(node.op) for node in f.maker.fgraph.toposort() if wrapping.node(node).op.c_lang != "c"}
    assert all("XOR" in op for op in foreign) and bool(foreign) == (dtype == "bool")


def test_float32_is_summed_in_float64():
    x = pt.fvector("x")
    f = pytensor.function([x], [x.sum(), pt.log(x.sum()) * x], mode=opweld.pytensor.OPWELD)
    given = np.full(1_000_001, 0.1, "float32")
    total, scaled = f(given)
    assert total == given.sum(dtype="float64").astype("float32")
    assert scaled.dtype == "float32"
    np.testing.assert_allclose(scaled, np.log(total) * given, rtol=1e-6)


def test_nothing_has_no_largest_integer():
    x = pt.imatrix("x")
    f = pytensor.function([x], x.max(axis=0), mode=opweld.pytensor.OPWELD)
    assert list(f(np.array([[1, -2], [-3, 4]], "int32"))) == [1, 4]
    with pytest.raises(ValueError, match="no identity"):
        f(np.zeros((0, 3), "int32"))


def test_what_asks_for_some_sizes_is_c():
    x = pt.dtensor3("x")
    f = pytensor.function([x], pt.specify_shape(x, (None, 3, None)), mode=opweld.pytensor.OPWELD_C)
    wrapping = Wrapping()
    assert {wrapping.node(node).op.c_lang for node in f.maker.fgraph.toposort()} == {"c"}
    given = values("float64", (2, 3, 4))
    np.testing.assert_array_equal(f(given), given)
    with pytest.raises(AssertionError, match="dim 1 of input has shape 4, expected 3"):
        f(given.transpose(0, 2, 1))
