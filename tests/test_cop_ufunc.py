"""Short forms as ufuncs: real ones, with all that NumPy has for them."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import warnings
import weakref
from pathlib import Path

import kit
import numpy as np
import pytest

import opweld
import opweld.tensor as T
from opweld import _ufunc

hypotenuse = opweld.cop("x: T, y: T -> z: T where T: float", "z = sqrt(x*x + y*y);", ufunc=True)
plus = opweld.cop("x: T, y: T -> z: T", "z = x + y;", ufunc=True, name="plus")
smooth = opweld.cop(
    "x: T[n], a: T -> y: T[n] where T: float",
    """
    if (n > 0) y[0] = x[0];
    for (npy_intp i = 1; i < n; i++) y[i] = x[i] + a * (y[i-1] - x[i]);
""",
    ufunc=True,
)
lags = opweld.cop("x: strided T[n] -> d: T[n - 1], first: T where T: float", """
    for (npy_intp i = 1; i < n; i++) d[i-1] = x(i) - x(i-1);
    first = n ? x(0) : 0;
""", ufunc=True)  # fmt: skip
rooted = opweld.cop(
    "x: float64 -> y: float64", 'if (x < 0) fail(ValueError, "%g is negative", x);\ny = sqrt(x);', ufunc=True
)
halves = opweld.cop("x: int64, b: bool -> half: int64, odd: bool", "half = x / 2, odd = b && x % 2;", ufunc=True)
rng = np.random.default_rng(3)
A, B = rng.random((4, 5)), rng.random((4, 5))


def smoothed(x, a):
    y = np.array(x)
    for i in range(1, y.shape[-1]):
        y[..., i] = x[..., i] + a * (y[..., i - 1] - x[..., i])
    return y


def test_it_is_one_of_numpys():
    assert type(hypotenuse) is np.ufunc and hypotenuse.__name__ == "hypotenuse"
    assert (hypotenuse.nin, hypotenuse.nout, hypotenuse.signature) == (2, 1, None)
    assert hypotenuse.types == ["ff->f", "dd->d", "gg->g"] and smooth.types == ["ff->f", "dd->d", "gg->g"]
    assert plus.types == [f"{c}{c}->{c}" for c in "?bBhHiIlLfdgFDG"] and halves.types == ["l?->l?"]
    assert smooth.signature == "(n),()->(n)" and lags.signature.startswith("(n)->(opw_1),()")
    assert "x: T, y: T -> z: T where T: float" in hypotenuse.__doc__ and "y : T array of shape (n,)" in smooth.__doc__
    assert hypotenuse.identity is None


@pytest.mark.parametrize("dtype", ["float32", "float64", "longdouble"])
def test_every_layout_of_elements(dtype):
    for x, y in (
        (A, B),
        (A.T, B.T),
        (A[::2, ::-1], B[::2, ::-1]),
        (A[0], B),
        (A[:, :1], B),
        (A, 2),
        (np.array(3.0), B[:, 2]),
    ):
        x, y = np.asarray(x, dtype), np.asarray(y, dtype)
        found = hypotenuse(x, y)
        np.testing.assert_allclose(found, np.sqrt(x * x + y * y), rtol=1e-6)
        assert found.dtype == dtype
    assert type(hypotenuse(np.asarray(3, dtype)[()], np.asarray(4, dtype)[()])) is np.dtype(dtype).type
    assert hypotenuse(kit.misaligned(np.asarray(A, dtype)), 0).tolist() == np.asarray(A, dtype).tolist()
    assert hypotenuse(np.asarray(A).astype(np.dtype(dtype).newbyteorder()), 0).dtype == dtype


def test_dtypes_are_numpys():
    i, u, f = np.int8, np.uint8, np.float32
    pairs = [
        (i(1), u(2)),
        (u(1), np.uint16(2)),
        (np.int64(1), f(2)),
        (np.bool_(1), np.int16(2)),
        (f(1), 2.5),
        (i(1), 2),
    ]
    pairs += [(np.complex64(1), np.float64(2)), (np.uint64(1), i(1))]
    for x, y in pairs:
        assert plus(x, y).dtype == np.add(x, y).dtype and plus(x, y) == np.add(x, y)
    assert hypotenuse(3, 4) == 5 and type(hypotenuse(np.int8(3), np.int8(4))) is np.float32
    assert halves(np.int32(7), True) == (3, True)
    with pytest.raises(TypeError, match="not supported for the input types"):
        hypotenuse(1j, 2)
    with pytest.raises(TypeError, match="Cannot cast ufunc 'hypotenuse' output"):
        hypotenuse(A, B, out=np.zeros((4, 5), "int64"))
    assert hypotenuse(A, B, dtype="float32").dtype == np.float32
    assert hypotenuse(A, B, signature="gg->g").dtype == np.longdouble
    assert (
        hypotenuse(A, B, out=np.zeros((4, 5), "int64"), casting="unsafe").tolist()
        == np.hypot(A, B).astype(int).tolist()
    )


def test_keywords_and_methods():
    out = np.full((4, 5), -1.0)
    mask = A > B
    assert plus(A, B, out=out, where=mask) is out
    assert out.tolist() == np.where(mask, A + B, -1).tolist()
    assert plus.reduce(A).tolist() == np.add.reduce(A).tolist() or np.allclose(plus.reduce(A), A.sum(0))
    np.testing.assert_allclose(plus.reduce(A, axis=1, keepdims=True, initial=2.0), A.sum(1, keepdims=True) + 2)
    np.testing.assert_allclose(plus.accumulate(A, axis=1), np.add.accumulate(A, axis=1))
    np.testing.assert_allclose(plus.accumulate(np.ones(100)), np.arange(1, 101.0))
    np.testing.assert_allclose(plus.reduceat(A[0], [0, 2]), np.add.reduceat(A[0], [0, 2]))
    assert plus.outer([1, 2], [3, 4]).tolist() == [[4, 5], [5, 6]]
    at = np.zeros(3)
    plus.at(at, [0, 0, 2], 1)
    assert at.tolist() == [2, 0, 1]
    same = A.copy()
    assert plus(same, same, out=same) is same and np.array_equal(same, A + A)
    shifted = np.arange(10.0)
    plus(shifted[:-1], shifted[1:], out=shifted[1:])
    assert shifted.tolist() == [0, *(np.arange(9.0) + np.arange(1.0, 10)).tolist()]
    one, two = halves([1, 2, 3], True)
    assert one.tolist() == [0, 1, 1] and two.tolist() == [True, False, True]


class Wrapped(np.ndarray):
    pass


def test_numpys_protocols():
    assert type(plus(A.view(Wrapped), B)) is Wrapped
    masked = plus(np.ma.array([1.0, 2], mask=[0, 1]), 1)
    assert isinstance(masked, np.ma.MaskedArray) and masked.data[0] == 2

    class Mine:
        def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
            return ufunc, method, len(inputs)

    assert plus(Mine(), 1) == (plus, "__call__", 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes(dtype):
    x = rng.random((3, 4, 6)).astype(dtype)
    rates = np.array([0.1, 0.5, 0.9], dtype)[:, None]
    np.testing.assert_allclose(smooth(x, rates), smoothed(x, rates), rtol=1e-5)
    np.testing.assert_allclose(smooth(x[0, 0], 0.5), smoothed(x[0, 0], 0.5), rtol=1e-5)
    turned = np.moveaxis(x, 1, 2)  # its last axis is not contiguous
    np.testing.assert_allclose(smooth(turned, 0.5), smoothed(turned, 0.5), rtol=1e-5)
    np.testing.assert_allclose(
        smooth(x, 0.5, axis=0), np.moveaxis(smoothed(np.moveaxis(x, 0, -1), 0.5), -1, 0), rtol=1e-5
    )
    out = np.zeros((3, 4, 12), dtype)[..., ::2]
    assert smooth(x, 0.5, out=out) is out
    np.testing.assert_allclose(out, smoothed(x, 0.5), rtol=1e-5)
    assert smooth(x, 0.5, axes=[(0,), (), (-1,)]).shape == (4, 6, 3)
    assert smooth(np.zeros((2, 0), dtype), 0.5).shape == (2, 0) and smooth(np.zeros((0, 3), dtype), 0.5).shape == (0, 3)
    overlapping = x.copy()
    smooth(overlapping[:, :, ::-1], 0.5, out=overlapping)
    np.testing.assert_allclose(overlapping, smoothed(x[:, :, ::-1], 0.5), rtol=1e-5)
    assert smooth(x, 0.5).dtype == dtype


def test_computed_sizes():
    x = rng.random((3, 5))
    d, first = lags(x)
    assert np.array_equal(d, np.diff(x)) and np.array_equal(first, x[:, 0]) and lags(x[:, ::2])[0].shape == (3, 2)
    with pytest.raises(ValueError, match=r"lags: d.shape\[0\], which is n - 1, would be -1"):
        lags(np.zeros(0))
    with pytest.raises(ValueError, match=r"lags: d.shape\[0\] is 3, but n - 1 is 4"):
        lags(x, out=(np.zeros((3, 3)), None))
    assert lags(x, out=(np.zeros((3, 4)), None))[0].tolist() == np.diff(x).tolist()


def test_shifted_constant_and_working_sizes():
    signature = """data: T[nnz], indices: int64[nnz], indptr: int64[r + 1], x: T[c], scale: T[2]
                   -> y: T[r] = 0, t: work T[r, 2] = 0"""
    csr = opweld.cop(signature, """
        for (npy_intp i = 0; i < r; i++)
            for (npy_intp k = indptr[i]; k < indptr[i+1]; k++) t(i, k % 2) += data[k] * x[indices[k]];
        for (npy_intp i = 0; i < r; i++) y[i] += scale[0] * t(i, 0) + scale[1] * t(i, 1);
    """, ufunc=True)  # fmt: skip
    data, indices, indptr = np.array([1.0, 2, 3]), [0, 2, 1], [0, 2, 3]
    xs = np.array([[1.0, 10, 100], [2, 20, 200]])
    dense = np.array([[1.0, 0, 2], [0, 3, 0]])
    assert np.allclose(csr(data, indices, indptr, xs, [1, 1]), xs @ dense.T)
    with pytest.raises(ValueError, match=r"indptr.shape\[0\] is 0, but the least that r \+ 1 can be is 1"):
        csr(data, indices, np.zeros(0, int), xs, [1, 1])
    with pytest.raises(ValueError, match="mismatch in its core dimension"):
        csr(data, indices, indptr, xs, [1, 1, 1])
    square = opweld.cop("x: T[n, n], y: T[n * n] -> s: T", "s = n ? x[0] + y[0] : 0;", ufunc=True)
    assert square(np.ones((2, 2)), np.ones(4)) == 2
    with pytest.raises(ValueError, match=r"square: y.shape\[0\] is 3, but n\*n is 4"):
        square(np.ones((2, 2)), np.ones(3))


def test_begins_with_what_the_signature_says():
    counts = opweld.cop(
        "x: int64[n] -> h: int32[4] = 7, z: int64 = 3",
        "for (npy_intp i = 0; i < n; i++) h[x[i] % 4]++, z++;",
        ufunc=True,
    )
    h, z = counts([[0, 1], [3, 3]])
    assert h.tolist() == [[8, 8, 7, 7], [7, 7, 7, 9]] and z.tolist() == [5, 5]


def test_fail_raises_wherever_the_loop_is():
    assert rooted([1, 4]).tolist() == [1, 2]
    big = np.ones(100_000)
    big[70_000] = -2
    for x, given in ((-3.0, {}), (big, {}), (big[::2][::-1], {}), (big, {"out": big.copy()}),
                     (big.reshape(1000, 100).T, {}), (big, {"where": big > -5, "out": big.copy()})):  # fmt: skip
        with pytest.raises(ValueError, match=r"^-[23] is negative$"):
            rooted(x, **given)
    assert rooted(big[:70_000]).sum() == 70_000
    checked = opweld.cop("x: T[n] -> y: T", "y = x[n];", check=True, ufunc=True)
    with pytest.raises(IndexError, match=r"checked: x\[2\] in line 1 of the body: x has 2 elements"):
        checked(np.ones((3, 2)))


def test_compiles_when_dtypes_are_met_and_says_what_is_wrong():
    wrong = opweld.cop("x: T -> y: T", "y = q;", ufunc=True)  # nothing is compiled here
    for argument in (1.0, np.ones(100_000)[::2], np.ones((50, 50))[:, ::2].T):
        with pytest.raises(opweld.CompileError, match="'q' undeclared") as caught:
            wrong(argument)
        assert caught.value.details["diagnostics"][0]["file"] == __file__
    for texts in (("y = q;", ""), ("y = x;", "static int f(void) { return q; }")):  # as a node too
        node = opweld.cop("x: T -> y: T where T: float", texts[0], support=texts[1], ufunc=True)(T.dvector("x"))
        with pytest.raises(opweld.CompileError, match="'q' undeclared") as caught:
            opweld.function(node.owner.inputs, node)
        said = caught.value.details["diagnostics"][0]
        assert said["file"] == __file__ and "for texts in" in Path(__file__).read_text().splitlines()[said["line"] - 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fresh = opweld.cop("x: T -> y: T", "y = x + 17;", ufunc=True)
        assert fresh(np.ones(3)).tolist() == [18] * 3  # what compiling does to the processor's flags is no warning


def test_the_source_of_a_loop():
    three = opweld.cop("x: T, y: T -> z: T where T: float", "z = x + 3*y;", ufunc=True, name="three")
    with pytest.raises(ValueError, match="three was not called yet: call it, or give the dtypes of its inputs"):
        opweld.source(three)
    assert "npy_float32" in opweld.source(three, "float32", "float32")
    assert "npy_float64" in opweld.source(three, "float32", "int64")  # as NumPy casts them
    three(np.float32(1), np.float32(2))
    assert opweld.source(three) == opweld.source(three, np.float32, "f")
    with pytest.raises(TypeError, match="three takes 2 inputs, got 1 dtypes"):
        opweld.source(three, "float32")
    with pytest.raises(TypeError, match="three has no loop for complex128, float64"):
        opweld.source(three, complex, float)
    x = T.dvector("x")
    with pytest.raises(TypeError, match="dtypes are given for a short form or ufunc, not for"):
        opweld.source(opweld.function([x], x + 1), "float64")


def test_floating_point_is_spoken_of():
    inverse = opweld.cop("x: float64 -> y: float64", "y = 1 / x;", ufunc=True)
    inverse(1.0)
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in inverse"):
        assert inverse([0.0, 2.0]).tolist() == [np.inf, 0.5]
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        inverse(0.0)


def test_cxx_support_and_libraries():
    support = """
        template <class V> static V twice(V x) { if (x > 100) throw std::out_of_range("far"); return 2 * x; }
    """
    gamma = opweld.cop("x: T -> y: T where T: complex | float", "y = twice(std::abs(x));", lang="c++", ufunc=True,
                       support=support, headers=["<stdexcept>", "<cmath>"])  # fmt: skip
    assert gamma(np.array([-2.0])).tolist() == [4] and gamma(np.array([3 + 4j])).tolist() == [10]
    with pytest.raises(RuntimeError, match="far"):
        gamma(1000.0)


def test_pickles_by_name():
    assert pickle.loads(pickle.dumps(hypotenuse)) is hypotenuse
    if hasattr(hypotenuse, "__dict__"):  # of NumPy 2.3 and later
        assert hypotenuse.__module__ == __name__


@pytest.mark.parametrize(
    ("signature", "message", "column"),
    [
        ("x: inout T[n]", "a ufunc leaves its inputs as they are: make \"x\" an output", 1),
        ("x: T, k: T = 2 -> y: T", "an input of a ufunc has no default: leave out `= 2`", 7),
        ("x: T[n], k: int64 -> h: T[k]", 'the value of "k" is a size, and NumPy knows sizes by shapes alone', 10),
        ("-> y: float64", "a ufunc has at least one input", 1),
        (", ".join([f"x{i}: T" for i in range(32)]) + " -> y: T", "at most 32 inputs and outputs, here are 33", 1),
    ],
)  # fmt: skip
def test_what_numpy_does_not_have(signature, message, column):
    with pytest.raises(opweld.SignatureError) as caught:
        opweld.cop(signature, ";", name="f", ufunc=True)
    assert message in str(caught.value) and f"column {column}: ufunc=True: " in str(caught.value)


def test_too_many_loops():
    with pytest.raises(ValueError, match="here are 3375; 1000 at most: say less of A and B and C after `where`"):
        opweld.cop("a: A, b: B, c: C -> y: A", "y = a;", ufunc=True)


def test_variables():
    x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
    f = opweld.function([x, y], hypotenuse(x + 1, y) * 2)
    assert np.allclose(f([2.0, 3], [4.0, 5]), 2 * np.hypot([3, 4], [4, 5]))
    assert sum(["loop" in kernel for kernel in f.maker.program.data["kernels"]]) == 3  # one of the engine's loops
    g = opweld.function([m, x], hypotenuse(m, x) + plus(x, 1).sum())
    assert np.allclose(g(A, B[0]), np.hypot(A, B[0]) + (B[0] + 1).sum())
    assert opweld.function([x], plus(x, np.float32(1)))([1.0]).tolist() == [2]
    h, o = halves(T.lvector("i"), True)
    found = opweld.function([h.owner.inputs[0]], [h, o])([3, 4])
    assert found[0].tolist() == [1, 2] and found[1].tolist() == [True, False]
    k = opweld.function([x, m], [smooth(x, 0.5), smooth(m, 0.5), smooth(m, x)])
    one, two, three = k(A[0, :4], A)
    assert np.allclose(one, smoothed(A[0, :4], 0.5)) and np.allclose(two, smoothed(A, 0.5))
    assert np.allclose(three, smoothed(A, A[0, :4]))
    failing = opweld.function([x], rooted(x))
    with pytest.raises(ValueError, match="-1 is negative"):
        failing([1.0, -1.0])
    for wrong in (lambda: plus.reduce(x), lambda: plus(x, x, out=A), lambda: plus(x, x, where=A > 0)):
        with pytest.raises(TypeError, match=r"plus.* of variables is not a node of a graph"):
            wrong()
    with pytest.raises(TypeError, match="fewer dimensions than the signature"):
        smooth(T.dscalar("s"), x)
    assert pickle.loads(pickle.dumps(k))(A[0, :4], A)[1].tolist() == two.tolist()


def test_perform_in_debugmode():
    cube = opweld.cop("x: T -> y: T where T: float", "y = x*x*x;", perform=lambda x: x**3, ufunc=True)
    x = T.dvector("x")
    assert opweld.function([x], cube(x), mode="DebugMode")([2.0]).tolist() == [8]
    lied = opweld.cop("x: T -> y: T where T: float", "y = x*x;", perform=lambda x: x**3, ufunc=True)
    with pytest.raises(Exception, match="lied"):
        opweld.function([x], lied(x), mode="DebugMode")([2.0])


def test_threads_meet_a_dtype_at_once():
    fresh = opweld.cop("x: T -> y: T", "y = x * 3;", ufunc=True)
    results = []

    def call(k):
        results.append((k, fresh(np.full(2000, k)).sum()))

    threads = [threading.Thread(target=call, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(k, 6000 * k) for k in range(6)]


def test_lifetimes():
    gone = []
    for _ in range(3):
        made = opweld.cop("x: float64 -> y: float64", "y = -x;", name="shortlived", ufunc=True)
        form = _ufunc.form_of(made)
        weakref.finalize(form, gone.append, 1)
        assert made(2.0) == -2 and made.types == ["d->d"]
        del form
        assert made(np.ones(2)).tolist() == [-1, -1]
        del made
        gc.collect()
    assert len(gone) == 3 and _ufunc.form_of(np.add) is None and _ufunc.form_of(1) is None


def test_a_second_process_compiles_nothing(tmp_path):
    code = """
import sys, numpy as np, opweld
f = opweld.cop("x: T[n] -> y: T", "for (npy_intp i = 0; i < n; i++) y += x[i] * x[i];", name="squares", ufunc=True)
print(f(np.ones((2, 3))).tolist(), "opweld._engine" in sys.modules)
"""
    env = {**os.environ, "OPWELD_FLAGS": f"compiledir={tmp_path}"}
    said = [
        subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert said == ["[3.0, 3.0] True\n", "[3.0, 3.0] False\n"]
