"""PyTensor's products of matrices and vectors, by the BLAS that its flags name or that is found."""

import numpy as np
import pytest
from pytensors import pytensor

import opweld.pytensor
from opweld import blaslib
from opweld.pytensor import products
from opweld.pytensor.wrapping import Wrapping

pt = pytest.importorskip("pytensor.tensor")
blas = pytest.importorskip("pytensor.tensor.blas")
Apply = pytest.importorskip("pytensor.graph.basic").Apply

LAYOUTS = (
    lambda x: x,
    np.asfortranarray,
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    lambda x: x[::-1],
    lambda x: x[..., ::-1],
)


@pytest.fixture(params=("scipy_openblas32", "scipy_openblas64"))
def library(request, monkeypatch):
    flags = blaslib.wheel(request.param)
    if not flags:
        pytest.skip(f"the wheel {request.param} is not installed")
    monkeypatch.setattr(blaslib, "found", lambda compiler: flags)


def cases(dtype):
    kinds = {
        "Dot22": (blas.Dot22(), (2, 2)),
        "Dot22Scalar": (blas.Dot22Scalar(), (2, 2, 0)),
        "Gemm": (blas.gemm_no_inplace, (2, 0, 2, 2, 0)),
        "Gemv": (blas.gemv_no_inplace, (1, 0, 2, 1, 0)),
        "Ger": (blas.ger, (2, 0, 1, 1)),
        "BatchedDot": (blas.BatchedDot(), (3, 3)),
    }
    table = {}
    for name, (op, dimensions) in kinds.items():
        variables = [pt.tensor(dtype=dtype, shape=(None,) * ndim) for ndim in dimensions]
        table[name] = variables, op(*variables)
    return table


def given(name, dtype, m, k, n):
    rng = np.random.default_rng(3)
    shapes = {
        "Dot22": [(m, k), (k, n)],
        "Dot22Scalar": [(m, k), (k, n), ()],
        "Gemm": [(m, n), (), (m, k), (k, n), ()],
        "Gemv": [(m,), (), (m, k), (k,), ()],
        "Ger": [(m, n), (), (m,), (n,)],
        "BatchedDot": [(3, m, k), (3, k, n)],
    }
    return [np.asarray(rng.normal(size=shape), dtype) for shape in shapes[name]]


def wanted(name, values):
    if name in ("Dot22", "BatchedDot"):
        return values[0] @ values[1]
    if name == "Dot22Scalar":
        return values[2] * (values[0] @ values[1])
    if name == "Ger":
        return values[0] + values[1] * np.outer(values[2], values[3])
    z, a, x, y, b = values
    return b * z + a * (x @ y)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_are_numpys_whatever_the_layout(library, dtype):
    table = cases(dtype)
    inputs = [v for variables, _ in table.values() for v in variables]
    mode = opweld.pytensor.OPWELD_C.excluding("BlasOpt", "inplace")
    f = pytensor.function(inputs, [out for _, out in table.values()], mode=mode, on_unused_input="ignore")
    wrapping = Wrapping()
    for node in f.maker.fgraph.toposort():
        assert wrapping.node(node).op.has_c, node
    for sizes in ((4, 5, 6), (1, 5, 6), (4, 1, 6), (4, 5, 1), (1, 1, 1), (0, 5, 6), (4, 0, 6), (4, 5, 0)):
        for layout in LAYOUTS:
            values = {name: [layout(v) if v.ndim else v for v in given(name, dtype, *sizes)] for name in table}
            before = {name: [v.copy() for v in held] for name, held in values.items()}
            found = f(*[v for held in values.values() for v in held])
            for name, value in zip(table, found):
                np.testing.assert_allclose(value, wanted(name, before[name]), rtol=2e-4, atol=1e-5, err_msg=name)
                for old, new in zip(before[name], values[name]):
                    np.testing.assert_array_equal(old, new)


def test_what_a_product_writes_over_is_written_over(library):
    x, y = pt.dvector("x"), pt.dvector("y")
    A = pytensor.shared(np.arange(6.0).reshape(2, 3))
    f = pytensor.function([x, y], A.sum(), updates={A: A + 2 * pt.outer(x, y)}, mode=opweld.pytensor.OPWELD)
    f([1.0, 2.0], [1.0, 0.0, 3.0])
    np.testing.assert_allclose(A.get_value(), np.arange(6.0).reshape(2, 3) + 2 * np.outer([1, 2], [1, 0, 3]))


def test_what_was_in_memory_is_nothing_to_a_product(library):
    y, x, A = pt.dvector("y"), pt.dvector("x"), pt.dmatrix("A")
    f = pytensor.function([y, A, x], blas.gemv_no_inplace(y, 1.0, A, x, 0.0), mode=opweld.pytensor.OPWELD)
    np.testing.assert_array_equal(f([np.nan] * 2, np.eye(2), [1.0, 2.0]), [1.0, 2.0])
    np.testing.assert_array_equal(f([np.nan] * 2, np.zeros((2, 0)), []), [0.0, 0.0])


