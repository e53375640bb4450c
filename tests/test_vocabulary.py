"""Names that people expect of arrays, made of others or of NumPy's own C: values, dtypes and errors are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import opweld
import opweld.tensor as T

RNG = np.random.default_rng(7)
M = RNG.standard_normal((4, 5))
SQUARE = RNG.standard_normal((3, 4, 4))
V = RNG.standard_normal(6)
NUMBERS = np.array([3, 0, 2, 3, 7, 0])
CUBE = RNG.standard_normal((2, 3, 4))


def computed(build, *arrays):
    """What a function of variables of these arrays' types gives."""
    variables = [T.tensor(dtype=a.dtype, shape=(None,) * a.ndim) for a in map(np.asarray, arrays)]
    return opweld.function(variables, build(*variables))(*arrays)


def same(found, wanted, exact=True):
    assert len(found) == len(wanted)
    for got, want in zip(found, map(np.asarray, wanted), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        if exact:
            np.testing.assert_array_equal(got, want)
        else:
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-13)


def compare(name, *arrays, exact=True, numpys=None, **options):
    """A function of ours beside NumPy's of the same name."""
    wanted = (numpys or getattr(np, name))(*arrays, **options)
    wanted = list(wanted) if isinstance(wanted, list | tuple) else [wanted]
    found = computed(lambda *xs: getattr(T, name)(*xs, **options), *arrays)
    same(found if isinstance(found, list) else [found], wanted, exact)


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("k", [-5, -1, 0, 2, 6])
def test_triangles(name, k):
    for array in (M, SQUARE, V, M.astype("int8"), M > 0, np.empty((0, 3))):
        compare(name, array, k=k)
    with pytest.raises(ValueError, match="one dimension at least"):
        getattr(T, name)(T.dscalar())


@pytest.mark.parametrize("offset", [-6, -2, 0, 1, 5, 7])
def test_diagonals(offset):
    for array, axes in ((M, (0, 1)), (M, (1, 0)), (CUBE, (0, 2)), (CUBE, (-1, 1)), (np.empty((0, 3)), (0, 1))):
        compare("diagonal", array, offset=offset, axis1=axes[0], axis2=axes[1])
        compare("trace", array, offset=offset, axis1=axes[0], axis2=axes[1], exact=False)
    compare("trace", M.astype("int8"), offset=offset)
    compare("trace", M, offset=offset, dtype="float32", exact=False)
    compare("diag", M, k=offset)
    inputs, value = [T.dmatrix("x"), T.dscalar("y")], M.copy()
    written = opweld.function(inputs, T.inc_subtensor(T.diagonal(inputs[0], offset), inputs[1]))(value, 2.0)
    value = value[max(-offset, 0) :, max(offset, 0) :]
    value[np.arange(min(value.shape)), np.arange(min(value.shape))] += 2
    np.testing.assert_array_equal(written, value)
    compare("diag", V.astype("float32"), k=offset)
    compare("diag", np.empty(0), k=offset)
    with pytest.raises(ValueError, match="at least two dimensions"):
        T.diagonal(T.dvector())
    with pytest.raises(ValueError, match="cannot be the same"):
        T.diagonal(T.dmatrix(), axis1=1, axis2=-1)
    with pytest.raises(ValueError, match="1- or 2-d"):
        T.diag(T.dtensor3())


def test_other_orders():
    for axis in (None, 0, -1, (0, 1), ()):
        compare("flip", M, axis=axis)
    for k in range(-5, 6):
        compare("rot90", M, k=k)
        compare("rot90", CUBE, k=k, axes=(2, 0))
    for shift, axis in ((2, None), (-7, None), (3, 0), (-1, 1), ((1, 2), (0, 1)), (2, (0, 1)), ((1, 1), 0)):
        compare("roll", M, shift=shift, axis=axis)
    compare("roll", np.empty(0), shift=3)
    s = T.lscalar("s")
    x = T.dvector("x")
    f = opweld.function([x, s], T.roll(x, s))
    for by in (-13, 0, 4, 6):
        assert np.array_equal(f(V, by), np.roll(V, by))
    with pytest.raises(np.exceptions.AxisError):
        T.flip(T.dvector(), 1)
    with pytest.raises(ValueError, match="must be different"):
        T.rot90(T.dmatrix(), 1, (0, -2))
    with pytest.raises(ValueError, match="scalars or 1D"):
        T.roll(T.dmatrix(), (1, 2, 3), (0, 1))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pads(mode):
    for array in (V, M, CUBE.astype("int16"), M[:1, :1]):
        for width in (0, 1, (2, 1), [(0, 3)] * array.ndim, 11):
            compare("pad", array, pad_width=width, mode=mode)
    with pytest.raises(ValueError, match="negative"):
        T.pad(T.dvector(), -1, mode)
    with pytest.raises(ValueError, match="'linear_ramp', expected one of 'constant', 'edge'"):
        T.pad(T.dvector(), 1, "linear_ramp")


def test_pads_of_constants():
    for values in (7, (1, 2), [(1, 2), (3, 4)]):
        compare("pad", M, pad_width=((1, 2), (3, 0)), constant_values=values)
    compare("pad", np.empty((0, 2)), pad_width=1)


def test_grids_and_products():
    for many in range(4):
        for indexing in ("xy", "ij"):
            for sparse in (True, False):
                arrays = [V[: i + 2] for i in range(many)]
                if many:
                    compare("meshgrid", *arrays, indexing=indexing, sparse=sparse)
                else:
                    assert T.meshgrid() == []
    with pytest.raises(ValueError, match="'xy' and 'ij'"):
        T.meshgrid(T.dvector(), indexing="yx")
    for a, b in ((M, SQUARE[0]), (V, M), (CUBE, V), (np.float64(2.0), M), (NUMBERS, M.astype("float32"))):
        compare("kron", np.asarray(a), b)


def test_counting_and_searching():
    s = np.sort(V)
    for side in ("left", "right"):
        compare("searchsorted", s, np.r_[s, M.ravel()], side=side)
    compare("searchsorted", s, np.float64(0.3))
    compare("bincount", NUMBERS)
    compare("bincount", NUMBERS, minlength=12)
    compare("bincount", NUMBERS, V)
    for options in ({}, {"bins": 3}, {"bins": "sturges"}, {"range": (-1, 1)}, {"bins": 4, "density": True}):
        compare("histogram", M, **options)
        compare("histogram", M.astype("float32"), **options)
    edges = np.array([-1.0, 0, 0.5, 2])
    compare("histogram", M, edges)
    compare("histogram", V, bins=5, weights=V)
    for options in ({}, {"return_index": True}, {"return_inverse": True, "return_counts": True}):
        compare("unique", NUMBERS, **options)
    compare("unique", np.array([2.0, np.nan, 1, np.nan]))
    x = T.lvector("x")
    f = opweld.function([x], T.bincount(x))
    with pytest.raises(ValueError, match="negative"):
        f([-1])