@pytest.mark.parametrize("name", ["Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "BatchedDot"])
def test_sizes_that_do_not_fit(library, name):
    variables, out = cases("float64")[name]
    f = pytensor.function(variables, out, mode=opweld.pytensor.OPWELD.excluding("BlasOpt"))
    values = given(name, "float64", 4, 5, 6)
    at = {"Dot22": 1, "Dot22Scalar": 1, "Ger": 2, "BatchedDot": 1}.get(name, 3)
    values[at] = values[at][..., :3, :] if values[at].ndim > 1 else values[at][:3]
    with pytest.raises(ValueError, match=r"(?i)mismatch"):
        f(*values)


@pytest.mark.parametrize("name", ["Gemv", "Ger"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_added_to_is_written_over_however_it_lies(library, name, dtype):
    """Rows, columns, backwards, far apart and of any size; what has no elements next to each other is copied first."""
    variables, _ = cases(dtype)[name]
    op = blas.gemv_inplace if name == "Gemv" else blas.ger_destructive
    inputs = [pytensor.In(v, mutable=not i, borrow=True) for i, v in enumerate(variables)]
    f = pytensor.function(inputs, op(*variables), mode=pytensor.compile.mode.Mode("opweld", None), accept_inplace=True)
    for sizes in ((4, 5, 6), (1, 5, 6), (4, 1, 1), (0, 5, 6), (4, 0, 0)):
        for layout in (*LAYOUTS, lambda x: np.broadcast_to(x[:1], x.shape) if x.shape[0] else x):
            first, *rest = given(name, dtype, *sizes)
            first, rest = first.copy(), [layout(v) if v.ndim else v for v in rest]
            first = layout(first) if layout in LAYOUTS else first
            right = wanted(name, [first, *rest])
            np.testing.assert_allclose(f(first, *rest), right, rtol=2e-4, atol=1e-5)
            if first.ndim == 1 or first.flags.forc:
                np.testing.assert_allclose(first, right, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("inplace", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_one_row_or_column_of_what_is_added_counts_for_all(library, inplace, turned):
    variables, _ = cases("float64")["Gemm"]
    op = blas.gemm_inplace if inplace else blas.gemm_no_inplace
    mode = pytensor.compile.mode.Mode("opweld_c", None)
    inputs = [pytensor.In(v, mutable=inplace and not i) for i, v in enumerate(variables)]
    f = pytensor.function(inputs, op(*variables), mode=mode, accept_inplace=inplace)
    whole, a, x, y, b = given("Gemm", "float64", 4, 5, 6)
    for z, left in ((whole, x), (whole[:1], x), (whole[:, :1], x), (whole[:1, :1], x), (whole, x[:1])):
        z = np.asfortranarray(z) if turned else z.copy()
        right = b * z + a * (left @ y)
        np.testing.assert_allclose(f(z, a, left, y, b), right, rtol=1e-12)
    for z, left in ((whole[:2], x), (whole[:, :3], x), (whole, x[:2])):
        with pytest.raises(ValueError):
            f(z.copy(), a, left, y, b)


def test_a_model_of_products_is_one_run(library):
    A, x = pt.dmatrix("A"), pt.dvector("x")
    f = pytensor.function([A, x], pytensor.grad(pt.tanh(A @ x).sum(), [A, x]), mode="OPWELD")
    assert len(f.vm.nodes) == len(f.maker.fgraph.apply_nodes)
    rng = np.random.default_rng(1)
    m, v = rng.normal(size=(3, 4)), rng.normal(size=4)
    slope = 1 - np.tanh(m @ v) ** 2
    for found, right in zip(f(m, v), (np.outer(slope, v), m.T @ slope)):
        np.testing.assert_allclose(found, right)


def test_products_of_whatever_views_are_one_module(library):
    A, B = pt.dmatrices("A", "B")
    x, y = np.random.default_rng(2).normal(size=(2, 6, 6))
    views = (lambda m: m.T, lambda m: m[::-1], lambda m: m[1:, ::2][::2].T, lambda m: m.T[::-1, 3:], lambda m: m[:, 2:])
    found = set()
    for left in views:
        for right in views:
            if left(x).shape[1] == right(y).shape[0]:
                f = pytensor.function([A, B], blas.Dot22()(left(A), right(B)), mode="OPWELD_C")
                np.testing.assert_allclose(f(x, y), left(x) @ right(y))
                found.add(f.vm.source())
    assert len(found) == 1


def test_views_that_are_told_are_what_they_are(library):
    """Beside loops that read through them, as results, of views that are told, and of which one is refused."""
    A, i = pt.dmatrix("A"), 3
    a = np.arange(16.0).reshape(4, 4)
    part = A[1:]
    outputs = [part, part.T, blas.Dot22()(part, A.T), part * 2, A[i], blas.Dot22()(A[i : i + 1], A[::-2].T)]
    f = pytensor.function([A], [pytensor.Out(v, borrow=True) for v in outputs], mode="OPWELD_C")
    wanted = [a[1:], a[1:].T, a[1:] @ a.T, a[1:] * 2, a[3], a[3:4] @ a[::-2].T]
    for found, right in zip(f(a), wanted, strict=True):
        np.testing.assert_allclose(found, right)
    g = pytensor.function([A], blas.Dot22()(A[i].dimshuffle("x", 0)[:, ::-1], A), mode="OPWELD_C")
    np.testing.assert_allclose(g(a), a[3:, ::-1] @ a)
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 0 with size 2"):
        g(a[:2])
    assert g.vm.nodes[g.vm.position_of_error].op.idx_list[0] == 0


def test_without_a_library_products_are_left_to_pytensor(monkeypatch):
    monkeypatch.setattr(blaslib, "found", lambda compiler: "")
    A = pt.dmatrix("A")
    f = pytensor.function([A], pt.exp(A @ A), mode="OPWELD")
    np.testing.assert_allclose(f(np.eye(2)), np.exp(np.eye(2)))
    node = Apply(blas.Dot22(), [A, A], [pt.dmatrix()])
    assert products.written_of(node) is None