def test_linear_algebra():
    linalg = np.linalg
    a = SQUARE @ SQUARE.swapaxes(1, 2) + np.eye(4)
    for array in (a, a[0], a[0].astype("float32"), a + 0.5j * (SQUARE - SQUARE.swapaxes(1, 2))):
        for name in ("inv", "det", "cholesky"):
            compare(name, array, numpys=getattr(linalg, name))
    compare("solve", a, SQUARE, numpys=linalg.solve)
    compare("solve", a[0], V[:4], numpys=linalg.solve)
    for order in (None, 1, 2, np.inf, "fro", "nuc"):
        compare("norm", M, ord=order, numpys=linalg.norm, exact=False)
    for options in ({}, {"axis": 1}, {"axis": (0, 2), "keepdims": True}, {"ord": 3, "axis": 0}):
        compare("norm", CUBE, numpys=linalg.norm, exact=False, **options)
    compare("norm", NUMBERS, numpys=linalg.norm, exact=False)
    compare("norm", M + 1j, numpys=linalg.norm, exact=False)
    for text, *arrays in (
        ("ij,jk->ik", M, M.T),
        ("ii", SQUARE[0]),
        ("bij,bjk", SQUARE, SQUARE),
        ("i,i->i", NUMBERS, V),
    ):
        found = computed(lambda *xs, text=text: T.einsum(text, *xs), *arrays)
        np.testing.assert_allclose(found, np.einsum(text, *arrays), rtol=1e-12)
    x = T.dmatrix("x")
    f = opweld.function([x], T.inv(x), name="inverse")
    with pytest.raises(linalg.LinAlgError, match="Singular") as caught:
        f(np.zeros((2, 2)))
    assert "inv" in "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])
    with pytest.raises(linalg.LinAlgError, match="two-dimensional"):
        T.inv(T.dvector())
    with pytest.raises(ValueError, match="subscript"):
        T.einsum("ijk", x)
    with pytest.raises(TypeError, match="expected subscripts"):
        T.einsum(x, "ij")


HARD = np.array([-np.inf, -1e4, -745.2, -1.0, -0.0, 0.0, 1e-300, 1.0, 36.8, 710.0, 1e4, np.inf, np.nan])


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble", "int8", "bool"])
def test_functions_that_do_not_overflow(dtype):
    import warnings

    array = (HARD if np.dtype(dtype).kind == "f" else np.array([0, 1, 1, 0])).astype(dtype)
    exact = array.astype("longdouble")
    rounded = np.exp(array[:0]).dtype
    with warnings.catch_warnings(), np.errstate(divide="raise", over="raise", invalid="raise", under="ignore"):
        warnings.simplefilter("error")
        got = [computed(getattr(T, name), array) for name in ("sigmoid", "softplus", "relu")]
    with np.errstate(all="ignore"):
        wanted = [1 / (1 + np.exp(-exact)), np.logaddexp(exact, 0), np.maximum(array, array.dtype.type(0))]
    for found, want, own in zip(got, wanted, (rounded, rounded, array.dtype), strict=True):
        assert found.dtype == own
        np.testing.assert_allclose(found, want.astype(own), rtol=8 * np.finfo(rounded).eps, atol=np.finfo(rounded).tiny)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_sums_of_powers(axis):
    for array in (CUBE, CUBE * 1e3, CUBE.astype("float32"), (CUBE * 9).astype("int8")):
        power = np.exp(array.astype("longdouble"))
        own, eps = np.exp(array[:0]).dtype, np.finfo(np.exp(array[:0]).dtype).eps
        found = computed(lambda x: T.softmax(x, axis), array)
        assert found.dtype == own
        np.testing.assert_allclose(
            found, (power / power.sum(axis, keepdims=True)).astype(own), rtol=3e3 * eps, atol=1e-30
        )
        for keepdims in (True, False):
            found = computed(lambda x, keepdims=keepdims: T.logsumexp(x, axis, keepdims), array)
            want = np.log(power.sum(axis, keepdims=keepdims))
            assert found.dtype == own and found.shape == want.shape
            np.testing.assert_allclose(found, want, rtol=20 * eps, atol=20 * eps)


def test_sums_of_powers_of_infinities():
    inf = np.inf
    rows = np.array([[-inf, -inf], [inf, 0], [inf, inf], [-inf, 3]])
    with np.errstate(divide="raise", over="raise"):
        found = computed(lambda x: T.logsumexp(x, 1), rows)
    assert found.tolist() == [-inf, inf, inf, 3]
    with pytest.raises(TypeError, match="expected real numbers"):
        T.logsumexp(T.zvector())


def test_equal_calls_are_one_node():
    x = T.dmatrix("x")
    assert T.inv(x).owner.op == T.inv(x).owner.op != T.det(x).owner.op
    f = opweld.function([x], [T.inv(x), T.inv(x) + 1])
    assert len([node for node in f.maker.fgraph.toposort() if str(node.op) == "inv"]) == 1
